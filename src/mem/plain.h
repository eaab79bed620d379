/* mem/plain.h: what reads of plain data under suspicion return.
 *
 * The progressive Java memory model of Flanagan, Freund, "Adversarial memory for detecting
 * destructive races", PLDI 2010, sections 4 and 5: a read returns a write that was executed before
 * it, unless another write of the location lies between the two in happens-before.  There is no
 * coherence: two reads may see two writes in either order.
 *
 * Accesses may be of any size and overlap in any way.  A read may take its bytes from several
 * writes, each visible there.  What it puts together is always what some of the writes leave behind
 * if applied in the order of their execution: with a byte of a write it takes everything that this
 * write covers, but for what newer ones cover of that.  This binds all of the value (64 bytes at a
 * time), and only each 4-byte unit of it where the value is torn.
 */
#ifndef RFI_MEM_PLAIN_H
#define RFI_MEM_PLAIN_H
#include "mem/shadow.h"
#include "mem/unit.h"

#ifdef RFI_IMPL
enum { RFI_VIEW_BYTES = 64 }; /* bytes that are read at a time, by one word of bits */

/* What lies at a granule, once it was accessed.  Before, the shadow holds its watched bytes. */
typedef struct rfi_units {
    struct rfi_units *next; /* while unused */
    rfi_unit unit[2];
} rfi_units;

/* A write that a read may return, at the bytes of the view. */
typedef struct rfi_source {
    rfi_write *write;
    uint64_t covers, sees; /* what it wrote; where it is visible */
    uint64_t given;        /* what is returned of it */
    uint8_t value[RFI_VIEW_BYTES];
} rfi_source;

typedef struct rfi_taken {
    const rfi_write *write;
    uintptr_t base;
    uint64_t given, value;
    uint32_t hidden;
} rfi_taken;

typedef struct rfi_plain {
    rfi_shadow shadow;
    rfi_writes writes;
    uint32_t granules; /* with watched bytes */
    rfi_units *spare_units;
    rfi_source *source; /* of the view, oldest first */
    rfi_taken *taken;   /* by the read, in all its views */
    uint32_t sources, source_capacity, takens, taken_capacity;
} rfi_plain;

/* The bytes that a read looks at together. */
typedef struct rfi_view {
    uintptr_t base;
    uint64_t wanted, known;
    rfi_unit *unit[RFI_VIEW_BYTES / RFI_UNIT_BYTES];
    uint8_t last[RFI_VIEW_BYTES];
} rfi_view;

/* Before the first use and between executions.  rfi_shadow_free gives all back. */
RFI_FN void rfi_plain_reset(rfi_plain *p) {
    if (p->writes.arena && !p->shadow.regions.used) return; /* nothing was watched */
    rfi_shadow_reset(&p->shadow);
    *p = (rfi_plain){.shadow = p->shadow, .writes.arena = &p->shadow.arena};
}

RFI_INLINE bool rfi_plain_any(const rfi_plain *p) { return p->granules; }

/* ---- where units are ---- */

RFI_INLINE uint8_t rfi_watched(const void *at) {
    uintptr_t word = (uintptr_t)at;
    if (word & 1) return (uint8_t)(word >> 1);
    const rfi_units *x = at;
    if (!x) return 0;
    return (uint8_t)(x->unit[0].watched | x->unit[1].watched << RFI_UNIT_BYTES);
}

RFI_INLINE void *rfi_watched_word(uint8_t bytes) {
    return bytes ? (void *)((uintptr_t)bytes << 1 | 1) : NULL;
}

/* The first unit of at .. to-1 with watched bytes, or `to`; `at` is aligned. */
RFI_FN uintptr_t rfi_plain_next(rfi_plain *p, uintptr_t at, uintptr_t to) {
    for (; at < to; at += RFI_UNIT_BYTES) {
        uintptr_t g = at / RFI_GRANULE;
        g = rfi_shadow_next(&p->shadow, g, (to - 1) / RFI_GRANULE + 1);
        if (g * RFI_GRANULE >= to) return to;
        if (g * RFI_GRANULE > at) at = g * RFI_GRANULE;
        if (rfi_watched(rfi_shadow_get(&p->shadow, g)) >> at % RFI_GRANULE & 15) return at;
    }
    return to;
}

