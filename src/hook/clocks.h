/* hook/clocks.h: sleeping, and the time of day, on virtual time.
 *
 * Clocks stand still while a thread runs and move when one sleeps or a time-out fires.  The
 * calendar begins on 9 September 2001 (for those who ask for its seconds first, up to 194 days
 * later: --random), the other clocks 1,000 seconds after their beginning.
 */
#ifndef RFI_HOOK_CLOCKS_H
#define RFI_HOOK_CLOCKS_H
#include "hook/cancel.h"

#ifdef RFI_IMPL
# include <sys/resource.h>
# include <sys/time.h>

RFI_FN void rfi_hook_now(clockid_t clock, struct timespec *t) {
    t->tv_sec = (time_t)(rfi_hook_epoch(clock) + (int64_t)(rfi.run.now / 1000));
    t->tv_nsec = (long)(rfi.run.now % 1000) * 1000000;
}

/* Whoever has looked so often and found the same time waits for time to pass: then looking takes
 * some.  So do calls in between that are not hooked and have waited for something. */
enum { RFI_CLOCK_LOOKS = 32, RFI_CLOCK_WAITS = 3 };

RFI_FN bool rfi_hook_clock_polled(void) {
    rfi_hook_thread *t = rfi_hook_self();
    return t->clock == rfi.run.now + 1 && t->clock_looks >= RFI_CLOCK_LOOKS;
}

# ifdef RUSAGE_THREAD
/* How often this thread of the system has waited, and (*idle) for how many milliseconds it had no
 * processor. */
