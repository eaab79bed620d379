/* hook/actions.h: the calls of <signal.h> and of timers that send signals (hook/signals.h).
 *
 * Signals without a handler of the code under test go to the kernel, which blocks them, ignores
 * them, or ends the process.  Timers are virtual.
 */
#ifndef RFI_HOOK_ACTIONS_H
#define RFI_HOOK_ACTIONS_H
#include "campaign/handlers.h"
#include "hook/cancel.h"

#ifdef RFI_IMPL
# include <sys/time.h>
# ifdef __linux__
#  include <sys/signalfd.h>
# endif

/* ---- masks ---- */

/* By two signals the watchdog looks after the execution: the kernel never blocks them. */
RFI_FN const sigset_t *rfi_hook_mask(const sigset_t *set, int how, sigset_t *room) {
    if (!rfi.current || !set || how == SIG_UNBLOCK) return set;
    *room = *set;
    sigdelset(room, SIGALRM);
    sigdelset(room, SIGPROF);
    return room;
}

/* The result is an error number. */
RFI_FN int rfi_hook_sigmask(const rf_site *s, int how, const sigset_t *set, sigset_t *before) {
    sigset_t room;
    if (!rfi_hook_shares())
        return RFI_REAL(pthread_sigmask)(how, rfi_hook_mask(set, how, &room), before);
    rfi_sig_open();
    uint64_t bits = set ? rfi_sig_bits(set) : 0, was = rfi_hook_self()->blocked;
    if (set && (rfi_sig.met || rfi.run.live > 1))
        rfi_call(s, "pthread_sigmask", &rfi_hook_outside, RF_EV_READS);
    if (how == SIG_BLOCK) bits |= was;
    if (how == SIG_UNBLOCK) bits = was & ~bits;
    if (set) rfi_sig_unblocks(s, bits);
    int error = RFI_REAL(pthread_sigmask)(how, rfi_hook_mask(set, how, &room), before);
    if (error) return error;
    if (before) {
        sigemptyset(before);
        rfi_sig_set(was, before);
    }
    if (!set) return 0;
    (void)rfi_sig_mask(s, bits);
    if ((was ^ bits) & rfi_sig.met) rfi_sig_masks("pthread_sigmask", false);
    (void)rfi_sig_deliver(s, was & ~bits);
    return 0;
}

/* The mask of a thread that is about to wait: what strikes from then on ends the wait.  The result
 * is the mask that it had; *found is below 0, with errno set, where one was pending. */
RFI_FN uint64_t rfi_sig_suspend(const rf_site *s, const sigset_t *mask, int *found) {
    (void)rfi_hook_point(s);
    uint64_t before = rfi_sig_mask(s, rfi_sig_bits(mask));
    if (rfi_sig_deliver(s, before & ~rfi_sig_bits(mask))) *found = rfi_hook_errno(EINTR);
    return before;
}

int RFI_HOOK(pthread_sigmask)(int how, const sigset_t *set, sigset_t *before) {
    int error = rfi_hook_sigmask(RFI_CALLER(), how, set, before);
    RFI_LEFT(!error, before);
    return error;
}

int RFI_HOOK(sigprocmask)(int how, const sigset_t *set, sigset_t *before) {
    int error = rfi_hook_sigmask(RFI_CALLER(), how, set, before);
    RFI_LEFT(!error, before);
    return rfi_hook_errno(error);
}

int RFI_HOOK(sigpending)(sigset_t *set) {
    const rf_site *here = RFI_CALLER();
    bool on = rfi_hook_shares() && rfi_sig_on();
    rfi_sig_uncaught("sigpending", ~UINT64_C(0));
    rfi_call(here, "sigpending", &rfi_hook_outside, RF_EV_READS);
    if (on) (void)rfi_sig_timers_ring();
    RFI_LEAVES(set, sizeof *set);
    int error = RFI_REAL(sigpending)(set);
    if (error || !on) return error;
    uint64_t blocked = rfi_hook_self()->blocked;
    for (uint64_t bits = rfi_sig.met & blocked; bits; bits &= bits - 1)
        for (rfi_sig_source *s = rfi_sig.source[__builtin_ctzll(bits) + 1]; s; s = s->other)
            rfi_sem_look(here, &s->sent, "sigpending");
    rfi_sig_set(rfi_sig_pending() & blocked, set);
    return 0;
}

