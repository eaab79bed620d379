/* detect/choi.h: precise lockset detection (Choi et al., PLDI 2002), called "lockset", in complete
 * pair mode.
 *
 * Two accesses of a byte by two threads race when one of them writes and no lock protects them from
 * each other.  No order is known, not even that of start and join.
 *
 * A location keeps one record for each way in which a statement accesses it.  Their optimisations,
 * with the statement in each of them so that no pair is lost:
 *   - weaker-than: an access by the thread of a record with the same statement, no more locks, no
 *     more bytes, and a write if the access is one, adds nothing: it is dropped before it is
 *     compared.  Records that a new one is weaker than go;
 *   - a record whose like comes from a second thread stands for several threads from then on, so
 *     the number of records does not grow with that of threads.
 *
 * Guarantee: of the code that was executed no race is missed, whatever the schedule, if locks are
 * what keeps accesses apart.  All that is ordered otherwise is reported.
 */
#ifndef RFI_DETECT_CHOI_H
#define RFI_DETECT_CHOI_H
#include "detect/places.h"

#ifdef RFI_IMPL
typedef struct rfi_tuple {
    struct rfi_tuple *next;
    uint32_t place, other; /* other: the same by another thread, any of them; 0: by none so far */
    uint8_t mask;          /* bytes of the granule */
} rfi_tuple;

typedef struct rfi_choi {
    rfi_shadow shadow; /* granule -> rfi_tuple list, newest first */
    rfi_tuple *spare;
} rfi_choi;

RFI_VAR const rf_analysis rfi_choi_analysis;
RFI_VAR rfi_choi rfi_choi_state;

RFI_FN void rfi_tuple_drop(rfi_tuple *a) {
    a->next = rfi_choi_state.spare;
    rfi_choi_state.spare = a;
}

/* But for the threads: whatever races with `b` races with `a`, and is the same pair. */
RFI_INLINE bool rfi_place_weaker(const rfi_place *a, const rfi_place *b) {
    return a->site == b->site && !(b->flags & ~a->flags & RF_EV_WRITES) &&
           !(a->flags & ~b->flags & RF_EV_ATOMIC) && rfi_lockset_within(a->lockset, b->lockset);
}

RFI_INLINE bool rfi_tuple_weaker(const rfi_tuple *a, const rfi_place *b, uint8_t mask) {
    const rfi_place *p = rfi_place_at(a->place);
    return !(mask & ~a->mask) && (a->other || p->thread == b->thread) && rfi_place_weaker(p, b);
}

RFI_FN void rfi_choi_compare(const rfi_tuple *a, const rfi_tuple *b, uintptr_t granule) {
    const rfi_place *now = rfi_place_at(b->place), *then = rfi_place_at(a->place);
    uint32_t earlier = then->thread == now->thread ? a->other : a->place;
    uint8_t both = a->mask & b->mask;
    if (!earlier || !both || !((then->flags | now->flags) & RF_EV_WRITES) ||
        (then->flags & now->flags & RF_EV_ATOMIC) ||
        rfi_lockset_protected(then->lockset, now->lockset))
        return;
    rfi_place_report(&rfi_choi_analysis, earlier, b->place,
                     granule * RFI_GRANULE + (unsigned)__builtin_ctz(both), false);
}

/* The record that `now` is like in all but the thread. */
RFI_FN rfi_tuple *rfi_tuple_twin(rfi_tuple *list, const rfi_tuple *now) {
    const rfi_place *b = rfi_place_at(now->place);
    for (; list; list = list->next) {
        const rfi_place *a = rfi_place_at(list->place);
        if (list->mask == now->mask && a->site == b->site && a->lockset == b->lockset &&
            a->flags == b->flags)
            return list;
    }
    return NULL;
}

RFI_FN rfi_tuple *rfi_tuple_take(void) {
    rfi_tuple *a = rfi_choi_state.spare;
    if (!a) return rfi_arena_raw(&rfi_choi_state.shadow.arena, sizeof *a);
    rfi_choi_state.spare = a->next;
    return a;
}

