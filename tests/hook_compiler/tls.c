/* Threads count in objects of their own, one after the other or not; "passed": in those of others,
 * too. */
#include "tests/hook/check.h"

enum { MOST = 300 };

static _Thread_local int counter = 5;
static _Thread_local char line[200];
static int *given;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg) {
    if (counter != 5 || line[0]) abort();
    counter++;
    memset(line, 1, sizeof line);
    return arg;
}

static int *give(int *own) {
    pthread_mutex_lock(&lock);
    int *other = given;
    if (!other) given = own;
    pthread_mutex_unlock(&lock);
    return other ? other : own;
}

static void *pass(void *arg) {
    ++*give(&counter);
    counter++;
    return arg;
}

int main(int argc, char **argv) {
    static pthread_t t[MOST];
    int passed = argc > 1 && !strcmp(argv[1], "passed");
    int n = passed || argc < 2 ? 2 : atoi(argv[1]);
    for (int i = 0; i < n; i++) {
        pthread_create(&t[i], NULL, passed ? pass : count, NULL);
        for (int yields = i > 250 ? 20 : 0; yields; yields--) sched_yield(); /* some have ended */
    }
    counter++;
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
    return counter != 6;
}
