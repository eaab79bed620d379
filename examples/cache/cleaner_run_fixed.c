/* cleaner_run_fixed.c: the cleaner's loop; `sleeping` changes under the lock, and an interruption
 * that came too late for the sleep is dropped before the lock is given back. */
#include "cleaner.h"

void *cleaner_run(void *arg) {
    cleaner *c = arg;
    for (;;) {
        uint32_t evicted = cache_sweep(c->cache);
        if (!task_write(&c->task, &c->journal, evicted)) return NULL;

        RF_LOCK(&c->lock);
        bool stop = RF_LOAD(c->stop);
        uint32_t interval = RF_LOAD(c->interval);
        RF_STORE(c->sleeping, !stop);
        RF_UNLOCK(&c->lock);
        if (stop) return c;

        task_sleep(&c->task, interval);

        RF_LOCK(&c->lock);
        RF_STORE(c->sleeping, false);
        task_clear(&c->task);
        RF_UNLOCK(&c->lock);
    }
}
