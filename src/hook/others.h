/* hook/others.h: names, priorities and processors of threads.
 *
 * They take a thread's handle or number, which is ours.  Priorities count with --cores, processors
 * are kept and mean nothing.
 */
#ifndef RFI_HOOK_OTHERS_H
#define RFI_HOOK_OTHERS_H
#include "engine/priority.h"
#include "hook/futex.h"
#include "hook/locks.h"

#ifdef RFI_IMPL
/* What is known of a thread, which may have ended; without an execution, of the only one. */
RFI_FN rfi_hook_thread *rfi_hook_any(const rf_site *s, const char *name, pthread_t t) {
    if (!rfi.current) return rfi_hook_self();
    return rfi_hook_known(s, name, rfi_thread_of(s, rfi_hook_thread_of(t)));
}

/* ---- its priority ---- */

RFI_FN bool rfi_hook_priority(int policy, int priority) {
    int low = sched_get_priority_min(policy), high = sched_get_priority_max(policy);
    return low >= 0 && low <= priority && priority <= high;
}

/* `of`, what is known of `t`, has them from now on; with --cores they count.  The result is an
 * error number. */
RFI_FN int rfi_hook_schedule(const rf_site *s, rfi_thr *t, rfi_hook_thread *of, int policy,
                             int priority) {
# ifdef SCHED_RESET_ON_FORK
    policy &= ~SCHED_RESET_ON_FORK;
# endif
    if (!rfi_hook_priority(policy, priority)) return EINVAL;
    of->policy = policy;
    of->priority.sched_priority = priority;
    if (t) rfi_priority_set(s, t, (unsigned)priority);
    return 0;
}

RFI_FN rfi_thr *rfi_hook_handled(const rf_site *s, pthread_t t) {
    return rfi.current ? rfi_thread_of(s, rfi_hook_thread_of(t)) : NULL;
}

int RFI_HOOK(pthread_setschedparam)(pthread_t t, int policy, const struct sched_param *p) {
    const rf_site *s = RFI_CALLER();
    rfi_hook_thread *of = rfi_hook_any(s, "pthread_setschedparam", t);
    return rfi_hook_schedule(s, rfi_hook_handled(s, t), of, policy, p->sched_priority);
}

int RFI_HOOK(pthread_getschedparam)(pthread_t t, int *policy, struct sched_param *p) {
    const rfi_hook_thread *of = rfi_hook_any(RFI_CALLER(), "pthread_getschedparam", t);
    RFI_PUT(policy, of->policy); /* at first SCHED_OTHER, which is 0 */
    RFI_PUT(p, of->priority);
    return 0;
}

int RFI_HOOK(pthread_setschedprio)(pthread_t t, int priority) {
    const rf_site *s = RFI_CALLER();
    rfi_hook_thread *of = rfi_hook_any(s, "pthread_setschedprio", t);
    return rfi_hook_schedule(s, rfi_hook_handled(s, t), of, of->policy, priority);
}

/* By its number; 0 is the caller's.  NULL: it is no thread of this program. */
RFI_FN rfi_thr *rfi_hook_numbered(const rf_site *s, const char *name, pid_t task) {
    if (!rfi_hook_tasks()) return NULL;
    rfi_thr *t = task ? rfi_hook_task_thread(name, task) : rfi_base(rfi.current);
    if (t == rfi_base(rfi.current))
        (void)rfi_hook_known(s, name, t);
    else if (t)
        rfi_call_about(s, name, t);
    return t;
}

int RFI_HOOK(sched_setscheduler)(pid_t task, int policy, const struct sched_param *p) {
    const rf_site *s = RFI_CALLER();
    rfi_thr *t = rfi_hook_numbered(s, "sched_setscheduler", task);
    if (!t) return RFI_REAL(sched_setscheduler)(task, policy, p);
    rfi_hook_thread *of = rfi_hook_of(t);
    return rfi_hook_errno(rfi_hook_schedule(s, t, of, policy, p->sched_priority));
}

