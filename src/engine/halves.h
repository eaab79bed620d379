/* engine/halves.h: atomics that are parts of one of 16 bytes: tagged pointers, of which loads of
 * 8 bytes read one half and compare-exchanges change both.
 *
 * Once an execution has used all 16 bytes atomically, an access of a part is one of the whole: a
 * load takes its part of the value, a store is an update that leaves the rest as it is.  So both
 * halves have one modification order; a machine may have two.
 */
#ifndef RFI_ENGINE_HALVES_H
#define RFI_ENGINE_HALVES_H
#include "engine/entry.h"
#include "engine/memory.h"

#ifdef RFI_IMPL
RFI_VAR struct {
    rfi_map known; /* address / 16: 1; 0: it is something else by now */
    uint32_t generation;
    rfi_word word;  /* of the update of a part that has begun, */
    uint32_t from;  /* which begins there */
    uint32_t bytes; /* 0: none has */
} rfi_wholes;

/* Need this access be looked at? */
RFI_INLINE bool rfi_halves(size_t n) {
    return RFI_UNLIKELY(n > sizeof(uint64_t) || rfi_wholes.generation == rfi.generation);
}

/* The atomic of which these bytes are a part; NULL: of none. */
RFI_FN RFI_APART volatile char *rfi_whole_of(const volatile void *p, size_t n) {
    uint64_t key = (uintptr_t)p / RFI_PAIR;
    if (rfi_wholes.generation != rfi.generation) {
        rfi_map_reset(&rfi_wholes.known);
        rfi_wholes.generation = rfi.generation;
    }
    if (n < RFI_PAIR) {
        const uint64_t *known = rfi_map_find(&rfi_wholes.known, key);
        return known && *known ? (volatile char *)(key * RFI_PAIR) : NULL;
    }
    rfi_wholes.bytes = 0;
    if (n == RFI_PAIR && (uintptr_t)p % RFI_PAIR == 0) *rfi_map_at(&rfi_wholes.known, key) = 1;
    return NULL;
}

/* This memory becomes something else. */
RFI_FN RFI_COLD void rfi_wholes_forget(const char *from, const char *to) {
    if (rfi_wholes.generation != rfi.generation) return;
    for (uintptr_t key = (uintptr_t)from / RFI_PAIR; key * RFI_PAIR < (uintptr_t)to; key++) {
        uint64_t *known = rfi_map_find(&rfi_wholes.known, key);
        if (known) *known = 0;
    }
}

RFI_FN bool rfi_half_load(const rf_site *s, const volatile void *p, size_t n, int order,
                          void *out) {
    volatile char *whole = rfi_whole_of(p, n);
    rfi_word v;
    if (!whole) return false;
    rfi_atomic_load(s, whole, sizeof v, order, &v);
    memcpy(out, (const char *)&v + ((const volatile char *)p - whole), n);
    return true;
}

RFI_FN bool rfi_half_begin(const rf_site *s, volatile void *p, size_t n, int order, void *old) {
    volatile char *whole = rfi_whole_of(p, n);
    if (!whole) return false;
    rfi_rmw_begin(s, whole, sizeof rfi_wholes.word, order, &rfi_wholes.word);
    rfi_wholes.from = (uint32_t)((volatile char *)p - whole);
    rfi_wholes.bytes = (uint32_t)n;
    memcpy(old, (const char *)&rfi_wholes.word + rfi_wholes.from, n);
    return true;
}

/* What the whole becomes, if that is the end of an update of a part. */
RFI_FN RFI_APART const void *rfi_half_end(const void *value) {
    if (!rfi_wholes.bytes) return value;
    memcpy((char *)&rfi_wholes.word + rfi_wholes.from, value, rfi_wholes.bytes);
    rfi_wholes.bytes = 0;
    return &rfi_wholes.word;
}

RFI_FN bool rfi_half_store(const rf_site *s, volatile void *p, size_t n, int order,
                           const void *in) {
    uint64_t old;
    if (!rfi_half_begin(s, p, n, order, &old)) return false;
    rfi_rmw_end(in);
    return true;
}

/* 1: done; 0: failed; -1: it is no part. */
RFI_FN int rfi_half_cas(const rf_site *s, volatile void *p, size_t n, bool weak, int success,
                        int failure, void *expected, const void *desired) {
    volatile char *whole = rfi_whole_of(p, n);
    rfi_word now, then;
    if (!whole) return -1;
    char *part = (char *)&now + ((volatile char *)p - whole);
    for (rfi_atomic_load(s, whole, sizeof now, failure, &now); !memcmp(part, expected, n);) {
        then = now;
        memcpy((char *)&then + (part - (char *)&now), desired, n);
        if (rfi_cas(s, whole, sizeof now, weak, success, failure, &now, &then)) return 1;
        if (weak) break;
    }
    memcpy(expected, part, n);
    return 0;
}
#endif
#endif
