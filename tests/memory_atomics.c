/* What programs read under the memory model: atomics of every type and order, updates, and loops
 * that wait (docs/memory.md; the model by itself: tests/memory_plain.c, tests/litmus.c). */
#define RF_IMPLEMENTATION
#include "memory_runs.h"
#include "script.h"

enum {
    ACQUIRE = rf_memory_order_acquire,
    RELEASE = rf_memory_order_release,
    SEQ_CST = rf_memory_order_seq_cst
};

/* ---- orders of atomics ---- */

static rf_atomic_int x, y;
static int order, other_order, got[2];

THREAD(store_x_load_y) {
    rf_atomic_store_explicit(&x, 1, order);
    got[0] = rf_atomic_load_explicit(&y, other_order);
}

THREAD(store_y_load_x) {
    rf_atomic_store_explicit(&y, 1, order);
    got[1] = rf_atomic_load_explicit(&x, other_order);
}

RF_TEST(store_buffering) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    run_two(store_x_load_y, store_y_load_x);
    seen[got[0] * 2 + got[1]]++;
    count_stale();
}

/* x is stored before y. */
THREAD(pass_message) {
    rf_atomic_store_explicit(&x, 1, RELAXED);
    rf_atomic_store_explicit(&y, 1, order);
}

/* Which of the outcomes 00 01 10 11 does a test have?  Bit 0 is 00. */
static unsigned outcomes(int stores, int loads, rf_mem_model model) {
    order = stores, other_order = loads;
    memset(seen, 0, sizeof seen);
    atomic_stale = plain_stale = 0;
    rfi_job j = lab_job_of("store_buffering", RFI_PREDICT, LAB_COARSE);
    j.memory.atomics = model;
    if (lab_job(&j, 2000)->failures) return 0;
    unsigned set = 0;
    for (unsigned i = 0; i < 4; i++) set |= seen[i] ? 1u << i : 0;
    return set;
}

CASE(orders) {
    LAB_CHECK("store_buffering_gives_0_0_unless_seq_cst",
              outcomes(RELEASE, ACQUIRE, RF_MEM_C11) == 15 &&
                  outcomes(SEQ_CST, SEQ_CST, RF_MEM_C11) == 14);
    LAB_CHECK("the_fast_model_gives_it_too", outcomes(RELAXED, RELAXED, RF_MEM_C11_FAST) == 15);
    LAB_CHECK("stale_reads_are_counted", atomic_stale > 0 && !plain_stale);
    LAB_CHECK("sequential_consistency_is_a_setting",
              outcomes(RELAXED, RELAXED, RF_MEM_SC) == 14 && !atomic_stale);
}

/* It fails with an old value of x, too, and in fewer steps. */
CASE(shown) {
    script_is("body: start; relaxed_load y; if = 0 { skip }; relaxed_load x; if = 0 { see 1 };"
              "if = 1 { see 0; own 9 }; fail always | relaxed_store x 1; relaxed_store y 1",
              true);
    memset(seen, 0, sizeof seen);
    const rfi_tally *t = lab_random("script", 2000, LAB_FINE);
    LAB_CHECK("what_fails_without_old_values_is_shown_without_them",
              t->failures == 1 && seen[0] && seen[1] && !t->failure[0].stale);
}

/* ---- types ---- */

typedef struct pair {
    short a, b;
} pair;
typedef struct sixteen {
    int64_t a, b;
} sixteen;

static bool same_pair(pair p, pair q) { return p.a == q.a && p.b == q.b; }
static bool same_sixteen(sixteen p, sixteen q) { return p.a == q.a && p.b == q.b; }
#define SAME(p, q) ((p) == (q))

