/* What tests are written with: invariants, inputs, log lines, assertions; and when one stands. */
#define RF_IMPLEMENTATION
#include "schedules.h"

/* Execution `index` of a test with its events. */
static const rfi_record *traced(const char *test, uint32_t index) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    lab_open();
    return rfi_team_replay(&lab_campaign.team, &j, index);
}

/* ---- invariants ---- */

static int x, y, calls;
static rf_atomic_int a;
static rf_mutex m = RF_MUTEX_INIT;
static bool watching;

static bool equal(void *unused) {
    (void)unused;
    return x == y;
}

static bool count_calls(void *count) {
    ++*(int *)count;
    return true;
}

/* A first scope, a second one inside it, and what comes after. */
PASSING(an_invariant_is_checked_at_every_point_of_its_scope) {
    int outer = 0, inner = 0;
    rf_atomic_store(&a, 0);
    {
        RF_INVARIANT(count_calls, &outer);
        rf_atomic_store(&a, 1);
        {
            RF_INVARIANT(count_calls, &inner);
            RF_YIELD();
            rf_atomic_store(&a, 2);
        }
        rf_atomic_store(&a, 3);
    }
    rf_atomic_store(&a, 4);
    RF_ASSERT_EQ(inner, 2);
    RF_ASSERT_EQ(outer, 4);
}

THREAD(set_both) {
    RF_GUARD(&m) {
        RF_STORE(x, 5);
        AT(2, RF_STORE(y, 5));
    }
}

/* It is looked at between any two accesses, lock or no lock. */
FAILING_ALWAYS_FINE(an_invariant_sees_the_newest_values_between_accesses, INVARIANT, 3,
                    "equal is false before T1's store at @2") {
    x = y = 0;
    line_of[3] = __LINE__ + 1;
    RF_INVARIANT(equal, NULL);
    (void)RF_JOIN(RF_THREAD(set_both, NULL));
}

THREAD(set_last) {
    RF_YIELD();
    x = 1;
}

FAILING_ALWAYS(an_invariant_is_checked_when_a_thread_ends, INVARIANT, 3,
               "equal is false when T1 ends") {
    x = y = 0;
    line_of[3] = __LINE__ + 1;
    RF_INVARIANT(equal, NULL);
    (void)RF_JOIN(RF_THREAD(set_last, NULL));
}

/* The scope has ended when y is stored. */
PASSING(an_invariant_ends_with_its_scope) {
    x = y = 0;
    {
        RF_INVARIANT(equal, NULL);
        RF_YIELD();
    }
    RF_STORE(x, 1);
    RF_STORE(y, 1);
}

static bool uses_everything(void *unused) {
    (void)unused;
    RF_ASSERT_EQ(RF_LOAD(x) + rf_atomic_load(&a), RF_LOAD(x) + rf_atomic_load(&a));
    RF_STORE(calls, RF_LOAD(calls) + 1);
    RF_LOCK(&m);
    RF_UNLOCK(&m);
    RF_YIELD();
    RF_SLEEP_MS(1);
    RF_LOG("never seen");
    return true;
}

THREAD(work) {
    for (int i = 0; i < 3; i++) {
        RF_GUARD(&m) RF_STORE(x, RF_LOAD(x) + 1);
        (void)rf_atomic_fetch_add(&a, 1);
    }
}

static bool always(void *unused) {
    (void)unused;
    return true;
}

RF_TEST(quiet_or_not) {
    x = 0;
    rf_atomic_store(&a, 0);
    RF_INVARIANT(watching ? uses_everything : always, NULL);
    BESIDE(work)(void) work(NULL);
}

/* What an invariant does is in no trace, and changes no choice. */
static bool makes_no_events(void) {
    for (uint32_t i = 0; i < 100; i++) {
        watching = false;
        uint64_t hash = traced("quiet_or_not", i)->hash;
        watching = true;
        calls = 0;
        const rfi_record *r = traced("quiet_or_not", i);
        if (r->failure.diagnostic || r->hash != hash || !calls) return false;
    }
    return true;
}

static bool asserts(void *unused) {
    (void)unused;
    AT(1, RF_ASSERT_EQ(x, 0));
    return true;
}

