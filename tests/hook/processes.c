/* A child of fork and its parent meet in memory that both see, in the way that is named; or have
 * such memory and do not meet there. */
#include "check.h"
#include <sys/shm.h>

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    sem_t sem;
    atomic_int flag;
    int count;
} * s;

static sem_t *named;
static const char *way;
static int own_count;

static void counts(void) {
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&s->mutex);
        s->count++;
        pthread_mutex_unlock(&s->mutex);
    }
}

static void locks(void) {
    for (int i = 0; i < 20; i++) {
        pthread_rwlock_wrlock(&s->rwlock);
        pthread_spin_lock(&s->spin);
        s->count++;
        pthread_spin_unlock(&s->spin);
        pthread_rwlock_unlock(&s->rwlock);
    }
}

static void sets(void) {
    pthread_mutex_lock(&s->mutex);
    s->count = 40;
    pthread_cond_signal(&s->cond);
    pthread_mutex_unlock(&s->mutex);
}

static void waits(void) {
    pthread_mutex_lock(&s->mutex);
    while (s->count != 40) pthread_cond_wait(&s->cond, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
}

static void posts(void) {
    s->count = 40;
    sem_post(&s->sem);
}

static void takes(void) { CHECK(!sem_wait(&s->sem)); }

/* These share nothing else. */
static void posts_named(void) { sem_post(named); }

static void takes_named(void) {
    s->count = 40;
    CHECK(!sem_wait(named));
}

static void meets(void) { pthread_barrier_wait(&s->barrier); }

static void writes_and_meets(void) {
    s->count = 40;
    meets();
}

static void raises(void) {
    s->count = 40;
    atomic_store(&s->flag, 1);
    syscall(SYS_futex, &s->flag, FUTEX_WAKE, 1);
}

static void spins(void) {
    while (!atomic_load(&s->flag)) sched_yield();
}

static void sleeps(void) {
    while (!atomic_load(&s->flag)) syscall(SYS_futex, &s->flag, FUTEX_WAIT, 0, NULL);
}

static void writes(void) { s->count = 40; }

static void executes(void) {
    s->count = 40;
    execlp("true", "true", (char *)NULL);
}

static void nothing(void) {}

static void returns(void) { s->count = 40; }

static void aborts(void) {
    s->count = 40;
    abort();
}

/* Its own lock, in memory of which it has a copy. */
static void counts_alone(void) {
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    s->count = 40;
    pthread_mutex_unlock(&own);
}

/* In one of two executions they do not meet. */
static void sometimes(void) { (random() % 2 ? writes : sets)(); }

THREAD(adds) {
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    int n = own_count;
    pthread_mutex_unlock(&own);
    pthread_mutex_lock(&own);
    own_count = n + 1;
    pthread_mutex_unlock(&own);
}

static void loses(void) {
    pthread_t t;
    CHECK(waitpid(-1, NULL, 0) > 0);
    pthread_create(&t, NULL, adds, NULL);
    adds(NULL);
    pthread_join(t, NULL);
    CHECK(own_count == 2);
}

static const struct row {
    const char *way;
    void (*child)(void), (*parent)(void);
} table[] = {{"mutex", counts, counts},           {"locks", locks, locks},
             {"condition", sets, waits},          {"semaphore", posts, takes},
             {"named", posts_named, takes_named}, {"barrier", writes_and_meets, meets},
             {"atomic", raises, spins},           {"futex", raises, sleeps},
             {"segment", counts, counts},         {"plain", writes, nothing},
             {"exec", executes, nothing},         {"alone", counts_alone, nothing},
             {"sometimes", sometimes, nothing},   {"loses", writes, loses},
             {"returns", returns, nothing},       {"aborts", aborts, nothing}};

static void *segment(void) {
    int id = shmget(IPC_PRIVATE, sizeof *s, 0600);
    CHECK(id >= 0);
    void *p = shmat(id, NULL, 0);
    CHECK(!shmctl(id, IPC_RMID, NULL));
    return p;
}

static void make(void) {
    pthread_mutexattr_t m;
    pthread_condattr_t c;
    pthread_rwlockattr_t l;
    pthread_barrierattr_t b;
    int flags = MAP_ANONYMOUS | (strcmp(way, "named") != 0 ? MAP_SHARED : MAP_PRIVATE);
    s = strcmp(way, "segment") != 0 ? mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, flags, -1, 0)
                                    : segment();
    CHECK((void *)s != MAP_FAILED);
    pthread_mutexattr_init(&m), pthread_condattr_init(&c);
    pthread_rwlockattr_init(&l), pthread_barrierattr_init(&b);
    CHECK(!pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_rwlockattr_setpshared(&l, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_mutex_init(&s->mutex, &m) && !pthread_cond_init(&s->cond, &c));
    CHECK(!pthread_rwlock_init(&s->rwlock, &l) && !pthread_barrier_init(&s->barrier, &b, 2));
    CHECK(!pthread_spin_init(&s->spin, PTHREAD_PROCESS_SHARED) && !sem_init(&s->sem, 1, 0));
    named = sem_open("/processes_of_racefuzz", O_CREAT, 0600, 0);
    CHECK(named != SEM_FAILED && !sem_unlink("/processes_of_racefuzz"));
}

int main(int argc, char **argv) {
    const struct row *r = table;
    way = argc > 1 ? argv[1] : "mutex";
    while (strcmp(r->way, way) != 0) r++;
    make();
    pid_t child = fork();
    if (!child) {
        r->child();
        if (r->child == returns) return 7;
        _exit(0);
    }
    r->parent();
    int status = 0;
    if (r->parent != loses) CHECK(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) status = WTERMSIG(status); /* with a core or without */
    CHECK(status == (r->child == returns ? 7 << 8 : r->child == aborts ? SIGABRT : 0));
    CHECK(s->count == 40);
    return 0;
}
