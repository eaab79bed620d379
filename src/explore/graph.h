/* explore/graph.h: the execution graph of one execution under RC11.
 *
 * Events are the operations by which threads can see each other: reads and writes of shared
 * locations (an update is one of each, the read first), fences, creations and joins.  `rf` is the
 * source of each read, `mo` a list of writes for each location.  Events are numbered in the order
 * in which they were added; what follows from sb and rf alone (what happens before an event, its
 * prefix, the message that comes with a write) is kept as vector clocks, since a graph only grows
 * by events that nothing of it depends on.
 *
 * Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI 2017.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_H
#define RFI_EXPLORE_GRAPH_H
#include "engine/given.h"
#include "explore/choices.h"
#include "mem/atomic.h"

#ifdef RFI_IMPL
enum { RFI_GRAPH_THREADS = 32, RFI_GRAPH_EVENTS = 20000 };
# define RFI_NO_EVENT UINT32_MAX

typedef enum rfi_gkind {
    RFI_G_READ,
    RFI_G_WRITE,
    RFI_G_FENCE,
    RFI_G_CREATE,
    RFI_G_JOIN,
    RFI_G_VALUE, /* a choice that is not one of memory */
    RFI_G_WAKE   /* the end of a wait: `source` is the write that ended it */
} rfi_gkind;

/* UPDATES: half of a read-modify-write.  CHANGES: a read that is one if it finds the value that it
 * wants; COMPARES: it wants one.  WEAK: it may fail all the same; SPURIOUS: so it did.  BLOCKED: it
 * waits, having found a lock that is held; its thread goes no further.  TRIES: it does not wait.
 * SERIAL: it has a place among the seq_cst fences, and orders nothing else. */
enum {
    RFI_G_UPDATES = 1,
    RFI_G_CHANGES = 2,
    RFI_G_COMPARES = 4,
    RFI_G_WEAK = 8,
    RFI_G_SPURIOUS = 16,
    RFI_G_BLOCKED = 32,
    RFI_G_TRIES = 64,
    RFI_G_SERIAL = 128
};

/* An operation on an object is an update of its state.  Of a lock or a semaphore: how many tokens
 * there are, or readers, and in the other half of the word whether there is a writer, and twice how
 * many have come; of a condition or futex: who waits, a bit for each thread, and in the other half
 * whether somebody looks at the word; of a barrier: how many have arrived, and how many it is for;
 * of a once: rfi_gonce; of what calls read and change: how many there were.  One that changes
 * nothing only reads. */
typedef enum rfi_gsync {
    RFI_G_NONE,
    RFI_G_LOCK,
    RFI_G_LOCK_SHARED,
    RFI_G_LOCK_AHEAD, /* by a writer that has come, */
    RFI_G_TAKE,
    RFI_G_ONCE,
    RFI_G_HEAR, /* a call that receives what others have sent */
    RFI_G_HOLD, /* from here on they are relaxed; the queue of a futex stays as it is */
    RFI_G_ENQUEUE,
    RFI_G_MOVE,    /* as a requeue, */
    RFI_G_LEAVE,   /* and may change again: its thread does not wait there */
    RFI_G_SIGNAL,  /* it wakes some, at one or two; */
    RFI_G_REQUEUE, /* others wait at the second one from then on */
    RFI_G_CALL,
    RFI_G_COME,           /* and lets no reader in before it; */
    RFI_G_GO,             /* it waits no more */
    RFI_G_VIEW,           /* of what an object counts: the state stays */
    RFI_G_UNLOCK,         /* from here on they release */
    RFI_G_TELL,           /* a call that sends */
    RFI_G_UNLOCK_WAITING, /* by a wait, at once when it is in the queue */
    RFI_G_UNLOCK_SHARED,
    RFI_G_POST,
    RFI_G_SEND, /* it counts `bits` from then on */
    RFI_G_ARRIVE,
    RFI_G_ONCE_DONE
} rfi_gsync;

typedef enum rfi_gonce { RFI_G_NEW, RFI_G_RUNNING, RFI_G_FINISHED } rfi_gonce;

/* What a wake-up does: the threads that it wakes, a bit for each; and those that it wakes at its
 * second futex, or lets wait there. */
typedef struct rfi_gpick {
    uint32_t first, second;
} rfi_gpick;

