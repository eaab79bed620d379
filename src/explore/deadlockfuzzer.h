/* explore/deadlockfuzzer.h: DeadlockFuzzer (Joshi, Park, Sen and Naik, PLDI 2009).
 *
 * A thread that is about to make one of the requests of a predicted cycle (thread, lock and context
 * agree under an abstraction, detect/request.h) is paused.  When the last member requests its lock
 * the cycle is closed: the engine, to which a paused thread waits for its lock like a blocked one,
 * ends the execution.  A thread about to take the first lock of its context yields to the others
 * for a while, once at each place, so that all reach theirs.  When all are paused the frame
 * releases one (which is not a member again).
 *
 * A key tells under which abstraction it was made.  By default a warning has keys by site, which
 * tell it from others, and by index; most executions go by index, which hits more often; some by
 * site, since a program may make its threads and locks in another order each time.  All go by site
 * when the warning stands for several cycles by index.
 *
 * Another cycle of locks that occurs is reported as a real warning.
 *
 * Guarantee: what it reports is a deadlock of this execution; and the cycle, if the threads can get
 * to their requests without each other, is closed with probability 1.  Keys may mistake a request
 * for another one, which costs a pause and nothing else.
 */
#ifndef RFI_EXPLORE_DEADLOCKFUZZER_H
#define RFI_EXPLORE_DEADLOCKFUZZER_H
#include "detect/request.h"
#include "engine/iface.h"

#ifdef RFI_IMPL
# define RFI_YIELD_STEPS 20u /* decisions for which others go ahead */
# define RFI_BY_SITE     8u  /* one of so many executions goes by site, if there are both */

typedef enum rfi_part { RFI_PART_NONE, RFI_PART_ENTRY, RFI_PART_COMPONENT } rfi_part;

typedef struct rfi_deadlockfuzzer_state {
    const uint64_t *target;
    uint32_t targets;
    rfi_abstraction by; /* who is paused: those that match the targets made under it */
    rfi_map yielded;    /* thread and place -> it has let others go ahead */
    rf_lock *held;      /* of the request that is looked at */
    uint32_t held_capacity;
    rfi_arena arena; /* of the cycle that is there */
} rfi_deadlockfuzzer_state;

RFI_VAR rfi_deadlockfuzzer_state rfi_deadlocks;

/* The operation as a request; false: it is none that waits for a lock which its thread does not
 * hold. */
RFI_FN bool rfi_request_of(const rf_event *next, rfi_request *r) {
    rfi_deadlockfuzzer_state *d = &rfi_deadlocks;
    uint32_t object = rfi_requested(next), n = 0, all;
    if (!object) return false;
    while ((all = rf_thread_locks(next->thread, d->held, d->held_capacity)) > d->held_capacity)
        d->held = rfi_grow(d->held, &d->held_capacity, all, sizeof *d->held);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t k = 0;
        if (d->held[i].object == object) return false;
        while (k < n && d->held[k].object != d->held[i].object) k++;
        if (k == n) d->held[n++] = d->held[i]; /* else held for reading twice */
    }
    *r = (rfi_request){next->thread, object, next->flags & RF_EV_SHARED, next->site, d->held, n};
    return true;
}

/* What the request is in the cycle that is wanted, under an abstraction. */
RFI_FN rfi_part rfi_part_of(const rf_event *next, rfi_abstraction by) {
    const rfi_deadlockfuzzer_state *d = &rfi_deadlocks;
    rfi_request r;
    if (!rfi_request_of(next, &r)) return RFI_PART_NONE;
    uint64_t key = r.n ? rfi_request_key(&r, by) : rfi_entry_key(&r, by);
    uint64_t mask = r.n ? ~UINT64_C(0) : RFI_ENTRY_MASK;
    for (uint32_t i = 0; i < d->targets; i++)
        if ((d->target[i] & mask) == key) return r.n ? RFI_PART_COMPONENT : RFI_PART_ENTRY;
    return RFI_PART_NONE;
}

