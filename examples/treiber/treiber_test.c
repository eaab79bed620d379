/* treiber_test.c: what is pushed once is popped once. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "treiber.h"

typedef struct worker {
    user user;
    int push, popped; /* what it is to push; out: the sum of what it popped */
} worker;

static int pop_or_zero(user *u) {
    int value;
    return treiber_pop(u, &value) ? value : 0;
}

static void *work(void *arg) {
    worker *w = arg;
    int sum = pop_or_zero(&w->user);
    sum += pop_or_zero(&w->user);
    treiber_push(&w->user, w->push);
    RF_STORE(w->popped, sum);
    return NULL;
}

/* The values are powers of ten: the digits of the sum tell how often each of them was popped.
 * Coarse: threads meet at atomics only, and need not be switched anywhere else. */
RF_TEST(each_value_is_popped_once, .granularity = RF_GRAIN_COARSE,
        .expect = PLANTED(RF_EXPECT_FAILURE)) {
    treiber s;
    user u;
    worker one = {.push = 1000}, other = {.push = 10000};
    treiber_init(&s);
    user_init(&u, &s, 0);
    user_init(&one.user, &s, 1);
    user_init(&other.user, &s, 2);
    for (int value = 1; value <= 100; value *= 10) treiber_push(&u, value);

    rf_thread t = RF_THREAD(work, &one), v = RF_THREAD(work, &other);
    RF_JOIN(t);
    RF_JOIN(v);

    int sum = RF_LOAD(one.popped) + RF_LOAD(other.popped), value;
    while (treiber_pop(&u, &value)) sum += value;
    RF_ASSERT_EQ(sum, 11111);

    user_destroy(&u);
    user_destroy(&one.user);
    user_destroy(&other.user);
    treiber_destroy(&s);
}

RF_MAIN()
