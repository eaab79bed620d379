/* synclist.c: each function of list.h, under the lock. */
#include "synclist.h"

void synclist_init(synclist *s) {
    rf_mutex_init(&s->lock, "list", RF_MUTEX_NORMAL);
    list_init(&s->items);
}

void synclist_destroy(synclist *s) {
    list_clear(&s->items);
    rf_mutex_destroy(&s->lock);
}

void synclist_clear(synclist *s) {
    RF_LOCK(&s->lock);
    list_clear(&s->items);
    RF_UNLOCK(&s->lock);
}

size_t synclist_size(synclist *s) {
    RF_LOCK(&s->lock);
    size_t size = list_size(&s->items);
    RF_UNLOCK(&s->lock);
    return size;
}

bool synclist_contains(synclist *s, int value) {
    RF_LOCK(&s->lock);
    bool found = list_contains(&s->items, value);
    RF_UNLOCK(&s->lock);
    return found;
}

bool synclist_add(synclist *s, int value) {
    RF_LOCK(&s->lock);
    bool added = list_add(&s->items, value);
    RF_UNLOCK(&s->lock);
    return added;
}

bool synclist_remove(synclist *s, int value) {
    RF_LOCK(&s->lock);
    bool removed = list_remove(&s->items, value);
    RF_UNLOCK(&s->lock);
    return removed;
}

int synclist_contains_all(synclist *s, synclist *other) {
    return synclist_bulk(s, other, list_contains_all);
}

int synclist_add_all(synclist *s, synclist *other) { return synclist_bulk(s, other, list_add_all); }

int synclist_remove_all(synclist *s, synclist *other) {
    return synclist_bulk(s, other, list_remove_all);
}
