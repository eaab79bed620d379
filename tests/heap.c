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

/* A freed block is not given out again, but where that was drawn (given_out_again below). */
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

/* ---- wrong use of a block ---- */

/* What is done to it; 3 is the mark where that is seen. */
static void reads_int_1(char *p) { AT(3, (void)RF_LOAD(((int *)p)[1])); }
static void reads_int_3(char *p) { AT(3, (void)RF_LOAD(((int *)p)[3])); }
static void reads_5(char *p) { AT(3, (void)RF_LOAD(p[5])); }
static void reads_range(char *p) { AT(3, RF_READ(p + 20, 60)); }
static void writes_first(char *p) { AT(3, RF_STORE(*p, 1)); }
static void writes_racily(char *p) { AT(3, RF_RACY_STORE(*p, 1)); }
static void writes_far(char *p) { AT(3, RF_STORE(p[5000], 1)); }
static void writes_across(char *p) { AT(3, RF_STORE(((long long *)p)[1], 1)); }
static void writes_range(char *p) { AT(3, RF_WRITE(p, 11)); }
static void writes_atomic(char *p) { AT(3, rf_atomic_store((rf_atomic_int *)p, 1)); }
static void frees(char *p) { AT(3, RF_FREE(p)); }
static void frees_inside(char *p) { AT(3, RF_FREE(p + 4)); }
static void reallocates(char *p) { AT(3, (void)RF_REALLOC(p, 5)); }
static void spoils_and_frees(char *p) {
    *(volatile char *)(p + 10) = 1;
    AT(3, RF_FREE(p));
}

/* When it was freed before, by RF_FREE or RF_REALLOC. */
enum before { KEPT, FREED, MOVED };

/* The messages go on with the block: its size, and the places where that came and went. */
static const struct wrong {
    const char *name;
    size_t size;
    enum before before;
    void (*use)(char *);
    rf_diagnostic diagnostic;
    const char *message;
} wrong[] = {
    {"reading_freed_memory_fails", 8, FREED, reads_int_1, RF_DIAG_USE_AFTER_FREE,
     "read of 4 bytes at offset 4"},
    {"writing_freed_memory_fails", 3, FREED, writes_first, RF_DIAG_USE_AFTER_FREE,
     "write of 1 byte at offset 0"},
    {"a_range_of_freed_memory_fails", 100, FREED, reads_range, RF_DIAG_USE_AFTER_FREE,
     "read of 60 bytes at offset 20"},
    {"an_atomic_access_to_freed_memory_fails", 4, FREED, writes_atomic, RF_DIAG_USE_AFTER_FREE,
     "write of 4 bytes at offset 0"},
    {"the_old_block_of_realloc_is_freed", 10, MOVED, writes_racily, RF_DIAG_USE_AFTER_FREE,
     "write of 1 byte at offset 0"},
    /* its memory is given back, and reads as zeros */
    {"reading_a_large_freed_block_fails", 200000, FREED, reads_5, RF_DIAG_USE_AFTER_FREE,
     "read of 1 byte at offset 5"},
    {"freeing_twice_fails", 3, FREED, frees, RF_DIAG_DOUBLE_FREE, "second free"},
    {"reallocating_freed_memory_fails", 3, FREED, reallocates, RF_DIAG_DOUBLE_FREE, "second free"},
    {"freeing_the_inside_of_a_block_fails", 30, KEPT, frees_inside, RF_DIAG_BAD_FREE,
     "the pointer points to offset 4"},
    {"a_plain_write_beyond_a_block_is_seen_at_its_free", 10, KEPT, spoils_and_frees,
     RF_DIAG_OVERRUN, "something was written at offset 10"},
    /* those from here on are seen with fine granularity */
    {"reading_beyond_a_block_fails", 12, KEPT, reads_int_3, RF_DIAG_OVERRUN,
     "read of 4 bytes at offset 12"},
    {"writing_across_the_end_of_a_block_fails", 12, KEPT, writes_across, RF_DIAG_OVERRUN,
     "write of 8 bytes at offset 8"},
    {"writing_far_beyond_a_block_fails", 12, KEPT, writes_far, RF_DIAG_OVERRUN,
     "write of 1 byte at offset 5000"},
    {"a_range_beyond_a_block_fails", 10, KEPT, writes_range, RF_DIAG_OVERRUN,
     "write of 11 bytes at offset 0"},
};
enum { ONLY_FINE = 10 };

static const struct wrong *now;

RF_TEST(wrong_use) {
    char *p = AT(1, RF_MALLOC(now->size));
    if (now->before == FREED) AT(2, RF_FREE(p));
    if (now->before == MOVED) AT(2, (void)RF_REALLOC(p, 20));
    now->use(p);
}

CASE(wrong_uses) {
    for (now = wrong; now < wrong + RFI_LENGTH(wrong); now++) {
        char message[160];
        snprintf(message, sizeof message, "%s of a block of %zu bytes, allocated by T0 at @1%s",
                 now->message, now->size, now->before ? ", freed by T0 at @2" : "");
        claim shown = {.test = "wrong_use",
                       .message = message,
                       .diagnostic = now->diagnostic,
                       .at = 3,
                       .always = true,
                       .fine_only = now >= wrong + ONLY_FINE};
        lab_check(holds(&shown), now->name, why);
    }
}

