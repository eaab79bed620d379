/* More objects of the literature, as in spec_objects.c: locks, caches and sets, each with a mistake
 * and without it. */
#define RF_IMPLEMENTATION
#include "tests/spec/verdicts.h"

enum { ROOM = 32 };

/* ---- a read-write lock of one word: who wants to write does not look for readers again ---- */

static _Atomic int state; /* readers, or -1: a writer */

static bool read_try(void) {
    int s = rf_atomic_load(&state);
    while (s >= 0)
        if (rf_atomic_compare_exchange_strong(&state, &s, s + 1)) return true;
    return false;
}

static bool write_try(bool exchanges) {
    int nobody = 0;
    if (exchanges) return rf_atomic_compare_exchange_strong(&state, &nobody, -1);
    if (rf_atomic_load(&state)) return false;
    rf_atomic_store(&state, -1);
    return true;
}

static bool give_back(int from, int to) {
    return rf_atomic_compare_exchange_strong(&state, &from, to);
}

#define RWLOCK(name, exchanges)                                               \
 RF_OBJECT(name) { rf_atomic_init(&state, 0); }                               \
 RF_OPERATION(name, read_try, (void), bool) { return read_try(); }            \
 RF_OPERATION(name, write_try, (void), bool) { return write_try(exchanges); } \
 RF_OPERATION(name, write_end, (void), bool) { return give_back(-1, 0); }     \
 RF_OPERATION(name, read_end, (void), bool) { return give_back(1, 0); }       \
 RF_LINEARIZABLE(name)
RWLOCK(rwlock, false)
RWLOCK(rwlock_right, true)

/* ---- a semaphore: it is looked at, then taken from ---- */

static bool down_try(bool again) {
    int s = rf_atomic_load(&state);
    if (!again) {
        if (s > 0) rf_atomic_fetch_sub(&state, 1);
        return s > 0;
    }
    while (s > 0)
        if (rf_atomic_compare_exchange_weak(&state, &s, s - 1)) return true;
    return false;
}

#define SEMAPHORE(name, again)                                             \
 RF_OBJECT(name) { rf_atomic_init(&state, 1); }                            \
 RF_OPERATION(name, down, (void), bool) { return down_try(again); }        \
 RF_OPERATION(name, up, (void), void) { rf_atomic_fetch_add(&state, 1); }  \
 RF_OPERATION(name, count, (void), int) { return rf_atomic_load(&state); } \
 RF_LINEARIZABLE(name)
SEMAPHORE(semaphore, false)
SEMAPHORE(semaphore_right, true)

/* ---- a cache of two: what was used last stays; its reader moves it to the front without the lock
 * ---- */

static rf_mutex cache_lock = RF_MUTEX_INIT;
static _Atomic int newest, oldest; /* keys; 0: none */

static void cache_use(int key) {
    if (rf_atomic_load(&newest) == key) return;
    rf_atomic_store(&oldest, rf_atomic_load(&newest));
    rf_atomic_store(&newest, key);
}

static bool cache_has(int key, bool locks) {
    bool has;
    if (locks) RF_LOCK(&cache_lock);
    has = rf_atomic_load(&newest) == key || rf_atomic_load(&oldest) == key;
    if (has) cache_use(key);
    if (locks) RF_UNLOCK(&cache_lock);
    return has;
}

#define CACHE(name, locks)                                          \
 RF_OBJECT(name) {                                                  \
  rf_atomic_init(&newest, 0);                                       \
  rf_atomic_init(&oldest, 0);                                       \
 }                                                                  \
 RF_OPERATION(name, put, (int key), void, .args = {RF_ARG(1, 3)}) { \
  RF_GUARD(&cache_lock) cache_use(key);                             \
 }                                                                  \
 RF_OPERATION(name, has, (int key), bool, .args = {RF_ARG(1, 3)}) { \
  return cache_has(key, locks);                                     \
 }                                                                  \
 RF_LINEARIZABLE(name)
CACHE(cache, false)
CACHE(cache_right, true)

/* ---- the lazy list (Heller and others, OPODIS 2005): a node is unlinked without another look at
 * whether it still hangs where it was found ---- */

static rf_mutex node_lock[ROOM];
static _Atomic int next_of[ROOM], marked[ROOM];
static int key_of[ROOM];
static _Atomic int unused;

