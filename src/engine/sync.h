/* engine/sync.h: condition variables, semaphores, barriers and once. */
#ifndef RFI_ENGINE_SYNC_H
#define RFI_ENGINE_SYNC_H
#include "engine/call.h"
#include "engine/lock.h"

#ifdef RFI_IMPL
/* Ends the wait of a thread, if it is one that may end so, or else the next one: for a condition,
 * where the analyses see a spurious wake-up, of rfi_sem_wait_or_not, rfi_join_or_not, or asleep.
 * The caller tells the thread why, and the thread clears the flag. */
RFI_FN void rfi_cond_leave(rf_cond *c, rfi_thr *t);

RFI_FN void rfi_interrupt(rfi_thr *u) {
    u->interrupted = true;
    if (u->next.kind == RF_EV_WAKE && u->uses && !u->notified) {
        rfi_cond_leave((rf_cond *)(uintptr_t)u->uses, u);
        u->notified = true;
        u->wake = RF_WAKE_SPURIOUS;
    }
    if (u->ready) rfi_set_enabled(u, rfi_ready(u));
}

/* ---- condition variable ----
 *
 * A wait is two operations: release the mutex and join the queue; then, once signalled (or timed
 * out, or woken spuriously) and the mutex is free, take it again.  A signal wakes one waiter,
 * drawn from the schedule's stream. */

void rfi_cond_init(const rf_site *s, rf_cond *c, const char *name) {
    rfi_object_init(&c->object, RFI_COND, s, name);
}

void rfi_cond_destroy(const rf_site *s, rf_cond *c) {
    rfi_object_destroy(&c->object, RFI_COND, s, false);
}

/* The second half waits on the mutex; the condition's own list holds those not yet woken. */
RFI_FN bool rfi_ready_wake(const rfi_thr *t) {
    return !((const rf_mutex *)t->waits_on)->owner && (t->notified || t->timed);
}

RFI_FN void rfi_cond_leave(rf_cond *c, rfi_thr *t) {
    uint32_t *link = &c->object.waiters;
    while (*link && *link != t->id + 1) link = &rfi.thread[*link - 1]->queue_next;
    if (*link) *link = t->queue_next;
    t->uses = NULL;
}

RFI_FN void rfi_cond_enter(rf_cond *c, rfi_thr *t) {
    uint32_t *link = &c->object.waiters;
    while (*link) link = &rfi.thread[*link - 1]->queue_next;
    *link = t->id + 1;
    t->queue_next = 0;
    t->uses = &c->object;
}

/* All that wait at a time must have released the same mutex. */
RFI_FN void rfi_cond_same_mutex(const rf_cond *c, const rf_mutex *m, const rf_site *s) {
    const rfi_thr *u = rfi.thread[c->object.waiters - 1];
    char its[RFI_NAME_BYTES + 16];
    if (u->next.other == m->object.number) return;
    rfi_fail(RF_DIAG_WAIT_MUTEX, s, "T%u waits for %s with mutex %s, while T%u waits with %s",
             rfi.current->id, rfi_object_called(&c->object), rfi_object_called(&m->object), u->id,
             rfi_object_label(u->next.other, its, sizeof its));
}

/* Under a strategy that knows memory itself it is chosen before a wait begins whether it ends by
 * itself, 0: it does not, since those that wait do nothing to each other; and not twice in a row by
 * the same statement, unless the rounds of loops are bounded. */
RFI_FN uint32_t rfi_wait_ends(rfi_thr *t, const rf_site *s, uint32_t ways) {
    bool again = t->early == s && !rfi.plan->unroll;
    uint32_t how = again ? 0 : rfi_choose_of(ways, NULL);
    t->early = how ? s : NULL;
    t->tired = again && ways > 1;
    return how;
}

