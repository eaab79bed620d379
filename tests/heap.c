/* RF_MALLOC and its family: addresses, contents, and everything that can be done wrong with them
 * (docs/sync.md, The heap).  Each message has both places. */
#define RF_IMPLEMENTATION
#include "schedules.h"

/* ---- behaviour ---- */

static uintptr_t first_time[4];

static void *allocate(void *unused) {
    RF_FREE(RF_MALLOC(40));
    return unused;
}

/* In one order of allocations every execution sees the same addresses. */
RF_TEST(addresses) {
    char *p[4];
    for (int i = 0; i < 3; i++) p[i] = RF_MALLOC((size_t)(i * 13));
    (void)RF_JOIN(RF_THREAD(allocate, NULL));
    p[3] = RF_REALLOC(p[1], 100);
    for (int i = 0; i < 4; i++) {
        if (!first_time[i]) first_time[i] = (uintptr_t)p[i];
        RF_ASSERT_EQ((uintptr_t)p[i], first_time[i]);
        RF_ASSERT_EQ((uintptr_t)p[i] % 16, 0);
        for (int k = 0; k < i; k++) RF_ASSERT(p[k] != p[i]);
    }
    RF_FREE(p[0]);
    RF_FREE(p[2]);
    RF_FREE(p[3]);
}

/* A freed block is not given out again. */
RF_TEST(fresh) {
    char *p = RF_MALLOC(32), *q;
    RF_FREE(p);
    q = RF_MALLOC(32);
    RF_ASSERT(q != p);
    RF_FREE(q);
}

/* What is in new memory does not depend on executions before. */
RF_TEST(contents) {
    unsigned char *p = RF_MALLOC(64), *z = RF_CALLOC(4, 16);
    for (int i = 0; i < 64; i++) {
        RF_ASSERT_EQ(p[i], 0xa5);
        RF_ASSERT_EQ(z[i], 0);
    }
    memset(p, 1, 64);
    memset(z, 2, 64);
    RF_FREE(p);
    RF_FREE(z);
}

RF_TEST(reallocate) {
    char *p = RF_REALLOC(NULL, 4);
    memcpy(p, "abc", 4);
    p = RF_REALLOC(p, 4000);
    RF_ASSERT_STR_EQ(p, "abc");
    p[3999] = 'x';
    p = RF_REALLOC(p, 2);
    RF_ASSERT_MEM_EQ(p, "ab", 2);
    p = RF_REALLOC(p, 0);
    RF_ASSERT(p);
    RF_FREE(p);
}

RF_TEST(sizes) {
    volatile size_t half = SIZE_MAX / 2;
    char *p = RF_MALLOC(0), *q = RF_CALLOC(0, 8);
    RF_ASSERT(p && q && p != q);
    RF_FREE(p);
    RF_FREE(q);
    RF_FREE(NULL);
    RF_ASSERT(!RF_CALLOC(half, 3));
    RF_ASSERT(!RF_CALLOC(3, half));
    RF_ASSERT(!RF_MALLOC(half));
    p = RF_MALLOC(5);
    RF_ASSERT(!RF_REALLOC(p, half)); /* p is left as it was */
    RF_FREE(p);
}

static void *give(void *block) {
    RF_FREE(block);
    return NULL;
}

RF_TEST(freed_by_another) { (void)RF_JOIN(RF_THREAD(give, RF_MALLOC(8))); }

RF_TEST(all_of_a_block) {
    char *p = RF_MALLOC(24);
    memset(p, 0, 24);
    RF_STORE(p[23], 1);
    RF_ASSERT_EQ(RF_LOAD(p[23]), 1);
    RF_WRITE(p, 24);
    RF_READ(p + 24, 0);
    RF_FREE(p);
}

/* ---- use after free ---- */

RF_TEST(read_freed) {
    int *p = AT(1, RF_MALLOC(2 * sizeof *p));
    AT(2, RF_FREE(p));
    AT(3, (void)RF_LOAD(p[1]));
}

RF_TEST(write_freed) {
    char *p = AT(1, RF_CALLOC(3, 1));
    AT(2, RF_FREE(p));
    AT(3, RF_STORE(*p, 1));
}

RF_TEST(range_of_freed) {
    char *p = AT(1, RF_MALLOC(100));
    AT(2, RF_FREE(p));
    AT(3, RF_READ(p + 20, 60));
}

RF_TEST(old_block_of_realloc) {
    char *p = AT(1, RF_MALLOC(10));
    AT(2, (void)RF_REALLOC(p, 20));
    AT(3, RF_RACY_STORE(*p, 1));
}

static int *shared;

static void *use_shared(void *unused) {
    AT(3, RF_STORE(*shared, 1));
    return unused;
}

RF_TEST(freed_too_early) {
    shared = AT(1, RF_MALLOC(sizeof *shared));
    rf_thread t = RF_THREAD(use_shared, NULL);
    AT(2, RF_FREE(shared));
    (void)RF_JOIN(t);
}

