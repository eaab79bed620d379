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

/* A := A join B */
RFI_FN void rfi_clock_join(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    rfi_clock_reserve(a, n, arena);
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(n); i++) {
        rfi_clock_part x = rfi_clock_parts(a)[i], y = rfi_clock_parts(b)[i];
        rfi_clock_part more = (rfi_clock_part)(y > x);
        rfi_clock_parts(a)[i] = (y & more) | (x & ~more);
    }
}

/* A <= B, but for component t. */
RFI_FN bool rfi_clock_below(const rfi_clock *a, const rfi_clock *b, uint32_t t) {
    rfi_clock_part at = {0, 1, 2, 3}, none = {0};
    uint32_t parts = RFI_CLOCK_PARTS(a->n), known = RFI_CLOCK_PARTS(b->n);
    for (uint32_t i = 0; i < parts; i++, at += 4) {
        rfi_clock_part y = i < known ? rfi_clock_parts(b)[i] : none;
        rfi_clock_part more = (rfi_clock_part)(rfi_clock_parts(a)[i] > y) &
                              (rfi_clock_part)(at != (none + t));
        uint64_t any[2];
        memcpy(any, &more, sizeof any);
        if (any[0] | any[1]) return false;
    }
    return true;
}

/* A := B */
RFI_FN void rfi_clock_copy(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    a->n = 0;
    if (RFI_UNLIKELY(n > a->capacity)) rfi_clock_room(a, n, arena);
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(n); i++) rfi_clock_parts(a)[i] = rfi_clock_parts(b)[i];
    a->n = n;
}
#endif
#endif
