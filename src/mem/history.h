/* mem/history.h: the stores of an atomic location, and their modification order.
 *
 * The modification order (mo) is not fixed when a store executes: it is a partial order that grows
 * with every constraint, and any of its extensions is an mo of RC11 (constraint graphs as in Luo,
 * Demsky, "C11Tester", ASPLOS 2021).  A location keeps at most 64 stores, so the stores before a
 * store are one word, transitively closed.
 *
 * An update comes right after the store that it read; a store and the updates that follow it form
 * a chain, and what comes after one of a chain comes after all of it.  Invariant: a store of chain
 * X is before a store of chain Y exactly if all of X is before all of Y.
 */
#ifndef RFI_MEM_HISTORY_H
#define RFI_MEM_HISTORY_H
#include "mem/core.h"

#ifdef RFI_IMPL
typedef uint64_t rfi_slots; /* a set of kept stores by slot */
enum {
    RFI_NO_SLOT = 255,
    RFI_VISITORS = 64, /* those that rfi_kept.readers tells of */
    RFI_SEATS = 8
};

# define RFI_SLOT_BIT(s) (UINT64_C(1) << (s))

# define RFI_PAIR 16u /* bytes of the largest atomic, and the only one whose parts are used too */

/* The bytes of an atomic object, zero-extended. */
typedef struct rfi_word {
    uint64_t low, high;
} rfi_word;

/* A store that is kept. */
typedef struct rfi_kept {
    rfi_word value;
    const void *tag;     /* the caller's */
    uint32_t thread, k;  /* who stored, at which own component */
    uint32_t time;       /* of execution */
    int8_t order;        /* __ATOMIC_* or RF_MEM_PLAIN */
    uint8_t leader;      /* the store that it read as an update */
    uint8_t follower;    /* the update that read it */
    uint64_t readers;    /* the first 64 visitors that have read it */
    rfi_message message; /* what an acquiring read of it learns */
} rfi_kept;

/* A thread at a location. */
typedef struct rfi_visitor {
    uint32_t thread, number;  /* its place among them */
    uint32_t version;         /* of the thread's knowledge when `seen` was brought up to date */
    rfi_slots seen;           /* stores that its next access comes after; those before others of
                                 them may be missing */
    uint32_t read_k, write_k; /* own component at its last read and write */
    uint32_t plain_read_k;    /* and at its last plain read */
    uint32_t misses;          /* reads in a row that could have returned the newest and did not */
    bool returned;            /* something, which is */
    rfi_word last;
    rfi_message head; /* of its newest release sequence here */
} rfi_visitor;

/* It stays from one execution to the next, with its room; `generation` tells whether anything is
 * known of it in this one. */
typedef struct rfi_location {
    struct rfi_location *next; /* in the same granule */
    uintptr_t addr;
    uint32_t size, generation;
    uint32_t count, capacity; /* stores */
    uint32_t touched;         /* slots that were ever in use: the lowest ones */
    uint32_t visitors, visitor_capacity;
    uint32_t collect_at; /* count at which dead stores are looked for */
    uint32_t alone;      /* when there were so many locations, none of them had bytes of it */
    rfi_slots all, sc;   /* the slots in use; those of seq_cst stores */
    rfi_slots covered;   /* stores that are before others; of those not in use, anything */
    rfi_slots followed;  /* stores that an update has read; of those not in use, anything */
    rfi_slots founder;   /* the store that followed a forgotten one: nothing may come in between */
    rfi_kept *kept;
    rfi_slots *before; /* by slot: the stores before it in mo; nothing for slots not in use */
    rfi_visitor *visitor;
    uint32_t *first_read; /* [slot * visitor_capacity + visitor]: own component, 0 = never; of the
                             first 64 visitors only if rfi_kept.readers has them */
    rfi_word memory;      /* what is there: by a store that none is known to be after */
    uint32_t plain_thread, plain_k; /* the last plain write */
    const void *plain_tag;
    bool plain_reads;
    bool in_place;                      /* the caller accesses the memory itself */
    bool late;                          /* and has stored since: the value is in memory only */
    uint8_t shown;                      /* the slot of what is in memory */
    uint8_t seat[RFI_SEATS];            /* the visitor that a thread was, by its low bits */
    uint8_t by_age[RF_MEM_HISTORY_MAX]; /* slots, oldest first */
} rfi_location;

/* ---- the graph ---- */

RFI_INLINE uint32_t rfi_chain_first(const rfi_location *x, uint32_t s) {
    while (x->kept[s].leader != RFI_NO_SLOT) s = x->kept[s].leader;
    return s;
}

RFI_INLINE uint32_t rfi_chain_last(const rfi_location *x, uint32_t s) {
    while (x->kept[s].follower != RFI_NO_SLOT) s = x->kept[s].follower;
    return s;
}

