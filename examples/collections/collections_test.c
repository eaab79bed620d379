/* collections_test.c: synchronised lists under threads that use two of them at once. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "synclist.h"

typedef struct two_lists {
    synclist a, b;
} two_lists;

static void two_lists_init(two_lists *l) {
    synclist_init(&l->a);
    synclist_init(&l->b);
    for (int i = 1; i <= 2; i++) {
        RF_ASSERT(synclist_add(&l->a, i));
        RF_ASSERT(synclist_add(&l->b, i));
    }
}

static void two_lists_destroy(two_lists *l) {
    synclist_destroy(&l->b);
    synclist_destroy(&l->a);
}

static void run_both(two_lists *l, void *one(void *), void *other(void *)) {
    rf_thread t1 = RF_THREAD(one, l);
    rf_thread t2 = RF_THREAD(other, l);
    RF_JOIN(t1);
    RF_JOIN(t2);
}

static void *compare(void *arg) {
    two_lists *l = arg;
    RF_ASSERT_NE(synclist_contains_all(&l->a, &l->b), LIST_CHANGED);
    return NULL;
}

static void *add_b_to_a(void *arg) {
    two_lists *l = arg;
    RF_ASSERT_GE(synclist_add_all(&l->a, &l->b), 0);
    return NULL;
}

static void *add_a_to_b(void *arg) {
    two_lists *l = arg;
    RF_ASSERT_GE(synclist_add_all(&l->b, &l->a), 0);
    return NULL;
}

static void *clear_b(void *arg) {
    two_lists *l = arg;
    synclist_clear(&l->b);
    return NULL;
}

/* The paper's example: one list asks whether it contains another that is being emptied. */
RF_TEST(contains_all_survives_a_list_that_is_emptied,
        .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    two_lists l;
    two_lists_init(&l);
    run_both(&l, compare, clear_b);
    RF_ASSERT_EQ(synclist_size(&l.b), 0u);
    two_lists_destroy(&l);
}

RF_TEST(add_all_adds_all_or_nothing_of_a_list_that_is_emptied,
        .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    two_lists l;
    two_lists_init(&l);
    run_both(&l, add_b_to_a, clear_b);
    size_t size = synclist_size(&l.a);
    RF_ASSERT(size == 2 || size == 4);
    two_lists_destroy(&l);
}

RF_TEST(lists_added_to_each_other_do_not_deadlock, .expect = PLANTED(RF_EXPECT_DEADLOCK)) {
    two_lists l;
    two_lists_init(&l);
    run_both(&l, add_b_to_a, add_a_to_b);
    two_lists_destroy(&l);
}

/* The driver of the paper's section 5.2: any function, on the two lists in either order. */
static void *any_function(void *arg) {
    static int (*const bulk[])(synclist *, synclist *) = {synclist_contains_all, synclist_add_all,
                                                          synclist_remove_all};
    two_lists *l = arg;
    bool swap = RF_CHOOSE(2);
    synclist *s = swap ? &l->b : &l->a, *other = swap ? &l->a : &l->b;
    uint32_t which = RF_CHOOSE(6);
    if (which < 3) RF_ASSERT_GE(bulk[which](s, other), 0);
    if (which == 3) RF_ASSERT(synclist_add(s, 3));
    if (which == 4) synclist_remove(s, 1);
    if (which == 5) synclist_clear(s);
    return NULL;
}

RF_TEST(any_functions_at_once,
        .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE | RF_EXPECT_DEADLOCK)) {
    two_lists l;
    two_lists_init(&l);
    rf_thread t[4];
    for (int i = 0; i < 4; i++) t[i] = RF_THREAD(any_function, &l);
    for (int i = 0; i < 4; i++) RF_JOIN(t[i]);
    two_lists_destroy(&l);
}

RF_MAIN()
