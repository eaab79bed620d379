/* mem/clock.h: vector clocks (docs/inside/internals.md, Two relations).
 *
 * A clock is as long as the highest thread number in it; missing components are zero.  Memory comes
 * from an arena that the owner empties at the end of the execution.
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

/* Room for n components; those that there are stay. */
RFI_FN RFI_APART void rfi_clock_room(rfi_clock *a, uint32_t n, rfi_arena *arena) {
    uint32_t capacity = n < 8 ? 8 : n + n / 2;
    uint32_t *c = rfi_arena_raw(arena, capacity * sizeof *c);
    if (a->n) memcpy(c, a->c, a->n * sizeof *c);
    a->c = c;
    a->capacity = capacity;
}

RFI_INLINE void rfi_clock_reserve(rfi_clock *a, uint32_t n, rfi_arena *arena) {
    if (RFI_LIKELY(n <= a->n)) return;
    if (n > a->capacity) rfi_clock_room(a, n, arena);
    while (a->n < n) a->c[a->n++] = 0; /* mostly one or two: no call for them */
}

/* Four components. */
typedef uint32_t rfi_clock_part __attribute__((vector_size(16), aligned(4), may_alias));

/* A := A join B */
RFI_FN void rfi_clock_join(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t i = 0, n = b->n;
    rfi_clock_reserve(a, n, arena);
    for (; n - i >= 4; i += 4) {
        rfi_clock_part *to = (rfi_clock_part *)&a->c[i];
        rfi_clock_part x = *to, y = *(const rfi_clock_part *)&b->c[i];
        rfi_clock_part more = (rfi_clock_part)(y > x);
        *to = (y & more) | (x & ~more);
    }
    for (; i < n; i++)
        if (b->c[i] > a->c[i]) a->c[i] = b->c[i];
}

/* A := B */
RFI_FN void rfi_clock_copy(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    a->n = 0;
    if (RFI_UNLIKELY(n > a->capacity)) rfi_clock_room(a, n, arena);
    if (n) memcpy(a->c, b->c, n * sizeof *a->c);
    a->n = n;
}
#endif
#endif