RFI_FN RFI_COLD rfi_units *rfi_plain_units(rfi_plain *p, uint8_t watched) {
    rfi_units *x = p->spare_units;
    if (x)
        p->spare_units = x->next;
    else
        x = rfi_arena_take(&p->shadow.arena, sizeof *x);
    for (unsigned i = 0; i < 2; i++) {
        rfi_unit *u = &x->unit[i];
        u->watched = watched >> i * RFI_UNIT_BYTES & 15;
        u->known = 0;
        u->count = u->missing = 0;
    }
    return x;
}

/* The unit at `at`, which has watched bytes. */
RFI_INLINE rfi_unit *rfi_plain_unit(rfi_plain *p, uintptr_t at) {
    void **place = rfi_shadow_at(&p->shadow, at / RFI_GRANULE);
    if (RFI_UNLIKELY((uintptr_t)*place & 1)) *place = rfi_plain_units(p, rfi_watched(*place));
    return &((rfi_units *)*place)->unit[at / RFI_UNIT_BYTES % 2];
}

/* The same, for an access: its history ends with what is in memory. */
RFI_FN rfi_unit *rfi_plain_meet(rfi_core *c, rfi_plain *p, uintptr_t at) {
    rfi_unit *u = rfi_plain_unit(p, at);
    bool same = u->count;
    for (unsigned i = 0; same && i < RFI_UNIT_BYTES; i++)
        if (u->watched >> i & 1) same = u->newest[i] == *(const uint8_t *)(at + i);
    if (RFI_LIKELY(same)) return u;
    if (u->count) {
        c->report.flags |= RF_MEM_UNANNOUNCED;
        rfi_unit_forget(&p->writes, u, u->watched);
    }
    rfi_unit_begin(&p->writes, u, at, u->watched);
    return u;
}

RFI_FN void rfi_plain_watch(rfi_core *c, rfi_plain *p, uintptr_t addr, size_t size) {
    if (!size) return;
    for (uintptr_t g = addr / RFI_GRANULE; g <= (addr + size - 1) / RFI_GRANULE; g++) {
        void **place = rfi_shadow_at(&p->shadow, g);
        uint8_t before = rfi_watched(*place);
        uint8_t bytes = before | rfi_shadow_mask(g, addr, addr + size);
        p->granules += !before;
        if (!*place || (uintptr_t)*place & 1) {
            *place = rfi_watched_word(bytes);
            continue;
        }
        for (unsigned i = 0; i < 2; i++) {
            rfi_unit *u = &((rfi_units *)*place)->unit[i];
            uint8_t more = (uint8_t)(bytes >> i * RFI_UNIT_BYTES & 15 & ~u->watched);
            u->watched |= more;
            if (more && u->count) {
                rfi_unit_begin(&p->writes, u, g * RFI_GRANULE + i * RFI_UNIT_BYTES, more);
                rfi_unit_bound(c, &p->writes, u);
            }
        }
    }
}

RFI_FN void rfi_plain_watch_array(rfi_core *c, rfi_plain *p, uintptr_t base, size_t element,
                                  size_t count) {
    for (unsigned i = 0; i < 32 && i < count; i++)
        if (c->options.sample >> i & 1) rfi_plain_watch(c, p, base + i * element, element);
}

/* Is a byte of the range watched? */
RFI_INLINE bool rfi_plain_watched(rfi_plain *p, uintptr_t addr, size_t size) {
    if (!p->granules || !size) return false;
    RFI_EACH_GRANULE(&p->shadow, g, addr, addr + size)
    if (rfi_watched(rfi_shadow_get(&p->shadow, g)) & rfi_shadow_mask(g, addr, addr + size))
        return true;
    return false;
}

