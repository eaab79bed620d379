/* engine/fail.h: an execution ends early.
 *
 * The first failure is written to the record, then control goes home; the threads of the execution
 * are abandoned where they stand.  Cold by nature.
 */
#ifndef RFI_ENGINE_FAIL_H
#define RFI_ENGINE_FAIL_H
#include "engine/stop.h"

#ifdef RFI_IMPL
/* What a message is appended to. */
typedef struct rfi_text {
    char *at, *end;
} rfi_text;

RFI_INLINE rfi_text rfi_message_of(rfi_failure *f) {
    return (rfi_text){f->message, f->message + sizeof f->message};
}

/* In a process that was forked for a part of an execution: ends it. */
RFI_VAR void (*rfi_over)(void);

/* The running thread never comes back from here. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_go_home(void) {
    if (rfi_over) rfi_over();
    if (rfi.record->failure.diagnostic) rfi_stop_if(RFI_STOP_FAILURE, "the failure");
    rfi.run.abandoned = true;
    rfi_fiber_jump(&rfi.current->fiber, &rfi.home);
    abort(); /* nobody resumes an abandoned thread */
}

/* Ends the execution with a failure of this thread, the message of which has been written. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_written(rf_diagnostic d, const rf_site *s,
                                                   uint32_t thread) {
    rfi_failure *f = &rfi.record->failure;
    f->diagnostic = d;
    f->site = s;
    f->thread = thread;
    rfi_go_home();
}

RFI_FN RFI_COLD void rfi_failure_set(rf_diagnostic d, const rf_site *s, const char *fmt,
                                     va_list ap) {
    rfi_failure *f = &rfi.record->failure;
    f->diagnostic = d;
    f->site = s;
    f->thread = rfi.current ? rfi.current->id : 0;
    vsnprintf(f->message, sizeof f->message, fmt, ap);
}

/* Ends the execution with a failure; outside of one, the process. */
RFI_FN RFI_COLD RFI_NORETURN RFI_PRINTF(3, 4) void rfi_fail(rf_diagnostic d, const rf_site *s,
                                                            const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!RFI_ME(s)) {
        rfi_where w = rfi_site_where(s);
        fprintf(stderr, "%s: %s: ", rfi_where_at(w, w.file).s, rfi_diagnostic(d)->words);
        vfprintf(stderr, fmt, ap);
        fputc('\n', stderr);
        abort();
    }
    rfi_failure_set(d, s, fmt, ap);
    va_end(ap);
    rfi_go_home();
}

/* For what changes more than an invariant may, or needs threads. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_here(const rf_site *s, const char *what) {
    rfi_fail(RF_DIAG_FAIL, s, "%s %s", what,
             rfi.current ? "inside an RF_INVARIANT function" : "outside of a test");
}

void rfi_fail_test(const rf_site *s, int diagnostic, const char *fmt, ...) {
    char text[RFI_MESSAGE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    rfi_fail((rf_diagnostic)diagnostic, s, "%s", text);
}

void rfi_skip_test(const rf_site *s, const char *reason) {
    rfi_thr *t = RFI_ME(s);
    if (!t) rfi_fail(RF_DIAG_FAIL, s, "RF_SKIP outside of a test");
    if (rfi.strategy->values) { /* an execution stands for all orders of its events */
        t->outside = RFI_SKIPS;
        rfi_yield(s);
    }
    rfi.record->skipped = true;
    snprintf(rfi.record->failure.message, RFI_MESSAGE_BYTES, "%s", reason);
    rfi_go_home();
}

RFI_FN RFI_COLD RFI_PRINTF(2, 3) void rfi_append(rfi_text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at, (size_t)(t->end - t->at), fmt, ap);
    va_end(ap);
    if (n > 0) t->at += n < t->end - t->at ? n : t->end - t->at - 1;
}
#endif
#endif
