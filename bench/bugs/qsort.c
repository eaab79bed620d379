/* qsort_mt: a parallel quicksort hands the left part to an idle thread of a pool.  It sets that
 * thread's state to "at work" before it takes the thread's lock, so a thread that has not begun to
 * wait finds itself at work without any, becomes idle again, and misses the wake-up.
 *
 * Inspect's qsort_mt (Spinellis's, 2007), in SCTBench with 32 elements, parts of more than 4 farmed
 * out; four threads, as those had who published the figures (SCTBench: two).  The elements are not
 * announced; the numbers are our own.  Waits end for no reason in C; in the published figures they
 * don't. */
#include "bug.h"

enum { ELEMENTS = 32, FARMED_OUT = 4, THREADS = 4 };

typedef enum activity { IDLE, AT_WORK, ENDED } activity;

typedef struct worker {
    rf_mutex lock;
    rf_cond changed;
    activity activity;
    int *from, count;
} worker;

static worker pool[THREADS];
static rf_mutex allocation;
static int idle;

/* A thread without work, its lock taken; NULL: there is none. */
static worker *allocate(void) {
    RF_LOCK(&allocation);
    for (int i = 0; i < THREADS; i++) {
        worker *w = &pool[i];
        if (RF_LOAD(w->activity) != IDLE) continue;
        RF_STORE(idle, RF_LOAD(idle) - 1);
#ifdef FIXED
        RF_LOCK(&w->lock);
        RF_STORE(w->activity, AT_WORK);
#else
        RF_STORE(w->activity, AT_WORK);
        RF_LOCK(&w->lock);
#endif
        RF_UNLOCK(&allocation);
        return w;
    }
    RF_UNLOCK(&allocation);
    return NULL;
}

static void exchange(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

static void sort(int *from, int count) {
    while (count > 1) {
        int pivot = from[count / 2], l = 0, r = count - 1;
        while (l <= r) {
            while (from[l] < pivot) l++;
            while (from[r] > pivot) r--;
            if (l <= r) exchange(&from[l++], &from[r--]);
        }
        int left = r + 1, right = count - l;
        worker *w = left > FARMED_OUT && right > FARMED_OUT ? allocate() : NULL;
        if (w) {
            RF_STORE(w->from, from);
            RF_STORE(w->count, left);
            RF_SIGNAL(&w->changed);
            RF_UNLOCK(&w->lock);
        } else {
            sort(from, left);
        }
        from += l;
        count = right;
    }
}

/* All work is done: the others end. */
static void end_all_but(const worker *me) {
    for (int i = 0; i < THREADS; i++) {
        worker *w = &pool[i];
        if (w == me) continue;
        RF_LOCK(&w->lock);
        RF_STORE(w->activity, ENDED);
        RF_SIGNAL(&w->changed);
        RF_UNLOCK(&w->lock);
    }
}

static void *work(void *arg) {
    worker *me = arg;
    for (bool more = true; more;) {
        RF_LOCK(&me->lock);
        while (RF_LOAD(me->activity) == IDLE) RF_WAIT(&me->changed, &me->lock);
        RF_UNLOCK(&me->lock);
        if (RF_LOAD(me->activity) == ENDED) break;
        int count = RF_LOAD(me->count); /* compilers differ in the order of arguments */
        sort(RF_LOAD(me->from), count);
        RF_LOCK(&allocation);
        RF_STORE(me->activity, IDLE);
        RF_STORE(idle, RF_LOAD(idle) + 1);
        more = RF_LOAD(idle) < THREADS;
        if (!more) end_all_but(me);
        RF_UNLOCK(&allocation);
    }
    return NULL;
}

PROGRAM(qsort_mt, RF_EXPECT_FAILURE | RF_EXPECT_DEADLOCK, .no_spurious = true) {
    crew c = {.count = 0};
    int element[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) element[i] = i * 19 % ELEMENTS;
    memset(pool, 0, sizeof pool);
    idle = THREADS;
    for (int i = 0; i < THREADS; i++) START(&c, 1, work, &pool[i]);
    RF_LOCK(&pool[0].lock);
    RF_STORE(pool[0].from, element);
    RF_STORE(pool[0].count, ELEMENTS);
    RF_STORE(pool[0].activity, AT_WORK);
    RF_STORE(idle, RF_LOAD(idle) - 1);
    RF_SIGNAL(&pool[0].changed);
    RF_UNLOCK(&pool[0].lock);
    finish(&c);
    for (int i = 1; i < ELEMENTS; i++) RF_ASSERT_LE(element[i - 1], element[i]);
}
