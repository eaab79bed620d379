/* tests/strategies.h: executions under a strategy, of programs that have exactly the steps listed.
 *
 * Every scheduling point is a step: a join of the first thread is one too, creating and detaching a
 * thread is none.  Those made by ALONE have exactly the steps of their threads; those that join
 * give the first thread a priority, too, and have two more.
 */
#ifndef STRATEGIES_H
#define STRATEGIES_H
#include "programs.h"

enum { N = 20000 };

/* So many steps of each thread. */
#define LONG ALONE("", "own $ | own $")

/* One more than $ threads make one step each; it fails when the first of them is the last. */
#define ARRIVES "W z 1; peek n; quietly n it+1"
#define ARRIVALS                                                                               \
 "body: start; detach; times $ { start; detach } |" ARRIVES "; if = $ { fail last } |" ARRIVES \
 "|" ARRIVES "|" ARRIVES "|" ARRIVES

/* Somebody polls, somebody else has to finish. */
#define POLLS(loop) \
 "body: start; start; again; join | own 20; lock l; W f 1; unlock l; store o 1 | loop {" loop "}"
#define IS_DONE "lock l; R f; unlock l; until = 1;"

/* ---- executions ---- */

typedef struct figures {
    uint32_t failed, above_1000; /* with more steps than that */
    uint64_t most_steps, preemptions;
} figures;

/* Runs executions first..first+n-1 of a test under a strategy. */
static inline figures executions(const rf_strategy *s, const char *test, uint32_t first, uint32_t n,
                                 bool fine) {
    figures f = {0, 0, 0, 0};
    rfi_job j = lab_job_of(test, RFI_PREDICT, fine);
    rfi_plan p;
    lab_open();
    rfi_record *r = &lab_campaign.team.here->record;
    j.strategy = s;
    j.parameter = s->parameter ? *s->parameter : 0;
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    for (uint32_t i = first; i < first + n; i++) {
        rfi_job_run(&j, &p, i, r);
        f.failed += r->failure.diagnostic != RF_DIAG_NONE;
        f.above_1000 += r->steps > 1000;
        f.preemptions += r->preemptions;
        if (r->steps > f.most_steps) f.most_steps = r->steps;
    }
    return f;
}

/* The same for a program, with fine granularity. */
static inline figures under(const rf_strategy *s, const char *program, uint32_t n) {
    script_is(program, false);
    return executions(s, "script", 0, n, LAB_FINE);
}

/* Counts what the body of a program has seen. */
static inline void outcomes(const rf_strategy *s, const char *program, uint32_t n) {
    memset(seen, 0, sizeof seen);
    (void)under(s, program, n);
}

/* A strategy on a program, which fails with exactly this probability. */
typedef struct exact_share {
    const char *name, *program;
    double share;
} exact_share;

static inline void expect_exactly(const rf_strategy *s, const exact_share *all, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        lab_share(named("%s, %s: %.5g", s->name, all[i].name, all[i].share),
                  under(s, all[i].program, N).failed, N, all[i].share);
    }
}

/* The next list of `n` numbers from 1 to `most`; false: it was the last one. */
static inline bool next_tuple(uint32_t *v, uint32_t n, uint32_t most) {
    uint32_t i = 0;
    while (i < n && v[i] == most) v[i++] = 1;
    if (i < n) v[i]++;
    return i < n;
}
#endif
