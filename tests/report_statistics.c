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

static void prints(const char *name) {
    FILE *out = to_memory(80, false);
    rfi_term t = rfi_term_of(out);
    rfi_line l = {0};
    if (result.statistics.compared && !rfi_report_full) rfi_say_seen(&l, &result, true);
    if (l.bytes) rfi_wrapped(&t, RFI_PLAIN, 0, 5, 5, l.s);
    rfi_text_statistics(&t, &result);
    expect(out, name);
}

CASE(a_test_that_passes) {
    static const struct {
        uint32_t executions, orders, once;
        const char *name;
    } rows[] = {{0, 0, 0, "nothing_of_no_execution"}, {1, 1, 1, "no_estimate_of_one"},
                {9, 7, 6, "no_estimate_of_a_few"},    {10, 1, 0, "always_the_same"},
                {1000, 12, 0, "nothing_seen_once"},   {1000, 412, 93, "an_estimate"},
                {1000, 412, 9, "a_low_estimate"},     {1000, 1000, 1000, "a_high_estimate"}};
    for (unsigned i = 0; i < RFI_LENGTH(rows); i++) {
        phase_1(rows[i].executions, rows[i].orders, rows[i].once);
        prints(rows[i].name);
    }
    phase_1(100000, 40960, 20480);
    result.statistics.sampled = true;
    prints("a_sample");
    phase_1(1000, 1000, 1000);
    result.statistics.drawn = false;
    explorer[0].strategy = &every;
    strcpy(explorer[0].summary, "all 1000 schedules explored");
    prints("what_is_not_drawn_is_not_estimated");
    result.statistics.left_out = (rfi_left_out){.held = 12, .held_in = 3};
    prints("all_but_what_was_not_tried");
    phase_1(1000, 1, 0);
    result.statistics.left_out = (rfi_left_out){.held = 1, .held_in = 1, .stopped = 1};
    prints("not_every_time_if_something_was_not_tried");
    phase_1(1000, 412, 93);
    result.statistics.left_out = (rfi_left_out){.stopped = 2, .unused = 3, .calm = 1};
    prints("an_estimate_beside_what_was_not_tried");
    result.statistics.left_out = (rfi_left_out){0};
}

CASE(a_test_that_fails) {
    phase_1(1, 1, 1);
    result.passed = false;
    result.first_failure = 1;
    result.statistics.switches = 1;
    rfi_report_full = true;
    prints("the_singular");
    phase_1(1000, 412, 93);
    result.passed = false;
    result.first_failure = 7;
    explorer[0].executions = 700;
    explorer[1] = (rfi_explored){.strategy = &deep, .executions = 200, .parameter = 5};
    explorer[2] = (rfi_explored){.strategy = &deep, .executions = 100, .parameter = 3};
    strcpy(explorer[1].summary, "three change points");
    result.statistics.explorers = 3;
    prints("several_explorers");
    rfi_report_full = false;
    explorer[2] = (rfi_explored){.strategy = &every, .executions = 100};
    strcpy(explorer[2].summary, "100 of more schedules explored");
    result.passed = true;
    prints("of_several_those_that_know_how_much_is_left_speak");
    result.statistics.explorers = 2;
    rfi_report_full = true;
    prints("in_full_all_speak");
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

CASE(in_full) {
    phase_1(1000, 412, 93);
    explorer[0].failed = 12;
    rfi_coverage_reset(&covered);
    result.statistics.coverage = &covered;
    rfi_report_full = true;
    prints("no_statement");
    covers(30, "&journal", RF_SITE_OTHER, 0, 0);
    covers(24, "the_account_with_a_long_name->balance", RF_SITE_READ, 800, 300);
    covers(24, "balance", RF_SITE_WRITE, 20, 0);
    prints("statements_in_the_order_of_their_places");
    covered.more = true;
    FILE *out = to_memory(80, false);
    rfi_term t = rfi_term_of(out);
    rfi_line l = {0};
    rfi_say_coverage(&l, &covered);
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0, l.s);
    expect(out, "too_many_statements");
    rfi_report_full = false;
}

CASE(in_tap) {
    phase_1(1000, 412, 93);
    explorer[0].failed = 12;
    explorer[0].strategy = &every;
    result.statistics.left_out = (rfi_left_out){.held = 12, .held_in = 3};
    strcpy(explorer[0].summary, "all \"of\" it");
    result.first_failure = 7;
    FILE *out = to_memory(80, false);
    rfi_tap_statistics(out, &result);
    expect(out, "tap_has_the_figures");
}

int main(void) {
    rfi_register_strategy(&deep);
    cases();
    return report_end();
}
