/* Tests, not a program: one process runs many executions, and each begins with first values. */
#include "racefuzz.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

static _Thread_local int number = 5;
static _Thread_local char zeros[300];

static void is_new(void) {
    RF_ASSERT_EQ(number, 5);
    RF_ASSERT_EQ(errno, 0);
    for (size_t i = 0; i < sizeof zeros; i++) RF_ASSERT(!zeros[i]);
    number++;
    errno = EBUSY;
    memset(zeros, 1, sizeof zeros);
}

static void *begins(void *arg) {
    is_new();
    RF_YIELD();
    RF_ASSERT_EQ(number, 6);
    RF_ASSERT_EQ(errno, EBUSY);
    return arg;
}

RF_TEST(threads) {
    rf_thread wrapped = RF_THREAD(begins, NULL);
    is_new();
#ifdef RF_HOOK_ALL
    pthread_t hooked;
    pthread_create(&hooked, NULL, begins, NULL);
    pthread_join(hooked, NULL);
#endif
    RF_JOIN(wrapped);
    RF_ASSERT_EQ(number, 6);
}

/* Abandoned threads leave their storage as it is. */
static void *fails(void *arg) {
    is_new();
    RF_FAIL("on purpose");
    return arg;
}

RF_TEST(failures) {
    is_new();
    rf_thread t = RF_THREAD(fails, NULL);
    RF_JOIN(t);
}

RF_MAIN()
