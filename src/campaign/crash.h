/* campaign/crash.h: crashes and exits of the code under test are findings.
 *
 * Whatever ends the process early (a signal, exit(), a sanitizer) is caught, written into the
 * record, which the supervisor shares, and given to rfi_crash.crashed.  Two clocks notice
 * executions that no longer reach the engine: CPU time (SIGPROF), for loops; and real time without
 * CPU time, for waits in the kernel.  That is watched from outside, by the supervisor or, without
 * one, by a thread: a signal would end some of these waits, and so comes (SIGALRM) when the verdict
 * is clear.  What can't be caught (_exit, SIGKILL) the supervisor tells from the status of the
 * worker. With a sanitizer its own handlers stay, and its report is found in the kept standard
 * error.
 */
#ifndef RFI_CAMPAIGN_CRASH_H
#define RFI_CAMPAIGN_CRASH_H
#include "engine/callers.h"
#include "engine/execute.h"

#ifdef RFI_IMPL
# include <ucontext.h>
# if defined RFI_ASAN || defined RFI_TSAN
#  include <sanitizer/common_interface_defs.h>
# endif

# define RFI_EXIT_CRASHED   66 /* of a worker whose record says why */
# define RFI_TICKS_A_SECOND 4  /* SIGPROF */
# define RFI_LOOK_MS        50 /* between two looks from outside */

/* The linker's: where the program's code lies, so that an address in it can be told as an offset.
 */
extern const char rfi_code_begin[] __asm__("__executable_start") __attribute__((weak));
extern const char rfi_code_end[] __asm__("etext") __attribute__((weak));

RFI_VAR struct {
    /* What to do once the record says what happened.  May go home; must not return. */
    void (*crashed)(void);
    pthread_t home;   /* the real thread that called rfi_crash_open, */
    long task;        /* and what the kernel calls it (see local.h) */
    uint32_t seconds; /* of the two clocks */
} rfi_crash;

/* This process was made by fork() in the code under test: it ends with the execution. */
RFI_VAR bool rfi_forked;
RFI_VAR bool rfi_forks; /* it is ourselves that fork */

/* The execution is over: what went wrong in the child is for its parent to see. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_fork_over(void) {
    const rfi_failure *f = &rfi.record->failure;
    if (f->diagnostic != RF_DIAG_NONE)
        fprintf(stderr, "racefuzz: a child of what is tested: %s: %s\n",
                rfi_diagnostic(f->diagnostic)->words, f->message);
    else if (rfi.record->unfinished)
        fprintf(stderr, "racefuzz: a child of what is tested had not ended after %llu steps\n",
                (unsigned long long)rfi.run.steps);
    else
        rfi_quit(0);
    rfi_quit(1);
}

/* As POSIX says, the child has the thread that forked and no other; and what it does is no part of
 * the execution, whose record its parent writes. */
RFI_FN void rfi_on_fork(void) {
    rfi_forked = true;
    rfi_last_words = NULL;
    rfi_dying = NULL;
    if (!rfi.current) return;
    rfi.record = rfi_pages(sizeof *rfi.record, false);
    rfi.record->limit = rfi.plan->max_steps;
    rfi.listen = 0;
    rfi.lane = NULL;
    rfi.coverage = NULL;
    rfi.lessons = NULL; /* those are the supervisor's, too */
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        rfi_thr *t = rfi.thread[i];
        if (t == rfi.current || t->finished || t->over) continue;
        rfi_due_over(t, false);
        t->ready = rfi_ready_never;
        rfi_take(rfi.enabled, i);
        rfi.run.live -= !t->source;
    }
}

