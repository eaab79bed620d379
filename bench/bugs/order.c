/* account, lazy01, token_ring: assertions that hold in some orders of the threads' critical
 * sections and not in others.  SCTBench's account_bad, lazy01_bad, token_ring_bad. */
#include "bug.h"

static rf_mutex lock;

/* ---- account: the check has the wrong sign, so it fails when it comes last ---- */

static struct {
    int balance;
    bool deposited, withdrawn;
} account;

enum { AT_FIRST = 1, DEPOSIT = 2, WITHDRAWAL = 4 };

static void *deposit(void *arg) {
    RF_LOCK(&lock);
    RF_STORE(account.balance, RF_LOAD(account.balance) + DEPOSIT);
    RF_STORE(account.deposited, true);
    RF_UNLOCK(&lock);
    return arg;
}

static void *withdraw(void *arg) {
    RF_LOCK(&lock);
    RF_STORE(account.balance, RF_LOAD(account.balance) - WITHDRAWAL);
    RF_STORE(account.withdrawn, true);
    RF_UNLOCK(&lock);
    return arg;
}

static void *audit(void *arg) {
    RF_LOCK(&lock);
    if (RF_LOAD(account.deposited) && RF_LOAD(account.withdrawn)) {
#ifdef FIXED
        RF_ASSERT_EQ(RF_LOAD(account.balance), AT_FIRST + DEPOSIT - WITHDRAWAL);
#else
        RF_ASSERT_EQ(RF_LOAD(account.balance), AT_FIRST - DEPOSIT - WITHDRAWAL);
#endif
    }
    RF_UNLOCK(&lock);
    return arg;
}

PROGRAM(account, RF_EXPECT_FAILURE) {
    crew c = {.count = 0};
    account.balance = AT_FIRST;
    account.deposited = account.withdrawn = false;
    START(&c, 1, audit, NULL);
    START(&c, 1, deposit, NULL);
    START(&c, 1, withdraw, NULL);
    finish(&c);
}

/* ---- lazy01: both of two additions come before the check ---- */

static int data;

static void *add(void *amount) {
    RF_LOCK(&lock);
    RF_STORE(data, RF_LOAD(data) + *(const int *)amount);
    RF_UNLOCK(&lock);
    return NULL;
}

static void *limit(void *most) {
    RF_LOCK(&lock);
    RF_ASSERT_LE(RF_LOAD(data), *(const int *)most);
    RF_UNLOCK(&lock);
    return NULL;
}

PROGRAM(lazy01, RF_EXPECT_FAILURE) {
#ifdef FIXED
    int most = 3;
#else
    int most = 2;
#endif
    int one = 1, two = 2;
    crew c = {.count = 0};
    data = 0;
    START(&c, 1, add, &one);
    START(&c, 1, add, &two);
    START(&c, 1, limit, &most);
    finish(&c);
}

/* ---- token_ring: each takes the token from its neighbour, who may not have it yet ---- */

static struct {
    int x1, x2, x3;
    bool done1, done2, done3;
} ring;

static void *first(void *arg) {
    RF_LOCK(&lock);
    RF_STORE(ring.x1, (RF_LOAD(ring.x3) + 1) % 4);
    RF_STORE(ring.done1, true);
    RF_UNLOCK(&lock);
    return arg;
}

static void *second(void *arg) {
    RF_LOCK(&lock);
#ifdef FIXED
    if (RF_LOAD(ring.done1))
#endif
    {
        RF_STORE(ring.x2, RF_LOAD(ring.x1));
        RF_STORE(ring.done2, true);
    }
    RF_UNLOCK(&lock);
    return arg;
}

static void *third(void *arg) {
    RF_LOCK(&lock);
#ifdef FIXED
    if (RF_LOAD(ring.done2))
#endif
    {
        RF_STORE(ring.x3, RF_LOAD(ring.x2));
        RF_STORE(ring.done3, true);
    }
    RF_UNLOCK(&lock);
    return arg;
}

static void *inspect(void *arg) {
    RF_LOCK(&lock);
    if (RF_LOAD(ring.done1) && RF_LOAD(ring.done2) && RF_LOAD(ring.done3))
        RF_ASSERT(RF_LOAD(ring.x1) == RF_LOAD(ring.x2) && RF_LOAD(ring.x2) == RF_LOAD(ring.x3));
    RF_UNLOCK(&lock);
    return arg;
}

PROGRAM(token_ring, RF_EXPECT_FAILURE) {
    crew c = {.count = 0};
    ring.x1 = ring.x3 = 1;
    ring.x2 = 2;
    ring.done1 = ring.done2 = ring.done3 = false;
    START(&c, 1, first, NULL);
    START(&c, 1, second, NULL);
    START(&c, 1, third, NULL);
    START(&c, 1, inspect, NULL);
    finish(&c);
}
