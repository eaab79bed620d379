/* hedc: a search of the web gives up on tasks that take too long, while they finish.
 *
 * A task knows the thread that works on it, under the task's lock; but the end of its run clears
 * that without the lock, between the canceller's check and its use.  The rest of a task is handed
 * over through the queue of the pool, and suspected.
 */
#include "paper.h"

enum { TASKS = 2 };

typedef struct task {
    rf_mutex lock;
    int thread; /* 0: nobody */
    int url, date, result, size;
    bool valid;
} task;

static task tasks[TASKS];
static struct {
    rf_mutex lock;
    rf_cond changed;
    int issued, taken, finished;
} pool;

static void issue(void) {
    for (int i = 0; i < TASKS; i++) {
        RF_STORE(tasks[i].url, 1);
        RF_STORE(tasks[i].date, 2);
        RF_GUARD(&pool.lock) {
            RF_STORE(pool.issued, i + 1);
            RF_BROADCAST(&pool.changed);
        }
    }
}

static task *next_task(void) {
    task *t = NULL;
    RF_GUARD(&pool.lock) {
        int n = RF_LOAD(pool.taken);
        while (n < TASKS && RF_LOAD(pool.issued) <= n) {
            RF_WAIT(&pool.changed, &pool.lock);
            n = RF_LOAD(pool.taken);
        }
        if (n < TASKS) {
            t = &tasks[n];
            RF_STORE(pool.taken, n + 1);
        }
    }
    return t;
}

static void finish(task *t) {
#ifdef FIXED
    RF_GUARD(&t->lock) { RF_STORE(t->thread, 0); }
#else
    RF_STORE(t->thread, 0);
#endif
    RF_GUARD(&pool.lock) {
        RF_STORE(pool.finished, RF_LOAD(pool.finished) + 1);
        RF_BROADCAST(&pool.changed);
    }
}

static void *work(void *arg) {
    int self = *(int *)arg + 1;
    for (task *t; (t = next_task());) {
        RF_GUARD(&t->lock) { RF_STORE(t->thread, self); }
        RF_STORE(t->result, RF_LOAD(t->url) + RF_LOAD(t->date));
        RF_STORE(t->size, 1);
        RF_STORE(t->valid, true);
        finish(t);
    }
    return NULL;
}

static void interrupt(task *t) {
    if (RF_LOAD(t->thread) == 0) RF_FAIL("NullPointerException");
}

static void cancel(task *t) {
    RF_ATOMIC_BLOCK("cancel") {
        RF_GUARD(&t->lock) {
            if (RF_LOAD(t->thread) != 0) interrupt(t);
        }
    }
}

static void *search(void *arg) {
    bool in_time = true;
    issue();
    RF_GUARD(&pool.lock) {
        while (in_time && RF_LOAD(pool.finished) < TASKS)
            in_time = RF_TIMEDWAIT(&pool.changed, &pool.lock, 100);
    }
    for (int i = 0; i < TASKS; i++) {
        task *t = &tasks[i];
        if (!in_time)
            cancel(t);
        else if (RF_LOAD(t->valid))
            RF_ASSERT_EQ(RF_LOAD(t->result), 2 + RF_LOAD(t->size));
    }
    return arg;
}

static void *run(void *arg) {
    if (*(int *)arg == TASKS) return search(arg);
    return work(arg);
}

RF_TEST(hedc, .expect = BUG(RF_EXPECT_RACE | RF_EXPECT_FAILURE | RF_EXPECT_ATOMICITY)) {
    rf_mutex_init(&pool.lock, "pool", RF_MUTEX_NORMAL);
    rf_cond_init(&pool.changed, "changed");
    pool.issued = pool.taken = pool.finished = 0;
    for (int i = 0; i < TASKS; i++) {
        tasks[i] = (task){.thread = 0};
        rf_mutex_init(&tasks[i].lock, "task", RF_MUTEX_NORMAL);
    }
    crew(TASKS + 1, run);
}

RF_MAIN()
