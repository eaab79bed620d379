/* engine/rounds.h: loops that change nothing, recognised by what they repeat.
 *
 * A thread that makes step after step while no other makes one, and does the same in each round
 * (operations, statements, places, values read and written), comes back to the state that it began
 * the round in, but for what nobody sees, a bound that it counts to: it spins, however many loads,
 * stores and failed exchanges a round has.  Where others make steps in between, equal loads in a
 * row do (access.h).
 *
 * The last steps are remembered; the candidate for the length of a round grows by one whenever a
 * step is not what the candidate says.
 */
#ifndef RFI_ENGINE_ROUNDS_H
#define RFI_ENGINE_ROUNDS_H
#include "engine/state.h"

#ifdef RFI_IMPL
# define RFI_ROW        16u /* steps in a row of one thread, before it is looked at */
# define RFI_ROUND_MOST 64u /* steps that are remembered: a power of two */

typedef struct rfi_round {
    uint64_t step[RFI_ROUND_MOST]; /* hashes of the last ones */
    uint64_t at;                   /* number of the last one in the execution; 0: there is none */
    uint32_t steps, length, same;  /* so many; of a round; in a row that were the same */
} rfi_round;

RFI_VAR rfi_round rfi_rounds;

/* Steps without effect on others, if they only repeat what was there. */
RFI_FN bool rfi_round_part(const rf_event *e) {
    uint32_t kinds = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) |
                     RF_EV_BIT(RF_EV_FENCE) | RF_EV_BIT(RF_EV_YIELD) | RF_EV_BIT(RF_EV_TRYFAIL);
    return kinds & RF_EV_BIT(e->kind) && !(e->flags & RF_EV_TIMED);
}

RFI_FN uint64_t rfi_round_hash(const rf_event *e) {
    uint64_t h = rfi_mix((uint64_t)(uintptr_t)e->site + e->kind);
    h = rfi_mix(h + (uint64_t)(uintptr_t)e->addr + e->object);
    return rfi_mix(h + e->value) + e->value2;
}

/* An execution knows nothing of those before it. */
RFI_FN void rfi_rounds_begin(void) { rfi_rounds.at = 0; }

RFI_FN bool rfi_round_known(const rfi_round *r) { return r->same >= RFI_SPIN_REPEAT * r->length; }

/* Is the step that was made last one of a loop that is known? */
RFI_FN bool rfi_round_within(const rfi_round *r) {
    return r->at && r->at == rfi.run.steps && rfi_round_known(r);
}

/* Of a round of the loop that is known now. */
RFI_FN uint32_t rfi_round_steps(void) {
    const rfi_round *r = &rfi_rounds;
    return rfi_round_within(r) ? r->length : 1;
}

/* Would `e` be the next step of the round? */
RFI_FN bool rfi_round_next(const rf_event *e) {
    const rfi_round *r = &rfi_rounds;
    return rfi_round_within(r) &&
           r->step[(r->steps - r->length) % RFI_ROUND_MOST] == rfi_round_hash(e);
}

/* The running thread has executed `e`.  True: that was one more round. */
RFI_FN RFI_APART bool rfi_round_again(const rf_event *e) {
    rfi_round *r = &rfi_rounds;
    bool goes_on = r->at + 1 == rfi.run.steps && rfi.run.steps > rfi.run.row + 1;
    r->at = rfi_round_part(e) ? rfi.run.steps : 0;
    if (!goes_on) r->steps = r->same = 0, r->length = 1;
    if (!r->at) return false;
    uint64_t h = rfi_round_hash(e);
    bool same = r->steps >= r->length && r->step[(r->steps - r->length) % RFI_ROUND_MOST] == h;
    r->step[r->steps++ % RFI_ROUND_MOST] = h;
    r->same = same ? r->same + 1 : 0;
    if (!same) r->length = r->length % (RFI_ROUND_MOST - 1) + 1;
    return same && rfi_round_known(r) && r->same % r->length == 0;
}
#endif
#endif
