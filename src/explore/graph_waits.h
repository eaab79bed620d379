/* explore/graph_waits.h: loops that wait for another thread.
 *
 * A round that has no effect and reads what the last one has read leads nowhere: its thread stays
 * where it is until a write is read by one of its reads (a backward revisit).  A loop is recognised
 * by the statements and sources of its reads; of more than one read two equal rounds must have been
 * made.  A fence between them is no effect: without the round, and what it orders, the rest of the
 * graph is as consistent.  Since it may be a loop that gives up, which is another thing, the thread
 * first runs on for some rounds, reading the same; if it comes to something else, its statement is
 * one of a bounded loop, all of whose rounds are explored, from the beginning.  Before it is a
 * failure that all who are left wait, each of them runs on for as many rounds as there may be.
 *
 * Reads of older writes are waited with in vain, where nobody goes on: that execution is one of
 * those in which the newer value was read at once.  Until then others do what they do beside, since
 * the wait may end by that.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_WAITS_H
#define RFI_EXPLORE_GRAPH_WAITS_H
#include "explore/graph_futex.h"

#ifdef RFI_IMPL
enum { RFI_G_PERIOD = 32, RFI_G_ROUNDS = 128, RFI_G_ROUNDS_KNOWN = 4 };

/* Does a thread go on from what it went on from a round before? */
typedef enum rfi_gback { RFI_G_MAYBE, RFI_G_BACK, RFI_G_ELSEWHERE } rfi_gback;

/* Of a thread: the reads and fences of a round, the first of them a read; how many it has made
 * since; it stays there. */
typedef struct rfi_gwait {
    uint32_t period, at;
    uint64_t rounds, most; /* it has made, and makes before it stays */
    uint64_t footing;      /* what its thread went on from in the last round, */
    uint32_t shows;        /* which the first of these tells */
    rfi_gback back;
    bool stays, last; /* it runs on, or has, for as long as it may */
    bool cut;         /* it stays since it has made enough rounds (graph_unroll.h) */
    bool locks;       /* it takes locks, and gives them back */
} rfi_gwait;

RFI_VAR rfi_gwait rfi_graphs_wait[RFI_GRAPH_THREADS];
RFI_VAR uint32_t rfi_graphs_waiting;  /* thread of the engine + 1 that runs on; 0: none, */
RFI_VAR uint32_t rfi_graphs_spinning; /* and whose stores are none, since all was there */

RFI_FN void rfi_graphs_waits_begin(void) {
    memset(rfi_graphs_wait, 0, rfi_g.graph.width * sizeof *rfi_graphs_wait);
    rfi_graphs_waiting = rfi_graphs_spinning = 0;
}

RFI_FN void rfi_graphs_say_loop(rfi_gloop loop, const rf_site *s) {
    rfi_graphs_say(loop, rfi_site_known_key(s));
}

/* The `back`-th last event of a thread. */
RFI_FN uint32_t rfi_graphs_recent(uint32_t thread, uint32_t back) {
    const rfi_gthread *t = &rfi_g.graph.thread[thread];
    return t->list.event[t->executed - back];
}

/* The write half of an update. */
RFI_FN uint32_t rfi_graphs_half(const rfi_graph *g, uint32_t read) {
    const rfi_gevent *e = &g->event[read];
    return g->thread[e->thread].list.event[e->number + 1u];
}

/* Has an update left what the read has found? */
RFI_FN bool rfi_graphs_leaves(const rfi_graph *g, const rfi_gevent *read, uint32_t write) {
    return rfi_word_same(rfi_graph_value(g, read->location, read->source), &g->seen[write].value);
}

/* Has the read, if it is half of an update, left what it has found, as a try for a lock does that
 * others hold? */
