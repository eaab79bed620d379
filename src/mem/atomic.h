/* mem/atomic.h: atomic operations under RC11 (docs/inside/internals.md, The memory model).
 *
 * An operation comes after (in mo, or in what it reads from) the stores that its thread has seen:
 *   - what happens before it, and what was read by something that does (coherence);
 *   - what the psc axiom of RC11 adds, with the seq_cst order being the order of execution: for a
 *     seq_cst operation, the seq_cst stores so far and the stores that happen before some seq_cst
 *     fence; after a seq_cst fence, everything that happens before an earlier one (that is
 *     rfi_actor.seen) and the seq_cst stores before it (rfi_actor.fence).
 * A read may return any kept store that is before none of these, and puts them before it.  Since
 * every constraint says only that one store is before another, and an acyclic set of them has an
 * extension, nothing else needs to be checked, and nothing is lost (algorithms 7.9 gives the same
 * sets as "prior sets").
 */
#ifndef RFI_MEM_ATOMIC_H
#define RFI_MEM_ATOMIC_H
#include "mem/history.h"
#include "mem/shadow.h"

#ifdef RFI_IMPL
/* Of 65536: */
# define RFI_WEAK_FAILURES  4096u  /* weak exchanges that fail spuriously */
# define RFI_RECENT_LOADS   32768u /* loads that take the newest store by RF_PICK_RECENT */
# define RFI_RECENT_UPDATES 49152u /* compare-exchanges that do: most failures teach nothing */
# define RFI_SETTLED_STORES                                            \
  16384u /* stores whose place among unordered ones is settled at once \
          */

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
    rfi_kept *k = &x->kept[rfi_location_append(x, x->memory)];
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

