/* engine/sched.h: the scheduler loop.
 *
 * Shape: CalFuzzer (Joshi et al., CAV 2009, Algorithm 1), corrected so that a released thread
 * executes its statement.  Every live thread has announced its next operation; a decision picks
 * one of the enabled ones, which executes its operation and goes on to its next announcement.  The
 * loop has no thread of its own: the announcing thread decides and jumps to the chosen one.
 *
 * A new thread runs up to its first announcement at its creation, so that the next statement of
 * every thread is known; creation itself is no scheduling point (it commutes with every operation
 * of the others).  With coarse granularity its start is an operation of its own.
 */
#ifndef RFI_ENGINE_SCHED_H
#define RFI_ENGINE_SCHED_H
#include "engine/behaviour.h"
#include "engine/claim.h"
#include "engine/coverage.h"
#include "engine/ending.h"
#include "engine/learn.h"
#include "engine/lend.h"
#include "engine/patience.h"
#include "engine/rounds.h"
#include "engine/strike.h"

#ifdef RFI_IMPL
# define RFI_FAIR_STEPS 20000u /* steps after which an execution counts as long, */
# define RFI_FAIR_EVERY 64u    /* and how often everybody has the same chance then */

/* ---- enabled threads ---- */

RFI_INLINE void rfi_set_enabled(rfi_thr *t, bool on) {
    if (on)
        rfi_put(rfi.enabled, t->id);
    else
        rfi_take(rfi.enabled, t->id);
}

/* The state of an object changed: which of those that want it can go on? */
RFI_FN void rfi_reconsider(rfi_object *o) {
    for (uint32_t w = o->waiters; w; w = rfi.thread[w - 1]->wait_next) {
        rfi_thr *t = rfi.thread[w - 1];
        rfi_set_enabled(t, rfi_ready(t));
    }
}

/* t's announced operation needs `o` in a state in which ready(t). */
RFI_INLINE void rfi_wait_on(rfi_thr *t, rfi_object *o, bool (*ready)(const rfi_thr *)) {
    t->ready = ready;
    t->waits_on = o;
    t->wait_next = o->waiters;
    o->waiters = t->id + 1;
    if (!rfi_ready(t)) rfi_take(rfi.enabled, t->id);
}

RFI_INLINE void rfi_wait_off(rfi_thr *t) {
    uint32_t *link = &t->waits_on->waiters;
    while (*link != t->id + 1) link = &rfi.thread[*link - 1]->wait_next;
    *link = t->wait_next;
    t->waits_on = NULL;
    t->ready = NULL;
}

/* ---- decisions ----
 *
 * Candidates are enabled, not paused and not lazy: a spinner waits for a step of somebody else,
 * unless it runs on (patience.h).  If that leaves nobody, lazy ones are candidates too. */

RFI_INLINE uint64_t rfi_candidate_word(uint32_t w, bool lazy_too) {
    uint64_t bits = rfi.enabled[w] & ~rfi.paused[w];
    return lazy_too ? bits : bits & ~rfi.lazy[w];
}

/* Nobody but spinners can go on: if the others are in a deadlock, that is what they spin for.
 * Looked at after the 64th time and then less and less often.  True: they have had their time. */
RFI_FN RFI_COLD bool rfi_only_spinners(void) {
    uint64_t n = ++rfi.run.spins;
    if (n >= 64 && !(n & (n - 1)) && rfi_find_cycle(0, rfi.run.threads)) rfi_end_stuck(true);
    return ++rfi.run.vain > RFI_END_VAIN && rfi_end_due();
}

RFI_INLINE uint32_t rfi_candidates_of(bool lazy_too) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < rfi.run.words; w++)
        n += rfi_bits(rfi.candidates[w] = rfi_candidate_word(w, lazy_too));
    return n;
}

/* Spinners that have just read an older value go on: they soon see the newest one. */
RFI_FN RFI_COLD bool rfi_behind_go_on(void) {
    bool any = false;
    for (uint32_t i = 0; rfi.run.lazy_count && i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (!rfi_in(rfi.lazy, i) || !rfi_in(rfi.enabled, i) || rfi_in(rfi.paused, i)) continue;
        if (!t->stale || rfi.run.steps - t->stale > RFI_ROUND_MOST) continue;
        any = true;
        rfi_take(rfi.awaiting, i);
        rfi_take(rfi.lazy, i);
        rfi.run.attention -= !--rfi.run.lazy_count;
    }
    return any;
}

