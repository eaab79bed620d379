/* hook/cancel.h: what interrupts a thread: cancellation, and signals sent to it.
 *
 * Both are taken at points: before, in and after each wait that POSIX lets them end.  A thread that
 * waits there is woken at once.
 */
#ifndef RFI_HOOK_CANCEL_H
#define RFI_HOOK_CANCEL_H
#include "hook/threads.h"

#ifdef RFI_IMPL
/* The last execution in which a thread was interrupted. */
RFI_VAR uint32_t rfi_hook_interrupting;

/* By their name in a report. */
RFI_FN rfi_hook_thread *rfi_hook_interrupts(const rf_site *s, rfi_thr *u) {
    rfi_hook_thread *t = rfi_tls_of(u, &rfi_hook_thread_key);
    rfi_object *o = &t->interrupts.object;
    char name[32];
    if (o->generation == rfi.generation) return t;
    snprintf(name, sizeof name, "interrupts of T%u", u->id);
    rfi_object_register(o, RFI_SEM, s, name);
    return t;
}

enum { RFI_HOOK_RESTARTS = 1, RFI_HOOK_STOPS = 2 };

/* The handler of a signal runs, on the thread that it was sent to.  Most calls then go on, or stop
 * with EINTR. */
RFI_FN unsigned rfi_hook_signal(int signal) {
    struct sigaction action;
    RFI_REAL(sigaction)(signal, NULL, &action);
    raise(signal);
    return action.sa_flags & SA_RESTART ? RFI_HOOK_RESTARTS : RFI_HOOK_STOPS;
}

/* Where signals are taken.  As long as nobody was interrupted, nothing is announced.  The result is
 * 0 if no handler ran. */
RFI_FN unsigned rfi_hook_signals(const rf_site *s) {
    unsigned ran = 0;
    if (!rfi.current || rfi.quiet || rfi_hook_interrupting != rfi.generation) return 0;
    rfi_hook_thread *t = rfi_hook_interrupts(s, rfi.current);
    while (rfi_sem_trywait(s, &t->interrupts)) {
        rfi.current->interrupted = false;
        uint64_t signals = t->signals;
        t->signals = 0;
        for (int i = 0; i < 64; i++)
            if (signals >> i & 1) ran |= rfi_hook_signal(i + 1);
    }
    return ran;
}

/* Others may send some meanwhile. */
RFI_FN void rfi_hook_yield(const rf_site *s) {
    rfi_yield(s);
    (void)rfi_hook_signals(s);
}

int RFI_HOOK(sched_yield)(void) {
    rfi_hook_yield(RFI_CALLER());
    return 0;
}

/* The same, where a thread also ends if it was cancelled. */
RFI_FN unsigned rfi_hook_point(const rf_site *s) {
    if (!rfi.current || rfi.quiet || rfi_hook_interrupting != rfi.generation) return 0;
    rfi_hook_thread *t = rfi_hook_interrupts(s, rfi.current);
    if (!t->framed) return 0;
    unsigned ran = rfi_hook_signals(s);
    if (t->cancelled && t->cancel_state == PTHREAD_CANCEL_ENABLE) {
        t->cancel_state = PTHREAD_CANCEL_DISABLE; /* its handlers are not cancelled */
        t->result = PTHREAD_CANCELED;
        rfi_hook_end();
    }
    return ran;
}

/* Behind a wait that may have ended for that reason. */
RFI_FN unsigned rfi_hook_woken(const rf_site *s) {
    return rfi.current && rfi.current->interrupted ? rfi_hook_point(s) : 0;
}

/* Another thread, or NULL: it has ended. */
RFI_FN rfi_thr *rfi_hook_other(const rf_site *s, pthread_t handle, const char *what) {
    if (!rfi.current) rfi_fail_here(s, what);
    rfi_thr *u = rfi_thread_of(s, rfi_hook_thread_of(handle));
    rfi_call_about(s, what, u);
    if (u->joined && u->finished)
        rfi_fail(RF_DIAG_BAD_THREAD, s, "%s: T%u was joined before", what, u->id);
    return u->finished ? NULL : u;
}

/* From the post on, nobody else runs before the thread knows why. */
RFI_FN rfi_hook_thread *rfi_hook_interrupt(const rf_site *s, rfi_thr *u) {
    rfi_hook_thread *t = rfi_hook_interrupts(s, u);
    rfi_hook_interrupting = rfi.generation;
    rfi_sem_post(s, &t->interrupts);
    return t;
}

int RFI_HOOK(pthread_cancel)(pthread_t handle) {
    const rf_site *here = RFI_CALLER();
    rfi_thr *u = rfi_hook_other(here, handle, "pthread_cancel");
    if (!u) return 0;
    rfi_hook_thread *t = rfi_hook_interrupt(here, u);
    t->cancelled = true;
    if (t->cancel_state == PTHREAD_CANCEL_ENABLE) rfi_interrupt(u);
    return 0;
}

/* Somebody may cancel it right before, even if nobody has interrupted anybody yet. */
void RFI_HOOK(pthread_testcancel)(void) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current && !rfi.quiet && rfi_hook_interrupting != rfi.generation)
        rfi_call_on(here, "pthread_testcancel",
                    &rfi_hook_interrupts(here, rfi.current)->interrupts.object);
    (void)rfi_hook_point(here);
}

