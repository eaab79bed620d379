/* racefuzz_mem.h, version 0.2.0: the memory model of racefuzz, and what everything stands on.
 *
 * SPDX-License-Identifier: MIT
 *
 * MADE FROM src/ BY src/join.sh.  Each part says which file to edit; then run `make headers`.
 *
 * WHAT IT IS
 *    A model of memory for simulators of threads: what C11 atomics may return (RC11), and what plain
 *    data that races may.  It knows threads by number, has no scheduler, starts nothing and prints
 *    nothing.  It is driven by the functions rf_mem_*, which mem/face.h below explains;
 *    docs/model.md has a whole program.
 *
 *    It is also the lower half of racefuzz.h, which includes it: ship both.
 *
 * QUICK START
 *        #define RF_IMPLEMENTATION               in one unit of the program
 *        #include "racefuzz_mem.h"
 *
 *        int x = 0, one = 1, seen;
 *        rf_mem *m = rf_mem_new(NULL);
 *        rf_mem_fork(m, 0, 1);
 *        rf_mem_access a = {.thread = 0, .order = __ATOMIC_RELEASE, .addr = &x, .size = sizeof x};
 *        rf_mem_store(m, &a, &one);
 *        a.thread = 1;
 *        a.order = __ATOMIC_ACQUIRE;
 *        rf_mem_load(m, &a, &seen);              0 or 1: nothing orders the two
 *        rf_mem_free(m);
 *
 * SWITCHES, set before the first include
 *    RF_IMPLEMENTATION   emit the code here; without it there are declarations only
 *    RF_OFF              only the platform part is left
 *
 * IT DOES NOT
 *    - return a store that has not executed yet (load buffering, values out of thin air);
 *    - lock: a model belongs to one thread at a time;
 *    - return on lack of memory: it says so on stderr and exits with status 2.
 *
 * CONTENTS, search for the tag
 *    >>base/platform            the compiler and the operating system
 *    >>base/arena               memory that is freed all at once
 *    >>base/prng                the one source of chance
 *    >>base/hash                a map from 64-bit keys to 64-bit values, emptied by incrementing a
 *                               generation
 *    >>base/written             what a macro's argument looked like before the preprocessor
 *                               expanded it
 *    >>base/site                a place in the source
 *    >>mem/face                 the memory model's public face
 *    >>mem/clock                vector clocks
 *    >>mem/threads              what threads know of each other, and the messages that tell it
 *    >>mem/core                 what the parts of the model share: settings, threads, chance, the
 *                               report
 *    >>mem/history              the stores of an atomic location, and their modification order
 *    >>mem/shadow               a pointer for every eight bytes of the program's memory that were
 *                               touched
 *    >>mem/locations            the atomic locations of an execution, by their addresses
 *    >>mem/atomic               atomic operations under RC11
 *    >>mem/unit                 the writes of plain data that are kept, by units of four aligned
 *                               bytes
 *    >>mem/plain                what reads of plain data under suspicion return
 *    >>mem/model                the model as its users call it: plain data, atomics, fresh memory
 *
 * LICENCE
 *    MIT License
 *
 *    Copyright (c) 2026 the racefuzz authors
 *
 *    Permission is hereby granted, free of charge, to any person obtaining a copy
 *    of this software and associated documentation files (the "Software"), to deal
 *    in the Software without restriction, including without limitation the rights
 *    to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 *    copies of the Software, and to permit persons to whom the Software is
 *    furnished to do so, subject to the following conditions:
 *
 *    The above copyright notice and this permission notice shall be included in all
 *    copies or substantial portions of the Software.
 *
 *    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 *    IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 *    FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 *    AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 *    LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 *    OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 *    SOFTWARE.
 */
#ifndef RACEFUZZ_MEM_H
#define RACEFUZZ_MEM_H

/* ==== edit src/base/platform.h =========================== >>base/platform */
/* base/platform.h: the compiler and the operating system.
 *
 * Everything below this file in the tree may use C11, POSIX and the macros defined here, and
 * nothing else.  RFI_IMPL is defined where the engine is to be emitted.  -DRFI_LINKED keeps it out
 * of units that ask for it: racefuzz-cc's and this tree's examples, which link with an engine that
 * is compiled once.  So do its tests, which look into the engine: -DRFI_VISIBLE=1 compiles one
 * whose internals are visible, -DRFI_VISIBLE=2 units that know all of it and emit nothing.
 */
#ifndef RFI_BASE_PLATFORM_H
#define RFI_BASE_PLATFORM_H

#if defined RF_IMPLEMENTATION && !defined RF_OFF
# ifndef RFI_LINKED
#  define RFI_IMPL 1
# endif
# ifdef __cplusplus
#  error "racefuzz: the unit that defines RF_IMPLEMENTATION must be compiled as C"
# endif
#endif
#if defined RF_IMPLEMENTATION || defined RF_OFF
# if (defined _FEATURES_H || defined _STDC_PREDEF_SEEN) && !defined _GNU_SOURCE
#  error "racefuzz: include racefuzz.h first in this unit, or define _GNU_SOURCE"
# endif
# ifndef _GNU_SOURCE
#  define _GNU_SOURCE 1 /* MAP_ANONYMOUS, REG_RIP, pthread_mutex_timedlock under -std=c11 */
# endif
#endif

/* Before code that is tested without an edit no header of the C library may come: that code may
 * still say which of their features it wants. */
#if defined RF_HOOK_ALL || defined RF_HOOK_PTHREAD || defined RF_HOOK_THREADS || \
    defined RF_HOOK_STDATOMIC || defined RF_HOOK_MALLOC || defined RF_HOOK_STRING
# define RFI_HOOKS 1
#endif
#include <stdbool.h>
#include <stddef.h>
#if defined RFI_HOOKS && !defined RF_IMPLEMENTATION && !defined __cplusplus
# pragma GCC system_header /* its warnings are about itself */
typedef __INT32_TYPE__ int32_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#else
# include <stdint.h>
#endif
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 rfi_i128;
__extension__ typedef unsigned __int128 rfi_u128;
#endif

#if defined __SIZEOF_POINTER__ && __SIZEOF_POINTER__ < 8 && !defined RF_OFF
# error "racefuzz needs a target with 64 bits: compile without -m32"
#endif
#if !defined __GNUC__
# error "racefuzz needs gcc or clang (GNU statement expressions and __auto_type)"
#endif

#define RFI_CAT_(a, b)    a##b
#define RFI_CAT(a, b)     RFI_CAT_(a, b)
#define RFI_LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
#define RFI_LIKELY(x)     __builtin_expect(!!(x), 1)
#define RFI_UNLIKELY(x)   __builtin_expect(!!(x), 0)
#if !defined RFI_VISIBLE
# define RFI_COLD  __attribute__((cold, noinline))
# define RFI_APART __attribute__((noinline))
#else
# define RFI_COLD
# define RFI_APART
#endif
/* Its calls stand where they are written: else the first round of a loop gets a copy, and what a
 * thread goes on from would differ by that (engine/footing.h). */
#if defined __clang__
# define RFI_SINGLE __attribute__((noduplicate))
#else
# define RFI_SINGLE
#endif
#define RFI_NORETURN     __attribute__((noreturn))
#define RFI_UNUSED       __attribute__((unused))
#define RFI_PRINTF(f, a) __attribute__((format(printf, f, a)))
/* What is internal: every source header also compiles alone, where some of it goes unused. */
#if !defined RFI_VISIBLE
# define RFI_FN  static __attribute__((unused))
# define RFI_VAR static __attribute__((unused))
#elif RFI_VISIBLE == 1
# define RFI_FN
# define RFI_VAR
#else
# define RFI_FN  extern inline __attribute__((gnu_inline))
# define RFI_VAR extern
#endif
#ifdef __OPTIMIZE__
# define RFI_INLINE static __inline__ __attribute__((always_inline, unused))
#else
# define RFI_INLINE static __inline__ __attribute__((unused)) /* copies take time to compile */
#endif

/* memset(p, 0, n) for some hundred bytes, n a constant.  For those gcc has an instruction that
 * takes longer to begin than these stores take; without the asm it would see through them. */
RFI_INLINE void rfi_zero(void *p, size_t n) {
    char *c = (char *)p;
    size_t i = n / 64;
#pragma GCC unroll 8
    for (; i; i--, c += 64) {
        __builtin_memset(c, 0, 64);
        __asm__("" : "+r"(c));
    }
    __builtin_memset(c, 0, n % 64);
}

/* Between these the implementation is optimised less than its unit, so that it compiles in less
 * time; join.sh puts them. */
#if !defined RFI_IMPL || !defined __OPTIMIZE__
# define RFI_OPTIMISED_LESS
# define RFI_OPTIMISED_LESS_END
# define RFI_OPTIMISED_NOT
# define RFI_OPTIMISED_NOT_END
#elif defined __clang__
# define RFI_OPTIMISED_LESS /* for size it takes as long */
# define RFI_OPTIMISED_LESS_END
# define RFI_OPTIMISED_NOT     _Pragma("clang optimize off")
# define RFI_OPTIMISED_NOT_END _Pragma("clang optimize on")
#else
# define RFI_OPTIMISED_LESS     _Pragma("GCC push_options") _Pragma("GCC optimize(\"Og\")")
# define RFI_OPTIMISED_LESS_END _Pragma("GCC pop_options")
# ifdef _FORTIFY_SOURCE /* its checks need to be optimised away */
#  define RFI_OPTIMISED_NOT RFI_OPTIMISED_LESS
# else
#  define RFI_OPTIMISED_NOT _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\")")
# endif
# define RFI_OPTIMISED_NOT_END _Pragma("GCC pop_options")
#endif

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
#if defined __has_feature
# if __has_feature(memory_sanitizer)
#  define RFI_MSAN 1
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
# include <sched.h>
# include <setjmp.h>
# include <signal.h>
# include <stdarg.h>
# include <stdio.h>
# include <stdlib.h>
# include <string.h>
# include <sys/ioctl.h>
# include <sys/mman.h>
# ifdef __linux__
#  include <sys/personality.h>
# endif
# include <sys/resource.h>
# include <sys/stat.h>
# include <sys/time.h>
# include <sys/types.h>
# include <sys/wait.h>
# include <time.h>
# include <unistd.h>
# ifdef __linux__
#  include <sys/syscall.h>
#  define RFI_FUTEX_WAIT 128 /* FUTEX_WAIT_PRIVATE: <linux/futex.h> isn't everywhere */
#  define RFI_FUTEX_WAKE 129
# endif

/* A function of the C library for the engine's own use, also when the linker has given the name to
 * the code under test (--wrap; hook/hook.h). */
/* clang-format off */
# ifdef __ELF__
#  define RFI_REAL(f) \
    __extension__({ \
        extern __typeof__(f) __real_##f __attribute__((weak)); \
        __real_##f ? __real_##f : f; \
    })
# else
#  define RFI_REAL(f) f
# endif
/* clang-format on */

RFI_FN pid_t rfi_process(void) { return RFI_REAL(getpid)(); }

/* Where a process that somebody else waits for leaves its last words; NULL: nobody does. */
# define RFI_LAST_WORDS 256
RFI_VAR char *rfi_last_words;

/* What a process for which nobody waits does then: it ends it, or comes back. */
RFI_VAR void (*rfi_dying)(void);

/* Ends the process without what exit does.  Under ThreadSanitizer _exit sleeps for a second. */
RFI_FN RFI_NORETURN void rfi_quit(int status) {
# if defined RFI_TSAN && defined SYS_exit_group
    RFI_REAL(syscall)(SYS_exit_group, status);
# endif
    RFI_REAL(_exit)(status);
    __builtin_unreachable();
}

/* The engine's own failure (no memory, a broken promise of the kernel): it can't go on. */
RFI_FN RFI_COLD RFI_NORETURN RFI_PRINTF(1, 2) void rfi_die(const char *fmt, ...) {
    va_list ap;
    if (rfi_last_words) {
        va_start(ap, fmt);
        vsnprintf(rfi_last_words, RFI_LAST_WORDS, fmt, ap);
        va_end(ap);
    }
    va_start(ap, fmt);
    fputs("racefuzz: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    if (rfi_dying) rfi_dying();
    rfi_quit(2);
}

/* Do programs lie at the same addresses in every process of this one's kind? */
RFI_FN bool rfi_addresses_fixed(void) {
# ifdef __linux__
    int kind = personality(0xffffffff);
    return kind != -1 && kind & ADDR_NO_RANDOMIZE;
# else
    return false;
# endif
}

/* Fresh zeroed pages; shared ones survive the death of the worker that wrote them. */
RFI_FN void *rfi_pages(size_t bytes, bool shared) {
    int flags = MAP_ANONYMOUS | MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE);
    void *p = RFI_REAL(mmap)(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) rfi_die("cannot map %zu bytes: %s", bytes, strerror(errno));
    return p;
}
#endif /* RFI_IMPL */
#endif

/* ==== edit src/base/arena.h ============================== >>base/arena */
/* base/arena.h: memory that is freed all at once.
 *
 * An arena allocates zeroed blocks and is emptied at the end of an execution.  Its chunks are
 * kept, so emptying is free and an execution pays only for what it allocates.
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

/* ==== edit src/base/prng.h =============================== >>base/prng */
/* base/prng.h: the one source of chance.
 *
 * Every random choice of an execution comes from one seed, split by purpose, so that a feature
 * which draws more or fewer numbers (memory, inputs) does not change the other streams.  The
 * generator is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014): one add and one finaliser a draw, seeding costs nothing.
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
/* base/hash.h: a map from 64-bit keys to 64-bit values, emptied by incrementing a generation.
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
    uint32_t i = ((uint32_t)rfi_mix(key >> 3) + (uint32_t)(key & 7)) & m->mask;
    while (m->slots[i].generation == m->generation && m->slots[i].key != key) i = (i + 1) & m->mask;
    return &m->slots[i];
}

RFI_FN RFI_COLD void rfi_map_grow(rfi_map *m) {
    rfi_map bigger = {0};
    bigger.mask = m->slots ? m->mask * 2 + 1 : 63;
    bigger.generation = 1;
    bigger.slots = RFI_REAL(calloc)((size_t)bigger.mask + 1, sizeof *bigger.slots);
    if (!bigger.slots) rfi_die("out of memory (map of %u)", bigger.mask + 1);
    for (uint32_t i = 0; m->slots && i <= m->mask; i++) {
        if (m->slots[i].generation != m->generation) continue;
        rfi_slot *s = rfi_map_probe(&bigger, m->slots[i].key);
        *s = m->slots[i];
        s->generation = 1;
    }
    bigger.used = m->used;
    RFI_REAL(free)(m->slots);
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

/* The least key of from .. end-1 that is there, or `end`. */
RFI_FN uint64_t rfi_map_next(const rfi_map *m, uint64_t from, uint64_t end) {
    for (uint32_t i = 0; m->used && i <= m->mask; i++) {
        const rfi_slot *s = &m->slots[i];
        if (s->generation == m->generation && s->key >= from && s->key < end) end = s->key;
    }
    return end;
}

RFI_FN void rfi_map_reset(rfi_map *m) {
    m->used = 0;
    if (!m->slots) return;
    if (++m->generation == 0) { /* wrapped: old stamps could look new */
        memset(m->slots, 0, ((size_t)m->mask + 1) * sizeof *m->slots);
        m->generation = 1;
    }
}

RFI_FN void rfi_map_free(rfi_map *m) {
    RFI_REAL(free)(m->slots);
    *m = (rfi_map){0};
}
#endif
#endif

RFI_OPTIMISED_NOT

/* ==== edit src/base/written.h ============================ >>base/written */
/* base/written.h: what a macro's argument looked like before the preprocessor expanded it.
 *
 * An operation that reaches another one through a macro of the user's, as in
 *
 *     #define AT(i) RF_LOAD(a[i])
 *     AT(RF_LOAD(k))
 *
 * is expanded before it is made a string: the text of the outer site holds the engine's code, with
 * numbers of __COUNTER__ in it, that change with every edit above.  That code has all that was
 * written (the inner text as a literal, the function that is called, the operands), from which the
 * operation is put together again: a[RF_LOAD(k)].  Code that is not known becomes "...".
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_BASE_WRITTEN_H
#define RFI_BASE_WRITTEN_H

#ifdef RFI_IMPL
typedef struct rfi_writer {
    char *at, *end;
} rfi_writer;

RFI_FN void rfi_written_add(rfi_writer *w, const char *s, size_t n) {
    if (n > (size_t)(w->end - w->at)) n = (size_t)(w->end - w->at);
    memcpy(w->at, s, n);
    w->at += n;
}

RFI_FN void rfi_written_say(rfi_writer *w, const char *s) { rfi_written_add(w, s, strlen(s)); }

RFI_FN bool rfi_starts(const char *s, const char *end, const char *with) {
    size_t n = strlen(with);
    return (size_t)(end - s) >= n && !memcmp(s, with, n);
}

/* Behind the literal that begins at `s`. */
RFI_FN const char *rfi_written_quoted(const char *s, const char *end) {
    char quote = *s++;
    while (s < end && *s != quote) s += *s == '\\' && s + 1 < end ? 2 : 1;
    return s < end ? s + 1 : end;
}

/* Behind what begins at `s`: a literal, what is in brackets, or a character. */
RFI_FN const char *rfi_written_piece(const char *s, const char *end) {
    int depth = 0;
    do {
        bool literal = *s == '"' || *s == '\'';
        depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
        s = literal ? rfi_written_quoted(s, end) : s + 1;
    } while (depth > 0 && s < end);
    return s;
}

/* The first `what` in a piece of code, but not deeper in it; or NULL. */
RFI_FN const char *rfi_written_search(const char *s, const char *end, const char *what) {
    for (; s < end; s = rfi_written_piece(s, end))
        if (rfi_starts(s, end, what)) return s;
    return NULL;
}

RFI_FN void rfi_written_code(rfi_writer *w, const char *s, const char *end);

/* The literal at `s`, read and put together again. */
RFI_FN void rfi_written_literal(rfi_writer *w, const char *s, const char *end) {
    char *room = RFI_REAL(malloc)((size_t)(end - s) + 1), *at = room;
    if (!room) rfi_die("out of memory (text of a statement)");
    for (; s < end && *s == '"'; s += strspn(s, " ")) {
        const char *close = rfi_written_quoted(s, end);
        for (s++; s < close - 1; s++) *at++ = *s == '\\' ? *++s : *s;
        s = close;
    }
    *at = 0;
    rfi_written_code(w, room, at);
    RFI_REAL(free)(room);
}

/* ", " and what is in the brackets at the end of `mark`, if it stands there. */
RFI_FN void rfi_written_operand(rfi_writer *w, const char *s, const char *end, const char *mark) {
    const char *from = s ? rfi_written_search(s, end, mark) : NULL;
    if (!from) return;
    from += strlen(mark) - 1;
    rfi_written_say(w, ", ");
    rfi_written_code(w, from + 1, rfi_written_piece(from, end) - 1);
}

