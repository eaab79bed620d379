/* engine/thread.h: creation, end, join, detach, thread-local objects, yields and virtual time. */
#ifndef RFI_ENGINE_THREAD_H
#define RFI_ENGINE_THREAD_H
#include "engine/block.h"
#include "engine/call.h"
#include "engine/footing.h"
#include "engine/halves.h"
#include "engine/symbols.h"

#ifdef RFI_IMPL
# define RFI_IDLE_FIBERS                                                  \
  256u /* threads with a lower number keep their fiber between executions \
        */

/* Makes room for 64 more threads in this execution. */
RFI_FN RFI_COLD void rfi_thread_room(void) {
    uint32_t word = rfi.run.words++;
    uint64_t **set[] = {&rfi.enabled, &rfi.paused, &rfi.lazy, &rfi.awaiting, &rfi.candidates};
    for (unsigned i = 0; i < sizeof set / sizeof *set; i++) {
        uint32_t capacity = rfi.set_capacity;
        *set[i] = rfi_grow(*set[i], &capacity, word + 1, sizeof **set[i]);
        (*set[i])[word] = 0;
        if (i == 4) rfi.set_capacity = capacity;
    }
    rfi.thread =
        rfi_grow((void *)rfi.thread, &rfi.thread_capacity, (word + 1) * 64, sizeof *rfi.thread);
    for (uint32_t id = word * 64; id < (word + 1) * 64; id++) {
        if (rfi.thread[id]) break; /* from an earlier execution */
        if (!(rfi.thread[id] = RFI_REAL(calloc)(1, sizeof **rfi.thread)))
            rfi_die("out of memory (thread %u)", id);
        rfi.thread[id]->id = id;
    }
}

/* The next logical thread of this execution, not yet running, created by `by`. */
RFI_INLINE rfi_thr *rfi_thread_new(rfi_thr *by, void *(*fn)(void *), void *arg) {
    uint32_t id = rfi.run.threads++;
    if (RFI_UNLIKELY(id == rfi.run.words * 64)) {
        rfi_thread_room();
        uint32_t first = rfi.run.words == 2;
        rfi.run.attention += first;
        rfi.run.always += first;
    }
    rfi_thr *t = rfi.thread[id];
    rfi_zero(&t->ready, offsetof(rfi_thr, id) - offsetof(rfi_thr, ready));
    t->fn = fn;
    t->arg = arg;
    (void)rfi_announce(t, RF_EV_START, NULL);
    t->creator = by ? by->id : RFI_NO_THREAD;
    t->priority = by ? by->priority : 0;
    t->number = t->key = by ? rfi_key_of_child(by->key, ++by->children) : RFI_FIRST_KEY;
    rfi.run.live++;
    rfi_put(rfi.enabled, id);
    return t;
}

/* Who runs when `t` has ended: the one that waits for its first operation, the one that is chosen
 * next, or, when all have ended, the first thread, which is waiting for that. */
RFI_INLINE rfi_thr *rfi_thread_after(const rfi_thr *t) {
    if (t->starter) {
        rfi.run.attention--;
        return t->starter;
    }
    if (!rfi.run.live) return rfi.thread[0];
    rfi.run.switches++;
    uint32_t owner = RFI_UNLIKELY(rfi.run.owned != NULL) ? rfi.run.owned() : RFI_NO_THREAD;
    if (RFI_UNLIKELY(owner == RFI_NO_THREAD && rfi.run.ranked != NULL)) owner = rfi.run.ranked();
    if (RFI_UNLIKELY(owner != RFI_NO_THREAD)) return rfi.thread[owner];
    return rfi.thread[rfi.plan->checker ? rfi_decide_checked() : rfi_decide()];
}

/* A logical thread, not the first, goes.  Returns when its fiber is to serve the thread of the same
 * number in a later execution. */
