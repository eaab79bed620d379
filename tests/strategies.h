/* tests/strategies.h: executions under a strategy, of programs that have exactly the steps listed.
 *
 * Every scheduling point is a step: a join of the first thread is one too, creating and detaching a
 * thread is none.  The programs called ..._alone detach their threads, so that they have exactly
 * the steps that are listed; those that join give the first thread a priority, too, and have two
 * more.
 */
#ifndef STRATEGIES_H
#define STRATEGIES_H
#include "programs.h"

enum { N = 20000 };

static inline void detach_two(void *(*first)(void *), void *(*second)(void *)) {
    RF_DETACH(RF_THREAD(first, NULL));
    RF_DETACH(RF_THREAD(second, NULL));
}

RF_TEST(check_act_alone) {
    y = 1;
    detach_two(check_then_act, clear);
}

static int added;

static void *add_and_look(void *arg) {
    (void)add_1(arg);
    if (++added == 2 && x != 2) RF_FAIL("lost");
    return arg;
}

RF_TEST(update_alone) {
    x = added = 0;
    detach_two(add_and_look, add_and_look);
}

/* `threads` make one step each; it fails when the first of them is the last. */
static int threads;

static void *arrive(void *number) {
    RF_STORE(z, 1);
    if (++added == threads && number == NULL) RF_FAIL("last");
    return number;
}

RF_TEST(arrivals_alone) {
    added = 0;
    for (intptr_t i = 0; i < threads; i++) RF_DETACH(RF_THREAD(arrive, (void *)i));
}

static int length;

THREAD(many_steps) { PRIVATE_STEPS(length); }

RF_TEST(long_alone) { detach_two(many_steps, many_steps); }

/* ---- somebody polls, somebody else has to finish ---- */

static int finished;
static rf_atomic_int over;

static bool is_done(void) {
    RF_LOCK(&L);
    int d = RF_LOAD(finished);
    RF_UNLOCK(&L);
    return d;
}

THREAD(poll) {
    while (!is_done()) continue;
}

THREAD(finish_all) {
    PRIVATE_STEPS(20);
    RF_LOCK(&L);
    RF_STORE(finished, 1);
    RF_UNLOCK(&L);
    rf_atomic_store(&over, 1);
}

static inline void beside(void *(*spinner)(void *)) {
    rf_atomic_init(&over, 0);
    finished = 0;
    rf_thread t[] = {RF_THREAD(spinner, NULL), RF_THREAD(finish_all, NULL),
                     RF_THREAD(spinner, NULL)};
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

RF_TEST(polls) { beside(poll); }

/* ---- executions ---- */

typedef struct figures {
    uint32_t failed;
    uint64_t most_steps, preemptions;
} figures;

/* Runs executions first..first+n-1 of a test under a strategy. */
static inline figures executions(const rf_strategy *s, const char *test, uint32_t first, uint32_t n,
                                 bool fine) {
    figures f = {0, 0, 0};
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
        f.preemptions += r->preemptions;
        if (r->steps > f.most_steps) f.most_steps = r->steps;
    }
    return f;
}

static inline figures under(const rf_strategy *s, const char *test, uint32_t n) {
    return executions(s, test, 0, n, LAB_FINE);
}

/* The next list of `n` numbers from 1 to `most`; false: it was the last one. */
static inline bool next_tuple(uint32_t *v, uint32_t n, uint32_t most) {
    uint32_t i = 0;
    while (i < n && v[i] == most) v[i++] = 1;
    if (i < n) v[i]++;
    return i < n;
}
#endif
