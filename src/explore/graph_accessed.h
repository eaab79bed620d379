/* explore/graph_accessed.h: what an access that was executed is to `graphs`: an event that is over,
 * an effect on what its thread goes on from, and perhaps a race; blocks and threads that come and
 * go.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_ACCESSED_H
#define RFI_EXPLORE_GRAPH_ACCESSED_H
#include "explore/graph_waits.h"

#ifdef RFI_IMPL
/* How many events a thread has made, and 1 more. */
RFI_FN uint32_t rfi_graphs_events(uint32_t t) {
    return rfi_g.graph.thread[rfi_graphs_thread(t)].executed + 1;
}

/* Signals that were offered, and did not come, are none: of so many events, how many others were
 * before them? */
RFI_FN uint32_t rfi_graphs_shown(const rfi_gthread *t, uint32_t events) {
    while (events && rfi_gevent_declines(&rfi_g.graph.event[t->list.event[events - 1]])) events--;
    return events;
}

/* A handler could have come at each access that its thread has made since it last showed something,
 * or does before it shows something.  These accesses, or those of the handler, come behind `since`
 * to `until` - 1 events; false: there are none. */
RFI_FN bool rfi_graphs_struck_by(uint32_t t, uint32_t *since, uint32_t *until) {
    const rfi_gthread *x = &rfi_g.graph.thread[rfi_graphs_thread(t)];
    uint32_t from = rfi_given_handles(t, until), at = from;
    if (!from) return false;
    if (*until) { /* it is over */
        *since = from - 1;
        return rfi_graphs_shown(x, x->executed) < *until;
    }
    *until = from - 1;
    for (at = *until; rfi_g.graph.event[x->list.event[at - 1]].kind != RFI_G_VALUE;) at--;
    *since = rfi_graphs_shown(x, at - 1);
    return true;
}

/* Has it come in what was done behind so many events? */
RFI_FN bool rfi_graphs_struck(uint32_t t, uint32_t made) {
    rfi_choices *x = &rfi_g.choices;
    uint32_t since, until;
    bool struck = x->way == RFI_WAY_REPLAY && rfi_choices_given(x, 2);
    if (x->way == RFI_WAY_EXPLORE && !rfi_g.talk.over)
        struck = rfi_graphs_struck_by(t, &since, &until) && made > since && made <= until;
    rfi_choices_made(x, struck);
    return struck;
}

/* Does the access race?  That is not asked of the first thread alone, before all that others do. */
RFI_FN RFI_APART void rfi_graphs_raced(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    if (rf_threads() == 1) return;
    uint32_t thread = rfi_graphs_thread(e->thread);
    if (rfi_graphs_repeating(e->thread) && rfi_graphs_wait[thread].locks) return; /* as before */
    const rfi_gthread *t = &r->graph.thread[thread];
    rfi_gaccess a = {.thread = thread,
                     .number = t->executed - (r->place && t->executed),
                     .writes =
                         e->flags & RF_EV_WRITES || e->kind == RF_EV_FREE || e->kind == RF_EV_ALLOC,
                     .atomic = e->flags & (RF_EV_ATOMIC | RF_EV_RACY) || e->kind == RF_EV_ALLOC};
    if (RFI_UNLIKELY(r->choices.look_for) && rfi_given_handles(e->thread, &a.until)) {
        a.handler = !a.until;
        if (!rfi_graphs_struck_by(e->thread, &a.since, &a.until)) a.until = 0;
    }
    rfi_gplaces_access(&r->places, (uintptr_t)e->addr, e->size, &a, rfi_graphs_clock(t));
}

/* The same, which is for later where there are only atomics: most accesses that are events. */
RFI_INLINE void rfi_graphs_races(const rf_event *e) {
    rfi_gplace *x = rfi_g.place;
    if (!x || x->mixed || !(e->flags & (RF_EV_ATOMIC | RF_EV_RACY)) || rf_threads() == 1) {
        rfi_graphs_raced(e);
        return;
    }
    uint32_t thread = rfi_graphs_thread(e->thread), made = rfi_g.graph.thread[thread].executed;
    bool writes = e->flags & RF_EV_WRITES;
    x->threads[writes] |= UINT32_C(1) << thread;
    x->number[writes][thread] = made ? made - 1 : 0;
}

RFI_FN void rfi_graphs_made(rfi_gmade *made, uint32_t thread, uint32_t what, bool next) {
    uint32_t n = rfi_graphs_thread(thread);
    made->makers |= UINT32_C(1) << n;
    made->last[n].what = what;
    made->last[n].events = rfi_g.graph.thread[n].executed + next;
}

/* A block goes, or a thread's number.  Could another thread have made its last one behind that, in
 * its place?  Those that it has made before come before that. */
RFI_FN void rfi_graphs_gone(const rfi_gmade *made, uint32_t thread, uint32_t what) {
    uint32_t n = rfi_graphs_thread(thread);
    const rfi_gthread *t = &rfi_g.graph.thread[n];
    const rfi_gclock *hb = rfi_graphs_clock(t), *prefix = rfi_graphs_prefix(t);
    for (uint32_t others = made->makers & ~(UINT32_C(1) << n); others; others &= others - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(others), events = made->last[u].events;
        bool before = hb->n[u] >= events || prefix->n[u] >= events;
        if (made->last[u].what != what && !before) rfi_given_unused();
    }
}

