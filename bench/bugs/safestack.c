/* safestack: Dmitry Vyukov's lock-free stack of three slots, posted as a riddle for CHESS: with
 * three threads, each of which takes and returns a slot twice, six preemptions give one slot to two
 * threads, and the seventh lets the assertion see it.  In the twin the head is a slot with a number
 * that changes with each exchange, and the slots' links are left alone. */
#include "bug.h"

enum { SLOTS = 3, THREADS = 3, ROUNDS = 2, NONE = -1 };

static struct {
    int value;
    _Atomic int next;
} slot[SLOTS];

#ifdef FIXED
static _Atomic(uint64_t) head; /* slot + 1, and above it the number */

static int slot_of(uint64_t h) { return (int)(uint32_t)h - 1; }
static uint64_t with_slot(uint64_t h, int s) { return ((h >> 32) + 1) << 32 | (uint32_t)(s + 1); }

static int pop(void) {
    uint64_t h = rf_atomic_load(&head);
    while (slot_of(h) != NONE) {
        int next = rf_atomic_load(&slot[slot_of(h)].next);
        if (rf_atomic_compare_exchange_strong(&head, &h, with_slot(h, next))) return slot_of(h);
    }
    return NONE;
}

static void push(int s) {
    uint64_t h = rf_atomic_load(&head);
    do rf_atomic_store(&slot[s].next, slot_of(h));
    while (!rf_atomic_compare_exchange_strong(&head, &h, with_slot(h, s)));
}

static void reset(void) { head = 1; }
#else
static _Atomic int head, count;

static int pop(void) {
    while (rf_atomic_load(&count) > 1) {
        int first = rf_atomic_load(&head);
        int next = rf_atomic_exchange(&slot[first].next, NONE);
        if (next < 0) continue;
        int expected = first;
        if (rf_atomic_compare_exchange_strong(&head, &expected, next)) {
            rf_atomic_fetch_sub(&count, 1);
            return first;
        }
        (void)rf_atomic_exchange(&slot[first].next, next);
    }
    return NONE;
}

static void push(int s) {
    int first = rf_atomic_load(&head);
    do rf_atomic_store(&slot[s].next, first);
    while (!rf_atomic_compare_exchange_strong(&head, &first, s));
    rf_atomic_fetch_add(&count, 1);
}

static void reset(void) {
    head = 0;
    count = SLOTS;
}
#endif

static void *worker(void *arg) {
    int me = (int)(intptr_t)arg, s;
    for (int i = 0; i < ROUNDS; i++) {
        while ((s = pop()) == NONE) RF_YIELD();
        RF_STORE(slot[s].value, me);
        RF_ASSERT_EQ(RF_LOAD(slot[s].value), me);
        push(s);
    }
    return NULL;
}

#define PATIENCE .executions = 5000000, .seconds = 60, .max_steps = 5000

PROGRAM(safestack, RF_EXPECT_FAILURE, PATIENCE) {
    crew c = {.count = 0};
    reset();
    for (int i = 0; i < SLOTS; i++) slot[i].next = i + 1 < SLOTS ? i + 1 : NONE;
    for (int i = 0; i < THREADS; i++) START(&c, 1, worker, (void *)(intptr_t)i);
    finish(&c);
}
