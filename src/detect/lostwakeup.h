/* detect/lostwakeup.h: notifications that may come before the wait, wake nobody, and be lost.
 *
 * After the analysis of missed notifications in CalFuzzer (Joshi, Naik, Park and Sen, CAV 2009):
 * a wait and the notification that has woken it, where no order that all schedules share puts
 * the waiter's taking of the mutex before the notification.  That alone accuses every correct
 *
 *     lock; while (!ready) wait; unlock          lock; ready = true; signal; unlock
 *
 * since the signal may well come first; but then the waiter does not wait.  So what the waiter has
 * *looked at*, from taking the mutex to its wait, is compared with what has changed until it
 * woke.  Let K be a critical section of the waiter's mutex that the notification is in or that
 * ends before it.  A change before the end of K is *kept*: either the waiter's critical section
 * comes before K, and then it waits when it is notified, or behind it, and then it sees the
 * change.  A wait is suspected when
 *   - it was woken by a notification, and cannot time out;
 *   - nothing that the waiter had looked at was changed in a way that is kept; and
 *   - the waiter did not look at any of it again, to wait again.
 *
 * Guarantee: none in either direction, this is a prediction.  Wrong suspicions: a predicate that no
 * macro announces; a notifier that asks whether somebody waits.  Misses: the waiter checks
 * something else that is changed under the mutex; a notification that goes to the wrong waiter, or
 * wakes too few.
 */
#ifndef RFI_DETECT_LOSTWAKEUP_H
#define RFI_DETECT_LOSTWAKEUP_H
#include "engine/iface.h"
#include "engine/order.h"

#ifdef RFI_IMPL
# define RFI_LOOKS   256u /* that are kept up to a wait; with more nothing is suspected */
# define RFI_GLANCES 16u  /* the last ones that are kept outside of one */

/* What a thread has read. */
typedef struct rfi_look {
    uintptr_t from, to;
    uint64_t at;
} rfi_look;

/* A mutex that a thread holds. */
typedef struct rfi_grip {
    const rf_site *site; /* where it was taken */
    uint32_t object;
    uint32_t own;   /* clock of the thread then */
    uint32_t looks; /* how many it had made by then */
} rfi_grip;

typedef struct rfi_looks {
    rfi_look *look;
    uint32_t count, capacity;
    bool many; /* more than are kept */
} rfi_looks;

/* The last write to some bytes of a granule. */
typedef struct rfi_change {
    struct rfi_change *next; /* to other bytes */
    const rf_site *site;
    uint64_t at;
    uint32_t thread, size; /* of the whole access */
    uint8_t mask;
} rfi_change;

# define RFI_NOTICE_LOCKS 8u  /* that are told */
# define RFI_PENDING      16u /* suspicions that are left open */

/* A wait, and the notification that has woken it and may be lost. */
typedef struct rfi_suspicion {
    rf_event wait, notice;
    uint32_t own;      /* clock of the waiter when it began to wait */
    rfi_grip taken;    /* the mutex of the wait */
    uint64_t at;       /* when the notification was made */
    uint64_t later;    /* when something was changed after it that the waiter then saw; 0: never */
    rfi_change change; /* of what the waiter had looked at; site NULL: there is none */
    bool early;        /* the waiter had looked at it before it took the mutex */
    bool locked;       /* the notifier still holds the mutex, and may yet make a change */
    uint32_t locks;
    rf_lock lock[RFI_NOTICE_LOCKS]; /* the notifier's */
} rfi_suspicion;

typedef struct rfi_waiter {
    rfi_grip *hold;
    uint32_t holds, hold_capacity;
    rfi_looks now, before; /* since the last wait; up to it */
    enum { RFI_AWAKE, RFI_ASLEEP, RFI_WOKEN } state;
    bool suspected;
    rfi_suspicion s;
} rfi_waiter;

