/* For tests/formats.sh: thirty tests of which three fail, one with several findings of one cause;
 * texts that could break a format; a long execution. */
#include "racefuzz.h"
#include <stdio.h>
#include <string.h>

static int hits, misses;
static rf_mutex here, there;

static void *visit(void *arg) {
    RF_STORE(hits, RF_LOAD(hits) + 1);
    RF_STORE(misses, RF_LOAD(misses) + 1);
    return arg;
}

RF_TEST(no_hit_is_lost) {
    hits = misses = 0;
    rf_thread a = RF_THREAD(visit, NULL), b = RF_THREAD(visit, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(RF_LOAD(hits), 2);
}

static void *forth(void *arg) {
    RF_GUARD(&here) {
        RF_GUARD(&there) {}
    }
    return arg;
}

static void *back(void *arg) {
    RF_GUARD(&there) {
        RF_GUARD(&here) {}
    }
    return arg;
}

RF_TEST(forth_and_back) {
    rf_mutex_init(&here, "here", RF_MUTEX_NORMAL);
    rf_mutex_init(&there, "there", RF_MUTEX_NORMAL);
    rf_thread a = RF_THREAD(forth, NULL), b = RF_THREAD(back, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_TEST(expects_a_race, .expect = RF_EXPECT_RACE) { RF_STORE(hits, 1); }

RF_TEST(skipped) { RF_SKIP("needs a <printer> & \"ink\" ]]>"); }

static rf_atomic_int counter;

static void *count(void *arg) {
    rf_atomic_fetch_add(&counter, 1);
    return arg;
}

#define RIGHT(n)                                 \
 RF_TEST(right_##n) {                            \
  rf_atomic_store(&counter, 0);                  \
  rf_thread a = RF_THREAD(count, NULL);          \
  rf_atomic_fetch_add(&counter, n);              \
  RF_JOIN(a);                                    \
  RF_ASSERT_EQ(rf_atomic_load(&counter), n + 1); \
 }
RIGHT(1)
RIGHT(2)
RIGHT(3) RIGHT(4) RIGHT(5) RIGHT(6) RIGHT(7) RIGHT(8) RIGHT(9) RIGHT(10) RIGHT(11) RIGHT(12)
    RIGHT(13) RIGHT(14) RIGHT(15) RIGHT(16) RIGHT(17) RIGHT(18) RIGHT(19) RIGHT(20) RIGHT(21)
        RIGHT(22) RIGHT(23) RIGHT(24) RIGHT(25) RIGHT(26)

    /* ---- only where asked for (--filter=odd*) ---- */

    static const
    char odd[] = "quote \" apostrophe ' back\\slash <tag> &amp; ]]> %0A ::error:: | # tab\t"
                 "bell\a escape\033[31m latin \xe9 half \xe2\x82 nul\\0 \xc3\xa9 \xf0\x9f\x98\x80";

RF_TEST(odd_message) {
    rf_thread a = RF_THREAD(visit, NULL);
    RF_LOG("%s", odd);
    fprintf(stderr, "%s\n", odd);
    RF_JOIN(a);
    RF_FAIL("%s\n%s", odd, odd);
}

/* A megabyte of them. */
RF_TEST(odd_and_long) {
    static char text[1 << 20];
    memset(text, '<', sizeof text - 1);
    fwrite(text, 1, sizeof text - 1, stderr);
    RF_LOG("%s", text);
    RF_FAIL("%s", text);
}

RF_TEST(odd_and_many) {
    for (int i = 0; i < 3000; i++) RF_STORE(hits, i);
    RF_FAIL("after 3000 steps");
}

#line 7 "a \"dir\"/<odd> & name%.c"
RF_TEST(odd_é) { RF_FAIL("in a file with a name"); }

RF_MAIN()
