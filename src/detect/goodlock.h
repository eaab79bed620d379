/* detect/goodlock.h: iGoodlock, potential deadlocks (Joshi, Park, Sen and Naik, PLDI 2009; after
 * Havelund's GoodLock, SPIN 2000).
 *
 * The lock dependency relation of an execution: thread t, holding the locks L (not none), has
 * requested the lock l.  A chain is a sequence of these in which threads and requested locks are
 * different, each requested lock is held by the next thread, and the sets L are disjoint: a lock
 * that two of them hold, a gate, keeps one of them out.  If the last requested lock is held by the
 * first thread, the chain is a cycle.
 *
 * Two holds for reading do not exclude each other: they are neither a gate, nor does a request for
 * reading wait for one.  A request that does not wait, or not for ever (try, timed), is no request;
 * what it obtained is held.  A wait that takes its mutex again requests it.  Requests that start
 * and join order are not part of the same cycle: no schedule can turn these round.
 *
 * Guarantee: every such cycle of the execution, of any length, is reported, up to a limit of work
 * that is reported when it is hit; shorter ones come first.  A cycle may be impossible (a flag, or
 * a condition, may keep the threads apart): DeadlockFuzzer decides.  A lock that is taken again by
 * its owner makes no request.  Code that was not executed is not seen.
 */
#ifndef RFI_DETECT_GOODLOCK_H
#define RFI_DETECT_GOODLOCK_H
#include "detect/request.h"
#include "mem/threads.h"

#ifdef RFI_IMPL
# define RFI_GOODLOCK_WORK     50000u /* pairs of requests that are compared, in one execution */
# define RFI_GOODLOCK_REQUESTS 20000u /* that are kept of one execution */
# define RFI_GOODLOCK_LATER    256u

/* A request of the relation. */
typedef struct rfi_dependency {
    rfi_request request;
    bool waits;             /* it had not got its lock when the execution ended */
    uint64_t filter;        /* bit (number mod 64) of every lock that is held */
    uint32_t own;           /* the thread's own clock, start and join alone counting, */
    const rfi_clock *heard; /* and what it has heard of the others */
} rfi_dependency;

/* What a thread holds now. */
typedef struct rfi_holding {
    rf_lock *lock;
    uint32_t n, capacity;
    uint32_t own, version; /* of its clock when this copy of it was made: */
    const rfi_clock *heard;
} rfi_holding;

/* A chain: another one, or nothing, and one more request. */
typedef struct rfi_chain {
    uint32_t last, before; /* a dependency; a chain + 1 */
    uint32_t first, length;
} rfi_chain;

/* List of the requests whose thread holds a lock. */
typedef struct rfi_holder {
    uint32_t dependency, next; /* holder + 1 */
    bool shared;
} rfi_holder;

/* A start or a join that is looked at when a thread that holds a lock wants another. */
typedef struct rfi_kinship {
    uint32_t thread, other;
    bool join;
} rfi_kinship;

typedef struct rfi_goodlock_state {
    rfi_arena arena;
    rfi_actors actors;
    rfi_kinship later[RFI_GOODLOCK_LATER];
    uint32_t laters;
    rfi_holding *thread;
    rfi_dependency *relation;
    rfi_chain *chain;
    rfi_holder *holder;
    uint32_t threads, requests, chains, holders;
    uint32_t thread_capacity, request_capacity, chain_capacity, holder_capacity;
    rfi_map known;   /* hash of a request -> dependency + 1 */
    rfi_map held_by; /* lock -> holder + 1 */
    rfi_map told;    /* hash of the targets of a cycle -> how many cycles have them */
    uint32_t work;
    bool limited;    /* the limit was hit */
    uint32_t cycles; /* of this execution, */
    uint32_t kinds;  /* and when those with the same targets count once */
} rfi_goodlock_state;

RFI_VAR rfi_goodlock_state rfi_goodlock;

/* How long cycles may be; 0: as long as they are. */
RFI_VAR uint32_t rfi_goodlock_longest;

RFI_FN void rfi_goodlock_begin(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_scopes_begin(g);
    rfi_arena_reset(&g->arena);
    rfi_actors_reset(&g->actors);
    g->threads = g->requests = g->laters = g->cycles = g->kinds = 0;
    g->limited = false;
    rfi_map_reset(&g->known);
}

/* ---- the relation ---- */

