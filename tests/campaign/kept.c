/* A test with several mistakes, of which -DMENDED has one less. */
#ifndef RFI_LINKED
# define RF_IMPLEMENTATION
#endif
#include "racefuzz.h"
#include <stdio.h>

enum { STEPS = 3 };
static int left, right;

static void *walk(void *arg) {
    int *mine = arg;
    for (int i = 0; i < STEPS; i++) RF_STORE(*mine, RF_LOAD(*mine) + 1);
    return NULL;
}

RF_TEST(walkers, .detect = "none") {
    left = right = 0;
    rf_thread a = RF_THREAD(walk, &left), b = RF_THREAD(walk, &right);
    int l = RF_LOAD(left), r = RF_LOAD(right);
#ifndef MENDED
    if (l == 1 && r == 2) RF_FAIL("one and two");
#endif
    if (l == 2 && r == 1) RF_FAIL("two and one");
    if (l == 3 && !r) RF_FAIL("three and none");
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_TEST(counters) {
    left = 0;
    rf_thread a = RF_THREAD(walk, &left), b = RF_THREAD(walk, &left);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(left, 2 * STEPS);
}

/* A race that does no harm: all phases have something to do.  Says which executions there were. */
static void *look(void *arg) {
    (void)RF_LOAD(left);
    return arg;
}

RF_TEST(numbered) {
    left = right = 0;
    printf("drew %d\n", RF_CHOOSE(1 << 30));
    rf_thread a = RF_THREAD(look, NULL);
    RF_STORE(left, 1);
    RF_JOIN(a);
}

/* Some statements touch what is shared in few schedules only. */
static int rare[2];

static void *seldom(void *arg) {
    int seen = 0;
    for (int i = 0; i < 2; i++) seen = 10 * seen + RF_LOAD(left);
    if (seen == 13) RF_STORE(rare[0], 1);
    if (seen == 2) RF_STORE(rare[1], 1);
    return arg;
}

static void *ask(void *arg) {
    (void)RF_LOAD(rare[0]);
    (void)RF_LOAD(rare[1]);
    return arg;
}

RF_TEST(rarely, .expect = RF_EXPECT_RACE) {
    left = rare[0] = rare[1] = 0;
    rf_thread a = RF_THREAD(walk, &left), b = RF_THREAD(seldom, NULL), c = RF_THREAD(ask, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_JOIN(c);
}

/* More orders than anybody will see. */
RF_TEST(wide, .expect = RF_EXPECT_RACE) {
    left = 0;
    rf_thread t[4];
    for (int i = 0; i < 4; i++) t[i] = RF_THREAD(walk, &left);
    for (int i = 0; i < 4; i++) RF_JOIN(t[i]);
}

RF_MAIN()
