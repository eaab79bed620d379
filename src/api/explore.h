/* api/explore.h: rf_explore, the whole campaign on one function, in the middle of another program
 * (docs/frameworks.md).
 *
 * It is a run of one test like that of rf_run, with its report in memory.  The process gets back
 * what it had: its signals, its clock, its threads.  Where it has other threads than the caller,
 * none may be lost by fork(), so that executions run in the process itself.
 *
 * A test framework may leave a failed test by longjmp.  Here that would leave the execution, in a
 * worker with all that the framework does next.  glibc's longjmp runs what _pthread_cleanup_push
 * has put down in the frames that it leaves: that ends the execution.  Jumps within the code under
 * test leave none of these frames.
 */
#ifndef RFI_API_EXPLORE_H
#define RFI_API_EXPLORE_H
#include "api/run.h"

RFI_EXTERN_C_BEGIN
/* Explores body(arg), the first logical thread of every execution, as a test called `name`.  May be
 * called any number of times, from any thread, not from within.  `options` may be NULL. */
rf_outcome rf_explore(const char *name, void (*body)(void *), void *arg, const rf_options *);
/* Gives back the memory of an outcome, which its caller owns; true if it has passed. */
bool rf_outcome_free(rf_outcome *o);
RFI_EXTERN_C_END

#ifdef RFI_IMPL
RFI_VAR struct {
    pthread_mutex_t mutex;
    void (*body)(void *);
    void *arg;
    rfi_test test;
    rf_outcome *outcome;
    rfi_team *team;
    rfi_map calls; /* how many of each name there were */
    bool no_forks; /* the system has refused one */
} rfi_exploring = {.mutex = PTHREAD_MUTEX_INITIALIZER};

RFI_FN void rfi_explore_body(void) { rfi_exploring.body(rfi_exploring.arg); }

bool rf_outcome_free(rf_outcome *o) {
    bool passed = o->passed;
    RFI_REAL(free)((char *)(uintptr_t)o->token);
    RFI_REAL(free)((char *)(uintptr_t)o->report);
    *o = (rf_outcome){.report = NULL};
    return passed;
}

/* ---- a reporter that fills in the outcome ---- */

RFI_FN void rfi_outcome_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rf_outcome *o = rfi_exploring.outcome;
    (void)out, (void)r;
    o->findings += f->fails;
    if (!o->token && f->token && *f->token) o->token = RFI_REAL(strdup)(f->token);
}

RFI_FN void rfi_outcome_result(FILE *out, const rfi_result *r) {
    rf_outcome *o = rfi_exploring.outcome;
    (void)out;
    o->verdict = r->skipped  ? RF_VERDICT_SKIPPED
                 : r->passed ? RF_VERDICT_PASSED
                             : RF_VERDICT_FAILED;
    o->found = r->found;
    o->executions = rfi_sum_of_phases(r->executions);
    o->seconds = r->seconds;
    o->capped = r->capped;
}

RFI_VAR const rfi_reporter rfi_outcome_reporter = {
    "outcome", NULL, NULL, rfi_outcome_finding, rfi_outcome_result, NULL, false};

/* Files of reports that are asked for have the name of the exploration in theirs. */
RFI_FN bool rfi_explore_report(const rfi_settings *s, const rfi_asked *w) {
    char name[RFI_TOKEN_NAME];
    rfi_token_name(rfi_exploring.test.options.rfi_name, name);
    const char *format = w->format ? w->format : s->format, *dot = NULL;
    if (w->bytes == 1 && *w->path == '-') return rfi_report_add(s, format, NULL, 0);
    for (const char *p = w->path; p < w->path + w->bytes; p++)
        dot = *p == '/' ? NULL : *p == '.' && p > w->path && p[-1] != '/' ? p : dot;
    size_t head = dot ? (size_t)(dot - w->path) : w->bytes, room = w->bytes + sizeof name + 2;
    char *path = RFI_REAL(malloc)(room);
    if (!path) rfi_die("out of memory (name of a report)");
    int n = snprintf(path, room, "%.*s.%s%.*s", (int)head, w->path, name, (int)(w->bytes - head),
                     w->path + head);
    bool good = rfi_report_add(s, format, path, (size_t)n);
    RFI_REAL(free)(path);
    return good;
}

RFI_FN bool rfi_explore_reports(const rfi_settings *s, FILE *out) {
    rfi_reports.count = 2;
    rfi_reports.at[0] = (rfi_report){&rfi_outcome_reporter, out, NULL, NULL, 0};
    rfi_reports.at[1] = (rfi_report){rfi_reporter_named(s->format), out, NULL, NULL, 0};
    for (uint32_t i = 0; i < s->report.count; i++)
        if (!rfi_explore_report(s, &s->report.at[i])) return false;
    if (rfi_folder.out)
        rfi_reports.at[rfi_reports.count++] =
            (rfi_report){&rfi_json_reporter, rfi_folder.out, rfi_folder.path, NULL, 0};
    return true;
}