RFI_VAR struct rfi_wakes {
    rfi_order order;
    rfi_actors actors;
    rfi_waiter *waiter; /* by thread */
    uint32_t waiters, waiter_capacity, made;
    uint32_t locked;                 /* suspicions that the notifier's unlock may lift */
    rfi_shadow changes;              /* granule -> rfi_change */
    rfi_map released;                /* thread, mutex -> when it was released last */
    rf_event notice;                 /* the last signal or broadcast */
    rfi_map noticed;                 /* condition -> when there was one last */
    uint64_t now;                    /* counts events */
    rfi_suspicion open[RFI_PENDING]; /* that are to be reported in the end */
    uint32_t pending;
} rfi_wakes;

RFI_FN void rfi_wakes_begin(void) {
    struct rfi_wakes *w = &rfi_wakes;
    rfi_order_begin(&w->order, RFI_FORCED, &w->actors);
    rfi_shadow_reset(&w->changes);
    rfi_map_reset(&w->released);
    rfi_map_reset(&w->noticed);
    w->waiters = w->locked = w->pending = 0;
    w->now = 0;
}

/* Thread `t`.  If it is new the others may move. */
RFI_FN rfi_waiter *rfi_waiter_of(uint32_t t) {
    struct rfi_wakes *w = &rfi_wakes;
    if (RFI_LIKELY(t < w->waiters)) return &w->waiter[t];
    w->waiter = rfi_grow(w->waiter, &w->waiter_capacity, t + 1, sizeof *w->waiter);
    for (; w->made <= t; w->made++) w->waiter[w->made] = (rfi_waiter){.holds = 0};
    for (; w->waiters <= t; w->waiters++) {
        rfi_waiter *u = &w->waiter[w->waiters];
        u->holds = u->now.count = 0;
        u->now.many = u->suspected = false;
        u->state = RFI_AWAKE;
    }
    return &w->waiter[t];
}

/* ---- what is held ---- */

/* Keeps the last looks. */
RFI_FN void rfi_looks_trim(rfi_looks *l) {
    l->many = false;
    if (l->count <= RFI_GLANCES) return;
    memmove(l->look, l->look + l->count - RFI_GLANCES, RFI_GLANCES * sizeof *l->look);
    l->count = RFI_GLANCES;
}

RFI_FN rfi_grip *rfi_waiter_holds(const rfi_waiter *t, uint32_t mutex) {
    for (uint32_t i = 0; i < t->holds; i++)
        if (t->hold[i].object == mutex) return &t->hold[i];
    return NULL;
}

RFI_FN uint64_t *rfi_wakes_released(uint32_t t, uint32_t mutex) {
    return rfi_map_at(&rfi_wakes.released, (uint64_t)t << 32 | mutex);
}

RFI_FN void rfi_wakes_lock(const rf_event *e) {
    rfi_waiter *t = rfi_waiter_of(e->thread);
    uint32_t own = rfi_actor_of(&rfi_wakes.actors, e->thread)->own;
    if (!t->holds) rfi_looks_trim(&t->now);
    t->hold = rfi_grow(t->hold, &t->hold_capacity, t->holds + 1, sizeof *t->hold);
    t->hold[t->holds++] = (rfi_grip){e->site, e->object, own, t->now.count};
}

/* ---- what is looked at and changed ---- */

RFI_FN void rfi_wakes_look(const rf_event *e) {
    rfi_waiter *t = rfi_waiter_of(e->thread);
    rfi_looks *l = &t->now;
    rfi_look look = {(uintptr_t)e->addr, (uintptr_t)e->addr + e->size, rfi_wakes.now};
    uint32_t first = t->holds ? t->hold[t->holds - 1].looks : 0; /* since the last lock */
    rfi_look *last = l->count > first ? &l->look[l->count - 1] : NULL;
    if (last && last->from == look.from && last->to == look.to) {
        if (!t->holds) *last = look;
        return;
    }
    if (!t->holds && l->count == 2 * RFI_GLANCES) rfi_looks_trim(l);
    l->many |= l->count == RFI_LOOKS;
    if (l->many) return;
    l->look = rfi_grow(l->look, &l->capacity, l->count + 1, sizeof *l->look);
    l->look[l->count++] = look;
}

