/* The executions of small programs of atomics, locks, conditions, semaphores, barriers and once, by
 * enumeration of their graphs as in oracle.h, to judge explorers by.
 *
 * An operation on an object is an update of its state, which reads the update before: locking
 * acquires, unlocking releases, a try that fails is a relaxed read.  Who waits has no event until
 * he can go on.  A wait for a condition enters the queue, unlocks, is woken by a signal or
 * broadcast that comes after, and locks; one that ends by itself never enters the queue.  The state
 * of a queue tells of each thread that waits at which of two futexes it does, and with which bits.
 */
#ifndef LITMUS_OBJECTS_H
#define LITMUS_OBJECTS_H

#include "oracle.h"

#if defined __GNUC__ && !defined __clang__
# pragma GCC push_options
# pragma GCC optimize("O2") /* as there */
#endif

enum objects_kind {
    OBJECTS_LOAD,
    OBJECTS_STORE,
    OBJECTS_ADD,
    OBJECTS_LOCK, /* from here on those that acquire */
    OBJECTS_TRY,
    OBJECTS_RDLOCK,
    OBJECTS_TRYRD,
    OBJECTS_LOCK_AHEAD, /* by a writer that has come */
    OBJECTS_TRY_AHEAD,
    OBJECTS_TAKE,
    OBJECTS_TRYTAKE,
    OBJECTS_ONCE,
    OBJECTS_UNLOCK, /* from here on those that release */
    OBJECTS_RDUNLOCK,
    OBJECTS_POST,
    OBJECTS_ARRIVE,
    OBJECTS_ONCE_DONE,
    OBJECTS_ENQUEUE, /* relaxed ones */
    OBJECTS_SIGNAL,
    OBJECTS_REQUEUE,
    OBJECTS_VIEW, /* of a semaphore: an update that leaves it as it is */
    OBJECTS_COME, /* a writer, before which no reader is let in from then on; or it goes */
    OBJECTS_GO,
    OBJECTS_HOLD, /* a futex: the queue is locked, */
    OBJECTS_MOVE,
    OBJECTS_LEAVE,
    OBJECTS_FENCE, /* and a full barrier that orders nothing else */
    OBJECTS_WAKE,  /* what is no access */
    OBJECTS_DEPART,
    OBJECTS_EARLY, /* what is no event */
    OBJECTS_CHOOSE
};

/* `result`: register, or -1.  If the operation gives 0 (`unless`: something else), so many steps
 * are left out.  A wait that ends early leaves out the steps that are `waiting`. */
struct objects_step {
    enum objects_kind kind;
    int location, result, skip;
    enum litmus_order order;
    bool unless, waiting, timed, differs; /* differs: the result is whether it is not 0 */
    bool aside;                           /* at the second futex */
    int bits, most, others; /* so many are woken; and at the other futex, or moved there */
};

enum {
    OBJECTS_STEPS = 32,
    OBJECTS_WRITER = 1 << 16,
    OBJECTS_AHEAD = 2 << 16,
    OBJECTS_WAITS = 4,
    OBJECTS_ASIDE = 4
};

struct objects_program {
    struct objects_step step[LITMUS_THREADS][OBJECTS_STEPS];
    int steps[LITMUS_THREADS], threads, locations, cells; /* the first locations are cells */
    int initial[LITMUS_LOCATIONS], parties;
    bool spurious;
};

struct objects_graph {
    struct oracle_graph g;
    enum objects_kind kind[ORACLE_EVENTS];
    bool early[LITMUS_THREADS];
};

struct objects_found {
    const struct objects_program *program;
    struct litmus_set set; /* all of them, and interleaved ones are flagged */
    bool stuck, stuck_interleaved;
};

/* ---- states ---- */

static inline bool objects_can(enum objects_kind kind, int state) {
    switch (kind) {
    case OBJECTS_LOCK:
    case OBJECTS_TRY:
    case OBJECTS_LOCK_AHEAD:
    case OBJECTS_TRY_AHEAD: return state % OBJECTS_AHEAD == 0;
    case OBJECTS_RDLOCK:
    case OBJECTS_TRYRD: return state < OBJECTS_WRITER;
    case OBJECTS_TAKE:
    case OBJECTS_TRYTAKE: return state > 0;
    case OBJECTS_ONCE: return state != 1;
    case OBJECTS_HOLD:
    case OBJECTS_SIGNAL:
    case OBJECTS_REQUEUE: return state < OBJECTS_WRITER;
    default: return true;
    }
}

