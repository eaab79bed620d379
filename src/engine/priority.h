/* engine/priority.h: threads of fixed priorities on so many cores (--cores, RF_PRIORITY).
 *
 * With N cores a thread runs only where fewer than N threads of higher priorities could go on,
 * those of one priority in any order.  Whether the time of a sleep has come is a choice: who sleeps
 * may wake up and preempt, and holds nobody back until then.  The owner of a mutex that inherits
 * (RF_MUTEX_INHERIT) has the priority of whoever waits for it, and so on; that of one with a
 * ceiling (RF_MUTEX_CEILING) has at least this one from the lock on.  What strikes (interrupt.h,
 * strike.h) may do so on top of any thread, and holds nobody back before.
 * Optimised: not, few tests have priorities.
 */
#ifndef RFI_ENGINE_PRIORITY_H
#define RFI_ENGINE_PRIORITY_H
#include "engine/call.h"
#include "engine/lock.h"

#ifdef RFI_IMPL
# define RFI_RANK_DEPTH 16u /* owners that inherit from each other */

/* A section that must not take more than so many steps of others. */
typedef struct rfi_deadline_open {
    const rf_site *site;
    uint32_t thread, most, others;
    struct rfi_deadline_open *outer;
} rfi_deadline_open;

/* The priority that counts: its own, or that of somebody who waits for what it holds, or its
 * ceiling. */
RFI_FN uint32_t rfi_rank(const rfi_thr *t, uint32_t depth) {
    uint32_t rank = t->priority;
    for (uint32_t i = 0; depth && i < t->held_count; i++) {
        const rfi_object *o = t->held[i].object;
        const rf_mutex *m = (const rf_mutex *)(const void *)o;
        if (o->type != RFI_MUTEX) continue;
        if (m->kind & RFI_MUTEX_CEILS && rfi_ceiling(m) > rank) rank = rfi_ceiling(m);
        if (!(m->kind & RF_MUTEX_INHERIT)) continue;
        for (uint32_t w = o->waiters; w; w = rfi.thread[w - 1]->wait_next) {
            uint32_t of = rfi_rank(rfi.thread[w - 1], depth - 1);
            if (of > rank) rank = of;
        }
    }
    return rank;
}

/* A thread; what strikes has the rank of whom it has interrupted, or is none. */
RFI_FN const rfi_thr *rfi_ranked_thread(uint32_t id) {
    rfi_thr *t = rfi_base(rfi.thread[id]);
    return t->source ? NULL : t;
}

/* It could go on now, and not only if time passed before. */
RFI_FN bool rfi_runnable(rfi_thr *t) {
    if (!rfi_in(rfi.enabled, t->id)) return false;
    if (!t->timed || t->until <= rfi.run.now || !t->ready) return true;
    t->timed = false;
    bool ready = rfi_ready(t);
    t->timed = true;
    return ready;
}

/* So many threads of higher priorities could go on. */
RFI_FN uint32_t rfi_ranked_above(uint32_t rank) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi_ranked_thread(i);
        n += t && rfi_runnable(rfi.thread[i]) && rfi_rank(t, RFI_RANK_DEPTH) > rank;
    }
    return n;
}

RFI_FN uint32_t rfi_ranked_candidates(void) {
    uint32_t n = 0;
    memset(rfi.candidates, 0, rfi.run.words * sizeof *rfi.candidates);
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi_ranked_thread(i);
        if (!rfi_in(rfi.enabled, i)) continue;
        if (t && rfi_ranked_above(rfi_rank(t, RFI_RANK_DEPTH)) >= rfi.plan->cores) continue;
        rfi_put(rfi.candidates, i);
        n++;
    }
    return n;
}

/* The thread that executes next, where there are priorities. */
RFI_FN RFI_COLD uint32_t rfi_ranked_decide(void) {
    uint32_t n;
    while (!(n = rfi_ranked_candidates()) && rfi.run.dues && rfi_time_passes()) continue;
    while (!n && rfi.run.comes && rfi_something_comes()) n = rfi_ranked_candidates();
    if (!n) return rfi_nobody();
    uint32_t t = rfi_pick(n);
    if (rfi_in(rfi.paused, t)) rfi_unpause(t);
    return t;
}

/* It counts from the next decision on. */
RFI_FN void rfi_priority_set(const rf_site *s, rfi_thr *t, unsigned priority) {
    t->priority = priority;
    if (!rfi.plan->cores) return;
    if (rfi.strategy->rfi_reduces)
        rfi_fail(RF_DIAG_LIMIT, s, "%s does not know priorities: RF_STRATEGY=dfs has all schedules",
                 rfi.strategy->name);
    rfi.run.attention += !rfi.run.ranked;
    rfi.run.ranked = rfi_ranked_decide;
}

void rfi_priority(const rf_site *s, unsigned priority) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_priority_set(s, t, priority);
    if (rfi.run.ranked) rfi_call(s, NULL, &t->priority, RF_EV_WRITES); /* another may be above */
}

/* ---- deadlines ---- */

RFI_FN RFI_COLD RFI_NORETURN void rfi_deadline_missed(const rfi_deadline_open *d, uint32_t by) {
    rfi_text out = rfi_message_of(&rfi.record->failure);
    const rfi_thr *t = rfi.thread[d->thread], *u = rfi.thread[by];
    rfi_append(&out,
               "%u steps of others, more than %u, in the section that T%u, of priority %u, "
               "began at %s; now T%u, of priority %u, runs",
               d->others, d->most, t->id, t->priority, RFI_AT(d->site), u->id, u->priority);
    if (rfi_waits(t)) rfi_say_wait(&out, t);
    rfi_fail_written(RF_DIAG_DEADLINE, t->next.site, t->id);
}

/* `next` makes a step. */
RFI_FN RFI_COLD void rfi_deadlines_count(uint32_t next) {
    for (rfi_deadline_open *d = rfi.run.deadlines; d; d = d->outer)
        if (d->thread != next && ++d->others > d->most) rfi_deadline_missed(d, next);
}

/* Without cores everybody may be held back for any time. */
rf_deadline rfi_deadline_begin(const rf_site *s, unsigned most) {
    rf_deadline begun = {NULL, true};
    const rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet || !rfi.plan->cores) return begun;
    rfi_deadline_open *d = rfi_arena_take(&rfi.arena, sizeof *d);
    *d = (rfi_deadline_open){s, t->id, most, 0, rfi.run.deadlines};
    rfi.run.deadlines = d;
    rfi.run.counts = rfi_deadlines_count;
    rfi.run.attention++;
    begun.section = d;
    return begun;
}

void rfi_deadline_end(rf_deadline *begun) {
    rfi_deadline_open **link = &rfi.run.deadlines;
    if (!begun->section || !rfi.current) return;
    while (*link && *link != begun->section) link = &(*link)->outer;
    if (!*link) return;
    *link = (*link)->outer;
    rfi.run.attention--;
}
#endif
#endif
