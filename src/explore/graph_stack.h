/* explore/graph_stack.h: what is left of the graphs to be explored, and what executions teach.
 *
 * A frame is a graph, of which the first events are given and each of the others has options, one
 * of which it has.  Depth first: the last event that has another option gets that, and what came
 * after it goes.  A backward revisit begins a frame of its own, with what it leaves of the graph.
 * So there are never more frames than events, and none is kept longer than it is needed.
 *
 * An execution teaches the events that it has added to the graph of the last frame, with all their
 * options; nothing else is needed to go on, in any process.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_STACK_H
#define RFI_EXPLORE_GRAPH_STACK_H
#include "explore/graph_options.h"
#include "explore/traces.h"

#ifdef RFI_IMPL
/* Why nothing is claimed. */
typedef enum rfi_gflaw {
    RFI_G_SOUND,
    RFI_G_UNREPEATED,
    RFI_G_LONG,
    RFI_G_CHANCE,
    RFI_G_ENDED,
    RFI_G_RACE,
    RFI_G_STRIKES,
    RFI_G_SIZES,
    RFI_G_UNANNOUNCED,
    RFI_G_THREADS,
    RFI_G_INVARIANT,
    RFI_G_STEPS,
    RFI_G_TIME,
    RFI_G_POLLS,
    RFI_G_TICKS,
    RFI_G_INTERRUPTS,
    RFI_G_STATE,
    RFI_G_UNSEEN,
    RFI_G_CLOCK,
    RFI_G_IN_TIME,
    RFI_G_IDLES,
    RFI_G_COUNTS,
    RFI_G_STACKS,
    RFI_G_OTHER
} rfi_gflaw;

/* The engine's records for lessons (traces.h), as they are used here. */
enum {
    RFI_G_SAY_EVENT = RFI_SAY_NODE,
    RFI_G_SAY_VALUE = RFI_SAY_VALUE,
    RFI_G_SAY_SC = RFI_SAY_STATE,
    RFI_G_SAY_KEY = RFI_SAY_OBJECT,
    RFI_G_SAY_FLAW = RFI_SAY_LEFT,
    RFI_G_SAY_OTHER = RFI_SAY_READ,
    RFI_G_SAY_TIRED = RFI_SAY_ALONE,
    RFI_G_SAY_LOOP = RFI_SAY_WANTED,
    RFI_G_SAY_CUT = RFI_SAY_LIMITED,
    RFI_G_SAY_UNCHAINED = RFI_SAY_DRAWN,
    RFI_G_SAY_TURNED = RFI_SAY_FOLLOWED,
    RFI_G_SAY_MET = RFI_SAY_CLOCK,
    RFI_G_SAY_BEGUN = RFI_SAY_END + 1 /* what teaches nothing was drawn */
};

typedef struct rfi_gkept {
    rfi_gevent e;
    uint32_t option, options; /* in the list, but those of a value */
    uint32_t taken;           /* UINT32_MAX: none as yet */
} rfi_gkept;

/* What is known of a loop, by the statement that begins a round of it. */
typedef enum rfi_gloop {
    RFI_G_WAITS,     /* for another thread, */
    RFI_G_BOUNDED,   /* or only looks like it; */
    RFI_G_REMEMBERS, /* for some rounds, what it has read; */
    RFI_G_LOOKS,     /* under a lock, so what its thread goes on from there is kept; */
    RFI_G_ENDLESS,   /* goes on until the limit of steps, if nobody else does; */
    RFI_G_SENT,      /* or, by their keys (given.h), signals that were sent */
    RFI_G_LOOPS
} rfi_gloop;

/* What the test does, for which all begins anew with more events. */
enum {
    RFI_G_JOINED = 1, /* some are moved from one futex to another: all futexes have one queue */
    RFI_G_ENDS = 2,   /* somebody asks whether a thread has ended: that is an event */
    RFI_G_CANCELS = 4, /* threads are cancelled: that they look for it is one, too; */
    RFI_G_HANDLES = 8, /* and that they look for signals that others send, and they handle, */
    RFI_G_RINGS = 16   /* and for those of timers */
};