/* All that comes before one of `set`. */
RFI_INLINE rfi_slots rfi_before(const rfi_location *x, rfi_slots set) {
    rfi_slots before = 0;
    for (; set; set &= set - 1) before |= x->before[rfi_ages_oldest(set)];
    return before;
}

/* All stores up to and with the chains of `set`: what a store after `set` comes after. */
RFI_FN rfi_slots rfi_upto(const rfi_location *x, rfi_slots set) {
    rfi_slots upto = 0;
    for (; set; set &= set - 1) {
        uint32_t last = rfi_chain_last(x, rfi_ages_oldest(set));
        upto |= x->before[last] | RFI_SLOT_BIT(last);
    }
    return upto;
}

/* Puts every store of `set` but `s` itself before `s`, which is before none of them. */
RFI_FN void rfi_constrain(rfi_location *x, rfi_slots set, uint32_t s) {
    set &= ~(x->before[s] | RFI_SLOT_BIT(s));
    if (RFI_LIKELY(!set)) return;
    rfi_slots add = rfi_upto(x, set);
    rfi_slots first = RFI_SLOT_BIT(rfi_chain_first(x, s));
    for (uint32_t i = 0; i < x->touched; i++)
        if (((x->before[i] | RFI_SLOT_BIT(i)) & first)) x->before[i] |= add;
    x->covered |= add;
}

/* Store `w`, new, follows update-wise on `s`, which has no follower. */
RFI_INLINE void rfi_follow(rfi_location *x, uint32_t s, uint32_t w) {
    rfi_slots bit = RFI_SLOT_BIT(s);
    for (uint32_t i = 0; x->covered & bit && i < x->touched; i++)
        if (x->before[i] & bit) {
            x->before[i] |= RFI_SLOT_BIT(w);
            x->covered |= RFI_SLOT_BIT(w);
        }
    x->covered |= bit;
    x->followed |= bit;
    x->kept[s].follower = (uint8_t)w;
    x->kept[w].leader = (uint8_t)s;
    x->before[w] = x->before[s] | bit;
}

/* Forgets `s`, a store that nothing is before, and with it that anything could be: it is the first
 * of all from now on. */
RFI_FN void rfi_evict(rfi_location *x, uint32_t s) {
    rfi_slots chain = RFI_SLOT_BIT(s), bit = chain;
    for (uint32_t c = s; (c = x->kept[c].follower) != RFI_NO_SLOT;) chain |= RFI_SLOT_BIT(c);
    x->all &= ~bit;
    x->sc &= ~bit;
    for (rfi_slots z = chain != bit ? x->all & ~chain : 0; z; z &= z - 1)
        x->before[rfi_ages_oldest(z)] |= chain;
    if (chain != bit) x->covered |= chain;
    for (uint32_t i = 0; i < x->touched; i++) x->before[i] &= ~bit;
    x->before[s] = 0;
    x->founder = 0;
    if (x->kept[s].follower != RFI_NO_SLOT) {
        x->kept[x->kept[s].follower].leader = RFI_NO_SLOT;
        x->founder = RFI_SLOT_BIT(x->kept[s].follower);
    }
    for (uint32_t v = 0; v < x->visitors; v++) x->visitor[v].seen &= ~bit;
    uint32_t i = 0;
    while (x->by_age[i] != s) i++;
    memmove(x->by_age + i, x->by_age + i + 1, --x->count - i);
}

/* ---- who knows what ---- */

/* Does thread `t` know (a) the store in slot `s`, other than by happens-before: do its next
 * accesses come after it?  Through somebody else's reads, and through fences. */
RFI_FN RFI_APART bool rfi_known_else(const rfi_location *x, uint32_t s, const rfi_actor *a,
                                     uint32_t t) {
    const rfi_kept *k = &x->kept[s];
    if (k->order == __ATOMIC_SEQ_CST && k->time < a->fence) return true;
    const uint32_t *first = x->first_read + s * x->visitor_capacity;
    const rfi_clock *seen = rfi_actor_seen(a);
    for (uint64_t readers = k->readers; readers; readers &= readers - 1) {
        uint32_t v = (uint32_t)__builtin_ctzll(readers), u = x->visitor[v].thread;
        if (u == t || rfi_clock_get(seen, u) >= first[v]) return true;
    }
    for (uint32_t v = RFI_VISITORS; v < x->visitors; v++) {
        uint32_t u = x->visitor[v].thread;
        if (first[v] && (u == t || rfi_clock_get(seen, u) >= first[v])) return true;
    }
    return false;
}

