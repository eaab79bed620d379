/* cleaner.c: what others ask of the cleaner.  What it does itself is in cleaner_run.c. */
#include "cleaner.h"

void cleaner_init(cleaner *c, cache *swept, uint32_t interval) {
    c->cache = swept;
    task_init(&c->task);
    rf_mutex_init(&c->lock, "cleaner", RF_MUTEX_NORMAL);
    RF_STORE(c->interval, interval);
    RF_STORE(c->stop, false);
    RF_STORE(c->sleeping, false);
    RF_STORE(c->journal, 0);
    c->thread = RF_THREAD(cleaner_run, c);
}

void cleaner_destroy(cleaner *c) {
    rf_mutex_destroy(&c->lock);
    task_destroy(&c->task);
}

/* Lets a sleeping cleaner notice what has changed.  The lock is held. */
static void wake(cleaner *c) {
    if (RF_LOAD(c->sleeping)) task_interrupt(&c->task);
}

void cleaner_set_interval(cleaner *c, uint32_t interval) {
    RF_LOCK(&c->lock);
    RF_STORE(c->interval, interval);
    wake(c);
    RF_UNLOCK(&c->lock);
}

bool cleaner_stop(cleaner *c) {
    RF_LOCK(&c->lock);
    RF_STORE(c->stop, true);
    wake(c);
    RF_UNLOCK(&c->lock);
    return RF_JOIN(c->thread) != NULL;
}
