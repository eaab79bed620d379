/* Signals without a handler that a thread waits for: all threads block them, those that began
 * before do not ("late"), or it is sent to one that does ("own"). */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t hangup;

static void *works(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *waits(void *arg) {
    int n;
    assert(!sigwait(&hangup, &n) && n == SIGHUP);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t worker, waiter;
    const char *way = argc > 1 ? argv[1] : "";
    int late = !strcmp(way, "late"), own = !strcmp(way, "own");
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    if (late || own) pthread_create(&worker, NULL, works, NULL);
    pthread_sigmask(SIG_BLOCK, &hangup, NULL);
    if (!late && !own) pthread_create(&worker, NULL, works, NULL);
    pthread_create(&waiter, NULL, waits, NULL);
    assert(!(own ? pthread_kill(waiter, SIGHUP) : kill(getpid(), SIGHUP)));
    pthread_join(worker, NULL);
    pthread_join(waiter, NULL);
    return 0;
}
