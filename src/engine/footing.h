/* engine/footing.h: what a thread goes on from, behind a read.
 *
 * Whether a round of a loop has changed anything is not seen from the operations alone: a thread
 * counts what it has read in a register, or keeps it on its stack.  Both are taken at the calls
 * that announce reads, tries and locks, for strategies that ask: the registers that a call leaves
 * alone, and what lies on the caller's stack, without the place that the read itself writes.  They
 * must be taken before anything else is done there; so these calls do nothing else (RFI_FOOTED).
 * Where they return to belongs to it: a compiler that repeats a statement may keep a variable by
 * that alone.
 */
#ifndef RFI_ENGINE_FOOTING_H
#define RFI_ENGINE_FOOTING_H
#include "engine/stack.h"
#include "engine/state.h"

#ifdef RFI_IMPL
# ifdef RFI_VALGRIND
#  include <valgrind/memcheck.h>
# endif

# ifdef RFI_ASAN /* it looks at what lies between objects, too */
#  define RFI_UNCHECKED __attribute__((no_sanitize_address))
# else
#  define RFI_UNCHECKED
# endif

# define RFI_FOOTING_MOST (1u << 16) /* bytes of a stack that are looked at, the newest; */
# ifdef __x86_64__ /* what the functions of most threads have on it, and the engine's below */
#  define RFI_FOOTING_ROOM 2048
# else
#  define RFI_FOOTING_ROOM 4096
# endif

/* The registers that a call leaves alone, but for the frame pointer, which lies where ours points.
 */
# if defined __x86_64__ && !defined __ILP32__
#  define RFI_FOOTINGS 5
#  define RFI_FOOTING_TAKE(to)                                                         \
   __asm__ volatile("movq %%rbx, 0(%0)\n\tmovq %%r12, 8(%0)\n\tmovq %%r13, 16(%0)\n\t" \
                    "movq %%r14, 24(%0)\n\tmovq %%r15, 32(%0)"                         \
                    :                                                                  \
                    : "a"(to)                                                          \
                    : "memory")
# elif defined __aarch64__ && !defined __AARCH64EB__
#  define RFI_FOOTINGS 10
#  define RFI_FOOTING_TAKE(to)                                             \
   __asm__ volatile("stp x19, x20, [%0]\n\tstp x21, x22, [%0, 16]\n\t"     \
                    "stp x23, x24, [%0, 32]\n\tstp x25, x26, [%0, 48]\n\t" \
                    "stp x27, x28, [%0, 64]"                               \
                    :                                                      \
                    : "r"(to)                                              \
                    : "memory")
# else
#  define RFI_FOOTINGS         0
#  define RFI_FOOTING_TAKE(to) ((void)(to))
# endif

/* Where the frame of the caller begins. */
# if defined __clang__ && defined __aarch64__
#  define RFI_FOOTING_FROM() ((const char *)__builtin_frame_address(0) + 16)
# else
#  define RFI_FOOTING_FROM() ((const char *)__builtin_dwarf_cfa())
# endif

/* Compilers keep their arguments in such registers where they optimise; and leave their own frame
 * between, with what was there before, where they do not. */
# ifdef __clang__
#  define RFI_AS_WRITTEN __attribute__((noinline, optnone))
#  define RFI_PASSES     __attribute__((noinline))
# else
#  define RFI_AS_WRITTEN __attribute__((noinline, noclone, optimize("O0")))
#  define RFI_PASSES     __attribute__((noinline, optimize("O2")))
# endif

/* Defines the function `name`, which does what name_now does, and says before that what its caller
 * goes on from, if somebody asks.  `give`: return, or nothing; `n` bytes that it reads at `place`
 * it writes to `to`. */
# define RFI_FOOTED(type, give, name, parameters, arguments, at, place, to, n) \
  RFI_FN RFI_AS_WRITTEN type name##_footed parameters {                        \
   rfi_footing *z_ = rfi.current ? &rfi.current->footing : NULL;               \
   if (z_) {                                                                   \
    RFI_FOOTING_TAKE(z_->reg);                                                 \
    z_->frame = *(const uintptr_t *)__builtin_frame_address(0);                \
    z_->from = RFI_FOOTING_FROM();                                             \
    z_->back = (uintptr_t)__builtin_return_address(0);                         \
    z_->site = at;                                                             \
    z_->of = (const void *)(uintptr_t)(place);                                 \
    z_->out = to;                                                              \
    z_->bytes = n;                                                             \
   }                                                                           \
   give name##_now arguments;                                                  \
  }                                                                            \
  RFI_PASSES type name parameters {                                            \
   if (RFI_UNLIKELY(rfi.footings))                                             \
    give name##_footed arguments;                                              \
   else                                                                        \
    give name##_now arguments;                                                 \
  }

/* The same of a try at `s`, which reads an object. */
# define RFI_TRIED(name, parameters, arguments) \
  RFI_FOOTED(bool, return, name, parameters, arguments, s, NULL, NULL, 0)

/* The same of one that waits for it. */
# define RFI_LOCKED(name, parameters, arguments) \
  RFI_FOOTED(void, , name, parameters, arguments, s, NULL, NULL, 0)

/* The running thread begins, with the call behind this one.  What is there where it has not written
 * yet, which compilers make part of what it goes on from, is not to depend on the executions
 * before. */
