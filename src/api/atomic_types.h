/* api/atomic_types.h: the part of <stdatomic.h> that makes no event, with rf_ in front.
 *
 * The same with the engine and under RF_OFF.  Macros in capitals have RF_ in front.
 */
#ifndef RFI_API_ATOMIC_TYPES_H
#define RFI_API_ATOMIC_TYPES_H
#include "base/platform.h"

#ifndef __cplusplus
/* The values are those of memory_order_relaxed and so on: either spelling may be used. */
typedef enum rf_memory_order {
    rf_memory_order_relaxed = __ATOMIC_RELAXED,
    rf_memory_order_consume = __ATOMIC_CONSUME,
    rf_memory_order_acquire = __ATOMIC_ACQUIRE,
    rf_memory_order_release = __ATOMIC_RELEASE,
    rf_memory_order_acq_rel = __ATOMIC_ACQ_REL,
    rf_memory_order_seq_cst = __ATOMIC_SEQ_CST
} rf_memory_order;

typedef _Atomic(bool) rf_atomic_bool;
typedef _Atomic(char) rf_atomic_char;
typedef _Atomic(signed char) rf_atomic_schar;
typedef _Atomic(unsigned char) rf_atomic_uchar;
typedef _Atomic(short) rf_atomic_short;
typedef _Atomic(unsigned short) rf_atomic_ushort;
typedef _Atomic(int) rf_atomic_int;
typedef _Atomic(unsigned) rf_atomic_uint;
typedef _Atomic(long) rf_atomic_long;
typedef _Atomic(unsigned long) rf_atomic_ulong;
typedef _Atomic(long long) rf_atomic_llong;
typedef _Atomic(unsigned long long) rf_atomic_ullong;
typedef _Atomic(__CHAR16_TYPE__) rf_atomic_char16_t;
typedef _Atomic(__CHAR32_TYPE__) rf_atomic_char32_t;
typedef _Atomic(wchar_t) rf_atomic_wchar_t;
typedef _Atomic(__INT_LEAST8_TYPE__) rf_atomic_int_least8_t;
typedef _Atomic(__UINT_LEAST8_TYPE__) rf_atomic_uint_least8_t;
typedef _Atomic(__INT_LEAST16_TYPE__) rf_atomic_int_least16_t;
typedef _Atomic(__UINT_LEAST16_TYPE__) rf_atomic_uint_least16_t;
typedef _Atomic(__INT_LEAST32_TYPE__) rf_atomic_int_least32_t;
typedef _Atomic(__UINT_LEAST32_TYPE__) rf_atomic_uint_least32_t;
typedef _Atomic(__INT_LEAST64_TYPE__) rf_atomic_int_least64_t;
typedef _Atomic(__UINT_LEAST64_TYPE__) rf_atomic_uint_least64_t;
typedef _Atomic(__INT_FAST8_TYPE__) rf_atomic_int_fast8_t;
typedef _Atomic(__UINT_FAST8_TYPE__) rf_atomic_uint_fast8_t;
# ifdef INT_FAST16_MAX /* the C library's: clang has its own idea of them */
typedef _Atomic(int_fast16_t) rf_atomic_int_fast16_t;
typedef _Atomic(uint_fast16_t) rf_atomic_uint_fast16_t;
typedef _Atomic(int_fast32_t) rf_atomic_int_fast32_t;
typedef _Atomic(uint_fast32_t) rf_atomic_uint_fast32_t;
# else
typedef _Atomic(__INT_FAST16_TYPE__) rf_atomic_int_fast16_t;
typedef _Atomic(__UINT_FAST16_TYPE__) rf_atomic_uint_fast16_t;
typedef _Atomic(__INT_FAST32_TYPE__) rf_atomic_int_fast32_t;
typedef _Atomic(__UINT_FAST32_TYPE__) rf_atomic_uint_fast32_t;
# endif
typedef _Atomic(__INT_FAST64_TYPE__) rf_atomic_int_fast64_t;
typedef _Atomic(__UINT_FAST64_TYPE__) rf_atomic_uint_fast64_t;
typedef _Atomic(__INTPTR_TYPE__) rf_atomic_intptr_t;
typedef _Atomic(__UINTPTR_TYPE__) rf_atomic_uintptr_t;
typedef _Atomic(size_t) rf_atomic_size_t;
typedef _Atomic(ptrdiff_t) rf_atomic_ptrdiff_t;
typedef _Atomic(__INTMAX_TYPE__) rf_atomic_intmax_t;
typedef _Atomic(__UINTMAX_TYPE__) rf_atomic_uintmax_t;

/* Lock-free on this machine (0 never, 1 sometimes, 2 always); in tests the model has no locks. */
# define RF_ATOMIC_BOOL_LOCK_FREE     __GCC_ATOMIC_BOOL_LOCK_FREE
# define RF_ATOMIC_CHAR_LOCK_FREE     __GCC_ATOMIC_CHAR_LOCK_FREE
# define RF_ATOMIC_CHAR16_T_LOCK_FREE __GCC_ATOMIC_CHAR16_T_LOCK_FREE
# define RF_ATOMIC_CHAR32_T_LOCK_FREE __GCC_ATOMIC_CHAR32_T_LOCK_FREE
# define RF_ATOMIC_WCHAR_T_LOCK_FREE  __GCC_ATOMIC_WCHAR_T_LOCK_FREE
# define RF_ATOMIC_SHORT_LOCK_FREE    __GCC_ATOMIC_SHORT_LOCK_FREE
# define RF_ATOMIC_INT_LOCK_FREE      __GCC_ATOMIC_INT_LOCK_FREE
# define RF_ATOMIC_LONG_LOCK_FREE     __GCC_ATOMIC_LONG_LOCK_FREE
# define RF_ATOMIC_LLONG_LOCK_FREE    __GCC_ATOMIC_LLONG_LOCK_FREE
# define RF_ATOMIC_POINTER_LOCK_FREE  __GCC_ATOMIC_POINTER_LOCK_FREE

/* True where objects of this size are always lock-free here. */
# define rf_atomic_is_lock_free(object) ((_Bool)__atomic_always_lock_free(sizeof *(object), 0))

# define RF_ATOMIC_VAR_INIT(value) (value)
# define rf_kill_dependency(value) ((void)0, (value))

/* Orders nothing between threads; it only holds the compiler back. */
# define rf_atomic_signal_fence(order) __atomic_signal_fence((int)(order))
#endif
#endif
