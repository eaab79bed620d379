/* explore/graph_options.h: what may become of the newest event of a graph.
 *
 * TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly stateless, optimal dynamic partial
 * order reduction, POPL 2022).  A read has an option for each write that it may read, a write one
 * for each place in mo.  A write may also be read by a read that was added before it (a backward
 * revisit): what was added since then and does not lead to the write is deleted.  The same graph
 * would come from several ones that differ in what is deleted; it is made from the one in which
 * each deleted event, and the read, has what an event that comes last would have: it reads the last
 * write in mo, or is that, among those that were there before it or lead to the new write.
 *
 * An update whose source has been updated already can't be: but its write may be read by the update
 * before, or by something that makes that vanish.  These revisits are options of its read.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_OPTIONS_H
#define RFI_EXPLORE_GRAPH_OPTIONS_H
#include "explore/graph_order.h"
#include "explore/graph_queue.h"
#include "explore/graph_symmetry.h"

#ifdef RFI_IMPL
typedef enum rfi_gway { RFI_G_AS_IS, RFI_G_SOURCE, RFI_G_REVISIT } rfi_gway;

typedef struct rfi_goption {
    uint8_t way;
    uint8_t flags;   /* that the read has then, */
    rfi_gpick pick;  /* and whom it wakes */
    bool updates;    /* a revisit by the write of an update that has no place here; */
    bool whole;      /* it leaves everything */
    bool unsure;     /* what it writes is not known, nor what a comparison finds */
    uint32_t read;   /* that is revisited */
    uint32_t source; /* what is read; what the write comes behind in mo, or RFI_NO_EVENT */
    uint32_t from;   /* of `updates`: what the update reads, */
    rfi_gpick wakes; /* and whom it wakes */
} rfi_goption;

typedef struct rfi_goptions {
    rfi_goption *option;
    uint32_t count, capacity;
    uint8_t *keep; /* events that a revisit leaves */
    uint32_t *mo;  /* the writes among them at one location */
    uint32_t writes, keep_capacity, mo_capacity;
    bool whole; /* these are all */
    bool tired; /* the read may not fail for no reason */
} rfi_goptions;

RFI_FN void rfi_goptions_add(rfi_goptions *o, rfi_goption option) {
    o->option = rfi_grow(o->option, &o->capacity, o->count + 1, sizeof *o->option);
    o->option[o->count++] = option;
}

/* ---- backward revisits ---- */

/* Was it there before event `e`, or does it lead to the write? */
RFI_INLINE bool rfi_revisit_there(const rfi_graph *g, uint32_t event, uint32_t e, uint32_t write) {
    return event <= e || rfi_graph_leads(g, event, write);
}

/* Of what was there before `e`, and what leads to the write: is the one at `rank` the last in mo?
 */
RFI_FN bool rfi_revisit_last(const rfi_graph *g, const rfi_glocation *x, uint32_t rank, uint32_t e,
                             uint32_t write) {
    for (uint32_t i = x->mo.count; i > rank; i--)
        if (x->mo.event[i - 1] != write && rfi_revisit_there(g, x->mo.event[i - 1], e, write))
            return false;
    return true;
}

/* Would `reader`, which is left, find the queue of a futex held if the event is not, by which it is
 * free?  It did so before, and went on since that was the one thing to do. */
RFI_FN bool rfi_revisit_waits_again(const rfi_graph *g, uint32_t reader, uint32_t event,
                                    uint32_t read, uint32_t write) {
    const rfi_gevent *e = &g->event[event], *r = &g->event[reader];
    if (reader > read || e->sync < RFI_G_ENQUEUE || e->sync > RFI_G_LEAVE) return false;
    uint32_t held = rfi_graph_updated(g, event);
    if (held == RFI_NO_EVENT || g->event[held].sync != RFI_G_HOLD) return false;
    if (!rfi_revisit_there(g, held, read, write)) return false;
    return rfi_gqueue_first(g, r, event);
}

