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
 *    >>mem/face                 the memory model's public face
 *    >>mem/threads              what threads know of each other, and the messages that tell it
 *    >>mem/core                 what the parts of the model share: settings, threads, chance, the
 *                               report
 *    >>mem/shadow               a pointer for every eight bytes of the program's memory that were
 *                               touched
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

/* ==== edit src/mem/face.h ================================ >>mem/face */
/* mem/face.h: the memory model's public face (docs/memory.md).
 *
 * A model of memory for simulators of threads.  It knows threads by number and locations by address
 * and size, and is driven by calls, in the order in which the simulated program's operations
 * execute.  It answers every load with a value that the C11 memory model (for atomics) or the
 * progressive Java memory model (for plain data under suspicion) allows.
 *
 *     rf_mem *m = rf_mem_new(&(rf_mem_options){.atomics = RF_MEM_C11});
 *     rf_mem_reset(m, seed);                                  an execution begins, with thread 0
 *     rf_mem_fork(m, 0, 1);
 *     rf_mem_store(m, &(rf_mem_access){.thread = 1, .order = __ATOMIC_RELEASE, .addr = &x,
 *                                      .size = sizeof x}, &value);
 *     rf_mem_load(m, &(rf_mem_access){.thread = 0, .order = __ATOMIC_ACQUIRE, .addr = &x,
 *                                     .size = sizeof x}, &value);
 *
 * Thread rules: a model belongs to one thread at a time; two models share nothing.  Lack of memory
 * ends the process (rfi_die).  Memory itself always holds the value of the store that executed
 * last; the value of a location before its first access is taken from it.
 *
 * Sources: Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI
 * 2017 (RC11); Flanagan, Freund, "Adversarial memory for detecting destructive races", PLDI 2010;
 * Luo, Demsky, "C11Tester", ASPLOS 2021 (constraints on the modification order).
 */
#ifndef RFI_MEM_FACE_H
#define RFI_MEM_FACE_H

typedef struct rf_mem rf_mem;

/* What atomic operations may return. */
typedef enum rf_mem_model {
    RF_MEM_C11,      /* RC11 with an open modification order: all that an execution in the order of
                        sb, rf and psc can reach */
    RF_MEM_C11_FAST, /* the modification order is the order of execution: fewer outcomes, cheaper */
    RF_MEM_SC        /* the newest store, always */
} rf_mem_model;

/* Which of the values that a load may return it does return. */
typedef enum rf_heuristic {
    RF_PICK_RECENT,           /* the newest with probability 1/2, else as RF_PICK_RANDOM */
    RF_PICK_NEWEST,           /* sequentially consistent */
    RF_PICK_OLDEST,           /* the oldest one */
    RF_PICK_OLDEST_DIFFERENT, /* the oldest whose value is not what the last read of the location
                                 returned; if there is none, the newest */
    RF_PICK_RANDOM,           /* each with the same probability */
    RF_PICK_RANDOM_DIFFERENT, /* the same among those that differ; if there is none, the newest */
    RF_PICK_MIXED             /* one of the four before, drawn at every reset */
} rf_heuristic;

enum {
    RF_MEM_HISTORY = 32,     /* stores kept of a location, the default */
    RF_MEM_HISTORY_MAX = 64, /* the largest setting */
    RF_MEM_FAIRNESS = 64     /* old values in a row, the default */
};

/* Zero means the default everywhere. */
typedef struct rf_mem_options {
    rf_mem_model atomics;
    rf_heuristic atomic_pick; /* among the stores an atomic load may read from */
    rf_heuristic plain_pick;  /* among the writes a plain read of a watched location may see */
    uint32_t history;         /* stores kept of a location: 2 .. RF_MEM_HISTORY_MAX */
    uint32_t fairness;        /* after so many reads of a location by a thread that could have
                                 returned the newest value and did not, one returns it */
    uint32_t sample;          /* of a watched array, the elements that carry a history: bit i =
                                 element i; 0 = elements 0 and 1 (Flanagan, Freund, section 5.2) */
    bool whole;               /* plain values of 8 bytes and more are never torn */
    bool cxx20;               /* C++20: a release sequence does not go on through later stores of
                                 the thread that heads it */
    /* Called for every choice among n > 1 (returns 0 .. n-1) instead of the model's own generator:
     * for tools that enumerate.  With it the pick heuristics are off: everything allowed is
     * offered.  Called from inside the model; must not call it. */
    uint32_t (*choose)(void *arg, uint32_t n);
    void *arg;
} rf_mem_options;

