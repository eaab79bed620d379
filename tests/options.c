// flags: -Isrc
/* Options: what each takes and refuses, from the environment and from the command line; that a
 * refusal is exactly one line, whatever the value; filters; what --help and the tables of the
 * manual say. */
#define RF_IMPLEMENTATION
#include "campaign/settings.h"
#include "report/help.h"
#include "check.h"

static const rfi_name strategies[] = {RFI_NAME("random", "uniform"),
                                      {"pct", "priorities", 1, 9, 3, "depth"},
                                      RFI_NAME("racefuzzer", "directed at | pairs"),
                                      RFI_NAME(NULL, NULL)};
static const rfi_name analyses[] = {RFI_NAME("hb", "happens-before"), RFI_NAME("hybrid", NULL),
                                    RFI_NAME(NULL, NULL)};
static const rfi_name memories[] = {RFI_NAME("sc", "interleaving"), RFI_NAME(NULL, NULL)};
static const rfi_name formats[] = {RFI_NAME("text", "for reading"),
                                   RFI_NAME("tap", "for harnesses"), RFI_NAME(NULL, NULL)};
static const rfi_names names = {strategies, analyses, memories, formats};

/* ---- reading with stderr kept ---- */

static rfi_settings settings;
static char complaint[8192]; /* what was written to stderr */

static int status_of(char **argv) {
    int argc = 0;
    while (argv && argv[argc]) argc++;
    FILE *kept = tmpfile();
    int saved = dup(2);
    if (!kept || saved < 0 || dup2(fileno(kept), 2) < 0) exit(1);
    int status = rfi_settings_read(&settings, &names, argc, argv);
    fflush(stderr);
    if (dup2(saved, 2) < 0) exit(1);
    close(saved);
    rewind(kept);
    complaint[fread(complaint, 1, sizeof complaint - 1, kept)] = 0;
    fclose(kept);
    return status;
}

/* Arguments behind the program's name. */
#define ARGUMENTS(...) status_of((char *[]){(char[]){"test"}, __VA_ARGS__, NULL})

static int variable(const char *name, const char *value) {
    setenv(name, value, 1);
    int status = status_of((char *[]){(char[]){"test"}, NULL});
    unsetenv(name);
    return status;
}

static bool silent(int status) { return status == 0 && !*complaint; }

static bool one_line(void) {
    const char *end = strchr(complaint, '\n');
    return !strncmp(complaint, "racefuzz: ", 10) && end && !end[1];
}

static bool refused(int status, const char *says) {
    bool ok = status == 2 && one_line() && strstr(complaint, says);
    if (!ok) printf("# wanted one line with: %s\n# status %d, got: %s\n", says, status, complaint);
    return ok;
}

/* ---- what each option takes ---- */

#define COUNTS_REFUSED \
 "||-1|+1| 1|1 |abc|1x|x1|1.5|1e3|0x10|1,000|99999999999999999999999999|-|inf|nan"

#define FLAG "0|1|yes|no|true|false"

