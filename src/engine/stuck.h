/* engine/stuck.h: reports of deadlocks and livelocks.
 *
 * A deadlock names the cycle in the wait-for graph (thread -> owner of the lock it wants), what
 * every living thread waits for, and where each lock it holds was taken.
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_STUCK_H
#define RFI_ENGINE_STUCK_H
#include "engine/object.h"
#include "engine/tail.h"

#ifdef RFI_IMPL
/* A thread that can go on may have announced an operation on an object, which is ready for it. */
RFI_FN bool rfi_waits(const rfi_thr *t) {
    return t->over || (t->waits_on && (!t->source || t->under) && !rfi_in(rfi.enabled, t->id));
}

/* It waits to read, and others to write before it. */
RFI_FN bool rfi_behind_writers(const rfi_thr *t) {
    const rf_rwlock *l = (const rf_rwlock *)(const void *)t->waits_on;
    return l->object.type == RFI_RWLOCK && t->next.flags & RF_EV_SHARED && l->ahead && !l->writer;
}

RFI_FN bool rfi_in_its_way(const rfi_thr *t, const rfi_thr *other) {
    if (!rfi_behind_writers(t)) return rfi_holds(other, t->waits_on);
    return other->waits_on == t->waits_on && !(other->next.flags & RF_EV_SHARED);
}

/* The threads that must act before t can go on, as far as one can tell: the first whose number is
 * at least `from`; RFI_NO_THREAD: there is none. */
RFI_FN uint32_t rfi_waits_for(const rfi_thr *t, uint32_t from) {
    const rfi_object *o = t->waits_on;
    uint32_t one = RFI_NO_THREAD;
    if (!rfi_waits(t) || (t->due && !t->over)) return one; /* it does not wait for ever */
    if (t->over) return t->over->id >= from ? t->over->id : one;
    if (t->next.kind == RF_EV_WAKE && !t->notified && !t->timed) return one;
    if (t->next.kind == RF_EV_JOIN) {
        one = t->next.other;
    } else if (o->type == RFI_MUTEX) {
        one = ((const rf_mutex *)(const void *)o)->owner - 1;
    } else if (o->type == RFI_SPIN) {
        one = ((const rf_spin *)(const void *)o)->owner - 1;
    } else if (o->type == RFI_ONCE) {
        one = ((const rf_once *)(const void *)o)->runner;
    } else if (o->type == RFI_RWLOCK) {
        one = ((const rf_rwlock *)(const void *)o)->writer - 1;
        for (uint32_t i = from; one == RFI_NO_THREAD && i < rfi.run.threads; i++)
            if (!rfi.thread[i]->finished && rfi_in_its_way(t, rfi.thread[i])) return i;
    }
    return one >= from ? one : RFI_NO_THREAD;
}

RFI_FN void rfi_say_lock(rfi_text *out, const rfi_thr *t, const char *name) {
    unsigned type = t->waits_on->type;
    const char *what = type == RFI_SEM ? "for a post of" : "for";
    if (type == RFI_RWLOCK) what = t->next.flags & RF_EV_SHARED ? "to read" : "to write";
    size_t n = strlen(rfi_type_word(type));
    if (strncmp(name, rfi_type_word(type), n) != 0 ||
        name[n] != ' ') /* it does not say so itself */
        rfi_append(out, "%s %s %s", what, rfi_type_word(type), name);
    else
        rfi_append(out, "%s %s", what, name);
}

/* A wake-up that came too early, or took another one, is what one wants to know. */
RFI_FN void rfi_say_park(rfi_text *out, const rfi_thr *t, const char *name) {
    if (t->waits_on->type == RFI_SIGNAL) {
        rfi_append(out, "for %s", name);
        return;
    }
    const rfi_futex *f = (const rfi_futex *)(const void *)t->waits_on;
    rfi_append(out, "for a wake-up of futex %s", name);
    if (!f->waker) return;
    rfi_append(out, "; the last one, by T%u at %s, %s", f->woken_by, RFI_AT(f->waker),
               f->woken_at < t->next.value ? "came before" : "went to another");
}