enum { RF_MEM_PLAIN = -1 }; /* rf_mem_access.order: not atomic */

/* One access.  An atomic one has a size of 1, 2, 4, 8 or 16 and is aligned to it. */
typedef struct rf_mem_access {
    uint32_t thread;
    int order; /* __ATOMIC_* or RF_MEM_PLAIN; consume is taken as acquire */
    const volatile void *addr;
    size_t size;
    const void *tag; /* the caller's (a place in the source); comes back in rf_mem_origin */
} rf_mem_access;

/* A write, as told about a read. */
typedef struct rf_mem_origin {
    uint32_t thread; /* RF_MEM_NOBODY: the value that was there at the first access */
    int order;
    const void *tag;
    uint64_t value; /* the first eight bytes (of the 4-byte unit, for plain data) */
} rf_mem_origin;

#define RF_MEM_NOBODY UINT32_MAX

/* What was unusual about an access. */
enum {
    RF_MEM_STALE = 1,       /* a read: newer writes than `from` existed */
    RF_MEM_TORN = 2,        /* a plain read: units from two writes, `from` and `other` */
    RF_MEM_RACE = 4,        /* unordered with a conflicting access, `other`, and one of the two is
                               not atomic: only for locations that were accessed atomically */
    RF_MEM_UNANNOUNCED = 8, /* memory held a value that no announced write had put there: taken
                               as the newest write, ordered before everything after it */
    RF_MEM_MISFIT = 16,     /* atomic accesses of different sizes overlap here */
    RF_MEM_INDETERMINATE = 32, /* a read of memory that rf_mem_alloc gave and nobody has written */
    RF_MEM_FORCED = 64         /* fairness decided: the newest value was returned */
};

/* About the last load, store or read-modify-write: valid until the next call. */
typedef struct rf_mem_report {
    unsigned flags;
    uint32_t visible; /* how many writes the read could have returned */
    uint32_t hidden;  /* how many newer writes than `from` there were */
    rf_mem_origin from, other, newest;
} rf_mem_report;

RFI_EXTERN_C_BEGIN
/* A model; NULL options = all defaults.  Unusable settings are put right (history into its limits).
 * Free it with rf_mem_free. */
rf_mem *rf_mem_new(const rf_mem_options *options);
void rf_mem_free(rf_mem *m);
/* An execution begins: nothing is known of any location, thread 0 is alive, and the generator
 * starts from `seed`.  Costs no more than what the last execution used.  NULL keeps the options. */
void rf_mem_reset(rf_mem *m, uint64_t seed, const rf_mem_options *options);

/* ---- happens-before ---- */

/* `parent` starts `child`, a number never used before in this execution. */
void rf_mem_fork(rf_mem *m, uint32_t parent, uint32_t child);
/* `thread` has executed its last operation: what only it could see can be forgotten. */
void rf_mem_exit(rf_mem *m, uint32_t thread);
/* `thread` waits for the end of `other`. */
void rf_mem_join(rf_mem *m, uint32_t thread, uint32_t other);
/* Everything that `thread` did before rf_mem_release(m, thread, object) happens before what any
 * thread does after a later rf_mem_acquire of the same object (any number: a lock, a message). */
void rf_mem_release(rf_mem *m, uint32_t thread, uint64_t object);
void rf_mem_acquire(rf_mem *m, uint32_t thread, uint64_t object);
/* atomic_thread_fence; a signal fence orders nothing between threads: do not announce it. */
void rf_mem_fence(rf_mem *m, uint32_t thread, int order);

/* ---- accesses; memory at a->addr is read and written by them ---- */

void rf_mem_load(rf_mem *m, const rf_mem_access *a, void *out);
void rf_mem_store(rf_mem *m, const rf_mem_access *a, const void *in);
/* atomic_init: a plain store that makes the location an atomic one. */
void rf_mem_init(rf_mem *m, const rf_mem_access *a, const void *in);
/* A read-modify-write in two halves, with no other call between them. */
void rf_mem_rmw_begin(rf_mem *m, const rf_mem_access *a, void *old);
void rf_mem_rmw_end(rf_mem *m, const void *value);
/* a->order is that of success.  On failure `expected` is given the value found.  A weak one may
 * fail although the value was the expected one. */
bool rf_mem_compare_exchange(rf_mem *m, const rf_mem_access *a, int failure, bool weak,
                             void *expected, const void *desired);
