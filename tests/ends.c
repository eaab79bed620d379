/* The end of a test's body, with threads still running: they do what they can, and who was detached
 * may wait or go on for ever. */
#define RF_IMPLEMENTATION
#include "lab.h"

static rf_mutex lock = RF_MUTEX_INIT;
static rf_cond never = RF_COND_INIT;
static uint32_t work;
static int ready;

THREAD(fails) {
    for (uint32_t i = 0; i < work; i++) RF_GUARD(&lock) {
        }
    RF_ASSERT(!"reached");
}

THREAD(waits) {
    RF_LOCK(&lock);
    for (;;) RF_WAIT(&never, &lock);
}

THREAD(works) {
    for (;;) RF_GUARD(&lock) {
        }
}

THREAD(polls) {
    while (!RF_RACY_LOAD(ready)) RF_YIELD();
}

RF_TEST(left) { (void)RF_THREAD(fails, NULL); }
RF_TEST(left_detached) { RF_DETACH(RF_THREAD(fails, NULL)); }
RF_TEST(left_waiting) { (void)RF_THREAD(waits, NULL); }
RF_TEST(waits_detached) { RF_DETACH(RF_THREAD(waits, NULL)); }
RF_TEST(works_detached) { RF_DETACH(RF_THREAD(works, NULL)); }
RF_TEST(polls_detached) { RF_DETACH(RF_THREAD(polls, NULL)); }
RF_TEST(two_poll_detached) {
    RF_DETACH(RF_THREAD(polls, NULL));
    RF_DETACH(RF_THREAD(polls, NULL));
}
RF_TEST(fails_beside_work) {
    RF_DETACH(RF_THREAD(works, NULL));
    RF_DETACH(RF_THREAD(fails, NULL));
}

static rf_mutex other = RF_MUTEX_INIT;
static void *inverse(void *swapped) {
    rf_mutex *first = swapped ? &lock : &other, *second = swapped ? &other : &lock;
    RF_GUARD(first) RF_GUARD(second) {}
    return NULL;
}
RF_TEST(deadlock_detached) {
    RF_DETACH(RF_THREAD(inverse, NULL));
    RF_DETACH(RF_THREAD(inverse, &lock));
}

/* What executions of a test end with under a strategy; RF_DIAG_NONE: nothing. */
static rf_diagnostic end_of(const char *test, const char *strategy) {
    char with[64];
    snprintf(with, sizeof with, "--strategy=%s", strategy);
    const rfi_study *s = lab_study(test, with, "--executions=40", "--seconds=none", NULL);
    return s->causes ? s->cause[0].kind.failure.diagnostic : RF_DIAG_NONE;
}

static void expect(const char *test, const char *strategy, rf_diagnostic wanted) {
    char name[96], why[32];
    rf_diagnostic is = end_of(test, strategy);
    snprintf(name, sizeof name, "%s, %s", test, strategy);
    snprintf(why, sizeof why, "diagnostic %d", (int)is);
    lab_check(is == wanted, name, why);
}

static void expect_everywhere(const char *test, rf_diagnostic wanted) {
    static const char *const strategies[] = {"auto", "random", "pct", "dfs", "dpor"};
    for (unsigned i = 0; i < sizeof strategies / sizeof *strategies; i++)
        expect(test, strategies[i], wanted);
}

int main(void) {
    for (work = 0; work <= 2; work += 2) {
        expect_everywhere("left", RF_DIAG_ASSERT);
        expect_everywhere("left_detached", RF_DIAG_ASSERT);
    }
    work = 2000;
    expect("left_detached", "auto", RF_DIAG_ASSERT);
    expect("left_detached", "dfs", RF_DIAG_ASSERT);
    expect_everywhere("left_waiting", RF_DIAG_STUCK); /* somebody could have joined it */
    expect_everywhere("waits_detached", RF_DIAG_NONE);
    expect_everywhere("polls_detached", RF_DIAG_NONE);
    expect("two_poll_detached", "auto", RF_DIAG_NONE);
    expect("works_detached", "auto", RF_DIAG_NONE);
    expect("works_detached", "pct", RF_DIAG_NONE);
    work = 10;
    expect("fails_beside_work", "auto", RF_DIAG_ASSERT);
    expect_everywhere("deadlock_detached", RF_DIAG_LOCK_CYCLE);
    return lab_end();
}
