/* hook/yours.h: frees the names that the headers have used for code under test.
 *
 * The last of all: a program that does not include <stdbool.h> may call anything of its own bool,
 * and one that includes it afterwards gets it.  So macros of the public face do without.
 */
#ifndef RFI_HOOK_YOURS_H
#define RFI_HOOK_YOURS_H
#include "hook/names.h"
#include "hook/old_signals.h"
#include "hook/program.h"
#include "hook/stdatomic.h"
#include "hook/transfers.h"

#if defined RFI_HOOKS && !defined RF_OFF && !defined __cplusplus
# undef bool
# undef true
# undef false
# undef __bool_true_false_are_defined
# undef _STDBOOL_H  /* gcc */
# undef __STDBOOL_H /* clang */
#endif
#endif
