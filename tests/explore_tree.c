/* dfs, bounded, delay-bounded and dpor: published and derived counts, replays, values, spinners,
 * invariants, and what they say when they can't go through everything.
 *
 * Programs detach their threads where the counts are those of the threads alone: a join is a step.
 */
#define RF_IMPLEMENTATION
#include "explore_tree.h"
#include "programs.h"
#include "families.h"

static found all, some;
static int x, y;

static bool counted(bool done, const char *name, uint64_t got, uint64_t want) {
    snprintf(why, sizeof why, "%llu instead of %llu%s", (unsigned long long)got,
             (unsigned long long)want, done ? "" : ", and no end");
    return lab_check(done && got == want, name, why);
}

static bool explored(const rf_strategy *s, const char *program, uint32_t most, found *f) {
    script_is(program, true);
    return explore(s, "script", most, f);
}

/* ---- schedules: how many, how many fail, by number of preemptions ---- */

/* One more than $ threads. */
#define MANY(thread) "body: start; detach; times $ { again; detach } |" thread
#define WRITER_AND_READERS \
 "body: start; detach; start; detach; times $ { again; detach } | W x 1 | R x"

static const struct count {
    const char *name, *program;
    uint32_t schedules, failed;
    uint32_t at[5], failed_at[5];
} counts[] = {
    {"lost update", UPDATE_ALONE, 6, 4, {2, 2, 2}, {0, 2, 2}},
    {"check act", ALONE(Y_IS_1, CHECK_ACT), 3, 1, {2, 1}, {0, 1}},
    {"inversion", ALONE("", INVERSION), 6, 2, {2, 4}, {0, 2}},
    {"string buffer", ALONE(Y_IS_5, STRING_BUFFER), 9, 1, {2, 5, 2}, {0, 1, 0}},
    {"figure 1", ALONE("", FIGURE_1), 31, 30, {2, 7, 9, 10, 3}, {1, 7, 9, 10, 3}},
    {"figure 2", ALONE("", FIGURE_2), 34, 1, {2, 8, 10, 14}, {1}},
};

CASE(test_counts) {
    for (const struct count *c = counts; c < counts + RFI_LENGTH(counts); c++) {
        bool done = explored(&rfi_dfs, c->program, 1000, &all);
        LAB_CHECK(named("%s: as many schedules, and failures, as there are", c->name),
                  done && all.executions == c->schedules && all.failed == c->failed);
        LAB_CHECK(named("%s: as many by number of preemptions", c->name),
                  !memcmp(all.at, c->at, sizeof c->at) &&
                      !memcmp(all.failed_at, c->failed_at, sizeof c->failed_at));
        for (rfi_bounded_most = 0; rfi_bounded_most < 4; rfi_bounded_most++) {
            uint32_t least = 0, failed = 0;
            for (uint32_t k = 0; k <= rfi_bounded_most; k++) {
                least += c->at[k];
                failed += c->failed_at[k];
            }
            done = explored(&rfi_bounded, c->program, 1000, &some);
            LAB_CHECK(named("%s: those with at most %u preemptions", c->name, rfi_bounded_most),
                      done && some.executions == least && some.failed == failed);
            LAB_CHECK(named("%s: and it is known whether these are all", c->name),
                      rfi_tree_complete(&rfi_bounded_tree) == (least == c->schedules));
        }
    }
}

static uint32_t binomial(uint32_t n, uint32_t k) {
    uint32_t c = 1;
    if (k > n) return 0;
    for (uint32_t i = 1; i <= k; i++) c = c * (n - k + i) / i;
    return c;
}

/* Two threads. */
static const char *private_steps(uint32_t a, uint32_t b) {
    static char text[64];
    snprintf(text, sizeof text, ALONE("", "own %u | own %u"), a, b);
    return text;
}

