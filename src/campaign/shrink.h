/* campaign/shrink.h: a shorter schedule for a failure, and why each preemption that is left counts.
 *
 * The steps of the failing execution, thread by thread, are executed once more as a schedule of
 * exceptions from the usual course (explore/schedule.h).  Then exceptions are taken away as long as
 * the execution still fails in the same way: half of them, a quarter, and so on to single ones
 * (delta debugging: Zeller, Hildebrandt, TSE 28, 2002; of schedules: Jalbert, Sen, FSE 2010), first
 * of all the older values that memory returned.  Then steps change places (walk.h).  Then, as long
 * as there are no more preemptions: values of RF_CHOOSE become smaller, and turns are left out, so
 * that fewer threads make steps, and fewer of them.  Each try is a real execution; so is the last
 * one, whose token is told.
 * Of a specified object the scenario is made smaller first (smaller.h).
 */
#ifndef RFI_CAMPAIGN_SHRINK_H
#define RFI_CAMPAIGN_SHRINK_H
#include "campaign/smaller.h"
#include "campaign/walk.h"

#ifdef RFI_IMPL
/* The failing execution as a schedule of exceptions. */
RFI_FN bool rfi_shrink_begin(rfi_shrinking *s, const rfi_record *r) {
    if (!rfi_scene_read(&s->scene, r->scenario, r->scenario_bytes)) s->scene.calls = 0;
    s->result->calls = s->result->calls_before = s->scene.calls;
    s->result->callers = s->result->callers_before = s->scene.threads;
    const rfi_record *again = rfi_shrink_turns(s, r->turn, r->turns);
    if (!again && s->scene.calls) again = rfi_shrink_drawn(s);
    if (again) rfi_shrink_read(s, again);
    s->changed = false;
    s->threads_found = s->threads;
    return again;
}

/* Without the exceptions from..from+n-1?  Then that is the schedule. */
RFI_FN bool rfi_shrink_without(rfi_shrinking *s, uint32_t from, uint32_t n) {
    const rfi_record *r = rfi_shrink_fails(s, rfi_shrink_write(s, from, n));
    if (!r || rfi_shrink_count(r) >= s->count) return false;
    rfi_shrink_read(s, r);
    return true;
}

/* One after the other, `size` at a time, until none of them can go. */
RFI_FN bool rfi_shrink_pass(rfi_shrinking *s, uint32_t size) {
    bool any = false;
    for (uint32_t i = 0; i < s->count && s->left;) {
        uint32_t n = s->count - i < size ? s->count - i : size;
        bool less = rfi_shrink_without(s, i, n);
        any |= less;
        if (!less) i += n;
    }
    return any;
}

/* The turn behind which an exception stands; the number of turns: none. */
RFI_FN uint32_t rfi_shrink_turn(const rfi_shrinking *s, const rfi_exception *e) {
    uint32_t i = 0;
    for (uint32_t steps = 0; i < s->turns; i++) {
        if (s->turn[i].thread == e->thread) steps += s->turn[i].steps;
        if (s->turn[i].thread == e->thread && steps >= e->steps) break;
    }
    return i;
}

/* The exception that lets `next` go on where turn i begins; thread 0 is the first. */
RFI_FN rfi_exception rfi_shrink_before(const rfi_shrinking *s, uint32_t i, uint32_t next) {
    rfi_exception e = {i ? s->turn[i - 1].thread : 0, 0, next};
    for (uint32_t k = 0; k < i; k++)
        if (s->turn[k].thread == e.thread) e.steps += s->turn[k].steps;
    return e;
}

/* Where a thread was left again: who came after it goes on at once, in its place. */
RFI_FN bool rfi_shrink_earlier(rfi_shrinking *s, uint32_t i) {
    uint32_t turn = rfi_shrink_turn(s, &s->list[i]);
    if (turn == s->turns || (!turn && !s->list[i].thread)) return false;
    rfi_exception new = rfi_shrink_before(s, turn, s->list[i].next);
    if (new.thread == new.next) return false;
    /* in place of an exception that leads from there to this thread, if it is one */
    uint32_t at = rfi_exception_find(s->list, s->count, &new);
    bool both = at < s->count;
    if (!both) at = i;
    rfi_exception before = s->list[at];
    s->list[at] = new;
    const rfi_record *r = rfi_shrink_fails(s, rfi_shrink_write(s, i, both));
    s->list[at] = before;
    if (!r || r->preemptions >= s->preemptions) return false;
    rfi_shrink_read(s, r);
    return true;
}

