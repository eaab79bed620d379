/* Tests that measure time or rely on it, as their authors write them: argument 1 says which. */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static atomic_uint word;
static atomic_int done, first;
static int flag, ends[2], timer;

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const struct timespec *in(long ms) {
    static struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    long ns = t.tv_nsec + ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    return &t;
}

static const char *what;
static int is(const char *name) { return !strcmp(what, name); }

THREAD(other) {
    if (is("signal")) {
        pthread_mutex_lock(&m);
        flag = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    } else if (is("lock")) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    } else if (is("rwlock")) {
        pthread_rwlock_wrlock(&l);
        pthread_rwlock_unlock(&l);
    } else if (is("sem")) {
        sem_post(&s);
    } else if (is("futex")) {
        atomic_store(&word, 1);
        syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    } else if (is("poll")) {
        usleep(100000);
        CHECK(write(ends[1], "x", 1) == 1);
    } else if (is("order")) {
        usleep(200000);
        int zero = 0;
        atomic_compare_exchange_strong(&first, &zero, 2);
    } else if (is("older")) {
        while (!atomic_load_explicit(&word, memory_order_relaxed)) sched_yield();
        CHECK(!atomic_load(&done));
    } else if (is("stop")) {
        sleep(1);
    } else if (is("behind")) {
        for (int i = 0; i < 20; i++) {
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
        }
    }
    atomic_store(&done, 1);
}

/* What main does meanwhile. */
static void rely(void) {
    long t0 = now();
    if (is("signal")) {
        pthread_mutex_lock(&m);
        while (!flag) CHECK(!pthread_cond_timedwait(&c, &m, in(1000)));
        pthread_mutex_unlock(&m);
    } else if (is("lock")) {
        CHECK(!pthread_mutex_timedlock(&m, in(1000)));
        pthread_mutex_unlock(&m);
    } else if (is("rwlock")) {
        CHECK(!pthread_rwlock_timedrdlock(&l, in(1000)));
        pthread_rwlock_unlock(&l);
    } else if (is("sem")) {
        CHECK(!sem_timedwait(&s, in(1000)));
    } else if (is("futex")) {
        struct timespec t = {1, 0};
        while (!atomic_load(&word))
            CHECK(!syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, NULL, 0) || errno == EAGAIN);
    } else if (is("poll")) {
        struct pollfd p = {.fd = ends[0], .events = POLLIN};
        CHECK(poll(&p, 1, 1000) == 1);
        CHECK(now() - t0 < 1000);
    } else if (is("sleep")) {
        usleep(100000);
        CHECK(atomic_load(&done));
    } else if (is("order")) {
        usleep(100000);
        int zero = 0;
        CHECK(atomic_compare_exchange_strong(&first, &zero, 1));
    } else if (is("older")) { /* nobody reads an older value for a second */
        atomic_store_explicit(&word, 1, memory_order_relaxed);
        sleep(1);
        atomic_store(&done, 1);
    } else if (is("stop")) {
        while (!atomic_load(&done)) {
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
        }
        CHECK(now() - t0 >= 1000);
    } else if (is("retry")) {
        for (int i = 0; i < 10 && !atomic_load(&done); i++) usleep(1000);
        CHECK(atomic_load(&done));
    } else if (is("patient")) {
        for (int i = 0; i < 100 && !atomic_load(&done); i++) usleep(1000);
        CHECK(atomic_load(&done));
    } else if (is("behind")) {
        usleep(100000);
        CHECK(!atomic_load(&done));
    }
}

/* ---- loops that end when time has passed ---- */

static void wait_once(void) {
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    struct timeval v = {0, 10000};
    struct timespec t = {0, 10000000};
    fd_set set;
    char byte[8];
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    if (is("usleep")) usleep(10000);
    if (is("nanosleep")) nanosleep(&t, NULL);
    if (is("poll_for")) (void)poll(&p, 1, 10);
    if (is("poll_none")) (void)poll(NULL, 0, 10);
    if (is("select")) (void)select(ends[0] + 1, &set, NULL, NULL, &v);
    if (is("pselect")) (void)pselect(0, NULL, NULL, NULL, &t, NULL);
    if (is("read")) (void)!read(timer, byte, sizeof byte);
    if (is("poll_timer")) {
        p.fd = timer;
        (void)poll(&p, 1, -1);
        (void)!read(timer, byte, sizeof byte);
    }
    if (is("semaphore")) (void)sem_timedwait(&s, in(10));
    if (is("condition")) {
        pthread_mutex_lock(&m);
        (void)pthread_cond_timedwait(&c, &m, in(10));
        pthread_mutex_unlock(&m);
    }
}

static int wait_for(const char *how, int most) {
    struct itimerspec t = {{0, 10000000}, {0, 10000000}};
    int rounds = 0;
    what = how;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &t, NULL);
    long t0 = now();
    for (; now() - t0 < 50; rounds++) wait_once();
    if (rounds > most) fprintf(stderr, "%d rounds\n", rounds);
    return rounds > most;
}

int main(int argc, char **argv) {
    pthread_t t;
    CHECK(argc > 1 && !pipe(ends) && !sem_init(&s, 0, 0));
    what = argv[1];
    if (is("for")) return wait_for(argv[2], atoi(argv[3]));
    pthread_create(&t, NULL, other, NULL);
    if (is("join"))
        CHECK(!pthread_timedjoin_np(t, NULL, in(1000)));
    else
        rely();
    if (!is("join")) pthread_join(t, NULL);
    return 0;
}
