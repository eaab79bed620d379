/* campaign/handlers.h: what a process has in place for the executions that crash.h looks after, and
 * how one that had other things to do before gets back what it had. */
#ifndef RFI_CAMPAIGN_HANDLERS_H
#define RFI_CAMPAIGN_HANDLERS_H
#include "campaign/crash.h"

#ifdef RFI_IMPL
# define RFI_FAULTS 6u
RFI_VAR const int rfi_crash_takes[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE, SIGABRT, /* faults */
                                       SIGPIPE, SIGPROF, SIGALRM};

/* Of the faults, one of a thread that writes to nobody is often ignored.  A sanitizer has handlers
 * for most, but not for abort(). */
RFI_FN void rfi_crash_take(int sig) {
    struct sigaction a = {.sa_sigaction = rfi_on_signal,
                          .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER},
                     now;
    sigemptyset(&a.sa_mask);
    bool free = !RFI_REAL(sigaction)(sig, NULL, &now) && now.sa_handler == SIG_DFL;
# if defined RFI_ASAN || defined RFI_TSAN
    bool ours = false;
# else
    bool ours = sig != SIGPIPE;
# endif
    if (free || ours) RFI_REAL(sigaction)(sig, &a, NULL);
}

RFI_FN void rfi_crash_signals(void) {
# if defined RFI_ASAN || defined RFI_TSAN
    __sanitizer_set_death_callback(rfi_on_sanitizer);
# endif
    for (unsigned i = 0; i < RFI_FAULTS; i++) rfi_crash_take(rfi_crash_takes[i]);
}

RFI_FN void rfi_crash_clocks(void) {
    struct sigaction tick = {.sa_sigaction = rfi_on_tick,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&tick.sa_mask);
    RFI_REAL(sigaction)(SIGPROF, &tick, NULL);
    tick.sa_sigaction = rfi_on_alarm;
    RFI_REAL(sigaction)(SIGALRM, &tick, NULL);
    struct timeval part = {0, 1000000 / RFI_TICKS_A_SECOND};
    struct itimerval cpu = {part, part};
    RFI_REAL(setitimer)(ITIMER_PROF, &cpu, NULL);
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
RFI_FN void rfi_crash_open(uint32_t seconds, bool watched, void (*crashed)(void)) {
    static pid_t registered;
    rfi_crash.crashed = crashed;
    rfi_foreign_end = rfi_crash_foreign;
    rfi_crash.home = RFI_REAL(pthread_self)();
# ifdef RFI_LOCAL
    rfi_crash.task = RFI_REAL(syscall)(SYS_gettid);
# endif
    rfi_crash.seconds = seconds;
    rfi_forked = false;
    if (registered != rfi_process()) {
        (void)RFI_REAL(pthread_atfork)(NULL, NULL, rfi_on_fork);
        rfi_exit_watch();
    }
    registered = rfi_process();
    if (!seconds) return;
    rfi_crash_signals();
    rfi_crash_clocks();
    if (!watched) rfi_watch_self();
}

/* ---- a process that goes on ---- */

/* Its reactions to the signals that are taken here, and its clock. */
typedef struct rfi_reactions {
    struct sigaction to[RFI_LENGTH(rfi_crash_takes)];
    struct itimerval clock;
} rfi_reactions;

RFI_FN void rfi_reactions_keep(rfi_reactions *r) {
    for (unsigned i = 0; i < RFI_LENGTH(rfi_crash_takes); i++)
        RFI_REAL(sigaction)(rfi_crash_takes[i], NULL, &r->to[i]);
    RFI_REAL(getitimer)(ITIMER_PROF, &r->clock);
}

/* After rfi_crash_open in this process; nothing of it runs any more. */
RFI_FN void rfi_reactions_restore(const rfi_reactions *r) {
    rfi_watch_end();
    RFI_REAL(setitimer)(ITIMER_PROF, &r->clock, NULL);
    for (unsigned i = 0; i < RFI_LENGTH(rfi_crash_takes); i++)
        RFI_REAL(sigaction)(rfi_crash_takes[i], &r->to[i], NULL);
}
#endif
#endif
