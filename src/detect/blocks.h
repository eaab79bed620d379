/* detect/blocks.h: the blocks that should be atomic (RF_ATOMIC_BLOCK; with --blocks=locks outermost
 * critical sections too, with --blocks=functions and functions that lock, as CalFuzzer has it), and
 * when one was not.
 *
 * Every run of a block is an instance with its own memory of what it did at each place.  A place is
 * memory or a lock: taking a lock is an update of it, taking it for reading a read, so that letting
 * go of a lock and taking it again (Park and Sen, FSE 2008) and touching a variable twice are one
 * rule.  A violation is an operation of the instance, an operation of another thread after it, and
 * then a second one of the instance at the same place, in one of the four orders that no serial
 * execution has (Vaziri, Tip and Dolby, POPL 2006; Lu et al., ASPLOS 2006):
 *   R W' R   the second read sees another value
 *   W W' R   it does not see the own value
 *   R W' W   the write rests on a value that is gone, and overwrites the new one
 *   W R' W   the other thread saw a value of the middle
 * It is judged by what was read and overwritten, and not by the letters alone: a read that returns
 * the instance's own value (W R W' W) binds nothing, nor does a read of somebody else's (W W' R'
 * W). An exchange that fails gives up what the instance has read there: it will try again. Intended
 * races (RF_RACY_LOAD, RF_RACY_STORE) do not count.
 *
 * Guarantee: what is reported has happened, and no order of whole instances explains it.  What
 * needs two places (a read of one, then of another, between two writes) is not seen.
 *
 * Invariant: the cells of an instance at one place have disjoint bytes, each with one history.
 * An instance has at most RFI_BLOCK_CELLS cells: what it touches beyond them is not followed.
 * Nothing is done before the first block of an execution begins.
 */
#ifndef RFI_DETECT_BLOCKS_H
#define RFI_DETECT_BLOCKS_H
#include "engine/iface.h"
#include "mem/shadow.h"

#ifdef RFI_IMPL
# define RFI_BLOCK_CELLS 4096u

/* An operation, for reports. */
typedef struct rfi_doing {
    const rf_site *site;  /* NULL: there was none */
    const rf_site *start; /* where the thread took the first of the locks it holds; else `site` */
    uint64_t time;        /* of the tracker; of a section: when its lock was released */
    uint32_t thread, object, size;
    uint16_t flags;
    uint8_t kind;
} rfi_doing;

/* What an instance did at some bytes of a granule, or with a lock, and what others did since. */
typedef struct rfi_block_cell {
    struct rfi_block_cell *next;    /* at the same place */
    struct rfi_block_cell *sibling; /* of the same instance */
    struct rfi_instance *block;
    void **place;     /* NULL: forgotten */
    rfi_doing last;   /* its last operation, */
    rfi_doing read;   /* its last read of a value from outside, */
    rfi_doing write;  /* its last write */
    rfi_doing theirs; /* the write of another thread since `last` that is the newest of all */
    rfi_doing saw;    /* a read of another thread that returned what `write` wrote */
    uint8_t mask;     /* which bytes */
    bool mine;        /* what lies there is what `write` wrote */
} rfi_block_cell;

/* What tells the blocks of a thread apart: the lock of a critical section, the depth of a function,
 * 0 for a declared one. */
RFI_INLINE uint64_t rfi_block_number(const rf_event *e) {
    return e->object | (uint64_t)e->other << 32;
}

/* An instance. */
typedef struct rfi_instance {
    struct rfi_instance *outer; /* that it is in; among the spare ones: the next */
    const rf_site *site;
    uint64_t number; /* rfi_block_number */
    rfi_block_cell *cells;
    uint32_t thread, count;
    /* Of the reduction (atomizer.h). */
    rfi_doing commit;
    bool post, silent;
} rfi_instance;

typedef struct rfi_block_holding {
    const rf_site *site;
    uint64_t time; /* of its acquisition */
    uint32_t object;
    bool shared;
} rfi_block_holding;

typedef struct rfi_block_thread {
    rfi_instance *top;
    rfi_block_holding *held;
    uint32_t held_count, held_capacity;
} rfi_block_thread;

typedef struct rfi_violation {
    const rfi_instance *block; /* the innermost that it is one of */
    rfi_doing first, other, second;
    const rf_site *end; /* of the gap between first and second */
    const char *text;   /* why that is one */
} rfi_violation;

/* What another thread may not do between two operations of an instance. */
typedef struct rfi_window {
    const rfi_instance *block;
    rfi_doing first, second;
    const rf_site *end; /* of the gap between them */
    unsigned unwanted;  /* RF_EV_READS, RF_EV_WRITES */
    uint8_t mask;
} rfi_window;

