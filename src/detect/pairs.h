/* detect/pairs.h: every pair of racing statements (docs/inside/internals.md, The detectors).
 *
 * Happens-before and hybrid ask the same question of the same accesses: is there an earlier one by
 * another thread, not ordered before this one, that conflicts with it?  They differ in the
 * relation, and hybrid asks for the locks too.  So there is one memory of accesses, each with its
 * thread's own clock in both relations, and one walk.  hb.h and hybrid.h switch their relation on;
 * when both run, the first drives and everything is done once.
 *
 * Memory.  A location keeps one record for each (site, kind, lock set, bytes): the newest access of
 * that kind, and beside it, in each relation, a crowd (detect/crowd.h) of the other threads that
 * made it, each with its newest clock: whatever a later access races with among those before, it
 * races with the newest.  There is no window, so no pair is lost.  Two filters keep the crowds
 * small and the pairs all, in each relation by itself:
 *   - an access is dropped when its thread stands in the record with the same clock: it has sent no
 *     message since, so nothing can be ordered between the two;
 *   - an access that is ordered before the new one and like it in all but its thread gives way to
 *     it.  What comes later and is not ordered after the old one is not ordered after the new one
 *     either, and its pair of statements is the same.
 *
 * Witness.  Of each record at most one access is reported in a relation: the newest if it races,
 * otherwise one of its crowd.  Pairs are pairs of statements, so a second one adds nothing.  And
 * hybrid skips records that a common lock protects.
 *
 * While both relations are one (detect/trackers.h), so are the crowds: those of the full relation.
 *
 * Order inside an access: what an atomic read acquires, the check, the record, what a write
 * releases (docs/inside/internals.md, The event stream).
 * Optimised: fully, each access runs it.
 */
#ifndef RFI_DETECT_PAIRS_H
#define RFI_DETECT_PAIRS_H
#include "detect/crowd.h"
#include "detect/trackers.h"

#ifdef RFI_IMPL
typedef struct rfi_others {
    struct rfi_others *earlier; /* made before, anywhere */
    rfi_crowd by[RFI_RELATIONS];
} rfi_others;

typedef struct rfi_access {
    struct rfi_access *next;
    const rf_site *site;
    rfi_others *others;        /* threads that made it before; NULL: there has been one only */
    uint32_t k[RFI_RELATIONS]; /* own clock of the thread; 0 where the relation is not in use */
    uint32_t thread, size, lockset;
    uint16_t flags;
    uint8_t mask; /* bytes of the granule */
    /* Of this record and those behind it, when it was the first of a granule: */
    uint32_t all;   /* bytes, by kind of access (below) */
    uint64_t after; /* the first 64 threads that are known to come after all plain accesses */
} rfi_access;

/* The access that executes, and what its thread has heard of the others. */
typedef struct rfi_now {
    rfi_access access;
    rfi_hearer hearer[RFI_RELATIONS];
} rfi_now;

typedef struct rfi_pairs {
    unsigned users;      /* bit set of relations, */
    unsigned begin, end; /* of which these have crowds of their own: */
    bool one;            /* they are one */
    rfi_others *others;  /* the newest */
    unsigned driver;     /* the user whose events count, */
    const rf_analysis *drives;
    const char *name[RFI_RELATIONS];
    rfi_shadow shadow; /* granule -> rfi_access list, newest first */
    rfi_access *spare;
    rfi_access *block; /* by number: the allocation, if it was among other threads */
    uint32_t blocks, block_capacity;
} rfi_pairs;

RFI_VAR rfi_pairs rfi_pairs_state;

RFI_FN void *rfi_pairs_copy(rfi_shadow *s, const void *what);

RFI_FN void rfi_pairs_begin(unsigned relation, const rf_analysis *who) {
    rfi_pairs *d = &rfi_pairs_state;
    if (!d->users) {
        d->driver = relation;
        d->drives = who;
        rfi_shadow_reset(&d->shadow);
        d->shadow.copy = rfi_pairs_copy;
        d->spare = NULL;
        d->others = NULL;
        d->blocks = 0;
    }
    d->users |= 1u << relation;
    d->name[relation] = who->name;
    rfi_track_begin(d->drives, 1u << relation | RFI_TRACK_LOCKS);
    d->one = d->users == (1u << RFI_RELATIONS) - 1 && rfi_tracked.one;
    d->begin = d->users & 1u << RFI_FULL ? RFI_FULL : RFI_RELAXED;
    d->end = d->users & 1u << RFI_RELAXED && !d->one ? RFI_RELATIONS : RFI_RELAXED;
}

