/* report/cut.h: which steps of an execution are shown.
 *
 * The two accesses of the race and the steps around them, other accesses to the same memory, a read
 * that returned an older value, log lines and synchronisation of the threads involved, and the last
 * steps.  An execution of a few steps is shown whole.  The order of the events is never changed.
 */
#ifndef RFI_REPORT_CUT_H
#define RFI_REPORT_CUT_H
#include "campaign/moment.h"
#include "report/words.h"

#ifdef RFI_IMPL
# define RFI_UNCUT 40u /* steps up to which nothing is left out */

/* ---- what memory did ---- */

/* Of the reads that returned an older value or a torn one, the one to be explained: the last of the
 * thread that failed; where that has none, the last one.  RFI_NEVER: there is none. */
RFI_FN uint64_t rfi_strange_read(const rfi_record *r) {
    uint64_t last = RFI_NEVER;
    for (uint64_t i = r->events; i > rfi_first_kept(r); i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        if (!rfi_is_strange(e)) continue;
        if (e->thread == r->failure.thread) return i - 1;
        if (last == RFI_NEVER) last = i - 1;
    }
    return last;
}

/* The last write to what read `at` reads by this thread and statement; RFI_NEVER: not kept. */
RFI_FN uint64_t rfi_write_before(const rfi_record *r, uint64_t at, uint32_t thread,
                                 const rf_site *site) {
    const rf_event *e = rfi_event_at(r, at);
    for (uint64_t i = at; i > rfi_first_kept(r); i--) {
        const rf_event *w = rfi_event_at(r, i - 1);
        uintptr_t x = (uintptr_t)w->addr, y = (uintptr_t)e->addr;
        if (w->flags & RF_EV_WRITES && w->thread == thread && w->site == site && x < y + e->size &&
            y < x + w->size)
            return i - 1;
    }
    return RFI_NEVER;
}

/* ---- which events are shown ---- */

enum { RFI_KEEP = 1, RFI_STAR = 2 };

typedef struct rfi_cut {
    const rfi_record *r;
    rfi_race_lines race;
    const rfi_warning *warning; /* that is meant; may be NULL */
    bool whole;                 /* nothing is left out */
    uint64_t first, end;        /* the events that the record has kept */
    uint8_t *mark;              /* by event - first: RFI_KEEP, RFI_STAR */
    uint32_t threads;          /* in these events; the record counts them only when all went well */
    uint8_t *tally;            /* by thread: how many of its last events are kept */
    const rf_event *stack[64]; /* what others touch of a thread's stack; more, if `stacks` */
    uint32_t lent;
    bool stacks;
} rfi_cut;

/* What others touch of a thread's stack. */
RFI_FN void rfi_cut_stacks(rfi_cut *c) {
    for (uint64_t i = c->first; i < c->end; i++) {
        const rf_event *e = rfi_event_at(c->r, i);
        rfi_within in = c->r->within[i % RFI_RECORD_EVENTS];
        if (in.block != RFI_ON_STACK || in.offset == e->thread) continue;
        if (c->lent == RFI_LENGTH(c->stack))
            c->stacks = true;
        else
            c->stack[c->lent++] = e;
    }
}

/* An access to its own stack, to what nobody else touches. */
RFI_FN bool rfi_is_private(const rfi_cut *c, const rf_event *e) {
    rfi_within in = c->r->within[e - c->r->event];
    if (in.block != RFI_ON_STACK || in.offset != e->thread || c->stacks) return false;
    for (unsigned k = 0; k < c->lent; k++) {
        uintptr_t x = (uintptr_t)c->stack[k]->addr, y = (uintptr_t)e->addr;
        if (x < y + e->size && y < x + c->stack[k]->size) return false;
    }
    return c->r->hooked;
}

/* Events that a cut picture can do without and does not count: they tell nothing that a row beside
 * them does not. */
RFI_FN bool rfi_is_step(const rfi_cut *c, const rf_event *e) {
    const uint64_t implied = RF_EV_BIT(RF_EV_START) | RF_EV_BIT(RF_EV_EXIT) |
                             RF_EV_BIT(RF_EV_RECYCLE) | RF_EV_BIT(RF_EV_LEAVE);
    bool unseen = e->kind == RF_EV_CALL && !e->text; /* the way back from a creation */
    return c->whole || !(implied >> e->kind & 1 || unseen || rfi_is_private(c, e));
}

