/* workqueue.c: the queue of workqueue.h, but for workqueue_pop. */
#include "workqueue.h"

void workqueue_init(workqueue *q) {
    rf_mutex_init(&q->lock, "queue", RF_MUTEX_NORMAL);
    rf_cond_init(&q->not_full, "not full");
    rf_cond_init(&q->not_empty, "not empty");
    RF_STORE(q->head, 0);
    RF_STORE(q->count, 0);
    RF_STORE(q->closed, false);
}

void workqueue_destroy(workqueue *q) {
    rf_cond_destroy(&q->not_empty);
    rf_cond_destroy(&q->not_full);
    rf_mutex_destroy(&q->lock);
}

bool workqueue_push(workqueue *q, job j) {
    RF_LOCK(&q->lock);
    while (RF_LOAD(q->count) == WORKQUEUE_SIZE && !RF_LOAD(q->closed))
        RF_WAIT(&q->not_full, &q->lock);
    bool open = !RF_LOAD(q->closed);
    if (open) {
        uint32_t count = RF_LOAD(q->count);
        RF_STORE(q->ring[(RF_LOAD(q->head) + count) % WORKQUEUE_SIZE], j);
        RF_STORE(q->count, count + 1);
        RF_SIGNAL(&q->not_empty);
    }
    RF_UNLOCK(&q->lock);
    return open;
}

void workqueue_close(workqueue *q) {
    RF_LOCK(&q->lock);
    RF_STORE(q->closed, true);
    RF_BROADCAST(&q->not_full);
    RF_BROADCAST(&q->not_empty);
    RF_UNLOCK(&q->lock);
}

void *workqueue_worker(void *queue) {
    for (job j; workqueue_pop(queue, &j);) j.run(j.arg);
    return NULL;
}
