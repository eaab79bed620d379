/* Bugs of interrupt handlers, each with a mended twin. */
#include "racefuzz.h"

/* A counter of 32 bits on a machine of 16, read in two halves. */
static unsigned low, high;
static void tick(void *unused) {
    (void)unused;
    RF_STORE(low, (RF_LOAD(low) + 1) & 0xffff);
    if (!RF_LOAD(low)) RF_STORE(high, RF_LOAD(high) + 1);
}
static unsigned ticks(void) {
    unsigned h = RF_LOAD(high);
    return h << 16 | RF_LOAD(low);
}
static void ticking(void) {
    low = 0xffff;
    high = 0;
    RF_INTERRUPT(timer, tick, NULL);
}
RF_TEST(counter, .expect = RF_EXPECT_RACE | RF_EXPECT_FAILURE) {
    ticking();
    RF_ASSERT(ticks() >= 0xffff);
}
RF_TEST(counter_fixed) {
    ticking();
    RF_MASK();
    RF_MASK(); /* they nest */
    unsigned t = ticks();
    RF_UNMASK();
    RF_ASSERT(t == ticks());
    RF_UNMASK();
    RF_ASSERT(t == 0xffff || t == 0x10000);
}

/* A wake-up between the check and the sleep. */
static rf_atomic_int flag;
static void raises(void *unused) {
    (void)unused;
    rf_atomic_store(&flag, 1);
}
RF_TEST(wakeup, .expect = RF_EXPECT_DEADLOCK) {
    rf_atomic_init(&flag, 0);
    RF_INTERRUPT(uart, raises, NULL);
    while (!rf_atomic_load(&flag)) RF_PAUSE();
}
RF_TEST(wakeup_fixed) {
    rf_atomic_init(&flag, 0);
    RF_INTERRUPT(uart, raises, NULL);
    RF_MASK();
    while (!rf_atomic_load(&flag)) RF_PAUSE();
    RF_UNMASK();
}

/* A lock that the interrupted thread may hold. */
static rf_mutex lock;
static void locks(void *unused) {
    (void)unused;
    RF_GUARD(&lock) {}
}
static void locking(void) {
    rf_mutex_init(&lock, "lock", RF_MUTEX_NORMAL);
    RF_INTERRUPT(uart, locks, NULL);
}
RF_TEST(handler_locks, .expect = RF_EXPECT_DEADLOCK) {
    locking();
    RF_GUARD(&lock) {}
}
RF_TEST(handler_locks_fixed) {
    locking();
    RF_MASK();
    RF_GUARD(&lock) {}
    RF_UNMASK();
}

/* Handlers that share a scratch object: of two priorities they nest, of one they don't. */
static int scratch, spoiled;
static void slow(void *unused) {
    (void)unused;
    RF_STORE(scratch, 1);
    if (RF_LOAD(scratch) != 1) spoiled = 1;
}
static void urgent(void *unused) {
    (void)unused;
    RF_STORE(scratch, 2);
}
static void nesting(unsigned priority) {
    spoiled = 0;
    RF_INTERRUPT(slow, slow, NULL);
    RF_INTERRUPT(urgent, urgent, NULL, .priority = priority);
    RF_YIELD();
    RF_YIELD();
    RF_ASSERT(!spoiled);
}
RF_TEST(nested, .expect = RF_EXPECT_RACE | RF_EXPECT_FAILURE) { nesting(1); }
RF_TEST(nested_fixed) { nesting(0); }

/* flags |= BIT on both sides. */
static unsigned flags, struck;
static void sets(void *unused) {
    (void)unused;
    RF_RACY_STORE(flags, RF_RACY_LOAD(flags) | 1);
    struck = 1;
}
static void setting(void) {
    flags = struck = 0;
    RF_INTERRUPT(uart, sets, NULL);
}
RF_TEST(bits, .expect = RF_EXPECT_FAILURE) {
    setting();
    RF_RACY_STORE(flags, RF_RACY_LOAD(flags) | 2);
    RF_ASSERT_EQ(RF_RACY_LOAD(flags), 2 | struck);
}
RF_TEST(bits_fixed) {
    setting();
    RF_MASK();
    RF_RACY_STORE(flags, RF_RACY_LOAD(flags) | 2);
    RF_ASSERT_EQ(RF_RACY_LOAD(flags), 2 | struck);
    RF_UNMASK();
}

