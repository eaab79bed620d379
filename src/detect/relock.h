/* detect/relock.h: predicts that a block is torn apart: the predictor of CalFuzzer (Joshi et al.,
 * CAV 2009), which treats the second acquisition of a lock in a block as a write to the lock and
 * asks hybrid race detection for accesses to it, here for memory too.
 *
 * Two operations of an instance at one place make a window (blocks.h).  An operation of another
 * thread at that place that would complete a violation may come into the window in another schedule
 * when no lock that the thread held from the first operation to the second keeps it out, and the
 * relaxed relation of engine/order.h leaves it unordered: it is neither before the window nor
 * after.  Both are remembered, so that it does not matter which comes first.
 *
 * Guarantee: as that of hybrid.h: every window and every other operation of this execution since
 * its first block began, up to RFI_RELOCK_MOST different ones of each at a place.  It may predict
 * what no schedule can produce: a flag under a lock keeps the other thread out, or a
 * compare-exchange would notice it.
 */
#ifndef RFI_DETECT_RELOCK_H
#define RFI_DETECT_RELOCK_H
#include "detect/blocks.h"
#include "detect/lockset.h"
#include "engine/order.h"

#ifdef RFI_IMPL
# define RFI_RELOCK_MOST 64u

/* An operation at a place, which may come into a window; or a window. */
typedef struct rfi_block_visit {
    struct rfi_block_visit *next;
    rfi_doing doing;     /* it; of a window the second operation */
    rfi_doing first;     /* of a window */
    const rf_site *site; /* of the window's block; NULL: no window */
    const rf_site *end;  /* of the window's gap */
    uint32_t k;          /* own clock of the thread */
    uint32_t lockset;    /* held; of a window: all the time */
    uint8_t unwanted;    /* of a window; of an operation: what it does */
    uint8_t mask;
} rfi_block_visit;

typedef struct rfi_relock {
    rfi_order order;
    rfi_actors actors;
    rfi_shadow memory, locks; /* granule, number of a lock -> rfi_block_visit list, newest first */
    rfi_map told;             /* block, second operation, the other one: numbers of sites, mixed */
    bool on;
} rfi_relock;

RFI_VAR rfi_relock rfi_relock_state;

/* The set of what thread `t` has held since `since`, but for one lock. */
RFI_FN uint32_t rfi_relock_set(uint32_t t, uint64_t since, uint32_t but) {
    const rfi_block_thread *w = rfi_blocks_thread(t);
    uint32_t n = 0, *lock;
    if (!w->held_count) return 0;
    lock = rfi_arena_take(&rfi_locksets.arena, w->held_count * sizeof *lock);
    for (uint32_t i = 0; i < w->held_count; i++) {
        const rfi_block_holding *h = &w->held[i];
        if (h->object == but || h->time >= since) continue;
        uint32_t element = h->object * 2 + h->shared, k = n++;
        for (; k && lock[k - 1] > element; k--) lock[k] = lock[k - 1];
        lock[k] = element;
    }
    return rfi_lockset_intern(lock, n);
}

/* Can the operation `o` come into the window `w`, as far as locks tell? */
RFI_FN bool rfi_relock_fits(const rfi_block_visit *w, const rfi_block_visit *o) {
    return o->doing.thread != w->doing.thread && o->mask & w->mask && o->unwanted & w->unwanted &&
           !rfi_lockset_protected(w->lockset, o->lockset);
}

RFI_FN RFI_COLD void rfi_relock_report(const rfi_block_visit *v, const rfi_block_visit *o) {
    bool lock = v->doing.kind == RF_EV_LOCK;
    rfi_instance b = {.site = v->site, .thread = v->doing.thread};
    uint64_t sites = rfi_mix(rfi_site_number(v->site));
    sites = rfi_mix(sites + rfi_site_number(v->doing.site));
    uint64_t *told =
        rfi_map_at(&rfi_relock_state.told, rfi_mix(sites + rfi_site_number(o->doing.site)));
    if (*told) return;
    *told = 1;
    rf_warning w = rfi_block_warning("relock", &b, v->end);
    w.text = lock ? "The block lets go of a lock and takes it again; another thread can have it in "
                    "between."
                  : "The block uses the same memory twice; another thread can use it in between.";
    w.places = 4;
    w.place[1] = rfi_doing_place(&v->first);
    w.place[2] = rfi_doing_place(&o->doing);
    w.place[3] = rfi_doing_place(&v->doing);
    w.target[w.targets++] = rf_site_key(o->doing.start);
    rf_warn(&w);
}

RFI_FN bool rfi_relock_alike(const rfi_block_visit *a, const rfi_block_visit *b) {
    return a->doing.site == b->doing.site && a->doing.thread == b->doing.thread &&
           a->site == b->site && a->end == b->end && a->doing.start == b->doing.start &&
           a->first.site == b->first.site && a->lockset == b->lockset &&
           a->unwanted == b->unwanted && a->mask == b->mask;
}