/* Values are separated by '|': the first of `refused` is the empty one. */
static const struct {
    const char *variable, *option, *accepted, *refused;
} takes[] = {
    {"RF_EXECUTIONS", "--executions", "1|0017|4294967296", COUNTS_REFUSED "|0|9223372036854775808"},
    {"RF_MIN_EXECUTIONS", "--min-executions", "1|0017|4294967296",
     COUNTS_REFUSED "|0|9223372036854775808"},
    {"RF_STEPS", "--steps", "1|18446744073709551615", COUNTS_REFUSED "|0|18446744073709551616"},
    {"RF_JOBS", "--jobs", "0|1|256", COUNTS_REFUSED "|257"},
    {"RF_SHRINK", "--shrink", "0|1|0.5|86399", "||-1|abc|none|86400"},
    {"RF_PROGRESS", "--progress", "0|300|86400", COUNTS_REFUSED "|86401"},
    {"RF_WATCHDOG", "--watchdog", "1|86400", COUNTS_REFUSED "|0|86401"},
    {"RF_SECONDS", "--seconds", "1|0.5|0.000001|2.75|999999999.9|none",
     "||-1|+1| 1|1 |abc|1x|1.|.5|.|1.5.5|0|0.0|1e3|0x1|inf|nan|infinity|1000000000|1,5|None|"
     "99999999999999999999999999"},
    {"RF_STACK", "--stack", "16384|16k|16K|1m|2M|1g|1073741824|262144",
     "||-1|0|16383|15k|2g|1073741825|16kb|16 "
     "k|k|abc|1t|18446744073709551616|18014398509481984k|18014398509482048k"},
    {"RF_SEED", "--seed",
     "0|1|18446744073709551615|0x0|0xFFFFFFFFFFFFFFFF|0Xab|random|"
     "1.transfer.rf.4fa09c|1.a-b_c.x|0.5",
     "||-1|+1| 1|abc|12ab|18446744073709551616|0x|0xg|0x10000000000000000|x.1.2|.1.2|1.a b|1.a;b|"
     "1.$(x)|1.a/b|Random|random "},
    {"RF_SHARD", "--shard", "1/1|1/2|2/2|7/4294967295",
     "||1|/|1/|/2|0/2|3/2|-1/2|1/-2|1/2/3|1 /2|a/b|0/0|1/4294967296|"
     "18446744073709551617/18446744073709551617"},
    {"RF_SHARD_BY", "--shard-by", "auto|tests|executions", "||0|test|both"},
    {"RF_ERROR_STATUS", "--error-status", "1|2|99|125", "||0|126|-1|x"},
    {"RF_FINDING_STATUS", "--finding-status", "0|1|125", "||126|-1|x"},
    {"RF_STRATEGY", "--strategy", "random|pct,racefuzzer|pct,pct",
     "||-1|nosuch|random,|,random|random,,pct|random pct|RANDOM|99999999999999999999"},
    {"RF_DETECT", "--detect", "hb|hybrid|hb,hybrid", "||-1|nosuch|hb,|hb,none|1"},
    {"RF_BLOCKS", "--blocks", "auto|declared|locks|functions",
     "||-1|0|nosuch|declared,locks|Locks"},
    {"RF_ABSTRACTION", "--abstraction", "auto|site|index|object|none",
     "||-1|0|nosuch|index,site|Site"},
    {"RF_MEMORY", "--memory", "sc", "||-1|nosuch|sc,sc|c|scx|1"},
    {"RF_HISTORY", "--history", "2|64|0017", COUNTS_REFUSED "|0|65"},
    {"RF_SAMPLE", "--sample", "0|0,1|31,0,0|1,2,3,4", "||-1|,|0,|,0|0,,1|32|0,32|0 1|a|0x1|1-3"},
    {"RF_TEAR", "--tear", "on|off|all", "||-1|0|1|yes|on,off|ON"},
    {"RF_WORD", "--word", "8|16|32|64", "||-1|0|7|128|16,8|016"},
    {"RF_CORES", "--cores", "1|64", COUNTS_REFUSED "|0|65"},
    {"RF_CXX20", "--cxx20", FLAG, "||-1|2|on|abc"},
    {"RF_NO_SPURIOUS", "--no-spurious", FLAG, "||-1|2|on|abc"},
    {"RF_UNROLL", "--unroll", "1|4|1000000", COUNTS_REFUSED "|0|1000001"},
    {"RF_FORMAT", "--format", "text|tap", "||-1|nosuch|junit|text,tap|1"},
    {"RF_GRANULARITY", "--granularity", "fine|coarse", "||-1|nosuch|fine,coarse|1"},
    {"RF_MUST_END", "--must-end", FLAG, "||-1|2|on|abc"},
    {"RF_TIMEOUTS", "--timeouts", "any|some|late", "||-1|nosuch|any,late|1"},
    {"RF_RANDOM", "--random", "drawn|constant", "||-1|nosuch|drawn,constant|1"},
    {"RF_SUCCESS", "--success", "0|0,2|255|77,0,0", "||-1|,|0,|,0|0,,1|256|0,256|0 1|a|0x1|1-3"},
    {"RF_FAIL_ON", "--fail-on", "race|harm", "||-1|nosuch|race,harm|1"},
    {"RF_BACKEND", "--backend", "fiber|threads", "||-1|nosuch|thread|1"},
    {"RF_THREAD_LOCAL", "--thread-local", "own|shared", "||-1|0|1|nosuch|own,shared|Own"},
    {"RF_FILTER", "--filter", "a|a,b|-a|*|a?c,-b*|-1", "||,|a,|,a|-|a,-|a,,b"},
    {"RF_REPORT", "--report", "out.txt|-|/tmp/x y|tap:a b tap:c|./x:y",
     "||tap:|nosuch:x|tap:a text:"},
    {"RF_CAMPAIGN", "--campaign", "nights|/tmp/x y", "|"},
    {"RF_MERGE", "--merge", "nights|/tmp/x y", "|"},
    {"RF_INPUT", "--input", "crash-1|/tmp/x y|-", "|"},
    {"RF_WRITE_INPUT", "--write-input", "crash-1|/tmp/x y|-", "|"},
    {"RF_SUPPRESSIONS", "--suppressions", "list.supp|/tmp/x y|-", "|"},
    {"RF_BASELINE", "--baseline", "known.json|/tmp/x y", "|"},
    {"RF_STOP_AT", "--stop-at", "0|12|failure|race|18446744073709551612",
     "||-1|1.5|Race|failures|18446744073709551613|99999999999999999999"},
    {"RF_GDB_SCRIPT", "--gdb-script", FLAG, "||-1|2|on|abc"},
    {"RF_ALL", "--all", FLAG, "||-1|2|on|abc"},
    {"RF_VERBOSE", "--verbose", FLAG, "||-1|2|on|abc"},
    {"RF_FAIL_FAST", "--fail-fast", FLAG, "||-1|2|on|abc"},
    {"RF_LIST", "--list", FLAG, "||-1|2|on|YES|abc|99999999999999999999"},
    {"RF_TRACE", "--trace", FLAG, "||-1|2|on|abc"},
    {"RF_VERIFY", "--verify", FLAG, "||-1|2|on|abc"},
    {"RF_HELP", "--help", FLAG, "||-1|2|on|abc"},
    {"RF_VERSION", "--version", FLAG, "||-1|2|on|abc"},
};

