/* engine/rounds.h: loops that change nothing, recognised by what they repeat.
 *
 * A thread that makes step after step while no other makes one, and does the same in each round
 * (operations, statements, places, values read and written), comes back to the state that it began
 * the round in, but for what nobody sees, a bound that it counts to: it spins, however many loads,
 * stores and failed exchanges a round has.  Where others make steps in between, equal loads in a
 * row do (access.h).
 *
 * The last steps are remembered; the candidate for the length of a round grows by one whenever a
 * step is not what the candidate says.
 *
 * Under a strategy that goes through all choices, where all accesses are steps, each thread's steps
 * are remembered until another one changes what they have read or written, and a spinner whose last
 * two rounds were the same awaits that: another round would be the same once more.
 */
#ifndef RFI_ENGINE_ROUNDS_H
#define RFI_ENGINE_ROUNDS_H
#include "engine/depend.h"
#include "engine/trace.h"

#ifdef RFI_IMPL
# define RFI_ROW        16u /* steps in a row of one thread, before it is looked at */
# define RFI_ROUND_MOST 64u /* steps that are remembered: a power of two */

typedef struct rfi_round {
    uint64_t step[RFI_ROUND_MOST]; /* hashes of the last ones */
    uint64_t at;                   /* number of the last one in the execution; 0: there is none */
    uint32_t steps, length, same;  /* so many; of a round; in a row that were the same */
    uint64_t bits;                 /* of what they touch, of a thread's own; */
    uint32_t changed;              /* behind so many another thread has changed some of that; */
    uint32_t awaits;               /* steps of the round that is not to be made again */
    rf_event event[];              /* the steps, of a thread's own */
} rfi_round;

/* Of the thread that runs; or each one has its own. */
RFI_VAR rfi_round rfi_rounds;

/* An execution knows nothing of those before it. */
RFI_FN void rfi_rounds_begin(void) {
    const rfi_plan *p = rfi.plan;
    bool own = p->strategy->repeats && !p->checker && p->mode & RFI_POINT;
    rfi.run.row = own ? 0 : RFI_ROW;
    if (own) rfi.observed |= RFI_AWAITED;
    rfi_rounds.at = 0;
}

/* Another thread makes a step, the next one. */
RFI_INLINE uint64_t rfi_row_from(void) {
    return rfi.observed & RFI_AWAITED ? 0 : rfi.run.steps + RFI_ROW;
}

RFI_FN rfi_round *rfi_round_of(rfi_thr *t) {
    if (!(rfi.observed & RFI_AWAITED)) return &rfi_rounds;
    if (t->round) return t->round;
    t->round =
        rfi_arena_take(&rfi.arena, sizeof *t->round + RFI_ROUND_MOST * sizeof *t->round->event);
    t->round->at = 0;
    return t->round;
}

/* Steps without effect on others, if they only repeat what was there.  Calls are none where a
 * spinner awaits that another thread changes what it looks at: what they look at changes unseen. */
RFI_FN bool rfi_round_part(const rf_event *e) {
    uint64_t kinds = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) |
                     RF_EV_BIT(RF_EV_FENCE) | RF_EV_BIT(RF_EV_YIELD) | RF_EV_BIT(RF_EV_TRYFAIL);
    if (!(rfi.observed & RFI_AWAITED)) kinds |= RF_EV_BIT(RF_EV_CALL);
    return kinds & RF_EV_BIT(e->kind) && !(e->flags & RF_EV_TIMED);
}

RFI_FN uint64_t rfi_round_hash(const rf_event *e) {
    uint64_t h = rfi_mix((uint64_t)(uintptr_t)e->site + e->kind);
    h = rfi_mix(h + (uint64_t)(uintptr_t)e->addr + e->object);
    return rfi_mix(h + e->value) + e->value2;
}

RFI_FN bool rfi_round_known(const rfi_round *r) { return r->same >= RFI_SPIN_REPEAT * r->length; }

/* Has no other thread changed anything during the last `n` steps? */
RFI_FN bool rfi_round_whole(const rfi_round *r, uint32_t n) {
    return r == &rfi_rounds || r->steps - r->changed >= n;
}

/* The last so many steps were the same as those before them; 0: they were not. */
RFI_FN uint32_t rfi_round_twice(const rfi_round *r) {
    uint32_t kept = r->steps < RFI_ROUND_MOST ? r->steps : RFI_ROUND_MOST;
    for (uint32_t n = 1; r->at && 2 * n <= kept; n++) {
        uint32_t i = 1;
        while (i <= n && r->step[(r->steps - i) % RFI_ROUND_MOST] ==
                             r->step[(r->steps - i - n) % RFI_ROUND_MOST])
            i++;
        if (i > n) return n;
    }
    return 0;
}

