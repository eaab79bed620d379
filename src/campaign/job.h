/* campaign/job.h: a job is a numbered sequence of executions of one test.
 *
 * What execution i of a job does follows from the job and i alone, so jobs can be cut among workers
 * and repeated at will.  Phase 1 predicts (a strategy alone, analyses on); phase 2 confirms one
 * warning (a checker is directed at it); phase 3 lets memory return older values (random schedules;
 * Flanagan, Freund, PLDI 2010, section 5): for the plain data that the statements of one pair
 * touch, for all of it, or for atomics alone.
 * Optimised: fully, each execution runs it.
 */
#ifndef RFI_CAMPAIGN_JOB_H
#define RFI_CAMPAIGN_JOB_H
#include "campaign/registry.h"
#include "campaign/result.h"
#include "campaign/sharing.h"
#include "campaign/turns.h"
#include "engine/calls.h"
#include "engine/execute.h"
#include "engine/initials.h"
#include "engine/mend.h"

#ifdef RFI_IMPL
enum { RFI_PREDICT = 1, RFI_CONFIRM = 2, RFI_ADVERSARY = 3 };
# define RFI_DEFAULT_EXECUTIONS 1000u
# define RFI_DEFAULT_SECONDS    10.0
# define RFI_DEFAULT_STEPS      UINT64_C(1000000)
# define RFI_OBJECT_STEPS       UINT64_C(100000) /* a few calls have no more */
# define RFI_DEFAULT_STACK      ((size_t)256 << 10)

/* With those of the memory model, of calls, of the trace, and of phase 1. */
_Static_assert(RFI_LENGTH(rfi_analyses) + RFI_REGISTERED + 4 <= RFI_ANALYSES,
               "all analyses find room in a plan");

/* What a token need not say. */
RFI_FN uint64_t rfi_steps_usual(const rfi_test *test) {
    return test->object ? RFI_OBJECT_STEPS : RFI_DEFAULT_STEPS;
}

RFI_FN size_t rfi_stack_usual(const rfi_test *test) {
    return test->options.stack_size ? test->options.stack_size : RFI_DEFAULT_STACK;
}

typedef struct rfi_job {
    rfi_test *test;
    unsigned phase;
    uint64_t seed;                   /* of the campaign */
    const rf_strategy *strategy;     /* NULL: random */
    uint32_t parameter;              /* of the strategy, if it has one */
    const rf_checker *checker;       /* of phase 2; NULL: racefuzzer */
    uint64_t target[RF_TARGETS];     /* the warning's, in phases 2 and 3; 0 behind the last */
    const rf_site *site[RF_TARGETS]; /* those that are statements, where they are known */
    uint64_t analyses;               /* set of those that are on in phase 1 */
    uint64_t asleep;                 /* kinds of events that analyses sleep until (rf_analysis) */
    bool fine, spurious;
    bool regions;     /* outermost critical sections are atomic blocks, */
    bool functions;   /* and functions that lock */
    bool serials;     /* some of its executions are without preemptions, */
    uint64_t opening; /* the first of them, and 1; 0: they are only spread */
    bool drawn;       /* what rand begins with, and the calendar */
    uint32_t cores;   /* for threads with priorities; 0: any number */
    uint32_t word;    /* bytes that are accessed at a time; 0: any number */
    uint32_t unroll;  /* so many rounds of a loop are explored; 0: all */
    uint32_t late;    /* 1 + the milliseconds of an execution that may pass early; 0: any */
    bool again;       /* some of them give freed memory out again */
    bool scout;       /* finds statements that touch shared data */
    bool shared;      /* fine, but plain accesses are points at some statements only: */
    uint64_t point[RFI_POINT_WORDS]; /* those with these codes (rfi_site_code) */
    const uint64_t *counted;         /* orders are compared at these; NULL: at all statements */
    bool apart;                      /* other plain accesses take no part in them */
    bool covers;                     /* the coverage of statements is wanted */
    rf_mem_options memory;           /* but for the heuristics; */
    bool weak;                       /* c11 was asked for by name */
    rf_heuristic pick;               /* of phase 3 */
    bool all;                        /* phase 3: all plain data is adversarial */
    bool tears;                      /* phase 3: what may be a pointer is torn, too */
    uint64_t max_steps;
    bool must_end;     /* who reaches them has failed */
    size_t stack_size; /* 0: what is usual */
    bool threads;      /* stacks are those of real threads, which have more room */
    bool keeps;        /* what was learned before its first execution is kept */
    bool scenes;       /* a search goes through the test's scenarios of calls one by one */
    bool chains;       /* the trace has call chains, of these accesses, */
    bool brief;        /* and of no others */
    const rf_site *chain_at[2];
    bool unknown;        /* nothing is known of the warning that it is directed at */
    bool replay;         /* one execution, which used these bytes of what had been learned */
    const uint8_t *used; /* (rf_used) */
    uint32_t used_bytes;
    const rfi_mend *mend; /* races that can't happen in it (experiment.h); NULL: it is as usual */
} rfi_job;

