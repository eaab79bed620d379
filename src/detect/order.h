/* detect/order.h: who has heard of whom (docs/internals.md, Two relations).
 *
 * One tracker keeps the vector clocks of the threads and of the messages that every primitive
 * carries, for one of two relations:
 *   full     happens-before: releasing a lock orders a later acquisition; a signal orders nothing,
 *            since the mutex of the wait does; a semaphore has one clock that gathers all posts.
 *   relaxed  what another schedule could not turn round: locks order nothing, a signal orders the
 *            wait that it wakes, a semaphore's tokens are taken first in, first out.
 * Start, join, barrier, once and release/acquire atomics are the same in both.
 *
 * Invariants.  A thread's own component grows at every message it sends and nowhere else, so there
 * is one message to each value, and whoever knows component k of thread u knows all that u knew
 * when it sent message k: such a message need not be joined again.  A thread's own component stands
 * apart from its vector, which is then only as long as the highest thread it has heard of.
 *
 * Atomic reads return the newest store, so a location has one set of release sequences: those that
 * the newest store belongs to, at most one headed by each thread (C11: a sequence goes on through
 * later stores of the thread that heads it and through read-modify-writes of all).
 */
#ifndef RFI_DETECT_ORDER_H
#define RFI_DETECT_ORDER_H
#include "detect/shadow.h"
#include "engine/iface.h"
#include "mem/clock.h"

#ifdef RFI_IMPL
/* What is known to who receives it. */
typedef struct rfi_message {
    rfi_clock clock;
    uint32_t from, k; /* its one sender, with the sender's own component; k = 0: several senders */
} rfi_message;

/* A message that waits in a list: a semaphore's token, a release sequence. */
typedef struct rfi_letter {
    struct rfi_letter *next;
    rfi_message message;
} rfi_letter;

/* One round of a barrier. */
typedef struct rfi_phase {
    struct rfi_phase *next; /* among the spare ones */
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

typedef struct rfi_actor {
    uint32_t own;         /* C[t][t] */
    uint32_t next_spare;  /* thread + 1 */
    rfi_clock clock;      /* C[t][u] of the others */
    rfi_message released; /* Crel[t]: at its last release fence */
    rfi_clock acquirable; /* Cacq[t]: what an acquire fence would obtain */
    rfi_phase *phase;     /* of the barrier it stands at */
} rfi_actor;

/* The newest store to an atomic location. */
typedef struct rfi_atomic {
    struct rfi_atomic *next; /* in the same granule */
    uintptr_t addr;
    size_t size;
    rfi_letter *heads; /* of its release sequences, newest first */
} rfi_atomic;

enum { RFI_FULL, RFI_RELAXED, RFI_RELATIONS };

typedef struct rfi_order {
    unsigned relation;
    rfi_arena arena;
    rfi_actor *thread;
    rfi_mailbox *box; /* by object number */
    uint32_t threads, thread_capacity, boxes, box_capacity;
    rfi_shadow atomics; /* granule -> rfi_atomic list */
    rfi_letter *spare_letter;
    rfi_phase *spare_phase;
    uint32_t spare_clock; /* joined thread + 1 whose vector can be used again */
} rfi_order;

/* Kinds of events that rfi_order_event takes. */
/* clang-format off */
# define RFI_ORDER_EVENTS \
    (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_NOTIFY) | \
     RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_ARRIVE) | \
     RF_EV_BIT(RF_EV_DEPART) | RF_EV_BIT(RF_EV_ONCE_DONE) | RF_EV_BIT(RF_EV_ONCE_PASS) | \
     RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN) | RF_EV_BIT(RF_EV_FENCE) | \
     RF_EV_BIT(RF_EV_INIT))
/* clang-format on */

RFI_FN void rfi_order_begin(rfi_order *o, unsigned relation) {
    o->relation = relation;
    rfi_arena_reset(&o->arena);
    rfi_shadow_reset(&o->atomics);
    o->threads = o->boxes = o->spare_clock = 0;
    o->spare_letter = NULL;
    o->spare_phase = NULL;
}

