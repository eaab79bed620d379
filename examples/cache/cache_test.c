/* cache_test.c: the cache under several clients, and its cleaner under a change of mind. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "cleaner.h"

static void *impatient(void *arg) {
    cleaner_set_interval(arg, 10);
    return NULL;
}

RF_TEST(the_cleaner_survives_a_new_interval,
        .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    cache c;
    cleaner cl;
    cache_init(&c);
    RF_ASSERT(cache_put(&c, 1, 100));
    cleaner_init(&cl, &c, 1000);

    rf_thread t = RF_THREAD(impatient, &cl);
    RF_JOIN(t);

    RF_ASSERT(cleaner_stop(&cl));
    cleaner_destroy(&cl);
    cache_destroy(&c);
}

/* Both keys are in the same bucket; either may have been evicted when it is asked for. */
static void *client(void *arg) {
    cache *c = arg;
    int64_t value;
    RF_ASSERT(cache_put(c, 1, 100));
    if (cache_get(c, 1, &value)) RF_ASSERT_EQ(value, 100);
    if (cache_get(c, 5, &value)) RF_ASSERT_EQ(value, 500);
    return NULL;
}

static void *sweeper(void *arg) {
    for (int i = 0; i < CACHE_IDLE_SWEEPS; i++) cache_sweep(arg);
    return NULL;
}

RF_TEST(the_cache_returns_what_was_put_or_nothing) {
    cache c;
    cache_init(&c);
    RF_ASSERT(cache_put(&c, 5, 500));

    rf_thread t1 = RF_THREAD(client, &c);
    rf_thread t2 = RF_THREAD(client, &c);
    rf_thread t3 = RF_THREAD(sweeper, &c);
    RF_JOIN(t1);
    RF_JOIN(t2);
    RF_JOIN(t3);

    cache_destroy(&c);
}

RF_MAIN()
