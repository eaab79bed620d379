/* explore/graphs.h: every execution that RC11 allows, once.
 *
 * An execution begins with the graph that the last one has left to do (graph_stack.h): the
 * scheduler lets its threads make these events, in an order of sb and rf, and memory give what they
 * read.  From there on the lowest thread that can go on makes the next event, which has the first
 * of its options (graph_options.h) here, and the others in later executions.  Operations by which
 * threads can't see each other are made at once and are no events.
 *
 * Guarantee: when it ends, each consistent graph of the test has been executed exactly once.
 * Conditions: the bodies repeat; plain accesses do not race, which is looked for; nothing but what
 * the events tell passes from thread to thread.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPHS_H
#define RFI_EXPLORE_GRAPHS_H
#include "explore/graph_accessed.h"
#include "explore/graph_keep.h"
#include "explore/graph_values.h"

#ifdef RFI_IMPL
/* ---- decisions ---- */

/* Does somebody wait for the operation?  It comes last: so whatever does not depend on it has been
 * done, and he who waits need not be thought of without it. */
RFI_FN bool rfi_graphs_awaited(const rf_event *e) {
    const uint64_t ends =
        RF_EV_BIT(RF_EV_WAIT) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_SEM_POST);
    if (RFI_LIKELY(!(RF_EV_BIT(e->kind) & ends))) return false;
    uint32_t object = e->kind == RF_EV_WAIT ? e->other : rfi_graphs_object_of(e);
    uint32_t location = rfi_graphs_object_at(object, RFI_NO_EVENT);
    return rfi_graph_blocks(&rfi_g.graph, location, NULL, RFI_NO_EVENT);
}

enum { RFI_G_IDLE = 100000, RFI_G_YIELDS = RFI_G_IDLE / 1000 };

/* Does a thread that has nothing to show go on and on, or yield again and again?  It may wait for
 * others by what is not seen: a race, a handler, a call of the system itself. */
RFI_FN bool rfi_graphs_idles(const rf_event *next) {
    return rfi_g.idle >= RFI_G_IDLE &&
           (next->kind == RF_EV_YIELD || next->thread == rfi_given_thread());
}

/* It makes a step, in which it may idle. */
RFI_INLINE void rfi_graphs_steps(const rf_event *next, rfi_gdeed deed) {
    if (deed != RFI_G_LOCAL)
        rfi_g.idle = 0;
    else
        rfi_g.idle += next->kind == RF_EV_YIELD ? RFI_G_YIELDS : 1;
}

/* Does the thread, which `can`, go on, and with what?  Not if it has nothing to show and idles. */
RFI_INLINE bool rfi_graphs_able(bool can, uint32_t t, rfi_gdeed *what) {
    const rf_event *next = rfi_given_event(t);
    if (!can || rfi_graphs_wait[rfi_graphs_thread(t)].stays) return false;
    *what = rfi_graphs_deed(next);
    return *what != RFI_G_LOCAL || !rfi_graphs_idles(next);
}

/* Does the thread that ran last go on?  With what nobody else sees, or with an event that is given:
 * any order of sb and rf will do, and this one is found at once. */
RFI_INLINE bool rfi_graphs_runs(const rf_choice *c, rfi_gdeed *what, uint32_t *event) {
    bool can = rfi_g.choices.first == c->last || rfi_choice_has(c, c->last);
    if (!rfi_graphs_able(can, c->last, what)) return false;
    if (*what == RFI_G_LOCAL) return true;
    if (!rfi_g.left || (*what != RFI_G_MEMORY && *what != RFI_G_SYNC)) return false;
    *event = rfi_graphs_given(rfi_graphs_thread(c->last));
    return *event != RFI_NO_EVENT && rfi_graphs_due(*event);
}

/* A thread idles; `alone`: nobody else can go on.  If something is left to do then, it comes behind
 * what that thread waits for, which does not happen in this order. */
RFI_FN RFI_COLD void rfi_graphs_idle(bool alone) {
    rfi_graphs *r = &rfi_g;
    if (!r->idles) rfi_graphs_flaw(RFI_G_IDLES);
    r->idles = true;
    if (alone && r->left) rfi_graphs_leave(RFI_G_SOUND);
}

