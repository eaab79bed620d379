/* engine/heap.h: RF_MALLOC and its kin (docs/sync.md, The heap).
 *
 * Allocation is no scheduling point (no other thread knows the block yet); a free is one, and
 * counts as a write to every byte of the block.
 * Optimised: less, few programs use it often.
 */
#ifndef RFI_ENGINE_HEAP_H
#define RFI_ENGINE_HEAP_H
#include "engine/behaviour.h"
#include "engine/block.h"
#include "engine/interrupt.h"

#ifdef RFI_IMPL
/* A block that was freed becomes another one at the same address: who knows what was done there is
 * told by RF_EV_ALLOC that nothing was. */
RFI_FN RFI_COLD void rfi_block_again(const rfi_block *b, const rf_site *s) {
    rfi_again *a = &rfi.record->again;
    a->count++;
    a->thread = 0;
    a->former = b->number;
    a->freed = b->freed;
    a->freed_by = b->freed_by;
    a->site = s;
    rfi_wholes_forget(b->start, b->start + rfi_heap_whole(b->size));
    if (rfi.observed & RFI_ORDERED)
        rfi_behaviour_forget(b->start, b->start + rfi_heap_whole(b->size));
}

/* Room for a block at the end of those that there are; NULL: there is none. */
RFI_FN rfi_block *rfi_block_room(size_t n, size_t whole, size_t align) {
    size_t at = (rfi_heap.used + align - 1) & ~(align - 1);
    if (n > rfi_heap.bytes / 4 || align > rfi_heap.bytes / 4) return NULL;
    if (at + whole > rfi_heap.bytes / 2) return NULL;
    rfi_heap.block =
        rfi_grow(rfi_heap.block, &rfi_heap.capacity, rfi_heap.blocks + 1, sizeof *rfi_heap.block);
    rfi_block *b = &rfi_heap.block[rfi_heap.blocks++];
    b->start = rfi_heap.base + at;
    rfi_heap.used = at + whole;
    return b;
}

/* A block that begins at a multiple of `align`, a power of two from 16 on.  `event`: what the
 * analyses are told of its bytes, RFI_FRESH if they have no value. */
RFI_FN void *rfi_block_new(const rf_site *s, size_t n, size_t align, int fill, int event) {
    rfi_thr *t = RFI_ME(s);
    if (rfi.quiet) rfi_fail_here(s, "RF_MALLOC");
    rfi_settle();
    if (!rfi_heap.base) rfi_heap_open();
    size_t whole = rfi_heap_whole(n);
    rfi_block *b = RFI_UNLIKELY(rfi_heap.again) ? rfi_heap_take(whole, align) : NULL;
    uint32_t former = b ? b->number : 0;
    if (RFI_UNLIKELY(b != NULL)) rfi_block_again(b, s);
    if (rfi.run.checks & RFI_CHECK_FREED && rfi.run.threads > 1) rfi_unused();
    if (!b) b = rfi_block_room(n, whole, align);
    if (!b) return NULL;
    *b = (rfi_block){
        .start = b->start, .size = n, .made = s, .made_by = t->id, .number = ++rfi_heap.numbers};
    bool zeros = !fill && b->start >= rfi_heap.base + rfi_heap.high; /* never touched */
    if (rfi_heap.used > rfi_heap.high) rfi_heap.high = rfi_heap.used;
    if (fill)
        memset(b->start, fill, n);
    else if (!zeros)
        rfi_heap_zero(b->start, n);
    memset(b->start + n, RFI_RED, whole - n);
    rf_event e = {.kind = RF_EV_ALLOC,
                  .flags = rfi_makes(),
                  .thread = t->id,
                  .site = s,
                  .object = b->number,
                  .addr = b->start,
                  .size = n,
                  .value = (uint64_t)event,
                  .value2 = former};
    rfi_emit(&e);
    return b->start;
}

void *rfi_malloc(const rf_site *s, size_t n) {
    if (!RFI_ME(s)) return RFI_REAL(malloc)(n);
    rfi_unsafe(s, "malloc");
    return rfi_block_new(s, n, 16, RFI_FRESH, RFI_FRESH);
}

void *rfi_calloc(const rf_site *s, size_t count, size_t n) {
    if (!RFI_ME(s)) return RFI_REAL(calloc)(count, n);
    if (n && count > SIZE_MAX / n) return NULL;
    rfi_unsafe(s, "calloc");
    return rfi_block_new(s, count * n, 16, 0, 0);
}

RFI_FN const rfi_block *rfi_block_with(const void *p) {
    if (!rfi_heap.blocks || (uintptr_t)p - (uintptr_t)rfi_heap.base >= rfi_heap.used) return NULL;
    const rfi_block *b = rfi_heap_find(p);
    return (uintptr_t)p - (uintptr_t)b->start < b->size ? b : NULL;
}