/* How many; they stand in rfi.candidates. */
RFI_FN uint32_t rfi_candidates(void) {
    uint32_t n = rfi_candidates_of(false);
    while (!n && rfi.run.dues && (rfi_behind_go_on() || rfi_time_passes()))
        n = rfi_candidates_of(false);
    while (!n && rfi.run.comes && rfi_something_comes()) n = rfi_candidates_of(false);
    if (n || !rfi.run.lazy_count || rfi_only_spinners()) return n;
    return rfi_candidates_of(true);
}

/* In a long execution a strategy may hold back the very thread that others poll for (with timed
 * locks, sleeps, conditions that time out): there, one decision in so many is uniform, and more of
 * them once the execution is to be judged by what it repeats. */
RFI_INLINE bool rfi_fair_now(void) {
    bool judged = rfi.observed & RFI_TAIL;
    if (RFI_LIKELY(rfi.run.steps < RFI_FAIR_STEPS && !judged)) return false;
    return rfi.run.steps % (judged ? RFI_FAIR_EVERY / 8 : RFI_FAIR_EVERY) == 0 &&
           !rfi.strategy->serial && !rfi.strategy->threads;
}

RFI_INLINE uint32_t rfi_pick_from(const rf_choice *c) {
    bool serial = RFI_UNLIKELY(rfi.run.serial) && !rfi_half_way();
    rf_prng *uniform = rfi_fair_now() ? &rfi.schedule : rfi.strategy->rfi_uniform;
    if (!serial && uniform) return rfi_choice_at(c, rfi_below(uniform, c->count));
    uint32_t t = rfi.strategy->pick(c);
    if (RFI_UNLIKELY(!rfi_choice_has(c, t)) && rfi.run.ender != t + 1)
        rfi_die("the strategy %s has picked T%u, which is no candidate", rfi.strategy->name, t);
    return serial && rfi.run.ender != t + 1 ? rfi_serial_pick(c, t) : t;
}

RFI_FN uint32_t rfi_pick(uint32_t count) {
    rf_choice c = {count, rfi.run.last, rfi.candidates, rfi.run.words};
    return count == 1 && !rfi.strategy->lone ? rfi_choice_at(&c, 0) : rfi_pick_from(&c);
}

/* Nobody else is a candidate. */
RFI_FN uint32_t rfi_pick_alone(uint32_t t) {
    if (!rfi.strategy->lone) return t;
    memset(rfi.candidates, 0, rfi.run.words * sizeof *rfi.candidates);
    rfi_put(rfi.candidates, t);
    rf_choice c = {1, rfi.run.last, rfi.candidates, rfi.run.words};
    return rfi.strategy->pick(&c);
}

/* The thread that executes next, by the strategy alone. */
RFI_FN RFI_APART uint32_t rfi_decide(void) {
    uint64_t bits = rfi.run.words == 1 ? rfi_candidate_word(0, false) : 0;
    if (RFI_LIKELY(bits != 0)) {
        if (!(bits & (bits - 1)) && !rfi.strategy->lone) return (uint32_t)__builtin_ctzll(bits);
        rfi.candidates[0] = bits;
        rf_choice c = {rfi_bits(bits), rfi.run.last, rfi.candidates, 1};
        return rfi_pick_from(&c);
    }
    uint32_t n = rfi_candidates();
    if (RFI_UNLIKELY(!n)) return rfi_nobody();
    return rfi_pick(n);
}

/* The same while nothing asks for attention: then nobody is paused or lazy, the threads are those
 * of one word, and a strategy that draws uniformly need not be called. */
