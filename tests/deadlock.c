/* Deadlocks are found and told: the cycle, what each thread waits for, the locks by name and the
 * place where each was taken. */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_mutex a = RF_MUTEX_INIT, b = RF_MUTEX_INIT;

/* ---- two locks ---- */

THREAD(b_then_a) {
    AT(3, RF_LOCK(&b));
    AT(4, RF_LOCK(&a));
    RF_UNLOCK(&a);
    RF_UNLOCK(&b);
}

static void a_then_b(void) {
    AT(1, RF_LOCK(&a));
    AT(2, RF_LOCK(&b));
    RF_UNLOCK(&b);
    RF_UNLOCK(&a);
}

FAILING(two_locks_in_two_orders_are_a_deadlock, LOCK_CYCLE, 2,
        "cycle T0 -> T1 -> T0\n"
        "  T0 waits at @2 for mutex b, held by T1; it holds a (taken at @1)\n"
        "  T1 waits at @4 for mutex a, held by T0; it holds b (taken at @3)") {
    BESIDE(b_then_a) a_then_b();
}

THREAD(a_then_b_too) { a_then_b(); }

PASSING(two_locks_in_one_order_are_none) { BESIDE(a_then_b_too) a_then_b(); }

PASSING(a_trylock_breaks_the_cycle) {
    BESIDE(b_then_a) {
        RF_LOCK(&a);
        if (RF_TRYLOCK(&b)) RF_UNLOCK(&b);
        RF_UNLOCK(&a);
    }
}

/* A third thread only waits for one of the two. */
THREAD(only_a) {
    AT(5, RF_LOCK(&a));
    RF_UNLOCK(&a);
}

RF_TEST(beside_a_cycle) {
    rf_thread t = RF_THREAD(only_a, NULL), u = RF_THREAD(b_then_a, NULL);
    a_then_b();
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
}

static bool tells_of_the_third(void) {
    const rfi_tally *t = lab_random("beside_a_cycle", SCHEDULES, LAB_FINE);
    const rfi_failure *f = &t->failure[0].failure; /* the shortest: the third has not gone on */
    return t->failures == 1 && f->diagnostic == RF_DIAG_LOCK_CYCLE &&
           strstr(f->message, "cycle T0 -> T2 -> T0\n") == f->message &&
           strstr(f->message, with_lines("\n  T1 waits at @5 for mutex a, held by T0\n"));
}

/* ---- philosophers ---- */

enum { SEATS = 3 };
static rf_mutex fork_of[SEATS];

static void *dine(void *seat) {
    int i = *(int *)seat;
    AT(1, RF_LOCK(&fork_of[i]));
    AT(2, RF_LOCK(&fork_of[(i + 1) % SEATS]));
    RF_UNLOCK(&fork_of[i]);
    RF_UNLOCK(&fork_of[(i + 1) % SEATS]);
    return NULL;
}

static void *dine_politely(void *seat) {
    int i = *(int *)seat, j = (i + 1) % SEATS;
    RF_LOCK(&fork_of[i < j ? i : j]);
    RF_LOCK(&fork_of[i < j ? j : i]);
    RF_UNLOCK(&fork_of[i]);
    RF_UNLOCK(&fork_of[j]);
    return NULL;
}

static void table_for(void *(*manner)(void *)) {
    static int seat[SEATS] = {0, 1, 2};
    static const char *const name[SEATS] = {"red", "green", "blue"};
    rf_thread t[SEATS];
    for (int i = 0; i < SEATS; i++) rf_mutex_init(&fork_of[i], name[i], RF_MUTEX_NORMAL);
    for (int i = 0; i < SEATS; i++) t[i] = RF_THREAD(manner, &seat[i]);
    for (int i = 0; i < SEATS; i++) AT(3, (void)RF_JOIN(t[i]));
}

FAILING(three_philosophers_are_a_deadlock, LOCK_CYCLE, 2,
        "cycle T1 -> T2 -> T3 -> T1\n  T0 waits at @3 for the end of T1\n  T1 waits at @2 for "
        "mutex green, held by T2; it holds red (taken at @1)\n  T2 waits at @2 for mutex blue, "
        "held by T3; it holds green (taken at @1)\n  T3 waits at @2 for mutex red, held by T1; it "
        "holds blue (taken at @1)") {
    table_for(dine);
}
PASSING(philosophers_with_an_order_of_forks_are_none) { table_for(dine_politely); }

/* ---- locks that share a name are told apart by number ---- */

static rf_mutex node[2];

THREAD(second_first) {
    AT(3, RF_LOCK(&node[1]));
    AT(4, RF_LOCK(&node[0]));
    RF_UNLOCK(&node[0]);
    RF_UNLOCK(&node[1]);
}

