/* Probabilities that can be computed exactly: how often RaceFuzzer brings a pair together, how
 * often that does harm, how often uniform random does, and how often happens-before sees a race.
 * They hold for exactly the statements listed and threads that have already started: here the body
 * creates all threads first, so that with fine granularity nothing else is a step. */
#define RF_IMPLEMENTATION
#include "programs.h"

enum { N = 20000 };

/* ---- RaceFuzzer ---- */

typedef struct directed {
    const char *test, *pair; /* as it is called in the list above */
    uint32_t a;
    char kind_a;
    uint32_t b;
    char kind_b;
    bool coarse; /* the same with coarse granularity */
    double hit;
    struct {
        const char *said;
        double share;
    } outcome[4];
} directed;

// clang-format off: a table
static const directed all_directed[] = {
    {"figure_1", "{5,7}", F1_5, 'R', F1_7, 'W', true, 1, {{"ERROR1", 0.5}, {"ERROR2", 0}}},
    {"figure_1", "{1,10}", F1_1, 'W', F1_10, 'R', true, 0, {{"ERROR1", 1}, {"ERROR2", 0}}},
    {"figure_2", "{8,10}", F2_8, 'R', F2_10, 'W', true, 1, {{"ERROR", 0.5}}},
    {"slides", "{s5,s6}", S5, 'W', S6, 'R', true, 0.75, {{"ERROR", 0.375}}},
    {"readers",
     "{r1,w}",
     READERS_R,
     'R',
     READERS_W,
     'W',
     false,
     1,
     {{"both", 29 / 72.0}, {"first", 7 / 144.0}, {"second", 7 / 144.0}, {"none", 0.5}}},
    {"update", "{R1,W2}", R1, 'R', W2, 'W', true, 1, {{"lost", 0.5}}},
    {"update", "{R2,W1}", R2, 'R', W1, 'W', true, 1, {{"lost", 0.5}}},
    {"update", "{W1,W2}", W1, 'W', W2, 'W', true, 1, {{"lost", 1}}},
    {"update_shared", "{R,W}", R1, 'R', W1, 'W', true, 1, {{"lost", 0.5}}},
    {"update_shared", "{W}", W1, 'W', W1, 'W', true, 1, {{"lost", 1}}},
    {"check_act", "{c2,w}", C2, 'R', CLEAR, 'W', true, 1, {{"null", 0.5}}},
    {"check_act", "{c1,w}", C1, 'R', CLEAR, 'W', true, 1, {{"null", 0}}},
    {"hedc", "{store,r2}", CANCEL_2, 'R', FINISH, 'W', false, 1, {{"cancelled nothing", 0.5}}},
    {"hedc", "{store,r1}", CANCEL_1, 'R', FINISH, 'W', false, 1, {{"cancelled nothing", 0}}},
};
// clang-format on

static void test_directed(const directed *d, bool fine) {
    char name[128];
    const char *grain = fine ? "fine" : "coarse";
    const rfi_tally *t = lab_confirm(d->test, d->a, d->kind_a, d->b, d->kind_b, N, fine);
    snprintf(name, sizeof name, "%s %s, %s: race hit with probability %.5g", d->test, d->pair,
             grain, d->hit);
    lab_share(name, t->hits, N, d->hit);
    for (unsigned i = 0; i < 4 && d->outcome[i].said; i++) {
        snprintf(name, sizeof name, "%s %s, %s: %s with probability %.5g", d->test, d->pair, grain,
                 d->outcome[i].said, d->outcome[i].share);
        lab_share(name, lab_said(t, d->outcome[i].said), N, d->outcome[i].share);
    }
}

static void test_all_directed(void) {
    for (unsigned i = 0; i < sizeof all_directed / sizeof *all_directed; i++) {
        test_directed(&all_directed[i], LAB_FINE);
        if (all_directed[i].coarse) test_directed(&all_directed[i], LAB_COARSE);
    }
}

