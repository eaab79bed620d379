/* The memory model and the memory it stands on: heap blocks, stacks, initialisers, overlaps. */
#define RF_IMPLEMENTATION
#define PICKS 3u
#include "memory_runs.h"

/* Every failure of the test under all heuristics is this one, and there are some. */
static bool fails_as(const char *test, rf_diagnostic d, unsigned at, bool always) {
    uint64_t count = 0;
    for (unsigned i = 0; i < 2 * PICKS; i++) {
        rfi_job j = adversary(test, every_pick[i / 2], i % 2);
        const rfi_tally *t = lab_job(&j, 100);
        for (uint32_t k = 0; k < t->failures; k++) {
            const rfi_failure *f = &t->failure[k].failure;
            if (f->diagnostic != d || f->site->line != line_of[at])
                return because("%s at line %u: %s", rfi_diagnostic(f->diagnostic)->id,
                               f->site ? f->site->line : 0, f->message);
            count += t->failure[k].count;
        }
    }
    because("%llu of %u executions", (unsigned long long)count, (unsigned)(200 * PICKS));
    return always ? count == 200 * PICKS : count > 0;
}

static rf_atomic_int flag;
static int generation; /* counts executions, so that values tell where they come from */

/* ---- the heap ---- */

typedef struct node {
    rf_atomic_int a;
    int p;
} node;

static node *block;

THREAD(fill_block) {
    for (int i = 0; i < 3; i++) {
        rf_atomic_store_explicit(&block->a, generation * 10 + i, RELAXED);
        RF_STORE(block->p, generation * 10 + i);
    }
}

THREAD(look_at_block) {
    int a = rf_atomic_load_explicit(&block->a, RELAXED), p = RF_LOAD(block->p);
    RF_ASSERT(a / 10 == generation && p / 10 == generation);
}

/* Every execution has its blocks at the same addresses; so has every round of this one, since the
 * second block of a round is freed last. */
RF_TEST(blocks) {
    generation++;
    block = RF_MALLOC(sizeof *block);
    rf_atomic_store_explicit(&block->a, generation * 10 + 9, RELAXED);
    RF_STORE(block->p, generation * 10 + 9);
    run_two(fill_block, look_at_block);
    RF_FREE(block);
    count_stale();
}

THREAD(read_freed) {
    (void)RF_JOIN(RF_THREAD(fill_block, NULL));
    RF_FREE(block);
    AT(1, (void)rf_atomic_load_explicit(&block->a, RELAXED));
}

RF_TEST(freed) {
    block = RF_CALLOC(1, sizeof *block);
    (void)RF_JOIN(RF_THREAD(read_freed, NULL));
}

/* A larger block holds the newest values; old ones stay behind. */
RF_TEST(reallocated) {
    generation++;
    block = RF_CALLOC(1, sizeof *block);
    BESIDE(fill_block) while (!rf_atomic_load_explicit(&block->a, RELAXED)) RF_SPIN_HINT();
    node *more = RF_REALLOC(block, 10 * sizeof *block);
    RF_ASSERT_EQ(rf_atomic_load_explicit(&more->a, RELAXED), generation * 10 + 2);
    RF_ASSERT_EQ(RF_LOAD(more->p), generation * 10 + 2);
    AT(1, (void)rf_atomic_load_explicit(&more[1].a, RELAXED)); /* what is new is indeterminate */
}

/* ---- indeterminate memory ---- */

typedef struct mixed {
    char c; /* followed by padding */
    int64_t n;
    char name[16];
} mixed;

static int how; /* the memory is given, written, or read */

RF_TEST(never_written) {
    rf_atomic_int *a = RF_MALLOC(sizeof *a);
    int64_t *p = RF_MALLOC(sizeof *p);
    mixed *m = RF_MALLOC(sizeof *m);
    int zero = 0;
    if (how == 0) AT(1, (void)rf_atomic_load_explicit(a, RELAXED));
    if (how == 1) AT(1, rf_atomic_fetch_add(a, 1));
    if (how == 2) AT(1, (void)rf_atomic_compare_exchange_strong(a, &zero, 1));
    if (how == 3) AT(1, rf_atomic_exchange(a, 1));
    if (how == 4) AT(1, (void)RF_LOAD(*p));
    if (how == 5) AT(1, (void)RF_LOAD(*m));
    if (how == 6) AT(1, (void)RF_LOAD(m->n));
    RF_FREE(a);
    RF_FREE(p);
    RF_FREE(m);
}

