/* Atomic blocks and atomic sets: what is predicted, what is made real, and how often.
 *
 * The programs A1 to A20 have the shapes of CalFuzzer's tests of its atomicity predictors. */
#define RF_IMPLEMENTATION
#include "lab.h"

static int x, y;
static rf_mutex m1, m2, m3, recursive;
static const char *order; /* of pattern: "RWR": own, other thread's, own */
static bool fixed;        /* the clean twin of a program */

static void fresh(void) {
    rf_mutex_init(&m1, "m1", RF_MUTEX_NORMAL);
    rf_mutex_init(&m2, "m2", RF_MUTEX_NORMAL);
    rf_mutex_init(&m3, "m3", RF_MUTEX_NORMAL);
    rf_mutex_init(&recursive, "recursive", RF_MUTEX_RECURSIVE);
    x = y = 0;
}

/* Runs two threads to their end. */
static void both(void *(*f)(void *), void *(*g)(void *)) {
    fresh();
    lab_two(f, g);
}

/* ---- the StringBuffer of the Java library: append(sb) asks sb twice ---- */

static int length;

THREAD(append_undeclared) {
    RF_LOCK(&m1);
    if (fixed) RF_LOCK(&m3);
    RF_LOCK(&m2);
    int n = RF_LOAD(length);
    RF_UNLOCK(&m2);
    RF_LOCK(&m2);
    RF_ASSERT(n <= RF_LOAD(length));
    RF_UNLOCK(&m2);
    if (fixed) RF_UNLOCK(&m3);
    RF_UNLOCK(&m1);
}

THREAD(append) { RF_ATOMIC_BLOCK("append")(void) append_undeclared(NULL); }

THREAD(cut) {
    if (fixed) RF_LOCK(&m3);
    RF_LOCK(&m2);
    RF_STORE(length, 0);
    RF_UNLOCK(&m2);
    if (fixed) RF_UNLOCK(&m3);
}

RF_TEST(stringbuffer) {
    length = 5;
    both(append, cut);
}

RF_TEST(undeclared) {
    length = 5;
    both(append_undeclared, cut);
}

/* Its section begins before a block that ends after it. */
THREAD(overlapping) {
    RF_LOCK(&m1);
    RF_ATOMIC_BLOCK("overlap") {
        RF_UNLOCK(&m1);
        (void)RF_RACY_LOAD(y);
        (void)append_undeclared(NULL);
    }
}

RF_TEST(overlap) {
    length = 5;
    both(overlapping, cut);
}

/* A section that waits lets others in. */
static rf_cond come;

THREAD(awaits) {
    RF_LOCK(&m1);
    while (!RF_LOAD(x)) RF_WAIT(&come, &m1);
    RF_UNLOCK(&m1);
}

THREAD(raises) {
    RF_GUARD(&m1) RF_STORE(x, 1);
    RF_SIGNAL(&come);
}

RF_TEST(section_that_waits) {
    rf_cond_init(&come, NULL);
    both(awaits, raises);
}

/* ---- A1 to A10: the reduction ---- */

THREAD(racy) { RF_STORE(x, RF_LOAD(x) + 1); }

THREAD(locked) {
    RF_LOCK(&m1);
    RF_STORE(x, RF_LOAD(x) + 1);
    RF_UNLOCK(&m1);
}

THREAD(twice) {
    RF_ATOMIC_BLOCK("twice") {
        RF_LOCK(&m1);
        RF_STORE(x, RF_LOAD(x) + 1);
        RF_STORE(x, RF_LOAD(x) + 1);
        RF_UNLOCK(&m1);
    }
}

RF_TEST(a1) { both(twice, racy); }
RF_TEST(a2) { both(twice, locked); }

RF_TEST(a5) {
    fresh();
    RF_ATOMIC_BLOCK("starts and joins") {
        rf_thread t = RF_THREAD(locked, NULL);
        RF_JOIN(t);
    }
}

static _Atomic int counter;

THREAD(outer) {
    RF_ATOMIC_BLOCK("outer") {
        RF_LOCK(&recursive);
        rf_atomic_fetch_add(&counter, 1);
        RF_ATOMIC_BLOCK("inner") {
            RF_LOCK(&recursive);
            rf_atomic_fetch_add(&counter, 1);
            RF_UNLOCK(&recursive);
        }
        RF_UNLOCK(&recursive);
    }
}

THREAD(count) { rf_atomic_fetch_add(&counter, 1); }

RF_TEST(a7) { both(outer, count); }

static void take(rf_mutex *m) {
    RF_LOCK(m);
    RF_UNLOCK(m);
}