RFI_FN RFI_COLD void rfi_holding_add(uint32_t t) {
    rfi_goodlock_state *g = &rfi_goodlock;
    g->thread = rfi_grow(g->thread, &g->thread_capacity, t + 1, sizeof *g->thread);
    for (; g->threads <= t; g->threads++) {
        g->thread[g->threads].n = 0;
        g->thread[g->threads].heard = NULL;
    }
}

RFI_INLINE rfi_holding *rfi_holding_of(uint32_t t) {
    if (RFI_UNLIKELY(t >= rfi_goodlock.threads)) rfi_holding_add(t);
    return &rfi_goodlock.thread[t];
}

RFI_FN void rfi_goodlock_catch_up(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    for (uint32_t i = 0; i < g->laters; i++) {
        const rfi_kinship *k = &g->later[i];
        (k->join ? rfi_actor_join : rfi_actor_fork)(&g->actors, k->thread, k->other);
    }
    g->laters = 0;
}

RFI_FN void rfi_goodlock_kin(const rf_event *e) {
    rfi_goodlock_state *g = &rfi_goodlock;
    g->later[g->laters++] = (rfi_kinship){e->thread, e->other, e->kind == RF_EV_JOIN};
    if (g->laters == RFI_GOODLOCK_LATER) rfi_goodlock_catch_up();
}

/* Brings the copy of its thread's clock up to date. */
RFI_FN void rfi_holding_clock(rfi_holding *h, uint32_t t) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_goodlock_catch_up();
    const rfi_actor *a = rfi_actor_of(&g->actors, t);
    if (h->heard && h->own == a->own && h->version == a->version) return;
    rfi_clock *copy = rfi_arena_take(&g->arena, sizeof *copy);
    rfi_clock_copy(copy, &a->clock, &g->arena);
    h->own = a->own;
    h->version = a->version;
    h->heard = copy;
}

RFI_INLINE uint64_t rfi_lock_hash(uint32_t object, bool shared, const rf_site *site) {
    return ((uint64_t)object << 1 | shared) + ((uint64_t)rfi_site_number(site) << 33);
}

RFI_FN uint64_t rfi_dependency_hash(const rfi_dependency *d, uint32_t version) {
    const rfi_request *r = &d->request;
    uint64_t h = rfi_mix((uint64_t)r->thread << 32 | d->own) + version;
    h = rfi_mix(h) + rfi_lock_hash(r->object, r->shared, r->site);
    for (uint32_t i = 0; i < r->n; i++) {
        const rf_lock *l = &r->held[i];
        h = rfi_mix(h) + rfi_lock_hash(l->object, l->shared, l->site);
    }
    return rfi_mix(h);
}

/* Thread `t`, which holds a lock, wants another.  Returns its place in the relation + 1; 0: there
 * is no room. */
RFI_FN uint32_t rfi_goodlock_request(uint32_t t, uint32_t object, bool shared,
                                     const rf_site *site) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_holding *h = rfi_holding_of(t);
    if (g->limited) return 0;
    rfi_holding_clock(h, t);
    rfi_dependency d = {
        .request = {t, object, shared, site, h->lock, h->n}, .own = h->own, .heard = h->heard};
    uint64_t *known = rfi_map_at(&g->known, rfi_dependency_hash(&d, h->version));
    if (*known) return (uint32_t)*known;
    *known = g->requests + 1;
    rf_lock *held = rfi_arena_raw(&g->arena, h->n * sizeof *held);
    memcpy(held, h->lock, h->n * sizeof *held);
    d.request.held = held;
    for (uint32_t i = 0; i < h->n; i++) d.filter |= UINT64_C(1) << held[i].object % 64;
    g->relation = rfi_grow(g->relation, &g->request_capacity, g->requests + 1, sizeof d);
    g->relation[g->requests++] = d;
    g->limited = g->requests == RFI_GOODLOCK_REQUESTS;
    return g->requests;
}

RFI_FN void rfi_goodlock_lock(const rf_event *e) {
    bool shared = e->flags & RF_EV_SHARED;
    rfi_holding *h = rfi_holding_of(e->thread);
    if (h->n && !(e->flags & (RF_EV_TRY | RF_EV_TIMED)))
        (void)rfi_goodlock_request(e->thread, e->object, shared, e->site);
    if (RFI_UNLIKELY(h->n == h->capacity))
        h->lock = rfi_grow(h->lock, &h->capacity, h->n + 1, sizeof *h->lock);
    h->lock[h->n++] = (rf_lock){e->object, shared, e->site};
}

