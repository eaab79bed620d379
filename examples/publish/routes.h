/* routes.h: a routing table that is read all the time and replaced now and then.
 *
 * Readers take no lock.  A writer makes a new version beside the current one and publishes it with
 * one store, as RCU does (read, copy, update).  A version that was replaced lives on until
 * routes_destroy, since a reader may still be in it.
 */
#ifndef ROUTES_H
#define ROUTES_H
#include "racefuzz.h"

enum { ROUTES_SIZE = 2 };

typedef struct version {
    struct version *before; /* that it replaced */
    int hop[ROUTES_SIZE];   /* where to send what is for destination i */
} version;

typedef struct routes {
    version *_Atomic current;
} routes;

/* Makes the first version, with the hops first, first + 1, ... */
void routes_init(routes *r, int first);
void routes_destroy(routes *r);

/* Puts other hops in the place of the current ones.  One writer at a time. */
void routes_replace(routes *r, int first);

/* Makes a version current; the current one (routes_publish.c). */
void routes_publish(routes *r, version *v);
version *routes_read(routes *r);

#endif
