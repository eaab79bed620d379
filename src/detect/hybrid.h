/* detect/hybrid.h: hybrid race detection (O'Callahan and Choi, PPoPP 2003) as the first phase of
 * RaceFuzzer (Sen, PLDI 2008, section 2.2), in complete pair mode.
 *
 * Two accesses are a potential race when no common lock protects them (at least one side holding it
 * exclusively) and the relaxed relation of engine/order.h, in which locks order nothing and a
 * signal orders the wait that it wakes, leaves them unordered.
 *
 * Guarantee: a pair that an accidental order of critical sections hides in this execution is
 * reported.  It may be infeasible (a hand-over by a flag under a lock, a barrier built by hand):
 * the second phase decides.  Code that was not executed is not seen.
 */
#ifndef RFI_DETECT_HYBRID_H
#define RFI_DETECT_HYBRID_H
#include "detect/hb.h"

#ifdef RFI_IMPL
RFI_VAR const rf_analysis rfi_hybrid_analysis;

RFI_FN void rfi_hybrid_begin(void) { rfi_pairs_begin(RFI_RELAXED, &rfi_hybrid_analysis); }
RFI_FN void rfi_hybrid_event(const rf_event *e) { rfi_pairs_event(RFI_RELAXED, e); }
RFI_FN void rfi_hybrid_end(void) { rfi_pairs_end(RFI_RELAXED); }

RFI_VAR const rf_analysis rfi_hybrid_analysis = {
    .name = "hybrid",
    .help = "races of other schedules: accesses without a common lock that only locks order",
    .events = RFI_TRACK_EVENTS,
    .begin = rfi_hybrid_begin,
    .event = rfi_hybrid_event,
    .end = rfi_hybrid_end,
    .access = rfi_pairs_lane,
    .rfi_by = &rfi_hb_analysis};
#endif
#endif