RFI_FN bool rfi_graphs_silent(const rfi_graph *g, uint32_t read) {
    const rfi_gevent *e = &g->event[read];
    if (!(e->flags & RFI_G_UPDATES)) return true;
    return !e->sync && !(e->flags & RFI_G_COMPARES) &&
           rfi_graphs_leaves(g, e, rfi_graphs_half(g, read));
}

RFI_FN bool rfi_gsync_locks(unsigned sync) {
    return sync >= RFI_G_LOCK && sync <= RFI_G_LOCK_AHEAD;
}

RFI_FN bool rfi_gsync_unlocks(unsigned sync) {
    return sync == RFI_G_UNLOCK || sync == RFI_G_UNLOCK_SHARED;
}

/* Would the operation on an object repeat that one? */
RFI_FN bool rfi_graphs_repeats_sync(const rf_event *next, const rfi_gevent *e) {
    if (rfi_graphs_object_known(next->object) != e->location + 1) return false;
    if (next->kind == RF_EV_UNLOCK) return rfi_gsync_unlocks(e->sync);
    if (next->kind != RF_EV_LOCK ||
        rfi_graphs_tries(next) != (e->flags & RFI_G_TRIES) / RFI_G_TRIES)
        return false;
    return !(e->flags & RFI_G_UPDATES) || rfi_gsync_locks(e->sync);
}

/* Would the operation repeat this read, or fence? */
RFI_FN bool rfi_graphs_repeats(const rf_event *next, uint32_t read) {
    const rfi_graph *g = &rfi_g.graph;
    const rfi_gevent *e = &g->event[read];
    if (next->kind == RF_EV_FENCE) return e->kind == RFI_G_FENCE && e->order == next->order;
    if (e->kind != RFI_G_READ || e->flags & RFI_G_SPURIOUS) return false;
    if (g->seen[read].site != next->site) return false;
    if (e->sync) return rfi_graphs_repeats_sync(next, e);
    if (!rfi_graphs_silent(g, read) || !(next->flags & RF_EV_READS)) return false;
    const rfi_gplace *x = rfi_gplaces_find(&rfi_g.places, next->addr, next->size);
    if (!x || x->location != e->location) return false;
    if (next->kind != RF_EV_RMW) return !(e->flags & RFI_G_CHANGES);
    const rfi_compare *c = rfi_given_compare(next->thread);
    if (!c) return e->flags & RFI_G_UPDATES;
    rfi_word wanted = rfi_word_of(c->expected, next->size);
    return !rfi_word_same(&wanted, rfi_graph_value(g, e->location, e->source));
}

/* Of the events of two rounds, of which `b` was before: are they the same, in what `next` could
 * repeat?  An update that has left what was there reads that from the one before. */
RFI_FN bool rfi_graphs_alike(const rfi_graph *g, uint32_t a, uint32_t b) {
    const rfi_gevent *e = &g->event[a], *f = &g->event[b];
    if (e->kind != f->kind || e->order != f->order || e->sync != f->sync) return false;
    if (e->kind != RFI_G_READ) return true;
    bool same = e->source == f->source || (f->flags & RFI_G_UPDATES && e->sync) ||
                (f->flags & RFI_G_UPDATES && e->source == rfi_graphs_half(g, b));
    return same && e->location == f->location && e->flags == f->flags &&
           g->seen[a].site == g->seen[b].site;
}

/* Of a round of so many events: does the `i`-th last, which unlocks, end what one of them has
 * begun? */
RFI_FN bool rfi_graphs_pairs(const rfi_graph *g, uint32_t thread, uint32_t period, uint32_t i) {
    const rfi_gevent *unlock = &g->event[rfi_graphs_recent(thread, i)];
    for (uint32_t k = i + 1; k <= period; k++) {
        const rfi_gevent *e = &g->event[rfi_graphs_recent(thread, k)];
        if (rfi_gsync_locks(e->sync) && e->location == unlock->location) return true;
    }
    return false;
}

/* Have the last so many events come to nothing?  They are reads, updates that have left what they
 * have found, fences, and locks that were given back.  So many of them read; 0: no. */
