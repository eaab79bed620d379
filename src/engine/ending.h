/* engine/ending.h: an execution ends although threads are left.
 *
 * When main returns, or exit is called, the machine may stop the other threads at any step.  A
 * longer execution shows all that a shorter one shows, so the execution ends as late as possible:
 * when all other threads have ended, wait, or spin; or after a limit, since some work for ever.
 * The same holds after a test's body has returned, if all remaining threads are detached.
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_ENDING_H
#define RFI_ENGINE_ENDING_H
#include "engine/stuck.h"

#ifdef RFI_IMPL
# define RFI_END_STEPS 1000u  /* that others have at least, once a program has come to its end, */
# define RFI_END_MORE  20000u /* once a test's body has, or if all schedules are gone through, */
# define RFI_END_MOST  50000u /* and both */
# define RFI_END_VAIN  256u   /* decisions among spinners alone, once it has come */

/* From now on the others have so many steps: drawn, each doubling half as likely, so that long work
 * has its chance and endless work costs little. */
RFI_FN RFI_COLD void rfi_end_limit(void) {
    uint64_t most = rfi.plan->max_steps;
    uint64_t steps = rfi.run.whole && !rfi.strategy->serial ? RFI_END_STEPS : RFI_END_MORE;
    if (!rfi.strategy->serial)
        steps <<= __builtin_ctzll(rfi_draw(&rfi.schedule) | UINT64_C(1) << 32);
    else if (!rfi.run.whole)
        steps = RFI_END_MOST;
    rfi.run.vain = 0;
    if (steps < most - rfi.run.steps) rfi_limit(rfi.run.steps + steps);
}

/* Is it right to end here, with the threads that are left?  A body that has returned leaves no
 * thread alone that somebody could have joined. */
RFI_FN RFI_COLD bool rfi_end_due(void) {
    if (rfi.run.ender) return true;
    if (rfi.run.whole || !rfi.thread[0]->finished) return false;
    for (uint32_t i = 1; i < rfi.run.threads; i++)
        if (!rfi.thread[i]->finished && !rfi.thread[i]->detached) return false;
    return true;
}

/* The thread that goes on, in order to end the execution; of a test's body nobody does. */
RFI_FN RFI_COLD uint32_t rfi_end_by(void) {
    if (!rfi.run.ender) rfi_go_home();
    return rfi.run.ender - 1;
}

/* Nobody can go on, unless something comes from outside: that is waited for.  True: something has
 * come. */
RFI_FN RFI_COLD bool rfi_something_comes(void) {
    for (uint32_t w = 0; w < rfi.run.words; w++)
        if (rfi.enabled[w]) return false;
    return !rfi_end_due() && !rfi_find_cycle(0, rfi.run.threads) && rfi.run.comes();
}

/* Nobody can go on: the thread that ends the execution, or it is a deadlock. */
RFI_FN RFI_COLD uint32_t rfi_nobody(void) {
    if (rfi.strategy->rfi_stuck) rfi.strategy->rfi_stuck();
    if (!rfi_end_due() || rfi_find_cycle(0, rfi.run.threads)) rfi_report_stuck();
    return rfi_end_by();
}

/* The execution stops here, and nothing is said of it but where. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_end_open(const rfi_thr *t) {
    rfi_record *r = rfi.record;
    r->order = 0;
    r->failure.site = t->next.site;
    r->failure.thread = t->id;
    rfi_go_home();
}

/* Time is up: what is cut off has not failed. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_end_cut(const rfi_thr *t) {
    rfi.record->cut = true;
    rfi_end_open(t);
}

/* The running thread was about to make one step more than there may be, and the execution is not to
 * end otherwise. */
RFI_FN RFI_COLD void rfi_end_long(rfi_thr *t) {
    uint64_t most = rfi.plan->max_steps;
    bool dry = rfi.run.dry > most / RFI_DRY_STEPS;
    if (!(rfi.observed & RFI_TAIL)) rfi_tail_begin();
    rfi_limit(most);
    if (rfi.run.steps <= most && !dry) return;
    if (dry || rfi.plan->must_end || rfi_endless_handler() || !rfi_tail_progress())
        rfi_report_livelock();
    rfi.record->unfinished = true;
    rfi_end_open(t);
}

/* The execution ends now, in place of what the running thread was about to do. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_end_instead(rfi_thr *t) {
    rfi_thr *by = rfi.thread[rfi_end_by()];
    rfi.current = by;
    rfi_fiber_jump(&t->fiber, &by->fiber);
    abort(); /* nobody resumes it */
}

/* The running thread was about to make one step more than there may be. */
RFI_FN RFI_COLD void rfi_steps_over(rfi_thr *t) {
    if (rfi.record->over) rfi_end_cut(t);
    if (!rfi_end_due() || (rfi.record->limit == rfi.plan->limit && !(rfi.observed & RFI_TAIL))) {
        rfi_end_long(t);
        return;
    }
    rfi.record->stopped = true;
    rfi_end_instead(t);
}

/* The running thread has made so many plain accesses at `s` and before that a decision is forced.
 * Without another operation in between these decisions count more than others: a loop that only
 * touches plain data makes few of them.  One that may wait for a thread that a checker has paused
 * has until the monitor comes. */
RFI_FN RFI_COLD void rfi_dry(rfi_thr *t, const rf_site *s) {
    rfi_run *r = &rfi.run;
    r->dry = r->steps == r->dry_at ? r->dry + 1 : 1;
    r->dry_at = r->steps + 1; /* the one that follows now */
    if (rfi.frame.paused_count && r->steps - rfi.frame.paused_since <= RFI_MONITOR_STEPS)
        r->dry = 0;
    if (r->dry <= rfi.plan->max_steps / RFI_DRY_STEPS) return;
    t->next.site = s;
    t->next.kind = RF_EV_LOAD;
    r->last = t->id;
    rfi_steps_over(t);
}
#endif
#endif