RFI_FN void rfi_say_held(rfi_text *out, const rfi_thr *t) {
    char name[RFI_NAME_BYTES + 16];
    for (uint32_t i = 0; i < t->held_count; i++) {
        const rfi_held *h = &t->held[i];
        rfi_append(out, "%s %s (taken at %s)", i ? "," : "; it holds",
                   rfi_object_label(h->number, name, sizeof name), RFI_AT(h->site));
    }
}

/* What a thread does that can't go on: "waits at queue.c:11 for a signal of filled". */
RFI_FN void rfi_say_what_waits(rfi_text *out, const rfi_thr *t) {
    char name[RFI_NAME_BYTES + 16] = "", mutex[RFI_NAME_BYTES + 16];
    const rf_event *e = &t->next;
    if (t->over) {
        rfi_append(out, "stands at %s, interrupted by T%u", RFI_AT(e->site), t->over->id);
        rfi_say_held(out, t);
        return;
    }
    if (e->object) rfi_object_label(e->object, name, sizeof name);
    rfi_append(out, "waits at %s ", RFI_AT(e->site));
    switch (e->kind) {
    case RF_EV_LOCK: rfi_say_lock(out, t, name); break;
    case RF_EV_WAKE:
        if (!t->notified && !t->timed)
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
    case RF_EV_PARK: rfi_say_park(out, t, name); break;
    case RF_EV_ONCE: rfi_append(out, "for the initialiser of %s", name); break;
    default: rfi_append(out, "to %s %s", rfi_event_word(e->kind), name); break;
    }
    const char *before = e->kind == RF_EV_ONCE ? ", run by " : ", held by ";
    if (e->kind == RF_EV_LOCK && rfi_behind_writers(t)) before = ", behind ";
    for (uint32_t u = 0; e->kind != RF_EV_JOIN; u++) {
        if ((u = rfi_waits_for(t, u)) == RFI_NO_THREAD) break;
        rfi_append(out, "%sT%u", before, u);
        before = ", ";
    }
    rfi_say_held(out, t);
}

RFI_FN void rfi_say_wait(rfi_text *out, const rfi_thr *t) {
    rfi_append(out, "\n  T%u ", t->id);
    rfi_say_what_waits(out, t);
}

/* ---- cycles ----
 *
 * A depth-first search over who waits for whom.  A thread may wait for several: the readers of a
 * read-write lock.  Each of them must act, so every cycle is a deadlock. */

typedef struct rfi_search {
    uint64_t number;
    uint32_t *path; /* threads; each waits for the next one */
    uint32_t depth, capacity;
    const uint32_t *cycle; /* that was found, the lowest thread first */
    uint32_t length;
} rfi_search;

RFI_VAR rfi_search rfi_wait_search;

RFI_FN void rfi_search_enter(uint32_t thread) {
    rfi_search *s = &rfi_wait_search;
    rfi_thr *t = rfi.thread[thread];
    s->path = rfi_grow(s->path, &s->capacity, s->depth + 1, sizeof *s->path);
    s->path[s->depth++] = thread;
    t->searched = s->number;
    t->on_path = s->depth;
    t->tried = 0;
}

/* The end of the path, from place `from` on, is a cycle. */
RFI_FN void rfi_search_found(uint32_t from) {
    rfi_search *s = &rfi_wait_search;
    uint32_t n = s->depth - from, lowest = 0;
    s->path = rfi_grow(s->path, &s->capacity, s->depth + n, sizeof *s->path);
    const uint32_t *found = s->path + from;
    for (uint32_t i = 1; i < n; i++)
        if (found[i] < found[lowest]) lowest = i;
    for (uint32_t i = 0; i < n; i++) s->path[s->depth + i] = found[(lowest + i) % n];
    s->cycle = s->path + s->depth;
    s->length = n;
}

RFI_FN bool rfi_search_from(uint32_t start) {
    rfi_search *s = &rfi_wait_search;
    s->depth = 0;
    rfi_search_enter(start);
    while (s->depth) {
        rfi_thr *t = rfi.thread[s->path[s->depth - 1]];
        uint32_t u = rfi_waits_for(t, t->tried);
        if (u == RFI_NO_THREAD) {
            t->on_path = 0;
            s->depth--;
            continue;
        }
        t->tried = u + 1;
        if (rfi.thread[u]->searched != s->number) {
            rfi_search_enter(u);
        } else if (rfi.thread[u]->on_path) {
            rfi_search_found(rfi.thread[u]->on_path - 1);
            return true;
        }
    }
    return false;
}

