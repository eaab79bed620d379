/* api/atomic.h: the operations of <stdatomic.h> with rf_ in front (docs/sync.md, Atomics).
 *
 * Generic over _Atomic T *, volatile too, for every T: integers, bool, pointers, enumerations and
 * structs.  Arithmetic wraps around, on pointers it counts elements; fetch operations take integers
 * of up to 64 bits and pointers.  An order is any of rf_memory_order_... or memory_order_...; the
 * forms without one are sequentially consistent.  Each operation is a scheduling point.
 *
 * Operators on _Atomic objects (a++, a = 1) can't be seen by a macro: use the names below.
 */
#ifndef RFI_API_ATOMIC_H
#define RFI_API_ATOMIC_H
#include "api/atomic_types.h"
#include "api/macros.h"
#include "engine/entry.h"

#ifndef __cplusplus
/* ---- load, store, exchange ---- */

# define rf_atomic_load(object) \
     RFI_UNIQUE(RFI_ATOMIC_LOAD, __COUNTER__, #object, object, __ATOMIC_SEQ_CST)
# define rf_atomic_load_explicit(object, order) \
     RFI_UNIQUE(RFI_ATOMIC_LOAD, __COUNTER__, #object, object, order)
# define rf_atomic_store(object, value) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #object, object, value, __ATOMIC_SEQ_CST)
# define rf_atomic_store_explicit(object, value, order) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #object, object, value, order)
# define rf_atomic_exchange(object, value) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #object, object, value, __ATOMIC_SEQ_CST)
# define rf_atomic_exchange_explicit(object, value, order) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #object, object, value, order)

/* Gives an object its first value.  Not atomic: it races with another thread's access. */
# define rf_atomic_init(object, value) \
     RFI_UNIQUE(RFI_ATOMIC_INIT, __COUNTER__, #object, object, value)

/* ---- compare-exchange: true when *expected was found, which else becomes the value found ---- */

# define rf_atomic_compare_exchange_strong(object, expected, desired) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, 0, __ATOMIC_SEQ_CST, \
                __ATOMIC_SEQ_CST)
# define rf_atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, 0, success, failure)

/* The weak forms fail now and then although *expected was found. */
# define rf_atomic_compare_exchange_weak(object, expected, desired) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, 1, __ATOMIC_SEQ_CST, \
                __ATOMIC_SEQ_CST)
# define rf_atomic_compare_exchange_weak_explicit(object, expected, desired, success, failure) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, 1, success, failure)

/* ---- fetch and modify: the value before ---- */

# define rf_atomic_fetch_add(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_ADD)
# define rf_atomic_fetch_add_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_ADD)
# define rf_atomic_fetch_sub(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_SUB)
# define rf_atomic_fetch_sub_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_SUB)
# define rf_atomic_fetch_or(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_OR)
# define rf_atomic_fetch_or_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_OR)
# define rf_atomic_fetch_xor(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_XOR)
# define rf_atomic_fetch_xor_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_XOR)
# define rf_atomic_fetch_and(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_AND)
# define rf_atomic_fetch_and_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_AND)

/* ---- flags ---- */

typedef struct rf_atomic_flag {
    rf_atomic_bool set;
} rf_atomic_flag;

# define RF_ATOMIC_FLAG_INIT {0}
# define rf_atomic_flag_test_and_set(flag) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #flag, &(flag)->set, 1, __ATOMIC_SEQ_CST)
# define rf_atomic_flag_test_and_set_explicit(flag, order) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #flag, &(flag)->set, 1, order)
# define rf_atomic_flag_clear(flag) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #flag, &(flag)->set, 0, __ATOMIC_SEQ_CST)
# define rf_atomic_flag_clear_explicit(flag, order) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #flag, &(flag)->set, 0, order)

# define rf_atomic_thread_fence(order) rfi_fence(RFI_SITE(#order), (int)(order))

/* ---- how ---- */

# define RFI_ATOMIC_LOAD(s, p, v, t, u, text, object, order) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_READ, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v; \
         rfi_atomic_load(&s, p, sizeof v, (int)(order), &v); \
         v; \
     })

# define RFI_ATOMIC_STORE(s, p, v, t, u, text, object, value, order) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v = (value); \
         rfi_atomic_store(&s, p, sizeof v, (int)(order), &v); \
     })

# define RFI_ATOMIC_INIT(s, p, v, t, u, text, object, value) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v = (value); \
         rfi_atomic_init(&s, p, sizeof v, &v); \
     })

# define RFI_EXCHANGE(s, p, v, t, u, text, object, value, order) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v = (value), t; \
         rfi_rmw_begin(&s, p, sizeof t, (int)(order), &t); \
         rfi_rmw_end(&v); \
         t; \
     })

# define RFI_CAS(s, p, v, t, u, text, object, expected, desired, weak, success, failure) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) *t = (expected), v = (desired); \
         rfi_cas(&s, p, sizeof v, weak, (int)(success), (int)(failure), t, &v); \
     })

/* The operand is evaluated before the operation begins: it may be an atomic operation itself. */
# define RFI_FETCH(s, p, v, t, u, text, object, n, order, combine) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         __auto_type u = (n) + 0; \
         RFI_VALUE(p) v, t; \
         _Static_assert(sizeof v <= 8 && __builtin_classify_type(v) != RFI_CLASS_REAL, \
                        "racefuzz: fetch operations take integers of up to 64 bits and pointers"); \
         rfi_rmw_begin(&s, p, sizeof v, (int)(order), &v); \
         t = combine(v, u); \
         rfi_rmw_end(&t); \
         v; \
     })

/* In the widest unsigned type, where nothing overflows; pointers step by what they point to. */
# define RFI_WRAP(v, op, n) ((__typeof__(v))((__UINTMAX_TYPE__)(v)op(__UINTMAX_TYPE__)(n)))
# define RFI_UNIT(v) \
     sizeof *__builtin_choose_expr(__builtin_classify_type(v) == RFI_CLASS_POINTER, v, (char *)0)
# define RFI_ADD(v, n) RFI_WRAP(v, +, (__UINTMAX_TYPE__)(n) * RFI_UNIT(v))
# define RFI_SUB(v, n) RFI_WRAP(v, -, (__UINTMAX_TYPE__)(n) * RFI_UNIT(v))
# define RFI_OR(v, n)  RFI_WRAP(v, |, n)
# define RFI_XOR(v, n) RFI_WRAP(v, ^, n)
# define RFI_AND(v, n) RFI_WRAP(v, &, n)
#endif
#endif
