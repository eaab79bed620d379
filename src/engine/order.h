/* engine/order.h: vector clocks of threads and messages (docs/inside/internals.md, Two relations).
 *
 * One tracker keeps the vector clocks of the threads and of the messages that every primitive
 * carries, for one of three relations:
 *   full     happens-before: releasing a lock orders a later acquisition; a signal orders nothing,
 *            since the mutex of the wait does; a semaphore has one clock that gathers all posts.
 *   relaxed  what another schedule could not turn round: locks order nothing, a signal orders the
 *            wait that it wakes, a semaphore's tokens are taken first in, first out.
 *   forced   the relaxed one without signals: what no schedule could turn round, whoever is woken.
 * Start, join, barrier, once and release/acquire atomics are the same in all.
 *
 * Atomics: a message goes with every store that is kept (an event tells by its slot which one it
 * read or wrote): it belongs to the release sequences of that store, at most one headed by each
 * thread (C11: a sequence goes on through later stores of the thread that heads it and through
 * read-modify-writes of all).
 */
#ifndef RFI_ENGINE_ORDER_H
#define RFI_ENGINE_ORDER_H
#include "engine/iface.h"
#include "engine/state.h"
#include "mem/history.h"
#include "mem/shadow.h"
#include "mem/threads.h"

#ifdef RFI_IMPL
/* A message that waits in a list: a semaphore's token, a release sequence. */
typedef struct rfi_letter {
    struct rfi_letter *next;
    rfi_message message;
} rfi_letter;

/* One round of a barrier. */
typedef struct rfi_phase {
    struct rfi_phase *next; /* among the spare ones */
    struct rfi_phase *twin; /* in the copy of the relation (rfi_order_copy) */
    uint64_t number;
    uint32_t inside; /* threads that have arrived and not yet departed */
    rfi_message message;
} rfi_phase;

/* Messages of one synchronisation object. */
typedef struct rfi_mailbox {
    rfi_message last; /* lock: exclusive release; once: end of the initialiser; semaphore: posts */
    rfi_message shared;         /* lock: releases by readers since then */
    rfi_phase *phase;           /* barrier: the newest one */
    rfi_letter *first, *newest; /* semaphore, relaxed: a letter for each token that was posted */
    uint64_t initial;           /* and the tokens it began with that are left: taken first */
    bool counted;
} rfi_mailbox;

/* An atomic location. */
typedef struct rfi_atomic {
    struct rfi_atomic *next;    /* in the same granule */
    struct rfi_atomic *earlier; /* made before, anywhere */
    uintptr_t addr;
    size_t size;
    rfi_letter *heads;   /* the newest release of each thread that stored here */
    rfi_message *stores; /* what comes with the store in each slot */
    uint32_t slots, capacity;
    bool parts; /* the last access was one of a part */
} rfi_atomic;

enum { RFI_FULL, RFI_RELAXED, RFI_RELATIONS, RFI_FORCED = RFI_RELATIONS };

# define RFI_ATOMICS_RECENT 32u

typedef struct rfi_order {
    unsigned relation;
    rfi_arena arena;
    rfi_actors *actors;
    rfi_mailbox *box; /* by object number */
    rfi_phase **at;   /* the barrier phase that a thread stands at */
    uint32_t boxes, box_capacity, ats, at_capacity;
    rfi_shadow atomics;                     /* granule -> rfi_atomic list */
    rfi_atomic *newest;                     /* of them */
    rfi_atomic *recent[RFI_ATOMICS_RECENT]; /* some, by the low bits of address / 4; or NULL */
    bool pairs;                             /* some have 16 bytes; */
    bool parts;                             /* some have bytes of others */
    rfi_letter *spare_letter;
    rfi_phase *spare_phase;
} rfi_order;

/* Kinds of events that rfi_order_event takes. */
/* clang-format off */
# define RFI_ORDER_EVENTS \
    (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_NOTIFY) | \
     RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_ARRIVE) | \
     RF_EV_BIT(RF_EV_DEPART) | RF_EV_BIT(RF_EV_ONCE_DONE) | RF_EV_BIT(RF_EV_ONCE_PASS) | \
     RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN) | RF_EV_BIT(RF_EV_FENCE) | \
     RF_EV_BIT(RF_EV_INIT) | RF_EV_BIT(RF_EV_CALL))
/* clang-format on */

