/* campaign/tally.h: adding up executions.
 *
 * A tally is filled by a worker and merged by the supervisor.  Adding is commutative and
 * associative: sums, and for examples the one with the smallest (steps, index).
 * Optimised: less, each execution runs it.
 */
#ifndef RFI_CAMPAIGN_TALLY_H
#define RFI_CAMPAIGN_TALLY_H
#include "campaign/job.h"
#include "campaign/orders.h"

#ifdef RFI_IMPL
typedef struct rfi_tally {
    uint64_t executions, steps, skipped;
    uint64_t switches, preemptions;
    uint64_t hits;  /* of a phase 2 job */
    uint64_t woken; /* kinds of events that woke an analysis */
    uint64_t kinds; /* of all that was announced (rfi_record) */
    rfi_left_out left_out;
    bool hooked, plain;
    uint32_t threads;                   /* at most, of one execution */
    uint64_t atomic, racy, exposed;     /* with atomic loads, intended races, older plain values */
    uint64_t failed, failed_by_kind[6]; /* blamed on a hit or an older value */
    uint64_t hit_steps;                 /* shortest execution with a hit */
    uint64_t hit_index;
    uint64_t first_failed; /* the first execution that failed; UINT64_MAX: none has */
    uint32_t failures, warnings;
    uint64_t failures_left_out, warnings_left_out;
    rfi_own_steps own;
    bool waits;                 /* rfi_record */
    uint64_t given_up;          /* executions */
    const rf_site *unannounced; /* the first in the order of sites (rfi_record) */
    char skip_reason[128];
    uint64_t shared[RFI_POINT_WORDS]; /* statements that touch shared data (sharing.h) */
    rfi_cuts cut, unfinished;         /* without time; at the step limit, but making progress */
    volatile bool writing;            /* somebody is adding to it */
    bool example;                     /* the running execution has become an example of something */
    rfi_failure_kind failure[RFI_MAX_FAILURES];
    rfi_warning warning[RFI_MAX_WARNINGS];
    rfi_orders orders;
    rfi_orders scenes; /* scenarios of calls (scenes.h), of one search: */
    uint64_t search;   /* the last one (rfi_record) */
    rfi_coverage coverage;
    rfi_lessons used; /* what examples used of what their strategy had learned */
} rfi_tally;

RFI_FN void rfi_tally_reset(rfi_tally *t) {
    t->executions = t->steps = t->skipped = t->hits = t->failed = t->hit_steps = 0;
    t->atomic = t->racy = t->exposed = t->woken = t->kinds = 0;
    t->left_out = (rfi_left_out){0};
    t->hooked = t->plain = false;
    t->threads = 0;
    memset(t->failed_by_kind, 0, sizeof t->failed_by_kind);
    t->failures = t->warnings = 0;
    t->hit_index = 0;
    t->failures_left_out = t->warnings_left_out = 0;
    t->first_failed = UINT64_MAX;
    t->unannounced = NULL;
    t->own = (rfi_own_steps){0};
    t->waits = false;
    t->given_up = 0;
    memset(t->shared, 0, sizeof t->shared);
    t->example = t->writing = false;
    t->cut = t->unfinished = (rfi_cuts){0};
    t->switches = t->preemptions = 0;
    rfi_orders_reset(&t->orders);
    rfi_orders_reset(&t->scenes);
    t->search = 0;
    rfi_coverage_reset(&t->coverage);
    t->used.used = 0;
}

RFI_FN void rfi_first_site(const rf_site **first, const rf_site *s) {
    if (s && (!*first || rfi_site_before(s, *first))) *first = s;
}

/* ---- failures ---- */

/* Same diagnostic at the same place.  A crash has no site of its own: the message says where. */
RFI_FN uint64_t rfi_failure_key(const rfi_failure *f) {
    uint64_t h = rfi_mix(f->diagnostic) + rfi_site_key(f->site);
    if (f->null_at) /* the same by an access that is watched and by one that is not */
        h = rfi_mix(f->diagnostic) + f->null_at;
    else if (rfi_diagnostic(f->diagnostic)->kind == RF_EXPECT_CRASH)
        h = rfi_mix(f->diagnostic) + rfi_hash_text(f->message);
    return rfi_mix(h);
}

RFI_FN bool rfi_shorter(uint64_t steps_a, uint64_t a, uint64_t steps_b, uint64_t b) {
    return steps_a != steps_b ? steps_a < steps_b : a < b;
}

