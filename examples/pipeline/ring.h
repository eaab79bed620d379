/* ring.h: a bounded queue of pointers between two stages of the pipeline.
 *
 * What a stage wrote before it pushed a pointer is seen by the stage that pops it: the lock of the
 * ring hands it over.  Any thread may call any function between ring_init and ring_destroy.
 */
#ifndef RING_H
#define RING_H
#include "racefuzz.h"
#include <stdint.h>

enum { RING_SIZE = 2 };

typedef struct ring {
    rf_mutex lock; /* guards all below */
    rf_cond not_full, not_empty;
    void *slot[RING_SIZE];
    uint32_t head, count;
    bool closed;
} ring;

void ring_init(ring *r);
void ring_destroy(ring *r);
void ring_push(ring *r, void *p); /* waits for room; never after ring_close */
void *ring_pop(ring *r);          /* waits; NULL when the ring is closed and empty */
void ring_close(ring *r);         /* nothing more will be pushed */

#endif
