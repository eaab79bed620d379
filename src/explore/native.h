/* explore/native.h: the machine's own schedules, to compare with.
 *
 * The baseline of most papers: the program runs on real threads without steering.  Here too every
 * logical thread is a real one, and at each decision the thread that the machine offers continues
 * (engine/contest.h): a thread runs until it has to wait, until the kernel takes its processor
 * away, or until a thread on another processor is faster.  What differs: operations happen one at
 * a time, and so does the code between them.
 *
 * Guarantee: none.  What was chosen is what an execution has used (rf_used): how many decisions
 * went the usual way (the thread of the last step, or the next one that can), then which of the
 * other candidates it was, if there were several; numbers of seven bits a byte.  When there is no
 * more room for that, chance decides.  So a replay, which has real threads too, repeats it exactly.
 */
#ifndef RFI_EXPLORE_NATIVE_H
#define RFI_EXPLORE_NATIVE_H
#include "engine/iface.h"

#ifdef RFI_IMPL
# define RFI_NATIVE_NUMBER 5u /* bytes of a number, at most */

RFI_VAR struct {
    rf_prng stream;
    bool recalls, recalled; /* this execution is a replay; the next one is */
    uint32_t usual;         /* decisions since the last one that was not */
    uint32_t written;       /* bytes */
    /* Of a replay. */
    uint8_t record[RF_USED_BYTES];
    uint32_t bytes, at;
    uint32_t ahead; /* decisions until the next one that is not usual; UINT32_MAX: none is */
} rfi_native_state;

/* ---- the record ---- */

/* The place of a candidate among those but the usual one, and the candidate at a place. */
RFI_FN uint32_t rfi_native_place(const rf_choice *c, uint32_t t) {
    return rfi_choice_below(c, t) - (rfi_choice_usual(c) < t);
}

RFI_FN uint32_t rfi_native_at(const rf_choice *c, uint32_t place) {
    uint32_t t = rfi_choice_at(c, place);
    return t < rfi_choice_usual(c) ? t : rfi_choice_at(c, place + 1);
}

RFI_FN void rfi_native_write(uint32_t n) {
    uint8_t bytes[RFI_NATIVE_NUMBER];
    uint32_t length = 0;
    for (; n >= 128; n >>= 7) bytes[length++] = (uint8_t)(n | 128);
    bytes[length++] = (uint8_t)n;
    (void)rf_used(bytes, length);
    rfi_native_state.written += length;
}

/* UINT32_MAX: there is none. */
RFI_FN uint32_t rfi_native_read(void) {
    uint32_t n = 0, shift = 0;
    while (rfi_native_state.at < rfi_native_state.bytes && shift < 7 * RFI_NATIVE_NUMBER) {
        uint8_t byte = rfi_native_state.record[rfi_native_state.at++];
        n |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) return n;
        shift += 7;
    }
    return UINT32_MAX;
}

/* Is there no room for another entry? */
RFI_FN bool rfi_native_full(void) {
    return rfi_native_state.written + 2 * RFI_NATIVE_NUMBER > RF_USED_BYTES;
}

RFI_FN void rfi_native_note(const rf_choice *c, uint32_t t) {
    if (t == rfi_choice_usual(c)) {
        rfi_native_state.usual++;
        return;
    }
    rfi_native_write(rfi_native_state.usual);
    if (c->count > 2) rfi_native_write(rfi_native_place(c, t));
    rfi_native_state.usual = 0;
}

RFI_FN uint32_t rfi_native_repeat(const rf_choice *c) {
    if (rfi_native_state.ahead) {
        rfi_native_state.ahead -= rfi_native_state.ahead != UINT32_MAX;
        return rfi_choice_usual(c);
    }
    uint32_t place = c->count > 2 ? rfi_native_read() : 0;
    rfi_native_state.ahead = rfi_native_read();
    /* other code than that which was recorded may offer fewer */
    return place < c->count - 1 ? rfi_native_at(c, place) : rfi_choice_usual(c);
}

/* ---- the strategy ---- */

RFI_FN void rfi_native_begin(uint64_t seed) {
    rfi_native_state.stream = (rf_prng){seed};
    rfi_native_state.recalls = rfi_native_state.recalled;
    rfi_native_state.recalled = false;
    rfi_native_state.usual = rfi_native_state.written = rfi_native_state.at = 0;
    rfi_native_state.ahead = rfi_native_state.recalls ? rfi_native_read() : 0;
}

RFI_FN uint32_t rfi_native_pick(const rf_choice *c) {
    if (RFI_UNLIKELY(rfi_native_full()))
        return rfi_choice_at(c, rfi_below(&rfi_native_state.stream, c->count));
    uint32_t t = rfi_native_state.recalls ? rfi_native_repeat(c) : rf_choice_offered(c);
    rfi_native_note(c, t);
    return t;
}

RFI_FN void rfi_native_recall(const void *used, size_t bytes) {
    rfi_native_state.recalled = true;
    rfi_native_state.bytes = bytes < RF_USED_BYTES ? (uint32_t)bytes : RF_USED_BYTES;
    if (bytes) memcpy(rfi_native_state.record, used, rfi_native_state.bytes);
}

RFI_VAR rf_strategy rfi_native = {.name = "native",
                                  .help =
                                      "real threads, which the system schedules: to compare with",
                                  .begin = rfi_native_begin,
                                  .pick = rfi_native_pick,
                                  .recall = rfi_native_recall,
                                  .threads = true};
#endif
#endif
