/* Concurrency Kit's FIFO, rings, stack, bitmap and hash set by the list of their operations; nobody
 * writes a scenario.  Values are numbers in pointers. */
#include "racefuzz.h"
#include <ck_bitmap.h>
#include <ck_fifo.h>
#include <ck_hs.h>
#include <ck_ring.h>
#include <ck_stack.h>
#include <stdint.h>
#include <stdlib.h>

enum { VALUES = 80, SIZE = 4 };
#define POINTER(value) ((void *)(intptr_t)(value))
#define VALUE(pointer) ((int)(intptr_t)(pointer))

/* ---- rings ---- */

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SIZE];

static int ring_get(bool (*dequeue)(ck_ring_t *, const ck_ring_buffer_t *, void *)) {
    void *got = NULL;
    return dequeue(&ring, buffer, &got) ? VALUE(got) : 0;
}

static bool spsc(ck_ring_t *r, const ck_ring_buffer_t *b, void *to) {
    return ck_ring_dequeue_spsc(r, b, to);
}
static bool mpmc(ck_ring_t *r, const ck_ring_buffer_t *b, void *to) {
    return ck_ring_dequeue_mpmc(r, b, to);
}

RF_OBJECT(ring_spsc) { ck_ring_init(&ring, SIZE); }
RF_OPERATION(ring_spsc, put, (int value), bool, .one_thread = "producer") {
    return ck_ring_enqueue_spsc(&ring, buffer, POINTER(value));
}
RF_OPERATION(ring_spsc, get, (void), int, .one_thread = "consumer") { return ring_get(spsc); }
RF_LINEARIZABLE(ring_spsc)

RF_OBJECT(ring_mpmc) { ck_ring_init(&ring, SIZE); }
/* It is full, or empty, while somebody has taken a place and not yet finished. */
RF_OPERATION(ring_mpmc, put, (int value), bool, .may_fail = true) {
    return ck_ring_enqueue_mpmc(&ring, buffer, POINTER(value));
}
RF_OPERATION(ring_mpmc, get, (void), int) { return ring_get(mpmc); }
RF_LINEARIZABLE(ring_mpmc)

/* ---- a stack, of nodes that are used once ---- */

static ck_stack_t stack;
static ck_stack_entry_t node[VALUES];

RF_OBJECT(stack) { ck_stack_init(&stack); }
RF_OPERATION(stack, push, (int value), void) { ck_stack_push_upmc(&stack, &node[value]); }
RF_OPERATION(stack, pop, (void), int) {
    ck_stack_entry_t *got = ck_stack_pop_upmc(&stack);
    return got ? (int)(got - node) : 0;
}
RF_LINEARIZABLE(stack)

/* ---- a FIFO ---- */

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t entry[VALUES];

RF_OBJECT(fifo) { ck_fifo_spsc_init(&fifo, &entry[0]); }
RF_OPERATION(fifo, put, (int value), void, .one_thread = "producer") {
    ck_fifo_spsc_enqueue(&fifo, &entry[value], POINTER(value));
}
RF_OPERATION(fifo, get, (void), int, .one_thread = "consumer") {
    void *got = NULL;
    return ck_fifo_spsc_dequeue(&fifo, &got) ? VALUE(got) : 0;
}
RF_LINEARIZABLE(fifo)

/* ---- a bitmap: each bit is an object by itself ---- */

static CK_BITMAP_INSTANCE(8) bits;
#define BIT .args = {RF_ARG(0, 1)}, .key = 1

RF_OBJECT(bitmap) { CK_BITMAP_INIT(&bits, 8, false); }
RF_OPERATION(bitmap, set, (int bit), bool, BIT) { return CK_BITMAP_BTS(&bits, (unsigned)bit); }
RF_OPERATION(bitmap, reset, (int bit), void, BIT) { CK_BITMAP_RESET(&bits, (unsigned)bit); }
RF_OPERATION(bitmap, test, (int bit), bool, BIT) { return CK_BITMAP_TEST(&bits, (unsigned)bit); }
RF_LINEARIZABLE(bitmap)

/* ---- a hash set: one writer, readers beside it.  What is replaced may still be read: nothing here
 * gives it back before the end ---- */

static ck_hs_t set;
static void *late[VALUES];
static unsigned lates;

static void *hs_malloc(size_t n) { return malloc(n); }
static void hs_free(void *p, size_t n, bool defer) {
    (void)n;
    if (defer && lates < VALUES)
        late[lates++] = p;
    else
        free(p);
}

static struct ck_malloc heap = {.malloc = hs_malloc, .free = hs_free};
static unsigned long hash(const void *key, unsigned long seed) {
    return (unsigned long)VALUE(key) * 7 + seed;
}
static bool same(const void *a, const void *b) { return a == b; }
#define HASHED(key) CK_HS_HASH(&set, hash, POINTER(key)), POINTER(key)

#define KEY .args = {RF_ARG(1, 3)}
RF_OBJECT(hash_set) {
    if (!ck_hs_init(&set, CK_HS_MODE_SPMC | CK_HS_MODE_DIRECT, hash, same, &heap, 8, 5)) abort();
}
RF_OBJECT_END(hash_set) {
    ck_hs_destroy(&set);
    while (lates) free(late[--lates]);
}
RF_OPERATION(hash_set, add, (int key), bool, KEY, .one_thread = "writer") {
    return ck_hs_put(&set, HASHED(key));
}
RF_OPERATION(hash_set, removes, (int key), bool, KEY, .one_thread = "writer") {
    return ck_hs_remove(&set, HASHED(key)) != NULL;
}
RF_OPERATION(hash_set, grow, (void), bool, .one_thread = "writer", .most = 1) {
    return ck_hs_grow(&set, 32);
}
RF_OPERATION(hash_set, has, (int key), bool, KEY) { return ck_hs_get(&set, HASHED(key)) != NULL; }
RF_LINEARIZABLE(hash_set)

RF_MAIN()