/* Missed when the modifier, or with coarse granularity its start too, gets l2 first. */
static void test_contains(int q, int n, bool fine) {
    double hit = fine ? 1 - (q + 3) / (double)(4 << q) : 5 / 16.0;
    char name[128];
    start_up = q;
    checks = n;
    const rfi_tally *t = lab_confirm("contains", CHECK, 'R', MODIFY, 'W', N, fine);
    snprintf(name, sizeof name, "containsAll, q=%d n=%d, %s: race hit with probability %.5g", q, n,
             fine ? "fine" : "coarse", hit);
    lab_share(name, t->hits, N, hit);
    /* each further check meets the postponed modifier again, and has its own coin */
    double error = hit * (1 - 1 / (double)(1 << n));
    snprintf(name, sizeof name, "containsAll, q=%d n=%d, %s: error with probability %.5g", q, n,
             fine ? "fine" : "coarse", error);
    lab_share(name, lab_said(t, "modified"), N, error);
}

/* ---- uniform random ---- */

static void test_random(const char *test, const char *said, double share) {
    char name[128];
    snprintf(name, sizeof name, "%s, uniform random: %s with probability %.5g", test, said, share);
    lab_share(name, lab_said(lab_random(test, N, LAB_FINE), said), N, share);
}

static void test_all_random(void) {
    test_random("figure_1", "ERROR1", 31 / 32.0);
    test_random("figure_1", "ERROR2", 0);
    test_random("figure_2", "ERROR", 1 / 256.0);
    test_random("slides", "ERROR", 43 / 4096.0);
    test_random("update", "lost", 0.5);
    test_random("update_shared", "lost", 0.5);
    test_random("check_act", "null", 0.25);
    test_random("hedc", "cancelled nothing", 3 / 16.0);
}

/* ---- detectors under uniform random ---- */

/* The share of the executions in which happens-before leaves the pair unordered; hybrid predicts it
 * in each. */
static void test_seen(const char *test, const char *what, uint32_t a, char kind_a, uint32_t b,
                      char kind_b, double share) {
    char name[128];
    rfi_study s = {.result = {.warnings = 0}};
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    j.analyses = rfi_analyses_of(NULL);
    s.result.warning = lab_job(&j, N)->warning;
    s.result.warnings = lab_tally.warnings;
    const rfi_warning *p = lab_pair(&s, a, kind_a, b, kind_b);
    snprintf(name, sizeof name, "%s: happens-before reports the race with probability %.5g", what,
             share);
    lab_share(name, p ? p->seen : 0, N, share);
    snprintf(name, sizeof name, "%s: hybrid predicts the race in every execution", what);
    LAB_CHECK(name, p && p->predicted == N);
}

static void test_all_seen(void) {
    inside = 5, before = 0;
    test_seen("hidden", "figure 2", HIDDEN_R, 'R', F2_10, 'W', 0.75);
    inside = 0, before = 5;
    test_seen("hidden", "figure 2 with the private steps first", HIDDEN_R, 'R', F2_10, 'W',
              1 / 16.0);
    test_seen("figure_1", "figure 1", F1_5, 'R', F1_7, 'W', 0.5);
    test_seen("slides_1", "the slides' example 1, R-W", SLIDE_1, 'R', SLIDE_2, 'W', 7 / 8.0);
    test_seen("slides_1", "the slides' example 1, W-R", SLIDE_1, 'W', SLIDE_2, 'R', 7 / 8.0);
    test_seen("slides_1", "the slides' example 1, W-W", SLIDE_1, 'W', SLIDE_2, 'W', 7 / 8.0);
}

int main(void) {
    padding = 5;
    locking = GLOBAL_LOCK;
    test_all_directed();
    for (int q = 0; q <= 2; q++) test_contains(q, 1, LAB_FINE);
    for (int n = 2; n <= 8; n *= 2) test_contains(0, n, LAB_FINE);
    for (int q = 0; q <= 2; q++) test_contains(q, 4, LAB_COARSE);
    test_all_random();
    test_all_seen();
    printf("# probabilities: %u of %u met\n", lab_passed, lab_passed + lab_failed);
    return lab_end();
}