RFI_FN uint32_t rfi_graphs_idle_reads(uint32_t thread, uint32_t period, bool *locks) {
    const rfi_graph *g = &rfi_g.graph;
    uint32_t reads = 0, locked = 0, unlocked = 0;
    for (uint32_t i = period; i; i--) {
        uint32_t event = rfi_graphs_recent(thread, i);
        const rfi_gevent *e = &g->event[event];
        bool read = e->kind == RFI_G_READ, updates = e->flags & RFI_G_UPDATES;
        reads += read;
        if (e->kind == RFI_G_FENCE || rfi_gevent_declines(e)) continue;
        if (!read && updates) continue; /* as its read half */
        if (!read) return 0;
        if (!e->sync || !updates) {
            if (!rfi_graphs_silent(g, event)) return 0;
        } else if (rfi_gsync_locks(e->sync)) {
            locked++;
        } else if (rfi_gsync_unlocks(e->sync) && rfi_graphs_pairs(g, thread, period, i)) {
            unlocked++;
        } else {
            return 0;
        }
    }
    *locks = locked;
    return locked == unlocked ? reads : 0;
}

/* Was the last round the same as the one before? */
RFI_FN bool rfi_graphs_twice(uint32_t thread, uint32_t period) {
    const rfi_graph *g = &rfi_g.graph;
    const rfi_gthread *t = &g->thread[thread];
    if (t->effect + 2 * period > t->executed) return false;
    for (uint32_t i = 1; i <= period; i++)
        if (!rfi_graphs_alike(g, rfi_graphs_recent(thread, i),
                              rfi_graphs_recent(thread, i + period)))
            return false;
    return true;
}

/* What a thread goes on from at the read before so many others, in the round that it has made;
 * `next` begins another one. */
RFI_FN uint64_t rfi_graphs_went_on(const rf_event *next, uint32_t thread, uint32_t back) {
    if (!back) return rfi_given_footing(next->thread);
    return rfi_footed_number(rfi_g.graph.seen[rfi_graphs_recent(thread, back)].footing);
}

/* Has a thread that is about to begin another round come back, as far as what it goes on from
 * tells? The first read of which that is known tells it, where it has made two. */
RFI_FN void rfi_graphs_goes_back(const rf_event *next, uint32_t thread, rfi_gwait *w, bool twice) {
    uint32_t at = 0, period = w->period;
    while (twice && at + 1 < period && !rfi_graphs_went_on(next, thread, period - at)) at++;
    uint64_t before = rfi_graphs_went_on(next, thread, at ? 2 * period - at : period);
    uint64_t now = rfi_graphs_went_on(next, thread, at ? period - at : 0);
    w->shows = at;
    w->footing = now;
    w->back = !now || !before ? RFI_G_MAYBE : now == before ? RFI_G_BACK : RFI_G_ELSEWHERE;
}

/* May it have?  One that goes on from the same has, and one that has read once, or has made two
 * rounds that are the same, may have. */
RFI_FN bool rfi_graphs_comes_back(const rf_event *next, uint32_t thread, rfi_gwait *w,
                                  uint32_t reads) {
    const rfi_gthread *t = &rfi_g.graph.thread[thread];
    bool twice = false;
    rfi_graphs_goes_back(next, thread, w, twice);
    if (w->back != RFI_G_BACK && reads > 1) {
        twice = rfi_graphs_twice(thread, w->period);
        if (!twice) return false;
        rfi_graphs_goes_back(next, thread, w, twice);
    }
    return w->back == RFI_G_BACK || t->keeps + w->period * (twice ? 2 : 1) <= t->executed;
}

/* A lock begins another round, behind so many: is it seen whether its thread has come back?  If
 * not, and there were some, all begins anew, with that kept. */
