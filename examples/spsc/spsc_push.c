/* spsc_push.c: putting a number into the ring.
 *
 * BUG: the new tail is stored with relaxed order.  Nothing says that the slot was written before:
 * a consumer that sees the new tail may still find what was in the slot earlier.  The report shows
 * a race on the slot, the stale value that was read, and the release that would forbid it.  Fixed
 * in spsc_push_fixed.c.
 */
#include "spsc.h"

bool spsc_push(spsc *r, int value) {
    unsigned tail = rf_atomic_load_explicit(&r->tail, memory_order_relaxed); /* our own */
    unsigned head = rf_atomic_load_explicit(&r->head, memory_order_acquire);
    if (tail - head == SPSC_SIZE) return false;
    RF_STORE(r->slot[tail % SPSC_SIZE], value);
    rf_atomic_store_explicit(&r->tail, tail + 1, memory_order_relaxed); /* hands over nothing */
    return true;
}
