/* peterson.h: Peterson's lock for two threads (1981), made of loads and stores only.
 *
 * Thread `me` is 0 or 1.  Whoever wants in says so, lets the other one go first, and waits until
 * the other one does not want in or is the more polite.
 */
#ifndef PETERSON_H
#define PETERSON_H
#include "racefuzz.h"

enum { PETERSON_PATIENCE = 8 };

typedef struct peterson {
    rf_atomic_bool wants[2];
    rf_atomic_int polite;
} peterson;

void peterson_init(peterson *p);

/* Takes the lock.  False: the other one still had it after PETERSON_PATIENCE looks. */
bool peterson_lock(peterson *p, int me);

void peterson_unlock(peterson *p, int me);

#endif
