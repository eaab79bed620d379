/* rf_mutex: every kind, every operation, every misuse (docs/sync.md). */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_mutex m = RF_MUTEX_INIT;
static int inside, counter;

/* ---- behaviour ---- */

THREAD(add_two) {
    for (int i = 0; i < 2; i++) {
        RF_LOCK(&m);
        RF_ASSERT_EQ(inside++, 0);
        RF_STORE(counter, RF_LOAD(counter) + 1);
        RF_ASSERT_EQ(inside--, 1);
        RF_UNLOCK(&m);
    }
}

PASSING(a_mutex_keeps_others_out) {
    inside = counter = 0;
    rf_thread t[3];
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(add_two, NULL);
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    RF_ASSERT_EQ(counter, 6);
}

static int order[3], arrived;

static void *arrive(void *number) {
    RF_LOCK(&m);
    order[arrived++] = *(int *)number;
    RF_UNLOCK(&m);
    return NULL;
}

/* Outcome: which of the six orders. */
REACHING(6, every_order_of_three_waiters_is_reached) {
    static int number[3] = {0, 1, 2};
    rf_thread t[3];
    arrived = 0;
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(arrive, &number[i]);
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    seen[order[0] * 2 + (order[1] > order[2])]++;
}

THREAD(hold) {
    RF_LOCK(&m);
    RF_YIELD();
    RF_UNLOCK(&m);
}

/* Outcomes: 0 not taken, 1 taken. */
REACHING(2, trylock_is_true_and_false) {
    BESIDE(hold) {
        bool taken = RF_TRYLOCK(&m);
        seen[taken]++;
        if (taken) RF_UNLOCK(&m);
    }
}

REACHING(2, timedlock_is_true_and_false_and_never_waits_for_real) {
    BESIDE(hold) {
        bool taken = RF_TIMEDLOCK(&m, 1000 * 3600 * 24);
        seen[taken]++;
        if (taken) RF_UNLOCK(&m);
    }
}

PASSING(a_free_mutex_is_taken_by_try_and_timed_lock) {
    RF_ASSERT(RF_TRYLOCK(&m));
    RF_UNLOCK(&m);
    RF_ASSERT(RF_TIMEDLOCK(&m, 0));
    RF_UNLOCK(&m);
}

PASSING(trylock_of_ones_own_lock_is_false) {
    rf_mutex e;
    rf_mutex_init(&e, "checked", RF_MUTEX_ERRORCHECK);
    RF_LOCK(&m);
    RF_ASSERT(!RF_TRYLOCK(&m));
    RF_UNLOCK(&m);
    RF_LOCK(&e);
    RF_ASSERT(!RF_TRYLOCK(&e));
    RF_UNLOCK(&e);
    rf_mutex_destroy(&e);
}

static rf_mutex r;

THREAD(twice) {
    RF_LOCK(&r);
    RF_ASSERT_EQ(inside, 0);
    RF_ASSERT(RF_TRYLOCK(&r));
    RF_ASSERT(RF_TIMEDLOCK(&r, 5));
    RF_UNLOCK(&r);
    inside = 1;
    RF_UNLOCK(&r);
    RF_YIELD(); /* it is still held */
    inside = 0;
    RF_UNLOCK(&r);
}

PASSING(a_recursive_mutex_is_free_after_the_last_unlock) {
    inside = 0;
    rf_mutex_init(&r, "again", RF_MUTEX_RECURSIVE);
    rf_thread t = RF_THREAD(twice, NULL);
    (void)twice(NULL);
    (void)RF_JOIN(t);
    rf_mutex_destroy(&r);
}

static int leave_early(int how) {
    RF_GUARD(&m) {
        inside++;
        if (how == 0) return inside--;
        if (how == 1) goto out;
        if (how == 2) break;
        if (how == 3) continue;
    out:
        inside--;
        return 1;
    }
    return inside--;
}

THREAD(guards) {
    for (int how = 0; how < 5; how++)
        RF_ASSERT_EQ(leave_early(how), how == 1 || how == 4 ? 1 : inside + 1);
}

PASSING(a_guard_unlocks_on_every_way_out) {
    inside = 0;
    (void)guards(NULL);
    RF_ASSERT(RF_TRYLOCK(&m));
    RF_UNLOCK(&m);
}

PASSING(guards_nest) {
    rf_mutex n = RF_MUTEX_INIT;
    RF_GUARD(&m) RF_GUARD(&n) {
        RF_ASSERT(!RF_TRYLOCK(&m));
        RF_ASSERT(!RF_TRYLOCK(&n));
    }
    RF_ASSERT(RF_TRYLOCK(&m) && RF_TRYLOCK(&n));
    RF_UNLOCK(&n);
    RF_UNLOCK(&m);
}

