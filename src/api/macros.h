/* api/macros.h: parts of the public macros, with the engine and under RF_OFF.
 *
 * They keep three promises.  An argument is evaluated once, and before the operation is announced.
 * Macros nest in each other's arguments without shadowing: every local name carries a number.  They
 * may stand in an inline function with external linkage: the site is constant, and no function with
 * internal linkage is called.
 */
#ifndef RFI_API_MACROS_H
#define RFI_API_MACROS_H
#include "base/platform.h"

/* RFI_UNIQUE(BODY, __COUNTER__, ...) is BODY(s, p, v, t, u, ...) with five names of its own. */
#define RFI_UNIQUE(body, n, ...) \
    body(RFI_CAT(rfi_s, n), RFI_CAT(rfi_p, n), RFI_CAT(rfi_v, n), RFI_CAT(rfi_t, n), \
         RFI_CAT(rfi_u, n), __VA_ARGS__)

#define RFI_CLEANUP(fn) __attribute__((cleanup(fn)))

/* RFI_AUTO declares by its initialiser.  RFI_VALUE(p) is the type of a value read from *p: without
 * qualifiers and without _Atomic. */
#ifdef __cplusplus
# include <type_traits>
# define RFI_AUTO     auto
# define RFI_VALUE(p) std::remove_cv_t<std::remove_reference_t<decltype(*(p))>>
#else
# define RFI_AUTO     __auto_type
# define RFI_VALUE(p) __typeof__(((void)0, *(p)))
#endif

/* What __builtin_classify_type says, in gcc and clang; gcc promotes small integers first. */
#define RFI_CLASS_INTEGER 1
#define RFI_CLASS_POINTER 5
#define RFI_CLASS_REAL    8

/* Unless `a op b`, failed(text, value of a, value of b).  ((void)0, a): RFI_AUTO takes no bit-field
 * but its value.  Both sides are converted as the operator would, but openly, so that no compiler
 * warns of int against size_t. */
#define RFI_COMPARE(s, p, v, t, u, failed, text, a, op, b) \
    __extension__({ \
        RFI_AUTO p = ((void)0, (a)); \
        RFI_AUTO v = ((void)0, (b)); \
        typedef __typeof__(1 ? p : v) t; \
        if (RFI_UNLIKELY(!((t)p op (t)v))) failed(text, p, v); \
    })
#endif
