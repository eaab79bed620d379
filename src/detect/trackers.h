/* detect/trackers.h: clocks and lock sets that all running analyses share.
 *
 * There are three trackers: the clocks of either relation (engine/order.h), which are one until the
 * first event that the relations take differently, and the locks held (detect/lockset.h).  An
 * analysis says at its begin which of them it needs, and calls rfi_track_before() and
 * rfi_track_after() around its own work on every event.  Analyses get events in the order of their
 * begins, so for each kind of event the first analysis that wants it updates the trackers and the
 * last one closes the event: each event is taken once.
 *
 * Invariant: when an analysis gets an event, the trackers have taken it, except for what a write
 * sends: no detector may find another access ordered by the one that it checks
 * (docs/inside/internals.md, The event stream).
 */
#ifndef RFI_DETECT_TRACKERS_H
#define RFI_DETECT_TRACKERS_H
#include "detect/lockset.h"
#include "detect/sink.h"
#include "engine/order.h"

#ifdef RFI_IMPL
enum { RFI_TRACK_FULL = 1 << RFI_FULL, RFI_TRACK_RELAXED = 1 << RFI_RELAXED, RFI_TRACK_LOCKS = 4 };

typedef struct rfi_trackers {
    unsigned users;  /* analyses between begin and end */
    unsigned active; /* bit set of the above */
    uint32_t series; /* the first and last are known of */
    bool known;
    uint64_t wanted;                                           /* kinds of events that some want; */
    const rf_analysis *first[RF_EV_COUNT], *last[RF_EV_COUNT]; /* who, by kind */
    rfi_order order[RFI_RELATIONS];
    rfi_actors actors[RFI_RELATIONS];
    rfi_order *of[RFI_RELATIONS]; /* which of them tells of a relation: one of both, */
    bool one;                     /* until they part */
    unsigned kept;                /* bit set of those in use */
} rfi_trackers;

RFI_VAR rfi_trackers rfi_tracked;

/* What a user of clocks must ask the engine for, and what one of locks alone. */
/* clang-format off */
# define RFI_TRACK_MEMORY_EVENTS \
    (RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) | \
     RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_RECYCLE) | \
     RF_EV_BIT(RF_EV_CLAIM) | RF_EV_BIT(RF_EV_CLAIM_END))
# define RFI_TRACK_LOCK_EVENTS (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK))
# define RFI_TRACK_EVENTS (RFI_ORDER_EVENTS | RFI_TRACK_MEMORY_EVENTS)
/* clang-format on */

/* Who is first and last is the same in all executions of a series. */
RFI_FN RFI_APART void rfi_track_listeners(const rf_analysis *who) {
    rfi_trackers *k = &rfi_tracked;
    for (uint64_t kinds = who->events; kinds; kinds &= kinds - 1) {
        unsigned kind = (unsigned)__builtin_ctzll(kinds);
        if (!(k->wanted & RF_EV_BIT(kind))) k->first[kind] = who;
        k->last[kind] = who;
    }
    k->wanted |= who->events;
}

/* The second relation is the first one until they part. */
RFI_FN void rfi_track_relation(rfi_trackers *k, unsigned r) {
    k->one = k->kept != 0;
    k->of[r] = &k->order[r];
    if (k->one) {
        k->of[r] = k->of[!r];
    } else {
        rfi_order_begin(&k->order[r], r, &k->actors[r]);
        k->kept |= 1u << r;
    }
}

RFI_FN RFI_COLD void rfi_track_part(rfi_trackers *k) {
    unsigned r = k->kept == 1u << RFI_FULL ? RFI_RELAXED : RFI_FULL;
    rfi_order_copy(&k->order[r], r, &k->actors[r], k->of[r]);
    k->of[r] = &k->order[r];
    k->kept |= 1u << r;
    k->one = false;
}

