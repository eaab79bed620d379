/* detect/cells.h: the state that a detector keeps for every byte of memory.
 *
 * Bytes of one granule that have always been accessed together share a cell.  An access to some of
 * a cell's bytes splits it into two of the same state, so each byte has its own verdict however
 * ranges overlap, and memory that is always accessed in one way costs one cell.
 *
 * Invariant: the cells of a granule have disjoint masks.
 * Optimised: fully, each access runs it.
 */
#ifndef RFI_DETECT_CELLS_H
#define RFI_DETECT_CELLS_H
#include "mem/shadow.h"

#ifdef RFI_IMPL
/* When (0: never), and what happened: detect/places.h. */
typedef struct rfi_when {
    uint32_t k, place;
} rfi_when;

/* 32 bytes, all zero for bytes that were never accessed. */
typedef struct rfi_cell {
    struct rfi_cell *next; /* in the granule */
    uint8_t mask;          /* bytes of the granule */
    uint8_t state;
    uint32_t more; /* what it is a number of is up to the detector */
    union {
        rfi_when when[2];
        uint32_t place[4];
    };
} rfi_cell;

typedef struct rfi_cells {
    rfi_shadow shadow; /* granule -> rfi_cell list */
    rfi_cell *spare;
    void (*cut)(rfi_cell *copy);  /* `more` of a cell was copied into a second one; may be NULL */
    void (*drop)(rfi_cell *cell); /* a cell goes; may be NULL */
} rfi_cells;

RFI_FN rfi_cell *rfi_cell_take(rfi_cells *d) {
    rfi_cell *c = d->spare;
    if (!c) return rfi_arena_raw(&d->shadow.arena, sizeof *c);
    d->spare = c->next;
    return c;
}

/* A granule's cells once more (rfi_shadow.copy). */
RFI_FN void *rfi_cells_copy(rfi_shadow *s, const void *what) {
    rfi_cells *d = (rfi_cells *)((uintptr_t)s - offsetof(rfi_cells, shadow));
    rfi_cell *list = NULL, **end = &list;
    for (const rfi_cell *from = what; from; from = from->next) {
        rfi_cell *c = *end = rfi_cell_take(d);
        *c = *from;
        if (d->cut) d->cut(c);
        end = &c->next;
    }
    return list;
}

RFI_FN void rfi_cells_begin(rfi_cells *d) {
    rfi_shadow_reset(&d->shadow);
    d->shadow.copy = rfi_cells_copy;
    d->spare = NULL;
}

RFI_FN void rfi_cell_drop(rfi_cells *d, rfi_cell *c) {
    if (d->drop) d->drop(c);
    c->next = d->spare;
    d->spare = c;
}

/* The cell that is exactly these bytes of a granule, or NULL. */
RFI_INLINE rfi_cell *rfi_cell_exact(rfi_cell *list, uint8_t mask) {
    while (list && list->mask != mask) list = list->next;
    return list;
}

/* Afterwards some cells of the granule at `place` are together exactly the bytes of `mask`, which
 * was not a cell before. */
RFI_FN void rfi_cells_cut(rfi_cells *d, void **place, uint8_t mask) {
    uint8_t rest = mask;
    for (rfi_cell *c = *place, *next; c; c = next) {
        next = c->next;
        uint8_t both = c->mask & mask;
        rest &= (uint8_t)~both;
        if (!both || both == c->mask) continue;
        rfi_cell *part = rfi_cell_take(d);
        *part = *c;
        part->mask = both;
        c->mask &= (uint8_t)~both;
        c->next = part;
        if (d->cut) d->cut(part);
    }
    if (!rest) return;
    rfi_cell *fresh = rfi_cell_take(d);
    *fresh = (rfi_cell){.next = *place, .mask = rest};
    *place = fresh;
}

/* The first of the cells that are within `mask`. */
RFI_INLINE rfi_cell *rfi_cell_within(rfi_cell *list, uint8_t mask) {
    while (list && !(list->mask & mask)) list = list->next;
    return list;
}

/* The cells within `mask` have the same state: one is enough. */
RFI_FN void rfi_cells_unite(rfi_cells *d, rfi_cell *list, uint8_t mask) {
    rfi_cell *kept = rfi_cell_within(list, mask), *c;
    for (rfi_cell **link = &kept->next; (c = *link);) {
        if (!(c->mask & mask)) {
            link = &c->next;
            continue;
        }
        *link = c->next;
        rfi_cell_drop(d, c);
    }
    kept->mask = mask;
}

/* The range [from, to) is something new now. */
RFI_FN void rfi_cells_forget(rfi_cells *d, uintptr_t from, uintptr_t to) {
    RFI_EACH_GRANULE(&d->shadow, g, from, to) {
        void **place = rfi_shadow_at(&d->shadow, g);
        rfi_cell *list = *place, *c;
        for (rfi_cell **link = &list; (c = *link);) {
            c->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if (c->mask) {
                link = &c->next;
                continue;
            }
            *link = c->next;
            rfi_cell_drop(d, c);
        }
        *place = list;
    }
}
#endif
#endif