/* Thread `t`.  If it is new the others may move: pointers to them are stale then. */
RFI_INLINE rfi_actor *rfi_order_thread(rfi_order *o, uint32_t t) {
    if (RFI_UNLIKELY(t >= o->threads)) {
        o->thread = rfi_grow(o->thread, &o->thread_capacity, t + 1, sizeof *o->thread);
        while (o->threads <= t) o->thread[o->threads++] = (rfi_actor){.own = 1};
    }
    return &o->thread[t];
}

RFI_FN rfi_mailbox *rfi_order_box(rfi_order *o, uint32_t object) {
    if (RFI_UNLIKELY(object >= o->boxes)) {
        o->box = rfi_grow(o->box, &o->box_capacity, object + 1, sizeof *o->box);
        while (o->boxes <= object) o->box[o->boxes++] = (rfi_mailbox){0};
    }
    return &o->box[object];
}

/* ---- messages ---- */

/* Thread `t` puts what it knows into `m`. */
RFI_INLINE void rfi_order_stamp(rfi_order *o, rfi_clock *m, uint32_t t) {
    rfi_actor *a = rfi_order_thread(o, t);
    rfi_clock_reserve(m, t + 1, &o->arena);
    m->c[t] = a->own++;
}

/* m := C[t], then inc(C[t]) */
RFI_FN void rfi_order_send(rfi_order *o, uint32_t t, rfi_message *m) {
    rfi_clock_copy(&m->clock, &rfi_order_thread(o, t)->clock, &o->arena);
    rfi_order_stamp(o, &m->clock, t);
    m->from = t;
    m->k = m->clock.c[t];
}

/* m := m join C[t], then inc(C[t]) */
RFI_FN void rfi_order_add(rfi_order *o, uint32_t t, rfi_message *m) {
    rfi_clock_join(&m->clock, &rfi_order_thread(o, t)->clock, &o->arena);
    rfi_order_stamp(o, &m->clock, t);
    m->k = 0;
}

/* Thread `t` knows already all that `m` could tell it. */
RFI_INLINE bool rfi_order_knows(rfi_order *o, uint32_t t, const rfi_message *m) {
    return m->k && (m->from == t || rfi_clock_get(&rfi_order_thread(o, t)->clock, m->from) >= m->k);
}

/* C[t] := C[t] join m */
RFI_FN void rfi_order_receive(rfi_order *o, uint32_t t, const rfi_message *m) {
    if (m->clock.n && !rfi_order_knows(o, t, m))
        rfi_clock_join(&rfi_order_thread(o, t)->clock, &m->clock, &o->arena);
}

/* A message from `t` that `u`, which stands still, receives at once: C[u] := C[u] join C[t]. */
RFI_FN void rfi_order_pass(rfi_order *o, uint32_t t, uint32_t u) {
    rfi_order_thread(o, t > u ? t : u);
    rfi_actor *from = &o->thread[t], *to = &o->thread[u];
    rfi_clock_join(&to->clock, &from->clock, &o->arena);
    rfi_order_stamp(o, &to->clock, t);
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
    if (o->relation == RFI_RELAXED) return;
    rfi_mailbox *box = rfi_order_box(o, e->object);
    bool shared = e->flags & RF_EV_SHARED;
    if (e->kind == RF_EV_LOCK) {
        rfi_order_receive(o, e->thread, &box->last);
        if (!shared) rfi_order_receive(o, e->thread, &box->shared);
    } else if (shared) {
        rfi_order_add(o, e->thread, &box->shared);
    } else {
        rfi_order_send(o, e->thread, &box->last);
        box->shared.clock.n = 0; /* who releases knows it, having acquired */
    }
}

