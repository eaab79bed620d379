/* explore/steps.h: the steps of an execution as dpor.h sees them: what happens before what, and
 * which of them could have come in another order.
 *
 * A step is an operation that was announced and executed, with the objects that its thread made or
 * ended before it announced the next one.  Its clock has, for each thread, how many of its
 * steps happen before it or are it.
 */
#ifndef RFI_EXPLORE_STEPS_H
#define RFI_EXPLORE_STEPS_H
#include "engine/given.h"
#include "explore/traces.h"

#ifdef RFI_IMPL
typedef struct rfi_dpor_step {
    rf_event e;     /* as announced; once it has been executed, as that was */
    uint32_t local; /* number among the steps of its thread, from 1 */
    uint32_t after; /* so many steps had begun when it was announced */
    uint32_t clock, width;
    uint32_t node;
    uint32_t object, objects; /* in the path's list */
    uint64_t bits;            /* of what it touches: steps without a common one commute */
    uint64_t all;             /* the same of all steps of its thread up to this one, not 0; */
    bool some_alone;          /* and one of them commutes with nothing */
    bool waits;               /* as announced: it may have to */
    bool alone; /* it commutes with nothing: an invariant looks at what it does, or its
                   thread was held back as a spinner, so any other step sets it free */
    bool known; /* it has been executed, and related to the earlier ones */
} rfi_dpor_step;

/* A thread. */
typedef struct rfi_dpor_thread {
    uint32_t after, steps;
    uint32_t last;    /* its last step */
    uint64_t settled; /* the number of the relation that needs none of its other steps */
    uint32_t block;   /* the last one that it has made, */
    uint32_t made;    /* and the number of its next step */
    bool known, alone;
} rfi_dpor_thread;

typedef struct rfi_course {
    rfi_path path;
    rfi_talk talk;
    uint32_t met;                   /* nodes passed */
    uint32_t fresh;                 /* the first step that no earlier execution had here */
    uint32_t objects;               /* that there were before the last step */
    const char *block, *blocks_end; /* the memory that its thread has allocated in it */
    rfi_dpor_step *step;
    uint32_t steps, step_capacity;
    uint32_t *clock;
    uint32_t clocks, clock_capacity;
    rfi_dpor_thread *runner;
    uint32_t runner_capacity;
    uint64_t relations;     /* how often steps were related to those before them */
    uint32_t *seen, *first; /* by thread */
    uint32_t seen_capacity, first_capacity;
} rfi_course;

/* ---- what commutes ---- */

/* An object by its number; one that was new when it was made or ended by where it lies, since its
 * number may be another one in the next execution. */
# define RFI_BY_PLACE UINT32_C(0x80000000)
/* The clock, in lists of objects: a step looked at it to know when an operation is to time out. */
# define RFI_CLOCK UINT32_C(0x7fffffff)

RFI_FN uint64_t rfi_touched_bits(const rf_event *e) {
    if (rfi_asks(e) || e->object & RFI_BY_PLACE) return ~UINT64_C(0);
    bool clock = e->object == RFI_CLOCK || rf_reads_clock(e) || rf_moves_clock(e);
    return rfi_event_bits(e) | (clock ? UINT64_C(1) << (RFI_CLOCK & 63) : 0);
}

RFI_FN uint32_t rfi_object_place(uint32_t object) {
    uint64_t at = (uint64_t)(uintptr_t)rf_object_address(object);
    return (uint32_t)(rfi_mix(at) >> 33) | RFI_BY_PLACE;
}

/* The making or the end of an object, as an operation. */
RFI_FN rf_event rfi_object_event(uint32_t object, uint32_t thread) {
    return (rf_event){.kind = RF_EV_DESTROY, .thread = thread, .object = object};
}

RFI_FN bool rfi_same_object(uint32_t a, uint32_t b) {
    bool place = (a ^ b) & RFI_BY_PLACE;
    if (!a || !b || !place) return a && a == b;
    return a & RFI_BY_PLACE ? rfi_object_place(b) == a : rfi_object_place(a) == b;
}

/* Does an operation use this object? */
RFI_FN bool rfi_uses_object(const rf_event *e, uint32_t object) {
    if (e->kind == RF_EV_FREE) return false;
    if (object == RFI_CLOCK) return rf_moves_clock(e);
    return rfi_same_object(e->object, object) || rfi_same_object(rfi_event_other(e), object);
}

