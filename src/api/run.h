/* api/run.h: rf_run, which ties tests, settings, campaigns and reports together. */
#ifndef RFI_API_RUN_H
#define RFI_API_RUN_H
#include "api/switches.h"
#include "campaign/addresses.h"
#include "campaign/judge.h"
#include "report/formats.h"
#include "report/gdb.h"
#include "report/help.h"
#include "report/progress.h"

#ifdef RFI_IMPL
RFI_VAR rfi_test *rfi_tests, **rfi_tests_end = &rfi_tests;

void rfi_register(rfi_test *t) {
    *rfi_tests_end = t;
    rfi_tests_end = &t->next;
}

/* The test that goes by this name in tokens. */
RFI_FN rfi_test *rfi_test_named(const char *name) {
    char own[RFI_TOKEN_NAME];
    for (rfi_test *t = rfi_tests; t; t = t->next) {
        rfi_token_name(t->options.rfi_name, own);
        if (!strcmp(own, name)) return t;
    }
    return NULL;
}

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
    if (s->shards == 1) return;
    if (!c->divides) c->summary.tests = mine;
    rfi_text out = {c->summary.division, c->summary.division + sizeof c->summary.division};
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

/* ---- replay ---- */

RFI_VAR rfi_campaign *rfi_replay_campaign;
RFI_VAR const rfi_token *rfi_replay_token;

/* Says what the replayed execution did; the exit status. */
RFI_FN int rfi_replay_report(void) {
    rfi_campaign *c = rfi_replay_campaign;
    const rfi_record *r = &rfi_team_shared(&c->team, 0)->record;
    const rfi_tally *seen = &rfi_team_shared(&c->team, 0)->tally;
    const rf_checker *checker = rfi_job_checker(&rfi_replay_token->job);
    const char *output = rfi_team_output(&c->team);
    bool bad = r->failure.diagnostic != RF_DIAG_NONE ||
               (r->hit_count && checker && rfi_checker_kinds(checker));
    char why[512];
    rfi_text_replayed(c->out, r, checker);
    for (uint32_t i = 0; i < seen->warnings; i++) {
        if (!seen->warning[i].seen) continue;
        bad |= rfi_family(seen->warning[i].family)->kind != 0;
        rfi_text_seen(c->out, &seen->warning[i]);
    }
    if (rfi_job_told(&rfi_replay_token->job))
        fputs("the schedule was shrunk, and nothing directed it; --shrink=0 tells those that were "
              "found\n",
              c->out);
    if (!bad) fputs("nothing was wrong with this execution\n", c->out);
    if (*output) fprintf(c->out, "the end of what it wrote:\n%s", output);
    if (!rfi_token_compare(rfi_replay_token, r, why, sizeof why))
        fprintf(c->out, "note: %s\n", why);
    rfi_reports_replayed(&c->summary, rfi_replay_token->job.test, r, bad);
    if (bad || rfi_token_pair_met(rfi_replay_token) == 2) return bad;
    fflush(c->out);
    fputs("racefuzz: RF_SEED: this execution never came to a statement of the token's pair: the "
          "program "
          "is not the one that the token was made with\n",
          stderr);
    return 2;
}

/* rf_explore: the process has other things to do; and a replay can have one of its own. */
RFI_VAR bool rfi_replay_returns, rfi_replay_apart;

RFI_FN void rfi_replay_crashed(void) {
    if (rfi_replay_returns && !rfi_crash_elsewhere(rfi.current, 0)) rfi_go_home();
    rfi_large_files(true);
    _exit(rfi_reports_close(rfi_replay_report()));
}

RFI_FN int rfi_refuse_token(const char *text, const char *why) {
    fputs("racefuzz: RF_SEED=", stderr);
    rfi_complain_quoted(text, strlen(text));
    fprintf(stderr, ": %s\n", why);
    return 2;
}

/* One execution in this process, so that a debugger just works (but for rf_explore without one),
 * with its whole interleaving. */