RFI_INLINE uint32_t rfi_decide_quickly(void) {
    uint64_t bits = rfi.enabled[0], more = bits & (bits - 1); /* than one? */
    if (RFI_UNLIKELY(!rfi.run.uniform || !bits || rfi.run.steps >= RFI_FAIR_STEPS))
        return rfi_decide();
    if (!more) return (uint32_t)__builtin_ctzll(bits);
    uint64_t rest = more & (more - 1); /* than two? */
    if (!rest) return (uint32_t)__builtin_ctzll(rfi_below(rfi.run.uniform, 2) ? more : bits);
    return rfi_bit_at(bits, rfi_below(rfi.run.uniform, rfi_bits(bits)));
}

/* A spinner waits until somebody else has made a step, or runs on. */
RFI_FN void rfi_make_lazy(rfi_thr *t) {
    if (RFI_UNLIKELY(rfi.strategy->values)) return; /* nobody is held back */
    if (RFI_UNLIKELY(rfi.observed & RFI_AWAITED) && rfi_round_fresh(t)) return;
    if (RFI_UNLIKELY(rfi.run.alone == t->id + 1)) rfi_alone_again();
    if (rfi_in(rfi.lazy, t->id)) return;
    if (rfi.run.turn > t->spun) t->stale = rfi.run.steps; /* others have made steps in its round */
    t->spun = rfi.run.steps;
    rfi_put(rfi.lazy, t->id);
    rfi.run.attention += !rfi.run.lazy_count++;
    if (RFI_UNLIKELY(rfi.run.stints != 0)) rfi_alone_begin(t);
}

/* It has made so many rounds of what may be a loop that waits; from `most` on it spins. */
RFI_INLINE void rfi_may_spin(rfi_thr *t, uint32_t rounds, uint32_t most) {
    bool at_once = RFI_UNLIKELY(rfi.run.stints != 0) && rounds && rounds < most;
    if (rounds >= most || (at_once && rfi_alone_at_once(t))) rfi_make_lazy(t);
}

/* `except` makes a step: the others spin no longer, but for those that await something. */
RFI_FN RFI_APART void rfi_wake_lazy(uint32_t except) {
    bool keep = rfi_in(rfi.lazy, except);
    uint32_t n = keep;
    uint64_t freed = 0;
    rfi_take(rfi.awaiting, except);
    for (uint32_t w = 0; w < rfi.run.words; w++) {
        freed |= rfi.lazy[w] & ~rfi.awaiting[w];
        n += rfi_bits(rfi.lazy[w] = rfi.awaiting[w]);
    }
    if (keep) rfi_put(rfi.lazy, except);
    if (freed && !keep) rfi.record->kinds |= RFI_NOT_ALL;
    rfi.record->held += !keep; /* else they were candidates too */
    rfi.run.lazy_count = n;
    rfi.run.attention -= !n;
}

/* `e` was executed: who awaits something that it has changed spins no longer. */
RFI_FN RFI_APART void rfi_await_event(const rf_event *e) {
    uint64_t bits = rfi_event_bits(e);
    for (uint32_t i = 0; bits && i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (i == e->thread || !t->round || !t->round->at || !(t->round->bits & bits)) continue;
        if (!rfi_rounds_changed(t, e)) continue;
        t->round->changed = t->round->steps;
        if (!rfi_in(rfi.awaiting, i)) continue;
        rfi_take(rfi.awaiting, i);
        rfi_take(rfi.lazy, i);
        rfi.run.attention -= !--rfi.run.lazy_count;
    }
}

/* `t` is about to execute its announced operation. */
RFI_INLINE void rfi_step(rfi_thr *t) {
    if (RFI_UNLIKELY(rfi.run.attention != 0)) {
        if (RFI_UNLIKELY(t->over != NULL)) rfi_struck(t);
        if (rfi.run.lazy_count) rfi_wake_lazy(t->id);
    }
    rfi.record->steps = ++rfi.run.steps; /* who watches from outside sees it */
    if (RFI_UNLIKELY(rfi.run.steps > rfi.record->limit)) rfi_steps_over(t);
    if (rfi.run.last != t->id) {
        rfi.run.row = rfi_row_from();
        rfi.run.turn = rfi.run.steps;
    }
    rfi.run.last = t->id;
    rfi_hot.fuel = RFI_FUEL;
}

RFI_INLINE void rfi_switch_to(rfi_thr *from, rfi_thr *to) {
    rfi.current = to;
    rfi_fiber_jump(&from->fiber, &to->fiber);
}

