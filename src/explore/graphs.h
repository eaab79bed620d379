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
 */
#ifndef RFI_EXPLORE_GRAPHS_H
#define RFI_EXPLORE_GRAPHS_H
#include "explore/graph_places.h"
#include "explore/graph_stack.h"

#ifdef RFI_IMPL
/* What a thread is about to do. */
typedef enum rfi_gdeed { RFI_G_LOCAL, RFI_G_MEMORY, RFI_G_SYNC, RFI_G_UNTREATED } rfi_gdeed;

typedef struct rfi_graphs {
    rfi_choices choices;
    rfi_gstack stack;
    rfi_graph graph;
    rfi_gplaces places;
    rfi_goptions options;
    rfi_talk talk;
    rf_origin origin;     /* of what is read */
    uint32_t given, left; /* events of the graph at the beginning; not executed as yet */
    uint32_t last;        /* of these, the one that is executed last */
    uint32_t *thread, threads, thread_capacity; /* number in graphs + 1, by the engine's */
    uint64_t key[RFI_GRAPH_THREADS];            /* of threads by their number in graphs */
    uint32_t keys;
    bool left_early;   /* nothing more is to be shown */
    bool decides;      /* the next thread is being picked */
    uint32_t reading;  /* the read that is being executed, or RFI_NO_EVENT */
    rfi_gplace *place; /* where, or where something is written; NULL: nowhere */
} rfi_graphs;

RFI_VAR rfi_graphs rfi_g;

RFI_FN void rfi_graphs_flaw(rfi_gflaw flaw) { rfi_talk_number(&rfi_g.talk, RFI_G_SAY_FLAW, flaw); }

/* An execution that is told ends where the first one did: instead of a choice. */
# define RFI_G_STOPS UINT32_C(0x7fffffff)

RFI_FN RFI_NORETURN void rfi_graphs_stop(void) {
    rfi_choices_made(&rfi_g.choices, RFI_G_STOPS);
    rfi_given_up();
}

RFI_FN void rfi_graphs_stop_told(void) {
    const rfi_choices *x = &rfi_g.choices;
    if (x->way == RFI_WAY_REPLAY && x->number == x->next && x->rank == RFI_G_STOPS)
        rfi_graphs_stop();
}

/* The execution ends here, or, if this is no decision, at the next one, and shows nothing more. */
RFI_FN void rfi_graphs_leave(rfi_gflaw flaw) {
    if (rfi_g.left_early) return;
    if (rfi_g.places.race) rfi_graphs_flaw(RFI_G_RACE); /* which explains all else */
    if (flaw) rfi_graphs_flaw(flaw);
    rfi_talk_say(&rfi_g.talk, RFI_SAY_BLOCKED);
    rfi_talk_say(&rfi_g.talk, RFI_SAY_END);
    rfi_g.talk.over = rfi_g.left_early = true;
    if (rfi_g.decides) rfi_graphs_stop();
}

/* ---- the graph at the beginning ---- */

RFI_FN void rfi_graphs_load(void) {
    const rfi_gstack *s = &rfi_g.stack;
    const rfi_gframe *f = rfi_gstack_top(s);
    rfi_graph *g = &rfi_g.graph;
    rfi_graph_begin(g);
    for (uint32_t i = f->first; i < s->events; i++) {
        uint32_t n = rfi_graph_add(g, &s->event[i].e);
        const rfi_gevent *e = &s->event[i].e;
        if (e->kind != RFI_G_WRITE) continue;
        rfi_graph_put(g, n, e->source == RFI_NO_EVENT ? 0 : g->seen[e->source].rank);
    }
    rfi_g.given = rfi_g.left = g->events;
    rfi_g.last = !g->events ? RFI_NO_EVENT : g->events == f->given ? f->read : g->events - 1;
}

RFI_FN void rfi_graphs_begin(uint64_t seed) {
    rfi_graphs *r = &rfi_g;
    rfi_choices_begin(&r->choices, seed, r->stack.exhausted, r->stack.exhausted);
    rfi_gplaces_begin(&r->places);
    r->threads = 0;
    r->reading = RFI_NO_EVENT;
    r->place = NULL;
    r->left_early = r->decides = false;
    r->graph.interleaved = rfi_given_sc();
    r->graph.cxx20 = rfi_given_cxx20();
    r->talk.over = r->choices.way != RFI_WAY_EXPLORE;
    if (r->talk.over) return;
    r->talk.taught = 0;
    r->keys = r->stack.keys;
    memcpy(r->key, r->stack.key, sizeof r->key);
    rfi_graphs_load();
}