/* The better example: older values distract where the failure comes without them. */
RFI_FN bool rfi_simpler(const rfi_failure_kind *a, const rfi_failure_kind *b) {
    if (a->again != b->again) return b->again;
    if (a->early != b->early) return b->early;
    if (a->unwoken != b->unwoken) return b->unwoken;
    if (a->stale != b->stale) return b->stale;
    return rfi_shorter(a->steps, a->index, b->steps, b->index);
}

/* Adds the figures of `k` to `to`; `better`: its example takes the place of the other. */
RFI_FN void rfi_failure_merge(rfi_failure_kind *to, const rfi_failure_kind *k, bool better) {
    rfi_failure_kind sum = better ? *k : *to;
    sum.count = to->count + k->count;
    sum.blamed = to->blamed + k->blamed;
    sum.after = to->after | k->after;
    sum.fewest = to->fewest < k->fewest ? to->fewest : k->fewest;
    sum.stale_steps = to->stale_steps - 1 < k->stale_steps - 1 ? to->stale_steps : k->stale_steps;
    *to = sum;
}

/* True: it is the example of its kind now. */
RFI_FN bool rfi_tally_failure(rfi_tally *t, const rfi_failure_kind *k) {
    uint32_t i = 0;
    while (i < t->failures && t->failure[i].key != k->key) i++;
    if (i == RFI_MAX_FAILURES) {
        t->failures_left_out += k->count;
        return false;
    }
    if (i == t->failures) {
        t->failure[t->failures++] = *k;
        return true;
    }
    const rfi_failure_kind *old = &t->failure[i];
    /* an example with somebody to blame tells more */
    bool better =
        k->shortest_blamed != old->shortest_blamed ? k->shortest_blamed : rfi_simpler(k, old);
    rfi_failure_merge(&t->failure[i], k, better);
    return better;
}

/* ---- pairs ---- */

/* Of a race: the unordered pair of its statements. */
RFI_FN uint64_t rfi_pair_key(uint64_t a, uint64_t b) {
    return rfi_mix(rfi_mix(a < b ? a : b) + (a < b ? b : a));
}

RFI_FN uint64_t rfi_warning_key(rf_family family, const uint64_t *target, uint32_t targets) {
    if (family == RF_FAMILY_RACE && targets == 2) return rfi_pair_key(target[0], target[1]);
    uint64_t h = rfi_mix(family + RFI_GOLDEN);
    for (uint32_t i = 0; i < targets; i++) h = rfi_mix(h + target[i]);
    return h;
}

/* Where the warning with this key is; behind all, if nowhere. */
RFI_FN uint32_t rfi_tally_find(const rfi_tally *t, uint64_t key) {
    uint32_t i = 0;
    while (i < t->warnings && t->warning[i].key != key) i++;
    return i;
}

/* The warning with this key, new or old; NULL when there is no room. */
RFI_FN rfi_warning *rfi_tally_warning(rfi_tally *t, uint64_t key, bool *fresh) {
    uint32_t i = rfi_tally_find(t, key);
    *fresh = i == t->warnings;
    if (!*fresh) return &t->warning[i];
    if (i == RFI_MAX_WARNINGS) {
        t->warnings_left_out++;
        return NULL;
    }
    t->warnings++;
    return &t->warning[i];
}

/* Takes over a target that only helps; they ascend, and the lowest are kept. */
RFI_FN void rfi_warning_helper(rfi_warning *p, uint64_t target) {
    unsigned i = p->telling, most = 2u * p->telling + 2;
    if (most > RF_TARGETS) most = RF_TARGETS;
    while (i < p->targets && p->target[i] < target) i++;
    if (i >= most || (i < p->targets && p->target[i] == target)) return;
    if (p->targets < most) p->targets++;
    for (unsigned k = p->targets - 1u; k > i; k--) p->target[k] = p->target[k - 1];
    p->target[i] = target;
}

RFI_INLINE bool rfi_moment_before(const rfi_found_at *a, const rfi_found_at *b) {
    return a->run != b->run ? a->run < b->run : a->index < b->index;
}

/* Whose places are told: of the first execution in which it happened, else was predicted; of a race
 * always the latter. */
