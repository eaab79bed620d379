/* musl's semaphore: it has one, two give one each, and three take one. */
#include "pthread_impl.h"

static musl_sem sem = {{1, 0, 0, 0}};

static void *takes(void *arg) {
    sem_timedwait(&sem, NULL);
    return arg;
}

static void *gives(void *arg) {
    sem_post(&sem);
    return arg;
}

int main(void) {
    pthread_t t[5];
    for (int i = 0; i < 5; i++) pthread_create(&t[i], NULL, i < 2 ? gives : takes, NULL);
    for (int i = 0; i < 5; i++) pthread_join(t[i], NULL);
    return sem.__val[0] > 0; /* -1: none, and somebody may wait */
}
