/* report/html.h: the format `html`: a page that shows how each finding came about.
 *
 * One file that needs no other.  What stands in it is text that any browser shows: a table of the
 * tests, and each finding as in the report for people.  The script (page.html) puts a table to step
 * through in the place of the picture, from the data beside it (page.h).  It is well-formed XML
 * too, and the same in every run: nothing of it depends on time.
 */
#ifndef RFI_REPORT_HTML_H
#define RFI_REPORT_HTML_H
#include "report/junit.h"
#include "report/page.h"

#ifdef RFI_IMPL
/* join.sh puts the lines of the file there, as strings. */
# define RFI_LINES_OF(file)
/* clang-format off */
RFI_VAR const char *const rfi_page_lines[] = {
RFI_LINES_OF(report/page.html)
    NULL};
/* clang-format on */

RFI_VAR struct rfi_html {
    rfi_draft failed, others, findings; /* rows of tests; sections of findings */
    rfi_draft row;                      /* what stands in the row of the test that runs */
    rfi_page_places places;
    uint32_t sections;
    bool section, list; /* one is open; in it, a list of findings of the same cause */
} rfi_html;

/* ---- texts ---- */

/* What the styles of the report for people are here (rfi_style_begin). */
RFI_FN const char *rfi_html_class(const char *code, size_t n) {
    static const char *const classes[][2] = {
        {"2", "dim"}, {"32", "good"}, {"1;31", "bad"}, {"1;33", "warn"}, {"1", "strong"}};
    for (unsigned i = 0; i < RFI_LENGTH(classes); i++)
        if (strlen(classes[i][0]) == n && !memcmp(classes[i][0], code, n)) return classes[i][1];
    return NULL;
}

/* A text for people with its styles; a foreign one can't end what it has not begun. */
RFI_FN void rfi_html_styled(FILE *out, char *text) {
    bool open = false;
    for (char *s = text, *stop; *s; s = stop) {
        size_t n = strncmp(s, "\033[", 2) ? 0 : strcspn(s + 2, "m");
        const char *class = n ? rfi_html_class(s + 2, n) : NULL;
        if (n && (class || open)) {
            if (open) fputs("</b>", out);
            if (class) fprintf(out, "<b class=\"%s\">", class);
            open = class != NULL;
            stop = s + n + 3;
            continue;
        }
        if (*s == '\n') {
            fputc(*s, out);
            stop = s + 1;
            continue;
        }
        stop = s + 1 + strcspn(s + 1, "\033\n");
        char kept = *stop;
        *stop = 0;
        rfi_xml_text(out, s);
        *stop = kept;
    }
    if (open) fputs("</b>", out);
}

/* Data for the script: "<" and the like stand within its strings only. */
RFI_FN void rfi_html_data(FILE *out, rfi_draft *k) {
    fputs("<script type=\"application/json\">", out);
    fclose(k->out);
    for (const char *s = k->text; *s; s++) {
        if (strchr("<>&", *s))
            fprintf(out, "\\u%04x", (unsigned)*s);
        else
            fputc(*s, out);
    }
    fputs("</script>\n", out);
    RFI_REAL(free)(k->text);
    *k = (rfi_draft){0};
}

/* ---- findings ---- */

RFI_FN void rfi_html_close_list(FILE *out) {
    if (rfi_html.list) fputs("</ul>\n", out);
    rfi_html.list = false;
}

RFI_FN void rfi_html_close_section(FILE *out) {
    rfi_html_close_list(out);
    if (rfi_html.section) fputs("</section>\n", out);
    rfi_html.section = false;
}

/* A finding in a line of a list. */
RFI_FN void rfi_html_short(FILE *out, const rfi_finding *f) {
    rfi_line l = {0};
    rfi_say_excuse(&l, f);
    if (f->role == RFI_ROOT) rfi_say_role(&l, f);
    if (f->role == RFI_ROOT) rfi_line_add(&l, " ");
    rfi_say_short(&l, f);
    if (f->gone) rfi_line_add(&l, "; ");
    if (f->gone) rfi_say_gone(&l, f);
    if (f->token[0]) rfi_line_add(&l, "; replay: RF_SEED=%s", f->token);
    fputs("<li>", out);
    rfi_xml_text(out, l.s);
    fputs("</li>\n", out);
}

/* The executions: the one that is told, and those that a switch less lets pass. */
RFI_FN void rfi_html_executions(FILE *out, const rfi_finding *f) {
    rfi_page_places *places = &rfi_html.places;
    rfi_draft list = {0}, data = {0};
    rfi_json j = {rfi_draft_open(&data), false};
    rfi_map_reset(&places->number);
    places->count = 0;
    places->list = (rfi_json){rfi_draft_open(&list), false};
    rfi_json_open(&j, NULL, '{');
    rfi_json_open(&j, "executions", '[');
    rfi_page_execution(&j, places, f->record, f->warning,
                       f->record->failure.diagnostic ? "fails" : "is shown");
    for (uint32_t i = 0; f->shrunk && i < f->shrunk->needs; i++) {
        const rfi_need *need = &f->shrunk->need[i];
        rfi_line title = {0};
        rfi_line_add(&title, "passes: T%u goes on at ", need->from);
        rfi_say_place(&title, need->site);
        rfi_line_add(&title, " instead of T%u", need->to);
        rfi_page_execution(&j, places, need->record, f->warning, title.s);
    }
    rfi_json_close(&j, ']');
    rfi_json_open(&j, "places", '[');
    rfi_draft_put(&list, j.out);
    rfi_json_close(&j, ']');
    rfi_json_close(&j, '}');
    rfi_html_data(out, &data);
}

