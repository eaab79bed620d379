/* rf_sem: counting, handing over, time-outs, deadlock, misuse. */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_sem none = RF_SEM_INIT(0), two = RF_SEM_INIT(2);
static int inside, most;

/* ---- behaviour ---- */

static void *enter(void *unused) {
    RF_SEM_WAIT(&two);
    if (++inside > most) most = inside;
    RF_YIELD();
    inside--;
    RF_SEM_POST(&two);
    return unused;
}

/* Outcomes: at most 1 or 2 threads inside. */
RF_TEST(lets_two_in) {
    rf_thread t[3];
    inside = most = 0;
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(enter, NULL);
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    seen[most - 1]++;
}

static int taken_by, data;

static void *take(void *number) {
    RF_SEM_WAIT(&none);
    taken_by = taken_by * 3 + *(int *)number;
    return NULL;
}

/* Outcome: which of two waiting threads gets the first token. */
RF_TEST(wakes_any) {
    static int number[2] = {0, 1};
    taken_by = 0;
    rf_thread t = RF_THREAD(take, &number[0]), u = RF_THREAD(take, &number[1]);
    RF_SEM_POST(&none);
    RF_SEM_POST(&none);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
    seen[taken_by / 3]++;
}

static void *post(void *unused) {
    data = 42;
    RF_SEM_POST(&none);
    return unused;
}

RF_TEST(hands_over) {
    data = 0;
    rf_thread t = RF_THREAD(post, NULL);
    RF_SEM_WAIT(&none);
    RF_ASSERT_EQ(data, 42);
    (void)RF_JOIN(t);
}

/* Outcomes: 0 not taken, 1 taken. */
RF_TEST(trywait_takes_or_not) {
    rf_thread t = RF_THREAD(post, NULL);
    seen[RF_SEM_TRYWAIT(&none)]++;
    (void)RF_JOIN(t);
}

RF_TEST(timedwait_takes_or_not) {
    rf_thread t = RF_THREAD(post, NULL);
    seen[RF_SEM_TIMEDWAIT(&none, 1000 * 3600 * 24)]++;
    (void)RF_JOIN(t);
}

RF_TEST(counts) {
    rf_sem s;
    rf_sem_init(&s, "three", 3);
    for (int i = 0; i < 3; i++) RF_ASSERT(RF_SEM_TRYWAIT(&s));
    RF_ASSERT(!RF_SEM_TRYWAIT(&s));
    RF_ASSERT(!RF_SEM_TIMEDWAIT(&s, 0));
    RF_SEM_POST(&s);
    RF_ASSERT(RF_SEM_TIMEDWAIT(&s, 7));
    rf_sem_destroy(&s);
    RF_ASSERT(RF_SEM_TRYWAIT(&two)); /* begins at two in every execution */
    RF_ASSERT(RF_SEM_TRYWAIT(&two));
    RF_ASSERT(!RF_SEM_TRYWAIT(&two));
}

/* A token need not be given back by who took it, nor before the thread ends. */
RF_TEST(has_no_owner) {
    RF_SEM_WAIT(&two);
    (void)RF_JOIN(RF_THREAD(post, NULL));
}

/* ---- deadlock ---- */

static rf_sem left = RF_SEM_INIT(0), right = RF_SEM_INIT(0);

static void *left_then_right(void *unused) {
    AT(1, RF_SEM_WAIT(&left));
    RF_SEM_POST(&right);
    return unused;
}

RF_TEST(both_wait) {
    rf_thread t = RF_THREAD(left_then_right, NULL);
    AT(2, RF_SEM_WAIT(&right));
    RF_SEM_POST(&left);
    (void)RF_JOIN(t);
}

/* ---- misuse ---- */

static void *wait_none(void *unused) {
    RF_SEM_WAIT(&none);
    return unused;
}

RF_TEST(destroy_awaited) {
    (void)RF_THREAD(wait_none, NULL);
    AT(1, rf_sem_destroy(&none));
}

static void *post_it(void *unused) {
    AT(1, RF_SEM_POST(&none));
    return unused;
}

RF_TEST(destroyed_under_a_post) {
    (void)RF_THREAD(post_it, NULL);
    rf_sem_destroy(&none);
}

RF_TEST(wait_destroyed) {
    rf_sem_destroy(&none);
    AT(1, RF_SEM_WAIT(&none));
}

RF_TEST(overflow) {
    rf_sem s;
    rf_sem_init(&s, "full", UINT32_MAX);
    AT(1, RF_SEM_POST(&s));
}

RF_TEST(never_initialised) {
    rf_sem garbage;
    memset(&garbage, 0x5a, sizeof garbage);
    AT(1, RF_SEM_POST(&garbage));
}

int main(void) {
    REACHES("a_semaphore_of_two_lets_two_in", "lets_two_in", 2);
    REACHES("a_post_wakes_any_of_the_waiters", "wakes_any", 2);
    PASSES("what_was_written_before_a_post_is_seen_after_the_wait", "hands_over");
    REACHES("trywait_is_true_and_false", "trywait_takes_or_not", 2);
    REACHES("a_timed_semaphore_wait_is_true_and_false", "timedwait_takes_or_not", 2);
    PASSES("a_semaphore_counts", "counts");
    PASSES("a_semaphore_has_no_owner", "has_no_owner");
    FAILS_ALWAYS("two_threads_that_wait_for_each_others_post_are_a_deadlock", "both_wait", STUCK, 2,
                 "2 threads wait and nobody can wake them\n"
                 "  T0 waits at sem.c:@2 for a post of semaphore right\n"
                 "  T1 waits at sem.c:@1 for a post of semaphore left");
    FAILS_FINE("destroying_a_semaphore_that_a_thread_waits_for_fails", "destroy_awaited",
               DESTROY_BUSY, 1, "T1 waits for none");
    FAILS_FINE("a_semaphore_destroyed_under_a_post_fails", "destroyed_under_a_post", DESTROYED, 1,
               "none was destroyed when T1 was about to use it");
    FAILS_ALWAYS("waiting_for_a_destroyed_semaphore_fails", "wait_destroyed", DESTROYED, 1,
                 "none was destroyed before");
    FAILS_ALWAYS("a_semaphore_that_would_overflow_fails", "overflow", BAD_COUNT, 1,
                 "full already counts 4294967295");
    FAILS_ALWAYS("a_semaphore_that_was_never_initialised_fails", "never_initialised", WRONG_TYPE, 1,
                 "garbage was never initialised as a semaphore (by rf_..._init or RF_..._INIT)");
    return lab_end();
}
