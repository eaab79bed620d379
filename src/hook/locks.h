/* hook/locks.h: the locks, conditions, semaphores and barriers of POSIX.
 *
 * They return what POSIX says; what it leaves undefined (unlocking what another thread holds,
 * destroying what is in use) is a finding.  Attributes are honoured as far as they mean something
 * here: the kind of a mutex or of a read-write lock, whether it is robust, and the clock of a
 * condition; priority and process-shared ones are accepted.
 * Optimised: less, many operations run it.
 */
#ifndef RFI_HOOK_LOCKS_H
#define RFI_HOOK_LOCKS_H
#include "engine/priority.h"
#include "hook/cancel.h"
#include "hook/processes.h"

#ifdef RFI_IMPL
# include <semaphore.h>

_Static_assert(sizeof(rf_mutex) <= sizeof(pthread_mutex_t), "one holds the other");
_Static_assert(sizeof(rf_cond) + 4 <= sizeof(pthread_cond_t), "one holds the other");
_Static_assert(sizeof(rf_rwlock) <= sizeof(pthread_rwlock_t), "one holds the other");
_Static_assert(sizeof(rf_sem) <= sizeof(sem_t), "one holds the other");
_Static_assert(sizeof(rf_barrier) <= sizeof(pthread_barrier_t), "one holds the other");

/* ---- mutex ---- */

/* The low bits of what a static initialiser says: adaptive ones are normal. */
RFI_FN rf_mutex *rfi_hook_mutex(pthread_mutex_t *m) {
    rf_mutex *o = (rf_mutex *)(void *)m;
    rfi_processes_use(m);
    int kind = o->kind & 3;
    o->kind = (o->kind & ~RFI_MUTEX_TYPE) | (kind == 3 ? RF_MUTEX_NORMAL : kind);
    return o;
}

# define RFI_HOOK_HOLDS(name, type)            \
  RFI_FN rf_##name *rfi_hook_##name(type *p) { \
   rfi_processes_use(p);                       \
   return (rf_##name *)(void *)p;              \
  }
RFI_HOOK_HOLDS(rwlock, pthread_rwlock_t)
RFI_HOOK_HOLDS(cond, pthread_cond_t)
RFI_HOOK_HOLDS(barrier, pthread_barrier_t)
RFI_HOOK_HOLDS(sem, sem_t)

/* The running thread may not lock it. */
RFI_INLINE bool rfi_hook_above(const rf_mutex *m) {
    return rfi.current && rfi_above_ceiling(rfi.current, m);
}

RFI_FN bool rfi_hook_owns(const rf_mutex *m) {
    return rfi.current && m->object.generation == rfi.generation && m->owner == rfi.current->id + 1;
}

/* ---- robust ones, whose owners may end ---- */

typedef struct rfi_hook_robust {
    const rf_mutex *mutex;
    enum { RFI_ROBUST_FINE, RFI_ROBUST_LEFT, RFI_ROBUST_TOLD, RFI_ROBUST_LOST } state;
} rfi_hook_robust;

RFI_VAR struct {
    uint32_t generation, count, capacity;
    rfi_hook_robust *of;
} rfi_hook_robusts;

RFI_FN rfi_hook_robust *rfi_hook_robust_of(const rf_mutex *m) {
    if (rfi_hook_robusts.generation != rfi.generation) rfi_hook_robusts.count = 0;
    for (uint32_t i = 0; i < rfi_hook_robusts.count; i++)
        if (rfi_hook_robusts.of[i].mutex == m) return &rfi_hook_robusts.of[i];
    return NULL;
}

/* The thread ends: those that it holds are the next one's, who is told. */
RFI_FN void rfi_hook_leave(rfi_thr *t) {
    for (uint32_t i = t->held_count; i--;) {
        const rf_site *here = t->held[i].site;
        rf_mutex *m = (rf_mutex *)(void *)t->held[i].object;
        rfi_hook_robust *r = rfi_hook_robust_of(m);
        if (!r) continue;
        r->state = RFI_ROBUST_LEFT;
        m->depth = 0;
        rfi_mutex_unlock(here, m);
    }
}

