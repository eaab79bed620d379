// flags: -Isrc
/* Plain data under suspicion: the figures of the paper, what is collected, heuristics, tearing, and
 * the bounds of the history.  The rules against their definition: tests/memory_definition.c.
 */
#define RF_IMPLEMENTATION
#include "memory_plain.h"

/* The outcomes of a read of one value, sorted, as text: "0 13 42". */
static const char *seen(uint32_t t, uint32_t at, size_t size) {
    static outcomes set;
    static char text[4096];
    uint64_t values[256];
    enumerate(&set, t, at, size);
    uint32_t n = set.n < 256 ? set.n : 256;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, set.value[i], sizeof value);
        uint32_t k = i;
        for (; k && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
    char *end = text;
    *end = 0;
    for (uint32_t i = 0; i < n; i++)
        end += sprintf(end, i ? " %llx" : "%llx", (unsigned long long)values[i]);
    return text;
}
#define SEES(t, at, size, text) (!strcmp(seen(t, at, size), text))

/* An execution in which bytes are watched and thread 0 has forked others; all memory is 0. */
static void scene(uint64_t seed, size_t watched, uint32_t others, rf_mem_options o) {
    memset(initial, 0, sizeof initial);
    begin(o, seed);
    watch(0, watched);
    for (uint32_t t = 1; t <= others; t++) fork_thread(0, t);
}

static const rf_mem_options usual;

/* ---- the paper ---- */

CASE(figure_7) {
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){0}, 1);
    enum { M, OTHER };
    rfi_actor_of(&core.threads, 1);
    watch(0, 4);
    for (int i = 0; i < 3; i++) release(0, OTHER);
    for (int i = 0; i < 6; i++) release(1, OTHER + 1);
    const rfi_actor *c = core.threads.thread;
    bool start = c[0].own == 4 && !rfi_clock_get(&c[0].clock, 1) && c[1].own == 7 &&
                 !rfi_clock_get(&c[1].clock, 0);
    acquire(0, M);
    CHECK("figure_7_before_the_writes", start && SEES(1, 0, 4, "0"));
    store(0, 0, 4, 13);
    CHECK("figure_7_13_is_written", SEES(1, 0, 4, "0 d") && SEES(0, 0, 4, "d") && history(0) == 2);
    store(0, 0, 4, 42);
    CHECK("figure_7_42_is_written",
          SEES(1, 0, 4, "0 d 2a") && SEES(0, 0, 4, "2a") && history(0) == 3);
    release(0, M);
    CHECK("figure_7_unlock",
          c[0].own == 5 && rfi_clock_get(&object[M].clock, 0) == 4 && object[M].clock.n == 1);
    CHECK("figure_7_racy_read", SEES(1, 0, 4, "0 d 2a") && core.report.visible == 3);
    acquire(1, M);
    CHECK("figure_7_lock", c[1].own == 7 && rfi_clock_get(&c[1].clock, 0) == 4);
    CHECK("figure_7_ordered_read", SEES(1, 0, 4, "2a") && core.report.visible == 1);
    CHECK("figure_7_collected", history(0) == 1);
}

