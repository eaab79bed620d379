/* The families of tests/families.h: graphs FAMILY N [OPTION...].  10_graphs.sh compares with the
 * formulas.  With TIMES=N in the environment, a power of 8, there are N times as many executions.
 */
#define RF_IMPLEMENTATION
#include "tests/families.h"

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    width = (uint32_t)atoi(argv[2]);
    times = (uint32_t)atoi(getenv("TIMES") ? getenv("TIMES") : "1");
    if (width < 1 || width > WIDEST) return 2;
    static char filter[128];
    const char *name = argv[1];
    snprintf(filter, sizeof filter, "--filter=%s,-?*%s*,-*%s?*", name, name, name);
    argv[2] = filter;
    return rf_run(NULL, argc - 1, argv + 1);
}