CASE(test_private_steps) {
    static const char *const stops[][2] = {{"yielded", ALONE("", "own 1; yield; own 1 | own 1")},
                                           {"slept", ALONE("", "own 1; sleep 1; own 1 | own 1")}};
    rfi_bounded_most = RFI_LEVELS - 1;
    for (uint32_t a = 1; a <= 5; a++)
        for (uint32_t b = 1; b <= 5; b++) {
            const char *program = private_steps(a, b);
            uint32_t wrong = 0;
            bool done = explored(&rfi_dfs, program, 1000, &all);
            counted(done, named("%u and %u private steps: %u schedules", a, b, binomial(a + b, a)),
                    all.executions, binomial(a + b, a));
            (void)explored(&rfi_bounded, program, 1000, &some);
            for (uint32_t c = 0; c < RFI_LEVELS; c++) {
                uint32_t more = (c + 1) / 2, less = c / 2;
                uint32_t n = binomial(a - 1, more) * binomial(b - 1, less) +
                             binomial(b - 1, more) * binomial(a - 1, less);
                wrong += rfi_bounded_tree.at_level[c] != n || some.at[c] != n;
            }
            LAB_CHECK("and as many by number of preemptions", !wrong);
            done = explored(&rfi_dpor, program, 1000, &some);
            counted(done, "and one partial order", some.executions, 1);
        }
    for (script_number = 1; script_number <= 2; script_number++) {
        bool done = explored(&rfi_dfs, MANY("lock l; own 1; unlock l"), 1000, &all);
        counted(done, "threads in turn", all.executions, script_number == 1 ? 2 : 6);
        counted(true, "none of them preempted", all.at[0], all.executions);
    }
    for (uint32_t i = 0; i < 2; i++) {
        rfi_bounded_most = 0;
        bool done = explored(&rfi_bounded, stops[i][1], 1000, &some);
        counted(done, named("to leave a thread that has just %s is free", stops[i][0]),
                some.executions, 3);
    }
}

/* ---- partial orders: published programs ---- */

/* Flanagan, Godefroid, POPL 2005; families.h has others. */
static int inode[32], inode_block[26];
static rf_mutex lock_of_inode[32], lock_of_block[26];

static void *make_inode(void *number) {
    uintptr_t i = (uintptr_t)number % 32;
    RF_LOCK(&lock_of_inode[i]);
    if (RF_LOAD(inode[i]) == 0)
        for (uintptr_t b = i * 2 % 26, had = 0; !had; b = (b + 1) % 26) {
            RF_LOCK(&lock_of_block[b]);
            if (!RF_LOAD(inode_block[b])) {
                RF_STORE(inode_block[b], 1);
                RF_STORE(inode[i], (int)b + 1);
                had = 1;
            }
            RF_UNLOCK(&lock_of_block[b]);
        }
    RF_UNLOCK(&lock_of_inode[i]);
    return number;
}

RF_TEST(filesystem) {
    memset(inode, 0, sizeof inode);
    memset(inode_block, 0, sizeof inode_block);
    for (uintptr_t i = 0; i < width; i++) RF_DETACH(RF_THREAD(make_inode, (void *)i));
}

CASE(test_partial_orders) {
    static const struct {
        const char *test; /* its name, or a program, with more than $ threads */
        uint32_t width, orders;
    } known[] = {
        {MANY("W x 1"), 1, 2},   {MANY("W x 1"), 2, 6},      {MANY("W x 1"), 4, 120},
        {MANY("W x 1"), 5, 720}, {WRITER_AND_READERS, 1, 4}, {WRITER_AND_READERS, 7, 256},
        {MANY("own 2"), 99, 1},  {"lastzeros", 6, 64},       {"lastzeros", 11, 3328},
        {"filesystem", 14, 2},   {"filesystem", 16, 8},      {"filesystem", 18, 32},
        {"filesystem", 19, 64},  {"indexers", 11, 1},        {"indexers", 12, 8},
        {"indexers", 13, 64},
    };
    for (uint32_t i = 0; i < RFI_LENGTH(known); i++) {
        script_number = width = known[i].width;
        bool program = strchr(known[i].test, ':');
        if (program) script_is(known[i].test, true);
        bool done = explore(&rfi_dpor, program ? "script" : known[i].test, 100000, &some);
        counted(done && !rfi_dpor_traces.flaw,
                named("%s(%u): %u partial orders", known[i].test, width, known[i].orders),
                rfi_dpor_traces.explored, known[i].orders);
        printf("# and %llu executions blocked\n", (unsigned long long)rfi_dpor_traces.blocked);
    }
}

/* ---- values, spinners, time-outs, invariants ---- */

static uint32_t values_seen;

THREAD(read_x) { (void)RF_LOAD(x); }
THREAD(write_x) { RF_STORE(x, 1); }

THREAD(chooser) {
    uint32_t a = RF_CHOOSE(3), b = RF_CHOOSE(2);
    RF_STORE(x, (int)a);
    if (a == 2) b += RF_CHOOSE(4);
    values_seen |= 1u << (a * 5 + b);
}

RF_TEST(chooses) {
    if (RF_CHOOSE(2)) RF_DETACH(RF_THREAD(read_x, NULL));
    RF_DETACH(RF_THREAD(chooser, NULL));
}