RFI_FN bool rfi_shrink_any_earlier(rfi_shrinking *s) {
    for (uint32_t i = 0; i < s->count && s->left; i++)
        if (rfi_shrink_earlier(s, i)) return true;
    return false;
}

/* Where the thread of an exception is next left for nothing when it goes on: behind a yield or a
 * sleep, or where it can't.  How many such places there are in an execution in which it does. */
RFI_FN uint32_t rfi_shrink_places(const rfi_record *r, const rfi_exception *e, uint32_t *place) {
    const uint64_t yields = RF_EV_BIT(RF_EV_YIELD) | RF_EV_BIT(RF_EV_SLEEP);
    uint32_t steps = 0, n = 0;
    for (uint64_t i = 0; r->events <= RFI_RECORD_EVENTS && i < r->events; i++) {
        const rf_event *event = &r->event[i];
        if (!(r->stepped[i / 64] >> i % 64 & 1)) continue;
        steps += event->thread == e->thread;
        if (steps <= e->steps) continue;
        bool over = event->thread != e->thread;
        if (over || yields & RF_EV_BIT(event->kind)) place[n++] = steps;
        if (over || n == RFI_SHRINK_PLACES) break;
    }
    return n;
}

/* A preemption that is none if it comes a little later. */
RFI_FN bool rfi_shrink_later(rfi_shrinking *s, uint32_t i) {
    uint32_t place[RFI_SHRINK_PLACES], n;
    const rfi_exception before = s->list[i];
    const rfi_record *r = rfi_shrink_run(s, rfi_shrink_write(s, i, 1));
    n = r ? rfi_shrink_places(r, &before, place) : 0;
    for (uint32_t k = 0; k < n; k++) {
        rfi_exception later = {before.thread, place[k], before.next};
        if (rfi_exception_find(s->list, s->count, &later) < s->count) continue;
        s->list[i] = later;
        r = rfi_shrink_fails(s, rfi_shrink_write(s, 0, 0));
        s->list[i] = before;
        if (!r || r->preemptions >= s->preemptions) continue;
        rfi_shrink_read(s, r);
        return true;
    }
    return false;
}

RFI_FN bool rfi_shrink_any_later(rfi_shrinking *s) {
    if (s->count > RFI_SHRINK_SKIPS) return false;
    for (uint32_t i = 0; i < s->count && s->preemptions && s->left; i++)
        if (rfi_shrink_later(s, i)) return true;
    return false;
}

/* Nothing can be taken away from what this leaves. */
RFI_FN void rfi_shrink_search(rfi_shrinking *s) {
    for (uint32_t size = (s->count + 1) / 2; size > 1; size = (size + 1) / 2)
        (void)rfi_shrink_pass(s, size);
    while (s->left &&
           (rfi_shrink_pass(s, 1) || rfi_shrink_any_earlier(s) || rfi_shrink_any_later(s)))
        continue;
    s->result->whole = s->left != 0;
}

/* ---- smaller values, fewer threads, fewer steps ---- */

/* The same with the schedule as it stands, if it is no worse; then that is it. */
RFI_FN bool rfi_shrink_takes(rfi_shrinking *s, bool shorter) {
    const rfi_record *r = rfi_shrink_fails(s, rfi_shrink_write(s, 0, 0));
    if (!r || r->preemptions > s->preemptions) return false;
    bool less = r->preemptions < s->preemptions;
    uint32_t threads = rfi_shrink_threads(r->turn, r->turns);
    if (shorter && !less && threads >= s->threads)
        if (threads > s->threads || r->steps >= s->length) return false;
    rfi_shrink_read(s, r);
    return true;
}