RFI_INLINE bool rfi_job_directed(const rfi_job *j) { return j->target[0] != 0; }

RFI_FN uint32_t rfi_job_targets(const rfi_job *j) {
    uint32_t n = 0;
    while (n < RF_TARGETS && j->target[n]) n++;
    return n;
}

RFI_FN const rf_checker *rfi_job_checker(const rfi_job *j) {
    return j->phase != RFI_CONFIRM ? NULL : j->checker ? j->checker : &rfi_racefuzzer;
}

/* Is its schedule given?  Then no checker directs it. */
RFI_FN bool rfi_job_told(const rfi_job *j) { return j->strategy == &rfi_schedule_strategy; }

/* Phase 3 compares what the same schedules do under several heuristics of the model. */
RFI_FN const rf_strategy *rfi_job_strategy(const rfi_job *j) {
    const rf_strategy *s = j->strategy;
    bool unfit = j->phase == RFI_ADVERSARY && s && (s->threads || s->values);
    return s && !unfit ? s : &rfi_random;
}

/* Do its executions teach, and is that learned?  After phase 1 a strategy knows what it knows, but
 * for those that go through schedules in an order. */
RFI_FN bool rfi_job_learns(const rfi_job *j) {
    const rf_strategy *s = rfi_job_strategy(j);
    return s->learn && !j->replay && (j->phase == RFI_PREDICT || s->serial);
}

RFI_FN bool rfi_job_serial(const rfi_job *j) {
    return rfi_job_learns(j) && rfi_job_strategy(j)->serial;
}

/* What the seeds of all executions of the job are made from.  Not from the heuristic: so schedules
 * can be tried again under another one. */
RFI_FN uint64_t rfi_job_base(const rfi_job *j) {
    uint64_t h = rfi_mix(j->seed + RFI_GOLDEN) ^ rfi_hash_text(j->test->options.rfi_name);
    h = rfi_mix(h + j->phase) + j->target[0];
    for (uint32_t i = 1; i < RF_TARGETS && (i == 1 || j->target[i]); i++)
        h = rfi_mix(h) + j->target[i];
    return rfi_mix(h);
}

RFI_FN void rfi_job_arm_one(uint64_t key, uint8_t mode) {
    uint32_t number = rfi_site_number_of_key(key);
    if (number >= rfi.site_mode_count) rfi_site_modes(number + 1);
    rfi.site_mode[number] |= mode;
}

/* Arms the statements of the job's target: with coarse granularity they are the only plain accesses
 * that are looked at. */
RFI_FN void rfi_job_arm(const rfi_job *j) {
    const rf_checker *c = rfi_job_checker(j);
    uint32_t n = j->phase == RFI_ADVERSARY || (c && c->at_sites) ? rfi_job_targets(j) : 0;
    uint8_t mode = RFI_POINT | RFI_WATCH;
    if (j->phase == RFI_ADVERSARY) mode |= RFI_SUSPECT;
    memset(rfi_arm_some, 0, sizeof rfi_arm_some);
    rfi.site_mode_count = 0;
    rfi.points = j->shared ? j->point : NULL;
    rfi_site_modes(rfi.points ? rfi_site_table.count : 0);
    for (uint32_t i = 0; i < n; i++) {
        rfi_job_arm_one(j->target[i], mode);
        if (j->site[i]) rfi_arm_some[j->site[i]->slot] = mode;
    }
    for (uint32_t i = 0; j->mend && i < j->mend->count; i++)
        rfi_job_arm_one(j->mend->key[i], RFI_POINT | RFI_WATCH);
}

