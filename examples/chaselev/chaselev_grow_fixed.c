/* chaselev_grow_fixed.c: a larger ring; whoever sees it sees the copies in it. */
#include "chaselev.h"

ring *deque_grow(deque *d, ring *old, long top, long bottom) {
    long size = ring_size(old);
    ring *wide = ring_new(2 * size);
    for (long i = top; i < bottom; i++) {
        int value = rf_atomic_load_explicit(&old->slot[i % size], memory_order_relaxed);
        rf_atomic_store_explicit(&wide->slot[i % (2 * size)], value, memory_order_relaxed);
    }
    wide->old = old;
    rf_atomic_store_explicit(&d->ring, wide, memory_order_release);
    return wide;
}
