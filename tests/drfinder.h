/* tests/drfinder.h: executions under DrFinder or another strategy, and what they teach. */
#ifndef DRFINDER_H
#define DRFINDER_H
#include "lab.h"

static uint32_t depth = 12; /* drfinder's parameter */
static rfi_lessons lessons;
static rfi_job job;
static rfi_plan plan;
static rfi_record *record;

/* The executions that follow are of this test. */
static inline void set_up(const char *test, const rf_strategy *s, bool trace) {
    lab_open();
    record = &lab_campaign.team.here->record;
    job = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    job.strategy = s;
    job.parameter = depth;
    job.analyses = rfi_analysis_bit("fasttrack") | rfi_analysis_bit("hybrid");
    rfi_job_arm(&job);
    rfi_job_plan(&job, trace, &plan);
    rfi_tally_reset(&lab_tally);
    rfi_sink_tally = &lab_tally;
}

static inline void run(uint32_t i) { rfi_job_run(&job, &plan, i, record); }

/* Runs an execution that teaches. */
static inline void teach(uint32_t i) {
    rfi.lessons = &lessons;
    run(i);
    rfi.lessons = NULL;
    lessons.used += rfi_lesson_size(rfi_lesson_at(&lessons, lessons.used)->bytes);
}

/* They were a batch. */
static inline void learn_all(void) {
    for (uint32_t at = 0; at < lessons.used;) {
        const rfi_lesson *l = rfi_lesson_at(&lessons, at);
        if (job.strategy->learn) job.strategy->learn(l + 1, l->bytes);
        at += rfi_lesson_size(l->bytes);
    }
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