/* Section 8.4 of algorithms: how long histories get. */
CASE(buffer_kernels) {
    uint32_t same = 0, bound = 0, synchronised = 0, alone = 0, oldest_gone = 0;
#define LONGEST(n) \
 if (history(0) > n) n = history(0)
    scene(1, 4, 1, usual);
    for (int i = 0; i < 1000; i++) {
        store(1, 0, 4, 5);
        LONGEST(same);
    }
    scene(1, 4, 1, usual);
    for (uint64_t i = 1; i <= 1000; i++) {
        store(1, 0, 4, i);
        LONGEST(bound);
    }
    outcomes set;
    enumerate(&set, 0, 0, 4);
    for (uint32_t v = 1000 - 31; v <= 1000; v++) oldest_gone += outcomes_hold(&set, &v, 4);
    scene(1, 4, 1, usual);
    for (uint64_t i = 1; i <= 1000; i++) {
        store(1, 0, 4, i);
        LONGEST(synchronised);
        release(1, 0);
        acquire(0, 0);
    }
    scene(1, 4, 2, usual);
    end_thread(2);
    join_thread(1, 0);
    for (uint64_t i = 1; i <= 1000; i++) {
        store(1, 0, 4, i);
        LONGEST(alone);
    }
    printf("# 1,000 writes: %u, %u, %u, %u kept\n", same, bound, synchronised, alone);
    CHECK("writes_of_one_value_are_kept_once", same == 2);
    CHECK("the_oldest_of_too_many_writes_is_removed",
          bound == 32 && set.n == 32 && oldest_gone == 32);
    CHECK("what_the_other_thread_has_learned_is_collected", synchronised == 2);
    CHECK("ended_threads_keep_nothing", alone == 1);
}

CASE(collecting) {
    scene(1, 8, 2, usual);
    store(1, 0, 4, 1);
    store(1, 0, 4, 2);
    release(1, 0);
    acquire(0, 0);
    load(0, 0, 4);
    bool stays = history(0) == 3 && SEES(2, 0, 4, "0 1 2");
    acquire(2, 0);
    load(2, 0, 4);
    CHECK("a_write_stays_as_long_as_one_live_thread_can_see_it", stays && history(0) == 1);
    /* A thread that starts later knows what its parent knows. */
    fork_thread(2, 3);
    CHECK("a_later_thread_misses_nothing_that_was_collected", SEES(3, 0, 4, "2"));
    store(1, 4, 4, 1);
    store(1, 4, 4, 2);
    store(1, 4, 4, 1);
    bool alternating = history(4) == 3 && SEES(0, 4, 4, "0 1 2");
    release(1, 0);
    store(1, 4, 4, 1);
    CHECK("equal_values_with_equal_clocks_are_one",
          alternating && history(4) == 4 && SEES(0, 4, 4, "0 1 2"));
    scene(1, 4, 1, usual);
    store(1, 0, 4, 1);
    release(1, 0);
    store(1, 0, 4, 2);
    acquire(0, 0);
    load(0, 0, 4);
    bool first = history(0) == 2;
    release(1, 0);
    acquire(0, 0);
    load(0, 0, 4);
    CHECK("reading_collects_after_each_thing_learned", first && history(0) == 1);
    end_thread(0);
    end_thread(1);
    store(1, 0, 4, 3);
    CHECK("the_newest_stays_when_everybody_has_ended", history(0) == 1 && SEES(1, 0, 4, "3"));
    /* The second 8-byte store equals the first one in one half only: both halves stay. */
    scene(1, 8, 1, (rf_mem_options){.whole = true});
    store(1, 0, 8, UINT64_C(0x100000002));
    store(1, 0, 8, UINT64_C(0x100000003));
    bool halves = SEES(0, 0, 8, "0 100000002 100000003");
    store(1, 0, 8, UINT64_C(0x100000002));
    CHECK("equal_halves_of_different_values_are_not_one",
          halves && history(0) == 3 && history(4) == 3 && SEES(0, 0, 8, "0 100000002 100000003"));
}

/* ---- choosing ---- */

/* Thread 1 has written 1 .. n, unseen by thread 0. */
static void written(rf_heuristic pick, uint32_t fairness, uint64_t n) {
    scene(99, 8, 1, (rf_mem_options){.plain_pick = pick, .fairness = fairness});
    for (uint64_t i = 1; i <= n; i++) store(1, 0, 4, i);
}

static uint32_t drawn[8];

static void draw(uint32_t times) {
    memset(drawn, 0, sizeof drawn);
    for (uint32_t i = 0; i < times; i++) drawn[load(0, 0, 4) & 7]++;
}

