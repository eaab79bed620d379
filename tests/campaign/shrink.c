/* For tests/shrink.sh: failures beside the noise of others, each with the least number of
 * preemptions that it needs in its name. */
#include "racefuzz.h"
#include "tests/thread.h"
#include <stdio.h>

static rf_atomic_int noise, x, y, seen;
static rf_mutex a, b;

/* Much to be switched at, and none of it matters. */
THREAD(hum) {
    for (int i = 0; i < 6; i++) rf_atomic_fetch_add(&noise, 1);
}

static void run(void *(*one)(void *), void *(*other)(void *)) {
    rf_atomic_store(&noise, 0);
    rf_atomic_store(&x, 0);
    rf_atomic_store(&y, 0);
    rf_thread n = RF_THREAD(hum, NULL), t = RF_THREAD(one, NULL), u = RF_THREAD(other, NULL);
    RF_JOIN(n);
    RF_JOIN(t);
    RF_JOIN(u);
}

THREAD(add) { rf_atomic_store(&x, rf_atomic_load(&x) + 1); }

RF_TEST(one_lost_update) {
    run(add, add);
    RF_ASSERT_EQ(rf_atomic_load(&x), 2);
}

/* Behind many steps. */
RF_TEST(late_loss) {
    for (int i = 0; i < 3000; i++) rf_atomic_store(&y, i);
    run(add, add);
    RF_ASSERT_EQ(rf_atomic_load(&x), 2);
}

/* What it writes hangs on the schedule. */
THREAD(add_aloud) {
    int seen = rf_atomic_load(&x);
    fprintf(stderr, "noise was %d\n", rf_atomic_load(&noise));
    rf_atomic_store(&x, seen + 1);
}

RF_TEST(one_aloud) {
    run(add_aloud, add_aloud);
    RF_ASSERT_EQ(rf_atomic_load(&x), 2);
}

static int hits;

THREAD(visit) { RF_STORE(hits, RF_LOAD(hits) + 1); }

RF_TEST(one_race) {
    hits = 0;
    run(visit, visit);
    RF_ASSERT_EQ(RF_LOAD(hits), 2);
}

/* As far as it is looked at. */
static int most;

THREAD(count) {
    for (int i = 1; i <= most; i++) rf_atomic_store(&x, i);
}

THREAD(look) {
    bool all = true;
    for (int i = 1; i <= most; i++) all &= rf_atomic_load(&x) == i;
    rf_atomic_store(&seen, all);
}

static void looks(int times) {
    most = times;
    rf_atomic_store(&seen, 0);
    run(count, look);
    RF_ASSERT(!rf_atomic_load(&seen));
}

RF_TEST(two_looks) { looks(2); }

RF_TEST(four_of_three_looks) { looks(3); }

/* Who yields is left without a preemption; where it does not (`apart` below 7), with one. */
static int apart;

THREAD(give_way) {
    rf_atomic_store(&x, 1);
    if (apart >= 7)
        RF_YIELD();
    else
        rf_atomic_store(&seen, 1);
    rf_atomic_store(&x, 2);
}

THREAD(look_between) { RF_ASSERT(rf_atomic_load(&x) != 1); }

RF_TEST(none_where_one_yields) {
    apart = 7;
    run(look_between, give_way);
}

RF_TEST(none_where_one_may_yield) {
    apart = (int)RF_CHOOSE(1000);
    run(look_between, give_way);
}

/* Two ways to fail: one is a schedule of the other with something taken away. */
THREAD(look_either_way) {
    int first = rf_atomic_load(&x), second = rf_atomic_load(&x);
    bool late = first == 0 && second == 2, both = first == 1 && second == 2;
    RF_ASSERT(!late);
    RF_ASSERT(!both);
}

RF_TEST(either_way) {
    most = 2;
    run(count, look_either_way);
}

/* Three values are chosen; two of them matter, from 17 and from 5 on. */
static int first, second;

THREAD(add_much) {
    unsigned any = RF_CHOOSE(1000);
    rf_atomic_store(&x, rf_atomic_load(&x) + 1);
    if (any > 2000) rf_atomic_store(&seen, 1);
}

THREAD(check_much) {
    second = (int)RF_CHOOSE(20);
    int before = rf_atomic_load(&x), after = rf_atomic_load(&x);
    RF_ASSERT(first < 17 || second < 5 || before == after);
}

RF_TEST(one_of_chosen_values) {
    first = (int)RF_CHOOSE(100);
    run(add_much, check_much);
}

/* Who fails needs nobody else than the one after it; others always go first. */
THREAD(look_late) {
    int sum = rf_atomic_load(&noise);
    RF_YIELD();
    RF_ASSERT(sum < 3 || rf_atomic_load(&x) < 2);
}

RF_TEST(one_of_three_hums) {
    most = 2;
    RF_DETACH(RF_THREAD(hum, NULL));
    RF_DETACH(RF_THREAD(hum, NULL));
    run(count, look_late);
}

THREAD(forth) {
    RF_GUARD(&a) {
        RF_GUARD(&b) {}
    }
}

THREAD(back) {
    RF_GUARD(&b) {
        RF_GUARD(&a) {}
    }
}

RF_TEST(one_deadlock) {
    rf_mutex_init(&a, "a", RF_MUTEX_NORMAL);
    rf_mutex_init(&b, "b", RF_MUTEX_NORMAL);
    run(forth, back);
}

/* Two ways to one failure: with two preemptions it takes fewer steps. */
THREAD(look_at_both) {
    int before = rf_atomic_load(&x);
    for (int i = 0; before == 0 && i < 6; i++) (void)rf_atomic_load(&y);
    RF_ASSERT(rf_atomic_load(&x) != 2 || before == 2);
}

RF_TEST(one_or_two_preemptions) {
    most = 2;
    rf_atomic_store(&x, 0);
    run_two(count, look_at_both);
}

/* Where there is nobody else, the shortest that is found is left twice. */
RF_TEST(one_deadlock_without_noise) {
    rf_mutex_init(&a, "a", RF_MUTEX_NORMAL);
    rf_mutex_init(&b, "b", RF_MUTEX_NORMAL);
    run_two(forth, back);
}

/* In order, but for an older value. */
THREAD(give) {
    rf_atomic_store_explicit(&x, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&y, 1, rf_memory_order_relaxed);
}

THREAD(take) {
    if (rf_atomic_load_explicit(&y, rf_memory_order_relaxed))
        RF_ASSERT(rf_atomic_load_explicit(&x, rf_memory_order_relaxed));
}

RF_TEST(none_but_an_older_value) { run(give, take); }

RF_MAIN()
