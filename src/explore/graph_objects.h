/* explore/graph_objects.h: operations on locks, semaphores, conditions, barriers and once, as
 * updates of the object's state.
 *
 * A wait for a condition is four events: the thread enters the queue and unlocks the mutex; what
 * has taken it out of the queue is the source of its wake-up; it locks the mutex.  Where a wait
 * ends by itself that is chosen before it begins, and it never enters the queue.  The end of a
 * barrier's round is a wake-up, too.
 * Optimised: fully, most of the time of `graphs` is spent here.
 */
#ifndef RFI_EXPLORE_GRAPH_OBJECTS_H
#define RFI_EXPLORE_GRAPH_OBJECTS_H
#include "explore/graph_course.h"

#ifdef RFI_IMPL
/* The object whose state the operation changes: of a wait's two, one after the other; of futexes
 * that have one queue, 0. */
RFI_FN uint32_t rfi_graphs_object_of(const rf_event *e) {
    bool futex = e->kind == RF_EV_LOAD || e->kind == RF_EV_PARK || e->kind == RF_EV_UNPARK;
    if (futex && rfi_graphs_met(RFI_G_JOINED)) return 0;
    bool mutex = e->kind == RF_EV_WAKE || (e->kind == RF_EV_WAIT && rfi_given_notified(e->thread));
    return mutex ? e->other : e->object;
}

/* An object's location + 1, or the number of a futex among those that have one queue; 0: none. */
RFI_INLINE uint32_t rfi_graphs_object_known(uint32_t object) {
    return object < rfi_g.objects ? rfi_g.object[object] : 0;
}

/* The location of what is known as this; the graph's belongs to it from now on. */
RFI_FN uint32_t rfi_graphs_location(uint32_t known, uint32_t location, rfi_word initial) {
    rfi_graph *g = &rfi_g.graph;
    if (!known) {
        if (location == RFI_NO_EVENT) location = g->locations;
        rfi_graph_location(g, location)->initial = initial;
        return location;
    }
    if (location != RFI_NO_EVENT && known != location + 1) rfi_graphs_leave(RFI_G_UNREPEATED);
    return known - 1;
}

RFI_FN void rfi_graphs_object_is(uint32_t object, uint32_t known) {
    rfi_graphs *r = &rfi_g;
    r->object = rfi_grow(r->object, &r->object_capacity, object + 1, sizeof *r->object);
    while (r->objects <= object) r->object[r->objects++] = 0;
    r->object[object] = known;
}

RFI_FN uint32_t rfi_graphs_object_at(uint32_t object, uint32_t location) {
    uint32_t known = rfi_graphs_object_known(object);
    if (known && (location == RFI_NO_EVENT || location == known - 1)) return known - 1;
    location = rfi_graphs_location(known, location, rfi_given_state(object));
    rfi_graphs_object_is(object, location + 1);
    return location;
}

/* Calls come in the order in which they are made: those that only look, too, since they find what
 * is there then.  The last one of a thread is about itself. */
RFI_FN uint32_t rfi_graphs_call_at(const rf_event *e, uint32_t location) {
    uint64_t key = rfi_graphs_asks(e) ? e->other + 1 : (uint64_t)(uintptr_t)e->addr;
    uint64_t *at = rfi_map_at(&rfi_g.calls, key);
    location = rfi_graphs_location((uint32_t)*at, location, (rfi_word){0, 0});
    *at = location + 1;
    return location;
}

RFI_FN uint32_t rfi_graphs_object(const rf_event *e, uint32_t location) {
    if (e->kind == RF_EV_CALL && (e->addr || !e->object)) return rfi_graphs_call_at(e, location);
    return rfi_graphs_object_at(rfi_graphs_object_of(e), location);
}

/* Does the thread that looks at a futex keep the queue as it is? */
RFI_FN bool rfi_graphs_holds(const rf_event *e) {
    return rfi_g.holds >> rfi_graphs_thread(e->thread) & 1;
}

