/* weblech: threads that load pages until none is left, as far as they can tell.
 *
 * How many are at work is counted under the queue's lock and asked for without it, and between
 * taking a page and counting itself a thread is nowhere: another one sees an empty queue and nobody
 * at work, and leaves early.  And the flag that stops all is no flag of anybody's lock.  Pages are
 * handed over through the queue: suspected, and false.
 */
#include "paper.h"

enum { THREADS = 2, PAGES = 3 };

typedef struct page {
    int url, depth, status, size;
} page;

static page pages[PAGES];
static struct {
    rf_mutex lock;
    page *element[PAGES];
    int count, in_progress;
} queue;
static int running;
static int left; /* known to the test only */

static void put(page *p) {
    RF_GUARD(&queue.lock) {
        RF_STORE(queue.element[RF_LOAD(queue.count)], p);
        RF_STORE(queue.count, RF_LOAD(queue.count) + 1);
    }
}

static page *take(void) {
    page *p = NULL;
    RF_GUARD(&queue.lock) {
        int n = RF_LOAD(queue.count);
        if (n > 0) {
            p = RF_LOAD(queue.element[n - 1]);
            RF_STORE(queue.count, n - 1);
#ifdef FIXED
            RF_STORE(queue.in_progress, RF_LOAD(queue.in_progress) + 1);
#endif
        }
    }
    return p;
}

static void at_work(int change) {
    RF_GUARD(&queue.lock) { RF_STORE(queue.in_progress, RF_LOAD(queue.in_progress) + change); }
}

#ifdef FIXED
static bool is_running(void) {
    bool yes = false;
    RF_GUARD(&queue.lock) { yes = RF_LOAD(running); }
    return yes;
}

static void stop(void) {
    RF_GUARD(&queue.lock) { RF_STORE(running, false); }
}

static bool more_to_come(void) {
    bool yes = false;
    RF_GUARD(&queue.lock) { yes = RF_LOAD(queue.count) > 0 || RF_LOAD(queue.in_progress) > 0; }
    return yes;
}
#else
static bool is_running(void) { return RF_LOAD(running); }

static void stop(void) { RF_STORE(running, false); }

static bool queued(void) {
    bool yes = false;
    RF_GUARD(&queue.lock) { yes = RF_LOAD(queue.count) > 0; }
    return yes;
}

static bool more_to_come(void) { return queued() || RF_LOAD(queue.in_progress) > 0; }
#endif

/* Loads a page; it has a link to the next one. */
static void download(page *p) {
    int url = RF_LOAD(p->url), depth = RF_LOAD(p->depth);
    RF_STORE(p->status, 200);
    RF_STORE(p->size, 1);
    if (url + 1 < PAGES) {
        page *link = &pages[url + 1];
        RF_STORE(link->url, url + 1);
        RF_STORE(link->depth, depth + 1);
        RF_STORE(link->status, 0);
        RF_STORE(link->size, 0);
        put(link);
    }
    left--;
}

static void spider(void) {
    while (more_to_come()) {
        if (!is_running()) return;
        page *p = take();
        if (!p) {
            RF_YIELD();
            continue;
        }
#ifndef FIXED
        at_work(1);
#endif
        download(p);
        at_work(-1);
    }
    if (left > 0) RF_FAIL("left early");
}

/* Looks at the queue for a while, then stops the others. */
static void monitor(void) {
    for (int i = 0; i < 4; i++)
        if (!more_to_come()) return;
    stop();
}

static void *run(void *arg) {
    if (*(int *)arg < THREADS)
        spider();
    else
        monitor();
    return NULL;
}

RF_TEST(weblech, .expect = BUG(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    rf_mutex_init(&queue.lock, "queue", RF_MUTEX_NORMAL);
    pages[0] = (page){0, 0, 0, 0};
    queue.count = queue.in_progress = 0;
    running = true;
    left = PAGES;
    put(&pages[0]);
    crew(THREADS + 1, run);
}

RF_MAIN()
