/* A message is passed by a flag: with -DGIVE=memory_order_relaxed its reader may see an old one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef GIVE
# define GIVE memory_order_release
#endif

static atomic_int message, ready;

static void *writer(void *arg) {
    atomic_store_explicit(&message, 42, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, GIVE);
    return arg;
}

int main(void) {
    pthread_t t;
    if (pthread_create(&t, NULL, writer, NULL)) return 2;
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(atomic_load_explicit(&message, memory_order_relaxed) == 42);
    return pthread_join(t, NULL);
}
