/* message_release_fixed.c: letting go of a message.  Each decrement releases what its owner did;
 * the last owner acquires it all, with a fence, which the others need not pay for. */
#include "message.h"

void message_release(message *m, message_sink *send) {
    if (rf_atomic_fetch_sub_explicit(&m->references, 1, rf_memory_order_release) > 1) return;
    rf_atomic_thread_fence(rf_memory_order_acquire);
    uint32_t sum = 0;
    for (int i = 0; i < MESSAGE_OWNERS; i++) sum += RF_LOAD(m->slot[i]);
    RF_FREE(m);
    send(sum);
}