static inline bool objects_wakes(enum objects_kind kind) {
    return kind == OBJECTS_SIGNAL || kind == OBJECTS_REQUEUE || kind == OBJECTS_MOVE;
}

/* How a thread waits in this state: its bits, and OBJECTS_ASIDE; 0: it does not. */
static inline int objects_how(int state, int thread) { return state >> OBJECTS_WAITS * thread & 7; }

/* Is one set as large as it may be, of another one? */
static inline bool objects_fills(unsigned set, unsigned of, int most) {
    int all = __builtin_popcount(of);
    return !(set & ~of) && __builtin_popcount(set) == (most < all ? most : all);
}

/* May it wake these, and those elsewhere, or move them? */
static inline bool objects_picks(const struct objects_step *s, int state, unsigned woken,
                                 unsigned others) {
    unsigned meant = 0, rest = 0;
    for (int t = 0; t < LITMUS_THREADS; t++) {
        int how = objects_how(state, t);
        bool here = !(how & OBJECTS_ASIDE) == !s->aside && how & s->bits;
        bool there = s->kind != OBJECTS_SIGNAL ? here : !(how & OBJECTS_ASIDE) != !s->aside;
        meant |= (unsigned)here << t;
        rest |= (unsigned)(there && how) << t;
    }
    return objects_fills(woken, meant, s->most) && objects_fills(others, rest & ~woken, s->others);
}

static inline int objects_woken(enum objects_kind kind, int state, unsigned woken,
                                unsigned others) {
    for (int t = 0; t < LITMUS_THREADS; t++) {
        if (others >> t & 1 && kind != OBJECTS_SIGNAL)
            state |= OBJECTS_ASIDE << OBJECTS_WAITS * t;
        else if ((woken | others) >> t & 1)
            state &= ~(7 << OBJECTS_WAITS * t);
    }
    return state & ~OBJECTS_WRITER;
}

/* The state after it; the same: it only reads. */
static inline int objects_after(const struct objects_program *p, const struct objects_step *s,
                                int state, int thread, unsigned woken, unsigned others) {
    switch (s->kind) {
    case OBJECTS_LOCK:
    case OBJECTS_TRY: return state + OBJECTS_WRITER;
    case OBJECTS_LOCK_AHEAD:
    case OBJECTS_TRY_AHEAD: return state - OBJECTS_AHEAD + OBJECTS_WRITER;
    case OBJECTS_COME: return state + OBJECTS_AHEAD;
    case OBJECTS_GO: return state - OBJECTS_AHEAD;
    case OBJECTS_UNLOCK: return state - OBJECTS_WRITER;
    case OBJECTS_TAKE:
    case OBJECTS_TRYTAKE:
    case OBJECTS_RDUNLOCK: return state - 1;
    case OBJECTS_ONCE: return state ? 2 : 1;
    case OBJECTS_ONCE_DONE: return 2;
    case OBJECTS_HOLD: return state | OBJECTS_WRITER;
    case OBJECTS_LEAVE: return state & ~OBJECTS_WRITER;
    case OBJECTS_ENQUEUE:
        return (state & ~OBJECTS_WRITER) | (s->bits | s->aside * OBJECTS_ASIDE)
                                               << OBJECTS_WAITS * thread;
    case OBJECTS_SIGNAL:
    case OBJECTS_REQUEUE:
    case OBJECTS_MOVE: return objects_woken(s->kind, state, woken, others);
    case OBJECTS_VIEW: return state;
    case OBJECTS_ARRIVE: return state + 1 == p->parties ? 0 : state + 1;
    default: return state + 1; /* of RDLOCK, TRYRD, POST and ADD */
    }
}

static inline bool objects_tries(enum objects_kind kind) {
    return kind == OBJECTS_TRY || kind == OBJECTS_TRYRD || kind == OBJECTS_TRY_AHEAD ||
           kind == OBJECTS_TRYTAKE;
}

/* ---- consistency ---- */

static inline bool objects_starts_round(const struct objects_graph *g, int event) {
    return g->kind[event] == OBJECTS_ARRIVE && !g->g.event[g->g.event[event].source].value;
}

