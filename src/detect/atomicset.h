/* detect/atomicset.h: objects that belong together (RF_ATOMIC_SET) and were used apart: view
 * consistency (Artho, Havelund and Biere, VVEIS 2003), for declared pairs.
 *
 * A unit is a thread's outermost critical section or RF_ATOMIC_BLOCK, or a single access outside of
 * them.  A thread that uses one object in one unit and the other object in the next unit in which
 * it uses any of them leaves a gap between the two.  A unit of another thread that uses both
 * objects, with a write on one side at each of them, does not fit into a gap: the thread has seen,
 * or made, a mixture of two states.
 *
 * Predicted: the relaxed relation of engine/order.h leaves it unordered with both ends of the gap;
 * no lock is held over a gap, so none keeps it out.  Real: it stood in the gap as well, with both
 * its uses.  A unit that the thread has waited for, or that began because of it, is none that it
 * does not know of.
 * Guarantee: what is told as real has happened; whether the thread cares, its author has said by
 * declaring the set.  At most RFI_SETS_MOST different gaps and units of each pair are remembered.
 * Nothing is done before the first declaration of an execution.
 */
#ifndef RFI_DETECT_ATOMICSET_H
#define RFI_DETECT_ATOMICSET_H
#include "detect/blocks.h"
#include "engine/order.h"

#ifdef RFI_IMPL
# define RFI_SETS_MOST 64u

/* What a unit did with a pair. */
typedef struct rfi_use_of_pair {
    uint64_t unit;        /* number of the unit; 0: none */
    const rf_site *start; /* where one can wait before it: its first lock, or its first use */
    rfi_doing use[2];     /* of each object, its first one or its first write; site NULL: none */
    unsigned flags[2];    /* of all its uses */
    uint64_t from, to;    /* times of its first and last use */
    uint32_t k;           /* own clock of the thread at the last one */
} rfi_use_of_pair;

/* A unit that used both objects, or a gap. */
typedef struct rfi_set_view {
    struct rfi_set_view *next;
    rfi_use_of_pair unit;   /* it; of a gap the second */
    rfi_use_of_pair before; /* of a gap the first; else unit 0 */
    uint32_t thread;
    rfi_clock clock; /* what the thread had heard of by its end */
} rfi_set_view;

typedef struct rfi_pair_of_thread {
    struct rfi_pair_of_thread *next; /* of the same thread */
    struct rfi_atomic_pair *pair;
    rfi_use_of_pair now, before; /* the last two units that used it */
} rfi_pair_of_thread;

typedef struct rfi_atomic_pair {
    const rf_site *site; /* of the declaration */
    rfi_set_view *views;
} rfi_atomic_pair;

/* Some bytes of a granule that belong to an object of a pair. */
typedef struct rfi_member {
    struct rfi_member *next;
    rfi_atomic_pair *pair;
    uint8_t which, mask;
} rfi_member;

typedef struct rfi_set_unit {
    uint64_t number; /* of the unit; 0: the thread is in none */
    const rf_site *lock;
    rfi_pair_of_thread *pairs;
    uint32_t depth; /* of locks and blocks */
} rfi_set_unit;

typedef struct rfi_sets {
    const void *driver; /* the user whose events count */
    void (*torn)(const rfi_atomic_pair *p, const rfi_set_view *gap, const rfi_set_view *unit,
                 bool real);
    bool on;
    uint64_t time, units;
    rfi_order order;
    rfi_actors actors;
    rfi_shadow members;    /* granule -> rfi_member list */
    rfi_atomic_pair *half; /* declared with one object so far */
    rfi_set_unit *thread;
    uint32_t threads, capacity;
} rfi_sets;

RFI_VAR rfi_sets rfi_sets_state;

/* clang-format off */
# define RFI_SETS_EVENTS (RFI_BLOCKS_EVENTS | RFI_ORDER_EVENTS | RF_EV_BIT(RF_EV_SET))
/* clang-format on */