static int *shared;

THREAD(use_shared) { AT(3, RF_STORE(*shared, 1)); }

FAILING(a_schedule_in_which_memory_is_freed_too_early_is_found, USE_AFTER_FREE, 3,
        "write of 4 bytes at offset 0 of a block of 4 bytes, allocated by T0 at @1, freed by T0 at "
        "@2") {
    shared = AT(1, RF_MALLOC(sizeof *shared));
    BESIDE(use_shared) AT(2, RF_FREE(shared));
}

/* ---- stacks of threads that have ended ---- */

static rf_mutex *lock_there;

static __attribute__((noinline)) void leave(int *local, rf_mutex *lock) {
    RF_STORE(shared, local);
    RF_STORE(lock_there, lock);
}

THREAD(give_locals) {
    int local = 0;
    rf_mutex lock = RF_MUTEX_INIT;
    leave(&local, &lock);
}

FAILING_ALWAYS(a_stack_is_nobodys_when_its_thread_has_ended, USE_AFTER_END, 1,
               "read of 4 bytes at the stack of T1, which has ended") {
    RF_JOIN(RF_THREAD(give_locals, NULL));
    AT(1, (void)RF_LOAD(*shared));
}

FAILING_ALWAYS(so_is_a_lock_there, USE_AFTER_END, 1,
               "synchronisation object at the stack of T1, which has ended") {
    RF_JOIN(RF_THREAD(give_locals, NULL));
    AT(1, RF_LOCK(lock_there));
}

/* ---- bad frees ---- */

THREAD(free_shared) { RF_FREE(shared); }