RFI_FN const char *rfi_signal_name(int sig) {
    switch (sig) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    case SIGABRT: return "SIGABRT";
    case SIGTRAP: return "SIGTRAP";
    case SIGSYS: return "SIGSYS";
    case SIGKILL: return "SIGKILL";
    case SIGTERM: return "SIGTERM";
    case SIGPIPE: return "SIGPIPE";
    case SIGINT: return "SIGINT";
    case SIGHUP: return "SIGHUP";
    case SIGXFSZ: return "SIGXFSZ";
    case SIGXCPU: return "SIGXCPU";
    case SIGALRM: return "SIGALRM";
    case SIGCHLD: return "SIGCHLD";
    case SIGCONT: return "SIGCONT";
    case SIGPROF: return "SIGPROF";
    case SIGQUIT: return "SIGQUIT";
    case SIGTSTP: return "SIGTSTP";
    case SIGUSR1: return "SIGUSR1";
    case SIGUSR2: return "SIGUSR2";
    case SIGVTALRM: return "SIGVTALRM";
    case SIGWINCH: return "SIGWINCH";
    default: return NULL;
    }
}

/* ---- the record ---- */

/* The last event of an execution that is traced, or NULL. */
RFI_FN const rf_event *rfi_last_event(const rfi_record *r) {
    return r->tracing && r->events ? &r->event[(r->events - 1) % RFI_RECORD_EVENTS] : NULL;
}

/* The execution ends with a crash of kind `d`; the caller writes the message.  The place is that of
 * the last operation, as far as it is known: a replay knows more. */
RFI_FN rfi_text rfi_crash_note(rf_diagnostic d) {
    rfi_failure *f = &rfi.record->failure;
    const rf_event *last = rfi_last_event(rfi.record);
    f->diagnostic = d;
    f->thread = rfi.current->id;
    f->site = last && last->thread == f->thread ? last->site : rfi.current->next.site;
    f->message[0] = 0;
    f->null_at = 0;
    f->there = false;
    return rfi_message_of(f);
}

# if defined __x86_64__ && defined __linux__
#  define RFI_INTERRUPTED(u, x86, arm) ((uintptr_t)(u)->uc_mcontext.gregs[x86])
# elif defined __aarch64__ && defined __linux__
#  define RFI_INTERRUPTED(u, x86, arm) ((uintptr_t)(u)->uc_mcontext.arm)
# else
#  define RFI_INTERRUPTED(u, x86, arm) ((void)(u), (uintptr_t)0)
# endif

/* The interrupted instruction and the stack's pointer, 0 where we don't know how to tell. */
RFI_FN uintptr_t rfi_signal_pc(const void *context) {
    const ucontext_t *u = context;
    return RFI_INTERRUPTED(u, REG_RIP, pc);
}

RFI_FN uintptr_t rfi_signal_stack(const void *context) {
    const ucontext_t *u = context;
    return RFI_INTERRUPTED(u, REG_RSP, sp);
}

/* Says nothing that differs from one process to the next: failures are told apart by it.  Nor which
 * code of ours has used an address for the program, which differs from one execution to the next.
 */
RFI_FN void rfi_say_signal(rfi_text *out, int sig, const siginfo_t *info, const void *context) {
    uintptr_t pc = rfi_signal_pc(context), start = (uintptr_t)rfi_code_begin;
    bool sent = info->si_code <= 0; /* by kill() or raise(): there is no fault */
    rfi_append(out, "%s", rfi_signal_name(sig));
    if (sig == SIGABRT) rfi_append(out, ", abort() was called");
    if (sent) return;
    if (sig == SIGSEGV && info->si_code == SEGV_MAPERR && (uintptr_t)info->si_addr < RFI_NULL_BYTES)
        rfi_append(out, ", null pointer");
    if (sig == SIGFPE && info->si_code == FPE_INTDIV) rfi_append(out, ", division by zero");
    if (rfi_code && !rfi_code_tested((const char *)pc) && rfi_symbols.count) return;
    if (start && pc >= start && pc < (uintptr_t)rfi_code_end)
        rfi_append(out, ", at offset 0x%llx of the program", (unsigned long long)(pc - start));
}