/* The last event of the thread that was executed. */
RFI_FN const rfi_gevent *rfi_graphs_before(uint32_t thread) {
    const rfi_gthread *t = &rfi_g.graph.thread[thread];
    return t->executed ? &rfi_g.graph.event[t->list.event[t->executed - 1]] : NULL;
}

/* A writer comes, and goes if the lock behind that was in vain. */
RFI_FN rfi_gsync rfi_graphs_comes(const rf_event *e) {
    const rfi_gevent *before = rfi_graphs_before(rfi_graphs_thread(e->thread));
    bool waited = before && before->sync == RFI_G_LOCK_AHEAD && before->kind == RFI_G_READ;
    return waited ? RFI_G_GO : RFI_G_COME;
}

/* Has the writer come that locks? */
RFI_FN bool rfi_graphs_ahead(const rf_event *e) {
    const rfi_gevent *before = rfi_graphs_before(rfi_graphs_thread(e->thread));
    return before && before->sync == RFI_G_COME;
}

/* A call that sends or receives has an order; one that looks at an object finds what is there. */
RFI_FN rfi_gsync rfi_graphs_call(const rf_event *e) {
    if (!e->object) return RFI_G_CALL;
    if (!e->addr) return e->flags & RF_EV_SHARED ? RFI_G_VIEW : rfi_graphs_comes(e);
    return e->order == __ATOMIC_ACQUIRE ? RFI_G_HEAR : RFI_G_TELL;
}

RFI_FN rfi_gsync rfi_graphs_operation(const rf_event *e) {
    bool shared = e->flags & RF_EV_SHARED, waits = rf_next_event(e->thread)->kind == RF_EV_WAIT;
    switch (e->kind) {
    case RF_EV_UNLOCK:
        if (waits) return RFI_G_UNLOCK_WAITING;
        return shared ? RFI_G_UNLOCK_SHARED : RFI_G_UNLOCK;
    case RF_EV_SEM_POST: return e->flags & RF_EV_TRY ? RFI_G_SEND : RFI_G_POST;
    case RF_EV_WAIT: return rfi_given_notified(e->thread) ? RFI_G_UNLOCK : RFI_G_ENQUEUE;
    case RF_EV_WAKE: return RFI_G_LOCK;
    case RF_EV_LOAD:
        if (!rfi_graphs_holds(e)) return RFI_G_HOLD;
        return rfi_given_waking(e->thread) && e->value == e->value2 ? RFI_G_MOVE : RFI_G_LEAVE;
    case RF_EV_PARK: return rfi_given_notified(e->thread) ? RFI_G_LEAVE : RFI_G_ENQUEUE;
    case RF_EV_CALL: return rfi_graphs_call(e);
    case RF_EV_UNPARK: return rfi_given_waking(e->thread)->moves ? RFI_G_REQUEUE : RFI_G_SIGNAL;
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST: return RFI_G_SIGNAL;
    case RF_EV_ARRIVE: return RFI_G_ARRIVE;
    case RF_EV_ONCE: return RFI_G_ONCE;
    case RF_EV_ONCE_DONE: return RFI_G_ONCE_DONE;
    default: break;
    }
    unsigned type = rfi_given_type(e->object);
    if (type == RFI_SEM) return RFI_G_TAKE;
    if (type != RFI_RWLOCK) return RFI_G_LOCK;
    return shared ? RFI_G_LOCK_SHARED : rfi_graphs_ahead(e) ? RFI_G_LOCK_AHEAD : RFI_G_LOCK;
}

RFI_FN bool rfi_graphs_tries(const rf_event *e) {
    return e->kind == RF_EV_LOCK && e->flags & (RF_EV_TRY | RF_EV_TIMED);
}

/* Which one a futex is to a thread that is about to make what is given, and may have to wait until
 * it does; 0: it is none of its. */