/* Has an event what it would have if it came last?  `read` is what is revisited. */
RFI_FN bool rfi_revisit_maximal(const rfi_graph *g, uint32_t event, uint32_t read, uint32_t write) {
    const rfi_gevent *e = &g->event[event];
    if (e->kind == RFI_G_VALUE) return e->location == 0;
    if (!rfi_gevent_accesses(e)) return true;
    const rfi_glocation *x = &g->location[e->location];
    if (e->kind == RFI_G_READ) {
        if (e->flags & RFI_G_SPURIOUS) return false;
        if (!rfi_gqueue_first(g, e, e->source)) return false;
        if (e->source != RFI_NO_EVENT && !rfi_revisit_there(g, e->source, event, write))
            return false;
    } else if (RFI_UNLIKELY(g->seen[event].revisits)) {
        for (uint32_t i = 0; i < x->accesses.count && x->accesses.event[i] < event; i++) {
            const rfi_gevent *r = &g->event[x->accesses.event[i]];
            if (r->kind == RFI_G_READ && r->source == event &&
                !rfi_revisit_waits_again(g, x->accesses.event[i], event, read, write))
                return false;
        }
    }
    return rfi_revisit_last(g, x, rfi_graph_rank(g, event), event, write);
}

/* What would be left if `read` read `write`; false if the same comes from another graph. */
RFI_FN bool rfi_revisit_keeps(const rfi_graph *g, rfi_goptions *o, uint32_t read, uint32_t write) {
    o->keep = rfi_grow(o->keep, &o->keep_capacity, g->events, 1);
    if (!rfi_revisit_maximal(g, read, read, write)) return false;
    o->whole = true;
    memset(o->keep, 1, read + 1);
    for (uint32_t e = read + 1; e < g->events; e++) {
        o->keep[e] = e == write || rfi_graph_leads(g, e, write);
        if (!o->keep[e] && !rfi_revisit_maximal(g, e, read, write)) return false;
        o->whole &= o->keep[e];
    }
    return true;
}

/* The writes of a location that are left, but for the new one. */
RFI_FN void rfi_revisit_writes(rfi_goptions *o, const rfi_glocation *x, uint32_t write) {
    o->mo = rfi_grow(o->mo, &o->mo_capacity, x->mo.count + 1, sizeof *o->mo);
    o->writes = 0;
    for (uint32_t i = 0; i < x->mo.count; i++) {
        uint32_t w = x->mo.event[i];
        if (o->keep[w] && w != write) o->mo[o->writes++] = w;
    }
}

/* Would the graph that is left be consistent, with the write behind `behind` in mo? */
RFI_FN bool rfi_revisit_consistent(rfi_graph *g, const rfi_goptions *o, uint32_t read,
                                   uint32_t write, uint32_t behind, const rfi_goption *as) {
    rfi_gevent was = g->event[read];
    rfi_gseen seen = g->seen[read];
    rfi_graph_put(g, write, behind == RFI_NO_EVENT ? 0 : g->seen[behind].rank);
    g->event[read].source = write;
    g->event[read].flags = as->flags;
    g->event[read].pick = as->pick;
    rfi_graph_follow(g, read);
    bool matters = rfi_graph_order_matters(g, read) || rfi_graph_order_matters(g, write);
    bool consistent = !matters || rfi_graph_ordered(g, o->keep, read, write);
    g->event[read] = was;
    g->seen[read] = seen;
    rfi_graph_take(g, write);
    return consistent;
}

