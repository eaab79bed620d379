/* list.h: a singly linked list of numbers; not for several threads at once.
 *
 * Every change is counted, so that an iterator whose list changed under it says so instead of
 * walking on.  Functions that walk another list take an iterator, as they would of any collection.
 */
#ifndef LIST_H
#define LIST_H
#include "racefuzz.h"
#include <stddef.h>

typedef struct list_node {
    struct list_node *next;
    int value;
} list_node;

typedef struct list {
    list_node *head;
    size_t size;
    unsigned changes;
} list;

typedef struct list_iter {
    const list *list;
    const list_node *next;
    unsigned changes; /* of the list, when the iterator was made */
} list_iter;

/* What went wrong; below any count. */
enum { LIST_CHANGED = -1, LIST_NO_MEMORY = -2 };

void list_init(list *l);
void list_clear(list *l); /* gives all memory back */
size_t list_size(const list *l);
bool list_contains(const list *l, int value);
bool list_add(list *l, int value);    /* at the front; false: out of memory */
bool list_remove(list *l, int value); /* the first of that value; false: there is none */

list_iter list_begin(const list *l);
/* 1 and the next value, 0 at the end, or LIST_CHANGED. */
int list_next(list_iter *it, int *value);

/* Of the other list's values: does the list contain them all (1 or 0)?  Add them, remove them: how
 * many were?  Or LIST_CHANGED, LIST_NO_MEMORY with part of the work done. */
int list_contains_all(list *l, list_iter other);
int list_add_all(list *l, list_iter other);
int list_remove_all(list *l, list_iter other);

#endif
