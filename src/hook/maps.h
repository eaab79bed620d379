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
# include <sys/shm.h>

/* ---- what other processes may see ---- */

typedef struct rfi_hook_range {
    uintptr_t from, to;
    uint32_t generation; /* of the execution to which it belongs; 0: to all */
} rfi_hook_range;

RFI_VAR struct {
    uint32_t count, capacity;
    rfi_hook_range *range;
} rfi_hook_shared;

RFI_FN bool rfi_hook_range_lives(const rfi_hook_range *r) {
    return r->from < r->to && (!r->generation || r->generation == rfi.generation);
}

RFI_FN bool rfi_hook_shared_any(void) {
    for (uint32_t i = 0; i < rfi_hook_shared.count; i++)
        if (rfi_hook_range_lives(&rfi_hook_shared.range[i])) return true;
    return false;
}

RFI_FN bool rfi_hook_shared_has(const volatile void *p) {
    uintptr_t at = (uintptr_t)p;
    for (uint32_t i = 0; i < rfi_hook_shared.count; i++) {
        const rfi_hook_range *r = &rfi_hook_shared.range[i];
        if (rfi_hook_range_lives(r) && at >= r->from && at < r->to) return true;
    }
    return false;
}

RFI_FN void rfi_hook_shared_add(const void *p, size_t n, uint32_t generation) {
    rfi_hook_range new = {(uintptr_t)p, (uintptr_t)p + n, generation};
    uint32_t i = 0;
    while (i < rfi_hook_shared.count && rfi_hook_range_lives(&rfi_hook_shared.range[i])) i++;
    if (i == rfi_hook_shared.count)
        rfi_hook_shared.range = rfi_grow(rfi_hook_shared.range, &rfi_hook_shared.capacity,
                                         ++rfi_hook_shared.count, sizeof *rfi_hook_shared.range);
    rfi_hook_shared.range[i] = new;
}

/* These bytes are mapped otherwise from now on, or not at all. */
RFI_FN void rfi_hook_shared_drop(const void *p, size_t n) {
    uintptr_t from = (uintptr_t)p, to = from + n;
    for (uint32_t i = 0; i < rfi_hook_shared.count; i++) {
        rfi_hook_range *r = &rfi_hook_shared.range[i], was = *r;
        if (was.to <= from || to <= was.from) continue;
        r->to = was.from < from ? from : was.from;
        if (to < was.to) rfi_hook_shared_add((const void *)to, was.to - to, was.generation);
    }
}

/* ---- what was another object's ---- */

/* From here on these bytes are another object. */
RFI_FN void rfi_hook_anew(const void *p, size_t n) {
    const char *low = p;
    if (rfi.current && !rfi.quiet && n) rfi_thread_recycle(rfi.current, low, low + n);
}

/* Others may use it right before. */
RFI_FN void rfi_hook_unmaps(const rf_site *s, const char *name, const void *p, size_t n) {
    if (!rfi.current || rfi.quiet) return;
    rf_event *e = rfi_call_begin(s, name);
    e->addr = p;
    e->size = n;
    e->flags = RF_EV_WRITES | RF_EV_ATOMIC;
    rfi_call_end(e);
}

RFI_FN void rfi_hook_unmapped(const void *p, size_t n) {
    int error = errno;
    rfi_hook_shared_drop(p, n);
    rfi_hook_anew(p, n);
    errno = error;
}

int RFI_HOOK(munmap)(void *p, size_t n) {
    rfi_hook_unmaps(RFI_CALLER(), "munmap", p, n);
    int result = RFI_REAL(munmap)(p, n);
    if (!result) rfi_hook_unmapped(p, n);
    return result;
}

/* ---- memory of System V ---- */

void *RFI_HOOK(shmat)(int id, const void *at, int flags) {
    struct shmid_ds segment;
    rfi_call(RFI_CALLER(), "shmat", &rfi_hook_outside, RF_EV_WRITES);
    void *p = RFI_REAL(shmat)(id, at, flags);
    int error = errno;
    if ((uintptr_t)p != UINTPTR_MAX && !RFI_REAL(shmctl)(id, IPC_STAT, &segment)) {
        rfi_hook_shared_add(p, segment.shm_segsz, 0);
        rfi_hook_anew(p, segment.shm_segsz);
    }
    errno = error;
    return p;
}

int RFI_HOOK(shmdt)(const void *p) {
    const rf_site *here = RFI_CALLER();
    uintptr_t from = (uintptr_t)p, to = from;
    for (uint32_t i = 0; i < rfi_hook_shared.count; i++)
        if (rfi_hook_shared.range[i].from == from) to = rfi_hook_shared.range[i].to;
    rfi_hook_unmaps(here, "shmdt", p, to - from);
    int result = RFI_REAL(shmdt)(p);
    if (!result) rfi_hook_unmapped(p, to - from);
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
    if (q != MAP_FAILED && rfi_hook_shared_has(p)) {
        rfi_hook_shared_drop(p, n);
        rfi_hook_shared_add(q, size, 0);
    }
    if (q != MAP_FAILED && q != p) rfi_hook_anew(p, n);
    if (q != MAP_FAILED && q != p) rfi_hook_anew(q, size);
    errno = error;
    return q;
}
# endif
#endif
#endif
