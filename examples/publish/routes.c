/* routes.c: the table of routes.h.  How a version is published is in routes_publish.c. */
#include "routes.h"

static version *version_new(version *before, int first) {
    version *v = RF_CALLOC(1, sizeof *v);
    RF_STORE(v->before, before);
    for (int i = 0; i < ROUTES_SIZE; i++) RF_STORE(v->hop[i], first + i);
    return v;
}

void routes_init(routes *r, int first) { rf_atomic_init(&r->current, version_new(NULL, first)); }

void routes_replace(routes *r, int first) { routes_publish(r, version_new(routes_read(r), first)); }

void routes_destroy(routes *r) {
    for (version *v = routes_read(r), *before; v; v = before) {
        before = RF_LOAD(v->before);
        RF_FREE(v);
    }
}
