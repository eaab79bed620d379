/* spsc.h: a ring of numbers between one producer and one consumer, without a lock.
 *
 * `tail` counts what was put in and is written by the producer only, `head` counts what was taken
 * out and is written by the consumer only.  The slots are plain memory: between head and tail they
 * belong to the consumer, the others to the producer, and the two counts hand them over.
 */
#ifndef SPSC_H
#define SPSC_H
#include "racefuzz.h"
#include <stdatomic.h>

enum { SPSC_SIZE = 2 }; /* a power of two: the counts wrap around */

typedef struct spsc {
    rf_atomic_uint head, tail;
    int slot[SPSC_SIZE];
} spsc;

void spsc_init(spsc *r);
bool spsc_push(spsc *r, int value); /* by the producer; false: full */
bool spsc_pop(spsc *r, int *value); /* by the consumer; false: empty */

#endif
