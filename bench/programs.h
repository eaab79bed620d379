/* bench/programs.h: the programs of the peers' measurements.
 *
 * They count operations as the peers do: a mutex counter of two threads with ten rounds is 80
 * operations (lock, load, store, unlock), a Treiber stack of three threads with six pushes and pops
 * about 213.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H
#include "racefuzz.h"

static void *bench_nothing(void *arg) { return arg; }

RF_TEST(empty) {
    rf_thread t = RF_THREAD(bench_nothing, NULL);
    RF_JOIN(t);
}

/* ---- store buffering: two threads, four atomic operations ---- */

static _Atomic int bench_x, bench_y;

static void *bench_sb(void *arg) {
    (void)arg;
    rf_atomic_store(&bench_x, 1);
    (void)rf_atomic_load(&bench_y);
    return NULL;
}

RF_TEST(store_buffering) {
    rf_atomic_init(&bench_x, 0);
    rf_atomic_init(&bench_y, 0);
    rf_thread t = RF_THREAD(bench_sb, NULL);
    rf_atomic_store(&bench_y, 1);
    (void)rf_atomic_load(&bench_x);
    RF_JOIN(t);
}

/* ---- Peterson's lock: two threads, one round each ---- */

static _Atomic int bench_wants[2], bench_turn;
static int bench_owner;

static void *bench_peterson(void *arg) {
    int me = arg != NULL, other = !me;
    rf_atomic_store(&bench_wants[me], 1);
    rf_atomic_store(&bench_turn, other);
    while (rf_atomic_load(&bench_wants[other]) && rf_atomic_load(&bench_turn) == other) RF_YIELD();
    RF_STORE(bench_owner, me);
    RF_ASSERT_EQ(RF_LOAD(bench_owner), me);
    rf_atomic_store(&bench_wants[me], 0);
    return NULL;
}

RF_TEST(peterson) {
    rf_atomic_init(&bench_wants[0], 0);
    rf_atomic_init(&bench_wants[1], 0);
    rf_atomic_init(&bench_turn, 0);
    rf_thread t = RF_THREAD(bench_peterson, &bench_turn);
    bench_peterson(NULL);
    RF_JOIN(t);
}

/* ---- mutex counter ---- */

static struct bench_counter {
    rf_mutex lock;
    int value;
} bench_counter;

static void *bench_count(void *arg) {
    (void)arg;
    for (int i = 0; i < 10; i++) {
        RF_LOCK(&bench_counter.lock);
        RF_STORE(bench_counter.value, RF_LOAD(bench_counter.value) + 1);
        RF_UNLOCK(&bench_counter.lock);
    }
    return NULL;
}

RF_TEST(mutex_counter) {
    bench_counter = (struct bench_counter){RF_MUTEX_INIT, 0};
    rf_thread a = RF_THREAD(bench_count, NULL), b = RF_THREAD(bench_count, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(RF_LOAD(bench_counter.value), 20);
}

/* ---- Treiber stack ---- */

typedef struct bench_node {
    struct bench_node *_Atomic next;
    int value;
} bench_node;

static bench_node *_Atomic bench_top;
static bench_node bench_nodes[3][6];

static void bench_push(bench_node *n) {
    bench_node *top = rf_atomic_load_explicit(&bench_top, rf_memory_order_relaxed);
    do rf_atomic_store_explicit(&n->next, top, rf_memory_order_relaxed);
    while (!rf_atomic_compare_exchange_weak_explicit(&bench_top, &top, n, rf_memory_order_release,
                                                     rf_memory_order_relaxed));
}

static bench_node *bench_pop(void) {
    bench_node *top = rf_atomic_load_explicit(&bench_top, rf_memory_order_acquire);
    while (top) {
        bench_node *next = rf_atomic_load_explicit(&top->next, rf_memory_order_relaxed);
        if (rf_atomic_compare_exchange_weak_explicit(
                &bench_top, &top, next, rf_memory_order_acquire, rf_memory_order_acquire))
            break;
    }
    return top;
}

static void *bench_treiber(void *arg) {
    bench_node *mine = arg;
    for (int i = 0; i < 6; i++) {
        RF_STORE(mine[i].value, i);
        bench_push(&mine[i]);
        bench_node *n = bench_pop();
        if (n) (void)RF_LOAD(n->value);
    }
    return NULL;
}

RF_TEST(treiber) {
    rf_thread t[3];
    rf_atomic_init(&bench_top, NULL);
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(bench_treiber, bench_nodes[i]);
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

/* ---- one operation, by two threads on the same object: bench_rounds of each ---- */

static int bench_rounds = 10;
static rf_mutex bench_mutex = RF_MUTEX_INIT;

#define BENCH_OPERATION(name, operation)            \
 static void *bench_##name(void *arg) {             \
  for (int i = 0; i < bench_rounds; i++) operation; \
  return arg;                                       \
 }                                                  \
 RF_TEST(name) {                                    \
  rf_atomic_init(&bench_x, 0);                      \
  rf_thread t = RF_THREAD(bench_##name, NULL);      \
  bench_##name(NULL);                               \
  RF_JOIN(t);                                       \
 }

static void bench_relaxed_pair(void) {
    rf_atomic_store_explicit(&bench_x, 1, rf_memory_order_relaxed);
    (void)rf_atomic_load_explicit(&bench_x, rf_memory_order_relaxed);
}

static void bench_lock_and_unlock(void) {
    RF_LOCK(&bench_mutex);
    RF_UNLOCK(&bench_mutex);
}

BENCH_OPERATION(relaxed, bench_relaxed_pair())
BENCH_OPERATION(fetch_add, (void)rf_atomic_fetch_add(&bench_x, 1))
BENCH_OPERATION(locks, bench_lock_and_unlock())
BENCH_OPERATION(loads, (void)RF_LOAD(bench_owner))
#endif