static bool is_flag(unsigned i) { return !strcmp(takes[i].accepted, FLAG); }

/* One value, given as a variable and as an option in both ways of writing. */
static bool judge(unsigned i, const char *value, bool accepted) {
    const char *option = takes[i].option;
    char joined[128], says[2][128];
    snprintf(joined, sizeof joined, "%s=%s", option, value);
    snprintf(says[0], sizeof *says, "%s=\"%s\": ", takes[i].variable, value);
    snprintf(says[1], sizeof *says, "%s=\"%s\": ", option, value);
    int status = variable(takes[i].variable, value);
    bool ok =
        accepted ? silent(status) : refused(status, says[0]) && strstr(complaint, "expected ");
    status = ARGUMENTS(joined);
    if (!accepted || is_flag(i))
        return ok && refused(status, says[1]) && strstr(complaint, "expected ");
    ok &= silent(status);
    return ok & silent(ARGUMENTS((char *)(uintptr_t)option, (char *)(uintptr_t)value));
}

static bool judge_all(unsigned i, const char *values, bool accepted) {
    bool ok = true;
    for (const char *v = values;; v++) {
        char value[64];
        size_t n = strcspn(v, "|");
        snprintf(value, sizeof value, "%.*s", (int)n, v);
        if (!judge(i, value, accepted)) {
            printf("# %s \"%s\" is not %s: %s\n", takes[i].option, value,
                   accepted ? "accepted" : "refused", complaint);
            ok = false;
        }
        v += n;
        if (!*v) return ok;
    }
}

CASE(test_takes) {
    unsigned shown = 0, count = sizeof takes / sizeof *takes;
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) shown += rfi_option_table[i].help != NULL;
    check(shown == count, "every_option_is_tested");
    for (unsigned i = 0; i < count; i++) {
        check(judge_all(i, takes[i].accepted, true),
              named("%s_takes_what_it_should", takes[i].variable));
        check(judge_all(i, takes[i].refused, false),
              named("%s_refuses_the_rest_in_one_line", takes[i].variable));
    }
}

/* ---- what is stored ---- */