/* ---- threads ---- */

/* The number of an engine's thread in graphs. */
RFI_FN uint32_t rfi_graphs_thread(uint32_t t) {
    rfi_graphs *r = &rfi_g;
    if (RFI_LIKELY(t < r->threads && r->thread[t])) return r->thread[t] - 1;
    r->thread = rfi_grow(r->thread, &r->thread_capacity, t + 1, sizeof *r->thread);
    while (r->threads <= t) r->thread[r->threads++] = 0;
    uint64_t key = rf_thread_key(t);
    uint32_t n = 0;
    while (n < r->keys && r->key[n] != key) n++;
    if (n == RFI_GRAPH_THREADS) {
        rfi_graphs_leave(RFI_G_THREADS);
        return 0;
    }
    if (n == r->keys) {
        rfi_talk_begin(&r->talk, RFI_G_SAY_KEY);
        rfi_write_number(&r->talk.record, (uint32_t)key);
        rfi_write_number(&r->talk.record, (uint32_t)(key >> 32));
        rfi_talk_end(&r->talk);
        r->key[r->keys++] = key;
    }
    r->thread[t] = n + 1;
    return n;
}

/* What the thread knows now. */
RFI_FN const rfi_gclock *rfi_graphs_clock(const rfi_gthread *t) {
    return t->executed ? &rfi_g.graph.seen[t->list.event[t->executed - 1]].hb : &t->hb;
}

/* ---- what is to be done ---- */

/* A plain access is an event where it is not the first of its location: if it does not race, all
 * that was stored there before happens before it, and nothing else has to do with it. */
RFI_FN bool rfi_graphs_plain(const rf_event *e) {
    const rfi_gplace *x = rfi_gplaces_find(&rfi_g.places, e->addr, e->size);
    return x && (e->flags & RF_EV_WRITES || x->stores > 1);
}

RFI_FN rfi_gdeed rfi_graphs_deed(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
        if (e->flags & (RF_EV_ATOMIC | RF_EV_RACY)) return RFI_G_MEMORY;
        return rfi_graphs_plain(e) ? RFI_G_MEMORY : RFI_G_LOCAL;
    case RF_EV_RMW: return RFI_G_MEMORY;
    case RF_EV_FENCE:
    case RF_EV_JOIN: return RFI_G_SYNC;
    case RF_EV_START:
    case RF_EV_YIELD:
    case RF_EV_FREE:
    case RF_EV_BREAK: return RFI_G_LOCAL;
    default: return RFI_G_UNTREATED;
    }
}

/* The event that an announced access is, or the read half of it; its location is not known yet. */
RFI_FN rfi_gevent rfi_graphs_access(const rf_event *e) {
    const rfi_compare *compare = rfi_given_compare(e->thread);
    bool atomic = e->flags & RF_EV_ATOMIC;
    int order = atomic ? e->order : e->flags & RF_EV_RACY ? __ATOMIC_RELAXED : RF_ORDER_PLAIN;
    rfi_gevent x = {.kind = e->flags & RF_EV_READS ? RFI_G_READ : RFI_G_WRITE,
                    .order = (uint8_t)order,
                    .thread = rfi_graphs_thread(e->thread),
                    .source = RFI_NO_EVENT};
    if (order == __ATOMIC_CONSUME) x.order = __ATOMIC_ACQUIRE;
    if (e->kind != RF_EV_RMW) return x;
    x.flags = RFI_G_CHANGES;
    if (!compare) return x;
    x.flags |= RFI_G_COMPARES | (compare->weak ? RFI_G_WEAK : 0);
    x.failure = compare->failure;
    return x;
}

/* ---- memory ---- */

