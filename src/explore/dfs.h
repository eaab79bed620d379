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

RFI_FN uint32_t rfi_dfs_choose(uint32_t n) {
    return rfi_tree_take(&rfi_dfs_tree, RFI_BRANCH_VALUE, n, 0);
}

RFI_FN void rfi_dfs_repeats(void) { rfi_tree_repeats(&rfi_dfs_tree); }
RFI_FN void rfi_dfs_end(void) { rfi_tree_end(&rfi_dfs_tree); }
RFI_FN void rfi_dfs_forget(void) { rfi_tree_forget(&rfi_dfs_tree); }
RFI_FN bool rfi_dfs_exhausted(void) { return rfi_dfs_tree.exhausted; }

RFI_FN void rfi_dfs_learn(const void *lesson, size_t bytes) {
    rfi_tree_learn(&rfi_dfs_tree, lesson, bytes);
}

RFI_FN void rfi_dfs_recall(const void *used, size_t bytes) {
    rfi_choices_recall(&rfi_dfs_tree.choices, used, bytes);
}

RFI_FN const char *rfi_dfs_summary(void) {
    static char text[192];
    const rfi_tree *t = &rfi_dfs_tree;
    return rfi_progress_text(text, sizeof text, t->executions, "schedule", rfi_tree_complete(t),
                             t->flaw);
}

RFI_VAR rf_strategy rfi_dfs = {.name = "dfs",
                               .help = "all schedules, depth first, " RFI_UNDER_SC,
                               .begin = rfi_dfs_begin,
                               .pick = rfi_dfs_pick,
                               .choose = rfi_dfs_choose,
                               .end = rfi_dfs_end,
                               .forget = rfi_dfs_forget,
                               .learn = rfi_dfs_learn,
                               .recall = rfi_dfs_recall,
                               .serial = true,
                               .repeats = rfi_dfs_repeats,
                               .exhausted = rfi_dfs_exhausted,
                               .summary = rfi_dfs_summary};
#endif
#endif