/* An execution begins for `who`, which needs what `what` says. */
RFI_FN void rfi_track_begin(const rf_analysis *who, unsigned what) {
    rfi_trackers *k = &rfi_tracked;
    if (!k->users++) {
        k->known = rf_series() && k->series == rf_series();
        k->series = rf_series();
        k->active = k->kept = 0;
        k->one = false;
        k->wanted = 0;
        rfi_race_begin();
    }
    if (RFI_UNLIKELY(!k->known)) rfi_track_listeners(who);
    unsigned fresh = what & ~k->active;
    k->active |= what;
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (fresh & 1u << r) rfi_track_relation(k, r);
    if (fresh & RFI_TRACK_LOCKS) rfi_locksets_begin();
}

RFI_FN void rfi_track_end(void) { rfi_tracked.users--; }

RFI_INLINE rfi_actors *rfi_track_clocks(unsigned relation) {
    return rfi_tracked.of[relation]->actors;
}

/* What thread `t` knows in a relation. */
RFI_INLINE const rfi_actor *rfi_track_actor(unsigned relation, uint32_t t) {
    return rfi_actor_of(rfi_track_clocks(relation), t);
}

/* A memory event: what an atomic read learns. */
RFI_INLINE void rfi_track_read(const rf_event *e) {
    if (RFI_LIKELY(!(e->flags & RF_EV_ATOMIC)) || !(e->flags & RF_EV_READS)) return;
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (rfi_tracked.kept & 1u << r) rfi_order_load(&rfi_tracked.order[r], e);
}

/* What an atomic write sends, and what any other one ends. */
RFI_FN void rfi_track_write(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr;
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        if (!(rfi_tracked.kept & 1u << r)) continue;
        if (e->flags & RF_EV_ATOMIC)
            rfi_order_store(&rfi_tracked.order[r], e);
        else
            rfi_order_overwrite(&rfi_tracked.order[r], from, from + e->size);
    }
}

RFI_FN void rfi_track_synchronisation(const rf_event *e) {
    rfi_trackers *k = &rfi_tracked;
    if (k->active & RFI_TRACK_LOCKS && RF_EV_BIT(e->kind) & RFI_TRACK_LOCK_EVENTS)
        rfi_locksets_event(e);
    if (RFI_UNLIKELY(k->one) && RFI_PARTING_EVENTS & RF_EV_BIT(e->kind)) rfi_track_part(k);
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (k->kept & 1u << r) rfi_order_event(&k->order[r], e);
}

/* Is it about memory, and not about an object or a thread? */
RFI_INLINE bool rfi_track_memory(const rf_event *e) {
    return RF_EV_BIT(e->kind) & RFI_TRACK_MEMORY_EVENTS;
}

RFI_INLINE void rfi_track_before(const rf_analysis *who, const rf_event *e) {
    if (rfi_tracked.first[e->kind] != who) return;
    if (RFI_LIKELY(rfi_track_memory(e)))
        rfi_track_read(e);
    else
        rfi_track_synchronisation(e);
}

/* Some thread has used an atomic: plain writes may end a release sequence. */
RFI_INLINE bool rfi_track_atomics(void) {
    const rfi_order *o = rfi_tracked.order;
    unsigned kept = rfi_tracked.kept;
    return (kept & 1u << RFI_FULL && o[RFI_FULL].newest) ||
           (kept & 1u << RFI_RELAXED && o[RFI_RELAXED].newest);
}

RFI_FN RFI_APART bool rfi_track_atomic_at(uintptr_t granule) {
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        rfi_order *o = &rfi_tracked.order[r];
        if (rfi_tracked.kept & 1u << r && o->newest && rfi_shadow_get(&o->atomics, granule))
            return true;
    }
    return false;
}

/* A plain write to this granule may end a release sequence. */
RFI_INLINE bool rfi_track_ends(uintptr_t granule) {
    return RFI_UNLIKELY(rfi_track_atomics()) && rfi_track_atomic_at(granule);
}

RFI_INLINE void rfi_track_after(const rf_analysis *who, const rf_event *e) {
    if (!rfi_track_memory(e) || rfi_tracked.last[e->kind] != who) return;
    bool forget = e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE;
    if (!forget && !(e->flags & RF_EV_WRITES)) return;
    if (e->flags & RF_EV_ATOMIC || rfi_track_atomics()) rfi_track_write(e);
}
#endif
#endif
