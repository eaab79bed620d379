/* seqlock_read_fixed.c: looking at the point; the fence keeps the second look at the count behind
 * the reads of x and y. */
#include "seqlock.h"

bool seqlock_read(seqlock *l, int *x, int *y) {
    unsigned before = rf_atomic_load_explicit(&l->count, memory_order_acquire);
    *x = rf_atomic_load_explicit(&l->x, memory_order_relaxed);
    *y = rf_atomic_load_explicit(&l->y, memory_order_relaxed);
    rf_atomic_thread_fence(memory_order_acquire);
    unsigned after = rf_atomic_load_explicit(&l->count, memory_order_relaxed);
    return before == after && before % 2 == 0;
}