/* ---- the process around it ---- */

/* Has this process other threads than the calling one? */
RFI_FN bool rfi_explore_threads(void) {
    unsigned n = 0;
# if defined __linux__ && !defined RFI_TSAN /* which has one of its own */
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    while (tasks && (task = RFI_REAL(readdir)(tasks))) n += task->d_name[0] != '.';
    if (tasks) RFI_REAL(closedir)(tasks);
# endif
    return n > 1;
}

/* Why executions can't have processes of their own; NULL: they can. */
RFI_FN const char *rfi_explore_in_process(const rfi_settings *s) {
    if (s->stop_at) return "RF_STOP_AT";
    if (rfi_debugged()) return "a debugger is attached";
    if (rfi_explore_threads()) return "the process has other threads";
    if (rfi_exploring.no_forks) return "no process can be started";
    return s->jobs_given && !s->jobs ? "RF_JOBS=0" : NULL;
}

/* Leaves the execution; does not return in it. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_explore_left(const char *how) {
    rfi_text out = rfi_crash_note(RF_DIAG_FAIL);
    rfi_append(&out, "%s", how);
    fflush(stdout);
    rfi_crash.crashed();
    abort();
}

/* Somebody jumps to a frame of the caller of rf_explore. */
RFI_FN RFI_COLD void rfi_explore_jumped(void *unused) {
    (void)unused;
    if (rfi.current && !rfi_forked)
        rfi_explore_left("a jump (longjmp) left it, as failed assertions of test frameworks do");
    if (rfi_exploring.team) /* out of the campaign: a handler of the program, on a time-out */
        for (uint32_t i = 0; i < rfi_exploring.team->workers; i++)
            if (rfi_exploring.team->worker[i].pid)
                RFI_REAL(kill)(rfi_exploring.team->worker[i].pid, SIGKILL);
    rfi_team_deaf(rfi_exploring.team);
    RFI_REAL(pthread_mutex_unlock)(&rfi_exploring.mutex);
}

# ifdef __GLIBC__
void rfi_cleanup_push(struct _pthread_cleanup_buffer *b, void (*f)(void *),
                      void *arg) __asm__("_pthread_cleanup_push");
void rfi_cleanup_pop(struct _pthread_cleanup_buffer *b, int run) __asm__("_pthread_cleanup_pop");
# endif

/* A frame that no jump leaves unnoticed. */
RFI_FN int rfi_explore_guarded(rfi_campaign *c) {
# ifdef __GLIBC__
    struct _pthread_cleanup_buffer frame;
    rfi_cleanup_push(&frame, rfi_explore_jumped, NULL);
# endif
    int status = rfi_run_reported(c);
# ifdef __GLIBC__
    rfi_cleanup_pop(&frame, 0);
# endif
    return status;
}

/* ---- one exploration ---- */

/* Its name: of several calls with one, each has its own. */
RFI_FN void rfi_explore_name(const char *name, char *own, size_t room) {
    uint64_t *calls = rfi_map_at(&rfi_exploring.calls, rfi_hash_text(name));
    if (!(*calls)++)
        snprintf(own, room, "%s", name);
    else
        snprintf(own, room, "%s#%llu", name, (unsigned long long)*calls);
}

/* Is it asked for?  -1: it is refused. */
RFI_FN int rfi_explore_wanted(const rfi_campaign *c, const rfi_test *test) {
    static rfi_token t;
    char own[RFI_TOKEN_NAME], why[256];
    const char *text = c->settings.token;
    if (!text) {
        if (c->settings.list) puts(test->options.rfi_name);
        return rfi_selected(c, test) && !c->settings.list;
    }
    if (!rfi_token_read(text, &t, why, sizeof why)) return rfi_refuse_token(text, why), -1;
    rfi_token_name(test->options.rfi_name, own);
    return !strcmp(own, t.test);
}