static bool near(uint32_t n, uint32_t expected) { /* six standard deviations of 40,000 draws */
    return n + 600 > expected && n < expected + 600;
}

CASE(heuristics) {
    const uint32_t many = 40000, never = UINT32_MAX;
    written(RF_PICK_NEWEST, never, 4);
    draw(100);
    CHECK("newest_is_sequentially_consistent", drawn[4] == 100 && !flags());
    written(RF_PICK_OLDEST, never, 4);
    draw(100);
    CHECK("oldest_returns_the_oldest", drawn[0] == 100 && flags() == RF_MEM_STALE &&
                                           core.report.hidden == 4 && core.report.visible == 5);
    written(RF_PICK_OLDEST_DIFFERENT, never, 4);
    bool alternates = true;
    for (uint64_t i = 0; i < 100; i++) alternates &= load(0, 0, 4) == i % 2;
    CHECK("oldest_different_alternates", alternates);
    written(RF_PICK_OLDEST_DIFFERENT, never, 0);
    load(0, 0, 4);
    store(1, 0, 4, 0);
    CHECK("oldest_different_falls_back_to_the_newest",
          load(0, 0, 4) == 0 && core.report.visible == 2 && !flags());
    written(RF_PICK_RANDOM, never, 4);
    draw(many);
    bool even = true;
    for (uint32_t i = 0; i < 5; i++) even &= near(drawn[i], many / 5);
    CHECK("random_is_even", even);
    written(RF_PICK_RANDOM_DIFFERENT, never, 4);
    uint64_t last = 9;
    uint32_t pairs[5][5] = {{0}};
    for (uint32_t i = 0; i < many; i++) {
        uint64_t value = load(0, 0, 4);
        if (last < 5) pairs[last][value]++;
        last = value;
    }
    even = true;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t k = 0; k < 5; k++)
            even &= i == k ? !pairs[i][k] : near(pairs[i][k], many / 20);
    CHECK("random_different_is_even_among_the_others", even);
    written(RF_PICK_RECENT, never, 4);
    draw(many);
    even = near(drawn[4], many * 6 / 10);
    for (uint32_t i = 0; i < 4; i++) even &= near(drawn[i], many / 10);
    CHECK("recent_returns_the_newest_half_of_the_time", even);
    written(RF_PICK_OLDEST_DIFFERENT, never, 2);
    bool apart = load(0, 0, 4) == 0 && load(0, 0, 4) == 1;
    store(1, 4, 4, 7);
    CHECK("different_is_for_each_location",
          apart && load(0, 4, 4) == 0 && load(0, 0, 4) == 0 && load(0, 4, 4) == 7);
}

CASE(fairness) {
    written(RF_PICK_OLDEST, 5, 3);
    uint32_t at[4] = {0}, n = 0, forced = 0;
    for (uint32_t i = 0; i < 18; i++) {
        if (load(0, 0, 4) == 3) at[n++ & 3] = i;
        forced += (flags() & RF_MEM_FORCED) != 0;
    }
    CHECK("after_five_old_values_comes_the_newest",
          n == 3 && forced == 3 && at[0] == 5 && at[1] == 11 && at[2] == 17);
    written(RF_PICK_OLDEST, 5, 3);
    fork_thread(0, 2);
    n = 0;
    for (uint32_t i = 0; i < 6; i++) n += (uint32_t)(load(0, 0, 4) != 0) + (load(2, 0, 4) != 0);
    CHECK("fairness_counts_for_each_thread", n == 2);
    written(RF_PICK_OLDEST, 5, 3);
    for (uint32_t i = 0; i < 5; i++) load(0, 0, 4);
    release(1, 0);
    acquire(0, 0);
    CHECK("fairness_decides_nothing_where_one_write_is_visible", load(0, 0, 4) == 3 && !flags());
    written(RF_PICK_OLDEST, 1000, 3);
    n = 1;
    while (n < 5000 && load(0, 0, 4) != 3) n++;
    CHECK("a_loop_that_waits_for_the_newest_ends", n == 1001);
    /* Counters of threads that have ended are used again. */
    written(RF_PICK_OLDEST, 5, 3);
    for (uint32_t t = 2; t < 2000; t++) {
        fork_thread(0, t);
        load(t, 0, 4);
        end_thread(t);
    }
    rfi_unit *u = rfi_plain_unit(&plain, (uintptr_t)memory);
    CHECK("ended_threads_leave_no_counters", u->missing <= 2);
}

