/* task.c: interruptible blocking calls. */
#include "task.h"

void task_init(task *t) {
    rf_mutex_init(&t->lock, "task", RF_MUTEX_NORMAL);
    rf_cond_init(&t->wake, "task wake");
    RF_STORE(t->interrupted, false);
}

void task_destroy(task *t) {
    rf_cond_destroy(&t->wake);
    rf_mutex_destroy(&t->lock);
}

void task_interrupt(task *t) {
    RF_LOCK(&t->lock);
    RF_STORE(t->interrupted, true);
    RF_SIGNAL(&t->wake);
    RF_UNLOCK(&t->lock);
}

/* The lock is held. */
static bool take_interruption(task *t) {
    bool interrupted = RF_LOAD(t->interrupted);
    RF_STORE(t->interrupted, false);
    return interrupted;
}

/* A spurious wake-up starts the interval again. */
bool task_sleep(task *t, uint32_t ms) {
    RF_LOCK(&t->lock);
    bool waiting = true;
    while (waiting && !RF_LOAD(t->interrupted)) waiting = RF_TIMEDWAIT(&t->wake, &t->lock, ms);
    bool interrupted = take_interruption(t);
    RF_UNLOCK(&t->lock);
    return !interrupted;
}

bool task_write(task *t, uint32_t *file, uint32_t amount) {
    if (task_clear(t)) return false;
    RF_STORE(*file, RF_LOAD(*file) + amount);
    return true;
}

bool task_clear(task *t) {
    RF_LOCK(&t->lock);
    bool interrupted = take_interruption(t);
    RF_UNLOCK(&t->lock);
    return interrupted;
}
