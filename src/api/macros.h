/* api/macros.h: what the macros of the public face are made of.
 *
 * They keep three promises.  An argument is evaluated once, and before the operation is announced.
 * Macros nest in each other's arguments without shadowing: every local name carries a number.  They
 * may stand in an inline function with external linkage: the site is constant, and no function with
 * internal linkage is called.
 */
#ifndef RFI_API_MACROS_H
#define RFI_API_MACROS_H
#include "engine/entry.h"

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
#endif