enum { RFI_G_SITES = 64 };

typedef struct rfi_gsites {
    uint64_t key[RFI_G_SITES];
    uint32_t count;
} rfi_gsites;

typedef struct rfi_gframe {
    uint32_t first, given; /* events */
    uint32_t option;       /* options there were before */
    uint32_t read;         /* among the events, the one that was revisited; or RFI_NO_EVENT */
    bool unsure;           /* it is not known to be consistent */
} rfi_gframe;

typedef struct rfi_gstack {
    rfi_gkept *event;
    rfi_goption *option;
    rfi_gframe *frame;
    uint32_t events, options, frames, event_capacity, option_capacity, frame_capacity;
    uint64_t key[RFI_GRAPH_THREADS]; /* of threads by their number in graphs */
    uint32_t keys;
    uint64_t explored, blocked;
    uint64_t before; /* blocked ones before it has begun anew */
    bool exhausted;
    bool sc;       /* under sequentially consistent memory */
    bool walks;    /* it takes one option of each event, drawn, and none of the others: */
    bool turns;    /* the last one is a revisit; else it has come to an end */
    double weight; /* so many ways there were, by the numbers of options */
    double stops;  /* executions of a search that end where it has gone on */
    rfi_gflaw flaw;
    bool tired; /* weak compare-exchanges have failed for no reason as often as they may */
    rfi_gsites loop[RFI_G_LOOPS];
    char other[40];   /* the operation that is not treated */
    bool unchained;   /* no order of updates is left out, but of objects; */
    bool turned;      /* some was */
    uint32_t met;     /* of these */
    char cut[96];     /* which loop was left, and when; "": none was */
    bool part, again; /* it is a part of a search (graph_parts.h); which begins anew */
    uint32_t depth;   /* so often it was divided */
    uint32_t *number, number_capacity; /* scratch */
} rfi_gstack;

RFI_FN rfi_gframe *rfi_gstack_top(const rfi_gstack *s) { return &s->frame[s->frames - 1]; }

RFI_FN void rfi_gstack_frame(rfi_gstack *s) {
    s->frame = rfi_grow(s->frame, &s->frame_capacity, s->frames + 1, sizeof *s->frame);
    s->frame[s->frames++] = (rfi_gframe){s->events, 0, s->options, RFI_NO_EVENT, false};
}

RFI_FN rfi_gkept *rfi_gstack_event(rfi_gstack *s, const rfi_gevent *e) {
    s->event = rfi_grow(s->event, &s->event_capacity, s->events + 1, sizeof *s->event);
    rfi_gkept *k = &s->event[s->events++];
    *k = (rfi_gkept){.e = *e, .option = s->options, .taken = UINT32_MAX};
    return k;
}

/* From the beginning, with what is known of the test. */
RFI_FN void rfi_gstack_restart(rfi_gstack *s) {
    s->events = s->options = s->frames = s->keys = 0;
    s->explored = 0;
    s->exhausted = s->tired = s->turns = s->turned = false;
    s->weight = 1;
    s->stops = 0;
    s->flaw = RFI_G_SOUND;
    s->cut[0] = 0;
    rfi_gstack_frame(s);
}

RFI_FN void rfi_gstack_forget(rfi_gstack *s) {
    memset(s->loop, 0, sizeof s->loop);
    s->unchained = s->sc = false;
    s->met = 0;
    s->blocked = s->before = 0;
    rfi_gstack_restart(s);
}

/* What it has explored does not count. */
RFI_FN void rfi_gstack_begin_anew(rfi_gstack *s) {
    s->blocked += s->explored;
    s->before = s->blocked;
    rfi_gstack_restart(s);
}

/* Its number there; RFI_G_SITES: it is not. */
RFI_FN uint32_t rfi_gstack_at(const rfi_gstack *s, rfi_gloop loop, uint64_t key) {
    const rfi_gsites *l = &s->loop[loop];
    for (uint32_t i = 0; i < l->count; i++)
        if (l->key[i] == key) return i;
    return RFI_G_SITES;
}