/* Does a wait end by itself, and t->wake how? */
RFI_FN bool rfi_wait_early(rfi_thr *t, const rf_site *s, bool timed) {
    t->wake = RF_WAKE_SPURIOUS;
    if (!rfi.strategy->values || t->interrupted) return t->interrupted || rfi_spurious();
    uint32_t how = rfi_wait_ends(t, s, 1u + timed + rfi.spurious);
    if (timed && how == 1) t->wake = RF_WAKE_TIMEOUT;
    return how;
}

RFI_FN bool rfi_cond_block(const rf_site *s, rf_cond *c, rf_mutex *m, bool timed) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&c->object, RFI_COND, s)) c->object.waiters = 0;
    rfi_mutex_enter(m, s);
    if (m->owner != t->id + 1)
        rfi_fail(RF_DIAG_WAIT_UNLOCKED, s, "T%u waits for %s and does not hold the mutex", t->id,
                 rfi_site_object(s));
    if (m->depth)
        rfi_fail(RF_DIAG_WAIT_DEPTH, s,
                 "T%u waits for %s, but mutex %s, locked more than once, stays locked", t->id,
                 rfi_object_called(&c->object), rfi_object_called(&m->object));
    rf_event *e = rfi_announce(t, RF_EV_WAIT, s);
    e->object = c->object.number;
    e->other = m->object.number;
    e->flags = timed ? RF_EV_TIMED : 0;
    bool chosen = rfi.strategy->values;
    if (RFI_UNLIKELY(chosen)) t->notified = rfi_wait_early(t, s, timed);
    rfi_schedule(t);
    rfi_object_still(&c->object, e);
    if (c->object.waiters) rfi_cond_same_mutex(c, m, s);
    rfi_executed(e);
    rfi_note(RF_EV_UNLOCK, s, m->object.number, 0);
    rfi_unhold(t, rfi_holds(t, &m->object));
    if (RFI_UNLIKELY(rfi.functions)) rfi_functions_wait(t);
    m->owner = 0;
    t->timed = false;
    if (timed) rfi_due(t);
    if (!chosen) t->notified = rfi_wait_early(t, s, timed);
    if (!t->notified) rfi_cond_enter(c, t);
    if (m->object.waiters) rfi_reconsider(&m->object);

    e = rfi_announce(t, RF_EV_WAKE, s);
    e->object = c->object.number;
    e->other = m->object.number;
    rfi_wait_on(t, &m->object, rfi_ready_wake);
    rfi_schedule(t);
    rfi_wait_off(t);
    if (!t->notified) {
        rfi_cond_leave(c, t);
        t->wake = RF_WAKE_TIMEOUT;
    }
    if (timed) rfi_due_over(t, t->wake == RF_WAKE_TIMEOUT);
    if (RFI_UNLIKELY(t->wake == RF_WAKE_SPURIOUS)) rfi_unwoken_note(t);
    m->owner = t->id + 1;
    e->value = t->wake;
    rfi_hold(t, &m->object, s, false);
    if (m->object.waiters) rfi_reconsider(&m->object);
    rfi_executed(e);
    rfi_note(RF_EV_LOCK, s, m->object.number, 0);
    return t->wake != RF_WAKE_TIMEOUT;
}

void rfi_cond_wait(const rf_site *s, rf_cond *c, rf_mutex *m) {
    (void)rfi_cond_block(s, c, m, false);
}

bool rfi_cond_timedwait(const rf_site *s, rf_cond *c, rf_mutex *m, uint64_t ms) {
    rfi_deadline(ms);
    return rfi_cond_block(s, c, m, true);
}

/* Time-outs that have fired, unseen as yet because the mutex is taken: a signal comes too late. */
RFI_FN void rfi_cond_expire(rf_cond *c) {
    for (uint32_t w = c->object.waiters, next; w; w = next) {
        rfi_thr *u = rfi.thread[w - 1];
        next = u->queue_next;
        if (!u->timed) continue;
        bool chosen = rfi.strategy->choose != NULL;
        if (!(chosen ? rfi_choose_of(2, NULL) : rfi_chance(&rfi.memory, RFI_EXPIRED))) continue;
        rfi_cond_leave(c, u);
        if (u->until > rfi.run.now) rfi_by_itself_note(&rfi.record->early, u, rfi.current->id);
        u->notified = true;
        u->wake = RF_WAKE_TIMEOUT;
        rfi_set_enabled(u, rfi_ready(u));
    }
}