FAILING(
    locks_with_the_same_name_are_told_apart, LOCK_CYCLE, 2,
    "cycle T0 -> T1 -> T0\n  T0 waits at @2 for mutex node#2, held by T1; it holds node#1 (taken "
    "at @1)\n  T1 waits at @4 for mutex node#1, held by T0; it holds node#2 (taken at @3)") {
    for (int i = 0; i < 2; i++) rf_mutex_init(&node[i], "node", RF_MUTEX_NORMAL);
    rf_thread t = RF_THREAD(second_first, NULL);
    AT(1, RF_LOCK(&node[0]));
    AT(2, RF_LOCK(&node[1]));
    RF_UNLOCK(&node[1]);
    RF_UNLOCK(&node[0]);
    (void)RF_JOIN(t);
}

/* ---- joins ---- */

static rf_thread body;

THREAD(join_body) { AT(2, (void)RF_JOIN(body)); }

FAILING_ALWAYS(two_threads_that_join_each_other_are_a_deadlock, LOCK_CYCLE, 1,
               "cycle T0 -> T1 -> T0\n  T0 waits at @1 for the end of T1\n  T1 waits at @2 for the "
               "end of T0") {
    body = RF_SELF();
    rf_thread t = RF_THREAD(join_body, NULL);
    AT(1, (void)RF_JOIN(t));
}

THREAD(lock_a) {
    AT(3, RF_LOCK(&a));
    RF_UNLOCK(&a);
}

FAILING(joining_a_thread_that_needs_ones_lock_is_a_deadlock, LOCK_CYCLE, 2,
        "cycle T0 -> T1 -> T0\n  T0 waits at @2 for the end of T1; it holds a (taken at @1)\n  T1 "
        "waits at @3 for mutex a, held by T0") {
    rf_thread t = RF_THREAD(lock_a, NULL);
    AT(1, RF_LOCK(&a));
    AT(2, (void)RF_JOIN(t));
    RF_UNLOCK(&a);
}

/* The first thread waits for the third, which waits for the second. */
THREAD(a_then_b_slowly) {
    AT(1, RF_LOCK(&a));
    AT(2, RF_LOCK(&b));
    RF_UNLOCK(&b);
    RF_UNLOCK(&a);
}

RF_TEST(joined_from_behind) {
    rf_thread t = RF_THREAD(a_then_b_slowly, NULL), u = RF_THREAD(b_then_a, NULL);
    (void)RF_JOIN(u);
    (void)RF_JOIN(t);
}

static bool begins_with_the_lowest(void) {
    const rfi_tally *t = lab_random("joined_from_behind", SCHEDULES, LAB_FINE);
    return t->failures && !strncmp(t->failure[0].failure.message, "cycle T1 -> T2 -> T1\n", 21);
}

/* ---- waits that nobody ends ---- */

static rf_cond c = RF_COND_INIT;
static rf_sem s = RF_SEM_INIT(1);
static rf_barrier gate = RF_BARRIER_INIT(2);

FAILING_ALWAYS(a_condition_that_nobody_signals_is_a_deadlock, STUCK, 2,
               "1 thread waits and nobody can wake it\n  T0 waits at @2 for a signal of c; it "
               "holds b (taken at @1)",
               .no_spurious = true) {
    AT(1, RF_LOCK(&b));
    RF_LOCK(&a);
    AT(2, RF_WAIT(&c, &a));
}

FAILING_ALWAYS(
    a_semaphore_that_nobody_posts_is_a_deadlock, STUCK, 1,
    "1 thread waits and nobody can wake it\n  T0 waits at @1 for a post of semaphore s") {
    RF_SEM_WAIT(&s);
    AT(1, RF_SEM_WAIT(&s));
}

THREAD(pass_gate) { AT(1, (void)RF_BARRIER_WAIT(&gate)); }

FAILING_ALWAYS(a_barrier_at_which_nobody_arrives_is_a_deadlock, STUCK, 1,
               "1 thread waits and nobody can wake it\n  T1 waits at @1 at barrier gate, where 1 "
               "of 2 have arrived") {
    (void)RF_THREAD(pass_gate, NULL);
}

/* Three kinds of waits in a row; the place is where the row ends. */
THREAD(end_of_the_row) {
    AT(3, RF_LOCK(&a));
    AT(4, (void)RF_BARRIER_WAIT(&gate));
    RF_UNLOCK(&a);
}

FAILING_ALWAYS(the_place_of_a_deadlock_is_where_the_waits_end, STUCK, 4,
               "2 threads wait and nobody can wake them\n  T0 waits at @1 for the end of T1\n  T1 "
               "waits at @4 at barrier gate, where 1 of 2 have arrived; it holds a (taken at @3)") {
    rf_thread t = RF_THREAD(end_of_the_row, NULL);
    AT(1, (void)RF_JOIN(t));
}

/* Who holds a lock and can still run is no deadlock. */
THREAD(unlock_later) {
    RF_LOCK(&a);
    for (int i = 0; i < 3; i++) RF_SLEEP_MS(1000);
    RF_UNLOCK(&a);
}

PASSING(a_lock_held_for_long_is_no_deadlock) { BESIDE(unlock_later) RF_GUARD(&a) RF_YIELD(); }

