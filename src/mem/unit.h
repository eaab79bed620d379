/* mem/unit.h: the writes of plain data that are kept, by units of four aligned bytes.
 *
 * The write buffers of Flanagan, Freund, "Adversarial memory for detecting destructive races", PLDI
 * 2010, section 4.1, with their rules READ, GC1 and REMOVE OLDEST (GC2 is in plain.h).  A store is
 * one rfi_write, and a piece in each unit that it touches.  All rules hold for each byte.
 *
 * Invariants.  Pieces stand in the order of their serial numbers.  Of each byte the newest piece is
 * kept.  Whatever is forgotten of a byte is older than everything that is not, but for what nobody
 * can see (GC1) and what equals a newer one (GC2).
 */
#ifndef RFI_MEM_UNIT_H
#define RFI_MEM_UNIT_H
#include "mem/core.h"

#ifdef RFI_IMPL
enum {
    RFI_UNIT_BYTES = 4, /* bytes */
    RFI_PIECES = 65     /* of a unit at most: RF_MEM_HISTORY_MAX, and the one that is too much */
};

/* A store, or the value that a unit had when it was met. */
typedef struct rfi_write {
    uint64_t serial;        /* counts them in the order of execution */
    uintptr_t from, to;     /* what it wrote; nothing for a value that was there */
    const void *tag;        /* the caller's */
    struct rfi_write *next; /* while unused */
    rfi_clock clock;        /* K, but for its own component */
    uint32_t thread, own;   /* K[thread]; RF_MEM_NOBODY and 0: below everything */
    uint32_t pieces;
    int order;
} rfi_write;

typedef struct rfi_piece {
    rfi_write *write;
    uint8_t value[RFI_UNIT_BYTES];
    uint8_t bytes; /* of the unit that it wrote */
    uint8_t kept;  /* those of them that can be returned still */
} rfi_piece;

/* Reads of a thread in a row that could have returned the newest and did not. */
typedef struct rfi_misses {
    uint32_t thread, count;
} rfi_misses;

typedef struct rfi_unit {
    rfi_piece *piece;
    rfi_misses *misses;
    uint32_t count, capacity, missing, missing_capacity;
    uint32_t asked_by, asked_at; /* thread and its version when GC1 last ran for a read */
    uint8_t watched, known;      /* bytes; known: those that a read has returned */
    uint8_t newest[RFI_UNIT_BYTES], last[RFI_UNIT_BYTES];
} rfi_unit;

/* What all units share. */
typedef struct rfi_writes {
    rfi_arena *arena;
    uint64_t serial;
    rfi_write *spare;
    uint32_t *live; /* of the threads below `met`, those that may not have ended */
    uint32_t lives, live_capacity, met;
} rfi_writes;

/* Room for one more in an array of the arena. */
RFI_FN void *rfi_arena_room(rfi_arena *arena, void *array, uint32_t count, uint32_t *capacity,
                            size_t element) {
    if (RFI_LIKELY(count < *capacity)) return array;
    *capacity = *capacity ? *capacity * 2 : 4;
    void *more = rfi_arena_take(arena, *capacity * element);
    if (count) memcpy(more, array, count * element);
    return more;
}

/* ---- the order of writes ---- */

/* Ki is below Kj, for i executed before j. */
RFI_INLINE bool rfi_write_below(const rfi_write *i, const rfi_write *j) {
    return i->thread == j->thread || i->own <= rfi_clock_get(&j->clock, i->thread);
}

/* Kj is below C[t]. */
RFI_INLINE bool rfi_write_known(const rfi_write *j, uint32_t t, const rfi_actor *a) {
    return j->thread == t || j->own <= rfi_clock_get(&a->clock, j->thread);
}

RFI_INLINE bool rfi_write_same_clock(const rfi_write *i, const rfi_write *j) {
    return i->thread == j->thread && i->own == j->own && i->clock.n == j->clock.n &&
           (!i->clock.n || !memcmp(i->clock.c, j->clock.c, i->clock.n * sizeof *i->clock.c));
}

RFI_FN rfi_write *rfi_write_new(rfi_writes *m) {
    rfi_write *w = m->spare;
    if (w)
        m->spare = w->next;
    else
        w = rfi_arena_take(m->arena, sizeof *w);
    w->serial = ++m->serial;
    w->from = w->to = 0;
    w->thread = RF_MEM_NOBODY;
    w->own = w->clock.n = w->pieces = 0;
    w->order = RF_MEM_PLAIN;
    w->tag = NULL;
    return w;
}

RFI_INLINE void rfi_piece_end(rfi_writes *m, rfi_piece *x) {
    if (--x->write->pieces) return;
    x->write->next = m->spare;
    m->spare = x->write;
}

/* ---- the history of a unit ---- */

