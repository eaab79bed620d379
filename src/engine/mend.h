/* engine/mend.h: executions in which some races can't happen, to see what follows from them
 * (campaign/experiment.h).
 *
 * Each access at one of the statements executes as if under a lock of its own memory: it is atomic,
 * has the newest value, and is ordered after those before it.  A thread that reads there in order
 * to write (x = x + 1) keeps the lock from the read to the write, but not for long: it may not get
 * to the write.  Analyses and the memory model are told of the locks as of any other.  This is a
 * checker around that of the execution, if it has one; nothing else about the execution changes.
 */
#ifndef RFI_ENGINE_MEND_H
#define RFI_ENGINE_MEND_H
#include "engine/object.h"
#include "engine/sched.h"

#ifdef RFI_IMPL
# define RFI_MENDED     16u /* statements, at most */
# define RFI_MEND_STEPS 64u /* operations of its own until a thread that keeps a lock gives it up \
                             */

/* What is to be mended. */
typedef struct rfi_mend {
    uint64_t key[RFI_MENDED]; /* of the statements */
    uint32_t count;
    uint32_t keeps; /* bit by statement: a read in order to write */
    bool control;   /* nothing is, but the statements are scheduling points as if it were */
} rfi_mend;

/* The lock of a place in memory. */
typedef struct rfi_mended {
    struct rfi_mended *next; /* of those that are held */
    rfi_object object;
    uint32_t holder; /* thread + 1 */
    uint32_t left;   /* of its operations, until it gives it up */
} rfi_mended;

typedef struct rfi_mend_wait {
    uint32_t thread;
    const rfi_mended *at;
} rfi_mend_wait;

RFI_VAR struct rfi_mending {
    const rfi_mend *what;
    const rf_checker *inner; /* NULL: the execution has none */
    rfi_map places;          /* address -> rfi_mended */
    rfi_mended *held;
    rfi_mend_wait *wait; /* who stands before a lock */
    uint32_t waits, capacity;
    bool telling; /* the event that is delivered is ours */
} rfi_mending;

/* The number of the statement, if the operation is an access at one; else RFI_MENDED. */
RFI_FN uint32_t rfi_mend_number(const rf_event *e) {
    const rfi_mend *m = rfi_mending.what;
    if (m->control || !(e->flags & (RF_EV_READS | RF_EV_WRITES)) || !e->addr) return RFI_MENDED;
    uint64_t key = rf_site_key(e->site);
    uint32_t i = 0;
    while (i < m->count && m->key[i] != key) i++;
    return i < m->count ? i : RFI_MENDED;
}

RFI_FN rfi_mended *rfi_mend_place(const rf_event *e) {
    uint64_t *at = rfi_map_at(&rfi_mending.places, (uintptr_t)e->addr);
    rfi_mended *m = (rfi_mended *)(uintptr_t)*at;
    if (m) return m;
    m = rfi_arena_take(&rfi.arena, sizeof *m);
    *m = (rfi_mended){.next = NULL};
    rfi_object_register(&m->object, RFI_MUTEX, e->site, NULL);
    *at = (uintptr_t)m;
    return m;
}

RFI_FN void rfi_mend_tell(unsigned kind, const rf_event *of, const rfi_mended *m) {
    rf_event e = {.kind = (uint8_t)kind, .thread = m->holder - 1, .object = m->object.number};
    e.site = of->site;
    rfi_mending.telling = true;
    rfi_deliver(&e);
    rfi_mending.telling = false;
}

RFI_FN void rfi_mend_take(rfi_mended *m, const rf_event *e, uint32_t number) {
    if (m->holder) return; /* its own */
    m->holder = e->thread + 1;
    m->left = rfi_mending.what->keeps >> number & 1 ? RFI_MEND_STEPS : 0;
    m->next = rfi_mending.held;
    rfi_mending.held = m;
    rfi_mend_tell(RF_EV_LOCK, e, m);
}

