/* engine/tape.h: what an execution has decided, noted step by step, for campaign/convert.h.
 *
 * It lies in memory that all processes share: the execution may crash.  Nobody notes anything
 * unless a token is converted.
 */
#ifndef RFI_ENGINE_TAPE_H
#define RFI_ENGINE_TAPE_H
#include "base/platform.h"

#ifdef RFI_IMPL
# define RFI_TAPE 65536u /* of each kind, at most */

/* A scheduled operation. */
typedef struct rfi_tape_step {
    uint32_t thread;
    uint16_t kind, code; /* its event's; its statement's (rfi_site_code) */
    uint32_t stale;      /* so many newer values were there than the one that it read */
} rfi_tape_step;

typedef struct rfi_tape {
    uint32_t steps, choices, spurious;
    bool more;  /* than there is room for */
    bool whole; /* it was executed again to its end */
    rfi_tape_step step[RFI_TAPE];
    uint32_t choice[RFI_TAPE]; /* what rfi_choose_of has chosen */
    bool happens[RFI_TAPE];    /* what could happen spuriously: did it? */
} rfi_tape;

RFI_VAR rfi_tape *rfi_tape_to; /* where it is noted; NULL: nowhere */

/* The next place of `used` ones; RFI_TAPE: there is none. */
RFI_FN RFI_COLD uint32_t rfi_tape_next(uint32_t *used) {
    rfi_tape_to->more |= *used == RFI_TAPE;
    return *used < RFI_TAPE ? (*used)++ : RFI_TAPE;
}

RFI_FN RFI_COLD void rfi_tape_chosen(uint32_t value) {
    uint32_t i = rfi_tape_next(&rfi_tape_to->choices);
    if (i < RFI_TAPE) rfi_tape_to->choice[i] = value;
}

/* The last choice was another one after all. */
RFI_FN RFI_COLD void rfi_tape_mended(uint32_t value) {
    if (rfi_tape_to->choices) rfi_tape_to->choice[rfi_tape_to->choices - 1] = value;
}

RFI_FN RFI_COLD bool rfi_tape_happens(bool happens) {
    uint32_t i = rfi_tape_next(&rfi_tape_to->spurious);
    if (i < RFI_TAPE) rfi_tape_to->happens[i] = happens;
    return happens;
}
#endif
#endif
