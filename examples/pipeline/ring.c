/* ring.c: the bounded queue of ring.h, with the two conditions of the textbook. */
#include "ring.h"

void ring_init(ring *r) {
    rf_mutex_init(&r->lock, "ring", RF_MUTEX_NORMAL);
    rf_cond_init(&r->not_full, "ring not full");
    rf_cond_init(&r->not_empty, "ring not empty");
    RF_STORE(r->head, 0);
    RF_STORE(r->count, 0);
    RF_STORE(r->closed, false);
}

void ring_destroy(ring *r) {
    rf_cond_destroy(&r->not_empty);
    rf_cond_destroy(&r->not_full);
    rf_mutex_destroy(&r->lock);
}

void ring_push(ring *r, void *p) {
    RF_LOCK(&r->lock);
    while (RF_LOAD(r->count) == RING_SIZE) RF_WAIT(&r->not_full, &r->lock);
    uint32_t count = RF_LOAD(r->count);
    RF_STORE(r->slot[(RF_LOAD(r->head) + count) % RING_SIZE], p);
    RF_STORE(r->count, count + 1);
    RF_SIGNAL(&r->not_empty);
    RF_UNLOCK(&r->lock);
}

void *ring_pop(ring *r) {
    void *p = NULL;
    RF_LOCK(&r->lock);
    while (RF_LOAD(r->count) == 0 && !RF_LOAD(r->closed)) RF_WAIT(&r->not_empty, &r->lock);
    uint32_t count = RF_LOAD(r->count);
    if (count > 0) {
        uint32_t head = RF_LOAD(r->head);
        p = RF_LOAD(r->slot[head]);
        RF_STORE(r->head, (head + 1) % RING_SIZE);
        RF_STORE(r->count, count - 1);
        RF_SIGNAL(&r->not_full);
    }
    RF_UNLOCK(&r->lock);
    return p;
}

void ring_close(ring *r) {
    RF_LOCK(&r->lock);
    RF_STORE(r->closed, true);
    RF_BROADCAST(&r->not_empty);
    RF_UNLOCK(&r->lock);
}
