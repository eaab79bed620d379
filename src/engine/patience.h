/* engine/patience.h: spinners that run on, and threads that run to their end.
 *
 * A spinner is held back until another thread has made a step (sched.h), so a waiting loop costs
 * little and starves no thread.  But a loop may be bounded, and its thread gives up on a machine
 * that runs no other thread.  So a spinner may continue alone while others are enabled:
 * enumerating strategies treat this as a choice, under the others it happens at random in some
 * executions.  It continues until it makes another operation (it has given up and is no spinner
 * any more), or for a number of rounds after which it is held back again as if it had never
 * continued (`repeats`).
 *
 * No strategy has much of a chance to run a thread of thousands of steps entirely before another
 * one.  So some executions have no preemption: a thread runs for as long as it can, and where it
 * can't, and after a creation, a number says who is next.  They are spread among the first
 * executions, since most tests need few.  Where the first two executions were long, each thread
 * runs entirely before all others in some of those that follow (`opening`), and in one the newest
 * that can.  A strategy may also give an order of priority (rf_run_serially).
 *
 * Invariant: both leave half of the step limit to fair scheduling, so no livelock is theirs.
 */
#ifndef RFI_ENGINE_PATIENCE_H
#define RFI_ENGINE_PATIENCE_H
#include "engine/rounds.h"
#include "engine/time.h"

#ifdef RFI_IMPL
# define RFI_ALONE_ROUNDS  128u /* of a loop, until it is taken for one without a bound */
# define RFI_ALONE_EVERY   8u   /* one execution in so many has spinners that run on, */
# define RFI_ALONE_MORE    4u   /* or so many of them, */
# define RFI_ALONE_LATER   30u  /* behind those that find most bugs beside spinners; */
# define RFI_ALONE_CHANCE  2u   /* one spinner in so many does, */
# define RFI_ALONE_STINTS  2u   /* at most so often */
# define RFI_ALONE_FIRST   16u  /* decisions in the first round, perhaps, if it began at once */
# define RFI_ALONE_DOUBLED 6u   /* 8 rounds, so often at most */
# define RFI_SERIALS       10u  /* executions without a preemption, */
# define RFI_OPENING       10u  /* and so many where executions are long */

RFI_INLINE bool rfi_half_way(void) { return rfi.run.steps > rfi.plan->max_steps / 2; }

/* ---- executions without a preemption ---- */

/* The number of such an execution, from 1, in the order of their indices: 15, 31, 63 ...; 0: it
 * is another one. */
RFI_FN uint32_t rfi_serial_number(uint64_t index) {
    uint64_t n = (index + 1) / 16;
    if ((index + 1) % 16 || !n || n & (n - 1)) return 0;
    uint32_t number = (uint32_t)__builtin_ctzll(n) + 1;
    return number <= RFI_SERIALS ? number : 0;
}

/* How far such an execution is behind the first ones, where these were long: 2, 6, 14, 22 ...  Most
 * bugs are found in fewer executions than there are of them. */
RFI_FN uint32_t rfi_opening_behind(uint32_t number) { return number == 1 ? 2 : 8 * number - 10; }

/* Its number, from 1; 0: it is another one.  `first` - 1 is the index from which on they count; 0:
 * there are none. */
RFI_INLINE uint32_t rfi_opening_number(uint64_t first, uint64_t index) {
    uint64_t behind = index + 1 - first;
    if (!first || index + 1 < first || behind > rfi_opening_behind(RFI_OPENING)) return 0;
    return behind == 2 ? 1 : behind % 8 == 6 ? (uint32_t)(behind + 10) / 8 : 0;
}

void rf_run_serially(const uint32_t *order, uint32_t n) {
    rfi.run.serial = true;
    rfi.run.serial_threads = 1;
    rfi.run.order = order;
    rfi.run.ordered = n;
}

/* Number 1: the first thread runs, then the others, ascending; 2: always the newest that can; 3:
 * the first one, then the others, descending; 4, 5 ...: the first one, then thread 2, 3 ..., then
 * the others, ascending; if there is no such thread, or it is the last one, `free` was chosen. */
RFI_FN RFI_COLD uint32_t rfi_opening_pick(const rf_choice *c, uint32_t free) {
    rfi_run *r = &rfi.run;
    uint32_t k = r->opening - 2;
    if (r->opening == 2) return rfi_choice_at(c, c->count - 1);
    if (rf_choice_has(c, c->last)) return c->last;
    if (r->opening == 3) return rfi_choice_at(c, c->count - 1);
    if (r->opening == 1 || (k + 1 < r->threads && !rf_choice_has(c, k))) return rfi_choice_at(c, 0);
    if (k + 1 < r->threads) return k;
    r->serial = false;
    r->stints = 0;
    return free;
}

/* Who goes on.  The order tells it, or the digits of the number, to the base of the candidates that
 * there are. */
RFI_FN RFI_COLD uint32_t rfi_serial_pick(const rf_choice *c, uint32_t free) {
    rfi_run *r = &rfi.run;
    bool created = r->serial_threads != r->threads;
    r->serial_threads = r->threads;
    if (r->opening) return rfi_opening_pick(c, free);
    for (uint32_t i = 0; i < r->ordered; i++)
        if (rf_choice_has(c, r->order[i])) return r->order[i];
    if (r->order) return rfi_choice_at(c, 0);
    uint32_t last = rfi_choice_below(c, c->last);
    if (!created && rf_choice_has(c, c->last)) return c->last;
    uint32_t digit = r->serial_left % c->count;
    r->serial_left /= c->count;
    return rfi_choice_at(c, (last + digit) % c->count);
}

