/* explore/graph_begin.h: what `graphs` knows in an execution; how it begins, with what is left to
 * do, and how it ends early.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_BEGIN_H
#define RFI_EXPLORE_GRAPH_BEGIN_H
#include "engine/given.h"
#include "explore/graph_places.h"
#include "explore/graph_walks.h"

#ifdef RFI_IMPL
/* What a thread is about to do. */
typedef enum rfi_gdeed {
    RFI_G_LOCAL,
    RFI_G_MEMORY,
    RFI_G_OBJECT,
    RFI_G_LOOK, /* at the word of a futex */
    RFI_G_SYNC,
    RFI_G_QUEUED, /* waits for a signal, or at a futex */
    RFI_G_AWAITS, /* waits for what is outside until others call */
    RFI_G_UNTREATED
} rfi_gdeed;

/* The last block, or thread, that each thread has made, and how many events of its it takes to
 * know of that. */
typedef struct rfi_gmade {
    uint32_t makers; /* a bit for each */
    struct {
        uint32_t what, events;
    } last[RFI_GRAPH_THREADS];
} rfi_gmade;

typedef struct rfi_graphs {
    rfi_choices choices;
    rfi_gstack stack;
    rfi_gwalks walks;
    rf_prng dice; /* of a walk */
    rfi_graph graph;
    rfi_gplaces places;
    rfi_goptions options;
    rfi_talk talk;
    rf_origin origin;     /* of what is read */
    uint32_t given, left; /* events of the graph at the beginning; not executed as yet */
    uint32_t last;        /* of these, the one that is executed last */
    uint8_t thread[RFI_GRAPH_THREADS];          /* number in graphs + 1, by the engine's */
    uint32_t *object, objects, object_capacity; /* location + 1, by the engine's number, or that */
    uint32_t words;                             /* of a futex, if all have one queue: so many */
    rfi_map calls;                              /* the same of what calls change, by its address */
    uint64_t key[RFI_GRAPH_THREADS];            /* of threads by their number in graphs */
    uint32_t keys;
    bool left_early;       /* nothing more is to be shown */
    bool looked_at;        /* by an invariant, between the operations of threads */
    bool timed;            /* somebody has looked at the clock; */
    bool idles;            /* waits for what is not seen */
    bool hangs;            /* all that are left wait for ever; */
    bool decides;          /* the next thread is being picked, */
    bool taken;            /* and was; its operation has not begun */
    uint32_t noted;        /* where all began to wait: bytes of the token, */
    uint32_t number, told; /* and choices */
    uint32_t reading;      /* the read that is being executed, or RFI_NO_EVENT */
    rfi_gplace *place;     /* where, or where something is written; NULL: nowhere */
    rf_event stored; /* the program writes there itself after this event, which is over then */
    bool stores;     /* it has not been looked at since */
    uint32_t woken;  /* threads whose wait for a condition is over, a bit for each */
    bool queues;     /* somebody has waited for a condition, or at a futex */
    uint32_t holds;  /* threads that keep the queue of one as it is, a bit for each */
    uint32_t finds;  /* thread of the engine + 1 that has found there what it waits with */
    uint32_t called; /* the last write of a call + 1; 0: there is none; */
    uint32_t saw[RFI_GRAPH_THREADS]; /* the same when a thread last looked at what is outside */
    uint32_t idle;                   /* steps since the last event; a yield counts as many */
    rfi_gmade blocks, threads;
    uint32_t looks; /* threads that look once more, a bit for each, */
    uint32_t again; /* and those that go on with the same call */
} rfi_graphs;

RFI_VAR rfi_graphs rfi_g;

RFI_FN void rfi_graphs_flaw(rfi_gflaw flaw) { rfi_talk_number(&rfi_g.talk, RFI_G_SAY_FLAW, flaw); }

/* An execution that is told ends where the first one did: instead of a choice. */
# define RFI_G_STOPS UINT32_C(0x7fffffff)
# define RFI_G_HANGS UINT32_C(0x7ffffffe) /* with a livelock */
# define RFI_G_TAKEN UINT32_C(0x7ffffffd) /* it stops, where the next thread was taken */
/* Or it says that the store just made is not the last; then how many of those made are behind the
 * last one. */
# define RFI_G_EARLY UINT32_C(0x7ffffffc)
/* Or that it is none, nor are those behind it until another thread makes a step. */
# define RFI_G_SPINS UINT32_C(0x7ffffffb)

RFI_FN RFI_NORETURN void rfi_graphs_stop(void) {
    rfi_choices_made(&rfi_g.choices, rfi_g.taken ? RFI_G_TAKEN : RFI_G_STOPS);
    rfi_given_up();
}