typedef struct rfi_gevent {
    uint8_t kind, flags, sync;
    uint8_t order, failure; /* of a compare-exchange that fails */
    uint8_t thread;
    uint8_t word, other; /* which futex, where all have one queue; and the second one */
    uint32_t location;   /* of a creation or a join: the other thread; of a choice: its value */
    rfi_gpick pick;
    uint32_t bits;            /* of a wake-up: of those that wait with one of these; of a sending */
    uint8_t most, most_other; /* so many threads, and in the second place; of a choice: a signal */
    uint16_t number;
    uint32_t source; /* of a read, a wake-up; of a write what it was put behind in mo */
    uint16_t print;  /* of a read, of its location's initial value */
} rfi_gevent;

/* A signal that was offered does not come. */
RFI_INLINE bool rfi_gevent_declines(const rfi_gevent *e) {
    return e->kind == RFI_G_VALUE && e->most && !e->location;
}

/* So many events of each thread; from the graph's width on there is none, and it is 0. */
typedef struct rfi_gclock {
    uint16_t n[RFI_GRAPH_THREADS];
} rfi_gclock;

/* What an execution has shown of an event. */
typedef struct rfi_gseen {
    rfi_gclock hb, prefix, message; /* happen before it, or are it; sb and rf lead to it */
    rfi_word value;                 /* of a write; what a comparison wants */
    uint32_t rank;                  /* of a write in mo, from 1 */
    uint32_t slot;                  /* of a write among those of the location, as they executed */
    bool executed, known;           /* known: the value */
    bool revisits;                  /* a write that an older read reads, or has read */
    const rf_site *site;            /* of a read, */
    const rfi_footed *footing;      /* and what its thread went on from, if that is known */
} rfi_gseen;

typedef struct rfi_glist {
    uint32_t *event, count, capacity;
} rfi_glist;

typedef struct rfi_gthread {
    rfi_glist list;
    rfi_gclock hb, prefix; /* before its first event */
    uint32_t executed;
    uint32_t effect; /* events before it last did something that nobody waits with, */
    uint32_t keeps;  /* and before it last wrote to its own stack */
    uint32_t twin;   /* thread + 1 that does the same; 0: none with a lower number */
} rfi_gthread;

typedef struct rfi_glocation {
    rfi_glist mo, accesses; /* accesses: by number, so those of a thread in their order */
    uint32_t threads;       /* that may have some, a bit for each */
    uint32_t place;         /* in memory + 1; 0: it was not met */
    rfi_word initial;
    uint16_t print; /* of that, in memory */
} rfi_glocation;

typedef struct rfi_graph {
    rfi_gevent *event;
    rfi_gseen *seen;
    uint32_t events, event_capacity, seen_capacity;
    uint32_t same; /* so many it has begun with as the last execution: of these all is known */
    rfi_gthread thread[RFI_GRAPH_THREADS];
    uint32_t threads; /* that have an event, or were created */
    uint32_t width;   /* of clocks: as many in any execution, in whole vectors */
    rfi_glocation *location;
    uint32_t locations, location_capacity;
    uint32_t fences;  /* seq_cst ones, and what is like these */
    bool interleaved; /* memory is sequentially consistent */
    bool cxx20;
    bool bounded;   /* loops have so many rounds at most, also those of what fails for no reason */
    bool apart;     /* somebody waits elsewhere, and is not here as yet */
    bool twins;     /* some threads do the same, */
    bool unchained; /* and store where they update, */
    bool turned;    /* and an option was left out for that */
} rfi_graph;

/* ---- lists and clocks ---- */

RFI_FN void rfi_glist_insert(rfi_glist *l, uint32_t at, uint32_t event) {
    l->event = rfi_grow(l->event, &l->capacity, l->count + 1, sizeof *l->event);
    memmove(&l->event[at + 1], &l->event[at], (l->count - at) * sizeof *l->event);
    l->event[at] = event;
    l->count++;
}

RFI_INLINE void rfi_glist_append(rfi_glist *l, uint32_t event) {
    l->event = rfi_grow(l->event, &l->capacity, l->count + 1, sizeof *l->event);
    l->event[l->count++] = event;
}

RFI_FN void rfi_glist_remove(rfi_glist *l, uint32_t at) {
    memmove(&l->event[at], &l->event[at + 1], (--l->count - at) * sizeof *l->event);
}

/* Entries of a clock that the machine takes at once. */
enum { RFI_GCLOCK_VECTOR = 8 };

