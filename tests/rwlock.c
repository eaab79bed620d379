/* rf_rwlock: many readers or one writer, and every misuse (docs/sync.md). */
#define RF_IMPLEMENTATION
#include "schedules.h"

static rf_rwlock l = RF_RWLOCK_INIT;
static int readers, writers, most;

/* ---- behaviour ---- */

static void *read_it(void *unused) {
    RF_RDLOCK(&l);
    RF_ASSERT_EQ(writers, 0);
    if (++readers > most) most = readers;
    RF_YIELD();
    readers--;
    RF_RWUNLOCK(&l);
    return unused;
}

static void *write_it(void *unused) {
    RF_WRLOCK(&l);
    RF_ASSERT_EQ(writers + readers, 0);
    writers++;
    RF_YIELD();
    writers--;
    RF_RWUNLOCK(&l);
    return unused;
}

/* Outcomes: at most 1, 2, 3 readers at a time. */
RF_TEST(shares_and_excludes) {
    void *(*const fn[])(void *) = {read_it, write_it, read_it, write_it, read_it};
    rf_thread t[5];
    readers = writers = most = 0;
    for (int i = 0; i < 5; i++) t[i] = RF_THREAD(fn[i], NULL);
    for (int i = 0; i < 5; i++) (void)RF_JOIN(t[i]);
    seen[most - 1]++;
}

static int turn;

static void *first_reader(void *unused) {
    RF_RDLOCK(&l);
    seen[turn++ ? 1 : 0]++;
    RF_RWUNLOCK(&l);
    return unused;
}

static void *first_writer(void *unused) {
    RF_WRLOCK(&l);
    seen[turn++ ? 3 : 2]++;
    RF_RWUNLOCK(&l);
    return unused;
}

/* No preference: the reader first or second, the writer first or second. */
RF_TEST(prefers_nobody) {
    turn = 0;
    RF_WRLOCK(&l);
    rf_thread a = RF_THREAD(first_reader, NULL), b = RF_THREAD(first_writer, NULL);
    RF_YIELD();
    RF_RWUNLOCK(&l);
    (void)RF_JOIN(a);
    (void)RF_JOIN(b);
}

/* Outcomes: 0 not taken, 1 taken. */
RF_TEST(tryrdlock_beside_a_writer) {
    rf_thread t = RF_THREAD(write_it, NULL);
    bool taken = RF_TRYRDLOCK(&l);
    seen[taken]++;
    if (taken) RF_RWUNLOCK(&l);
    (void)RF_JOIN(t);
}

RF_TEST(tryrdlock_beside_a_reader) {
    rf_thread t = RF_THREAD(read_it, NULL);
    RF_ASSERT(RF_TRYRDLOCK(&l));
    RF_RWUNLOCK(&l);
    (void)RF_JOIN(t);
}

RF_TEST(trywrlock_beside_a_reader) {
    rf_thread t = RF_THREAD(read_it, NULL);
    bool taken = RF_TRYWRLOCK(&l);
    seen[taken]++;
    if (taken) RF_RWUNLOCK(&l);
    (void)RF_JOIN(t);
}

RF_TEST(reading_twice) {
    rf_thread t = RF_THREAD(write_it, NULL);
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
    (void)RF_JOIN(t);
}

RF_TEST(tries_of_ones_own) {
    RF_WRLOCK(&l);
    RF_ASSERT(!RF_TRYRDLOCK(&l));
    RF_ASSERT(!RF_TRYWRLOCK(&l));
    RF_RWUNLOCK(&l);
    RF_ASSERT(RF_TRYWRLOCK(&l));
    RF_RWUNLOCK(&l);
}

/* ---- misuse ---- */

RF_TEST(upgrade) {
    AT(1, RF_RDLOCK(&l));
    AT(2, RF_WRLOCK(&l));
}

RF_TEST(downgrade) {
    AT(1, RF_WRLOCK(&l));
    AT(2, RF_RDLOCK(&l));
}

RF_TEST(write_twice) {
    AT(1, RF_WRLOCK(&l));
    AT(2, RF_WRLOCK(&l));
}

RF_TEST(unlock_free) { AT(1, RF_RWUNLOCK(&l)); }

static void *unlock_it(void *unused) {
    AT(1, RF_RWUNLOCK(&l));
    return unused;
}

RF_TEST(unlock_of_a_writer) {
    RF_WRLOCK(&l);
    (void)RF_JOIN(RF_THREAD(unlock_it, NULL));
}

RF_TEST(unlock_of_a_reader) {
    RF_RDLOCK(&l);
    (void)RF_JOIN(RF_THREAD(unlock_it, NULL));
}

RF_TEST(destroy_read) {
    AT(1, RF_RDLOCK(&l));
    AT(2, rf_rwlock_destroy(&l));
}

RF_TEST(init_written) {
    rf_rwlock named;
    rf_rwlock_init(&named, "table");
    AT(1, RF_WRLOCK(&named));
    AT(2, rf_rwlock_init(&named, "table"));
}

