/* The kernels of RaceFuzzer's benchmarks (Sen, PLDI 2008, Table 1; tests/paper) through whole
 * campaigns: which pairs are predicted, which of them are real, what that does.  Pairs count by
 * line and kind. */
#define RF_IMPLEMENTATION
#include "kernels.h"

/* What a campaign said of the pairs of a kernel. */
typedef struct figures {
    uint32_t predicted, hit, hit_always, failed; /* failed: without deadlocks */
    uint32_t unknown;                            /* real, and should not be */
    uint32_t missed;                             /* not real, and should be */
} figures;

static bool failed(const rfi_warning *w) {
    uint64_t n = 0;
    for (unsigned k = 0; k < 6; k++)
        if ((RF_EXPECT_FAILURE | RF_EXPECT_CRASH) >> k & 1) n += w->failed_by_kind[k];
    return n > 0;
}

static const kernel_race *figures_add(figures *f, const rfi_warning *w, const char *test) {
    const kernel_race *known = kernel_race_of(test, w);
    bool real = w->hits > 0;
    f->predicted++;
    f->hit += real;
    f->hit_always += w->hits == w->executions;
    f->failed += failed(w);
    if (known ? real && known->chance == APART : real || w->seen) {
        f->unknown++;
        printf("# %s: %s:%u and %s:%u are no known race\n", test, w->side[0].site->function,
               w->side[0].site->line, w->side[1].site->function, w->side[1].site->line);
    }
    return real ? known : NULL;
}

static figures figures_of(const rfi_study *s) {
    const char *test = s->result.test->options.rfi_name;
    const kernel_race *found[RFI_MAX_WARNINGS];
    figures f = {0};
    for (uint32_t i = 0; i < s->result.warnings; i++)
        found[i] = figures_add(&f, &s->result.warning[i], test);
    for (unsigned k = 0; k < KERNEL_RACES; k++) {
        const kernel_race *r = &kernel_races[k];
        bool missing = r->chance == OFTEN && !strcmp(r->test, test);
        for (uint32_t i = 0; i < s->result.warnings; i++) missing &= found[i] != r;
        if (missing) printf("# %s: %s and %s were not produced\n", test, r->a, r->b);
        f.missed += missing;
    }
    printf("# | %s | %u | %u | %u | %u |\n", test, f.predicted, f.hit, f.hit_always, f.failed);
    return f;
}

/* The campaign of a kernel, and that what is real in it is what is known. */
static figures kernel(const char *test, const char *executions) {
    const rfi_study *s =
        lab_study(test, executions, "--seconds=none", "--memory=c11", "--detect=hb,hybrid", NULL);
    figures f = figures_of(s);
    LAB_CHECK(named("%s: real are the known races, and nothing else", test),
              f.predicted && !f.unknown && !f.missed);
    return f;
}

static const rfi_warning *pair(const char *test, const char *a, const char *b) {
    const rfi_result *r = &lab_the_study.result;
    for (uint32_t i = 0; i < r->warnings; i++) {
        const kernel_race *k = kernel_race_of(test, &r->warning[i]);
        if (k && !strcmp(k->a, a) && !strcmp(k->b, b)) return &r->warning[i];
    }
    rfi_die("%s: %s and %s were not predicted", test, a, b);
}

static const rfi_tally *confirm(const char *test, const rfi_warning *w, uint32_t n) {
    rfi_job j = lab_job_on(test, RFI_CONFIRM, w, LAB_COARSE);
    return lab_job(&j, n);
}

CASE(test_moldyn) {
    figures f = kernel("moldyn", "--executions=20");
    LAB_CHECK("moldyn: brought together are only the accesses to the barrier's flags, every time",
              f.predicted == 12 && f.hit == 2 && f.hit_always == 2);
    LAB_CHECK("moldyn: every execution ends, and none fails", !lab_the_study.causes);
    /* with one of each kind postponed, threads that wait for the first one spin for 2,000 decisions
     * until the monitor acts */
    const rfi_warning *w = pair("moldyn", "R barrier done[child]", "W barrier done[id]");
    rf_options *o = &rfi_test_named("moldyn")->options;
    uint64_t steps = o->max_steps;
    o->max_steps = 1900;
    const rfi_tally *t = confirm("moldyn", w, 20);
    LAB_CHECK("moldyn: it is the monitor that ends the spinning",
              t->failures && t->failure[0].failure.diagnostic == RF_DIAG_LIVELOCK);
    o->max_steps = steps;
    /* as in Flanagan, Freund, figure 9 */
    rfi_job j = lab_job_on("moldyn", RFI_ADVERSARY, w, LAB_FINE);
    j.pick = RF_PICK_OLDEST;
    j.max_steps = 20000;
    t = lab_job(&j, 30);
    LAB_CHECK("moldyn: with old flags no execution ends", lab_failures(t) == 30);
}

