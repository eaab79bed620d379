/* The outcomes of a litmus program under RC11, by exhaustive enumeration of its execution graphs.
 *
 * Follows O. Lahav, V. Vafeiadis, J. Kang, C.-K. Hur, D. Dreyer, "Repairing sequential consistency
 * in C/C++11", PLDI 2017, section 3: relations and axioms have the names that they have there.
 * Independent of src/ on purpose: it judges the memory model that stands there.
 *
 * - A read-modify-write is one event that reads and writes; the pair of events of the paper can
 *   be contracted because nothing stands between its halves in sb, and (atomicity) in mo.
 * - Events are added one at a time, a read after the write that it reads, which is "sb U rf
 *   acyclic".  Of the orders that sb U rf leaves open only the least is followed (the lower thread
 *   first), so every graph is made once.  A write takes any place in mo.
 * - All axioms only ever forbid more when a graph grows: a prefix that breaks one is cut off. */
#ifndef LITMUS_ORACLE_H
#define LITMUS_ORACLE_H

#include "program.h"
#include <stdint.h>

enum { ORACLE_EVENTS = LITMUS_LOCATIONS + LITMUS_THREADS * LITMUS_STATEMENTS };
_Static_assert(ORACLE_EVENTS <= 64, "a set of events is a word");

typedef uint64_t oracle_events;

/* Row n holds the events that event n is related to. */
struct oracle_relation {
    oracle_events row[ORACLE_EVENTS];
    int count;
};

struct oracle_event {
    int thread;   /* -1: initial value of a location */
    int location; /* -1: fence */
    enum litmus_order order;
    bool reads, writes;
    int source; /* the write that is read */
    int value;  /* what is written */
};

/* A graph, and how far the threads are.  The initial writes are its first events. */
struct oracle_graph {
    struct oracle_event event[ORACLE_EVENTS];
    int events;
    int mo[LITMUS_LOCATIONS][ORACLE_EVENTS], writes[LITMUS_LOCATIONS];
    int next[LITMUS_THREADS]; /* statement */
    int last[LITMUS_THREADS]; /* event, or the last initial write */
    struct litmus_registers registers;
    bool cxx20;
};

/* The relations of a graph that the axioms and the flags speak of. */
struct oracle_relations {
    struct oracle_relation sb, rf, mo, rb, hb, psc;
};

/* Optimised where the rest is not: most of the time is spent here. */
#if defined __GNUC__ && !defined __clang__
# pragma GCC push_options
# pragma GCC optimize("O2")
#endif

/* ---- relations ---- */

static inline struct oracle_relation oracle_none(int count) {
    struct oracle_relation r;
    r.count = count;
    memset(r.row, 0, (size_t)count * sizeof r.row[0]);
    return r;
}

/* [set]: every event of the set with itself. */
static inline struct oracle_relation oracle_on(int count, oracle_events set) {
    struct oracle_relation r = oracle_none(count);
    for (int i = 0; i < count; i++) r.row[i] = set & (oracle_events)1 << i;
    return r;
}

static inline struct oracle_relation oracle_or(struct oracle_relation a, struct oracle_relation b) {
    for (int i = 0; i < a.count; i++) a.row[i] |= b.row[i];
    return a;
}

/* r? */
static inline struct oracle_relation oracle_maybe(struct oracle_relation r) {
    for (int i = 0; i < r.count; i++) r.row[i] |= (oracle_events)1 << i;
    return r;
}

/* a ; b */
static inline struct oracle_relation oracle_then(struct oracle_relation a,
                                                 struct oracle_relation b) {
    struct oracle_relation r = oracle_none(a.count);
    for (int i = 0; i < a.count; i++)
        for (oracle_events left = a.row[i]; left; left &= left - 1)
            r.row[i] |= b.row[__builtin_ctzll(left)];
    return r;
}

/* r+ */
static inline struct oracle_relation oracle_plus(struct oracle_relation r) {
    for (int via = 0; via < r.count; via++)
        if (r.row[via])
            for (int i = 0; i < r.count; i++) r.row[i] |= r.row[via] & -(r.row[i] >> via & 1);
    return r;
}