RFI_FN uint8_t rfi_graphs_word_there(uint32_t object) {
    uint8_t word = 0;
    for (uint32_t t = 0; t < rf_threads() && !word; t++) {
        uint32_t event = RFI_NO_EVENT;
        if (rf_thread_alive(t)) event = rfi_graphs_given(rfi_graphs_thread(t));
        if (event == RFI_NO_EVENT) continue;
        const rfi_gevent *e = &rfi_g.graph.event[event];
        const rf_event *next = rfi_given_event(t);
        word = next->object == object ? e->word : next->other == object ? e->other : 0;
    }
    return word;
}

/* Which one a futex is among those that have one queue: as one that is given says, or one more. */
RFI_FN uint8_t rfi_graphs_word(uint32_t object, uint8_t given) {
    rfi_graphs *r = &rfi_g;
    uint32_t known = rfi_graphs_object_known(object);
    if (!rfi_graphs_met(RFI_G_JOINED) || !object) return 0;
    if (known) return (uint8_t)known;
    if (!given) given = rfi_graphs_word_there(object);
    if (!given && r->words == UINT8_MAX) rfi_graphs_leave(RFI_G_LONG);
    rfi_graphs_object_is(object, given ? given : ++r->words);
    return (uint8_t)r->object[object];
}

/* What an operation on a queue is about: `given`, if it is not NULL, had the same.  Where threads
 * are moved from one to another, all begins anew with one queue. */
RFI_FN void rfi_graphs_queue(const rf_event *e, rfi_gevent *x, const rfi_gevent *given) {
    const rfi_waking *w = rfi_given_waking(e->thread);
    bool cond = e->kind == RF_EV_SIGNAL || e->kind == RF_EV_BROADCAST;
    x->bits = UINT32_MAX;
    if (cond) x->most = e->kind == RF_EV_SIGNAL ? 1 : RFI_GRAPH_THREADS;
    if (cond || e->kind == RF_EV_WAIT) return;
    if (e->other) rfi_graphs_meet(RFI_G_JOINED);
    x->word = rfi_graphs_word(e->object, given ? given->word : 0);
    x->bits = w ? w->bits : (uint32_t)e->value2;
    if (!w) return;
    x->other = rfi_graphs_word(e->other, given ? given->other : 0);
    bool both = x->word && x->other == x->word && !w->moves; /* it wakes there twice */
    uint64_t most = (uint64_t)w->most + (both ? w->most_other : 0);
    x->most = (uint8_t)(most < RFI_GRAPH_THREADS ? most : RFI_GRAPH_THREADS);
    uint32_t apart = both ? 0 : w->most_other;
    x->most_other = (uint8_t)(apart < RFI_GRAPH_THREADS ? apart : RFI_GRAPH_THREADS);
}

/* The read half of an operation on an object; `given`: it had been that. */
RFI_FN rfi_gevent rfi_graphs_sync(const rf_event *e, const rfi_gevent *given) {
    rfi_gsync sync = rfi_graphs_operation(e);
    if (rfi_graphs_asks(e)) rfi_graphs_meet(RFI_G_ENDS);
    bool takes = sync <= RFI_G_HEAR;
    int tries = rfi_graphs_tries(e) ? RFI_G_TRIES : 0;
    if (e->kind == RF_EV_UNPARK) tries = RFI_G_SERIAL;
    rfi_gevent x = {.kind = RFI_G_READ,
                    .flags = (uint8_t)(RFI_G_CHANGES | RFI_G_COMPARES | tries),
                    .sync = (uint8_t)sync,
                    .order = takes ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED,
                    .failure = sync == RFI_G_ONCE ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED,
                    .thread = rfi_graphs_thread(e->thread),
                    .source = RFI_NO_EVENT};
    if (rfi_gevent_queues(&x)) rfi_graphs_queue(e, &x, given);
    if (sync == RFI_G_SEND) x.bits = (uint32_t)e->value2;
    return x;
}

/* It tries for something that is free: may it have that? */
RFI_FN void rfi_graphs_try(const rf_event *next, bool fails) {
    if (!rfi_graphs_tries(next) || !rfi_given_free(next)) return;
    rfi_choices_made(&rfi_g.choices, fails);
    if (fails) rfi_given_refused(next->thread);
}

