/* A test that leaves the folder in which it was started. */
#include "racefuzz.h"
#include <unistd.h>

static int sum;

static void *add(void *arg) {
    RF_STORE(sum, RF_LOAD(sum) + 1);
    return arg;
}

RF_TEST(wanders) {
    if (chdir("/")) RF_FAIL("no /");
    sum = 0;
    rf_thread a = RF_THREAD(add, NULL), b = RF_THREAD(add, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(sum, 2);
}

RF_MAIN()
