/* tests/tokens/nested.c: an access within another one, behind a macro. */
#include "racefuzz.h"

#define GET(i) RF_LOAD(a[i])

static int a[2], k;

/* EDIT */

static void *write_both(void *arg) {
    RF_STORE(k, 1);
    RF_STORE(a[1], 7);
    return arg;
}

RF_TEST(nested) {
    int x = 0;
    a[0] = a[1] = k = 0;
    rf_thread t = RF_THREAD(write_both, NULL);
    x += GET(RF_LOAD(k));
    RF_JOIN(t);
    (void)x;
}

RF_MAIN()
