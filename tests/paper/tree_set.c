/* tree_set: a search tree whose nodes know their parents, as in the JDK's TreeSet (there it is
 * balanced too). */
#include "paper.h"
#define IS_SET

enum { NODES = 32 };

typedef struct node {
    struct node *left, *right, *parent;
    int value;
} node;

typedef struct collection {
    rf_mutex lock;
    int size, changes;
    node *root, node[NODES];
    int used; /* of the nodes; none is used twice */
} collection;

typedef struct iterator {
    collection *of;
    node *next, *last;
    int changes;
} iterator;

#include "synchronized.h"

static void collection_init(collection *c) {
    c->size = c->changes = c->used = 0;
    c->root = NULL;
}

static node *find(collection *c, int value) {
    node *n = RF_LOAD(c->root);
    while (n && value != n->value) n = value < n->value ? RF_LOAD(n->left) : RF_LOAD(n->right);
    return n;
}

static bool collection_contains(collection *c, int value) { return find(c, value); }

static void count(collection *c, int by) {
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    RF_STORE(c->size, RF_LOAD(c->size) + by);
}

static bool collection_add(collection *c, int value) {
    node *parent = NULL, *n = RF_LOAD(c->root);
    while (n && value != n->value) {
        parent = n;
        n = value < n->value ? RF_LOAD(n->left) : RF_LOAD(n->right);
    }
    if (n) return false;
    n = &c->node[c->used++];
    *n = (node){NULL, NULL, parent, value};
    count(c, 1);
    if (!parent)
        RF_STORE(c->root, n);
    else if (value < parent->value)
        RF_STORE(parent->left, n);
    else
        RF_STORE(parent->right, n);
    return true;
}

static node *successor(node *n) {
    node *p = RF_LOAD(n->right);
    if (p) {
        for (node *left; (left = RF_LOAD(p->left));) p = left;
        return p;
    }
    for (p = RF_LOAD(n->parent); p && RF_LOAD(p->right) == n; p = RF_LOAD(p->parent)) n = p;
    return p;
}

/* Puts `by` into the place of `n`, which has no two children. */
static void replace(collection *c, node *n, node *by) {
    node *parent = RF_LOAD(n->parent);
    if (by) RF_STORE(by->parent, parent);
    if (!parent)
        RF_STORE(c->root, by);
    else if (RF_LOAD(parent->left) == n)
        RF_STORE(parent->left, by);
    else
        RF_STORE(parent->right, by);
}

/* Of a node with two children the value is replaced by the next one, whose node goes instead. */
static void delete_node(collection *c, node *n) {
    node *left = RF_LOAD(n->left), *right = RF_LOAD(n->right);
    count(c, -1);
    if (left && right) {
        node *next = successor(n);
        RF_STORE(n->value, RF_LOAD(next->value));
        n = next;
        left = NULL;
        right = RF_LOAD(n->right);
    }
    replace(c, n, left ? left : right);
    RF_STORE(n->parent, NULL);
}

static bool collection_remove(collection *c, int value) {
    node *n = find(c, value);
    if (n) delete_node(c, n);
    return n;
}

static void collection_clear(collection *c) {
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    RF_STORE(c->size, 0);
    RF_STORE(c->root, NULL);
}

static iterator collection_begin(collection *c) {
    iterator it = {.of = c, .changes = RF_LOAD(c->changes)};
    it.next = RF_LOAD(c->root);
    for (node *left; it.next && (left = RF_LOAD(it.next->left));) it.next = left;
    return it;
}

static bool iterator_has_next(iterator *it) { return it->next; }

static int iterator_next(iterator *it) {
    if (RF_LOAD(it->of->changes) != it->changes) return throw("ConcurrentModificationException");
    if (!it->next) return throw("NoSuchElementException");
    it->last = it->next;
    it->next = successor(it->last);
    return RF_LOAD(it->last->value);
}

static void iterator_remove(iterator *it) {
    if (RF_LOAD(it->last->left) && RF_LOAD(it->last->right)) it->next = it->last;
    delete_node(it->of, it->last);
    it->changes++;
}

DRIVEN(tree_set)