CASE(test_defaults) {
    check(silent(status_of(NULL)) && settings.seed == 1 && !settings.seed_given &&
              !settings.token && settings.shard == 1 && settings.shards == 1 &&
              settings.watchdog == 5 && !settings.executions && !settings.seconds_given &&
              !settings.jobs_given && !settings.strategy && !settings.filter &&
              !strcmp(settings.format, "text"),
          "nothing_given_means_the_defaults");
    rfi_settings before = settings;
    check(silent(ARGUMENTS("--watchdog=5", "--shard=1/1", "--fail-on=race", "--backend=fiber",
                           "--format=text", "--seed=1")) &&
              settings.watchdog == before.watchdog && settings.shard == before.shard &&
              settings.shards == before.shards && settings.fail_on == before.fail_on &&
              settings.backend == before.backend && settings.seed == before.seed &&
              !strcmp(settings.format, before.format),
          "the_defaults_are_those_that_are_documented");
    bool same = true;
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) {
        const rfi_option *o = &rfi_option_table[i];
        char spelled[64] = "--";
        for (unsigned k = 3; o->variable[k]; k++)
            spelled[k - 1] = o->variable[k] == '_' ? '-' : rfi_lower(o->variable[k]);
        same &= !strcmp(spelled, o->option) && o->id == i;
    }
    check(same, "each_option_is_spelled_as_its_variable");
}

CASE(test_numbers) {
    check(silent(ARGUMENTS("--executions=4294967295", "--steps=18446744073709551615", "--jobs=0",
                           "--shard=3/8", "--stack=64k", "--watchdog", "7")) &&
              settings.executions == UINT32_MAX && settings.steps == UINT64_MAX &&
              settings.jobs_given && settings.jobs == 0 && settings.shard == 3 &&
              settings.shards == 8 && settings.stack == 65536 && settings.watchdog == 7,
          "numbers_are_stored");
    check(silent(ARGUMENTS("--seconds=2.75")) && settings.seconds_given &&
              settings.seconds > 2.7499 && settings.seconds < 2.7501,
          "seconds_may_have_a_fraction");
    check(silent(ARGUMENTS("--seconds=none")) && settings.seconds_given && settings.seconds <= 0,
          "no_cap_is_given_and_zero");
    check(silent(ARGUMENTS("--stack=1g")) && settings.stack == (size_t)1 << 30,
          "sizes_have_suffixes");
}

CASE(test_names) {
    check(silent(ARGUMENTS("--granularity=fine", "--fail-on=harm", "--backend=threads",
                           "--format=tap", "--strategy=pct,racefuzzer", "--detect=hb")) &&
              settings.granularity == RF_GRAIN_FINE && settings.fail_on == RFI_FAIL_ON_HARM &&
              settings.backend == RFI_BACKEND_THREADS && !strcmp(settings.format, "tap") &&
              !strcmp(settings.strategy, "pct,racefuzzer") && !strcmp(settings.detect, "hb"),
          "names_are_stored");
    check(silent(ARGUMENTS("--report=out", "--report=tap:a b text:-")) &&
              settings.report.count == 3 && !settings.report.at[0].format &&
              !strcmp(settings.report.at[1].format, "tap") && settings.report.at[1].bytes == 3 &&
              *settings.report.at[2].path == '-',
          "reports_are_stored");
    check(silent(ARGUMENTS("--granularity=coarse")) && settings.granularity == RF_GRAIN_COARSE,
          "coarse_is_coarse");
}

CASE(test_seeds) {
    check(silent(ARGUMENTS("--seed=0xff")) && settings.seed == 255 && settings.seed_given &&
              !settings.token && !settings.seed_random,
          "a_seed_may_be_hexadecimal");
    check(silent(ARGUMENTS("--seed=1.transfer.rf.4fa09c")) && settings.seed_given &&
              settings.token && !strcmp(settings.token, "1.transfer.rf.4fa09c"),
          "a_seed_with_dots_is_a_token");
    bool differ = false;
    bool ok = silent(ARGUMENTS("--seed=random")) && settings.seed_random && !settings.token;
    uint64_t first = settings.seed;
    for (unsigned i = 0; i < 8; i++) {
        ok &= silent(ARGUMENTS("--seed=random"));
        differ |= settings.seed != first;
    }
    check(ok && differ, "a_random_seed_is_new_each_time");
    setenv("RF_SEED", "1.x.y", 1);
    check(silent(ARGUMENTS("--seed=random", "--seed=9")) && settings.seed == 9 && !settings.token &&
              !settings.seed_random,
          "a_later_seed_replaces_all_of_an_earlier_one");
    unsetenv("RF_SEED");
}