/* The public names of what the engine's functions do; other names follow from each other. */
RFI_FN void rfi_written_name(rfi_writer *w, const char *s, size_t n) {
    static const char *const special[][2] = {{"range_read", "RF_READ"},
                                             {"range_write", "RF_WRITE"},
                                             {"rmw_begin", "rf_atomic_exchange"},
                                             {"cas_strong", "rf_atomic_compare_exchange_strong"},
                                             {"cas_weak", "rf_atomic_compare_exchange_weak"},
                                             {"create", "RF_THREAD"},
                                             {"rwlock_unlock", "RF_RWUNLOCK"}};
    static const char *const silent[] = {"mutex_", "cond_", "rwlock_"};
    for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
        if (strlen(special[i][0]) == n && !memcmp(special[i][0], s, n)) {
            rfi_written_say(w, special[i][1]);
            return;
        }
    const char *end = s + n;
    bool lower = rfi_starts(s, end, "atomic_") || (n > 5 && rfi_starts(end - 5, end, "_init")) ||
                 (n > 8 && rfi_starts(end - 8, end, "_destroy"));
    rfi_written_say(w, lower ? "rf_" : "RF_");
    for (unsigned i = 0; !lower && i < 3; i++)
        if (rfi_starts(s, end, silent[i])) s += strlen(silent[i]);
    for (; s < end; s++) {
        char c = !lower && *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s;
        rfi_written_add(w, &c, 1);
    }
}

/* What a fetch operation does: "(uint64_t)(old)+...". */
RFI_FN const char *rfi_written_fetch(const char *s, const char *end) {
    static const char *const name[] = {"atomic_fetch_add", "atomic_fetch_sub", "atomic_fetch_or",
                                       "atomic_fetch_xor", "atomic_fetch_and"};
    static const char operators[] = "+-|^&", mark[] = "(uint64_t)(rfi_v";
    while (s < end && !rfi_starts(s, end, mark)) s++;
    if (s < end) s += sizeof mark - 1;
    s += strspn(s, "0123456789) ");
    const char *found = *s ? strchr(operators, *s) : NULL;
    return found ? name[found - operators] : "atomic_fetch";
}

/* The operation that the engine's function before the bracket `call` does. */
RFI_FN bool rfi_written_called(const char *call, const char *from, const char *end, bool writes,
                               char name[48]) {
    const char *s = call;
    while (s > from && (s[-1] == '_' || (s[-1] >= 'a' && s[-1] <= 'z'))) s--;
    if (!rfi_starts(s, call, "rfi_")) return false;
    snprintf(name, 40, "%.*s", (int)(call - s - 4), s + 4);
    if (!strcmp(name, "range")) strcpy(name, writes ? "range_write" : "range_read");
    if (!strcmp(name, "fetch_begin")) strcpy(name, rfi_written_fetch(call, end));
    if (!strcmp(name, "cas"))
        strcpy(name, rfi_written_search(call + 1, end, ", 1, (") ? "cas_weak" : "cas_strong");
    return true;
}

/* The operation whose expansion is s...end, inside of the braces; false: it is not known. */
RFI_FN bool rfi_written_operation(rfi_writer *w, const char *s, const char *end) {
    static const char declared[] = "static const rf_site rfi_s", before[] = "__func__, ";
    char number[16] = "", mark[32], name[48];
    const char *site = rfi_written_search(s, end, declared), *value = site, *text, *call, *order;
    if (!site) return false;
    sscanf(site + sizeof declared - 1, "%15[0-9]", number);
    while (value < end && *value != '{') value++;
    const char *close = rfi_written_piece(value, end);
    text = strstr(value, before);
    if (!number[0] || !text || text >= close) return false;
    snprintf(mark, sizeof mark, "(&rfi_s%s,", number);
    call = strstr(close, mark);
    bool writes = rfi_written_search(value + 1, close - 1, "RF_SITE_WRITE") != NULL;
    if (!call || !rfi_written_called(call, close, end, writes, name)) return false;
    rfi_written_name(w, name, strlen(name));
    order = rfi_written_search(call + 1, end, "(int)(");
    bool fetches = strstr(name, "fetch") != NULL, ordered = order && order[6] != '5';
    if (ordered) rfi_written_say(w, "_explicit");
    rfi_written_say(w, "(");
    rfi_written_literal(w, text + sizeof before - 1, close);
    static const char operand[] = "tvu";
    for (unsigned i = 0; i < 3; i++) {
        snprintf(mark, sizeof mark, "rfi_%c%s = (", operand[i], number);
        if (!fetches || operand[i] == 'u') rfi_written_operand(w, close, end, mark);
    }
    for (; ordered && order; order = rfi_written_search(order + 6, end, "(int)("))
        rfi_written_operand(w, order, end, "(int)(");
    rfi_written_say(w, ")");
    return true;
}

/* Code that may be the engine's, put together again. */
RFI_FN void rfi_written_code(rfi_writer *w, const char *s, const char *end) {
    static const char opens[] = "__extension__({", here[] = " static const rf_site rfi_site_here";
    const size_t open = sizeof opens - 1;
    for (bool inside = false; s < end;) {
        bool word = *s == '_' || (*s | 32) >= 'a' ? (*s | 32) <= 'z' : *s >= '0' && *s <= '9';
        const char *to = s + 1;
        if (*s == '"' || *s == '\'') {
            to = rfi_written_quoted(s, end);
            rfi_written_add(w, s, (size_t)(to - s));
        } else if (!inside && rfi_starts(s, end, "rfi_")) {
            to = s + 4 + strspn(s + 4, "abcdefghijklmnopqrstuvwxyz_");
            rfi_written_name(w, s + 4, (size_t)(to - s) - 4);
            if (rfi_starts(to, end, "(__extension__({ static const rf_site rfi_site_here") ||
                rfi_starts(to, end, "(__extension__({ _Static_assert(_Generic(")) {
                to = rfi_written_piece(to + open - 1, end);
                to += rfi_starts(to, end, ", ") ? 2 : 0;
                rfi_written_say(w, "(");
            }
        } else if (!inside && rfi_starts(s, end, opens)) {
            to = rfi_written_piece(s + open - 2, end);
            if (rfi_starts(s + open, end, here) || !rfi_written_operation(w, s + open, to - 2))
                rfi_written_say(w, "...");
        } else {
            rfi_written_add(w, s, 1);
        }
        inside = word && to == s + 1;
        s = to;
    }
}

/* The text of a site as it was written; `room` has space for it as it is. */
RFI_FN void rfi_written_text(const char *text, char *room) {
    rfi_writer w = {room, room + strlen(text)};
    rfi_written_code(&w, text, text + strlen(text));
    *w.at = 0;
}
#endif
#endif

RFI_OPTIMISED_NOT_END

/* ==== edit src/base/site.h =============================== >>base/site */
/* base/site.h: a place in the source.
 *
 * Every macro of the public face has one static, constant descriptor, so that it may stand in an
 * inline function and in any number of units.  The word that arms a site stands apart, in a table
 * indexed by `slot`, which is computed at compile time from the line and the kind: sites that share
 * a slot are told apart on the slow path.  A statement in a header has one descriptor a unit, and
 * units may reach it by different paths: all have the same slot, so that arming one arms them all.
 *
 * Identity (docs/inside/internals.md): two sites are the same statement when file name (without its
 * folder), line, kind and expression agree, whichever unit they were compiled in.
 */
#ifndef RFI_BASE_SITE_H
#define RFI_BASE_SITE_H

/* What stands at a site. R and W make the kinds of a racing pair. */
typedef enum rf_site_kind { RF_SITE_READ = 0, RF_SITE_WRITE = 1, RF_SITE_OTHER = 2 } rf_site_kind;

typedef struct rf_site {
    const char *file, *function, *text; /* text: the expression as written */
    uint32_t line;
    uint16_t slot;
    uint8_t kind;
    bool pointer; /* what is accessed is one: every machine reads it at once */
} rf_site;

#define RFI_SLOTS      8192u
#define RFI_SLOT(kind) ((uint16_t)(((unsigned)__LINE__ * 2u + (kind)) & (RFI_SLOTS - 1u)))
#define RFI_SITE_INIT(kind, text) RFI_SITE_TYPED(kind, text, 0)
#define RFI_SITE_TYPED(kind, text, pointer) \
 { __FILE__, __func__, text, __LINE__, RFI_SLOT(kind), kind, pointer }

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

RFI_VAR rfi_map rfi_site_texts; /* by site: what was written where a macro has expanded it */

/* The expression as the user wrote it. */
RFI_FN const char *rfi_site_text(const rf_site *s) {
    if (RFI_LIKELY(!strstr(s->text, "rfi_"))) return s->text;
    uint64_t *at = rfi_map_at(&rfi_site_texts, (uint64_t)(uintptr_t)s);
    if (!*at) {
        char *room = RFI_REAL(calloc)(strlen(s->text) + 1, 1);
        if (!room) rfi_die("out of memory (text of a statement)");
        rfi_written_text(s->text, room);
        *at = (uint64_t)(uintptr_t)room;
    }
    return (const char *)(uintptr_t)*at;
}

# define RFI_KEY_BITS 40

/* 40 bits, the same in every process and with every compiler; never 0 for a site. */
RFI_FN uint64_t rfi_site_key(const rf_site *s) {
    static struct {
        const rf_site *site;
        uint64_t key;
    } known[64], *k;
    if (!s) return 0;
    k = &known[rfi_mix((uintptr_t)s) % RFI_LENGTH(known)];
    if (k->site == s) return k->key;
    uint64_t h = rfi_hash_text(rfi_basename(s->file)) + s->line * UINT64_C(4) + s->kind;
    k->site = s;
    k->key = rfi_mix(h ^ rfi_hash_text(rfi_site_text(s))) >> (64 - RFI_KEY_BITS) | 1;
    return k->key;
}

/* The order in which reports name places. */
RFI_FN bool rfi_site_before(const rf_site *a, const rf_site *b) {
    int files = strcmp(a->file, b->file);
    if (files) return files < 0;
    if (a->line != b->line) return a->line < b->line;
    return rfi_site_key(a) < rfi_site_key(b);
}

/* Numbers sites in the order of their first use; each number stands for one statement. */
typedef struct rfi_sites {
    rfi_map by_pointer, by_key; /* -> number + 1 */
    const rf_site **site;
    uint64_t *key;
    uint32_t count, capacity, key_capacity;
} rfi_sites;

RFI_VAR rfi_sites rfi_site_table;

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

/* A statement with this key that was met; NULL: none was, or it is the key of something else. */
RFI_FN RFI_COLD const rf_site *rfi_site_of_key(uint64_t key) {
    const uint64_t *n = rfi_map_find(&rfi_site_table.by_key, key);
    return n ? rfi_site_table.site[*n - 1] : NULL;
}

/* rfi_site_key, computed once. */
RFI_INLINE uint64_t rfi_site_known_key(const rf_site *s) {
    uint32_t n = rfi_site_number(s);
    return rfi_site_table.key[n];
}
#endif
#endif

#ifndef RF_OFF

/* ==== edit src/mem/face.h ================================ >>mem/face */
/* mem/face.h: the memory model's public face (docs/model.md).
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
                                 returned the last value and did not, one returns it */
    uint32_t sample;          /* of a watched array, the elements that carry a history: bit i =
                                 element i; 0 = elements 0 and 1 (Flanagan, Freund, section 5.2) */
    bool whole;               /* plain values of 8 to 64 bytes are never torn */
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
    bool whole;      /* a plain read that is never torn, whatever its size (a pointer) */
    bool in_place;   /* an atomic load or store that the caller makes in memory right after this
                        call: what it stores is found there by the next access.  From then on all
                        accesses of this location give its newest value. */
} rf_mem_access;

/* A write, as told about a read. */
typedef struct rf_mem_origin {
    uint32_t thread; /* RF_MEM_NOBODY: the value that was there at the first access */
    int order;
    const void *tag;
    uint64_t value; /* the first eight bytes; for plain data what it wrote of a 4-byte unit */
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
    RF_MEM_MISFIT = 16, /* overlaps an atomic of another size or place that was used unordered */
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

/* ==== edit src/mem/clock.h =============================== >>mem/clock */
/* mem/clock.h: vector clocks (docs/inside/internals.md, Two relations).
 *
 * A clock is as long as the highest thread number in it; missing components are zero, and those up
 * to a multiple of four are there: four are joined at once.  Memory comes from an arena that the
 * owner empties at the end of the execution.
 */
#ifndef RFI_MEM_CLOCK_H
#define RFI_MEM_CLOCK_H

#ifdef RFI_IMPL
typedef struct rfi_clock {
    uint32_t *c;
    uint32_t n, capacity;
} rfi_clock;

RFI_INLINE uint32_t rfi_clock_get(const rfi_clock *a, uint32_t t) { return t < a->n ? a->c[t] : 0; }

/* Four components. */
typedef uint32_t rfi_clock_part __attribute__((vector_size(16), aligned(4), may_alias));

# define RFI_CLOCK_PARTS(n) (((n) + 3) / 4) /* that n components take */

RFI_INLINE rfi_clock_part *rfi_clock_parts(const rfi_clock *a) { return (rfi_clock_part *)a->c; }

/* Room for n components; those that there are stay. */
RFI_FN RFI_APART void rfi_clock_room(rfi_clock *a, uint32_t n, rfi_arena *arena) {
    uint32_t capacity = n < 8 ? 8 : RFI_CLOCK_PARTS(n + n / 2) * 4;
    uint32_t *c = rfi_arena_raw(arena, capacity * sizeof *c);
    if (a->n) memcpy(c, a->c, RFI_CLOCK_PARTS(a->n) * sizeof(rfi_clock_part));
    a->c = c;
    a->capacity = capacity;
}

RFI_INLINE void rfi_clock_reserve(rfi_clock *a, uint32_t n, rfi_arena *arena) {
    if (RFI_LIKELY(n <= a->n)) return;
    if (n > a->capacity) rfi_clock_room(a, n, arena);
    for (uint32_t i = RFI_CLOCK_PARTS(a->n); i < RFI_CLOCK_PARTS(n); i++)
        rfi_clock_parts(a)[i] = (rfi_clock_part){0};
    a->n = n;
}

/* The larger of the components of two parts. */
RFI_INLINE rfi_clock_part rfi_clock_most(rfi_clock_part x, rfi_clock_part y) {
    rfi_clock_part more = (rfi_clock_part)(y > x);
    return (y & more) | (x & ~more);
}

/* Is one part all there is, of both? */
RFI_INLINE bool rfi_clock_small(const rfi_clock *a, const rfi_clock *b) {
    return RFI_LIKELY(a->n - 1 < 4 && b->n - 1 < 4);
}

RFI_FN RFI_APART void rfi_clock_join_large(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    rfi_clock_reserve(a, n, arena);
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(n); i++)
        rfi_clock_parts(a)[i] = rfi_clock_most(rfi_clock_parts(a)[i], rfi_clock_parts(b)[i]);
}

/* A := A join B */
RFI_INLINE void rfi_clock_join(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    if (!rfi_clock_small(a, b)) {
        if (b->n) rfi_clock_join_large(a, b, arena);
        return;
    }
    *rfi_clock_parts(a) = rfi_clock_most(*rfi_clock_parts(a), *rfi_clock_parts(b));
    if (b->n > a->n) a->n = b->n;
}

/* Has a part a component that is larger in the other one, but for the t-th of all?  It is the i-th
 * part. */
RFI_INLINE bool rfi_clock_part_above(rfi_clock_part x, rfi_clock_part y, uint32_t i, uint32_t t) {
    const rfi_clock_part at = {0, 1, 2, 3};
    rfi_clock_part more = (rfi_clock_part)(x > y) & (rfi_clock_part)(at != t - 4 * i);
    uint64_t any[2];
    memcpy(any, &more, sizeof any);
    return any[0] | any[1];
}

RFI_FN RFI_APART bool rfi_clock_below_large(const rfi_clock *a, const rfi_clock *b, uint32_t t) {
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(a->n); i++) {
        rfi_clock_part y = {0};
        if (i < RFI_CLOCK_PARTS(b->n)) y = rfi_clock_parts(b)[i];
        if (rfi_clock_part_above(rfi_clock_parts(a)[i], y, i, t)) return false;
    }
    return true;
}

/* A <= B, but for component t. */
RFI_INLINE bool rfi_clock_below(const rfi_clock *a, const rfi_clock *b, uint32_t t) {
    if (!rfi_clock_small(a, b)) return rfi_clock_below_large(a, b, t);
    return !rfi_clock_part_above(*rfi_clock_parts(a), *rfi_clock_parts(b), 0, t);
}

RFI_FN RFI_APART void rfi_clock_copy_large(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    a->n = 0;
    if (RFI_UNLIKELY(n > a->capacity)) rfi_clock_room(a, n, arena);
    for (uint32_t i = 0; i < RFI_CLOCK_PARTS(n); i++) rfi_clock_parts(a)[i] = rfi_clock_parts(b)[i];
    a->n = n;
}

/* A := B */
RFI_INLINE void rfi_clock_copy(rfi_clock *a, const rfi_clock *b, rfi_arena *arena) {
    uint32_t n = b->n;
    if (RFI_UNLIKELY(n > 4)) {
        rfi_clock_copy_large(a, b, arena);
        return;
    }
    if (RFI_UNLIKELY(!a->capacity && n)) {
        a->c = rfi_arena_raw(arena, 8 * sizeof *a->c);
        a->capacity = 8;
    }
    if (n) *rfi_clock_parts(a) = *rfi_clock_parts(b);
    a->n = n;
}
#endif
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

RFI_FN void rfi_actors_free(rfi_actors *m) {
    rfi_arena_free(&m->arena);
    RFI_REAL(free)(m->thread);
    *m = (rfi_actors){0};
}

