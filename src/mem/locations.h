/* mem/locations.h: the atomic locations of an execution, by their addresses.
 *
 * Records outlive executions.  A location that is met again is as its memory is, unless an atomic
 * of another size is there in this execution: then it begins with what that one has released.
 */
#ifndef RFI_MEM_LOCATIONS_H
#define RFI_MEM_LOCATIONS_H
#include "mem/history.h"
#include "mem/shadow.h"

#ifdef RFI_IMPL
# define RFI_LOCATIONS_RECENT 64u

typedef struct rfi_atomics {
    rfi_shadow places; /* granule -> list of the locations that begin there; outlives executions */
    uint32_t generation;                        /* of this execution */
    uint32_t met, kept;                         /* locations in this execution; in `places` */
    uint32_t time;                              /* of stores, seq_cst fences, and new locations */
    rfi_clock fenced;                           /* what happens before some seq_cst fence */
    rfi_location *recent[RFI_LOCATIONS_RECENT]; /* by the low bits of address / 4; or NULL */
    /* Between the halves of a read-modify-write. */
    rfi_location *updated;
    rf_mem_access update;
    uint32_t source;
} rfi_atomics;

# define RFI_STALE_LOCATIONS 1024u /* that need not be forgotten */

RFI_FN void rfi_atomics_reset(rfi_atomics *m) {
    if (m->kept > RFI_STALE_LOCATIONS + 4 * m->met || !++m->generation) {
        rfi_shadow_reset(&m->places);
        memset(m->recent, 0, sizeof m->recent);
        m->kept = 0;
        m->generation = 1;
    }
    m->met = 0;
    m->time = m->fenced.n = m->fenced.capacity = 0;
    m->fenced.c = NULL;
}

/* ---- values ---- */

RFI_INLINE rfi_word rfi_word_of(const void *p, size_t n) {
    rfi_word w = {0, 0};
    switch (n) {
    case 4: memcpy(&w.low, p, 4); break;
    case 8: memcpy(&w.low, p, 8); break;
    case 1: memcpy(&w.low, p, 1); break;
    case 2: memcpy(&w.low, p, 2); break;
    default: memcpy(&w, p, n < sizeof w ? n : sizeof w);
    }
    return w;
}

RFI_INLINE void rfi_word_put(void *p, const rfi_word *w, size_t n) {
    switch (n) {
    case 4: memcpy(p, &w->low, 4); break;
    case 8: memcpy(p, &w->low, 8); break;
    case 1: memcpy(p, &w->low, 1); break;
    case 2: memcpy(p, &w->low, 2); break;
    default: memcpy(p, w, n < sizeof *w ? n : sizeof *w);
    }
}

RFI_INLINE bool rfi_word_same(const rfi_word *a, const rfi_word *b) {
    return a->low == b->low && a->high == b->high;
}

RFI_INLINE void *rfi_access_memory(const rf_mem_access *a) { return (void *)(uintptr_t)a->addr; }

/* Who reads it by other means than an atomic load finds a store that may be the last in mo. */
RFI_FN RFI_COLD void rfi_show_other(rfi_location *x) {
    rfi_slots open = x->all & ~x->covered;
    uint32_t i = x->count;
    if (open & RFI_SLOT_BIT(x->shown) || x->in_place) return;
    while (i && !(open & RFI_SLOT_BIT(x->by_age[i - 1]))) i--;
    if (!i) return;
    x->shown = x->by_age[i - 1];
    x->memory = x->kept[x->shown].value;
    rfi_word_put((void *)x->addr, &x->memory, x->size);
}

/* ---- locations ---- */

RFI_FN RFI_APART rfi_location *rfi_atomics_look(rfi_atomics *m, uintptr_t addr, size_t size) {
    rfi_location *x = rfi_shadow_get(&m->places, addr / RFI_GRANULE);
    while (x && (x->addr != addr || x->size != size)) x = x->next;
    return m->recent[addr / 4 % RFI_LOCATIONS_RECENT] = x;
}

/* The record of exactly these bytes, from this execution or an earlier one, or NULL. */
RFI_INLINE rfi_location *rfi_atomics_at(rfi_atomics *m, uintptr_t addr, size_t size) {
    rfi_location *x = m->recent[addr / 4 % RFI_LOCATIONS_RECENT];
    if (RFI_LIKELY(x && x->addr == addr && x->size == size)) return x;
    return rfi_atomics_look(m, addr, size);
}

