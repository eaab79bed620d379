/* message.c: making and filling a message.  Letting go of it is in message_release.c. */
#include "message.h"

message *message_new(void) {
    message *m = RF_MALLOC(sizeof *m);
    if (!m) return NULL;
    rf_atomic_init(&m->references, MESSAGE_OWNERS);
    for (int i = 0; i < MESSAGE_OWNERS; i++) RF_STORE(m->slot[i], 0);
    return m;
}

void message_write(message *m, int owner, uint32_t value) { RF_STORE(m->slot[owner], value); }
