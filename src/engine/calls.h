/* engine/calls.h: the calls of an execution, and which of them came before which.
 *
 * A history (Herlihy and Wing, TOPLAS 12(3), 1990) under a memory model: call A is before call B
 * if A's return happens before B's call, by the full relation of engine/order.h.  What no clock
 * orders, the program can't rely on, whenever it ran.  Each call belongs to a lane, whose calls are
 * one behind the other: that of its thread.  So what is before a call is told by one number for
 * each lane: how many of its calls must have been made.
 *
 * The clocks are not those of the detectors, which may sleep, or be off.
 */
#ifndef RFI_ENGINE_CALLS_H
#define RFI_ENGINE_CALLS_H
#include "engine/order.h"
#include "engine/operation.h"

#ifdef RFI_IMPL
# define RFI_LANES 16u

typedef struct rfi_invocation {
    const rfi_operation *of;
    long long argument[RFI_ARGUMENTS];
    uint64_t result;
    uint32_t lane, thread;
    bool alone;               /* made before or after all other threads */
    uint32_t returned;        /* as so manyeth; 0: it has not */
    uint32_t own;             /* its thread's clock by then */
    uint32_t need[RFI_LANES]; /* RF_QUIESCENCE: [0], how many calls, of whatever lane */
} rfi_invocation;

typedef struct rfi_history {
    rfi_invocation *call; /* not its own */
    uint32_t calls, lanes, returned;
    uint32_t made, settled; /* settled: made when last nobody was in one */
    uint64_t which;         /* are made, of the first 64 */
    rf_criterion criterion;
    uint32_t *lane[RFI_LANES], length[RFI_LANES], capacity[RFI_LANES]; /* numbers of calls */
} rfi_history;

RFI_VAR struct {
    rfi_order order;
    rfi_actors actors;
    void (*watch)(const rf_event *e); /* NULL: nobody wants to see steps */
} rfi_calls;

RFI_FN void rfi_calls_begin(void) {
    rfi_calls.watch = NULL;
    rfi_order_begin(&rfi_calls.order, RFI_FULL, &rfi_calls.actors);
}

RFI_FN void rfi_calls_event(const rf_event *e) {
    if (RFI_UNLIKELY(rfi_calls.watch != NULL)) rfi_calls.watch(e);
    if (RFI_ORDER_EVENTS & RF_EV_BIT(e->kind))
        rfi_order_event(&rfi_calls.order, e);
    else if (e->flags & RF_EV_ATOMIC || rfi_calls.order.newest)
        rfi_order_access(&rfi_calls.order, e);
}

/* In the plan of every execution of a test that wants it. */
RFI_VAR const rf_analysis rfi_calls_analysis = {
    .name = "calls",
    .help = "which calls of a specified object happen before which",
    .events = RFI_ORDER_EVENTS | RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) |
              RF_EV_BIT(RF_EV_RMW) | RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) |
              RF_EV_BIT(RF_EV_RECYCLE),
    .begin = rfi_calls_begin,
    .event = rfi_calls_event};

RFI_FN void rfi_history_clear(rfi_history *h, uint32_t lanes) {
    h->calls = h->returned = h->made = h->settled = 0;
    h->which = 0;
    h->lanes = lanes;
    memset(h->length, 0, sizeof h->length);
}

/* A call is made in its lane. */
RFI_FN void rfi_history_add(rfi_history *h, const rfi_invocation *c) {
    uint32_t l = c->lane, n = h->length[l]++, number = (uint32_t)(c - h->call);
    if (h->made++ == h->returned) h->settled = h->made - 1;
    if (number < 64) h->which |= UINT64_C(1) << number;
    h->lane[l] = rfi_grow(h->lane[l], &h->capacity[l], n + 1, sizeof *h->lane[l]);
    h->lane[l][n] = number;
}

/* Is `d` before `c`, which a thread makes now, and of which `a` is known? */
RFI_FN bool rfi_invocation_after(const rfi_history *h, const rfi_invocation *d,
                                 const rfi_invocation *c, const rfi_actor *a) {
    if (!d->returned) return false;
    if (d->lane == c->lane || h->criterion == RF_REAL_TIME) return true;
    if (h->criterion == RF_PROGRAM_ORDER && !d->alone && !c->alone) return false;
    return d->thread == c->thread || rfi_clock_get(&a->clock, d->thread) >= d->own;
}

/* The running thread makes a call. */
RFI_FN void rfi_invocation_begin(rfi_history *h, rfi_invocation *c, uint32_t thread) {
    const rfi_actor *a = rfi_actor_of(&rfi_calls.actors, thread);
    c->thread = thread;
    for (uint32_t l = 0; l < h->lanes && h->criterion != RF_QUIESCENCE; l++) {
        uint32_t n = h->length[l];
        while (n && !rfi_invocation_after(h, &h->call[h->lane[l][n - 1]], c, a)) n--;
        c->need[l] = n;
    }
    rfi_history_add(h, c);
    if (h->criterion == RF_QUIESCENCE) c->need[0] = h->settled;
}

RFI_FN void rfi_invocation_end(rfi_history *h, rfi_invocation *c, uint64_t result) {
    c->result = result;
    c->own = rfi_actor_of(&rfi_calls.actors, c->thread)->own;
    c->returned = ++h->returned;
}
#endif
#endif
