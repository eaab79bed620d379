/* engine/lock.h: mutexes, spin locks and read-write locks.
 *
 * A blocking operation is announced with the lock it wants and is enabled while it can have it; a
 * try or timed one is always enabled, and gives up if the lock is not free when it executes (a
 * time-out may fire whenever it could).  Re-entrant operations change no ownership and make events
 * of their own kind (docs/inside/internals.md, The event stream).
 */
#ifndef RFI_ENGINE_LOCK_H
#define RFI_ENGINE_LOCK_H
#include "engine/access.h"
#include "engine/call.h"

#ifdef RFI_IMPL
/* ---- what all objects have in common ---- */

/* The making or the end of an object is no scheduling point, but for a checker that is directed at
 * it: true, it is announced, and it is its turn. */
RFI_FN bool rfi_object_point(const rfi_object *o, unsigned kind, const rf_site *s) {
    rfi_thr *t = rfi.current;
    if (RFI_LIKELY(!rfi.plan->checker) || rfi.quiet || !(rfi_site_mode(s) & RFI_POINT))
        return false;
    rf_event *e = rfi_announce(t, kind, s);
    e->addr = o;
    e->flags = rfi_makes();
    rfi_schedule(t);
    return true;
}

/* It has been made, or is about to end. */
RFI_FN void rfi_object_changed(const rfi_object *o, unsigned kind, const rf_site *s, bool point) {
    if (!point) {
        rfi_note(kind, s, o->number, 0);
        return;
    }
    rfi.current->next.object = o->number;
    rfi_executed(&rfi.current->next);
}

RFI_FN void rfi_object_init(rfi_object *o, unsigned type, const rf_site *s, const char *name) {
    if (!RFI_ME(s)) {
        *o = (rfi_object){0};
        return;
    }
    bool point = rfi_object_point(o, RF_EV_INIT, s);
    rfi_heap_check_object(s, o);
    if (rfi_object_used(o)) rfi_fail_busy(RF_DIAG_REINIT, s, o);
    rfi_object_register(o, type, s, name ? name : rfi_site_text(s));
    rfi_object_changed(o, RF_EV_INIT, s, point);
}

/* `busy`: it is held. */
RFI_FN void rfi_object_destroy(rfi_object *o, unsigned type, const rf_site *s, bool busy) {
    if (!RFI_ME(s)) return;
    bool point = rfi_object_point(o, RF_EV_DESTROY, s);
    if (point) busy = rfi_object_used(o);
    if (rfi_object_new(o, type, s)) busy = false;
    if (busy || o->waiters) rfi_fail_busy(RF_DIAG_DESTROY_BUSY, s, o);
    rfi_object_changed(o, RF_EV_DESTROY, s, point);
    o->type = RFI_DESTROYED;
    o->number = 0;
}

/* ---- who may take them ---- */

RFI_FN bool rfi_ready_mutex(const rfi_thr *t) { return !((const rf_mutex *)t->waits_on)->owner; }
RFI_FN bool rfi_ready_spin(const rfi_thr *t) { return !((const rf_spin *)t->waits_on)->owner; }
RFI_FN bool rfi_ready_read(const rfi_thr *t) {
    const rf_rwlock *l = (const rf_rwlock *)t->waits_on;
    return !l->writer && !l->ahead;
}
RFI_FN bool rfi_ready_write(const rfi_thr *t) {
    const rf_rwlock *l = (const rf_rwlock *)t->waits_on;
    return !l->writer && !l->readers;
}

/* Announces and schedules a lock operation; true when the caller may take the lock now. */
RFI_INLINE bool rfi_lock_point(rfi_thr *t, rfi_object *o, const rf_site *s, unsigned flags,
                               bool (*ready)(const rfi_thr *)) {
    bool retry = t->next.site == s && t->next.kind == RF_EV_TRYFAIL;
    rf_event *e = rfi_announce(t, RF_EV_LOCK, s);
    e->object = o->number;
    e->flags = (uint16_t)flags;
    if (!(flags & (RF_EV_TRY | RF_EV_TIMED))) {
        rfi_wait_on(t, o, ready);
        rfi_schedule(t);
        rfi_wait_off(t);
        return true;
    }
    t->repeats = retry ? t->repeats + 1 : 0;
    rfi_may_spin(t, t->repeats, RFI_YIELD_REPEAT);
    if (flags & RF_EV_TIMED) rfi_due(t);
    if (t->due) rfi_wait_on(t, o, ready);
    rfi_schedule(t);
    if (t->waits_on) rfi_wait_off(t);
    rfi_object_still(o, e);
    t->waits_on = o;
    bool free = ready(t) && !t->refused;
    t->refused = false;
    t->waits_on = NULL;
    if (flags & RF_EV_TIMED) rfi_due_over(t, !free);
    if (!free) {
        e->kind = RF_EV_TRYFAIL;
        rfi_executed(e);
    }
    return free;
}

