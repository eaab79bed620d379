/* engine/interrupt.h: interrupts of a machine with one core (docs/interrupts.md).
 *
 * A source is a logical thread of its own: when the scheduler picks it, it strikes, and its handler
 * runs on top of the thread that had the turn.  Until it ends, nobody runs but handlers of a higher
 * priority.  A thread that masks the interrupts has the core for itself in the same way.  Analyses
 * see a mutex for each priority, which the handlers of that priority hold, and all of which a
 * thread holds that masks: what is under a mask does not race with a handler.  Memory is that of
 * one core, reads return what was written last.
 * Optimised: less.  Tests without interrupts never come here.
 */
#ifndef RFI_ENGINE_INTERRUPT_H
#define RFI_ENGINE_INTERRUPT_H
#include "engine/sync.h"
#include "engine/thread.h"

#ifdef RFI_IMPL
# define RFI_PRIORITIES  16u
# define RFI_IRQ_SOURCES 64u
# define RFI_MASKED      RFI_PRIORITIES /* the priority of who masks: above all others */

/* A source of interrupts. */
typedef struct rfi_irq_source {
    const rf_site *site;
    void (*handler)(void *);
    void *arg;
    uint32_t priority, times;
    uint32_t thread;
} rfi_irq_source;

/* Who has the core for itself. */
typedef struct rfi_core_owner {
    uint32_t thread, priority;
    uint32_t taken; /* of a mask: the priorities whose mutex it has locked, */
    uint32_t depth; /* and how often it was masked again */
} rfi_core_owner;

RFI_VAR struct {
    uint32_t generation; /* of the execution that all of this is of */
    uint32_t sources, owners, sleeping;
    rfi_irq_source *source[RFI_IRQ_SOURCES];
    rfi_core_owner owner[2 * RFI_PRIORITIES + 2];
    rf_mutex level[RFI_PRIORITIES];
    uint32_t levels; /* which of them there are */
    rf_sem woken;
} rfi_irq;

RFI_FN void rfi_irq_enter(void) {
    if (rfi_irq.generation == rfi.generation) return;
    rfi_irq.generation = rfi.generation;
    rfi_irq.sources = rfi_irq.owners = rfi_irq.sleeping = rfi_irq.levels = 0;
}

RFI_FN rfi_core_owner *rfi_core_top(void) {
    return rfi_irq.owners ? &rfi_irq.owner[rfi_irq.owners - 1] : NULL;
}

/* ---- who may run ---- */

/* The owner waits for somebody who can't run before it has gone on. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_core_stuck(const rfi_core_owner *o) {
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    const rfi_thr *t = rfi.thread[o->thread];
    if (o->priority == RFI_MASKED)
        rfi_append(&out, "T%u has masked the interrupts and waits: nobody else can run", t->id);
    else
        rfi_append(&out, "T%u, an interrupt handler, waits: nobody else can run before it ends",
                   t->id);
    rfi_say_wait(&out, t);
    f->diagnostic = RF_DIAG_LOCK_CYCLE;
    f->site = t->next.site;
    f->thread = t->id;
    rfi_go_home();
}

RFI_FN uint32_t rfi_core_candidates(const rfi_core_owner *o) {
    uint32_t n = 0;
    memset(rfi.candidates, 0, rfi.run.words * sizeof *rfi.candidates);
    if (rfi_in(rfi.enabled, o->thread)) rfi_put(rfi.candidates, o->thread);
    for (uint32_t i = 0; i < rfi_irq.sources; i++) {
        const rfi_irq_source *s = rfi_irq.source[i];
        if (s->priority > o->priority && rfi_in(rfi.enabled, s->thread))
            rfi_put(rfi.candidates, s->thread);
    }
    for (uint32_t w = 0; w < rfi.run.words; w++) n += rfi_bits(rfi.candidates[w]);
    return n;
}

/* The thread that executes next, while somebody has the core for itself. */
RFI_FN RFI_COLD uint32_t rfi_core_decide(void) {
    const rfi_core_owner *o = rfi_core_top();
    uint32_t n;
    while (!(n = rfi_core_candidates(o)) && rfi.run.dues && rfi_time_passes()) continue;
    if (!n) rfi_core_stuck(o);
    uint32_t t = rfi_pick(n);
    if (rfi_in(rfi.paused, t)) rfi_unpause(t);
    return t;
}

