/* detect/pairs.h: every pair of racing statements (docs/internals.md, The detectors).
 *
 * Happens-before and hybrid ask the same question of the same accesses: is there an earlier one by
 * another thread, not ordered before this one, that conflicts with it?  They differ in the
 * relation, and hybrid asks for the locks too.  So there is one memory of accesses, each with its
 * thread's own clock in both relations, and one walk.  hb.h and hybrid.h switch their relation on;
 * when both run, the first drives and everything is done once.
 *
 * Memory.  A location keeps one record for each (site, kind, lock set, bytes) and thread, with the
 * newest clock: whatever a later access races with among those before, it races with the newest.
 * There is no window, so no pair is lost.  Two filters keep the records few and the pairs all:
 *   - an access is dropped when its thread has the same record with the same clocks: it has
 *     sent no message since, so nothing can be ordered between the two;
 *   - a record that is ordered before the access in all relations in use and is like it in all but
 *     its thread gives way to it.  What comes later and is not ordered after the old one is not
 *     ordered after the new one either, and its pair of statements is the same.
 *
 * Order inside an access: what an atomic read acquires, the check, the record, what a write
 * releases (docs/internals.md, The event stream).
 */
#ifndef RFI_DETECT_PAIRS_H
#define RFI_DETECT_PAIRS_H
#include "detect/trackers.h"

#ifdef RFI_IMPL
typedef struct rfi_access {
    struct rfi_access *next;
    const rf_site *site;
    uint32_t k[RFI_RELATIONS]; /* own clock of the thread; 0 where the relation is not in use */
    uint32_t thread, lockset, size;
    uint16_t flags;
    uint8_t mask; /* bytes of the granule */
} rfi_access;

/* The access that executes, and what its thread has heard of the others. */
typedef struct rfi_now {
    rfi_access access;
    const rfi_clock *clock[RFI_RELATIONS];
} rfi_now;

typedef struct rfi_pairs {
    unsigned users;  /* bit set of relations */
    unsigned driver; /* the user whose events count */
    const char *name[RFI_RELATIONS];
    rfi_shadow shadow; /* granule -> rfi_access list, newest first */
    rfi_access *spare;
} rfi_pairs;

static rfi_pairs rfi_pairs_state RFI_UNUSED;

RFI_FN void rfi_pairs_begin(unsigned relation, const rf_analysis *who) {
    rfi_pairs *d = &rfi_pairs_state;
    if (!d->users) {
        d->driver = relation;
        rfi_shadow_reset(&d->shadow);
        d->spare = NULL;
    }
    d->users |= 1u << relation;
    d->name[relation] = who->name;
    rfi_track_begin(who, 1u << relation | RFI_TRACK_LOCKS);
}

RFI_FN void rfi_pairs_end(unsigned relation) {
    rfi_pairs_state.users &= ~(1u << relation);
    rfi_track_end();
}

/* ---- the check ---- */

RFI_FN RFI_COLD void rfi_pairs_report(const rfi_access *a, const rfi_access *b, uintptr_t granule,
                                      unsigned relation) {
    uintptr_t addr = granule * RFI_GRANULE + (unsigned)__builtin_ctz(a->mask & b->mask);
    rfi_race r = {.by = rfi_pairs_state.name[relation],
                  .site = {a->site, b->site},
                  .flags = {a->flags, b->flags},
                  .thread = {a->thread, b->thread},
                  .size = {a->size, b->size},
                  .lockset = {a->lockset, b->lockset},
                  .addr = (const void *)addr,
                  .unordered = relation == RFI_FULL};
    rfi_race_report(&r);
}

/* Common bytes, a write among them, and not both atomic. */
RFI_INLINE bool rfi_pairs_conflict(const rfi_access *a, const rfi_access *b) {
    return (a->mask & b->mask) && ((a->flags | b->flags) & RF_EV_WRITES) &&
           !(a->flags & b->flags & RF_EV_ATOMIC);
}

RFI_INLINE bool rfi_pairs_alike(const rfi_access *a, const rfi_access *b) {
    return a->site == b->site && a->lockset == b->lockset && a->flags == b->flags &&
           a->mask == b->mask;
}

/* Bit set of the relations in which `a` is not ordered before the access of another thread. */
RFI_INLINE unsigned rfi_pairs_unordered(const rfi_access *a, const rfi_now *now) {
    unsigned set = 0;
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (a->k[r] > rfi_clock_get(now->clock[r], a->thread)) set |= 1u << r;
    return set;
}

