/* Interrupts that come by time, on one core and on several. */
#include "racefuzz.h"
#include <string.h>

#define HANDLER(name) static void name(__attribute__((unused)) void *nothing)

static rf_atomic_int ticks, order, flag;

HANDLER(tick) { rf_atomic_fetch_add(&ticks, 1); }
static int ticked(void) { return rf_atomic_load(&ticks); }

/* At the latest at each multiple of the period, and after each. */
RF_TEST(period_is_kept) {
    rf_atomic_init(&ticks, 0);
    RF_INTERRUPT(timer, tick, NULL, .period = 10);
    RF_SLEEP_MS(25);
    RF_ASSERT(ticked() >= 2);
    RF_SLEEP_MS(10);
    RF_ASSERT(ticked() >= 3);
}
RF_TEST(period_wakes) {
    rf_atomic_init(&ticks, 0);
    RF_INTERRUPT(timer, tick, NULL, .period = 10);
    while (ticked() < 5) RF_PAUSE();
}
RF_TEST(period_so_often) {
    rf_atomic_init(&ticks, 0);
    RF_INTERRUPT(timer, tick, NULL, .period = 10, .times = 2);
    RF_SLEEP_MS(15);
    RF_ASSERT(ticked() >= 1);
    RF_SLEEP_MS(100);
    RF_ASSERT_EQ(ticked(), 2);
}
RF_TEST(period_ends_loops) { /* many steps take time, too */
    rf_atomic_init(&ticks, 0);
    RF_INTERRUPT(timer, tick, NULL, .period = 10);
    while (!ticked()) continue;
}

/* With --timeouts=late not before. */
RF_TEST(late_ticks) {
    rf_atomic_init(&ticks, 0);
    RF_INTERRUPT(timer, tick, NULL, .period = 10);
    RF_ASSERT_EQ(ticked(), 0);
    RF_SLEEP_MS(25);
    RF_ASSERT_EQ(ticked(), 2);
}
RF_TEST(late_and_masked) { /* one of three is pending, and the fourth comes in its time */
    rf_atomic_init(&ticks, 0);
    RF_INTERRUPT(timer, tick, NULL, .period = 10);
    RF_MASK();
    RF_SLEEP_MS(35);
    RF_ASSERT_EQ(ticked(), 0);
    RF_UNMASK();
    RF_ASSERT_EQ(ticked(), 1);
    RF_SLEEP_MS(4);
    RF_ASSERT_EQ(ticked(), 1);
    RF_SLEEP_MS(2);
    RF_ASSERT_EQ(ticked(), 2);
}

/* What is pending strikes when it is unmasked, the highest priority first, before anything else. */
static bool low_runs, nested;
static void notes(void *digit) {
    if (*(const int *)digit == 1)
        low_runs = true;
    else
        nested = low_runs;
    rf_atomic_store(&order, rf_atomic_load(&order) * 10 + *(const int *)digit);
}
static void unmasked(int expected) {
    static int one = 1, two = 2;
    rf_atomic_init(&order, 0);
    low_runs = nested = false;
    RF_INTERRUPT(low, notes, &one, .period = 10, .times = 1, .priority = 1);
    RF_INTERRUPT(high, notes, &two, .period = 10, .times = 1, .priority = 2);
    RF_MASK();
    bool none = !rf_atomic_load(&order);
    RF_SLEEP_MS(20);
    RF_UNMASK();
    if (!none) return;
    RF_ASSERT_EQ(rf_atomic_load(&order), expected);
    RF_ASSERT(!nested);
}
RF_TEST(pending) { unmasked(21); }
RF_TEST(other_order) { unmasked(12); }

/* On one core no other thread runs while a handler does. */
static void *raises(void *unused) {
    rf_atomic_store(&flag, 1);
    return unused;
}
HANDLER(looks) {
    int before = rf_atomic_load(&flag);
    RF_ASSERT_EQ(rf_atomic_load(&flag), before);
}
RF_TEST(other_core) {
    rf_atomic_init(&flag, 0);
    rf_thread t = RF_THREAD(raises, NULL);
    RF_INTERRUPT(uart, looks, NULL);
    RF_JOIN(t);
}

HANDLER(masked_once) {
    RF_MASK();
    rf_atomic_fetch_add(&order, 1);
    RF_UNMASK();
}
static void *masks_once(void *unused) {
    masked_once(unused);
    return unused;
}

/* Whatever the number of cores, a handler does not interrupt one of a higher priority. */
static rf_thread interrupted;
HANDLER(of_high_priority) {
    interrupted = RF_SELF();
    rf_atomic_store(&flag, 1);
    (void)rf_atomic_load(&flag);
    rf_atomic_store(&flag, 0);
}
HANDLER(of_low_priority) {
    rf_thread t = RF_SELF();
    if (rf_atomic_load(&flag)) RF_ASSERT(memcmp(&t, &interrupted, sizeof t));
}
RF_TEST(higher_ones_first) {
    rf_atomic_init(&flag, 0);
    RF_INTERRUPT(high, of_high_priority, NULL, .priority = 5);
    RF_INTERRUPT(low, of_low_priority, NULL, .priority = 1);
    rf_thread t = RF_THREAD(masks_once, NULL);
    RF_JOIN(t);
}

/* A handler that masks does not wait for those whom it has interrupted. */
RF_TEST(higher_ones_mask) {
    rf_atomic_init(&ticks, 0);
    rf_atomic_init(&order, 0);
    RF_INTERRUPT(high, masked_once, NULL, .priority = 5);
    RF_INTERRUPT(low, tick, NULL, .priority = 1);
    RF_MASK_UP_TO(1);
    (void)ticked();
    RF_UNMASK();
}

/* A loop without a step. */
HANDLER(loops) {
    for (volatile int i = 1; i; i = 1) continue;
}
RF_TEST(no_step) {
    RF_INTERRUPT(uart, loops, NULL);
    RF_YIELD();
}

/* A loop that goes on, where nobody expects one that does not end. */
HANDLER(counts_on) {
    for (;;) rf_atomic_fetch_add(&order, 1);
}
RF_TEST(counts_on_and_on, .max_steps = 2000) {
    rf_atomic_init(&order, 0);
    RF_INTERRUPT(uart, counts_on, NULL);
    RF_YIELD();
}

RF_MAIN()
