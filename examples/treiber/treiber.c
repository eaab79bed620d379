/* treiber.c: the stack of treiber.h, but for treiber_pop and the choice of nodes. */
#include "treiber.h"

void treiber_init(treiber *s) {
    rf_atomic_init(&s->top, NULL);
    for (int i = 0; i < TREIBER_USERS; i++) rf_atomic_init(&s->hazard[i], NULL);
}

void treiber_destroy(treiber *s) {
    for (node *n = rf_atomic_load(&s->top), *next; n; n = next) {
        next = rf_atomic_load(&n->next);
        RF_FREE(n);
    }
}

void user_init(user *u, treiber *s, int number) { *u = (user){.stack = s, .number = number}; }

void user_destroy(user *u) {
    while (u->idle_count) RF_FREE(user_take_idle(u, 0));
}

node *user_take_idle(user *u, int i) {
    node *n = u->idle[i];
    u->idle_count--;
    for (; i < u->idle_count; i++) u->idle[i] = u->idle[i + 1];
    return n;
}

void treiber_push(user *u, int value) {
    treiber *s = u->stack;
    node *n = user_node(u);
    RF_STORE(n->value, value);
    node *top = rf_atomic_load_explicit(&s->top, memory_order_relaxed);
    do rf_atomic_store_explicit(&n->next, top, memory_order_relaxed);
    while (!CAS(&s->top, &top, n, memory_order_release, memory_order_relaxed));
}