/* The location of an access that is the first of it in this execution; `x`: its record, or NULL. */
RFI_FN RFI_APART rfi_location *rfi_atomics_meet(rfi_core *c, rfi_atomics *m, const rf_mem_access *a,
                                                rfi_location *x) {
    uintptr_t addr = (uintptr_t)a->addr, g = rfi_atomics_first(addr);
    rfi_message all = {.k = 0};
    const rfi_location *other = m->met ? rfi_atomics_overlap(m, &g, addr, addr + a->size) : NULL;
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
    x->memory = x->kept[x->by_age[x->count - 1]].value =
        rfi_word_of((const void *)x->addr, x->size);
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

/* ---- what an access may read, and what it comes after ---- */

/* The stores that an access of `v` with this order comes after; others may be before them: all of
 * those are `hidden`. */
RFI_INLINE rfi_slots rfi_prior(const rfi_core *c, const rfi_atomics *m, const rfi_location *x,
                               rfi_visitor *v, int order, rfi_slots *hidden) {
    const rfi_actor *a = &c->threads.thread[v->thread];
    *hidden = rfi_before(x, v->seen);
    if (v->version != a->version) *hidden = rfi_update(x, v, a, *hidden);
    rfi_slots prior = v->seen;
    if (order != __ATOMIC_SEQ_CST) return prior;
    prior |= x->sc;
    if (m->fenced.n)
        for (rfi_slots z = x->all & ~prior; z; z &= z - 1) {
            const rfi_kept *k = &x->kept[rfi_ages_oldest(z)];
            if (rfi_clock_get(&m->fenced, k->thread) >= k->k) prior |= z & -z;
        }
    *hidden |= rfi_before(x, prior & ~(v->seen | *hidden));
    return prior;
}

RFI_INLINE rfi_slots rfi_unfollowed(const rfi_core *c, const rfi_location *x, rfi_slots set) {
    if (c->options.atomics != RF_MEM_C11) /* mo is the order of execution */
        return set & RFI_SLOT_BIT(x->by_age[x->count - 1]);
    return set & ~x->followed;
}

/* The stores of `set` whose value is `w`. */
RFI_FN rfi_slots rfi_valued(const rfi_location *x, rfi_slots set, const rfi_word *w) {
    rfi_slots same = 0;
    for (; set; set &= set - 1)
        if (rfi_word_same(&x->kept[rfi_ages_oldest(set)].value, w)) same |= set & -set;
    return same;
}

RFI_FN rfi_ages rfi_aged(const rfi_location *x, rfi_slots set) {
    rfi_ages ages = 0;
    for (uint32_t i = 0; i < x->count; i++)
        if (set & RFI_SLOT_BIT(x->by_age[i])) ages |= UINT64_C(1) << i;
    return ages;
}

/* The store of `set`, not empty, that executed last. */
RFI_INLINE uint32_t rfi_newest(const rfi_location *x, rfi_slots set) {
    uint32_t i = x->count - 1;
    while (!(set & RFI_SLOT_BIT(x->by_age[i]))) i--;
    return x->by_age[i];
}

RFI_FN uint32_t rfi_atomic_choose(rfi_core *c, const rfi_location *x, const rfi_visitor *v,
                                  rfi_slots set) {
    rfi_ages all = rfi_aged(x, set), different = all;
    if (v->returned) different &= ~rfi_aged(x, rfi_valued(x, set, &v->last));
    return x->by_age[rfi_core_pick(c, c->atomic_pick, all, different)];
}

/* One of the stores of `last`, which no store is after, is the last of all from now on. */
RFI_FN RFI_COLD uint32_t rfi_settle_last(rfi_core *c, rfi_location *x, rfi_slots last) {
    uint32_t s = rfi_ages_at(last, rfi_below(&c->chance, rfi_ages_count(last)));
    rfi_constrain(x, x->all, s);
    return s;
}

/* One of the stores of `set`, not empty, by the heuristic and in fairness.  RF_PICK_RECENT takes
 * the newest with probability `recent` / 65536; newest are those that no store is after in mo.
 *
 * Fairness: nobody ignores for ever the store that is last in mo.  As long as several could be that
 * one, every read counts as a miss, since two threads might wait on two of them: in the end one of
 * them, any, is made the last. */
RFI_INLINE uint32_t rfi_atomic_pick(rfi_core *c, rfi_location *x, rfi_visitor *v, rfi_slots set,
                                    uint32_t recent) {
    c->visible = set;
    if (!(set & (set - 1))) return rfi_ages_oldest(set);
    if (c->options.atomics == RF_MEM_SC || x->in_place) return rfi_newest(x, set);
    if (RFI_UNLIKELY(c->options.choose != NULL)) return rfi_atomic_choose(c, x, v, set);
    rfi_slots last = set & ~x->covered;
    uint32_t s = rfi_newest(x, last ? last : set);
    if (RFI_UNLIKELY(v->misses >= c->options.fairness)) {
        c->report.flags |= RF_MEM_FORCED;
        if (last & (last - 1)) s = rfi_settle_last(c, x, last);
        last &= RFI_SLOT_BIT(s);
    } else if (c->atomic_pick == RF_PICK_NEWEST)
        s = rfi_newest(x, set);
    else if (c->atomic_pick != RF_PICK_RECENT)
        s = rfi_atomic_choose(c, x, v, set);
    else if (!rfi_chance(&c->chance, recent))
        s = rfi_ages_at(set, rfi_below(&c->chance, rfi_ages_count(set)));
    v->misses = last == RFI_SLOT_BIT(s) ? 0 : v->misses + 1;
    return s;
}

/* ---- reports ---- */

RFI_FN rf_mem_origin rfi_kept_origin(const rfi_kept *k) {
    return (rf_mem_origin){k->thread, k->order, k->tag, k->value.low};
}

/* A read returned `s`: was it the newest? */
RFI_INLINE void rfi_tell_read(rfi_core *c, const rfi_location *x, uint32_t s) {
    uint32_t newest = x->by_age[x->count - 1], i = x->count;
    c->read = &x->kept[s];
    if (RFI_LIKELY(s == newest)) return;
    while (x->by_age[--i] != s) c->report.hidden++;
    c->report.from = rfi_kept_origin(c->read);
    c->report.flags |= RF_MEM_STALE;
    c->report.visible = rfi_ages_count(c->visible);
    c->report.newest = rfi_kept_origin(&x->kept[newest]);
}

/* Does an earlier access of somebody else race with this one, given what its thread knows? */
RFI_FN void rfi_find_race(rfi_core *c, const rfi_location *x, uint32_t t, bool plain, bool writes) {
    const rfi_clock *clock = &c->threads.thread[t].clock;
    if (x->plain_k && x->plain_thread != t && rfi_clock_get(clock, x->plain_thread) < x->plain_k) {
        c->report.flags |= RF_MEM_RACE;
        c->report.other =
            (rf_mem_origin){x->plain_thread, RF_MEM_PLAIN, x->plain_tag, x->memory.low};
    }
    if (!plain && !(writes && x->plain_reads)) return;
    for (uint32_t i = 0; i < x->visitors; i++) {
        const rfi_visitor *v = &x->visitor[i];
        uint32_t k = v->plain_read_k;
        if (plain && v->write_k > k) k = v->write_k;
        if (plain && writes && v->read_k > k) k = v->read_k;
        if (!writes) k = v->write_k;
        if (v->thread == t || rfi_clock_get(clock, v->thread) >= k) continue;
        c->report.flags |= RF_MEM_RACE;
        c->report.other = (rf_mem_origin){.thread = v->thread, .order = __ATOMIC_RELAXED};
    }
}

RFI_INLINE void rfi_tell_race(rfi_core *c, const rfi_location *x, uint32_t t, bool plain,
                              bool writes) {
    if (plain || x->plain_k || (writes && x->plain_reads)) rfi_find_race(c, x, t, plain, writes);
}

/* ---- the halves of an access ---- */

/* `v` reads store `s` and comes after `prior`. */
RFI_INLINE void rfi_half_read(rfi_core *c, rfi_location *x, rfi_visitor *v, int order,
                              rfi_slots prior, uint32_t s) {
    uint32_t t = v->thread;
    rfi_kept *k = &x->kept[s];
    if (prior & ~(x->before[s] | RFI_SLOT_BIT(s))) rfi_constrain(x, prior, s);
    v->seen = RFI_SLOT_BIT(s);
    c->read_slot = (uint8_t)s;
    v->returned = true;
    v->last = k->value;
    rfi_actor *a = &c->threads.thread[t];
    rfi_location_read(x, s, v, a->own);
    v->read_k = a->own;
    if (order != RF_MEM_PLAIN && rfi_message_any(&k->message) && !rfi_actor_has(a, t, &k->message))
        rfi_actor_get(&c->threads, t, &k->message, rfi_acquires(order));
    rfi_tell_read(c, x, s);
}

/* What comes with a store of `v` with this order: its release sequences. */
RFI_INLINE void rfi_half_message(rfi_core *c, rfi_location *x, rfi_visitor *v, int order,
                                 uint32_t source, uint32_t w) {
    rfi_message *to = &x->kept[w].message, *head = &v->head;
    rfi_arena *arena = &c->threads.arena;
    if (order == RF_MEM_PLAIN) return;
    if (source != RFI_NO_SLOT) rfi_message_copy(to, &x->kept[source].message, arena);
    const rfi_message *fence = &c->threads.thread[v->thread].released;
    if (rfi_releases(order))
        rfi_message_send(&c->threads, v->thread, head);
    else if (fence->k > head->k || c->options.cxx20)
        rfi_message_copy(head, fence, arena);
    if (!rfi_message_any(head)) return;
    if (to->from == v->thread && to->k > head->k) return; /* C++20: the update's was headed later */
    if (head->k && rfi_clock_get(&to->clock, head->from) >= head->k) return; /* `to` tells it */
    if (rfi_message_any(to) && !(to->k && to->from == v->thread))
        rfi_message_join(to, head, arena);
    else
        rfi_message_copy(to, head, arena);
}

/* Nothing orders the new store `w` and those of `others`, that no store is after.  To leave that
 * open until somebody reads them in some order gives everybody the value he waits for: now and then
 * it is settled at once, as by a thread that reads `w` last or before one of the others. */
RFI_FN RFI_COLD void rfi_settle_store(rfi_core *c, rfi_location *x, uint32_t w, rfi_slots others) {
    if (c->options.atomics != RF_MEM_C11 || c->options.choose || x->in_place) return;
    if (c->atomic_pick == RF_PICK_NEWEST || !rfi_chance(&c->chance, RFI_SETTLED_STORES)) return;
    if (rfi_coin(&c->chance))
        rfi_constrain(x, others, w);
    else
        rfi_constrain(x, RFI_SLOT_BIT(w),
                      rfi_ages_at(others, rfi_below(&c->chance, rfi_ages_count(others))));
}

/* `v` stores after `prior`; as an update after `source` if that is a slot. */
RFI_INLINE void rfi_half_write(rfi_core *c, rfi_atomics *m, rfi_location *x, rfi_visitor *v,
                               const rf_mem_access *a, rfi_slots prior, uint32_t source,
                               const void *in) {
    rfi_word value = rfi_word_of(in, a->size);
    uint32_t w = rfi_location_append(x, value);
    rfi_kept *k = &x->kept[w];
    k->thread = v->thread;
    k->k = c->threads.thread[v->thread].own;
    k->time = ++m->time;
    k->order = (int8_t)a->order;
    k->tag = a->tag;
    if (source != RFI_NO_SLOT) rfi_follow(x, source, w);
    x->before[w] |= c->options.atomics == RF_MEM_C11 ? rfi_upto(x, prior | x->founder) : x->all;
    x->before[w] &= ~RFI_SLOT_BIT(w);
    x->covered |= x->before[w];
    rfi_slots open = x->all & ~x->covered;
    if (RFI_UNLIKELY(open & (open - 1)) && open & RFI_SLOT_BIT(w))
        rfi_settle_store(c, x, w, open & ~RFI_SLOT_BIT(w));
    v->seen = RFI_SLOT_BIT(w);
    c->write_slot = (uint8_t)w;
    v->write_k = k->k;
    if (a->order == __ATOMIC_SEQ_CST) x->sc |= RFI_SLOT_BIT(w);
    rfi_half_message(c, x, v, a->order, source, w);
    x->memory = value;
    rfi_word_put(rfi_access_memory(a), &value, a->size);
}

/* ---- operations ---- */

RFI_FN void rfi_atomic_read(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, void *out) {
    rfi_location *x = rfi_atomics_find(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    uint32_t s = rfi_atomic_pick(c, x, v, x->all & ~hidden, RFI_RECENT_LOADS);
    rfi_half_read(c, x, v, a->order, prior, s);
    rfi_word_put(out, &x->kept[s].value, a->size);
    bool plain = a->order == RF_MEM_PLAIN;
    rfi_tell_race(c, x, a->thread, plain, false);
    if (!plain) return;
    v->plain_read_k = v->read_k;
    x->plain_reads = true;
}

RFI_FN void rfi_atomic_write(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, const void *in) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    bool plain = a->order == RF_MEM_PLAIN;
    rfi_tell_race(c, x, a->thread, plain, true);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    rfi_half_write(c, m, x, v, a, prior, RFI_NO_SLOT, in);
    x->late = a->in_place;
    if (!plain) return;
    x->plain_thread = a->thread;
    x->plain_k = v->write_k;
    x->plain_tag = a->tag;
}

RFI_FN void rfi_atomic_update(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, void *old) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    rfi_slots open = rfi_unfollowed(c, x, x->all & ~hidden);
    uint32_t s = rfi_atomic_pick(c, x, v, open, RFI_RECENT_LOADS);
    rfi_half_read(c, x, v, a->order, prior, s);
    rfi_word_put(old, &x->kept[s].value, a->size);
    rfi_tell_race(c, x, a->thread, false, true);
    m->updated = x;
    m->update = *a;
    m->source = s;
}

