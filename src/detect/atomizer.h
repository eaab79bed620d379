/* detect/atomizer.h: the reduction of atomic blocks (Lipton, CACM 1975) as Atomizer does it
 * (Flanagan and Freund, POPL 2004).
 *
 * A block is atomic if its operations are right movers (they may happen later), then at most one
 * that is no mover, then left movers (they may happen earlier), with both movers anywhere.  Each
 * instance is before its commit point or behind it; it commits at its first operation that does not
 * move right, and one behind that which does not move left is an error:
 *   right  taking a lock, waking up with one, joining, taking a semaphore's token, going on from a
 *          barrier, entering a once function
 *   left   releasing a lock, waiting with one, creating, signalling, posting, arriving, ending a
 *          once function
 *   both   inner operations of a recursive lock; a lock that only one thread has used so far, that
 *          was only taken for reading, or that was always taken under the same outer lock; memory
 * that one thread alone has used, that is only read, or that is protected; fences, allocation none
 * all other accesses, plain or atomic Memory is protected while the locks common to all its
 * accesses are some (Eraser: Savage et al., TOCS 1997, with its state machine).  If only its writes
 * have locks in common, a read under one of them moves both ways, and every other access not at
 * all.
 *
 * Guarantee: none alone.  What is known so far classifies an operation, so a block that comes early
 * may pass, and reduction is sufficient for atomicity, not necessary.  Blocks that were torn apart
 * in this very execution are told as real, by the rule of blocks.h.
 */
#ifndef RFI_DETECT_ATOMIZER_H
#define RFI_DETECT_ATOMIZER_H
#include "detect/blocks.h"

#ifdef RFI_IMPL
/* Some locks; it only ever shrinks. */
typedef struct rfi_common {
    uint32_t *lock;
    uint32_t n;
} rfi_common;

/* Eraser's states. */
typedef enum rfi_use { RFI_USE_ONE, RFI_USE_READ, RFI_USE_WRITTEN } rfi_use;

/* Some bytes of a granule. */
typedef struct rfi_used {
    struct rfi_used *next;
    rfi_common all,
        writes;     /* locks common to all accesses, to all writes, since the second thread */
    uint32_t owner; /* the only thread so far */
    uint8_t mask;
    uint8_t use;
    bool written; /* `writes` counts */
} rfi_used;

typedef struct rfi_outer {
    rfi_common all; /* held whenever the lock was taken */
    uint32_t user;  /* thread + 1; 0: none so far */
    bool shared;    /* by several threads */
    bool written;   /* taken, not only for reading */
} rfi_outer;

typedef struct rfi_atomizer {
    bool on;
    rfi_arena arena;
    rfi_shadow memory; /* granule -> rfi_used list */
    rfi_outer *lock;   /* by number */
    uint32_t locks, capacity;
} rfi_atomizer;

RFI_VAR rfi_atomizer rfi_atomizer_state;

typedef enum rfi_mover { RFI_BOTH, RFI_RIGHT, RFI_LEFT, RFI_NONE } rfi_mover;

/* ---- sets of locks ---- */

/* Does thread `t` hold `object`, or hold it for writing, if that is asked? */
RFI_FN bool rfi_common_held(uint32_t t, uint32_t object, bool exclusive) {
    const rfi_block_thread *w = rfi_blocks_thread(t);
    for (uint32_t i = 0; i < w->held_count; i++)
        if (w->held[i].object == object && !(exclusive && w->held[i].shared)) return true;
    return false;
}

/* What `t` holds, but for one lock. */
RFI_FN rfi_common rfi_common_of(uint32_t t, bool exclusive, uint32_t but) {
    const rfi_block_thread *w = rfi_blocks_thread(t);
    rfi_common c = {NULL, 0};
    if (!w->held_count) return c;
    c.lock = rfi_arena_raw(&rfi_atomizer_state.arena, w->held_count * sizeof *c.lock);
    for (uint32_t i = 0; i < w->held_count; i++)
        if (w->held[i].object != but && !(exclusive && w->held[i].shared))
            c.lock[c.n++] = w->held[i].object;
    return c;
}

RFI_FN rfi_common rfi_common_copy(const rfi_common *a) {
    rfi_common c = {NULL, a->n};
    if (!a->n) return c;
    c.lock = rfi_arena_raw(&rfi_atomizer_state.arena, a->n * sizeof *c.lock);
    memcpy(c.lock, a->lock, a->n * sizeof *c.lock);
    return c;
}

