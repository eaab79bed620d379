/* Main leaves, by the way that its first argument names, while another thread does what the second
 * one says; the others are more about it. */
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int rounds = 1, closed;

static void use(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *fails(void *unused) {
    for (int i = 0; i < rounds; i++) use();
    assert(unused);
    return unused;
}

/* What a handler, or a destructor, has closed must not be used. */
THREAD(uses) {
    pthread_mutex_lock(&lock);
    assert(!closed);
    pthread_mutex_unlock(&lock);
}

THREAD(ends) { use(); }

THREAD(leaves) {
    use();
    _exit(4);
}

THREAD(waits) {
    pthread_mutex_lock(&lock);
    for (;;) pthread_cond_wait(&never, &lock);
}

THREAD(works) {
    for (;;) use();
}

THREAD(polls) {
    for (;;) usleep(1000);
}

THREAD(serves) {
    for (;;) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_sec++;
        pthread_mutex_lock(&lock);
        pthread_cond_timedwait(&never, &lock, &t);
        pthread_mutex_unlock(&lock);
    }
}

static void closes(void) {
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_mutex_unlock(&lock);
}

#ifdef DESTRUCTOR
__attribute__((destructor)) static void destructor(void) { closes(); }
#endif

static void *(*job_named(const char *name))(void *) {
    static const struct {
        const char *name;
        void *(*job)(void *);
    } jobs[] = {{"fails", fails}, {"uses", uses},   {"ends", ends},   {"leaves", leaves},
                {"waits", waits}, {"works", works}, {"polls", polls}, {"serves", serves}};
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (!strcmp(name, jobs[i].name)) return jobs[i].job;
    abort();
}

int main(int argc, char **argv) {
    pthread_t t;
    const char *way = argv[1];
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "long")) rounds = 2000;
        if (!strcmp(argv[i], "handler")) atexit(closes);
        if (!strcmp(argv[i], "quick_handler")) at_quick_exit(closes);
    }
    pthread_create(&t, NULL, job_named(argv[2]), NULL);
    if (argc > 3 && !strcmp(argv[3], "detached")) pthread_detach(t);
    if (!strcmp(way, "exit")) exit(0);
    if (!strcmp(way, "_exit")) _exit(0);
    if (!strcmp(way, "_Exit")) _Exit(0);
    if (!strcmp(way, "quick_exit")) quick_exit(0);
    if (!strcmp(way, "pthread_exit")) pthread_exit(NULL);
    return strcmp(way, "three") ? 0 : 3;
}
