/* A failure that needs the second thread, of a thousand steps, to come entirely before the first.
 */
#define RF_IMPLEMENTATION
#include "racefuzz.h"

static rf_mutex m = RF_MUTEX_INIT;
static rf_atomic_int done;

static void *looks(void *arg) {
    RF_ASSERT(!rf_atomic_load(&done));
    return arg;
}

static void *works(void *arg) {
    for (int i = 0; i < 1000; i++) {
        RF_LOCK(&m);
        RF_UNLOCK(&m);
    }
    rf_atomic_store(&done, 1);
    return arg;
}

RF_TEST(comes_late) {
    rf_atomic_init(&done, 0);
    rf_thread a = RF_THREAD(looks, NULL), b = RF_THREAD(works, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_MAIN()
