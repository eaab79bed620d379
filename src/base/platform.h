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