/* Thread `t`.  If it is new the others may move: pointers to them are stale then. */
RFI_INLINE rfi_actor *rfi_actor_of(rfi_actors *m, uint32_t t) {
    if (RFI_UNLIKELY(t >= m->count)) {
        m->thread = rfi_grow(m->thread, &m->capacity, t + 1, sizeof *m->thread);
        for (; m->count <= t; m->count++) {
            rfi_zero(&m->thread[m->count], sizeof *m->thread);
            m->thread[m->count].own = 1;
        }
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

/* Thread `t` stamps what it sends with its own component and goes on to the next. */
RFI_INLINE uint32_t rfi_stamp(rfi_actors *m, rfi_clock *clock, rfi_clock *seen, uint32_t t) {
    uint32_t k = rfi_actor_of(m, t)->own++;
    rfi_clock_reserve(clock, t + 1, &m->arena);
    clock->c[t] = k;
    if (seen->n) {
        rfi_clock_reserve(seen, t + 1, &m->arena);
        seen->c[t] = k;
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
    to->k = rfi_stamp(m, &to->clock, &to->seen, t);
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
    rfi_stamp(m, &to->clock, &to->seen, t);
    to->k = 0;
}

RFI_INLINE bool rfi_message_any(const rfi_message *b) { return b->clock.n; }

RFI_INLINE void rfi_message_clear(rfi_message *b) {
    b->clock.n = b->seen.n = b->fence = b->from = b->k = 0;
}

/* Thread `t`, which is `a`, knows already all that `b` could tell it. */
RFI_INLINE bool rfi_actor_has(const rfi_actor *a, uint32_t t, const rfi_message *b) {
    if (!b->k) return rfi_clock_below(&b->clock, &a->clock, t); /* all that was sent to it */
    return b->from == t || rfi_clock_get(&a->clock, b->from) >= b->k;
}

/* C[t] := C[t] join b, now or, if the read that brings it does not acquire, at the next acquire
 * fence. */
RFI_FN RFI_APART void rfi_actor_get(rfi_actors *m, uint32_t t, const rfi_message *b, bool now) {
    rfi_actor *a = rfi_actor_of(m, t);
    if (!now) {
        if (!b->k || rfi_clock_get(&a->acquirable.clock, b->from) < b->k)
            rfi_message_join(&a->acquirable, b, &m->arena);
        return;
    }
    rfi_seen_join(&a->seen, &a->clock, &b->seen, &b->clock, &m->arena);
    rfi_clock_join(&a->clock, &b->clock, &m->arena);
    if (b->fence > a->fence) a->fence = b->fence;
    a->version++;
}

/* The same, if that is anything new. */
RFI_FN void rfi_actor_hear(rfi_actors *m, uint32_t t, const rfi_message *b, bool now) {
    if (rfi_message_any(b) && !rfi_actor_has(rfi_actor_of(m, t), t, b)) rfi_actor_get(m, t, b, now);
}

/* What `t` gets with a message. */
RFI_INLINE void rfi_actor_receive(rfi_actors *m, uint32_t t, const rfi_message *b) {
    rfi_actor_hear(m, t, b, true);
}

/* A message from `t` that `u`, which stands still, receives at once. */
RFI_FN void rfi_actor_pass(rfi_actors *m, uint32_t t, uint32_t u) {
    rfi_actor_of(m, t > u ? t : u);
    rfi_actor *from = &m->thread[t], *to = &m->thread[u];
    rfi_seen_join(&to->seen, &to->clock, &from->seen, &from->clock, &m->arena);
    rfi_clock_join(&to->clock, &from->clock, &m->arena);
    if (from->fence > to->fence) to->fence = from->fence;
    rfi_stamp(m, &to->clock, &to->seen, t);
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
    uint32_t atomic_history;              /* stores kept of an atomic location */
    rfi_actors threads;
    rf_prng chance;
    rf_mem_report report;
    const struct rfi_kept *read;   /* the store that an atomic read returned; NULL: `report` says */
    uint64_t visible;              /* the stores that the last atomic read could return */
    uint8_t read_slot, write_slot; /* of the last atomic access, among the kept stores */
    bool forgot;                   /* a store that could be read, since there were too many */
    uint32_t known_at; /* RF_MEM_UNANNOUNCED: the time until which memory was as announced */
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

/* ==== edit src/mem/history.h ============================= >>mem/history */
/* mem/history.h: the stores of an atomic location, and their modification order.
 *
 * The modification order (mo) is not fixed when a store executes: it is a partial order that grows
 * with every constraint, and any of its extensions is an mo of RC11 (constraint graphs as in Luo,
 * Demsky, "C11Tester", ASPLOS 2021).  A location keeps at most 64 stores, so the stores before a
 * store are one word, transitively closed.
 *
 * An update comes right after the store that it read; a store and the updates that follow it form
 * a chain, and what comes after one of a chain comes after all of it.  Invariant: a store of chain
 * X is before a store of chain Y exactly if all of X is before all of Y.
 */
#ifndef RFI_MEM_HISTORY_H
#define RFI_MEM_HISTORY_H

#ifdef RFI_IMPL
typedef uint64_t rfi_slots; /* a set of kept stores by slot */
enum {
    RFI_NO_SLOT = 255,
    RFI_VISITORS = 64, /* those that rfi_kept.readers tells of */
    RFI_SEATS = 8
};

# define RFI_SLOT_BIT(s) (UINT64_C(1) << (s))

# define RFI_PAIR 16u /* bytes of the largest atomic, and the only one whose parts are used too */

/* The bytes of an atomic object, zero-extended. */
typedef struct rfi_word {
    uint64_t low, high;
} rfi_word;

/* A store that is kept. */
typedef struct rfi_kept {
    rfi_word value;
    const void *tag;     /* the caller's */
    uint32_t thread, k;  /* who stored, at which own component */
    uint32_t time;       /* of execution */
    int8_t order;        /* __ATOMIC_* or RF_MEM_PLAIN */
    uint8_t leader;      /* the store that it read as an update */
    uint8_t follower;    /* the update that read it */
    uint64_t readers;    /* the first 64 visitors that have read it */
    rfi_message message; /* what an acquiring read of it learns */
} rfi_kept;

/* A thread at a location. */
typedef struct rfi_visitor {
    uint32_t thread, number;  /* its place among them */
    uint32_t version;         /* of the thread's knowledge when `seen` was brought up to date */
    rfi_slots seen;           /* stores that its next access comes after; those before others of
                                 them may be missing */
    uint32_t read_k, write_k; /* own component at its last read and write */
    uint32_t plain_read_k;    /* and at its last plain read */
    uint32_t misses;          /* reads in a row that could have returned the newest and did not */
    bool returned;            /* something, which is */
    rfi_word last;
    rfi_message head; /* of its newest release sequence here */
} rfi_visitor;

/* It stays from one execution to the next, with its room; `generation` tells whether anything is
 * known of it in this one. */
typedef struct rfi_location {
    struct rfi_location *next; /* in the same granule */
    uintptr_t addr;
    uint32_t size, generation;
    uint32_t count, capacity; /* stores */
    uint32_t touched;         /* slots that were ever in use: the lowest ones */
    uint32_t visitors, visitor_capacity;
    uint32_t collect_at; /* count at which dead stores are looked for */
    uint32_t alone;      /* when there were so many locations, none of them had bytes of it */
    rfi_slots all, sc;   /* the slots in use; those of seq_cst stores */
    rfi_slots covered;   /* stores that are before others; of those not in use, anything */
    rfi_slots followed;  /* stores that an update has read; of those not in use, anything */
    rfi_slots founder;   /* the store that followed a forgotten one: nothing may come in between */
    rfi_kept *kept;
    rfi_slots *before; /* by slot: the stores before it in mo; nothing for slots not in use */
    rfi_visitor *visitor;
    uint32_t *first_read; /* [slot * visitor_capacity + visitor]: own component, 0 = never; of the
                             first 64 visitors only if rfi_kept.readers has them */
    rfi_word memory;      /* what is there: by a store that none is known to be after */
    uint32_t plain_thread, plain_k; /* the last plain write */
    const void *plain_tag;
    bool plain_reads;
    bool in_place;                      /* the caller accesses the memory itself */
    bool late;                          /* and has stored since: the value is in memory only */
    uint8_t shown;                      /* the slot of what is in memory */
    uint8_t seat[RFI_SEATS];            /* the visitor that a thread was, by its low bits */
    uint8_t by_age[RF_MEM_HISTORY_MAX]; /* slots, oldest first */
} rfi_location;

/* ---- the graph ---- */

RFI_INLINE uint32_t rfi_chain_first(const rfi_location *x, uint32_t s) {
    while (x->kept[s].leader != RFI_NO_SLOT) s = x->kept[s].leader;
    return s;
}

RFI_INLINE uint32_t rfi_chain_last(const rfi_location *x, uint32_t s) {
    while (x->kept[s].follower != RFI_NO_SLOT) s = x->kept[s].follower;
    return s;
}

/* All that comes before one of `set`. */
RFI_INLINE rfi_slots rfi_before(const rfi_location *x, rfi_slots set) {
    rfi_slots before = 0;
    for (; set; set &= set - 1) before |= x->before[rfi_ages_oldest(set)];
    return before;
}

/* All stores up to and with the chains of `set`: what a store after `set` comes after. */
RFI_FN rfi_slots rfi_upto(const rfi_location *x, rfi_slots set) {
    rfi_slots upto = 0;
    for (; set; set &= set - 1) {
        uint32_t last = rfi_chain_last(x, rfi_ages_oldest(set));
        upto |= x->before[last] | RFI_SLOT_BIT(last);
    }
    return upto;
}

/* Puts every store of `set` but `s` itself before `s`, which is before none of them. */
RFI_FN void rfi_constrain(rfi_location *x, rfi_slots set, uint32_t s) {
    set &= ~(x->before[s] | RFI_SLOT_BIT(s));
    if (RFI_LIKELY(!set)) return;
    rfi_slots add = rfi_upto(x, set);
    rfi_slots first = RFI_SLOT_BIT(rfi_chain_first(x, s));
    for (uint32_t i = 0; i < x->touched; i++)
        if (((x->before[i] | RFI_SLOT_BIT(i)) & first)) x->before[i] |= add;
    x->covered |= add;
}

/* Store `w`, new, follows update-wise on `s`, which has no follower. */
RFI_INLINE void rfi_follow(rfi_location *x, uint32_t s, uint32_t w) {
    rfi_slots bit = RFI_SLOT_BIT(s);
    for (uint32_t i = 0; x->covered & bit && i < x->touched; i++)
        if (x->before[i] & bit) {
            x->before[i] |= RFI_SLOT_BIT(w);
            x->covered |= RFI_SLOT_BIT(w);
        }
    x->covered |= bit;
    x->followed |= bit;
    x->kept[s].follower = (uint8_t)w;
    x->kept[w].leader = (uint8_t)s;
    x->before[w] = x->before[s] | bit;
}

/* Forgets `s`, a store that nothing is before, and with it that anything could be: it is the first
 * of all from now on. */
RFI_FN void rfi_evict(rfi_location *x, uint32_t s) {
    rfi_slots chain = RFI_SLOT_BIT(s), bit = chain;
    for (uint32_t c = s; (c = x->kept[c].follower) != RFI_NO_SLOT;) chain |= RFI_SLOT_BIT(c);
    x->all &= ~bit;
    x->sc &= ~bit;
    for (rfi_slots z = chain != bit ? x->all & ~chain : 0; z; z &= z - 1)
        x->before[rfi_ages_oldest(z)] |= chain;
    if (chain != bit) x->covered |= chain;
    for (uint32_t i = 0; i < x->touched; i++) x->before[i] &= ~bit;
    x->before[s] = 0;
    x->founder = 0;
    if (x->kept[s].follower != RFI_NO_SLOT) {
        x->kept[x->kept[s].follower].leader = RFI_NO_SLOT;
        x->founder = RFI_SLOT_BIT(x->kept[s].follower);
    }
    for (uint32_t v = 0; v < x->visitors; v++) x->visitor[v].seen &= ~bit;
    uint32_t i = 0;
    while (x->by_age[i] != s) i++;
    memmove(x->by_age + i, x->by_age + i + 1, --x->count - i);
}

/* ---- who knows what ---- */

/* Does thread `t` know (a) the store in slot `s`, other than by happens-before: do its next
 * accesses come after it?  Through somebody else's reads, and through fences. */
RFI_FN RFI_APART bool rfi_known_else(const rfi_location *x, uint32_t s, const rfi_actor *a,
                                     uint32_t t) {
    const rfi_kept *k = &x->kept[s];
    if (k->order == __ATOMIC_SEQ_CST && k->time < a->fence) return true;
    const uint32_t *first = x->first_read + s * x->visitor_capacity;
    const rfi_clock *seen = rfi_actor_seen(a);
    for (uint64_t readers = k->readers; readers; readers &= readers - 1) {
        uint32_t v = (uint32_t)__builtin_ctzll(readers), u = x->visitor[v].thread;
        if (u == t || rfi_clock_get(seen, u) >= first[v]) return true;
    }
    for (uint32_t v = RFI_VISITORS; v < x->visitors; v++) {
        uint32_t u = x->visitor[v].thread;
        if (first[v] && (u == t || rfi_clock_get(seen, u) >= first[v])) return true;
    }
    return false;
}

/* Visitor `v` reads the store in slot `s`, at its own component `own`. */
RFI_INLINE void rfi_location_read(rfi_location *x, uint32_t s, const rfi_visitor *v, uint32_t own) {
    uint32_t *first = &x->first_read[s * x->visitor_capacity + v->number];
    if (RFI_UNLIKELY(v->number >= RFI_VISITORS)) {
        if (!*first) *first = own;
        return;
    }
    uint64_t bit = UINT64_C(1) << v->number;
    if (x->kept[s].readers & bit) return;
    x->kept[s].readers |= bit;
    *first = own;
}

RFI_INLINE bool rfi_known(const rfi_location *x, uint32_t s, const rfi_actor *a, uint32_t t) {
    const rfi_kept *k = &x->kept[s];
    return k->thread == t || k->thread == RF_MEM_NOBODY ||
           rfi_clock_get(rfi_actor_seen(a), k->thread) >= k->k || rfi_known_else(x, s, a, t);
}

/* Brings what visitor `v` has seen up to date, of the stores `open`: the newest stores first, since
 * most tell of those before them. */
RFI_FN RFI_APART void rfi_learn(const rfi_location *x, rfi_visitor *v, const rfi_actor *a,
                                rfi_slots open) {
    for (const uint8_t *newest = x->by_age + x->count; open;) {
        uint32_t s = *--newest;
        rfi_slots bit = RFI_SLOT_BIT(s);
        if (!(open & bit)) continue;
        open &= ~bit;
        if (!rfi_known(x, s, a, v->thread)) continue;
        v->seen |= bit;
        open &= ~x->before[s];
    }
}

/* Brings what `v` has seen up to date after its thread has learned something; `hidden`: the stores
 * before that.  Mostly the newest store is known from its writer, and tells of the others. */
RFI_INLINE rfi_slots rfi_update(const rfi_location *x, rfi_visitor *v, const rfi_actor *a,
                                rfi_slots hidden) {
    rfi_slots open = x->all & ~(hidden | v->seen);
    v->version = a->version;
    if (!open) return hidden;
    uint32_t newest = x->by_age[x->count - 1];
    const rfi_kept *k = &x->kept[newest];
    if (open & RFI_SLOT_BIT(newest) && rfi_clock_get(rfi_actor_seen(a), k->thread) >= k->k) {
        v->seen |= RFI_SLOT_BIT(newest);
        hidden |= x->before[newest];
        open &= ~(hidden | RFI_SLOT_BIT(newest));
        if (!open) return hidden;
    }
    rfi_learn(x, v, a, open);
    return rfi_before(x, v->seen);
}

/* ---- room ---- */

RFI_FN RFI_COLD void rfi_location_widen(rfi_location *x, uint32_t stores, uint32_t visitors,
                                        rfi_arena *arena) {
    uint32_t *first = rfi_arena_raw(arena, (size_t)stores * visitors * sizeof *first);
    for (uint32_t s = 0; s < x->touched; s++)
        memcpy(first + s * visitors, x->first_read + s * x->visitor_capacity,
               x->visitors * sizeof *first);
    x->first_read = first;
    if (stores > x->capacity) {
        rfi_kept *kept = rfi_arena_raw(arena, stores * sizeof *kept);
        rfi_slots *before = rfi_arena_raw(arena, stores * sizeof *before);
        if (x->touched) {
            memcpy(kept, x->kept, x->touched * sizeof *kept);
            memcpy(before, x->before, x->touched * sizeof *before);
        }
        x->kept = kept;
        x->before = before;
        x->capacity = stores;
    }
    if (visitors > x->visitor_capacity) {
        rfi_visitor *v = rfi_arena_raw(arena, visitors * sizeof *v);
        if (x->visitors) memcpy(v, x->visitor, x->visitors * sizeof *v);
        x->visitor = v;
        x->visitor_capacity = visitors;
    }
}

RFI_FN RFI_APART rfi_visitor *rfi_location_met(rfi_location *x, uint32_t t, rfi_arena *arena) {
    if (x->visitors == x->visitor_capacity)
        rfi_location_widen(x, x->capacity, x->visitor_capacity * 2, arena);
    for (uint32_t s = 0; x->visitors >= RFI_VISITORS && s < x->touched; s++)
        x->first_read[s * x->visitor_capacity + x->visitors] = 0;
    rfi_visitor *v = &x->visitor[x->visitors];
    rfi_zero(v, sizeof *v);
    v->thread = t;
    v->number = x->visitors++;
    v->version = UINT32_MAX;
    return v;
}

RFI_FN RFI_APART rfi_visitor *rfi_location_search(rfi_location *x, uint32_t t, rfi_arena *arena) {
    for (rfi_visitor *v = x->visitor, *end = v + x->visitors; v < end; v++) {
        if (v->thread != t) continue;
        x->seat[t % RFI_SEATS] = (uint8_t)v->number;
        return v;
    }
    return rfi_location_met(x, t, arena);
}

/* Thread `t` at `x`. */
RFI_INLINE rfi_visitor *rfi_location_visit(rfi_location *x, uint32_t t, rfi_arena *arena) {
    uint32_t seat = x->seat[t % RFI_SEATS];
    rfi_visitor *v = &x->visitor[seat];
    return RFI_LIKELY(seat < x->visitors && v->thread == t) ? v : rfi_location_search(x, t, arena);
}

# define RFI_COLLECT_FROM 8u

/* The age of the newest store that thread `t` knows for sure, 0 if only the oldest. */
RFI_FN uint32_t rfi_newest_known(const rfi_location *x, const rfi_actor *a, uint32_t t) {
    rfi_slots seen = 0;
    uint32_t i = x->count - 1;
    for (uint32_t v = 0; v < x->visitors; v++)
        if (x->visitor[v].thread == t) seen = x->visitor[v].seen;
    for (; i; i--) {
        const rfi_kept *k = &x->kept[x->by_age[i]];
        if ((seen & RFI_SLOT_BIT(x->by_age[i])) ||
            rfi_clock_get(rfi_actor_seen(a), k->thread) >= k->k)
            break;
    }
    return i;
}

/* Forgets the stores that nobody can read any more: the first ones in mo, as far as every live
 * thread knows a later one. */
RFI_FN void rfi_location_collect(rfi_location *x, const rfi_actors *threads) {
    uint32_t dead = x->count - 1, n = 0;
    for (uint32_t t = 0; t < threads->count && dead; t++) {
        if (threads->thread[t].ended) continue;
        uint32_t known = rfi_newest_known(x, &threads->thread[t], t);
        if (known < dead) dead = known;
    }
    if (!dead) return;
    rfi_slots first = 0, before[RF_MEM_HISTORY_MAX]; /* by age: what is before all that are newer */
    before[x->count - 1] = ~UINT64_C(0);
    for (uint32_t i = x->count - 1; i; i--) before[i - 1] = before[i] & x->before[x->by_age[i]];
    for (; n < dead; n++) { /* what comes first in time need not come first in mo */
        if (!(before[n] & RFI_SLOT_BIT(x->by_age[n]))) break;
        first |= RFI_SLOT_BIT(x->by_age[n]);
    }
    if (!n) return;
    x->all &= ~first;
    x->sc &= ~first;
    x->founder &= ~first;
    for (uint32_t i = 0; i < x->touched; i++)
        x->before[i] = first & RFI_SLOT_BIT(i) ? 0 : x->before[i] & ~first;
    for (uint32_t v = 0; v < x->visitors; v++) x->visitor[v].seen &= ~first;
    x->count -= n;
    memmove(x->by_age, x->by_age + n, x->count);
    for (uint32_t i = 0; i < x->count; i++) {
        rfi_kept *k = &x->kept[x->by_age[i]];
        if (k->leader != RFI_NO_SLOT && (first & RFI_SLOT_BIT(k->leader))) k->leader = RFI_NO_SLOT;
    }
}

/* Makes room for one more store: forgets dead ones now and then, and at the bound the oldest that
 * nothing is before. */
RFI_FN RFI_APART void rfi_location_room(rfi_location *x, rfi_core *c, rfi_arena *arena) {
    if (x->count >= x->collect_at) {
        rfi_location_collect(x, &c->threads);
        x->collect_at = x->count * 2 > RFI_COLLECT_FROM ? x->count * 2 : RFI_COLLECT_FROM;
    }
    if (x->count >= c->atomic_history) {
        uint32_t i = 0;
        while (x->before[x->by_age[i]]) i++;
        rfi_evict(x, x->by_age[i]);
        c->forgot = true;
    }
    if (x->count == x->capacity) rfi_location_widen(x, x->capacity * 4, x->visitor_capacity, arena);
}

/* A new store, for which there is room; its place in mo is the caller's business. */
RFI_FN uint32_t rfi_location_append(rfi_location *x, rfi_word value) {
    uint32_t s = rfi_ages_oldest(~x->all);
    rfi_kept *k = &x->kept[s];
    if (s == x->touched) {
        x->touched++;
        k->message = (rfi_message){0};
    } else {
        rfi_message_clear(&k->message);
    }
    k->value = value;
    k->readers = 0;
    x->before[s] = 0;
    k->leader = k->follower = RFI_NO_SLOT;
    for (uint32_t v = RFI_VISITORS; v < x->visitors; v++)
        x->first_read[s * x->visitor_capacity + v] = 0;
    x->by_age[x->count++] = (uint8_t)s;
    x->all |= RFI_SLOT_BIT(s);
    x->covered &= ~RFI_SLOT_BIT(s);
    x->followed &= ~RFI_SLOT_BIT(s);
    return s;
}
#endif
#endif

/* ==== edit src/mem/shadow.h ============================== >>mem/shadow */
/* mem/shadow.h: a pointer for every eight bytes of the program's memory that were touched.
 *
 * Memory is cut into granules of 8 bytes, granules are gathered in regions of 64, and regions are
 * found by hash: neighbours share a look-up, mostly a cached one, and a large range that was never
 * touched, such as a stack that changes hands, is skipped 512 bytes at a time.  Emptying costs
 * nothing.  What lies at a granule is up to the owner; NULL is nothing.
 *
 * An owner may keep regions that were only ever touched as a whole, as those of a large block that
 * is filled and freed, as if they were one granule: what lies there lies at each of theirs.  An
 * access to a part of one spreads it.
 */
#ifndef RFI_MEM_SHADOW_H
#define RFI_MEM_SHADOW_H

#ifdef RFI_IMPL
# define RFI_GRANULE 8u  /* bytes */
# define RFI_REGION  64u /* granules */
# define RFI_RECENT  16u /* regions */
# define RFI_WHOLE   1u  /* the place is that of all granules of the region */

typedef struct rfi_region {
    void *at[RFI_REGION];
} rfi_region;

typedef struct rfi_shadow {
    rfi_map regions; /* granule / RFI_REGION -> rfi_region *, or a place and RFI_WHOLE */
    /* Makes what lies at a granule once more; the owner of wholes sets it. */
    void *(*copy)(struct rfi_shadow *s, const void *what);
    rfi_arena arena; /* also for what the owner hangs into it */
    struct rfi_recent {
        uintptr_t key;
        rfi_region *region; /* NULL: none */
    } recent[RFI_RECENT];   /* by the low bits of the key */
} rfi_shadow;

RFI_FN void rfi_shadow_reset(rfi_shadow *s) {
    if (s->regions.used) rfi_zero(s->recent, sizeof s->recent);
    rfi_map_reset(&s->regions);
    rfi_arena_reset(&s->arena);
}

RFI_FN void rfi_shadow_free(rfi_shadow *s) {
    rfi_map_free(&s->regions);
    rfi_arena_free(&s->arena);
    memset(s->recent, 0, sizeof s->recent);
}

RFI_FN RFI_COLD void rfi_shadow_spread(rfi_shadow *s, uint64_t *whole) {
    void *const *place = (void **)(uintptr_t)(*whole - RFI_WHOLE);
    rfi_region *r = rfi_arena_take(&s->arena, sizeof *r);
    r->at[0] = *place;
    for (unsigned i = 1; i < RFI_REGION; i++) r->at[i] = s->copy(s, *place);
    *whole = (uint64_t)(uintptr_t)r;
}

RFI_FN RFI_APART rfi_region *rfi_shadow_look(rfi_shadow *s, uintptr_t key) {
    struct rfi_recent *recent = &s->recent[key % RFI_RECENT];
    uint64_t *r = rfi_map_find(&s->regions, key);
    if (!r) return NULL;
    if (RFI_UNLIKELY(*r & RFI_WHOLE)) rfi_shadow_spread(s, r);
    recent->key = key;
    return recent->region = (rfi_region *)(uintptr_t)*r;
}

/* The region of granule `g` if it is one of those remembered, or NULL. */
RFI_INLINE rfi_region *rfi_shadow_recent(rfi_shadow *s, uintptr_t g) {
    const struct rfi_recent *recent = &s->recent[g / RFI_REGION % RFI_RECENT];
    return RFI_LIKELY(recent->key == g / RFI_REGION) ? recent->region : NULL;
}

/* The region of granule `g`, or NULL. */
RFI_INLINE rfi_region *rfi_shadow_region(rfi_shadow *s, uintptr_t g) {
    rfi_region *recent = rfi_shadow_recent(s, g);
    return RFI_LIKELY(recent) ? recent : rfi_shadow_look(s, g / RFI_REGION);
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

/* The first granule of g .. end-1 at which something lies, or `end`.  Of a stack most regions are
 * not there: behind some that it has looked for in vain it looks at those that are. */
RFI_FN uintptr_t rfi_shadow_next(rfi_shadow *s, uintptr_t g, uintptr_t end) {
    uint32_t missed = 0;
    while (g < end) {
        rfi_region *r = rfi_shadow_region(s, g);
        uintptr_t stop = (g | (RFI_REGION - 1)) + 1;
        for (; r && g < stop && g < end; g++)
            if (r->at[g % RFI_REGION]) return g;
        g = stop;
        if (r || g >= end || ++missed <= s->regions.mask / 16) continue;
        missed = 0;
        g = rfi_map_next(&s->regions, g / RFI_REGION, (end - 1) / RFI_REGION + 1) * RFI_REGION;
    }
    return end;
}

/* Each granule of [from, to) at which something lies. */
# define RFI_EACH_GRANULE(s, g, from, to)                                   \
  for (uintptr_t g = (from) / RFI_GRANULE,                                  \
                 g##_end = (from) == (to) ? g : ((to)-1) / RFI_GRANULE + 1; \
       (g = rfi_shadow_next(s, g, g##_end)) < g##_end; g++)

/* The place of all granules of a region; NULL: they have places of their own. */
RFI_FN RFI_APART void **rfi_shadow_whole(rfi_shadow *s, uintptr_t key) {
    uint64_t *r = rfi_map_at(&s->regions, key);
    if (!*r) *r = (uint64_t)(uintptr_t)rfi_arena_take(&s->arena, sizeof(void *)) | RFI_WHOLE;
    return *r & RFI_WHOLE ? (void **)(uintptr_t)(*r - RFI_WHOLE) : NULL;
}

/* The place of granule `*g` as one that [from, to) covers; `*g` becomes the last one of those whose
 * place it is. */
RFI_INLINE void **rfi_shadow_part(rfi_shadow *s, uintptr_t *g, uintptr_t from, uintptr_t to) {
    if (RFI_UNLIKELY(to - from >= RFI_REGION * RFI_GRANULE) && !(*g % RFI_REGION) &&
        *g * RFI_GRANULE >= from && to - *g * RFI_GRANULE >= RFI_REGION * RFI_GRANULE) {
        void **whole = rfi_shadow_whole(s, *g / RFI_REGION);
        if (whole) {
            *g += RFI_REGION - 1;
            return whole;
        }
    }
    return rfi_shadow_at(s, *g);
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

/* ==== edit src/mem/locations.h =========================== >>mem/locations */
/* mem/locations.h: the atomic locations of an execution, by their addresses.
 *
 * Records outlive executions.  A location that is met again is as its memory is, unless an atomic
 * of another size is there in this execution: then it begins with what that one has released.
 */
#ifndef RFI_MEM_LOCATIONS_H
#define RFI_MEM_LOCATIONS_H

#ifdef RFI_IMPL
# define RFI_LOCATIONS_RECENT 64u

typedef struct rfi_atomics {
    rfi_shadow places; /* granule -> list of the locations that begin there; outlives executions */
    uint32_t generation;                        /* of this execution */
    uint32_t met, kept;                         /* locations in this execution; in `places` */
    uint32_t time;                              /* of stores, seq_cst fences, and new locations */
    rfi_clock fenced;                           /* what happens before some seq_cst fence */
    rfi_location *recent[RFI_LOCATIONS_RECENT]; /* by the low bits of address / 4; or NULL */
    /* Between the halves of a read-modify-write. */
    rfi_location *updated;
    rf_mem_access update;
    uint32_t source;
} rfi_atomics;

# define RFI_STALE_LOCATIONS 1024u /* that need not be forgotten */

RFI_FN void rfi_atomics_reset(rfi_atomics *m) {
    if (m->kept > RFI_STALE_LOCATIONS + 4 * m->met || !++m->generation) {
        rfi_shadow_reset(&m->places);
        memset(m->recent, 0, sizeof m->recent);
        m->kept = 0;
        m->generation = 1;
    }
    m->met = 0;
    m->time = m->fenced.n = m->fenced.capacity = 0;
    m->fenced.c = NULL;
}

/* ---- values ---- */

RFI_INLINE rfi_word rfi_word_of(const void *p, size_t n) {
    rfi_word w = {0, 0};
    switch (n) {
    case 4: memcpy(&w.low, p, 4); break;
    case 8: memcpy(&w.low, p, 8); break;
    case 1: memcpy(&w.low, p, 1); break;
    case 2: memcpy(&w.low, p, 2); break;
    default: memcpy(&w, p, n < sizeof w ? n : sizeof w);
    }
    return w;
}

RFI_INLINE void rfi_word_put(void *p, const rfi_word *w, size_t n) {
    switch (n) {
    case 4: memcpy(p, &w->low, 4); break;
    case 8: memcpy(p, &w->low, 8); break;
    case 1: memcpy(p, &w->low, 1); break;
    case 2: memcpy(p, &w->low, 2); break;
    default: memcpy(p, w, n < sizeof *w ? n : sizeof *w);
    }
}

RFI_INLINE bool rfi_word_same(const rfi_word *a, const rfi_word *b) {
    return a->low == b->low && a->high == b->high;
}

RFI_INLINE void *rfi_access_memory(const rf_mem_access *a) { return (void *)(uintptr_t)a->addr; }

/* Who reads it by other means than an atomic load finds a store that may be the last in mo. */
RFI_FN RFI_COLD void rfi_show_other(rfi_location *x) {
    rfi_slots open = x->all & ~x->covered;
    uint32_t i = x->count;
    if (open & RFI_SLOT_BIT(x->shown) || x->in_place) return;
    while (i && !(open & RFI_SLOT_BIT(x->by_age[i - 1]))) i--;
    if (!i) return;
    x->shown = x->by_age[i - 1];
    x->memory = x->kept[x->shown].value;
    rfi_word_put((void *)x->addr, &x->memory, x->size);
}

/* ---- locations ---- */

RFI_FN RFI_APART rfi_location *rfi_atomics_look(rfi_atomics *m, uintptr_t addr, size_t size) {
    rfi_location *x = rfi_shadow_get(&m->places, addr / RFI_GRANULE);
    while (x && (x->addr != addr || x->size != size)) x = x->next;
    return m->recent[addr / 4 % RFI_LOCATIONS_RECENT] = x;
}

/* The record of exactly these bytes, from this execution or an earlier one, or NULL. */
RFI_INLINE rfi_location *rfi_atomics_at(rfi_atomics *m, uintptr_t addr, size_t size) {
    rfi_location *x = m->recent[addr / 4 % RFI_LOCATIONS_RECENT];
    if (RFI_LIKELY(x && x->addr == addr && x->size == size)) return x;
    return rfi_atomics_look(m, addr, size);
}

/* Is it known in this execution, and has it bytes of [from, to)? */
RFI_INLINE bool rfi_location_has(const rfi_location *x, const rfi_atomics *m, uintptr_t from,
                                 uintptr_t to) {
    return x->generation == m->generation && x->addr < to && from < x->addr + x->size;
}

/* The first location that begins in a granule from *g on and has bytes of [from, to), or NULL; *g
 * tells where it begins. */
RFI_FN rfi_location *rfi_atomics_overlap(rfi_atomics *m, uintptr_t *g, uintptr_t from,
                                         uintptr_t to) {
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (; (*g = rfi_shadow_next(&m->places, *g, end)) < end; ++*g)
        for (rfi_location *x = rfi_shadow_get(&m->places, *g); x; x = x->next)
            if (rfi_location_has(x, m, from, to)) return x;
    return NULL;
}

/* Where a location with bytes from `from` on can begin: one of 16 bytes covers two granules. */
RFI_INLINE uintptr_t rfi_atomics_first(uintptr_t from) {
    return from < RFI_GRANULE ? 0 : from / RFI_GRANULE - 1;
}

/* Nothing is known of these bytes any more. */
RFI_FN void rfi_atomics_forget(rfi_atomics *m, uintptr_t from, uintptr_t to) {
    if (!m->met || from >= to) return;
    uintptr_t g = rfi_atomics_first(from);
    for (rfi_location *x; (x = rfi_atomics_overlap(m, &g, from, to)) != NULL;) x->generation = 0;
}

/* Has somebody used a location among these bytes in a way that is not ordered before what `t` does
 * now?  If all is ordered the bytes may have become another object. */
RFI_FN bool rfi_atomics_disputed(const rfi_core *c, rfi_atomics *m, uintptr_t from, uintptr_t to,
                                 uint32_t t) {
    const rfi_clock *clock = &c->threads.thread[t].clock;
    for (uintptr_t g = rfi_atomics_first(from);; g++) {
        const rfi_location *x = rfi_atomics_overlap(m, &g, from, to);
        if (!x) return false;
        for (uint32_t i = 0; i < x->visitors; i++) {
            const rfi_visitor *v = &x->visitor[i];
            uint32_t k = v->read_k > v->write_k ? v->read_k : v->write_k;
            if (v->thread != t && rfi_clock_get(clock, v->thread) < k) return true;
        }
    }
}

/* The location is as its memory is, and that is all that is known of it. */
RFI_FN void rfi_location_begin(rfi_location *x, uint32_t time) {
    x->all = x->sc = x->founder = 0;
    x->count = 0;
    x->plain_k = 0;
    x->plain_reads = false;
    x->collect_at = RFI_COLLECT_FROM;
    x->visitors = 0;
    x->memory = rfi_word_of((const void *)x->addr, x->size);
    x->shown = (uint8_t)rfi_location_append(x, x->memory);
    rfi_kept *k = &x->kept[x->shown];
    k->thread = RF_MEM_NOBODY;
    k->k = 0;
    k->time = time;
    k->order = RF_MEM_PLAIN;
    k->tag = NULL;
}

RFI_FN RFI_COLD rfi_location *rfi_atomics_add(rfi_atomics *m, uintptr_t addr, size_t size) {
    void **list = rfi_shadow_at(&m->places, addr / RFI_GRANULE);
    rfi_location *x = rfi_arena_take(&m->places.arena, sizeof *x);
    x->addr = addr;
    x->size = (uint32_t)size;
    x->alone = 0;
    rfi_location_widen(x, 4, 4, &m->places.arena);
    x->next = *list;
    m->kept++;
    return *list = x;
}

/* Of an atomic of 16 bytes parts may be used, too (tagged pointers): what the locations of
 * [from, to) were before goes on in the next one, whose first value comes with all that any of
 * their stores has released. */
RFI_FN RFI_COLD void rfi_atomics_gather(rfi_core *c, rfi_atomics *m, uintptr_t from, uintptr_t to,
                                        rfi_message *all) {
    uintptr_t g = rfi_atomics_first(from);
    for (rfi_location *x; (x = rfi_atomics_overlap(m, &g, from, to)) != NULL; x->generation = 0)
        for (uint32_t i = 0; i < x->count; i++)
            rfi_message_join(all, &x->kept[x->by_age[i]].message, &c->threads.arena);
}

/* The first of the locations of this execution that have bytes of [from, to), or NULL; `x`: the
 * record of exactly these bytes from an earlier one, or NULL. */
RFI_FN rfi_location *rfi_atomics_others(rfi_atomics *m, uintptr_t from, uintptr_t to,
                                        rfi_location *x) {
    uintptr_t g = rfi_atomics_first(from), end = (to - 1) / RFI_GRANULE + 1;
    if (!m->met || (x && x->alone == m->kept)) return NULL;
    rfi_location *found = rfi_atomics_overlap(m, &g, from, to);
    if (found || !x) return found;
    x->alone = m->kept;
    for (g = rfi_atomics_first(from); (g = rfi_shadow_next(&m->places, g, end)) < end; g++)
        for (const rfi_location *y = rfi_shadow_get(&m->places, g); y; y = y->next)
            if (y != x && y->addr < to && from < y->addr + y->size) x->alone = 0;
    return NULL;
}

/* The location of an access that is the first of it in this execution; `x`: its record, or NULL. */
RFI_FN RFI_APART rfi_location *rfi_atomics_meet(rfi_core *c, rfi_atomics *m, const rf_mem_access *a,
                                                rfi_location *x) {
    uintptr_t addr = (uintptr_t)a->addr;
    rfi_message all = {.k = 0};
    const rfi_location *other = rfi_atomics_others(m, addr, addr + a->size, x);
    if (other && (other->size == RFI_PAIR || a->size == RFI_PAIR)) {
        rfi_atomics_gather(c, m, addr, addr + a->size, &all);
    } else if (other) {
        if (rfi_atomics_disputed(c, m, addr, addr + a->size, a->thread))
            c->report.flags |= RF_MEM_MISFIT;
        rfi_atomics_forget(m, addr, addr + a->size);
    }
    if (!x) x = rfi_atomics_add(m, addr, a->size);
    m->met++;
    x->generation = m->generation;
    x->touched = 0;
    x->in_place = x->late = false;
    x->covered = x->followed = 0;
    rfi_location_begin(x, ++m->time);
    if (rfi_message_any(&all))
        rfi_message_join(&x->kept[x->by_age[0]].message, &all, &c->threads.arena);
    return x;
}

/* The last store was made by the caller: its value is known now. */
RFI_FN void rfi_location_settle(rfi_location *x) {
    x->shown = x->by_age[x->count - 1];
    x->memory = x->kept[x->shown].value = rfi_word_of((const void *)x->addr, x->size);
    x->late = false;
}

/* Its memory holds what the last store left there. */
RFI_INLINE bool rfi_location_announced(const rfi_location *x) {
    if (RFI_LIKELY(x->size == 8)) return !memcmp((const void *)x->addr, &x->memory.low, 8);
    if (RFI_LIKELY(x->size == 4)) return !memcmp((const void *)x->addr, &x->memory.low, 4);
    rfi_word now = rfi_word_of((const void *)x->addr, x->size);
    return rfi_word_same(&now, &x->memory);
}

/* The same for a location that is new in this execution, or not as it was left. */
RFI_FN RFI_APART rfi_location *rfi_atomics_renew(rfi_core *c, rfi_atomics *m,
                                                 const rf_mem_access *a, rfi_location *x) {
    if (!x || x->generation != m->generation) {
        x = rfi_atomics_meet(c, m, a, x);
    } else if (x->late) {
        rfi_location_settle(x);
    } else if (!rfi_location_announced(x)) {
        c->known_at = x->kept[x->by_age[x->count - 1]].time;
        c->report.flags |= RF_MEM_UNANNOUNCED;
        rfi_location_begin(x, ++m->time);
    }
    x->in_place |= a->in_place;
    return x;
}

/* The location of an access. */
RFI_INLINE rfi_location *rfi_atomics_find(rfi_core *c, rfi_atomics *m, const rf_mem_access *a) {
    rfi_location *x = rfi_atomics_at(m, (uintptr_t)a->addr, a->size);
    if (RFI_LIKELY(x && x->generation == m->generation && !a->in_place && !x->late &&
                   rfi_location_announced(x)))
        return x;
    return rfi_atomics_renew(c, m, a, x);
}

/* The same with room for a store. */
RFI_INLINE rfi_location *rfi_atomics_room(rfi_core *c, rfi_atomics *m, const rf_mem_access *a) {
    rfi_location *x = rfi_atomics_find(c, m, a);
    if (RFI_UNLIKELY(x->count >= x->collect_at || x->count == x->capacity ||
                     x->count >= c->atomic_history))
        rfi_location_room(x, c, &m->places.arena);
    return x;
}
#endif
#endif

/* ==== edit src/mem/atomic.h ============================== >>mem/atomic */
/* mem/atomic.h: atomic operations under RC11 (docs/inside/internals.md, The memory model).
 *
 * An operation comes after (in mo, or in what it reads from) the stores that its thread has seen:
 *   - what happens before it, and what was read by something that does (coherence);
 *   - what the psc axiom of RC11 adds, with the seq_cst order being the order of execution: for a
 *     seq_cst operation, the seq_cst stores so far and the stores that happen before some seq_cst
 *     fence; after a seq_cst fence, everything that happens before an earlier one (that is
 *     rfi_actor.seen) and the seq_cst stores before it (rfi_actor.fence).
 * A read may return any kept store that is before none of these, and puts them before it.  Since
 * every constraint says only that one store is before another, and an acyclic set of them has an
 * extension, nothing else needs to be checked, and nothing is lost (algorithms 7.9 gives the same
 * sets as "prior sets").
 */
#ifndef RFI_MEM_ATOMIC_H
#define RFI_MEM_ATOMIC_H

#ifdef RFI_IMPL
/* Of 65536: */
# define RFI_WEAK_FAILURES  4096u  /* weak exchanges that fail spuriously */
# define RFI_RECENT_LOADS   32768u /* loads that take the newest store by RF_PICK_RECENT */
# define RFI_RECENT_UPDATES 49152u /* compare-exchanges that do: most failures teach nothing */
# define RFI_SETTLED_STORES                                            \
  16384u /* stores whose place among unordered ones is settled at once \
          */

/* ---- what an access may read, and what it comes after ---- */

/* The stores that an access of `v` with this order comes after; others may be before them: all of
 * those are `hidden`. */
RFI_INLINE rfi_slots rfi_prior(const rfi_core *c, const rfi_atomics *m, const rfi_location *x,
                               rfi_visitor *v, int order, rfi_slots *hidden) {
    const rfi_actor *a = &c->threads.thread[v->thread];
    *hidden = rfi_before(x, v->seen);
    if (v->version != a->version) *hidden = rfi_update(x, v, a, *hidden);
    rfi_slots prior = v->seen;
    if (order != __ATOMIC_SEQ_CST) return prior;
    prior |= x->sc;
    if (m->fenced.n)
        for (rfi_slots z = x->all & ~prior; z; z &= z - 1) {
            const rfi_kept *k = &x->kept[rfi_ages_oldest(z)];
            if (rfi_clock_get(&m->fenced, k->thread) >= k->k) prior |= z & -z;
        }
    *hidden |= rfi_before(x, prior & ~(v->seen | *hidden));
    return prior;
}

RFI_INLINE rfi_slots rfi_unfollowed(const rfi_core *c, const rfi_location *x, rfi_slots set) {
    if (c->options.atomics != RF_MEM_C11) /* mo is the order of execution */
        return set & RFI_SLOT_BIT(x->by_age[x->count - 1]);
    return set & ~x->followed;
}

/* The stores of `set` whose value is `w`. */
RFI_FN rfi_slots rfi_valued(const rfi_location *x, rfi_slots set, const rfi_word *w) {
    rfi_slots same = 0;
    for (; set; set &= set - 1)
        if (rfi_word_same(&x->kept[rfi_ages_oldest(set)].value, w)) same |= set & -set;
    return same;
}

RFI_FN rfi_ages rfi_aged(const rfi_location *x, rfi_slots set) {
    rfi_ages ages = 0;
    for (uint32_t i = 0; i < x->count; i++)
        if (set & RFI_SLOT_BIT(x->by_age[i])) ages |= UINT64_C(1) << i;
    return ages;
}

/* The store of `set`, not empty, that executed last. */
RFI_INLINE uint32_t rfi_newest(const rfi_location *x, rfi_slots set) {
    uint32_t i = x->count - 1;
    while (!(set & RFI_SLOT_BIT(x->by_age[i]))) i--;
    return x->by_age[i];
}

RFI_FN uint32_t rfi_atomic_choose(rfi_core *c, const rfi_location *x, const rfi_visitor *v,
                                  rfi_slots set) {
    rfi_ages all = rfi_aged(x, set), different = all;
    if (v->returned) different &= ~rfi_aged(x, rfi_valued(x, set, &v->last));
    return x->by_age[rfi_core_pick(c, c->atomic_pick, all, different)];
}

/* One of the stores of `last`, which no store is after, is the last of all from now on. */
RFI_FN RFI_COLD uint32_t rfi_settle_last(rfi_core *c, rfi_location *x, rfi_slots last) {
    uint32_t s = rfi_ages_at(last, rfi_below(&c->chance, rfi_ages_count(last)));
    rfi_constrain(x, x->all, s);
    rfi_show_other(x);
    return s;
}

/* One of the stores of `set`, not empty, by the heuristic and in fairness.  RF_PICK_RECENT takes
 * the newest with probability `recent` / 65536; newest are those that no store is after in mo.
 *
 * Fairness: nobody ignores for ever the store that is last in mo.  As long as several could be that
 * one, every read counts as a miss, since two threads might wait on two of them: in the end one of
 * them, any, is made the last. */
RFI_FN RFI_APART uint32_t rfi_atomic_among(rfi_core *c, rfi_location *x, rfi_visitor *v,
                                           rfi_slots set, uint32_t recent) {
    if (c->options.atomics == RF_MEM_SC || x->in_place) return rfi_newest(x, set);
    if (RFI_UNLIKELY(c->options.choose != NULL)) return rfi_atomic_choose(c, x, v, set);
    rfi_slots last = set & ~x->covered;
    uint32_t s = rfi_newest(x, last ? last : set);
    if (RFI_UNLIKELY(v->misses >= c->options.fairness)) {
        c->report.flags |= RF_MEM_FORCED;
        if (last & (last - 1)) s = rfi_settle_last(c, x, last);
        last &= RFI_SLOT_BIT(s);
    } else if (c->atomic_pick == RF_PICK_NEWEST)
        s = rfi_newest(x, set);
    else if (c->atomic_pick != RF_PICK_RECENT)
        s = rfi_atomic_choose(c, x, v, set);
    else if (!rfi_chance(&c->chance, recent))
        s = rfi_ages_at(set, rfi_below(&c->chance, rfi_ages_count(set)));
    v->misses = last == RFI_SLOT_BIT(s) ? 0 : v->misses + 1;
    return s;
}

RFI_INLINE uint32_t rfi_atomic_pick(rfi_core *c, rfi_location *x, rfi_visitor *v, rfi_slots set,
                                    uint32_t recent) {
    c->visible = set;
    return set & (set - 1) ? rfi_atomic_among(c, x, v, set, recent) : rfi_ages_oldest(set);
}

/* ---- reports ---- */

RFI_FN rf_mem_origin rfi_kept_origin(const rfi_kept *k) {
    return (rf_mem_origin){k->thread, k->order, k->tag, k->value.low};
}

/* A read returned `s`: was it the newest? */
RFI_INLINE void rfi_tell_read(rfi_core *c, const rfi_location *x, uint32_t s) {
    uint32_t newest = x->by_age[x->count - 1], i = x->count;
    c->read = &x->kept[s];
    if (RFI_LIKELY(s == newest)) return;
    while (x->by_age[--i] != s) c->report.hidden++;
    c->report.from = rfi_kept_origin(c->read);
    c->report.flags |= RF_MEM_STALE;
    c->report.visible = rfi_ages_count(c->visible);
    c->report.newest = rfi_kept_origin(&x->kept[newest]);
}

/* Does an earlier access of somebody else race with this one, given what its thread knows? */
RFI_FN void rfi_find_race(rfi_core *c, const rfi_location *x, uint32_t t, bool plain, bool writes) {
    const rfi_clock *clock = &c->threads.thread[t].clock;
    if (x->plain_k && x->plain_thread != t && rfi_clock_get(clock, x->plain_thread) < x->plain_k) {
        c->report.flags |= RF_MEM_RACE;
        c->report.other =
            (rf_mem_origin){x->plain_thread, RF_MEM_PLAIN, x->plain_tag, x->memory.low};
    }
    if (!plain && !(writes && x->plain_reads)) return;
    for (uint32_t i = 0; i < x->visitors; i++) {
        const rfi_visitor *v = &x->visitor[i];
        uint32_t k = v->plain_read_k;
        if (plain && v->write_k > k) k = v->write_k;
        if (plain && writes && v->read_k > k) k = v->read_k;
        if (!writes) k = v->write_k;
        if (v->thread == t || rfi_clock_get(clock, v->thread) >= k) continue;
        c->report.flags |= RF_MEM_RACE;
        c->report.other = (rf_mem_origin){.thread = v->thread, .order = __ATOMIC_RELAXED};
    }
}

RFI_INLINE void rfi_tell_race(rfi_core *c, const rfi_location *x, uint32_t t, bool plain,
                              bool writes) {
    if (plain || x->plain_k || (writes && x->plain_reads)) rfi_find_race(c, x, t, plain, writes);
}

/* ---- the halves of an access ---- */

/* `v` reads store `s` and comes after `prior`. */
RFI_INLINE void rfi_half_read(rfi_core *c, rfi_location *x, rfi_visitor *v, int order,
                              rfi_slots prior, uint32_t s) {
    uint32_t t = v->thread;
    rfi_kept *k = &x->kept[s];
    if (prior & ~(x->before[s] | RFI_SLOT_BIT(s))) {
        rfi_constrain(x, prior, s);
        rfi_show_other(x);
    }
    v->seen = RFI_SLOT_BIT(s);
    c->read_slot = (uint8_t)s;
    v->returned = true;
    v->last = k->value;
    rfi_actor *a = &c->threads.thread[t];
    rfi_location_read(x, s, v, a->own);
    v->read_k = a->own;
    if (order != RF_MEM_PLAIN && rfi_message_any(&k->message) && !rfi_actor_has(a, t, &k->message))
        rfi_actor_get(&c->threads, t, &k->message, rfi_acquires(order));
    rfi_tell_read(c, x, s);
}

/* What comes with a store of `v` with this order: its release sequences. */
RFI_INLINE void rfi_half_message(rfi_core *c, rfi_location *x, rfi_visitor *v, int order,
                                 uint32_t source, uint32_t w) {
    rfi_message *to = &x->kept[w].message, *head = &v->head;
    rfi_arena *arena = &c->threads.arena;
    if (order == RF_MEM_PLAIN) return;
    if (source != RFI_NO_SLOT) rfi_message_copy(to, &x->kept[source].message, arena);
    const rfi_message *fence = &c->threads.thread[v->thread].released;
    if (rfi_releases(order))
        rfi_message_send(&c->threads, v->thread, head);
    else if (fence->k > head->k || c->options.cxx20)
        rfi_message_copy(head, fence, arena);
    if (!rfi_message_any(head)) return;
    if (head->k && rfi_clock_get(&to->clock, head->from) >= head->k) return; /* `to` tells it */
    if (rfi_message_any(to) && !(to->k && to->from == v->thread))
        rfi_message_join(to, head, arena);
    else
        rfi_message_copy(to, head, arena);
}

/* Nothing orders the new store `w` and those of `others`, that no store is after.  To leave that
 * open until somebody reads them in some order gives everybody the value he waits for: now and then
 * it is settled at once, as by a thread that reads `w` last or before one of the others. */
RFI_FN RFI_COLD void rfi_settle_store(rfi_core *c, rfi_location *x, uint32_t w, rfi_slots others) {
    if (c->options.atomics != RF_MEM_C11 || c->options.choose || x->in_place) return;
    if (c->atomic_pick == RF_PICK_NEWEST || !rfi_chance(&c->chance, RFI_SETTLED_STORES)) return;
    if (rfi_coin(&c->chance))
        rfi_constrain(x, others, w);
    else
        rfi_constrain(x, RFI_SLOT_BIT(w),
                      rfi_ages_at(others, rfi_below(&c->chance, rfi_ages_count(others))));
}

/* `v` stores after `prior`; as an update after `source` if that is a slot. */
RFI_INLINE void rfi_half_write(rfi_core *c, rfi_atomics *m, rfi_location *x, rfi_visitor *v,
                               const rf_mem_access *a, rfi_slots prior, uint32_t source,
                               const void *in) {
    rfi_word value = rfi_word_of(in, a->size);
    uint32_t w = rfi_location_append(x, value);
    rfi_kept *k = &x->kept[w];
    k->thread = v->thread;
    k->k = c->threads.thread[v->thread].own;
    k->time = ++m->time;
    k->order = (int8_t)a->order;
    k->tag = a->tag;
    rfi_slots after = prior | x->founder;
    if (source != RFI_NO_SLOT) {
        rfi_follow(x, source, w);
        after &= ~x->before[w]; /* of what is before it, the whole chain is */
    }
    x->before[w] |= c->options.atomics == RF_MEM_C11 ? rfi_upto(x, after) : x->all;
    x->before[w] &= ~RFI_SLOT_BIT(w);
    x->covered |= x->before[w];
    rfi_slots open = x->all & ~x->covered;
    if (RFI_UNLIKELY(open & (open - 1)) && open & RFI_SLOT_BIT(w))
        rfi_settle_store(c, x, w, open & ~RFI_SLOT_BIT(w));
    v->seen = RFI_SLOT_BIT(w);
    c->write_slot = (uint8_t)w;
    v->write_k = k->k;
    if (a->order == __ATOMIC_SEQ_CST) x->sc |= RFI_SLOT_BIT(w);
    rfi_half_message(c, x, v, a->order, source, w);
    if (RFI_UNLIKELY(x->covered & RFI_SLOT_BIT(w)) && !a->in_place) {
        rfi_show_other(x);
        return;
    }
    x->shown = (uint8_t)w;
    x->memory = value;
    rfi_word_put(rfi_access_memory(a), &value, a->size);
}

/* ---- operations ---- */

RFI_FN void rfi_atomic_read(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, void *out) {
    rfi_location *x = rfi_atomics_find(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    uint32_t s = rfi_atomic_pick(c, x, v, x->all & ~hidden, RFI_RECENT_LOADS);
    rfi_half_read(c, x, v, a->order, prior, s);
    rfi_word_put(out, &x->kept[s].value, a->size);
    bool plain = a->order == RF_MEM_PLAIN;
    rfi_tell_race(c, x, a->thread, plain, false);
    if (!plain) return;
    v->plain_read_k = v->read_k;
    x->plain_reads = true;
}

RFI_FN void rfi_atomic_write(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, const void *in) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    bool plain = a->order == RF_MEM_PLAIN;
    rfi_tell_race(c, x, a->thread, plain, true);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    rfi_half_write(c, m, x, v, a, prior, RFI_NO_SLOT, in);
    x->late = a->in_place;
    if (!plain) return;
    x->plain_thread = a->thread;
    x->plain_k = v->write_k;
    x->plain_tag = a->tag;
}

RFI_FN void rfi_atomic_update(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, void *old) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden);
    rfi_slots open = rfi_unfollowed(c, x, x->all & ~hidden);
    uint32_t s = rfi_atomic_pick(c, x, v, open, RFI_RECENT_LOADS);
    rfi_half_read(c, x, v, a->order, prior, s);
    rfi_word_put(old, &x->kept[s].value, a->size);
    rfi_tell_race(c, x, a->thread, false, true);
    m->updated = x;
    m->update = *a;
    m->source = s;
}

RFI_FN void rfi_atomic_updated(rfi_core *c, rfi_atomics *m, const void *value) {
    rfi_location *x = m->updated;
    rfi_visitor *v = rfi_location_visit(x, m->update.thread, &m->places.arena);
    rfi_half_write(c, m, x, v, &m->update, v->seen, m->source, value);
}

/* What a compare-exchange may read: `open` if it succeeds, `bad` if it fails, each of them by its
 * value. */
typedef struct rfi_comparison {
    rfi_word wanted;
    rfi_slots open, bad;
    bool weak, fails;
} rfi_comparison;

/* Whether a compare-exchange succeeds is part of the choice: each store with the expected value
 * that an update can read is a success, each store with another value a failure; a weak one may
 * fail on any store, and does if `fails` says so already. */
RFI_FN RFI_APART uint32_t rfi_atomic_compared(rfi_core *c, rfi_location *x, rfi_visitor *v,
                                              rfi_comparison *q) {
    rfi_slots equal = rfi_valued(x, q->open | q->bad, &q->wanted), bad = q->bad;
    rfi_slots good = rfi_unfollowed(c, x, q->open & equal);
    if (!q->weak || (!c->options.choose && !q->fails)) bad &= ~equal;
    if (c->options.atomics == RF_MEM_SC) bad &= RFI_SLOT_BIT(x->by_age[x->count - 1]);
    q->fails |= !good;
    if (c->options.choose) {
        uint32_t n = rfi_ages_count(bad), i = rfi_core_choose(c, n + rfi_ages_count(good));
        q->fails = i < n;
        return q->fails ? rfi_ages_at(bad, i) : rfi_ages_at(good, i - n); /* the last is usual */
    }
    uint32_t s = rfi_atomic_pick(c, x, v, q->fails ? bad : good | bad, RFI_RECENT_UPDATES);
    q->fails |= !(good & RFI_SLOT_BIT(s));
    return s;
}

RFI_FN bool rfi_atomic_compare(rfi_core *c, rfi_atomics *m, const rf_mem_access *a, int failure,
                               bool weak, void *expected, const void *desired) {
    rfi_location *x = rfi_atomics_room(c, m, a);
    rfi_visitor *v = rfi_location_visit(x, a->thread, &m->places.arena);
    rfi_slots hidden, prior = rfi_prior(c, m, x, v, a->order, &hidden), prior_bad = prior;
    rfi_comparison q = {.wanted = rfi_word_of(expected, a->size), .weak = weak};
    q.open = q.bad = x->all & ~hidden;
    if (RFI_UNLIKELY((a->order == __ATOMIC_SEQ_CST) != (failure == __ATOMIC_SEQ_CST))) {
        prior_bad = rfi_prior(c, m, x, v, failure, &hidden);
        q.bad = x->all & ~hidden;
    }
    q.fails = weak && !c->options.choose && rfi_chance(&c->chance, RFI_WEAK_FAILURES);
    uint32_t s = rfi_ages_oldest(q.open);
    if (RFI_LIKELY(q.bad == q.open && !(q.open & (q.open - 1)) && !c->options.choose &&
                   !(x->followed & q.open))) { /* there is but one */
        c->visible = q.open;
        q.fails |= !rfi_word_same(&x->kept[s].value, &q.wanted);
    } else {
        s = rfi_atomic_compared(c, x, v, &q);
    }
    rfi_half_read(c, x, v, q.fails ? failure : a->order, q.fails ? prior_bad : prior, s);
    rfi_tell_race(c, x, a->thread, false, !q.fails);
    rfi_word_put(expected, &x->kept[s].value, a->size);
    if (!q.fails) rfi_half_write(c, m, x, v, a, v->seen, s, desired);
    return !q.fails;
}

/* The place of a seq_cst fence among all of them: it sees what earlier ones have seen, and later
 * ones what it has.  Nothing is synchronised. */
RFI_FN void rfi_atomic_serialise(rfi_core *c, rfi_atomics *m, uint32_t t) {
    rfi_arena *arena = &c->threads.arena;
    rfi_actor *a = rfi_actor_of(&c->threads, t);
    a->fence = ++m->time;
    rfi_clock_join(&m->fenced, &a->clock, arena);
    rfi_clock_reserve(&m->fenced, t + 1, arena);
    m->fenced.c[t] = a->own;
    if (!a->seen.n) rfi_clock_copy(&a->seen, &a->clock, arena);
    rfi_clock_join(&a->seen, &m->fenced, arena);
    a->version++;
}

/* atomic_thread_fence: acquire, seq_cst and release part, in this order. */
RFI_FN void rfi_atomic_fence(rfi_core *c, rfi_atomics *m, uint32_t t, int order) {
    rfi_actors *threads = &c->threads;
    if (rfi_acquires(order)) rfi_actor_acquire_fence(threads, t);
    rfi_actor *a = rfi_actor_of(threads, t);
    if (order == __ATOMIC_SEQ_CST) rfi_atomic_serialise(c, m, t);
    if (rfi_releases(order)) rfi_message_send(threads, t, &a->released);
}
#endif
#endif

/* ==== edit src/mem/unit.h ================================ >>mem/unit */
/* mem/unit.h: the writes of plain data that are kept, by units of four aligned bytes.
 *
 * The write buffers of Flanagan, Freund, "Adversarial memory for detecting destructive races", PLDI
 * 2010, section 4.1, with their rules READ, GC1 and REMOVE OLDEST (GC2 is in plain.h).  A store is
 * one rfi_write, and a piece in each unit that it touches.  All rules hold for each byte.
 *
 * Invariants.  Pieces stand in the order of their serial numbers.  Of each byte the newest piece is
 * kept.  Whatever is forgotten of a byte is older than everything that is not, but for what nobody
 * can see (GC1) and what equals a newer one (GC2).
 */
#ifndef RFI_MEM_UNIT_H
#define RFI_MEM_UNIT_H

#ifdef RFI_IMPL
enum {
    RFI_UNIT_BYTES = 4, /* bytes */
    RFI_PIECES = 65     /* of a unit at most: RF_MEM_HISTORY_MAX, and the one that is too much */
};

/* A store, or the value that a unit had when it was met. */
typedef struct rfi_write {
    uint64_t serial;        /* counts them in the order of execution */
    uintptr_t from, to;     /* what it wrote; nothing for a value that was there */
    const void *tag;        /* the caller's */
    struct rfi_write *next; /* while unused */
    rfi_clock clock;        /* K, but for its own component */
    uint32_t thread, own;   /* K[thread]; RF_MEM_NOBODY and 0: below everything */
    uint32_t pieces;
    int order;
} rfi_write;

typedef struct rfi_piece {
    rfi_write *write;
    uint8_t value[RFI_UNIT_BYTES];
    uint8_t bytes; /* of the unit that it wrote */
    uint8_t kept;  /* those of them that can be returned still */
} rfi_piece;

/* Reads of a thread in a row that could have returned the newest and did not. */
typedef struct rfi_misses {
    uint32_t thread, count;
} rfi_misses;

typedef struct rfi_unit {
    rfi_piece *piece;
    rfi_misses *misses;
    uint32_t count, capacity, missing, missing_capacity;
    uint32_t asked_by, asked_at; /* thread and its version when GC1 last ran for a read */
    uint8_t watched, known;      /* bytes; known: those that a read has returned */
    uint8_t newest[RFI_UNIT_BYTES], last[RFI_UNIT_BYTES];
} rfi_unit;

/* What all units share. */
typedef struct rfi_writes {
    rfi_arena *arena;
    uint64_t serial;
    rfi_write *spare;
    uint32_t *live; /* of the threads below `met`, those that may not have ended */
    uint32_t lives, live_capacity, met;
} rfi_writes;

/* Room for one more in an array of the arena. */
RFI_FN void *rfi_arena_room(rfi_arena *arena, void *array, uint32_t count, uint32_t *capacity,
                            size_t element) {
    if (RFI_LIKELY(count < *capacity)) return array;
    *capacity = *capacity ? *capacity * 2 : 4;
    void *more = rfi_arena_take(arena, *capacity * element);
    if (count) memcpy(more, array, count * element);
    return more;
}

/* ---- the order of writes ---- */

/* Ki is below Kj, for i executed before j. */
RFI_INLINE bool rfi_write_below(const rfi_write *i, const rfi_write *j) {
    return i->thread == j->thread || i->own <= rfi_clock_get(&j->clock, i->thread);
}

/* Kj is below C[t]. */
RFI_INLINE bool rfi_write_known(const rfi_write *j, uint32_t t, const rfi_actor *a) {
    return j->thread == t || j->own <= rfi_clock_get(&a->clock, j->thread);
}

RFI_INLINE bool rfi_write_same_clock(const rfi_write *i, const rfi_write *j) {
    return i->thread == j->thread && i->own == j->own && i->clock.n == j->clock.n &&
           (!i->clock.n || !memcmp(i->clock.c, j->clock.c, i->clock.n * sizeof *i->clock.c));
}

RFI_FN rfi_write *rfi_write_new(rfi_writes *m) {
    rfi_write *w = m->spare;
    if (w)
        m->spare = w->next;
    else
        w = rfi_arena_take(m->arena, sizeof *w);
    w->serial = ++m->serial;
    w->from = w->to = 0;
    w->thread = RF_MEM_NOBODY;
    w->own = w->clock.n = w->pieces = 0;
    w->order = RF_MEM_PLAIN;
    w->tag = NULL;
    return w;
}

RFI_INLINE void rfi_piece_end(rfi_writes *m, rfi_piece *x) {
    if (--x->write->pieces) return;
    x->write->next = m->spare;
    m->spare = x->write;
}

/* ---- the history of a unit ---- */

RFI_FN void rfi_unit_append(rfi_writes *m, rfi_unit *u, rfi_write *w, const void *value,
                            uint8_t bytes) {
    u->piece = rfi_arena_room(m->arena, u->piece, u->count, &u->capacity, sizeof *u->piece);
    rfi_piece *x = &u->piece[u->count++];
    *x = (rfi_piece){.write = w, .bytes = bytes, .kept = bytes};
    w->pieces++;
    for (unsigned i = 0; i < RFI_UNIT_BYTES; i++)
        if (bytes >> i & 1) u->newest[i] = x->value[i] = ((const uint8_t *)value)[i];
}

/* Keeps the pieces that have a byte to keep. */
RFI_FN void rfi_unit_sweep(rfi_writes *m, rfi_unit *u, const uint8_t *keep) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->count; i++) {
        if (keep[i])
            u->piece[n++] = u->piece[i];
        else
            rfi_piece_end(m, &u->piece[i]);
    }
    u->count = n;
}

/* The bytes of memory that are watched begin anew: with what is there. */
RFI_FN void rfi_unit_begin(rfi_writes *m, rfi_unit *u, uintptr_t at, uint8_t bytes) {
    uint8_t value[RFI_UNIT_BYTES];
    for (unsigned i = 0; i < RFI_UNIT_BYTES; i++) /* what is not watched may not even be readable */
        if (bytes >> i & 1) value[i] = *(const uint8_t *)(at + i);
    rfi_unit_append(m, u, rfi_write_new(m), value, bytes);
}

/* Whatever was known of these bytes is not any more; they may stay without a value. */
RFI_FN void rfi_unit_forget(rfi_writes *m, rfi_unit *u, uint8_t bytes) {
    uint8_t keep[RFI_PIECES];
    for (uint32_t i = 0; i < u->count; i++) keep[i] = u->piece[i].kept &= (uint8_t)~bytes;
    u->known &= (uint8_t)~bytes;
    rfi_unit_sweep(m, u, keep);
}

/* READ: the bytes of each piece that `t` may see. */
RFI_FN void rfi_unit_visible(const rfi_unit *u, uint32_t t, const rfi_actor *a, uint8_t *sees) {
    uint32_t killer[RFI_PIECES], killers = 0;
    for (uint32_t i = u->count; i-- > 0;) {
        const rfi_piece *x = &u->piece[i];
        uint8_t s = x->kept;
        for (uint32_t k = 0; s && k < killers; k++) {
            const rfi_piece *y = &u->piece[killer[k]];
            if ((s & y->bytes) && rfi_write_below(x->write, y->write)) s &= (uint8_t)~y->bytes;
        }
        sees[i] = s;
        if (s && rfi_write_known(x->write, t, a)) killer[killers++] = i;
    }
}

/* GC1: drops what no live thread can see.  A thread that does not exist yet will know all that its
 * parent knows. */
RFI_FN void rfi_unit_collect(rfi_core *c, rfi_writes *m, rfi_unit *u) {
    uint8_t keep[RFI_PIECES], sees[RFI_PIECES], newer = 0;
    uint32_t idle = 0;
    for (uint32_t i = u->count; i-- > 0;) {
        keep[i] = (uint8_t)(u->piece[i].kept & ~newer);
        newer |= u->piece[i].bytes;
        idle += !keep[i];
    }
    for (; m->met < c->threads.count; m->met++) {
        m->live = rfi_arena_room(m->arena, m->live, m->lives, &m->live_capacity, sizeof *m->live);
        m->live[m->lives++] = m->met;
    }
    for (uint32_t n = 0; idle && n < m->lives;) {
        uint32_t t = m->live[n];
        const rfi_actor *a = rfi_actor_of(&c->threads, t);
        if (a->ended) {
            m->live[n] = m->live[--m->lives];
            continue;
        }
        n++;
        rfi_unit_visible(u, t, a, sees);
        for (uint32_t i = 0; i < u->count; i++) {
            idle -= !keep[i] && sees[i];
            keep[i] |= sees[i];
        }
    }
    if (idle) rfi_unit_sweep(m, u, keep);
}

/* REMOVE OLDEST, byte by byte: what is left of a piece that is the newest at one byte and old at
 * another is its newest byte. */
RFI_FN void rfi_unit_bound(rfi_core *c, rfi_writes *m, rfi_unit *u) {
    uint8_t newest[RFI_PIECES], newer = 0;
    for (uint32_t i = u->count; i-- > 0;) {
        newest[i] = (uint8_t)(u->piece[i].bytes & ~newer);
        newer |= u->piece[i].bytes;
    }
    for (uint32_t i = 0; i < u->count && u->count > c->options.history;) {
        u->piece[i].kept &= newest[i];
        if (u->piece[i].kept) {
            i++;
            continue;
        }
        rfi_piece_end(m, &u->piece[i]);
        u->count--;
        memmove(&u->piece[i], &u->piece[i + 1], (u->count - i) * sizeof *u->piece);
        memmove(&newest[i], &newest[i + 1], u->count - i);
    }
}
#endif
#endif

/* ==== edit src/mem/plain.h =============================== >>mem/plain */
/* mem/plain.h: what reads of plain data under suspicion return.
 *
 * The progressive Java memory model of Flanagan, Freund, "Adversarial memory for detecting
 * destructive races", PLDI 2010, sections 4 and 5: a read returns a write that was executed before
 * it, unless another write of the location lies between the two in happens-before.  There is no
 * coherence: two reads may see two writes in either order.
 *
 * Accesses may be of any size and overlap in any way.  A read may take its bytes from several
 * writes, each visible there.  What it puts together is always what some of the writes leave behind
 * if applied in the order of their execution: with a byte of a write it takes everything that this
 * write covers, but for what newer ones cover of that.  This binds all of the value (64 bytes at a
 * time), and only each 4-byte unit of it where the value is torn.
 */
#ifndef RFI_MEM_PLAIN_H
#define RFI_MEM_PLAIN_H

#ifdef RFI_IMPL
enum { RFI_VIEW_BYTES = 64 }; /* bytes that are read at a time, by one word of bits */

/* What lies at a granule, once it was accessed.  Before, the shadow holds its watched bytes. */
typedef struct rfi_units {
    struct rfi_units *next; /* while unused */
    rfi_unit unit[2];
} rfi_units;

/* A write that a read may return, at the bytes of the view. */
typedef struct rfi_source {
    rfi_write *write;
    uint64_t covers, sees; /* what it wrote; where it is visible */
    uint64_t given;        /* what is returned of it */
    uint8_t value[RFI_VIEW_BYTES];
} rfi_source;

typedef struct rfi_taken {
    const rfi_write *write;
    uintptr_t base;
    uint64_t given, value;
    uint32_t hidden;
} rfi_taken;

typedef struct rfi_plain {
    rfi_shadow shadow;
    rfi_writes writes;
    uint32_t granules; /* with watched bytes */
    rfi_units *spare_units;
    rfi_source *source; /* of the view, oldest first */
    rfi_taken *taken;   /* by the read, in all its views */
    uint32_t sources, source_capacity, takens, taken_capacity;
} rfi_plain;

/* The bytes that a read looks at together. */
typedef struct rfi_view {
    uintptr_t base;
    uint64_t wanted, known;
    rfi_unit *unit[RFI_VIEW_BYTES / RFI_UNIT_BYTES];
    uint8_t last[RFI_VIEW_BYTES];
} rfi_view;

/* Before the first use and between executions.  rfi_shadow_free gives all back. */
RFI_FN void rfi_plain_reset(rfi_plain *p) {
    if (p->writes.arena && !p->shadow.regions.used) return; /* nothing was watched */
    rfi_shadow_reset(&p->shadow);
    *p = (rfi_plain){.shadow = p->shadow, .writes.arena = &p->shadow.arena};
}

RFI_INLINE bool rfi_plain_any(const rfi_plain *p) { return p->granules; }

/* ---- where units are ---- */

RFI_INLINE uint8_t rfi_watched(const void *at) {
    uintptr_t word = (uintptr_t)at;
    if (word & 1) return (uint8_t)(word >> 1);
    const rfi_units *x = at;
    if (!x) return 0;
    return (uint8_t)(x->unit[0].watched | x->unit[1].watched << RFI_UNIT_BYTES);
}

RFI_INLINE void *rfi_watched_word(uint8_t bytes) {
    return bytes ? (void *)((uintptr_t)bytes << 1 | 1) : NULL;
}

/* The first unit of at .. to-1 with watched bytes, or `to`; `at` is aligned. */
RFI_FN uintptr_t rfi_plain_next(rfi_plain *p, uintptr_t at, uintptr_t to) {
    for (; at < to; at += RFI_UNIT_BYTES) {
        uintptr_t g = at / RFI_GRANULE;
        g = rfi_shadow_next(&p->shadow, g, (to - 1) / RFI_GRANULE + 1);
        if (g * RFI_GRANULE >= to) return to;
        if (g * RFI_GRANULE > at) at = g * RFI_GRANULE;
        if (rfi_watched(rfi_shadow_get(&p->shadow, g)) >> at % RFI_GRANULE & 15) return at;
    }
    return to;
}

RFI_FN RFI_COLD rfi_units *rfi_plain_units(rfi_plain *p, uint8_t watched) {
    rfi_units *x = p->spare_units;
    if (x)
        p->spare_units = x->next;
    else
        x = rfi_arena_take(&p->shadow.arena, sizeof *x);
    for (unsigned i = 0; i < 2; i++) {
        rfi_unit *u = &x->unit[i];
        u->watched = watched >> i * RFI_UNIT_BYTES & 15;
        u->known = 0;
        u->count = u->missing = 0;
    }
    return x;
}

/* The unit at `at`, which has watched bytes. */
RFI_INLINE rfi_unit *rfi_plain_unit(rfi_plain *p, uintptr_t at) {
    void **place = rfi_shadow_at(&p->shadow, at / RFI_GRANULE);
    if (RFI_UNLIKELY((uintptr_t)*place & 1)) *place = rfi_plain_units(p, rfi_watched(*place));
    return &((rfi_units *)*place)->unit[at / RFI_UNIT_BYTES % 2];
}

/* The same, for an access: its history ends with what is in memory. */
RFI_FN rfi_unit *rfi_plain_meet(rfi_core *c, rfi_plain *p, uintptr_t at) {
    rfi_unit *u = rfi_plain_unit(p, at);
    bool same = u->count;
    for (unsigned i = 0; same && i < RFI_UNIT_BYTES; i++)
        if (u->watched >> i & 1) same = u->newest[i] == *(const uint8_t *)(at + i);
    if (RFI_LIKELY(same)) return u;
    if (u->count) {
        c->report.flags |= RF_MEM_UNANNOUNCED;
        rfi_unit_forget(&p->writes, u, u->watched);
    }
    rfi_unit_begin(&p->writes, u, at, u->watched);
    return u;
}

RFI_FN void rfi_plain_watch(rfi_core *c, rfi_plain *p, uintptr_t addr, size_t size) {
    if (!size) return;
    for (uintptr_t g = addr / RFI_GRANULE; g <= (addr + size - 1) / RFI_GRANULE; g++) {
        void **place = rfi_shadow_at(&p->shadow, g);
        uint8_t before = rfi_watched(*place);
        uint8_t bytes = before | rfi_shadow_mask(g, addr, addr + size);
        p->granules += !before;
        if (!*place || (uintptr_t)*place & 1) {
            *place = rfi_watched_word(bytes);
            continue;
        }
        for (unsigned i = 0; i < 2; i++) {
            rfi_unit *u = &((rfi_units *)*place)->unit[i];
            uint8_t more = (uint8_t)(bytes >> i * RFI_UNIT_BYTES & 15 & ~u->watched);
            u->watched |= more;
            if (more && u->count) {
                rfi_unit_begin(&p->writes, u, g * RFI_GRANULE + i * RFI_UNIT_BYTES, more);
                rfi_unit_bound(c, &p->writes, u);
            }
        }
    }
}

RFI_FN void rfi_plain_watch_array(rfi_core *c, rfi_plain *p, uintptr_t base, size_t element,
                                  size_t count) {
    for (unsigned i = 0; i < 32 && i < count; i++)
        if (c->options.sample >> i & 1) rfi_plain_watch(c, p, base + i * element, element);
}

/* Is a byte of the range watched? */
RFI_INLINE bool rfi_plain_watched(rfi_plain *p, uintptr_t addr, size_t size) {
    if (!p->granules || !size) return false;
    RFI_EACH_GRANULE(&p->shadow, g, addr, addr + size)
    if (rfi_watched(rfi_shadow_get(&p->shadow, g)) & rfi_shadow_mask(g, addr, addr + size))
        return true;
    return false;
}

RFI_FN void rfi_plain_forget(rfi_plain *p, uintptr_t addr, size_t size) {
    if (!p->granules || !size) return;
    RFI_EACH_GRANULE(&p->shadow, g, addr, addr + size) {
        void **place = rfi_shadow_at(&p->shadow, g);
        uint8_t gone = rfi_shadow_mask(g, addr, addr + size);
        uint8_t rest = rfi_watched(*place) & (uint8_t)~gone;
        p->granules -= !rest;
        if ((uintptr_t)*place & 1) {
            *place = rfi_watched_word(rest);
            continue;
        }
        rfi_units *x = *place;
        for (unsigned i = 0; i < 2; i++) {
            rfi_unit *u = &x->unit[i];
            rfi_unit_forget(&p->writes, u, gone >> i * RFI_UNIT_BYTES & 15);
            u->watched &= (uint8_t)(rest >> i * RFI_UNIT_BYTES);
        }
        if (rest) continue;
        x->next = p->spare_units;
        p->spare_units = x;
        *place = NULL;
    }
}

/* How many writes of the unit that contains `addr` are kept. */
RFI_FN uint32_t rfi_plain_history(const rfi_plain *p, uintptr_t addr) {
    const uint64_t *r = rfi_map_find(&p->shadow.regions, addr / RFI_GRANULE / RFI_REGION);
    if (!r) return 0;
    const rfi_region *region = (const rfi_region *)(uintptr_t)*r;
    const void *at = region->at[addr / RFI_GRANULE % RFI_REGION];
    if (!at || (uintptr_t)at & 1) return 0;
    return ((const rfi_units *)at)->unit[addr / RFI_UNIT_BYTES % 2].count;
}

/* ---- what a thread may see ---- */

/* The bytes of [from, to) in the view. */
RFI_INLINE uint64_t rfi_view_bits(const rfi_view *v, uintptr_t from, uintptr_t to) {
    uint64_t low = from > v->base ? from - v->base : 0, high = to > v->base ? to - v->base : 0;
    if (high > RFI_VIEW_BYTES) high = RFI_VIEW_BYTES;
    return low < high ? UINT64_MAX << low & UINT64_MAX >> (RFI_VIEW_BYTES - high) : 0;
}

RFI_FN void rfi_view_add(rfi_plain *p, const rfi_piece *x, uint8_t sees, unsigned shift) {
    uint32_t i = p->sources;
    while (i && p->source[i - 1].write->serial > x->write->serial) i--;
    rfi_source *s = i ? &p->source[i - 1] : NULL;
    if (!s || s->write != x->write) {
        p->source = rfi_arena_room(&p->shadow.arena, p->source, p->sources, &p->source_capacity,
                                   sizeof *p->source);
        s = &p->source[i];
        memmove(s + 1, s, (p->sources++ - i) * sizeof *s);
        s->write = x->write;
        s->covers = s->sees = s->given = 0;
    }
    s->covers |= (uint64_t)x->bytes << shift;
    s->sees |= (uint64_t)sees << shift;
    memcpy(s->value + shift, x->value, RFI_UNIT_BYTES);
}

/* All that thread `t` may see of the bytes from .. to-1 between v->base and `end`. */
RFI_FN void rfi_view_open(rfi_core *c, rfi_plain *p, rfi_view *v, uint32_t t, uintptr_t from,
                          uintptr_t to, uintptr_t end) {
    uint8_t sees[RFI_PIECES];
    p->sources = 0;
    v->wanted = v->known = 0;
    for (uintptr_t at = v->base; at < end; at = rfi_plain_next(p, at + RFI_UNIT_BYTES, end)) {
        rfi_unit *u = rfi_plain_meet(c, p, at);
        unsigned shift = (unsigned)(at - v->base);
        uint8_t wanted = (uint8_t)(rfi_view_bits(v, from, to) >> shift & u->watched);
        if (!wanted) continue;
        const rfi_actor *a = rfi_actor_of(&c->threads, t);
        rfi_unit_visible(u, t, a, sees);
        bool hidden = false;
        for (uint32_t i = 0; i < u->count; i++) hidden |= !sees[i];
        if (hidden && (u->asked_by != t || u->asked_at != a->version)) {
            rfi_unit_collect(c, &p->writes, u);
            rfi_unit_visible(u, t, a, sees);
            u->asked_by = t;
            u->asked_at = a->version;
        }
        for (uint32_t i = 0; i < u->count; i++)
            if (u->piece[i].bytes & wanted) rfi_view_add(p, &u->piece[i], sees[i], shift);
        v->wanted |= (uint64_t)wanted << shift;
        v->known |= (uint64_t)u->known << shift;
        v->unit[shift / RFI_UNIT_BYTES] = u;
        memcpy(v->last + shift, u->last, RFI_UNIT_BYTES);
    }
    for (uint32_t i = 0; i < p->sources; i++) {
        rfi_source *s = &p->source[i];
        s->covers |= rfi_view_bits(v, s->write->from, s->write->to);
        s->covers &= v->wanted;
    }
}

/* Can sources older than `i` give all the bytes `left`?  To take the newest that fits is never a
 * mistake: whatever others could give without it, they can give beside it. */
RFI_FN bool rfi_view_fills(const rfi_plain *p, uint64_t left, uint32_t i) {
    while (left && i-- > 0) {
        uint64_t gives = p->source[i].covers & left;
        if (!(gives & ~p->source[i].sees)) left &= ~gives;
    }
    return !left;
}

/* The sources that can be the newest one in what is returned of `left`, newest first; if there are
 * more than 64, the newest and the 63 oldest. */
RFI_FN uint32_t rfi_view_tops(const rfi_plain *p, uint64_t left, uint32_t below, uint32_t *top) {
    uint32_t n = 0;
    for (uint32_t i = below; i-- > 0;) {
        uint64_t gives = p->source[i].covers & left;
        if (!gives || gives & ~p->source[i].sees) continue;
        if (!rfi_view_fills(p, left & ~gives, i)) break; /* nor can anything older */
        if (n == 64) memmove(&top[1], &top[2], (--n - 1) * sizeof *top);
        top[n++] = i;
    }
    return n;
}

/* Is what it would give of `left` something else than what was returned before? */
RFI_FN bool rfi_view_differs(const rfi_view *v, const rfi_source *s, uint64_t left) {
    for (uint64_t rest = s->covers & left; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctzll(rest);
        if (!(v->known >> i & 1) || v->last[i] != s->value[i]) return true;
    }
    return false;
}

RFI_INLINE bool rfi_pick_wants_other(rf_heuristic pick) {
    return pick == RF_PICK_OLDEST_DIFFERENT || pick == RF_PICK_RANDOM_DIFFERENT;
}

/* Chooses what to return of the whole view, and takes the bytes `part` of it.  `avoid`: a source
 * that shall not come first if there is another.  Returns the first one. */
RFI_FN uint32_t rfi_view_choose(rfi_core *c, rfi_plain *p, const rfi_view *v, rf_heuristic pick,
                                uint64_t part, uint32_t avoid) {
    uint32_t top[64], first = UINT32_MAX, below = p->sources;
    for (uint64_t left = v->wanted; left;) {
        uint32_t n = rfi_view_tops(p, left, below, top);
        rfi_ages all = UINT64_MAX >> (64 - n), different = 0;
        if (n > c->report.visible) c->report.visible = n;
        for (uint32_t k = 0; k < n && n > 1; k++) {
            uint32_t i = top[n - 1 - k];
            if (i == avoid)
                all &= ~(UINT64_C(1) << k);
            else if (rfi_pick_wants_other(pick) && rfi_view_differs(v, &p->source[i], left))
                different |= UINT64_C(1) << k;
        }
        below = top[n - 1 - rfi_core_pick(c, pick, all, different)];
        rfi_source *s = &p->source[below];
        s->given |= s->covers & left & part;
        left &= ~s->covers;
        if (first == UINT32_MAX) first = below;
        avoid = UINT32_MAX;
    }
    return first;
}

/* Section 5.2: a wide value is torn when there are two writes to tear it from, unless the
 * heuristic meant the newest.  Here only one time in two: a whole old value harms too. */
RFI_FN void rfi_view_tear(rfi_core *c, rfi_plain *p, const rfi_view *v, rf_heuristic pick) {
    uint32_t units = (63 - (uint32_t)__builtin_clzll(v->wanted)) / RFI_UNIT_BYTES + 1;
    if (p->sources < 2 || units < 2 || pick == RF_PICK_NEWEST || rfi_coin(&c->chance)) {
        rfi_view_choose(c, p, v, pick, UINT64_MAX, UINT32_MAX);
        return;
    }
    unsigned split = RFI_UNIT_BYTES * (1 + rfi_core_choose(c, units - 1));
    uint64_t part = rfi_coin(&c->chance) ? UINT64_MAX << split : ~(UINT64_MAX << split);
    uint32_t first = rfi_view_choose(c, p, v, pick, part, UINT32_MAX);
    bool newest = first == p->sources - 1;
    if (newest &&
        (pick == RF_PICK_RECENT ||
         (rfi_pick_wants_other(pick) && !rfi_view_differs(v, &p->source[first], v->wanted)))) {
        for (uint32_t i = 0; i < p->sources; i++) p->source[i].given = 0;
        rfi_view_choose(c, p, v, RF_PICK_NEWEST, UINT64_MAX, UINT32_MAX);
    } else
        rfi_view_choose(c, p, v, pick, ~part, first);
}

/* ---- reads ---- */

/* The bytes that it wrote of the unit of the first byte in `at`, the lowest first. */
RFI_FN uint64_t rfi_source_value(const rfi_source *s, uint64_t at) {
    unsigned begin = (unsigned)__builtin_ctzll(at) & ~(RFI_UNIT_BYTES - 1u), n = 0;
    uint64_t value = 0;
    for (unsigned i = begin; i < begin + RFI_UNIT_BYTES; i++)
        if (s->covers >> i & 1) value |= (uint64_t)s->value[i] << 8 * n++;
    return value;
}

RFI_FN rf_mem_origin rfi_write_origin(const rfi_write *w, uint64_t value) {
    return (rf_mem_origin){w->thread, w->order, w->tag, value};
}

/* Hands out what was chosen, and notes where it came from. */
RFI_FN void rfi_view_close(rfi_plain *p, const rfi_view *v, uintptr_t from, char *out) {
    for (uint32_t i = 0; i < p->sources; i++) {
        const rfi_source *s = &p->source[i];
        if (!s->given) continue;
        p->taken = rfi_arena_room(&p->shadow.arena, p->taken, p->takens, &p->taken_capacity,
                                  sizeof *p->taken);
        rfi_taken *x = &p->taken[p->takens++];
        *x = (rfi_taken){s->write, v->base, s->given, rfi_source_value(s, s->given), 0};
        for (uint32_t k = i + 1; k < p->sources; k++)
            x->hidden += (p->source[k].covers & s->given) != 0;
        for (uint64_t rest = s->given; rest; rest &= rest - 1) {
            unsigned b = (unsigned)__builtin_ctzll(rest);
            rfi_unit *u = v->unit[b / RFI_UNIT_BYTES];
            u->known |= (uint8_t)(1u << b % RFI_UNIT_BYTES);
            u->last[b % RFI_UNIT_BYTES] = s->value[b];
            out[v->base + b - from] = (char)s->value[b];
        }
    }
}

/* A write that is seen in part: it covers bytes that were taken from the older `x`. */
RFI_FN const rfi_taken *rfi_plain_torn(const rfi_plain *p, const rfi_taken *x) {
    rfi_view v = {.base = x->base};
    for (uint32_t i = 0; i < p->takens; i++) {
        const rfi_write *w = p->taken[i].write;
        if (w->serial > x->write->serial && rfi_view_bits(&v, w->from, w->to) & x->given)
            return &p->taken[i];
    }
    return NULL;
}

RFI_FN void rfi_plain_tell(rfi_core *c, const rfi_plain *p) {
    rf_mem_report *r = &c->report;
    const rfi_taken *from = &p->taken[0], *other = NULL;
    for (uint32_t i = 0; i < p->takens && !other; i++) {
        const rfi_taken *x = &p->taken[i];
        if (!x->hidden) continue;
        other = rfi_plain_torn(p, x);
        if (other || !from->hidden || x->write->serial < from->write->serial) from = x;
    }
    if (from->hidden) r->flags |= RF_MEM_STALE;
    if (other) r->flags |= RF_MEM_TORN;
    r->hidden = from->hidden;
    r->from = rfi_write_origin(from->write, from->value);
    if (other) r->other = rfi_write_origin(other->write, other->value);
}

/* The thread's count of misses at the unit; `make`: if there is none, one is made. */
RFI_FN uint32_t *rfi_unit_misses(rfi_core *c, rfi_plain *p, rfi_unit *u, uint32_t t, bool make) {
    uint32_t unused = u->missing;
    for (uint32_t i = 0; i < u->missing; i++) {
        if (u->misses[i].thread == t) return &u->misses[i].count;
        if (rfi_actor_of(&c->threads, u->misses[i].thread)->ended) unused = i;
    }
    if (!make) return NULL;
    if (unused == u->missing) {
        u->misses = rfi_arena_room(&p->shadow.arena, u->misses, u->missing, &u->missing_capacity,
                                   sizeof *u->misses);
        u->missing++;
    }
    u->misses[unused] = (rfi_misses){t, 0};
    return &u->misses[unused].count;
}

/* The report was begun; what is not watched comes from memory. */
RFI_FN void rfi_plain_load(rfi_core *c, rfi_plain *p, const rf_mem_access *a, void *out) {
    uintptr_t from = (uintptr_t)a->addr, to = from + a->size, next;
    bool enumerates = c->options.choose != NULL,
         tears = a->size >= 8 && !a->whole && !c->options.whole;
    uintptr_t step = enumerates && tears ? RFI_UNIT_BYTES : RFI_VIEW_BYTES;
    rf_heuristic pick = c->plain_pick;
    rfi_unit *home = NULL; /* where misses are counted */
    uint64_t newest = 0;
    rfi_view v;
    memcpy(out, (const void *)from, a->size);
    rfi_actor_of(&c->threads, a->thread);
    p->takens = 0;
    for (v.base = from & ~(uintptr_t)(RFI_UNIT_BYTES - 1);
         (v.base = rfi_plain_next(p, v.base, to)) < to; v.base = next) {
        next = v.base + step;
        rfi_view_open(c, p, &v, a->thread, from, to, next < to ? next : to);
        if (!v.wanted) continue;
        if (!home && !enumerates) {
            home = v.unit[__builtin_ctzll(v.wanted) / RFI_UNIT_BYTES];
            uint32_t *misses = rfi_unit_misses(c, p, home, a->thread, false);
            if (misses && *misses >= c->options.fairness) {
                pick = RF_PICK_NEWEST;
                c->report.flags |= RF_MEM_FORCED;
            }
        }
        if (tears && !enumerates)
            rfi_view_tear(c, p, &v, pick);
        else
            rfi_view_choose(c, p, &v, pick, UINT64_MAX, UINT32_MAX);
        rfi_view_close(p, &v, from, out);
        const rfi_source *s = &p->source[p->sources - 1];
        if (s->write->serial <= newest) continue;
        newest = s->write->serial;
        c->report.newest = rfi_write_origin(s->write, rfi_source_value(s, s->covers));
    }
    if (!p->takens) return;
    rfi_plain_tell(c, p);
    if (c->report.visible < 2) c->report.flags &= ~(unsigned)RF_MEM_FORCED;
    if (!home) return;
    bool stale = c->report.flags & RF_MEM_STALE;
    uint32_t *misses = rfi_unit_misses(c, p, home, a->thread, stale);
    if (misses) *misses = stale ? *misses + 1 : 0;
}

/* ---- writes ---- */

/* In this unit, `old` can be dropped in favour of the write that is the newest here (GC2). */
RFI_FN bool rfi_unit_repeats(const rfi_unit *u, const rfi_write *old) {
    const rfi_piece *y = &u->piece[u->count - 1];
    for (uint32_t i = u->count - 1; i-- > 0;) {
        const rfi_piece *x = &u->piece[i];
        if (x->write == old) {
            for (unsigned b = 0; b < RFI_UNIT_BYTES; b++)
                if (y->bytes >> b & 1 && x->value[b] != y->value[b]) return false;
            return true;
        }
        /* One that can be seen together with a part of the old write, but not of the new one. */
        if (x->bytes & y->bytes && (x->write->from > old->from || x->write->to < old->to))
            return false;
    }
    return false;
}

/* GC2: an older write of the same bytes, value and clock.  Whoever sees it can see `w` instead. */
RFI_FN void rfi_plain_repeated(rfi_plain *p, const rfi_write *w) {
    uintptr_t begin = rfi_plain_next(p, w->from & ~(uintptr_t)(RFI_UNIT_BYTES - 1), w->to), at;
    const rfi_unit *first = rfi_plain_unit(p, begin);
    for (uint32_t i = first->count - 1; i-- > 0;) {
        const rfi_write *old = first->piece[i].write;
        if (old->from != w->from || old->to != w->to || !rfi_write_same_clock(old, w)) continue;
        for (at = begin; at < w->to; at = rfi_plain_next(p, at + RFI_UNIT_BYTES, w->to))
            if (!rfi_unit_repeats(rfi_plain_unit(p, at), old)) break;
        if (at < w->to) continue;
        for (at = begin; at < w->to; at = rfi_plain_next(p, at + RFI_UNIT_BYTES, w->to)) {
            rfi_unit *u = rfi_plain_unit(p, at);
            uint8_t keep[RFI_PIECES];
            for (uint32_t k = 0; k < u->count; k++) keep[k] = u->piece[k].write != old;
            rfi_unit_sweep(&p->writes, u, keep);
        }
        return;
    }
}

RFI_FN void rfi_plain_store(rfi_core *c, rfi_plain *p, const rf_mem_access *a, const void *in) {
    uintptr_t from = (uintptr_t)a->addr, to = from + a->size, at;
    uintptr_t begin = from & ~(uintptr_t)(RFI_UNIT_BYTES - 1);
    rfi_write *w = NULL;
    rfi_actor_of(&c->threads, a->thread);
    for (at = begin; (at = rfi_plain_next(p, at, to)) < to; at += RFI_UNIT_BYTES)
        rfi_plain_meet(c, p, at);
    memmove((void *)from, in, a->size);
    for (at = begin; (at = rfi_plain_next(p, at, to)) < to; at += RFI_UNIT_BYTES) {
        rfi_unit *u = rfi_plain_unit(p, at);
        rfi_view v = {.base = at};
        uint8_t value[RFI_UNIT_BYTES], bytes = (uint8_t)(rfi_view_bits(&v, from, to) & u->watched);
        if (!bytes) continue;
        if (!w) {
            const rfi_actor *actor = rfi_actor_of(&c->threads, a->thread);
            w = rfi_write_new(&p->writes);
            w->from = from;
            w->to = to;
            w->thread = a->thread;
            w->own = actor->own;
            w->order = a->order;
            w->tag = a->tag;
            rfi_clock_copy(&w->clock, &actor->clock, &p->shadow.arena);
        }
        for (unsigned i = 0; i < RFI_UNIT_BYTES; i++)
            if (bytes >> i & 1) value[i] = *(const uint8_t *)(at + i);
        rfi_unit_append(&p->writes, u, w, value, bytes);
    }
    if (!w) return;
    rfi_plain_repeated(p, w);
    for (at = begin; (at = rfi_plain_next(p, at, to)) < to; at += RFI_UNIT_BYTES) {
        rfi_unit *u = rfi_plain_unit(p, at);
        rfi_unit_collect(c, &p->writes, u);
        rfi_unit_bound(c, &p->writes, u);
    }
}
#endif
#endif

/* ==== edit src/mem/model.h =============================== >>mem/model */
/* mem/model.h: the model as its users call it: plain data, atomics, fresh memory. */
#ifndef RFI_MEM_MODEL_H
#define RFI_MEM_MODEL_H

#ifdef RFI_IMPL
/* Memory that rf_mem_alloc gave. */
typedef struct rfi_fresh {
    uintptr_t from, to;
} rfi_fresh;

struct rf_mem {
    rfi_core core;
    rfi_atomics atomics;
    rfi_plain plain;
    rfi_map objects;  /* number -> rfi_message * */
    rfi_fresh *fresh; /* by address */
    uint32_t freshes, fresh_capacity;
};

# define RFI_FRESH 0xa5 /* every byte of fresh memory */

/* Settings, put right. */
RFI_FN void rfi_core_settle(rfi_core *c, const rf_mem_options *given) {
    rf_mem_options *o = &c->options;
    *o = *given;
    if (!o->history) o->history = RF_MEM_HISTORY;
    if (o->history < 2) o->history = 2;
    if (o->history > RF_MEM_HISTORY_MAX) o->history = RF_MEM_HISTORY_MAX;
    c->atomic_history = o->atomics == RF_MEM_SC ? 2 : o->history;
    if (!o->fairness) o->fairness = RF_MEM_FAIRNESS;
    if (!o->sample) o->sample = 3;
}

/* One of the four adversaries of RF_PICK_MIXED. */
RFI_FN rf_heuristic rfi_core_mixed(rfi_core *c, rf_heuristic pick) {
    if (pick != RF_PICK_MIXED) return pick;
    return (rf_heuristic)(RF_PICK_OLDEST + rfi_below(&c->chance, 4));
}

/* ---- an execution ---- */

RFI_FN void rfi_mem_begin(rf_mem *m, uint64_t seed, const rf_mem_options *options) {
    rfi_core *c = &m->core;
    if (options) rfi_core_settle(c, options);
    c->chance = rfi_prng_make(seed, 0);
    c->forgot = false;
    c->plain_pick = rfi_core_mixed(c, c->options.plain_pick);
    c->atomic_pick = rfi_core_mixed(c, c->options.atomic_pick);
    rfi_actors_reset(&c->threads);
    rfi_actor_of(&c->threads, 0);
    rfi_atomics_reset(&m->atomics);
    rfi_plain_reset(&m->plain);
    rfi_map_reset(&m->objects);
    m->freshes = 0;
}

rf_mem *rf_mem_new(const rf_mem_options *options) {
    static const rf_mem_options none = {0};
    rf_mem *m = RFI_REAL(calloc)(1, sizeof *m);
    if (!m) rfi_die("out of memory (%zu bytes)", sizeof *m);
    rfi_mem_begin(m, 0, options ? options : &none);
    return m;
}

void rf_mem_reset(rf_mem *m, uint64_t seed, const rf_mem_options *options) {
    rfi_mem_begin(m, rfi_mix(seed + RFI_GOLDEN), options);
}

void rf_mem_free(rf_mem *m) {
    if (!m) return;
    rfi_actors_free(&m->core.threads);
    rfi_shadow_free(&m->atomics.places);
    rfi_shadow_free(&m->plain.shadow);
    rfi_map_free(&m->objects);
    RFI_REAL(free)(m->fresh);
    RFI_REAL(free)(m);
}

const rf_mem_report *rf_mem_last(const rf_mem *m) {
    rf_mem_report *r = (rf_mem_report *)(uintptr_t)&m->core.report; /* completed when asked for */
    if (m->core.read) r->from = rfi_kept_origin(m->core.read);
    return r;
}

/* ---- happens-before ---- */

void rf_mem_fork(rf_mem *m, uint32_t parent, uint32_t child) {
    rfi_actor_fork(&m->core.threads, parent, child);
}

void rf_mem_exit(rf_mem *m, uint32_t thread) {
    rfi_actor_of(&m->core.threads, thread)->ended = true;
}

void rf_mem_join(rf_mem *m, uint32_t thread, uint32_t other) {
    rfi_actor_join(&m->core.threads, thread, other);
}

RFI_FN rfi_message *rfi_mem_object(rf_mem *m, uint64_t object) {
    uint64_t *at = rfi_map_at(&m->objects, object);
    if (!*at)
        *at = (uint64_t)(uintptr_t)rfi_arena_take(&m->core.threads.arena, sizeof(rfi_message));
    return (rfi_message *)(uintptr_t)*at;
}

void rf_mem_release(rf_mem *m, uint32_t thread, uint64_t object) {
    rfi_message_add(&m->core.threads, thread, rfi_mem_object(m, object));
}

void rf_mem_acquire(rf_mem *m, uint32_t thread, uint64_t object) {
    rfi_actor_receive(&m->core.threads, thread, rfi_mem_object(m, object));
}

void rf_mem_fence(rf_mem *m, uint32_t thread, int order) {
    rfi_atomic_fence(&m->core, &m->atomics, thread, order);
}

/* ---- memory ---- */

/* The number of fresh ranges that end at or before `addr`. */
RFI_FN uint32_t rfi_fresh_before(const rf_mem *m, uintptr_t addr) {
    uint32_t low = 0, high = m->freshes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->fresh[middle].to <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Takes [from, to) out of the fresh ranges. */
RFI_FN void rfi_fresh_take(rf_mem *m, uintptr_t from, uintptr_t to) {
    uint32_t i = rfi_fresh_before(m, from), n = i;
    if (i == m->freshes || m->fresh[i].from >= to) return;
    rfi_fresh rest[2];
    uint32_t rests = 0;
    for (; n < m->freshes && m->fresh[n].from < to; n++) {
        if (m->fresh[n].from < from) rest[rests++] = (rfi_fresh){m->fresh[n].from, from};
        if (m->fresh[n].to > to) rest[rests++] = (rfi_fresh){to, m->fresh[n].to};
    }
    m->fresh = rfi_grow(m->fresh, &m->fresh_capacity, m->freshes + rests, sizeof *m->fresh);
    memmove(m->fresh + i + rests, m->fresh + n, (m->freshes - n) * sizeof *m->fresh);
    memcpy(m->fresh + i, rest, rests * sizeof *rest);
    m->freshes += rests - (n - i);
}

void rf_mem_forget(rf_mem *m, const volatile void *addr, size_t size) {
    uintptr_t from = (uintptr_t)addr;
    rfi_atomics_forget(&m->atomics, from, from + size);
    if (rfi_plain_any(&m->plain)) rfi_plain_forget(&m->plain, from, size);
    rfi_fresh_take(m, from, from + size);
}

/* The bytes, filled with RFI_FRESH by the caller, are nobody's yet. */
RFI_FN void rfi_mem_fresh(rf_mem *m, const volatile void *addr, size_t size) {
    uintptr_t from = (uintptr_t)addr;
    rf_mem_forget(m, addr, size);
    if (!size) return;
    uint32_t i = rfi_fresh_before(m, from);
    m->fresh = rfi_grow(m->fresh, &m->fresh_capacity, m->freshes + 1, sizeof *m->fresh);
    memmove(m->fresh + i + 1, m->fresh + i, (m->freshes - i) * sizeof *m->fresh);
    m->fresh[i] = (rfi_fresh){from, from + size};
    m->freshes++;
}

void rf_mem_alloc(rf_mem *m, void *addr, size_t size) {
    memset(addr, RFI_FRESH, size);
    rfi_mem_fresh(m, addr, size);
}

/* Are these bytes, in memory or read from there, all as rf_mem_alloc gave them?  (Less than four
 * could have that value by chance; and a struct may be copied of which only some members were
 * written, not to speak of its padding.) */
RFI_FN bool rfi_mem_untouched(const rf_mem *m, const volatile void *addr, size_t size,
                              const void *value) {
    uintptr_t from = (uintptr_t)addr;
    uint32_t unit;
    if (size < sizeof unit) return false;
    for (size_t n = 0; n + sizeof unit <= size; n += sizeof unit) {
        memcpy(&unit, (const char *)value + n, sizeof unit);
        if (unit != RFI_FRESH * UINT32_C(0x01010101)) return false;
    }
    uint32_t i = rfi_fresh_before(m, from);
    return i < m->freshes && m->fresh[i].from <= from && m->fresh[i].to >= from + size;
}

/* A read returned what nobody has announced to have written: is it as it was given? */
RFI_FN void rfi_tell_fresh(rf_mem *m, const rf_mem_access *a, const void *value) {
    rf_mem_report *r = &m->core.report;
    uint32_t writer = m->core.read ? m->core.read->thread : r->from.thread;
    if (writer == RF_MEM_NOBODY && rfi_mem_untouched(m, a->addr, a->size, value))
        r->flags |= RF_MEM_INDETERMINATE;
}

/* ---- accesses ---- */

RFI_INLINE void rfi_report_begin(rf_mem *m) {
    rf_mem_report *r = &m->core.report;
    r->flags = r->hidden = r->visible = 0;
    r->from.thread = 0;
    m->core.read = NULL;
}

/* Calls for plain accesses to bytes that also belong to atomic locations: each of those is
 * accessed as a whole, plainly. */
RFI_FN bool rfi_mem_mixed(rf_mem *m, const rf_mem_access *a, char *out, const char *in) {
    rfi_shadow *places = &m->atomics.places;
    uintptr_t from = (uintptr_t)a->addr, to = from + a->size, g = rfi_atomics_first(from);
    bool any = false;
    if (!m->atomics.met || !a->size) return false;
    for (uintptr_t end = (to - 1) / RFI_GRANULE + 1; (g = rfi_shadow_next(places, g, end)) < end;
         g++) {
        for (rfi_location *x = rfi_shadow_get(places, g), *next; x; x = next) {
            next = x->next;
            if (!rfi_location_has(x, &m->atomics, from, to)) continue;
            rf_mem_access whole = *a;
            whole.addr = (const void *)x->addr;
            whole.size = x->size;
            uintptr_t low = x->addr > from ? x->addr : from;
            uintptr_t high = x->addr + x->size < to ? x->addr + x->size : to;
            char bytes[sizeof(rfi_word)];
            if (!any && out) memcpy(out, rfi_access_memory(a), a->size);
            any = true;
            if (in) {
                memcpy(bytes, (const void *)x->addr, x->size);
                memcpy(bytes + (low - x->addr), in + (low - from), high - low);
                rfi_atomic_write(&m->core, &m->atomics, &whole, bytes);
            } else {
                rfi_atomic_read(&m->core, &m->atomics, &whole, bytes);
                memcpy(out + (low - from), bytes + (low - x->addr), high - low);
            }
        }
    }
    return any;
}

RFI_FN void rfi_plain_access_load(rf_mem *m, const rf_mem_access *a, void *out) {
    if (rfi_mem_mixed(m, a, out, NULL)) return;
    if (rfi_plain_any(&m->plain) && rfi_plain_watched(&m->plain, (uintptr_t)a->addr, a->size))
        rfi_plain_load(&m->core, &m->plain, a, out);
    else
        memcpy(out, rfi_access_memory(a), a->size);
}

RFI_FN void rfi_plain_access_store(rf_mem *m, const rf_mem_access *a, const void *in) {
    bool mixed = rfi_mem_mixed(m, a, NULL, in);
    if (!mixed && rfi_plain_any(&m->plain) &&
        rfi_plain_watched(&m->plain, (uintptr_t)a->addr, a->size))
        rfi_plain_store(&m->core, &m->plain, a, in);
    else
        memcpy(rfi_access_memory(a), in, a->size);
}

RFI_INLINE void rfi_mem_load(rf_mem *m, const rf_mem_access *a, void *out) {
    rfi_report_begin(m);
    if (a->order == RF_MEM_PLAIN)
        rfi_plain_access_load(m, a, out);
    else
        rfi_atomic_read(&m->core, &m->atomics, a, out);
    if (RFI_UNLIKELY(m->freshes)) rfi_tell_fresh(m, a, out);
}

void rf_mem_load(rf_mem *m, const rf_mem_access *a, void *out) { rfi_mem_load(m, a, out); }

RFI_INLINE void rfi_mem_store(rf_mem *m, const rf_mem_access *a, const void *in) {
    rfi_report_begin(m);
    if (a->order == RF_MEM_PLAIN)
        rfi_plain_access_store(m, a, in);
    else
        rfi_atomic_write(&m->core, &m->atomics, a, in);
}

void rf_mem_store(rf_mem *m, const rf_mem_access *a, const void *in) { rfi_mem_store(m, a, in); }

void rf_mem_init(rf_mem *m, const rf_mem_access *a, const void *in) {
    rf_mem_access plain = *a;
    plain.order = RF_MEM_PLAIN;
    rfi_report_begin(m);
    rfi_atomic_write(&m->core, &m->atomics, &plain, in);
}

void rf_mem_rmw_begin(rf_mem *m, const rf_mem_access *a, void *old) {
    rfi_report_begin(m);
    rfi_atomic_update(&m->core, &m->atomics, a, old);
    if (RFI_UNLIKELY(m->freshes)) rfi_tell_fresh(m, a, old);
}

void rf_mem_rmw_end(rf_mem *m, const void *value) {
    rfi_atomic_updated(&m->core, &m->atomics, value);
}

bool rf_mem_compare_exchange(rf_mem *m, const rf_mem_access *a, int failure, bool weak,
                             void *expected, const void *desired) {
    rfi_report_begin(m);
    bool done = rfi_atomic_compare(&m->core, &m->atomics, a, failure, weak, expected, desired);
    if (RFI_UNLIKELY(m->freshes)) rfi_tell_fresh(m, a, expected);
    return done;
}

void rf_mem_watch(rf_mem *m, const volatile void *addr, size_t size) {
    rfi_plain_watch(&m->core, &m->plain, (uintptr_t)addr, size);
}

void rf_mem_watch_array(rf_mem *m, const volatile void *base, size_t element, size_t count) {
    rfi_plain_watch_array(&m->core, &m->plain, (uintptr_t)base, element, count);
}

uint32_t rf_mem_history(const rf_mem *m, const volatile void *addr) {
    uintptr_t at = (uintptr_t)addr, g = rfi_atomics_first(at);
    rfi_atomics *atomics = (rfi_atomics *)(uintptr_t)&m->atomics; /* remembers where it looked */
    const rfi_location *x = rfi_atomics_overlap(atomics, &g, at, at + 1);
    return x ? x->count : rfi_plain_history(&m->plain, at);
}
#endif
#endif

#endif /* !RF_OFF */
#endif /* RACEFUZZ_MEM_H */

#if defined RF_IMPLEMENTATION && \
    !defined RF_OFF && !defined RFI_IMPL && !defined RFI_LINKED
# error "define RF_IMPLEMENTATION before the first include of racefuzz_mem.h"
#endif
