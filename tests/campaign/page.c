/* For tests/page.sh: executions in which threads have values, locks, wake-ups and their begin and
 * end from one another; and one of two thousand steps. */
#include "racefuzz.h"
#include <string.h>

static rf_mutex lock;
static rf_cond filled;
static int boxes, total;

static void *produce(void *arg) {
    RF_GUARD(&lock) {
        RF_STORE(boxes, 1);
        RF_SIGNAL(&filled);
    }
    return arg;
}

static void *consume(void *arg) {
    int waited = 0;
    RF_GUARD(&lock) {
        while (!RF_LOAD(boxes)) {
            RF_WAIT(&filled, &lock);
            waited = 1;
        }
        RF_STORE(boxes, 0);
    }
    RF_ASSERT(!waited);
    return arg;
}

RF_TEST(nobody_has_to_wait) {
    rf_mutex_init(&lock, "lock", RF_MUTEX_NORMAL);
    rf_cond_init(&filled, "filled");
    boxes = 0;
    rf_thread consumer = RF_THREAD(consume, NULL), producer = RF_THREAD(produce, NULL);
    RF_JOIN(producer);
    RF_JOIN(consumer);
}

static rf_sem tokens;
static rf_barrier gate;
static rf_once once;
static rf_rwlock book;

static void initialise(void) {}

static void look_up(void) {
    RF_RDLOCK(&book);
    RF_RWUNLOCK(&book);
}

static void *help(void *arg) {
    look_up();
    RF_SEM_POST(&tokens);
    (void)RF_BARRIER_WAIT(&gate);
    look_up(); /* after a writer; who looks up then has nothing from it */
    RF_ONCE(&once, initialise);
    return arg;
}

RF_TEST(waits_for_all_sorts) {
    rf_sem_init(&tokens, "tokens", 0);
    rf_barrier_init(&gate, "gate", 2);
    rf_once_init(&once, "once");
    rf_rwlock_init(&book, "book");
    rf_thread helper = RF_THREAD(help, NULL);
    RF_SEM_WAIT(&tokens);
    RF_WRLOCK(&book);
    RF_RWUNLOCK(&book);
    (void)RF_BARRIER_WAIT(&gate);
    RF_ONCE(&once, initialise);
    RF_JOIN(helper);
    look_up();
    RF_FAIL("always");
}

static void *add(void *arg) {
    int before = 0;
    RF_GUARD(&lock) { before = RF_LOAD(total); }
    RF_LOG("adds to %d", before);
    RF_GUARD(&lock) { RF_STORE(total, before + 1); }
    return arg;
}

RF_TEST(no_addition_is_lost) {
    rf_mutex_init(&lock, "lock", RF_MUTEX_NORMAL);
    total = 0;
    rf_thread a = RF_THREAD(add, NULL), b = RF_THREAD(add, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(RF_LOAD(total), 2);
}

static int cell[8];

static void *work(void *arg) {
    for (int i = 0; i < 240; i++) RF_GUARD(&lock) {
            RF_STORE(cell[i % 8], RF_LOAD(cell[i % 8]) + 1);
        }
    RF_STORE(total, RF_LOAD(total) + 1);
    return arg;
}

RF_TEST(two_thousand_steps, .executions = 40) {
    rf_mutex_init(&lock, "lock", RF_MUTEX_NORMAL);
    total = 0;
    memset(cell, 0, sizeof cell);
    rf_thread a = RF_THREAD(work, NULL), b = RF_THREAD(work, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(RF_LOAD(total), 2);
}

/* So long that not all steps are in a page. */
static void *count(void *arg) {
    for (int i = 1; i <= 2000; i++) RF_GUARD(&lock) {
            RF_STORE(cell[0], RF_LOAD(cell[0]) + 1);
        }
    return arg;
}

RF_TEST(sixteen_thousand_steps, .executions = 5) {
    rf_mutex_init(&lock, "lock", RF_MUTEX_NORMAL);
    cell[0] = 0;
    rf_thread a = RF_THREAD(count, NULL), b = RF_THREAD(count, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(RF_LOAD(cell[0]), 3999);
}

static rf_atomic_int parcel, sent;

static void *send(void *arg) {
    rf_atomic_store_explicit(&parcel, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&sent, 1, rf_memory_order_relaxed);
    return arg;
}

static void *receive(void *arg) {
    if (rf_atomic_load_explicit(&sent, rf_memory_order_relaxed))
        RF_ASSERT_EQ(rf_atomic_load_explicit(&parcel, rf_memory_order_relaxed), 1);
    return arg;
}

RF_TEST(an_older_value_is_read) {
    rf_atomic_store(&parcel, 0);
    rf_atomic_store(&sent, 0);
    rf_thread from = RF_THREAD(send, NULL), to = RF_THREAD(receive, NULL);
    RF_JOIN(from);
    RF_JOIN(to);
}

RF_TEST(all_is_well) { RF_ASSERT(1); }

RF_MAIN()