RFI_FN void rfi_atomic_updated(rfi_core *c, rfi_atomics *m, const void *value) {
    rfi_location *x = m->updated;
    rfi_visitor *v = rfi_location_visit(x, m->update.thread, &m->places.arena);
    rfi_half_write(c, m, x, v, &m->update, v->seen, m->source, value);
}

/* Whether a compare-exchange succeeds is part of the choice: each store with the expected value
 * that an update can read is a success, each store with another value a failure; a weak one may
 * fail on any store. */
RFI_FN bool rfi_atomic_compare(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, int failure,
                               bool weak, void *expected, const void *desired) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_word wanted = rfi_word_of(expected, a->size);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden), open = x->all & ~hidden;
    rfi_slots prior_bad = prior, bad = open;
    if ((a->order == __ATOMIC_SEQ_CST) != (failure == __ATOMIC_SEQ_CST)) {
        prior_bad = rfi_prior(c, m, x, v, failure, &hidden);
        bad = x->all & ~hidden;
    }
    rfi_slots equal = rfi_valued(x, open | bad, &wanted);
    rfi_slots good = rfi_unfollowed(c, x, open & equal);
    bool spurious = weak && !c->options.choose && rfi_chance(&c->chance, RFI_WEAK_FAILURES);
    if (!weak || (!c->options.choose && !spurious)) bad &= ~equal;
    if (c->options.atomics == RF_MEM_SC) bad &= RFI_SLOT_BIT(x->by_age[x->count - 1]);
    bool fails = spurious || !good;
    uint32_t s;
    if (c->options.choose) {
        uint32_t n = rfi_ages_count(bad), i = rfi_core_choose(c, n + rfi_ages_count(good));
        fails = i < n;
        s = fails ? rfi_ages_at(bad, i) : rfi_ages_at(good, i - n); /* the last one is usual */
    } else {
        s = rfi_atomic_pick(c, x, v, fails ? bad : good | bad, RFI_RECENT_UPDATES);
        fails |= !(good & RFI_SLOT_BIT(s));
    }
    rfi_half_read(c, x, v, fails ? failure : a->order, fails ? prior_bad : prior, s);
    rfi_tell_race(c, x, a->thread, false, !fails);
    rfi_word_put(expected, &x->kept[s].value, a->size);
    if (!fails) rfi_half_write(c, m, x, v, a, v->seen, s, desired);
    return !fails;
}