/* The relations have parted. */
RFI_FN RFI_COLD void rfi_pairs_part(void) {
    rfi_pairs *d = &rfi_pairs_state;
    for (rfi_others *o = d->others; o; o = o->earlier)
        rfi_crowd_copy(&o->by[RFI_RELAXED], &o->by[RFI_FULL], &d->shadow.arena);
    d->one = false;
    d->end = RFI_RELATIONS;
}

RFI_INLINE void rfi_pairs_settle(void) {
    if (RFI_UNLIKELY(rfi_pairs_state.one && !rfi_tracked.one)) rfi_pairs_part();
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
    return !(a->flags & b->flags & RF_EV_ATOMIC) && (a->mask & b->mask) &&
           ((a->flags | b->flags) & RF_EV_WRITES);
}

/* The bytes of an access as a part of `all`: a byte for each kind, plain reads, plain writes,
 * atomic reads, atomic writes. */
RFI_INLINE uint32_t rfi_pairs_kind(const rfi_access *a) {
    return (a->flags & RF_EV_ATOMIC ? 2u : 0u) + (a->flags & RF_EV_WRITES ? 1u : 0u);
}

RFI_INLINE uint32_t rfi_pairs_bytes(const rfi_access *a) {
    return (uint32_t)a->mask << 8 * rfi_pairs_kind(a);
}

/* Does an access conflict with any record of the granule that `first` is the first of? */
RFI_INLINE bool rfi_pairs_conflicts(const rfi_access *first, const rfi_access *b) {
    static const uint32_t against[] = {0xff00ff00, 0xffffffff, 0x0000ff00, 0x0000ffff};
    return first->all & against[rfi_pairs_kind(b)] & b->mask * UINT32_C(0x01010101);
}

/* No two records of a granule are alike.  Joined without && since compilers make one comparison in
 * memory of that, and wait for the parts of a new access to get there. */
RFI_INLINE bool rfi_pairs_alike(const rfi_access *a, const rfi_access *b) {
    return a->site == b->site && !((a->lockset ^ b->lockset) | (unsigned)(a->flags ^ b->flags) |
                                   (unsigned)(a->mask ^ b->mask));
}

/* Is the newest access of a record not ordered before the one that executes? */
RFI_INLINE bool rfi_pairs_open(const rfi_access *a, const rfi_hearer *h, unsigned relation) {
    return a->thread != h->thread && a->k[relation] > rfi_clock_get(h->heard, a->thread);
}

RFI_FN RFI_APART bool rfi_pairs_after_all(rfi_access *first, const rfi_now *now) {
    const rfi_pairs *d = &rfi_pairs_state;
    for (const rfi_access *a = first; a; a = a->next)
        for (unsigned r = d->begin; r < d->end && !(a->flags & RF_EV_ATOMIC); r++) {
            const rfi_hearer *h = &now->hearer[r];
            if (rfi_pairs_open(a, h, r)) return false;
            if (a->others && !rfi_crowd_before(&a->others->by[r], h)) return false;
        }
    first->after |= UINT64_C(1) << now->access.thread;
    return true;
}

/* Does an atomic access come after all plain ones of the granule?  Then so does what its thread
 * does later, until there is another one. */
RFI_INLINE bool rfi_pairs_after(rfi_access *first, const rfi_now *now) {
    const rfi_access *b = &now->access;
    if (!(b->flags & RF_EV_ATOMIC) || b->thread >= 64) return false;
    if (first->after >> b->thread & 1) return true;
    return rfi_pairs_after_all(first, now);
}

/* Bit set of the relations in which the record says nothing of this thread at this clock. */
RFI_INLINE unsigned rfi_pairs_lacks(const rfi_access *a, const rfi_access *b) {
    const rfi_pairs *d = &rfi_pairs_state;
    if (RFI_LIKELY(a->thread == b->thread))
        return (unsigned)(a->k[RFI_FULL] != b->k[RFI_FULL]) << RFI_FULL |
               (unsigned)(a->k[RFI_RELAXED] != b->k[RFI_RELAXED]) << RFI_RELAXED;
    unsigned lacks = d->users;
    for (unsigned r = d->begin; r < d->end && a->others; r++) {
        const rfi_crowd *c = &a->others->by[r];
        if (!c->count) continue;
        const rfi_mate *m = rfi_crowd_at(c, b->thread);
        if (m->thread && m->k == b->k[r]) lacks &= d->one ? 0 : ~(1u << r);
    }
    return lacks;
}

