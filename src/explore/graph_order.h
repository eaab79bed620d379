/* explore/graph_order.h: is there an order of the seq_cst events of a graph: is psc acyclic?
 *
 * As in RC11: psc_base = ([E sc] U [F sc];hb?) ; scb ; ([E sc] U hb?;[F sc]) with
 * scb = sb U (sb elsewhere ; hb ; sb elsewhere) U hb on one location U mo U rb, and
 * psc_F = [F sc] ; (hb U hb;eco;hb) ; [F sc].  Each event has the set of seq_cst events that stand
 * for it on the left and on the right of scb; each pair of scb adds edges between these.
 *
 * Only what was put before something else can close a cycle: an event without successors in sb, rf,
 * mo and rb closes none.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_ORDER_H
#define RFI_EXPLORE_GRAPH_ORDER_H
#include "explore/graph.h"

#ifdef RFI_IMPL
/* Sets of seq_cst events, in rows of `words`. */
typedef struct rfi_gtotal {
    const rfi_graph *g;
    const uint8_t *keep;     /* events that are left of the graph; NULL: all */
    uint32_t *event, events; /* the seq_cst ones */
    uint32_t event_capacity, words;
    uint64_t *to, *onward; /* of an event, of it and all behind it in its thread */
    uint64_t *edge, *fences;
    uint64_t *start;          /* what stands for the newest events on the left, */
    uint64_t *reached, *left; /* what paths from there reach; whose edges are known */
    uint32_t to_capacity, onward_capacity, edge_capacity, fence_capacity;
    uint32_t start_capacity, reached_capacity, left_capacity;
    uint32_t newest, other;           /* the newest events */
    bool wakes;                       /* somebody has been woken */
    uint32_t kept[RFI_GRAPH_THREADS]; /* so many events of each thread are left */
    uint32_t *behind, *before; /* of each event: the next one of its thread that is elsewhere */
    uint32_t first[RFI_GRAPH_THREADS]; /* of each thread, or RFI_NO_EVENT, */
    uint32_t *at, *there;              /* and at each location; which threads have one there */
    uint32_t behind_capacity, before_capacity, at_capacity, there_capacity;
} rfi_gtotal;

RFI_VAR rfi_gtotal rfi_graph_sc;

RFI_INLINE bool rfi_total_kept(const rfi_gtotal *x, uint32_t event) {
    return !x->keep || x->keep[event];
}

RFI_INLINE uint64_t *rfi_total_row(const rfi_gtotal *x, uint64_t *rows, uint32_t n) {
    return &rows[(size_t)n * x->words];
}

/* The rows of an array, all zero. */
RFI_FN uint64_t *rfi_total_rows(const rfi_gtotal *x, uint64_t *rows, uint32_t *capacity,
                                uint32_t n) {
    rows = rfi_grow(rows, capacity, n * x->words, sizeof *rows);
    memset(rows, 0, (size_t)n * x->words * sizeof *rows);
    return rows;
}

/* Which events have a place in the order; false if there are too few for a cycle. */
RFI_FN bool rfi_total_begin(rfi_gtotal *x) {
    const rfi_graph *g = x->g;
    x->events = 0;
    x->wakes = false;
    for (uint32_t i = 0; i < g->events; i++) {
        if (!rfi_total_kept(x, i)) continue;
        x->wakes |= g->event[i].kind == RFI_G_WAKE;
        if (!rfi_graph_total(g, &g->event[i])) continue;
        x->event = rfi_grow(x->event, &x->event_capacity, x->events + 1, sizeof *x->event);
        x->event[x->events++] = i;
    }
    if (x->events < 2) return false;
    x->words = (x->events + 63) / 64;
    x->to = rfi_total_rows(x, x->to, &x->to_capacity, g->events);
    x->onward = rfi_total_rows(x, x->onward, &x->onward_capacity, g->events);
    x->edge = rfi_total_rows(x, x->edge, &x->edge_capacity, x->events + 2);
    x->fences = rfi_total_rows(x, x->fences, &x->fence_capacity, 1);
    x->start = rfi_total_rows(x, x->start, &x->start_capacity, 1);
    x->reached = rfi_total_rows(x, x->reached, &x->reached_capacity, 1);
    x->left = rfi_total_rows(x, x->left, &x->left_capacity, 1);
    return true;
}

RFI_INLINE void rfi_total_join(const rfi_gtotal *x, uint64_t *row, const uint64_t *with) {
    uint32_t w = 0;
    do row[w] |= with[w];
    while (++w < x->words);
}

RFI_INLINE void rfi_total_mark(uint64_t *row, uint32_t n) { row[n / 64] |= UINT64_C(1) << n % 64; }

