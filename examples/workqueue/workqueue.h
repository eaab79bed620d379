/* workqueue.h: a bounded queue of jobs between producers and workers.
 *
 * Jobs come out in the order in which they went in, each of them once.  Producers wait while the
 * queue is full, workers while it is empty.  Any thread may call any function between
 * workqueue_init and workqueue_destroy.
 */
#ifndef WORKQUEUE_H
#define WORKQUEUE_H
#include "racefuzz.h"
#include <stdint.h>

enum { WORKQUEUE_SIZE = 2 };

typedef struct job {
    void (*run)(void *);
    void *arg;
} job;

typedef struct workqueue {
    rf_mutex lock; /* guards all below */
    rf_cond not_full, not_empty;
    job ring[WORKQUEUE_SIZE];
    uint32_t head, count;
    bool closed;
} workqueue;

void workqueue_init(workqueue *q);
void workqueue_destroy(workqueue *q);

/* Waits for room.  False: the queue is closed, the job was not taken. */
bool workqueue_push(workqueue *q, job j);

/* Waits for a job.  False: the queue is closed and empty (workqueue_pop.c). */
bool workqueue_pop(workqueue *q, job *j);

/* From now on nothing goes in; what is in goes out. */
void workqueue_close(workqueue *q);

/* The body of a worker thread: runs jobs until the queue is closed and empty. */
void *workqueue_worker(void *queue);

#endif