/* It is, or is not, from now on. */
RFI_FN void rfi_hook_robust_set(const rf_mutex *m, bool robust) {
    rfi_hook_robust *r = rfi_hook_robust_of(m);
    if (!robust) {
        if (r) r->mutex = NULL;
        return;
    }
    rfi_hook_robusts.generation = rfi.generation;
    rfi_hook_leaves = rfi_hook_leave;
    if (!r) {
        rfi_hook_robusts.of = rfi_grow(rfi_hook_robusts.of, &rfi_hook_robusts.capacity,
                                       rfi_hook_robusts.count + 1, sizeof *rfi_hook_robusts.of);
        r = &rfi_hook_robusts.of[rfi_hook_robusts.count++];
    }
    *r = (rfi_hook_robust){m, RFI_ROBUST_FINE};
}

/* What it returns to whoever has taken it. */
RFI_FN int rfi_hook_taken(const rf_site *s, rf_mutex *m) {
    rfi_hook_robust *r = rfi_hook_robusts.count ? rfi_hook_robust_of(m) : NULL;
    if (!r || r->state == RFI_ROBUST_FINE) return 0;
    if (r->state == RFI_ROBUST_LOST) {
        rfi_mutex_unlock(s, m);
        return ENOTRECOVERABLE;
    }
    r->state = RFI_ROBUST_TOLD;
    return EOWNERDEAD;
}

int RFI_HOOK(pthread_mutex_consistent)(pthread_mutex_t *m) {
    RFI_HOOK_ENTERED();
    rfi_hook_robust *r = rfi_hook_robust_of((const rf_mutex *)(void *)m);
    if (!r || r->state != RFI_ROBUST_TOLD) return EINVAL;
    r->state = RFI_ROBUST_FINE;
    return 0;
}

int RFI_HOOK(pthread_mutex_consistent_np)(pthread_mutex_t *m) {
    return RFI_WRAPPED(pthread_mutex_consistent)(m);
}

/* ---- what is called ---- */

int RFI_HOOK(pthread_mutex_init)(pthread_mutex_t *m, const pthread_mutexattr_t *a) {
    int kind = PTHREAD_MUTEX_DEFAULT, robust = PTHREAD_MUTEX_STALLED;
    int protocol = PTHREAD_PRIO_NONE;
    if (a) pthread_mutexattr_gettype(a, &kind);
    if (a) pthread_mutexattr_getrobust(a, &robust);
    if (a) pthread_mutexattr_getprotocol(a, &protocol);
    kind = kind == PTHREAD_MUTEX_RECURSIVE    ? RF_MUTEX_RECURSIVE
           : kind == PTHREAD_MUTEX_ERRORCHECK ? RF_MUTEX_ERRORCHECK
                                              : RF_MUTEX_NORMAL;
    if (protocol == PTHREAD_PRIO_INHERIT) kind |= RF_MUTEX_INHERIT;
# ifdef __GLIBC__
    int ceiling = 0;
    if (a && protocol == PTHREAD_PRIO_PROTECT && !pthread_mutexattr_getprioceiling(a, &ceiling))
        kind |= RF_MUTEX_CEILING(ceiling);
# endif
    rfi_mutex_init(RFI_CALLER(), (rf_mutex *)(void *)m, NULL, kind);
    rfi_hook_robust_set((const rf_mutex *)(void *)m, robust == PTHREAD_MUTEX_ROBUST);
    return 0;
}

int RFI_HOOK(pthread_mutex_destroy)(pthread_mutex_t *m) {
    rfi_mutex_destroy(RFI_CALLER(), rfi_hook_mutex(m));
    return 0;
}

int RFI_HOOK(pthread_mutex_lock)(pthread_mutex_t *m) {
    const rf_site *here = RFI_CALLER();
    rf_mutex *o = rfi_hook_mutex(m);
    if ((o->kind & 3) == RF_MUTEX_ERRORCHECK && rfi_hook_owns(o)) return EDEADLK;
    if (rfi_hook_above(o)) return EINVAL;
    rfi_mutex_lock(here, o);
    return rfi_hook_taken(here, o);
}