RFI_FN void rfi_wakes_change(const rf_event *e) {
    rfi_shadow *s = &rfi_wakes.changes;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        void **place = rfi_shadow_at(s, g);
        uint8_t mask = rfi_shadow_mask(g, from, to);
        rfi_change *c = *place;
        while (c && c->mask != mask) c = c->next;
        if (!c) {
            c = rfi_arena_take(&s->arena, sizeof *c);
            c->next = *place;
            *place = c;
        }
        *c = (rfi_change){c->next, e->site, rfi_wakes.now, e->thread, (uint32_t)e->size, mask};
    }
}

/* Is a change kept, by the notifier `by` or by the mutex that its thread held then, or took before
 * the notification that is made now? */
RFI_FN bool rfi_change_kept(const rfi_change *c, uint32_t mutex, uint32_t by) {
    return rfi_waiter_holds(rfi_waiter_of(by), mutex) ||
           rfi_waiter_holds(rfi_waiter_of(c->thread), mutex) ||
           *rfi_wakes_released(c->thread, mutex) > c->at || *rfi_wakes_released(by, mutex) > c->at;
}

typedef bool rfi_change_wanted(const rfi_change *c, void *arg);

/* Is there a change by another thread of what `t` has seen in its looks first .. end - 1, that is
 * wanted? */
RFI_FN bool rfi_changed(uint32_t t, const rfi_looks *l, uint32_t first, uint32_t end,
                        rfi_change_wanted *wanted, void *arg) {
    for (uint32_t i = first; i < end; i++) {
        const rfi_look *look = &l->look[i];
        uintptr_t stop = (look->to - 1) / RFI_GRANULE + 1, g = look->from / RFI_GRANULE;
        for (; (g = rfi_shadow_next(&rfi_wakes.changes, g, stop)) < stop; g++)
            for (rfi_change *c = rfi_shadow_get(&rfi_wakes.changes, g); c; c = c->next)
                if (c->thread != t && c->at > look->at &&
                    c->mask & rfi_shadow_mask(g, look->from, look->to) && wanted(c, arg))
                    return true;
    }
    return false;
}

/* ---- suspicion ---- */

/* A change that is kept; one that is not is remembered. */
RFI_FN bool rfi_want_kept(const rfi_change *c, void *waiter) {
    rfi_waiter *u = waiter;
    if (rfi_change_kept(c, u->s.taken.object, u->s.notice.thread)) return true;
    u->s.change = *c;
    return false;
}

RFI_FN bool rfi_want_early(const rfi_change *c, void *waiter) {
    rfi_waiter *u = waiter;
    u->s.change = *c;
    return u->s.early = true;
}

RFI_FN bool rfi_want_by_notifier(const rfi_change *c, void *waiter) {
    return c->thread == ((rfi_waiter *)waiter)->s.notice.thread;
}

/* Behind the notification, perhaps with a notification of its own. */
RFI_FN bool rfi_want_later(const rfi_change *c, void *waiter) {
    rfi_waiter *u = waiter;
    if (c->at > u->s.at) u->s.later = c->at;
    return false;
}

/* Thread `by` has woken `t`. */
RFI_FN void rfi_wakes_notify(uint32_t by, uint32_t t) {
    struct rfi_wakes *w = &rfi_wakes;
    (void)rfi_waiter_of(rf_threads() - 1); /* from here on nobody moves */
    rfi_waiter *u = rfi_waiter_of(t);
    rfi_suspicion *s = &u->s;
    if (u->state != RFI_ASLEEP) return;
    u->state = RFI_WOKEN;
    bool locked = rfi_waiter_holds(rfi_waiter_of(by), s->taken.object);
    uint32_t own = locked ? s->taken.own : s->own, first = s->taken.looks;
    if (u->before.many || own <= rfi_clock_get(&rfi_actor_of(&w->actors, by)->clock, t)) return;
    s->notice = w->notice;
    s->at = w->now;
    s->locked = locked;
    if (rfi_changed(t, &u->before, first, u->before.count, rfi_want_kept, u)) return;
    if (!s->change.site) (void)rfi_changed(t, &u->before, 0, first, rfi_want_early, u);
    u->suspected = true;
    u->s.locks = rf_thread_locks(by, u->s.lock, RFI_NOTICE_LOCKS);
    if (u->s.locks > RFI_NOTICE_LOCKS) u->s.locks = RFI_NOTICE_LOCKS;
    w->locked += locked;
}