RFI_INLINE void rfi_gclock_copy(const rfi_graph *g, rfi_gclock *to, const rfi_gclock *from) {
    uint32_t t = 0, width = g->width;
    do memcpy(&to->n[t], &from->n[t], RFI_GCLOCK_VECTOR * sizeof *to->n);
    while ((t += RFI_GCLOCK_VECTOR) < width);
}

RFI_INLINE void rfi_gclock_join(const rfi_graph *g, rfi_gclock *to, const rfi_gclock *from) {
    uint32_t t = 0, width = g->width;
    do {
        uint16_t a[RFI_GCLOCK_VECTOR], b[RFI_GCLOCK_VECTOR]; /* apart: so it is one operation */
        memcpy(a, &to->n[t], sizeof a);
        memcpy(b, &from->n[t], sizeof b);
        for (int i = 0; i < RFI_GCLOCK_VECTOR; i++) a[i] = a[i] < b[i] ? b[i] : a[i];
        memcpy(&to->n[t], a, sizeof a);
    } while ((t += RFI_GCLOCK_VECTOR) < width);
}

RFI_INLINE bool rfi_gclock_has(const rfi_gclock *c, const rfi_gevent *e) {
    return c->n[e->thread] > e->number;
}

RFI_INLINE bool rfi_graph_hb(const rfi_graph *g, uint32_t a, uint32_t b) {
    return a != b && rfi_gclock_has(&g->seen[b].hb, &g->event[a]);
}

/* Do sb and rf lead from `a` to `b`? */
RFI_INLINE bool rfi_graph_leads(const rfi_graph *g, uint32_t a, uint32_t b) {
    return a != b && rfi_gclock_has(&g->seen[b].prefix, &g->event[a]);
}

/* ---- events ---- */

/* The order that counts: of a compare-exchange that fails it is another one. */
RFI_INLINE int rfi_gevent_order(const rfi_gevent *e) {
    bool failed = (e->flags & (RFI_G_COMPARES | RFI_G_UPDATES)) == RFI_G_COMPARES;
    int order = failed ? e->failure : e->order;
    return order == RF_ORDER_PLAIN ? RF_MEM_PLAIN : order;
}

RFI_INLINE bool rfi_gevent_fences(const rfi_gevent *e) {
    return e->kind == RFI_G_FENCE || e->flags & RFI_G_SERIAL;
}

RFI_INLINE bool rfi_gevent_serial(const rfi_gevent *e) {
    return e->flags & RFI_G_SERIAL || (e->kind == RFI_G_FENCE && e->order == __ATOMIC_SEQ_CST);
}

/* Has it a place in the order of seq_cst operations? */
RFI_INLINE bool rfi_graph_total(const rfi_graph *g, const rfi_gevent *e) {
    if (g->interleaved) return e->kind <= RFI_G_FENCE || e->kind == RFI_G_WAKE;
    return e->flags & RFI_G_SERIAL ||
           (e->kind <= RFI_G_FENCE && rfi_gevent_order(e) == __ATOMIC_SEQ_CST);
}

RFI_INLINE bool rfi_gevent_accesses(const rfi_gevent *e) { return e->kind <= RFI_G_WRITE; }

/* Of a read, the place in mo of what it reads; 0 is the initial value. */
RFI_INLINE uint32_t rfi_graph_rank(const rfi_graph *g, uint32_t event) {
    const rfi_gevent *e = &g->event[event];
    if (e->kind == RFI_G_WRITE) return g->seen[event].rank;
    return e->source == RFI_NO_EVENT ? 0 : g->seen[e->source].rank;
}

/* The event before it in its thread, or RFI_NO_EVENT. */
RFI_INLINE uint32_t rfi_graph_previous(const rfi_graph *g, const rfi_gevent *e) {
    return e->number ? g->thread[e->thread].list.event[e->number - 1] : RFI_NO_EVENT;
}

/* What happens before the next event of its thread, as far as that was known before `e`. */
RFI_FN const rfi_gclock *rfi_graph_before(const rfi_graph *g, const rfi_gevent *e) {
    uint32_t previous = rfi_graph_previous(g, e);
    return previous == RFI_NO_EVENT ? &g->thread[e->thread].hb : &g->seen[previous].hb;
}

/* Only the first `kept` events stay in the list. */
RFI_INLINE void rfi_glist_cut(rfi_glist *l, uint32_t kept) {
    while (l->count && l->event[l->count - 1] >= kept) l->count--;
}

