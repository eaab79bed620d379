/* Makes all executions of a test by an explorer, and keeps their graphs and outcomes. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "lab.h"

#include "litmus/program.h"

static char why[320]; /* something is wrong */

enum { MOST = 200000, ROOM = 1 << 19 };

/* Statements are told apart by their lines. */
#define HERE .file = "litmus", .function = "thread", .text = "x"

/* How the running execution ends. */
static struct litmus_final the_final;
static bool no_spurious;
static uint32_t unroll; /* rounds of a loop; 0: all */
static uint64_t steps;  /* of an execution; 0: as many as usual */

static struct {
    rfi_lessons lessons;
    uint64_t graph[ROOM]; /* hashes of those that were seen */
    uint32_t used[ROOM / 2], graphs, twice, failed;
    struct litmus_set observed;
} found;

/* The events by thread, what they read, and mo: whatever the order in which they were made.
 * `number`: of threads in it. */
static uint64_t graph_hash_as(const rfi_graph *g, const uint32_t *number) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->events; i++) {
        const rfi_gevent *e = &g->event[i];
        uint64_t h = rfi_mix(number[e->thread] * 4096 + e->number + 1) + e->kind * 1024u + e->flags;
        h += (uint64_t)e->pick.first << 32;
        h ^= (uint64_t)e->pick.second << 40;
        if (e->kind == RFI_G_VALUE) h = rfi_mix(h) + e->location;
        if (e->kind == RFI_G_WRITE) h = rfi_mix(h) + g->seen[i].rank;
        if (e->kind == RFI_G_READ && e->source != RFI_NO_EVENT) {
            const rfi_gevent *w = &g->event[e->source];
            h = rfi_mix(h) + number[w->thread] * 4096 + w->number + 1;
        }
        sum += rfi_mix(h);
    }
    return sum | 1;
}

/* Which of the threads from 2 on is which does not matter, up to this one. */
static uint32_t alike;

/* The least with the threads from `from` on in any order. */
static uint64_t graph_hash_of(const rfi_graph *g, uint32_t *number, uint32_t from) {
    if (from >= alike) return graph_hash_as(g, number);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = from; i <= alike; i++) {
        uint32_t was = number[from];
        number[from] = number[i], number[i] = was;
        uint64_t h = graph_hash_of(g, number, from + 1);
        number[i] = number[from], number[from] = was;
        if (h < least) least = h;
    }
    return least;
}

static uint64_t graph_hash(const rfi_graph *g) {
    uint32_t number[RFI_GRAPH_THREADS];
    for (uint32_t t = 0; t < RFI_GRAPH_THREADS; t++) number[t] = t;
    return graph_hash_of(g, number, 2);
}

static void keep_graph(uint64_t hash) {
    uint32_t i = (uint32_t)(rfi_mix(hash) % ROOM);
    if (found.graphs == ROOM / 2) abort();
    for (; found.graph[i]; i = (i + 1) % ROOM)
        if (found.graph[i] == hash) {
            found.twice++;
            return;
        }
    found.graph[i] = hash;
    found.used[found.graphs++] = i;
}

static void keep_outcome(const struct litmus_final *final) {
    struct litmus_outcome *o = litmus_find(&found.observed, final);
    if (!o) o = litmus_insert(&found.observed, final);
    found.observed.executions++;
}

static void forget_found(void) {
    for (uint32_t i = 0; i < found.graphs; i++) found.graph[found.used[i]] = 0;
    found.graphs = found.twice = found.failed = 0;
    litmus_clear(&found.observed);
}

static uint32_t walks;               /* so many executions are of walks, and there are no others */
static uint64_t enough = UINT64_MAX; /* who has explored more has gone wrong, perhaps without end */

/* Makes all executions of a test; false if there are too many. */
static bool explore_by(const rf_strategy *s, const char *test, rf_mem_model model, bool cxx20) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    rfi_plan p;
    rfi_record *r = &lab_campaign.team.here->record;
    uint32_t n = 0;
    j.strategy = s;
    if (s->parameter) j.parameter = *s->parameter;
    j.memory.atomics = model;
    j.memory.cxx20 = cxx20;
    j.spurious = !no_spurious && s->rfi_c11 && (s->values || model == RF_MEM_C11);
    j.unroll = unroll;
    if (steps) j.max_steps = steps;
    forget_found();
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    s->forget();
    rfi.lessons = &found.lessons;
    if (walks) rfi_gwalks_begin(&rfi_g.walks, &rfi_g.stack, walks);
    for (; n < (walks ? walks : MOST) && rfi_g.stack.explored <= enough && !s->exhausted(); n++) {
        found.lessons.used = 0;
        rfi_job_run(&j, &p, n, r);
        const rfi_lesson *l = rfi_lesson_at(&found.lessons, 0);
        uint64_t blocked = rfi_g.stack.blocked, before = rfi_g.stack.before;
        found.failed += r->failure.diagnostic != RF_DIAG_NONE;
        s->learn(l + 1, l->bytes);
        if (rfi_g.stack.before != before) forget_found(); /* it begins anew */
        if (rfi_g.stack.blocked != blocked || r->failure.diagnostic != RF_DIAG_NONE) continue;
        if (s == &rfi_graphs_strategy) keep_graph(graph_hash(&rfi_g.graph));
        keep_outcome(&the_final);
    }
    rfi.lessons = NULL;
    return s->exhausted();
}

static bool explore(const char *test, rf_mem_model model, bool cxx20) {
    return explore_by(&rfi_graphs_strategy, test, model, cxx20);
}

#endif