# ifdef __linux__
int RFI_HOOK(signalfd)(int fd, const sigset_t *mask, int flags);
int RFI_HOOK(signalfd)(int fd, const sigset_t *mask, int flags) {
    RFI_HOOK_ENTERED();
    if (rfi_hook_shares()) {
        rfi_sig_open();
        rfi_sig.files |= rfi_sig_bits(mask);
    }
    return RFI_REAL(signalfd)(fd, mask, flags);
}
# endif

/* ---- actions ---- */

RFI_FN void rfi_sig_from_outside(int signal) {
    if (!rfi_sig_foreign(signal))
        (void)__atomic_fetch_or(&rfi_sig_came, rfi_sig_bit(signal), __ATOMIC_ACQ_REL);
}

/* What the kernel does with it. */
RFI_FN int rfi_sig_install(int signal, const struct sigaction *a, bool handler) {
    struct sigaction to = *a;
    if (rfi_sig_ours(signal)) return 0;
    if (handler) { /* its calls come back to us with EINTR */
        to.sa_handler = rfi_sig_from_outside;
        to.sa_flags &= SA_NOCLDSTOP | SA_NOCLDWAIT;
    }
    int result = RFI_REAL(sigaction)(signal, &to, NULL);
    if (signal == SIGPIPE) rfi_crash_take(signal);
    return result;
}

/* What is ignored is pending no more. */
RFI_FN void rfi_sig_discard(const rf_site *s, int signal) {
    if (rfi_sig_ours(signal)) rfi_sig.kept[signal == SIGPROF].si_signo = 0;
    for (uint32_t i = 0; i < rfi.run.threads; i++) rfi_sig_own_drop(i, rfi_sig_bit(signal));
    for (rfi_sig_source *k = rfi_sig.source[signal]; k; k = k->other)
        while (k->queued) {
            (void)rfi_sig_unqueue(k, 0);
            rfi_sig_taken(s, k);
        }
}

RFI_FN int rfi_hook_sigaction(const rf_site *s, int signal, const struct sigaction *a,
                              struct sigaction *before) {
    if (!rfi_hook_shares() || rfi_sig_foreign(signal))
        return RFI_REAL(sigaction)(signal, a, before);
    struct sigaction was, to;
    rfi_call(s, "sigaction", &rfi_sig.action[signal], a ? RF_EV_READS | RF_EV_WRITES : RF_EV_READS);
    if (a) to = *a;
    bool known = rfi_sig_known(s, signal) || rfi_sig.met & rfi_sig_bit(signal);
    if (a) rfi_sig_meets("sigaction", true);
    memset(&was, 0, sizeof was);
    if (known || rfi_sig_ours(signal))
        was = rfi_sig.action[signal];
    else if (rfi_sig_reaction(signal, &was))
        return -1;
    if (a) {
        bool handler = to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN;
        if (rfi_sig_install(signal, &to, handler)) return -1;
        rfi_sig.action[signal] = to;
        rfi_sig.known &= ~rfi_sig_bit(signal);
        if (to.sa_handler == SIG_IGN || (!handler && rfi_sig_idle(signal)))
            rfi_sig_discard(s, signal);
        if (handler) rfi_sig_know(s, signal);
        if (rfi_sig.source[signal]) rfi_sig_touched(s, rfi_sig.source[signal]);
        rfi_sig_reconsider();
    }
    if (before) *before = was;
    return 0;
}

int RFI_HOOK(sigaction)(int signal, const struct sigaction *a, struct sigaction *before) {
    int error = rfi_hook_sigaction(RFI_CALLER(), signal, a, before);
    RFI_LEFT(!error, before);
    return error;
}

typedef void (*rfi_sig_handler)(int);