/* Wherever another thread may run next: what `t` did last must have kept them. */
RFI_FN RFI_COLD void rfi_check_invariants(const rfi_thr *t, bool ends) {
    const uint8_t *arm = rfi_hot.arm;
    __typeof__(rfi.lane) lane = rfi.lane;
    rfi.quiet++;
    rfi_hot.arm = rfi_arm_none;
    rfi.lane = NULL;
    for (rfi_scope *s = rfi.run.invariants; s; s = s->next)
        if (!s->check(s->arg)) {
            rfi.quiet--;
            if (ends)
                rfi_fail(RF_DIAG_INVARIANT, s->site, "%s is false when T%u ends",
                         rfi_site_text(s->site), t->id);
            rfi_fail(RF_DIAG_INVARIANT, s->site, "%s is false before T%u's %s at %s",
                     rfi_site_text(s->site), t->id, rfi_event_word(t->next.kind),
                     RFI_AT(t->next.site));
        }
    rfi.quiet--;
    rfi_hot.arm = arm;
    rfi.lane = lane;
}

RFI_FN uint32_t rfi_decide_checked(void);

/* The thread that executes next when there is more to think of than the strategy.  A thread that is
 * starting goes back to its creator, and has been chosen when it comes back from there. */
RFI_FN uint32_t rfi_decide_so(rfi_thr *t) {
    if (rfi.run.invariants) rfi_check_invariants(t, false);
    if (rfi.observed & RFI_AWAITED && rfi_in(rfi.lazy, t->id)) rfi_await_begin(t);
    if (rfi.strategy->announced) rfi.strategy->announced(&t->next);
    if (rfi.coverage) rfi_cover_reached(t);
    if (t->starter) {
        rfi_thr *back = t->starter;
        t->starter = NULL;
        rfi.run.attention--;
        rfi_switch_to(t, back);
        return t->id;
    }
    if (rfi.run.dues) rfi_time_look(t);
    if (rfi.run.looks) rfi.run.looks();
    uint32_t owner = rfi.run.owned ? rfi.run.owned() : RFI_NO_THREAD;
    if (owner != RFI_NO_THREAD) return owner;
    if (rfi.run.ranked) return rfi.run.ranked();
    if (rfi.run.alone && rfi_in(rfi.enabled, t->id) && rfi_runs_on(t)) return rfi_pick_alone(t->id);
    if (!rfi.plan->checker) {
        bool choice = rfi.coverage && rfi_cover_choice(t);
        uint32_t next = rfi_decide();
        if (choice) rfi_cover_decided(t, next != t->id);
        return next;
    }
    if (!rfi_in(rfi.enabled, t->id) && rfi_find_cycle(t->id, t->id + 1)) rfi_end_stuck(true);
    return rfi_decide_checked();
}

RFI_FN RFI_APART uint32_t rfi_decide_attentively(rfi_thr *t) {
    uint32_t next = rfi_decide_so(t);
    if (RFI_UNLIKELY(rfi.run.deadlines != NULL)) rfi.run.counts(next);
    return next;
}

RFI_FN RFI_APART void rfi_schedule_any(rfi_thr *t) {
    bool plain = rfi.run.attention == rfi.run.lone;
    uint32_t next = RFI_LIKELY(plain) ? rfi_decide_quickly() : rfi_decide_attentively(t);
    if (next != t->id) {
        rfi.run.switches++;
        rfi.run.preemptions += rfi_in(rfi.enabled, t->id) && !rfi_in(rfi.lazy, t->id) &&
                               rfi.run.yielded != rfi.run.steps;
        rfi_switch_to(t, rfi.thread[next]);
    }
    rfi_step(t);
}

/* `t`, the running thread, has announced t->next; returns when it is to execute it.  At once, if
 * nobody else can go on, and there is no more to think of than the strategy. */
RFI_INLINE void rfi_schedule(rfi_thr *t) {
    if (RFI_LIKELY(!rfi.run.attention) && rfi.enabled[0] == UINT64_C(1) << t->id)
        rfi_step(t);
    else
        rfi_schedule_any(t);
}