RFI_FN void rfi_sets_begin(const void *user) {
    rfi_sets *d = &rfi_sets_state;
    if (d->driver) return;
    d->driver = user;
    d->on = false;
}

RFI_FN void rfi_sets_end(const void *user) {
    if (rfi_sets_state.driver == user) rfi_sets_state.driver = NULL;
}

RFI_FN rfi_set_unit *rfi_sets_thread(uint32_t t) {
    rfi_sets *d = &rfi_sets_state;
    d->thread = rfi_grow(d->thread, &d->capacity, t + 1, sizeof *d->thread);
    while (d->threads <= t) d->thread[d->threads++] = (rfi_set_unit){.number = 0};
    return &d->thread[t];
}

/* ---- gaps and units that do not fit into them ---- */

/* Does the unit conflict with both ends of the gap? */
RFI_FN bool rfi_set_view_tears(const rfi_set_view *gap, const rfi_set_view *unit) {
    unsigned a = gap->before.use[1].site != NULL; /* the object that the first end used */
    return unit->thread != gap->thread &&
           (gap->before.flags[a] | unit->unit.flags[a]) & RF_EV_WRITES &&
           (gap->unit.flags[1 - a] | unit->unit.flags[1 - a]) & RF_EV_WRITES;
}

RFI_FN bool rfi_set_view_alike(const rfi_set_view *a, const rfi_set_view *b) {
    bool same = a->thread == b->thread && !a->before.unit == !b->before.unit;
    for (unsigned i = 0; i < 2; i++)
        same = same && a->unit.use[i].site == b->unit.use[i].site &&
               a->unit.flags[i] == b->unit.flags[i] &&
               a->before.use[i].site == b->before.use[i].site &&
               a->before.flags[i] == b->before.flags[i];
    return same;
}

RFI_FN bool rfi_set_view_unordered(const rfi_set_view *gap, const rfi_set_view *unit) {
    return unit->unit.k > rfi_clock_get(&gap->clock, unit->thread) &&
           gap->before.k > rfi_clock_get(&unit->clock, gap->thread);
}

/* Checks a gap against the units, or a unit against the gaps, and keeps it. */
RFI_FN void rfi_sets_view(rfi_atomic_pair *p, rfi_set_view *v) {
    rfi_sets *d = &rfi_sets_state;
    rfi_set_view *like = NULL;
    uint32_t n = 0;
    v->clock = rfi_actor_of(&d->actors, v->thread)->clock; /* for now */
    for (rfi_set_view *o = p->views; o; o = o->next) {
        n++;
        if (rfi_set_view_alike(o, v)) like = o;
        const rfi_set_view *gap = v->before.unit ? v : o, *unit = v->before.unit ? o : v;
        if (!gap->before.unit || unit->before.unit || !rfi_set_view_tears(gap, unit) ||
            !rfi_set_view_unordered(gap, unit))
            continue;
        d->torn(p, gap, unit, unit->unit.from > gap->before.to && unit->unit.to < gap->unit.from);
    }
    if (!like && n >= 2 * RFI_SETS_MOST) return;
    if (!like) {
        like = rfi_arena_take(&d->members.arena, sizeof *like);
        like->next = p->views;
        p->views = like;
    }
    rfi_clock own = like->clock;
    rfi_clock_copy(&own, &v->clock, &d->members.arena);
    v->next = like->next;
    v->clock = own;
    *like = *v;
}

/* A unit of thread `t` ends. */
RFI_FN void rfi_sets_unit_end(uint32_t t) {
    rfi_set_unit *u = rfi_sets_thread(t);
    for (rfi_pair_of_thread *w = u->pairs; w; w = w->next) {
        if (w->now.unit != u->number) continue;
        rfi_set_view v = {.unit = w->now, .thread = t};
        bool a = w->now.use[0].site, b = w->now.use[1].site;
        bool before_a = w->before.use[0].site, before_b = w->before.use[1].site;
        if (a != b && before_a != before_b && a != before_a) v.before = w->before;
        if ((a && b) || v.before.unit) rfi_sets_view(w->pair, &v);
    }
    u->number = 0;
    u->lock = NULL;
}

