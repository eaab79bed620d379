/* Families of programs whose executions can be counted: graphs FAMILY N [OPTION...].  10_graphs.sh
 * compares with the formulas.  With TIMES=N in the environment, a power of 8, there are N times as
 * many of them. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"

enum { MOST = 16 };

static unsigned width, times;
static rf_atomic_int cell[MOST], next_ticket, serving;
static rf_mutex mutex;
static rf_barrier barrier;
static rf_once once;
static int data;

static void run(void *(*fn)(void *)) {
    rf_thread t[MOST];
    for (unsigned i = times; i > 1; i /= 8) (void)RF_CHOOSE(8);
    for (unsigned i = 0; i < width; i++) rf_atomic_init(&cell[i], 0);
    rf_atomic_init(&next_ticket, 0);
    rf_atomic_init(&serving, 0);
    RF_STORE(data, 0);
    for (uintptr_t i = 0; i < width; i++) t[i] = RF_THREAD(fn, (void *)i);
    for (unsigned i = 0; i < width; i++) RF_JOIN(t[i]);
}

static void *add(void *i) {
    rf_atomic_fetch_add(&cell[0], 1);
    return i;
}

static void *read_or_write(void *i) {
    if (i)
        (void)rf_atomic_load(&cell[0]);
    else
        rf_atomic_store(&cell[0], 1);
    return i;
}

static void buffer(uintptr_t i, rf_memory_order order) {
    rf_atomic_store_explicit(&cell[i], 1, order);
    (void)rf_atomic_load_explicit(&cell[(i + 1) % width], order);
}

static void *buffer_relaxed(void *i) {
    buffer((uintptr_t)i, rf_memory_order_relaxed);
    return i;
}

static void *buffer_in_order(void *i) {
    buffer((uintptr_t)i, rf_memory_order_seq_cst);
    return i;
}

static void *last_zero(void *number) {
    uintptr_t i = (uintptr_t)number;
    if (i)
        rf_atomic_store(&cell[i], rf_atomic_load(&cell[i - 1]) + 1);
    else
        for (i = width - 1; rf_atomic_load(&cell[i]);) i--;
    return number;
}

static void *compare(void *i) {
    int none = 0;
    rf_atomic_compare_exchange_strong(&cell[0], &none, (int)(uintptr_t)i + 1);
    return i;
}

static void *ticket(void *i) {
    int mine = rf_atomic_fetch_add_explicit(&next_ticket, 1, rf_memory_order_relaxed);
    while (rf_atomic_load_explicit(&serving, rf_memory_order_acquire) != mine) continue;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store_explicit(&serving, mine + 1, rf_memory_order_release);
    return i;
}

static void *lock(void *i) {
    RF_LOCK(&mutex);
    RF_STORE(data, RF_LOAD(data) + 1);
    RF_UNLOCK(&mutex);
    return i;
}

static void *message(void *i) {
    if (i) {
        if (rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire)) (void)RF_LOAD(data);
    } else {
        RF_STORE(data, 1);
        rf_atomic_store_explicit(&cell[0], 1, rf_memory_order_release);
    }
    return i;
}

/* A stack: each thread puts its node there, and takes one. */
static struct node {
    struct node *next;
    int value;
} node[MOST];
static _Atomic(struct node *) top;

static void *put_and_take(void *number) {
    struct node *n = &node[(uintptr_t)number], *was;
    RF_STORE(n->value, 1);
    was = rf_atomic_load_explicit(&top, rf_memory_order_relaxed);
    do RF_STORE(n->next, was);
    while (!rf_atomic_compare_exchange_strong_explicit(&top, &was, n, rf_memory_order_release,
                                                       rf_memory_order_relaxed));
    n = rf_atomic_load_explicit(&top, rf_memory_order_acquire);
    while (n && !rf_atomic_compare_exchange_strong_explicit(
                    &top, &n, RF_LOAD(n->next), rf_memory_order_acquire, rf_memory_order_acquire))
        continue;
    if (n) RF_ASSERT_EQ(RF_LOAD(n->value), 1);
    return number;
}

static void *arrive(void *i) {
    (void)RF_BARRIER_WAIT(&barrier);
    return i;
}

static void set(void) { RF_STORE(data, 1); }
static void *call(void *i) {
    RF_ONCE(&once, set);
    return i;
}

RF_TEST(adders) { run(add); }
RF_TEST(readers) { run(read_or_write); }
RF_TEST(buffers) { run(buffer_relaxed); }
RF_TEST(ordered) { run(buffer_in_order); }
RF_TEST(lastzeros) { run(last_zero); }
RF_TEST(comparers) { run(compare); }
RF_TEST(tickets) { run(ticket); }
RF_TEST(locks) { run(lock); }
RF_TEST(onces) { run(call); }
RF_TEST(messages) { run(message); }
RF_TEST(stacks) {
    rf_atomic_init(&top, NULL);
    run(put_and_take);
}
RF_TEST(barriers) {
    rf_barrier_init(&barrier, "barrier", width);
    run(arrive);
    rf_barrier_destroy(&barrier);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    width = (unsigned)atoi(argv[2]);
    times = (unsigned)atoi(getenv("TIMES") ? getenv("TIMES") : "1");
    if (width < 1 || width > MOST) return 2;
    static char filter[64];
    snprintf(filter, sizeof filter, "--filter=%s", argv[1]);
    argv[2] = filter;
    return rf_run(NULL, argc - 1, argv + 1);
}
