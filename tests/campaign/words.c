/* Values that are wider than the machine's word (--word). */
#include "racefuzz.h"

static uint32_t ticks;

static void tick(void *unused) {
    (void)unused;
    RF_STORE(ticks, RF_LOAD(ticks) + 1);
}

static uint32_t now(void) { return RF_LOAD(ticks); }

static uint32_t now_masked(void) {
    RF_MASK();
    uint32_t t = now();
    RF_UNMASK();
    return t;
}

static void ticking(uint32_t (*reads)(void)) {
    ticks = 0xffff;
    RF_INTERRUPT(timer, tick, NULL);
    uint32_t t = reads();
    RF_ASSERT(t == 0xffff || t == 0x10000);
}
RF_TEST(ticks) { ticking(now); }
RF_TEST(ticks_fixed) { ticking(now_masked); }

/* The writer is interrupted. */
static uint64_t deadline;

static void looks(void *unused) {
    (void)unused;
    uint64_t d = RF_LOAD(deadline);
    RF_ASSERT(!d || d == UINT64_MAX);
}
RF_TEST(writes) {
    deadline = 0;
    RF_INTERRUPT(timer, looks, NULL);
    RF_STORE(deadline, UINT64_MAX);
}

/* Atomic objects are as wide as they are. */
static rf_atomic_uint whole;

static void adds(void *unused) {
    (void)unused;
    rf_atomic_fetch_add(&whole, 1);
}
RF_TEST(atomic_fixed) {
    rf_atomic_init(&whole, 0xffff);
    RF_INTERRUPT(timer, adds, NULL);
    unsigned t = rf_atomic_load(&whole);
    RF_ASSERT(t == 0xffff || t == 0x10000);
}

RF_MAIN()
