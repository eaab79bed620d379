/* hook/hook.h: what all functions that stand in for the C library's share.
 *
 * Code that is tested without an edit calls pthread_mutex_lock; a macro (hook/names.h) or the
 * linker's --wrap makes that a call of __wrap_pthread_mutex_lock, which is ours.  The names are the
 * linker's convention, so that one definition serves both ways.  Objects of the C library hold
 * ours: their memory is large enough, and zeros are valid in both.
 */
#ifndef RFI_HOOK_HOOK_H
#define RFI_HOOK_HOOK_H
#include "engine/sync.h"
#include "engine/thread.h"

#ifdef RFI_IMPL
/* One of our threads has called us. */
# define RFI_HOOK_ENTERED() rfi_caller_at(__func__, __builtin_return_address(0))

/* The statement that called us. */
# define RFI_CALLER()                \
  (RFI_HOOK_ENTERED(), rfi_settle(), \
   rfi_code_at(rfi_code_from(__builtin_return_address(0)), RF_SITE_OTHER))

/* The function that stands in for another; a program that has one of this name keeps its own. */
# define RFI_HOOK(name)    __attribute__((weak)) __wrap_##name
# define RFI_WRAPPED(name) __wrap_##name

/* Milliseconds of virtual time that a deadline is away; clocks start at these seconds. */
# define RFI_EPOCH_REALTIME  INT64_C(1000000000)
# define RFI_EPOCH_MONOTONIC INT64_C(1000)

RFI_VAR char rfi_hook_outside; /* stands for what the system knows */

/* Others can run meanwhile. */
RFI_FN bool rfi_hook_shares(void) { return rfi.current && !rfi.quiet; }

/* What is drawn for an execution that asks for it; `usual`, where chance is to be constant. */
RFI_FN uint64_t rfi_hook_begins(uint64_t usual) {
    if (!rfi.plan || !rfi.plan->drawn) return usual;
    rfi.record->drawn = true;
    return rfi_draw(&rfi.input);
}

/* The calendar, in seconds from its usual beginning. */
RFI_VAR struct {
    uint32_t generation;
    int64_t seconds;
} rfi_hook_calendar;

/* Its first reader says whether its beginning is drawn: who asks for seconds may make a seed of
 * them. */
RFI_FN int64_t rfi_hook_calendar_from(bool drawn) {
    if (rfi_hook_calendar.generation != rfi.generation)
        rfi_hook_calendar.seconds = drawn ? (int64_t)(rfi_hook_begins(0) >> 40) : 0;
    rfi_hook_calendar.generation = rfi.generation;
    return RFI_EPOCH_REALTIME + rfi_hook_calendar.seconds;
}

RFI_FN int64_t rfi_hook_epoch(clockid_t clock) {
# ifdef CLOCK_TAI
    if (clock == CLOCK_TAI) return rfi_hook_calendar_from(false);
# endif
# ifdef CLOCK_REALTIME_COARSE
    if (clock == CLOCK_REALTIME_COARSE) return rfi_hook_calendar_from(false);
# endif
    return clock == CLOCK_REALTIME ? rfi_hook_calendar_from(false) : RFI_EPOCH_MONOTONIC;
}

/* A duration that fits what the engine counts: 30,000 years are enough. */
RFI_FN int64_t rfi_hook_ms(const struct timespec *t, int64_t from) {
    const int64_t enough = INT64_C(1000000000000);
    int64_t s = t->tv_sec < -enough ? -enough : t->tv_sec > enough ? enough : (int64_t)t->tv_sec;
    return (s - from) * 1000 + (t->tv_nsec + 999999) / 1000000;
}

RFI_FN uint64_t rfi_hook_left(const struct timespec *at, clockid_t clock) {
    int64_t ms = rfi_hook_ms(at, rfi_hook_epoch(clock));
    return ms > (int64_t)rfi.run.now ? (uint64_t)ms - rfi.run.now : 0;
}

/* Deadlines may be on these clocks. */
RFI_FN bool rfi_hook_clock(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

RFI_FN bool rfi_hook_valid(const struct timespec *at) {
    return at->tv_nsec >= 0 && at->tv_nsec < 1000000000;
}

/* What a program reads from files, or is told of its process, is no part of a token. */
RFI_FN bool rfi_hook_may_ask(rfi_asks_for kind) {
    return rfi.current && !rfi.quiet && !rfi.record->asks[kind][0];
}

RFI_FN void rfi_hook_asks(rfi_asks_for kind, const char *format, const char *what) {
    char *to = rfi.current ? rfi.record->asks[kind] : NULL;
    if (rfi_hook_may_ask(kind)) snprintf(to, sizeof rfi.record->asks[kind], format, what);
}

/* The result of a function that puts its error into errno. */
RFI_FN int rfi_hook_errno(int error) {
    if (!error) return 0;
    errno = error;
    return -1;
}
#endif

/* Names of system calls, of the heap and of strings are given away by the linker's symbol: to the
 * compiler they stay what they are, and members or attributes of these names are left alone.  Only
 * a unit with the engine in it has declared them already. */
#define RFI_RENAMED(from, to) _Pragma(RFI_TEXT(redefine_extname from to))
#define RFI_RENAME(name)      RFI_RENAMED(name, __wrap_##name)
#endif
