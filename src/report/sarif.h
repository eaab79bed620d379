/* report/sarif.h: the format `sarif`: SARIF 2.1.0 (OASIS, 2020), for code scanning and editors.
 *
 * A rule for each kind of finding, a result for each finding that was produced: its places as
 * locations, the interleaving as a flow of threads, the fingerprint, and the token among the
 * properties.
 */
#ifndef RFI_REPORT_SARIF_H
#define RFI_REPORT_SARIF_H
#include "report/json.h"

#ifdef RFI_IMPL
RFI_VAR struct rfi_sarif {
    rfi_draft results;
    bool more; /* a result stands before */
} rfi_sarif;

/* Where a place is, with a sentence about it; `id` tells those of one list apart, 0: nothing does.
 */
RFI_FN void rfi_sarif_location(rfi_json *j, const char *key, const rf_site *site,
                               const char *message, unsigned id) {
    rfi_where w = rfi_site_where(site);
    rfi_json_open(j, key, '{');
    if (id) rfi_json_number(j, "id", id);
    rfi_json_open(j, "physicalLocation", '{');
    rfi_json_open(j, "artifactLocation", '{');
    fputs("\"uri\":\"", rfi_json_next(j, NULL));
    rfi_uri_text(j->out, w.file);
    fputc('"', j->out);
    rfi_json_close(j, '}');
    if (w.line) {
        rfi_json_open(j, "region", '{');
        rfi_json_number(j, "startLine", w.line);
        rfi_json_close(j, '}');
    }
    rfi_json_close(j, '}');
    rfi_json_open(j, "message", '{');
    rfi_json_string(j, "text", message);
    rfi_json_close(j, '}');
    rfi_json_close(j, '}');
}

/* The steps that the picture shows, as one flow: time goes down, whatever the thread. */
RFI_FN void rfi_sarif_flow(rfi_json *j, const rfi_finding *f) {
    rfi_cut cut = rfi_cut_make(f->record, f->warning, f->record->events <= RFI_FACT_STEPS);
    unsigned steps = 0;
    rfi_json_open(j, "codeFlows", '[');
    rfi_json_open(j, NULL, '{');
    rfi_json_open(j, "threadFlows", '[');
    rfi_json_open(j, NULL, '{');
    rfi_json_open(j, "locations", '[');
    for (uint64_t i = cut.first; i < cut.end && steps + 1 < RFI_FACT_STEPS; i++) {
        const rf_event *e = rfi_event_at(f->record, i);
        rfi_line text = {0};
        if (!(cut.mark[i - cut.first] & RFI_KEEP) || !e->site) continue;
        rfi_say_thread(&text, f->record, e->thread);
        rfi_line_add(&text, ": ");
        rfi_say_event(&text, f->record, e);
        rfi_json_open(j, NULL, '{');
        rfi_sarif_location(j, "location", e->site, text.s, 0);
        rfi_json_number(j, "executionOrder", i + 1);
        rfi_json_close(j, '}');
        steps++;
    }
    rfi_cut_free(&cut);
    if (f->failure && (!steps || f->failure->failure.site)) { /* a flow is never empty */
        rfi_json_open(j, NULL, '{');
        rfi_sarif_location(j, "location", f->failure->failure.site, f->failure->failure.message, 0);
        rfi_json_close(j, '}');
    }
    for (const char *s = "]}]}]"; *s; s++) rfi_json_close(j, *s);
}