/* A text for people, without its headline if it has one. */
RFI_FN void rfi_html_text(FILE *out, rfi_draft *text) {
    fclose(text->out);
    char *from = text->text, *head = *from == '\n' ? strchr(from + 1, '\n') : NULL;
    rfi_html_styled(out, head ? head + 1 : from);
    RFI_REAL(free)(text->text);
    *text = (rfi_draft){0};
}

/* What is told, the picture for who runs no scripts, and the data for the script. */
RFI_FN void rfi_html_told(FILE *out, const rfi_finding *f, rfi_draft *text) {
    fputs("<pre class=\"report\">", out);
    rfi_html_text(out, text);
    fputs("</pre>\n<div class=\"execution\">\n<pre>", out);
    rfi_term t = {rfi_draft_open(text), RFI_WIDTH_DEFAULT, true};
    rfi_picture_draw(&t, f->record, f->warning, false);
    rfi_html_text(out, text);
    fputs("</pre>\n", out);
    rfi_html_executions(out, f);
    fputs("</div>\n", out);
}

/* Begins a section, which the row of the test leads to. */
RFI_FN FILE *rfi_html_open_section(const char *class, const char *head, const char *test,
                                   const char *summary) {
    FILE *out = rfi_draft_open(&rfi_html.findings), *row = rfi_draft_open(&rfi_html.row);
    uint32_t number = ++rfi_html.sections;
    rfi_html_close_section(out);
    rfi_html.section = true;
    fprintf(out, "<section aria-labelledby=\"finding-%u\">\n<h2 id=\"finding-%u\"><b class=\"%s\">",
            number, number, class);
    rfi_xml_text(out, head);
    fputs("</b> ", out);
    rfi_xml_text(out, test);
    fputs("</h2>\n", out);
    fprintf(row, "<li><a href=\"#finding-%u\">", number);
    rfi_xml_text(row, summary);
    fputs("</a></li>\n", row);
    return out;
}

RFI_FN void rfi_html_full(const rfi_result *r, const rfi_finding *f) {
    rfi_line head = {0}, summary = {0};
    rfi_draft text = {0};
    if (f->expected) rfi_line_add(&head, "expected: ");
    rfi_say_verdict(&head, f);
    rfi_say_short(&summary, f);
    FILE *out = rfi_html_open_section(f->fails ? "bad" : "warn", head.s, r->test->options.rfi_name,
                                      summary.s);
    rfi_term t = {rfi_draft_open(&text), RFI_WIDTH_MOST, true};
    rfi_report_drawn = false;
    rfi_text_told(&t, r, f);
    rfi_report_drawn = true;
    rfi_html_told(out, f, &text);
}

RFI_FN void rfi_html_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_report_full = false; /* it is for people */
    bool full = f->record && !f->suppressed && !f->brief;
    if (full) {
        rfi_html_full(r, f);
        return;
    }
    bool also = f->also && rfi_html.section;
    out = rfi_draft_open(also ? &rfi_html.findings : &rfi_html.row);
    if (also && !rfi_html.list) fputs("<p>Also, of the same cause:</p>\n<ul>\n", out);
    rfi_html.list |= also;
    rfi_html_short(out, f);
}

/* ---- tests ---- */

RFI_FN void rfi_html_item(FILE *out, const char *text) {
    if (!*text) return;
    fputs("<li>", out);
    rfi_xml_text(out, text);
    fputs("</li>\n", out);
}

/* The row of a test, with what is kept for it; `class` is that of `word`. */
RFI_FN FILE *rfi_html_open_row(rfi_draft *rows, const char *class, const char *word,
                               const char *test) {
    FILE *out = rfi_draft_open(rows);
    rfi_html_close_section(rfi_draft_open(&rfi_html.findings));
    fprintf(out, "<tr><td class=\"%s\">%s</td><th scope=\"row\">", class, word);
    rfi_xml_text(out, test);
    fputs("</th><td><ul>\n", out);
    rfi_draft_put(&rfi_html.row, out);
    return out;
}

RFI_FN void rfi_html_close_row(FILE *out, uint64_t executions) {
    fprintf(out, "</ul></td><td>%llu</td></tr>\n", (unsigned long long)executions);
}