RFI_FN rfi_sig_handler rfi_hook_signal(const rf_site *s, int signal, rfi_sig_handler to,
                                       int flags) {
    struct sigaction a = {.sa_handler = to, .sa_flags = flags}, before;
    sigemptyset(&a.sa_mask);
    return rfi_hook_sigaction(s, signal, &a, &before) ? SIG_ERR : before.sa_handler;
}

rfi_sig_handler RFI_HOOK(signal)(int signal, rfi_sig_handler to) {
    bool stops = rfi_sig_on() && !rfi_sig_foreign(signal) && rfi_sig.stops & rfi_sig_bit(signal);
    return rfi_hook_signal(RFI_CALLER(), signal, to, stops ? 0 : SA_RESTART);
}

/* What strict C and X/Open have under that name. */
rfi_sig_handler RFI_HOOK(__sysv_signal)(int signal, rfi_sig_handler to);
rfi_sig_handler RFI_HOOK(__sysv_signal)(int signal, rfi_sig_handler to) {
    return rfi_hook_signal(RFI_CALLER(), signal, to, (int)(SA_RESETHAND | SA_NODEFER));
}

/* ---- sending ---- */

/* To a thread, by the function `name`; NULL: it has ended.  The result is an error number. */
RFI_FN int rfi_hook_send(const rf_site *s, const char *name, rfi_thr *u, rfi_sig_entry e) {
    int error, signal = e.info.si_signo;
    if (signal < 0 || signal > RFI_SIGNALS) return EINVAL;
    if (!signal || !u) return 0;
    if (rfi_sig_sent(s, name, u, &e, &error)) return error;
    bool own = u == rfi_base(rfi.current) && rfi_sig_foreign(signal);
    return !own ? rfi_sig_to_kernel(&e.info) : RFI_REAL(raise)(signal) ? errno : 0;
}

int RFI_HOOK(pthread_kill)(pthread_t handle, int signal) {
    const rf_site *here = RFI_CALLER();
    rfi_thr *to = rfi_hook_other(here, handle, "pthread_kill");
    return rfi_hook_send(here, "pthread_kill", to, rfi_sig_entry_of(signal, SI_TKILL));
}

# ifdef __GLIBC__
int RFI_HOOK(pthread_sigqueue)(pthread_t handle, int signal, const union sigval value);
int RFI_HOOK(pthread_sigqueue)(pthread_t handle, int signal, const union sigval value) {
    const rf_site *here = RFI_CALLER();
    rfi_sig_entry e = rfi_sig_entry_of(signal, SI_QUEUE);
    e.info.si_value = value;
    rfi_thr *to = rfi_hook_other(here, handle, "pthread_sigqueue");
    return rfi_hook_send(here, "pthread_sigqueue", to, e);
}
# endif

int RFI_HOOK(raise)(int signal) {
    const rf_site *here = RFI_CALLER();
    if (!rfi_hook_shares()) return RFI_REAL(raise)(signal);
    rfi_sig_entry e = rfi_sig_entry_of(signal, SI_TKILL);
    return rfi_hook_errno(rfi_hook_send(here, "raise", rfi_base(rfi.current), e));
}

/* Those beside this process in its group. */
RFI_FN int rfi_sig_beside(pid_t group, int signal) {
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    bool spared = signal && !RFI_REAL(sigaction)(signal, &ignored, &before);
    int result = RFI_REAL(kill)(group, signal), error = errno;
    if (spared) RFI_REAL(sigaction)(signal, &before, NULL);
    errno = error;
    return result;
}

RFI_FN int rfi_sig_kill(const rf_site *here, pid_t process, int signal) {
    int error;
    rfi_sig_entry e = rfi_sig_entry_of(signal, SI_USER);
    bool group = process == 0 || process == -getpgrp();
    if (group && rfi_hook_shares() && !rfi_forked && !rfi_sig_foreign(signal)) {
        if (rfi_sig_beside(process, signal)) return -1;
        process = rfi_process();
    }
    if (process != rfi_process() || !rfi_sig_sent(here, "kill", NULL, &e, &error))
        return RFI_REAL(kill)(process, signal);
    return rfi_hook_errno(error);
}

int RFI_HOOK(kill)(pid_t process, int signal) {
    return rfi_sig_kill(RFI_CALLER(), process, signal);
}