/* A notifier releases the mutex: what it has changed is kept. */
RFI_FN void rfi_wakes_lift(uint32_t by, uint32_t mutex) {
    struct rfi_wakes *w = &rfi_wakes;
    for (uint32_t t = 0; w->locked && t < w->waiters; t++) {
        rfi_waiter *u = &w->waiter[t];
        if (!u->suspected || !u->s.locked || u->s.notice.thread != by || u->s.taken.object != mutex)
            continue;
        if (rfi_changed(t, &u->before, u->s.taken.looks, u->before.count, rfi_want_by_notifier, u))
            u->suspected = false;
        u->s.locked = false;
        w->locked--;
    }
}

RFI_FN const char *rfi_suspicion_text(const rfi_suspicion *s) {
    if (s->later)
        return "What the waiter checks is changed after the notification: a waiter that checks "
               "between the two waits for one that is gone.";
    if (!s->change.site)
        return "The waiter checks nothing that the notifier changes: a notification that comes "
               "first is lost.";
    if (s->early)
        return "The waiter checks before it takes the mutex: a notification that comes between is "
               "lost.";
    return "What the waiter checks is changed without its mutex: a notification between the check "
           "and the wait is lost.";
}

RFI_FN void rfi_wakes_report(const rfi_suspicion *s) {
    bool again = s->taken.site == s->wait.site; /* taken back by an earlier wait */
    rf_warning w = {
        .family = RF_FAMILY_LOST_WAKEUP, .by = "lostwakeup", .text = rfi_suspicion_text(s)};
    if (!again)
        w.place[w.places++] = (rf_place){.site = s->taken.site,
                                         .role = "takes",
                                         .thread = s->wait.thread,
                                         .object = s->taken.object};
    w.place[w.places++] = (rf_place){.site = s->wait.site,
                                     .role = "waits for",
                                     .thread = s->wait.thread,
                                     .object = s->wait.object};
    w.place[w.places++] =
        (rf_place){.site = s->notice.site,
                   .role = s->notice.kind == RF_EV_SIGNAL ? "signals" : "broadcasts",
                   .thread = s->notice.thread,
                   .object = s->notice.object,
                   .locks = (uint16_t)s->locks,
                   .lock = s->lock};
    if (s->change.site)
        w.place[w.places++] = (rf_place){.site = s->change.site,
                                         .thread = s->change.thread,
                                         .size = s->change.size,
                                         .flags = RF_EV_WRITES};
    w.targets = s->change.site ? 4 : 3;
    w.target[0] = rf_site_key(s->change.site && !s->early ? s->wait.site : s->taken.site);
    w.target[1] = rf_site_key(s->wait.site);
    w.target[2] = rf_site_key(s->notice.site);
    if (s->change.site) w.target[3] = rf_site_key(s->change.site);
    rf_warn(&w);
}

/* Did the waiter look at something again since it woke? */
RFI_FN bool rfi_waiter_looked_again(const rfi_waiter *u) {
    for (uint32_t i = u->s.taken.looks; i < u->before.count; i++)
        for (uint32_t k = 0; k < u->now.count; k++)
            if (u->before.look[i].from < u->now.look[k].to &&
                u->now.look[k].from < u->before.look[i].to)
                return true;
    return false;
}

/* A waiter that was woken goes on: it releases the mutex, or waits once more.  Has it looked again,
 * and seen a change that is younger than the notification, then all is well if another
 * notification follows that change: this is known when the execution has ended. */
RFI_FN void rfi_waiter_settle(rfi_waiter *u, const rf_event *e) {
    struct rfi_wakes *w = &rfi_wakes;
    bool suspected = u->suspected;
    if (u->state != RFI_WOKEN) return;
    u->state = RFI_AWAKE;
    u->suspected = false;
    if (!suspected) return;
    if (rfi_waiter_looked_again(u)) {
        if (e->kind == RF_EV_WAIT && e->object == u->s.wait.object) return;
        (void)rfi_changed(e->thread, &u->before, u->s.taken.looks, u->before.count, rfi_want_later,
                          u);
    }
    if (!u->s.later)
        rfi_wakes_report(&u->s);
    else if (*rfi_map_at(&w->noticed, u->s.wait.object) < u->s.later && w->pending < RFI_PENDING)
        w->open[w->pending++] = u->s;
}

