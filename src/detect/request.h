/* detect/request.h: a thread that holds locks and wants one more, and the keys that recognise it in
 * every execution: the components of a deadlock (Joshi, Park, Sen and Naik, PLDI 2009).
 *
 * A key is the target of a warning: its upper half stands for thread, wanted lock and context (the
 * statements where the locks that are held were taken, and that of the request), its lower half for
 * thread and first of these statements, where it enters.
 */
#ifndef RFI_DETECT_REQUEST_H
#define RFI_DETECT_REQUEST_H
#include "detect/scopes.h"

#ifdef RFI_IMPL
typedef struct rfi_request {
    uint32_t thread, object;
    bool shared; /* wanted for reading */
    const rf_site *site;
    const rf_lock *held; /* in the order in which they were taken, each once */
    uint32_t n;
} rfi_request;

# define RFI_HALF_KEY (RFI_KEY_BITS / 2)

/* Does the operation wait for a lock, and for which?  0: for none.  A wait takes its mutex again.
 */
RFI_FN uint32_t rfi_requested(const rf_event *next) {
    if (next->kind == RF_EV_WAKE) return next->other;
    if (next->kind != RF_EV_LOCK || next->flags & (RF_EV_TRY | RF_EV_TIMED)) return 0;
    return next->object && rf_object_is_lock(next->object) ? next->object : 0;
}

RFI_FN uint64_t rfi_entry_key(const rfi_request *r, rfi_abstraction a) {
    const rf_site *first = r->n ? r->held[0].site : r->site;
    uint64_t h = rfi_mix(rfi_abstract_thread(r->thread, a) + a);
    return rfi_mix(h + rf_site_key(first)) >> (64 - RFI_HALF_KEY);
}

RFI_FN uint64_t rfi_component_key(const rfi_request *r, rfi_abstraction a) {
    uint64_t h = rfi_mix(rfi_abstract_thread(r->thread, a) + a + RFI_GOLDEN);
    h = rfi_mix(h + rfi_abstract_object(r->object, a));
    for (uint32_t i = 0; i < r->n; i++) h = rfi_mix(h + rf_site_key(r->held[i].site));
    h = rfi_mix(h + rf_site_key(r->site)) >> (64 - RFI_HALF_KEY);
    return h | !h; /* never 0 */
}

RFI_FN uint64_t rfi_request_key(const rfi_request *r, rfi_abstraction a) {
    return rfi_component_key(r, a) << RFI_HALF_KEY | rfi_entry_key(r, a);
}
#endif
#endif
