/* msqueue.c: the queue of msqueue.h, but for msqueue_take. */
#include "msqueue.h"

void msqueue_init(msqueue *q) {
    rf_atomic_init(&q->dummy.next, NULL);
    rf_atomic_init(&q->head, &q->dummy);
    rf_atomic_init(&q->tail, &q->dummy);
}

void msqueue_put(msqueue *q, node *n, int value) {
    RF_STORE(n->value, value);
    rf_atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    for (;;) {
        node *last = rf_atomic_load_explicit(&q->tail, memory_order_acquire);
        node *next = rf_atomic_load_explicit(&last->next, memory_order_acquire);
        bool linked = false;
        if (!next) linked = CAS(&last->next, &next, n, memory_order_release, memory_order_acquire);
        /* Now `next` is NULL or what somebody else has put there. */
        if (linked) next = n;
        CAS(&q->tail, &last, next, memory_order_release, memory_order_relaxed);
        if (linked) return;
    }
}