/* Two that spin in turn may do so for ever; these give up. */
#define LOOKS "times 2 { load f; until = 1; hint }"
/* Both signalled, one or the other, none: which also shows that a signal may come too late. */
#define WAITS_FOR_A_WHILE "lock l; timedwait c l 5; if = 1 { W x 1 }; unlock l"
#define THREE(threads)    "body: start; detach; start; detach; start; detach |" threads
#define TWO_SPINNERS      THREE(LOOKS "|" LOOKS "| own 2; store f 1")
#define TIME_OUTS                                  \
 THREE(WAITS_FOR_A_WHILE "|" WAITS_FOR_A_WHILE "|" \
                         "lock l; signal c; unlock l")

static bool in_order(void *arg) {
    (void)arg;
    return !x || y;
}

THREAD(write_y) { RF_STORE(y, 1); }

/* x and y are written in any order; the state between is no end of an execution. */
RF_TEST(between) {
    x = y = 0;
    RF_INVARIANT(in_order, NULL);
    run_two(write_y, write_x);
}

CASE(test_choices) {
    static const char *const tests[][2] = {
        {"spinner", ALONE("", "loop { load f; until = 1; hint } | own 2; store f 1")},
        {"two spinners", TWO_SPINNERS},
        {"time-outs", TIME_OUTS}};
    lab_tree.traced = false;
    bool done = explore(&rfi_dpor, "chooses", 1000, &some);
    counted(done, "every value of RF_CHOOSE, and every order", some.executions, 12 + 24);
    LAB_CHECK("all values were seen", values_seen == 0x7c63);
    lab_tree.traced = true;
    for (uint32_t i = 0; i < RFI_LENGTH(tests); i++) {
        done = explored(&rfi_dfs, tests[i][1], 20000, &all) &&
               explored(&rfi_dpor, tests[i][1], 20000, &some);
        printf("# %u executions instead of %u, %u partial orders\n", some.executions,
               all.executions, all.traces.count);
        LAB_CHECK(named("%s: dpor shows what all schedules show", tests[i][0]),
                  done && traces_same(&all.traces, &some.traces) && all.traces.count > 1 &&
                      !rfi_dpor_traces.flaw && !rfi_dfs_tree.flaw);
    }
    done = explore(&rfi_dpor, "between", 1000, &some);
    LAB_CHECK("an invariant sees the states in between", done && some.failed);
}

/* ---- replays ---- */

CASE(test_replays) {
    static const rf_strategy *const strategies[] = {&rfi_dfs, &rfi_bounded, &rfi_delay_bounded,
                                                    &rfi_dpor};
    static const char *const tests[][2] = {{"figure 1", ALONE("", FIGURE_1)},
                                           {"string buffer", ALONE(Y_IS_5, STRING_BUFFER)},
                                           {"time-outs", TIME_OUTS},
                                           {"two spinners", TWO_SPINNERS}};
    rfi_bounded_most = rfi_delays_most = 3;
    lab_tree.traced = true;
    for (uint32_t i = 0; i < RFI_LENGTH(strategies); i++)
        for (uint32_t k = 0; k < RFI_LENGTH(tests); k++) {
            const rf_strategy *s = strategies[i];
            (void)explored(s, tests[k][1], MOST_KEPT, &all);
            LAB_CHECK(named("%s, %s: what was used replays", s->name, tests[k][0]),
                      explored_again(s, "script", all.executions));
        }
    for (uint32_t i = 0; i < RFI_LENGTH(strategies); i++) {
        (void)explore(strategies[i], "chooses", MOST_KEPT, &all);
        LAB_CHECK(named("%s, values: what was used replays", strategies[i]->name),
                  explored_again(strategies[i], "chooses", all.executions));
    }
    (void)explored(&rfi_dfs, UPDATE_ALONE, 1, &all);
    LAB_CHECK("the first execution is told in a byte", lab_tree.kept[0].bytes == 1);
    lab_tree.traced = false;
}

/* ---- what can't be gone through ---- */

static uint32_t runs;

THREAD(moody) {
    int mine;
    if (runs++ % 3) RF_STORE(mine, 1);
    RF_STORE(x, 1);
}

RF_TEST(unrepeatable) {
    RF_DETACH(RF_THREAD(moody, NULL));
    RF_DETACH(RF_THREAD(write_x, NULL));
}

static bool says(const char *said, const char *what) { return said && strstr(said, what); }

