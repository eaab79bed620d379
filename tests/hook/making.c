/* Makes what a thread uses, before or after it has begun: tests/making.sh. */
#include "check.h"

static pthread_mutex_t m;
static pthread_rwlock_t l;
static pthread_cond_t c;
static pthread_barrier_t b;
static pthread_spinlock_t p;
static sem_t s;
static int *block;
static int flag;
static const char *what;

static int is(const char *word) { return !strcmp(what, word); }

THREAD(uses) {
    if (is("sem")) sem_post(&s);
    if (is("rwlock")) pthread_rwlock_rdlock(&l), pthread_rwlock_unlock(&l);
    if (is("cond")) pthread_cond_broadcast(&c);
    if (is("barrier")) pthread_barrier_wait(&b);
    if (is("spin") || is("spin_right")) pthread_spin_lock(&p), pthread_spin_unlock(&p);
    if (is("mutex") || is("right") || is("destroy"))
        pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
    if (is("block") || is("block_right")) {
        int order = is("block") ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE;
        int *at = order == __ATOMIC_RELAXED ? __atomic_load_n(&block, __ATOMIC_RELAXED)
                                            : __atomic_load_n(&block, __ATOMIC_ACQUIRE);
        if (at) at[3] = 1;
    }
    if (is("unseen") && __atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
}

int main(int argc, char **argv) {
    pthread_t t;
    what = argc > 1 ? argv[1] : "right";
    if (is("right")) pthread_mutex_init(&m, NULL);
    if (is("spin_right")) pthread_spin_init(&p, 0);
    pthread_create(&t, NULL, uses, NULL);
    if (is("mutex") || is("unseen")) pthread_mutex_init(&m, NULL);
    if (is("sem")) sem_init(&s, 0, 0);
    if (is("rwlock")) pthread_rwlock_init(&l, NULL);
    if (is("cond")) pthread_cond_init(&c, NULL);
    if (is("barrier")) pthread_barrier_init(&b, NULL, 1);
    if (is("spin")) pthread_spin_init(&p, 0);
    if (is("destroy")) pthread_mutex_destroy(&m);
    if (is("unseen")) __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    if (is("block")) __atomic_store_n(&block, malloc(64), __ATOMIC_RELAXED);
    if (is("block_right")) __atomic_store_n(&block, malloc(64), __ATOMIC_RELEASE);
    pthread_join(t, NULL);
    free(block);
    if (is("right")) pthread_mutex_destroy(&m);
    if (is("spin_right")) pthread_spin_destroy(&p);
    return 0;
}
