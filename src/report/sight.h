/* report/sight.h: warnings about runs that observed little.
 *
 * A test may pass because its threads, or their accesses, were never seen.  Then the lines below
 * its result say so: of the first three at most one.
 */
#ifndef RFI_REPORT_SIGHT_H
#define RFI_REPORT_SIGHT_H
#include "campaign/result.h"

#ifdef RFI_IMPL
# define RFI_SIGHTS 2u /* at most so many lines */

/* Fills `line`; how many. */
RFI_FN unsigned rfi_sight_lines(const rfi_result *r, const char *line[RFI_SIGHTS]) {
    const rfi_sight *s = &r->sight;
    unsigned n = 0;
    if (!r->executions[0] || s->none || r->skipped) return 0;
    if (r->passed && !s->steps) /* where something failed there was enough to see */
        line[n++] = "not one scheduling point was met: nothing in it is racefuzz's to schedule";
    else if (r->passed && s->threads == 1)
        line[n++] = "only one thread ever ran: there was nothing to schedule";
    else if (r->passed && s->threads > 1 && rfi_sight_idle(s))
        line[n++] = "between their starts and ends the threads did nothing that racefuzz sees";
    if (s->unwatched)
        line[n++] = "plain accesses were not watched: data races were not looked for (compile the "
                    "program with -fsanitize=thread, the engine with -DRF_HOOK_COMPILER, or both "
                    "by racefuzz-cc)";
    if (s->apart && n < RFI_SIGHTS)
        line[n++] = "what the C++ library calls was not seen: link with -static-libstdc++ "
                    "-static-libgcc";
    return n;
}
#endif
#endif