/* A handler runs as a whole, whoever else there is; from never to three times, at every step. */
static void twice(void *unused) {
    (void)unused;
    RF_RACY_STORE(flags, RF_RACY_LOAD(flags) + 1);
    RF_RACY_STORE(flags, RF_RACY_LOAD(flags) + 1);
}
static void is_even(void) { RF_ASSERT(RF_RACY_LOAD(flags) % 2 == 0); }
static void *looks(void *unused) {
    is_even();
    return unused;
}
static void whole(void) {
    flags = 0;
    RF_INTERRUPT(timer, twice, NULL, .times = 3);
}
RF_TEST(one_thread) {
    whole();
    for (int i = 0; i < 3; i++) is_even();
}
RF_TEST(two_threads) {
    whole();
    rf_thread t = RF_THREAD(looks, NULL);
    is_even();
    RF_JOIN(t);
}

/* Under a mask no other thread runs either: there is one core. */
static void *counts(void *unused) {
    RF_MASK();
    unsigned seen = RF_LOAD(flags);
    RF_STORE(flags, seen + 2);
    RF_ASSERT_EQ(RF_LOAD(flags), seen + 2);
    RF_UNMASK();
    return unused;
}
RF_TEST(one_core) {
    flags = 0;
    rf_thread t = RF_THREAD(counts, NULL);
    counts(NULL);
    RF_JOIN(t);
    RF_ASSERT_EQ(RF_LOAD(flags), 4);
}

/* Nothing strikes when the body has returned. */
static rf_atomic_int over;
static void late(void *unused) {
    (void)unused;
    RF_ASSERT(!rf_atomic_load(&over));
}
RF_TEST(not_after_the_end) {
    rf_atomic_init(&over, 0);
    RF_INTERRUPT(timer, late, NULL, .times = 2);
    RF_YIELD();
    rf_atomic_store(&over, 1);
}

/* Misuse. */
RF_TEST(not_masked, .expect = RF_EXPECT_FAILURE) { RF_UNMASK(); }
RF_TEST(no_such_priority, .expect = RF_EXPECT_FAILURE) {
    RF_INTERRUPT(uart, raises, NULL, .priority = 16);
}
RF_TEST(waits_under_a_mask, .expect = RF_EXPECT_DEADLOCK) {
    rf_sem never = RF_SEM_INIT(0);
    RF_INTERRUPT(uart, raises, NULL);
    RF_MASK();
    RF_SEM_WAIT(&never);
}

/* A handler that allocates while the interrupted thread does. */
static void allocates(void *unused) {
    (void)unused;
    RF_FREE(RF_MALLOC(8));
}
RF_TEST(heap, .expect = RF_EXPECT_FAILURE) {
    RF_INTERRUPT(uart, allocates, NULL);
    RF_FREE(RF_MALLOC(16));
}
RF_TEST(heap_fixed) {
    RF_INTERRUPT(uart, allocates, NULL);
    RF_MASK();
    RF_FREE(RF_MALLOC(16));
    RF_UNMASK();
}

/* Two buffers, of which the handler fills one and gives it to the reader: given twice, the reader's
 * has changed, and its number has not. */
static rf_atomic_int filled, rounds, first[2], second[2];
static void fills(void *unused) {
    (void)unused;
    int next = 1 - rf_atomic_load(&filled), n = rf_atomic_load(&rounds) + 1;
    rf_atomic_store(&first[next], n);
    rf_atomic_store(&second[next], n);
    rf_atomic_store(&rounds, n);
    rf_atomic_store(&filled, next);
}
static void reading(rf_atomic_int *changes) {
    int before, b, one, two;
    rf_atomic_init(&filled, 0);
    rf_atomic_init(&rounds, 0);
    for (int i = 0; i < 2; i++) rf_atomic_init(&first[i], 0), rf_atomic_init(&second[i], 0);
    RF_INTERRUPT(dma, fills, NULL, .times = 2);
    do {
        before = rf_atomic_load(changes);
        b = rf_atomic_load(&filled);
        one = rf_atomic_load(&first[b]);
        two = rf_atomic_load(&second[b]);
    } while (rf_atomic_load(changes) != before);
    RF_ASSERT_EQ(one, two);
}
RF_TEST(buffers, .expect = RF_EXPECT_FAILURE) { reading(&filled); }
RF_TEST(buffers_fixed) { reading(&rounds); }

RF_MAIN()