/* Who else makes the next event, and `what` it does: of those given one that is due;
 * RFI_NO_THREAD: nobody can. */
RFI_FN uint32_t rfi_graphs_next(const rf_choice *c, rfi_gdeed *what) {
    uint32_t best = RFI_NO_THREAD, idle = RFI_NO_THREAD, lowest = UINT32_MAX;
    *what = RFI_G_LOCAL;
    rfi_graphs_look_at_queues();
    for (uint32_t w = 0; w < c->rfi_words; w++)
        for (uint64_t bits = c->rfi_set[w]; bits; bits &= bits - 1) {
            uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(bits), n = rfi_graphs_thread(t);
            const rf_event *next = rfi_given_event(t);
            if (rfi_graphs_wait[n].stays) continue;
            rfi_gdeed deed = rfi_graphs_deed(next);
            if (deed == RFI_G_LOCAL && rfi_graphs_idles(next)) {
                idle = t;
                continue;
            }
            if (deed == RFI_G_LOCAL) {
                *what = deed;
                return t;
            }
            bool holds = deed == RFI_G_LOOK && rfi_graphs_holds(next);
            if ((n >= lowest && !holds) || deed == RFI_G_QUEUED || deed == RFI_G_AWAITS) continue;
            if (!rfi_graphs_can(next, deed)) continue;
            if (!rfi_g.left && rfi_graphs_awaited(next)) n += RFI_GRAPH_THREADS;
            if (n >= lowest && !holds) continue;
            best = t;
            lowest = n;
            *what = deed;
            if (holds) return t;
        }
    if (RFI_LIKELY(idle == RFI_NO_THREAD)) return best;
    if (best != RFI_NO_THREAD || rfi_given_event(idle)->kind == RF_EV_YIELD)
        rfi_graphs_idle(best == RFI_NO_THREAD);
    return best != RFI_NO_THREAD ? best : idle;
}

/* The thread that makes the next operation, as it is told. */
RFI_INLINE uint32_t rfi_graphs_take(const rf_choice *c, uint32_t t) {
    rfi_choices *x = &rfi_g.choices;
    if (RFI_LIKELY(t == x->first))
        x->number++;
    else
        rfi_choices_deviate(x, rfi_rank_of(x, c, t));
    rfi_g.taken = true;
    if (RFI_UNLIKELY(rfi_graphs_spinning) && rfi_graphs_spinning != t + 1) rfi_graphs_spinning = 0;
    if (RFI_UNLIKELY(rfi_given_outside(t))) rfi_graphs_looks_outside(t);
    return t;
}

/* Does somebody wait who was cancelled, or was sent a signal?  It is another execution in which
 * that ends his wait. */
RFI_FN bool rfi_graphs_waits_on(void) {
    return RFI_UNLIKELY(rfi_graphs_met(RFI_G_CANCELS | RFI_G_HANDLES)) &&
           rfi_given_ends_otherwise();
}

/* The same of one who has not seen the newest state. */
RFI_FN bool rfi_graphs_stale(void) {
    const rfi_graph *g = &rfi_g.graph;
    if (rfi_graphs_waits_on()) return true;
    for (uint32_t i = 0; i < g->events; i++)
        if (g->event[i].flags & RFI_G_BLOCKED &&
            rfi_graph_rank(g, i) < g->location[g->event[i].location].mo.count)
            return true;
    return false;
}

/* Nobody can go on: what would have become of it if those who wait for an object had come first? */
RFI_FN void rfi_graphs_stuck(void) {
    rfi_graphs *r = &rfi_g;
    rfi_graphs_look_at_queues();
    for (uint32_t n = 0; n < r->keys && !r->left_early; n++)
        for (uint32_t t = 0; t < rf_threads() && !rfi_graphs_wait[n].stays; t++) {
            if (!rf_thread_alive(t) || rfi_graphs_thread(t) != n) continue;
            const rf_event *e = rfi_given_event(t);
            if (rfi_graphs_deed(e) == RFI_G_OBJECT && rfi_graphs_given(n) == RFI_NO_EVENT)
                rfi_graphs_object_new(e);
        }
}