/* ---- uses ---- */

RFI_FN rfi_pair_of_thread *rfi_sets_pair(rfi_set_unit *u, rfi_atomic_pair *pair) {
    rfi_pair_of_thread *w = u->pairs;
    while (w && w->pair != pair) w = w->next;
    if (w) return w;
    w = rfi_arena_take(&rfi_sets_state.members.arena, sizeof *w);
    w->next = u->pairs;
    w->pair = pair;
    return u->pairs = w;
}

RFI_FN void rfi_sets_use(const rfi_member *m, const rf_event *e, unsigned flags) {
    rfi_sets *d = &rfi_sets_state;
    rfi_set_unit *u = rfi_sets_thread(e->thread);
    rfi_pair_of_thread *w = rfi_sets_pair(u, m->pair);
    if (w->now.unit != u->number) {
        w->before = w->now;
        w->now = (rfi_use_of_pair){
            .unit = u->number, .start = u->lock ? u->lock : e->site, .from = d->time};
    }
    rfi_doing *use = &w->now.use[m->which];
    bool writes = flags & RF_EV_WRITES && !(use->flags & RF_EV_WRITES);
    if (!use->site || writes) *use = rfi_doing_of(e, flags);
    w->now.flags[m->which] |= flags;
    w->now.to = d->time;
    w->now.k = rfi_actor_of(&d->actors, e->thread)->own;
}

RFI_FN void rfi_sets_access(const rf_event *e) {
    rfi_sets *d = &rfi_sets_state;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    unsigned flags = rfi_touch_flags(e);
    if (from == to || !flags) return;
    bool single = !rfi_sets_thread(e->thread)->depth;
    RFI_EACH_GRANULE(&d->members, g, from, to)
    for (const rfi_member *m = rfi_shadow_get(&d->members, g); m; m = m->next) {
        if (!(m->mask & rfi_shadow_mask(g, from, to))) continue;
        rfi_set_unit *u = rfi_sets_thread(e->thread);
        if (single && !u->number) u->number = ++d->units;
        rfi_sets_use(m, e, flags);
    }
    if (single && rfi_sets_thread(e->thread)->number) rfi_sets_unit_end(e->thread);
}

RFI_FN void rfi_sets_forget(const rf_event *e) {
    rfi_shadow *s = &rfi_sets_state.members;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    RFI_EACH_GRANULE(s, g, from, to)
    for (rfi_member *m = rfi_shadow_get(s, g); m; m = m->next)
        m->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
}

/* ---- events ---- */

/* Declarations come in twos. */
RFI_FN void rfi_sets_declare(const rf_event *e) {
    rfi_sets *d = &rfi_sets_state;
    bool second = d->half;
    rfi_atomic_pair *p = d->half;
    if (!second) {
        p = rfi_arena_take(&d->members.arena, sizeof *p);
        p->site = e->site;
    }
    d->half = second ? NULL : p;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; from < to && g <= (to - 1) / RFI_GRANULE; g++) {
        void **place = rfi_shadow_at(&d->members, g);
        rfi_member *m = rfi_arena_raw(&d->members.arena, sizeof *m);
        *m = (rfi_member){*place, p, second, rfi_shadow_mask(g, from, to)};
        *place = m;
    }
}

RFI_FN void rfi_sets_enter(const rf_event *e) {
    rfi_set_unit *u = rfi_sets_thread(e->thread);
    if (!u->depth++) u->number = ++rfi_sets_state.units;
    if (e->kind == RF_EV_LOCK && !u->lock) u->lock = e->site;
}

RFI_FN void rfi_sets_leave(uint32_t t) {
    rfi_set_unit *u = rfi_sets_thread(t);
    if (u->depth && !--u->depth) rfi_sets_unit_end(t);
}

