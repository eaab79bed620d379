/* explore/sticky.h: the simple random scheduler with long runs.
 *
 * A thread continues for as long as it can; at each decision another one replaces it with
 * probability 1/N (parameter; 20).  Uniform switching (explore/random.h) hardly ever lets a thread
 * make many steps in a row, and misses what needs that; the remedy is that of Miri's preemption
 * rate.
 *
 * Guarantee: every interleaving of a terminating program has positive probability: with n threads,
 * s steps and p preemptions at least (1 - 1/N)^s / (N n)^p / n^b, where b times a thread that ran
 * blocked or ended.
 */
#ifndef RFI_EXPLORE_STICKY_H
#define RFI_EXPLORE_STICKY_H
#include "engine/iface.h"

#ifdef RFI_IMPL
RFI_VAR rf_prng rfi_sticky_stream;
RFI_VAR uint32_t rfi_sticky_steps = 20;

RFI_FN void rfi_sticky_begin(uint64_t seed) { rfi_sticky_stream = (rf_prng){seed}; }

RFI_FN uint32_t rfi_sticky_pick(const rf_choice *c) {
    rf_prng *stream = &rfi_sticky_stream;
    if (!rf_choice_has(c, c->last)) return rfi_choice_at(c, rfi_below(stream, c->count));
    if (c->count == 1 || rfi_below(stream, rfi_sticky_steps)) return c->last;
    uint32_t i = rfi_below(stream, c->count - 1), t = rfi_choice_at(c, i);
    return t < c->last ? t : rfi_choice_at(c, i + 1);
}

RFI_VAR rf_strategy rfi_sticky = {.name = "sticky",
                                  .help = "stays with a thread, another one with probability 1/N",
                                  .begin = rfi_sticky_begin,
                                  .pick = rfi_sticky_pick,
                                  .parameter = &rfi_sticky_steps,
                                  .least = 2,
                                  .most = 1000000,
                                  .of_parameter = "steps"};
#endif
#endif
