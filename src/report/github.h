/* report/github.h: the formats `github`, annotations and a summary for GitHub's workflows, and
 * `codequality`, the list that GitLab shows beside a merge request.
 */
#ifndef RFI_REPORT_GITHUB_H
#define RFI_REPORT_GITHUB_H
#include "report/json.h"
#include "report/reasons.h"

#ifdef RFI_IMPL
/* ---- GitHub ---- */

RFI_VAR rfi_draft rfi_github_table; /* of the summary: a row for each test */

/* Text in a workflow command; `property`: between its name and the two colons. */
RFI_FN void rfi_github_text(FILE *out, const char *s, bool property) {
    while (*s) {
        unsigned columns, bytes = rfi_char(s, &columns), c = (unsigned char)*s;
        if (c == '%' || c == '\n' || (property && (c == ':' || c == ',')))
            fprintf(out, "%%%02X", c);
        else if (bytes)
            fprintf(out, "%.*s", (int)bytes, s);
        else
            fputs("\xef\xbf\xbd", out);
        s += bytes ? bytes : 1;
    }
}

RFI_FN void rfi_github_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_line title = {0}, message = {0};
    rfi_where w = rfi_site_where(rfi_finding_site(f));
    if (!f->token[0] || f->expected || f->suppressed) return;
    rfi_progress_clear();
    rfi_say_verdict(&title, f);
    rfi_line_add(&title, " (test %s)", r->test->options.rfi_name);
    rfi_say_short(&message, f);
    fprintf(out, "::%s ", f->fails ? "error" : "notice");
    if (w.line) {
        fputs("file=", out);
        rfi_github_text(out, w.file, true);
        fprintf(out, ",line=%u,", w.line);
    }
    fputs("title=", out);
    rfi_github_text(out, title.s, true);
    fputs("::", out);
    rfi_github_text(out, message.s, false);
    fputs("%0Areplay: RF_SEED=", out);
    rfi_github_text(out, f->token, false);
    fputc(' ', out);
    rfi_github_text(out, rfi_program, false);
    fputc('\n', out);
}

/* Text in a cell of a table. */
RFI_FN void rfi_markdown_cell(FILE *out, const char *s) {
    rfi_line clean = {0};
    rfi_line_add(&clean, "%s", s);
    for (const char *p = clean.s; *p; p++) {
        if (strchr("|\\`*_<>[]#&", *p)) fputc('\\', out);
        fputc(*p, out);
    }
}

RFI_FN void rfi_github_result(FILE *out, const rfi_result *r) {
    out = rfi_draft_open(&rfi_github_table);
    fprintf(out, "| %s | ", r->skipped ? "skipped" : r->passed ? "passed" : "**failed**");
    rfi_markdown_cell(out, r->test->options.rfi_name);
    fprintf(out, " | %llu | ", (unsigned long long)rfi_sum_of_phases(r->executions));
    rfi_markdown_cell(out, rfi_reason_words(r));
    fputs(" |\n", out);
}

RFI_FN void rfi_github_end(FILE *out, const rfi_summary *s) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    FILE *file = path && *path ? RFI_REAL(fopen)(path, "a") : NULL;
    rfi_draft lost = {0};
    (void)out;
    if (!file) { /* nobody wants it */
        rfi_draft_put(&rfi_github_table, rfi_draft_open(&lost));
        fclose(lost.out);
        RFI_REAL(free)(lost.text);
        return;
    }
    fputs("### racefuzz: ", file);
    rfi_say_sum(file, s);
    fputs("\n| | test | executions | |\n|---|---|---:|---|\n", file);
    rfi_draft_put(&rfi_github_table, file);
    fputc('\n', file);
    rfi_say_unused(file, "- ", s);
    if (fclose(file)) fprintf(stderr, "racefuzz: GITHUB_STEP_SUMMARY could not be written\n");
}

RFI_VAR const rfi_reporter rfi_github_reporter = {
    "github", NULL, NULL, rfi_github_finding, rfi_github_result, rfi_github_end, true};

/* ---- GitLab ---- */

RFI_VAR bool rfi_quality_more;

RFI_FN void rfi_quality_begin(FILE *out, const rfi_summary *s) {
    (void)s;
    rfi_quality_more = false;
    fputc('[', out);
}

RFI_FN void rfi_quality_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_json j = {out, rfi_quality_more};
    rfi_where w = rfi_site_where(rfi_finding_site(f));
    rfi_fingerprint mark = rfi_fingerprint_of(f->print);
    rfi_line text = {0};
    if (!f->token[0] || f->expected) return;
    rfi_say_short(&text, f);
    rfi_line_add(&text, " (test %s; replay: RF_SEED=%s)", r->test->options.rfi_name, f->token);
    rfi_json_open(&j, NULL, '{');
    rfi_json_string(&j, "description", text.s);
    rfi_json_string(&j, "check_name", rfi_finding_kind(f));
    rfi_json_string(&j, "fingerprint", mark.s);
    rfi_json_string(&j, "severity", f->fails ? "critical" : f->suppressed ? "info" : "minor");
    rfi_json_open(&j, "location", '{');
    rfi_json_string(&j, "path", w.file);
    rfi_json_open(&j, "lines", '{');
    rfi_json_number(&j, "begin", w.line ? w.line : 1);
    for (const char *b = "}}}"; *b; b++) rfi_json_close(&j, *b);
    rfi_quality_more = true;
}

RFI_FN void rfi_quality_end(FILE *out, const rfi_summary *s) {
    (void)s;
    fputs("]\n", out);
}

RFI_VAR const rfi_reporter rfi_quality_reporter = {
    "codequality", rfi_quality_begin, NULL, rfi_quality_finding, NULL, rfi_quality_end, false};
#endif
#endif
