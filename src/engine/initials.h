/* engine/initials.h: does each execution begin with the same values?
 *
 * A static variable that the body does not set keeps what the execution before has left there, and
 * a search knows nothing of executions that begin with something else.  So what is read of an
 * atomic that nobody has written in this execution is compared with what others of this process
 * have read there.  What is not static may be another object each time, and is not looked at.
 */
#ifndef RFI_ENGINE_INITIALS_H
#define RFI_ENGINE_INITIALS_H
#include "engine/test.h"
#include "engine/trace.h"

#ifdef RFI_IMPL
enum { RFI_INITIALS_MOST = 1024 }; /* granules that one access touches, or nothing more is known */

RFI_VAR struct rfi_initials {
    const rfi_test *test;
    rfi_map met;   /* granules that this execution has accessed */
    rfi_map print; /* of what was read first, by address and size */
    bool differs;  /* in this execution */
    bool known;    /* which have been accessed */
} rfi_initials;

/* The next executions are of this test. */
RFI_FN void rfi_initials_of(const rfi_test *test) {
    if (rfi_initials.test != test) rfi_map_reset(&rfi_initials.print);
    rfi_initials.test = test;
}

RFI_FN void rfi_initials_begin(void) {
    rfi_map_reset(&rfi_initials.met);
    rfi_initials.differs = false;
    rfi_initials.known = true;
}

/* Is it the first access of these granules? */
RFI_FN bool rfi_initials_first(uintptr_t from, uintptr_t to) {
    bool first = true;
    if (to - from > RFI_INITIALS_MOST) rfi_initials.known = false;
    for (uintptr_t g = from; rfi_initials.known && g <= to; g++) {
        uint64_t *met = rfi_map_at(&rfi_initials.met, g);
        first &= !*met;
        *met = 1;
    }
    return first && rfi_initials.known;
}

RFI_FN void rfi_initials_event(const rf_event *e) {
    uintptr_t at = (uintptr_t)e->addr;
    if (!e->size || !rfi_trace_static(e->addr)) return;
    bool first = rfi_initials_first(at / RFI_GRANULE, (at + e->size - 1) / RFI_GRANULE);
    if (!first || !(e->flags & RF_EV_READS) || !(e->flags & RF_EV_ATOMIC)) return;
    if (rfi_trace_owner(e->addr, e->thread) != RFI_NO_THREAD) return;
    uint64_t *known = rfi_map_at(&rfi_initials.print, rfi_mix(at) + e->size);
    uint64_t print = rfi_mix(e->value) | 1;
    rfi_initials.differs |= *known && *known != print;
    if (!*known) *known = print;
}

/* In the plan of every execution of a search. */
RFI_VAR const rf_analysis rfi_initials_analysis = {
    .name = "initials",
    .help = "what executions begin with",
    .events = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW),
    .begin = rfi_initials_begin,
    .event = rfi_initials_event};
#endif
#endif
