/* hook/processes.h: memory that a child of fork shares with its parent.
 *
 * The two run at the same time, and no scheduler decides in what order.  So an execution is not
 * explored, and counts as skipped, if the child uses a lock, an atomic object or a futex in such
 * memory; and if the execution fails before it has waited for a child that might still have done
 * so.  Plain data that a child has left there is data from outside.
 */
#ifndef RFI_HOOK_PROCESSES_H
#define RFI_HOOK_PROCESSES_H
#include "campaign/crash.h"
#include "hook/maps.h"

#ifdef RFI_IMPL
# include <sys/resource.h>
# include <sys/wait.h>

# ifdef __linux__
#  include <sys/prctl.h>
# endif

/* An engine that runs no program is linked without the hook of it (children.h). */
# ifdef __linux__
#  define rfi_waitid(type, id, info, options) \
   ((int)RFI_REAL(syscall)(SYS_waitid, type, id, info, options, NULL))
# else
#  define rfi_waitid waitid
# endif

RFI_VAR struct {
    uint32_t generation;  /* of the execution that has forked with shared memory; */
    uint32_t forked;      /* of the one that has forked at all; */
    uint32_t given;       /* ms of real time that its children have got while virtual time passed */
    volatile bool *met;   /* a child has met it there; both see this */
    bool child;           /* this is one */
    bool descends;        /* this is a child, or a child's */
    pid_t parent;         /* who forks */
    rf_strategy strategy; /* the execution's, which looks at each operation */
    void (*announced)(const rf_event *next); /* by the execution's own */
} rfi_processes;

/* ---- in the child ---- */

RFI_FN RFI_COLD RFI_NORETURN void rfi_processes_end(void) {
    *rfi_processes.met = true;
    rfi_quit(0);
}

/* It is about to use an object. */
RFI_INLINE void rfi_processes_use(const volatile void *p) {
    if (RFI_UNLIKELY(rfi_processes.child) && rfi_hook_shared_has(p)) rfi_processes_end();
}

/* It is about to execute an operation; many have looked at their object before. */
RFI_FN void rfi_processes_next(const rf_event *e) {
    bool plain = e->flags & (RF_EV_READS | RF_EV_WRITES) && !(e->flags & RF_EV_ATOMIC);
    if (!plain && e->kind != RF_EV_CALL) rfi_processes_use(e->addr);
}

/* ---- in the execution ---- */

/* What it leaves behind; of a child, what its parent does.  NULL: names and keys are the system's
 * (hook/spaces.h). */
RFI_FN rfi_leavings *rfi_leavings_now(void) {
    if (!rfi.current) return NULL;
    if (!rfi_forked) rfi_leavings_of = rfi_leavings_begin(&rfi.record->leavings, rfi.generation);
    return rfi_leavings_of && rfi_leavings_of->space ? rfi_leavings_of : NULL;
}

/* It is no longer this process's alone. */
RFI_FN void rfi_processes_look(void) {
    if (rfi_processes.generation == rfi.generation) rfi.record->processes |= *rfi_processes.met;
}

RFI_FN void rfi_processes_announced(const rf_event *e) {
    if (rfi_processes.announced) rfi_processes.announced(e);
    rfi_processes_next(e);
    rfi_processes_look();
    if (rfi.record->processes) rfi_go_home();
}

/* What pthread_atfork was given. */
typedef struct rfi_at_fork {
    void (*call[3])(void); /* before, in the parent, in the child */
    uint32_t generation;   /* of the execution that has; 0: none */
} rfi_at_fork;

RFI_VAR struct {
    rfi_at_fork *list;
    uint32_t count, room;
} rfi_at_forks;

/* Executions begin by a fork of ours, of which the program has to know nothing: in a replay there
 * is none. */
RFI_FN void rfi_at_fork_call(unsigned when) {
    for (uint32_t i = 0; i < rfi_at_forks.count && !rfi_forks; i++) {
        const rfi_at_fork *a = &rfi_at_forks.list[when ? i : rfi_at_forks.count - 1 - i];
        bool over = a->generation && (!rfi.current || a->generation != rfi.generation);
        if (a->call[when] && !over) a->call[when]();
    }
}