/* Who waits for what is outside, by turns, or is about to end the execution; or RFI_NO_THREAD. */
RFI_FN uint32_t rfi_graphs_outside(bool skips) {
    uint32_t last = rfi_given_thread();
    for (uint32_t i = 1; i <= rf_threads(); i++) {
        uint32_t u = (last + i) % rf_threads();
        rfi_awaited of = rf_thread_alive(u) ? rfi_given_outside(u) : RFI_INSIDE;
        if (of && (!skips || of == RFI_SKIPS)) return u;
    }
    return RFI_NO_THREAD;
}

/* All that are left wait: for ever, if they have read the newest values, and go on like that.  Who
 * has to show that, or RFI_NO_THREAD. */
RFI_FN uint32_t rfi_graphs_hang(void) {
    bool newest = true, cut = false;
    for (uint32_t n = 0; n < RFI_GRAPH_THREADS; n++) {
        newest &= !rfi_graphs_wait[n].stays || rfi_graphs_newest(n);
        cut |= rfi_graphs_wait[n].cut && !rfi_given_may_end();
    }
    bool vain = cut || !newest || rfi_graphs_stale(), goes_on = rfi_graphs_goes_on(!vain);
    uint32_t t = rfi_graphs_outside(true);
    if (vain || goes_on || t != RFI_NO_THREAD) rfi_graphs_stuck();
    if (vain || goes_on) rfi_graphs_leave(RFI_G_SOUND);
    if (t == RFI_NO_THREAD) t = rfi_graphs_insist();
    if (t == RFI_NO_THREAD) t = rfi_graphs_outside(false); /* it waits for real */
    return t == RFI_NO_THREAD ? rfi_graphs_livelock() : t;
}

/* Nobody can go on, as the engine sees it.  What could strike now is none of a graph. */
RFI_FN void rfi_graphs_nobody(void) {
    rfi_graphs *r = &rfi_g;
    rfi_graphs_settle();
    r->taken = false;
    r->decides = true;
    (void)rfi_graphs_stop_told();
    if (r->left_early) rfi_graphs_stop();
    bool explores = r->choices.way == RFI_WAY_EXPLORE && !r->talk.over;
    if (explores && rfi_given_interrupts()) rfi_graphs_leave(RFI_G_INTERRUPTS);
    if (explores && rfi_given_meddles()) rfi_graphs_meddled();
    if (explores && rfi_graphs_waits_on()) {
        rfi_graphs_stuck();
        rfi_graphs_leave(RFI_G_SOUND);
    }
    r->decides = false;
}

/* The thread that ran last does. */
RFI_INLINE void rfi_graphs_follows(const rf_choice *c, rfi_gdeed deed, uint32_t given) {
    (void)rfi_graphs_take(c, c->last);
    const rf_event *next = rfi_given_event(c->last);
    rfi_graphs_steps(next, deed);
    if (deed == RFI_G_LOCAL) return;
    if (RFI_UNLIKELY(rfi_given_unroll())) rfi_graphs_unroll(next, rfi_graphs_thread(c->last));
    rfi_graphs_repeat(next, deed, given);
}

/* All that are left wait: the thread has to show that it does so for ever. */
RFI_FN uint32_t rfi_graphs_insists(const rf_choice *c, uint32_t t) {
    const rf_event *next = rfi_given_event(t);
    if (next->kind == RF_EV_END) return t;
    (void)rfi_graphs_take(c, t);
    if (next->kind != RF_EV_YIELD && rfi_graphs_deed(next) != RFI_G_LOCAL)
        rfi_graphs_round(next, rfi_graphs_thread(t));
    return t;
}

/* A thread makes an event, which may be a given one. */
RFI_INLINE void rfi_graphs_makes(const rf_event *next, rfi_gdeed deed, uint32_t event) {
    if (next->kind == RF_EV_UNPARK) /* at once: by that it is known whom it wakes */
        rfi_graphs_object_apart(next);
    else if (event != RFI_NO_EVENT && deed == RFI_G_OBJECT)
        rfi_graphs_object_again(next, event);
    else if (event != RFI_NO_EVENT)
        rfi_graphs_repeat(next, deed, event);
    else if (deed == RFI_G_OBJECT)
        rfi_graphs_object_new(next);
    else if (deed == RFI_G_MEMORY)
        rfi_graphs_access_new(next);
}

