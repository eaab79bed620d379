/* Races with consequences, and beside others that have nothing to do with them (tests/cause.sh). */
#include "racefuzz.h"

static rf_mutex left, right;
static int ready, data, next, slot[4], hits, misses, flag, rest;

static void two_threads(void *(*a)(void *), void *(*b)(void *)) {
    rf_thread s = RF_THREAD(a, NULL), t = RF_THREAD(b, NULL);
    RF_JOIN(s);
    RF_JOIN(t);
}

/* ---- one cause ---- */

static void fill(void) { RF_STORE(data, 7); }
static int look(void) { return RF_LOAD(data); }

static void *sends(void *arg) {
    fill();
    RF_STORE(ready, 1);
    return arg;
}

static void *receives(void *arg) {
    if (RF_LOAD(ready)) (void)look();
    return arg;
}

RF_TEST(handed_over) {
    ready = data = 0;
    two_threads(sends, receives);
}

/* The same, but what comes of it does harm. */
static void *relies(void *arg) {
    if (RF_LOAD(ready)) RF_ASSERT_EQ(look(), 7);
    return arg;
}

RF_TEST(relied_on) {
    ready = data = 0;
    two_threads(sends, relies);
}

/* Two threads use one slot only if both have read the same number. */
static void put(int i) { RF_STORE(slot[i], i); }

static void *appends(void *arg) {
    int i = RF_LOAD(next);
    RF_STORE(next, i + 1);
    put(i);
    return arg;
}

RF_TEST(numbered) {
    next = 0;
    two_threads(appends, appends);
}

/* One store should be a release; two pieces of data hang on it. */
static rf_atomic_int sent, sent_too;
static int head, tail;

static void fill_head(void) { RF_STORE(head, 1); }
static void fill_tail(void) { RF_STORE(tail, 2); }
static int see_head(void) { return RF_LOAD(head); }
static int see_tail(void) { return RF_LOAD(tail); }

static void *sends_both(void *arg) {
    fill_head();
    fill_tail();
    rf_atomic_store_explicit(&sent, 1, rf_memory_order_relaxed);
    return arg;
}

static void *receives_both(void *arg) {
    if (rf_atomic_load_explicit(&sent, rf_memory_order_acquire)) (void)(see_head() + see_tail());
    return arg;
}

RF_TEST(published) {
    head = tail = 0;
    rf_atomic_store(&sent, 0);
    two_threads(sends_both, receives_both);
}

/* ---- two causes ---- */

/* The same, but each has a store of its own. */
static void *sends_each(void *arg) {
    fill_head();
    rf_atomic_store_explicit(&sent, 1, rf_memory_order_relaxed);
    fill_tail();
    rf_atomic_store_explicit(&sent_too, 1, rf_memory_order_relaxed);
    return arg;
}

static void *receives_each(void *arg) {
    if (rf_atomic_load_explicit(&sent_too, rf_memory_order_acquire)) (void)see_tail();
    if (rf_atomic_load_explicit(&sent, rf_memory_order_acquire)) (void)see_head();
    return arg;
}

RF_TEST(each_published) {
    head = tail = 0;
    rf_atomic_store(&sent, 0);
    rf_atomic_store(&sent_too, 0);
    two_threads(sends_each, receives_each);
}

static void miss(void) { RF_STORE(misses, RF_LOAD(misses) + 1); }

static void *visits(void *arg) {
    RF_STORE(hits, RF_LOAD(hits) + 1);
    miss();
    return arg;
}

RF_TEST(counted_twice) {
    hits = misses = 0;
    two_threads(visits, visits);
}

/* One thread gets to the second race by the first, but is not ordered by it. */
static void *raises(void *arg) {
    RF_STORE(flag, 1);
    return arg;
}

static void spend(int n) { RF_STORE(rest, n); }

static void *spends_if(void *arg) {
    if (RF_LOAD(flag)) spend(1);
    return arg;
}

static void *spends(void *arg) {
    spend(2);
    return arg;
}

RF_TEST(led_to) {
    flag = rest = 0;
    rf_thread t = RF_THREAD(raises, NULL);
    two_threads(spends_if, spends);
    RF_JOIN(t);
}

/* Behind the first race, whoever won it. */
static void *raises_and_spends(void *arg) {
    RF_STORE(flag, 1);
    spend(1);
    return arg;
}

static void *looks_and_spends(void *arg) {
    (void)RF_LOAD(flag);
    spend(2);
    return arg;
}

RF_TEST(behind_it) {
    flag = rest = 0;
    two_threads(raises_and_spends, looks_and_spends);
}

static void both(rf_mutex *a, rf_mutex *b) {
    RF_LOCK(a);
    RF_LOCK(b);
    RF_UNLOCK(b);
    RF_UNLOCK(a);
}

static void *forth(void *arg) {
    both(&left, &right);
    RF_STORE(hits, 1);
    return arg;
}

static void *back(void *arg) {
    both(&right, &left);
    RF_STORE(hits, 2);
    return arg;
}

RF_TEST(beside_a_deadlock) {
    rf_mutex_init(&left, "left", RF_MUTEX_NORMAL);
    rf_mutex_init(&right, "right", RF_MUTEX_NORMAL);
    hits = 0;
    two_threads(forth, back);
}

/* A failure of its own, that no warning explains: what is read is always of the same lock. */
static void *steps(void *arg) {
    RF_STORE(hits, 1);
    RF_GUARD(&left) RF_STORE(rest, 1);
    RF_GUARD(&left) RF_STORE(rest, 0);
    return arg;
}

static void *checks(void *arg) {
    RF_STORE(hits, 2);
    int n;
    RF_GUARD(&left) n = RF_LOAD(rest);
    RF_ASSERT(n == 0);
    return arg;
}

RF_TEST(beside_a_failure) {
    rf_mutex_init(&left, "left", RF_MUTEX_NORMAL);
    hits = rest = 0;
    two_threads(steps, checks);
}

/* One that is seldom seen at all. */
static void *fails_seldom(void *arg) {
    if (RF_CHOOSE(100) == 7) RF_FAIL("seldom");
    RF_STORE(hits, 1);
    return arg;
}

static void *hit(void *arg) {
    RF_STORE(hits, 2);
    return arg;
}

RF_TEST(beside_a_rare_failure) {
    hits = 0;
    two_threads(fails_seldom, hit);
}

RF_MAIN()
