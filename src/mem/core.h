/* mem/core.h: what the parts of the model share: settings, threads, chance, the report. */
#ifndef RFI_MEM_CORE_H
#define RFI_MEM_CORE_H
#include "base/prng.h"
#include "mem/face.h"
#include "mem/threads.h"

#ifdef RFI_IMPL
typedef struct rfi_core {
    rf_mem_options options;               /* put right: no zeros left */
    rf_heuristic plain_pick, atomic_pick; /* with RF_PICK_MIXED drawn */
    uint32_t atomic_history;              /* stores kept of an atomic location */
    rfi_actors threads;
    rf_prng chance;
    rf_mem_report report;
    const struct rfi_kept *read;   /* the store that an atomic read returned; NULL: `report` says */
    uint64_t visible;              /* the stores that the last atomic read could return */
    uint8_t read_slot, write_slot; /* of the last atomic access, among the kept stores */
    bool forgot;                   /* a store that could be read, since there were too many */
    uint32_t known_at; /* RF_MEM_UNANNOUNCED: the time until which memory was as announced */
} rfi_core;

/* Uniform in 0..n-1. */
RFI_INLINE uint32_t rfi_core_choose(rfi_core *c, uint32_t n) {
    if (n < 2) return 0;
    if (RFI_UNLIKELY(c->options.choose != NULL)) return c->options.choose(c->options.arg, n);
    return rfi_below(&c->chance, n);
}

/* Entries that a read can return, as a set of bits whose order is age, oldest lowest. */
typedef uint64_t rfi_ages;

RFI_INLINE uint32_t rfi_ages_count(rfi_ages s) { return (uint32_t)__builtin_popcountll(s); }
RFI_INLINE uint32_t rfi_ages_oldest(rfi_ages s) { return (uint32_t)__builtin_ctzll(s); }
RFI_INLINE uint32_t rfi_ages_newest(rfi_ages s) { return 63 - (uint32_t)__builtin_clzll(s); }

RFI_FN uint32_t rfi_ages_at(rfi_ages s, uint32_t i) {
    while (i--) s &= s - 1;
    return rfi_ages_oldest(s);
}

/* One of `all` (not empty) by the rules of algorithm 7.2; `different` are those of them whose value
 * is not the one returned before. */
RFI_FN uint32_t rfi_core_pick(rfi_core *c, rf_heuristic pick, rfi_ages all, rfi_ages different) {
    if (!(all & (all - 1))) return rfi_ages_oldest(all);
    if (RFI_UNLIKELY(c->options.choose != NULL))
        return rfi_ages_at(all, rfi_core_choose(c, rfi_ages_count(all)));
    switch (pick) {
    case RF_PICK_NEWEST: break;
    case RF_PICK_OLDEST: return rfi_ages_oldest(all);
    case RF_PICK_OLDEST_DIFFERENT:
        if (different) return rfi_ages_oldest(different);
        break;
    case RF_PICK_RANDOM: return rfi_ages_at(all, rfi_below(&c->chance, rfi_ages_count(all)));
    case RF_PICK_RANDOM_DIFFERENT:
        if (!different) break;
        return rfi_ages_at(different, rfi_below(&c->chance, rfi_ages_count(different)));
    case RF_PICK_RECENT:
    case RF_PICK_MIXED:
        if (rfi_coin(&c->chance)) break;
        return rfi_ages_at(all, rfi_below(&c->chance, rfi_ages_count(all)));
    }
    return rfi_ages_newest(all);
}
#endif
#endif