/* Memory gives a read its source, and the chosen result. */
RFI_FN void rfi_graphs_give(const rf_event *next, uint32_t read) {
    rfi_graphs *r = &rfi_g;
    const rfi_gevent *e = &r->graph.event[read];
    rfi_gplace *x = r->place;
    rf_event *done = rfi_given_event(next->thread);
    rfi_compare *compare = rfi_given_compare(next->thread);
    uint32_t slot = e->source == RFI_NO_EVENT ? 0 : r->graph.seen[e->source].slot;
    rfi_gplace_give(x, slot, done, &r->origin);
    if (x->stores > 1) rfi_choices_made(&r->choices, x->stores - 1 - slot);
    done->write_slot = (uint8_t)x->stores;
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

/* The place of an access; the graph's location belongs to it from now on. */
RFI_FN rfi_gplace *rfi_graphs_place(const rf_event *e, uint32_t location) {
    rfi_graphs *r = &rfi_g;
    rfi_gplace *x = rfi_gplaces_at(&r->places, e->addr, e->size);
    if (r->places.wrong_size) rfi_graphs_leave(RFI_G_SIZES);
    if (r->places.unannounced) rfi_graphs_leave(RFI_G_UNANNOUNCED);
    if (x->stores > UINT8_MAX) rfi_graphs_leave(RFI_G_LONG);
    if (location == RFI_NO_EVENT) return x;
    if (x->location != RFI_NO_EVENT && x->location != location) rfi_graphs_leave(RFI_G_UNREPEATED);
    if (x->location == RFI_NO_EVENT) rfi_graph_location(&r->graph, location)->initial = x->memory;
    x->location = location;
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
    return e->kind != RFI_G_READ || e->source == RFI_NO_EVENT || g->seen[e->source].executed;
}

/* The thread is about to make an event that is given. */
RFI_FN void rfi_graphs_repeat(const rf_event *next, uint32_t event) {
    rfi_graphs *r = &rfi_g;
    rfi_gevent *e = &r->graph.event[event];
    if (rfi_graphs_deed(next) != RFI_G_MEMORY) {
        bool same = (e->kind == RFI_G_FENCE && next->kind == RF_EV_FENCE) ||
                    (e->kind == RFI_G_JOIN && next->kind == RF_EV_JOIN);
        if (!same) rfi_graphs_leave(RFI_G_UNREPEATED);
        return;
    }
    rfi_gevent now = rfi_graphs_access(next);
    if (now.kind != e->kind || now.order != e->order) rfi_graphs_leave(RFI_G_UNREPEATED);
    r->place = rfi_graphs_place(next, e->location);
    if (e->kind != RFI_G_READ) {
        rfi_given_event(next->thread)->write_slot = (uint8_t)r->place->stores;
        return;
    }
    rfi_gseen *s = &r->graph.seen[event];
    uint8_t flags[2];
    const rfi_compare *compare = rfi_given_compare(next->thread);
    if (compare) s->value = rfi_word_of(compare->expected, next->size);
    uint32_t ways = rfi_graph_results(&now, &s->value,
                                      rfi_graph_value(&r->graph, e->location, e->source), flags);
    if (e->flags & RFI_G_SPURIOUS && ways == 1) rfi_graphs_leave(RFI_G_SOUND);
    if (!(e->flags & RFI_G_SPURIOUS)) e->flags = flags[0];
    if (event == r->last && rfi_gstack_top(&r->stack)->unsure) {
        rfi_graph_follow(&r->graph, event);
        if (!rfi_graph_ordered(&r->graph, NULL)) rfi_graphs_leave(RFI_G_SOUND);
    }
    rfi_graphs_give(next, event);
}

/* ---- new events ---- */

RFI_FN void rfi_graphs_teach(uint32_t event, bool options) {
    rfi_graphs *r = &rfi_g;
    const rfi_goptions *o = options ? &r->options : NULL;
    bool goes_on = o && o->count && o->option[0].way == RFI_G_SOURCE;
    rfi_gtalk_event(&r->talk, &r->graph.event[event], o, goes_on);
    if (options && !goes_on) rfi_graphs_leave(RFI_G_SOUND);
}

/* The next event of a thread begins. */
RFI_FN uint32_t rfi_graphs_add(const rfi_gevent *e) {
    rfi_graph *g = &rfi_g.graph;
    if (g->events >= RFI_GRAPH_EVENTS) rfi_graphs_leave(RFI_G_LONG);
    return rfi_graph_add(g, e);
}

RFI_FN void rfi_graphs_done(uint32_t event) {
    rfi_graph *g = &rfi_g.graph;
    rfi_graph_follow(g, event);
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
    uint32_t read = rfi_graphs_add(&e);
    if (compare) {
        g->seen[read].value = rfi_word_of(compare->expected, next->size);
        desired = rfi_word_of(compare->desired, next->size);
    }
    rfi_graph_read_options(g, &r->options, read, compare ? &desired : NULL);
    rfi_gevent bare = e;
    g->event[read].flags = bare.flags;
    rfi_graphs_teach(read, true);
    g->event[read].source = r->options.option[0].source;
    g->event[read].flags = r->options.option[0].flags;
    rfi_graphs_give(next, read);
}

/* A write has been executed, or the write half of an update: NULL, then. */
RFI_FN void rfi_graphs_written(const rf_event *done) {
    rfi_graphs *r = &rfi_g;
    rfi_graph *g = &r->graph;
    uint32_t thread = rfi_graphs_thread(done->thread), event = rfi_graphs_given(thread);
    uint32_t slot = r->place->stores;
    rfi_gplace_stored(r->place, done);
    bool fresh = event == RFI_NO_EVENT;
    if (fresh) {
        rfi_gevent e = {.kind = RFI_G_WRITE,
                        .order = done->order,
                        .flags = done->kind == RF_EV_RMW ? RFI_G_UPDATES : 0,
                        .thread = thread,
                        .location = r->place->location,
                        .source = RFI_NO_EVENT};
        if (!(done->flags & RF_EV_ATOMIC))
            e.order = done->flags & RF_EV_RACY ? __ATOMIC_RELAXED : RF_ORDER_PLAIN;
        event = rfi_graphs_add(&e);
    }
    g->seen[event].value = r->place->memory;
    g->seen[event].slot = slot;
    rfi_graphs_done(event);
    if (!fresh) return;
    rfi_graph_write_options(g, &r->options, event);
    rfi_graphs_teach(event, true);
    if (r->left_early) return;
    uint32_t behind = r->options.option[0].source;
    rfi_graph_put(g, event, behind == RFI_NO_EVENT ? 0 : g->seen[behind].rank);
}

/* A fence, a creation, a join. */
RFI_FN void rfi_graphs_synced(const rf_event *done, rfi_gkind kind) {
    uint32_t thread = rfi_graphs_thread(done->thread), event = rfi_graphs_given(thread);
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

/* ---- decisions ---- */

/* Who makes the next event: of those given one that is due; RFI_NO_THREAD: nobody can. */
RFI_FN uint32_t rfi_graphs_next(const rf_choice *c) {
    uint32_t best = RFI_NO_THREAD, lowest = UINT32_MAX;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t t = rfi_choice_at(c, i);
        rfi_gdeed deed = rfi_graphs_deed(rf_next_event(t));
        if (deed == RFI_G_LOCAL) return t;
        uint32_t n = rfi_graphs_thread(t), event = rfi_graphs_given(n);
        bool can = rfi_g.left ? event != RFI_NO_EVENT && rfi_graphs_due(event) : true;
        if (!can || n >= lowest) continue;
        best = t;
        lowest = n;
    }
    return best;
}

RFI_FN uint32_t rfi_graphs_explore(const rf_choice *c) {
    rfi_graphs *r = &rfi_g;
    uint32_t t = rfi_graphs_next(c);
    r->reading = RFI_NO_EVENT;
    r->place = NULL;
    if (t == RFI_NO_THREAD) rfi_graphs_leave(r->left ? RFI_G_UNREPEATED : RFI_G_SOUND);
    if (c->count > 1) rfi_choices_made(&r->choices, rfi_rank_of(&r->choices, c, t));
    const rf_event *next = rf_next_event(t);
    rfi_gdeed deed = rfi_graphs_deed(next);
    if (deed == RFI_G_UNTREATED) {
        rfi_talk_number(&r->talk, RFI_G_SAY_KIND, next->kind);
        rfi_graphs_leave(RFI_G_OTHER);
    }
    if (deed == RFI_G_LOCAL) return t;
    uint32_t event = rfi_graphs_given(rfi_graphs_thread(t));
    if (event != RFI_NO_EVENT)
        rfi_graphs_repeat(next, event);
    else if (deed == RFI_G_MEMORY)
        rfi_graphs_access_new(next);
    return t;
}

RFI_FN uint32_t rfi_graphs_pick(const rf_choice *c) {
    rfi_graphs *r = &rfi_g;
    rfi_choices *x = &r->choices;
    if (r->left_early) rfi_graphs_stop();
    rfi_choices_look(x, c);
    if (x->way == RFI_WAY_EXPLORE && !r->talk.over) {
        r->decides = true;
        uint32_t thread = rfi_graphs_explore(c);
        r->decides = false;
        return thread;
    }
    rfi_graphs_stop_told();
    uint32_t t = rfi_rank_thread(x, c, c->count > 1 ? rfi_choices_given(x, c->count) : 0);
    if (c->count > 1) rfi_choices_made(x, rfi_rank_of(x, c, t));
    rfi_graphs_stop_told();
    const rf_event *next = rf_next_event(t);
    r->place = NULL;
    if (rfi_graphs_deed(next) != RFI_G_MEMORY) return t;
    r->place = rfi_gplaces_at(&r->places, next->addr, next->size);
    if (r->places.wrong_size || r->place->stores > UINT8_MAX) rfi_given_up();
    rfi_graphs_give_told(next);
    return t;
}

/* ---- what has happened ---- */

RFI_FN void rfi_graphs_raced(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    uint32_t thread = rfi_graphs_thread(e->thread);
    const rfi_gthread *t = &r->graph.thread[thread];
    bool atomic = e->flags & (RF_EV_ATOMIC | RF_EV_RACY);
    rfi_gaccess a = {.thread = thread,
                     .number = t->executed - (r->place && t->executed),
                     .writes = e->flags & RF_EV_WRITES || e->kind == RF_EV_FREE,
                     .atomic = atomic};
    rfi_gplaces_access(&r->places, e->addr, e->size, &a, rfi_graphs_clock(t));
}

RFI_FN void rfi_graphs_accessed(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    bool scheduled = e == rf_next_event(e->thread);
    if (r->left_early) return;
    if (!scheduled) r->place = NULL;
    if (r->place && r->talk.over) {
        if (e->flags & RF_EV_WRITES) rfi_gplace_stored(r->place, e);
        return;
    }
    if (r->talk.over) return;
    if (r->place) {
        if (e->flags & RF_EV_READS && r->reading != RFI_NO_EVENT) {
            bool wrote = e->flags & RF_EV_WRITES;
            if (wrote != ((r->graph.event[r->reading].flags & RFI_G_UPDATES) != 0))
                rfi_graphs_leave(RFI_G_UNREPEATED);
            rfi_graphs_done(r->reading);
        }
        if (e->flags & RF_EV_WRITES) rfi_graphs_written(e);
    } else if (rfi_graphs_plain(e)) {
        rfi_graphs_flaw(RFI_G_UNANNOUNCED);
    }
    rfi_graphs_raced(e);
}

RFI_FN void rfi_graphs_event(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW: rfi_graphs_accessed(e); return;
    case RF_EV_FREE:
        r->place = NULL;
        if (!r->talk.over) rfi_graphs_raced(e);
        rfi_gplaces_forget(&r->places, e->addr, e->size);
        return;
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_gplaces_forget(&r->places, e->addr, e->size); return;
    default: break;
    }
    if (r->talk.over) return;
    if (e->kind == RF_EV_FENCE) rfi_graphs_synced(e, RFI_G_FENCE);
    if (e->kind == RF_EV_CREATE) rfi_graphs_synced(e, RFI_G_CREATE);
    if (e->kind == RF_EV_JOIN) rfi_graphs_synced(e, RFI_G_JOIN);
}

