/* engine/claim.h: memory that a thread claims for a while (RF_EXCLUSIVE_WRITER,
 * RF_EXCLUSIVE_ACCESS, api/guide.h), as the kernel's KCSAN has it: whatever another thread does to
 * it meanwhile is a failure, by an atomic or an intended race too.
 *
 * The begin and the end of a claim are like plain accesses: a read, with which writes race, or a
 * write, with which all does.  So detectors predict who may come in between, and directed
 * executions bring the two together.  What is done to the memory is as it was: no memory model sees
 * a claim.
 * Optimised: not, few tests have claims.
 */
#ifndef RFI_ENGINE_CLAIM_H
#define RFI_ENGINE_CLAIM_H
#include "engine/fail.h"

#ifdef RFI_IMPL
typedef struct rfi_claim {
    const rf_site *site;
    uintptr_t from, to;
    uint32_t thread;
    bool all; /* nobody else may read it, either */
} rfi_claim;

RFI_VAR struct {
    rfi_claim *claim;
    uint32_t count, capacity;
} rfi_claims;

RFI_FN const char *rfi_claim_name(bool all) {
    return all ? "RF_EXCLUSIVE_ACCESS" : "RF_EXCLUSIVE_WRITER";
}

/* The running thread accesses this memory, or has just done so. */
RFI_FN void rfi_claim_check(const rf_site *s, const volatile void *p, size_t n, bool writes) {
    const uintptr_t from = (uintptr_t)p;
    for (uint32_t i = rfi_claims.count; i--;) {
        const rfi_claim *c = &rfi_claims.claim[i];
        const rfi_thr *t = rfi.thread[c->thread];
        if (t == rfi.current || t->finished || from >= c->to || from + n <= c->from) continue;
        if (!writes && !c->all) continue;
        rfi_fail(RF_DIAG_NOT_EXCLUSIVE, s, "%s is %s while T%u claims it by %s at %s",
                 rfi_site_text(c->site), writes ? "written" : "read", c->thread,
                 rfi_claim_name(c->all), RFI_AT(c->site));
    }
}

RFI_FN void rfi_claim_event(const rf_event *e) {
    const unsigned touches = e->flags & (RF_EV_READS | RF_EV_WRITES);
    bool claims = e->kind == RF_EV_CLAIM || e->kind == RF_EV_CLAIM_END;
    if (touches && !claims) rfi_claim_check(e->site, e->addr, e->size, touches & RF_EV_WRITES);
}

RFI_FN void rfi_claim_add(const rf_event *e) {
    rfi_claims.claim = rfi_grow(rfi_claims.claim, &rfi_claims.capacity, rfi_claims.count + 1,
                                sizeof *rfi_claims.claim);
    rfi_claims.claim[rfi_claims.count++] = (rfi_claim){.site = e->site,
                                                       .from = (uintptr_t)e->addr,
                                                       .to = (uintptr_t)e->addr + e->size,
                                                       .thread = e->thread,
                                                       .all = e->flags & RF_EV_WRITES};
    rfi.observed |= RFI_CLAIMED;
    rfi.run.checks |= RFI_CHECK_CLAIMED;
    rfi_hot.arm = rfi_arm_all;
}

/* The newest one of this statement and thread goes. */
RFI_FN void rfi_claim_drop(const rf_event *e) {
    uint32_t i = rfi_claims.count;
    while (i && !(rfi_claims.claim[i - 1].site == e->site &&
                  rfi_claims.claim[i - 1].thread == e->thread))
        i--;
    if (!i) return;
    for (rfi_claims.count--; i <= rfi_claims.count; i++)
        rfi_claims.claim[i - 1] = rfi_claims.claim[i];
    if (rfi_claims.count) return;
    rfi.observed &= (uint8_t)~RFI_CLAIMED;
    rfi.run.checks &= (uint8_t)~RFI_CHECK_CLAIMED;
}
#endif
#endif