/* Does the running thread end the program? */
RFI_FN bool rfi_graphs_ends(void) { return rf_next_event(rfi_given_thread())->kind == RF_EV_END; }

/* Nobody does anything new any more.  The running thread, if that is to end the program, or it does
 * not come back.  Its token leaves out that those who wait have gone on for long. */
RFI_FN uint32_t rfi_graphs_livelock(void) {
    rfi_choices *x = &rfi_g.choices;
    if (rfi_g.noted) {
        rfi_given_note_only(rfi_g.noted);
        x->number = rfi_g.number;
        x->told = rfi_g.told;
    }
    rfi_choices_made(x, RFI_G_HANGS);
    rfi_g.hangs = true;
    if (!rfi_graphs_ends()) rfi_given_livelock();
    return rfi_given_thread();
}

/* Who ends it, if this is told, or RFI_NO_THREAD. */
RFI_FN uint32_t rfi_graphs_stop_told(void) {
    const rfi_choices *x = &rfi_g.choices;
    if (x->way != RFI_WAY_REPLAY || x->number != x->next) return RFI_NO_THREAD;
    if (x->rank == (rfi_g.taken ? RFI_G_TAKEN : RFI_G_STOPS)) rfi_graphs_stop();
    return x->rank == RFI_G_HANGS && !rfi_g.taken ? rfi_graphs_livelock() : RFI_NO_THREAD;
}

/* The execution ends here, or, if this is no decision, at the next one, and shows nothing more. */
RFI_FN void rfi_graphs_leave(rfi_gflaw flaw) {
    if (rfi_g.left_early) return;
    if (rfi_g.places.race) rfi_graphs_flaw(RFI_G_RACE); /* which explains all else */
    if (rfi_g.places.strikes) rfi_graphs_flaw(RFI_G_STRIKES);
    if (flaw) rfi_graphs_flaw(flaw);
    rfi_talk_say(&rfi_g.talk, RFI_SAY_BLOCKED);
    rfi_talk_say(&rfi_g.talk, RFI_SAY_END);
    rfi_g.talk.over = rfi_g.left_early = true;
    if (rfi_g.decides) rfi_graphs_stop();
}

RFI_FN void rfi_graphs_say(rfi_gloop loop, uint64_t key) {
    rfi_talk *t = &rfi_g.talk;
    rfi_talk_begin(t, RFI_G_SAY_LOOP);
    rfi_write_number(&t->record, loop);
    rfi_write_number(&t->record, (uint32_t)key);
    rfi_write_number(&t->record, (uint32_t)(key >> 32));
    rfi_talk_end(t);
}

RFI_FN bool rfi_graphs_met(uint32_t what) { return rfi_g.stack.met & what; }

/* The test does that: if it is new, all begins anew. */
RFI_FN void rfi_graphs_meet(uint32_t what) {
    if (rfi_graphs_met(what)) return;
    rfi_talk_number(&rfi_g.talk, RFI_G_SAY_MET, what);
    rfi_graphs_leave(RFI_G_SOUND);
}

/* ---- the graph at the beginning ---- */

/* Was it event `n` of the last execution, too, and follows from no later one?  Those before it are
 * the same. */
RFI_FN bool rfi_graph_same(const rfi_graph *g, uint32_t n, const rfi_gevent *e) {
    const rfi_gevent *last = &g->event[n];
    bool sourced = e->kind == RFI_G_READ || e->kind == RFI_G_WAKE;
    return g->seen[n].executed && !memcmp(e, last, offsetof(rfi_gevent, number)) &&
           (!sourced ||
            (e->source == last->source && (e->source < n || e->source == RFI_NO_EVENT)));
}

/* And has it the place in mo that it has there? */
RFI_FN bool rfi_graph_stays(const rfi_graph *g, uint32_t n, const rfi_gevent *e) {
    const rfi_gevent *last = &g->event[n];
    if (e->kind == RFI_G_WRITE) return g->seen[n].rank && e->source == last->source;
    return e->print == last->print;
}

