/* detect/lives.h: synchronisation objects that are used while they are made or ended.
 *
 * To initialise or destroy an object, or to free the block it is in, is a write to it, any
 * operation on it a read, by happens-before (detect/hb.h).  An operation touches its object before
 * it does what it is for, so what it acquires does not order it.  Of each object the last making
 * and the last use by each thread since then are kept: one comparison a use.  Relaxed orders are
 * not asked: who has dropped an object under its own lock is ordered before who then destroys it.
 */
#ifndef RFI_DETECT_LIVES_H
#define RFI_DETECT_LIVES_H
#include "detect/trackers.h"

#ifdef RFI_IMPL
# define RFI_LIFE_BYTES 4u /* no two objects begin in the same ones */
# define RFI_LIVES_EVENTS                                                                       \
  (RFI_USE_EVENTS | RF_EV_BIT(RF_EV_INIT) | RF_EV_BIT(RF_EV_DESTROY) | RF_EV_BIT(RF_EV_ALLOC) | \
   RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_DEPART) | RF_EV_BIT(RF_EV_RECYCLE))

typedef struct rfi_touch {
    const rf_site *site;
    uint32_t k, thread, lockset; /* k: of the thread's own clock; 0: there was none */
    uint16_t flags;
} rfi_touch;

/* The last ones, by thread. */
typedef struct rfi_touches {
    rfi_touch *by;
    uint32_t count;
} rfi_touches;

/* Left: a barrier.  Its destruction waits for that, and only that does, as in C libraries. */
typedef struct rfi_life {
    rfi_touch made;
    rfi_touches used, left;
} rfi_life;

RFI_VAR rfi_shadow rfi_lives; /* address / RFI_LIFE_BYTES -> rfi_life */

RFI_FN void rfi_lives_begin(void) { rfi_shadow_reset(&rfi_lives); }

RFI_INLINE void rfi_touch_check(const rf_analysis *who, const rfi_touch *a, const rfi_touch *b,
                                const rfi_actor *now, const void *addr) {
    if (RFI_LIKELY(a->thread == b->thread || a->k <= rfi_clock_get(&now->clock, a->thread))) return;
    rfi_race r = {.by = who->name,
                  .site = {a->site, b->site},
                  .flags = {a->flags, b->flags},
                  .thread = {a->thread, b->thread},
                  .size = {RFI_LIFE_BYTES, RFI_LIFE_BYTES},
                  .lockset = {a->lockset, b->lockset},
                  .addr = addr,
                  .unordered = true};
    rfi_race_report(&r);
}

RFI_FN void rfi_touches_check(const rf_analysis *who, const rfi_touches *before,
                              const rfi_touch *now, const rfi_actor *a, const void *addr) {
    for (uint32_t i = 0; i < before->count; i++) rfi_touch_check(who, &before->by[i], now, a, addr);
}

/* An object is made anew, or ends: was it used, or made, by others who are not ordered before? */
RFI_FN void rfi_life_over(const rf_analysis *who, const rfi_life *l, const rfi_touch *now,
                          const rfi_actor *a, const void *addr) {
    rfi_touch_check(who, &l->made, now, a, addr);
    rfi_touches_check(who, &l->used, now, a, addr);
}

RFI_INLINE rfi_touch rfi_touch_now(const rf_event *e, const rfi_actor *a, unsigned flags) {
    return (rfi_touch){e->site, a->own, e->thread, rfi_lockset_of(e->thread), (uint16_t)flags};
}

/* What was there is another object's from here on. */
RFI_FN void rfi_lives_gone(const rf_analysis *who, const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr, end = (from + e->size - 1) / RFI_LIFE_BYTES + 1;
    bool frees = e->kind == RF_EV_FREE && rfi_sees_orders();
    const rfi_actor *a = rfi_track_actor(RFI_FULL, e->thread);
    rfi_touch now = rfi_touch_now(e, a, e->flags);
    for (uintptr_t g = from / RFI_LIFE_BYTES; (g = rfi_shadow_next(&rfi_lives, g, end)) < end;
         g++) {
        void **place = rfi_shadow_at(&rfi_lives, g);
        const void *addr = (const void *)(g * RFI_LIFE_BYTES);
        const rfi_life *l = *place;
        *place = NULL;
        if (!frees) continue;
        rfi_life_over(who, l, &now, a, addr);
        rfi_touches_check(who, &l->left, &now, a, addr);
    }
}

RFI_FN void rfi_touches_add(rfi_touches *to, const rfi_touch *now) {
    if (RFI_UNLIKELY(now->thread >= to->count)) {
        rfi_touch *by = rfi_arena_take(&rfi_lives.arena, (now->thread + 4) * sizeof *by);
        if (to->count) memcpy(by, to->by, to->count * sizeof *by);
        to->by = by;
        to->count = now->thread + 4;
    }
    to->by[now->thread] = *now;
}

/* Before the trackers have taken the event. */
RFI_FN void rfi_lives_event(const rf_analysis *who, const rf_event *e) {
    bool leaves = e->kind == RF_EV_DEPART;
    unsigned flags = leaves ? RF_EV_READS | RF_EV_USES : rfi_event_on_object(e);
    if (!flags) {
        if (rfi_lives.regions.used && e->size) rfi_lives_gone(who, e);
        return;
    }
    if (rf_threads() == 1 || !(flags & (RF_EV_USES | RF_EV_MAKES))) return;
    const void *addr = rf_object_address(e->object);
    void **place = rfi_shadow_at(&rfi_lives, (uintptr_t)addr / RFI_LIFE_BYTES);
    if (!*place) *place = rfi_arena_take(&rfi_lives.arena, sizeof(rfi_life));
    rfi_life *l = *place;
    const rfi_actor *a = rfi_track_actor(RFI_FULL, e->thread);
    rfi_touch now = rfi_touch_now(e, a, flags);
    if (leaves) {
        if (!(l->made.flags & RF_EV_FREES)) rfi_touches_add(&l->left, &now);
        return;
    }
    if (flags & RF_EV_USES) {
        rfi_touch_check(who, &l->made, &now, a, addr);
        rfi_touches_add(&l->used, &now);
        return;
    }
    rfi_life_over(who, l, &now, a, addr);
    l->made = now;
    l->used.count = l->left.count = 0;
}
#endif
#endif