int RFI_HOOK(pthread_setcancelstate)(int state, int *before) {
    rfi_hook_thread *t = rfi_hook_self();
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    if (before) *before = t->cancel_state;
    t->cancel_state = state;
    if (rfi.current && !t->signals) rfi.current->interrupted = false; /* the next point looks */
    return 0;
}

/* Asynchronous cancellation waits for a point, too. */
int RFI_HOOK(pthread_setcanceltype)(int type, int *before) {
    rfi_hook_thread *t = rfi_hook_self();
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    if (before) *before = t->cancel_type;
    t->cancel_type = type;
    return 0;
}

/* ---- signals ---- */

/* The thread that it is sent to runs the handler at its next point.  Where there is none, it is a
 * matter of the process.  The result is an error number. */
RFI_FN int rfi_hook_send(const rf_site *s, rfi_thr *u, int signal) {
    struct sigaction action;
    if (signal < 0 || signal > 64) return EINVAL;
    if (!signal || !u) return 0;
    if (RFI_REAL(sigaction)(signal, NULL, &action)) return EINVAL;
    if (u == rfi.current) return raise(signal) ? errno : 0;
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
        return RFI_REAL(kill)(rfi_process(), signal) ? errno : 0;
    rfi_hook_interrupt(s, u)->signals |= UINT64_C(1) << (signal - 1);
    rfi_interrupt(u);
    return 0;
}

int RFI_HOOK(pthread_kill)(pthread_t handle, int signal) {
    const rf_site *here = RFI_CALLER();
    return rfi_hook_send(here, rfi_hook_other(here, handle, "pthread_kill"), signal);
}

/* By two signals the watchdog looks after the execution: nobody blocks them. */
RFI_FN const sigset_t *rfi_hook_mask(const sigset_t *set, int how, sigset_t *room) {
    if (!rfi.current || !set || how == SIG_UNBLOCK) return set;
    *room = *set;
    sigdelset(room, SIGALRM);
    sigdelset(room, SIGPROF);
    return room;
}

int RFI_HOOK(pthread_sigmask)(int how, const sigset_t *set, sigset_t *before) {
    sigset_t room;
    return RFI_REAL(pthread_sigmask)(how, rfi_hook_mask(set, how, &room), before);
}

int RFI_HOOK(sigprocmask)(int how, const sigset_t *set, sigset_t *before) {
    sigset_t room;
    return RFI_REAL(sigprocmask)(how, rfi_hook_mask(set, how, &room), before);
}

/* ---- waits for the end of a thread ---- */

RFI_FN void *rfi_hook_join(const rf_site *s, pthread_t t) {
    void *result;
    do (void)rfi_hook_point(s);
    while (!rfi_join_or_not(s, rfi_hook_thread_of(t), rfi_ready_join_or_not, &result));
    return result;
}

int RFI_HOOK(pthread_join)(pthread_t t, void **result) {
    void *r = rfi_hook_join(RFI_CALLER(), t);
    if (result) *result = r;
    return 0;
}

/* `otherwise`: EBUSY, now; ETIMEDOUT, until the deadline. */
RFI_FN int rfi_hook_join_if_ended(const rf_site *s, pthread_t t, void **result, int otherwise) {
    if (!rfi.current) rfi_fail_here(s, "pthread_tryjoin_np");
    if (rfi_hook_thread_of(t).id != rfi.current->id) {
        rfi_thr *u = rfi_thread_of(s, rfi_hook_thread_of(t));
        if (otherwise == ETIMEDOUT)
            rfi_call_until(s, "pthread_timedjoin_np", u);
        else
            rfi_call_about(s, "pthread_tryjoin_np", u);
        if (!u->finished) return otherwise;
    }
    void *r = rfi_join(s, rfi_hook_thread_of(t));
    if (result) *result = r;
    return 0;
}

# ifdef __GLIBC__
int RFI_HOOK(pthread_tryjoin_np)(pthread_t t, void **result) {
    return rfi_hook_join_if_ended(RFI_CALLER(), t, result, EBUSY);
}

RFI_FN int rfi_hook_timedjoin(const rf_site *s, pthread_t t, void **result, clockid_t clock,
                              const struct timespec *at) {
    if (!at) {
        void *r = rfi_hook_join(s, t);
        if (result) *result = r;
        return 0;
    }
    if (!rfi_hook_clock(clock) || !rfi_hook_valid(at)) return EINVAL;
    (void)rfi_hook_point(s);
    rfi_deadline(rfi_hook_left(at, clock));
    return rfi_hook_join_if_ended(s, t, result, ETIMEDOUT);
}

int RFI_HOOK(pthread_timedjoin_np)(pthread_t t, void **result, const struct timespec *at) {
    return rfi_hook_timedjoin(RFI_CALLER(), t, result, CLOCK_REALTIME, at);
}

int RFI_HOOK(pthread_clockjoin_np)(pthread_t t, void **result, clockid_t clock,
                                   const struct timespec *at) {
    return rfi_hook_timedjoin(RFI_CALLER(), t, result, clock, at);
}
# endif
#endif
#endif
