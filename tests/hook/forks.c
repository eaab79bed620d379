/* A child that is forked has one thread; it calls what it likes, and exec; the parent waits. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pid_t first;

static void *counts(void *unused) {
    for (int i = 0; i < 3; i++) {
        if (getpid() != first) _exit(9); /* a thread that is not there */
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static int ends_with(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
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
    return 0;
}
