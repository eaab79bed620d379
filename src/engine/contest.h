/* engine/contest.h: which candidate would the machine run?
 *
 * The running thread continues, unless another candidate has meanwhile got a processor and
 * registered as the next (osthread.h).  Candidates busy-wait, so that the kernel can choose among
 * all of them.  If there are many, some sleep and are woken one at a time, rarely, since a wake-up
 * often preempts the running thread.  So the kernel decides, by when it wakes a thread, where it
 * runs it and when it preempts it, and the latency between processors.
 * Optimised: less, few programs use it often.
 */
#ifndef RFI_ENGINE_CONTEST_H
#define RFI_ENGINE_CONTEST_H
#include "engine/state.h"

#ifdef RFI_IMPL
# define RFI_CONTEST_RIVALS 8u   /* at least so many are awake, or as many as processors */
# define RFI_CONTEST_TURN   256u /* decisions until one more is woken */

RFI_VAR struct {
    uint32_t rivals;     /* to be awake */
    uint32_t generation; /* of the execution; in it: */
    uint32_t decisions;
} rfi_contest;

RFI_FN void rfi_contest_begin(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    rfi_contest.rivals = n > (long)RFI_CONTEST_RIVALS ? (uint32_t)n : RFI_CONTEST_RIVALS;
    rfi_contest.generation = rfi.generation;
    rfi_contest.decisions = 0;
    __atomic_store_n(&rfi_os_next, RFI_OS_NOBODY, __ATOMIC_RELEASE);
}

/* Wakes sleeping candidates, beginning behind the thread of the last step, until there are enough
 * rivals; at least `one`. */
RFI_FN void rfi_contest_invite(const rf_choice *c, bool one) {
    uint32_t from = rfi_choice_below(c, c->last);
    uint32_t rivals = __atomic_load_n(&rfi_os_rivals, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < c->count && (rivals < rfi_contest.rivals || one); i++) {
        uint32_t t = rfi_choice_at(c, (from + i) % c->count);
        rfi_osthread *os = rfi.thread[t]->fiber.os;
        if (t == rfi.current->id || !rfi_os_rival(os, t)) continue;
        rfi_os_wake(os);
        rivals++;
        one = false;
    }
}

/* The candidate that is put down as the next; RFI_OS_NOBODY if there is none. */
RFI_FN uint32_t rfi_contest_next(const rf_choice *c) {
    uint32_t t = __atomic_load_n(&rfi_os_next, __ATOMIC_ACQUIRE);
    if (t == RFI_OS_NOBODY) return t;
    if (rf_choice_has(c, t)) {
        __atomic_store_n(&rfi_os_next, RFI_OS_SHUT, __ATOMIC_RELEASE);
        return t;
    }
    if (t < rfi.run.threads) rfi_os_withdraw(rfi.thread[t]->fiber.os); /* it has to wait */
    __atomic_store_n(&rfi_os_next, RFI_OS_NOBODY, __ATOMIC_RELEASE);
    return RFI_OS_NOBODY;
}

uint32_t rf_choice_offered(const rf_choice *c) {
    const rfi_thr *me = rfi.current;
    bool can = rf_choice_has(c, me->id);
    if (rfi_backend.kind == RFI_BACKEND_FIBER) return rfi_choice_usual(c);
    if (rfi_contest.generation != rfi.generation) rfi_contest_begin();
    /* The last decision may have been about the same operation, and a checker has undone it. */
    rfi_os_withdraw(me->fiber.os);
    rfi_os_open();
    bool one = !(++rfi_contest.decisions % RFI_CONTEST_TURN);
    for (uint32_t waits = 1;; waits++, one = false) {
        rfi_contest_invite(c, one);
        uint32_t t = rfi_contest_next(c);
        if (t != RFI_OS_NOBODY) {
            if (can && t != me->id) (void)rfi_os_rival(me->fiber.os, me->id);
            return t;
        }
        if (can) return me->id;
        if (waits % RFI_OS_LOOKS)
            rfi_os_pause();
        else
            RFI_REAL(sched_yield)();
    }
}
#endif
#endif
