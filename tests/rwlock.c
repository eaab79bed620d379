/* rf_rwlock: many readers or one writer, and every misuse (docs/sync.md). */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_rwlock l = RF_RWLOCK_INIT;
static int readers, writers, most;

/* ---- behaviour ---- */

THREAD(read_it) {
    RF_RDLOCK(&l);
    RF_ASSERT_EQ(writers, 0);
    if (++readers > most) most = readers;
    RF_YIELD();
    readers--;
    RF_RWUNLOCK(&l);
}

THREAD(write_it) {
    RF_WRLOCK(&l);
    RF_ASSERT_EQ(writers + readers, 0);
    writers++;
    RF_YIELD();
    writers--;
    RF_RWUNLOCK(&l);
}

/* Outcomes: at most 1, 2, 3 readers at a time. */
REACHING(3, readers_share_and_writers_exclude) {
    void *(*const fn[])(void *) = {read_it, write_it, read_it, write_it, read_it};
    rf_thread t[5];
    readers = writers = most = 0;
    for (int i = 0; i < 5; i++) t[i] = RF_THREAD(fn[i], NULL);
    for (int i = 0; i < 5; i++) (void)RF_JOIN(t[i]);
    seen[most - 1]++;
}

static int turn;

THREAD(first_reader) {
    RF_RDLOCK(&l);
    seen[turn++ ? 1 : 0]++;
    RF_RWUNLOCK(&l);
}

THREAD(first_writer) {
    RF_WRLOCK(&l);
    seen[turn++ ? 3 : 2]++;
    RF_RWUNLOCK(&l);
}

/* No preference: the reader first or second, the writer first or second. */
REACHING(4, neither_readers_nor_writers_are_preferred) {
    turn = 0;
    RF_WRLOCK(&l);
    rf_thread a = RF_THREAD(first_reader, NULL), b = RF_THREAD(first_writer, NULL);
    RF_YIELD();
    RF_RWUNLOCK(&l);
    (void)RF_JOIN(a);
    (void)RF_JOIN(b);
}

/* Outcomes: 0 not taken, 1 taken. */
REACHING(2, tryrdlock_is_true_and_false_beside_a_writer) {
    BESIDE(write_it) {
        bool taken = RF_TRYRDLOCK(&l);
        seen[taken]++;
        if (taken) RF_RWUNLOCK(&l);
    }
}

PASSING(tryrdlock_is_always_true_beside_a_reader) {
    BESIDE(read_it) {
        RF_ASSERT(RF_TRYRDLOCK(&l));
        RF_RWUNLOCK(&l);
    }
}

REACHING(2, trywrlock_is_true_and_false_beside_a_reader) {
    BESIDE(read_it) {
        bool taken = RF_TRYWRLOCK(&l);
        seen[taken]++;
        if (taken) RF_RWUNLOCK(&l);
    }
}

PASSING(a_thread_may_read_lock_twice_and_unlocks_twice) {
    BESIDE(write_it) {
        RF_RDLOCK(&l);
        RF_RDLOCK(&l);
        RF_ASSERT(RF_TRYRDLOCK(&l));
        RF_ASSERT(!RF_TRYWRLOCK(&l));
        RF_RWUNLOCK(&l);
        RF_RWUNLOCK(&l);
        readers++; /* still locked: the writer stays out */
        RF_YIELD();
        readers--;
        RF_RWUNLOCK(&l);
    }
}

PASSING(tries_of_ones_own_write_lock_are_false) {
    RF_WRLOCK(&l);
    RF_ASSERT(!RF_TRYRDLOCK(&l));
    RF_ASSERT(!RF_TRYWRLOCK(&l));
    RF_RWUNLOCK(&l);
    RF_ASSERT(RF_TRYWRLOCK(&l));
    RF_RWUNLOCK(&l);
}

/* ---- misuse ---- */

FAILING_ALWAYS(writing_what_one_reads_fails, RELOCK, 2, "T0 already holds l since @1") {
    AT(1, RF_RDLOCK(&l));
    AT(2, RF_WRLOCK(&l));
}

FAILING_ALWAYS(reading_what_one_writes_fails, RELOCK, 2, "T0 already holds l since @1") {
    AT(1, RF_WRLOCK(&l));
    AT(2, RF_RDLOCK(&l));
}

THREAD(write_alone) {
    AT(2, RF_WRLOCK(&l));
    RF_RWUNLOCK(&l);
}

FAILING_ALWAYS(a_writer_waits_for_ever_for_a_reader, LOCK_CYCLE, 3,
               "cycle T0 -> T1 -> T0\n  T0 waits at @3 for the end of T1; it holds l (taken at "
               "@1)\n  T1 waits at @2 to write rwlock l, held by T0") {
    AT(1, RF_RDLOCK(&l));
    rf_thread t = RF_THREAD(write_alone, NULL);
    AT(3, (void)RF_JOIN(t));
}

static rf_rwlock k = RF_RWLOCK_INIT;

THREAD(k_then_l) {
    AT(3, RF_RDLOCK(&k));
    AT(4, RF_WRLOCK(&l));
    RF_RWUNLOCK(&l);
    RF_RWUNLOCK(&k);
}

/* Nobody but a writer stands in a reader's way. */
PASSING(readers_do_not_block_readers_in_a_cycle) {
    BESIDE(k_then_l) {
        AT(1, RF_RDLOCK(&l));
        AT(2, RF_RDLOCK(&k));
        RF_RWUNLOCK(&k);
        RF_RWUNLOCK(&l);
    }
}

FAILING(a_cycle_through_rwlocks_is_a_deadlock, LOCK_CYCLE, 2,
        "cycle T0 -> T1 -> T0\n  T0 waits at @2 to write rwlock k, held by T1; it holds l (taken "
        "at @1)\n  T1 waits at @4 to write rwlock l, held by T0; it holds k (taken at @3)") {
    BESIDE(k_then_l) {
        AT(1, RF_WRLOCK(&l));
        AT(2, RF_WRLOCK(&k));
        RF_RWUNLOCK(&k);
        RF_RWUNLOCK(&l);
    }
}

RF_TEST(read_twice) {
    RF_RDLOCK(&l);
    RF_RDLOCK(&l);
    RF_RWUNLOCK(&l);
    RF_RWUNLOCK(&l);
}

/* Analyses are told of one acquisition and of one release. */
static bool told_once(void) {
    rfi_job j = lab_job_of("read_twice", RFI_PREDICT, LAB_FINE);
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, &j, 0);
    static const uint8_t expected[] = {RF_EV_LOCK, RF_EV_RELOCK, RF_EV_REUNLOCK, RF_EV_UNLOCK};
    unsigned n = 0, same = 0;
    for (uint64_t i = 0; i < r->events; i++)
        if (r->event[i].object) same += n < 4 && r->event[i].kind == expected[n], n++;
    return n == 4 && same == 4;
}

int main(void) {
    show_claims();
    LAB_CHECK("reading_twice_is_one_acquisition", told_once());
    return lab_end();
}
