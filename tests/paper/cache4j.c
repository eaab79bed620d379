/* cache4j: the cleaner says that it is asleep when it is not yet, and is when it is no more.
 *
 * An interrupt wakes the cleaner up when it sleeps; noticed anywhere else it is an exception that
 * nobody catches.  Cached objects come from a pool and go back to it: what happens to them under
 * one lock and what under the other is suspected, and false.
 */
#include "paper.h"

enum { OBJECTS = 2 };

typedef struct object {
    int key, value, size, expires;
} object;

static object objects[OBJECTS];
static struct {
    rf_mutex lock;
    object *entry[OBJECTS];
} pool, cache;

static rf_mutex cleaner; /* the monitor of the thread */
static bool sleeping;
static rf_atomic_int interval; /* volatile there */
static struct {
    rf_mutex lock;
    bool pending;
} interrupt; /* the virtual machine's */

static object *take(object **from) {
    object *o = RF_LOAD(*from);
    RF_STORE(*from, NULL);
    return o;
}

static void put(int key) {
    object *o = NULL;
    RF_GUARD(&pool.lock) {
        for (int i = 0; i < OBJECTS && !o; i++) o = take(&pool.entry[i]);
    }
    if (!o) return;
    RF_STORE(o->key, key);
    RF_STORE(o->value, key + 10);
    RF_STORE(o->size, 1);
    RF_STORE(o->expires, key);
    RF_GUARD(&cache.lock) { RF_STORE(cache.entry[key % OBJECTS], o); }
}

static void get(int key) {
    RF_GUARD(&cache.lock) {
        object *o = RF_LOAD(cache.entry[key % OBJECTS]);
        if (o && RF_LOAD(o->key) == key) {
            RF_ASSERT_EQ(RF_LOAD(o->value), key + 10);
            RF_STORE(o->expires, RF_LOAD(o->expires) + RF_LOAD(o->size));
        }
    }
}

static void clean_slot(int slot) {
    object *o = NULL;
    RF_GUARD(&cache.lock) {
        o = RF_LOAD(cache.entry[slot]);
        if (o && RF_LOAD(o->expires) < 9) o = take(&cache.entry[slot]);
    }
    if (!o) return;
    RF_STORE(o->key, -1);
    RF_STORE(o->value, 0);
    RF_STORE(o->size, 0);
    RF_STORE(o->expires, 0);
    RF_GUARD(&pool.lock) { RF_STORE(pool.entry[slot], o); }
}

static void clean(void) {
    for (int i = 0; i < OBJECTS; i++) clean_slot(i);
}

static bool interrupted(void) {
    bool yes = false;
    RF_GUARD(&interrupt.lock) {
        yes = RF_LOAD(interrupt.pending);
        RF_STORE(interrupt.pending, false);
    }
    return yes;
}

static void outside_of_try(void) {
    if (interrupted()) RF_FAIL("InterruptedException");
}

/* Sleeps, and catches what wakes it up. */
static void try_to_sleep(void) {
    (void)rf_atomic_load_explicit(&interval, rf_memory_order_relaxed);
    interrupted();
}

#ifdef FIXED
static void fall_asleep(void) {
    RF_GUARD(&cleaner) { RF_STORE(sleeping, true); }
}

static void wake_up(void) {
    RF_GUARD(&cleaner) {
        RF_STORE(sleeping, false);
        interrupted();
    }
}
#else
static void fall_asleep(void) {
    RF_STORE(sleeping, true);
    outside_of_try();
}

static void wake_up(void) { RF_STORE(sleeping, false); }
#endif

static void *clean_up(void *arg) {
    clean();
    fall_asleep();
    try_to_sleep();
    wake_up();
    outside_of_try();
    clean();
    return arg;
}

static void *use(void *arg) {
    put(2);
    get(2);
    rf_atomic_store_explicit(&interval, 1, rf_memory_order_relaxed);
    RF_GUARD(&cleaner) {
        if (RF_LOAD(sleeping)) RF_GUARD(&interrupt.lock) RF_STORE(interrupt.pending, true);
    }
    put(3);
    get(3);
    return arg;
}

RF_TEST(cache4j, .expect = BUG(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    rf_mutex_init(&pool.lock, "pool", RF_MUTEX_NORMAL);
    rf_mutex_init(&cache.lock, "cache", RF_MUTEX_NORMAL);
    rf_mutex_init(&cleaner, "cleaner", RF_MUTEX_NORMAL);
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = (object){-1, 0, 0, 0};
        pool.entry[i] = &objects[i];
        cache.entry[i] = NULL;
    }
    sleeping = false;
    interrupt.pending = false;
    rf_mutex_init(&interrupt.lock, "interrupt", RF_MUTEX_NORMAL);
    rf_atomic_store(&interval, 0);
    rf_thread t = RF_THREAD(clean_up, NULL), u = RF_THREAD(use, NULL);
    RF_JOIN(t);
    RF_JOIN(u);
}

RF_MAIN()
