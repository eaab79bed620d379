/* report/json.h: the format `json`, for programs: one object a line (docs/formats.md).
 *
 * A line is written when what it tells is known, and is whole by itself, so that a reader may
 * follow a long campaign.  Texts are UTF-8; what is none, and control characters, stand as escapes.
 * Numbers that may be above 2^53 are strings.
 */
#ifndef RFI_REPORT_JSON_H
#define RFI_REPORT_JSON_H
#include "report/facts.h"

#ifdef RFI_IMPL
/* ---- a writer ---- */

typedef struct rfi_json {
    FILE *out;
    bool more; /* something stands before in this object or list */
} rfi_json;

/* The inside of a string, for YAML's double-quoted scalars too. */
RFI_FN void rfi_json_text(FILE *out, const char *s) {
    while (*s) {
        unsigned columns, bytes = rfi_char(s, &columns), c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (int)c);
        else if (bytes)
            fprintf(out, "%.*s", (int)bytes, s);
        else if (c == '\n')
            fputs("\\n", out);
        else
            fprintf(out, "\\u%04x", c < 0x80 ? c : 0xfffdu); /* not UTF-8 */
        s += bytes ? bytes : 1;
    }
}

/* A file's name as a relative reference (RFC 3986). */
RFI_FN void rfi_uri_text(FILE *out, const char *s) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (; *s; s++) fprintf(out, strchr(plain, *s) ? "%c" : "%%%02X", (unsigned char)*s);
}

/* What comes next: a member of an object, or (NULL) of a list. */
RFI_FN FILE *rfi_json_next(rfi_json *j, const char *key) {
    if (j->more) fputc(',', j->out);
    if (key) fprintf(j->out, "\"%s\":", key);
    j->more = true;
    return j->out;
}

RFI_FN void rfi_json_open(rfi_json *j, const char *key, char bracket) {
    fputc(bracket, rfi_json_next(j, key));
    j->more = false;
}

RFI_FN void rfi_json_close(rfi_json *j, char bracket) {
    fputc(bracket, j->out);
    j->more = true;
}

RFI_FN void rfi_json_string(rfi_json *j, const char *key, const char *s) {
    fputc('"', rfi_json_next(j, key));
    rfi_json_text(j->out, s);
    fputc('"', j->out);
}

RFI_FN void rfi_json_number(rfi_json *j, const char *key, uint64_t n) {
    fprintf(rfi_json_next(j, key), "%llu", (unsigned long long)n);
}

RFI_FN void rfi_json_real(rfi_json *j, const char *key, double x) {
    fprintf(rfi_json_next(j, key), "%.3f", x);
}

RFI_FN void rfi_json_bool(rfi_json *j, const char *key, bool b) {
    fputs(b ? "true" : "false", rfi_json_next(j, key));
}

/* ---- parts of a report ---- */

RFI_FN void rfi_json_place(rfi_json *j, const rf_site *site) {
    rfi_where w = rfi_site_where(site);
    if (!site) return;
    rfi_json_string(j, w.offset ? "program" : "file", w.file);
    if (w.offset) rfi_json_number(j, "offset", w.offset);
    if (w.line) rfi_json_number(j, "line", w.line);
    rfi_json_string(j, "function", w.function);
    rfi_json_string(j, "statement", rfi_expression(site));
}

RFI_FN void rfi_json_thread(rfi_json *j, const rfi_record *r, uint32_t thread) {
    if (thread == RFI_NO_THREAD) return;
    rfi_line l = {0};
    rfi_say_thread(&l, r, thread);
    rfi_json_string(j, "thread", l.s);
}

/* The functions that have led to event `number`, the innermost first. */
RFI_FN void rfi_json_callers(rfi_json *j, const char *key, const rfi_record *r, uint64_t number) {
    rfi_line name;
    rfi_json_open(j, key, '[');
    for (unsigned k = 0; number != RFI_RECORD_EVENTS && (name = rfi_caller(r, number, &k)).bytes;)
        rfi_json_string(j, NULL, name.s);
    rfi_json_close(j, ']');
}

