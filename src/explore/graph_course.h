/* explore/graph_course.h: one execution of `graphs`: the events that are given are repeated, then
 * new ones are added, and memory gives what they read.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_COURSE_H
#define RFI_EXPLORE_GRAPH_COURSE_H
#include "explore/graph_begin.h"

#ifdef RFI_IMPL
/* ---- what is to be done ---- */

/* A plain access is an event where it is not the first of its location: if it does not race, all
 * that was stored there before happens before it, and nothing else has to do with it. */
RFI_INLINE bool rfi_graphs_plain(const rf_event *e) {
    const rfi_gplace *x = rfi_gplaces_find(&rfi_g.places, e->addr, e->size);
    return x && (e->flags & RF_EV_WRITES || x->stores > 1);
}

/* Who waits for what is outside looks once after each call of others, at once: what they have done
 * there is to be seen then. */
RFI_FN rfi_gdeed rfi_graphs_yields(const rf_event *e) {
    rfi_awaited outside = rfi_given_outside(e->thread);
    if (RFI_LIKELY(outside == RFI_INSIDE)) return RFI_G_LOCAL;
    if (outside == RFI_SKIPS) return RFI_G_AWAITS;
    if (outside != RFI_OUTSIDE_TAKES) return RFI_G_UNTREATED;
    return rfi_g.saw[rfi_graphs_thread(e->thread)] == rfi_g.called ? RFI_G_AWAITS : RFI_G_LOCAL;
}

/* Does it depend on how far a thread has come? */
RFI_FN bool rfi_graphs_asks(const rf_event *e) {
    return e->kind == RF_EV_CALL && !e->addr && !e->object;
}

/* A call.  What has ended the wait before it is an event of its own. */
RFI_FN rfi_gdeed rfi_graphs_calls(const rf_event *e) {
    bool about = rfi_graphs_asks(e), own = e->other == e->thread && !rfi_graphs_met(RFI_G_ENDS);
    bool known = e->addr || about || e->flags & RF_EV_SHARED ||
                 rfi_given_type(e->object) == RFI_RWLOCK; /* a writer comes */
    if (about ? own : !e->text) return RFI_G_LOCAL;       /* the way back from a creation, too */
    if (rf_reads_clock(e)) return RFI_G_LOCAL;
    if (!known || rfi_looks_at_all(e)) return RFI_G_UNTREATED;
    if (about && e->flags & RF_EV_TIMED && !rfi_given_any_time()) return RFI_G_UNTREATED;
    return rfi_g.looks >> rfi_graphs_thread(e->thread) & 1 ? RFI_G_QUEUED : RFI_G_OBJECT;
}

RFI_FN rfi_gdeed rfi_graphs_deed(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOAD:
        if (RFI_UNLIKELY(e->object)) return RFI_G_LOOK;
        /* fall through */
    case RF_EV_STORE:
        if (e->flags & (RF_EV_ATOMIC | RF_EV_RACY)) return RFI_G_MEMORY;
        return rfi_graphs_plain(e) ? RFI_G_MEMORY : RFI_G_LOCAL;
    case RF_EV_RMW: return RFI_G_MEMORY;
    case RF_EV_PARK:
        if (rfi_given_type(e->object) != RFI_FUTEX_WORD) return RFI_G_UNTREATED;
        if (e->flags & RF_EV_TIMED && !rfi_given_any_time()) return RFI_G_UNTREATED;
        return rfi_g.woken >> rfi_graphs_thread(e->thread) & 1 ? RFI_G_LOCAL : RFI_G_QUEUED;
    case RF_EV_WAKE:
        if (rfi_g.talk.over) return RFI_G_OBJECT;
        return rfi_g.woken >> rfi_graphs_thread(e->thread) & 1 ? RFI_G_OBJECT : RFI_G_QUEUED;
    case RF_EV_LOCK:
    case RF_EV_WAIT:
        if (e->flags & RF_EV_TIMED && !rfi_given_any_time()) return RFI_G_UNTREATED;
        return RFI_G_OBJECT;
    case RF_EV_UNLOCK:
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST:
    case RF_EV_UNPARK:
    case RF_EV_ARRIVE:
    case RF_EV_ONCE:
    case RF_EV_SEM_POST: return RFI_G_OBJECT;
    case RF_EV_SLEEP:
        if (rfi_given_outside(e->thread)) return RFI_G_UNTREATED;
        return rfi_given_any_time() ? RFI_G_LOCAL : RFI_G_UNTREATED;
    case RF_EV_CALL: return rfi_graphs_calls(e);
    case RF_EV_YIELD: return rfi_graphs_yields(e);
    case RF_EV_FENCE:
    case RF_EV_DEPART:
    case RF_EV_JOIN: return RFI_G_SYNC;
    case RF_EV_RELOCK:
    case RF_EV_REUNLOCK:
    case RF_EV_START:
    case RF_EV_FREE:
    case RF_EV_END:
    case RF_EV_BREAK: return RFI_G_LOCAL;
    default: return RFI_G_UNTREATED;
    }
}