THREAD(take_2) { take(&m2); }

THREAD(nested) {
    RF_ATOMIC_BLOCK("nested") {
        RF_LOCK(&m1);
        take(&m2);
        RF_UNLOCK(&m1);
    }
}

RF_TEST(a10) { both(nested, take_2); }

/* ---- A15 to A20: pairs of an acquisition that comes a second time and another thread's ---- */

THREAD(again) {
    RF_ATOMIC_BLOCK("again") {
        RF_LOCK(&m1);
        RF_LOCK(&m2);
        RF_UNLOCK(&m2);
        RF_LOCK(&m2);
        RF_UNLOCK(&m2);
        RF_UNLOCK(&m1);
    }
}

static void *again_and_once_more(void *u) {
    again(u);
    take(&m2);
    return u;
}

THREAD(take_2_twice) {
    RF_LOCK(&m2);
    RF_UNLOCK(&m2);
    RF_LOCK(&m2);
    RF_UNLOCK(&m2);
}

THREAD(take_1_then_2) {
    RF_LOCK(&m1);
    RF_UNLOCK(&m1);
    RF_LOCK(&m2);
    RF_UNLOCK(&m2);
}

THREAD(again_under_3) {
    RF_ATOMIC_BLOCK("again under 3") {
        RF_LOCK(&m3);
        RF_LOCK(&m2);
        RF_UNLOCK(&m2);
        RF_LOCK(&m2);
        RF_UNLOCK(&m2);
        RF_UNLOCK(&m3);
    }
}

RF_TEST(a15) { both(again, take_2); }
RF_TEST(a16) { both(again_and_once_more, take_2); }
RF_TEST(a17) { both(again, take_2_twice); }
RF_TEST(a18) { both(again, take_1_then_2); }
RF_TEST(a19) { both(again, again_under_3); }
RF_TEST(a20) { both(again, again); }

/* ---- the eight orders of three accesses ---- */

static _Atomic int shared;

THREAD(owner) {
    RF_ATOMIC_BLOCK("owner") {
        if (order[0] == 'R') (void)rf_atomic_load(&shared);
        if (order[0] == 'W') rf_atomic_store(&shared, 1);
        if (order[2] == 'R') (void)rf_atomic_load(&shared);
        if (order[2] == 'W') rf_atomic_store(&shared, 2);
    }
}

THREAD(stranger) {
    if (order[1] == 'R') (void)rf_atomic_load(&shared);
    if (order[1] == 'W') rf_atomic_store(&shared, 3);
}

RF_TEST(pattern) { both(owner, stranger); }

/* An exchange that fails tries again: nothing of the first round is used. */
THREAD(retry) {
    RF_ATOMIC_BLOCK("retry") {
        int old = rf_atomic_load(&shared);
        while (!rf_atomic_compare_exchange_strong(&shared, &old, old + 1)) {
        }
    }
}

THREAD(raise_by_two) { rf_atomic_fetch_add(&shared, 2); }

RF_TEST(retries) { both(retry, raise_by_two); }

/* Nor does it hand on what it has seen. */
THREAD(fails_to_exchange) {
    int none = -1;
    (void)rf_atomic_compare_exchange_strong(&shared, &none, 5);
}

RF_TEST(exchange_in_vain) { both(owner, fails_to_exchange); }

/* The block reads its own value back, whatever others wrote before; and a write over another
 * thread's, unread, may as well have come later. */
THREAD(own_value) {
    RF_ATOMIC_BLOCK("own value") {
        rf_atomic_store(&shared, 1);
        (void)rf_atomic_load(&shared);
        rf_atomic_store(&shared, 2);
        rf_atomic_store(&shared, 3);
    }
}

THREAD(overwrite) { rf_atomic_store(&shared, 9); }

RF_TEST(own_values) { both(own_value, overwrite); }

/* ---- what locks keep out ---- */

/* The second access comes under a lock that is not taken again: one must wait before that lock. */
THREAD(check_then_act) {
    RF_ATOMIC_BLOCK("check, then act") {
        int seen = RF_LOAD(x);
        if (fixed) RF_LOCK(&m2);
        RF_LOCK(&m1);
        RF_STORE(x, seen + 1);
        RF_UNLOCK(&m1);
        if (fixed) RF_UNLOCK(&m2);
    }
}

THREAD(add_ten) {
    RF_LOCK(&m1);
    RF_STORE(x, RF_LOAD(x) + 10);
    RF_UNLOCK(&m1);
}

RF_TEST(late_lock) {
    both(check_then_act, add_ten);
    RF_ASSERT(x == 11);
}

