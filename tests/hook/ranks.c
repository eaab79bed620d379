/* Threads of fixed priorities, unedited: the one of the middle must not hold up the highest, which
 * waits for the lowest.  Arguments: how they get their priorities, the mutex's protocol; or `says`:
 * what the calls return. */
#include "check.h"

static pthread_mutex_t bus;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static atomic_int worked;
static const char *how;

static int work(int by) { return atomic_fetch_add(&worked, by) + by; }

static void rank(int priority) {
    struct sched_param p = {.sched_priority = priority};
    if (!strcmp(how, "set")) CHECK(!pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
    if (!strcmp(how, "scheduled")) CHECK(!sched_setscheduler(0, SCHED_RR, &p));
}

static void nap(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

THREAD(low) {
    rank(1);
    pthread_mutex_lock(&bus);
    work(0);
    pthread_mutex_unlock(&bus);
}

THREAD(middle) {
    rank(2);
    nap();
    for (int i = 0; i < 3; i++) work(1);
}

THREAD(high) {
    rank(3);
    nap();
    int before = work(0);
    pthread_mutex_lock(&bus);
    int behind = work(0);
    pthread_mutex_unlock(&bus);
    if (before != behind) fputs("held up\n", stderr), abort();
}

static void start(pthread_t *t, void *(*fn)(void *), int priority) {
    struct sched_param p = {.sched_priority = priority};
    pthread_attr_t a;
    CHECK(!pthread_attr_init(&a));
    if (!strcmp(how, "created")) {
        CHECK(!pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
        CHECK(!pthread_attr_setschedpolicy(&a, SCHED_FIFO) && !pthread_attr_setschedparam(&a, &p));
    }
    CHECK(!pthread_create(t, &a, fn, NULL) && !pthread_attr_destroy(&a));
}

static void protocol(pthread_mutexattr_t *a, const char *named) {
    CHECK(!pthread_mutexattr_init(a));
    if (!strcmp(named, "inherit")) CHECK(!pthread_mutexattr_setprotocol(a, PTHREAD_PRIO_INHERIT));
    if (strcmp(named, "protect")) return;
    CHECK(!pthread_mutexattr_setprotocol(a, PTHREAD_PRIO_PROTECT));
    CHECK(!pthread_mutexattr_setprioceiling(a, 9));
}

/* A thread's number means the thread, to functions and bare calls. */
static void numbered(long own) {
    struct {
        unsigned size, policy, flags[2];
        int nice;
        unsigned priority;
        unsigned long long times[3];
    } is = {0};
    struct sched_param p = {.sched_priority = 3};
    cpu_set_t set, same;
    CHECK(!syscall(SYS_sched_getattr, own, &is, sizeof is, 0) && is.size == sizeof is);
    CHECK(is.policy == SCHED_FIFO && is.priority == 4);
    is.priority = 5;
    CHECK(!syscall(SYS_sched_setattr, own, &is, 0));
    CHECK(!syscall(SYS_sched_getparam, own, &p) && p.sched_priority == 5);
    p.sched_priority = 200;
    CHECK(syscall(SYS_sched_setparam, own, &p) == -1 && errno == EINVAL);
    p.sched_priority = 3;
    CHECK(!syscall(SYS_sched_setscheduler, own, SCHED_RR, &p));
    CHECK(syscall(SYS_sched_getscheduler, own) == SCHED_RR);
    CHECK(!sched_getaffinity((pid_t)own, sizeof set, &set) && CPU_COUNT(&set) > 0);
    CHECK(!sched_setaffinity((pid_t)own, sizeof set, &set));
    CHECK(syscall(SYS_sched_getaffinity, own, sizeof same, &same) > 0 && CPU_EQUAL(&set, &same));
    CHECK(!syscall(SYS_sched_setaffinity, own, sizeof set, &set));
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, (id_t)own);
    CHECK(!errno && nice == getpriority(PRIO_PROCESS, 0));
    CHECK(!setpriority(PRIO_PROCESS, (id_t)own, nice));
    CHECK(syscall(SYS_getpriority, PRIO_PROCESS, own) == 20 - nice);
    CHECK(!syscall(SYS_setpriority, PRIO_PROCESS, own, nice));
}

THREAD(inherits) {
    struct sched_param p;
    int policy;
    CHECK(!pthread_getschedparam(pthread_self(), &policy, &p));
    CHECK(policy == SCHED_FIFO && p.sched_priority == 7);
    CHECK(sched_getscheduler(0) == SCHED_FIFO && sched_getscheduler(gettid()) == SCHED_FIFO);
    p.sched_priority = 4;
    CHECK(!sched_setparam(gettid(), &p) && !sched_getparam(0, &p) && p.sched_priority == 4);
    CHECK(!sched_getparam(getpid(), &p) && p.sched_priority == 7);
    numbered(gettid());
}

static void says(void) {
    pthread_mutexattr_t a;
    pthread_t t;
    struct sched_param p = {.sched_priority = 7};
    struct timespec soon = {0, 0};
    int is = 0;
    protocol(&a, "protect");
    CHECK(!pthread_mutex_init(&bus, &a));
    CHECK(!pthread_mutex_getprioceiling(&bus, &is) && is == 9);
    CHECK(pthread_mutex_setprioceiling(&bus, 200, &is) == EINVAL);
    CHECK(!pthread_mutex_setprioceiling(&bus, 5, &is) && is == 9);
    CHECK(!pthread_mutex_getprioceiling(&bus, &is) && is == 5 && !pthread_mutex_lock(&bus));
    CHECK(!pthread_mutex_unlock(&bus) && !sched_setscheduler(0, SCHED_FIFO, &p));
    CHECK(pthread_mutex_lock(&bus) == EINVAL && pthread_mutex_trylock(&bus) == EINVAL);
    CHECK(pthread_mutex_timedlock(&bus, &soon) == EINVAL);
    CHECK(pthread_mutex_getprioceiling(&plain, &is) == EINVAL);
    CHECK(pthread_mutex_setprioceiling(&plain, 5, &is) == EINVAL);
    CHECK(!pthread_create(&t, NULL, inherits, NULL) && !pthread_join(t, NULL));
    p.sched_priority = 200;
    CHECK(sched_setparam(0, &p) == -1 && errno == EINVAL);
    CHECK(sched_setscheduler(0, SCHED_OTHER, &p) == -1 && errno == EINVAL);
    p.sched_priority = 0;
    CHECK(!sched_setscheduler(getpid(), SCHED_OTHER, &p) && !pthread_mutex_lock(&bus));
    CHECK(!pthread_mutex_unlock(&bus) && !pthread_mutex_destroy(&bus));
}

int main(int argc, char **argv) {
    void *(*const task[])(void *) = {low, middle, high};
    pthread_mutexattr_t a;
    pthread_t t[3];
    how = argc > 1 ? argv[1] : "says";
    if (argc < 3) {
        says();
        return 0;
    }
    protocol(&a, argv[2]);
    CHECK(!pthread_mutex_init(&bus, &a));
    struct sched_param all = {.sched_priority = 9}; /* they begin when all are there */
    CHECK(!pthread_setschedparam(pthread_self(), SCHED_FIFO, &all));
    for (int i = 0; i < 3; i++) start(&t[i], task[i], i + 1);
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i], NULL));
    return 0;
}