RFI_FN bool rfi_gstack_has(const rfi_gstack *s, rfi_gloop loop, uint64_t key) {
    return rfi_gstack_at(s, loop, key) < RFI_G_SITES;
}

RFI_FN void rfi_gstack_keep(rfi_gstack *s, rfi_gloop loop, uint64_t key) {
    rfi_gsites *l = &s->loop[loop];
    if (l->count < RFI_G_SITES && !rfi_gstack_has(s, loop, key)) l->key[l->count++] = key;
}

/* What is known of the test. */
RFI_FN void rfi_gstack_knows(rfi_gstack *to, const rfi_gstack *from) {
    memcpy(to->loop, from->loop, sizeof to->loop);
    to->unchained = from->unchained;
    to->met = from->met;
}

/* ---- what a backward revisit leaves ---- */

/* Scratch: of each event from `from` on whether it is left, and the one before it in its thread.
 * Those before `from` are left.  What leads from these to the last event leads there without them,
 * too: one that was revisited from behind has in its prefix all that is between. */
typedef struct rfi_gleft {
    rfi_gkept *e;
    uint32_t from, n;
    uint8_t *mark;
    uint32_t *before;
} rfi_gleft;

RFI_INLINE uint32_t rfi_gkept_source(const rfi_gkept *k) {
    return rfi_gevent_accesses(&k->e) || k->e.kind == RFI_G_WAKE ? k->e.source : RFI_NO_EVENT;
}

/* All up to `read` are left. */
RFI_FN rfi_gleft rfi_gstack_scratch(rfi_gstack *s, uint32_t n, uint32_t read) {
    rfi_gleft x = {.e = &s->event[rfi_gstack_top(s)->first], .from = read + 1, .n = n};
    s->number = rfi_grow(s->number, &s->number_capacity, 2 * n, sizeof *s->number);
    x.before = s->number;
    x.mark = (uint8_t *)(x.before + n);
    memset(x.mark, 0, n);
    return x;
}

/* It leads to the last event; the next one to be looked at. */
RFI_INLINE uint32_t rfi_gstack_leads(const rfi_gleft *left, uint32_t event, uint32_t next) {
    if (event == RFI_NO_EVENT || event < left->from || left->mark[event]) return next;
    left->mark[event] = 1;
    return event >= next ? event + 1 : next;
}

/* Marks what leads to the last one.  What leads to an event is older, as a rule. */
RFI_FN void rfi_gstack_prefix(const rfi_gleft *left) {
    const rfi_gkept *e = left->e;
    uint32_t last[RFI_GRAPH_THREADS], *before = left->before;
    for (uint32_t t = 0; t < RFI_GRAPH_THREADS; t++) last[t] = RFI_NO_EVENT;
    for (uint32_t i = left->from; i < left->n; i++) {
        const rfi_gevent *x = &e[i].e;
        before[i] = last[x->thread];
        last[x->thread] = i;
        if (x->kind == RFI_G_CREATE && last[x->location] == RFI_NO_EVENT) last[x->location] = i;
    }
    left->mark[left->n - 1] = 1;
    for (uint32_t i = left->n; i-- > left->from;) {
        if (!left->mark[i]) continue;
        const rfi_gevent *x = &e[i].e;
        uint32_t next = rfi_gstack_leads(left, before[i], i);
        if (x->kind == RFI_G_READ || x->kind == RFI_G_WAKE)
            next = rfi_gstack_leads(left, x->source, next);
        if (x->kind == RFI_G_JOIN) next = rfi_gstack_leads(left, last[x->location], next);
        i = next;
    }
}

