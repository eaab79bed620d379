/* Unedited code, explored in the middle of a program: threads, locks and plain accesses as they
 * are.
 * ./hooked [locked]: 1 if something was found. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *racy(void *arg) {
    hits++;
    return arg;
}

static void *locked(void *arg) {
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void two(void *how) {
    void *(*hit)(void *) = how ? locked : racy;
    pthread_t t, u;
    hits = 0;
    pthread_create(&t, NULL, hit, NULL);
    pthread_create(&u, NULL, hit, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(hits == 2);
}

int main(int argc, char **argv) {
    rf_options few = {.executions = 50};
    pthread_mutex_lock(&lock); /* outside of explorations it is the C library's */
    pthread_mutex_unlock(&lock);
    rf_outcome o = rf_explore("hits", two, argc > 1 ? argv[1] : NULL, &few);
    fputs(o.report, stdout);
    printf("%u findings\n", o.findings);
    return !rf_outcome_free(&o);
}
