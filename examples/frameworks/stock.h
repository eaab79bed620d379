/* What the tests of all frameworks test: two clerks sell the last piece.  They look, then sell, and
 * with -DFIXED they do both under the lock. */
#include "racefuzz.h"

static rf_mutex lock = RF_MUTEX_INIT;
static int stock, sold;

static void sell_if_there(void) {
    if (RF_LOAD(stock) == 0) return;
    RF_STORE(stock, RF_LOAD(stock) - 1);
    RF_STORE(sold, RF_LOAD(sold) + 1);
}

static void *clerk(void *unused) {
#ifdef FIXED
    RF_LOCK(&lock);
    sell_if_there();
    RF_UNLOCK(&lock);
#else
    sell_if_there();
#endif
    return unused;
}

static void two_clerks(void) {
    stock = 1;
    sold = 0;
    rf_thread a = RF_THREAD(clerk, NULL), b = RF_THREAD(clerk, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    (void)lock;
}