RFI_FN RFI_APART void rfi_footing_begin(void) {
    char room[RFI_FOOTING_ROOM];
    size_t n = sizeof room;
    __asm__ volatile("" : "+r"(n)); /* the library's is faster than what compilers write here */
    memset(room, 0, n);
    __asm__ volatile("" : : "r"(room) : "memory");
    rfi.current->footing.top = RFI_FOOTING_FROM();
    rfi.current->footing.deep = false;
}

typedef uint64_t rfi_footing_word __attribute__((may_alias));

RFI_FN uint64_t rfi_footing_add(uint64_t h, uint64_t word) {
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h << 23 | h >> 41;
}

/* The words from `p` on that end before `to`. */
RFI_FN RFI_UNCHECKED uint64_t rfi_footing_words(uint64_t h, const char **p, const char *to) {
    const rfi_footing_word *w = (const void *)*p, *end = w + (to - *p) / 8;
    for (; w + 4 <= end; w += 4) {
        h = rfi_footing_add(rfi_footing_add(h, w[0]), w[1]);
        h = rfi_footing_add(rfi_footing_add(h, w[2]), w[3]);
    }
    for (; w < end; w++) h = rfi_footing_add(h, *w);
    *p = (const void *)w;
    return h;
}

/* The bytes of a word before number `n` of them; these machines begin with the lowest. */
RFI_INLINE uint64_t rfi_footing_bytes(ptrdiff_t n) {
    return n <= 0 ? 0 : n >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << n * 8) - 1;
}

/* The next word, of which the read writes `bytes` at `out`: without that. */
RFI_FN RFI_UNCHECKED uint64_t rfi_footing_written(uint64_t h, const char *out, size_t bytes,
                                                  const char **p) {
    uint64_t word = *(const rfi_footing_word *)(const void *)*p;
    ptrdiff_t from = out - *p, to = from + (ptrdiff_t)bytes;
    *p += 8;
    return rfi_footing_add(h, word & ~(rfi_footing_bytes(to) & ~rfi_footing_bytes(from)));
}

/* A number for what `z` tells, with what lay there on the stack. */
RFI_FN RFI_UNCHECKED uint64_t rfi_footing_number(const rfi_footing *z, const char *at,
                                                 size_t bytes) {
    const char *to = at + bytes;
    uintptr_t before = (uintptr_t)z->out - (uintptr_t)z->from;
    uint64_t h = rfi_footing_add(z->frame, z->back);
    if (z->bytes && before < bytes) {
        const char *out = at + before;
        h = rfi_footing_words(h, &at, out);
        while (at < out + z->bytes && at + 8 <= to) h = rfi_footing_written(h, out, z->bytes, &at);
    }
    h = rfi_footing_words(h, &at, to);
    for (unsigned i = 0; i < RFI_FOOTINGS; i++) h = rfi_footing_add(h, z->reg[i]);
# ifdef RFI_VALGRIND
    (void)VALGRIND_MAKE_MEM_DEFINED(&h, sizeof h);
# endif
    return h | 1;
}

/* So much of its stack belongs to what `t` goes on from behind the read that it has announced; 0:
 * it is not known. */
RFI_FN size_t rfi_footing_size(rfi_thr *t) {
    rfi_footing *z = &t->footing;
    const char *at = z->from;
    if (!RFI_FOOTINGS || z->site != t->next.site || z->of != t->next.addr || !at) return 0;
    if (at < (const char *)t->fiber.stack_low || at >= z->top) return 0;
    if (z->top - at <= (ptrdiff_t)RFI_FOOTING_MOST) return (size_t)(z->top - at);
    z->deep = true;
    return RFI_FOOTING_MOST;
}

/* A number for all that; 0: it is not known. */
RFI_FN uint64_t rfi_footing_of(rfi_thr *t) {
    size_t bytes = rfi_footing_size(t);
    return bytes ? rfi_footing_number(&t->footing, t->footing.from, bytes) : 0;
}

/* What a thread went on from, for later: the number is asked for less often, and made then, unless
 * so much lies there that this would take too much room. */
typedef struct rfi_footed {
    rfi_footing footing;
    size_t bytes;    /* of the stack; 0: */
    uint64_t number; /* is known */
    rfi_footing_word stack[];
} rfi_footed;

# define RFI_FOOTED_MOST 1024

/* NULL: it is not known.  It lives in `arena`. */
RFI_FN const rfi_footed *rfi_footing_keep(rfi_thr *t, rfi_arena *arena) {
    size_t bytes = rfi_footing_size(t);
    if (!bytes) return NULL;
    bool copies = bytes <= RFI_FOOTED_MOST && !rfi_sanitized(); /* it looks at what is copied */
    rfi_footed *f = rfi_arena_raw(arena, sizeof *f + (copies ? (bytes + 7) / 8 * 8 : 0));
    f->bytes = copies ? bytes : 0;
    if (!copies) {
        f->number = rfi_footing_number(&t->footing, t->footing.from, bytes);
        return f;
    }
    f->footing = t->footing;
    memcpy(f->stack, t->footing.from, bytes);
    return f;
}

RFI_FN uint64_t rfi_footed_number(const rfi_footed *f) {
    if (!f) return 0;
    return f->bytes ? rfi_footing_number(&f->footing, (const char *)f->stack, f->bytes) : f->number;
}
#endif
#endif
