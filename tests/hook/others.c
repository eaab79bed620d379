/* Read-write locks, semaphores, barriers, spin locks, once. */
#include "check.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT, left = PTHREAD_ONCE_INIT;
static pthread_barrier_t b;
static pthread_spinlock_t s;
static sem_t n, full;
static struct timespec past = {1, 0}, bad = {1, 1000000000};
static int times, tries, serial, errors;

static void initialise(void) { times++; }

static void leaves(void) {
    if (!tries++) pthread_exit(NULL);
}

THREAD(is_left) { (void)pthread_once(&left, leaves); }

THREAD(reads) {
    CHECK(!pthread_rwlock_tryrdlock(&l));
    CHECK(!pthread_rwlock_unlock(&l));
    CHECK(pthread_rwlock_trywrlock(&l) == EBUSY);
    CHECK(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT);
    CHECK(pthread_rwlock_timedwrlock(&l, &bad) == EINVAL);
    CHECK(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    CHECK(!pthread_rwlock_timedrdlock(&l, &past));
    CHECK(!pthread_rwlock_unlock(&l));
}

THREAD(is_kept_out) {
    CHECK(pthread_rwlock_tryrdlock(&l) == EBUSY);
    CHECK(pthread_rwlock_timedrdlock(&l, &past) == ETIMEDOUT);
    CHECK(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &past) == ETIMEDOUT);
    CHECK(pthread_spin_trylock(&s) == EBUSY);
}

THREAD(meets) {
    CHECK(!pthread_once(&once, initialise));
    int last = pthread_barrier_wait(&b);
    CHECK(last == 0 || last == PTHREAD_BARRIER_SERIAL_THREAD);
    if (last) serial++; /* one of them */
    CHECK(!pthread_barrier_wait(&b) || 1);
    errno = 0;
    if (sem_trywait(&n)) { /* two for three threads */
        CHECK(errno == EAGAIN);
        CHECK(!pthread_spin_lock(&s));
        errors++;
        CHECK(!pthread_spin_unlock(&s));
    }
}

static void run(void *(*fn)(void *)) {
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, fn, NULL));
    CHECK(!pthread_join(t, NULL));
}

static int gives(int result) { return result == -1 ? errno : -1; }

int main(void) {
    pthread_t t[2];
    int value;
    CHECK(!pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE));
    CHECK(!pthread_rwlock_rdlock(&l) && !pthread_rwlock_rdlock(&l));
    run(reads);
    CHECK(!pthread_rwlock_unlock(&l) && !pthread_rwlock_unlock(&l));
    CHECK(!pthread_rwlock_wrlock(&l) && !pthread_spin_lock(&s));
    run(is_kept_out);
    CHECK(!pthread_rwlock_unlock(&l) && !pthread_spin_unlock(&s));
    CHECK(!pthread_spin_trylock(&s) && !pthread_spin_unlock(&s));
    CHECK(!pthread_rwlock_init(&l, NULL) && !pthread_rwlock_trywrlock(&l));
    CHECK(!pthread_rwlock_unlock(&l) && !pthread_rwlock_destroy(&l));

    CHECK(gives(sem_init(&n, 0, SEM_VALUE_MAX + 1u)) == EINVAL);
    CHECK(!sem_init(&full, 0, SEM_VALUE_MAX) && gives(sem_post(&full)) == EOVERFLOW);
    CHECK(!sem_init(&n, 0, 1) && !sem_wait(&n) && !sem_getvalue(&n, &value) && value == 0);
    CHECK(gives(sem_trywait(&n)) == EAGAIN);
    CHECK(gives(sem_timedwait(&n, &past)) == ETIMEDOUT);
    CHECK(gives(sem_timedwait(&n, &bad)) == EINVAL);
    CHECK(gives(sem_clockwait(&n, CLOCK_MONOTONIC, &past)) == ETIMEDOUT);
    CHECK(!sem_post(&n) && !sem_timedwait(&n, &past));
    CHECK(!sem_post(&n) && !sem_post(&n) && !sem_getvalue(&n, &value) && value == 2);

    CHECK(pthread_barrier_init(&b, NULL, 0) == EINVAL);
    CHECK(!pthread_barrier_init(&b, NULL, 3));
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, meets, NULL));
    meets(NULL);
    for (int i = 0; i < 2; i++) CHECK(!pthread_join(t[i], NULL));
    CHECK(serial == 1 && times == 1 && errors == 1);
    CHECK(!pthread_barrier_destroy(&b) && !pthread_spin_destroy(&s) && !sem_destroy(&n));
    run(is_left);
    CHECK(!pthread_once(&left, leaves) && tries == 2);
    return 0;
}
