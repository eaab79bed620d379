/* locks: the small lock orders.  Two transfers between the same accounts, each with both locks; a
 * cycle of three locks; one that a common gate lock excludes; one that start and join exclude. */
#include "paper.h"

static rf_mutex a, b, c, gate;
static int balance[2];

static void locks_init(void) {
    rf_mutex_init(&a, "a", RF_MUTEX_NORMAL);
    rf_mutex_init(&b, "b", RF_MUTEX_NORMAL);
    rf_mutex_init(&c, "c", RF_MUTEX_NORMAL);
    rf_mutex_init(&gate, "gate", RF_MUTEX_NORMAL);
    balance[0] = balance[1] = 10;
}

static void move(int from, int to) {
    RF_STORE(balance[from], RF_LOAD(balance[from]) - 1);
    RF_STORE(balance[to], RF_LOAD(balance[to]) + 1);
}

THREAD(a_then_b) {
    RF_GUARD(&a) RF_GUARD(&b) { move(0, 1); }
}

THREAD(b_then_c) {
    RF_GUARD(&b) RF_GUARD(&c) {}
}

THREAD(b_then_a){
#ifdef FIXED
    RF_GUARD(&a) RF_GUARD(&b){move(1, 0);
}
#else
    RF_GUARD(&b) RF_GUARD(&a){move(1, 0);
}
#endif
}

THREAD(c_then_a) {
#ifdef FIXED
    RF_GUARD(&a) RF_GUARD(&c) {}
#else
    RF_GUARD(&c) RF_GUARD(&a) {}
#endif
}

THREAD(gate_a_then_b) {
    RF_GUARD(&gate) RF_GUARD(&a) RF_GUARD(&b) { move(0, 1); }
}

THREAD(gate_b_then_a) {
    RF_GUARD(&gate) RF_GUARD(&b) RF_GUARD(&a) { move(1, 0); }
}

/* The functions one after the other are started at once. */
static void start(void *(*one)(void *), void *(*two)(void *), void *(*three)(void *)) {
    locks_init();
    rf_thread t = RF_THREAD(one, NULL), u = RF_THREAD(two, NULL);
    if (three) RF_JOIN(RF_THREAD(three, NULL));
    RF_JOIN(t);
    RF_JOIN(u);
    RF_ASSERT_EQ(balance[0] + balance[1], 20);
}

RF_TEST(transfer, .expect = BUG(RF_EXPECT_DEADLOCK)) { start(a_then_b, b_then_a, NULL); }

RF_TEST(cycle_of_three, .expect = BUG(RF_EXPECT_DEADLOCK)) { start(a_then_b, b_then_c, c_then_a); }

RF_TEST(gate_locked) { start(gate_a_then_b, gate_b_then_a, NULL); }

RF_TEST(start_and_join) {
    locks_init();
    RF_JOIN(RF_THREAD(a_then_b, NULL));
    RF_JOIN(RF_THREAD(b_then_a, NULL));
}

RF_MAIN()