/* The memory order of an announced access, as the event has it. */
RFI_INLINE uint8_t rfi_graphs_order(const rf_event *e) {
    if (RFI_UNLIKELY(!(e->flags & RF_EV_ATOMIC)))
        return e->flags & RF_EV_RACY ? __ATOMIC_RELAXED : RF_ORDER_PLAIN;
    return e->order == __ATOMIC_CONSUME ? __ATOMIC_ACQUIRE : e->order;
}

/* The event that it is, or the read half of it; its location is not known yet. */
RFI_FN rfi_gevent rfi_graphs_access(const rf_event *e) {
    const rfi_compare *compare = rfi_given_compare(e->thread);
    rfi_gevent x = {.kind = e->flags & RF_EV_READS ? RFI_G_READ : RFI_G_WRITE,
                    .order = rfi_graphs_order(e),
                    .thread = rfi_graphs_thread(e->thread),
                    .source = RFI_NO_EVENT};
    if (e->kind != RF_EV_RMW) return x;
    x.flags = RFI_G_CHANGES;
    if (!compare) return x;
    x.flags |= RFI_G_COMPARES | (compare->weak ? RFI_G_WEAK : 0);
    x.failure = compare->failure;
    return x;
}

/* ---- memory ---- */

/* Memory gives a read what that write has stored. */
RFI_INLINE void rfi_graphs_give_of(const rf_event *next, uint32_t write) {
    rfi_graphs *r = &rfi_g;
    rfi_gplace *x = r->place;
    rf_event *done = rfi_given_event(next->thread);
    uint32_t slot = write == RFI_NO_EVENT ? 0 : r->graph.seen[write].slot;
    rfi_gplace_give(x, slot, done, &r->origin);
    if (x->stores > 1) rfi_choices_made(&r->choices, x->stores - 1 - slot);
    done->write_slot = (uint8_t)x->stores;
}

/* Its source, and the chosen result. */
RFI_FN void rfi_graphs_give(const rf_event *next, uint32_t read) {
    rfi_graphs *r = &rfi_g;
    const rfi_gevent *e = &r->graph.event[read];
    rfi_compare *compare = rfi_given_compare(next->thread);
    rfi_graphs_give_of(next, e->source);
    r->reading = read;
    if (!compare) return;
    bool fails = e->flags & RFI_G_SPURIOUS;
    if (compare->weak) rfi_choices_made(&r->choices, fails);
    compare->fails = fails;
    compare->weak = false;
}

/* The same in an execution that is told or drawn: the newest, but for what is told. */
RFI_FN void rfi_graphs_give_told(const rf_event *next) {
    rfi_graphs *r = &rfi_g;
    rfi_gplace *x = r->place;
    rf_event *done = rfi_given_event(next->thread);
    rfi_compare *compare = rfi_given_compare(next->thread);
    done->write_slot = (uint8_t)x->stores;
    if (!(next->flags & RF_EV_READS)) return;
    bool told = r->choices.way == RFI_WAY_REPLAY;
    uint32_t age = 0;
    if (x->stores > 1) {
        if (told) age = rfi_choices_given(&r->choices, x->stores);
        rfi_choices_made(&r->choices, age);
    }
    rfi_gplace_give(x, x->stores - 1 - age, done, &r->origin);
    if (!compare) return;
    if (compare->weak) {
        compare->fails = told && rfi_choices_given(&r->choices, 2);
        rfi_choices_made(&r->choices, compare->fails);
    }
    compare->weak = false;
}

