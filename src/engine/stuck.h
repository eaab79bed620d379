/* engine/stuck.h: what to say when nobody can go on, or nobody stops.
 *
 * A deadlock names the cycle in the wait-for graph (thread -> owner of the lock it wants), what
 * every living thread waits for, and where each lock it holds was taken.
 */
#ifndef RFI_ENGINE_STUCK_H
#define RFI_ENGINE_STUCK_H
#include "engine/object.h"

#ifdef RFI_IMPL
/* A thread that can go on may have announced an operation on an object, which is ready for it. */
RFI_FN bool rfi_waits(const rfi_thr *t) { return t->waits_on && !rfi_in(rfi.enabled, t->id); }

/* The thread that must act before t can go on, as far as one can tell; RFI_NO_THREAD otherwise. */
RFI_FN uint32_t rfi_waits_for(const rfi_thr *t) {
    const rfi_object *o = t->waits_on;
    if (!rfi_waits(t)) return RFI_NO_THREAD;
    if (t->next.kind == RF_EV_JOIN) return t->next.other;
    if (t->next.kind == RF_EV_WAKE && !t->notified) return RFI_NO_THREAD;
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        if (!rfi.thread[i]->finished && rfi_holds(rfi.thread[i], o)) return i;
    if (o->type == RFI_ONCE) return ((const rf_once *)(const void *)o)->runner;
    return RFI_NO_THREAD;
}

RFI_FN void rfi_say_lock(rfi_text *out, const rfi_thr *t, const char *name) {
    unsigned type = t->waits_on->type;
    const char *what = type == RFI_SEM ? "for a post of" : "for";
    if (type == RFI_RWLOCK) what = t->next.flags & RF_EV_SHARED ? "to read" : "to write";
    rfi_append(out, "%s %s %s", what, rfi_type_word(type), name);
}

RFI_FN void rfi_say_wait(rfi_text *out, const rfi_thr *t) {
    char name[RFI_NAME_BYTES + 16] = "", mutex[RFI_NAME_BYTES + 16];
    const rf_event *e = &t->next;
    if (e->object) rfi_object_label(e->object, name, sizeof name);
    rfi_append(out, "\n  T%u waits at %s:%u ", t->id, e->site ? rfi_basename(e->site->file) : "?",
               e->site ? e->site->line : 0);
    switch (e->kind) {
    case RF_EV_LOCK: rfi_say_lock(out, t, name); break;
    case RF_EV_WAKE:
        if (!t->notified)
            rfi_append(out, "for a signal of %s", name);
        else
            rfi_append(out, "to lock %s again after waiting for %s",
                       rfi_object_label(e->other, mutex, sizeof mutex), name);
        break;
    case RF_EV_DEPART: {
        const rf_barrier *b = (const rf_barrier *)(const void *)t->waits_on;
        rfi_append(out, "at barrier %s, where %u of %u have arrived", name, b->arrived, b->parties);
        break;
    }
    case RF_EV_JOIN: rfi_append(out, "for the end of T%u", e->other); break;
    case RF_EV_ONCE: rfi_append(out, "for the initialiser of %s", name); break;
    default: rfi_append(out, "to %s %s", rfi_event_word(e->kind), name); break;
    }
    uint32_t owner = rfi_waits_for(t);
    if (owner != RFI_NO_THREAD && e->kind != RF_EV_JOIN)
        rfi_append(out, ", %s by T%u", e->kind == RF_EV_ONCE ? "run" : "held", owner);
    for (uint32_t i = 0; i < t->held_count; i++) {
        const rfi_held *h = &t->held[i];
        rfi_append(out, "%s %s (taken at %s:%u)", i ? "," : "; it holds",
                   rfi_object_label(h->object->number, name, sizeof name),
                   rfi_basename(h->site->file), h->site->line);
    }
}

/* Follows the waits from `t`; returns the lowest thread on the cycle they run into, or
 * RFI_NO_THREAD. */