RFI_INLINE void rfi_thread_leave(rfi_thr *t) {
    rfi.current = rfi_thread_after(t);
    rfi_fiber *to = &rfi.current->fiber;
    if (RFI_UNLIKELY(!t->kept)) rfi_fiber_exit(&t->fiber, to);
    t->idle = true;
    rfi_fiber_jump(&t->fiber, to);
}

RFI_FN RFI_COLD void rfi_end_holding(const rfi_thr *t) {
    char name[RFI_NAME_BYTES + 16];
    rfi_fail(RF_DIAG_EXIT_HOLDING, t->held[0].site, "T%u ends and still holds %s, taken here",
             t->id, rfi_object_label(t->held[0].number, name, sizeof name));
}

/* Its function has returned. */
RFI_INLINE void rfi_thread_end(rfi_thr *t) {
    rfi_settle();
    if (RFI_UNLIKELY(rfi.run.invariants != NULL)) rfi_check_invariants(t, true);
    if (RFI_UNLIKELY(t->held_count)) rfi_end_holding(t);
    t->finished = true;
    rfi.run.live--;
    rfi_take(rfi.enabled, t->id);
    if (t->end.waiters) rfi_reconsider(&t->end);
    rfi_note(RF_EV_EXIT, NULL, 0, 0);
    if (!rfi.run.live && rfi_heap.blocks) rfi_heap_finish();
}

/* The running thread ends the program; returns when it is time to.  A second one that wants to ends
 * nothing. */
RFI_FN RFI_COLD void rfi_end_here(const rf_site *s) {
    rfi_thr *t = RFI_ME(s);
    if (rfi.run.live == rfi.run.sources + 1) return;
    (void)rfi_announce(t, RF_EV_END, s);
    rfi_note(RF_EV_END, s, 0, 0);
    rfi_take(rfi.enabled, t->id);
    if (!rfi.run.ender) {
        rfi.run.ender = t->id + 1;
        rfi_end_limit();
    }
    bool plain = rfi.run.attention == rfi.run.lone;
    uint32_t next = plain ? rfi_decide() : rfi_decide_attentively(t);
    if (next == t->id) return;
    rfi.run.switches++;
    rfi_switch_to(t, rfi.thread[next]);
}

/* A logical thread, not the first, from its start to its end. */
RFI_INLINE void rfi_thread_run(rfi_thr *t) {
    if (t->starts) { /* chosen: the start itself was the operation */
        rfi_step(t);
        rfi_executed(&t->next);
    }
    if (RFI_UNLIKELY(rfi.footings)) rfi_footing_begin();
    t->result = t->fn(t->arg);
    rfi_stack_ends(t->fiber.stack_low, t->fiber.stack_high); /* its function has returned */
    rfi_thread_end(t);
}

RFI_FN void rfi_thread_main(void *thread) {
    for (;;) {
        rfi_thread_run(thread);
        rfi_thread_leave(thread);
    }
}

/* `code`: the function, if only its address is known. */
RFI_INLINE void rfi_thread_name_set(uint32_t id, const rf_site *created, uint32_t parent,
                                    const void *code) {
    if (RFI_LIKELY(!rfi.record->tracing)) return;
    rfi.record->threads = id + 1;
    if (id >= RFI_RECORD_THREADS) return;
    const rfi_symbol *in = code ? rfi_symbol_of(code) : NULL;
    rfi.record->thread[id] = (rfi_thread_name){created, parent, in ? in->called : NULL, ""};
}

/* This memory served another thread of the execution: to the analyses it is new. */
RFI_FN RFI_COLD void rfi_thread_recycle(const rfi_thr *t, const char *low, const char *high) {
    rfi_wholes_forget(low, high);
    if (rfi.observed & RFI_ORDERED) rfi_behaviour_forget(low, high);
    if (!rfi_listening(RF_EV_RECYCLE)) return;
    rf_event e = {
        .kind = RF_EV_RECYCLE, .thread = t->id, .addr = low, .size = (size_t)(high - low)};
    rfi_deliver(&e);
}

