/* base/arena.h: memory that is freed all at once.
 *
 * An arena allocates zeroed blocks and is emptied at the end of an execution.  Its chunks are
 * kept, so emptying is free and an execution pays only for what it allocates.
 */
#ifndef RFI_BASE_ARENA_H
#define RFI_BASE_ARENA_H
#include "base/platform.h"

#ifdef RFI_IMPL
typedef struct rfi_chunk {
    struct rfi_chunk *next;
    size_t size;
} rfi_chunk;

typedef struct rfi_arena {
    rfi_chunk *first, *current;
    char *at, *end;
} rfi_arena;

# define RFI_CHUNK_BYTES ((size_t)256 << 10)

RFI_FN RFI_COLD void rfi_arena_grow(rfi_arena *a, size_t bytes) {
    rfi_chunk *c = a->current ? a->current->next : a->first;
    while (c && c->size < bytes) c = c->next; /* smaller ones are skipped until the next reset */
    if (!c) {
        size_t size = bytes > RFI_CHUNK_BYTES ? bytes : RFI_CHUNK_BYTES;
        c = RFI_REAL(malloc)(sizeof *c + size);
        if (!c) rfi_die("out of memory (%zu bytes)", size);
        c->size = size;
        c->next = a->current ? a->current->next : a->first;
        *(a->current ? &a->current->next : &a->first) = c;
    }
    a->current = c;
    a->at = (char *)(c + 1);
    a->end = a->at + c->size;
}

/* `bytes` bytes, aligned to 16, until the next reset; what is in them is anything. */
RFI_INLINE void *rfi_arena_raw(rfi_arena *a, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (RFI_UNLIKELY((size_t)(a->end - a->at) < bytes)) rfi_arena_grow(a, bytes);
    void *p = a->at;
    a->at += bytes;
    return p;
}

/* The same, zeroed. */
RFI_FN void *rfi_arena_take(rfi_arena *a, size_t bytes) {
    return memset(rfi_arena_raw(a, bytes), 0, bytes);
}

RFI_INLINE void rfi_arena_reset(rfi_arena *a) {
    a->current = a->first;
    if (!a->first) return;
    a->at = (char *)(a->first + 1);
    a->end = a->at + a->first->size;
}

/* Does something lie in it? */
RFI_FN bool rfi_arena_has(const rfi_arena *a, const void *p) {
    for (const rfi_chunk *c = a->first; c; c = c->next)
        if ((const char *)p > (const char *)c && (const char *)p <= (const char *)c + c->size)
            return true;
    return false;
}

RFI_FN void rfi_arena_free(rfi_arena *a) {
    for (rfi_chunk *c = a->first, *next; c; c = next) {
        next = c->next;
        RFI_REAL(free)(c);
    }
    *a = (rfi_arena){0};
}

RFI_FN RFI_COLD void *rfi_grow_now(void *array, uint32_t *capacity, uint32_t need,
                                   size_t element) {
    uint32_t n = *capacity ? *capacity : 16;
    while (n < need) n *= 2;
    char *p = RFI_REAL(realloc)(array, n * element);
    if (!p) rfi_die("out of memory (%zu bytes)", n * element);
    memset(p + *capacity * element, 0, (n - *capacity) * element);
    *capacity = n;
    return p;
}

/* Makes room for `need` elements in a growing array (malloc'd, never shrunk); new ones are zero. */
RFI_INLINE void *rfi_grow(void *array, uint32_t *capacity, uint32_t need, size_t element) {
    return RFI_LIKELY(need <= *capacity) ? array : rfi_grow_now(array, capacity, need, element);
}
#endif
#endif
