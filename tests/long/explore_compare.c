/* What dfs and dpor call everything is everything, on 2,000 random programs of all primitives
 * (explore_compare.h). */
#define RF_IMPLEMENTATION
#include "../explore_compare.h"

int main(int argc, char **argv) { return compare_all(argc, argv, 1, 2000, 20000); }
