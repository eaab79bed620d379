/* treiber_pop.c: taking the top off, and using its node again.
 *
 * BUG: ABA.  "The top is still node A, so A->next is still B."  But meanwhile another thread may
 * have popped A and B and pushed A again.  Then the compare-exchange succeeds and makes B the top,
 * which nobody pushed: its value is popped twice.  The report shows an assertion that counts, and
 * above it the two pops and the push between a thread's read of `next` and its compare-exchange;
 * or the pop that comes after them, but sees the top and the `next` of before.  Fixed in
 * treiber_pop_fixed.c.
 */
#include "treiber.h"

bool treiber_pop(user *u, int *value) {
    treiber *s = u->stack;
    node *top = rf_atomic_load_explicit(&s->top, memory_order_acquire), *next;
    do {
        if (!top) return false;
        next = rf_atomic_load_explicit(&top->next, memory_order_relaxed);
    } while (!CAS(&s->top, &top, next, memory_order_acquire, memory_order_acquire));
    *value = RF_LOAD(top->value);
    u->idle[u->idle_count++] = top;
    return true;
}

node *user_node(user *u) { return u->idle_count ? user_take_idle(u, 0) : RF_MALLOC(sizeof(node)); }