/* One read revisited, in one way, with the write in all its places. */
RFI_FN void rfi_revisit_places(rfi_graph *g, rfi_goptions *o, uint32_t read, uint32_t write,
                               rfi_goption option) {
    const rfi_gevent *w = &g->event[write];
    const rfi_glocation *x = &g->location[w->location];
    uint32_t floor = rfi_graph_floor(g, x, &g->seen[write].hb);
    uint32_t other = rfi_graph_floor(g, x, rfi_graph_before(g, &g->event[read]));
    if (other > floor) floor = other;
    for (uint32_t i = o->writes + 1; i--;) {
        uint32_t behind = i ? o->mo[i - 1] : RFI_NO_EVENT;
        if ((i ? g->seen[behind].rank : 0) < floor) return;
        if (w->flags & RFI_G_UPDATES && behind != rfi_graph_updated(g, write)) continue;
        if (i < o->writes && g->event[o->mo[i]].flags & RFI_G_UPDATES &&
            rfi_graph_updated(g, o->mo[i]) == behind)
            continue;
        if (i < o->writes && !option.unsure &&
            !rfi_revisit_consistent(g, o, read, write, behind, &option))
            continue;
        option.source = behind;
        rfi_goptions_add(o, option);
    }
}

/* The same of an operation on an object, which finds this state, made by `source`. */
RFI_FN bool rfi_graph_result_there(const rfi_graph *g, const rfi_gevent *e, const rfi_word *state,
                                   uint32_t source, uint32_t k, rfi_goption *o) {
    bool wakes = e->sync == RFI_G_SIGNAL || rfi_gsync_moves(e->sync);
    if (!rfi_gsync_can(e->sync, state)) {
        o->flags |= e->flags & RFI_G_TRIES ? 0 : RFI_G_BLOCKED;
        return k == 0;
    }
    if (wakes && !rfi_gqueue_pick(g, e, source, k, &o->pick)) return false;
    bool idle = wakes && !state->high && !(o->pick.first | o->pick.second);
    idle |= e->sync == RFI_G_ONCE && state->low != RFI_G_NEW;
    if (!idle) o->flags |= RFI_G_UPDATES;
    return wakes || k == 0;
}

/* What a read may do that finds this value, of `source`, number `k`: flags, and whom it wakes;
 * false: there are not so many ways. */
RFI_FN bool rfi_graph_result(const rfi_graph *g, const rfi_gevent *e, const rfi_word *wanted,
                             const rfi_word *value, uint32_t source, uint32_t k, rfi_goption *o) {
    o->flags = e->flags & (uint8_t) ~(RFI_G_UPDATES | RFI_G_SPURIOUS | RFI_G_BLOCKED);
    o->pick = (rfi_gpick){0, 0};
    if (!(e->flags & RFI_G_CHANGES)) return k == 0;
    if (e->sync) return rfi_graph_result_there(g, e, value, source, k, o);
    if (e->flags & RFI_G_COMPARES && !rfi_word_same(wanted, value)) return k == 0;
    o->flags |= k ? RFI_G_SPURIOUS : RFI_G_UPDATES;
    return k <= (e->flags & RFI_G_WEAK ? 1u : 0u);
}

/* Whether the one behind `rank` writes in mo updates that. */
RFI_FN bool rfi_graph_taken(const rfi_graph *g, const rfi_glocation *x, uint32_t rank) {
    if (rank == x->mo.count) return false;
    uint32_t next = x->mo.event[rank];
    uint32_t source = rank ? x->mo.event[rank - 1] : RFI_NO_EVENT;
    return g->event[next].flags & RFI_G_UPDATES && rfi_graph_updated(g, next) == source;
}

/* The update of what a write updates that is in mo; RFI_NO_EVENT: there is none. */
RFI_FN uint32_t rfi_graph_rival(const rfi_graph *g, const rfi_glocation *x, uint32_t write) {
    if (!(g->event[write].flags & RFI_G_UPDATES)) return RFI_NO_EVENT;
    uint32_t half = rfi_graph_previous(g, &g->event[write]), rank = rfi_graph_rank(g, half);
    return rfi_graph_taken(g, x, rank) ? x->mo.event[rank] : RFI_NO_EVENT;
}

/* All of them by a write that is not in mo; `updates`: of an update that has no place.  Where
 * another update of the same is left, the write has no place either. */
