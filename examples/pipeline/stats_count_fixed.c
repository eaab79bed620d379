/* stats_count_fixed.c: counting a line; the slot is the worker's own, the sum needs the lock. */
#include "stats.h"

void stats_count(stats *s, int worker, size_t bytes, bool accepted) {
    struct stats_slot *slot = &s->slot[worker];
    uint32_t *lines = accepted ? &slot->accepted : &slot->rejected;
    RF_STORE(*lines, RF_LOAD(*lines) + 1);

    RF_LOCK(&s->lock);
    RF_STORE(s->bytes, RF_LOAD(s->bytes) + bytes);
    RF_UNLOCK(&s->lock);
}
