/* A handler that breaks one update among many steps, and its mended twin. */
#include "racefuzz.h"

static rf_atomic_int work;
static int count, struck;

static void counts(void *unused) {
    (void)unused;
    RF_STORE(count, RF_LOAD(count) + 1);
    RF_STORE(struck, 1);
}

static void works(void) {
    for (int i = 0; i < 100; i++) rf_atomic_fetch_add(&work, 1);
}

static void update(void) { RF_STORE(count, RF_LOAD(count) + 1); }

static void test(bool masks) {
    rf_atomic_init(&work, 0);
    count = struck = 0;
    RF_INTERRUPT(uart, counts, NULL);
    works();
    if (masks) RF_MASK();
    update();
    if (masks) RF_UNMASK();
    works();
    RF_MASK();
    RF_ASSERT_EQ(RF_LOAD(count), 1 + RF_LOAD(struck));
    RF_UNMASK();
}
RF_TEST(far) { test(false); }
RF_TEST(far_fixed) { test(true); }

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
