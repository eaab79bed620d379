/* rf_sem: counting, handing over, time-outs, deadlock, misuse. */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_sem none = RF_SEM_INIT(0), two = RF_SEM_INIT(2);
static int inside, most;

/* ---- behaviour ---- */

THREAD(enter) {
    RF_SEM_WAIT(&two);
    if (++inside > most) most = inside;
    RF_YIELD();
    inside--;
    RF_SEM_POST(&two);
}

/* Outcomes: at most 1 or 2 threads inside. */
REACHING(2, a_semaphore_of_two_lets_two_in) {
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
REACHING(2, a_post_wakes_any_of_the_waiters) {
    static int number[2] = {0, 1};
    taken_by = 0;
    rf_thread t = RF_THREAD(take, &number[0]), u = RF_THREAD(take, &number[1]);
    RF_SEM_POST(&none);
    RF_SEM_POST(&none);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
    seen[taken_by / 3]++;
}

THREAD(post) {
    data = 42;
    RF_SEM_POST(&none);
}

PASSING(what_was_written_before_a_post_is_seen_after_the_wait) {
    data = 0;
    BESIDE(post) {
        RF_SEM_WAIT(&none);
        RF_ASSERT_EQ(data, 42);
    }
}

/* Outcomes: 0 not taken, 1 taken. */
REACHING(2, trywait_is_true_and_false) { BESIDE(post) seen[RF_SEM_TRYWAIT(&none)]++; }

REACHING(2, a_timed_semaphore_wait_is_true_and_false) {
    BESIDE(post) seen[RF_SEM_TIMEDWAIT(&none, 1000 * 3600 * 24)]++;
}

PASSING(a_semaphore_counts) {
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
PASSING(a_semaphore_has_no_owner) {
    RF_SEM_WAIT(&two);
    (void)RF_JOIN(RF_THREAD(post, NULL));
}

/* ---- deadlock ---- */

static rf_sem left = RF_SEM_INIT(0), right = RF_SEM_INIT(0);

THREAD(left_then_right) {
    AT(1, RF_SEM_WAIT(&left));
    RF_SEM_POST(&right);
}

FAILING_ALWAYS(two_threads_that_wait_for_each_others_post_are_a_deadlock, STUCK, 2,
               "2 threads wait and nobody can wake them\n  T0 waits at @2 for a post of semaphore "
               "right\n  T1 waits at @1 for a post of semaphore left") {
    BESIDE(left_then_right) {
        AT(2, RF_SEM_WAIT(&right));
        RF_SEM_POST(&left);
    }
}

/* ---- misuse ---- */

THREAD(wait_none) { RF_SEM_WAIT(&none); }

FAILING_FINE(destroying_a_semaphore_that_a_thread_waits_for_fails, DESTROY_BUSY, 1,
             "T1 waits for none") {
    (void)RF_THREAD(wait_none, NULL);
    AT(1, rf_sem_destroy(&none));
}

FAILING_ALWAYS(waiting_for_a_destroyed_semaphore_fails, DESTROYED, 1, "none was destroyed before") {
    rf_sem_destroy(&none);
    AT(1, RF_SEM_WAIT(&none));
}

FAILING_ALWAYS(a_semaphore_that_would_overflow_fails, BAD_COUNT, 1,
               "full already counts 4294967295") {
    rf_sem s;
    rf_sem_init(&s, "full", UINT32_MAX);
    AT(1, RF_SEM_POST(&s));
}

int main(void) {
    show_claims();
    return lab_end();
}
