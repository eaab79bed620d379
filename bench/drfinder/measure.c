/* bench/drfinder/measure.c: who finds which races in a program of bench/drfinder/generate.sh.
 *
 *     measure STRATEGY[:N] RUNS      KERNEL: the program
 *
 * Only synchronisation is scheduled, as in the paper; FastTrack watches.  A strategy that learns
 * has one execution before, without detector (phase I), and learns after each one.  Prints a line
 * `race RUN VARIABLE` for each race when it is first seen, the microseconds of a run (`time`,
 * `phase1`), the bytes of what was learned in the longest token (`used`), and DrFinder's `thrash
 * SUSPENSIONS IN-VAIN`.  Compiled with RF_OFF it prints the time on real threads.
 */
#define RF_IMPLEMENTATION
#ifdef RF_OFF
# include "racefuzz.h"
# include <stdint.h>
# include <stdio.h>
# include <time.h>
#else
# include "tests/lab.h"
#endif

static void work(void) {
    uint64_t x = 1;
    for (unsigned i = 0; i < 200; i++) x = x * UINT64_C(6364136223846793005) + 1;
    __asm__ volatile("" : : "r"(x)); /* it is wanted */
}

#include KERNEL

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* of all threads */
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

#ifdef RF_OFF
int main(void) {
    enum { RUNS = 20 };
    BENCH_BODY();
    double begin = now();
    for (unsigned i = 0; i < RUNS; i++) BENCH_BODY();
    printf("time %.0f\n", (now() - begin) / RUNS);
    return 0;
}
#else
/* What processors do: threads go on in turn, each for some steps, without a plan. */
static rf_prng turns_stream;
static uint32_t turns_left;
static void turns_begin(uint64_t seed) {
    turns_stream = (rf_prng){seed};
    turns_left = 0;
}
static uint32_t turns_pick(const rf_choice *c) {
    if (rf_choice_has(c, c->last) && turns_left--) return c->last;
    turns_left = rf_random_below(&turns_stream, 20);
    for (uint32_t i = 0; i < c->count; i++)
        if (rf_choice_at(c, i) > c->last) return rf_choice_at(c, i);
    return rf_choice_at(c, 0);
}
static const rf_strategy turns = {.name = "turns",
                                  .help = "threads in turn, for 1 to 20 steps",
                                  .begin = turns_begin,
                                  .pick = turns_pick};
RF_STRATEGY(turns);

static rfi_lessons lessons;
static rfi_job job;
static rfi_plan plan;

static double run(uint32_t index) {
    const rf_strategy *s = job.strategy;
    double begin = now();
    lessons.used = 0;
    rfi.lessons = s->learn ? &lessons : NULL;
    rfi_job_run(&job, &plan, index, &lab_campaign.team.here->record);
    begin = now() - begin;
    if (lab_campaign.team.here->record.failure.diagnostic != RF_DIAG_NONE)
        rfi_die("%s fails: %s", BENCH_NAME, lab_campaign.team.here->record.failure.message);
    rfi_lesson *l = rfi_lesson_at(&lessons, 0);
    if (s->learn) s->learn(l + 1, l->bytes);
    return begin;
}

static void plan_with(uint64_t analyses) {
    job.analyses = analyses;
    rfi_job_arm(&job);
    rfi_job_plan(&job, false, &plan);
}

int main(int argc, char **argv) {
    const rf_strategy *s = NULL;
    if (argc != 3) return fprintf(stderr, "usage: measure STRATEGY RUNS\n"), 2;
    for (uint32_t i = 0; (s = rfi_strategy_at(i)) && !rfi_list_has(argv[1], s->name);) i++;
    if (!s) return 77;
    uint32_t runs = (uint32_t)strtoul(argv[2], NULL, 10), known = 0;
    double spent = 0;
    uint32_t used = 0;
    lab_open();
    job = lab_job_of(BENCH_NAME, RFI_PREDICT, LAB_COARSE);
    job.strategy = s;
    job.parameter = rfi_parameter_of(argv[1], s);
    rfi_tally_reset(&lab_tally);
    rfi_sink_tally = &lab_tally;
    if (s->learn) {
        plan_with(0);
        (void)run(0); /* warm */
        s->forget();
        printf("phase1 %.0f\n", run(0));
    }
    plan_with(rfi_analysis_bit("fasttrack"));
    if (!s->learn) (void)run(0);
    rfi_tally_reset(&lab_tally);
    for (uint32_t r = 1; r <= runs; r++) {
        spent += run(r);
        uint32_t bytes = lab_campaign.team.here->record.used_bytes;
        if (bytes > used) used = bytes;
        for (; known < lab_tally.warnings; known++)
            printf("race %u %s\n", r, lab_tally.warning[known].side[0].site->text);
    }
    printf("time %.0f\n", spent / runs);
    printf("used %u\n", used);
    if (s == &rfi_drfinder)
        printf("thrash %llu %llu\n", (unsigned long long)rfi_drfinder_knows.asked,
               (unsigned long long)rfi_drfinder_knows.thrash);
    return 0;
}
#endif
