/* tests/thread.h: what threads do (does.h), to be started by RF_THREAD(adds, NULL); and how some
 * are run.  Included behind racefuzz.h. */
#ifndef THREAD_H
#define THREAD_H

#include "does.h"

/* What follows, a statement or a block, while another thread does `fn`, which is joined then. */
#define BESIDE(fn)                                                                   \
 for (rf_thread other_thread = RF_THREAD(fn, NULL), *beside = &other_thread; beside; \
      (void)RF_JOIN(*beside), beside = NULL)

/* Starts `n` threads, gives each its number, and waits for them. */
static inline void crew(int n, void *(*fn)(void *)) {
    static int id[2000];
    rf_thread t[n];
    for (int i = 0; i < n; i++) {
        id[i] = i;
        t[i] = RF_THREAD(fn, &id[i]);
    }
    for (int i = 0; i < n; i++) (void)RF_JOIN(t[i]);
}

/* For the body of a test: runs two threads to their end. */
static inline void run_two(void *(*first)(void *), void *(*second)(void *)) {
    rf_thread a = RF_THREAD(first, NULL), b = RF_THREAD(second, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}
#endif
