/* api/sync.h: locks, conditions, semaphores, barriers, once (docs/sync.md).
 *
 * An object is made by its static initialiser (RF_MUTEX_INIT, ...) or by its rf_X_init, which gives
 * it the name of its class for reports; NULL names it after the place of the call.  Zeroed memory
 * is a valid mutex, rwlock, spin lock, condition and once.  An object belongs to one execution: the
 * next one finds it as it was initialised.  Misuse is a failure that names the place, never
 * undefined: unlocking what another thread holds or nobody does, taking a normal mutex twice,
 * destroying what is in use, using what is destroyed.
 *
 * Every argument is a pointer to the object.  Time-outs are milliseconds of virtual time: they may
 * fire whenever they could, and never wait for real.  Operations that can fail yield a bool.
 */
#ifndef RFI_API_SYNC_H
#define RFI_API_SYNC_H
#include "api/macros.h"
#include "engine/entry.h"

/* ---- rf_mutex; kinds RF_MUTEX_NORMAL (0), RF_MUTEX_RECURSIVE, RF_MUTEX_ERRORCHECK ---- */

#define rf_mutex_init(m, name, kind) rfi_mutex_init(RFI_ON(rf_mutex, #m, m), name, kind)
#define rf_mutex_destroy(m)          rfi_mutex_destroy(RFI_ON(rf_mutex, #m, m))
#define RF_LOCK(m)                   rfi_mutex_lock(RFI_ON(rf_mutex, #m, m))
#define RF_TRYLOCK(m)                rfi_mutex_trylock(RFI_ON(rf_mutex, #m, m)) /* true: taken */
#define RF_TIMEDLOCK(m, ms)          rfi_mutex_timedlock(RFI_ON(rf_mutex, #m, m), ms) /* the same */
#define RF_UNLOCK(m)                 rfi_mutex_unlock(RFI_ON(rf_mutex, #m, m))

/* RF_GUARD(&m) { ... } holds the mutex for the block, and unlocks it on every way out: the closing
 * brace, return, goto; break and continue end the block, not a loop around it. */
#define RF_GUARD(m) RFI_GUARD(RFI_CAT(rfi_guard_, __COUNTER__), #m, m)

/* ---- rf_rwlock: many readers or one writer ---- */

#define rf_rwlock_init(l, name) rfi_rwlock_init(RFI_ON(rf_rwlock, #l, l), name)
#define rf_rwlock_destroy(l)    rfi_rwlock_destroy(RFI_ON(rf_rwlock, #l, l))
#define RF_RDLOCK(l)            rfi_rwlock_rdlock(RFI_ON(rf_rwlock, #l, l))
#define RF_WRLOCK(l)            rfi_rwlock_wrlock(RFI_ON(rf_rwlock, #l, l))
#define RF_TRYRDLOCK(l)         rfi_rwlock_tryrdlock(RFI_ON(rf_rwlock, #l, l)) /* true: taken */
#define RF_TRYWRLOCK(l)         rfi_rwlock_trywrlock(RFI_ON(rf_rwlock, #l, l)) /* true: taken */
#define RF_RWUNLOCK(l)          rfi_rwlock_unlock(RFI_ON(rf_rwlock, #l, l))

/* ---- rf_spin: like a mutex, not recursive ---- */

#define rf_spin_init(l, name) rfi_spin_init(RFI_ON(rf_spin, #l, l), name)
#define rf_spin_destroy(l)    rfi_spin_destroy(RFI_ON(rf_spin, #l, l))
#define RF_SPIN_LOCK(l)       rfi_spin_lock(RFI_ON(rf_spin, #l, l))
#define RF_SPIN_TRYLOCK(l)    rfi_spin_trylock(RFI_ON(rf_spin, #l, l)) /* true: taken */
#define RF_SPIN_UNLOCK(l)     rfi_spin_unlock(RFI_ON(rf_spin, #l, l))

/* In the body of a hand-made spin loop: nothing will change until another thread has run. */
#define RF_SPIN_HINT() rfi_yield(RFI_SITE("hint"))

/* ---- rf_cond: used with a mutex that the waiting thread holds exactly once ---- */

