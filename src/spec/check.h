/* spec/check.h: is there an order of these calls that explains their results?
 *
 * Depth first over the orders that keep what came before what, as in Wing and Gong (JPDC 17, 1993),
 * and no way twice from the same calls made and the same state (Lowe, CCPE 29(4), 2017).  Of the
 * calls that may be next, the one that returned first is tried first: where nothing is wrong it
 * nearly always fits, and the search takes as long as the history.
 *
 * A call that has not returned may be in the order or not.  Where nobody can go on it is not, and
 * must wait after all the others.
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
    uint32_t *order, depth, left;                 /* left: that have returned, and are not in it */
    uint32_t *best, deepest;                      /* the longest that was found */
    uint32_t made_best[RFI_LANES];
    uint32_t *tried; /* lanes, by depth */
    uint32_t order_capacity, best_capacity, tried_capacity;
    rfi_map seen; /* what has led to nothing */
    bool stuck;   /* calls that have not returned never will: they must wait */
    bool broken;  /* a call failed when it was made in such an order */
} rfi_check;

/* The next call of a lane, if all that must be before it is in the order; else NULL. */
RFI_FN const rfi_invocation *rfi_check_next(const rfi_check *x, const uint32_t *made,
                                            uint32_t lane) {
    const rfi_history *h = x->history;
    if (made[lane] == h->length[lane]) return NULL;
    const rfi_invocation *c = &h->call[h->lane[lane][made[lane]]];
    for (uint32_t l = 0; l < h->lanes; l++)
        if (made[l] < c->need[l]) return NULL;
    return c;
}

/* The candidate that returned first, of the lanes that were not tried. */
RFI_FN const rfi_invocation *rfi_check_candidate(const rfi_check *x) {
    const rfi_invocation *first = NULL;
    for (uint32_t l = 0; l < x->history->lanes; l++) {
        if (x->tried[x->depth] >> l & 1) continue;
        const rfi_invocation *c = rfi_check_next(x, x->made, l);
        if (c && !(x->stuck && !c->returned) && (!first || c->returned - 1 < first->returned - 1))
            first = c;
    }
    return first;
}

RFI_FN uint64_t rfi_check_key(const rfi_check *x) {
    uint64_t h = rfi_mix(x->state(x));
    for (uint32_t l = 0; l < x->history->lanes; l++) h = rfi_mix(h + x->made[l]);
    return h;
}

RFI_FN void rfi_check_back(rfi_check *x) {
    const rfi_invocation *c = &x->history->call[x->order[--x->depth]];
    x->made[c->lane]--;
    x->left += c->returned != 0;
}

/* Takes a call into the order, if it fits and this does not lead where the search has been. */
RFI_FN void rfi_check_take(rfi_check *x, const rfi_invocation *c) {
    x->tried[x->depth] |= UINT32_C(1) << c->lane;
    rfi_fit fit = x->fits(x, c);
    x->broken |= fit == RFI_BREAKS;
    if (fit != RFI_FIT) return;
    x->order[x->depth++] = (uint32_t)(c - x->history->call);
    x->made[c->lane]++;
    x->left -= c->returned != 0;
    x->tried[x->depth] = 0;
    if (!x->state) return;
    uint64_t *seen = rfi_map_at(&x->seen, rfi_check_key(x));
    if ((*seen)++) rfi_check_back(x);
}

/* All calls that have returned are in the order: is that all? */
RFI_FN bool rfi_check_over(rfi_check *x) {
    for (uint32_t l = 0; l < x->history->lanes && x->stuck; l++) {
        const rfi_invocation *c = rfi_check_next(x, x->made, l);
        if (c && x->fits(x, c) != RFI_BLOCKS) return false;
    }
    return true;
}

/* The order goes no further. */
RFI_FN void rfi_check_keep(rfi_check *x) {
    if (x->depth <= x->deepest) return;
    x->deepest = x->depth;
    memcpy(x->best, x->order, x->depth * sizeof *x->best);
    memcpy(x->made_best, x->made, sizeof x->made);
}

RFI_FN void rfi_check_begin(rfi_check *x) {
    uint32_t n = x->history->calls + 1;
    x->order = rfi_grow(x->order, &x->order_capacity, n, sizeof *x->order);
    x->best = rfi_grow(x->best, &x->best_capacity, n, sizeof *x->best);
    x->tried = rfi_grow(x->tried, &x->tried_capacity, n, sizeof *x->tried);
    x->depth = x->deepest = x->tried[0] = 0;
    x->left = x->history->returned;
    x->broken = false;
    memset(x->made, 0, sizeof x->made);
    memset(x->made_best, 0, sizeof x->made_best);
    rfi_map_reset(&x->seen);
}

/* True: x->order explains the history. */
RFI_FN bool rfi_check_search(rfi_check *x) {
    rfi_check_begin(x);
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
#endif
#endif
