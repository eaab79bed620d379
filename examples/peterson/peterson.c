/* peterson.c: the lock of peterson.h.
 *
 * BUG: "Each flag is stored by one thread only, so relaxed will do."  The lock lives on the order
 * between a thread's stores and its next load: both threads may read that the other one does not
 * want in, although both have stored that they do.  The report shows two threads between lock and
 * unlock, the stale load that let the second one in, and the update that got lost.  Fixed in
 * peterson_fixed.c.
 */
#include "peterson.h"

void peterson_init(peterson *p) {
    rf_atomic_init(&p->wants[0], false);
    rf_atomic_init(&p->wants[1], false);
    rf_atomic_init(&p->polite, 0);
}

bool peterson_lock(peterson *p, int me) {
    int other = 1 - me;
    rf_atomic_store_explicit(&p->wants[me], true, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&p->polite, me, rf_memory_order_relaxed);
    for (int look = 0; look < PETERSON_PATIENCE; look++) {
        if (!rf_atomic_load_explicit(&p->wants[other], rf_memory_order_relaxed)) return true;
        if (rf_atomic_load_explicit(&p->polite, rf_memory_order_relaxed) != me) return true;
        RF_YIELD();
    }
    peterson_unlock(p, me);
    return false;
}

void peterson_unlock(peterson *p, int me) {
    rf_atomic_store_explicit(&p->wants[me], false, rf_memory_order_relaxed);
}
