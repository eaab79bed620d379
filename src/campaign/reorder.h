/* campaign/reorder.h: the same partial order of steps with fewer preemptions.
 *
 * Steps of different threads that do not depend on each other may change prefixes
 * (engine/depend.h). Of all the orders that keep those that depend as they were, this finds one
 * with few preemptions; it executes nothing.  Only steps that the last one depends on have a prefix
 * in it, unless all are asked for.
 *
 * A thread that has begun goes on until its next step needs one of another thread: to stop it
 * earlier gains nothing.  So the search has a choice only there.  It goes by preemptions, breadth
 * first, and keeps the RFI_REORDER_WIDTH states of each number that are furthest.  What is no
 * preemption it only assumes; an execution tells.
 */
#ifndef RFI_CAMPAIGN_REORDER_H
#define RFI_CAMPAIGN_REORDER_H
#include "base/hash.h"
#include "engine/depend.h"
#include "engine/record.h"

#ifdef RFI_IMPL
# define RFI_REORDER_STEPS   512u /* of an execution, at most, */
# define RFI_REORDER_THREADS 12u
# define RFI_REORDER_WIDTH   200u

typedef struct rfi_move { /* a step, and the events up to the next one */
    uint32_t from, to;
    uint16_t thread, number;             /* of its thread, from 0 */
    uint16_t needs[RFI_REORDER_THREADS]; /* so many steps of each thread come before it */
    bool free;                           /* to leave its thread behind it is no preemption, */
    bool waits;                          /* or is none if it is not its turn yet */
} rfi_move;

typedef struct rfi_prefix { /* how far an order has come */
    uint16_t done[RFI_REORDER_THREADS];
    uint32_t sum, thread, before; /* steps; of the last turn; the prefix before it */
} rfi_prefix;

typedef struct rfi_reordering {
    const rfi_record *r;
    rfi_move move[RFI_REORDER_STEPS];
    uint32_t moves, threads, sum;
    uint16_t of[RFI_REORDER_THREADS][RFI_REORDER_STEPS];         /* moves of a thread */
    uint16_t all[RFI_REORDER_THREADS], end[RFI_REORDER_THREADS]; /* its steps; those that count */
    rfi_prefix *prefix;
    uint32_t prefixes, room, goal;
    rfi_map seen;
} rfi_reordering;

/* ---- what depends on what ---- */

RFI_FN bool rfi_events_tied(const rf_event *a, const rf_event *b) {
    const uint64_t clock = RF_EV_BIT(RF_EV_SLEEP) | RF_EV_BIT(RF_EV_WAKE);
    if (a->kind == RF_EV_CREATE && a->other == b->thread) return true;
    if ((rfi_asks(a) && a->other == b->thread) || (rfi_asks(b) && b->other == a->thread))
        return true;
    if (clock & RF_EV_BIT(a->kind) && clock & RF_EV_BIT(b->kind)) return true;
    if (rfi_touch_same_bytes(a, b)) return true;
    rfi_uses x = rfi_uses_of(a), y = rfi_uses_of(b);
    bool same = (x.object && (x.object == y.object || x.object == y.other)) ||
                (x.other && (x.other == y.object || x.other == y.other));
    return same && !rfi_both_share(a, b);
}

RFI_FN bool rfi_moves_tied(const rfi_record *r, const rfi_move *u, const rfi_move *v) {
    for (uint32_t i = u->from; i < u->to; i++)
        for (uint32_t k = v->from; k < v->to; k++)
            if (rfi_events_tied(&r->event[i], &r->event[k])) return true;
    return false;
}

/* Cuts the record into steps; false: it has too many, or too many threads. */
RFI_FN bool rfi_reorder_cut(rfi_reordering *o) {
    const rfi_record *r = o->r;
    if (r->events > RFI_RECORD_EVENTS) return false;
    for (uint32_t i = 0; i < r->events; i++) {
        uint32_t thread = r->event[i].thread;
        if (thread >= RFI_REORDER_THREADS || o->moves == RFI_REORDER_STEPS) return false;
        if (thread >= o->threads) o->threads = thread + 1;
        if (o->moves) o->move[o->moves - 1].to = i;
        if (!(r->stepped[i / 64] >> i % 64 & 1)) continue;
        rfi_move *u = &o->move[o->moves];
        *u = (rfi_move){.from = i, .thread = (uint16_t)thread, .number = o->all[thread]};
        o->of[thread][o->all[thread]++] = (uint16_t)o->moves++;
    }
    if (o->moves) o->move[o->moves - 1].to = (uint32_t)r->events;
    return o->moves > 1;
}