/* Bit set of the relations in which an access says something new. */
RFI_INLINE unsigned rfi_pairs_news(const rfi_access *a, const rfi_access *b) {
    for (; a; a = a->next)
        if (rfi_pairs_alike(a, b)) return rfi_pairs_lacks(a, b);
    return rfi_pairs_state.users;
}

/* Checks the access that executes against a record, in some relations. */
RFI_FN void rfi_pairs_check(const rfi_access *a, const rfi_now *now, uintptr_t granule,
                            unsigned relations) {
    const rfi_pairs *d = &rfi_pairs_state;
    const rfi_access *b = &now->access;
    for (unsigned r = d->begin; r < d->end; r++) {
        const rfi_hearer *h = &now->hearer[r];
        unsigned asked = d->one ? relations : relations & 1u << r;
        bool open = asked && rfi_pairs_open(a, h, r);
        if (!open && !(asked && a->others && a->others->by[r].count)) continue;
        if (rfi_lockset_protected(a->lockset, b->lockset)) asked &= ~(1u << RFI_RELAXED);
        if (!asked) continue;
        rfi_access other = *a;
        if (!open) {
            const rfi_mate *m = rfi_crowd_open(&a->others->by[r], a->thread, h);
            if (!m) continue;
            other.thread = m->thread - 1;
            other.size = m->size;
        }
        for (unsigned of = 0; of < RFI_RELATIONS; of++)
            if (asked & 1u << of) rfi_pairs_report(&other, b, granule, of);
    }
}

/* ---- the record ---- */

RFI_FN rfi_access *rfi_pairs_take(void) {
    rfi_pairs *d = &rfi_pairs_state;
    rfi_access *a = d->spare;
    if (!a) return rfi_arena_take(&d->shadow.arena, sizeof *a);
    d->spare = a->next;
    for (unsigned r = d->begin; r < d->end && a->others; r++) rfi_crowd_clear(&a->others->by[r]);
    return a;
}

RFI_FN RFI_APART rfi_others *rfi_others_new(void) {
    rfi_pairs *d = &rfi_pairs_state;
    rfi_others *o = rfi_arena_take(&d->shadow.arena, sizeof *o);
    o->earlier = d->others;
    return d->others = o;
}

RFI_FN void rfi_pairs_drop(rfi_access *a) {
    a->next = rfi_pairs_state.spare;
    rfi_pairs_state.spare = a;
}

/* A granule's records once more (rfi_shadow.copy). */
RFI_FN void *rfi_pairs_copy(rfi_shadow *s, const void *what) {
    rfi_access *list = NULL, **end = &list;
    for (const rfi_access *from = what; from; from = from->next) {
        rfi_access *a = *end = rfi_pairs_take();
        rfi_others *others = a->others;
        *a = *from;
        a->others = others;
        end = &a->next;
        for (unsigned r = rfi_pairs_state.begin; r < rfi_pairs_state.end && from->others; r++) {
            if (!a->others) a->others = rfi_others_new();
            rfi_crowd_copy(&a->others->by[r], &from->others->by[r], &s->arena);
        }
    }
    return list;
}

/* Another thread's access becomes one of the crowd. */
RFI_FN void rfi_pairs_put(rfi_access *a, unsigned relation, rfi_mate m, const rfi_hearer *h) {
    if (!a->others) a->others = rfi_others_new();
    rfi_crowd_put(&a->others->by[relation], m, h, &rfi_pairs_state.shadow.arena);
}

/* The access that executes becomes the newest of a record. */
RFI_INLINE void rfi_pairs_renew(rfi_access *a, const rfi_now *now) {
    for (unsigned r = rfi_pairs_state.begin; r < rfi_pairs_state.end; r++) {
        const rfi_hearer *h = &now->hearer[r];
        if (a->others && rfi_crowd_before(&a->others->by[r], h)) rfi_crowd_clear(&a->others->by[r]);
        if (rfi_pairs_open(a, h, r))
            rfi_pairs_put(a, r, (rfi_mate){a->thread + 1, a->k[r], a->size}, h);
    }
    memcpy(a->k, now->access.k, sizeof a->k);
    a->thread = now->access.thread;
    a->size = now->access.size;
}

/* Nobody has accessed this memory since it was allocated.  If somebody has, it is enough to compare
 * others with that. */
RFI_FN RFI_APART void rfi_pairs_first(const rfi_now *now, uintptr_t granule) {
    rfi_pairs *d = &rfi_pairs_state;
    uint32_t n = rf_block_number((const void *)(granule * RFI_GRANULE));
    if (!n || n > d->blocks || !(d->users & 1u << RFI_FULL)) return;
    rfi_access made = d->block[n - 1];
    made.mask = now->access.mask;
    if (made.site) rfi_pairs_check(&made, now, granule, 1u << RFI_FULL);
}