RFI_INLINE bool rfi_pairs_redundant(const rfi_access *a, const rfi_access *b) {
    for (; a; a = a->next)
        if (a->thread == b->thread && rfi_pairs_alike(a, b) && a->k[RFI_FULL] == b->k[RFI_FULL] &&
            a->k[RFI_RELAXED] == b->k[RFI_RELAXED])
            return true;
    return false;
}

RFI_FN rfi_access *rfi_pairs_take(void) {
    rfi_pairs *d = &rfi_pairs_state;
    rfi_access *a = d->spare;
    if (!a) return rfi_arena_take(&d->shadow.arena, sizeof *a);
    d->spare = a->next;
    return a;
}

RFI_FN void rfi_pairs_drop(rfi_access *a) {
    a->next = rfi_pairs_state.spare;
    rfi_pairs_state.spare = a;
}

/* Checks the access against the records of one granule, then records it at the front. */
RFI_FN void rfi_pairs_granule(const rfi_now *now, uintptr_t granule, void **place) {
    const rfi_access *b = &now->access;
    rfi_access *list = *place, *record = NULL, *a;
    if (rfi_pairs_redundant(list, b)) return;
    for (rfi_access **link = &list; (a = *link);) {
        unsigned open = a->thread == b->thread ? 0 : rfi_pairs_unordered(a, now);
        if (!open && rfi_pairs_alike(a, b)) {
            *link = a->next;
            if (record) rfi_pairs_drop(record);
            record = a;
            continue;
        }
        if (open && rfi_pairs_conflict(a, b)) {
            if (open & 1u << RFI_FULL) rfi_pairs_report(a, b, granule, RFI_FULL);
            if (open & 1u << RFI_RELAXED && !rfi_lockset_protected(a->lockset, b->lockset))
                rfi_pairs_report(a, b, granule, RFI_RELAXED);
        }
        link = &a->next;
    }
    if (!record) record = rfi_pairs_take();
    *record = *b;
    record->next = list;
    *place = record;
}

/* Is it one that adds nothing?  For all users at once, without an event. */
RFI_FN bool rfi_pairs_lane(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                           bool writes) {
    rfi_pairs *d = &rfi_pairs_state;
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    if (offset + size > RFI_GRANULE || (writes && rfi_track_atomics())) return false;
    const rfi_access *list = rfi_shadow_get(&d->shadow, granule);
    if (!list) return false;
    rfi_access now = {.site = site,
                      .thread = thread,
                      .lockset = rfi_lockset_of(thread),
                      .flags = writes ? RF_EV_WRITES : RF_EV_READS,
                      .mask = (uint8_t)(((1u << size) - 1) << offset)};
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (d->users & 1u << r) now.k[r] = rfi_track_actor(r, thread)->own;
    return rfi_pairs_redundant(list, &now);
}

RFI_FN void rfi_pairs_access(const rf_event *e) {
    static const rfi_clock nothing = {0};
    rfi_pairs *d = &rfi_pairs_state;
    rfi_now now = {.access = {.site = e->site,
                              .thread = e->thread,
                              .lockset = rfi_lockset_of(e->thread),
                              .size = (uint32_t)e->size,
                              .flags = e->flags},
                   .clock = {&nothing, &nothing}};
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        if (!(d->users & 1u << r)) continue;
        const rfi_actor *a = rfi_track_actor(r, e->thread);
        now.access.k[r] = a->own;
        now.clock[r] = &a->clock;
    }
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        now.access.mask = rfi_shadow_mask(g, from, to);
        rfi_pairs_granule(&now, g, rfi_shadow_at(&d->shadow, g));
    }
}

/* The range [from, to) is something new now. */
RFI_FN void rfi_pairs_forget(uintptr_t from, uintptr_t to) {
    rfi_shadow *s = &rfi_pairs_state.shadow;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(s, g, end)) < end; g++) {
        rfi_access *list = rfi_shadow_get(s, g), *a;
        for (rfi_access **link = &list; (a = *link);) {
            a->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if (a->mask) {
                link = &a->next;
            } else {
                *link = a->next;
                rfi_pairs_drop(a);
            }
        }
        *rfi_shadow_at(s, g) = list;
    }
}

/* Plain accesses, atomic ones, and what happens to whole blocks. */
RFI_FN void rfi_pairs_memory(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE)
        rfi_pairs_forget(from, to);
    else if (!(e->flags & RF_EV_RACY))
        rfi_pairs_access(e);
}

/* An event, as `who`, the user of `relation`, gets it. */
RFI_FN void rfi_pairs_event(unsigned relation, const rf_analysis *who, const rf_event *e) {
    rfi_track_before(who, e);
    if (rfi_pairs_state.driver == relation && rfi_track_memory(e) && e->size) rfi_pairs_memory(e);
    rfi_track_after(who, e);
}
#endif
#endif