CASE(test_flags) {
    check(silent(ARGUMENTS("--list", "--trace", "--verify", "--version", "-h")) && settings.list &&
              settings.trace && settings.verify && settings.version && settings.help,
          "flags_take_no_value");
    check(silent(variable("RF_TRACE", "yes")) && settings.trace &&
              silent(variable("RF_TRACE", "false")) && !settings.trace,
          "a_flag_in_the_environment_has_a_value");
    check(silent(ARGUMENTS("--help-markdown", "--help-roff")) && settings.help_markdown &&
              settings.help_roff,
          "the_documents_can_be_made");
}

CASE(test_order) {
    setenv("RF_STEPS", "10", 1);
    check(silent(ARGUMENTS("--steps=20")) && settings.steps == 20, "an_option_beats_its_variable");
    check(silent(ARGUMENTS("--steps=20", "--steps", "30")) && settings.steps == 30,
          "the_last_of_two_options_wins");
    check(silent(status_of(NULL)) && settings.steps == 10, "a_variable_counts_by_itself");
    setenv("RF_STEPS", "ten", 1);
    check(refused(ARGUMENTS("--steps=20"), "RF_STEPS=\"ten\""),
          "a_bad_variable_is_refused_though_the_option_would_win");
    unsetenv("RF_STEPS");
    check(refused(ARGUMENTS("--steps=x", "--jobs=y"), "--steps=\"x\""),
          "only_the_first_is_refused");
}

/* ---- refusals ---- */

CASE(test_suggestions) {
    check(refused(ARGUMENTS("--exections=5"), "\"--exections\" (did you mean --executions?)") &&
              strstr(complaint, "expected one of --filter ") && strstr(complaint, " --version"),
          "an_unknown_option_has_a_suggestion_and_the_list");
    check(refused(ARGUMENTS("--qqqqqq"), "\"--qqqqqq\"; expected one of"),
          "nothing_is_suggested_for_what_resembles_nothing");
    check(refused(ARGUMENTS("--exec"), "did you mean --executions?"), "a_beginning_is_completed");
    check(refused(ARGUMENTS("-x"), "\"-x\"") && refused(ARGUMENTS("-"), "\"-\"") &&
              refused(ARGUMENTS("--=1"), "\"--\"") && refused(ARGUMENTS("-seed=1"), "--seed?"),
          "short_options_are_unknown");
    check(refused(variable("RF_STRATEGY", "pct,rnadom"), "\"rnadom\" is not known") &&
              strstr(complaint, "did you mean random?") &&
              strstr(complaint, "of random, pct, racefuzzer\n"),
          "an_unknown_name_has_a_suggestion_and_the_list");
    check(refused(variable("RF_STRATEGY", "random,pct:12"),
                  "\"pct:12\" pct takes a number from 1 to 9; expected one or several") &&
              refused(ARGUMENTS("--strategy", "pct:"), "pct takes a number from 1 to 9") &&
              refused(ARGUMENTS("--strategy", "pct:x"), "pct takes a number") &&
              refused(ARGUMENTS("--strategy", "random:1"), "random takes no number") &&
              refused(ARGUMENTS("--strategy", "pkt:1"), "is not known (did you mean pct?)"),
          "numbers_of_strategies_have_limits");
    check(refused(variable("RF_MEMORY", "SC"), "did you mean sc?"), "case_is_a_slip");
    check(refused(ARGUMENTS("--backend=thread"), "did you mean threads?"),
          "choices_have_suggestions");
    check(refused(ARGUMENTS("--report=nosuch:x"), "a FORMAT is one of text, tap\n") &&
              refused(ARGUMENTS("--report"), "a FORMAT is one of text, tap\n"),
          "formats_of_reports_are_known");
}

