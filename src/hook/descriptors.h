/* hook/descriptors.h: files that are closed beside their use.
 *
 * A descriptor is a number that the system gives out again, so a thread that uses it while another
 * one closes it may meet another file.  Its identity is the number, the file that it stands for,
 * and how often it was closed.  To close it is a write to that, any other operation a read.  An
 * operation touches the descriptor before it does what it is for: what it receives does not order
 * it.  Not all that orders threads by way of the system is seen, so such a race is real only if it
 * was produced (campaign/tally.h): by a checker, or since one of the two executes while the other
 * one is the next operation of its thread.
 */
#ifndef RFI_HOOK_DESCRIPTORS_H
#define RFI_HOOK_DESCRIPTORS_H
#include "detect/pairs.h"
#include "hook/heap.h"

#ifdef RFI_COMPILER
# include <sys/stat.h>

# define RFI_DESCRIPTORS 1024 /* greater numbers are not looked at */

typedef struct rfi_descriptor {
    dev_t device;
    ino_t number;
    bool closed;
} rfi_descriptor;

RFI_VAR rfi_descriptor rfi_descriptors[RFI_DESCRIPTORS];
RFI_VAR uint64_t rfi_descriptor_is[RFI_DESCRIPTORS]; /* their addresses stand for them */

/* If it stands for another file than when it was last looked at, nothing has been done to it. */
RFI_FN void rfi_descriptor_look(int n) {
    struct stat now;
    rfi_descriptor *d = &rfi_descriptors[n];
    if (RFI_REAL(fstat)(n, &now)) return;
    if (d->closed || d->device != now.st_dev || d->number != now.st_ino)
        rfi_hook_anew(&rfi_descriptor_is[n], sizeof *rfi_descriptor_is);
    *d = (rfi_descriptor){now.st_dev, now.st_ino, false};
}

/* The thread has made that operation: which others are about to use, or close, the same? */
RFI_FN void rfi_descriptor_beside(const rf_site *s, const void *p, unsigned flags) {
    const unsigned from = rfi_pairs_state.driver, met = RF_EV_USES | RF_EV_IN_PLACE;
    if (!rfi_race_sink || !rfi_pairs_state.users) return;
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rf_event *e = &rfi.thread[i]->next;
        if (i == rfi.current->id || rfi.thread[i]->finished || e->addr != p) continue;
        if (!((flags | e->flags) & RF_EV_WRITES)) continue;
        rfi_race r = {.by = rfi_pairs_state.name[from],
                      .site = {s, e->site},
                      .flags = {(uint16_t)(flags | met),
                                (uint16_t)((e->flags & ~(unsigned)RF_EV_RANGE) | met)},
                      .thread = {rfi.current->id, i},
                      .size = {sizeof *rfi_descriptor_is, sizeof *rfi_descriptor_is},
                      .lockset = {rfi_lockset_of(rfi.current->id), rfi_lockset_of(i)},
                      .addr = p,
                      .unordered = true};
        rfi_race_sink(&r);
    }
}

/* `flags`: RF_EV_READS, or RF_EV_WRITES of who closes it. */
RFI_FN void rfi_descriptor_use(const void *pc, int n, unsigned flags) {
    if (!rfi.current || rfi.quiet || n < 0 || n >= RFI_DESCRIPTORS) return;
    int error = errno;
    rfi_descriptor_look(n);
    errno = error;
    if (rfi.run.threads == 1) return;
    const void *p = &rfi_descriptor_is[n];
    const rf_site *s = rfi_code_at(rfi_code_from(pc), RF_SITE_OTHER);
    rfi_range_event(s, p, sizeof *rfi_descriptor_is, flags | RF_EV_USES);
    rfi_descriptor_beside(s, p, flags);
}

# define RFI_USES_FILE(n)   rfi_descriptor_use(RFI_PC(), n, RF_EV_READS)
# define RFI_CLOSES_FILE(n) rfi_descriptor_use(RFI_PC(), n, RF_EV_WRITES)
# define RFI_CLOSED_FILE(n) rfi_descriptor_closed(n)

/* It is about to be: who still uses the number before that uses the same file. */
RFI_FN void rfi_descriptor_closed(int n) {
    if (n >= 0 && n < RFI_DESCRIPTORS) rfi_descriptors[n].closed = true;
}
#endif
#endif
