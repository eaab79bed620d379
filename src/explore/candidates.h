/* explore/candidates.h: what strategies that examine every candidate share. */
#ifndef RFI_EXPLORE_CANDIDATES_H
#define RFI_EXPLORE_CANDIDATES_H
#include "base/arena.h"
#include "engine/iface.h"

#ifdef RFI_IMPL
/* Loops over the candidates of *c, ascending; `break` is of no use in it. */
# define RFI_EACH_CANDIDATE(t, c)                                                 \
  for (uint32_t rfi_w = 0, t; rfi_w < (c)->rfi_words; rfi_w++)                    \
   for (uint64_t rfi_left = (c)->rfi_set[rfi_w];                                  \
        rfi_left && (t = rfi_w * 64 + (uint32_t)__builtin_ctzll(rfi_left), true); \
        rfi_left &= rfi_left - 1)

/* The candidate with the highest priority; of equals, the first. */
RFI_INLINE uint32_t rfi_highest(const rf_choice *c, const int64_t *priority) {
    uint32_t best = UINT32_MAX;
    RFI_EACH_CANDIDATE(t, c)
    if (best == UINT32_MAX || priority[t] > priority[best]) best = t;
    return best;
}
#endif
#endif
