/* The memory model beyond single accesses of few threads: invariants, intended races, ranges, what
 * one statement or a part of an object makes suspect, many threads, long executions. */
#define RF_IMPLEMENTATION
#define PICKS 3u
#include "memory_runs.h"

static rf_atomic_int flag;

/* ---- invariants, intended races, ranges ---- */

static rf_atomic_int low, high;
static int plain_low, plain_high;

static bool low_is_low(void *unused) {
    (void)unused;
    return rf_atomic_load_explicit(&low, RELAXED) <= rf_atomic_load_explicit(&high, RELAXED) &&
           RF_LOAD(plain_low) <= RF_LOAD(plain_high);
}

THREAD(raise_both) {
    for (int i = 1; i < 4; i++) {
        rf_atomic_store_explicit(&high, i, RELAXED);
        rf_atomic_store_explicit(&low, i, RELAXED);
        RF_STORE(plain_high, i);
        RF_STORE(plain_low, i);
    }
}

THREAD(compare_both) {
    for (int i = 0; i < 6; i++) {
        int l = rf_atomic_load_explicit(&low, RELAXED), p = RF_LOAD(plain_low);
        seen[0] += l > rf_atomic_load_explicit(&high, RELAXED);
        seen[1] += p > RF_LOAD(plain_high);
    }
}

RF_TEST(invariant) {
    rf_atomic_init(&low, 0);
    rf_atomic_init(&high, 0);
    plain_low = plain_high = 0;
    RF_INVARIANT(low_is_low, NULL);
    run_two(raise_both, compare_both);
}

static int racy_data, racy_flag;

THREAD(racy_store) {
    RF_RACY_STORE(racy_data, 1);
    RF_RACY_STORE(racy_flag, 1);
}

/* Outcomes: 0 too early, 1 in order, 2 stale. */
THREAD(racy_load) {
    int ready = RF_RACY_LOAD(racy_flag), data = RF_RACY_LOAD(racy_data);
    seen[!ready ? 0 : data ? 1 : 2]++;
}

RF_TEST(racy) {
    RF_RACY_STORE(racy_data, 0);
    RF_RACY_STORE(racy_flag, 0);
    run_two(racy_store, racy_load);
}

static int32_t buffer[4];

THREAD(copy_in) {
    const int32_t in[4] = {7, 7, 7, 7};
    RF_STORE(buffer[0], 1);
    RF_STORE(buffer[1], 1);
    RF_WRITE(buffer, sizeof buffer);
    memcpy(buffer, in, sizeof buffer);
    rf_atomic_store_explicit(&flag, 1, RELAXED);
}

/* What came by memcpy is the newest, and nothing older is seen after it; a copy is the newest. */
static void *copy_out(void *unused) {
    int32_t out[4];
    if (!rf_atomic_load_explicit(&flag, RELAXED)) return unused;
    for (int i = 0; i < 4; i++) RF_ASSERT_EQ(RF_LOAD(buffer[i]), 7);
    RF_STORE(buffer[2], 8);
    RF_READ(buffer, sizeof buffer);
    memcpy(out, buffer, sizeof out);
    RF_ASSERT(out[0] == 7 && out[2] == 8);
    seen[0]++;
    return unused;
}

RF_TEST(ranges) {
    for (int i = 0; i < 4; i++) RF_STORE(buffer[i], 0);
    rf_atomic_init(&flag, 0);
    run_two(copy_in, copy_out);
}

CASE(odd_accesses) {
    lab_check(!failed_under_all("invariant", 200), "invariants_see_the_newest_values", why);
    LAB_CHECK("where_threads_see_older_ones", seen[0] && seen[1]);
    LAB_CHECK("intended_races_return_old_values_under_suspicion",
              !failed_under_all("racy", 200) && seen[0] && seen[1] && seen[2]);
    LAB_CHECK("and_only_then", reaches("racy", 2));
    lab_check(!failed_under_all("ranges", 200) && seen[0],
              "what_a_range_announces_is_the_newest_value", why);
}