/* A wait in a block lets others in; a reader among readers does not. */
static rf_cond ready;
static rf_rwlock rw;

THREAD(waits) {
    RF_ATOMIC_BLOCK("waits") {
        RF_LOCK(&m1);
        while (!RF_LOAD(x)) RF_WAIT(&ready, &m1);
        RF_UNLOCK(&m1);
    }
}

THREAD(wakes) {
    RF_LOCK(&m1);
    RF_STORE(x, 1);
    RF_SIGNAL(&ready);
    RF_UNLOCK(&m1);
}

RF_TEST(waiting) {
    rf_cond_init(&ready, "ready");
    both(waits, wakes);
}

THREAD(reads_twice) {
    RF_ATOMIC_BLOCK("reads twice") {
        RF_RDLOCK(&rw);
        (void)RF_LOAD(x);
        RF_RWUNLOCK(&rw);
        RF_RDLOCK(&rw);
        (void)RF_LOAD(x);
        RF_RWUNLOCK(&rw);
    }
}

RF_TEST(readers) {
    rf_rwlock_init(&rw, "rw");
    both(reads_twice, reads_twice);
}

/* ---- sets ---- */

THREAD(move_both) {
    RF_LOCK(&m1);
    RF_STORE(x, RF_LOAD(x) - 5);
    RF_STORE(y, RF_LOAD(y) + 5);
    RF_UNLOCK(&m1);
}

THREAD(add_up) {
    RF_LOCK(&m1);
    int sum = RF_LOAD(x);
    if (!fixed) RF_UNLOCK(&m1);
    if (!fixed) RF_LOCK(&m1);
    sum += RF_LOAD(y);
    RF_UNLOCK(&m1);
    RF_ASSERT(sum == 0);
}

RF_TEST(sum) {
    RF_ATOMIC_SET("balances", &x, &y);
    both(move_both, add_up);
}

/* Each half by itself, one thread of two; and before and after the others. */
THREAD(only_x) {
    RF_LOCK(&m1);
    RF_STORE(x, RF_LOAD(x) + 1);
    RF_UNLOCK(&m1);
    RF_LOCK(&m1);
    RF_STORE(x, RF_LOAD(x) + 1);
    RF_UNLOCK(&m1);
}

RF_TEST(halves) {
    RF_ATOMIC_SET("balances", &x, &y);
    RF_STORE(x, 0);
    RF_STORE(y, 0);
    both(move_both, only_x);
    RF_ASSERT(RF_LOAD(x) == -3);
    RF_ASSERT(RF_LOAD(y) == 5);
}

/* ---- no declaration ---- */

static void *plain(void *u) {
    take_2_twice(u);
    RF_LOCK(&m1);
    RF_STORE(x, RF_LOAD(x) + 1);
    RF_UNLOCK(&m1);
    return u;
}

RF_TEST(unmarked) { both(plain, plain); }

/* ---- what is to be shown ---- */

typedef struct figures {
    uint32_t warnings, real, hits, executions, harmful;
} figures;

static figures of(const char *test, rf_family family, const char *detect) {
    const rfi_study *s = lab_study(test, "--executions=400", detect, NULL);
    figures f = {0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        if (w->family != family) continue;
        f.warnings++;
        f.real += w->hits || w->seen;
        f.hits += (uint32_t)w->hits;
        f.executions += (uint32_t)w->executions;
        f.harmful += w->failed != 0;
    }
    printf("# %s%s%s: %u warnings, %u real, hits %u/%u, harmful %u\n", test, detect ? " " : "",
           detect ? detect : "", f.warnings, f.real, f.hits, f.executions, f.harmful);
    return f;
}

/* Every analysis: how many warnings, how many of them real. */
static bool tells(const char *test, uint32_t warnings, uint32_t real) {
    figures f = of(test, RF_FAMILY_ATOMICITY, NULL);
    return f.warnings == warnings && f.real == real;
}

static void reduction(void) {
    LAB_CHECK("a1_a_racy_increment_between_two_is_told", of("a1", RF_FAMILY_ATOMICITY, NULL).real);
    LAB_CHECK("a2_under_one_lock_is_atomic", tells("a2", 0, 0));
    LAB_CHECK("a5_starting_and_joining_is_not_atomic", tells("a5", 1, 0));
    LAB_CHECK("a7_the_outer_block_is_not_atomic_the_inner_one_is", tells("a7", 1, 1));
    LAB_CHECK("a10_nested_locks_without_a_second_time_are_atomic", tells("a10", 0, 0));
}