/* ---- bad frees ---- */

RF_TEST(free_twice) {
    char *p = AT(1, RF_MALLOC(3));
    AT(2, RF_FREE(p));
    AT(3, RF_FREE(p));
}

static void *free_shared(void *unused) {
    RF_FREE(shared);
    return unused;
}

RF_TEST(two_free_one) {
    shared = RF_MALLOC(3);
    rf_thread t = RF_THREAD(free_shared, NULL), u = RF_THREAD(free_shared, NULL);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
}

RF_TEST(realloc_freed) {
    char *p = AT(1, RF_MALLOC(3));
    AT(2, RF_FREE(p));
    AT(3, (void)RF_REALLOC(p, 5));
}

RF_TEST(free_inside) {
    char *p = AT(1, RF_MALLOC(30));
    AT(2, RF_FREE(p + 4));
}

RF_TEST(free_static) {
    static int object;
    AT(1, RF_FREE(&object));
}

RF_TEST(free_mallocs) {
    void *p = malloc(4);
    if (!p) RF_SKIP("no memory");
    AT(1, RF_FREE(p));
}

RF_TEST(free_of_another_execution) {
    static void *old;
    void *p = RF_MALLOC(4);
    if (!old) old = p; /* the first block of every execution has this address: take another */
    char *beyond = (char *)old + 4096;
    AT(1, RF_FREE(beyond));
}

/* ---- overruns ---- */

RF_TEST(read_beyond) {
    int *p = AT(1, RF_MALLOC(3 * sizeof *p));
    AT(2, (void)RF_LOAD(p[3]));
}

RF_TEST(write_beyond) {
    long long *p = AT(1, RF_MALLOC(12));
    AT(2, RF_STORE(p[1], 1));
}

RF_TEST(write_far_beyond) {
    char *p = AT(1, RF_MALLOC(12));
    AT(2, RF_STORE(p[5000], 1));
}

RF_TEST(range_beyond) {
    char *p = AT(1, RF_MALLOC(10));
    AT(2, RF_WRITE(p, 11));
}

RF_TEST(plain_beyond_then_free) {
    volatile char *p = AT(1, RF_MALLOC(10));
    p[10] = 1;
    AT(2, RF_FREE((void *)(uintptr_t)p));
}

RF_TEST(plain_beyond_then_end) {
    volatile char *p = AT(1, RF_MALLOC(10));
    p[13] = 1;
}

/* With coarse granularity the store is not looked at; what it did is. */
RF_TEST(coarse_beyond) {
    char *p = AT(1, RF_MALLOC(16));
    RF_STORE(p[16], 1);
    AT(2, RF_FREE(p));
}

/* ---- leaks ---- */

RF_TEST(leak) { AT(1, (void)RF_MALLOC(7)); }

static void *leak_some(void *unused) {
    for (int i = 0; i < 3; i++) {
        AT(1, (void)RF_CALLOC(2, 5));
        RF_FREE(RF_MALLOC(1));
    }
    return unused;
}

RF_TEST(leaks) { (void)RF_JOIN(RF_THREAD(leak_some, NULL)); }

/* Outside of tests it is the C library's heap. */
static bool outside(void) {
    char *p = RF_MALLOC(4), *z = RF_CALLOC(2, 2);
    if (!p || !z) return false;
    memcpy(p, "abc", 4);
    bool zero = !z[0] && !z[3];
    RF_FREE(z);
    p = RF_REALLOC(p, 8000);
    bool kept = p && !strcmp(p, "abc");
    RF_FREE(p);
    return zero && kept;
}

static void behaviour(void) {
    PASSES("addresses_are_the_same_in_every_execution", "addresses");
    PASSES("freed_memory_is_not_given_out_again", "fresh");
    PASSES("new_memory_has_always_the_same_content", "contents");
    PASSES("realloc_keeps_the_content", "reallocate");
    PASSES("size_zero_and_too_large_sizes", "sizes");
    PASSES("a_block_may_be_freed_by_another_thread", "freed_by_another");
    PASSES("every_byte_of_a_block_may_be_used", "all_of_a_block");
    LAB_CHECK("outside_of_tests_the_heap_is_that_of_the_c_library", outside());
}

static void use_after_free(void) {
    FAILS_ALWAYS("reading_freed_memory_fails", "read_freed", USE_AFTER_FREE, 3,
                 "read of 4 bytes at offset 4 of a block of 8 bytes, allocated by T0 at heap.c:@1, "
                 "freed by T0 at heap.c:@2");
    FAILS_ALWAYS("writing_freed_memory_fails", "write_freed", USE_AFTER_FREE, 3,
                 "write of 1 byte at offset 0 of a block of 3 bytes, allocated by T0 at heap.c:@1, "
                 "freed by T0 at heap.c:@2");
    FAILS_ALWAYS("a_range_of_freed_memory_fails", "range_of_freed", USE_AFTER_FREE, 3,
                 "read of 60 bytes at offset 20 of a block of 100 bytes, allocated by T0 at "
                 "heap.c:@1, freed by T0 at heap.c:@2");
    FAILS_ALWAYS(
        "the_old_block_of_realloc_is_freed", "old_block_of_realloc", USE_AFTER_FREE, 3,
        "write of 1 byte at offset 0 of a block of 10 bytes, allocated by T0 at heap.c:@1, "
        "freed by T0 at heap.c:@2");
    FAILS("a_schedule_in_which_memory_is_freed_too_early_is_found", "freed_too_early",
          USE_AFTER_FREE, 3,
          "write of 4 bytes at offset 0 of a block of 4 bytes, allocated by T0 at heap.c:@1, freed "
          "by T0 at heap.c:@2");
}

