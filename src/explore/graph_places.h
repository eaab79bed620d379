/* explore/graph_places.h: the shared locations of an execution in memory, and the values that have
 * been stored there, in the order of execution; and who has accessed plain data, for races.
 *
 * Memory itself is what the code under test reads, so before a thread reads a place, what it is to
 * read is put there, and taken away before the next step: who looks at it without a word, behind a
 * join say, finds the store that is the last in mo.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_PLACES_H
#define RFI_EXPLORE_GRAPH_PLACES_H
#include "explore/graph.h"

#ifdef RFI_IMPL
typedef struct rfi_gstore {
    rfi_word value;
    const rf_site *site; /* NULL: the initial value */
    uint32_t thread;
    uint8_t order;
} rfi_gstore;

typedef struct rfi_gplace {
    uintptr_t at;
    size_t size;
    uint32_t location; /* in the graph; RFI_NO_EVENT: none as yet */
    rfi_word memory;   /* what it should hold */
    rfi_gstore *store; /* the initial value, and those that were stored */
    uint32_t stores, capacity;
    uint32_t shown;      /* the store that is there between the steps, */
    uint32_t newest;     /* and its event; RFI_NO_EVENT: the initial one */
    bool gone;           /* its memory is something else now */
    bool mixed;          /* a granule of it is accessed without atomics as well; if not: */
    uint32_t threads[2]; /* those that have read there, and written, a bit for each, */
    uint32_t number[2][RFI_GRAPH_THREADS]; /* the last time after so many events of theirs */
} rfi_gplace;

/* The last accesses of a granule of 8 bytes by a thread, of one sort. */
typedef struct rfi_gaccess {
    struct rfi_gaccess *next;
    uint32_t thread, number; /* after so many events of it */
    uint32_t since, until;   /* a handler, or not: it races with the others behind so many events */
    union {
        struct {
            bool writes, atomic, handler, unused;
        };
        uint32_t sort;
    };
    uint8_t bytes;
} rfi_gaccess;

/* In the entry of a granule: what is not atomic there was met. */
enum { RFI_G_MIXED = 1 };

enum rfi_gpiece { RFI_G_GRANULE = 3, RFI_G_PAGE = 16 };

typedef struct rfi_gplaces {
    rfi_gplace *place;
    uint32_t places, capacity;
    rfi_map at;        /* address -> place + 1 */
    uint64_t granules; /* of 8 bytes where there are places, as rfi_gplaces_bits has them */
    rfi_map accesses;  /* granule -> rfi_gaccess, and whether it is mixed */
    uint64_t pages;    /* the same, of 64 KiB, of all these */
    rfi_arena arena;
    bool wrong_size, unannounced, race;
    bool strikes; /* a handler races with the thread that it interrupts */
} rfi_gplaces;

RFI_FN void rfi_gplaces_begin(rfi_gplaces *p) {
    p->places = 0;
    p->granules = p->pages = 0;
    p->wrong_size = p->unannounced = p->race = p->strikes = false;
    rfi_map_reset(&p->at);
    rfi_map_reset(&p->accesses);
    rfi_arena_reset(&p->arena);
}

/* The pieces of 1 << `shift` bytes in which these bytes lie: a bit for each, by its last bits. */
RFI_INLINE uint64_t rfi_gplaces_bits(uintptr_t at, size_t size, enum rfi_gpiece shift) {
    uintptr_t from = at >> shift, to = (at + size - 1) >> shift;
    if (RFI_LIKELY(from == to)) return UINT64_C(1) << to % 64;
    uint64_t bits = to - from > 62 ? ~UINT64_C(0) : (UINT64_C(2) << (to - from)) - 1;
    return bits << from % 64 | bits >> -from % 64;
}

/* The same, if there is something in their granules. */
RFI_FN rfi_gplace *rfi_gplaces_search(rfi_gplaces *p, const void *at, size_t size) {
    const uint64_t *known = rfi_map_find(&p->at, (uint64_t)(uintptr_t)at);
    if (known && *known && p->place[*known - 1].size == size) return &p->place[*known - 1];
    for (uint32_t i = 0; i < p->places; i++) {
        rfi_gplace *x = &p->place[i];
        if (x->gone || x->at >= (uintptr_t)at + size || (uintptr_t)at >= x->at + x->size) continue;
        p->wrong_size = true;
        return x;
    }
    return NULL;
}

/* The place that these bytes are, or a part of; NULL: there is none. */
RFI_INLINE rfi_gplace *rfi_gplaces_find(rfi_gplaces *p, const void *at, size_t size) {
    bool may = p->granules & rfi_gplaces_bits((uintptr_t)at, size, RFI_G_GRANULE);
    return may ? rfi_gplaces_search(p, at, size) : NULL;
}