static inline struct oracle_relation objects_hb(const struct objects_graph *og,
                                                const struct oracle_relations *r) {
    const struct oracle_graph *g = &og->g;
    int n = g->events;
    oracle_events updates = oracle_where(g, oracle_is_update);
    for (int i = 0; i < n; i++)
        if (g->event[i].thread >= 0 && objects_starts_round(og, i))
            updates &= ~((oracle_events)1 << i);
    struct oracle_relation rs = oracle_on(n, oracle_where(g, oracle_is_write));
    rs = oracle_then(rs, oracle_maybe(oracle_local(g, r->sb, true)));
    rs = oracle_then(rs, oracle_on(n, oracle_where(g, oracle_is_write)));
    rs = oracle_then(rs, oracle_maybe(oracle_plus(oracle_then(r->rf, oracle_on(n, updates)))));
    struct oracle_relation sw = oracle_then(oracle_on(n, oracle_where(g, oracle_is_release)), rs);
    struct oracle_relation departs = sw;
    sw = oracle_then(sw, r->rf);
    sw = oracle_then(sw, oracle_on(n, oracle_where(g, oracle_is_acquire)));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            enum objects_kind kind = og->kind[j];
            bool reader = kind == OBJECTS_RDLOCK || kind == OBJECTS_TRYRD;
            oracle_events bit = (oracle_events)1 << j;
            if (g->event[j].thread < 0) continue;
            if (reader && og->kind[i] == OBJECTS_RDUNLOCK) sw.row[i] &= ~bit;
            if (kind == OBJECTS_DEPART && departs.row[i] >> g->event[j].source & 1)
                sw.row[i] |= bit;
        }
    return oracle_plus(oracle_or(r->sb, sw));
}

/* Who was woken goes on behind the waker's barriers. */
static inline struct oracle_relation objects_woken_after(const struct objects_graph *og,
                                                         const struct oracle_relations *r) {
    const struct oracle_graph *g = &og->g;
    struct oracle_relation after = {.count = g->events};
    for (int i = 0; i < g->events; i++)
        for (int j = 0; j < g->events && og->kind[i] == OBJECTS_FENCE; j++)
            for (int k = 0; k < g->events; k++) {
                if (og->kind[k] != OBJECTS_WAKE || g->event[k].thread < 0) continue;
                int by = g->event[k].source;
                bool from = r->hb.row[i] >> by & 1;
                bool next = r->sb.row[by] >> i & 1 && objects_wakes(og->kind[by]);
                for (int l = by + 1; l < i; l++) next &= g->event[l].thread != g->event[i].thread;
                if ((from || next) && og->kind[j] == OBJECTS_FENCE && r->hb.row[k] >> j & 1)
                    after.row[i] |= (oracle_events)1 << j;
            }
    return after;
}

static inline bool objects_consistent(const struct objects_graph *og, struct oracle_relations *r) {
    const struct oracle_graph *g = &og->g;
    oracle_base(g, r);
    r->hb = objects_hb(og, r);
    struct oracle_relation eco = oracle_plus(oracle_or(oracle_or(r->rf, r->mo), r->rb));
    if (!oracle_irreflexive(oracle_then(r->hb, oracle_maybe(eco)))) return false;
    r->psc = oracle_or(oracle_psc(g, r, eco), objects_woken_after(og, r));
    return oracle_acyclic(r->psc);
}

static inline bool objects_interleaved(const struct objects_graph *og,
                                       const struct oracle_relations *r) {
    struct oracle_relation run = oracle_or(oracle_or(r->sb, r->rf), oracle_or(r->mo, r->rb));
    for (int i = 0; i < og->g.events; i++)
        if (og->g.event[i].thread >= 0 && og->kind[i] >= OBJECTS_WAKE)
            run.row[og->g.event[i].source] |= (oracle_events)1 << i;
    return oracle_acyclic(run);
}

/* ---- enumeration ---- */

static inline void objects_extend(struct objects_found *f, const struct objects_graph *before,
                                  const struct oracle_relations *r);

static inline void objects_record(struct objects_found *f, const struct objects_graph *g,
                                  const struct oracle_relations *r) {
    struct litmus_final final = {.registers = g->g.registers};
    for (int x = 0; x < f->program->cells; x++)
        final.memory[x] = g->g.event[g->g.mo[x][g->g.writes[x] - 1]].value;
    struct litmus_outcome *o = litmus_find(&f->set, &final);
    bool interleaved = objects_interleaved(g, r);
    if (!o) o = litmus_insert(&f->set, &final);
    if (interleaved) o->flags |= LITMUS_FLAG_I;
    f->set.executions++;
    f->set.interleaved += interleaved;
}

