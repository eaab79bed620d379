/* bench/bugs/hunt.h: how many executions a strategy needs until one shows a program's bug. */
#ifndef BENCH_HUNT_H
#define BENCH_HUNT_H
#include "tests/lab.h"

/* Executions of one test under one strategy, one after the other, until one fails. */
typedef struct hunt {
    const rf_strategy *strategy;
    rfi_plan plan;
    rfi_record *record;
    rfi_lessons *lessons; /* NULL: the strategy does not learn */
    unsigned kinds;       /* of failures that end it, RF_EXPECT_* */
    uint32_t limit;
    uint64_t learn_at;
    int64_t deadline;           /* ms; 0: none */
    uint32_t executions, found; /* found: the first that failed, from 1 on; 0: none */
    uint64_t steps;
} hunt;

/* As in campaigns, what a batch has taught is learned at its end. */
static inline void hunt_learn(hunt *h) {
    const rfi_lesson *l;
    (void)rfi_lesson_end(h->lessons, false);
    if (h->executions < h->learn_at && rfi_lessons_room(h->lessons, RF_LESSON_BYTES)) return;
    for (uint32_t at = 0; (l = rfi_lessons_next(h->lessons, &at)) != NULL;)
        h->strategy->learn(l + 1, l->bytes);
    h->lessons->used = 0;
    h->learn_at = h->strategy->serial ? 0 : rfi_batch_end(h->executions);
}

static inline bool hunt_before(void *arg) {
    hunt *h = arg;
    if (h->found || h->executions == h->limit) return false;
    if (h->strategy->exhausted && h->strategy->exhausted()) return false;
    if (h->deadline && !(h->executions & 63) && rfi_milliseconds() >= h->deadline) return false;
    rfi_job_next(&h->plan, h->executions, h->record);
    return true;
}

static inline void hunt_after(void *arg) {
    hunt *h = arg;
    const rf_diagnostic d = h->record->failure.diagnostic;
    h->executions++;
    h->steps += h->record->steps;
    if (d != RF_DIAG_NONE && rfi_diagnostic(d)->kind & h->kinds) h->found = h->executions;
    if (h->lessons) hunt_learn(h);
}

/* Runs at most `limit` executions, for at most so many seconds (0: any time). */
static inline hunt hunt_run(rfi_job j, unsigned kinds, uint32_t limit, double seconds) {
    rfi_shared *here = lab_campaign.team.here;
    hunt h = {.strategy = rfi_job_strategy(&j),
              .record = &here->record,
              .kinds = kinds,
              .limit = limit,
              .deadline = seconds > 0 ? rfi_milliseconds() + (int64_t)(seconds * 1000) : 0};
    h.learn_at = h.strategy->serial ? 0 : rfi_batch_end(0);
    here->lessons.used = 0;
    rfi_worker_school(&j, here);
    h.lessons = rfi.lessons;
    if (h.lessons && h.strategy->forget) h.strategy->forget();
    rfi_sink_tally = &here->tally;
    rfi_tally_reset(&here->tally);
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &h.plan);
    rfi_series series = {&h.plan, h.record, j.test, hunt_before, hunt_after, &h};
    rfi_execute(&series);
    rfi.lessons = NULL;
    return h;
}

/* Phase 1 of a campaign with this seed, but for memory, which is sequentially consistent unless the
 * test says otherwise; every access is a scheduling point.  `names` may give the strategy its
 * parameter; NULL: the default. */
static inline rfi_job hunt_job(const rfi_test *t, const rf_strategy *strategy, const char *names,
                               uint64_t seed) {
    const char *memory = t->options.memory;
    rfi_arm arm;
    lab_open();
    rfi_job j = lab_job_of(t->options.rfi_name, RFI_PREDICT, LAB_FINE);
    j.seed = seed;
    j.memory.atomics = rfi_memory_named(memory ? memory : "sc")->atomics;
    rfi_arm_open(&arm, &j, strategy, names);
    return arm.job;
}
#endif