int RFI_HOOK(pthread_mutex_trylock)(pthread_mutex_t *m) {
    const rf_site *here = RFI_CALLER();
    rf_mutex *o = rfi_hook_mutex(m);
    if (rfi_hook_above(o)) return EINVAL;
    return rfi_mutex_trylock(here, o) ? rfi_hook_taken(here, o) : EBUSY;
}

RFI_FN int rfi_hook_timedlock(const rf_site *s, pthread_mutex_t *m, clockid_t clock,
                              const struct timespec *at) {
    rf_mutex *o = rfi_hook_mutex(m);
    if ((o->kind & 3) == RF_MUTEX_ERRORCHECK && rfi_hook_owns(o)) return EDEADLK;
    if (!rfi_hook_clock(clock) || rfi_hook_above(o)) return EINVAL;
    if (!rfi_hook_valid(at)) /* if it has to wait */
        return rfi_mutex_trylock(s, o) ? rfi_hook_taken(s, o) : EINVAL;
    if ((o->kind & 3) == RF_MUTEX_NORMAL && rfi_hook_owns(o)) {
        rfi_sleep(s, rfi_hook_left(at, clock));
        return ETIMEDOUT;
    }
    return rfi_mutex_timedlock(s, o, rfi_hook_left(at, clock)) ? rfi_hook_taken(s, o) : ETIMEDOUT;
}

int RFI_HOOK(pthread_mutex_timedlock)(pthread_mutex_t *m, const struct timespec *at) {
    return rfi_hook_timedlock(RFI_CALLER(), m, CLOCK_REALTIME, at);
}

int RFI_HOOK(pthread_mutex_clocklock)(pthread_mutex_t *m, clockid_t clock,
                                      const struct timespec *at) {
    return rfi_hook_timedlock(RFI_CALLER(), m, clock, at);
}

int RFI_HOOK(pthread_mutex_unlock)(pthread_mutex_t *m) {
    rf_mutex *o = rfi_hook_mutex(m);
    if ((o->kind & 3) != RF_MUTEX_NORMAL && rfi.current && !rfi_hook_owns(o)) {
        rfi_mutex_enter(o, RFI_CALLER()); /* what is no mutex is none of that kind */
        return EPERM;
    }
    rfi_hook_robust *r = rfi_hook_robusts.count ? rfi_hook_robust_of(o) : NULL;
    if (r && r->state == RFI_ROBUST_TOLD) r->state = RFI_ROBUST_LOST; /* not made consistent */
    rfi_mutex_unlock(RFI_CALLER(), o);
    return 0;
}

/* ---- read-write lock ---- */

# ifdef __GLIBC__
_Static_assert(sizeof(rf_rwlock) <= offsetof(pthread_rwlock_t, __data.__flags), "its kind is kept");

