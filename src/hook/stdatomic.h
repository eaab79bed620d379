/* hook/stdatomic.h: RF_HOOK_STDATOMIC gives the operations of <stdatomic.h> to the engine.
 *
 * The compiler's own header finds its guard defined and stays empty; all its names are the public
 * face's without rf_ in front.  Where compilers differ, a name means what this one means by it.
 * Operators on _Atomic objects (a++, a = 1) are not seen by a macro: compile with -fsanitize=thread
 * for those (RF_HOOK_COMPILER).
 */
#ifndef RFI_HOOK_STDATOMIC_H
#define RFI_HOOK_STDATOMIC_H
#include "api/atomic.h"

#if (defined RF_HOOK_STDATOMIC || defined RF_HOOK_ALL) && !defined RF_OWN_ATOMICS && \
    !defined __cplusplus
# define _STDATOMIC_H        1 /* gcc */
# define __CLANG_STDATOMIC_H 1

# define ATOMIC_VAR_INIT           RF_ATOMIC_VAR_INIT
# define ATOMIC_FLAG_INIT          RF_ATOMIC_FLAG_INIT
# define kill_dependency           rf_kill_dependency
# define ATOMIC_BOOL_LOCK_FREE     RF_ATOMIC_BOOL_LOCK_FREE
# define ATOMIC_CHAR_LOCK_FREE     RF_ATOMIC_CHAR_LOCK_FREE
# define ATOMIC_CHAR16_T_LOCK_FREE RF_ATOMIC_CHAR16_T_LOCK_FREE
# define ATOMIC_CHAR32_T_LOCK_FREE RF_ATOMIC_CHAR32_T_LOCK_FREE
# define ATOMIC_WCHAR_T_LOCK_FREE  RF_ATOMIC_WCHAR_T_LOCK_FREE
# define ATOMIC_SHORT_LOCK_FREE    RF_ATOMIC_SHORT_LOCK_FREE
# define ATOMIC_INT_LOCK_FREE      RF_ATOMIC_INT_LOCK_FREE
# define ATOMIC_LONG_LOCK_FREE     RF_ATOMIC_LONG_LOCK_FREE
# define ATOMIC_LLONG_LOCK_FREE    RF_ATOMIC_LLONG_LOCK_FREE
# define ATOMIC_POINTER_LOCK_FREE  RF_ATOMIC_POINTER_LOCK_FREE

# define memory_order         rf_memory_order
# define memory_order_relaxed rf_memory_order_relaxed
# define memory_order_consume rf_memory_order_consume
# define memory_order_acquire rf_memory_order_acquire
# define memory_order_release rf_memory_order_release
# define memory_order_acq_rel rf_memory_order_acq_rel
# define memory_order_seq_cst rf_memory_order_seq_cst

# define atomic_bool           rf_atomic_bool
# define atomic_char           rf_atomic_char
# define atomic_schar          rf_atomic_schar
# define atomic_uchar          rf_atomic_uchar
# define atomic_short          rf_atomic_short
# define atomic_ushort         rf_atomic_ushort
# define atomic_int            rf_atomic_int
# define atomic_uint           rf_atomic_uint
# define atomic_long           rf_atomic_long
# define atomic_ulong          rf_atomic_ulong
# define atomic_llong          rf_atomic_llong
# define atomic_ullong         rf_atomic_ullong
# define atomic_char16_t       rf_atomic_char16_t
# define atomic_char32_t       rf_atomic_char32_t
# define atomic_wchar_t        rf_atomic_wchar_t
# define atomic_int_least8_t   rf_atomic_int_least8_t
# define atomic_uint_least8_t  rf_atomic_uint_least8_t
# define atomic_int_least16_t  rf_atomic_int_least16_t
# define atomic_uint_least16_t rf_atomic_uint_least16_t
# define atomic_int_least32_t  rf_atomic_int_least32_t
# define atomic_uint_least32_t rf_atomic_uint_least32_t
# define atomic_int_least64_t  rf_atomic_int_least64_t
# define atomic_uint_least64_t rf_atomic_uint_least64_t
# define atomic_int_fast8_t    rf_atomic_int_fast8_t
# define atomic_uint_fast8_t   rf_atomic_uint_fast8_t
# define atomic_int_fast64_t   rf_atomic_int_fast64_t
# define atomic_uint_fast64_t  rf_atomic_uint_fast64_t
# define atomic_intptr_t       rf_atomic_intptr_t
# define atomic_uintptr_t      rf_atomic_uintptr_t
# define atomic_size_t         rf_atomic_size_t
# define atomic_ptrdiff_t      rf_atomic_ptrdiff_t
# define atomic_intmax_t       rf_atomic_intmax_t
# define atomic_uintmax_t      rf_atomic_uintmax_t
# define atomic_flag           rf_atomic_flag

