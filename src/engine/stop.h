/* engine/stop.h: a replay stops for a debugger, at a step, at the failure or at the race
 * (--stop-at).
 *
 * It stops by SIGTRAP, in the thread that has come there; without a debugger it says so and goes
 * on. rfi_debug_step() is there for a breakpoint. Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_STOP_H
#define RFI_ENGINE_STOP_H
#include "engine/state.h"

#ifdef RFI_IMPL
# define RFI_STOP_FAILURE UINT64_MAX
# define RFI_STOP_RACE    (UINT64_MAX - 1)

RFI_VAR uint64_t rfi_stop_at; /* 1 + the number of a step, or one of these; 0: nowhere */

/* Under a debugger a fork would be in the way. */
RFI_FN bool rfi_debugged(void) {
    char line[256];
    int pid = 0;
    FILE *f = RFI_REAL(fopen)("/proc/self/status", "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "TracerPid: %d", &pid) == 1) break;
    RFI_REAL(fclose)(f);
    return pid != 0;
}

/* Once in a replay. */
RFI_FN RFI_COLD void rfi_stop_here(const char *what) {
    rfi_stop_at = 0;
    if (rfi_debugged()) {
        fprintf(stderr, "racefuzz: stopped at %s, in T%u\n", what, rfi.current->id);
        RFI_REAL(raise)(SIGTRAP);
    } else {
        fprintf(stderr, "racefuzz: --stop-at: here is %s, but no debugger is attached\n", what);
    }
}

RFI_FN void rfi_stop_if(uint64_t at, const char *what) {
    if (RFI_UNLIKELY(rfi_stop_at == at)) rfi_stop_here(what);
}

/* The running thread has made a step of a traced execution. */
RFI_FN RFI_APART void rfi_debug_step(void) { rfi_stop_if(rfi.record->events + 1, "the step"); }
#endif
#endif
