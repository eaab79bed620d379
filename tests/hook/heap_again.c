/* BUG: ABA.  One thread takes the same address for the same object, while another one has freed
 * that and was given the memory again. */
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *top, version;

THREAD(compares) {
    pthread_mutex_lock(&lock);
    int *old = top, was = version;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(old != top || was == version);
    pthread_mutex_unlock(&lock);
}

THREAD(replaces) {
    pthread_mutex_lock(&lock);
    free(top);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    top = malloc(sizeof *top);
    version++;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    top = malloc(sizeof *top);
    run_two(compares, NULL, replaces, NULL);
    free(top);
    return 0;
}
