/* report/progress.h: one rewritten line on a terminal, nothing elsewhere.
 *
 * It goes to stderr, so that it never mixes with a report on stdout.  The caller decides how often;
 * reporters clear it before they print.
 */
#ifndef RFI_REPORT_PROGRESS_H
#define RFI_REPORT_PROGRESS_H
#include "campaign/result.h"
#include "report/terminal.h"

#ifdef RFI_IMPL
RFI_VAR bool rfi_progress_shown;

RFI_FN void rfi_progress_line(rfi_line *l, const rfi_standing *s) {
    if (s->tests > 1) rfi_line_add(l, "test %u of %u, ", s->number, s->tests);
    rfi_line_add(l, "%s: %s", s->test, s->doing);
    if (s->total)
        rfi_line_add(l, ", %llu of %llu executions", (unsigned long long)s->done,
                     (unsigned long long)s->total);
    if (s->rate) rfi_line_add(l, " (%llu/s)", (unsigned long long)s->rate);
    if (s->findings) rfi_line_add(l, ", %u finding%s", s->findings, s->findings == 1 ? "" : "s");
    if (s->left < 120)
        rfi_line_add(l, ", %u s left", (unsigned)s->left);
    else if (s->left != UINT64_MAX)
        rfi_line_add(l, ", %llu min left", (unsigned long long)(s->left + 59) / 60);
}

/* On a terminal only. */
RFI_FN void rfi_progress_show(const rfi_standing *s) {
    rfi_line l = {0};
    if (!rfi_is_terminal(stderr)) return;
    rfi_progress_line(&l, s);
    unsigned used,
        room = rfi_width(stderr) - 1; /* a full line would wrap and could not be rewritten */
    fprintf(stderr, "\r%.*s\033[K", (int)rfi_line_fit(l.s, room, &used), l.s);
    fflush(stderr);
    rfi_progress_shown = true;
}

RFI_FN void rfi_progress_clear(void) {
    if (!rfi_progress_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    rfi_progress_shown = false;
}
#endif
#endif
