/* engine/callers.h: the functions that are on a thread's stack at an event of a traced execution.
 *
 * Found as backtrace(3) finds them, and named by the linker's symbols; those of the engine and of
 * libraries are left out.  Only executions that are about to be told have them.
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_CALLERS_H
#define RFI_ENGINE_CALLERS_H
#include "engine/state.h"
#include "engine/symbols.h"

#ifdef RFI_IMPL
# ifdef __GLIBC__
#  include <execinfo.h>
# endif

/* Code of the program that is tested, not ours and not a library's. */
RFI_FN bool rfi_code_tested(const char *pc) {
    const rfi_symbol *in = rfi_symbol_of(pc);
    return in && !in->library && strncmp(in->name, "__wrap_", 7) != 0 &&
           strncmp(in->name, "__tsan_", 7) != 0;
}

/* The calls that have led to this one, the innermost first. */
RFI_FN void rfi_callers_take(rfi_callers *c) {
    unsigned n = 0;
# if defined __GLIBC__ && !defined RFI_ASAN && !defined RFI_TSAN
    void *frame[64];
    int frames = backtrace(frame, 64);
    for (int i = 0; i < frames && n < RFI_CALLERS; i++)
        if (rfi_code_tested((const char *)frame[i] - 1)) c->pc[n++] = frame[i];
# endif
    while (n < RFI_CALLERS) c->pc[n++] = NULL;
}

/* Is it this statement, or another one of its line? */
RFI_FN bool rfi_callers_at(const rf_site *s, const rf_site *at) {
    return s && at && (s == at || (s->line && s->line == at->line));
}

/* Is somebody interested in who has called this?  Walking a stack takes long.  Code as it is may
 * make all accesses in helpers, which is seen where the whole course is told. */
RFI_FN bool rfi_callers_wanted(const rf_event *e) {
    const rf_site *const *at = rfi.plan->chain_at;
    if (rfi.record->hooked && !rfi.plan->brief && e->site &&
        (e->object || e->flags & (RF_EV_READS | RF_EV_WRITES)))
        return true;
    return e->kind == RF_EV_CREATE ||
           (e->flags & (RF_EV_READS | RF_EV_WRITES) &&
            (rfi_callers_at(e->site, at[0]) || rfi_callers_at(e->site, at[1])));
}

/* Two statements that share one are told with their callers more often than need be. */
RFI_FN uint32_t rfi_callers_slot(const rf_site *s) {
    return (uint32_t)rfi_site_known_key(s) % RFI_HELPERS;
}

RFI_FN void rfi_callers_note(const rf_event *e, rfi_callers *c) {
    c->pc[0] = NULL;
    if (!rfi_callers_wanted(e)) return;
    rfi_callers_take(c);
    if (!c->pc[0] || !c->pc[1] || !e->site) return;
    uint32_t *by = &rfi.record->caller[rfi_callers_slot(e->site)];
    uint32_t from = rfi_code_distance(c->pc[1]);
    *by = !*by || *by == from ? from : RFI_SEVERAL;
}
#endif
#endif