int RFI_HOOK(sched_getscheduler)(pid_t task) {
    rfi_thr *t = rfi_hook_numbered(RFI_CALLER(), "sched_getscheduler", task);
    if (!t) return RFI_REAL(sched_getscheduler)(task);
    return rfi_hook_of(t)->policy;
}

int RFI_HOOK(sched_setparam)(pid_t task, const struct sched_param *p) {
    const rf_site *s = RFI_CALLER();
    rfi_thr *t = rfi_hook_numbered(s, "sched_setparam", task);
    if (!t) return RFI_REAL(sched_setparam)(task, p);
    rfi_hook_thread *of = rfi_hook_of(t);
    return rfi_hook_errno(rfi_hook_schedule(s, t, of, of->policy, p->sched_priority));
}

int RFI_HOOK(sched_getparam)(pid_t task, struct sched_param *p) {
    rfi_thr *t = rfi_hook_numbered(RFI_CALLER(), "sched_getparam", task);
    if (!t) return RFI_REAL(sched_getparam)(task, p);
    RFI_PUT(p, rfi_hook_of(t)->priority);
    return 0;
}

int RFI_HOOK(pthread_getcpuclockid)(pthread_t t, clockid_t *clock) {
    (void)rfi_hook_any(RFI_CALLER(), "pthread_getcpuclockid", t);
    RFI_PUT(clock, CLOCK_THREAD_CPUTIME_ID);
    return 0;
}

int RFI_HOOK(pthread_mutex_getprioceiling)(const pthread_mutex_t *m, int *ceiling) {
    RFI_HOOK_ENTERED();
    const rf_mutex *o = (const rf_mutex *)(const void *)m;
    if (!(o->kind & RFI_MUTEX_CEILS)) return EINVAL;
    RFI_PUT(ceiling, (int)rfi_ceiling(o));
    return 0;
}

/* Who changes it locks it meanwhile. */
int RFI_HOOK(pthread_mutex_setprioceiling)(pthread_mutex_t *m, int ceiling, int *before) {
    const rf_site *s = RFI_CALLER();
    rf_mutex *o = rfi_hook_mutex(m);
    bool owns = rfi_hook_owns(o);
    if (!(o->kind & RFI_MUTEX_CEILS) || !rfi_hook_priority(SCHED_FIFO, ceiling)) return EINVAL;
    if (owns && (o->kind & 3) == RF_MUTEX_ERRORCHECK) return EDEADLK;
    if (!owns) rfi_mutex_lock(s, o);
    if (before) RFI_PUT(before, (int)rfi_ceiling(o));
    o->kind = (o->kind & RFI_MUTEX_TYPE) | RF_MUTEX_CEILING(ceiling);
    if (!owns) rfi_mutex_unlock(s, o);
    return 0;
}

# ifdef __GLIBC__
/* ---- its name ---- */

int RFI_HOOK(pthread_setname_np)(pthread_t handle, const char *name) {
    const rf_site *here = RFI_CALLER();
    rfi_hook_thread *of = rfi_hook_any(here, "pthread_setname_np", handle);
    uint32_t id = rfi_hook_thread_of(handle).id;
    if (strlen(name) >= sizeof of->name) return ERANGE;
    memcpy(of->name, name, strlen(name) + 1);
    if (rfi.current && rfi.record->tracing && id < RFI_RECORD_THREADS)
        memcpy(rfi.record->thread[id].own, of->name, sizeof of->name);
    return 0;
}

/* At first that of the program. */
int RFI_HOOK(pthread_getname_np)(pthread_t handle, char *name, size_t size) {
    const rfi_hook_thread *of = rfi_hook_any(RFI_CALLER(), "pthread_getname_np", handle);
    const char *is = of->name[0] ? of->name : program_invocation_short_name;
    size_t length = strnlen(is, sizeof of->name - 1);
    if (size <= length) return ERANGE;
    RFI_LEAVES(name, length + 1);
    memcpy(name, is, length);
    name[length] = 0;
    return 0;
}