RFI_FN long rfi_hook_waits(int64_t *idle) {
    struct timespec now;
    struct rusage u;
    RFI_REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
    if (getrusage(RUSAGE_THREAD, &u)) return 0;
    int64_t s = now.tv_sec - u.ru_utime.tv_sec - u.ru_stime.tv_sec;
    *idle = s * 1000 + now.tv_nsec / 1000000 - (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
    return u.ru_nvcsw;
}
# else
RFI_FN long rfi_hook_waits(int64_t *idle) { return *idle = 0; }
# endif

/* Virtual time, too, has passed in calls that waited for real. */
RFI_FN void rfi_hook_clock_credit(const rfi_hook_thread *t) {
    int64_t idle;
    long waits = rfi_hook_waits(&idle);
    if (waits > t->clock_waits && idle > t->clock_idle)
        rfi_now_to(rfi.run.now + (uint64_t)(idle - t->clock_idle));
}

RFI_FN void rfi_hook_clock_looked(void) {
    rfi_hook_thread *t = rfi_hook_self();
    bool same = t->clock == rfi.run.now + 1;
    t->clock_looks = same ? t->clock_looks + 1 : 1;
    t->clock = rfi.run.now + 1;
    if (rfi_backend.kind != RFI_BACKEND_FIBER) return; /* each switch is such a wait */
    if (!same)
        t->clock_waits = rfi_hook_waits(&t->clock_idle);
    else if (t->clock_looks >= RFI_CLOCK_WAITS)
        rfi_hook_clock_credit(t);
}

RFI_FN int rfi_hook_clock_read(const rf_site *s, const char *name, clockid_t clock,
                               struct timespec *t) {
    struct timespec real;
    if (!rfi.current) return RFI_REAL(clock_gettime)(clock, t);
    if (RFI_REAL(clock_gettime)(clock, &real)) return -1; /* there is no such clock */
    rfi_call(s, name, &rfi.run.now, rfi_hook_clock_polled() ? RF_EV_WRITES : RF_EV_READS);
    if (rfi_hook_clock_polled()) {
        rfi_time_polled();
        rfi_hook_self()->clock = rfi.run.now + 1; /* and again the next time */
    } else {
        rfi_hook_clock_looked();
    }
    rfi_hook_now(clock, t);
    return 0;
}

int RFI_HOOK(clock_gettime)(clockid_t clock, struct timespec *t) {
    struct timespec now;
    if (rfi_hook_clock_read(RFI_CALLER(), "clock_gettime", clock, &now)) return -1;
    RFI_PUT(t, now);
    return 0;
}

int RFI_HOOK(gettimeofday)(struct timeval *t, void *zone) {
    struct timespec now;
    (void)zone;
    if (rfi_hook_shares()) (void)rfi_hook_calendar_from(true);
    if (rfi_hook_clock_read(RFI_CALLER(), "gettimeofday", CLOCK_REALTIME, &now)) return -1;
    RFI_PUT(t, ((struct timeval){now.tv_sec, now.tv_nsec / 1000}));
    return 0;
}

time_t RFI_HOOK(time)(time_t *t) {
    struct timespec now;
    if (rfi_hook_shares()) (void)rfi_hook_calendar_from(true);
    if (rfi_hook_clock_read(RFI_CALLER(), "time", CLOCK_REALTIME, &now)) return -1;
    if (t) RFI_PUT(t, now.tv_sec);
    return now.tv_sec;
}

# ifdef TIME_UTC
int RFI_HOOK(timespec_get)(struct timespec *t, int base) {
    struct timespec now;
    if (base != TIME_UTC || rfi_hook_clock_read(RFI_CALLER(), "timespec_get", CLOCK_REALTIME, &now))
        return 0;
    RFI_PUT(t, now);
    return base;
}
# endif

/* The processor is at work for as long as virtual time passes. */
clock_t RFI_HOOK(clock)(void) {
    struct timespec now;
    if (!rfi.current) return RFI_REAL(clock)();
    if (rfi_hook_clock_read(RFI_CALLER(), "clock", CLOCK_PROCESS_CPUTIME_ID, &now))
        return (clock_t)-1;
    return (clock_t)((now.tv_sec - RFI_EPOCH_MONOTONIC) * CLOCKS_PER_SEC +
                     now.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}

/* What is left of it.  Apart, so that the time is nothing that a thread goes on from which looks
 * for cancellation in a loop (engine/footing.h). */
RFI_FN RFI_APART int64_t rfi_hook_asleep(const rf_site *s, int64_t ms) {
    uint64_t until = rfi.run.now + (uint64_t)ms;
    rfi_sleep(s, (uint64_t)ms);
    return rfi.run.now < until ? (int64_t)(until - rfi.run.now) : 0;
}

/* The result is what is left when a signal has ended it, and else negative. */
RFI_FN int64_t rfi_hook_sleep(const rf_site *s, int64_t ms) {
    if (!rfi.current) return -1;
    (void)(rfi.run.ends ? rfi_hook_signals(s) : rfi_hook_point(s)); /* it looks when it wakes up */
    if (rfi_sig_ends_wait(s, RFI_OFFER_WAIT, false, NULL)) return ms;
    int64_t left = rfi_hook_asleep(s, ms);
    return rfi_hook_point(s) ? left : -1;
}

/* The result is an error number; what is left is told with EINTR. */
RFI_FN int rfi_hook_nap(const rf_site *s, const struct timespec *t, struct timespec *left) {
    if (t->tv_sec < 0 || !rfi_hook_valid(t)) return EINVAL;
    int64_t ms = rfi_hook_sleep(s, rfi_hook_ms(t, 0));
    if (ms < 0) return 0;
    if (left) *left = (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    return EINTR;
}

int RFI_HOOK(nanosleep)(const struct timespec *t, struct timespec *left) {
    int error = rfi_hook_nap(RFI_CALLER(), t, left);
    RFI_LEFT(error == EINTR, left);
    return rfi_hook_errno(error);
}

RFI_FN int rfi_hook_nap_on(const rf_site *s, clockid_t clock, int flags, const struct timespec *t,
                           struct timespec *left) {
    if (!(flags & TIMER_ABSTIME)) return rfi_hook_nap(s, t, left);
    if (t->tv_sec < 0 || !rfi_hook_valid(t)) return EINVAL;
    return rfi_hook_sleep(s, (int64_t)rfi_hook_left(t, clock)) < 0 ? 0 : EINTR;
}

int RFI_HOOK(clock_nanosleep)(clockid_t clock, int flags, const struct timespec *t,
                              struct timespec *left) {
    int error = rfi_hook_nap_on(RFI_CALLER(), clock, flags, t, left);
    RFI_LEFT(error == EINTR && !(flags & TIMER_ABSTIME), left);
    return error;
}

int RFI_HOOK(usleep)(useconds_t us) {
    int64_t left = rfi_hook_sleep(RFI_CALLER(), ((int64_t)us + 999) / 1000);
    return rfi_hook_errno(left < 0 ? 0 : EINTR);
}

unsigned RFI_HOOK(sleep)(unsigned s) {
    int64_t left = rfi_hook_sleep(RFI_CALLER(), (int64_t)s * 1000);
    return left < 0 ? 0 : (unsigned)((left + 999) / 1000);
}
#endif
#endif
