/* campaign/schedule.h: a schedule that is tried in place of one that was found (shrink.h): how it
 * is written (explore/schedule.h), and what has come of it.
 *
 * Schedules that do not fail so are counted, each once, by their preemptions: that is what is said
 * in the end of those with fewer.
 */
#ifndef RFI_CAMPAIGN_SCHEDULE_H
#define RFI_CAMPAIGN_SCHEDULE_H
#include "campaign/groups.h"
#include "campaign/scene.h"

#ifdef RFI_IMPL
typedef struct rfi_exception {
    uint32_t thread, steps, next;
} rfi_exception;

# define RFI_SHRINK_SKIPS   32u /* exceptions; where there are more, no turns are left out */
# define RFI_SHRINK_PLACES  4u  /* where a switch is tried later */
# define RFI_SHRINK_CHOICES 64u /* of more choices in an execution the first are made smaller */
# define RFI_SHRINK_LEVELS  64u /* preemptions of executions that are counted, at most */

typedef struct rfi_shrinking {
    rfi_team *team;
    rfi_job job;
    rfi_tally *drawn;    /* of executions whose schedules are drawn; */
    uint64_t drawn_left; /* so many more of them */
    rfi_scene scene;     /* no calls: there is none */
    uint64_t index;
    uint32_t left;            /* executions that may be tried, */
    int64_t until;            /* and until when; 0: there is no cap */
    uint64_t switches, steps; /* of the execution that was found */
    uint64_t key;             /* of the failure */
    rfi_exception *list;      /* the schedule, */
    uint32_t count;
    /* with these values (next) of RF_CHOOSE, as threads come to their choices (steps) */
    rfi_exception choice[RFI_SHRINK_CHOICES];
    uint32_t chosen;
    bool changed;   /* it is another one than that which was found, */
    rfi_turn *turn; /* and what has come of it: */
    uint32_t turns;
    uint32_t threads, threads_found;       /* that made steps, now and when it was found, */
    rfi_exception met[RFI_SHRINK_CHOICES]; /* and its choices */
    uint32_t mets;
    uint64_t preemptions, length;
    rfi_map seen;                          /* executions that did not fail so, by their events, */
    uint32_t otherwise[RFI_SHRINK_LEVELS]; /* how many with so many preemptions */
    uint8_t *bytes;
    rfi_shrunk *result;
} rfi_shrinking;

/* Runs a schedule; its record, or NULL if there is no time for it. */
RFI_FN const rfi_record *rfi_shrink_run(rfi_shrinking *s, uint32_t bytes) {
    bool late = s->until && rfi_milliseconds() >= s->until;
    if (late || rfi_interrupted) s->left = 0;
    if (!s->left) return NULL;
    s->left--;
    s->result->spent++;
    s->job.used = s->bytes;
    s->job.used_bytes = bytes;
    return rfi_team_replay(s->team, &s->job, s->index);
}

/* Counts a schedule that does not fail so, once. */
RFI_FN void rfi_shrink_otherwise(rfi_shrinking *s, const rfi_record *r) {
    if (r->cut || r->preemptions >= RFI_SHRINK_LEVELS) return;
    uint64_t *seen = rfi_map_at(&s->seen, r->course);
    if (!*seen) s->otherwise[r->preemptions]++;
    *seen = 1;
}

/* The same, if it fails in the same way; else NULL. */
RFI_FN const rfi_record *rfi_shrink_fails(rfi_shrinking *s, uint32_t bytes) {
    const rfi_record *r = rfi_shrink_run(s, bytes);
    if (!r) return NULL;
    bool same = r->failure.diagnostic && rfi_failure_key(&r->failure) == s->key;
    if (!same) rfi_shrink_otherwise(s, r);
    return same && !r->cut && !r->used_more ? r : NULL;
}

RFI_FN void rfi_exception_write(rfi_bytes *b, const rfi_exception *e) {
    rfi_bytes_put_number(b, e->thread);
    rfi_bytes_put_number(b, e->steps);
    rfi_bytes_put_number(b, e->next);
}

RFI_FN rfi_exception rfi_exception_read(rfi_bytes *b) {
    rfi_exception e = {rfi_bytes_number(b), 0, 0};
    e.steps = rfi_bytes_number(b);
    e.next = rfi_bytes_number(b);
    return e;
}

# define RFI_SHRINK_HEAD \
  (16 + RFI_SCENARIO_BYTES) /* bytes before those of choices and exceptions */

/* Begins to write a schedule, with its scenario. */
RFI_FN rfi_bytes rfi_shrink_open(rfi_shrinking *s, rfi_schedule_form form, uint32_t room) {
    uint8_t scenario[RFI_SCENARIO_BYTES];
    uint32_t n = s->scene.calls ? rfi_scene_write(&s->scene, scenario, sizeof scenario) : 0;
    rfi_bytes b = {s->bytes, 0, RFI_SHRINK_HEAD + room, false};
    if (n) {
        rfi_bytes_put(&b, RFI_SCHEDULE_SCENARIO);
        rfi_bytes_put_number(&b, n);
        for (uint32_t i = 0; i < n; i++) rfi_bytes_put(&b, scenario[i]);
    }
    rfi_bytes_put(&b, form);
    return b;
}

