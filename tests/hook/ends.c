/* Ends of threads: cleanup handlers, pthread_exit, detached threads, identity, cancellation of
 * oneself; at last main leaves by pthread_exit, and the thread that joins it ends the program. */
#include "check.h"

static char order[16];
static sem_t done, go;
static pthread_t first;

static void note(void *letter) { strcat(order, letter); }

static void leaves(void *result) {
    pthread_cleanup_push(note, "c");
    pthread_exit(result);
    pthread_cleanup_pop(0);
}

static void *cleans(void *result) {
    pthread_cleanup_push(note, "a");
    pthread_cleanup_push(note, "b");
    pthread_cleanup_push(note, "x");
    pthread_cleanup_pop(0);
    pthread_cleanup_push(note, "y");
    pthread_cleanup_pop(1);
    leaves(result);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *posts(void *of) {
    if (of) CHECK(!pthread_detach(pthread_self()));
    CHECK(!pthread_equal(pthread_self(), first));
    CHECK(!sem_post(&done));
    return NULL;
}

/* At once, since it is asynchronous. */
static void *cancels_itself(void *way) {
    if (*(char *)way == 'c') pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    if (*(char *)way == 's') pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    CHECK(!pthread_cancel(pthread_self()) && *(char *)way != 'c');
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    CHECK(*(char *)way == 's');
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    CHECK(!"cancelled");
    return NULL;
}

static void said(void) { puts("atexit ran"); }

static void *goes_on(void *given) {
    void *result = NULL;
    CHECK(!sem_wait(&go));
    CHECK(!pthread_join(first, &result) && result == given);
    puts("the last thread");
    return result;
}

static void lets_go(void *unused) {
    (void)unused;
    CHECK(!sem_post(&go));
}

int main(void) {
    pthread_t t;
    pthread_attr_t a;
    void *result;
    int x;
    first = pthread_self();
    CHECK(!atexit(said));
    CHECK(!sem_init(&done, 0, 0) && !sem_init(&go, 0, 0));
    CHECK(!pthread_create(&t, NULL, cleans, &x));
    CHECK(!pthread_equal(t, first) && pthread_equal(first, pthread_self()));
    CHECK(!pthread_join(t, &result) && result == &x);
    CHECK(!strcmp(order, "ycba"));
    CHECK(!pthread_attr_init(&a));
    CHECK(!pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
    CHECK(!pthread_create(&t, &a, posts, NULL) && !pthread_attr_destroy(&a));
    CHECK(!pthread_create(&t, NULL, posts, &x));
    CHECK(!sem_wait(&done) && !sem_wait(&done));
    for (const char *way = "cts"; *way; way++) {
        CHECK(!pthread_create(&t, NULL, cancels_itself, (void *)(size_t)way));
        CHECK(!pthread_join(t, &result) && result == PTHREAD_CANCELED);
    }
    CHECK(!pthread_create(&t, NULL, goes_on, &x));
    CHECK(!pthread_detach(t));
    pthread_cleanup_push(lets_go, NULL);
    pthread_exit(&x);
    pthread_cleanup_pop(0);
}