/* The event has stored something: the last in mo of the stores made so far is shown. */
RFI_FN void rfi_graphs_show(rfi_gplace *x, uint32_t event) {
    rfi_graphs *r = &rfi_g;
    const rfi_gseen *seen = r->graph.seen;
    if (x->newest == RFI_NO_EVENT || seen[event].rank > seen[x->newest].rank) x->newest = event;
    x->shown = seen[x->newest].slot;
    if (RFI_LIKELY(x->shown + 1 == x->stores)) return;
    rfi_choices_made(&r->choices, RFI_G_EARLY);
    rfi_choices_made(&r->choices, x->stores - 1 - x->shown);
}

/* The same in an execution that is told. */
RFI_FN void rfi_graphs_show_told(rfi_gplace *x) {
    rfi_choices *c = &rfi_g.choices;
    if (c->way != RFI_WAY_REPLAY || c->number != c->next || c->rank != RFI_G_EARLY) return;
    rfi_choices_made(c, RFI_G_EARLY);
    uint32_t age = rfi_choices_given(c, x->stores);
    rfi_choices_made(c, age);
    x->shown = x->stores - 1 - age;
}

/* The place of an access; the graph's location belongs to it from now on. */
RFI_FN rfi_gplace *rfi_graphs_place(const rf_event *e, uint32_t location) {
    rfi_graphs *r = &rfi_g;
    rfi_glocation *at = location == RFI_NO_EVENT ? NULL : rfi_graph_location(&r->graph, location);
    rfi_gplace *x = rfi_gplaces_at(&r->places, at ? at->place : 0, e->addr, e->size);
    if (RFI_UNLIKELY(r->places.wrong_size)) rfi_graphs_leave(RFI_G_SIZES);
    if (RFI_UNLIKELY(r->places.unannounced) && !rfi_given_ended(e->addr))
        rfi_graphs_leave(RFI_G_UNANNOUNCED);
    if (RFI_UNLIKELY(x->stores > UINT8_MAX)) rfi_graphs_leave(RFI_G_LONG);
    if (!at || RFI_LIKELY(x->location == location && at->place)) return x;
    if (x->location != RFI_NO_EVENT && x->location != location) rfi_graphs_leave(RFI_G_UNREPEATED);
    if (x->location == RFI_NO_EVENT) rfi_graph_initial(at, x->memory);
    x->location = location;
    at->place = (uint32_t)(x - r->places.place) + 1;
    return x;
}

/* ---- events that are given ---- */

/* The next event of the thread, which is one of those given; RFI_NO_EVENT: it has made them all. */
RFI_FN uint32_t rfi_graphs_given(uint32_t thread) {
    const rfi_gthread *t = &rfi_g.graph.thread[thread];
    return t->executed < t->list.count ? t->list.event[t->executed] : RFI_NO_EVENT;
}

/* Is it time for it? */
RFI_FN bool rfi_graphs_due(uint32_t event) {
    const rfi_graph *g = &rfi_g.graph;
    const rfi_gevent *e = &g->event[event];
    if (event == rfi_g.last && rfi_g.left > 1) return false;
    if (e->flags & RFI_G_BLOCKED) return false;
    if (e->kind != RFI_G_READ && e->kind != RFI_G_WAKE) return true;
    return e->source == RFI_NO_EVENT || g->seen[e->source].executed;
}

/* The same update as before, with the same result? */
RFI_FN void rfi_graphs_update_again(const rf_event *next, uint32_t event) {
    rfi_graph *g = &rfi_g.graph;
    rfi_gevent *e = &g->event[event], now = rfi_graphs_access(next);
    rfi_gseen *s = &g->seen[event];
    const rfi_compare *compare = rfi_given_compare(next->thread);
    if (compare) s->value = rfi_word_of(compare->expected, next->size);
    now.flags &= (uint8_t) ~(RFI_G_WEAK & ~e->flags);
    const rfi_word *value = rfi_graph_value(g, e->location, e->source);
    rfi_goption way;
    bool fails = e->flags & RFI_G_SPURIOUS;
    if (!rfi_graph_result(g, &now, &s->value, value, e->source, fails, &way))
        rfi_graphs_leave(RFI_G_SOUND);
    if (!fails) e->flags = way.flags;
}

