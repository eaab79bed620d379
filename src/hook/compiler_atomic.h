/* hook/compiler_atomic.h: RF_HOOK_COMPILER, atomic operations that the compiler hands over.
 *
 * All of them under -fsanitize=thread: the __atomic and __sync builtins and the operators on
 * _Atomic objects.  The order comes as __ATOMIC_*, above it what only processors understand.
 * Optimised: fully, each access runs it.
 */
#ifndef RFI_HOOK_COMPILER_ATOMIC_H
#define RFI_HOOK_COMPILER_ATOMIC_H
#include "hook/hook.h"

#if defined RFI_IMPL && defined RF_HOOK_COMPILER
# ifdef RFI_TSAN
#  error "RF_HOOK_COMPILER: compile the unit of the engine without -fsanitize=thread"
# else
#  define RFI_COMPILER 1
# endif
#endif

#ifdef RFI_COMPILER
# include <fenv.h>
# include <float.h>

/* What instrumented code calls, and nothing else does. */
# define RFI_CALLED __attribute__((weak))

# define RFI_ORDER(order) ((order)&RFI_ORDER_BITS)

# define RFI_ATOMIC_RMW(bits, type, name, result)                                     \
  RFI_CALLED type __tsan_atomic##bits##_##name(volatile type *p, type v, int order) { \
   type old, new;                                                                     \
   rfi_rmw_begin(RFI_CALLER(), p, sizeof old, RFI_ORDER(order), &old);                \
   new = (type)(result);                                                              \
   rfi_rmw_end(&new);                                                                 \
   return old;                                                                        \
  }

# define RFI_ATOMIC_SIZED(bits, type)                                                              \
  RFI_CALLED type __tsan_atomic##bits##_load(const volatile type *p, int order) {                  \
   type v;                                                                                         \
   rfi_atomic_load(RFI_CALLER(), p, sizeof v, RFI_ORDER(order), &v);                               \
   return v;                                                                                       \
  }                                                                                                \
  RFI_CALLED void __tsan_atomic##bits##_store(volatile type *p, type v, int order) {               \
   rfi_atomic_store(RFI_CALLER(), p, sizeof v, RFI_ORDER(order), &v);                              \
  }                                                                                                \
  RFI_ATOMIC_RMW(bits, type, exchange, v)                                                          \
  RFI_ATOMIC_RMW(bits, type, fetch_add, old + v)                                                   \
  RFI_ATOMIC_RMW(bits, type, fetch_sub, old - v)                                                   \
  RFI_ATOMIC_RMW(bits, type, fetch_and, old &v)                                                    \
  RFI_ATOMIC_RMW(bits, type, fetch_or, old | v)                                                    \
  RFI_ATOMIC_RMW(bits, type, fetch_xor, old ^ v)                                                   \
  RFI_ATOMIC_RMW(bits, type, fetch_nand, ~(old & v))                                               \
  RFI_CALLED int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected,   \
                                                               type v, int success, int failure) { \
   return rfi_cas(RFI_CALLER(), p, sizeof v, false, RFI_ORDER(success), RFI_ORDER(failure),        \
                  expected, &v);                                                                   \
  }                                                                                                \
  RFI_CALLED int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *expected,     \
                                                             type v, int success, int failure) {   \
   return rfi_cas(RFI_CALLER(), p, sizeof v, true, RFI_ORDER(success), RFI_ORDER(failure),         \
                  expected, &v);                                                                   \
  }                                                                                                \
  RFI_CALLED type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected,      \
                                                             type v, int success, int failure) {   \
   rfi_cas(RFI_CALLER(), p, sizeof v, false, RFI_ORDER(success), RFI_ORDER(failure), &expected,    \
           &v);                                                                                    \
   return expected;                                                                                \
  }

/* clang-format off */
RFI_ATOMIC_SIZED(8, uint8_t)
RFI_ATOMIC_SIZED(16, uint16_t)
RFI_ATOMIC_SIZED(32, uint32_t)
RFI_ATOMIC_SIZED(64, uint64_t)
# ifdef __SIZEOF_INT128__
RFI_ATOMIC_SIZED(128, rfi_u128)
# endif
/* clang-format on */

/* ---- objects of other sizes ----
 *
 * For these the compiler calls libatomic, with -fsanitize=thread as without, by names that are its
 * builtins' in C. */
# ifdef __ELF__
RFI_CALLED void rfi_atomic_any_load(size_t n, const volatile void *p, void *v,
                                    int order) __asm__("__atomic_load");
void rfi_atomic_any_load(size_t n, const volatile void *p, void *v, int order) {
    rfi_atomic_load(RFI_CALLER(), p, n, RFI_ORDER(order), v);
}

RFI_CALLED void rfi_atomic_any_store(size_t n, volatile void *p, const void *v,
                                     int order) __asm__("__atomic_store");
void rfi_atomic_any_store(size_t n, volatile void *p, const void *v, int order) {
    rfi_atomic_store(RFI_CALLER(), p, n, RFI_ORDER(order), v);
}

RFI_CALLED void rfi_atomic_any_exchange(size_t n, volatile void *p, const void *v, void *old,
                                        int order) __asm__("__atomic_exchange");
void rfi_atomic_any_exchange(size_t n, volatile void *p, const void *v, void *old, int order) {
    rfi_rmw_begin(RFI_CALLER(), p, n, RFI_ORDER(order), old);
    rfi_rmw_end(v);
}

RFI_CALLED bool rfi_atomic_any_cas(size_t n, volatile void *p, void *expected, const void *desired,
                                   int success, int failure) __asm__("__atomic_compare_exchange");
bool rfi_atomic_any_cas(size_t n, volatile void *p, void *expected, const void *desired,
                        int success, int failure) {
    return rfi_cas(RFI_CALLER(), p, n, false, RFI_ORDER(success), RFI_ORDER(failure), expected,
                   desired);
}

/* What gcc's operators on atomic objects of floating point call when they have stored the result:
 * the exceptions of that try. */
RFI_CALLED void rfi_atomic_raises(int which) __asm__("__atomic_feraiseexcept");
void rfi_atomic_raises(int which) {
    volatile float zero = 0, one = 1, three = 3, most = FLT_MAX, least = FLT_MIN, got = 0;
    if (which & FE_INVALID) got = zero / zero;
    if (which & FE_DIVBYZERO) got = one / zero;
    if (which & FE_OVERFLOW) got = most * most;
    if (which & FE_UNDERFLOW) got = least * least;
    if (which & FE_INEXACT) got = one / three;
    (void)got;
}
# endif

RFI_CALLED void __tsan_atomic_thread_fence(int order) { rfi_fence(RFI_CALLER(), RFI_ORDER(order)); }

RFI_CALLED void __tsan_atomic_signal_fence(int order) { (void)order; }
#endif
#endif
