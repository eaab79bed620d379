// flags: -Isrc
/* What reports say of the executions of phase 1: grammar, widths, estimates, tables, TAP. */
#include "report_record.h"

static rfi_explored explorer[3];
static rfi_coverage covered;
static uint32_t depth = 3;
static const rf_strategy plain = {.name = "plain"};
static uint32_t first(const rf_choice *c) { return rf_choice_at(c, 0); }
static const rf_strategy deep = {
    .name = "deep", .pick = first, .parameter = &depth, .least = 1, .most = 9};
static const rf_strategy every = {.name = "every", .serial = true};

/* Phase 1 of a test with one explorer. */
static void phase_1(uint64_t executions, uint64_t orders, uint64_t once) {
    fresh_record();
    fresh_finding();
    memset(explorer, 0, sizeof explorer);
    explorer[0] = (rfi_explored){.strategy = &plain, .executions = executions, .fresh = orders};
    result.executions[0] = executions;
    result.executions[1] = 0;
    result.passed = true;
    result.statistics = (rfi_statistics){.switches = 3 * executions,
                                         .preemptions = executions,
                                         .compared = executions,
                                         .orders = orders,
                                         .once = once,
                                         .drawn = true,
                                         .explorer = explorer,
                                         .explorers = 1};
}

static void prints(unsigned width, const char *name, const char *want) {
    FILE *out = to_memory(width, false);
    rfi_term t = rfi_term_of(out);
    rfi_text_statistics(&t, &result);
    expect(out, name, want);
}

static void a_test_that_passes(void) {
    phase_1(0, 0, 0);
    prints(80, "nothing_of_no_execution", "");
    phase_1(1, 1, 1);
    prints(80, "no_estimate_of_one", "     1 distinct order\n");
    phase_1(9, 7, 6);
    prints(80, "no_estimate_of_a_few", "     7 distinct orders\n");
    phase_1(10, 1, 0);
    prints(80, "always_the_same", "     1 distinct order, seen every time\n");
    phase_1(1000, 12, 0);
    prints(80, "nothing_seen_once", "     12 distinct orders, each seen more than once\n");
    phase_1(1000, 412, 93);
    prints(80, "an_estimate",
           "     412 distinct orders; about 9 % of further executions would show a new one\n");
    phase_1(1000, 412, 9);
    prints(80, "a_low_estimate",
           "     412 distinct orders; under 1 % of further executions would show a new one\n");
    phase_1(1000, 1000, 1000);
    prints(80, "a_high_estimate",
           "     1000 distinct orders; nearly every further execution would show a new one\n");
    phase_1(100000, 40960, 20480);
    result.statistics.sampled = true;
    prints(80, "a_sample",
           "     about 40960 distinct orders; about 20 % of further executions would show a\n"
           "     new one\n");
    phase_1(1000, 1000, 1000);
    result.statistics.drawn = false;
    explorer[0].strategy = &every;
    strcpy(explorer[0].summary, "all 1000 schedules explored");
    prints(80, "what_is_not_drawn_is_not_estimated",
           "     1000 distinct orders\n"
           "     every: all 1000 schedules explored\n");
}

static void a_test_that_fails(void) {
    phase_1(1, 1, 1);
    result.passed = false;
    result.first_failure = 1;
    result.statistics.switches = 1;
    prints(80, "the_singular",
           "     phase 1: 1 execution with 1 switch and 1 preemption; 1 distinct order;\n"
           "       first failure after 1 execution\n");
    phase_1(1000, 412, 93);
    result.passed = false;
    result.first_failure = 7;
    explorer[0].executions = 700;
    explorer[1] = (rfi_explored){.strategy = &deep, .executions = 200, .parameter = 5};
    explorer[2] = (rfi_explored){.strategy = &deep, .executions = 100, .parameter = 3};
    strcpy(explorer[1].summary, "three change points");
    result.statistics.explorers = 3;
    prints(80, "several_explorers",
           "     phase 1: 1000 executions (plain 700, deep:5 200, deep 100) with 3.0\n"
           "       switches and 1.0 preemptions each; 412 distinct orders; about 9 % of\n"
           "       further executions would show a new one; first failure after 7 executions\n");
    explorer[2] = (rfi_explored){.strategy = &every, .executions = 100};
    strcpy(explorer[2].summary, "100 of more schedules explored");
    result.passed = true;
    prints(80, "of_several_those_that_know_how_much_is_left_speak",
           "     412 distinct orders; about 9 % of further executions would show a new one\n"
           "     every: 100 of more schedules explored\n");
    result.statistics.explorers = 2;
    rfi_report_full = true;
    prints(80, "in_full_all_speak",
           "     phase 1: 1000 executions (plain 700, deep:5 200) with 3.0 switches and 1.0\n"
           "       preemptions each; 412 distinct orders; about 9 % of further executions\n"
           "       would show a new one; first failure after 7 executions\n"
           "     deep:5: three change points\n"
           "     explorer                                 executions  new orders      failed\n"
           "     plain                                           700         412           0\n"
           "     deep:5                                          200           0           0\n");
    rfi_report_full = false;
}

