/* explore/graph_queue.h: whom a wake-up wakes, in a condition's queue or at a futex.
 *
 * All that a signal may do are options of its read: sets of threads, of those that it means.  A
 * wake-up at a futex means those that wait with one of its bits; where some move threads from one
 * futex to another, all futexes have one queue, and it means those at its own.  Neither is in the
 * state of the queue: it follows from the updates that have made it.
 */
#ifndef RFI_EXPLORE_GRAPH_QUEUE_H
#define RFI_EXPLORE_GRAPH_QUEUE_H
#include "explore/graph_sync.h"

#ifdef RFI_IMPL
RFI_INLINE bool rfi_gsync_moves(unsigned sync) {
    return sync == RFI_G_MOVE || sync == RFI_G_REQUEUE;
}

/* The `n` lowest of a set, or all. */
RFI_FN uint32_t rfi_gset_lowest(uint32_t of, uint32_t n) {
    uint32_t left = of;
    while (left && n--) left &= left - 1;
    return of & ~left;
}

/* The next part of a set that has as many; 0: there is no more. */
RFI_FN uint32_t rfi_gset_next(uint32_t of, uint32_t part) {
    uint32_t below = 0;
    for (uint32_t left = of; left; left &= left - 1) {
        uint32_t bit = left & -left, rest = left ^ bit, next = rest & -rest;
        if (!(part & bit)) continue;
        if (next && !(part & next))
            return (part & ~(2 * bit - 1)) | next | rfi_gset_lowest(of, below);
        below++;
    }
    return 0;
}

/* Of those that are in the queue behind the write `source`: who waits at this futex with such bits?
 * The newest that has been done to a thread tells where it is. */
RFI_FN uint32_t rfi_gqueue_meant(const rfi_graph *g, const rfi_gevent *e, uint32_t source,
                                 unsigned word) {
    uint32_t left = (uint32_t)rfi_graph_value(g, e->location, source)->low, here = 0, gone = 0;
    uint32_t meant = 0;
    if (!word && e->bits == UINT32_MAX) return left;
    while (left && source != RFI_NO_EVENT) {
        const rfi_gevent *u = &g->event[rfi_graph_previous(g, &g->event[source])];
        uint32_t bit = UINT32_C(1) << u->thread, moved = u->pick.second & ~(here | gone);
        source = u->source;
        if (rfi_gsync_moves(u->sync)) *(u->other == word ? &here : &gone) |= moved;
        if (u->sync != RFI_G_ENQUEUE || !(left & bit)) continue;
        left &= ~bit;
        bool there = here & bit || (!(gone & bit) && u->word == word);
        if (there && u->bits & e->bits) meant |= bit;
    }
    return meant;
}

/* What a wake-up does that reads `source`, in its `k`-th way; false: there are not so many. */
RFI_FN bool rfi_gqueue_pick(const rfi_graph *g, const rfi_gevent *e, uint32_t source, uint32_t k,
                            rfi_gpick *pick) {
    uint32_t meant = rfi_gqueue_meant(g, e, source, e->word);
    uint32_t others = e->other ? rfi_gqueue_meant(g, e, source, e->other) : 0;
    if (rfi_gsync_moves(e->sync)) others = meant;
    pick->first = rfi_gset_lowest(meant, e->most);
    pick->second = rfi_gset_lowest(others & ~pick->first, e->most_other);
    while (k--) {
        uint32_t next = rfi_gset_next(others & ~pick->first, pick->second);
        if (!next) {
            pick->first = rfi_gset_next(meant, pick->first);
            if (!pick->first) return false;
            next = rfi_gset_lowest(others & ~pick->first, e->most_other);
        }
        pick->second = next;
    }
    return true;
}

/* Is that the first thing that it could do, if it read `source`? */
RFI_FN bool rfi_gqueue_first(const rfi_graph *g, const rfi_gevent *e, uint32_t source) {
    rfi_gpick first = {0, 0};
    if (!(e->pick.first | e->pick.second)) return true;
    (void)rfi_gqueue_pick(g, e, source, 0, &first);
    return e->pick.first == first.first && e->pick.second == first.second;
}
#endif
#endif
