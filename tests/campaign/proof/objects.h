/* A part of ../proof.c: locks, conditions, once, tries and time-outs. */

#ifndef TELLING
# define TELLING rf_memory_order_relaxed
#endif

static void *lock_and_tell(void *arg) {
    RF_LOCK(&m);
    RF_UNLOCK(&m);
    rf_atomic_store_explicit(&flag, 1, TELLING);
    return arg;
}

static void *try_when_told(void *arg) {
    if (!rf_atomic_load_explicit(&flag, TELLING)) return arg;
    bool taken = RF_TRYLOCK(&m);
    if (taken) RF_UNLOCK(&m);
    RF_ASSERT(taken); /* relaxed: the lock may still look taken */
    return arg;
}

BOTH(stale_try, lock_and_tell, try_when_told)

static void *write_and_tell(void *arg) {
    rf_atomic_store_explicit(&cell, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&flag, 1, TELLING);
    return arg;
}

static void *read_when_told(void *arg) {
    bool told = rf_atomic_load_explicit(&flag, TELLING);
    RF_ASSERT(rf_atomic_load_explicit(&cell, rf_memory_order_relaxed) == 1 || !told);
    return arg;
}

BOTH(stale_read, write_and_tell, read_when_told)

static void *wait_once(void *arg) {
    RF_LOCK(&m);
    RF_WAIT(&c, &m);
    RF_ASSERT(RF_LOAD(plain) == 1); /* a wake-up may be for nothing */
    RF_UNLOCK(&m);
    return arg;
}

static void *set_and_signal(void *arg) {
    RF_LOCK(&m);
    RF_STORE(plain, 1);
    RF_UNLOCK(&m);
    RF_BROADCAST(&c);
    return arg;
}

BOTH(spurious, wait_once, set_and_signal)

static void *wait_a_while(void *arg) {
    RF_LOCK(&m);
    bool woken = RF_LOAD(plain) || RF_TIMEDWAIT(&c, &m, 1000);
    RF_UNLOCK(&m);
    RF_ASSERT(woken);
    return arg;
}

RF_TEST(timed_out, .no_spurious = true) {
    clear();
    both(set_and_signal, wait_a_while);
}

static void *wait_for_it(void *arg) {
    RF_LOCK(&m);
    while (!RF_LOAD(plain)) RF_WAIT(&c, &m);
    RF_UNLOCK(&m);
    return arg;
}

static void *signal_too_early(void *arg) {
    RF_SIGNAL(&c);
    RF_LOCK(&m);
    RF_STORE(plain, 1);
    RF_UNLOCK(&m);
    return arg;
}

RF_TEST(lost, .no_spurious = true) {
    clear();
    both(wait_for_it, signal_too_early);
}

/* T0 waits for `inner` and holds m; T2, who has `inner` and says so, makes T1 wait for m: T1 could
 * have had that first. */
static rf_mutex inner;

static void *after_flag(void *arg) {
    bool told = rf_atomic_load_explicit(&flag, rf_memory_order_relaxed);
    RF_LOCK(&m);
    if (told) rf_atomic_store_explicit(&cell, 1, rf_memory_order_relaxed);
    RF_UNLOCK(&m);
    return arg;
}

static void *within_inner(void *arg) {
    RF_LOCK(&inner);
    rf_atomic_store_explicit(&flag, 1, rf_memory_order_relaxed);
    RF_UNLOCK(&inner);
    return arg;
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

static void *try_until_taken(void *arg) {
    while (!RF_TRYLOCK(&m)) RF_YIELD();
    RF_STORE(plain, RF_LOAD(plain) + 1);
    RF_UNLOCK(&m);
    return arg;
}

RF_TEST(tries) {
    clear();
    both(try_until_taken, try_until_taken);
    RF_ASSERT(RF_LOAD(plain) == 2);
}

static void prepare(void) { RF_STORE(plain, RF_LOAD(plain) + 1); }
static void *call_once(void *arg) {
    RF_ONCE(&once, prepare);
    RF_ASSERT(RF_LOAD(plain) == 1);
    return arg;
}

BOTH(onces, call_once, call_once)

static void *wait_again_and_again(void *arg) {
    RF_LOCK(&m);
    while (!RF_LOAD(plain)) RF_TIMEDWAIT(&c, &m, 10);
    RF_UNLOCK(&m);
    return arg;
}

static void *set_only(void *arg) { return RF_YIELD(), arg; }

BOTH(polls, wait_again_and_again, set_only)

static void *lock_for_a_while(void *arg) {
    if (RF_TIMEDLOCK(&m, 10)) RF_UNLOCK(&m);
    return arg;
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