int RFI_HOOK(killpg)(pid_t group, int signal);
int RFI_HOOK(killpg)(pid_t group, int signal) {
    if (group < 0 || group == 1) return RFI_REAL(killpg)(group, signal);
    return rfi_sig_kill(RFI_CALLER(), -group, signal);
}

int RFI_HOOK(sigqueue)(pid_t process, int signal, const union sigval value) {
    const rf_site *here = RFI_CALLER();
    int error;
    rfi_sig_entry e = rfi_sig_entry_of(signal, SI_QUEUE);
    e.info.si_value = value;
    if (process != rfi_process() || !rfi_sig_sent(here, "sigqueue", NULL, &e, &error))
        return RFI_REAL(sigqueue)(process, signal, value);
    return rfi_hook_errno(error);
}

/* ---- timers ---- */

RFI_FN uint64_t rfi_sig_ms(int64_t seconds, int64_t parts, int64_t in_a_ms) {
    return (uint64_t)(seconds * 1000 + (parts + in_a_ms - 1) / in_a_ms);
}

/* How much is left, if it is armed; or if not. */
RFI_FN uint64_t rfi_sig_until(const rfi_sig_timer *t) {
    return t->until > rfi.run.now ? t->until - rfi.run.now : 1;
}

RFI_FN uint64_t rfi_sig_left(const rfi_sig_timer *t) { return t->armed ? rfi_sig_until(t) : 0; }

/* What is left of a timer, and how often it comes back, in milliseconds. */
typedef struct rfi_sig_time {
    uint64_t left, every;
} rfi_sig_time;

RFI_FN rfi_sig_time rfi_sig_time_of(const rf_site *s, const rfi_sig_timer *t) {
    if (!rfi_sig_timer_counts(t)) {
        rfi_call(s, "timer", t, RF_EV_READS);
        return (rfi_sig_time){rfi_sig_left(t), t->every};
    }
    rf_sem *sent = &rfi_sig.source[t->signal]->sent;
    rfi_sem_look(s, sent, "timer");
    bool left = t->counts && (sent->count || t->every);
    if (left && rfi_hook_self()->blocked & rfi_sig_bit(t->signal)) rfi.run.meddles = "timer";
    return (rfi_sig_time){left ? rfi_sig_until(t) : 0, t->every};
}

/* ---- SIGEV_THREAD: a thread waits for the timer's time ---- */

typedef struct rfi_sig_notice {
    const rf_site *site;
    rfi_sig_timer *timer;
    void (*notify)(union sigval);
    union sigval value;
    uint32_t setting; /* another one since: it is off */
} rfi_sig_notice;

RFI_FN void *rfi_sig_notify(void *notice) {
    const rfi_sig_notice *n = notice;
    n->notify(n->value);
    return NULL;
}

RFI_FN void rfi_sig_notifier(rfi_sig_notice *n, void *(*fn)(void *)) {
    rfi_hook_apart(n->site,
                   (rfi_hook_start){.fn = fn, .arg = n, .called = (void *)(uintptr_t)n->notify});
}

/* What comes once is called here, and else in threads that may overtake each other. */
RFI_FN void *rfi_sig_waits_to_notify(void *notice) {
    rfi_sig_notice *n = notice;
    rfi_sig_timer *t = n->timer;
    unsigned again = t->every ? RF_EV_TIMED : 0;
    if (again && rfi.strategy->values) (void)rfi_hook_rounds();
    for (;;) {
        rfi_sleep(n->site, t->until > rfi.run.now ? t->until - rfi.run.now : 0);
        rfi_call(n->site, "timer", t, RF_EV_WRITES | again);
        if (t->settings != n->setting) return NULL;
        rfi_sig_armed(t, t->every != 0);
        if (!t->every) return rfi_sig_notify(n);
        t->until = rfi.run.now + t->every;
        rfi_sig_notifier(n, rfi_sig_notify);
    }
}

