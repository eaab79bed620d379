/* Says first which features it wants of the C library, by -D, and gets no others: its own function
 * of such a name must not clash. */
#ifdef FEATURE_GNU
# define _GNU_SOURCE
#elif defined FEATURE_POSIX
# define _POSIX_C_SOURCE 200112L
#elif defined FEATURE_XOPEN
# define _XOPEN_SOURCE 700
#endif
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef FEATURE_GNU
int strchrnul(void);
int strchrnul(void) { return 7; }
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void unlock(void *p) { pthread_mutex_unlock(p); }

static void *gives(void *p) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_cleanup_pop(1);
    return p;
}

struct with_names { /* members of these names are the program's own */
    int time, sleep, exit;
};

int main(void) {
    struct with_names own = {1, 2, 3};
    struct timespec at = {0, 0};
    pthread_t t;
    int error = pthread_create(&t, NULL, gives, NULL);
    if (error) exit(EXIT_FAILURE);
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    assert(own.time + own.sleep == own.exit);
    assert(!nanosleep(&at, NULL) && time(NULL) > 0);
#ifndef FEATURE_GNU
    assert(strchrnul() == 7);
#endif
}
