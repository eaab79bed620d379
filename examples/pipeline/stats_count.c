/* stats_count.c: counting a line.
 *
 * BUG 1, easy: the sum is raised without its lock, by two parsers at once, and one of the two
 * additions is lost.  Fixed in stats_count_fixed.c.
 */
#include "stats.h"

void stats_count(stats *s, int worker, size_t bytes, bool accepted) {
    struct stats_slot *slot = &s->slot[worker];
    uint32_t *lines = accepted ? &slot->accepted : &slot->rejected;
    RF_STORE(*lines, RF_LOAD(*lines) + 1);

    RF_STORE(s->bytes, RF_LOAD(s->bytes) + bytes); /* no lock */
}
