/* detect/all.h: the analyses that are built in, in the order in which options list them. */
#ifndef RFI_DETECT_ALL_H
#define RFI_DETECT_ALL_H
#include "detect/atomicset.h"
#include "detect/atomizer.h"
#include "detect/breakpoint.h"
#include "detect/choi.h"
#include "detect/eraser.h"
#include "detect/fasttrack.h"
#include "detect/goodlock.h"
#include "detect/hb.h"
#include "detect/hybrid.h"
#include "detect/lostwakeup.h"
#include "detect/relock.h"

#ifdef RFI_IMPL
RFI_VAR const rf_analysis *const rfi_analyses[] = {
    &rfi_hb_analysis,        &rfi_hybrid_analysis,     &rfi_fasttrack_analysis,
    &rfi_eraser_analysis,    &rfi_stateless_analysis,  &rfi_choi_analysis,
    &rfi_goodlock_analysis,  &rfi_atomizer_analysis,   &rfi_relock_analysis,
    &rfi_atomicset_analysis, &rfi_lostwakeup_analysis, &rfi_breakpoint_analysis};

/* What runs unless options name others. */
# define RFI_DEFAULT_DETECT "hb,hybrid,goodlock,atomizer,relock,atomicset,lostwakeup,breakpoint"
#endif
#endif