/* Is it known in this execution, and has it bytes of [from, to)? */
RFI_INLINE bool rfi_location_has(const rfi_location *x, const rfi_atomics *m, uintptr_t from,
                                 uintptr_t to) {
    return x->generation == m->generation && x->addr < to && from < x->addr + x->size;
}

/* The first location that begins in a granule from *g on and has bytes of [from, to), or NULL; *g
 * tells where it begins. */
RFI_FN rfi_location *rfi_atomics_overlap(rfi_atomics *m, uintptr_t *g, uintptr_t from,
                                         uintptr_t to) {
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (; (*g = rfi_shadow_next(&m->places, *g, end)) < end; ++*g)
        for (rfi_location *x = rfi_shadow_get(&m->places, *g); x; x = x->next)
            if (rfi_location_has(x, m, from, to)) return x;
    return NULL;
}

/* Where a location with bytes from `from` on can begin: one of 16 bytes covers two granules. */
RFI_INLINE uintptr_t rfi_atomics_first(uintptr_t from) {
    return from < RFI_GRANULE ? 0 : from / RFI_GRANULE - 1;
}

/* Nothing is known of these bytes any more. */
RFI_FN void rfi_atomics_forget(rfi_atomics *m, uintptr_t from, uintptr_t to) {
    if (!m->met || from >= to) return;
    uintptr_t g = rfi_atomics_first(from);
    for (rfi_location *x; (x = rfi_atomics_overlap(m, &g, from, to)) != NULL;) x->generation = 0;
}

/* Has somebody used a location among these bytes in a way that is not ordered before what `t` does
 * now?  If all is ordered the bytes may have become another object. */
RFI_FN bool rfi_atomics_disputed(const rfi_core *c, rfi_atomics *m, uintptr_t from, uintptr_t to,
                                 uint32_t t) {
    const rfi_clock *clock = &c->threads.thread[t].clock;
    for (uintptr_t g = rfi_atomics_first(from);; g++) {
        const rfi_location *x = rfi_atomics_overlap(m, &g, from, to);
        if (!x) return false;
        for (uint32_t i = 0; i < x->visitors; i++) {
            const rfi_visitor *v = &x->visitor[i];
            uint32_t k = v->read_k > v->write_k ? v->read_k : v->write_k;
            if (v->thread != t && rfi_clock_get(clock, v->thread) < k) return true;
        }
    }
}

/* The location is as its memory is, and that is all that is known of it. */
RFI_FN void rfi_location_begin(rfi_location *x, uint32_t time) {
    x->all = x->sc = x->founder = 0;
    x->count = 0;
    x->plain_k = 0;
    x->plain_reads = false;
    x->collect_at = RFI_COLLECT_FROM;
    x->visitors = 0;
    x->memory = rfi_word_of((const void *)x->addr, x->size);
    x->shown = (uint8_t)rfi_location_append(x, x->memory);
    rfi_kept *k = &x->kept[x->shown];
    k->thread = RF_MEM_NOBODY;
    k->k = 0;
    k->time = time;
    k->order = RF_MEM_PLAIN;
    k->tag = NULL;
}

RFI_FN RFI_COLD rfi_location *rfi_atomics_add(rfi_atomics *m, uintptr_t addr, size_t size) {
    void **list = rfi_shadow_at(&m->places, addr / RFI_GRANULE);
    rfi_location *x = rfi_arena_take(&m->places.arena, sizeof *x);
    x->addr = addr;
    x->size = (uint32_t)size;
    x->alone = 0;
    rfi_location_widen(x, 4, 4, &m->places.arena);
    x->next = *list;
    m->kept++;
    return *list = x;
}

/* Of an atomic of 16 bytes parts may be used, too (tagged pointers): what the locations of
 * [from, to) were before goes on in the next one, whose first value comes with all that any of
 * their stores has released. */
RFI_FN RFI_COLD void rfi_atomics_gather(rfi_core *c, rfi_atomics *m, uintptr_t from, uintptr_t to,
                                        rfi_message *all) {
    uintptr_t g = rfi_atomics_first(from);
    for (rfi_location *x; (x = rfi_atomics_overlap(m, &g, from, to)) != NULL; x->generation = 0)
        for (uint32_t i = 0; i < x->count; i++)
            rfi_message_join(all, &x->kept[x->by_age[i]].message, &c->threads.arena);
}

/* The first of the locations of this execution that have bytes of [from, to), or NULL; `x`: the
 * record of exactly these bytes from an earlier one, or NULL. */