/* The result is how it was before. */
RFI_FN rfi_sig_time rfi_sig_arm(const rf_site *s, rfi_sig_timer *t, uint64_t ms, uint64_t every) {
    (void)rfi_sig_known(s, t->signal);
    if (every && rfi.strategy->rfi_reduces)
        rfi_fail(RF_DIAG_LIMIT, s,
                 "%s does not know timers with an interval: RF_STRATEGY=dfs has all schedules",
                 rfi.strategy->name);
    if (rfi_sig_timer_counts(t)) {
        uint64_t left = rfi_sig_timer_sends(s, t, ms, &every) ? rfi_sig_until(t) : 0;
        t->until = rfi.run.now + ms;
        return (rfi_sig_time){left, every};
    }
    rfi_call(s, "timer", t, RF_EV_WRITES);
    rfi_sig_time was = {rfi_sig_left(t), t->every};
    if (t->source && t->armed && !rfi_sig_victims(t->signal, 0, NULL) && rfi_sig_sent_before(t)) {
        was.left = was.every;
        rfi_sig_entry e = rfi_sig_expire(t);
        (void)rfi_sig_queue(t->source, &e);
    }
    t->until = rfi.run.now + ms;
    t->every = every;
    rfi_sig_armed(t, ms != 0);
    t->rest = t->early = 0;
    t->site = s;
    t->passed = rfi.run.early;
    rfi_sig_looks();
    rfi_sig_attach(t);
    if (ms && t->source) rfi_sig_strikes(s);
    rfi_sig_wind(t);
    t->settings++;
    if (!ms || !t->notify) return was;
    rfi_sig_notice *n = rfi_arena_take(&rfi.arena, sizeof *n);
    *n = (rfi_sig_notice){s, t, t->notify, t->value, t->settings};
    rfi_sig_notifier(n, rfi_sig_waits_to_notify);
    return was;
}

RFI_FN rfi_sig_timer *rfi_sig_itimer(int which) {
    static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    rfi_sig_open();
    rfi_sig_timer *t = &rfi_sig.timer[which];
    t->signal = signals[which];
    t->code = SI_USER;
    t->working = which;
    return t;
}

# ifdef __GLIBC__
typedef __itimer_which_t rfi_itimer;
# else
typedef int rfi_itimer;
# endif

/* Real, virtual and profiling time are one. */
int RFI_HOOK(setitimer)(rfi_itimer which, const struct itimerval *to, struct itimerval *before);
int RFI_HOOK(getitimer)(rfi_itimer which, struct itimerval *now);

RFI_FN struct timeval rfi_sig_timeval(uint64_t ms) {
    return (struct timeval){(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)};
}

RFI_FN struct itimerval rfi_sig_itimerval(rfi_sig_time t) {
    return (struct itimerval){rfi_sig_timeval(t.every), rfi_sig_timeval(t.left)};
}

int RFI_HOOK(getitimer)(rfi_itimer which, struct itimerval *now) {
    const rf_site *here = RFI_CALLER();
    if (!rfi_hook_shares() || (unsigned)which > 2) return RFI_REAL(getitimer)(which, now);
    struct itimerval is = rfi_sig_itimerval(rfi_sig_time_of(here, rfi_sig_itimer((int)which)));
    RFI_PUT(now, is);
    return 0;
}

int RFI_HOOK(setitimer)(rfi_itimer which, const struct itimerval *to, struct itimerval *before) {
    const rf_site *here = RFI_CALLER();
    if (!rfi_hook_shares() || (unsigned)which > 2) return RFI_REAL(setitimer)(which, to, before);
    const struct timeval *v = &to->it_value, *i = &to->it_interval;
    if (v->tv_sec < 0 || i->tv_sec < 0 || (unsigned long)v->tv_usec > 999999 ||
        (unsigned long)i->tv_usec > 999999)
        return rfi_hook_errno(EINVAL);
    rfi_sig_time was =
        rfi_sig_arm(here, rfi_sig_itimer((int)which), rfi_sig_ms(v->tv_sec, v->tv_usec, 1000),
                    rfi_sig_ms(i->tv_sec, i->tv_usec, 1000));
    if (before) RFI_PUT(before, rfi_sig_itimerval(was));
    return 0;
}

