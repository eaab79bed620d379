/* explore/input.h: an execution that bytes decide, for fuzzers.
 *
 * Each choice takes a byte (two or four where there are more options): which thread goes on, which
 * value an atomic load returns, what RF_CHOOSE yields, whom a signal wakes, whether a spinner runs
 * on, whether something happens spuriously.  Options have ranks as in choices.h, and byte b takes
 * the one of rank b modulo their number, so 0 is the usual course: the same thread goes on, memory
 * returns the newest value.  That is also what is done when no bytes are left.  So every input is a
 * valid execution, and bytes behind the last choice mean nothing.
 *
 * What an execution covers is counted in a fuzzer's map: statements, reads-from pairs (of
 * synchronisation objects too: who used it before), and which lock is taken while which is held.
 */
#ifndef RFI_EXPLORE_INPUT_H
#define RFI_EXPLORE_INPUT_H
#include "explore/choices.h"

/* Where a fuzzer counts what an execution covers (api/fuzz.h). */
typedef struct rfi_fuzz_map {
    uint8_t *counter;
    void (*hit)(uint32_t *place); /* not NULL: counts instead, at one of these */
    uint32_t *place;
    uint32_t count; /* a power of two */
} rfi_fuzz_map;

#ifdef RFI_IMPL
typedef struct rfi_input_state {
    const uint8_t *bytes;
    uint8_t *own; /* of a token */
    uint32_t size, at, capacity;
    rfi_choices course;
    const rfi_fuzz_map *map; /* NULL: nobody asks what is covered */
    rfi_map last;            /* place -> statement and thread that wrote it last */
} rfi_input_state;

RFI_VAR rfi_input_state rfi_input_of;

/* The bytes belong to the caller, until the execution has ended. */
RFI_FN void rfi_input_give(const uint8_t *bytes, size_t size, const rfi_fuzz_map *map) {
    rfi_input_of.bytes = bytes;
    rfi_input_of.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    rfi_input_of.map = map;
}

RFI_FN void rfi_input_recall(const void *used, size_t bytes) {
    rfi_input_state *s = &rfi_input_of;
    s->own = rfi_grow(s->own, &s->capacity, (uint32_t)bytes + 1, 1);
    if (bytes) memcpy(s->own, used, bytes);
    rfi_input_give(s->own, bytes, NULL);
}

RFI_FN void rfi_input_begin(uint64_t seed) {
    rfi_input_state *s = &rfi_input_of;
    (void)seed;
    s->at = 0;
    s->course = (rfi_choices){.last = UINT32_MAX};
    if (s->map) rfi_map_reset(&s->last);
}

RFI_FN uint32_t rfi_input_byte(rfi_input_state *s) {
    if (s->at >= s->size) return 0;
    uint8_t byte = s->bytes[s->at++];
    (void)rf_used(&byte, 1);
    return byte;
}

/* A choice of n has so many bytes, the highest first. */
RFI_FN uint32_t rfi_input_bytes(uint32_t n) {
    uint32_t bytes = 0;
    for (uint32_t most = n - 1; most; most >>= 8) bytes++;
    return bytes;
}

RFI_FN uint32_t rfi_input_choose(uint32_t n) {
    uint32_t value = 0;
    for (uint32_t i = rfi_input_bytes(n); i; i--)
        value = value << 8 | rfi_input_byte(&rfi_input_of);
    return value % n;
}

RFI_FN uint32_t rfi_input_pick(const rf_choice *c) {
    rfi_input_state *s = &rfi_input_of;
    rfi_choices_look(&s->course, c);
    return rfi_rank_thread(&s->course, c, rfi_input_choose(c->count));
}

/* ---- what is covered ---- */

RFI_FN void rfi_input_count(const rfi_fuzz_map *m, uint64_t what) {
    uint32_t i = (uint32_t)(rfi_mix(what) >> 32) & (m->count - 1);
    if (m->hit)
        m->hit(&m->place[i]);
    else if (m->counter[i] < UINT8_MAX)
        m->counter[i]++;
}

/* Which locks its thread held when it took this one. */
RFI_FN void rfi_input_locks(const rfi_fuzz_map *m, const rf_event *e, uint64_t here) {
    enum { MOST = 8 };
    rf_lock lock[MOST];
    uint32_t n = rf_thread_locks(e->thread, lock, MOST);
    for (uint32_t i = 0; i < n && i < MOST; i++)
        if (lock[i].object != e->object && lock[i].site)
            rfi_input_count(m, rfi_mix(rfi_site_known_key(lock[i].site) + 2) + here);
}

/* The place, unlike all others, that an event reads or writes; 0: none.  Objects are used one after
 * the other: each use reads from the one before. */
RFI_FN uint64_t rfi_input_place(const rf_event *e) {
    const uint64_t other = RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE);
    if (e->flags & (RF_EV_READS | RF_EV_WRITES)) return (uint64_t)(uintptr_t)e->addr;
    return e->object && !(other & RF_EV_BIT(e->kind)) ? e->object | UINT64_C(1) << 63 : 0;
}

RFI_FN void rfi_input_event(const rf_event *e) {
    rfi_input_state *s = &rfi_input_of;
    if (!s->map || !e->site) return;
    uint64_t here = rfi_site_known_key(e->site), place = rfi_input_place(e), from;
    rfi_input_count(s->map, here);
    if (e->kind == RF_EV_LOCK) rfi_input_locks(s->map, e, here);
    if (!place) return;
    uint64_t *last = rfi_map_at(&s->last, place), self = here << 16 | (e->thread + 1) % 65536;
    bool object = place >> 63;
    from = *last;
    if (e->flags & RF_EV_STALE && e->origin->site)
        from = rfi_site_known_key(e->origin->site) << 16 | (e->origin->thread + 1) % 65536;
    bool others = (from ^ self) & 0xffff && from;
    if (object || e->flags & RF_EV_READS)
        rfi_input_count(s->map, rfi_mix((from >> 16) + others) + here);
    if (object || e->flags & RF_EV_WRITES) *last = self;
}

/* Not by users: what it executes are the bytes of a fuzzer, or of a token. */
RFI_VAR const rf_strategy rfi_input_strategy = {.name = "input",
                                                .begin = rfi_input_begin,
                                                .pick = rfi_input_pick,
                                                .choose = rfi_input_choose,
                                                .events = RF_EV_BIT(RF_EV_COUNT) - 1,
                                                .event = rfi_input_event,
                                                .recall = rfi_input_recall,
                                                .serial = true,
                                                .whole = true};
#endif
#endif
