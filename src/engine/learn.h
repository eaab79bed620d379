/* engine/learn.h: what strategies learn from executions, and what they choose besides threads. */
#ifndef RFI_ENGINE_LEARN_H
#define RFI_ENGINE_LEARN_H
#include "engine/state.h"

#ifdef RFI_IMPL
_Static_assert(RF_LESSON_BYTES % 8 == 0 && RF_LESSON_BYTES < 1 << 17, "lessons are aligned");

RFI_INLINE uint32_t rfi_lesson_size(uint32_t bytes) {
    return (uint32_t)sizeof(rfi_lesson) + (bytes + 7) / 8 * 8;
}

RFI_INLINE uint64_t rfi_lesson_index(const rfi_lesson *l) {
    return (uint64_t)l->high << 32 | l->low;
}

RFI_INLINE rfi_lesson rfi_lesson_of(uint64_t index, uint32_t bytes) {
    return (rfi_lesson){(uint32_t)index, index >> 32 & ((1u << (RFI_INDEX_BITS - 32)) - 1),
                        bytes & ((1u << 17) - 1)};
}

/* The most that an execution teaches. */
RFI_INLINE uint32_t rfi_lesson_most(const rf_strategy *s) {
    return s->lesson && s->lesson < RF_LESSON_BYTES ? s->lesson : RF_LESSON_BYTES;
}

/* The lesson that stands at an offset. */
RFI_INLINE rfi_lesson *rfi_lesson_at(rfi_lessons *l, uint32_t offset) {
    return (rfi_lesson *)(void *)((char *)l->bytes + offset);
}

/* Is there room for another lesson of this size? */
RFI_INLINE bool rfi_lessons_room(const rfi_lessons *l, uint32_t bytes) {
    return l->used + rfi_lesson_size(bytes) <= RFI_LESSON_ROOM;
}

/* The one that follows `offset`, which goes on behind it; NULL: there is none. */
RFI_FN const rfi_lesson *rfi_lessons_next(rfi_lessons *l, uint32_t *offset) {
    if (*offset >= l->used) return NULL;
    const rfi_lesson *next = rfi_lesson_at(l, *offset);
    *offset += rfi_lesson_size(next->bytes);
    return next;
}

RFI_FN void rfi_lessons_add(rfi_lessons *l, uint64_t index, const void *bytes, uint32_t n) {
    if (!rfi_lessons_room(l, n)) return;
    rfi_lesson *to = rfi_lesson_at(l, l->used);
    *to = rfi_lesson_of(index, n);
    memcpy(to + 1, bytes, n);
    l->used += rfi_lesson_size(n);
}

/* An execution begins. */
RFI_FN void rfi_lesson_begin(uint64_t index) {
    rfi.lesson_over = false;
    if (rfi.lessons) *rfi_lesson_at(rfi.lessons, rfi.lessons->used) = rfi_lesson_of(index, 0);
}

/* The execution whose lesson is being written has ended.  One that was cut off teaches nothing:
 * what would have come is still to be explored. */
RFI_FN const rfi_lesson *rfi_lesson_end(rfi_lessons *l, bool cut) {
    rfi_lesson *last = rfi_lesson_at(l, l->used);
    if (cut) *last = rfi_lesson_of(rfi_lesson_index(last), 0);
    l->used += rfi_lesson_size(last->bytes);
    return last;
}

bool rf_teach(const void *bytes, size_t n) {
    if (!rfi.lessons || rfi.lesson_over) return false;
    rfi_lesson *l = rfi_lesson_at(rfi.lessons, rfi.lessons->used);
    if (n > rfi_lesson_most(rfi.strategy) - l->bytes) return false;
    memcpy((char *)(l + 1) + l->bytes, bytes, n);
    *l = rfi_lesson_of(rfi_lesson_index(l), l->bytes + (uint32_t)n);
    return true;
}

bool rf_used(const void *bytes, size_t n) {
    rfi_record *r = rfi.record;
    r->used_more |= n > RF_USED_BYTES - r->used_bytes;
    if (r->used_more) return false;
    memcpy(r->used + r->used_bytes, bytes, n);
    r->used_bytes += (uint32_t)n;
    return true;
}

/* What a strategy that chooses is being asked for. */
RFI_VAR enum {
    RFI_CHOOSING_CHANCE,
    RFI_CHOOSING_VALUE,
    RFI_CHOOSING_INPUT,
    RFI_CHOOSING_ANY
} rfi_choosing;

/* Which of n values an atomic read returns, the newest being the last: for a strategy that chooses
 * that too. */
RFI_FN uint32_t rfi_choose_value(void *unused, uint32_t n) {
    (void)unused;
    rfi_choosing = RFI_CHOOSING_VALUE;
    uint32_t older = rfi.strategy->choose(n);
    rfi_choosing = RFI_CHOOSING_CHANCE;
    return n - 1 - older;
}

/* One of 0 to n - 1: the strategy's choice, or drawn from a stream. */
RFI_FN uint32_t rfi_choose_of(uint32_t n, rf_prng *stream) {
    if (n < 2) return 0;
    rfi_choosing = stream == &rfi.input ? RFI_CHOOSING_INPUT : RFI_CHOOSING_ANY;
    uint32_t i = rfi.strategy->choose ? rfi.strategy->choose(n) : rfi_below(stream, n);
    rfi_choosing = RFI_CHOOSING_CHANCE;
    if (RFI_UNLIKELY(rfi_tape_to != NULL)) rfi_tape_chosen(i);
    if (i >= n) rfi_die("the strategy %s has chosen %u of %u", rfi.strategy->name, i, n);
    return i;
}
#endif
#endif
