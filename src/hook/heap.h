/* hook/heap.h: the heap of code that is tested without an edit is the one behind RF_MALLOC.
 *
 * Memory allocated before an execution, or inside the C library, belongs to the library and is
 * returned to it.  A free is a decision only where a plain access is one, since programs free
 * often.  All are weak: a program that has an allocator of this name keeps it.
 */
#ifndef RFI_HOOK_HEAP_H
#define RFI_HOOK_HEAP_H
#include "engine/access.h"
#include "engine/heap.h"
#include "hook/compiler.h"
#include "hook/maps.h"

#ifdef RFI_IMPL
# include <malloc.h>

/* Blocks are for the threads of an execution. */
RFI_INLINE bool rfi_heap_serves(void) { return rfi.current && !rfi.quiet; }

/* The bytes are told as known: not every unit says what it writes.  Who takes much need not use it.
 */
RFI_FN void *rfi_hook_block(const rf_site *s, size_t n, size_t align, int fill) {
    rfi_unsafe(s, "malloc");
    if (n >= RFI_HEAP_LARGE) fill = 0;
    void *p = rfi_block_new(s, n, align < 16 ? 16 : align, fill, 0);
    if (!p) errno = ENOMEM;
    return p;
}

RFI_FN void rfi_hook_free(const rf_site *s, void *p) {
    rfi_thr *t = rfi.current;
    if (!rfi_heap_has(p)) {
        rfi_hook_anew(p, rfi.listen ? RFI_REAL(malloc_usable_size)(p) : 0);
        RFI_REAL(free)(p);
        return;
    }
    if (!t) return; /* the execution has ended, and its heap with it */
    if (rfi_access_mode(t, s) & RFI_POINT) {
        rfi_free(s, p);
        return;
    }
    rfi_unsafe(s, "free");
    rfi_block *b = rfi_block_at(s, p);
    rf_event e = {.kind = RF_EV_FREE,
                  .flags = RF_EV_WRITES | RF_EV_FREES,
                  .thread = t->id,
                  .site = s,
                  .object = b->number,
                  .addr = p,
                  .size = b->size ? b->size : 1};
    rfi_block_gone(s, b);
    rfi_emit(&e);
}

/* How many bytes a block of ours has; of one that is another's, what the library says. */
RFI_FN size_t rfi_hook_usable(const rf_site *s, void *p) {
    if (!rfi_heap_has(p)) return RFI_REAL(malloc_usable_size)(p);
    return rfi.current ? rfi_block_at(s, p)->size : 0;
}

RFI_FN void *rfi_hook_realloc(const rf_site *s, void *p, size_t n) {
    if (!rfi_heap_serves() || (p && !rfi_heap_has(p))) return RFI_REAL(realloc)(p, n);
    size_t old = p ? rfi_block_at(s, p)->size : 0;
    void *q = NULL;
    if (n || !p) { /* to no bytes: glibc frees */
        q = rfi_hook_block(s, n, 16, RFI_FRESH);
        if (!q) return NULL;
    }
    if (q && p) memcpy(q, p, old < n ? old : n);
    if (p) rfi_hook_free(s, p);
    return q;
}

void *RFI_HOOK(malloc)(size_t n) {
    if (!rfi_heap_serves()) return RFI_REAL(malloc)(n);
    return rfi_hook_block(RFI_CALLER(), n, 16, RFI_FRESH);
}

void *RFI_HOOK(calloc)(size_t count, size_t n) {
    size_t bytes;
    if (!rfi_heap_serves()) return RFI_REAL(calloc)(count, n);
    if (__builtin_mul_overflow(count, n, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return rfi_hook_block(RFI_CALLER(), bytes, 16, 0);
}

void *RFI_HOOK(realloc)(void *p, size_t n) { return rfi_hook_realloc(RFI_CALLER(), p, n); }

void *RFI_HOOK(reallocarray)(void *p, size_t count, size_t n) {
    size_t bytes;
    if (!__builtin_mul_overflow(count, n, &bytes)) return rfi_hook_realloc(RFI_CALLER(), p, bytes);
    errno = ENOMEM;
    return NULL;
}

void RFI_HOOK(free)(void *p) {
    int error = errno;
    if (p) rfi_hook_free(RFI_CALLER(), p);
    errno = error;
}

RFI_FN bool rfi_hook_alignment(size_t align) { return align && !(align & (align - 1)); }

void *RFI_HOOK(aligned_alloc)(size_t align, size_t n) {
    if (!rfi_heap_serves() || !rfi_hook_alignment(align)) return RFI_REAL(aligned_alloc)(align, n);
    return rfi_hook_block(RFI_CALLER(), n, align, RFI_FRESH);
}

void *RFI_HOOK(memalign)(size_t align, size_t n) {
    if (!rfi_heap_serves() || !rfi_hook_alignment(align)) return RFI_REAL(memalign)(align, n);
    return rfi_hook_block(RFI_CALLER(), n, align, RFI_FRESH);
}

void *RFI_HOOK(valloc)(size_t n) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!rfi_heap_serves()) return RFI_REAL(memalign)(page, n);
    return rfi_hook_block(RFI_CALLER(), n, page, RFI_FRESH);
}

int RFI_HOOK(posix_memalign)(void **to, size_t align, size_t n) {
    if (!rfi_heap_serves()) return RFI_REAL(posix_memalign)(to, align, n);
    if (align % sizeof(void *) || !rfi_hook_alignment(align)) return EINVAL;
    int error = errno;
    void *p = rfi_hook_block(RFI_CALLER(), n, align, RFI_FRESH);
    errno = error;
    if (!p) return ENOMEM;
    RFI_PUT(to, p);
    return 0;
}

size_t RFI_HOOK(malloc_usable_size)(void *p) { return rfi_hook_usable(RFI_CALLER(), p); }

/* ---- what the C library allocates for its caller ---- */

/* A block of ours with the `n` bytes at `from`, and a zero behind them. */
RFI_FN char *rfi_hook_text(const rf_site *s, const char *from, size_t n) {
    char *p = rfi_heap_serves() ? rfi_hook_block(s, n + 1, 16, 0) : RFI_REAL(malloc)(n + 1);
    if (!p) return NULL;
    memcpy(p, from, n);
    p[n] = 0;
    return p;
}

char *RFI_HOOK(strdup)(const char *from) {
    RFI_READS(from, strlen(from) + 1);
    return rfi_hook_text(RFI_CALLER(), from, strlen(from));
}

char *RFI_HOOK(strndup)(const char *from, size_t most) {
    rfi_settle();
    size_t n = strnlen(from, most);
    RFI_READS(from, n + (n < most));
    return rfi_hook_text(RFI_CALLER(), from, strnlen(from, most));
}

int RFI_HOOK(vasprintf)(char **to, const char *format, va_list arguments) {
    char *text = NULL;
    rfi_settle();
    int n = RFI_REAL(vasprintf)(&text, format, arguments);
    if (n < 0) return n;
    char *made = rfi_hook_text(RFI_CALLER(), text, (size_t)n);
    RFI_REAL(free)(text);
    RFI_PUT(to, made);
    return made ? n : -1;
}

int RFI_HOOK(asprintf)(char **to, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    rfi_settle();
    va_start(arguments, format);
    int n = RFI_REAL(vasprintf)(&text, format, arguments);
    va_end(arguments);
    if (n < 0) return n;
    char *made = rfi_hook_text(RFI_CALLER(), text, (size_t)n);
    RFI_REAL(free)(text);
    RFI_PUT(to, made);
    return made ? n : -1;
}
#endif
#endif