/* What was unusual about the last of the calls above. */
const rf_mem_report *rf_mem_last(const rf_mem *m);

/* ---- memory ---- */

/* Plain accesses to these bytes carry histories from now on.  Others go to memory directly. */
void rf_mem_watch(rf_mem *m, const volatile void *addr, size_t size);
/* The same for an array: only the elements of the sample carry them. */
void rf_mem_watch_array(rf_mem *m, const volatile void *base, size_t element, size_t count);
/* Fresh memory: its bytes are indeterminate until written.  Fills it with a pattern. */
void rf_mem_alloc(rf_mem *m, void *addr, size_t size);
/* The bytes belong to something else now: nothing is known of them, nothing watches them. */
void rf_mem_forget(rf_mem *m, const volatile void *addr, size_t size);
/* How many stores to the location that contains `addr` are kept now (0: none was ever seen). */
uint32_t rf_mem_history(const rf_mem *m, const volatile void *addr);
RFI_EXTERN_C_END
#endif

/* ==== edit src/mem/threads.h ============================= >>mem/threads */
/* mem/threads.h: what threads know of each other, and the messages that tell it.
 *
 * A thread's knowledge has three parts, which travel together:
 *   clock  happens-before: how far every other thread's operations happen before its next one;
 *   seen   coherence that seq_cst fences add (RC11's psc): as `clock`, and never behind it.  It is
 *          empty, and `clock` stands for it, until a seq_cst fence is in the thread's past;
 *   fence  the time of the latest seq_cst fence that happens before, 0 if there is none.
 *
 * Invariants.  A thread's own component grows at every message it sends and nowhere else, so there
 * is one message to each value, and whoever knows component k of thread u knows all that u knew
 * when it sent message k: such a message need not be joined again.  A thread's own component stands
 * apart from its vector, which is then only as long as the highest thread it has heard of.
 */
#ifndef RFI_MEM_THREADS_H
#define RFI_MEM_THREADS_H

#ifdef RFI_IMPL
/* What is known to who receives it. */
typedef struct rfi_message {
    rfi_clock clock, seen;
    uint32_t from, k; /* its one sender, with the sender's own component; k = 0: several senders */
    uint32_t fence;
} rfi_message;

/* A thread of the model. */
typedef struct rfi_actor {
    uint32_t own;        /* C[t][t] */
    uint32_t fence;      /* as above */
    uint32_t version;    /* counts what it has learned */
    uint32_t next_spare; /* thread + 1 */
    bool ended;
    rfi_clock clock, seen;  /* C[t][u] of the others */
    rfi_message released;   /* Crel[t]: at its last release fence */
    rfi_message acquirable; /* Cacq[t]: what an acquire fence would obtain */
} rfi_actor;

typedef struct rfi_actors {
    rfi_actor *thread;
    uint32_t count, capacity;
    uint32_t spare; /* joined thread + 1 whose vectors can be used again */
    rfi_arena arena;
} rfi_actors;

RFI_FN void rfi_actors_reset(rfi_actors *m) {
    rfi_arena_reset(&m->arena);
    m->count = m->spare = 0;
}

/* Thread `t`.  If it is new the others may move: pointers to them are stale then. */
RFI_INLINE rfi_actor *rfi_actor_of(rfi_actors *m, uint32_t t) {
    if (RFI_UNLIKELY(t >= m->count)) {
        m->thread = rfi_grow(m->thread, &m->capacity, t + 1, sizeof *m->thread);
        while (m->count <= t) m->thread[m->count++] = (rfi_actor){.own = 1};
    }
    return &m->thread[t];
}

/* What orders a thread's next access after others: S[t], or C[t] while they are the same. */
RFI_INLINE const rfi_clock *rfi_actor_seen(const rfi_actor *a) {
    return a->seen.n ? &a->seen : &a->clock;
}

/* `seen` := `seen` join (b_seen, or b_clock for it); an empty `seen` stands for `clock`. */
RFI_FN void rfi_seen_join(rfi_clock *seen, const rfi_clock *clock, const rfi_clock *b_seen,
                          const rfi_clock *b_clock, rfi_arena *arena) {
    if (!seen->n && !b_seen->n) return;
    if (!seen->n) rfi_clock_copy(seen, clock, arena);
    rfi_clock_join(seen, b_seen->n ? b_seen : b_clock, arena);
}

