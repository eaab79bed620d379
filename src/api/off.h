/* api/off.h: the public face without the engine, as plain C11 and pthreads (RF_OFF).
 *
 * For production builds of annotated code: each name behaves like its namesake in the C library,
 * compiles to the machine code of a direct call, and leaves no symbol.  Undefined behaviour of the
 * C library stays undefined.  Errors of pthread functions without a result here are ignored;
 * failure to create a thread ends the program.  Tests compile away.
 */
#ifndef RFI_API_OFF_H
#define RFI_API_OFF_H
#include "base/platform.h"
#include "engine/iface.h"
#include "api/atomic_types.h"
#include "api/macros.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef __cplusplus
# include <stdatomic.h>
#endif

/* Always inlined and never emitted; unlike a static function it may be called from an inline
 * function with external linkage. */
#define RFI_OFF_FN extern inline __attribute__((gnu_inline, always_inline))

RFI_OFF_FN RFI_NORETURN void rfi_off_die(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

/* ---- tests ---- */

#define RF_TEST(...)            RFI_OFF_TEST(__VA_ARGS__, )
#define RFI_OFF_TEST(name, ...) RFI_UNUSED static inline void rf_test_##name(void)
#define RF_MAIN() \
    int main(void) { return 77; }
#define RF_FUZZ_TARGET(test) \
    RFI_EXTERN_C_BEGIN \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { \
        return (void)data, (void)size, 0; \
    } \
    RFI_EXTERN_C_END \
    typedef int rfi_fuzz_target_of_##test RFI_UNUSED /* takes the semicolon */

#ifndef __cplusplus
# define RF_OBJECT(object)     RFI_OFF_TEST(object_##object, )
# define RF_OBJECT_END(object) RFI_OFF_TEST(object_end_##object, )
# define RF_OPERATION(object, operation, parameters, ...) \
     RFI_OFF_OPERATION(object, operation, parameters, __VA_ARGS__, )
# define RFI_OFF_OPERATION(object, operation, parameters, type, ...) \
     RFI_UNUSED static inline type rf_op_##object##_##operation parameters
# define RF_WAITS() ((void)0)
# define RF_MODEL(object, type) \
     typedef type rfi_own_model_##object; \
     RFI_UNUSED static inline void rf_model_##object(rfi_own_model_##object *model RFI_UNUSED)
# define RF_MODEL_OPERATION(object, operation, parameters, type) \
     RFI_UNUSED static inline type rf_model_##object##_##operation( \
         rfi_own_model_##object *model RFI_UNUSED RFI_CAT(RFI_MORE_, RFI_ARITY parameters) \
             parameters)
# define RF_LINEARIZABLE(...) RFI_OFF_LINEARIZABLE(__VA_ARGS__, )
# define RF_CALL(...)      ((void)0)
# define RF_RETURNED()     0LL
# define RF_RETURN(result) ((void)(result))
# define RFI_OFF_LINEARIZABLE(object, ...) \
     RFI_UNUSED static inline void rf_test_##object##_linearizable(void) {}
#endif

RFI_OFF_FN int rf_run(const rf_options *options, int argc, char **argv) {
    (void)options, (void)argc, (void)argv;
    return 77;
}

/* Nothing is explored. */
RFI_OFF_FN rf_outcome rf_explore(const char *name, void (*body)(void *), void *arg,
                                 const rf_options *options) {
    rf_outcome o;
    (void)name, (void)body, (void)arg, (void)options;
    memset(&o, 0, sizeof o);
    o.verdict = RF_VERDICT_SKIPPED;
    o.passed = true;
    o.in_process = NULL;
    o.token = o.report = "";
    return o;
}

RFI_OFF_FN bool rf_outcome_free(rf_outcome *o) { return o->passed; }

