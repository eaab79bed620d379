/* Phase 3: which races are destructive, under which heuristic, and what it costs where there is
 * nothing to find. */
#define RF_IMPLEMENTATION
#include "lab.h"

static int data, ready, a, b;
static int64_t wide;
static rf_atomic_int flag;

/* ---- programs ---- */

THREAD(store_data) {
    RF_STORE(data, 7);
    RF_STORE(ready, 1);
}

static void publish(void) {
    data = ready = 0;
    BESIDE(store_data) if (RF_LOAD(ready)) RF_ASSERT_EQ(RF_LOAD(data), 7);
}

RF_TEST(published) { publish(); }
RF_TEST(published_as_known, .expect = RF_EXPECT_RACE) { publish(); }

/* Check then use, in a loop: what Oldest cannot see (Flanagan, Freund, figure 8). */
THREAD(store_a) { RF_STORE(a, 1); }

RF_TEST(checked_in_a_loop) {
    a = 0;
    BESIDE(store_a) {
        for (int i = 0; i < 4; i++)
            if (RF_LOAD(a)) RF_ASSERT_EQ(RF_LOAD(a), 1);
    }
}

RF_TEST(any_value_is_fine) {
    a = 0;
    BESIDE(store_a)(void) RF_LOAD(a);
}

RF_TEST(waited_for) {
    a = 0;
    BESIDE(store_a) while (!RF_LOAD(a)) RF_SPIN_HINT();
}

THREAD(store_wide) { RF_STORE(wide, -1); }

RF_TEST(torn_in_two) {
    wide = 0;
    BESIDE(store_wide) {
        int64_t seen = RF_LOAD(wide);
        RF_ASSERT(seen == 0 || seen == -1);
    }
}

/* Either write may be missed, but not both. */
THREAD(store_both) {
    RF_STORE(a, 1);
    RF_STORE(b, 1);
    rf_atomic_store_explicit(&flag, 1, rf_memory_order_relaxed);
}

RF_TEST(one_is_enough) {
    a = b = 0;
    rf_atomic_init(&flag, 0);
    BESIDE(store_both) {
        if (rf_atomic_load_explicit(&flag, rf_memory_order_relaxed)) {
            int first = RF_LOAD(a), second = RF_LOAD(b);
            RF_ASSERT(first || second);
        }
    }
}

THREAD(add_one) { RF_STORE(a, RF_LOAD(a) + 1); }

RF_TEST(lost_anyway) {
    a = 0;
    rf_thread t = RF_THREAD(add_one, NULL);
    (void)add_one(NULL);
    (void)RF_JOIN(t);
    RF_ASSERT_EQ(RF_LOAD(a), 2);
}

/* The failure comes with every memory. */
RF_TEST(unlucky) {
    publish();
    if (!RF_CHOOSE(4)) RF_FAIL("bad luck");
}

THREAD(store_flag) { rf_atomic_store(&flag, 1); }

RF_TEST(hopeless) {
    rf_atomic_init(&flag, 0);
    rf_thread t = RF_THREAD(store_flag, NULL);
    (void)rf_atomic_load(&flag);
    (void)RF_JOIN(t);
    RF_FAIL("always");
}

/* Store buffering, twelve times in a row: nobody's luck. */
#define MANY 12
static rf_atomic_int stored[2][MANY];

static int missed(int mine) {
    int n = 0;
    for (int i = 0; i < MANY; i++)
        rf_atomic_store_explicit(&stored[mine][i], 1, rf_memory_order_relaxed);
    for (int i = 0; i < MANY; i++)
        n += !rf_atomic_load_explicit(&stored[!mine][i], rf_memory_order_relaxed);
    return n;
}

static void *miss(void *n) {
    *(int *)n = missed(1);
    return NULL;
}

RF_TEST(stubborn) {
    int n = 0;
    for (int i = 0; i < MANY; i++) {
        rf_atomic_init(&stored[0][i], 0);
        rf_atomic_init(&stored[1][i], 0);
    }
    rf_thread t = RF_THREAD(miss, &n);
    int here = missed(0);
    (void)RF_JOIN(t);
    RF_ASSERT(here + n < 2 * MANY);
}

