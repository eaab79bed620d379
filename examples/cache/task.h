/* task.h: a thread whose blocking calls others can interrupt.
 *
 * The model is a signal that makes blocking calls fail with EINTR, or Thread.interrupt in Java: an
 * interruption ends the blocking call in progress, and if there is none, the next one.
 */
#ifndef TASK_H
#define TASK_H
#include "racefuzz.h"
#include <stdint.h>

typedef struct task {
    rf_mutex lock;
    rf_cond wake;
    bool interrupted; /* guarded by lock */
} task;

void task_init(task *t);
void task_destroy(task *t);

/* For any thread. */
void task_interrupt(task *t);

/* For the task itself: blocking calls.  False when interrupted, which uses the interruption up. */
bool task_sleep(task *t, uint32_t ms);
bool task_write(task *t, uint32_t *file, uint32_t amount); /* interrupted: nothing is written */

/* For the task itself: drops an interruption that has not been noticed; was there one? */
bool task_clear(task *t);

#endif
