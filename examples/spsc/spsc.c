/* spsc.c: the ring of spsc.h, but for spsc_push. */
#include "spsc.h"

void spsc_init(spsc *r) {
    rf_atomic_init(&r->head, 0);
    rf_atomic_init(&r->tail, 0);
    for (int i = 0; i < SPSC_SIZE; i++) RF_STORE(r->slot[i], 0);
}

bool spsc_pop(spsc *r, int *value) {
    unsigned head = rf_atomic_load_explicit(&r->head, memory_order_relaxed); /* our own */
    unsigned tail = rf_atomic_load_explicit(&r->tail, memory_order_acquire);
    if (head == tail) return false;
    *value = RF_LOAD(r->slot[head % SPSC_SIZE]);
    rf_atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return true;
}
