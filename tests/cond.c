/* rf_cond: signal, broadcast, time-outs, wake-ups for nothing, lost wake-ups, misuse. */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_mutex m = RF_MUTEX_INIT, n = RF_MUTEX_INIT;
static rf_cond c = RF_COND_INIT;
static bool ready;
static int waiting, woken[3], wakes;

/* Waits until `count` threads stand in RF_WAIT. */
static void until_waiting(int count) {
    for (bool all = false; !all;) {
        RF_GUARD(&m) all = waiting == count;
        RF_YIELD();
    }
}

/* Without a loop around the wait, so that every wake-up shows. */
static void *wait_once(void *number) {
    RF_GUARD(&m) {
        waiting++;
        RF_WAIT(&c, &m);
        woken[wakes++] = *(int *)number;
    }
    return NULL;
}

static void three_wait(rf_thread *t) {
    static int number[3] = {0, 1, 2};
    waiting = wakes = 0;
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(wait_once, &number[i]);
    until_waiting(3);
}

/* Outcome: who wakes first. */
REACHING(3, a_signal_wakes_one_and_any_of_the_waiters, .no_spurious = true) {
    rf_thread t[3];
    three_wait(t);
    for (int i = 0; i < 3; i++) {
        RF_ASSERT_EQ(wakes, i);
        RF_SIGNAL(&c);
        while (RF_RACY_LOAD(wakes) == i) RF_YIELD();
        for (int k = 0; k < 20; k++) RF_YIELD();
        RF_ASSERT_EQ(wakes, i + 1);
    }
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    seen[woken[0]]++;
}

/* Outcome: in which order they wake. */
REACHING(6, a_broadcast_wakes_all_in_any_order, .no_spurious = true) {
    rf_thread t[3];
    three_wait(t);
    RF_BROADCAST(&c);
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    seen[woken[0] * 2 + (woken[1] > woken[2])]++;
}

THREAD(wait_ready) {
    RF_GUARD(&m) {
        while (!RF_LOAD(ready)) RF_WAIT(&c, &m);
    }
}

/* The usual pattern: never stuck, never woken too early. */
PASSING(waiting_in_a_loop_for_a_condition_is_right) {
    RF_STORE(ready, false);
    rf_thread t = RF_THREAD(wait_ready, NULL), u = RF_THREAD(wait_ready, NULL);
    RF_GUARD(&m) {
        RF_STORE(ready, true);
        RF_BROADCAST(&c);
    }
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
}

THREAD(set_ready) {
    RF_GUARD(&m) {
        ready = true;
        RF_SIGNAL(&c);
    }
}

/* Outcomes: 0 timed out, 1 signalled, 2 a time-out although the signal came meanwhile. */
REACHING(3, a_timed_wait_ends_by_signal_and_by_time_out, .no_spurious = true) {
    bool signalled = true;
    ready = false;
    BESIDE(set_ready) {
        RF_GUARD(&m) {
            if (!ready) signalled = RF_TIMEDWAIT(&c, &m, 1000 * 3600);
            if (signalled) RF_ASSERT(ready);
            seen[signalled ? 1 : ready ? 2 : 0]++;
        }
    }
}

PASSING(a_timed_wait_that_nobody_signals_times_out, .no_spurious = true) {
    RF_GUARD(&m) {
        RF_ASSERT(!RF_TIMEDWAIT(&c, &m, 5));
        RF_ASSERT(!RF_TRYLOCK(&m));
    }
}

/* The mutex is free while the thread waits, and taken when it wakes. */
THREAD(wait_and_look) {
    RF_GUARD(&m) {
        waiting = 1;
        RF_WAIT(&c, &m);
        int now = waiting;
        RF_ASSERT_GE(now, 2);
        RF_YIELD();
        RF_ASSERT_EQ(waiting, now);
    }
}

PASSING(a_wait_releases_the_mutex_and_takes_it_back, .no_spurious = true) {
    waiting = 0;
    BESIDE(wait_and_look) {
        until_waiting(1);
        RF_LOCK(&m);
        RF_SIGNAL(&c);
        waiting = 2;
        RF_UNLOCK(&m);
        RF_LOCK(&m);
        waiting = 3;
        RF_UNLOCK(&m);
    }
}

/* Nobody signals: only a spurious wake-up ends it. */
static void wait_for_nobody(void) { RF_GUARD(&m) AT(1, RF_WAIT(&c, &m)); }

#define NOBODY_SIGNALS "1 thread waits and nobody can wake it\n  T0 waits at @1 for a signal of c"

FAILING(waits_wake_up_for_nothing_now_and_then, STUCK, 1, NOBODY_SIGNALS) { wait_for_nobody(); }

FAILING_ALWAYS(no_spurious_turns_such_wake_ups_off, STUCK, 1, NOBODY_SIGNALS, .no_spurious = true) {
    wait_for_nobody();
}

REACHING(2, a_timed_wait_that_wakes_for_nothing_has_not_timed_out) {
    RF_GUARD(&m) seen[RF_TIMEDWAIT(&c, &m, 10)]++;
}

/* Each wait may end by itself: the one that polls could always go on. */
RF_TEST(polls, .no_spurious = true, .max_steps = 60000) {
    ready = false;
    BESIDE(set_ready) {
        RF_LOCK(&m);
        while (!ready) (void)RF_TIMEDWAIT(&c, &m, 1);
        RF_UNLOCK(&m);
    }
}

