/* explore/dpor.h: every partial order of the operations once: dynamic partial order reduction.
 *
 * Source-DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order
 * reduction, POPL 2014, Algorithm 1).  Two executions that differ in the order of operations which
 * commute (rf_events_depend) are one trace.  For each step of an execution the races with earlier
 * steps are found with vector clocks; where the later of the two could have come first, and no
 * thread with which such an execution could begin is in the source set of the state before the
 * earlier one, such a thread is added to it.  What has been tried in a state sleeps in the
 * executions from its other threads until something is executed that does not commute with it.
 *
 * Threads that wait.  An operation that was blocked right before the earlier of two dependent
 * operations can't have come first there (an unlock and the next lock), and is compared with those
 * before (the lock, and the lock); so are the operations that wait for ever in the end.  The kinds
 * of the operations tell whether it was blocked, if it had not been announced then; where they do
 * not, both are done, which costs executions and loses none.  What a thread held back as a spinner
 * does commutes with nothing, since any step sets it free.  An operation that ends the execution (a
 * failure, a crash) is no end of what the other threads may do: they are tried instead of it.
 *
 * Interrupts and signals.  An operation that takes the core or gives it back (a strike, its end, a
 * mask) holds up or sets free other threads, so it commutes with nothing: strikes come at every
 * step, and threads are still reduced among each other.  An operation that was held up before the
 * earlier of two is compared with what came before that, up to the strike.
 *
 * Guarantee: when it ends, each trace has been run exactly once, beside executions that the sleep
 * sets stop short ("blocked": they run on, but show nothing new); so every assertion that can fail
 * and every deadlock has been seen.  Conditions: the bodies repeat; nothing is drawn (memory is
 * sequentially consistent, no wake-up is spurious; time-outs are explored choices); with coarse
 * granularity, the plain accesses that are no scheduling points have no races.
 *
 * steps.h has what an execution knows of its steps, traces.h the tree.
 */
#ifndef RFI_EXPLORE_DPOR_H
#define RFI_EXPLORE_DPOR_H
#include "engine/given.h"
#include "explore/steps.h"

#ifdef RFI_IMPL
RFI_VAR rfi_choices rfi_dpor_choices;
RFI_VAR rfi_traces rfi_dpor_traces;
RFI_VAR rfi_course rfi_dpor_course;

RFI_FN void rfi_dpor_begin(uint64_t seed) {
    rfi_course *r = &rfi_dpor_course;
    bool over = rfi_dpor_traces.exhausted;
    rfi_choices_begin(&rfi_dpor_choices, seed, over && !rfi_dpor_traces.flaw, over);
    r->talk.over = rfi_dpor_choices.way != RFI_WAY_EXPLORE;
    if (r->talk.over) return;
    r->talk.taught = 0;
    r->met = r->steps = r->clocks = r->objects = 0;
    if (r->runner) memset(r->runner, 0, r->runner_capacity * sizeof *r->runner);
    rfi_path_copy(&r->path, &rfi_dpor_traces.path);
    r->fresh = rfi_path_state(&r->path) ? UINT32_MAX : 0;
    if (!r->path.nodes) rfi_talk_say(&r->talk, RFI_SAY_FOLLOWED);
}

RFI_FN void rfi_dpor_touches(rfi_course *r, rfi_dpor_step *s, uint32_t object);
RFI_FN void rfi_dpor_alone(rfi_course *r);

RFI_FN void rfi_dpor_announced(const rf_event *next) {
    rfi_course *r = &rfi_dpor_course;
    if (r->talk.over) return;
    bool lasts = next->kind == RF_EV_SLEEP || next->flags & RF_EV_TIMED;
    if (lasts && rfi_dpor_traces.clock && r->steps)
        rfi_dpor_touches(r, &r->step[r->steps - 1], RFI_CLOCK);
    /* a step of another thread after this one sets it free, one before it does not */
    bool spins = rf_thread_spins(next->thread) && !rf_thread_awaits(next->thread);
    if (spins && r->steps) rfi_dpor_alone(r);
    r->runner = rfi_grow(r->runner, &r->runner_capacity, next->thread + 1, sizeof *r->runner);
    rfi_dpor_thread *a = &r->runner[next->thread];
    if (!a->known) a->after = r->steps;
    a->known = true;
    bool seen = rf_invariants() || rfi_given_in_time(); /* the state between two steps */
    a->alone = spins || rf_thread_due(next->thread) || seen || rf_moves_core(next) ||
               (next->kind == RF_EV_END && rf_thread_enabled(next->thread));
}

