/* racefuzz_mem.h, version 0.1.0: the memory model of racefuzz, and what everything stands on.
 *
 * MADE FROM src/ BY src/join.sh.  Each part says which file to edit; then run `make headers`.
 *
 * WHAT IT IS
 *    The lower half of racefuzz.h, which includes it: ship both.  It can be used by itself: it
 *    knows no threads and no scheduler, starts nothing and prints nothing.
 *
 * SWITCHES, set before the first include
 *    RF_IMPLEMENTATION   emit the code here; without it there are declarations only
 *    RF_OFF              only the platform part is left
 *
 * IT DOES NOT
 *    - lock: its functions belong to one thread at a time;
 *    - return on lack of memory: it says so on stderr and exits with status 2.
 *
 * CONTENTS, search for the tag
 *    >>base/platform            what the compiler and the operating system give us
 *    >>base/arena               memory that is given back all at once
 *    >>base/prng                the one source of chance
 *    >>base/hash                a map from 64-bit keys to 64-bit values, emptied by counting a
 *                               generation on
 *    >>base/site                a place in the source
 *    >>mem/clock                vector clocks
 *
 * LICENCE
 *    MIT; see the file LICENSE of the distribution.
 */
#ifndef RACEFUZZ_MEM_H
#define RACEFUZZ_MEM_H

/* ==== edit src/base/platform.h =========================== >>base/platform */
/* base/platform.h: what the compiler and the operating system give us.
 *
 * Everything below this file in the tree may use C11, POSIX and the macros defined here, and
 * nothing else.  RFI_IMPL is defined where the engine is to be emitted.
 */
#ifndef RFI_BASE_PLATFORM_H
#define RFI_BASE_PLATFORM_H

#if defined RF_IMPLEMENTATION && !defined RF_OFF
# define RFI_IMPL 1
# ifdef __cplusplus
#  error "racefuzz: the unit that defines RF_IMPLEMENTATION must be compiled as C"
# endif
#endif
#if defined RFI_IMPL || defined RF_OFF
# if (defined _FEATURES_H || defined _STDC_PREDEF_SEEN) && !defined _GNU_SOURCE
#  error "racefuzz: include racefuzz.h first in this unit, or define _GNU_SOURCE"
# endif
# ifndef _GNU_SOURCE
#  define _GNU_SOURCE 1 /* MAP_ANONYMOUS, REG_RIP, pthread_mutex_timedlock under -std=c11 */
# endif
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined __GNUC__
# error "racefuzz needs gcc or clang (GNU statement expressions and __auto_type)"
#endif

#define RFI_CAT_(a, b)   a##b
#define RFI_CAT(a, b)    RFI_CAT_(a, b)
#define RFI_LIKELY(x)    __builtin_expect(!!(x), 1)
#define RFI_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define RFI_COLD         __attribute__((cold, noinline))
#define RFI_NORETURN     __attribute__((noreturn))
#define RFI_UNUSED       __attribute__((unused))
#define RFI_PRINTF(f, a) __attribute__((format(printf, f, a)))
/* Internal function: every source header also compiles alone, where some go unused. */
#define RFI_FN     static __attribute__((unused))
#define RFI_INLINE static inline __attribute__((always_inline, unused))

#ifdef __cplusplus
# define RFI_EXTERN_C_BEGIN extern "C" {
# define RFI_EXTERN_C_END   }
#else
# define RFI_EXTERN_C_BEGIN
# define RFI_EXTERN_C_END
#endif

#if defined __SANITIZE_ADDRESS__
# define RFI_ASAN 1
#elif defined __has_feature
# if __has_feature(address_sanitizer)
#  define RFI_ASAN 1
# endif
#endif
#if defined __SANITIZE_THREAD__
# define RFI_TSAN 1
#elif defined __has_feature
# if __has_feature(thread_sanitizer)
#  define RFI_TSAN 1
# endif
#endif

#ifdef RFI_IMPL
# include <errno.h>
# include <fcntl.h>
# include <limits.h>
# include <pthread.h>
# include <setjmp.h>
# include <signal.h>
# include <stdarg.h>
# include <stdio.h>
# include <stdlib.h>
# include <string.h>
# include <sys/ioctl.h>
# include <sys/mman.h>
# include <sys/resource.h>
# include <sys/stat.h>
# include <sys/time.h>
# include <sys/types.h>
# include <sys/wait.h>
# include <time.h>
# include <unistd.h>
# ifdef __linux__
#  include <linux/futex.h>
#  include <sys/syscall.h>
# endif