/* The same of the writes of a location, which have their ranks among themselves. */
RFI_FN void rfi_graph_cut_mo(rfi_graph *g, rfi_glist *mo, uint32_t kept) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < mo->count; i++) {
        if (mo->event[i] >= kept) continue;
        mo->event[n++] = mo->event[i];
        g->seen[mo->event[i]].rank = n;
    }
    mo->count = n;
}

/* What an event is to its graph; it was not executed. */
RFI_INLINE void rfi_graph_count(rfi_graph *g, uint32_t n) {
    const rfi_gevent *e = &g->event[n];
    g->seen[n].executed = g->seen[n].known = g->seen[n].revisits = false;
    g->seen[n].footing = NULL;
    g->fences += rfi_gevent_serial(e);
    uint32_t newest = e->kind == RFI_G_CREATE ? e->location : e->thread;
    if (g->threads <= newest) g->threads = newest + 1;
    if (RFI_UNLIKELY(newest >= g->width))
        g->width = (newest / RFI_GCLOCK_VECTOR + 1) * RFI_GCLOCK_VECTOR;
}

/* An execution begins, with the first `kept` events of the last one. */
RFI_FN void rfi_graph_begin(rfi_graph *g, uint32_t kept) {
    for (uint32_t t = 0; t < g->threads; t++) {
        rfi_glist_cut(&g->thread[t].list, kept);
        g->thread[t].executed = g->thread[t].effect = g->thread[t].keeps = 0;
        memset(&g->thread[t].hb, 0, sizeof g->thread[t].hb);
        memset(&g->thread[t].prefix, 0, sizeof g->thread[t].prefix);
    }
    uint32_t locations = 0;
    for (uint32_t i = 0; i < g->locations; i++) {
        rfi_glocation *x = &g->location[i];
        rfi_glist_cut(&x->accesses, kept);
        rfi_graph_cut_mo(g, &x->mo, kept);
        x->place = 0;
        if (x->accesses.count) locations = i + 1;
    }
    g->locations = locations;
    g->events = kept;
    g->threads = g->fences = 0;
    if (!g->width) g->width = RFI_GCLOCK_VECTOR;
    g->twins = g->turned = false;
    for (uint32_t i = 0; i < kept; i++) rfi_graph_count(g, i);
}

RFI_FN RFI_APART void rfi_graph_locations(rfi_graph *g, uint32_t count) {
    g->location = rfi_grow(g->location, &g->location_capacity, count, sizeof *g->location);
    for (; g->locations < count; g->locations++) {
        rfi_glocation *x = &g->location[g->locations];
        x->mo.count = x->accesses.count = x->threads = x->place = 0;
    }
}

RFI_INLINE rfi_glocation *rfi_graph_location(rfi_graph *g, uint32_t number) {
    if (RFI_UNLIKELY(number >= g->locations)) rfi_graph_locations(g, number + 1);
    return &g->location[number];
}

/* Adds the next event of its thread; it has no place in mo yet. */
RFI_FN uint32_t rfi_graph_add(rfi_graph *g, const rfi_gevent *e) {
    uint32_t n = g->events++;
    g->event = rfi_grow(g->event, &g->event_capacity, g->events, sizeof *g->event);
    g->seen = rfi_grow(g->seen, &g->seen_capacity, g->events, sizeof *g->seen);
    g->event[n] = *e;
    g->seen[n].rank = 0;
    rfi_glist *list = &g->thread[e->thread].list;
    g->event[n].number = (uint16_t)list->count;
    rfi_glist_append(list, n);
    rfi_graph_count(g, n);
    if (!rfi_gevent_accesses(e)) return n;
    rfi_glocation *x = rfi_graph_location(g, e->location);
    rfi_glist_append(&x->accesses, n);
    x->threads |= UINT32_C(1) << e->thread;
    return n;
}

/* Takes the last one away again. */
RFI_FN void rfi_graph_drop(rfi_graph *g) {
    const rfi_gevent *e = &g->event[--g->events];
    g->thread[e->thread].list.count--;
    if (rfi_gevent_accesses(e)) g->location[e->location].accesses.count--;
}

/* ---- mo ---- */

RFI_FN void rfi_graph_ranks(rfi_graph *g, const rfi_glocation *x, uint32_t from) {
    for (; from < x->mo.count; from++) g->seen[x->mo.event[from]].rank = from + 1;
}