/* Does a step not commute with an operation of another thread? */
RFI_FN bool rfi_step_depends(const rfi_path *p, const rfi_dpor_step *s, const rf_event *e,
                             uint64_t bits, bool alone) {
    if (s->alone || alone) return true;
    if (!(s->bits & bits) && !rfi_asks(&s->e) && !rfi_asks(e)) return false;
    if (rf_events_depend(&s->e, e)) return true;
    if (e->kind == RF_EV_DESTROY && rfi_uses_object(&s->e, e->object)) return true;
    for (uint32_t i = 0; i < s->objects; i++)
        if (rfi_uses_object(e, p->object[s->object + i])) return true;
    return false;
}

/* ---- clocks ---- */

RFI_INLINE bool rfi_dpor_has(const uint32_t *clock, uint32_t width, const rfi_dpor_step *s) {
    return s->e.thread < width && clock[s->e.thread] >= s->local;
}

RFI_FN bool rfi_step_after(const rfi_course *r, const rfi_dpor_step *later,
                           const rfi_dpor_step *s) {
    return rfi_dpor_has(r->clock + later->clock, later->width, s);
}

RFI_FN void rfi_dpor_join(uint32_t *to, const rfi_course *r, const rfi_dpor_step *s) {
    const uint32_t *from = r->clock + s->clock;
    for (uint32_t t = 0; t < s->width; t++)
        if (to[t] < from[t]) to[t] = from[t];
}

/* What its thread knew when it announced the step. */
RFI_FN void rfi_dpor_before(const rfi_course *r, const rfi_dpor_step *s, uint32_t *clock) {
    memset(clock, 0, s->width * sizeof *clock);
    if (s->after) rfi_dpor_join(clock, r, &r->step[s->after - 1]);
}

/* ---- races ---- */

typedef enum rfi_dpor_answer { RFI_DPOR_NO, RFI_DPOR_YES, RFI_DPOR_MAYBE } rfi_dpor_answer;

/* Could `e`, an operation that waits, go on right before `x`, which does not commute with it? */
RFI_FN rfi_dpor_answer rfi_free_before(const rf_event *x, const rf_event *e) {
    bool wakes = e->kind == RF_EV_WAKE;
    switch (x->kind) {
    case RF_EV_UNLOCK:
    case RF_EV_WAIT: return RFI_DPOR_NO;
    case RF_EV_TRYFAIL: return e->flags & RF_EV_SHARED ? RFI_DPOR_MAYBE : RFI_DPOR_NO;
    case RF_EV_LOCK: return wakes || x->flags & RF_EV_SHARED ? RFI_DPOR_MAYBE : RFI_DPOR_YES;
    case RF_EV_WAKE: return wakes ? RFI_DPOR_MAYBE : RFI_DPOR_YES;
    case RF_EV_SEM_WAIT:
    case RF_EV_ONCE:
    case RF_EV_ONCE_PASS: return RFI_DPOR_YES;
    case RF_EV_SEM_POST:
        return !x->value ? RFI_DPOR_MAYBE : x->value > 1 ? RFI_DPOR_YES : RFI_DPOR_NO;
    default: return RFI_DPOR_MAYBE;
    }
}

/* Could step `s`, number j, be executed where step i was, after what does not follow from that? */
RFI_FN rfi_dpor_answer rfi_reversible(const rfi_course *r, uint32_t i, const rfi_dpor_step *s,
                                      uint32_t j, const rf_event *e) {
    const rfi_dpor_step *x = &r->step[i];
    if (!s->waits && !s->alone) {
        bool held_up =
            s->after <= i && !rfi_node_thread(&r->path, &r->path.node[x->node], s->e.thread);
        return held_up ? RFI_DPOR_NO : RFI_DPOR_YES;
    }
    if (s->e.kind == RF_EV_JOIN && !s->alone && !x->alone) return RFI_DPOR_NO;
    if (s->after > i) return s->alone || e != &s->e ? RFI_DPOR_MAYBE : rfi_free_before(&x->e, e);
    for (uint32_t k = i + 1; k < j; k++) {
        const rfi_dpor_step *y = &r->step[k];
        if (!rfi_step_after(r, y, x) &&
            rfi_step_depends(&r->path, y, &s->e, rfi_touched_bits(&s->e), s->alone))
            return RFI_DPOR_MAYBE;
    }
    return rfi_node_thread(&r->path, &r->path.node[x->node], s->e.thread) ? RFI_DPOR_YES
                                                                          : RFI_DPOR_NO;
}

