/* stop.h: one thread says that the pipeline stops, and why; the others ask.
 *
 * The flag is atomic: who sees it set sees all that was written before it was set.
 */
#ifndef STOP_H
#define STOP_H
#include "racefuzz.h"

typedef enum stop_reason { STOP_NOT = 0, STOP_END, STOP_FAULTS, STOP_MEMORY } stop_reason;

typedef struct stop {
    _Atomic bool requested;
    stop_reason reason; /* set before `requested` is */
} stop;

void stop_init(stop *s);

/* Once, by one thread (stop_request.c). */
void stop_request(stop *s, stop_reason why);

/* For any thread: has it been requested?  Then also why, which is never STOP_NOT. */
bool stop_requested(stop *s, stop_reason *why);

#endif