/* ---- its processors: it is always on the first one ---- */

RFI_FN int rfi_hook_processors_set(rfi_hook_thread *of, size_t size, const void *set) {
    cpu_set_t *own = of->processors, there;
    if (RFI_REAL(sched_getaffinity)(0, sizeof there, &there)) return errno;
    if (!own) own = rfi.current ? rfi_arena_take(&rfi.arena, sizeof *own) : calloc(1, sizeof *own);
    if (!own) return ENOMEM;
    cpu_set_t asked;
    memset(&asked, 0, sizeof asked);
    memcpy(&asked, set, size < sizeof asked ? size : sizeof asked);
    CPU_AND(&asked, &asked, &there);
    if (!CPU_COUNT(&asked)) return EINVAL;
    *own = asked;
    of->processors = own;
    return 0;
}

RFI_FN int rfi_hook_processors(const rfi_hook_thread *of, size_t size, void *set) {
    if (!of->processors) return RFI_REAL(sched_getaffinity)(0, size, set) ? errno : 0;
    memset(set, 0, size);
    memcpy(set, of->processors, size < sizeof(cpu_set_t) ? size : sizeof(cpu_set_t));
    return 0;
}

int RFI_HOOK(pthread_setaffinity_np)(pthread_t t, size_t size, const cpu_set_t *set) {
    return rfi_hook_processors_set(rfi_hook_any(RFI_CALLER(), "pthread_setaffinity_np", t), size,
                                   set);
}

int RFI_HOOK(pthread_getaffinity_np)(pthread_t t, size_t size, cpu_set_t *set) {
    const rfi_hook_thread *of = rfi_hook_any(RFI_CALLER(), "pthread_getaffinity_np", t);
    RFI_LEAVES(set, size);
    return rfi_hook_processors(of, size, set);
}

int RFI_HOOK(sched_setaffinity)(pid_t task, size_t size, const cpu_set_t *set) {
    rfi_thr *t = rfi_hook_numbered(RFI_CALLER(), "sched_setaffinity", task);
    if (!t) return RFI_REAL(sched_setaffinity)(task, size, set);
    return rfi_hook_errno(rfi_hook_processors_set(rfi_hook_of(t), size, set));
}

int RFI_HOOK(sched_getaffinity)(pid_t task, size_t size, cpu_set_t *set) {
    rfi_thr *t = rfi_hook_numbered(RFI_CALLER(), "sched_getaffinity", task);
    RFI_LEAVES(set, size);
    if (!t) return RFI_REAL(sched_getaffinity)(task, size, set);
    return rfi_hook_errno(rfi_hook_processors(rfi_hook_of(t), size, set));
}

int RFI_HOOK(sched_getcpu)(void) { return rfi.current ? 0 : RFI_REAL(sched_getcpu)(); }

int RFI_HOOK(pthread_getattr_np)(pthread_t t, pthread_attr_t *a) {
    const rf_site *here = RFI_CALLER();
    if (!rfi.current) rfi_fail_here(here, "pthread_getattr_np");
    rfi_thr *u = rfi_thread_of(here, rfi_hook_thread_of(t));
    (void)rfi_hook_known(here, "pthread_getattr_np", u);
    char *low = u->fiber.stack_low, *high = u->fiber.stack_high;
    RFI_LEAVES(a, sizeof *a);
    int error = pthread_attr_init(a);
    if (!error && u->detached) error = pthread_attr_setdetachstate(a, PTHREAD_CREATE_DETACHED);
    /* All that was asked for, with the few bytes at its end that are the engine's. */
    size_t size = ((size_t)(high - low) + 4095) / 4096 * 4096;
    return error || !low ? error : pthread_attr_setstack(a, low, size);
}

int RFI_HOOK(pthread_yield)(void) {
    rfi_yield(RFI_CALLER());
    return 0;
}