/* Begins the announcement of the running thread's next operation. */
RFI_INLINE rf_event *rfi_announce(rfi_thr *t, unsigned kind, const rf_site *s) {
    rf_event *e = &t->next;
    rfi_settle();
    if (RFI_UNLIKELY(rfi.run.comes_first != NULL)) rfi.run.comes_first(s, kind);
    rfi.record->kinds |= RF_EV_BIT(kind);
    *e = (rf_event){.kind = (uint8_t)kind, .thread = t->id, .site = s};
    return e;
}

RFI_FN RFI_APART void rfi_observed_event(const rf_event *e) {
    if (rfi.observed & RFI_ORDERED) rfi_behaviour_event(e);
    if (rfi.observed & RFI_TAIL) rfi_tail_event(e);
    if (rfi.observed & RFI_CLAIMED) rfi_claim_event(e);
    if (rfi.observed & RFI_AWAITED) rfi_await_event(e);
}

/* The announced operation was executed: tell strategy and analyses. */
RFI_INLINE void rfi_executed(const rf_event *e) {
    if (RFI_LIKELY(rfi.observed == RFI_ORDERED))
        rfi_behaviour_event(e);
    else if (rfi.observed)
        rfi_observed_event(e);
    if (RFI_UNLIKELY(rfi.run.steps > rfi.run.row) && rfi_round_again(e)) rfi_make_lazy(rfi.current);
    if (RFI_LIKELY(!rfi_listening(e->kind))) return;
    if (rfi.strategy->executed) rfi.strategy->executed(e);
    rfi_deliver(e);
}

/* ---- the frame for checkers: paused threads, forced order, monitors ---- */

RFI_FN void rfi_unpause(uint32_t t) {
    rfi_take(rfi.paused, t);
    rfi.frame.held -= rfi.thread[t]->paused_until == RFI_HELD;
    rfi.frame.paused_count--;
    rfi.frame.paused_since = rfi.run.steps;
}

/* One of the enabled paused threads, drawn; of those only whose time is limited, or of all.
 * RFI_NO_THREAD if there is none. */
RFI_FN uint32_t rfi_draw_paused(bool timed) {
    rf_choice c = {0, rfi.run.last, rfi.candidates, rfi.run.words};
    for (uint32_t w = 0; w < rfi.run.words; w++) {
        uint64_t set = rfi.enabled[w] & rfi.paused[w];
        for (uint64_t bits = timed ? set : 0; bits; bits &= bits - 1) {
            uint64_t lowest = bits & -bits;
            uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (rfi.thread[t]->paused_until == UINT64_MAX) set &= ~lowest;
        }
        c.count += rfi_bits(rfi.candidates[w] = set);
    }
    return c.count ? rfi_choice_at(&c, rfi_below(&rfi.schedule, c.count)) : RFI_NO_THREAD;
}

/* Everybody enabled is paused: one goes on, without a second check.  First those that only let
 * others go ahead, since there are none; then the thrash rule. */
RFI_FN uint32_t rfi_thrash(void) {
    uint32_t u = rfi.frame.timed ? rfi_draw_paused(true) : RFI_NO_THREAD;
    if (u == RFI_NO_THREAD) {
        u = rfi_draw_paused(false);
        if (u == RFI_NO_THREAD) return rfi_nobody();
        rfi.record->released++;
    }
    rfi_unpause(u);
    return u;
}

/* The enabled thread that has been paused for longest; RFI_NO_THREAD if there is none. */
RFI_FN RFI_COLD uint32_t rfi_oldest_paused(void) {
    uint32_t oldest = RFI_NO_THREAD;
    for (uint32_t t = 0; t < rfi.run.threads; t++) {
        if (!rfi_in(rfi.enabled, t) || !rfi_in(rfi.paused, t)) continue;
        if (oldest == RFI_NO_THREAD || rfi.thread[t]->paused_at < rfi.thread[oldest]->paused_at)
            oldest = t;
    }
    return oldest;
}

/* RaceFuzzer's monitor against livelock (Sen, PLDI 2008), in decisions instead of time: releases
 * the one that has been paused for longest (one that spins at the pair comes back and must not be
 * preferred to one that never went on); every fifth time pausing becomes half as likely.  It does
 * not wait longer because of others that are paused meanwhile: there may be ever more of them. */