RFI_FN uint32_t rfi_graphs_value(uint32_t n) {
    rfi_graphs *r = &rfi_g;
    rfi_graph *g = &r->graph;
    uint32_t thread = rfi_graphs_thread(rfi_given_thread()), event = rfi_graphs_given(thread);
    if (event == RFI_NO_EVENT) {
        rfi_gevent e = {.kind = RFI_G_VALUE, .thread = thread};
        event = rfi_graphs_add(&e);
        r->options.count = 0;
        for (uint32_t i = 0; i < n; i++)
            rfi_goptions_add(&r->options, (rfi_goption){.way = RFI_G_SOURCE, .source = i});
        rfi_graphs_teach(event, true);
    } else if (g->event[event].kind != RFI_G_VALUE || g->event[event].location >= n) {
        rfi_graphs_leave(RFI_G_UNREPEATED);
        return 0;
    }
    rfi_graphs_done(event);
    return g->event[event].location;
}

RFI_FN uint32_t rfi_graphs_choose(uint32_t n) {
    rfi_choices *x = &rfi_g.choices;
    bool explores = x->way == RFI_WAY_EXPLORE && !rfi_g.talk.over;
    uint32_t value = explores ? rfi_graphs_value(n) : rfi_choices_given(x, n);
    rfi_choices_made(x, value);
    return value;
}