RFI_FN bool rfi_graphs_shows_round(const rf_event *next, uint32_t rounds) {
    if (next->kind != RF_EV_LOCK || rfi_graphs_shows(next) || !rfi_given_footing(next->thread))
        return true;
    if (rounds < RFI_G_ROUNDS_KNOWN) return false;
    rfi_graphs_say_loop(RFI_G_LOOKS, next->site);
    rfi_graphs_leave(RFI_G_SOUND);
    return false;
}

/* Does the operation begin another round of a loop that may wait? */
RFI_FN bool rfi_graphs_loops(const rf_event *next, uint32_t thread) {
    const rfi_gstack *s = &rfi_g.stack;
    const rfi_gthread *t = &rfi_g.graph.thread[thread];
    const rfi_gseen *seen = rfi_g.graph.seen;
    const uint32_t *of = t->list.event;
    if (!(next->flags & RF_EV_READS) && next->kind != RF_EV_LOCK) return false;
    uint32_t most = t->executed - t->effect; /* a longer round would have one */
    for (uint32_t period = 1; period <= RFI_G_PERIOD && period <= most; period++) {
        uint32_t read = of[t->executed - period];
        if (seen[read].site != next->site || !rfi_graphs_repeats(next, read)) continue;
        uint64_t key = rfi_site_known_key(next->site);
        if (rfi_gstack_has(s, RFI_G_BOUNDED, key)) return false;
        rfi_gwait w = {.period = period};
        uint32_t reads = rfi_graphs_idle_reads(thread, period, &w.locks);
        if (!reads) continue;
        if (w.locks && !rfi_graphs_shows_round(next, most / period)) return false;
        if (!rfi_graphs_comes_back(next, thread, &w, reads)) continue;
        bool elsewhere = w.back == RFI_G_ELSEWHERE;
        if (elsewhere && (w.locks || rfi_gstack_has(s, RFI_G_REMEMBERS, key))) continue;
        bool known = !elsewhere && rfi_gstack_has(s, RFI_G_WAITS, key);
        w.most = known ? RFI_G_ROUNDS_KNOWN : RFI_G_ROUNDS;
        rfi_graphs_wait[thread] = w;
        return true;
    }
    return false;
}

/* Is the operation the next one of the round? */
RFI_FN bool rfi_graphs_same(const rf_event *next, uint32_t thread) {
    const rfi_gwait *w = &rfi_graphs_wait[thread];
    const rfi_gthread *t = &rfi_g.graph.thread[thread];
    bool kept = t->keeps != t->executed || w->at != w->shows ||
                (w->back == RFI_G_BACK && rfi_given_footing(next->thread) == w->footing);
    return t->effect != t->executed && kept &&
           rfi_graphs_repeats(next, rfi_graphs_recent(thread, w->period - w->at));
}

/* Does the thread make a round that is none of its events? */
RFI_FN bool rfi_graphs_repeating(uint32_t t) { return rfi_graphs_waiting == t + 1; }

/* The thread reads what the last round has read, or has left there, or makes its fence. */
RFI_FN void rfi_graphs_round(const rf_event *next, uint32_t thread) {
    rfi_gwait *w = &rfi_graphs_wait[thread];
    const rfi_graph *g = &rfi_g.graph;
    uint32_t read = rfi_graphs_recent(thread, w->period - w->at);
    bool updates = g->event[read].flags & RFI_G_UPDATES;
    rfi_compare *c = rfi_given_compare(next->thread);
    if (next->kind == RF_EV_LOCK || next->kind == RF_EV_UNLOCK) {
        rfi_graphs_try(next, !updates);
    } else if (next->kind != RF_EV_FENCE) {
        rfi_g.place = rfi_graphs_place(next, g->event[read].location);
        if (updates)
            rfi_graphs_give_of(next, rfi_graphs_half(g, read));
        else
            rfi_graphs_give(next, read);
    }
    rfi_g.reading = RFI_NO_EVENT; /* it is no event */
    if (c) c->weak = false;
    w->at += updates ? 2 : 1;
    while (w->at < w->period &&
           rfi_gevent_declines(&g->event[rfi_graphs_recent(thread, w->period - w->at)]))
        w->at++;
    if (w->at < w->period) return;
    w->at = 0;
    w->rounds++;
}

