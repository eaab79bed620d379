/* engine/futex.h: waiting by address, as Linux's futex(2) has it, and for signals.
 *
 * A futex word gets an object at its first use in an execution.  A wait is two operations: an
 * atomic comparison of the word's newest value and, if it is as expected, a wait until woken; a
 * time-out may fire at any step, and a wake-up may be spurious.  Neither orders other data: Linux
 * promises only an atomic read of the word, so the program's own atomics have to.
 * Optimised: less, few programs use it often.
 */
#ifndef RFI_ENGINE_FUTEX_H
#define RFI_ENGINE_FUTEX_H
#include "engine/access.h"
#include "engine/sync.h"

#ifdef RFI_IMPL
RFI_VAR struct {
    uint32_t generation;
    rfi_map at;             /* address of a word -> rfi_futex */
    const rfi_object *from; /* of those that wait there, with one of these bits, one is chosen */
    uint32_t bits;
} rfi_futexes;

/* It is called by what the word is called. */
RFI_FN rfi_futex *rfi_futex_of(const rf_site *s, uint32_t *word) {
    char name[RFI_NAME_BYTES];
    if (rfi_futexes.generation != rfi.generation) rfi_map_reset(&rfi_futexes.at);
    rfi_futexes.generation = rfi.generation;
    uint64_t *at = rfi_map_at(&rfi_futexes.at, (uint64_t)(uintptr_t)word);
    rfi_futex *f = (rfi_futex *)(uintptr_t)*at;
    if (f) return f;
    f = rfi_arena_take(&rfi.arena, sizeof *f);
    *f = (rfi_futex){.word = word};
    *at = (uint64_t)(uintptr_t)f;
    rfi_object_name_at((const rfi_object *)(const void *)word, RFI_FUTEX_WORD, name);
    rfi_object_register(&f->object, RFI_FUTEX_WORD, s, name);
    rfi_object_name *n = &rfi.object[f->object.number - 1];
    n->at = (const rfi_object *)(const void *)word;
    f->object.made = false;
    n->made = false;
    return f;
}

/* ---- standing somewhere until woken ---- */

RFI_FN bool rfi_ready_park(const rfi_thr *t) { return t->notified || t->timed || t->interrupted; }

/* `bits`: which wakers are meant.  t->wake says how it ended, and how it does if that is known. */
RFI_FN void rfi_park(const rf_site *s, rfi_object *o, uint32_t bits, bool timed) {
    rfi_thr *t = RFI_ME(s);
    rf_event *e = rfi_announce(t, RF_EV_PARK, s);
    e->object = o->number;
    e->flags = timed ? RF_EV_TIMED : 0;
    e->value = rfi.run.steps; /* until it is known how it ends */
    e->value2 = bits;
    t->timed = false;
    if (timed) rfi_due(t);
    rfi_wait_on(t, o, rfi_ready_park);
    rfi_schedule(t);
    rfi_wait_off(t);
    if (!t->notified && !t->interrupted) t->wake = RF_WAKE_TIMEOUT;
    if (timed) rfi_due_over(t, t->wake == RF_WAKE_TIMEOUT);
    if (RFI_UNLIKELY(t->wake == RF_WAKE_SPURIOUS)) rfi_unwoken_note(t);
    e->value = t->wake;
    rfi_executed(e);
}

/* One that stands there and is not yet woken; the `skip`-th.  RFI_NO_THREAD: there is none. */
RFI_FN uint32_t rfi_parked(const rfi_object *o, uint32_t bits, uint32_t skip) {
    for (uint32_t w = o->waiters; w; w = rfi.thread[w - 1]->wait_next) {
        const rfi_thr *u = rfi.thread[w - 1];
        if (!u->notified && u->next.value2 & bits && !skip--) return u->id;
    }
    return RFI_NO_THREAD;
}

/* Which one is not for the program to know: it is drawn.  Under a strategy that knows memory itself
 * it may be nobody: the waker came before them, whatever it looks like. */
RFI_FN uint32_t rfi_parked_any(const rfi_object *o, uint32_t bits) {
    uint32_t n = 0;
    while (rfi_parked(o, bits, n) != RFI_NO_THREAD) n++;
    rfi_futexes.from = o;
    rfi_futexes.bits = bits;
    return n ? rfi_parked(o, bits, rfi_choose_of(n + rfi.strategy->values, &rfi.schedule))
             : RFI_NO_THREAD;
}