RFI_FN bool rfi_warning_earlier(const rfi_warning *a, const rfi_warning *b) {
    if (a->family == RF_FAMILY_RACE || (!a->seen && !b->seen))
        return rfi_moment_before(&a->predicted_at, &b->predicted_at);
    return a->seen && (!b->seen || rfi_moment_before(&a->seen_at, &b->seen_at));
}

/* Takes over what phases 2 and 3 have made of a warning, which no batch of executions knows. */
RFI_FN void rfi_warning_tried(rfi_warning *to, const rfi_warning *from) {
    to->variable = from->variable;
    to->executions = from->executions;
    to->hits = from->hits;
    to->failed = from->failed;
    memcpy(to->failed_by_kind, from->failed_by_kind, sizeof to->failed_by_kind);
    memcpy(to->trial, from->trial, sizeof to->trial);
}

RFI_FN void rfi_tally_merge_warning(rfi_tally *t, const rfi_warning *from) {
    bool fresh;
    rfi_warning *p = rfi_tally_warning(t, from->key, &fresh);
    if (!p) return;
    if (fresh) {
        *p = *from;
        return;
    }
    rfi_warning sum = rfi_warning_earlier(from, p) ? *from : *p;
    rfi_warning_tried(&sum, p);
    for (unsigned i = p->telling; i < p->targets; i++) rfi_warning_helper(&sum, p->target[i]);
    for (unsigned i = p->telling; i < from->targets; i++) rfi_warning_helper(&sum, from->target[i]);
    sum.by = p->by | from->by;
    sum.predicted = p->predicted + from->predicted;
    sum.predicted_at = rfi_moment_before(&from->predicted_at, &p->predicted_at) ? from->predicted_at
                                                                                : p->predicted_at;
    sum.seen = p->seen + from->seen;
    bool earlier = from->seen && (!p->seen || rfi_moment_before(&from->seen_at, &p->seen_at));
    sum.seen_at = earlier ? from->seen_at : p->seen_at;
    *p = sum;
}

/* ---- the sink of the analyses ---- */

RFI_VAR rfi_tally *rfi_sink_tally;
RFI_VAR rfi_map rfi_sink_places; /* address -> key of the first race seen there */
RFI_VAR uint32_t rfi_sink_generation;

# define RFI_SHARED " (shared)" /* as interleavings say it */

/* "a, b (file.c:12)", "a (shared)" */
RFI_FN void rfi_lock_names(const rf_lock *lock, uint32_t n, char *out, size_t bytes) {
    rfi_text t = {out, out + bytes};
    out[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        char name[RFI_NAME_BYTES + 16];
        rfi_append(&t, "%s%s", i ? ", " : "", rfi_object_label(lock[i].object, name, sizeof name));
        if (lock[i].site)
            rfi_append(&t, " (%s)", RFI_AT(lock[i].site));
        else if (lock[i].shared)
            rfi_append(&t, RFI_SHARED);
    }
}

RFI_FN void rfi_side_set(rfi_side *s, const rf_place *p) {
    s->site = p->site;
    s->role = p->role;
    s->flags = p->flags;
    s->thread = p->thread;
    s->size = p->size;
    s->object[0] = 0;
    if (p->object) rfi_object_label(p->object, s->object, sizeof s->object);
    if (rfi_ends_frame(p->flags))
        snprintf(s->object, sizeof s->object, "variables of %.*s()", RFI_NAME_BYTES - 4,
                 rfi_site_where(p->site).function);
    rfi_lock_names(p->lock, p->locks, s->locks, sizeof s->locks);
}

/* Takes over what a warning says.  A race has its sides in the order of sites. */
RFI_FN void rfi_warning_told(rfi_warning *p, const rf_warning *w) {
    bool race = w->family == RF_FAMILY_RACE;
    unsigned swap = race && rfi_site_before(w->place[1].site, w->place[0].site);
    p->sides = (uint8_t)(w->places < RF_PLACES ? w->places : RF_PLACES);
    for (unsigned i = 0; i < p->sides; i++) rfi_side_set(&p->side[i], &w->place[i ^ swap]);
    snprintf(p->text, sizeof p->text, "%s", w->text ? w->text : "");
}

