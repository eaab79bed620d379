/* campaign/crash.h: dying in the code under test is a finding.
 *
 * Signals are caught on an alternate stack and written into the record, which the supervisor
 * shares; a watchdog on CPU time notices executions that never reach the engine.  With a sanitizer
 * its own handlers stay, and its report is found in the kept standard error.
 */
#ifndef RFI_CAMPAIGN_CRASH_H
#define RFI_CAMPAIGN_CRASH_H
#include "engine/execute.h"
#include <ucontext.h>

#ifdef RFI_IMPL
# define RFI_EXIT_CRASHED 66 /* of a worker whose record says why */

/* The linker's: where the program's code lies, so that an address in it can be told as an offset. */
extern const char __executable_start[] __attribute__((weak));
extern const char etext[] __attribute__((weak));

/* What to do once the record says what happened; does not return. */
static void (*rfi_crashed)(void) RFI_UNUSED;
static volatile uint32_t rfi_watchdog_limit RFI_UNUSED, rfi_watchdog_ticks RFI_UNUSED;

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
    default: return NULL;
    }
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

RFI_FN void rfi_crash_message(rfi_text *out, int sig, const siginfo_t *info, const void *context) {
    uintptr_t pc = rfi_signal_pc(context), start = (uintptr_t)__executable_start;
    rfi_append(out, "%s", rfi_signal_name(sig) ? rfi_signal_name(sig) : "signal");
    if ((sig == SIGSEGV || sig == SIGBUS) && (uintptr_t)info->si_addr < 65536)
        rfi_append(out, ", null pointer");
    if (sig == SIGABRT) rfi_append(out, ", abort() was called");
    if (sig == SIGFPE) rfi_append(out, info->si_code == FPE_INTDIV ? ", division by zero" : "");
    if (sig != SIGABRT && start && pc > start && pc < (uintptr_t)etext)
        rfi_append(out, ", at offset 0x%llx of the program", (unsigned long long)(pc - start));
}

RFI_FN void rfi_on_signal(int sig, siginfo_t *info, void *context) {
    const rfi_thr *t = rfi.current;
    if (!t) { /* not in an execution: not ours */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    f->diagnostic = RF_DIAG_SIGNAL;
    if (sig == SIGSEGV && rfi_fiber_overflowed(&t->fiber, info->si_addr)) {
        f->diagnostic = RF_DIAG_STACK_OVERFLOW;
        rfi_append(&out, "T%u has a stack of %zu KiB (.stack_size)", t->id, rfi.plan->stack_size / 1024);
    } else {
        rfi_crash_message(&out, sig, info, context);
    }
    f->site = t->next.site;
    f->thread = t->id;
    rfi.record->steps = rfi.run.steps;
    rfi_crashed();
}

/* Every second of CPU time: is the execution still reaching the engine? */
RFI_FN void rfi_on_tick(int sig) {
    static uint32_t generation;
    static uint64_t steps;
    (void)sig;
    const rfi_thr *t = rfi.current;
    if (!t || generation != rfi.generation || steps != rfi.run.steps) {
        generation = rfi.generation;
        steps = rfi.run.steps;
        rfi_watchdog_ticks = 0;
        return;
    }
    if (++rfi_watchdog_ticks < rfi_watchdog_limit) return;
    rfi_failure *f = &rfi.record->failure;
    f->diagnostic = RF_DIAG_RUNAWAY;
    f->site = t->next.site;
    f->thread = t->id;
    snprintf(f->message, sizeof f->message,
             "T%u used %u s of CPU time without an operation of racefuzz; the site is its last one",
             t->id, rfi_watchdog_limit);
    rfi.record->steps = rfi.run.steps;
    rfi_crashed();
}

RFI_FN void rfi_crash_open(uint32_t watchdog_seconds, void (*crashed)(void)) {
    static char stack[64 << 10];
    static const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    rfi_crashed = crashed;
    rfi_watchdog_limit = watchdog_seconds;
# if !defined RFI_ASAN && !defined RFI_TSAN
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    struct sigaction a = {.sa_sigaction = rfi_on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++) sigaction(caught[i], &a, NULL);
# else
    (void)stack, (void)caught;
# endif
    struct sigaction tick = {.sa_handler = rfi_on_tick, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&tick.sa_mask);
    sigaction(SIGPROF, &tick, NULL);
    struct itimerval second = {{1, 0}, {1, 0}};
    setitimer(ITIMER_PROF, &second, NULL);
}

/* What the supervisor can tell of a worker that died in an execution without a word. */
RFI_FN void rfi_death_message(rfi_record *r, int status, bool blocked) {
    rfi_failure *f = &r->failure;
    f->site = NULL;
    f->thread = 0;
    if (blocked) {
        f->diagnostic = RF_DIAG_BLOCKED;
        snprintf(f->message, sizeof f->message,
                 "the process waited in the kernel without using CPU time; use the RF_ primitives");
    } else if (WIFSIGNALED(status)) {
        const char *name = rfi_signal_name(WTERMSIG(status));
        f->diagnostic = RF_DIAG_SIGNAL;
        if (name) snprintf(f->message, sizeof f->message, "%s", name);
        else snprintf(f->message, sizeof f->message, "signal %d", WTERMSIG(status));
    } else {
        f->diagnostic = RF_DIAG_EXIT;
        snprintf(f->message, sizeof f->message, "exit status %d", WEXITSTATUS(status));
    }
}
#endif
#endif
