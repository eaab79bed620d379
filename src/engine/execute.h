/* engine/execute.h: one execution, from its plan to its record. */
#ifndef RFI_ENGINE_EXECUTE_H
#define RFI_ENGINE_EXECUTE_H
#include "engine/access.h"
#include "engine/heap.h"
#include "engine/support.h"
#include "engine/sync.h"
#include "engine/thread.h"
#include "engine/trace.h"

#ifdef RFI_IMPL
enum { RFI_STREAM_SCHEDULE = 1, RFI_STREAM_MEMORY, RFI_STREAM_INPUT, RFI_STREAM_STRATEGY };

/* Once per process: the calling thread is the one from which executions are started. */
RFI_FN void rfi_engine_open(rfi_backend_kind backend) {
    memset(rfi_arm_all, RFI_POINT | RFI_WATCH, sizeof rfi_arm_all);
    rfi_fiber_start(backend, &rfi.home);
    if (!rfi.run.words) rfi_thread_room();
}

/* Completes a plan; the sites that it arms are known. */
RFI_FN void rfi_plan_complete(rfi_plan *p) {
    uint64_t accesses = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE);
    p->listen = p->strategy->executed ? ~UINT64_C(0) : 0;
    for (uint32_t i = 0; i < p->analyses; i++) p->listen |= p->analysis[i]->events;
    p->mode = (uint8_t)((p->fine ? RFI_POINT : 0) | (p->listen & accesses ? RFI_WATCH : 0));
    p->arm = p->mode ? rfi_arm_all : rfi.site_mode_count ? rfi_arm_some : rfi_arm_none;
}

RFI_FN void rfi_execute_begin(const rfi_plan *p, rfi_record *r) {
    if (RFI_UNLIKELY(p->stack_size != rfi.stack_size)) {
        rfi_threads_release();
        rfi.stack_size = p->stack_size;
    }
    rfi.plan = p;
    rfi.strategy = p->strategy;
    rfi.record = r;
    rfi.generation = (uint32_t)(++rfi.executions * RFI_GOLDEN >> 32) | 1;
    rfi.run = (rfi_run){.words = 1};
    rfi.enabled[0] = rfi.paused[0] = rfi.lazy[0] = 0;
    rfi.run.attention = (p->checker ? 1u : 0u) + (p->strategy->announced ? 1u : 0u);
    rfi.max_steps = p->max_steps;
    rfi.fine = p->fine;
    rfi.spurious = p->spurious;
    rfi.schedule = rfi_prng_make(p->seed, RFI_STREAM_SCHEDULE);
    rfi.memory = rfi_prng_make(p->seed, RFI_STREAM_MEMORY);
    rfi.input = rfi_prng_make(p->seed, RFI_STREAM_INPUT);
    rfi_arena_reset(&rfi.arena);
    rfi_heap_reset();
    r->released = 0;
    r->failure.diagnostic = RF_DIAG_NONE;
    r->hit_count = r->objects = 0;
    r->skipped = false;
    r->tracing = p->trace;
    rfi.listen = p->listen;
    rfi.mode = p->mode;
    rfi_hot.arm = p->arm;
    for (uint32_t i = 0; i < p->analyses; i++)
        if (p->analysis[i]->begin) p->analysis[i]->begin();
    rfi_hot.fuel = RFI_FUEL;
    p->strategy->begin(p->seed);
    if (!p->checker) return;
    rfi.frame = (rfi_frame){.pause_chance = 65536, .checked = RFI_NO_THREAD};
    p->checker->begin(p->seed);
}

/* The running thread had to stop too, even if it had finished and was on its way out. */
RFI_FN RFI_COLD void rfi_abandon_threads(void) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        rfi_thr *t = rfi.thread[i];
        if (!t->finished || (t == rfi.current && !t->idle)) rfi_fiber_drop(&t->fiber);
    }
}

RFI_FN void rfi_execute_end(void) {
    const rfi_plan *p = rfi.plan;
    if (rfi.run.abandoned) rfi_abandon_threads();
    rfi.current = NULL;
    rfi.quiet = 0;
    rfi.listen = 0;
    rfi.record->steps = rfi.run.steps;
    rfi.record->switches = rfi.run.switches;
    rfi.record->preemptions = rfi.run.preemptions;
    rfi.record->threads = rfi.run.threads;
    rfi_hot.arm = rfi_arm_none;
    rfi_hot.fuel = INT32_MAX;
    rfi_fiber_epoch();
    if (p->checker && p->checker->end) p->checker->end();
    if (p->strategy->end) p->strategy->end();
    for (uint32_t i = 0; i < p->analyses; i++)
        if (p->analysis[i]->end) p->analysis[i]->end();
}

RFI_FN void *rfi_body_main(void *body) {
    rfi_test *test = body;
    test->body();
    return NULL;
}

/* Runs `test` once; everything that can be said about it is in `r` afterwards. */
RFI_FN void rfi_execute(const rfi_plan *p, rfi_record *r, rfi_test *test) {
    rfi_execute_begin(p, r);
    r->state = RFI_RUNNING;
    rfi_thr *t = rfi_thread_new(rfi_body_main, test);
    rfi_thread_name_set(0, NULL, 0);
    rfi_thread_fiber(t, NULL);
    rfi.current = t;
    rfi_fiber_jump(&rfi.home, &t->fiber);
    rfi_execute_end();
    r->state = RFI_DONE;
}
#endif
#endif
