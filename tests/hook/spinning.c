/* Threads that spin for a lock or a flag. */
#include "check.h"

static atomic_int lock, left;
static int count, yields;
static volatile int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

THREAD(counts) {
    if (yields)
        while (atomic_exchange(&lock, 1)) sched_yield();
    else
        while (atomic_exchange(&lock, 1)) continue;
    count++;
    atomic_store(&lock, 0);
}

/* It tries for a lock, often, until it sees what is said by plain memory. */
THREAD(tries) {
    int tried = 0;
    for (; !done; tried++)
        if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m);
    atomic_store(&left, tried > 6);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t t;
    if (!strcmp(what, "told")) {
        pthread_mutex_lock(&m);
        pthread_create(&t, NULL, tries, NULL);
        for (int i = 0; i < 6; i++) atomic_store(&lock, i);
        done = 1;
        for (int i = 0; i < 3; i++) assert(!atomic_load(&left));
        pthread_mutex_unlock(&m);
        pthread_join(t, NULL);
        return 0;
    }
    yields = !strcmp(what, "yields");
    run_two(counts, NULL, counts, NULL);
    assert(count == 2);
    return 0;
}
