/* bulk.c: operations on two synchronised lists.
 *
 * BUG: The iterator of the other list is made under the other list's lock, but used without it.
 * It reads `changes` and the nodes while another thread changes them: the walk stops half way, or
 * follows a node that has been freed.  And the other's lock is taken inside this list's lock, so
 * two lists that are added to each other can deadlock.  Fixed in bulk_fixed.c.
 */
#include "synclist.h"

static list_iter begin(synclist *s) {
    RF_LOCK(&s->lock);
    list_iter it = list_begin(&s->items);
    RF_UNLOCK(&s->lock);
    return it;
}

int synclist_bulk(synclist *s, synclist *other, int operation(list *, list_iter)) {
    RF_LOCK(&s->lock);
    int result = operation(&s->items, begin(other)); /* walks `other` without its lock */
    RF_UNLOCK(&s->lock);
    return result;
}
