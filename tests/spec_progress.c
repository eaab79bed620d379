/* Progress of objects (.progress): what waits for a thread that is stopped is found by default, and
 * so is what hinders each other for ever; what helps, tries again, or has much to do is not
 * accused. */
#define RF_IMPLEMENTATION
#include "tests/spec/verdicts.h"

static _Atomic int word, flag[2];
static void word_init(void) {
    rf_atomic_init(&word, 0);
    for (int i = 0; i < 2; i++) rf_atomic_init(&flag[i], 0);
}

/* ---- a lock: who holds it and is stopped blocks all others ---- */

static rf_mutex lock = RF_MUTEX_INIT;
static int add_locked(void) {
    int value = 0;
    RF_GUARD(&lock) {
        value = rf_atomic_load(&word) + 1;
        rf_atomic_store(&word, value);
    }
    return value;
}
RF_OBJECT(locked) { word_init(); }
RF_OPERATION(locked, add, (void), int) { return add_locked(); }
RF_LINEARIZABLE(locked, .progress = RF_OBSTRUCTION_FREE)

/* Of so few scenarios that all their orders are explored, where nobody is stopped. */
RF_OBJECT(locked_few) { word_init(); }
RF_OPERATION(locked_few, add, (void), int) { return add_locked(); }
RF_LINEARIZABLE(locked_few, .threads = 2, .operations = 1, .before = -1, .after = -1,
                .progress = RF_OBSTRUCTION_FREE)

/* The same by a loop. */
RF_OBJECT(spinning) { word_init(); }
RF_OPERATION(spinning, add, (void), int) {
    int none = 0;
    while (!rf_atomic_compare_exchange_weak(&flag[0], &none, 1)) none = 0;
    int value = rf_atomic_fetch_add(&word, 1) + 1;
    rf_atomic_store(&flag[0], 0);
    return value;
}
RF_LINEARIZABLE(spinning, .progress = RF_OBSTRUCTION_FREE)

/* The same, and what it reads is never twice the same. */
RF_OBJECT(counting) { word_init(); }
RF_OPERATION(counting, add, (void), void) {
    while (rf_atomic_exchange(&flag[0], 1)) rf_atomic_fetch_add(&word, 1);
    rf_atomic_store(&flag[0], 0);
}
RF_LINEARIZABLE(counting, .progress = RF_OBSTRUCTION_FREE)

/* Nobody asks: a lock is none of a fault. */
RF_OBJECT(locked_right) { word_init(); }
RF_OPERATION(locked_right, add, (void), int) { return add_locked(); }
RF_LINEARIZABLE(locked_right)

/* ---- who fails tries again: somebody else has gone on ---- */

static int add_again(void) {
    int value = rf_atomic_load(&word);
    while (!rf_atomic_compare_exchange_weak(&word, &value, value + 1)) {
    }
    return value + 1;
}
RF_OBJECT(again_right) { word_init(); }
RF_OPERATION(again_right, add, (void), int) { return add_again(); }
RF_LINEARIZABLE(again_right, .progress = RF_LOCK_FREE)

/* It is not wait-free: a call may take any number of steps. */
RF_OBJECT(again) { word_init(); }
RF_OPERATION(again, add, (void), int) { return add_again(); }
RF_LINEARIZABLE(again, .progress = RF_WAIT_FREE, .own_steps = 4)

RF_OBJECT(once_right) { word_init(); }
RF_OPERATION(once_right, add, (void), int) { return rf_atomic_fetch_add(&word, 1) + 1; }
RF_LINEARIZABLE(once_right, .progress = RF_WAIT_FREE, .own_steps = 1)

/* ---- who sees the other one makes way, and so does that one ---- */

static int polite(int me) {
    for (;;) {
        rf_atomic_store(&flag[me], 1);
        if (!rf_atomic_load(&flag[!me])) break;
        rf_atomic_store(&flag[me], 0);
    }
    int value = rf_atomic_fetch_add(&word, 1) + 1;
    rf_atomic_store(&flag[me], 0);
    return value;
}
RF_OBJECT(polite) { word_init(); }
RF_OPERATION(polite, left, (void), int, .one_thread = "left") { return polite(0); }
RF_OPERATION(polite, right, (void), int, .one_thread = "right") { return polite(1); }
RF_LINEARIZABLE(polite, .progress = RF_LOCK_FREE)