RFI_FN void rfi_order_semaphore(rfi_order *o, const rf_event *e) {
    rfi_mailbox *box = rfi_order_box(o, e->object);
    bool post = e->kind == RF_EV_SEM_POST;
    if (o->relation == RFI_FULL) {
        if (post)
            rfi_order_add(o, e->thread, &box->last);
        else
            rfi_order_receive(o, e->thread, &box->last);
        return;
    }
    if (!box->counted) { /* the event tells the tokens after it */
        box->initial = post ? e->value - 1 : e->value + 1;
        box->counted = true;
    }
    if (post) {
        rfi_letter *l = rfi_letter_take(o);
        rfi_order_send(o, e->thread, &l->message);
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
        rfi_order_receive(o, e->thread, &l->message);
        rfi_letter_drop(o, l);
    }
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
    rfi_order_thread(o, e->thread)->phase = p;
    rfi_order_add(o, e->thread, &p->message);
}

RFI_FN void rfi_order_depart(rfi_order *o, const rf_event *e) {
    rfi_actor *a = rfi_order_thread(o, e->thread);
    rfi_phase *p = a->phase;
    if (!p) return;
    a->phase = NULL;
    rfi_order_receive(o, e->thread, &p->message);
    if (--p->inside) return;
    rfi_mailbox *box = rfi_order_box(o, e->object);
    if (box->phase == p) box->phase = NULL;
    p->next = o->spare_phase;
    o->spare_phase = p;
}

/* A new thread takes over the vector of one that was joined: one after the other costs no more
 * memory than one. */
RFI_FN void rfi_order_create(rfi_order *o, const rf_event *e) {
    rfi_actor *child = rfi_order_thread(o, e->other);
    if (o->spare_clock && !child->clock.c) {
        rfi_actor *dead = &o->thread[o->spare_clock - 1];
        child->clock = dead->clock;
        child->clock.n = 0;
        dead->clock = (rfi_clock){0};
        o->spare_clock = dead->next_spare;
    }
    rfi_order_pass(o, e->thread, e->other);
}

RFI_FN void rfi_order_join(rfi_order *o, const rf_event *e) {
    rfi_order_pass(o, e->other, e->thread);
    rfi_actor *dead = &o->thread[e->other];
    dead->next_spare = o->spare_clock;
    o->spare_clock = e->other + 1;
}

/* ---- atomics ---- */

