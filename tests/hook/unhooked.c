/* Is compiled without hooks: its mutex is a real one. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t real = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
int taken;

int unhooked_lock(void) {
    int error = pthread_mutex_lock(&real); /* and nobody unlocks it */
    taken++;
    return error;
}

void unhooked_cond(void) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    pthread_cond_wait(&condition, &own);
}

int unhooked_sem(void) { return sem_wait(&semaphore) + taken; }

int unhooked_barrier(void) {
    pthread_barrier_init(&barrier, NULL, 2);
    return pthread_barrier_wait(&barrier) + taken;
}

static void handles(int signal) { (void)signal; }

void unhooked_handles(void) { signal(SIGALRM, handles); }

static void *waits(void *unused) {
    unhooked_sem();
    return unused;
}

int unhooked_join(void) {
    pthread_t t;
    pthread_create(&t, NULL, waits, NULL);
    return pthread_join(t, NULL) + taken;
}
