/* api/replay.h: one execution, by its token or by the input of a fuzzer, told in full. */
#ifndef RFI_API_REPLAY_H
#define RFI_API_REPLAY_H
#include "campaign/judge.h"
#include "campaign/convert.h"
#include "report/formats.h"

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

/* Tells the token of an input that has been executed. */
RFI_FN void rfi_input_told(FILE *out, const rfi_job *j, const rfi_record *r) {
    static char token[RFI_TOKEN_BYTES];
    if (r->used_more)
        fprintf(out, "the execution used more than %d bytes of the input: a token can't hold it\n",
                RF_USED_BYTES);
    rfi_token_write(j, 0, r, token);
    fprintf(out, "replay: RF_SEED=%s %s\n", token, rfi_program);
}

RFI_VAR rfi_campaign *rfi_replay_campaign;
RFI_VAR const rfi_token *rfi_replay_token;

/* Was something wrong with an execution that ran by itself? */
RFI_FN bool rfi_replay_bad(const rfi_record *r, const rfi_tally *seen, const rf_checker *checker) {
    bool bad = r->failure.diagnostic != RF_DIAG_NONE ||
               (r->hit_count && checker && rfi_checker_kinds(checker));
    for (uint32_t i = 0; i < seen->warnings; i++)
        bad |= seen->warning[i].seen && rfi_family(seen->warning[i].family)->kind;
    return bad;
}

/* Says what the replayed execution did; the exit status. */
RFI_FN int rfi_replay_report(void) {
    rfi_campaign *c = rfi_replay_campaign;
    rfi_record *r = &rfi_team_shared(&c->team, 0)->record;
    const rfi_tally *seen = &rfi_team_shared(&c->team, 0)->tally;
    const char *output = rfi_team_output(&c->team);
    const rf_checker *checker = rfi_job_checker(&rfi_replay_token->job);
    bool bad = rfi_replay_bad(r, seen, checker);
    char why[1024];
    rfi_leavings_clear(&r->leavings); /* nobody else does if it has crashed */
    bool agrees = rfi_token_compare(rfi_replay_token, r, why, sizeof why);
    r->reads_told = !agrees && rfi_job_strategy(&rfi_replay_token->job)->values;
    rfi_text_replayed(c->out, r, checker);
    for (uint32_t i = 0; i < seen->warnings; i++)
        if (seen->warning[i].seen) rfi_text_seen(c->out, &seen->warning[i]);
    if (rfi_job_told(&rfi_replay_token->job))
        fputs("the schedule was shrunk, and nothing directed it; --shrink=0 tells those that were "
              "found\n",
              c->out);
    if (!bad) fputs("nothing was wrong with this execution\n", c->out);
    if (*output) fprintf(c->out, "the end of what it wrote:\n%s", output);
    if (!agrees)
        fprintf(c->out, "note: %s%s\n", why,
                r->reads_told ? "; reads gave what the token tells, be it allowed by the program"
                                " or not"
                              : "");
    if (c->settings.input) rfi_input_told(c->out, &rfi_replay_token->job, r);
    rfi_reports_replayed(&c->summary, rfi_replay_token->job.test, r, bad);
    if (bad || rfi_token_pair_met(rfi_replay_token) == 2) return bad;
    RFI_REAL(fflush)(c->out);
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
    rfi_quit(rfi_reports_close(rfi_replay_report()));
}

RFI_FN int rfi_refuse_token(const char *text, const char *why) {
    fputs("racefuzz: RF_SEED=", stderr);
    rfi_complain_quoted(text, strlen(text));
    fprintf(stderr, ": %s\n", why);
    return 2;
}

/* The token that is asked for; 0 or 2. */
RFI_FN int rfi_token_asked(const rfi_campaign *c, const char *text, rfi_token *t) {
    char why[256];
    if (!rfi_token_read(text, t, why, sizeof why)) return rfi_refuse_token(text, why);
    t->job.test = rfi_test_named(t->test);
    if (!t->job.test)
        return rfi_refuse_token(text,
                                "it is of a test that this program does not have (see --list)");
    t->job.analyses = rfi_campaign_analyses(c, t->job.test);
    return 0;
}