/* No handler is called. */
#define RF_INTERRUPT(irq, ...)            RFI_OFF_INTERRUPT(__VA_ARGS__, )
#define RFI_OFF_INTERRUPT(handler, arg, ...) ((void)(handler), (void)(arg))
#define RF_MASK()                         ((void)0)
#define RF_MASK_ABOVE(p)                  ((void)(p))
#define RF_MASK_UP_TO(p)                  ((void)(p))
#define RF_UNMASK()                       ((void)0)
#define RF_PAUSE()                        ((void)0)
#define RF_PRIORITY(priority)             ((void)(priority))
#define RF_DEADLINE(steps)                RFI_OFF_BLOCK(RFI_CAT(rfi_block_, __COUNTER__), steps)

/* Assertions may stand in the code under test: they print where they failed, and abort. */
#define RF_ASSERT(...)              RFI_OFF_ASSERT((__VA_ARGS__), #__VA_ARGS__)
#define RF_ASSERT_EQ(a, b)          RFI_OFF_ASSERT_OP(a, ==, b, #a " == " #b)
#define RF_ASSERT_NE(a, b)          RFI_OFF_ASSERT_OP(a, !=, b, #a " != " #b)
#define RF_ASSERT_LT(a, b)          RFI_OFF_ASSERT_OP(a, <, b, #a " < " #b)
#define RF_ASSERT_LE(a, b)          RFI_OFF_ASSERT_OP(a, <=, b, #a " <= " #b)
#define RF_ASSERT_GT(a, b)          RFI_OFF_ASSERT_OP(a, >, b, #a " > " #b)
#define RF_ASSERT_GE(a, b)          RFI_OFF_ASSERT_OP(a, >=, b, #a " >= " #b)
#define RF_ASSERT_STR_EQ(a, b)      RFI_OFF_ASSERT(rfi_off_str_eq(a, b), #a " equals " #b)
#define RF_ASSERT_MEM_EQ(a, b, len) RFI_OFF_ASSERT(memcmp(a, b, len) == 0, #a " equals " #b)

#define RFI_OFF_ASSERT(holds, text) (RFI_LIKELY(holds) ? (void)0 : RFI_OFF_FAILED(text, 0, 0))
#define RFI_OFF_ASSERT_OP(a, op, b, text) \
    RFI_UNIQUE(RFI_COMPARE, __COUNTER__, RFI_OFF_FAILED, text, a, op, b)
#define RFI_OFF_FAILED(text, p, v) rfi_off_die(__FILE__, __LINE__, "assertion failed: " text)

RFI_OFF_FN bool rfi_off_str_eq(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

#define RF_FAIL(...) \
    ((void)fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), (void)fprintf(stderr, __VA_ARGS__), \
     (void)fputc('\n', stderr), abort())
#define RF_SKIP(reason)       rfi_off_die(__FILE__, __LINE__, reason)
#define RF_LOG(...)           ((void)(0 && fprintf(stderr, __VA_ARGS__)))
#define RF_INVARIANT(fn, arg) ((void)(fn), (void)(arg))
#define RF_CHOOSE(n)          ((void)(n), UINT32_C(0))
#define RF_FUNC               ((void)0)

