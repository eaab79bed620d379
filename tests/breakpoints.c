/* Concurrent breakpoints (docs/findings.md): two threads stand there at once, who goes first, and
 * that nobody waits for ever. */
#define RF_IMPLEMENTATION
#include "lab.h"

static rf_mutex lock = RF_MUTEX_INIT;
static int x, y, work, saw[3];

static void run_two(void *(*a)(void *), void *(*b)(void *)) {
    x = y = 0;
    lab_two(a, b);
}

/* ---- figure 2 of the RaceFuzzer paper: statements 8 and 10 ---- */

THREAD(figure_2_first) {
    RF_GUARD(&lock) {
        for (int i = 0; i < 5; i++) RF_STORE(work, i);
    }
    RF_BREAKPOINT("8 and 10", &x);
    if (RF_RACY_LOAD(x) == 0) RF_FAIL("ERROR");
}

THREAD(figure_2_second) {
    RF_BREAKPOINT("8 and 10", &x);
    RF_RACY_STORE(x, 1);
    RF_GUARD(&lock) RF_STORE(work, 7);
}

RF_TEST(figure_2) { run_two(figure_2_first, figure_2_second); }
RF_TEST(figure_2_expected, .expect = RF_EXPECT_FAILURE) {
    run_two(figure_2_first, figure_2_second);
}
RF_TEST(figure_2_otherwise_expected, .expect = RF_EXPECT_DEADLOCK) {
    run_two(figure_2_first, figure_2_second);
}

/* ---- who goes first ---- */

THREAD(reads_after) {
    RF_BREAKPOINT("order", NULL);
    saw[0] = RF_RACY_LOAD(x);
}

THREAD(reads_first) {
    RF_BREAKPOINT_FIRST("order", NULL);
    saw[0] = RF_RACY_LOAD(x);
}

THREAD(writes_after) {
    RF_BREAKPOINT("order", NULL);
    RF_RACY_STORE(x, 1);
}

THREAD(writes_first) {
    RF_BREAKPOINT_FIRST("order", NULL);
    RF_RACY_STORE(x, 1);
}

static void fail_if_read(int value) {
    if (saw[0] == value) RF_FAIL("read %d", value);
}

RF_TEST(reader_first) {
    run_two(reads_first, writes_after);
    fail_if_read(0);
}

RF_TEST(writer_first) {
    run_two(reads_after, writes_first);
    fail_if_read(0);
}

RF_TEST(neither_first) {
    run_two(reads_after, writes_after);
    fail_if_read(0);
}

RF_TEST(both_first) {
    run_two(reads_first, writes_first);
    fail_if_read(0);
}

static void fail_if_x_is(int value) {
    if (x == value) RF_FAIL("x is %d", value);
}

/* The one that goes first needs what the other one holds. */
THREAD(locks_first) {
    RF_BREAKPOINT_FIRST("order", NULL);
    RF_GUARD(&lock) RF_STORE(x, 1);
}

THREAD(holds) {
    RF_GUARD(&lock) {
        RF_BREAKPOINT("order", NULL);
        RF_STORE(x, 2);
    }
}

RF_TEST(first_needs_the_other) {
    run_two(locks_first, holds);
    fail_if_x_is(2);
}

/* A third thread does not get between. */
THREAD(meddles) {
    for (int i = 0; i < 6; i++) RF_RACY_STORE(x, 10 + i);
}

THREAD(writes_1_first) {
    RF_BREAKPOINT_FIRST("order", NULL);
    RF_RACY_STORE(y, RF_RACY_LOAD(x));
}

THREAD(writes_1) {
    RF_BREAKPOINT("order", NULL);
    RF_RACY_STORE(x, 1);
}