/* The engine's own failure (no memory, a broken promise of the kernel): it can't go on. */
RFI_FN RFI_COLD RFI_NORETURN RFI_PRINTF(1, 2) void rfi_die(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("racefuzz: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    _exit(2);
}

/* Fresh zeroed pages; shared ones survive the death of the worker that wrote them. */
RFI_FN void *rfi_pages(size_t bytes, bool shared) {
    int flags = MAP_ANONYMOUS | MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) rfi_die("cannot map %zu bytes: %s", bytes, strerror(errno));
    return p;
}
#endif /* RFI_IMPL */
#endif

#ifndef RF_OFF

/* ==== edit src/base/arena.h ============================== >>base/arena */
/* base/arena.h: memory that is given back all at once.
 *
 * An arena hands out zeroed blocks and is emptied at the end of an execution; its chunks are kept,
 * so that emptying costs nothing and an execution pays only for what it took.
 */
#ifndef RFI_BASE_ARENA_H
#define RFI_BASE_ARENA_H

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
        c = malloc(sizeof *c + size);
        if (!c) rfi_die("out of memory (%zu bytes)", size);
        c->size = size;
        c->next = a->current ? a->current->next : a->first;
        *(a->current ? &a->current->next : &a->first) = c;
    }
    a->current = c;
    a->at = (char *)(c + 1);
    a->end = a->at + c->size;
}

/* `bytes` zeroed bytes, aligned to 16, until the next reset. */
RFI_FN void *rfi_arena_take(rfi_arena *a, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (RFI_UNLIKELY((size_t)(a->end - a->at) < bytes)) rfi_arena_grow(a, bytes);
    void *p = a->at;
    a->at += bytes;
    return memset(p, 0, bytes);
}

RFI_INLINE void rfi_arena_reset(rfi_arena *a) {
    a->current = NULL;
    a->at = a->end = NULL;
}

/* Makes room for `need` elements in a growing array (malloc'd, never shrunk); new ones are zero. */
RFI_FN void *rfi_grow(void *array, uint32_t *capacity, uint32_t need, size_t element) {
    if (RFI_LIKELY(need <= *capacity)) return array;
    uint32_t n = *capacity ? *capacity : 16;
    while (n < need) n *= 2;
    char *p = realloc(array, n * element);
    if (!p) rfi_die("out of memory (%zu bytes)", n * element);
    memset(p + *capacity * element, 0, (n - *capacity) * element);
    *capacity = n;
    return p;
}
#endif
#endif

/* ==== edit src/base/prng.h =============================== >>base/prng */
/* base/prng.h: the one source of chance.
 *
 * Every choice of an execution comes from one seed, split by purpose, so that a feature which draws
 * more or less (memory, inputs) leaves the other streams as they were.  The generator is SplitMix64
 * (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): one add and
 * one finaliser a draw, seeding costs nothing.
 */
#ifndef RFI_BASE_PRNG_H
#define RFI_BASE_PRNG_H

typedef struct rf_prng {
    uint64_t state;
} rf_prng;

#ifdef RFI_IMPL
# define RFI_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The finaliser of SplitMix64: a bijection whose output bits all depend on all input bits. */
RFI_INLINE uint64_t rfi_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* One of several streams of a seed that is itself well mixed.  They are far apart on the one cycle
 * of the generator; what is drawn is mixed anyway. */
RFI_INLINE rf_prng rfi_prng_make(uint64_t seed, uint64_t purpose) {
    rf_prng r = {seed + purpose * UINT64_C(0xd1342543de82ef95)};
    return r;
}

RFI_INLINE uint64_t rfi_draw(rf_prng *r) { return rfi_mix(r->state += RFI_GOLDEN); }

/* Uniform in 0..n-1 for n >= 1, without bias (Lemire 2019, multiply and reject). */
RFI_INLINE uint32_t rfi_below(rf_prng *r, uint32_t n) {
    uint64_t m = (rfi_draw(r) >> 32) * n;
    if (RFI_UNLIKELY((uint32_t)m < n)) {
        uint32_t reject = (0u - n) % n;
        while ((uint32_t)m < reject) m = (rfi_draw(r) >> 32) * n;
    }
    return (uint32_t)(m >> 32);
}

RFI_INLINE bool rfi_coin(rf_prng *r) { return rfi_draw(r) >> 63; }

/* True with probability p / 65536. */
RFI_INLINE bool rfi_chance(rf_prng *r, uint32_t p) { return (rfi_draw(r) >> 48) < p; }
#endif
#endif

/* ==== edit src/base/hash.h =============================== >>base/hash */
/* base/hash.h: a map from 64-bit keys to 64-bit values, emptied by counting a generation on.
 *
 * Open addressing with linear probing, at most half full.  Nothing ever iterates over it in table
 * order, so that no result depends on addresses.
 */