/* A handler begins or ends on the stack of the thread that it interrupts.  What is below `frame` is
 * no variable that they share: what it served before was left, and may be other functions' next. */
RFI_FN RFI_COLD void rfi_strike_recycle(const rfi_thr *by, const void *frame) {
    if (by->fiber.stack_low) rfi_thread_recycle(by, by->fiber.stack_low, frame);
}

/* The next thread asks for so large a stack; 0: it takes what it gets. */
RFI_VAR size_t rfi_stack_asked;

/* Gives `t` a fiber. */
RFI_FN RFI_COLD void rfi_thread_fiber_new(rfi_thr *t, const rf_site *s) {
    bool usual = rfi_stack_asked <= rfi.plan->stack_size;
    size_t bytes = usual ? rfi.plan->stack_size : rfi_stack_asked;
    if (t->idle) rfi_fiber_drop(&t->fiber);
    bool reused = rfi_fiber_make(&t->fiber, bytes, rfi_thread_main, t);
    if (RFI_UNLIKELY(!t->fiber.stack_low)) {
        t->finished = true; /* it never began */
        rfi_fail(RF_DIAG_LIMIT, s,
                 "the system has no room for the stacks of %u threads, %zu KiB each "
                 "(.stack_size; on Linux also vm.max_map_count)",
                 rfi.run.live, bytes / 1024);
    }
    if (RFI_UNLIKELY(!rfi_fiber_local(&t->fiber))) {
        rfi_fiber_drop(&t->fiber);
        t->finished = true;
        rfi_fail(RF_DIAG_LIMIT, s,
                 "the system has no room for the thread-local storage of %u threads: each takes a "
                 "real thread (see --thread-local; on Linux ulimit -u, and pids.max of a cgroup)",
                 rfi.run.live);
    }
    t->kept = usual && t->id < RFI_IDLE_FIBERS && rfi_fiber_reusable();
    if (RFI_LIKELY(!reused)) return;
    rfi_thread_recycle(t, t->fiber.stack_low, t->fiber.stack_high);
    char *high, *low = rfi_fiber_local_low(&t->fiber, &high);
    if (low) rfi_thread_recycle(t, low, high);
}

RFI_INLINE void rfi_thread_fiber(rfi_thr *t, const rf_site *s) {
    if (RFI_LIKELY(t->idle && rfi_stack_asked <= rfi.plan->stack_size))
        rfi_fiber_renew(&t->fiber);
    else
        rfi_thread_fiber_new(t, s);
    t->idle = false;
}

/* Idle fibers are of use only for the same size of stack; called from home. */
RFI_FN RFI_COLD void rfi_threads_release(void) {
    for (uint32_t i = 0; i < rfi.thread_capacity && rfi.thread[i]; i++) {
        if (rfi.thread[i]->idle) rfi_fiber_drop(&rfi.thread[i]->fiber);
        rfi.thread[i]->idle = false;
    }
}

/* `apart`: the start is an operation of its own, whatever the granularity; `code`: as above;
 * `twin`: thread + 1 that does the same, created just before it; 0: none. */
RFI_INLINE rf_thread rfi_create_any(const rf_site *s, void *(*fn)(void *), void *arg,
                                    const void *code, bool apart, uint32_t twin) {
    rfi_thr *t = RFI_ME(s);
    if (RFI_UNLIKELY(!t || rfi.quiet)) rfi_fail_here(s, "RF_THREAD");
    rfi_thr *u = rfi_thread_new(t, fn, arg);
    u->twin = twin;
    rfi_thread_name_set(u->id, s, t->id, code);
    rfi_note(RF_EV_CREATE, s, 0, u->id);
    rfi_thread_fiber(u, s);
    u->next.site = s;
    u->next.other = t->id;
    u->starts = apart || !rfi.fine;
    if (apart) rfi_unseen(&u->next);
    if (!u->starts) {
        rfi_emit(&u->next);
        u->starter = t;
        rfi.run.attention++;
        rfi_switch_to(t, u);
    } else if (rfi.strategy->announced) {
        rfi.strategy->announced(&u->next);
    }
    return (rf_thread){u->id, rfi.generation};
}