/* Puts a write behind the first `at` of its location. */
RFI_FN void rfi_graph_put(rfi_graph *g, uint32_t write, uint32_t at) {
    rfi_glocation *x = &g->location[g->event[write].location];
    g->event[write].source = at ? x->mo.event[at - 1] : RFI_NO_EVENT;
    g->seen[write].rank = at + 1;
    if (at == x->mo.count) {
        rfi_glist_append(&x->mo, write);
    } else {
        rfi_glist_insert(&x->mo, at, write);
        rfi_graph_ranks(g, x, at + 1);
    }
}

RFI_FN void rfi_graph_take(rfi_graph *g, uint32_t write) {
    rfi_glocation *x = &g->location[g->event[write].location];
    uint32_t at = g->seen[write].rank - 1;
    rfi_glist_remove(&x->mo, at);
    g->seen[write].rank = 0;
    rfi_graph_ranks(g, x, at);
}

/* The source of the read half of a write that updates. */
RFI_INLINE uint32_t rfi_graph_updated(const rfi_graph *g, uint32_t write) {
    return g->event[rfi_graph_previous(g, &g->event[write])].source;
}

/* The value that a read of this source gives. */
RFI_INLINE const rfi_word *rfi_graph_value(const rfi_graph *g, uint32_t location, uint32_t source) {
    return source == RFI_NO_EVENT ? &g->location[location].initial : &g->seen[source].value;
}

/* What is there at the beginning, and a few bits that tell it from other values. */
RFI_FN void rfi_graph_initial(rfi_glocation *x, rfi_word w) {
    x->initial = w;
    x->print = (uint16_t)(rfi_mix(w.low + rfi_mix(w.high)) >> 48);
}