/* ---- wide values ---- */

CASE(tearing_by_heuristic) {
    const uint64_t a = UINT64_C(0x1111111122222222);
    for (unsigned pick = RF_PICK_OLDEST; pick <= RF_PICK_RANDOM; pick += 2) {
        uint32_t low = 0, high = 0;
        for (uint64_t seed = 0; seed < 200; seed++) {
            scene(seed, 8, 1, (rf_mem_options){.plain_pick = (rf_heuristic)pick});
            store(1, 0, 8, a);
            uint64_t value = load(0, 0, 8);
            bool told = flags() == (RF_MEM_STALE | RF_MEM_TORN) &&
                        core.report.from.thread == RF_MEM_NOBODY && core.report.other.thread == 1;
            low += told && value == UINT64_C(0x22222222) && core.report.other.value == value;
            high += told && value == UINT64_C(0x1111111100000000);
        }
        CHECK(pick == RF_PICK_OLDEST ? "oldest_tears_either_way" : "random_tears_either_way",
              low + high > 70 && low + high < 130 && low > 25 && high > 25);
    }
    scene(1, 8, 1, (rf_mem_options){.plain_pick = RF_PICK_NEWEST});
    store(1, 0, 8, a);
    CHECK("newest_does_not_tear", load(0, 0, 8) == a && !flags());
    scene(1, 8, 1, (rf_mem_options){.plain_pick = RF_PICK_OLDEST, .fairness = 1});
    store(1, 0, 8, a);
    load(0, 0, 8);
    CHECK("fairness_does_not_tear", load(0, 0, 8) == a && flags() == RF_MEM_FORCED);
    uint32_t entire = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        scene(seed, 8, 1, (rf_mem_options){.plain_pick = RF_PICK_RECENT});
        store(1, 0, 8, a);
        entire += load(0, 0, 8) == a && !flags();
    }
    CHECK("recent_tears_only_what_it_did_not_mean_to_be_the_newest",
          entire > 2800 && entire < 3200);
    scene(1, 8, 1, (rf_mem_options){.plain_pick = RF_PICK_OLDEST_DIFFERENT});
    load(0, 0, 8);
    store(1, 0, 8, 0);
    CHECK("nothing_different_means_the_newest_untorn",
          load(0, 0, 8) == 0 && core.report.visible == 2 && !flags());
    /* Three writes: the two oldest ones give the halves. */
    scene(1, 8, 1, (rf_mem_options){.plain_pick = RF_PICK_OLDEST});
    store(1, 0, 8, a);
    store(1, 0, 8, UINT64_C(0x3333333344444444));
    uint64_t value = load(0, 0, 8);
    CHECK("oldest_tears_the_two_oldest",
          value == UINT64_C(0x22222222) || value == UINT64_C(0x1111111100000000));
}

