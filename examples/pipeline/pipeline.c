/* pipeline.c: the six threads of pipeline.h and what they share. */
#include "pipeline.h"
#include "parse.h"
#include <string.h>

enum { WATCH_MS = 5 };

typedef struct pipeline {
    pipeline_config config;
    units units;
    rf_barrier ready; /* the units are */
    ring lines, parsed, done;
    rf_sem pool;
    names names;
    stats stats;
    faults faults;
    stop stop;
    _Atomic uint32_t parsers; /* still at work */
    rf_mutex totals_lock;
    int64_t totals[NAMES_MAX]; /* guarded by totals_lock */
    rf_spin latest_lock;
    record *latest; /* guarded by latest_lock */
    uint32_t written;
    pipeline_output output[PIPELINE_LINES];
} pipeline;

typedef struct parser {
    pipeline *pipeline;
    int number;
} parser;

/* ---- The stages ---- */

/* Feeds the lines in until they end or too many of them are faulty. */
static stop_reason feed(pipeline *p) {
    uint32_t max_faults = RF_LOAD(p->config.max_faults);
    for (uint32_t i = 0; i < RF_LOAD(p->config.line_count); i++) {
        fault last;
        if (faults_last(&p->faults, &last) > max_faults) return STOP_FAULTS;
        record *r = record_new(&p->pool, i + 1, RF_LOAD(p->config.lines)[i]);
        if (!r) return STOP_MEMORY;
        ring_push(&p->lines, r);
    }
    return STOP_END;
}

static void *reader(void *arg) {
    pipeline *p = arg;
    units_init(&p->units);
    RF_BARRIER_WAIT(&p->ready);
    stop_request(&p->stop, feed(p));
    ring_close(&p->lines);
    return NULL;
}

/* Fills in name and value.  0, or the column of the fault. */
static uint32_t parse_record(pipeline *p, record *r, const char *text) {
    parsed_line line;
    uint32_t column = parse_line(&p->units, text, &line);
    if (column) return column;
    uint32_t name = names_number(&p->names, text, line.name_length);
    if (name == NAMES_FULL) return 1;
    RF_STORE(r->name, name);
    RF_STORE(r->value, line.value);
    return 0;
}

static void *parse(void *arg) {
    parser *self = arg;
    pipeline *p = self->pipeline;
    RF_BARRIER_WAIT(&p->ready);
    for (record *r; (r = ring_pop(&p->lines));) {
        const char *text = RF_LOAD(r->text);
        uint32_t column = parse_record(p, r, text);
        stats_count(&p->stats, self->number, strlen(text), column == 0);
        if (column == 0) {
            ring_push(&p->parsed, r);
        } else {
            faults_report(&p->faults, RF_LOAD(r->line), column);
            record_unref(r);
        }
    }
    if (rf_atomic_fetch_sub_explicit(&p->parsers, 1u, rf_memory_order_acq_rel) == 1)
        ring_close(&p->parsed);
    return NULL;
}

/* The pipeline takes over the caller's reference. */
static void set_latest(pipeline *p, record *r) {
    RF_SPIN_LOCK(&p->latest_lock);
    record *old = RF_LOAD(p->latest);
    RF_STORE(p->latest, r);
    RF_SPIN_UNLOCK(&p->latest_lock);
    record_unref(old);
}

/* With a reference of its own: it may be replaced as soon as the lock is free.  May be NULL. */
static record *get_latest(pipeline *p) {
    RF_SPIN_LOCK(&p->latest_lock);
    record *r = RF_LOAD(p->latest);
    if (r) record_ref(r);
    RF_SPIN_UNLOCK(&p->latest_lock);
    return r;
}

static void *aggregate(void *arg) {
    pipeline *p = arg;
    for (record *r; (r = ring_pop(&p->parsed));) {
        uint32_t name = RF_LOAD(r->name);
        RF_LOCK(&p->totals_lock);
        int64_t total = RF_LOAD(p->totals[name]) + RF_LOAD(r->value);
        RF_STORE(p->totals[name], total);
        RF_UNLOCK(&p->totals_lock);
        RF_STORE(r->total, total);
        set_latest(p, record_ref(r));
        ring_push(&p->done, r);
    }
    set_latest(p, NULL);
    ring_close(&p->done);
    return NULL;
}