RFI_FN void rfi_plain_forget(rfi_plain *p, uintptr_t addr, size_t size) {
    if (!p->granules || !size) return;
    RFI_EACH_GRANULE(&p->shadow, g, addr, addr + size) {
        void **place = rfi_shadow_at(&p->shadow, g);
        uint8_t gone = rfi_shadow_mask(g, addr, addr + size);
        uint8_t rest = rfi_watched(*place) & (uint8_t)~gone;
        p->granules -= !rest;
        if ((uintptr_t)*place & 1) {
            *place = rfi_watched_word(rest);
            continue;
        }
        rfi_units *x = *place;
        for (unsigned i = 0; i < 2; i++) {
            rfi_unit *u = &x->unit[i];
            rfi_unit_forget(&p->writes, u, gone >> i * RFI_UNIT_BYTES & 15);
            u->watched &= (uint8_t)(rest >> i * RFI_UNIT_BYTES);
        }
        if (rest) continue;
        x->next = p->spare_units;
        p->spare_units = x;
        *place = NULL;
    }
}

/* How many writes of the unit that contains `addr` are kept. */
RFI_FN uint32_t rfi_plain_history(const rfi_plain *p, uintptr_t addr) {
    const uint64_t *r = rfi_map_find(&p->shadow.regions, addr / RFI_GRANULE / RFI_REGION);
    if (!r) return 0;
    const rfi_region *region = (const rfi_region *)(uintptr_t)*r;
    const void *at = region->at[addr / RFI_GRANULE % RFI_REGION];
    if (!at || (uintptr_t)at & 1) return 0;
    return ((const rfi_units *)at)->unit[addr / RFI_UNIT_BYTES % 2].count;
}

/* ---- what a thread may see ---- */

/* The bytes of [from, to) in the view. */
RFI_INLINE uint64_t rfi_view_bits(const rfi_view *v, uintptr_t from, uintptr_t to) {
    uint64_t low = from > v->base ? from - v->base : 0, high = to > v->base ? to - v->base : 0;
    if (high > RFI_VIEW_BYTES) high = RFI_VIEW_BYTES;
    return low < high ? UINT64_MAX << low & UINT64_MAX >> (RFI_VIEW_BYTES - high) : 0;
}

RFI_FN void rfi_view_add(rfi_plain *p, const rfi_piece *x, uint8_t sees, unsigned shift) {
    uint32_t i = p->sources;
    while (i && p->source[i - 1].write->serial > x->write->serial) i--;
    rfi_source *s = i ? &p->source[i - 1] : NULL;
    if (!s || s->write != x->write) {
        p->source = rfi_arena_room(&p->shadow.arena, p->source, p->sources, &p->source_capacity,
                                   sizeof *p->source);
        s = &p->source[i];
        memmove(s + 1, s, (p->sources++ - i) * sizeof *s);
        s->write = x->write;
        s->covers = s->sees = s->given = 0;
    }
    s->covers |= (uint64_t)x->bytes << shift;
    s->sees |= (uint64_t)sees << shift;
    memcpy(s->value + shift, x->value, RFI_UNIT_BYTES);
}

/* All that thread `t` may see of the bytes from .. to-1 between v->base and `end`. */
RFI_FN void rfi_view_open(rfi_core *c, rfi_plain *p, rfi_view *v, uint32_t t, uintptr_t from,
                          uintptr_t to, uintptr_t end) {
    uint8_t sees[RFI_PIECES];
    p->sources = 0;
    v->wanted = v->known = 0;
    for (uintptr_t at = v->base; at < end; at = rfi_plain_next(p, at + RFI_UNIT_BYTES, end)) {
        rfi_unit *u = rfi_plain_meet(c, p, at);
        unsigned shift = (unsigned)(at - v->base);
        uint8_t wanted = (uint8_t)(rfi_view_bits(v, from, to) >> shift & u->watched);
        if (!wanted) continue;
        const rfi_actor *a = rfi_actor_of(&c->threads, t);
        rfi_unit_visible(u, t, a, sees);
        bool hidden = false;
        for (uint32_t i = 0; i < u->count; i++) hidden |= !sees[i];
        if (hidden && (u->asked_by != t || u->asked_at != a->version)) {
            rfi_unit_collect(c, &p->writes, u);
            rfi_unit_visible(u, t, a, sees);
            u->asked_by = t;
            u->asked_at = a->version;
        }
        for (uint32_t i = 0; i < u->count; i++)
            if (u->piece[i].bytes & wanted) rfi_view_add(p, &u->piece[i], sees[i], shift);
        v->wanted |= (uint64_t)wanted << shift;
        v->known |= (uint64_t)u->known << shift;
        v->unit[shift / RFI_UNIT_BYTES] = u;
        memcpy(v->last + shift, u->last, RFI_UNIT_BYTES);
    }
    for (uint32_t i = 0; i < p->sources; i++) {
        rfi_source *s = &p->source[i];
        s->covers |= rfi_view_bits(v, s->write->from, s->write->to);
        s->covers &= v->wanted;
    }
}

