/* engine/given.h: what a strategy that knows memory itself is told, and does.
 *
 * Under such a strategy (rf_strategy.values) the memory model is off, and accesses go to memory:
 * before it lets a thread go on, the strategy puts there what the thread is to find.
 */
#ifndef RFI_ENGINE_GIVEN_H
#define RFI_ENGINE_GIVEN_H
#include "engine/block.h"
#include "engine/futex.h"
#include "engine/initials.h"
#include "engine/interrupt.h"
#include "engine/footing.h"

#ifdef RFI_IMPL
/* The announced operation of a thread, to be told what it finds. */
RFI_FN rf_event *rfi_given_event(uint32_t t) { return &rfi.thread[t]->next; }
/* What is compared, if it is a compare-exchange; else NULL. */
RFI_FN rfi_compare *rfi_given_compare(uint32_t t) { return rfi.thread[t]->compare; }
/* What a wake-up at a futex is to do; NULL: it is none. */
RFI_FN const rfi_waking *rfi_given_waking(uint32_t t) { return rfi.thread[t]->waking; }
/* Is memory to be sequentially consistent?  Have release sequences C++20's length? */
RFI_FN bool rfi_given_sc(void) { return rfi.plan->memory.atomics == RF_MEM_SC; }
RFI_FN bool rfi_given_cxx20(void) { return rfi.plan->memory.cxx20; }
RFI_FN unsigned rfi_given_type(uint32_t object) { return rfi.object[object - 1].type; }
/* The object's state, as explorers count it: the tokens of a semaphore, how many a barrier is for.
 */
RFI_FN rfi_word rfi_given_state(uint32_t object) {
    const rfi_object *o = rf_object_address(object);
    rfi_word w = {0, 0};
    if (!object || rfi_given_type(object) == RFI_FUTEX_WORD) return w; /* the program's memory */
    if (o->type == RFI_SEM) w.low = ((const rf_sem *)(const void *)o)->count;
    if (o->type == RFI_BARRIER) w.high = ((const rf_barrier *)(const void *)o)->parties;
    return w;
}
/* Could somebody who tries for it have it? */
RFI_FN bool rfi_given_free(const rf_event *e) {
    const void *o = rf_object_address(e->object);
    const rf_rwlock *l = o;
    switch (((const rfi_object *)o)->type) {
    case RFI_SEM: return ((const rf_sem *)o)->count;
    case RFI_RWLOCK: return !l->writer && !(e->flags & RF_EV_SHARED ? l->ahead : l->readers);
    case RFI_SPIN: return !((const rf_spin *)o)->owner;
    default: return !((const rf_mutex *)o)->owner;
    }
}
/* Its thread will not have it. */
RFI_FN void rfi_given_refused(uint32_t t) { rfi.thread[t]->refused = true; }
/* Has the wait of a thread ended, or will it by itself? */
RFI_FN bool rfi_given_notified(uint32_t t) { return rfi.thread[t]->notified; }
/* What does it go on from behind the read that it has announced?  0: that is not known. */
RFI_FN uint64_t rfi_given_footing(uint32_t t) { return rfi_footing_of(rfi.thread[t]); }
/* The same, to be looked at later; NULL: it is not known.  It lives in the arena. */
RFI_FN const rfi_footed *rfi_given_footed(uint32_t t, rfi_arena *a) {
    return rfi_footing_keep(rfi.thread[t], a);
}
/* Does what is there belong to that, while it is in use? */
RFI_FN bool rfi_given_kept(uint32_t t, const void *there) {
    const rfi_thr *x = rfi.thread[t];
    uintptr_t at = (uintptr_t)there;
    return !x->footing.deep && at >= (uintptr_t)x->fiber.stack_low &&
           at < (uintptr_t)x->footing.top;
}
/* Is it on the stack of a thread that has ended, or of a function that has returned?  Who uses that
 * fails. */
