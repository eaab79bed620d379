/* tests/drfinder.h: executions under DrFinder or another strategy, and what they teach. */
#ifndef DRFINDER_H
#define DRFINDER_H
#include "lab.h"

static uint32_t depth = 12; /* drfinder's parameter */
static rfi_lessons lessons;
static rfi_job job;
static bool traced;
static const rfi_record *record;

/* The executions that follow are of this test. */
static inline void set_up(const char *test, const rf_strategy *s, bool trace) {
    job = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    job.strategy = s;
    job.parameter = depth;
    job.analyses = rfi_analysis_bit("fasttrack") | rfi_analysis_bit("hybrid");
    traced = trace;
    rfi_tally_reset(&lab_tally);
}

static inline void run(uint32_t i) { record = lab_run(&job, i, traced); }

/* Runs an execution that teaches. */
static inline void teach(uint32_t i) {
    rfi.lessons = &lessons;
    run(i);
    rfi.lessons = NULL;
    (void)rfi_lesson_end(&lessons, false);
}

/* They were a batch. */
static inline void learn_all(void) {
    const rfi_lesson *l;
    for (uint32_t at = 0; (l = rfi_lessons_next(&lessons, &at)) != NULL;)
        if (job.strategy->learn) job.strategy->learn(l + 1, l->bytes);
    lessons.used = 0;
}

static inline void forget(void) {
    if (job.strategy->forget) job.strategy->forget();
}

static inline void learn(uint32_t from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) teach(from + i);
    learn_all();
}

/* In which share of `count` executions was there a race on that variable? */
static inline double share_of(const char *variable, unsigned count) {
    for (uint32_t i = 0; i < lab_tally.warnings; i++)
        if (!strcmp(lab_tally.warning[i].side[0].site->text, variable))
            return (double)lab_tally.warning[i].seen / count;
    return 0;
}

#endif
