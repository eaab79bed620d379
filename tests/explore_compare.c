/* What dfs and dpor call everything is everything (explore_compare.h), on some fixed programs;
 * long/explore_compare.c has a thousand.  With arguments: from which program on, how many. */
#define RF_IMPLEMENTATION
#include "explore_compare.h"

int main(int argc, char **argv) {
    comparison c;
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 150;
    uint32_t most = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 2000;
    compare(&c, first, count, most);
    printf("# %u of %u programs: %u outcomes in %llu states, %llu schedules, %llu of dpor\n",
           c.compared, c.programs, c.outcomes, (unsigned long long)c.states,
           (unsigned long long)c.dfs, (unsigned long long)c.dpor);
    LAB_CHECK("dfs shows every outcome of a program, and no other", !c.differ_dfs);
    LAB_CHECK("dpor shows every outcome of a program, and no other", !c.differ_dpor);
    LAB_CHECK("what other explorers show is among them", !c.strange);
    return lab_end();
}