/* Where a static initialiser says it. */
RFI_FN bool rfi_hook_writers_first(const pthread_rwlock_t *l) {
    return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

RFI_FN void rfi_hook_rwlock_kind(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) {
    int kind = PTHREAD_RWLOCK_DEFAULT_NP;
    if (a) (void)pthread_rwlockattr_getkind_np(a, &kind);
    l->__data.__flags = (__typeof__(l->__data.__flags))kind;
}
# else
#  define rfi_hook_writers_first(l)  ((void)(l), false)
#  define rfi_hook_rwlock_kind(l, a) ((void)(l), (void)(a))
# endif

RFI_FN bool rfi_hook_rwlock_write(const rf_site *s, pthread_rwlock_t *p, unsigned flags) {
    rf_rwlock *l = rfi_hook_rwlock(p);
    if (!rfi_hook_writers_first(p) || !rfi_hook_shares()) return rfi_rwlock_take(s, l, flags);
    return rfi_rwlock_take_ahead(s, l, flags, "pthread_rwlock_wrlock");
}

int RFI_HOOK(pthread_rwlock_init)(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) {
    rfi_rwlock_init(RFI_CALLER(), rfi_hook_rwlock(l), NULL);
    rfi_hook_rwlock_kind(l, a);
    return 0;
}

int RFI_HOOK(pthread_rwlock_destroy)(pthread_rwlock_t *l) {
    rfi_rwlock_destroy(RFI_CALLER(), rfi_hook_rwlock(l));
    return 0;
}

int RFI_HOOK(pthread_rwlock_rdlock)(pthread_rwlock_t *l) {
    rfi_rwlock_rdlock(RFI_CALLER(), rfi_hook_rwlock(l));
    return 0;
}

int RFI_HOOK(pthread_rwlock_wrlock)(pthread_rwlock_t *l) {
    (void)rfi_hook_rwlock_write(RFI_CALLER(), l, 0);
    return 0;
}

int RFI_HOOK(pthread_rwlock_tryrdlock)(pthread_rwlock_t *l) {
    return rfi_rwlock_tryrdlock(RFI_CALLER(), rfi_hook_rwlock(l)) ? 0 : EBUSY;
}

int RFI_HOOK(pthread_rwlock_trywrlock)(pthread_rwlock_t *l) {
    return rfi_rwlock_trywrlock(RFI_CALLER(), rfi_hook_rwlock(l)) ? 0 : EBUSY;
}

/* A deadline may pass whenever it could. */
RFI_FN int rfi_hook_rwlock_timed(const rf_site *s, pthread_rwlock_t *l, unsigned flags,
                                 clockid_t clock, const struct timespec *at) {
    bool valid = rfi_hook_valid(at);
    if (!rfi_hook_clock(clock)) return EINVAL;
    if (!valid) return rfi_rwlock_take(s, rfi_hook_rwlock(l), flags | RF_EV_TRY) ? 0 : EINVAL;
    rfi_deadline(rfi_hook_left(at, clock));
    bool taken = flags & RF_EV_SHARED ? rfi_rwlock_take(s, rfi_hook_rwlock(l), flags | RF_EV_TIMED)
                                      : rfi_hook_rwlock_write(s, l, flags | RF_EV_TIMED);
    return taken ? 0 : ETIMEDOUT;
}

int RFI_HOOK(pthread_rwlock_timedrdlock)(pthread_rwlock_t *l, const struct timespec *at) {
    return rfi_hook_rwlock_timed(RFI_CALLER(), l, RF_EV_SHARED, CLOCK_REALTIME, at);
}

int RFI_HOOK(pthread_rwlock_timedwrlock)(pthread_rwlock_t *l, const struct timespec *at) {
    return rfi_hook_rwlock_timed(RFI_CALLER(), l, 0, CLOCK_REALTIME, at);
}

int RFI_HOOK(pthread_rwlock_clockrdlock)(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *at) {
    return rfi_hook_rwlock_timed(RFI_CALLER(), l, RF_EV_SHARED, clock, at);
}

int RFI_HOOK(pthread_rwlock_clockwrlock)(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *at) {
    return rfi_hook_rwlock_timed(RFI_CALLER(), l, 0, clock, at);
}

int RFI_HOOK(pthread_rwlock_unlock)(pthread_rwlock_t *l) {
    rfi_rwlock_unlock(RFI_CALLER(), rfi_hook_rwlock(l));
    return 0;
}

/* ---- condition: behind ours stands the clock ---- */

RFI_FN clockid_t *rfi_hook_cond_clock(pthread_cond_t *c) {
    return (clockid_t *)(void *)(rfi_hook_cond(c) + 1);
}

int RFI_HOOK(pthread_cond_init)(pthread_cond_t *c, const pthread_condattr_t *a) {
    clockid_t clock = CLOCK_REALTIME;
    if (a) pthread_condattr_getclock(a, &clock);
    *rfi_hook_cond_clock(c) = clock;
    rfi_cond_init(RFI_CALLER(), rfi_hook_cond(c), NULL);
    return 0;
}

int RFI_HOOK(pthread_cond_destroy)(pthread_cond_t *c) {
    rfi_cond_destroy(RFI_CALLER(), rfi_hook_cond(c));
    return 0;
}

/* A mutex of this kind says what is a finding for others. */
RFI_FN bool rfi_hook_refuses(const rf_mutex *m) {
    return (m->kind & 3) == RF_MUTEX_ERRORCHECK && rfi.current && !rfi_hook_owns(m);
}

RFI_FN int rfi_hook_wait(const rf_site *s, pthread_cond_t *c, pthread_mutex_t *m) {
    if (rfi_hook_refuses(rfi_hook_mutex(m))) return EPERM;
    rfi_hook_may_wait_with(s, rfi_hook_mutex(m));
    (void)rfi_hook_point(s);
    rfi_cond_wait(s, rfi_hook_cond(c), rfi_hook_mutex(m));
    (void)rfi_hook_woken(s);
    return rfi_hook_taken(s, rfi_hook_mutex(m));
}

int RFI_HOOK(pthread_cond_wait)(pthread_cond_t *c, pthread_mutex_t *m) {
    return rfi_hook_wait(RFI_CALLER(), c, m);
}

RFI_FN int rfi_hook_timedwait(const rf_site *s, pthread_cond_t *c, pthread_mutex_t *m,
                              clockid_t clock, const struct timespec *at) {
    if (!rfi_hook_valid(at) || !rfi_hook_clock(clock)) return EINVAL;
    if (rfi_hook_refuses(rfi_hook_mutex(m))) return EPERM;
    uint64_t ms = rfi_hook_left(at, clock);
    rfi_hook_may_wait_with(s, rfi_hook_mutex(m));
    (void)rfi_hook_point(s);
    bool woken = rfi_cond_timedwait(s, rfi_hook_cond(c), rfi_hook_mutex(m), ms);
    (void)rfi_hook_woken(s);
    int error = rfi_hook_taken(s, rfi_hook_mutex(m));
    return error ? error : woken ? 0 : ETIMEDOUT;
}

int RFI_HOOK(pthread_cond_timedwait)(pthread_cond_t *c, pthread_mutex_t *m,
                                     const struct timespec *at) {
    return rfi_hook_timedwait(RFI_CALLER(), c, m, *rfi_hook_cond_clock(c), at);
}

int RFI_HOOK(pthread_cond_clockwait)(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                     const struct timespec *at) {
    return rfi_hook_timedwait(RFI_CALLER(), c, m, clock, at);
}

int RFI_HOOK(pthread_cond_signal)(pthread_cond_t *c) {
    rfi_cond_signal(RFI_CALLER(), rfi_hook_cond(c));
    return 0;
}

int RFI_HOOK(pthread_cond_broadcast)(pthread_cond_t *c) {
    rfi_cond_broadcast(RFI_CALLER(), rfi_hook_cond(c));
    return 0;
}

/* ---- barrier ---- */

int RFI_HOOK(pthread_barrier_init)(pthread_barrier_t *b, const pthread_barrierattr_t *a,
                                   unsigned n) {
    (void)a;
    if (!n) return EINVAL;
    rfi_barrier_init(RFI_CALLER(), rfi_hook_barrier(b), NULL, n);
    return 0;
}

int RFI_HOOK(pthread_barrier_destroy)(pthread_barrier_t *b) {
    rfi_barrier_destroy(RFI_CALLER(), rfi_hook_barrier(b));
    return 0;
}

int RFI_HOOK(pthread_barrier_wait)(pthread_barrier_t *b) {
    return rfi_barrier_wait(RFI_CALLER(), rfi_hook_barrier(b)) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- semaphore ---- */

int RFI_HOOK(sem_init)(sem_t *m, int shared, unsigned n) {
    (void)shared;
    if (n > SEM_VALUE_MAX) return rfi_hook_errno(EINVAL);
    rfi_sem_init(RFI_CALLER(), rfi_hook_sem(m), NULL, n);
    return 0;
}

int RFI_HOOK(sem_destroy)(sem_t *m) {
    rfi_sem_destroy(RFI_CALLER(), rfi_hook_sem(m));
    return 0;
}

int RFI_HOOK(sem_wait)(sem_t *m) {
    const rf_site *here = RFI_CALLER();
    rf_sem *o = rfi_hook_sem(m);
    rfi_hook_may_wait(here);
    (void)rfi_hook_point(here);
    if (rfi_sig_ends_wait(here, RFI_OFFER_WAIT, true, o)) return rfi_hook_errno(EINTR);
    while (!rfi_sem_wait_or_not(here, o))
        if (rfi_hook_woken(here) & RFI_HOOK_STOPS) return rfi_hook_errno(EINTR);
    return 0;
}

int RFI_HOOK(sem_trywait)(sem_t *m) {
    return rfi_hook_errno(rfi_sem_trywait(RFI_CALLER(), rfi_hook_sem(m)) ? 0 : EAGAIN);
}

RFI_FN int rfi_hook_sem_timed(const rf_site *s, sem_t *m, clockid_t clock,
                              const struct timespec *at) {
    rf_sem *o = rfi_hook_sem(m);
    if (!rfi_hook_clock(clock)) return rfi_hook_errno(EINVAL);
    if (!rfi_hook_valid(at)) return rfi_hook_errno(rfi_sem_trywait(s, o) ? 0 : EINVAL);
    rfi_hook_may_wait(s);
    (void)rfi_hook_point(s);
    uint64_t ms = rfi_hook_left(at, clock);
    if (rfi_sig_ends_wait(s, RFI_OFFER_WAIT, true, o)) return rfi_hook_errno(EINTR);
    if (rfi_sem_timedwait(s, o, ms)) return 0;
    return rfi_hook_errno(rfi_hook_woken(s) & RFI_HOOK_STOPS ? EINTR : ETIMEDOUT);
}

int RFI_HOOK(sem_timedwait)(sem_t *m, const struct timespec *at) {
    return rfi_hook_sem_timed(RFI_CALLER(), m, CLOCK_REALTIME, at);
}

int RFI_HOOK(sem_clockwait)(sem_t *m, clockid_t clock, const struct timespec *at) {
    return rfi_hook_sem_timed(RFI_CALLER(), m, clock, at);
}

int RFI_HOOK(sem_post)(sem_t *m) {
    if ((rfi_hook_sem(m))->count == SEM_VALUE_MAX) return rfi_hook_errno(EOVERFLOW);
    rfi_sem_post(RFI_CALLER(), rfi_hook_sem(m));
    return 0;
}

int RFI_HOOK(sem_getvalue)(sem_t *m, int *n) {
    rfi_sem_look(RFI_CALLER(), rfi_hook_sem(m), "sem_getvalue");
    int now = (int)(rfi_hook_sem(m))->count;
    RFI_PUT(n, now);
    return 0;
}

/* ---- spin locks and once: an int holds the number of ours ---- */

typedef struct rfi_hook_small {
    const volatile void *at;
    union {
        rf_spin spin;
        rf_once once;
    };
} rfi_hook_small;

RFI_VAR struct {
    uint32_t generation, count, capacity;
    rfi_hook_small **object;
} rfi_hook_smalls;

/* The object that belongs to an int, where it lies to whom it may concern; a new one for an int
 * that was set anew, or in another execution. */
RFI_FN rfi_hook_small *rfi_hook_small_of(volatile int *at, unsigned type, const rf_site *s) {
    rfi_processes_use(at);
    uint32_t number = (uint32_t)*at;
    if (rfi_hook_smalls.generation != rfi.generation) {
        rfi_hook_smalls.generation = rfi.generation;
        rfi_hook_smalls.count = 0;
    }
    if (number && number <= rfi_hook_smalls.count && rfi_hook_smalls.object[number - 1]->at == at)
        return rfi_hook_smalls.object[number - 1];
    rfi_heap_check_object(s, (const void *)(uintptr_t)at);
    if (number >> 24) rfi_fail_never(type, s);
    rfi_hook_smalls.object = rfi_grow((void *)rfi_hook_smalls.object, &rfi_hook_smalls.capacity,
                                      rfi_hook_smalls.count + 1, sizeof *rfi_hook_smalls.object);
    rfi_hook_small *o = rfi_arena_take(&rfi.arena, sizeof *o);
    *o = (rfi_hook_small){.at = at};
    rfi_hook_smalls.object[rfi_hook_smalls.count++] = o;
    rfi_object_register(&o->spin.object, type, s, NULL);
    rfi.object[o->spin.object.number - 1].at = (const void *)(uintptr_t)at;
    *at = (int)rfi_hook_smalls.count;
    return o;
}

int RFI_HOOK(pthread_spin_init)(pthread_spinlock_t *l, int shared) {
    (void)shared;
    if (!rfi.current) {
        *l = 0;
        return 0;
    }
    const rf_site *here = RFI_CALLER();
    bool point = rfi_object_point((const void *)(uintptr_t)l, RF_EV_INIT, here);
    *l = 0;
    rfi_object *o = &rfi_hook_small_of(l, RFI_SPIN, here)->spin.object;
    o->made = rfi.object[o->number - 1].made = true;
    rfi_object_changed(o, RF_EV_INIT, here, point);
    return 0;
}

RFI_FN rf_spin *rfi_hook_spin(pthread_spinlock_t *l, const rf_site *s) {
    return &rfi_hook_small_of(l, RFI_SPIN, s)->spin;
}

int RFI_HOOK(pthread_spin_destroy)(pthread_spinlock_t *l) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current) rfi_spin_destroy(here, rfi_hook_spin(l, here));
    return 0;
}

