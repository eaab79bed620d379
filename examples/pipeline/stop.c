/* stop.c: asking whether to stop. */
#include "stop.h"

void stop_init(stop *s) {
    rf_atomic_init(&s->requested, false);
    RF_STORE(s->reason, STOP_NOT);
}

bool stop_requested(stop *s, stop_reason *why) {
    bool requested = rf_atomic_load_explicit(&s->requested, rf_memory_order_acquire);
    if (requested) *why = RF_LOAD(s->reason);
    return requested;
}