FAILING_ALWAYS(an_assertion_in_an_invariant_fails_as_one, ASSERT, 1,
               "x == 0: left is 3, right is 0") {
    x = 3;
    RF_INVARIANT(asserts, NULL);
    RF_YIELD();
}

static void *nothing(void *unused) { return unused; }
static bool creates(void *unused) { return AT(1, (void)RF_THREAD(nothing, NULL)), !unused; }
static bool joins(void *unused) { return AT(1, (void)RF_JOIN(RF_SELF())), !unused; }
static bool chooses(void *unused) { return AT(1, (void)RF_CHOOSE(2)), !unused; }
static bool allocates(void *unused) { return AT(1, (void)RF_MALLOC(2)), !unused; }
static bool frees(void *unused) { return AT(1, RF_FREE(&calls)), !unused; }

#define FORBIDDEN(sentence, name, macro)                                       \
 FAILING_ALWAYS(sentence, FAIL, 1, macro " inside an RF_INVARIANT function") { \
  RF_INVARIANT(name, NULL);                                                    \
  RF_YIELD();                                                                  \
 }
FORBIDDEN(no_thread_is_created_in_an_invariant, creates, "RF_THREAD")
FORBIDDEN(no_thread_is_joined_in_an_invariant, joins, "RF_JOIN")
FORBIDDEN(no_input_is_chosen_in_an_invariant, chooses, "RF_CHOOSE")
FORBIDDEN(nothing_is_allocated_in_an_invariant, allocates, "RF_MALLOC")
FORBIDDEN(nothing_is_freed_in_an_invariant, frees, "RF_FREE")

/* ---- RF_CHOOSE ---- */

/* Outcome: the value. */
REACHING(10, choose_reaches_every_value) {
    seen[RF_CHOOSE(10)]++;
    RF_ASSERT_EQ(RF_CHOOSE(1), 0);
}

FAILING_ALWAYS(choosing_from_nothing_fails, BAD_CHOICE, 1,
               "RF_CHOOSE(0): there is no value to choose") {
    AT(1, (void)RF_CHOOSE(0));
}

/* Inputs are drawn from a stream of their own: schedules stay as they are. */
RF_TEST(schedule_beside_inputs) {
    for (int i = 0; i < (watching ? 7 : 0); i++) (void)RF_CHOOSE(100);
    BESIDE(work)(void) work(NULL);
}

static bool inputs_apart(void) {
    for (uint32_t i = 0; i < 100; i++) {
        watching = false;
        const rfi_record *r = traced("schedule_beside_inputs", i);
        uint64_t switches = r->switches, preemptions = r->preemptions, steps = r->steps;
        watching = true;
        r = traced("schedule_beside_inputs", i);
        if (r->switches != switches || r->preemptions != preemptions || r->steps != steps)
            return false;
    }
    return true;
}

static bool evenly(void) {
    memset(seen, 0, sizeof seen);
    const rfi_tally *t = lab_random("choose_reaches_every_value", SCHEDULES, LAB_FINE);
    for (unsigned i = 0; i < 10; i++)
        if (!lab_within(seen[i], t->executions, 0.1)) return false;
    return true;
}

/* ---- RF_LOG and RF_SKIP ---- */

THREAD(log_from_thread) {
    RF_LOG("in thread %u", RF_SELF().id);
    rf_atomic_store(&a, 8);
    RF_LOG("%s", "");
}

RF_TEST(log_lines) {
    rf_atomic_store(&a, 7);
    AT(1, RF_LOG("a is %d", rf_atomic_load(&a)));
    (void)RF_JOIN(RF_THREAD(log_from_thread, NULL));
}

/* The texts, in their order, with the accesses around them. */
static bool logged(void) {
    const rfi_record *r = traced("log_lines", 0);
    char got[256];
    rfi_text t = {got, got + sizeof got};
    for (uint64_t i = 0; i < r->events; i++) {
        const rf_event *e = &r->event[i];
        if (e->kind == RF_EV_LOG) rfi_append(&t, "[T%u: %s]", e->thread, e->text);
        if (e->kind == RF_EV_STORE) rfi_append(&t, "[T%u stores %d]", e->thread, (int)e->value);
    }
    return !strcmp(got, "[T0 stores 7][T0: a is 7][T1: in thread 1][T1 stores 8][T1: ]");
}