/* Before a fork. */
RFI_FN void rfi_processes_open(void) {
    rfi_processes.parent = rfi_process();
    if (!rfi_forks) (void)rfi_leavings_now(); /* the child's, too */
    rfi_at_fork_call(0);
    if (!rfi.current || rfi_processes.child || rfi_processes.generation == rfi.generation) return;
    if (!rfi_hook_shared_any()) return;
    if (rfi_processes.met) RFI_REAL(munmap)((void *)(uintptr_t)rfi_processes.met, 1);
    rfi_processes.met = rfi_pages(1, true);
    rfi_processes.generation = rfi.generation;
    if (rfi.strategy != &rfi_processes.strategy) {
        rfi_processes.announced = rfi.strategy->announced;
        rfi_processes.strategy = *rfi.strategy;
        rfi_processes.strategy.announced = rfi_processes_announced;
    }
    rfi.strategy = &rfi_processes.strategy;
    rfi.run.attention++;
}

/* After it. */
RFI_FN void rfi_processes_parent(void) {
    if (rfi.current && rfi_processes.generation == rfi.generation) rfi.record->children++;
    if (rfi.current && !rfi_forks && rfi_processes.forked != rfi.generation) {
        rfi_processes.forked = rfi.generation;
        rfi_processes.given = 0;
    }
    if (!rfi_forks) rfi_hook_asks(RFI_ASKS_WHO, "the number of a child, by %s", "fork");
    rfi_at_fork_call(1);
}

/* A child does not outlive the execution, which would leave one behind wherever it fails; but one
 * that its own parent leaves is somebody's. */
RFI_FN void rfi_processes_mortal(void) {
# ifdef __linux__
    bool dies = rfi.current && !rfi_forks && !rfi_processes.descends;
    if (dies && rfi_backend.kind == RFI_BACKEND_FIBER) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != rfi_processes.parent) rfi_quit(0);
    }
# endif
    rfi_processes.descends |= rfi.current && !rfi_forks;
}

RFI_FN void rfi_processes_child(void) {
    rfi_processes_mortal();
    rfi_processes.child = rfi.current && rfi_processes.generation == rfi.generation;
    if (rfi_processes.child) rfi_over = rfi_processes_end; /* a failure of it, too */
    rfi_at_fork_call(2);
}

__attribute__((constructor)) RFI_FN void rfi_processes_begin(void) {
    (void)RFI_REAL(pthread_atfork)(rfi_processes_open, rfi_processes_parent, rfi_processes_child);
}

int RFI_HOOK(pthread_atfork)(void (*before)(void), void (*parent)(void), void (*child)(void)) {
    rfi_at_forks.list = rfi_grow(rfi_at_forks.list, &rfi_at_forks.room, rfi_at_forks.count + 1,
                                 sizeof *rfi_at_forks.list);
    rfi_at_forks.list[rfi_at_forks.count++] =
        (rfi_at_fork){{before, parent, child}, rfi.current ? rfi.generation : 0};
    return 0;
}

/* Which children are waited for, and for what: the arguments of wait4, or of waitid, if there is an
 * `info`. */
typedef struct rfi_child_wait {
    pid_t id;
    int options, *status;
    struct rusage *usage;
    siginfo_t *info;
} rfi_child_wait;

RFI_FN int rfi_processes_waitid(pid_t id, siginfo_t *info, int options) {
    idtype_t type = id > 0 ? P_PID : id == -1 ? P_ALL : P_PGID;
    id_t which = (id_t)(id > 0 ? id : id == -1 ? 0 : id ? -id : getpgrp());
    return rfi_waitid(type, which, info, options);
}

/* The call with more options, after which there may be one child less. */
RFI_FN pid_t rfi_processes_reap(const rfi_child_wait *w, int more) {
    int room = 0, *status = w->status ? w->status : &room;
    pid_t child;
    bool gone;
    if (w->info) {
        w->info->si_pid = 0;
        child = rfi_processes_waitid(w->id, w->info, w->options | more) ? -1 : w->info->si_pid;
        int how = w->info->si_code;
        gone = !(w->options & WNOWAIT) &&
               (how == CLD_EXITED || how == CLD_KILLED || how == CLD_DUMPED);
    } else {
        child = RFI_REAL(wait4)(w->id, status, w->options | more, w->usage);
        gone = !WIFSTOPPED(*status) && !WIFCONTINUED(*status);
    }
    if (!rfi.current || child <= 0 || !gone) return child;
    if (rfi.record->children) rfi.record->children--;
    rfi_processes_look();
    return child;
}
#endif
#endif
