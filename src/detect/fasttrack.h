/* detect/fasttrack.h: FastTrack (Flanagan and Freund, PLDI 2009, section 3).
 *
 * The relation is that of detect/hb.h.  A byte keeps its last write as an epoch (a thread and its
 * own clock then), and its reads since then as an epoch while each is ordered after the one before,
 * otherwise as a table with the last read of each thread.  So an access compares one or two numbers
 * however many threads there are.  With each epoch goes the statement.
 *
 * Beyond the paper: C11 has atomics, which race with plain accesses but not with each other, and
 * may be unordered without end.  They have tables of their own: atomic reads, atomic writes.  And
 * every plain write forgets what it has been compared with, not only READ SHARED ones: what comes
 * later and is ordered after the write is ordered after that too.
 *
 * Guarantee: no false alarm; a byte that some pair of accesses races on is reported, at the first
 * access that races (tests/detect_random.c).  Not all pairs: what lies behind the last access is
 * not compared any more; detect/hb.h does that.
 * Optimised: fully, each access runs it.
 */
#ifndef RFI_DETECT_FASTTRACK_H
#define RFI_DETECT_FASTTRACK_H
#include "detect/cells.h"
#include "detect/places.h"

#ifdef RFI_IMPL
/* The last accesses of some threads: a hash table by thread number, at most half full, in which the
 * numbers of neighbours are neighbours. */
typedef struct rfi_reader {
    uint32_t thread; /* + 1; 0: free */
    rfi_when when;
} rfi_reader;

typedef struct rfi_readers {
    rfi_reader *slot;
    uint32_t size, count; /* size: a power of two, or 0 */
} rfi_readers;

enum { RFI_SET_READS, RFI_SET_ATOMIC_READS, RFI_SET_ATOMIC_WRITES, RFI_SETS };

/* What an rfi_cell's `more` numbers: cells that need no table have none (0). */
typedef struct rfi_read_sets {
    rfi_readers set[RFI_SETS];
    uint32_t spare; /* + 1 */
} rfi_read_sets;

enum { RFI_WRITE, RFI_READ }; /* of rfi_cell's `when` */

typedef struct rfi_fasttrack {
    rfi_cells cells;
    rfi_read_sets *sets;
    uint32_t sets_count, sets_capacity, sets_spare;
} rfi_fasttrack;

RFI_FN void rfi_fasttrack_cut(rfi_cell *copy);
RFI_FN void rfi_fasttrack_drop(rfi_cell *c);
RFI_VAR const rf_analysis rfi_fasttrack_analysis;
RFI_VAR rfi_fasttrack rfi_fasttrack_state = {
    .cells = {.cut = rfi_fasttrack_cut, .drop = rfi_fasttrack_drop}};

/* ---- tables ---- */

RFI_INLINE rfi_reader *rfi_reader_at(const rfi_readers *s, uint32_t thread) {
    uint32_t i = thread & (s->size - 1);
    while (s->slot[i].thread && s->slot[i].thread != thread + 1) i = (i + 1) & (s->size - 1);
    return &s->slot[i];
}

RFI_FN RFI_COLD void rfi_readers_grow(rfi_readers *s, uint32_t size) {
    rfi_readers bigger = {.size = size, .count = s->count};
    bigger.slot =
        rfi_arena_take(&rfi_fasttrack_state.cells.shadow.arena, bigger.size * sizeof *bigger.slot);
    for (uint32_t i = 0; i < s->size; i++)
        if (s->slot[i].thread) *rfi_reader_at(&bigger, s->slot[i].thread - 1) = s->slot[i];
    *s = bigger;
}

RFI_INLINE void rfi_readers_put(rfi_readers *s, uint32_t thread, rfi_when when) {
    if (RFI_UNLIKELY(s->count * 2 >= s->size)) rfi_readers_grow(s, s->size ? s->size * 2 : 4);
    rfi_reader *r = rfi_reader_at(s, thread);
    if (!r->thread) {
        r->thread = thread + 1;
        s->count++;
    }
    r->when = when;
}

RFI_INLINE void rfi_readers_clear(rfi_readers *s) {
    if (s->count) memset(s->slot, 0, s->size * sizeof *s->slot);
    s->count = 0;
}