/* Takes over a warning that is new.  Its targets are given, or are the statements of its places. */
RFI_FN void rfi_warning_first(rfi_warning *p, const rf_warning *w) {
    p->family = (uint8_t)w->family;
    rfi_warning_told(p, w);
    uint32_t targets = w->targets < RF_TARGETS ? w->targets : RF_TARGETS;
    p->telling = p->targets = (uint8_t)(w->telling && w->telling < targets ? w->telling : targets);
    memcpy(p->target, w->target, p->targets * sizeof *p->target);
    if (!w->targets) p->telling = p->targets = p->sides;
    for (unsigned i = 0; !w->targets && i < p->sides; i++)
        p->target[i] = rfi_site_known_key(p->side[i].site);
    for (unsigned i = 0; i < p->telling; i++) p->told[i] = rfi_site_of_key(p->target[i]);
    if (w->family == RF_FAMILY_OTHER && w->by) snprintf(p->label, sizeof p->label, "%.31s", w->by);
}

/* Of the warning as reported.  What two analyses of nobody's family say about one place differs. */
RFI_FN uint64_t rfi_sink_key(const rf_warning *w) {
    uint64_t target[RF_PLACES], key;
    uint32_t telling = w->telling && w->telling < w->targets ? w->telling : w->targets;
    for (uint32_t i = 0; i < w->places; i++) target[i] = rfi_site_known_key(w->place[i].site);
    if (w->targets)
        key = rfi_warning_key(w->family, w->target, telling);
    else
        key = rfi_warning_key(w->family, target, w->places);
    return w->family == RF_FAMILY_OTHER && w->by ? rfi_mix(key + rfi_hash_text(w->by)) : key;
}

/* Races at one address belong together: the key of the first of them. */
RFI_FN uint64_t rfi_sink_beside(const rf_warning *w, uint64_t key) {
    if (!w->addr || w->family != RF_FAMILY_RACE) return key;
    if (rfi_sink_generation != rfi.generation) {
        rfi_sink_generation = rfi.generation;
        rfi_map_reset(&rfi_sink_places);
    }
    uint64_t *place = rfi_map_at(&rfi_sink_places, (uint64_t)(uintptr_t)w->addr);
    if (!*place) *place = key;
    return *place;
}

RFI_FN void rfi_sink_warning(const rf_warning *w) {
    uint64_t key = rfi_sink_key(w);
    bool fresh;
    rfi_warning *p = rfi_tally_warning(rfi_sink_tally, key, &fresh);
    if (!p) return;
    rfi_sink_tally->writing = true;
    uint64_t beside = rfi_sink_beside(w, key);
    uint64_t index = rfi.record->index;
    if (fresh) {
        *p = (rfi_warning){.key = key, .beside = beside, .predicted_at = {UINT64_MAX, UINT64_MAX}};
        rfi_warning_first(p, w);
    } else if (w->real && !p->seen && w->family != RF_FAMILY_RACE) {
        rfi_warning_told(p, w); /* what has happened tells more than what might */
    }
    for (uint32_t i = p->telling; i < w->targets; i++) rfi_warning_helper(p, w->target[i]);
    p->by |= rfi_analysis_bit(w->by);
    if (w->real && p->seen_last != index + 1 && !p->seen++) {
        p->seen_at = (rfi_found_at){0, index};
        rfi_sink_tally->example = true;
    }
    if (w->real) p->seen_last = index + 1;
    if (w->real) rfi.record->faults |= rfi_family(w->family)->kind;
    if (p->predicted_last != index + 1) p->predicted++;
    p->predicted_last = index + 1;
    rfi_found_at now = {0, index};
    if (rfi_moment_before(&now, &p->predicted_at)) {
        p->predicted_at = now;
        rfi_sink_tally->example = true; /* a campaign that goes on, or a merge, replays it */
    }
    rfi_sink_tally->writing = false;
}

/* The race detectors report here. */
RFI_FN void rfi_sink_race(const rfi_race *r) {
    enum { MOST = 8 };
    rf_lock lock[2][MOST];
    rf_warning w = {.family = RF_FAMILY_RACE, .by = r->by, .places = 2, .addr = r->addr};
    w.real = r->unordered && !(rfi_on_descriptor(r->flags[0]) && r->flags[0] & RF_EV_RANGE);
    if (w.real) rfi_stop_if(RFI_STOP_RACE, "the race");
    for (unsigned i = 0; i < 2; i++) {
        uint32_t object[MOST], n = rfi_lockset_list(r->lockset[i], object, MOST);
        for (uint32_t k = 0; k < n && k < MOST; k++)
            lock[i][k] = (rf_lock){object[k], rfi_lockset_shared(r->lockset[i], k), NULL};
        w.place[i] = (rf_place){.site = r->site[i],
                                .thread = r->thread[i],
                                .size = r->size[i],
                                .flags = r->flags[i],
                                .locks = (uint16_t)(n < MOST ? n : MOST),
                                .lock = lock[i]};
    }
    rfi_sink_warning(&w);
}

