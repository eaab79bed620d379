/* A foreign main() that runs the tests. */
#include "racefuzz.h"

int run_tests(int argc, char **argv) {
    rf_options options = {.executions = 10, .seconds = 1.5, .granularity = RF_GRAIN_FINE};
    return rf_run(&options, argc, argv);
}