/* ---- spinners that run on ---- */

RFI_FN void rfi_patience_begin(const rfi_plan *p, uint64_t index, rf_prng *chance) {
    const rf_strategy *s = p->strategy;
    rfi_run *r = &rfi.run;
    r->hints = RFI_HINT_REPEAT;
    rfi_rounds_begin();
    if (p->checker) return;
    if (s->serial && s->choose) {
        r->stints = UINT32_MAX;
        return;
    }
    uint32_t number = p->serials ? rfi_serial_number(index) : 0;
    r->opening = p->serials ? rfi_opening_number(p->opening, index) : 0;
    r->serial = number || r->opening;
    r->serial_left = number ? number - 1 : 0;
    r->serial_threads = 1;
    uint32_t drawn = r->serial ? 0 : rfi_below(chance, RFI_ALONE_EVERY);
    bool more = p->serials && s->learn && index >= RFI_ALONE_LATER; /* it learns what pays */
    bool some = drawn < (more ? RFI_ALONE_MORE : 1);
    r->stints = r->serial ? UINT32_MAX : some ? RFI_ALONE_STINTS : 0;
    /* most hints are in loops, so the first one counts; not where time passes when nobody else can
     * go on, which it would take to be so */
    r->hints = drawn < 2 || p->late ? RFI_HINT_REPEAT : 1;
}

/* From 8 on, mostly few; every number of tries is exceeded now and then. */
RFI_FN uint32_t rfi_alone_rounds(void) {
    uint32_t doubled = rfi_below(&rfi.patience, 4);
    while (doubled >= 3 && doubled < RFI_ALONE_DOUBLED && !rfi_below(&rfi.patience, 2)) doubled++;
    return 8u << doubled;
}

/* `t` was found to spin: does it run on? */
RFI_FN RFI_COLD void rfi_alone_begin(rfi_thr *t) {
    rfi_run *r = &rfi.run;
    if (r->alone || rfi_half_way() || rfi_other_goes_on(t) == RFI_NO_THREAD) return;
    uint32_t steps = rfi_round_period(t), rounds = RFI_ALONE_ROUNDS / (steps ? steps : 1);
    r->longest = 0;
    if (r->serial) {
        /* it does */
    } else if (r->eager) {
        r->eager = false;
        r->stints--;
        r->longest = RFI_ALONE_FIRST;
        rounds = rfi_alone_rounds();
    } else if (rfi.strategy->serial && rfi.strategy->choose) {
        if (!rfi.strategy->choose(2)) return;
    } else {
        if (rfi_below(&rfi.patience, RFI_ALONE_CHANCE)) return;
        r->stints--;
        rounds = rfi_alone_rounds();
    }
    r->alone = t->id + 1;
    r->rounds = rounds;
    r->round = 0;
}

/* The same at what may be the first round of a loop that waits: only few threads are found to spin
 * while others still have what they wait for before them.  True: it runs on. */
RFI_FN RFI_COLD bool rfi_alone_at_once(const rfi_thr *t) {
    rfi_run *r = &rfi.run;
    bool drawn = !r->serial && !(rfi.strategy->serial && rfi.strategy->choose);
    if (!drawn || r->alone || rfi_half_way() || rfi_in(rfi.lazy, t->id) ||
        rfi_other_goes_on(t) == RFI_NO_THREAD)
        return false;
    return r->eager = !rfi_below(&rfi.patience, RFI_ALONE_CHANCE);
}

/* The thread that runs on was found to spin once more. */
RFI_FN RFI_COLD void rfi_alone_again(void) {
    rfi_run *r = &rfi.run;
    if (r->round > r->longest) r->longest = r->round;
    r->round = 0;
    if (--r->rounds && !rfi_half_way()) return;
    r->alone = 0;
    if (rfi.strategy->repeats) rfi.strategy->repeats();
}

/* May it be a part of a loop that waits? */
RFI_FN bool rfi_spin_part(rfi_thr *t) {
    const rf_event *e = &t->next;
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_RMW:
    case RF_EV_YIELD:
    case RF_EV_SLEEP: return true;
    case RF_EV_CALL: return t->yields >= RFI_SPIN_REPEAT || rfi_round_next(t);
    default: return e->flags & (RF_EV_TRY | RF_EV_TIMED) || rfi_round_next(t);
    }
}

/* Does `t`, which has announced an operation, run on?  If not, it has given up. */
RFI_FN RFI_COLD bool rfi_runs_on(rfi_thr *t) {
    rfi_run *r = &rfi.run;
    if (r->alone != t->id + 1 || !rfi_in(rfi.lazy, t->id)) return false;
    if (rfi_spin_part(t) && r->round++ < 2 * r->longest + 8) return true;
    r->alone = 0;
    rfi_take(rfi.lazy, t->id);
    rfi_take(rfi.awaiting, t->id);
    r->attention -= !--r->lazy_count;
    return false;
}
#endif
#endif
