/* synclist.h: a list of list.h behind a lock.
 *
 * A decorator: every function takes the lock and calls the function of the plain list.  Any thread
 * may call any function between synclist_init and synclist_destroy, and none ever sees a list in
 * the middle of a change: no result is LIST_CHANGED.
 */
#ifndef SYNCLIST_H
#define SYNCLIST_H
#include "list.h"

typedef struct synclist {
    rf_mutex lock;
    list items; /* guarded by lock */
} synclist;

void synclist_init(synclist *s);
void synclist_destroy(synclist *s);
void synclist_clear(synclist *s);
size_t synclist_size(synclist *s);
bool synclist_contains(synclist *s, int value);
bool synclist_add(synclist *s, int value);
bool synclist_remove(synclist *s, int value);

/* With all values of another list, which may be the list itself. */
int synclist_contains_all(synclist *s, synclist *other);
int synclist_add_all(synclist *s, synclist *other);
int synclist_remove_all(synclist *s, synclist *other);

/* list_contains_all, list_add_all or list_remove_all on two synchronised lists (bulk.c). */
int synclist_bulk(synclist *s, synclist *other, int operation(list *, list_iter));

#endif
