/* Tests in which a thread makes or ends an object, or allocates a block, that another one uses, and
 * nothing orders the two; tests/making.sh runs them. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "tests/thread.h"

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
#define USED_BESIDE(name, use, change)         \
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

USED_BESIDE(make_mutex, lock_mutex(), rf_mutex_init(&m, "m", RF_MUTEX_NORMAL))
USED_BESIDE(make_tried, try_mutex(), rf_mutex_init(&m, "m", RF_MUTEX_NORMAL))
USED_BESIDE(make_rwlock, RF_RDLOCK(&l); RF_RWUNLOCK(&l), rf_rwlock_init(&l, "l"))
USED_BESIDE(make_spin, RF_SPIN_LOCK(&p); RF_SPIN_UNLOCK(&p), rf_spin_init(&p, "p"))
USED_BESIDE(make_sem, RF_SEM_POST(&s), rf_sem_init(&s, "s", 0))
USED_BESIDE(make_cond, RF_SIGNAL(&c), rf_cond_init(&c, "c"))
USED_BESIDE(make_barrier, (void)RF_BARRIER_WAIT(&b), rf_barrier_init(&b, "b", 1))
USED_BESIDE(make_once, RF_ONCE(&o, nothing), rf_once_init(&o, "o"))
USED_BESIDE(end_mutex, lock_mutex(), rf_mutex_destroy(&m))
USED_BESIDE(end_tried, try_mutex(), rf_mutex_destroy(&m))
USED_BESIDE(end_rwlock, RF_WRLOCK(&l); RF_RWUNLOCK(&l), rf_rwlock_destroy(&l))
USED_BESIDE(end_spin, RF_SPIN_LOCK(&p); RF_SPIN_UNLOCK(&p), rf_spin_destroy(&p))
USED_BESIDE(end_sem, RF_SEM_POST(&s), rf_sem_destroy(&s))
USED_BESIDE(end_cond, RF_BROADCAST(&c), rf_cond_destroy(&c))
USED_BESIDE(end_once, RF_ONCE(&o, nothing), rf_once_destroy(&o))

/* ---- blocks: the pointer is handed over, and what it points to is not ---- */

static int *_Atomic block;

THREAD(write_block) {
    int *p = rf_atomic_load_explicit(&block, rf_memory_order_relaxed);
    if (p) RF_STORE(p[5], 1);
}

THREAD(read_block) {
    int *p = rf_atomic_load_explicit(&block, rf_memory_order_acquire);
    if (p) (void)RF_LOAD(p[5]);
}

static void hand_over(int *p, void *(*fn)(void *), rf_memory_order order) {
    rf_atomic_init(&block, NULL);
    BESIDE(fn) rf_atomic_store_explicit(&block, p ? p : RF_CALLOC(8, sizeof *p), order);
    RF_FREE(rf_atomic_load(&block));
}

RF_TEST(make_block_to_write) { hand_over(NULL, write_block, rf_memory_order_relaxed); }
RF_TEST(make_block_to_read) { hand_over(NULL, read_block, rf_memory_order_relaxed); }
RF_TEST(right_block) { hand_over(NULL, read_block, rf_memory_order_release); }
RF_TEST(right_block_of_before) {
    hand_over(RF_CALLOC(8, sizeof(int)), write_block, rf_memory_order_relaxed);
}

/* Its earlier life, and who had it then, are over. */
THREAD(use_and_free) {
    for (int i = 0; i < 3; i++) {
        struct {
            rf_mutex own;
            int value;
        } *p = RF_MALLOC(sizeof *p);
        rf_mutex_init(&p->own, "own", RF_MUTEX_NORMAL);
        RF_LOCK(&p->own);
        RF_STORE(p->value, 1);
        RF_UNLOCK(&p->own);
        RF_FREE(p);
        RF_YIELD();
    }
}

RF_TEST(right_blocks_again) { run_two(use_and_free, use_and_free); }

/* An object on the stack of a thread, the next thread's after it. */
THREAD(object_on_stack) {
    rf_mutex own;
    rf_mutex_init(&own, "own", RF_MUTEX_NORMAL);
    RF_LOCK(&own);
    RF_UNLOCK(&own);
}

RF_TEST(right_on_stacks) {
    for (int i = 0; i < 3; i++) RF_DETACH(RF_THREAD(object_on_stack, NULL));
    RF_DETACH(RF_THREAD(object_on_stack, NULL));
}

/* The last user ends it; who released it before does not come back. */
static rf_mutex counted;
static int users;