/* The first declaration: from here on all is followed. */
RFI_FN RFI_COLD void rfi_sets_start(void) {
    rfi_sets *d = &rfi_sets_state;
    d->on = true;
    d->time = d->units = 0;
    d->half = NULL;
    d->threads = 0;
    rfi_shadow_reset(&d->members);
    rfi_order_begin(&d->order, RFI_RELAXED, &d->actors);
    for (uint32_t t = 0; t < rf_threads(); t++)
        if (rf_thread_alive(t) && (rfi_sets_thread(t)->depth = rf_thread_locks(t, NULL, 0)) != 0)
            rfi_sets_thread(t)->number = ++d->units;
}

/* An event, as `user` gets it. */
RFI_FN void rfi_sets_event(const void *user, const rf_event *e) {
    rfi_sets *d = &rfi_sets_state;
    if (d->driver != user) return;
    if (!d->on) {
        if (e->kind != RF_EV_SET) return;
        rfi_sets_start();
    }
    d->time++;
    switch (e->kind) {
    case RF_EV_SET: rfi_sets_declare(e); break;
    case RF_EV_BLOCK: rfi_sets_enter(e); break;
    case RF_EV_BLOCK_END: rfi_sets_leave(e->thread); break;
    case RF_EV_LOCK: rfi_sets_enter(e); break;
    case RF_EV_UNLOCK: rfi_sets_leave(e->thread); break;
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE:
        rfi_order_before(&d->order, e);
        rfi_sets_access(e);
        rfi_order_after(&d->order, e);
        break;
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE:
        rfi_sets_forget(e);
        rfi_order_after(&d->order, e);
        break;
    default: rfi_order_event(&d->order, e);
    }
}

/* ---- what is reported ---- */

RFI_FN void rfi_sets_warn(const char *by, const rfi_atomic_pair *p, const rfi_set_view *gap,
                          const rfi_set_view *unit, bool real) {
    unsigned a = gap->before.use[1].site != NULL;
    rf_warning w = {.family = RF_FAMILY_ATOMIC_SET, .by = by, .real = real, .places = 5};
    w.place[0] = (rf_place){.site = p->site, .role = "set", .thread = UINT32_MAX};
    w.place[1] = rfi_doing_place(&gap->before.use[a]);
    w.place[2] = rfi_doing_place(&unit->unit.use[a]);
    w.place[3] = rfi_doing_place(&unit->unit.use[1 - a]);
    w.place[4] = rfi_doing_place(&gap->unit.use[1 - a]);
    w.target[0] = rf_site_key(p->site);
    w.target[1] = rf_site_key(gap->unit.start);
    w.target[2] = rf_site_key(unit->unit.start);
    w.targets = 3;
    w.telling = 2;
    w.text = real ? "A thread used one of the two objects and later the other; in between another "
                    "thread used both."
                  : "A thread uses one of the two objects and later the other; in between another "
                    "thread can use both.";
    rf_warn(&w);
}

RFI_FN void rfi_atomicset_torn(const rfi_atomic_pair *p, const rfi_set_view *gap,
                               const rfi_set_view *unit, bool real) {
    rfi_sets_warn("atomicset", p, gap, unit, real);
}

RFI_FN void rfi_atomicset_begin(void) {
    rfi_sets_begin(&rfi_sets_state);
    rfi_sets_state.torn = rfi_atomicset_torn;
}

RFI_FN void rfi_atomicset_event(const rf_event *e) { rfi_sets_event(&rfi_sets_state, e); }
RFI_FN void rfi_atomicset_end(void) { rfi_sets_end(&rfi_sets_state); }

RFI_VAR rf_analysis rfi_atomicset_analysis = {.name = "atomicset",
                                              .help =
                                                  "objects that belong together and are used apart",
                                              .events = RFI_SETS_EVENTS,
                                              .wakes = RF_EV_BIT(RF_EV_SET),
                                              .begin = rfi_atomicset_begin,
                                              .event = rfi_atomicset_event,
                                              .end = rfi_atomicset_end};
#endif
#endif