RFI_FN bool rfi_is_involved(const rfi_cut *c, const rf_event *e) {
    return (c->race.e[0] && e->thread == c->race.e[0]->thread) ||
           (c->race.e[1] && e->thread == c->race.e[1]->thread) ||
           (c->r->failure.diagnostic && e->thread == c->r->failure.thread);
}

typedef bool rfi_wanted(rfi_cut *c, const rf_event *e);

RFI_FN bool rfi_want_any(rfi_cut *c, const rf_event *e) {
    (void)c, (void)e;
    return true;
}

/* An access to the memory of the race. */
RFI_FN bool rfi_want_memory(rfi_cut *c, const rf_event *e) {
    const rf_event *a = c->race.e[0];
    if (!a || !(e->flags & (RF_EV_READS | RF_EV_WRITES))) return false;
    uintptr_t x = (uintptr_t)a->addr, y = (uintptr_t)e->addr;
    return x < y + e->size && y < x + a->size;
}

RFI_FN bool rfi_want_log(rfi_cut *c, const rf_event *e) {
    return e->kind == RF_EV_LOG && rfi_is_involved(c, e);
}

RFI_FN bool rfi_want_sync(rfi_cut *c, const rf_event *e) {
    return e->object && e->kind != RF_EV_ALLOC && rfi_is_involved(c, e);
}

/* One of the last three steps of its thread: where everybody stands in a deadlock. */
RFI_FN bool rfi_want_last(rfi_cut *c, const rf_event *e) {
    return c->tally[e->thread] < 3 && ++c->tally[e->thread];
}

RFI_FN bool rfi_want_create(rfi_cut *c, const rf_event *e) {
    for (unsigned k = 0; k < 2; k++)
        if (e->kind == RF_EV_CREATE && c->race.e[k] && e->other == c->race.e[k]->thread)
            return true;
    return false;
}

/* Going back from event `from`, keeps up to `most` steps that are wanted. */
RFI_FN void rfi_keep(rfi_cut *c, uint64_t from, unsigned most, rfi_wanted *wanted) {
    for (uint64_t i = from; i > c->first && most; i--) {
        const rf_event *e = rfi_event_at(c->r, i - 1);
        if (!rfi_is_step(c, e) || !wanted(c, e)) continue;
        c->mark[i - 1 - c->first] |= RFI_KEEP;
        most--;
    }
}

/* Keeps a step that would stand alone between kept ones: telling it takes no more room. */
RFI_FN void rfi_keep_single_steps(rfi_cut *c) {
    uint64_t gap = 0, step = 0;
    for (uint64_t i = c->first; i <= c->end; i++) {
        if (i < c->end && !rfi_is_step(c, rfi_event_at(c->r, i))) continue;
        if (i == c->end || c->mark[i - c->first] & RFI_KEEP) {
            if (gap == 1) c->mark[step - c->first] |= RFI_KEEP;
            gap = 0;
        } else {
            gap++, step = i;
        }
    }
}

/* The read that is explained, what it returned and what it hid. */
RFI_FN void rfi_keep_strange(rfi_cut *c) {
    uint64_t at = rfi_strange_read(c->r);
    if (at == RFI_NEVER) return;
    const rf_origin *o = rfi_event_at(c->r, at)->origin;
    uint64_t keep[] = {at, rfi_write_before(c->r, at, o->thread, o->site),
                       rfi_write_before(c->r, at, o->newest_thread, o->newest_site)};
    for (unsigned i = 0; i < 3; i++)
        if (keep[i] != RFI_NEVER) c->mark[keep[i] - c->first] |= RFI_KEEP;
}

