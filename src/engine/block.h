/* engine/block.h: the memory of RF_MALLOC, and its misuse.
 *
 * Blocks are laid out one behind the other in a region at a fixed address, so that addresses are
 * deterministic.  In most executions none is given out again, so that every touch of a freed block
 * is seen.  In the others the one that was freed last is, if it has the right size: what two owners
 * of one address do to each other can happen there only.
 * Behind each block stands a red zone, checked when the block is freed and at the end, which also
 * catches plain writes that no macro announced.  New memory is filled with RFI_FRESH, freed memory
 * with RFI_STALE, or zeros where that is much: its content never depends on earlier executions.
 */
#ifndef RFI_ENGINE_BLOCK_H
#define RFI_ENGINE_BLOCK_H
#include "engine/fail.h"
#include "mem/model.h"

#ifdef RFI_IMPL
# define RFI_HEAP_BYTES   ((size_t)1 << 36) /* reserved, not used */
# define RFI_HEAP_ADDRESS ((uintptr_t)0x720000000000)
# define RFI_HEAP_KEEP    ((size_t)64 << 20)  /* touched memory kept for the next execution */
# define RFI_HEAP_LARGE   ((size_t)128 << 10) /* blocks of this size give their memory back */
# define RFI_RED_BYTES    16u
# define RFI_STALE        0xdd
# define RFI_RED          0xfb
# define RFI_HEAP_CLASSES 64u /* lists of freed blocks, by size; the last is of all large ones: */
# define RFI_HEAP_TRIES   64u /* so many of it are looked at */

typedef struct rfi_block {
    char *start;
    size_t size;
    const rf_site *made, *freed; /* freed: NULL while it lives */
    uint32_t made_by, freed_by;
    uint32_t number; /* from 1, in the order of allocation */
    uint32_t older;  /* index + 1 of the one freed before it, of those to be given out again */
} rfi_block;

RFI_VAR struct rfi_heap {
    char *base;
    size_t bytes;     /* reserved */
    size_t used;      /* bytes in this execution */
    size_t high;      /* most bytes since memory was given back */
    bool returned;    /* memory of a freed block was, in this execution */
    rfi_block *block; /* by address */
    uint32_t blocks, capacity;
    uint32_t numbers;                  /* given to blocks */
    bool again;                        /* freed blocks are given out again: */
    uint32_t newest[RFI_HEAP_CLASSES]; /* index + 1 of the one that was freed last, by class */
} rfi_heap;

