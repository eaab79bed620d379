/* tests/explore_tree.h: running the strategies that go through all schedules, in this process, and
 * telling the partial orders of executions apart without their help. */
#ifndef EXPLORE_TREE_H
#define EXPLORE_TREE_H
#include "lab.h"

/* ---- the trace of an execution: who came after whom, of what does not commute ---- */

enum { MOST_EVENTS = 1024, MOST_THREADS = 8 };

static struct {
    rf_event event[MOST_EVENTS];
    uint32_t clock[MOST_EVENTS][MOST_THREADS];
    uint32_t local[MOST_EVENTS];
    uint32_t count;
} seen_events;

static inline void trace_begin(void) { seen_events.count = 0; }

static inline void trace_event(const rf_event *e) {
    if (seen_events.count == MOST_EVENTS || e->thread >= MOST_THREADS) abort();
    seen_events.event[seen_events.count++] = *e;
}

/* That stack memory serves anew is no operation of the program. */
static const rf_analysis trace_analysis = {.name = "events",
                                           .help = "keeps the events of an execution",
                                           .events = ~RF_EV_BIT(RF_EV_RECYCLE),
                                           .begin = trace_begin,
                                           .event = trace_event};

/* The same number for executions that have the same partial order. */
static inline uint64_t trace_print(void) {
    uint32_t steps[MOST_THREADS] = {0};
    uint64_t sum = 0;
    for (uint32_t j = 0; j < seen_events.count; j++) {
        const rf_event *e = &seen_events.event[j];
        uint32_t *clock = seen_events.clock[j];
        memset(clock, 0, sizeof seen_events.clock[j]);
        seen_events.local[j] = clock[e->thread] = ++steps[e->thread];
        for (uint32_t i = j; i--;) {
            const rf_event *before = &seen_events.event[i];
            if (before->thread != e->thread && clock[before->thread] >= seen_events.local[i])
                continue; /* it comes before one that comes before this one */
            if (!rf_events_depend(before, e) && !rf_moves_core(before) && !rf_moves_core(e))
                continue;
            for (uint32_t t = 0; t < MOST_THREADS; t++)
                if (clock[t] < seen_events.clock[i][t]) clock[t] = seen_events.clock[i][t];
        }
        uint64_t h = rfi_mix(e->thread + 1) + e->kind;
        if (e->kind == RF_EV_CHOOSE || e->kind == RF_EV_WAKE) h = rfi_mix(h) + e->value;
        if (e->kind == RF_EV_NOTIFY) h = rfi_mix(h) + e->other;
        for (uint32_t t = 0; t < MOST_THREADS; t++) h = rfi_mix(h) + clock[t];
        sum += rfi_mix(h);
    }
    return sum;
}

/* ---- sets of traces ---- */

enum { MOST_TRACES = 1 << 16 };

typedef struct traces {
    uint64_t print[MOST_TRACES];
    uint32_t count;
} traces;

static inline bool traces_add(traces *s, uint64_t print) {
    uint32_t i = (uint32_t)(rfi_mix(print) % MOST_TRACES);
    if (s->count >= MOST_TRACES / 2) abort();
    for (; s->print[i]; i = (i + 1) % MOST_TRACES)
        if (s->print[i] == print) return false;
    s->print[i] = print;
    s->count++;
    return true;
}

static inline bool traces_has(const traces *s, uint64_t print) {
    uint32_t i = (uint32_t)(rfi_mix(print) % MOST_TRACES);
    while (s->print[i] && s->print[i] != print) i = (i + 1) % MOST_TRACES;
    return s->print[i] == print;
}

static inline bool traces_same(const traces *a, const traces *b) {
    for (uint32_t i = 0; i < MOST_TRACES; i++)
        if (a->print[i] && !traces_has(b, a->print[i])) return false;
    return a->count == b->count;
}

/* ---- running a strategy to its end ---- */

typedef struct found {
    uint32_t executions, failed, repeated;          /* repeated: traces that were shown again */
    uint32_t at[RFI_LEVELS], failed_at[RFI_LEVELS]; /* by number of preemptions */
    traces traces;   /* of those that were not blocked and did not fail, but for deadlocks */
    traces failures; /* different ones */
} found;

/* What an execution used, and which one it was. */
typedef struct kept_execution {
    uint8_t used[64];
    uint32_t bytes;
    uint64_t print;
} kept_execution;

