/* api/access.h: shared plain data and the heap (docs/sync.md).
 *
 * RF_LOAD and RF_STORE announce accesses to shared memory.  They take scalars, structs and unions,
 * also volatile ones, and reject bit-fields, arrays and _Atomic objects.  At an unwatched site the
 * access costs six instructions: the value stays in registers, since only the slow path takes its
 * address.
 */
#ifndef RFI_API_ACCESS_H
#define RFI_API_ACCESS_H
#include "api/macros.h"
#include "engine/entry.h"

/* The value of a shared object. */
#define RF_LOAD(lvalue) RFI_UNIQUE(RFI_LOAD, __COUNTER__, #lvalue, lvalue)

/* Gives a shared object a value; void.  The value may contain commas (a compound literal), and
 * other accesses: RF_STORE(x, RF_LOAD(y) + 1).  It is evaluated before the store is announced. */
#define RF_STORE(lvalue, ...) RFI_UNIQUE(RFI_STORE, __COUNTER__, #lvalue, lvalue, __VA_ARGS__)

/* The same for a race that is meant to be: scheduled like an atomic, but never reported. */
#define RF_RACY_LOAD(lvalue) RFI_UNIQUE(RFI_RACY_LOAD, __COUNTER__, #lvalue, lvalue)
#define RF_RACY_STORE(lvalue, ...) \
    RFI_UNIQUE(RFI_RACY_STORE, __COUNTER__, #lvalue, lvalue, __VA_ARGS__)

/* Announces that `len` bytes at `ptr` are about to be read or written by other means (memcpy). */
#define RF_READ(ptr, len)  RFI_UNIQUE(RFI_RANGE, __COUNTER__, RF_SITE_READ, #ptr, ptr, len)
#define RF_WRITE(ptr, len) RFI_UNIQUE(RFI_RANGE, __COUNTER__, RF_SITE_WRITE, #ptr, ptr, len)

/* malloc and its family, with addresses that are the same in every execution of a token.  Use after
 * free, double free, writing past the end of a block, and blocks that are left when the last thread
 * ends, are failures that name the place of allocation. */
#define RF_MALLOC(size)        rfi_malloc(RFI_SITE(#size), size)
#define RF_CALLOC(count, size) rfi_calloc(RFI_SITE(#count ", " #size), count, size)
#define RF_REALLOC(ptr, size)  rfi_realloc(RFI_SITE(#ptr ", " #size), ptr, size)
#define RF_FREE(ptr)           rfi_free(RFI_SITE(#ptr), ptr)

/* ---- how ---- */

#define RFI_ATOMIC_MESSAGE "racefuzz: an _Atomic object is not plain data: use rf_atomic_load, ..."
#define RFI_ARRAY_MESSAGE  "racefuzz: an array has no value: name an element, or use RF_READ"
#ifdef __cplusplus
# define RFI_PLAIN_ONLY(p) \
     static_assert(!std::is_array_v<RFI_VALUE(p)>, RFI_ARRAY_MESSAGE); \
     static_assert(std::is_trivially_copyable_v<RFI_VALUE(p)>, \
                   "racefuzz: not plain data (std::atomic, or a class with a copy constructor)")
#else
# define RFI_IS_ATOMIC(p) \
     _Generic((const volatile __typeof__(*(p)) *)(p), const volatile _Atomic(RFI_VALUE(p)) *: 1, \
              default: 0)
# define RFI_PLAIN_ONLY(p) \
     _Static_assert(!RFI_IS_ATOMIC(p), RFI_ATOMIC_MESSAGE); \
     _Static_assert(RFI_IS_ATOMIC(p) || \
                        __builtin_types_compatible_p(__typeof__(*(p)), RFI_VALUE(p)), \
                    RFI_ARRAY_MESSAGE)
#endif

#define RFI_IS_POINTER(value) (__builtin_classify_type(value) == 5)

#define RFI_LOAD(s, p, v, t, u, text, lvalue) \
    __extension__({ \
        RFI_AUTO p = &(lvalue); \
        static const rf_site s = RFI_SITE_TYPED(RF_SITE_READ, text, RFI_IS_POINTER(*p)); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v; \
        if (RFI_ARMED(RF_SITE_READ)) { \
            RFI_VALUE(p) t; \
            rfi_load(&s, p, sizeof t, &t); \
            v = t; \
        } else { \
            v = *p; \
        } \
        v; \
    })

#define RFI_STORE(s, p, v, t, u, text, lvalue, ...) \
    __extension__({ \
        static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
        RFI_AUTO p = &(lvalue); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v = (__VA_ARGS__); \
        if (RFI_ARMED(RF_SITE_WRITE)) { \
            RFI_VALUE(p) t = v; \
            rfi_store(&s, p, sizeof t, &t); \
        } else { \
            *p = v; \
        } \
    })

#define RFI_RACY_LOAD(s, p, v, t, u, text, lvalue) \
    __extension__({ \
        RFI_AUTO p = &(lvalue); \
        static const rf_site s = RFI_SITE_TYPED(RF_SITE_READ, text, RFI_IS_POINTER(*p)); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v; \
        rfi_racy_load(&s, p, sizeof v, &v); \
        v; \
    })

#define RFI_RACY_STORE(s, p, v, t, u, text, lvalue, ...) \
    __extension__({ \
        static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
        RFI_AUTO p = &(lvalue); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v = (__VA_ARGS__); \
        rfi_racy_store(&s, p, sizeof v, &v); \
    })

#define RFI_RANGE(s, p, v, t, u, kind, text, ptr, len) \
    __extension__({ \
        static const rf_site s = RFI_SITE_INIT(kind, text); \
        const volatile void *p = (ptr); \
        size_t v = (len); \
        if (RFI_ARMED(kind)) rfi_range(&s, p, v); \
    })
#endif
