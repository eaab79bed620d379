/* spsc_test.c: what goes in comes out, in the same order. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "spsc.h"

enum { NUMBERS = 3, TRIES = 6 }; /* one more than the ring holds; nobody tries for ever */

typedef struct producer {
    spsc *ring;
    int pushed; /* out */
} producer;

static void *produce(void *arg) {
    producer *p = arg;
    int pushed = 0;
    for (int i = 0; i < TRIES && pushed < NUMBERS; i++)
        if (spsc_push(p->ring, pushed + 1))
            pushed++;
        else
            RF_SPIN_HINT();
    RF_STORE(p->pushed, pushed);
    return NULL;
}

RF_TEST(numbers_arrive_in_order, .expect = PLANTED(RF_EXPECT_RACE)) {
    spsc r;
    spsc_init(&r);
    producer p = {&r, 0};
    rf_thread t = RF_THREAD(produce, &p);

    int popped = 0, value;
    for (int i = 0; i < TRIES && popped < NUMBERS; i++)
        if (spsc_pop(&r, &value))
            RF_ASSERT_EQ(value, ++popped);
        else
            RF_SPIN_HINT();

    RF_JOIN(t);
    while (spsc_pop(&r, &value)) RF_ASSERT_EQ(value, ++popped);
    RF_ASSERT_EQ(popped, RF_LOAD(p.pushed));
}

RF_MAIN()
