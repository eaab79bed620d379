/* The programs of bench/bugs have the bugs that they are there for: random scheduling finds each
 * (safestack takes longer: tests/long/bugs.c).  Their twins have none: a campaign finds nothing, no
 * race either, and nothing fails under any strategy. */
#define RF_IMPLEMENTATION
#include "bench/bugs/hunt.h"
#include "night.h"

#ifndef BUGS_LIMIT
# define BUGS_LIMIT     50000 /* executions until a bug is found */
# define BUGS_OF_A_TWIN 40u
# define BUGS_SAFESTACK 0u
#endif

static void test_bug(const rfi_test *t) {
    const char *test = t->options.rfi_name;
    if (!strcmp(test, "safestack") && BUGS_SAFESTACK <= 1) return;
    hunt h = hunt_run(hunt_job(t, &rfi_random, NULL, 1), t->options.expect, BUGS_LIMIT, 0);
    printf("# %s: execution %u\n", test, h.found);
    LAB_CHECK(named("%s: found within %d executions", test, BUGS_LIMIT), h.found);
}

static void test_campaign(const char *test) {
    char option[40];
    snprintf(option, sizeof option, "--executions=%u", BUGS_OF_A_TWIN);
    const rfi_study *s = lab_study(test, option, "--seconds=none", NULL);
    LAB_CHECK(named("%s: a campaign finds nothing", test),
              s->result.passed && !s->result.found && !s->causes && !lab_real(s));
}

static void test_strategy(const rfi_test *t, const rf_strategy *strategy) {
    const uint32_t n = strategy->serial ? BUGS_OF_A_TWIN / 8 : BUGS_OF_A_TWIN; /* these are slow */
    hunt h = hunt_run(hunt_job(t, strategy, NULL, 1), ~0u, n, 0);
    if (h.found) printf("# execution %u: %s\n", h.found, h.record->failure.message);
    LAB_CHECK(named("%s: nothing fails under %s", t->options.rfi_name, strategy->name),
              h.executions && !h.found);
}

/* The mean of campaigns without an option. */
static void test_lost_wakeup(void) {
    enum { CAMPAIGNS = 10, MOST = 60 };
    uint64_t sum = 0;
    bool all = true;
    for (unsigned seed = 1; seed <= CAMPAIGNS; seed++) {
        char option[40];
        snprintf(option, sizeof option, "--seed=%u", seed);
        const rfi_result *r = &lab_study("qsort_mt", option, "--executions=200", NULL)->result;
        all &= r->found & (RF_EXPECT_FAILURE | RF_EXPECT_DEADLOCK) && r->first_failure;
        sum += r->first_failure;
    }
    printf("# qsort_mt on average: first failure after %.1f executions on average\n",
           (double)sum / CAMPAIGNS);
    LAB_CHECK("qsort_mt: campaigns find it in 60 executions or fewer, on average",
              all && sum <= MOST * CAMPAIGNS);
}

static void test_safestack(void) {
    const rfi_test *t = rfi_test_named("safestack");
    unsigned found = 0;
    for (uint64_t seed = 1; seed <= BUGS_SAFESTACK; seed++)
        found +=
            hunt_run(hunt_job(t, &rfi_pos, NULL, seed), t->options.expect, 5000000, 0).found != 0;
    LAB_CHECK("safestack: pos finds it in 5,000,000 executions", found == BUGS_SAFESTACK);
}

int main(void) {
    const rf_strategy *strategy;
    test_lost_wakeup();
    if (BUGS_SAFESTACK) test_safestack();
    for (const rfi_test *t = rfi_tests; t; t = t->next) {
        if (t->options.expect) {
            test_bug(t);
            continue;
        }
        if (!BUGS_OF_A_TWIN) continue;
        test_campaign(t->options.rfi_name);
        for (uint32_t i = 0; (strategy = rfi_strategy_at(i)) != NULL; i++)
            if (!strategy->threads) test_strategy(t, strategy); /* those have tests/native.c */
    }
    return lab_end();
}