/* Visitor `v` reads the store in slot `s`, at its own component `own`. */
RFI_INLINE void rfi_location_read(rfi_location *x, uint32_t s, const rfi_visitor *v, uint32_t own) {
    uint32_t *first = &x->first_read[s * x->visitor_capacity + v->number];
    if (RFI_UNLIKELY(v->number >= RFI_VISITORS)) {
        if (!*first) *first = own;
        return;
    }
    uint64_t bit = UINT64_C(1) << v->number;
    if (x->kept[s].readers & bit) return;
    x->kept[s].readers |= bit;
    *first = own;
}

RFI_INLINE bool rfi_known(const rfi_location *x, uint32_t s, const rfi_actor *a, uint32_t t) {
    const rfi_kept *k = &x->kept[s];
    return k->thread == t || k->thread == RF_MEM_NOBODY ||
           rfi_clock_get(rfi_actor_seen(a), k->thread) >= k->k || rfi_known_else(x, s, a, t);
}

/* Brings what visitor `v` has seen up to date, of the stores `open`: the newest stores first, since
 * most tell of those before them. */
RFI_FN RFI_APART void rfi_learn(const rfi_location *x, rfi_visitor *v, const rfi_actor *a,
                                rfi_slots open) {
    for (const uint8_t *newest = x->by_age + x->count; open;) {
        uint32_t s = *--newest;
        rfi_slots bit = RFI_SLOT_BIT(s);
        if (!(open & bit)) continue;
        open &= ~bit;
        if (!rfi_known(x, s, a, v->thread)) continue;
        v->seen |= bit;
        open &= ~x->before[s];
    }
}

/* Brings what `v` has seen up to date after its thread has learned something; `hidden`: the stores
 * before that.  Mostly the newest store is known from its writer, and tells of the others. */
RFI_INLINE rfi_slots rfi_update(const rfi_location *x, rfi_visitor *v, const rfi_actor *a,
                                rfi_slots hidden) {
    rfi_slots open = x->all & ~(hidden | v->seen);
    v->version = a->version;
    if (!open) return hidden;
    uint32_t newest = x->by_age[x->count - 1];
    const rfi_kept *k = &x->kept[newest];
    if (open & RFI_SLOT_BIT(newest) && rfi_clock_get(rfi_actor_seen(a), k->thread) >= k->k) {
        v->seen |= RFI_SLOT_BIT(newest);
        hidden |= x->before[newest];
        open &= ~(hidden | RFI_SLOT_BIT(newest));
        if (!open) return hidden;
    }
    rfi_learn(x, v, a, open);
    return rfi_before(x, v->seen);
}

/* ---- room ---- */

RFI_FN RFI_COLD void rfi_location_widen(rfi_location *x, uint32_t stores, uint32_t visitors,
                                        rfi_arena *arena) {
    uint32_t *first = rfi_arena_raw(arena, (size_t)stores * visitors * sizeof *first);
    for (uint32_t s = 0; s < x->touched; s++)
        memcpy(first + s * visitors, x->first_read + s * x->visitor_capacity,
               x->visitors * sizeof *first);
    x->first_read = first;
    if (stores > x->capacity) {
        rfi_kept *kept = rfi_arena_raw(arena, stores * sizeof *kept);
        rfi_slots *before = rfi_arena_raw(arena, stores * sizeof *before);
        if (x->touched) {
            memcpy(kept, x->kept, x->touched * sizeof *kept);
            memcpy(before, x->before, x->touched * sizeof *before);
        }
        x->kept = kept;
        x->before = before;
        x->capacity = stores;
    }
    if (visitors > x->visitor_capacity) {
        rfi_visitor *v = rfi_arena_raw(arena, visitors * sizeof *v);
        if (x->visitors) memcpy(v, x->visitor, x->visitors * sizeof *v);
        x->visitor = v;
        x->visitor_capacity = visitors;
    }
}

RFI_FN RFI_APART rfi_visitor *rfi_location_met(rfi_location *x, uint32_t t, rfi_arena *arena) {
    if (x->visitors == x->visitor_capacity)
        rfi_location_widen(x, x->capacity, x->visitor_capacity * 2, arena);
    for (uint32_t s = 0; x->visitors >= RFI_VISITORS && s < x->touched; s++)
        x->first_read[s * x->visitor_capacity + x->visitors] = 0;
    rfi_visitor *v = &x->visitor[x->visitors];
    rfi_zero(v, sizeof *v);
    v->thread = t;
    v->number = x->visitors++;
    v->version = UINT32_MAX;
    return v;
}

RFI_FN RFI_APART rfi_visitor *rfi_location_search(rfi_location *x, uint32_t t, rfi_arena *arena) {
    for (rfi_visitor *v = x->visitor, *end = v + x->visitors; v < end; v++) {
        if (v->thread != t) continue;
        x->seat[t % RFI_SEATS] = (uint8_t)v->number;
        return v;
    }
    return rfi_location_met(x, t, arena);
}

