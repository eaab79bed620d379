/* report/tap.h: the format `tap`, for harnesses: Test Anything Protocol (testanything.org).
 *
 * It says version 13, which readers of version 14 take and prove(1) insists on; and of YAML it uses
 * only what the latter's reader knows: no maps in lists on one line, no block with an indicator.
 * A test is one test point; what was found stands below it in a YAML block.  Findings come before
 * the result of their test, so they are kept until then.  Numbers, keys and their order are
 * stable; texts of users are always quoted, so that no quote, newline or # in them can break a
 * line.
 */
#ifndef RFI_REPORT_TAP_H
#define RFI_REPORT_TAP_H
#include "report/json.h"

#ifdef RFI_IMPL
RFI_VAR struct rfi_tap {
    uint32_t number;    /* of the last test point */
    rfi_draft findings; /* of the test that runs */
} rfi_tap;

/* Text of a test point's line: # would begin a directive. */
RFI_FN void rfi_tap_text(FILE *out, const char *s) {
    rfi_line clean = {0};
    rfi_line_add(&clean, "%s", s);
    for (const char *p = clean.s; *p; p++) {
        if (*p == '#' || *p == '\\') fputc('\\', out);
        fputc(*p, out);
    }
}

RFI_FN void rfi_yaml_string(FILE *out, const char *before, const char *s) {
    fprintf(out, "%s\"", before);
    rfi_json_text(out, s);
    fputs("\"\n", out);
}

/* The picture as a literal block, below a key that stands at column 6. */
RFI_FN void rfi_tap_interleaving(FILE *out, const rfi_finding *f) {
    char *text = NULL;
    size_t bytes = 0;
    rfi_term t = {open_memstream(&text, &bytes), RFI_WIDTH_DEFAULT, false};
    if (!t.out) rfi_die("out of memory (interleaving)");
    rfi_picture_draw(&t, f->record, f->warning, false);
    fclose(t.out);
    t.out = out;
    fputs("      interleaving: |\n", out);
    rfi_quoted(&t, RFI_PLAIN, "      ", text); /* each line begins with two spaces */
    RFI_REAL(free)(text);
}

RFI_FN void rfi_tap_warning(FILE *out, const rfi_finding *f) {
    const rfi_warning *pair = f->warning;
    rfi_race_lines race = rfi_finding_race(f);
    if (pair->text[0]) rfi_yaml_string(out, "      meaning: ", pair->text);
    fprintf(out, "      %s:\n", pair->family == RF_FAMILY_RACE ? "accesses" : "places");
    for (unsigned k = 0; k < pair->sides; k++) {
        rfi_line l = {0}, where = {0};
        rfi_line_add(&l, "%s ", rfi_side_word(&pair->side[k]));
        rfi_say_side(&l, &where, f, k, &race);
        rfi_line_add(&l, " at %s", where.s);
        rfi_yaml_string(out, "        - ", l.s);
    }
    double low, high;
    rfi_wilson(pair->hits, pair->executions, &low, &high);
    fprintf(out, "      predicted: %llu\n      executions: %llu\n      hits: %llu\n",
            (unsigned long long)pair->predicted, (unsigned long long)pair->executions,
            (unsigned long long)pair->hits);
    fprintf(out, "      hit_probability_95: [%.3f, %.3f]\n      failed: %llu\n", low, high,
            (unsigned long long)pair->failed);
    rfi_trial sum = rfi_trial_sum(pair);
    if (sum.executions)
        fprintf(out, "      old_values: {executions: %llu, returned: %llu, failed: %llu}\n",
                (unsigned long long)sum.executions, (unsigned long long)sum.exposed,
                f->verdict == RFI_DESTRUCTIVE ? (unsigned long long)sum.failed : 0);
}