#ifndef RFI_BASE_HASH_H
#define RFI_BASE_HASH_H

#ifdef RFI_IMPL
typedef struct rfi_slot {
    uint64_t key, value;
    uint32_t generation;
} rfi_slot;

typedef struct rfi_map {
    rfi_slot *slots;
    uint32_t mask, used, generation;
} rfi_map;

RFI_FN uint64_t rfi_hash_text(const char *s) {
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return rfi_mix(h);
}

RFI_INLINE rfi_slot *rfi_map_probe(const rfi_map *m, uint64_t key) {
    uint32_t i = (uint32_t)rfi_mix(key) & m->mask;
    while (m->slots[i].generation == m->generation && m->slots[i].key != key) i = (i + 1) & m->mask;
    return &m->slots[i];
}

RFI_FN RFI_COLD void rfi_map_grow(rfi_map *m) {
    rfi_map bigger = {0};
    bigger.mask = m->slots ? m->mask * 2 + 1 : 63;
    bigger.generation = 1;
    bigger.slots = calloc((size_t)bigger.mask + 1, sizeof *bigger.slots);
    if (!bigger.slots) rfi_die("out of memory (map of %u)", bigger.mask + 1);
    for (uint32_t i = 0; m->slots && i <= m->mask; i++) {
        if (m->slots[i].generation != m->generation) continue;
        rfi_slot *s = rfi_map_probe(&bigger, m->slots[i].key);
        *s = m->slots[i];
        s->generation = 1;
    }
    bigger.used = m->used;
    free(m->slots);
    *m = bigger;
}

/* The value under `key`, or NULL. */
RFI_INLINE uint64_t *rfi_map_find(const rfi_map *m, uint64_t key) {
    if (RFI_UNLIKELY(!m->used)) return NULL;
    rfi_slot *s = rfi_map_probe(m, key);
    return s->generation == m->generation ? &s->value : NULL;
}

/* The value under `key`, made zero if it was not there. */
RFI_FN uint64_t *rfi_map_at(rfi_map *m, uint64_t key) {
    if (RFI_UNLIKELY(!m->slots || m->used * 2 > m->mask)) rfi_map_grow(m);
    rfi_slot *s = rfi_map_probe(m, key);
    if (s->generation != m->generation) {
        *s = (rfi_slot){.key = key, .generation = m->generation};
        m->used++;
    }
    return &s->value;
}

RFI_FN void rfi_map_reset(rfi_map *m) {
    m->used = 0;
    if (!m->slots) return;
    if (++m->generation == 0) { /* wrapped: old stamps could look new */
        memset(m->slots, 0, ((size_t)m->mask + 1) * sizeof *m->slots);
        m->generation = 1;
    }
}
#endif
#endif

/* ==== edit src/base/site.h =============================== >>base/site */
/* base/site.h: a place in the source.
 *
 * Every macro of the public face has one static, constant descriptor, so that it may stand in an
 * inline function and in any number of units.  The word that arms a site stands apart, in a table
 * indexed by `slot`, which is computed at compile time from the line and the kind: sites that share
 * a slot are told apart on the slow path.  A statement in a header has one descriptor a unit, and
 * units may reach it by different paths: all have the same slot, so that arming one arms them all.
 *
 * Identity (docs/internals.md): two sites are the same statement when file name (without its
 * folder), line, kind and expression agree, whichever unit they were compiled in.
 */
#ifndef RFI_BASE_SITE_H
#define RFI_BASE_SITE_H

/* What stands at a site. R and W make the kinds of a racing pair. */
typedef enum rf_site_kind { RF_SITE_READ = 0, RF_SITE_WRITE = 1, RF_SITE_OTHER = 2 } rf_site_kind;

typedef struct rf_site {
    const char *file, *function, *text; /* text: the expression as written */
    uint32_t line;
    uint16_t kind, slot;
} rf_site;

#define RFI_SLOTS      8192u
#define RFI_SLOT(kind) ((uint16_t)(((unsigned)__LINE__ * 2u + (kind)) & (RFI_SLOTS - 1u)))
#define RFI_SITE_INIT(kind, text) \
 { __FILE__, __func__, text, __LINE__, kind, RFI_SLOT(kind) }

/* A site in an expression: the address of a static constant descriptor.  Not for a braced
 * initialiser: if that is constant otherwise, clang 14 leaves the descriptor empty. */
/* clang-format off */
#define RFI_SITE(text) \
    __extension__({ \
        static const rf_site rfi_site_here = RFI_SITE_INIT(RF_SITE_OTHER, text); \
        &rfi_site_here; \
    })
