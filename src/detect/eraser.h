/* detect/eraser.h: Eraser (Savage et al., ACM TOCS 15(4), 1997, section 2), with its state machine
 * and its refinement for read-write locks.
 *
 * A byte has a set of candidates: the locks that were held at every access so far, a write counting
 * only those that it holds exclusively.  Nothing is asked of the first thread until a second one
 * comes (initialisation), nor of readers until somebody writes again (read-sharing).  When no
 * candidate is left for a byte that is shared and modified it is reported, once.
 *
 * A report has two places.  For a write the other is the last access of another thread, for a read
 * the last write of another thread; where there is none of those, it is the last write of the same
 * thread, and the last access of another one, that are reported.  Atomic accesses, which the paper
 * does not know, hold one more lock, the same for all of them.
 *
 * `stateless` is its database alone, without states, as the slides on dynamic race detection have
 * it first (Eraser's section 2.1): every access takes the locks that it does not hold from the
 * candidates, and what has none left is reported when a second thread has come.  It reports also
 * what is only read, and what one thread initialises for another.
 *
 * No guarantee: data handed over by start, join, a signal or a queue is reported; a race with the
 * first thread's initialisation, or of a write and a later read, is not.
 */
#ifndef RFI_DETECT_ERASER_H
#define RFI_DETECT_ERASER_H
#include "detect/cells.h"
#include "detect/places.h"

#ifdef RFI_IMPL
/* States of a cell; its `more` is the set of candidates. */
enum { RFI_VIRGIN, RFI_EXCLUSIVE, RFI_SHARED, RFI_MODIFIED, RFI_REPORTED };

/* Places of a cell: the last access, the last one of another thread than that; the same of writes.
 */
enum { RFI_LAST, RFI_LAST_OTHER, RFI_LAST_WRITE, RFI_LAST_OTHER_WRITE };

RFI_VAR const rf_analysis rfi_eraser_analysis, rfi_stateless_analysis;

/* The cells of each, with and without states. */
typedef struct rfi_eraser {
    const rf_analysis *analysis;
    bool states;
    rfi_cells cells;
} rfi_eraser;

RFI_VAR rfi_eraser rfi_eraser_full = {.analysis = &rfi_eraser_analysis, .states = true};
RFI_VAR rfi_eraser rfi_eraser_stateless = {.analysis = &rfi_stateless_analysis};

/* The access that executes. */
typedef struct rfi_guarded {
    uint32_t place, thread, held;
    bool writes;
} rfi_guarded;

/* The last access of another thread; `last`: RFI_LAST or RFI_LAST_WRITE.  0: there is none. */
RFI_INLINE uint32_t rfi_eraser_other(const rfi_cell *c, unsigned last, uint32_t thread) {
    bool own = rfi_place_at(c->place[last])->thread == thread;
    return c->place[own ? last + 1 : last];
}

RFI_INLINE void rfi_eraser_put(rfi_cell *c, unsigned last, const rfi_guarded *now) {
    if (c->place[last] && rfi_place_at(c->place[last])->thread != now->thread)
        c->place[last + 1] = c->place[last];
    c->place[last] = now->place;
}

RFI_FN RFI_COLD void rfi_eraser_report(const rfi_eraser *d, const rfi_cell *c,
                                       const rfi_guarded *now, uintptr_t addr) {
    uint32_t first =
        rfi_eraser_other(c, now->writes || !d->states ? RFI_LAST : RFI_LAST_WRITE, now->thread);
    uint32_t second = now->place;
    if (!first) {
        first = rfi_eraser_other(c, RFI_LAST, now->thread);
        second = c->place[RFI_LAST_WRITE];
    }
    rfi_place_report(d->analysis, first, second, addr, false);
}

/* The next state: what candidates are left counts when two threads have come and one has written.
 */
RFI_INLINE void rfi_eraser_state(const rfi_eraser *d, rfi_cell *c, const rfi_guarded *now) {
    bool first = c->state == RFI_VIRGIN, other = false;
    if (first) c->more = RFI_ALL_LOCKS;
    if (!first) other = rfi_place_at(c->place[RFI_LAST])->thread != now->thread;
    if (!d->states) {
        c->more = rfi_lockset_keep(c->more, now->held, now->writes);
        if (c->state != RFI_MODIFIED) c->state = other ? RFI_MODIFIED : RFI_EXCLUSIVE;
    } else if (first) {
        c->state = RFI_EXCLUSIVE;
    } else if (c->state != RFI_EXCLUSIVE || other) {
        if (c->state == RFI_EXCLUSIVE) c->state = RFI_SHARED;
        c->more = rfi_lockset_keep(c->more, now->held, now->writes);
        if (now->writes) c->state = RFI_MODIFIED;
    }
}