RFI_FN void rfi_sarif_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_json j = {rfi_draft_open(&rfi_sarif.results), rfi_sarif.more};
    rfi_fingerprint mark = rfi_fingerprint_of(f->print);
    rfi_race_lines race = rfi_finding_race(f);
    rfi_line message = {0};
    (void)out;
    if (!f->token[0]) return; /* only predicted */
    rfi_say_short(&message, f);
    rfi_line_add(&message, " (test %s)", r->test->options.rfi_name);
    rfi_json_open(&j, NULL, '{');
    rfi_json_string(&j, "ruleId", rfi_finding_kind(f));
    rfi_json_string(&j, "level", f->fails ? "error" : "note");
    rfi_json_open(&j, "message", '{');
    rfi_json_string(&j, "text", message.s);
    rfi_json_close(&j, '}');
    rfi_json_open(&j, "locations", '[');
    rfi_sarif_location(&j, NULL, rfi_finding_site(f), message.s, 0);
    rfi_json_close(&j, ']');
    rfi_json_open(&j, "relatedLocations", '[');
    for (unsigned k = 0; f->warning && k < f->warning->sides; k++) {
        rfi_line what = {0}, where = {0};
        rfi_line_add(&what, "%s ", rfi_side_word(&f->warning->side[k]));
        rfi_say_side(&what, &where, f, k, &race);
        uint32_t thread = rfi_side_thread(f, k, &race);
        if (thread != RFI_NO_THREAD) rfi_line_add(&what, ", thread ");
        if (thread != RFI_NO_THREAD) rfi_say_thread(&what, f->record, thread);
        rfi_sarif_location(&j, NULL, f->warning->side[k].site, what.s, k + 1);
    }
    rfi_json_close(&j, ']');
    if (f->record) rfi_sarif_flow(&j, f);
    bool known = f->suppressed == rfi_by_baseline;
    if (rfi_suppressions.baseline)
        rfi_json_string(&j, "baselineState", known ? "unchanged" : "new");
    if (f->suppressed && !known) {
        rfi_json_open(&j, "suppressions", '[');
        rfi_json_open(&j, NULL, '{');
        rfi_json_string(&j, "kind", "external");
        rfi_json_string(&j, "justification", f->suppressed);
        rfi_json_close(&j, '}');
        rfi_json_close(&j, ']');
    }
    rfi_json_open(&j, "partialFingerprints", '{');
    rfi_json_string(&j, "racefuzz/v1", mark.s);
    rfi_json_close(&j, '}');
    rfi_json_open(&j, "properties", '{');
    rfi_json_string(&j, "test", r->test->options.rfi_name);
    rfi_json_string(&j, "verdict", rfi_verdict_word(f));
    rfi_json_string(&j, "replay", f->token);
    rfi_json_close(&j, '}');
    rfi_json_close(&j, '}');
    rfi_sarif.more = true;
}

RFI_FN void rfi_sarif_rule(rfi_json *j, const char *id, const char *words) {
    rfi_json_open(j, NULL, '{');
    rfi_json_string(j, "id", id);
    rfi_json_open(j, "shortDescription", '{');
    rfi_json_string(j, "text", words);
    rfi_json_close(j, '}');
    rfi_json_close(j, '}');
}

RFI_FN void rfi_sarif_rules(rfi_json *j) {
    rfi_json_open(j, "rules", '[');
    for (unsigned k = 0; k < RF_FAMILIES; k++)
        rfi_sarif_rule(j, rfi_family(k)->name, rfi_family(k)->words);
    for (unsigned d = 1; d < RF_DIAG_COUNT; d++) {
        const rfi_diagnostic_info *info = rfi_diagnostic((rf_diagnostic)d);
        if (d != RF_DIAG_LOCK_CYCLE) rfi_sarif_rule(j, info->id, info->words); /* the family's */
    }
    rfi_json_close(j, ']');
}

RFI_FN void rfi_sarif_begin(FILE *out, const rfi_summary *s) {
    (void)out, (void)s;
    rfi_sarif = (struct rfi_sarif){0};
}

RFI_FN void rfi_sarif_end(FILE *out, const rfi_summary *s) {
    rfi_json j = {out, false};
    rfi_json_open(&j, NULL, '{');
    rfi_json_string(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    rfi_json_string(&j, "version", "2.1.0");
    rfi_json_open(&j, "runs", '[');
    rfi_json_open(&j, NULL, '{');
    rfi_json_open(&j, "tool", '{');
    rfi_json_open(&j, "driver", '{');
    rfi_json_string(&j, "name", "racefuzz");
    rfi_json_string(&j, "version", s->version);
    rfi_sarif_rules(&j);
    rfi_json_close(&j, '}');
    rfi_json_close(&j, '}');
    rfi_json_open(&j, "invocations", '[');
    rfi_json_open(&j, NULL, '{');
    rfi_json_bool(&j, "executionSuccessful", s->ended == 0);
    rfi_json_close(&j, '}');
    rfi_json_close(&j, ']');
    rfi_json_open(&j, "results", '[');
    rfi_draft_put(&rfi_sarif.results, out);
    for (const char *b = "]}]}"; *b; b++) rfi_json_close(&j, *b);
    fputc('\n', out);
}

RFI_VAR const rfi_reporter rfi_sarif_reporter = {"sarif", rfi_sarif_begin, NULL, rfi_sarif_finding,
                                                 NULL,    rfi_sarif_end,   false};
#endif
#endif
