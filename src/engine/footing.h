/* engine/footing.h: what a thread goes on from, behind a read.
 *
 * Whether a round of a loop has changed anything is not seen from the operations alone: a thread
 * counts what it has read in a register, or keeps it on its stack.  Both are taken at the calls
 * that announce reads, for strategies that ask: the registers that a call leaves alone, and what
 * lies on the stack above, without the place that the read itself writes.  They must be taken
 * before anything else is done there; so these calls do nothing else.
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
# define RFI_FOOTING_OURS 256        /* of these may be ours */

# if defined __x86_64__ && !defined __ILP32__
#  define RFI_FOOTINGS 1
#  define RFI_FOOTING_TAKE(to)                                                           \
   __asm__ volatile("movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%r12, 16(%0)\n\t"   \
                    "movq %%r13, 24(%0)\n\tmovq %%r14, 32(%0)\n\tmovq %%r15, 40(%0)\n\t" \
                    "movq %%rsp, 96(%0)"                                                 \
                    :                                                                    \
                    : "r"(to)                                                            \
                    : "memory")
# elif defined __aarch64__
#  define RFI_FOOTINGS 1
#  define RFI_FOOTING_TAKE(to)                                                   \
   do {                                                                          \
    uintptr_t sp_;                                                               \
    __asm__ volatile("stp x19, x20, [%1]\n\tstp x21, x22, [%1, 16]\n\t"          \
                     "stp x23, x24, [%1, 32]\n\tstp x25, x26, [%1, 48]\n\t"      \
                     "stp x27, x28, [%1, 64]\n\tstr x29, [%1, 80]\n\tmov %0, sp" \
                     : "=r"(sp_)                                                 \
                     : "r"(to)                                                   \
                     : "memory");                                                \
    (to)[12] = sp_;                                                              \
   } while (0)
# else
#  define RFI_FOOTINGS         0
#  define RFI_FOOTING_TAKE(to) ((to)[12] = 0)
# endif

/* The running thread is about to announce a read of `p` that writes `n` bytes to `out`. */
# define RFI_FOOTING(at, p, to, n)                                 \
  do {                                                             \
   rfi_thr *thread_ = rfi.current;                                 \
   if (RFI_LIKELY(!rfi.footings) || !thread_) break;               \
   RFI_FOOTING_TAKE(thread_->footing.reg);                         \
   thread_->footing.back = (uintptr_t)__builtin_return_address(0); \
   thread_->footing.site = (at);                                   \
   thread_->footing.of = (const void *)(uintptr_t)(p);             \
   thread_->footing.out = (to);                                    \
   thread_->footing.bytes = (n);                                   \
  } while (0)

typedef uint64_t rfi_footing_word __attribute__((may_alias));

/* What lies on a stack at `p`, without what the read writes. */
RFI_FN RFI_UNCHECKED uint64_t rfi_footing_at(const rfi_footing *z, const char *p) {
    uint64_t word = *(const rfi_footing_word *)(const void *)p;
    for (unsigned i = 0; z->out < p + 8 && z->out + z->bytes > p && i < 8; i++)
        if (p + i >= z->out && p + i < z->out + z->bytes) ((char *)&word)[i] = 0;
    return word;
}

/* A number for what `t` goes on from behind the read that it has announced; 0: it is not known.
 * What lies below where that returns to is our own; and compilers repeat statements. */
RFI_FN RFI_UNCHECKED uint64_t rfi_footing_of(const rfi_thr *t) {
    const rfi_footing *z = &t->footing;
    const char *from = (const char *)(z->reg[12] & ~(uintptr_t)7), *to = t->fiber.stack_high;
    uint64_t h = 1;
    if (!RFI_FOOTINGS || z->site != t->next.site || z->of != t->next.addr || !from) return 0;
    if (from < (const char *)t->fiber.stack_low || from >= to) return 0;
    if (to - from > RFI_FOOTING_MOST) to = from + RFI_FOOTING_MOST;
    const char *ours = from + RFI_FOOTING_OURS;
    for (; from + 8 <= to; from += 8) {
        uint64_t word = rfi_footing_at(z, from), returns = word == z->back && from < ours;
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ h >> 29) & (returns - 1); /* no branch: some was never written */
    }
    for (unsigned i = 0; i < 12; i++) h = (h ^ z->reg[i]) * UINT64_C(0x9e3779b97f4a7c15);
# ifdef RFI_VALGRIND
    (void)VALGRIND_MAKE_MEM_DEFINED(&h, sizeof h);
# endif
    return h | 1;
}
#endif
#endif
