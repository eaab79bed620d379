/* What the step limit means: a livelock is a finding for each loop; an execution that makes
 * progress is only told of.  (Who is named, and where: tests/deadlock.c.) */
#define RF_IMPLEMENTATION
#include "schedules.h"

#define LIMITED .max_steps = 1000

static rf_atomic_int which, flag;
static rf_mutex m = RF_MUTEX_INIT, left = RF_MUTEX_INIT, right = RF_MUTEX_INIT;
static rf_barrier both = RF_BARRIER_INIT(2);
static int sum, cell[64];

/* ---- livelocks ---- */

THREAD(leaves_at_0) {
    while (AT(1, rf_atomic_load(&which)) == 1) RF_SPIN_HINT();
}

RF_TEST(either_of_two, LIMITED) {
    rf_atomic_store(&which, (int)RF_CHOOSE(2));
    BESIDE(leaves_at_0) while (!AT(2, rf_atomic_load(&which))) RF_SPIN_HINT();
}

/* Neither gets both, since each keeps its own. */
static void takes_both(rf_mutex *mine, rf_mutex *other) {
    RF_LOCK(mine);
    (void)RF_BARRIER_WAIT(&both);
    while (!RF_TRYLOCK(other)) RF_YIELD();
    RF_UNLOCK(other);
    RF_UNLOCK(mine);
}

THREAD(right_first) { takes_both(&right, &left); }

RF_TEST(a_pair_that_tries, LIMITED) { BESIDE(right_first) takes_both(&left, &right); }

/* ---- long, but finite ---- */

THREAD(adds) {
    for (int i = 0; i < 100000; i++) {
        RF_LOCK(&m);
        RF_STORE(sum, RF_LOAD(sum) + 1);
        RF_UNLOCK(&m);
    }
}

RF_TEST(long_sums, LIMITED) {
    sum = 0;
    BESIDE(adds) adds(NULL);
}

RF_TEST(a_million_steps) {
    sum = 0;
    BESIDE(adds) for (int i = 0; i < 4; i++) adds(NULL);
}

RF_TEST(long_and_expected, LIMITED, .expect = RF_EXPECT_LIVELOCK) { (void)adds(NULL); }

/* What is done between the locks is not told. */
THREAD(locks) {
    for (int i = 0; i < 100000; i++) {
        RF_LOCK(&m);
        RF_UNLOCK(&m);
    }
}

RF_TEST(long_locks, LIMITED) { BESIDE(locks) locks(NULL); }

/* Beside a thread that spins until it is done. */
THREAD(walks) {
    for (int i = 0; i < 100000; i++) RF_STORE(cell[i % 64], i);
    rf_atomic_store(&flag, 1);
}

RF_TEST(long_walk, LIMITED) {
    rf_atomic_store(&flag, 0);
    BESIDE(walks) while (!rf_atomic_load(&flag)) RF_SPIN_HINT();
}

/* A strategy that lets one thread run is not the program's mistake. */
THREAD(sets_sum) {
    RF_LOCK(&m);
    RF_STORE(sum, 1);
    RF_UNLOCK(&m);
}

RF_TEST(starving, LIMITED) {
    sum = 0;
    rf_thread t = RF_THREAD(sets_sum, NULL);
    for (bool is = false; !is;) {
        RF_LOCK(&m);
        is = RF_LOAD(sum);
        RF_UNLOCK(&m);
    }
    RF_JOIN(t);
}

static bool nothing_fails(const char *test) {
    lab_blocks = true;
    const rfi_tally *t = lab_random(test, 20, LAB_FINE);
    lab_blocks = false;
    return t->executions == 20 && !t->failures && !t->unfinished.executions;
}

/* ---- the checks ---- */

static bool is_at(const rfi_failure_kind *k, unsigned mark) {
    return k->failure.diagnostic == RF_DIAG_LIVELOCK && k->failure.site->line == line_of[mark];
}

/* Each loop is one. */
static bool two_findings(void) {
    const rfi_tally *t = lab_random("either_of_two", 200, LAB_FINE);
    const rfi_failure_kind *k = t->failure;
    return t->failures == 2 &&
           ((is_at(&k[0], 1) && is_at(&k[1], 2)) || (is_at(&k[0], 2) && is_at(&k[1], 1)));
}

static bool one_finding_always(const char *test) {
    const rfi_tally *t = lab_random(test, 100, LAB_FINE);
    return t->failures == 1 && t->failure[0].count == 100;
}

/* Nothing is found, and the result tells how far it came.  Phase 3 has fewer steps. */
static bool only_long(const char *test, const char *executions, uint64_t steps) {
    const rfi_study *s = lab_study(test, executions, NULL);
    return !s->causes && s->result.unfinished.steps == steps &&
           s->result.unfinished.executions >= s->result.executions[0];
}

int main(void) {
    LAB_CHECK("two livelocks of a test are two findings", two_findings());
    LAB_CHECK("a pair that tries for ever is one", one_finding_always("a_pair_that_tries"));
    LAB_CHECK("new values are progress", only_long("long_sums", "--executions=20", 1001));
    LAB_CHECK("if none comes to its end, that is no success",
              !strcmp(lab_study("long_sums", "--executions=20", NULL)->result.reason,
                      "no execution has come to its end"));
    LAB_CHECK("so they are after a million steps",
              only_long("a_million_steps", "--executions=1", 1000001));
    LAB_CHECK("locks that are taken and released are no livelock",
              only_long("long_locks", "--executions=20", 1001));
    LAB_CHECK("nor is a spinner beside a thread that works",
              only_long("long_walk", "--executions=20", 1001));
    LAB_CHECK("a schedule that starves a thread is none either", nothing_fails("starving"));
    LAB_CHECK("with --must-end it is a failure",
              lab_study("long_sums", "--executions=10", "--must-end", NULL)->causes == 1);
    LAB_CHECK("and where a livelock is expected",
              lab_study("long_and_expected", "--executions=10", NULL)->result.passed);
    return lab_end();
}
