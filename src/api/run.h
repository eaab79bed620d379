/* api/run.h: rf_run, which ties tests, settings, campaigns and reports together. */
#ifndef RFI_API_RUN_H
#define RFI_API_RUN_H
#include "api/replay.h"
#include "api/switches.h"
#include "campaign/addresses.h"
#include "report/formats.h"
#include "report/gdb.h"
#include "report/help.h"
#include "report/progress.h"
#include "spec/scenario.h"

#ifdef RFI_IMPL
/* Tests of one name would replay each other. */
RFI_FN bool rfi_tests_differ(void) {
    rfi_map known = {0};
    const rfi_test *t = rfi_tests, *other = NULL;
    for (; t; t = t->next) {
        uint64_t *first = rfi_map_at(&known, rfi_hash_text(t->options.rfi_name));
        other = (const rfi_test *)(uintptr_t)*first;
        if (other) break;
        *first = (uint64_t)(uintptr_t)t;
    }
    rfi_map_free(&known);
    if (!t) return true;
    fprintf(stderr, "racefuzz: two tests are named %s (%s:%u and %s:%u): rename one of them\n",
            t->options.rfi_name, other->file, other->line, t->file, t->line);
    return false;
}

/* Is a test, by its number among those that are wanted, this shard's? */
RFI_FN bool rfi_shard_has(const rfi_campaign *c, uint32_t number) {
    const rfi_settings *s = &c->settings;
    return s->shards == 1 || c->divides || number % s->shards == s->shard - 1;
}

/* Divides the tests, or executions, and says so; `tests`: how many are wanted. */
RFI_FN void rfi_shards_divide(rfi_campaign *c, uint32_t tests) {
    const rfi_settings *s = &c->settings;
    bool many = tests > s->shards;
    uint32_t mine = tests / s->shards + (s->shard - 1 < tests % s->shards);
    c->divides = s->shard_by ? s->shard_by == RFI_SHARD_BY_EXECUTIONS : !many;
    if (s->shards == 1 && !s->shard_by) c->divides = s->folder != NULL;
    rfi_text out = {c->summary.division, c->summary.division + sizeof c->summary.division};
    if (s->merge.count) rfi_gaps_say(&out);
    if (s->shards == 1) return;
    if (!c->divides) c->summary.tests = mine;
    rfi_append(&out, "shard %u of %u (%s): ", s->shard, s->shards, s->shard_from);
    if (c->divides)
        rfi_append(&out, "executions are divided");
    else
        rfi_append(&out, "%u of %u tests", mine, tests);
    if (!s->shard_by)
        rfi_append(&out, ", there are %s tests than shards", many ? "more" : "no more");
}

RFI_FN bool rfi_selected(const rfi_campaign *c, const rfi_test *t) {
    return rfi_filter_match(c->settings.filter, t->options.rfi_name);
}

/* A standard stream that is closed would become the next file that is opened.  What stands in for
 * it refuses reads or writes, so that output is lost with an error. */
