/* base/hash.h: a map from 64-bit keys to 64-bit values, emptied by incrementing a generation.
 *
 * Open addressing with linear probing, at most half full.  Nothing ever iterates over it in table
 * order, so that no result depends on addresses.
 */
#ifndef RFI_BASE_HASH_H
#define RFI_BASE_HASH_H
#include "base/arena.h"
#include "base/prng.h"

#ifdef RFI_IMPL
typedef struct rfi_slot {
    uint64_t key, value;
    uint32_t generation;
} rfi_slot;

typedef struct rfi_map {
    rfi_slot *slots;
    uint32_t mask, used, generation;
} rfi_map;

RFI_FN uint64_t rfi_hash_text(const char *s) {
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return rfi_mix(h);
}

RFI_INLINE rfi_slot *rfi_map_probe(const rfi_map *m, uint64_t key) {
    uint32_t i = ((uint32_t)rfi_mix(key >> 3) + (uint32_t)(key & 7)) & m->mask;
    while (m->slots[i].generation == m->generation && m->slots[i].key != key) i = (i + 1) & m->mask;
    return &m->slots[i];
}

RFI_FN RFI_COLD void rfi_map_grow(rfi_map *m) {
    rfi_map bigger = {0};
    bigger.mask = m->slots ? m->mask * 2 + 1 : 63;
    bigger.generation = 1;
    bigger.slots = RFI_REAL(calloc)((size_t)bigger.mask + 1, sizeof *bigger.slots);
    if (!bigger.slots) rfi_die("out of memory (map of %u)", bigger.mask + 1);
    for (uint32_t i = 0; m->slots && i <= m->mask; i++) {
        if (m->slots[i].generation != m->generation) continue;
        rfi_slot *s = rfi_map_probe(&bigger, m->slots[i].key);
        *s = m->slots[i];
        s->generation = 1;
    }
    bigger.used = m->used;
    RFI_REAL(free)(m->slots);
    *m = bigger;
}

/* The value under `key`, or NULL. */
RFI_INLINE uint64_t *rfi_map_find(const rfi_map *m, uint64_t key) {
    if (RFI_UNLIKELY(!m->used)) return NULL;
    rfi_slot *s = rfi_map_probe(m, key);
    return s->generation == m->generation ? &s->value : NULL;
}

/* The value under `key`, made zero if it was not there. */
RFI_FN uint64_t *rfi_map_at(rfi_map *m, uint64_t key) {
    if (RFI_UNLIKELY(!m->slots || m->used * 2 > m->mask)) rfi_map_grow(m);
    rfi_slot *s = rfi_map_probe(m, key);
    if (s->generation != m->generation) {
        *s = (rfi_slot){.key = key, .generation = m->generation};
        m->used++;
    }
    return &s->value;
}

/* The least key of from .. end-1 that is there, or `end`. */
RFI_FN uint64_t rfi_map_next(const rfi_map *m, uint64_t from, uint64_t end) {
    for (uint32_t i = 0; m->used && i <= m->mask; i++) {
        const rfi_slot *s = &m->slots[i];
        if (s->generation == m->generation && s->key >= from && s->key < end) end = s->key;
    }
    return end;
}

RFI_FN void rfi_map_reset(rfi_map *m) {
    m->used = 0;
    if (!m->slots) return;
    if (++m->generation == 0) { /* wrapped: old stamps could look new */
        memset(m->slots, 0, ((size_t)m->mask + 1) * sizeof *m->slots);
        m->generation = 1;
    }
}

RFI_FN void rfi_map_free(rfi_map *m) {
    RFI_REAL(free)(m->slots);
    *m = (rfi_map){0};
}
#endif
#endif