/* ---- watched by one statement, seen by all ---- */

static int suspect;

THREAD(write_suspect) {
    for (int i = 1; i < 4; i++) AT(1, RF_STORE(suspect, i));
    RF_STORE(suspect, 4); /* by another statement */
    rf_atomic_store_explicit(&flag, 1, RELAXED);
}

/* Outcomes: 0 too early, 1 the newest by the statement under suspicion, 2 an older one by it,
 * 3 the newest by another statement, 4 an older one by that. */
static void *read_suspect(void *unused) {
    bool late = rf_atomic_load_explicit(&flag, RELAXED);
    int a = AT(2, RF_LOAD(suspect));
    int b = RF_LOAD(suspect);
    if (!late) return seen[0]++, unused;
    seen[a == 4 ? 1 : 2]++;
    seen[b == 4 ? 3 : 4]++;
    return unused;
}

RF_TEST(one_pair) {
    RF_STORE(suspect, 0);
    rf_atomic_init(&flag, 0);
    run_two(write_suspect, read_suspect);
    count_stale();
}

CASE(one_pair) {
    lab_look("one_pair");
    rfi_job j = lab_job_of("one_pair", RFI_ADVERSARY, LAB_COARSE);
    j.site[0] = lab_site(line_of[1], 'W');
    j.site[1] = lab_site(line_of[2], 'R');
    LAB_CHECK("the_statements_are_found", j.site[0] && j.site[1]);
    for (unsigned i = 0; i < 2; i++) j.target[i] = rfi_site_key(j.site[i]);
    j.pick = RF_PICK_RANDOM;
    memset(seen, 0, sizeof seen);
    LAB_CHECK("statements_that_are_not_armed_take_part",
              !lab_job(&j, 2000)->failures && seen[1] && seen[2] && seen[3] && seen[4]);
}

/* A struct, of which a part was watched first. */
static struct { int a, b; } both;

THREAD(write_both) {
    RF_STORE(both, ((__typeof__(both)){1, 1}));
    rf_atomic_store_explicit(&flag, 1, RELAXED);
}

THREAD(read_b) {
    if (rf_atomic_load_explicit(&flag, RELAXED)) seen[RF_LOAD(both.b)]++;
}

RF_TEST(in_part) {
    rf_atomic_init(&flag, 0);
    both.b = 0;
    RF_STORE(both.a, 0);
    run_two(write_both, read_b);
}

CASE(parts) {
    rfi_job j = adversary("in_part", RF_PICK_RANDOM, LAB_COARSE);
    memset(seen, 0, sizeof seen);
    LAB_CHECK("what_is_watched_in_part_is_watched_whole_when_it_is_suspect",
              !lab_job(&j, 1000)->failures && seen[0] && seen[1]);
}

/* ---- many threads, many operations ---- */

#define CROWD 500
static rf_atomic_int crowd, locked;
static int crowd_plain;
static rf_mutex lock = RF_MUTEX_INIT;

/* Coherence: after its own update a thread reads no older one, and reads never go back. */
THREAD(join_crowd) {
    int last = rf_atomic_fetch_add_explicit(&crowd, 1, RELAXED) + 1;
    for (int i = 0; i < 3; i++) {
        int now = rf_atomic_load_explicit(&crowd, RELAXED);
        RF_ASSERT(now >= last);
        last = now;
    }
    RF_LOCK(&lock);
    int inside = RF_LOAD(crowd_plain) + 1;
    RF_ASSERT_EQ(rf_atomic_load_explicit(&locked, RELAXED), inside - 1);
    rf_atomic_store_explicit(&locked, inside, RELAXED);
    RF_STORE(crowd_plain, inside);
    RF_UNLOCK(&lock);
}

static int crowd_size;

