/* philosophers: a ring of two to seven, each takes the forks on the left and then the one on the
 * right.  In the twin the last one takes the other first. */
#include "paper.h"

static rf_mutex forks[8];
static int seats;

static void *dine(void *arg) {
    int left = *(int *)arg, right = (left + 1) % seats;
#ifdef FIXED
    if (right < left) {
        right = left;
        left = 0;
    }
#endif
    RF_LOCK(&forks[left]);
    RF_LOCK(&forks[right]);
    RF_UNLOCK(&forks[right]);
    RF_UNLOCK(&forks[left]);
    return NULL;
}

static void lay(int n) {
    seats = n;
    for (int i = 0; i < n; i++) rf_mutex_init(&forks[i], "fork", RF_MUTEX_NORMAL);
    crew(n, dine);
}

RF_TEST(philosophers_2, .expect = BUG(RF_EXPECT_DEADLOCK)) { lay(2); }
RF_TEST(philosophers_3, .expect = BUG(RF_EXPECT_DEADLOCK)) { lay(3); }
RF_TEST(philosophers_4, .expect = BUG(RF_EXPECT_DEADLOCK)) { lay(4); }
RF_TEST(philosophers_5, .expect = BUG(RF_EXPECT_DEADLOCK)) { lay(5); }
RF_TEST(philosophers_6, .expect = BUG(RF_EXPECT_DEADLOCK)) { lay(6); }
RF_TEST(philosophers_7, .expect = BUG(RF_EXPECT_DEADLOCK)) { lay(7); }

RF_MAIN()
