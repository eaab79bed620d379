/* explore/graph_symmetry.h: threads of RF_THREADS, which do the same.
 *
 * An execution in which two such threads change their parts is the same one with other numbers.
 * Those that were alike up to an update make it in the order of their numbers here: whatever their
 * order, numbers can be given so.  As SPORE does (Kokologiannakis, Marmanis, Vafeiadis: SPORE:
 * combining symmetry and partial order reduction, PLDI 2024), what is left out is a part of what
 * makes a graph consistent: no revisit may lead to it.  Only that of an update can.
 *
 * All writes of the location have to be updates.  Then what is updated first leads to what is
 * updated later, and no revisit takes away the first and leaves the later one: an event that comes
 * last always has a place.  Where something else is stored, all begins anew without this; the
 * states of objects are never stored otherwise.  Threads that part at a read are explored with all
 * their numbers, since a read of an older write may depend on one of a newer write.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_SYMMETRY_H
#define RFI_EXPLORE_GRAPH_SYMMETRY_H
#include "explore/graph.h"

#ifdef RFI_IMPL
/* Does `u` do what `t`, with a lower number, does? */
RFI_FN bool rfi_graph_twins(const rfi_graph *g, uint32_t t, uint32_t u) {
    while (u > t && g->thread[u].twin) u = g->thread[u].twin - 1;
    return u == t;
}

/* Have they, in their first `n` events, read the same and written nothing? */
RFI_FN bool rfi_graph_alike(const rfi_graph *g, uint32_t t, uint32_t u, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const rfi_gevent *e = &g->event[g->thread[t].list.event[i]];
        const rfi_gevent *f = &g->event[g->thread[u].list.event[i]];
        if (e->kind == RFI_G_WRITE || e->kind == RFI_G_CREATE || e->kind != f->kind ||
            e->flags != f->flags || e->location != f->location || e->source != f->source)
            return false;
    }
    return true;
}

/* Would an update, if its read read `write`, come behind that of a twin with a higher number? */
RFI_FN bool rfi_graph_turns(rfi_graph *g, uint32_t read, uint32_t write) {
    const rfi_gevent *e = &g->event[read];
    if (!g->twins || (g->unchained && !e->sync)) return false;
    for (uint32_t u = e->thread + 1; u < g->threads; u++) {
        const rfi_glist *list = &g->thread[u].list;
        if (list->count <= e->number || !rfi_graph_twins(g, e->thread, u)) continue;
        uint32_t other = list->event[e->number];
        const rfi_gevent *f = &g->event[other];
        if (f->kind == RFI_G_READ && f->flags & RFI_G_UPDATES && f->location == e->location &&
            rfi_graph_leads(g, other, write) && rfi_graph_alike(g, e->thread, u, e->number))
            return g->turned = true;
    }
    return false;
}

RFI_INLINE bool rfi_gevent_stores(const rfi_gevent *e) {
    return e->kind == RFI_G_WRITE && !(e->flags & RFI_G_UPDATES);
}

/* Is the newest event a store beside an update, or the other way round, that nothing orders? */
RFI_FN bool rfi_graph_unchains(const rfi_graph *g, uint32_t event) {
    const rfi_gevent *e = &g->event[event];
    if (!g->twins || g->unchained || !rfi_gevent_accesses(e) || e->sync) return false;
    const rfi_glist *accesses = &g->location[e->location].accesses;
    const rfi_gclock *known = rfi_graph_before(g, e);
    for (uint32_t i = 0; i < accesses->count; i++) {
        const rfi_gevent *f = &g->event[accesses->event[i]];
        bool apart = (rfi_gevent_stores(e) && f->flags & RFI_G_CHANGES) ||
                     (rfi_gevent_stores(f) && e->flags & RFI_G_CHANGES);
        if (apart && !rfi_gclock_has(known, f)) return true;
    }
    return false;
}
#endif
#endif
