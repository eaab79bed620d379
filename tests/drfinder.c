/* DrFinder: which relations it collects, how often it shows hidden races beside random schedules,
 * that no escort hangs, that what it has learned is enough to replay.
 *
 * The probabilities hold for threads whose only steps are the statements listed: the body creates
 * all of them first, and entering a function is no step. */
#define RF_IMPLEMENTATION
#include "lab.h"
#include <math.h>

/* ---- the example of Figures 2 and 3, with `blocks` private locks before e6 and e9 ---- */

static rf_mutex k = RF_MUTEX_INIT, n = RF_MUTEX_INIT;
static rf_mutex o1 = RF_MUTEX_INIT, o2 = RF_MUTEX_INIT, o3 = RF_MUTEX_INIT;
static rf_mutex o4 = RF_MUTEX_INIT, o5 = RF_MUTEX_INIT;
static int x, y;
static unsigned blocks = 2;

static void f2(void) {
    RF_FUNC;
    RF_GUARD(&o1) {}
    RF_STORE(y, 1);
    RF_GUARD(&n) {}
}

static void *f1(void *arg) {
    RF_FUNC;
    RF_STORE(x, 1);
    RF_GUARD(&k) {}
    f2();
    return arg;
}

static void f5(void) {
    RF_FUNC;
    RF_GUARD(&n) {}
    RF_STORE(y, 2);
}

static void f4(void) {
    RF_FUNC;
    for (unsigned i = 0; i < blocks; i++) {
        if (i % 2) RF_GUARD(&o3) {
            }
        else
            RF_GUARD(&o2) {}
    }
    f5();
}

static void *f3(void *arg) {
    RF_FUNC;
    f4();
    return arg;
}

static void f8(void) {
    RF_FUNC;
    RF_GUARD(&k) {}
    RF_STORE(x, 2);
}

static void f7(void) {
    RF_FUNC;
    for (unsigned i = 0; i < blocks; i++) {
        if (i % 2) RF_GUARD(&o5) {
            }
        else
            RF_GUARD(&o4) {}
    }
    f8();
}

static void *f6(void *arg) {
    RF_FUNC;
    f7();
    return arg;
}

RF_TEST(chain) {
    rf_thread t[] = {RF_THREAD(f1, NULL), RF_THREAD(f3, NULL), RF_THREAD(f6, NULL)};
    for (unsigned i = 0; i < 3; i++) RF_JOIN(t[i]);
}

/* ---- an escort that leads nowhere ---- */

typedef enum way { TAKES, RETURNS, ENDS, BLOCKS, SPINS, LOOPS, WAYS } way;
static const char *const ways[] = {"takes the lock",        "returns", "ends",
                                   "waits for a condition", "spins",   "takes other locks"};
static way does; /* the thread that is escorted */
static rf_mutex wanted = RF_MUTEX_INIT, quiet = RF_MUTEX_INIT, guard = RF_MUTEX_INIT;
static rf_cond told = RF_COND_INIT;
static rf_atomic_int flag;
static int done;

static void quietly(void) {
    for (unsigned i = 0; i < 10; i++) RF_GUARD(&quiet) {
        }
}

static bool is_done(void) {
    bool is = false;
    RF_GUARD(&guard) is = RF_LOAD(done);
    return is;
}

static void does_it(void) {
    quietly();
    if (does == TAKES) RF_GUARD(&wanted) {
        }
    if (does == BLOCKS) RF_GUARD(&guard) while (!RF_LOAD(done)) RF_WAIT(&told, &guard);
    while (does == SPINS && !rf_atomic_load(&flag)) RF_SPIN_HINT();
    while (does == LOOPS && !is_done()) {
    }
}

static void may_take(void) {
    RF_FUNC;
    does_it();
}

static void *goes_first(void *arg) {
    may_take();
    if (does == RETURNS) quietly();
    return arg;
}

static void *goes_first_bare(void *arg) {
    does_it();
    return arg;
}

static void *asks(void *arg) {
    RF_GUARD(&wanted) {}
    if (does == SPINS) rf_atomic_store(&flag, 1);
    if (does != BLOCKS && does != LOOPS) return arg;
    RF_GUARD(&guard) RF_STORE(done, 1);
    if (does == BLOCKS) RF_SIGNAL(&told);
    return arg;
}

static void *(*first)(void *);