/* Who stands for each event on the right: itself, and fences that it happens before. */
RFI_FN void rfi_total_stand(rfi_gtotal *x) {
    const rfi_graph *g = x->g;
    for (uint32_t n = 0; n < x->events; n++) {
        uint32_t s = x->event[n];
        rfi_total_mark(rfi_total_row(x, x->to, s), n);
        if (!rfi_gevent_fences(&g->event[s])) continue;
        rfi_total_mark(x->fences, n);
        for (uint32_t t = 0; t < g->threads; t++) {
            const uint32_t *event = g->thread[t].list.event;
            uint32_t end = g->seen[s].hb.n[t] < x->kept[t] ? g->seen[s].hb.n[t] : x->kept[t];
            for (uint32_t i = 0; i < end; i++) rfi_total_mark(rfi_total_row(x, x->to, event[i]), n);
        }
    }
}

/* The same of what follows each in its thread. */
RFI_FN void rfi_total_follow(rfi_gtotal *x) {
    const rfi_graph *g = x->g;
    for (uint32_t t = 0; t < g->threads; t++) {
        const uint32_t *event = g->thread[t].list.event;
        const uint64_t *next = NULL;
        for (uint32_t i = x->kept[t]; i--;) {
            uint64_t *onward = rfi_total_row(x, x->onward, event[i]);
            rfi_total_join(x, onward, rfi_total_row(x, x->to, event[i]));
            if (next) rfi_total_join(x, onward, next);
            next = onward;
        }
    }
}

/* The n-th seq_cst event, which stands for something, comes before all that stands for `b`; `far`:
 * only fences do.  Behind the rows of all these there are two of what stands for the newest events.
 */
RFI_FN void rfi_total_edges(rfi_gtotal *x, uint32_t n, uint32_t b, bool far) {
    const uint64_t *to = rfi_total_row(x, x->to, b);
    if (far && n < x->events && !(x->fences[n / 64] >> n % 64 & 1)) return;
    uint64_t *edge = rfi_total_row(x, x->edge, n + (far && n == x->events));
    for (uint32_t v = 0; v < x->words; v++) edge[v] |= to[v] & (far ? x->fences[v] : ~UINT64_C(0));
}

/* Would it be one that is not known? */
RFI_INLINE bool rfi_total_more(const rfi_gtotal *x, uint32_t n, uint32_t b) {
    const uint64_t *to = rfi_total_row(x, x->to, b), *edge = rfi_total_row(x, x->edge, n);
    uint64_t more = 0;
    uint32_t v = 0;
    if (n == x->events && (b == x->newest || b == x->other)) return false; /* those they have */
    do more |= to[v] & ~edge[v];
    while (++v < x->words);
    return more != 0;
}

/* Is the second one, of the same thread, not at the location of the first? */
RFI_INLINE bool rfi_total_elsewhere(const rfi_graph *g, uint32_t event, uint32_t other) {
    const rfi_gevent *e = &g->event[event], *o = &g->event[other];
    return !rfi_gevent_accesses(e) || !rfi_gevent_accesses(o) || o->location != e->location;
}

/* The next events of threads behind, and before, each of them that are not at its location;
 * RFI_NO_EVENT: there is none that is left.  What follows one at the same location does for that,
 * too. */
RFI_FN void rfi_total_neighbours(rfi_gtotal *x) {
    const rfi_graph *g = x->g;
    x->behind = rfi_grow(x->behind, &x->behind_capacity, g->events, sizeof *x->behind);
    x->before = rfi_grow(x->before, &x->before_capacity, g->events, sizeof *x->before);
    for (uint32_t t = 0; t < g->threads; t++) {
        const rfi_glist *list = &g->thread[t].list;
        uint32_t last = RFI_NO_EVENT, count = 0;
        while (count < list->count && rfi_total_kept(x, list->event[count])) count++;
        x->kept[t] = count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t n = list->event[i];
            bool same = last != RFI_NO_EVENT && !rfi_total_elsewhere(g, n, last);
            x->before[n] = same ? x->before[last] : last;
            last = n;
        }
        last = RFI_NO_EVENT;
        for (uint32_t i = count; i--;) {
            uint32_t n = list->event[i];
            bool same = last != RFI_NO_EVENT && !rfi_total_elsewhere(g, n, last);
            x->behind[n] = same ? x->behind[last] : last;
            last = n;
        }
    }
}

/* scb between events of one location, and eco. */
RFI_FN void rfi_total_local(rfi_gtotal *x, uint32_t n, uint32_t a, uint32_t b) {
    const rfi_graph *g = x->g;
    const rfi_gevent *e = &g->event[a], *f = &g->event[b];
    uint32_t rank = rfi_graph_rank(g, a), other = rfi_graph_rank(g, b);
    bool later = rank < other;
    bool read = rank == other && e->kind == RFI_G_WRITE && f->kind == RFI_G_READ;
    bool base = rfi_graph_hb(g, a, b) || (later && f->kind == RFI_G_WRITE);
    if (base || (read && g->interleaved))
        rfi_total_edges(x, n, b, false);
    else if (later || read)
        rfi_total_edges(x, n, b, true);
}