RF_TEST(written) {
    rf_atomic_int *a = RF_MALLOC(sizeof *a), *b = RF_MALLOC(sizeof *b), *c = RF_MALLOC(sizeof *c);
    rf_atomic_int *z = RF_CALLOC(4, sizeof *z);
    int64_t *p = RF_MALLOC(3 * sizeof *p), *q = RF_CALLOC(2, sizeof *q);
    mixed *m = RF_MALLOC(sizeof *m), *n = RF_MALLOC(sizeof *n), *o = RF_MALLOC(sizeof *o);
    rf_atomic_store_explicit(a, 1, RELAXED);
    rf_atomic_init(b, 2);
    *c = 3; /* a plain initialisation */
    RF_ASSERT_EQ(rf_atomic_load_explicit(a, RELAXED), 1);
    rf_atomic_store_explicit(a, (int)0xa5a5a5a5, RELAXED); /* as fresh memory is, by chance */
    RF_ASSERT_EQ(rf_atomic_load_explicit(a, RELAXED), (int)0xa5a5a5a5);
    RF_ASSERT_EQ(rf_atomic_fetch_add(b, 1), 2);
    RF_ASSERT_EQ(rf_atomic_load_explicit(c, RELAXED), 3);
    RF_ASSERT_EQ(rf_atomic_load(&z[3]), 0);
    p[0] = 4;
    RF_STORE(p[1], 5);
    memset(&p[2], 0, sizeof *p);
    RF_ASSERT_EQ(RF_LOAD(p[0]) + RF_LOAD(p[1]) + RF_LOAD(p[2]), 9);
    RF_STORE(p[2], (int64_t)0xa5a5a5a5a5a5a5a5);
    RF_ASSERT_EQ(RF_LOAD(p[2]), (int64_t)0xa5a5a5a5a5a5a5a5);
    RF_ASSERT_EQ(RF_LOAD(q[1]), 0);
    *m = (mixed){1, 2, "three"};
    m->name[0] = 'T';
    n->c = 4;
    n->n = 5;
    n->name[0] = 0; /* the rest stays as it is, and is copied all the same */
    mixed copy = RF_LOAD(*m), part = RF_LOAD(*n);
    RF_ASSERT_EQ(copy.n + part.n, 7);
    RF_ASSERT_EQ(RF_LOAD(n->c), 4);
    RF_STORE(*o, copy);
    RF_ASSERT_STR_EQ(RF_LOAD(*o).name, "Three");
    void *const all[] = {a, b, c, z, p, q, m, n, o};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) RF_FREE(all[i]);
}

THREAD(write_late) {
    rf_atomic_store_explicit(&block->a, 1, RELAXED);
    rf_atomic_store_explicit(&flag, 1, RELAXED);
}

THREAD(read_written) {
    if (rf_atomic_load_explicit(&flag, RELAXED))
        AT(1, (void)rf_atomic_load_explicit(&block->a, RELAXED));
}

/* It was written when it is read, but nothing orders the two. */
RF_TEST(written_unordered) {
    rf_atomic_init(&flag, 0);
    block = RF_MALLOC(sizeof *block);
    run_two(write_late, read_written);
    RF_FREE(block);
}

CASE(heap) {
    lab_check(!failed_under_all("blocks", 100) && atomic_stale && plain_stale,
              "a_block_shows_no_values_of_an_older_one", why);
    lab_check(fails_as("freed", RF_DIAG_USE_AFTER_FREE, 1, true), "freed_atomics_are_not_read",
              why);
    lab_check(fails_as("reallocated", RF_DIAG_INDETERMINATE, 1, true),
              "realloc_copies_the_newest_values_and_the_rest_is_indeterminate", why);
    static const char *const reads[] = {"a_load",      "a_fetch_add",  "a_compare_exchange",
                                        "an_exchange", "a_plain_load", "a_struct",
                                        "a_member"};
    for (how = 0; how < 7; how++) {
        lab_check(fails_as("never_written", RF_DIAG_INDETERMINATE, 1, true),
                  named("%s_of_memory_nobody_has_written_fails", reads[how]), why);
    }
    how = 5;
    FAILS_FINE("plain_ones_are_told_where_all_are_seen", "never_written", INDETERMINATE, 1,
               "the bytes are as RF_MALLOC gave them");
    how = 0;
    PASSES("memory_that_was_written_may_be_read", "written");
    lab_check(!failed_under_all("written", 20), "also_under_suspicion", why);
    lab_check(fails_as("written_unordered", RF_DIAG_INDETERMINATE, 1, false),
              "a_write_that_nothing_orders_may_not_have_been", why);
    FAILS("atomics_are_told_from_the_beginning", "written_unordered", INDETERMINATE, 1,
          "the bytes are as RF_MALLOC gave them, or may be: no write is ordered before this read");
}

/* ---- stacks ---- */

/* Locals of two helpers in turn: `mine` is handed to threads, which must not see the other's. */
static void *use_local(void *local) {
    node *mine = local;
    int before = rf_atomic_load_explicit(&mine->a, RELAXED), p = RF_LOAD(mine->p);
    RF_ASSERT(before >= generation * 10 && before < generation * 10 + 10);
    RF_ASSERT(p >= generation * 10 && p < generation * 10 + 10);
    rf_atomic_store_explicit(&mine->a, before + 1, RELAXED);
    RF_STORE(mine->p, p + 1);
    return NULL;
}

