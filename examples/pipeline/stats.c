/* stats.c: the statistics, but for stats_count. */
#include "stats.h"

void stats_init(stats *s) {
    rf_mutex_init(&s->lock, "stats", RF_MUTEX_NORMAL);
    RF_STORE(s->bytes, 0);
    for (int i = 0; i < STATS_WORKERS; i++) RF_STORE(s->slot[i], (struct stats_slot){0, 0});
}

void stats_destroy(stats *s) { rf_mutex_destroy(&s->lock); }

uint64_t stats_bytes(stats *s) {
    RF_LOCK(&s->lock);
    uint64_t bytes = RF_LOAD(s->bytes);
    RF_UNLOCK(&s->lock);
    return bytes;
}

struct stats_slot stats_sum(const stats *s) {
    struct stats_slot sum = {0, 0};
    for (int i = 0; i < STATS_WORKERS; i++) {
        sum.accepted += RF_LOAD(s->slot[i].accepted);
        sum.rejected += RF_LOAD(s->slot[i].rejected);
    }
    return sum;
}
