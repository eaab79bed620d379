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

/* 1 if it is the word `void` or nothing, else 0: RFI_VOID_void is a macro only before "()". */
#define RFI_VOID(...)          RFI_SECOND(RFI_VOID_##__VA_ARGS__(), 0, )
#define RFI_VOID_void()        0, 1
#define RFI_VOID_()            0, 1
#define RFI_SECOND(...)        RFI_SECOND_(__VA_ARGS__, )
#define RFI_SECOND_(a, b, ...) b

/* How many parameters (...) declares. */
#define RFI_ARITY(...) \
    RFI_SEVENTH(__VA_ARGS__, at_most_four_parameters, at_most_four_parameters, 4, 3, 2, \
                RFI_CAT(RFI_ONE_, RFI_VOID(__VA_ARGS__)), )
#define RFI_SEVENTH(a, b, c, d, e, f, n, ...) n
#define RFI_ONE_0                             1
#define RFI_ONE_1                             0

/* Parameters behind a first one. */
#define RFI_MORE_0(...)
#define RFI_MORE_1(...) , __VA_ARGS__
#define RFI_MORE_2(...) , __VA_ARGS__
#define RFI_MORE_3(...) , __VA_ARGS__
#define RFI_MORE_4(...) , __VA_ARGS__
#endif