enum { MOST_KEPT = 1024 };

static struct {
    rfi_lessons lessons;
    rfi_job job;
    rfi_plan plan;
    rfi_record *record;
    bool traced; /* tell the executions apart */
    kept_execution kept[MOST_KEPT];
} lab_tree;

static inline void lab_tree_plan(const rf_strategy *s, const char *test) {
    lab_open();
    lab_tree.job = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    lab_tree.job.spurious = false;
    lab_tree.job.memory.atomics = RF_MEM_SC;
    lab_tree.record = &lab_campaign.team.here->record;
    rfi_job_arm(&lab_tree.job);
    rfi_job_plan(&lab_tree.job, false, &lab_tree.plan);
    rfi_plan *p = &lab_tree.plan;
    p->strategy = s;
    if (lab_tree.traced) p->analysis[p->analyses++] = &trace_analysis;
    rfi_plan_complete(p);
}

/* Failures that are one to whoever reads of them; a deadlock is an execution that has ended. */
static inline void found_add(found *f, const rfi_record *r, uint64_t print, bool blocked) {
    rf_diagnostic d = r->failure.diagnostic;
    bool failed = d != RF_DIAG_NONE;
    bool ended = !failed || d == RF_DIAG_STUCK || d == RF_DIAG_LOCK_CYCLE || d == RF_DIAG_LEAK;
    f->failed += failed;
    if (r->preemptions < RFI_LEVELS) {
        f->at[r->preemptions]++;
        f->failed_at[r->preemptions] += failed;
    }
    if (!lab_tree.traced) return;
    uint64_t text = d == RF_DIAG_FAIL ? rfi_hash_text(r->failure.message) : 0;
    if (!ended)
        (void)traces_add(&f->failures, rfi_mix(d) + text);
    else if (!blocked)
        f->repeated += !traces_add(&f->traces, print);
}

/* Executions that show what others do. */
static inline uint64_t shown_again(void) {
    return rfi_dpor_traces.blocked + rfi_dfs_tree.repeats + rfi_bounded_tree.repeats +
           rfi_delays_tree.repeats;
}

/* Executions without preemptions that were thrown in, and are not counted. */
static inline uint32_t thrown_in(void) {
    return rfi_dpor_choices.serials.done + rfi_dfs_tree.choices.serials.done +
           rfi_bounded_tree.choices.serials.done + rfi_delays_tree.choices.serials.done;
}

/* Runs up to `most` executions; true if the strategy comes to its end. */
static inline bool explore(const rf_strategy *s, const char *test, uint32_t most, found *f) {
    rfi_record *r;
    lab_tree_plan(s, test);
    r = lab_tree.record;
    memset(f, 0, sizeof *f);
    s->forget();
    rfi.lessons = &lab_tree.lessons;
    for (; f->executions < most && !s->exhausted(); f->executions++) {
        lab_tree.lessons.used = 0;
        uint32_t thrown = thrown_in();
        rfi_job_run(&lab_tree.job, &lab_tree.plan, f->executions, r);
        uint64_t print = lab_tree.traced ? trace_print() : 0;
        if (f->executions < MOST_KEPT) {
            kept_execution *k = &lab_tree.kept[f->executions];
            k->bytes = r->used_bytes < sizeof k->used ? r->used_bytes : sizeof k->used;
            memcpy(k->used, r->used, k->bytes);
            k->print = print;
        }
        const rfi_lesson *l = rfi_lesson_at(&lab_tree.lessons, 0);
        uint64_t again = shown_again();
        s->learn(l + 1, l->bytes);
        if (thrown_in() != thrown) {
            f->executions--;
            continue;
        }
        found_add(f, r, print, shown_again() != again);
    }
    rfi.lessons = NULL;
    return s->exhausted();
}

/* Does the strategy, which has forgotten everything, lead to the same executions again? */
static inline bool explored_again(const rf_strategy *s, const char *test, uint32_t n) {
    lab_tree_plan(s, test);
    for (uint32_t i = n; i--;) {
        const kept_execution *k = &lab_tree.kept[i];
        s->forget();
        s->recall(k->used, k->bytes);
        rfi_job_run(&lab_tree.job, &lab_tree.plan, 77, lab_tree.record);
        if (trace_print() != k->print || lab_tree.record->used_bytes != k->bytes) return false;
    }
    s->forget();
    return true;
}
#endif
