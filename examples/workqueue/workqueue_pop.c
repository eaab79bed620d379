/* workqueue_pop.c: taking a job out.
 *
 * BUG: "Nobody waits unless the queue is full" spares a signal too many.  Two pops in a row make
 * room for two producers and wake one; if nobody fills the queue again, the other sleeps for ever.
 * Fixed in workqueue_pop_fixed.c.
 */
#include "workqueue.h"

bool workqueue_pop(workqueue *q, job *j) {
    RF_LOCK(&q->lock);
    while (RF_LOAD(q->count) == 0 && !RF_LOAD(q->closed)) RF_WAIT(&q->not_empty, &q->lock);
    uint32_t count = RF_LOAD(q->count);
    if (count > 0) {
        uint32_t head = RF_LOAD(q->head);
        *j = RF_LOAD(q->ring[head]);
        RF_STORE(q->head, (head + 1) % WORKQUEUE_SIZE);
        RF_STORE(q->count, count - 1);
        if (count == WORKQUEUE_SIZE) RF_SIGNAL(&q->not_full); /* only when it was full */
    }
    RF_UNLOCK(&q->lock);
    return count > 0;
}
