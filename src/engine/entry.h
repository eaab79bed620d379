/* engine/entry.h: the functions that the public macros call.
 *
 * External linkage, because the macros expand in every unit and the engine lives in one.  Not for
 * users: the documented names are in api/.  All of them work outside an execution too (before
 * rf_run, in RF_INVARIANT functions): then they do the plain operation and nothing else.
 */
#ifndef RFI_ENGINE_ENTRY_H
#define RFI_ENGINE_ENTRY_H
#include "engine/options.h"
#include "engine/types.h"

RFI_EXTERN_C_BEGIN

/* The only data of the engine that the linker sees.  `arm` points to a table of RFI_SLOTS bytes: a
 * site whose byte is 0 is disarmed.  `fuel` counts disarmed accesses down; when it runs out a
 * decision is forced, so that a loop of plain accesses can't starve the others. */
extern struct rfi_hot_state {
    const uint8_t *arm;
    int32_t fuel;
} rfi_hot;

/* Does an access at a site of this kind take the slow path?  Costs a load, a compare, a
 * decrement and two branches. */
/* clang-format off */
#define RFI_ARMED(kind) \
    (RFI_UNLIKELY(rfi_hot.arm[RFI_SLOT(kind)]) || RFI_UNLIKELY(--rfi_hot.fuel < 0))
/* clang-format on */

/* Plain data. */
void rfi_load(const rf_site *s, const volatile void *p, size_t n, void *out);
void rfi_store(const rf_site *s, volatile void *p, size_t n, const void *in);
RFI_SINGLE void rfi_racy_load(const rf_site *s, const volatile void *p, size_t n, void *out);
void rfi_racy_store(const rf_site *s, volatile void *p, size_t n, const void *in);
void rfi_range(const rf_site *s, const volatile void *p, size_t n); /* s->kind: read or write */

/* Heap. */
void *rfi_malloc(const rf_site *s, size_t n);
void *rfi_calloc(const rf_site *s, size_t count, size_t n);
void *rfi_realloc(const rf_site *s, void *p, size_t n);
void rfi_free(const rf_site *s, void *p);

/* Threads. */
rf_thread rfi_create(const rf_site *s, void *(*fn)(void *), void *arg);
void *rfi_join(const rf_site *s, rf_thread t);
void rfi_threads(const rf_site *s, unsigned n, void *(*fn)(void *));
void rfi_detach(const rf_site *s, rf_thread t);
rf_thread rfi_self(void);
void rfi_yield(const rf_site *s);
void rfi_sleep(const rf_site *s, uint64_t ms);
void *rfi_tls_ptr(rfi_tls *key);

/* Interrupts. */
void rfi_interrupt_source(const rf_site *s, void (*handler)(void *), void *arg,
                          rf_interrupt_options options);
void rfi_interrupts_mask(const rf_site *s, unsigned least, unsigned most);
void rfi_interrupts_unmask(const rf_site *s);
void rfi_interrupt_wait(const rf_site *s);

/* Priorities. */
void rfi_priority(const rf_site *s, unsigned priority);
rf_deadline rfi_deadline_begin(const rf_site *s, unsigned most);
void rfi_deadline_end(rf_deadline *begun);