/* The values that 2,000 reads of `size` bytes return; those of the model's own choices. */
static void wide(const char *name, size_t size, uint32_t torn_expected) {
    static outcomes some, all;
    uint8_t ones[WIDEST], value[WIDEST];
    char sentence[80];
    uint32_t in_part = 0, wrong = 0;
    memset(ones, 1, sizeof ones);
    scene(size, size, 1, (rf_mem_options){.plain_pick = RF_PICK_RANDOM, .fairness = UINT32_MAX});
    store_bytes(1, 0, size, ones);
    enumerate(&all, 0, 0, size);
    some.n = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        load_bytes(0, 0, size, value);
        outcome(&some, value, size);
    }
    outcomes_sort(&some);
    for (uint32_t i = 0; i < some.n; i++) {
        wrong += !outcomes_hold(&all, some.value[i], size);
        uint32_t changes = 0;
        for (size_t k = 1; k < size; k++) changes += some.value[i][k] != some.value[i][k - 1];
        in_part += changes == 1;
    }
    sprintf(sentence, "%s_is_torn_between_any_two_units", name);
    CHECK(sentence, all.n == 1u << size / 4 && !wrong && in_part == torn_expected);
}

CASE(wide_values) {
    wide("a_long_double", 16, 6);
    wide("a_struct_of_12", 12, 4);
}

/* A whole value that 128 stores can give: 64 of each half. */
CASE(many_sources) {
    uint64_t newest, oldest;
    scene(1, 8, 1, (rf_mem_options){.history = 64, .whole = true});
    for (uint64_t i = 1; i <= 70; i++) {
        store(1, 0, 4, i);
        store(1, 4, 4, i);
    }
    core.plain_pick = RF_PICK_NEWEST;
    newest = load(0, 0, 8);
    core.plain_pick = RF_PICK_OLDEST;
    oldest = load(0, 0, 8);
    CHECK("of_many_stores_the_newest_and_the_oldest_are_offered",
          newest == (UINT64_C(70) << 32 | 70) && oldest == (UINT64_C(7) << 32 | 7) &&
              core.report.visible == 64);
}

CASE(ranges) {
    for (uint32_t sample = 0; sample < 2; sample++) {
        uint32_t seen_by[4] = {0};
        memset(initial, 0, sizeof initial);
        begin((rf_mem_options){.plain_pick = RF_PICK_OLDEST, .sample = sample ? 1 << 2 : 0}, 1);
        rfi_plain_watch_array(&core, &plain, (uintptr_t)memory, 4, 4);
        fork_thread(0, 1);
        for (uint32_t i = 0; i < 4; i++) store(1, i * 4, 4, 5);
        for (uint32_t i = 0; i < 4; i++) seen_by[i] = (uint32_t)load(0, i * 4, 4);
        bool right = sample ? seen_by[0] == 5 && seen_by[1] == 5 && !seen_by[2] && seen_by[3] == 5
                            : !seen_by[0] && !seen_by[1] && seen_by[2] == 5 && seen_by[3] == 5;
        CHECK(sample ? "another_sample_of_an_array" : "elements_0_and_1_of_an_array", right);
    }
    begin((rf_mem_options){.plain_pick = RF_PICK_OLDEST}, 1);
    bool none = !rfi_plain_any(&plain) && !rfi_plain_watched(&plain, (uintptr_t)memory, BYTES);
    rfi_plain_watch_array(&core, &plain, (uintptr_t)memory, 12, 1);
    watch(100, 1);
    uintptr_t m = (uintptr_t)memory;
    CHECK("watched_ranges_are_known_to_the_byte",
          none && rfi_plain_any(&plain) && rfi_plain_watched(&plain, m + 11, 1) &&
              !rfi_plain_watched(&plain, m + 12, 88) && rfi_plain_watched(&plain, m + 12, 89) &&
              rfi_plain_watched(&plain, m + 96, 8) && !rfi_plain_watched(&plain, m + 101, 91) &&
              !rfi_plain_watched(&plain, m, 0));
    fork_thread(0, 1);
    memory[103] = 9; /* not watched: nobody's business */
    store(1, 100, 4, 0x04030201);
    CHECK("bytes_beside_the_watched_ones_come_from_memory", load(0, 100, 4) == 0x04030200);
    store(1, 0, 4, 6);
    rfi_plain_forget(&plain, m, 2);
    CHECK("half_of_a_unit_is_forgotten", rfi_plain_watched(&plain, m + 2, 1) &&
                                             !rfi_plain_watched(&plain, m, 2) && history(0) == 2 &&
                                             load(0, 0, 4) == 6);
    watch(0, 2);
    CHECK("watched_anew_it_begins_with_what_is_there", SEES(0, 0, 2, "6"));
    rfi_plain_forget(&plain, m, BYTES);
    CHECK("nothing_is_watched_any_more",
          !rfi_plain_any(&plain) && !history(0) && load(0, 100, 4) == 0x04030201);
}