CASE(test_raytracer) {
    figures f = kernel("raytracer", "--executions=1000");
    LAB_CHECK("raytracer: R-W and W-W are predicted, real, and hit every time, without harm",
              f.predicted == 2 && f.hit == 2 && f.hit_always == 2 && !f.failed);
    const rfi_warning *w = pair("raytracer", "W render checksum", "W render checksum");
    const rfi_tally *t = confirm("raytracer_validated", w, 1000);
    LAB_CHECK("raytracer: with W-W every execution loses an update",
              t->hits == 1000 && lab_failures(t) == 1000);
}

CASE(test_with_false_pairs) {
    figures f = kernel("montecarlo", "--executions=1000");
    LAB_CHECK("montecarlo: one of five is real, hit every time, without harm",
              f.predicted == 5 && f.hit == 1 && f.hit_always == 1 && !lab_the_study.causes);
    f = kernel("cache4j", "--executions=1000");
    LAB_CHECK("cache4j: two of twelve are real, hit every time; one of them does harm",
              f.predicted == 12 && f.hit == 2 && f.hit_always == 2 && f.failed == 1);
    LAB_CHECK("cache4j: the harm is done while the cleaner wakes up",
              failed(pair("cache4j", "W wake_up sleeping", "R use sleeping")));
    f = kernel("sor", "--executions=2000");
    LAB_CHECK("sor: behind a barrier of mutex and condition races are predicted, none is real",
              f.predicted >= 4 && !f.hit && !lab_the_study.causes);
    f = kernel("jspider", "--executions=40");
    LAB_CHECK("jspider: races are predicted, none is real",
              f.predicted >= 10 && !f.hit && !lab_the_study.causes);
    f = kernel("jigsaw", "--executions=1000");
    LAB_CHECK("jigsaw: some of the predicted races are real, hit every time, without harm",
              f.predicted == 14 && f.hit == 9 && f.hit_always == 9 && !lab_the_study.causes);
}

CASE(test_hedc) {
    figures f = kernel("hedc", "--executions=2000");
    LAB_CHECK("hedc: the store races with both loads of the canceller; the rest is false",
              f.predicted == 7 && f.hit == 2);
    LAB_CHECK("hedc: only the race with the second load does harm",
              f.failed == 1 && failed(pair("hedc", "W finish t->thread", "R interrupt t->thread")));
}

CASE(test_weblech) {
    figures f = kernel("weblech", "--executions=2000");
    LAB_CHECK("weblech: the counter and the flag read without the lock are the real races",
              f.predicted >= 6 && f.hit == 2);
    const rfi_warning *w =
        pair("weblech", "W at_work queue.in_progress", "R more_to_come queue.in_progress");
    LAB_CHECK("weblech: the counter's race makes a spider leave early, as uniform random does",
              lab_the_study.causes == 1 && failed(w) &&
                  lab_said(lab_random("weblech", 2000, LAB_FINE), "left early"));
}

CASE(test_collections) {
    figures f = kernel("vector", "--executions=1000");
    LAB_CHECK("vector: all that is predicted is real, hit every time, without harm",
              f.predicted == 9 && f.hit == 9 && f.hit_always == 9 && !lab_the_study.causes);
    f = kernel("linked_list", "--executions=1000");
    LAB_CHECK("linked_list: nearly all is real, and does harm", f.predicted == 12 && f.failed >= 8);
    f = kernel("array_list", "--executions=1000");
    LAB_CHECK("array_list: nearly all is real, and does harm",
              f.predicted == 13 && f.hit >= 10 && f.failed >= 8);
    f = kernel("hash_set", "--executions=1000");
    LAB_CHECK("hash_set: all that is predicted is real, and does harm",
              f.predicted == 7 && f.hit == 7 && f.failed == 7);
    f = kernel("tree_set", "--executions=1000");
    LAB_CHECK("tree_set: most is real, and does harm", f.predicted >= 10 && f.failed >= 3);
}

int main(void) { return lab_cases(); }
