/* pbzip2: the main thread waits for the producer and then frees the queue, which a consumer may
 * still use (pbzip2 0.9.4; in SCTBench the program itself).  One producer, two consumers. */
#include "bug.h"

enum { BLOCKS = 2, CONSUMERS = 2 };

typedef struct fifo {
    rf_mutex lock;
    int blocks;
    bool complete;
} fifo;

static fifo *queue;

static void *produce(void *arg) {
    for (int i = 0; i < BLOCKS; i++) RF_GUARD(&queue->lock) {
            RF_STORE(queue->blocks, RF_LOAD(queue->blocks) + 1);
        }
    RF_GUARD(&queue->lock) { RF_STORE(queue->complete, true); }
    return arg;
}

static void *consume(void *arg) {
    bool more = true;
    while (more) {
        RF_LOCK(&queue->lock);
        int blocks = RF_LOAD(queue->blocks);
        if (blocks) RF_STORE(queue->blocks, blocks - 1);
        more = blocks || !RF_LOAD(queue->complete);
        RF_UNLOCK(&queue->lock);
        if (more && !blocks) RF_YIELD();
    }
    return arg;
}

PROGRAM(pbzip2, RF_EXPECT_FAILURE) {
    crew c = {.count = 0};
    queue = RF_MALLOC(sizeof *queue);
    *queue = (fifo){.blocks = 0};
    START(&c, CONSUMERS, consume, NULL);
    rf_thread producer = RF_THREAD(produce, NULL);
    RF_JOIN(producer);
#ifdef FIXED
    finish(&c);
    RF_FREE(queue);
#else
    RF_FREE(queue);
    finish(&c);
#endif
}