RF_TEST(large_crowd) {
    static rf_thread t[CROWD];
    rf_atomic_init(&crowd, 0);
    rf_atomic_init(&locked, 0);
    RF_STORE(crowd_plain, 0);
    for (int i = 0; i < crowd_size; i++) t[i] = RF_THREAD(join_crowd, NULL);
    for (int i = 0; i < crowd_size; i++) RF_JOIN(t[i]);
    RF_ASSERT_EQ(rf_atomic_load_explicit(&crowd, RELAXED), crowd_size);
    RF_ASSERT_EQ(RF_LOAD(crowd_plain), crowd_size);
    count_stale();
}

static size_t arena_bytes(const rfi_arena *a) {
    size_t n = 0;
    for (const rfi_chunk *c = a->first; c; c = c->next) n += c->size;
    return n;
}

/* All that the model has taken. */
static size_t model_bytes(void) {
    return arena_bytes(&rfi_model.core.threads.arena) +
           arena_bytes(&rfi_model.atomics.places.arena) +
           arena_bytes(&rfi_model.plain.shadow.arena) + arena_bytes(&rfi_model_order.arena) +
           arena_bytes(&rfi_model_order.atomics.arena);
}

static rf_atomic_llong busy[2];
static int64_t busy_plain;
static uint32_t operations; /* of a thread */
static size_t bytes_at_once;

static void *work(void *self) {
    rf_atomic_llong *mine = &busy[self != NULL], *yours = &busy[!self];
    for (uint32_t i = 0; i < operations / 8; i++) {
        long long n = rf_atomic_load_explicit(yours, rf_memory_order_acquire);
        rf_atomic_store_explicit(mine, n + i, rf_memory_order_release);
        rf_atomic_fetch_add_explicit(yours, 1, i % 2 ? RELAXED : rf_memory_order_acq_rel);
        RF_STORE(busy_plain, n);
        (void)RF_LOAD(busy_plain);
        (void)rf_atomic_compare_exchange_weak_explicit(mine, &n, 1, RELAXED, RELAXED);
        if (i % 4 == 0) rf_atomic_thread_fence(rf_memory_order_seq_cst);
        if (i % 16 == 0) {
            RF_LOCK(&lock);
            RF_UNLOCK(&lock);
        }
        if (i % 64 == 0) RF_FREE(RF_MALLOC(8));
    }
    return NULL;
}

RF_TEST(long_execution, .max_steps = UINT64_MAX) {
    rf_atomic_init(&busy[0], 0);
    rf_atomic_init(&busy[1], 0);
    rf_thread t = RF_THREAD(work, NULL), u = RF_THREAD(work, &t);
    RF_JOIN(t);
    RF_JOIN(u);
    bytes_at_once = model_bytes();
}

/* The bytes that an execution of n operations takes, beginning with none. */
static size_t bytes_of(uint32_t n) {
    operations = n / 2;
    rfi_actors_free(&rfi_model.core.threads);
    rfi_shadow_free(&rfi_model.atomics.places);
    memset(rfi_model.atomics.recent, 0, sizeof rfi_model.atomics.recent);
    rfi_shadow_free(&rfi_model.plain.shadow);
    rfi_model.plain = (rfi_plain){0};
    rfi_arena_free(&rfi_model_order.arena);
    rfi_shadow_free(&rfi_model_order.atomics);
    bytes_at_once = 0;
    rfi_job j = adversary("long_execution", RF_PICK_RANDOM, LAB_COARSE);
    return lab_job(&j, 1)->failures ? 0 : bytes_at_once;
}

CASE(many) {
    crowd_size = 100;
    lab_check(!failed_under_all("large_crowd", 3) && atomic_stale,
              "a_location_may_have_more_than_64_visitors", why);
    crowd_size = CROWD;
    LAB_CHECK("and_500_threads", !lab_random("large_crowd", 3, LAB_COARSE)->failures);
    size_t some = bytes_of(100000), more = bytes_of(2000000);
    printf("# memory of atomics: %zu bytes after 600,000 operations, %zu after 12,000,000\n", some,
           more);
    LAB_CHECK("a_long_execution_takes_no_more_memory_than_a_short_one",
              some && more && more <= some + RFI_CHUNK_BYTES);
}

int main(void) { return lab_cases(); }