RFI_FN void rfi_common_cut(rfi_common *c, uint32_t t, bool exclusive) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (rfi_common_held(t, c->lock[i], exclusive)) c->lock[n++] = c->lock[i];
    c->n = n;
}

/* ---- locks ---- */

RFI_FN rfi_outer *rfi_atomizer_lock(uint32_t object) {
    rfi_atomizer *d = &rfi_atomizer_state;
    d->lock = rfi_grow(d->lock, &d->capacity, object + 1, sizeof *d->lock);
    while (d->locks <= object) d->lock[d->locks++] = (rfi_outer){.user = 0};
    return &d->lock[object];
}

/* `e` has taken a lock. */
RFI_FN void rfi_atomizer_taken(const rf_event *e) {
    rfi_outer *l = rfi_atomizer_lock(e->object);
    if (!l->user)
        l->all = rfi_common_of(e->thread, true, e->object);
    else
        rfi_common_cut(&l->all, e->thread, true);
    l->shared |= l->user && l->user != e->thread + 1;
    l->written |= !(e->flags & RF_EV_SHARED);
    l->user = e->thread + 1;
}

/* Taking or releasing it, by what is known so far. */
RFI_FN rfi_mover rfi_atomizer_section(const rf_event *e, rfi_mover mover) {
    const rfi_outer *l = rfi_atomizer_lock(e->object);
    return !l->shared || !l->written || l->all.n ? RFI_BOTH : mover;
}

/* ---- memory ---- */

/* Takes an access into account. */
RFI_FN void rfi_used_note(rfi_used *u, uint32_t t, bool writes) {
    if (u->use == RFI_USE_ONE) {
        if (u->owner == t) return;
        u->use = writes ? RFI_USE_WRITTEN : RFI_USE_READ;
        u->all = rfi_common_of(t, writes, 0);
    } else {
        if (writes) u->use = RFI_USE_WRITTEN;
        rfi_common_cut(&u->all, t, writes);
    }
    if (!writes) return;
    if (u->written)
        rfi_common_cut(&u->writes, t, true);
    else
        u->writes = rfi_common_of(t, true, 0);
    u->written = true;
}

RFI_FN rfi_mover rfi_used_mover(const rfi_used *u, uint32_t t, bool writes) {
    if (u->use != RFI_USE_WRITTEN || u->all.n) return RFI_BOTH;
    for (uint32_t i = 0; i < u->writes.n && !writes; i++)
        if (rfi_common_held(t, u->writes.lock[i], false)) return RFI_BOTH;
    return RFI_NONE;
}

/* Of some bytes of a granule; those that were not used before get an entry. */
RFI_FN rfi_mover rfi_atomizer_granule(uintptr_t g, uint8_t mask, uint32_t t, bool writes) {
    rfi_atomizer *d = &rfi_atomizer_state;
    void **place = rfi_shadow_at(&d->memory, g);
    rfi_mover mover = RFI_BOTH;
    uint8_t rest = mask;
    for (rfi_used *u = *place; u; u = u->next) {
        if (!(u->mask & mask)) continue;
        rest &= (uint8_t)~u->mask;
        if (u->mask & ~mask) { /* the others keep their history */
            rfi_used *other = rfi_arena_raw(&d->memory.arena, sizeof *other);
            *other = *u;
            other->mask &= (uint8_t)~mask;
            u->mask &= mask;
            u->next = other;
            other->all = rfi_common_copy(&u->all);
            other->writes = rfi_common_copy(&u->writes);
        }
        rfi_used_note(u, t, writes);
        if (rfi_used_mover(u, t, writes) == RFI_NONE) mover = RFI_NONE;
    }
    if (!rest) return mover;
    rfi_used *u = rfi_arena_take(&d->memory.arena, sizeof *u);
    *u = (rfi_used){.next = *place, .owner = t, .mask = rest};
    *place = u;
    return mover;
}

RFI_FN rfi_mover rfi_atomizer_access(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    rfi_mover mover = RFI_BOTH;
    if (from == to || e->flags & RF_EV_RACY) return mover;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++)
        if (rfi_atomizer_granule(g, rfi_shadow_mask(g, from, to), e->thread,
                                 e->flags & RF_EV_WRITES) == RFI_NONE)
            mover = RFI_NONE;
    return mover;
}

RFI_FN void rfi_atomizer_forget(const rf_event *e) {
    rfi_shadow *s = &rfi_atomizer_state.memory;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    RFI_EACH_GRANULE(s, g, from, to) {
        rfi_used *list = rfi_shadow_get(s, g);
        for (rfi_used **link = &list; *link;) {
            (*link)->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if ((*link)->mask)
                link = &(*link)->next;
            else
                *link = (*link)->next;
        }
        *rfi_shadow_at(s, g) = list;
    }
}

