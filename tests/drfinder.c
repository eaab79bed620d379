/* DrFinder: which relations it collects, how often it shows hidden races beside random schedules,
 * and that what it has learned is enough to replay.
 *
 * The probabilities hold for threads whose only steps are the statements listed: the body creates
 * all of them first, and entering a function is no step. */
#define RF_IMPLEMENTATION
#include "script.h"
#include "drfinder.h"
#include <math.h>

/* The example of Figures 2 and 3, with private blocks before e6 and e9; o1 to o5 are a to e. */
static const char *chain(unsigned blocks) {
    static char text[2048];
    rfi_text to = {text, text + sizeof text};
    rfi_append(&to,
               "body: start; start; start; join | func f1 { W x 1; lock k; unlock k;"
               "func f2 { lock a; unlock a; W y 1; lock n; unlock n } } | func f3 { func f4 {");
    for (unsigned i = 0; i < blocks; i++)
        rfi_append(&to, i % 2 ? "lock c; unlock c;" : "lock b; unlock b;");
    rfi_append(&to, "func f5 { lock n; unlock n; W y 2 } } } | func f6 { func f7 {");
    for (unsigned i = 0; i < blocks; i++)
        rfi_append(&to, i % 2 ? "lock e; unlock e;" : "lock d; unlock d;");
    rfi_append(&to, "func f8 { lock k; unlock k; W x 2 } } }");
    return text;
}

/* A second phase that only the reversed order enters. */
#define PHASES                                                                               \
 "body: W r 0; start; start; join |"                                                         \
 "func reads_first { lock k; R r; unlock k; if = 1 { func second { lock l; unlock l } } } |" \
 "func writes_later { times 20 { lock q; unlock q }; lock k; W r 1; unlock k }"

/* The executions that follow are of this program. */
static void set_up_program(const char *program, const rf_strategy *s, bool trace) {
    script_is(program, false);
    set_up("script", s, trace);
}

/* ---- no scopes at all ---- */

static rf_mutex k = RF_MUTEX_INIT, quiet = RF_MUTEX_INIT;
static int x;

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

/* ---- the relation ---- */

/* Is the pair in it?  `text`: "RF_FUNC" for a function, the function for the start of a thread. */
static bool related(const char *function, const char *text, const char *lock) {
    bool found = false;
    for (uint32_t i = 0; i < rfi_site_table.count; i++) {
        const rf_site *s = rfi_site_table.site[i];
        if (!s || strcmp(s->function, function) || strcmp(s->text, text)) continue;
        uint32_t class = (uint32_t)rfi_hash_text(lock) | 1;
        found |= rfi_map_find(&rfi_drfinder_knows.pairs,
                              rfi_drfinder_pair(rfi_drfinder_scope(s), class)) != NULL;
    }
    return found;
}

/* Does it hold exactly these pairs, and this many of starts of threads? */
static bool relation_is(const char *const *of, uint32_t starts) {
    static const char *const lock[] = {"k", "n", "a", "b", "c", "d", "e"};
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

CASE(relations) {
    static const char *const deep[] = {"k a n", "a n",   "b c n", "b c n",
                                       "n",     "d e k", "d e k", "k"};
    static const char *const two[] = {"k a n", "a n", "b c", "b c n", "n", "d e", "d e k", "k"};
    static const char *const one[] = {"k", "a n", "", "b c", "n", "", "d e", "k"};
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
        set_up_program(chain(2), &rfi_drfinder, false);
        forget();
        learn(i, 1);
        lab_check(relation_is(row[i].of, row[i].starts), row[i].name, "other pairs");
    }
    depth = 12;
    set_up_program(chain(2), &rfi_drfinder, false);
    learn(0, 1);
    LAB_CHECK("threads_start_in_a_scope", related("script", "start", "k"));
}

/* ---- races ---- */

/* Shares of executions with a race on x and on y.  PCT knows the number of steps exactly. */
static void measure_example(const char *program, const rf_strategy *s, uint32_t parameter,
                            double share[2]) {
    enum { N = 10000 };
    depth = parameter;
    set_up_program(program, s, false);
    forget();
    learn(0, 1);
    uint8_t steps[2] = {(uint8_t)record->steps, (uint8_t)(record->steps >> 8)};
    if (s == &rfi_pct) s->recall(steps, sizeof steps);
    rfi_tally_reset(&lab_tally);
    for (uint32_t i = 0; i < N; i++) run(i);
    share[0] = share_of("x", N);
    share[1] = share_of("y", N);
    depth = 12;
}