/* The place of a seq_cst fence among all of them: it sees what earlier ones have seen, and later
 * ones what it has.  Nothing is synchronised. */
RFI_FN void rfi_atomic_serialise(rfi_core *c, rfi_atomics *m, uint32_t t) {
    rfi_arena *arena = &c->threads.arena;
    rfi_actor *a = rfi_actor_of(&c->threads, t);
    a->fence = ++m->time;
    rfi_clock_join(&m->fenced, &a->clock, arena);
    rfi_clock_reserve(&m->fenced, t + 1, arena);
    m->fenced.c[t] = a->own;
    if (!a->seen.n) rfi_clock_copy(&a->seen, &a->clock, arena);
    rfi_clock_join(&a->seen, &m->fenced, arena);
    a->version++;
}

/* atomic_thread_fence: acquire, seq_cst and release part, in this order. */
RFI_FN void rfi_atomic_fence(rfi_core *c, rfi_atomics *m, uint32_t t, int order) {
    rfi_actors *threads = &c->threads;
    if (rfi_acquires(order)) rfi_actor_acquire_fence(threads, t);
    rfi_actor *a = rfi_actor_of(threads, t);
    if (order == __ATOMIC_SEQ_CST) rfi_atomic_serialise(c, m, t);
    if (rfi_releases(order)) rfi_message_send(threads, t, &a->released);
}
#endif
#endif
