/* Small campaigns of all sorts for the scripts in tests/ that look at what a program prints. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "tests/thread.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

RF_TEST(fine) { RF_LOG("nothing happens"); }

RF_TEST(skipped) { RF_SKIP("not today"); }

/* ---- findings ---- */

static uint32_t balance, seen;

THREAD(deposit) { RF_STORE(balance, RF_LOAD(balance) + 10); }

/* Races on two variables; one of them loses money in some schedules. */
RF_TEST(racy) {
    RF_STORE(balance, 0);
    RF_STORE(seen, 0);
    rf_thread a = RF_THREAD(deposit, NULL), b = RF_THREAD(deposit, NULL);
    RF_STORE(seen, RF_LOAD(balance));
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(RF_LOAD(balance), 20u);
}

THREAD(peek) {
    if (RF_LOAD(seen) == 1) RF_FAIL("peeked at the wrong moment");
}

/* Fails in many ways, of which races cause one. */
RF_TEST(expected, .expect = RF_EXPECT_FAILURE) { RF_ASSERT(0); }

RF_TEST(several) {
    RF_STORE(seen, 0);
    rf_thread t = RF_THREAD(peek, NULL);
    uint32_t way = RF_CHOOSE(40);
    if (way == 1) RF_FAIL("the first way");
    if (way == 2) RF_FAIL("the second way");
    if (way == 3) RF_ASSERT_EQ(way, 4u);
    if (way == 4) abort();
    if (way == 5) exit(5);
    RF_STORE(seen, 1);
    RF_JOIN(t);
}

/* ---- state between executions ---- */

static int count;

RF_TEST(counting) { RF_ASSERT_NE(++count, 3); }

RF_TEST(counting_isolated, .isolate = true) { RF_ASSERT_NE(++count, 3); }

/* ---- what does not follow from the seed ---- */

static uint32_t word;

RF_TEST(by_time) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    RF_STORE(word, 1);
    RF_STORE(word, (uint32_t)now.tv_nsec);
}

RF_TEST(by_address) {
    static char *kept[2];
    static unsigned runs;
    char **p = &kept[runs++ % 2]; /* two blocks that never have the same address */
    if (!*p) *p = malloc(64);
    if (*p < kept[runs % 2])
        RF_STORE(word, 1);
    else
        RF_STORE(word, 2);
}

/* ---- time ---- */

RF_TEST(slow) {
    struct timespec a_while = {0, 5000000};
    nanosleep(&a_while, NULL);
}

static int turn, other;

THREAD(moves) {
    RF_STORE(turn, RF_LOAD(turn) + 1);
    RF_STORE(other, RF_LOAD(other) + 1);
}

RF_TEST(takes_its_time) {
    turn = other = 0;
    run_two(moves, moves);
    RF_ASSERT_EQ(RF_LOAD(other), 2);
    while (RF_LOAD(turn) < 2) RF_YIELD(); /* for ever, if one was lost */
}

RF_TEST(fails_late) {
    struct timespec a_while = {0, 200000000};
    nanosleep(&a_while, NULL);
    RF_FAIL("after a while");
}

/* One execution of half a minute: only an end from outside ends it before. */
RF_TEST(half_a_minute) {
    struct timespec a_while = {1, 0};
    for (int i = 0; i < 30; i++) {
        RF_STORE(word, 1);
        nanosleep(&a_while, NULL);
    }
}

/* Steps without an end; the granularity says how many accesses each of them has. */
static void endless(void) {
    for (;;) RF_STORE(word, RF_LOAD(word) + 1);
}

RF_TEST(endless_steps, .granularity = RF_GRAIN_FINE, .max_steps = UINT64_MAX) { endless(); }

RF_TEST(endless_accesses, .granularity = RF_GRAIN_COARSE, .max_steps = UINT64_MAX) { endless(); }

RF_TEST(endless_yields, .max_steps = UINT64_MAX) {
    for (;;) RF_YIELD();
}

RF_TEST(endless_at_times, .max_steps = UINT64_MAX) {
    if (RF_CHOOSE(2)) endless();
}

/* Never comes back to racefuzz; the watchdog would wait for longer. */
RF_TEST(endless_outside) {
    for (volatile int i = 0;; i = 0) {
    }
}

RF_TEST(of_a_name_that_is_longer_than_a_narrow_terminal_has_columns) { RF_STORE(word, 1); }

RF_MAIN()