RFI_INLINE bool rfi_order_acquires(int order) {
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

RFI_INLINE bool rfi_order_releases(int order) { return order >= __ATOMIC_RELEASE; }

RFI_FN void rfi_order_fence(rfi_order *o, const rf_event *e) {
    rfi_actor *a = rfi_order_thread(o, e->thread);
    if (rfi_order_acquires(e->order)) {
        rfi_clock_join(&a->clock, &a->acquirable, &o->arena);
        a->acquirable.n = 0; /* it has it now */
    }
    if (rfi_order_releases(e->order)) rfi_order_send(o, e->thread, &a->released);
}

RFI_FN rfi_atomic *rfi_order_atomic(rfi_order *o, const rf_event *e, bool make) {
    uintptr_t addr = (uintptr_t)e->addr, g = addr / RFI_GRANULE;
    rfi_atomic *x = rfi_shadow_get(&o->atomics, g);
    while (x && x->addr != addr) x = x->next;
    if (x || !make) return x;
    void **list = rfi_shadow_at(&o->atomics, g);
    x = rfi_arena_take(&o->atomics.arena, sizeof *x);
    *x = (rfi_atomic){.next = *list, .addr = addr, .size = e->size};
    return *list = x;
}

/* The read half of an atomic operation: before the detectors see the access. */
RFI_FN void rfi_order_load(rfi_order *o, const rf_event *e) {
    const rfi_atomic *x = rfi_order_atomic(o, e, false);
    for (const rfi_letter *h = x ? x->heads : NULL; h; h = h->next) {
        const rfi_message *m = &h->message;
        if (rfi_order_acquires(e->order)) {
            rfi_order_receive(o, e->thread, m);
        } else if (!rfi_order_knows(o, e->thread, m)) {
            rfi_clock *later = &rfi_order_thread(o, e->thread)->acquirable;
            if (rfi_clock_get(later, m->from) < m->k) rfi_clock_join(later, &m->clock, &o->arena);
        }
    }
}

/* Takes thread `t`'s letter out of the heads of `x`; NULL if it has none. */
RFI_FN rfi_letter *rfi_order_unhead(rfi_atomic *x, uint32_t t) {
    for (rfi_letter **at = &x->heads; *at; at = &(*at)->next) {
        rfi_letter *l = *at;
        if (l->message.from != t) continue;
        *at = l->next;
        return l;
    }
    return NULL;
}

RFI_FN void rfi_order_behead(rfi_order *o, rfi_atomic *x) {
    while (x->heads) {
        rfi_letter *l = x->heads;
        x->heads = l->next;
        rfi_letter_drop(o, l);
    }
}

/* The write half: after the detectors have seen the access.  The thread's own head becomes the
 * newest of: this store, its last release fence, the head it had in the sequence it continues. */
RFI_FN void rfi_order_store(rfi_order *o, const rf_event *e) {
    const rfi_message *fence = &rfi_order_thread(o, e->thread)->released;
    bool releases = rfi_order_releases(e->order);
    rfi_atomic *x = rfi_order_atomic(o, e, releases || fence->k);
    if (!x) return;
    rfi_letter *head = rfi_order_unhead(x, e->thread);
    if (!(e->flags & RF_EV_READS)) rfi_order_behead(o, x);
    bool fenced = fence->k > (head ? head->message.k : 0);
    if (!head && (releases || fenced)) head = rfi_letter_take(o);
    if (!head) return;
    if (releases) {
        rfi_order_send(o, e->thread, &head->message);
    } else if (fenced) {
        rfi_clock_copy(&head->message.clock, &fence->clock, &o->arena);
        head->message.from = e->thread;
        head->message.k = fence->k;
    }
    head->next = x->heads;
    x->heads = head;
}

/* Bytes that were written by something that is not atomic, or that belong to something new: reading
 * them synchronises with nobody. */
RFI_FN void rfi_order_overwrite(rfi_order *o, uintptr_t from, uintptr_t to) {
    if (!o->atomics.regions.used || from == to) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(&o->atomics, g, end)) < end; g++)
        for (rfi_atomic *x = rfi_shadow_get(&o->atomics, g); x; x = x->next)
            if (x->addr < to && from < x->addr + x->size) rfi_order_behead(o, x);
}

/* Takes RFI_ORDER_EVENTS; accesses go through the three functions above. */
RFI_FN void rfi_order_event(rfi_order *o, const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOCK:
    case RF_EV_UNLOCK: rfi_order_lock(o, e); break;
    case RF_EV_NOTIFY:
        if (o->relation == RFI_RELAXED) rfi_order_pass(o, e->thread, e->other);
        break;
    case RF_EV_SEM_WAIT:
    case RF_EV_SEM_POST: rfi_order_semaphore(o, e); break;
    case RF_EV_ARRIVE: rfi_order_arrive(o, e); break;
    case RF_EV_DEPART: rfi_order_depart(o, e); break;
    case RF_EV_ONCE_DONE: rfi_order_send(o, e->thread, &rfi_order_box(o, e->object)->last); break;
    case RF_EV_ONCE_PASS:
        rfi_order_receive(o, e->thread, &rfi_order_box(o, e->object)->last);
        break;
    case RF_EV_CREATE: rfi_order_create(o, e); break;
    case RF_EV_JOIN: rfi_order_join(o, e); break;
    case RF_EV_FENCE: rfi_order_fence(o, e); break;
    case RF_EV_INIT: *rfi_order_box(o, e->object) = (rfi_mailbox){0}; break;
    default: break;
    }
}
#endif
#endif