/* What is left has no other options, and its source another number, or none. */
RFI_INLINE void rfi_gstack_settle(const rfi_gleft *left, rfi_gkept *to, uint32_t option,
                                  const uint32_t *number) {
    to->option = option;
    to->options = 0;
    to->taken = UINT32_MAX;
    uint32_t source = rfi_gkept_source(to);
    if (source == RFI_NO_EVENT || source < left->from) return;
    if (!left->mark[source]) {
        source = left->e[source - 1].e.source; /* it waits again */
        to->e.flags = (uint8_t)((to->e.flags & ~RFI_G_UPDATES) | RFI_G_BLOCKED);
        to->e.pick = (rfi_gpick){0, 0};
    }
    bool moved = source != RFI_NO_EVENT && source >= left->from;
    to->e.source = moved ? number[source] : source;
}

/* Takes away those that are not marked; how many are left.  `number`: scratch. */
RFI_FN uint32_t rfi_gstack_shrink(const rfi_gleft *left, uint32_t option, uint32_t *number) {
    uint32_t n = left->from;
    for (uint32_t i = left->from; i < left->n; i++) {
        number[i] = n;
        n += left->mark[i];
    }
    for (uint32_t i = 0; i < left->from; i++) rfi_gstack_settle(left, &left->e[i], option, number);
    for (uint32_t i = left->from; i < left->n; i++) {
        if (!left->mark[i]) continue;
        rfi_gkept *to = &left->e[number[i]];
        to->e = left->e[i].e;
        rfi_gstack_settle(left, to, option, number);
    }
    return n;
}

/* Begins a frame with what `o`, an option of the last event, leaves. */
RFI_FN RFI_APART void rfi_gstack_revisit(rfi_gstack *s, const rfi_goption *o) {
    uint32_t from = rfi_gstack_top(s)->first, n = s->events - from;
    rfi_gstack_frame(s);
    s->event = rfi_grow(s->event, &s->event_capacity, s->events + n + 1, sizeof *s->event);
    memcpy(&s->event[s->events], &s->event[from], n * sizeof *s->event);
    s->events += n;
    if (o->updates) {
        rfi_gevent *half = &s->event[s->events - 1].e, w = rfi_gevent_half(half);
        half->source = o->from;
        half->pick = o->wakes;
        half->flags = (uint8_t)((half->flags & ~(RFI_G_SPURIOUS | RFI_G_BLOCKED)) | RFI_G_UPDATES);
        (void)rfi_gstack_event(s, &w);
        n++;
    }
    rfi_gleft left = rfi_gstack_scratch(s, n, o->read);
    rfi_gevent *read = &left.e[o->read].e, *write = &left.e[n - 1].e;
    rfi_gstack_prefix(&left);
    write->source = o->source; /* that of the others is left: what goes away is maximal */
    read->source = n - 1;
    read->flags = o->flags;
    read->pick = o->pick;
    n = rfi_gstack_shrink(&left, s->options, left.before);
    rfi_gframe *f = rfi_gstack_top(s);
    s->events = f->first + n;
    f->given = n;
    f->read = o->read;
    f->unsure = o->unsure;
}

/* ---- going on ---- */

/* The last event has another option: false if it has none. */
RFI_FN bool rfi_gstack_next(rfi_gstack *s) {
    rfi_gkept *k = &s->event[s->events - 1];
    if (++k->taken >= k->options) return false;
    if (k->e.kind == RFI_G_VALUE) {
        if (k->taken) k->e.location = k->taken; /* a walk has drawn the first one */
        return true;
    }
    const rfi_goption *o = &s->option[k->option + k->taken];
    if (o->way == RFI_G_REVISIT) {
        rfi_goption copy = *o;
        rfi_gstack_revisit(s, &copy);
    } else if (o->way == RFI_G_SOURCE) {
        k->e.source = o->source;
        if (k->e.kind != RFI_G_READ) return true;
        k->e.flags = o->flags;
        k->e.pick = o->pick;
    }
    return true;
}

RFI_FN void rfi_gstack_advance(rfi_gstack *s) {
    while (s->frames) {
        const rfi_gframe *f = rfi_gstack_top(s);
        if (s->events == f->first + f->given) {
            s->events = f->first;
            s->options = f->option;
            s->frames--;
        } else {
            if (rfi_gstack_next(s)) return;
            s->options = s->event[--s->events].option;
        }
    }
    s->exhausted = true;
}

