/* campaign/orders.h: the partial orders that executions have had, as a set that can be merged.
 *
 * Of each is known whether it was seen once or more often: that is what the estimate of I. J. Good
 * (The population frequencies of species, Biometrika 40, 1953, after Turing) needs: another sample
 * is of a new kind with a probability of about (kinds seen once) / (samples).
 *
 * Memory is bounded by distinct sampling (P. B. Gibbons, S. Tirthapura, SPAA 2001): when there are
 * too many, only those whose lowest bits are zero are kept, all that were seen of them, and stand
 * for the rest.  The set depends on what was added, not on its order or on how it was merged.
 */
#ifndef RFI_CAMPAIGN_ORDERS_H
#define RFI_CAMPAIGN_ORDERS_H
#include "engine/state.h"

#ifdef RFI_IMPL
# define RFI_ORDERS        16384u              /* at most */
# define RFI_ORDERS_RECENT 16u                 /* a power of two */
# define RFI_ORDER_AGAIN   (UINT64_C(1) << 63) /* it was seen more than once */

typedef struct rfi_orders {
    uint64_t executions;
    uint32_t used, mask; /* of the slots in use; at most half of them are full */
    uint32_t level;      /* only those with so many zeros at the end are kept */
    uint64_t slot[2 * RFI_ORDERS];
    uint64_t recent[RFI_ORDERS_RECENT]; /* some that were seen again: nothing to do for them */
} rfi_orders;

RFI_FN void rfi_orders_reset(rfi_orders *o) {
    if (o->used) {
        memset(o->slot, 0, (o->mask + 1) * sizeof *o->slot);
        memset(o->recent, 0, sizeof o->recent);
    }
    o->executions = 0;
    o->used = o->level = 0;
    o->mask = 127;
}

RFI_INLINE uint64_t *rfi_order_probe(rfi_orders *o, uint64_t order) {
    uint32_t i = (uint32_t)(order >> 16) & o->mask;
    while (o->slot[i] && (o->slot[i] & ~RFI_ORDER_AGAIN) != order) i = (i + 1) & o->mask;
    return &o->slot[i];
}

RFI_INLINE bool rfi_order_kept(const rfi_orders *o, uint64_t order) {
    return !(order & ((UINT64_C(1) << o->level) - 1));
}

/* Gives a full set more slots, or, where it may not grow, fewer members. */
RFI_FN RFI_COLD void rfi_orders_settle(rfi_orders *o) {
    static uint64_t old[2 * RFI_ORDERS];
    uint32_t slots = o->mask + 1;
    memcpy(old, o->slot, slots * sizeof *old);
    memset(o->slot, 0, slots * sizeof *old);
    if (slots < RFI_LENGTH(o->slot))
        o->mask = o->mask * 2 + 1;
    else
        o->level++;
    o->used = 0;
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t order = old[i] & ~RFI_ORDER_AGAIN;
        if (!old[i] || !rfi_order_kept(o, order)) continue;
        *rfi_order_probe(o, order) = old[i];
        o->used++;
    }
}

/* How many orders a member stands for. */
RFI_INLINE uint64_t rfi_order_weight(const rfi_orders *o) { return UINT64_C(1) << o->level; }

/* True: it is new, and kept. */
RFI_FN bool rfi_orders_put(rfi_orders *o, uint64_t member) {
    uint64_t order = member & ~RFI_ORDER_AGAIN;
    if (!rfi_order_kept(o, order)) return false;
    uint64_t *slot = rfi_order_probe(o, order);
    bool fresh = !*slot;
    *slot = fresh ? member : *slot | RFI_ORDER_AGAIN;
    o->used += fresh;
    while (o->used * 2 > o->mask) rfi_orders_settle(o);
    return fresh;
}

/* An execution had this order. */
RFI_INLINE void rfi_orders_add(rfi_orders *o, uint64_t order) {
    o->executions++;
    order &= ~RFI_ORDER_AGAIN;
    if (RFI_UNLIKELY(!order)) order = RFI_GOLDEN & ~RFI_ORDER_AGAIN;
    uint64_t *recent = &o->recent[order >> 16 & (RFI_ORDERS_RECENT - 1)];
    if (RFI_UNLIKELY(*recent != order) && !rfi_orders_put(o, order)) *recent = order;
}

/* How many of those in `from` were new to `to`; about, if members stand for others. */
RFI_FN uint64_t rfi_orders_merge(rfi_orders *to, const rfi_orders *from) {
    uint64_t fresh = 0;
    to->executions += from->executions;
    while (to->level < from->level) rfi_orders_settle(to);
    for (uint32_t i = 0; from->used && i <= from->mask; i++)
        if (from->slot[i]) fresh += rfi_orders_put(to, from->slot[i]) * rfi_order_weight(to);
    return fresh < from->executions ? fresh : from->executions;
}

/* How many there are; `once`: how many were seen once. */
RFI_FN uint64_t rfi_orders_count(const rfi_orders *o, bool once) {
    uint64_t n = 0;
    for (uint32_t i = 0; o->used && i <= o->mask; i++)
        n += o->slot[i] && !(once && o->slot[i] & RFI_ORDER_AGAIN);
    return n * rfi_order_weight(o);
}
#endif
#endif