/* The same in an execution that is told or drawn. */
RFI_FN void rfi_graphs_try_told(const rf_event *next) {
    if (!rfi_graphs_tries(next) || !rfi_given_free(next)) return;
    bool told = rfi_g.choices.way == RFI_WAY_REPLAY;
    rfi_graphs_try(next, told && rfi_choices_given(&rfi_g.choices, 2));
}

/* ---- before it is executed ---- */

/* Is what its thread goes on from kept? */
RFI_FN bool rfi_graphs_shows(const rf_event *next) {
    const rfi_gstack *s = &rfi_g.stack;
    if (next->kind != RF_EV_LOCK || rfi_graphs_tries(next)) return next->kind == RF_EV_LOCK;
    return RFI_UNLIKELY(s->loop[RFI_G_LOOKS].count) &&
           rfi_gstack_has(s, RFI_G_LOOKS, rfi_site_known_key(next->site));
}

RFI_FN void rfi_graphs_object_begins(const rf_event *next, uint32_t read) {
    rfi_graphs *r = &rfi_g;
    uint32_t bit = UINT32_C(1) << r->graph.event[read].thread;
    if (next->kind == RF_EV_WAIT || next->kind == RF_EV_PARK) {
        r->queues = true;
        r->woken = rfi_given_notified(next->thread) ? r->woken | bit : r->woken & ~bit;
        if (rfi_given_tired(next->thread)) rfi_talk_say(&r->talk, RFI_G_SAY_TIRED);
    }
    r->graph.seen[read].site = next->site;
    r->graph.seen[read].footing =
        rfi_graphs_shows(next) ? rfi_given_footed(next->thread, &r->places.arena) : NULL;
    r->reading = read;
    rfi_graphs_try(next, !(r->graph.event[read].flags & RFI_G_UPDATES));
}

/* One that is given. */
RFI_FN void rfi_graphs_object_again(const rf_event *next, uint32_t event) {
    rfi_gevent *e = &rfi_g.graph.event[event], now = rfi_graphs_sync(next, e);
    if (e->kind != RFI_G_READ || e->sync != now.sync || e->word != now.word ||
        e->bits != now.bits || e->most_other != now.most_other) {
        rfi_graphs_leave(RFI_G_UNREPEATED);
        return;
    }
    (void)rfi_graphs_object(next, e->location);
    rfi_graphs_object_begins(next, event);
}

/* One that is no given event; it may be one that waits. */
RFI_FN void rfi_graphs_object_new(const rf_event *next) {
    rfi_graphs *r = &rfi_g;
    rfi_graph *g = &r->graph;
    rfi_gevent e = rfi_graphs_sync(next, NULL);
    if (r->left_early) return;
    e.location = rfi_graphs_object(next, RFI_NO_EVENT);
    uint32_t read = rfi_graphs_add(&e);
    rfi_graph_read_options(g, &r->options, read, NULL);
    g->event[read].flags = e.flags;
    g->event[read].pick = (rfi_gpick){0, 0};
    rfi_graphs_teach(read, true);
    if (r->left_early) return;
    g->event[read].source = r->options.option[0].source;
    g->event[read].flags = r->options.option[0].flags;
    g->event[read].pick = r->options.option[0].pick;
    rfi_graphs_object_begins(next, read);
}

/* ---- when it has been ---- */

/* A write that a read which waited sees: that goes on, in the same execution, since nothing has
 * been done that would not have been. */
RFI_FN void rfi_graphs_wake(uint32_t write, const rfi_goption *o) {
    rfi_graphs *r = &rfi_g;
    rfi_gevent *e = &r->graph.event[o->read];
    rfi_graph_put(&r->graph, write, o->source == RFI_NO_EVENT ? 0 : r->graph.seen[o->source].rank);
    e->source = write;
    e->flags = o->flags;
    e->pick = o->pick;
    r->graph.seen[write].revisits = true;
    if (e->flags & RFI_G_BLOCKED) return;
    r->left++;
    r->given = r->given > o->read ? r->given : o->read + 1;
    r->last = o->read;
}

