/* campaign/turns.h: whose the steps of an execution are, noted in its record when it is traced. */
#ifndef RFI_CAMPAIGN_TURNS_H
#define RFI_CAMPAIGN_TURNS_H
#include "engine/state.h"

#ifdef RFI_IMPL
RFI_VAR const rf_strategy *rfi_turns_of;
RFI_VAR uint64_t rfi_turns_preempted; /* at the last step */

RFI_FN RFI_COLD void rfi_tape_executed(const rf_event *e) {
    uint32_t i = rfi_tape_next(&rfi_tape_to->steps), code = rfi_event_statement(e);
    uint32_t stale = e->flags & RF_EV_STALE ? e->origin->hidden : 0;
    if (i < RFI_TAPE)
        rfi_tape_to->step[i] = (rfi_tape_step){e->thread, (uint16_t)e->kind, (uint16_t)code, stale};
}

RFI_FN void rfi_turns_executed(const rf_event *e) {
    rfi_record *r = rfi.record;
    rfi_turn *last = r->turns ? &r->turn[r->turns - 1] : NULL;
    if (rfi_turns_of->executed) rfi_turns_of->executed(e);
    if (RFI_UNLIKELY(rfi_tape_to != NULL)) rfi_tape_executed(e);
    bool preempts = rfi.run.preemptions != rfi_turns_preempted;
    rfi_turns_preempted = rfi.run.preemptions;
    if (!last) memset(r->stepped, 0, sizeof r->stepped);
    if (r->events < RFI_RECORD_EVENTS) r->stepped[r->events / 64] |= UINT64_C(1) << r->events % 64;
    if (last && last->thread == e->thread)
        last->steps++;
    else if (r->turns < RFI_TURNS)
        r->turn[r->turns++] = (rfi_turn){e->thread, 1, last && preempts};
    else
        r->turns_more = true;
}

/* The strategy as it is, but it notes turns in the record. */
RFI_FN const rf_strategy *rfi_turns_noted(const rf_strategy *s) {
    static rf_strategy noted;
    rfi_turns_of = s;
    noted = *s;
    noted.executed = rfi_turns_executed;
    return &noted;
}
#endif
#endif
