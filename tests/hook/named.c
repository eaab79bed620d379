/* Semaphores with names; what may be asked of a thread by its handle; locks of files. */
#include "check.h"

static char name[32], other[32], far[NAME_MAX + 8];
static struct timespec past = {1, 0}, bad = {1, 1000000000};
static sem_t go;
static FILE *file;
static int inside, made;

static int gives(int result) { return result == -1 ? errno : -1; }
static int opens(const char *what, int flags, unsigned n) {
    sem_t *m = sem_open(what, flags, 0600, n);
    return m == SEM_FAILED ? errno : (sem_close(m), -1);
}

THREAD(waits) { CHECK(!sem_wait(&go)); }

THREAD(asks) {
    sem_t *m = sem_open(name, 0);
    CHECK(m != SEM_FAILED && !sem_post(m) && !sem_close(m));
    if (opens(other, O_CREAT | O_EXCL, 0) == -1) made++; /* one of them */
}

THREAD(locks) {
    flockfile(file);
    flockfile(file);
    CHECK(!inside++);
    sched_yield();
    inside--;
    funlockfile(file);
    funlockfile(file);
}

THREAD(is_kept_out) { CHECK(ftrylockfile(file)); }

static void semaphores(void) {
    int n;
    snprintf(name, sizeof name, "/named.%ld", (long)getpid());
    snprintf(other, sizeof other, "/other.%ld", (long)getpid());
    far[0] = '/';
    memset(far + 1, 'x', sizeof far - 2);
    CHECK(opens(name, 0, 0) == ENOENT && gives(sem_unlink(name)) == ENOENT);
    CHECK(opens("/", O_CREAT, 0) == EINVAL && opens("/a/b", O_CREAT, 0) == EINVAL);
    CHECK(opens(far, O_CREAT, 0) > 0); /* ENAMETOOLONG, in glibc EINVAL */
    CHECK(opens(name, O_CREAT, SEM_VALUE_MAX + 1u) == EINVAL);
    sem_t *m = sem_open(name, O_CREAT, 0600, 1);
    CHECK(m != SEM_FAILED && sem_open(name, O_CREAT, 0600, 5) == m);
    CHECK(opens(name, O_CREAT | O_EXCL, 1) == EEXIST);
    CHECK(!sem_wait(m) && !sem_close(m));
    run_two(asks, NULL, asks, NULL);
    CHECK(made == 1 && !sem_unlink(other));
    CHECK(!sem_getvalue(m, &n) && n == 2);
    CHECK(!sem_close(m) && opens(name, 0, 0) == -1); /* it stays */
    CHECK((m = sem_open(name, 0)) != SEM_FAILED && !sem_unlink(name));
    CHECK(opens(name, 0, 0) == ENOENT && !sem_wait(m) && !sem_wait(m)); /* without a name */
    CHECK(gives(sem_clockwait(m, CLOCK_MONOTONIC, &bad)) == EINVAL);
    CHECK(gives(sem_clockwait(m, CLOCK_PROCESS_CPUTIME_ID, &past)) == EINVAL);
    CHECK(gives(sem_timedwait(m, &past)) == ETIMEDOUT && !sem_close(m));
}

static void threads(void) {
    pthread_t t;
    void *result = &t;
    CHECK(!sem_init(&go, 0, 0) && !pthread_create(&t, NULL, waits, NULL));
    CHECK(pthread_tryjoin_np(t, &result) == EBUSY && !pthread_kill(t, 0));
    CHECK(pthread_timedjoin_np(t, &result, &past) == ETIMEDOUT);
    CHECK(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    CHECK(result == &t);
    CHECK(pthread_kill(t, 1000) == EINVAL && pthread_kill(t, -1) == EINVAL);
    CHECK(!sem_post(&go));
    while (pthread_tryjoin_np(t, &result)) sched_yield();
    CHECK(!result);
}

static void attributes(void) {
    pthread_t self = pthread_self();
    struct sched_param p = {0};
    int policy = -1;
    char is[16];
    clockid_t clock;
    cpu_set_t set, same;
    pthread_attr_t a;
    void *low = NULL;
    size_t size;
    CHECK(!pthread_getname_np(self, is, sizeof is) && is[0]);
    CHECK(!pthread_setname_np(self, "a-name-of-15-ch"));
    CHECK(pthread_setname_np(self, "a-name-of-16-cha") == ERANGE);
    CHECK(pthread_getname_np(self, is, 15) == ERANGE);
    CHECK(!pthread_getname_np(self, is, sizeof is) && !strcmp(is, "a-name-of-15-ch"));
    CHECK(!pthread_getschedparam(self, &policy, &p) && policy == SCHED_OTHER);
    CHECK(!p.sched_priority && !pthread_setschedparam(self, SCHED_OTHER, &p));
    p.sched_priority = 200;
    CHECK(pthread_setschedparam(self, SCHED_FIFO, &p) == EINVAL);
    CHECK(pthread_setschedprio(self, 200) == EINVAL && !pthread_setschedprio(self, 0));
    CHECK(!pthread_getcpuclockid(self, &clock));
    CHECK(!pthread_getaffinity_np(self, sizeof set, &set) && CPU_COUNT(&set) > 0);
    CHECK(!pthread_setaffinity_np(self, sizeof set, &set));
    CHECK(!pthread_getaffinity_np(self, sizeof same, &same) && CPU_EQUAL(&set, &same));
    CPU_ZERO(&set);
    CHECK(pthread_setaffinity_np(self, sizeof set, &set) == EINVAL && sched_getcpu() >= 0);
    CHECK(!pthread_getattr_np(self, &a) && !pthread_attr_getstack(&a, &low, &size));
    CHECK((char *)low < is && is < (char *)low + size && !pthread_attr_destroy(&a));
}

int main(void) {
    semaphores();
    threads();
    attributes();
    file = tmpfile();
    CHECK(file);
    run_two(locks, NULL, locks, NULL);
    flockfile(file);
    CHECK(!ftrylockfile(file));
    funlockfile(file);
    run_two(is_kept_out, NULL, is_kept_out, NULL);
    funlockfile(file);
    return 0;
}