unsigned RFI_HOOK(alarm)(unsigned seconds) {
    const rf_site *here = RFI_CALLER();
    if (!rfi_hook_shares()) return RFI_REAL(alarm)(seconds);
    uint64_t left = rfi_sig_arm(here, rfi_sig_itimer(0), (uint64_t)seconds * 1000, 0).left;
    return (unsigned)((left + 999) / 1000);
}

useconds_t RFI_HOOK(ualarm)(useconds_t us, useconds_t every) {
    const rf_site *here = RFI_CALLER();
    if (!rfi_hook_shares()) return RFI_REAL(ualarm)(us, every);
    uint64_t ms = rfi_sig_ms(0, us, 1000);
    return (useconds_t)rfi_sig_arm(here, rfi_sig_itimer(0), ms, rfi_sig_ms(0, every, 1000)).left *
           1000;
}

/* ---- timer_create: a handle is the timer's number, from 1 on ---- */

RFI_FN rfi_sig_timer *rfi_sig_timer_of(timer_t id) {
    uintptr_t i = (uintptr_t)id;
    return rfi_hook_shares() && rfi_sig_on() && i && i < RFI_SIGNAL_TIMERS && rfi_sig.timer[i].made
               ? &rfi_sig.timer[i]
               : NULL;
}

int RFI_HOOK(timer_create)(clockid_t clock, struct sigevent *event, timer_t *id) {
    int signal = event ? event->sigev_signo : SIGALRM, how = event ? event->sigev_notify : 0;
    bool sends = how == SIGEV_SIGNAL, known = how == SIGEV_NONE || how == SIGEV_THREAD;
    if (!rfi_hook_shares() || !(known || (sends && !rfi_sig_foreign(signal))))
        return RFI_REAL(timer_create)(clock, event, id);
    if (!sends) signal = 0;
    rfi_sig_open();
    for (uintptr_t i = 3; i < RFI_SIGNAL_TIMERS; i++) {
        rfi_sig_timer *t = &rfi_sig.timer[i];
        if (t->made) continue;
        rfi_sig_source *s = t->source;
        rfi_sig_armed(t, false);
        uint32_t settings = t->settings + 1;
        *t = (rfi_sig_timer){.signal = signal, .made = true, .settings = settings};
        t->working = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
        if (how == SIGEV_THREAD) t->notify = event->sigev_notify_function;
        if (s && s->signal == signal)
            t->source = s;
        else if (s)
            s->timer = NULL;
        t->code = SI_TIMER;
        if (event)
            t->value = event->sigev_value;
        else
            t->value.sival_int = (int)i;
        RFI_PUT(id, (timer_t)i);
        return 0;
    }
    return rfi_hook_errno(EAGAIN);
}

int RFI_HOOK(timer_delete)(timer_t id) {
    const rf_site *here = RFI_CALLER();
    rfi_sig_timer *t = rfi_sig_timer_of(id);
    if (!t) return RFI_REAL(timer_delete)(id);
    (void)rfi_sig_arm(here, t, 0, 0);
    t->made = false;
    return 0;
}