RFI_FN void rfi_graphs_load(void) {
    const rfi_gstack *s = &rfi_g.stack;
    const rfi_gframe *f = rfi_gstack_top(s);
    const uint32_t first = f->first, events = s->events - first;
    rfi_graph *g = &rfi_g.graph;
    uint32_t last = g->events < events ? g->events : events, same = 0, kept = 0;
    for (; same < last && rfi_graph_same(g, same, &s->event[first + same].e); same++)
        if (kept == same && rfi_graph_stays(g, same, &s->event[first + same].e)) kept++;
    rfi_graph_begin(g, kept);
    for (uint32_t i = kept; i < events; i++) {
        const rfi_gevent *e = &s->event[first + i].e;
        uint32_t n = rfi_graph_add(g, e);
        if (e->kind != RFI_G_WRITE) continue;
        rfi_graph_put(g, n, e->source == RFI_NO_EVENT ? 0 : g->seen[e->source].rank);
    }
    g->same = same;
    rfi_g.given = rfi_g.left = g->events;
    rfi_g.words = 0;
    for (uint32_t i = 0; i < g->events; i++) {
        const rfi_gevent *e = &g->event[i];
        if (e->word > rfi_g.words) rfi_g.words = e->word;
        if (e->other > rfi_g.words) rfi_g.words = e->other;
        rfi_g.left -= e->flags & RFI_G_BLOCKED ? 1 : 0;
        if (e->kind == RFI_G_READ && e->source != RFI_NO_EVENT && e->source > i)
            g->seen[e->source].revisits = true;
    }
    rfi_g.last = !g->events ? RFI_NO_EVENT : g->events == f->given ? f->read : g->events - 1;
}

RFI_FN void rfi_graphs_begin(uint64_t seed) {
    rfi_graphs *r = &rfi_g;
    r->choices.look_for = (rfi_graphs_met(RFI_G_CANCELS) ? RFI_FOR_ENDS : 0u) |
                      (rfi_graphs_met(RFI_G_HANDLES) ? RFI_FOR_SIGNALS : 0u) |
                      (rfi_graphs_met(RFI_G_RINGS) ? RFI_FOR_TIMERS : 0u);
    rfi_choices_begin(&r->choices, seed, r->stack.exhausted, r->stack.exhausted);
    if (RFI_UNLIKELY(r->choices.look_for)) rfi_given_look_for(r->choices.look_for);
    rfi_gplaces_begin(&r->places);
    rfi_map_reset(&r->calls);
    r->objects = 0;
    memset(r->thread, 0, sizeof r->thread);
    r->reading = RFI_NO_EVENT;
    r->place = NULL;
    r->left_early = r->decides = r->hangs = r->stores = false;
    r->noted = 0;
    r->woken = r->holds = r->finds = r->called = r->looks = r->again = r->idle = 0;
    r->blocks.makers = r->threads.makers = 0;
    r->dice = (rf_prng){seed};
    r->queues = r->looked_at = r->timed = r->idles = false;
    r->graph.interleaved = rfi_given_sc();
    r->graph.cxx20 = rfi_given_cxx20();
    r->graph.bounded = rfi_given_unroll();
    r->talk.over = r->choices.way != RFI_WAY_EXPLORE;
    if (r->talk.over) return;
    r->talk.taught = 0;
    rfi_talk_say(&r->talk, RFI_G_SAY_BEGUN); /* it may die before it adds an event */
    if (r->graph.interleaved) rfi_talk_say(&r->talk, RFI_G_SAY_SC);
    rfi_given_search(r->stack.walks ? RFI_ASIDE : 1 + r->stack.before);
    r->keys = r->stack.keys;
    memcpy(r->key, r->stack.key, sizeof r->key);
    r->graph.unchained = r->stack.unchained;
    rfi_graphs_load();
}

/* ---- threads ---- */

/* The same of one that has not been met in this execution. */
RFI_FN RFI_COLD uint8_t rfi_graphs_thread_new(uint32_t t) {
    rfi_graphs *r = &rfi_g;
    uint64_t key = rf_thread_key(t);
    uint8_t n = 0;
    while (n < r->keys && r->key[n] != key) n++;
    if (n == RFI_GRAPH_THREADS || t >= RFI_GRAPH_THREADS) {
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
    r->thread[t] = (uint8_t)(n + 1);
    uint32_t twin = rfi_given_twin(t);
    r->graph.thread[n].twin = twin == RFI_NO_THREAD ? 0 : r->thread[twin];
    r->graph.twins |= twin != RFI_NO_THREAD;
    return n;
}

/* The number of an engine's thread in graphs. */
RFI_INLINE uint8_t rfi_graphs_thread(uint32_t t) {
    const rfi_graphs *r = &rfi_g;
    if (RFI_LIKELY(t < RFI_GRAPH_THREADS && r->thread[t])) return (uint8_t)(r->thread[t] - 1);
    return rfi_graphs_thread_new(t);
}

/* What the thread knows now. */
RFI_FN const rfi_gclock *rfi_graphs_clock(const rfi_gthread *t) {
    return t->executed ? &rfi_g.graph.seen[t->list.event[t->executed - 1]].hb : &t->hb;
}

/* The same of all that must have been executed before. */
RFI_FN const rfi_gclock *rfi_graphs_prefix(const rfi_gthread *t) {
    return t->executed ? &rfi_g.graph.seen[t->list.event[t->executed - 1]].prefix : &t->prefix;
}
#endif
#endif
