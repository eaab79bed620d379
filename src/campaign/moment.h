/* campaign/moment.h: the two accesses of a race in a record, and what could have ordered them.
 *
 * That is the message which told the second thread that the first access had happened: an atomic
 * store, after the access, by its thread or by one for which it is in the past, that the second
 * thread has read.
 */
#ifndef RFI_CAMPAIGN_MOMENT_H
#define RFI_CAMPAIGN_MOMENT_H
#include "campaign/result.h"
#include "mem/threads.h"

#ifdef RFI_IMPL
# define RFI_NEVER UINT64_MAX

/* ---- the two accesses of a race ---- */

typedef struct rfi_race_lines {
    const rf_event *e[2]; /* NULL: not found */
    uint64_t number[2];   /* of the event in the record; RFI_NEVER: not executed, or not kept */
    uint64_t at;          /* the event before which both stood; RFI_NEVER: not known */
} rfi_race_lines;

RFI_FN uint64_t rfi_first_kept(const rfi_record *r) {
    if (!r->tracing) return r->events;
    return r->events > RFI_RECORD_EVENTS ? r->events - RFI_RECORD_EVENTS : 0;
}

RFI_INLINE const rf_event *rfi_event_at(const rfi_record *r, uint64_t number) {
    return &r->event[number % RFI_RECORD_EVENTS];
}

RFI_FN bool rfi_same_statement(const rf_site *a, const rf_site *b) {
    return a == b || (a && b && a->line == b->line && rfi_site_key(a) == rfi_site_key(b));
}