/* ---- the inputs of fuzzers ---- */

RFI_VAR const char *rfi_fuzz_test; /* that of RF_FUZZ_TARGET; NULL: there is none */

/* Executions of a test that bytes decide (explore/input.h), under the options that were given. */
RFI_FN void rfi_input_job(rfi_campaign *c, const rfi_test *test, rfi_job *j) {
    static rfi_study study;
    study = (rfi_study){.campaign = c};
    rfi_study_settings(&study, test);
    *j = study.job;
    j->strategy = &rfi_input_strategy;
    j->parameter = 0;
    j->replay = true;
    j->covers = j->serials = j->again = false;
}

/* The test that inputs are of; NULL after one line that says why there is none. */
RFI_FN rfi_test *rfi_input_test(const rfi_campaign *c) {
    rfi_test *found = NULL;
    uint32_t n = 0;
    for (rfi_test *t = rfi_tests; t; t = t->next) {
        bool wanted =
            !rfi_fuzz_test || c->settings.filter || !strcmp(t->options.rfi_name, rfi_fuzz_test);
        if (!wanted || !rfi_filter_match(c->settings.filter, t->options.rfi_name)) continue;
        found = t;
        n++;
    }
    if (n == 1) return found;
    fprintf(stderr, "racefuzz: --input: %u tests are meant: name one of them (--filter)\n", n);
    return NULL;
}

RFI_FN int rfi_refuse_file(const char *option, const char *path, const char *why) {
    fprintf(stderr, "racefuzz: %s=", option);
    rfi_complain_quoted(path, strlen(path));
    fprintf(stderr, ": %s\n", why);
    return 2;
}