RFI_FN void rfi_goodlock_unlock(const rf_event *e) {
    rfi_holding *h = rfi_holding_of(e->thread);
    uint32_t i = h->n;
    while (i && h->lock[i - 1].object != e->object) i--;
    if (!i) return;
    for (h->n--; i <= h->n; i++) h->lock[i - 1] = h->lock[i];
}

RFI_FN void rfi_goodlock_event(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOCK: rfi_goodlock_lock(e); return;
    case RF_EV_UNLOCK: rfi_goodlock_unlock(e); return;
    case RF_EV_JOIN: rfi_goodlock_kin(e); return;
    case RF_EV_CREATE: rfi_goodlock_kin(e); break;
    default: break;
    }
    rfi_scopes_event(&rfi_goodlock, e);
}

/* Where the execution ended, some still wait for their locks. */
RFI_FN void rfi_goodlock_pending(void) {
    for (uint32_t t = 0; t < rfi_goodlock.threads; t++) {
        const rfi_holding *h = &rfi_goodlock.thread[t];
        if (!h->n || !rf_thread_alive(t)) continue;
        const rf_event *next = rf_next_event(t);
        uint32_t object = rfi_requested(next), i = 0;
        while (i < h->n && h->lock[i].object != object) i++;
        if (!object || i < h->n) continue; /* it has got it */
        i = rfi_goodlock_request(t, object, next->flags & RF_EV_SHARED, next->site);
        if (i) rfi_goodlock.relation[i - 1].waits = true;
    }
}

/* ---- reports ---- */

/* `real`: all of them are waiting now. */
RFI_FN void rfi_goodlock_warn(const rfi_request *const *member, uint32_t n, bool real) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rf_warning w;
    uint64_t hash = rfi_cycle_warning(&w, "goodlock", member, n, &g->arena);
    w.real = real;
    g->cycles++;
    if (++*rfi_map_at(&g->told, hash) > 1 && !real) return;
    g->kinds += *rfi_map_at(&g->told, hash) == 1;
    rf_warn(&w);
}

/* There may be more cycles than were looked for. */
RFI_FN void rfi_goodlock_limited(void) {
    const rfi_request *last = &rfi_goodlock.relation[rfi_goodlock.requests - 1].request;
    rf_warning w = {.family = RF_FAMILY_OTHER,
                    .by = "goodlock",
                    .places = 1,
                    .targets = 1,
                    .target = {rfi_hash_text("goodlock") >> (64 - RFI_KEY_BITS) | 1},
                    .text =
                        "There are too many requests of locks: not all cycles were looked for."};
    w.place[0] = (rf_place){.site = last->site,
                            .role = "is one of too many lock requests, not all of them compared:",
                            .thread = last->thread,
                            .object = last->object};
    rf_warn(&w);
}

/* ---- cycles ---- */

/* No lock excludes the two threads from being there at once. */
RFI_FN bool rfi_holds_apart(const rfi_dependency *a, const rfi_dependency *b) {
    if (!(a->filter & b->filter)) return true;
    const rfi_request *p = &a->request, *q = &b->request;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < q->n; k++)
            if (p->held[i].object == q->held[k].object && !(p->held[i].shared && q->held[k].shared))
                return false;
    return true;
}

/* Does start or join order the request `a` before `b`? */
RFI_FN bool rfi_request_before(const rfi_dependency *a, const rfi_dependency *b) {
    return a->own <= rfi_clock_get(b->heard, a->request.thread);
}

/* Could both be part of one chain? */
RFI_FN bool rfi_request_beside(const rfi_dependency *a, const rfi_dependency *b) {
    return a->request.thread != b->request.thread && a->request.object != b->request.object &&
           rfi_holds_apart(a, b) && !rfi_request_before(a, b) && !rfi_request_before(b, a);
}

/* Does the thread of `d` hold what `r` waits for? */
RFI_FN bool rfi_request_blocked(const rfi_request *r, const rfi_request *d) {
    for (uint32_t i = 0; i < d->n; i++)
        if (d->held[i].object == r->object && !(d->held[i].shared && r->shared)) return true;
    return false;
}

