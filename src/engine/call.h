/* engine/call.h: functions that read or change shared state.
 *
 * Each call is an operation.  An address, an object, or a thread identifies the state that it
 * reads or changes, so calls on different state commute.
 */
#ifndef RFI_ENGINE_CALL_H
#define RFI_ENGINE_CALL_H
#include "engine/sched.h"

#ifdef RFI_IMPL
RFI_FN rf_event *rfi_call_begin(const rf_site *s, const char *name) {
    rfi_thr *t = RFI_ME(s);
    t->yields = t->next.site == s ? t->yields + 1 : 1;
    rf_event *e = rfi_announce(t, RF_EV_CALL, s);
    if (t->yields >= RFI_SPIN_REPEAT) rfi_make_lazy(t);
    if (name) rfi.record->kinds |= RFI_NAMED_CALL;
    e->text = name;
    e->other = t->id;
    return e;
}

RFI_FN void rfi_call_end(rf_event *e) {
    rfi_schedule(rfi.current);
    rfi_executed(e);
}

/* It looks at what all threads share, or changes it (`flags`: RF_EV_READS, _WRITES); `what` stands
 * for that. */
RFI_FN void rfi_call(const rf_site *s, const char *name, const void *what, unsigned flags) {
    if (!rfi.current || rfi.quiet) return;
    rf_event *e = rfi_call_begin(s, name);
    e->addr = what;
    e->size = 1;
    e->flags = (uint16_t)(flags | RF_EV_ATOMIC);
    rfi_call_end(e);
}

/* The same of what threads tell each other through the system: `order` is __ATOMIC_RELEASE of who
 * tells, __ATOMIC_ACQUIRE of who is told. */
RFI_FN void rfi_call_told(const rf_site *s, const char *name, const void *what, int order,
                          unsigned flags) {
    static rfi_object outside;
    if (!rfi.current || rfi.quiet) return;
    if (outside.generation != rfi.generation)
        rfi_object_register(&outside, RFI_SIGNAL, s, "a message");
    rf_event *e = rfi_call_begin(s, name);
    e->object = outside.number;
    e->order = (uint8_t)order;
    e->addr = what;
    e->size = 1;
    e->flags = (uint16_t)(flags | RF_EV_ATOMIC);
    rfi_call_end(e);
}

RFI_FN void rfi_call_ordered(const rf_site *s, const char *name, const void *what, int order) {
    rfi_call_told(s, name, what, order, RF_EV_READS | RF_EV_WRITES);
}

/* It looks at an object, or changes it. */
RFI_FN void rfi_call_to(const rf_site *s, const char *name, const rfi_object *o, bool looks) {
    if (!rfi.current || rfi.quiet) return;
    rf_event *e = rfi_call_begin(s, name);
    e->object = o->number;
    e->flags = looks ? RF_EV_SHARED : 0;
    rfi_call_end(e);
}

RFI_FN void rfi_call_on(const rf_site *s, const char *name, const rfi_object *o) {
    rfi_call_to(s, name, o, true);
}

RFI_FN bool rfi_ready_ended(const rfi_thr *t) {
    return t->timed || rfi.thread[t->next.other]->finished;
}

/* Its result depends on how far a thread has come. */
RFI_FN void rfi_call_about(const rf_site *s, const char *name, const rfi_thr *u) {
    if (!rfi.current || rfi.quiet) return;
    rf_event *e = rfi_call_begin(s, name);
    e->other = u->id;
    rfi_call_end(e);
}

/* The same; it waits for the thread's end until a deadline. */
RFI_FN void rfi_call_until(const rf_site *s, const char *name, rfi_thr *u) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    rf_event *e = rfi_call_begin(s, name);
    e->other = u->id;
    e->flags = RF_EV_TIMED;
    if (!u->finished) rfi_due(t);
    if (t->due) rfi_wait_on(t, &u->end, rfi_ready_ended);
    rfi_schedule(t);
    if (t->waits_on) rfi_wait_off(t);
    rfi_due_over(t, !u->finished);
    rfi_executed(e);
}

/* What threads do that is not announced (they get numbers, they use memory that nobody watches):
 * the start of a thread and the way back to its creator may come in any order. */
RFI_FN void rfi_unseen(rf_event *e) {
    e->addr = &rfi.run.threads;
    e->size = 1;
    e->flags = RF_EV_WRITES | RF_EV_ATOMIC;
}
#endif
#endif