/* An execution begins; `actors` are whose clocks are kept. */
RFI_FN void rfi_order_begin(rfi_order *o, unsigned relation, rfi_actors *actors) {
    o->relation = relation;
    o->actors = actors;
    rfi_arena_reset(&o->arena);
    if (o->newest) rfi_zero(o->recent, sizeof o->recent);
    rfi_shadow_reset(&o->atomics);
    rfi_actors_reset(o->actors);
    o->boxes = o->ats = 0;
    o->newest = NULL;
    o->pairs = o->parts = false;
    o->spare_letter = NULL;
    o->spare_phase = NULL;
}

RFI_FN rfi_mailbox *rfi_order_box(rfi_order *o, uint32_t object) {
    if (RFI_UNLIKELY(object >= o->boxes)) {
        o->box = rfi_grow(o->box, &o->box_capacity, object + 1, sizeof *o->box);
        for (; o->boxes <= object; o->boxes++) rfi_zero(&o->box[o->boxes], sizeof *o->box);
    }
    return &o->box[object];
}

RFI_FN rfi_letter *rfi_letter_take(rfi_order *o) {
    rfi_letter *l = o->spare_letter;
    if (!l) return rfi_arena_take(&o->arena, sizeof *l);
    o->spare_letter = l->next;
    l->next = NULL;
    return l;
}

RFI_FN void rfi_letter_drop(rfi_order *o, rfi_letter *l) {
    l->next = o->spare_letter;
    o->spare_letter = l;
}

/* ---- synchronisation ---- */

RFI_FN void rfi_order_lock(rfi_order *o, const rf_event *e) {
    if (o->relation != RFI_FULL) return;
    rfi_mailbox *box = rfi_order_box(o, e->object);
    bool shared = e->flags & RF_EV_SHARED;
    if (e->kind == RF_EV_LOCK) {
        rfi_actor_receive(o->actors, e->thread, &box->last);
        if (!shared) rfi_actor_receive(o->actors, e->thread, &box->shared);
    } else if (shared) {
        rfi_message_add(o->actors, e->thread, &box->shared);
    } else {
        rfi_message_send(o->actors, e->thread, &box->last);
        box->shared.clock.n = 0; /* who releases knows it, having acquired */
    }
}

RFI_FN void rfi_order_semaphore(rfi_order *o, const rf_event *e) {
    rfi_mailbox *box = rfi_order_box(o, e->object);
    bool post = e->kind == RF_EV_SEM_POST;
    if (o->relation == RFI_FULL) {
        if (post)
            rfi_message_add(o->actors, e->thread, &box->last);
        else
            rfi_actor_receive(o->actors, e->thread, &box->last);
        return;
    }
    if (!box->counted) { /* the event tells the tokens after it */
        box->initial = post ? e->value - 1 : e->value + 1;
        box->counted = true;
    }
    if (post) {
        rfi_letter *l = rfi_letter_take(o);
        rfi_message_send(o->actors, e->thread, &l->message);
        if (box->first)
            box->newest->next = l;
        else
            box->first = l;
        box->newest = l;
    } else if (box->initial) {
        box->initial--;
    } else if (box->first) {
        rfi_letter *l = box->first;
        box->first = l->next;
        rfi_actor_receive(o->actors, e->thread, &l->message);
        rfi_letter_drop(o, l);
    }
}

RFI_FN rfi_phase **rfi_order_at(rfi_order *o, uint32_t t) {
    o->at = rfi_grow(o->at, &o->at_capacity, t + 1, sizeof(rfi_phase *));
    while (o->ats <= t) o->at[o->ats++] = NULL;
    return &o->at[t];
}

/* A fast thread may arrive for the next phase before the slow ones have departed from this one. */
RFI_FN void rfi_order_arrive(rfi_order *o, const rf_event *e) {
    rfi_mailbox *box = rfi_order_box(o, e->object);
    rfi_phase *p = box->phase;
    if (!p || p->number != e->value) {
        p = o->spare_phase;
        if (p)
            o->spare_phase = p->next;
        else
            p = rfi_arena_take(&o->arena, sizeof *p);
        p->number = e->value;
        p->message.clock.n = 0;
        box->phase = p;
    }
    p->inside++;
    *rfi_order_at(o, e->thread) = p;
    rfi_message_add(o->actors, e->thread, &p->message);
}

RFI_FN void rfi_order_depart(rfi_order *o, const rf_event *e) {
    rfi_phase **at = rfi_order_at(o, e->thread), *p = *at;
    if (!p) return;
    *at = NULL;
    rfi_actor_receive(o->actors, e->thread, &p->message);
    if (--p->inside) return;
    rfi_mailbox *box = rfi_order_box(o, e->object);
    if (box->phase == p) box->phase = NULL;
    p->next = o->spare_phase;
    o->spare_phase = p;
}

