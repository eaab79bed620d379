/* rf_spin, and spin loops made by hand (docs/sync.md, Spinning). */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_spin s = RF_SPIN_INIT;
static int inside, counter;

/* ---- behaviour ---- */

THREAD(add_two) {
    for (int i = 0; i < 2; i++) {
        RF_SPIN_LOCK(&s);
        RF_ASSERT_EQ(inside++, 0);
        RF_STORE(counter, RF_LOAD(counter) + 1);
        inside--;
        RF_SPIN_UNLOCK(&s);
    }
}

PASSING(a_spin_lock_keeps_others_out) {
    inside = counter = 0;
    rf_thread t = RF_THREAD(add_two, NULL), u = RF_THREAD(add_two, NULL);
    (void)add_two(NULL);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
    RF_ASSERT_EQ(counter, 6);
}

THREAD(hold) {
    RF_SPIN_LOCK(&s);
    RF_YIELD();
    RF_SPIN_UNLOCK(&s);
}

/* Outcomes: 0 not taken, 1 taken. */
REACHING(2, spin_trylock_is_true_and_false) {
    BESIDE(hold) {
        bool taken = RF_SPIN_TRYLOCK(&s);
        seen[taken]++;
        if (taken) RF_SPIN_UNLOCK(&s);
    }
}

PASSING(spin_trylock_of_ones_own_lock_is_false) {
    RF_ASSERT(RF_SPIN_TRYLOCK(&s));
    RF_ASSERT(!RF_SPIN_TRYLOCK(&s));
    RF_SPIN_UNLOCK(&s);
}

/* A loop of trylocks lets the owner go on. */
PASSING(a_loop_of_trylocks_lets_the_owner_go_on, .max_steps = 20000) {
    BESIDE(hold) {
        while (!RF_SPIN_TRYLOCK(&s)) {
        }
        RF_SPIN_UNLOCK(&s);
    }
}

static rf_sem held = RF_SEM_INIT(0), go = RF_SEM_INIT(0);

THREAD(hold_until_told) {
    RF_SPIN_LOCK(&s);
    RF_SEM_POST(&held);
    RF_SEM_WAIT(&go);
    RF_SPIN_UNLOCK(&s);
}

RF_TEST(tries_behind, .max_steps = 5000) {
    BESIDE(hold_until_told) {
        RF_SEM_WAIT(&held);
        RF_SEM_POST(&go);
        while (!RF_SPIN_TRYLOCK(&s)) continue;
        RF_SPIN_UNLOCK(&s);
    }
}

/* ---- hand-made loops ---- */

static rf_atomic_int flag;
static int plain;

THREAD(set_flag) {
    RF_RACY_STORE(plain, 1);
    rf_atomic_store(&flag, 1);
}

static void start(rf_thread *t) {
    rf_atomic_init(&flag, 0);
    plain = 0;
    *t = RF_THREAD(set_flag, NULL);
}

PASSING(a_loop_with_a_hint_lets_others_go_on, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) RF_SPIN_HINT();
    (void)RF_JOIN(t);
}

PASSING(a_loop_with_a_yield_lets_others_go_on, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) RF_YIELD();
    (void)RF_JOIN(t);
}

PASSING(a_loop_with_a_sleep_lets_others_go_on, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) RF_SLEEP_MS(1);
    (void)RF_JOIN(t);
}

PASSING(a_bare_loop_of_atomic_loads_lets_others_go_on, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!rf_atomic_load(&flag)) {
    }
    (void)RF_JOIN(t);
}

/* With coarse granularity its loads are no scheduling points. */
PASSING(a_bare_loop_of_plain_loads_lets_others_go_on, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    while (!RF_LOAD(plain)) {
    }
    (void)RF_JOIN(t);
}

PASSING(a_loop_of_compare_exchanges_lets_others_go_on, .max_steps = 20000) {
    rf_thread t;
    start(&t);
    for (int one = 1; !rf_atomic_compare_exchange_weak(&flag, &one, 2); one = 1) {
    }
    (void)RF_JOIN(t);
}

int main(void) {
    show_claims();
    lab_blocks = true; /* nobody else runs while one can go on */
    const rfi_tally *t = lab_random("tries_behind", 5, LAB_FINE);
    LAB_CHECK("so_it_does_where_nobody_is_preempted", t->executions == 5 && !lab_failures(t));
    return lab_end();
}