RFI_FN void rfi_graph_revisits(rfi_graph *g, rfi_goptions *o, uint32_t write, bool updates) {
    const rfi_gevent *w = &g->event[write];
    const rfi_glocation *x = &g->location[w->location];
    uint32_t half = w->flags & RFI_G_UPDATES ? rfi_graph_previous(g, w) : RFI_NO_EVENT;
    uint32_t rival = rfi_graph_rival(g, x, write);
    if (rival != RFI_NO_EVENT && rfi_graph_leads(g, rival, write)) return;
    for (uint32_t i = rfi_graph_unled(g, x, write); i < x->accesses.count; i++) {
        uint32_t read = x->accesses.event[i];
        if (read >= rival) return;
        if (g->event[read].kind != RFI_G_READ || rfi_graph_leads(g, read, write)) continue;
        if (!rfi_revisit_keeps(g, o, read, write)) continue;
        if (rfi_gsync_frees(w->sync) && rfi_graph_blocks(g, w->location, o->keep, read))
            continue; /* he waits for ever */
        rfi_revisit_writes(o, x, write);
        bool unsure = updates && !g->seen[write].known && g->event[read].flags & RFI_G_COMPARES;
        const rfi_word *wanted = &g->seen[read].value;
        rfi_goption option = {.way = RFI_G_REVISIT,
                              .updates = updates,
                              .whole = o->whole && !updates,
                              .unsure = unsure,
                              .read = read,
                              .from = updates ? g->event[half].source : 0,
                              .wakes = updates ? g->event[half].pick : (rfi_gpick){0, 0}};
        const rfi_word *value = unsure ? wanted : &g->seen[write].value;
        for (uint32_t k = 0; rfi_graph_result(g, &g->event[read], wanted, value, write, k, &option);
             k++)
            if (!(option.flags & RFI_G_UPDATES && rfi_graph_turns(g, read, write)))
                rfi_revisit_places(g, o, read, write, option);
    }
}

/* ---- reads ---- */

/* The update `e`, a read that has no write yet, can't be, since what it reads has been updated:
 * what becomes of others who read what it would write. */
RFI_FN void rfi_graph_unplaced(rfi_graph *g, rfi_goptions *o, uint32_t read,
                               const rfi_word *desired) {
    rfi_gevent w = rfi_gevent_half(&g->event[read]);
    uint32_t write = rfi_graph_add(g, &w);
    rfi_graph_follow(g, write);
    g->seen[write].known = desired != NULL;
    g->seen[write].value = desired ? *desired : (rfi_word){0, 0};
    rfi_graph_revisits(g, o, write, true);
    rfi_graph_drop(g);
}

/* Has it failed for no reason when its thread came to this statement last?  A loop would go on like
 * that for ever, and comes to where one failure leads, unless it is bounded. */
RFI_FN bool rfi_graph_fails_again(const rfi_graph *g, uint32_t read) {
    const rfi_gevent *e = &g->event[read];
    const uint32_t *of = g->thread[e->thread].list.event;
    if (g->bounded) return false;
    for (uint32_t i = e->number; i--;) {
        const rfi_gevent *p = &g->event[of[i]];
        if (p->kind == RFI_G_READ && p->location == e->location &&
            g->seen[of[i]].site == g->seen[read].site)
            return p->flags & RFI_G_SPURIOUS;
    }
    return false;
}

/* The options of a read, which was added and has no source yet; `desired`: what it writes if it
 * updates, NULL: that is not known. */
