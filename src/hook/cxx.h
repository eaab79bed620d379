/* hook/cxx.h: what the compiler calls where C++ initialises a static object of a function.
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
#endif
#endif
