/* chaselev.c: the deque of chaselev.h, but for deque_grow. */
#include "chaselev.h"

ring *ring_new(long size) {
    ring *r = RF_MALLOC(sizeof *r + (size_t)size * sizeof r->slot[0]);
    r->old = NULL;
    rf_atomic_store_explicit(&r->size, size, memory_order_relaxed);
    return r;
}

long ring_size(ring *r) { return rf_atomic_load_explicit(&r->size, memory_order_relaxed); }

void deque_init(deque *d, long size) {
    rf_atomic_init(&d->top, 0);
    rf_atomic_init(&d->bottom, 0);
    rf_atomic_init(&d->ring, ring_new(size));
}

void deque_destroy(deque *d) {
    for (ring *r = rf_atomic_load(&d->ring), *old; r; r = old) {
        old = r->old;
        RF_FREE(r);
    }
}

void deque_push(deque *d, int value) {
    long bottom = rf_atomic_load_explicit(&d->bottom, memory_order_relaxed);
    long top = rf_atomic_load_explicit(&d->top, memory_order_acquire);
    ring *r = rf_atomic_load_explicit(&d->ring, memory_order_relaxed);
    long size = ring_size(r);
    if (bottom - top == size) {
        r = deque_grow(d, r, top, bottom);
        size = ring_size(r);
    }
    rf_atomic_store_explicit(&r->slot[bottom % size], value, memory_order_relaxed);
    rf_atomic_thread_fence(memory_order_release);
    rf_atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
}

/* True for the one thread that moves the top past `top`. */
static bool win(deque *d, long top) {
    return CAS(&d->top, &top, top + 1, memory_order_seq_cst, memory_order_relaxed);
}

bool deque_take(deque *d, int *value) {
    long bottom = rf_atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
    ring *r = rf_atomic_load_explicit(&d->ring, memory_order_relaxed);
    rf_atomic_store_explicit(&d->bottom, bottom, memory_order_relaxed);
    rf_atomic_thread_fence(memory_order_seq_cst);
    long top = rf_atomic_load_explicit(&d->top, memory_order_relaxed);
    bool found = top <= bottom;
    if (found)
        *value = rf_atomic_load_explicit(&r->slot[bottom % ring_size(r)], memory_order_relaxed);
    if (top == bottom) found = win(d, top); /* the last one: thieves are after it too */
    if (top >= bottom) rf_atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
    return found;
}

bool deque_steal(deque *d, int *value) {
    long top = rf_atomic_load_explicit(&d->top, memory_order_acquire);
    rf_atomic_thread_fence(memory_order_seq_cst);
    long bottom = rf_atomic_load_explicit(&d->bottom, memory_order_acquire);
    if (top >= bottom) return false;
    ring *r = rf_atomic_load_explicit(&d->ring, memory_order_acquire);
    *value = rf_atomic_load_explicit(&r->slot[top % ring_size(r)], memory_order_relaxed);
    return win(d, top);
}
