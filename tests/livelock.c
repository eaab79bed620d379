/* The step limit: executions that never end are told of, with the place where they spin. */
#define RF_IMPLEMENTATION
#include "schedules.h"

#define LIMITED .max_steps = 1000

static rf_atomic_int flag;
static int plain;
static rf_mutex m = RF_MUTEX_INIT;

/* ---- nobody ever sets it ---- */

RF_TEST(atomic_loop, LIMITED) {
    while (!AT(1, rf_atomic_load(&flag))) {
    }
}

RF_TEST(plain_loop, LIMITED) {
    while (!AT(1, RF_LOAD(plain))) {
    }
}

RF_TEST(hint_loop, LIMITED) {
    while (!rf_atomic_load(&flag)) AT(1, RF_SPIN_HINT());
}

THREAD(spin) {
    while (!AT(1, rf_atomic_load(&flag))) {
    }
}

RF_TEST(another_spins, LIMITED) {
    rf_thread t = RF_THREAD(spin, NULL);
    AT(2, (void)RF_JOIN(t));
}

THREAD(try_for_ever) {
    while (!AT(1, RF_TRYLOCK(&m))) {
    }
    RF_UNLOCK(&m);
}

RF_TEST(trylock_loop, LIMITED) {
    AT(3, RF_LOCK(&m));
    rf_thread t = RF_THREAD(try_for_ever, NULL);
    AT(2, (void)RF_JOIN(t));
    RF_UNLOCK(&m);
}

RF_TEST(exchange_loop, LIMITED) {
    for (int one = 1; !AT(1, rf_atomic_compare_exchange_weak(&flag, &one, 2)); one = 1) {
    }
}

/* ---- two that never stop giving way to each other ---- */

static rf_mutex left = RF_MUTEX_INIT, right = RF_MUTEX_INIT;
static bool gave_up;

static void polite(rf_mutex *mine, rf_mutex *other) {
    for (;;) {
        RF_LOCK(mine);
        if (RF_TRYLOCK(other)) break;
        gave_up = true;
        RF_UNLOCK(mine);
    }
    RF_UNLOCK(other);
    RF_UNLOCK(mine);
}

THREAD(right_first) { polite(&right, &left); }

/* It could go on for ever, but a fair scheduler does not let it.  Outcomes: gave up or not. */
REACHING(2, a_fair_schedule_ends_what_only_could_go_on_for_ever, .max_steps = 20000) {
    gave_up = false;
    rf_thread t = RF_THREAD(right_first, NULL);
    polite(&left, &right);
    (void)RF_JOIN(t);
    seen[gave_up]++;
}

/* Both run, and neither does anything else. */
THREAD(flip) {
    for (;;) {
        AT(1, rf_atomic_store(&flag, 1));
        AT(1, rf_atomic_store(&flag, 0));
    }
}

RF_TEST(busy_for_nothing, LIMITED) {
    (void)RF_THREAD(flip, NULL);
    (void)RF_THREAD(flip, NULL);
}

static void *four(void *unused) {
    for (;;) {
        rf_atomic_store(&flag, 1);
        rf_atomic_store(&flag, 2);
        rf_atomic_store(&flag, 3);
        rf_atomic_store(&flag, 4);
    }
    return unused;
}

RF_TEST(four_places, LIMITED) {
    (void)RF_THREAD(four, NULL);
    (void)RF_THREAD(four, NULL);
}

RF_TEST(expected, LIMITED, .expect = RF_EXPECT_LIVELOCK) {
    while (!rf_atomic_load(&flag)) {
    }
}

/* ---- long, but finite ---- */

PASSING(an_execution_below_the_limit_passes, LIMITED) {
    for (int i = 0; i < 900; i++) rf_atomic_store(&flag, 0);
}

/* ---- the checks ---- */

static bool says(const char *test, bool fine, unsigned at, const char *message) {
    return fails_under(test, RF_DIAG_LIVELOCK, at, message, true, fine);
}

static bool both(const char *test, unsigned at, const char *message) {
    return says(test, LAB_FINE, at, message) && says(test, LAB_COARSE, at, message);
}

static bool neither_stops(void) {
    const rfi_tally *t = lab_random("busy_for_nothing", 100, LAB_FINE);
    uint64_t count = 0;
    for (uint32_t i = 0; i < t->failures; i++) {
        const rfi_failure *f = &t->failure[i].failure;
        if (f->diagnostic == RF_DIAG_LIVELOCK && strstr(f->message, "\n  T1 is at livelock.c:") &&
            strstr(f->message, "\n  T2 is at livelock.c:"))
            count += t->failure[i].count;
    }
    return count == 100;
}

/* The limit is reached anywhere in the loop. */
static bool one_finding(void) {
    return lab_random("four_places", 100, LAB_FINE)->failures == 1;
}

static bool limit_of(const char *option, const char *begins) {
    const rfi_study *s = lab_study("atomic_loop", "--executions=10", option, NULL);
    return s->causes == 1 && !strncmp(s->cause[0].kind.failure.message, begins, strlen(begins));
}

int main(void) {
    show_claims();
    lab_check(
        both("atomic_loop", 1, "1000 steps and no end; T0 is running\n  T0 spins at @1 (flag)"),
        "a_loop_of_atomic_loads_is_named", why);
    lab_check(says("plain_loop", LAB_FINE, 1,
                   "1000 steps and no end; T0 is running\n  T0 spins at @1 (plain)"),
              "a_loop_of_plain_loads_is_named", why);
    lab_check(both("hint_loop", 1, "1000 steps and no end; T0 is running\n  T0 spins at @1 (flag)"),
              "a_loop_with_a_hint_is_named", why);
    lab_check(both("another_spins", 1,
                   "1000 steps and no end; T1 is running\n"
                   "  T0 waits at @2 for the end of T1\n"
                   "  T1 spins at @1 (flag)"),
              "the_thread_that_spins_is_told_from_those_that_wait", why);
    lab_check(both("trylock_loop", 1,
                   "1000 steps and no end; T1 is running\n"
                   "  T0 waits at @2 for the end of T1; it holds m (taken at @3)\n"
                   "  T1 spins at @1 (m)"),
              "a_loop_of_trylocks_is_named_and_who_holds_the_lock", why);
    lab_check(
        both("exchange_loop", 1, "1000 steps and no end; T0 is running\n  T0 spins at @1 (flag)"),
        "a_loop_of_compare_exchanges_is_named", why);
    LAB_CHECK("threads_that_run_without_end_are_all_named", neither_stops());
    LAB_CHECK("RF_STEPS_sets_the_limit", limit_of("--steps=500", "500 steps and no end"));
    const rfi_study *s = lab_study("expected", "--executions=20", NULL);
    LAB_CHECK("the_step_limit_is_one_finding", one_finding());
    LAB_CHECK("an_expected_livelock_passes",
              s->result.passed && s->result.found == RF_EXPECT_LIVELOCK);
    return lab_end();
}
