/* Samples go from one thread to another through a ring, without a lock: one puts, one takes. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2, SAMPLES = 3 };

static atomic_int slot[LENGTH];
static atomic_uint head, tail; /* samples taken, samples put */

static bool put(int sample) {
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, memory_order_acquire) == LENGTH) return false;
    atomic_store_explicit(&slot[t % LENGTH], sample, memory_order_relaxed);
    atomic_store_explicit(&tail, t + 1, memory_order_release);
    return true;
}

static bool take(int *sample) {
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (atomic_load_explicit(&tail, memory_order_acquire) == h) return false;
    *sample = atomic_load_explicit(&slot[h % LENGTH], memory_order_relaxed);
    atomic_store_explicit(&head, h + 1, memory_order_release);
    return true;
}

static void *sensor(void *unused) {
    (void)unused;
    for (int i = 1; i <= SAMPLES; i++)
        while (!put(i)) sched_yield();
    return NULL;
}

int main(void) {
    pthread_t t;
    if (pthread_create(&t, NULL, sensor, NULL)) return EXIT_FAILURE;
    for (int i = 1, sample; i <= SAMPLES; i++) {
        while (!take(&sample)) sched_yield();
        if (sample == i) continue;
        fprintf(stderr, "ring: sample %d is %d\n", i, sample);
        return EXIT_FAILURE;
    }
    pthread_join(t, NULL);
    return EXIT_SUCCESS;
}