/* The smallest value of choice i, as far as a binary search finds it. */
RFI_FN void rfi_shrink_value(rfi_shrinking *s, uint32_t i) {
    uint32_t least = 0, value = s->met[i].next, before = s->chosen;
    uint32_t at = rfi_exception_find(s->choice, s->chosen, &s->met[i]);
    if (at == RFI_SHRINK_CHOICES || !value) return;
    s->choice[at] = s->met[i];
    s->chosen += at == s->chosen;
    for (uint32_t next = 0; least < value && s->left; next = least + (value - least) / 2) {
        s->choice[at].next = next;
        if (rfi_shrink_takes(s, false)) {
            value = next;
            before = s->chosen;
        } else {
            least = next + 1;
        }
    }
    s->choice[at].next = value;
    s->chosen = before;
}

/* Behind turn i - 1 another thread goes on than in turn i. */
RFI_FN bool rfi_shrink_skip(rfi_shrinking *s, uint32_t i, uint32_t next) {
    rfi_exception new = rfi_shrink_before(s, i, next);
    uint32_t count = s->count, at = rfi_exception_find(s->list, count, &new);
    rfi_exception before = s->list[at];
    s->list[at] = new;
    s->count += at == count;
    if (rfi_shrink_takes(s, true)) return true;
    s->list[at] = before;
    s->count = count;
    return false;
}

/* The same with one of those that have turns later. */
RFI_FN bool rfi_shrink_any_skip(rfi_shrinking *s, uint32_t i) {
    for (uint32_t k = i + 1; k < s->turns && s->left; k++) {
        uint32_t next = s->turn[k].thread, n = i + 1;
        while (s->turn[n].thread != next) n++;
        if (n < k || next == s->turn[i].thread || next == s->turn[i - 1].thread) continue;
        if (rfi_shrink_skip(s, i, next)) return true;
    }
    return false;
}

RFI_FN void rfi_shrink_rest(rfi_shrinking *s) {
    for (uint32_t i = 0; i < s->mets && s->left; i++) rfi_shrink_value(s, i);
    for (uint32_t i = 1; i < s->turns && s->left && s->count < RFI_SHRINK_SKIPS;)
        if (!rfi_shrink_any_skip(s, i)) i++;
}

/* Executions that return only newest values, if one of them still fails. */
RFI_FN void rfi_shrink_memory(rfi_shrinking *s) {
    rf_mem_model before = s->job.memory.atomics;
    if (s->job.phase == RFI_ADVERSARY || before == RF_MEM_SC) return;
    s->job.memory.atomics = RF_MEM_SC;
    const rfi_record *r = rfi_shrink_fails(s, rfi_shrink_write(s, 0, 0));
    s->result->newest = r != NULL;
    if (r)
        rfi_shrink_read(s, r);
    else
        s->job.memory.atomics = before;
}

/* ---- why each counts ---- */

/* The next read of a thread in a record, from event *from on; NULL: it has none. */
RFI_FN const rf_event *rfi_next_read(const rfi_record *r, uint32_t thread, uint64_t *from) {
    while (*from < r->events) {
        const rf_event *e = &r->event[(*from)++];
        if (e->thread == thread && e->flags & RF_EV_READS) return e;
    }
    return NULL;
}

/* The first read that yields another value where the exception is taken back. */
RFI_FN void rfi_need_compare(rfi_need *need, const rf_event *now, uint64_t events,
                             const rfi_record *then) {
    uint64_t next[RFI_RECORD_THREADS] = {0};
    for (uint64_t i = 0; i < events && !need->differs; i++) {
        uint32_t thread = now[i].thread;
        if (!(now[i].flags & RF_EV_READS) || thread >= RFI_RECORD_THREADS) continue;
        const rf_event *e = rfi_next_read(then, thread, &next[thread]);
        if (!e || e->site != now[i].site) continue;
        need->differs = e->value != now[i].value && e->size == now[i].size;
        need->now = now[i];
        need->then = *e;
    }
}

# define RFI_NEED_EVENTS 20000u /* in longer executions nobody looks for reasons */