RFI_FN void rfi_locked(rfi_thr *t, rfi_object *o, const rf_site *s) {
    rfi_hold(t, o, s, t->next.flags & RF_EV_SHARED);
    if (o->waiters) rfi_reconsider(o);
    rfi_executed(&t->next);
}

/* Announces and schedules an unlock of something held, and strikes it off the list. */
RFI_INLINE void rfi_unlock_point(rfi_thr *t, rfi_object *o, const rf_site *s, rfi_held *h) {
    rf_event *e = rfi_announce(t, RF_EV_UNLOCK, s);
    e->object = o->number;
    e->flags = h->shared ? RF_EV_SHARED : 0;
    rfi_schedule(t);
    rfi_unhold(t, h);
    if (RFI_UNLIKELY(t->held_count && rfi_holds(t, o))) e->kind = RF_EV_REUNLOCK;
    rfi_executed(e);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_unlock(const rfi_object *o, const rf_site *s,
                                                  uint32_t owner) {
    if (!owner) rfi_fail(RF_DIAG_UNLOCK_FREE, s, "%s is not locked", rfi_object_called(o));
    rfi_fail(RF_DIAG_UNLOCK_OTHER, s, "%s is held by T%u, not by T%u", rfi_object_called(o),
             owner - 1, rfi.current->id);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_relock(rfi_thr *t, rfi_object *o, const rf_site *s) {
    const rfi_held *h = rfi_holds(t, o);
    rfi_fail(RF_DIAG_RELOCK, s, "T%u already holds %s since %s", t->id, rfi_object_called(o),
             RFI_AT(h->site));
}

/* ---- mutex ---- */

void rfi_mutex_init(const rf_site *s, rf_mutex *m, const char *name, int kind) {
    bool both = kind & RF_MUTEX_INHERIT && kind & RFI_MUTEX_CEILS;
    if (kind < 0 || both || (kind & RFI_MUTEX_TYPE) > RF_MUTEX_ERRORCHECK)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "%d is no kind of mutex", kind);
    rfi_object_init(&m->object, RFI_MUTEX, s, name);
    m->owner = m->depth = 0;
    m->kind = kind;
}

void rfi_mutex_destroy(const rf_site *s, rf_mutex *m) {
    rfi_object_destroy(&m->object, RFI_MUTEX, s, m->owner);
}

RFI_INLINE void rfi_mutex_enter(rf_mutex *m, const rf_site *s) {
    if (RFI_UNLIKELY(rfi_object_new(&m->object, RFI_MUTEX, s))) m->owner = m->depth = 0;
}

/* The owner locks again: true if that is all right. */
RFI_FN bool rfi_mutex_again(rfi_thr *t, rf_mutex *m, const rf_site *s, bool try) {
    if ((m->kind & RFI_MUTEX_TYPE) != RF_MUTEX_RECURSIVE) {
        if (try) return false;
        rfi_fail_relock(t, &m->object, s);
    }
    m->depth++;
    rfi_note(RF_EV_RELOCK, s, m->object.number, 0);
    return true;
}

RFI_INLINE uint32_t rfi_ceiling(const rf_mutex *m) { return (uint32_t)m->kind >> 8; }

/* The thread has a higher priority than the ceiling of the mutex. */
RFI_INLINE bool rfi_above_ceiling(rfi_thr *t, const rf_mutex *m) {
    return RFI_UNLIKELY(m->kind & RFI_MUTEX_CEILS) && rfi_base(t)->priority > rfi_ceiling(m);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_ceiling(rfi_thr *t, rf_mutex *m, const rf_site *s) {
    rfi_fail(RF_DIAG_CEILING, s, "T%u, of priority %u, has locked %s, the ceiling of which is %u",
             t->id, rfi_base(t)->priority, rfi_object_called(&m->object), rfi_ceiling(m));
}

RFI_INLINE bool rfi_mutex_take(const rf_site *s, rf_mutex *m, unsigned flags) {
    rfi_thr *t = RFI_ME(s);
    if (RFI_UNLIKELY(!t || rfi.quiet)) return true;
    rfi_mutex_enter(m, s);
    if (RFI_UNLIKELY(m->owner == t->id + 1)) return rfi_mutex_again(t, m, s, flags & RF_EV_TRY);
    if (!rfi_lock_point(t, &m->object, s, flags, rfi_ready_mutex)) return false;
    m->owner = t->id + 1;
    rfi_locked(t, &m->object, s);
    if (rfi_above_ceiling(t, m) && rfi.run.ranked) rfi_fail_ceiling(t, m, s);
    return true;
}

RFI_FN void rfi_mutex_lock_now(const rf_site *s, rf_mutex *m) { (void)rfi_mutex_take(s, m, 0); }
RFI_LOCKED(rfi_mutex_lock, (const rf_site *s, rf_mutex *m), (s, m))

RFI_FN RFI_APART bool rfi_mutex_trylock_now(const rf_site *s, rf_mutex *m) {
    return rfi_mutex_take(s, m, RF_EV_TRY);
}
RFI_TRIED(rfi_mutex_trylock, (const rf_site *s, rf_mutex *m), (s, m))

RFI_FN RFI_APART bool rfi_mutex_timedlock_now(const rf_site *s, rf_mutex *m, uint64_t ms) {
    rfi_deadline(ms);
    return rfi_mutex_take(s, m, RF_EV_TIMED);
}
RFI_TRIED(rfi_mutex_timedlock, (const rf_site *s, rf_mutex *m, uint64_t ms), (s, m, ms))

void rfi_mutex_unlock(const rf_site *s, rf_mutex *m) {
    rfi_thr *t = RFI_ME(s);
    if (RFI_UNLIKELY(!t || rfi.quiet)) return;
    rfi_mutex_enter(m, s);
    if (RFI_UNLIKELY(m->owner != t->id + 1)) rfi_fail_unlock(&m->object, s, m->owner);
    if (RFI_UNLIKELY(m->depth)) {
        m->depth--;
        rfi_note(RF_EV_REUNLOCK, s, m->object.number, 0);
        return;
    }
    rfi_unlock_point(t, &m->object, s, rfi_holds(t, &m->object));
    m->owner = 0;
    if (m->object.waiters) rfi_reconsider(&m->object);
}

/* ---- spin lock: a mutex without kinds ---- */

void rfi_spin_init(const rf_site *s, rf_spin *l, const char *name) {
    rfi_object_init(&l->object, RFI_SPIN, s, name);
    l->owner = 0;
}

void rfi_spin_destroy(const rf_site *s, rf_spin *l) {
    rfi_object_destroy(&l->object, RFI_SPIN, s, l->owner);
}

RFI_FN bool rfi_spin_take(const rf_site *s, rf_spin *l, unsigned flags) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&l->object, RFI_SPIN, s)) l->owner = 0;
    if (l->owner == t->id + 1) {
        if (flags & RF_EV_TRY) return false;
        rfi_fail_relock(t, &l->object, s);
    }
    if (!rfi_lock_point(t, &l->object, s, flags, rfi_ready_spin)) return false;
    l->owner = t->id + 1;
    rfi_locked(t, &l->object, s);
    return true;
}

