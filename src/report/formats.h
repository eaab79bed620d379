/* report/formats.h: all formats, and the reports of a run, which may be several.
 *
 * A report that goes to a file of its own is written beside it and takes its name when it is whole,
 * so that no half of one is ever found there; what is made for people and harnesses appears at
 * once, as do reports to what is no file (a pipe, /dev/stdout).
 */
#ifndef RFI_REPORT_FORMATS_H
#define RFI_REPORT_FORMATS_H
#include "campaign/settings.h"
#include "report/github.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/perfetto.h"
#include "report/reasons.h"
#include "report/sarif.h"
#include "report/tap.h"

#ifdef RFI_IMPL
typedef struct rfi_report {
    const rfi_reporter *reporter;
    FILE *out;
    char *path;    /* NULL: standard output */
    char *working; /* the file that becomes it; NULL: itself */
    int error;     /* why something could not be written, if that is known */
} rfi_report;

RFI_VAR struct rfi_reports {
    rfi_report at[RFI_REPORTS + 5];
    uint32_t count;
} rfi_reports;

RFI_FN const rfi_reporter *rfi_reporter_named(const char *name) {
    static const rfi_reporter *const all[] = {
        &rfi_text_reporter,    &rfi_tap_reporter,      &rfi_junit_reporter,
        &rfi_json_reporter,    &rfi_sarif_reporter,    &rfi_github_reporter,
        &rfi_quality_reporter, &rfi_perfetto_reporter, &rfi_html_reporter};
    for (unsigned i = 0; i < RFI_LENGTH(all); i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    return NULL;
}

/* ---- files ---- */

RFI_FN void rfi_report_lost(const char *path, int error) {
    bool kept = path && path == rfi_folder.path;
    fprintf(stderr, "racefuzz: the %s could not be written", kept ? "campaign" : "report");
    if (path) fputs(" to ", stderr);
    if (path) rfi_complain_quoted(path, strlen(path));
    fprintf(stderr, "%s%s\n", error ? ": " : "", error ? strerror(error) : "");
}

/* Would a new file take its place? */
RFI_FN bool rfi_report_replaces(const rfi_reporter *reporter, const char *path) {
    struct stat there;
    return !reporter->live && (stat(path, &there) || S_ISREG(there.st_mode));
}

/* Those that have something to say of a replay, beside what is live. */
RFI_VAR const struct rfi_replayer {
    const rfi_reporter *reporter;
    void (*replayed)(FILE *out, const rfi_summary *s, const rfi_test *t, const rfi_record *r);
} rfi_replayers[] = {{&rfi_html_reporter, rfi_html_replayed},
                     {&rfi_perfetto_reporter, rfi_perfetto_replayed}};

RFI_FN const struct rfi_replayer *rfi_replayer_of(const rfi_reporter *reporter) {
    unsigned i = 0;
    while (i < RFI_LENGTH(rfi_replayers) && rfi_replayers[i].reporter != reporter) i++;
    return i < RFI_LENGTH(rfi_replayers) ? &rfi_replayers[i] : NULL;
}

/* `name` of so many bytes; NULL: standard output.  Of a replay, only what shows it in a file. */
RFI_FN bool rfi_report_add(const rfi_settings *s, const char *format, const char *name,
                           size_t bytes) {
    rfi_report *r = &rfi_reports.at[rfi_reports.count];
    const rfi_reporter *reporter = rfi_reporter_named(format);
    if (s->token && !reporter->live && !(name && rfi_replayer_of(reporter))) return true;
    char *path = name ? RFI_REAL(strndup)(name, bytes) : NULL;
    if (name && !path) rfi_die("out of memory (name of a report)");
    *r = (rfi_report){reporter, stdout, path, NULL, 0};
    if (path && rfi_report_replaces(r->reporter, path)) {
        size_t room = strlen(path) + 24;
        r->working = RFI_REAL(malloc)(room);
        if (!r->working) rfi_die("out of memory (name of a report)");
        snprintf(r->working, room, "%s.%ld.tmp", path, (long)rfi_process());
    }
    if (path) r->out = RFI_REAL(fopen)(r->working ? r->working : path, "w");
    if (!r->out) {
        int error = errno;
        fputs("racefuzz: --report=", stderr);
        rfi_complain_quoted(path, strlen(path));
        fprintf(stderr, ": it can't be written: %s\n", strerror(error));
        RFI_REAL(free)(r->working);
        RFI_REAL(free)(path);
        return false;
    }
    if (path) RFI_REAL(fcntl)(fileno(r->out), F_SETFD, FD_CLOEXEC);
    rfi_reports.count++;
    return true;
}

/* After something was written.  Other errors than these may be those of calls in between. */
RFI_FN void rfi_report_check(rfi_report *r) {
    int e = errno;
    bool why = e == ENOSPC || e == EFBIG || e == EDQUOT || e == EIO || e == EPIPE || e == EBADF;
    if (!r->error && why && RFI_REAL(ferror)(r->out)) r->error = e;
}

/* Output that was lost is an error, whatever the tests said. */
RFI_FN bool rfi_report_close(rfi_report *r) {
    errno = 0;
    bool bad = fflush(r->out) || RFI_REAL(ferror)(r->out);
    int error = r->error ? r->error : errno;
    if (r->path && fclose(r->out)) bad = true, error = error ? error : errno;
    if (!bad && r->working && rename(r->working, r->path)) bad = true, error = errno;
    if (bad && !error && r->out == rfi_folder.out) error = rfi_folder.error;
    if (bad && r->working) unlink(r->working);
    if (bad) rfi_report_lost(r->path, error);
    RFI_REAL(free)(r->working);
    RFI_REAL(free)(r->path);
    return !bad;
}

/* Bazel keeps what tests put into a folder. */
RFI_FN bool rfi_report_undeclared(const rfi_settings *s) {
    const char *folder = getenv("TEST_UNDECLARED_OUTPUTS_DIR");
    char name[PATH_MAX];
    if (!folder || !*folder) return true;
    int n = snprintf(name, sizeof name, "%s/racefuzz.jsonl", folder);
    return n >= (int)sizeof name || rfi_report_add(s, "json", name, (size_t)n);
}

/* Two reports in one place would be neither: the later one has the name of an earlier one. */
RFI_FN bool rfi_report_twice(const rfi_asked_reports *r, uint32_t later) {
    const rfi_asked *w = &r->at[later];
    uint32_t i = 0;
    while (i < later && (r->at[i].bytes != w->bytes || memcmp(r->at[i].path, w->path, w->bytes)))
        i++;
    if (i == later) return false;
    fputs("racefuzz: --report=", stderr);
    rfi_complain_quoted(w->path, w->bytes);
    fputs(": another report is written there\n", stderr);
    return true;
}

/* What a text of --report says: a file of the usual format, FORMAT:FILE, or - for standard output.
 */
RFI_FN bool rfi_reports_open(const rfi_settings *s) {
    const char *actions = getenv("GITHUB_ACTIONS"), *xml = getenv("XML_OUTPUT_FILE");
    bool plain = true, junit = false;
    rfi_reports.count = 0;
    for (uint32_t i = 0; i < s->report.count; i++) {
        const rfi_asked *w = &s->report.at[i];
        bool out = w->bytes == 1 && *w->path == '-';
        if (rfi_report_twice(&s->report, i)) return false;
        plain &= w->format && !out;
        junit |= w->format && !strcmp(w->format, "junit");
        if (!rfi_report_add(s, w->format ? w->format : s->format, out ? NULL : w->path, w->bytes))
            return false;
    }
    if (plain && !rfi_report_add(s, s->format, NULL, 0)) return false;
    if (xml && *xml && !junit && !rfi_report_add(s, "junit", xml, strlen(xml))) return false;
    if (!rfi_report_undeclared(s)) return false;
    if (rfi_folder.out)
        rfi_reports.at[rfi_reports.count++] =
            (rfi_report){&rfi_json_reporter, rfi_folder.out, rfi_folder.path, NULL, 0};
    bool people = plain && !strcmp(s->format, "text");
    return !(people && actions && !strcmp(actions, "true")) || rfi_report_add(s, "github", NULL, 0);
}

/* Has somebody taken the campaign's file away?  What was written to it since then is lost. */
RFI_FN bool rfi_folder_gone(void) {
    struct stat s;
    if (!rfi_folder.out || !stat(rfi_folder.path, &s) || errno != ENOENT) return false;
    rfi_report_lost(rfi_folder.path, ENOENT);
    return true;
}

/* The exit status. */
RFI_FN int rfi_reports_close(int status) {
    if (rfi_folder_gone()) status = 1;
    for (uint32_t i = 0; i < rfi_reports.count; i++)
        if (!rfi_report_close(&rfi_reports.at[i])) status = 1;
    rfi_reports.count = 0;
    rfi_folder.out = NULL;
    rfi_reasons_forget();
    return status;
}

/* After something else than a report was printed. */
RFI_FN int rfi_stdout_close(void) {
    rfi_report out = {NULL, stdout, NULL, NULL, 0};
    return !rfi_report_close(&out);
}

/* Where people read it: the report that shows replays. */
RFI_FN FILE *rfi_reports_text(void) {
    for (uint32_t i = 0; i < rfi_reports.count; i++)
        if (rfi_reports.at[i].reporter->live) return rfi_reports.at[i].out;
    return stdout;
}

/* A replayed execution, for those that show executions. */
RFI_FN void rfi_reports_replayed(const rfi_summary *run, const rfi_test *t, const rfi_record *r,
                                 bool bad) {
    const rfi_summary s = {
        .version = run->version, .seed = run->seed, .tests = 1, .passed = !bad, .failed = bad};
    for (uint32_t i = 0; i < rfi_reports.count; i++) {
        const struct rfi_replayer *p = rfi_replayer_of(rfi_reports.at[i].reporter);
        if (p) p->replayed(rfi_reports.at[i].out, &s, t, r);
    }
}

/* ---- one reporter that is all of them ---- */

RFI_VAR bool rfi_report_verbose; /* RF_VERBOSE */

# define RFI_EACH_REPORT(member, ...)                                                 \
  for (rfi_report *p = rfi_reports.at; p < rfi_reports.at + rfi_reports.count; p++) { \
   rfi_report_full = p->path || rfi_report_verbose;                                   \
   errno = 0;                                                                         \
   if (p->reporter->member) p->reporter->member(p->out, __VA_ARGS__);                 \
   rfi_report_check(p);                                                               \
  }

RFI_FN void rfi_all_begin(FILE *out, const rfi_summary *s) {
    (void)out;
    RFI_EACH_REPORT(begin, s)
}

RFI_FN void rfi_all_test(FILE *out, const rfi_test *t) {
    (void)out;
    RFI_EACH_REPORT(test, t)
}

RFI_FN void rfi_all_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    (void)out;
    rfi_reason_finding(r, f);
    RFI_EACH_REPORT(finding, r, f)
}

RFI_FN void rfi_all_result(FILE *out, const rfi_result *r) {
    (void)out;
    rfi_reason_result(r);
    RFI_EACH_REPORT(result, r)
}

RFI_FN void rfi_all_end(FILE *out, const rfi_summary *s) {
    (void)out;
    RFI_EACH_REPORT(end, s)
}

RFI_VAR const rfi_reporter rfi_all_reporters = {
    "all", rfi_all_begin, rfi_all_test, rfi_all_finding, rfi_all_result, rfi_all_end, true};
#endif
#endif
