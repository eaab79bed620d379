/* chaselev_grow.c: a larger ring.
 *
 * BUG: the new ring is published with relaxed order, the mistake that the authors of CDSChecker
 * reported (Norris, Demsky, OOPSLA 2013).  A thief that has read `bottom` before the deque grew may
 * get the new ring, but nothing says that the copies are in it: it may steal what was in that
 * memory before.  The report shows a read of memory that nobody has written, and the release that
 * is missing.  Fixed in chaselev_grow_fixed.c.
 */
#include "chaselev.h"

ring *deque_grow(deque *d, ring *old, long top, long bottom) {
    long size = ring_size(old);
    ring *wide = ring_new(2 * size);
    for (long i = top; i < bottom; i++) {
        int value = rf_atomic_load_explicit(&old->slot[i % size], memory_order_relaxed);
        rf_atomic_store_explicit(&wide->slot[i % (2 * size)], value, memory_order_relaxed);
    }
    wide->old = old;
    rf_atomic_store_explicit(&d->ring, wide, memory_order_relaxed); /* hands over nothing */
    return wide;
}
