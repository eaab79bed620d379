/* detect/breakpoint.h: which concurrent breakpoints two threads may meet at.
 *
 * Concurrent breakpoints (Joshi, Naik, Park and Sen, CAV 2009): a name stands for a pair of
 * statements.  When two threads have come to breakpoints of one name with one address, or with
 * NULL, which goes with every address, the name is worth a try: explore/breakpoint.h has the two
 * stand there at once.  It is no fault by itself.
 */
#ifndef RFI_DETECT_BREAKPOINT_H
#define RFI_DETECT_BREAKPOINT_H
#include "engine/iface.h"

#ifdef RFI_IMPL
/* Somebody was there. */
typedef struct rfi_visit {
    const rf_site *site; /* NULL: nobody */
    uint32_t thread;
} rfi_visit;

/* The first visit of all to breakpoints of a name with an address, and the first one by another
 * thread: whoever comes next, one of the two is by somebody else. */
typedef struct rfi_visits {
    rfi_visit visit[2];
} rfi_visits;

RFI_VAR struct rfi_visited {
    rfi_map place; /* name, address -> index of its visits + 1 */
    rfi_map met;   /* names that were reported */
    rfi_visits *visits;
    uint32_t count, capacity;
} rfi_visited;

RFI_FN void rfi_visited_begin(void) {
    rfi_map_reset(&rfi_visited.place);
    rfi_map_reset(&rfi_visited.met);
    rfi_visited.count = 0;
}

/* The visits under a key. */
RFI_FN rfi_visits *rfi_visits_at(uint64_t key) {
    struct rfi_visited *v = &rfi_visited;
    uint64_t *place = rfi_map_at(&v->place, key);
    if (!*place) {
        v->visits = rfi_grow(v->visits, &v->capacity, v->count + 1, sizeof *v->visits);
        v->visits[v->count] = (rfi_visits){{{NULL, 0}, {NULL, 0}}};
        *place = ++v->count;
    }
    return &v->visits[*place - 1];
}

/* Who has been there and is not the thread of `e`; NULL: nobody. */
RFI_FN const rfi_visit *rfi_visit_of_another(uint64_t key, const rf_event *e) {
    const rfi_visits *v = rfi_visits_at(key);
    for (unsigned i = 0; i < 2; i++)
        if (v->visit[i].site && v->visit[i].thread != e->thread) return &v->visit[i];
    return NULL;
}

RFI_FN void rfi_visit_add(uint64_t key, const rf_event *e) {
    rfi_visits *v = rfi_visits_at(key);
    unsigned i = v->visit[0].site != NULL;
    if (!v->visit[i].site && !(i && v->visit[0].thread == e->thread))
        v->visit[i] = (rfi_visit){e->site, e->thread};
}

RFI_FN void rfi_visited_report(const rfi_visit *v, const rf_event *e, uint64_t name) {
    rf_warning w = {.family = RF_FAMILY_BREAKPOINT,
                    .by = "breakpoint",
                    .text = "Two threads stand at breakpoints of one name at the same moment. That "
                            "alone is no fault.",
                    .places = 2,
                    .targets = 1,
                    .target = {name},
                    .place = {{.site = v->site, .role = "stands at", .thread = v->thread},
                              {.site = e->site, .role = "stands at", .thread = e->thread}}};
    rf_warn(&w);
}

RFI_FN void rfi_visited_event(const rf_event *e) {
    uint64_t name = rf_name_key(e->text), *met = rfi_map_at(&rfi_visited.met, name);
    if (*met) return;
    uint64_t any = name, without = rfi_mix(name + RFI_GOLDEN), at = without + (uintptr_t)e->addr;
    const rfi_visit *v = rfi_visit_of_another(e->addr ? at : any, e);
    if (!v && e->addr) v = rfi_visit_of_another(without, e);
    *met = v != NULL;
    if (v) rfi_visited_report(v, e, name);
    rfi_visit_add(at, e);
    rfi_visit_add(any, e);
}

RFI_VAR rf_analysis rfi_breakpoint_analysis = {
    .name = "breakpoint",
    .help = "breakpoints of one name that two threads come to",
    .events = RF_EV_BIT(RF_EV_BREAK),
    .begin = rfi_visited_begin,
    .event = rfi_visited_event};
#endif
#endif
