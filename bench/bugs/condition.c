/* sync01, sync02, bounded_buffer: condition variables.
 *
 * SCTBench's sync01_bad and sync02_bad, which block in every schedule.  bounded_buffer is the
 * textbook's: producers and consumers share one condition and wake one thread each time, so that a
 * producer may wake a producer.  (Inspect's has two conditions.)  Waits end for no reason in C; in
 * the published figures they don't, and would rescue who waits here. */
#include "bug.h"

static rf_mutex lock;
static rf_cond empty, full;
static int number;

/* ---- sync01: nobody takes what is there ---- */

static void *put_one(void *arg) {
    RF_LOCK(&lock);
    while (RF_LOAD(number) > 0) RF_WAIT(&empty, &lock);
    RF_STORE(number, RF_LOAD(number) + 1);
    RF_UNLOCK(&lock);
    RF_SIGNAL(&full);
    return arg;
}

static void *look_at_one(void *arg) {
    RF_LOCK(&lock);
    while (RF_LOAD(number) == 0) RF_WAIT(&full, &lock);
#ifdef FIXED
    RF_STORE(number, RF_LOAD(number) - 1);
#endif
    RF_UNLOCK(&lock);
    RF_SIGNAL(&empty);
    return arg;
}

PROGRAM(sync01, RF_EXPECT_DEADLOCK, .no_spurious = true) {
    crew c = {.count = 0};
    number = 1;
    START(&c, 1, put_one, NULL);
    START(&c, 1, look_at_one, NULL);
    finish(&c);
}

/* ---- sync02: two are there at first, two come, two are taken, and there is room for one ---- */

static void *put_two(void *arg) {
    for (int i = 0; i < 2; i++) put_one(NULL);
    return arg;
}

static void *take_two(void *arg) {
    for (int i = 0; i < 2; i++) {
        RF_LOCK(&lock);
        while (RF_LOAD(number) == 0) RF_WAIT(&full, &lock);
        RF_STORE(number, RF_LOAD(number) - 1);
        RF_UNLOCK(&lock);
        RF_SIGNAL(&empty);
    }
    return arg;
}

PROGRAM(sync02, RF_EXPECT_DEADLOCK, .no_spurious = true) {
    crew c = {.count = 0};
#ifdef FIXED
    number = 0;
#else
    number = 2;
#endif
    START(&c, 1, put_two, NULL);
    START(&c, 1, take_two, NULL);
    finish(&c);
}

/* ---- bounded_buffer: room for one; two producers and two consumers of two elements each ---- */

enum { ROUNDS = 2 };
static rf_cond changed;
static int elements;

static void tell_change(void) {
#ifdef FIXED
    RF_BROADCAST(&changed);
#else
    RF_SIGNAL(&changed);
#endif
}

static void *producer(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        RF_LOCK(&lock);
        while (RF_LOAD(elements) == 1) RF_WAIT(&changed, &lock);
        RF_STORE(elements, 1);
        tell_change();
        RF_UNLOCK(&lock);
    }
    return arg;
}

static void *consumer(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        RF_LOCK(&lock);
        while (RF_LOAD(elements) == 0) RF_WAIT(&changed, &lock);
        RF_STORE(elements, 0);
        tell_change();
        RF_UNLOCK(&lock);
    }
    return arg;
}

PROGRAM(bounded_buffer, RF_EXPECT_DEADLOCK, .no_spurious = true) {
    crew c = {.count = 0};
    elements = 0;
    START(&c, 2, producer, NULL);
    START(&c, 2, consumer, NULL);
    finish(&c);
}
