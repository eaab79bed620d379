/* routes_publish.c: handing a version over to the readers.
 *
 * BUG: "Storing a pointer is atomic anyway": relaxed.  Nothing says that what the version holds has
 * to be seen with the pointer to it: a reader may follow the new pointer and find the memory as it
 * was before the version was written.  The report shows the race of each write into the version
 * with its reads, and a reader that finds a hop which was never there.  Fixed in
 * routes_publish_fixed.c.
 */
#include "routes.h"

void routes_publish(routes *r, version *v) {
    rf_atomic_store_explicit(&r->current, v, rf_memory_order_relaxed);
}

version *routes_read(routes *r) {
    return rf_atomic_load_explicit(&r->current, rf_memory_order_relaxed);
}
