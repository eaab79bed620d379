/* list.c: the list of list.h. */
#include "list.h"

void list_init(list *l) {
    RF_STORE(l->head, NULL);
    RF_STORE(l->size, 0);
    RF_STORE(l->changes, 0);
}

static void changed(list *l, size_t size) {
    RF_STORE(l->size, size);
    RF_STORE(l->changes, RF_LOAD(l->changes) + 1);
}

/* Unlinks and frees the node that *link points to. */
static void drop(list *l, list_node **link) {
    list_node *n = RF_LOAD(*link);
    RF_STORE(*link, RF_LOAD(n->next));
    RF_FREE(n);
    changed(l, RF_LOAD(l->size) - 1);
}

void list_clear(list *l) {
    while (RF_LOAD(l->head)) drop(l, &l->head);
}

size_t list_size(const list *l) { return RF_LOAD(l->size); }

bool list_contains(const list *l, int value) {
    const list_node *n = RF_LOAD(l->head);
    while (n && RF_LOAD(n->value) != value) n = RF_LOAD(n->next);
    return n != NULL;
}

bool list_add(list *l, int value) {
    list_node *n = RF_MALLOC(sizeof *n);
    if (!n) return false;
    RF_STORE(*n, (list_node){.next = RF_LOAD(l->head), .value = value});
    RF_STORE(l->head, n);
    changed(l, RF_LOAD(l->size) + 1);
    return true;
}

bool list_remove(list *l, int value) {
    list_node **link = &l->head, *n;
    while ((n = RF_LOAD(*link)) && RF_LOAD(n->value) != value) link = &n->next;
    if (n) drop(l, link);
    return n != NULL;
}

list_iter list_begin(const list *l) {
    return (list_iter){.list = l, .next = RF_LOAD(l->head), .changes = RF_LOAD(l->changes)};
}

int list_next(list_iter *it, int *value) {
    if (RF_LOAD(it->list->changes) != it->changes) return LIST_CHANGED;
    if (!it->next) return 0;
    *value = RF_LOAD(it->next->value);
    it->next = RF_LOAD(it->next->next);
    return 1;
}

int list_contains_all(list *l, list_iter other) {
    int value, more;
    while ((more = list_next(&other, &value)) == 1)
        if (!list_contains(l, value)) return 0;
    return more < 0 ? more : 1;
}

int list_add_all(list *l, list_iter other) {
    int value, more, added = 0;
    while ((more = list_next(&other, &value)) == 1) {
        if (!list_add(l, value)) return LIST_NO_MEMORY;
        added++;
    }
    return more < 0 ? more : added;
}

int list_remove_all(list *l, list_iter other) {
    int value, more, removed = 0;
    while ((more = list_next(&other, &value)) == 1)
        if (list_remove(l, value)) removed++;
    return more < 0 ? more : removed;
}
