/* array_list: elements in an array that grows, as in the JDK's ArrayList. */
#include "paper.h"

enum { CAPACITY = 32 };

typedef struct collection {
    rf_mutex lock;
    int size, changes;
    int *data, small[2], large[CAPACITY]; /* data: one of these */
} collection;

typedef struct iterator {
    collection *of;
    int at, changes;
} iterator;

#include "synchronized.h"

static void collection_init(collection *c) {
    c->size = c->changes = 0;
    c->data = c->small;
}

static void ensure_capacity(collection *c, int n) {
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    if (n <= 2 || RF_LOAD(c->data) == c->large) return;
    memcpy(c->large, c->small, sizeof c->small);
    RF_STORE(c->data, c->large);
}

static bool collection_add(collection *c, int value) {
    int n = RF_LOAD(c->size);
    if (n == CAPACITY) return false;
    ensure_capacity(c, n + 1);
    RF_STORE(c->data[n], value);
    RF_STORE(c->size, n + 1);
    return true;
}

static void collection_add_all(collection *c, const copy *all) {
    int n = RF_LOAD(c->size);
    ensure_capacity(c, n + all->count);
    for (int i = 0; i < all->count; i++) RF_STORE(c->data[n + i], all->value[i]);
    RF_STORE(c->size, n + all->count);
}

static int index_of(collection *c, int value) {
    int n = RF_LOAD(c->size);
    for (int i = 0; i < n; i++)
        if (RF_LOAD(c->data[i]) == value) return i;
    return -1;
}

static void remove_at(collection *c, int i) {
    int n = RF_LOAD(c->size) - 1;
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    for (; i < n; i++) RF_STORE(c->data[i], RF_LOAD(c->data[i + 1]));
    RF_STORE(c->size, n);
    RF_STORE(c->data[n], 0);
}

static bool collection_remove(collection *c, int value) {
    int i = index_of(c, value);
    if (i >= 0) remove_at(c, i);
    return i >= 0;
}

static bool collection_contains(collection *c, int value) { return index_of(c, value) >= 0; }

static void collection_clear(collection *c) {
    RF_STORE(c->changes, RF_LOAD(c->changes) + 1);
    for (int i = 0, n = RF_LOAD(c->size); i < n; i++) RF_STORE(c->data[i], 0);
    RF_STORE(c->size, 0);
}

static void collection_copy(collection *c, copy *all) {
    for (int i = 0, n = RF_LOAD(c->size); i < n && all->count < COPY; i++)
        all->value[all->count++] = RF_LOAD(c->data[i]);
}

static iterator collection_begin(collection *c) {
    return (iterator){.of = c, .changes = RF_LOAD(c->changes)};
}

static bool iterator_has_next(iterator *it) { return it->at != RF_LOAD(it->of->size); }

static int iterator_next(iterator *it) {
    if (RF_LOAD(it->of->changes) != it->changes) return throw("ConcurrentModificationException");
    if (it->at >= RF_LOAD(it->of->size)) return throw("IndexOutOfBoundsException");
    return RF_LOAD(it->of->data[it->at++]);
}

static void iterator_remove(iterator *it) {
    remove_at(it->of, --it->at);
    it->changes++;
}

DRIVEN(array_list)