RFI_FN RFI_COLD uint32_t rfi_monitor(void) {
    uint32_t u = rfi_oldest_paused();
    if (u == RFI_NO_THREAD) return u;
    rfi_unpause(u);
    rfi.frame.looks = 0, rfi.record->released++;
    if (++rfi.frame.breaks % 5 == 0) rfi.frame.pause_chance /= 2;
    return u;
}

/* Those whose time is over go on. */
RFI_FN RFI_COLD void rfi_unpause_timed(void) {
    rfi.frame.timed = 0;
    for (uint32_t w = 0; w < rfi.run.words; w++)
        for (uint64_t bits = rfi.paused[w]; bits; bits &= bits - 1) {
            uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (rfi.run.steps >= rfi.thread[t]->paused_until) {
                rfi_unpause(t);
                rfi.thread[t]->unchecked = true;
            } else {
                rfi.frame.timed += rfi.thread[t]->paused_until != UINT64_MAX;
            }
        }
}

/* The thread under check stays where it is. */
RFI_FN void rfi_pause(uint32_t t) {
    rfi_put(rfi.paused, t);
    rfi.frame.paused_count++;
    rfi.frame.timed += rfi.frame.pause_until != UINT64_MAX;
    rfi.frame.held += rfi.frame.pause_until == RFI_HELD;
    rfi.thread[t]->paused_at = rfi.run.steps;
    if (rfi.frame.paused_count == 1) rfi.frame.paused_since = rfi.run.steps;
    rfi.thread[t]->paused_until = rfi.frame.pause_until;
}

/* Is the announced operation of `t` to be checked?  The frame says no after a limited pause, and in
 * part of the cases once pausing has led nowhere. */
RFI_FN bool rfi_to_be_checked(rfi_thr *t) {
    bool over = t->unchecked;
    t->unchecked = false;
    if (over || !rfi.plan->checker->is_breakpoint(&t->next)) return false;
    return rfi.frame.pause_chance == 65536 || rfi_chance(&rfi.schedule, rfi.frame.pause_chance);
}

/* Is `t` a source of interrupts or signals that may strike?  Most are held until nobody else can go
 * on: so they strike where a thread stands that the checker has paused, and not long before. */
RFI_FN bool rfi_strike_held(rfi_thr *t) {
    uint64_t strikes = RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_SEM_WAIT);
    if (RFI_LIKELY(!t->source) || t->struck || !(strikes & RF_EV_BIT(t->next.kind))) return false;
    rfi.frame.pause_until = RFI_HELD;
    return rfi_chance(&rfi.schedule, RFI_HELD_CHANCE);
}

RFI_FN uint32_t rfi_decide_checked(void) {
    if (RFI_UNLIKELY(rfi.frame.timed != 0)) rfi_unpause_timed();
    for (;;) {
        if (rfi.frame.forced_count) {
            uint32_t u = rfi.forced[0];
            memmove(rfi.forced, rfi.forced + 1, --rfi.frame.forced_count * sizeof *rfi.forced);
            if (!rfi_in(rfi.enabled, u)) continue;
            rfi.thread[u]->unchecked = false;
            return u;
        }
        if (rfi.frame.paused_count &&
            (rfi.run.steps - rfi.frame.paused_since >= RFI_MONITOR_STEPS ||
             rfi.frame.looks >= RFI_MONITOR_LOOKS)) {
            uint32_t u = rfi_monitor();
            if (u != RFI_NO_THREAD) return u;
        }
        if (rfi.frame.held && !rfi_candidates_of(false)) return rfi_thrash();
        uint32_t n = rfi_candidates();
        if (!n) return rfi_thrash();
        uint32_t t = rfi_pick(n);
        if (rfi_strike_held(rfi.thread[t])) {
            rfi_pause(t);
            continue;
        }
        if (!rfi_to_be_checked(rfi.thread[t])) return t;
        rfi.frame.checked = t;
        rfi.frame.pause_checked = false;
        rfi.plan->checker->check(&rfi.thread[t]->next);
        rfi.frame.checked = RFI_NO_THREAD;
        if (!rfi.frame.pause_checked) { /* after those that check() wants to run first */
            if (!rfi.frame.forced_count) return t;
            rf_check_run(t);
            continue;
        }
        rfi_pause(t);
    }
}