int RFI_HOOK(pthread_spin_lock)(pthread_spinlock_t *l) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current) rfi_spin_lock(here, rfi_hook_spin(l, here));
    return 0;
}

int RFI_HOOK(pthread_spin_trylock)(pthread_spinlock_t *l) {
    const rf_site *here = RFI_CALLER();
    return !rfi.current || rfi_spin_trylock(here, rfi_hook_spin(l, here)) ? 0 : EBUSY;
}

int RFI_HOOK(pthread_spin_unlock)(pthread_spinlock_t *l) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current) rfi_spin_unlock(here, rfi_hook_spin(l, here));
    return 0;
}

/* The function of a once runs. */
typedef struct rfi_hook_runs {
    const rf_site *site;
    rf_once *once;
    void *unwind;
    bool done;
} rfi_hook_runs;

/* Not done: it has thrown (C++), or its thread ends in it; the next one tries again. */
RFI_FN void rfi_hook_ran(rfi_hook_runs *r) {
    rfi_hook_self()->unwind = r->unwind;
    rfi_once_end(r->site, r->once, r->done);
}

RFI_FN void rfi_hook_once(const rf_site *s, volatile int *once, void (*fn)(void)) {
    if (!rfi.current) {
        fn();
        return;
    }
    rf_once *o = &rfi_hook_small_of(once, RFI_ONCE, s)->once;
    if (!rfi_once_begin(s, o)) return;
    __attribute__((cleanup(rfi_hook_ran))) rfi_hook_runs r = {s, o, rfi_hook_self()->unwind, false};
# ifdef __GLIBC__
    union {
        jmp_buf way;
        __pthread_unwind_buf_t buffer;
    } left;
    if (_setjmp(left.way)) {
        rfi_hook_ran(&r);
        rfi_hook_end();
    }
    *rfi_hook_outer(&left) = r.unwind;
    rfi_hook_self()->unwind = &left;
# endif
    fn();
    r.done = true;
}

int RFI_HOOK(pthread_once)(pthread_once_t *once, void (*fn)(void)) {
    rfi_hook_once(RFI_CALLER(), once, fn);
    return 0;
}
#endif
#endif