/* Checks against the others at the place, and keeps it. */
RFI_FN void rfi_relock_visit(const rfi_block_visit *v, rfi_shadow *s, uintptr_t at) {
    rfi_relock *d = &rfi_relock_state;
    void **place = rfi_shadow_at(s, at);
    const rfi_clock *clock = &rfi_actor_of(&d->actors, v->doing.thread)->clock;
    rfi_block_visit *like = NULL;
    uint32_t n = 0;
    for (rfi_block_visit *o = *place; o; o = o->next) {
        if (!o->mask) like = o; /* forgotten */
        n += (o->site != NULL) == (v->site != NULL);
        if (rfi_relock_alike(o, v)) like = o;
        if ((o->site != NULL) == (v->site != NULL)) continue;
        if (o->k <= rfi_clock_get(clock, o->doing.thread)) continue; /* ordered */
        if (v->site ? rfi_relock_fits(v, o) : rfi_relock_fits(o, v))
            rfi_relock_report(v->site ? v : o, v->site ? o : v);
    }
    if (like) { /* what is unordered with an older one is unordered with the newest */
        rfi_block_visit *next = like->next;
        *like = *v;
        like->next = next;
    } else if (n < RFI_RELOCK_MOST) {
        rfi_block_visit *kept = rfi_arena_take(&s->arena, sizeof *kept);
        *kept = *v;
        kept->next = *place;
        *place = kept;
    }
}

/* A window of an instance has ended. */
RFI_FN void rfi_relock_window(const rfi_window *w, rfi_shadow *s, uintptr_t at) {
    rfi_relock *d = &rfi_relock_state;
    const rfi_doing *second = &w->second;
    bool lock = s == &rfi_blocks_state.locks;
    rfi_block_visit v = {.doing = *second,
                         .first = w->first,
                         .site = w->block->site,
                         .end = w->end,
                         .k = rfi_actor_of(&d->actors, second->thread)->own,
                         .lockset = rfi_relock_set(second->thread, w->first.time, 0),
                         .unwanted = (uint8_t)w->unwanted,
                         .mask = w->mask};
    rfi_relock_visit(&v, lock ? &d->locks : &d->memory, at);
}

/* An operation that may come into the windows of others. */
RFI_FN void rfi_relock_touch(const rf_event *e) {
    rfi_relock *d = &rfi_relock_state;
    unsigned flags = rfi_touch_flags(e);
    bool lock = e->kind == RF_EV_LOCK;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (!flags || (!lock && from == to) || e->flags & RF_EV_HARMLESS) return;
    rfi_block_visit v = {.doing = rfi_doing_of(e, flags),
                         .k = rfi_actor_of(&d->actors, e->thread)->own,
                         .lockset = rfi_relock_set(e->thread, UINT64_MAX, lock ? e->object : 0),
                         .unwanted = (uint8_t)flags,
                         .mask = 1};
    if (lock) {
        rfi_relock_visit(&v, &d->locks, e->object);
        return;
    }
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        v.mask = rfi_shadow_mask(g, from, to);
        rfi_relock_visit(&v, &d->memory, g);
    }
}

RFI_FN void rfi_relock_forget(uintptr_t from, uintptr_t to) {
    rfi_shadow *s = &rfi_relock_state.memory;
    RFI_EACH_GRANULE(s, g, from, to)
    for (rfi_block_visit *v = rfi_shadow_get(s, g); v; v = v->next)
        v->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
}

/* ---- events ---- */

RFI_FN void rfi_relock_memory(const rf_event *e) {
    rfi_order *o = &rfi_relock_state.order;
    uintptr_t from = (uintptr_t)e->addr;
    rfi_order_before(o, e);
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE)
        rfi_relock_forget(from, from + e->size);
    else
        rfi_relock_touch(e);
    rfi_order_after(o, e);
}

RFI_FN RFI_COLD void rfi_relock_start(void) {
    rfi_relock *d = &rfi_relock_state;
    d->on = true;
    rfi_shadow_reset(&d->memory);
    rfi_shadow_reset(&d->locks);
    rfi_map_reset(&d->told);
    rfi_order_begin(&d->order, RFI_RELAXED, &d->actors);
}

RFI_FN void rfi_relock_follow(const rf_event *e) {
    rfi_relock *d = &rfi_relock_state;
    if (!d->on) rfi_relock_start();
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE:
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_relock_memory(e); break;
    case RF_EV_LOCK: rfi_relock_touch(e); break;
    default: rfi_order_event(&d->order, e);
    }
}

RFI_FN void rfi_relock_begin(void) {
    rfi_blocks_begin(&rfi_relock_state);
    rfi_blocks_state.window = rfi_relock_window;
    rfi_relock_state.on = false;
    rfi_locksets_begin();
}

RFI_FN void rfi_relock_event(const rf_event *e) {
    rfi_blocks_event(&rfi_relock_state, e);
    rfi_relock_follow(e);
}

RFI_FN void rfi_relock_end(void) { rfi_blocks_end(&rfi_relock_state); }

RFI_VAR rf_analysis rfi_relock_analysis = {
    .name = "relock",
    .help = "atomic blocks that another thread can come into, by locks and order",
    .events = RFI_BLOCKS_EVENTS | RFI_ORDER_EVENTS,
    .wakes = RF_EV_BIT(RF_EV_BLOCK),
    .begin = rfi_relock_begin,
    .event = rfi_relock_event,
    .end = rfi_relock_end};
#endif
#endif