/* ---- the same by bare calls ---- */

/* Linux's struct sched_attr as it was at first. */
typedef struct rfi_hook_scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} rfi_hook_scheduling;

RFI_FN int rfi_hook_attributes_set(const rf_site *s, rfi_thr *t, const rfi_hook_scheduling *a) {
    if (!a) return EINVAL;
    if (a->size && a->size < sizeof *a) return E2BIG;
    return rfi_hook_schedule(s, t, rfi_hook_of(t), (int)a->policy, (int)a->priority);
}

RFI_FN int rfi_hook_attributes(rfi_thr *t, rfi_hook_scheduling *a, size_t size) {
    const rfi_hook_thread *of = rfi_hook_of(t);
    if (!a || size < sizeof *a) return EINVAL;
    *a = (rfi_hook_scheduling){.size = sizeof *a,
                               .policy = (uint32_t)of->policy,
                               .priority = (uint32_t)of->priority.sched_priority};
    return 0;
}

/* What a bare call says of thread `t`; false: it is none of these. */
RFI_FN bool rfi_hook_thread_call(const rf_site *s, rfi_thr *t, long number, const long *a,
                                 int64_t *result) {
    rfi_hook_thread *of = rfi_hook_of(t);
    struct sched_param *p = RFI_AT_ADDRESS(struct sched_param, 1);
    switch (number) {
    case SYS_sched_setscheduler:
        p = RFI_AT_ADDRESS(struct sched_param, 2);
        *result = -rfi_hook_schedule(s, t, of, (int)a[1], p->sched_priority);
        return true;
    case SYS_sched_getscheduler: *result = of->policy; return true;
    case SYS_sched_setparam:
        *result = -rfi_hook_schedule(s, t, of, of->policy, p->sched_priority);
        return true;
    case SYS_sched_getparam:
        *p = of->priority;
        *result = 0;
        return true;
    case SYS_sched_setaffinity:
        *result = -rfi_hook_processors_set(of, (size_t)a[1], RFI_AT_ADDRESS(void, 2));
        return true;
    case SYS_sched_getaffinity: /* the kernel's own says how much it has written */
        *result = RFI_REAL(syscall)(SYS_sched_getaffinity, 0, a[1], a[2]);
        if (*result < 0)
            *result = -errno;
        else if (of->processors)
            (void)rfi_hook_processors(of, (size_t)a[1], RFI_AT_ADDRESS(void, 2));
        return true;
    case SYS_sched_setattr:
        *result = -rfi_hook_attributes_set(s, t, RFI_AT_ADDRESS(rfi_hook_scheduling, 1));
        return true;
    case SYS_sched_getattr:
        *result = -rfi_hook_attributes(t, RFI_AT_ADDRESS(rfi_hook_scheduling, 1), (size_t)a[2]);
        return true;
    default: return false;
    }
}

RFI_FN bool rfi_hook_numbered_call(const rf_site *s, long number, const long *a, int64_t *result) {
    switch (number) {
    case SYS_getpriority:
    case SYS_setpriority: {
        const char *name = number == SYS_getpriority ? "getpriority" : "setpriority";
        long who = rfi_hook_task_there(name, (int)a[0], a[1]);
        *result = RFI_REAL(syscall)(number, a[0], who, a[2]);
        if (*result < 0) *result = -errno;
        return true;
    }
    case SYS_sched_setscheduler:
    case SYS_sched_getscheduler:
    case SYS_sched_setparam:
    case SYS_sched_getparam:
    case SYS_sched_setaffinity:
    case SYS_sched_getaffinity:
    case SYS_sched_setattr:
    case SYS_sched_getattr: {
        rfi_thr *t = rfi_hook_numbered(s, "syscall", (pid_t)a[0]);
        return t && rfi_hook_thread_call(s, t, number, a, result);
    }
    default: return false;
    }
}
# endif
#endif
#endif
