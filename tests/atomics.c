/* The operations of api/atomic.h on every type, their interleavings, and the order they make. */
#define RF_IMPLEMENTATION
#include "schedules.h"

/* ---- every operation ---- */

#define SC rf_memory_order_seq_cst
#define AR rf_memory_order_acq_rel

/* `before` is in the object; after `operation`, which must yield `before`, it is `after`. */
#define MODIFIES(T, a, before, operation, after) \
 do {                                            \
  rf_atomic_store(a, (T)(before));               \
  RF_ASSERT(operation == (T)(before));           \
  RF_ASSERT(rf_atomic_load(a) == (T)(after));    \
 } while (0)

/* Load, store, exchange and compare-exchange; x and y are different values. */
#define TRANSFERS(A, T, x, y)                                                                    \
 do {                                                                                            \
  A object = RF_ATOMIC_VAR_INIT(x), *a = &object;                                                \
  T expected = (x);                                                                              \
  RF_ASSERT(rf_atomic_load_explicit(a, rf_memory_order_relaxed) == (x));                         \
  rf_atomic_init(a, (y));                                                                        \
  RF_ASSERT(rf_atomic_load_explicit(a, rf_memory_order_acquire) == (y));                         \
  rf_atomic_store_explicit(a, (x), rf_memory_order_release);                                     \
  RF_ASSERT(rf_atomic_load_explicit(a, rf_memory_order_consume) == (x));                         \
  MODIFIES(T, a, x, rf_atomic_exchange(a, (y)), y);                                              \
  MODIFIES(T, a, y, rf_atomic_exchange_explicit(a, (x), AR), x);                                 \
  RF_ASSERT(rf_atomic_compare_exchange_strong(a, &expected, (y)));                               \
  RF_ASSERT(!rf_atomic_compare_exchange_strong(a, &expected, (y)) && expected == (y));           \
  RF_ASSERT(rf_atomic_compare_exchange_strong_explicit(a, &expected, (x), AR, SC));              \
  RF_ASSERT(!rf_atomic_compare_exchange_weak(a, &expected, (y)) && expected == (x));             \
  while (!rf_atomic_compare_exchange_weak(a, &expected, (y))) RF_ASSERT(expected == (x));        \
  expected = (y);                                                                                \
  while (                                                                                        \
      !rf_atomic_compare_exchange_weak_explicit(a, &expected, (x), AR, rf_memory_order_relaxed)) \
   RF_ASSERT(expected == (y));                                                                   \
  RF_ASSERT(rf_atomic_load(a) == (x));                                                           \
 } while (0)

/* Fetch operations; `top` is the largest value. */
#define FETCHES(A, T)                                                               \
 do {                                                                               \
  A object, *a = &object;                                                           \
  const T top = (T) ~(T)0 > 0 ? (T) ~(T)0 : (T)((1ull << (sizeof(T) * 8 - 1)) - 1); \
  const T bottom = (T)((uintmax_t)top + 1);                                         \
  MODIFIES(T, a, 5, rf_atomic_fetch_add(a, 3), 8);                                  \
  MODIFIES(T, a, top, rf_atomic_fetch_add_explicit(a, 1, AR), bottom);              \
  MODIFIES(T, a, 5, rf_atomic_fetch_sub(a, 3), 2);                                  \
  MODIFIES(T, a, bottom, rf_atomic_fetch_sub_explicit(a, 1, AR), top);              \
  MODIFIES(T, a, 0x55, rf_atomic_fetch_or(a, 0x0f), 0x5f);                          \
  MODIFIES(T, a, 0x55, rf_atomic_fetch_or_explicit(a, 0x0a, SC), 0x5f);             \
  MODIFIES(T, a, 0x55, rf_atomic_fetch_xor(a, 0x0f), 0x5a);                         \
  MODIFIES(T, a, 0x55, rf_atomic_fetch_xor_explicit(a, 0x7f, AR), 0x2a);            \
  MODIFIES(T, a, 0x55, rf_atomic_fetch_and(a, 0x0f), 0x05);                         \
  MODIFIES(T, a, 0x55, rf_atomic_fetch_and_explicit(a, 0x33, SC), 0x11);            \
 } while (0)

