/* twostage: a transaction changes two values, each under its own lock, one after the other; who
 * reads both in between sees the first one changed and the second one not.
 *
 * SCTBench's twostage_bad (one writer, one reader) and twostage_100_bad (99 and one); twostage_20,
 * which others have added, is taken to have 19 and one.
 */
#include "bug.h"

static rf_mutex lock_1, lock_2;
static int data_1, data_2;

static void *writer(void *arg) {
    RF_LOCK(&lock_1);
    RF_STORE(data_1, 1);
#ifndef FIXED
    RF_UNLOCK(&lock_1);
#endif
    RF_LOCK(&lock_2);
    RF_STORE(data_2, RF_LOAD(data_1) + 1);
    RF_UNLOCK(&lock_2);
#ifdef FIXED
    RF_UNLOCK(&lock_1);
#endif
    return arg;
}

static void *reader(void *arg) {
    RF_LOCK(&lock_1);
    int first = RF_LOAD(data_1);
    RF_UNLOCK(&lock_1);
    if (!first) return arg;
    RF_LOCK(&lock_2);
    int second = RF_LOAD(data_2);
    RF_UNLOCK(&lock_2);
    RF_ASSERT_EQ(second, first + 1);
    return arg;
}

static void twostage(unsigned writers) {
    crew c = {.count = 0};
    data_1 = data_2 = 0;
    START(&c, writers, writer, NULL);
    START(&c, 1, reader, NULL);
    finish(&c);
}

PROGRAM(twostage_2, RF_EXPECT_FAILURE) { twostage(1); }
PROGRAM(twostage_20, RF_EXPECT_FAILURE) { twostage(19); }
PROGRAM(twostage_100, RF_EXPECT_FAILURE) { twostage(99); }
