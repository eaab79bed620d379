/* record.h: one line of input on its way through the pipeline, counted by reference.
 *
 * A record belongs to one stage at a time, which alone writes its fields, until the aggregator
 * shares it with the writer and the monitor; from then on it is only read.  The last reference
 * frees it and makes room in the pool, which bounds how many records there are.
 */
#ifndef RECORD_H
#define RECORD_H
#include "racefuzz.h"
#include <stdint.h>

typedef struct record {
    _Atomic uint32_t references;
    rf_sem *pool;
    uint32_t line; /* from 1; line and text are set by the reader */
    const char *text;
    uint32_t name; /* name and value are set by a parser */
    int64_t value;
    int64_t total; /* of its name up to this record; set by the aggregator */
} record;

/* Waits until the pool has room.  With one reference; NULL: out of memory. */
record *record_new(rf_sem *pool, uint32_t line, const char *text);

/* One more reference; the caller holds one. */
record *record_ref(record *r);

/* One less; NULL is allowed. */
void record_unref(record *r);

#endif