/* A copy of what the record of number `i` tells, until the next one of that number. */
RFI_FN const rfi_record *rfi_need_keep(uint32_t i, const rfi_record *r) {
    static rfi_record *kept[RFI_NEEDS];
    if (!kept[i]) kept[i] = rfi_pages(sizeof *kept[i], false);
    rfi_record *to = kept[i];
    uint32_t threads = r->threads < RFI_RECORD_THREADS ? r->threads : RFI_RECORD_THREADS;
    uint32_t objects = r->objects < RFI_RECORD_OBJECTS ? r->objects : RFI_RECORD_OBJECTS;
    memcpy(to, r, offsetof(rfi_record, thread));
    memcpy(to->thread, r->thread, threads * sizeof *r->thread);
    memcpy(to->object, r->object, objects * sizeof *r->object);
    memcpy(to->text, r->text, r->text_used);
    to->tracing = r->tracing;
    to->events = r->events;
    for (uint64_t e = 0; e < r->events; e++) {
        rf_event *event = &to->event[e];
        *event = r->event[e];
        if (event->text >= r->text && event->text < r->text + r->text_used)
            event->text = to->text + (event->text - r->text);
        if (!event->origin) continue;
        to->origin[e] = *event->origin;
        event->origin = &to->origin[e];
    }
    return to;
}

/* Takes each of the last exceptions back, one at a time. */
RFI_FN void rfi_shrink_needs(rfi_shrinking *s, const rfi_record *r) {
    uint64_t events = r->events;
    if (!s->result->whole || s->preemptions > RFI_NEEDS || events > RFI_NEED_EVENTS) return;
    rf_event *now = RFI_REAL(malloc)((events + 1) * sizeof *now);
    if (!now) rfi_die("out of memory (steps)");
    memcpy(now, r->event, events * sizeof *now);
    for (uint32_t i = 0; i < s->count && s->result->needs < RFI_NEEDS; i++) {
        const rfi_exception *e = &s->list[i];
        rfi_need *need = &s->result->need[s->result->needs];
        const rfi_record *then = rfi_shrink_run(s, rfi_shrink_write(s, i, 1));
        uint64_t n = 0;
        if (!then || then->events > RFI_NEED_EVENTS || then->failure.diagnostic) continue;
        while (n < events && n < then->events && now[n].thread == then->event[n].thread) n++;
        if (n == events || n == then->events || then->event[n].thread != e->thread) continue;
        *need = (rfi_need){.from = e->thread, .to = now[n].thread, .site = then->event[n].site};
        rfi_need_compare(need, now, events, then);
        need->record = rfi_need_keep(s->result->needs, then);
        s->result->needs++;
    }
    RFI_REAL(free)(now);
}

/* ---- the whole ---- */

# define RFI_SHRINK_STEPS 20000u /* of longer executions each would take too long */

/* Is it worth trying? */
RFI_FN bool rfi_shrinkable(const rfi_record *r, uint32_t most) {
    rf_diagnostic d = r->failure.diagnostic;
    return most && d != RF_DIAG_NONE && r->steps <= RFI_SHRINK_STEPS && !r->turns_more &&
           d != RF_DIAG_RUNAWAY && d != RF_DIAG_BLOCKED;
}

/* Is it better told than the one that was found?  Phase 2 shows what it has produced, phase 3 what
 * memory has returned: both stand closer together as they were found, so there must be a gain. */
RFI_FN bool rfi_shrink_gains(const rfi_shrinking *s, const rfi_record *r) {
    bool less = r->preemptions < s->result->before, same = r->preemptions == s->result->before;
    if (s->result->newest || s->scene.calls < s->result->calls_before ||
        s->scene.threads < s->result->callers_before)
        return true;
    less |= same && (s->chosen || s->threads < s->threads_found);
    if (s->job.phase == RFI_PREDICT)
        return less || (same && (r->switches < s->switches || r->steps < s->steps));
    return less && (s->job.phase == RFI_CONFIRM || r->steps <= s->steps);
}

