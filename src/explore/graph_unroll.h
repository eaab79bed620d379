/* explore/graph_unroll.h: loops that are cut after so many rounds (--unroll).
 *
 * A loop that waits ends by itself (graph_waits.h); one that stores something new in each round, as
 * one that counts its tries, has more executions than can be explored.  A statement to which a
 * thread comes back begins another round, and the loops in between begin anew.  Where a round too
 * many would begin, the thread goes no further, as if the test assumed that there is none; all
 * others go on, and their writes still revisit its reads.  So what is explored is each execution in
 * which no loop has more rounds, exactly once, and nothing is said to be all of them once a loop
 * was cut.
 *
 * A thread that is alone has no choice but of what ends by itself, or fails, for no reason: loops
 * without that are not cut.
 */
#ifndef RFI_EXPLORE_GRAPH_UNROLL_H
#define RFI_EXPLORE_GRAPH_UNROLL_H
#include "explore/graph_waits.h"

#ifdef RFI_IMPL
typedef struct rfi_ground {
    const rf_site *site; /* where it begins */
    uint32_t made;       /* so many of them */
} rfi_ground;

/* The loops that a thread is in, outer ones first. */
typedef struct rfi_gloops {
    rfi_ground *round;
    uint32_t count, capacity;
} rfi_gloops;

RFI_VAR rfi_gloops rfi_graphs_unrolled[RFI_GRAPH_THREADS];

RFI_FN void rfi_graphs_unroll_begin(void) {
    for (uint32_t n = 0; n < RFI_GRAPH_THREADS; n++) rfi_graphs_unrolled[n].count = 0;
}

/* Does the operation begin a round that counts, if it is one of a loop?  The end of a wait does
 * not, nor what else belongs to the operation before: that is the same statement. */
RFI_FN bool rfi_graphs_unrolls(const rf_event *next) {
    rfi_gdeed deed = rfi_graphs_deed(next);
    const rfi_compare *compare = rfi_given_compare(next->thread);
    bool counts = deed == RFI_G_MEMORY || deed == RFI_G_OBJECT || deed == RFI_G_LOOK;
    bool chooses = next->kind == RF_EV_WAIT || deed == RFI_G_LOOK || next->flags & RF_EV_TIMED ||
                   (compare && compare->weak);
    bool goes_on = next->kind == RF_EV_WAKE || rfi_given_goes_on(next->thread) ||
                   (next->kind == RF_EV_CALL && rfi_g.again >> rfi_graphs_thread(next->thread) & 1);
    return counts && !goes_on && (chooses || !rfi_given_alone());
}

/* Is it what a timer with an interval does, or may do again? */
RFI_FN bool rfi_graphs_ticks(const rf_event *e) {
    bool calls = e->kind == RF_EV_CALL && e->flags & RF_EV_WRITES;
    return (calls || e->kind == RF_EV_SEM_POST) && e->flags & RF_EV_TIMED;
}

/* The place among a thread's loops of the one that a statement begins. */
RFI_FN uint32_t rfi_gloops_find(const rfi_gloops *l, const rf_site *site) {
    uint32_t i = l->count;
    while (i && l->round[i - 1].site != site) i--;
    return i ? i - 1 : l->count;
}

/* Of a loop, or of a timer. */
RFI_FN RFI_COLD void rfi_graphs_say_cut(const rf_event *next) {
    rfi_bytes *r = &rfi_g.talk.record;
    uint64_t site = (uint64_t)(uintptr_t)next->site;
    rfi_talk_begin(&rfi_g.talk, RFI_G_SAY_CUT);
    rfi_write_number(r, rfi_graphs_ticks(next) ? RFI_NO_THREAD : next->thread);
    rfi_write_number(r, rfi_given_unroll());
    rfi_write_number(r, (uint32_t)site);
    rfi_write_number(r, (uint32_t)(site >> 32));
    rfi_talk_end(&rfi_g.talk);
}

/* A thread makes an operation that it does not only wait with. */
RFI_FN RFI_COLD void rfi_graphs_unroll(const rf_event *next, uint32_t thread) {
    rfi_gloops *l = &rfi_graphs_unrolled[thread];
    if (next->kind == RF_EV_SEM_POST && rfi_graphs_ticks(next)) rfi_graphs_say_cut(next);
    if (!rfi_graphs_unrolls(next)) return;
    uint32_t at = rfi_gloops_find(l, next->site);
    l->round = rfi_grow(l->round, &l->capacity, at + 1, sizeof *l->round);
    if (at == l->count) l->round[at] = (rfi_ground){.site = next->site};
    l->round[at].made++;
    l->count = at + 1;
}

/* Does the operation begin a round too many? */
RFI_FN RFI_COLD bool rfi_graphs_unrolled_all(const rf_event *next, uint32_t thread) {
    const rfi_gloops *l = &rfi_graphs_unrolled[thread];
    if (!rfi_graphs_unrolls(next)) return false;
    uint32_t at = rfi_gloops_find(l, next->site);
    return at < l->count && l->round[at].made >= rfi_given_unroll();
}

/* Would a thread that has made all its given events do that?  Then it stays. */
RFI_FN RFI_COLD bool rfi_graphs_cut(uint32_t t) {
    const rf_event *next = rf_next_event(t);
    uint32_t thread = rfi_graphs_thread(t);
    if (rfi_graphs_given(thread) != RFI_NO_EVENT || !rfi_graphs_unrolled_all(next, thread) ||
        rfi_graphs_loops(next, thread))
        return false;
    rfi_graphs_wait[thread] = (rfi_gwait){.stays = true, .cut = true};
    rfi_graphs_say_cut(next);
    return true;
}
#endif
#endif
