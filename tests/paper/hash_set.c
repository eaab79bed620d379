/* hash_set: a table of chains, as in the JDK's HashSet. */
#include "paper.h"
#define IS_SET

enum { NODES = 32, TABLE = 2 };

typedef struct node {
    struct node *next;
    int value;
} node;

typedef struct collection {
    rf_mutex lock;
    int size, changes;
    node *table[TABLE], node[NODES];
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
    memset(c->table, 0, sizeof c->table);
}

static bool collection_contains(collection *c, int value) {
    node *n = RF_LOAD(c->table[value % TABLE]);
    while (n && n->value != value) n = RF_LOAD(n->next);
    return n;
}

static bool collection_add(collection *c, int value) {
    if (collection_contains(c, value)) return false;
    node *n = &c->node[c->used++];
    *n = (node){RF_LOAD(c->table[value % TABLE]), value};
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    RF_STORE(c->table[value % TABLE], n);
    RF_STORE(c->size, RF_LOAD(c->size) + 1);
    return true;
}

static bool collection_remove(collection *c, int value) {
    node *before = NULL, *n = RF_LOAD(c->table[value % TABLE]);
    while (n && n->value != value) {
        before = n;
        n = RF_LOAD(n->next);
    }
    if (!n) return false;
    node *next = RF_LOAD(n->next);
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    RF_STORE(c->size, RF_LOAD(c->size) - 1);
    if (before)
        RF_STORE(before->next, next);
    else
        RF_STORE(c->table[value % TABLE], next);
    return true;
}

static void collection_clear(collection *c) {
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    for (int i = 0; i < TABLE; i++) RF_STORE(c->table[i], NULL);
    RF_STORE(c->size, 0);
}

/* The first node of the chains below number `at`. */
static node *advance(iterator *it) {
    node *n = NULL;
    while (!n && it->at > 0) n = RF_LOAD(it->of->table[--it->at]);
    return n;
}

static iterator collection_begin(collection *c) {
    iterator it = {.of = c, .at = TABLE, .changes = RF_LOAD(c->changes)};
    it.next = advance(&it);
    return it;
}

static bool iterator_has_next(iterator *it) { return it->next; }

static int iterator_next(iterator *it) {
    if (RF_LOAD(it->of->changes) != it->changes) return throw("ConcurrentModificationException");
    if (!it->next) return throw("NoSuchElementException");
    it->last = it->next;
    it->next = RF_LOAD(it->last->next);
    if (!it->next) it->next = advance(it);
    return it->last->value;
}

static void iterator_remove(iterator *it) {
    collection_remove(it->of, it->last->value);
    it->changes++;
}

DRIVEN(hash_set)
