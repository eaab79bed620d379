/* Wrong in one order of what its threads do, and every order is one that a machine has.  The first
 * argument says what they do. */
#include "check.h"

static sem_t s;
static pthread_t first, second;
static int value, met;
static const char *busy; /* do something before */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void early(void) {
    if (!busy) return;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *nothing(void *p) { return p; }

THREAD(post) {
    early();
    sem_post(&s);
}

THREAD(getvalue) {
    int v;
    early();
    sem_getvalue(&s, &v);
    assert(v != value);
}

THREAD(sleeps) {
    early();
    usleep(5000);
}

THREAD(looks_at_clock) {
    struct timespec t;
    early();
    clock_gettime(CLOCK_MONOTONIC, &t);
    assert((t.tv_nsec != 0) != value);
}

THREAD(sets_name) {
    early();
    pthread_setname_np(pthread_self(), "somebody");
}

THREAD(gets_name) {
    char name[16];
    early();
    pthread_getname_np(first, name, sizeof name);
    assert(!strcmp(name, "somebody") != value);
}

static pthread_rwlock_t shared;

THREAD(reads_twice) {
    for (int i = 0; i < 2; i++) pthread_rwlock_rdlock(&shared);
    for (int i = 0; i < 2; i++) pthread_rwlock_unlock(&shared);
}

THREAD(writes_once) {
    pthread_rwlock_wrlock(&shared);
    pthread_rwlock_unlock(&shared);
}

THREAD(gives_up) {
    struct timespec soon = {1, 0};
    if (!pthread_rwlock_timedwrlock(&shared, &soon)) pthread_rwlock_unlock(&shared);
}

static pthread_key_t a, b;

THREAD(makes_a) {
    early();
    pthread_key_create(&a, NULL);
}

THREAD(makes_b) {
    early();
    pthread_key_create(&b, NULL);
}

static void *unwatched(void *p) {
    met = met * 10 + (p ? 2 : 1);
    return p;
}

static void *chance(void *p) {
    *(int *)p = rand();
    return p;
}

THREAD(tests_cancel) {
    early();
    pthread_testcancel();
    met = 1;
}

static void *at_any_moment(void *p) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    return tests_cancel(p);
}

static int handled;
static void handler(int n) { handled = n; }

static void no_handler(int n) { (void)n; }

THREAD(raises) {
    early();
    raise(SIGUSR1);
}

THREAD(is_signalled) {
    early();
    sched_yield();
    met = handled ? 2 : 1;
}

static void *allocates(void *p) { return (void)p, malloc(16); }

static atomic_int ready;

THREAD(makes_ready) {
    for (int i = 0; i < value; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    atomic_store(&ready, 1);
}

THREAD(is_not_ready) { assert(!atomic_load(&ready)); }

/* Has it become ready after so many looks? */
static bool becomes_ready(int looks) {
    for (int i = 0; i < looks; i++) {
        if (atomic_load(&ready)) return true;
        usleep(1000);
    }
    return false;
}

static pthread_t made[2];
static void *makes_thread(void *p) {
    early();
    pthread_create(p, NULL, nothing, NULL);
    pthread_join(*(pthread_t *)p, NULL);
    return p;
}

/* Two threads, both created before both are joined. */
static void both(void *(*one)(void *), void *p, void *(*other)(void *), void *q) {
    pthread_create(&first, NULL, one, p);
    pthread_create(&second, NULL, other, q);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

int main(int argc, char **argv) {
    const char *what = argv[1];
    value = atoi(argv[2]);
    if (argc > 3) busy = argv[3];
    sem_init(&s, 0, 0);
    if (!strcmp(what, "getvalue")) both(post, NULL, getvalue, NULL);
    if (!strcmp(what, "clock")) both(sleeps, NULL, looks_at_clock, NULL);
    if (!strcmp(what, "name")) both(sets_name, NULL, gets_name, NULL);
    if (!strcmp(what, "keys")) {
        both(makes_a, NULL, makes_b, NULL);
        assert((a > b) != value);
    }
    if (!strcmp(what, "unwatched")) {
        both(unwatched, NULL, unwatched, &s);
        assert(met != value);
    }
    if (!strcmp(what, "behind")) { /* what is done behind the creation */
        pthread_create(&first, NULL, unwatched, NULL);
        met = met * 10 + 2;
        pthread_join(first, NULL);
        assert(met != value);
    }
    if (!strcmp(what, "rand")) {
        int x, y;
        srand(1);
        both(chance, &x, chance, &y);
        assert((x > y) != value);
    }
    if (!strcmp(what, "heap")) {
        void *x, *y;
        pthread_create(&first, NULL, allocates, NULL);
        pthread_create(&second, NULL, allocates, &s);
        pthread_join(first, &x);
        pthread_join(second, &y);
        assert((x > y) != value);
    }
    if (!strcmp(what, "tryjoin")) {
        pthread_create(&first, NULL, nothing, NULL);
        early();
        int still = pthread_tryjoin_np(first, NULL);
        assert((still != 0) != value);
        if (still) pthread_join(first, NULL);
    }
    if (!strcmp(what, "ids")) { /* which of the two makes a thread first */
        both(makes_thread, &made[0], makes_thread, &made[1]);
        assert((made[0] > made[1]) != value);
    }
    if (!strcmp(what, "testcancel") || !strcmp(what, "anytime")) {
        void *result;
        pthread_create(&first, NULL, *what == 'a' ? at_any_moment : tests_cancel, NULL);
        early();
        pthread_cancel(first);
        pthread_join(first, &result);
        assert((result == PTHREAD_CANCELED) != value);
    }
    if (!strcmp(what, "patience")) {
        pthread_create(&first, NULL, makes_ready, NULL);
        assert(becomes_ready(10));
        pthread_join(first, NULL);
    }
#ifdef __GLIBC__
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, value);
    pthread_rwlock_init(&shared, &kind);
    if (!strcmp(what, "writes")) both(reads_twice, NULL, writes_once, NULL);
    if (!strcmp(what, "gives_up")) both(reads_twice, NULL, gives_up, NULL);
#endif
    if (!strcmp(what, "prefix")) both(makes_ready, NULL, is_not_ready, NULL);
    if (!strcmp(what, "behind_prefix")) both(is_not_ready, NULL, makes_ready, NULL);
    if (!strcmp(what, "polls")) {
        struct timespec from, now;
        pthread_create(&first, NULL, post, NULL);
        clock_gettime(CLOCK_MONOTONIC, &from);
        do {
            early();
            poll(NULL, 0, 0);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.tv_sec == from.tv_sec && now.tv_nsec - from.tv_nsec < 50000000);
        pthread_join(first, NULL);
    }
    if (!strcmp(what, "handler")) { /* of the two, which has the signal */
        signal(SIGUSR1, no_handler);
        pthread_create(&first, NULL, raises, NULL);
        early();
        signal(SIGUSR1, handler);
        pthread_join(first, NULL);
        assert((handled ? 1 : 2) != value);
    }
    if (!strcmp(what, "kill")) {
        signal(SIGUSR1, handler);
        pthread_create(&first, NULL, is_signalled, NULL);
        early();
        pthread_kill(first, SIGUSR1);
        pthread_join(first, NULL);
        assert(met != value);
    }
    return 0;
}