CASE(test_flaws) {
    static const rf_strategy *const strategies[] = {&rfi_dfs, &rfi_bounded, &rfi_delay_bounded,
                                                    &rfi_dpor};
    char name[96];
    for (uint32_t i = 0; i < RFI_LENGTH(strategies); i++) {
        const rf_strategy *s = strategies[i];
        runs = 0;
        bool done = explore(s, "unrepeatable", 1000, &some);
        LAB_CHECK(named("%s: a test that does not repeat comes to an end", s->name),
                  done && some.executions > 1);
        LAB_CHECK(named("%s: and nothing is claimed", s->name),
                  says(s->summary(), "not known to be all: the same choices led elsewhere"));
        script_number = s == &rfi_dpor ? 5000 : 20000;
        (void)explored(s, ALONE("", "own $ | own $"), 3, &some);
        snprintf(name, sizeof name, "%s: executions that are too long run, without a claim",
                 s->name);
        if (s != &rfi_dpor) LAB_CHECK(name, some.executions == 3);
        LAB_CHECK(name, says(s->summary(), "some have more choices than can be kept"));
    }
}

CASE(test_sentences) {
    const char *program = private_steps(5, 5);
    rfi_bounded_most = 2;
    (void)explored(&rfi_dfs, program, 1000, &some);
    LAB_CHECK(
        "dfs says that it has come to the end",
        says(rfi_dfs_summary(), "all 252 schedules explored under sequentially consistent memory"));
    (void)explored(&rfi_dfs, program, 10, &some);
    LAB_CHECK("and that it has not",
              says(rfi_dfs_summary(),
                   "10 schedules explored under sequentially consistent memory, there are more"));
    (void)explored(&rfi_bounded, program, 1000, &some);
    LAB_CHECK("bounded says up to what bound",
              says(rfi_bounded_summary(), "all 42 schedules with at most 2 preemptions explored "
                                          "under sequentially consistent memory"));
    (void)explored(&rfi_bounded, program, 20, &some);
    LAB_CHECK("and how far it is with the next one",
              says(rfi_bounded_summary(),
                   "all 10 schedules with at most 1 preemption explored under sequentially "
                   "consistent memory, and 10 with 2"));
    (void)explored(&rfi_dpor, program, 1000, &some);
    LAB_CHECK(
        "dpor says that there is nothing else",
        says(rfi_dpor_summary(),
             "1 partial order explored under sequentially consistent memory, there is no other"));
    width = 13;
    (void)explore(&rfi_dpor, "indexers", 1000, &some);
    LAB_CHECK("and counts those apart that were blocked",
              says(rfi_dpor_summary(), "all 64 partial orders explored under sequentially "
                                       "consistent memory (16 more executions were blocked)"));
    rfi_dpor_forget();
    LAB_CHECK("nothing was run, nothing is said", !rfi_dpor_summary());
}

/* ---- in worker processes ---- */

static int ended;

THREAD(crash_if_lost) {
    int t = RF_LOAD(x);
    RF_STORE(x, t + 1);
    if (++ended == 2 && x != 2) raise(SIGSEGV);
}

RF_TEST(crashes) {
    x = ended = 0;
    for (int i = 0; i < 2; i++) RF_DETACH(RF_THREAD(crash_if_lost, NULL));
}

CASE(test_crashes) {
    static const rf_strategy *const strategies[] = {&rfi_dfs, &rfi_bounded, &rfi_dpor};
    static const uint32_t executions[] = {6, 6, 4}, crashed[] = {4, 4, 2};
    static rfi_tally tally;
    rfi_team team = {.watchdog = 60};
    rfi_span span = {0, 1000};
    rfi_bounded_most = 3;
    rfi_team_open(&team, 1);
    rfi_team_listen(&team);
    for (uint32_t i = 0; i < RFI_LENGTH(strategies); i++) {
        rfi_job j = lab_job_of("crashes", RFI_PREDICT, LAB_FINE);
        j.strategy = strategies[i];
        j.parameter = rfi_parameter_default(j.strategy);
        j.spurious = false;
        j.memory.atomics = RF_MEM_SC;
        rfi_tally_reset(&tally);
        rfi_team_run(&team, &j, &span, &tally);
        printf("# %llu executions, %llu failed: %s\n", (unsigned long long)tally.executions,
               (unsigned long long)lab_failures(&tally), j.strategy->summary());
        LAB_CHECK(named("%s goes on after executions that kill their process", j.strategy->name),
                  tally.executions == executions[i] && lab_failures(&tally) == crashed[i] &&
                      says(j.strategy->summary(), "all "));
    }
    rfi_team_close(&team);
}

int main(void) { return lab_cases(); }
