/* Loops that wait may have a bound, and their threads give up where a machine lets them: under
 * every explorer.  Loops without a bound never end an execution (tests/deadlock.c), and threads of
 * thousands of steps also run one entirely before the other. */
#define RF_IMPLEMENTATION
#include "script.h"

/* The retry gives up although the other thread lives: it had not come so far. */
#define RETRY(retry, other) "body: start;" retry "; join |" other
#define SETS                "store r 1"
#define HOLDS               "lock m; store o 1; unlock m"
#define BACK_OFF(n)         "if = 0 { times " n " { hint }; load r };"

static const struct retry {
    const char *name, *program;
} retries[] = {
    {"ten_polls", RETRY("times 10 { load r; until = 1; sleep 1 }; if = 0 { fail gave_up }", SETS)},
    {"forty_exchanges", RETRY("times 40 { cas r 1; until = 1 }; if = 0 { fail gave_up }", SETS)},
    {"a_back_off", RETRY("load r;" BACK_OFF("1") BACK_OFF("2") BACK_OFF("4") BACK_OFF("8")
                             BACK_OFF("16") "if = 0 { fail gave_up }",
                         SETS)},
    {"a_deadline", RETRY("now; keep; loop { load r; until = 1; now; if > kept+49 { fail gave_up };"
                         "sleep 5 }",
                         SETS)},
    {"one_hint", RETRY("hint; load r; if = 0 { fail gave_up }", SETS)},
    {"five_trylocks",
     RETRY("times 5 { try m; until = 1 }; if = 0 { fail gave_up }; unlock m", HOLDS)},
    {"five_timed_locks",
     RETRY("times 5 { timed m 1; until = 1 }; if = 0 { fail gave_up }; unlock m", HOLDS)},
    /* after a look that does not hold any more: a lost wake-up */
    {"yields_then_parks",
     "times 20 { load r; until = 1; yield };"
     "if = 0 { load r; if = 0 { lock m; wait c m; unlock m } } | store r 1; signal c"},
};

/* ---- long prefixes: of $ rounds ---- */

#define ROUNDS       "times $ { lock m; unlock m };"
#define WORKS        ROUNDS "store r 1"
#define LOOKS        "load r; if = 1 { fail late }"
#define COMES(which) ROUNDS "lock m; digit o " which "; unlock m"

static const char looks_after[] = WORKS "|" LOOKS, looks_after_the_other_order[] =
                                                       "body: start; start; join_last; join |" LOOKS
                                                       "|" WORKS;

/* It has to be woken first. */
static const char woken_and_done[] = "body: start; post s; load r; if = 1 { fail late }; join |"
                                     "take s;" WORKS;

/* Outcome: the order of three threads. */
static const char three_in_a_row[] =
    "body: start; start; start; join; order o; see it |" COMES("0") "|" COMES("1") "|" COMES("2");

/* ---- the checks ---- */

static const char *const explorers[] = {"random", "sticky",  "pct",           "pos",   "rapos",
                                        "surw",   "urw",     "feedback",      "delay", "drfinder",
                                        "native", "bounded", "delay-bounded", "dfs",   "dpor"};
enum { EXPLORERS = sizeof explorers / sizeof *explorers, EXHAUSTIVE = 4 /* the last ones */ };

/* What needs a preemption in a certain place is the machine's to do, or not. */
static bool is_native(const char *explorer) { return !strcmp(explorer, "native"); }

static bool found(const char *program, const char *explorer, const char *executions) {
    char option[64];
    script_is(program, true);
    snprintf(option, sizeof option, "--strategy=%s", explorer);
    return !lab_study("script", option, executions, "--seconds=none", "--shrink=0", NULL)
                ->result.passed ||
           !lab_study("script", option, executions, "--seconds=none", "--shrink=0", "--seed=2",
                      NULL)
                ->result.passed;
}

CASE(named_programs) {
    for (const struct retry *r = retries; r < retries + RFI_LENGTH(retries); r++) {
        bool all = found(r->program, "auto", "--executions=1000");
        if (!all) because("auto");
        for (unsigned k = 0; k < EXPLORERS; k++) {
            bool held = strstr(r->program, "until = 1 }; if = 0 { fail gave_up }; unlock");
            bool machine = is_native(explorers[k]) && (held || strstr(r->program, "wait"));
            if (!machine && !found(r->program, explorers[k], "--executions=500") &&
                !found(r->program, explorers[k], "--executions=10000"))
                all = because("%s", explorers[k]);
        }
        lab_check(all, named("%s_may_give_up_under_every_explorer", r->name), why);
    }
}

/* A look that was given up, a flag that says so, and all that the other thread does comes between
 * the two: it finds nobody asleep.  Each of ten campaigns shows it. */
CASE(parks_after_yields) {
    bool all = true;
    script_is("times 20 { load r; until = 1; yield }; if = 0 { lock m; load r; if = 0 { store o 1;"
              "wait c m }; unlock m } | store r 1; load o; if = 1 { lock m; signal c; unlock m }",
              true);
    for (unsigned seed = 1; seed <= 10; seed++) {
        char option[32];
        snprintf(option, sizeof option, "--seed=%u", seed);
        if (lab_study("script", option, "--seconds=none", NULL)->result.passed)
            all = because("seed %u", seed);
    }
    lab_check(all, "yields_then_a_flag_then_parking_is_found_in_every_campaign", why);
}

