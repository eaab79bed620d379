/* report/progress.h: one rewritten line on a terminal, a line now and then in a log.
 *
 * It goes to stderr, so that it never mixes with a report on stdout.  The caller decides how often;
 * reporters clear it before they print.
 */
#ifndef RFI_REPORT_PROGRESS_H
#define RFI_REPORT_PROGRESS_H
#include "campaign/crash.h"
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

RFI_VAR struct {
    int64_t every, next; /* ms; every 0: never */
} rfi_progress_log_of;

/* The first line of a log comes when the first interval is over. */
RFI_FN void rfi_progress_log_open(uint32_t seconds) {
    rfi_progress_log_of.every = (int64_t)seconds * 1000;
    rfi_progress_log_of.next = rfi_milliseconds() + rfi_progress_log_of.every;
}

/* In a log: that somebody is alive, and how far. */
RFI_FN void rfi_progress_log(const rfi_standing *s) {
    int64_t now = rfi_milliseconds();
    rfi_line l = {0};
    if (!rfi_progress_log_of.every || now < rfi_progress_log_of.next) return;
    rfi_progress_log_of.next = now + rfi_progress_log_of.every;
    rfi_progress_line(&l, s);
    fprintf(stderr, "racefuzz: %s\n", l.s);
    fflush(stderr);
}

RFI_FN void rfi_progress_clear(void) {
    if (!rfi_progress_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    rfi_progress_shown = false;
}
#endif
#endif