RFI_FN uint32_t rfi_unpark(rfi_futex *f, const rf_site *s, uint32_t bits, uint32_t most) {
    uint32_t woken = 0, u;
    f->waker = s;
    f->woken_by = rfi.current->id;
    f->woken_at = rfi.run.steps;
    while (woken < most && (u = rfi_parked_any(&f->object, bits)) != RFI_NO_THREAD) {
        rfi.thread[u]->notified = true;
        rfi.thread[u]->wake = RF_WAKE_SIGNAL;
        rfi_set_enabled(rfi.thread[u], rfi_ready(rfi.thread[u]));
        woken++;
    }
    return woken;
}

/* From one object to another, without waking. */
RFI_FN uint32_t rfi_repark(rfi_object *from, rfi_object *to, uint32_t most) {
    uint32_t moved = 0, id;
    while (from != to && moved < most && (id = rfi_parked_any(from, UINT32_MAX)) != RFI_NO_THREAD) {
        rfi_thr *u = rfi.thread[id];
        rfi_wait_off(u);
        u->next.object = to->number;
        rfi_wait_on(u, to, rfi_ready_park);
        moved++;
    }
    return moved;
}

/* ---- futexes ---- */

/* The kernel looks at a word, and for those that wait, behind a full barrier and under one lock:
 * who looks after a wake-up sees what the waker had seen. */
RFI_FN void rfi_futex_serialise(void) {
    if (!rfi.modelled) return;
    rfi_model_need();
    rfi_atomic_serialise(&rfi_model.core, &rfi_model.atomics, rfi.current->id);
}

/* Where the word is part of a wider atomic (atomic_uint_fast32_t has 8 bytes in glibc), that is
 * what is looked at. */
RFI_FN void rfi_futex_place(rf_event *e, const uint32_t *word) {
    uintptr_t at = (uintptr_t)word, g = rfi_atomics_first(at);
    e->addr = word;
    e->size = sizeof *word;
    if (!rfi.modelled) return;
    rfi_model_need();
    const rfi_location *x =
        rfi_atomics_overlap(&rfi_model.atomics, &g, at & ~(uintptr_t)7, at + sizeof *word);
    if (!x || x->size != 8) return;
    e->addr = (const void *)x->addr;
    e->size = x->size;
}

/* The word as it is now.  `other`: an object that is used too, if it is as expected.  What the
 * kernel reads is no access of the program's that could race. */
RFI_FN uint32_t rfi_futex_look(const rf_site *s, const rfi_futex *f, const rfi_futex *other,
                               uint32_t expected) {
    rfi_thr *t = RFI_ME(s);
    rf_event *e = rfi_announce(t, RF_EV_LOAD, s);
    uint64_t value = 0;
    e->flags = RF_EV_READS | RF_EV_ATOMIC | RF_EV_RANGE | RF_EV_RACY;
    e->order = __ATOMIC_RELAXED;
    rfi_futex_place(e, f->word);
    e->object = f->object.number;
    e->other = other ? other->object.number : 0;
    rfi_schedule(t);
    rfi_heap_check(s, e->addr, e->size, false);
    rfi_futex_serialise();
    rf_heuristic pick = rfi_model.core.atomic_pick;
    rfi_model.core.atomic_pick = RF_PICK_NEWEST;
    rfi_value_load(e, 0, &value);
    rfi_model.core.atomic_pick = pick;
    if (e->size > sizeof *f->word) {
        memcpy(&value, f->word, sizeof *f->word);
        e->value = (uint32_t)value;
    }
    e->value2 = expected;
    rfi_executed(e);
    return (uint32_t)e->value;
}

/* The result: how it has ended, or RFI_FUTEX_CHANGED. */
enum { RFI_FUTEX_CHANGED = RF_WAKE_SPURIOUS + 1 };

RFI_FN unsigned rfi_futex_wait(const rf_site *s, uint32_t *word, uint32_t expected, uint32_t bits,
                               bool timed) {
    rfi_thr *t = RFI_ME(s);
    rfi_futex *f = rfi_futex_of(s, word);
    if (rfi_futex_look(s, f, NULL, expected) != expected) return RFI_FUTEX_CHANGED;
    t->notified = rfi_wait_early(t, s, timed);
    rfi_park(s, &f->object, bits, timed);
    return t->wake;
}

