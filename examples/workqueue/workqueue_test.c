/* workqueue_test.c: every job runs once, and everybody comes home. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "workqueue.h"

enum { PRODUCERS = 4, WORKERS = 4, JOBS = 2 };

typedef struct producer {
    workqueue *queue;
    int runs[JOBS]; /* how often each of its jobs ran */
} producer;

static void run_once(void *arg) {
    int *runs = arg;
    RF_STORE(*runs, RF_LOAD(*runs) + 1);
}

static void *produce(void *arg) {
    producer *p = arg;
    for (int i = 0; i < JOBS; i++) {
        RF_STORE(p->runs[i], 0);
        RF_ASSERT(workqueue_push(p->queue, (job){run_once, &p->runs[i]}));
    }
    return NULL;
}

RF_TEST(every_job_runs_once, .expect = PLANTED(RF_EXPECT_DEADLOCK)) {
    workqueue q;
    workqueue_init(&q);
    producer p[PRODUCERS];
    rf_thread producers[PRODUCERS], workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) workers[i] = RF_THREAD(workqueue_worker, &q);
    for (int i = 0; i < PRODUCERS; i++) {
        p[i].queue = &q;
        producers[i] = RF_THREAD(produce, &p[i]);
    }

    for (int i = 0; i < PRODUCERS; i++) RF_JOIN(producers[i]);
    workqueue_close(&q);
    for (int i = 0; i < WORKERS; i++) RF_JOIN(workers[i]);

    for (int i = 0; i < PRODUCERS; i++)
        for (int k = 0; k < JOBS; k++) RF_ASSERT_EQ(RF_LOAD(p[i].runs[k]), 1);
    workqueue_destroy(&q);
}

/* Fills the queue and would wait for ever: nobody takes anything out. */
static void *fill(void *queue) {
    int never = 0;
    bool open = true;
    while (open) open = workqueue_push(queue, (job){run_once, &never});
    return NULL;
}

RF_TEST(close_wakes_producers) {
    workqueue q;
    workqueue_init(&q);
    rf_thread one = RF_THREAD(fill, &q), other = RF_THREAD(fill, &q);
    workqueue_close(&q);
    RF_JOIN(one);
    RF_JOIN(other);
    workqueue_destroy(&q);
}

RF_TEST(close_wakes_workers) {
    workqueue q;
    workqueue_init(&q);
    rf_thread one = RF_THREAD(workqueue_worker, &q), other = RF_THREAD(workqueue_worker, &q);
    workqueue_close(&q);
    RF_JOIN(one);
    RF_JOIN(other);
    workqueue_destroy(&q);
}

RF_MAIN()