PASSING(a_signal_to_nobody_is_not_kept, .no_spurious = true) {
    RF_SIGNAL(&c);
    RF_BROADCAST(&c);
    RF_GUARD(&m) RF_ASSERT(!RF_TIMEDWAIT(&c, &m, 1)); /* they were not kept */
}

/* Destroying right after the broadcast is allowed. */
static rf_cond made;

THREAD(wait_made) {
    RF_GUARD(&m) {
        waiting++;
        while (!ready) RF_WAIT(&made, &m);
    }
}

PASSING(a_condition_may_be_destroyed_after_its_broadcast, .no_spurious = true) {
    rf_cond_init(&made, "made");
    ready = false;
    waiting = 0;
    BESIDE(wait_made) {
        until_waiting(1);
        RF_GUARD(&m) {
            ready = true;
            RF_BROADCAST(&made);
            rf_cond_destroy(&made);
        }
    }
}

/* ---- deadlock ---- */

/* The flag is not protected: the signal may come between the test and the wait. */
THREAD(set_unprotected) {
    RF_RACY_STORE(ready, true);
    RF_SIGNAL(&c);
}

FAILING(a_lost_wake_up_is_a_deadlock, STUCK, 1,
        "1 thread waits and nobody can wake it\n  T0 waits at @1 for a signal of c",
        .no_spurious = true) {
    ready = false;
    (void)RF_THREAD(set_unprotected, NULL);
    RF_LOCK(&m);
    while (!RF_RACY_LOAD(ready)) AT(1, RF_WAIT(&c, &m));
    RF_UNLOCK(&m);
}

/* Woken, but the mutex never becomes free. */
static void *wait_named(void *cond) {
    RF_LOCK(&m);
    waiting = 1;
    AT(1, RF_WAIT(cond, &m));
    RF_UNLOCK(&m);
    return NULL;
}

FAILING_ALWAYS(a_woken_thread_without_its_mutex_is_a_deadlock, LOCK_CYCLE, 3,
               "cycle T0 -> T1 -> T0\n  T0 waits at @3 for the end of T1; it holds m (taken at "
               "@2)\n  T1 waits at @1 to lock m again after waiting for news, held by T0",
               .no_spurious = true) {
    rf_cond_init(&made, "news");
    waiting = 0;
    rf_thread t = RF_THREAD(wait_named, &made);
    until_waiting(1);
    AT(2, RF_LOCK(&m));
    RF_SIGNAL(&made);
    AT(3, (void)RF_JOIN(t));
}

/* ---- misuse ---- */

FAILING_ALWAYS(waiting_without_the_mutex_fails, WAIT_UNLOCKED, 1,
               "T0 waits for c and does not hold the mutex") {
    AT(1, RF_WAIT(&c, &m));
}

THREAD(wait_with_m) { AT(1, RF_WAIT(&c, &m)); }

FAILING_ALWAYS(waiting_with_the_mutex_of_another_fails, WAIT_UNLOCKED, 1,
               "T1 waits for c and does not hold the mutex") {
    RF_LOCK(&m);
    (void)RF_JOIN(RF_THREAD(wait_with_m, NULL));
}

FAILING_ALWAYS(waiting_with_a_mutex_locked_twice_fails, WAIT_DEPTH, 1,
               "T0 waits for c, but mutex again, locked more than once, stays locked") {
    rf_mutex r;
    rf_mutex_init(&r, "again", RF_MUTEX_RECURSIVE);
    RF_LOCK(&r);
    RF_LOCK(&r);
    AT(1, RF_WAIT(&c, &r));
}

FAILING_ALWAYS(waiting_with_two_mutexes_fails, WAIT_MUTEX, 2,
               "T0 waits for cond with mutex n, while T1 waits with m", .no_spurious = true) {
    waiting = 0;
    (void)RF_THREAD(wait_named, &c);
    until_waiting(1);
    RF_LOCK(&n);
    AT(2, RF_WAIT(&c, &n));
}

FAILING_ALWAYS(destroying_a_condition_that_a_thread_waits_for_fails, DESTROY_BUSY, 2,
               "T1 waits for cond", .no_spurious = true) {
    waiting = 0;
    (void)RF_THREAD(wait_named, &c);
    until_waiting(1);
    AT(2, rf_cond_destroy(&c));
}

FAILING_ALWAYS(initialising_a_condition_that_a_thread_waits_for_fails, REINIT, 2,
               "T1 waits for cond", .no_spurious = true) {
    waiting = 0;
    (void)RF_THREAD(wait_named, &c);
    until_waiting(1);
    AT(2, rf_cond_init(&c, "c"));
}

int main(void) {
    show_claims();
    lab_blocks = true; /* nobody else runs while one can go on */
    const rfi_tally *blocked = lab_random("polls", 5, LAB_FINE);
    LAB_CHECK("who_polls_by_timed_waits_is_not_alone_for_ever", !lab_failures(blocked));
    lab_blocks = false;
    const rfi_tally *t = lab_random("waits_wake_up_for_nothing_now_and_then", SCHEDULES, LAB_FINE);
    lab_share("a_wait_wakes_up_for_nothing_with_probability_1_16",
              t->executions - t->failure[0].count, t->executions, 1.0 / 16);
    return lab_end();
}
