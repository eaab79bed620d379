/* seqlock_test.c: a point is never seen halfway. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "seqlock.h"

enum { LOOKS = 2 };

/* The point walks along the diagonal. */
static void *look(void *arg) {
    int x, y;
    for (int i = 0; i < LOOKS; i++)
        if (seqlock_read(arg, &x, &y)) RF_ASSERT_EQ(x, y);
    return NULL;
}

RF_TEST(a_point_is_seen_whole, .expect = PLANTED(RF_EXPECT_FAILURE)) {
    seqlock l;
    seqlock_init(&l, 0, 0);
    rf_thread one = RF_THREAD(look, &l), other = RF_THREAD(look, &l);
    seqlock_write(&l, 1, 1);
    seqlock_write(&l, 2, 2);
    RF_JOIN(one);
    RF_JOIN(other);

    int x, y;
    RF_ASSERT(seqlock_read(&l, &x, &y)); /* nobody is in the way now */
    RF_ASSERT_EQ(x, 2);
    RF_ASSERT_EQ(y, 2);
}

RF_MAIN()