RFI_FN int rfi_replay(rfi_campaign *c, const char *text) {
    static rfi_token t;
    char why[256];
    if (!rfi_token_read(text, &t, why, sizeof why)) return rfi_refuse_token(text, why);
    t.job.test = rfi_test_named(t.test);
    if (!t.job.test)
        return rfi_refuse_token(text,
                                "it is of a test that this program does not have (see --list)");
    t.job.analyses = rfi_campaign_analyses(c, t.job.test);
    rfi_sink_open();
    rfi_replay_campaign = c;
    rfi_replay_token = &t;
    rfi_team_open(&c->team, rfi_replay_apart);
    if (rfi_replay_apart)
        rfi_team_listen(&c->team);
    else
        rfi_crash_open(rfi_debugged() ? 0 : c->settings.watchdog, false, rfi_replay_crashed);
    /* first of all: it may end without another word */
    fprintf(c->out, "racefuzz: replay of execution %u of test %s\n", t.index,
            t.job.test->options.rfi_name);
    fflush(c->out);
    rfi_large_files(false);
    rfi_stop_at = c->settings.stop_at;
    bool ran = rfi_team_replay(&c->team, &t.job, t.index) != NULL;
    rfi_large_files(true);
    if (!ran) fputs("racefuzz: RF_SEED: no process can run this execution\n", stderr);
    if (!ran) return 2;
    if (rfi_stop_at) fputs("racefuzz: --stop-at: the execution did not come there\n", stderr);
    return rfi_replay_report();
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
    fflush(c->out);
    fprintf(stderr,
            "racefuzz: %s: %s; with RF_JOBS=0 the campaign ends here; replay: RF_SEED=%s %s\n",
            rfi_diagnostic(f->diagnostic)->words, f->message, token, rfi_program);
    _exit(1);
}

/* The engine can't go on, and has said why: what was reported until then stands. */
RFI_FN void rfi_run_died(void) {
    const rfi_campaign *c = rfi_run_campaign;
    rfi_dying = NULL;
    fflush(c->out);
    if (rfi.record && rfi.record->state == RFI_RUNNING)
        fprintf(stderr,
                "racefuzz: this was in execution %u of test %s; with RF_JOBS=0 the campaign ends "
                "here\n",
                rfi.record->index, c->team.job->test->options.rfi_name);
    _exit(c->summary.failed > c->summary.ended ? 1 : 2);
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
    if (c->summary.failed) return c->summary.failed > c->summary.ended ? 1 : 2;
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
            !(!strcmp(memory, "c11") && (serial->values || serial == &rfi_dpor)))
            break;
    if (!serial) return true;
    fprintf(stderr,
            "racefuzz: test %s: memory %s was asked for, but %s explores sequentially consistent "
            "memory%s only: leave the memory out (or sc), or name another strategy\n",
            o->rfi_name, memory, serial->name,
            serial->values || serial == &rfi_dpor ? " and c11" : "");
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
    if (!rfi_versions_agree() || !rfi_tests_differ()) return false;
    if (!rfi_options_valid(c->defaults, "rf_run")) return false;
    for (rfi_test *t = rfi_tests; t; t = t->next) {
        if (!rfi_selected(c, t)) continue;
        if (!rfi_options_valid(&t->options, t->options.rfi_name)) return false;
        if (!s->token && !rfi_memory_explored(c, t)) return false;
        c->summary.tests++;
    }
    if (s->local == RFI_LOCAL_OWN && !rfi_local_possible()) {
        fputs("racefuzz: --thread-local=own is not possible here (docs/unedited.md): "
              "--backend=threads gives each thread its own\n",
              stderr);
        return false;
    }
    if (s->stop_at && !s->token) {
        fputs("racefuzz: --stop-at is for replays: it needs RF_SEED=token\n", stderr);
        return false;
    }
    return true;
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
    int status = s->token ? rfi_replay(c, s->token) : rfi_run_all(c);
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
    raise(sig);
    return 128 + sig;
}

RFI_FN int rfi_run_options(rfi_campaign *c, int argc, char **argv) {
    const rf_checker *astray = rfi_register_astray();
    if (astray) rfi_die("RF_CHECKER: %s: there is no analysis %s (.of)", astray->name, astray->of);
    rfi_streams_open();
    const char *program = argc > 0 && argv[0] ? argv[0] : "test";
    int status = rfi_settings_read(&c->settings, rfi_names_all(), argc, argv);
    if (status) return status;
    rfi_run_words(&c->settings, program);
    if (rfi_print_about(&c->settings, program)) return rfi_stdout_close();
    if (!rfi_run_possible(c)) return 2;
    for (rfi_test *t = rfi_tests; t && c->settings.list; t = t->next)
        if (rfi_selected(c, t)) puts(t->options.rfi_name);
    if (c->settings.list) return rfi_stdout_close();
    if (!c->summary.tests) {
        fprintf(stderr, "racefuzz: no test %s\n",
                c->settings.filter ? "matches the filter (see --list)" : "is registered");
        return 2;
    }
    if (!rfi_suppressions_open(&c->settings) || !rfi_folder_open(&c->settings, program)) return 2;
    if (!rfi_reports_open(&c->settings)) return 2;
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