typedef struct rfi_blocks {
    const void *driver;                       /* the user whose events count */
    void (*violated)(const rfi_violation *v); /* may be NULL */
    void (*window)(const rfi_window *w, rfi_shadow *s, uintptr_t at); /* may be NULL */
    bool on;                                                          /* a block has begun */
    uint64_t time;
    rfi_shadow memory, locks; /* granule, number of a lock -> rfi_block_cell list */
    rfi_arena arena;
    rfi_block_cell *spare_cell;
    rfi_instance *spare_block;
    rfi_block_thread *thread;
    uint32_t threads, capacity;
} rfi_blocks;

RFI_VAR rfi_blocks rfi_blocks_state;

/* clang-format off */
# define RFI_BLOCKS_EVENTS \
    (RF_EV_BIT(RF_EV_BLOCK) | RF_EV_BIT(RF_EV_BLOCK_END) | RF_EV_BIT(RF_EV_LOCK) | \
     RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | \
     RF_EV_BIT(RF_EV_RMW) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_ALLOC) | \
     RF_EV_BIT(RF_EV_RECYCLE) | RF_EV_BIT(RF_EV_EXIT))
/* clang-format on */

/* An execution begins, for one of those who use the tracker. */
RFI_FN void rfi_blocks_begin(const void *user) {
    rfi_blocks *d = &rfi_blocks_state;
    if (d->driver) return;
    d->driver = user;
    d->on = false;
    d->violated = NULL;
    d->window = NULL;
}

RFI_FN void rfi_blocks_end(const void *user) {
    if (rfi_blocks_state.driver == user) rfi_blocks_state.driver = NULL;
}

RFI_FN rfi_block_thread *rfi_blocks_thread(uint32_t t) {
    rfi_blocks *d = &rfi_blocks_state;
    d->thread = rfi_grow(d->thread, &d->capacity, t + 1, sizeof *d->thread);
    for (; d->threads <= t; d->threads++) {
        d->thread[d->threads].top = NULL;
        d->thread[d->threads].held_count = 0;
    }
    return &d->thread[t];
}

/* The innermost instance that a thread is in. */
RFI_INLINE rfi_instance *rfi_block_of(uint32_t t) {
    const rfi_blocks *d = &rfi_blocks_state;
    return d->on && t < d->threads ? d->thread[t].top : NULL;
}

/* ---- what threads hold ---- */

RFI_FN void rfi_blocks_hold(uint32_t t, uint32_t object, bool shared, const rf_site *site) {
    rfi_block_thread *w = rfi_blocks_thread(t);
    w->held = rfi_grow(w->held, &w->held_capacity, w->held_count + 1, sizeof *w->held);
    w->held[w->held_count++] = (rfi_block_holding){site, rfi_blocks_state.time, object, shared};
}

RFI_FN void rfi_blocks_unhold(uint32_t t, uint32_t object) {
    rfi_block_thread *w = rfi_blocks_thread(t);
    uint32_t i = w->held_count;
    while (i && w->held[i - 1].object != object) i--;
    if (!i) return;
    w->held_count--;
    for (; i <= w->held_count; i++) w->held[i - 1] = w->held[i];
}

/* The first block begins: from here on all is followed. */
RFI_FN RFI_COLD void rfi_blocks_start(void) {
    rfi_blocks *d = &rfi_blocks_state;
    enum { MOST = 64 };
    rf_lock lock[MOST];
    d->on = true;
    d->time = 0;
    d->threads = 0;
    d->spare_cell = NULL;
    d->spare_block = NULL;
    rfi_shadow_reset(&d->memory);
    rfi_shadow_reset(&d->locks);
    rfi_arena_reset(&d->arena);
    for (uint32_t t = 0; t < rf_threads(); t++) {
        uint32_t n = rf_thread_alive(t) ? rf_thread_locks(t, lock, MOST) : 0;
        for (uint32_t i = 0; i < n && i < MOST; i++)
            rfi_blocks_hold(t, lock[i].object, lock[i].shared, lock[i].site);
    }
}

/* ---- cells ---- */

RFI_FN rfi_block_cell *rfi_cell_new(rfi_instance *b, void **place, uint8_t mask) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_block_cell *c = d->spare_cell;
    if (c)
        d->spare_cell = c->next;
    else
        c = rfi_arena_take(&d->arena, sizeof *c);
    *c = (rfi_block_cell){
        .next = *place, .sibling = b->cells, .block = b, .place = place, .mask = mask};
    *place = b->cells = c;
    b->count++;
    return c;
}

