/* engine/depend.h: which operations do not commute: what partial orders are made of. */
#ifndef RFI_ENGINE_DEPEND_H
#define RFI_ENGINE_DEPEND_H
#include "engine/state.h"

#ifdef RFI_IMPL
/* The synchronisation objects that an operation uses; 0: none. */
typedef struct rfi_uses {
    uint32_t object, other;
} rfi_uses;

RFI_INLINE rfi_uses rfi_uses_of(const rf_event *e) {
    const uint64_t blocks = RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE);
    if (blocks & RF_EV_BIT(e->kind)) return (rfi_uses){0, 0}; /* they have numbers of their own */
    return (rfi_uses){e->object, rfi_event_other(e)};
}

/* Both only share the lock, or leave the barrier. */
RFI_INLINE bool rfi_both_share(const rf_event *a, const rf_event *b) {
    return (a->flags & b->flags & RF_EV_SHARED) ||
           (a->kind == RF_EV_DEPART && b->kind == RF_EV_DEPART);
}

RFI_FN bool rfi_touch_same_bytes(const rf_event *a, const rf_event *b) {
    const char *p = a->addr, *q = b->addr;
    return ((a->flags | b->flags) & RF_EV_WRITES) && (a->flags & (RF_EV_READS | RF_EV_WRITES)) &&
           (b->flags & (RF_EV_READS | RF_EV_WRITES)) && p < q + b->size && q < p + a->size;
}

/* Does this object lie in the memory that `e` frees? */
RFI_FN bool rfi_frees_object(const rf_event *e, uint32_t number) {
    if (e->kind != RF_EV_FREE || number - 1 >= rfi.run.objects) return false;
    return (uintptr_t)rfi.object[number - 1].at - (uintptr_t)e->addr < e->size;
}

/* What it looks at who looks at all memory, and at whatever else threads change. */
RFI_VAR char rfi_all_there_is;

RFI_INLINE bool rfi_looks_at_all(const rf_event *e) {
    return e->kind == RF_EV_CALL && e->addr == &rfi_all_there_is;
}

/* Of what an operation touches: those without a common bit touch nothing in common. */
RFI_FN uint64_t rfi_event_bits(const rf_event *e) {
    uint64_t bits = 0, from = (uint64_t)(uintptr_t)e->addr >> 3;
    uint64_t to = e->size ? ((uint64_t)(uintptr_t)e->addr + e->size - 1) >> 3 : from;
    uint32_t other = rfi_event_other(e);
    if (e->object) bits |= UINT64_C(1) << (rfi_mix(e->object) >> 58);
    if (other) bits |= UINT64_C(1) << (rfi_mix(other) >> 58);
    if (to - from > 8 || rfi_looks_at_all(e)) return ~UINT64_C(0);
    for (; e->addr && from <= to; from++) bits |= UINT64_C(1) << (rfi_mix(~from) >> 58);
    return bits;
}

bool rf_moves_clock(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_SLEEP: return true;
    case RF_EV_WAKE:
        return rfi.thread[e->thread]->timed || rfi.thread[e->thread]->due ||
               e->value == RF_WAKE_TIMEOUT;
    case RF_EV_LOCK:
    case RF_EV_TRYFAIL:
    case RF_EV_PARK:
    case RF_EV_JOIN: return e->flags & RF_EV_TIMED;
    default: return false;
    }
}

bool rf_reads_clock(const rf_event *e) {
    return e->kind == RF_EV_CALL && e->addr == (const void *)&rfi.run.now;
}

bool rf_events_depend(const rf_event *a, const rf_event *b) {
    if (a->thread == b->thread || rfi_touch_same_bytes(a, b)) return true;
    if (rfi_looks_at_all(a) || rfi_looks_at_all(b)) return true;
    if ((rf_reads_clock(a) && rf_moves_clock(b)) || (rf_reads_clock(b) && rf_moves_clock(a)))
        return true;
    if ((rfi_asks(a) && a->other == b->thread) || (rfi_asks(b) && b->other == a->thread))
        return true;
    rfi_uses x = rfi_uses_of(a), y = rfi_uses_of(b);
    if (rfi_frees_object(a, y.object) || rfi_frees_object(a, y.other) ||
        rfi_frees_object(b, x.object) || rfi_frees_object(b, x.other))
        return true;
    bool same = (x.object && (x.object == y.object || x.object == y.other)) ||
                (x.other && (x.other == y.object || x.other == y.other));
    return same && !rfi_both_share(a, b);
}
#endif
#endif
