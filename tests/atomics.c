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

#define NUMBERS(X)                 \
 X(char, char)                     \
 X(schar, signed char)             \
 X(uchar, unsigned char)           \
 X(short, short)                   \
 X(ushort, unsigned short)         \
 X(int, int)                       \
 X(uint, unsigned)                 \
 X(long, long)                     \
 X(ulong, unsigned long)           \
 X(llong, long long)               \
 X(ullong, unsigned long long)     \
 X(wchar_t, wchar_t)               \
 X(int_least8_t, int_least8_t)     \
 X(uint_fast16_t, uint_fast16_t)   \
 X(uint_least32_t, uint_least32_t) \
 X(int_fast64_t, int_fast64_t)     \
 X(size_t, size_t)                 \
 X(ptrdiff_t, ptrdiff_t)           \
 X(uintptr_t, uintptr_t)           \
 X(intmax_t, intmax_t)

#define NUMBER_TEST(name, T)                    \
 RF_TEST(name) {                                \
  TRANSFERS(rf_atomic_##name, T, (T)3, (T)100); \
  FETCHES(rf_atomic_##name, T);                 \
 }
NUMBERS(NUMBER_TEST)

static bool numbers(void) {
#define REACHED(name, T) reaches(#name, 0) &&
    return NUMBERS(REACHED) true;
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

THREAD(add) { rf_atomic_fetch_add(&x, 1); }

THREAD(load_and_store) { rf_atomic_store(&x, rf_atomic_load(&x) + 1); }

/* Outcome: the sum. */
static void sum_of(void *(*fn)(void *)) {
    rf_atomic_init(&x, 0);
    BESIDE(fn) fn(NULL);
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

/* ---- orders ---- */

static int order; /* no constant: compilers warn of those */

#define WRONG(name, is, what, number, may, operation)                                           \
 FAILING_ALWAYS(name, BAD_ORDER, 1, what " has the order " number "; C11 7.17.7 allows " may) { \
  order = is;                                                                                   \
  AT(1, operation);                                                                             \
 }
#define OF_LOADS  "relaxed, consume, acquire and seq_cst"
#define OF_STORES "relaxed, release and seq_cst"
#define OF_ALL    "those of memory_order"

static int found;
#define LOAD     (void)rf_atomic_load_explicit(&x, order)
#define STORE    rf_atomic_store_explicit(&x, 1, order)
#define ADD      (void)rf_atomic_fetch_add_explicit(&x, 1, order)
#define FENCE    rf_atomic_thread_fence(order)
#define EXCHANGE (void)rf_atomic_compare_exchange_strong_explicit(&x, &found, 1, order, 0)
#define FAILURE  (void)rf_atomic_compare_exchange_weak_explicit(&x, &found, 1, AR, order)

/* clang-format off */
WRONG(a_load_does_not_release, 3, "a load", "release", OF_LOADS, LOAD)
WRONG(a_load_is_no_acq_rel, 4, "a load", "acq_rel", OF_LOADS, LOAD)
WRONG(a_store_does_not_consume, 1, "a store", "consume", OF_STORES, STORE)
WRONG(a_store_does_not_acquire, 2, "a store", "acquire", OF_STORES, STORE)
WRONG(a_store_is_no_acq_rel, 4, "a store", "acq_rel", OF_STORES, STORE)
WRONG(no_load_has_a_number, 42, "a load", "42", OF_LOADS, LOAD)
WRONG(no_update_has_a_number, -1, "an update", "-1", OF_ALL, ADD)
WRONG(no_fence_has_a_number, 6, "a fence", "6", OF_ALL, FENCE)
WRONG(no_exchange_has_a_number, 64, "a compare-exchange", "64", OF_ALL, EXCHANGE)
WRONG(no_failure_releases, 3, "a compare-exchange that fails", "release", OF_LOADS, FAILURE)
WRONG(no_failure_is_acq_rel, 4, "a compare-exchange that fails", "acq_rel", OF_LOADS, FAILURE)
/* clang-format on */

/* Of other processors, as __ATOMIC_HLE_ACQUIRE is of x86. */
PASSING(bits_above_the_order_are_not_looked_at) {
    rf_atomic_store_explicit(&x, 1, 1 << 17 | rf_memory_order_release);
    RF_ASSERT_EQ(rf_atomic_exchange_explicit(&x, 2, 1 << 16 | rf_memory_order_acquire), 1);
}

/* ---- the rest ---- */

/* rf_atomic_init is no atomic access. */
THREAD(late_init) { rf_atomic_init(&y, 1); }

RF_TEST(init_races) { BESIDE(late_init)(void) rf_atomic_load(&y); }

static bool atomic_init_races(void) {
    rfi_job j = lab_job_of("init_races", RFI_PREDICT, LAB_FINE);
    j.analyses = rfi_analysis_bit("hb");
    const rfi_tally *t = lab_job(&j, SCHEDULES);
    return !t->failures && t->warnings && t->warning[0].seen;
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

int main(void) {
    show_claims();
    lab_check(numbers(), "every_operation_on_integers_of_every_size", why);
    LAB_CHECK("atomic_init_races_with_an_access", atomic_init_races());
    LAB_CHECK("outside_of_tests_atomics_are_atomic", outside());
    return lab_end();
}