RFI_FN struct timespec rfi_sig_timespec(uint64_t ms) {
    return (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
}

RFI_FN struct itimerspec rfi_sig_itimerspec(rfi_sig_time t) {
    return (struct itimerspec){rfi_sig_timespec(t.every), rfi_sig_timespec(t.left)};
}

int RFI_HOOK(timer_gettime)(timer_t id, struct itimerspec *now) {
    const rf_site *here = RFI_CALLER();
    const rfi_sig_timer *t = rfi_sig_timer_of(id);
    if (!t) return RFI_REAL(timer_gettime)(id, now);
    struct itimerspec is = rfi_sig_itimerspec(rfi_sig_time_of(here, t));
    RFI_PUT(now, is);
    return 0;
}

int RFI_HOOK(timer_settime)(timer_t id, int flags, const struct itimerspec *to,
                            struct itimerspec *before) {
    const rf_site *here = RFI_CALLER();
    rfi_sig_timer *t = rfi_sig_timer_of(id);
    if (!t) return RFI_REAL(timer_settime)(id, flags, to, before);
    if (!rfi_hook_valid(&to->it_value) || !rfi_hook_valid(&to->it_interval))
        return rfi_hook_errno(EINVAL);
    uint64_t every = rfi_sig_ms(to->it_interval.tv_sec, to->it_interval.tv_nsec, 1000000);
    uint64_t ms = rfi_sig_ms(to->it_value.tv_sec, to->it_value.tv_nsec, 1000000);
    if (flags & TIMER_ABSTIME && ms) {
        ms = rfi_hook_left(&to->it_value, CLOCK_MONOTONIC);
        if (!ms) ms = 1;
    }
    rfi_sig_time was = rfi_sig_arm(here, t, ms, every);
    if (before) RFI_PUT(before, rfi_sig_itimerspec(was));
    return 0;
}

int RFI_HOOK(timer_getoverrun)(timer_t id) {
    return rfi_sig_timer_of(id) ? 0 : RFI_REAL(timer_getoverrun)(id);
}

/* ---- jumps out of handlers ---- */

/* What the thread waited for, or was about to do when it was struck, is off. */
RFI_FN void rfi_sig_abandon(rfi_thr *t) {
    if (t->waits_on) rfi_wait_off(t);
    if (t->next.kind == RF_EV_WAKE && t->uses) rfi_cond_leave((rf_cond *)(uintptr_t)t->uses, t);
    rfi_due_over(t, false);
    t->ready = NULL;
    t->interrupted = t->notified = false;
    t->next.kind = RF_EV_YIELD;
}

/* Leaves the handlers whose frames the jump leaves: those that run below `to`, or all of them if
 * that is no place on the stack.  The mask is what it was, or stays that of the handler. */
RFI_FN void rfi_sig_unwind(const void *to, bool masked) {
    rfi_hook_thread *h = rfi_hook_self();
    for (;;) {
        rfi_sig_frame *f = h->frames;
        const rfi_fiber *on = &rfi.current->fiber;
        bool stack = (const char *)to >= on->stack_low && (const char *)to < on->stack_high;
        if (!f || (stack && (const char *)to < (const char *)f)) return;
        const rf_site *s = rfi.current->next.site;
        rfi_thr *by = f->by;
        rfi_sig_leave_frame(s, masked);
        rfi_sig_handled(rfi.current);
        if (!by) continue;
        rfi_thr *victim = by->under;
        rfi_sig_abandon(victim);
        rfi_strike_recycle(by, f);
        rfi_strike_over(victim, by);
        rfi_step(victim);
    }
}

RFI_FN void rfi_sig_leave_all(void) { rfi_sig_unwind(NULL, false); }

RFI_NORETURN void RFI_HOOK(siglongjmp)(sigjmp_buf to, int value);
void RFI_HOOK(siglongjmp)(sigjmp_buf to, int value) {
    RFI_HOOK_ENTERED();
# ifdef __GLIBC__
    bool masked = !to[0].__mask_was_saved;
# else
    bool masked = false;
# endif
    if (rfi_hook_shares() && rfi_sig_on()) rfi_sig_unwind(to, masked);
    RFI_REAL(siglongjmp)(to, value);
    __builtin_unreachable();
}

RFI_NORETURN void RFI_HOOK(longjmp)(jmp_buf to, int value);
void RFI_HOOK(longjmp)(jmp_buf to, int value) {
    RFI_HOOK_ENTERED();
    if (rfi_hook_shares() && rfi_sig_on()) rfi_sig_unwind(to, true);
    RFI_REAL(longjmp)(to, value);
    __builtin_unreachable();
}

RFI_FN void rfi_sig_thread_begins(void) {
    if (!rfi_sig_on()) return;
    (void)rfi_sig_levels_take(rfi.current->next.site, rfi.current, rfi_hook_self()->blocked);
}

__attribute__((constructor)) RFI_FN void rfi_sig_settle(void) {
    rfi_hook_masked = rfi_sig_thread_begins;
    rfi_hook_unmasked = rfi_sig_thread_ends;
    rfi_hook_unwound = rfi_sig_leave_all;
}
#endif
#endif
