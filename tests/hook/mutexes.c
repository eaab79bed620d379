/* Mutexes of all kinds: what POSIX says that each call returns. */
#include "check.h"

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static struct timespec past = {1, 0}, bad = {1, 1000000000}, negative = {1, -1};

THREAD(other) {
    CHECK(pthread_mutex_trylock(&plain) == EBUSY);
    CHECK(pthread_mutex_trylock(&recursive) == EBUSY);
    CHECK(pthread_mutex_trylock(&checking) == EBUSY);
    CHECK(pthread_mutex_trylock(&adaptive) == EBUSY);
    CHECK(pthread_mutex_unlock(&recursive) == EPERM);
    CHECK(pthread_mutex_unlock(&checking) == EPERM);
    CHECK(pthread_mutex_timedlock(&plain, &past) == ETIMEDOUT);
    CHECK(pthread_mutex_timedlock(&plain, &bad) == EINVAL);
    CHECK(pthread_mutex_timedlock(&plain, &negative) == EINVAL);
    CHECK(pthread_mutex_clocklock(&recursive, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    CHECK(pthread_mutex_clocklock(&plain, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
}

static void of_kind(int kind, int again, int unlocked) {
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    CHECK(!pthread_mutexattr_init(&a) && !pthread_mutexattr_settype(&a, kind));
    CHECK(!pthread_mutex_init(&m, &a) && !pthread_mutexattr_destroy(&a));
    if (unlocked) CHECK(pthread_mutex_unlock(&m) == unlocked);
    CHECK(!pthread_mutex_lock(&m));
    CHECK(pthread_mutex_trylock(&m) == (again ? EBUSY : 0));
    CHECK(pthread_mutex_timedlock(&m, &past) == again);
    if (again != ETIMEDOUT) CHECK(pthread_mutex_lock(&m) == again);
    for (int i = 0; i < (again ? 1 : 4); i++) CHECK(!pthread_mutex_unlock(&m));
    if (unlocked) CHECK(pthread_mutex_unlock(&m) == unlocked);
    CHECK(!pthread_mutex_timedlock(&m, &past)); /* it need not wait */
    CHECK(!pthread_mutex_unlock(&m));
    CHECK(!pthread_mutex_timedlock(&m, &bad));
    CHECK(!pthread_mutex_unlock(&m));
    CHECK(pthread_mutex_consistent(&m) == EINVAL);
    CHECK(!pthread_mutex_destroy(&m));
}

int main(void) {
    pthread_t t;
    of_kind(PTHREAD_MUTEX_NORMAL, ETIMEDOUT, 0);
    of_kind(PTHREAD_MUTEX_DEFAULT, ETIMEDOUT, 0);
    of_kind(PTHREAD_MUTEX_RECURSIVE, 0, EPERM);
    of_kind(PTHREAD_MUTEX_ERRORCHECK, EDEADLK, EPERM);
    CHECK(!pthread_mutex_lock(&plain) && !pthread_mutex_lock(&adaptive));
    CHECK(!pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&recursive));
    CHECK(!pthread_mutex_lock(&checking) && pthread_mutex_lock(&checking) == EDEADLK);
    CHECK(pthread_mutex_trylock(&checking) == EBUSY);
    CHECK(!pthread_create(&t, NULL, other, NULL));
    CHECK(!pthread_join(t, NULL));
    CHECK(!pthread_mutex_unlock(&plain) && !pthread_mutex_unlock(&adaptive));
    CHECK(!pthread_mutex_unlock(&recursive) && !pthread_mutex_unlock(&recursive));
    CHECK(pthread_mutex_unlock(&recursive) == EPERM);
    CHECK(!pthread_mutex_unlock(&checking));
    return 0;
}