RFI_FN void rfi_gplace_stored(rfi_gplace *x, const rf_event *e) {
    x->store = rfi_grow(x->store, &x->capacity, x->stores + 1, sizeof *x->store);
    x->memory = rfi_word_of((const void *)x->at, x->size);
    x->shown = x->stores;
    x->store[x->stores++] = (rfi_gstore){x->memory, e ? e->site : NULL,
                                         e ? e->thread : RF_MEM_NOBODY, e ? e->order : 0};
}

/* Was something that is not atomic met in one of these granules? */
RFI_FN bool rfi_gplaces_mixed(rfi_gplaces *p, uintptr_t at, size_t size) {
    bool mixed = false;
    for (uintptr_t g = at / 8; p->accesses.used && g <= (at + size - 1) / 8; g++) {
        const uint64_t *list = rfi_map_find(&p->accesses, g);
        mixed |= list && *list & RFI_G_MIXED;
    }
    return mixed;
}

/* A new place. */
RFI_FN RFI_APART rfi_gplace *rfi_gplaces_new(rfi_gplaces *p, const void *at, size_t size) {
    p->wrong_size |= size > sizeof(rfi_word);
    p->place = rfi_grow(p->place, &p->capacity, p->places + 1, sizeof *p->place);
    rfi_gplace *x = &p->place[p->places++];
    x->at = (uintptr_t)at;
    x->size = size;
    x->location = x->newest = RFI_NO_EVENT;
    x->stores = 0;
    x->gone = false;
    x->mixed = rfi_gplaces_mixed(p, x->at, size);
    x->threads[0] = x->threads[1] = 0;
    rfi_gplace_stored(x, NULL);
    *rfi_map_at(&p->at, (uint64_t)(uintptr_t)at) = p->places;
    p->granules |= rfi_gplaces_bits(x->at, size, RFI_G_GRANULE);
    p->pages |= rfi_gplaces_bits(x->at, size, RFI_G_PAGE);
    return x;
}

/* The place that these bytes are, made if it is new; it may be number `known`, 0: none. */
RFI_INLINE rfi_gplace *rfi_gplaces_at(rfi_gplaces *p, uint32_t known, const void *at, size_t size) {
    rfi_gplace *x = known ? &p->place[known - 1] : NULL;
    if (!x || x->at != (uintptr_t)at || x->size != size || x->gone)
        x = rfi_gplaces_find(p, at, size);
    if (!x) return rfi_gplaces_new(p, at, size);
    rfi_word now = rfi_word_of(at, x->size);
    p->unannounced |= !rfi_word_same(&now, &x->memory);
    return x;
}

/* Who reads now finds this store; `origin` tells of it, if there are newer ones. */
RFI_FN void rfi_gplace_give(rfi_gplace *x, uint32_t slot, rf_event *e, rf_origin *origin) {
    const rfi_gstore *from = &x->store[slot], *newest = &x->store[x->stores - 1];
    x->memory = from->value;
    rfi_word_put((void *)x->at, &from->value, x->size);
    e->read_slot = (uint8_t)slot;
    if (from == newest) return;
    *origin = (rf_origin){.thread = from->thread,
                          .site = from->site,
                          .order = from->order,
                          .newest_thread = newest->thread,
                          .newest_site = newest->site,
                          .newest_order = newest->order,
                          .newest_value = newest->value.low,
                          .hidden = x->stores - 1 - slot};
    e->flags |= RF_EV_STALE;
    e->origin = origin;
}

/* The step is over. */
RFI_INLINE void rfi_gplace_show(rfi_gplace *x) {
    const rfi_word *last = &x->store[x->shown].value;
    if (RFI_LIKELY(x->gone || rfi_word_same(&x->memory, last))) return;
    x->memory = *last;
    rfi_word_put((void *)x->at, last, x->size);
}

/* These bytes are something else now. */
RFI_FN void rfi_gplaces_forget(rfi_gplaces *p, const void *from, size_t size) {
    uintptr_t at = (uintptr_t)from;
    for (uint32_t i = 0; i < p->places; i++) {
        rfi_gplace *x = &p->place[i];
        if (x->gone || x->at >= at + size || at >= x->at + x->size) continue;
        x->gone = true;
        *rfi_map_at(&p->at, x->at) = 0;
    }
    const rfi_map *m = &p->accesses;
    uintptr_t first = at / 8, last = (at + size - 1) / 8;
    bool all = m->used && last - first > m->mask; /* a stack, if only a part of it is used */
    for (uint32_t i = 0; all && i <= m->mask; i++) {
        rfi_slot *s = &m->slots[i];
        if (s->generation == m->generation && s->key >= first && s->key <= last) s->value = 0;
    }
    for (uintptr_t g = first; m->used && !all && g <= last; g++) {
        uint64_t *list = rfi_map_find(&p->accesses, g);
        if (list) *list = 0;
    }
}

/* ---- races ---- */

RFI_INLINE rfi_gaccess *rfi_gaccesses(uint64_t list) {
    return (rfi_gaccess *)(uintptr_t)(list & ~(uint64_t)RFI_G_MIXED);
}