/* Is there a cycle that the waits of one of the threads from `first` to before `end` run into?  It
 * is in rfi_wait_search then. */
RFI_FN bool rfi_find_cycle(uint32_t first, uint32_t end) {
    uint64_t number = ++rfi_wait_search.number;
    for (uint32_t i = first; i < end; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (!t->finished && t->searched != number && rfi_search_from(i)) return true;
    }
    return false;
}

/* ---- what is said ---- */

RFI_FN bool rfi_on_cycle(uint32_t t) {
    for (uint32_t i = 0; i < rfi_wait_search.length; i++)
        if (rfi_wait_search.cycle[i] == t) return true;
    return false;
}

/* The threads from..to, of which each waits so. */
RFI_FN void rfi_say_alike(rfi_text *out, uint32_t from, uint32_t to, const char *what) {
    if (from == to)
        rfi_append(out, "\n  T%u %s", from, what);
    else
        rfi_append(out, "\n  T%u %s T%u: each %s", from, to - from == 1 ? "and" : "to", to, what);
}

/* Tells who waits for what: the threads of the cycle; if nobody can go on, all others too.  Those
 * with numbers in a row that wait alike have one line. */
RFI_FN void rfi_say_waits(rfi_text *out, bool cycle) {
    char said[2][1024] = {"", ""}, *last = said[0], *now = said[1];
    uint32_t from = 0, to = 0;
    bool anybody = false;
    for (uint32_t w = 0; w < rfi.run.words; w++) anybody |= rfi.enabled[w] != 0;
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        if (!rfi_waits(rfi.thread[i]) || (cycle && anybody && !rfi_on_cycle(i))) continue;
        rfi_text what = {now, now + sizeof said[0]};
        rfi_say_what_waits(&what, rfi.thread[i]);
        if (i != to + 1 || strcmp(now, last) != 0) {
            if (*last) rfi_say_alike(out, from, to, last);
            from = i;
        }
        to = i;
        char *before = last;
        last = now;
        now = before;
    }
    if (*last) rfi_say_alike(out, from, to, last);
}

/* Where nobody can go on and nobody waits for himself: the first thread and those that it waits
 * for come to an end there. */
RFI_FN uint32_t rfi_end_of_waits(void) {
    uint32_t t = 0;
    while (rfi.thread[t]->finished || rfi.thread[t]->source) t++;
    for (uint32_t u = t; u != RFI_NO_THREAD; u = rfi_waits_for(rfi.thread[u], 0)) t = u;
    return t;
}

/* Tells the checker. */
RFI_FN void rfi_stuck_checked(bool cycle) {
    rfi_search *s = &rfi_wait_search;
    const rf_checker *c = rfi.plan->checker;
    if (!c || !c->stuck) return;
    if (!cycle) {
        s->depth = 0;
        for (uint32_t i = 0; i < rfi.run.threads; i++)
            if (!rfi.thread[i]->finished) rfi_search_enter(i);
    }
    c->stuck(cycle ? s->cycle : s->path, cycle ? s->length : s->depth, cycle);
}

