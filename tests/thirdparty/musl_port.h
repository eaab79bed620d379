/* What musl's semaphores and pthread_once need of musl: atomic operations, as the compiler's, and
 * the kernel's futexes.  Its own names stand beside the C library's.  Found by the names of musl's
 * headers, which include it. */
#ifndef MUSL_PORT_H
#define MUSL_PORT_H
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SEM_VALUE_MAX 0x7fffffff
#define hidden
#define weak_alias(old, new)

#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(f, x) \
 {                                 \
  void (*undone)(void *) = f;      \
  void *by = x
#define pthread_cleanup_pop(run) \
 if (run) undone(by);            \
 }

#undef sem_post
#undef sem_wait
#undef sem_trywait
#undef sem_timedwait
#undef pthread_testcancel
#define sem_post           musl_sem_post
#define sem_trywait        musl_sem_trywait
#define sem_timedwait      musl_sem_timedwait
#define sem_t              musl_sem
#define pthread_testcancel musl_testcancel

typedef struct musl_sem {
    volatile int __val[4];
} musl_sem;

int musl_sem_post(musl_sem *sem);
int musl_sem_trywait(musl_sem *sem);
int musl_sem_timedwait(musl_sem *sem, const struct timespec *at);
int __pthread_once(pthread_once_t *control, void (*init)(void));

static inline void musl_testcancel(void) {}
static inline void a_barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void a_spin(void) {}
static inline int a_cas(volatile int *p, int was, int is) {
    __atomic_compare_exchange_n(p, &was, is, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return was;
}
static inline int a_swap(volatile int *p, int v) {
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);
}
static inline void a_inc(volatile int *p) { __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); }
static inline void a_dec(volatile int *p) { __atomic_fetch_sub(p, 1, __ATOMIC_SEQ_CST); }

static inline void __wake(volatile void *p, int n, int priv) {
    (void)priv;
    syscall(SYS_futex, p, FUTEX_WAKE_PRIVATE, n < 0 ? 0x7fffffff : n, NULL);
}
static inline void __wait(volatile int *p, volatile int *waiters, int value, int priv) {
    (void)waiters, (void)priv;
    while (*p == value) syscall(SYS_futex, p, FUTEX_WAIT_PRIVATE, value, NULL);
}
static inline int __timedwait_cp(volatile int *p, int value, clockid_t clock,
                                 const struct timespec *at, int priv) {
    (void)clock, (void)at, (void)priv;
    syscall(SYS_futex, p, FUTEX_WAIT_PRIVATE, value, NULL);
    return 0;
}
#endif