RF_TEST(log_much) {
    char line[2000];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = 0;
    for (int i = 0; i < 1000; i++) RF_LOG("%s", line);
}

static bool log_fills_up(void) {
    const rfi_record *r = traced("log_much", 0);
    return r->events >= 1000 && strlen(r->event[0].text) < 600 &&
           strstr(r->event[999].text, "its memory is full");
}

RF_TEST(skipped) {
    RF_YIELD();
    RF_SKIP("no such device");
}

RF_TEST(skipped_at_times) {
    if (RF_CHOOSE(2)) RF_SKIP("not this input");
}

/* ---- assertions ---- */

enum colour { RED, GREEN };
struct bits {
    unsigned three : 3;
};
typedef void (*checks)(void);
static int evaluated;
static int next_number(void) { return ++evaluated; }

static void is_true(void) { AT(1, RF_ASSERT(x == 1)); }
static void has_commas(void) { AT(1, RF_ASSERT((int[]){1, 0}[1])); }
static void eq(void) { AT(1, RF_ASSERT_EQ(x, 4)); }
static void ne(void) { AT(1, RF_ASSERT_NE(x + 1, 4)); }
static void lt(void) { AT(1, RF_ASSERT_LT(3, x)); }
static void le(void) { AT(1, RF_ASSERT_LE(4, x)); }
static void gt(void) { AT(1, RF_ASSERT_GT(x, 3)); }
static void ge(void) { AT(1, RF_ASSERT_GE(x, 4)); }
static void large(void) { AT(1, RF_ASSERT_EQ(UINT64_MAX, INT64_C(0) + x)); }
static void lowest(void) { AT(1, RF_ASSERT_EQ(INT64_MIN, 0)); }
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;
static void widest(void) { AT(1, RF_ASSERT_LT((unsigned_wide)-1, (unsigned_wide)0)); }
static void least(void) { AT(1, RF_ASSERT_EQ(-((wide)1 << 126) * 2, ((wide)1 << 100) + 5)); }
#endif
static void chars(void) { AT(1, RF_ASSERT_EQ((char)'a', (char)7)); }
static void bools(void) { AT(1, RF_ASSERT_EQ((bool)x, false)); }
static void enums(void) { AT(1, RF_ASSERT_EQ((enum colour)GREEN, RED)); }
static void doubles(void) { AT(1, RF_ASSERT_LT(0.5, -1e100)); }
static void floats(void) { AT(1, RF_ASSERT_GT(0.5f, 0.5)); }
static void bit_fields(void) { AT(1, RF_ASSERT_EQ(((struct bits){3}).three, 2)); }
static void pointers(void) { AT(1, RF_ASSERT_EQ((void *)0x1234, NULL)); }
static void strings(void) { AT(1, RF_ASSERT_STR_EQ("abc", "abd")); }
static void null_string(void) { AT(1, RF_ASSERT_STR_EQ("abc", NULL)); }
static void bytes(void) { AT(1, RF_ASSERT_MEM_EQ("abcd", "abxd", 4)); }
static void fail(void) { AT(1, RF_FAIL("%d of %s", 3, "four")); }