#define RF_ATOMIC_BLOCK(name)              RFI_OFF_BLOCK(RFI_CAT(rfi_block_, __COUNTER__), name)
#define RF_ATOMIC_SET(name, a, b)          ((void)(name), (void)(a), (void)(b))
#define RF_EXCLUSIVE_WRITER(x)             RFI_OFF_BLOCK(RFI_CAT(rfi_block_, __COUNTER__), &(x))
#define RF_EXCLUSIVE_ACCESS(x)             RFI_OFF_BLOCK(RFI_CAT(rfi_block_, __COUNTER__), &(x))
#define RF_BREAKPOINT(name, address)       ((void)(name), (void)(address))
#define RF_BREAKPOINT_FIRST(name, address) ((void)(name), (void)(address))
/* Extensions are compiled and left out: nothing calls them. */
RFI_OFF_FN uint32_t rf_choice_at(const rf_choice *c, uint32_t i) { return c->last + i; }
RFI_OFF_FN bool rf_choice_has(const rf_choice *c, uint32_t t) { return c->last == t; }
RFI_OFF_FN uint32_t rf_choice_offered(const rf_choice *c) { return c->last; }
RFI_OFF_FN uint64_t rf_random(rf_prng *r) { return r->state; }
RFI_OFF_FN uint32_t rf_random_below(rf_prng *r, uint32_t n) { return (void)r, (void)n, 0u; }
RFI_OFF_FN bool rf_random_coin(rf_prng *r) { return (void)r, false; }
RFI_OFF_FN bool rf_events_conflict(const rf_event *a, const rf_event *b) { return a == b; }
RFI_OFF_FN const rf_event *rf_next_event(uint32_t t) { return (void)t, (const rf_event *)NULL; }
RFI_OFF_FN uint32_t rf_series(void) { return 0; }
RFI_OFF_FN uint32_t rf_threads(void) { return 0; }
RFI_OFF_FN bool rf_thread_alive(uint32_t t) { return (void)t, false; }
RFI_OFF_FN bool rf_thread_enabled(uint32_t t) { return (void)t, false; }
RFI_OFF_FN bool rf_thread_spins(uint32_t t) { return (void)t, false; }
RFI_OFF_FN bool rf_thread_awaits(uint32_t t) { return (void)t, false; }
RFI_OFF_FN bool rf_thread_due(uint32_t t) { return (void)t, false; }
RFI_OFF_FN uint32_t rf_thread_creator(uint32_t t) { return (void)t, UINT32_MAX; }
RFI_OFF_FN uint64_t rf_thread_key(uint32_t t) { return (void)t, 0; }
RFI_OFF_FN void rf_run_serially(const uint32_t *order, uint32_t n) { (void)order, (void)n; }
RFI_OFF_FN bool rf_drawn(void) { return false; }
RFI_OFF_FN rf_diagnostic rf_failed(void) { return RF_DIAG_NONE; }
RFI_OFF_FN bool rf_invariants(void) { return false; }
RFI_OFF_FN const void *rf_object_address(uint32_t object) { return (void)object, (const void *)0; }
RFI_OFF_FN bool rf_teach(const void *bytes, size_t n) { return (void)bytes, (void)n, false; }
RFI_OFF_FN bool rf_used(const void *bytes, size_t n) { return (void)bytes, (void)n, false; }
RFI_OFF_FN bool rf_events_depend(const rf_event *a, const rf_event *b) { return a == b; }
RFI_OFF_FN bool rf_reads_clock(const rf_event *e) { return (void)e, false; }
RFI_OFF_FN bool rf_moves_clock(const rf_event *e) { return (void)e, false; }
RFI_OFF_FN bool rf_moves_core(const rf_event *e) { return (void)e, false; }
RFI_OFF_FN uint32_t rf_thread_locks(uint32_t t, rf_lock *lock, uint32_t most) {
    return (void)t, (void)lock, (void)most, 0u;
}
RFI_OFF_FN const rf_site *rf_object_site(uint32_t o) { return (void)o, (const rf_site *)NULL; }
RFI_OFF_FN const char *rf_object_name(uint32_t o) { return (void)o, (const char *)NULL; }
RFI_OFF_FN const rf_site *rf_block_site(const void *p, uint32_t *thread) {
    return (void)p, *thread = 0u, (const rf_site *)NULL;
}
RFI_OFF_FN uint32_t rf_block_number(const void *p) { return (void)p, 0u; }
RFI_OFF_FN bool rf_object_made(uint32_t o) { return (void)o, false; }
RFI_OFF_FN bool rf_object_is_lock(uint32_t o) { return (void)o, false; }
RFI_OFF_FN const uint64_t *rf_check_targets(uint32_t *n) { return *n = 0, (uint64_t *)NULL; }
RFI_OFF_FN void rf_check_pause(void) {}
RFI_OFF_FN void rf_check_pause_for(uint32_t decisions) { (void)decisions; }
RFI_OFF_FN void rf_check_hit(const rf_event *a, const rf_event *b) { (void)a, (void)b; }
RFI_OFF_FN void rf_check_release(uint32_t t) { (void)t; }
RFI_OFF_FN void rf_check_run(uint32_t t) { (void)t; }
RFI_OFF_FN void rf_check_each_paused(void (*fn)(uint32_t, void *), void *arg) {
    (void)fn, (void)arg;
}
RFI_OFF_FN rf_prng *rf_check_random(void) { return NULL; }
RFI_OFF_FN void rf_warn(const rf_warning *w) { (void)w; }
RFI_OFF_FN uint64_t rf_site_key(const rf_site *s) { return (void)s, UINT64_C(0); }
RFI_OFF_FN uint64_t rf_name_key(const char *name) { return (void)name, UINT64_C(0); }
#define RF_ANALYSIS(a) RFI_OFF_REGISTER(rf_analysis, a)
#define RF_CHECKER(c)  RFI_OFF_REGISTER(rf_checker, c)
#define RF_STRATEGY(s) RFI_OFF_REGISTER(rf_strategy, s)
#define RFI_OFF_REGISTER(type, object) \
    RFI_UNUSED static inline const type *RFI_CAT(rfi_register_, __COUNTER__)(void) { \
        return &(object); \
    } \
    typedef int RFI_CAT(rfi_registered_, __LINE__) RFI_UNUSED /* takes the semicolon */

