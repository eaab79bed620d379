/* For tests/spec.sh: see shelf.c. */
#include "racefuzz.h"
#include "tests/thread.h"

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
static bool box_fill(int value) {
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
RF_OPERATION(box, fill, (int value), bool) { return box_fill(value); }
RF_OPERATION(box, look, (void), bool, .most = 1) { return false; }
RF_LINEARIZABLE(box)

/* The same by hand. */
static void *fills(void *value) {
    RF_CALL("fill", *(int *)value);
    bool done = box_fill(*(int *)value);
    RF_RETURN(done);
    return NULL;
}
static void *misuses(void *how) {
    switch (*(int *)how) {
    case 1: RF_CALL("fil", 1); break;
    case 2: RF_CALL("fill"); break;
    case 3: RF_CALL("fill", 1, 2); break;
    case 4: RF_RETURN(true); break;
    case 5: RF_CALL("look"), RF_CALL("look"); break;
    }
    return NULL;
}
static void by_hand(void *(*does)(void *), bool joins) {
    static int value[2] = {7, 8};
    RF_STORE(held, NULL);
    rf_thread a = RF_THREAD(fills, &value[0]), b = RF_THREAD(does, &value[1]);
    RF_JOIN(a);
    if (joins) RF_JOIN(b);
    RF_FREE(RF_LOAD(held));
}
RF_TEST(by_hand, .calls = "box") { by_hand(fills, true); }
RF_TEST(open_at_the_end, .calls = "box") {
    RF_CALL("look");
    by_hand(fills, false);
}
RF_TEST(nothing_said) { by_hand(fills, true); }
RF_TEST(nothing_said_of_returns) { RF_RETURN(0); }
RF_TEST(misused_by_hand, .calls = "box") {
    static int how = 0;
    how = 1 + (int)RF_CHOOSE(5);
    (void)RF_JOIN(RF_THREAD(misuses, &how));
}
#ifdef MISUSED
RF_TEST(misused, MISUSED) {}
#endif
RF_TEST(one_by_hand, .calls = "box") {
    int *one = RF_MALLOC(sizeof *one);
    RF_STORE(held, one);
    RF_CALL("fill", 3);
    RF_RETURN(1);
    RF_CALL("fill", 4);
    RF_RETURN(box_fill(4));
    RF_CALL("look");
    RF_RETURN(0);
    RF_FREE(one);
}

/* Program order keeps what the body calls before the others start, or after they have ended, and
 * not what it calls beside them, though that is ordered, too. */
static _Atomic int turn_of;
static void fills_full(bool full) {
    RF_CALL("fill", 1);
    RF_RETURN(!full);
}
THREAD(second) {
    while (rf_atomic_load(&turn_of) != 1) RF_YIELD();
    fills_full(false);
}
THREAD(full_at_first) { fills_full(true); }
RF_TEST(alone_before, .calls = "box", .criterion = RF_PROGRAM_ORDER) {
    fills_full(false);
    RF_JOIN(RF_THREAD(second, (rf_atomic_init(&turn_of, 1), NULL)));
}
RF_TEST(alone_after, .calls = "box", .criterion = RF_PROGRAM_ORDER) {
    RF_JOIN(RF_THREAD(full_at_first, NULL));
    fills_full(false);
}
RF_TEST(alone_never, .calls = "box", .criterion = RF_PROGRAM_ORDER) {
    rf_atomic_init(&turn_of, 0);
    rf_thread t = RF_THREAD(second, NULL);
    fills_full(true);
    rf_atomic_store(&turn_of, 1);
    RF_JOIN(t);
}

/* Broken: what is put never comes.  Only time has an order of the two. */
static _Atomic int slot[2];
RF_OBJECT(slots) {
    rf_atomic_init(&slot[0], 0);
    rf_atomic_init(&slot[1], 0);
}
RF_OPERATION(slots, put, (int value), void) { rf_atomic_store(&slot[0], value); }
RF_OPERATION(slots, get, (void), int) { return rf_atomic_load(&slot[0]); }
THREAD(puts_elsewhere) {
    RF_CALL("put", 5);
    rf_atomic_store(&slot[1], 5);
    RF_RETURN(0);
}
THREAD(gets_nothing) {
    RF_CALL("get");
    int value = rf_atomic_load(&slot[0]);
    RF_RETURN(value);
}
static void slots_used(void) {
    rf_atomic_init(&slot[0], 0);
    rf_atomic_init(&slot[1], 0);
    run_two(puts_elsewhere, gets_nothing);
}
RF_TEST(slots_in_time, .calls = "slots", .criterion = RF_REAL_TIME) { slots_used(); }
RF_TEST(slots_quiescent, .calls = "slots", .criterion = RF_QUIESCENCE) { slots_used(); }
RF_TEST(slots_unordered, .calls = "slots") { slots_used(); }

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

/* Broken, and specified by a model: told as soon as a call returns. */
static _Atomic int given;
RF_OBJECT(early) { rf_atomic_init(&given, 0); }
RF_OBJECT_END(early) { RF_LOG("the end"); }
RF_OPERATION(early, next, (void), int) {
    int next = rf_atomic_load(&given);
    rf_atomic_store(&given, next + 1);
    return next;
}
RF_MODEL(early, int) { *model = 0; }
RF_MODEL_OPERATION(early, next, (void), int) { return (*model)++; }
RF_LINEARIZABLE(early)

/* A call of it has one step more for each time that another one comes first. */
static _Atomic int tried;
RF_OBJECT(tried) { rf_atomic_init(&tried, 0); }
RF_OPERATION(tried, try, (void), int) {
    int value = rf_atomic_load(&tried);
    while (!rf_atomic_compare_exchange_strong(&tried, &value, value + 1)) continue;
    return value;
}
RF_LINEARIZABLE(tried, .progress = RF_WAIT_FREE)

/* Whoever is stopped with the lock keeps the others. */
RF_OBJECT(shut) { RF_STORE(holds, 0); }
RF_OPERATION(shut, add, (void), void) {
    RF_GUARD(&lock) { RF_STORE(holds, RF_LOAD(holds) + 1); }
}
RF_LINEARIZABLE(shut, .threads = 2, .operations = 1, .before = -1, .after = -1,
                .progress = RF_OBSTRUCTION_FREE)

/* Broken by one thread alone. */
static int turns;
RF_OBJECT(wheel) { turns = 0; }
RF_OPERATION(wheel, turn, (void), int) {
    RF_ASSERT_LT(turns, 3);
    return ++turns;
}
RF_OPERATION(wheel, idle, (void), void) {}
RF_LINEARIZABLE(wheel, .threads = 1)

/* Not set up; not like its model; not said to wait; not alive for long. */
static int stamps;
RF_OBJECT(stamp) {}
RF_OPERATION(stamp, next, (void), int, .one_thread = "owner") { return ++stamps; }
RF_LINEARIZABLE(stamp)

RF_OBJECT(floor) {}
RF_OPERATION(floor, half, (int value), int) { return value / 2; }
RF_MODEL(floor, int) { *model = 0; }
RF_MODEL_OPERATION(floor, half, (int value), int) { return (value + 1) / 2; }
RF_LINEARIZABLE(floor)

static rf_sem room = RF_SEM_INIT(0);
RF_OBJECT(guest) {}
RF_OPERATION(guest, enter, (void), void) { RF_SEM_WAIT(&room); }
RF_OPERATION(guest, leave, (void), void) { RF_SEM_POST(&room); }
RF_LINEARIZABLE(guest)

RF_OBJECT(fragile) {}
RF_OPERATION(fragile, touch, (void), int) { return *(volatile int *)0; }
RF_LINEARIZABLE(fragile)

/* A second call is wrong, and does not always notice it. */
static _Atomic int entered;
RF_OBJECT(single) { rf_atomic_init(&entered, 0); }
RF_OPERATION(single, enter, (void), void) {
    RF_ASSERT_EQ(rf_atomic_load(&entered), 0);
    rf_atomic_store(&entered, 1);
}
RF_LINEARIZABLE(single, .threads = 2, .operations = 1, .before = -1, .after = -1)
RF_MAIN()