/* It is the turn of a waker, which uses one object or two. */
RFI_FN rf_event *rfi_unpark_point(const rf_site *s, const rfi_futex *f, const rfi_futex *g,
                                  const rfi_waking *w) {
    rf_event *e = rfi_announce(rfi.current, RF_EV_UNPARK, s);
    e->object = f->object.number;
    e->other = g ? g->object.number : 0;
    e->value = w->most; /* until it is known how many it has woken, */
    e->value2 = w->bits;
    rfi.current->waking = w;
    rfi_schedule(rfi.current);
    rfi_futex_serialise();
    return e;
}

/* How many were woken. */
RFI_FN uint32_t rfi_futex_wake(const rf_site *s, uint32_t *word, uint32_t bits, uint32_t most) {
    rfi_futex *f = rfi_futex_of(s, word);
    const rfi_waking w = {.most = most, .bits = bits};
    rf_event *e = rfi_unpark_point(s, f, NULL, &w);
    e->value = rfi_unpark(f, s, bits, most);
    e->value2 = 0;
    rfi.current->waking = NULL;
    rfi_executed(e);
    return (uint32_t)e->value;
}

/* Wakes some and lets others wait on another word; -1: the first one is not as expected. */
RFI_FN int64_t rfi_futex_requeue(const rf_site *s, uint32_t *word, uint32_t *to, uint32_t wakes,
                                 uint32_t moves, const uint32_t *expected) {
    rfi_futex *f = rfi_futex_of(s, word), *g = rfi_futex_of(s, to);
    rf_event looked = {.kind = RF_EV_UNPARK,
                       .thread = rfi.current->id,
                       .site = s,
                       .object = f->object.number,
                       .other = g->object.number};
    const rfi_waking w = {wakes, UINT32_MAX, f == g ? 0 : moves, .moves = true};
    rfi.current->waking = &w;
    bool right = !expected || rfi_futex_look(s, f, g, *expected) == *expected;
    rf_event *e = expected ? &looked : rfi_unpark_point(s, f, g, &w);
    if (right) e->value = rfi_unpark(f, s, UINT32_MAX, wakes);
    if (right) e->value2 = rfi_repark(&f->object, &g->object, moves);
    rfi.current->waking = NULL;
    if (!right) return -1;
    if (expected)
        rfi_emit(e); /* the look was the operation */
    else
        rfi_executed(e);
    return (int64_t)(e->value + e->value2);
}

/* An atomic change of the second word, told by the bits of `how`; then wakes those at the first
 * one, and those at the second one if its old value was right. */
RFI_FN uint32_t rfi_futex_wake_op(const rf_site *s, uint32_t *word, uint32_t *other, uint32_t most,
                                  uint32_t most_other, uint32_t how) {
    rfi_futex *f = rfi_futex_of(s, word), *g = rfi_futex_of(s, other);
    const uint32_t kind = how >> 28, compare = how >> 24 & 15;
    const int32_t arg = (int32_t)(how << 8) >> 20, against = (int32_t)(how << 20) >> 20;
    const uint32_t by = kind & 8 ? UINT32_C(1) << (arg & 31) : (uint32_t)arg;
    uint32_t was;
    rfi_rmw_begin(s, other, sizeof was, __ATOMIC_RELAXED, &was);
    const uint32_t is[] = {by, was + by, was | by, was & ~by, was ^ by};
    rfi_rmw_end(&is[(kind & 7) % 5]);
    const int32_t old = (int32_t)was;
    const bool right[] = {old == against, old != against, old<against, old <= against, old> against,
                          old >= against};
    const rfi_waking w = {most, UINT32_MAX, right[compare % 6] ? most_other : 0, .moves = false};
    rf_event *e = rfi_unpark_point(s, f, g, &w);
    e->value = rfi_unpark(f, s, UINT32_MAX, most);
    e->value2 = 0;
    e->value += rfi_unpark(g, s, UINT32_MAX, w.most_other);
    rfi.current->waking = NULL;
    rfi_executed(e);
    return (uint32_t)e->value;
}
#endif
#endif