static __attribute__((noinline)) void helper(int base) {
    node mine = {base * 10, 0};
    generation = base;
    RF_STORE(mine.p, base * 10);
    rf_thread t = RF_THREAD(use_local, &mine), u = RF_THREAD(use_local, &mine);
    RF_JOIN(t);
    RF_JOIN(u);
    int sum = rf_atomic_load_explicit(&mine.a, RELAXED), p = RF_LOAD(mine.p);
    RF_ASSERT(sum >= base * 10 + 1 && sum <= base * 10 + 2);
    RF_ASSERT(p >= base * 10 + 1 && p <= base * 10 + 2);
}

static __attribute__((noinline)) void other_helper(int base) { helper(base); }

RF_TEST(locals_in_turn) {
    for (int i = 1; i < 6; i++) (i % 2 ? helper : other_helper)(i);
    count_stale();
}

static rf_atomic_int ended;

/* A thread on a stack that others have had, who left the same value behind as it begins with. */
THREAD(owner) {
    _Atomic(int) mine = 0;
    int plain = 0;
    RF_ASSERT_EQ(rf_atomic_load_explicit(&mine, RELAXED), 0);
    RF_ASSERT_EQ(RF_LOAD(plain), 0);
    for (int i = 3; i >= 0; i--) {
        rf_atomic_store_explicit(&mine, i, RELAXED);
        RF_STORE(plain, i);
    }
    rf_atomic_fetch_add_explicit(&ended, 1, RELAXED);
}

/* More threads than there are stacks before one is taken again.  Nothing orders them, since nobody
 * joins them. */
RF_TEST(stacks_taken_again) {
    rf_atomic_init(&ended, 0);
    for (int i = 1; i <= 600; i++) {
        RF_DETACH(RF_THREAD(owner, NULL));
        while (rf_atomic_load_explicit(&ended, RELAXED) < i) RF_SPIN_HINT();
    }
    count_stale();
}

static rf_atomic_int started;
static int plain_started;

THREAD(see_start) {
    RF_ASSERT_EQ(rf_atomic_load_explicit(&started, RELAXED), generation);
    RF_ASSERT_EQ(RF_LOAD(plain_started), generation);
}

RF_TEST(plain_initialisers) {
    for (int i = 0; i < 3; i++) {
        started = plain_started = ++generation;
        run_two(see_start, see_start);
        rf_atomic_store_explicit(&started, 0, RELAXED);
        RF_STORE(plain_started, 0);
    }
    count_stale();
}

CASE(stacks) {
    lab_check(!failed_under_all("locals_in_turn", 100) && atomic_stale && plain_stale && !notes,
              "locals_in_turn_show_no_values_of_one_another", why);
    lab_check(!failed_under_all("stacks_taken_again", 2) && !notes,
              "a_stack_taken_again_shows_no_values_of_its_former_owner", why);
    lab_check(!failed_under_all("plain_initialisers", 100) && !notes,
              "plain_initialisation_before_threads_start_is_the_newest_value", why);
}

/* ---- overlaps ---- */

static union {
    rf_atomic_int whole;
    rf_atomic_short half[2];
} overlap;

THREAD(use_whole) { (void)rf_atomic_fetch_add_explicit(&overlap.whole, 1, RELAXED); }

THREAD(use_half) { AT(1, (void)rf_atomic_fetch_add_explicit(&overlap.half[1], 1, RELAXED)); }

RF_TEST(sizes_in_turn) {
    rf_atomic_init(&overlap.whole, 0);
    (void)RF_JOIN(RF_THREAD(use_whole, NULL));
    (void)RF_JOIN(RF_THREAD(use_half, NULL));
    RF_ASSERT_EQ(rf_atomic_load_explicit(&overlap.whole, RELAXED), 0x10001);
}

THREAD(use_half_then_whole) {
    while (!rf_atomic_load_explicit(&flag, RELAXED)) RF_SPIN_HINT();
    use_half(NULL);
}

THREAD(use_whole_then_flag) {
    use_whole(NULL);
    rf_atomic_store_explicit(&flag, 1, RELAXED);
}

RF_TEST(sizes_at_once) {
    rf_atomic_init(&overlap.whole, 0);
    rf_atomic_init(&flag, 0);
    run_two(use_whole_then_flag, use_half_then_whole);
}

CASE(sizes) {
    lab_check(!failed_under_all("sizes_in_turn", 50), "atomics_of_other_sizes_in_turn_are_in_order",
              why);
    FAILS_ALWAYS("atomics_of_other_sizes_at_once_are_misuse", "sizes_at_once", ATOMIC_SIZES, 1,
                 "an atomic of 2 bytes overlaps one of another size or place");
}

int main(void) { return lab_cases(); }
