/* cleaner_run.c: the cleaner's loop.
 *
 * BUG: `sleeping` changes without the lock.  A thread that has just seen it true interrupts a
 * cleaner that is awake again, and the next blocking call fails: the write of the journal, which
 * counts on not being interrupted.  The cleaner dies.  Fixed in cleaner_run_fixed.c.
 */
#include "cleaner.h"

void *cleaner_run(void *arg) {
    cleaner *c = arg;
    for (;;) {
        uint32_t evicted = cache_sweep(c->cache);
        if (!task_write(&c->task, &c->journal, evicted)) return NULL;

        RF_LOCK(&c->lock);
        bool stop = RF_LOAD(c->stop);
        uint32_t interval = RF_LOAD(c->interval);
        RF_UNLOCK(&c->lock);
        if (stop) return c;

        RF_STORE(c->sleeping, true); /* no lock */
        task_sleep(&c->task, interval);
        RF_STORE(c->sleeping, false); /* no lock */
    }
}
