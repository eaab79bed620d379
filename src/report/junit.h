/* report/junit.h: the format `junit`: the XML that continuous integration reads.
 *
 * One suite, the program; a case for each test; in it a failure for each finding that fails it,
 * with the whole report as its text; expected findings and what the result says stand in its
 * output.  The counts come first, so all of it is written at the end.
 */
#ifndef RFI_REPORT_JUNIT_H
#define RFI_REPORT_JUNIT_H
#include "report/reasons.h"

#ifdef RFI_IMPL
RFI_VAR struct rfi_junit {
    rfi_draft cases, failures, output; /* all; of the test that runs */
    double seconds;
    uint64_t seed;
} rfi_junit;

/* Text between tags, or in an attribute: XML has no way to write control characters. */
RFI_FN void rfi_xml_text(FILE *out, const char *s) {
    while (*s) {
        unsigned columns, bytes = rfi_char(s, &columns);
        if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
            fputs(*s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&quot;", out);
        else if (bytes)
            fprintf(out, "%.*s", (int)bytes, s);
        else if (*s == '\n' || *s == '\t')
            fprintf(out, "&#%d;", *s);
        else
            fputs("&#xfffd;", out);
        s += bytes ? bytes : 1;
    }
}

RFI_FN void rfi_xml_attribute(FILE *out, const char *name, const char *value) {
    fprintf(out, " %s=\"", name);
    rfi_xml_text(out, value);
    fputc('"', out);
}

RFI_FN void rfi_xml_lines(FILE *out, char *text) {
    for (char *s = text, *end; *s; s = end + 1) {
        end = strchr(s, '\n'); /* each line has one */
        *end = 0;
        rfi_xml_text(out, s);
        fputc('\n', out);
    }
    RFI_REAL(free)(text);
}

RFI_FN void rfi_junit_begin(FILE *out, const rfi_summary *s) {
    (void)out;
    rfi_junit = (struct rfi_junit){.seed = s->seed};
}

RFI_FN void rfi_junit_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    bool fails = f->fails;
    rfi_line message = {0};
    (void)out;
    if (!f->token[0] && !fails) return;
    rfi_say_short(&message, f);
    if (f->token[0]) rfi_line_add(&message, "; replay: RF_SEED=%s", f->token);
    out = rfi_draft_open(fails ? &rfi_junit.failures : &rfi_junit.output);
    if (fails) {
        fputs("      <failure", out);
        rfi_xml_attribute(out, "type", rfi_finding_kind(f));
        rfi_xml_attribute(out, "message", message.s);
        fputs(">", out);
    }
    rfi_xml_lines(out, rfi_finding_text(r, f));
    if (fails) fputs("</failure>\n", out);
}

RFI_FN void rfi_junit_result(FILE *out, const rfi_result *r) {
    rfi_draft text = {0};
    out = rfi_draft_open(&rfi_junit.cases);
    fputs("    <testcase", out);
    rfi_xml_attribute(out, "name", r->test->options.rfi_name);
    rfi_xml_attribute(out, "classname", rfi_basename(r->test->file));
    fprintf(out, " time=\"%.3f\">\n", r->seconds);
    if (r->skipped) {
        fputs("      <skipped", out);
        rfi_xml_attribute(out, "message", r->reason);
        fputs("/>\n", out);
    } else if (!r->passed && !rfi_junit.failures.out) { /* something expected was not found */
        fputs("      <failure type=\"result\"", out);
        rfi_xml_attribute(out, "message", rfi_reason_words(r));
        fputs("/>\n", out);
    }
    rfi_draft_put(&rfi_junit.failures, out);
    rfi_term t = {rfi_draft_open(&text), RFI_WIDTH_DEFAULT, false};
    rfi_text_verdict(&t, r);
    fclose(text.out);
    fputs("      <system-out>", out);
    rfi_draft_put(&rfi_junit.output, out);
    rfi_xml_lines(out, text.text);
    fputs("</system-out>\n    </testcase>\n", out);
    rfi_junit.seconds += r->seconds;
}

RFI_FN void rfi_junit_end(FILE *out, const rfi_summary *s) {
    unsigned done = s->passed + s->failed + s->skipped;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    rfi_xml_attribute(out, "name", rfi_program_called);
    fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"%.3f\">\n", done,
            s->failed, s->skipped, rfi_junit.seconds);
    fprintf(out, "    <properties>\n      <property name=\"seed\" value=\"%llu\"/>\n",
            (unsigned long long)rfi_junit.seed);
    fprintf(out, "      <property name=\"racefuzz\" value=\"%s\"/>\n", s->version);
    fprintf(out,
            "      <property name=\"suppressed\" value=\"%u\"/>\n"
            "      <property name=\"in_baseline\" value=\"%u\"/>\n    </properties>\n",
            s->suppressed, s->known);
    rfi_draft_put(&rfi_junit.cases, out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}

RFI_VAR const rfi_reporter rfi_junit_reporter = {
    "junit", rfi_junit_begin, NULL, rfi_junit_finding, rfi_junit_result, rfi_junit_end, false};
#endif
#endif
