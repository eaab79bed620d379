/* names.c: the name cache. */
#include "names.h"
#include <string.h>

void names_init(names *n) {
    rf_rwlock_init(&n->lock, "names");
    RF_STORE(n->count, 0);
}

void names_destroy(names *n) { rf_rwlock_destroy(&n->lock); }

/* The lock is held; gives `count` when the name is not there. */
static uint32_t find(names *n, uint32_t count, const char *text, size_t length) {
    uint32_t i = 0;
    for (; i < count; i++) {
        struct name name = RF_LOAD(n->name[i]);
        if (name.length == length && !memcmp(name.text, text, length)) break;
    }
    return i;
}

uint32_t names_number(names *n, const char *text, size_t length) {
    RF_RDLOCK(&n->lock);
    uint32_t count = RF_LOAD(n->count);
    uint32_t number = find(n, count, text, length);
    RF_RWUNLOCK(&n->lock);
    if (number < count) return number;

    RF_WRLOCK(&n->lock);
    count = RF_LOAD(n->count);
    number = find(n, count, text, length);
    if (number == count && count < NAMES_MAX) {
        RF_STORE(n->name[number], (struct name){.text = text, .length = length});
        RF_STORE(n->count, count + 1);
    }
    RF_RWUNLOCK(&n->lock);
    return number;
}

uint32_t names_count(names *n) {
    RF_RDLOCK(&n->lock);
    uint32_t count = RF_LOAD(n->count);
    RF_RWUNLOCK(&n->lock);
    return count;
}