RFI_FN void rfi_streams_open(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!RFI_REAL(open)("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* ---- the run ---- */

/* Crashes under RF_JOBS=0: the execution is given up and the campaign goes on, if the process is
 * still in one piece. */
RFI_VAR rfi_campaign *rfi_run_campaign;

RFI_FN void rfi_run_crashed(void) {
    const rfi_campaign *c = rfi_run_campaign;
    const rfi_failure *f = &rfi.record->failure;
    static char token[RFI_TOKEN_BYTES];                             /* the stack may be short */
    bool fibers RFI_UNUSED = rfi_backend.kind == RFI_BACKEND_FIBER; /* exit() may hold a lock */
    rfi.lesson_over = true;
# if !defined RFI_ASAN && !defined RFI_TSAN
    if (!rfi_crash_elsewhere(rfi.current, 0) && (fibers || f->diagnostic != RF_DIAG_EXIT))
        rfi_go_home();
# endif
    rfi_token_write(c->team.job, rfi.record->index, rfi.record, token);
    RFI_REAL(fflush)(c->out);
    fprintf(stderr,
            "racefuzz: %s: %s; with RF_JOBS=0 the campaign ends here; replay: RF_SEED=%s %s\n",
            rfi_diagnostic(f->diagnostic)->words, f->message, token, rfi_program);
    rfi_quit(1);
}

/* The engine can't go on, and has said why: what was reported until then stands. */
RFI_FN void rfi_run_died(void) {
    const rfi_campaign *c = rfi_run_campaign;
    rfi_dying = NULL;
    RFI_REAL(fflush)(c->out);
    if (rfi.record && rfi.record->state == RFI_RUNNING)
        fprintf(stderr,
                "racefuzz: this was in execution %llu of test %s; with RF_JOBS=0 the campaign ends "
                "here\n",
                (unsigned long long)rfi.record->index, c->team.job->test->options.rfi_name);
    rfi_quit(c->summary.failed > c->summary.ended ? 1 : 2);
}

RFI_FN uint32_t rfi_default_jobs(const rfi_settings *s) {
    if (s->jobs_given) return s->jobs;
    return rfi_debugged() ? 0 : 1;
}

RFI_FN int rfi_run_all(rfi_campaign *c) {
    static rfi_study study;
    uint32_t jobs = rfi_default_jobs(&c->settings);
    rfi_team_open(&c->team, jobs);
    rfi_team_listen(&c->team);
    if (!jobs) {
        rfi_run_campaign = c;
        rfi_dying = rfi_run_died;
        rfi_crash_open(rfi_debugged() ? 0 : c->settings.watchdog, false, rfi_run_crashed);
        rfi_sink_open();
    }
    c->reporter->begin(c->out, &c->summary);
    uint32_t number = 0;
    c->left = c->summary.tests;
    for (rfi_test *t = rfi_tests; t && !rfi_interrupted; t = t->next) {
        if (!rfi_selected(c, t) || !rfi_shard_has(c, number++)) continue;
        if (c->settings.fail_fast && c->summary.failed) break;
        c->number = number - 1;
        rfi_campaign_test(c, &study, t);
        rfi_progress_clear();
        c->left--;
    }
    c->reporter->end(c->out, &c->summary);
    rfi_team_close(&c->team);
    if (c->summary.few && !c->summary.failed) return 3;
    if (c->summary.failed > c->summary.ended) return (int)c->settings.finding_status;
    if (c->summary.failed) return 2;
    return c->summary.skipped > c->summary.elsewhere && !c->summary.passed ? 77 : 0;
}

/* What is printed instead of running tests. */
RFI_FN bool rfi_print_about(const rfi_settings *s, const char *program) {
    if (s->help)
        rfi_print_help(stdout, program, rfi_names_all());
    else if (s->gdb_script)
        rfi_print_gdb_script(stdout);
    else if (s->version)
        puts("racefuzz " RF_VERSION);
    else if (s->help_markdown)
        rfi_print_option_table(stdout, RFI_TABLE_MARKDOWN, rfi_names_all());
    else if (s->help_roff)
        rfi_print_option_table(stdout, RFI_TABLE_ROFF, rfi_names_all());
    return s->help || s->gdb_script || s->version || s->help_markdown || s->help_roff;
}

/* What goes through all schedules does so under sequentially consistent memory, but for what knows
 * c11 itself: another one that was asked for would be taken for explored. */
RFI_FN bool rfi_memory_explored(const rfi_campaign *c, const rfi_test *t) {
    const rfi_settings *s = &c->settings;
    const rf_options *o = &t->options, *all = c->defaults;
    const char *names = s->strategy ? s->strategy : o->strategy;
    const char *memory = s->memory ? s->memory : o->memory;
    const rf_strategy *serial;
    if (!names && all) names = all->strategy;
    if (!memory && all) memory = all->memory;
    if (!names || !memory || !strcmp(memory, "sc")) return true;
    for (uint32_t i = 0; (serial = rfi_strategy_at(i)) != NULL; i++)
        if (serial->serial && rfi_list_has(names, serial->name) &&
            !(!strcmp(memory, "c11") && serial->rfi_c11))
            break;
    if (!serial) return true;
    fprintf(stderr,
            "racefuzz: test %s: memory %s was asked for, but %s explores sequentially consistent "
            "memory%s only: leave the memory out (or sc), or name another strategy\n",
            o->rfi_name, memory, serial->name,
            serial->rfi_c11 ? " and c11" : "");
    return false;
}

/* The names among the options of a test, or of all of them. */
RFI_FN bool rfi_options_valid(const rf_options *o, const char *of) {
    char where[192];
    if (!o) return true;
    const struct {
        rfi_option_id id;
        const char *field, *text;
    } named[] = {{RFI_OPTION_STRATEGY, "strategy", o->strategy},
                 {RFI_OPTION_DETECT, "detect", o->detect},
                 {RFI_OPTION_MEMORY, "memory", o->memory}};
    for (unsigned i = 0; i < sizeof named / sizeof *named; i++) {
        snprintf(where, sizeof where, "%.160s: .%s", of, named[i].field);
        if (!rfi_name_valid(named[i].id, rfi_names_all(), named[i].text, where)) return false;
    }
    return true;
}

# ifdef __ELF__
extern const rfi_version_of rfi_versions_begin[] __asm__("__start_rfi_versions")
    __attribute__((weak));
extern const rfi_version_of rfi_versions_end[] __asm__("__stop_rfi_versions") __attribute__((weak));
# endif

/* What code writes that was compiled without it MemorySanitizer takes for indeterminate. */
RFI_FN bool rfi_sanitizers_agree(void) {
# if defined __ELF__ && !defined RFI_MSAN
    if (__msan_init) {
        fputs("racefuzz: the program has MemorySanitizer: compile the engine with "
              "-fsanitize=memory, too\n",
              stderr);
        return false;
    }
# endif
    return true;
}

/* Objects of another version may be laid out in another way. */
RFI_FN bool rfi_versions_agree(void) {
# ifdef __ELF__
    for (const rfi_version_of *u = rfi_versions_begin; u != rfi_versions_end; u++) {
        if (!strcmp(u->version, RF_VERSION)) continue;
        fprintf(stderr,
                "racefuzz: %s was compiled with racefuzz.h "
                "%s, the engine is " RF_VERSION ": compile all with one\n",
                u->file, u->version);
        return false;
    }
# endif
    return true;
}

/* How reports look, and of which program. */
RFI_FN void rfi_run_words(const rfi_settings *s, const char *program) {
    rfi_report_program(program);
    rfi_report_whole = s->trace;
    rfi_report_verbose = s->verbose;
}

/* Is what the program and the command line ask for possible?  If not, it has said why. */
RFI_FN bool rfi_run_possible(rfi_campaign *c) {
    const rfi_settings *s = &c->settings;
    if (!rfi_versions_agree() || !rfi_sanitizers_agree()) return false;
    if (!rfi_tests_differ() || !rfi_objects_valid(rfi_tests)) return false;
    if (!rfi_options_valid(c->defaults, "rf_run")) return false;
    for (rfi_test *t = rfi_tests; t; t = t->next) {
        if (!rfi_selected(c, t)) continue;
        if (!rfi_options_valid(&t->options, t->options.rfi_name)) return false;
        if (!s->token && !s->input && !rfi_memory_explored(c, t)) return false;
        c->summary.tests++;
    }
    if (s->local == RFI_LOCAL_OWN && !rfi_local_possible()) {
        fputs("racefuzz: --thread-local=own is not possible here (docs/unedited.md): "
              "--backend=threads gives each thread its own\n",
              stderr);
        return false;
    }
    const char *amiss = rfi_replay_amiss(s);
    if (amiss) fprintf(stderr, "racefuzz: %s\n", amiss);
    return !amiss;
}

/* Runs the tests, or the replay, and closes the reports, which are open. */
RFI_FN int rfi_run_reported(rfi_campaign *c) {
    const rfi_settings *s = &c->settings;
    rfi_shards_divide(c, c->summary.tests);
    c->reporter = &rfi_all_reporters;
    rfi_large_files(true);
    c->summary.seed = s->seed;
    c->team.backend = s->backend;
    c->team.local = s->local;
    c->team.watchdog = s->watchdog;
    rfi_success = s->success;
    int here = RFI_REAL(open)(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = s->token || s->input ? rfi_replay(c) : rfi_run_all(c);
    if (here >= 0) (void)!RFI_REAL(fchdir)(here); /* a test may have gone elsewhere */
    if (here >= 0) RFI_REAL(close)(here);
    status = rfi_reports_close(status);
    rfi_large_files(false);
    return status;
}

/* Somebody wanted an end: as it would have ended without us. */
RFI_FN int rfi_run_ends(rfi_campaign *c, int status) {
    if (!rfi_interrupted) return status;
    int sig = rfi_interrupted;
    rfi_interrupted = 0;
    rfi_team_deaf(&c->team);
    RFI_REAL(raise)(sig);
    return 128 + sig;
}

RFI_FN int rfi_run_options(rfi_campaign *c, int argc, char **argv) {
    const rf_checker *astray = rfi_register_astray();
    if (astray) rfi_die("RF_CHECKER: %s: there is no analysis %s (.of)", astray->name, astray->of);
    rfi_streams_open();
    const char *program = argc > 0 && argv[0] ? argv[0] : "test";
    int status = rfi_settings_read(&c->settings, rfi_names_all(), argc, argv);
    if (status) return status;
    if (!c->progress && c->settings.progress) {
        rfi_progress_log_open(c->settings.progress);
        c->progress = rfi_progress_log;
    }
    rfi_run_words(&c->settings, program);
    if (rfi_print_about(&c->settings, program)) return rfi_stdout_close();
    if (!rfi_run_possible(c)) return 2;
    for (rfi_test *t = rfi_tests; t && c->settings.list; t = t->next)
        if (rfi_selected(c, t)) puts(t->options.rfi_name);
    if (c->settings.list && c->summary.tests) return rfi_stdout_close();
    if (!c->summary.tests) {
        rfi_argument_unknown = c->settings.filter != NULL;
        fprintf(stderr, "racefuzz: no test %s\n",
                c->settings.filter ? "matches the filter (see --list)" : "is registered");
        return 2;
    }
    if (!rfi_suppressions_open(&c->settings) ||
        !rfi_folder_open(&c->settings, program, rfi_program_arguments) ||
        !rfi_reports_open(&c->settings))
        return 2;
    rfi_sequential_open();
    rfi_runner_begins();
    c->out = rfi_reports_text();
    status = rfi_run_reported(c);
    rfi_runner_ends();
    return rfi_run_ends(c, status);
}

int rf_run(const rf_options *options, int argc, char **argv) {
    rfi_campaign c = {.defaults = options,
                      .begin = rfi_milliseconds(),
                      .summary.version = RF_VERSION,
                      .progress = rfi_is_terminal(stderr) ? rfi_progress_show : NULL};
    int status = rfi_run_options(&c, argc, argv);
    return status == 2 && c.settings.error_status ? (int)c.settings.error_status : status;
}

int rfi_main(int argc, char **argv) {
    rfi_addresses_settle(argc, argv);
    return rf_run(NULL, argc, argv);
}
#endif
#endif
