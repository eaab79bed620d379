/* engine/initials.h: does each execution begin with the same values?
 *
 * A static variable that the body does not set keeps what the execution before has left there, and
 * a search knows nothing of executions that begin with something else.  So what is read where
 * nobody has written in this execution is compared with what others of this process have read
 * there.  It counts if it was there from the beginning, and the place is one whose writes are
 * announced: else something may have been written since.  What is not static may be another object
 * each time, and is not looked at.
 */
#ifndef RFI_ENGINE_INITIALS_H
#define RFI_ENGINE_INITIALS_H
#include "engine/test.h"
#include "engine/trace.h"

#ifdef RFI_IMPL
enum { RFI_INITIALS_MOST = 1024 }; /* granules of an access; places that are known */

/* What was read first in some execution, and that or nothing else in this one. */
typedef struct rfi_initial {
    const void *at;
    size_t size;
    uint64_t value, now; /* then; when this execution began */
    bool other, written; /* another one was read; writes are announced */
} rfi_initial;

RFI_VAR struct rfi_initials {
    const rfi_test *test;
    rfi_map met;   /* granules that this execution has accessed */
    rfi_map place; /* number + 1 */
    rfi_initial of[RFI_INITIALS_MOST];
    uint32_t places;
    bool known;  /* which have been accessed */
    bool differ; /* some execution has begun with other values than others */
} rfi_initials;

/* The next executions are of this test. */
RFI_FN void rfi_initials_of(const rfi_test *test) {
    if (rfi_initials.test == test) return;
    rfi_map_reset(&rfi_initials.place);
    rfi_initials.places = 0;
    rfi_initials.differ = false;
    rfi_initials.test = test;
}

RFI_FN void rfi_initials_begin(void) {
    rfi_map_reset(&rfi_initials.met);
    rfi_initials.known = true;
    for (uint32_t i = 0; i < rfi_initials.places; i++) {
        rfi_initial *x = &rfi_initials.of[i];
        x->now = rfi_word_of(x->at, x->size).low;
    }
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

RFI_FN void rfi_initials_read(const rf_event *e) {
    uintptr_t at = (uintptr_t)e->addr;
    bool first = rfi_initials_first(at / RFI_GRANULE, (at + e->size - 1) / RFI_GRANULE);
    if (!first || !(e->flags & RF_EV_READS) || e->size > sizeof e->value) return;
    if (rfi_trace_owner(e->addr, e->thread) != RFI_NO_THREAD) return;
    uint64_t *number = rfi_map_at(&rfi_initials.place, rfi_mix(at) + e->size);
    if (*number) {
        rfi_initial *x = &rfi_initials.of[*number - 1];
        x->other |= e->value != x->value && e->value == x->now;
        rfi_initials.differ |= x->other && x->written;
    } else if (rfi_initials.places < RFI_INITIALS_MOST) {
        rfi_initials.of[rfi_initials.places] =
            (rfi_initial){.at = e->addr, .size = e->size, .value = e->value, .now = e->value};
        *number = ++rfi_initials.places;
    }
}

RFI_FN void rfi_initials_written(const rf_event *e) {
    const uint64_t *number =
        rfi_map_find(&rfi_initials.place, rfi_mix((uintptr_t)e->addr) + e->size);
    if (!number || !*number) return;
    rfi_initials.of[*number - 1].written = true;
    rfi_initials.differ |= rfi_initials.of[*number - 1].other;
}

RFI_FN void rfi_initials_event(const rf_event *e) {
    if (!e->size || !rfi_trace_static(e->addr)) return;
    rfi_initials_read(e);
    if (e->flags & RF_EV_WRITES) rfi_initials_written(e);
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
