/* report/progress.h: one rewritten line on a terminal, nothing elsewhere.
 *
 * It goes to stderr, so that it never mixes with a report on stdout.  The caller decides how often;
 * reporters clear it before they print.
 */
#ifndef RFI_REPORT_PROGRESS_H
#define RFI_REPORT_PROGRESS_H
#include "report/terminal.h"

#ifdef RFI_IMPL
RFI_VAR bool rfi_progress_shown;

RFI_FN void rfi_progress_line(rfi_line *l, const char *test, const char *phase, uint64_t done,
                              uint64_t total, uint32_t findings) {
    rfi_line_add(l, "%s: %s, %llu of %llu executions", test, phase, (unsigned long long)done,
                 (unsigned long long)total);
    if (findings) rfi_line_add(l, ", %u finding%s", findings, findings == 1 ? "" : "s");
}

RFI_FN void rfi_progress_show(const char *test, const char *phase, uint64_t done, uint64_t total,
                              uint32_t findings) {
    if (!rfi_is_terminal(stderr)) return;
    rfi_line l = {0};
    rfi_progress_line(&l, test, phase, done, total, findings);
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
