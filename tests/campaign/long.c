/* A failure that needs the second thread, of a thousand steps, to come entirely before the first.
 */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "tests/thread.h"

static rf_mutex m = RF_MUTEX_INIT;
static rf_atomic_int done;

THREAD(looks) { RF_ASSERT(!rf_atomic_load(&done)); }

THREAD(works) {
    for (int i = 0; i < 1000; i++) {
        RF_LOCK(&m);
        RF_UNLOCK(&m);
    }
    rf_atomic_store(&done, 1);
}

RF_TEST(comes_late) {
    rf_atomic_init(&done, 0);
    run_two(looks, works);
}

RF_MAIN()