/* ---- Michael and Scott's queue: the last node is reached by whoever finds it, or by its owner
 * alone ---- */

enum { ROOM = 64 };
static _Atomic int first, last, used, next_of[ROOM], value_of[ROOM];
static void queue_init(void) {
    rf_atomic_init(&first, 0);
    rf_atomic_init(&last, 0);
    rf_atomic_init(&used, 1);
    for (int i = 0; i < ROOM; i++) rf_atomic_init(&next_of[i], 0);
}

static void enqueue(int value, bool helps) {
    int node = rf_atomic_fetch_add(&used, 1);
    rf_atomic_store(&value_of[node], value);
    for (;;) {
        int at = rf_atomic_load(&last), none = 0, behind = rf_atomic_load(&next_of[at]);
        if (!behind && rf_atomic_compare_exchange_strong(&next_of[at], &none, node)) {
            rf_atomic_compare_exchange_strong(&last, &at, node);
            return;
        }
        if (behind && helps) rf_atomic_compare_exchange_strong(&last, &at, behind);
    }
}

static int dequeue(void) {
    for (;;) {
        int at = rf_atomic_load(&first), behind = rf_atomic_load(&next_of[at]);
        if (!behind) return 0;
        int value = rf_atomic_load(&value_of[behind]);
        if (rf_atomic_compare_exchange_strong(&first, &at, behind)) return value;
    }
}

RF_OBJECT(queue) { queue_init(); }
RF_OPERATION(queue, enqueue, (int value), void) { enqueue(value, false); }
RF_OPERATION(queue, dequeue, (void), int) { return dequeue(); }
RF_LINEARIZABLE(queue, .progress = RF_LOCK_FREE)

RF_OBJECT(queue_right) { queue_init(); }
RF_OPERATION(queue_right, enqueue, (int value), void) { enqueue(value, true); }
RF_OPERATION(queue_right, dequeue, (void), int) { return dequeue(); }
RF_LINEARIZABLE(queue_right, .progress = RF_LOCK_FREE)

/* ---- much to do is no loop for ever: all of a table is filled, with the same ---- */

enum { PLACES = 3000 };
static _Atomic char place[PLACES];
RF_OBJECT(large_right) {}
RF_OPERATION(large_right, fill, (void), void) {
    for (int i = 0; i < PLACES; i++)
        rf_atomic_store_explicit(&place[i], 1, rf_memory_order_relaxed);
}
RF_LINEARIZABLE(large_right, .progress = RF_LOCK_FREE, .operations = 1, .before = -1, .after = -1,
                .executions = 60)

/* ---- a call that may wait says so ---- */

static rf_sem permits = RF_SEM_INIT(0);
RF_OBJECT(waits_right) {}
RF_OPERATION(waits_right, wait, (void), void, .blocks = true) { RF_SEM_WAIT(&permits); }
RF_OPERATION(waits_right, post, (void), void) { RF_SEM_POST(&permits); }
RF_LINEARIZABLE(waits_right, .progress = RF_LOCK_FREE)

/* Nobody waits before threads start, so that many executions come to where one is stopped. */
RF_OBJECT(stopped_right) {}
RF_OPERATION(stopped_right, wait, (void), void, .blocks = true) { RF_SEM_WAIT(&permits); }
RF_OPERATION(stopped_right, post, (void), void) { RF_SEM_POST(&permits); }
RF_LINEARIZABLE(stopped_right, .threads = 2, .before = -1, .after = -1, .progress = RF_LOCK_FREE)

static const verdicts_size sizes[] = {{"locked", 2, 2},   {"locked_few", 2, 2}, {"spinning", 2, 2},
                                      {"counting", 2, 2}, {"again", 3, 3},      {"polite", 2, 2},
                                      {"queue", 4, 3},    {NULL, 0, 0}};

int main(void) { return verdicts(sizes); }