/* Steps of a round of the loop that `t` is in, as far as is known; 0: it is in none. */
RFI_FN uint32_t rfi_round_period(rfi_thr *t) {
    const rfi_round *r = rfi_round_of(t);
    if (r != &rfi_rounds) return rfi_round_twice(r);
    return r->at && r->at == rfi.run.steps && rfi_round_known(r) ? r->length : 0;
}

/* Would the operation that `t` has announced be the next step of the round? */
RFI_FN bool rfi_round_next(rfi_thr *t) {
    const rfi_round *r = rfi_round_of(t);
    uint32_t n = rfi_round_period(t);
    return n && r->step[(r->steps - n) % RFI_ROUND_MOST] == rfi_round_hash(&t->next);
}

/* The running thread has executed `e`.  True: that was one more round. */
RFI_FN RFI_APART bool rfi_round_again(const rf_event *e) {
    rfi_round *r = rfi_round_of(rfi.current);
    bool own = r != &rfi_rounds;
    bool goes_on = own ? r->at : r->at + 1 == rfi.run.steps && rfi.run.steps > rfi.run.row + 1;
    r->at = rfi_round_part(e) ? rfi.run.steps : 0;
    if (!goes_on) r->steps = r->same = r->changed = 0, r->length = 1, r->bits = 0;
    if (!r->at) return false;
    uint64_t h = rfi_round_hash(e);
    bool same = r->steps >= r->length && r->step[(r->steps - r->length) % RFI_ROUND_MOST] == h;
    if (own) r->event[r->steps % RFI_ROUND_MOST] = *e, r->bits |= rfi_event_bits(e);
    r->step[r->steps++ % RFI_ROUND_MOST] = h;
    r->same = same ? r->same + 1 : 0;
    if (!same) r->length = r->length % (RFI_ROUND_MOST - 1) + 1;
    return same && rfi_round_known(r) && r->same % r->length == 0 && rfi_round_whole(r, r->length);
}

/* ---- spinners that await ---- */

/* Is the next round of `t`, a spinner, not known to be the same once more, since what it looks at
 * has changed? */
RFI_FN bool rfi_round_fresh(rfi_thr *t) {
    const rfi_round *r = rfi_round_of(t);
    return r != &rfi_rounds && !rfi_round_whole(r, rfi_round_twice(r));
}

/* `t` is held back as a spinner: does it await something that is seen? */
RFI_FN RFI_COLD void rfi_await_begin(rfi_thr *t) {
    rfi_round *r = rfi_round_of(t);
    uint32_t n = rfi_sees_accesses() ? rfi_round_twice(r) : 0;
    for (uint32_t i = 1; i <= n; i++) {
        const rf_event *e = &r->event[(r->steps - i) % RFI_ROUND_MOST];
        if (!e->object && (!e->size || rfi_trace_on_stack(e->addr, t->id))) continue;
        r->awaits = n;
        rfi_put(rfi.awaiting, t->id);
        return;
    }
}

/* Has `e` changed what that step has read or written? */
RFI_FN bool rfi_round_changed(const rf_event *step, const rf_event *e) {
    uint64_t was = step->kind == RF_EV_RMW ? step->value2 : step->value;
    uint64_t is = e->kind == RF_EV_RMW ? e->value2 : e->value;
    if (e->kind == RF_EV_TRYFAIL || !rf_events_depend(step, e)) return false;
    return !e->addr || e->addr != step->addr || e->size != step->size || e->size > sizeof is ||
           e->flags & RF_EV_RANGE || was != is;
}

/* The same of the round that `t` awaits not to make again, or of all that is remembered of it. */
RFI_FN bool rfi_rounds_changed(const rfi_thr *t, const rf_event *e) {
    const rfi_round *r = t->round;
    uint32_t n = r->steps < RFI_ROUND_MOST ? r->steps : RFI_ROUND_MOST;
    if (rfi_in(rfi.awaiting, t->id)) n = r->awaits;
    for (uint32_t i = 1; i <= n; i++)
        if (rfi_round_changed(&r->event[(r->steps - i) % RFI_ROUND_MOST], e)) return true;
    return false;
}
#endif
#endif
