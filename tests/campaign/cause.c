/* Races with consequences, and beside others that have nothing to do with them (tests/cause.sh). */
#include "racefuzz.h"
#include "tests/thread.h"

static rf_mutex left, right;
static int ready, data, next, slot[4], hits, misses, flag, rest;

/* ---- one cause ---- */

static void fill(void) { RF_STORE(data, 7); }
static int look(void) { return RF_LOAD(data); }

THREAD(sends) {
    fill();
    RF_STORE(ready, 1);
}

THREAD(receives) {
    if (RF_LOAD(ready)) (void)look();
}

RF_TEST(handed_over) {
    ready = data = 0;
    run_two(sends, receives);
}

/* The same, but what comes of it does harm. */
THREAD(relies) {
    if (RF_LOAD(ready)) RF_ASSERT_EQ(look(), 7);
}

RF_TEST(relied_on) {
    ready = data = 0;
    run_two(sends, relies);
}

/* Two threads use one slot only if both have read the same number. */
static void put(int i) { RF_STORE(slot[i], i); }

THREAD(appends) {
    int i = RF_LOAD(next);
    RF_STORE(next, i + 1);
    put(i);
}

RF_TEST(numbered) {
    next = 0;
    run_two(appends, appends);
}

/* One store should be a release; two pieces of data hang on it. */
static rf_atomic_int sent, sent_too;
static int head, tail;

static void fill_head(void) { RF_STORE(head, 1); }
static void fill_tail(void) { RF_STORE(tail, 2); }
static int see_head(void) { return RF_LOAD(head); }
static int see_tail(void) { return RF_LOAD(tail); }

THREAD(sends_both) {
    fill_head();
    fill_tail();
    rf_atomic_store_explicit(&sent, 1, rf_memory_order_relaxed);
}

THREAD(receives_both) {
    if (rf_atomic_load_explicit(&sent, rf_memory_order_acquire)) (void)(see_head() + see_tail());
}

RF_TEST(published) {
    head = tail = 0;
    rf_atomic_store(&sent, 0);
    run_two(sends_both, receives_both);
}

/* ---- two causes ---- */

/* The same, but each has a store of its own. */
THREAD(sends_each) {
    fill_head();
    rf_atomic_store_explicit(&sent, 1, rf_memory_order_relaxed);
    fill_tail();
    rf_atomic_store_explicit(&sent_too, 1, rf_memory_order_relaxed);
}

THREAD(receives_each) {
    if (rf_atomic_load_explicit(&sent_too, rf_memory_order_acquire)) (void)see_tail();
    if (rf_atomic_load_explicit(&sent, rf_memory_order_acquire)) (void)see_head();
}

RF_TEST(each_published) {
    head = tail = 0;
    rf_atomic_store(&sent, 0);
    rf_atomic_store(&sent_too, 0);
    run_two(sends_each, receives_each);
}

static void miss(void) { RF_STORE(misses, RF_LOAD(misses) + 1); }

THREAD(visits) {
    RF_STORE(hits, RF_LOAD(hits) + 1);
    miss();
}

RF_TEST(counted_twice) {
    hits = misses = 0;
    run_two(visits, visits);
}

/* One thread gets to the second race by the first, but is not ordered by it. */
THREAD(raises) { RF_STORE(flag, 1); }

static void spend(int n) { RF_STORE(rest, n); }

THREAD(spends_if) {
    if (RF_LOAD(flag)) spend(1);
}

THREAD(spends) { spend(2); }

RF_TEST(led_to) {
    flag = rest = 0;
    BESIDE(raises) run_two(spends_if, spends);
}

/* Behind the first race, whoever won it. */
THREAD(raises_and_spends) {
    RF_STORE(flag, 1);
    spend(1);
}

THREAD(looks_and_spends) {
    (void)RF_LOAD(flag);
    spend(2);
}

RF_TEST(behind_it) {
    flag = rest = 0;
    run_two(raises_and_spends, looks_and_spends);
}

static void both(rf_mutex *a, rf_mutex *b) {
    RF_LOCK(a);
    RF_LOCK(b);
    RF_UNLOCK(b);
    RF_UNLOCK(a);
}

THREAD(forth) {
    both(&left, &right);
    RF_STORE(hits, 1);
}

THREAD(back) {
    both(&right, &left);
    RF_STORE(hits, 2);
}

RF_TEST(beside_a_deadlock) {
    rf_mutex_init(&left, "left", RF_MUTEX_NORMAL);
    rf_mutex_init(&right, "right", RF_MUTEX_NORMAL);
    hits = 0;
    run_two(forth, back);
}

/* A failure of its own, that no warning explains: what is read is always of the same lock. */
THREAD(steps) {
    RF_STORE(hits, 1);
    RF_GUARD(&left) RF_STORE(rest, 1);
    RF_GUARD(&left) RF_STORE(rest, 0);
}

THREAD(checks) {
    RF_STORE(hits, 2);
    int n;
    RF_GUARD(&left) n = RF_LOAD(rest);
    RF_ASSERT(n == 0);
}

RF_TEST(beside_a_failure) {
    rf_mutex_init(&left, "left", RF_MUTEX_NORMAL);
    hits = rest = 0;
    run_two(steps, checks);
}

/* One that is seldom seen at all. */
THREAD(fails_seldom) {
    if (RF_CHOOSE(100) == 7) RF_FAIL("seldom");
    RF_STORE(hits, 1);
}

THREAD(hit) { RF_STORE(hits, 2); }

RF_TEST(beside_a_rare_failure) {
    hits = 0;
    run_two(fails_seldom, hit);
}

RF_MAIN()