RFI_FN void rfi_graph_read_options(rfi_graph *g, rfi_goptions *o, uint32_t read,
                                   const rfi_word *desired) {
    uint32_t location = g->event[read].location;
    const rfi_glocation *x = &g->location[location];
    uint32_t floor = rfi_graph_floor(g, x, rfi_graph_before(g, &g->event[read]));
    o->count = 0;
    o->tired = g->event[read].flags & RFI_G_WEAK && rfi_graph_fails_again(g, read);
    if (o->tired) g->event[read].flags &= (uint8_t)~RFI_G_WEAK;
    for (uint32_t rank = x->mo.count + 1; rank-- > floor;) {
        uint32_t source = rank ? x->mo.event[rank - 1] : RFI_NO_EVENT;
        rfi_goption as = {.way = RFI_G_SOURCE, .source = source};
        for (uint32_t k = 0;; k++) {
            const rfi_word *value = rfi_graph_value(g, location, source);
            if (!rfi_graph_result(g, &g->event[read], &g->seen[read].value, value, source, k, &as))
                break;
            g->event[read].source = source;
            g->event[read].flags = as.flags;
            g->event[read].pick = as.pick;
            rfi_graph_follow(g, read);
            if (as.flags & RFI_G_UPDATES && rfi_graph_taken(g, x, rank)) {
                rfi_word state = rfi_gsync_state(&g->event[read], *value);
                rfi_graph_unplaced(g, o, read, g->event[read].sync ? &state : desired);
                x = &g->location[location];
            } else if (rank < x->mo.count && as.flags & RFI_G_BLOCKED) {
                continue; /* for ever */
            } else if (rank == x->mo.count || !rfi_graph_order_matters(g, read) ||
                       rfi_graph_ordered(g, NULL, read, RFI_NO_EVENT)) {
                rfi_goptions_add(o, as);
            }
        }
    }
}

/* ---- writes ---- */

/* Must somebody who waits at this location see that its one holder has left it?  He waits for ever
 * if not: nothing that is still to come deletes that, but for somebody who waits elsewhere and is
 * woken, and then who waited for a queue does so again. */
RFI_FN bool rfi_graph_must_wake(const rfi_graph *g, uint32_t location, unsigned sync) {
    if (!rfi_gsync_frees(sync) || g->apart) return false;
    if (!rfi_graph_blocks(g, location, NULL, RFI_NO_EVENT)) return false;
    for (uint32_t i = 0; i < g->locations && sync == RFI_G_UNLOCK; i++)
        if (i != location && rfi_graph_blocks(g, i, NULL, RFI_NO_EVENT)) return false;
    return true;
}

/* A write comes behind so many others at least, and at most: that of an update behind its source.
 */
RFI_FN uint32_t rfi_graph_window(const rfi_graph *g, const rfi_glocation *x, uint32_t write,
                                 uint32_t *floor) {
    bool updates = g->event[write].flags & RFI_G_UPDATES;
    *floor = updates ? rfi_graph_rank(g, rfi_graph_previous(g, &g->event[write]))
                     : rfi_graph_floor(g, x, &g->seen[write].hb);
    return updates ? *floor : x->mo.count;
}

/* The options of a write, which was added and is not in mo yet. */
RFI_FN void rfi_graph_write_options(rfi_graph *g, rfi_goptions *o, uint32_t write) {
    const rfi_glocation *x = &g->location[g->event[write].location];
    uint32_t floor, top = rfi_graph_window(g, x, write, &floor);
    o->count = 0;
    bool stale = rfi_graph_must_wake(g, g->event[write].location, g->event[write].sync);
    for (uint32_t at = top + 1; !stale && at-- > floor;) {
        uint32_t behind = at ? x->mo.event[at - 1] : RFI_NO_EVENT;
        if (rfi_graph_taken(g, x, at)) continue;
        bool consistent = at == x->mo.count || !rfi_graph_order_matters(g, write);
        if (!consistent) {
            rfi_graph_put(g, write, at);
            consistent = rfi_graph_ordered(g, NULL, write, RFI_NO_EVENT);
            rfi_graph_take(g, write);
        }
        if (consistent) rfi_goptions_add(o, (rfi_goption){.way = RFI_G_SOURCE, .source = behind});
    }
    rfi_graph_revisits(g, o, write, false);
}
#endif
#endif