/* Its thread does not only wait.  What it writes to its own stack is looked at when it reads. */
RFI_FN void rfi_graphs_effect(const rf_event *e) {
    rfi_gthread *t = &rfi_g.graph.thread[rfi_graphs_thread(e->thread)];
    *(rfi_given_kept(e->thread, e->addr) ? &t->keeps : &t->effect) = t->executed;
}

/* An access is over, and its value is known. */
RFI_INLINE void rfi_graphs_complete(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    if (r->place && r->talk.over) {
        if (!(e->flags & RF_EV_WRITES) || rfi_graphs_round_stores_told(e->thread)) return;
        rfi_gplace_stored(r->place, e);
        rfi_graphs_show_told(r->place);
        return;
    }
    if (r->talk.over) return;
    if (RFI_UNLIKELY(rfi_graphs_repeating(e->thread)) && r->place && e->flags & RF_EV_WRITES) {
        rfi_graphs_round_stores(e);
        return;
    }
    if (r->place) {
        if (e->flags & RF_EV_READS && r->reading != RFI_NO_EVENT) {
            bool wrote = e->flags & RF_EV_WRITES;
            if (wrote != ((r->graph.event[r->reading].flags & RFI_G_UPDATES) != 0))
                rfi_graphs_leave(RFI_G_UNREPEATED);
            rfi_graphs_done(r->reading);
        }
        if (e->flags & RF_EV_WRITES) rfi_graphs_written(e);
    } else if (rfi_graphs_plain(e)) {
        rfi_graphs_flaw(RFI_G_UNANNOUNCED);
    } else if (e->flags & RF_EV_WRITES) {
        rfi_graphs_effect(e);
    }
    if (RFI_UNLIKELY(e->object)) { /* what the kernel reads races with nothing */
        rfi_graphs_looked(e);
        return;
    }
    rfi_graphs_races(e);
}

/* What the program writes itself is there when its thread does something else. */
RFI_FN RFI_APART void rfi_graphs_settled(void) {
    rfi_g.stores = false;
    if (!rfi_g.left_early) rfi_graphs_complete(&rfi_g.stored);
}

RFI_INLINE void rfi_graphs_settle(void) {
    if (RFI_UNLIKELY(rfi_g.stores)) rfi_graphs_settled();
}

RFI_INLINE void rfi_graphs_place_shows(void) {
    if (!rfi_g.place) return;
    rfi_graphs_settle();
    rfi_gplace_show(rfi_g.place);
}

RFI_FN void rfi_graphs_accessed(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    bool scheduled = e == rfi_given_event(e->thread);
    if (r->left_early) return;
    if (!scheduled) {
        rfi_graphs_place_shows();
        r->place = NULL;
    }
    if (RFI_UNLIKELY(e->flags & RF_EV_RANGE) && r->place && e->flags & RF_EV_WRITES) {
        r->stored = *e;
        r->stores = true;
        return;
    }
    rfi_graphs_complete(e);
}

/* ---- blocks and threads ---- */

/* What is known of a block's memory ends with it, and where it is made; plain accesses that are not
 * ordered race with that. */
RFI_FN void rfi_graphs_block(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    bool over = r->talk.over;
    rfi_graphs_settle();
    r->place = NULL;
    if (e->kind == RF_EV_FREE && !over) {
        rfi_graphs_raced(e);
        rfi_graphs_effect(e);
        rfi_graphs_gone(&r->blocks, e->thread, e->object);
    }
    rfi_gplaces_forget(&r->places, e->addr, e->size);
    if (e->kind != RF_EV_ALLOC || over) return;
    rfi_graphs_raced(e);
    rfi_graphs_made(&r->blocks, e->thread, e->object, true);
}

/* It goes, and its stack with it. */
RFI_FN void rfi_graphs_exits(uint32_t thread) {
    uint32_t t = rfi_graphs_thread(thread);
    uintptr_t low, high = rfi_given_stack(thread, &low);
    if (rfi_gplaces_used(&rfi_g.places, low, high, t, rfi_graphs_clock(&rfi_g.graph.thread[t])))
        rfi_graphs_flaw(RFI_G_STACKS);
}

/* A thread is created, or ends, or nobody asks for it any more. */
RFI_FN void rfi_graphs_lives(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    uint32_t number = rfi_given_number(e);
    rfi_graphs_settle(); /* no decision has come before it */
    if (e->kind == RF_EV_EXIT && e->thread) rfi_graphs_exits(e->thread);
    if (e->kind == RF_EV_JOIN) rfi_graphs_synced(e, RFI_G_JOIN);
    if (e->kind == RF_EV_CREATE) {
        rfi_graphs_synced(e, RFI_G_CREATE);
        rfi_graphs_made(&r->threads, e->thread, e->other, false);
    }
    if (number != RFI_NO_THREAD) rfi_graphs_gone(&r->threads, e->thread, number);
}
#endif
#endif
