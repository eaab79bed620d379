/* A failure that comes where two threads meet at a breakpoint, beside a race that does no harm. */
#include "racefuzz.h"

static rf_mutex lock = RF_MUTEX_INIT;
static int balance, seen;

static void withdraw(int amount) {
    int have = 0;
    RF_GUARD(&lock) have = RF_LOAD(balance);
    RF_BREAKPOINT("decided", &balance);
    if (have < amount) return;
    RF_GUARD(&lock) RF_STORE(balance, RF_LOAD(balance) - amount);
}

static void *in_a_hurry(void *arg) {
    RF_STORE(seen, 1);
    withdraw(80);
    return arg;
}

static void *takes_time(void *arg) {
    RF_STORE(seen, 1);
    for (int i = 0; i < 10; i++) RF_GUARD(&lock) {
        }
    withdraw(80);
    return arg;
}

RF_TEST(meeting) {
    balance = 100;
    rf_thread a = RF_THREAD(in_a_hurry, NULL), b = RF_THREAD(takes_time, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_GE(balance, 0);
}

RF_MAIN()