/* Can sources older than `i` give all the bytes `left`?  To take the newest that fits is never a
 * mistake: whatever others could give without it, they can give beside it. */
RFI_FN bool rfi_view_fills(const rfi_plain *p, uint64_t left, uint32_t i) {
    while (left && i-- > 0) {
        uint64_t gives = p->source[i].covers & left;
        if (!(gives & ~p->source[i].sees)) left &= ~gives;
    }
    return !left;
}

/* The sources that can be the newest one in what is returned of `left`, newest first; if there are
 * more than 64, the newest and the 63 oldest. */
RFI_FN uint32_t rfi_view_tops(const rfi_plain *p, uint64_t left, uint32_t below, uint32_t *top) {
    uint32_t n = 0;
    for (uint32_t i = below; i-- > 0;) {
        uint64_t gives = p->source[i].covers & left;
        if (!gives || gives & ~p->source[i].sees) continue;
        if (!rfi_view_fills(p, left & ~gives, i)) break; /* nor can anything older */
        if (n == 64) memmove(&top[1], &top[2], (--n - 1) * sizeof *top);
        top[n++] = i;
    }
    return n;
}

/* Is what it would give of `left` something else than what was returned before? */
RFI_FN bool rfi_view_differs(const rfi_view *v, const rfi_source *s, uint64_t left) {
    for (uint64_t rest = s->covers & left; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctzll(rest);
        if (!(v->known >> i & 1) || v->last[i] != s->value[i]) return true;
    }
    return false;
}

RFI_INLINE bool rfi_pick_wants_other(rf_heuristic pick) {
    return pick == RF_PICK_OLDEST_DIFFERENT || pick == RF_PICK_RANDOM_DIFFERENT;
}

/* Chooses what to return of the whole view, and takes the bytes `part` of it.  `avoid`: a source
 * that shall not come first if there is another.  Returns the first one. */
RFI_FN uint32_t rfi_view_choose(rfi_core *c, rfi_plain *p, const rfi_view *v, rf_heuristic pick,
                                uint64_t part, uint32_t avoid) {
    uint32_t top[64], first = UINT32_MAX, below = p->sources;
    for (uint64_t left = v->wanted; left;) {
        uint32_t n = rfi_view_tops(p, left, below, top);
        rfi_ages all = UINT64_MAX >> (64 - n), different = 0;
        if (n > c->report.visible) c->report.visible = n;
        for (uint32_t k = 0; k < n && n > 1; k++) {
            uint32_t i = top[n - 1 - k];
            if (i == avoid)
                all &= ~(UINT64_C(1) << k);
            else if (rfi_pick_wants_other(pick) && rfi_view_differs(v, &p->source[i], left))
                different |= UINT64_C(1) << k;
        }
        below = top[n - 1 - rfi_core_pick(c, pick, all, different)];
        rfi_source *s = &p->source[below];
        s->given |= s->covers & left & part;
        left &= ~s->covers;
        if (first == UINT32_MAX) first = below;
        avoid = UINT32_MAX;
    }
    return first;
}

/* Section 5.2: a wide value is torn when there are two writes to tear it from, unless the
 * heuristic meant the newest.  Here only one time in two: a whole old value harms too. */