#define RFI_OFF_BLOCK(block, name) \
    for (bool block = ((void)(name), true); block; block = false)

/* ---- plain data and the heap ---- */

/* *& keeps bit-fields out, as the engine does; the value of a statement expression is no lvalue. */
#define RF_LOAD(lvalue)            __extension__({ *&(lvalue); })
#define RF_STORE(lvalue, ...)      ((void)(*&(lvalue) = (__VA_ARGS__)))
#define RF_RACY_LOAD(lvalue)       RF_LOAD(lvalue)
#define RF_RACY_STORE(lvalue, ...) RF_STORE(lvalue, __VA_ARGS__)
#define RF_READ(ptr, len)          ((void)(ptr), (void)(len))
#define RF_WRITE(ptr, len)         ((void)(ptr), (void)(len))
#define RF_MALLOC(size)            malloc(size)
#define RF_CALLOC(count, size)     calloc(count, size)
#define RF_REALLOC(ptr, size)      realloc(ptr, size)
#define RF_FREE(ptr)               free(ptr)

/* ---- threads and time ---- */

typedef pthread_t rf_thread;

RFI_OFF_FN rf_thread rfi_off_thread(void *(*fn)(void *), void *arg, const char *file, int line) {
    pthread_t t;
    if (pthread_create(&t, NULL, fn, arg)) rfi_off_die(file, line, "RF_THREAD: no more threads");
    return t;
}

RFI_OFF_FN void *rfi_off_join(rf_thread t) {
    void *result = NULL;
    pthread_join(t, &result);
    return result;
}

RFI_OFF_FN void rfi_off_threads(unsigned n, void *(*fn)(void *), const char *file, int line) {
    rf_thread *t = (rf_thread *)malloc(n * sizeof *t + 1);
    unsigned i;
    if (!t) rfi_off_die(file, line, "RF_THREADS: no more memory");
    for (i = 0; i < n; i++) t[i] = rfi_off_thread(fn, NULL, file, line);
    while (i--) rfi_off_join(t[i]);
    free(t);
}

RFI_OFF_FN void rfi_off_sleep(uint64_t ms) {
    struct timespec left;
    left.tv_sec = (time_t)(ms / 1000);
    left.tv_nsec = (long)(ms % 1000) * 1000000;
    while (nanosleep(&left, &left)) {} /* a signal came */
}

#define RF_THREAD(fn, arg) rfi_off_thread(fn, arg, __FILE__, __LINE__)
#define RF_JOIN(t)         rfi_off_join(t)
#define RF_THREADS(n, fn)  rfi_off_threads(n, fn, __FILE__, __LINE__)
#define RF_DETACH(t)       ((void)pthread_detach(t))
#define RF_SELF()          pthread_self()
#define RF_YIELD()         ((void)sched_yield())
#define RF_SLEEP_MS(n)     rfi_off_sleep(n)

/* __thread is _Thread_local in C and thread_local in C++. */
#define RF_TLS(T, name)  static __thread __typeof__(T) name
#define RF_TLS_PTR(name) (&(name))

