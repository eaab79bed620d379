/* engine/test.h: a test, as RF_TEST makes it and rf_run takes it. */
#ifndef RFI_ENGINE_TEST_H
#define RFI_ENGINE_TEST_H
#include "engine/options.h"

struct rfi_scenarios; /* campaign/result.h */

/* Made by RF_TEST; registers itself before main. */
typedef struct rfi_test {
    const char *file;
    uint32_t line;
    void (*body)(void);
    const char *object; /* of RF_LINEARIZABLE; else NULL */
    /* Of the same: counts the scenarios that there are. */
    void (*scenarios)(const struct rfi_test *t, struct rfi_scenarios *s);
    rf_options options;
    struct rfi_test *next;
} rfi_test;

RFI_EXTERN_C_BEGIN
void rfi_register(rfi_test *t);
/* Runs all registered tests with the command line and the environment; the exit status for main:
 * 0 all as expected, 1 failures, 2 usage, 77 everything skipped.  `options` may be NULL. */
int rf_run(const rf_options *options, int argc, char **argv);
int rfi_main(int argc, char **argv); /* of RF_MAIN */
RFI_EXTERN_C_END
#endif
