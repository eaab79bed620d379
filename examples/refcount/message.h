/* message.h: a message that several threads share; the last one to let go of it sends it.
 *
 * Each owner writes into its own slot, without a lock, for as long as it holds its reference.
 */
#ifndef MESSAGE_H
#define MESSAGE_H
#include "racefuzz.h"
#include <stdint.h>

enum { MESSAGE_OWNERS = 2 };

typedef struct message {
    rf_atomic_int references;
    uint32_t slot[MESSAGE_OWNERS];
} message;

/* Called with the sum of the slots, once. */
typedef void message_sink(uint32_t sum);

/* A message with MESSAGE_OWNERS references; NULL when there is no memory. */
message *message_new(void);

void message_write(message *m, int owner, uint32_t value);

/* Lets go of a reference; the last one sends the message and frees it (message_release.c). */
void message_release(message *m, message_sink *send);

#endif