/* Is it asked of calls which had returned when others were made, beside what happens before? */
RFI_FN bool rfi_job_in_time(const rfi_job *j) {
    rf_criterion c = j->test->options.criterion;
    return c == RF_REAL_TIME || c == RF_QUIESCENCE;
}

/* Plans the executions of an armed job. */
RFI_FN void rfi_job_plan(const rfi_job *j, bool trace, rfi_plan *p) {
    *p = (rfi_plan){.base = rfi_job_base(j),
                    .strategy = rfi_job_strategy(j),
                    .checker = rfi_job_told(j) ? NULL : rfi_job_checker(j),
                    .target = j->target,
                    .targets = rfi_job_targets(j),
                    .asleep = j->asleep,
                    .fine = j->fine,
                    .points = j->shared ? j->point : NULL,
                    .trace = trace,
                    .chains = j->chains,
                    .brief = j->brief,
                    .chain_at = {j->chain_at[0], j->chain_at[1]},
                    .serials = j->serials,
                    .opening = j->opening,
                    .again = j->again,
                    .drawn = j->drawn,
                    .cores = j->cores,
                    .word = j->word,
                    .late = j->late,
                    .unroll = j->unroll,
                    .in_time = rfi_job_in_time(j),
                    .ordered = j->phase == RFI_PREDICT && !j->replay,
                    .counted = j->counted,
                    .known = j->apart ? j->counted : j->point,
                    .spurious = j->spurious,
                    .regions = j->regions,
                    .functions = j->functions,
                    .memory = j->memory,
                    .max_steps = j->max_steps ? j->max_steps : rfi_steps_usual(j->test),
                    .must_end = j->must_end,
                    .stack_size = j->stack_size ? j->stack_size : rfi_stack_usual(j->test)};
    if (j->phase == RFI_ADVERSARY) {
        p->adversary = rfi_job_directed(j) || j->all;
        p->suspect_all = j->all;
        p->tears = j->tears;
        p->memory.plain_pick = j->pick;
        if (!rfi_job_directed(j)) p->memory.atomic_pick = j->pick;
    }
    bool weak = p->strategy->rfi_c11 && j->phase == RFI_PREDICT && p->memory.atomics == RF_MEM_C11;
    if (p->strategy->whole || weak) p->memory.choose = rfi_choose_value;
    if (p->strategy->parameter) *p->strategy->parameter = j->parameter;
    if (j->replay && p->strategy->recall) p->strategy->recall(j->used, j->used_bytes);
    const rf_analysis *a;
    if (j->mend) p->checker = rfi_mend_around(j->mend, p->checker);
    bool watched = j->phase == RFI_PREDICT || rfi_stop_at == RFI_STOP_RACE;
    watched |= j->mend != NULL;
    for (uint32_t i = 0; watched && (a = rfi_analysis_at(i)); i++)
        if (j->analyses >> i & 1) p->analysis[p->analyses++] = a;
    if (j->test->object || j->test->options.calls) p->analysis[p->analyses++] = &rfi_calls_analysis;
    if (j->scout) {
        p->analysis[p->analyses++] = &rfi_sharing;
    } else if (p->strategy->exhausted && !p->strategy->values) { /* which sees that by itself */
        rfi_initials_of(j->test);
        p->analysis[p->analyses++] = &rfi_initials_analysis;
    }
    if (trace) p->analysis[p->analyses++] = &rfi_tracer;
    if (trace) p->strategy = rfi_turns_noted(p->strategy);
    rfi_plan_complete(p);
}

/* The next execution is number `index`. */
RFI_INLINE void rfi_job_next(rfi_plan *p, uint64_t index, rfi_record *r) {
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
RFI_FN void rfi_job_run(const rfi_job *j, rfi_plan *p, uint64_t index, rfi_record *r) {
    bool left = true;
    rfi_series s = {p, r, j->test, rfi_job_once, rfi_job_ended, &left};
    rfi_job_next(p, index, r);
    rfi_execute(&s);
}
#endif
#endif