RF_TEST(exit_reading) { AT(1, RF_RDLOCK(&l)); }

static void *write_alone(void *unused) {
    AT(2, RF_WRLOCK(&l));
    RF_RWUNLOCK(&l);
    return unused;
}

RF_TEST(writer_never_gets_it) {
    AT(1, RF_RDLOCK(&l));
    rf_thread t = RF_THREAD(write_alone, NULL);
    AT(3, (void)RF_JOIN(t));
}

static rf_rwlock k = RF_RWLOCK_INIT;

static void *k_then_l(void *unused) {
    AT(3, RF_RDLOCK(&k));
    AT(4, RF_WRLOCK(&l));
    RF_RWUNLOCK(&l);
    RF_RWUNLOCK(&k);
    return unused;
}

/* Nobody but a writer stands in a reader's way. */
RF_TEST(readers_in_a_cycle) {
    rf_thread t = RF_THREAD(k_then_l, NULL);
    AT(1, RF_RDLOCK(&l));
    AT(2, RF_RDLOCK(&k));
    RF_RWUNLOCK(&k);
    RF_RWUNLOCK(&l);
    (void)RF_JOIN(t);
}

RF_TEST(cycle) {
    rf_thread t = RF_THREAD(k_then_l, NULL);
    AT(1, RF_WRLOCK(&l));
    AT(2, RF_WRLOCK(&k));
    RF_RWUNLOCK(&k);
    RF_RWUNLOCK(&l);
    (void)RF_JOIN(t);
}

static void behaviour(void) {
    REACHES("readers_share_and_writers_exclude", "shares_and_excludes", 3);
    REACHES("neither_readers_nor_writers_are_preferred", "prefers_nobody", 4);
    REACHES("tryrdlock_is_true_and_false_beside_a_writer", "tryrdlock_beside_a_writer", 2);
    PASSES("tryrdlock_is_always_true_beside_a_reader", "tryrdlock_beside_a_reader");
    REACHES("trywrlock_is_true_and_false_beside_a_reader", "trywrlock_beside_a_reader", 2);
    PASSES("a_thread_may_read_lock_twice_and_unlocks_twice", "reading_twice");
    PASSES("tries_of_ones_own_write_lock_are_false", "tries_of_ones_own");
    PASSES("readers_do_not_block_readers_in_a_cycle", "readers_in_a_cycle");
}

static void misuse(void) {
    FAILS_ALWAYS("writing_what_one_reads_fails", "upgrade", RELOCK, 2,
                 "T0 already holds l since rwlock.c:@1");
    FAILS_ALWAYS("reading_what_one_writes_fails", "downgrade", RELOCK, 2,
                 "T0 already holds l since rwlock.c:@1");
    FAILS_ALWAYS("writing_twice_fails", "write_twice", RELOCK, 2,
                 "T0 already holds l since rwlock.c:@1");
    FAILS_ALWAYS("unlocking_a_free_rwlock_fails", "unlock_free", UNLOCK_FREE, 1, "l is not locked");
    FAILS_ALWAYS("unlocking_what_another_writes_fails", "unlock_of_a_writer", UNLOCK_OTHER, 1,
                 "l is held by T0, not by T1");
    FAILS_ALWAYS("unlocking_what_another_reads_fails", "unlock_of_a_reader", UNLOCK_OTHER, 1,
                 "l is held for reading by others, not by T1");
    FAILS_ALWAYS("destroying_what_is_read_fails", "destroy_read", DESTROY_BUSY, 2,
                 "l is held by T0 since rwlock.c:@1");
    FAILS_ALWAYS("initialising_what_is_written_fails", "init_written", REINIT, 2,
                 "table is held by T0 since rwlock.c:@1");
    FAILS_ALWAYS("a_thread_that_ends_reading_fails", "exit_reading", EXIT_HOLDING, 1,
                 "T0 ends and still holds l, taken here");
    FAILS_ALWAYS("a_writer_waits_for_ever_for_a_reader", "writer_never_gets_it", LOCK_CYCLE, 3,
                 "cycle T0 -> T1 -> T0\n"
                 "  T0 waits at rwlock.c:@3 for the end of T1; it holds l (taken at rwlock.c:@1)\n"
                 "  T1 waits at rwlock.c:@2 to write rwlock l, held by T0");
    FAILS("a_cycle_through_rwlocks_is_a_deadlock", "cycle", LOCK_CYCLE, 2,
          "cycle T0 -> T1 -> T0\n"
          "  T0 waits at rwlock.c:@2 to write rwlock k, held by T1; it holds l (taken at "
          "rwlock.c:@1)\n"
          "  T1 waits at rwlock.c:@4 to write rwlock l, held by T0; it holds k (taken at "
          "rwlock.c:@3)");
}

int main(void) {
    behaviour();
    misuse();
    return lab_end();
}
