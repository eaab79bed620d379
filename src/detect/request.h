/* detect/request.h: a thread that holds locks and wants one more, the keys that recognise it in
 * every execution, and the warning of a cycle of such requests, the components of a deadlock
 * (Joshi, Park, Sen and Naik, PLDI 2009).
 *
 * A key is the target of a warning: its upper half stands for thread, wanted lock and context (the
 * statements where the locks that are held were taken, and that of the request), its lower half for
 * thread and first of these statements, where it enters.  The lowest two bits are the abstraction
 * under which both are made.
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

# define RFI_HALF_KEY   (RFI_KEY_BITS / 2)
# define RFI_ENTRY_MASK ((UINT64_C(1) << RFI_HALF_KEY) - 1)

RFI_INLINE rfi_abstraction rfi_key_abstraction(uint64_t key) { return (rfi_abstraction)(key & 3); }

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
    return (rfi_mix(h + rf_site_key(first)) >> (64 - RFI_HALF_KEY) & ~UINT64_C(3)) | a;
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

/* ---- cycles ---- */

/* An rfi_alike: by what the threads and locks of warnings are told apart. */
RFI_VAR unsigned rfi_goodlock_alike;

RFI_FN rfi_abstraction rfi_goodlock_abstraction(void) {
    return rfi_goodlock_alike == RFI_ALIKE_AUTO
               ? RFI_ABSTRACT_SITE
               : (rfi_abstraction)(rfi_goodlock_alike - RFI_ALIKE_BY);
}

/* The targets begin where their sequence is the least: a cycle has no first thread, and numbers of
 * threads differ between executions. */
RFI_FN uint32_t rfi_cycle_first(const uint64_t *key, uint32_t n) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint64_t a = key[(i + k) % n], b = key[(best + k) % n];
            if (a == b) continue;
            if (a < b) best = i;
            break;
        }
    return best;
}

RFI_FN int rfi_key_order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The targets of a cycle with more components than a warning has room for: their contexts, each
 * once, the lowest ones. */
RFI_FN uint32_t rfi_cycle_contexts(const rfi_request *const *member, uint32_t n, uint64_t *key) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) key[i] = rfi_request_key(member[i], RFI_ABSTRACT_NONE);
    RFI_REAL(qsort)(key, n, sizeof *key, rfi_key_order);
    for (uint32_t i = 0; i < n; i++)
        if (!i || key[i] != key[i - 1]) key[kept++] = key[i];
    return kept < RF_TARGETS ? kept : RF_TARGETS;
}

/* Adds the keys by index, which tell nothing apart, where there is room and index tells more. */
RFI_FN void rfi_cycle_indices(rf_warning *w, const rfi_request *const *member, uint32_t n) {
    if (rfi_goodlock_alike != RFI_ALIKE_AUTO || 2 * n > RF_TARGETS) return;
    w->telling = n;
    for (uint32_t i = 0; i < n; i++)
        w->target[w->targets++] = rfi_request_key(member[i], RFI_ABSTRACT_INDEX);
}

/* The warning of a cycle; each member wants what the next one holds.  Returns a hash of the
 * targets.
 */
RFI_FN uint64_t rfi_cycle_warning(rf_warning *w, const char *by, const rfi_request *const *member,
                                  uint32_t n, rfi_arena *arena) {
    uint64_t *key = rfi_arena_raw(arena, n * sizeof *key), hash = 0;
    *w = (rf_warning){.family = RF_FAMILY_DEADLOCK,
                      .by = by,
                      .places = n < RF_PLACES ? n : RF_PLACES,
                      .text = "Each of these threads holds a lock that the next one wants."};
    for (uint32_t i = 0; i < n; i++)
        key[i] = rfi_request_key(member[i], rfi_goodlock_abstraction());
    uint32_t first = rfi_cycle_first(key, n);
    for (uint32_t i = 0; i < w->places; i++) {
        const rfi_request *r = member[i];
        w->place[i] = (rf_place){.site = r->site,
                                 .role = "takes",
                                 .thread = r->thread,
                                 .object = r->object,
                                 .locks = (uint16_t)r->n,
                                 .lock = r->held};
        w->target[i] = key[(first + i) % n];
    }
    w->targets = w->places;
    rfi_cycle_indices(w, member, n);
    if (n > RF_TARGETS) {
        w->targets = rfi_cycle_contexts(member, n, key);
        memcpy(w->target, key, w->targets * sizeof *key);
    }
    for (uint32_t i = 0; i < w->targets; i++) hash = rfi_mix(hash + w->target[i]);
    return hash;
}
#endif
#endif
