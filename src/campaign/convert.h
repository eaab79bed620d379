/* campaign/convert.h: an execution of any explorer, told by the bytes of explore/input.h.
 *
 * The execution is replayed, and what it decides is noted: whose each scheduled operation is, which
 * value each read returned, what was chosen (engine/tape.h).  Then this strategy executes the same
 * as inputs do, and writes down the bytes by which the strategy `input` would have decided so. With
 * inputs every access is a scheduling point; at those that were none before, the same thread goes
 * on.  Behind its last operation that was scheduled a thread may have made some of these, which the
 * tape does not tell: both is tried.  What inputs do not decide (older values of racing plain data,
 * time that passes early) can't be told by them, so the bytes have to be tried.
 */
#ifndef RFI_CAMPAIGN_CONVERT_H
#define RFI_CAMPAIGN_CONVERT_H
#include "engine/behaviour.h"
#include "engine/learn.h"
#include "explore/input.h"

#ifdef RFI_IMPL
typedef struct rfi_convert_state {
    rfi_tape *tape;
    uint32_t step, choice, spurious; /* how far it is */
    rfi_choices course;
    uint32_t *next; /* by thread: a step that is not behind its next one */
    uint32_t threads;
    uint64_t scheduled[RFI_POINT_WORDS]; /* statements whose accesses were scheduled */
    bool astray;                         /* something else was executed */
    bool eager; /* behind its last scheduled operation a thread goes on to the next such one */
} rfi_convert_state;

RFI_VAR rfi_convert_state rfi_convert_of;

RFI_FN void rfi_convert_begin(uint64_t seed) {
    rfi_convert_state *s = &rfi_convert_of;
    (void)seed;
    s->step = s->choice = s->spurious = 0;
    s->astray = false;
    memset(s->scheduled, 0, sizeof s->scheduled);
    for (uint32_t i = 0; i < s->tape->steps; i++)
        rfi_points_add(s->scheduled, s->tape->step[i].code);
    s->course = (rfi_choices){.last = UINT32_MAX};
    if (s->threads) memset(s->next, 0, s->threads * sizeof *s->next);
}

/* Option `value` of n, as rfi_input_choose reads it. */
RFI_FN uint32_t rfi_convert_put(uint32_t n, uint32_t value) {
    for (uint32_t i = rfi_input_bytes(n); i; i--) {
        uint8_t byte = (uint8_t)(value >> 8 * (i - 1));
        (void)rf_used(&byte, 1);
    }
    return value;
}

RFI_FN bool rfi_convert_is(const rfi_tape_step *step, const rf_event *e) {
    return step->thread == e->thread && step->kind == e->kind &&
           step->code == rfi_event_statement(e);
}

/* The next scheduled operation of a thread, behind its start; NULL: it had none. */
RFI_FN const rfi_tape_step *rfi_convert_next(rfi_convert_state *s, uint32_t thread) {
    s->next = rfi_grow(s->next, &s->threads, thread + 1, sizeof *s->next);
    uint32_t *i = &s->next[thread];
    if (*i < s->step) *i = s->step;
    while (*i < s->tape->steps &&
           (s->tape->step[*i].thread != thread || s->tape->step[*i].kind == RF_EV_START))
        ++*i;
    return *i < s->tape->steps ? &s->tape->step[*i] : NULL;
}

/* Was an operation of this kind no scheduling point before? */
RFI_FN bool rfi_convert_passed(const rfi_convert_state *s, const rf_event *e) {
    bool plain = rfi_behaviour_memory(e) && !(e->flags & (RF_EV_ATOMIC | RF_EV_RACY));
    return e->kind == RF_EV_START ||
           (plain && !rfi_points_have(s->scheduled, rfi_event_statement(e)));
}

/* Does a thread stand where its next scheduled operation is? */
RFI_FN bool rfi_convert_there(rfi_convert_state *s, uint32_t thread) {
    const rfi_tape_step *own = rfi_convert_next(s, thread);
    const rf_event *next = rf_next_event(thread);
    return own ? rfi_convert_is(own, next) : !s->eager || !rfi_convert_passed(s, next);
}

/* Who goes on: first of all the thread of the last step, up to an operation that was scheduled. The
 * start of a thread may have been such a step, behind which it came so far. */
RFI_FN uint32_t rfi_convert_thread(rfi_convert_state *s, const rf_choice *c) {
    if (rf_choice_has(c, c->last) && !rfi_convert_there(s, c->last)) return c->last;
    while (s->step < s->tape->steps && s->tape->step[s->step].kind == RF_EV_START &&
           rf_choice_has(c, s->tape->step[s->step].thread) &&
           rfi_convert_there(s, s->tape->step[s->step].thread))
        s->step++;
    if (s->step == s->tape->steps) return s->course.first;
    uint32_t wanted = s->tape->step[s->step].thread;
    return rf_choice_has(c, wanted) ? wanted : s->course.first;
}

RFI_FN uint32_t rfi_convert_pick(const rf_choice *c) {
    rfi_convert_state *s = &rfi_convert_of;
    rfi_choices_look(&s->course, c);
    uint32_t thread = rfi_convert_thread(s, c);
    (void)rfi_convert_put(c->count, rfi_rank_of(&s->course, c, thread));
    return thread;
}

RFI_FN uint32_t rfi_convert_choose(uint32_t n) {
    rfi_convert_state *s = &rfi_convert_of;
    const rfi_tape_step *now = s->step < s->tape->steps ? &s->tape->step[s->step] : NULL;
    uint32_t value = 0;
    if (rfi_choosing == RFI_CHOOSING_VALUE)
        value = now ? now->stale : 0;
    else if (rfi_choosing != RFI_CHOOSING_CHANCE)
        value = s->choice < s->tape->choices ? s->tape->choice[s->choice++] : 0;
    else if (n == RFI_SPURIOUS_ONE)
        value = s->spurious < s->tape->spurious && s->tape->happens[s->spurious++];
    else /* a spinner could run on */
        value = now && now->thread == rfi.current->id;
    return rfi_convert_put(n, value < n ? value : n - 1);
}

RFI_FN void rfi_convert_executed(const rf_event *e) {
    rfi_convert_state *s = &rfi_convert_of;
    while (s->step < s->tape->steps && s->tape->step[s->step].kind == RF_EV_START &&
           s->tape->step[s->step].thread == e->thread && e->kind != RF_EV_START)
        s->step++;
    if (s->step < s->tape->steps && rfi_convert_is(&s->tape->step[s->step], e))
        s->step++;
    else
        s->astray |= !rfi_convert_passed(s, e);
    s->tape->whole = s->step == s->tape->steps && !s->astray;
}

/* Not by users: it has nothing to execute then. */
RFI_VAR const rf_strategy rfi_convert_strategy = {.name = "input",
                                                  .begin = rfi_convert_begin,
                                                  .pick = rfi_convert_pick,
                                                  .choose = rfi_convert_choose,
                                                  .executed = rfi_convert_executed,
                                                  .serial = true,
                                                  .whole = true};
#endif
#endif