/* Thread `t` stamps a message with its own component and goes on to the next. */
RFI_INLINE uint32_t rfi_message_stamp(rfi_actors *m, rfi_message *to, uint32_t t) {
    uint32_t k = rfi_actor_of(m, t)->own++;
    rfi_clock_reserve(&to->clock, t + 1, &m->arena);
    to->clock.c[t] = k;
    if (to->seen.n) {
        rfi_clock_reserve(&to->seen, t + 1, &m->arena);
        to->seen.c[t] = k;
    }
    return k;
}

/* m := what `t` knows; then inc(C[t]) */
RFI_FN void rfi_message_send(rfi_actors *m, uint32_t t, rfi_message *to) {
    const rfi_actor *a = rfi_actor_of(m, t);
    rfi_clock_copy(&to->clock, &a->clock, &m->arena);
    to->seen.n = 0;
    if (a->seen.n) rfi_clock_copy(&to->seen, &a->seen, &m->arena);
    to->fence = a->fence;
    to->from = t;
    to->k = rfi_message_stamp(m, to, t);
}

/* a := a join b, for messages and what is like them */
RFI_FN void rfi_message_join(rfi_message *a, const rfi_message *b, rfi_arena *arena) {
    rfi_seen_join(&a->seen, &a->clock, &b->seen, &b->clock, arena);
    rfi_clock_join(&a->clock, &b->clock, arena);
    if (b->fence > a->fence) a->fence = b->fence;
    a->k = 0;
}

RFI_FN void rfi_message_copy(rfi_message *a, const rfi_message *b, rfi_arena *arena) {
    rfi_clock_copy(&a->clock, &b->clock, arena);
    a->seen.n = 0;
    if (b->seen.n) rfi_clock_copy(&a->seen, &b->seen, arena);
    a->fence = b->fence;
    a->from = b->from;
    a->k = b->k;
}

/* m := m join what `t` knows; then inc(C[t]) */
RFI_FN void rfi_message_add(rfi_actors *m, uint32_t t, rfi_message *to) {
    const rfi_actor *a = rfi_actor_of(m, t);
    rfi_seen_join(&to->seen, &to->clock, &a->seen, &a->clock, &m->arena);
    rfi_clock_join(&to->clock, &a->clock, &m->arena);
    if (a->fence > to->fence) to->fence = a->fence;
    rfi_message_stamp(m, to, t);
    to->k = 0;
}

RFI_INLINE bool rfi_message_any(const rfi_message *b) { return b->clock.n; }

RFI_INLINE void rfi_message_clear(rfi_message *b) {
    b->clock.n = b->seen.n = b->fence = b->from = b->k = 0;
}

/* Thread `t` knows already all that `b` could tell it. */
RFI_INLINE bool rfi_actor_knows(rfi_actors *m, uint32_t t, const rfi_message *b) {
    return b->k && (b->from == t || rfi_clock_get(&rfi_actor_of(m, t)->clock, b->from) >= b->k);
}

/* C[t] := C[t] join b */
RFI_FN void rfi_actor_receive(rfi_actors *m, uint32_t t, const rfi_message *b) {
    if (!rfi_message_any(b) || rfi_actor_knows(m, t, b)) return;
    rfi_actor *a = rfi_actor_of(m, t);
    rfi_seen_join(&a->seen, &a->clock, &b->seen, &b->clock, &m->arena);
    rfi_clock_join(&a->clock, &b->clock, &m->arena);
    if (b->fence > a->fence) a->fence = b->fence;
    a->version++;
}

/* A message from `t` that `u`, which stands still, receives at once. */
RFI_FN void rfi_actor_pass(rfi_actors *m, uint32_t t, uint32_t u) {
    rfi_actor_of(m, t > u ? t : u);
    rfi_actor *from = &m->thread[t], *to = &m->thread[u];
    rfi_seen_join(&to->seen, &to->clock, &from->seen, &from->clock, &m->arena);
    rfi_clock_join(&to->clock, &from->clock, &m->arena);
    if (from->fence > to->fence) to->fence = from->fence;
    uint32_t k = from->own++;
    rfi_clock_reserve(&to->clock, t + 1, &m->arena);
    to->clock.c[t] = k;
    if (to->seen.n) {
        rfi_clock_reserve(&to->seen, t + 1, &m->arena);
        to->seen.c[t] = k;
    }
    to->version++;
}

/* `parent` starts `child`.  A new thread takes over the vectors of one that was joined: one after
 * the other costs no more memory than one. */