/* A message whose content is of type T: `first`, which is stale, or `second`. */
#define MESSAGE_OF(name, T, same, first, second)                \
 static _Atomic(T) name##_content;                              \
 static void *name##_send(void *unused) {                       \
  rf_atomic_store_explicit(&name##_content, (second), RELAXED); \
  rf_atomic_store_explicit(&y, 1, RELAXED);                     \
  return unused;                                                \
 }                                                              \
 static void *name##_get(void *unused) {                        \
  if (!rf_atomic_load_explicit(&y, RELAXED)) return unused;     \
  T found = rf_atomic_load_explicit(&name##_content, RELAXED);  \
  RF_ASSERT(same(found, (first)) || same(found, (second)));     \
  seen[same(found, (second))]++;                                \
  return unused;                                                \
 }                                                              \
 RF_TEST(name) {                                                \
  rf_atomic_store_explicit(&name##_content, (first), RELAXED);  \
  rf_atomic_store_explicit(&y, 0, RELAXED);                     \
  run_two(name##_send, name##_get);                             \
 }

MESSAGE_OF(of_bool, bool, SAME, false, true)
MESSAGE_OF(of_char, signed char, SAME, -1, 100)
MESSAGE_OF(of_short, unsigned short, SAME, 1, 65535)
MESSAGE_OF(of_float, float, SAME, 0.5f, -2.25f)
MESSAGE_OF(of_double, double, SAME, 0.5, -2.25)
MESSAGE_OF(of_long_long, long long, SAME, 1, -1)
MESSAGE_OF(of_pointer, int *, SAME, &got[0], &got[1])
MESSAGE_OF(of_struct, pair, same_pair, ((pair){1, 2}), ((pair){3, 4}))
MESSAGE_OF(of_16_bytes, sixteen, same_sixteen, ((sixteen){1, 2}), ((sixteen){-3, 4}))

CASE(types) {
    static const char *const names[] = {"of_bool",    "of_char",   "of_short",
                                        "of_float",   "of_double", "of_long_long",
                                        "of_pointer", "of_struct", "of_16_bytes"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        LAB_CHECK(named("an_atomic_%s_is_stale_as_a_whole", names[i]),
                  reaches_under(names[i], 2, LAB_COARSE));
    }
}

/* ---- flags and updates ---- */

static rf_atomic_flag busy = RF_ATOMIC_FLAG_INIT;

THREAD(add_under_flag) {
    while (rf_atomic_flag_test_and_set_explicit(&busy, other_order)) RF_SPIN_HINT();
    int before = rf_atomic_load_explicit(&x, RELAXED);
    rf_atomic_store_explicit(&x, before + 1, RELAXED);
    rf_atomic_flag_clear_explicit(&busy, order);
}

RF_TEST(flag_as_lock) {
    rf_atomic_init(&x, 0);
    rf_atomic_flag_clear(&busy);
    run_two(add_under_flag, add_under_flag);
    seen[rf_atomic_load(&x) - 1]++;
}

#define ADDERS 3
#define ADDS   3
static unsigned given; /* bit set of what updates have returned */

static void *add_some(void *how) {
    for (int i = 0; i < ADDS; i++) {
        int old = 0;
        if (how)
            while (!rf_atomic_compare_exchange_weak_explicit(&x, &old, old + 1, RELAXED, RELAXED))
                continue;
        else
            old = rf_atomic_fetch_add_explicit(&x, 1, RELAXED);
        RF_ASSERT(!(given >> old & 1));
        given |= 1u << old;
    }
    return NULL;
}

RF_TEST(updates) {
    rf_thread t[ADDERS];
    given = 0;
    rf_atomic_init(&x, 0);
    for (int i = 0; i < ADDERS; i++) t[i] = RF_THREAD(add_some, i == 1 ? &x : NULL);
    for (int i = 0; i < ADDERS; i++) RF_JOIN(t[i]);
    RF_ASSERT_EQ(given, (1u << ADDERS * ADDS) - 1);
    RF_ASSERT_EQ(rf_atomic_load_explicit(&x, RELAXED), ADDERS * ADDS);
}

static bool weak_one;

static bool exchange(rf_atomic_int *object, int *expected, int desired) {
    return weak_one ? rf_atomic_compare_exchange_weak_explicit(object, expected, desired, RELAXED,
                                                               RELAXED)
                    : rf_atomic_compare_exchange_strong_explicit(object, expected, desired, RELAXED,
                                                                 RELAXED);
}

/* x is 1 for whoever has seen y, but a compare-exchange may be late and find 0.
 * Outcomes: 0 it succeeded, 1 it found the old value, 2 it failed for nothing. */
static void *exchange_late(void *unused) {
    int expected = 1;
    if (!rf_atomic_load_explicit(&y, RELAXED)) return unused;
    bool done = exchange(&x, &expected, 2);
    RF_ASSERT(done ? expected == 1 : weak_one || expected == 0);
    seen[done ? 0 : expected ? 2 : 1]++;
    return unused;
}

RF_TEST(late_exchange) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    order = RELAXED;
    run_two(pass_message, exchange_late);
}

RF_TEST(late_exchange_and_sure, .no_spurious = true) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    order = RELAXED;
    run_two(pass_message, exchange_late);
}

