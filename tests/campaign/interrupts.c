/* Bugs of interrupt handlers, each with a mended twin. */
#include "racefuzz.h"
#include "tests/thread.h"
#include <errno.h>

#define HANDLER(name) static void name(__attribute__((unused)) void *nothing)

/* A counter of 32 bits on a machine of 16, read in two halves. */
static unsigned low, high;
HANDLER(tick) {
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
HANDLER(raises) { rf_atomic_store(&flag, 1); }
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

/* A strike wakes all who sleep, once. */
static rf_atomic_int strikes;
HANDLER(strike) { rf_atomic_fetch_add(&strikes, 1); }
THREAD(sleeps) {
    for (int i = 0; i < 2; i++) {
        RF_MASK();
        int before = rf_atomic_load(&strikes);
        RF_PAUSE();
        RF_ASSERT(rf_atomic_load(&strikes) > before);
        RF_UNMASK();
    }
}
RF_TEST(wakes_once, .expect = RF_EXPECT_DEADLOCK) {
    rf_atomic_init(&strikes, 0);
    RF_INTERRUPT(uart, strike, NULL, .times = 2);
    BESIDE(sleeps) sleeps(NULL);
}
THREAD(awaits) {
    RF_MASK();
    while (!rf_atomic_load(&flag)) RF_PAUSE();
    RF_UNMASK();
}
RF_TEST(wakes_all) {
    rf_atomic_init(&flag, 0);
    RF_INTERRUPT(uart, raises, NULL);
    BESIDE(awaits) awaits(NULL);
}

/* A lock that the interrupted thread may hold. */
static rf_mutex lock;
HANDLER(locks) {
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
HANDLER(slow) {
    RF_STORE(scratch, 1);
    if (RF_LOAD(scratch) != 1) spoiled = 1;
}
HANDLER(urgent) { RF_STORE(scratch, 2); }
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
HANDLER(sets) {
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
HANDLER(twice) {
    RF_RACY_STORE(flags, RF_RACY_LOAD(flags) + 1);
    RF_RACY_STORE(flags, RF_RACY_LOAD(flags) + 1);
}
static void is_even(void) { RF_ASSERT(RF_RACY_LOAD(flags) % 2 == 0); }
THREAD(looks) { is_even(); }
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
    BESIDE(looks) is_even();
}

/* Under a mask no other thread runs either: there is one core. */
THREAD(counts) {
    RF_MASK();
    unsigned seen = RF_LOAD(flags);
    RF_STORE(flags, seen + 2);
    RF_ASSERT_EQ(RF_LOAD(flags), seen + 2);
    RF_UNMASK();
}
RF_TEST(one_core) {
    flags = 0;
    BESIDE(counts) counts(NULL);
    RF_ASSERT_EQ(RF_LOAD(flags), 4);
}

/* Nothing strikes when the body has returned. */
static rf_atomic_int over;
HANDLER(late) { RF_ASSERT(!rf_atomic_load(&over)); }
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
HANDLER(allocates) { RF_FREE(RF_MALLOC(8)); }
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
HANDLER(fills) {
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

/* Some priorities are masked, and the others are not. */
static rf_atomic_int low_ran, high_ran;
static void runs(void *which) { rf_atomic_fetch_add((rf_atomic_int *)which, 1); }
static void both_run(void) {
    rf_atomic_init(&low_ran, 0);
    rf_atomic_init(&high_ran, 0);
    RF_INTERRUPT(low, runs, &low_ran, .priority = 1);
    RF_INTERRUPT(high, runs, &high_ran, .priority = 2);
}
static void stands_still(rf_atomic_int *ran) {
    int before = rf_atomic_load(ran);
    RF_ASSERT_EQ(rf_atomic_load(ran), before);
    RF_UNMASK();
}
RF_TEST(above_is_closed) {
    both_run();
    RF_MASK_ABOVE(1);
    stands_still(&high_ran);
}
RF_TEST(not_above_is_open, .expect = RF_EXPECT_FAILURE) {
    both_run();
    RF_MASK_ABOVE(1);
    stands_still(&low_ran);
}
RF_TEST(up_to_is_closed) {
    both_run();
    RF_MASK_UP_TO(1);
    stands_still(&low_ran);
}
RF_TEST(not_up_to_is_open, .expect = RF_EXPECT_FAILURE) {
    both_run();
    RF_MASK_UP_TO(1);
    stands_still(&high_ran);
}
RF_TEST(masks_add_up) {
    both_run();
    RF_MASK_ABOVE(1);
    RF_MASK_UP_TO(1);
    RF_MASK();
    RF_UNMASK();
    int low_before = rf_atomic_load(&low_ran);
    RF_ASSERT_EQ(rf_atomic_load(&low_ran), low_before);
    RF_UNMASK();
    stands_still(&high_ran);
}
RF_TEST(no_such_mask, .expect = RF_EXPECT_FAILURE) { RF_MASK_ABOVE(16); }

/* A handler that masks, on top of another one, or of what is masked in part. */
HANDLER(masks) {
    RF_MASK();
    RF_STORE(scratch, RF_LOAD(scratch) + 1);
    RF_UNMASK();
}
RF_TEST(handlers_mask) {
    scratch = 0;
    RF_INTERRUPT(low, masks, NULL, .times = 2);
    RF_INTERRUPT(high, masks, NULL, .priority = 1);
    masks(NULL);
    RF_MASK_UP_TO(0);
    RF_MASK();
    RF_STORE(scratch, RF_LOAD(scratch) + 1);
    RF_UNMASK();
    RF_UNMASK();
}
/* A checker may want to have the thread paused that masks, and all that may interrupt it. */
HANDLER(counts_one) { rf_atomic_fetch_add(&flag, 1); }
HANDLER(looks_at_it) { (void)RF_LOAD(scratch); }
THREAD(changes_it) { RF_STORE(scratch, RF_LOAD(scratch) + 1); }
RF_TEST(all_are_paused, .expect = RF_EXPECT_RACE) {
    scratch = 0;
    rf_atomic_init(&flag, 0);
    RF_INTERRUPT(counter, counts_one, NULL, .priority = 2);
    RF_INTERRUPT(reader, looks_at_it, NULL, .priority = 2);
    RF_MASK_UP_TO(1);
    rf_thread t = RF_THREAD(changes_it, NULL);
    (void)RF_LOAD(scratch);
    RF_UNMASK();
    RF_JOIN(t);
}
HANDLER(stays_masked) { RF_MASK(); }
RF_TEST(handler_stays_masked, .expect = RF_EXPECT_FAILURE) {
    RF_INTERRUPT(uart, stays_masked, NULL);
    RF_YIELD();
}
RF_TEST(sleeps_under_two_masks) {
    rf_atomic_init(&flag, 0);
    RF_INTERRUPT(uart, raises, NULL, .priority = 3);
    RF_MASK_UP_TO(2);
    RF_MASK();
    RF_MASK();
    while (!rf_atomic_load(&flag)) RF_PAUSE();
    RF_UNMASK();
    RF_UNMASK();
    RF_UNMASK();
}

/* One that never ends, since what it waits for can't come, or since it goes on for ever. */
HANDLER(waits) {
    while (!rf_atomic_load(&flag)) RF_SPIN_HINT();
}
HANDLER(counts_on) {
    for (;;) rf_atomic_fetch_add(&rounds, 1);
}
static void endless(void (*handler)(void *)) {
    rf_atomic_init(&flag, 0);
    rf_atomic_init(&rounds, 0);
    RF_INTERRUPT(uart, handler, NULL);
    rf_atomic_store(&flag, 1);
}
RF_TEST(handler_waits, .max_steps = 2000, .expect = RF_EXPECT_LIVELOCK) { endless(waits); }
RF_TEST(handler_counts, .max_steps = 2000, .expect = RF_EXPECT_LIVELOCK) { endless(counts_on); }
RF_TEST(handler_waits_fixed, .max_steps = 2000) {
    rf_atomic_init(&flag, 1);
    RF_INTERRUPT(uart, waits, NULL);
    rf_atomic_store(&flag, 1);
}

/* errno that is another one behind the handler: of the thread that it interrupts, and no other. */
static void spoils(void *restores) {
    int before = errno;
    errno = EINTR;
    if (restores) errno = before;
}
static void erring(void *restores) {
    RF_INTERRUPT(uart, spoils, restores);
    errno = 0;
    RF_YIELD();
    RF_ASSERT_EQ(errno, 0);
}
RF_TEST(error, .expect = RF_EXPECT_FAILURE) { erring(NULL); }
RF_TEST(error_fixed) { erring(&scratch); }
RF_TEST(error_raced, .expect = RF_EXPECT_RACE) {
    RF_INTERRUPT(uart, spoils, NULL);
    RF_STORE(errno, 0);
    (void)RF_LOAD(errno);
}
THREAD(errs) {
    RF_YIELD();
    errno = 0;
    RF_YIELD();
    RF_ASSERT_EQ(errno, 0);
}
RF_TEST(error_of_another, .expect = RF_EXPECT_FAILURE) {
    RF_INTERRUPT(uart, spoils, NULL);
    rf_thread t = RF_THREAD(errs, NULL);
    RF_JOIN(t);
}

RF_MAIN()