CASE(unannounced) {
    written(RF_PICK_OLDEST, 1000, 3);
    memory[0] = 77;
    bool told = load(0, 0, 4) == 77 && flags() == RF_MEM_UNANNOUNCED && history(0) == 1;
    bool once = load(0, 0, 4) == 77 && !flags();
    CHECK("a_value_that_nobody_announced_is_told_once", told && once);
    memory[1] = 1;
    store(1, 2, 1, 5);
    CHECK("a_store_finds_it_as_well", flags() == RF_MEM_UNANNOUNCED && SEES(0, 0, 4, "14d 5014d"));
    /* In one unit of a whole value: it is newer than what is known of the other unit. */
    scene(1, 8, 1, (rf_mem_options){.whole = true});
    store(1, 0, 8, UINT64_C(0x100000002));
    memory[4] = 9;
    CHECK("unannounced_in_one_unit_of_a_whole_value", SEES(0, 0, 8, "900000000 900000002"));
}

/* ---- memory ---- */

static size_t used(const rfi_arena *a) {
    size_t n = 0;
    for (const rfi_chunk *k = a->first; k; k = k->next) {
        if (k != a->current) {
            n += k->size;
            continue;
        }
        return n + k->size - (size_t)(a->end - a->at);
    }
    return n;
}

/* Loads, stores, locks, watching and forgetting, by four threads. */
static void operations(rf_prng *r, uint32_t n) {
    static const uint8_t sizes[] = {4, 4, 4, 8, 1, 2, 16};
    uint8_t value[16] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = rfi_draw(r);
        uint32_t t = x & 3, size = sizes[(x >> 8 & 0xff) % 7];
        uint32_t at = (uint32_t)(x >> 16 & 63) / size * size;
        unsigned what = x >> 24 & 63;
        value[0] = (uint8_t)(x >> 40);
        if (what < 40)
            load_bytes(t, at, size, value);
        else if (what < 54)
            store_bytes(t, at, size, value);
        else if (what < 58)
            release(t, x >> 32 & 3);
        else if (what < 62)
            acquire(t, x >> 32 & 3);
        else if (what < 63)
            rfi_plain_forget(&plain, (uintptr_t)&memory[at], size);
        else
            watch(at, size);
    }
}

CASE(flat_memory) {
    rf_prng r = rfi_prng_make(5, 5);
    scene(1, 64, 0, (rf_mem_options){.plain_pick = RF_PICK_RANDOM});
    for (uint32_t t = 1; t < 4; t++) fork_thread(0, t);
    operations(&r, 200000);
    size_t early = used(&plain.shadow.arena), actors = used(&core.threads.arena);
    operations(&r, 800000);
    size_t late = used(&plain.shadow.arena);
    printf("# memory of plain accesses: %zu bytes after 200,000 operations, %zu after 1,000,000\n",
           early, late);
    CHECK("memory_is_flat_over_a_million_operations",
          late <= early + early / 20 && used(&core.threads.arena) == actors);
    for (uint32_t i = 0; i < 3; i++) {
        scene(1, 64, 0, usual);
        operations(&r, 1000);
    }
    size_t chunks = 0;
    for (const rfi_chunk *k = plain.shadow.arena.first; k; k = k->next) chunks++;
    CHECK("a_new_execution_uses_the_memory_of_the_last_one",
          chunks == 1 && used(&plain.shadow.arena) < late);
}

int main(void) { return check_cases(); }