/* Makes `c`, which has some of the bytes of `mask`, lose those that it has not: they get a cell
 * with the same history. */
RFI_FN void rfi_cell_split(rfi_block_cell *c, uint8_t mask) {
    uint8_t rest = (uint8_t)(c->mask & ~mask);
    if (!rest) return;
    rfi_block_cell *other = rfi_cell_new(c->block, c->place, rest), *next = other->next;
    rfi_block_cell *sibling = other->sibling;
    *other = *c;
    other->mask = rest;
    other->next = next;
    other->sibling = sibling;
    c->mask &= mask;
}

RFI_FN void rfi_cell_unlink(rfi_block_cell *c) {
    rfi_block_cell *list = *c->place;
    for (rfi_block_cell **link = &list; *link; link = &(*link)->next)
        if (*link == c) {
            *link = c->next;
            break;
        }
    *c->place = list;
    c->place = NULL;
}

/* ---- blocks ---- */

RFI_FN void rfi_block_enter(const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_block_thread *w = rfi_blocks_thread(e->thread);
    rfi_instance *b = d->spare_block;
    if (b)
        d->spare_block = b->outer;
    else
        b = rfi_arena_take(&d->arena, sizeof *b);
    *b = (rfi_instance){
        .outer = w->top, .site = e->site, .number = rfi_block_number(e), .thread = e->thread};
    w->top = b;
}

/* The innermost one with this number goes: blocks of several kinds may overlap. */
RFI_FN void rfi_block_leave(uint32_t t, uint64_t number) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_instance **link = &rfi_blocks_thread(t)->top, *b;
    while (*link && (*link)->number != number) link = &(*link)->outer;
    if (!(b = *link)) return;
    *link = b->outer;
    for (rfi_block_cell *c = b->cells, *next; c; c = next) {
        next = c->sibling;
        if (c->place) rfi_cell_unlink(c);
        c->next = d->spare_cell;
        d->spare_cell = c;
    }
    b->outer = d->spare_block;
    d->spare_block = b;
}

/* ---- the rule ---- */

RFI_FN rfi_doing rfi_doing_of(const rf_event *e, unsigned flags) {
    const rfi_block_thread *w = rfi_blocks_thread(e->thread);
    return (rfi_doing){.site = e->site,
                       .start = w->held_count ? w->held[0].site : e->site,
                       .time = rfi_blocks_state.time,
                       .thread = e->thread,
                       .object = e->object,
                       .size = (uint32_t)e->size,
                       .flags = (uint16_t)(flags | (e->flags & RF_EV_FREES)),
                       .kind = e->kind};
}

/* Where another thread must have come in, so that it stands between `first` and this operation: the
 * first lock that the thread took since then and still holds may keep it out later. */
RFI_FN const rf_site *rfi_gap_end(const rfi_doing *first, const rf_event *e) {
    const rfi_block_thread *w = rfi_blocks_thread(e->thread);
    for (uint32_t i = 0; i < w->held_count; i++)
        if (w->held[i].time > first->time) return w->held[i].site;
    return e->site;
}

/* Which operations of others, done now, would make an operation of these flags, done next by the
 * cell's thread, the second of a violation: since its last operation, or, for reads, since its last
 * write. */
RFI_FN unsigned rfi_cell_unwanted(const rfi_block_cell *c, unsigned flags) {
    unsigned unwanted = 0;
    if (flags & RF_EV_READS && c->last.site) unwanted |= RF_EV_WRITES;
    if (flags & RF_EV_WRITES && c->read.site) unwanted |= RF_EV_WRITES;
    if (flags & RF_EV_WRITES && c->write.site && c->mine) unwanted |= RF_EV_READS;
    return unwanted;
}

/* Is an operation of these flags now the second of a violation?  Then `v` says the others. */
RFI_FN bool rfi_cell_violated(const rfi_block_cell *c, unsigned flags, rfi_violation *v) {
    bool lock = c->last.kind == RF_EV_LOCK || c->last.kind == RF_EV_UNLOCK;
    const char *text = NULL;
    if (flags & RF_EV_READS && c->theirs.site) {
        v->first = c->last;
        v->other = c->theirs;
        text =
            lock ? "The block let go of the lock and took it again; another thread had it in "
                   "between."
            : c->last.flags & RF_EV_WRITES
                ? "Another thread overwrote what the block had written, before the block read it."
                : "The block read the same memory twice; another thread changed it in between.";
    } else if (flags & RF_EV_WRITES && c->theirs.site && c->read.site) {
        v->first = c->read;
        v->other = c->theirs;
        text = "Another thread wrote between the block's read and its write: that write is lost.";
    } else if (flags & RF_EV_WRITES && c->saw.site) {
        v->first = c->write;
        v->other = c->saw;
        text = lock ? "The block let go of the lock and took it again; another thread read in "
                      "between."
                    : "Another thread read what the block wrote before the block wrote again.";
    }
    v->text = text;
    return text;
}

