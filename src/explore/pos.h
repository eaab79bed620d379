/* explore/pos.h: partial order sampling (Yuan, Yang and Gu, "Partial order aware concurrency
 * sampling", CAV 2018).
 *
 * Every announced operation has a random priority; the highest one executes, and those of other
 * threads that do not commute with it get new ones, also those that can't complete now.  Private
 * steps of one thread do not change the chances between others, as they do in a random walk.
 * Guarantee: every partial order (executions that differ in the order of operations which commute)
 * has positive probability, with a lower bound that is exponentially better than that of a random
 * walk; it is not uniform over them.
 *
 * Threads that poll draw all the time; so that they starve no other thread, spinners have the
 * lowest priority, and after each 1,000 steps all draw again.
 */
#ifndef RFI_EXPLORE_POS_H
#define RFI_EXPLORE_POS_H
#include "explore/candidates.h"

#ifdef RFI_IMPL
# define RFI_POS_ANEW 1000u

typedef struct rfi_pos_state {
    rf_prng stream;
    uint64_t steps;
    int64_t lowest;    /* of those that spin */
    int64_t *priority; /* by thread, of its announced operation */
    uint32_t known, capacity;
} rfi_pos_state;

RFI_VAR rfi_pos_state rfi_pos_of;

RFI_FN void rfi_pos_begin(uint64_t seed) {
    rfi_pos_of.stream = (rf_prng){seed};
    rfi_pos_of.steps = 0;
    rfi_pos_of.lowest = 0;
    rfi_pos_of.known = 0;
}

RFI_INLINE void rfi_pos_fresh(uint32_t t) {
    rfi_pos_of.priority[t] = (int64_t)(rfi_draw(&rfi_pos_of.stream) >> 1);
}

RFI_FN uint32_t rfi_pos_pick(const rf_choice *c) {
    rfi_pos_state *p = &rfi_pos_of;
    uint32_t threads = rf_threads();
    if (RFI_UNLIKELY(++p->steps % RFI_POS_ANEW == 0)) p->known = 0;
    if (c->last < p->known) rfi_pos_fresh(c->last);
    if (RFI_UNLIKELY(p->known < threads))
        p->priority = rfi_grow(p->priority, &p->capacity, threads, sizeof *p->priority);
    while (p->known < threads) rfi_pos_fresh(p->known++);
    if (RFI_UNLIKELY(rf_thread_spins(c->last))) p->priority[c->last] = --p->lowest;
    uint32_t next = rfi_highest(c, p->priority);
    const rf_event *e = rf_next_event(next);
    for (uint32_t t = 0; t < threads; t++)
        if (t != next && rf_thread_alive(t) && rf_events_depend(e, rf_next_event(t)))
            rfi_pos_fresh(t);
    return next;
}

RFI_VAR rf_strategy rfi_pos = {.name = "pos",
                               .help = "samples partial orders",
                               .begin = rfi_pos_begin,
                               .pick = rfi_pos_pick,
                               .lone = true};
#endif
#endif
