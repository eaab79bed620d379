/* report/results.h: what people read when a test ends, and of the whole run.
 *
 * The verdict with what was seen in a few words, races that were only predicted, a line for each
 * variable, and whatever makes the result worth less than it looks.
 */
#ifndef RFI_REPORT_RESULTS_H
#define RFI_REPORT_RESULTS_H
#include "report/sight.h"
#include "report/text.h"

#ifdef RFI_IMPL
RFI_FN void rfi_text_begin(FILE *out, const rfi_summary *s) {
    fprintf(out, "racefuzz: %u test%s, seed %llu\n", s->tests, s->tests == 1 ? "" : "s",
            (unsigned long long)s->seed);
    if (s->division[0]) fprintf(out, "%s\n", s->division);
}

RFI_FN void rfi_text_test(FILE *out, const rfi_test *test) {
    (void)out, (void)test; /* its result says its name; until then there is the progress line */
}

RFI_FN void rfi_text_budget(const rfi_term *t, const rfi_result *r) {
    uint64_t done = rfi_sum_of_phases(r->executions), planned = rfi_sum_of_phases(r->planned);
    rfi_line l = {0};
    if (!r->capped) return;
    rfi_line_add(&l, "stopped by the cap in seconds after %llu", (unsigned long long)done);
    if (planned) rfi_line_add(&l, " of %llu", (unsigned long long)planned); /* no merge */
    rfi_line_add(&l, " execution%s (RF_SECONDS)", planned || done != 1 ? "s" : "");
    rfi_text_line(t, RFI_WARN, 5, &l);
}

/* What happened to executions and their processes that is no finding. */
RFI_FN void rfi_text_losses(const rfi_term *t, const rfi_result *r) {
    rfi_line cuts = {0}, killed = {0}, unfinished = {0};
    rfi_say_cuts(&cuts, &r->cut);
    rfi_say_unfinished(&unfinished, &r->unfinished);
    rfi_say_killed(&killed, &r->losses);
    if (cuts.bytes) rfi_text_line(t, RFI_WARN, 5, &cuts);
    if (unfinished.bytes) rfi_wrapped(t, RFI_WARN, 0, 5, 7, unfinished.s);
    if (killed.bytes) rfi_text_line(t, RFI_WARN, 5, &killed);
    rfi_line bare = {0};
    if (!r->unreplayed) return;
    rfi_line_add(&bare, "%u finding%s not replayed before being told: there was no %s",
                 r->unreplayed, r->unreplayed == 1 ? " was" : "s were",
                 r->losses.ended[0] ? "process for it" : "time left");
    rfi_text_line(t, RFI_WARN, 5, &bare);
}

/* Of predictions that were never produced, unless nothing is to be left out. */
# define RFI_TEXT_VARIABLES 6u
# define RFI_TEXT_PAIRS     2u /* of a variable */

RFI_FN bool rfi_only_predicted(const rfi_warning *p) { return !p->hits && !p->seen; }

/* "account->balance: bank.c:26 writes, bank.c:24 reads; ...": predictions of p's variable. */
RFI_FN void rfi_text_variable(const rfi_term *t, const rfi_result *r, const rfi_warning *p) {
    rfi_line l = {0};
    uint32_t pairs = 0;
    rfi_line_add(&l, "%s", rfi_expression(p->side[0].site));
    for (const rfi_warning *q = p; q < r->warning + r->warnings; q++) {
        if (q->variable != p->variable || !rfi_only_predicted(q)) continue;
        if (pairs++ >= RFI_TEXT_PAIRS && !rfi_report_full) continue;
        rfi_line_add(&l, q == p ? ": " : "; ");
        for (unsigned k = 0; k < 2; k++) {
            rfi_line_add(&l, k ? ", " : "");
            rfi_say_place(&l, q->side[k].site);
            rfi_line_add(&l, " %s", rfi_access_word(q->side[k].flags));
        }
    }
    if (pairs > RFI_TEXT_PAIRS && !rfi_report_full)
        rfi_line_add(&l, "; and %u more", pairs - RFI_TEXT_PAIRS);
    rfi_wrapped(t, RFI_PLAIN, 0, 7, 9, l.s);
}

