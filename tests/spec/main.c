/* For tests/spec.sh: see shelf.c. */
#include "racefuzz.h"

_Atomic int shelf[4];

RF_OBJECT(shelf) {
    for (int i = 0; i < 4; i++) rf_atomic_init(&shelf[i], 0);
}
RF_LINEARIZABLE(shelf, .executions = 300, .before = -1)

static rf_mutex lock = RF_MUTEX_INIT;
static int *held;
static int holds;

/* Broken: two threads may find it empty.  What it holds is freed at the end. */
RF_OBJECT(box) { RF_STORE(held, NULL); }
RF_OBJECT_END(box) { RF_FREE(RF_LOAD(held)); }
RF_OPERATION(box, fill, (int value), bool) {
    bool empty = false;
    RF_GUARD(&lock) empty = !RF_LOAD(held);
    if (!empty) return false;
    int *new = RF_MALLOC(sizeof *new);
    RF_STORE(*new, value);
    RF_GUARD(&lock) {
        RF_FREE(RF_LOAD(held));
        RF_STORE(held, new);
    }
    return true;
}
RF_LINEARIZABLE(box)

/* What is written on one thread only, and at most twice, needs no lock. */
RF_OBJECT(owned) { holds = 0; }
RF_OPERATION(owned, add, (void), int, .one_thread = "owner", .most = 2) {
    RF_STORE(holds, RF_LOAD(holds) + 1);
    RF_ASSERT_LE(RF_LOAD(holds), 2);
    return RF_LOAD(holds);
}
RF_OPERATION(owned, count, (void), int, .one_thread = "owner") { return RF_LOAD(holds); }
RF_OPERATION(owned, idle, (void), void) {}
RF_LINEARIZABLE(owned, .threads = 2, .operations = 2, .before = -1, .after = 1)

/* Broken: who looks may see one hand before it moves, and the other one after. */
static _Atomic int hand[2];
RF_OBJECT(hands) {
    rf_atomic_init(&hand[0], 0);
    rf_atomic_init(&hand[1], 0);
}
RF_OPERATION(hands, move, (int which, int value), void, .args = {RF_ARG(0, 1)}) {
    rf_atomic_store(&hand[which], value);
}
RF_OPERATION(hands, look, (void), int) {
    return rf_atomic_load(&hand[0]) * 100 + rf_atomic_load(&hand[1]);
}
RF_LINEARIZABLE(hands)

/* Broken by one thread alone. */
static int turns;
RF_OBJECT(wheel) { turns = 0; }
RF_OPERATION(wheel, turn, (void), int) {
    RF_ASSERT_LT(turns, 3);
    return ++turns;
}
RF_OPERATION(wheel, idle, (void), void) {}
RF_LINEARIZABLE(wheel, .threads = 1)
RF_MAIN()
