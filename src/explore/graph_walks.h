/* explore/graph_walks.h: how many executions are there?
 *
 * D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29
 * (1975): a walk takes one option of each event, all with the same chance; the product of their
 * numbers is, on average, the number of leaves of the tree.  A walk that comes to a backward
 * revisit goes on in another execution.
 */
#ifndef RFI_EXPLORE_GRAPH_WALKS_H
#define RFI_EXPLORE_GRAPH_WALKS_H
#include "explore/graph_stack.h"

#ifdef RFI_IMPL
typedef struct rfi_gwalks {
    rfi_gstack stack; /* of the walk, or, while it walks, of the search */
    uint64_t left;    /* executions */
    uint32_t done;    /* walks */
    double sum;       /* of what they say */
    uint64_t next;    /* after so many executions of the search there are more of them */
} rfi_gwalks;

RFI_FN void rfi_gwalks_swap(rfi_gwalks *w, rfi_gstack *s) {
    rfi_gstack other = *s;
    *s = w->stack;
    w->stack = other;
}

/* The search has made so many executions.  The next ones are of walks: first as many again, later
 * a few whenever there are twice as many. */
RFI_FN void rfi_gwalks_begin(rfi_gwalks *w, rfi_gstack *s, uint64_t made) {
    w->left = w->next ? made / 32 + 1 : made;
    w->next = 2 * made;
    w->stack.walks = true;
    memcpy(w->stack.wait, s->wait, sizeof s->wait);
    memcpy(w->stack.bounded, s->bounded, sizeof s->bounded);
    memcpy(w->stack.endless, s->endless, sizeof s->endless);
    w->stack.endlesses = s->endlesses;
    w->stack.waits = s->waits;
    w->stack.boundeds = s->boundeds;
    rfi_gstack_restart(&w->stack);
    rfi_gwalks_swap(w, s);
}

/* One of them has been learned: it has come to an end, or goes on with a revisit. */
RFI_FN void rfi_gwalks_learned(rfi_gwalks *w, rfi_gstack *s) {
    if (!s->turns || s->flaw) {
        w->sum += s->weight + s->stops;
        w->done++;
        rfi_gstack_restart(s);
    }
    s->turns = false;
    if (!--w->left) rfi_gwalks_swap(w, s);
}

RFI_FN void rfi_gwalks_forget(rfi_gwalks *w, rfi_gstack *s) {
    if (w->left) rfi_gwalks_swap(w, s);
    w->left = w->next = w->done = 0;
    w->sum = 0;
}

/* About how many executions there are in all; 0: nothing is known. */
RFI_FN uint64_t rfi_gwalks_all(const rfi_gwalks *w) {
    double all = w->done ? w->sum / w->done : 0;
    return (uint64_t)(all < 1e18 ? all : 1e18);
}
#endif
#endif
