/* engine/strike.h: functions that run on top of a thread, wherever it stands: handlers of signals.
 *
 * What strikes is a logical thread of its own, so that its accesses are unordered with those of the
 * thread that it interrupts.  When it was picked, it exchanges fibers with that thread, which
 * stands at a decision: its function runs on the thread's stack, with the thread's errno and
 * thread-local storage, and others run meanwhile.  Until it has returned, the thread stands still.
 * Optimised: not, handlers run rarely.
 */
#ifndef RFI_ENGINE_STRIKE_H
#define RFI_ENGINE_STRIKE_H
#include "engine/time.h"

#ifdef RFI_IMPL
/* The thread on whose behalf `t` runs; itself, where it is no handler. */
RFI_INLINE rfi_thr *rfi_base(rfi_thr *t) {
    while (RFI_UNLIKELY(t && t->under)) t = t->under;
    return t;
}

/* What stands on top of all that interrupts it. */
RFI_FN rfi_thr *rfi_topmost(rfi_thr *t) {
    while (t->over) t = t->over;
    return t;
}

/* May something run on top of it now?  It has begun, and stands at a decision from which it may
 * come back. */
RFI_FN bool rfi_may_strike(const rfi_thr *t) {
    if (t->source && !t->under) return false;
    return !t->finished && t->next.kind != RF_EV_END;
}

/* It can go on, or waits as it did. */
RFI_FN void rfi_set_going(rfi_thr *t) {
    if (!t->ready || rfi_ready(t))
        rfi_put(rfi.enabled, t->id);
    else
        rfi_take(rfi.enabled, t->id);
}

RFI_FN void rfi_fibers_exchange(rfi_thr *a, rfi_thr *b) {
    rfi_fiber of = a->fiber;
    a->fiber = b->fiber;
    b->fiber = of;
}

/* The running thread runs `fn` on top of `t`. */
RFI_FN RFI_COLD void rfi_strike(rfi_thr *t, void (*fn)(rfi_thr *by)) {
    rfi_thr *by = rfi.current;
    by->under = t;
    by->strikes = fn;
    t->over = by;
    by->struck = rfi.run.steps;
    rfi.record->kinds |= RFI_STRUCK;
    rfi_take(rfi.enabled, t->id);
    rfi_fiber_jump(&by->fiber, &t->fiber);
}

/* What runs on top of `t` is over; returns when that is to go on, or something else strikes. */
RFI_FN RFI_COLD void rfi_strike_over(rfi_thr *t, rfi_thr *by) {
    rfi_fibers_exchange(by, t);
    by->under = t->over = NULL;
    by->struck = 0;
    rfi_set_going(t);
    rfi.current = by;
    rfi_fiber_jump(&t->fiber, &by->fiber);
}

/* `t`, on whose stack this is, was resumed by what strikes it; returns when it was picked. */
RFI_FN RFI_COLD void rfi_struck(rfi_thr *t) {
    while (t->over) {
        rfi_thr *by = t->over;
        rfi_fibers_exchange(by, t);
        by->strikes(by);
        rfi_strike_over(t, by);
    }
}
#endif
#endif
