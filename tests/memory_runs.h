/* tests/memory_runs.h: runs of tests under the memory model whose plain data is all watched. */
#ifndef MEMORY_RUNS_H
#define MEMORY_RUNS_H
#include "schedules.h"

enum { RELAXED = rf_memory_order_relaxed };

/* All plain data is watched, and every read goes by `pick`. */
static inline rfi_job adversary(const char *test, rf_heuristic pick, bool fine) {
    rfi_job j = lab_job_of(test, RFI_ADVERSARY, fine);
    j.all = true;
    j.pick = pick;
    return j;
}

static uint64_t atomic_stale, plain_stale, notes;

static inline void count_stale(void) {
    atomic_stale += rfi.record->atomic_stale;
    plain_stale += rfi.record->plain_stale;
    notes += rfi.record->unannounced != NULL;
}

static const rf_heuristic every_pick[] = {RF_PICK_OLDEST,           RF_PICK_RANDOM,
                                          RF_PICK_RANDOM_DIFFERENT, RF_PICK_RECENT,
                                          RF_PICK_OLDEST_DIFFERENT, RF_PICK_MIXED};
#ifndef PICKS /* the first that a program takes */
# define PICKS (sizeof every_pick / sizeof *every_pick)
#endif

/* Runs a test under these heuristics, fine and coarse; the failed executions, told by `why`. */
static inline uint64_t failed_under_all(const char *test, uint32_t n) {
    uint64_t failed = 0;
    memset(seen, 0, sizeof seen);
    atomic_stale = plain_stale = notes = 0;
    for (unsigned i = 0; i < 2 * PICKS; i++) {
        rfi_job j = adversary(test, every_pick[i / 2], i % 2);
        const rfi_tally *t = lab_job(&j, n);
        for (uint32_t k = 0; k < t->failures; k++) {
            failed += t->failure[k].count;
            because("%s, %s: line %u: %s", rfi_pick_word(every_pick[i / 2]),
                    i % 2 ? "fine" : "coarse",
                    t->failure[k].failure.site ? t->failure[k].failure.site->line : 0,
                    t->failure[k].failure.message);
        }
    }
    return failed;
}
#endif
