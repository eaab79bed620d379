/* hook/cxx.h: what the compiler calls where C++ initialises a static object of a function, or one
 * that each thread has of its own.
 *
 * The Itanium C++ ABI (3.3.3): the first byte of a guard says whether the object is there; the rest
 * is the runtime's.  It is a once whose function may throw, so that another thread tries again.
 * Only the linker's --wrap leads here: C++ objects are compiled without our names.
 */
#ifndef RFI_HOOK_CXX_H
#define RFI_HOOK_CXX_H
#include "hook/locks.h"

#ifdef RFI_IMPL
RFI_FN rf_once *rfi_cxx_once(uint64_t *guard, const rf_site *s) {
    rf_once *o = &rfi_hook_small_of((int *)(void *)guard + 1, RFI_ONCE, s)->once;
    rfi.object[o->object.number - 1].at = guard;
    return o;
}

RFI_FN void rfi_cxx_end(const rf_site *s, uint64_t *guard, uint8_t there) {
    if (there) rfi_atomic_store(s, guard, 1, __ATOMIC_RELEASE, &there);
    if (rfi_hook_shares()) rfi_once_end(s, rfi_cxx_once(guard, s), there);
}

/* 1: the caller initialises it, and calls one of the two below. */
int RFI_HOOK(__cxa_guard_acquire)(uint64_t *guard);
int RFI_HOOK(__cxa_guard_acquire)(uint64_t *guard) {
    const rf_site *here = RFI_CALLER();
    uint8_t there = *(uint8_t *)guard;
    if (!rfi_hook_shares()) return !there;
    return rfi_once_begin(here, rfi_cxx_once(guard, here));
}

void RFI_HOOK(__cxa_guard_release)(uint64_t *guard);
void RFI_HOOK(__cxa_guard_release)(uint64_t *guard) { rfi_cxx_end(RFI_CALLER(), guard, 1); }

/* Its initialiser has thrown. */
void RFI_HOOK(__cxa_guard_abort)(uint64_t *guard);
void RFI_HOOK(__cxa_guard_abort)(uint64_t *guard) { rfi_cxx_end(RFI_CALLER(), guard, 0); }

/* ---- thread_local ---- */

int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library)
    __attribute__((weak));

/* An object that the thread has of its own has been made: it is destroyed where the thread ends
 * (glibc's, by which the libraries of C++ do that).  Objects that all share are so by nobody. */
int RFI_HOOK(__cxa_thread_atexit_impl)(void (*destroy)(void *), void *object, void *library);
int RFI_HOOK(__cxa_thread_atexit_impl)(void (*destroy)(void *), void *object, void *library) {
    bool own = rfi_backend.kind == RFI_BACKEND_THREADS || rfi_fiber_home->thread_pointer;
    if (!rfi_hook_shares() || !own)
        return RFI_REAL(__cxa_thread_atexit_impl)(destroy, object, library);
    rfi_hook_thread *t = rfi_hook_self();
    rfi_hook_local *l = rfi_arena_take(&rfi.arena, sizeof *l);
    *l = (rfi_hook_local){{destroy, object, __builtin_return_address(0)}, t->local};
    t->local = l;
    return 0;
}

/* ---- libc++ ---- */

/* std::__call_once(flag, arg, f), which came compiled: it writes a flag unseen that headers read.
 * It gets one of its own; the program's is set behind it. */
# define RFI_CXX_ONCE(name) name##_ZNSt3__111__call_onceERVmPvPFvS2_E
void RFI_CXX_ONCE(__real_)(volatile unsigned long *flag, void *arg, void (*f)(void *))
    __attribute__((weak));
void RFI_CXX_ONCE(__wrap_)(volatile unsigned long *flag, void *arg, void (*f)(void *));

RFI_VAR struct {
    uint64_t generation;
    uint32_t count, capacity;
    struct rfi_cxx_flag {
        volatile unsigned long *of, *own;
    } * flag;
} rfi_cxx_flags;

RFI_FN volatile unsigned long *rfi_cxx_flag_of(volatile unsigned long *of) {
    if (rfi_cxx_flags.generation != rfi.generation) rfi_cxx_flags.count = 0;
    rfi_cxx_flags.generation = rfi.generation;
    for (uint32_t i = 0; i < rfi_cxx_flags.count; i++)
        if (rfi_cxx_flags.flag[i].of == of) return rfi_cxx_flags.flag[i].own;
    rfi_cxx_flags.flag = rfi_grow(rfi_cxx_flags.flag, &rfi_cxx_flags.capacity,
                                  rfi_cxx_flags.count + 1, sizeof *rfi_cxx_flags.flag);
    unsigned long *own = rfi_arena_take(&rfi.arena, sizeof *own);
    *own = 0;
    rfi_cxx_flags.flag[rfi_cxx_flags.count++] = (struct rfi_cxx_flag){of, own};
    return own;
}

void RFI_CXX_ONCE(__wrap_)(volatile unsigned long *flag, void *arg, void (*f)(void *)) {
    const rf_site *here = RFI_CALLER();
    const unsigned long done = ~0ul;
    bool shares = rfi_hook_shares();
    RFI_CXX_ONCE(__real_)(shares ? rfi_cxx_flag_of(flag) : flag, arg, f);
    if (shares) rfi_atomic_store(here, flag, sizeof done, __ATOMIC_RELEASE, &done);
}
#endif
#endif
