/* engine/execute.h: executions, one after the other, from their plan to their record.
 *
 * The first logical thread, which runs the test's body, runs the loop over executions as well: from
 * one to the next nothing is switched.  Home, the context of the caller, gets control back when the
 * series is over, or when an execution is abandoned and its threads, the first one too, stand
 * somewhere in the code under test; then it drops them and continues the series.
 */
#ifndef RFI_ENGINE_EXECUTE_H
#define RFI_ENGINE_EXECUTE_H
#include "engine/access.h"
#include "engine/contest.h"
#include "engine/given.h"
#include "engine/heap.h"
#include "engine/interrupt.h"
#include "engine/priority.h"
#include "engine/support.h"
#include "engine/sync.h"
#include "engine/thread.h"
#include "engine/trace.h"

#ifdef RFI_IMPL
enum {
    RFI_STREAM_SCHEDULE = 1,
    RFI_STREAM_MEMORY,
    RFI_STREAM_INPUT,
    RFI_STREAM_STRATEGY,
    RFI_STREAM_CHECKER,
    RFI_STREAM_PATIENCE,
    RFI_STREAM_HEAP
};

# define RFI_AGAIN_EVERY 4u /* one execution in so many gives freed memory out again */

bool rf_drawn(void) {
    uint64_t seed = rfi.plan->seed;
    return rfi.run.outside ||
           rfi.schedule.state != rfi_prng_make(seed, RFI_STREAM_SCHEDULE).state ||
           rfi.memory.state != rfi_prng_make(seed, RFI_STREAM_MEMORY).state ||
           rfi.input.state != rfi_prng_make(seed, RFI_STREAM_INPUT).state;
}

rf_diagnostic rf_failed(void) { return rfi.record->failure.diagnostic; }
bool rf_invariants(void) { return rfi.run.invariants != NULL; }

/* Once per process: the calling thread is the one from which executions are started. */
RFI_FN void rfi_engine_open(rfi_backend_kind backend) {
    memset(rfi_arm_all, RFI_POINT | RFI_WATCH, sizeof rfi_arm_all);
    rfi.backend = backend;
    rfi_fiber_start(backend, &rfi.home);
    if (!rfi.run.words) rfi_thread_room();
    rfi.generation |= 1;
}

/* An analysis that plain accesses can go to without an event; NULL if there is none, or if others
 * would miss them. */
RFI_FN const rf_analysis *rfi_plan_lane(const rfi_plan *p) {
    const uint64_t accesses = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE);
    const rf_analysis *lane = NULL;
    if (p->mode != RFI_WATCH || p->adversary || p->word || p->strategy->executed ||
        p->strategy->events & accesses || (rfi.site_mode_count && !p->points))
        return NULL;
    for (uint32_t i = 0; i < p->analyses; i++) {
        const rf_analysis *a = p->analysis[i];
        if (!(a->events & accesses)) continue;
        if (!a->access || (lane && lane->access != a->access)) return NULL;
        lane = a;
    }
    return lane;
}

/* Completes a plan; the sites that it arms are known. */
RFI_FN void rfi_plan_complete(rfi_plan *p) {
    uint64_t accesses = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE);
    p->modelled = (p->memory.atomics != RF_MEM_SC || p->adversary) && !p->strategy->values;
    if (p->modelled && (!p->analyses || p->analysis[0] != &rfi_model_analysis)) {
        memmove(p->analysis + 1, p->analysis, p->analyses++ * sizeof p->analysis[0]);
        p->analysis[0] = &rfi_model_analysis;
    }
    p->listen = p->strategy->executed ? ~UINT64_C(0) : p->strategy->events;
    for (uint32_t i = 0; i < p->analyses; i++) {
        const rf_analysis *a = p->analysis[i];
        p->listen |= a == &rfi_model_analysis && !p->adversary ? RFI_MODEL_WAKES : a->events;
        uint64_t kinds = a->events & (RF_EV_BIT(RF_EV_COUNT) - 1);
        p->event[i] = a->event;
        for (uint32_t k = 0; k < i; k++)
            if (a->rfi_by == p->analysis[k]) kinds = 0;
        for (; kinds; kinds &= kinds - 1) p->hears[__builtin_ctzll(kinds)] |= UINT32_C(1) << i;
        for (kinds = a->wakes; kinds; kinds &= kinds - 1)
            p->woken_by[__builtin_ctzll(kinds)] |= UINT32_C(1) << i;
        if (a->wakes && !(a->wakes & ~p->asleep)) p->sleepers |= UINT32_C(1) << i;
    }
    if (p->checker) p->listen |= p->checker->events;
    p->mode =
        (uint8_t)((p->fine && !p->points ? RFI_POINT : 0) | (p->listen & accesses ? RFI_WATCH : 0) |
                  (p->suspect_all ? RFI_SUSPECT : 0));
    p->lane = rfi_plan_lane(p);
    p->limit = p->max_steps - p->max_steps / 2;
    p->begins = p->analyses || p->checker;
    p->ends = p->strategy->end || (p->checker && p->checker->end);
    for (uint32_t i = 0; i < p->analyses; i++) p->ends |= p->analysis[i]->end != NULL;
    p->attention = (p->checker ? 1u : 0u) + (p->strategy->announced ? 1u : 0u);
    p->arm = p->mode || p->adversary || p->points ? rfi_arm_all
             : rfi.site_mode_count                ? rfi_arm_some
                                                  : rfi_arm_none;
}