/* The last step is complete. */
RFI_FN void rfi_dpor_finish(rfi_course *r) {
    rfi_dpor_step *s = r->steps ? &r->step[r->steps - 1] : NULL;
    if (!s || s->known) return;
    s->known = true;
    rfi_dpor_relate(r, s, r->steps - 1, &s->e);
    if (s->e.kind == RF_EV_JOIN && !rf_thread_alive(s->e.other)) /* behind its last step, too */
        r->clock[s->clock + s->e.other] = r->runner[s->e.other].steps + 1;
}

/* ---- nodes ---- */

/* On the learned path: false if something else is met there than was taught. */
RFI_FN bool rfi_dpor_follow(rfi_course *r, bool same) {
    if (!same) {
        rfi_talk_number(&r->talk, RFI_SAY_LEFT, r->met);
        r->talk.over = true;
        return false;
    }
    if (++r->met == r->path.nodes) rfi_talk_say(&r->talk, RFI_SAY_FOLLOWED);
    return true;
}

RFI_FN bool rfi_dpor_same(const rfi_path *p, const rfi_node *n, const rf_choice *c) {
    if (n->value || n->options != c->count || n->print != rfi_choice_print(c)) return false;
    for (uint32_t i = 0; i < n->options; i++)
        if (rfi_node_option(p, n, i)->thread != rfi_choice_at(c, i)) return false;
    return true;
}

/* Does a candidate that was asleep or has been tried in the state before sleep on, now that the
 * step from there is known? */
RFI_FN bool rfi_dpor_sleeps(const rfi_course *r, const rfi_node *from, uint32_t thread) {
    const rfi_path *p = &r->path;
    const rfi_dpor_option *o = rfi_node_thread(p, from, thread);
    if (!o || !(o->state & (RFI_TRIED | RFI_SLEEPS)) || o->state & RFI_ALONE ||
        o == rfi_node_taken(p, from))
        return false;
    const rfi_dpor_step *last = &r->step[r->steps - 1];
    rf_event e = *rf_next_event(thread);
    if (o->state & RFI_ONLY_READ) {
        e.kind = RF_EV_LOAD;
        e.flags = (uint16_t)(e.flags & ~RF_EV_WRITES);
    }
    if (rfi_step_depends(p, last, &e, rfi_touched_bits(&e), r->runner[thread].alone)) return false;
    for (uint32_t i = 0; i < o->objects; i++) {
        e = rfi_object_event(p->object[o->object + i], thread);
        if (rfi_step_depends(p, last, &e, rfi_touched_bits(&e), false)) return false;
    }
    return true;
}

/* Does some thread wait, and not for the end of another one? */
RFI_FN bool rfi_dpor_blocks(void) {
    for (uint32_t t = 0; t < rf_threads(); t++)
        if (rf_thread_alive(t) && !rf_thread_enabled(t) && rf_next_event(t)->kind != RF_EV_JOIN &&
            rf_next_event(t)->kind != RF_EV_END)
            return true;
    return false;
}

/* A state that is new; what is taken there: the first by rank that does not sleep.  NULL: all do.
 */