/* The tables of a cell. */
RFI_FN rfi_readers *rfi_cell_sets(rfi_cell *c) {
    rfi_fasttrack *f = &rfi_fasttrack_state;
    if (!c->more) {
        if (f->sets_spare) {
            c->more = f->sets_spare;
            f->sets_spare = f->sets[c->more - 1].spare;
        } else {
            c->more = ++f->sets_count;
            f->sets = rfi_grow(f->sets, &f->sets_capacity, c->more, sizeof *f->sets);
            f->sets[c->more - 1] = (rfi_read_sets){0};
        }
    }
    return f->sets[c->more - 1].set;
}

/* Spare tables keep their memory. */
RFI_FN void rfi_fasttrack_drop(rfi_cell *c) {
    rfi_fasttrack *f = &rfi_fasttrack_state;
    if (!c->more) return;
    for (unsigned i = 0; i < RFI_SETS; i++) rfi_readers_clear(&f->sets[c->more - 1].set[i]);
    f->sets[c->more - 1].spare = f->sets_spare;
    f->sets_spare = c->more;
    c->more = 0;
}

RFI_FN void rfi_fasttrack_cut(rfi_cell *copy) {
    uint32_t from = copy->more;
    if (!from) return;
    copy->more = 0;
    rfi_readers *to = rfi_cell_sets(copy);
    const rfi_readers *of = rfi_fasttrack_state.sets[from - 1].set;
    for (unsigned i = 0; i < RFI_SETS; i++)
        for (uint32_t k = 0; k < of[i].size; k++)
            if (of[i].slot[k].thread)
                rfi_readers_put(&to[i], of[i].slot[k].thread - 1, of[i].slot[k].when);
}

/* ---- one access to one cell ---- */

/* The access that executes. */
typedef struct rfi_epoch {
    rfi_when when;
    uint32_t thread;
    const rfi_clock *clock;
    uintptr_t granule;
    bool atomic, writes;
} rfi_epoch;

/* Is `a` ordered before the access? */
RFI_INLINE bool rfi_epoch_before(rfi_when a, const rfi_epoch *now) {
    if (!a.k) return true;
    uint32_t t = rfi_place_at(a.place)->thread;
    return t == now->thread || a.k <= rfi_clock_get(now->clock, t);
}

RFI_INLINE void rfi_epoch_check(rfi_when a, const rfi_epoch *now, const rfi_cell *c) {
    if (RFI_LIKELY(rfi_epoch_before(a, now))) return;
    uintptr_t addr = now->granule * RFI_GRANULE + (unsigned)__builtin_ctz(c->mask);
    rfi_place_report(&rfi_fasttrack_analysis, a.place, now->when.place, addr, true);
}

RFI_FN void rfi_epoch_check_set(const rfi_readers *s, const rfi_epoch *now, const rfi_cell *c) {
    if (!s->count) return;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->slot[i].thread) rfi_epoch_check(s->slot[i].when, now, c);
}

/* Checks an access against what conflicts with it. */
RFI_INLINE void rfi_cell_check(const rfi_cell *c, const rfi_epoch *now) {
    const rfi_readers *set = c->more ? rfi_fasttrack_state.sets[c->more - 1].set : NULL;
    rfi_epoch_check(c->when[RFI_WRITE], now, c);
    if (now->writes) rfi_epoch_check(c->when[RFI_READ], now, c);
    if (RFI_LIKELY(!set)) return;
    if (now->writes) rfi_epoch_check_set(&set[RFI_SET_READS], now, c);
    if (now->atomic) return;
    rfi_epoch_check_set(&set[RFI_SET_ATOMIC_WRITES], now, c);
    if (now->writes) rfi_epoch_check_set(&set[RFI_SET_ATOMIC_READS], now, c);
}