/* Pairs of statements that relock told, in any order. */
static uint64_t told_pair[64];
static uint32_t told_pairs;

static void note_pair(const rf_warning *w) {
    if (w->family != RF_FAMILY_ATOMICITY || strcmp(w->by, "relock") != 0) return;
    uint64_t key = rfi_pair_key(rf_site_key(w->place[2].site), rf_site_key(w->place[3].site));
    uint32_t i = 0;
    while (i < told_pairs && told_pair[i] != key) i++;
    if (i == told_pairs && told_pairs < 64) told_pair[told_pairs++] = key;
}

static uint32_t pairs_of(const char *test) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    j.analyses = rfi_analyses_of("relock");
    lab_open();
    told_pairs = 0;
    rfi_warning_sink = note_pair;
    lab_job(&j, 500);
    rfi_warning_sink = rfi_sink_warning;
    return told_pairs;
}

static void pairs(void) {
    static const struct {
        const char *test;
        uint32_t pairs;
    } all[] = {{"a15", 1}, {"a16", 1}, {"a17", 2}, {"a18", 1}, {"a19", 3}, {"a20", 0}};
    char name[64];
    for (unsigned i = 0; i < RFI_LENGTH(all); i++) {
        snprintf(name, sizeof name, "%s_has_%u_pairs", all[i].test, all[i].pairs);
        LAB_CHECK(name, pairs_of(all[i].test) == all[i].pairs);
    }
    LAB_CHECK("every_second_acquisition_of_a19_is_made_real", tells("a19", 2, 2));
    LAB_CHECK("a20_a_common_outer_lock_keeps_others_out", tells("a20", 0, 0));
}

static void patterns(void) {
    static const struct {
        const char *order;
        bool torn;
    } all[] = {{"RWR", true},  {"WWR", true},  {"RWW", true},  {"WRW", true},
               {"RRR", false}, {"RRW", false}, {"WRR", false}, {"WWW", false}};
    char name[64];
    for (unsigned i = 0; i < RFI_LENGTH(all); i++) {
        order = all[i].order;
        figures f = of("pattern", RF_FAMILY_ATOMICITY, NULL);
        snprintf(name, sizeof name, "the_order_%s_is_%s", order, all[i].torn ? "torn" : "serial");
        LAB_CHECK(name,
                  all[i].torn ? f.warnings == 1 && f.real == 1 && f.hits == 400 : f.real == 0);
    }
    LAB_CHECK("an_exchange_that_fails_starts_anew",
              of("retries", RF_FAMILY_ATOMICITY, NULL).real == 0);
    order = "W-W";
    LAB_CHECK("an_exchange_that_fails_has_seen_nothing",
              of("exchange_in_vain", RF_FAMILY_ATOMICITY, NULL).real == 0);
    LAB_CHECK("what_reads_its_own_value_is_serial",
              of("own_values", RF_FAMILY_ATOMICITY, NULL).real == 1);
}

static void stringbuffer(void) {
    const rfi_study *s = lab_study("stringbuffer", "--executions=2000", NULL);
    const rfi_warning *w = &s->result.warning[0];
    LAB_CHECK("stringbuffer_has_no_race_and_one_warning",
              s->result.warnings == 1 && w->family == RF_FAMILY_ATOMICITY);
    LAB_CHECK("stringbuffer_all_three_analyses_and_the_checker_tell_one_defect",
              w->by == rfi_analyses_of("atomizer,relock"));
    printf("# stringbuffer is made real: %llu of %llu\n", (unsigned long long)w->hits,
           (unsigned long long)w->executions);
    LAB_CHECK("stringbuffer_is_made_real_every_time", w->hits == 2000 && w->executions == 2000);
    LAB_CHECK("stringbuffer_fails_with_the_index_every_time",
              w->failed == 2000 && s->result.harmful == 1);
    LAB_CHECK("stringbuffer_the_places_are_block_first_other_second",
              w->sides == 4 && w->side[0].site->kind == RF_SITE_OTHER);
    const rfi_job j = s->cases[0].job;
    uint32_t index = s->cases[0].harm.index;
    char token[RFI_TOKEN_BYTES], why[128];
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, &j, index);
    rfi_token_write(&j, index, r, token);
    rfi_token t;
    LAB_CHECK("stringbuffer_the_token_can_be_read", rfi_token_read(token, &t, why, sizeof why));
    t.job.test = j.test;
    r = rfi_team_replay(&lab_campaign.team, &t.job, t.index);
    LAB_CHECK("stringbuffer_the_token_replays", r->hit_count &&
                                                    r->failure.diagnostic == RF_DIAG_ASSERT &&
                                                    rfi_token_compare(&t, r, why, sizeof why));
    lab_share("stringbuffer_under_uniform_random_1_8",
              lab_failures(lab_random("stringbuffer", 20000, LAB_FINE)), 20000, 1 / 8.0);
    rfi_job alone = j; /* the rule of the paper: only the thread in the block is paused */
    alone.fine = true;
    alone.target[2] = 0;
    const rfi_tally *tally = lab_job(&alone, 20000);
    lab_share("stringbuffer_pausing_in_the_block_alone", tally->hits, 20000, 1 / 4.0);
    fixed = true;
    lab_job(&j, 2000);
    LAB_CHECK("stringbuffer_the_twin_is_never_torn",
              lab_tally.hits == 0 && lab_tally.warnings == 0 && !lab_failures(&lab_tally));
    LAB_CHECK("stringbuffer_the_twin_has_no_warning", tells("stringbuffer", 0, 0));
    fixed = false;
}

