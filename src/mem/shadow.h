/* mem/shadow.h: a pointer for every eight bytes of the program's memory that were touched.
 *
 * Memory is cut into granules of 8 bytes, granules are gathered in regions of 64, and regions are
 * found by hash: neighbours share a look-up, mostly a cached one, and a large range that was never
 * touched, such as a stack that changes hands, is skipped 512 bytes at a time.  Emptying costs
 * nothing.  What lies at a granule is up to the owner; NULL is nothing.
 *
 * An owner may keep regions that were only ever touched as a whole, as those of a large block that
 * is filled and freed, as if they were one granule: what lies there lies at each of theirs.  An
 * access to a part of one spreads it.
 */
#ifndef RFI_MEM_SHADOW_H
#define RFI_MEM_SHADOW_H
#include "base/hash.h"

#ifdef RFI_IMPL
# define RFI_GRANULE 8u  /* bytes */
# define RFI_REGION  64u /* granules */
# define RFI_RECENT  16u /* regions */
# define RFI_WHOLE   1u  /* the place is that of all granules of the region */

typedef struct rfi_region {
    void *at[RFI_REGION];
} rfi_region;

typedef struct rfi_shadow {
    rfi_map regions; /* granule / RFI_REGION -> rfi_region *, or a place and RFI_WHOLE */
    /* Makes what lies at a granule once more; the owner of wholes sets it. */
    void *(*copy)(struct rfi_shadow *s, const void *what);
    rfi_arena arena; /* also for what the owner hangs into it */
    struct rfi_recent {
        uintptr_t key;
        rfi_region *region; /* NULL: none */
    } recent[RFI_RECENT];   /* by the low bits of the key */
} rfi_shadow;

RFI_FN void rfi_shadow_reset(rfi_shadow *s) {
    if (s->regions.used) rfi_zero(s->recent, sizeof s->recent);
    rfi_map_reset(&s->regions);
    rfi_arena_reset(&s->arena);
}

RFI_FN void rfi_shadow_free(rfi_shadow *s) {
    rfi_map_free(&s->regions);
    rfi_arena_free(&s->arena);
    memset(s->recent, 0, sizeof s->recent);
}

RFI_FN RFI_COLD void rfi_shadow_spread(rfi_shadow *s, uint64_t *whole) {
    void *const *place = (void **)(uintptr_t)(*whole - RFI_WHOLE);
    rfi_region *r = rfi_arena_take(&s->arena, sizeof *r);
    r->at[0] = *place;
    for (unsigned i = 1; i < RFI_REGION; i++) r->at[i] = s->copy(s, *place);
    *whole = (uint64_t)(uintptr_t)r;
}

RFI_FN RFI_APART rfi_region *rfi_shadow_look(rfi_shadow *s, uintptr_t key) {
    struct rfi_recent *recent = &s->recent[key % RFI_RECENT];
    uint64_t *r = rfi_map_find(&s->regions, key);
    if (!r) return NULL;
    if (RFI_UNLIKELY(*r & RFI_WHOLE)) rfi_shadow_spread(s, r);
    recent->key = key;
    return recent->region = (rfi_region *)(uintptr_t)*r;
}

/* The region of granule `g` if it is one of those remembered, or NULL. */
RFI_INLINE rfi_region *rfi_shadow_recent(rfi_shadow *s, uintptr_t g) {
    const struct rfi_recent *recent = &s->recent[g / RFI_REGION % RFI_RECENT];
    return RFI_LIKELY(recent->key == g / RFI_REGION) ? recent->region : NULL;
}

/* The region of granule `g`, or NULL. */
RFI_INLINE rfi_region *rfi_shadow_region(rfi_shadow *s, uintptr_t g) {
    rfi_region *recent = rfi_shadow_recent(s, g);
    return RFI_LIKELY(recent) ? recent : rfi_shadow_look(s, g / RFI_REGION);
}

