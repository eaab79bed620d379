/* explore/random.h: the simple random scheduler.
 *
 * Uniform over the enabled threads at every decision: the scheduler inside RaceFuzzer (Sen, PLDI
 * 2008, section 2.2) and the baseline of its evaluation.  Guarantee: every interleaving
 * of a terminating program has positive probability, the product of 1/|enabled| over
 * its decisions; it is not uniform over interleavings.
 */
#ifndef RFI_EXPLORE_RANDOM_H
#define RFI_EXPLORE_RANDOM_H
#include "engine/iface.h"

#ifdef RFI_IMPL
RFI_VAR rf_prng rfi_random_stream;

RFI_FN void rfi_random_begin(uint64_t seed) { rfi_random_stream = (rf_prng){seed}; }

RFI_FN uint32_t rfi_random_pick(const rf_choice *c) {
    return rfi_choice_at(c, rfi_below(&rfi_random_stream, c->count));
}

RFI_VAR rf_strategy rfi_random = {.name = "random",
                                  .help = "uniform over the enabled threads",
                                  .begin = rfi_random_begin,
                                  .rfi_uniform = &rfi_random_stream,
                                  .pick = rfi_random_pick};
#endif
#endif
