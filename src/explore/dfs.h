/* explore/dfs.h: all schedules, depth first.
 *
 * The stateless search of a model checker (Godefroid, POPL 1997), without any reduction: the last
 * thread continues as long as it can, then the last decision that has an untried candidate is
 * changed.  Guarantee: when it ends, every schedule of the test and every value of RF_CHOOSE has
 * been run exactly once, up to idle turns of spinning threads (which are held back).  The bodies
 * must repeat, and nothing may be drawn: memory is sequentially consistent and no wake-up is
 * spurious.
 */
#ifndef RFI_EXPLORE_DFS_H
#define RFI_EXPLORE_DFS_H
#include "explore/tree.h"

#ifdef RFI_IMPL
RFI_VAR rfi_tree rfi_dfs_tree;

RFI_FN void rfi_dfs_begin(uint64_t seed) { rfi_tree_begin(&rfi_dfs_tree, seed, 0); }

RFI_FN uint32_t rfi_dfs_pick(const rf_choice *c) { return rfi_tree_pick(&rfi_dfs_tree, c, false); }

RFI_FN uint32_t rfi_dfs_fewer(void) { return rfi_tree_complete(&rfi_dfs_tree) ? UINT32_MAX : 0; }

RFI_TREE_STRATEGY(rfi_dfs, &rfi_dfs_tree,
                  rfi_progress_text(text, sizeof text, rfi_dfs_tree.executions, "schedule",
                                    rfi_tree_complete(&rfi_dfs_tree), rfi_dfs_tree.flaw,
                                    RFI_UNDER_SC))

RFI_VAR rf_strategy rfi_dfs = {.name = "dfs",
                               .help = "all schedules, depth first, " RFI_UNDER_SC,
                               .rfi_fewer = rfi_dfs_fewer,
                               RFI_TREE_FIELDS(rfi_dfs)};
#endif
#endif
