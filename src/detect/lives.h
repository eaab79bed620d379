/* detect/lives.h: synchronisation objects that are used while they are made or ended.
 *
 * To initialise or destroy an object is a write to it, any operation on it a read, by
 * happens-before (detect/hb.h).  An operation touches its object before it does what it is for, so
 * what it acquires does not order it.  Of each object the last making and the last use by each
 * thread since then are kept: one comparison a use.  Relaxed orders are not asked: who has dropped
 * an object under its own lock is ordered before who then destroys it.
 */
#ifndef RFI_DETECT_LIVES_H
#define RFI_DETECT_LIVES_H
#include "detect/trackers.h"

#ifdef RFI_IMPL
# define RFI_LIFE_BYTES 4u /* no two objects begin in the same ones */
# define RFI_LIVES_EVENTS                                                                       \
  (RFI_USE_EVENTS | RF_EV_BIT(RF_EV_INIT) | RF_EV_BIT(RF_EV_DESTROY) | RF_EV_BIT(RF_EV_ALLOC) | \
   RF_EV_BIT(RF_EV_RECYCLE))

typedef struct rfi_touch {
    const rf_site *site;
    uint32_t k, thread, lockset; /* k: of the thread's own clock; 0: there was none */
    uint16_t flags;
} rfi_touch;

typedef struct rfi_life {
    rfi_touch made, *use; /* by thread */
    uint32_t uses;
} rfi_life;

RFI_VAR rfi_shadow rfi_lives; /* address / RFI_LIFE_BYTES -> rfi_life */

RFI_FN void rfi_lives_begin(void) { rfi_shadow_reset(&rfi_lives); }

RFI_INLINE void rfi_touch_check(const rf_analysis *who, const rfi_touch *a, const rfi_touch *b,
                                const rfi_actor *now, uint32_t object) {
    if (RFI_LIKELY(a->thread == b->thread || a->k <= rfi_clock_get(&now->clock, a->thread))) return;
    rfi_race r = {.by = who->name,
                  .site = {a->site, b->site},
                  .flags = {a->flags, b->flags},
                  .thread = {a->thread, b->thread},
                  .size = {RFI_LIFE_BYTES, RFI_LIFE_BYTES},
                  .lockset = {a->lockset, b->lockset},
                  .addr = rf_object_address(object),
                  .unordered = true};
    rfi_race_report(&r);
}

/* What was there is another object's from here on. */
RFI_FN void rfi_lives_forget(uintptr_t from, uintptr_t to) {
    uintptr_t end = (to - 1) / RFI_LIFE_BYTES + 1;
    for (uintptr_t g = from / RFI_LIFE_BYTES; (g = rfi_shadow_next(&rfi_lives, g, end)) < end; g++)
        *rfi_shadow_at(&rfi_lives, g) = NULL;
}

RFI_FN void rfi_life_use(rfi_life *l, const rfi_touch *now) {
    if (RFI_UNLIKELY(now->thread >= l->uses)) {
        rfi_touch *use = rfi_arena_take(&rfi_lives.arena, (now->thread + 4) * sizeof *use);
        if (l->uses) memcpy(use, l->use, l->uses * sizeof *use);
        l->use = use;
        l->uses = now->thread + 4;
    }
    l->use[now->thread] = *now;
}

/* Before the trackers have taken the event. */
RFI_FN void rfi_lives_event(const rf_analysis *who, const rf_event *e) {
    uintptr_t at = (uintptr_t)e->addr;
    unsigned flags = rfi_event_on_object(e);
    if (!flags) {
        if (rfi_lives.regions.used && e->size) rfi_lives_forget(at, at + e->size);
        return;
    }
    if (rf_threads() == 1 || !(flags & (RF_EV_USES | RF_EV_MAKES))) return;
    at = (uintptr_t)rf_object_address(e->object);
    void **place = rfi_shadow_at(&rfi_lives, at / RFI_LIFE_BYTES);
    if (!*place) *place = rfi_arena_take(&rfi_lives.arena, sizeof(rfi_life));
    rfi_life *l = *place;
    const rfi_actor *a = rfi_track_actor(RFI_FULL, e->thread);
    rfi_touch now = {e->site, a->own, e->thread, rfi_lockset_of(e->thread), (uint16_t)flags};
    rfi_touch_check(who, &l->made, &now, a, e->object);
    if (flags & RF_EV_USES) {
        rfi_life_use(l, &now);
        return;
    }
    for (uint32_t i = 0; i < l->uses; i++) rfi_touch_check(who, &l->use[i], &now, a, e->object);
    l->made = now;
    l->uses = 0;
}
#endif
#endif
