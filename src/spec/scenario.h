/* spec/scenario.h: scenarios, the calls that threads make of an object, drawn and run.
 *
 * Small ones show nearly every mistake (Burckhardt et al., Line-Up, PLDI 2010), and are drawn as
 * often as large ones: first the size, from two threads with a call each.  An argument without a
 * range is a number that no other call has, so that no two scenarios differ by values alone; of two
 * threads with as many calls, the second one's are not less than the first one's in the order of
 * the alphabet, so that no two differ by the order of threads alone, unless a thread can't find an
 * operation that is not less.
 *
 * All is drawn as RF_CHOOSE draws: a token repeats it, and explorers that enumerate do so from the
 * smallest size.
 * Optimised: less, the calls count and not what is around them.
 */
#ifndef RFI_SPEC_SCENARIO_H
#define RFI_SPEC_SCENARIO_H
#include "campaign/scenes.h"
#include "engine/support.h"
#include "explore/schedule.h"
#include "spec/progress.h"

#ifdef RFI_IMPL
/* The scenario of the running execution. */
RFI_VAR struct {
    const rf_site *site;
    const rfi_operation *of[RFI_CALLS];
    uint32_t operations, size;
    uint32_t owner[RFI_CALLS]; /* 1 + the lane that makes calls of an operation for one thread */
    uint32_t calls_of[RFI_CALLS];
    uint32_t pick[RFI_CALLS]; /* by call: which operation, and argument: the alphabet's order */
    long long fresh;
    rfi_history history;
    rfi_invocation call[RFI_CALLS];
    rfi_asking asking;
    rfi_scene_stop stop;
    uint64_t own_steps;                                /* that a call may have; 0: any number */
    uint32_t begin[RFI_LANES + 1], end[RFI_LANES + 1]; /* calls of a lane; of those after, lane 0 */
} rfi_scenario;

/* Where they are counted: what was drawn, of how many; the next one differs as late as it can. */
# define RFI_SCENARIO_DRAWS (8u + RFI_LANES + RFI_CALLS * (1 + RFI_ARGUMENTS))
RFI_VAR struct {
    bool counts;
    uint32_t at, drawn;
    uint32_t value[RFI_SCENARIO_DRAWS], of[RFI_SCENARIO_DRAWS];
} rfi_scenario_counted;

RFI_FN uint32_t rfi_scenario_draw(uint32_t n) {
    uint32_t i = rfi_scenario_counted.at;
    if (!rfi_scenario_counted.counts) return rfi_choose_of(n, &rfi.input);
    if (i == rfi_scenario_counted.drawn) {
        rfi_scenario_counted.value[i] = 0;
        rfi_scenario_counted.of[i] = n;
        rfi_scenario_counted.drawn++;
    }
    return rfi_scenario_counted.value[rfi_scenario_counted.at++];
}

/* False: that was the last one. */
RFI_FN bool rfi_scenario_counted_next(void) {
    uint32_t *n = &rfi_scenario_counted.drawn;
    rfi_scenario_counted.at = 0;
    while (*n && ++rfi_scenario_counted.value[*n - 1] == rfi_scenario_counted.of[*n - 1]) --*n;
    return *n != 0;
}

/* May a lane make this call?  Lane 0 is the first thread, which is alone when it does. */
RFI_FN bool rfi_scenario_may(uint32_t i, uint32_t lane) {
    const rf_operation *o = &rfi_scenario.of[i]->options;
    if (o->most && rfi_scenario.calls_of[i] >= o->most) return false;
    return !o->one_thread || !lane || !rfi_scenario.owner[i] || rfi_scenario.owner[i] == lane + 1;
}

/* From now on this operation, and those that it goes with, are this lane's. */
RFI_FN void rfi_scenario_own(uint32_t i, uint32_t lane) {
    const char *word = rfi_scenario.of[i]->options.one_thread;
    rfi_scenario.calls_of[i]++;
    for (uint32_t k = 0; word && lane && k < rfi_scenario.operations; k++) {
        const char *other = rfi_scenario.of[k]->options.one_thread;
        if (other && !strcmp(word, other)) rfi_scenario.owner[k] = lane + 1;
    }
}

/* Draws the next call, none that is less than call `least`, if *alike; false: there is none.
 * *alike: it is the same but for numbers that are its own. */
