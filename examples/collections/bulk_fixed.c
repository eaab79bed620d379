/* bulk_fixed.c: operations on two synchronised lists.
 *
 * The other list is copied under its lock, and the copy is walked under this list's lock: each list
 * is only touched by the holder of its lock, and nobody ever waits for one lock with the other.
 */
#include "synclist.h"

int synclist_bulk(synclist *s, synclist *other, int operation(list *, list_iter)) {
    list copy;
    list_init(&copy);
    RF_LOCK(&other->lock);
    int result = list_add_all(&copy, list_begin(&other->items));
    RF_UNLOCK(&other->lock);

    if (result >= 0) {
        RF_LOCK(&s->lock);
        result = operation(&s->items, list_begin(&copy));
        RF_UNLOCK(&s->lock);
    }
    list_clear(&copy);
    return result;
}