/* Is the event what is done at this place? */
RFI_FN bool rfi_at_side(const rfi_record *r, const rf_event *e, const rfi_side *s) {
    rfi_line name = {0};
    if (!rfi_same_statement(e->site, s->site)) return false;
    if (s->thread != RFI_NO_THREAD && s->thread != e->thread) return false;
    if (e->kind == RF_EV_UNLOCK && s->role && !strcmp(s->role, "takes")) return false;
    if (!s->object[0] || !e->object) return true;
    rfi_say_object(&name, r, e->object);
    return !strcmp(name.s, s->object); /* a wait releases its mutex too */
}

/* The steps at the places of a warning that is no race: the last ones before it was produced, or of
 * all; the last place first, since a statement may be two of them. */
RFI_FN void rfi_keep_places(rfi_cut *c) {
    if (!c->warning || c->warning->family == RF_FAMILY_RACE) return;
    uint64_t end = c->r->hit_count && c->r->hit[0].at > c->first ? c->r->hit[0].at : c->end;
    for (unsigned k = c->warning->sides; k--;) {
        const rfi_side *s = &c->warning->side[k];
        uint64_t i = end < c->end ? end : c->end;
        while (i > c->first && (c->mark[i - 1 - c->first] & RFI_STAR ||
                                !rfi_at_side(c->r, rfi_event_at(c->r, i - 1), s)))
            i--;
        if (i > c->first) c->mark[i - 1 - c->first] |= RFI_STAR | RFI_KEEP;
    }
}

RFI_FN void rfi_choose_steps(rfi_cut *c) {
    const rfi_record *r = c->r;
    uint64_t steps = 0, middle = c->end;
    for (uint64_t i = c->first; i < c->end; i++) steps += rfi_is_step(c, rfi_event_at(r, i));
    for (unsigned k = 0; k < 2; k++) {
        uint64_t n = c->race.number[k];
        if (n == RFI_NEVER) continue;
        c->mark[n - c->first] |= RFI_STAR | RFI_KEEP;
        if (n < middle) middle = n;
    }
    rfi_keep_places(c);
    if (c->whole || steps <= RFI_UNCUT) {
        rfi_keep(c, c->end, UINT_MAX, rfi_want_any);
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        uint64_t n = c->race.number[k];
        if (n != RFI_NEVER) rfi_keep(c, n + 4 < c->end ? n + 4 : c->end, 8, rfi_want_any);
    }
    rfi_keep(c, c->end, !c->race.e[0] ? 20 : r->failure.diagnostic ? 8 : 0, rfi_want_any);
    rfi_keep(c, c->end, 10, rfi_want_memory);
    rfi_keep_strange(c);
    rfi_keep(c, c->end, 6, rfi_want_log);
    rfi_keep(c, middle, 6, rfi_want_sync);
    rfi_keep(c, c->end, 2, rfi_want_create);
    if (rfi_diagnostic(r->failure.diagnostic)->kind & (RF_EXPECT_DEADLOCK | RF_EXPECT_LIVELOCK))
        rfi_keep(c, c->end, RFI_UNCUT, rfi_want_last);
    rfi_keep_single_steps(c);
}

/* Which steps of an execution to show; `pair`: the race that is meant, NULL: its first one. */
RFI_FN rfi_cut rfi_cut_make(const rfi_record *r, const rfi_warning *pair, bool whole) {
    rfi_cut c = {.r = r, .whole = whole, .first = rfi_first_kept(r), .end = r->events};
    c.warning = pair;
    c.race = rfi_race_find(r, pair);
    if (r->failure.diagnostic && r->failure.thread != RFI_NO_THREAD)
        c.threads = r->failure.thread + 1;
    for (uint64_t i = c.first; i < c.end; i++)
        if (rfi_event_at(r, i)->thread >= c.threads) c.threads = rfi_event_at(r, i)->thread + 1;
    c.mark = RFI_REAL(calloc)((size_t)(c.end - c.first) + 1, 1);
    c.tally = RFI_REAL(calloc)((size_t)c.threads + 1, 1);
    if (!c.mark || !c.tally) rfi_die("out of memory (interleaving of %u threads)", c.threads);
    rfi_cut_stacks(&c);
    rfi_choose_steps(&c);
    return c;
}

RFI_FN void rfi_cut_free(rfi_cut *c) {
    RFI_REAL(free)(c->mark);
    RFI_REAL(free)(c->tally);
}
#endif
#endif