RFI_FN bool rfi_scenario_call(uint32_t lane, uint32_t least, bool *alike) {
    uint32_t may[RFI_CALLS], n = 0;
    rfi_history *h = &rfi_scenario.history;
    for (uint32_t i = *alike ? rfi_scenario.pick[least] : 0; i < rfi_scenario.operations; i++)
        if (rfi_scenario_may(i, lane)) may[n++] = i;
    if (!n || h->calls == RFI_CALLS) return false;
    uint32_t i = may[rfi_scenario_draw(n)];
    rfi_invocation *c = &h->call[h->calls];
    *c = (rfi_invocation){.of = rfi_scenario.of[i], .lane = lane, .alone = !lane};
    *alike = *alike && i == rfi_scenario.pick[least];
    for (unsigned a = 0; a < c->of->arguments; a++) {
        const rfi_bounds *r = &c->of->options.args[a];
        long long from = *alike ? h->call[least].argument[a] : r->from;
        c->argument[a] = r->given ? from + rfi_scenario_draw((uint32_t)(r->to - from) + 1)
                                  : ++rfi_scenario.fresh;
        *alike = *alike && (!r->given || c->argument[a] == from);
    }
    rfi_scenario_own(i, lane);
    rfi_scenario.pick[h->calls++] = i;
    return true;
}

/* Draws up to n calls of a lane; while they are like those of the one before, in its order. */
RFI_FN void rfi_scenario_lane(uint32_t lane, uint32_t n, bool alike) {
    const uint32_t first = rfi_scenario.history.calls, of = rfi_scenario.begin[lane - !!lane];
    rfi_scenario.begin[lane] = first;
    for (uint32_t i = 0; i < n; i++) {
        alike = alike && of + i < first; /* it may have found fewer */
        if (!rfi_scenario_call(lane, of + i, &alike)) break;
    }
    rfi_scenario.end[lane] = rfi_scenario.history.calls;
}

RFI_FN uint32_t rfi_scenario_most(uint32_t given, uint32_t preset, uint32_t most) {
    return !given ? preset : given < most ? given : most;
}

/* Draws how many calls the first thread makes before, or after. */
RFI_FN uint32_t rfi_scenario_alone(int given) {
    return given < 0 ? 0 : rfi_scenario_draw(rfi_scenario_most((uint32_t)given, 2, 8) + 1);
}

RFI_FN void rfi_scenario_reset(uint32_t threads) {
    rfi_history *h = &rfi_scenario.history;
    rfi_scenario.fresh = 0;
    memset(rfi_scenario.owner, 0, sizeof rfi_scenario.owner);
    memset(rfi_scenario.calls_of, 0, sizeof rfi_scenario.calls_of);
    h->call = rfi_scenario.call;
    rfi_history_clear(h, threads + 1);
}

/* Draws where threads are stopped.  Strategies that enumerate have enough to do. */
RFI_FN void rfi_scenario_stop(uint32_t threads, rf_progress asked) {
    rfi_scene_stop *stop = &rfi_scenario.stop;
    *stop = (rfi_scene_stop){.mode = RFI_STOP_NOBODY};
    if (!asked || rfi.strategy->choose) return;
    stop->mode = rfi_scenario_draw(asked == RF_OBSTRUCTION_FREE ? 2 : 4);
    stop->lane = 1 + rfi_scenario_draw(threads);
    stop->call = rfi_scenario_draw(rfi_scenario.end[stop->lane] - rfi_scenario.begin[stop->lane]);
    stop->step = rfi_scenario_draw(1 + rfi_scenario_draw(16)); /* most often the first ones */
    stop->delay = rfi_scenario_draw(8);
    stop->length = rfi_scenario_draw(3);
}

/* How many sizes there are: of two threads first, if there are not fewer, then of more. */
RFI_FN uint32_t rfi_scenario_sizes(const rf_options *o, uint32_t *threads, uint32_t *calls) {
    *threads = rfi_scenario_most(o->threads, 3, RFI_LANES - 1);
    *calls = rfi_scenario_most(o->operations, 4, 8);
    return (*threads > 1 ? *threads - 1 : 1) * *calls;
}

/* Draws the calls of an object; how many threads. */
RFI_FN uint32_t rfi_scenario_make(const char *object, const rf_options *o) {
    const rfi_history *h = &rfi_scenario.history;
    const rfi_operation *next = NULL;
    bool alone = false;
    uint32_t most, calls, sizes = rfi_scenario_sizes(o, &most, &calls), before = 0;
    uint32_t size = rfi_scenario.size = rfi_scenario_draw(sizes);
    uint32_t threads = most > 1 ? 2 + size / calls : 1, length = size % calls + 1;
    for (rfi_scenario.operations = 0;
         rfi_scenario.operations < RFI_CALLS && (next = rfi_operation_next(object, next));)
        rfi_scenario.of[rfi_scenario.operations++] = next;
    rfi_scenario_reset(threads);
    rfi_scenario_lane(0, rfi_scenario_alone(o->before), false);
    for (uint32_t t = 1; t <= threads; t++) {
        bool alike = t > 1 && length == before;
        before = length;
        rfi_scenario_lane(t, length, alike);
        if (t < threads) length -= rfi_scenario_draw(length);
    }
    rfi_scenario.begin[threads + 1] = h->calls;
    for (uint32_t n = rfi_scenario_alone(o->after); n--;)
        if (!rfi_scenario_call(0, 0, &alone)) break;
    rfi_scenario.end[threads + 1] = h->calls;
    return threads;
}

