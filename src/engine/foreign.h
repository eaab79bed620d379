/* engine/foreign.h: threads that are not racefuzz's.
 *
 * The code under test may have real threads that nobody told us of: one of a library, or one that
 * was made by a pthread_create which is not hooked.  They run whenever the kernel lets them, beside
 * the logical thread that has the turn; so none may enter the engine, which would take it for that
 * thread.  Each real thread of ours says so in its own thread-local storage.  Fibers that have such
 * storage of their own (local.h) find it there, too: it is one of their first values.
 */
#ifndef RFI_ENGINE_FOREIGN_H
#define RFI_ENGINE_FOREIGN_H
#include "base/site.h"

#ifdef RFI_IMPL
/* This one may enter.  No function is called to find it, from a shared library either. */
RFI_VAR _Thread_local bool rfi_ours __attribute__((tls_model("initial-exec")));

/* Ends the execution, from that thread: `in`, a function of ours, was called at `s`, or, if that is
 * NULL, at `pc`.  NULL outside of campaigns. */
RFI_VAR void (*rfi_foreign_end)(const char *in, const rf_site *s, const void *pc);

RFI_FN RFI_COLD RFI_NORETURN void rfi_foreign(const char *in, const rf_site *s, const void *pc) {
    if (rfi_foreign_end) rfi_foreign_end(in, s, pc);
    rfi_die("%s was called in a thread that racefuzz did not create", in);
}
#endif
#endif
