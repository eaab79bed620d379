/* routes_publish_fixed.c: handing a version over to the readers.  The store releases what was
 * written into the version; the load acquires it (consume would be enough: what is read there is
 * reached through the pointer; compilers take it for acquire). */
#include "routes.h"

void routes_publish(routes *r, version *v) {
    rf_atomic_store_explicit(&r->current, v, rf_memory_order_release);
}

version *routes_read(routes *r) {
    return rf_atomic_load_explicit(&r->current, rf_memory_order_acquire);
}