RFI_INLINE void rfi_eraser_cell(const rfi_eraser *d, rfi_cell *c, const rfi_guarded *now,
                                uintptr_t granule) {
    bool again = c->place[RFI_LAST] == now->place; /* the same locks too: nothing changes */
    if (RFI_LIKELY(again) || c->state == RFI_REPORTED) return;
    rfi_eraser_state(d, c, now);
    if (c->state == RFI_MODIFIED && !c->more) {
        rfi_eraser_report(d, c, now, granule * RFI_GRANULE + (unsigned)__builtin_ctz(c->mask));
        c->state = RFI_REPORTED;
    }
    rfi_eraser_put(c, RFI_LAST, now);
    if (now->writes) rfi_eraser_put(c, RFI_LAST_WRITE, now);
}

RFI_FN void rfi_eraser_access(rfi_eraser *d, const rf_event *e) {
    enum { ATOMICS = 0 }; /* number of no object */
    uint32_t held = rfi_lockset_of(e->thread);
    if (e->flags & RF_EV_ATOMIC) held = rfi_lockset_after(held, ATOMICS, RFI_LOCK_TAKE);
    rfi_guarded now = {rfi_place_of(e), e->thread, held, e->flags & RF_EV_WRITES};
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        uint8_t mask = rfi_shadow_mask(g, from, to);
        uintptr_t granule = g;
        void **place = rfi_shadow_part(&d->cells.shadow, &g, from, to);
        rfi_cell *c = rfi_cell_exact(*place, mask);
        if (RFI_UNLIKELY(!c)) {
            rfi_cells_cut(&d->cells, place, mask);
            c = *place;
        }
        for (; (c = rfi_cell_within(c, mask)); c = c->next) rfi_eraser_cell(d, c, &now, granule);
    }
}

/* ---- events ---- */

RFI_FN void rfi_eraser_open(rfi_eraser *d) {
    rfi_cells_begin(&d->cells);
    rfi_track_begin(d->analysis, RFI_TRACK_LOCKS);
    rfi_places_begin();
}

RFI_FN void rfi_eraser_take(rfi_eraser *d, const rf_event *e) {
    rfi_track_before(d->analysis, e);
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE) {
        uintptr_t from = (uintptr_t)e->addr;
        if (e->size) rfi_cells_forget(&d->cells, from, from + e->size);
    } else if (rfi_track_memory(e) && e->size && !(e->flags & RF_EV_RACY)) {
        rfi_eraser_access(d, e);
    }
    rfi_track_after(d->analysis, e);
}

RFI_FN void rfi_eraser_begin(void) { rfi_eraser_open(&rfi_eraser_full); }
RFI_FN void rfi_eraser_event(const rf_event *e) { rfi_eraser_take(&rfi_eraser_full, e); }
RFI_FN void rfi_stateless_begin(void) { rfi_eraser_open(&rfi_eraser_stateless); }
RFI_FN void rfi_stateless_event(const rf_event *e) { rfi_eraser_take(&rfi_eraser_stateless, e); }

RFI_FN void rfi_eraser_end(void) {
    rfi_places_end();
    rfi_track_end();
}

RFI_VAR const rf_analysis rfi_eraser_analysis = {
    .name = "eraser",
    .help = "locations that are written and that no lock is held for at every access",
    .events = RFI_TRACK_MEMORY_EVENTS | RFI_TRACK_LOCK_EVENTS,
    .begin = rfi_eraser_begin,
    .event = rfi_eraser_event,
    .end = rfi_eraser_end};

RFI_VAR const rf_analysis rfi_stateless_analysis = {
    .name = "stateless",
    .help = "locations that no lock is held for at every access, from the first one on",
    .events = RFI_TRACK_MEMORY_EVENTS | RFI_TRACK_LOCK_EVENTS,
    .begin = rfi_stateless_begin,
    .event = rfi_stateless_event,
    .end = rfi_eraser_end};
#endif
#endif
