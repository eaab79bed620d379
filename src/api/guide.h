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

/* RF_EXCLUSIVE_WRITER(x) { ... }: nobody else writes x meanwhile, RF_EXCLUSIVE_ACCESS(x) { ... }:
 * nobody else touches it, by atomics and intended races either.  The block ends as above.  (KCSAN's
 * ASSERT_EXCLUSIVE_WRITER and _ACCESS) */
#define RF_EXCLUSIVE_WRITER(lvalue) \
    RFI_EXCLUSIVE(RFI_CAT(rfi_claim_, __COUNTER__), #lvalue, lvalue, 0)
#define RF_EXCLUSIVE_ACCESS(lvalue) \
    RFI_EXCLUSIVE(RFI_CAT(rfi_claim_, __COUNTER__), #lvalue, lvalue, 1)

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

typedef struct rfi_exclusive_block {
    const rf_site *site;
    const volatile void *at;
    size_t size;
    bool all, open;
} rfi_exclusive_block;

RFI_EXTERN_C_BEGIN
rfi_atomic_block rfi_atomic_begin(const rf_site *s, const char *name);
void rfi_atomic_end(rfi_atomic_block *b);
void rfi_atomic_set(const rf_site *s, const char *name, const volatile void *a, size_t a_size,
                    const volatile void *b, size_t b_size);
void rfi_breakpoint(const rf_site *s, const char *name, const volatile void *p, bool first);
rfi_exclusive_block rfi_exclusive_begin(const rf_site *s, const volatile void *p, size_t n,
                                        bool all);
void rfi_exclusive_end(rfi_exclusive_block *b);
RFI_EXTERN_C_END

#define RFI_ATOMIC_BLOCK(block, name) \
    for (rfi_atomic_block block RFI_CLEANUP(rfi_atomic_end) = \
             rfi_atomic_begin(RFI_SITE(name), name); \
         block.open; block.open = 0)

#define RFI_EXCLUSIVE(block, text, lvalue, all) \
    for (rfi_exclusive_block block RFI_CLEANUP(rfi_exclusive_end) = \
             rfi_exclusive_begin(RFI_SITE(text), &(lvalue), sizeof(lvalue), all); \
         block.open; block.open = 0)

#ifdef RFI_IMPL
# include "engine/sched.h"

/* Delivers an event with a text that is not scheduled by itself. */
RFI_FN void rfi_remark(unsigned kind, const rf_site *s, const char *text, const volatile void *p,
                       size_t n) {
    if (!RFI_ME(s) || !rfi_listening(kind) || rfi.quiet) return;
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

/* Announces the begin or the end of a claim; NULL: nobody is to know of it. */
RFI_FN const rf_event *rfi_claim_point(unsigned kind, const rfi_exclusive_block *b) {
    rfi_thr *t = RFI_ME(b->site);
    if (!t || rfi.quiet) return NULL;
    rf_event *e = rfi_announce(t, kind, b->site);
    e->flags = (uint16_t)(RF_EV_CLAIMS | RF_EV_RANGE | (b->all ? RF_EV_WRITES : RF_EV_READS));
    e->addr = (const void *)(uintptr_t)b->at;
    e->size = b->size;
    rfi_schedule(t);
    return e;
}

rfi_exclusive_block rfi_exclusive_begin(const rf_site *s, const volatile void *p, size_t n,
                                        bool all) {
    const rfi_exclusive_block b = {.site = s, .at = p, .size = n, .all = all, .open = true};
    const rf_event *e = rfi_claim_point(RF_EV_CLAIM, &b);
    if (!e) return b;
    rfi_heap_check(s, e->addr, n, false);
    rfi_claim_add(e);
    rfi_executed(e);
    return b;
}

void rfi_exclusive_end(rfi_exclusive_block *b) {
    const rf_event *e = rfi_claim_point(RF_EV_CLAIM_END, b);
    if (!e) return;
    rfi_claim_drop(e);
    rfi_executed(e);
}

void rfi_breakpoint(const rf_site *s, const char *name, const volatile void *p, bool first) {
    rfi_thr *t = RFI_ME(s);
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
