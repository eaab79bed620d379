/* campaign/crash.h: dying in the code under test is a finding.
 *
 * Whatever ends the process early (a signal, exit(), a sanitizer) is caught, written into the
 * record, which the supervisor shares, and given to rfi_crash.crashed.  Two clocks notice
 * executions that no longer reach the engine: CPU time (SIGPROF), for loops; and real time without
 * CPU time (SIGALRM), for waits in the kernel.  SIGALRM interrupts some calls, so a worker is
 * spared it by its supervisor while it uses CPU time.  What can't be caught (_exit, SIGKILL) the
 * supervisor tells from the status of the worker. With a sanitizer its own handlers stay, and its
 * report is found in the kept standard error.
 */
#ifndef RFI_CAMPAIGN_CRASH_H
#define RFI_CAMPAIGN_CRASH_H
#include "engine/execute.h"

#ifdef RFI_IMPL
# include <ucontext.h>
# ifdef __GLIBC__
#  include <execinfo.h>
# endif
# if defined RFI_ASAN || defined RFI_TSAN
#  include <sanitizer/common_interface_defs.h>
# endif

# define RFI_EXIT_CRASHED   66 /* of a worker whose record says why */
# define RFI_TICKS_A_SECOND 4  /* SIGPROF */
# define RFI_ALARMS         2  /* SIGALRM, in the time that counts as blocked */

/* The linker's: where the program's code lies, so that an address in it can be told as an offset.
 */
extern const char rfi_code_begin[] __asm__("__executable_start") __attribute__((weak));
extern const char rfi_code_end[] __asm__("etext") __attribute__((weak));

RFI_VAR struct {
    /* What to do once the record says what happened.  May go home; must not return. */
    void (*crashed)(void);
    pthread_t home;           /* the real thread that called rfi_crash_open, */
    long task;                /* and what the kernel calls it (see local.h) */
    uint32_t seconds;         /* of the two clocks */
    volatile uint32_t *moved; /* counts the SIGALRMs that found it elsewhere; NULL: no supervisor */
} rfi_crash;

/* This process was made by fork() in the code under test: it ends with the execution. */
RFI_VAR bool rfi_forked;

RFI_FN bool rfi_ready_never(const rfi_thr *t) { return (void)t, false; }

/* As POSIX says, the child has the thread that forked and no other; and what it does is no part of
 * the execution, whose record its parent writes. */
RFI_FN void rfi_on_fork(void) {
    rfi_forked = true;
    if (!rfi.current) return;
    rfi.record = rfi_pages(sizeof *rfi.record, false);
    rfi.listen = 0;
    rfi.lane = NULL;
    rfi.coverage = NULL;
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        rfi_thr *t = rfi.thread[i];
        if (t == rfi.current || t->finished) continue;
        t->ready = rfi_ready_never;
        rfi_take(rfi.enabled, i);
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
    rfi.record->steps = rfi.run.steps;
    return (rfi_text){f->message, f->message + sizeof f->message};
}

/* The interrupted instruction, 0 where we don't know how to tell. */
RFI_FN uintptr_t rfi_signal_pc(const void *context) {
    const ucontext_t *u = context;
# if defined __x86_64__ && defined __linux__
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
# elif defined __aarch64__ && defined __linux__
    return (uintptr_t)u->uc_mcontext.pc;
# else
    return (void)u, 0;
# endif
}

/* Says nothing that differs from one process to the next: failures are told apart by it. */
RFI_FN void rfi_say_signal(rfi_text *out, int sig, const siginfo_t *info, const void *context) {
    uintptr_t pc = rfi_signal_pc(context), start = (uintptr_t)rfi_code_begin;
    bool sent = info->si_code <= 0; /* by kill() or raise(): there is no fault */
    rfi_append(out, "%s", rfi_signal_name(sig));
    if (sig == SIGABRT) rfi_append(out, ", abort() was called");
    if (sent) return;
    if (sig == SIGSEGV && info->si_code == SEGV_MAPERR && (uintptr_t)info->si_addr < 65536)
        rfi_append(out, ", null pointer");
    if (sig == SIGFPE && info->si_code == FPE_INTDIV) rfi_append(out, ", division by zero");
    if (start && pc >= start && pc < (uintptr_t)rfi_code_end)
        rfi_append(out, ", at offset 0x%llx of the program", (unsigned long long)(pc - start));
}

