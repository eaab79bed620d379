/* Chance: every token has chances of its own, and nobody who only looks on takes any.
 *
 * Trap (peers): a seed that was rolled back gave 9 distinct traces in 400 executions. */
#define RF_IMPLEMENTATION
#include "tests/lab.h"
#include "tests/determinism/programs.h"

#define MANY 1000u

/* ---- distinct ---- */

#define WORKERS 3
#define STORES  3

static int cell[WORKERS];

static void *store(void *arg) {
    for (int i = 0; i < STORES; i++) RF_STORE(cell[(intptr_t)arg], i);
    return arg;
}

RF_TEST(distinct) {
    for (intptr_t i = 0; i < WORKERS; i++) RF_DETACH(RF_THREAD(store, (void *)i));
}

/* Adds up, over all interleavings, the probability to be among n random ones, and its variance.
 * Each step is uniform over the threads that have stores left. */
static void expect_distinct(const int todo[WORKERS], double p, uint32_t n, double sum[2]) {
    int alive = 0;
    for (int i = 0; i < WORKERS; i++) alive += todo[i] > 0;
    if (!alive) {
        double missing = 1;
        for (uint32_t i = 0; i < n; i++) missing *= 1 - p;
        sum[0] += 1 - missing;
        sum[1] += missing * (1 - missing);
    }
    for (int i = 0; i < WORKERS; i++) {
        int rest[WORKERS];
        if (!todo[i]) continue;
        memcpy(rest, todo, sizeof rest);
        rest[i]--;
        expect_distinct(rest, p / alive, n, sum);
    }
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t distinct(uint64_t *v, uint32_t n) {
    uint32_t different = 0;
    qsort(v, n, sizeof *v, by_value);
    for (uint32_t i = 0; i < n; i++) different += !i || v[i] != v[i - 1];
    return different;
}

CASE(test_distinct) {
    static uint64_t hash[2 * MANY];
    const int todo[WORKERS] = {STORES, STORES, STORES};
    double sum[2] = {0, 0};
    expect_distinct(todo, 1, MANY, sum);
    rfi_job j = lab_job_of("distinct", RFI_PREDICT, LAB_FINE);
    for (uint32_t i = 0; i < MANY; i++) hash[i] = rfi_team_replay(&lab_campaign.team, &j, i)->hash;
    uint32_t found = distinct(hash, MANY);
    double off = found - sum[0];
    char why[128];
    snprintf(why, sizeof why, "%u of %u, expected %.1f", found, MANY, sum[0]);
    printf("# distinct traces: %s\n", why);
    /* The counts of different interleavings are negatively correlated: the sum of the variances is
     * an upper bound. */
    lab_check(off * off <= 3.29 * 3.29 * sum[1], "executions_are_as_distinct_as_chance_has_it",
              why);

    for (uint32_t i = 0; i < 2 * MANY; i++) {
        j.seed = i < MANY ? 1 : 2;
        hash[i] = rfi_mix(rfi_job_base(&j) + i % MANY * RFI_GOLDEN);
    }
    LAB_CHECK("two_campaigns_share_no_seed", distinct(hash, 2 * MANY) == 2 * MANY);
    j = lab_job_of("distinct", RFI_CONFIRM, LAB_COARSE);
    uint64_t base[5] = {rfi_job_base(&j)};
    j.target[0] = 1;
    base[1] = rfi_job_base(&j);
    j.target[1] = 1;
    base[2] = rfi_job_base(&j);
    j.phase = RFI_PREDICT;
    base[3] = rfi_job_base(&j);
    j.test = rfi_test_named("locks");
    base[4] = rfi_job_base(&j);
    LAB_CHECK("test_phase_and_pair_make_the_seed", distinct(base, 5) == 5);
}

/* ---- nobody who looks on changes anything ---- */

/* What an execution did, as far as one can know without a trace. */
typedef struct ending {
    uint64_t steps, switches, preemptions, released;
    uint32_t hits, threads;
    bool skipped;
    rfi_failure failure;
} ending;

static bool same_ending(const ending *a, const ending *b) {
    return a->steps == b->steps && a->switches == b->switches && a->preemptions == b->preemptions &&
           a->released == b->released && a->hits == b->hits && a->threads == b->threads &&
           a->skipped == b->skipped && a->failure.diagnostic == b->failure.diagnostic &&
           (!a->failure.diagnostic ||
            (a->failure.site == b->failure.site && a->failure.thread == b->failure.thread &&
             !strcmp(a->failure.message, b->failure.message)));
}

static ending run(const rfi_job *j, uint32_t index, bool trace) {
    const rfi_record *r = lab_run(j, index, trace);
    return (ending){r->steps,     r->switches, r->preemptions, r->released,
                    r->hit_count, r->threads,  r->skipped,     r->failure};
}

static uint32_t compared, differing;

/* Executions 0..n-1 without a trace, with one, and with detectors. */
static void compare(rfi_job j, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        j.analyses = 0;
        ending bare = run(&j, i, false), traced = run(&j, i, true);
        j.analyses = rfi_analyses_of(NULL);
        ending analysed = run(&j, i, false);
        compared++;
        if (same_ending(&bare, &traced) && same_ending(&bare, &analysed)) continue;
        differing++;
        printf(
            "# %s, phase %u, %s, execution %u: %s %llu steps; traced %s %llu; analysed %s %llu\n",
            j.test->options.rfi_name, j.phase, j.fine ? "fine" : "coarse", i,
            rfi_diagnostic(bare.failure.diagnostic)->id, (unsigned long long)bare.steps,
            rfi_diagnostic(traced.failure.diagnostic)->id, (unsigned long long)traced.steps,
            rfi_diagnostic(analysed.failure.diagnostic)->id, (unsigned long long)analysed.steps);
    }
}