RFI_VAR const char rfi_not_possible[] = "predicted, and not possible in this test:";

/* What was only predicted and is no race, a line each. */
RFI_FN void rfi_text_other_predictions(const rfi_term *t, const rfi_result *r) {
    for (uint32_t i = 0, told = 0; i < r->warnings; i++) {
        const rfi_warning *w = &r->warning[i];
        rfi_line l = {0};
        if (w->family == RF_FAMILY_RACE || !rfi_only_predicted(w)) continue;
        if (!told++)
            rfi_wrapped(t, RFI_PLAIN, 0, 5, 7,
                        r->statistics.proved ? rfi_not_possible : "predicted, never produced:");
        rfi_line_add(&l, "%s: ", rfi_warning_words(w));
        rfi_say_sides(&l, w);
        if (w->label[0] && w->text[0]) rfi_line_add(&l, ": %s", w->text);
        rfi_text_line(t, RFI_PLAIN, 7, &l);
    }
}

RFI_FN void rfi_text_predictions(const rfi_term *t, const rfi_result *r) {
    uint32_t told = 0, variables = 0, races = 0;
    for (uint32_t i = 0; i < r->warnings; i++)
        races += r->warning[i].family == RF_FAMILY_RACE && rfi_only_predicted(&r->warning[i]);
    rfi_text_other_predictions(t, r);
    if (!races) return;
    rfi_wrapped(t, RFI_PLAIN, 0, 5, 7,
                r->statistics.proved ? rfi_not_possible
                                     : "predicted, never produced (no race if something orders "
                                       "them that the detector does not know):");
    for (uint32_t i = 0; i < r->warnings; i++) {
        bool first = r->warning[i].family == RF_FAMILY_RACE && rfi_only_predicted(&r->warning[i]);
        for (uint32_t k = 0; k < i; k++)
            first &= !(rfi_only_predicted(&r->warning[k]) &&
                       r->warning[k].variable == r->warning[i].variable);
        if (!first || (++variables > RFI_TEXT_VARIABLES && !rfi_report_full)) continue;
        rfi_text_variable(t, r, &r->warning[i]);
        told++;
    }
    if (told == variables) return;
    rfi_line more = {0};
    rfi_line_add(&more, "and of %u more variable%s (--verbose)", variables - told,
                 variables - told == 1 ? "" : "s");
    rfi_text_line(t, RFI_PLAIN, 7, &more);
}

RFI_FN void rfi_say_counts(rfi_line *l, const rfi_result *r) {
    rfi_line_add(l, "; warnings: %u potential, %u real, ", r->potential, r->real);
    if (r->destructive) rfi_line_add(l, "%u destructive, ", r->destructive);
    rfi_line_add(l, "%u harmful", r->harmful);
}

/* "2 suppressed, 1 in the baseline" */
RFI_FN void rfi_say_suppressed(rfi_line *l, uint32_t suppressed, uint32_t known) {
    if (suppressed) rfi_line_add(l, "%u suppressed", suppressed);
    if (known) rfi_line_add(l, "%s%u in the baseline", suppressed ? ", " : "", known);
}

RFI_FN void rfi_text_crowded(const rfi_term *t) {
    rfi_line l = {0};
    rfi_line_add(&l, "more than %u statements known by address only; all further ones count as one",
                 RFI_CODE_MOST);
    rfi_text_line(t, RFI_WARN, 5, &l);
}

RFI_FN void rfi_text_sight(const rfi_term *t, const rfi_result *r) {
    const char *line[RFI_SIGHTS];
    unsigned n = rfi_sight_lines(r, line);
    for (unsigned i = 0; i < n; i++) rfi_wrapped(t, RFI_WARN, 0, 5, 7, line[i]);
}

/* A test that passes has one line, if leaving out what is usual makes one of it. */
RFI_FN void rfi_line_shorten(rfi_line *l, unsigned room, const char *usual) {
    size_t n = strlen(usual);
    if (l->bytes <= room || l->bytes < n || strcmp(l->s + l->bytes - n, usual) != 0) return;
    l->bytes -= (unsigned)n;
    l->s[l->bytes] = 0;
}