/* Code of the program that is tested, not ours and not a library's. */
RFI_FN bool rfi_code_tested(const char *pc) {
    const rfi_symbol *in = rfi_symbol_of(pc);
    return in && strncmp(in->name, "rfi_", 4) != 0 && strncmp(in->name, "__wrap_", 7) != 0;
}

/* Where the program itself stands, of code that is known by its address: the interrupted
 * instruction, or the call that has led out of the program to it.  NULL: nobody knows. */
RFI_FN const rf_site *rfi_signal_place(const void *context) {
    char *pc = (char *)rfi_signal_pc(context);
    if (!rfi_code_met() || !pc) return NULL;
    if (rfi_code_tested(pc)) return rfi_code_at(pc + 1, RF_SITE_OTHER);
# if defined __GLIBC__ && !defined RFI_ASAN && !defined RFI_TSAN
    void *frame[64];
    int n = backtrace(frame, 64), i = 0;
    while (i < n && frame[i] != pc) i++;
    while (i < n && !rfi_code_tested((char *)frame[i] - 1)) i++;
    if (i < n) return rfi_code_at(frame[i], RF_SITE_OTHER);
# endif
    return NULL;
}

/* The crash happened there, if that is known. */
RFI_FN void rfi_crash_at(const void *context) {
    const rf_site *s = rfi_signal_place(context);
    if (s) rfi.record->failure.site = s;
}

/* ---- handlers ---- */