/* How many executions there are after so many, if each option of an event leads to an equal part of
 * the tree: too few as a rule, but far too few only where a walk says more. */
RFI_FN uint64_t rfi_gstack_all(const rfi_gstack *s, uint64_t made) {
    double done = 0, part = 1;
    for (uint32_t i = 0; i < s->events; i++) {
        const rfi_gkept *k = &s->event[i];
        if (!k->options) continue;
        part /= k->options;
        done += part * k->taken;
    }
    double all = (double)made / (done > 1e-9 ? done : 1e-9);
    return (uint64_t)all;
}

/* ---- lessons ---- */

/* Of an event, and of an option: what comes first in their records, a byte each. */
enum { RFI_G_HEAD = 6, RFI_G_OPTION_HEAD = 2 };

/* Does it enter a queue, or change it for others? */
RFI_INLINE bool rfi_gevent_queues(const rfi_gevent *e) {
    return e->sync >= RFI_G_ENQUEUE && e->sync <= RFI_G_REQUEUE;
}

RFI_FN void rfi_gtalk_queue(rfi_bytes *r, const rfi_gevent *e) {
    const uint32_t number[] = {e->word, e->other, e->most, e->most_other, e->bits};
    for (int i = 0; i < 5; i++) rfi_bytes_put_number(r, number[i]);
}

RFI_FN void rfi_gtalk_queued(rfi_bytes *r, rfi_gevent *e) {
    e->word = (uint8_t)rfi_bytes_number(r);
    e->other = (uint8_t)rfi_bytes_number(r);
    e->most = (uint8_t)rfi_bytes_number(r);
    e->most_other = (uint8_t)rfi_bytes_number(r);
    e->bits = rfi_bytes_number(r);
}

RFI_FN void rfi_gtalk_pick(rfi_bytes *r, const rfi_gpick *pick) {
    rfi_bytes_put_number(r, pick->first);
    rfi_bytes_put_number(r, pick->second);
}

RFI_FN rfi_gpick rfi_gtalk_picked(rfi_bytes *r) {
    rfi_gpick pick = {.first = rfi_bytes_number(r)};
    pick.second = rfi_bytes_number(r);
    return pick;
}

/* `stops`: it would not go on with the option that is the first one of a search. */
RFI_FN void rfi_gtalk_event(rfi_talk *t, const rfi_gevent *e, const rfi_goptions *o, bool goes_on,
                            bool stops) {
    rfi_bytes *r = &t->record;
    uint32_t options = o ? o->count : 0;
    rfi_talk_begin(t, RFI_G_SAY_EVENT);
    rfi_bytes_reserve(r, RFI_G_HEAD + 8 + (RFI_G_OPTION_HEAD + 7) * options);
    bool queues = rfi_gevent_queues(e);
    uint8_t *head = rfi_bytes_room(r, RFI_G_HEAD);
    head[0] = (uint8_t)(e->kind | goes_on << 3 | stops << 4);
    head[1] = e->thread;
    head[2] = e->sync;
    head[3] = e->flags;
    head[4] = e->order;
    head[5] = e->failure;
    rfi_bytes_put_number(r, e->location);
    if (queues) rfi_gtalk_queue(r, e);
    if (e->sync == RFI_G_SEND) rfi_bytes_put_number(r, e->bits);
    if (e->kind == RFI_G_WAKE) rfi_bytes_put_number(r, e->source);
    if (e->kind == RFI_G_READ) rfi_bytes_put_id(r, e->print);
    rfi_bytes_put_number(r, options);
    for (uint32_t i = 0; i < options; i++) {
        const rfi_goption *x = &o->option[i];
        head = rfi_bytes_room(r, RFI_G_OPTION_HEAD);
        head[0] = (uint8_t)(x->way | x->updates << 2 | x->unsure << 3);
        head[1] = x->flags;
        rfi_bytes_put_number(r, x->source + 1);
        if (queues || x->way == RFI_G_REVISIT) rfi_gtalk_pick(r, &x->pick);
        if (x->way != RFI_G_REVISIT) continue;
        rfi_bytes_put_number(r, x->read);
        if (!x->updates) continue;
        rfi_bytes_put_number(r, x->from + 1);
        rfi_gtalk_pick(r, &x->wakes);
    }
    rfi_talk_end(t);
}