/* ---- atomics ---- */

RFI_FN void rfi_order_fence(rfi_order *o, const rf_event *e) {
    if (rfi_acquires(e->order)) rfi_actor_acquire_fence(o->actors, e->thread);
    if (rfi_releases(e->order))
        rfi_message_send(o->actors, e->thread, &rfi_actor_of(o->actors, e->thread)->released);
}

/* Has `x` bytes of these, and is not they? */
RFI_FN bool rfi_atomic_overlaps(const rfi_atomic *x, uintptr_t from, size_t size) {
    bool same = x->addr == from && x->size == size;
    return !same && x->addr < from + size && from < x->addr + x->size;
}

RFI_FN rfi_atomic *rfi_order_new(rfi_order *o, uintptr_t addr, size_t size) {
    void **list = rfi_shadow_at(&o->atomics, addr / RFI_GRANULE);
    for (const rfi_atomic *y = *list; y; y = y->next)
        o->parts |= rfi_atomic_overlaps(y, addr, size);
    rfi_atomic *x = rfi_arena_take(&o->atomics.arena, sizeof *x);
    *x = (rfi_atomic){.next = *list, .earlier = o->newest, .addr = addr, .size = size};
    return *list = o->newest = x;
}

/* What comes with the store in a slot. */
RFI_FN rfi_message *rfi_order_slot(rfi_order *o, rfi_atomic *x, uint32_t slot) {
    if (RFI_UNLIKELY(slot >= x->capacity)) {
        uint32_t capacity = slot < 2 ? 2 : slot * 2;
        rfi_message *stores = rfi_arena_take(&o->atomics.arena, capacity * sizeof *stores);
        if (x->slots) memcpy(stores, x->stores, x->slots * sizeof *stores);
        x->stores = stores;
        x->capacity = capacity;
    }
    if (slot >= x->slots) x->slots = slot + 1;
    return &x->stores[slot];
}

/* The location that begins here, of this size if that is not 0; NULL if none is known. */
RFI_INLINE rfi_atomic *rfi_order_found(rfi_order *o, uintptr_t addr, size_t size) {
    rfi_atomic *x = rfi_shadow_get(&o->atomics, addr / RFI_GRANULE);
    while (x && (x->addr != addr || (size && x->size != size))) x = x->next;
    return x;
}

/* The atomic of 16 bytes that an access is one of, or of a part of; NULL: of none.  The model
 * begins with slot 0 where parts become the whole, or the whole parts (mem/locations.h), and then
 * all is there that was released. */
RFI_FN RFI_COLD rfi_atomic *rfi_order_pair(rfi_order *o, const rf_event *e) {
    uintptr_t whole = (uintptr_t)e->addr / RFI_PAIR * RFI_PAIR;
    rfi_atomic *x = rfi_order_found(o, whole, RFI_PAIR);
    bool part = e->size != RFI_PAIR, gathers = !x || part || x->parts;
    if (!x && part) return NULL;
    if (!x) x = rfi_order_new(o, whole, RFI_PAIR);
    o->pairs = true;
    x->parts = part;
    if (!gathers) return x;
    rfi_message all = {.k = 0};
    for (uintptr_t g = whole / RFI_GRANULE; g * RFI_GRANULE < whole + RFI_PAIR; g++)
        for (rfi_atomic *y = rfi_shadow_get(&o->atomics, g); y; y = y->next)
            for (uint32_t i = 0; i < y->slots; i++)
                rfi_message_join(&all, &y->stores[i], &o->actors->arena);
    *rfi_order_slot(o, x, 0) = all;
    return x;
}

RFI_INLINE rfi_atomic *rfi_order_atomic(rfi_order *o, const rf_event *e, bool make) {
    uintptr_t addr = (uintptr_t)e->addr;
    rfi_atomic **recent = &o->recent[addr / 4 % RFI_ATOMICS_RECENT], *x = *recent;
    bool pair = o->pairs || e->size == RFI_PAIR;
    if (RFI_LIKELY(!pair && x && x->addr == addr)) return x;
    x = RFI_UNLIKELY(pair) ? rfi_order_pair(o, e) : NULL;
    if (!x) x = rfi_order_found(o, addr, 0);
    if (!x && make) x = rfi_order_new(o, addr, e->size);
    return *recent = x;
}

/* The read half of an access to bytes that atomics of other sizes have, too: it gets what was
 * released to any of them. */
