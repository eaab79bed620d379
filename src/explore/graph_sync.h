/* explore/graph_sync.h: what operations on objects do to their states, and who waits for that.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_SYNC_H
#define RFI_EXPLORE_GRAPH_SYNC_H
#include "explore/graph.h"

#ifdef RFI_IMPL
/* Can the operation complete in this state? */
RFI_FN bool rfi_gsync_can(unsigned sync, const rfi_word *state) {
    switch (sync) {
    case RFI_G_LOCK:
    case RFI_G_LOCK_AHEAD: return !state->low && !(state->high & 1);
    case RFI_G_LOCK_SHARED: return !state->high;
    case RFI_G_TAKE: return state->low;
    case RFI_G_ONCE: return state->low != RFI_G_RUNNING;
    case RFI_G_HOLD:
    case RFI_G_SIGNAL:
    case RFI_G_REQUEUE: return !state->high;
    default: return true;
    }
}

/* The state that the operation leaves. */
RFI_FN rfi_word rfi_gsync_state(const rfi_gevent *e, rfi_word state) {
    switch (e->sync) {
    case RFI_G_LOCK:
    case RFI_G_HOLD: state.high |= 1; break;
    case RFI_G_LOCK_AHEAD: state.high--; break; /* a bit, and one that waits less */
    case RFI_G_COME: state.high += 2; break;
    case RFI_G_GO: state.high -= 2; break;
    case RFI_G_LEAVE:
    case RFI_G_UNLOCK:
    case RFI_G_UNLOCK_WAITING: state.high &= ~UINT64_C(1); break;
    case RFI_G_LOCK_SHARED:
    case RFI_G_CALL:
    case RFI_G_HEAR:
    case RFI_G_TELL:
    case RFI_G_POST: state.low++; break;
    case RFI_G_VIEW: break;
    case RFI_G_SEND: state.low = e->bits; break;
    case RFI_G_ONCE: state.low = RFI_G_RUNNING; break;
    case RFI_G_ONCE_DONE: state.low = RFI_G_FINISHED; break;
    case RFI_G_ENQUEUE: state = (rfi_word){state.low | UINT64_C(1) << e->thread, 0}; break;
    case RFI_G_SIGNAL: state.low &= ~(uint64_t)(e->pick.first | e->pick.second); break;
    case RFI_G_MOVE:
    case RFI_G_REQUEUE: state = (rfi_word){state.low & ~(uint64_t)e->pick.first, 0}; break;
    case RFI_G_ARRIVE: state.low = state.low + 1 == state.high ? 0 : state.low + 1; break;
    default: state.low--; break;
    }
    return state;
}

/* The write half of an update. */
RFI_FN rfi_gevent rfi_gevent_half(const rfi_gevent *read) {
    rfi_gevent w = *read;
    w.kind = RFI_G_WRITE;
    w.flags = RFI_G_UPDATES | (w.sync == RFI_G_HOLD ? RFI_G_SERIAL : w.flags & RFI_G_SERIAL);
    w.pick = (rfi_gpick){0, 0};
    w.number++;
    if (w.sync) w.order = w.sync >= RFI_G_UNLOCK ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
    return w;
}

/* Does it let those go on who wait for the one holder? */
RFI_INLINE bool rfi_gsync_frees(unsigned sync) {
    return sync == RFI_G_UNLOCK || (sync >= RFI_G_ENQUEUE && sync <= RFI_G_LEAVE);
}

/* Does one of its reads wait, having seen the newest state, but for `except`?  `keep`: of those
 * that are left; NULL: of all.  Who waits goes no further, so it is the last event of its thread.
 */
RFI_FN bool rfi_graph_blocks(const rfi_graph *g, uint32_t location, const uint8_t *keep,
                             uint32_t except) {
    const rfi_glocation *x = &g->location[location];
    for (uint32_t left = x->threads; left; left &= left - 1) {
        const rfi_glist *list = &g->thread[__builtin_ctz(left)].list;
        if (!list->count) continue;
        uint32_t last = list->event[list->count - 1];
        const rfi_gevent *e = &g->event[last];
        if (e->flags & RFI_G_BLOCKED && e->location == location && last != except &&
            (!keep || keep[last]) && rfi_graph_rank(g, last) == x->mo.count)
            return true;
    }
    return false;
}
#endif
#endif