RFI_FN rfi_node *rfi_dpor_node(rfi_course *r, const rf_choice *c) {
    rfi_path *p = &r->path;
    rfi_path_settle(p);
    const rfi_node *from = rfi_path_state(p);
    uint32_t before = from ? (uint32_t)(from - p->node) : RFI_NO_NODE, best = c->count, rank = 0;
    rfi_node *n = rfi_path_add(p, false, c->count);
    from = before == RFI_NO_NODE ? NULL : &p->node[before];
    while (rfi_choice_at(c, rank) != rfi_dpor_choices.first) rank++;
    rank = c->count - rank; /* of candidate 0 */
    n->taken = RFI_NO_NODE;
    for (uint32_t i = 0; i < c->count; i++, rank++) {
        rfi_dpor_option *o = rfi_node_option(p, n, i);
        o->thread = rfi_choice_at(c, i);
        if (from && rfi_dpor_sleeps(r, from, o->thread)) {
            o->state = RFI_SLEEPS;
            rfi_path_inherit(p, from, o);
        } else if (rank % c->count < best) {
            best = rank % c->count;
            n->taken = i;
        }
    }
    if (n->taken == RFI_NO_NODE) return NULL;
    rfi_node_taken(p, n)->state = RFI_WANTED;
    n->print = rfi_choice_print(c);
    n->blocks = rfi_dpor_blocks();
    rfi_talk_node(&r->talk, p, n);
    r->met = p->nodes;
    return n;
}

/* What waits for ever, as far as this execution goes, or is held up while another one has the core,
 * may have been able to go on before.  `n`: the last state, in which others could have gone on. */
RFI_FN void rfi_dpor_waiting(rfi_course *r, const rfi_node *n) {
    for (uint32_t t = 0; t < rf_threads(); t++) {
        bool goes_on = rf_thread_enabled(t) && (!n || rfi_node_thread(&r->path, n, t));
        if (!rf_thread_alive(t) || goes_on || !r->runner[t].known) continue;
        rfi_dpor_step s = rfi_step_of(r, t);
        rfi_dpor_relate(r, &s, r->steps, &s.e);
        r->clocks -= s.width;
    }
}

RFI_FN uint32_t rfi_dpor_explore(rfi_course *r, const rf_choice *c) {
    rfi_path *p = &r->path;
    rfi_node *n = NULL;
    rfi_dpor_finish(r);
    if (r->met < p->nodes) {
        n = &p->node[r->met];
        if (!rfi_dpor_follow(r, rfi_dpor_same(p, n, c))) return rfi_dpor_choices.first;
        if (n == rfi_path_state(p)) r->fresh = r->steps;
    } else if (!(n = rfi_dpor_node(r, c))) {
        rfi_dpor_waiting(r, rfi_path_top(p));
        rfi_path_pop(p);
        rfi_talk_say(&r->talk, RFI_SAY_BLOCKED);
        r->talk.over = true;
        return rfi_dpor_choices.first;
    }
    uint32_t thread = rfi_node_taken(p, n)->thread;
    rfi_course_step(r, n, thread);
    return thread;
}

/* ---- the strategy ---- */

RFI_FN uint32_t rfi_dpor_pick(const rf_choice *c) {
    rfi_choices *x = &rfi_dpor_choices;
    uint32_t thread;
    rfi_choices_look(x, c);
    if (x->way == RFI_WAY_EXPLORE)
        thread = rfi_dpor_course.talk.over ? x->first : rfi_dpor_explore(&rfi_dpor_course, c);
    else if (c->count == 1)
        return rfi_choice_at(c, 0);
    else
        thread = rfi_rank_thread(x, c, rfi_choices_given(x, c->count));
    if (c->count > 1) rfi_choices_made(x, rfi_rank_of(x, c, thread));
    return thread;
}

RFI_FN uint32_t rfi_dpor_value(rfi_course *r, uint32_t options) {
    rfi_path *p = &r->path;
    if (r->talk.over) return 0;
    if (r->met < p->nodes) {
        const rfi_node *n = &p->node[r->met];
        return rfi_dpor_follow(r, n->value && n->options == options) ? n->taken : 0;
    }
    (void)rfi_path_add(p, true, options);
    r->met = p->nodes;
    rfi_talk_number(&r->talk, RFI_SAY_VALUE, options);
    return 0;
}