/* Does somebody wait for another object who has no event as yet?  Where he comes first there, what
 * others have done since vanishes: so who is left waiting here by that is to be thought of. */
RFI_FN bool rfi_graphs_waits_apart(uint32_t location) {
    for (uint32_t t = 0; t < rf_threads(); t++) {
        if (!rf_thread_alive(t) || rf_thread_enabled(t)) continue;
        const rf_event *e = rfi_given_event(t);
        if (rfi_graphs_deed(e) != RFI_G_OBJECT) continue;
        if (rfi_graphs_given(rfi_graphs_thread(t)) != RFI_NO_EVENT) continue;
        if (rfi_graphs_object_at(rfi_graphs_object_of(e), RFI_NO_EVENT) != location) return true;
    }
    return false;
}

/* An operation on an object has been executed. */
RFI_FN void rfi_graphs_object_done(const rf_event *done) {
    rfi_graphs *r = &rfi_g;
    rfi_graph *g = &r->graph;
    uint32_t thread = rfi_graphs_thread(done->thread), read = r->reading;
    if (done->kind == RF_EV_WAKE) r->woken &= ~(UINT32_C(1) << thread);
    if (read == RFI_NO_EVENT) return; /* one of a round that waits */
    r->reading = RFI_NO_EVENT;
    const rfi_gevent *e = &g->event[read];
    bool updates = e->flags & RFI_G_UPDATES;
    if (!e->sync || (e->flags & RFI_G_TRIES && updates == (done->kind == RF_EV_TRYFAIL))) {
        rfi_graphs_leave(RFI_G_UNREPEATED);
        return;
    }
    rfi_graphs_done(read);
    if (!updates) return;
    uint32_t write = rfi_graphs_given(thread);
    bool fresh = write == RFI_NO_EVENT;
    if (fresh) {
        rfi_gevent w = rfi_gevent_half(e);
        write = rfi_graphs_add(&w);
        e = &g->event[read];
    }
    g->seen[write].value = rfi_gsync_state(e, *rfi_graph_value(g, e->location, e->source));
    rfi_graphs_done(write);
    if (done->kind == RF_EV_CALL && done->addr) {
        r->called = r->saw[thread] = write + 1;
        r->again &= ~(UINT32_C(1) << thread);
    }
    if (!fresh) return;
    g->apart = rfi_gsync_frees(e->sync) && rfi_graphs_waits_apart(e->location);
    rfi_graph_write_options(g, &r->options, write);
    rfi_graphs_teach(write, true);
    if (r->left_early) return;
    const rfi_goption *o = &r->options.option[0];
    if (o->way == RFI_G_REVISIT)
        rfi_graphs_wake(write, o);
    else
        rfi_graph_put(g, write, o->source == RFI_NO_EVENT ? 0 : g->seen[o->source].rank);
}

/* One that is no step of its own: the unlocking by a wait, the end of an initialiser. */
RFI_FN void rfi_graphs_object_apart(const rf_event *e) {
    rfi_graphs *r = &rfi_g;
    uint32_t event = rfi_graphs_given(rfi_graphs_thread(e->thread));
    if (r->left_early) return;
    if (event == RFI_NO_EVENT)
        rfi_graphs_object_new(e);
    else
        rfi_graphs_object_again(e, event);
    if (!r->left_early) rfi_graphs_object_done(e);
}

/* ---- wake-ups ---- */