RFI_FN RFI_COLD void rfi_order_load_parts(rfi_order *o, const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr;
    const rfi_atomic *x = rfi_shadow_get(&o->atomics, from / RFI_GRANULE);
    for (; x; x = x->next)
        for (uint32_t i = 0; i < x->slots && rfi_atomic_overlaps(x, from, e->size); i++)
            rfi_actor_hear(o->actors, e->thread, &x->stores[i], rfi_acquires(e->order));
}

/* The read half of an atomic operation: before the detectors see the access. */
RFI_FN void rfi_order_load(rfi_order *o, const rf_event *e) {
    const rfi_atomic *x = rfi_order_atomic(o, e, false);
    if (RFI_UNLIKELY(o->parts || !x || x->size != e->size)) rfi_order_load_parts(o, e);
    if (!x || e->read_slot >= x->slots) return;
    rfi_actor_hear(o->actors, e->thread, &x->stores[e->read_slot], rfi_acquires(e->order));
}

/* Thread `t`'s newest release at `x`; NULL if it has none and none is to be made. */
RFI_FN rfi_message *rfi_order_head(rfi_order *o, rfi_atomic *x, uint32_t t, bool make) {
    rfi_letter *l = x->heads;
    while (l && l->message.from != t) l = l->next;
    if (l || !make) return l ? &l->message : NULL;
    l = rfi_letter_take(o);
    rfi_message_clear(&l->message);
    l->message.from = t;
    l->next = x->heads;
    x->heads = l;
    return &l->message;
}

/* The write half: after the detectors have seen the access.  The thread's own head becomes the
 * newest of: this store, its last release fence, the head that it had here. */
RFI_FN void rfi_order_store(rfi_order *o, const rf_event *e) {
    const rfi_message *fence = &rfi_actor_of(o->actors, e->thread)->released;
    bool releases = rfi_releases(e->order);
    rfi_atomic *x = rfi_order_atomic(o, e, releases || fence->k);
    if (!x) return;
    rfi_message *head = rfi_order_head(o, x, e->thread, releases || fence->k);
    if (releases)
        rfi_message_send(o->actors, e->thread, head);
    else if (head && fence->k > head->k)
        rfi_message_copy(head, fence, &o->actors->arena);
    uint32_t highest = e->read_slot > e->write_slot ? e->read_slot : e->write_slot;
    rfi_order_slot(o, x, highest);
    rfi_message *to = &x->stores[e->write_slot];
    if (!(e->flags & RF_EV_READS))
        rfi_message_clear(to);
    else if (e->read_slot != e->write_slot)
        rfi_message_copy(to, &x->stores[e->read_slot], &o->actors->arena);
    if (!head || (head->k && rfi_clock_get(&to->clock, head->from) >= head->k)) return;
    if (rfi_message_any(to) && !(to->k && to->from == e->thread))
        rfi_message_join(to, head, &o->actors->arena);
    else
        rfi_message_copy(to, head, &o->actors->arena);
}

RFI_FN void rfi_order_behead(rfi_order *o, rfi_atomic *x) {
    while (x->heads) {
        rfi_letter *l = x->heads;
        x->heads = l->next;
        rfi_letter_drop(o, l);
    }
    for (uint32_t i = 0; i < x->slots; i++) rfi_message_clear(&x->stores[i]);
}

/* Bytes that were written by something that is not atomic, or that belong to something new: reading
 * them synchronises with nobody. */
RFI_FN void rfi_order_overwrite(rfi_order *o, uintptr_t from, uintptr_t to) {
    if (!o->atomics.regions.used) return;
    RFI_EACH_GRANULE(&o->atomics, g, from, to)
    for (rfi_atomic *x = rfi_shadow_get(&o->atomics, g); x; x = x->next)
        if (x->addr < to && from < x->addr + x->size) rfi_order_behead(o, x);
}

/* What an access, or new memory, does to the relation: before and after the detectors see it. */
RFI_FN void rfi_order_before(rfi_order *o, const rf_event *e) {
    if (e->flags & RF_EV_ATOMIC && e->flags & RF_EV_READS) rfi_order_load(o, e);
}

RFI_FN void rfi_order_after(rfi_order *o, const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr;
    if (e->kind != RF_EV_ALLOC && e->kind != RF_EV_RECYCLE && !(e->flags & RF_EV_WRITES)) return;
    if (e->flags & RF_EV_ATOMIC)
        rfi_order_store(o, e);
    else
        rfi_order_overwrite(o, from, from + e->size);
}

/* All of an access, for who has no question between what it acquires and what it releases. */
RFI_FN void rfi_order_access(rfi_order *o, const rf_event *e) {
    rfi_order_before(o, e);
    rfi_order_after(o, e);
}