/* Is its thread left without a preemption behind move i? */
RFI_FN void rfi_move_leave(rfi_reordering *o, uint32_t i, bool preempts) {
    const uint64_t yields = RF_EV_BIT(RF_EV_YIELD) | RF_EV_BIT(RF_EV_SLEEP);
    const uint64_t waits = RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_JOIN) | RF_EV_BIT(RF_EV_WAKE) |
                           RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_DEPART) |
                           RF_EV_BIT(RF_EV_PARK) | RF_EV_BIT(RF_EV_ONCE_PASS);
    rfi_move *u = &o->move[i];
    bool left = i + 1 < o->moves && o->move[i + 1].thread != u->thread;
    const rf_event *e = &o->r->event[u->from];
    u->free = left ? !preempts : (yields & RF_EV_BIT(e->kind)) != 0;
    if (u->number + 1 >= o->all[u->thread]) return;
    const rfi_move *next = &o->move[o->of[u->thread][u->number + 1]];
    u->waits = waits & RF_EV_BIT(o->r->event[next->from].kind);
}

RFI_FN void rfi_reorder_ties(rfi_reordering *o) {
    uint32_t turn = 0, steps = 0;
    for (uint32_t i = 0; i < o->moves; i++) {
        rfi_move *u = &o->move[i];
        for (uint32_t k = i; k--;) {
            const rfi_move *v = &o->move[k];
            if (v->thread == u->thread || u->needs[v->thread] > v->number) continue;
            if (rfi_moves_tied(o->r, v, u)) u->needs[v->thread] = (uint16_t)(v->number + 1);
        }
        if (++steps == o->r->turn[turn].steps) steps = 0, turn++;
        rfi_move_leave(o, i, turn < o->r->turns && o->r->turn[turn].preempts);
    }
}

/* What the last step depends on. */
RFI_FN void rfi_reorder_past(rfi_reordering *o, bool all) {
    const rfi_move *last = &o->move[o->moves - 1];
    memset(o->end, 0, sizeof o->end);
    o->end[last->thread] = (uint16_t)(last->number + 1);
    for (uint32_t i = o->moves; i--;) {
        const rfi_move *u = &o->move[i];
        if (all && u->number >= o->end[u->thread]) o->end[u->thread] = (uint16_t)(u->number + 1);
        if (u->number >= o->end[u->thread]) continue;
        for (uint32_t t = 0; t < o->threads; t++)
            if (o->end[t] < u->needs[t]) o->end[t] = u->needs[t];
    }
    o->sum = 0;
    for (uint32_t t = 0; t < o->threads; t++) o->sum += o->end[t];
}

/* ---- the search ---- */

RFI_FN const rfi_move *rfi_prefix_next(const rfi_reordering *o, const rfi_prefix *p, uint32_t t) {
    return p->done[t] < o->end[t] ? &o->move[o->of[t][p->done[t]]] : NULL;
}

RFI_FN bool rfi_prefix_ready(const rfi_reordering *o, const rfi_prefix *p, const rfi_move *u) {
    for (uint32_t t = 0; u && t < o->threads; t++)
        if (p->done[t] < u->needs[t]) return false;
    return u != NULL;
}

/* Is it a preemption to leave the thread of the last turn? */
RFI_FN bool rfi_prefix_preempts(const rfi_reordering *o, const rfi_prefix *p) {
    const rfi_move *last = &o->move[o->of[p->thread][p->done[p->thread] - 1]];
    return !last->free && !last->waits;
}