/* Synchronisation. */
void rfi_mutex_init(const rf_site *s, rf_mutex *m, const char *name, int kind);
void rfi_mutex_destroy(const rf_site *s, rf_mutex *m);
void rfi_mutex_lock(const rf_site *s, rf_mutex *m);
RFI_SINGLE bool rfi_mutex_trylock(const rf_site *s, rf_mutex *m);
RFI_SINGLE bool rfi_mutex_timedlock(const rf_site *s, rf_mutex *m, uint64_t ms);
void rfi_mutex_unlock(const rf_site *s, rf_mutex *m);
void rfi_rwlock_init(const rf_site *s, rf_rwlock *l, const char *name);
void rfi_rwlock_destroy(const rf_site *s, rf_rwlock *l);
void rfi_rwlock_rdlock(const rf_site *s, rf_rwlock *l);
void rfi_rwlock_wrlock(const rf_site *s, rf_rwlock *l);
RFI_SINGLE bool rfi_rwlock_tryrdlock(const rf_site *s, rf_rwlock *l);
RFI_SINGLE bool rfi_rwlock_trywrlock(const rf_site *s, rf_rwlock *l);
void rfi_rwlock_unlock(const rf_site *s, rf_rwlock *l);
void rfi_spin_init(const rf_site *s, rf_spin *l, const char *name);
void rfi_spin_destroy(const rf_site *s, rf_spin *l);
void rfi_spin_lock(const rf_site *s, rf_spin *l);
RFI_SINGLE bool rfi_spin_trylock(const rf_site *s, rf_spin *l);
void rfi_spin_unlock(const rf_site *s, rf_spin *l);
void rfi_cond_init(const rf_site *s, rf_cond *c, const char *name);
void rfi_cond_destroy(const rf_site *s, rf_cond *c);
void rfi_cond_wait(const rf_site *s, rf_cond *c, rf_mutex *m);
bool rfi_cond_timedwait(const rf_site *s, rf_cond *c, rf_mutex *m, uint64_t ms);
void rfi_cond_signal(const rf_site *s, rf_cond *c);
void rfi_cond_broadcast(const rf_site *s, rf_cond *c);
void rfi_sem_init(const rf_site *s, rf_sem *m, const char *name, uint32_t n);
void rfi_sem_destroy(const rf_site *s, rf_sem *m);
void rfi_sem_wait(const rf_site *s, rf_sem *m);
RFI_SINGLE bool rfi_sem_trywait(const rf_site *s, rf_sem *m);
RFI_SINGLE bool rfi_sem_timedwait(const rf_site *s, rf_sem *m, uint64_t ms);
void rfi_sem_post(const rf_site *s, rf_sem *m);
void rfi_barrier_init(const rf_site *s, rf_barrier *b, const char *name, uint32_t n);
void rfi_barrier_destroy(const rf_site *s, rf_barrier *b);
bool rfi_barrier_wait(const rf_site *s, rf_barrier *b);
void rfi_once_init(const rf_site *s, rf_once *o, const char *name);
void rfi_once_destroy(const rf_site *s, rf_once *o);
void rfi_once(const rf_site *s, rf_once *o, void (*fn)(void));

/* Atomics.  Orders are __ATOMIC_*.  A read-modify-write is rfi_rmw_begin (announces it, reads the
 * old value), the arithmetic in the caller's own type, rfi_rmw_end (writes): no other logical
 * thread runs in between, and no other event may come there.  rfi_fetch_... take values, since
 * instrumented code would announce its accesses to an object whose address was given away. */
void rfi_atomic_init(const rf_site *s, volatile void *p, size_t n, const void *in);
RFI_SINGLE void rfi_atomic_load(const rf_site *s, const volatile void *p, size_t n, int order,
                                void *out);
void rfi_atomic_store(const rf_site *s, volatile void *p, size_t n, int order, const void *in);
void rfi_atomic_in_place(const rf_site *s, volatile void *p, size_t n, bool writes, int order);
void rfi_rmw_begin(const rf_site *s, volatile void *p, size_t n, int order, void *old);
void rfi_rmw_end(const void *value);
uint64_t rfi_fetch_begin(const rf_site *s, volatile void *p, size_t n, int order);
void rfi_fetch_end(uint64_t value, size_t n);
RFI_SINGLE bool rfi_cas(const rf_site *s, volatile void *p, size_t n, bool weak, int success,
                        int failure, void *expected, const void *desired);
void rfi_fence(const rf_site *s, int order); /* a signal fence orders nothing here: no call */

/* Tests. */
typedef struct rfi_scope { /* of RF_INVARIANT and RF_FUNC: ended by a cleanup attribute */
    const rf_site *site;
    bool (*check)(void *);
    void *arg;
    struct rfi_scope *next;
} rfi_scope;
void rfi_invariant_begin(rfi_scope *scope, const rf_site *s, bool (*fn)(void *), void *arg);
void rfi_invariant_end(rfi_scope *scope);
rfi_scope rfi_func_begin(const rf_site *s);
void rfi_func_end(rfi_scope *scope);
/* kind is an rf_diagnostic (ASSERT or FAIL); the message is formatted; does not return inside an
 * execution, aborts outside one. */
void rfi_fail_test(const rf_site *s, int diagnostic, const char *fmt, ...)
    RFI_PRINTF(3, 4) RFI_NORETURN;
void rfi_skip_test(const rf_site *s, const char *reason) RFI_NORETURN;
void rfi_log(const rf_site *s, const char *fmt, ...) RFI_PRINTF(2, 3);
uint32_t rfi_choose(const rf_site *s, uint32_t n);

RFI_EXTERN_C_END
#endif