static inline void objects_step_over(const struct objects_program *p, struct objects_graph *g,
                                     int thread, int value) {
    const struct objects_step *s = &p->step[thread][g->g.next[thread]++];
    if (s->skip && (value != 0) == s->unless) g->g.next[thread] += s->skip;
    litmus_assign(&g->g.registers, s->result, s->differs ? value != 0 : value);
}

/* Adds the event of a step, which gives `value`, if the graph is not made in a lesser order; a
 * write comes at each place where it may. */
static inline void objects_add(struct objects_found *f, struct objects_graph g,
                               struct oracle_event e, enum objects_kind kind, int value) {
    int since = g.g.last[e.thread], x = e.location, n = g.g.events;
    struct oracle_relations r;
    if ((e.reads || kind >= OBJECTS_WAKE) && e.source > since) since = e.source;
    for (int i = since + 1; i < n; i++)
        if (g.g.event[i].thread > e.thread) return;
    objects_step_over(f->program, &g, e.thread, value);
    g.g.last[e.thread] = n;
    g.kind[n] = kind;
    g.g.event[g.g.events++] = e;
    if (!e.writes) {
        if (objects_consistent(&g, &r)) objects_extend(f, &g, &r);
        return;
    }
    for (int place = 1; place <= g.g.writes[x]; place++) {
        struct objects_graph with = g;
        int *mo = with.g.mo[x];
        if (e.reads && mo[place - 1] != e.source) continue;
        if (place < g.g.writes[x] && g.g.event[mo[place]].reads) continue;
        memmove(&mo[place + 1], &mo[place], (size_t)(g.g.writes[x] - place) * sizeof *mo);
        mo[place] = n;
        with.g.writes[x]++;
        if (objects_consistent(&with, &r)) objects_extend(f, &with, &r);
    }
}

/* Adds a step that reads `source`, in all its ways; false: it can't go on with that. */
static inline bool objects_read(struct objects_found *f, const struct objects_graph *g,
                                const struct objects_step *s, struct oracle_event e) {
    const struct objects_program *p = f->program;
    int state = g->g.event[e.source].value;
    bool object = s->location >= p->cells;
    e.reads = true;
    if (s->kind == OBJECTS_LOAD) {
        objects_add(f, *g, e, s->kind, state);
        return true;
    }
    if (!objects_can(s->kind, state)) {
        if (!objects_tries(s->kind)) return false;
        e.order = LITMUS_RLX;
        objects_add(f, *g, e, s->kind, 0);
        return true;
    }
    bool last = g->g.mo[s->location][g->g.writes[s->location] - 1] == e.source;
    bool any = false;
    for (unsigned pick = 0; pick < 1u << 2 * LITMUS_THREADS; pick++) {
        unsigned woken = pick % (1 << LITMUS_THREADS), others = pick >> LITMUS_THREADS;
        if (objects_wakes(s->kind) ? !objects_picks(s, state, woken, others) : pick > 0) continue;
        e.value = objects_after(p, s, state, e.thread, woken, others);
        bool changes = s->kind == OBJECTS_ENQUEUE || s->kind == OBJECTS_ARRIVE ||
                       s->kind == OBJECTS_VIEW || pick || e.value != state;
        if (object && changes && !last) continue;
        e.writes = !object || changes;
        any = true;
        int value = s->kind == OBJECTS_ARRIVE ? !e.value : s->kind == OBJECTS_ONCE ? !state : 1;
        if (s->kind == OBJECTS_ADD || s->kind == OBJECTS_VIEW) value = state;
        objects_add(f, *g, e, s->kind, value);
    }
    return any;
}

/* What has ended the wait of a thread; -1: nothing. */
static inline int objects_waker(const struct objects_graph *g, int thread, bool queue) {
    int x, own = g->g.events - 1;
    while (g->g.event[own].thread != thread ||
           g->kind[own] != (queue ? OBJECTS_ENQUEUE : OBJECTS_ARRIVE))
        own--;
    x = g->g.event[own].location;
    bool since = false;
    for (int i = 0; i < g->g.writes[x]; i++) {
        int w = g->g.mo[x][i], state = g->g.event[w].value;
        since |= w == own;
        if (since && !(queue ? objects_how(state, thread) : state)) return w;
    }
    return -1;
}