static void lazy_init(void) {
    rf_atomic_init(&unused, 1);
    for (int i = 0; i < ROOM; i++) {
        rf_mutex_init(&node_lock[i], "node", RF_MUTEX_NORMAL);
        rf_atomic_init(&next_of[i], 0);
        rf_atomic_init(&marked[i], 0);
        key_of[i] = 0;
    }
}

/* The first node whose key is not less (0: none), and the one before. */
static int lazy_find(int key, int *before) {
    int at;
    *before = 0;
    while ((at = rf_atomic_load(&next_of[*before])) && RF_LOAD(key_of[at]) < key) *before = at;
    return at;
}

static bool lazy_valid(int before, int at) {
    return !rf_atomic_load(&marked[before]) && !(at && rf_atomic_load(&marked[at])) &&
           rf_atomic_load(&next_of[before]) == at;
}

/* Adds (1) or removes (-1) a key, where it is found at once; 2: it must be looked for again. */
static int lazy_change(int key, bool adds, bool looks) {
    int before, at = lazy_find(key, &before), done = 2;
    RF_LOCK(&node_lock[before]);
    if (at) RF_LOCK(&node_lock[at]);
    bool has = at && RF_LOAD(key_of[at]) == key;
    if (!looks || lazy_valid(before, at)) {
        done = has != adds;
        if (done && adds) {
            int node = rf_atomic_fetch_add(&unused, 1);
            RF_STORE(key_of[node], key);
            rf_atomic_store(&next_of[node], at);
            rf_atomic_store(&next_of[before], node);
        } else if (done) {
            rf_atomic_store(&marked[at], 1);
            rf_atomic_store(&next_of[before], rf_atomic_load(&next_of[at]));
        }
    }
    if (at) RF_UNLOCK(&node_lock[at]);
    RF_UNLOCK(&node_lock[before]);
    return done;
}

static bool lazy(int key, bool adds, bool looks) {
    int done;
    while ((done = lazy_change(key, adds, looks)) == 2) continue;
    return done;
}

static bool lazy_has(int key) {
    int before, at = lazy_find(key, &before);
    return at && RF_LOAD(key_of[at]) == key && !rf_atomic_load(&marked[at]);
}

#define LAZY(name, looks)                                                                   \
 RF_OBJECT(name) { lazy_init(); }                                                           \
 RF_OPERATION(name, add, (int key), bool, .args = {RF_ARG(1, 2)}) {                         \
  return lazy(key, true, looks);                                                            \
 }                                                                                          \
 RF_OPERATION(name, removes, (int key), bool, .args = {RF_ARG(1, 2)}) {                     \
  return lazy(key, false, looks);                                                           \
 }                                                                                          \
 RF_OPERATION(name, has, (int key), bool, .args = {RF_ARG(1, 2)}) { return lazy_has(key); } \
 RF_LINEARIZABLE(name)
LAZY(lazy_list, false)
LAZY(lazy_list_right, true)

/* ---- an exchanger: two meet and swap; who comes third takes what is not for him ---- */

static _Atomic int offer, answer;

static void meet_init(void) {
    rf_atomic_init(&offer, 0);
    rf_atomic_init(&answer, 0);
}

/* Leaves a value, if nobody has; the other one takes it and leaves his, at once or never. */
static int meet(int value, bool exchanges) {
    int there = rf_atomic_load(&offer);
    if (!there) {
        int nobody = 0;
        return rf_atomic_compare_exchange_strong(&offer, &nobody, value) ? 0 : -1;
    }
    if (exchanges && !rf_atomic_compare_exchange_strong(&offer, &there, 0)) return -1;
    if (!exchanges) rf_atomic_store(&offer, 0);
    return there;
}

#define EXCHANGER(name, exchanges)                       \
 RF_OBJECT(name) { meet_init(); }                        \
 RF_OPERATION(name, meet, (int value), int) {            \
  int there;                                             \
  while ((there = meet(value, exchanges)) < 0) continue; \
  return there;                                          \
 }                                                       \
 RF_LINEARIZABLE(name)
EXCHANGER(exchanger, false)
EXCHANGER(exchanger_right, true)

static const verdicts_size sizes[] = {{"rwlock", 2, 2},    {"semaphore", 3, 2}, {"cache", 5, 3},
                                      {"lazy_list", 4, 2}, {"exchanger", 3, 2}, {NULL, 0, 0}};

int main(void) { return verdicts(sizes); }