/* clang's own idea of these differs from that of the C library, whose types its header uses.  glibc
 * has the width of a pointer for them.  <stdint.h> may not be included yet, nor ever. */
# if defined __clang__ && defined __gnu_linux__
#  define atomic_int_fast16_t  _Atomic(__INTPTR_TYPE__)
#  define atomic_uint_fast16_t _Atomic(__UINTPTR_TYPE__)
#  define atomic_int_fast32_t  _Atomic(__INTPTR_TYPE__)
#  define atomic_uint_fast32_t _Atomic(__UINTPTR_TYPE__)
# elif defined __clang__
#  define atomic_int_fast16_t  _Atomic(int_fast16_t)
#  define atomic_uint_fast16_t _Atomic(uint_fast16_t)
#  define atomic_int_fast32_t  _Atomic(int_fast32_t)
#  define atomic_uint_fast32_t _Atomic(uint_fast32_t)
# else
#  define atomic_int_fast16_t  rf_atomic_int_fast16_t
#  define atomic_uint_fast16_t rf_atomic_uint_fast16_t
#  define atomic_int_fast32_t  rf_atomic_int_fast32_t
#  define atomic_uint_fast32_t rf_atomic_uint_fast32_t
# endif

# define atomic_load                             rf_atomic_load
# define atomic_load_explicit                    rf_atomic_load_explicit
# define atomic_store                            rf_atomic_store
# define atomic_store_explicit                   rf_atomic_store_explicit
# define atomic_exchange                         rf_atomic_exchange
# define atomic_exchange_explicit                rf_atomic_exchange_explicit
# define atomic_compare_exchange_strong          rf_atomic_compare_exchange_strong
# define atomic_compare_exchange_strong_explicit rf_atomic_compare_exchange_strong_explicit
# define atomic_compare_exchange_weak            rf_atomic_compare_exchange_weak
# define atomic_compare_exchange_weak_explicit   rf_atomic_compare_exchange_weak_explicit
# define atomic_fetch_or                         rf_atomic_fetch_or
# define atomic_fetch_or_explicit                rf_atomic_fetch_or_explicit
# define atomic_fetch_xor                        rf_atomic_fetch_xor
# define atomic_fetch_xor_explicit               rf_atomic_fetch_xor_explicit
# define atomic_fetch_and                        rf_atomic_fetch_and
# define atomic_fetch_and_explicit               rf_atomic_fetch_and_explicit
# define atomic_init                             rf_atomic_init
# define atomic_flag_test_and_set                rf_atomic_flag_test_and_set
# define atomic_flag_test_and_set_explicit       rf_atomic_flag_test_and_set_explicit
# define atomic_flag_clear                       rf_atomic_flag_clear
# define atomic_flag_clear_explicit              rf_atomic_flag_clear_explicit
# define atomic_thread_fence                     rf_atomic_thread_fence
# define atomic_signal_fence                     rf_atomic_signal_fence
# define atomic_is_lock_free                     rf_atomic_is_lock_free

/* clang moves a pointer by elements, as the standard says; gcc by bytes. */
# ifdef __clang__
#  define atomic_fetch_add          rf_atomic_fetch_add
#  define atomic_fetch_add_explicit rf_atomic_fetch_add_explicit
#  define atomic_fetch_sub          rf_atomic_fetch_sub
#  define atomic_fetch_sub_explicit rf_atomic_fetch_sub_explicit
# else
#  define RFI_ADD_BYTES(v, n) RFI_WRAP(v, +, n)
#  define RFI_SUB_BYTES(v, n) RFI_WRAP(v, -, n)
#  define atomic_fetch_add(object, n) \
   RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_ADD_BYTES)
#  define atomic_fetch_add_explicit(object, n, order) \
   RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_ADD_BYTES)
#  define atomic_fetch_sub(object, n) \
   RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_SUB_BYTES)
#  define atomic_fetch_sub_explicit(object, n, order) \
   RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_SUB_BYTES)
# endif
#endif
#endif