/* Whatever analyses and checkers say is counted from here on. */
RFI_FN void rfi_sink_open(void) {
    rfi_race_sink = rfi_sink_race;
    rfi_warning_sink = rfi_sink_warning;
}

/* ---- executions ---- */

/* What comes belongs to this search: what an earlier one has begun, it does again. */
RFI_FN void rfi_tally_search(rfi_tally *t, uint64_t search) {
    if (t->search != search) rfi_orders_reset(&t->scenes);
    t->search = search;
}

RFI_VAR const char rfi_record_shared[] =
    "it shares memory with a child of fork: what processes do to each other is not explored";

/* Another process has had a part in what came of it, or might have had. */
RFI_FN bool rfi_record_processes(const rfi_record *r) {
    return r->processes || (r->children && (r->failure.diagnostic || r->cut || r->unfinished));
}

/* Adds what was remarkable about an execution. */
RFI_FN RFI_APART void rfi_tally_remark(rfi_tally *t, const rfi_record *r) {
    t->left_out.held += r->held;
    t->left_out.held_in += r->held != 0;
    t->left_out.stopped += r->stopped;
    t->left_out.late += r->late;
    t->left_out.unused += r->unused;
    t->left_out.calm += r->calm;
    t->left_out.anytime += r->anytime;
    t->left_out.elsewhere += r->elsewhere;
    t->left_out.processes += rfi_record_processes(r);
    rfi_first_site(&t->unannounced, r->unannounced);
    t->example |= rfi_own_steps_add(&t->own, r->own);
    t->waits |= r->waits;
    if (r->scene && r->search != RFI_ASIDE) {
        rfi_tally_search(t, r->search);
        rfi_orders_add(&t->scenes, r->scene);
    }
    if (r->skipped || rfi_record_processes(r)) {
        if (!t->skipped++)
            snprintf(t->skip_reason, sizeof t->skip_reason, "%.127s",
                     r->skipped ? r->failure.message : rfi_record_shared);
        return;
    }
    if (r->hit_count) {
        if (!t->hits++ || rfi_shorter(r->steps, r->index, t->hit_steps, t->hit_index)) {
            t->hit_steps = r->steps;
            t->hit_index = r->index;
            t->example = true;
        }
    }
    if (r->cut || r->unfinished) {
        rfi_cuts one = {1, r->failure.site, r->failure.thread, r->steps};
        rfi_cuts_add(r->unfinished ? &t->unfinished : &t->cut, &one);
    }
    if (r->failure.diagnostic == RF_DIAG_NONE) return;
    if (r->index < t->first_failed) t->first_failed = r->index;
    bool blamed = r->hit_count || r->plain_stale;
    rfi_failure_kind k = {.key = rfi_failure_key(&r->failure),
                          .failure = r->failure,
                          .count = 1,
                          .blamed = blamed,
                          .fewest = r->preemptions,
                          .steps = r->steps,
                          .index = r->index,
                          .after = r->plain_stale ? 0 : r->faults,
                          .shortest_blamed = blamed,
                          .again = r->again.count != 0,
                          .early = r->early.count != 0,
                          .unwoken = r->unwoken.count != 0,
                          .stale = r->atomic_stale != 0,
                          .stale_steps = r->atomic_stale ? r->steps : 0};
    t->example |= rfi_tally_failure(t, &k);
    if (!blamed) return;
    t->failed++;
    t->failed_by_kind[__builtin_ctz(rfi_diagnostic(r->failure.diagnostic)->kind)]++;
}

RFI_FN RFI_COLD void rfi_tally_shared(rfi_tally *t, rfi_record *r) {
    for (unsigned i = 0; i < RFI_POINT_WORDS; i++) t->shared[i] |= r->shared[i];
    memset(r->shared, 0, sizeof r->shared);
    r->shares = false;
}