CASE(table_of_the_example) {
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
        const char *program = chain(private[r]);
        for (unsigned c = 0; c < COLUMNS; c++) {
            double share[2];
            const double *p = column[c].share[r];
            char name[64];
            measure_example(program, column[c].strategy, column[c].parameter, share);
            snprintf(name, sizeof name, "%s_%u_with_%u_private_blocks", column[c].strategy->name,
                     column[c].parameter, private[r]);
            snprintf(why, sizeof why, "x %.3f, expected %.3f; y %.3f, expected %.3f", share[0],
                     p[0], share[1], p[1]);
            printf("# %s: %s\n", name, why);
            bool right = share[0] < best;
            if (p[0] >= 0) right = fabs(share[0] - p[0]) < 0.02 && fabs(share[1] - p[1]) < 0.02;
            lab_check(right, name, why);
            if (!c) best = share[0];
        }
    }
}

CASE(without_scopes) {
    enum { N = 1000 };
    double share[2];
    for (unsigned i = 0; i < 2; i++) {
        set_up("bare", i ? &rfi_drfinder : &rfi_random, false);
        forget();
        learn(0, 1);
        for (uint32_t j = 1; j <= N; j++) run(j);
        share[i] = share_of("x", N);
    }
    LAB_CHECK("starts_of_threads_do_without_scopes", share[0] < 0.01 && share[1] == 1);
}

CASE(other_analyses) {
    set_up_program(chain(20), &rfi_drfinder, false);
    forget();
    learn(0, 1);
    uint32_t predicted = lab_tally.warnings;
    LAB_CHECK("hybrid_predicts_without_the_reversal", predicted == 2 && share_of("x", 1) == 0);
    rfi_tally_reset(&lab_tally);
    run(1);
    LAB_CHECK("fasttrack_sees_with_it", share_of("x", 1) == 1 && share_of("y", 1) == 1);
}

/* ---- what is learned, and when ---- */

CASE(feedback) {
    set_up_program(PHASES, &rfi_drfinder, false);
    forget();
    learn(0, 1);
    LAB_CHECK("the_first_batch_does_not_enter_the_second_phase",
              !related("second", "RF_FUNC", "l") && related("reads_first", "RF_FUNC", "k"));
    learn(1, 1);
    LAB_CHECK("the_next_one_does",
              related("second", "RF_FUNC", "l") && related("reads_first", "RF_FUNC", "l"));
}

CASE(batches) {
    set_up_program(PHASES, &rfi_drfinder, false);
    forget();
    teach(0);
    set_up("bare", &rfi_drfinder, false);
    teach(1);
    learn_all();
    LAB_CHECK("the_executions_of_a_batch_are_united",
              related("writes_later", "RF_FUNC", "q") &&
                  related("rf_test_bare", "late_write", "quiet"));
    learn(2, 2);
    LAB_CHECK("the_next_batch_replaces_them", !related("writes_later", "RF_FUNC", "q") &&
                                                  related("rf_test_bare", "late_write", "quiet"));
}

/* What an execution has used is enough to repeat it. */
CASE(replays) {
    enum { N = 200 };
    static uint8_t used[N][RF_USED_BYTES];
    static uint32_t bytes[N];
    static uint64_t course[N];
    uint32_t differ = 0, differ_without = 0, longest = 0, queries = 0;
    set_up_program(chain(2), &rfi_drfinder, true);
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
    printf("# replays that differ: %u of %u without what was used, %u with it; at most %u bytes, "
           "%u made somebody wait\n",
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

/* Do so many random schedules show the race?  Those of a campaign that have no preemption do. */
static bool random_shows(uint32_t executions) {
    rfi_job j = lab_job_of("bare", RFI_PREDICT, LAB_FINE);
    j.analyses = rfi_analysis_bit("fasttrack");
    return lab_job(&j, executions)->warnings;
}

static void campaigns(const char *self) {
    static const char options[] = "bare --detect=fasttrack --executions=40 --strategy=";
    char arguments[128], token[512] = "";
    snprintf(arguments, sizeof arguments, "%sdrfinder --jobs=1", options);
    const char *one = campaign(self, NULL, arguments);
    LAB_CHECK("a_campaign_shows_what_random_schedules_do_not",
              !random_shows(40) && strstr(one, "race: real (test bare)"));
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
    campaigns(argv[0]);
    return lab_cases();
}