/* The thread is about to make an event that is given. */
RFI_FN void rfi_graphs_repeat(const rf_event *next, rfi_gdeed deed, uint32_t event) {
    rfi_graphs *r = &rfi_g;
    rfi_gevent *e = &r->graph.event[event];
    if (deed != RFI_G_MEMORY) {
        bool same = (e->kind == RFI_G_FENCE && next->kind == RF_EV_FENCE) ||
                    (e->kind == RFI_G_WAKE && next->kind == RF_EV_DEPART) ||
                    (e->kind == RFI_G_JOIN && next->kind == RF_EV_JOIN);
        if (!same) rfi_graphs_leave(RFI_G_UNREPEATED);
        return;
    }
    uint8_t kind = next->flags & RF_EV_READS ? RFI_G_READ : RFI_G_WRITE;
    if (kind != e->kind || rfi_graphs_order(next) != e->order) rfi_graphs_leave(RFI_G_UNREPEATED);
    r->place = rfi_graphs_place(next, e->location);
    if (e->kind != RFI_G_READ) {
        rfi_given_event(next->thread)->write_slot = (uint8_t)r->place->stores;
        return;
    }
    bool initial = e->source == RFI_NO_EVENT;
    if (initial && e->print != r->graph.location[e->location].print) rfi_graphs_leave(RFI_G_STATE);
    rfi_gseen *s = &r->graph.seen[event];
    s->site = next->site;
    s->footing = rfi_given_footed(next->thread, &r->places.arena);
    if (next->kind == RF_EV_RMW)
        rfi_graphs_update_again(next, event);
    else if (e->flags)
        rfi_graphs_leave(RFI_G_UNREPEATED);
    const rfi_gframe *f = rfi_gstack_top(&r->stack);
    if (f->unsure && event == f->read && r->given == f->given) { /* nothing has come of it yet */
        rfi_graph_follow(&r->graph, event);
        if (!rfi_graph_ordered(&r->graph, NULL, event, e->source)) rfi_graphs_leave(RFI_G_SOUND);
    }
    rfi_graphs_give(next, event);
}

/* ---- new events ---- */

/* Can the execution that has come to the event go on with the first option?  With a revisit only if
 * that takes nothing away, and the read has not returned yet. */
RFI_FN bool rfi_graphs_may_go_on(const rfi_goptions *o) {
    if (!o || !o->count) return false;
    const rfi_goption *first = &o->option[0];
    return first->way == RFI_G_SOURCE ||
           (first->whole && rfi_g.graph.event[first->read].flags & RFI_G_BLOCKED);
}

RFI_FN void rfi_graphs_teach(uint32_t event, bool options) {
    rfi_graphs *r = &rfi_g;
    rfi_goptions *o = options ? &r->options : NULL;
    bool stops = o && o->count && !rfi_graphs_may_go_on(o);
    if (o && o->count > 1 && r->stack.walks) {
        uint32_t i = rfi_below(&r->dice, o->count);
        rfi_goption first = o->option[0];
        o->option[0] = o->option[i];
        o->option[i] = first;
    }
    bool goes_on = rfi_graphs_may_go_on(o);
    rfi_gtalk_event(&r->talk, &r->graph.event[event], o, goes_on, stops);
    if (r->graph.turned && !r->stack.turned) rfi_talk_say(&r->talk, RFI_G_SAY_TURNED);
    if (o && rfi_graph_unchains(&r->graph, event)) {
        rfi_talk_say(&r->talk, RFI_G_SAY_UNCHAINED);
        rfi_graphs_leave(RFI_G_SOUND);
    }
    if (options && !goes_on) rfi_graphs_leave(RFI_G_SOUND);
}

/* The next event of a thread begins. */
RFI_FN uint32_t rfi_graphs_add(const rfi_gevent *e) {
    rfi_graph *g = &rfi_g.graph;
    if (g->events >= RFI_GRAPH_EVENTS) rfi_graphs_leave(RFI_G_LONG);
    return rfi_graph_add(g, e);
}

