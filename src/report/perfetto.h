/* report/perfetto.h: the format `trace`: executions for viewers of traces (Perfetto, Chrome's).
 *
 * The Trace Event Format: a process for each execution that is shown, a track for each thread,
 * a slice for each step, flows for what one thread has from another one (links.h).  The time of a
 * step is its number, and it takes one unit.
 */
#ifndef RFI_REPORT_PERFETTO_H
#define RFI_REPORT_PERFETTO_H
#include "report/json.h"
#include "report/links.h"

#ifdef RFI_IMPL
RFI_VAR struct rfi_perfetto {
    rfi_json list;
    uint32_t executions;
    uint64_t flows;
} rfi_perfetto;

/* The beginning of an event of a track; viewers take track 0 for a processor that is idle. */
RFI_FN rfi_json *rfi_perfetto_open(const char *phase, uint32_t thread, const char *name) {
    rfi_json *j = &rfi_perfetto.list;
    rfi_json_open(j, NULL, '{');
    rfi_json_string(j, "ph", phase);
    rfi_json_number(j, "pid", rfi_perfetto.executions);
    rfi_json_number(j, "tid", (uint64_t)thread + 1);
    rfi_json_string(j, "name", name);
    return j;
}

RFI_FN void rfi_perfetto_name(const char *of, uint32_t thread, const char *name) {
    rfi_json *j = rfi_perfetto_open("M", thread, of);
    rfi_json_open(j, "args", '{');
    rfi_json_string(j, "name", name);
    rfi_json_close(j, '}');
    rfi_json_close(j, '}');
}

RFI_FN void rfi_perfetto_step(const rfi_record *r, uint64_t i, bool named) {
    const rf_event *e = rfi_event_at(r, i);
    rfi_line text = {0}, place = {0};
    rfi_say_event(&text, r, e);
    rfi_json *j = rfi_perfetto_open("X", e->thread, text.s);
    rfi_json_string(j, "cat", rfi_event_word(e->kind));
    rfi_json_number(j, "ts", i);
    rfi_json_number(j, "dur", 1);
    rfi_json_open(j, "args", '{');
    rfi_json_number(j, "step", i);
    if (e->site) rfi_say_site(&place, e->site);
    if (place.bytes) rfi_json_string(j, "place", place.s);
    if (named) rfi_json_bool(j, "named", true);
    rfi_json_close(j, '}');
    rfi_json_close(j, '}');
}

RFI_FN void rfi_perfetto_flow(const rfi_record *r, const rfi_link *l) {
    rfi_perfetto.flows++;
    for (unsigned end = 0; end < 2; end++) {
        uint64_t at = end ? l->to : l->from;
        rfi_json *j = rfi_perfetto_open(end ? "f" : "s", rfi_event_at(r, at)->thread,
                                        rfi_link_words[l->kind]);
        rfi_json_string(j, "cat", rfi_link_words[l->kind]);
        rfi_json_number(j, "id", rfi_perfetto.flows);
        rfi_json_number(j, "ts", at);
        if (end) rfi_json_string(j, "bp", "e"); /* to the slice that it stands in */
        rfi_json_close(j, '}');
    }
}

RFI_FN void rfi_perfetto_failure(const rfi_record *r) {
    rfi_line words = {0};
    if (!r->failure.diagnostic) return;
    uint32_t thread = r->failure.thread == RFI_NO_THREAD ? 0 : r->failure.thread;
    rfi_line_add(&words, "%s", rfi_diagnostic(r->failure.diagnostic)->words);
    rfi_json *j = rfi_perfetto_open("i", thread, words.s);
    rfi_json_string(j, "cat", "failure");
    rfi_json_string(j, "s", "p");
    rfi_json_number(j, "ts", r->events);
    rfi_json_open(j, "args", '{');
    rfi_json_string(j, "message", r->failure.message);
    rfi_json_close(j, '}');
    rfi_json_close(j, '}');
}

RFI_FN void rfi_perfetto_execution(const rfi_record *r, const rfi_warning *pair, const char *name) {
    rfi_perfetto.executions++;
    rfi_perfetto_name("process_name", 0, name);
    rfi_cut cut = rfi_cut_make(r, pair, true);
    uint8_t *named = RFI_REAL(calloc)((size_t)cut.threads + 1, 1);
    if (!named) rfi_die("out of memory (%u threads)", cut.threads);
    for (uint64_t i = cut.first; i < cut.end; i++) {
        uint32_t thread = rfi_event_at(r, i)->thread;
        rfi_line label = {0};
        rfi_say_thread(&label, r, thread);
        if (!named[thread]++) rfi_perfetto_name("thread_name", thread, label.s);
        rfi_perfetto_step(r, i, cut.mark[i - cut.first] & RFI_STAR);
    }
    rfi_perfetto_failure(r);
    rfi_links links = rfi_links_find(r);
    for (uint32_t i = 0; i < links.count; i++) rfi_perfetto_flow(r, &links.at[i]);
    RFI_REAL(free)(links.at);
    RFI_REAL(free)(named);
    rfi_cut_free(&cut);
}

RFI_FN void rfi_perfetto_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_line name = {0};
    (void)out;
    if (!f->record || f->suppressed || f->brief) return;
    rfi_line_add(&name, "%s: ", r->test->options.rfi_name);
    rfi_say_short(&name, f);
    rfi_perfetto_execution(f->record, f->warning, name.s);
}

RFI_FN void rfi_perfetto_begin(FILE *out, const rfi_summary *s) {
    rfi_json j = {out, false};
    rfi_json_open(&j, NULL, '{');
    rfi_json_string(&j, "displayTimeUnit", "ns");
    rfi_json_open(&j, "otherData", '{');
    rfi_json_string(&j, "racefuzz", s->version);
    rfi_json_string(&j, "program", rfi_program);
    rfi_json_string(&j, "ts", "number of the step");
    rfi_json_close(&j, '}');
    rfi_json_open(&j, "traceEvents", '[');
    rfi_perfetto = (struct rfi_perfetto){.list = j};
}

RFI_FN void rfi_perfetto_end(FILE *out, const rfi_summary *s) {
    (void)s;
    fputs("]}\n", out);
}

RFI_FN void rfi_perfetto_replayed(FILE *out, const rfi_summary *s, const rfi_test *t,
                                  const rfi_record *r) {
    rfi_perfetto_begin(out, s);
    rfi_perfetto_execution(r, NULL, t->options.rfi_name);
    rfi_perfetto_end(out, s);
}

RFI_VAR const rfi_reporter rfi_perfetto_reporter = {
    "trace", rfi_perfetto_begin, NULL, rfi_perfetto_finding, NULL, rfi_perfetto_end, false};
#endif
#endif
