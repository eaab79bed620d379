/* Handlers that break one update among many steps, and mended twins. */
#include "racefuzz.h"

static rf_atomic_int work;
static int count, struck;

static void counts(void *unused) {
    (void)unused;
    RF_STORE(count, RF_LOAD(count) + 1);
    RF_STORE(struck, 1);
}

static void works(int steps) {
    for (int i = 0; i < steps; i++) rf_atomic_fetch_add(&work, 1);
}

static void update(void) { RF_STORE(count, RF_LOAD(count) + 1); }

static void test(bool masks, int before, int after) {
    rf_atomic_init(&work, 0);
    count = struck = 0;
    RF_INTERRUPT(uart, counts, NULL);
    works(before);
    if (masks) RF_MASK();
    update();
    if (masks) RF_UNMASK();
    works(after);
    RF_MASK();
    RF_ASSERT_EQ(RF_LOAD(count), 1 + RF_LOAD(struck));
    RF_UNMASK();
}
RF_TEST(far) { test(false, 100, 100); }
RF_TEST(far_fixed) { test(true, 100, 100); }

/* One value is wrong, and no analysis of races sees it. */
static rf_atomic_int halves;
static void looks(void *unused) {
    (void)unused;
    RF_ASSERT_EQ(rf_atomic_load(&halves) % 2, 0);
}

static void test_once(bool masks, int before, int after) {
    rf_atomic_init(&work, 0);
    rf_atomic_init(&halves, 0);
    RF_INTERRUPT(uart, looks, NULL);
    works(before);
    if (masks) RF_MASK();
    rf_atomic_fetch_add(&halves, 1);
    rf_atomic_fetch_add(&halves, 1);
    if (masks) RF_UNMASK();
    works(after);
}
RF_TEST(early) { test_once(false, 20, 280); }
RF_TEST(late) { test_once(false, 280, 20); }
RF_TEST(late_fixed) { test_once(true, 280, 20); }

/* A handler for which a thread spins comes all the same. */
static rf_atomic_int done;
static void finishes(void *unused) {
    (void)unused;
    RF_STORE(count, 1);
    rf_atomic_store_explicit(&done, 1, rf_memory_order_relaxed);
}
RF_TEST(awaited, .max_steps = 1000, .expect = RF_EXPECT_RACE) {
    rf_atomic_init(&done, 0);
    count = 0;
    RF_INTERRUPT(uart, finishes, NULL);
    while (!rf_atomic_load_explicit(&done, rf_memory_order_relaxed)) RF_SPIN_HINT();
    RF_ASSERT_EQ(RF_LOAD(count), 1);
}

RF_MAIN()