/* READ SHARED, READ EXCLUSIVE, READ SHARE. */
RFI_INLINE void rfi_cell_read(rfi_cell *c, const rfi_epoch *now) {
    rfi_when *last = &c->when[RFI_READ];
    bool shared = c->more && rfi_fasttrack_state.sets[c->more - 1].set[RFI_SET_READS].count;
    if (RFI_LIKELY(!shared && rfi_epoch_before(*last, now))) {
        *last = now->when;
        return;
    }
    rfi_readers *reads = &rfi_cell_sets(c)[RFI_SET_READS];
    if (last->k) rfi_readers_put(reads, rfi_place_at(last->place)->thread, *last);
    *last = (rfi_when){0};
    rfi_readers_put(reads, now->thread, now->when);
}

/* What an access leaves behind. */
RFI_INLINE void rfi_cell_record(rfi_cell *c, const rfi_epoch *now) {
    if (now->atomic) {
        unsigned which = now->writes ? RFI_SET_ATOMIC_WRITES : RFI_SET_ATOMIC_READS;
        rfi_readers_put(&rfi_cell_sets(c)[which], now->thread, now->when);
    } else if (now->writes) {
        c->when[RFI_WRITE] = now->when;
        c->when[RFI_READ] = (rfi_when){0};
        if (RFI_UNLIKELY(c->more)) rfi_fasttrack_drop(c);
    } else {
        rfi_cell_read(c, now);
    }
}

/* READ SAME EPOCH, WRITE SAME EPOCH: the thread has made this access since it last sent anything,
 * and everything that conflicts with it came earlier or was reported. */
RFI_INLINE bool rfi_cell_same_epoch(const rfi_cell *c, uint32_t thread, uint32_t own, bool writes) {
    rfi_when w = c->when[writes ? RFI_WRITE : RFI_READ];
    if (RFI_LIKELY(w.k == own)) return rfi_place_at(w.place)->thread == thread;
    if (writes || !c->more) return false;
    const rfi_readers *reads = &rfi_fasttrack_state.sets[c->more - 1].set[RFI_SET_READS];
    if (!reads->count) return false;
    const rfi_reader *r = rfi_reader_at(reads, thread);
    return r->thread && r->when.k == own;
}

RFI_INLINE void rfi_fasttrack_cell(rfi_cell *c, const rfi_epoch *now) {
    rfi_cell_check(c, now);
    rfi_cell_record(c, now);
}

/* An access to bytes of which some are in cells with others, or in none. */
RFI_FN RFI_APART void rfi_fasttrack_pieces(const rfi_epoch *now, void **place, uint8_t mask) {
    rfi_cells *d = &rfi_fasttrack_state.cells;
    rfi_cells_cut(d, place, mask);
    for (rfi_cell *c = *place; (c = rfi_cell_within(c, mask)); c = c->next)
        rfi_fasttrack_cell(c, now);
    if (now->writes && !now->atomic) rfi_cells_unite(d, *place, mask);
}

RFI_FN void rfi_fasttrack_access(const rf_event *e) {
    const rfi_actor *a = rfi_track_actor(RFI_FULL, e->thread);
    rfi_epoch now = {.when = {a->own, 0},
                     .thread = e->thread,
                     .clock = &a->clock,
                     .atomic = e->flags & RF_EV_ATOMIC,
                     .writes = e->flags & RF_EV_WRITES};
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        now.granule = g;
        uint8_t mask = rfi_shadow_mask(g, from, to);
        void **place = rfi_shadow_part(&rfi_fasttrack_state.cells.shadow, &g, from, to);
        rfi_cell *c = rfi_cell_exact(*place, mask);
        if (c && !now.atomic && rfi_cell_same_epoch(c, now.thread, now.when.k, now.writes))
            continue;
        if (!now.when.place) now.when.place = rfi_place_of(e);
        if (RFI_LIKELY(c))
            rfi_fasttrack_cell(c, &now);
        else
            rfi_fasttrack_pieces(&now, place, mask);
    }
}

/* A plain access of one cell of which nothing is learned; false: perhaps something is. */
RFI_INLINE bool rfi_fasttrack_known(uint32_t thread, const void *addr, size_t size, bool writes) {
    const rfi_actors *actors = rfi_track_clocks(RFI_FULL);
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    const rfi_region *region = rfi_shadow_recent(&rfi_fasttrack_state.cells.shadow, granule);
    if (offset + size > RFI_GRANULE || thread >= actors->count || !region ||
        (writes && rfi_track_ends(granule)))
        return false;
    uint8_t mask = (uint8_t)(((1u << size) - 1) << offset);
    const rfi_cell *c = rfi_cell_exact(region->at[granule % RFI_REGION], mask);
    return c && rfi_cell_same_epoch(c, thread, actors->thread[thread].own, writes);
}

