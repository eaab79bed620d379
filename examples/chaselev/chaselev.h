/* chaselev.h: the work-stealing deque of Chase and Lev (SPAA 2005), with the memory orders of Le,
 * Pop, Cohen and Zappa Nardelli (PPoPP 2013).
 *
 * The owner pushes and takes at the bottom, thieves steal from the top.  The values lie in a ring
 * that the owner replaces by a larger one when it is full; thieves may still look into the old one,
 * so it is kept.
 */
#ifndef CHASELEV_H
#define CHASELEV_H
#include "racefuzz.h"
#include <stdatomic.h>

#define CAS rf_atomic_compare_exchange_strong_explicit /* short: a call fits a line */

typedef struct ring {
    struct ring *old;
    rf_atomic_long size;
    rf_atomic_int slot[];
} ring;

typedef struct deque {
    rf_atomic_long top, bottom;
    _Atomic(ring *) ring;
} deque;

void deque_init(deque *d, long size);
void deque_destroy(deque *d);
void deque_push(deque *d, int value);   /* by the owner */
bool deque_take(deque *d, int *value);  /* by the owner; false: empty */
bool deque_steal(deque *d, int *value); /* by anybody; false: empty, or somebody was faster */

ring *ring_new(long size);
long ring_size(ring *r);
ring *deque_grow(deque *d, ring *old, long top, long bottom); /* to twice the size */

#endif
