/* engine/time.h: virtual time, and operations that end when enough of it has passed.
 *
 * Time is counted in milliseconds and stands still while threads make steps.  A plan says how much
 * of it may pass early, which means while some thread could go on: as much as there is (any), or so
 * many milliseconds in an execution (a machine may hold the others back for so long), or none.  An
 * operation with a deadline that is farther away is no candidate.  Where nobody else can go on,
 * time passes up to the next deadline.  The same happens after a number of steps, since some
 * threads work until another one, which sleeps, tells them to stop.
 *
 * Invariant: `due` of a thread is 0 or in the future; `timed` says whether its deadline may pass
 * now.
 */
#ifndef RFI_ENGINE_TIME_H
#define RFI_ENGINE_TIME_H
#include "engine/ending.h"

#ifdef RFI_IMPL
# define RFI_EARLY_SOME 50u            /* ms: a few slices of a machine's time */
# define RFI_LATE_SHARE 50u            /* of the step limit: after so many steps time passes */
# define RFI_LATE_LEAST UINT64_C(1000) /* each time half as many, but no less */

/* Somebody other than `t` who could go on and does not spin; RFI_NO_THREAD: there is nobody. */
RFI_FN uint32_t rfi_other_goes_on(const rfi_thr *t) {
    for (uint32_t w = 0; w < rfi.run.words; w++) {
        uint64_t bits = rfi.enabled[w] & ~rfi.paused[w] & ~rfi.lazy[w];
        if (t->id / 64 == w) bits &= ~(UINT64_C(1) << t->id % 64);
        if (bits) return w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return RFI_NO_THREAD;
}

/* How much time may pass yet although others can go on. */
RFI_INLINE uint64_t rfi_early_left(void) {
    uint64_t late = rfi.plan->late, passed = rfi.run.early;
    return !late ? UINT64_MAX : late > passed ? late - 1 - passed : 0;
}

/* A deadline may pass before the lock is free. */
RFI_INLINE bool rfi_ready(const rfi_thr *t) {
    return !t->over && (t->ready(t) || (t->timed && t->next.kind == RF_EV_LOCK));
}

/* Which deadlines may pass is not what it was. */
RFI_FN RFI_COLD void rfi_time_moved(void) {
    uint64_t left = rfi_early_left();
    for (uint32_t i = 0; i < rfi.run.threads && rfi.run.dues; i++) {
        rfi_thr *t = rfi.thread[i];
        if (!t->due) continue;
        t->timed = t->due <= rfi.run.now || t->due - rfi.run.now <= left;
        if (t->due <= rfi.run.now) {
            t->due = 0;
            rfi.run.attention -= !--rfi.run.dues;
        }
        if (rfi_ready(t))
            rfi_put(rfi.enabled, i);
        else
            rfi_take(rfi.enabled, i);
    }
}

RFI_FN void rfi_now_to(uint64_t now) {
    if (rfi.run.now >= now) return;
    if (RFI_UNLIKELY(rfi.run.passes != NULL)) rfi.run.passes(now - rfi.run.now);
    rfi.run.now = now;
    rfi.run.moved = rfi.run.steps;
    if (RFI_UNLIKELY(rfi.run.dues != 0)) rfi_time_moved();
}

/* The next operation of the running thread that may end by itself does so in so much time. */
RFI_FN void rfi_deadline(uint64_t ms) {
    if (rfi.current) rfi.current->until = rfi.run.now + ms;
}

/* What `t` does next has a deadline (t->until). */
RFI_FN void rfi_due(rfi_thr *t) {
    uint64_t left = rfi_early_left();
    t->timed = t->until <= rfi.run.now || t->until - rfi.run.now <= left;
    if (!rfi.plan->late || t->until <= rfi.run.now) return;
    rfi.record->deadlines = true;
    rfi.record->late |= !t->timed;
    t->due = t->until;
    if (rfi.run.dues++) return;
    rfi.run.attention++;
    rfi.run.moved = rfi.run.steps;
}

/* The same of what is not ready whenever its deadline may pass early. */
RFI_FN void rfi_due_always(rfi_thr *t) {
    rfi_due(t);
    if (t->due || t->until <= rfi.run.now) return;
    t->due = t->until;
    rfi.run.attention += !rfi.run.dues++;
}

RFI_FN RFI_COLD void rfi_by_itself_note(rfi_by_itself *r, const rfi_thr *t, uint32_t other) {
    *r = (rfi_by_itself){.count = r->count + 1,
                         .thread = t->id,
                         .other = other,
                         .sleep = t->next.kind == RF_EV_SLEEP,
                         .site = t->next.site};
}

/* The wait of `t`, which runs, has ended by itself; by a signal that is not so. */
RFI_FN RFI_COLD void rfi_unwoken_note(const rfi_thr *t) {
    if (!t->interrupted) rfi_by_itself_note(&rfi.record->unwoken, t, t->id);
}

/* `t`, which runs, has done it, or its deadline has passed. */
RFI_FN void rfi_due_over(rfi_thr *t, bool expired) {
    uint64_t until = t->until;
    if (t->due) rfi.run.attention -= !--rfi.run.dues;
    t->due = 0;
    t->timed = false;
    if (!expired || until <= rfi.run.now) return;
    uint32_t other = rfi_other_goes_on(t);
    if (other != RFI_NO_THREAD) {
        rfi.run.early += until - rfi.run.now;
        rfi_by_itself_note(&rfi.record->early, t, other);
    }
    rfi_now_to(until);
}

/* The thread with the next deadline; NULL: nobody has one. */
RFI_FN rfi_thr *rfi_next_due(void) {
    rfi_thr *next = NULL;
    for (uint32_t i = 0; rfi.run.dues && i < rfi.run.threads; i++) {
        rfi_thr *t = rfi.thread[i];
        if (t->due && (!next || t->due < next->due)) next = t;
    }
    return next;
}

/* How far away the next deadline is; UINT64_MAX: nobody has one. */
RFI_FN uint64_t rfi_time_to_next(void) {
    const rfi_thr *next = rfi_next_due();
    return next ? next->due - rfi.run.now : UINT64_MAX;
}

/* Nobody can go on, but for spinners, and for those that a checker holds: for these, only sleepers
 * do not wait, since the checker may wait for them.  The thread whose deadline passes; NULL: there
 * is none, or the execution is to end first. */
RFI_FN RFI_COLD rfi_thr *rfi_time_passes(void) {
    rfi_thr *next = rfi_next_due();
    if (!next || rfi_end_due()) return NULL;
    if (rfi.frame.paused_count && next->next.kind != RF_EV_SLEEP) return NULL;
    rfi_now_to(next->due);
    return next;
}

/* Have others made so many steps that time passes?  Each time it takes half as many. */
RFI_FN bool rfi_time_impatient(void) {
    uint64_t steps = rfi.plan->max_steps / RFI_LATE_SHARE >> rfi.run.impatient;
    if (rfi.run.steps - rfi.run.moved < (steps > RFI_LATE_LEAST ? steps : RFI_LATE_LEAST))
        return false;
    rfi.run.impatient += steps > RFI_LATE_LEAST;
    return true;
}

/* `t` is about to execute its operation, or another one is, and somebody has a deadline. */
RFI_FN RFI_COLD void rfi_time_look(const rfi_thr *t) {
    if (!rfi_time_impatient()) return;
    const rfi_thr *next = rfi_time_passes();
    if (next && next != t) rfi_by_itself_note(&rfi.record->early, next, t->id);
}

/* The running thread looks at the clock again and again. */
RFI_FN void rfi_time_polled(void) {
    bool early = rfi_other_goes_on(rfi.current) != RFI_NO_THREAD;
    if (early && !rfi_early_left() && !rfi_time_impatient()) {
        rfi.record->late = true;
        return;
    }
    rfi.run.early += early;
    rfi_now_to(rfi.run.now + 1);
}
#endif
#endif