RFI_FN RFI_COLD rfi_region *rfi_shadow_add(rfi_shadow *s, uintptr_t g) {
    rfi_region *r = rfi_arena_take(&s->arena, sizeof *r);
    *rfi_map_at(&s->regions, g / RFI_REGION) = (uint64_t)(uintptr_t)r;
    return r;
}

/* The place of granule `g`. */
RFI_INLINE void **rfi_shadow_at(rfi_shadow *s, uintptr_t g) {
    rfi_region *r = rfi_shadow_region(s, g);
    if (RFI_UNLIKELY(!r)) r = rfi_shadow_add(s, g);
    return &r->at[g % RFI_REGION];
}

/* What lies at granule `g`. */
RFI_INLINE void *rfi_shadow_get(rfi_shadow *s, uintptr_t g) {
    rfi_region *r = rfi_shadow_region(s, g);
    return r ? r->at[g % RFI_REGION] : NULL;
}

/* The first granule of g .. end-1 at which something lies, or `end`.  Of a stack most regions are
 * not there: behind some that it has looked for in vain it looks at those that are. */
RFI_FN uintptr_t rfi_shadow_next(rfi_shadow *s, uintptr_t g, uintptr_t end) {
    uint32_t missed = 0;
    while (g < end) {
        rfi_region *r = rfi_shadow_region(s, g);
        uintptr_t stop = (g | (RFI_REGION - 1)) + 1;
        for (; r && g < stop && g < end; g++)
            if (r->at[g % RFI_REGION]) return g;
        g = stop;
        if (r || g >= end || ++missed <= s->regions.mask / 16) continue;
        missed = 0;
        g = rfi_map_next(&s->regions, g / RFI_REGION, (end - 1) / RFI_REGION + 1) * RFI_REGION;
    }
    return end;
}

/* Each granule of [from, to) at which something lies. */
# define RFI_EACH_GRANULE(s, g, from, to)                                   \
  for (uintptr_t g = (from) / RFI_GRANULE,                                  \
                 g##_end = (from) == (to) ? g : ((to)-1) / RFI_GRANULE + 1; \
       (g = rfi_shadow_next(s, g, g##_end)) < g##_end; g++)

/* The place of all granules of a region; NULL: they have places of their own. */
RFI_FN RFI_APART void **rfi_shadow_whole(rfi_shadow *s, uintptr_t key) {
    uint64_t *r = rfi_map_at(&s->regions, key);
    if (!*r) *r = (uint64_t)(uintptr_t)rfi_arena_take(&s->arena, sizeof(void *)) | RFI_WHOLE;
    return *r & RFI_WHOLE ? (void **)(uintptr_t)(*r - RFI_WHOLE) : NULL;
}

/* The place of granule `*g` as one that [from, to) covers; `*g` becomes the last one of those whose
 * place it is. */
RFI_INLINE void **rfi_shadow_part(rfi_shadow *s, uintptr_t *g, uintptr_t from, uintptr_t to) {
    if (RFI_UNLIKELY(to - from >= RFI_REGION * RFI_GRANULE) && !(*g % RFI_REGION) &&
        *g * RFI_GRANULE >= from && to - *g * RFI_GRANULE >= RFI_REGION * RFI_GRANULE) {
        void **whole = rfi_shadow_whole(s, *g / RFI_REGION);
        if (whole) {
            *g += RFI_REGION - 1;
            return whole;
        }
    }
    return rfi_shadow_at(s, *g);
}

/* The bytes of granule `g` that [from, to) covers, which is not none. */
RFI_INLINE uint8_t rfi_shadow_mask(uintptr_t g, uintptr_t from, uintptr_t to) {
    uintptr_t base = g * RFI_GRANULE;
    unsigned low = from > base ? (unsigned)(from - base) : 0;
    unsigned high = to - base < RFI_GRANULE ? (unsigned)(to - base) : RFI_GRANULE;
    return (uint8_t)(0xffu << low & 0xffu >> (RFI_GRANULE - high));
}
#endif
#endif