/* clang-format on */

#ifdef RFI_IMPL
RFI_FN const char *rfi_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

# define RFI_KEY_BITS 40

/* 40 bits, the same in every process and with every compiler; never 0 for a site. */
RFI_FN uint64_t rfi_site_key(const rf_site *s) {
    if (!s) return 0;
    uint64_t h = rfi_hash_text(rfi_basename(s->file)) + s->line * UINT64_C(4) + s->kind;
    return rfi_mix(h ^ rfi_hash_text(s->text)) >> (64 - RFI_KEY_BITS) | 1;
}

/* Numbers sites in the order of their first use; each number stands for one statement. */
typedef struct rfi_sites {
    rfi_map by_pointer, by_key; /* -> number + 1 */
    const rf_site **site;
    uint64_t *key;
    uint32_t count, capacity, key_capacity;
} rfi_sites;

static rfi_sites rfi_site_table RFI_UNUSED;

/* The number of the statement with this key, met already or not. */
RFI_FN RFI_COLD uint32_t rfi_site_number_of_key(uint64_t key) {
    rfi_sites *t = &rfi_site_table;
    uint64_t *n = rfi_map_at(&t->by_key, key);
    if (!*n) {
        t->site = rfi_grow((void *)t->site, &t->capacity, t->count + 1, sizeof *t->site);
        t->key = rfi_grow(t->key, &t->key_capacity, t->count + 1, sizeof *t->key);
        t->key[t->count] = key;
        *n = ++t->count;
    }
    return (uint32_t)*n - 1;
}

RFI_FN RFI_COLD uint32_t rfi_site_add(const rf_site *s) {
    uint32_t n = rfi_site_number_of_key(rfi_site_key(s));
    if (!rfi_site_table.site[n]) rfi_site_table.site[n] = s;
    *rfi_map_at(&rfi_site_table.by_pointer, (uint64_t)(uintptr_t)s) = n + 1;
    return n;
}

RFI_INLINE uint32_t rfi_site_number(const rf_site *s) {
    uint64_t *n = rfi_map_find(&rfi_site_table.by_pointer, (uint64_t)(uintptr_t)s);
    return RFI_LIKELY(n) ? (uint32_t)*n - 1 : rfi_site_add(s);
}

/* rfi_site_key, computed once. */
RFI_INLINE uint64_t rfi_site_known_key(const rf_site *s) {
    uint32_t n = rfi_site_number(s);
    return rfi_site_table.key[n];
}
#endif
#endif

/* ==== edit src/mem/clock.h =============================== >>mem/clock */
/* mem/clock.h: vector clocks (docs/internals.md, Two relations).
 *
 * A clock is as long as the highest thread number in it; missing components are zero.  Memory comes
 * from an arena that the owner empties at the end of the execution.
 */
#ifndef RFI_MEM_CLOCK_H
#define RFI_MEM_CLOCK_H

#ifdef RFI_IMPL
typedef struct rfi_clock {
    uint32_t *c;
    uint32_t n, capacity;
} rfi_clock;

RFI_INLINE uint32_t rfi_clock_get(const rfi_clock *a, uint32_t t) { return t < a->n ? a->c[t] : 0; }

RFI_FN void rfi_clock_reserve(rfi_clock *a, uint32_t n, rfi_arena *arena) {
    if (n <= a->n) return;
    if (n > a->capacity) {
        uint32_t capacity = n < 8 ? 8 : n + n / 2;
        uint32_t *c = rfi_arena_take(arena, capacity * sizeof *c);
        if (a->n) memcpy(c, a->c, a->n * sizeof *c);
        a->c = c;
        a->capacity = capacity;
    }
    memset(a->c + a->n, 0, (n - a->n) * sizeof *a->c);
    a->n = n;
}

/* A := A join B */
RFI_FN void rfi_clock_join(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    rfi_clock_reserve(a, b->n, arena);
    for (uint32_t i = 0; i < b->n; i++)
        if (b->c[i] > a->c[i]) a->c[i] = b->c[i];
}

/* A := B */
RFI_FN void rfi_clock_copy(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    rfi_clock_reserve(a, b->n, arena);
    a->n = b->n;
    if (b->n) memcpy(a->c, b->c, b->n * sizeof *a->c);
}
#endif
#endif

#endif /* !RF_OFF */
#endif /* RACEFUZZ_MEM_H */

#if defined RF_IMPLEMENTATION && !defined RF_OFF && !defined RFI_IMPL
# error "define RF_IMPLEMENTATION before the first include of racefuzz_mem.h"
#endif