static void covers(uint32_t line, const char *expression, uint8_t what, uint64_t decisions,
                   uint64_t preemptions) {
    rf_site *s = (rf_site *)(uintptr_t)site("deposit", line, expression);
    s->kind = what;
    rfi_covered *c = rfi_coverage_at(&covered, s);
    c->executions = 1000;
    c->decisions = decisions;
    c->preemptions = preemptions;
}

static void in_full(void) {
    phase_1(1000, 412, 93);
    explorer[0].failed = 12;
    rfi_coverage_reset(&covered);
    result.statistics.coverage = &covered;
    rfi_report_full = true;
    prints(80, "no_statement",
           "     phase 1: 1000 executions with 3.0 switches and 1.0 preemptions each; 412\n"
           "       distinct orders; about 9 % of further executions would show a new one; 0\n"
           "       statements were scheduling points, a thread was preempted at 0\n"
           "     explorer                                 executions  new orders      failed\n"
           "     plain                                          1000         412          12\n");
    covers(30, "&journal", RF_SITE_OTHER, 0, 0);
    covers(24, "the_account_with_a_long_name->balance", RF_SITE_READ, 800, 300);
    covers(24, "balance", RF_SITE_WRITE, 20, 0);
    prints(80, "statements_in_the_order_of_their_places",
           "     phase 1: 1000 executions with 3.0 switches and 1.0 preemptions each; 412\n"
           "       distinct orders; about 9 % of further executions would show a new one; 3\n"
           "       statements were scheduling points, a thread was preempted at 1 and,\n"
           "       though it could have been, never at 1\n"
           "     explorer                                 executions  new orders      failed\n"
           "     plain                                          1000         412          12\n"
           "     statement                                executions   decisions preemptions\n"
           "     bank.c:24 reads the_account_with_a_l...        1000         800         300\n"
           "     bank.c:24 writes balance                       1000          20           0\n"
           "     bank.c:30 journal                              1000           0           0\n");
    covered.more = true;
    FILE *out = to_memory(80, false);
    rfi_term t = rfi_term_of(out);
    rfi_line l = {0};
    rfi_say_coverage(&l, &covered);
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0, l.s);
    expect(out, "too_many_statements", "; more than 3 statements were scheduling points\n");
    rfi_report_full = false;
}

static void in_tap(void) {
    phase_1(1000, 412, 93);
    explorer[0].failed = 12;
    explorer[0].strategy = &every;
    strcpy(explorer[0].summary, "all \"of\" it");
    result.first_failure = 7;
    FILE *out = to_memory(80, false);
    rfi_tap_statistics(out, &result);
    expect(out, "tap_has_the_figures",
           "  orders: {distinct: 412, once: 93, executions: 1000, estimated: false}\n"
           "  chance_of_new_order: 0.093\n"
           "  switches: 3000\n"
           "  preemptions: 1000\n"
           "  first_failure: 7\n"
           "  explorers:\n"
           "    - {name: \"every\", executions: 1000, new_orders: 412, failed: 12, "
           "says: \"all \\\"of\\\" it\"}\n");
}

int main(void) {
    rfi_register_strategy(&deep);
    a_test_that_passes();
    a_test_that_fails();
    in_full();
    in_tap();
    munmap(record, sizeof *record);
    return check_end();
}