RFI_FN uint32_t rfi_dpor_choose(uint32_t n) {
    rfi_choices *x = &rfi_dpor_choices;
    uint32_t value =
        x->way == RFI_WAY_EXPLORE ? rfi_dpor_value(&rfi_dpor_course, n) : rfi_choices_given(x, n);
    rfi_choices_made(x, value);
    return value;
}

/* What follows is what would have followed if the spinner had been held back. */
RFI_FN void rfi_dpor_repeats(void) {
    rfi_course *r = &rfi_dpor_course;
    if (r->talk.over) return;
    rfi_dpor_finish(r);
    rfi_talk_say(&r->talk, RFI_SAY_BLOCKED);
    r->talk.over = true;
}

/* The operation of the last step was executed.  An update that leaves what it has found has only
 * read: a failed compare-exchange, an exchange of what is there already. */
RFI_FN void rfi_dpor_executed(rfi_course *r, rfi_dpor_step *s, const rf_event *e) {
    bool vain = e->kind == RF_EV_RMW && e->value == e->value2 && e->size <= sizeof e->value;
    bool only_read = s->e.kind == RF_EV_RMW && (e->kind == RF_EV_LOAD || vain);
    s->e.kind = vain ? RF_EV_LOAD : e->kind;
    s->e.flags = vain ? (uint16_t)(e->flags & ~RF_EV_WRITES) : e->flags;
    s->e.value = e->value;
    if (only_read && r->steps > r->fresh) {
        rfi_node_taken(&r->path, &r->path.node[s->node])->state |= RFI_ONLY_READ;
        rfi_talk_say(&r->talk, RFI_SAY_READ);
    }
    rfi_dpor_finish(r);
}

/* The last step has touched something that its operation does not tell. */
RFI_FN void rfi_dpor_touches(rfi_course *r, rfi_dpor_step *s, uint32_t object) {
    rf_event touched = rfi_object_event(object, s->e.thread);
    s->bits |= rfi_touched_bits(&touched);
    rfi_step_grows(s);
    if (r->steps > r->fresh) {
        rfi_path_object(&r->path, object);
        s->objects++;
        rfi_talk_number(&r->talk, RFI_SAY_OBJECT, object);
    }
    rfi_dpor_relate(r, s, r->steps - 1, &touched);
}

/* The last step commutes with nothing, as is known now. */
RFI_FN void rfi_dpor_alone(rfi_course *r) {
    rfi_dpor_step *s = &r->step[r->steps - 1];
    if (s->alone) return;
    s->alone = true;
    rfi_step_grows(s);
    if (r->steps > r->fresh) {
        rfi_node_taken(&r->path, &r->path.node[s->node])->state |= RFI_ALONE;
        rfi_talk_say(&r->talk, RFI_SAY_ALONE);
    }
    if (s->known) rfi_dpor_relate(r, s, r->steps - 1, &s->e);
}

/* The thread of the last step has made or ended an object, or taken from it.  Nobody else knows one
 * in memory that was allocated in this very step. */
RFI_FN void rfi_dpor_object(rfi_course *r, rfi_dpor_step *s, uint32_t object) {
    const char *at = rf_object_address(object);
    if (at >= r->block && at < r->blocks_end) return;
    rfi_dpor_touches(r, s, object > r->objects ? rfi_object_place(object) : object);
}

RFI_FN void rfi_dpor_made(rfi_course *r, const rf_event *e) {
    r->runner = rfi_grow(r->runner, &r->runner_capacity, e->thread + 1, sizeof *r->runner);
    rfi_dpor_thread *a = &r->runner[e->thread];
    a->block = e->object;
    a->made = a->steps + 1;
    if (!r->block) r->block = e->addr;
    r->blocks_end = (const char *)e->addr + e->size;
}