RFI_FN void rfi_view_tear(rfi_core *c, rfi_plain *p, const rfi_view *v, rf_heuristic pick) {
    uint32_t units = (63 - (uint32_t)__builtin_clzll(v->wanted)) / RFI_UNIT_BYTES + 1;
    if (p->sources < 2 || units < 2 || pick == RF_PICK_NEWEST || rfi_coin(&c->chance)) {
        rfi_view_choose(c, p, v, pick, UINT64_MAX, UINT32_MAX);
        return;
    }
    unsigned split = RFI_UNIT_BYTES * (1 + rfi_core_choose(c, units - 1));
    uint64_t part = rfi_coin(&c->chance) ? UINT64_MAX << split : ~(UINT64_MAX << split);
    uint32_t first = rfi_view_choose(c, p, v, pick, part, UINT32_MAX);
    bool newest = first == p->sources - 1;
    if (newest &&
        (pick == RF_PICK_RECENT ||
         (rfi_pick_wants_other(pick) && !rfi_view_differs(v, &p->source[first], v->wanted)))) {
        for (uint32_t i = 0; i < p->sources; i++) p->source[i].given = 0;
        rfi_view_choose(c, p, v, RF_PICK_NEWEST, UINT64_MAX, UINT32_MAX);
    } else
        rfi_view_choose(c, p, v, pick, ~part, first);
}

/* ---- reads ---- */

/* The bytes that it wrote of the unit of the first byte in `at`, the lowest first. */
RFI_FN uint64_t rfi_source_value(const rfi_source *s, uint64_t at) {
    unsigned begin = (unsigned)__builtin_ctzll(at) & ~(RFI_UNIT_BYTES - 1u), n = 0;
    uint64_t value = 0;
    for (unsigned i = begin; i < begin + RFI_UNIT_BYTES; i++)
        if (s->covers >> i & 1) value |= (uint64_t)s->value[i] << 8 * n++;
    return value;
}

RFI_FN rf_mem_origin rfi_write_origin(const rfi_write *w, uint64_t value) {
    return (rf_mem_origin){w->thread, w->order, w->tag, value};
}

/* Hands out what was chosen, and notes where it came from. */
RFI_FN void rfi_view_close(rfi_plain *p, const rfi_view *v, uintptr_t from, char *out) {
    for (uint32_t i = 0; i < p->sources; i++) {
        const rfi_source *s = &p->source[i];
        if (!s->given) continue;
        p->taken = rfi_arena_room(&p->shadow.arena, p->taken, p->takens, &p->taken_capacity,
                                  sizeof *p->taken);
        rfi_taken *x = &p->taken[p->takens++];
        *x = (rfi_taken){s->write, v->base, s->given, rfi_source_value(s, s->given), 0};
        for (uint32_t k = i + 1; k < p->sources; k++)
            x->hidden += (p->source[k].covers & s->given) != 0;
        for (uint64_t rest = s->given; rest; rest &= rest - 1) {
            unsigned b = (unsigned)__builtin_ctzll(rest);
            rfi_unit *u = v->unit[b / RFI_UNIT_BYTES];
            u->known |= (uint8_t)(1u << b % RFI_UNIT_BYTES);
            u->last[b % RFI_UNIT_BYTES] = s->value[b];
            out[v->base + b - from] = (char)s->value[b];
        }
    }
}

/* A write that is seen in part: it covers bytes that were taken from the older `x`. */
RFI_FN const rfi_taken *rfi_plain_torn(const rfi_plain *p, const rfi_taken *x) {
    rfi_view v = {.base = x->base};
    for (uint32_t i = 0; i < p->takens; i++) {
        const rfi_write *w = p->taken[i].write;
        if (w->serial > x->write->serial && rfi_view_bits(&v, w->from, w->to) & x->given)
            return &p->taken[i];
    }
    return NULL;
}

