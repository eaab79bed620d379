/* A thread that is there before main, and is joined when main has returned. */
#include <pthread.h>
#include <stdlib.h>

static pthread_t early;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, done, over;

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    if (!pthread_equal(pthread_self(), early)) abort();
    while (jobs || !over) {
        if (jobs) {
            jobs--;
            done++;
            pthread_cond_broadcast(&changed);
        } else {
            pthread_cond_wait(&changed, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

__attribute__((constructor)) static void begin(void) {
    pthread_mutex_lock(&lock);
    if (pthread_create(&early, NULL, work, &jobs)) abort();
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void end(void) {
    void *result;
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (pthread_join(early, &result) || result != &jobs || done != 2) abort();
}

int main(void) {
    pthread_mutex_lock(&lock);
    jobs = 2;
    pthread_cond_broadcast(&changed);
    while (done != 2) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