/* With its report going to `out`; the exit status that rf_run would give. */
RFI_FN int rfi_explore_run(rfi_campaign *c, FILE *out) {
    rf_outcome *o = rfi_exploring.outcome;
    rfi_reactions before;
    int status = 2;
    o->in_process = rfi_explore_in_process(&c->settings);
    if (o->in_process) c->settings.jobs_given = true, c->settings.jobs = 0;
    c->out = out;
    rfi_exploring.team = &c->team;
    rfi_replay_returns = true;
    rfi_replay_apart = !o->in_process;
    rfi_reactions_keep(&before);
    if (rfi_run_possible(c) && rfi_suppressions_open(&c->settings) &&
        rfi_folder_open(&c->settings, rfi_program, "") && rfi_explore_reports(&c->settings, out))
        status = rfi_explore_guarded(c);
    else
        rfi_reports.count = 0;
    if (o->replayed && status != 2) {
        o->verdict = status ? RF_VERDICT_FAILED : RF_VERDICT_PASSED;
        o->executions = 1;
    }
    if (o->replayed && c->team.workers) rfi_team_close(&c->team);
    if (o->replayed && c->team.here) rfi_shared_free(c->team.here);
    if (o->in_process) rfi_threads_release();
    rfi_reactions_restore(&before);
    rfi_replay_returns = rfi_replay_apart = false;
    if (o->in_process && status != 2)
        fprintf(out, "note: executions ran in this process (%s)\n", o->in_process);
    return status;
}

RFI_FN void rfi_explore_settled(rfi_campaign *c) {
    rf_outcome *o = rfi_exploring.outcome;
    size_t bytes;
    char *report = NULL;
    FILE *out = open_memstream(&report, &bytes);
    if (!out) rfi_die("out of memory (report)");
    int wanted = rfi_explore_wanted(c, &rfi_exploring.test);
    if (wanted > 0) {
        o->replayed = c->settings.token || c->settings.input;
        o->verdict = RF_VERDICT_REFUSED;
        (void)rfi_run_ends(c, rfi_explore_run(c, out));
        if (c->team.losses.ended[0] && !o->in_process && !o->findings)
            rfi_exploring.no_forks = true;
    } else {
        o->verdict = wanted ? RF_VERDICT_REFUSED : RF_VERDICT_SKIPPED;
    }
    fclose(out);
    if (o->replayed) fputs(report, stderr);
    o->report = report;
    if (o->verdict != RF_VERDICT_REFUSED) return;
    RFI_REAL(free)(report);
    o->report = NULL;
}

/* One try; false: it may have another one, without processes of its own. */
RFI_FN bool rfi_explore_try(void) {
    rf_outcome *o = rfi_exploring.outcome;
    bool forks = !rfi_exploring.no_forks;
    rfi_campaign c = {.begin = rfi_milliseconds(), .summary.version = RF_VERSION};
    const rf_checker *astray = rfi_register_astray();
    if (astray) rfi_die("RF_CHECKER: %s: there is no analysis %s (.of)", astray->name, astray->of);
    *o = (rf_outcome){.verdict = RF_VERDICT_REFUSED};
    if (!rfi_settings_read(&c.settings, rfi_names_all(), 0, NULL)) {
        rfi_run_words(&c.settings, program_invocation_name);
        rfi_explore_settled(&c);
    }
    return !(forks && rfi_exploring.no_forks);
}

RFI_FN void rfi_explore_one(const char *name, void (*body)(void *arg), void *arg,
                            const rf_options *options, rf_outcome *o) {
    char own[512];
    rfi_test *test = &rfi_exploring.test, *tests = rfi_tests;
    if (rfi.current && rfi_ours)
        rfi_explore_left(rfi.run.whole
                             ? "rf_explore was called where main is the test itself (RF_PROGRAM)"
                             : "rf_explore was called in an execution, or a jump had left that");
    RFI_REAL(pthread_mutex_lock)(&rfi_exploring.mutex);
    rfi_explore_name(name, own, sizeof own);
    *test = (rfi_test){.file = "", .body = rfi_explore_body};
    if (options) test->options = *options;
    test->options.rfi_name = own;
    rfi_exploring.body = body;
    rfi_exploring.arg = arg;
    rfi_exploring.outcome = o;
    rfi_tests = test;
    if (!rfi_explore_try()) {
        (void)rf_outcome_free(o);
        (void)rfi_explore_try();
    }
    rfi_tests = tests;
    RFI_REAL(pthread_mutex_unlock)(&rfi_exploring.mutex);
}

rf_outcome rf_explore(const char *name, void (*body)(void *arg), void *arg,
                      const rf_options *options) {
    rf_outcome o = {.verdict = RF_VERDICT_REFUSED};
    if (name && body)
        rfi_explore_one(name, body, arg, options, &o);
    else
        fprintf(stderr, "racefuzz: rf_explore: the %s is NULL\n", name ? "function" : "name");
    o.passed = o.verdict == RF_VERDICT_PASSED || o.verdict == RF_VERDICT_SKIPPED;
    if (!o.token) o.token = RFI_REAL(strdup)("");
    if (!o.report) o.report = RFI_REAL(strdup)("racefuzz refused: standard error says why\n");
    if (!o.token || !o.report) rfi_die("out of memory (outcome)");
    return o;
}
#endif
#endif
