/* Phase 3: which races are destructive, under which heuristic, and what it costs where there is
 * nothing to find. */
#define RF_IMPLEMENTATION
#include "script.h"

/* ---- programs ---- */

#define PUBLISHES(rest)                                                       \
 "body: start; R ready; if = 1 { R data; if ! 7 { fail stale } }; join;" rest \
 "| W data 7; W ready 1"
#define BESIDE_STORE(reads) "body: start;" reads "; join | W a 1"
#define ADDS                "R a; W a it+1"

static const char published[] = PUBLISHES("");
static const char unlucky[] = PUBLISHES("choose 4; if = 0 { fail luck }"); /* with every memory */
static const char any_value_is_fine[] = BESIDE_STORE("R a");
static const char waited_for[] = BESIDE_STORE("loop { R a; until = 1; hint }");
/* Check then use, in a loop: what Oldest cannot see (Flanagan, Freund, figure 8). */
static const char checked_in_a_loop[] =
    BESIDE_STORE("times 4 { R a; if = 1 { R a; if ! 1 { fail null } } }");
/* Either write may be missed, but not both. */
static const char one_is_enough[] =
    "body: start; relaxed_load f;"
    "if = 1 { R a; keep; R b; if = 0 { recall; if = 0 { fail both } } }; join |"
    "W a 1; W b 1; relaxed_store f 1";
static const char lost_anyway[] = "body: start;" ADDS "; join; R a; if ! 2 { fail lost } |" ADDS;
static const char hopeless[] = "body: start; load f; join; fail always | store f 1";
static const char meant_to_race[] =
    "body: start; racyR b; if = 1 { racyR a; if ! 1 { fail stale } }; join | racyW a 1; racyW b 1";
static const char alone[] = "W a 1; R a; if ! 1 { fail stale }";

#define STUDY(program, ...) (script_is(program, false), lab_study("script", __VA_ARGS__))

static int64_t wide;

THREAD(store_wide) { RF_STORE(wide, -1); }