/* The access is recorded at the front: in the record like it, which follows `before`, or if there
 * is none in a new one. */
RFI_FN RFI_APART void rfi_pairs_record(const rfi_now *now, void **place, rfi_access *like,
                                       rfi_access *before) {
    rfi_access *first = *place;
    uint64_t after = first && now->access.flags & RF_EV_ATOMIC ? first->after : 0;
    if (like) {
        rfi_pairs_renew(like, now);
        like->after = after;
        if (!before) return;
        before->next = like->next;
    } else {
        like = rfi_pairs_take();
        rfi_others *others = like->others;
        *like = now->access;
        like->others = others;
    }
    like->all = rfi_pairs_bytes(like) | (first ? first->all : 0);
    like->after = after;
    like->next = first;
    *place = like;
}

/* Checks the access against the records of one granule if it says something new, and records it. */
RFI_INLINE void rfi_pairs_granule(const rfi_now *now, uintptr_t granule, void **place) {
    const rfi_access *b = &now->access;
    unsigned news = rfi_pairs_state.users;
    rfi_access *first = *place, *like = first, *before = NULL;
    for (; like && !rfi_pairs_alike(like, b); like = like->next) before = like;
    if (like && !(news = rfi_pairs_lacks(like, b))) return;
    if (RFI_UNLIKELY(!first)) {
        if (RFI_UNLIKELY(rfi_pairs_state.blocks)) rfi_pairs_first(now, granule);
    } else if (RFI_UNLIKELY(rfi_pairs_conflicts(first, b)) && !rfi_pairs_after(first, now)) {
        for (rfi_access *a = first; a; a = a->next)
            if (rfi_pairs_conflict(a, b)) rfi_pairs_check(a, now, granule, news);
    }
    rfi_pairs_record(now, place, like, before);
}

RFI_INLINE void rfi_pairs_hear(rfi_now *now, unsigned relation) {
    rfi_hearer *h = &now->hearer[relation];
    const rfi_actor *a = rfi_track_actor(relation, now->access.thread);
    h->thread = now->access.thread;
    now->access.k[relation] = h->own = a->own;
    h->heard = &a->clock;
}

/* What executes, on no bytes yet.  Written in place, field by field: it is read at once, and would
 * have to wait for copies. */
RFI_INLINE void rfi_pairs_now(rfi_now *now, uint32_t thread, const rf_site *site, size_t size,
                              uint16_t flags) {
    const rfi_pairs *d = &rfi_pairs_state;
    rfi_access *b = &now->access;
    b->next = NULL;
    b->site = site;
    b->others = NULL;
    b->thread = thread;
    b->size = (uint32_t)size;
    b->lockset = rfi_lockset_of(thread);
    b->flags = flags;
    b->k[RFI_FULL] = b->k[RFI_RELAXED] = 0;
    if (d->begin == RFI_FULL) rfi_pairs_hear(now, RFI_FULL);
    if (d->end == RFI_RELATIONS) rfi_pairs_hear(now, RFI_RELAXED);
    if (d->one) b->k[RFI_RELAXED] = b->k[RFI_FULL];
}

RFI_FN RFI_APART bool rfi_pairs_lane_news(uint32_t thread, const rf_site *site, const void *addr,
                                          size_t size, bool writes, void **place) {
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    rfi_now now;
    rfi_pairs_now(&now, thread, site, size, writes ? RF_EV_WRITES : RF_EV_READS);
    now.access.mask = (uint8_t)(((1u << size) - 1) << offset);
    rfi_pairs_granule(&now, granule, place);
    return true;
}

/* A plain access of one granule, for all users at once, without an event. */
RFI_FN bool rfi_pairs_lane(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                           bool writes) {
    rfi_pairs *d = &rfi_pairs_state;
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    if (offset + size > RFI_GRANULE || (writes && rfi_track_ends(granule))) return false;
    rfi_region *region = rfi_shadow_region(&d->shadow, granule);
    if (RFI_UNLIKELY(!region)) return false;
    rfi_access now = {.site = site,
                      .thread = thread,
                      .lockset = rfi_lockset_of(thread),
                      .flags = writes ? RF_EV_WRITES : RF_EV_READS,
                      .mask = (uint8_t)(((1u << size) - 1) << offset)};
    rfi_pairs_settle();
    for (unsigned r = d->begin; r < d->end; r++) {
        const rfi_actors *actors = rfi_track_clocks(r);
        if (RFI_UNLIKELY(thread >= actors->count)) return false;
        now.k[r] = actors->thread[thread].own;
    }
    if (d->one) now.k[RFI_RELAXED] = now.k[RFI_FULL];
    void **place = &region->at[granule % RFI_REGION];
    if (RFI_LIKELY(!rfi_pairs_news(*place, &now))) return true;
    return rfi_pairs_lane_news(thread, site, addr, size, writes, place);
}