RFI_FN bool rfi_given_ended(const void *p) {
    uint32_t owner;
    return rfi_stack_wrong(p, &owner) != RF_DIAG_NONE;
}
/* Where its stack ends, and where it begins. */
RFI_FN uintptr_t rfi_given_stack(uint32_t t, uintptr_t *low) {
    *low = (uintptr_t)rfi.thread[t]->fiber.stack_low;
    return (uintptr_t)rfi.thread[t]->fiber.stack_high;
}
/* May it end by itself? */
RFI_FN bool rfi_given_timed(uint32_t t) { return rfi.thread[t]->timed; }
/* Does it wait without an end by itself, since that was the end of its last wait? */
RFI_FN bool rfi_given_tired(uint32_t t) { return rfi.thread[t]->tired; }
/* What outside of the program is a thread about to wait for? */
RFI_FN rfi_awaited rfi_given_outside(uint32_t t) { return (rfi_awaited)rfi.thread[t]->outside; }
/* By which function? */
RFI_FN const char *rfi_given_called(uint32_t t) { return rfi.thread[t]->called; }
/* Has what the program did depended on how fast other processes are? */
RFI_FN bool rfi_given_by_others(void) { return *rfi.record->asks[RFI_ASKS_WHEN]; }
/* The i-th of those that wait for a condition; or of those at a futex that one is chosen of. */
RFI_FN uint32_t rfi_given_waiter(uint32_t object, uint32_t i) {
    const void *o = rf_object_address(object);
    if (rfi_given_type(object) == RFI_FUTEX_WORD)
        return rfi_parked(rfi_futexes.from, rfi_futexes.bits, i);
    uint32_t w = ((const rfi_object *)o)->waiters;
    while (i--) w = rfi.thread[w - 1]->queue_next;
    return w - 1;
}
/* May every time-out pass whenever it could? */
RFI_FN bool rfi_given_any_time(void) { return !rfi.plan->late; }
/* Is there one core, with interrupts or masks? */
RFI_FN bool rfi_given_interrupts(void) {
    return rfi_irq.generation == rfi.generation || rfi.run.strikes || rfi.run.ranked;
}
/* By which function did something happen to a thread that none of its steps, nor of others, tells?
 * NULL: nothing did. */
RFI_FN const char *rfi_given_meddles(void) { return rfi.run.meddles; }
/* The same of cancellation, and of signals that have a handler, and of timers that send them, for
 * which each thread looks by steps in executions that begin with rfi_given_look_for. */
RFI_FN bool rfi_given_unlooked(unsigned what) { return rfi.run.unlooked & what; }
RFI_FN void rfi_given_look_for(unsigned what) {
    rfi.run.ends = what & RFI_FOR_ENDS;
    rfi.run.catches = what & RFI_FOR_SIGNALS;
    rfi.run.timers = what & RFI_FOR_TIMERS;
}
/* The signal that was sent, which makes it meddle until rfi_given_sent; or that is to be chosen,
 * plus when (rfi_offer).  The n-th one for a thread, or for the process, has the same key in
 * all executions.  0: none. */
RFI_FN uint64_t rfi_given_sends(void) { return rfi.run.sends; }
RFI_FN uint64_t rfi_given_offers(void) { return rfi.run.offers; }
RFI_FN void rfi_given_sent(void) {
    rfi.run.sends = 0;
    rfi.run.meddles = NULL;
}
/* Of the handler that it has last taken: so many events it had made when that began, and 1 more,
 * and when it ended; 0: none did. */
RFI_FN uint32_t rfi_given_handles(uint32_t t, uint32_t *ended) {
    *ended = rfi.thread[t]->handled;
    return rfi.thread[t]->handles;
}
/* Was something chosen that others are chosen for? */
RFI_FN bool rfi_given_vain(void) { return rfi.run.meddles == rfi_in_vain; }
/* Does a timer send again and again, or where time-outs do not pass at any time? */
RFI_FN bool rfi_given_endless(void) { return rfi.run.meddles == rfi_endless; }
RFI_FN bool rfi_given_untimely(void) { return rfi.run.meddles == rfi_untimely; }
/* Does one wait who was cancelled, and goes on waiting, or who has chosen that he would be, and was
 * not; or is there a signal for one that waits, or none for one that has chosen it? */
