/* explore/delay.h: random delays, as ConTest makes them.
 *
 * Edelstein, Farchi, Nir, Ratsaby and Ur, "Multithreaded Java program test generation", IBM Systems
 * Journal 41(1), 2002.  A thread that announces an operation is delayed with a probability
 * (parameter: per cent; 10), for 1 to 50 steps where ConTest takes a time.  Otherwise the thread
 * of the last step continues: only delays cause preemptions.  When all are delayed, the one whose
 * delay ends first continues.
 *
 * There is no guarantee: a delay that is shorter than the other thread's path to the conflicting
 * operation has no effect.
 */
#ifndef RFI_EXPLORE_DELAY_H
#define RFI_EXPLORE_DELAY_H
#include "explore/candidates.h"

#ifdef RFI_IMPL
# define RFI_DELAY_STEPS 50u

typedef struct rfi_delay_state {
    rf_prng stream;
    uint64_t now, latest; /* in steps; no delay ends later */
    uint64_t *until;      /* by thread: its delay ends */
    uint32_t known, capacity;
} rfi_delay_state;

RFI_VAR rfi_delay_state rfi_delays;
RFI_VAR uint32_t rfi_delay_percent = 10;

RFI_FN void rfi_delay_begin(uint64_t seed) {
    rfi_delay_state *d = &rfi_delays;
    d->stream = (rf_prng){seed};
    d->now = d->latest = 0;
    d->known = 0;
}

/* The thread has announced an operation. */
RFI_FN void rfi_delay_announced(uint32_t t) {
    rfi_delay_state *d = &rfi_delays;
    d->until[t] = 0;
    if (rfi_below(&d->stream, 100) >= rfi_delay_percent) return;
    d->until[t] = d->now + 1 + rfi_below(&d->stream, RFI_DELAY_STEPS);
    if (d->until[t] > d->latest) d->latest = d->until[t];
}

/* One of those that are not delayed; if all are, the one that is for the shortest time. */
RFI_FN uint32_t rfi_delay_draw(const rf_choice *c) {
    rfi_delay_state *d = &rfi_delays;
    uint32_t ready = 0, first = UINT32_MAX, drawn = UINT32_MAX;
    RFI_EACH_CANDIDATE(t, c) {
        ready += d->until[t] <= d->now;
        if (first == UINT32_MAX || d->until[t] < d->until[first]) first = t;
    }
    if (!ready) return first;
    uint32_t left = rfi_below(&d->stream, ready);
    RFI_EACH_CANDIDATE(t, c)
    if (d->until[t] <= d->now && !left--) drawn = t;
    return drawn;
}

RFI_FN uint32_t rfi_delay_pick(const rf_choice *c) {
    rfi_delay_state *d = &rfi_delays;
    uint32_t threads = rf_threads();
    d->now++;
    if (c->last < d->known) rfi_delay_announced(c->last);
    if (RFI_UNLIKELY(d->known < threads))
        d->until = rfi_grow(d->until, &d->capacity, threads, sizeof *d->until);
    while (d->known < threads) rfi_delay_announced(d->known++);
    if (d->until[c->last] <= d->now && rf_choice_has(c, c->last)) return c->last;
    if (d->latest <= d->now) return rfi_choice_at(c, rfi_below(&d->stream, c->count));
    return rfi_delay_draw(c);
}

RFI_VAR rf_strategy rfi_delay = {.name = "delay",
                                 .help = "delays threads now and then, as ConTest does",
                                 .begin = rfi_delay_begin,
                                 .pick = rfi_delay_pick,
                                 .lone = true,
                                 .parameter = &rfi_delay_percent,
                                 .least = 0,
                                 .most = 100,
                                 .of_parameter = "per cent"};
#endif
#endif