/* Where the accesses of a hit were executed: each is the next event of its thread. */
RFI_FN rfi_race_lines rfi_race_of_hit(const rfi_record *r, const rfi_hit *hit, bool swapped) {
    rfi_race_lines race = {{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, hit->at};
    for (unsigned k = 0; k < hit->events; k++) {
        race.e[k] = &hit->e[k ^ swapped];
        if (hit->at < rfi_first_kept(r)) continue;
        uint64_t i = hit->at;
        while (i < r->events && rfi_event_at(r, i)->thread != race.e[k]->thread) i++;
        if (i == r->events || !rfi_same_statement(rfi_event_at(r, i)->site, race.e[k]->site))
            continue;
        race.e[k] = rfi_event_at(r, i);
        race.number[k] = i;
    }
    return race;
}

/* 1: the sites of the hit are those of the pair; 2: the other way round; 0: not its sites. */
RFI_FN unsigned rfi_hit_matches(const rfi_hit *h, const rfi_warning *pair) {
    if (!pair || pair->family != RF_FAMILY_RACE) return 1;
    for (unsigned swapped = 0; swapped < 2; swapped++)
        if (rfi_same_statement(h->e[swapped].site, pair->side[0].site) &&
            rfi_same_statement(h->e[1 - swapped].site, pair->side[1].site))
            return 1 + swapped;
    return 0;
}

/* Without a hit (a race that a detector saw): the conflicting accesses that stand closest. */
RFI_FN rfi_race_lines rfi_race_nearest(const rfi_record *r, const rfi_warning *pair) {
    rfi_race_lines race = {{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, RFI_NEVER};
    uint64_t last[2] = {RFI_NEVER, RFI_NEVER}, nearest = RFI_NEVER;
    for (uint64_t i = rfi_first_kept(r); i < r->events; i++) {
        const rf_event *e = rfi_event_at(r, i);
        bool at_side[2];
        for (unsigned k = 0; k < 2; k++) {
            at_side[k] = rfi_same_statement(e->site, pair->side[k].site);
            if (!at_side[k] || last[1 - k] == RFI_NEVER || i - last[1 - k] >= nearest) continue;
            const rf_event *other = rfi_event_at(r, last[1 - k]);
            if (other->thread == e->thread || !rfi_event_conflict(e, other)) continue;
            nearest = i - last[1 - k];
            race.e[k] = e, race.e[1 - k] = other;
            race.number[k] = i, race.number[1 - k] = last[1 - k];
        }
        for (unsigned k = 0; k < 2; k++)
            if (at_side[k]) last[k] = i;
    }
    return race;
}

/* The race of `pair` in an execution, e[k] at the pair's side[k]; any race if `pair` is NULL. */
RFI_FN rfi_race_lines rfi_race_find(const rfi_record *r, const rfi_warning *pair) {
    uint32_t hits = r->hit_count < RFI_HITS ? r->hit_count : RFI_HITS;
    for (uint32_t i = 0; i < hits; i++) {
        unsigned match = rfi_hit_matches(&r->hit[i], pair);
        if (match) return rfi_race_of_hit(r, &r->hit[i], match == 2);
    }
    if (pair && pair->family == RF_FAMILY_RACE) return rfi_race_nearest(r, pair);
    return (rfi_race_lines){{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, RFI_NEVER};
}

/* ---- the message between them ---- */

RFI_INLINE bool rfi_is_strange(const rf_event *e) { return e->flags & (RF_EV_STALE | RF_EV_TORN); }

/* A message between two threads: an atomic store and the load that read it. */
typedef struct rfi_handover {
    const rf_event *sent, *read; /* NULL: there is none */
} rfi_handover;

RFI_FN uint64_t rfi_written(const rf_event *e) {
    return e->flags & RF_EV_READS ? e->value2 : e->value;
}

/* The threads that have the write in their past, from which event on; at most so many events are
 * searched for how they came to know. */
enum { RFI_INFORMED = 64, RFI_SEARCHED = 4096 };

typedef struct rfi_informed {
    uint64_t since[RFI_INFORMED];
} rfi_informed;

RFI_FN bool rfi_is_informed(const rfi_informed *n, uint32_t thread, uint64_t at) {
    return thread < RFI_INFORMED && n->since[thread] <= at;
}

/* The last atomic store between events `from` and `to` that `load` may have read, if it is by an
 * informed thread. */
RFI_FN const rf_event *rfi_handover_sent(const rfi_record *r, uint64_t from, uint64_t to,
                                         const rfi_informed *n, const rf_event *load) {
    for (uint64_t i = to; i > from; i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        if (e->addr != load->addr || !(e->flags & RF_EV_WRITES)) continue;
        bool theirs = e->thread != load->thread && e->flags & RF_EV_ATOMIC &&
                      rfi_is_informed(n, e->thread, i - 1);
        if (theirs && rfi_written(e) == load->value) return e;
    }
    return NULL;
}

RFI_FN bool rfi_is_atomic_load(const rf_event *e) {
    return e->flags & RF_EV_READS && e->flags & RF_EV_ATOMIC && !rfi_is_strange(e);
}

/* Does event `i` order the write before what its thread does next? */
RFI_FN bool rfi_informs(const rfi_record *r, uint64_t write, uint64_t i, const rfi_informed *n) {
    const rf_event *e = rfi_event_at(r, i);
    if (e->kind == RF_EV_JOIN) return rfi_is_informed(n, e->other, i);
    if (!rfi_is_atomic_load(e) || !rfi_acquires(e->order)) return false;
    const rf_event *sent = rfi_handover_sent(r, write, i, n, e);
    return sent && rfi_releases(sent->order);
}

RFI_FN void rfi_inform(const rfi_record *r, uint64_t write, uint64_t at, rfi_informed *n) {
    memset(n, 0xff, sizeof *n);
    uint32_t writer = rfi_event_at(r, write)->thread;
    if (writer < RFI_INFORMED) n->since[writer] = write;
    for (uint64_t i = write + 1; i < at && i - write < RFI_SEARCHED; i++) {
        const rf_event *e = rfi_event_at(r, i);
        if (e->kind == RF_EV_CREATE && e->other < RFI_INFORMED && rfi_is_informed(n, e->thread, i))
            n->since[e->other] = i;
        else if (e->thread < RFI_INFORMED && n->since[e->thread] > i && rfi_informs(r, write, i, n))
            n->since[e->thread] = i;
    }
}

/* What told the thread of read `at` that write `write` had happened. */
RFI_FN rfi_handover rfi_handover_find(const rfi_record *r, uint64_t write, uint64_t at) {
    const rf_event *reader = rfi_event_at(r, at);
    rfi_informed informed;
    rfi_inform(r, write, at, &informed);
    for (uint64_t i = at; i > write + 1; i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        if (e->thread != reader->thread || !rfi_is_atomic_load(e)) continue;
        const rf_event *sent = rfi_handover_sent(r, write, i - 1, &informed, e);
        if (sent) return (rfi_handover){sent, e};
    }
    return (rfi_handover){NULL, NULL};
}
#endif
#endif