/* The execution ends here: in the cycle that was found, or because nobody can go on. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_end_stuck(bool cycle) {
    rfi_text out = rfi_message_of(&rfi.record->failure);
    const char *why = rfi.run.stuck && !cycle ? rfi.run.stuck() : "";
    if (!why) rfi_go_home();
    rfi_stuck_checked(cycle);
    uint32_t t = cycle ? rfi_wait_search.cycle[0] : rfi_end_of_waits(),
             alive = rfi.run.live - rfi.run.sources;
    if (cycle) {
        rfi_append(&out, "cycle");
        for (uint32_t i = 0; i < rfi_wait_search.length; i++)
            rfi_append(&out, " T%u ->", rfi_wait_search.cycle[i]);
        rfi_append(&out, " T%u", t);
    } else {
        rfi_append(&out, "%u thread%s wait%s and nobody can wake %s", alive, alive == 1 ? "" : "s",
                   alive == 1 ? "s" : "", alive == 1 ? "it" : "them");
    }
    rfi_say_waits(&out, cycle);
    rfi_append(&out, "%s", why);
    rfi_fail_written(cycle ? RF_DIAG_LOCK_CYCLE : RF_DIAG_STUCK, rfi.thread[t]->next.site, t);
}

/* Nobody is enabled. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_report_stuck(void) {
    rfi_end_stuck(rfi_find_cycle(0, rfi.run.threads));
}

/* In a spin loop, wherever in it: held back as a spinner, or on the way to its next yield. */
RFI_FN bool rfi_spins(const rfi_thr *t) {
    bool may_yield = t->next.kind == RF_EV_LOAD || t->next.kind == RF_EV_YIELD;
    return rfi_in(rfi.lazy, t->id) || t->repeats >= RFI_SPIN_REPEAT ||
           (may_yield && t->yields >= RFI_YIELD_REPEAT);
}

/* A livelock, of which `out`, in the failure's message, has begun to tell; the place is what the
 * thread does next. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_end_livelock(rfi_text *out, const rfi_thr *of) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (t->finished || t->source) continue;
        if (rfi_waits(t)) {
            rfi_say_wait(out, t);
            continue;
        }
        const rf_site *s = t->next.site;
        rfi_append(out, "\n  T%u %s at %s (%s)", i, rfi_spins(t) ? "spins" : "is", RFI_AT(s),
                   s ? rfi_site_object(s) : "start");
    }
    bool place = rfi.observed & RFI_TAIL && rfi_tail.site;
    if (place) rfi_fail_written(RF_DIAG_LIVELOCK, rfi_tail.site, rfi_tail.thread);
    rfi_fail_written(RF_DIAG_LIVELOCK, of->next.site, of->id);
}

/* All that are left wait for each other, for ever.  The place is that of the first of them, whoever
 * was the last to show it. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_end_waiting(void) {
    rfi_text out = rfi_message_of(&rfi.record->failure);
    const rfi_thr *of = rfi.thread[rfi.run.last];
    for (uint32_t i = rfi.run.threads; i--;) {
        const rfi_thr *t = rfi.thread[i];
        if (!t->finished && !t->source && !rfi_waits(t)) of = t;
    }
    rfi_append(&out, "all that are left wait, and nobody stores what they wait for");
    rfi_end_livelock(&out, of);
}

/* The handler that has run for half of all steps, and goes on; NULL: none has. */
RFI_FN const rfi_thr *rfi_endless_handler(void) {
    const rfi_thr *h = NULL;
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        bool runs = t->struck && (t->over || !rfi_waits(t));
        if (runs && rfi.run.steps - t->struck > rfi.run.steps / 2 && (!h || t->struck > h->struck))
            h = t;
    }
    return h;
}

/* "T1, a handler, which has interrupted T0" */
RFI_FN void rfi_say_handler(rfi_text *out, const rfi_thr *h) {
    rfi_append(out, "T%u, a handler", h->id);
    if (h->under) rfi_append(out, ", which has interrupted T%u", h->under->id);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_end_endless(const rfi_thr *h, rfi_text *out) {
    rfi_say_handler(out, h);
    rfi_append(out, ", has not ended after %llu steps",
               (unsigned long long)(rfi.run.steps - h->struck));
    rfi_fail_written(RF_DIAG_ENDLESS, h->next.site, h->id);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_report_livelock(void) {
    rfi_text out = rfi_message_of(&rfi.record->failure);
    uint64_t most = rfi.plan->max_steps;
    const rfi_thr *h = rfi_endless_handler();
    if (h) rfi_end_endless(h, &out);
    if (rfi.run.steps > most)
        rfi_append(&out, "%llu steps", (unsigned long long)most);
    else
        rfi_append(&out, "%llu accesses to plain data in a row",
                   (unsigned long long)rfi.run.dry * RFI_FUEL);
    rfi_append(&out, " and no end; T%u is running", rfi.run.last);
    rfi_end_livelock(&out, rfi.thread[rfi.run.last]);
}
#endif
#endif
