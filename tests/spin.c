/* rf_spin, and spin loops made by hand (docs/sync.md, Spinning). */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_spin s = RF_SPIN_INIT;
static int inside, counter;

/* ---- behaviour ---- */

static void *add_two(void *unused) {
    for (int i = 0; i < 2; i++) {
        RF_SPIN_LOCK(&s);
        RF_ASSERT_EQ(inside++, 0);
        RF_STORE(counter, RF_LOAD(counter) + 1);
        inside--;
        RF_SPIN_UNLOCK(&s);
    }
    return unused;
}

RF_TEST(excludes) {
    inside = counter = 0;
    rf_thread t = RF_THREAD(add_two, NULL), u = RF_THREAD(add_two, NULL);
    (void)add_two(NULL);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
    RF_ASSERT_EQ(counter, 6);
}

static void *hold(void *unused) {
    RF_SPIN_LOCK(&s);
    RF_YIELD();
    RF_SPIN_UNLOCK(&s);
    return unused;
}

/* Outcomes: 0 not taken, 1 taken. */
RF_TEST(trylock_takes_or_not) {
    rf_thread t = RF_THREAD(hold, NULL);
    bool taken = RF_SPIN_TRYLOCK(&s);
    seen[taken]++;
    if (taken) RF_SPIN_UNLOCK(&s);
    (void)RF_JOIN(t);
}

RF_TEST(own_lock_is_not_tried_twice) {
    RF_ASSERT(RF_SPIN_TRYLOCK(&s));
    RF_ASSERT(!RF_SPIN_TRYLOCK(&s));
    RF_SPIN_UNLOCK(&s);
}

/* A loop of trylocks lets the owner go on. */
RF_TEST(trylock_loop_ends, .max_steps = 20000) {
    rf_thread t = RF_THREAD(hold, NULL);
    while (!RF_SPIN_TRYLOCK(&s)) {
    }
    RF_SPIN_UNLOCK(&s);
    (void)RF_JOIN(t);
}

/* ---- hand-made loops ---- */

static rf_atomic_int flag;
static int plain;

static void *set_flag(void *unused) {
    RF_RACY_STORE(plain, 1);
    rf_atomic_store(&flag, 1);
    return unused;
}

static void start(rf_thread *t) {
    rf_atomic_init(&flag, 0);
    plain = 0;
    *t = RF_THREAD(set_flag, NULL);
}

RF_TEST(loop_with_a_hint, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) RF_SPIN_HINT();
    (void)RF_JOIN(t);
}

RF_TEST(loop_with_a_yield, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) RF_YIELD();
    (void)RF_JOIN(t);
}

RF_TEST(loop_with_a_sleep, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) RF_SLEEP_MS(1);
    (void)RF_JOIN(t);
}

RF_TEST(bare_loop, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) {
    }
    (void)RF_JOIN(t);
}

/* With coarse granularity its loads are no scheduling points. */
RF_TEST(bare_plain_loop, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!RF_LOAD(plain)) {
    }
    (void)RF_JOIN(t);
}

RF_TEST(exchange_loop, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    for (int one = 1; !rf_atomic_compare_exchange_weak(&flag, &one, 2); one = 1) {
    }
    (void)RF_JOIN(t);
}

/* ---- misuse ---- */

RF_TEST(relock) {
    AT(1, RF_SPIN_LOCK(&s));
    AT(2, RF_SPIN_LOCK(&s));
}

RF_TEST(unlock_free) { AT(1, RF_SPIN_UNLOCK(&s)); }

static void *unlock_it(void *unused) {
    AT(1, RF_SPIN_UNLOCK(&s));
    return unused;
}

RF_TEST(unlock_of_another) {
    RF_SPIN_LOCK(&s);
    (void)RF_JOIN(RF_THREAD(unlock_it, NULL));
}

RF_TEST(destroy_locked) {
    AT(1, RF_SPIN_LOCK(&s));
    AT(2, rf_spin_destroy(&s));
}

RF_TEST(init_while_locked) {
    AT(1, RF_SPIN_LOCK(&s));
    AT(2, rf_spin_init(&s, "s"));
}

RF_TEST(use_after_destroy) {
    rf_spin gone;
    rf_spin_init(&gone, NULL);
    rf_spin_destroy(&gone);
    AT(1, RF_SPIN_LOCK(&gone));
}

RF_TEST(exit_holding) { AT(1, RF_SPIN_LOCK(&s)); }

int main(void) {
    PASSES("a_spin_lock_keeps_others_out", "excludes");
    REACHES("spin_trylock_is_true_and_false", "trylock_takes_or_not", 2);
    PASSES("spin_trylock_of_ones_own_lock_is_false", "own_lock_is_not_tried_twice");
    PASSES("a_loop_of_trylocks_lets_the_owner_go_on", "trylock_loop_ends");
    PASSES("a_loop_with_a_hint_lets_others_go_on", "loop_with_a_hint");
    PASSES("a_loop_with_a_yield_lets_others_go_on", "loop_with_a_yield");
    PASSES("a_loop_with_a_sleep_lets_others_go_on", "loop_with_a_sleep");
    PASSES("a_bare_loop_of_atomic_loads_lets_others_go_on", "bare_loop");
    PASSES("a_bare_loop_of_plain_loads_lets_others_go_on", "bare_plain_loop");
    PASSES("a_loop_of_compare_exchanges_lets_others_go_on", "exchange_loop");
    FAILS_ALWAYS("taking_a_spin_lock_again_fails", "relock", RELOCK, 2,
                 "T0 already holds s since spin.c:@1");
    FAILS_ALWAYS("unlocking_a_free_spin_lock_fails", "unlock_free", UNLOCK_FREE, 1,
                 "s is not locked");
    FAILS_ALWAYS("unlocking_a_spin_lock_of_another_fails", "unlock_of_another", UNLOCK_OTHER, 1,
                 "s is held by T0, not by T1");
    FAILS_ALWAYS("destroying_a_locked_spin_lock_fails", "destroy_locked", DESTROY_BUSY, 2,
                 "s is held by T0 since spin.c:@1");
    FAILS_ALWAYS("initialising_a_locked_spin_lock_fails", "init_while_locked", REINIT, 2,
                 "s is held by T0 since spin.c:@1");
    FAILS_ALWAYS("using_a_destroyed_spin_lock_fails", "use_after_destroy", DESTROYED, 1,
                 "gone was destroyed before");
    FAILS_ALWAYS("a_thread_that_ends_with_a_spin_lock_fails", "exit_holding", EXIT_HOLDING, 1,
                 "T0 ends and still holds s, taken here");
    return lab_end();
}
