/* A thread is cancelled in all places where it may be; its handler gives the mutex back. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void clean(void *arg) {
    ++*(int *)arg;
    pthread_mutex_unlock(&mutex);
}

static void *waits(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, &cleaned);
    for (;;) pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return arg;
}

static void *tests(void *arg) {
    int before = -1;
    if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) || before != PTHREAD_CANCEL_ENABLE)
        exit(1);
    pthread_testcancel();
    pthread_mutex_lock(&mutex); /* was cancelled before it gets that */
    pthread_mutex_unlock(&mutex);
    pthread_testcancel();
    *(int *)arg = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    *(int *)arg = 2;
    return NULL;
}

int main(void) {
    pthread_t t;
    void *result = NULL;
    int far = 0;
    pthread_create(&t, NULL, waits, NULL);
    if (pthread_cancel(t) || pthread_join(t, &result)) return 2;
    if (result != PTHREAD_CANCELED || cleaned != 1) return 3;
    if (pthread_mutex_trylock(&mutex)) return 4;
    pthread_create(&t, NULL, tests, &far);
    if (pthread_cancel(t)) return 5;
    pthread_mutex_unlock(&mutex);
    if (pthread_join(t, &result)) return 6;
    return result != PTHREAD_CANCELED || far != 1 ? 7 : 0;
}
