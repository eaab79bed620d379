/* montecarlo: every constructor sets the same flag of all, to the same value.
 *
 * Results go into a vector with a lock; who puts in the last one reads them all.  Only the lock's
 * order makes that right, so these pairs are suspected, and false.
 */
#include "paper.h"

enum { THREADS = 3 };

typedef struct result {
    int rate, volatility, price, path;
} result;

static bool debug;
static result results[THREADS];
static struct {
    rf_mutex lock;
    const result *element[THREADS];
    int count;
} vector;

/* True: it was the last. */
static bool add_element(const result *r) {
    bool last = false;
    RF_GUARD(&vector.lock) {
        RF_STORE(vector.element[RF_LOAD(vector.count)], r);
        RF_STORE(vector.count, RF_LOAD(vector.count) + 1);
        last = RF_LOAD(vector.count) == THREADS;
    }
    return last;
}

static void *price(void *arg) {
    result *r = &results[*(int *)arg];
#ifndef FIXED
    RF_STORE(debug, true);
#endif
    RF_STORE(r->rate, crunch(1));
    RF_STORE(r->volatility, 2);
    RF_STORE(r->price, 3);
    RF_STORE(r->path, 4);
    if (!add_element(r)) return NULL;
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        r = &results[i];
        sum += RF_LOAD(r->rate) + RF_LOAD(r->volatility) + RF_LOAD(r->price) + RF_LOAD(r->path);
    }
    RF_ASSERT_EQ(sum, 10 * THREADS);
    return NULL;
}

RF_TEST(montecarlo, .expect = BUG(RF_EXPECT_RACE)) {
    memset(results, 0, sizeof results);
    vector.count = 0;
    rf_mutex_init(&vector.lock, "results", RF_MUTEX_NORMAL);
#ifdef FIXED
    debug = true;
#else
    debug = false;
#endif
    crew(THREADS, price);
    RF_ASSERT(debug);
}

RF_MAIN()
