/* explore/schedule.h: one schedule, told by where it leaves the usual course, as shrunk tokens have
 * it.
 *
 * The usual course: the thread of the last step goes on; where it can't, the next one in a circle
 * (choices.h).  An exception has three numbers: a thread, how many steps it has made, and who goes
 * on there instead.  Steps are counted by thread, so that an exception stays where it is when
 * others are taken away (campaign/shrink.h).  Values of RF_CHOOSE that are not those drawn stand
 * before them, in threes too: a thread, which of its choices, the value; and before these the
 * scenario of a specified object, as its record has it (spec/scenario.h).  Two other forms no token
 * has: one gives the threads of all steps, the other leaves them to chance.  Executing them yields
 * the exceptions (rf_used).
 */
#ifndef RFI_EXPLORE_SCHEDULE_H
#define RFI_EXPLORE_SCHEDULE_H
#include "explore/choices.h"

#ifdef RFI_IMPL
typedef enum rfi_schedule_form {
    RFI_SCHEDULE_EXCEPTIONS = 1,
    RFI_SCHEDULE_TURNS,
    RFI_SCHEDULE_CHOICES,
    RFI_SCHEDULE_DRAWN,
    RFI_SCHEDULE_SCENARIO /* how many bytes it has, these, and then one of the others */
} rfi_schedule_form;

typedef struct rfi_schedule_state {
    uint8_t *used; /* to be executed */
    uint32_t bytes, capacity, at;
    uint32_t scenario, scenario_bytes; /* where in them; 0: it is drawn */
    rfi_schedule_form form;
    rf_prng stream;        /* where threads are left to chance, */
    uint32_t sticks;       /* and one goes on so many times out of so many + 1 */
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

/* The scenario, if it is told; it is executed like all else. */
RFI_FN void rfi_schedule_open(rfi_schedule_state *s) {
    s->at = s->scenario = s->scenario_bytes = 0;
    if (s->bytes && s->used[0] == RFI_SCHEDULE_SCENARIO) {
        s->at = 1;
        s->scenario_bytes = rfi_schedule_number(s);
        s->scenario = s->at;
        if (s->scenario_bytes > s->bytes - s->at) s->scenario_bytes = s->bytes - s->at;
        s->at += s->scenario_bytes;
        (void)rf_used(s->used, s->at);
    }
    s->form = s->at < s->bytes ? (rfi_schedule_form)s->used[s->at] : RFI_SCHEDULE_EXCEPTIONS;
    s->at++;
}

RFI_FN void rfi_schedule_begin(uint64_t seed) {
    rfi_schedule_state *s = &rfi_schedule_of;
    uint8_t mark = RFI_SCHEDULE_EXCEPTIONS;
    rfi_map_reset(&s->exceptions);
    rfi_map_reset(&s->chosen);
    s->course = (rfi_choices){.last = UINT32_MAX};
    s->stream = (rf_prng){seed};
    s->sticks = (1u << rfi_below(&s->stream, 5)) - 1; /* 0, 1, 3, 7 or 15 */
    s->thread = s->left = 0;
    if (s->threads) memset(s->steps, 0, s->threads * sizeof *s->steps);
    if (s->choosers) memset(s->choices, 0, s->choosers * sizeof *s->choices);
    rfi_schedule_open(s);
    const uint32_t from = s->at - 1;
    if (s->form == RFI_SCHEDULE_CHOICES) {
        rfi_schedule_read(s, &s->chosen, rfi_schedule_number(s));
        (void)rf_used(s->used + from, s->at - from);
        s->form = RFI_SCHEDULE_EXCEPTIONS;
    } else {
        (void)rf_used(&mark, 1);
    }
    if (s->form == RFI_SCHEDULE_EXCEPTIONS) rfi_schedule_read(s, &s->exceptions, UINT32_MAX);
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
RFI_FN uint32_t rfi_schedule_next(rfi_schedule_state *s, const rf_choice *c, uint32_t steps) {
    if (s->form == RFI_SCHEDULE_TURNS) return rfi_schedule_turn(s) ? s->thread : UINT32_MAX;
    if (s->form == RFI_SCHEDULE_DRAWN)
        return rfi_below(&s->stream, s->sticks + 1)
                   ? UINT32_MAX
                   : rf_choice_at(c, rfi_below(&s->stream, c->count));
    const uint64_t *next = rfi_map_find(&s->exceptions, (uint64_t)c->last << 32 | steps);
    return next ? (uint32_t)*next - 1 : UINT32_MAX;
}

RFI_FN uint32_t rfi_schedule_pick(const rf_choice *c) {
    rfi_schedule_state *s = &rfi_schedule_of;
    uint32_t steps = c->last < s->threads ? s->steps[c->last] : 0;
    uint32_t next = rfi_schedule_next(s, c, steps);
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
    if (s->form == RFI_SCHEDULE_TURNS && rfi_schedule_turn(s) && s->thread == e->thread) s->left--;
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