RFI_FN uint32_t rfi_graphs_explore(const rf_choice *c) {
    rfi_graphs *r = &rfi_g;
    uint32_t t = RFI_NO_THREAD;
    rfi_gdeed deed = RFI_G_LOCAL;
    r->reading = RFI_NO_EVENT;
    r->place = NULL;
    rfi_graphs_look_parks();
    if (rfi_graphs_waiting) {
        t = rfi_graphs_waiting - 1;
        const rf_event *again = rfi_given_event(t);
        if (rfi_graphs_able(rfi_choice_has(c, t), t, &deed) && deed == RFI_G_LOCAL)
            return rfi_graphs_take(c, t);
        if (rfi_graphs_runs_on(again, rf_choice_has(c, t))) {
            (void)rfi_graphs_take(c, t);
            rfi_graphs_round(again, rfi_graphs_thread(t));
            return t;
        }
    }
    if (rfi_given_interrupts()) rfi_graphs_leave(RFI_G_INTERRUPTS);
    if (RFI_UNLIKELY(rfi_given_meddles() != NULL)) rfi_graphs_meddled();
    if (rfi_given_in_time()) rfi_graphs_leave(RFI_G_IN_TIME);
    uint32_t given = RFI_NO_EVENT;
    if (rfi_graphs_runs(c, &deed, &given)) {
        rfi_graphs_follows(c, deed, given);
        return c->last;
    }
    do t = rfi_graphs_next(c, &deed);
    while (t != RFI_NO_THREAD &&
           ((RFI_UNLIKELY(rfi_given_unroll()) && rfi_graphs_cut(t)) ||
            (RFI_UNLIKELY(deed == RFI_G_LOOK) && rfi_graphs_look_begins(rfi_given_event(t)))));
    if (t == RFI_NO_THREAD && r->left) rfi_graphs_leave(RFI_G_UNREPEATED);
    if (t == RFI_NO_THREAD) return rfi_graphs_insists(c, rfi_graphs_hang());
    const rf_event *next = rfi_given_event(t);
    uint32_t thread = rfi_graphs_thread(t), event = rfi_graphs_given(thread);
    bool shows = deed == RFI_G_MEMORY || deed == RFI_G_OBJECT || deed == RFI_G_LOOK;
    bool loops = shows && event == RFI_NO_EVENT && rfi_graphs_loops(next, thread);
    if (RFI_UNLIKELY(loops) && rfi_graphs_locks_in_vain(thread)) return rfi_graphs_explore(c);
    (void)rfi_graphs_take(c, t);
    if (deed == RFI_G_UNTREATED) rfi_graphs_untreated(next);
    rfi_graphs_steps(next, deed);
    if (deed == RFI_G_LOCAL) return t;
    if (loops) {
        rfi_graphs_waiting = t + 1;
        rfi_graphs_round(next, thread);
        return t;
    }
    if (RFI_UNLIKELY(rfi_given_unroll())) rfi_graphs_unroll(next, thread);
    rfi_graphs_makes(next, deed == RFI_G_LOOK ? RFI_G_MEMORY : deed, event);
    return t;
}

RFI_FN uint32_t rfi_graphs_pick(const rf_choice *c) {
    rfi_graphs *r = &rfi_g;
    rfi_choices *x = &r->choices;
    r->taken = false;
    rfi_graphs_place_shows();
    if (r->left_early) rfi_graphs_stop();
    r->looked_at |= rf_invariants();
    rfi_choices_look(x, c);
    if (x->way == RFI_WAY_EXPLORE && !r->talk.over) {
        r->decides = true;
        uint32_t thread = rfi_graphs_explore(c);
        r->decides = false;
        return thread;
    }
    uint32_t t = rfi_graphs_stop_told();
    if (t != RFI_NO_THREAD) return t;
    t = rfi_rank_thread(x, c, c->count > 1 ? rfi_choices_given(x, c->count) : 0);
    (void)rfi_graphs_take(c, t);
    (void)rfi_graphs_stop_told();
    const rf_event *next = rfi_given_event(t);
    r->place = NULL;
    rfi_graphs_try_told(next);
    rfi_gdeed deed = rfi_graphs_deed(next);
    if (deed != RFI_G_MEMORY && deed != RFI_G_LOOK) return t;
    r->place = rfi_gplaces_at(&r->places, 0, next->addr, next->size);
    if (r->places.wrong_size || r->place->stores > UINT8_MAX) rfi_given_up();
    rfi_graphs_give_told(next);
    return t;
}

