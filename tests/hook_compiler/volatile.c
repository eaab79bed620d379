/* A message that is passed by volatile objects and fences, as before C11. */
#include <assert.h>
#include <pthread.h>

static int data;
static volatile int ready;
static int *volatile where;

static void *give(void *arg) {
    data = 42;
#ifndef UNORDERED
    __sync_synchronize();
#endif
    ready = 1;
    where = &data;
    return arg;
}

static void *take(void *arg) {
    if (ready) {
        __sync_synchronize();
        assert(data == 42);
    }
    if (where) assert(*where == 42);
    assert(__sync_fetch_and_add(&ready, 0) <= 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, give, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return ready != 1;
}