/* Thread `t` at `x`. */
RFI_INLINE rfi_visitor *rfi_location_visit(rfi_location *x, uint32_t t, rfi_arena *arena) {
    uint32_t seat = x->seat[t % RFI_SEATS];
    rfi_visitor *v = &x->visitor[seat];
    return RFI_LIKELY(seat < x->visitors && v->thread == t) ? v : rfi_location_search(x, t, arena);
}

# define RFI_COLLECT_FROM 8u

/* The age of the newest store that thread `t` knows for sure, 0 if only the oldest. */
RFI_FN uint32_t rfi_newest_known(const rfi_location *x, const rfi_actor *a, uint32_t t) {
    rfi_slots seen = 0;
    uint32_t i = x->count - 1;
    for (uint32_t v = 0; v < x->visitors; v++)
        if (x->visitor[v].thread == t) seen = x->visitor[v].seen;
    for (; i; i--) {
        const rfi_kept *k = &x->kept[x->by_age[i]];
        if ((seen & RFI_SLOT_BIT(x->by_age[i])) ||
            rfi_clock_get(rfi_actor_seen(a), k->thread) >= k->k)
            break;
    }
    return i;
}

/* Forgets the stores that nobody can read any more: the first ones in mo, as far as every live
 * thread knows a later one. */
RFI_FN void rfi_location_collect(rfi_location *x, const rfi_actors *threads) {
    uint32_t dead = x->count - 1, n = 0;
    for (uint32_t t = 0; t < threads->count && dead; t++) {
        if (threads->thread[t].ended) continue;
        uint32_t known = rfi_newest_known(x, &threads->thread[t], t);
        if (known < dead) dead = known;
    }
    if (!dead) return;
    rfi_slots first = 0, before[RF_MEM_HISTORY_MAX]; /* by age: what is before all that are newer */
    before[x->count - 1] = ~UINT64_C(0);
    for (uint32_t i = x->count - 1; i; i--) before[i - 1] = before[i] & x->before[x->by_age[i]];
    for (; n < dead; n++) { /* what comes first in time need not come first in mo */
        if (!(before[n] & RFI_SLOT_BIT(x->by_age[n]))) break;
        first |= RFI_SLOT_BIT(x->by_age[n]);
    }
    if (!n) return;
    x->all &= ~first;
    x->sc &= ~first;
    x->founder &= ~first;
    for (uint32_t i = 0; i < x->touched; i++)
        x->before[i] = first & RFI_SLOT_BIT(i) ? 0 : x->before[i] & ~first;
    for (uint32_t v = 0; v < x->visitors; v++) x->visitor[v].seen &= ~first;
    x->count -= n;
    memmove(x->by_age, x->by_age + n, x->count);
    for (uint32_t i = 0; i < x->count; i++) {
        rfi_kept *k = &x->kept[x->by_age[i]];
        if (k->leader != RFI_NO_SLOT && (first & RFI_SLOT_BIT(k->leader))) k->leader = RFI_NO_SLOT;
    }
}

/* Makes room for one more store: forgets dead ones now and then, and at the bound the oldest that
 * nothing is before. */
RFI_FN RFI_APART void rfi_location_room(rfi_location *x, rfi_core *c, rfi_arena *arena) {
    if (x->count >= x->collect_at) {
        rfi_location_collect(x, &c->threads);
        x->collect_at = x->count * 2 > RFI_COLLECT_FROM ? x->count * 2 : RFI_COLLECT_FROM;
    }
    if (x->count >= c->atomic_history) {
        uint32_t i = 0;
        while (x->before[x->by_age[i]]) i++;
        rfi_evict(x, x->by_age[i]);
        c->forgot = true;
    }
    if (x->count == x->capacity) rfi_location_widen(x, x->capacity * 4, x->visitor_capacity, arena);
}

/* A new store, for which there is room; its place in mo is the caller's business. */
RFI_FN uint32_t rfi_location_append(rfi_location *x, rfi_word value) {
    uint32_t s = rfi_ages_oldest(~x->all);
    rfi_kept *k = &x->kept[s];
    if (s == x->touched) {
        x->touched++;
        k->message = (rfi_message){0};
    } else {
        rfi_message_clear(&k->message);
    }
    k->value = value;
    k->readers = 0;
    x->before[s] = 0;
    k->leader = k->follower = RFI_NO_SLOT;
    for (uint32_t v = RFI_VISITORS; v < x->visitors; v++)
        x->first_read[s * x->visitor_capacity + v] = 0;
    x->by_age[x->count++] = (uint8_t)s;
    x->all |= RFI_SLOT_BIT(s);
    x->covered &= ~RFI_SLOT_BIT(s);
    x->followed &= ~RFI_SLOT_BIT(s);
    return s;
}
#endif
#endif