/* ---- the functions of the interfaces ---- */

const rf_event *rf_next_event(uint32_t t) {
    return t < rfi.run.threads ? &rfi.thread[t]->next : NULL;
}

uint32_t rf_series(void) { return rfi.series ? rfi.series_number : 0; }
uint32_t rf_threads(void) { return rfi.run.threads; }
bool rf_thread_alive(uint32_t t) { return t < rfi.run.threads && !rfi.thread[t]->finished; }
bool rf_thread_enabled(uint32_t t) { return rf_thread_alive(t) && rfi_in(rfi.enabled, t); }

bool rf_thread_due(uint32_t t) { return rf_thread_alive(t) && rfi.thread[t]->due; }
bool rf_thread_spins(uint32_t t) { return rf_thread_alive(t) && rfi_in(rfi.lazy, t); }
bool rf_thread_awaits(uint32_t t) { return rf_thread_alive(t) && rfi_in(rfi.awaiting, t); }

uint32_t rf_thread_creator(uint32_t t) {
    return t < rfi.run.threads ? rfi.thread[t]->creator : RFI_NO_THREAD;
}

uint64_t rf_thread_key(uint32_t t) { return t < rfi.run.threads ? rfi.thread[t]->key : 0; }

uint32_t rf_thread_locks(uint32_t t, rf_lock *lock, uint32_t most) {
    if (t >= rfi.run.threads) return 0;
    const rfi_thr *thread = rfi.thread[t];
    for (uint32_t i = 0; i < thread->held_count && i < most; i++) {
        const rfi_held *h = &thread->held[i];
        lock[i] = (rf_lock){h->number, h->shared, h->site};
    }
    return thread->held_count;
}

RFI_INLINE const rfi_object_name *rfi_object_numbered(uint32_t number) {
    return number - 1 < rfi.run.objects ? &rfi.object[number - 1] : NULL;
}

const rf_site *rf_object_site(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o ? o->site : NULL;
}

const char *rf_object_name(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o ? o->name : NULL;
}

const void *rf_object_address(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o ? o->at : NULL;
}

bool rf_object_made(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o && o->made;
}

bool rf_object_is_lock(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o && (o->type == RFI_MUTEX || o->type == RFI_RWLOCK || o->type == RFI_SPIN);
}

const uint64_t *rf_check_targets(uint32_t *count) {
    *count = rfi.plan->targets;
    return rfi.plan->target;
}

void rf_check_pause(void) {
    rfi.frame.pause_checked = true;
    rfi.frame.pause_until = UINT64_MAX;
}

void rf_check_pause_for(uint32_t decisions) {
    rfi.frame.pause_checked = true;
    rfi.frame.pause_until = rfi.run.steps + decisions;
}

void rf_check_hit(const rf_event *a, const rf_event *b) {
    rfi_record *r = rfi.record;
    if (r->hit_count < RFI_HITS)
        r->hit[r->hit_count] = (rfi_hit){{*a, b ? *b : *a}, b ? 2 : 1, r->events};
    r->hit_count++;
    rfi_stop_if(RFI_STOP_RACE, "the race");
}

void rf_check_release(uint32_t t) {
    if (rfi_in(rfi.paused, t)) rfi_unpause(t);
}

void rf_check_run(uint32_t t) {
    rf_check_release(t);
    rfi.forced =
        rfi_grow(rfi.forced, &rfi.forced_capacity, rfi.frame.forced_count + 1, sizeof *rfi.forced);
    rfi.forced[rfi.frame.forced_count++] = t;
}

void rf_check_each_paused(void (*fn)(uint32_t, void *), void *arg) {
    for (uint32_t w = 0; w < rfi.run.words; w++)
        for (uint64_t bits = rfi.paused[w]; bits; bits &= bits - 1)
            fn(w * 64 + (uint32_t)__builtin_ctzll(bits), arg);
}

rf_prng *rf_check_random(void) { return &rfi.schedule; }
#endif
#endif