/* Does something elsewhere behind `a` happen before something elsewhere before `b`?  The beginning
 * of a thread, and its end, are elsewhere. */
RFI_FN bool rfi_total_between(const rfi_gtotal *x, uint32_t a, uint32_t b) {
    const rfi_graph *g = x->g;
    uint32_t c = x->behind[a], d = x->before[b];
    const rfi_gthread *t = &g->thread[g->event[a].thread];
    const rfi_gclock *known =
        d == RFI_NO_EVENT ? &g->thread[g->event[b].thread].hb : &g->seen[d].hb;
    if (c == RFI_NO_EVENT) return known->n[g->event[a].thread] > t->list.count;
    return rfi_gclock_has(known, &g->event[c]);
}

/* ---- what leads from a seq_cst event: of a fence also what is behind it ---- */

/* The number of the first event of a thread that comes after `s` by hb, or is that, if it is a
 * fence; those after it do, too. */
RFI_FN uint32_t rfi_total_first(const rfi_gtotal *x, uint32_t s, bool fence, uint32_t thread) {
    const rfi_graph *g = x->g;
    const uint32_t *event = g->thread[thread].list.event;
    uint32_t low = 0, high = x->kept[thread];
    if (thread == g->event[s].thread) return g->event[s].number + !fence;
    while (low < high) {
        uint32_t middle = (low + high) / 2, e = event[middle];
        if (fence ? rfi_graph_hb(g, s, e) : rfi_total_between(x, s, e))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

RFI_FN void rfi_total_access(rfi_gtotal *x, uint32_t event) {
    const rfi_gevent *e = &x->g->event[event];
    if (!rfi_gevent_accesses(e)) return;
    x->at[e->location * x->g->threads + e->thread] = event;
    x->there[e->location] |= UINT32_C(1) << e->thread;
}

/* The event itself, or the first events at a fence and behind it: what follows one of a thread
 * comes before no more. */
RFI_FN void rfi_total_firsts(rfi_gtotal *x, uint32_t s, bool fence) {
    const rfi_graph *g = x->g;
    x->at = rfi_grow(x->at, &x->at_capacity, g->locations * g->threads, sizeof *x->at);
    x->there = rfi_grow(x->there, &x->there_capacity, g->locations, sizeof *x->there);
    memset(x->there, 0, g->locations * sizeof *x->there);
    for (uint32_t t = 0; t < g->threads; t++) {
        const uint32_t *event = g->thread[t].list.event;
        uint32_t first = fence ? rfi_total_first(x, s, true, t) : x->kept[t];
        x->first[t] = first < x->kept[t] ? event[first] : RFI_NO_EVENT;
        for (uint32_t i = x->kept[t]; i-- > first;) rfi_total_access(x, event[i]);
    }
    if (fence) return;
    x->first[g->event[s].thread] = s;
    rfi_total_access(x, s);
}

/* Is `a` one of them, and of another thread than `b`? */
RFI_FN bool rfi_total_leads(const rfi_gtotal *x, uint32_t s, uint32_t a, uint32_t b) {
    const rfi_gevent *e = &x->g->event[a];
    uint32_t first = x->first[e->thread];
    if (e->thread == x->g->event[b].thread || first == RFI_NO_EVENT) return false;
    return rfi_gevent_fences(&x->g->event[s]) ? e->number >= x->g->event[first].number : a == s;
}

/* May `f` come after what leads from there, by its location (the threads of that) or a wake-up? */
RFI_INLINE uint32_t rfi_total_relates(const rfi_gtotal *x, const rfi_gevent *f) {
    if (!rfi_gevent_accesses(f)) return f->kind == RFI_G_WAKE;
    return x->there[f->location] & ~(UINT32_C(1) << f->thread);
}

/* If it does. */
RFI_FN void rfi_total_relate(rfi_gtotal *x, uint32_t n, uint32_t s, uint32_t b) {
    const rfi_graph *g = x->g;
    const rfi_gevent *f = &g->event[b];
    if (f->kind == RFI_G_WAKE && rfi_total_leads(x, s, f->source, b))
        rfi_total_edges(x, n, b, false);
    if (!rfi_gevent_accesses(f)) return;
    for (uint32_t left = rfi_total_relates(x, f); left; left &= left - 1)
        rfi_total_local(x, n, x->at[f->location * g->threads + (uint32_t)__builtin_ctz(left)], b);
    if (f->kind == RFI_G_READ && f->source != RFI_NO_EVENT && rfi_total_leads(x, s, f->source, b))
        rfi_total_local(x, n, f->source, b);
}

/* The edges of the n-th seq_cst event, or of another one.  A fence needs none to what comes after
 * it by hb: it stands for that on the left, too. */
RFI_FN void rfi_total_out(rfi_gtotal *x, uint32_t n, uint32_t s) {
    const rfi_graph *g = x->g;
    uint32_t low[RFI_GRAPH_THREADS];
    const rfi_gevent *e = &g->event[s];
    bool fence = n < x->events && rfi_gevent_fences(e), any = fence || x->wakes;
    rfi_total_firsts(x, s, fence);
    for (uint32_t t = 0; t < g->threads; t++) {
        const uint32_t *event = g->thread[t].list.event, first = x->first[t];
        low[t] = !fence                  ? rfi_total_first(x, s, false, t)
                 : first == RFI_NO_EVENT ? x->kept[t]
                                         : g->event[first].number;
        if (!fence && low[t] < x->kept[t])
            rfi_total_join(x, rfi_total_row(x, x->edge, n),
                           rfi_total_row(x, x->onward, event[low[t]]));
        for (uint32_t i = 0; any && i < low[t]; i++)
            if (event[i] != s && rfi_total_relates(x, &g->event[event[i]]) &&
                rfi_total_more(x, n, event[i]))
                rfi_total_relate(x, n, s, event[i]);
    }
    if (any || !rfi_gevent_accesses(e)) return;
    const rfi_glist *list = &g->location[e->location].accesses; /* no others */
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t b = list->event[i];
        const rfi_gevent *f = &g->event[b];
        if (b != s && f->number < low[f->thread] && rfi_total_more(x, n, b))
            rfi_total_relate(x, n, s, b);
    }
}

/* One of the newest events: what stands for it on the left, that is itself and fences that happen
 * before it, and the edges that it adds to these. */
RFI_FN void rfi_total_start(rfi_gtotal *x, uint32_t event) {
    const rfi_graph *g = x->g;
    for (uint32_t n = 0; n < x->events; n++) {
        uint32_t s = x->event[n];
        if (s == event || (rfi_gevent_fences(&g->event[s]) && rfi_graph_hb(g, s, event)))
            rfi_total_mark(x->start, n);
    }
    rfi_total_out(x, x->events, event);
}

/* Does a path by edges of row `n` lead to what stands for the newest events, or to fences of it? */
RFI_FN bool rfi_total_returns(rfi_gtotal *x, uint32_t n, bool fences) {
    for (bool more = true; more;) {
        const uint64_t *edge = rfi_total_row(x, x->edge, n);
        more = false;
        for (uint32_t w = 0; w < x->words; w++) {
            x->reached[w] |= edge[w];
            if (x->reached[w] & x->start[w] & (fences ? x->fences[w] : ~UINT64_C(0))) return true;
        }
        for (uint32_t w = 0; w < x->words && !more; w++) {
            uint64_t left = x->reached[w] & ~x->left[w];
            if (!left) continue;
            x->left[w] |= left & -left;
            n = w * 64 + (uint32_t)__builtin_ctzll(left);
            rfi_total_out(x, n, x->event[n]);
            more = true;
        }
    }
    return false;
}

/* May an event that nothing of the graph depends on close a cycle?  It is in none if it has no
 * place in the order, and no fence stands for it: on the left, since nothing comes after it. */
RFI_FN bool rfi_graph_order_matters(const rfi_graph *g, uint32_t event) {
    if (rfi_graph_total(g, &g->event[event])) return true;
    for (uint32_t i = 0; g->fences && i < g->events; i++)
        if (rfi_gevent_serial(&g->event[i]) && rfi_graph_hb(g, i, event)) return true;
    return false;
}

/* Is psc acyclic, of the events that are kept?  It was before there were `newest` and `other` (or
 * RFI_NO_EVENT), which are the last of their threads, at one place in mo: so a cycle leads by an
 * edge that they add away from what stands for them on the left, and back there.  One between
 * fences only comes back to one of these.  Of an update the write does: what its read comes before
 * comes behind it in mo, too. */
RFI_FN bool rfi_graph_ordered(const rfi_graph *g, const uint8_t *keep, uint32_t newest,
                              uint32_t other) {
    rfi_gtotal *x = &rfi_graph_sc;
    x->g = g;
    x->keep = keep;
    if (!rfi_total_begin(x)) return true;
    rfi_total_neighbours(x);
    rfi_total_stand(x);
    rfi_total_follow(x);
    x->newest = newest;
    x->other = other;
    rfi_total_start(x, newest);
    if (other != RFI_NO_EVENT) rfi_total_start(x, other);
    return !rfi_total_returns(x, x->events, false) && !rfi_total_returns(x, x->events + 1, true);
}
#endif
#endif