RFI_FN RFI_COLD void rfi_heap_open(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *want = (void *)RFI_HEAP_ADDRESS; /* a hint: taken where it is free */
    for (size_t bytes = RFI_HEAP_BYTES; bytes >= (size_t)1 << 24; bytes /= 2) {
        void *p = RFI_REAL(mmap)(want, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (p == MAP_FAILED) continue;
        rfi_heap.base = p;
        rfi_heap.bytes = bytes;
        rfi_heap.high = 0;
        return;
    }
    rfi_die("cannot reserve memory for RF_MALLOC: %s", strerror(errno));
}

/* Zeros, without memory behind most of them if they are many. */
RFI_FN void rfi_heap_zero(char *from, size_t n) {
    const size_t whole = (size_t)64 << 10; /* pages, whatever their size */
    size_t ahead = -(uintptr_t)from & (whole - 1), behind = ((uintptr_t)from + n) & (whole - 1);
    if (n < RFI_HEAP_LARGE) {
        memset(from, 0, n);
        return;
    }
    memset(from, 0, ahead);
    RFI_REAL(madvise)(from + ahead, n - ahead - behind, MADV_DONTNEED);
    memset(from + n - behind, 0, behind);
}

/* Does p lie where blocks are, in this execution or an earlier one? */
RFI_INLINE bool rfi_heap_has(const void *p) {
    return (uintptr_t)p - (uintptr_t)rfi_heap.base < rfi_heap.bytes;
}

/* Bytes from a block's start to where the next one may begin. */
RFI_INLINE size_t rfi_heap_whole(size_t n) { return (n + RFI_RED_BYTES + 15) & ~(size_t)15; }

RFI_INLINE uint32_t *rfi_heap_newest(size_t whole) {
    size_t c = whole / 16;
    return &rfi_heap.newest[c < RFI_HEAP_CLASSES ? c : RFI_HEAP_CLASSES - 1];
}

RFI_FN RFI_COLD void rfi_heap_put(rfi_block *b) {
    uint32_t *newest = rfi_heap_newest(rfi_heap_whole(b->size));
    b->older = *newest;
    *newest = (uint32_t)(b - rfi_heap.block) + 1;
}

/* The block that was freed last, of those with so much room, and is not free any more; or NULL. */
RFI_FN RFI_COLD rfi_block *rfi_heap_take(size_t whole, size_t align) {
    uint32_t *link = rfi_heap_newest(whole);
    for (unsigned i = 0; *link && i < RFI_HEAP_TRIES; i++) {
        rfi_block *b = &rfi_heap.block[*link - 1];
        if (rfi_heap_whole(b->size) == whole && !((uintptr_t)b->start & (align - 1))) {
            *link = b->older;
            return b;
        }
        link = &b->older;
    }
    return NULL;
}

/* The block in whose memory or red zone `p` lies. */
RFI_FN rfi_block *rfi_heap_find(const void *p) {
    uint32_t low = 0, high = rfi_heap.blocks;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (rfi_heap.block[middle].start <= (const char *)p)
            low = middle;
        else
            high = middle;
    }
    return &rfi_heap.block[low];
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_heap_fail(rf_diagnostic d, const rf_site *s, const char *what,
                                                const rfi_block *b, size_t offset) {
    char where[RFI_MESSAGE_BYTES / 2];
    rfi_text t = {where, where + sizeof where};
    rfi_append(&t, "block of %zu bytes, allocated by T%u at %s", b->size, b->made_by,
               RFI_AT(b->made));
    if (b->freed) rfi_append(&t, ", freed by T%u at %s", b->freed_by, RFI_AT(b->freed));
    if (d == RF_DIAG_DOUBLE_FREE) rfi_fail(d, s, "%s a %s", what, where);
    rfi_fail(d, s, "%s offset %zu of a %s", what, offset, where);
}

RFI_FN bool rfi_trace_on_stack(const char *p, uint32_t thread) {
    const rfi_fiber *f = &rfi.thread[thread]->fiber;
    return p >= (const char *)f->stack_low && p < (const char *)f->stack_high;
}

/* The thread on whose stack `p` is, which mostly is `by`; RFI_NO_THREAD if it is elsewhere. */
RFI_FN uint32_t rfi_trace_owner(const char *p, uint32_t by) {
    if (rfi_trace_on_stack(p, by)) return by;
    for (uint32_t i = rfi.run.threads; i--;) /* a stack may have served several: the newest */
        if (rfi_trace_on_stack(p, i)) return i;
    return RFI_NO_THREAD;
}

/* Another thread is given `p`, or uses it: is it on the stack of `t`? */
RFI_FN void rfi_frame_lend(char **lowest, const rfi_thr *t, void *p) {
    if (rfi_trace_on_stack(p, t->id) && (!*lowest || (char *)p < *lowest)) *lowest = p;
}

/* Part of a stack is nobody's.  From now on every access of this execution is looked at. */
RFI_INLINE void rfi_stack_ends(const char *from, const char *to) {
    rfi_run *r = &rfi.run;
    uintptr_t low = (uintptr_t)from, high = (uintptr_t)to;
    if (r->ended_bytes && r->ended < low) low = r->ended;
    if (r->ended_bytes && r->ended + r->ended_bytes > high) high = r->ended + r->ended_bytes;
    r->ended = low;
    r->ended_bytes = high - low;
    r->checks |= RFI_CHECK_ENDED;
    rfi_hot.arm = rfi_arm_all;
}

/* Is it among the stacks of threads that have ended, or near what functions have left behind? */
RFI_INLINE bool rfi_ended_near(const void *p) {
    return (uintptr_t)p - rfi.run.ended < rfi.run.ended_bytes;
}

/* What is wrong with using `p`, which may be on the stack of *owner?  The first thread's is there
 * as long as the process is; variables of a function that has returned, as long as nobody sees its
 * thread use the memory again. */
RFI_FN RFI_COLD rf_diagnostic rfi_stack_wrong(const void *p, uint32_t *owner) {
    *owner = rfi_ended_near(p) ? rfi_trace_owner(p, rfi.current->id) : RFI_NO_THREAD;
    if (*owner == RFI_NO_THREAD) return RF_DIAG_NONE;
    rfi_thr *t = rfi.thread[*owner];
    if (t->finished) return *owner ? RF_DIAG_USE_AFTER_END : RF_DIAG_NONE;
    if ((const char *)p < t->gone || (const char *)p >= t->gone_end) return RF_DIAG_NONE;
    if (t != rfi.current) return RF_DIAG_USE_AFTER_RETURN;
    t->gone_end = NULL;
    return RF_DIAG_NONE;
}

/* How `p` is used: not as the above. */
RFI_FN RFI_COLD void rfi_stack_check(const rf_site *s, const void *p, const char *what) {
    uint32_t owner;
    rf_diagnostic wrong = rfi_stack_wrong(p, &owner);
    if (wrong == RF_DIAG_USE_AFTER_END)
        rfi_fail(wrong, s, "%s the stack of T%u, which has ended", what, owner);
    if (wrong != RF_DIAG_NONE)
        rfi_fail(wrong, s, "%s the stack of T%u, in %s, which has returned", what, owner,
                 rfi_site_where(rfi.thread[owner]->left).function);
}

RFI_FN RFI_COLD void rfi_heap_check_slow(const rf_site *s, const void *p, size_t n, bool write) {
    char what[48];
    snprintf(what, sizeof what, "%s of %zu byte%s at", write ? "write" : "read", n,
             n == 1 ? "" : "s");
    rfi_stack_check(s, p, what);
    const rfi_block *b = rfi_heap.blocks && rfi_heap_has(p) ? rfi_heap_find(p) : NULL;
    size_t offset = b ? (size_t)((const char *)p - b->start) : 0;
    if (!b || (!b->freed && offset + n <= b->size)) return;
    rfi_heap_fail(b->freed ? RF_DIAG_USE_AFTER_FREE : RF_DIAG_OVERRUN, s, what, b, offset);
}

/* The byte is as in freed memory or in a red zone.  Others are live, or somebody has written there
 * unseen. */
RFI_INLINE bool rfi_heap_doubtful(const void *p) {
    unsigned char c = *(const volatile unsigned char *)p;
    return c == RFI_STALE || c == RFI_RED || (!c && rfi_heap.returned);
}

/* An access of n bytes at p may be to memory that is not the program's. */
RFI_INLINE bool rfi_heap_suspect(const void *p, size_t n) {
    uintptr_t at = (uintptr_t)p - (uintptr_t)rfi_heap.base;
    if (RFI_UNLIKELY(rfi_ended_near(p))) return true;
    return at < rfi_heap.bytes &&
           (n > RFI_RED_BYTES || at >= rfi_heap.used || rfi_heap_doubtful(p) ||
            rfi_heap_doubtful((const char *)p + n - 1));
}

/* An access of n bytes at p: is that memory the program's? */
RFI_INLINE void rfi_heap_check(const rf_site *s, const void *p, size_t n, bool write) {
    if (RFI_UNLIKELY(rfi_heap_suspect(p, n))) rfi_heap_check_slow(s, p, n, write);
}

/* The same for a synchronisation object. */
RFI_FN RFI_COLD void rfi_heap_check_object(const rf_site *s, const void *o) {
    rfi_stack_check(s, o, "synchronisation object at");
    if (!rfi_heap.blocks || !rfi_heap_has(o)) return;
    const rfi_block *b = rfi_heap_find(o);
    if (b->freed)
        rfi_heap_fail(RF_DIAG_USE_AFTER_FREE, s, "synchronisation object at", b,
                      (size_t)((const char *)o - b->start));
}

RFI_FN void rfi_red_check(const rfi_block *b, const rf_site *s) {
    const unsigned char *red = (const unsigned char *)b->start + b->size;
    for (uint32_t i = 0; i < RFI_RED_BYTES; i++)
        if (red[i] != RFI_RED)
            rfi_heap_fail(RF_DIAG_OVERRUN, s, "something was written at", b, b->size + i);
}

/* Every red zone intact? */
RFI_FN void rfi_heap_reds(void) {
    for (uint32_t i = 0; i < rfi_heap.blocks; i++) {
        const rfi_block *b = &rfi_heap.block[i];
        if (!b->freed) rfi_red_check(b, b->made);
    }
}

/* The execution ended well: nothing left?  Called with the last thread as the current one. */
RFI_FN void rfi_heap_finish(void) {
    rfi_heap_reds();
    const rfi_block *leak = NULL;
    uint32_t leaks = 0;
    for (uint32_t i = 0; i < rfi_heap.blocks; i++) {
        const rfi_block *b = &rfi_heap.block[i];
        if (!b->freed && !leaks++) leak = b;
    }
    if (leaks == 1)
        rfi_fail(RF_DIAG_LEAK, leak->made, "1 block of %zu bytes, allocated by T%u", leak->size,
                 leak->made_by);
    if (leaks)
        rfi_fail(RF_DIAG_LEAK, leak->made, "%u blocks; the first of %zu bytes, allocated by T%u",
                 leaks, leak->size, leak->made_by);
}

/* What was given back could have been given out again, and never is. */
RFI_FN void rfi_unused(void) { rfi.record->unused |= !rfi.plan->again; }

/* `again`: this execution gives freed blocks out again. */
RFI_INLINE void rfi_heap_reset(bool again) {
    if (RFI_LIKELY(!(rfi_heap.numbers | (unsigned)again | (unsigned)rfi_heap.again))) return;
    rfi_heap.used = rfi_heap.blocks = rfi_heap.numbers = 0;
    rfi_heap.returned = false;
    if (rfi_heap.again) memset(rfi_heap.newest, 0, sizeof rfi_heap.newest);
    rfi_heap.again = again;
    if (RFI_UNLIKELY(rfi_heap.high > RFI_HEAP_KEEP)) {
        RFI_REAL(madvise)(rfi_heap.base, rfi_heap.high, MADV_DONTNEED);
        rfi_heap.high = 0;
    }
}
#endif
#endif
