/* workqueue_pop_fixed.c: taking a job out; every place that becomes free wakes a producer. */
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
        RF_SIGNAL(&q->not_full);
    }
    RF_UNLOCK(&q->lock);
    return count > 0;
}