static inline bool oracle_irreflexive(struct oracle_relation r) {
    for (int i = 0; i < r.count; i++)
        if (r.row[i] >> i & 1) return false;
    return true;
}

static inline bool oracle_acyclic(struct oracle_relation r) {
    return oracle_irreflexive(oracle_plus(r));
}

/* The part of r between accesses of one location, or the rest of it. */
static inline struct oracle_relation oracle_local(const struct oracle_graph *g,
                                                  struct oracle_relation r, bool same) {
    oracle_events at[LITMUS_LOCATIONS + 1] = {0}; /* the first: where fences are is nowhere */
    for (int i = 0; i < r.count; i++) at[g->event[i].location + 1] |= (oracle_events)1 << i;
    at[0] = 0;
    for (int i = 0; i < r.count; i++)
        r.row[i] &= same ? at[g->event[i].location + 1] : ~at[g->event[i].location + 1];
    return r;
}

/* ---- the graph's relations ---- */

static inline bool oracle_is_fence(const struct oracle_event *e) { return e->location < 0; }
static inline bool oracle_is_read(const struct oracle_event *e) { return e->reads; }
static inline bool oracle_is_write(const struct oracle_event *e) { return e->writes; }
static inline bool oracle_is_update(const struct oracle_event *e) { return e->reads && e->writes; }
static inline bool oracle_is_atomic(const struct oracle_event *e) { return e->order != LITMUS_NA; }
static inline bool oracle_is_sc(const struct oracle_event *e) { return e->order == LITMUS_SC; }

static inline bool oracle_is_release(const struct oracle_event *e) {
    return (e->writes || oracle_is_fence(e)) && e->order >= LITMUS_REL;
}

static inline bool oracle_is_acquire(const struct oracle_event *e) {
    return (e->reads || oracle_is_fence(e)) && e->order >= LITMUS_ACQ && e->order != LITMUS_REL;
}

static inline oracle_events oracle_where(const struct oracle_graph *g,
                                         bool (*is)(const struct oracle_event *)) {
    oracle_events set = 0;
    for (int i = 0; i < g->events; i++)
        if (is(&g->event[i])) set |= (oracle_events)1 << i;
    return set;
}

/* sb (initial writes before everything else), rf, mo, and rb = rf^-1 ; mo without identity. */
static inline void oracle_base(const struct oracle_graph *g, struct oracle_relations *r) {
    r->sb = r->rf = r->mo = r->rb = oracle_none(g->events);
    for (int j = 0; j < g->events; j++) {
        for (int i = 0; i < j; i++) {
            int before = g->event[i].thread, thread = g->event[j].thread;
            if (thread >= 0 && (before < 0 || before == thread))
                r->sb.row[i] |= (oracle_events)1 << j;
        }
        if (g->event[j].reads) r->rf.row[g->event[j].source] |= (oracle_events)1 << j;
    }
    for (int x = 0; x < LITMUS_LOCATIONS; x++) {
        oracle_events later = 0;
        for (int i = g->writes[x]; i-- > 0; later |= (oracle_events)1 << g->mo[x][i])
            r->mo.row[g->mo[x][i]] = later;
    }
    for (int i = 0; i < g->events; i++)
        if (g->event[i].reads)
            r->rb.row[i] = r->mo.row[g->event[i].source] & ~((oracle_events)1 << i);
}

/* hb = (sb U sw)+, with sw = [rel] ; ([F] ; sb)? ; rs ; rf ; [R rlx] ; (sb ; [F])? ; [acq] and
 * rs = [W] ; (sb on one location)? ; [W rlx] ; (rf ; rmw)*.  C++20 has no such sb in it. */