RFI_FN void rfi_graphs_end(void) {
    rfi_graphs *r = &rfi_g;
    if (r->talk.over) return;
    if (rf_drawn()) rfi_graphs_flaw(RFI_G_CHANCE);
    if (r->places.race) rfi_graphs_flaw(RFI_G_RACE);
    if (rf_failed()) rfi_graphs_flaw(RFI_G_ENDED);
    if (rf_invariants()) rfi_graphs_flaw(RFI_G_INVARIANT);
    if (rfi_given_cut()) rfi_graphs_flaw(RFI_G_STEPS);
    rfi_talk_say(&r->talk, RFI_SAY_END);
}

/* ---- the strategy ---- */

RFI_FN void rfi_graphs_forget(void) {
    rfi_choices_forget(&rfi_g.choices);
    rfi_serials_forget(&rfi_g.choices.serials);
    rfi_gstack_forget(&rfi_g.stack);
}

RFI_FN void rfi_graphs_learn(const void *lesson, size_t bytes) {
    rfi_choices_forget(&rfi_g.choices);
    rfi_gstack_learn(&rfi_g.stack, lesson, bytes);
}

RFI_FN void rfi_graphs_recall(const void *used, size_t bytes) {
    rfi_choices_recall(&rfi_g.choices, used, bytes);
}

