/* spec/check.h: is there an order of these calls that explains their results?
 *
 * Depth first over the orders that keep what came before what, as in Wing and Gong (JPDC 17, 1993),
 * and no way twice from the same calls made and the same state (Lowe, CCPE 29(4), 2017).  Of the
 * calls that may be next, the one that returned first is tried first: where nothing is wrong it
 * nearly always fits, and the search takes as long as the history.
 *
 * The search can follow a history while it grows.  A call that has returned mostly goes behind the
 * order that explains those before; where it does not, the search goes back from there.  What has
 * led to nothing may lead to something with calls that were made since: that is forgotten.
 *
 * A call that has not returned may be in the order or not.  Where nobody can go on it is not, and
 * must wait after all the others.
 *
 * Candidates are the next calls of all lanes; with RF_QUIESCENCE, all calls of the time since last
 * nobody was in one, of which there are 64 at most, and their threads don't matter.
 */
#ifndef RFI_SPEC_CHECK_H
#define RFI_SPEC_CHECK_H
#include "base/hash.h"
#include "engine/calls.h"

#ifdef RFI_IMPL
/* What is known of a call at some place of an order. */
typedef enum rfi_fit { RFI_FIT, RFI_MISFIT, RFI_BLOCKS, RFI_BREAKS } rfi_fit;

typedef struct rfi_check {
    const rfi_history *history;
    /* Would call c, after those of the order so far, return what it returned? */
    rfi_fit (*fits)(struct rfi_check *x, const rfi_invocation *c);
    uint64_t (*state)(const struct rfi_check *x); /* after them; NULL: each order has its own */
    uint32_t made[RFI_LANES];                     /* of each lane, in the order so far */
    uint64_t in;                                  /* which calls are, of the first 64 */
    uint32_t *order, depth, left;                 /* left: that have returned, and are not in it */
    uint32_t *best, deepest;                      /* the longest that was found */
    uint64_t *tried;                              /* candidates, by depth */
    uint32_t earlier;                             /* depths below it: tried is of a search before */
    uint32_t order_capacity, best_capacity, tried_capacity;
    rfi_map seen; /* what has led to nothing */
    bool stuck;   /* calls that have not returned never will: they must wait */
    bool broken;  /* a call failed when it was made in such an order */
} rfi_check;

/* How many candidates there may be; what number one has. */
RFI_INLINE uint32_t rfi_check_width(const rfi_check *x) {
    const rfi_history *h = x->history;
    return h->criterion == RF_QUIESCENCE ? h->calls : h->lanes;
}

RFI_INLINE uint32_t rfi_check_number(const rfi_check *x, const rfi_invocation *c) {
    const rfi_history *h = x->history;
    return h->criterion == RF_QUIESCENCE ? (uint32_t)(c - h->call) : c->lane;
}

/* Candidate i, if all that must be before it is in the order; else NULL. */
RFI_FN const rfi_invocation *rfi_check_next(const rfi_check *x, uint32_t i) {
    const rfi_history *h = x->history;
    if (h->criterion == RF_QUIESCENCE)
        return h->which >> i & ~x->in >> i & 1 && x->depth >= h->call[i].need[0] ? &h->call[i]
                                                                                 : NULL;
    if (x->made[i] == h->length[i]) return NULL;
    const rfi_invocation *c = &h->call[h->lane[i][x->made[i]]];
    for (uint32_t l = 0; l < h->lanes; l++)
        if (x->made[l] < c->need[l]) return NULL;
    return c;
}

/* The candidate that returned first, of those that were not tried. */
RFI_FN const rfi_invocation *rfi_check_candidate(const rfi_check *x) {
    const rfi_invocation *first = NULL;
    for (uint32_t i = 0; i < rfi_check_width(x); i++) {
        if (x->tried[x->depth] >> i & 1) continue;
        const rfi_invocation *c = rfi_check_next(x, i);
        if (c && !(x->stuck && !c->returned) && (!first || c->returned - 1 < first->returned - 1))
            first = c;
    }
    return first;
}

RFI_FN uint64_t rfi_check_key(const rfi_check *x) {
    uint64_t h = rfi_mix(x->state(x));
    if (x->history->criterion == RF_QUIESCENCE) return rfi_mix(h + x->in);
    for (uint32_t l = 0; l < x->history->lanes; l++) h = rfi_mix(h + x->made[l]);
    return h;
}

/* A call that fits becomes the last one of the order. */
RFI_FN void rfi_check_push(rfi_check *x, const rfi_invocation *c) {
    uint32_t number = (uint32_t)(c - x->history->call);
    x->order[x->depth++] = number;
    x->made[c->lane]++;
    if (number < 64) x->in |= UINT64_C(1) << number;
    x->left -= c->returned != 0;
    x->tried[x->depth] = 0;
}