RFI_INLINE void rfi_graphs_done(uint32_t event) {
    rfi_graph *g = &rfi_g.graph;
    if (event >= g->same || g->event[event].kind == RFI_G_CREATE) rfi_graph_follow(g, event);
    g->seen[event].executed = true;
    g->thread[g->event[event].thread].executed++;
    if (event < rfi_g.given) rfi_g.left--;
}

/* An access that is no given event is about to be executed. */
RFI_FN void rfi_graphs_access_new(const rf_event *next) {
    rfi_graphs *r = &rfi_g;
    rfi_graph *g = &r->graph;
    rfi_gevent e = rfi_graphs_access(next);
    r->place = rfi_graphs_place(next, RFI_NO_EVENT);
    if (r->place->location == RFI_NO_EVENT) (void)rfi_graphs_place(next, g->locations);
    e.location = r->place->location;
    if (e.kind != RFI_G_READ) {
        rfi_given_event(next->thread)->write_slot = (uint8_t)r->place->stores;
        return; /* when its value is known */
    }
    rfi_word desired = {0, 0};
    const rfi_compare *compare = rfi_given_compare(next->thread);
    e.print = g->location[e.location].print;
    uint32_t read = rfi_graphs_add(&e);
    g->seen[read].site = next->site;
    g->seen[read].footing = rfi_given_footed(next->thread, &r->places.arena);
    if (compare) {
        g->seen[read].value = rfi_word_of(compare->expected, next->size);
        desired = rfi_word_of(compare->desired, next->size);
    }
    rfi_graph_read_options(g, &r->options, read, compare ? &desired : NULL);
    if (r->options.tired) {
        e.flags &= (uint8_t)~RFI_G_WEAK;
        rfi_talk_say(&r->talk, RFI_G_SAY_TIRED);
    }
    g->event[read].flags = e.flags;
    g->event[read].pick = e.pick;
    rfi_graphs_teach(read, true);
    g->event[read].source = r->options.option[0].source;
    g->event[read].flags = r->options.option[0].flags;
    rfi_graphs_give(next, read);
}

/* A write has been executed, or the write half of an update: NULL, then. */
RFI_FN void rfi_graphs_written(const rf_event *done) {
    rfi_graphs *r = &rfi_g;
    rfi_graph *g = &r->graph;
    uint32_t slot = r->place->stores, event = rfi_graphs_given(rfi_graphs_thread(done->thread));
    rfi_gplace_stored(r->place, done);
    bool fresh = event == RFI_NO_EVENT;
    if (fresh) {
        rfi_gevent e = {.kind = RFI_G_WRITE,
                        .order = rfi_graphs_order(done),
                        .flags = done->kind == RF_EV_RMW ? RFI_G_UPDATES : 0,
                        .thread = rfi_graphs_thread(done->thread),
                        .location = r->place->location,
                        .source = RFI_NO_EVENT};
        event = rfi_graphs_add(&e);
    }
    g->seen[event].value = r->place->memory;
    g->seen[event].slot = slot;
    rfi_graphs_done(event);
    if (fresh) {
        rfi_graph_write_options(g, &r->options, event);
        rfi_graphs_teach(event, true);
        if (r->left_early) return;
        uint32_t behind = r->options.option[0].source;
        rfi_graph_put(g, event, behind == RFI_NO_EVENT ? 0 : g->seen[behind].rank);
    }
    rfi_graphs_show(r->place, event);
}

/* A fence, a creation, a join. */
RFI_FN void rfi_graphs_synced(const rf_event *done, rfi_gkind kind) {
    uint8_t thread = rfi_graphs_thread(done->thread);
    uint32_t event = rfi_graphs_given(thread);
    if (event == RFI_NO_EVENT) {
        rfi_gevent e = {.kind = (uint8_t)kind, .order = done->order, .thread = thread};
        if (kind != RFI_G_FENCE) e.location = rfi_graphs_thread(done->other);
        event = rfi_graphs_add(&e);
        rfi_graphs_teach(event, false);
    } else if (rfi_g.graph.event[event].kind != kind) {
        rfi_graphs_leave(RFI_G_UNREPEATED);
        return;
    }
    rfi_graphs_done(event);
}
#endif
#endif