/* ---- the reduction ---- */

RFI_FN RFI_COLD void rfi_atomizer_report(const rfi_instance *b, const rf_event *e) {
    rf_warning w = rfi_block_warning("atomizer", b, e->site);
    rfi_doing error = rfi_doing_of(e, e->flags & (RF_EV_READS | RF_EV_WRITES));
    w.text =
        "The block goes on behind its commit point with a step that others can disturb: it need "
        "not look as if it ran at once.";
    w.places = 3;
    w.place[1] = rfi_doing_place(&b->commit);
    w.place[1].role = "commits";
    w.place[2] = rfi_doing_place(&error);
    if (!w.place[2].flags) w.place[2].role = "goes on";
    rf_warn(&w);
}

/* One operation of a thread, in all the blocks that it is in. */
RFI_FN void rfi_atomizer_step(const rf_event *e, rfi_mover mover) {
    bool told = false;
    if (mover == RFI_BOTH) return;
    for (rfi_instance *b = rfi_block_of(e->thread); b; b = b->outer) {
        if (b->silent) continue;
        if (!b->post) {
            if (mover == RFI_RIGHT) continue;
            b->post = true;
            b->commit = rfi_doing_of(e, e->flags & (RF_EV_READS | RF_EV_WRITES));
        } else if (mover != RFI_LEFT) {
            b->silent = true;
            if (!told) rfi_atomizer_report(b, e);
            told = true;
        }
    }
}

/* clang-format off */
# define RFI_ATOMIZER_EVENTS \
    (RFI_BLOCKS_EVENTS | RF_EV_BIT(RF_EV_SIGNAL) | RF_EV_BIT(RF_EV_BROADCAST) | \
     RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_ARRIVE) | \
     RF_EV_BIT(RF_EV_DEPART) | RF_EV_BIT(RF_EV_ONCE) | RF_EV_BIT(RF_EV_ONCE_DONE) | \
     RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN))
/* clang-format on */

RFI_FN rfi_mover rfi_atomizer_mover(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW: return rfi_atomizer_access(e);
    case RF_EV_LOCK: rfi_atomizer_taken(e); return rfi_atomizer_section(e, RFI_RIGHT);
    case RF_EV_UNLOCK: return rfi_atomizer_section(e, RFI_LEFT);
    case RF_EV_SEM_WAIT:
    case RF_EV_DEPART:
    case RF_EV_ONCE:
    case RF_EV_JOIN: return RFI_RIGHT;
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST:
    case RF_EV_SEM_POST:
    case RF_EV_ARRIVE:
    case RF_EV_ONCE_DONE:
    case RF_EV_CREATE: return RFI_LEFT;
    case RF_EV_FREE:
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_atomizer_forget(e); return RFI_BOTH;
    default: return RFI_BOTH;
    }
}

/* ---- events ---- */

RFI_FN RFI_COLD void rfi_atomizer_start(void) {
    rfi_atomizer *d = &rfi_atomizer_state;
    d->on = true;
    d->locks = 0;
    rfi_shadow_reset(&d->memory);
    rfi_arena_reset(&d->arena);
}

RFI_FN void rfi_atomizer_violated(const rfi_violation *v) { rfi_violation_warn("atomizer", v); }

RFI_FN void rfi_atomizer_begin(void) {
    rfi_blocks_begin(&rfi_atomizer_state);
    rfi_blocks_state.violated = rfi_atomizer_violated;
    rfi_atomizer_state.on = false;
}

RFI_FN void rfi_atomizer_event(const rf_event *e) {
    rfi_atomizer *d = &rfi_atomizer_state;
    rfi_blocks_event(d, e);
    if (!d->on) rfi_atomizer_start();
    rfi_atomizer_step(e, rfi_atomizer_mover(e));
}

RFI_FN void rfi_atomizer_end(void) { rfi_blocks_end(&rfi_atomizer_state); }

RFI_VAR rf_analysis rfi_atomizer_analysis = {
    .name = "atomizer",
    .help = "atomic blocks that do not reduce to one step, or were torn apart",
    .events = RFI_ATOMIZER_EVENTS,
    .wakes = RF_EV_BIT(RF_EV_BLOCK),
    .begin = rfi_atomizer_begin,
    .event = rfi_atomizer_event,
    .end = rfi_atomizer_end};
#endif
#endif