static inline struct oracle_relation oracle_hb(const struct oracle_graph *g,
                                               const struct oracle_relations *r) {
    int n = g->events;
    oracle_events atomic = oracle_where(g, oracle_is_atomic);
    oracle_events write = oracle_where(g, oracle_is_write);
    struct oracle_relation fence = oracle_on(n, oracle_where(g, oracle_is_fence));
    struct oracle_relation update = oracle_on(n, oracle_where(g, oracle_is_update));

    struct oracle_relation rs = oracle_on(n, write);
    if (!g->cxx20) rs = oracle_then(rs, oracle_maybe(oracle_local(g, r->sb, true)));
    rs = oracle_then(rs, oracle_on(n, write & atomic));
    rs = oracle_then(rs, oracle_maybe(oracle_plus(oracle_then(r->rf, update))));

    struct oracle_relation sw = oracle_on(n, oracle_where(g, oracle_is_release));
    sw = oracle_then(sw, oracle_maybe(oracle_then(fence, r->sb)));
    sw = oracle_then(oracle_then(sw, rs), r->rf);
    sw = oracle_then(sw, oracle_on(n, oracle_where(g, oracle_is_read) & atomic));
    sw = oracle_then(sw, oracle_maybe(oracle_then(r->sb, fence)));
    sw = oracle_then(sw, oracle_on(n, oracle_where(g, oracle_is_acquire)));
    return oracle_plus(oracle_or(r->sb, sw));
}

/* psc = psc_base U psc_F, with psc_base = ([E sc] U [F sc] ; hb?) ; scb ; ([E sc] U hb? ; [F sc]),
 * scb = sb U (sb elsewhere ; hb ; sb elsewhere) U hb on one location U mo U rb and
 * psc_F = [F sc] ; (hb U hb ; eco ; hb) ; [F sc]. */
static inline struct oracle_relation oracle_psc(const struct oracle_graph *g,
                                                const struct oracle_relations *r,
                                                struct oracle_relation eco) {
    int n = g->events;
    oracle_events seq_cst = oracle_where(g, oracle_is_sc);
    struct oracle_relation sc = oracle_on(n, seq_cst);
    struct oracle_relation fence = oracle_on(n, seq_cst & oracle_where(g, oracle_is_fence));

    struct oracle_relation elsewhere = oracle_local(g, r->sb, false);
    struct oracle_relation scb = oracle_then(oracle_then(elsewhere, r->hb), elsewhere);
    scb = oracle_or(oracle_or(scb, r->sb), oracle_local(g, r->hb, true));
    scb = oracle_or(oracle_or(scb, r->mo), r->rb);

    struct oracle_relation from = oracle_or(sc, oracle_then(fence, oracle_maybe(r->hb)));
    struct oracle_relation to = oracle_or(sc, oracle_then(oracle_maybe(r->hb), fence));
    struct oracle_relation base = oracle_then(oracle_then(from, scb), to);
    struct oracle_relation far = oracle_then(oracle_then(r->hb, eco), r->hb);
    struct oracle_relation fences = oracle_then(oracle_then(fence, oracle_or(r->hb, far)), fence);
    return oracle_or(base, fences);
}

/* Coherence (hb ; eco? irreflexive) and SC (psc acyclic).  Atomicity and "sb U rf acyclic" hold by
 * construction.  Fills *r. */
static inline bool oracle_consistent(const struct oracle_graph *g, struct oracle_relations *r) {
    oracle_base(g, r);
    r->hb = oracle_hb(g, r);
    struct oracle_relation eco = oracle_plus(oracle_or(oracle_or(r->rf, r->mo), r->rb));
    if (!oracle_irreflexive(oracle_then(r->hb, oracle_maybe(eco)))) return false;
    r->psc = oracle_psc(g, r, eco);
    return oracle_acyclic(r->psc);
}

/* Two accesses of one location, one of them a write, one of them plain, not ordered by hb. */
static inline bool oracle_races(const struct oracle_graph *g, struct oracle_relation hb) {
    for (int i = 0; i < g->events; i++)
        for (int j = 0; j < i; j++) {
            const struct oracle_event *a = &g->event[i], *b = &g->event[j];
            bool conflict = a->location >= 0 && a->location == b->location &&
                            (a->writes || b->writes) &&
                            (a->order == LITMUS_NA || b->order == LITMUS_NA);
            if (conflict && !(hb.row[i] >> j & 1) && !(hb.row[j] >> i & 1)) return true;
        }
    return false;
}