RFI_FN void rfi_json_sides(rfi_json *j, const rfi_finding *f) {
    rfi_race_lines race = rfi_finding_race(f);
    rfi_json_open(j, "places", '[');
    for (unsigned k = 0; k < f->warning->sides; k++) {
        const rfi_side *side = &f->warning->side[k];
        rfi_line what = {0}, where = {0};
        rfi_say_side(&what, &where, f, k, &race);
        rfi_json_open(j, NULL, '{');
        rfi_json_string(j, "does", rfi_side_word(side));
        rfi_json_string(j, "what", what.s);
        rfi_json_place(j, side->site);
        uint32_t thread = rfi_side_thread(f, k, &race);
        rfi_json_thread(j, f->record, thread);
        if (rfi_side_raced(f, k, &race))
            rfi_json_callers(j, "called_by", f->record, race.number[k]);
        if (f->reproduced && thread < RFI_RECORD_THREADS && f->record->thread[thread].created) {
            rfi_json_open(j, "created", '{');
            rfi_json_place(j, f->record->thread[thread].created);
            rfi_json_callers(j, "called_by", f->record, rfi_creation(f->record, thread));
            rfi_json_close(j, '}');
        }
        rfi_json_string(j, "holding", side->locks);
        rfi_json_close(j, '}');
    }
    rfi_json_close(j, ']');
}

RFI_FN void rfi_json_figures(rfi_json *j, const rfi_warning *w) {
    rfi_json_number(j, "predicted", w->predicted);
    rfi_json_number(j, "seen", w->seen);
    rfi_json_number(j, "directed", w->executions);
    rfi_json_number(j, "produced", w->hits);
    rfi_json_number(j, "failed", w->failed);
    rfi_trial sum = rfi_trial_sum(w);
    rfi_json_number(j, "old_values_returned", sum.exposed);
    rfi_json_number(j, "old_values_failed", sum.failed);
}

RFI_FN void rfi_json_failure(rfi_json *j, const rfi_finding *f) {
    const rfi_failure *failure = &f->failure->failure;
    rfi_json_open(j, "failure", '{');
    rfi_json_string(j, "kind", rfi_diagnostic(failure->diagnostic)->id);
    rfi_json_string(j, "message", failure->message);
    rfi_json_place(j, failure->site);
    rfi_json_thread(j, f->record, failure->thread);
    rfi_json_number(j, "executions", f->failure->count);
    rfi_json_number(j, "steps", f->failure->steps);
    rfi_json_close(j, '}');
}

/* The execution, step by step; long ones as cut for people. */
RFI_FN void rfi_json_steps(rfi_json *j, const rfi_finding *f) {
    rfi_cut cut = rfi_cut_make(f->record, f->warning, f->record->events <= RFI_FACT_STEPS);
    rfi_json_open(j, "steps", '[');
    for (uint64_t i = cut.first; i < cut.end; i++) {
        uint8_t mark = cut.mark[i - cut.first];
        if (!(mark & RFI_KEEP)) continue;
        const rf_event *e = rfi_event_at(f->record, i);
        rfi_line text = {0};
        rfi_say_event(&text, f->record, e);
        rfi_json_open(j, NULL, '{');
        rfi_json_number(j, "number", i);
        rfi_json_number(j, "thread", e->thread);
        rfi_json_string(j, "text", text.s);
        rfi_json_place(j, e->site);
        if (mark & RFI_STAR) rfi_json_bool(j, "named", true);
        rfi_json_close(j, '}');
    }
    rfi_json_close(j, ']');
    rfi_json_number(j, "steps_of_execution", f->record->events);
    rfi_cut_free(&cut);
}

/* ---- the lines ---- */

RFI_FN rfi_json rfi_json_line(FILE *out, const char *event) {
    rfi_json j = {out, false};
    rfi_json_open(&j, NULL, '{');
    rfi_json_string(&j, "event", event);
    return j;
}

RFI_FN void rfi_json_end_line(rfi_json *j) {
    rfi_json_close(j, '}');
    fputc('\n', j->out);
    fflush(j->out);
}

RFI_FN void rfi_json_begin(FILE *out, const rfi_summary *s) {
    rfi_json j = rfi_json_line(out, "run");
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
    rfi_json_string(&j, "schema", "racefuzz-report/1");
    rfi_json_string(&j, "racefuzz", s->version);
    rfi_json_string(&j, "program", rfi_program);
    rfi_json_string(&j, "seed", seed);
    rfi_json_number(&j, "tests", s->tests);
    if (s->division[0]) rfi_json_string(&j, "part", s->division);
    rfi_json_end_line(&j);
}

