/* msqueue_test.c: one value, two takers, one of whom gets it. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "msqueue.h"

enum { TRIES = 3 }; /* nobody tries for ever */

typedef struct taker {
    msqueue *queue;
    int sum; /* out: of what it took */
} taker;

static void *take(void *arg) {
    taker *t = arg;
    int sum = 0, value;
    for (int i = 0; i < TRIES; i++)
        if (msqueue_take(t->queue, &value))
            sum += value;
        else
            RF_SPIN_HINT();
    RF_STORE(t->sum, sum);
    return NULL;
}

RF_TEST(each_value_is_taken_once, .expect = PLANTED(RF_EXPECT_FAILURE)) {
    msqueue *q = RF_CALLOC(1, sizeof *q);
    node *n = RF_CALLOC(1, sizeof *n);
    taker one = {q, 0}, other = {q, 0};
    msqueue_init(q);
    rf_thread t = RF_THREAD(take, &one), u = RF_THREAD(take, &other);
    msqueue_put(q, n, 1);
    RF_JOIN(t);
    RF_JOIN(u);

    int sum = RF_LOAD(one.sum) + RF_LOAD(other.sum), value;
    while (msqueue_take(q, &value)) sum += value;
    RF_ASSERT_EQ(sum, 1);
    RF_FREE(n);
    RF_FREE(q);
}

RF_MAIN()