RFI_FN void rfi_html_result(FILE *out, const rfi_result *r) {
    const char *word = r->skipped ? "skipped" : r->passed ? "passed" : "failed";
    const char *class = r->skipped ? "warn" : r->passed ? "good" : "bad";
    const char *line[RFI_SIGHTS];
    bool failed = !r->skipped && !r->passed, told = rfi_html.row.out != NULL;
    out = rfi_html_open_row(failed ? &rfi_html.failed : &rfi_html.others, class, word,
                            r->test->options.rfi_name);
    if (!told) rfi_html_item(out, rfi_reason_words(r));
    for (unsigned i = 0, n = rfi_sight_lines(r, line); i < n; i++) rfi_html_item(out, line[i]);
    rfi_html_close_row(out, rfi_sum_of_phases(r->executions));
}

/* ---- the page ---- */

RFI_FN void rfi_html_begin(FILE *out, const rfi_summary *s) {
    (void)out, (void)s;
    rfi_html = (struct rfi_html){0};
}

RFI_FN void rfi_html_title(FILE *out, const rfi_summary *s) {
    uint32_t run = s->passed + s->failed + s->skipped;
    if (s->failed)
        fprintf(out, "%u of %u test%s failed", s->failed, s->tests, s->tests == 1 ? "" : "s");
    else
        fprintf(out, "%u of %u test%s passed", s->passed, s->tests, s->tests == 1 ? "" : "s");
    if (s->skipped) fprintf(out, ", %u skipped", s->skipped);
    if (run < s->tests) fprintf(out, ", %u not run", s->tests - run);
}

RFI_FN void rfi_html_sources(FILE *out, const rfi_summary *s) {
    (void)s;
    rfi_page_places *p = &rfi_html.places;
    rfi_draft data = {0};
    rfi_json j = {rfi_draft_open(&data), false};
    rfi_json_open(&j, NULL, '[');
    for (uint32_t i = 0; i < p->files_count; i++) {
        rfi_json_open(&j, NULL, '{');
        rfi_json_string(&j, "file", p->files[i]);
        rfi_page_source(&j, p, i);
        rfi_json_close(&j, '}');
    }
    rfi_json_close(&j, ']');
    rfi_html_data(out, &data);
    rfi_map_free(&p->number);
    RFI_REAL(free)((void *)p->files);
    RFI_REAL(free)(p->lines);
}

RFI_FN void rfi_html_program(FILE *out, const rfi_summary *s) {
    rfi_xml_text(out, rfi_program);
    fprintf(out, ", seed %llu, racefuzz %s", (unsigned long long)s->seed, s->version);
}

RFI_FN void rfi_html_rows(FILE *out, const rfi_summary *s) {
    (void)s;
    rfi_draft_put(&rfi_html.failed, out);
    rfi_draft_put(&rfi_html.others, out);
}

RFI_FN void rfi_html_findings(FILE *out, const rfi_summary *s) {
    (void)s;
    rfi_html_close_section(rfi_draft_open(&rfi_html.findings)); /* of an interrupted test */
    rfi_draft_put(&rfi_html.findings, out);
}

/* Lines of the page, and what stands in their place. */
RFI_VAR const struct rfi_html_part {
    const char *line;
    void (*put)(FILE *out, const rfi_summary *s);
} rfi_html_parts[] = {{"@TITLE@\n", rfi_html_title},
                      {"@PROGRAM@\n", rfi_html_program},
                      {"@ROWS@\n", rfi_html_rows},
                      {"@FINDINGS@\n", rfi_html_findings},
                      {"@SOURCES@\n", rfi_html_sources}};

RFI_FN void rfi_html_end(FILE *out, const rfi_summary *s) {
    for (const char *const *line = rfi_page_lines; *line; line++) {
        unsigned i = 0;
        while (i < RFI_LENGTH(rfi_html_parts) && strcmp(*line, rfi_html_parts[i].line) != 0) i++;
        if (i < RFI_LENGTH(rfi_html_parts))
            rfi_html_parts[i].put(out, s);
        else
            fputs(*line, out);
    }
}

RFI_FN void rfi_html_replayed(FILE *out, const rfi_summary *s, const rfi_test *t,
                              const rfi_record *r) {
    rfi_failure_kind kind = {.failure = r->failure, .count = 1, .steps = r->steps};
    rfi_finding f = {.failure = &kind, .record = r};
    const char *class = s->failed ? "bad" : "good", *name = t->options.rfi_name;
    rfi_draft text = {0};
    rfi_html_begin(out, s);
    FILE *section = rfi_html_open_section(class, "replay", name, "replay");
    rfi_report_drawn = false;
    rfi_text_replayed(rfi_draft_open(&text), r, NULL);
    rfi_report_drawn = true;
    rfi_html_told(section, &f, &text);
    rfi_html_close_row(
        rfi_html_open_row(&rfi_html.failed, class, s->failed ? "failed" : "passed", name), 1);
    rfi_html_end(out, s);
}

RFI_VAR const rfi_reporter rfi_html_reporter = {
    "html", rfi_html_begin, NULL, rfi_html_finding, rfi_html_result, rfi_html_end, false};
#endif
#endif
