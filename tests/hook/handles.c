/* BUG: a handle is kept when its thread has ended, and another thread gets it. */
#include "check.h"

static pthread_t handle[4];
static long task[4];
static int ended;

static void *tells(void *which) {
    int i = *(int *)which;
    handle[i] = pthread_self();
    task[i] = syscall(SYS_gettid);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
    return which;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

THREAD(waits) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

/* One thread creates another one before the handle of a third one is free, and could do so later.
 */
static sem_t passes, goes, lets, gone;

static void *nothing(void *arg) { return arg; }

static void *lingers(void *arg) {
    sem_wait(&lets);
    return sem_post(&gone) ? NULL : arg;
}

THREAD(creates) {
    pthread_t t;
    sem_wait(&goes);
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
}

static void *posts(void *arg) { return sem_post(&passes) ? NULL : arg; }

static int beside(const char *how) {
    pthread_t t[3];
    bool detached = !strcmp(how, "detached");
    pthread_create(&t[0], NULL, detached ? lingers : nothing, NULL);
    if (detached) pthread_detach(t[0]);
    pthread_create(&t[1], NULL, creates, NULL);
    pthread_create(&t[2], NULL, posts, NULL);
    sem_post(&goes);
    sem_wait(&passes);
    if (detached) sem_post(&lets), sem_wait(&gone);
    if (!strcmp(how, "joined")) pthread_join(t[0], NULL);
    if (!strcmp(how, "detached late")) pthread_detach(t[0]);
    pthread_join(t[1], NULL);
    return pthread_join(t[2], NULL);
}

int main(int argc, char **argv) {
    static int number[4] = {0, 1, 2, 3};
    pthread_t t[4];
    const char *what = argc > 1 ? argv[1] : "handle";
    if (argc > 2) return beside(argv[2]);
    if (!strcmp(what, "alive")) { /* all at once: never the same */
        for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, tells, &number[i]);
        for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < i; k++) assert(!pthread_equal(t[i], t[k]));
        return 0;
    }
    if (!strcmp(what, "detached and alive")) {
        pthread_mutex_lock(&gate);
        pthread_create(&t[0], NULL, waits, NULL);
        pthread_detach(t[0]);
        pthread_create(&t[1], NULL, tells, &number[1]);
        assert(!pthread_equal(t[0], t[1]));
        pthread_mutex_unlock(&gate);
        pthread_join(t[1], NULL);
        return 0;
    }
    pthread_create(&t[0], NULL, tells, &number[0]);
    if (!strcmp(what, "detached")) {
        pthread_detach(t[0]);
        while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) sched_yield();
        sched_yield();
    } else {
        pthread_join(t[0], NULL);
    }
    pthread_create(&t[1], NULL, tells, &number[1]);
    pthread_join(t[1], NULL);
    if (!strcmp(what, "task"))
        assert(task[0] != task[1]);
    else
        assert(!pthread_equal(handle[0], handle[1]));
    assert(handle[1] == t[1]);
    return 0;
}
