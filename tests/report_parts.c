// flags: -Isrc
/* What is printed around findings: the sum of a run, the format tap, progress; and the parts that
 * all of it is made of: values, intervals, widths, colours, foreign text. */
#include "report_record.h"

CASE(a_run_is_summed_up) {
    lost_deposit(0);
    fresh_record();
    rfi_warning lost = pair;
    fresh_finding();
    FILE *out = to_memory(80, false);
    rfi_text_reporter.begin(out, &(rfi_summary){.seed = 7, .tests = 3});
    rfi_text_reporter.test(out, &test);
    result.passed = true;
    rfi_text_reporter.result(out, &result);
    result.passed = false;
    result.capped = result.stateful = true;
    result.executions[1] = 12;
    rfi_warning three[3] = {lost, lost, lost};
    three[0].hits = three[1].hits = 0;
    result.warning = three;
    result.warnings = 3, result.potential = 2, result.harmful = 1, result.warnings_left_out = 9;
    result.missing = RF_EXPECT_RACE | RF_EXPECT_CRASH;
    strcpy(result.reason, "not everything that .expect names was found");
    rfi_text_reporter.result(out, &result);
    result.skipped = true;
    strcpy(result.reason, "needs a #2 printer");
    rfi_text_reporter.result(out, &result);
    rfi_text_reporter.end(out, &(rfi_summary){.passed = 1, .failed = 1, .skipped = 1});
    expect(out, "a_run_is_summed_up_and_ends_with_the_counts");
    out = to_memory(80, false);
    rfi_text_reporter.end(out, &(rfi_summary){.passed = 2});
    expect(out, "skipped_tests_are_counted_only_if_there_are_any");
}

/* Nine variables with four predictions each: a few of them say enough. */
CASE(predictions_are_cut) {
    lost_deposit(0);
    fresh_record();
    rfi_warning all[36];
    for (uint32_t i = 0; i < 36; i++) {
        all[i] = pair;
        all[i].hits = all[i].seen = 0;
        all[i].variable = i / 4;
    }
    result.warning = all;
    result.warnings = 36;
    for (int full = 0; full < 2; full++) {
        rfi_report_full = full;
        FILE *out = to_memory(80, false);
        rfi_term term = rfi_term_of(out);
        rfi_text_predictions(&term, &result);
        expect(out, full ? "predictions_are_all_told_to_who_asks" : "predictions_are_cut");
    }
    rfi_report_full = false;
}

CASE(tap_is_escaped) {
    fresh_record();
    access_to(&balance, RF_EV_READS, 0, site("f", 60, "a[\"#\"]"), 0);
    record->failure = (rfi_failure){RF_DIAG_FAIL, 0, sites,
                                    .message = "a \"quoted\" # line\n\tand \\ \x01\xff more"};
    fresh_finding();
    kind.count = 1;
    finding.failure = &kind;
    FILE *out = to_memory(80, true);
    rfi_tap_reporter.begin(out, &(rfi_summary){.seed = 7, .tests = 3});
    rfi_tap_reporter.test(out, &test);
    rfi_tap_reporter.finding(out, &result, &finding);
    rfi_tap_reporter.result(out, &result);
    test.options.rfi_name = "two";
    result.passed = true;
    rfi_tap_reporter.result(out, &result);
    test.options.rfi_name = "three";
    result.skipped = true;
    strcpy(result.reason, "needs a #2\nprinter \\");
    rfi_tap_reporter.result(out, &result);
    rfi_tap_reporter.end(out, &(rfi_summary){.passed = 1, .failed = 1, .skipped = 1});
    expect(out, "tap_quotes_what_could_break_a_line");
}

CASE(tap_tells_a_race) {
    lost_deposit(0);
    finding.together = true;
    FILE *out = to_memory(80, true);
    rfi_tap_reporter.finding(out, &result, &finding);
    rfi_tap_reporter.result(out, &result);
    expect(out, "tap_tells_a_race_in_yaml");
    finding.reproduced = false;
    record->cut = true;
    out = to_memory(80, true);
    rfi_tap_reporter.finding(out, &result, &finding);
    rfi_tap_reporter.result(out, &result);
    fclose(out);
    check(strstr(text, "reproduced: cut off") != NULL, "tap_tells_a_replay_that_was_cut_off");
    free(text);
    record->cut = false;
}