/* Gives the lock at *link up; who waits for it may go on. */
RFI_FN void rfi_mend_give(rfi_mended **link, const rf_event *e) {
    struct rfi_mending *s = &rfi_mending;
    rfi_mended *m = *link;
    rfi_mend_tell(RF_EV_UNLOCK, e, m);
    m->holder = 0;
    *link = m->next;
    for (uint32_t i = s->waits; i--;) {
        if (s->wait[i].at != m) continue;
        rf_check_release(s->wait[i].thread);
        s->wait[i] = s->wait[--s->waits];
    }
}

RFI_FN void rfi_mend_begin(uint64_t seed) {
    struct rfi_mending *s = &rfi_mending;
    rfi_map_reset(&s->places);
    s->held = NULL;
    s->waits = 0;
    if (s->inner && s->inner->begin) s->inner->begin(seed);
}

RFI_FN bool rfi_mend_inner_at(const rf_event *e) {
    const rf_checker *c = rfi_mending.inner;
    return c && c->is_breakpoint && c->is_breakpoint(e);
}

RFI_FN bool rfi_mend_at(const rf_event *e) {
    return rfi_mend_number(e) < RFI_MENDED || rfi_mend_inner_at(e);
}

RFI_FN void rfi_mend_check(const rf_event *next) {
    struct rfi_mending *s = &rfi_mending;
    uint32_t number = rfi_mend_number(next);
    rfi_mended *m = number < RFI_MENDED ? rfi_mend_place(next) : NULL;
    if (m && m->holder && m->holder != next->thread + 1) {
        s->wait = rfi_grow(s->wait, &s->capacity, s->waits + 1, sizeof *s->wait);
        s->wait[s->waits++] = (rfi_mend_wait){next->thread, m};
        rf_check_pause();
        return;
    }
    if (rfi_mend_inner_at(next)) s->inner->check(next);
    if (m && !rfi.frame.pause_checked) rfi_mend_take(m, next, number);
}

/* Does an operation end what a thread does to its memory? */
RFI_FN bool rfi_mend_over(const rfi_mended *m, const rf_event *e) {
    const uint64_t waits = RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_WAIT) |
                           RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_ARRIVE) |
                           RF_EV_BIT(RF_EV_JOIN) | RF_EV_BIT(RF_EV_SLEEP) | RF_EV_BIT(RF_EV_YIELD) |
                           RF_EV_BIT(RF_EV_PARK) | RF_EV_BIT(RF_EV_EXIT);
    if (waits & RF_EV_BIT(e->kind)) return true;
    bool here = rfi_mend_number(e) < RFI_MENDED && rfi_mend_place(e) == m;
    return !m->left || (here && e->flags & RF_EV_WRITES);
}

RFI_FN void rfi_mend_event(const rf_event *e) {
    struct rfi_mending *s = &rfi_mending;
    if (s->inner && s->inner->events & RF_EV_BIT(e->kind)) s->inner->event(e);
    if (s->telling) return;
    for (rfi_mended **link = &s->held; *link;) {
        rfi_mended *m = *link;
        if (m->holder == e->thread + 1 && rfi_mend_over(m, e)) {
            rfi_mend_give(link, e);
            continue;
        }
        if (m->holder == e->thread + 1) m->left--;
        link = &m->next;
    }
}

RFI_FN void rfi_mend_stuck(const uint32_t *thread, uint32_t count, bool cycle) {
    const rf_checker *c = rfi_mending.inner;
    if (c && c->stuck) c->stuck(thread, count, cycle);
}

RFI_FN void rfi_mend_end(void) {
    const rf_checker *c = rfi_mending.inner;
    if (c && c->end) c->end();
}

RFI_VAR const rf_checker rfi_mend_checker = {.name = "mend",
                                             .events = RF_EV_BIT(RF_EV_COUNT) - 1,
                                             .begin = rfi_mend_begin,
                                             .is_breakpoint = rfi_mend_at,
                                             .check = rfi_mend_check,
                                             .event = rfi_mend_event,
                                             .stuck = rfi_mend_stuck,
                                             .end = rfi_mend_end};

/* The checker that mends `what`, around `inner`. */
RFI_FN const rf_checker *rfi_mend_around(const rfi_mend *what, const rf_checker *inner) {
    rfi_mending.what = what;
    rfi_mending.inner = inner;
    return &rfi_mend_checker;
}
#endif
#endif
