/* A program that knows nothing of racefuzz, in every way that C11 allows (hook_graphs.sh): store
 * buffering, a condition, a look at the clock, output; a futex, one whose waker wakes two, or by
 * bits, or lets others wait at another futex, which it wakes or forgets; one by which plain data is
 * handed over with fences; plain data that is polled; a handler of exit, and a thread that calls
 * it; one that spins when the program has ended; a spin lock; a look again and
 * again under a lock; a wait that may have no end; a counter that is set back by a plain store; a
 * lock that prefers writers, one of whom gives up. */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int x, y;
static int ready;

THREAD(buffer) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    (void)atomic_load_explicit(&y, memory_order_relaxed);
}

static void answer(void) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    (void)atomic_load_explicit(&x, memory_order_relaxed);
}

THREAD(leave) {
    if (atomic_load(&y)) exit(3);
}

THREAD(spin) {
    while (atomic_load(&y)) continue;
}

THREAD(swaps) {
    while (atomic_exchange_explicit(&x, 1, memory_order_acquire)) continue;
    ready++;
    atomic_store_explicit(&x, 0, memory_order_release);
}

THREAD(gives) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
}

static int looks(void) {
    pthread_mutex_lock(&m);
    int now = ready;
    pthread_mutex_unlock(&m);
    return now;
}

static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static const struct timespec soon = {1, 0};

THREAD(writes) {
    if (pthread_rwlock_wrlock(&l)) return;
    ready++;
    pthread_rwlock_unlock(&l);
}

THREAD(writes_soon) {
    if (!pthread_rwlock_timedwrlock(&l, &soon)) pthread_rwlock_unlock(&l);
}

static void reads_twice(void) {
    pthread_rwlock_rdlock(&l);
    if (!pthread_rwlock_tryrdlock(&l)) pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
}

THREAD(sets) { ready = 1; }

THREAD(give) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}

THREAD(say) { puts("other"); }

static int wakes = 1;
static uint32_t waits_with = UINT32_MAX, wakes_with = UINT32_MAX;
static enum { STAY, MOVED, LEFT } then = STAY;

static void *wake(void *arg) {
    ready = 1;
    atomic_thread_fence(memory_order_release);
    if (arg) atomic_store(&x, 1);
    if (then == STAY)
        syscall(SYS_futex, &x, FUTEX_WAKE_BITSET, wakes, NULL, NULL, wakes_with);
    else
        syscall(SYS_futex, &x, FUTEX_CMP_REQUEUE, 0, (void *)(intptr_t)INT_MAX, &y, 1);
    if (then == MOVED) syscall(SYS_futex, &y, FUTEX_WAKE, 1, NULL, NULL, 0);
    return arg;
}

static int counter;

static void *adds(void *arg) {
    __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
    return arg;
}

/* For ever, if the store of the other thread comes first. */
static void *waits(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    while (atomic_load_explicit(&y, memory_order_relaxed) == 1) continue;
    return arg;
}

THREAD(overtakes) {
    atomic_store_explicit(&y, 2, memory_order_relaxed);
    (void)atomic_load(&x);
}

static void handed_over(void) {
    const struct timespec short_time = {0, 1000};
    if (syscall(SYS_futex, &x, FUTEX_WAIT, 0, &short_time, NULL, 0)) return;
    atomic_thread_fence(memory_order_acquire); /* it was woken, which orders nothing */
    ready = 2;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    struct timespec now;
    pthread_t t;
    void *(*fn)(void *) = !strcmp(what, "condition") ? give
                          : !strcmp(what, "output")  ? say
                          : strstr(what, "polls")    ? sets
                          : !strcmp(what, "exit")    ? leave
                          : !strcmp(what, "spins")   ? spin
                          : !strcmp(what, "swaps")   ? swaps
                          : !strcmp(what, "looks")   ? gives
                          : !strcmp(what, "endless") ? waits
                          : !strcmp(what, "counter") ? adds
                          : !strcmp(what, "writer")  ? writes
                          : strstr(what, "writer")   ? writes_soon
                          : strstr(what, "futex")    ? wake
                                                     : buffer;
    if (!strcmp(what, "two by futex")) wakes = 2;
    if (strstr(what, "bit by futex"))
        waits_with = 1, wakes_with = strcmp(what, "bit by futex") ? 2 : 3;
    if (!strcmp(what, "moved by futex")) then = MOVED;
    if (!strcmp(what, "left by futex")) then = LEFT;
    pthread_create(&t, NULL, fn, strcmp(what, "data by futex") ? &x : NULL);
    if (!strcmp(what, "buffer at exit")) return atexit(answer);
    if (fn == spin) {
        atomic_store(&y, 1);
        pthread_create(&t, NULL, buffer, NULL);
        (void)atomic_load(&x);
        return pthread_join(t, NULL);
    }
    if (fn == give) {
        pthread_mutex_lock(&m);
        while (!ready) pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    } else if (fn == say) {
        puts("main");
    } else if (fn == swaps) {
        (void)swaps(NULL);
    } else if (strstr(what, "writer")) {
        reads_twice();
    } else if (fn == gives) {
        while (!looks()) sched_yield();
        if (!atomic_load_explicit(&y, memory_order_relaxed)) abort();
    } else if (fn == adds) {
        adds(NULL);
        pthread_join(t, NULL);
        if (counter != 2) abort();
        counter = 0;
        pthread_create(&t, NULL, fn, NULL);
        adds(NULL);
    } else if (fn == waits) {
        pthread_t u;
        pthread_create(&u, NULL, overtakes, NULL);
        pthread_join(u, NULL);
    } else if (fn == sets) {
        while (!ready)
            if (!strcmp(what, "polls")) sched_yield();
    } else if (!strcmp(what, "data by futex")) {
        handed_over();
    } else if (fn == wake) {
        while (!atomic_load(&x))
            syscall(SYS_futex, &x, FUTEX_WAIT_BITSET, 0, NULL, NULL, waits_with);
    } else {
        if (!strncmp(what, "clock", 5)) clock_gettime(CLOCK_MONOTONIC, &now);
        if (!strcmp(what, "clock and sleep")) nanosleep(&now, NULL);
        answer();
    }
    pthread_join(t, NULL);
    return 0;
}
