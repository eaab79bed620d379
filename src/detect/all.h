/* detect/all.h: the analyses that are built in, in the order in which options list them. */
#ifndef RFI_DETECT_ALL_H
#define RFI_DETECT_ALL_H
#include "detect/goodlock.h"
#include "detect/hb.h"
#include "detect/hybrid.h"

#ifdef RFI_IMPL
static const rf_analysis *const rfi_analyses[] RFI_UNUSED = {&rfi_hb_analysis, &rfi_hybrid_analysis,
                                                             &rfi_goodlock_analysis};

/* What runs unless options name others. */
# define RFI_DEFAULT_DETECT "hb,hybrid,goodlock"
#endif
#endif
