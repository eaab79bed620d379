/* spsc_push_fixed.c: putting a number into the ring; whoever sees the new tail sees the slot. */
#include "spsc.h"

bool spsc_push(spsc *r, int value) {
    unsigned tail = rf_atomic_load_explicit(&r->tail, memory_order_relaxed); /* our own */
    unsigned head = rf_atomic_load_explicit(&r->head, memory_order_acquire);
    if (tail - head == SPSC_SIZE) return false;
    RF_STORE(r->slot[tail % SPSC_SIZE], value);
    rf_atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return true;
}
