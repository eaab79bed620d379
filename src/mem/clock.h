/* mem/clock.h: vector clocks (docs/inside/internals.md, Two relations).
 *
 * A clock is as long as the highest thread number in it; missing components are zero, and those up
 * to a multiple of four are there: four are joined at once.  Memory comes from an arena that the
 * owner empties at the end of the execution.
 */
#ifndef RFI_MEM_CLOCK_H
#define RFI_MEM_CLOCK_H
#include "base/arena.h"

#ifdef RFI_IMPL
typedef struct rfi_clock {
    uint32_t *c;
    uint32_t n, capacity;
} rfi_clock;

RFI_INLINE uint32_t rfi_clock_get(const rfi_clock *a, uint32_t t) { return t < a->n ? a->c[t] : 0; }

/* Four components. */
typedef uint32_t rfi_clock_part __attribute__((vector_size(16), aligned(4), may_alias));

# define RFI_CLOCK_PARTS(n) (((n) + 3) / 4) /* that n components take */

RFI_INLINE rfi_clock_part *rfi_clock_parts(const rfi_clock *a) { return (rfi_clock_part *)a->c; }

/* Room for n components; those that there are stay. */
RFI_FN RFI_APART void rfi_clock_room(rfi_clock *a, uint32_t n, rfi_arena *arena) {
    uint32_t capacity = n < 8 ? 8 : RFI_CLOCK_PARTS(n + n / 2) * 4;
    uint32_t *c = rfi_arena_raw(arena, capacity * sizeof *c);
    if (a->n) memcpy(c, a->c, RFI_CLOCK_PARTS(a->n) * sizeof(rfi_clock_part));
    a->c = c;
    a->capacity = capacity;
}

RFI_INLINE void rfi_clock_reserve(rfi_clock *a, uint32_t n, rfi_arena *arena) {
    if (RFI_LIKELY(n <= a->n)) return;
    if (n > a->capacity) rfi_clock_room(a, n, arena);
    for (uint32_t i = RFI_CLOCK_PARTS(a->n); i < RFI_CLOCK_PARTS(n); i++)
        rfi_clock_parts(a)[i] = (rfi_clock_part){0};
    a->n = n;
}

/* The larger of the components of two parts. */
RFI_INLINE rfi_clock_part rfi_clock_most(rfi_clock_part x, rfi_clock_part y) {
    rfi_clock_part more = (rfi_clock_part)(y > x);
    return (y & more) | (x & ~more);
}

/* Is one part all there is, of both? */
RFI_INLINE bool rfi_clock_small(const rfi_clock *a, const rfi_clock *b) {
    return RFI_LIKELY(a->n - 1 < 4 && b->n - 1 < 4);
}

RFI_FN RFI_APART void rfi_clock_join_large(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    rfi_clock_reserve(a, n, arena);
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(n); i++)
        rfi_clock_parts(a)[i] = rfi_clock_most(rfi_clock_parts(a)[i], rfi_clock_parts(b)[i]);
}

/* A := A join B */
RFI_INLINE void rfi_clock_join(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    if (!rfi_clock_small(a, b)) {
        if (b->n) rfi_clock_join_large(a, b, arena);
        return;
    }
    *rfi_clock_parts(a) = rfi_clock_most(*rfi_clock_parts(a), *rfi_clock_parts(b));
    if (b->n > a->n) a->n = b->n;
}

/* Has a part a component that is larger in the other one, but for the t-th of all?  It is the i-th
 * part. */
RFI_INLINE bool rfi_clock_part_above(rfi_clock_part x, rfi_clock_part y, uint32_t i, uint32_t t) {
    const rfi_clock_part at = {0, 1, 2, 3};
    rfi_clock_part more = (rfi_clock_part)(x > y) & (rfi_clock_part)(at != t - 4 * i);
    uint64_t any[2];
    memcpy(any, &more, sizeof any);
    return any[0] | any[1];
}

RFI_FN RFI_APART bool rfi_clock_below_large(const rfi_clock *a, const rfi_clock *b, uint32_t t) {
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(a->n); i++) {
        rfi_clock_part y = {0};
        if (i < RFI_CLOCK_PARTS(b->n)) y = rfi_clock_parts(b)[i];
        if (rfi_clock_part_above(rfi_clock_parts(a)[i], y, i, t)) return false;
    }
    return true;
}

/* A <= B, but for component t. */
RFI_INLINE bool rfi_clock_below(const rfi_clock *a, const rfi_clock *b, uint32_t t) {
    if (!rfi_clock_small(a, b)) return rfi_clock_below_large(a, b, t);
    return !rfi_clock_part_above(*rfi_clock_parts(a), *rfi_clock_parts(b), 0, t);
}

RFI_FN RFI_APART void rfi_clock_copy_large(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    a->n = 0;
    if (RFI_UNLIKELY(n > a->capacity)) rfi_clock_room(a, n, arena);
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(n); i++) rfi_clock_parts(a)[i] = rfi_clock_parts(b)[i];
    a->n = n;
}

/* A := B */
RFI_INLINE void rfi_clock_copy(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    if (RFI_UNLIKELY(n > 4)) {
        rfi_clock_copy_large(a, b, arena);
        return;
    }
    if (RFI_UNLIKELY(!a->capacity && n)) {
        a->c = rfi_arena_raw(arena, 8 * sizeof *a->c);
        a->capacity = 8;
    }
    if (n) *rfi_clock_parts(a) = *rfi_clock_parts(b);
    a->n = n;
}
#endif
#endif