/* The time `ms` milliseconds from now, as pthread_..._timed... take it. */
RFI_OFF_FN struct timespec rfi_off_deadline(uint64_t ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

/* ---- mutex ---- */

typedef pthread_mutex_t rf_mutex;
enum {
    RF_MUTEX_NORMAL = PTHREAD_MUTEX_NORMAL,
    RF_MUTEX_RECURSIVE = PTHREAD_MUTEX_RECURSIVE,
    RF_MUTEX_ERRORCHECK = PTHREAD_MUTEX_ERRORCHECK,
    RF_MUTEX_INHERIT = 0
};
#define RF_MUTEX_CEILING(priority) 0

RFI_OFF_FN void rf_mutex_init(rf_mutex *m, const char *name, int kind) {
    pthread_mutexattr_t attributes;
    (void)name;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(m, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

RFI_OFF_FN bool rfi_off_timedlock(rf_mutex *m, uint64_t ms) {
    struct timespec deadline = rfi_off_deadline(ms);
    return !pthread_mutex_timedlock(m, &deadline);
}

typedef struct rfi_off_guard {
    rf_mutex *mutex;
    bool open;
} rfi_off_guard;

RFI_OFF_FN rfi_off_guard rfi_off_guard_begin(rf_mutex *m) {
    rfi_off_guard g = {m, true};
    pthread_mutex_lock(m);
    return g;
}
RFI_OFF_FN void rfi_off_guard_end(rfi_off_guard *g) { pthread_mutex_unlock(g->mutex); }

#define RF_MUTEX_INIT       PTHREAD_MUTEX_INITIALIZER
#define rf_mutex_destroy(m) ((void)pthread_mutex_destroy(m))
#define RF_LOCK(m)          ((void)pthread_mutex_lock(m))
#define RF_TRYLOCK(m)       (!pthread_mutex_trylock(m))
#define RF_TIMEDLOCK(m, ms) rfi_off_timedlock(m, ms)
#define RF_UNLOCK(m)        ((void)pthread_mutex_unlock(m))
#define RF_GUARD(m)         RFI_OFF_GUARD(RFI_CAT(rfi_guard_, __COUNTER__), m)
#define RFI_OFF_GUARD(guard, m) \
    for (rfi_off_guard guard RFI_CLEANUP(rfi_off_guard_end) = rfi_off_guard_begin(m); \
         guard.open; guard.open = false)

/* ---- rwlock ---- */

typedef pthread_rwlock_t rf_rwlock;

#define RF_RWLOCK_INIT          PTHREAD_RWLOCK_INITIALIZER
#define rf_rwlock_init(l, name) ((void)(name), (void)pthread_rwlock_init(l, NULL))
#define rf_rwlock_destroy(l)    ((void)pthread_rwlock_destroy(l))
#define RF_RDLOCK(l)            ((void)pthread_rwlock_rdlock(l))
#define RF_WRLOCK(l)            ((void)pthread_rwlock_wrlock(l))
#define RF_TRYRDLOCK(l)         (!pthread_rwlock_tryrdlock(l))
#define RF_TRYWRLOCK(l)         (!pthread_rwlock_trywrlock(l))
#define RF_RWUNLOCK(l)          ((void)pthread_rwlock_unlock(l))

/* ---- spin lock: our own, since pthread_spinlock_t has no static initialiser ---- */

typedef struct rf_spin {
    bool taken;
} rf_spin;

#if defined __x86_64__ || defined __i386__
# define RF_SPIN_HINT() __builtin_ia32_pause()
#elif defined __aarch64__ || defined __arm__
# define RF_SPIN_HINT() __asm__ volatile("yield" ::: "memory")
#else
# define RF_SPIN_HINT() ((void)sched_yield())
#endif

RFI_OFF_FN void rfi_off_spin_lock(rf_spin *l) {
    while (__atomic_test_and_set(&l->taken, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&l->taken, __ATOMIC_RELAXED)) RF_SPIN_HINT();
}

#define RF_SPIN_INIT          {false}
#define rf_spin_init(l, name) ((void)(name), (void)((l)->taken = false))
#define rf_spin_destroy(l)    ((void)(l))
#define RF_SPIN_LOCK(l)       rfi_off_spin_lock(l)
#define RF_SPIN_TRYLOCK(l)    (!__atomic_test_and_set(&(l)->taken, __ATOMIC_ACQUIRE))
#define RF_SPIN_UNLOCK(l)     __atomic_clear(&(l)->taken, __ATOMIC_RELEASE)

/* ---- condition ---- */

typedef pthread_cond_t rf_cond;

RFI_OFF_FN bool rfi_off_timedwait(rf_cond *c, rf_mutex *m, uint64_t ms) {
    struct timespec deadline = rfi_off_deadline(ms);
    return !pthread_cond_timedwait(c, m, &deadline);
}

#define RF_COND_INIT           PTHREAD_COND_INITIALIZER
#define rf_cond_init(c, name)  ((void)(name), (void)pthread_cond_init(c, NULL))
#define rf_cond_destroy(c)     ((void)pthread_cond_destroy(c))
#define RF_WAIT(c, m)          ((void)pthread_cond_wait(c, m))
#define RF_TIMEDWAIT(c, m, ms) rfi_off_timedwait(c, m, ms)
#define RF_SIGNAL(c)           ((void)pthread_cond_signal(c))
#define RF_BROADCAST(c)        ((void)pthread_cond_broadcast(c))

/* ---- semaphore and barrier: our own, since those of POSIX have no static initialisers ---- */

typedef struct rf_sem {
    pthread_mutex_t mutex;
    pthread_cond_t posted;
    uint32_t count;
} rf_sem;

#define RF_SEM_INIT(n) {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, (n)}

RFI_OFF_FN void rf_sem_init(rf_sem *s, const char *name, uint32_t n) {
    (void)name;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->posted, NULL);
    s->count = n;
}

RFI_OFF_FN void rf_sem_destroy(rf_sem *s) {
    pthread_cond_destroy(&s->posted);
    pthread_mutex_destroy(&s->mutex);
}

/* Takes one, waiting until the deadline for it; NULL waits for ever. */
RFI_OFF_FN bool rfi_off_sem_take(rf_sem *s, const struct timespec *deadline) {
    int late = 0;
    pthread_mutex_lock(&s->mutex);
    while (!s->count && !late)
        late = deadline ? pthread_cond_timedwait(&s->posted, &s->mutex, deadline)
                        : pthread_cond_wait(&s->posted, &s->mutex);
    bool taken = s->count > 0;
    if (taken) s->count--;
    pthread_mutex_unlock(&s->mutex);
    return taken;
}

RFI_OFF_FN bool rfi_off_sem_timedwait(rf_sem *s, uint64_t ms) {
    struct timespec deadline = rfi_off_deadline(ms);
    return rfi_off_sem_take(s, &deadline);
}

RFI_OFF_FN bool rfi_off_sem_trywait(rf_sem *s) {
    struct timespec past = {0, 0};
    return rfi_off_sem_take(s, &past);
}

RFI_OFF_FN void rfi_off_sem_post(rf_sem *s) {
    pthread_mutex_lock(&s->mutex);
    s->count++;
    pthread_cond_signal(&s->posted);
    pthread_mutex_unlock(&s->mutex);
}

#define RF_SEM_WAIT(s)          ((void)rfi_off_sem_take(s, NULL))
#define RF_SEM_TRYWAIT(s)       rfi_off_sem_trywait(s)
#define RF_SEM_TIMEDWAIT(s, ms) rfi_off_sem_timedwait(s, ms)
#define RF_SEM_POST(s)          rfi_off_sem_post(s)

typedef struct rf_barrier {
    pthread_mutex_t mutex;
    pthread_cond_t complete;
    uint32_t parties, arrived, phase;
} rf_barrier;

#define RF_BARRIER_INIT(n) {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, (n), 0, 0}

RFI_OFF_FN void rf_barrier_init(rf_barrier *b, const char *name, uint32_t n) {
    (void)name;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->complete, NULL);
    b->parties = n;
    b->arrived = b->phase = 0;
}

RFI_OFF_FN void rf_barrier_destroy(rf_barrier *b) {
    pthread_mutex_lock(&b->mutex); /* waits for the last one to leave */
    pthread_mutex_unlock(&b->mutex);
    pthread_cond_destroy(&b->complete);
    pthread_mutex_destroy(&b->mutex);
}

RFI_OFF_FN bool rfi_off_barrier_wait(rf_barrier *b) {
    pthread_mutex_lock(&b->mutex);
    uint32_t phase = b->phase;
    bool last = ++b->arrived == b->parties;
    if (last) {
        b->arrived = 0;
        b->phase++;
        pthread_cond_broadcast(&b->complete);
    }
    while (phase == b->phase) pthread_cond_wait(&b->complete, &b->mutex);
    pthread_mutex_unlock(&b->mutex);
    return last;
}

#define RF_BARRIER_WAIT(b) rfi_off_barrier_wait(b)

/* ---- once ---- */

typedef pthread_once_t rf_once;

RFI_OFF_FN void rf_once_init(rf_once *o, const char *name) {
    const pthread_once_t fresh = PTHREAD_ONCE_INIT;
    (void)name;
    *o = fresh;
}

#define RF_ONCE_INIT       PTHREAD_ONCE_INIT
#define rf_once_destroy(o) ((void)(o))
#define RF_ONCE(o, fn)     ((void)pthread_once(o, fn))

/* ---- atomics ---- */

#ifndef __cplusplus
typedef atomic_flag rf_atomic_flag;

# define RF_ATOMIC_FLAG_INIT ATOMIC_FLAG_INIT

# define rf_atomic_flag_test_and_set                atomic_flag_test_and_set
# define rf_atomic_flag_test_and_set_explicit       atomic_flag_test_and_set_explicit
# define rf_atomic_flag_clear                       atomic_flag_clear
# define rf_atomic_flag_clear_explicit              atomic_flag_clear_explicit
# define rf_atomic_thread_fence                     atomic_thread_fence
# define rf_atomic_init                             atomic_init
# define rf_atomic_load                             atomic_load
# define rf_atomic_load_explicit                    atomic_load_explicit
# define rf_atomic_store                            atomic_store
# define rf_atomic_store_explicit                   atomic_store_explicit
# define rf_atomic_exchange                         atomic_exchange
# define rf_atomic_exchange_explicit                atomic_exchange_explicit
# define rf_atomic_compare_exchange_strong          atomic_compare_exchange_strong
# define rf_atomic_compare_exchange_strong_explicit atomic_compare_exchange_strong_explicit
# define rf_atomic_compare_exchange_weak            atomic_compare_exchange_weak
# define rf_atomic_compare_exchange_weak_explicit   atomic_compare_exchange_weak_explicit
# define rf_atomic_fetch_or                         atomic_fetch_or
# define rf_atomic_fetch_or_explicit                atomic_fetch_or_explicit
# define rf_atomic_fetch_xor                        atomic_fetch_xor
# define rf_atomic_fetch_xor_explicit               atomic_fetch_xor_explicit
# define rf_atomic_fetch_and                        atomic_fetch_and
# define rf_atomic_fetch_and_explicit               atomic_fetch_and_explicit
# define rf_atomic_fetch_add(object, n) atomic_fetch_add(object, RFI_OFF_STEP(object, n))
# define rf_atomic_fetch_add_explicit(object, n, order) \
     atomic_fetch_add_explicit(object, RFI_OFF_STEP(object, n), order)
# define rf_atomic_fetch_sub(object, n) atomic_fetch_sub(object, RFI_OFF_STEP(object, n))
# define rf_atomic_fetch_sub_explicit(object, n, order) \
     atomic_fetch_sub_explicit(object, RFI_OFF_STEP(object, n), order)

/* On pointers gcc's atomic_fetch_add counts bytes, clang's elements: elements it is. */
# ifdef __clang__
#  define RFI_OFF_STEP(object, n) (n)
# else
#  define RFI_OFF_STEP(object, n) \
      __builtin_choose_expr( \
          __builtin_classify_type(((void)0, *(object))) == RFI_CLASS_POINTER, \
          (ptrdiff_t)(n) * (ptrdiff_t)(uintptr_t)((RFI_VALUE(object))0 + 1), (n))
# endif
#endif
#endif