RFI_FN void rfi_notify(rf_cond *c, rfi_thr *u, const rf_site *s) {
    rfi_cond_leave(c, u);
    u->notified = true;
    u->wake = RF_WAKE_SIGNAL;
    rfi_note(RF_EV_NOTIFY, s, c->object.number, u->id);
    if (u->next.kind == RF_EV_WAKE) rfi_set_enabled(u, rfi_ready(u)); /* else a handler runs */
}

RFI_FN void rfi_cond_wake(const rf_site *s, rf_cond *c, unsigned kind) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    if (rfi_object_new(&c->object, RFI_COND, s)) c->object.waiters = 0;
    rf_event *e = rfi_announce(t, kind, s);
    e->object = c->object.number;
    rfi_schedule(t);
    rfi_object_still(&c->object, e);
    rfi_executed(e);
    bool chosen = rfi.strategy->choose && kind == RF_EV_SIGNAL, late = chosen;
    if (!chosen && !rfi.strategy->values) rfi_cond_expire(c);
    uint32_t n = 0;
    for (uint32_t w = c->object.waiters; w; w = rfi.thread[w - 1]->queue_next, n++)
        late &= rfi.thread[w - 1]->timed;
    late |= rfi.strategy->values; /* it came before them, whatever it looks like */
    if (!n || (late && kind == RF_EV_BROADCAST && rfi_choose_of(2, NULL))) return;
    if (kind == RF_EV_BROADCAST) {
        while (c->object.waiters) rfi_notify(c, rfi.thread[c->object.waiters - 1], s);
        return;
    }
    uint32_t i = rfi_choose_of(n + late, &rfi.schedule);
    uint32_t w = c->object.waiters;
    if (i == n) { /* it comes too late for all */
        const rfi_thr *u = rfi.thread[w - 1];
        if (u->timed && u->until > rfi.run.now) rfi_by_itself_note(&rfi.record->early, u, t->id);
        return;
    }
    while (i--) w = rfi.thread[w - 1]->queue_next;
    rfi_notify(c, rfi.thread[w - 1], s);
}

void rfi_cond_signal(const rf_site *s, rf_cond *c) { rfi_cond_wake(s, c, RF_EV_SIGNAL); }
void rfi_cond_broadcast(const rf_site *s, rf_cond *c) { rfi_cond_wake(s, c, RF_EV_BROADCAST); }

/* ---- semaphore ---- */

void rfi_sem_init(const rf_site *s, rf_sem *m, const char *name, uint32_t n) {
    rfi_object_init(&m->object, RFI_SEM, s, name);
    m->initial = m->count = n;
}

void rfi_sem_destroy(const rf_site *s, rf_sem *m) {
    rfi_object_destroy(&m->object, RFI_SEM, s, false);
}

RFI_FN bool rfi_ready_sem(const rfi_thr *t) { return ((const rf_sem *)t->waits_on)->count > 0; }

RFI_FN bool rfi_ready_sem_or_not(const rfi_thr *t) { return t->interrupted || rfi_ready_sem(t); }

RFI_FN bool rfi_sem_take(const rf_site *s, rf_sem *m, unsigned flags,
                         bool (*ready)(const rfi_thr *)) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&m->object, RFI_SEM, s)) m->count = m->initial;
    if (!rfi_lock_point(t, &m->object, s, flags, ready)) return false;
    if (!m->count) {
        t->next.kind = RF_EV_TRYFAIL;
        rfi_executed(&t->next);
        return false;
    }
    t->next.value = --m->count;
    if (m->object.waiters) rfi_reconsider(&m->object);
    t->next.kind = RF_EV_SEM_WAIT;
    rfi_executed(&t->next);
    return true;
}