/* Blocks are overrun here: whether that is seen must not depend on who looks on either. */
RF_TEST(overrun) {
    char *block = RF_MALLOC(8), *other = RF_MALLOC(8);
    uint32_t n = RF_CHOOSE(2000);
    for (uint32_t i = 0; i < n; i++) RF_STORE(block[i % 10], 1);
    RF_READ(block, RF_CHOOSE(2)); /* of no bytes now and then */
    if (RF_CHOOSE(2)) RF_FREE(other);
    (void)RF_LOAD(block[8 * RF_CHOOSE(2)]);
}

/* The fuel runs out in all kinds of places, zero-length ranges and invariants among them. */
static bool at_most(void *limit) { return RF_LOAD(cell[0]) <= *(int *)limit; }

THREAD(burn) {
    for (int i = 0; i < 700; i++) {
        RF_STORE(cell[1], RF_LOAD(cell[1]) + 1);
        RF_READ(cell, 0);
        if (i % 400 == 0) RF_YIELD();
    }
}

RF_TEST(fuel) {
    int limit = 5;
    RF_STORE(cell[0], 0);
    RF_STORE(cell[1], 0);
    RF_INVARIANT(at_most, &limit);
    run_two(burn, burn);
    RF_ASSERT_EQ(RF_LOAD(cell[1]), 1400);
}

CASE(test_looking_on) {
    static const char *const name[] = {"locks",   "waiting", "memory", "atomics",
                                       "endings", "overrun", "fuel"};
    char why[96];
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
        compare(lab_job_of(name[i], RFI_PREDICT, LAB_COARSE), 150);
        compare(lab_job_of(name[i], RFI_PREDICT, LAB_FINE), 50);
    }
    snprintf(why, sizeof why, "%u of %u executions differ", differing, compared);
    lab_check(compared >= MANY && !differing, "who_looks_on_takes_no_chance_of_random", why);
}

/* The same for RaceFuzzer, where coarse executions have only the pair armed. */
CASE(test_looking_on_directed) {
    static const char *const name[] = {"locks", "waiting", "memory", "atomics", "endings", "fuel"};
    static rfi_warning pair[RFI_MAX_WARNINGS];
    char why[96];
    compared = differing = 0;
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
        rfi_job j = lab_job_of(name[i], RFI_PREDICT, LAB_FINE);
        j.analyses = rfi_analysis_bit("hybrid");
        uint32_t n = lab_job(&j, 40)->warnings;
        memcpy(pair, lab_tally.warning, n * sizeof *pair);
        for (uint32_t k = 0; k < n; k++)
            compare(lab_job_on(name[i], RFI_CONFIRM, &pair[k], LAB_COARSE), MANY / 6 / n + 1);
    }
    snprintf(why, sizeof why, "%u of %u", differing, compared);
    printf("# executions that differ: %s\n", why);
    lab_check(compared >= MANY && !differing, "who_looks_on_takes_no_chance_of_racefuzzer", why);
}

/* RF_LOG with a trace makes an event, and nothing else. */
static int quiet_run;

RF_TEST(logging) {
    RF_STORE(cell[0], 0);
    rf_thread a = RF_THREAD(store, (void *)0), b = RF_THREAD(store, (void *)1);
    if (!quiet_run) RF_LOG("%d", 1);
    RF_JOIN(a);
    if (!quiet_run) RF_LOG("%d", 2);
    RF_JOIN(b);
}

CASE(test_log) {
    rfi_job j = lab_job_of("logging", RFI_PREDICT, LAB_FINE);
    uint32_t different = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        quiet_run = 0;
        ending loud = run(&j, i, true);
        uint64_t events = lab_campaign.team.here->record.events;
        quiet_run = 1;
        ending quiet = run(&j, i, true);
        uint64_t fewer = lab_campaign.team.here->record.events;
        different += !same_ending(&loud, &quiet) || events != fewer + 2;
    }
    LAB_CHECK("log_lines_take_no_chance", different == 0);
}

int main(void) {
    lab_open();
    return lab_cases();
}
