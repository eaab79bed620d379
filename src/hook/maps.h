/* hook/maps.h: memory returned to the system and mapped again.
 *
 * An address that mmap returns (hook/chance.h) may have been another object's: its history is
 * dropped.  Unmapping is an operation: other threads may use the memory right before.
 */
#ifndef RFI_HOOK_MAPS_H
#define RFI_HOOK_MAPS_H
#include "hook/hook.h"

#ifdef RFI_IMPL
# include <sys/mman.h>

/* From here on these bytes are another object. */
RFI_FN void rfi_hook_anew(const void *p, size_t n) {
    const char *low = p;
    if (rfi.current && !rfi.quiet && n) rfi_thread_recycle(rfi.current, low, low + n);
}

int RFI_HOOK(munmap)(void *p, size_t n) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current && !rfi.quiet) {
        rf_event *e = rfi_call_begin(here, "munmap");
        e->addr = p;
        e->size = n;
        e->flags = RF_EV_WRITES | RF_EV_ATOMIC;
        rfi_call_end(e);
    }
    int result = RFI_REAL(munmap)(p, n), error = errno;
    if (!result) rfi_hook_anew(p, n);
    errno = error;
    return result;
}

# if defined __linux__ && defined MREMAP_MAYMOVE
void *RFI_HOOK(mremap)(void *p, size_t n, size_t size, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    rfi_call(RFI_CALLER(), "mremap", p, RF_EV_WRITES);
    void *q = RFI_REAL(mremap)(p, n, size, flags, to);
    int error = errno;
    if (q != MAP_FAILED && q != p) rfi_hook_anew(p, n);
    if (q != MAP_FAILED && q != p) rfi_hook_anew(q, size);
    errno = error;
    return q;
}
# endif
#endif
#endif