THREAD(drop) {
    RF_LOCK(&counted);
    int left = RF_LOAD(users) - 1;
    RF_STORE(users, left);
    RF_UNLOCK(&counted);
    if (!left) rf_mutex_destroy(&counted);
}

RF_TEST(right_by_the_last_user) {
    rf_mutex_init(&counted, "counted", RF_MUTEX_NORMAL);
    users = 2;
    BESIDE(drop) drop(NULL);
}

/* Only ever used before, and yet nothing orders that. */
THREAD(lock_and_tell) {
    lock_mutex();
    rf_atomic_store_explicit(&ready, 1, rf_memory_order_relaxed);
}

RF_TEST(end_mutex_told) {
    rf_atomic_init(&ready, 0);
    BESIDE(lock_and_tell) {
        if (rf_atomic_load_explicit(&ready, rf_memory_order_relaxed)) rf_mutex_destroy(&m);
    }
}

/* The same of an object in a block, which is freed. */
typedef struct {
    rf_mutex m;
    rf_sem s;
    rf_cond c;
    rf_once o;
    rf_barrier b;
    int users;
} objects;

static objects *held;

static void make_block(uint32_t parties) {
    held = RF_MALLOC(sizeof *held);
    rf_mutex_init(&held->m, "m", RF_MUTEX_NORMAL);
    rf_sem_init(&held->s, "s", 0);
    rf_cond_init(&held->c, "c");
    rf_once_init(&held->o, "o");
    rf_barrier_init(&held->b, "b", parties);
    held->users = 2;
    rf_atomic_init(&ready, 0);
}

#define FREED(name, use)                                                \
 static void *use_##name(void *arg) {                                   \
  use;                                                                  \
  rf_atomic_store_explicit(&ready, 1, rf_memory_order_relaxed);         \
  return arg;                                                           \
 }                                                                      \
 RF_TEST(name) {                                                        \
  make_block(1);                                                        \
  rf_thread t = RF_THREAD(use_##name, NULL);                            \
  bool told = rf_atomic_load_explicit(&ready, rf_memory_order_relaxed); \
  if (told) RF_FREE(held);                                              \
  RF_JOIN(t);                                                           \
  if (!told) RF_FREE(held);                                             \
 }

FREED(free_mutex, RF_LOCK(&held->m); RF_UNLOCK(&held->m))
FREED(free_sem, RF_SEM_POST(&held->s))
FREED(free_cond, RF_SIGNAL(&held->c))
FREED(free_once, RF_ONCE(&held->o, nothing))
FREED(free_barrier, (void)RF_BARRIER_WAIT(&held->b))

THREAD(free_at_last) {
    RF_LOCK(&held->m);
    int left = --held->users;
    RF_UNLOCK(&held->m);
    if (!left) RF_FREE(held);
}

RF_TEST(right_free_by_the_last_user) {
    make_block(1);
    BESIDE(free_at_last) free_at_last(NULL);
}

/* Of a barrier: beside those that have not left it; not if it was destroyed, which waits for that.
 */
static void *leave(void *destroys) {
    objects *h = held;
    if (!RF_BARRIER_WAIT(&h->b)) return NULL;
    rf_atomic_store_explicit(&ready, 1, rf_memory_order_relaxed);
    if (destroys) rf_barrier_destroy(&h->b);
    RF_FREE(h);
    return NULL;
}

static void leave_both(void *destroys) {
    make_block(2);
    rf_thread t = RF_THREAD(leave, destroys);
    leave(destroys);
    RF_JOIN(t);
}

RF_TEST(free_left_barrier) { leave_both(NULL); }
RF_TEST(right_destroyed_barrier) { leave_both(&other); }

/* A semaphore that a thread waits for, and takes away. */
static void *post_it(void *sem) {
    RF_SEM_POST((rf_sem *)sem);
    return NULL;
}

RF_TEST(right_by_its_own_post) {
    for (int i = 0; i < 2; i++) {
        rf_sem done;
        rf_sem_init(&done, "done", 0);
        RF_DETACH(RF_THREAD(post_it, &done));
        RF_SEM_WAIT(&done);
        rf_sem_destroy(&done);
    }
}

THREAD(lock_it) { lock_mutex(); }

THREAD(lock_if_ready) {
    if (rf_atomic_load_explicit(&ready, rf_memory_order_acquire)) lock_mutex();
}

THREAD(lock_if_made) { RF_GUARD(&gate) if (RF_LOAD(made)) lock_mutex(); }

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
