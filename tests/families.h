/* Families of programs whose executions can be counted: by a formula, by an enumerator, or by what
 * others have published.  tests/graphs.c and bench/graphs.c count them. */
#ifndef FAMILIES_H
#define FAMILIES_H

#include "racefuzz.h"
#include "tests/thread.h"

#include "examples/chaselev/chaselev.c"
#include "examples/chaselev/chaselev_grow_fixed.c"
#include "examples/msqueue/msqueue.c"
#include "examples/msqueue/msqueue_take_fixed.c"
#include "examples/seqlock/seqlock.c"
#include "examples/seqlock/seqlock_read_fixed.c"

enum { WIDEST = 16 };

static uint32_t width;     /* how many threads, or rounds */
static uint32_t times = 1; /* a power of 8: so many times as many executions */
static rf_atomic_int cell[WIDEST], next_ticket, serving;
static rf_mutex gate;
static int data;

/* `width` threads, one for each number. */
static void run_threads(void *(*fn)(void *)) {
    rf_thread t[WIDEST];
    for (uintptr_t i = 0; i < width; i++) t[i] = RF_THREAD(fn, (void *)i);
    for (uintptr_t i = 0; i < width; i++) (void)RF_JOIN(t[i]);
}

static void clear_cells(void) {
    for (uint32_t i = times; i > 1; i /= 8) (void)RF_CHOOSE(8);
    for (int i = 0; i < WIDEST; i++) rf_atomic_init(&cell[i], 0);
    rf_atomic_init(&next_ticket, 0);
    rf_atomic_init(&serving, 0);
    RF_STORE(data, 0);
}

static void clear_and_run(void *(*fn)(void *)) {
    clear_cells();
    run_threads(fn);
}

/* ---- loads, stores and updates ---- */

THREAD(add_one) { (void)rf_atomic_fetch_add_explicit(&cell[0], 1, rf_memory_order_relaxed); }

RF_TEST(adders) {
    clear_and_run(add_one);
    RF_ASSERT(rf_atomic_load(&cell[0]) == (int)width);
}

static void *read_or_write(void *number) {
    if (number)
        (void)rf_atomic_load_explicit(&cell[0], rf_memory_order_relaxed);
    else
        rf_atomic_store_explicit(&cell[0], 1, rf_memory_order_relaxed);
    return number;
}

RF_TEST(readers) { clear_and_run(read_or_write); }

static void *write_or_read(void *number) {
    if (number)
        rf_atomic_store_explicit(&cell[0], (int)(uintptr_t)number, rf_memory_order_release);
    else
        (void)rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire);
    return number;
}

RF_TEST(writers) { clear_and_run(write_or_read); }

static void buffer_one(uintptr_t i, rf_memory_order order) {
    rf_atomic_store_explicit(&cell[i], 1, order);
    (void)rf_atomic_load_explicit(&cell[(i + 1) % width], order);
}

static void *buffer_relaxed(void *number) {
    buffer_one((uintptr_t)number, rf_memory_order_relaxed);
    return number;
}

static void *buffer_in_order(void *number) {
    buffer_one((uintptr_t)number, rf_memory_order_seq_cst);
    return number;
}

RF_TEST(buffers) { clear_and_run(buffer_relaxed); }
RF_TEST(ordered) { clear_and_run(buffer_in_order); }

/* A message, which each passes on who has got it. */
static void *pass_on(void *number) {
    uintptr_t i = (uintptr_t)number;
    int got = 0;
    if (i == 0)
        rf_atomic_store_explicit(&cell[WIDEST - 1], 1, rf_memory_order_relaxed);
    else
        got = rf_atomic_load_explicit(&cell[i - 1], rf_memory_order_acquire);
    if (i == 0 || got) rf_atomic_store_explicit(&cell[i], 1, rf_memory_order_release);
    if (i == 0) return number;
    int there = rf_atomic_load_explicit(&cell[WIDEST - 1], rf_memory_order_relaxed);
    RF_ASSERT(there || !got);
    return number;
}

RF_TEST(chains) { clear_and_run(pass_on); }

static void *send_or_receive(void *number) {
    if (number) {
        if (rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire)) (void)RF_LOAD(data);
    } else {
        RF_STORE(data, 1);
        rf_atomic_store_explicit(&cell[0], 1, rf_memory_order_release);
    }
    return number;
}

RF_TEST(messages) { clear_and_run(send_or_receive); }

