/* Loops that wait may have a bound, and their threads give up where a machine lets them: under
 * every explorer.  Loops without a bound never end an execution (tests/deadlock.c), and threads of
 * thousands of steps also run one entirely before the other. */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_atomic_int ready, other;
static rf_mutex m = RF_MUTEX_INIT;
static bool gave_up;

static void *makes_ready(void *unused) {
    rf_atomic_store(&ready, 1);
    return unused;
}

static void *holds_lock(void *unused) {
    RF_LOCK(&m);
    rf_atomic_store(&other, 1);
    RF_UNLOCK(&m);
    return unused;
}

/* ---- bounded retries; each returns whether it gave up ---- */

static bool polls(void) {
    for (int i = 0; i < 10; i++) {
        if (rf_atomic_load(&ready)) return false;
        RF_SLEEP_MS(1);
    }
    return true;
}

static bool compares(void) {
    for (int i = 0, one = 1; i < 40; i++, one = 1)
        if (rf_atomic_compare_exchange_strong(&ready, &one, 2)) return false;
    return true;
}

static bool backs_off(void) {
    for (int i = 0; i < 6; i++) {
        if (rf_atomic_load(&ready)) return false;
        for (int k = 0; k < 1 << i; k++) RF_SPIN_HINT();
    }
    return true;
}

static bool until_deadline(void) {
    uint64_t deadline = rfi.run.now + 50;
    while (!rf_atomic_load(&ready)) {
        if (rfi.run.now >= deadline) return true;
        RF_SLEEP_MS(5);
    }
    return false;
}

static bool hints_once(void) {
    RF_SPIN_HINT();
    return !rf_atomic_load(&ready);
}

static bool tries(void) {
    for (int i = 0; i < 5; i++)
        if (RF_TRYLOCK(&m)) {
            RF_UNLOCK(&m);
            return false;
        }
    return true;
}

static bool tries_for_a_time(void) {
    for (int i = 0; i < 5; i++)
        if (RF_TIMEDLOCK(&m, 1)) {
            RF_UNLOCK(&m);
            return false;
        }
    return true;
}

/* The retry gives up although the other thread lives: it had not come so far. */
static void with(void *(*by)(void *), bool (*retry)(void)) {
    rf_atomic_store(&ready, 0);
    rf_thread t = RF_THREAD(by, NULL);
    gave_up = retry();
    RF_JOIN(t);
    seen[gave_up]++;
    RF_ASSERT(!gave_up);
}

RF_TEST(ten_polls) { with(makes_ready, polls); }
RF_TEST(forty_exchanges) { with(makes_ready, compares); }
RF_TEST(a_back_off) { with(makes_ready, backs_off); }
RF_TEST(a_deadline) { with(makes_ready, until_deadline); }
RF_TEST(one_hint) { with(makes_ready, hints_once); }
RF_TEST(five_trylocks) { with(holds_lock, tries); }
RF_TEST(five_timed_locks) { with(holds_lock, tries_for_a_time); }

/* Twenty yields, then it parks, after a look that does not hold any more: a lost wake-up. */
static rf_cond wakes = RF_COND_INIT;
static void *yields_and_parks(void *unused) {
    for (int i = 0; i < 20; i++) {
        if (rf_atomic_load(&ready)) return unused;
        RF_YIELD();
    }
    if (rf_atomic_load(&ready)) return unused;
    RF_LOCK(&m);
    RF_WAIT(&wakes, &m);
    RF_UNLOCK(&m);
    return unused;
}

static void *makes_ready_and_wakes(void *unused) {
    rf_atomic_store(&ready, 1);
    RF_SIGNAL(&wakes);
    return unused;
}

RF_TEST(yields_then_parks, .no_spurious = true) {
    rf_atomic_store(&ready, 0);
    lab_two(yields_and_parks, makes_ready_and_wakes);
}

/* ---- long prefixes ---- */

static int rounds;

static void *works(void *done) {
    for (int i = 0; i < rounds; i++) {
        RF_LOCK(&m);
        RF_UNLOCK(&m);
    }
    rf_atomic_store((rf_atomic_int *)done, 1);
    return done;
}

static void *looks(void *at) {
    RF_ASSERT(!rf_atomic_load((rf_atomic_int *)at));
    return at;
}