RFI_FN void rfi_spin_lock_now(const rf_site *s, rf_spin *l) { (void)rfi_spin_take(s, l, 0); }
RFI_LOCKED(rfi_spin_lock, (const rf_site *s, rf_spin *l), (s, l))

RFI_FN RFI_APART bool rfi_spin_trylock_now(const rf_site *s, rf_spin *l) {
    return rfi_spin_take(s, l, RF_EV_TRY);
}
RFI_TRIED(rfi_spin_trylock, (const rf_site *s, rf_spin *l), (s, l))

void rfi_spin_unlock(const rf_site *s, rf_spin *l) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    if (rfi_object_new(&l->object, RFI_SPIN, s)) l->owner = 0;
    if (l->owner != t->id + 1) rfi_fail_unlock(&l->object, s, l->owner);
    rfi_unlock_point(t, &l->object, s, rfi_holds(t, &l->object));
    l->owner = 0;
    if (l->object.waiters) rfi_reconsider(&l->object);
}

/* ---- read-write lock: no preference, whoever is chosen gets it ---- */

void rfi_rwlock_init(const rf_site *s, rf_rwlock *l, const char *name) {
    rfi_object_init(&l->object, RFI_RWLOCK, s, name);
    l->writer = l->readers = l->ahead = 0;
}