/* What has ended the wait that a thread is in; RFI_NO_EVENT: nothing has. */
RFI_FN uint32_t rfi_graphs_waker(uint32_t thread) {
    const rfi_graph *g = &rfi_g.graph;
    const rfi_gthread *t = &g->thread[thread];
    if (rfi_g.looks >> thread & 1) return rfi_g.saw[thread] - 1;
    for (uint32_t i = t->executed; i--;) {
        const rfi_gevent *e = &g->event[t->list.event[i]];
        bool queue = e->sync == RFI_G_ENQUEUE;
        if (e->kind != RFI_G_WRITE || !(queue || e->sync == RFI_G_ARRIVE)) continue;
        const rfi_glist *mo = &g->location[e->location].mo;
        for (uint32_t at = g->seen[t->list.event[i]].rank - !queue; at < mo->count; at++) {
            uint64_t state = g->seen[mo->event[at]].value.low;
            if (!(queue ? state >> thread & 1 : state)) return mo->event[at];
        }
        break;
    }
    return RFI_NO_EVENT;
}

/* The wake-up of a thread, new or given; false: it is not time for it. */
RFI_FN bool rfi_graphs_wakes(uint32_t thread, rfi_gsync sync) {
    rfi_graphs *r = &rfi_g;
    uint32_t event = rfi_graphs_given(thread);
    if (event == RFI_NO_EVENT) {
        rfi_gevent e = {.kind = RFI_G_WAKE, .sync = (uint8_t)sync, .thread = (uint8_t)thread};
        if (r->left) return false;
        e.source = rfi_graphs_waker(thread);
        if (e.source == RFI_NO_EVENT) return false;
        event = rfi_graphs_add(&e);
        rfi_graphs_teach(event, false);
    } else if (r->graph.event[event].kind != RFI_G_WAKE) {
        rfi_graphs_leave(RFI_G_UNREPEATED);
        return false;
    } else if (!r->graph.seen[r->graph.event[event].source].executed) {
        return false;
    }
    rfi_graphs_done(event);
    return true;
}

/* A thread that waits for a condition, or has waited for what is outside: has it been woken? */
RFI_FN bool rfi_graphs_woken(uint32_t t) {
    uint32_t n = rfi_graphs_thread(t), bit = UINT32_C(1) << n;
    if (!rfi_graphs_wakes(n, RFI_G_SIGNAL)) return false;
    if (!(rfi_g.looks & bit)) rfi_g.woken |= bit;
    rfi_g.looks &= ~bit;
    return true;
}

/* A thread looks at what is outside once more. */
RFI_FN void rfi_graphs_looks_outside(uint32_t t) {
    uint32_t n = rfi_graphs_thread(t);
    rfi_g.saw[n] = rfi_g.called;
    rfi_g.looks |= UINT32_C(1) << n;
    rfi_g.again |= UINT32_C(1) << n;
    rfi_g.queues = true;
    if (rfi_given_timed(t) && rfi_given_tired(t)) rfi_talk_say(&rfi_g.talk, RFI_G_SAY_TIRED);
}

/* The same for all. */
RFI_FN void rfi_graphs_look_at_queues(void) {
    for (uint32_t t = 0; rfi_g.queues && t < rf_threads(); t++)
        if (rf_thread_alive(t) && rfi_graphs_deed(rf_next_event(t)) == RFI_G_QUEUED)
            (void)rfi_graphs_woken(t);
}

/* Which of `n` a signal or broadcast does: whom it wakes; the last one is nobody. */
RFI_FN uint32_t rfi_graphs_picked(const rf_event *signal, uint32_t n) {
    const rfi_graph *g = &rfi_g.graph;
    const rfi_gthread *t = &g->thread[rfi_graphs_thread(signal->thread)];
    uint32_t last = t->executed - 1;
    if (g->event[t->list.event[last]].kind == RFI_G_READ) return n - 1;
    const rfi_gpick *p = &g->event[t->list.event[last - 1]].pick;
    if (signal->kind == RF_EV_BROADCAST) return 0;
    for (uint32_t i = 0; i < 2 * n - 2; i++) {
        uint32_t set = i < n - 1 ? p->first : p->second, at = i % (n - 1);
        if (set >> rfi_graphs_thread(rfi_given_waiter(signal->object, at)) & 1) return at;
    }
    rfi_graphs_leave(RFI_G_UNREPEATED);
    return n - 1;
}
#endif
#endif
