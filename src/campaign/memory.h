/* campaign/memory.h: the settings of memory by name: the model of atomics, and what phase 3 tries.
 *
 * The heuristics are those of Flanagan and Freund, "Adversarial memory for detecting destructive
 * races", PLDI 2010, section 5.1.
 */
#ifndef RFI_CAMPAIGN_MEMORY_H
#define RFI_CAMPAIGN_MEMORY_H
#include "mem/face.h"

#ifdef RFI_IMPL
# define RFI_PICKS       (RF_PICK_MIXED + 1u)
# define RFI_PICK_BIT(p) (1u << (p))

typedef struct rfi_memory {
    const char *name; /* NULL: the default */
    rf_mem_model atomics;
    unsigned race_picks;   /* heuristics that are tried on each race; bits */
    unsigned atomic_picks; /* on atomics, where there is no race */
    rf_heuristic all_pick; /* on everything at once */
} rfi_memory;

# define RFI_FOUR_PICKS                                                    \
  (RFI_PICK_BIT(RF_PICK_OLDEST) | RFI_PICK_BIT(RF_PICK_OLDEST_DIFFERENT) | \
   RFI_PICK_BIT(RF_PICK_RANDOM) | RFI_PICK_BIT(RF_PICK_RANDOM_DIFFERENT))
# define RFI_ONE_PICK(name, pick) \
  { name, RF_MEM_C11, RFI_PICK_BIT(pick), RFI_PICK_BIT(pick), pick }

/* The first one is the default. */
RFI_VAR const rfi_memory rfi_memory_table[] = {
    {NULL, RF_MEM_C11, RFI_FOUR_PICKS, RFI_FOUR_PICKS, RF_PICK_MIXED},
    {"sc", RF_MEM_SC, 0, 0, RF_PICK_NEWEST},
    {"c11", RF_MEM_C11, 0, RFI_FOUR_PICKS, RF_PICK_NEWEST},
    {"c11-fast", RF_MEM_C11_FAST, 0, RFI_FOUR_PICKS, RF_PICK_NEWEST},
    RFI_ONE_PICK("oldest", RF_PICK_OLDEST),
    RFI_ONE_PICK("oldest-different", RF_PICK_OLDEST_DIFFERENT),
    RFI_ONE_PICK("random", RF_PICK_RANDOM),
    RFI_ONE_PICK("random-different", RF_PICK_RANDOM_DIFFERENT),
    RFI_ONE_PICK("mixed", RF_PICK_MIXED)};

/* NULL: the default; a name that is not known: NULL. */
RFI_FN const rfi_memory *rfi_memory_named(const char *name) {
    const rfi_memory *end = rfi_memory_table + sizeof rfi_memory_table / sizeof *rfi_memory_table;
    const rfi_memory *m = rfi_memory_table;
    if (!name) return m;
    while (++m < end)
        if (!strcmp(m->name, name)) return m;
    return NULL;
}

RFI_FN const char *rfi_pick_word(rf_heuristic pick) {
    static const char *const words[] = {"recent", "newest",           "oldest", "oldest-different",
                                        "random", "random-different", "mixed"};
    return words[pick];
}
#endif
#endif