/* What is the same in all executions of a series. */
RFI_FN void rfi_series_begin(const rfi_plan *p, rfi_record *r) {
    rfi.plan = p;
    rfi.series_number++;
    rfi.strategy = p->strategy;
    rfi.record = r;
    rfi.fine = p->fine;
    rfi.some = rfi.site_mode_count || rfi.points;
    rfi.word = p->word ? p->word : SIZE_MAX;
    rfi.spurious = p->spurious;
    rfi.footings = p->strategy->values;
    rfi.regions = p->regions;
    rfi.functions = p->functions;
    rfi_core_settle(&rfi_model.core, &p->memory);
    r->tracing = p->trace;
}

/* From here on the macros do the plain operation and nothing else. */
RFI_FN void rfi_series_end(void) {
    rfi.listen = 0;
    rfi_hot.arm = rfi_arm_none;
    rfi_hot.fuel = INT32_MAX;
}

RFI_FN void rfi_execute_begin(const rfi_plan *p, rfi_record *r) {
    rfi.generation += RFI_GENERATION;
    uint32_t always = (rfi.coverage ? 1u : 0u) + (p->strategy->lone ? 1u : 0u);
    rfi_zero(&rfi.run, sizeof rfi.run);
    rfi.run.words = 1;
    rfi.run.attention = p->attention + always;
    rfi.run.always = always;
    rfi.run.lone = p->strategy->lone;
    rfi.modelled = p->modelled;
    rfi.adversary = p->adversary;
    rfi.observed = p->ordered && !p->strategy->values ? RFI_ORDERED : 0;
    rfi_claims.count = 0;
    /* the last one may have failed */
    rfi.enabled[0] = rfi.paused[0] = rfi.lazy[0] = rfi.awaiting[0] = 0;
    rfi.schedule = rfi_prng_make(p->seed, RFI_STREAM_SCHEDULE);
    rfi.memory = rfi_prng_make(p->seed, RFI_STREAM_MEMORY);
    rfi.input = rfi_prng_make(p->seed, RFI_STREAM_INPUT);
    rfi.patience = rfi_prng_make(p->seed, RFI_STREAM_PATIENCE);
    rfi_patience_begin(p, r->index, &rfi.patience);
    rfi.run.uniform = rfi.run.serial ? NULL : p->strategy->rfi_uniform;
    rfi_arena_reset(&rfi.arena);
    rf_prng heap = rfi_prng_make(p->seed, RFI_STREAM_HEAP);
    rfi_heap_reset(p->again && !rfi_below(&heap, RFI_AGAIN_EVERY));
    rfi_zero((char *)r + offsetof(rfi_record, asked),
             offsetof(rfi_record, threads) - offsetof(rfi_record, asked));
    r->again.count = r->early.count = r->unwoken.count = 0;
    for (unsigned i = 0; i < RFI_ASKS; i++) r->asks[i][0] = 0;
    r->failure.diagnostic = RF_DIAG_NONE;
    r->failure.null_at = 0;
    rfi_limit(p->limit);
    if (rfi.observed)
        rfi_behaviour_begin();
    else if (p->ordered)
        r->order = rfi_mix(p->seed); /* each execution is like no other */
    rfi_lesson_begin(r->index);
    rfi.lesson_over = rfi.run.serial; /* it was not the strategy that chose */
    rfi.listen = p->listen;
    rfi.mode = p->mode;
    rfi.lane = p->lane ? p->lane->access : NULL;
    rfi_hot.arm = p->arm;
    rfi_hot.fuel = RFI_FUEL;
    if (p->strategy->begin) p->strategy->begin(rfi_prng_make(p->seed, RFI_STREAM_STRATEGY).state);
    if (RFI_LIKELY(!p->begins)) return;
    rfi.sleepers = p->sleepers;
    for (uint32_t i = 0; i < p->analyses; i++)
        if (p->analysis[i]->begin) p->analysis[i]->begin();
    if (!p->checker) return;
    rfi.frame = (rfi_frame){.pause_chance = 65536, .checked = RFI_NO_THREAD};
    if (p->checker->begin) p->checker->begin(rfi_prng_make(p->seed, RFI_STREAM_CHECKER).state);
}