/* The same for a plain access of one cell, without an event.  What is rare stands apart and is
 * called last, so that the rest needs no stack. */
RFI_FN bool rfi_fasttrack_lane(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                               bool writes);

RFI_FN RFI_APART bool rfi_fasttrack_far(uint32_t thread, const rf_site *site, const void *addr,
                                        size_t size, bool writes) {
    uintptr_t region = (uintptr_t)addr / RFI_GRANULE / RFI_REGION;
    return rfi_shadow_look(&rfi_fasttrack_state.cells.shadow, region) &&
           rfi_fasttrack_lane(thread, site, addr, size, writes);
}

RFI_FN RFI_APART bool rfi_fasttrack_news(uint32_t thread, const rf_site *site, const void *addr,
                                         size_t size, bool writes, rfi_cell *c) {
    const rfi_actor *a = &rfi_track_clocks(RFI_FULL)->thread[thread];
    uint16_t flags = writes ? RF_EV_WRITES : RF_EV_READS;
    rfi_epoch now = {.when = {a->own, rfi_place_now(site, thread, size, flags)},
                     .thread = thread,
                     .clock = &a->clock,
                     .granule = (uintptr_t)addr / RFI_GRANULE,
                     .writes = writes};
    rfi_fasttrack_cell(c, &now);
    return true;
}

RFI_FN bool rfi_fasttrack_lane(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                               bool writes) {
    const rfi_actors *actors = rfi_track_clocks(RFI_FULL);
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    if (offset + size > RFI_GRANULE || thread >= actors->count ||
        (writes && rfi_track_ends(granule)))
        return false;
    rfi_region *region = rfi_shadow_recent(&rfi_fasttrack_state.cells.shadow, granule);
    if (RFI_UNLIKELY(!region)) return rfi_fasttrack_far(thread, site, addr, size, writes);
    uint8_t mask = (uint8_t)(((1u << size) - 1) << offset);
    rfi_cell *c = rfi_cell_exact(region->at[granule % RFI_REGION], mask);
    if (RFI_UNLIKELY(!c)) return false;
    if (rfi_cell_same_epoch(c, thread, actors->thread[thread].own, writes)) return true;
    return rfi_fasttrack_news(thread, site, addr, size, writes, c);
}

/* ---- events ---- */

RFI_FN void rfi_fasttrack_memory(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr;
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE)
        rfi_cells_forget(&rfi_fasttrack_state.cells, from, from + e->size);
    else if (!(e->flags & RF_EV_RACY))
        rfi_fasttrack_access(e);
}

RFI_FN void rfi_fasttrack_begin(void) {
    rfi_fasttrack *f = &rfi_fasttrack_state;
    rfi_cells_begin(&f->cells);
    f->sets_count = f->sets_spare = 0;
    rfi_track_begin(&rfi_fasttrack_analysis, RFI_TRACK_FULL | RFI_TRACK_LOCKS);
    rfi_places_begin();
}

RFI_FN void rfi_fasttrack_event(const rf_event *e) {
    rfi_track_before(&rfi_fasttrack_analysis, e);
    if (rfi_track_memory(e) && e->size) rfi_fasttrack_memory(e);
    rfi_track_after(&rfi_fasttrack_analysis, e);
}

RFI_FN void rfi_fasttrack_end(void) {
    rfi_places_end();
    rfi_track_end();
}

RFI_VAR const rf_analysis rfi_fasttrack_analysis = {
    .name = "fasttrack",
    .help = "races of this very execution, the first of each location, at little cost",
    .events = RFI_TRACK_EVENTS,
    .begin = rfi_fasttrack_begin,
    .event = rfi_fasttrack_event,
    .end = rfi_fasttrack_end,
    .access = rfi_fasttrack_lane};
#endif
#endif
