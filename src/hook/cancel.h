/* hook/cancel.h: what ends the wait of a thread: cancellation, and handlers of signals.
 *
 * Cancellation is taken at points: before, in and after each wait that POSIX lets it end.  A thread
 * that waits there is woken at once.  Where the strategy knows memory itself, each point is a try
 * to take what pthread_cancel posts, and nobody is woken: who was cancelled in a wait had been
 * before it (but for conditions), and if he goes on waiting, the execution shows nothing.
 */
#ifndef RFI_HOOK_CANCEL_H
#define RFI_HOOK_CANCEL_H
#include "hook/strikes.h"

#ifdef RFI_IMPL
/* What handlers have run in the wait of this thread, and whether it was cancelled, is known behind
 * it.  As long as nobody was interrupted, nothing is announced.  The result is 0 if no handler ran.
 */
RFI_FN unsigned rfi_hook_signals(const rf_site *s) {
    if (!rfi.current || rfi.quiet) return 0;
    unsigned ran = 0;
    if (rfi_sig_on()) {
        rfi_hook_thread *t = rfi_hook_self();
        ran = t->ran;
        t->ran = 0;
        if (ran) rfi.current->interrupted = false;
        if (rfi_sig.outside && rfi_sig_impossible()) ran |= rfi_sig_deliver(s, 0);
    }
    if (rfi_hook_interrupting != rfi.generation) return ran;
    rfi_hook_thread *t = rfi_hook_interrupts(s, rfi_base(rfi.current));
    while (rfi_sem_trywait(s, &t->interrupts)) {
        rfi.current->interrupted = false;
        if (rfi_sig_on() && rfi_sig_impossible()) ran |= rfi_sig_deliver(s, 0);
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

RFI_FN RFI_NORETURN void rfi_hook_cancelled(const rf_site *s, rfi_hook_thread *t) {
    t->cancel_state = PTHREAD_CANCEL_DISABLE; /* its handlers are not cancelled */
    t->result = PTHREAD_CANCELED;
    if (t->held) rfi_mutex_unlock(s, t->held);
    rfi_hook_end();
}

/* Does each point look?  The running thread, if it may be cancelled. */
RFI_FN rfi_hook_thread *rfi_hook_looks(const rf_site *s) {
    if (RFI_LIKELY(!rfi.run.ends) || !rfi.current || rfi.quiet) return NULL;
    rfi_hook_thread *t = rfi_hook_interrupts(s, rfi_base(rfi.current));
    return t->framed && t->cancel_state == PTHREAD_CANCEL_ENABLE ? t : NULL;
}

/* The same, where a thread also ends if it was cancelled. */
RFI_FN unsigned rfi_hook_point(const rf_site *s) {
    if (!rfi.current || rfi.quiet) return 0;
    rfi_hook_thread *t = rfi_hook_looks(s);
    bool chosen = rfi.current->ends && rfi.current->ends_at == s;
    if (t && !chosen && rfi_sem_trywait(s, &t->interrupts)) rfi_hook_cancelled(s, t);
    if (rfi_hook_interrupting != rfi.generation) return rfi_hook_signals(s);
    t = rfi_hook_interrupts(s, rfi_base(rfi.current));
    if (!t->framed) return 0;
    unsigned ran = rfi_hook_signals(s);
    if (t->cancelled && t->cancel_state == PTHREAD_CANCEL_ENABLE) rfi_hook_cancelled(s, t);
    return ran;
}

/* A wait begins here: it was cancelled before, or looks no more in it, since nobody sees which. */
RFI_FN void rfi_hook_may_wait(const rf_site *s) {
    rfi_hook_thread *t = rfi_hook_looks(s);
    if (rfi.current) rfi.current->ends = NULL;
    if (!t) return;
    if (rfi_sem_trywait(s, &t->interrupts)) rfi_hook_cancelled(s, t);
    rfi.current->ends = &t->interrupts;
    rfi.current->ends_at = s;
}

/* The same, where others may have seen that it waits, by the mutex: whether it is cancelled then is
 * chosen. */
RFI_FN void rfi_hook_may_wait_with(const rf_site *s, rf_mutex *m) {
    rfi_hook_may_wait(s);
    rfi_thr *t = rfi.current;
    if (!t || !t->ends || m->owner != t->id + 1 || m->depth || !rfi_choose_of(2, &rfi.input))
        return;
    rfi_mutex_unlock(s, m);
    rfi_sem_wait(s, &rfi_hook_self()->interrupts);
    t->ends = NULL;
    rfi_mutex_lock(s, m);
    rfi_hook_cancelled(s, rfi_hook_self());
}

/* Behind a wait that may have ended for that reason. */
RFI_FN unsigned rfi_hook_woken(const rf_site *s) {
    return rfi.current && rfi.current->interrupted ? rfi_hook_point(s) : 0;
}

/* Another thread, or NULL: it has ended. */
RFI_FN rfi_thr *rfi_hook_other(const rf_site *s, pthread_t handle, const char *what) {
    if (!rfi.current) rfi_fail_here(s, what);
    rfi_thr *u = rfi_thread_of(s, rfi_hook_thread_of(handle));
    rfi_hook_about(s, what, u);
    if (u->joined && u->finished)
        rfi_fail(RF_DIAG_BAD_THREAD, s, "%s: T%u was joined before", what, u->id);
    return u->finished ? NULL : u;
}

/* Asynchronous cancellation waits for a point, too, but where a thread does it to itself. */
RFI_FN void rfi_hook_anytime(const rf_site *s, const rfi_hook_thread *t) {
    if (!t->cancelled || t->cancel_state != PTHREAD_CANCEL_ENABLE ||
        t->cancel_type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return;
    if (t == rfi_hook_self()) (void)rfi_hook_point(s);
    rfi.record->anytime = true;
}

int RFI_HOOK(pthread_cancel)(pthread_t handle) {
    const rf_site *here = RFI_CALLER();
    rfi_thr *u = rfi_hook_other(here, handle, "pthread_cancel");
    if (!u) return 0;
    if (rfi.run.ends) {
        rfi_sem_post(here, &rfi_hook_interrupts(here, u)->interrupts);
        return 0;
    }
    rfi.run.unlooked |= RFI_FOR_ENDS;
    rfi_hook_thread *t = rfi_hook_interrupt(here, "pthread_cancel", u);
    t->cancelled = true;
    if (t->cancel_state == PTHREAD_CANCEL_ENABLE) rfi_interrupt(u);
    rfi_hook_anytime(here, t);
    return 0;
}

/* Somebody may cancel it right before, even if nobody has interrupted anybody yet. */
void RFI_HOOK(pthread_testcancel)(void) {
    const rf_site *here = RFI_CALLER();
    bool looks = rfi_hook_interrupting == rfi.generation || rfi.run.ends;
    if (rfi.current && !rfi.quiet && !looks)
        rfi_call_on(here, "pthread_testcancel",
                    &rfi_hook_interrupts(here, rfi.current)->interrupts.object);
    (void)rfi_hook_point(here);
}

int RFI_HOOK(pthread_setcancelstate)(int state, int *before) {
    rfi_hook_thread *t = rfi_hook_self();
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    int was = t->cancel_state;
    t->cancel_state = state;
    if (rfi.current) rfi.current->interrupted = false; /* the next point looks */
    if (before) RFI_PUT(before, was);
    rfi_hook_anytime(RFI_CALLER(), t);
    return 0;
}

int RFI_HOOK(pthread_setcanceltype)(int type, int *before) {
    rfi_hook_thread *t = rfi_hook_self();
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    int was = t->cancel_type;
    t->cancel_type = type;
    if (rfi.run.ends && type == PTHREAD_CANCEL_ASYNCHRONOUS)
        rfi.run.meddles = "pthread_setcanceltype";
    if (before) RFI_PUT(before, was);
    rfi_hook_anytime(RFI_CALLER(), t);
    return 0;
}

/* ---- waits for the end of a thread ---- */

RFI_FN void *rfi_hook_join(const rf_site *s, pthread_t t) {
    void *result;
    rfi_hook_may_wait(s);
    do (void)rfi_hook_point(s);
    while (!rfi_join_or_not(s, rfi_hook_thread_of(t), rfi_ready_join_or_not, &result));
    return result;
}

int RFI_HOOK(pthread_join)(pthread_t t, void **result) {
    void *r = rfi_hook_join(RFI_CALLER(), t);
    if (result) RFI_PUT(result, r);
    return 0;
}

/* `otherwise`: EBUSY, now; ETIMEDOUT, until the deadline. */
RFI_FN int rfi_hook_join_if_ended(const rf_site *s, pthread_t t, void **result, int otherwise) {
    const char *name = otherwise == EBUSY ? "pthread_tryjoin_np" : "pthread_timedjoin_np";
    if (!rfi.current) rfi_fail_here(s, name);
    if (rfi_hook_thread_of(t).id != rfi.current->id) {
        rfi_thr *u = rfi_thread_of(s, rfi_hook_thread_of(t));
        if (otherwise == ETIMEDOUT)
            rfi_call_until(s, name, rfi_hook_ends(name, u));
        else
            rfi_hook_about(s, name, u);
        if (!u->finished) return otherwise;
    }
    void *r = rfi_join(s, rfi_hook_thread_of(t));
    if (result) *result = r;
    return 0;
}

# ifdef __GLIBC__
int RFI_HOOK(pthread_tryjoin_np)(pthread_t t, void **result) {
    int error = rfi_hook_join_if_ended(RFI_CALLER(), t, result, EBUSY);
    RFI_LEFT(!error, result);
    return error;
}

RFI_FN int rfi_hook_timedjoin(const rf_site *s, pthread_t t, void **result, clockid_t clock,
                              const struct timespec *at) {
    if (!at) {
        void *r = rfi_hook_join(s, t);
        if (result) *result = r;
        return 0;
    }
    if (!rfi_hook_clock(clock) || !rfi_hook_valid(at)) return EINVAL;
    rfi_hook_may_wait(s);
    (void)rfi_hook_point(s);
    rfi_deadline(rfi_hook_left(at, clock));
    return rfi_hook_join_if_ended(s, t, result, ETIMEDOUT);
}

int RFI_HOOK(pthread_timedjoin_np)(pthread_t t, void **result, const struct timespec *at) {
    int error = rfi_hook_timedjoin(RFI_CALLER(), t, result, CLOCK_REALTIME, at);
    RFI_LEFT(!error, result);
    return error;
}

int RFI_HOOK(pthread_clockjoin_np)(pthread_t t, void **result, clockid_t clock,
                                   const struct timespec *at) {
    int error = rfi_hook_timedjoin(RFI_CALLER(), t, result, clock, at);
    RFI_LEFT(!error, result);
    return error;
}
# endif
#endif
#endif
