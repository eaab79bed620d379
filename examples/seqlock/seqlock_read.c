/* seqlock_read.c: looking at the point.
 *
 * BUG: nothing holds the second look at the count back until x and y are read.  The acquire on that
 * load does not help: it holds back what comes after it.  So a reader can see half of a new point,
 * and then the old count, which says that all is well.  The report shows these reads, the last one
 * stale, and what would forbid it.  Fixed in seqlock_read_fixed.c.
 */
#include "seqlock.h"

bool seqlock_read(seqlock *l, int *x, int *y) {
    unsigned before = rf_atomic_load_explicit(&l->count, memory_order_acquire);
    *x = rf_atomic_load_explicit(&l->x, memory_order_relaxed);
    *y = rf_atomic_load_explicit(&l->y, memory_order_relaxed);
    unsigned after = rf_atomic_load_explicit(&l->count, memory_order_acquire); /* too early */
    return before == after && before % 2 == 0;
}
