/* Annotated functions and, with PLAIN, the same ones written by hand: under RF_OFF both compile to
 * the same instructions. */
#include "racefuzz.h"
#include <stdatomic.h>

#ifdef PLAIN
# define LOAD(x)          (x)
# define STORE(x, v)      ((x) = (v))
# define LOCK(m)          pthread_mutex_lock(m)
# define UNLOCK(m)        pthread_mutex_unlock(m)
# define ADD(p, n)        atomic_fetch_add(p, n)
# define GET(p)           atomic_load_explicit(p, memory_order_acquire)
# define PUT(p, v)        atomic_store_explicit(p, v, memory_order_release)
# define CAS(p, e, d)     atomic_compare_exchange_weak(p, e, d)
# define TAS(p)           atomic_flag_test_and_set(p)
# define INVARIANT(fn, p) ((void)fn)
# define FUNC             ((void)0)
# define LOG(text)        ((void)0)
# define OWN              counter
typedef pthread_mutex_t mutex_type;
typedef atomic_flag flag_type;
static __thread long counter;
#else
# define LOAD(x)          RF_LOAD(x)
# define STORE(x, v)      RF_STORE(x, v)
# define LOCK(m)          RF_LOCK(m)
# define UNLOCK(m)        RF_UNLOCK(m)
# define ADD(p, n)        rf_atomic_fetch_add(p, n)
# define GET(p)           rf_atomic_load_explicit(p, rf_memory_order_acquire)
# define PUT(p, v)        rf_atomic_store_explicit(p, v, rf_memory_order_release)
# define CAS(p, e, d)     rf_atomic_compare_exchange_weak(p, e, d)
# define TAS(p)           rf_atomic_flag_test_and_set(p)
# define INVARIANT(fn, p) RF_INVARIANT(fn, p)
# define FUNC             RF_FUNC
# define LOG(text)        RF_LOG(text)
# define OWN              (*RF_TLS_PTR(counter))
typedef rf_mutex mutex_type;
typedef rf_atomic_flag flag_type;
RF_TLS(long, counter);
#endif

struct point {
    double x, y;
    int tag[5];
};
struct node {
    struct node *next;
    int value;
};

static bool sane(void *arg) { return arg != NULL; }

int sum(int *p, int *q) {
    STORE(*p, LOAD(*p) + LOAD(*q));
    STORE(*q, LOAD(*p) * 3);
    return LOAD(*p) + LOAD(*q);
}

void copy(struct point *to, const struct point *from) { STORE(*to, LOAD(*from)); }

int spin(volatile int *flag) {
    int n = 0;
    while (!LOAD(*flag)) n++;
    STORE(*flag, 0);
    return n;
}

int walk(struct node *head) {
    int n = 0;
    FUNC;
    INVARIANT(sane, head);
    for (struct node *p = LOAD(head->next); p; p = LOAD(p->next)) n += LOAD(p->value);
    LOG("walked");
    return n;
}

int transfer(mutex_type *m, int *from, int *to, int amount) {
    LOCK(m);
    if (LOAD(*from) < amount) {
        UNLOCK(m);
        return -1;
    }
    STORE(*from, LOAD(*from) - amount);
    STORE(*to, LOAD(*to) + amount);
    UNLOCK(m);
    return 0;
}

#ifdef PLAIN
int guarded(mutex_type *m, int *p) {
    int v = -1;
    pthread_mutex_lock(m);
    if (!*p) goto out;
    *p = *p + 1;
    v = *p;
out:
    pthread_mutex_unlock(m);
    return v;
}
#else
int guarded(mutex_type *m, int *p) {
    int v = -1;
    RF_GUARD(m) {
        if (!RF_LOAD(*p)) break;
        RF_STORE(*p, RF_LOAD(*p) + 1);
        v = RF_LOAD(*p);
    }
    return v;
}
#endif

int count(_Atomic int *p, _Atomic long *q, flag_type *f) {
    int old = ADD(p, 3);
    PUT(q, old);
    while (!CAS(p, &old, old * 2)) {}
    return TAS(f) ? old : (int)GET(q);
}

long own(long n) { return OWN += n; }
