/* tests/spec/verdicts.h: the campaigns of all objects of a program: what is wrong is found by
 * default, with no scenario; what is right (its name ends so) is not accused; and the scenario that
 * is told is as small as a table says: OBJECT, calls, threads. */
#ifndef VERDICTS_H
#define VERDICTS_H
#include "tests/lab.h"

typedef struct verdicts_size {
    const char *object;
    uint32_t calls, threads;
} verdicts_size;

static verdicts_size verdicts_told; /* the smallest, by calls; `object`: one was told */
static bool verdicts_repeats;

static void verdicts_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    (void)out;
    const rfi_shrunk *s = f->shrunk;
    if (!s || !f->failure || !s->calls) return;
    verdicts_repeats &= f->reproduced;
    if (verdicts_told.object && verdicts_told.calls <= s->calls) return;
    verdicts_told = (verdicts_size){r->test->object, s->calls, s->callers};
    printf("# %s: %u calls of %u threads, found with %u of %u\n", r->test->object, s->calls,
           s->callers, s->calls_before, s->callers_before);
}

/* Has an explorer gone through all that there is?  It says so, too, where what may fail for no
 * reason does not do so for ever. */
static bool verdicts_all(const rfi_statistics *s) {
    for (uint32_t i = 0; i < s->explorers; i++)
        if (!strncmp(s->explorer[i].summary, "all ", 4)) return true;
    return s->proved;
}

/* All scenarios of up to two threads with up to two calls each, behind up to one call where that is
 * feasible: all orders of each, under C11's memory, which has none in time. */
static void verdicts_prove(rfi_test *t) {
    t->options.threads = t->options.operations = 2;
    t->options.before = t->options.before < 0 || !strcmp(t->object, "pair_right") ? -1 : 1;
    t->options.after = -1;
    const rf_criterion c = t->options.criterion;
    const char *memory = c == RF_REAL_TIME || c == RF_QUIESCENCE ? "sc" : "c11";
    char of[32];
    snprintf(of, sizeof of, "--memory=%s", memory);
    const rfi_study *s =
        lab_study(t->options.rfi_name, "--strategy=dpor", of, "--executions=400000", NULL);
    printf("# %s: %llu executions\n", t->object,
           (unsigned long long)(s->predicted ? s->predicted->executions : 0));
    LAB_CHECK(named("%s: proved up to two threads with two calls", t->object),
              verdicts_all(&s->result.statistics) && !s->causes);
    fflush(stdout);
}

static int verdicts(const verdicts_size *sizes) {
    static rfi_reporter reporter;
    lab_open();
    reporter = lab_silent;
    reporter.finding = verdicts_finding;
    lab_campaign.reporter = &reporter;
    LAB_CHECK("objects, operations and models meet by their names", rfi_objects_valid(rfi_tests));
    for (rfi_test *t = rfi_tests; t; t = t->next) {
        if (getenv("VERDICTS_PROVE")) { /* for tests/long/spec_proofs.sh */
            if (strstr(t->object, "_right")) verdicts_prove(t);
            continue;
        }
        verdicts_told = (verdicts_size){0};
        verdicts_repeats = true;
        const rfi_study *s = lab_study(t->options.rfi_name, NULL);
        bool right = strstr(t->object, "_right"), found = false, only = true;
        for (uint32_t i = 0; i < s->causes; i++)
            found |= s->cause[i].kind.failure.diagnostic == RF_DIAG_NOT_LINEARIZABLE ||
                     s->cause[i].kind.failure.diagnostic == RF_DIAG_NO_PROGRESS ||
                     strstr(s->cause[i].kind.failure.message, "there, and waits");
        for (uint32_t i = 0; t->options.progress && i < s->causes; i++)
            only &= s->cause[i].kind.failure.diagnostic == RF_DIAG_NO_PROGRESS;
        printf("# %s: first failure after %llu executions\n", t->object,
               (unsigned long long)s->result.first_failure);
        if (right)
            for (uint32_t i = 0; i < s->causes; i++)
                printf("# %s\n", s->cause[i].kind.failure.message);
        LAB_CHECK(named("%s: %s", t->object,
                        right ? "nothing is found" : "found by default, with no scenario"),
                  right ? s->result.passed && !s->causes : found && only);
        if (right) continue;
        while (sizes->object && strcmp(sizes->object, t->object) != 0) sizes++;
        LAB_CHECK(named("%s: the scenario told is a small one", t->object),
                  sizes->object && verdicts_told.object && verdicts_repeats &&
                      verdicts_told.calls <= sizes->calls &&
                      verdicts_told.threads <= sizes->threads);
    }
    return lab_end();
}
#endif