RFI_FN void rfi_unit_append(rfi_writes *m, rfi_unit *u, rfi_write *w, const void *value,
                            uint8_t bytes) {
    u->piece = rfi_arena_room(m->arena, u->piece, u->count, &u->capacity, sizeof *u->piece);
    rfi_piece *x = &u->piece[u->count++];
    *x = (rfi_piece){.write = w, .bytes = bytes, .kept = bytes};
    w->pieces++;
    for (unsigned i = 0; i < RFI_UNIT_BYTES; i++)
        if (bytes >> i & 1) u->newest[i] = x->value[i] = ((const uint8_t *)value)[i];
}

/* Keeps the pieces that have a byte to keep. */
RFI_FN void rfi_unit_sweep(rfi_writes *m, rfi_unit *u, const uint8_t *keep) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->count; i++) {
        if (keep[i])
            u->piece[n++] = u->piece[i];
        else
            rfi_piece_end(m, &u->piece[i]);
    }
    u->count = n;
}

/* The bytes of memory that are watched begin anew: with what is there. */
RFI_FN void rfi_unit_begin(rfi_writes *m, rfi_unit *u, uintptr_t at, uint8_t bytes) {
    uint8_t value[RFI_UNIT_BYTES];
    for (unsigned i = 0; i < RFI_UNIT_BYTES; i++) /* what is not watched may not even be readable */
        if (bytes >> i & 1) value[i] = *(const uint8_t *)(at + i);
    rfi_unit_append(m, u, rfi_write_new(m), value, bytes);
}

/* Whatever was known of these bytes is not any more; they may stay without a value. */
RFI_FN void rfi_unit_forget(rfi_writes *m, rfi_unit *u, uint8_t bytes) {
    uint8_t keep[RFI_PIECES];
    for (uint32_t i = 0; i < u->count; i++) keep[i] = u->piece[i].kept &= (uint8_t)~bytes;
    u->known &= (uint8_t)~bytes;
    rfi_unit_sweep(m, u, keep);
}

/* READ: the bytes of each piece that `t` may see. */
RFI_FN void rfi_unit_visible(const rfi_unit *u, uint32_t t, const rfi_actor *a, uint8_t *sees) {
    uint32_t killer[RFI_PIECES], killers = 0;
    for (uint32_t i = u->count; i-- > 0;) {
        const rfi_piece *x = &u->piece[i];
        uint8_t s = x->kept;
        for (uint32_t k = 0; s && k < killers; k++) {
            const rfi_piece *y = &u->piece[killer[k]];
            if ((s & y->bytes) && rfi_write_below(x->write, y->write)) s &= (uint8_t)~y->bytes;
        }
        sees[i] = s;
        if (s && rfi_write_known(x->write, t, a)) killer[killers++] = i;
    }
}

/* GC1: drops what no live thread can see.  A thread that does not exist yet will know all that its
 * parent knows. */
RFI_FN void rfi_unit_collect(rfi_core *c, rfi_writes *m, rfi_unit *u) {
    uint8_t keep[RFI_PIECES], sees[RFI_PIECES], newer = 0;
    uint32_t idle = 0;
    for (uint32_t i = u->count; i-- > 0;) {
        keep[i] = (uint8_t)(u->piece[i].kept & ~newer);
        newer |= u->piece[i].bytes;
        idle += !keep[i];
    }
    for (; m->met < c->threads.count; m->met++) {
        m->live = rfi_arena_room(m->arena, m->live, m->lives, &m->live_capacity, sizeof *m->live);
        m->live[m->lives++] = m->met;
    }
    for (uint32_t n = 0; idle && n < m->lives;) {
        uint32_t t = m->live[n];
        const rfi_actor *a = rfi_actor_of(&c->threads, t);
        if (a->ended) {
            m->live[n] = m->live[--m->lives];
            continue;
        }
        n++;
        rfi_unit_visible(u, t, a, sees);
        for (uint32_t i = 0; i < u->count; i++) {
            idle -= !keep[i] && sees[i];
            keep[i] |= sees[i];
        }
    }
    if (idle) rfi_unit_sweep(m, u, keep);
}

/* REMOVE OLDEST, byte by byte: what is left of a piece that is the newest at one byte and old at
 * another is its newest byte. */
RFI_FN void rfi_unit_bound(rfi_core *c, rfi_writes *m, rfi_unit *u) {
    uint8_t newest[RFI_PIECES], newer = 0;
    for (uint32_t i = u->count; i-- > 0;) {
        newest[i] = (uint8_t)(u->piece[i].bytes & ~newer);
        newer |= u->piece[i].bytes;
    }
    for (uint32_t i = 0; i < u->count && u->count > c->options.history;) {
        u->piece[i].kept &= newest[i];
        if (u->piece[i].kept) {
            i++;
            continue;
        }
        rfi_piece_end(m, &u->piece[i]);
        u->count--;
        memmove(&u->piece[i], &u->piece[i + 1], (u->count - i) * sizeof *u->piece);
        memmove(&newest[i], &newest[i + 1], u->count - i);
    }
}
#endif
#endif
