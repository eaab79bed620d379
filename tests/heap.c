/* RF_MALLOC and its family: addresses, contents, and everything that can be done wrong with them
 * (docs/sync.md, The heap).  Each message has both places. */
#define RF_IMPLEMENTATION
#include "schedules.h"

/* ---- behaviour ---- */

static uintptr_t first_time[4];

THREAD(allocate) { RF_FREE(RF_MALLOC(40)); }

/* In one order of allocations every execution sees the same addresses. */
PASSING(addresses_are_the_same_in_every_execution) {
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
PASSING(freed_memory_is_not_given_out_again) {
    char *p = RF_MALLOC(32), *q;
    RF_FREE(p);
    q = RF_MALLOC(32);
    RF_ASSERT(q != p);
    RF_FREE(q);
}

/* What is in new memory does not depend on executions before. */
PASSING(new_memory_has_always_the_same_content) {
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

PASSING(realloc_keeps_the_content) {
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

PASSING(size_zero_and_too_large_sizes) {
    volatile size_t half = SIZE_MAX / 2, quarter = SIZE_MAX / 4;
    char *p = RF_MALLOC(0), *q = RF_CALLOC(0, 8);
    RF_ASSERT(p && q && p != q);
    RF_FREE(p);
    RF_FREE(q);
    RF_FREE(NULL);
    RF_ASSERT(!RF_CALLOC(half, 3));
    RF_ASSERT(!RF_CALLOC(3, half));
    RF_ASSERT(!RF_CALLOC(quarter + 2, 4)); /* 4 bytes, if one forgets what is left over */
    RF_ASSERT(!RF_MALLOC(half));
    p = RF_MALLOC(5);
    RF_ASSERT(!RF_REALLOC(p, half)); /* p is left as it was */
    RF_FREE(p);
}

static void *give(void *block) {
    RF_FREE(block);
    return NULL;
}

PASSING(a_block_may_be_freed_by_another_thread) { (void)RF_JOIN(RF_THREAD(give, RF_MALLOC(8))); }

PASSING(every_byte_of_a_block_may_be_used) {
    char *p = RF_MALLOC(24);
    memset(p, 0, 24);
    RF_STORE(p[23], 1);
    RF_ASSERT_EQ(RF_LOAD(p[23]), 1);
    RF_WRITE(p, 24);
    RF_READ(p + 24, 0);
    RF_FREE(p);
}

/* ---- use after free ---- */

FAILING_ALWAYS(
    reading_freed_memory_fails, USE_AFTER_FREE, 3,
    "read of 4 bytes at offset 4 of a block of 8 bytes, allocated by T0 at @1, freed by T0 at @2") {
    int *p = AT(1, RF_MALLOC(2 * sizeof *p));
    AT(2, RF_FREE(p));
    AT(3, (void)RF_LOAD(p[1]));
}

FAILING_ALWAYS(
    writing_freed_memory_fails, USE_AFTER_FREE, 3,
    "write of 1 byte at offset 0 of a block of 3 bytes, allocated by T0 at @1, freed by T0 at @2") {
    char *p = AT(1, RF_CALLOC(3, 1));
    AT(2, RF_FREE(p));
    AT(3, RF_STORE(*p, 1));
}

FAILING_ALWAYS(a_range_of_freed_memory_fails, USE_AFTER_FREE, 3,
               "read of 60 bytes at offset 20 of a block of 100 bytes, allocated by T0 at @1, "
               "freed by T0 at @2") {
    char *p = AT(1, RF_MALLOC(100));
    AT(2, RF_FREE(p));
    AT(3, RF_READ(p + 20, 60));
}

FAILING_ALWAYS(the_old_block_of_realloc_is_freed, USE_AFTER_FREE, 3,
               "write of 1 byte at offset 0 of a block of 10 bytes, allocated by T0 at @1, freed "
               "by T0 at @2") {
    char *p = AT(1, RF_MALLOC(10));
    AT(2, (void)RF_REALLOC(p, 20));
    AT(3, RF_RACY_STORE(*p, 1));
}

/* The memory of a large block is given back, and reads as zeros. */
FAILING_ALWAYS(reading_a_large_freed_block_fails, USE_AFTER_FREE, 3,
               "read of 1 byte at offset 5 of a block of 200000 bytes, allocated by T0 at @1, "
               "freed by T0 at @2") {
    char *p = AT(1, RF_MALLOC(200000));
    AT(2, RF_FREE(p));
    AT(3, (void)RF_LOAD(p[5]));
}

static int *shared;

THREAD(use_shared) { AT(3, RF_STORE(*shared, 1)); }

FAILING(a_schedule_in_which_memory_is_freed_too_early_is_found, USE_AFTER_FREE, 3,
        "write of 4 bytes at offset 0 of a block of 4 bytes, allocated by T0 at @1, freed by T0 at "
        "@2") {
    shared = AT(1, RF_MALLOC(sizeof *shared));
    BESIDE(use_shared) AT(2, RF_FREE(shared));
}

/* ---- bad frees ---- */

FAILING_ALWAYS(freeing_twice_fails, DOUBLE_FREE, 3,
               "second free of a block of 3 bytes, allocated by T0 at @1, freed by T0 at @2") {
    char *p = AT(1, RF_MALLOC(3));
    AT(2, RF_FREE(p));
    AT(3, RF_FREE(p));
}

THREAD(free_shared) { RF_FREE(shared); }

RF_TEST(two_free_one) {
    shared = RF_MALLOC(3);
    lab_two(free_shared, free_shared);
}

FAILING_ALWAYS(reallocating_freed_memory_fails, DOUBLE_FREE, 3,
               "second free of a block of 3 bytes, allocated by T0 at @1, freed by T0 at @2") {
    char *p = AT(1, RF_MALLOC(3));
    AT(2, RF_FREE(p));
    AT(3, (void)RF_REALLOC(p, 5));
}

FAILING_ALWAYS(freeing_the_inside_of_a_block_fails, BAD_FREE, 2,
               "the pointer points to offset 4 of a block of 30 bytes, allocated by T0 at @1") {
    char *p = AT(1, RF_MALLOC(30));
    AT(2, RF_FREE(p + 4));
}

FAILING_ALWAYS(freeing_a_static_object_fails, BAD_FREE, 1,
               "the pointer did not come from RF_MALLOC in this execution") {
    static int object;
    AT(1, RF_FREE(&object));
}

FAILING_ALWAYS(freeing_what_malloc_gave_fails, BAD_FREE, 1,
               "the pointer did not come from RF_MALLOC in this execution") {
    void *p = malloc(4);
    if (!p) RF_SKIP("no memory");
    AT(1, RF_FREE(p));
}

FAILING_ALWAYS(freeing_what_is_no_block_of_this_execution_fails, BAD_FREE, 1,
               "the pointer did not come from RF_MALLOC in this execution") {
    static void *old;
    void *p = RF_MALLOC(4);
    if (!old) old = p; /* the first block of every execution has this address: take another */
    char *beyond = (char *)old + 4096;
    AT(1, RF_FREE(beyond));
}

static void *wait_for_post(void *sem) {
    RF_SEM_WAIT((rf_sem *)sem);
    return NULL;
}

FAILING_FINE(freeing_the_memory_of_what_a_thread_waits_for_fails, DESTROY_BUSY, 2,
             "T1 waits for the object at offset 0 of a block of 64 bytes, allocated by T0 at @1") {
    rf_sem *p = AT(1, RF_MALLOC(64));
    rf_sem_init(p, "in the heap", 0);
    (void)RF_THREAD(wait_for_post, p);
    AT(2, RF_FREE(p));
}

/* ---- overruns ---- */

FAILING_ALWAYS_FINE(reading_beyond_a_block_fails, OVERRUN, 2,
                    "read of 4 bytes at offset 12 of a block of 12 bytes, allocated by T0 at @1") {
    int *p = AT(1, RF_MALLOC(3 * sizeof *p));
    AT(2, (void)RF_LOAD(p[3]));
}

FAILING_ALWAYS_FINE(writing_across_the_end_of_a_block_fails, OVERRUN, 2,
                    "write of 8 bytes at offset 8 of a block of 12 bytes, allocated by T0 at @1") {
    long long *p = AT(1, RF_MALLOC(12));
    AT(2, RF_STORE(p[1], 1));
}

FAILING_ALWAYS_FINE(
    writing_far_beyond_a_block_fails, OVERRUN, 2,
    "write of 1 byte at offset 5000 of a block of 12 bytes, allocated by T0 at @1") {
    char *p = AT(1, RF_MALLOC(12));
    AT(2, RF_STORE(p[5000], 1));
}

FAILING_ALWAYS_FINE(a_range_beyond_a_block_fails, OVERRUN, 2,
                    "write of 11 bytes at offset 0 of a block of 10 bytes, allocated by T0 at @1") {
    char *p = AT(1, RF_MALLOC(10));
    AT(2, RF_WRITE(p, 11));
}

FAILING_ALWAYS(a_plain_write_beyond_a_block_is_seen_at_its_free, OVERRUN, 2,
               "something was written at offset 10 of a block of 10 bytes, allocated by T0 at @1") {
    volatile char *p = AT(1, RF_MALLOC(10));
    p[10] = 1;
    AT(2, RF_FREE((void *)(uintptr_t)p));
}

FAILING_ALWAYS(a_plain_write_beyond_a_block_is_seen_at_the_end, OVERRUN, 1,
               "something was written at offset 13 of a block of 10 bytes, allocated by T0 at @1") {
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

FAILING_ALWAYS(a_block_that_is_never_freed_fails, LEAK, 1, "1 block of 7 bytes, allocated by T0") {
    AT(1, (void)RF_MALLOC(7));
}

THREAD(leak_some) {
    for (int i = 0; i < 3; i++) {
        AT(1, (void)RF_CALLOC(2, 5));
        RF_FREE(RF_MALLOC(1));
    }
}

FAILING_ALWAYS(blocks_that_are_never_freed_are_counted, LEAK, 1,
               "3 blocks; the first of 10 bytes, allocated by T1") {
    (void)RF_JOIN(RF_THREAD(leak_some, NULL));
}

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
    LAB_CHECK("outside_of_tests_the_heap_is_that_of_the_c_library", outside());
}

static void bad_frees(void) {
    const rfi_tally *t = lab_random("two_free_one", SCHEDULES, LAB_FINE);
    LAB_CHECK("two_threads_that_free_one_block_fail",
              t->failures == 1 && t->failure[0].count == SCHEDULES &&
                  t->failure[0].failure.diagnostic == RF_DIAG_DOUBLE_FREE);
}

static void overruns(void) {
    lab_check(fails_under("coarse_beyond", RF_DIAG_OVERRUN, 2,
                          "something was written at offset 16 of a block of 16 bytes, allocated by "
                          "T0 at @1",
                          true, LAB_COARSE),
              "an_unwatched_write_beyond_a_block_is_seen_at_its_free", why);
}

int main(void) {
    show_claims();
    behaviour();
    bad_frees();
    overruns();
    return lab_end();
}
