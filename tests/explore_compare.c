/* What dfs and dpor call everything is everything, on 200 random programs with fixed numbers
 * (explore_compare.h); long/explore_compare.c has 2,000. */
#define RF_IMPLEMENTATION
#include "explore_compare.h"

int main(int argc, char **argv) { return compare_all(argc, argv, 250, 200, 2000); }