THREAD(store_racy) {
    RF_RACY_STORE(a, 1);
    RF_RACY_STORE(b, 1);
}

RF_TEST(meant_to_race) {
    a = b = 0;
    BESIDE(store_racy) if (RF_RACY_LOAD(b)) RF_ASSERT_EQ(RF_RACY_LOAD(a), 1);
}

RF_TEST(alone) {
    RF_STORE(a, 1);
    RF_ASSERT_EQ(RF_LOAD(a), 1);
}

/* ---- what is found ---- */

static uint32_t verdicts(rfi_verdict v) {
    const rfi_result *r = &lab_the_study.result;
    uint32_t n[] = {r->potential, r->real, r->destructive, r->harmful};
    return n[v];
}

/* The verdict on the one pair whose second access reads this expression. */
static const rfi_warning *pair_on(const char *expression, rfi_verdict v) {
    rfi_study *s = &lab_the_study;
    for (uint32_t i = 0; i < s->result.warnings; i++)
        if (!strcmp(s->result.warning[i].side[0].site->text, expression))
            return rfi_study_verdict(s, i) == v ? &s->result.warning[i] : NULL;
    return NULL;
}

static uint64_t failed(const rfi_warning *p, rf_heuristic pick) {
    return p ? p->trial[pick].failed : 0;
}

static void test_verdicts(void) {
    const rfi_result *r = &lab_the_study.result;
    lab_study("published", NULL);
    const rfi_warning *p = pair_on("data", RFI_DESTRUCTIVE);
    LAB_CHECK("the_race_on_what_is_published_is_destructive", p && verdicts(RFI_DESTRUCTIVE) == 1);
    LAB_CHECK("all_heuristics_show_it",
              failed(p, RF_PICK_OLDEST) && failed(p, RF_PICK_OLDEST_DIFFERENT) &&
                  failed(p, RF_PICK_RANDOM) && failed(p, RF_PICK_RANDOM_DIFFERENT));
    LAB_CHECK("newest_values_do_not",
              p && p->trial[RF_PICK_NEWEST].executions && !failed(p, RF_PICK_NEWEST));
    LAB_CHECK("the_race_on_its_flag_is_not", pair_on("ready", RFI_REAL) != NULL);
    LAB_CHECK("a_destructive_race_fails_a_test", !r->passed && !r->missing);

    lab_study("published_as_known", NULL);
    LAB_CHECK("an_expected_race_covers_destruction", r->passed && r->destructive == 1);
    lab_study("published", "--fail-on=harm", NULL);
    LAB_CHECK("destruction_is_harm", !r->passed);
    lab_study("any_value_is_fine", "--fail-on=harm", NULL);
    LAB_CHECK("a_race_without_it_is_none", r->passed && r->real == 1);

    lab_study("checked_in_a_loop", NULL);
    p = pair_on("a", RFI_DESTRUCTIVE);
    LAB_CHECK("oldest_is_blind_in_a_loop",
              p && !failed(p, RF_PICK_OLDEST) && failed(p, RF_PICK_OLDEST_DIFFERENT));
    lab_study("any_value_is_fine", NULL);
    p = pair_on("a", RFI_REAL);
    LAB_CHECK("old_values_are_returned_without_harm", p && p->trial[RF_PICK_OLDEST].exposed);
    lab_study("waited_for", NULL);
    LAB_CHECK("waiting_ends", verdicts(RFI_REAL) == 1 && !lab_the_study.causes);
    lab_study("torn_in_two", NULL);
    LAB_CHECK("wide_values_are_torn", verdicts(RFI_DESTRUCTIVE) == 1);
    lab_study("torn_in_two", "--tear=off", NULL);
    LAB_CHECK("unless_they_must_not_be", verdicts(RFI_REAL) == 1);
}

