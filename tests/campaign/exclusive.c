/* What a thread claims (RF_EXCLUSIVE_WRITER, RF_EXCLUSIVE_ACCESS), and others that come in between
 * (wrong_...), or may do what they do, or come before or after (right_...). */
#include "racefuzz.h"
#include "tests/thread.h"

static _Atomic int x;
static int plain, *block;
static rf_mutex lock = RF_MUTEX_INIT;
static rf_sem begun = RF_SEM_INIT(0), done = RF_SEM_INIT(0);

static void both(void *(*f)(void *), void *(*g)(void *)) {
    rf_atomic_init(&x, 0);
    RF_STORE(plain, 0);
    run_two(f, g);
}

/* ---- those who claim ---- */

THREAD(writes) { RF_EXCLUSIVE_WRITER(x) rf_atomic_store(&x, rf_atomic_load(&x) + 1); }

THREAD(has) {
    RF_EXCLUSIVE_ACCESS(x) { rf_atomic_store(&x, 1); }
}

THREAD(has_plain) {
    RF_EXCLUSIVE_ACCESS(plain) { RF_YIELD(); }
}

THREAD(has_locked) {
    RF_GUARD(&lock) RF_EXCLUSIVE_ACCESS(x) { RF_YIELD(); }
}

static void *leaves(void *a) {
    RF_EXCLUSIVE_ACCESS(x) return a;
    return NULL;
}

static void *asks(void *a) { /* the other one's access is ordered, and between */
    RF_EXCLUSIVE_WRITER(plain) {
        RF_SEM_POST(&begun);
        RF_SEM_WAIT(&done);
    }
    return a;
}

static void *no_longer(void *a) {
    leaves(a); /* the block by a return */
    RF_SEM_POST(&begun);
    RF_SEM_WAIT(&done);
    return a;
}

THREAD(after) {
    RF_SEM_WAIT(&begun);
    rf_atomic_store(&x, 7);
    RF_SEM_POST(&done);
}

THREAD(has_block) {
    RF_EXCLUSIVE_ACCESS(*block) { RF_YIELD(); }
}

/* ---- others ---- */

THREAD(stores) { rf_atomic_store_explicit(&x, 7, rf_memory_order_relaxed); }

THREAD(loads) { (void)rf_atomic_load_explicit(&x, rf_memory_order_relaxed); }

static void *compares(void *a) { /* never finds what it looks for */
    int never = -1;
    rf_atomic_compare_exchange_strong(&x, &never, 0);
    return a;
}

THREAD(stores_locked) { RF_GUARD(&lock) rf_atomic_store(&x, 7); }

THREAD(racy) { RF_RACY_STORE(plain, 1); }

THREAD(answers) {
    RF_SEM_WAIT(&begun);
    RF_STORE(plain, 1);
    RF_SEM_POST(&done);
}

THREAD(frees) { RF_FREE(block); }

THREAD(claims_elsewhere) {
    RF_EXCLUSIVE_ACCESS(plain) { RF_STORE(plain, 2); }
}

RF_TEST(wrong_store) { both(writes, stores); }
RF_TEST(wrong_load) { both(has, loads); }
RF_TEST(wrong_compare) { both(has, compares); }
RF_TEST(wrong_racy) { both(has_plain, racy); }
RF_TEST(wrong_claims) { both(has, has); }
RF_TEST(wrong_between) { both(asks, answers); }
RF_TEST(wrong_free) {
    block = RF_CALLOC(1, sizeof *block);
    both(has_block, frees);
}

/* The other one's access is not scheduled. */
RF_TEST(wrong_unscheduled, .granularity = RF_GRAIN_COARSE) { both(asks, answers); }

RF_TEST(right_after) { both(no_longer, after); }
RF_TEST(right_load) { both(writes, loads); }
RF_TEST(right_compare) { both(writes, compares); }
RF_TEST(right_writers) { both(writes, claims_elsewhere); }
RF_TEST(right_locked) { both(has_locked, stores_locked); }
RF_TEST(right_order) {
    rf_atomic_init(&x, 0);
    both(stores, stores);
    RF_JOIN(RF_THREAD(has, NULL));
}

RF_MAIN()
