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
enum { RFI_G_WALKS = 512 }; /* executions of them in a row, at most */

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

/* How many executions of walks come after so many of the search: as many again at first, then a few
 * whenever there are twice as many, which cost about a fiftieth of all. */
RFI_FN uint64_t rfi_gwalks_due(const rfi_gwalks *w, uint64_t made) {
    uint64_t n = w->next ? made / 128 + 1 : made;
    return n < RFI_G_WALKS ? n : RFI_G_WALKS;
}

/* The next executions, so many, are of walks. */
RFI_FN void rfi_gwalks_begin(rfi_gwalks *w, rfi_gstack *s, uint64_t executions) {
    w->left = executions;
    w->stack.walks = true;
    rfi_gstack_knows(&w->stack, s);
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
