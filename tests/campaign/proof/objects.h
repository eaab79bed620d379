/* A part of ../proof.c: locks, conditions, once, tries and time-outs. */

#ifndef TELLING
# define TELLING rf_memory_order_relaxed
#endif

THREAD(lock_and_tell) {
    RF_LOCK(&m);
    RF_UNLOCK(&m);
    rf_atomic_store_explicit(&flag, 1, TELLING);
}

static void *try_when_told(void *arg) {
    if (!rf_atomic_load_explicit(&flag, TELLING)) return arg;
    bool taken = RF_TRYLOCK(&m);
    if (taken) RF_UNLOCK(&m);
    RF_ASSERT(taken); /* relaxed: the lock may still look taken */
    return arg;
}

BOTH(stale_try, lock_and_tell, try_when_told)

THREAD(write_and_tell) {
    rf_atomic_store_explicit(&cell, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&flag, 1, TELLING);
}

THREAD(read_when_told) {
    bool told = rf_atomic_load_explicit(&flag, TELLING);
    RF_ASSERT(rf_atomic_load_explicit(&cell, rf_memory_order_relaxed) == 1 || !told);
}

BOTH(stale_read, write_and_tell, read_when_told)

THREAD(wait_once) {
    RF_LOCK(&m);
    RF_WAIT(&c, &m);
    RF_ASSERT(RF_LOAD(plain) == 1); /* a wake-up may be for nothing */
    RF_UNLOCK(&m);
}

THREAD(set_and_signal) {
    RF_GUARD(&m) RF_STORE(plain, 1);
    RF_BROADCAST(&c);
}

BOTH(spurious, wait_once, set_and_signal)

THREAD(wait_a_while) {
    RF_LOCK(&m);
    bool woken = RF_LOAD(plain) || RF_TIMEDWAIT(&c, &m, 1000);
    RF_UNLOCK(&m);
    RF_ASSERT(woken);
}

RF_TEST(timed_out, .no_spurious = true) {
    clear();
    run_two(set_and_signal, wait_a_while);
}

THREAD(wait_for_it) { RF_GUARD(&m) while (!RF_LOAD(plain)) RF_WAIT(&c, &m); }

THREAD(signal_too_early) {
    RF_SIGNAL(&c);
    RF_GUARD(&m) RF_STORE(plain, 1);
}

RF_TEST(lost, .no_spurious = true) {
    clear();
    run_two(wait_for_it, signal_too_early);
}

/* T0 waits for `inner` and holds m; T2, who has `inner` and says so, makes T1 wait for m: T1 could
 * have had that first. */
static rf_mutex inner;

THREAD(after_flag) {
    bool told = rf_atomic_load_explicit(&flag, rf_memory_order_relaxed);
    RF_GUARD(&m) if (told) rf_atomic_store_explicit(&cell, 1, rf_memory_order_relaxed);
}

THREAD(within_inner) {
    RF_GUARD(&inner) rf_atomic_store_explicit(&flag, 1, rf_memory_order_relaxed);
}

RF_TEST(nested) {
    clear();
    rf_thread a = RF_THREAD(after_flag, NULL), b = RF_THREAD(within_inner, NULL);
    RF_LOCK(&m);
    int told_first = rf_atomic_load_explicit(&cell, rf_memory_order_relaxed);
    RF_LOCK(&inner);
    RF_UNLOCK(&inner);
    RF_UNLOCK(&m);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(told_first, 0);
}

BOTH(conditions, wait_for_it, set_and_signal)

THREAD(try_until_taken) {
    while (!RF_TRYLOCK(&m)) RF_YIELD();
    RF_STORE(plain, RF_LOAD(plain) + 1);
    RF_UNLOCK(&m);
}

RF_TEST(tries) {
    clear();
    run_two(try_until_taken, try_until_taken);
    RF_ASSERT(RF_LOAD(plain) == 2);
}

static void prepare(void) { RF_STORE(plain, RF_LOAD(plain) + 1); }
THREAD(call_once) {
    RF_ONCE(&once, prepare);
    RF_ASSERT(RF_LOAD(plain) == 1);
}

BOTH(onces, call_once, call_once)

THREAD(wait_again_and_again) { RF_GUARD(&m) while (!RF_LOAD(plain)) RF_TIMEDWAIT(&c, &m, 10); }

static void *set_only(void *arg) { return RF_YIELD(), arg; }

BOTH(polls, wait_again_and_again, set_only)

THREAD(lock_for_a_while) {
    if (RF_TIMEDLOCK(&m, 10)) RF_UNLOCK(&m);
}

BOTH(in_time, lock_for_a_while, lock_for_a_while)

/* A copy of a lock is another one; one of a semaphore has its count. */
static rf_mutex copy;

static void *add_by(void *lock) {
    rf_mutex *by = lock;
    RF_LOCK(by);
    RF_STORE(plain, RF_LOAD(plain) + 1);
    RF_UNLOCK(by);
    return lock;
}

RF_TEST(copied) {
    clear();
    RF_LOCK(&m);
    RF_UNLOCK(&m);
    copy = m;
    rf_thread a = RF_THREAD(add_by, &m), b = RF_THREAD(add_by, &copy);
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_TEST(copied_count) {
    rf_sem first = RF_SEM_INIT(0), second;
    RF_SEM_POST(&first);
    second = first;
    RF_SEM_WAIT(&second);
    RF_SEM_WAIT(&first);
}