/* So many accesses of `x` have lower numbers. */
RFI_FN uint32_t rfi_graph_earlier(const rfi_glocation *x, uint32_t event) {
    uint32_t low = 0, high = x->accesses.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->accesses.event[middle] < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Coherence: an access of location `x` by a thread that knows `clock` comes behind so many writes.
 * The last access of each thread that it knows tells that; a write that has no place in mo yet
 * tells nothing. */
RFI_FN uint32_t rfi_graph_floor(const rfi_graph *g, const rfi_glocation *x,
                                const rfi_gclock *clock) {
    uint32_t floor = 0, open = 0, end = 0;
    for (uint32_t left = x->threads; left; left &= left - 1) {
        const rfi_glist *list = &g->thread[__builtin_ctz(left)].list;
        uint32_t known = clock->n[__builtin_ctz(left)];
        if (known > list->count) known = list->count; /* it was joined */
        if (!known) continue;
        open |= left & -left;
        if (list->event[known - 1] >= end) end = list->event[known - 1] + 1;
    }
    for (uint32_t i = rfi_graph_earlier(x, end); open && i-- && floor < x->mo.count;) {
        uint32_t a = x->accesses.event[i], bit = UINT32_C(1) << g->event[a].thread;
        if (!(open & bit) || !rfi_gclock_has(clock, &g->event[a])) continue;
        uint32_t rank = rfi_graph_rank(g, a);
        if (!rank && g->event[a].kind == RFI_G_WRITE) continue;
        open &= ~bit;
        if (rank > floor) floor = rank;
    }
    return floor;
}

/* The accesses of `x` before this one lead to the event. */
RFI_FN uint32_t rfi_graph_unled(const rfi_graph *g, const rfi_glocation *x, uint32_t event) {
    uint32_t from = g->events;
    for (uint32_t left = x->threads; left; left &= left - 1) {
        const rfi_glist *list = &g->thread[__builtin_ctz(left)].list;
        uint32_t leads = g->seen[event].prefix.n[__builtin_ctz(left)];
        if (leads < list->count && list->event[leads] < from) from = list->event[leads];
    }
    return rfi_graph_earlier(x, from);
}

/* ---- what follows from sb and rf ---- */

/* What an acquire fence obtains: from all atomic reads of its thread. */
RFI_FN void rfi_graph_fence(rfi_graph *g, const rfi_gevent *e, rfi_gclock *hb) {
    const rfi_glist *list = &g->thread[e->thread].list;
    for (uint32_t i = e->number; i--;) {
        const rfi_gevent *r = &g->event[list->event[i]];
        if (r->kind == RFI_G_READ && r->source != RFI_NO_EVENT && rfi_gevent_order(r) >= 0)
            rfi_gclock_join(g, hb, &g->seen[r->source].message);
        if (r->kind == RFI_G_FENCE && rfi_acquires(r->order)) break; /* it has done that */
    }
}

/* What comes with a write: the newest release of its thread that heads a release sequence here, and
 * what came with the write that it updates. */
RFI_FN void rfi_graph_message(rfi_graph *g, uint32_t write) {
    const rfi_gevent *e = &g->event[write];
    const rfi_glist *list = &g->thread[e->thread].list;
    rfi_gclock *message = &g->seen[write].message;
    memset(message, 0, g->width * sizeof *message->n);
    if (rfi_gevent_order(e) < 0 || (e->sync >= RFI_G_HOLD && e->sync < RFI_G_CALL)) return;
    bool taken = e->sync && e->sync < RFI_G_UNLOCK; /* by updates only: what it updates has all */
    for (uint32_t i = taken ? 0 : e->number + 1; i--;) {
        const rfi_gevent *w = &g->event[list->event[i]];
        bool heads =
            w->kind == RFI_G_WRITE && w->location == e->location && (i == e->number || !g->cxx20);
        if (!rfi_releases(rfi_gevent_order(w)) || !(heads || w->kind == RFI_G_FENCE)) continue;
        rfi_gclock_copy(g, message, &g->seen[list->event[i]].hb);
        break;
    }
    if (!(e->flags & RFI_G_UPDATES)) return;
    uint32_t source = rfi_graph_updated(g, write);
    if (source == RFI_NO_EVENT) return;
    if (e->sync == RFI_G_ARRIVE && !g->seen[source].value.low) return; /* another round */
    rfi_gclock_join(g, message, &g->seen[source].message);
}

/* A reader comes after the last writer, and not after other readers. */
RFI_FN void rfi_graph_shared(rfi_graph *g, uint32_t source, rfi_gclock *hb) {
    while (source != RFI_NO_EVENT && g->event[source].sync != RFI_G_UNLOCK)
        source = rfi_graph_updated(g, source);
    if (source != RFI_NO_EVENT) rfi_gclock_join(g, hb, &g->seen[source].hb);
}

/* All of it, of an event whose predecessors and source have it. */
RFI_FN void rfi_graph_follow(rfi_graph *g, uint32_t event) {
    const rfi_gevent *e = &g->event[event];
    rfi_gseen *s = &g->seen[event];
    uint32_t previous = rfi_graph_previous(g, e);
    const rfi_gthread *t = &g->thread[e->thread];
    if (RFI_LIKELY(previous != RFI_NO_EVENT)) {
        rfi_gclock_copy(g, &s->hb, &g->seen[previous].hb);
        rfi_gclock_copy(g, &s->prefix, &g->seen[previous].prefix);
    } else {
        s->hb = t->hb;
        s->prefix = t->prefix;
    }
    if (e->kind == RFI_G_READ && e->source != RFI_NO_EVENT) {
        rfi_gclock_join(g, &s->prefix, &g->seen[e->source].prefix);
        if (e->sync == RFI_G_LOCK_SHARED) {
            if (e->flags & RFI_G_UPDATES) rfi_graph_shared(g, e->source, &s->hb);
        } else if (rfi_acquires(rfi_gevent_order(e))) {
            rfi_gclock_join(g, &s->hb, &g->seen[e->source].message);
        }
    } else if (e->kind == RFI_G_WAKE) {
        rfi_gclock_join(g, &s->prefix, &g->seen[e->source].prefix);
        if (e->sync == RFI_G_ARRIVE) rfi_gclock_join(g, &s->hb, &g->seen[e->source].message);
    } else if (e->kind == RFI_G_FENCE && rfi_acquires(e->order)) {
        rfi_graph_fence(g, e, &s->hb);
    } else if (e->kind == RFI_G_JOIN) {
        const rfi_gthread *u = &g->thread[e->location];
        const rfi_gseen *last = u->list.count ? &g->seen[u->list.event[u->list.count - 1]] : NULL;
        rfi_gclock_join(g, &s->hb, last ? &last->hb : &u->hb);
        rfi_gclock_join(g, &s->prefix, last ? &last->prefix : &u->prefix);
        s->hb.n[e->location] = (uint16_t)(u->list.count + 1); /* what came after that, too */
    }
    s->hb.n[e->thread] = s->prefix.n[e->thread] = (uint16_t)(e->number + 1);
    if (e->kind == RFI_G_CREATE) {
        rfi_gclock_copy(g, &g->thread[e->location].hb, &s->hb);
        rfi_gclock_copy(g, &g->thread[e->location].prefix, &s->prefix);
    }
    if (e->kind == RFI_G_WRITE) rfi_graph_message(g, event);
}
#endif
#endif
