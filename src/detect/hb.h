/* detect/hb.h: happens-before with vector clocks (Djit+, Pozniansky and Schuster, PPoPP
 * 2003), in complete pair mode.
 *
 * Two accesses race when they are not ordered by the full relation of engine/order.h: program
 * order, start and join, locks, semaphores, barriers, once, release/acquire atomics.  Not by a
 * condition's signal: what C promises about it comes from the mutex.
 *
 * The making or the end of an object races with an operation on it (lives.h), the allocation of a
 * block with the first access to its bytes.
 *
 * Guarantee: no false alarm; in the order of synchronisation that was observed, every racing pair
 * of statements is reported.  A race that an accidental order of locks hides is not predicted;
 * detect/hybrid.h does that.
 */
#ifndef RFI_DETECT_HB_H
#define RFI_DETECT_HB_H
#include "detect/lives.h"
#include "detect/pairs.h"

#ifdef RFI_IMPL
RFI_VAR const rf_analysis rfi_hb_analysis;

RFI_FN void rfi_hb_begin(void) {
    rfi_pairs_begin(RFI_FULL, &rfi_hb_analysis);
    rfi_lives_begin();
}

RFI_FN void rfi_hb_event(const rf_event *e) {
    if (RFI_LIVES_EVENTS & RF_EV_BIT(e->kind)) rfi_lives_event(&rfi_hb_analysis, e);
    rfi_pairs_event(RFI_FULL, e);
}

RFI_FN void rfi_hb_end(void) { rfi_pairs_end(RFI_FULL); }

RFI_VAR const rf_analysis rfi_hb_analysis = {
    .name = "hb",
    .help = "races of this very execution: accesses that happens-before leaves unordered",
    .events = RFI_TRACK_EVENTS | RFI_LIVES_EVENTS,
    .begin = rfi_hb_begin,
    .event = rfi_hb_event,
    .end = rfi_hb_end,
    .access = rfi_pairs_lane};
#endif
#endif
