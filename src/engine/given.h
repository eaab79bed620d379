/* engine/given.h: what a strategy that knows memory itself is told, and does.
 *
 * Under such a strategy (rf_strategy.values) the memory model is off, and accesses go to memory:
 * before it lets a thread go on, the strategy puts there what the thread is to find.
 */
#ifndef RFI_ENGINE_GIVEN_H
#define RFI_ENGINE_GIVEN_H
#include "engine/ending.h"

#ifdef RFI_IMPL
/* The announced operation of a thread, to be told what it finds. */
RFI_FN rf_event *rfi_given_event(uint32_t t) { return &rfi.thread[t]->next; }
/* What is compared, if it is a compare-exchange; else NULL. */
RFI_FN rfi_compare *rfi_given_compare(uint32_t t) { return rfi.thread[t]->compare; }
/* Is memory to be sequentially consistent?  Have release sequences C++20's length? */
RFI_FN bool rfi_given_sc(void) { return rfi.plan->memory.atomics == RF_MEM_SC; }
RFI_FN bool rfi_given_cxx20(void) { return rfi.plan->memory.cxx20; }
/* The tokens of a semaphore. */
RFI_FN uint64_t rfi_given_tokens(uint32_t object) {
    return ((const rf_sem *)rf_object_address(object))->count;
}
/* The running thread. */
RFI_FN uint32_t rfi_given_thread(void) { return rfi.current->id; }
/* Did the execution end although threads had something to do? */
RFI_FN bool rfi_given_cut(void) { return rfi.record->unfinished || rfi.record->stopped; }
/* Ends it where it stands, without a failure. */
RFI_FN RFI_NORETURN void rfi_given_up(void) { rfi_go_home(); }
/* The same: those that are left wait for ever. */
RFI_FN RFI_NORETURN void rfi_given_livelock(void) {
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    rfi_append(&out, "all that are left wait, and nobody stores what they wait for");
    rfi_end_livelock(&out);
}
#endif
#endif
