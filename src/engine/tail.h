/* engine/tail.h: is an execution that reaches its step limit a livelock, or only long?
 *
 * From half of the limit on it is remembered which operations were executed, with their statements,
 * what they use, and the values that they read or write.  In a livelock there is nothing new among
 * them after a while.  Where threads make progress there is: in both of the last eighths of the
 * limit, since a thread that only comes late brings something new once.  Operations that always
 * succeed and tell no values (locks that are taken and released) say nothing about what their
 * threads do in between: where there are no others, it is not called a livelock.
 *
 * The same holds for plain accesses to a thread's own stack: what changes there may be in
 * registers, and a statement of a helper, which touches shared data too, repeats itself in long
 * work.  Where all accesses are steps, one that reads a variable again that its thread has not
 * written waits for it.
 *
 * Plain accesses that the compiler announces have no values, and may be no steps.  Those that write
 * count all the same if they bring something new to memory that is not the thread's stack: the
 * words of locks alone have few values, however long the work behind them takes.
 *
 * The place of a livelock is the first one, in the order of reports, at which something is tried in
 * vain, so each loop of a test is one finding, wherever in it the limit comes.
 *
 * Optimised: less, few executions come here.
 */
#ifndef RFI_ENGINE_TAIL_H
#define RFI_ENGINE_TAIL_H
#include "engine/state.h"

#ifdef RFI_IMPL
# define RFI_TAIL_BITS 262144u
# define RFI_TAIL_OWN  4096u

RFI_VAR struct rfi_tail {
    uint64_t seen[RFI_TAIL_BITS / 64]; /* hashes of operations */
    uint64_t fresh[2];                 /* new ones in each of the last eighths */
    /* Of accesses to a thread's own stack, by hash of the address, and of the statement. */
    uint32_t accesses, written[RFI_TAIL_OWN], read[RFI_TAIL_OWN];
    bool tried;
    const rf_site *site; /* where something was tried, */
    uint32_t thread;     /* by whom */
} rfi_tail;

/* From here on. */
RFI_FN RFI_COLD void rfi_tail_begin(void) {
    memset(&rfi_tail, 0, sizeof rfi_tail);
    rfi.observed |= RFI_TAIL;
    rfi.run.uniform = NULL; /* some decisions are to be fair */
    rfi_hot.arm = rfi_arm_all;
}

/* Is it work of the running thread, on its own stack? */
RFI_FN bool rfi_tail_works(const rf_event *e) {
    const rfi_fiber *f = &rfi.thread[e->thread]->fiber;
    const char *p = (const char *)e->addr;
    if (e->flags & RF_EV_ATOMIC || p < (const char *)f->stack_low ||
        p >= (const char *)f->stack_high)
        return false;
    uint64_t h = rfi_mix((uint64_t)(uintptr_t)p);
    uint32_t *written = &rfi_tail.written[h % RFI_TAIL_OWN], now = ++rfi_tail.accesses;
    if (e->kind == RF_EV_STORE) *written = now;
    uint32_t *read = &rfi_tail.read[rfi_mix(h + rfi_site_key(e->site)) % RFI_TAIL_OWN];
    bool again = e->kind == RF_EV_LOAD && *read > *written;
    *read = now;
    return !again || !(rfi.mode & RFI_POINT);
}

/* May it be repeated because it was of no use? */
RFI_FN bool rfi_tail_tries(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE: return !rfi_tail_works(e);
    case RF_EV_RMW:
    case RF_EV_TRYFAIL:
    case RF_EV_YIELD:
    case RF_EV_SLEEP:
    case RF_EV_CALL: return true;
    case RF_EV_PARK:
    case RF_EV_WAKE: return e->value != RF_WAKE_SIGNAL;
    default: return false;
    }
}

/* Something with this hash was done. */
RFI_FN RFI_COLD void rfi_tail_done(uint64_t h) {
    uint64_t most = rfi.plan->max_steps;
    uint64_t *word = &rfi_tail.seen[rfi_mix(h) % RFI_TAIL_BITS / 64], bit = UINT64_C(1)
                                                                            << (rfi_mix(h) % 64);
    if (rfi.run.steps > most - most / 4)
        rfi_tail.fresh[rfi.run.steps > most - most / 8] += !(*word & bit);
    *word |= bit;
}

/* A plain write that the compiler has announced. */
RFI_FN RFI_COLD void rfi_tail_write(const rfi_thr *t, const rf_site *s, const volatile void *p,
                                    size_t n) {
    const char *at = (const char *)(uintptr_t)p;
    if ((uintptr_t)at < 4096 || n > sizeof(uint64_t)) return;
    if (at >= (const char *)t->fiber.stack_low && at < (const char *)t->fiber.stack_high) return;
    rfi_tail_done(rfi_mix(rfi_site_key(s) + (uint64_t)(uintptr_t)at) + rfi_peek(at, n));
}

/* The running thread has executed an operation. */
RFI_FN RFI_COLD void rfi_tail_event(const rf_event *e) {
    uint64_t h = rfi_mix(rfi_site_key(e->site) * 64 + e->kind), most = rfi.plan->max_steps;
    h = rfi_mix(h + (uint64_t)(uintptr_t)e->addr) + e->object;
    h = rfi_mix(h + rfi_event_other(e));
    if (e->flags & (RF_EV_READS | RF_EV_WRITES)) h += e->value;
    rfi_tail_done(h);
    if (rfi.run.steps <= most - most / 4 || !rfi_tail_tries(e)) return;
    rfi_tail.tried = true;
    const rf_site *first = rfi_tail.site;
    if (first && (e->site == first || !rfi_site_before(e->site, first))) return;
    rfi_tail.site = e->site;
    rfi_tail.thread = e->thread;
}

/* The limit is reached: threads have made progress, or nothing tells that they have not. */
RFI_FN bool rfi_tail_progress(void) {
    if (!(rfi.observed & RFI_TAIL)) return false;
    return (rfi_tail.fresh[0] && rfi_tail.fresh[1]) || !rfi_tail.tried;
}
#endif
#endif
