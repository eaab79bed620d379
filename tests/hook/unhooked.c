/* Is compiled without hooks: its mutex is a real one. */
#include <pthread.h>

static pthread_mutex_t real = PTHREAD_MUTEX_INITIALIZER;
int taken;

int unhooked_lock(void);
int unhooked_lock(void) {
    int error = pthread_mutex_lock(&real); /* and nobody unlocks it */
    taken++;
    return error;
}
