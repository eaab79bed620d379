/* What a proof rests on, and what takes it away: a test for each (tests/proofs.sh). */
#include "racefuzz.h"
#include "tests/thread.h"

#include <stdlib.h>

static rf_mutex m;
static rf_cond c;
static rf_once once;
static rf_atomic_int flag, cell;
static int plain;

static void clear(void) {
    rf_atomic_init(&flag, 0);
    rf_atomic_init(&cell, 0);
    RF_STORE(plain, 0);
}

THREAD(add) { rf_atomic_fetch_add(&cell, 1); }

/* A test in which two threads do these. */
#define BOTH(name, f, g) \
 RF_TEST(name) {         \
  clear();               \
  run_two(f, g);         \
 }

#include "proof/objects.h"
#include "proof/loops.h"
#include "proof/state.h"
#include "proof/interrupts.h"
#include "proof/stacks.h"
#include "proof/ends.h"

/* Threads that do the same. */
RF_TEST(twins) {
    clear();
    (void)RF_CHOOSE(800);
    RF_THREADS(3, add);
}

THREAD(add_and_store) {
    rf_atomic_fetch_add(&cell, 1);
    rf_atomic_store(&cell, 0);
}

/* Late in the search they store, too. */
RF_TEST(unchained) {
    clear();
    RF_THREADS(2, RF_CHOOSE(800) == 700 ? add_and_store : add);
}

/* More values than there is room for. */
RF_TEST(values) {
    uint32_t value = RF_CHOOSE(UINT32_MAX);
    RF_ASSERT_NE(value + RF_CHOOSE(2), 40);
}

THREAD(store_often) {
    for (int i = 0; i < 300; i++) rf_atomic_store(&cell, i);
}

BOTH(histories, store_often, add)

RF_TEST(steps, .max_steps = 20) {
    clear();
    run_two(store_often, store_often);
}

RF_TEST(at_times_steps, .max_steps = 20) {
    clear();
    if (RF_CHOOSE(2)) run_two(store_often, add);
}

RF_TEST(threads) {
    rf_thread t[40];
    clear();
    for (int i = 0; i < 40; i++) t[i] = RF_THREAD(add, NULL);
    for (int i = 0; i < 40; i++) RF_JOIN(t[i]);
}

static union {
    rf_atomic_int half[2];
    rf_atomic_llong whole;
} joined;

static void *store_half(void *arg) { return rf_atomic_store(&joined.half[0], 1), arg; }
static void *store_whole(void *arg) { return rf_atomic_store(&joined.whole, 2), arg; }

BOTH(sizes, store_half, store_whole)

static void *write_unseen(void *arg) {
    rf_atomic_fetch_add(&cell, 1);
    *(volatile int *)&cell = 7;
    return add(arg);
}

BOTH(unannounced, write_unseen, add)

THREAD(add_eight) {
    for (int i = 0; i < 8; i++) rf_atomic_fetch_add(&cell, 1);
}

BOTH(many, add_eight, add_eight)

static bool small(void *arg) {
    (void)arg;
    return rf_atomic_load(&cell) < 3;
}

RF_TEST(invariant) {
    clear();
    RF_INVARIANT(small, NULL);
    run_two(add, add);
}

static int seen[2];

static void *buffer(void *cells) {
    rf_atomic_int *own = cells, *other = own == &cell ? &flag : &cell;
    rf_atomic_store_explicit(own, 1, rf_memory_order_relaxed);
    RF_STORE(seen[own == &cell], rf_atomic_load_explicit(other, rf_memory_order_relaxed));
    return cells;
}

RF_TEST(buffers) {
    clear();
    rf_thread a = RF_THREAD(buffer, &cell), b = RF_THREAD(buffer, &flag);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT(RF_LOAD(seen[0]) || RF_LOAD(seen[1]));
}

RF_MAIN()