/* A notification: changes before it are all right. */
RFI_FN void rfi_wakes_notice(const rf_event *e) {
    struct rfi_wakes *w = &rfi_wakes;
    uint32_t n = 0;
    w->notice = *e;
    *rfi_map_at(&w->noticed, e->object) = w->now;
    for (uint32_t i = 0; i < w->pending; i++)
        if (w->open[i].wait.object != e->object) w->open[n++] = w->open[i];
    w->pending = n;
}

RFI_FN void rfi_wakes_end(void) {
    for (uint32_t i = 0; i < rfi_wakes.pending; i++) rfi_wakes_report(&rfi_wakes.open[i]);
}

/* ---- events ---- */

RFI_FN void rfi_wakes_wait(const rf_event *e) {
    rfi_waiter *u = rfi_waiter_of(e->thread);
    rfi_waiter_settle(u, e);
    const rfi_grip *taken = rfi_waiter_holds(u, e->other);
    if (!taken || e->flags & RF_EV_TIMED) return;
    u->s = (rfi_suspicion){.wait = *e, .taken = *taken};
    u->s.own = rfi_actor_of(&rfi_wakes.actors, e->thread)->own;
    u->state = RFI_ASLEEP;
    rfi_looks spare = u->before;
    u->before = u->now;
    u->now = spare;
    u->now.count = 0;
    u->now.many = false;
    for (uint32_t i = 0; i < u->holds; i++) u->hold[i].looks = 0;
}

RFI_FN void rfi_wakes_unlock(const rf_event *e) {
    rfi_waiter *u = rfi_waiter_of(e->thread);
    rfi_grip *h = rfi_waiter_holds(u, e->object);
    if (e->object == u->s.taken.object) rfi_waiter_settle(u, e);
    if (rfi_wakes.locked) rfi_wakes_lift(e->thread, e->object);
    *rfi_wakes_released(e->thread, e->object) = rfi_wakes.now;
    if (!h) return;
    memmove(h, h + 1, (size_t)(&u->hold[u->holds] - (h + 1)) * sizeof *h);
    u->holds--;
}

RFI_FN void rfi_wakes_access(const rf_event *e) {
    if (!e->size) return;
    rfi_order_access(&rfi_wakes.order, e);
    if (e->flags & RF_EV_READS) rfi_wakes_look(e);
    if (e->flags & RF_EV_WRITES) rfi_wakes_change(e);
}

RFI_FN void rfi_wakes_event(const rf_event *e) {
    rfi_wakes.now++;
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE:
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_wakes_access(e); return;
    case RF_EV_LOCK: rfi_wakes_lock(e); return;
    case RF_EV_UNLOCK: rfi_wakes_unlock(e); return;
    case RF_EV_WAIT: rfi_wakes_wait(e); return;
    case RF_EV_WAKE:
        if (e->value != RF_WAKE_SIGNAL) rfi_waiter_of(e->thread)->state = RFI_AWAKE;
        return;
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST: rfi_wakes_notice(e); return;
    case RF_EV_NOTIFY: rfi_wakes_notify(e->thread, e->other); return;
    default: rfi_order_event(&rfi_wakes.order, e);
    }
}

/* clang-format off */
# define RFI_WAKES_EVENTS \
    (RFI_ORDER_EVENTS | RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) | \
     RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_RECYCLE) | \
     RF_EV_BIT(RF_EV_WAIT) | RF_EV_BIT(RF_EV_WAKE) | RF_EV_BIT(RF_EV_SIGNAL) | \
     RF_EV_BIT(RF_EV_BROADCAST))
/* clang-format on */

RFI_VAR rf_analysis rfi_lostwakeup_analysis = {
    .wakes = RF_EV_BIT(RF_EV_WAIT),
    .name = "lostwakeup",
    .help = "signals and broadcasts that may come before the wait and be lost",
    .events = RFI_WAKES_EVENTS,
    .begin = rfi_wakes_begin,
    .event = rfi_wakes_event,
    .end = rfi_wakes_end};
#endif
#endif