RFI_FN void rfi_on_signal(int sig, siginfo_t *info, void *context) {
    const rfi_thr *t = rfi.current;
    if (!t) { /* not in an execution: not ours */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    if (sig == SIGSEGV && rfi_fiber_overflowed(&t->fiber, info->si_addr)) {
        rfi_text out = rfi_crash_note(RF_DIAG_STACK_OVERFLOW);
        rfi_append(&out, "the stack of a thread has %zu KiB (.stack_size, RF_STACK)",
                   rfi.plan->stack_size / 1024);
    } else {
        rfi_text out = rfi_crash_note(RF_DIAG_SIGNAL);
        rfi_say_signal(&out, sig, info, context);
        rfi_crash_at(context);
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
        return syscall(SYS_gettid) != rfi_crash.task &&
               !syscall(SYS_tgkill, getpid(), rfi_crash.task, sig);
# endif
    pthread_t own = t->fiber.os ? t->fiber.os->thread : rfi_crash.home;
    return !RFI_REAL(pthread_equal)(RFI_REAL(pthread_self)(), own) &&
           !RFI_REAL(pthread_kill)(own, sig);
}

/* Where an execution stood when a clock looked at it. */
typedef struct rfi_stand {
    uint32_t generation, looks; /* looks: since it came to stand there */
    uint64_t steps;
} rfi_stand;

/* How often has the clock found the execution where it stands now?  0: for the first time. */
RFI_FN uint32_t rfi_stand_still(rfi_stand *s) {
    if (s->generation == rfi.generation && s->steps == rfi.run.steps) return ++s->looks;
    *s = (rfi_stand){rfi.generation, 0, rfi.run.steps};
    return 0;
}

/* CPU time has passed. */
RFI_FN void rfi_on_tick(int sig, siginfo_t *info, void *context) {
    static rfi_stand stand;
    const rfi_thr *t = rfi.current;
    (void)info;
    if (!t || rfi_crash_elsewhere(t, sig)) return;
    if (rfi_stand_still(&stand) < rfi_crash.seconds * RFI_TICKS_A_SECOND) return;
    rfi_text out = rfi_crash_note(RF_DIAG_RUNAWAY);
    rfi_append(&out, "%u s of CPU time without an operation of racefuzz; ", rfi_crash.seconds);
    if (rfi_code_met())
        rfi_append(&out, "does a loop here wait for plain memory?  Then compile this file with "
                         "-fsanitize=thread and -O1, or make the flag atomic/volatile");
    else
        rfi_append(&out, "the last one is shown");
    rfi_crash_at(context);
    rfi_crash.crashed();
}

RFI_FN void rfi_say_blocked(rfi_text *out) {
    rfi_append(out, "%u s without an operation of racefuzz or CPU time; %s", rfi_crash.seconds,
               rfi_code_met()
                   ? "this call blocks, and racefuzz does not stand in for it: was the file "
                     "that makes it compiled with -include racefuzz.h -DRF_HOOK_ALL?"
                   : "use the RF_ primitives");
}

/* Real time has passed. */
RFI_FN void rfi_on_alarm(int sig, siginfo_t *info, void *context) {
    static rfi_stand stand;
    static clock_t before;
    const rfi_thr *t = rfi.current;
    (void)info;
    if (!t || rfi_crash_elsewhere(t, sig)) return;
    clock_t now = clock();
    if (now - before > CLOCKS_PER_SEC / 100) stand.generation = 0; /* no wait */
    before = now;
    uint32_t stood = rfi_stand_still(&stand);
    if (!stood && rfi_crash.moved) ++*rfi_crash.moved;
    if (stood < RFI_ALARMS) return;
    rfi_text out = rfi_crash_note(RF_DIAG_BLOCKED);
    rfi_say_blocked(&out);
    rfi_crash_at(context);
    rfi_crash.crashed();
}

/* ---- set-up ---- */

RFI_FN void rfi_crash_signals(void) {
# if defined RFI_ASAN || defined RFI_TSAN
    __sanitizer_set_death_callback(rfi_on_sanitizer);
# else
    static const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    struct sigaction a = {.sa_sigaction = rfi_on_signal,
                          .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++) sigaction(caught[i], &a, NULL);
# endif
}

RFI_FN void rfi_crash_clocks(void) {
    struct sigaction tick = {.sa_sigaction = rfi_on_tick,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&tick.sa_mask);
    sigaction(SIGPROF, &tick, NULL);
    tick.sa_sigaction = rfi_on_alarm;
    sigaction(SIGALRM, &tick, NULL);
    struct timeval part = {0, 1000000 / RFI_TICKS_A_SECOND};
    struct timeval wait = {rfi_crash.seconds / RFI_ALARMS,
                           rfi_crash.seconds % RFI_ALARMS * 1000000 / RFI_ALARMS};
    struct itimerval cpu = {part, part}, real = {wait, wait};
    setitimer(ITIMER_PROF, &cpu, NULL);
    if (!rfi_crash.moved) setitimer(ITIMER_REAL, &real, NULL);
}

/* The first backtrace loads a library, for which a handler is no place; nor is each worker. */
RFI_FN void rfi_crash_unwinder(void) {
# ifdef __GLIBC__
    void *frame[1];
    (void)backtrace(frame, 1);
# endif
}

/* After rfi_engine_open, which gives the calling thread its alternate stack.  0 seconds: a debugger
 * sees the signals first; only exit() is caught. */
RFI_FN void rfi_crash_open(uint32_t seconds, volatile uint32_t *moved, void (*crashed)(void)) {
    rfi_crash.crashed = crashed;
    rfi_crash.home = RFI_REAL(pthread_self)();
# ifdef RFI_LOCAL
    rfi_crash.task = syscall(SYS_gettid);
# endif
    rfi_crash.seconds = seconds;
    rfi_crash.moved = moved;
    rfi_forked = false;
    (void)pthread_atfork(NULL, NULL, rfi_on_fork);
    rfi_exit_watch();
    if (!seconds) return;
    rfi_crash_signals();
    rfi_crash_clocks();
}

/* ---- deaths that were not caught ---- */

/* What the supervisor can tell of a worker that died in an execution without a word. */
RFI_FN void rfi_death_note(rfi_record *r, int status, bool blocked) {
    rfi_failure *f = &r->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    const rf_event *last = rfi_last_event(r);
    f->site = last ? last->site : NULL;
    f->thread = last ? last->thread : 0;
    f->message[0] = 0;
    if (blocked) {
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
#endif
#endif
