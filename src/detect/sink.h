/* detect/sink.h: where the race detectors report.
 *
 * A report is two accesses of one location by two threads, one of them a write, that are
 * unordered: in this execution (`unordered`: a real race) or in another schedule that the detector
 * predicts.  In one execution each analysis reports a pair of statements at most once.
 */
#ifndef RFI_DETECT_SINK_H
#define RFI_DETECT_SINK_H
#include "engine/iface.h"

#ifdef RFI_IMPL
/* Index 0 is the earlier access, 1 the one that has just been executed. */
typedef struct rfi_race {
    const char *by; /* name of the analysis */
    const rf_site *site[2];
    uint16_t flags[2]; /* RF_EV_READS ... of the event */
    uint32_t thread[2];
    uint32_t size[2];    /* of the whole access, in bytes */
    uint32_t lockset[2]; /* rfi_lockset_list tells the locks, until the next execution begins */
    const void *addr;    /* the lowest byte, of the first eight-byte granule, that both touch */
    bool unordered;      /* by happens-before: a real race; otherwise only predicted */
} rfi_race;

/* Who wants the reports; NULL: nobody.  Called while the second access executes. */
RFI_VAR void (*rfi_race_sink)(const rfi_race *r);

enum { RFI_REPORTERS = 64 };

/* Analyses that have reported in this execution, in the order of their first report. */
RFI_VAR const char *rfi_race_by[RFI_REPORTERS];
RFI_VAR unsigned rfi_race_reporters;

/* Pairs of site numbers reported in this execution -> bit set of those analyses. */
RFI_VAR rfi_map rfi_race_seen;

/* An execution begins. */
RFI_FN void rfi_race_begin(void) {
    rfi_race_reporters = 0;
    rfi_map_reset(&rfi_race_seen);
}

RFI_FN RFI_COLD void rfi_race_report(const rfi_race *r) {
    uint64_t a = rfi_site_number(r->site[0]), b = rfi_site_number(r->site[1]);
    unsigned who = 0;
    while (who < rfi_race_reporters && rfi_race_by[who] != r->by) who++;
    if (who == RFI_REPORTERS) rfi_die("more than %u analyses report races", RFI_REPORTERS);
    if (who == rfi_race_reporters) rfi_race_by[rfi_race_reporters++] = r->by;
    uint64_t *seen = rfi_map_at(&rfi_race_seen, a < b ? a << 32 | b : b << 32 | a);
    if (*seen >> who & 1) return;
    *seen |= UINT64_C(1) << who;
    if (rfi_race_sink) rfi_race_sink(r);
}
#endif
#endif
