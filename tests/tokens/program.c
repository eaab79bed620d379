/* tests/tokens/program.c: findings of many kinds; tokens.sh also makes changed copies. */
#include "tests/tokens/counter.h"
#include <stdlib.h>

static int balance, audits, total, *nowhere;
static rf_mutex a = RF_MUTEX_INIT, b = RF_MUTEX_INIT;

static void *deposit(void *arg) {
    int seen = RF_LOAD(balance);
    RF_STORE(balance, seen + 10);
    RF_LOCK(&a);
    RF_STORE(audits, RF_LOAD(audits) + 1); /* REMOVED in one copy */
    RF_UNLOCK(&a);
    return arg;
}

RF_TEST(transfer) {
    RF_STORE(balance, 0);
    RF_STORE(audits, 0);
    rf_thread t = RF_THREAD(deposit, NULL), u = RF_THREAD(deposit, NULL);
    RF_JOIN(t);
    RF_JOIN(u);
    RF_LOG("balance %d", balance);
    RF_ASSERT_EQ(RF_LOAD(balance), 20);
}

/* No race, and a failure that depends on the schedule. */
static void *last(void *arg) {
    RF_LOCK(&a);
    RF_STORE(total, *(int *)arg);
    RF_UNLOCK(&a);
    return NULL;
}

RF_TEST(order) {
    int one = 1, two = 2;
    rf_thread t = RF_THREAD(last, &one), u = RF_THREAD(last, &two);
    RF_JOIN(t);
    RF_JOIN(u);
    RF_ASSERT_EQ(RF_LOAD(total), 2);
}

static void *both(void *arg) {
    RF_LOCK(arg == &a ? &a : &b);
    RF_LOCK(arg == &a ? &b : &a);
    RF_UNLOCK(&a);
    RF_UNLOCK(&b);
    return NULL;
}

RF_TEST(philosophers) {
    rf_thread t = RF_THREAD(both, &a), u = RF_THREAD(both, &b);
    RF_JOIN(t);
    RF_JOIN(u);
}

RF_TEST(crash) {
    uint32_t kind = RF_CHOOSE(20);
    RF_YIELD();
    if (kind == 1) *(volatile int *)nowhere = 1;
    if (kind == 2) abort();
    if (kind == 3) exit(3);
}

/* Depends on options that are not the default ones. */
static int spins;

static void *wait_for(void *arg) {
    while (!RF_LOAD(spins)) RF_YIELD();
    return arg;
}

static void *consume_stack(void *arg) {
    volatile char large[400 << 10];
    for (size_t i = 0; i < sizeof large; i += 1024) large[i] = 1;
    RF_FAIL("there was room");
    return arg;
}

RF_TEST(unusual, .granularity = RF_GRAIN_COARSE, .max_steps = 300, .stack_size = 512 << 10,
        .no_spurious = true) {
    RF_STORE(spins, 0);
    if (RF_CHOOSE(2))
        RF_JOIN(RF_THREAD(consume_stack, NULL));
    else
        RF_JOIN(RF_THREAD(wait_for, NULL));
}

/* One statement in a header, in two units that know the header by two paths; both threads use the
 * one, or both the other. */
static int counter;

static void *count_here(void *n) {
    count(n);
    return NULL;
}

RF_TEST(header) {
    counter = 0;
    void *(*fn)(void *) = RF_CHOOSE(2) ? count_here : count_there;
    rf_thread t = RF_THREAD(fn, &counter), u = RF_THREAD(fn, &counter);
    RF_JOIN(t);
    RF_JOIN(u);
}

RF_MAIN()
