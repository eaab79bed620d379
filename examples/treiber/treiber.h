/* treiber.h: a stack of numbers for several threads, without locks (Treiber 1986).
 *
 * Nodes are never given back while threads are about: each thread keeps those that it has popped
 * and uses them again for its next pushes.  So a thread may look into a node that another one has
 * popped meanwhile.  In the fixed twin it says so first, in its hazard pointer (Michael 2004), and
 * a node is not used again while somebody's hazard pointer points at it.
 */
#ifndef TREIBER_H
#define TREIBER_H
#include "racefuzz.h"
#include <stdatomic.h>

#define CAS rf_atomic_compare_exchange_strong_explicit /* short: a call fits a line */

enum { TREIBER_USERS = 3, TREIBER_NODES = 4 };

typedef struct node {
    _Atomic(struct node *) next;
    int value;
} node;

typedef struct treiber {
    _Atomic(node *) top;
    _Atomic(node *) hazard[TREIBER_USERS]; /* the fixed twin: what each user is looking at */
} treiber;

/* One thread's way to the stack. */
typedef struct user {
    treiber *stack;
    int number;
    int idle_count;
    node *idle[TREIBER_NODES]; /* its popped nodes, the oldest first */
} user;

void treiber_init(treiber *s);
void treiber_destroy(treiber *s);
void user_init(user *u, treiber *s, int number);
void user_destroy(user *u);

void treiber_push(user *u, int value);
bool treiber_pop(user *u, int *value); /* false: empty */

node *user_node(user *u); /* a node for a push: an idle one or a new one */
node *user_take_idle(user *u, int i);

#endif