RFI_FN void rfi_chain_push(uint32_t dependency, const rfi_chain *before, uint32_t number) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_chain c = {.last = dependency, .first = dependency, .length = 1};
    if (before) c = (rfi_chain){dependency, number + 1, before->first, before->length + 1};
    g->chain = rfi_grow(g->chain, &g->chain_capacity, g->chains + 1, sizeof *g->chain);
    g->chain[g->chains++] = c;
}

RFI_FN void rfi_chain_report(const rfi_chain *c, const rfi_dependency *last) {
    rfi_goodlock_state *g = &rfi_goodlock;
    uint32_t n = c->length + 1, i = n - 1;
    const rfi_request **member = rfi_arena_raw(&g->arena, n * sizeof *member);
    bool all_wait = last->waits;
    member[i] = &last->request;
    for (;; c = &g->chain[c->before - 1]) {
        member[--i] = &g->relation[c->last].request;
        all_wait &= g->relation[c->last].waits;
        if (!c->before) break;
    }
    rfi_goodlock_warn(member, n, all_wait);
}

/* Adds every request that goes on where the chain ends.  The first thread is the one with the
 * lowest number, so that a cycle is met once; a cycle is not extended. */
RFI_FN void rfi_chain_extend(uint32_t number) {
    rfi_goodlock_state *g = &rfi_goodlock;
    const rfi_chain chain = g->chain[number];
    const rfi_request *last = &g->relation[chain.last].request;
    const rfi_dependency *first = &g->relation[chain.first];
    const uint64_t *list = rfi_map_find(&g->held_by, last->object);
    for (uint32_t h = list ? (uint32_t)*list : 0; h; h = g->holder[h - 1].next) {
        uint32_t i = g->holder[h - 1].dependency;
        const rfi_dependency *d = &g->relation[i];
        if (++g->work > RFI_GOODLOCK_WORK) return;
        if (d->request.thread <= first->request.thread) continue;
        if (g->holder[h - 1].shared && last->shared) continue;
        bool fits = true;
        for (const rfi_chain *c = &chain; fits; c = &g->chain[c->before - 1]) {
            fits = rfi_request_beside(&g->relation[c->last], d);
            if (!c->before) break;
        }
        if (!fits) continue;
        if (rfi_request_blocked(&d->request, &first->request))
            rfi_chain_report(&chain, d);
        else if (!rfi_goodlock_longest || chain.length + 1 < rfi_goodlock_longest)
            rfi_chain_push(i, &chain, number);
    }
}

/* Lists of the requests by the locks that are held, in the order of the requests. */
RFI_FN void rfi_goodlock_index(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_map_reset(&g->held_by);
    g->holders = 0;
    for (uint32_t i = g->requests; i--;) {
        const rfi_request *r = &g->relation[i].request;
        for (uint32_t k = 0; k < r->n; k++) {
            uint64_t *list = rfi_map_at(&g->held_by, r->held[k].object);
            g->holder = rfi_grow(g->holder, &g->holder_capacity, g->holders + 1, sizeof *g->holder);
            g->holder[g->holders++] = (rfi_holder){i, (uint32_t)*list, r->held[k].shared};
            *list = g->holders;
        }
    }
}

RFI_FN void rfi_goodlock_search(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_goodlock_index();
    rfi_map_reset(&g->told);
    g->chains = g->work = 0;
    for (uint32_t i = 0; i < g->requests; i++) rfi_chain_push(i, NULL, 0);
    for (uint32_t c = 0; c < g->chains && g->work <= RFI_GOODLOCK_WORK; c++) rfi_chain_extend(c);
    if (g->limited || g->work > RFI_GOODLOCK_WORK) rfi_goodlock_limited();
}

RFI_FN void rfi_goodlock_end(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_goodlock_pending();
    bool two = false; /* threads that hold one lock and want another */
    for (uint32_t i = 1; i < g->requests && !two; i++)
        two = g->relation[i].request.thread != g->relation[0].request.thread;
    if (two) rfi_goodlock_search();
    rfi_scopes_end();
}

RFI_VAR rf_analysis rfi_goodlock_analysis = {
    .name = "goodlock",
    .help = "deadlocks of other schedules: threads that take locks in different orders",
    .events =
        RFI_SCOPES_EVENTS | RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_JOIN),
    .begin = rfi_goodlock_begin,
    .event = rfi_goodlock_event,
    .end = rfi_goodlock_end};
#endif
#endif