/* ---- what has happened ---- */

/* clang-format off */
# define RFI_G_OBJECT_EVENTS \
    (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_RELOCK) | \
     RF_EV_BIT(RF_EV_REUNLOCK) | RF_EV_BIT(RF_EV_TRYFAIL) | RF_EV_BIT(RF_EV_SEM_WAIT) | \
     RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_WAIT) | RF_EV_BIT(RF_EV_WAKE) | \
     RF_EV_BIT(RF_EV_SIGNAL) | RF_EV_BIT(RF_EV_BROADCAST) | RF_EV_BIT(RF_EV_ARRIVE) | \
     RF_EV_BIT(RF_EV_ONCE) | RF_EV_BIT(RF_EV_ONCE_PASS) | RF_EV_BIT(RF_EV_CALL))
/* clang-format on */

RFI_FN void rfi_graphs_event(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW: rfi_graphs_accessed(e); return;
    case RF_EV_FREE:
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_graphs_block(e); return;
    case RF_EV_INIT:
    case RF_EV_DESTROY:
        if (e->object < r->objects) r->object[e->object] = 0;
        return;
    default: break;
    }
    if (r->talk.over) return;
    switch (e->kind) {
    case RF_EV_CREATE:
    case RF_EV_JOIN:
    case RF_EV_DETACH:
    case RF_EV_EXIT: rfi_graphs_lives(e); return;
    case RF_EV_DEPART: (void)rfi_graphs_wakes(rfi_graphs_thread(e->thread), RFI_G_ARRIVE); return;
    case RF_EV_FENCE:
        if (!rfi_graphs_repeating(e->thread)) rfi_graphs_synced(e, RFI_G_FENCE);
        return;
    default: break;
    }
    const rf_event *step = rfi_given_event(e->thread);
    if (RF_EV_BIT(e->kind) & RFI_G_OBJECT_EVENTS && e == step) rfi_graphs_object_done(e);
    bool unlocks = e->kind == RF_EV_UNLOCK && e != step && step->kind == RF_EV_WAIT;
    if ((unlocks && !rfi_given_notified(e->thread)) || e->kind == RF_EV_ONCE_DONE)
        rfi_graphs_object_apart(e);
    if (e->kind == RF_EV_CALL && !r->timed && rf_reads_clock(e)) {
        rfi_graphs_flaw(RFI_G_CLOCK);
        r->timed = true;
    }
}

RFI_FN void rfi_graphs_end(void) {
    rfi_graphs *r = &rfi_g;
    rfi_graphs_settle();
    if (r->talk.over) return;
    rfi_graphs_look_parks();
    bool left = !rf_failed() && rfi_given_left();
    if (left || r->hangs || rf_failed() == RF_DIAG_STUCK || rf_failed() == RF_DIAG_LOCK_CYCLE) {
        if (rfi_graphs_stale()) rfi_talk_say(&r->talk, RFI_SAY_BLOCKED);
        rfi_graphs_stuck();
    }
    if (rf_drawn() || rfi_given_by_others()) rfi_graphs_flaw(RFI_G_CHANCE);
    if (r->places.race) rfi_graphs_flaw(RFI_G_RACE);
    if (r->places.strikes) rfi_graphs_flaw(RFI_G_STRIKES);
    if (rf_failed()) rfi_graphs_flaw(RFI_G_ENDED);
    if (r->looked_at) rfi_graphs_flaw(RFI_G_INVARIANT);
    if (rfi_given_cut()) rfi_graphs_flaw(RFI_G_STEPS);
    if (!rfi_given_sight()) rfi_graphs_flaw(RFI_G_UNSEEN);
    rfi_talk_say(&r->talk, RFI_SAY_END);
}

/* ---- the strategy ---- */

