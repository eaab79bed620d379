/* base/prng.h: the one source of chance.
 *
 * Every random choice of an execution comes from one seed, split by purpose, so that a feature
 * which draws more or fewer numbers (memory, inputs) does not change the other streams.  The
 * generator is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014): one add and one finaliser a draw, seeding costs nothing.
 */
#ifndef RFI_BASE_PRNG_H
#define RFI_BASE_PRNG_H
#include "base/platform.h"

typedef struct rf_prng {
    uint64_t state;
} rf_prng;

#ifdef RFI_IMPL
# define RFI_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The finaliser of SplitMix64: a bijection whose output bits all depend on all input bits. */
RFI_INLINE uint64_t rfi_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* One of several streams of a seed that is itself well mixed.  They are far apart on the one cycle
 * of the generator; what is drawn is mixed anyway. */
RFI_INLINE rf_prng rfi_prng_make(uint64_t seed, uint64_t purpose) {
    rf_prng r = {seed + purpose * UINT64_C(0xd1342543de82ef95)};
    return r;
}

RFI_INLINE uint64_t rfi_draw(rf_prng *r) { return rfi_mix(r->state += RFI_GOLDEN); }

/* Uniform in 0..n-1 for n >= 1, without bias (Lemire 2019, multiply and reject). */
RFI_INLINE uint32_t rfi_below(rf_prng *r, uint32_t n) {
    uint64_t m = (rfi_draw(r) >> 32) * n;
    if (RFI_UNLIKELY((uint32_t)m < n)) {
        uint32_t reject = (0u - n) % n;
        while ((uint32_t)m < reject) m = (rfi_draw(r) >> 32) * n;
    }
    return (uint32_t)(m >> 32);
}

RFI_INLINE bool rfi_coin(rf_prng *r) { return rfi_draw(r) >> 63; }

/* True with probability p / 65536. */
RFI_INLINE bool rfi_chance(rf_prng *r, uint32_t p) { return (rfi_draw(r) >> 48) < p; }
#endif
#endif
