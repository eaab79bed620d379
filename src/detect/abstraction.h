/* detect/abstraction.h: identities of threads and locks across executions.
 *
 * The abstractions of DeadlockFuzzer (Joshi, Park, Sen, Naik, PLDI 2009, section 2.4).
 */
#ifndef RFI_DETECT_ABSTRACTION_H
#define RFI_DETECT_ABSTRACTION_H
#include "base/platform.h"

#ifdef RFI_IMPL
/* By what threads and locks are told apart: by the statement that made them, by their index, by the
 * statements that made them and their owners, by nothing. */
typedef enum rfi_abstraction {
    RFI_ABSTRACT_SITE,
    RFI_ABSTRACT_INDEX,
    RFI_ABSTRACT_OBJECT,
    RFI_ABSTRACT_NONE,
    RFI_ABSTRACTIONS
} rfi_abstraction;

/* What --abstraction asks for: one of these; or cycles are alike by site, and most executions that
 * are directed at one go by index. */
typedef enum rfi_alike {
    RFI_ALIKE_AUTO,
    RFI_ALIKE_BY /* + an abstraction */
} rfi_alike;
#endif
#endif
