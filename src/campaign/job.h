/* campaign/job.h: a job is a numbered sequence of executions of one test.
 *
 * What execution i of a job does follows from the job and i alone, so jobs can be cut among workers
 * and repeated at will.  Phase 1 predicts (random schedules, detectors on); phase 2 confirms one
 * pair (RaceFuzzer); phase 3 lets memory return older values (random schedules; Flanagan, Freund,
 * PLDI 2010, section 5): for the plain data that the statements of one pair touch, for all of it,
 * or for atomics alone.
 */
#ifndef RFI_CAMPAIGN_JOB_H
#define RFI_CAMPAIGN_JOB_H
#include "campaign/result.h"
#include "detect/hb.h"
#include "detect/hybrid.h"
#include "explore/racefuzzer.h"
#include "explore/random.h"

#ifdef RFI_IMPL
enum { RFI_PREDICT = 1, RFI_CONFIRM = 2, RFI_ADVERSARY = 3 };
# define RFI_DEFAULT_EXECUTIONS 1000u
# define RFI_DEFAULT_SECONDS    10.0
# define RFI_DEFAULT_STEPS      UINT64_C(1000000)
# define RFI_DEFAULT_STACK      ((size_t)256 << 10)

typedef struct rfi_job {
    rfi_test *test;
    unsigned phase;
    uint64_t seed;          /* of the campaign */
    uint64_t site_key[2];   /* the pair's, in phases 2 and 3; ordered; 0: there is none */
    const rf_site *site[2]; /* the same where they are known */
    bool fine, spurious, hb, hybrid;
    rf_mem_options memory; /* but for the heuristics */
    rf_heuristic pick;     /* of phase 3 */
    bool all;              /* phase 3: all plain data is adversarial */
    uint64_t max_steps;
    size_t stack_size;
} rfi_job;

RFI_INLINE bool rfi_job_has_pair(const rfi_job *j) { return j->site_key[0] != 0; }

/* What the seeds of all executions of the job are made from.  Not from the heuristic: so schedules
 * can be tried again under another one. */
RFI_FN uint64_t rfi_job_base(const rfi_job *j) {
    uint64_t h = rfi_mix(j->seed + RFI_GOLDEN) ^ rfi_hash_text(j->test->options.rfi_name);
    h = rfi_mix(h + j->phase) + j->site_key[0];
    return rfi_mix(rfi_mix(h) + j->site_key[1]);
}

/* Points racefuzzer or the adversary at the job's pair, and arms its statements: with coarse
 * granularity they are the only plain accesses that are looked at. */
RFI_FN void rfi_job_arm(const rfi_job *j) {
    if (rfi.site_mode) memset(rfi.site_mode, 0, rfi.site_mode_count);
    memset(rfi_arm_some, 0, sizeof rfi_arm_some);
    if (j->phase == RFI_PREDICT || !rfi_job_has_pair(j)) {
        rfi.site_mode_count = 0;
        return;
    }
    static uint32_t capacity;
    uint8_t mode = RFI_POINT | RFI_WATCH;
    if (j->phase == RFI_ADVERSARY) mode |= RFI_SUSPECT;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t n = rfi_site_number_of_key(j->site_key[i]);
        rfi_race_set[i] = n;
        rfi.site_mode = rfi_grow(rfi.site_mode, &capacity, n + 1, 1);
        rfi.site_mode[n] = mode;
        if (n >= rfi.site_mode_count) rfi.site_mode_count = n + 1;
        if (j->site[i]) rfi_arm_some[j->site[i]->slot] = mode;
    }
}

/* Plans the executions of an armed job. */
RFI_FN void rfi_job_plan(const rfi_job *j, bool trace, rfi_plan *p) {
    *p = (rfi_plan){.base = rfi_job_base(j),
                    .strategy = &rfi_random,
                    .fine = j->fine,
                    .trace = trace,
                    .spurious = j->spurious,
                    .memory = j->memory,
                    .max_steps = j->max_steps,
                    .stack_size = j->stack_size};
    if (j->phase == RFI_CONFIRM) p->checker = &rfi_racefuzzer;
    if (j->phase == RFI_ADVERSARY) {
        p->adversary = rfi_job_has_pair(j) || j->all;
        p->suspect_all = j->all;
        p->memory.plain_pick = j->pick;
        if (!rfi_job_has_pair(j)) p->memory.atomic_pick = j->pick;
    }
    if (j->phase == RFI_PREDICT && j->hb) p->analysis[p->analyses++] = &rfi_hb_analysis;
    if (j->phase == RFI_PREDICT && j->hybrid) p->analysis[p->analyses++] = &rfi_hybrid_analysis;
    if (trace) p->analysis[p->analyses++] = &rfi_tracer;
    rfi_plan_complete(p);
}

/* The next execution is number `index`. */
RFI_INLINE void rfi_job_next(rfi_plan *p, uint32_t index, rfi_record *r) {
    r->index = index;
    p->seed = rfi_mix(p->base + index * RFI_GOLDEN);
}

RFI_FN bool rfi_job_once(void *left) {
    bool *once = left, go = *once;
    *once = false;
    return go;
}

RFI_FN void rfi_job_ended(void *left) { (void)left; }

/* Runs execution `index` of an armed job. */
RFI_FN void rfi_job_run(const rfi_job *j, rfi_plan *p, uint32_t index, rfi_record *r) {
    bool left = true;
    rfi_series s = {p, r, j->test, rfi_job_once, rfi_job_ended, &left};
    rfi_job_next(p, index, r);
    rfi_execute(&s);
}
#endif
#endif
