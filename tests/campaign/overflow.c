/* What only a sanitizer sees, in half of the executions; for tests/long/sanitizer_reports.sh. */
#include "racefuzz.h"
#include <limits.h>
#include <stdlib.h>

static volatile int index_beyond = 10, most = INT_MAX;

RF_TEST(heap_overflow) {
    volatile char *p = malloc(10);
    if (RF_CHOOSE(2)) p[index_beyond] = 1;
    free((void *)(uintptr_t)p);
}

static void *overflow(void *arg) {
    char on_stack[10];
    volatile char *p = on_stack;
    p[index_beyond + 2] = 1;
    return arg;
}

RF_TEST(stack_overflow_in_a_thread) {
    if (RF_CHOOSE(2)) RF_JOIN(RF_THREAD(overflow, NULL));
}

RF_TEST(signed_overflow) {
    if (RF_CHOOSE(2)) most = most + 1;
}

RF_TEST(lives) {
    RF_LOG("well");
}

RF_MAIN()