void rfi_sem_wait(const rf_site *s, rf_sem *m) { (void)rfi_sem_take(s, m, 0, rfi_ready_sem); }
RFI_FN bool rfi_sem_wait_or_not(const rf_site *s, rf_sem *m) {
    return rfi_sem_take(s, m, 0, rfi_ready_sem_or_not);
}
RFI_FN RFI_APART bool rfi_sem_trywait_now(const rf_site *s, rf_sem *m) {
    return rfi_sem_take(s, m, RF_EV_TRY, rfi_ready_sem);
}
RFI_TRIED(rfi_sem_trywait, (const rf_site *s, rf_sem *m), (s, m))

RFI_FN RFI_APART bool rfi_sem_timedwait_now(const rf_site *s, rf_sem *m, uint64_t ms) {
    rfi_deadline(ms);
    return rfi_sem_take(s, m, RF_EV_TIMED, rfi_ready_sem);
}
RFI_TRIED(rfi_sem_timedwait, (const rf_site *s, rf_sem *m, uint64_t ms), (s, m, ms))

/* RF_EV_TRY in `flags`: what it counts becomes `n`.  The result is what it counted. */
RFI_FN uint32_t rfi_sem_change(const rf_site *s, rf_sem *m, unsigned flags, uint32_t n) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return 0;
    if (rfi_object_new(&m->object, RFI_SEM, s)) m->count = m->initial;
    rf_event *e = rfi_announce(t, RF_EV_SEM_POST, s);
    e->object = m->object.number;
    e->flags = (uint16_t)flags;
    e->value2 = n;
    rfi_schedule(t);
    rfi_object_still(&m->object, e);
    uint32_t was = m->count;
    if (was == UINT32_MAX)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "%s already counts %u", rfi_object_called(&m->object),
                 m->count);
    m->count = flags ? n : was + 1;
    e->value = m->count;
    rfi_executed(e);
    if (m->object.waiters) rfi_reconsider(&m->object);
    return was;
}

void rfi_sem_post(const rf_site *s, rf_sem *m) { (void)rfi_sem_change(s, m, 0, 0); }

/* Whoever asks for its value sees it after this. */
RFI_FN void rfi_sem_look(const rf_site *s, rf_sem *m, const char *name) {
    if (!rfi.current || rfi.quiet) return;
    if (rfi_object_new(&m->object, RFI_SEM, s)) m->count = m->initial;
    rfi_call_on(s, name, &m->object);
}

/* ---- barrier: arrival and departure are two operations ---- */

void rfi_barrier_init(const rf_site *s, rf_barrier *b, const char *name, uint32_t n) {
    if (!n) rfi_fail(RF_DIAG_BAD_COUNT, s, "a barrier for 0 threads");
    rfi_object_init(&b->object, RFI_BARRIER, s, name);
    b->parties = n;
    b->arrived = b->phase = 0;
}

void rfi_barrier_destroy(const rf_site *s, rf_barrier *b) {
    rfi_object_destroy(&b->object, RFI_BARRIER, s, b->arrived);
}

RFI_FN bool rfi_ready_barrier(const rfi_thr *t) { return !t->waits_on; }

/* All that have arrived may depart, and no longer need the barrier: it may be destroyed. */
RFI_FN void rfi_barrier_open(rf_barrier *b) {
    b->arrived = 0;
    b->phase++;
    while (b->object.waiters) {
        rfi_thr *u = rfi.thread[b->object.waiters - 1];
        b->object.waiters = u->wait_next;
        u->waits_on = NULL;
        if (!u->over) rfi_put(rfi.enabled, u->id);
    }
}

