/* A result on the stack of who asks for it. */
#include <pthread.h>
#include <time.h>

static void *asks(void *arg) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, asks, NULL);
    asks(NULL);
    pthread_join(t, NULL);
    return 0;
}