RF_TEST(looks_after) {
    rf_atomic_store(&ready, 0);
    rf_thread a = RF_THREAD(works, &ready), b = RF_THREAD(looks, &ready);
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_TEST(looks_after_the_other_order) {
    rf_atomic_store(&ready, 0);
    rf_thread b = RF_THREAD(looks, &ready), a = RF_THREAD(works, &ready);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* Three threads one after the other, in which order? */
static int order;
static void *comes(void *which) {
    for (int i = 0; i < rounds; i++) {
        RF_LOCK(&m);
        RF_UNLOCK(&m);
    }
    RF_LOCK(&m);
    order = order * 3 + *(int *)which;
    RF_UNLOCK(&m);
    return which;
}

RF_TEST(three_in_a_row) {
    static int which[] = {0, 1, 2};
    rf_thread t[3];
    order = 0;
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(comes, &which[i]);
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
    seen[order]++;
}

/* ---- the checks ---- */

static const char *const explorers[] = {"random", "sticky",   "pct",   "pos",  "rapos",
                                        "surw",   "urw",      "feedback", "delay", "bounded",
                                        "delay-bounded", "dfs", "dpor"};
enum { EXPLORERS = sizeof explorers / sizeof *explorers, EXHAUSTIVE = 4 /* the last ones */ };

static bool found(const char *test, const char *explorer, const char *executions) {
    char option[64];
    snprintf(option, sizeof option, "--strategy=%s", explorer);
    return !lab_study(test, option, executions, "--seconds=none", NULL)->result.passed ||
           !lab_study(test, option, executions, "--seconds=none", "--seed=2", NULL)->result.passed;
}

static void named_programs(void) {
    static const char *const tests[] = {"ten_polls",        "forty_exchanges",  "a_back_off",
                                        "a_deadline",       "one_hint",         "five_trylocks",
                                        "five_timed_locks", "yields_then_parks"};
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        char name[64];
        bool all = found(tests[i], "auto", "--executions=1000");
        snprintf(name, sizeof name, "%s_may_give_up_under_every_explorer", tests[i]);
        if (!all) because("auto");
        for (unsigned k = 0; k < EXPLORERS; k++) {
            bool rare = !strcmp(tests[i], "yields_then_parks") && !strcmp(explorers[k], "urw");
            if (!rare && !found(tests[i], explorers[k], "--executions=10000"))
                all = because("%s", explorers[k]);
        }
        lab_check(all, name, why);
    }
}

/* How many of the orders of three long threads an explorer shows. */
static unsigned orders_shown(const char *strategy, const char *executions) {
    unsigned orders = 0;
    memset(seen, 0, sizeof seen);
    lab_study("three_in_a_row", strategy, executions, "--seconds=none", NULL);
    for (unsigned i = 0; i < OUTCOMES; i++) orders += seen[i] != 0;
    return orders;
}

/* A thread of thousands of steps runs entirely before or after another. */
static void long_prefixes(void) {
    static const int lengths[] = {2000, 20000, 100000};
    bool all = true;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        rounds = lengths[i];
        all &= found("looks_after", "auto", "--executions=64") || because("auto %d", rounds);
        for (unsigned k = i ? EXPLORERS - EXHAUSTIVE : 0; i < 2 && k < EXPLORERS; k++)
            all &= (found("looks_after", explorers[k], "--executions=64") &&
                    found("looks_after_the_other_order", explorers[k], "--executions=64")) ||
                   because("%s %d", explorers[k], rounds);
    }
    lab_check(all, "a_long_thread_runs_entirely_before_a_short_one", why);
    rounds = 2000;
    unsigned orders = orders_shown("--strategy=pct", "--executions=2100");
    because("%u", orders);
    lab_check(orders >= 5, "three_long_threads_run_one_after_the_other_in_most_orders", why);
    all = true;
    for (unsigned k = EXPLORERS - EXHAUSTIVE; k < EXPLORERS; k++) {
        char option[64];
        snprintf(option, sizeof option, "--strategy=%s", explorers[k]);
        orders = orders_shown(option, "--executions=25");
        if (orders < 6) all = because("%s: %u", explorers[k], orders);
    }
    lab_check(all, "and_in_all_of_them_among_the_first_executions_of_all_schedules", why);
}

/* Those that were thrown in are told apart, and none is in a test that is gone through soon. */
static void sentences(void) {
    rounds = 5;
    (void)lab_study("looks_after_the_other_order", "--strategy=dfs", "--executions=10000", NULL);
    const char *said = rfi_dfs_summary();
    (void)because("%s", said);
    lab_check(!strcmp(said, "all 13 schedules explored " RFI_UNDER_SC),
              "a_small_test_has_no_executions_beside_all_schedules", why);
    rounds = 100;
    (void)lab_study("looks_after_the_other_order", "--strategy=dfs", "--executions=10000", NULL);
    said = rfi_dfs_summary();
    (void)because("%s", said);
    lab_check(!strcmp(said, "all 203 schedules explored " RFI_UNDER_SC
                            " (6 more executions had no preemption)"),
              "all_schedules_are_counted_once_beside_those_without_preemptions", why);
}

int main(void) {
    named_programs();
    long_prefixes();
    sentences();
    return lab_end();
}