/* ---- handlers ---- */

RFI_FN void rfi_core_take(uint32_t thread, uint32_t priority, uint32_t taken) {
    rfi_irq.owner[rfi_irq.owners++] = (rfi_core_owner){thread, priority, taken, 0};
    rfi.run.owned = rfi_core_decide;
    rfi.run.attention++;
}

RFI_FN void rfi_core_give(void) {
    if (!--rfi_irq.owners) rfi.run.owned = NULL;
    rfi.run.attention--;
}

/* Its thread: strikes, at a step that the scheduler chooses, so often at most. */
RFI_FN void *rfi_irq_run(void *source) {
    rfi_irq_source *s = source;
    rf_mutex *m = &rfi_irq.level[s->priority];
    s->thread = rfi.current->id;
    for (uint32_t i = 0; i < s->times; i++) {
        rfi_mutex_lock(s->site, m);
        rfi_core_take(s->thread, s->priority, 0);
        s->handler(s->arg);
        for (; rfi_irq.sleeping; rfi_irq.sleeping--) rfi_sem_post(s->site, &rfi_irq.woken);
        rfi_mutex_unlock(s->site, m);
        rfi_core_give();
    }
    return NULL;
}

/* There is one core, with this priority: what it has written it reads. */
RFI_FN void rfi_irq_level(const rf_site *s, unsigned priority) {
    char name[32];
    rfi.modelled = rfi.adversary = false;
    if (!rfi_irq.levels) {
        rfi_irq.woken = (rf_sem){.count = 0};
        rfi_object_register(&rfi_irq.woken.object, RFI_SEM, s, "the next interrupt");
    }
    if (rfi_irq.levels >> priority & 1) return;
    rfi_irq.levels |= UINT32_C(1) << priority;
    snprintf(name, sizeof name, "interrupts of priority %u", priority);
    rfi_irq.level[priority] = (rf_mutex){.owner = 0};
    rfi_object_register(&rfi_irq.level[priority].object, RFI_MUTEX, s, name);
}

void rfi_interrupt_source(const rf_site *s, void (*handler)(void *), void *arg,
                          rf_interrupt_options options) {
    if (!RFI_ME(s) || rfi.quiet) rfi_fail_here(s, "RF_INTERRUPT");
    if (options.priority >= RFI_PRIORITIES)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "priority %u: there are those from 0 to %u",
                 options.priority, RFI_PRIORITIES - 1);
    if (rfi.strategy->rfi_reduces)
        rfi_fail(RF_DIAG_LIMIT, s, "%s does not know interrupts: RF_STRATEGY=dfs has all schedules",
                 rfi.strategy->name);
    rfi_irq_enter();
    if (rfi_irq.sources == RFI_IRQ_SOURCES)
        rfi_fail(RF_DIAG_LIMIT, s, "more than %u sources of interrupts", RFI_IRQ_SOURCES);
    rfi_irq_level(s, options.priority);
    rfi.run.strikes = true;
    rfi_irq_source *source = rfi_arena_take(&rfi.arena, sizeof *source);
    *source = (rfi_irq_source){
        s, handler, arg, options.priority, options.times ? options.times : 1, RFI_NO_THREAD};
    rfi_irq.source[rfi_irq.sources++] = source;
    rf_thread t = rfi_create_called(s, rfi_irq_run, source, NULL, false);
    source->thread = t.id;
    rfi_detach(s, t);
}

RFI_FN bool rfi_ready_never(const rfi_thr *t) { return (void)t, false; }

/* Called where a test's body has returned; NULL: there is nothing to do. */
RFI_VAR void (*rfi_body_ends)(void);

/* The test's body has returned: its objects are gone, and nothing strikes any more. */
RFI_FN void rfi_sources_end(void) {
    for (uint32_t i = 0; i < rfi_irq.sources; i++) {
        rfi_thr *t = rfi.thread[rfi_irq.source[i]->thread];
        if (t->finished) continue;
        t->ready = rfi_ready_never;
        rfi_take(rfi.enabled, t->id);
    }
}