RFI_FN void rfi_tap_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    (void)out, (void)r;
    out = rfi_draft_open(&rfi_tap.findings);
    rfi_line verdict = {0};
    rfi_say_verdict(&verdict, f);
    rfi_yaml_string(out, "    - verdict: ", verdict.s);
    fprintf(out, "      expected: %s\n", f->expected ? "true" : "false");
    if (f->suppressed) rfi_yaml_string(out, "      suppressed: ", f->suppressed);
    if (f->warning) rfi_tap_warning(out, f);
    if (f->failure) {
        rfi_line place = {0};
        rfi_say_failure_place(&place, f);
        const rfi_failure *failure = &f->failure->failure;
        rfi_yaml_string(out, "      failure: ", rfi_diagnostic(failure->diagnostic)->id);
        rfi_yaml_string(out, "      message: ", failure->message);
        rfi_yaml_string(out, "      where: ", place.s);
        rfi_line why = {0};
        if (f->reproduced) rfi_say_stale(&why, f->record);
        if (why.bytes) rfi_yaml_string(out, "      memory: ", why.s);
    }
    if (f->together) fputs("      together: true\n", out);
    if (f->record) rfi_tap_interleaving(out, f);
    if (f->token[0])
        fprintf(out, "      reproduced: %s\n",
                !f->record       ? "not tried"
                : f->reproduced  ? "true"
                : f->record->cut ? "cut off"
                                 : "false");
    if (f->output && *f->output) rfi_yaml_string(out, "      output: ", f->output);
    if (f->note) rfi_yaml_string(out, "      note: ", f->note);
    if (!f->token[0]) return;
    fputs("      replay: \"RF_SEED=", out);
    rfi_json_text(out, f->token);
    fputc(' ', out);
    rfi_json_text(out, rfi_program);
    fputs("\"\n", out);
}

/* For harnesses: fields of the test's block. */
RFI_FN void rfi_tap_statistics(FILE *out, const rfi_result *r) {
    const rfi_statistics *s = &r->statistics;
    if (!s->compared) return;
    if (s->skipped) fprintf(out, "  skipped: %llu\n", (unsigned long long)s->skipped);
    fprintf(out, "  orders: {distinct: %llu, once: %llu, executions: %llu, estimated: %s}\n",
            (unsigned long long)s->orders, (unsigned long long)s->once,
            (unsigned long long)s->compared, s->sampled ? "true" : "false");
    if (rfi_left_out_any(s))
        fprintf(out,
                "  not_tried: {held_back: %llu, in_executions: %llu, stopped: %llu, "
                "late: %llu, unused: %llu, calm: %llu, anytime: %llu, elsewhere: %llu%s%s}\n",
                (unsigned long long)s->left_out.held, (unsigned long long)s->left_out.held_in,
                (unsigned long long)s->left_out.stopped, (unsigned long long)s->left_out.late,
                (unsigned long long)s->left_out.unused, (unsigned long long)s->left_out.calm,
                (unsigned long long)s->left_out.anytime, (unsigned long long)s->left_out.elsewhere,
                s->unstopped ? ", progress: true" : "", s->untold ? ", accesses: true" : "");
    if (rfi_chance_known(s) && !(rfi_left_out_any(s) && !s->once))
        fprintf(out, "  chance_of_new_order: %.3f\n", rfi_chance_of_new(s));
    fprintf(out, "  switches: %llu\n  preemptions: %llu\n", (unsigned long long)s->switches,
            (unsigned long long)s->preemptions);
    if (r->first_failure)
        fprintf(out, "  first_failure: %llu\n", (unsigned long long)r->first_failure);
    fputs("  explorers:\n", out);
    for (uint32_t i = 0; i < s->explorers; i++) {
        const rfi_explored *x = &s->explorer[i];
        rfi_line l = {0};
        rfi_say_explorer(&l, x);
        fprintf(out,
                "    - name: \"%s\"\n      executions: %llu\n      new_orders: %llu\n"
                "      failed: %llu\n",
                l.s, (unsigned long long)x->executions, (unsigned long long)x->fresh,
                (unsigned long long)x->failed);
        if (!x->summary[0] || !x->strategy->serial || (x->tacit && !x->proved)) continue;
        rfi_line says = {0};
        rfi_line_add(&says, "%s", x->summary);
        rfi_say_but(&says, s, true);
        rfi_yaml_string(out, "      says: ", says.s);
    }
}

