/* The twins of the kernels in tests/paper, without the mistakes: races may be predicted (what is
 * handed over under a lock always is), but none is real and nothing fails. */
#define RF_IMPLEMENTATION
#include "kernels.h"

#ifndef KERNELS_EXECUTIONS
# define KERNELS_EXECUTIONS "--executions=100"
#endif

int main(void) {
    for (rfi_test *t = rfi_tests; t; t = t->next) {
        const char *test = t->options.rfi_name;
        const rfi_study *s = lab_study(test, KERNELS_EXECUTIONS, "--seconds=none", NULL);
        LAB_CHECK(named("%s: nothing is found", test),
                  s->result.passed && !s->result.found && !s->causes && !lab_real(s));
    }
    const rfi_study *s = lab_study("sor", KERNELS_EXECUTIONS, NULL);
    LAB_CHECK("sor: behind RF_BARRIER_WAIT no race is predicted", !s->result.warnings);
    return lab_end();
}