/* Is a step, the first one of its thread in a sequence, preceded by none of the others in it?
 * first[]: by thread, the first one so far. */
RFI_FN bool rfi_step_initial(const rfi_course *r, const rfi_dpor_step *s) {
    const uint32_t *clock = r->clock + s->clock;
    for (uint32_t t = 0; t < s->width; t++)
        if (t != s->e.thread && r->first[t] && clock[t] >= r->first[t]) return false;
    return true;
}

/* The option is to be tried as well. */
RFI_FN void rfi_course_todo(rfi_course *r, const rfi_node *n, rfi_dpor_option *o) {
    o->state |= RFI_WANTED;
    rfi_talk_begin(&r->talk, RFI_SAY_WANTED);
    rfi_write_number(&r->talk.record, (uint32_t)(n - r->path.node));
    rfi_write_number(&r->talk.record, (uint32_t)(o - r->path.option) - n->option);
    rfi_talk_end(&r->talk);
}

/* Steps i and j race, and j could have come first.  The steps between them that do not follow from
 * i, and j, are an execution from the state before i; if none of those with which it could begin is
 * in the source set there, one of them is added, if possible the thread of j. */
RFI_FN void rfi_dpor_race(rfi_course *r, uint32_t i, const rfi_dpor_step *s, uint32_t j) {
    const rfi_dpor_step *x = &r->step[i];
    rfi_node *n = &r->path.node[x->node];
    rfi_dpor_option *added = NULL;
    memset(r->first, 0, s->width * sizeof *r->first);
    for (uint32_t k = i + 1; k <= j; k++) {
        const rfi_dpor_step *y = k < j ? &r->step[k] : s;
        uint32_t *first = &r->first[y->e.thread];
        if (*first || (k < j && rfi_step_after(r, y, x))) continue;
        *first = y->local;
        rfi_dpor_option *o = rfi_node_thread(&r->path, n, y->e.thread);
        if (!o || !rfi_step_initial(r, y)) continue;
        if (o->state & (RFI_WANTED | RFI_TRIED | RFI_SLEEPS)) return;
        if (!added || k == j) added = o;
    }
    if (added) rfi_course_todo(r, n, added);
}

/* What a step is related to those before it by. */
typedef struct rfi_relation {
    uint32_t *clock; /* of the step; seen: what could come before it as well, NULL: all */
    const uint32_t *seen;
    uint32_t width;
    uint64_t bits; /* of what it touches; all, where it commutes with nothing */
} rfi_relation;

RFI_INLINE bool rfi_step_seen(const rfi_relation *o, const rfi_dpor_step *x) {
    return !o->seen || rfi_dpor_has(o->seen, o->width, x);
}

/* Need neither a step nor any earlier one of its thread be looked at, since they come before, or
 * commute with the operation? */
RFI_INLINE bool rfi_step_settled(const rfi_relation *o, const rfi_dpor_step *x) {
    if (!(x->all & o->bits) && !x->some_alone) return true;
    return rfi_dpor_has(o->clock, o->width, x) && rfi_step_seen(o, x);
}

/* Of how many threads is that not so for their last step?  Those that are so are marked. */
RFI_FN uint32_t rfi_dpor_open(rfi_course *r, const rfi_relation *o, uint32_t own) {
    uint32_t open = 0;
    r->relations++;
    for (uint32_t t = 0; t < o->width && t < r->runner_capacity; t++) {
        rfi_dpor_thread *a = &r->runner[t];
        if (!a->steps || t == own) continue;
        if (rfi_step_settled(o, &r->step[a->last]))
            a->settled = r->relations;
        else
            open++;
    }
    return open;
}