/* How many of the orders of three long threads an explorer shows. */
static unsigned orders_shown(const char *strategy, const char *executions) {
    unsigned orders = 0;
    memset(seen, 0, sizeof seen);
    script_is(three_in_a_row, true);
    lab_study("script", strategy, executions, "--seconds=none", NULL);
    for (unsigned i = 0; i < OUTCOMES; i++) orders += seen[i] != 0;
    return orders;
}

/* A thread of thousands of steps runs entirely before or after another. */
CASE(long_prefixes) {
    const unsigned lengths[] = {1000, by_night(5000, 20000), by_night(20000, 100000)};
    bool all = true;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        script_number = (int)lengths[i];
        all &= found(looks_after, "auto", "--executions=64") || because("auto %u", lengths[i]);
        for (unsigned k = i ? EXPLORERS - EXHAUSTIVE : 0; i < 2 && k < EXPLORERS; k++)
            all &= is_native(explorers[k]) ||
                   (found(looks_after, explorers[k], "--executions=64") &&
                    found(looks_after_the_other_order, explorers[k], "--executions=64")) ||
                   because("%s %u", explorers[k], lengths[i]);
    }
    lab_check(all, "a_long_thread_runs_entirely_before_a_short_one", why);
    script_number = 2000;
    all = true;
    for (unsigned k = 0; k < EXPLORERS - EXHAUSTIVE; k++)
        all &= is_native(explorers[k]) ||
               (found(looks_after, explorers[k], "--executions=10") &&
                found(looks_after_the_other_order, explorers[k], "--executions=10")) ||
               because("%s", explorers[k]);
    lab_check(all, "among_the_first_ten_executions_if_they_are_long", why);
    script_number = 150; /* 300 steps */
    all = !found(looks_after, "random", "--executions=14");
    lab_check(all, "but_where_they_are_not_those_that_find_most_bugs_early_come_first", why);
    all = found(woken_and_done, "auto", "--executions=64") || because("auto");
    for (unsigned k = 0; k < EXPLORERS; k++)
        all &= is_native(explorers[k]) || found(woken_and_done, explorers[k], "--executions=64") ||
               because("%s", explorers[k]);
    lab_check(all, "a_thread_runs_entirely_as_soon_as_it_is_woken", why);
    unsigned orders = orders_shown("--strategy=pct", "--executions=800");
    because("%u", orders);
    lab_check(orders >= 5, "three_long_threads_run_one_after_the_other_in_most_orders", why);
    all = true;
    for (unsigned k = EXPLORERS - EXHAUSTIVE; k < EXPLORERS; k++) {
        char option[64];
        snprintf(option, sizeof option, "--strategy=%s", explorers[k]);
        orders = orders_shown(option, "--executions=25");
        if (orders < 6) all = because("%s: %u", explorers[k], orders);
    }
    lab_check(all, "and_in_all_of_them_among_the_first_executions_of_all_schedules", why);
}

/* Behind the first thirty executions of who learns four times as many let spinners run on. */
CASE(later_ones) {
    script_is("body: start; times 10 { load r; until = 1; sleep 1 }; see it; join | store r 1",
              true);
    memset(seen, 0, sizeof seen);
    (void)lab_study("script", "--strategy=feedback", "--executions=1000", "--seconds=none", NULL);
    because("%u of 1000 gave up", seen[0]);
    lab_check(seen[0] > 100, "more_spinners_run_on_behind_the_first_thirty_executions", why);
}

/* Those that were thrown in are told apart, and none is in a test that is gone through soon. */
CASE(sentences) {
    script_is(looks_after_the_other_order, true);
    script_number = 5;
    (void)lab_study("script", "--strategy=dfs", "--executions=10000", NULL);
    const char *said = rfi_dfs_summary();
    (void)because("%s", said);
    lab_check(!strcmp(said, "all 13 schedules explored " RFI_UNDER_SC),
              "a_small_test_has_no_executions_beside_all_schedules", why);
    script_number = 100;
    (void)lab_study("script", "--strategy=dfs", "--executions=10000", NULL);
    said = rfi_dfs_summary();
    (void)because("%s", said);
    lab_check(!strcmp(said, "all 203 schedules explored " RFI_UNDER_SC
                            " (6 more executions ran threads by priority)"),
              "all_schedules_are_counted_once_beside_those_without_preemptions", why);
}

/* Loops that change nothing, whatever their rounds are made of, are not gone through for ever. */
CASE(awaited_in_rounds) {
    static const char *const programs[] = {
        "loop { load r; load s; until = 1 } | store s 1",
        "loop { load r; until = 1; times 2 { R x } } | W y 1; store r 1",
        "loop { store s 1; try m; until = 1; store s 0 }; unlock m | lock m; W y 1; unlock m"};
    bool all = true;
    for (unsigned i = 0; i < RFI_LENGTH(programs); i++) {
        script_is(programs[i], true);
        (void)lab_study("script", "--strategy=dpor", "--executions=3000", "--seconds=none", NULL);
        const char *said = rfi_dpor_summary();
        if (!said || strncmp(said, "all ", 4)) all = because("%u: %s", i, said);
    }
    lab_check(all, "a_loop_of_several_steps_that_changes_nothing_is_a_spinner", why);
}

int main(void) { return lab_cases(); }
