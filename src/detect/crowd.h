/* detect/crowd.h: the threads that have made the same access, each with its own clock then.
 *
 * A hash table by thread number that keeps neighbouring numbers together.  Whether all members are
 * ordered before an access is mostly one comparison: the crowd remembers a thread that all members
 * are ordered before, and an access after that thread is after all members.
 *
 * Cost: an access adds at most one thread to a crowd; a search of all members is amortised over
 * the members added since the last one, and a race ends it.
 */
#ifndef RFI_DETECT_CROWD_H
#define RFI_DETECT_CROWD_H
#include "mem/clock.h"

#ifdef RFI_IMPL
typedef struct rfi_mate {
    uint32_t thread; /* + 1; 0: free */
    uint32_t k, size;
} rfi_mate;

typedef struct rfi_crowd {
    rfi_mate *slot;
    uint32_t size, capacity, count; /* size: a power of two, or 0 */
    uint32_t witness;               /* slot of the last one that was found unordered */
    uint32_t thread, k; /* who has heard of this knows of all; UINT32_MAX: there is nobody */
} rfi_crowd;

/* Who asks, and what he has heard of the others. */
typedef struct rfi_hearer {
    uint32_t thread, own;
    const rfi_clock *heard;
} rfi_hearer;

enum { RFI_CROWD_LEAST = 4 };

RFI_INLINE rfi_mate *rfi_crowd_at(const rfi_crowd *c, uint32_t thread) {
    uint32_t i = thread & (c->size - 1);
    while (c->slot[i].thread && c->slot[i].thread != thread + 1) i = (i + 1) & (c->size - 1);
    return &c->slot[i];
}

/* It keeps its memory. */
RFI_INLINE void rfi_crowd_clear(rfi_crowd *c) {
    if (!c->count) return;
    c->count = 0;
    c->size = RFI_CROWD_LEAST;
    memset(c->slot, 0, RFI_CROWD_LEAST * sizeof *c->slot);
}

RFI_INLINE bool rfi_mate_before(const rfi_mate *m, const rfi_hearer *h) {
    return m->thread == h->thread + 1 || m->k <= rfi_clock_get(h->heard, m->thread - 1);
}

/* Room for more, so much that it need not be made again soon.  Those before `h` are left out. */
RFI_FN RFI_APART void rfi_crowd_room(rfi_crowd *c, const rfi_hearer *h, rfi_arena *arena) {
    static rfi_mate *kept;
    static uint32_t capacity;
    uint32_t n = 0, size = RFI_CROWD_LEAST;
    kept = rfi_grow(kept, &capacity, c->count, sizeof *kept);
    for (uint32_t i = 0; i < c->size; i++)
        if (c->slot[i].thread && !rfi_mate_before(&c->slot[i], h)) kept[n++] = c->slot[i];
    while (n * 2 >= size) size *= 2;
    if (size > c->capacity) {
        c->slot = rfi_arena_take(arena, size * sizeof *c->slot);
        c->capacity = size;
    } else {
        memset(c->slot, 0, size * sizeof *c->slot);
    }
    c->size = size;
    c->count = n;
    while (n--) *rfi_crowd_at(c, kept[n].thread - 1) = kept[n];
}

/* `h` is who makes the access now, and takes the place of those before him. */
RFI_FN void rfi_crowd_put(rfi_crowd *c, rfi_mate m, const rfi_hearer *h, rfi_arena *arena) {
    if (RFI_UNLIKELY((c->count + 1) * 4 > c->size * 3)) rfi_crowd_room(c, h, arena);
    rfi_mate *to = rfi_crowd_at(c, m.thread - 1);
    if (!to->thread)
        c->count++;
    else if (to->k > m.k)
        return;
    *to = m;
    c->thread = c->count == 1 ? m.thread - 1 : UINT32_MAX;
    c->k = c->count == 1 ? m.k : UINT32_MAX;
}

RFI_FN void rfi_crowd_copy(rfi_crowd *to, const rfi_crowd *from, rfi_arena *arena) {
    rfi_crowd_clear(to);
    if (!from->count) return;
    rfi_mate *slot = to->slot;
    uint32_t capacity = to->capacity;
    if (capacity < from->size) {
        slot = rfi_arena_take(arena, from->size * sizeof *slot);
        capacity = from->size;
    }
    *to = *from;
    to->slot = slot;
    to->capacity = capacity;
    memcpy(slot, from->slot, from->size * sizeof *slot);
}

/* Are they known to be all before `h`? */
RFI_INLINE bool rfi_crowd_before(const rfi_crowd *c, const rfi_hearer *h) {
    return !c->count || c->thread == h->thread || c->k <= rfi_clock_get(h->heard, c->thread);
}

/* One of them that is not before `h`, or NULL; what stands there of thread `except` is too old. */
RFI_FN const rfi_mate *rfi_crowd_open(rfi_crowd *c, uint32_t except, const rfi_hearer *h) {
    if (rfi_crowd_before(c, h)) return NULL;
    for (uint32_t n = 0; n < c->size; n++) {
        uint32_t i = (c->witness + n) & (c->size - 1);
        const rfi_mate *m = &c->slot[i];
        if (!m->thread || m->thread == except + 1 || rfi_mate_before(m, h)) continue;
        c->witness = i;
        return m;
    }
    c->thread = h->thread;
    c->k = h->own;
    return NULL;
}
#endif
#endif
