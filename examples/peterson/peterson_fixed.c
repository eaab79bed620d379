/* peterson_fixed.c: the lock of peterson.h.  Everything is sequentially consistent: of two threads
 * that want in, the second one sees that the first one does; and whoever comes in has seen all that
 * was done before the unlock. */
#include "peterson.h"

void peterson_init(peterson *p) {
    rf_atomic_init(&p->wants[0], false);
    rf_atomic_init(&p->wants[1], false);
    rf_atomic_init(&p->polite, 0);
}

bool peterson_lock(peterson *p, int me) {
    int other = 1 - me;
    rf_atomic_store(&p->wants[me], true);
    rf_atomic_store(&p->polite, me);
    for (int look = 0; look < PETERSON_PATIENCE; look++) {
        if (!rf_atomic_load(&p->wants[other])) return true;
        if (rf_atomic_load(&p->polite) != me) return true;
        RF_YIELD();
    }
    peterson_unlock(p, me);
    return false;
}

void peterson_unlock(peterson *p, int me) { rf_atomic_store(&p->wants[me], false); }
