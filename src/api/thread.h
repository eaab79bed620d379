/* api/thread.h: logical threads, virtual time, thread-local objects (docs/sync.md). */
#ifndef RFI_API_THREAD_H
#define RFI_API_THREAD_H
#include "api/macros.h"
#include "engine/entry.h"

/* Starts fn(arg), with `void *fn(void *)`, in a new logical thread: an rf_thread, the handle for
 * the other macros.  A thread that still holds a lock when fn returns is a failure. */
#define RF_THREAD(fn, arg) rfi_create(RFI_SITE(#fn), fn, arg)

/* Waits until thread `t` has ended and gives the result of its function.  Joining oneself, a
 * detached thread, or a thread twice are failures. */
#define RF_JOIN(t) rfi_join(RFI_SITE(#t), t)

/* Runs fn(NULL) in n logical threads, and goes on when all of them have ended.  Which of them is
 * which must not matter: `graphs` explores executions up to that (docs/sync.md). */
#define RF_THREADS(n, fn) rfi_threads(RFI_SITE(#fn), n, fn)

/* Nobody will join `t`.  The execution still lasts until it has ended. */
#define RF_DETACH(t) rfi_detach(RFI_SITE(#t), t)

/* The handle of the running thread. */
#define RF_SELF() rfi_self()

/* Lets others go first. */
#define RF_YIELD() rfi_yield(RFI_SITE("yield"))

/* Sleeps for n milliseconds of virtual time, which costs no real time: others run meanwhile, as
 * long as they like. */
#define RF_SLEEP_MS(n) rfi_sleep(RFI_SITE(#n), n)

/* RF_TLS(T, name); at file scope is a thread-local object of type T, zero when a thread first uses
 * it; its name is known in this unit only.  RF_TLS_PTR(name) is the running thread's own, a T *,
 * which lives as long as the thread. */
#define RF_TLS(T, name) \
    static struct { \
        rfi_tls key; \
        __typeof__(T) *type; /* never set: RF_TLS_PTR takes its type */ \
    } name = {{sizeof(T), 0}, NULL}
#define RF_TLS_PTR(name) ((__typeof__((name).type))rfi_tls_ptr(&(name).key))
#endif