/* A granule's records once more (rfi_shadow.copy). */
RFI_FN void *rfi_choi_copy(rfi_shadow *s, const void *what) {
    rfi_tuple *list = NULL, **end = &list;
    (void)s;
    for (const rfi_tuple *from = what; from; from = from->next) {
        *end = rfi_tuple_take();
        **end = *from;
        end = &(*end)->next;
    }
    return list;
}

RFI_FN void rfi_choi_granule(const rfi_tuple *now, uintptr_t granule, void **place) {
    const rfi_place *b = rfi_place_at(now->place);
    rfi_tuple *list = *place, *a;
    for (a = list; a; a = a->next)
        if (rfi_tuple_weaker(a, b, now->mask)) return;
    for (a = list; a; a = a->next) rfi_choi_compare(a, now, granule);
    rfi_tuple *twin = rfi_tuple_twin(list, now);
    if (twin) {
        twin->other = now->place;
        return;
    }
    for (rfi_tuple **link = &list; (a = *link);) {
        const rfi_place *p = rfi_place_at(a->place);
        bool goes = !a->other && p->thread == b->thread && !(a->mask & ~now->mask) &&
                    rfi_place_weaker(b, p);
        if (goes) {
            *link = a->next;
            rfi_tuple_drop(a);
        } else {
            link = &a->next;
        }
    }
    a = rfi_tuple_take();
    *a = *now;
    a->next = list;
    *place = a;
}

RFI_FN void rfi_choi_access(const rf_event *e) {
    rfi_tuple now = {.place = rfi_place_of(e)};
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        uintptr_t granule = g;
        now.mask = rfi_shadow_mask(g, from, to);
        rfi_choi_granule(&now, granule, rfi_shadow_part(&rfi_choi_state.shadow, &g, from, to));
    }
}

/* The range [from, to) is something new now. */
RFI_FN void rfi_choi_forget(uintptr_t from, uintptr_t to) {
    rfi_shadow *s = &rfi_choi_state.shadow;
    RFI_EACH_GRANULE(s, g, from, to) {
        rfi_tuple *list = rfi_shadow_get(s, g), *a;
        for (rfi_tuple **link = &list; (a = *link);) {
            a->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if (a->mask) {
                link = &a->next;
                continue;
            }
            *link = a->next;
            rfi_tuple_drop(a);
        }
        *rfi_shadow_at(s, g) = list;
    }
}

/* ---- events ---- */

RFI_FN void rfi_choi_begin(void) {
    rfi_shadow_reset(&rfi_choi_state.shadow);
    rfi_choi_state.shadow.copy = rfi_choi_copy;
    rfi_choi_state.spare = NULL;
    rfi_track_begin(&rfi_choi_analysis, RFI_TRACK_LOCKS);
    rfi_places_begin();
}

RFI_FN void rfi_choi_event(const rf_event *e) {
    rfi_track_before(&rfi_choi_analysis, e);
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE) {
        uintptr_t from = (uintptr_t)e->addr;
        if (e->size) rfi_choi_forget(from, from + e->size);
    } else if (rfi_track_memory(e) && e->size && !(e->flags & RF_EV_RACY)) {
        rfi_choi_access(e);
    }
    rfi_track_after(&rfi_choi_analysis, e);
}

RFI_FN void rfi_choi_end(void) {
    rfi_places_end();
    rfi_track_end();
}

RFI_VAR const rf_analysis rfi_choi_analysis = {
    .name = "lockset",
    .help = "accesses that no common lock protects, however they are ordered",
    .events = RFI_TRACK_MEMORY_EVENTS | RFI_TRACK_LOCK_EVENTS,
    .begin = rfi_choi_begin,
    .event = rfi_choi_event,
    .end = rfi_choi_end};
#endif
#endif