bool rfi_barrier_wait(const rf_site *s, rf_barrier *b) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&b->object, RFI_BARRIER, s)) b->arrived = b->phase = 0;
    if (!b->parties)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "barrier %s is for 0 threads",
                 rfi_object_called(&b->object));
    rf_event *e = rfi_announce(t, RF_EV_ARRIVE, s);
    e->object = b->object.number;
    rfi_schedule(t);
    rfi_object_still(&b->object, e);
    e->value = b->phase;
    rfi_executed(e);
    uint64_t phase = b->phase;
    bool last = ++b->arrived == b->parties;
    e = rfi_announce(t, RF_EV_DEPART, s);
    e->object = b->object.number;
    e->value = phase;
    t->leaves = &b->object;
    if (last)
        rfi_barrier_open(b);
    else
        rfi_wait_on(t, &b->object, rfi_ready_barrier);
    rfi_schedule(t);
    t->ready = NULL;
    t->leaves = NULL;
    rfi_executed(e);
    return last;
}

/* ---- once ---- */

enum { RFI_ONCE_NEW, RFI_ONCE_RUNNING, RFI_ONCE_FINISHED, RFI_ONCE_THROWN };

void rfi_once_init(const rf_site *s, rf_once *o, const char *name) {
    rfi_object_init(&o->object, RFI_ONCE, s, name);
    o->state = RFI_ONCE_NEW;
}

void rfi_once_destroy(const rf_site *s, rf_once *o) {
    rfi_object_destroy(&o->object, RFI_ONCE, s, o->state == RFI_ONCE_RUNNING);
}

RFI_FN bool rfi_ready_once(const rfi_thr *t) {
    return ((const rf_once *)t->waits_on)->state != RFI_ONCE_RUNNING;
}

/* Whoever gets true runs the function, and calls rfi_once_end. */
RFI_FN bool rfi_once_begin(const rf_site *s, rf_once *o) {
    rfi_thr *t = RFI_ME(s);
    if (rfi.quiet) rfi_fail_here(s, "RF_ONCE");
    if (rfi_object_new(&o->object, RFI_ONCE, s)) o->state = RFI_ONCE_NEW;
    if (o->state == RFI_ONCE_RUNNING && o->runner == t->id)
        rfi_fail(RF_DIAG_ONCE_RECURSIVE, s, "the function of %s calls it again",
                 rfi_object_called(&o->object));
    rf_event *e = rfi_announce(t, RF_EV_ONCE, s);
    e->object = o->object.number;
    rfi_wait_on(t, &o->object, rfi_ready_once);
    rfi_schedule(t);
    rfi_wait_off(t);
    bool run = o->state != RFI_ONCE_FINISHED, again = o->state == RFI_ONCE_THROWN;
    if (run) {
        o->state = RFI_ONCE_RUNNING;
        o->runner = t->id;
        o->outer = t->uses;
        t->uses = &o->object;
        if (o->object.waiters) rfi_reconsider(&o->object);
    } else {
        e->kind = RF_EV_ONCE_PASS;
    }
    rfi_executed(e);
    if (again) rfi_note(RF_EV_ONCE_PASS, s, o->object.number, 0); /* it sees the first try */
    return run;
}

/* `done`: false in C++, where it may throw, so that another one tries again. */
RFI_FN void rfi_once_end(const rf_site *s, rf_once *o, bool done) {
    o->state = done ? RFI_ONCE_FINISHED : RFI_ONCE_THROWN;
    rfi.current->uses = o->outer;
    rfi_note(RF_EV_ONCE_DONE, s, o->object.number, 0);
    if (o->object.waiters) rfi_reconsider(&o->object);
}

void rfi_once(const rf_site *s, rf_once *o, void (*fn)(void)) {
    rfi_thr *t = RFI_ME(s);
    if (!t) {
        if (o->state == RFI_ONCE_NEW) fn();
        o->state = RFI_ONCE_FINISHED;
    } else if (rfi_once_begin(s, o)) {
        fn();
        rfi_once_end(s, o, true);
    }
}
#endif
#endif