/* Adds a finished (or dead) execution. */
RFI_INLINE void rfi_tally_execution(rfi_tally *t, rfi_record *r) {
    t->writing = true;
    t->executions++;
    t->steps += r->steps;
    t->switches += r->switches;
    t->preemptions += r->preemptions;
    if (r->order) rfi_orders_add(&t->orders, r->order);
    t->atomic += r->atomic_loads != 0;
    t->racy += r->racy_loads != 0;
    t->exposed += r->plain_stale != 0;
    t->woken |= r->woken;
    t->kinds |= r->kinds;
    t->hooked |= r->hooked;
    t->plain |= r->plain;
    t->given_up += r->given_up;
    if (r->threads > t->threads) t->threads = r->threads;
    if (RFI_UNLIKELY(r->unusual | r->held | r->own.most | r->scene | r->hit_count |
                     (uint64_t)(r->failure.diagnostic != RF_DIAG_NONE) |
                     (uint64_t)(r->unannounced != NULL)))
        rfi_tally_remark(t, r);
    if (RFI_UNLIKELY(r->shares)) rfi_tally_shared(t, r);
    if (RFI_UNLIKELY(t->example)) {
        if (r->used_bytes) rfi_lessons_add(&t->used, r->index, r->used, r->used_bytes);
        t->example = false;
    }
    t->writing = false;
}

/* The figures, without failures, warnings, orders and coverage. */
RFI_FN void rfi_tally_sums(rfi_tally *to, const rfi_tally *from) {
    if (from->hits && (!to->hits || rfi_shorter(from->hit_steps, from->hit_index, to->hit_steps,
                                                to->hit_index))) {
        to->hit_steps = from->hit_steps;
        to->hit_index = from->hit_index;
    }
    if (from->skipped && !to->skipped)
        memcpy(to->skip_reason, from->skip_reason, sizeof to->skip_reason);
    rfi_cuts_add(&to->cut, &from->cut);
    rfi_cuts_add(&to->unfinished, &from->unfinished);
    if (from->first_failed < to->first_failed) to->first_failed = from->first_failed;
    to->executions += from->executions;
    to->steps += from->steps;
    to->switches += from->switches;
    to->preemptions += from->preemptions;
    to->skipped += from->skipped;
    to->given_up += from->given_up;
    to->hits += from->hits;
    to->atomic += from->atomic;
    to->racy += from->racy;
    to->exposed += from->exposed;
    to->woken |= from->woken;
    to->kinds |= from->kinds;
# define RFI_ADD(field) to->left_out.field += from->left_out.field;
    RFI_LEFT_OUT(RFI_ADD)
# undef RFI_ADD
    to->hooked |= from->hooked;
    to->plain |= from->plain;
    if (from->threads > to->threads) to->threads = from->threads;
    rfi_first_site(&to->unannounced, from->unannounced);
    (void)rfi_own_steps_add(&to->own, from->own);
    to->waits |= from->waits;
    to->failed += from->failed;
    for (unsigned i = 0; i < 6; i++) to->failed_by_kind[i] += from->failed_by_kind[i];
    for (unsigned i = 0; i < RFI_POINT_WORDS; i++) to->shared[i] |= from->shared[i];
    to->failures_left_out += from->failures_left_out;
    to->warnings_left_out += from->warnings_left_out;
}

RFI_FN void rfi_tally_merge(rfi_tally *to, rfi_tally *from) {
    rfi_tally_sums(to, from);
    (void)rfi_orders_merge(&to->orders, &from->orders);
    if (from->scenes.used) rfi_tally_search(to, from->search);
    (void)rfi_orders_merge(&to->scenes, &from->scenes);
    rfi_coverage_add(&to->coverage, &from->coverage);
    for (uint32_t i = 0; i < from->failures; i++) (void)rfi_tally_failure(to, &from->failure[i]);
    for (uint32_t i = 0; i < from->warnings; i++) rfi_tally_merge_warning(to, &from->warning[i]);
    const rfi_lesson *l;
    for (uint32_t at = 0; (l = rfi_lessons_next(&from->used, &at)) != NULL;)
        rfi_lessons_add(&to->used, rfi_lesson_index(l), l + 1, l->bytes);
}

RFI_FN int rfi_failure_order(const void *x, const void *y) {
    const rfi_failure_kind *a = x, *b = y;
    if (a->index != b->index) return a->index < b->index ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* The order in which workers met them does not count. */
RFI_FN void rfi_tally_sort(rfi_tally *t) {
    RFI_REAL(qsort)(t->failure, t->failures, sizeof *t->failure, rfi_failure_order);
}
#endif
#endif
