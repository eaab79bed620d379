/* explore/graph_futex.h: waiting at a futex, as updates of its queue.
 *
 * The kernel looks at the word behind a full barrier, and enters the queue, while it keeps that
 * locked; a wake-up is behind a full barrier, too.  So a wait is one step and five events: the
 * queue is held, which is a place among the seq_cst fences; the word is read; the queue is entered
 * or left as it was.  Nothing of it orders other data (engine/futex.h).
 *
 * Who holds the queue goes on before anything new: nobody finds it held but by a revisit, and that
 * ends with the wait.
 */
#ifndef RFI_EXPLORE_GRAPH_FUTEX_H
#define RFI_EXPLORE_GRAPH_FUTEX_H
#include "explore/graph_objects.h"

#ifdef RFI_IMPL
/* Is it time for a thread that holds the queue to look?  What it finds, and is given no more, it
 * makes in the same step. */
RFI_FN bool rfi_graphs_look_due(uint32_t thread) {
    const rfi_graph *g = &rfi_g.graph;
    const rfi_gthread *t = &g->thread[thread];
    uint32_t given = 0;
    for (uint32_t i = t->executed; i < t->list.count; i++, given++)
        if (g->event[t->list.event[i]].sync) return rfi_graphs_due(t->list.event[t->executed]);
    return rfi_g.left == given;
}

/* Is it time for what a thread is about to do? */
RFI_FN bool rfi_graphs_can(const rf_event *next, rfi_gdeed deed) {
    uint32_t thread = rfi_graphs_thread(next->thread), event = rfi_graphs_given(thread);
    if (deed == RFI_G_LOOK && rfi_graphs_holds(next)) return rfi_graphs_look_due(thread);
    return event == RFI_NO_EVENT ? !rfi_g.left : rfi_graphs_due(event);
}

/* An operation that is none of a graph ends it. */
RFI_FN RFI_COLD void rfi_graphs_other(const char *name) {
    rfi_talk_begin(&rfi_g.talk, RFI_G_SAY_OTHER);
    rfi_write_text(&rfi_g.talk.record, name);
    rfi_talk_end(&rfi_g.talk);
    rfi_graphs_leave(RFI_G_OTHER);
}

/* The same, or it is one that only time-outs make so. */
RFI_FN RFI_COLD void rfi_graphs_untreated(const rf_event *e) {
    rfi_awaited outside = rfi_given_outside(e->thread);
    bool late = outside == RFI_OUTSIDE_LATE;
    bool timed = e->flags & RF_EV_TIMED || e->kind == RF_EV_SLEEP;
    if (late || (timed && !outside)) rfi_graphs_leave(RFI_G_TIME);
    const char *name = outside ? rfi_given_called(e->thread) : NULL;
    if (e->kind == RF_EV_CALL) name = e->text;
    rfi_graphs_other(name ? name : rfi_event_word(e->kind));
}

/* What no step tells has happened: cancellation, and a signal, is one if all begins anew. */
RFI_FN RFI_COLD void rfi_graphs_meddled(void) {
    if (rfi_given_vain())
        rfi_graphs_leave(RFI_G_SOUND);
    else if (rfi_given_endless())
        rfi_graphs_leave(RFI_G_TICKS);
    else if (rfi_given_untimely())
        rfi_graphs_leave(RFI_G_TIME);
    else if (rfi_given_unlooked(RFI_FOR_ENDS))
        rfi_graphs_meet(RFI_G_CANCELS);
    else if (rfi_given_unlooked(RFI_FOR_SIGNALS))
        rfi_graphs_meet(RFI_G_HANDLES);
    else if (rfi_given_unlooked(RFI_FOR_TIMERS))
        rfi_graphs_meet(RFI_G_RINGS);
    else if (rfi_gstack_has(&rfi_g.stack, RFI_G_SENT, rfi_given_sends()))
        rfi_given_sent();
    else if (!rfi_given_sends())
        rfi_graphs_other(rfi_given_meddles());
    else {
        rfi_graphs_say(RFI_G_SENT, rfi_given_sends());
        rfi_graphs_leave(RFI_G_SOUND);
    }
}

/* A thread is about to look.  True: it did not hold the queue before. */
RFI_FN bool rfi_graphs_look_begins(const rf_event *next) {
    if (rfi_graphs_holds(next)) return false;
    rfi_graphs_object_apart(next);
    rfi_g.holds |= UINT32_C(1) << rfi_graphs_thread(next->thread);
    return true;
}

/* It has found another value, or begins to wait, unless that is over already. */
RFI_FN void rfi_graphs_look_ends(const rf_event *e) {
    if (rfi_graphs_deed(e) == RFI_G_UNTREATED)
        rfi_graphs_untreated(e);
    else
        rfi_graphs_object_apart(e);
    rfi_g.holds &= ~(UINT32_C(1) << rfi_graphs_thread(e->thread));
    rfi_g.finds = 0;
}

/* The same of one that has found what it waits with. */
RFI_FN void rfi_graphs_look_parks(void) {
    if (RFI_UNLIKELY(rfi_g.finds)) rfi_graphs_look_ends(rfi_given_event(rfi_g.finds - 1));
}

/* A thread has looked.  Who moves others does so at once. */
RFI_FN void rfi_graphs_looked(const rf_event *e) {
    if (e->value != e->value2 || rfi_given_waking(e->thread))
        rfi_graphs_look_ends(e);
    else
        rfi_g.finds = e->thread + 1;
}
#endif
#endif