const rf_site *rf_block_site(const void *p, uint32_t *thread) {
    const rfi_block *b = rfi_block_with(p);
    if (!b) return NULL;
    *thread = b->made_by;
    return b->made;
}

uint32_t rf_block_number(const void *p) {
    const rfi_block *b = rfi_block_with(p);
    return b ? b->number : 0;
}

/* The live block that begins at p. */
RFI_FN rfi_block *rfi_block_at(const rf_site *s, void *p) {
    if ((uintptr_t)p - (uintptr_t)rfi_heap.base >= rfi_heap.used)
        rfi_fail(RF_DIAG_BAD_FREE, s, "the pointer did not come from RF_MALLOC in this execution");
    rfi_block *b = rfi_heap_find(p);
    if ((char *)p != b->start)
        rfi_heap_fail(RF_DIAG_BAD_FREE, s, "the pointer points to", b,
                      (size_t)((char *)p - b->start));
    if (b->freed) rfi_heap_fail(RF_DIAG_DOUBLE_FREE, s, "second free of", b, 0);
    return b;
}

/* Memory that holds a synchronisation object in use can't go. */
RFI_FN void rfi_free_check_object(const rf_site *s, const rfi_block *b, const rfi_object *o,
                                  const rfi_thr *t, const char *how) {
    if ((uintptr_t)o - (uintptr_t)b->start >= b->size) return;
    char what[48];
    snprintf(what, sizeof what, "T%u %s the object at", t->id, how);
    rfi_heap_fail(RF_DIAG_DESTROY_BUSY, s, what, b, (size_t)((const char *)o - b->start));
}

/* Who is let go by a barrier has not left it yet.  Only its destruction waits for that, as in the C
 * library. */
RFI_FN void rfi_free_check_barrier(const rf_site *s, const rfi_block *b, const rfi_thr *t) {
    const rfi_object *o = t->leaves;
    if ((uintptr_t)o - (uintptr_t)b->start < b->size && o->number == t->next.object)
        rfi_free_check_object(s, b, o, t, "has not left");
}

RFI_FN void rfi_free_check_objects(const rf_site *s, const rfi_block *b) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (t->finished) continue;
        rfi_free_check_object(s, b, t->waits_on, t, "waits for");
        if (t->leaves) rfi_free_check_barrier(s, b, t);
        for (uint32_t k = 0; k < t->held_count; k++)
            rfi_free_check_object(s, b, t->held[k].object, t, "holds");
    }
}

/* `b` goes.  From now on every access of this execution is looked at. */
RFI_FN void rfi_block_gone(const rf_site *s, rfi_block *b) {
    rfi_red_check(b, s);
    if (rfi.run.objects) rfi_free_check_objects(s, b);
    b->freed = s;
    b->freed_by = rfi.current->id;
    if (b->size < RFI_HEAP_LARGE) {
        memset(b->start, RFI_STALE, b->size);
    } else {
        rfi_heap_zero(b->start, b->size);
        rfi_heap.returned = true;
    }
    if (RFI_UNLIKELY(rfi_heap.again)) rfi_heap_put(b);
    rfi.run.checks |= RFI_CHECK_FREED;
    rfi_hot.arm = rfi_arm_all;
}

void rfi_free(const rf_site *s, void *p) {
    rfi_thr *t = RFI_ME(s);
    if (!p) return;
    if (!t) {
        RFI_REAL(free)(p);
        return;
    }
    if (rfi.quiet) rfi_fail_here(s, "RF_FREE");
    rfi_unsafe(s, "free");
    rf_event *e = rfi_announce(t, RF_EV_FREE, s);
    e->flags = RF_EV_WRITES | RF_EV_FREES;
    e->addr = p;
    rfi_block *b = rfi_block_at(s, p);
    e->size = b->size ? b->size : 1;
    e->object = b->number;
    rfi_schedule(t);
    b = rfi_block_at(s, p); /* again: another thread may have freed it meanwhile, */
    e->object = b->number;  /* and got it */
    e->size = b->size ? b->size : 1;
    rfi_block_gone(s, b);
    rfi_executed(e);
}

void *rfi_realloc(const rf_site *s, void *p, size_t n) {
    if (!RFI_ME(s)) return RFI_REAL(realloc)(p, n);
    if (!p) return rfi_malloc(s, n);
    const rfi_block *b = rfi_block_at(s, p);
    size_t keep = b->size < n ? b->size : n;
    char *q = rfi_malloc(s, n);
    if (!q) return NULL;
    memcpy(q, p, keep);
    rfi_free(s, p);
    return q;
}
#endif
#endif
