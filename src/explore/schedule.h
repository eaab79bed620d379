/* explore/schedule.h: one schedule, told by where it leaves the usual course, as shrunk tokens have
 * it.
 *
 * The usual course: the thread of the last step goes on; where it can't, the next one in a circle
 * (choices.h).  An exception has three numbers: a thread, how many steps it has made, and who goes
 * on there instead.  Steps are counted by thread, so that an exception stays where it is when
 * others are taken away (campaign/shrink.h).  Values of RF_CHOOSE that are not those drawn stand
 * before them, in threes too: a thread, which of its choices, the value.  The other form, which no
 * token has, gives the threads of all steps; executing it yields the exceptions (rf_used).
 */
#ifndef RFI_EXPLORE_SCHEDULE_H
#define RFI_EXPLORE_SCHEDULE_H
#include "explore/choices.h"

#ifdef RFI_IMPL
enum { RFI_SCHEDULE_EXCEPTIONS = 1, RFI_SCHEDULE_TURNS, RFI_SCHEDULE_CHOICES };

typedef struct rfi_schedule_state {
    uint8_t *used; /* to be executed */
    uint32_t bytes, capacity, at;
    uint32_t thread, left; /* whose turn it is, and for so many steps */
    rfi_choices course;
    rfi_map exceptions; /* thread and steps -> who goes on, + 1 */
    uint32_t *steps;    /* of each thread, */
    uint32_t *choices;  /* and how often it has chosen */
    uint32_t threads, choosers;
    rfi_map chosen; /* thread and number of the choice -> value, + 1 */
} rfi_schedule_state;

RFI_VAR rfi_schedule_state rfi_schedule_of;

RFI_FN void rfi_schedule_recall(const void *used, size_t bytes) {
    rfi_schedule_state *s = &rfi_schedule_of;
    s->used = rfi_grow(s->used, &s->capacity, (uint32_t)bytes, 1);
    if (bytes) memcpy(s->used, used, bytes);
    s->bytes = (uint32_t)bytes;
}

RFI_FN bool rfi_schedule_by_turns(const rfi_schedule_state *s) {
    return s->bytes && s->used[0] == RFI_SCHEDULE_TURNS;
}

RFI_FN uint32_t rfi_schedule_number(rfi_schedule_state *s) {
    rfi_bytes r = {s->used, s->at, s->bytes, false};
    uint32_t n = rfi_bytes_number(&r);
    s->at = r.at;
    return n;
}

/* Reads n threes, or all. */
RFI_FN void rfi_schedule_read(rfi_schedule_state *s, rfi_map *to, uint32_t n) {
    for (; n && s->at < s->bytes; n--) {
        uint64_t thread = rfi_schedule_number(s), number = rfi_schedule_number(s);
        *rfi_map_at(to, thread << 32 | number) = rfi_schedule_number(s) + UINT64_C(1);
    }
}

RFI_FN void rfi_schedule_begin(uint64_t seed) {
    rfi_schedule_state *s = &rfi_schedule_of;
    uint8_t mark = RFI_SCHEDULE_EXCEPTIONS;
    (void)seed;
    rfi_map_reset(&s->exceptions);
    rfi_map_reset(&s->chosen);
    s->course = (rfi_choices){.last = UINT32_MAX};
    s->thread = s->left = 0;
    s->at = 1;
    if (s->threads) memset(s->steps, 0, s->threads * sizeof *s->steps);
    if (s->choosers) memset(s->choices, 0, s->choosers * sizeof *s->choices);
    if (s->bytes && s->used[0] == RFI_SCHEDULE_CHOICES) {
        rfi_schedule_read(s, &s->chosen, rfi_schedule_number(s));
        (void)rf_used(s->used, s->at);
    } else {
        (void)rf_used(&mark, 1);
    }
    if (!rfi_schedule_by_turns(s)) rfi_schedule_read(s, &s->exceptions, UINT32_MAX);
}

RFI_FN uint32_t rfi_schedule_input(uint32_t thread, uint32_t n, uint32_t usual) {
    rfi_schedule_state *s = &rfi_schedule_of;
    s->choices = rfi_grow(s->choices, &s->choosers, thread + 1, sizeof *s->choices);
    const uint64_t *value = rfi_map_find(&s->chosen, (uint64_t)thread << 32 | s->choices[thread]++);
    return value && *value <= n ? (uint32_t)*value - 1 : usual;
}

/* Whose turn it is, of those that are given. */
RFI_FN bool rfi_schedule_turn(rfi_schedule_state *s) {
    while (!s->left && s->at < s->bytes) {
        s->thread = rfi_schedule_number(s);
        s->left = rfi_schedule_number(s);
    }
    return s->left;
}

/* Who is to go on; UINT32_MAX: whoever usually does. */
RFI_FN uint32_t rfi_schedule_next(rfi_schedule_state *s, uint32_t last, uint32_t steps) {
    if (rfi_schedule_by_turns(s)) return rfi_schedule_turn(s) ? s->thread : UINT32_MAX;
    const uint64_t *next = rfi_map_find(&s->exceptions, (uint64_t)last << 32 | steps);
    return next ? (uint32_t)*next - 1 : UINT32_MAX;
}

RFI_FN uint32_t rfi_schedule_pick(const rf_choice *c) {
    rfi_schedule_state *s = &rfi_schedule_of;
    uint32_t steps = c->last < s->threads ? s->steps[c->last] : 0;
    uint32_t next = rfi_schedule_next(s, c->last, steps);
    rfi_choices_look(&s->course, c);
    if (next == UINT32_MAX || !rf_choice_has(c, next) || next == s->course.first)
        return s->course.first;
    rfi_used_numbers((uint32_t[]){c->last, steps, next}, 3);
    return next;
}

RFI_FN void rfi_schedule_executed(const rf_event *e) {
    rfi_schedule_state *s = &rfi_schedule_of;
    s->steps = rfi_grow(s->steps, &s->threads, e->thread + 1, sizeof *s->steps);
    s->steps[e->thread]++;
    if (rfi_schedule_by_turns(s) && rfi_schedule_turn(s) && s->thread == e->thread) s->left--;
}

/* Not by users: it has nothing to execute then. */
RFI_VAR const rf_strategy rfi_schedule_strategy = {.name = "schedule",
                                                   .begin = rfi_schedule_begin,
                                                   .pick = rfi_schedule_pick,
                                                   .executed = rfi_schedule_executed,
                                                   .input = rfi_schedule_input,
                                                   .recall = rfi_schedule_recall,
                                                   .serial = true};
#endif
#endif