/* Which one it is. */
RFI_FN uint64_t rfi_scenario_key(uint32_t threads) {
    uint64_t h = threads;
    for (uint32_t i = 0; i < rfi_scenario.history.calls; i++) {
        const rfi_invocation *c = &rfi_scenario.history.call[i];
        bool after = i >= rfi_scenario.begin[threads + 1];
        h = rfi_mix(h + rfi_scenario.pick[i] + ((uint64_t)(after ? threads + 1 : c->lane) << 32));
        for (unsigned a = 0; a < c->of->arguments; a++) h = rfi_mix(h + (uint64_t)c->argument[a]);
    }
    return rfi_scene_key(h, rfi_scenario.size);
}

void rfi_scenarios_count(const rfi_test *t, rfi_scenarios *s) {
    rfi_map known = {0}; /* some are drawn in two ways, if there are limits */
    *s = (rfi_scenarios){0};
    s->sizes = rfi_scenario_sizes(&t->options, &s->threads, &s->calls);
    memset(&rfi_scenario_counted, 0, sizeof rfi_scenario_counted);
    rfi_scenario_counted.counts = true;
    do {
        uint32_t threads = rfi_scenario_make(t->object, &t->options);
        uint64_t *times = rfi_map_at(&known, rfi_scenario_key(threads));
        if ((*times)++) continue;
        s->of_size[rfi_scenario.size]++;
        s->all++;
    } while (s->all < RFI_SCENARIOS_COUNTED && rfi_scenario_counted_next());
    rfi_scenario_counted.counts = false;
    rfi_map_free(&known);
}

/* ---- as bytes ---- */

/* Is all of it there? */
RFI_FN bool rfi_scenario_holds(const rfi_scene *s) {
    bool holds = s->calls && s->threads < RFI_LANES && s->stop.lane <= s->threads;
    holds &= s->stop.mode <= RFI_STOP_IN_STEP;
    for (uint32_t i = 0; i < s->calls && holds; i++)
        holds = s->call[i].of < rfi_scenario.operations &&
                s->call[i].arguments == rfi_scenario.of[s->call[i].of]->arguments;
    return holds;
}

/* What was drawn gives way to the scenario that a shrunk token tells, if it does; how many threads.
 */
RFI_FN uint32_t rfi_scenario_told(uint32_t drawn) {
    const rfi_schedule_state *told = &rfi_schedule_of;
    rfi_history *h = &rfi_scenario.history;
    rfi_scene s;
    if (rfi.strategy->input != rfi_schedule_input) return drawn;
    if (!rfi_scene_read(&s, told->used + told->scenario, told->scenario_bytes)) return drawn;
    if (!rfi_scenario_holds(&s)) return drawn;
    rfi_scenario_reset(s.threads);
    for (uint32_t lane = 0, i = 0; lane <= s.threads + 1; lane++) {
        rfi_scenario.begin[lane] = i;
        for (; i < s.calls && s.call[i].lane == lane; i++) {
            rfi_invocation *c = &h->call[i];
            *c = (rfi_invocation){.of = rfi_scenario.of[s.call[i].of],
                                  .lane = lane > s.threads ? 0 : lane,
                                  .alone = !lane || lane > s.threads};
            for (unsigned a = 0; a < c->of->arguments; a++) {
                const rfi_bounds *r = &c->of->options.args[a];
                uint32_t n = s.call[i].argument[a];
                c->argument[a] = r->given ? r->from + n % (r->to - r->from + 1) : n;
            }
            rfi_scenario.pick[i] = s.call[i].of;
        }
        rfi_scenario.end[lane] = i;
    }
    h->calls = s.calls;
    rfi_scenario.stop = s.stop;
    return s.threads;
}