/* ---- the parts ---- */

CASE(values_read_as_numbers_where_they_can) {
    static const struct {
        uint64_t value;
        size_t size;
        const char *want;
    } cases[] = {{0, 4, "0"},
                 {7, 1, "7"},
                 {127, 1, "127"},
                 {255, 1, "0xff"},
                 {65535, 2, "-1"},
                 {40000, 2, "0x9c40"},
                 {UINT32_MAX, 4, "-1"},
                 {4294967173, 4, "-123"},
                 {0x80000000, 4, "0x80000000"},
                 {UINT64_MAX, 8, "-1"},
                 {UINT32_MAX, 8, "4294967295"},
                 {0x7f0012345678, 8, "0x7f0012345678"},
                 {INT32_MAX, 4, "2147483647"},
                 {5, 3, "(3 bytes)"},
                 {5, 24, "(24 bytes)"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rfi_line l = {0};
        rfi_say_value(&l, cases[i].value, cases[i].size);
        if (strcmp(l.s, cases[i].want) != 0) printf("%s, not %s\n", l.s, cases[i].want), ok = false;
    }
    check(ok, "values_read_as_numbers_where_they_can");
}

CASE(the_interval_is_wilsons) {
    static const struct {
        uint64_t k, n;
        double low, high;
    } cases[] = {{0, 0, 0, 1},
                 {0, 10, 0, 0.277533},
                 {10, 10, 0.722467, 1},
                 {5, 10, 0.236593, 0.763407},
                 {499, 998, 0.469039, 0.530961},
                 {1, 1000, 0.000177, 0.005643}};
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double low, high, a, b;
        rfi_wilson(cases[i].k, cases[i].n, &low, &high);
        a = low - cases[i].low, b = high - cases[i].high;
        if (a * a > 1e-12 || b * b > 1e-12) printf("%f %f\n", low, high), ok = false;
    }
    check(ok, "the_interval_is_wilsons");
}