RFI_FN void rfi_text_verdict(const rfi_term *t, const rfi_result *r) {
    rfi_line l = {0};
    const char *word = r->skipped ? "SKIP" : r->passed ? "PASS" : "FAIL";
    rfi_styled(t, r->skipped ? RFI_WARN : r->passed ? RFI_GOOD : RFI_BAD, "%s", word);
    rfi_line_add(&l, "%s", r->test->options.rfi_name);
    if (r->skipped) {
        rfi_line_add(&l, ": %s", r->reason);
        rfi_wrapped(t, RFI_PLAIN, 4, 5, 7, l.s);
        return;
    }
    unsigned long long executions = rfi_sum_of_phases(r->executions);
    rfi_line_add(&l, ": %llu execution%s in %.2f s", executions, executions == 1 ? "" : "s",
                 r->seconds);
    if (r->merged) rfi_line_add(&l, ", %llu stand in the folders", (unsigned long long)r->merged);
    uint64_t skipped = r->statistics.skipped + (r->merged ? r->statistics.omitted : 0);
    if (skipped) rfi_line_add(&l, ", %llu skipped", (unsigned long long)skipped);
    if (r->potential + r->real + r->destructive + r->harmful) rfi_say_counts(&l, r);
    if (r->suppressed || r->known) rfi_line_add(&l, "; findings: ");
    rfi_say_suppressed(&l, r->suppressed, r->known);
    if (r->warnings_left_out) rfi_line_add(&l, ", %u more left out", r->warnings_left_out);
    bool orders = rfi_says_orders(r);
    if (!rfi_report_full && r->statistics.compared && (orders || r->first_failure)) {
        rfi_line_add(&l, "; ");
        rfi_say_seen(&l, r, orders);
    }
    if (!rfi_report_full) rfi_say_proof(&l, &r->statistics);
    rfi_line_shorten(&l, t->width - 5, rfi_all_again);
    rfi_line_shorten(&l, t->width - 5, rfi_all_proved);
    rfi_wrapped(t, RFI_PLAIN, 4, 5, 7, l.s);
    rfi_text_statistics(t, r);
    rfi_text_predictions(t, r);
    rfi_text_budget(t, r);
    rfi_text_losses(t, r);
    if (r->stateful) rfi_wrapped(t, RFI_WARN, 0, 5, 7, "the test keeps state between executions");
    if (rfi_code_full()) rfi_text_crowded(t);
    rfi_text_unannounced(t, 5, r->unannounced);
    rfi_text_sight(t, r);
    if (r->missing) {
        rfi_line missing = {0};
        rfi_line_add(&missing, "expected but not found: ");
        rfi_say_kinds(&missing, r->missing);
        rfi_text_line(t, RFI_BAD, 5, &missing);
    }
    if (!r->reason[0]) return;
    rfi_line reason = {0};
    rfi_line_add(&reason, "%s", r->reason);
    rfi_text_line(t, RFI_PLAIN, 5, &reason);
}

RFI_FN void rfi_text_result(FILE *out, const rfi_result *r) {
    rfi_term t = rfi_term_of(out);
    rfi_progress_clear();
    if (!r->skipped && !r->passed) fputc('\n', out); /* apart from the findings before it */
    rfi_text_verdict(&t, r);
}

/* Lines about findings that do not count, and suppressions that no finding has met. */
RFI_FN void rfi_say_unused(FILE *out, const char *before, const rfi_summary *s) {
    rfi_line l = {0};
    rfi_say_suppressed(&l, s->suppressed, s->known);
    if (l.bytes) fprintf(out, "%sfindings: %s\n", before, l.s);
    for (uint32_t i = 0; i < rfi_suppressions.count; i++) {
        const rfi_suppression *u = &rfi_suppressions.list[i];
        rfi_line text = {0};
        if (u->used) continue;
        rfi_line_add(&text, "%s: %s", u->place, u->text);
        fprintf(out, "%sunused suppression: %s\n", before, text.s);
    }
}

RFI_FN void rfi_say_sum(FILE *out, const rfi_summary *s) {
    fprintf(out, "%u passed, %u failed", s->passed, s->failed);
    if (s->skipped) fprintf(out, ", %u skipped", s->skipped);
    fputc('\n', out);
}

#endif
#endif
