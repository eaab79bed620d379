/* linked_list: a ring of nodes with a head, as in the JDK's LinkedList. */
#include "paper.h"

enum { NODES = 32 };

typedef struct node {
    struct node *next, *previous;
    int value;
} node;

typedef struct collection {
    rf_mutex lock;
    int size, changes;
    node head, node[NODES];
    int used; /* of the nodes; none is used twice */
} collection;

typedef struct iterator {
    collection *of;
    node *next, *last;
    int at, changes;
} iterator;

#include "synchronized.h"

static void collection_init(collection *c) {
    c->size = c->changes = c->used = 0;
    c->head.next = c->head.previous = &c->head;
}

static bool collection_add(collection *c, int value) {
    node *n = &c->node[c->used++], *last = RF_LOAD(c->head.previous);
    *n = (node){&c->head, last, value};
    RF_STORE(last->next, n);
    RF_STORE(c->head.previous, n);
    RF_STORE(c->size, RF_LOAD(c->size) + 1);
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    return true;
}

static void collection_add_all(collection *c, const copy *all) {
    node *last = RF_LOAD(c->head.previous);
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    for (int i = 0; i < all->count; i++) {
        node *n = &c->node[c->used++];
        *n = (node){&c->head, last, all->value[i]};
        RF_STORE(last->next, n);
        last = n;
    }
    RF_STORE(c->head.previous, last);
    RF_STORE(c->size, RF_LOAD(c->size) + all->count);
}

static void unlink_node(collection *c, node *n) {
    node *previous = RF_LOAD(n->previous), *next = RF_LOAD(n->next);
    RF_STORE(previous->next, next);
    RF_STORE(next->previous, previous);
    RF_STORE(c->size, RF_LOAD(c->size) - 1);
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
}

static node *find(collection *c, int value) {
    for (node *n = RF_LOAD(c->head.next); n != &c->head; n = RF_LOAD(n->next))
        if (n->value == value) return n;
    return NULL;
}

static bool collection_remove(collection *c, int value) {
    node *n = find(c, value);
    if (n) unlink_node(c, n);
    return n;
}

static bool collection_contains(collection *c, int value) { return find(c, value); }

static void collection_clear(collection *c) {
    RF_STORE(c->head.next, &c->head);
    RF_STORE(c->head.previous, &c->head);
    RF_STORE(c->size, 0);
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
}

static void collection_copy(collection *c, copy *all) {
    for (node *n = RF_LOAD(c->head.next); n != &c->head; n = RF_LOAD(n->next))
        if (all->count < COPY) all->value[all->count++] = n->value;
}

static iterator collection_begin(collection *c) {
    return (iterator){.of = c, .next = RF_LOAD(c->head.next), .changes = RF_LOAD(c->changes)};
}

static bool iterator_has_next(iterator *it) { return it->at != RF_LOAD(it->of->size); }

static int iterator_next(iterator *it) {
    if (RF_LOAD(it->of->changes) != it->changes) return throw("ConcurrentModificationException");
    if (it->at == RF_LOAD(it->of->size)) return throw("NoSuchElementException");
    it->last = it->next;
    it->next = RF_LOAD(it->last->next);
    it->at++;
    return it->last->value;
}

static void iterator_remove(iterator *it) {
    unlink_node(it->of, it->last);
    it->at--;
    it->changes++;
}

DRIVEN(linked_list)
