/* bank_test.c: what holds for the bank whatever its threads do. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "bank.h"

enum { OPENING = 100 };

typedef struct order {
    bank *bank;
    int from, to;
    int64_t amount;
    bool done; /* out */
} order;

static void *teller(void *arg) {
    order *o = arg;
    bool done = bank_transfer(o->bank, o->from, o->to, o->amount);
    RF_STORE(o->done, done);
    return NULL;
}

static void *auditor(void *arg) {
    RF_ASSERT_EQ(bank_audit(arg), BANK_ACCOUNTS * OPENING);
    return NULL;
}

RF_TEST(transfers_conserve_money, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    bank b;
    bank_init(&b, OPENING);
    order there = {&b, 0, 1, 30, false}, back = {&b, 1, 0, 20, false};

    rf_thread t1 = RF_THREAD(teller, &there);
    rf_thread t2 = RF_THREAD(teller, &back);
    rf_thread t3 = RF_THREAD(auditor, &b);
    RF_JOIN(t1);
    RF_JOIN(t2);
    RF_JOIN(t3);

    RF_ASSERT_EQ(bank_audit(&b), BANK_ACCOUNTS * OPENING);
    bank_destroy(&b);
}

/* Either of two transfers is covered, both are not. */
RF_TEST(money_is_spent_once, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    bank b;
    bank_init(&b, OPENING);
    order one = {&b, 0, 1, 70, false}, other = {&b, 0, 2, 70, false};

    rf_thread t1 = RF_THREAD(teller, &one);
    rf_thread t2 = RF_THREAD(teller, &other);
    RF_JOIN(t1);
    RF_JOIN(t2);

    RF_ASSERT_NE(RF_LOAD(one.done), RF_LOAD(other.done));
    RF_ASSERT_EQ(bank_balance(&b, 0), OPENING - 70);
    bank_destroy(&b);
}

RF_MAIN()