RFI_FN bool rfi_deadlockfuzzer_at(const rf_event *next) {
    return (next->kind == RF_EV_LOCK || next->kind == RF_EV_WAKE) &&
           rfi_part_of(next, rfi_deadlocks.by);
}

RFI_FN void rfi_deadlockfuzzer_check(const rf_event *next) {
    if (rfi_part_of(next, rfi_deadlocks.by) == RFI_PART_COMPONENT) {
        rf_check_pause();
        return;
    }
    uint64_t at = rfi_mix(rf_site_key(next->site) + next->thread);
    uint64_t *yielded = rfi_map_at(&rfi_deadlocks.yielded, at);
    if (!*yielded) rf_check_pause_for(RFI_YIELD_STEPS);
    *yielded = 1;
}

/* A copy of the request that the thread waits with; NULL: it waits for something else. */
RFI_FN const rfi_request *rfi_request_kept(uint32_t thread) {
    rfi_arena *arena = &rfi_deadlocks.arena;
    rfi_request *r = rfi_arena_raw(arena, sizeof *r);
    if (!rfi_request_of(rf_next_event(thread), r)) return NULL;
    rf_lock *held = rfi_arena_raw(arena, (r->n + 1) * sizeof *held);
    if (r->n) memcpy(held, r->held, r->n * sizeof *held);
    r->held = held;
    return r;
}

/* A deadlock is there.  Is it the one that is wanted? */
RFI_FN void rfi_deadlockfuzzer_stuck(const uint32_t *thread, uint32_t count, bool cycle) {
    rfi_arena *arena = &rfi_deadlocks.arena;
    bool wanted = true; /* by the keys that tell it from other cycles: these come first */
    rfi_abstraction by = rfi_key_abstraction(rfi_deadlocks.target[0]);
    if (!cycle) return;
    rfi_arena_reset(arena);
    const rfi_request **member = rfi_arena_raw(arena, count * sizeof *member);
    for (uint32_t i = 0; i < count; i++) {
        if (!(member[i] = rfi_request_kept(thread[i]))) return;
        wanted &= rfi_part_of(rf_next_event(thread[i]), by) == RFI_PART_COMPONENT;
    }
    rf_warning w;
    (void)rfi_cycle_warning(&w, "deadlockfuzzer", member, count, arena);
    w.real = true;
    rf_warn(&w);
    if (wanted) rf_check_hit(rf_next_event(thread[0]), rf_next_event(thread[count - 1]));
}

RFI_FN void rfi_deadlockfuzzer_begin(uint64_t seed) {
    rfi_deadlockfuzzer_state *d = &rfi_deadlocks;
    rf_prng chance = {seed};
    d->target = rf_check_targets(&d->targets);
    d->by = rfi_key_abstraction(d->target[0]);
    uint32_t telling = 1, helpers;
    while (telling < d->targets && rfi_key_abstraction(d->target[telling]) == d->by) telling++;
    helpers = d->targets - telling;
    if (rfi_below(&chance, RFI_BY_SITE) && helpers && helpers <= telling)
        d->by = RFI_ABSTRACT_INDEX;
    rfi_map_reset(&d->yielded);
    rfi_scopes_begin(d);
}

RFI_FN void rfi_deadlockfuzzer_event(const rf_event *e) { rfi_scopes_event(&rfi_deadlocks, e); }

RFI_VAR rf_checker rfi_deadlockfuzzer = {.name = "deadlockfuzzer",
                                         .help = "brings threads into the cycle of a deadlock",
                                         .confirms = RF_FAMILY_BIT(RF_FAMILY_DEADLOCK),
                                         .events = RFI_SCOPES_EVENTS,
                                         .begin = rfi_deadlockfuzzer_begin,
                                         .is_breakpoint = rfi_deadlockfuzzer_at,
                                         .check = rfi_deadlockfuzzer_check,
                                         .event = rfi_deadlockfuzzer_event,
                                         .stuck = rfi_deadlockfuzzer_stuck,
                                         .end = rfi_scopes_end};
#endif
#endif