RF_TEST(meddled) {
    x = y = 0;
    rf_thread m = RF_THREAD(meddles, NULL), a = RF_THREAD(writes_1_first, NULL),
              b = RF_THREAD(writes_1, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_JOIN(m);
    if (y == 1) RF_FAIL("the second one was faster");
}

/* ---- a lost update: behind the breakpoint both read before one of them writes ---- */

THREAD(adds) {
    RF_BREAKPOINT("update", &x);
    RF_RACY_STORE(x, RF_RACY_LOAD(x) + 1);
}

RF_TEST(update) {
    run_two(adds, adds);
    fail_if_x_is(1);
}

/* ---- who meets whom ---- */

THREAD(at_x) { RF_BREAKPOINT("where", &x); }

THREAD(at_y) { RF_BREAKPOINT("where", &y); }

THREAD(anywhere) { RF_BREAKPOINT("where", NULL); }

THREAD(elsewhere) { RF_BREAKPOINT("elsewhere", &x); }

RF_TEST(same_address) { run_two(at_x, at_x); }
RF_TEST(other_address) { run_two(at_x, at_y); }
RF_TEST(no_address) { run_two(at_x, anywhere); }
RF_TEST(other_name) { run_two(at_x, elsewhere); }

RF_TEST(one_thread_twice) {
    (void)at_x(NULL);
    (void)at_x(NULL);
}

/* The two are in order: they come there, never at once. */
RF_TEST(one_after_the_other) {
    (void)at_x(NULL);
    RF_JOIN(RF_THREAD(at_x, NULL));
}

RF_TEST(three_threads) { lab_three(at_x, at_y, at_x); }

/* The first thread and another come to one address, in order; those that stand there at once come
 * to two. */
RF_TEST(address_apart) {
    (void)at_x(NULL);
    run_two(at_x, at_y);
}

THREAD(at_two) {
    RF_BREAKPOINT("one", &x);
    RF_BREAKPOINT("two", &x);
}

RF_TEST(two_names) { run_two(at_two, at_two); }

/* ---- loops ---- */

enum { VISITS = 5000 };

THREAD(visits_x) {
    for (int i = 0; i < VISITS; i++) RF_BREAKPOINT("loop", &x);
}

THREAD(visits_x_last) {
    for (int i = 0; i < VISITS; i++) RF_BREAKPOINT("loop", &y);
    RF_BREAKPOINT("loop", &x);
}

THREAD(visits_y) {
    for (int i = 0; i < VISITS; i++) RF_BREAKPOINT("loop", &y);
}

RF_TEST(loops_meet) { run_two(visits_x, visits_x); }
RF_TEST(loops_never_meet) { run_two(visits_x, visits_y); }
RF_TEST(loop_meets_at_its_end) { run_two(visits_x, visits_x_last); }

/* Spins until the other one, which is paused at each round, is through. */
THREAD(visits_until_done) {
    for (int i = 0; i < VISITS; i++) RF_BREAKPOINT("loop", &x);
    RF_RACY_STORE(y, 1);
}

THREAD(spins) {
    while (!RF_RACY_LOAD(y)) RF_YIELD();
    RF_BREAKPOINT("loop", &x);
}

RF_TEST(loop_and_spinner) { run_two(visits_until_done, spins); }

/* ---- what is checked ---- */

enum { N = 1000 };

/* The warning about the breakpoint at index i of those that a study has; NULL: there is none. */
static const rfi_warning *breakpoint(const rfi_study *s, uint32_t i) {
    for (uint32_t k = 0; k < s->result.warnings; k++)
        if (s->result.warning[k].family == RF_FAMILY_BREAKPOINT && !i--)
            return &s->result.warning[k];
    return NULL;
}

static const rfi_warning *study(const char *test, const char *executions, const char *grain) {
    return breakpoint(lab_study(test, executions, grain, NULL), 0);
}

static void test_figure_2(void) {
    for (unsigned fine = 0; fine < 2; fine++) {
        const char *grain = fine ? "--granularity=fine" : "--granularity=coarse";
        const rfi_warning *w = study("figure_2", "--executions=1000", grain);
        LAB_CHECK("statements 8 and 10 of figure 2 are predicted, and hit with probability 1",
                  w && w->executions == N && w->hits == N);
        lab_share("the error of figure 2 follows half of the hits", w ? w->failed : 0, N, 0.5);
    }
    const rfi_study *s = lab_study("figure_2", NULL);
    LAB_CHECK("a failure after a hit makes the test fail",
              !s->result.passed && s->result.harmful == 1 && s->result.found == RF_EXPECT_FAILURE);
    s = lab_study("figure_2_expected", NULL);
    LAB_CHECK("a failure after a hit can be expected by its own kind",
              s->result.passed && s->result.harmful == 1);
    s = lab_study("figure_2_otherwise_expected", NULL);
    LAB_CHECK("a failure after a hit is not expected by another kind",
              !s->result.passed && s->result.missing == RF_EXPECT_DEADLOCK);
}

static void test_order_of(const char *name, const char *test, double share) {
    for (unsigned fine = 0; fine < 2; fine++) {
        const rfi_warning *w =
            study(test, "--executions=1000", fine ? "--granularity=fine" : "--granularity=coarse");
        if (!LAB_CHECK("the two meet", w && w->hits == N)) return;
        lab_share(name, w->failed, N, share);
    }
}

static void test_order(void) {
    test_order_of("the reader at RF_BREAKPOINT_FIRST reads before the other writes", "reader_first",
                  1);
    test_order_of("the writer at RF_BREAKPOINT_FIRST writes before the other reads", "writer_first",
                  0);
    test_order_of("a coin decides when neither is the first", "neither_first", 0.5);
    test_order_of("a coin decides when both are the first", "both_first", 0.5);
    test_order_of("the first one that needs what the other one holds lets it go on",
                  "first_needs_the_other", 0);
    test_order_of("a third thread does not let the second one overtake", "meddled", 0);
    const rfi_warning *w = study("update", "--executions=4000", NULL);
    lab_share("of two updates behind a breakpoint one is lost in half of the executions",
              w ? w->failed : 0, 4000, 0.5);
}

static void test_meetings(void) {
    const rfi_warning *w = study("same_address", "--executions=1000", NULL);
    LAB_CHECK("two threads meet at one address", w && w->hits == N);
    LAB_CHECK("another address is another place", !study("other_address", NULL, NULL));
    w = study("no_address", "--executions=1000", NULL);
    LAB_CHECK("NULL goes with every address", w && w->hits == N);
    LAB_CHECK("another name is another breakpoint", !study("other_name", NULL, NULL));
    LAB_CHECK("a thread does not meet itself", !study("one_thread_twice", NULL, NULL));
    const rfi_study *s = lab_study("one_after_the_other", NULL);
    w = breakpoint(s, 0);
    LAB_CHECK("a breakpoint that two threads never stand at at once is no finding",
              w && !w->hits && w->executions == N && s->result.passed && !s->result.potential);
    w = study("address_apart", "--executions=1000", NULL);
    LAB_CHECK("two that stand at two addresses do not meet", w && w->executions == N && !w->hits);
    w = study("three_threads", "--executions=1000", NULL);
    LAB_CHECK("of three threads the two at one address meet", w && w->hits == N);
    s = lab_study("two_names", NULL);
    LAB_CHECK("two names are two breakpoints, each hit in its half of the executions",
              breakpoint(s, 1) && !breakpoint(s, 2) && breakpoint(s, 0)->hits == N / 2 &&
                  breakpoint(s, 1)->hits == N / 2);
    LAB_CHECK("a breakpoint that is hit is no fault",
              s->result.passed && !s->result.real && !s->result.harmful);
}

static void test_loops(void) {
    static const struct {
        const char *test, *name;
        bool meet;
    } loops[] = {
        {"loops_meet", "two loops with 5,000 visits end and meet", true},
        {"loops_never_meet", "two loops with 5,000 visits that never meet end", false},
        {"loop_meets_at_its_end", "a loop may meet the last of another's 5,000 visits", true},
        {"loop_and_spinner", "a loop with 5,000 visits that another thread spins for ends", false},
    };
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        const rfi_study *s = lab_study(loops[i].test, "--executions=20", NULL);
        const rfi_warning *w = breakpoint(s, 0);
        printf("# %llu hits\n", (unsigned long long)(w ? w->hits : 0));
        LAB_CHECK(loops[i].name, s->result.passed && !s->causes && (w && w->hits) == loops[i].meet);
    }
}

static void test_replay(void) {
    (void)lab_study("figure_2", NULL);
    rfi_job j = lab_the_study.cases[0].job;
    rfi_record *r = &lab_campaign.team.here->record;
    char token[RFI_TOKEN_BYTES];
    rfi_plan p;
    rfi_job_arm(&j);
    rfi_job_plan(&j, true, &p);
    rfi_job_run(&j, &p, lab_the_study.cases[0].harm.index, r);
    rfi_token_write(&j, r->index, r, token);
    printf("# %s\n", token);
    LAB_CHECK("the token names the checker and the breakpoint",
              r->hit_count == 1 && r->failure.diagnostic == RF_DIAG_FAIL &&
                  strstr(token, ".breakpoint.") && strstr(token, ".p"));
}

int main(void) {
    test_figure_2();
    test_order();
    test_meetings();
    test_loops();
    test_replay();
    return lab_end();
}
