/* message_release.c: letting go of a message.
 *
 * BUG: "A counter needs no order, only that no decrement is lost": relaxed.  The last owner knows
 * that the others are done with the message, but not what they did to it: it may read their slots
 * as they were before, and its free() may overtake their last writes.  The report shows both races,
 * and a sum that misses what the other owner wrote.  Fixed in message_release_fixed.c.
 */
#include "message.h"

void message_release(message *m, message_sink *send) {
    if (rf_atomic_fetch_sub_explicit(&m->references, 1, rf_memory_order_relaxed) > 1) return;
    uint32_t sum = 0;
    for (int i = 0; i < MESSAGE_OWNERS; i++) sum += RF_LOAD(m->slot[i]);
    RF_FREE(m);
    send(sum);
}
