/* seqlock.h: a point that one thread moves and many look at; nobody waits for a reader.
 *
 * The writer makes `count` odd, writes, and makes it even again.  A reader takes the count, reads,
 * and takes the count once more: if it was even and has not changed, no write came in between.
 */
#ifndef SEQLOCK_H
#define SEQLOCK_H
#include "racefuzz.h"
#include <stdatomic.h>

typedef struct seqlock {
    rf_atomic_uint count;
    rf_atomic_int x, y; /* atomic, since a reader may meet a writer here */
} seqlock;

void seqlock_init(seqlock *l, int x, int y);
void seqlock_write(seqlock *l, int x, int y);  /* by one thread */
bool seqlock_read(seqlock *l, int *x, int *y); /* by any; false: a writer was there, try again */

#endif