/* Another thread's operation. */
RFI_FN void rfi_cell_other(rfi_block_cell *c, const rf_event *e, unsigned flags) {
    bool vain = e->flags & (RF_EV_STALE | RF_EV_HARMLESS); /* it did not see, or will try again */
    if (flags & RF_EV_READS && c->mine && !vain) c->saw = rfi_doing_of(e, flags);
    if (!(flags & RF_EV_WRITES)) return;
    c->theirs = rfi_doing_of(e, flags);
    c->mine = false;
}

/* The thread's own operation. */
RFI_FN void rfi_cell_own(rfi_block_cell *c, const rf_event *e, unsigned flags) {
    rfi_doing doing = rfi_doing_of(e, flags);
    if (flags & RF_EV_READS && !c->mine) c->read = doing;
    if (flags & RF_EV_WRITES) {
        c->write = doing;
        c->mine = true;
        c->saw.site = NULL;
    }
    c->last = doing;
    if (!(e->flags & RF_EV_STALE)) c->theirs.site = NULL;
}

/* The end of a critical section: another thread's can come from here on. */
RFI_FN void rfi_cell_released(rfi_block_cell *c, const rf_event *e, unsigned flags) {
    if (!c->last.site) rfi_cell_own(c, e, flags);
    c->last.time = rfi_blocks_state.time;
    if (flags & RF_EV_WRITES) c->write.time = rfi_blocks_state.time;
}

/* ---- operations at a place ---- */

/* One that may be the second of a violation or, if another thread comes in, might have been. */
RFI_FN void rfi_block_second(const rfi_block_cell *c, const rf_event *e, unsigned flags,
                             rfi_shadow *s, uintptr_t at, bool *told) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_violation v = {.block = c->block, .second = rfi_doing_of(e, flags)};
    bool current = !(e->flags & (RF_EV_STALE | RF_EV_HARMLESS));
    if (d->violated && !*told && current && rfi_cell_violated(c, flags, &v)) {
        v.end = rfi_gap_end(&v.first, e);
        d->violated(&v);
        *told = true;
    }
    if (!d->window || e->flags & RF_EV_HARMLESS) return;
    unsigned unwanted = rfi_cell_unwanted(c, flags);
    rfi_window w = {.block = c->block, .second = rfi_doing_of(e, flags), .mask = c->mask};
    for (unsigned bit = RF_EV_READS; bit <= RF_EV_WRITES; bit <<= 1) {
        if (!(w.unwanted = unwanted & bit)) continue;
        w.first = bit == RF_EV_READS ? c->write : c->last;
        w.end = rfi_gap_end(&w.first, e);
        d->window(&w, s, at);
    }
}

/* An instance's own operation at the bytes `mask` of a place. */
RFI_FN void rfi_block_own(rfi_instance *b, rfi_shadow *s, uintptr_t at, uint8_t mask,
                          const rf_event *e, unsigned flags, bool *told) {
    void **place = rfi_shadow_at(s, at);
    uint8_t rest = mask;
    for (rfi_block_cell *c = *place; c; c = c->next) {
        if (c->block != b || !(c->mask & mask)) continue;
        rest &= (uint8_t)~c->mask;
        rfi_cell_split(c, mask);
        if (e->kind == RF_EV_UNLOCK) {
            rfi_cell_released(c, e, flags);
            continue;
        }
        rfi_block_second(c, e, flags, s, at, told);
        rfi_cell_own(c, e, flags);
    }
    if (rest && b->count < RFI_BLOCK_CELLS) rfi_cell_own(rfi_cell_new(b, place, rest), e, flags);
}

RFI_FN void rfi_blocks_touch(rfi_shadow *s, uintptr_t at, uint8_t mask, const rf_event *e,
                             unsigned flags, bool *told) {
    for (rfi_block_cell *c = rfi_shadow_get(s, at); c && e->kind != RF_EV_UNLOCK; c = c->next) {
        if (c->block->thread == e->thread || !(c->mask & mask)) continue;
        rfi_cell_split(c, mask);
        rfi_cell_other(c, e, flags);
    }
    for (rfi_instance *b = rfi_block_of(e->thread); b; b = b->outer)
        rfi_block_own(b, s, at, mask, e, flags, told);
}

