/* The library of foreign.c. */
#include <pthread.h>

int run_elsewhere(void *(*f)(void *), void *arg);

int run_elsewhere(void *(*f)(void *), void *arg) {
    pthread_t t;
    int error = pthread_create(&t, NULL, f, arg);
    return error ? error : pthread_join(t, NULL);
}
