/* explore/graph_values.h: choices that are none of threads: values, whom a signal wakes, and
 * whether a handler runs (hook/catches.h).
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_VALUES_H
#define RFI_EXPLORE_GRAPH_VALUES_H
#include "explore/graph_accessed.h"
#include "explore/graph_unroll.h"

#ifdef RFI_IMPL
/* A value is chosen; `offered`: whether a signal comes, by its number in what is known. */
RFI_FN uint32_t rfi_graphs_value(uint32_t n, uint8_t offered) {
    rfi_graphs *r = &rfi_g;
    rfi_graph *g = &r->graph;
    rfi_graphs_settle();
    uint32_t event = rfi_graphs_given(rfi_graphs_thread(rfi_given_thread()));
    if (event == RFI_NO_EVENT) {
        rfi_gevent e = {
            .kind = RFI_G_VALUE, .most = offered, .thread = rfi_graphs_thread(rfi_given_thread())};
        if (n > 1 && r->stack.walks) e.location = rfi_below(&r->dice, n);
        event = rfi_graphs_add(&e);
        rfi_gtalk_value(&r->talk, &e, n);
    } else if (g->event[event].kind != RFI_G_VALUE || g->event[event].location >= n) {
        rfi_graphs_leave(RFI_G_UNREPEATED);
        return 0;
    }
    rfi_graphs_done(event);
    return g->event[event].location;
}

/* Does the signal come that is offered?  Not if nobody has ever sent it, nor if nothing was done
 * since it was offered last. */
RFI_FN uint32_t rfi_graphs_offered(void) {
    uint64_t key = rfi_given_offers();
    uint32_t sent = rfi_gstack_at(&rfi_g.stack, RFI_G_SENT, key & ~UINT64_C(3)), when = key & 3;
    if (sent == RFI_G_SITES || rfi_graphs_repeating(rfi_given_thread())) return 0;
    const rfi_gthread *t = &rfi_g.graph.thread[rfi_graphs_thread(rfi_given_thread())];
    uint8_t offered = (uint8_t)(1 + sent * 3 + when);
    for (uint32_t i = t->executed; when != RFI_OFFER_WAIT && i--;) {
        const rfi_gevent *e = &rfi_g.graph.event[t->list.event[i]];
        if (!rfi_gevent_declines(e)) break;
        if (e->most == offered) return 0;
    }
    return rfi_graphs_value(2, offered);
}

RFI_FN uint32_t rfi_graphs_choose(uint32_t n) {
    rfi_choices *x = &rfi_g.choices;
    bool explores = x->way == RFI_WAY_EXPLORE && !rfi_g.talk.over;
    const rf_event *step = rfi_given_event(rfi_given_thread());
    const uint64_t wakers = RF_EV_BIT(RF_EV_SIGNAL) | RF_EV_BIT(RF_EV_BROADCAST);
    bool wakes = RF_EV_BIT(step->kind) & wakers || rfi_given_waking(step->thread);
    bool waits = step->kind == RF_EV_WAIT && !rfi_given_input();
    uint32_t value;
    if (explores && rfi_given_offers())
        value = rfi_graphs_offered();
    else if (explores && waits && rfi_given_unroll() &&
             rfi_graphs_unrolled_all(step, rfi_graphs_thread(step->thread)))
        value = 0; /* it will not begin */
    else if (!wakes || rfi_given_input())
        value = explores ? rfi_graphs_value(n, 0) : rfi_choices_given(x, n);
    else if (explores)
        value = rfi_graphs_picked(step, n);
    else /* drawn, it is not too late */
        value = rfi_choices_given(x, x->way == RFI_WAY_DRAW ? n - 1 : n);
    rfi_choices_made(x, value);
    return value;
}
#endif
#endif