rf_thread rfi_create(const rf_site *s, void *(*fn)(void *), void *arg) {
    return rfi_create_any(s, fn, arg, NULL, false, 0);
}

RFI_FN rf_thread rfi_create_called(const rf_site *s, void *(*fn)(void *), void *arg,
                                   const void *code, bool apart) {
    return rfi_create_any(s, fn, arg, code, apart, 0);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_handle(const rf_site *s, rf_thread h) {
    if (!h.generation) rfi_fail(RF_DIAG_BAD_THREAD, s, "the handle was never set");
    rfi_fail(RF_DIAG_BAD_THREAD, s, "the handle is of thread T%u of another execution", h.id);
}

RFI_INLINE rfi_thr *rfi_thread_of(const rf_site *s, rf_thread h) {
    if (RFI_UNLIKELY(h.generation != rfi.generation || h.id >= rfi.run.threads))
        rfi_fail_handle(s, h);
    return rfi.thread[h.id];
}

RFI_FN bool rfi_ready_join(const rfi_thr *t) { return rfi.thread[t->next.other]->finished; }
RFI_FN bool rfi_ready_join_or_not(const rfi_thr *t) { return t->interrupted || rfi_ready_join(t); }

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_join(const rf_site *s, const rfi_thr *t,
                                                const rfi_thr *u) {
    if (u == t) rfi_fail(RF_DIAG_JOIN_SELF, s, "T%u joins itself", t->id);
    if (u->detached) rfi_fail(RF_DIAG_JOIN_DETACHED, s, "T%u was detached", u->id);
    rfi_fail(RF_DIAG_JOIN_TWICE, s, "T%u was joined before", u->id);
}

/* False: the wait was interrupted (rfi_interrupt), the thread may still be joined. */
RFI_INLINE bool rfi_join_or_not(const rf_site *s, rf_thread h, bool (*ready)(const rfi_thr *),
                                void **result) {
    rfi_thr *t = RFI_ME(s);
    if (RFI_UNLIKELY(!t || rfi.quiet)) rfi_fail_here(s, "RF_JOIN");
    rfi_thr *u = rfi_thread_of(s, h);
    if (RFI_UNLIKELY((u == t) | u->detached | u->joined)) rfi_fail_join(s, t, u);
    u->joined = true;
    rf_event *e = rfi_announce(t, RF_EV_JOIN, s);
    e->other = u->id;
    if (rfi.run.live == 1 && rfi.run.attention == rfi.run.always) { /* nobody else could be */
        rfi_step(t);
    } else if (u->finished) { /* for good: nothing to wait on */
        rfi_schedule(t);
    } else {
        rfi_wait_on(t, &u->end, ready);
        rfi_schedule(t);
        rfi_wait_off(t);
    }
    u->joined = u->finished;
    if (!u->joined) e->kind = RF_EV_YIELD; /* it tells nothing of that thread */
    rfi_executed(e);
    *result = u->result;
    return u->joined;
}

void *rfi_join(const rf_site *s, rf_thread h) {
    void *result;
    (void)rfi_join_or_not(s, h, rfi_ready_join, &result);
    return result;
}

void rfi_threads(const rf_site *s, unsigned n, void *(*fn)(void *)) {
    uint32_t last = 0;
    while (n--) last = rfi_create_any(s, fn, NULL, NULL, false, last).id + 1;
    while (last) {
        rf_thread t = {last - 1, rfi.generation};
        last = rfi.thread[t.id]->twin;
        (void)rfi_join(s, t);
    }
}

void rfi_detach(const rf_site *s, rf_thread h) {
    if (RFI_UNLIKELY(!RFI_ME(s) || rfi.quiet)) rfi_fail_here(s, "RF_DETACH");
    rfi_thr *u = rfi_thread_of(s, h);
    if (u->detached || u->joined)
        rfi_fail(RF_DIAG_DETACH_TWICE, s, "T%u was %s before", u->id,
                 u->detached ? "detached" : "joined");
    u->detached = true;
    rfi_note(RF_EV_DETACH, s, 0, u->id);
}

rf_thread rfi_self(void) {
    rfi_caller_at(__func__, __builtin_return_address(0));
    if (!rfi.current) return (rf_thread){0, 0};
    return (rf_thread){rfi_base(rfi.current)->id, rfi.generation};
}

/* Yields in a row make a spinner, spin hints sooner. */
void rfi_yield(const rf_site *s) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    bool hint = s->text[0] == 'h';
    t->yields = t->next.site == s || t->next.kind == RF_EV_LOAD ? t->yields + 1 : 1;
    rf_event *e = rfi_announce(t, RF_EV_YIELD, s);
    e->value = t->outside;
    rfi_may_spin(t, t->yields, hint ? rfi.run.hints : RFI_YIELD_REPEAT);
    rfi_schedule(t);
    rfi.run.yielded = rfi.run.steps;
    rfi_executed(e);
}

