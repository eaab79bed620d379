/* engine/support.h: what tests use besides threads: invariants, inputs, log lines, scopes. */
#ifndef RFI_ENGINE_SUPPORT_H
#define RFI_ENGINE_SUPPORT_H
#include "engine/fail.h"
#include "engine/learn.h"

#ifdef RFI_IMPL
void rfi_invariant_begin(rfi_scope *scope, const rf_site *s, bool (*fn)(void *), void *arg) {
    *scope = (rfi_scope){s, fn, arg, NULL};
    if (!RFI_ME(s)) return;
    scope->next = rfi.run.invariants;
    rfi.run.invariants = scope;
    rfi.run.attention++;
}

void rfi_invariant_end(rfi_scope *scope) {
    rfi_scope **link = &rfi.run.invariants;
    while (*link && *link != scope) link = &(*link)->next;
    if (!*link) return;
    *link = scope->next;
    rfi.run.attention--;
}

rfi_scope rfi_func_begin(const rf_site *s) {
    (void)RFI_ME(s);
    rfi_note(RF_EV_ENTER, s, 0, 0);
    return (rfi_scope){s, NULL, NULL, NULL};
}

void rfi_func_end(rfi_scope *scope) { rfi_note(RF_EV_LEAVE, scope->site, 0, 0); }

void rfi_log(const rf_site *s, const char *fmt, ...) {
    if (!RFI_ME(s) || !rfi_listening(RF_EV_LOG) || rfi.quiet) return;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    rf_event e = {.kind = RF_EV_LOG, .thread = rfi.current->id, .site = s, .text = text};
    rfi_deliver(&e);
}

uint32_t rfi_choose(const rf_site *s, uint32_t n) {
    if (!n) rfi_fail(RF_DIAG_BAD_CHOICE, s, "RF_CHOOSE(0): there is no value to choose");
    if (!RFI_ME(s)) return 0;
    if (rfi.quiet) rfi_fail_here(s, "RF_CHOOSE");
    uint32_t chosen = rfi_choose_of(n, &rfi.input), t = rfi.current->id;
    if (RFI_UNLIKELY(rfi.strategy->input != NULL)) chosen = rfi.strategy->input(t, n, chosen);
    if (RFI_UNLIKELY(rfi_tape_to != NULL && n > 1)) rfi_tape_mended(chosen);
    rf_event e = {.kind = RF_EV_CHOOSE, .thread = t, .site = s, .value = chosen, .value2 = n};
    rfi_emit(&e);
    return chosen;
}
#endif
#endif
