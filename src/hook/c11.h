/* hook/c11.h: the threads of C11, as other names for those of POSIX.
 *
 * They have its objects: a mtx_t is laid out as a pthread_mutex_t, a thrd_t is a pthread_t.  What
 * C11 leaves undefined is a finding, also where POSIX has an error code for it: unlocking a
 * recursive mutex that another thread holds.
 */
#ifndef RFI_HOOK_C11_H
#define RFI_HOOK_C11_H
#include "hook/clocks.h"
#include "hook/locks.h"
#include "hook/threads.h"

/* Not in every unit with the engine: <threads.h> makes a word, thread_local, a macro. */
#if defined RFI_IMPL && defined __has_include && \
    (defined RF_HOOK_THREADS || defined RF_HOOK_ALL || defined RF_PROGRAM)
# if __has_include(<threads.h>)
#  include <threads.h>

_Static_assert(sizeof(rf_mutex) <= sizeof(mtx_t), "one holds the other");
_Static_assert(sizeof(rf_cond) + sizeof(clockid_t) <= sizeof(cnd_t), "one holds the other");
_Static_assert(sizeof(int) <= sizeof(once_flag), "one holds the other");
_Static_assert(sizeof(pthread_t) == sizeof(thrd_t), "one is the other");
_Static_assert(sizeof(pthread_key_t) == sizeof(tss_t), "one is the other");

/* What an error of POSIX is called here. */
RFI_FN int rfi_c11(int error) {
    return !error               ? thrd_success
           : error == EBUSY     ? thrd_busy
           : error == ETIMEDOUT ? thrd_timedout
           : error == ENOMEM    ? thrd_nomem
                                : thrd_error;
}

RFI_FN rf_mutex *rfi_c11_mutex(mtx_t *m) { return rfi_hook_mutex((pthread_mutex_t *)(void *)m); }
RFI_FN rf_cond *rfi_c11_cond(cnd_t *c) { return rfi_hook_cond((pthread_cond_t *)(void *)c); }

/* ---- mutex ---- */

int RFI_HOOK(mtx_init)(mtx_t *m, int type) {
    rfi_mutex_init(RFI_CALLER(), (rf_mutex *)(void *)m, NULL,
                   type & mtx_recursive ? RF_MUTEX_RECURSIVE : RF_MUTEX_NORMAL);
    return thrd_success;
}

int RFI_HOOK(mtx_lock)(mtx_t *m) {
    rfi_mutex_lock(RFI_CALLER(), rfi_c11_mutex(m));
    return thrd_success;
}

int RFI_HOOK(mtx_trylock)(mtx_t *m) {
    return rfi_mutex_trylock(RFI_CALLER(), rfi_c11_mutex(m)) ? thrd_success : thrd_busy;
}

int RFI_HOOK(mtx_timedlock)(mtx_t *m, const struct timespec *at) {
    return rfi_c11(
        rfi_hook_timedlock(RFI_CALLER(), (pthread_mutex_t *)(void *)m, CLOCK_REALTIME, at));
}

int RFI_HOOK(mtx_unlock)(mtx_t *m) {
    rfi_mutex_unlock(RFI_CALLER(), rfi_c11_mutex(m));
    return thrd_success;
}

void RFI_HOOK(mtx_destroy)(mtx_t *m) { rfi_mutex_destroy(RFI_CALLER(), rfi_c11_mutex(m)); }

/* ---- condition ---- */

int RFI_HOOK(cnd_init)(cnd_t *c) {
    *rfi_hook_cond_clock((pthread_cond_t *)(void *)c) = CLOCK_REALTIME;
    rfi_cond_init(RFI_CALLER(), rfi_c11_cond(c), NULL);
    return thrd_success;
}

int RFI_HOOK(cnd_wait)(cnd_t *c, mtx_t *m) {
    return rfi_c11(
        rfi_hook_wait(RFI_CALLER(), (pthread_cond_t *)(void *)c, (pthread_mutex_t *)(void *)m));
}

int RFI_HOOK(cnd_timedwait)(cnd_t *c, mtx_t *m, const struct timespec *at) {
    return rfi_c11(rfi_hook_timedwait(RFI_CALLER(), (pthread_cond_t *)(void *)c,
                                      (pthread_mutex_t *)(void *)m, CLOCK_REALTIME, at));
}

int RFI_HOOK(cnd_signal)(cnd_t *c) {
    rfi_cond_signal(RFI_CALLER(), rfi_c11_cond(c));
    return thrd_success;
}

int RFI_HOOK(cnd_broadcast)(cnd_t *c) {
    rfi_cond_broadcast(RFI_CALLER(), rfi_c11_cond(c));
    return thrd_success;
}

void RFI_HOOK(cnd_destroy)(cnd_t *c) { rfi_cond_destroy(RFI_CALLER(), rfi_c11_cond(c)); }

/* ---- once, and what each thread has for itself ---- */

void RFI_HOOK(call_once)(once_flag *once, void (*fn)(void)) {
    rfi_hook_once(RFI_CALLER(), (int *)(void *)once, fn);
}

int RFI_HOOK(tss_create)(tss_t *key, void (*destroy)(void *)) {
    tss_t made = 0;
    int error = rfi_hook_key_new(RFI_CALLER(), &made, destroy);
    if (!error) RFI_PUT(key, made);
    return rfi_c11(error);
}

void RFI_HOOK(tss_delete)(tss_t key) { (void)rfi_hook_key_drop(RFI_CALLER(), key); }

void *RFI_HOOK(tss_get)(tss_t key) { return RFI_WRAPPED(pthread_getspecific)(key); }

int RFI_HOOK(tss_set)(tss_t key, void *value) {
    return rfi_c11(RFI_WRAPPED(pthread_setspecific)(key, value));
}

/* ---- threads ---- */

int RFI_HOOK(thrd_create)(thrd_t *t, int (*fn)(void *), void *arg) {
    RFI_LEAVES(t, sizeof *t);
    rfi_hook_create(RFI_CALLER(), t, (rfi_hook_start){.whole = fn, .arg = arg}, NULL, false);
    return thrd_success;
}

int RFI_HOOK(thrd_join)(thrd_t t, int *result) {
    void *r = rfi_hook_join(RFI_CALLER(), t);
    if (result) RFI_PUT(result, (int)(intptr_t)r);
    return thrd_success;
}

int RFI_HOOK(thrd_detach)(thrd_t t) {
    rfi_hook_detach(RFI_CALLER(), t, "thrd_detach");
    return thrd_success;
}

void RFI_HOOK(thrd_exit)(int result) RFI_NORETURN;
void RFI_HOOK(thrd_exit)(int result) {
    rfi_hook_exit(RFI_CALLER(), "thrd_exit", (void *)(intptr_t)result);
}

thrd_t RFI_HOOK(thrd_current)(void) {
    RFI_HOOK_ENTERED();
    return rfi_hook_handle(rfi_self());
}

int RFI_HOOK(thrd_equal)(thrd_t a, thrd_t b) { return a == b; }

void RFI_HOOK(thrd_yield)(void) { rfi_hook_yield(RFI_CALLER()); }

/* -1: a signal has ended it; any other negative number is an error. */
int RFI_HOOK(thrd_sleep)(const struct timespec *t, struct timespec *left) {
    int error = rfi_hook_nap(RFI_CALLER(), t, left);
    RFI_LEFT(error == EINTR, left);
    return !error ? 0 : error == EINTR ? -1 : -2;
}
# endif
#endif
#endif