RFI_FN bool rfi_ready_awake(const rfi_thr *t) { return t->timed || t->interrupted; }

/* The running thread has done it. */
RFI_FN void rfi_slept(rf_event *e) {
    if (rfi.record->kinds & RF_EV_BIT(RF_EV_CALL)) { /* the clock may have been looked at */
        e->addr = &rfi.run.now;
        e->size = 1;
        e->flags = RF_EV_WRITES | RF_EV_ATOMIC;
    }
    rfi_executed(e);
}

void rfi_sleep(const rf_site *s, uint64_t ms) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_deadline(ms);
    t->yields = t->next.site == s || t->next.kind == RF_EV_LOAD ? t->yields + 1 : 1;
    rf_event *e = rfi_announce(t, RF_EV_SLEEP, s);
    e->value = ms;
    rfi_due(t);
    t->ready = rfi_ready_awake;
    if (!rfi_ready_awake(t))
        rfi_take(rfi.enabled, t->id);
    else
        rfi_may_spin(t, t->yields, RFI_YIELD_REPEAT);
    rfi_schedule(t);
    rfi.run.yielded = rfi.run.steps;
    t->ready = NULL;
    rfi_due_over(t, !t->interrupted);
    rfi_slept(e);
}

/* The object of thread `t`, which may be another than the current one; NULL: of none. */
RFI_FN void *rfi_tls_of(rfi_thr *t, rfi_tls *key) {
    static uint32_t keys;
    static void *outside[256];
    if (!key->index) key->index = ++keys;
    uint32_t i = key->index - 1;
    if (!t) {
        if (i >= 256) rfi_die("more than 256 thread-local objects used outside of tests");
        if (!outside[i] && !(outside[i] = RFI_REAL(calloc)(1, key->size))) rfi_die("out of memory");
        return outside[i];
    }
    if (i >= t->tls_count) {
        uint32_t n = i + 8;
        void **tls = rfi_arena_take(&rfi.arena, n * sizeof *tls);
        if (t->tls_count) memcpy((void *)tls, (void *)t->tls, t->tls_count * sizeof *tls);
        t->tls = tls;
        t->tls_count = n;
    }
    if (!t->tls[i]) t->tls[i] = rfi_arena_take(&rfi.arena, key->size);
    return t->tls[i];
}

void *rfi_tls_ptr(rfi_tls *key) {
    rfi_caller_at(__func__, __builtin_return_address(0));
    return rfi_tls_of(rfi_base(rfi.current), key);
}
#endif
#endif