/* A choice of one of n values, of which there may be too many for a list of options. */
RFI_FN void rfi_gtalk_value(rfi_talk *t, const rfi_gevent *e, uint32_t n) {
    const uint32_t number[] = {e->thread, e->location, e->most, n};
    rfi_talk_begin(t, RFI_G_SAY_VALUE);
    for (int i = 0; i < 4; i++) rfi_bytes_put_number(&t->record, number[i]);
    rfi_talk_end(t);
}

RFI_FN void rfi_gstack_learn_value(rfi_gstack *s, rfi_bytes *r) {
    rfi_gevent e = {.kind = RFI_G_VALUE, .thread = (uint8_t)rfi_bytes_number(r)};
    e.location = rfi_bytes_number(r);
    e.most = (uint8_t)rfi_bytes_number(r);
    e.source = RFI_NO_EVENT;
    rfi_gkept *k = rfi_gstack_event(s, &e);
    k->options = rfi_bytes_number(r);
    s->weight *= k->options;
    (void)rfi_gstack_next(s);
}

RFI_FN void rfi_gstack_learn_event(rfi_gstack *s, rfi_bytes *r) {
    const uint8_t *head = rfi_bytes_take(r, RFI_G_HEAD);
    bool goes_on = head[0] >> 3 & 1, stops = head[0] >> 4 & 1;
    rfi_gevent e = {.kind = head[0] & 7,
                    .thread = head[1],
                    .sync = head[2],
                    .flags = head[3],
                    .order = head[4],
                    .failure = head[5]};
    bool queues = rfi_gevent_queues(&e);
    e.location = rfi_bytes_number(r);
    if (queues) rfi_gtalk_queued(r, &e);
    if (e.sync == RFI_G_SEND) e.bits = rfi_bytes_number(r);
    e.source = e.kind == RFI_G_WAKE ? rfi_bytes_number(r) : RFI_NO_EVENT;
    if (e.kind == RFI_G_READ) e.print = (uint16_t)rfi_bytes_id(r);
    rfi_gkept *k = rfi_gstack_event(s, &e);
    k->options = rfi_bytes_number(r);
    s->option =
        rfi_grow(s->option, &s->option_capacity, s->options + k->options, sizeof *s->option);
    for (uint32_t i = 0; i < k->options; i++) {
        rfi_goption *o = &s->option[s->options++];
        head = rfi_bytes_take(r, RFI_G_OPTION_HEAD);
        *o = (rfi_goption){.way = head[0] & 3,
                           .updates = head[0] >> 2 & 1,
                           .unsure = head[0] >> 3 & 1,
                           .flags = head[1]};
        o->source = rfi_bytes_number(r) - 1;
        if (queues || o->way == RFI_G_REVISIT) o->pick = rfi_gtalk_picked(r);
        if (o->way != RFI_G_REVISIT) continue;
        o->read = rfi_bytes_number(r);
        if (!o->updates) continue;
        o->from = rfi_bytes_number(r) - 1;
        o->wakes = rfi_gtalk_picked(r);
    }
    s->turns = s->walks && k->options && !goes_on;
    if (stops) s->stops += s->weight;
    if (k->options) s->weight *= k->options;
    if (goes_on || s->turns) (void)rfi_gstack_next(s);
}

/* False: there is another one already.  A look at a clock may mean nothing; what else there is says
 * more. */
RFI_FN bool rfi_gstack_flaw(rfi_gstack *s, rfi_gflaw flaw) {
    if (s->flaw && s->flaw != RFI_G_CLOCK) return false;
    s->flaw = flaw;
    return true;
}