RFI_FN void rfi_graphs_forget(void) {
    rfi_gparts_forget();
    rfi_choices_forget(&rfi_g.choices);
    rfi_serials_forget(&rfi_g.choices.serials);
    rfi_g.graph.events = 0;
    rfi_gwalks_forget(&rfi_g.walks, &rfi_g.stack);
    rfi_gstack_forget(&rfi_g.stack);
}

RFI_FN void rfi_graphs_learn(const void *lesson, size_t bytes) {
    rfi_choices_forget(&rfi_g.choices);
    rfi_gstack_learn(&rfi_g.stack, lesson, bytes);
    if (rfi_g.walks.left && bytes) rfi_gwalks_learned(&rfi_g.walks, &rfi_g.stack);
}

RFI_FN void rfi_graphs_recall(const void *used, size_t bytes) {
    rfi_choices_recall(&rfi_g.choices, used, bytes);
}

RFI_FN bool rfi_graphs_exhausted(void) { return rfi_g.stack.exhausted; }

/* What the search has come to. */
RFI_FN const rfi_gstack *rfi_graphs_search(void) {
    return rfi_g.walks.left ? &rfi_g.walks.stack : &rfi_g.stack;
}

RFI_FN uint64_t rfi_graphs_left(void) {
    rfi_gparts_gather();
    const rfi_gstack *s = rfi_graphs_search();
    uint64_t made = s->explored + s->blocked - s->before;
    if (s->flaw || *s->cut) return UINT64_MAX;
    if (s->exhausted)
        return s->tired || rfi_graphs_parts.shared || rfi_given_unwatched() ? RF_LEFT_SAID : 0;
    if (!rfi_g.walks.left && made && made >= rfi_g.walks.next) {
        rfi_gwalks_begin(&rfi_g.walks, &rfi_g.stack, rfi_gwalks_due(&rfi_g.walks, made));
        rfi_g.walks.next = 2 * made;
    }
    if (rfi_g.walks.left || !made) return RF_LEFT_UNKNOWN; /* it has begun anew */
    uint64_t all = rfi_gwalks_all(&rfi_g.walks);
    uint64_t alike = rfi_graphs_parts.count ? 0 : rfi_gstack_all(s, made);
    if (alike > all) all = alike;
    return all > 4 * made ? all - made : 3 * made; /* if it says less, it may be wrong */
}

RFI_FN rfi_extent rfi_graphs_far(void) {
    rfi_gparts_gather();
    const rfi_gstack *s = rfi_graphs_search();
    uint32_t parts = rfi_graphs_parts.count;
    return (rfi_extent){.certain = !s->flaw && !*s->cut && !rfi_graphs_parts.shared &&
                                   !rfi_given_unwatched(),
                        .once = s->tired,
                        .sc = s->sc,
                        .open = s->exhausted ? 0 : parts + !parts,
                        .number = 1 + s->before};
}

/* Two digits of it are enough. */
RFI_FN uint64_t rfi_graphs_about(uint64_t n) {
    uint64_t unit = 1;
    while (n / unit >= 100) unit *= 10;
    return (n + unit / 2) / unit * unit;
}

/* Why what was explored need not be all, by rfi_gflaw. */
RFI_VAR const char *const rfi_graphs_why[] = {
    "",
    "the same choices led elsewhere",
    "some are too long to be kept",
    "chance had a part",
    "some have failed, and ended there",
    "plain accesses race",
    "a handler races with the thread that it interrupts: see RF_STRATEGY=random",
    "atomics of different sizes overlap",
    "something was written unannounced",
    "there are more than 32 threads",
    "an invariant looks between the operations of threads",
    "some reach the limit of steps",
    "it has time-outs, which are explored under --timeouts=any",
    "a wait may time out again and again (--unroll=N: N times)",
    "a timer sends again and again: --unroll=N explores N times",
    "interrupts strike anywhere",
    "the test keeps state between executions",
    "plain accesses were not watched",
    "what the clock says is one of many things",
    "calls are to be in the order of time, which graphs have not",
    "a thread waits for what is not seen",
    "a loop that waits changes something of its own in each round",
    "a thread may end before others have used its stack",
    "there are operations that are not explored, such as"};