RFI_FN void rfi_plain_tell(rfi_core *c, const rfi_plain *p) {
    rf_mem_report *r = &c->report;
    const rfi_taken *from = &p->taken[0], *other = NULL;
    for (uint32_t i = 0; i < p->takens && !other; i++) {
        const rfi_taken *x = &p->taken[i];
        if (!x->hidden) continue;
        other = rfi_plain_torn(p, x);
        if (other || !from->hidden || x->write->serial < from->write->serial) from = x;
    }
    if (from->hidden) r->flags |= RF_MEM_STALE;
    if (other) r->flags |= RF_MEM_TORN;
    r->hidden = from->hidden;
    r->from = rfi_write_origin(from->write, from->value);
    if (other) r->other = rfi_write_origin(other->write, other->value);
}

/* The thread's count of misses at the unit; `make`: if there is none, one is made. */
RFI_FN uint32_t *rfi_unit_misses(rfi_core *c, rfi_plain *p, rfi_unit *u, uint32_t t, bool make) {
    uint32_t unused = u->missing;
    for (uint32_t i = 0; i < u->missing; i++) {
        if (u->misses[i].thread == t) return &u->misses[i].count;
        if (rfi_actor_of(&c->threads, u->misses[i].thread)->ended) unused = i;
    }
    if (!make) return NULL;
    if (unused == u->missing) {
        u->misses = rfi_arena_room(&p->shadow.arena, u->misses, u->missing, &u->missing_capacity,
                                   sizeof *u->misses);
        u->missing++;
    }
    u->misses[unused] = (rfi_misses){t, 0};
    return &u->misses[unused].count;
}

/* The report was begun; what is not watched comes from memory. */
RFI_FN void rfi_plain_load(rfi_core *c, rfi_plain *p, const rf_mem_access *a, void *out) {
    uintptr_t from = (uintptr_t)a->addr, to = from + a->size, next;
    bool enumerates = c->options.choose != NULL,
         tears = a->size >= 8 && !a->whole && !c->options.whole;
    uintptr_t step = enumerates && tears ? RFI_UNIT_BYTES : RFI_VIEW_BYTES;
    rf_heuristic pick = c->plain_pick;
    rfi_unit *home = NULL; /* where misses are counted */
    uint64_t newest = 0;
    rfi_view v;
    memcpy(out, (const void *)from, a->size);
    rfi_actor_of(&c->threads, a->thread);
    p->takens = 0;
    for (v.base = from & ~(uintptr_t)(RFI_UNIT_BYTES - 1);
         (v.base = rfi_plain_next(p, v.base, to)) < to; v.base = next) {
        next = v.base + step;
        rfi_view_open(c, p, &v, a->thread, from, to, next < to ? next : to);
        if (!v.wanted) continue;
        if (!home && !enumerates) {
            home = v.unit[__builtin_ctzll(v.wanted) / RFI_UNIT_BYTES];
            uint32_t *misses = rfi_unit_misses(c, p, home, a->thread, false);
            if (misses && *misses >= c->options.fairness) {
                pick = RF_PICK_NEWEST;
                c->report.flags |= RF_MEM_FORCED;
            }
        }
        if (tears && !enumerates)
            rfi_view_tear(c, p, &v, pick);
        else
            rfi_view_choose(c, p, &v, pick, UINT64_MAX, UINT32_MAX);
        rfi_view_close(p, &v, from, out);
        const rfi_source *s = &p->source[p->sources - 1];
        if (s->write->serial <= newest) continue;
        newest = s->write->serial;
        c->report.newest = rfi_write_origin(s->write, rfi_source_value(s, s->covers));
    }
    if (!p->takens) return;
    rfi_plain_tell(c, p);
    if (c->report.visible < 2) c->report.flags &= ~(unsigned)RF_MEM_FORCED;
    if (!home) return;
    bool stale = c->report.flags & RF_MEM_STALE;
    uint32_t *misses = rfi_unit_misses(c, p, home, a->thread, stale);
    if (misses) *misses = stale ? *misses + 1 : 0;
}

/* ---- writes ---- */

