/* stop_request.c: saying that the pipeline stops.
 *
 * BUG 3, needs one special order: the flag is raised before the reason is there.  It takes a
 * monitor that looks between the two statements.  Fixed in stop_request_fixed.c.
 */
#include "stop.h"

void stop_request(stop *s, stop_reason why) {
    rf_atomic_store_explicit(&s->requested, true, rf_memory_order_release);
    RF_STORE(s->reason, why); /* too late */
}