/* The thread stores in a round that is none of its events.  If that is not what was there, its loop
 * is not one that waits. */
RFI_FN void rfi_graphs_round_stores(const rf_event *done) {
    rfi_graphs *r = &rfi_g;
    rfi_word now = rfi_word_of(done->addr, done->size);
    if (rfi_graphs_spinning != done->thread + 1) rfi_choices_made(&r->choices, RFI_G_SPINS);
    rfi_graphs_spinning = done->thread + 1;
    if (rfi_word_same(&now, &r->place->memory)) return;
    rfi_graphs_say_loop(RFI_G_BOUNDED, done->site);
    rfi_graphs_leave(RFI_G_SOUND);
}

/* Does it, in an execution that is told? */
RFI_FN bool rfi_graphs_round_stores_told(uint32_t t) {
    rfi_choices *c = &rfi_g.choices;
    if (c->way == RFI_WAY_REPLAY && c->number == c->next && c->rank == RFI_G_SPINS) {
        rfi_choices_made(c, RFI_G_SPINS);
        rfi_graphs_spinning = t + 1;
    }
    return rfi_graphs_spinning == t + 1;
}

/* Is the event one of the last round of a thread that stays? */
RFI_FN bool rfi_graphs_of_wait(const rfi_gevent *e) {
    const rfi_gwait *w = &rfi_graphs_wait[e->thread];
    return w->stays && e->number + w->period >= rfi_g.graph.thread[e->thread].executed;
}

/* Has the thread read the newest values in its last round?  What has left them as they are comes
 * to nothing, nor do rounds of others that wait. */
RFI_FN bool rfi_graphs_newest(uint32_t thread) {
    const rfi_graph *g = &rfi_g.graph;
    for (uint32_t i = 1; i <= rfi_graphs_wait[thread].period; i++) {
        uint32_t read = rfi_graphs_recent(thread, i);
        const rfi_gevent *e = &g->event[read];
        bool locks = e->sync && e->flags & RFI_G_UPDATES;
        if (e->kind != (locks ? RFI_G_WRITE : RFI_G_READ)) continue;
        if (locks && rfi_gsync_locks(e->sync)) continue; /* it has been given back since */
        const rfi_glist *mo = &g->location[e->location].mo;
        for (uint32_t later = rfi_graph_rank(g, read); later < mo->count; later++) {
            uint32_t write = mo->event[later];
            bool updates = g->event[write].flags & RFI_G_UPDATES;
            if (locks ? !rfi_graphs_of_wait(&g->event[write])
                      : !updates || !rfi_graphs_leaves(g, e, write))
                return false;
        }
    }
    return true;
}

/* The thread is about to begin another round in which it takes a lock that others have had since:
 * that is not tried, since what is read there is not the same any more.  True: it stays. */
RFI_FN bool rfi_graphs_locks_in_vain(uint32_t thread) {
    rfi_gwait *w = &rfi_graphs_wait[thread];
    w->stays = w->locks && !rfi_graphs_newest(thread);
    return w->stays;
}

/* Somebody waits who would go on by himself: he has done so, in another execution.  Where he may
 * not any more, since he has just done that, nothing is known, if the execution is one that
 * `counts`. */
RFI_FN bool rfi_graphs_goes_on(bool counts) {
    bool any = false;
    for (uint32_t t = 0; t < rf_threads(); t++) {
        if (!rf_thread_alive(t) || !rfi_given_timed(t)) continue;
        rfi_gdeed deed = rfi_graphs_deed(rf_next_event(t));
        if (deed != RFI_G_QUEUED && deed != RFI_G_AWAITS) continue;
        if (counts && rfi_given_tired(t)) rfi_graphs_flaw(RFI_G_POLLS);
        any = true;
    }
    return any;
}