RFI_FN uint32_t rfi_find_cycle(uint32_t t) {
    for (uint32_t i = 0; i <= rfi.run.threads && t != RFI_NO_THREAD; i++)
        t = rfi_waits_for(rfi.thread[t]);
    if (t == RFI_NO_THREAD) return t;
    uint32_t lowest = t;
    for (uint32_t u = t; (u = rfi_waits_for(rfi.thread[u])) != t;)
        if (u < lowest) lowest = u;
    return lowest;
}

/* Tells the checker who can't go on: the threads of the cycle that `t` is on, or all. */
RFI_FN void rfi_stuck_checked(uint32_t t) {
    const rf_checker *c = rfi.plan->checker;
    bool cycle = t != RFI_NO_THREAD;
    uint32_t n = 0, u = t, *thread;
    if (!c || !c->stuck) return;
    thread = rfi_arena_take(&rfi.arena, rfi.run.threads * sizeof *thread);
    for (uint32_t i = 0; !cycle && i < rfi.run.threads; i++)
        if (!rfi.thread[i]->finished) thread[n++] = i;
    while (cycle && (!n || u != t)) {
        thread[n++] = u;
        u = rfi_waits_for(rfi.thread[u]);
    }
    c->stuck(thread, n, cycle);
}

/* Where an execution that nobody ended stands: a place on the cycle, or where the first thread and
 * those that it waits for come to an end. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_report_stuck(void) {
    uint32_t on_cycle = RFI_NO_THREAD, first = RFI_NO_THREAD, alive = 0;
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        if (rfi.thread[i]->finished) continue;
        alive++;
        if (first == RFI_NO_THREAD) first = i;
        if (on_cycle == RFI_NO_THREAD) on_cycle = rfi_find_cycle(i);
    }
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    rfi_stuck_checked(on_cycle);
    if (on_cycle != RFI_NO_THREAD) {
        uint32_t t = on_cycle;
        rfi_append(&out, "cycle T%u", t);
        do rfi_append(&out, " -> T%u", t = rfi_waits_for(rfi.thread[t]));
        while (t != on_cycle);
    } else {
        rfi_append(&out, "%u thread%s wait%s and nobody can wake %s", alive, alive == 1 ? "" : "s",
                   alive == 1 ? "s" : "", alive == 1 ? "it" : "them");
    }
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        if (rfi_waits(rfi.thread[i])) rfi_say_wait(&out, rfi.thread[i]);
    uint32_t t = on_cycle != RFI_NO_THREAD ? on_cycle : first;
    if (on_cycle == RFI_NO_THREAD)
        for (uint32_t u = t; u != RFI_NO_THREAD; u = rfi_waits_for(rfi.thread[u])) t = u;
    f->diagnostic = on_cycle != RFI_NO_THREAD ? RF_DIAG_LOCK_CYCLE : RF_DIAG_STUCK;
    f->site = rfi.thread[t]->next.site;
    f->thread = t;
    rfi_go_home();
}

/* In a spin loop, wherever in it: held back as a spinner, or on the way to its next yield. */
RFI_FN bool rfi_spins(const rfi_thr *t) {
    bool may_yield = t->next.kind == RF_EV_LOAD || t->next.kind == RF_EV_YIELD;
    return rfi_in(rfi.lazy, t->id) || t->repeats >= RFI_SPIN_REPEAT ||
           (may_yield && t->yields >= RFI_YIELD_REPEAT);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_report_livelock(void) {
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    rfi_append(&out, "%llu steps and no end; T%u is running", (unsigned long long)rfi.max_steps,
               rfi.run.last);
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (t->finished) continue;
        if (rfi_waits(t)) {
            rfi_say_wait(&out, t);
            continue;
        }
        const rf_site *s = t->next.site;
        rfi_append(&out, "\n  T%u %s at %s:%u (%s)", i, rfi_spins(t) ? "spins" : "is",
                   s ? rfi_basename(s->file) : "?", s ? s->line : 0,
                   s ? rfi_site_object(s) : "start");
    }
    f->diagnostic = RF_DIAG_LIVELOCK;
    f->site = rfi.thread[rfi.run.last]->next.site;
    f->thread = rfi.run.last;
    rfi_go_home();
}
#endif
#endif