RFI_FN void rfi_pairs_access(const rf_event *e) {
    rfi_now now;
    rfi_pairs_now(&now, e->thread, e->site, e->size, e->flags);
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (RFI_LIKELY(from / RFI_GRANULE == (to - 1) / RFI_GRANULE)) {
        uintptr_t g = from / RFI_GRANULE;
        now.access.mask = (uint8_t)(((1u << e->size) - 1) << from % RFI_GRANULE);
        rfi_pairs_granule(&now, g, rfi_shadow_at(&rfi_pairs_state.shadow, g));
        return;
    }
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        uintptr_t granule = g;
        now.access.mask = rfi_shadow_mask(g, from, to);
        rfi_pairs_granule(&now, granule, rfi_shadow_part(&rfi_pairs_state.shadow, &g, from, to));
    }
}

/* ---- memory that becomes something else ---- */

/* Record `a` takes over what an older record like it knows. */
RFI_FN void rfi_pairs_merge(rfi_access *a, rfi_access *old) {
    static const rfi_clock nothing = {0};
    const rfi_hearer newest = {.thread = a->thread, .heard = &nothing};
    for (unsigned r = rfi_pairs_state.begin; r < rfi_pairs_state.end; r++) {
        if (rfi_pairs_open(old, &newest, r))
            rfi_pairs_put(a, r, (rfi_mate){old->thread + 1, old->k[r], old->size}, &newest);
        for (uint32_t i = 0; old->others && i < old->others->by[r].size; i++) {
            rfi_mate m = old->others->by[r].slot[i];
            if (m.thread && m.thread != a->thread + 1) rfi_pairs_put(a, r, m, &newest);
        }
    }
    rfi_pairs_drop(old);
}

/* The range [from, to) is something new now. */
RFI_FN void rfi_pairs_forget(uintptr_t from, uintptr_t to) {
    rfi_shadow *s = &rfi_pairs_state.shadow;
    RFI_EACH_GRANULE(s, g, from, to) {
        rfi_access *list = rfi_shadow_get(s, g), *a;
        uint8_t gone = rfi_shadow_mask(g, from, to);
        for (rfi_access **link = &list; (a = *link);) {
            rfi_access *like = list;
            a->mask &= (uint8_t)~gone;
            while (like != a && !rfi_pairs_alike(like, a)) like = like->next;
            if (a->mask && like == a) {
                link = &a->next;
                continue;
            }
            *link = a->next;
            if (a->mask)
                rfi_pairs_merge(like, a);
            else
                rfi_pairs_drop(a);
        }
        *rfi_shadow_at(s, g) = list;
    }
}

/* A block was allocated while there were other threads. */
RFI_FN void rfi_pairs_made(const rf_event *e) {
    rfi_pairs *d = &rfi_pairs_state;
    rfi_now now;
    d->block = rfi_grow(d->block, &d->block_capacity, e->object, sizeof *d->block);
    while (d->blocks < e->object) d->block[d->blocks++] = (rfi_access){.site = NULL};
    rfi_pairs_now(&now, e->thread, e->site, e->size, RF_EV_WRITES | RF_EV_MAKES | RF_EV_RANGE);
    d->block[e->object - 1] = now.access;
}

/* Plain accesses, atomic ones, and what happens to whole blocks. */
RFI_FN void rfi_pairs_memory(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    rfi_pairs_settle();
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE) {
        rfi_pairs_forget(from, to);
        if (e->flags & RF_EV_MAKES) rfi_pairs_made(e);
    } else if (!(e->flags & RF_EV_RACY))
        rfi_pairs_access(e);
}

/* An event, as the user of `relation` gets it. */
RFI_FN void rfi_pairs_event(unsigned relation, const rf_event *e) {
    const rf_analysis *who = rfi_pairs_state.drives;
    if (rfi_pairs_state.driver != relation) return;
    rfi_track_before(who, e);
    if (rfi_track_memory(e) && e->size) rfi_pairs_memory(e);
    rfi_track_after(who, e);
}
#endif
#endif