static const struct {
    checks check;
    const char *message;
} asserts_of[] = {
    {is_true, "x == 1"},
    {has_commas, "(int[]){1, 0}[1]"},
    {eq, "x == 4: left is 3, right is 4"},
    {ne, "x + 1 != 4: left is 4, right is 4"},
    {lt, "3 < x: left is 3, right is 3"},
    {le, "4 <= x: left is 4, right is 3"},
    {gt, "x > 3: left is 3, right is 3"},
    {ge, "x >= 4: left is 3, right is 4"},
    {large, "UINT64_MAX == INT64_C(0) + x: left is 18446744073709551615, right is 3"},
    {lowest, "INT64_MIN == 0: left is -9223372036854775808, right is 0"},
#ifdef __SIZEOF_INT128__
    {widest,
     "(unsigned_wide)-1 < (unsigned_wide)0: left is 340282366920938463463374607431768211455, "
     "right is 0"},
    {least, "-((wide)1 << 126) * 2 == ((wide)1 << 100) + 5: left is "
            "-170141183460469231731687303715884105728, right is 1267650600228229401496703205381"},
#endif
    {chars, "(char)'a' == (char)7: left is 'a' (97), right is 7"},
    {bools, "(bool)x == false: left is true, right is 0"},
    {enums, "(enum colour)GREEN == RED: left is 1, right is 0"},
    {doubles, "0.5 < -1e100: left is 0.5, right is -1e+100"},
    {floats, "0.5f > 0.5: left is 0.5, right is 0.5"},
    {bit_fields, "((struct bits){3}).three == 2: left is 3, right is 2"},
    {pointers, "(void *)0x1234 == NULL: left is 0x1234, right is NULL"},
    {strings, "\"abc\" equals \"abd\": left is \"abc\", right is \"abd\""},
    {null_string, "\"abc\" equals NULL: left is \"abc\", right is NULL"},
    {bytes, "\"abcd\" equals \"abxd\": byte 2 of 4: left is 0x63, right is 0x78"},
    {fail, "3 of four"},
};

static checks current;

RF_TEST(asserting) {
    x = 3;
    current();
}

static bool every_assertion(void) {
    for (size_t i = 0; i < sizeof asserts_of / sizeof *asserts_of; i++) {
        current = asserts_of[i].check;
        rf_diagnostic d = current == fail ? RF_DIAG_FAIL : RF_DIAG_ASSERT;
        if (!fails_under("asserting", d, 1, asserts_of[i].message, true, LAB_FINE)) return false;
    }
    return true;
}

PASSING(assertions_that_hold_evaluate_their_arguments_once) {
    evaluated = 0;
    RF_ASSERT(next_number() == 1);
    RF_ASSERT_EQ(next_number(), 2);
    RF_ASSERT_LT(2, next_number());
    RF_ASSERT_EQ(evaluated, 3);
    RF_ASSERT_NE(-1, 0u);
    RF_ASSERT_GE(sizeof x, 4);
    RF_ASSERT_STR_EQ("a", "a");
    RF_ASSERT_STR_EQ(NULL, NULL);
    RF_ASSERT_MEM_EQ("abc", "abd", 2);
    RF_ASSERT_MEM_EQ("abc", "xyz", 0);
}

/* Who waits looks now and then, and stands all the same; who works does not. */
static bool looks_are_no_work(void) {
    static rfi_record r;
    rfi_watch w = {.since = 0};
    const uint64_t look = UINT64_C(300000), work = UINT64_C(25000000); /* ns, between two looks */
    uint64_t cpu = 1;
    int64_t stood = 0;
    r.state = RFI_RUNNING;
    for (int i = 0; i < 5000 / RFI_LOOK_MS; i++) stood = rfi_watch_stood(&w, cpu += look, &r);
    if (stood != 5000) return false;
    for (int i = 0; i < 5; i++) stood = rfi_watch_stood(&w, cpu += work, &r);
    return !stood;
}

int main(void) {
    show_claims();
    LAB_CHECK("looks_of_a_thread_that_waits_are_no_work", looks_are_no_work());
    LAB_CHECK("an_invariant_makes_no_events_and_changes_no_choice", makes_no_events());
    LAB_CHECK("choose_reaches_them_evenly", evenly());
    LAB_CHECK("inputs_do_not_change_the_schedule", inputs_apart());
    LAB_CHECK("log_lines_stand_in_the_trace_where_they_were_written", logged());
    LAB_CHECK("log_lines_are_cut_and_their_memory_is_limited", log_fills_up());
    RF_LOG("outside of a test %d", 1);
    const rfi_study *s = lab_study("skipped", "--executions=10", NULL);
    LAB_CHECK("a_test_that_always_skips_is_skipped",
              s->result.skipped && !strcmp(s->result.reason, "no such device"));
    s = lab_study("skipped_at_times", "--executions=100", NULL);
    LAB_CHECK("a_test_that_skips_some_inputs_passes", !s->result.skipped && s->result.passed);
    lab_check(every_assertion(), "every_assertion_tells_both_values", why);
    return lab_end();
}