RF_TEST(escort, .no_spurious = true) {
    RF_STORE(done, 0);
    rf_atomic_store(&flag, 0);
    rf_thread a = RF_THREAD(first, NULL), b = RF_THREAD(asks, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* ---- a second phase that only the reversed order enters ---- */

static rf_mutex late = RF_MUTEX_INIT;
static int reversed;

static void second(void) {
    RF_FUNC;
    RF_GUARD(&late) {}
}

static void *reads_first(void *arg) {
    RF_FUNC;
    bool is = false;
    RF_GUARD(&k) is = RF_LOAD(reversed);
    if (is) second();
    return arg;
}

static void *writes_later(void *arg) {
    RF_FUNC;
    for (unsigned i = 0; i < 20; i++) RF_GUARD(&quiet) {
        }
    RF_GUARD(&k) RF_STORE(reversed, 1);
    return arg;
}

RF_TEST(phases) {
    RF_STORE(reversed, 0);
    rf_thread a = RF_THREAD(reads_first, NULL), b = RF_THREAD(writes_later, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* ---- no scopes at all ---- */

static void *early_write(void *arg) {
    RF_STORE(x, 1);
    RF_GUARD(&k) {}
    return arg;
}

static void *late_write(void *arg) {
    for (unsigned i = 0; i < 20; i++) RF_GUARD(&quiet) {
        }
    RF_GUARD(&k) {}
    RF_STORE(x, 2);
    return arg;
}

RF_TEST(bare) {
    rf_thread a = RF_THREAD(early_write, NULL), b = RF_THREAD(late_write, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* ---- what makes a class of locks ---- */

static void made(const char *name, rf_mutex *m) {
    RF_FUNC;
    rf_mutex_init(m, name, 0);
    RF_GUARD(m) {}
}

RF_TEST(classes) {
    rf_mutex named[2], other, unnamed[2];
    for (unsigned i = 0; i < 2; i++) made("shelf", &named[i]);
    made("drawer", &other);
    for (unsigned i = 0; i < 2; i++) made(NULL, &unnamed[i]);
    RF_GUARD(&o1) {}
    RF_GUARD(&o2) {}
}

/* ---- a lock that is taken everywhere ---- */

static rf_mutex logger = RF_MUTEX_INIT;
static unsigned functions; /* that take it */

#define LOGS(i)               \
 static void logs_##i(void) { \
  RF_FUNC;                    \
  RF_GUARD(&logger) {}        \
 }
LOGS(0)
LOGS(1)
LOGS(2)
LOGS(3)
LOGS(4)
LOGS(5)
LOGS(6)

static void *logs(void *arg) {
    static void (*const all[])(void) = {logs_0, logs_1, logs_2, logs_3, logs_4, logs_5, logs_6};
    for (unsigned i = 0; i < functions; i++) all[i]();
    return arg;
}

RF_TEST(everywhere) {
    rf_thread a = RF_THREAD(logs, NULL), b = RF_THREAD(logs, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* ---- running them ---- */

static uint32_t depth = 12; /* drfinder's parameter */
static rfi_lessons lessons;
static rfi_job job;
static rfi_plan plan;
static rfi_record *record;

/* The executions that follow are of this test. */
static void set_up(const char *test, const rf_strategy *s, bool trace) {
    lab_open();
    record = &lab_campaign.team.here->record;
    job = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    job.strategy = s;
    job.parameter = depth;
    job.analyses = rfi_analysis_bit("fasttrack") | rfi_analysis_bit("hybrid");
    rfi_job_arm(&job);
    rfi_job_plan(&job, trace, &plan);
    rfi_tally_reset(&lab_tally);
    rfi_sink_tally = &lab_tally;
}

static void run(uint32_t i) { rfi_job_run(&job, &plan, i, record); }

/* Runs an execution that teaches. */
static void teach(uint32_t i) {
    rfi.lessons = &lessons;
    run(i);
    rfi.lessons = NULL;
    lessons.used += rfi_lesson_size(rfi_lesson_at(&lessons, lessons.used)->bytes);
}

/* They were a batch. */
static void learn_all(void) {
    for (uint32_t at = 0; at < lessons.used;) {
        const rfi_lesson *l = rfi_lesson_at(&lessons, at);
        if (job.strategy->learn) job.strategy->learn(l + 1, l->bytes);
        at += rfi_lesson_size(l->bytes);
    }
    lessons.used = 0;
}

static void forget(void) {
    if (job.strategy->forget) job.strategy->forget();
}

static void learn(uint32_t from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) teach(from + i);
    learn_all();
}

/* In which share of `count` executions was there a race on that variable? */
static double seen(const char *variable, unsigned count) {
    for (uint32_t i = 0; i < lab_tally.warnings; i++)
        if (!strcmp(lab_tally.warning[i].side[0].site->text, variable))
            return (double)lab_tally.warning[i].seen / count;
    return 0;
}

/* ---- the relation ---- */

/* Is the pair in it?  `text`: "RF_FUNC" for a function, the function for the start of a thread. */
static bool related(const char *function, const char *text, const char *lock) {
    for (uint32_t i = 0; i < rfi_site_table.count; i++) {
        const rf_site *s = rfi_site_table.site[i];
        if (!s || strcmp(s->function, function) || strcmp(s->text, text)) continue;
        uint32_t class = (uint32_t)rfi_hash_text(lock) | 1;
        return rfi_map_find(&rfi_drfinder_knows.pairs,
                            rfi_drfinder_pair(rfi_drfinder_scope(s), class)) != NULL;
    }
    return false;
}

/* Does it hold exactly these pairs, and this many of starts of threads? */
static bool relation_is(const char *const *of, uint32_t starts) {
    static const char *const lock[] = {"k", "n", "o1", "o2", "o3", "o4", "o5"};
    uint32_t count = starts;
    for (unsigned f = 0; f < 8; f++)
        for (unsigned c = 0; c < 7; c++) {
            const char name[] = {'f', (char)('1' + f), 0};
            bool expected = strstr(of[f], lock[c]) != NULL;
            if (related(name, "RF_FUNC", lock[c]) != expected) return false;
            count += expected;
        }
    return rfi_drfinder_knows.pairs.used == count;
}

static void relations(void) {
    static const char *const deep[] = {"k o1 n", "o1 n",    "o2 o3 n", "o2 o3 n",
                                       "n",      "o4 o5 k", "o4 o5 k", "k"};
    static const char *const two[] = {"k o1 n", "o1 n",  "o2 o3",   "o2 o3 n",
                                      "n",      "o4 o5", "o4 o5 k", "k"};
    static const char *const one[] = {"k", "o1 n", "", "o2 o3", "n", "", "o4 o5", "k"};
    static const struct {
        const char *name;
        uint32_t depth;
        const char *const *of;
        uint32_t starts;
    } row[] = {{"relation_at_depth_12", 12, deep, 9},
               {"relation_at_depth_3", 3, deep, 7},
               {"relation_at_depth_2", 2, two, 1},
               {"relation_at_depth_1", 1, one, 0}};
    for (unsigned i = 0; i < 4; i++) {
        depth = row[i].depth;
        set_up("chain", &rfi_drfinder, false);
        forget();
        learn(i, 1);
        lab_check(relation_is(row[i].of, row[i].starts), row[i].name, "other pairs");
    }
    depth = 12;
    set_up("chain", &rfi_drfinder, false);
    learn(0, 1);
    LAB_CHECK("threads_start_in_a_scope", related("rf_test_chain", "f1", "k"));
}

static void classes(void) {
    set_up("classes", &rfi_drfinder, false);
    forget();
    learn(0, 1);
    /* shelf, drawer, those without a name, o1, o2 */
    LAB_CHECK("names_statements_and_variables_make_classes", rfi_drfinder_knows.count == 5);
}

static void left_out(void) {
    uint64_t asked[2];
    set_up("everywhere", &rfi_drfinder, false);
    for (unsigned i = 0; i < 2; i++) {
        functions = i ? 7 : 4; /* and the start of the threads */
        forget();
        learn(0, 1);
        learn(1, 50);
        asked[i] = rfi_drfinder_knows.asked;
    }
    LAB_CHECK("a_class_of_few_functions_makes_threads_wait", asked[0] > 50);
    LAB_CHECK("a_class_of_all_functions_does_not", !asked[1]);
    LAB_CHECK("it_is_counted", strstr(rfi_drfinder_summary(), "(1 of 1 classes are everywhere"));
}

/* ---- races ---- */

/* Shares of executions with a race on x and on y.  PCT knows the number of steps exactly. */
static void measure_example(const rf_strategy *s, uint32_t parameter, double share[2]) {
    enum { N = 20000 };
    depth = parameter;
    set_up("chain", s, false);
    forget();
    learn(0, 1);
    uint8_t steps[2] = {(uint8_t)record->steps, (uint8_t)(record->steps >> 8)};
    if (s == &rfi_pct) s->recall(steps, sizeof steps);
    rfi_tally_reset(&lab_tally);
    for (uint32_t i = 0; i < N; i++) run(i);
    share[0] = seen("x", N);
    share[1] = seen("y", N);
    depth = 12;
}

static void table_of_the_example(void) {
    enum { ROWS = 4, COLUMNS = 5 };
    static const unsigned private[ROWS] = {2, 5, 10, 20};
    static const struct {
        const rf_strategy *strategy;
        uint32_t parameter;
        double share[ROWS][2]; /* below 0: not known; it must be below drfinder's */
    } column[COLUMNS] = {
        {&rfi_drfinder, 12, {{0.949, 0.198}, {1.000, 0.912}, {1.000, 1.000}, {1.000, 1.000}}},
        {&rfi_random, 0, {{0.110, 0.730}, {0.003, 0.168}, {0.000, 0.003}, {0.000, 0.000}}},
        {&rfi_pct, 3, {{0.38, 0.58}, {0.28, 0.42}, {0.22, 0.31}, {0.18, 0.23}}},
        {&rfi_pct, 1, {{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}}},
        {&rfi_delay, 10, {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}},
    };
    for (unsigned r = 0; r < ROWS; r++) {
        double best = 0;
        blocks = private[r];
        for (unsigned c = 0; c < COLUMNS; c++) {
            double share[2];
            const double *p = column[c].share[r];
            char name[64], why[96];
            measure_example(column[c].strategy, column[c].parameter, share);
            snprintf(name, sizeof name, "%s_%u_with_%u_private_blocks", column[c].strategy->name,
                     column[c].parameter, blocks);
            snprintf(why, sizeof why, "x %.3f, expected %.3f; y %.3f, expected %.3f", share[0],
                     p[0], share[1], p[1]);
            printf("# %s: %s\n", name, why);
            bool right = share[0] < best;
            if (p[0] >= 0) right = fabs(share[0] - p[0]) < 0.02 && fabs(share[1] - p[1]) < 0.02;
            lab_check(right, name, why);
            if (!c) best = share[0];
        }
    }
    blocks = 2;
}

static void without_scopes(void) {
    enum { N = 1000 };
    double share[2];
    for (unsigned i = 0; i < 2; i++) {
        set_up("bare", i ? &rfi_drfinder : &rfi_random, false);
        forget();
        learn(0, 1);
        for (uint32_t j = 1; j <= N; j++) run(j);
        share[i] = seen("x", N);
    }
    LAB_CHECK("starts_of_threads_do_without_scopes", share[0] < 0.01 && share[1] == 1);
}

static void other_analyses(void) {
    set_up("chain", &rfi_drfinder, false);
    blocks = 20;
    forget();
    learn(0, 1);
    uint32_t predicted = lab_tally.warnings;
    LAB_CHECK("hybrid_predicts_without_the_reversal", predicted == 2 && seen("x", 1) == 0);
    rfi_tally_reset(&lab_tally);
    run(1);
    LAB_CHECK("fasttrack_sees_with_it", seen("x", 1) == 1 && seen("y", 1) == 1);
    blocks = 2;
}

/* ---- escorts ---- */

static void escorts(void) {
    enum { N = 300 };
    for (unsigned w = 0; w < WAYS; w++) {
        uint32_t bad = 0, in_vain = 0, asked = 0, endless = 0;
        char name[64], why[96];
        first = w == ENDS ? goes_first_bare : goes_first;
        does = TAKES;
        set_up("escort", &rfi_drfinder, false);
        forget();
        learn(0, 1);
        does = (way)w;
        for (uint32_t i = 1; i <= N; i++) {
            run(i);
            bad += record->failure.diagnostic != RF_DIAG_NONE;
            in_vain += rfi_drfinder_run.thrash;
            asked += rfi_drfinder_run.asked;
            endless += rfi_drfinder_run.thrash > 1;
        }
        snprintf(why, sizeof why, "%u failed, %u of %u escorts in vain, %u twice", bad, in_vain,
                 asked, endless);
        printf("# %s: %s\n", ways[w], why);
        snprintf(name, sizeof name, "escort_of_one_that_%s", ways[w]);
        for (char *c = name; *c; c++) *c = *c == ' ' ? '_' : *c;
        lab_check(!bad && !endless && asked > N / 2 && in_vain == (w == TAKES ? 0 : asked), name,
                  why);
    }
}

/* ---- what is learned, and when ---- */

static void feedback(void) {
    set_up("phases", &rfi_drfinder, false);
    forget();
    learn(0, 1);
    LAB_CHECK("the_first_batch_does_not_enter_the_second_phase",
              !related("second", "RF_FUNC", "late") && related("reads_first", "RF_FUNC", "k"));
    learn(1, 1);
    LAB_CHECK("the_next_one_does",
              related("second", "RF_FUNC", "late") && related("reads_first", "RF_FUNC", "late"));
}

static void batches(void) {
    set_up("phases", &rfi_drfinder, false);
    forget();
    teach(0);
    set_up("bare", &rfi_drfinder, false);
    teach(1);
    learn_all();
    LAB_CHECK("the_executions_of_a_batch_are_united",
              related("writes_later", "RF_FUNC", "quiet") &&
                  related("rf_test_bare", "late_write", "quiet"));
    learn(2, 2);
    LAB_CHECK("the_next_batch_replaces_them", !related("writes_later", "RF_FUNC", "quiet") &&
                                                  related("rf_test_bare", "late_write", "quiet"));
}

/* What an execution has used is enough to repeat it. */
static void replays(void) {
    enum { N = 200 };
    static uint8_t used[N][RF_USED_BYTES];
    static uint32_t bytes[N];
    static uint64_t course[N];
    uint32_t differ = 0, differ_without = 0, longest = 0, queries = 0;
    set_up("chain", &rfi_drfinder, true);
    forget();
    for (uint32_t i = 0; i < N; i++) { /* the first ones know nothing */
        if (i == 10) learn(0, 1);
        run(i);
        course[i] = record->course;
        memcpy(used[i], record->used, bytes[i] = record->used_bytes);
        if (bytes[i] > longest) longest = bytes[i];
        queries += bytes[i] > 1;
    }
    for (uint32_t i = N; i--;) {
        forget();
        run(i);
        differ_without += record->course != course[i];
        rfi_drfinder_recall(used[i], bytes[i]);
        run(i);
        differ += record->course != course[i] || record->used_bytes != bytes[i];
    }
    printf("# %u of %u differ without, %u with; at most %u bytes, %u made somebody wait\n",
           differ_without, N, differ, longest, queries);
    LAB_CHECK("a_replay_needs_only_what_was_used", !differ && differ_without > N / 2);
    LAB_CHECK("that_is_short", queries > N / 2 && longest <= 1 + 4 * 8);
}

/* ---- whole campaigns, in processes of their own ---- */

/* What this program prints as an ordinary test program, without the time that it took. */
static const char *campaign(const char *self, const char *seed, const char *arguments) {
    static char said[2][16384];
    static unsigned which;
    char *out = said[which++ % 2], command[1024];
    snprintf(command, sizeof command,
             "NO_COLOR=1 RF_SECONDS=none %s%s %s %s 2>&1 | sed 's/ in [0-9.]* s//; s/--jobs=.//'",
             seed ? "RF_SEED=" : "", seed ? seed : "", self, arguments);
    FILE *f = popen(command, "r");
    size_t got = f ? fread(out, 1, sizeof said[0] - 1, f) : 0;
    out[got] = 0;
    if (f) pclose(f);
    return out;
}

static void campaigns(const char *self) {
    static const char options[] = "bare --detect=fasttrack --executions=40 --strategy=";
    char arguments[128], token[512] = "";
    snprintf(arguments, sizeof arguments, "%srandom", options);
    bool random = strstr(campaign(self, NULL, arguments), "race: real (test bare)") != NULL;
    snprintf(arguments, sizeof arguments, "%sdrfinder --jobs=1", options);
    const char *one = campaign(self, NULL, arguments);
    LAB_CHECK("a_campaign_shows_what_random_schedules_do_not",
              !random && strstr(one, "race: real (test bare)"));
    const char *at = strstr(one, "RF_SEED=");
    if (at) sscanf(at, "RF_SEED=%511s", token);
    snprintf(arguments, sizeof arguments, "%sdrfinder --jobs=3", options);
    lab_check(!strcmp(one, campaign(self, NULL, arguments)), "any_number_of_jobs_does_the_same",
              one);
    const char *again = campaign(self, token, "");
    lab_check(strstr(token, ".drfinder.") && strstr(token, ".l") &&
                  strstr(again, "race: nothing orders drfinder.c"),
              "its_token_replays_it", again);
    printf("# %s\n", token);
}

int main(int argc, char **argv) {
    if (argc > 1 || getenv("RF_SEED")) return rf_run(NULL, argc, argv);
    relations();
    classes();
    left_out();
    table_of_the_example();
    without_scopes();
    other_analyses();
    escorts();
    feedback();
    batches();
    replays();
    campaigns(argv[0]);
    return lab_end();
}