/* Into the record of an execution that is traced. */
RFI_FN void rfi_scenario_note(uint32_t threads) {
    const rfi_history *h = &rfi_scenario.history;
    rfi_scene s = {.threads = threads, .calls = h->calls, .stop = rfi_scenario.stop};
    if (!rfi.record->tracing) return;
    for (uint32_t i = 0; i < h->calls; i++) {
        const rfi_invocation *c = &h->call[i];
        rfi_scene_call *to = &s.call[i];
        to->lane = i >= rfi_scenario.begin[threads + 1] ? threads + 1 : c->lane;
        to->of = rfi_scenario.pick[i];
        to->arguments = c->of->arguments;
        for (unsigned a = 0; a < to->arguments; a++)
            to->argument[a] = (uint32_t)(c->argument[a] - c->of->options.args[a].from);
    }
    rfi.record->scenario_bytes =
        rfi_scene_write(&s, rfi.record->scenario, sizeof rfi.record->scenario);
}

/* ---- running it ---- */

RFI_FN void rfi_scenario_calls(uint32_t from, uint32_t to) {
    rfi_history *h = &rfi_scenario.history;
    for (uint32_t i = from; i < to; i++) {
        rfi_invocation *c = &h->call[i];
        rfi_asking_wait(c->of->site, h->criterion);
        rfi_invocation_begin(h, c, rfi.current->id);
        rfi_say_logged(c->of->site, c);
        rfi_progress_made(c);
        rfi_invocation_end(h, c, c->of->call(c->argument));
        rfi_progress_returned(c, rfi_scenario.own_steps);
        rfi_say_logged(c->of->site, c);
        if (!rfi_asking_more(&rfi_scenario.asking, h, c))
            rfi_scenario_fail(rfi_scenario.site, &rfi_scenario.asking);
    }
}

RFI_FN void *rfi_scenario_thread(void *lane) {
    uintptr_t l = (uintptr_t)lane;
    rfi_scenario_calls(rfi_scenario.begin[l], rfi_scenario.end[l]);
    return NULL;
}

/* Nobody can go on.  That is right if only operations wait that may, and some order of the calls
 * that have returned leaves all of them waiting. */
RFI_FN const char *rfi_scenario_stuck(void) {
    static char why[RFI_MESSAGE_BYTES];
    const rfi_history *h = &rfi_scenario.history;
    rfi_text out = {why, why + sizeof why};
    for (uint32_t l = 0; l < h->lanes; l++) {
        const rfi_invocation *c = h->length[l] ? &h->call[h->lane[l][h->length[l] - 1]] : NULL;
        if (!c || c->returned || c->of->options.blocks) continue;
        rfi_append(&out, "\n  %s may wait for others only with .blocks = true",
                   c->of->options.rfi_name);
        return why;
    }
    if (rfi_asking_search(&rfi_scenario.asking, h, true)) return NULL;
    rfi_say_history(&out, &rfi_scenario.asking);
    return why;
}

/* The body of a test that RF_LINEARIZABLE has made. */
void rfi_scenario_test(const rf_site *s) {
    const rfi_test *t = rfi.series->test;
    rf_thread thread[RFI_LANES];
    uint32_t threads = rfi_scenario_make(t->object, &t->options);
    rfi_scenario_stop(threads, t->options.progress);
    rfi.record->scene = rfi_scenario_key(threads);
    threads = rfi_scenario_told(threads);
    rfi_scenario_note(threads);
    rfi_scenario.site = s;
    rfi_scenario.history.criterion = t->options.criterion;
    rfi.run.stuck = rfi_scenario_stuck;
    rfi_sequential.end = rfi_object_part_of(t->object, true);
    rfi_sequential.object = rfi_object_part_of(t->object, false);
    rfi_sequential.object->body();
    rfi_asking_begin(&rfi_scenario.asking, &rfi_scenario.history);
    rfi_scenario_calls(rfi_scenario.begin[0], rfi_scenario.end[0]);
    rfi_scenario.own_steps = t->options.own_steps;
    rfi_progress_begin(s, &rfi_scenario.history, t->options.progress, &rfi_scenario.stop);
    for (uintptr_t i = 1; i <= threads; i++)
        thread[i] = rfi_create(s, rfi_scenario_thread, (void *)i);
    for (uint32_t i = 1; i <= threads; i++) rfi_join(s, thread[i]);
    rfi_progress_end();
    rfi_scenario_calls(rfi_scenario.begin[threads + 1], rfi_scenario.end[threads + 1]);
    if (rfi_sequential.end) rfi_sequential.end->body();
    if (!rfi_asking_end(&rfi_scenario.asking, &rfi_scenario.history))
        rfi_scenario_fail(s, &rfi_scenario.asking);
}
#endif
#endif
