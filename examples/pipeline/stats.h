/* stats.h: what the parsers count.
 *
 * The sum that the monitor watches is behind a lock; what is only wanted at the end is counted by
 * each worker in a slot of its own and added up when they have been joined.
 */
#ifndef STATS_H
#define STATS_H
#include "racefuzz.h"
#include <stddef.h>
#include <stdint.h>

enum { STATS_WORKERS = 2 };

typedef struct stats {
    rf_mutex lock;
    uint64_t bytes; /* of all lines so far; guarded by lock */
    struct stats_slot {
        uint32_t accepted, rejected;
    } slot[STATS_WORKERS]; /* each its worker's own */
} stats;

void stats_init(stats *s);
void stats_destroy(stats *s);

/* Worker `worker` is done with a line (stats_count.c). */
void stats_count(stats *s, int worker, size_t bytes, bool accepted);

/* For any thread. */
uint64_t stats_bytes(stats *s);

/* After all workers have been joined. */
struct stats_slot stats_sum(const stats *s);

#endif