static void *take(void *mine) {
    int expected = 0;
    *(bool *)mine = exchange(&x, &expected, 1);
    return mine;
}

/* An update never reads a store that another one has read: one taker, under any heuristic. */
RF_TEST(one_taker) {
    bool mine[3] = {false};
    rf_thread t[3];
    rf_atomic_init(&x, 0);
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(take, &mine[i]);
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
    RF_ASSERT(mine[0] + mine[1] + mine[2] <= 1);
    RF_ASSERT(weak_one || mine[0] + mine[1] + mine[2] == 1);
}

CASE(updates) {
    order = other_order = RELAXED;
    REACHES("a_flag_with_relaxed_orders_protects_nothing", "flag_as_lock", 2);
    order = RELEASE, other_order = ACQUIRE;
    LAB_CHECK("a_flag_released_and_acquired_is_a_lock",
              reaches_under("flag_as_lock", 0, LAB_COARSE) && seen[1] == SCHEDULES);
    LAB_CHECK("updates_are_atomic_over_20000_executions",
              !lab_random("updates", 20000, LAB_COARSE)->failures);
    LAB_CHECK("and_under_every_heuristic", !failed_under_all("updates", 200));
    weak_one = false;
    LAB_CHECK("a_strong_exchange_may_find_an_old_value",
              reaches_under("late_exchange", 2, LAB_COARSE));
    lab_check(!failed_under_all("one_taker", 500), "a_strong_exchange_has_one_winner", why);
    weak_one = true;
    LAB_CHECK("a_weak_one_also_fails_for_nothing", reaches_under("late_exchange", 3, LAB_COARSE));
    LAB_CHECK("not_where_that_is_excluded", reaches_under("late_exchange_and_sure", 2, LAB_COARSE));
    lab_check(!failed_under_all("one_taker", 500), "a_weak_exchange_has_at_most_one_winner", why);
}

/* ---- loops that wait ---- */

CASE(loops_end) {
    static const struct {
        const char *name, *program;
    } loops[] = {
#define STOPS "| W plain 1; relaxed_store stop 1"
        {"a_loop_on_an_atomic_ends", "loop { relaxed_load stop; until = 1 }" STOPS},
        {"a_loop_on_plain_data_ends", "loop { R plain; until = 1 }" STOPS},
        {"a_loop_on_an_intended_race_ends", "loop { racyR plain; until = 1; yield }" STOPS},
        {"a_loop_of_exchanges_ends", "loop { cas stop 1; until = 1 }" STOPS},
    };
    script_after = count_stale;
    rfi_test_named("script")->options.max_steps = 20000;
    for (unsigned i = 0; i < RFI_LENGTH(loops); i++) {
        script_is(loops[i].program, false);
        uint64_t failed = failed_under_all("script", 100);
        lab_check(!failed && atomic_stale + plain_stale > 100, loops[i].name, why);
    }
}

int main(void) { return lab_cases(); }
