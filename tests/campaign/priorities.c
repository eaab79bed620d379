/* Threads of fixed priorities (--cores): what happened to Mars Pathfinder, and how it was mended.
 */
#include "racefuzz.h"

static rf_mutex bus;
static rf_atomic_int data, work;

static void *weather(void *unused) { /* the lowest: has the bus for a short time */
    RF_PRIORITY(1);
    RF_GUARD(&bus) {
        for (int i = 0; i < 4; i++) rf_atomic_fetch_add(&data, 1);
    }
    return unused;
}

static void *communication(void *unused) { /* needs no bus, and works for long */
    RF_PRIORITY(2);
    RF_SLEEP_MS(10);
    for (int i = 0; i < 40; i++) rf_atomic_fetch_add(&work, 1);
    return unused;
}

static void *distribution(void *unused) { /* the highest */
    RF_PRIORITY(3);
    RF_SLEEP_MS(10);
    RF_DEADLINE(20) {
        RF_GUARD(&bus) { rf_atomic_fetch_add(&data, 1); }
    }
    return unused;
}

static void mission(int kind) {
    void *(*const task[])(void *) = {weather, communication, distribution};
    rf_thread t[3];
    rf_atomic_init(&data, 0);
    rf_atomic_init(&work, 0);
    rf_mutex_init(&bus, "bus", kind);
    RF_PRIORITY(9);
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(task[i], NULL);
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
    rf_mutex_destroy(&bus);
}
RF_TEST(pathfinder) { mission(RF_MUTEX_NORMAL); }
RF_TEST(pathfinder_fixed) { mission(RF_MUTEX_NORMAL | RF_MUTEX_INHERIT); }
RF_TEST(pathfinder_ceiling) { mission(RF_MUTEX_NORMAL | RF_MUTEX_CEILING(9)); }
RF_TEST(ceiling_too_low) { mission(RF_MUTEX_RECURSIVE | RF_MUTEX_CEILING(2)); }
RF_TEST(both_protocols) { mission(RF_MUTEX_INHERIT | RF_MUTEX_CEILING(9)); }

/* Two mutexes in both orders: who has one with a ceiling meets no other that wants it, on one core.
 */
static rf_mutex left, right;
static void *left_first(void *priority) {
    RF_PRIORITY(*(unsigned *)priority);
    RF_GUARD(&left) RF_GUARD(&right) rf_atomic_fetch_add(&work, 1);
    return priority;
}
static void *right_first(void *priority) {
    RF_PRIORITY(*(unsigned *)priority);
    RF_SLEEP_MS(1);
    RF_GUARD(&right) RF_GUARD(&left) rf_atomic_fetch_add(&work, 1);
    return priority;
}
static void crossing(int kind) {
    static unsigned low = 1, high = 2;
    rf_mutex_init(&left, "left", kind);
    rf_mutex_init(&right, "right", kind);
    rf_atomic_init(&work, 0);
    RF_PRIORITY(3);
    rf_thread a = RF_THREAD(left_first, &low), b = RF_THREAD(right_first, &high);
    RF_JOIN(a);
    RF_JOIN(b);
    rf_mutex_destroy(&left);
    rf_mutex_destroy(&right);
}
RF_TEST(crossed) { crossing(RF_MUTEX_NORMAL); }
RF_TEST(crossed_inherit) { crossing(RF_MUTEX_INHERIT); }
RF_TEST(crossed_ceiling) { crossing(RF_MUTEX_CEILING(3)); }

/* An interrupt comes whatever the priority of the thread, and keeps no thread from running. */
static void strikes(void *unused) {
    (void)unused;
    rf_atomic_store(&work, 1);
}
RF_TEST(above_all_priorities) {
    rf_atomic_init(&work, 0);
    RF_INTERRUPT(uart, strikes, NULL);
    RF_PRIORITY(5);
    rf_atomic_store(&data, 1);
    RF_ASSERT(!rf_atomic_load(&work));
}

/* On one core the higher one is through before the lower begins; on two it need not be. */
static rf_atomic_int order;

static void *late(void *unused) {
    RF_PRIORITY(1);
    rf_atomic_store(&order, 1);
    return unused;
}

static void *early(void *unused) {
    RF_PRIORITY(2);
    RF_ASSERT(!rf_atomic_load(&order));
    return unused;
}
RF_TEST(one_after_the_other) {
    rf_atomic_init(&order, 0);
    RF_PRIORITY(3);
    rf_thread a = RF_THREAD(late, NULL), b = RF_THREAD(early, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_MAIN()