CASE(test_shape) {
    check(refused(ARGUMENTS("--steps"), "--steps has no value: expected a whole number from 1") &&
              refused(ARGUMENTS("--steps", "--list"), "--steps has no value") &&
              refused(ARGUMENTS("--format"), "expected one of text, tap"),
          "a_missing_value_is_one_line");
    check(refused(ARGUMENTS("--steps", "-5"), "--steps=\"-5\""), "a_negative_value_is_a_value");
    check(refused(ARGUMENTS("--list=1"), "--list=\"1\": expected no value"),
          "a_flag_with_a_value_is_refused");
    check(
        refused(variable("RF_STEPS", "1\n2\r\x1b[31m\x7f\xc3\xa9"), "\"1\\x0a2\\x0d\\x1b[31m\\x7f"),
        "control_characters_stay_within_the_line");
    check(refused(ARGUMENTS("--a\nb=1"), "--a\\x0ab") && refused(ARGUMENTS("a,,\n"), "\\x0a"),
          "in_options_and_arguments_too");
    static char huge[100001];
    memset(huge, '9', 100000);
    bool ok = true;
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) {
        const rfi_option *o = &rfi_option_table[i];
        bool any = o->kind == RFI_KIND_reports || o->kind == RFI_KIND_patterns;
        if (any || o->kind == RFI_KIND_file || o->kind == RFI_KIND_folders) continue;
        ok &= refused(variable(o->variable, huge), "999...\"") && strlen(complaint) < 512;
    }
    check(ok, "huge_values_are_cut");
    check(refused(ARGUMENTS(huge, ""), "argument=\"\": expected names or patterns"),
          "an_empty_argument_is_refused");
    check(refused(ARGUMENTS("--", "--list", "-"), "argument=\"-\""), "so_is_an_empty_exclusion");
    char *none[] = {NULL};
    check(silent(status_of(none)), "no_program_name_is_fine");
}

static bool warned(const char *name, const char *says) {
    bool ok =
        variable(name, "1") == 0 && (says ? one_line() && strstr(complaint, says) : !*complaint);
    if (!ok) printf("# %s: %s\n", name, complaint);
    return ok;
}

CASE(test_unknown_variables) {
    check(warned("RF_EXECUTION", "\"RF_EXECUTION\" is not known (did you mean RF_EXECUTIONS?)") &&
              warned("RF_STPES", "RF_STEPS?") && warned("RF_FAILON", "RF_FAIL_ON?") &&
              warned("RF_SEEDS", "RF_SEED?"),
          "a_slip_in_a_variable_is_one_warning");
    check(warned("RF_", NULL) && warned("RF_TEST", NULL) && warned("RF_CHANNEL", NULL) &&
              warned("RFSEED", NULL) && warned("XRF_SEEDS", NULL),
          "other_variables_are_left_alone");
}

/* ---- filters ---- */

CASE(test_arguments) {
    setenv("RF_FILTER", "variable", 1);
    check(silent(status_of(NULL)) && !strcmp(settings.filter, "variable"),
          "a_filter_is_a_variable");
    check(silent(ARGUMENTS("one", "--list", "two,three")) && settings.list &&
              !strcmp(settings.filter, "one,two,three"),
          "arguments_are_filters_and_beat_the_variable");
    check(silent(ARGUMENTS("--filter=-one", "two", "--filter", "-three")) &&
              rfi_filter_match(settings.filter, "two") &&
              rfi_filter_match(settings.filter, "one two") &&
              !rfi_filter_match(settings.filter, "three two") &&
              !rfi_filter_match(settings.filter, "x"),
          "arguments_are_added_to_the_last_filter_option");
    check(silent(ARGUMENTS("--", "-one", "--", "--list")) && !settings.list &&
              !strcmp(settings.filter, "-one,--,--list"),
          "two_dashes_end_the_options");
    unsetenv("RF_FILTER");
}

CASE(test_filters) {
    static const struct {
        const char *filter, *name;
        bool match;
    } rows[] = {
        {NULL, "any", true},
        {"fer", "transfer", true},
        {"transfer", "transfer", true},
        {"xfer", "transfer", false},
        {"transfers", "transfer", false},
        {"fer*", "transfer", false},
        {"*fer", "transfer", true},
        {"t*r", "transfer", true},
        {"t*s*r", "transfer", true},
        {"t?ansfer", "transfer", true},
        {"?", "transfer", false},
        {"*", "transfer", true},
        {"**", "", true},
        {"?*", "", false},
        {"*a*b*c", "aXbXbc", true},
        {"*ab", "aab", true},
        {"*ab", "aba", false},
        {"a*", "a", true},
        {"*?", "a", true},
        {"??", "a", false},
        {"a,b", "xbx", true},
        {"a,b", "xcx", false},
        {"a,*b", "xb", true},
        {"-a", "b", true},
        {"-a", "bab", false},
        {"x,-xy", "x", true},
        {"x,-xy", "xy", false},
        {"-xy,x", "xy", false},
        {"-xy,x", "z", false},
        {"-a*,-*b", "c", true},
        {"-a*,-*b", "cb", false},
        {"A", "a", false},
    };
    bool ok = true;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rfi_filter_match(rows[i].filter, rows[i].name) == rows[i].match) continue;
        printf("# %s on %s\n", rows[i].filter, rows[i].name);
        ok = false;
    }
    check(ok, "filters_let_in_what_they_should");
    static char pattern[2001], name[2001];
    for (unsigned i = 0; i < 2000; i += 2) memcpy(pattern + i, "*a", 2);
    memset(name, 'a', 2000);
    name[1999] = 'b';
    check(!rfi_filter_match(pattern, name), "a_filter_full_of_stars_is_answered");
}