/* Adds the prefix behind a turn of t, if it is new. */
RFI_FN void rfi_prefix_add(rfi_reordering *o, uint32_t before, uint32_t t) {
    rfi_prefix p = before == UINT32_MAX ? (rfi_prefix){.sum = 0} : o->prefix[before];
    const rfi_move *u = rfi_prefix_next(o, &p, t);
    if (!rfi_prefix_ready(o, &p, u)) return;
    p.before = before;
    p.thread = t;
    for (; rfi_prefix_ready(o, &p, u); u = rfi_prefix_next(o, &p, t)) p.done[t]++, p.sum++;
    uint64_t h = t + 1;
    for (uint32_t i = 0; i < o->threads; i++) h = rfi_mix(h) + p.done[i];
    uint64_t *seen = rfi_map_at(&o->seen, rfi_mix(h));
    if (*seen) return;
    *seen = 1;
    o->prefix = rfi_grow(o->prefix, &o->room, o->prefixes + 1, sizeof *o->prefix);
    o->prefix[o->prefixes++] = p;
}

RFI_FN int rfi_prefix_order(const void *x, const void *y) {
    const rfi_prefix *a = x, *b = y;
    if (a->sum != b->sum) return a->sum < b->sum ? 1 : -1;
    int order = memcmp(a->done, b->done, sizeof a->done);
    return order ? order : (a->thread > b->thread) - (a->thread < b->thread);
}

/* Adds what those from..prefixes-1 lead to without another preemption. */
RFI_FN void rfi_reorder_free(rfi_reordering *o, uint32_t from) {
    for (uint32_t i = from; i < o->prefixes; i++) { /* it grows meanwhile */
        if (o->prefix[i].sum == o->sum) o->goal = i;
        if (o->goal != UINT32_MAX) return;
        for (uint32_t t = 0; t < o->threads && !rfi_prefix_preempts(o, &o->prefix[i]); t++)
            if (t != o->prefix[i].thread) rfi_prefix_add(o, i, t);
    }
}

/* Adds those with one preemption more than from..prefixes-1, the best of them; where they begin. */
RFI_FN uint32_t rfi_reorder_level(rfi_reordering *o, uint32_t from) {
    uint32_t to = o->prefixes;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t t = 0; t < o->threads; t++)
            if (t != o->prefix[i].thread) rfi_prefix_add(o, i, t);
    if (o->prefixes - to <= RFI_REORDER_WIDTH) return to;
    RFI_REAL(qsort)(o->prefix + to, o->prefixes - to, sizeof *o->prefix, rfi_prefix_order);
    o->prefixes = to + RFI_REORDER_WIDTH;
    return to;
}

/* Finds an order with fewer than so many preemptions, as far as it looks; its number, or `most`. */
RFI_FN uint64_t rfi_reorder_search(rfi_reordering *o, uint64_t most) {
    uint32_t from = 0, n = 0;
    o->prefixes = 0;
    o->goal = UINT32_MAX;
    rfi_map_reset(&o->seen);
    for (uint32_t t = 0; t < o->threads; t++) rfi_prefix_add(o, UINT32_MAX, t);
    for (; n < most && from < o->prefixes; n++) {
        rfi_reorder_free(o, from);
        if (o->goal != UINT32_MAX) return n;
        from = rfi_reorder_level(o, from);
    }
    return most;
}

/* How many turns it has. */
RFI_FN uint32_t rfi_reorder_length(const rfi_reordering *o) {
    uint32_t n = 0;
    for (uint32_t i = o->goal; i != UINT32_MAX; i = o->prefix[i].before) n++;
    return n;
}

RFI_FN uint32_t rfi_reorder_turns(const rfi_reordering *o, rfi_turn *turn) {
    uint32_t n = rfi_reorder_length(o), at = n;
    for (uint32_t i = o->goal; i != UINT32_MAX; i = o->prefix[i].before) {
        const rfi_prefix *p = &o->prefix[i];
        uint32_t before = p->before == UINT32_MAX ? 0 : o->prefix[p->before].done[p->thread];
        turn[--at] = (rfi_turn){.thread = p->thread, .steps = p->done[p->thread] - before};
    }
    return n;
}

/* Looks at an execution; false: it is too long. */
RFI_FN bool rfi_reorder_begin(rfi_reordering *o, const rfi_record *r) {
    o->r = r;
    o->moves = o->threads = 0;
    memset(o->all, 0, sizeof o->all);
    if (!rfi_reorder_cut(o)) return false;
    rfi_reorder_ties(o);
    return true;
}
#endif
#endif