/* Where the program itself stands: the interrupted instruction, or the call that has led out of the
 * program to it; without a context, the one that has led to us.  NULL: nobody knows. */
RFI_FN const rf_site *rfi_signal_place(const void *context) {
    char *pc = context ? (char *)rfi_signal_pc(context) : NULL;
    if (!rfi_code || (context && !pc)) return NULL;
    if (pc && rfi_code_tested(pc)) return rfi_code_at(pc + 1, RF_SITE_OTHER);
# if defined __GLIBC__ && !defined RFI_ASAN && !defined RFI_TSAN
    void *frame[64];
    int n = backtrace(frame, 64), i = 0;
    while (pc && i < n && frame[i] != pc) i++;
    while (i < n && !rfi_code_tested((char *)frame[i] - 1)) i++;
    if (i < n) return rfi_code_at(frame[i], RF_SITE_OTHER);
# endif
    return NULL;
}

/* The crash happened there, if that is known. */
RFI_FN void rfi_crash_at(const void *context) {
    const rf_site *s = rfi_signal_place(context);
    if (!s) return;
    rfi.record->failure.site = s;
    rfi.record->failure.there = true;
}

/* A null pointer was used, perhaps by the access that the thread has announced. */
RFI_FN bool rfi_crash_null(rfi_text *out, const siginfo_t *info) {
    rfi_failure *f = &rfi.record->failure;
    const rf_event *e = &rfi.current->next;
    uintptr_t at = (uintptr_t)info->si_addr, from = (uintptr_t)e->addr;
    if (info->si_signo != SIGSEGV || info->si_code != SEGV_MAPERR || at >= RFI_NULL_BYTES)
        return false;
    f->null_at = (uint32_t)at + 1;
    f->there = e->flags & (RF_EV_READS | RF_EV_WRITES) && from < RFI_NULL_BYTES && at >= from &&
               at < from + e->size;
    if (!f->there) return false;
    f->site = e->site;
    rfi_append(out, "%s of %s through a null pointer",
               e->flags & RF_EV_WRITES ? e->flags & RF_EV_READS ? "update" : "write" : "read",
               rfi_site_object(e->site));
    return true;
}

