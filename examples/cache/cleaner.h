/* cleaner.h: a thread that sweeps a cache from time to time.
 *
 * cleaner_init, cleaner_stop and cleaner_destroy are for the owner; any thread may change the
 * interval in between.
 */
#ifndef CLEANER_H
#define CLEANER_H
#include "cache.h"
#include "task.h"

typedef struct cleaner {
    cache *cache;
    task task;
    rf_mutex lock;
    uint32_t interval; /* milliseconds; guarded by lock */
    bool stop;         /* guarded by lock */
    bool sleeping;     /* an interruption will do no more than cut the sleep short */
    uint32_t journal;  /* entries evicted, as written by the cleaner */
    rf_thread thread;
} cleaner;

/* Starts the thread. */
void cleaner_init(cleaner *c, cache *swept, uint32_t interval);

/* Takes effect at once, even while the cleaner sleeps. */
void cleaner_set_interval(cleaner *c, uint32_t interval);

/* Ends the thread and waits for it.  False: it had died of an interruption it did not expect. */
bool cleaner_stop(cleaner *c);
void cleaner_destroy(cleaner *c);

/* The body of the thread (cleaner_run.c); NULL when it dies. */
void *cleaner_run(void *arg);

#endif
