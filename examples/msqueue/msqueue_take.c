/* msqueue_take.c: taking the first value out.
 *
 * BUG: the head moves on with relaxed order.  "A head that is not the tail has a successor" holds
 * only for who looks at a tail that is no older than the head.  Without a release, another thread
 * may see this head together with a tail from before: the two differ, so the queue does not look
 * empty, and a successor is expected that is not there.  The report shows the failed assertion, and
 * the stale tail just above it.  Fixed in msqueue_take_fixed.c.
 */
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
        if (CAS(&q->head, &first, next, memory_order_relaxed, memory_order_relaxed)) return true;
    }
}
