/* Tests in which a thread makes or ends an object that another one uses, and nothing orders the
 * two; tests/making.sh runs them. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"

static rf_mutex m;
static rf_rwlock l;
static rf_spin p;
static rf_sem s;
static rf_cond c;
static rf_barrier b;
static rf_once o;
static rf_mutex gate = RF_MUTEX_INIT;
static rf_atomic_int ready;
static int made, other;

static void nothing(void) {}

static void try_mutex(void) {
    if (RF_TRYLOCK(&m)) RF_UNLOCK(&m);
}

static void lock_mutex(void) {
    RF_LOCK(&m);
    RF_UNLOCK(&m);
}

/* NAME: the use is the first thing that the thread does; NAME_late: it comes after others. */
#define BESIDE(name, use, change)              \
 static void *use_##name(void *arg) {          \
  if (arg) {                                   \
   RF_STORE(other, 1);                         \
   rf_atomic_store(&ready, 1);                 \
  }                                            \
  use;                                         \
  return NULL;                                 \
 }                                             \
 RF_TEST(name) {                               \
  rf_thread t = RF_THREAD(use_##name, NULL);   \
  change;                                      \
  RF_JOIN(t);                                  \
 }                                             \
 RF_TEST(name##_late) {                        \
  rf_thread t = RF_THREAD(use_##name, &other); \
  change;                                      \
  RF_JOIN(t);                                  \
 }

BESIDE(make_mutex, lock_mutex(), rf_mutex_init(&m, "m", RF_MUTEX_NORMAL))
BESIDE(make_tried, try_mutex(), rf_mutex_init(&m, "m", RF_MUTEX_NORMAL))
BESIDE(make_rwlock, RF_RDLOCK(&l); RF_RWUNLOCK(&l), rf_rwlock_init(&l, "l"))
BESIDE(make_spin, RF_SPIN_LOCK(&p); RF_SPIN_UNLOCK(&p), rf_spin_init(&p, "p"))
BESIDE(make_sem, RF_SEM_POST(&s), rf_sem_init(&s, "s", 0))
BESIDE(make_cond, RF_SIGNAL(&c), rf_cond_init(&c, "c"))
BESIDE(make_barrier, (void)RF_BARRIER_WAIT(&b), rf_barrier_init(&b, "b", 1))
BESIDE(make_once, RF_ONCE(&o, nothing), rf_once_init(&o, "o"))
BESIDE(end_mutex, lock_mutex(), rf_mutex_destroy(&m))
BESIDE(end_tried, try_mutex(), rf_mutex_destroy(&m))
BESIDE(end_rwlock, RF_WRLOCK(&l); RF_RWUNLOCK(&l), rf_rwlock_destroy(&l))
BESIDE(end_spin, RF_SPIN_LOCK(&p); RF_SPIN_UNLOCK(&p), rf_spin_destroy(&p))
BESIDE(end_sem, RF_SEM_POST(&s), rf_sem_destroy(&s))
BESIDE(end_cond, RF_BROADCAST(&c), rf_cond_destroy(&c))
BESIDE(end_once, RF_ONCE(&o, nothing), rf_once_destroy(&o))

static void *lock_it(void *arg) {
    lock_mutex();
    return arg;
}

static void *lock_if_ready(void *arg) {
    if (rf_atomic_load_explicit(&ready, rf_memory_order_acquire)) lock_mutex();
    return arg;
}

static void *lock_if_made(void *arg) {
    RF_LOCK(&gate);
    if (RF_LOAD(made)) lock_mutex();
    RF_UNLOCK(&gate);
    return arg;
}

RF_TEST(right_before_the_thread) {
    rf_mutex_init(&m, "m", RF_MUTEX_NORMAL);
    RF_JOIN(RF_THREAD(lock_it, NULL));
    rf_mutex_destroy(&m);
}

RF_TEST(right_by_release_and_acquire) {
    rf_atomic_store(&ready, 0);
    rf_thread t = RF_THREAD(lock_if_ready, NULL);
    rf_mutex_init(&m, "m", RF_MUTEX_NORMAL);
    rf_atomic_store_explicit(&ready, 1, rf_memory_order_release);
    RF_JOIN(t);
    rf_mutex_destroy(&m);
}

RF_TEST(right_under_a_lock) {
    RF_STORE(made, 0);
    rf_thread t = RF_THREAD(lock_if_made, NULL);
    RF_LOCK(&gate);
    rf_mutex_init(&m, "m", RF_MUTEX_NORMAL);
    RF_STORE(made, 1);
    RF_UNLOCK(&gate);
    RF_JOIN(t);
}

RF_TEST(right_by_a_static_initialiser) {
    RF_STORE(made, 0);
    rf_thread t = RF_THREAD(lock_if_made, NULL);
    RF_LOCK(&gate);
    RF_UNLOCK(&gate);
    RF_JOIN(t);
}

RF_MAIN()
