/* A test that depends on where its functions, statics and stacks lie. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include <stdio.h>

static int global;
static rf_mutex m = RF_MUTEX_INIT;

static void *steps(void *arg) {
    uintptr_t sum = (uintptr_t)&global ^ (uintptr_t)&arg ^ (uintptr_t)steps ^ (uintptr_t)printf;
    for (uintptr_t i = 0; i < 1 + sum / 4096 % 61; i++) {
        RF_LOCK(&m);
        global++;
        RF_UNLOCK(&m);
    }
    return arg;
}

RF_TEST(depends_on_addresses) {
    rf_thread t = RF_THREAD(steps, NULL);
    steps(NULL);
    RF_JOIN(t);
    RF_FAIL("that is all");
}

RF_MAIN()