RFI_FN void rfi_json_test(FILE *out, const rfi_test *test) {
    rfi_json j = rfi_json_line(out, "test");
    rfi_json_string(&j, "test", test->options.rfi_name);
    rfi_json_string(&j, "file", test->file);
    rfi_json_number(&j, "line", test->line);
    rfi_json_end_line(&j);
}

RFI_FN void rfi_json_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_json j = rfi_json_line(out, "finding");
    rfi_line verdict = {0}, summary = {0}, stale = {0};
    rfi_say_verdict(&verdict, f);
    rfi_say_short(&summary, f);
    rfi_fingerprint mark = rfi_fingerprint_of(f->print);
    rfi_json_string(&j, "test", r->test->options.rfi_name);
    rfi_json_string(&j, "fingerprint", mark.s);
    rfi_json_string(&j, "kind", rfi_finding_kind(f));
    rfi_json_string(&j, "verdict", rfi_verdict_word(f));
    rfi_json_string(&j, "headline", verdict.s);
    rfi_json_string(&j, "summary", summary.s);
    rfi_json_bool(&j, "fails", f->fails);
    if (f->suppressed) rfi_json_string(&j, "suppressed", f->suppressed);
    rfi_json_number(&j, "group", f->group);
    if (f->gone) {
        rfi_json_open(&j, "comes_of", '{');
        if (f->order[0]) {
            rfi_json_string(&j, "store", RFI_AT(f->order[0]));
            rfi_json_string(&j, "load", RFI_AT(f->order[1]));
        } else {
            rfi_json_string(&j, "fingerprint", rfi_fingerprint_of(f->root->print).s);
        }
        rfi_json_number(&j, "executions", f->without);
        rfi_json_number(&j, "with_it", f->with);
        rfi_json_close(&j, '}');
    }
    rfi_json_bool(&j, "expected", f->expected);
    if (f->warning) rfi_json_sides(&j, f);
    if (f->warning && f->warning->text[0]) rfi_json_string(&j, "meaning", f->warning->text);
    if (f->warning) rfi_json_figures(&j, f->warning);
    if (f->failure) rfi_json_failure(&j, f);
    if (f->failure && f->reproduced) rfi_say_stale(&stale, f->record);
    if (stale.bytes) rfi_json_string(&j, "memory", stale.s);
    if (f->shrunk) {
        rfi_json_number(&j, "preemptions", f->shrunk->preemptions);
        rfi_json_number(&j, "preemptions_found", f->shrunk->before);
        rfi_json_number(&j, "schedules_with_fewer", f->shrunk->tried);
        rfi_json_bool(&j, "fewest", f->shrunk->fewest);
        rfi_json_number(&j, "shrinking", f->shrunk->spent);
    }
    if (f->shrunk && f->shrunk->calls) {
        rfi_json_number(&j, "calls", f->shrunk->calls);
        rfi_json_number(&j, "calls_found", f->shrunk->calls_before);
    }
    if (f->record) rfi_json_steps(&j, f);
    if (f->output && *f->output) rfi_json_string(&j, "output", f->output);
    if (f->note) rfi_json_string(&j, "note", f->note);
    if (f->token[0]) {
        rfi_json_string(&j, "token", f->token);
        rfi_json_string(&j, "program", rfi_program);
        if (f->record && !f->record->cut) rfi_json_bool(&j, "reproduced", f->reproduced);
    }
    rfi_json_end_line(&j);
}

