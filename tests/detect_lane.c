/* Plain accesses that go to an analysis without an event (rf_analysis.access): the engine makes the
 * same executions, and what is found is the same. */
#define RF_IMPLEMENTATION
#include "lab.h"

enum { WORDS = 100, ROUNDS = 60 }; /* more accesses than there is fuel */

static int words[WORDS], plain;
static rf_mutex mutex = RF_MUTEX_INIT;

static void walk(void) {
    for (unsigned i = 0; i < ROUNDS * WORDS; i++)
        RF_STORE(words[i % WORDS], RF_LOAD(words[i % WORDS]) + 1);
}

THREAD(second) {
    RF_LOCK(&mutex);
    walk();
    RF_UNLOCK(&mutex);
    RF_STORE(plain, 1);
}

RF_TEST(racy) {
    BESIDE(second) {
        RF_LOCK(&mutex);
        walk();
        RF_UNLOCK(&mutex);
        (void)RF_LOAD(plain);
    }
}

static unsigned reports;
static bool lane;
static void sink(const rfi_race *r) {
    reports += r->site[0]->line != r->site[1]->line && !strcmp(r->by, "fasttrack");
    lane |= rfi.lane != NULL;
}

typedef struct outcome {
    uint64_t steps, switches, preemptions;
    unsigned reports;
    bool lane;
} outcome;

/* Sums over some executions, coarse ones. */
static outcome outcome_of(const rf_analysis *const *analyses, uint32_t n) {
    outcome sum = {0};
    rfi_record *r = &lab_campaign.team.here->record;
    rfi_job j = lab_job_of("racy", RFI_PREDICT, LAB_COARSE);
    rfi_plan p;
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    p.analyses = 0;
    for (uint32_t i = 0; i < n; i++) p.analysis[p.analyses++] = analyses[i];
    rfi_plan_complete(&p);
    reports = 0;
    lane = false;
    for (uint32_t i = 0; i < 200; i++) {
        rfi_job_run(&j, &p, i, r);
        sum.steps += r->steps;
        sum.switches += r->switches;
        sum.preemptions += r->preemptions;
    }
    sum.reports = reports;
    sum.lane = lane;
    return sum;
}

int main(void) {
    static const rf_analysis *const both[] = {&rfi_fasttrack_analysis, &rfi_eraser_analysis};
    lab_open();
    rfi_race_sink = sink;
    outcome none = outcome_of(both, 0), alone = outcome_of(both, 1), joint = outcome_of(both, 2);
    LAB_CHECK("alone_it_takes_accesses_without_events", alone.lane && !joint.lane);
    LAB_CHECK("the_schedules_are_the_same",
              none.steps == alone.steps && none.switches == alone.switches &&
                  none.preemptions == alone.preemptions && joint.steps == alone.steps &&
                  joint.switches == alone.switches && joint.preemptions == alone.preemptions);
    printf("# %u reports in 200 executions\n", alone.reports);
    LAB_CHECK("the_reports_are_the_same", alone.reports == joint.reports && alone.reports > 50);
    return lab_end();
}