#define rf_cond_init(c, name)  rfi_cond_init(RFI_ON(rf_cond, #c, c), name)
#define rf_cond_destroy(c)     rfi_cond_destroy(RFI_ON(rf_cond, #c, c))
/* It may wake up without a signal; the second one is false when it has timed out. */
#define RF_WAIT(c, m) rfi_cond_wait(RFI_ON(rf_cond, #c, c), RFI_ARG(rf_mutex, m))
#define RF_TIMEDWAIT(c, m, ms) \
    rfi_cond_timedwait(RFI_ON(rf_cond, #c, c), RFI_ARG(rf_mutex, m), ms)
#define RF_SIGNAL(c)           rfi_cond_signal(RFI_ON(rf_cond, #c, c))
#define RF_BROADCAST(c)        rfi_cond_broadcast(RFI_ON(rf_cond, #c, c))

/* ---- rf_sem: counts from n, RF_SEM_INIT(n) ---- */

#define rf_sem_init(s, name, n) rfi_sem_init(RFI_ON(rf_sem, #s, s), name, n)
#define rf_sem_destroy(s)       rfi_sem_destroy(RFI_ON(rf_sem, #s, s))
#define RF_SEM_WAIT(s)          rfi_sem_wait(RFI_ON(rf_sem, #s, s))
#define RF_SEM_TRYWAIT(s)       rfi_sem_trywait(RFI_ON(rf_sem, #s, s)) /* true: taken */
#define RF_SEM_TIMEDWAIT(s, ms) rfi_sem_timedwait(RFI_ON(rf_sem, #s, s), ms) /* true: taken */
#define RF_SEM_POST(s)          rfi_sem_post(RFI_ON(rf_sem, #s, s))

/* ---- rf_barrier: for n >= 1 threads at a time, RF_BARRIER_INIT(n); true for one of them ---- */

#define rf_barrier_init(b, name, n) rfi_barrier_init(RFI_ON(rf_barrier, #b, b), name, n)
#define rf_barrier_destroy(b)       rfi_barrier_destroy(RFI_ON(rf_barrier, #b, b))
#define RF_BARRIER_WAIT(b)          rfi_barrier_wait(RFI_ON(rf_barrier, #b, b))

/* ---- rf_once: RF_ONCE(&o, fn) returns when `void fn(void)` has been called, once ---- */

#define rf_once_init(o, name) rfi_once_init(RFI_ON(rf_once, #o, o), name)
#define rf_once_destroy(o)    rfi_once_destroy(RFI_ON(rf_once, #o, o))
#define RF_ONCE(o, fn)        rfi_once(RFI_ON(rf_once, #o, o), fn)

/* ---- how ---- */

/* RFI_ON is the site and the object; one of another type does not compile. */
#ifdef __cplusplus
# define RFI_ARG(type, p)      p
# define RFI_ON(type, text, p) RFI_SITE(text), p
#else
# define RFI_MUST_BE(type, p) \
     _Static_assert(_Generic((p), type *: 1, void *: 1, default: 0), \
                    "racefuzz: this takes the address of an object of type " #type)
# define RFI_ARG(type, p) \
     __extension__({ \
         RFI_MUST_BE(type, p); \
         (p); \
     })
# define RFI_ON(type, text, p) \
     __extension__({ \
         RFI_MUST_BE(type, p); \
         RFI_SITE(text); \
     }), \
         p
#endif

typedef struct rfi_guard {
    const rf_site *site;
    rf_mutex *mutex;
    bool open; /* the block has not been run yet */
} rfi_guard;

RFI_EXTERN_C_BEGIN
rfi_guard rfi_guard_begin(const rf_site *s, rf_mutex *m);
void rfi_guard_end(rfi_guard *g);
RFI_EXTERN_C_END

#define RFI_GUARD(guard, text, m) \
    for (rfi_guard guard RFI_CLEANUP(rfi_guard_end) = rfi_guard_begin(RFI_ON(rf_mutex, text, m)); \
         guard.open; guard.open = 0)

#ifdef RFI_IMPL
rfi_guard rfi_guard_begin(const rf_site *s, rf_mutex *m) {
    rfi_mutex_lock(s, m);
    return (rfi_guard){s, m, true};
}

void rfi_guard_end(rfi_guard *g) { rfi_mutex_unlock(g->site, g->mutex); }
#endif
#endif
