/* rf_barrier: phases, reuse, who is told true, deadlock, misuse. */
#define RF_IMPLEMENTATION
#include "schedules.h"

enum { PARTIES = 3, PHASES = 4 };
static rf_barrier b = RF_BARRIER_INIT(PARTIES);
static int arrived[PHASES], serial[PHASES], chosen[PARTIES];

/* ---- behaviour ---- */

static void *work(void *number) {
    for (int phase = 0; phase < PHASES; phase++) {
        arrived[phase]++;
        if (RF_BARRIER_WAIT(&b)) {
            serial[phase]++;
            chosen[*(int *)number]++;
        }
        RF_ASSERT_EQ(arrived[phase], PARTIES); /* nobody leaves before the last has come */
    }
    return NULL;
}

/* Outcome: who was the chosen one of the first phase. */
REACHING(PARTIES, a_barrier_is_reused_and_any_one_is_told_true_in_each_phase) {
    static int number[PARTIES] = {0, 1, 2};
    memset(arrived, 0, sizeof arrived);
    memset(serial, 0, sizeof serial);
    memset(chosen, 0, sizeof chosen);
    rf_thread t[PARTIES];
    for (int i = 0; i < PARTIES; i++) t[i] = RF_THREAD(work, &number[i]);
    for (int i = 0; i < PARTIES; i++) (void)RF_JOIN(t[i]);
    for (int phase = 0; phase < PHASES; phase++) RF_ASSERT_EQ(serial[phase], 1);
    for (int i = 0; i < PARTIES; i++) seen[i] += chosen[i] != 0;
}

PASSING(a_barrier_for_one_never_blocks) {
    rf_barrier alone;
    rf_barrier_init(&alone, "alone", 1);
    for (int i = 0; i < 3; i++) RF_ASSERT(RF_BARRIER_WAIT(&alone));
    rf_barrier_destroy(&alone);
}

/* More threads than parties: they form groups. */
static int through;

THREAD(pass) {
    (void)RF_BARRIER_WAIT(&b);
    through++;
}

PASSING(twice_as_many_threads_form_two_groups) {
    rf_thread t[2 * PARTIES];
    through = 0;
    for (int i = 0; i < 2 * PARTIES; i++) t[i] = RF_THREAD(pass, NULL);
    for (int i = 0; i < 2 * PARTIES; i++) (void)RF_JOIN(t[i]);
    RF_ASSERT_EQ(through, 2 * PARTIES);
}

/* The chosen one may destroy the barrier, and free its memory, while others have yet to leave. */
static void *destroy_if_chosen(void *barrier) {
    if (RF_BARRIER_WAIT((rf_barrier *)barrier)) {
        rf_barrier_destroy((rf_barrier *)barrier);
        RF_FREE(barrier);
    }
    return NULL;
}

PASSING(the_chosen_one_may_destroy_the_barrier_at_once) {
    rf_barrier *heap = RF_MALLOC(sizeof *heap);
    rf_barrier_init(heap, "heap", 2);
    rf_thread t = RF_THREAD(destroy_if_chosen, heap);
    (void)destroy_if_chosen(heap);
    (void)RF_JOIN(t);
}

/* ---- deadlock ---- */

THREAD(arrive) { AT(1, (void)RF_BARRIER_WAIT(&b)); }

FAILING_ALWAYS(a_barrier_with_one_thread_too_few_is_a_deadlock, STUCK, 1,
               "3 threads wait and nobody can wake them\n  T0 waits at @2 for the end of T1\n  T1 "
               "waits at @1 at barrier b, where 2 of 3 have arrived\n  T2 waits at @1 at barrier "
               "b, where 2 of 3 have arrived") {
    rf_thread t = RF_THREAD(arrive, NULL), u = RF_THREAD(arrive, NULL);
    AT(2, (void)RF_JOIN(t));
    (void)RF_JOIN(u);
}

/* ---- misuse ---- */

FAILING_ALWAYS(a_static_barrier_for_nobody_fails, BAD_COUNT, 1, "barrier empty is for 0 threads") {
    static rf_barrier empty = RF_BARRIER_INIT(0);
    AT(1, (void)RF_BARRIER_WAIT(&empty));
}

FAILING_ALWAYS(initialising_a_barrier_for_nobody_fails, BAD_COUNT, 1, "a barrier for 0 threads") {
    rf_barrier empty;
    AT(1, rf_barrier_init(&empty, "empty", 0));
}

static void *post_after(void *sem) {
    RF_SEM_POST((rf_sem *)sem);
    (void)RF_BARRIER_WAIT(&b);
    return NULL;
}

FAILING(destroying_a_barrier_that_a_thread_waits_at_fails, DESTROY_BUSY, 1, "T1 waits for b") {
    static rf_sem there = RF_SEM_INIT(0);
    (void)RF_THREAD(post_after, &there);
    RF_SEM_WAIT(&there);
    while (!b.arrived) RF_YIELD();
    AT(1, rf_barrier_destroy(&b));
}

int main(void) {
    show_claims();
    return lab_end();
}
