/* stop_request_fixed.c: saying that the pipeline stops; first why, then that. */
#include "stop.h"

void stop_request(stop *s, stop_reason why) {
    RF_STORE(s->reason, why);
    rf_atomic_store_explicit(&s->requested, true, rf_memory_order_release);
}