/* A time-out breaks the cycle. */
THREAD(b_then_a_timed) {
    RF_LOCK(&b);
    if (RF_TIMEDLOCK(&a, 100)) RF_UNLOCK(&a);
    RF_UNLOCK(&b);
}

PASSING(a_time_out_breaks_the_cycle) { BESIDE(b_then_a_timed) a_then_b(); }

/* ---- campaigns ---- */

RF_TEST(expected, .expect = RF_EXPECT_DEADLOCK) {
    body = RF_SELF();
    (void)RF_JOIN(RF_THREAD(join_body, NULL));
}

/* ---- beside a checker, which ends an execution as soon as there is a cycle ---- */

static rf_once once = RF_ONCE_INIT;
static int parcel, ready;

static void nothing(void) {}
THREAD(sends) {
    RF_STORE(parcel, 7);
    RF_GUARD(&a) { RF_STORE(ready, 1); }
}
THREAD(receives) {
    int arrived = 0;
    RF_GUARD(&a) { arrived = RF_LOAD(ready); }
    if (arrived) RF_STORE(parcel, RF_LOAD(parcel) + 1);
}
THREAD(passes_twice) {
    RF_ONCE(&once, nothing);
    RF_ONCE(&once, nothing);
}

/* One waits for another, which is at an operation on what it has made itself, and can go on. */
RF_TEST(the_other_can_go_on) {
    parcel = ready = 0;
    rf_thread t = RF_THREAD(sends, NULL), u = RF_THREAD(receives, NULL);
    rf_thread v = RF_THREAD(passes_twice, NULL);
    for (int i = 0; i < 3; i++) RF_YIELD();
    (void)RF_JOIN(v);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
}

THREAD(tries) {
    for (int i = 0; i < 3; i++)
        if (RF_TRYLOCK(&b)) RF_UNLOCK(&b);
}

/* When there is a cycle, some are about to try a lock: they wait for nothing. */
RF_TEST(a_try_beside_a_cycle, .expect = RF_EXPECT_DEADLOCK) {
    parcel = ready = 0;
    rf_thread t = RF_THREAD(sends, NULL), u = RF_THREAD(receives, NULL);
    rf_thread v = RF_THREAD(b_then_a, NULL), w = RF_THREAD(tries, NULL);
    a_then_b();
    (void)RF_JOIN(v);
    (void)RF_JOIN(w);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
}

static bool campaign(const char *test, bool passes, unsigned found) {
    const rfi_study *study = lab_study(test, "--executions=1000", NULL);
    return study->result.passed == passes && study->result.found == found;
}

/* Two threads take two locks in two orders while a third spins for what one of them would do. */
static rf_mutex spin_a, spin_b;
static rf_atomic_int spin_done;
THREAD(spin_other) {
    RF_LOCK(&spin_b);
    RF_LOCK(&spin_a);
    RF_UNLOCK(&spin_a);
    RF_UNLOCK(&spin_b);
    rf_atomic_store(&spin_done, 1);
}
THREAD(spin_watch) {
    while (!rf_atomic_load(&spin_done)) RF_YIELD();
}
RF_TEST(beside_a_spinner) {
    rf_mutex_init(&spin_a, "a", RF_MUTEX_NORMAL);
    rf_mutex_init(&spin_b, "b", RF_MUTEX_NORMAL);
    rf_atomic_init(&spin_done, 0);
    rf_thread t = RF_THREAD(spin_other, NULL), u = RF_THREAD(spin_watch, NULL);
    RF_LOCK(&spin_a);
    RF_LOCK(&spin_b);
    RF_UNLOCK(&spin_b);
    RF_UNLOCK(&spin_a);
    RF_JOIN(t);
    RF_JOIN(u);
}

static void spinner(void) {
    const rfi_tally *t = lab_random("beside_a_spinner", 200, LAB_FINE);
    LAB_CHECK("a_deadlock_beside_a_spinner_is_one_and_no_livelock",
              lab_failures(t) > 20 && t->failures == 1 &&
                  t->failure[0].failure.diagnostic == RF_DIAG_LOCK_CYCLE);
}

int main(void) {
    show_claims();
    LAB_CHECK("a_cycle_is_told_from_its_lowest_thread_on", begins_with_the_lowest());
    LAB_CHECK("a_thread_that_waits_beside_the_cycle_is_told_of", tells_of_the_third());
    spinner();
    LAB_CHECK("a_deadlock_fails_a_test",
              campaign("two_locks_in_two_orders_are_a_deadlock", false, RF_EXPECT_DEADLOCK));
    LAB_CHECK("an_expected_deadlock_passes", campaign("expected", true, RF_EXPECT_DEADLOCK));
    LAB_CHECK("who_can_go_on_is_on_no_cycle", campaign("the_other_can_go_on", true, 0));
    LAB_CHECK("a_cycle_beside_a_try_is_told",
              campaign("a_try_beside_a_cycle", true, RF_EXPECT_DEADLOCK));
    return lab_end();
}