static void bad_frees(void) {
    FAILS_ALWAYS("freeing_twice_fails", "free_twice", DOUBLE_FREE, 3,
                 "second free of a block of 3 bytes, allocated by T0 at heap.c:@1, freed by T0 at "
                 "heap.c:@2");
    const rfi_tally *t = lab_random("two_free_one", SCHEDULES, LAB_FINE);
    LAB_CHECK("two_threads_that_free_one_block_fail",
              t->failures == 1 && t->failure[0].count == SCHEDULES &&
                  t->failure[0].failure.diagnostic == RF_DIAG_DOUBLE_FREE);
    FAILS_ALWAYS("reallocating_freed_memory_fails", "realloc_freed", DOUBLE_FREE, 3,
                 "second free of a block of 3 bytes, allocated by T0 at heap.c:@1, freed by T0 at "
                 "heap.c:@2");
    FAILS_ALWAYS("freeing_the_inside_of_a_block_fails", "free_inside", BAD_FREE, 2,
                 "the pointer points to offset 4 of a block of 30 bytes, allocated by T0 at "
                 "heap.c:@1");
    FAILS_ALWAYS("freeing_a_static_object_fails", "free_static", BAD_FREE, 1,
                 "the pointer did not come from RF_MALLOC in this execution");
    FAILS_ALWAYS("freeing_what_malloc_gave_fails", "free_mallocs", BAD_FREE, 1,
                 "the pointer did not come from RF_MALLOC in this execution");
    FAILS_ALWAYS("freeing_what_is_no_block_of_this_execution_fails", "free_of_another_execution",
                 BAD_FREE, 1, "the pointer did not come from RF_MALLOC in this execution");
}

static void overruns(void) {
    lab_check(fails_under("read_beyond", RF_DIAG_OVERRUN, 2,
                          "read of 4 bytes at offset 12 of a block of 12 bytes, allocated by T0 at "
                          "heap.c:@1",
                          true, LAB_FINE),
              "reading_beyond_a_block_fails", why);
    lab_check(fails_under("write_beyond", RF_DIAG_OVERRUN, 2,
                          "write of 8 bytes at offset 8 of a block of 12 bytes, allocated by T0 at "
                          "heap.c:@1",
                          true, LAB_FINE),
              "writing_across_the_end_of_a_block_fails", why);
    lab_check(fails_under("write_far_beyond", RF_DIAG_OVERRUN, 2,
                          "write of 1 byte at offset 5000 of a block of 12 bytes, allocated by T0 "
                          "at heap.c:@1",
                          true, LAB_FINE),
              "writing_far_beyond_a_block_fails", why);
    lab_check(fails_under("range_beyond", RF_DIAG_OVERRUN, 2,
                          "write of 11 bytes at offset 0 of a block of 10 bytes, allocated by T0 "
                          "at heap.c:@1",
                          true, LAB_FINE),
              "a_range_beyond_a_block_fails", why);
    FAILS_ALWAYS("a_plain_write_beyond_a_block_is_seen_at_its_free", "plain_beyond_then_free",
                 OVERRUN, 2,
                 "something was written at offset 10 of a block of 10 bytes, allocated by T0 at "
                 "heap.c:@1");
    FAILS_ALWAYS("a_plain_write_beyond_a_block_is_seen_at_the_end", "plain_beyond_then_end",
                 OVERRUN, 1,
                 "something was written at offset 13 of a block of 10 bytes, allocated by T0 at "
                 "heap.c:@1");
    lab_check(fails_under("coarse_beyond", RF_DIAG_OVERRUN, 2,
                          "something was written at offset 16 of a block of 16 bytes, allocated by "
                          "T0 at heap.c:@1",
                          true, LAB_COARSE),
              "an_unwatched_write_beyond_a_block_is_seen_at_its_free", why);
}

int main(void) {
    behaviour();
    use_after_free();
    bad_frees();
    overruns();
    FAILS_ALWAYS("a_block_that_is_never_freed_fails", "leak", LEAK, 1,
                 "1 block of 7 bytes, allocated by T0");
    FAILS_ALWAYS("blocks_that_are_never_freed_are_counted", "leaks", LEAK, 1,
                 "3 blocks; the first of 10 bytes, allocated by T1");
    return lab_end();
}
