/* wronglock: some threads change a counter under another lock than the one that guards it.
 *
 * SCTBench's wronglock_bad (one thread with the right lock, seven with the wrong one) and
 * wronglock_3_bad (one and three).
 */
#include "bug.h"

static rf_mutex right;
#ifdef FIXED
# define wrong right
#else
static rf_mutex wrong;
#endif
static int value;

static void *careful(void *arg) {
    RF_LOCK(&right);
    int before = RF_LOAD(value);
    RF_STORE(value, RF_LOAD(value) + 1);
    RF_ASSERT_EQ(RF_LOAD(value), before + 1);
    RF_UNLOCK(&right);
    return arg;
}

static void *careless(void *arg) {
    RF_LOCK(&wrong);
    RF_STORE(value, RF_LOAD(value) + 1);
    RF_UNLOCK(&wrong);
    return arg;
}

static void wronglock(unsigned careless_ones) {
    crew c = {.count = 0};
    value = 0;
    START(&c, 1, careful, NULL);
    START(&c, careless_ones, careless, NULL);
    finish(&c);
}

PROGRAM(wronglock, RF_EXPECT_FAILURE) { wronglock(7); }
PROGRAM(wronglock_3, RF_EXPECT_FAILURE) { wronglock(3); }
