/* engine/coverage.h: how often statements are scheduling points, and threads preempted there.
 *
 * A statement is reached when a thread announces an operation at it; a decision is made there when
 * that thread could go on and others could too, and it is a preemption when one of them does.
 * Computed only on request (rfi.coverage).
 */
#ifndef RFI_ENGINE_COVERAGE_H
#define RFI_ENGINE_COVERAGE_H
#include "engine/state.h"

#ifdef RFI_IMPL
RFI_FN void rfi_coverage_reset(rfi_coverage *c) {
    if (c->sites) memset(c->site, 0, sizeof c->site);
    c->sites = 0;
    c->more = false;
}

/* The entry of a statement; NULL: there is no room. */
RFI_FN rfi_covered *rfi_coverage_at(rfi_coverage *c, const rf_site *s) {
    uint64_t key = rfi_site_known_key(s);
    uint32_t i = (uint32_t)(key >> 8) % RFI_LENGTH(c->site);
    while (c->site[i].site && c->site[i].key != key) i = (i + 1) % RFI_LENGTH(c->site);
    if (c->site[i].site) return &c->site[i];
    if (c->sites == RFI_LENGTH(c->site) / 2) {
        c->more = true;
        return NULL;
    }
    c->sites++;
    c->site[i] = (rfi_covered){.site = s, .key = key};
    return &c->site[i];
}

RFI_FN void rfi_coverage_add(rfi_coverage *to, const rfi_coverage *from) {
    to->more |= from->more;
    for (uint32_t i = 0; from->sites && i < RFI_LENGTH(from->site); i++) {
        const rfi_covered *f = &from->site[i];
        rfi_covered *t = f->site ? rfi_coverage_at(to, f->site) : NULL;
        if (!t) continue;
        t->executions += f->executions;
        t->decisions += f->decisions;
        t->preemptions += f->preemptions;
    }
}

/* `t` has announced its next operation. */
RFI_FN void rfi_cover_reached(const rfi_thr *t) {
    rfi_covered *c = rfi_coverage_at(rfi.coverage, t->next.site);
    uint64_t execution = rfi.record->index + UINT64_C(1);
    if (!c || c->last == execution) return;
    c->last = execution;
    c->executions++;
}

/* Can both `t` and another thread go on? */
RFI_FN bool rfi_cover_choice(const rfi_thr *t) {
    bool others = false, itself = rfi_in(rfi.enabled, t->id) && !rfi_in(rfi.lazy, t->id);
    for (uint32_t w = 0; itself && w < rfi.run.words; w++) {
        uint64_t ready = rfi.enabled[w] & ~rfi.lazy[w];
        if (w == t->id / 64) ready &= ~(UINT64_C(1) << t->id % 64);
        others |= ready != 0;
    }
    return others;
}

RFI_FN void rfi_cover_decided(const rfi_thr *t, bool preempted) {
    rfi_covered *c = rfi_coverage_at(rfi.coverage, t->next.site);
    if (!c) return;
    c->decisions++;
    c->preemptions += preempted;
}
#endif
#endif
