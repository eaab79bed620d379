/* explore/all.h: the strategies and the checkers that are built in, in the order in which options
 * list them. */
#ifndef RFI_EXPLORE_ALL_H
#define RFI_EXPLORE_ALL_H
#include "explore/atomfuzzer.h"
#include "explore/bounded.h"
#include "explore/breakpoint.h"
#include "explore/deadlockfuzzer.h"
#include "explore/delay.h"
#include "explore/dfs.h"
#include "explore/dpor.h"
#include "explore/drfinder.h"
#include "explore/feedback.h"
#include "explore/graphs.h"
#include "explore/input.h"
#include "explore/lostwakeup.h"
#include "explore/native.h"
#include "explore/pct.h"
#include "explore/pos.h"
#include "explore/racefuzzer.h"
#include "explore/random.h"
#include "explore/rapos.h"
#include "explore/schedule.h"
#include "explore/sticky.h"
#include "explore/surw.h"

#ifdef RFI_IMPL
RFI_VAR const rf_strategy *const rfi_strategies[] = {
    &rfi_random,   &rfi_sticky, &rfi_pct,  &rfi_pos,     &rfi_rapos,
    &rfi_delay,    &rfi_native, &rfi_surw, &rfi_urw,     &rfi_feedback,
    &rfi_drfinder, &rfi_dfs,    &rfi_dpor, &rfi_bounded, &rfi_delay_bounded,
    &rfi_graphs_strategy,
    &rfi_schedule_strategy,
    &rfi_input_strategy};
RFI_VAR const rf_checker *const rfi_checkers[] = {&rfi_racefuzzer, &rfi_deadlockfuzzer,
                                                  &rfi_atomfuzzer_checker, &rfi_lostwakeup_checker,
                                                  &rfi_breakpoint_checker};
#endif
#endif