RFI_FN void rfi_json_statistics(rfi_json *j, const rfi_result *r) {
    const rfi_statistics *s = &r->statistics;
    if (s->own.most) rfi_json_number(j, "own_steps", s->own.most);
    if (s->own_token) rfi_json_string(j, "own_steps_token", s->own_token);
    if (s->scenarios.sizes) {
        rfi_json_number(j, "scenarios", s->scenarios.all);
        rfi_json_number(j, "scenarios_run", s->scenarios.run);
        rfi_json_number(j, "scenarios_proved", s->scenarios.proved);
        if (s->scenarios.own.most) rfi_json_number(j, "own_steps_proved", s->scenarios.own.most);
    }
    rfi_json_number(j, "orders", s->orders);
    rfi_json_number(j, "orders_seen_once", s->once);
    rfi_json_number(j, "orders_compared", s->compared);
    if (rfi_chance_known(s) && !(rfi_left_out_any(s) && !s->once))
        rfi_json_real(j, "chance_of_new_order", rfi_chance_of_new(s));
    rfi_json_number(j, "held_back", s->left_out.held);
    rfi_json_number(j, "stopped", s->left_out.stopped);
    if (s->skipped) rfi_json_number(j, "skipped", s->skipped);
    if (s->unstopped) rfi_json_bool(j, "progress_not_tried", true);
    if (s->untold) rfi_json_bool(j, "accesses_not_seen", true);
    rfi_json_open(j, "explorers", '[');
    for (uint32_t i = 0; i < s->explorers; i++) {
        const rfi_explored *x = &s->explorer[i];
        rfi_line name = {0}, says = {0};
        rfi_say_explorer(&name, x);
        rfi_line_add(&says, "%s", x->summary);
        if (says.bytes && x->strategy->serial) rfi_say_but(&says, s, false);
        rfi_json_open(j, NULL, '{');
        rfi_json_string(j, "name", name.s);
        rfi_json_number(j, "executions", x->executions);
        rfi_json_number(j, "new_orders", x->fresh);
        rfi_json_number(j, "failed", x->failed);
        if (says.bytes) rfi_json_string(j, "says", says.s);
        rfi_json_close(j, '}');
    }
    rfi_json_close(j, ']');
}

/* Fingerprints of failures that came of warnings, for --baseline: of a warning's no more than one
 * is told, and with other schedules they may come by themselves. */
RFI_FN void rfi_json_led_to(rfi_json *j, const rfi_result *r) {
    if (!r->leads) return;
    rfi_json_open(j, "led_to", '[');
    for (uint32_t i = 0; i < r->leads; i++)
        rfi_json_string(j, NULL, rfi_fingerprint_of(r->led_to[i]).s);
    rfi_json_close(j, ']');
}

RFI_FN void rfi_json_result(FILE *out, const rfi_result *r) {
    rfi_json j = rfi_json_line(out, "result");
    const char *line[RFI_SIGHTS];
    rfi_json_string(&j, "test", r->test->options.rfi_name);
    rfi_json_string(&j, "result", r->skipped ? "skip" : r->passed ? "pass" : "fail");
    rfi_json_string(&j, "reason", r->reason);
    rfi_json_number(&j, "executions", rfi_sum_of_phases(r->executions));
    if (r->merged) rfi_json_number(&j, "merged", r->merged);
    rfi_json_number(&j, "first_failure", r->first_failure);
    rfi_json_real(&j, "seconds", r->seconds);
    rfi_json_bool(&j, "capped", r->capped);
    rfi_json_bool(&j, "stateful", r->stateful);
    rfi_json_number(&j, "potential", r->potential);
    rfi_json_number(&j, "real", r->real);
    rfi_json_number(&j, "destructive", r->destructive);
    rfi_json_number(&j, "harmful", r->harmful);
    rfi_json_number(&j, "suppressed", r->suppressed);
    rfi_json_number(&j, "in_baseline", r->known);
    rfi_json_led_to(&j, r);
    rfi_json_statistics(&j, r);
    rfi_json_open(&j, "unseen", '[');
    for (unsigned i = 0, n = rfi_sight_lines(r, line); i < n; i++)
        rfi_json_string(&j, NULL, line[i]);
    rfi_json_close(&j, ']');
    rfi_json_end_line(&j);
}

RFI_FN void rfi_json_end(FILE *out, const rfi_summary *s) {
    rfi_json j = rfi_json_line(out, "end");
    rfi_json_number(&j, "passed", s->passed);
    rfi_json_number(&j, "failed", s->failed);
    rfi_json_number(&j, "skipped", s->skipped);
    rfi_json_number(&j, "suppressed", s->suppressed);
    rfi_json_number(&j, "in_baseline", s->known);
    rfi_json_open(&j, "unused_suppressions", '[');
    for (uint32_t i = 0; i < rfi_suppressions.count; i++)
        if (!rfi_suppressions.list[i].used)
            rfi_json_string(&j, NULL, rfi_suppressions.list[i].place);
    rfi_json_close(&j, ']');
    rfi_json_end_line(&j);
}

RFI_VAR const rfi_reporter rfi_json_reporter = {
    "json", rfi_json_begin, rfi_json_test, rfi_json_finding, rfi_json_result, rfi_json_end, false};
#endif
#endif