RF_TEST(two_free_one) {
    shared = RF_MALLOC(3);
    run_two(free_shared, free_shared);
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

static void *arrive(void *barrier) {
    (void)RF_BARRIER_WAIT((rf_barrier *)barrier);
    return NULL;
}

/* Only rf_barrier_destroy waits for those that leave. */
FAILING(freeing_a_barrier_that_a_thread_leaves_fails, DESTROY_BUSY, 2,
        "T1 has not left the object at offset 0 of a block of 64 bytes, allocated by T0 at @1") {
    rf_barrier *p = AT(1, RF_MALLOC(64));
    rf_barrier_init(p, "in the heap", 2);
    rf_thread t = RF_THREAD(arrive, p);
    (void)RF_BARRIER_WAIT(p);
    AT(2, RF_FREE(p));
    RF_JOIN(t);
}

PASSING(a_barrier_that_threads_leave_is_destroyed_and_freed) {
    rf_barrier *p = RF_MALLOC(64);
    rf_barrier_init(p, "in the heap", 2);
    rf_thread t = RF_THREAD(arrive, p);
    (void)RF_BARRIER_WAIT(p);
    rf_barrier_destroy(p);
    RF_FREE(p);
    RF_JOIN(t);
}

/* ---- overruns ---- */

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

/* ---- blocks that are given out again ---- */

static uint32_t again, never;

/* The one that was freed last comes first, for blocks of the same room. */
RF_TEST(given_out_again) {
    unsigned char *a = RF_MALLOC(40), *b = RF_MALLOC(40), *c = RF_MALLOC(4000), *d, *e, *f, *g;
    unsigned char *large = RF_MALLOC(200000);
    memset(a, 1, 40);
    memset(b, 2, 40);
    memset(c, 3, 4000);
    memset(large, 4, 200000);
    RF_FREE(a);
    RF_FREE(b);
    RF_FREE(c);
    RF_FREE(large);
    d = RF_MALLOC(40);
    e = RF_CALLOC(1, 33);
    f = RF_MALLOC(40);
    g = RF_MALLOC(3999);
    large = RF_CALLOC(1, 200000);
    bool same = d == b;
    ++*(same ? &again : &never);
    RF_ASSERT_EQ(same, e == a);
    RF_ASSERT_EQ(same, g == c);
    RF_ASSERT_EQ(same, large > c && large < f);
    RF_ASSERT(f != a && f != b);
    for (int i = 0; i < 40; i++) RF_ASSERT(d[i] == 0xa5 && (i >= 33 || !e[i]));
    for (int i = 0; i < 3999; i++) RF_ASSERT(g[i] == 0xa5);
    for (int i = 0; i < 200000; i += i < 9000 || i > 190000 ? 1 : 97) RF_ASSERT(!large[i]);
    RF_FREE(RF_REALLOC(d, 41));
    RF_FREE(e);
    RF_FREE(f);
    RF_FREE(g);
    RF_FREE(large);
}

static char *others[2];
static uint32_t inherited;

/* What threads do with the same memory, one after the other: nothing of it is seen, and no race. */
static void own(size_t me) {
    RF_YIELD();
    struct {
        rf_atomic_int count;
        int value;
        rf_mutex m;
    } *p = RF_MALLOC(sizeof *p);
    inherited += (char *)p == others[!me];
    rf_atomic_init(&p->count, 0);
    int first = rf_atomic_load_explicit(&p->count, rf_memory_order_relaxed);
    RF_ASSERT_EQ(first, 0);
    rf_atomic_store_explicit(&p->count, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&p->count, 2, rf_memory_order_relaxed);
    int last = rf_atomic_load_explicit(&p->count, rf_memory_order_relaxed);
    RF_ASSERT_EQ(last, 2);
    RF_STORE(p->value, (int)me);
    RF_ASSERT_EQ(RF_LOAD(p->value), (int)me);
    rf_mutex_init(&p->m, "own", RF_MUTEX_NORMAL);
    RF_LOCK(&p->m);
    RF_UNLOCK(&p->m);
    others[me] = (char *)p;
    RF_FREE(p);
}

static void *owns(void *self) {
    for (int i = 0; i < 10; i++) own((size_t)(uintptr_t)self);
    return NULL;
}

RF_TEST(one_owner_after_the_other) {
    others[0] = others[1] = NULL;
    rf_thread t[2];
    for (uintptr_t i = 0; i < 2; i++) t[i] = RF_THREAD(owns, (void *)i);
    for (int i = 0; i < 2; i++) (void)RF_JOIN(t[i]);
}

static rf_mutex lock = RF_MUTEX_INIT;
static int *top, version;

THREAD(replaces) {
    RF_LOCK(&lock);
    RF_FREE(top);
    top = RF_MALLOC(sizeof *top);
    version++;
    RF_UNLOCK(&lock);
}

/* BUG: the same address is not the same block. */
RF_TEST(aba) {
    version = 0;
    top = RF_MALLOC(sizeof *top);
    rf_thread t = RF_THREAD(replaces, NULL);
    RF_LOCK(&lock);
    int *old = top, was = version;
    RF_UNLOCK(&lock);
    RF_LOCK(&lock);
    bool changed = version != was;
    if (old == top) RF_ASSERT(!changed);
    RF_UNLOCK(&lock);
    (void)RF_JOIN(t);
    RF_FREE(top);
}

/* Fails everywhere; in fewer steps where an address came again. */
RF_TEST(fails_anyway) {
    char *p = RF_MALLOC(8), *q;
    RF_FREE(p);
    q = RF_MALLOC(8);
    if (p != q) RF_YIELD();
    RF_FAIL("as ever");
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

CASE(behaviour) { LAB_CHECK("outside_of_tests_the_heap_is_that_of_the_c_library", outside()); }

CASE(bad_frees) {
    const rfi_tally *t = lab_random("two_free_one", SCHEDULES, LAB_FINE);
    LAB_CHECK("two_threads_that_free_one_block_fail",
              t->failures == 1 && t->failure[0].count == SCHEDULES &&
                  t->failure[0].failure.diagnostic == RF_DIAG_DOUBLE_FREE);
}

CASE(overruns) {
    lab_check(fails_under("coarse_beyond", RF_DIAG_OVERRUN, 2,
                          "something was written at offset 16 of a block of 16 bytes, allocated by "
                          "T0 at @1",
                          true, LAB_COARSE),
              "an_unwatched_write_beyond_a_block_is_seen_at_its_free", why);
}

/* Executions of which some give blocks out again. */
static const rfi_tally *reusing(const char *test, uint32_t executions) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    j.again = true;
    j.analyses = ~UINT64_C(0) >> (64 - RFI_LENGTH(rfi_analyses));
    return lab_job(&j, executions);
}

CASE(given_out_again_in_some) {
    enum { LARGE = 300 }; /* each takes milliseconds: a block of 200,000 bytes */
    const rfi_tally *t = reusing("given_out_again", LARGE);
    LAB_CHECK("one_execution_in_four_gives_freed_blocks_out_again",
              !t->failures && again > LARGE / 5 && again < LARGE * 3 / 10 &&
                  again + never == LARGE);
    t = lab_random("given_out_again", 100, LAB_FINE);
    LAB_CHECK("no_other_job_does", !t->failures && never == LARGE - again + 100);
    t = reusing("one_owner_after_the_other", SCHEDULES);
    LAB_CHECK("a_new_owner_sees_nothing_of_the_former_one",
              inherited > 20 && !t->failures && !t->warnings);
    t = reusing("aba", SCHEDULES);
    LAB_CHECK("a_bug_that_needs_an_address_twice_is_found",
              t->failures == 1 && t->failure[0].failure.diagnostic == RF_DIAG_ASSERT &&
                  t->failure[0].again && !t->warnings);
    LAB_CHECK("and_nowhere_else", !lab_random("aba", SCHEDULES, LAB_FINE)->failures);
    t = reusing("fails_anyway", SCHEDULES);
    LAB_CHECK("what_fails_without_that_is_shown_without_it",
              t->failures == 1 && t->failure[0].count == SCHEDULES && !t->failure[0].again);
    now = wrong;
    t = reusing("wrong_use", SCHEDULES);
    LAB_CHECK("a_freed_block_is_poisoned_until_it_is_given_out_again",
              t->failures == 1 && t->failure[0].count == SCHEDULES && !t->failure[0].again);
}

int main(void) {
    show_claims();
    return lab_cases();
}
