/* detect/sink.h: where the race detectors report.
 *
 * A report is two accesses of one location by two threads, one of them a write, that nothing kept
 * apart: either in this very execution (`unordered`: a real race) or in another schedule that the
 * detector predicts.  In one execution a pair of statements is reported at most once as predicted
 * and at most once as unordered, and not as predicted any more once it was unordered.
 */
#ifndef RFI_DETECT_SINK_H
#define RFI_DETECT_SINK_H
#include "engine/iface.h"

#ifdef RFI_IMPL
/* Index 0 is the earlier access, 1 the one that has just been executed. */
typedef struct rfi_race {
    const rf_site *site[2];
    uint16_t flags[2]; /* RF_EV_READS ... of the event */
    uint32_t thread[2];
    uint32_t size[2];    /* of the whole access, in bytes */
    uint32_t lockset[2]; /* rfi_lockset_list tells the locks, until the next execution begins */
    const void *addr;    /* the lowest byte, of the first eight-byte granule, that both touch */
    bool unordered;      /* by happens-before: a real race; otherwise only predicted */
} rfi_race;

/* Who wants the reports; NULL: nobody.  Called while the second access executes. */
static void (*rfi_race_sink)(const rfi_race *r) RFI_UNUSED;

/* Pairs of site numbers reported in this execution -> 1 predicted, 2 unordered. */
static rfi_map rfi_race_seen RFI_UNUSED;

RFI_FN RFI_COLD void rfi_race_report(const rfi_race *r) {
    uint64_t a = rfi_site_number(r->site[0]), b = rfi_site_number(r->site[1]);
    uint64_t *seen = rfi_map_at(&rfi_race_seen, a < b ? a << 32 | b : b << 32 | a);
    uint64_t grade = r->unordered ? 2 : 1;
    if (*seen >= grade) return;
    *seen = grade;
    if (rfi_race_sink) rfi_race_sink(r);
}
#endif
#endif