void rfi_rwlock_destroy(const rf_site *s, rf_rwlock *l) {
    rfi_object_destroy(&l->object, RFI_RWLOCK, s, l->writer || l->readers);
}

RFI_INLINE void rfi_rwlock_enter(rf_rwlock *l, const rf_site *s) {
    if (RFI_UNLIKELY(rfi_object_new(&l->object, RFI_RWLOCK, s)))
        l->writer = l->readers = l->ahead = 0;
}

RFI_FN bool rfi_rwlock_take(const rf_site *s, rf_rwlock *l, unsigned flags) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return true;
    rfi_rwlock_enter(l, s);
    bool shared = flags & RF_EV_SHARED;
    const rfi_held *h = rfi_holds(t, &l->object);
    if (h &&
        !(shared && h->shared)) { /* reading twice is allowed, everything else blocks for ever */
        if (flags & RF_EV_TRY) return false;
        rfi_fail_relock(t, &l->object, s);
    }
    if (!rfi_lock_point(t, &l->object, s, flags, shared ? rfi_ready_read : rfi_ready_write))
        return false;
    if (shared)
        l->readers++;
    else
        l->writer = t->id + 1;
    if (h) t->next.kind = RF_EV_RELOCK;
    rfi_locked(t, &l->object, s);
    return true;
}

/* From when a writer of that kind has come, which is a step of its own, no reader is let in before
 * it, also one that holds the lock already; so is that it goes, having waited in vain. */
RFI_FN bool rfi_rwlock_take_ahead(const rf_site *s, rf_rwlock *l, unsigned flags,
                                  const char *name) {
    rfi_rwlock_enter(l, s);
    rfi_call_to(s, name, &l->object, false);
    if (rfi.current) rfi.current->whole = true;
    l->ahead++;
    rfi_reconsider(&l->object);
    bool taken = rfi_rwlock_take(s, l, flags);
    if (!taken) rfi_call_to(s, name, &l->object, false);
    l->ahead--;
    if (rfi.current) rfi.current->whole = false;
    rfi_reconsider(&l->object);
    return taken;
}

RFI_FN void rfi_rwlock_rdlock_now(const rf_site *s, rf_rwlock *l) {
    (void)rfi_rwlock_take(s, l, RF_EV_SHARED);
}
RFI_LOCKED(rfi_rwlock_rdlock, (const rf_site *s, rf_rwlock *l), (s, l))

void rfi_rwlock_wrlock(const rf_site *s, rf_rwlock *l) { (void)rfi_rwlock_take(s, l, 0); }
RFI_FN RFI_APART bool rfi_rwlock_tryrdlock_now(const rf_site *s, rf_rwlock *l) {
    return rfi_rwlock_take(s, l, RF_EV_SHARED | RF_EV_TRY);
}
RFI_TRIED(rfi_rwlock_tryrdlock, (const rf_site *s, rf_rwlock *l), (s, l))

RFI_FN RFI_APART bool rfi_rwlock_trywrlock_now(const rf_site *s, rf_rwlock *l) {
    return rfi_rwlock_take(s, l, RF_EV_TRY);
}
RFI_TRIED(rfi_rwlock_trywrlock, (const rf_site *s, rf_rwlock *l), (s, l))

void rfi_rwlock_unlock(const rf_site *s, rf_rwlock *l) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_rwlock_enter(l, s);
    rfi_held *h = rfi_holds(t, &l->object);
    if (!h) {
        if (l->readers)
            rfi_fail(RF_DIAG_UNLOCK_OTHER, s, "%s is held for reading by others, not by T%u",
                     rfi_object_called(&l->object), t->id);
        rfi_fail_unlock(&l->object, s, l->writer);
    }
    bool shared = h->shared;
    rfi_unlock_point(t, &l->object, s, h);
    if (shared)
        l->readers--;
    else
        l->writer = 0;
    if (l->object.waiters) rfi_reconsider(&l->object);
}
#endif
#endif
