/* chaselev_test.c: each value comes out once, at one end or the other. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "chaselev.h"

enum { TRIES = 4 }; /* nobody tries for ever */

typedef struct thief {
    deque *deque;
    int sum; /* out: of what it stole */
} thief;

static void *steal(void *arg) {
    thief *t = arg;
    int sum = 0, value;
    for (int i = 0; i < TRIES; i++)
        if (deque_steal(t->deque, &value))
            sum += value;
        else
            RF_SPIN_HINT();
    RF_STORE(t->sum, sum);
    return NULL;
}

/* The values are powers of ten: the digits of the sum tell how often each of them came out. */
RF_TEST(each_value_comes_out_once, .expect = PLANTED(RF_EXPECT_FAILURE)) {
    deque d;
    deque_init(&d, 1);
    thief t = {&d, 0};
    rf_thread u = RF_THREAD(steal, &t);

    int sum = 0, value;
    for (int i = 1; i <= 100; i *= 10) deque_push(&d, i);
    if (deque_take(&d, &value)) sum += value;
    RF_JOIN(u);
    sum += RF_LOAD(t.sum);
    while (deque_take(&d, &value)) sum += value;
    RF_ASSERT_EQ(sum, 111);
    deque_destroy(&d);
}

RF_MAIN()
