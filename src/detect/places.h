/* detect/places.h: an access without its time, as one small number.
 *
 * A place is a statement with the thread that executed it, the locks it held, size and flags; equal
 * places have equal numbers within an execution, and 0 is none.  So a detector can keep several of
 * them for every byte, and a loop makes no new ones.
 */
#ifndef RFI_DETECT_PLACES_H
#define RFI_DETECT_PLACES_H
#include "detect/trackers.h"

#ifdef RFI_IMPL
typedef struct rfi_place {
    const rf_site *site;
    uint32_t thread, lockset, size;
    uint16_t flags; /* of the event */
    uint32_t next;  /* place of the same hash; 0: none */
} rfi_place;

# define RFI_PLACES_RECENT 256u

typedef struct rfi_place_table {
    rfi_place *place;
    uint32_t count, capacity;
    unsigned users;
    rfi_map by_content;                 /* hash -> place */
    uint32_t recent[RFI_PLACES_RECENT]; /* some of them: most look-ups end here */
} rfi_place_table;

RFI_VAR rfi_place_table rfi_places;

/* Places come from the locks held, so whoever uses them needs RFI_TRACK_LOCKS. */
RFI_FN void rfi_places_begin(void) {
    rfi_place_table *p = &rfi_places;
    if (p->users++) return;
    p->place = rfi_grow(p->place, &p->capacity, 1, sizeof *p->place);
    if (p->count > 1) memset(p->recent, 0, sizeof p->recent);
    p->count = 1; /* number 0 is no site's */
    rfi_map_reset(&p->by_content);
}

RFI_FN void rfi_places_end(void) { rfi_places.users--; }

RFI_INLINE const rfi_place *rfi_place_at(uint32_t number) { return &rfi_places.place[number]; }

RFI_INLINE bool rfi_place_same(const rfi_place *a, const rfi_place *b) {
    return a->site == b->site && a->thread == b->thread && a->lockset == b->lockset &&
           a->size == b->size && a->flags == b->flags;
}

RFI_FN RFI_COLD uint32_t rfi_place_find(const rfi_place *what) {
    rfi_place_table *p = &rfi_places;
    uint64_t hash = rfi_mix((uint64_t)(uintptr_t)what->site ^ (uint64_t)what->flags << 48);
    hash = rfi_mix(hash + ((uint64_t)what->thread << 32 | what->lockset)) + what->size;
    uint64_t *first = rfi_map_at(&p->by_content, hash);
    for (uint32_t n = (uint32_t)*first; n; n = p->place[n].next)
        if (rfi_place_same(&p->place[n], what)) return n;
    p->place = rfi_grow(p->place, &p->capacity, p->count + 1, sizeof *p->place);
    p->place[p->count] = *what;
    p->place[p->count].next = (uint32_t)*first;
    *first = p->count;
    return p->count++;
}

/* The place of an access that executes. */
RFI_INLINE uint32_t rfi_place_now(const rf_site *site, uint32_t thread, size_t size,
                                  uint16_t flags) {
    rfi_place_table *p = &rfi_places;
    rfi_place what = {.site = site,
                      .thread = thread,
                      .lockset = rfi_lockset_of(thread),
                      .size = (uint32_t)size,
                      .flags = flags};
    uint32_t hash = site->slot + thread * 31 + what.lockset * 17;
    uint32_t *recent = &p->recent[hash % RFI_PLACES_RECENT];
    if (RFI_UNLIKELY(!rfi_place_same(&p->place[*recent], &what))) *recent = rfi_place_find(&what);
    return *recent;
}

RFI_INLINE uint32_t rfi_place_of(const rf_event *e) {
    return rfi_place_now(e->site, e->thread, e->size, e->flags);
}

/* Reports that the accesses at two places race; the earlier first. */
RFI_FN RFI_COLD void rfi_place_report(const rf_analysis *by, uint32_t earlier, uint32_t later,
                                      uintptr_t addr, bool unordered) {
    const rfi_place *a = rfi_place_at(earlier), *b = rfi_place_at(later);
    rfi_race r = {.by = by->name,
                  .site = {a->site, b->site},
                  .flags = {a->flags, b->flags},
                  .thread = {a->thread, b->thread},
                  .size = {a->size, b->size},
                  .lockset = {a->lockset, b->lockset},
                  .addr = (const void *)addr,
                  .unordered = unordered};
    rfi_race_report(&r);
}
#endif
#endif