#define NUMBER_TEST(name, T)                    \
 RF_TEST(name) {                                \
  TRANSFERS(rf_atomic_##name, T, (T)3, (T)100); \
  FETCHES(rf_atomic_##name, T);                 \
 }

NUMBER_TEST(char, char)
NUMBER_TEST(schar, signed char)
NUMBER_TEST(uchar, unsigned char)
NUMBER_TEST(short, short)
NUMBER_TEST(ushort, unsigned short)
NUMBER_TEST(int, int)
NUMBER_TEST(uint, unsigned)
NUMBER_TEST(long, long)
NUMBER_TEST(ulong, unsigned long)
NUMBER_TEST(llong, long long)
NUMBER_TEST(ullong, unsigned long long)
NUMBER_TEST(wchar_t, wchar_t)
NUMBER_TEST(int_least8_t, int_least8_t)
NUMBER_TEST(uint_fast16_t, uint_fast16_t)
NUMBER_TEST(uint_least32_t, uint_least32_t)
NUMBER_TEST(int_fast64_t, int_fast64_t)
NUMBER_TEST(size_t, size_t)
NUMBER_TEST(ptrdiff_t, ptrdiff_t)
NUMBER_TEST(uintptr_t, uintptr_t)
NUMBER_TEST(intmax_t, intmax_t)

static const char *const number_tests[] = {
    "char",         "schar",   "uchar",        "short",         "ushort",
    "int",          "uint",    "long",         "ulong",         "llong",
    "ullong",       "wchar_t", "int_least8_t", "uint_fast16_t", "uint_least32_t",
    "int_fast64_t", "size_t",  "ptrdiff_t",    "uintptr_t",     "intmax_t"};

static bool numbers(void) {
    for (size_t i = 0; i < sizeof number_tests / sizeof *number_tests; i++)
        if (!reaches(number_tests[i], 0)) return false;
    return true;
}

enum colour { RED, GREEN };

PASSING(bool_enumerations_and_floating_point_can_be_atomic) {
    TRANSFERS(rf_atomic_bool, bool, false, true);
    TRANSFERS(_Atomic(enum colour), enum colour, RED, GREEN);
    TRANSFERS(_Atomic(double), double, 0.5, -2.5);
    TRANSFERS(_Atomic(float), float, 0.5f, -2.5f);
    volatile rf_atomic_int v = 4;
    RF_ASSERT_EQ(rf_atomic_fetch_add(&v, rf_atomic_load(&v)), 4); /* operations nest */
    RF_ASSERT_EQ(rf_atomic_load(&v), 8);
}

PASSING(pointers_step_by_elements) {
    static int array[8];
    typedef int *pointer;
    TRANSFERS(_Atomic(pointer), pointer, &array[1], &array[5]);
    _Atomic(pointer) p = &array[2];
    RF_ASSERT(rf_atomic_fetch_add(&p, 3) == &array[2]);
    RF_ASSERT(rf_atomic_fetch_sub_explicit(&p, 4, AR) == &array[5]);
    RF_ASSERT(rf_atomic_load(&p) == &array[1]);
}

typedef struct triple {
    uint32_t a, b, c;
} triple;

static bool triple_is(triple t, uint32_t a) { return t.a == a && t.b == a + 1 && t.c == a + 2; }

PASSING(structs_can_be_atomic) {
    static _Atomic(triple) object;
    triple one = {1, 2, 3}, two = {2, 3, 4}, expected = two;
    rf_atomic_init(&object, one);
    RF_ASSERT(triple_is(rf_atomic_load(&object), 1));
    RF_ASSERT(triple_is(rf_atomic_exchange(&object, two), 1));
    RF_ASSERT(rf_atomic_compare_exchange_strong(&object, &expected, one));
    RF_ASSERT(!rf_atomic_compare_exchange_strong(&object, &expected, one));
    RF_ASSERT(triple_is(expected, 1));
    rf_atomic_store(&object, ((triple){7, 8, 9}));
    RF_ASSERT(triple_is(rf_atomic_load(&object), 7));
}

PASSING(flags_and_fences) {
    rf_atomic_flag f = RF_ATOMIC_FLAG_INIT;
    RF_ASSERT(!rf_atomic_flag_test_and_set(&f));
    RF_ASSERT(rf_atomic_flag_test_and_set_explicit(&f, rf_memory_order_acquire));
    rf_atomic_flag_clear_explicit(&f, rf_memory_order_release);
    RF_ASSERT(!rf_atomic_flag_test_and_set(&f));
    rf_atomic_flag_clear(&f);
    RF_ASSERT(!rf_atomic_flag_test_and_set(&f));
    rf_atomic_thread_fence(SC);
    rf_atomic_signal_fence(SC);
    rf_atomic_int i = rf_kill_dependency(3);
    RF_ASSERT(rf_atomic_is_lock_free(&i) == (RF_ATOMIC_INT_LOCK_FREE == 2));
}

/* ---- interleavings ---- */

static rf_atomic_int x, y;
static int r1, r2;

static void *store_y_load_x(void *order) {
    rf_atomic_store_explicit(&y, 1, *(rf_memory_order *)order);
    r2 = rf_atomic_load_explicit(&x, *(rf_memory_order *)order);
    return NULL;
}

/* Wider than what the memory model keeps: whole, newest, and in order with everything else. */
typedef struct five {
    long n[5];
} five;

static _Atomic(five) wide;

THREAD(hand_over_wide) {
    rf_atomic_store_explicit(&x, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&wide, ((five){{1, 2, 3, 4, 5}}), rf_memory_order_release);
}

REACHING(2, structs_wider_than_the_model_too) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&wide, (five){{0}});
    rf_thread t = RF_THREAD(hand_over_wide, NULL);
    five got = rf_atomic_load_explicit(&wide, rf_memory_order_acquire);
    RF_ASSERT_EQ(got.n[4], got.n[0] * 5);
    if (got.n[0]) RF_ASSERT_EQ(rf_atomic_load_explicit(&x, rf_memory_order_relaxed), 1);
    seen[got.n[0]]++;
    RF_JOIN(t);
    five other = rf_atomic_exchange(&wide, (five){{7}});
    RF_ASSERT_EQ(other.n[3], 4);
    RF_ASSERT(!rf_atomic_compare_exchange_strong(&wide, &other, other));
    RF_ASSERT_EQ(other.n[0], 7);
}