/* Nobody comes back: the first thread, which waits for the others or runs, and who was running,
 * even if it was on its way out. */
RFI_FN RFI_COLD void rfi_abandon_threads(void) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        rfi_thr *t = rfi.thread[i];
        if (!i || !t->finished || (t == rfi.current && !t->idle)) rfi_fiber_drop(&t->fiber);
    }
}

RFI_INLINE void rfi_execute_end(void) {
    const rfi_plan *p = rfi.plan;
    rfi_lent_drop();
    if (rfi.run.abandoned) rfi_abandon_threads();
    rfi.current = NULL;
    rfi.lane = NULL;
    rfi.quiet = 0;
    rfi.record->switches = rfi.run.switches;
    rfi.record->preemptions = rfi.run.preemptions;
    rfi.record->threads = rfi.run.threads;
    rfi_fiber_epoch();
    if (RFI_LIKELY(!p->ends)) return;
    if (p->checker && p->checker->end) p->checker->end();
    if (p->strategy->end) p->strategy->end();
    for (uint32_t i = 0; i < p->analyses; i++)
        if (p->analysis[i]->end) p->analysis[i]->end();
}

/* One execution, on the first thread's fiber. */
RFI_FN void rfi_execute_here(const rfi_plan *p, rfi_record *r, rfi_test *test) {
    rfi_execute_begin(p, r);
    rfi_fiber_home_renew();
    r->begun++;
    r->state = RFI_RUNNING;
    rfi_thr *t = rfi_thread_new(NULL, NULL, NULL);
    rfi_thread_name_set(0, NULL, 0, NULL);
    rfi.current = t;
    if (RFI_UNLIKELY(rfi.footings)) rfi_footing_begin();
    test->body();
    if (RFI_UNLIKELY(rfi.run.finish != NULL)) rfi.run.finish();
    if (RFI_UNLIKELY(rfi_body_ends != NULL)) rfi_body_ends();
    if (RFI_UNLIKELY(rfi_irq.generation == rfi.generation)) rfi_sources_end();
    rfi_thread_end(t);
    if (rfi.run.live) { /* until all have ended, or nothing but detached ones is left */
        if (!rfi.run.whole) rfi_end_limit();
        rfi_switch_to(t, rfi_thread_after(t));
    }
    rfi_execute_end();
    rfi.record->state = RFI_DONE;
}

/* Executions of one test under one plan. */
typedef struct rfi_series {
    rfi_plan *plan;
    rfi_record *record;
    rfi_test *test;
    bool (*before)(void *arg); /* prepares the next execution; false: there is none */
    void (*after)(void *arg);  /* it has ended, well or not */
    void *arg;
} rfi_series;

/* The first thread. */
RFI_FN void rfi_series_main(void *unused) {
    rfi_thr *t = rfi.thread[0];
    (void)unused;
    for (;;) {
        const rfi_series *s = rfi.series;
        while (s->before(s->arg)) {
            rfi_execute_here(s->plan, s->record, s->test);
            s->after(s->arg);
        }
        rfi.series = NULL;
        if (!rfi_fiber_reusable()) rfi_fiber_exit(&t->fiber, &rfi.home);
        t->idle = true;
        rfi_fiber_jump(&t->fiber, &rfi.home);
    }
}

/* Strategies may need real threads. */
RFI_FN void rfi_engine_suit(const rf_strategy *s) {
    rfi_backend_kind kind = s->threads ? RFI_BACKEND_THREADS : rfi.backend;
    if (RFI_LIKELY(kind == rfi_backend.kind)) return;
    rfi_threads_release();
    rfi_fiber_start(kind, &rfi.home);
}

/* Runs a series; everything that can be said about an execution is in its record afterwards. */
RFI_FN void rfi_execute(const rfi_series *s) {
    rfi_thr *t = rfi.thread[0];
    rfi_engine_suit(s->plan->strategy);
    if (RFI_UNLIKELY(s->plan->stack_size != rfi.stack_size)) {
        rfi_threads_release();
        rfi.stack_size = s->plan->stack_size;
    }
    rfi.series = s;
    rfi_series_begin(s->plan, s->record);
    for (;;) {
        if (t->idle)
            rfi_fiber_renew(&t->fiber);
        else
            (void)rfi_fiber_make(&t->fiber, rfi.stack_size, rfi_series_main, NULL);
        if (!t->fiber.stack_low)
            rfi_die("no room for a stack of %zu KiB (.stack_size)", rfi.stack_size / 1024);
        t->idle = false;
        rfi_fiber_jump(&rfi.home, &t->fiber);
        if (!rfi.series) break;
        rfi_execute_end();
        rfi.record->state = RFI_DONE; /* in a child of fork it is not that of its parent */
        s->after(s->arg);
    }
    rfi_series_end();
}
#endif
#endif