RFI_FN void rfi_actor_fork(rfi_actors *m, uint32_t parent, uint32_t child) {
    rfi_actor *to = rfi_actor_of(m, child);
    if (m->spare && !to->clock.c) {
        rfi_actor *dead = &m->thread[m->spare - 1];
        m->spare = dead->next_spare;
        to->clock = dead->clock;
        to->seen = dead->seen;
        to->clock.n = to->seen.n = 0;
        dead->clock = dead->seen = (rfi_clock){0};
    }
    rfi_actor_pass(m, parent, child);
}

RFI_FN void rfi_actor_join(rfi_actors *m, uint32_t t, uint32_t other) {
    rfi_actor_pass(m, other, t);
    rfi_actor *dead = &m->thread[other];
    dead->ended = true;
    dead->next_spare = m->spare;
    m->spare = other + 1;
}

/* ---- fences ---- */

RFI_INLINE bool rfi_acquires(int order) {
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE && order >= 0;
}

RFI_INLINE bool rfi_releases(int order) { return order >= __ATOMIC_RELEASE; }

/* What an acquire fence obtains, it now has. */
RFI_FN void rfi_actor_acquire_fence(rfi_actors *m, uint32_t t) {
    rfi_actor *a = rfi_actor_of(m, t);
    rfi_actor_receive(m, t, &a->acquirable);
    rfi_message_clear(&a->acquirable);
}

/* `t` has read, without acquiring, what `b` came with. */
RFI_FN void rfi_actor_acquirable(rfi_actors *m, uint32_t t, const rfi_message *b) {
    if (!rfi_message_any(b) || rfi_actor_knows(m, t, b)) return;
    rfi_message *later = &rfi_actor_of(m, t)->acquirable;
    if (b->k && rfi_clock_get(&later->clock, b->from) >= b->k) return;
    rfi_message_join(later, b, &m->arena);
}
#endif
#endif

/* ==== edit src/mem/core.h ================================ >>mem/core */
/* mem/core.h: what the parts of the model share: settings, threads, chance, the report. */
#ifndef RFI_MEM_CORE_H
#define RFI_MEM_CORE_H

#ifdef RFI_IMPL
typedef struct rfi_core {
    rf_mem_options options;               /* put right: no zeros left */
    rf_heuristic plain_pick, atomic_pick; /* with RF_PICK_MIXED drawn */
    rfi_actors threads;
    rf_prng chance;
    rf_mem_report report;
} rfi_core;

/* Uniform in 0..n-1. */
RFI_INLINE uint32_t rfi_core_choose(rfi_core *c, uint32_t n) {
    if (n < 2) return 0;
    if (RFI_UNLIKELY(c->options.choose != NULL)) return c->options.choose(c->options.arg, n);
    return rfi_below(&c->chance, n);
}

/* Entries that a read can return, as a set of bits whose order is age, oldest lowest. */
typedef uint64_t rfi_ages;

RFI_INLINE uint32_t rfi_ages_count(rfi_ages s) { return (uint32_t)__builtin_popcountll(s); }
RFI_INLINE uint32_t rfi_ages_oldest(rfi_ages s) { return (uint32_t)__builtin_ctzll(s); }
RFI_INLINE uint32_t rfi_ages_newest(rfi_ages s) { return 63 - (uint32_t)__builtin_clzll(s); }

RFI_FN uint32_t rfi_ages_at(rfi_ages s, uint32_t i) {
    while (i--) s &= s - 1;
    return rfi_ages_oldest(s);
}

/* One of `all` (not empty) by the rules of algorithm 7.2; `different` are those of them whose value
 * is not the one returned before. */
RFI_FN uint32_t rfi_core_pick(rfi_core *c, rf_heuristic pick, rfi_ages all, rfi_ages different) {
    if (!(all & (all - 1))) return rfi_ages_oldest(all);
    if (RFI_UNLIKELY(c->options.choose != NULL))
        return rfi_ages_at(all, rfi_core_choose(c, rfi_ages_count(all)));
    switch (pick) {
    case RF_PICK_NEWEST: break;
    case RF_PICK_OLDEST: return rfi_ages_oldest(all);
    case RF_PICK_OLDEST_DIFFERENT:
        if (different) return rfi_ages_oldest(different);
        break;
    case RF_PICK_RANDOM: return rfi_ages_at(all, rfi_below(&c->chance, rfi_ages_count(all)));
    case RF_PICK_RANDOM_DIFFERENT:
        if (!different) break;
        return rfi_ages_at(different, rfi_below(&c->chance, rfi_ages_count(different)));
    case RF_PICK_RECENT:
    case RF_PICK_MIXED:
        if (rfi_coin(&c->chance)) break;
        return rfi_ages_at(all, rfi_below(&c->chance, rfi_ages_count(all)));
    }
    return rfi_ages_newest(all);
}
#endif
#endif

