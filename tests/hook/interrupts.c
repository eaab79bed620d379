/* A thread that waits is cancelled, or gets a signal: it is woken at once.  Its handlers run. */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t never, waiting, handled;
static pthread_t handler_ran_in, for_ever;
static int cleaned;
static struct timespec later = {INT_MAX, 0};

static void clean(void *unlocks) {
    cleaned++;
    if (unlocks) pthread_mutex_unlock(&m);
}

THREAD(sleeps_for_ever) {
    for (;;) sem_wait(&never);
}

static void wait_in(const char *way) {
    if (!strcmp(way, "join")) pthread_join(for_ever, NULL);
    if (!strcmp(way, "sem")) sem_wait(&never);
    while (!strcmp(way, "timed")) sem_timedwait(&never, &later); /* may time out before */
    while (!strcmp(way, "sleep")) sleep(1000000);
    while (!strcmp(way, "nanosleep")) clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &later, NULL);
    if (!strcmp(way, "exit")) pthread_exit(PTHREAD_CANCELED);
}

static void *waits(void *way) {
    sem_post(&waiting);
    pthread_cleanup_push(clean, NULL);
    pthread_cleanup_push(clean, NULL);
    if (!strcmp(way, "cond")) {
        pthread_mutex_lock(&m);
        pthread_cleanup_push(clean, &m);
        for (;;) pthread_cond_wait(&c, &m);
        pthread_cleanup_pop(0);
    }
    wait_in(way);
    CHECK(!"woken without an end");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

/* Only when it is allowed again. */
THREAD(refuses) {
    int error;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    sem_post(&waiting);
    while ((error = sem_wait(&handled))) CHECK(errno == EINTR);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    sem_wait(&never);
    CHECK(!"not cancelled");
}

static void cancels(void *(*fn)(void *), const char *way, int handlers) {
    pthread_t t;
    void *result = NULL;
    cleaned = 0;
    CHECK(!pthread_create(&t, NULL, fn, (void *)(size_t)way));
    CHECK(!sem_wait(&waiting));
    if (!way || strcmp(way, "exit")) CHECK(!pthread_cancel(t));
    if (!way) sem_post(&handled);
    CHECK(!pthread_join(t, &result) && result == PTHREAD_CANCELED && cleaned == handlers);
}

static void on_signal(int signal) {
    CHECK(signal == SIGUSR1);
    handler_ran_in = pthread_self();
    sem_post(&handled);
}

static void *is_signalled(void *way) {
    struct timespec long_time = {1000000, 0}, left = {0, 0};
    sem_post(&waiting);
    if (!strcmp(way, "sem")) CHECK(sem_wait(&never) && errno == EINTR);
    if (!strcmp(way, "sleep")) {
        while (!nanosleep(&long_time, &left)) {
        }
        CHECK(errno == EINTR && left.tv_sec <= long_time.tv_sec);
    }
    if (!strcmp(way, "cond")) {
        pthread_mutex_lock(&m);
        while (!pthread_equal(handler_ran_in, pthread_self())) pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    }
    return way;
}

static void signals(const char *way) {
    pthread_t t;
    handler_ran_in = pthread_self();
    CHECK(!pthread_create(&t, NULL, is_signalled, (void *)(size_t)way) && !sem_wait(&waiting));
    usleep(100000); /* it waits by now, or it doesn't: POSIX forgets a signal before a sem_wait */
    CHECK(!pthread_kill(t, SIGUSR1));
    CHECK(!sem_wait(&handled));
    pthread_mutex_lock(&m);
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    CHECK(pthread_equal(handler_ran_in, t));
    CHECK(!pthread_join(t, NULL));
}

static void *takes_signals(void *set) {
    int signal = 0;
    CHECK(!sigwait(set, &signal) && signal == SIGTERM);
    CHECK(!sem_post(&handled));
    CHECK(sigwaitinfo(set, NULL) == SIGUSR2);
    return NULL;
}

int main(void) {
    static const char *const way[] = {"join", "sem", "timed", "sleep", "nanosleep", "exit"};
    struct sigaction a = {.sa_handler = on_signal};
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR2);
    CHECK(!pthread_sigmask(SIG_BLOCK, &set, NULL)); /* for all threads */
    CHECK(!sem_init(&never, 0, 0) && !sem_init(&waiting, 0, 0) && !sem_init(&handled, 0, 0));
    CHECK(!pthread_create(&for_ever, NULL, sleeps_for_ever, NULL));
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) cancels(waits, way[i], 2);
    cancels(waits, "cond", 3);
    CHECK(!pthread_mutex_trylock(&m) && !pthread_mutex_unlock(&m));
    cancels(refuses, NULL, 0);

    CHECK(!sigaction(SIGUSR1, &a, NULL));
    CHECK(!pthread_kill(pthread_self(), SIGUSR1) && !sem_trywait(&handled));
    signals("sleep");
    signals("sem");
    signals("cond");
    CHECK(!pthread_create(&t, NULL, takes_signals, &set));
    CHECK(!kill(getpid(), SIGTERM) && !sem_wait(&handled));
    CHECK(!pthread_kill(t, SIGUSR2) && !pthread_join(t, NULL));
    CHECK(!pthread_cancel(for_ever) && !pthread_join(for_ever, NULL));
    return 0;
}
