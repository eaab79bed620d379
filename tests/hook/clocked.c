/* Deadlines by a clock that is named: what is held times out, what is free is taken. */
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;

static void *other(void *arg) {
    struct timespec soon;
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_sec += 1;
    if (pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon) != ETIMEDOUT) return arg;
    if (pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &soon)) return arg;
    pthread_rwlock_unlock(&lock);
    if (sem_clockwait(&sem, CLOCK_MONOTONIC, &soon) != -1 || errno != ETIMEDOUT) return arg;
    sem_post(&sem);
    return sem_clockwait(&sem, CLOCK_MONOTONIC, &soon) ? arg : NULL;
}

int main(void) {
    pthread_t t;
    void *result;
    sem_init(&sem, 0, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, NULL, other, &sem);
    pthread_join(t, &result);
    pthread_rwlock_unlock(&lock);
    return result != NULL;
}
