/* A lock with the weakest orders that do (U. Drepper, Futexes are tricky, 2011, section 5): that a
 * wake-up is not lost depends on what the kernel promises of its look at the word. */
#include "check.h"

static _Atomic uint32_t state; /* 1: taken, 2: and somebody may wait */
static int counted;

static void lock(void) {
    uint32_t c = 0;
    if (atomic_compare_exchange_strong_explicit(&state, &c, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&state, 2, memory_order_acquire))
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL);
}

static void unlock(void) {
    if (atomic_fetch_sub_explicit(&state, 1, memory_order_release) == 1) return;
    atomic_store_explicit(&state, 0, memory_order_release);
    syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1);
}

THREAD(counts) {
    for (int i = 0; i < 2; i++) {
        lock();
        counted++;
        unlock();
    }
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, counts, NULL));
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i], NULL));
    CHECK(counted == 6);
    return 0;
}