/* What goes through the system: whoever reads a message knows all that was sent before. */
RFI_FN void rfi_order_call(rfi_order *o, const rf_event *e) {
    if (rfi_acquires(e->order))
        rfi_actor_receive(o->actors, e->thread, &rfi_order_box(o, e->object)->last);
    if (rfi_releases(e->order))
        rfi_message_add(o->actors, e->thread, &rfi_order_box(o, e->object)->last);
}

/* ---- relations that part ---- */

/* All relations are the same until the first of these. */
# define RFI_PARTING_EVENTS                                                    \
  (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_NOTIFY) | \
   RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_SEM_POST))

RFI_FN void rfi_order_copy_actors(rfi_actors *to, const rfi_actors *from) {
    for (uint32_t t = 0; t < from->count; t++) {
        const rfi_actor *b = &from->thread[t];
        rfi_actor *a = rfi_actor_of(to, t);
        a->own = b->own;
        a->version = b->version;
        a->ended = b->ended;
        rfi_clock_copy(&a->clock, &b->clock, &to->arena);
        rfi_message_copy(&a->released, &b->released, &to->arena);
        rfi_message_copy(&a->acquirable, &b->acquirable, &to->arena);
    }
}

RFI_FN rfi_phase *rfi_order_twin(rfi_order *o, rfi_phase *p) {
    if (!p || p->twin) return p ? p->twin : NULL;
    p->twin = rfi_arena_take(&o->arena, sizeof *p);
    p->twin->number = p->number;
    p->twin->inside = p->inside;
    rfi_message_copy(&p->twin->message, &p->message, &o->actors->arena);
    return p->twin;
}

/* `o` begins as what `from` is now: a relation from which it parts with the next event. */
RFI_FN RFI_COLD void rfi_order_copy(rfi_order *o, unsigned relation, rfi_actors *actors,
                                    const rfi_order *from) {
    rfi_order_begin(o, relation, actors);
    rfi_order_copy_actors(actors, from->actors);
    for (uint32_t i = 0; i < from->boxes; i++) {
        rfi_mailbox *box = rfi_order_box(o, i);
        rfi_message_copy(&box->last, &from->box[i].last, &actors->arena);
        box->phase = rfi_order_twin(o, from->box[i].phase);
    }
    for (uint32_t t = 0; t < from->ats; t++) *rfi_order_at(o, t) = rfi_order_twin(o, from->at[t]);
    o->pairs = from->pairs;
    o->parts = from->parts;
    for (const rfi_atomic *x = from->newest; x; x = x->earlier) {
        rfi_atomic *y = rfi_order_new(o, x->addr, x->size);
        y->parts = x->parts;
        for (const rfi_letter *l = x->heads; l; l = l->next)
            rfi_message_copy(rfi_order_head(o, y, l->message.from, true), &l->message,
                             &actors->arena);
        for (uint32_t slot = x->slots; slot-- > 0;)
            rfi_message_copy(rfi_order_slot(o, y, slot), &x->stores[slot], &actors->arena);
    }
}

/* Takes RFI_ORDER_EVENTS; accesses go through the functions above. */
RFI_FN void rfi_order_event(rfi_order *o, const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOCK:
    case RF_EV_UNLOCK: rfi_order_lock(o, e); break;
    case RF_EV_NOTIFY:
        if (o->relation == RFI_RELAXED) rfi_actor_pass(o->actors, e->thread, e->other);
        break;
    case RF_EV_SEM_WAIT:
    case RF_EV_SEM_POST: rfi_order_semaphore(o, e); break;
    case RF_EV_ARRIVE: rfi_order_arrive(o, e); break;
    case RF_EV_DEPART: rfi_order_depart(o, e); break;
    case RF_EV_ONCE_DONE:
        rfi_message_send(o->actors, e->thread, &rfi_order_box(o, e->object)->last);
        break;
    case RF_EV_ONCE_PASS:
        rfi_actor_receive(o->actors, e->thread, &rfi_order_box(o, e->object)->last);
        break;
    case RF_EV_CREATE: rfi_actor_fork(o->actors, e->thread, e->other); break;
    case RF_EV_JOIN: rfi_actor_join(o->actors, e->thread, e->other); break;
    case RF_EV_FENCE: rfi_order_fence(o, e); break;
    case RF_EV_CALL: rfi_order_call(o, e); break;
    case RF_EV_INIT: *rfi_order_box(o, e->object) = (rfi_mailbox){0}; break;
    default: break;
    }
}
#endif
#endif
