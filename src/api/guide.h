/* api/guide.h: annotations of a test that direct racefuzz (docs/findings.md). */
#ifndef RFI_API_GUIDE_H
#define RFI_API_GUIDE_H
#include "api/macros.h"
#include "engine/entry.h"

/* RF_ATOMIC_BLOCK("name") { ... }: what other threads do must not show within the block, as if it
 * ran at once.  Leaving it by return, break or goto ends it.  Blocks nest.  The name is a constant
 * string.  (Flanagan and Freund, POPL 2004; Park and Sen, FSE 2008) */
#define RF_ATOMIC_BLOCK(name) RFI_ATOMIC_BLOCK(RFI_CAT(rfi_block_, __COUNTER__), name)

/* The objects *a and *b belong together: nobody may see one of them changed and the other not yet.
 * Said in each execution anew, before the threads that use them start. */
#define RF_ATOMIC_SET(name, a, b) \
    rfi_atomic_set(RFI_SITE(name), name, a, sizeof *(a), b, sizeof *(b))

/* A concurrent breakpoint: executions try to have two threads stand at breakpoints of this name
 * with the same address at once (NULL: of this name alone).  Then a coin decides who goes first, or
 * the one at RF_BREAKPOINT_FIRST does.  `if (condition)` in front makes it conditional.  The name
 * is a constant string.  (Joshi et al., CAV 2009) */
#define RF_BREAKPOINT(name, address)       rfi_breakpoint(RFI_SITE(name), name, address, 0)
#define RF_BREAKPOINT_FIRST(name, address) rfi_breakpoint(RFI_SITE(name), name, address, 1)

/* ---- how ---- */

typedef struct rfi_atomic_block {
    const rf_site *site;
    bool open; /* the block has not been run yet */
} rfi_atomic_block;

RFI_EXTERN_C_BEGIN
rfi_atomic_block rfi_atomic_begin(const rf_site *s, const char *name);
void rfi_atomic_end(rfi_atomic_block *b);
void rfi_atomic_set(const rf_site *s, const char *name, const volatile void *a, size_t a_size,
                    const volatile void *b, size_t b_size);
void rfi_breakpoint(const rf_site *s, const char *name, const volatile void *p, bool first);
RFI_EXTERN_C_END

#define RFI_ATOMIC_BLOCK(block, name) \
    for (rfi_atomic_block block RFI_CLEANUP(rfi_atomic_end) = \
             rfi_atomic_begin(RFI_SITE(name), name); \
         block.open; block.open = 0)

#ifdef RFI_IMPL
# include "engine/sched.h"

/* Delivers an event with a text that is not scheduled by itself. */
RFI_FN void rfi_remark(unsigned kind, const rf_site *s, const char *text, const volatile void *p,
                       size_t n) {
    if (!rfi_listening(kind) || rfi.quiet || !rfi.current) return;
    rf_event e = {.kind = (uint8_t)kind,
                  .thread = rfi.current->id,
                  .site = s,
                  .addr = (const void *)(uintptr_t)p,
                  .size = n,
                  .text = text};
    rfi_deliver(&e);
}

rfi_atomic_block rfi_atomic_begin(const rf_site *s, const char *name) {
    rfi_remark(RF_EV_BLOCK, s, name, NULL, 0);
    return (rfi_atomic_block){s, true};
}

void rfi_atomic_end(rfi_atomic_block *b) { rfi_remark(RF_EV_BLOCK_END, b->site, NULL, NULL, 0); }

void rfi_atomic_set(const rf_site *s, const char *name, const volatile void *a, size_t a_size,
                    const volatile void *b, size_t b_size) {
    rfi_remark(RF_EV_SET, s, name, a, a_size);
    rfi_remark(RF_EV_SET, s, name, b, b_size);
}

void rfi_breakpoint(const rf_site *s, const char *name, const volatile void *p, bool first) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    rf_event *e = rfi_announce(t, RF_EV_BREAK, s);
    e->addr = (const void *)(uintptr_t)p;
    e->text = name;
    e->flags = first ? RF_EV_FIRST : 0;
    rfi_schedule(t);
    rfi_executed(e);
}
#endif
#endif