RFI_FN rfi_location *rfi_atomics_others(rfi_atomics *m, uintptr_t from, uintptr_t to,
                                        rfi_location *x) {
    uintptr_t g = rfi_atomics_first(from), end = (to - 1) / RFI_GRANULE + 1;
    if (!m->met || (x && x->alone == m->kept)) return NULL;
    rfi_location *found = rfi_atomics_overlap(m, &g, from, to);
    if (found || !x) return found;
    x->alone = m->kept;
    for (g = rfi_atomics_first(from); (g = rfi_shadow_next(&m->places, g, end)) < end; g++)
        for (const rfi_location *y = rfi_shadow_get(&m->places, g); y; y = y->next)
            if (y != x && y->addr < to && from < y->addr + y->size) x->alone = 0;
    return NULL;
}

/* The location of an access that is the first of it in this execution; `x`: its record, or NULL. */
RFI_FN RFI_APART rfi_location *rfi_atomics_meet(rfi_core *c, rfi_atomics *m, const rf_mem_access *a,
                                                rfi_location *x) {
    uintptr_t addr = (uintptr_t)a->addr;
    rfi_message all = {.k = 0};
    const rfi_location *other = rfi_atomics_others(m, addr, addr + a->size, x);
    if (other && (other->size == RFI_PAIR || a->size == RFI_PAIR)) {
        rfi_atomics_gather(c, m, addr, addr + a->size, &all);
    } else if (other) {
        if (rfi_atomics_disputed(c, m, addr, addr + a->size, a->thread))
            c->report.flags |= RF_MEM_MISFIT;
        rfi_atomics_forget(m, addr, addr + a->size);
    }
    if (!x) x = rfi_atomics_add(m, addr, a->size);
    m->met++;
    x->generation = m->generation;
    x->touched = 0;
    x->in_place = x->late = false;
    x->covered = x->followed = 0;
    rfi_location_begin(x, ++m->time);
    if (rfi_message_any(&all))
        rfi_message_join(&x->kept[x->by_age[0]].message, &all, &c->threads.arena);
    return x;
}

/* The last store was made by the caller: its value is known now. */
RFI_FN void rfi_location_settle(rfi_location *x) {
    x->shown = x->by_age[x->count - 1];
    x->memory = x->kept[x->shown].value = rfi_word_of((const void *)x->addr, x->size);
    x->late = false;
}

/* Its memory holds what the last store left there. */
RFI_INLINE bool rfi_location_announced(const rfi_location *x) {
    if (RFI_LIKELY(x->size == 8)) return !memcmp((const void *)x->addr, &x->memory.low, 8);
    if (RFI_LIKELY(x->size == 4)) return !memcmp((const void *)x->addr, &x->memory.low, 4);
    rfi_word now = rfi_word_of((const void *)x->addr, x->size);
    return rfi_word_same(&now, &x->memory);
}

/* The same for a location that is new in this execution, or not as it was left. */
RFI_FN RFI_APART rfi_location *rfi_atomics_renew(rfi_core *c, rfi_atomics *m,
                                                 const rf_mem_access *a, rfi_location *x) {
    if (!x || x->generation != m->generation) {
        x = rfi_atomics_meet(c, m, a, x);
    } else if (x->late) {
        rfi_location_settle(x);
    } else if (!rfi_location_announced(x)) {
        c->known_at = x->kept[x->by_age[x->count - 1]].time;
        c->report.flags |= RF_MEM_UNANNOUNCED;
        rfi_location_begin(x, ++m->time);
    }
    x->in_place |= a->in_place;
    return x;
}

/* The location of an access. */
RFI_INLINE rfi_location *rfi_atomics_find(rfi_core *c, rfi_atomics *m, const rf_mem_access *a) {
    rfi_location *x = rfi_atomics_at(m, (uintptr_t)a->addr, a->size);
    if (RFI_LIKELY(x && x->generation == m->generation && !a->in_place && !x->late &&
                   rfi_location_announced(x)))
        return x;
    return rfi_atomics_renew(c, m, a, x);
}

/* The same with room for a store. */
RFI_INLINE rfi_location *rfi_atomics_room(rfi_core *c, rfi_atomics *m, const rf_mem_access *a) {
    rfi_location *x = rfi_atomics_find(c, m, a);
    if (RFI_UNLIKELY(x->count >= x->collect_at || x->count == x->capacity ||
                     x->count >= c->atomic_history))
        rfi_location_room(x, c, &m->places.arena);
    return x;
}
#endif
#endif
