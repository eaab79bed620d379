/* peterson_test.c: what is counted under the lock is counted. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "peterson.h"

typedef struct counter {
    peterson lock;
    int value;      /* under the lock */
    bool inside[2]; /* has the thread been? */
} counter;

static counter c;

static void *count(void *number) {
    int me = *(int *)number;
    c.inside[me] = peterson_lock(&c.lock, me);
    if (!c.inside[me]) return NULL;
    RF_STORE(c.value, RF_LOAD(c.value) + 1);
    peterson_unlock(&c.lock, me);
    return NULL;
}

RF_TEST(no_count_is_lost, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    int number[2] = {0, 1};
    c = (counter){0};
    peterson_init(&c.lock);

    rf_thread a = RF_THREAD(count, &number[0]);
    rf_thread b = RF_THREAD(count, &number[1]);
    RF_JOIN(a);
    RF_JOIN(b);

    RF_ASSERT_EQ(RF_LOAD(c.value), c.inside[0] + c.inside[1]);
}

RF_MAIN()
