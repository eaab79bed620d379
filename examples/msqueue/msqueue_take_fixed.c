/* msqueue_take_fixed.c: taking the first value out; whoever sees the new head sees a tail that is
 * no older. */
#include "msqueue.h"

bool msqueue_take(msqueue *q, int *value) {
    for (;;) {
        node *first = rf_atomic_load_explicit(&q->head, memory_order_acquire);
        node *last = rf_atomic_load_explicit(&q->tail, memory_order_acquire);
        node *next = rf_atomic_load_explicit(&first->next, memory_order_acquire);
        if (first == last) {
            if (!next) return false;
            CAS(&q->tail, &last, next, memory_order_release, memory_order_relaxed);
            continue;
        }
        RF_ASSERT(next); /* a head that is not the tail has a successor */
        *value = RF_LOAD(next->value);
        if (CAS(&q->head, &first, next, memory_order_release, memory_order_relaxed)) return true;
    }
}
