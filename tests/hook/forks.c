/* A child that is forked has one thread; it calls what it likes, and exec; the parent waits. */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pid_t first;

THREAD(counts) {
    for (int i = 0; i < 3; i++) {
        if (getpid() != first) _exit(9); /* a thread that is not there */
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
}

static int ends_with(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- signals in a child: its own threads get them, not those that only its parent has ---- */

static sem_t over;
static volatile sig_atomic_t heard;
static pthread_t heard_in;

static void on_signal(int signal) {
    heard_in = pthread_self();
    heard = signal;
}

THREAD(stays) { CHECK(!sem_wait(&over)); }

static void *tells(void *whom) {
    CHECK(whom ? !pthread_kill(*(pthread_t *)whom, SIGHUP) : !kill(getpid(), SIGHUP));
    return NULL;
}

/* In the child; `by`: '1', another thread sends it to this one; 'a', to the process; 'p', the
 * parent does. */
static int hears(char by) {
    pthread_t me = pthread_self(), t = me;
    if (by != 'p') CHECK(!pthread_create(&t, NULL, tells, by == '1' ? &me : NULL));
    while (!heard) sleep(1);
    return pthread_equal(heard_in, me) || (by == 'a' && pthread_equal(heard_in, t)) ? 5 : 6;
}

static int child_hears(char by) {
    pid_t child = fork();
    if (!child) _exit(hears(by));
    if (by == 'p') CHECK(!kill(child, SIGHUP));
    return ends_with(child);
}

static void signals(void) {
    pthread_t t;
    struct sigaction a = {.sa_handler = on_signal};
    CHECK(!sem_init(&over, 0, 0) && !sigaction(SIGHUP, &a, NULL));
    CHECK(!pthread_create(&t, NULL, stays, NULL));
    for (const char *by = "1aaaap"; *by; by++) CHECK(child_hears(*by) == 5);
    CHECK(!sem_post(&over) && !pthread_join(t, NULL));
}

int main(void) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_t t;
    first = getpid();
    CHECK(!pthread_create(&t, NULL, counts, NULL));
    pid_t child = fork();
    if (!child) {
        for (int i = 0; i < 3; i++) {
            pthread_mutex_lock(&own);
            pthread_mutex_unlock(&own);
        }
        exit(7);
    }
    CHECK(ends_with(child) == 7);
    child = fork();
    if (!child) {
        execlp("true", "true", (char *)NULL);
        _exit(8);
    }
    CHECK(ends_with(child) == 0);
    CHECK(system("exit 3") == 3 << 8);
    CHECK(!pthread_join(t, NULL));
    signals();
    return 0;
}
