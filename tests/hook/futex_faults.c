/* Waits that nobody ends, each by its name, and one that orders nothing: ./futex_faults WAY. */
#include "check.h"

static _Atomic uint32_t state;
static _Atomic int full;
static int counted;
static const char *way;

static long futex(int operation, uint32_t value) {
    return syscall(SYS_futex, &state, operation, value, NULL, NULL, 0);
}

/* Who was woken takes it as one that nobody waits for. */
static void lock(void) {
    uint32_t c = 0;
    if (atomic_compare_exchange_strong(&state, &c, 1)) return;
    do {
        if (c == 2 || !atomic_compare_exchange_strong(&state, &c, 2)) futex(FUTEX_WAIT, 2);
        c = 0;
    } while (!atomic_compare_exchange_strong(&state, &c, 1));
}

static void unlock(void) {
    if (atomic_exchange(&state, 0) == 2) futex(FUTEX_WAKE, 1);
}

THREAD(counts) {
    lock();
    counted++;
    unlock();
}

/* It looks before it takes the number. */
THREAD(takes) {
    if (!atomic_load(&full)) futex(FUTEX_WAIT, atomic_load(&state));
}

THREAD(puts_one) {
    atomic_store(&full, 1);
    atomic_fetch_add(&state, 1);
    futex(FUTEX_WAKE, 1);
}

/* A wake-up alone orders nothing. */
static void *reads(void *arg) {
    while (!atomic_load_explicit(&state, memory_order_relaxed)) futex(FUTEX_WAIT, 0);
    return counted == 1 ? arg : NULL;
}

THREAD(writes) {
    counted = 1;
    atomic_store_explicit(&state, 1, memory_order_relaxed);
    futex(FUTEX_WAKE, 2);
}

THREAD(waits) {
    sigset_t set = only(SIGUSR2);
    int signal;
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (!strcmp(way, "sigwait")) sigwait(&set, &signal);
    if (!strcmp(way, "poll")) poll(NULL, 0, -1);
    if (!strcmp(way, "pi")) futex(FUTEX_LOCK_PI, 0);
    if (!strcmp(way, "asks")) { /* what older kernels have not */
        CHECK(futex(13, 0) == -1 && errno == ENOSYS);
#ifdef SYS_futex_waitv
        CHECK(syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) == -1 && errno == ENOSYS);
#endif
    }
}

int main(int argc, char **argv) {
    void *(*first)(void *) = waits, *(*last)(void *) = waits;
    pthread_t t[3];
    way = argc > 1 ? argv[1] : "mutex";
    if (!strcmp(way, "mutex")) first = last = counts;
    if (!strcmp(way, "events")) first = takes, last = puts_one;
    if (!strcmp(way, "order")) first = reads, last = writes;
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, i < 2 ? first : last, NULL));
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i], NULL));
    return 0;
}