/* Adds the next step of a thread in every way; false: it waits. */
static inline bool objects_perform(struct objects_found *f, const struct objects_graph *g,
                                   int thread, const struct objects_step *s) {
    struct oracle_event e = {.thread = thread, .location = s->location, .order = s->order};
    bool any = false;
    if (s->kind >= OBJECTS_WAKE) {
        e.location = -1;
        e.source = objects_waker(g, thread, s->kind == OBJECTS_WAKE);
        if (e.source < 0) return false;
        objects_add(f, *g, e, s->kind, 0);
        return true;
    }
    if (s->kind == OBJECTS_FENCE) {
        e.order = LITMUS_SC;
        objects_add(f, *g, e, s->kind, 0);
        return true;
    }
    if (s->kind == OBJECTS_STORE) {
        e.writes = true;
        e.value = 1 + thread;
        objects_add(f, *g, e, s->kind, 0);
        return true;
    }
    if (s->kind >= OBJECTS_LOCK)
        e.order = s->kind < OBJECTS_UNLOCK    ? LITMUS_ACQ
                  : s->kind < OBJECTS_ENQUEUE ? LITMUS_REL
                                              : LITMUS_RLX;
    for (int i = 0; i < g->g.writes[s->location]; i++) {
        e.source = g->g.mo[s->location][i];
        any |= objects_read(f, g, s, e);
    }
    return any;
}

/* A thread is before a choice: true, and all graphs with each of its values have been made. */
static inline bool objects_chosen(struct objects_found *f, const struct objects_graph *g,
                                  const struct oracle_relations *r, int thread) {
    const struct objects_step *s = &f->program->step[thread][g->g.next[thread]];
    int ways = s->kind == OBJECTS_CHOOSE ? 2 : 1 + s->timed + f->program->spurious;
    if (s->kind < OBJECTS_EARLY) return false;
    for (int i = 0; i < ways; i++) {
        struct objects_graph with = *g;
        bool early = s->kind == OBJECTS_EARLY;
        if (early) with.early[thread] = i;
        objects_step_over(f->program, &with, thread, early ? !(s->timed && i == 1) : i);
        objects_extend(f, &with, r);
    }
    return true;
}

static inline void objects_extend(struct objects_found *f, const struct objects_graph *before,
                                  const struct oracle_relations *r) {
    const struct objects_program *p = f->program;
    struct objects_graph g = *before;
    bool complete = true, goes = false, times_out = false;
    for (int t = 0; t < p->threads; t++) {
        while (g.g.next[t] < p->steps[t] && p->step[t][g.g.next[t]].waiting && g.early[t])
            g.g.next[t]++;
        if (g.g.next[t] < p->steps[t] && objects_chosen(f, &g, r, t)) return;
    }
    for (int t = 0; t < p->threads; t++) {
        if (g.g.next[t] == p->steps[t]) continue;
        const struct objects_step *s = &p->step[t][g.g.next[t]];
        complete = false;
        bool done = objects_perform(f, &g, t, s);
        goes |= done;
        times_out |= !done && s->timed;
    }
    if (complete) objects_record(f, &g, r);
    if (complete || goes || times_out) return;
    f->stuck = true;
    f->stuck_interleaved |= objects_interleaved(&g, r);
}

/* Fills in what is found of a program; the caller clears f->set. */
static inline void objects_outcomes(const struct objects_program *p, struct objects_found *f) {
    struct objects_graph g = {0};
    struct oracle_relations r;
    *f = (struct objects_found){.program = p};
    g.g.events = p->locations;
    for (int x = 0; x < p->locations; x++) {
        g.g.event[x] = (struct oracle_event){
            .thread = -1, .location = x, .writes = true, .value = p->initial[x]};
        g.g.mo[x][g.g.writes[x]++] = x;
    }
    for (int t = 0; t < p->threads; t++) g.g.last[t] = p->locations - 1;
    if (objects_consistent(&g, &r)) objects_extend(f, &g, &r);
}

#if defined __GNUC__ && !defined __clang__
# pragma GCC pop_options
#endif
#endif
