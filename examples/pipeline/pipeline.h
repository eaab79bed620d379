/* pipeline.h: reads lines "name number[unit]", adds the numbers up by name, and is watched while it
 * works.
 *
 *     reader --lines--> parser 0 --parsed--> aggregator --done--> writer
 *                   \-> parser 1 -/               \
 *                                                  latest --> monitor (also reads all the rest)
 *
 * pipeline_run starts six threads and returns when all have ended.  What they share, and what makes
 * it safe:
 *
 *     config                written before the threads start, then only read
 *     units                 written by the reader before a barrier, read by the parsers after it
 *     lines, parsed, done   rings: a lock and two conditions each (ring.h)
 *     records               one owner at a time, handed over by the rings; then shared and only
 *                           read, counted by an atomic (record.h)
 *     pool                  a semaphore that bounds the number of records
 *     names                 a reader-writer lock (names.h)
 *     stats.bytes           a lock (stats.h)
 *     stats.slot            one per parser, added up after the join
 *     faults                a lock (faults.h)
 *     stop                  an atomic flag that publishes the reason (stop.h)
 *     parsers               an atomic count: the last parser closes the ring
 *     totals                a lock
 *     latest                a spin lock, and a reference of its own
 *     output                the writer's own until it is joined
 */
#ifndef PIPELINE_H
#define PIPELINE_H
#include "faults.h"
#include "names.h"
#include "record.h"
#include "ring.h"
#include "stats.h"
#include "stop.h"

enum { PIPELINE_PARSERS = STATS_WORKERS, PIPELINE_POOL = 4, PIPELINE_LINES = 16 };

/* A look at the running pipeline.  Each part is true of one instant, not of the same one. */
typedef struct pipeline_view {
    bool stopped; /* nothing more is read */
    stop_reason why;
    uint64_t bytes; /* of all lines parsed so far */
    uint32_t faults, names;
    fault last_fault;   /* if faults > 0 */
    uint32_t last_line; /* of the latest record; 0: none so far */
    int64_t last_value, last_total;
    int64_t totals[NAMES_MAX];
} pipeline_view;

typedef struct pipeline_config {
    const char *const *lines; /* at most PIPELINE_LINES */
    uint32_t line_count;
    uint32_t max_faults;                          /* more than these stop the reader */
    void (*watch)(const pipeline_view *, void *); /* called by the monitor; may be NULL */
    void *watch_arg;
} pipeline_config;

typedef struct pipeline_output {
    uint32_t line, name;
    int64_t value;
} pipeline_output;

typedef struct pipeline_result {
    stop_reason why; /* it ended */
    uint64_t bytes;
    uint32_t accepted, rejected, names, written; /* lines, but for names */
    int64_t totals[NAMES_MAX];
    pipeline_output output[PIPELINE_LINES]; /* `written` of them, in any order */
} pipeline_result;

/* Each run is on its own; runs may overlap. */
void pipeline_run(const pipeline_config *config, pipeline_result *result);

#endif