/* Outcomes: r1 r2 is 0 1, 1 0, 1 1, and 0 0. */
static void store_buffering(rf_memory_order order) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    rf_thread t = RF_THREAD(store_y_load_x, &order);
    rf_atomic_store_explicit(&x, 1, order);
    r1 = rf_atomic_load_explicit(&y, order);
    (void)RF_JOIN(t);
    seen[(r1 * 2 + r2 + 3) % 4]++;
}

REACHING(3, store_buffering_never_gives_0_0) {
    store_buffering(SC);
    RF_ASSERT(r1 || r2);
}
REACHING(4, relaxed_store_buffering_gives_0_0_too) { store_buffering(rf_memory_order_relaxed); }

THREAD(add) { rf_atomic_fetch_add(&x, 1); }

THREAD(load_and_store) { rf_atomic_store(&x, rf_atomic_load(&x) + 1); }

/* Outcome: the sum. */
static void sum_of(void *(*fn)(void *)) {
    rf_atomic_init(&x, 0);
    rf_thread t = RF_THREAD(fn, NULL);
    (void)fn(NULL);
    (void)RF_JOIN(t);
    seen[rf_atomic_load(&x) - 1]++;
}

PASSING(a_fetch_add_is_one_step) {
    sum_of(add);
    RF_ASSERT_EQ(rf_atomic_load(&x), 2);
}

REACHING(2, a_load_and_a_store_are_two) { sum_of(load_and_store); }

/* Outcomes: 0 failed for nothing, 1 exchanged. */
REACHING(2, a_weak_exchange_fails_for_nothing_now_and_then) {
    int expected = 4;
    rf_atomic_init(&x, 4);
    bool done = rf_atomic_compare_exchange_weak(&x, &expected, 5);
    RF_ASSERT_EQ(expected, 4);
    RF_ASSERT_EQ(rf_atomic_load(&x), done ? 5 : 4);
    seen[done]++;
}

PASSING(no_spurious_makes_weak_exchanges_sure, .no_spurious = true) {
    int expected = 4;
    rf_atomic_init(&x, 4);
    RF_ASSERT(rf_atomic_compare_exchange_weak(&x, &expected, 5));
}

/* ---- order ---- */

static int data;
static rf_memory_order store_order, load_order;
static bool fences, handed_on;

THREAD(receive) {
    if (rf_atomic_load_explicit(&x, load_order) == (handed_on ? 2 : 1)) {
        if (fences) rf_atomic_thread_fence(rf_memory_order_acquire);
        RF_ASSERT_EQ(RF_LOAD(data), 42);
    }
}

/* Passes a message on without looking at it: it stays released. */
THREAD(hand_on) {
    int one = 1;
    (void)rf_atomic_compare_exchange_strong_explicit(&x, &one, 2, rf_memory_order_relaxed,
                                                     rf_memory_order_relaxed);
}

static void message(rf_memory_order s, rf_memory_order l) {
    store_order = s;
    load_order = l;
    rf_atomic_init(&x, 0);
    RF_STORE(data, 0);
    rf_thread t = RF_THREAD(receive, NULL), u = RF_THREAD(hand_on, NULL);
    RF_STORE(data, 42);
    if (fences) rf_atomic_thread_fence(rf_memory_order_release);
    rf_atomic_store_explicit(&x, 1, store_order);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
}

