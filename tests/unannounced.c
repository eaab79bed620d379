/* Memory of an atomic object that changes behind racefuzz's back: told once a test, in either
 * format, and not where it is in order (docs/sync.md, Atomics). */
#define RF_IMPLEMENTATION
#include "lab.h"

static rf_atomic_int x, y, go;
static unsigned noted; /* executions, by the record */
static uint32_t line;  /* of the access that finds it first */

static void told(void) { noted += rfi.record->unannounced != NULL; }

/* ---- where there is something to tell ---- */

THREAD(count) {
    (void)(line = __LINE__, rf_atomic_load(&x)); /* the second thread finds it here */
    x++;                                         /* the operator */
    (void)rf_atomic_load(&x);
}

RF_TEST(operators, .executions = 200) {
    rf_atomic_init(&x, 0);
    run_two(count, count);
    told();
}

THREAD(only_operators) {
    (void)rf_atomic_load(&y);
    y++;
    (void)rf_atomic_load(&y);
}

/* No store that racefuzz sees, ever. */
RF_TEST(never_announced) {
    y = 0;
    run_two(only_operators, only_operators);
    told();
}

THREAD(clear_memory) {
    rf_atomic_store(&x, 2);
    rf_atomic_store(&y, 2);
    memset((void *)&x, 0, sizeof x);
    memset((void *)&y, 0, sizeof y);
    (void)rf_atomic_fetch_add(&y, 1);
    (void)(line = __LINE__, rf_atomic_load(&x));
}

THREAD(idle) {
    while (!rf_atomic_load(&go)) RF_YIELD();
}

THREAD(clear_and_go) {
    clear_memory(NULL);
    rf_atomic_store(&go, 1);
}

RF_TEST(cleared) {
    rf_atomic_init(&go, 0);
    run_two(clear_and_go, idle);
    told();
}

/* ---- where there is not ---- */

THREAD(add_1) { rf_atomic_fetch_add(&x, 1); }

RF_TEST(rounds) {
    for (int i = 0; i < 3; i++) {
        x = 0;
        run_two(add_1, add_1);
        RF_ASSERT_EQ(rf_atomic_load(&x), 2);
    }
    x = 7;
    RF_ASSERT_EQ(rf_atomic_load(&x), 7);
    told();
}

THREAD(init_again) {
    for (int i = 0; i < 3; i++) {
        rf_atomic_store(&y, 8);
        rf_atomic_init(&y, i);
        RF_ASSERT_EQ(rf_atomic_load(&y), i);
    }
}

RF_TEST(announced_init) {
    rf_atomic_init(&y, 3);
    run_two(init_again, add_1);
    told();
}

static void use(_Atomic(int) *mine) { RF_ASSERT_EQ(rf_atomic_fetch_add(mine, 1), 0); }

static __attribute__((noinline)) void first_helper(void) {
    _Atomic(int) a = 0;
    use(&a);
}

static __attribute__((noinline)) void second_helper(void) {
    _Atomic(int) a = 0;
    use(&a);
}

THREAD(locals_in_turn) {
    for (int i = 0; i < 3; i++) {
        first_helper();
        second_helper();
    }
}

RF_TEST(locals) {
    run_two(locals_in_turn, locals_in_turn);
    told();
}

/* ---- checks ---- */

/* Of 200 executions, none of which fails, how many have something to tell? */
static unsigned executions_with_a_note(const char *test) {
    noted = 0;
    return lab_random(test, 200, LAB_FINE)->failures ? UINT_MAX : noted;
}

static unsigned times(const char *text, const char *part) {
    unsigned n = 0;
    while ((text = strstr(text, part)) != NULL) n++, text++;
    return n;
}

/* The campaign of a test as reported in a format. */
static const char *reported(const rfi_reporter *as, const char *test, const char *option) {
    static char *text;
    static size_t bytes;
    free(text);
    lab_open();
    lab_campaign.reporter = as;
    lab_campaign.out = open_memstream(&text, &bytes);
    (void)lab_study(test, option, NULL);
    fclose(lab_campaign.out);
    lab_campaign.reporter = &lab_silent;
    lab_campaign.out = stdout;
    return text;
}