/* Critical sections as blocks. */
static void sections(void) {
    LAB_CHECK("without_declared_blocks_nothing_is_told",
              of("undeclared", RF_FAMILY_ATOMICITY, NULL).warnings == 0);
    figures f = of("undeclared", RF_FAMILY_ATOMICITY, "--blocks=locks");
    LAB_CHECK("an_outermost_section_is_a_block_that_is_torn_apart_every_time",
              f.warnings == 1 && f.hits == f.executions && f.harmful == 1);
    const rfi_study *s = &lab_the_study;
    const rfi_job j = s->cases[0].job;
    char token[RFI_TOKEN_BYTES], reason[128];
    rfi_token read;
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, &j, s->cases[0].harm.index);
    rfi_token_write(&j, r->index, r, token);
    LAB_CHECK("its_token_says_so",
              strstr(token, ".r.") && rfi_token_read(token, &read, reason, sizeof reason));
    read.job.test = j.test;
    r = rfi_team_replay(&lab_campaign.team, &read.job, read.index);
    LAB_CHECK("its_token_replays", r->hit_count && r->failure.diagnostic == RF_DIAG_ASSERT &&
                                       rfi_token_compare(&read, r, reason, sizeof reason));
    LAB_CHECK("a_section_that_waits_lets_others_in",
              of("section_that_waits", RF_FAMILY_ATOMICITY, "--blocks=locks").warnings == 0);
    f = of("overlap", RF_FAMILY_ATOMICITY, "--blocks=locks");
    bool goes_on = false;
    for (uint32_t i = 0; i < s->result.warnings; i++)
        goes_on |= strstr(s->result.warning[i].side[0].site->text, "overlap") != NULL;
    LAB_CHECK("a_block_that_outlives_a_section_goes_on", f.warnings == 2 && goes_on);
    fixed = true;
    LAB_CHECK("under_a_common_lock_nothing_is_told_of_sections",
              of("undeclared", RF_FAMILY_ATOMICITY, "--blocks=locks").warnings == 0);
    fixed = false;
}

static void locks(void) {
    figures f = of("late_lock", RF_FAMILY_ATOMICITY, NULL);
    LAB_CHECK("one_waits_before_a_lock_that_comes_late",
              f.warnings == 1 && f.real == 1 && f.hits == f.executions && f.harmful == 1);
    LAB_CHECK("a_wait_in_a_block_lets_others_in", of("waiting", RF_FAMILY_ATOMICITY, NULL).real);
    LAB_CHECK("readers_do_not_disturb_readers", of("readers", RF_FAMILY_ATOMICITY, NULL).real == 0);
    LAB_CHECK("nothing_is_told_without_a_declaration",
              tells("unmarked", 0, 0) && !of("unmarked", RF_FAMILY_ATOMIC_SET, NULL).warnings);
}

static void sets(void) {
    figures f = of("sum", RF_FAMILY_ATOMIC_SET, NULL);
    LAB_CHECK("a_set_used_in_two_sections_is_told_real_and_harmful",
              f.warnings == 1 && f.real == 1 && f.harmful == 1 && f.hits == f.executions);
    fixed = true;
    LAB_CHECK("a_set_used_in_one_section_is_not", !of("sum", RF_FAMILY_ATOMIC_SET, NULL).warnings);
    fixed = false;
    LAB_CHECK("one_object_by_itself_before_and_after_are_not",
              !of("halves", RF_FAMILY_ATOMIC_SET, NULL).warnings);
}

int main(void) {
    order = "RWR";
    reduction();
    sections();
    pairs();
    patterns();
    stringbuffer();
    locks();
    sets();
    return lab_end();
}