/* One by a handler, and one by the thread that it is a part of. */
RFI_FN RFI_COLD void rfi_gplaces_strikes(rfi_gplaces *p, const rfi_gaccess *x,
                                         const rfi_gaccess *a) {
    bool plain = !x->atomic && !a->atomic && (x->writes || a->writes);
    bool could = x->number >= a->since && x->number < a->until;
    p->strikes |= plain && could && x->handler != a->handler;
}

/* An access of a granule by a thread that knows `clock`. */
RFI_FN void rfi_gplaces_granule(rfi_gplaces *p, uint64_t *list, uint8_t bytes, const rfi_gaccess *a,
                                const rfi_gclock *clock) {
    rfi_gaccess *same = NULL;
    for (rfi_gaccess *x = rfi_gaccesses(*list); x; x = x->next) {
        if (x->thread == a->thread) {
            if (x->sort == a->sort && x->bytes == bytes) same = x;
            if (RFI_UNLIKELY(a->until) && x->bytes & bytes) rfi_gplaces_strikes(p, x, a);
        } else if (x->bytes & bytes && (x->writes || a->writes) && !(x->atomic && a->atomic) &&
                   clock->n[x->thread] <= x->number) {
            p->race = true;
        }
    }
    if (!same) {
        same = rfi_arena_take(&p->arena, sizeof *same);
        *same = *a;
        same->bytes = bytes;
        same->next = rfi_gaccesses(*list);
        *list = (uint64_t)(uintptr_t)same | (*list & RFI_G_MIXED);
    }
    same->number = a->number;
}

RFI_FN void rfi_gplaces_mix(rfi_gplaces *p, uint64_t granule);

RFI_FN void rfi_gplaces_access(rfi_gplaces *p, uintptr_t from, size_t size, const rfi_gaccess *a,
                               const rfi_gclock *clock) {
    uintptr_t to = from + size;
    while (from < to) {
        uintptr_t end = (from / 8 + 1) * 8 < to ? (from / 8 + 1) * 8 : to;
        uint32_t bytes = (1u << (end - from)) - 1;
        uint64_t *list = rfi_map_at(&p->accesses, from / 8);
        if (!*list) p->pages |= rfi_gplaces_bits(from, 1, RFI_G_PAGE);
        if (!a->atomic && !(*list & RFI_G_MIXED)) {
            *list |= RFI_G_MIXED;
            if (p->granules & rfi_gplaces_bits(from, 1, RFI_G_GRANULE)) {
                rfi_gplaces_mix(p, from / 8);
                list = rfi_map_at(&p->accesses, from / 8);
            }
        }
        rfi_gplaces_granule(p, list, (uint8_t)(bytes << from % 8), a, clock);
        from = end;
    }
}

/* What atomics alone have accessed there so far is no more: their accesses are noted as well. */
RFI_FN RFI_APART void rfi_gplaces_mix(rfi_gplaces *p, uint64_t granule) {
    for (uint32_t i = 0; i < p->places; i++) {
        rfi_gplace *x = &p->place[i];
        if (x->gone || x->mixed || x->at / 8 > granule || (x->at + x->size - 1) / 8 < granule)
            continue;
        x->mixed = true;
        for (int writes = 0; writes <= 1; writes++)
            for (uint32_t left = x->threads[writes]; left; left &= left - 1) {
                uint32_t t = (uint32_t)__builtin_ctz(left);
                rfi_gaccess a = {
                    .thread = t, .number = x->number[writes][t], .writes = writes, .atomic = true};
                rfi_gplaces_access(p, x->at, x->size, &a, NULL); /* races with none of them */
            }
    }
}

/* Has another thread than `thread`, who knows `clock`, used what lies there, unordered before? */
RFI_FN bool rfi_gplaces_used(const rfi_gplaces *p, uintptr_t low, uintptr_t high, uint32_t thread,
                             const rfi_gclock *clock) {
    const rfi_map *m = &p->accesses;
    if (!(p->pages & rfi_gplaces_bits(low, high - low, RFI_G_PAGE))) return false;
    for (uint32_t i = 0; i < p->places; i++) {
        const rfi_gplace *x = &p->place[i];
        uint32_t others =
            !x->gone && x->at >= low && x->at < high ? x->threads[0] | x->threads[1] : 0;
        for (others &= ~(UINT32_C(1) << thread); others; others &= others - 1) {
            uint32_t t = (uint32_t)__builtin_ctz(others);
            for (int writes = 0; writes <= 1; writes++)
                if (x->threads[writes] >> t & 1 && clock->n[t] <= x->number[writes][t]) return true;
        }
    }
    for (uint32_t i = 0; m->used && i <= m->mask; i++) {
        const rfi_slot *s = &m->slots[i];
        if (s->generation != m->generation || s->key < low / 8 || s->key >= high / 8) continue;
        for (const rfi_gaccess *x = rfi_gaccesses(s->value); x; x = x->next)
            if (x->thread != thread && clock->n[x->thread] <= x->number) return true;
    }
    return false;
}
#endif
#endif