/* The statement with which a round begins. */
RFI_FN const rf_site *rfi_graphs_loop(uint32_t thread) {
    return rfi_g.graph.seen[rfi_graphs_recent(thread, rfi_graphs_wait[thread].period)].site;
}

/* It has made a round that has changed nothing, behind one that has: it remembers what it has read.
 * A loop whose rounds all change something counts them, which is taken for nothing. */
RFI_FN bool rfi_graphs_remembers(const rf_event *next, rfi_gwait *w) {
    if (w->back != RFI_G_ELSEWHERE || w->at != w->shows || !(w->at + w->rounds)) return false;
    uint64_t before = w->footing;
    w->footing = rfi_given_footing(next->thread);
    return before && w->footing == before;
}

/* A thread that runs on is about to make an operation, or can't.  True: it is another round. */
RFI_FN bool rfi_graphs_runs_on(const rf_event *next, bool goes_on) {
    const rfi_gstack *s = &rfi_g.stack;
    uint32_t thread = rfi_graphs_thread(next->thread);
    rfi_gwait *w = &rfi_graphs_wait[thread];
    const rf_site *site = rfi_graphs_loop(thread);
    if (goes_on && w->at == 0 && w->rounds >= w->most) {
        if (w->back == RFI_G_ELSEWHERE) rfi_graphs_flaw(RFI_G_COUNTS);
        if (w->last)
            rfi_graphs_say_loop(RFI_G_ENDLESS, site);
        else if (!rfi_gstack_has(s, RFI_G_WAITS, rfi_site_known_key(site)))
            rfi_graphs_say_loop(RFI_G_WAITS, site);
        rfi_graphs_waiting = 0;
        rfi_given_waits();
        w->stays = true;
        return false;
    }
    bool same = goes_on && rfi_graphs_same(next, thread);
    bool remembers = same && rfi_graphs_remembers(next, w);
    if (same && !remembers) return true;
    rfi_graphs_waiting = 0;
    if (remembers) {
        rfi_graphs_say_loop(RFI_G_REMEMBERS, site);
        rfi_graphs_leave(RFI_G_SOUND);
    } else if (w->at || w->rounds) {
        rfi_graphs_say_loop(RFI_G_BOUNDED, site);
        rfi_graphs_leave(RFI_G_SOUND);
    }
    w->period = 0;
    return false;
}

/* Does it stay, and may be asked to show that it does so for ever? */
RFI_FN bool rfi_gwait_shows(const rfi_gwait *w) { return w->stays && !w->cut; }

/* All who are left wait.  One of them that is not known to do so for ever runs on: its number, or
 * RFI_NO_THREAD. */
RFI_FN uint32_t rfi_graphs_insist(void) {
    const rfi_gstack *s = &rfi_g.stack;
    for (uint32_t t = 0; t < rf_threads(); t++) {
        if (!rf_thread_alive(t)) continue;
        rfi_gwait *w = &rfi_graphs_wait[rfi_graphs_thread(t)];
        if (!rfi_gwait_shows(w) || w->last) continue;
        w->last = true;
        const rf_site *site = rfi_graphs_loop(rfi_graphs_thread(t));
        bool known = rfi_gstack_has(s, RFI_G_ENDLESS, rfi_site_known_key(site));
        if (known && w->back != RFI_G_ELSEWHERE) continue;
        w->stays = false;
        w->rounds = 0;
        w->most = rfi_given_steps() / (w->period + 1) / 4;
        if (!rfi_g.noted) {
            rfi_g.noted = rfi_given_noted();
            rfi_g.number = rfi_g.choices.number;
            rfi_g.told = rfi_g.choices.told;
        }
        rfi_graphs_waiting = t + 1;
        return t;
    }
    return RFI_NO_THREAD;
}
#endif
#endif