static void test_blame(void) {
    const rfi_study *s = lab_study("one_is_enough", NULL);
    bool both = s->causes == 1 && rfi_cause_together(s, &s->cause[0]);
    LAB_CHECK("what_takes_two_races_is_told_apart", both && verdicts(RFI_REAL) == 2);
    lab_study("lost_anyway", NULL);
    LAB_CHECK("a_harmful_race_is_not_tried_again",
              verdicts(RFI_HARMFUL) && !s->result.executions[RFI_ADVERSARY - 1]);
    lab_study("unlucky", NULL);
    const rfi_warning *p = pair_on("data", RFI_DESTRUCTIVE);
    LAB_CHECK("a_failure_that_is_known_is_no_evidence",
              p && s->cases[p - s->result.warning].ruin.failure.diagnostic == RF_DIAG_ASSERT &&
                  p->trial[RF_PICK_OLDEST].unclear);
}

static void test_without_races(void) {
    const rfi_study *s = lab_study("stubborn", NULL);
    const rfi_job *j = s->causes ? &s->cause[0].job : &s->job;
    LAB_CHECK("biased_choices_find_what_chance_does_not",
              s->causes == 1 && j->phase == RFI_ADVERSARY && j->pick == RF_PICK_OLDEST);
    s = lab_study("meant_to_race", NULL);
    LAB_CHECK("an_intended_race_returns_old_values_too",
              s->causes == 1 && s->cause[0].job.all && !s->result.warnings && !s->result.passed);
    s = lab_study("alone", NULL);
    LAB_CHECK("without_races_and_atomics_there_is_no_third_phase",
              !s->result.planned[RFI_ADVERSARY - 1] && s->result.passed);
}

/* ---- what is asked for ---- */

static void test_memory(void) {
    const rfi_result *r = &lab_the_study.result;
    const unsigned third = RFI_ADVERSARY - 1;
    lab_study("published", "--memory=sc", NULL);
    LAB_CHECK("sc_has_no_third_phase", !r->executions[third] && verdicts(RFI_REAL) == 2);
    lab_study("stubborn", "--memory=sc", NULL);
    LAB_CHECK("sc_is_sequentially_consistent", !r->executions[third] && r->passed);
    lab_study("published", "--memory=c11", NULL);
    LAB_CHECK("c11_leaves_plain_data_alone", !r->executions[third] && verdicts(RFI_REAL) == 2);
    lab_study("stubborn", "--memory=c11", NULL);
    LAB_CHECK("c11_has_biased_choices", r->executions[third] && !r->passed);
    lab_study("stubborn", "--memory=c11-fast", NULL);
    LAB_CHECK("so_has_c11_fast",
              !r->passed && lab_the_study.cause[0].job.memory.atomics == RF_MEM_C11_FAST);
    lab_study("published", "--memory=random", "--executions=100", NULL);
    const rfi_warning *p = pair_on("data", RFI_DESTRUCTIVE);
    LAB_CHECK("a_heuristic_is_the_only_one", failed(p, RF_PICK_RANDOM) &&
                                                 !p->trial[RF_PICK_OLDEST].executions &&
                                                 r->planned[third] >= 100);
    lab_study("published", "--strategy=random", NULL);
    LAB_CHECK("who_only_predicts_judges_nothing", !r->executions[third]);
    lab_study("any_value_is_fine", "--executions=400", NULL);
    LAB_CHECK("the_third_phase_costs_as_much_as_the_second",
              r->executions[third] == 400 && r->planned[third] == 400 && !r->capped);
    lab_study("any_value_is_fine", "--executions=8", NULL);
    LAB_CHECK("a_small_budget_is_kept_for_each_heuristic", r->executions[third] == 4 * 8);
}

static void test_counts(void) {
    const rfi_study *s = &lab_the_study;
    lab_study("hopeless", NULL);
    LAB_CHECK("each_failure_counts_once",
              s->causes == 1 && s->result.executions[RFI_ADVERSARY - 1] &&
                  s->cause[0].kind.count == rfi_sum_of_phases(s->result.executions));
}

int main(void) {
    lab_open();
    test_verdicts();
    test_blame();
    test_without_races();
    test_memory();
    test_counts();
    return lab_end();
}
