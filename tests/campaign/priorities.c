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