/* In this unit, `old` can be dropped in favour of the write that is the newest here (GC2). */
RFI_FN bool rfi_unit_repeats(const rfi_unit *u, const rfi_write *old) {
    const rfi_piece *y = &u->piece[u->count - 1];
    for (uint32_t i = u->count - 1; i-- > 0;) {
        const rfi_piece *x = &u->piece[i];
        if (x->write == old) {
            for (unsigned b = 0; b < RFI_UNIT_BYTES; b++)
                if (y->bytes >> b & 1 && x->value[b] != y->value[b]) return false;
            return true;
        }
        /* One that can be seen together with a part of the old write, but not of the new one. */
        if (x->bytes & y->bytes && (x->write->from > old->from || x->write->to < old->to))
            return false;
    }
    return false;
}

/* GC2: an older write of the same bytes, value and clock.  Whoever sees it can see `w` instead. */
RFI_FN void rfi_plain_repeated(rfi_plain *p, const rfi_write *w) {
    uintptr_t begin = rfi_plain_next(p, w->from & ~(uintptr_t)(RFI_UNIT_BYTES - 1), w->to), at;
    const rfi_unit *first = rfi_plain_unit(p, begin);
    for (uint32_t i = first->count - 1; i-- > 0;) {
        const rfi_write *old = first->piece[i].write;
        if (old->from != w->from || old->to != w->to || !rfi_write_same_clock(old, w)) continue;
        for (at = begin; at < w->to; at = rfi_plain_next(p, at + RFI_UNIT_BYTES, w->to))
            if (!rfi_unit_repeats(rfi_plain_unit(p, at), old)) break;
        if (at < w->to) continue;
        for (at = begin; at < w->to; at = rfi_plain_next(p, at + RFI_UNIT_BYTES, w->to)) {
            rfi_unit *u = rfi_plain_unit(p, at);
            uint8_t keep[RFI_PIECES];
            for (uint32_t k = 0; k < u->count; k++) keep[k] = u->piece[k].write != old;
            rfi_unit_sweep(&p->writes, u, keep);
        }
        return;
    }
}

RFI_FN void rfi_plain_store(rfi_core *c, rfi_plain *p, const rf_mem_access *a, const void *in) {
    uintptr_t from = (uintptr_t)a->addr, to = from + a->size, at;
    uintptr_t begin = from & ~(uintptr_t)(RFI_UNIT_BYTES - 1);
    rfi_write *w = NULL;
    rfi_actor_of(&c->threads, a->thread);
    for (at = begin; (at = rfi_plain_next(p, at, to)) < to; at += RFI_UNIT_BYTES)
        rfi_plain_meet(c, p, at);
    memmove((void *)from, in, a->size);
    for (at = begin; (at = rfi_plain_next(p, at, to)) < to; at += RFI_UNIT_BYTES) {
        rfi_unit *u = rfi_plain_unit(p, at);
        rfi_view v = {.base = at};
        uint8_t value[RFI_UNIT_BYTES], bytes = (uint8_t)(rfi_view_bits(&v, from, to) & u->watched);
        if (!bytes) continue;
        if (!w) {
            const rfi_actor *actor = rfi_actor_of(&c->threads, a->thread);
            w = rfi_write_new(&p->writes);
            w->from = from;
            w->to = to;
            w->thread = a->thread;
            w->own = actor->own;
            w->order = a->order;
            w->tag = a->tag;
            rfi_clock_copy(&w->clock, &actor->clock, &p->shadow.arena);
        }
        for (unsigned i = 0; i < RFI_UNIT_BYTES; i++)
            if (bytes >> i & 1) value[i] = *(const uint8_t *)(at + i);
        rfi_unit_append(&p->writes, u, w, value, bytes);
    }
    if (!w) return;
    rfi_plain_repeated(p, w);
    for (at = begin; (at = rfi_plain_next(p, at, to)) < to; at += RFI_UNIT_BYTES) {
        rfi_unit *u = rfi_plain_unit(p, at);
        rfi_unit_collect(c, &p->writes, u);
        rfi_unit_bound(c, &p->writes, u);
    }
}
#endif
#endif
