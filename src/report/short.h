/* report/short.h: findings in a line: expected ones, and those of one cause with another. */
#ifndef RFI_REPORT_SHORT_H
#define RFI_REPORT_SHORT_H
#include "campaign/suppress.h"
#include "report/words.h"

#ifdef RFI_IMPL
RFI_FN void rfi_text_line(const rfi_term *t, rfi_style style, unsigned indent, const rfi_line *l) {
    rfi_wrapped(t, style, 0, indent, indent + 2, l->s);
}

/* Never wrapped: it is there to be pasted. */
RFI_FN void rfi_text_replay(const rfi_term *t, const char *token) {
    if (!*token) return;
    fputs("  replay: ", t->out);
    rfi_styled(t, RFI_BOLD, "RF_SEED=%s %s", token, rfi_program);
    fputc('\n', t->out);
}

/* "bank.c:26 writes account->balance, bank.c:24 reads account->balance" */
RFI_FN void rfi_say_sides(rfi_line *l, const rfi_warning *w) {
    for (unsigned k = 0; k < w->sides; k++) {
        const rfi_side *side = &w->side[k];
        rfi_line_add(l, k ? ", " : "");
        rfi_say_place(l, side->site);
        rfi_line_add(l, " %s %s", rfi_side_word(side),
                     side->object[0] ? side->object : rfi_expression(side->site));
    }
}

/* The places, or the failure, on one line. */
RFI_FN void rfi_say_short(rfi_line *l, const rfi_finding *f) {
    rfi_say_verdict(l, f);
    if (f->warning) rfi_line_add(l, ": ");
    if (f->warning) rfi_say_sides(l, f->warning);
    bool told = f->record && f->warning && rfi_family(f->warning->family)->kind;
    if (f->warning && (!f->failure || told)) return;
    const char *message = f->failure->failure.message;
    const char *words = rfi_diagnostic(f->failure->failure.diagnostic)->words;
    if (f->warning) rfi_line_add(l, "; then %s", words);
    rfi_line_add(l, ": ");
    rfi_say_place(l, f->failure->failure.site);
    rfi_line_add(l, "%s%.*s", f->failure->failure.site ? " " : "", (int)strcspn(message, "\n"),
                 message);
}

/* Why it fails no test. */
RFI_FN void rfi_say_excuse(rfi_line *l, const rfi_finding *f) {
    if (f->expected) rfi_line_add(l, "expected: ");
    if (f->suppressed == rfi_by_baseline)
        rfi_line_add(l, "in the baseline: ");
    else if (f->suppressed)
        rfi_line_add(l, "suppressed by %s: ", f->suppressed);
}

RFI_FN void rfi_text_short(const rfi_term *t, const rfi_finding *f) {
    rfi_line l = {0};
    rfi_say_excuse(&l, f);
    rfi_say_short(&l, f);
    const rfi_warning *w = f->expected ? NULL : f->warning;
    if (w && w->executions)
        rfi_line_add(&l, "; produced in %llu of %llu executions", (unsigned long long)w->hits,
                     (unsigned long long)w->executions);
    else if (w && w->seen)
        rfi_line_add(&l, "; seen in %llu execution%s", (unsigned long long)w->seen,
                     w->seen == 1 ? "" : "s");
    rfi_text_line(t, RFI_PLAIN, 0, &l);
    rfi_text_replay(t, f->token);
}

/* ---- of one cause ---- */

/* Without what a finding is not met, and how often it was met. */
RFI_FN void rfi_say_gone(rfi_line *l, const rfi_finding *f) {
    const rfi_side *side = f->root->warning->side;
    if (f->order[0]) {
        rfi_line_add(l, "gone when the store at %s is ordered before the load",
                     RFI_AT(f->order[0]));
        rfi_line_add(l, " at %s (release, acquire)", RFI_AT(f->order[1]));
        return;
    }
    rfi_line_add(l, "gone when the race at %s", RFI_AT(side[0].site));
    if (strcmp(RFI_AT(side[0].site), RFI_AT(side[1].site)) != 0)
        rfi_line_add(l, " and %s", RFI_AT(side[1].site));
    rfi_line_add(l, " cannot happen");
}

RFI_FN void rfi_say_gone_in(rfi_line *l, const rfi_finding *f) {
    rfi_line_add(l, "in 0 of %u executions, else in %u", f->without, f->with);
}

# define RFI_TEXT_OTHERS 8u /* findings of a group that are named, beside the first */

/* What a list of findings of one group is headed by. */
RFI_FN void rfi_say_role(rfi_line *l, const rfi_finding *f) {
    if (f->role == RFI_BESIDE) rfi_line_add(l, "also, of the same cause by their places:");
    if (f->role == RFI_ROOT) rfi_line_add(l, "it comes of:");
    if (f->role != RFI_GONE) return;
    rfi_line_add(l, "also, ");
    rfi_say_gone(l, f);
    rfi_line_add(l, ":");
}

/* A finding of the same cause as the one before, in a line. */
RFI_FN void rfi_text_also(const rfi_term *t, const rfi_finding *f) {
    rfi_line head = {0}, l = {0};
    rfi_say_role(&head, f);
    if (f->nth == 1) rfi_wrapped(t, RFI_BOLD, 0, 2, 2, head.s);
    if (f->nth > RFI_TEXT_OTHERS + 1) return;
    if (f->nth > RFI_TEXT_OTHERS) {
        rfi_line_add(&l, "... and more: --all tells each in full");
    } else {
        rfi_say_short(&l, f);
        if (f->gone) rfi_line_add(&l, " (");
        if (f->gone) rfi_say_gone_in(&l, f);
        if (f->gone) rfi_line_add(&l, ")");
    }
    rfi_text_line(t, RFI_PLAIN, 4, &l);
}

/* What one that is told in full comes of. */
RFI_FN void rfi_text_gone(const rfi_term *t, const rfi_finding *f) {
    rfi_line l = {0};
    if (!f->gone) return;
    rfi_say_gone(&l, f);
    rfi_line_add(&l, ": ");
    rfi_say_gone_in(&l, f);
    l.s[0] = 'G';
    rfi_line_add(&l, ".");
    rfi_text_line(t, RFI_PLAIN, 2, &l);
}
#endif
#endif