RFI_FN void rfi_check_back(rfi_check *x) {
    uint32_t number = x->order[--x->depth];
    const rfi_invocation *c = &x->history->call[number];
    x->made[c->lane]--;
    if (number < 64) x->in &= ~(UINT64_C(1) << number);
    x->left += c->returned != 0;
    if (x->depth >= x->earlier) return;
    x->earlier = x->depth;
    x->tried[x->depth] = UINT64_C(1) << rfi_check_number(x, c);
}

/* Takes a call into the order, if it fits and this does not lead where the search has been. */
RFI_FN void rfi_check_take(rfi_check *x, const rfi_invocation *c) {
    x->tried[x->depth] |= UINT64_C(1) << rfi_check_number(x, c);
    rfi_fit fit = x->fits(x, c);
    x->broken |= fit == RFI_BREAKS;
    if (fit != RFI_FIT) return;
    rfi_check_push(x, c);
    if (!x->state) return;
    uint64_t *seen = rfi_map_at(&x->seen, rfi_check_key(x));
    if ((*seen)++) rfi_check_back(x);
}

/* All calls that have returned are in the order: is that all? */
RFI_FN bool rfi_check_over(rfi_check *x) {
    for (uint32_t i = 0; i < rfi_check_width(x) && x->stuck; i++) {
        const rfi_invocation *c = rfi_check_next(x, i);
        if (c && x->fits(x, c) != RFI_BLOCKS) return false;
    }
    return true;
}

/* The order goes no further. */
RFI_FN void rfi_check_keep(rfi_check *x) {
    if (x->depth <= x->deepest) return;
    x->deepest = x->depth;
    memcpy(x->best, x->order, x->depth * sizeof *x->best);
}

RFI_FN void rfi_check_room(rfi_check *x) {
    uint32_t n = x->history->calls + 1;
    x->order = rfi_grow(x->order, &x->order_capacity, n, sizeof *x->order);
    x->best = rfi_grow(x->best, &x->best_capacity, n, sizeof *x->best);
    x->tried = rfi_grow(x->tried, &x->tried_capacity, n, sizeof *x->tried);
}

/* From the order that there is: true, x->order explains the history. */
RFI_FN bool rfi_check_go(rfi_check *x) {
    x->earlier = x->depth;
    x->tried[x->depth] = x->deepest = 0;
    x->broken = false;
    rfi_map_reset(&x->seen);
    for (;;) {
        if (!x->left && rfi_check_over(x)) return true;
        const rfi_invocation *c = rfi_check_candidate(x);
        if (c) {
            rfi_check_take(x, c);
            if (!x->broken) continue;
        }
        rfi_check_keep(x);
        if (!x->depth || x->broken) return false;
        rfi_check_back(x);
    }
}

/* The order is empty. */
RFI_FN void rfi_check_clear(rfi_check *x) {
    rfi_check_room(x);
    x->depth = 0;
    x->in = 0;
    x->left = x->history->returned;
    memset(x->made, 0, sizeof x->made);
}

RFI_FN bool rfi_check_search(rfi_check *x) {
    rfi_check_clear(x);
    return rfi_check_go(x);
}

/* Is the call in the order, which is the newest of its lane? */
RFI_INLINE bool rfi_check_has(const rfi_check *x, const rfi_invocation *c) {
    const rfi_history *h = x->history;
    if (h->criterion == RF_QUIESCENCE) return x->in >> (c - h->call) & 1;
    return x->made[c->lane] == h->length[c->lane];
}

/* The order explains the history but for this call, the last that has returned. */
RFI_FN bool rfi_check_more(rfi_check *x, const rfi_invocation *c) {
    rfi_check_room(x);
    if (!rfi_check_has(x, c)) {
        x->left++;
        if (rfi_check_next(x, rfi_check_number(x, c)) && x->fits(x, c) == RFI_FIT) {
            rfi_check_push(x, c);
            return true;
        }
    }
    while (rfi_check_has(x, c)) rfi_check_back(x);
    return rfi_check_go(x);
}

/* The longest order that was found becomes the order. */
RFI_FN void rfi_check_longest(rfi_check *x) {
    rfi_check_clear(x);
    for (uint32_t i = 0; i < x->deepest; i++) {
        const rfi_invocation *c = &x->history->call[x->best[i]];
        (void)x->fits(x, c);
        rfi_check_push(x, c);
    }
}
#endif
#endif