/* ---- help ---- */

static char *printed;
static size_t printed_bytes;

static FILE *to_memory(void) {
    free(printed);
    printed = NULL;
    FILE *out = open_memstream(&printed, &printed_bytes);
    if (!out) exit(1);
    return out;
}

static size_t longest_line(const char *s) {
    size_t longest = 0;
    for (; *s; s += s[strcspn(s, "\n")] ? strcspn(s, "\n") + 1 : strcspn(s, "\n"))
        if (longest < strcspn(s, "\n")) longest = strcspn(s, "\n");
    return longest;
}

CASE(test_help) {
    bool all = true, fits = true;
    static const char *const widths[] = {"60", "80", "120"};
    for (unsigned w = 0; w < 3; w++) {
        setenv("COLUMNS", widths[w], 1);
        FILE *out = to_memory();
        rfi_print_help(out, "bank", &names);
        fclose(out);
        fits &= longest_line(printed) <= (size_t)atoi(widths[w]);
        for (unsigned i = 0; i < RFI_OPTION_COUNT; i++)
            all &= !rfi_option_table[i].help == !strstr(printed, rfi_option_table[i].option);
    }
    check(fits, "help_fits_the_width");
    check(all, "help_has_every_option_that_is_not_hidden");
    check(strstr(printed, "usage: bank ") &&
              strstr(printed, "  racefuzzer  directed at | pairs\n") &&
              strstr(printed, "(default: 1000000)"),
          "help_has_usage_names_and_defaults");
}

/* Columns of a row of a table, for which an escaped bar counts as text; 0: it has no row. */
static unsigned columns_of(const char *variable_name) {
    char row[64];
    unsigned bars = 0;
    snprintf(row, sizeof row, "\n| `%s` |", variable_name);
    const char *s = strstr(printed, row);
    if (!s) return 0;
    for (s++; *s && *s != '\n'; s++) bars += *s == '|' && s[-1] != '\\';
    return bars - 1;
}

CASE(test_tables) {
    FILE *out = to_memory();
    rfi_print_option_table(out, RFI_TABLE_MARKDOWN, &names);
    fclose(out);
    bool ok = true;
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++)
        ok &= columns_of(rfi_option_table[i].variable) == (rfi_option_table[i].help ? 4 : 0);
    check(ok, "the_table_of_the_manual_has_a_row_of_four_for_each_option");
    check(strstr(printed,
                 "| `RF_FAIL_ON` | `--fail-on=NAME` | which races fail a test: `race` (every "
                 "race that was produced), `harm` (") &&
              strstr(printed, "patterns with \\* and ?"),
          "it_has_the_names_and_protects_text");
    out = to_memory();
    rfi_print_option_table(out, RFI_TABLE_ROFF, &names);
    fclose(out);
    unsigned items = 0, shown = 0;
    for (const char *s = printed; (s = strstr(s, ".TP\n")) != NULL; s++) items++;
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) shown += rfi_option_table[i].help != NULL;
    check(items == shown && strstr(printed, ".TP\n\\fB\\-\\-fail\\-on\\fR=\\fINAME\\fR, "
                                            "\\fBRF_FAIL_ON\\fR\nwhich races fail a test: "),
          "the_list_of_the_man_page_has_each_option");
}

int main(void) {
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) unsetenv(rfi_option_table[i].variable);
    unsetenv("CLICOLOR_FORCE");
    free(printed);
    return check_cases();
}