RF_TEST(torn_in_two) {
    wide = 0;
    BESIDE(store_wide) {
        int64_t seen_half = RF_LOAD(wide);
        RF_ASSERT(seen_half == 0 || seen_half == -1);
    }
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

CASE(test_verdicts) {
    const rfi_result *r = &lab_the_study.result;
    STUDY(published, NULL);
    const rfi_warning *p = pair_on("data", RFI_DESTRUCTIVE);
    LAB_CHECK("the_race_on_what_is_published_is_destructive", p && verdicts(RFI_DESTRUCTIVE) == 1);
    LAB_CHECK("all_heuristics_show_it",
              failed(p, RF_PICK_OLDEST) && failed(p, RF_PICK_OLDEST_DIFFERENT) &&
                  failed(p, RF_PICK_RANDOM) && failed(p, RF_PICK_RANDOM_DIFFERENT));
    LAB_CHECK("newest_values_do_not",
              p && p->trial[RF_PICK_NEWEST].executions && !failed(p, RF_PICK_NEWEST));
    LAB_CHECK("the_race_on_its_flag_is_not", pair_on("ready", RFI_REAL) != NULL);
    LAB_CHECK("a_destructive_race_fails_a_test", !r->passed && !r->missing);

    rfi_test_named("script")->options.expect = RF_EXPECT_RACE;
    STUDY(published, NULL);
    rfi_test_named("script")->options.expect = 0;
    LAB_CHECK("an_expected_race_covers_destruction", r->passed && r->destructive == 1);
    STUDY(published, "--fail-on=harm", NULL);
    LAB_CHECK("destruction_is_harm", !r->passed);
    STUDY(any_value_is_fine, "--fail-on=harm", NULL);
    LAB_CHECK("a_race_without_it_is_none", r->passed && r->real == 1);

    STUDY(checked_in_a_loop, NULL);
    p = pair_on("a", RFI_DESTRUCTIVE);
    LAB_CHECK("oldest_is_blind_in_a_loop",
              p && !failed(p, RF_PICK_OLDEST) && failed(p, RF_PICK_OLDEST_DIFFERENT));
    STUDY(any_value_is_fine, NULL);
    p = pair_on("a", RFI_REAL);
    LAB_CHECK("old_values_are_returned_without_harm", p && p->trial[RF_PICK_OLDEST].exposed);
    STUDY(waited_for, NULL);
    LAB_CHECK("waiting_ends", verdicts(RFI_REAL) == 1 && !lab_the_study.causes);
    lab_study("torn_in_two", NULL);
    LAB_CHECK("wide_values_are_torn", verdicts(RFI_DESTRUCTIVE) == 1);
    lab_study("torn_in_two", "--tear=off", NULL);
    LAB_CHECK("unless_they_must_not_be", verdicts(RFI_REAL) == 1);
}

CASE(test_blame) {
    const rfi_study *s = STUDY(one_is_enough, NULL);
    bool both = s->causes == 1 && rfi_cause_together(s, &s->cause[0]);
    LAB_CHECK("what_takes_two_races_is_told_apart", both && verdicts(RFI_REAL) == 2);
    STUDY(lost_anyway, NULL);
    LAB_CHECK("a_harmful_race_is_not_tried_again",
              verdicts(RFI_HARMFUL) && !s->result.executions[RFI_ADVERSARY - 1]);
    STUDY(unlucky, NULL);
    const rfi_warning *p = pair_on("data", RFI_DESTRUCTIVE);
    LAB_CHECK("a_failure_that_is_known_is_no_evidence",
              p && !strcmp(s->cases[p - s->result.warning].ruin.failure.message, "stale") &&
                  p->trial[RF_PICK_OLDEST].unclear);
}

CASE(test_without_races) {
    const rfi_study *s = lab_study("stubborn", NULL);
    const rfi_job *j = s->causes ? &s->cause[0].job : &s->job;
    LAB_CHECK("biased_choices_find_what_chance_does_not",
              s->causes == 1 && j->phase == RFI_ADVERSARY && j->pick == RF_PICK_OLDEST);
    s = STUDY(meant_to_race, NULL);
    LAB_CHECK("graphs_know_what_an_intended_race_returns",
              s->causes == 1 && s->cause[0].job.phase == RFI_PREDICT && !s->result.passed);
    s = STUDY(meant_to_race, "--strategy=random,racefuzzer", NULL);
    LAB_CHECK("an_intended_race_returns_old_values_too",
              s->causes == 1 && s->cause[0].job.all && !s->result.warnings && !s->result.passed);
    s = STUDY(alone, NULL);
    LAB_CHECK("without_races_and_atomics_there_is_no_third_phase",
              !s->result.planned[RFI_ADVERSARY - 1] && s->result.passed);
}

/* ---- what is asked for ---- */

CASE(test_memory) {
    const rfi_result *r = &lab_the_study.result;
    const unsigned third = RFI_ADVERSARY - 1;
    STUDY(published, "--memory=sc", NULL);
    LAB_CHECK("sc_has_no_third_phase", !r->executions[third] && verdicts(RFI_REAL) == 2);
    lab_study("stubborn", "--memory=sc", NULL);
    LAB_CHECK("sc_is_sequentially_consistent", !r->executions[third] && r->passed);
    STUDY(published, "--memory=c11", NULL);
    LAB_CHECK("c11_leaves_plain_data_alone", !r->executions[third] && verdicts(RFI_REAL) == 2);
    lab_study("stubborn", "--memory=c11", NULL);
    LAB_CHECK("c11_has_biased_choices", r->executions[third] && !r->passed);
    lab_study("stubborn", "--memory=c11-fast", NULL);
    LAB_CHECK("so_has_c11_fast",
              !r->passed && lab_the_study.cause[0].job.memory.atomics == RF_MEM_C11_FAST);
    STUDY(published, "--memory=random", "--executions=100", NULL);
    const rfi_warning *p = pair_on("data", RFI_DESTRUCTIVE);
    LAB_CHECK("a_heuristic_is_the_only_one", failed(p, RF_PICK_RANDOM) &&
                                                 !p->trial[RF_PICK_OLDEST].executions &&
                                                 r->planned[third] >= 100);
    STUDY(published, "--strategy=random", NULL);
    LAB_CHECK("who_only_predicts_judges_nothing", !r->executions[third]);
    STUDY(any_value_is_fine, "--executions=400", NULL);
    LAB_CHECK("the_third_phase_costs_as_much_as_the_second",
              r->executions[third] == 400 && r->planned[third] == 400 && !r->capped);
    STUDY(any_value_is_fine, "--executions=8", NULL);
    LAB_CHECK("a_small_budget_is_kept_for_each_heuristic", r->executions[third] == 4 * 8);
}

CASE(test_counts) {
    const rfi_study *s = &lab_the_study;
    STUDY(hopeless, NULL);
    LAB_CHECK("each_failure_counts_once",
              s->causes == 1 && s->result.executions[RFI_ADVERSARY - 1] &&
                  s->cause[0].kind.count == rfi_sum_of_phases(s->result.executions));
}

int main(void) {
    lab_open();
    return lab_cases();
}