/* Abdulla, Aronis, Jonsson, Sagonas, POPL 2014; the first thread looks, the others add. */
static void *last_zero(void *number) {
    uintptr_t i = (uintptr_t)number;
    if (i) {
        int before = rf_atomic_load(&cell[i - 1]);
        rf_atomic_store(&cell[i], before + 1);
    } else {
        for (i = width - 1; rf_atomic_load(&cell[i]);) i--;
    }
    return number;
}

RF_TEST(lastzeros) { clear_and_run(last_zero); }

/* Two threads add to each other's number, `width` times each, and a third one looks. */
static void *fibonacci(void *number) {
    uintptr_t i = (uintptr_t)number;
    for (uint32_t k = 0; i < 2 && k < width; k++) {
        int mine = rf_atomic_load_explicit(&cell[i], rf_memory_order_relaxed);
        int other = rf_atomic_load_explicit(&cell[1 - i], rf_memory_order_relaxed);
        rf_atomic_store_explicit(&cell[i], mine + other, rf_memory_order_relaxed);
    }
    if (i < 2) return number;
    (void)rf_atomic_load_explicit(&cell[0], rf_memory_order_relaxed);
    (void)rf_atomic_load_explicit(&cell[1], rf_memory_order_relaxed);
    return number;
}

RF_TEST(fibonaccis) {
    clear_cells();
    rf_thread t[3];
    for (uintptr_t i = 0; i < 3; i++) t[i] = RF_THREAD(fibonacci, (void *)i);
    for (uintptr_t i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
}

/* ---- compare-exchange ---- */

static bool exchange(int from, int to) {
    return rf_atomic_compare_exchange_strong_explicit(&cell[0], &from, to, rf_memory_order_relaxed,
                                                      rf_memory_order_relaxed);
}

static void *take_cell(void *number) {
    (void)exchange(0, (int)(uintptr_t)number + 1);
    return number;
}

RF_TEST(comparers) { clear_and_run(take_cell); }

static void *rotate(void *number) {
    (void)exchange((int)(uintptr_t)number, (int)(uintptr_t)number + 1);
    return number;
}

RF_TEST(rotations) { clear_and_run(rotate); }

static void *claim_and_write(void *number) {
    (void)exchange(0, 1);
    rf_atomic_store_explicit(&cell[0], (int)(uintptr_t)number + 3, rf_memory_order_relaxed);
    return number;
}

RF_TEST(claimers) { clear_and_run(claim_and_write); }

/* Flanagan, Godefroid, POPL 2005: threads that put messages into a hash table. */
static rf_atomic_int table[128];

static void *put_messages(void *number) {
    for (int m = 1; m <= 4; m++) {
        int message = m * 11 + (int)(uintptr_t)number, at = message * 7 % 128, none = 0;
        while (!rf_atomic_compare_exchange_strong(&table[at], &none, message)) {
            at = (at + 1) % 128;
            none = 0;
        }
    }
    return number;
}

RF_TEST(indexers) {
    for (int i = 0; i < 128; i++) rf_atomic_init(&table[i], 0);
    clear_and_run(put_messages);
}

/* ---- locks and barriers ---- */

THREAD(with_ticket) {
    int mine = rf_atomic_fetch_add_explicit(&next_ticket, 1, rf_memory_order_relaxed);
    while (rf_atomic_load_explicit(&serving, rf_memory_order_acquire) != mine) continue;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store_explicit(&serving, mine + 1, rf_memory_order_release);
}

RF_TEST(tickets) {
    clear_and_run(with_ticket);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

THREAD(with_lock) { RF_GUARD(&gate) RF_STORE(data, RF_LOAD(data) + 1); }

RF_TEST(locks) {
    clear_and_run(with_lock);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

/* One section after the other, of two threads. */
static void *with_lock_often(void *arg) {
    for (uint32_t i = 0; i < width; i++) (void)with_lock(arg);
    return arg;
}

RF_TEST(sections) {
    clear_cells();
    run_two(with_lock_often, with_lock_often);
    RF_ASSERT(RF_LOAD(data) == 2 * (int)width);
}

/* Mellor-Crummey, Scott, TOCS 1991: who waits does so for a flag of his own. */
static struct waiter {
    _Atomic(struct waiter *) next;
    rf_atomic_int served;
} waiters[WIDEST];
static _Atomic(struct waiter *) last_waiter;

static void *in_line(void *number) {
    struct waiter *mine = &waiters[(uintptr_t)number], *was = mine, *next;
    struct waiter *before =
        rf_atomic_exchange_explicit(&last_waiter, mine, rf_memory_order_acq_rel);
    if (before) {
        rf_atomic_store_explicit(&before->next, mine, rf_memory_order_release);
        while (!rf_atomic_load_explicit(&mine->served, rf_memory_order_acquire)) continue;
    }
    RF_STORE(data, RF_LOAD(data) + 1);
    next = rf_atomic_load_explicit(&mine->next, rf_memory_order_acquire);
    if (!next && CAS(&last_waiter, &was, NULL, rf_memory_order_release, rf_memory_order_relaxed))
        return number;
    while (!next) next = rf_atomic_load_explicit(&mine->next, rf_memory_order_acquire);
    rf_atomic_store_explicit(&next->served, 1, rf_memory_order_release);
    return number;
}

RF_TEST(lines) {
    for (int i = 0; i < WIDEST; i++) {
        rf_atomic_init(&waiters[i].next, NULL);
        rf_atomic_init(&waiters[i].served, 0);
    }
    rf_atomic_init(&last_waiter, NULL);
    clear_and_run(in_line);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

/* Craig, TR 93-02-02, University of Washington 1993; Magnusson, Landin, Hagersten, IPPS 1994: who
 * waits does so for the flag of the one before. */
static rf_atomic_int busy[WIDEST];
static rf_atomic_int *_Atomic last_busy;
static rf_atomic_int nobody_busy;

static void *behind_another(void *number) {
    rf_atomic_int *mine = &busy[(uintptr_t)number];
    rf_atomic_store_explicit(mine, 1, rf_memory_order_relaxed);
    rf_atomic_int *before = rf_atomic_exchange_explicit(&last_busy, mine, rf_memory_order_acq_rel);
    while (rf_atomic_load_explicit(before, rf_memory_order_acquire)) continue;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store_explicit(mine, 0, rf_memory_order_release);
    return number;
}

RF_TEST(followers) {
    for (int i = 0; i < WIDEST; i++) rf_atomic_init(&busy[i], 0);
    rf_atomic_init(&nobody_busy, 0);
    rf_atomic_init(&last_busy, &nobody_busy);
    clear_and_run(behind_another);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

/* A barrier of one round: the last one opens it. */
THREAD(gather) {
    int before = rf_atomic_fetch_add_explicit(&cell[0], 1, rf_memory_order_acq_rel);
    if (before + 1 == (int)width)
        rf_atomic_store_explicit(&cell[1], 1, rf_memory_order_release);
    else
        while (!rf_atomic_load_explicit(&cell[1], rf_memory_order_acquire)) continue;
}

RF_TEST(gatherings) { clear_and_run(gather); }

static rf_barrier barrier;
THREAD(arrive) { (void)RF_BARRIER_WAIT(&barrier); }

RF_TEST(barriers) {
    rf_barrier_init(&barrier, "barrier", width);
    clear_and_run(arrive);
    rf_barrier_destroy(&barrier);
}

static rf_once once;
static void set(void) { RF_STORE(data, 1); }
THREAD(call) { RF_ONCE(&once, set); }

RF_TEST(onces) { clear_and_run(call); }

/* ---- structures ---- */

/* A stack: each thread puts its item there, and takes one. */
static struct item {
    struct item *next;
    int value;
} items[WIDEST];
static _Atomic(struct item *) top_item;

static void *put_and_take(void *number) {
    struct item *n = &items[(uintptr_t)number], *was;
    RF_STORE(n->value, 1);
    was = rf_atomic_load_explicit(&top_item, rf_memory_order_relaxed);
    do RF_STORE(n->next, was);
    while (!CAS(&top_item, &was, n, rf_memory_order_release, rf_memory_order_relaxed));
    n = rf_atomic_load_explicit(&top_item, rf_memory_order_acquire);
    while (n &&
           !CAS(&top_item, &n, RF_LOAD(n->next), rf_memory_order_acquire, rf_memory_order_acquire))
        continue;
    if (n) RF_ASSERT_EQ(RF_LOAD(n->value), 1);
    return number;
}

RF_TEST(stacks) {
    rf_atomic_init(&top_item, NULL);
    clear_and_run(put_and_take);
}

static msqueue queue;
static node queued[WIDEST];
static int taken[WIDEST];

static void *queue_up(void *number) {
    uintptr_t i = (uintptr_t)number;
    int value = 0;
    msqueue_put(&queue, &queued[i], 1 << i);
    RF_ASSERT(msqueue_take(&queue, &value)); /* each has put before it takes */
    RF_STORE(taken[i], value);
    return number;
}

RF_TEST(queues) {
    int sum = 0;
    msqueue_init(&queue);
    clear_and_run(queue_up);
    for (uint32_t i = 0; i < width; i++) sum += RF_LOAD(taken[i]);
    RF_ASSERT_EQ(sum, (1 << width) - 1);
}

/* The owner of a deque pushes five values, takes three and pushes two; each other thread steals
 * once. */
static deque work;

static void *own_or_steal(void *number) {
    int value;
    if (number) {
        (void)deque_steal(&work, &value);
        return number;
    }
    for (int i = 0; i < 5; i++) deque_push(&work, i);
    for (int i = 0; i < 3; i++) (void)deque_take(&work, &value);
    for (int i = 5; i < 7; i++) deque_push(&work, i);
    return number;
}

RF_TEST(deques) {
    deque_init(&work, 10);
    clear_and_run(own_or_steal);
    deque_destroy(&work);
}

/* One who writes once, and others who look once. */
static seqlock point;

static void *move_or_look(void *number) {
    int x, y;
    if (!number)
        seqlock_write(&point, 1, 1);
    else if (seqlock_read(&point, &x, &y))
        RF_ASSERT_EQ(x, y);
    return number;
}

RF_TEST(seqlocks) {
    seqlock_init(&point, 0, 0);
    clear_and_run(move_or_look);
}

/* Read-copy-update: who replaces the value waits for those who may have the old one. */
static int values[2];
static _Atomic(int *) current;

static void read_value(uintptr_t i) {
    rf_atomic_store_explicit(&cell[i], 1, rf_memory_order_relaxed);
    rf_atomic_thread_fence(rf_memory_order_seq_cst);
    int *now = rf_atomic_load_explicit(&current, rf_memory_order_acquire);
    RF_ASSERT(RF_LOAD(*now) >= 0);
    rf_atomic_store_explicit(&cell[i], 0, rf_memory_order_release);
}

static void replace_value(void) {
    RF_STORE(values[1], 1);
    rf_atomic_store_explicit(&current, &values[1], rf_memory_order_release);
    rf_atomic_thread_fence(rf_memory_order_seq_cst);
    for (uint32_t i = 1; i < width; i++)
        while (rf_atomic_load_explicit(&cell[i], rf_memory_order_acquire)) continue;
    RF_STORE(values[0], -1);
}

static void *read_or_replace(void *number) {
    if (number)
        read_value((uintptr_t)number);
    else
        replace_value();
    return number;
}

RF_TEST(copies) {
    RF_STORE(values[0], 0);
    rf_atomic_init(&current, &values[0]);
    clear_and_run(read_or_replace);
}

/* Huang, PLDI 2015, figure 2: the assertion needs four steps of three threads in a row, whatever
 * the `width` stores of the first one. */
THREAD(fill) {
    for (int round = 0; round < 2; round++) {
        RF_LOCK(&gate);
        rf_atomic_store_explicit(&cell[0], 1, rf_memory_order_release);
        for (uint32_t i = 0; i < width; i++)
            rf_atomic_store_explicit(&cell[1], 1, rf_memory_order_release);
        RF_UNLOCK(&gate);
    }
}

THREAD(raise_it) {
    for (int round = 0; round < 2; round++) {
        RF_GUARD(&gate) rf_atomic_store_explicit(&cell[0], 0, rf_memory_order_release);
        if (rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire) <= 0) continue;
        int was = rf_atomic_load_explicit(&cell[1], rf_memory_order_acquire);
        rf_atomic_store_explicit(&cell[1], was + 1, rf_memory_order_release);
        rf_atomic_store_explicit(&cell[0], 2, rf_memory_order_release);
    }
}

THREAD(check) {
    for (int round = 0; round < 2; round++) {
        if (rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire) <= 1) continue;
        RF_ASSERT(rf_atomic_load_explicit(&cell[1], rf_memory_order_acquire) != 3);
        rf_atomic_store_explicit(&cell[1], 2, rf_memory_order_release);
    }
}

RF_TEST(exponential) {
    clear_cells();
    rf_thread a = RF_THREAD(fill, NULL), b = RF_THREAD(raise_it, NULL), c = RF_THREAD(check, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_JOIN(c);
}

#endif