/* What an execution has used, behind its scenario; the form that it has. */
RFI_FN rfi_schedule_form rfi_shrink_used(const rfi_record *r, rfi_bytes *b) {
    *b = rfi_bytes_of(r->used, r->used_bytes);
    uint32_t form = rfi_bytes_get(b);
    if (form != RFI_SCHEDULE_SCENARIO) return (rfi_schedule_form)form;
    uint32_t n = rfi_bytes_number(b);
    b->at += n;
    return (rfi_schedule_form)rfi_bytes_get(b);
}

/* Writes the schedule without the exceptions from..from+n-1; how many bytes. */
RFI_FN uint32_t rfi_shrink_write(rfi_shrinking *s, uint32_t from, uint32_t n) {
    rfi_bytes b = rfi_shrink_open(s, s->chosen ? RFI_SCHEDULE_CHOICES : RFI_SCHEDULE_EXCEPTIONS,
                                  15 * (s->chosen + s->count));
    if (s->chosen) rfi_bytes_put_number(&b, s->chosen);
    for (uint32_t i = 0; i < s->chosen; i++) rfi_exception_write(&b, &s->choice[i]);
    for (uint32_t i = 0; i < s->count; i++)
        if (i < from || i >= from + n) rfi_exception_write(&b, &s->list[i]);
    return b.at;
}

/* How many exceptions an execution has made. */
RFI_FN uint32_t rfi_shrink_count(const rfi_record *r) {
    uint32_t numbers = 0, chosen = 0;
    rfi_bytes b;
    if (rfi_shrink_used(r, &b) == RFI_SCHEDULE_CHOICES) chosen = rfi_bytes_number(&b);
    for (; b.at < b.room; b.at++) numbers += b.byte[b.at] < 128;
    return numbers / 3 - chosen;
}

/* How many threads have made steps in it. */
RFI_FN uint32_t rfi_shrink_threads(const rfi_turn *turn, uint32_t turns) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < turns; i++) {
        uint32_t k = 0;
        while (turn[k].thread != turn[i].thread) k++;
        n += k == i;
    }
    return n;
}

/* The values that it has chosen. */
RFI_FN void rfi_shrink_choices(rfi_shrinking *s, const rfi_record *r) {
    s->mets = 0;
    for (uint64_t i = 0; r->events <= RFI_RECORD_EVENTS && i < r->events; i++) {
        const rf_event *e = &r->event[i];
        rfi_exception c = {e->thread, 0, (uint32_t)e->value};
        if (e->kind != RF_EV_CHOOSE || s->mets == RFI_SHRINK_CHOICES) continue;
        for (uint32_t k = 0; k < s->mets; k++) c.steps += s->met[k].thread == c.thread;
        s->met[s->mets++] = c;
    }
}

/* The entry of a list for this moment of a thread; n: there is none. */
RFI_FN uint32_t rfi_exception_find(const rfi_exception *list, uint32_t n, const rfi_exception *e) {
    uint32_t i = 0;
    while (i < n && (list[i].thread != e->thread || list[i].steps != e->steps)) i++;
    return i;
}

/* Takes it over. */
RFI_FN void rfi_shrink_read(rfi_shrinking *s, const rfi_record *r) {
    rfi_bytes b;
    s->chosen = rfi_shrink_used(r, &b) == RFI_SCHEDULE_CHOICES ? rfi_bytes_number(&b) : 0;
    for (uint32_t i = 0; i < s->chosen; i++) s->choice[i] = rfi_exception_read(&b);
    for (s->count = 0; b.at < b.room; s->count++) s->list[s->count] = rfi_exception_read(&b);
    rfi_shrink_choices(s, r);
    s->changed = true;
    s->turns = r->turns;
    s->threads = rfi_shrink_threads(r->turn, r->turns);
    s->preemptions = r->preemptions;
    s->length = r->steps;
    memcpy(s->turn, r->turn, r->turns * sizeof *s->turn);
}

/* Runs a schedule of turns; its record, if it fails in the same way. */
RFI_FN const rfi_record *rfi_shrink_turns(rfi_shrinking *s, const rfi_turn *turn, uint32_t n) {
    rfi_bytes b = rfi_shrink_open(s, RFI_SCHEDULE_TURNS, 10 * n);
    for (uint32_t i = 0; i < n; i++) {
        rfi_bytes_put_number(&b, turn[i].thread);
        rfi_bytes_put_number(&b, turn[i].steps);
    }
    return rfi_shrink_fails(s, b.at);
}
#endif
#endif