/* Relates an operation of step j to all steps before it. */
RFI_FN void rfi_dpor_relate(rfi_course *r, rfi_dpor_step *s, uint32_t j, const rf_event *e) {
    bool fresh = j >= r->fresh;
    const rfi_relation o = {.clock = r->clock + s->clock,
                            .seen = fresh ? r->seen : NULL,
                            .width = s->width,
                            .bits = s->alone ? ~UINT64_C(0) : rfi_touched_bits(e)};
    if (fresh) rfi_dpor_before(r, s, r->seen);
    uint32_t open = rfi_dpor_open(r, &o, s->e.thread);
    for (uint32_t i = j; open && i--;) {
        const rfi_dpor_step *x = &r->step[i];
        uint64_t *settled = &r->runner[x->e.thread].settled;
        if (x->e.thread == s->e.thread || *settled == r->relations) continue;
        if (rfi_step_settled(&o, x)) {
            *settled = r->relations;
            open--;
            continue;
        }
        if (!rfi_step_depends(&r->path, x, e, o.bits, s->alone)) continue;
        if (!rfi_dpor_has(o.clock, o.width, x)) rfi_dpor_join(o.clock, r, x);
        if (rfi_step_seen(&o, x)) continue;
        rfi_dpor_answer could = rfi_reversible(r, i, s, j, e);
        if (could != RFI_DPOR_NO) rfi_dpor_race(r, i, s, j);
        if (could == RFI_DPOR_YES) rfi_dpor_join(r->seen, r, x);
    }
}

/* ---- steps ---- */

RFI_FN bool rfi_may_wait(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOCK:
    case RF_EV_PARK: return !(e->flags & (RF_EV_TRY | RF_EV_TIMED));
    case RF_EV_WAKE:
    case RF_EV_DEPART:
    case RF_EV_ONCE:
    case RF_EV_JOIN: return true;
    default: return false;
    }
}

/* The announced operation of a thread as a step, with the clock that its thread has. */
RFI_FN rfi_dpor_step rfi_step_of(rfi_course *r, uint32_t thread) {
    const rfi_dpor_thread *a = &r->runner[thread];
    uint32_t width = rf_threads();
    rfi_dpor_step s = {.e = *rf_next_event(thread),
                       .local = a->steps + 1,
                       .after = a->after,
                       .clock = r->clocks,
                       .width = width,
                       .alone = a->alone};
    s.waits = rfi_may_wait(&s.e);
    s.bits = rfi_touched_bits(&s.e);
    r->clocks += width;
    r->clock = rfi_grow(r->clock, &r->clock_capacity, r->clocks, sizeof *r->clock);
    r->seen = rfi_grow(r->seen, &r->seen_capacity, width, sizeof *r->seen);
    r->first = rfi_grow(r->first, &r->first_capacity, width, sizeof *r->first);
    rfi_dpor_before(r, &s, r->clock + s.clock);
    r->clock[s.clock + thread] = s.local;
    return s;
}

/* More is known of what the last step of a thread touches. */
RFI_INLINE void rfi_step_grows(rfi_dpor_step *s) {
    s->all |= s->bits | 1; /* who asks how far its thread has come asks for each step */
    s->some_alone |= s->alone;
}

/* A thread makes a step from node `n`. */
RFI_FN void rfi_course_step(rfi_course *r, rfi_node *n, uint32_t thread) {
    r->step = rfi_grow(r->step, &r->step_capacity, r->steps + 1, sizeof *r->step);
    rfi_dpor_step *s = &r->step[r->steps];
    *s = rfi_step_of(r, thread);
    s->node = (uint32_t)(n - r->path.node);
    n->step = r->steps++;
    while (rf_object_site(r->objects + 1)) r->objects++;
    r->block = r->blocks_end = NULL;
    rfi_dpor_thread *runner = &r->runner[thread];
    const rfi_dpor_step *before = runner->steps ? &r->step[runner->last] : NULL;
    s->all = before ? before->all : 0;
    s->some_alone = before && before->some_alone;
    rfi_step_grows(s);
    runner->after = r->steps;
    runner->last = n->step;
    runner->steps++;
    const rfi_dpor_option *o = rfi_node_taken(&r->path, n);
    bool fresh = n->step >= r->fresh;
    s->object = fresh ? n->object : o->object;
    s->objects = fresh ? r->path.objects - n->object : o->objects;
    if (s->e.kind == RF_EV_RMW) return; /* it may turn out to be a load */
    s->known = true;
    rfi_dpor_relate(r, s, n->step, &s->e);
}
#endif
#endif