RFI_FN bool rfi_graphs_exhausted(void) { return rfi_g.stack.exhausted; }

RFI_FN const char *rfi_graphs_summary(void) {
    static const char *const why[] = {
        "there are more",
        "not known to be all: the same choices led elsewhere",
        "not known to be all: some are too long to be kept",
        "not known to be all: chance had a part",
        "not known to be all: some have failed, and ended there",
        "not known to be all: plain accesses race",
        "not known to be all: atomics of different sizes overlap",
        "not known to be all: something was written unannounced",
        "not known to be all: there are more than 32 threads",
        "not known to be all: an invariant looks between the operations of threads",
        "not known to be all: some reach the limit of steps",
        "not known to be all: there are operations that are not explored, such as"};
    static char text[320];
    const rfi_gstack *s = &rfi_g.stack;
    unsigned long long n = s->explored;
    bool all = s->exhausted && !s->flaw;
    if (!n && !s->blocked) return NULL;
    int at = all && n > 1 ? snprintf(text, sizeof text, "all %llu executions explored", n)
             : all        ? snprintf(text, sizeof text, "the one execution explored")
                   : snprintf(text, sizeof text, "%llu execution%s explored", n, n == 1 ? "" : "s");
    if (s->blocked)
        at += snprintf(text + at, sizeof text - (size_t)at, " (%llu blocked)",
                       (unsigned long long)s->blocked);
    if (!all) at += snprintf(text + at, sizeof text - (size_t)at, ", %s", why[s->flaw]);
    if (s->flaw == RFI_G_OTHER)
        snprintf(text + at, sizeof text - (size_t)at, " \"%s\"", rfi_event_word(s->kind));
    return text;
}

/* clang-format off */
RFI_VAR rf_strategy rfi_graphs_strategy = {
    .name = "graphs",
    .help = "all executions that C11 allows, each once",
    .begin = rfi_graphs_begin,
    .pick = rfi_graphs_pick,
    .end = rfi_graphs_end,
    .lone = true,
    .values = true,
    .events = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) |
              RF_EV_BIT(RF_EV_FENCE) | RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN) |
              RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_RECYCLE),
    .event = rfi_graphs_event,
    .choose = rfi_graphs_choose,
    .forget = rfi_graphs_forget,
    .learn = rfi_graphs_learn,
    .recall = rfi_graphs_recall,
    .serial = true,
    .exhausted = rfi_graphs_exhausted,
    .summary = rfi_graphs_summary};
/* clang-format on */
#endif
#endif
