/* reorder: setters write two variables one after the other, checkers want to see both or none.
 *
 * SCTBench's reorder_N_bad.  The checker has to run when a setter has made its first write and none
 * its second one, so more setters make it harder.  It reads `a` before `b`, and both again if the
 * first clause does not hold, as in the original.  Setters and checkers: 2+1, 3+1, 4+1, 9+1, 10+10;
 * reorder_50 and reorder_100, which others have added, 49+1 and 99+1.
 */
#include "bug.h"

static int a, b;
#ifdef FIXED
static rf_mutex lock;
# define BEGIN() RF_LOCK(&lock)
# define END()   RF_UNLOCK(&lock)
#else
# define BEGIN() (void)0
# define END()   (void)0
#endif

static void *setter(void *arg) {
    BEGIN();
    RF_STORE(a, 1);
    RF_STORE(b, -1);
    END();
    return arg;
}

static void *checker(void *arg) {
    BEGIN();
    RF_ASSERT((RF_LOAD(a) == 0 && RF_LOAD(b) == 0) || (RF_LOAD(a) == 1 && RF_LOAD(b) == -1));
    END();
    return arg;
}

static void reorder(unsigned setters, unsigned checkers) {
    crew c = {.count = 0};
    a = b = 0;
    START(&c, setters, setter, NULL);
    START(&c, checkers, checker, NULL);
    finish(&c);
}

PROGRAM(reorder_3, RF_EXPECT_FAILURE) { reorder(2, 1); }
PROGRAM(reorder_4, RF_EXPECT_FAILURE) { reorder(3, 1); }
PROGRAM(reorder_5, RF_EXPECT_FAILURE) { reorder(4, 1); }
PROGRAM(reorder_10, RF_EXPECT_FAILURE) { reorder(9, 1); }
PROGRAM(reorder_20, RF_EXPECT_FAILURE) { reorder(10, 10); }
PROGRAM(reorder_50, RF_EXPECT_FAILURE) { reorder(49, 1); }
PROGRAM(reorder_100, RF_EXPECT_FAILURE) { reorder(99, 1); }