/* Reads an input as if it were a token; 0 or 2. */
RFI_FN int rfi_input_asked(rfi_campaign *c, const char *path, rfi_token *t) {
    *t = (rfi_token){.index = 0};
    rfi_test *test = rfi_input_test(c);
    if (!test) return 2;
    int file = RFI_REAL(open)(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : 0;
    size_t bytes = 0;
    while (file >= 0 && bytes < sizeof t->used &&
           (n = RFI_REAL(read)(file, t->used + bytes, sizeof t->used - bytes)) > 0)
        bytes += (size_t)n;
    int error = errno;
    if (file >= 0) RFI_REAL(close)(file);
    if (n < 0) return rfi_refuse_file("--input", path, strerror(error));
    rfi_input_job(c, test, &t->job);
    t->job.used = t->used;
    t->job.used_bytes = (uint32_t)bytes;
    return 0;
}

/* Notes what an execution decides as bytes, and executes these; why they don't do, or NULL. */
RFI_FN const char *rfi_input_try(rfi_team *team, rfi_token *to, rf_diagnostic failed,
                                 uint64_t key) {
    to->job.strategy = &rfi_convert_strategy;
    to->job.used_bytes = 0;
    const rfi_record *r = rfi_team_replay(team, &to->job, 0);
    if (!r) return "no process can run this execution";
    if (r->used_more) return "the execution has too many choices";
    uint32_t n = r->used_bytes;
    while (n && !r->used[n - 1]) n--; /* nothing is as good as zeros */
    memcpy(to->used, r->used, n);
    to->job.strategy = &rfi_input_strategy;
    to->job.used = to->used;
    to->job.used_bytes = n;
    r = rfi_team_replay(team, &to->job, 0);
    bool same = r && r->failure.diagnostic == failed &&
                (rfi_convert_of.tape->whole || (failed && rfi_failure_key(&r->failure) == key));
    return same ? NULL
                : "an input does not decide all of this execution (older values of racing data, "
                  "time that passes early, memory that is given out again)";
}

/* The input that decides the execution of a token as it was decided, in to->used; NULL, or why
 * there is none.  In processes of their own: it may crash. */
RFI_FN const char *rfi_input_convert(rfi_campaign *c, const rfi_token *t, rfi_token *to) {
    rfi_team *team = &c->team;
    rfi_tape *tape = rfi_tape_to = rfi_pages(sizeof *tape, true);
    rfi_team_open(team, 1);
    rfi_team_listen(team);
    const rfi_record *r = rfi_team_replay(team, &t->job, t->index);
    rf_diagnostic failed = r ? r->failure.diagnostic : RF_DIAG_NONE;
    uint64_t key = failed ? rfi_failure_key(&r->failure) : 0;
    rfi_tape_to = NULL;
    rfi_convert_of.tape = tape;
    rfi_input_job(c, t->job.test, &to->job);
    if (tape->more) return "the execution has too many choices";
    const char *why = rfi_input_try(team, to, failed, key);
    rfi_convert_of.eager = true;
    return why ? rfi_input_try(team, to, failed, key) : NULL;
}

RFI_FN int rfi_input_file(const rfi_token *t, const char *path) {
    int file = RFI_REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return rfi_refuse_file("--write-input", path, strerror(errno));
    ssize_t n = RFI_REAL(write)(file, t->used, t->job.used_bytes);
    bool good = n >= 0 && (uint32_t)n == t->job.used_bytes;
    if (RFI_REAL(close)(file) || !good)
        return rfi_refuse_file("--write-input", path, "it could not be written");
    return 0;
}

/* Writes the input that decides a token's execution; 0 or 2. */
RFI_FN int rfi_input_write(rfi_campaign *c, const rfi_token *t, const char *path) {
    static rfi_token to;
    int status = 0;
    if (rfi_job_strategy(&t->job) == &rfi_input_strategy && t->job.phase == RFI_PREDICT)
        return rfi_input_file(t, path);
    fflush(NULL);
    pid_t pid = rfi_fork_patiently();
    if (pid < 0) return rfi_refuse_file("--write-input", path, strerror(errno));
    if (!pid) {
        const char *why = rfi_input_convert(c, t, &to);
        status = why ? rfi_refuse_file("--write-input", path, why) : rfi_input_file(&to, path);
        fflush(NULL);
        rfi_quit(status);
    }
    while (RFI_REAL(waitpid)(pid, &status, 0) != pid) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* ---- replays ---- */

/* What is wrong with options of replays; NULL: nothing. */
RFI_FN const char *rfi_replay_amiss(const rfi_settings *s) {
    if (s->stop_at && !s->token && !s->input)
        return "--stop-at is for replays: it needs RF_SEED=token";
    if (s->input && s->token) return "--input and a token are two executions: name one of them";
    if (s->write_input && !s->token) return "--write-input needs RF_SEED=token";
    return NULL;
}

/* One execution in this process, so that a debugger just works (but for rf_explore without one),
 * with its whole interleaving. */
RFI_FN int rfi_replay(rfi_campaign *c) {
    static rfi_token t;
    const rfi_settings *s = &c->settings;
    int status = s->input ? rfi_input_asked(c, s->input, &t) : rfi_token_asked(c, s->token, &t);
    if (!status && s->write_input) status = rfi_input_write(c, &t, s->write_input);
    if (status) return status;
    rfi_sink_open();
    rfi_replay_campaign = c;
    rfi_replay_token = &t;
    if (t.job.threads) c->team.backend = RFI_BACKEND_THREADS;
    rfi_team_open(&c->team, rfi_replay_apart);
    if (rfi_replay_apart)
        rfi_team_listen(&c->team);
    else
        rfi_crash_open(rfi_debugged() ? 0 : c->settings.watchdog, false, rfi_replay_crashed);
    /* first of all: it may end without another word */
    fprintf(c->out, "racefuzz: replay of execution %llu of test %s\n", (unsigned long long)t.index,
            t.job.test->options.rfi_name);
    RFI_REAL(fflush)(c->out);
    rfi_large_files(false);
    rfi_stop_at = c->settings.stop_at;
    bool ran = rfi_team_replay(&c->team, &t.job, t.index) != NULL;
    rfi_large_files(true);
    if (!ran) fputs("racefuzz: RF_SEED: no process can run this execution\n", stderr);
    if (!ran) return 2;
    if (rfi_stop_at) fputs("racefuzz: --stop-at: the execution did not come there\n", stderr);
    return rfi_replay_report();
}
#endif
#endif