/* ==== edit src/mem/shadow.h ============================== >>mem/shadow */
/* mem/shadow.h: a pointer for every eight bytes of the program's memory that were touched.
 *
 * Memory is cut into granules of 8 bytes, granules are gathered in regions of 64, and regions are
 * found by hash: neighbours share a look-up (mostly none, since the last region is remembered), and
 * a large range that was never touched, such as a stack that changes hands, is skipped 512 bytes at
 * a time.  Emptying costs nothing.  What lies at a granule is up to the owner; NULL is nothing.
 */
#ifndef RFI_MEM_SHADOW_H
#define RFI_MEM_SHADOW_H

#ifdef RFI_IMPL
# define RFI_GRANULE 8u  /* bytes */
# define RFI_REGION  64u /* granules */

typedef struct rfi_region {
    void *at[RFI_REGION];
} rfi_region;

typedef struct rfi_shadow {
    rfi_map regions; /* granule / RFI_REGION -> rfi_region * */
    rfi_arena arena; /* also for what the owner hangs into it */
    rfi_region *last;
    uintptr_t last_key;
} rfi_shadow;

RFI_FN void rfi_shadow_reset(rfi_shadow *s) {
    rfi_map_reset(&s->regions);
    rfi_arena_reset(&s->arena);
    s->last = NULL;
}

/* The region of granule `g`, or NULL. */
RFI_INLINE rfi_region *rfi_shadow_region(rfi_shadow *s, uintptr_t g) {
    uintptr_t key = g / RFI_REGION;
    if (RFI_LIKELY(s->last && s->last_key == key)) return s->last;
    const uint64_t *r = rfi_map_find(&s->regions, key);
    if (!r) return NULL;
    s->last_key = key;
    return s->last = (rfi_region *)(uintptr_t)*r;
}

RFI_FN RFI_COLD rfi_region *rfi_shadow_add(rfi_shadow *s, uintptr_t g) {
    rfi_region *r = rfi_arena_take(&s->arena, sizeof *r);
    *rfi_map_at(&s->regions, g / RFI_REGION) = (uint64_t)(uintptr_t)r;
    return r;
}

/* The place of granule `g`. */
RFI_INLINE void **rfi_shadow_at(rfi_shadow *s, uintptr_t g) {
    rfi_region *r = rfi_shadow_region(s, g);
    if (RFI_UNLIKELY(!r)) r = rfi_shadow_add(s, g);
    return &r->at[g % RFI_REGION];
}

/* What lies at granule `g`. */
RFI_INLINE void *rfi_shadow_get(rfi_shadow *s, uintptr_t g) {
    rfi_region *r = rfi_shadow_region(s, g);
    return r ? r->at[g % RFI_REGION] : NULL;
}

/* The first granule of g .. end-1 at which something lies, or `end`. */
RFI_FN uintptr_t rfi_shadow_next(rfi_shadow *s, uintptr_t g, uintptr_t end) {
    while (g < end) {
        rfi_region *r = rfi_shadow_region(s, g);
        uintptr_t stop = (g | (RFI_REGION - 1)) + 1;
        for (; r && g < stop && g < end; g++)
            if (r->at[g % RFI_REGION]) return g;
        g = stop;
    }
    return end;
}

/* The bytes of granule `g` that [from, to) covers, which is not none. */
RFI_INLINE uint8_t rfi_shadow_mask(uintptr_t g, uintptr_t from, uintptr_t to) {
    uintptr_t base = g * RFI_GRANULE;
    unsigned low = from > base ? (unsigned)(from - base) : 0;
    unsigned high = to - base < RFI_GRANULE ? (unsigned)(to - base) : RFI_GRANULE;
    return (uint8_t)(0xffu << low & 0xffu >> (RFI_GRANULE - high));
}
#endif
#endif

#endif /* !RF_OFF */
#endif /* RACEFUZZ_MEM_H */

#if defined RF_IMPLEMENTATION && !defined RF_OFF && !defined RFI_IMPL
# error "define RF_IMPLEMENTATION before the first include of racefuzz_mem.h"
#endif