/* Which simpler models have this graph, as programs.txt defines its flags. */
static inline unsigned oracle_flags(const struct oracle_relations *r) {
    struct oracle_relation run = oracle_or(r->sb, r->rf);
    struct oracle_relation run_mo = oracle_or(run, r->mo);
    unsigned flags = 0;
    if (oracle_acyclic(oracle_or(run_mo, r->rb))) flags |= LITMUS_FLAG_I;
    if (oracle_acyclic(oracle_or(run_mo, r->psc))) flags |= LITMUS_FLAG_B;
    if (oracle_acyclic(run_mo)) flags |= LITMUS_FLAG_M;
    if (oracle_acyclic(oracle_or(run, r->psc))) flags |= LITMUS_FLAG_S;
    return flags;
}

/* ---- enumeration ---- */

struct oracle {
    const struct litmus_program *program;
    struct litmus_set *set;
};

static inline void oracle_extend(const struct oracle *o, const struct oracle_graph *g,
                                 const struct oracle_relations *r);

/* Counts a complete graph. */
static inline void oracle_record(const struct oracle *o, const struct oracle_graph *g,
                                 const struct oracle_relations *r) {
    struct litmus_final final = {.registers = g->registers};
    for (int x = 0; x < o->program->locations; x++)
        final.memory[x] = g->event[g->mo[x][g->writes[x] - 1]].value;
    bool race = oracle_races(g, r->hb);
    unsigned flags = oracle_flags(r);
    struct litmus_outcome *outcome = litmus_find(o->set, &final);
    if (!outcome) outcome = litmus_insert(o->set, &final);
    outcome->race = litmus_race(outcome->race, race);
    if (flags & LITMUS_FLAG_S) outcome->online = litmus_race(outcome->online, race);
    outcome->flags |= flags;
    o->set->race |= race;
    o->set->executions++;
    o->set->interleaved += flags & LITMUS_FLAG_I;
}

/* Goes on with a graph if it is consistent. */
static inline void oracle_try(const struct oracle *o, const struct oracle_graph *g) {
    struct oracle_relations r;
    if (oracle_consistent(g, &r)) oracle_extend(o, g, &r);
}

/* Adds a write at every place of mo that atomicity allows: an update directly after what it reads,
 * and nothing between an update and what that has read. */
static inline void oracle_write(const struct oracle *o, const struct oracle_graph *before,
                                int event) {
    const struct oracle_event *e = &before->event[event];
    int x = e->location;
    for (int place = 1; place <= before->writes[x]; place++) {
        const int *mo = before->mo[x];
        if (e->reads && mo[place - 1] != e->source) continue;
        if (place < before->writes[x] && before->event[mo[place]].reads) continue;
        struct oracle_graph g = *before;
        memmove(&g.mo[x][place + 1], &g.mo[x][place],
                (size_t)(g.writes[x]++ - place) * sizeof g.mo[x][0]);
        g.mo[x][place] = event;
        oracle_try(o, &g);
    }
}

/* Adds an event of a thread, which ends its statement.  The event could have been added as soon as
 * the last of its thread and its source were there: if a higher thread came since, the graph is
 * also made in a lesser order, and this one is left. */
static inline void oracle_add(const struct oracle *o, struct oracle_graph g,
                              struct oracle_event e) {
    int since = g.last[e.thread];
    if (e.reads && e.source > since) since = e.source;
    for (int i = since + 1; i < g.events; i++)
        if (g.event[i].thread > e.thread) return;
    g.last[e.thread] = g.events;
    g.next[e.thread]++;
    g.event[g.events++] = e;
    if (e.writes)
        oracle_write(o, &g, g.events - 1);
    else
        oracle_try(o, &g);
}

