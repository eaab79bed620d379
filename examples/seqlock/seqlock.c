/* seqlock.c: the writer's side of seqlock.h. */
#include "seqlock.h"

void seqlock_init(seqlock *l, int x, int y) {
    rf_atomic_init(&l->count, 0);
    rf_atomic_init(&l->x, x);
    rf_atomic_init(&l->y, y);
}

/* The fence: whoever sees a part of the new point, and has an acquire fence after that, sees the
 * odd count as well. */
void seqlock_write(seqlock *l, int x, int y) {
    unsigned count = rf_atomic_load_explicit(&l->count, memory_order_relaxed);
    rf_atomic_store_explicit(&l->count, count + 1, memory_order_relaxed);
    rf_atomic_thread_fence(memory_order_release);
    rf_atomic_store_explicit(&l->x, x, memory_order_relaxed);
    rf_atomic_store_explicit(&l->y, y, memory_order_relaxed);
    rf_atomic_store_explicit(&l->count, count + 2, memory_order_release);
}
