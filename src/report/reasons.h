/* report/reasons.h: why each test failed, in a line, a place and a token, for the end of a run. */
#ifndef RFI_REPORT_REASONS_H
#define RFI_REPORT_REASONS_H
#include "campaign/folder.h"
#include "report/facts.h"

#ifdef RFI_IMPL
typedef struct rfi_reason {
    const rfi_test *test;
    char text[400]; /* of the first finding that fails it, else of the result */
    char *token;    /* of that finding; NULL: none */
    rfi_at place;   /* "src/bank.c:41" */
    uint32_t more;  /* further findings that fail it */
} rfi_reason;

RFI_VAR struct rfi_reasons {
    rfi_reason *list;
    uint32_t count, room;
} rfi_reasons;

/* That of the test that runs, or ran last; NULL: nothing has failed it. */
RFI_FN rfi_reason *rfi_reason_of(const rfi_result *r) {
    rfi_reason *last = rfi_reasons.count ? &rfi_reasons.list[rfi_reasons.count - 1] : NULL;
    return last && last->test == r->test ? last : NULL;
}

RFI_FN rfi_reason *rfi_reason_add(const rfi_result *r, const char *text, rfi_where w) {
    struct rfi_reasons *all = &rfi_reasons;
    all->list = rfi_grow(all->list, &all->room, all->count + 1, sizeof *all->list);
    rfi_reason *new = &all->list[all->count++];
    *new = (rfi_reason){.test = r->test, .place = rfi_where_at(w, w.file)};
    snprintf(new->text, sizeof new->text, "%s", text);
    return new;
}

/* Where nothing else is known. */
RFI_FN rfi_where rfi_reason_test(const rfi_result *r) {
    return (rfi_where){r->test->file, "?", "?", r->test->line, 0, NULL};
}

RFI_FN void rfi_reason_finding(const rfi_result *r, const rfi_finding *f) {
    rfi_reason *known = rfi_reason_of(r);
    rfi_line l = {0};
    if (!f->fails) return;
    if (known) {
        known->more++;
        return;
    }
    rfi_say_short(&l, f);
    const rf_site *site = rfi_finding_site(f);
    known = rfi_reason_add(r, l.s, site ? rfi_site_where(site) : rfi_reason_test(r));
    if (f->token[0]) known->token = RFI_REAL(strdup)(f->token);
}

RFI_FN void rfi_reason_result(const rfi_result *r) {
    rfi_line l = {0};
    if (r->passed || r->skipped || rfi_reason_of(r)) return;
    if (r->missing) rfi_line_add(&l, "expected but not found: ");
    rfi_say_kinds(&l, r->missing);
    if (!l.bytes) rfi_line_add(&l, "%s", r->reason);
    (void)rfi_reason_add(r, l.s, rfi_reason_test(r));
}

/* In a line; "" where there is nothing to say. */
RFI_FN const char *rfi_reason_words(const rfi_result *r) {
    const rfi_reason *known = rfi_reason_of(r);
    return known ? known->text : r->skipped ? r->reason : "";
}

RFI_FN void rfi_reasons_forget(void) {
    for (uint32_t i = 0; i < rfi_reasons.count; i++) RFI_REAL(free)(rfi_reasons.list[i].token);
    RFI_REAL(free)(rfi_reasons.list);
    rfi_reasons = (struct rfi_reasons){0};
}

/* What became of what earlier runs of the campaign have found. */
RFI_FN void rfi_say_campaign(FILE *out) {
    uint32_t again = rfi_folder.again, tried = rfi_folder.tried, found = rfi_folder.found;
    if (tried < again) tried = again;
    uint32_t late = rfi_folder.late, gone = tried - again, rest = found - tried;
    if (!found) return;
    gone -= late < gone ? late : gone;
    fprintf(out, "%u known finding%s: %u still fail%s, %u %s gone", found, found == 1 ? "" : "s",
            again, again == 1 ? "s" : "", gone, gone == 1 ? "is" : "are");
    if (late) fprintf(out, ", %u had no time to be replayed", late);
    if (rest) fprintf(out, ", %u %s of tests that were not run", rest, rest == 1 ? "is" : "are");
    fputc('\n', out);
}

# define RFI_REASON_MORE \
  32u /* columns of a place's line for ", and 12 more findings" and the like */

/* Does the text have the place, as it is? */
RFI_FN bool rfi_says_place(const rfi_reason *r) {
    size_t n = strlen(r->place.s);
    for (const char *s = r->text; (s = strstr(s, r->place.s)) != NULL; s++)
        if (s[n] < '0' || s[n] > '9') return true;
    return false;
}

/* How much of the n bytes of a text is told before an ellipsis. */
RFI_FN size_t rfi_before_dots(const char *s, size_t n) {
    while (n && strchr(" ,;:", s[n - 1])) n--;
    return n;
}

/* Three lines each, so that the last screen says it all; not where the last lines say it anyway. */
RFI_FN void rfi_text_end(FILE *out, const rfi_summary *s) {
    rfi_term t = rfi_term_of(out);
    bool repeat = s->tests > 1 || (rfi_reasons.count && rfi_reasons.list[0].more);
    if (repeat && rfi_reasons.count) fputc('\n', out);
    for (uint32_t i = 0; repeat && i < rfi_reasons.count; i++) {
        const rfi_reason *r = &rfi_reasons.list[i];
        rfi_line l = {0}, at = {0};
        unsigned used;
        rfi_line_add(&l, "%s: %s", r->test->options.rfi_name, r->text);
        size_t first = rfi_line_fit(l.s, t.width, &used), n = 0;
        const char *rest = l.s + first + strspn(l.s + first, " ");
        size_t place = strlen(r->place.s) + RFI_REASON_MORE;
        if (*rest && place + 20 < t.width) n = rfi_line_fit(rest, t.width - (unsigned)place, &used);
        bool cut = n < strlen(rest), dots = cut && !n;
        if (dots) first = rfi_before_dots(l.s, rfi_line_fit(l.s, t.width - 4, &used));
        rfi_styled(&t, RFI_BAD, "%.*s%s", (int)first, l.s, dots ? " ..." : "");
        rfi_line_add(&at, "%.*s%s", (int)(cut ? rfi_before_dots(rest, n) : n), rest,
                     cut && n ? " ..." : "");
        if (!rfi_says_place(r) || cut) rfi_line_add(&at, "%sat %s", n ? "; " : "", r->place.s);
        if (r->more && at.bytes) rfi_line_add(&at, ", ");
        if (r->more) rfi_line_add(&at, "and %u more finding%s", r->more, r->more == 1 ? "" : "s");
        fputc('\n', out);
        if (at.bytes) rfi_wrapped(&t, RFI_PLAIN, 0, 2, 2, at.s);
        rfi_text_replay(&t, r->token ? r->token : "");
    }
    rfi_say_unused(out, "", s);
    rfi_say_campaign(out);
    rfi_say_sum(out, s);
}

RFI_VAR const rfi_reporter rfi_text_reporter = {
    "text", rfi_text_begin, rfi_text_test, rfi_text_finding, rfi_text_result, rfi_text_end, true};
#endif
#endif
