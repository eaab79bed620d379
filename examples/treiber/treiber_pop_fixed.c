/* treiber_pop_fixed.c: taking the top off, and using its node again when nobody looks at it.
 *
 * Of the two fences, that of a pop and that of a thread in search of a node, one comes first.  If
 * it is that of the pop, the search sees the hazard pointer.  If it is that of the search, the pop
 * sees that the node is no longer the top.
 */
#include "treiber.h"

/* The top, which is not used again until the hazard pointer is cleared; or NULL. */
static node *protected_top(user *u) {
    treiber *s = u->stack;
    node *top = rf_atomic_load_explicit(&s->top, memory_order_relaxed), *seen;
    do {
        seen = top;
        rf_atomic_store_explicit(&s->hazard[u->number], seen, memory_order_relaxed);
        rf_atomic_thread_fence(memory_order_seq_cst);
        top = rf_atomic_load_explicit(&s->top, memory_order_acquire);
    } while (top != seen);
    return top;
}

bool treiber_pop(user *u, int *value) {
    treiber *s = u->stack;
    node *top, *next, *found;
    do {
        found = top = protected_top(u);
        if (!top) break;
        next = rf_atomic_load_explicit(&top->next, memory_order_relaxed);
    } while (!CAS(&s->top, &found, next, memory_order_acquire, memory_order_relaxed));
    rf_atomic_store_explicit(&s->hazard[u->number], NULL, memory_order_release);
    if (!top) return false;
    *value = RF_LOAD(top->value);
    u->idle[u->idle_count++] = top;
    return true;
}

static bool is_protected(treiber *s, node *n) {
    for (int i = 0; i < TREIBER_USERS; i++)
        if (rf_atomic_load_explicit(&s->hazard[i], memory_order_acquire) == n) return true;
    return false;
}

node *user_node(user *u) {
    rf_atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < u->idle_count; i++)
        if (!is_protected(u->stack, u->idle[i])) return user_take_idle(u, i);
    return RF_MALLOC(sizeof(node));
}
