/* jspider: a spider whose threads hand every object over through queues with a lock.
 *
 * What is done to a job before it is put in and after it was taken out is suspected, since locks
 * order nothing for the hybrid detector; all of it is false.  What is wrong is that a queue is
 * asked and then used in two steps: by then another thread has been there.  The code copes with
 * that, so it does no harm.
 */
#include "paper.h"

enum { WORKERS = 2, JOBS = 2, ROUNDS = 2 };

typedef struct job {
    int url, depth, method;
    int status, size, type, time;
} job;

typedef struct queue {
    rf_mutex lock;
    job *element[JOBS];
    int count;
} queue;

static job jobs[JOBS];
static queue todo, done;
static struct {
    rf_mutex lock;
    int fetched, bytes;
} statistics;
static struct {
    rf_mutex lock;
    int listeners, events;
} dispatcher;
static struct {
    rf_mutex lock;
    bool stop;
} agent;

/* ---- queues: each operation by itself is atomic ---- */

static void put(queue *q, job *j) {
    RF_GUARD(&q->lock) {
        RF_STORE(q->element[RF_LOAD(q->count)], j);
        RF_STORE(q->count, RF_LOAD(q->count) + 1);
    }
}

static job *take(queue *q) {
    job *j = NULL;
    RF_GUARD(&q->lock) {
        int n = RF_LOAD(q->count);
        if (n > 0) {
            j = RF_LOAD(q->element[n - 1]);
            RF_STORE(q->count, n - 1);
        }
    }
    return j;
}

/* The next one, or NULL. */
#ifdef FIXED
static job *next(queue *q) {
    job *j = NULL;
    RF_ATOMIC_BLOCK("next job") { j = take(q); }
    return j;
}
#else
static int count(queue *q) {
    int n = 0;
    RF_GUARD(&q->lock) { n = RF_LOAD(q->count); }
    return n;
}

static job *next(queue *q) {
    job *j = NULL;
    RF_ATOMIC_BLOCK("next job") {
        if (count(q) > 0) j = take(q);
    }
    return j;
}
#endif

/* ---- the spider ---- */

static void count_result(int size) {
    RF_ATOMIC_BLOCK("statistics") {
#ifdef FIXED
        RF_GUARD(&statistics.lock) {
            RF_STORE(statistics.fetched, RF_LOAD(statistics.fetched) + 1);
            RF_STORE(statistics.bytes, RF_LOAD(statistics.bytes) + size);
        }
#else
        RF_GUARD(&statistics.lock) {
            RF_STORE(statistics.fetched, RF_LOAD(statistics.fetched) + 1);
        }
        RF_GUARD(&statistics.lock) { RF_STORE(statistics.bytes, RF_LOAD(statistics.bytes) + size); }
#endif
    }
}

static void dispatch(void) {
    RF_GUARD(&dispatcher.lock) { RF_STORE(dispatcher.events, RF_LOAD(dispatcher.events) + 1); }
}

static void add_listener(void) {
    RF_GUARD(&dispatcher.lock) {
        RF_STORE(dispatcher.listeners, RF_LOAD(dispatcher.listeners) + 1);
    }
}

/* In two steps, and no harm in it: nobody else is there yet. */
static void add_listeners(void) {
    RF_ATOMIC_BLOCK("listeners") {
        add_listener();
        add_listener();
    }
}

static bool stopped(void) {
    bool yes = false;
    RF_GUARD(&agent.lock) { yes = RF_LOAD(agent.stop); }
    return yes;
}

static void fetch(job *j) {
    int cost = RF_LOAD(j->url) + RF_LOAD(j->depth) + RF_LOAD(j->method);
    RF_STORE(j->status, 200);
    RF_STORE(j->size, cost);
    RF_STORE(j->type, 1);
    RF_STORE(j->time, 1);
}

static void *work(void *arg) {
    while (!stopped()) {
        job *j = next(&todo);
        if (!j) {
            RF_YIELD();
            continue;
        }
        fetch(j);
        count_result(1);
        dispatch();
        put(&done, j);
    }
    return arg;
}

static void fill(job *j, int round) {
    RF_STORE(j->url, 1);
    RF_STORE(j->depth, round);
    RF_STORE(j->method, 0);
    RF_STORE(j->status, 0);
    RF_STORE(j->size, 0);
    put(&todo, j);
}

static void check(const job *j, int round) {
    RF_ASSERT_EQ(RF_LOAD(j->status), 200);
    RF_ASSERT_EQ(RF_LOAD(j->size), 1 + round);
    RF_ASSERT_EQ(RF_LOAD(j->type) + RF_LOAD(j->time), 2);
}

static void *schedule(void *arg) {
    for (int i = 0; i < JOBS; i++) fill(&jobs[i], 0);
    for (int finished = 0; finished < JOBS * ROUNDS;) {
        job *j = next(&done);
        if (!j) {
            RF_YIELD();
            continue;
        }
        int round = RF_LOAD(j->depth);
        check(j, round);
        if (round + 1 < ROUNDS) fill(j, round + 1);
        finished++;
    }
    RF_GUARD(&agent.lock) { RF_STORE(agent.stop, true); }
    return arg;
}

static void *run(void *arg) { return *(int *)arg == WORKERS ? schedule(arg) : work(arg); }

RF_TEST(jspider, .expect = BUG(RF_EXPECT_ATOMICITY)) {
    rf_mutex_init(&todo.lock, "todo", RF_MUTEX_NORMAL);
    rf_mutex_init(&done.lock, "done", RF_MUTEX_NORMAL);
    rf_mutex_init(&statistics.lock, "statistics", RF_MUTEX_NORMAL);
    rf_mutex_init(&dispatcher.lock, "dispatcher", RF_MUTEX_NORMAL);
    rf_mutex_init(&agent.lock, "agent", RF_MUTEX_NORMAL);
    todo.count = done.count = 0;
    statistics.fetched = statistics.bytes = 0;
    dispatcher.listeners = dispatcher.events = 0;
    agent.stop = false;
    add_listeners();
    crew(WORKERS + 1, run);
    RF_ASSERT_EQ(statistics.fetched, JOBS * ROUNDS);
    RF_ASSERT_EQ(dispatcher.events, JOBS * ROUNDS);
}

RF_MAIN()
