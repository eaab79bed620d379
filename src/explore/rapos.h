/* explore/rapos.h: random partial order sampling, approximately (Sen, "Effective random testing of
 * concurrent programs", ASE 2007).
 *
 * Executions go in rounds.  A round is a random set of operations that commute with each other;
 * all of it executes.  The next one is drawn from the operations that do not commute with something
 * in it, or could not complete before, if there are any: what commutes with a round might as well
 * have been part of it, so a partial order is reached by few series of rounds.  So that no thread
 * starves, some rounds are drawn from all.
 *
 * Guarantee: every partial order of a terminating program has positive probability (its operations
 * in layers, each as early as its predecessors allow, are one series of rounds); nothing is claimed
 * about how large it is.  The paper's rules for drawing a round may differ.
 */
#ifndef RFI_EXPLORE_RAPOS_H
#define RFI_EXPLORE_RAPOS_H
#include "explore/candidates.h"

#ifdef RFI_IMPL
# define RFI_RAPOS_ANY 16u /* one round of so many is drawn from all candidates */

typedef struct rfi_rapos_state {
    rf_prng stream;
    rf_event *round; /* its operations, */
    uint32_t count, picked;
    uint32_t *pool; /* threads that it is drawn from, */
    bool *could;    /* and whether each thread could go on when it began */
    uint32_t known, rounds, pools, coulds;
} rfi_rapos_state;

RFI_VAR rfi_rapos_state rfi_rapos_of;

RFI_FN void rfi_rapos_begin(uint64_t seed) {
    rfi_rapos_state *r = &rfi_rapos_of;
    r->stream = (rf_prng){seed};
    r->count = r->picked = r->known = 0;
}

/* Does the operation depend on something in the round? */
RFI_FN bool rfi_rapos_depends(const rf_event *e) {
    const rfi_rapos_state *r = &rfi_rapos_of;
    for (uint32_t i = 0; i < r->count; i++)
        if (rf_events_depend(&r->round[i], e)) return true;
    return false;
}

/* Has the thread something to do after the round that could not be part of it? */
RFI_FN bool rfi_rapos_follows(uint32_t t) {
    const rfi_rapos_state *r = &rfi_rapos_of;
    return t >= r->known || !r->could[t] || rfi_rapos_depends(rf_next_event(t));
}

/* The threads that the next round is drawn from, in random order. */
RFI_FN uint32_t rfi_rapos_fill(const rf_choice *c) {
    rfi_rapos_state *r = &rfi_rapos_of;
    uint32_t n = 0;
    if (rfi_below(&r->stream, RFI_RAPOS_ANY)) RFI_EACH_CANDIDATE(t, c)
    if (rfi_rapos_follows(t)) r->pool[n++] = t;
    if (!n) RFI_EACH_CANDIDATE(t, c) r->pool[n++] = t;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = rfi_below(&r->stream, i), t = r->pool[j];
        r->pool[j] = r->pool[i - 1];
        r->pool[i - 1] = t;
    }
    return n;
}

RFI_FN void rfi_rapos_draw(const rf_choice *c) {
    rfi_rapos_state *r = &rfi_rapos_of;
    uint32_t threads = rf_threads();
    r->round = rfi_grow(r->round, &r->rounds, threads, sizeof *r->round);
    r->pool = rfi_grow(r->pool, &r->pools, threads, sizeof *r->pool);
    r->could = rfi_grow(r->could, &r->coulds, threads, sizeof *r->could);
    uint32_t n = rfi_rapos_fill(c);
    r->known = threads;
    memset(r->could, 0, threads * sizeof *r->could);
    RFI_EACH_CANDIDATE(t, c) r->could[t] = true;
    r->count = r->picked = 0;
    for (uint32_t i = 0; i < n; i++) {
        const rf_event *e = rf_next_event(r->pool[i]);
        if (rfi_coin(&r->stream) && !rfi_rapos_depends(e)) r->round[r->count++] = *e;
    }
    if (!r->count) r->round[r->count++] = *rf_next_event(r->pool[0]);
}

RFI_FN uint32_t rfi_rapos_pick(const rf_choice *c) {
    rfi_rapos_state *r = &rfi_rapos_of;
    while (r->picked < r->count) {
        uint32_t t = r->round[r->picked++].thread;
        if (rf_choice_has(c, t)) return t;
    }
    rfi_rapos_draw(c);
    return r->round[r->picked++].thread;
}

RFI_VAR rf_strategy rfi_rapos = {.name = "rapos",
                                 .help = "samples partial orders in rounds",
                                 .begin = rfi_rapos_begin,
                                 .pick = rfi_rapos_pick,
                                 .lone = true};
#endif
#endif
