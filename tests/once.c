/* rf_once: the function runs once, everybody waits for it, deadlock, misuse. */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_once o = RF_ONCE_INIT;
static int calls, value, runner;

static void initialise(void) {
    calls++;
    runner = (int)RF_SELF().id;
    RF_YIELD(); /* others come meanwhile */
    RF_STORE(value, 7);
}

THREAD(use) {
    RF_ONCE(&o, initialise);
    RF_ASSERT_EQ(RF_LOAD(value), 7);
}

/* Outcome: who runs it. */
REACHING(3, once_runs_once_in_any_thread_and_all_wait_for_it) {
    calls = 0;
    RF_STORE(value, 0);
    rf_thread t = RF_THREAD(use, NULL), u = RF_THREAD(use, NULL);
    (void)use(NULL);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
    RF_ASSERT_EQ(calls, 1);
    seen[runner]++;
}

PASSING(a_once_made_by_init_runs_again_after_destroy_and_init) {
    rf_once made;
    rf_once_init(&made, "made");
    calls = 0;
    RF_ONCE(&made, initialise);
    RF_ONCE(&made, initialise);
    RF_ASSERT_EQ(calls, 1);
    rf_once_destroy(&made);
    rf_once_init(&made, NULL);
    RF_ONCE(&made, initialise);
    RF_ASSERT_EQ(calls, 2);
}

/* ---- deadlock ---- */

static rf_mutex m = RF_MUTEX_INIT;

static void locks(void) {
    AT(1, RF_LOCK(&m));
    RF_UNLOCK(&m);
}

static void nothing(void) {}

THREAD(once_that_locks) { AT(2, RF_ONCE(&o, locks)); }

FAILING(a_once_that_needs_the_lock_of_a_waiting_thread_is_a_deadlock, LOCK_CYCLE, 4,
        "cycle T0 -> T1 -> T0\n  T0 waits at @4 for the initialiser of o, run by T1; it holds m "
        "(taken at @3)\n  T1 waits at @1 for mutex m, held by T0") {
    BESIDE(once_that_locks) {
        AT(3, RF_LOCK(&m));
        AT(4, RF_ONCE(&o, nothing));
        RF_UNLOCK(&m);
    }
}

/* ---- misuse ---- */

static void again(void) { AT(1, RF_ONCE(&o, again)); }

FAILING_ALWAYS(a_once_that_calls_itself_fails, ONCE_RECURSIVE, 1,
               "the function of o calls it again") {
    RF_ONCE(&o, again);
}

static void destroys(void) { AT(2, rf_once_destroy(&o)); }

FAILING_ALWAYS(destroying_a_once_that_runs_fails, DESTROY_BUSY, 2, "T0 runs the function of o") {
    AT(1, RF_ONCE(&o, destroys));
}

/* Outside of a test it runs the function at most once too. */
static void count(void) { calls++; }

static bool outside(void) {
    static rf_once plain = RF_ONCE_INIT;
    calls = 0;
    RF_ONCE(&plain, count);
    RF_ONCE(&plain, count);
    return calls == 1;
}

int main(void) {
    show_claims();
    LAB_CHECK("outside_of_a_test_once_runs_once", outside());
    return lab_end();
}
