/* Tests with a real thread that racefuzz knows nothing of; tests/foreign.sh runs them. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include <pthread.h>

static rf_mutex m = RF_MUTEX_INIT;
static rf_sem s = RF_SEM_INIT(0);
static rf_cond c = RF_COND_INIT;
static rf_atomic_int a;
static int x;
static volatile int unwatched;

static void *nothing(void *arg) { return arg; }

static bool holds(void *arg) { return arg != NULL; }

/* Tests NAME and NAME_in_thread: a thread of others, which executes the statement, is made in the
 * body, or in a thread of ours.  Whoever makes it holds the lock. */
#define ELSEWHERE(name, ...)                  \
 static void *do_##name(void *arg) {          \
  __VA_ARGS__;                                \
  return arg;                                 \
 }                                            \
 static void *make_##name(void *arg) {        \
  pthread_t t;                                \
  RF_LOCK(&m);                                \
  pthread_create(&t, NULL, do_##name, NULL);  \
  pthread_join(t, NULL);                      \
  RF_UNLOCK(&m);                              \
  return arg;                                 \
 }                                            \
 RF_TEST(name) { (void)make_##name(NULL); }   \
 RF_TEST(name##_in_thread) {                  \
  rf_thread t = RF_THREAD(make_##name, NULL); \
  RF_STORE(x, 2);                             \
  RF_JOIN(t);                                 \
 }

ELSEWHERE(harmless, unwatched = 1)
ELSEWHERE(locks, RF_LOCK(&m); RF_UNLOCK(&m))
ELSEWHERE(unlocks, RF_UNLOCK(&m))
ELSEWHERE(tries, (void)RF_TRYLOCK(&m))
ELSEWHERE(loads, (void)RF_LOAD(x))
ELSEWHERE(stores, RF_STORE(x, 1))
ELSEWHERE(loads_atomic, (void)rf_atomic_load(&a))
ELSEWHERE(adds, (void)rf_atomic_fetch_add(&a, 1))
ELSEWHERE(creates, RF_JOIN(RF_THREAD(nothing, NULL)))
ELSEWHERE(posts, RF_SEM_POST(&s))
ELSEWHERE(signals, RF_SIGNAL(&c))
ELSEWHERE(makes, rf_mutex_init(&m, "m", RF_MUTEX_NORMAL))
ELSEWHERE(allocates, RF_FREE(RF_MALLOC(4)))
ELSEWHERE(asks, (void)RF_SELF())
ELSEWHERE(yields, RF_YIELD())
ELSEWHERE(asserts, RF_ASSERT(unwatched == 7))
ELSEWHERE(chooses, unwatched = (int)RF_CHOOSE(2))
ELSEWHERE(claims, RF_INVARIANT(holds, &m))

/* It comes while ours is busy. */
RF_TEST(beside) {
    pthread_t t;
    pthread_create(&t, NULL, do_stores, NULL);
    for (int i = 0; i < 100; i++) {
        RF_LOCK(&m);
        RF_STORE(x, i);
        RF_UNLOCK(&m);
    }
    pthread_join(t, NULL);
}

RF_MAIN()
