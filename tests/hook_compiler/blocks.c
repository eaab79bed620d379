/* The StringBuffer of the Java library: append() asks the other buffer twice, with a lock of its
 * own or without.  The argument says how, or what is right about it. */
#include "tests/hook/check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int length = 5, copied;
static const char *way = "twice";

static int is(const char *name) { return !strcmp(way, name); }

static void take(void) { pthread_mutex_lock(&lock); }

static void give(void) { pthread_mutex_unlock(&lock); }

/* It takes the lock, or has it taken. */
static void append(void) {
    if (is("helped")) {
        take();
        int n = length;
        give();
        take();
        assert(n <= length);
        give();
        return;
    }
    if (is("own")) pthread_mutex_lock(&own);
    pthread_mutex_lock(&lock);
    int n = length;
    if (is("waits")) {
        while (!copied) pthread_cond_wait(&filled, &lock);
        n = length;
    } else if (is("twice") || is("own")) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    assert(n <= length);
    pthread_mutex_unlock(&lock);
    if (is("own")) pthread_mutex_unlock(&own);
}

static void cut(void) {
    pthread_mutex_lock(&lock);
    length = 0;
    copied = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

/* What a thread does is no block, though it locks. */
static void *appends(void *arg) {
    if (!is("thread")) {
        append();
        return arg;
    }
    pthread_mutex_lock(&lock);
    copied = length;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    copied = length;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *cuts(void *arg) {
    cut();
    return arg;
}

int main(int argc, char **argv) {
    if (argc > 1) way = argv[1];
    run_two(appends, NULL, cuts, NULL);
    return 0;
}
