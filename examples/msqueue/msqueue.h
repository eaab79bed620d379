/* msqueue.h: the queue of Michael and Scott (PODC 1996), for any number of threads, without locks.
 *
 * A linked list.  `head` is the node that was taken last (at first a dummy); what is in the queue
 * comes after it.  `tail` is the last node, or the one before it for a moment: whoever finds it
 * lagging moves it on.  It never lags behind the head.
 */
#ifndef MSQUEUE_H
#define MSQUEUE_H
#include "racefuzz.h"
#include <stdatomic.h>

#define CAS rf_atomic_compare_exchange_strong_explicit /* short: a call fits a line */

typedef struct node {
    _Atomic(struct node *) next;
    int value;
} node;

typedef struct msqueue {
    _Atomic(node *) head, tail;
    node dummy;
} msqueue;

void msqueue_init(msqueue *q);
void msqueue_put(msqueue *q, node *n, int value); /* a node is used once and outlives the queue */
bool msqueue_take(msqueue *q, int *value);        /* false: empty */

#endif