static bool has_once(const char *text, const char *before, uint32_t at, const char *after) {
    char want[256];
    snprintf(want, sizeof want, "%s`x` (unannounced.c:%u) changed by no%s", before, at, after);
    if (times(text, "changed by no") == 1 && times(text, want) == 1) return true;
    printf("# wanted once: %s\n# got:\n%s", want, text);
    return false;
}

static bool one_note_whoever_merges(void) {
    static const rf_site early = {.file = "a.c", .text = "x", .line = 9};
    static const rf_site late = {.file = "b.c", .text = "x", .line = 3};
    static rfi_tally a, b, sum;
    const rf_site *all[] = {&early, &late, NULL};
    for (unsigned i = 0; i < 9; i++) {
        a.unannounced = all[i % 3], b.unannounced = all[i / 3];
        rfi_tally_reset(&sum);
        rfi_tally_merge(&sum, &a);
        rfi_tally_merge(&sum, &b);
        if (sum.unannounced != all[i % 3 < i / 3 ? i % 3 : i / 3]) return false;
    }
    return true;
}

/* The places of a warning that is no race are those of the first execution in which it happened,
 * else was predicted. */
static bool one_place_whoever_merges(void) {
    static const rf_site one = {.file = "a.c"}, two = {.file = "b.c"};
    static const uint64_t seen_at[] = {0, 5, 9}; /* 0: it was not seen */
    static rfi_tally sum;
    for (unsigned i = 0; i < 18; i++) {
        uint64_t a = seen_at[i % 3], b = seen_at[i / 3 % 3];
        rfi_warning w[] = {
            {.key = 1, .seen = a > 0, .seen_at = {.index = a}, .predicted_at = {.index = 1}},
            {.key = 1, .seen = b > 0, .seen_at = {.index = b}, .predicted_at = {.index = 2}}};
        if (a && a == b) continue;
        w[0].side[0].site = &one, w[1].side[0].site = &two;
        w[0].family = w[1].family = RF_FAMILY_ATOMICITY;
        rfi_tally_reset(&sum);
        rfi_tally_merge_warning(&sum, &w[i / 9]);
        rfi_tally_merge_warning(&sum, &w[!(i / 9)]);
        bool first = (!a && !b) || (a && (!b || a < b));
        if (sum.warning[0].side[0].site != (first ? &one : &two)) return false;
    }
    return true;
}

int main(void) {
    setenv("COLUMNS", "400", 1);
    LAB_CHECK("an_operator_on_an_atomic_object_is_noticed",
              executions_with_a_note("operators") == 200);
    LAB_CHECK("also_if_no_store_was_ever_announced",
              executions_with_a_note("never_announced") == 200);
    LAB_CHECK("memset_on_atomic_objects_is_noticed", executions_with_a_note("cleared") == 200);
    LAB_CHECK("initialisation_while_one_thread_is_alone_is_not_noted",
              executions_with_a_note("rounds") == 0);
    LAB_CHECK("rf_atomic_init_is_never_noted", executions_with_a_note("announced_init") == 0);
    LAB_CHECK("initialisation_of_locals_is_never_noted", executions_with_a_note("locals") == 0);
    LAB_CHECK("tallies_name_the_first_place_in_either_order",
              one_note_whoever_merges() && one_place_whoever_merges());

    const char *text = reported(&rfi_text_reporter, "operators", "--executions=50");
    LAB_CHECK("text_has_one_note_and_the_test_passes",
              has_once(text, "     note: memory of ", line,
                       " atomic operation that racefuzz sees: by a plain write, an operator on an "
                       "_Atomic object, or code without its hooks\n") &&
                  times(text, "PASS operators") == 1);
    text = reported(&rfi_tap_reporter, "cleared", "--executions=50");
    char tap[32];
    snprintf(tap, sizeof tap, "unannounced.c:%u", line - 1);
    LAB_CHECK("tap_has_one_note_at_the_first_place",
              times(text, "  note: \"memory of `y` (") == 1 && times(text, tap) == 1 &&
                  times(text, "changed by no") == 1 && times(text, "ok 1 - cleared") == 1);
    text = reported(&rfi_text_reporter, "rounds", "--executions=50");
    LAB_CHECK("other_tests_have_none", times(text, "note:") == 0);
    return lab_end();
}