RFI_FN int64_t rfi_milliseconds(void) {
    struct timespec t;
    RFI_REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- handlers ---- */

RFI_FN void rfi_on_signal(int sig, siginfo_t *info, void *context) {
    const rfi_thr *t = rfi.current;
    if (!t || rfi_forked) { /* not in an execution: not ours */
        RFI_REAL(signal)(sig, SIG_DFL);
        RFI_REAL(raise)(sig);
        return;
    }
    if (sig == SIGSEGV &&
        rfi_fiber_overflowed(&t->fiber, info->si_addr, rfi_signal_stack(context))) {
        rfi_text out = rfi_crash_note(RF_DIAG_STACK_OVERFLOW);
        rfi_append(&out, "the stack of a thread has %zu KiB (.stack_size, RF_STACK)",
                   ((size_t)1 << t->fiber.stack->log_size) / 1024);
        rfi_crash_at(context);
    } else {
        rfi_text out = rfi_crash_note(RF_DIAG_SIGNAL);
        if (!rfi_crash_null(&out, info)) {
            rfi_say_signal(&out, sig, info, context);
            rfi_crash_at(context);
        }
    }
    rfi_crash.crashed();
}

RFI_FN void rfi_exit_watch(void);

RFI_FN void rfi_on_exit(int status, void *unused) {
    (void)unused;
    if (!rfi.current || rfi_forked) return;
    rfi_text out = rfi_crash_note(RF_DIAG_EXIT);
    if (status >= 0)
        rfi_append(&out, "exit(%d) was called", status);
    else
        rfi_append(&out, "exit() was called");
    rfi_crash_at(NULL);
    rfi_exit_watch(); /* it is called once for each time that it was registered */
    rfi_crash.crashed();
}

RFI_FN void rfi_at_exit(void) { rfi_on_exit(-1, NULL); }

RFI_FN void rfi_exit_watch(void) {
# ifdef __GLIBC__
    on_exit(rfi_on_exit, NULL);
# else
    atexit(rfi_at_exit);
# endif
}

/* A sanitizer has told what is wrong and is about to end the process. */
RFI_FN void rfi_on_sanitizer(void) {
    if (!rfi.current) return;
    rfi_text out = rfi_crash_note(RF_DIAG_SIGNAL);
    rfi_append(&out, "a sanitizer ended the program; its report says why");
    rfi_crash.crashed();
}

/* Faults are always those of the real thread that runs the execution, but a signal that is sent to
 * the process may come to any thread: then it is passed on to that one. */
RFI_FN bool rfi_crash_elsewhere(const rfi_thr *t, int sig) {
# ifdef RFI_LOCAL
    if (!t->fiber.os) /* to the C library, a fiber may be another thread */
        return RFI_REAL(syscall)(SYS_gettid) != rfi_crash.task &&
               !RFI_REAL(syscall)(SYS_tgkill, rfi_process(), rfi_crash.task, sig);
# endif
    pthread_t own = t->fiber.os ? t->fiber.os->thread : rfi_crash.home;
    return !RFI_REAL(pthread_equal)(RFI_REAL(pthread_self)(), own) &&
           !RFI_REAL(pthread_kill)(own, sig);
}

/* The signal that asked for an end of everything, or 0. */
RFI_VAR volatile sig_atomic_t rfi_interrupted;

/* When executions in this process are to end, wherever they are (ms; 0: never). */
RFI_VAR volatile int64_t rfi_crash_until;

/* The running execution of this record is to end at its next step. */
RFI_FN void rfi_hurry(rfi_record *r) {
    r->over = 1;
    r->limit = 0;
}

/* Time is up: the execution ends at its next step.  If there is none for a while, it ends here. */
RFI_FN RFI_COLD void rfi_tick_late(void) {
    rfi_record *r = rfi.record;
    static uint64_t steps;
    bool asked = r->over && steps == rfi.run.steps;
    rfi_hurry(r);
    steps = rfi.run.steps;
    if (!asked) return;
    r->cut = true;
    r->failure = (rfi_failure){.thread = RFI_NO_THREAD};
    rfi_crash.crashed();
}

RFI_FN bool rfi_late(void) {
    return rfi_interrupted || (rfi_crash_until && rfi_milliseconds() >= rfi_crash_until);
}

/* CPU time has passed. */
RFI_FN void rfi_on_tick(int sig, siginfo_t *info, void *context) {
    static uint32_t generation, looks; /* looks: since the execution came to stand where it is */
    static uint64_t steps;
    const rfi_thr *t = rfi.current;
    (void)info;
    if (!t || rfi_crash_elsewhere(t, sig)) return;
    if (rfi_late()) rfi_tick_late();
    if (generation != rfi.generation || steps != rfi.run.steps) looks = 0;
    generation = rfi.generation;
    steps = rfi.run.steps;
    if (looks++ < rfi_crash.seconds * RFI_TICKS_A_SECOND) return;
    rfi_text out = rfi_crash_note(RF_DIAG_RUNAWAY);
    if (t->struck) {
        rfi_say_handler(&out, t);
        rfi_append(&out, ", has not ended: ");
    }
    rfi_append(&out, "%u s of CPU time without an operation of racefuzz; %s", rfi_crash.seconds,
               rfi_unedited()
                   ? "does a loop here wait for plain memory?  Then compile this file with "
                     "-fsanitize=thread and -O1, or make the flag atomic/volatile; what inline "
                     "assembly looks at is not seen"
                   : "a loop that waits needs RF_YIELD() or RF_LOAD(), a long one --watchdog");
    rfi_crash_at(context);
    rfi_crash.crashed();
}

/* The call that waits for something from outside the program, since no thread can go on; or NULL.
 */
RFI_VAR const char *rfi_crash_waits;

RFI_FN void rfi_say_blocked(rfi_text *out) {
    if (rfi_crash_waits)
        rfi_append(out, "%u s in %s() without an answer: no other thread can go on",
                   rfi_crash.seconds, rfi_crash_waits);
    else
        rfi_append(out, "%u s without an operation of racefuzz or CPU time; %s", rfi_crash.seconds,
                   rfi_unedited()
                       ? "this call blocks, and racefuzz does not stand in for it: was the file "
                         "that makes it compiled with -include racefuzz.h -DRF_HOOK_ALL?"
                       : "use the RF_ primitives");
}

/* ---- threads of others (engine/foreign.h) ---- */

/* Such a thread is about to end the execution; 2: and the one that has the turn stands still. */
RFI_VAR volatile sig_atomic_t rfi_foreign_met;

/* What the code at `s`, or at `pc`, is told to belong to.  Looks nothing up that takes locks or
 * memory: another thread may have stopped while it holds them. */
RFI_FN const char *rfi_foreign_function(const rf_site *s, const void *pc) {
    if (s && s->file[0]) return s->function;
    if (s) pc = (const char *)rfi_symbols.bias + rfi_code_place_of(s)->distance + 1;
    const rfi_symbol *in = pc ? rfi_symbol_of((const char *)pc - 1) : NULL;
    return in ? in->called : "code under test";
}

RFI_FN void rfi_say_foreign(rfi_text *out, const char *in, const rf_site *s, const void *pc) {
    static const char hook[] = "__wrap_";
    bool call = !strncmp(in, hook, sizeof hook - 1);
    bool macro = s ? s->file[0] : !call && !strstr(in, "_tsan_") && !strstr(in, "_compiler_");
    rfi_append(out, "%s ", rfi_foreign_function(s, pc));
    if (call)
        rfi_append(out, "calls %s ", in + sizeof hook - 1);
    else
        rfi_append(out, macro ? "uses an RF_ operation " : "runs ");
    rfi_append(out, "in a thread that racefuzz did not create; ");
    rfi_append(out, macro ? "create it with RF_THREAD, or use no RF_ operations in it"
                    : rfi_symbols.apart
                        ? "the C++ library may have: link with -static-libstdc++ -static-libgcc"
                        : "compile the code that creates it with -include racefuzz.h "
                          "-DRF_HOOK_ALL, or what runs in it without");
}

/* In the first thread of others that enters the engine, while the one that has the turn may do
 * anything: that is stopped, and the process ends. */
RFI_FN RFI_COLD void rfi_crash_foreign(const char *in, const rf_site *s, const void *pc) {
    static bool met;
    const struct timespec pause_of = {0, 1000000};
    rfi_ours = true; /* to tell what has happened */
    while (__atomic_exchange_n(&met, true, __ATOMIC_ACQ_REL)) RFI_REAL(nanosleep)(&pause_of, NULL);
    rfi_foreign_met = 1;
    const rfi_thr *t = rfi.current;
    if (t && rfi_crash.seconds) {
        (void)rfi_crash_elsewhere(t, SIGALRM);
        for (unsigned i = 0; i < 100 && rfi_foreign_met == 1; i++)
            RFI_REAL(nanosleep)(&pause_of, NULL);
    }
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = rfi_message_of(f);
    f->diagnostic = RF_DIAG_FOREIGN;
    f->thread = RFI_NO_THREAD;
    f->site = s || !pc ? s : rfi_code_at(pc, RF_SITE_OTHER);
    f->message[0] = 0;
    rfi_say_foreign(&out, in, s, pc);
    rfi_crash.crashed();
}

/* Whoever watches has seen it stand still, or the program has sent this. */
RFI_FN void rfi_on_alarm(int sig, siginfo_t *info, void *context) {
    const rfi_thr *t = rfi.current;
    (void)info;
    while (rfi_foreign_met) {
        rfi_foreign_met = 2;
        RFI_REAL(pause)();
    }
    if (!t || rfi.record->asked != rfi.run.steps + 1 || rfi_crash_elsewhere(t, sig)) return;
    rfi_text out = rfi_crash_note(RF_DIAG_BLOCKED);
    rfi_say_blocked(&out);
    rfi_crash_at(context);
    rfi_crash.crashed();
}

/* ---- deaths that were not caught ---- */

/* What a watch has seen of an execution that does not answer signals. */
typedef enum rfi_silence { RFI_NOT_SILENT, RFI_STANDS, RFI_LOOPS } rfi_silence;

/* What the supervisor can tell of a worker that died in an execution without a word. */
RFI_FN void rfi_death_note(rfi_record *r, int status, rfi_silence silence) {
    rfi_failure *f = &r->failure;
    rfi_text out = rfi_message_of(f);
    const rf_event *last = rfi_last_event(r);
    f->site = last ? last->site : NULL;
    f->thread = last ? last->thread : 0;
    f->message[0] = 0;
    if (silence == RFI_LOOPS) {
        f->diagnostic = RF_DIAG_RUNAWAY;
        rfi_append(&out, "it used CPU time without an operation of racefuzz and did not answer "
                         "SIGPROF, which asks where it is: the program has another handler for "
                         "it, or blocks it");
    } else if (silence == RFI_STANDS) {
        f->diagnostic = RF_DIAG_BLOCKED;
        rfi_append(&out, "it stood still and did not answer SIGALRM, which racefuzz asks by: the "
                         "program has another handler for it, or blocks it");
    } else if (WIFSIGNALED(status)) {
        const char *name = rfi_signal_name(WTERMSIG(status));
        f->diagnostic = RF_DIAG_SIGNAL;
        if (name)
            rfi_append(&out, "%s", name);
        else
            rfi_append(&out, "signal %d", WTERMSIG(status));
    } else {
        f->diagnostic = RF_DIAG_EXIT;
        rfi_append(&out, "_exit(%d) was called, or another program was executed",
                   WEXITSTATUS(status));
    }
}

/* ---- standing still ---- */

RFI_FN uint64_t rfi_cpu_time(clockid_t clock) {
    struct timespec t = {0, 0};
    RFI_REAL(clock_gettime)(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Where an execution stood at the last look, and for how many looks. */
typedef struct rfi_watch {
    uint64_t cpu, steps;   /* cpu: ns that its process had used, */
    uint64_t since;        /* and when it last came on */
    uint32_t begun, looks; /* begun: of the record */
    bool asked;
    int64_t look_at; /* ms */
} rfi_watch;

/* Time for another look? */
RFI_FN bool rfi_watch_now(rfi_watch *w) {
    int64_t now = rfi_milliseconds();
    if (now - w->look_at < RFI_LOOK_MS) return false;
    w->look_at = now;
    return true;
}

/* For how many milliseconds has a process, which has used so much CPU time, stood in one place of
 * one execution without using any, or one per cent of it for looks of its own?  Counted in looks,
 * so that a time in which everything was stopped (Ctrl-Z) does not count. */
RFI_FN int64_t rfi_watch_stood(rfi_watch *w, uint64_t cpu, const rfi_record *r) {
    if (w->begun != r->begun || w->steps != r->steps || r->state != RFI_RUNNING || !w->cpu)
        w->since = cpu;
    w->looks++;
    uint64_t idle = 1000000 + w->looks * (uint64_t)(RFI_LOOK_MS * 1000000 / 100);
    if (cpu - w->cpu > idle || w->begun != r->begun || w->steps != r->steps ||
        r->state != RFI_RUNNING || (w->asked && !r->asked)) {
        w->cpu = cpu;
        w->begun = r->begun;
        w->steps = r->steps;
        w->looks = 0;
        w->asked = false;
    }
    return (int64_t)w->looks * RFI_LOOK_MS;
}

/* After the time of the watchdog, the process is asked once where it stands.  True: it has had as
 * much time again, and did not answer. */
RFI_FN bool rfi_watch_asks(rfi_watch *w, int64_t stood, int64_t limit, rfi_record *r,
                           pid_t process) {
    if (stood >= limit && !w->asked) {
        w->asked = true;
        r->asked = r->steps + 1;
        RFI_REAL(kill)(process, SIGALRM);
    }
    return stood >= 2 * limit;
}

/* It has used twice the CPU time after which its own clock tells where it is. */
RFI_FN bool rfi_watch_loops(const rfi_watch *w, int64_t limit) {
    return w->cpu > w->since && w->cpu - w->since > (uint64_t)limit * 2000000;
}

/* Which process watches itself, by which thread; the mutex is held while it looks. */
RFI_VAR struct {
    pthread_mutex_t mutex;
    pid_t process;
    pthread_t thread;
} rfi_watching = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Nobody looks at this record any more. */
RFI_FN void rfi_watch_forget(const rfi_record *r) {
    bool watched = rfi_watching.process == rfi_process();
    if (watched) RFI_REAL(pthread_mutex_lock)(&rfi_watching.mutex);
    if (rfi.record == r) rfi.record = NULL;
    if (watched) RFI_REAL(pthread_mutex_unlock)(&rfi_watching.mutex);
}

/* Watches its own process, where nobody else does. */
RFI_FN void *rfi_watcher(void *unused) {
    const struct timespec pause = {0, RFI_LOOK_MS * 1000000};
    const int64_t limit = (int64_t)rfi_crash.seconds * 1000;
    rfi_watch w = {0};
    rfi_ours = true;
    RFI_REAL(pthread_mutex_lock)(&rfi_watching.mutex);
    for (;;) {
        RFI_REAL(pthread_mutex_unlock)(&rfi_watching.mutex);
        RFI_REAL(nanosleep)(&pause, NULL);
        RFI_REAL(pthread_mutex_lock)(&rfi_watching.mutex);
        rfi_record *r = rfi.record;
        uint64_t own = rfi_cpu_time(CLOCK_THREAD_CPUTIME_ID);
        uint64_t others = rfi_cpu_time(CLOCK_PROCESS_CPUTIME_ID) - own;
        if (!r) continue;
        if (rfi_late()) { /* of what makes no steps, the handler of SIGPROF sees that */
            rfi_hurry(r);
            RFI_REAL(kill)(rfi_process(), SIGPROF);
        }
        bool stands = rfi_watch_asks(&w, rfi_watch_stood(&w, others, r), limit, r, rfi_process());
        if (!stands && !rfi_watch_loops(&w, limit)) continue;
        rfi_death_note(r, 0, stands ? RFI_STANDS : RFI_LOOPS);
        rfi_watching.process = 0; /* the end may free the record */
        rfi_crash.crashed();
    }
    return unused;
}

/* Signals are for others. */
RFI_FN void rfi_watch_self(void) {
    sigset_t all, before;
    if (rfi_watching.process == rfi_process()) return;
    rfi_watching.process = rfi_process();
    rfi_watching.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* of a parent that looked */
    sigfillset(&all);
    RFI_REAL(pthread_sigmask)(SIG_SETMASK, &all, &before);
    if (RFI_REAL(pthread_create)(&rfi_watching.thread, NULL, rfi_watcher, NULL))
        rfi_watching.process = 0;
    RFI_REAL(pthread_sigmask)(SIG_SETMASK, &before, NULL);
}

/* The process is to have the threads that it had before.  The watcher ends while it sleeps. */
RFI_FN void rfi_watch_end(void) {
    if (rfi_watching.process != rfi_process()) return;
    RFI_REAL(pthread_cancel)(rfi_watching.thread);
    RFI_REAL(pthread_join)(rfi_watching.thread, NULL);
    rfi_watching.process = 0;
}
#endif
#endif
