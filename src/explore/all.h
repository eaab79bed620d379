/* explore/all.h: the strategies and the checkers that are built in, in the order in which options
 * list them. */
#ifndef RFI_EXPLORE_ALL_H
#define RFI_EXPLORE_ALL_H
#include "explore/atomfuzzer.h"
#include "explore/breakpoint.h"
#include "explore/deadlockfuzzer.h"
#include "explore/lostwakeup.h"
#include "explore/racefuzzer.h"
#include "explore/random.h"

#ifdef RFI_IMPL
static const rf_strategy *const rfi_strategies[] RFI_UNUSED = {&rfi_random};
static const rf_checker *const rfi_checkers[] RFI_UNUSED = {
    &rfi_racefuzzer, &rfi_deadlockfuzzer, &rfi_atomfuzzer_checker, &rfi_lostwakeup_checker,
    &rfi_breakpoint_checker};
#endif
#endif