static void *write_out(void *arg) {
    pipeline *p = arg;
    for (record *r; (r = ring_pop(&p->done));) {
        uint32_t n = RF_LOAD(p->written);
        pipeline_output line = {RF_LOAD(r->line), RF_LOAD(r->name), RF_LOAD(r->value)};
        RF_STORE(p->output[n], line);
        RF_STORE(p->written, n + 1);
        record_unref(r);
    }
    return NULL;
}

/* ---- The monitor ---- */

static void read_totals(pipeline *p, int64_t totals[NAMES_MAX]) {
    RF_LOCK(&p->totals_lock);
    for (int i = 0; i < NAMES_MAX; i++) totals[i] = RF_LOAD(p->totals[i]);
    RF_UNLOCK(&p->totals_lock);
}

static void look(pipeline *p, pipeline_view *v) {
    *v = (pipeline_view){.bytes = stats_bytes(&p->stats), .names = names_count(&p->names)};
    v->stopped = stop_requested(&p->stop, &v->why);
    v->faults = faults_last(&p->faults, &v->last_fault);
    read_totals(p, v->totals);
    record *r = get_latest(p);
    if (r) {
        v->last_line = RF_LOAD(r->line);
        v->last_value = RF_LOAD(r->value);
        v->last_total = RF_LOAD(r->total);
        record_unref(r);
    }
}

/* Looks at least once after the pipeline has stopped. */
static void *monitor(void *arg) {
    pipeline *p = arg;
    void (*watch)(const pipeline_view *, void *) = RF_LOAD(p->config.watch);
    pipeline_view v = {.stopped = !watch};
    while (!v.stopped) {
        RF_SLEEP_MS(WATCH_MS);
        look(p, &v);
        watch(&v, RF_LOAD(p->config.watch_arg));
    }
    return NULL;
}

/* ---- The whole ---- */

static void pipeline_init(pipeline *p, const pipeline_config *config) {
    RF_STORE(p->config, *config);
    rf_barrier_init(&p->ready, "ready", 1 + PIPELINE_PARSERS);
    ring_init(&p->lines);
    ring_init(&p->parsed);
    ring_init(&p->done);
    rf_sem_init(&p->pool, "pool", PIPELINE_POOL);
    names_init(&p->names);
    stats_init(&p->stats);
    faults_init(&p->faults);
    stop_init(&p->stop);
    rf_atomic_init(&p->parsers, (uint32_t)PIPELINE_PARSERS);
    rf_mutex_init(&p->totals_lock, "totals", RF_MUTEX_NORMAL);
    for (int i = 0; i < NAMES_MAX; i++) RF_STORE(p->totals[i], 0);
    rf_spin_init(&p->latest_lock, "latest");
    RF_STORE(p->latest, NULL);
    RF_STORE(p->written, 0);
}

static void pipeline_destroy(pipeline *p) {
    rf_spin_destroy(&p->latest_lock);
    rf_mutex_destroy(&p->totals_lock);
    faults_destroy(&p->faults);
    stats_destroy(&p->stats);
    names_destroy(&p->names);
    rf_sem_destroy(&p->pool);
    ring_destroy(&p->done);
    ring_destroy(&p->parsed);
    ring_destroy(&p->lines);
    rf_barrier_destroy(&p->ready);
}

/* All threads have been joined. */
static void collect(pipeline *p, pipeline_result *result) {
    struct stats_slot sum = stats_sum(&p->stats);
    *result = (pipeline_result){.bytes = stats_bytes(&p->stats)};
    stop_requested(&p->stop, &result->why);
    result->accepted = sum.accepted;
    result->rejected = sum.rejected;
    result->names = names_count(&p->names);
    read_totals(p, result->totals);
    result->written = RF_LOAD(p->written);
    for (uint32_t i = 0; i < result->written; i++) result->output[i] = RF_LOAD(p->output[i]);
}

void pipeline_run(const pipeline_config *config, pipeline_result *result) {
    pipeline p;
    parser parsers[PIPELINE_PARSERS];
    rf_thread thread[4 + PIPELINE_PARSERS];
    int threads = 0;
    pipeline_init(&p, config);

    thread[threads++] = RF_THREAD(monitor, &p);
    thread[threads++] = RF_THREAD(write_out, &p);
    thread[threads++] = RF_THREAD(aggregate, &p);
    for (int i = 0; i < PIPELINE_PARSERS; i++) {
        parsers[i] = (parser){&p, i};
        thread[threads++] = RF_THREAD(parse, &parsers[i]);
    }
    thread[threads++] = RF_THREAD(reader, &p);
    while (threads > 0) RF_JOIN(thread[--threads]);

    collect(&p, result);
    pipeline_destroy(&p);
}
