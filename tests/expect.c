/* `.expect`, for every kind of finding: found and named, named and not found, found and not named;
 * and RF_FAIL_ON.  With a worker process, as outside of the laboratory. */
#define RF_IMPLEMENTATION
#include "lab.h"

static rf_atomic_int never;
static rf_mutex m = RF_MUTEX_INIT;
static int x, y;

/* ---- one way to go wrong for each kind ---- */

THREAD(store_x) { RF_STORE(x, 1); }

static void race(void) { BESIDE(store_x) RF_STORE(x, 2); }

static void failure(void) { RF_ASSERT_EQ(rf_atomic_load(&never), 1); }
static void misuse(void) { RF_UNLOCK(&m); }

static void deadlock(void) {
    static rf_sem s = RF_SEM_INIT(0);
    RF_SEM_WAIT(&s);
}

static void livelock(void) {
    while (!rf_atomic_load(&never)) {
    }
}

static void crash(void) { abort(); }
static void peace(void) { RF_YIELD(); }

/* A race that makes an assertion fail in some orders. */
THREAD(add_one) { RF_STORE(y, RF_LOAD(y) + 1); }

static void harmful_race(void) {
    RF_STORE(y, 0);
    BESIDE(add_one) add_one(NULL);
    RF_ASSERT_EQ(RF_LOAD(y), 2);
}

/* A race, and a failure that has nothing to do with it. */
static void race_and_failure(void) {
    failure();
    race();
}

/* One or the other. */
static void race_or_failure(void) {
    if (RF_CHOOSE(2))
        failure();
    else
        race();
}

#define WAYS(X)      \
 X(race)             \
 X(failure)          \
 X(misuse)           \
 X(deadlock)         \
 X(livelock)         \
 X(crash)            \
 X(peace)            \
 X(harmful_race)     \
 X(race_and_failure) \
 X(race_or_failure)

#define WAY_TESTS(way)                                                                     \
 RF_TEST(way##_for_pass, .max_steps = 2000) { way(); }                                     \
 RF_TEST(way##_for_race, .max_steps = 2000, .expect = RF_EXPECT_RACE) { way(); }           \
 RF_TEST(way##_for_failure, .max_steps = 2000, .expect = RF_EXPECT_FAILURE) { way(); }     \
 RF_TEST(way##_for_deadlock, .max_steps = 2000, .expect = RF_EXPECT_DEADLOCK) { way(); }   \
 RF_TEST(way##_for_livelock, .max_steps = 2000, .expect = RF_EXPECT_LIVELOCK) { way(); }   \
 RF_TEST(way##_for_atomicity, .max_steps = 2000, .expect = RF_EXPECT_ATOMICITY) { way(); } \
 RF_TEST(way##_for_crash, .max_steps = 2000, .expect = RF_EXPECT_CRASH) { way(); }
WAYS(WAY_TESTS)

RF_TEST(two_kinds, .max_steps = 2000, .expect = RF_EXPECT_DEADLOCK | RF_EXPECT_FAILURE) {
    if (RF_CHOOSE(2))
        deadlock();
    else
        failure();
}

RF_TEST(two_kinds_one_found, .expect = RF_EXPECT_DEADLOCK | RF_EXPECT_FAILURE) { deadlock(); }

/* ---- the checks ---- */

static const char *const kind_of[] = {"pass",     "race",      "failure", "deadlock",
                                      "livelock", "atomicity", "crash"};

static const rfi_result *judged(const char *test, const char *option) {
    static rfi_campaign c;
    static rfi_study study;
    const char *argv[] = {"expect", "--executions=60", option, NULL};
    if (rfi_settings_read(&c.settings, rfi_names_all(), option ? 3 : 2, (char **)(uintptr_t)argv))
        exit(2);
    if (!c.reporter) {
        c.reporter = &lab_silent;
        c.out = stdout;
        c.team.watchdog = 60;
        rfi_team_open(&c.team, 1);
        rfi_team_listen(&c.team);
    }
    rfi_campaign_test(&c, &study, rfi_test_named(test));
    return &study.result;
}

/* A test that goes wrong in `way` passes exactly when it expects `right`, one of kind_of. */
static void passes_only_for(const char *sentence, const char *way, const char *right) {
    for (unsigned i = 0; i < sizeof kind_of / sizeof *kind_of; i++) {
        char test[64], why[160];
        snprintf(test, sizeof test, "%s_for_%s", way, kind_of[i]);
        const rfi_result *r = judged(test, NULL);
        if (r->passed == !strcmp(kind_of[i], right)) continue;
        snprintf(why, sizeof why, "%s: passed %d, found %u, missing %u", test, r->passed, r->found,
                 r->missing);
        lab_check(false, sentence, why);
        return;
    }
    lab_check(true, sentence, "");
}

int main(void) {
    passes_only_for("peace_passes_only_when_nothing_is_expected", "peace", "pass");
    passes_only_for("a_race_passes_only_when_expected", "race", "race");
    passes_only_for("a_failed_assertion_passes_only_when_expected", "failure", "failure");
    passes_only_for("misuse_passes_only_when_a_failure_is_expected", "misuse", "failure");
    passes_only_for("a_deadlock_passes_only_when_expected", "deadlock", "deadlock");
    passes_only_for("a_livelock_passes_only_when_expected", "livelock", "livelock");
    passes_only_for("a_crash_passes_only_when_expected", "crash", "crash");
    passes_only_for("harm_that_follows_from_an_expected_race_passes", "harmful_race", "race");
    passes_only_for("a_failure_before_any_race_is_not_that_races_harm", "race_and_failure",
                    "failure");
    /* explorers alone, without a checker that directs executions at the race */
    static const char *const alone[] = {"--strategy=dfs", "--strategy=bounded",
                                        "--strategy=random"};
    bool harm = true, apart = true;
    for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++) {
        harm &= judged("harmful_race_for_race", alone[i])->passed &&
                !judged("harmful_race_for_pass", alone[i])->passed &&
                !judged("harmful_race_for_failure", alone[i])->passed;
        apart &= !judged("race_and_failure_for_race", alone[i])->passed &&
                 !judged("race_or_failure_for_race", alone[i])->passed;
    }
    LAB_CHECK("harm_that_follows_from_an_expected_race_passes_without_a_checker", harm);
    LAB_CHECK("a_failure_before_any_race_is_not_its_harm_without_a_checker", apart);
    LAB_CHECK("two_expected_kinds_pass_when_both_are_found", judged("two_kinds", NULL)->passed);
    const rfi_result *r = judged("two_kinds_one_found", NULL);
    LAB_CHECK("two_expected_kinds_fail_when_one_is_missing",
              !r->passed && r->missing == RF_EXPECT_FAILURE);

    LAB_CHECK("a_race_fails_a_test", !judged("race_for_pass", "--fail-on=race")->passed);
    r = judged("race_for_pass", "--fail-on=harm");
    LAB_CHECK("RF_FAIL_ON_harm_lets_a_race_without_harm_pass", r->passed && r->real && !r->harmful);
    r = judged("harmful_race_for_pass", "--fail-on=harm");
    LAB_CHECK("RF_FAIL_ON_harm_fails_for_a_race_with_harm", !r->passed && r->harmful);
    LAB_CHECK("RF_FAIL_ON_harm_fails_for_other_failures",
              !judged("deadlock_for_pass", "--fail-on=harm")->passed);
    return lab_end();
}