RFI_FN const char *rfi_graphs_summary(void) {
    static char text[512];
    rfi_gparts_gather();
    const rfi_gstack *s = rfi_graphs_search();
    unsigned long long n = s->explored;
    const rfi_gparts *p = &rfi_graphs_parts;
    bool done = s->exhausted && !s->flaw, all = done && !*s->cut && !p->shared;
    if (!n && !s->blocked) return NULL;
    int at = all && n > 1 ? snprintf(text, sizeof text, "all %llu executions explored", n)
             : all        ? snprintf(text, sizeof text, "the one execution explored")
                   : snprintf(text, sizeof text, "%llu execution%s explored", n, n == 1 ? "" : "s");
    if (s->sc) at += snprintf(text + at, sizeof text - (size_t)at, " " RFI_UNDER_SC);
    if (s->blocked)
        at += snprintf(text + at, sizeof text - (size_t)at, " (%llu blocked)",
                       (unsigned long long)s->blocked);
    if (p->shared)
        at += snprintf(text + at, sizeof text - (size_t)at, " as shard %u of %u", p->shard + 1,
                       p->shards);
    if (s->turned)
        at += snprintf(text + at, sizeof text - (size_t)at, " up to symmetry of threads");
    if (s->tired) at += snprintf(text + at, sizeof text - (size_t)at, RFI_NOT_TWICE);
    if (all) rfi_add_unwatched(text, sizeof text);
    if (!done)
        at += snprintf(text + at, sizeof text - (size_t)at, ", %s%s%s",
                       s->exhausted ? "not known to be all" : "there are more",
                       !s->flaw       ? ""
                       : s->exhausted ? ": "
                                      : "; ",
                       rfi_graphs_why[s->flaw]);
    if (*s->cut) at += snprintf(text + at, sizeof text - (size_t)at, ", cut: %s", s->cut);
    bool guesses = !done && !s->flaw && !*s->cut && !p->shared;
    if (guesses && rfi_gwalks_all(&rfi_g.walks) > n + s->blocked)
        snprintf(text + at, sizeof text - (size_t)at, ", about %llu in all",
                 (unsigned long long)rfi_graphs_about(rfi_gwalks_all(&rfi_g.walks)));
    if (s->flaw == RFI_G_OTHER) snprintf(text + at, sizeof text - (size_t)at, " \"%s\"", s->other);
    return text;
}

RFI_FN void rfi_graphs_opens(uint64_t seed) {
    rfi_graphs_waits_begin();
    if (RFI_UNLIKELY(rfi_given_unroll())) rfi_graphs_unroll_begin();
    rfi_graphs_begin(seed);
}

/* clang-format off */
RFI_VAR rf_strategy rfi_graphs_strategy = {
    .name = "graphs",
    .help = "all executions that C11 allows, each once",
    .begin = rfi_graphs_opens,
    .pick = rfi_graphs_pick,
    .end = rfi_graphs_end,
    .lone = true,
    .rfi_c11 = true,
    .values = true,
    .rfi_made = rfi_graphs_events,
    .rfi_struck = rfi_graphs_struck,
    .rfi_stuck = rfi_graphs_nobody,
    .events = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) |
              RF_EV_BIT(RF_EV_FENCE) | RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN) |
              RF_EV_BIT(RF_EV_DEPART) | RF_EV_BIT(RF_EV_EXIT) | RF_EV_BIT(RF_EV_DETACH) |
              RF_EV_BIT(RF_EV_ONCE_DONE) | RFI_G_OBJECT_EVENTS | RF_EV_BIT(RF_EV_INIT) |
              RF_EV_BIT(RF_EV_DESTROY) | RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) |
              RF_EV_BIT(RF_EV_RECYCLE),
    .event = rfi_graphs_event,
    .choose = rfi_graphs_choose,
    .forget = rfi_graphs_forget,
    .learn = rfi_graphs_learn,
    .recall = rfi_graphs_recall,
    .serial = true,
    .exhausted = rfi_graphs_exhausted,
    .left = rfi_graphs_left,
    .summary = rfi_graphs_summary,
    .rfi_reached = rfi_graphs_far,
    .rfi_divide = rfi_graphs_divide,
    .rfi_part = rfi_graphs_part,
    .rfi_shard = rfi_graphs_shard,
    .rfi_keeps = rfi_graphs_kept,
    .rfi_go_on = rfi_graphs_go_on};
/* clang-format on */
#endif
#endif