#define MESSAGE_TEST(name, use_fences, hands, s, l)  \
 RF_TEST(name) {                                     \
  fences = use_fences;                               \
  handed_on = hands;                                 \
  message(rf_memory_order_##s, rf_memory_order_##l); \
 }
MESSAGE_TEST(seq_cst, false, false, seq_cst, seq_cst)
MESSAGE_TEST(release_acquire, false, false, release, acquire)
MESSAGE_TEST(release_consume, false, false, release, consume)
MESSAGE_TEST(relaxed_acquire, false, false, relaxed, acquire)
MESSAGE_TEST(release_relaxed, false, false, release, relaxed)
MESSAGE_TEST(relaxed, false, false, relaxed, relaxed)
MESSAGE_TEST(relaxed_fences, true, false, relaxed, relaxed)
MESSAGE_TEST(handed_on_released, false, true, release, acquire)
MESSAGE_TEST(handed_on_relaxed, false, true, relaxed, acquire)

/* Does happens-before see a race in some of 1,000 schedules? */
static bool races(const char *test) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    j.analyses = rfi_analysis_bit("hb");
    const rfi_tally *t = lab_job(&j, SCHEDULES);
    if (t->failures) rfi_die("%s: %s", test, t->failure[0].failure.message);
    for (uint32_t i = 0; i < t->warnings; i++)
        if (t->warning[i].seen) return true;
    return false;
}

static int guarded;
static rf_atomic_flag lock = RF_ATOMIC_FLAG_INIT;

THREAD(under_flag) {
    while (rf_atomic_flag_test_and_set_explicit(&lock, rf_memory_order_acquire)) RF_SPIN_HINT();
    RF_STORE(guarded, RF_LOAD(guarded) + 1);
    rf_atomic_flag_clear_explicit(&lock, rf_memory_order_release);
}

RF_TEST(flag_lock) {
    RF_STORE(guarded, 0);
    rf_atomic_flag_clear(&lock);
    rf_thread t = RF_THREAD(under_flag, NULL);
    (void)under_flag(NULL);
    (void)RF_JOIN(t);
    RF_ASSERT_EQ(RF_LOAD(guarded), 2);
}

/* rf_atomic_init is no atomic access. */
THREAD(late_init) { rf_atomic_init(&y, 1); }

RF_TEST(init_races) { BESIDE(late_init)(void) rf_atomic_load(&y); }

/* ---- the rest ---- */

FAILING_ALWAYS(an_atomic_access_to_freed_memory_fails, USE_AFTER_FREE, 3,
               "write of 4 bytes at offset 0 of a block of 4 bytes, allocated by T0 at @1, freed "
               "by T0 at @2") {
    rf_atomic_int *a = AT(1, RF_MALLOC(4));
    AT(2, RF_FREE(a));
    AT(3, rf_atomic_store(a, 1));
}

/* Outside of tests they are atomic among real threads. */
static rf_atomic_long outside_count;

THREAD(count_outside) {
    for (int i = 0; i < 20000; i++) {
        (void)rf_atomic_fetch_add(&outside_count, 1);
        long old = rf_atomic_load(&outside_count);
        while (!rf_atomic_compare_exchange_weak(&outside_count, &old, old + 1)) {
        }
    }
}

static bool outside(void) {
    pthread_t t;
    if (pthread_create(&t, NULL, count_outside, NULL)) return false;
    (void)count_outside(NULL);
    (void)pthread_join(t, NULL);
    return rf_atomic_load(&outside_count) == 80000;
}

static void order(void) {
    LAB_CHECK("seq_cst_orders_data", !races("seq_cst"));
    LAB_CHECK("release_and_acquire_order_data", !races("release_acquire"));
    LAB_CHECK("consume_counts_as_acquire", !races("release_consume"));
    LAB_CHECK("a_relaxed_store_orders_no_data", races("relaxed_acquire"));
    LAB_CHECK("a_relaxed_load_orders_no_data", races("release_relaxed"));
    LAB_CHECK("relaxed_accesses_order_no_data", races("relaxed"));
    LAB_CHECK("fences_order_data_across_relaxed_accesses", !races("relaxed_fences"));
    LAB_CHECK("an_update_hands_on_what_was_released", !races("handed_on_released"));
    LAB_CHECK("an_update_hands_on_nothing_that_was_not", races("handed_on_relaxed"));
    LAB_CHECK("a_lock_made_of_a_flag_orders_data", !races("flag_lock"));
    LAB_CHECK("atomic_init_races_with_an_access", races("init_races"));
}

int main(void) {
    show_claims();
    lab_check(numbers(), "every_operation_on_integers_of_every_size", why);
    order();
    LAB_CHECK("outside_of_tests_atomics_are_atomic", outside());
    return lab_end();
}