/* Adds the event of a statement that reads from `e.source`. */
static inline void oracle_read(const struct oracle *o, const struct oracle_graph *before,
                               const struct litmus_statement *s, struct oracle_event e) {
    struct oracle_graph g = *before;
    int old = g.event[e.source].value;
    bool compares = s->kind == LITMUS_CAS || s->kind == LITMUS_CASW;
    bool equal = !compares || old == litmus_value(s->operand[0], &before->registers);
    if (s->awaits && !litmus_arrives(s, old, &before->registers))
        return; /* all rounds together are one event */
    e.reads = true;
    litmus_assign(&g.registers, s->result, old);
    if (equal) {
        e.writes = s->kind != LITMUS_LOAD;
        e.value =
            litmus_updated(s->kind, old, litmus_value(s->operand[compares], &before->registers));
        litmus_assign(&g.registers, s->success, 1);
        oracle_add(o, g, e);
    }
    if (!equal || s->kind == LITMUS_CASW) {
        e.writes = false;
        e.order = s->failure;
        litmus_assign(&g.registers, s->success, 0);
        oracle_add(o, g, e);
    }
}

/* Adds the event of a statement in every way. */
static inline void oracle_perform(const struct oracle *o, const struct oracle_graph *g, int thread,
                                  const struct litmus_statement *s) {
    struct oracle_event e = {.thread = thread, .location = s->location, .order = s->order};
    if (s->kind == LITMUS_FENCE) {
        oracle_add(o, *g, e);
    } else if (s->kind == LITMUS_STORE) {
        e.writes = true;
        e.value = litmus_value(s->operand[0], &g->registers);
        oracle_add(o, *g, e);
    } else {
        for (int i = 0; i < g->writes[s->location]; i++) {
            e.source = g->mo[s->location][i];
            oracle_read(o, g, s, e);
        }
    }
}

/* All threads are through, or await what is not the last value: then some do so for ever. */
static inline void oracle_hang(const struct oracle *o, const struct oracle_graph *g,
                               const struct oracle_relations *r) {
    for (int t = 0; t < o->program->threads; t++) {
        const struct litmus_thread *thread = &o->program->thread[t];
        const struct litmus_statement *s = &thread->statement[g->next[t]];
        if (g->next[t] == thread->statements) continue;
        if (!s->awaits) return;
        const int *mo = g->mo[s->location];
        int newest = g->event[mo[g->writes[s->location] - 1]].value;
        if (litmus_arrives(s, newest, &g->registers)) return;
    }
    o->set->hangs |= oracle_flags(r) | LITMUS_FLAG_S;
    o->set->race |= oracle_races(g, r->hb);
}

/* Makes every graph that has the consistent graph g, with relations r, as its beginning. */
static inline void oracle_extend(const struct oracle *o, const struct oracle_graph *before,
                                 const struct oracle_relations *r) {
    struct oracle_graph g = *before;
    bool complete = true;
    for (int t = 0; t < o->program->threads; t++) {
        const struct litmus_thread *thread = &o->program->thread[t];
        while (g.next[t] < thread->statements &&
               !litmus_enabled(&thread->statement[g.next[t]], &g.registers))
            g.next[t]++;
        if (g.next[t] == thread->statements) continue;
        complete = false;
        oracle_perform(o, &g, t, &thread->statement[g.next[t]]);
    }
    if (complete)
        oracle_record(o, &g, r);
    else
        oracle_hang(o, &g, r);
}

/* Fills the empty set with all outcomes of a program, their flags, and the number of consistent
 * graphs.  `cxx20`: with the shorter release sequences of C++20.  The caller clears the set. */
static inline void oracle_outcomes(const struct litmus_program *program, bool cxx20,
                                   struct litmus_set *set) {
    struct oracle o = {.program = program, .set = set};
    struct oracle_graph g = {.events = program->locations, .cxx20 = cxx20};
    for (int x = 0; x < program->locations; x++) {
        g.event[x] = (struct oracle_event){
            .thread = -1, .location = x, .writes = true, .value = program->initial[x]};
        g.mo[x][g.writes[x]++] = x;
    }
    for (int t = 0; t < program->threads; t++) g.last[t] = program->locations - 1;
    oracle_try(&o, &g);
}

/* The text says about a program just what its set of outcomes is. */
static inline bool oracle_agrees(const struct litmus_program *program, const struct litmus_set *set,
                                 const struct litmus_expected *expected) {
    return set->count == expected->outcomes && set->executions == expected->executions &&
           set->race == expected->race && litmus_hash(program, set) == expected->hash;
}

#if defined __GNUC__ && !defined __clang__
# pragma GCC pop_options
#endif
#endif
