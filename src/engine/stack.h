/* engine/stack.h: the pool of stacks that logical threads run on.
 *
 * A mapping is   | guard | stack, growing down ... | rfi_stack |   and is never given back: to take
 * a pooled stack costs a few instructions, to map a new one thousands.  Sizes are powers of two,
 * one list a size; only address space is spent by rounding up, since pages are real once touched.
 *
 * Invariants.  An execution takes the stacks of the one before it first, while they are warm.
 * Within an execution a stack is reused only after RFI_STACK_FRESH others of its size, oldest
 * first, so that addresses of locals of two threads seldom coincide.  Reuse depends on the
 * execution alone, not on earlier ones.
 */
#ifndef RFI_ENGINE_STACK_H
#define RFI_ENGINE_STACK_H
#include "base/platform.h"

#ifdef RFI_IMPL
# ifdef RFI_ASAN
#  include <sanitizer/asan_interface.h>
# endif
# if defined __has_include
#  if __has_include(<valgrind/valgrind.h>)
#   include <valgrind/valgrind.h>
#   define RFI_VALGRIND 1
#  endif
# endif

/* Is a sanitizer in the program, which checks what the C library is given?  Only its runtime has
 * these; the engine may have been compiled without it. */
# ifdef __ELF__
extern void __asan_init(void) __attribute__((weak));
extern void __hwasan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

RFI_INLINE bool rfi_sanitized(void) { return __asan_init || __hwasan_init || __msan_init; }
# else
RFI_INLINE bool rfi_sanitized(void) { return false; }
# endif

/* A multiple of every page size in use, and wider than most frames: a function whose frame is wider
 * (and was compiled without -fstack-clash-protection) could step over the guard. */
# define RFI_STACK_GUARD ((size_t)64 << 10)
/* From 256 KiB, enough for printf under AddressSanitizer, to 1 GiB. */
# define RFI_STACK_LOG_MIN 18u
# define RFI_STACK_LOG_MAX 30u
# define RFI_STACK_FRESH   256u
/* Where they lie, one above the other, as far as that is free. */
# define RFI_STACK_ADDRESS ((uintptr_t)0x710000000000)
# define RFI_STACK_APART   ((uintptr_t)64 << 10)
# ifdef MAP_STACK
#  define RFI_MAP_STACK MAP_STACK
# else
#  define RFI_MAP_STACK 0
# endif

/* Stands at the high end of its mapping: the stack's highest address is that of this struct. */
typedef struct rfi_stack {
    struct rfi_stack *next;
    char *low;               /* lowest usable byte; the guard lies below */
    struct rfi_osthread *os; /* threads back end: the real thread that lives on it */
    struct rfi_local *local; /* fibers: the storage that goes with it, see local.h */
    uint32_t log_size;
} rfi_stack;

typedef struct rfi_stack_list {
    rfi_stack *free;         /* not used in this execution */
    rfi_stack *ended, *last; /* used in this execution, longest ago first */
    uint32_t used;           /* different ones used in this execution */
} rfi_stack_list;

typedef struct rfi_stack_pool {
    rfi_stack_list of[RFI_STACK_LOG_MAX + 1];
    uint32_t touched; /* bit set of the sizes used in this execution */
    size_t room;      /* bytes that each mapping has besides the stack */
} rfi_stack_pool;

/* One for each back end: on the stacks of the second, real threads are parked. */
RFI_VAR rfi_stack_pool rfi_stack_pools[2], *rfi_stacks;

RFI_VAR uintptr_t rfi_stacks_end = RFI_STACK_ADDRESS; /* of those that are where they should be */

RFI_FN RFI_COLD rfi_stack *rfi_stack_map(uint32_t log_size) {
    size_t size = ((size_t)1 << log_size) + rfi_stacks->room;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | RFI_MAP_STACK;
    size_t whole = RFI_STACK_GUARD + size; /* the address is a hint: taken where it is free */
    char *p = RFI_REAL(mmap)((void *)rfi_stacks_end, whole, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) return NULL;
    rfi_stacks_end += (whole + RFI_STACK_APART - 1) & ~(RFI_STACK_APART - 1);
    if (RFI_REAL(mprotect)(p, RFI_STACK_GUARD, PROT_NONE)) { /* too many mappings for the kernel */
        RFI_REAL(munmap)(p, RFI_STACK_GUARD + size);
        return NULL;
    }
# ifdef MADV_NOHUGEPAGE
    /* To touch a page costs a page. */
    (void)RFI_REAL(madvise)(p, RFI_STACK_GUARD + size, MADV_NOHUGEPAGE);
# endif
    char *low = p + RFI_STACK_GUARD;
    rfi_stack *s = (rfi_stack *)(void *)(low + size) - 1;
    *s = (rfi_stack){.low = low, .log_size = log_size};
# ifdef RFI_VALGRIND
    (void)VALGRIND_STACK_REGISTER(low, (char *)s - 1);
# endif
    return s;
}

/* A stack of at least `bytes`, less the few of the struct; NULL if the system has no room for one
 * more.  `*reused`: another thread of this execution had it before. */
RFI_FN rfi_stack *rfi_stack_take(size_t bytes, bool *reused) {
    uint32_t log_size = RFI_STACK_LOG_MIN;
    while ((size_t)1 << log_size < bytes)
        if (++log_size > RFI_STACK_LOG_MAX) return NULL;
    rfi_stack_list *list = &rfi_stacks->of[log_size];
    *reused = list->ended && list->used >= RFI_STACK_FRESH;
    rfi_stack **from = *reused ? &list->ended : &list->free;
    rfi_stack *s = *from;
    if (RFI_LIKELY(s))
        *from = s->next;
    else if (!(s = rfi_stack_map(log_size)))
        return NULL;
    list->used += !*reused;
    rfi_stacks->touched |= UINT32_C(1) << log_size;
# ifdef RFI_ASAN
    __asan_unpoison_memory_region(s->low, (size_t)((char *)s - s->low));
# endif
    return s;
}

/* Its thread has ended, but may stand on it until it has jumped away. */
RFI_FN void rfi_stack_retire(rfi_stack *s) {
    rfi_stack_list *list = &rfi_stacks->of[s->log_size];
    s->next = NULL;
    *(list->ended ? &list->last->next : &list->ended) = s;
    list->last = s;
}

/* An execution has ended, and all its threads. */
RFI_FN void rfi_stack_epoch(void) {
    for (; rfi_stacks->touched; rfi_stacks->touched &= rfi_stacks->touched - 1) {
        rfi_stack_list *list = &rfi_stacks->of[__builtin_ctz(rfi_stacks->touched)];
        if (list->ended) {
            list->last->next = list->free;
            list->free = list->ended;
        }
        list->ended = NULL;
        list->used = 0;
    }
}
#endif
#endif