/* The YAML block below a test point. */
RFI_FN void rfi_tap_block(FILE *out, const rfi_result *r) {
    fputs("  ---\n", out);
    if (r->reason[0]) rfi_yaml_string(out, "  message: ", r->reason);
    fprintf(out, "  executions: %llu\n  duration_ms: %.0f\n",
            (unsigned long long)rfi_sum_of_phases(r->executions), r->seconds * 1000);
    fprintf(out, "  capped: %s\n  stateful: %s\n", r->capped ? "true" : "false",
            r->stateful ? "true" : "false");
    rfi_tap_statistics(out, r);
    if (r->unannounced) {
        rfi_line note = {0};
        rfi_say_unannounced(&note, r->unannounced);
        rfi_yaml_string(out, "  note: ", note.s);
    }
    rfi_line cuts = {0}, killed = {0}, unfinished = {0};
    rfi_say_cuts(&cuts, &r->cut);
    rfi_say_unfinished(&unfinished, &r->unfinished);
    rfi_say_killed(&killed, &r->losses);
    if (cuts.bytes) rfi_yaml_string(out, "  cut_off: ", cuts.s);
    if (unfinished.bytes) rfi_yaml_string(out, "  unfinished: ", unfinished.s);
    if (killed.bytes) rfi_yaml_string(out, "  workers: ", killed.s);
    const char *line[RFI_SIGHTS];
    unsigned n = rfi_sight_lines(r, line);
    if (n) fputs("  unseen:\n", out);
    for (unsigned i = 0; i < n; i++) rfi_yaml_string(out, "    - ", line[i]);
    fprintf(out,
            "  warnings: {potential: %u, real: %u, destructive: %u, harmful: %u, left_out: %u}\n",
            r->potential, r->real, r->destructive, r->harmful, r->warnings_left_out);
    if (r->missing) {
        rfi_line missing = {0};
        rfi_say_kinds(&missing, r->missing);
        fprintf(out, "  missing: [%s]\n", missing.s);
    }
    if (r->suppressed || r->known)
        fprintf(out, "  suppressed: %u\n  in_baseline: %u\n", r->suppressed, r->known);
    if (rfi_tap.findings.out) fputs("  findings:\n", out);
    rfi_draft_put(&rfi_tap.findings, out);
    fputs("  ...\n", out);
}

RFI_FN void rfi_tap_result(FILE *out, const rfi_result *r) {
    rfi_progress_clear();
    fprintf(out, "%s %u - ", r->passed || r->skipped ? "ok" : "not ok", ++rfi_tap.number);
    rfi_tap_text(out, r->test->options.rfi_name);
    if (r->skipped) {
        fputs(" # SKIP ", out);
        rfi_tap_text(out, r->reason);
    }
    fputc('\n', out);
    if (!r->skipped || rfi_tap.findings.out) rfi_tap_block(out, r);
}

RFI_FN void rfi_tap_begin(FILE *out, const rfi_summary *s) {
    rfi_tap.number = 0;
    fprintf(out, "TAP version 13\n1..%u%s\n# racefuzz: seed %llu\n", s->tests,
            s->tests ? "" : " # SKIP no test", (unsigned long long)s->seed);
    if (s->division[0]) fprintf(out, "# %s\n", s->division);
}

RFI_FN void rfi_tap_end(FILE *out, const rfi_summary *s) {
    if (rfi_tap.number < s->tests) fputs("Bail out! not all tests were run\n", out);
    rfi_say_unused(out, "# ", s);
    fputs("# ", out);
    rfi_say_sum(out, s);
}

RFI_VAR const rfi_reporter rfi_tap_reporter = {
    "tap", rfi_tap_begin, rfi_text_test, rfi_tap_finding, rfi_tap_result, rfi_tap_end, true};
#endif
#endif
