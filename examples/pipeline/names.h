/* names.h: a cache that gives every name a small number.
 *
 * Mostly read, so a reader-writer lock: a name that is known costs a read lock; one that is not is
 * looked for again under the write lock before it is added.  Any thread may call any function
 * between names_init and names_destroy.
 */
#ifndef NAMES_H
#define NAMES_H
#include "racefuzz.h"
#include <stddef.h>
#include <stdint.h>

enum { NAMES_MAX = 4, NAMES_FULL = NAMES_MAX };

typedef struct names {
    rf_rwlock lock; /* guards all below */
    uint32_t count;
    struct name {
        const char *text; /* not terminated; must outlive the cache */
        size_t length;
    } name[NAMES_MAX];
} names;

void names_init(names *n);
void names_destroy(names *n);
uint32_t names_number(names *n, const char *text, size_t length); /* NAMES_FULL: no room */
uint32_t names_count(names *n);

#endif
