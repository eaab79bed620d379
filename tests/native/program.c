/* tests/native/program.c: three threads make six steps each; what follows from that happens always,
 * in what order they made them is the machine's choice. */
#include "racefuzz.h"
#include <stdio.h>
#include <stdlib.h>

static char order[64];
static int length, unguarded;
static rf_mutex mutex;

static void *steps(void *name) {
    for (int i = 0; i < 6; i++) {
        RF_LOCK(&mutex);
        order[length++] = *(char *)name;
        RF_UNLOCK(&mutex);
    }
    return NULL;
}

static void all_steps(void) {
    static char a = 'a', b = 'b', c = 'c';
    length = 0;
    rf_thread t[] = {RF_THREAD(steps, &a), RF_THREAD(steps, &b), RF_THREAD(steps, &c)};
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

static void right(void) {
    all_steps();
    RF_ASSERT_EQ(length, 18);
}

static void wrong(void) {
    all_steps();
    RF_FAIL("order %s", order);
}

RF_TEST(fine) { right(); }
RF_TEST(works_alone, .isolate = true) { right(); }
RF_TEST(fails) { wrong(); }
RF_TEST(breaks_alone, .isolate = true) { wrong(); }

RF_TEST(dies) {
    all_steps();
    fprintf(stderr, "order %s\n", order);
    abort();
}

RF_TEST(stays) {
    rf_sem nothing = RF_SEM_INIT(0);
    all_steps();
    RF_LOG("order %s", order);
    RF_SEM_WAIT(&nothing);
}

static void *writes(void *unused) {
    RF_STORE(unguarded, 1);
    return unused;
}

RF_TEST(races) {
    rf_thread t[] = {RF_THREAD(writes, NULL), RF_THREAD(writes, NULL)};
    for (int i = 0; i < 2; i++) RF_JOIN(t[i]);
}

RF_MAIN()
