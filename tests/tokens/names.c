/* tests/tokens/names.c: names of all kinds; tokens.sh makes LONG a long one. */
#include "racefuzz.h"

static int x;

static void *add(void *arg) {
    RF_STORE(x, RF_LOAD(x) + 1);
    return arg;
}

static void fails(void) {
    RF_STORE(x, 0);
    rf_thread t = RF_THREAD(add, NULL), u = RF_THREAD(add, NULL);
    RF_JOIN(t);
    RF_JOIN(u);
    RF_FAIL("it ends");
}

/* clang-format off */
RF_TEST(plain_name, .detect = "none") { fails(); }
RF_TEST(é, .detect = "none") { fails(); }
RF_TEST(è, .detect = "none") { fails(); }
RF_TEST(a$b, .detect = "none") { fails(); }
RF_TEST(LONG, .detect = "none") { fails(); }
/* clang-format on */

RF_MAIN()