/* What is told of the schedule that is left; its record, or NULL. */
RFI_FN const rfi_record *rfi_shrink_end(rfi_shrinking *s, uint64_t analyses) {
    s->until = s->team->end;
    s->left += RFI_SHRINK_SKIPS + 2;
    const rfi_record *r = rfi_shrink_fails(s, rfi_shrink_write(s, 0, 0));
    bool gains = r && rfi_shrink_gains(s, r), same = r && !s->changed;
    uint64_t preemptions = r ? r->preemptions : 0;
    if (gains || same) rfi_shrink_needs(s, r);
    s->job.analyses = analyses;
    s->job.chains = true;
    r = gains ? rfi_shrink_fails(s, rfi_shrink_write(s, 0, 0)) : NULL;
    if (r) {
        s->result->preemptions = preemptions;
        s->result->calls = s->scene.calls;
        s->result->callers = s->scene.threads;
    } else if (!same) /* what was found out is another schedule's */
        s->result->needs = 0, s->result->whole &= preemptions == s->result->before;
    return r;
}

/* Shrinks the schedule of a failure that was replayed (`r`), in what --shrink allows, and half of
 * the time that is left.  *job, *index and the record that it returns are then of the schedule to
 * be told; NULL: of the old one, which is as good.  The record of `r` is overwritten. */
RFI_FN const rfi_record *rfi_shrink(rfi_team *team, rfi_job *job, uint64_t *index,
                                    const rfi_record *r, const rfi_settings *settings,
                                    rfi_tally *drawn, rfi_shrunk *result) {
    static uint8_t *bytes; /* of the schedule: *job points to them */
    uint32_t room = RF_USED_BYTES / 3 + 16;
    int64_t now = rfi_milliseconds(), until = settings->shrink_ms ? now + settings->shrink_ms : 0;
    if (team->end && (!until || until > now + (team->end - now) / 2))
        until = now + (team->end - now) / 2;
    rfi_shrinking s = {.team = team,
                       .job = *job,
                       .drawn = drawn,
                       .drawn_left = (uint64_t)settings->shrink * RFI_SHRINK_DRAWN,
                       .index = *index,
                       .left = settings->shrink,
                       .until = until,
                       .switches = r->switches,
                       .steps = r->steps,
                       .key = rfi_failure_key(&r->failure),
                       .result = result};
    bool stale = r->atomic_stale != 0;
    *result = (rfi_shrunk){.preemptions = r->preemptions, .before = r->preemptions};
    if (rfi_job_strategy(job)->threads) return NULL;
    if (!bytes)
        bytes =
            RFI_REAL(malloc)(RFI_SHRINK_HEAD + 10 * RFI_TURNS + 15 * (room + RFI_SHRINK_CHOICES));
    s.list = RFI_REAL(calloc)(room, sizeof *s.list);
    s.turn = RFI_REAL(calloc)(RFI_TURNS, sizeof *s.turn);
    if (!bytes || !s.list || !s.turn) rfi_die("out of memory (a schedule)");
    s.bytes = bytes;
    s.job.strategy = &rfi_schedule_strategy;
    s.job.parameter = 0;
    s.job.serials = false;
    s.job.analyses = 0;
    s.job.chains = false;
    bool repeats = rfi_shrink_begin(&s, r);
    result->over = !s.left;
    r = NULL;
    if (repeats) {
        if (stale) rfi_shrink_memory(&s);
        rfi_shrink_scene(&s);
        memset(s.otherwise, 0, sizeof s.otherwise); /* of another scenario */
        rfi_shrink_search(&s);
        rfi_walk(&s);
        rfi_shrink_search(&s);
        rfi_shrink_rest(&s);
        r = rfi_shrink_end(&s, job->analyses);
    }
    if (r) {
        *job = s.job;
        *index = s.index;
    }
    for (uint64_t k = 0; k < result->preemptions && k < RFI_SHRINK_LEVELS; k++)
        result->tried += s.otherwise[k];
    rfi_map_free(&s.seen);
    RFI_REAL(free)(s.list);
    RFI_REAL(free)(s.turn);
    return r;
}
#endif
#endif