RFI_FN uint64_t rfi_read_wide(rfi_bytes *r) {
    uint64_t low = rfi_bytes_number(r);
    return low | (uint64_t)rfi_bytes_number(r) << 32;
}

RFI_FN void rfi_gstack_learn_cut(rfi_gstack *s, rfi_bytes *r) {
    uint32_t thread = rfi_bytes_number(r), rounds = rfi_bytes_number(r);
    const rf_site *site = (const rf_site *)(uintptr_t)rfi_read_wide(r);
    if (*s->cut) return;
    char loop[20] = "a timer";
    if (thread != RFI_NO_THREAD) snprintf(loop, sizeof loop, "T%u's loop", thread);
    snprintf(s->cut, sizeof s->cut, "%s at %.48s after %u round%s", loop, RFI_AT(site), rounds,
             rounds == 1 ? "" : "s");
}

/* True: a loop that was taken for one that waits is another kind; what was explored is void. */
RFI_FN bool rfi_gstack_learn_loop(rfi_gstack *s, rfi_bytes *r) {
    rfi_gloop loop = (rfi_gloop)(rfi_bytes_number(r) % RFI_G_LOOPS);
    bool room = s->loop[loop].count < RFI_G_SITES;
    bool another = loop != RFI_G_WAITS && loop != RFI_G_ENDLESS;
    rfi_gstack_keep(s, loop, rfi_read_wide(r));
    if (another && !room) (void)rfi_gstack_flaw(s, RFI_G_LONG); /* it is left in each execution */
    return another && room;
}

/* True: it is new. */
RFI_FN bool rfi_gstack_meets(rfi_gstack *s, uint32_t met) {
    bool known = s->met & met;
    s->met |= met;
    return !known;
}

/* Takes in what an execution has taught, and goes on to the next one. */
RFI_FN void rfi_gstack_learn(rfi_gstack *s, const void *lesson, size_t bytes) {
    rfi_bytes r = rfi_bytes_of(lesson, bytes);
    bool ended = false, blocked = false, again = false;
    if (!bytes || s->exhausted) return; /* it was drawn */
    while (r.at < r.room) {
        uint32_t record = rfi_bytes_number(&r);
        ended |= record == RFI_SAY_END;
        switch (record) {
        case RFI_G_SAY_EVENT: rfi_gstack_learn_event(s, &r); break;
        case RFI_G_SAY_VALUE: rfi_gstack_learn_value(s, &r); break;
        case RFI_G_SAY_KEY: s->key[s->keys++ % RFI_GRAPH_THREADS] = rfi_read_wide(&r); break;
        case RFI_G_SAY_FLAW: (void)rfi_gstack_flaw(s, (rfi_gflaw)rfi_bytes_number(&r)); break;
        case RFI_G_SAY_OTHER: rfi_bytes_text(&r, s->other, sizeof s->other); break;
        case RFI_SAY_FULL: (void)rfi_gstack_flaw(s, RFI_G_LONG); break;
        case RFI_SAY_BLOCKED: blocked = true; break;
        case RFI_G_SAY_TIRED: s->tired = true; break;
        case RFI_G_SAY_SC: s->sc = true; break;
        case RFI_G_SAY_LOOP: again |= rfi_gstack_learn_loop(s, &r); break;
        case RFI_G_SAY_CUT: rfi_gstack_learn_cut(s, &r); break;
        case RFI_G_SAY_TURNED: s->turned = true; break;
        case RFI_G_SAY_UNCHAINED:
            again |= !s->unchained;
            s->unchained = true;
            break;
        case RFI_G_SAY_MET: again |= rfi_gstack_meets(s, rfi_bytes_number(&r)); break;
        default: break;
        }
    }
    if (!ended) (void)rfi_gstack_flaw(s, RFI_G_ENDED);
    if (s->walks) return;
    s->blocked += blocked;
    s->explored += !blocked;
    if (!again) {
        rfi_gstack_advance(s);
        return;
    }
    if (s->part)
        s->again = s->exhausted = true;
    else
        rfi_gstack_begin_anew(s);
}
#endif
#endif