RFI_FN RFI_COLD bool rfi_given_ends_otherwise(void) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        bool woken = t->next.kind == RF_EV_WAKE && t->notified; /* waits for the mutex alone */
        if (!t->finished && rfi.run.untaken && rfi.run.untaken(t)) return true;
        if (t->finished || !t->ends || t->next.site != t->ends_at || woken) continue;
        if (t->ends->count || t->next.object == t->ends->object.number) return true;
    }
    return false;
}
/* Which thread was created just before it to do the same?  RFI_NO_THREAD: none. */
RFI_FN uint32_t rfi_given_twin(uint32_t t) { return rfi.thread[t]->twin - 1; }
/* Has every other thread that was created ended? */
RFI_FN bool rfi_given_alone(void) { return rfi.run.live == rfi.run.sources + 1; }
/* Does it count which calls had returned when others were made? */
RFI_FN bool rfi_given_in_time(void) { return rfi.plan->in_time; }
/* How many rounds of a loop are explored; 0: all. */
RFI_FN uint32_t rfi_given_unroll(void) { return rfi.plan->unroll; }
/* The choice is one of the program's inputs, and not of what its last step does. */
RFI_FN bool rfi_given_input(void) { return rfi_choosing == RFI_CHOOSING_INPUT; }
/* It is which store an atomic reads. */
RFI_FN bool rfi_given_reads(void) { return rfi_choosing == RFI_CHOOSING_VALUE; }
/* Could an atomic not read what has been forgotten? */
RFI_FN bool rfi_given_forgot(void) {
    return rfi.modelled && !rfi_given_sc() && rfi_model.core.forgot;
}
/* Does it begin with other values than others, as the test does not set them? */
RFI_FN bool rfi_given_kept_state(void) { return rfi_initials.differ; }
/* Are plain accesses announced, as far as is known? */
RFI_FN bool rfi_given_sight(void) { return rfi_sees_accesses() || rfi.record->plain; }
/* The thread whose number is free with this event, for another one (hook/threads.h), or
 * RFI_NO_THREAD. */
RFI_FN uint32_t rfi_given_number(const rf_event *e) {
    uint32_t t = e->kind == RF_EV_EXIT ? e->thread : e->other;
    bool joined = e->kind == RF_EV_JOIN, detached = e->kind == RF_EV_DETACH;
    if (!rfi.record->hooked || !(joined || detached || e->kind == RF_EV_EXIT)) return RFI_NO_THREAD;
    return joined || (rfi.thread[t]->finished && rfi.thread[t]->detached) ? t : RFI_NO_THREAD;
}
/* Functions that the program calls and nobody watches, as racefuzz-cc says: "feof(), hsearch()". By
 * these threads may tell each other something: then all orders of the rest are not all. */
extern const char rfi_calls_unwatched[] __attribute__((weak));
RFI_FN const char *rfi_given_unwatched(void) { return rfi_calls_unwatched; }
/* What was given back could have been given out again, in an execution that is no other one. */
RFI_FN void rfi_given_unused(void) { rfi_unused(); }
/* The running thread. */
RFI_FN uint32_t rfi_given_thread(void) { return rfi.current->id; }
/* Is it right to end here, with the threads that are left? */
RFI_FN bool rfi_given_may_end(void) { return rfi_end_due(); }
/* Does its step belong to the one before? */
RFI_FN bool rfi_given_goes_on(uint32_t t) { return rfi.thread[t]->whole; }
/* Did the execution end although threads had something to do? */
RFI_FN bool rfi_given_cut(void) { return rfi.record->unfinished || rfi.record->stopped; }
/* Has it come to its end, and somebody still waits? */
RFI_FN bool rfi_given_left(void) {
    bool last = rfi.run.ender || rfi.run.whole; /* who ends a program is one of them */
    return rfi.run.live > rfi.run.sources + last;
}
/* How many steps it may still have. */
RFI_FN uint64_t rfi_given_steps(void) {
    uint64_t most = rfi_end_due() ? rfi.record->limit : rfi.plan->max_steps;
    return most > rfi.run.steps ? most - rfi.run.steps : 0;
}
/* Somebody waits in a loop. */
RFI_FN void rfi_given_waits(void) { rfi.record->waits = true; }
/* The search that the execution belongs to (rfi_record). */
RFI_FN void rfi_given_search(uint64_t number) { rfi.record->search = number; }
/* How much has it noted for its token, if all?  0: not all.  From here on that alone counts. */
RFI_FN uint32_t rfi_given_noted(void) { return rfi.record->used_more ? 0 : rfi.record->used_bytes; }
RFI_FN void rfi_given_note_only(uint32_t bytes) {
    rfi.record->used_bytes = bytes;
    rfi.record->used_more = false;
}
/* Ends it where it stands, without a failure. */
RFI_FN RFI_NORETURN void rfi_given_up(void) {
    rfi.record->given_up = true;
    rfi_go_home();
}
/* The same: those that are left wait for ever. */
RFI_FN RFI_NORETURN void rfi_given_livelock(void) {
    if (rfi_end_due()) rfi_end_instead(rfi.current); /* no failure, then */
    rfi_end_waiting();
}
#endif
#endif