/* ---- functions that are not async-signal-safe: those of the heap, of streams, exit ---- */

RFI_VAR const char rfi_unsafe_state = 0; /* stands for what they use */

/* It stands in one. */
RFI_FN bool rfi_in_unsafe(const rfi_thr *t) {
    return !t->finished && t->next.kind == RF_EV_CALL && t->next.addr == &rfi_unsafe_state;
}

/* Whom `t`, a handler, has interrupted in one; NULL: nobody. */
RFI_FN const rfi_thr *rfi_unsafe_below(const rfi_thr *t) {
    for (const rfi_thr *u = t->under; u; u = u->under)
        if (rfi_in_unsafe(u)) return u;
    const rfi_core_owner *o = rfi_irq.generation == rfi.generation ? rfi_core_top() : NULL;
    if (!o || o->priority == RFI_MASKED || o->thread != t->id) return NULL;
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        if (i != t->id && rfi_in_unsafe(rfi.thread[i])) return rfi.thread[i];
    return NULL;
}

/* The running thread is about to call one, which handlers may interrupt. */
RFI_FN RFI_COLD void rfi_unsafe_call(const rf_site *s, const char *name) {
    if (!rfi.current || rfi.quiet) return;
    const rfi_thr *below = rfi_unsafe_below(rfi.current);
    if (below)
        rfi_fail(RF_DIAG_UNSAFE, s, "%s is called by T%u, which has interrupted T%u in %s at %s",
                 name, rfi.current->id, below->id, below->next.text, RFI_AT(below->next.site));
    rfi_call(s, name, &rfi_unsafe_state, RF_EV_READS);
}

RFI_INLINE void rfi_unsafe(const rf_site *s, const char *name) {
    if (RFI_UNLIKELY(rfi.run.strikes)) rfi_unsafe_call(s, name);
}

/* ---- masks ---- */

/* The mask of the running thread, or NULL. */
RFI_FN rfi_core_owner *rfi_own_mask(const rfi_thr *t) {
    rfi_core_owner *o = rfi_core_top();
    return o && o->priority == RFI_MASKED && o->thread == t->id ? o : NULL;
}

void rfi_interrupts_mask(const rf_site *s) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_irq_enter();
    rfi_core_owner *o = rfi_own_mask(t);
    uint32_t taken = 0;
    if (o) {
        o->depth++;
        return;
    }
    rfi_irq_level(s, 0);
    for (uint32_t p = 0; p < RFI_PRIORITIES; p++) {
        if (!(rfi_irq.levels >> p & 1) || rfi_irq.level[p].owner == t->id + 1) continue;
        rfi_mutex_lock(s, &rfi_irq.level[p]);
        taken |= UINT32_C(1) << p;
    }
    rfi_core_take(t->id, RFI_MASKED, taken);
}

void rfi_interrupts_unmask(const rf_site *s) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_irq_enter();
    rfi_core_owner *o = rfi_own_mask(t);
    if (!o) rfi_fail(RF_DIAG_UNLOCK_FREE, s, "T%u has not masked the interrupts", t->id);
    if (o->depth) {
        o->depth--;
        return;
    }
    uint32_t taken = o->taken;
    rfi_core_give();
    for (uint32_t p = RFI_PRIORITIES; p--;)
        if (taken >> p & 1) rfi_mutex_unlock(s, &rfi_irq.level[p]);
}

/* Until a handler has run.  Under a mask it sleeps and opens the mask in one step. */
void rfi_interrupt_wait(const rf_site *s) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_irq_enter();
    bool masked = rfi_own_mask(t) != NULL;
    rfi_irq_level(s, 0);
    if (!masked) {
        rf_event *e = rfi_announce(t, RF_EV_YIELD, s);
        rfi_schedule(t);
        rfi_executed(e);
    }
    rfi_irq.sleeping++;
    if (masked) rfi_interrupts_unmask(s);
    rfi_sem_wait(s, &rfi_irq.woken);
    if (masked) rfi_interrupts_mask(s);
}
#endif
#endif