CASE(the_program_is_quoted_as_a_shell_needs_it) {
    static const char *const cases[][2] = {
        {"./bank", "./bank"}, {"a b", "'a b'"}, {"it's", "'it'\\''s'"}, {"$x;`y`", "'$x;`y`'"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rfi_report_program(cases[i][0]);
        ok = ok && !strcmp(rfi_program, cases[i][1]);
    }
    rfi_report_program("./bank");
    rfi_report_program(NULL);
    rfi_report_program("");
    check(ok && !strcmp(rfi_program, "./bank"), "the_program_is_quoted_as_a_shell_needs_it");
}

static bool width_is(const char *columns, unsigned want) {
    setenv("COLUMNS", columns, 1);
    FILE *out = fopen("/dev/null", "w");
    bool same = rfi_width(out) == want;
    fclose(out);
    return same;
}

CASE(the_environment_decides) {
    check(width_is("80", 80) && width_is("1", 40) && width_is("99999999999999999999", 400) &&
              width_is("", 100) && width_is("-5", 100) && width_is("80x", 100) &&
              width_is("0", 100),
          "the_width_is_that_of_COLUMNS_within_limits");
    FILE *out = fopen("/dev/null", "w");
    setenv("CLICOLOR_FORCE", "1", 1);
    bool forced = rfi_wants_colour(out);
    setenv("NO_COLOR", "1", 1);
    bool refused = rfi_wants_colour(out);
    setenv("NO_COLOR", "", 1);
    bool emptied = rfi_wants_colour(out);
    setenv("CLICOLOR_FORCE", "0", 1);
    check(forced && !refused && emptied && !rfi_wants_colour(out),
          "NO_COLOR_wins_over_CLICOLOR_FORCE_and_a_file_has_no_colours");
    fclose(out);
}

CASE(progress_is_for_terminals) {
    rfi_line l = {0};
    rfi_standing s = {"deposits", "confirming races", 3, 30, 5, 1000, 120, 8, 1};
    rfi_progress_line(&l, &s);
    check(!strcmp(l.s, "test 3 of 30, deposits: confirming races, 5 of 1000 executions (120/s), "
                       "1 finding, 8 s left"),
          "progress_is_one_line");
    l.bytes = 0;
    rfi_progress_line(&l, &(rfi_standing){"deposits", "replaying", 1, 1, 0, 0, 0, UINT64_MAX, 2});
    check(!strcmp(l.s, "deposits: replaying, 2 findings"), "what_is_not_known_is_left_out");
    l.bytes = 0;
    rfi_progress_line(&l, &(rfi_standing){"deposits", "exploring", 1, 1, 7, 9, 0, 121, 0});
    check(!strcmp(l.s, "deposits: exploring, 7 of 9 executions, 3 min left"),
          "long_times_are_minutes");
    char path[] = "/tmp/rf_report_XXXXXX", byte;
    int file = mkstemp(path), saved = dup(2);
    if (file < 0 || saved < 0) exit(1);
    dup2(file, 2);
    rfi_progress_show(&s);
    rfi_progress_clear();
    dup2(saved, 2);
    check(pread(file, &byte, 1, 0) == 0, "progress_writes_nothing_to_a_file");
    close(file);
    close(saved);
    unlink(path);
}

/* Whatever the bytes: valid, printable, within the line, and a fitted piece within its room. */
CASE(any_bytes_become_printable_text) {
    rf_prng random = rfi_prng_make(1, 1);
    bool ok = true;
    for (unsigned round = 0; round < 2000; round++) {
        char raw[64];
        unsigned n = rfi_below(&random, sizeof raw), used;
        for (unsigned i = 0; i < n; i++)
            raw[i] = (char)(rfi_coin(&random) ? 0x80 + rfi_below(&random, 128)
                                              : 1 + rfi_below(&random, 127));
        raw[n] = 0;
        rfi_line l = {0};
        rfi_line_add(&l, "%s", raw);
        for (const char *s = l.s; *s;) {
            unsigned room = 2 + rfi_below(&random, 20);
            size_t bytes = rfi_line_fit(s, room, &used);
            ok = ok && bytes > 0 && used <= room && (s[bytes] & 0xc0) != 0x80;
            s += bytes ? bytes : strlen(s);
        }
    }
    rfi_line full = {0};
    for (unsigned i = 0; i < RFI_LINE_BYTES; i++) rfi_line_add(&full, "\xe6\xbc\xa2");
    check(ok && rfi_columns(full.s) < RFI_LINE_BYTES && strstr(full.s, "..."),
          "any_bytes_become_printable_text");
}

static bool lines_fit(const char *s, unsigned width) {
    for (const char *end; (end = strchr(s, '\n')) != NULL; s = end + 1) {
        rfi_line l = {0};
        rfi_line_add(&l, "%.*s", (int)(end - s), s);
        if (rfi_columns(l.s) > width) return printf("%u columns: %s\n", width, l.s), false;
    }
    return !*s;
}

CASE(no_row_is_wider_than_the_page) {
    static const char *const words[] = {"x", "account->balance",
                                        "a_rather_long_name[index].with.members"};
    rf_prng random = rfi_prng_make(2, 2);
    bool ok = true;
    for (unsigned round = 0; round < 300; round++) {
        fresh_record();
        uint32_t threads = 1 + rfi_below(&random, 20), width = 40 + rfi_below(&random, 100);
        for (uint32_t t = 1; t < threads; t++) create(t, site("t", 1 + t, words[t % 3]));
        for (unsigned i = 0; i < 40 + round; i++)
            access_to(&balance, rfi_coin(&random) ? RF_EV_READS : RF_EV_WRITES,
                      rfi_below(&random, threads),
                      site("f", 10000 * rfi_below(&random, 10), words[rfi_below(&random, 3)]), i);
        record->failure =
            (rfi_failure){RF_DIAG_DESTROY_BUSY, threads - 1, &sites[0], .message = ""};
        FILE *out = to_memory(width, false);
        rfi_term term = rfi_term_of(out);
        rfi_picture_draw(&term, record, NULL, rfi_coin(&random));
        fclose(out);
        ok = ok && lines_fit(text, width);
        free(text);
    }
    check(ok, "no_row_is_wider_than_the_page");
}

int main(void) {
    unsetenv("NO_COLOR");
    rfi_report_program("./bank");
    cases();
    return report_end();
}