/* An execution that ends with the lock taken does not hand it on to the next one. */
PASSING(a_static_mutex_is_fresh_in_every_execution) {
    RF_LOCK(&m);
    RF_SKIP("ends here, with the lock taken");
}

PASSING(a_destroyed_mutex_can_be_made_again) {
    rf_mutex n = RF_MUTEX_INIT;
    RF_LOCK(&n);
    RF_UNLOCK(&n);
    rf_mutex_destroy(&n);
    rf_mutex_init(&n, NULL, RF_MUTEX_RECURSIVE);
    RF_LOCK(&n);
    RF_LOCK(&n);
    RF_UNLOCK(&n);
    RF_UNLOCK(&n);
    rf_mutex_destroy(&n);
}

/* ---- misuse ---- */

FAILING_ALWAYS(locking_it_again_with_a_time_out_fails, RELOCK, 2, "T0 already holds m since @1") {
    AT(1, RF_LOCK(&m));
    AT(2, (void)RF_TIMEDLOCK(&m, 10));
}

FAILING_ALWAYS(locking_an_errorcheck_mutex_again_fails, RELOCK, 2,
               "T0 already holds checked since @1") {
    rf_mutex e;
    rf_mutex_init(&e, "checked", RF_MUTEX_ERRORCHECK);
    AT(1, RF_LOCK(&e));
    AT(2, RF_LOCK(&e));
}

FAILING_ALWAYS(unlocking_a_recursive_mutex_too_often_fails, UNLOCK_FREE, 1, "again is not locked") {
    rf_mutex_init(&r, "again", RF_MUTEX_RECURSIVE);
    RF_LOCK(&r);
    RF_UNLOCK(&r);
    AT(1, RF_UNLOCK(&r));
}

THREAD(lock_it) {
    RF_LOCK(&m);
    RF_UNLOCK(&m);
}

/* Who waits while it is taken may only be seen when nobody holds it any more. */
FAILING(destroying_a_mutex_that_a_thread_waits_for_fails, DESTROY_BUSY, 1, "T1 waits for m") {
    RF_LOCK(&m);
    (void)RF_THREAD(lock_it, NULL);
    RF_YIELD();
    RF_UNLOCK(&m);
    AT(1, rf_mutex_destroy(&m));
    RF_SKIP("else the thread would use what is destroyed");
}

FAILING_ALWAYS(an_unknown_kind_of_mutex_fails, BAD_COUNT, 1, "7 is no kind of mutex") {
    AT(1, rf_mutex_init(&r, "r", 7));
}

FAILING_ALWAYS(signalling_a_mutex_fails, WRONG_TYPE, 1, "u.cond is a mutex, not a condition") {
    union {
        rf_mutex mutex;
        rf_cond cond;
    } u = {.mutex = RF_MUTEX_INIT};
    RF_LOCK(&u.mutex);
    AT(1, RF_SIGNAL(&u.cond));
}

FAILING_ALWAYS(a_mutex_in_freed_memory_fails, USE_AFTER_FREE, 3,
               "synchronisation object at offset 0 of a block of 64 bytes, allocated by T0 at @1, "
               "freed by T0 at @2") {
    rf_mutex *p = AT(1, RF_MALLOC(64));
    rf_mutex_init(p, "in the heap", RF_MUTEX_NORMAL);
    AT(2, RF_FREE(p));
    AT(3, RF_LOCK(p));
}

FAILING_ALWAYS(freeing_the_memory_of_a_locked_mutex_fails, DESTROY_BUSY, 2,
               "T0 holds the object at offset 0 of a block of 64 bytes, allocated by T0 at @1") {
    rf_mutex *p = AT(1, RF_MALLOC(64));
    rf_mutex_init(p, "in the heap", RF_MUTEX_NORMAL);
    RF_LOCK(p);
    AT(2, RF_FREE(p));
}

/* Outside of executions a mutex does nothing. */
static bool outside(void) {
    rf_mutex n = RF_MUTEX_INIT;
    rf_mutex_init(&n, "outside", RF_MUTEX_NORMAL);
    RF_LOCK(&n);
    RF_LOCK(&n);
    RF_UNLOCK(&n);
    bool tried = RF_TRYLOCK(&n);
    rf_mutex_destroy(&n);
    return tried;
}

static void behaviour(void) { LAB_CHECK("outside_of_a_test_a_mutex_does_nothing", outside()); }

int main(void) {
    show_claims();
    behaviour();
    return lab_end();
}
