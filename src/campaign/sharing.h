/* campaign/sharing.h: which statements touch data that threads share.
 *
 * A switch matters at synchronisation, atomics, and plain accesses to data that several threads
 * access and at least one writes.  Some executions, in which every access is a scheduling point,
 * find these statements; in the others only they are.  Accesses while there is one thread only do
 * not count.
 */
#ifndef RFI_CAMPAIGN_SHARING_H
#define RFI_CAMPAIGN_SHARING_H
#include "engine/execute.h"
#include "mem/shadow.h"

#ifdef RFI_IMPL
/* A statement that accessed some of eight bytes, and in which thread. */
typedef struct rfi_sharer {
    struct rfi_sharer *next;
    uint32_t code; /* rfi_site_code */
    uint32_t thread;
    uint8_t mask;
    bool writes;
} rfi_sharer;

# define RFI_SHARING_RANGE 64u /* granules of a range that are looked at */

RFI_VAR rfi_shadow rfi_sharing_cells;

RFI_FN void rfi_sharing_begin(void) { rfi_shadow_reset(&rfi_sharing_cells); }

/* Threads beyond two add nothing: whoever meets this access meets one of the two. */
RFI_FN bool rfi_sharing_known(const rfi_sharer *s, const rfi_sharer *now) {
    for (uint32_t threads = 0; s; s = s->next)
        if (s->code == now->code && s->mask == now->mask && s->writes == now->writes &&
            (s->thread == now->thread || ++threads == 2))
            return true;
    return false;
}

RFI_FN void rfi_sharing_at(uintptr_t granule, const rfi_sharer *now) {
    void **first = rfi_shadow_at(&rfi_sharing_cells, granule);
    if (rfi_sharing_known(*first, now)) return;
    for (const rfi_sharer *s = *first; s; s = s->next)
        if (s->thread != now->thread && s->mask & now->mask && (s->writes || now->writes)) {
            rfi.record->shares = true;
            rfi_points_add(rfi.record->shared, s->code);
            rfi_points_add(rfi.record->shared, now->code);
        }
    rfi_sharer *s = rfi_arena_take(&rfi_sharing_cells.arena, sizeof *s);
    *s = *now;
    s->next = *first;
    *first = s;
}

RFI_FN void rfi_sharing_event(const rf_event *e) {
    if (!e->size || rfi.run.live < 2) return;
    rfi_sharer now = {.code = rfi_site_code(e->site),
                      .thread = e->thread,
                      .writes = (e->flags & RF_EV_WRITES) != 0};
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    uintptr_t g = from / RFI_GRANULE, end = (to - 1) / RFI_GRANULE + 1;
    if (end - g > RFI_SHARING_RANGE) end = g + RFI_SHARING_RANGE;
    for (; g < end; g++) {
        now.mask = rfi_shadow_mask(g, from, to);
        rfi_sharing_at(g, &now);
    }
}

RFI_VAR rf_analysis rfi_sharing = {.name = "sharing",
                                   .events = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE),
                                   .begin = rfi_sharing_begin,
                                   .event = rfi_sharing_event};
#endif
#endif