/* A block goes.  Could another thread have made its last one behind that, at its place? */
RFI_FN void rfi_dpor_freed(const rfi_course *r, const rfi_dpor_step *s, const rf_event *e) {
    for (uint32_t u = 0; u < s->width && u < r->runner_capacity; u++) {
        const rfi_dpor_thread *a = &r->runner[u];
        bool before = r->clock[s->clock + u] >= a->made;
        if (u != e->thread && a->block && a->block != e->object && !before) rfi_given_unused();
    }
}

RFI_FN void rfi_dpor_event(const rf_event *e) {
    rfi_course *r = &rfi_dpor_course;
    if (r->talk.over || !r->steps) return;
    rfi_dpor_step *s = &r->step[r->steps - 1];
    if (rf_reads_clock(e) && !rfi_dpor_traces.clock) rfi_talk_say(&r->talk, RFI_SAY_CLOCK);
    if (e == rf_next_event(s->e.thread)) {
        rfi_dpor_executed(r, s, e);
    } else if (e->kind == RF_EV_ALLOC) {
        rfi_dpor_made(r, e);
    } else if (e->kind == RF_EV_INIT || e->kind == RF_EV_DESTROY || e->kind == RF_EV_ONCE_DONE ||
               e->kind == RF_EV_SEM_WAIT || e->kind == RF_EV_TRYFAIL /* of a signal */) {
        rfi_dpor_object(r, s, e->object);
    }
    if (e->kind == RF_EV_FREE) rfi_dpor_freed(r, s, e);
}

/* The last step has ended the execution: whoever could have gone on instead is to be tried.  What a
 * failed assertion has seen, its thread has read; other complaints may come from anything that was
 * done before, and are made when the next operation is about to be announced. */
RFI_FN void rfi_dpor_failed(rfi_course *r) {
    const rfi_node *n = rfi_path_state(&r->path);
    rf_diagnostic why = rf_failed();
    if (!n) return;
    if (why != RF_DIAG_ASSERT && why != RF_DIAG_FAIL && why != RF_DIAG_LIVELOCK &&
        why != RF_DIAG_ENDLESS)
        rfi_dpor_alone(r);
    for (uint32_t i = 0; i < n->options; i++)
        rfi_course_todo(r, n, rfi_node_option(&r->path, n, i));
}

RFI_FN bool rfi_dpor_goes_on(void) {
    for (uint32_t t = 0; t < rf_threads(); t++)
        if (rf_thread_enabled(t)) return true;
    return false;
}

RFI_FN void rfi_dpor_end(void) {
    rfi_course *r = &rfi_dpor_course;
    if (r->talk.over) return;
    if (rf_drawn()) rfi_talk_say(&r->talk, RFI_SAY_DRAWN);
    if (rf_failed() == RF_DIAG_LIMIT) rfi_talk_say(&r->talk, RFI_SAY_LIMITED);
    if (rfi_given_cut()) rfi_talk_say(&r->talk, RFI_SAY_CUT);
    if (rfi_given_kept_state()) rfi_talk_say(&r->talk, RFI_SAY_STATE);
    rfi_dpor_finish(r);
    rfi_dpor_waiting(r, rfi_path_state(&r->path));
    if (rfi_dpor_goes_on()) rfi_dpor_failed(r);
    rfi_talk_say(&r->talk, RFI_SAY_END);
}

RFI_FN void rfi_dpor_forget(void) {
    rfi_choices_forget(&rfi_dpor_choices);
    rfi_serials_forget(&rfi_dpor_choices.serials);
    rfi_traces_forget(&rfi_dpor_traces);
}

RFI_FN void rfi_dpor_learn(const void *lesson, size_t bytes) {
    rfi_serials *x = &rfi_dpor_choices.serials;
    rfi_choices_forget(&rfi_dpor_choices);
    if (rfi_serials_learn(x, lesson, bytes)) return;
    x->choices += rfi_traces_learn(&rfi_dpor_traces, lesson, bytes);
}

RFI_FN void rfi_dpor_recall(const void *used, size_t bytes) {
    rfi_choices_recall(&rfi_dpor_choices, used, bytes);
}