/* What taking a lock is to its place. */
RFI_INLINE unsigned rfi_lock_flags(const rf_event *e) {
    return e->flags & RF_EV_SHARED ? RF_EV_READS : RF_EV_READS | RF_EV_WRITES;
}

/* What an operation that does not only touch memory is to its place; 0: nothing. */
RFI_INLINE unsigned rfi_touch_flags(const rf_event *e) {
    if (e->kind == RF_EV_LOCK) return rfi_lock_flags(e);
    return e->flags & RF_EV_RACY ? 0 : e->flags & (RF_EV_READS | RF_EV_WRITES);
}

RFI_FN void rfi_blocks_memory(const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    unsigned flags = rfi_touch_flags(e);
    bool told = false;
    if (from == to || !flags) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; g < end; g++) {
        const rfi_instance *b = rfi_block_of(e->thread);
        if ((!b || b->count >= RFI_BLOCK_CELLS) && (g = rfi_shadow_next(&d->memory, g, end)) == end)
            break;
        rfi_blocks_touch(&d->memory, g, rfi_shadow_mask(g, from, to), e, flags, &told);
    }
}

/* The range is something new now. */
RFI_FN void rfi_blocks_forget(const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    RFI_EACH_GRANULE(&d->memory, g, from, to)
    for (rfi_block_cell *c = rfi_shadow_get(&d->memory, g), *next; c; c = next) {
        next = c->next;
        c->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
        if (!c->mask) rfi_cell_unlink(c);
    }
}

/* ---- events ---- */

RFI_FN void rfi_blocks_lock(const rf_event *e) {
    bool told = false;
    rfi_blocks_touch(&rfi_blocks_state.locks, e->object, 1, e, rfi_lock_flags(e), &told);
    if (e->kind == RF_EV_LOCK)
        rfi_blocks_hold(e->thread, e->object, e->flags & RF_EV_SHARED, e->site);
    else
        rfi_blocks_unhold(e->thread, e->object);
}

/* An event, as `user` gets it. */
RFI_FN void rfi_blocks_event(const void *user, const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    if (d->driver != user) return;
    if (!d->on) {
        if (e->kind != RF_EV_BLOCK) return;
        rfi_blocks_start();
    }
    d->time++;
    switch (e->kind) {
    case RF_EV_BLOCK: rfi_block_enter(e); break;
    case RF_EV_BLOCK_END: rfi_block_leave(e->thread, rfi_block_number(e)); break;
    case RF_EV_LOCK:
    case RF_EV_UNLOCK: rfi_blocks_lock(e); break;
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE: rfi_blocks_memory(e); break;
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_blocks_forget(e); break;
    case RF_EV_EXIT:
        for (rfi_instance *b; (b = rfi_block_of(e->thread));) rfi_block_leave(e->thread, b->number);
        break;
    default: break;
    }
}

/* ---- what is reported ---- */

RFI_FN rf_place rfi_doing_place(const rfi_doing *d) {
    rf_place p = {.site = d->site, .thread = d->thread, .object = d->object, .size = d->size};
    switch (d->kind) {
    case RF_EV_LOCK: p.role = "takes"; break;
    case RF_EV_UNLOCK: p.role = "unlocks"; break;
    default: p.object = 0; p.flags = d->flags;
    }
    return p;
}

/* A warning about a block and the end of a gap in it. */
RFI_FN rf_warning rfi_block_warning(const char *by, const rfi_instance *b, const rf_site *end) {
    rf_warning w = {.family = RF_FAMILY_ATOMICITY, .by = by, .places = 1, .targets = 2};
    w.place[0] = (rf_place){.site = b->site, .role = "begins", .thread = b->thread};
    w.target[0] = rf_site_key(b->site);
    w.target[1] = rf_site_key(end);
    w.telling = 2;
    return w;
}

RFI_FN void rfi_violation_warn(const char *by, const rfi_violation *v) {
    rf_warning w = rfi_block_warning(by, v->block, v->end);
    w.real = true;
    w.text = v->text;
    w.places = 4;
    w.place[1] = rfi_doing_place(&v->first);
    w.place[2] = rfi_doing_place(&v->other);
    w.place[3] = rfi_doing_place(&v->second);
    w.target[w.targets++] = rf_site_key(v->other.start);
    rf_warn(&w);
}
#endif
#endif