RFI_FN bool rfi_dpor_exhausted(void) {
    const rfi_traces *t = &rfi_dpor_traces;
    return t->exhausted && (!t->flaw || !rfi_serials_due(&rfi_dpor_choices.serials));
}

/* Does it matter on the path where an object lies?  In the next process it may lie elsewhere.  It
 * does not as long as nobody else could go on: what was done there comes first in all executions.
 */
RFI_FN bool rfi_path_by_place(const rfi_path *p) {
    uint32_t i = 0;
    while (i < p->nodes && (p->node[i].value || p->node[i].options == 1)) i++;
    if (i == p->nodes) return false;
    for (uint32_t k = p->node[i].objects_before; k < p->objects; k++)
        if (p->object[k] & RFI_BY_PLACE) return true;
    return false;
}

RFI_FN uint32_t rfi_dpor_saved(const uint8_t **bytes) {
    static rfi_saver k;
    if (rfi_path_by_place(&rfi_dpor_traces.path)) return 0;
    k.bytes.at = 0;
    rfi_traces_save(&k, &rfi_dpor_traces);
    rfi_serials_save(&k, &rfi_dpor_choices.serials);
    *bytes = k.bytes.byte;
    return k.bytes.at;
}

RFI_FN void rfi_dpor_go_on(const uint8_t *bytes, uint32_t n) {
    rfi_saver k = {rfi_bytes_of(bytes, n), true};
    rfi_traces_save(&k, &rfi_dpor_traces);
    rfi_serials_save(&k, &rfi_dpor_choices.serials);
}

RFI_FN rfi_extent rfi_dpor_far(void) {
    const rfi_traces *t = &rfi_dpor_traces;
    return (rfi_extent){.certain = !t->flaw, .sc = true, .open = !t->exhausted, .number = t->clock};
}

/* "all 220 partial orders explored under ... (3 more executions were blocked)" */
RFI_FN const char *rfi_dpor_summary(void) {
    static char text[512];
    const rfi_traces *t = &rfi_dpor_traces;
    bool all = t->exhausted && !t->flaw;
    const char *said =
        rfi_progress_text(text, 192, t->explored, "partial order", all, t->flaw, RFI_UNDER_SC);
    size_t n = said ? strlen(text) : 0;
    if (said && t->blocked)
        snprintf(text + n, sizeof text - n, " (%llu more execution%s blocked)",
                 (unsigned long long)t->blocked, t->blocked == 1 ? " was" : "s were");
    if (said && all) rfi_add_unwatched(text, sizeof text);
    return rfi_serials_text(&rfi_dpor_choices.serials, text, sizeof text, said);
}

RFI_VAR rf_strategy rfi_dpor = {
    .name = "dpor",
    .help = "all partial orders of the operations, " RFI_UNDER_SC,
    .begin = rfi_dpor_begin,
    .pick = rfi_dpor_pick,
    .announced = rfi_dpor_announced,
    .end = rfi_dpor_end,
    .lone = true,
    .rfi_reduces = true,
    .events = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_RMW) | RF_EV_BIT(RF_EV_TRYFAIL) |
              RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_ONCE_PASS) |
              RF_EV_BIT(RF_EV_ONCE_DONE) | RF_EV_BIT(RF_EV_INIT) | RF_EV_BIT(RF_EV_DESTROY) |
              RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_WAKE) |
              RF_EV_BIT(RF_EV_CALL),
    .event = rfi_dpor_event,
    .choose = rfi_dpor_choose,
    .forget = rfi_dpor_forget,
    .learn = rfi_dpor_learn,
    .recall = rfi_dpor_recall,
    .serial = true,
    .rfi_c11 = true, /* as `graphs` */
    .repeats = rfi_dpor_repeats,
    .exhausted = rfi_dpor_exhausted,
    .rfi_reached = rfi_dpor_far,
    .rfi_keeps = rfi_dpor_saved,
    .rfi_go_on = rfi_dpor_go_on,
    .summary = rfi_dpor_summary};
#endif
#endif
