/* Every kind of synchronisation orders what programs read under the memory model, atomics and plain
 * data alike. */
#define RF_IMPLEMENTATION
#include "memory_runs.h"

enum {
    ACQUIRE = rf_memory_order_acquire,
    RELEASE = rf_memory_order_release,
    ACQ_REL = rf_memory_order_acq_rel
};

/* ---- what orders ---- */

typedef struct wide {
    int64_t a;
    int32_t b[3];
} wide;

static rf_atomic_int counter;
static rf_atomic_llong far_counter;
static int plain;
static int64_t plain_64;
static wide plain_wide;
static double plain_float;

static void write_all(int from) {
    for (int i = from; i < from + 3; i++) {
        rf_atomic_store_explicit(&counter, i, RELAXED);
        rf_atomic_store_explicit(&far_counter, -i, RELAXED);
        RF_STORE(plain, i);
        RF_STORE(plain_64, i * INT64_C(0x100000001));
        RF_STORE(plain_wide, (wide){i, {i, i, i}});
        RF_STORE(plain_float, i);
    }
}

/* Is everything as the latest write_all left it? */
static bool fresh(int from) {
    int i = from + 2;
    bool same = rf_atomic_load_explicit(&counter, RELAXED) == i;
    same &= rf_atomic_load_explicit(&far_counter, RELAXED) == -i;
    same &= RF_LOAD(plain) == i;
    same &= RF_LOAD(plain_64) == i * INT64_C(0x100000001);
    wide w = RF_LOAD(plain_wide);
    same &= w.a == i && w.b[0] == i && w.b[1] == i && w.b[2] == i;
    same &= RF_LOAD(plain_float) == i;
    return same;
}

static rf_mutex lock = RF_MUTEX_INIT, other_lock = RF_MUTEX_INIT, nested;
static rf_rwlock shared = RF_RWLOCK_INIT;
static rf_spin spin = RF_SPIN_INIT;
static rf_cond bell = RF_COND_INIT;
static rf_sem sem = RF_SEM_INIT(0);
static rf_barrier barrier;
static rf_once once = RF_ONCE_INIT;
static rf_atomic_flag flag = RF_ATOMIC_FLAG_INIT;
static rf_atomic_int done;
static int done_plain; /* guarded by what the edge is */

/* A thread writes everything, and says so through an edge; another one that has heard of it checks.
 * `heard` returns false when it was too early.  */
typedef struct edge {
    const char *name;
    void (*say)(void);
    bool (*heard)(void);
    bool orders;
} edge;

#define SAYS(name, take, give)  \
 static void say_##name(void) { \
  take;                         \
  done_plain = 1;               \
  give;                         \
 }
#define HEARS(name, take, give)   \
 static bool heard_##name(void) { \
  take;                           \
  bool heard = done_plain;        \
  give;                           \
  return heard;                   \
 }
#define TAKES_FLAG \
 while (rf_atomic_flag_test_and_set_explicit(&flag, ACQUIRE)) RF_SPIN_HINT()

SAYS(mutex, RF_LOCK(&lock), RF_UNLOCK(&lock))
HEARS(mutex, RF_LOCK(&lock), RF_UNLOCK(&lock))
HEARS(trylock, if (!RF_TRYLOCK(&lock)) return false, RF_UNLOCK(&lock))
HEARS(timedlock, if (!RF_TIMEDLOCK(&lock, 10)) return false, RF_UNLOCK(&lock))
SAYS(nested, (RF_LOCK(&nested), RF_LOCK(&nested)), (RF_UNLOCK(&nested), RF_UNLOCK(&nested)))
HEARS(nested, (RF_LOCK(&nested), RF_LOCK(&nested)), (RF_UNLOCK(&nested), RF_UNLOCK(&nested)))
SAYS(write_lock, RF_WRLOCK(&shared), RF_RWUNLOCK(&shared))
HEARS(write_lock, RF_WRLOCK(&shared), RF_RWUNLOCK(&shared))
SAYS(read_lock, RF_RDLOCK(&shared), RF_RWUNLOCK(&shared))
HEARS(read_lock, RF_RDLOCK(&shared), RF_RWUNLOCK(&shared))
SAYS(spin, RF_SPIN_LOCK(&spin), RF_SPIN_UNLOCK(&spin))
HEARS(spin, RF_SPIN_LOCK(&spin), RF_SPIN_UNLOCK(&spin))
SAYS(flag, TAKES_FLAG, rf_atomic_flag_clear_explicit(&flag, RELEASE))
HEARS(flag, TAKES_FLAG, rf_atomic_flag_clear_explicit(&flag, RELEASE))
SAYS(signal, RF_LOCK(&lock), (RF_SIGNAL(&bell), RF_UNLOCK(&lock)))
SAYS(broadcast, RF_LOCK(&lock), (RF_UNLOCK(&lock), RF_BROADCAST(&bell)))
HEARS(wait, RF_LOCK(&lock); while (!done_plain) RF_WAIT(&bell, &lock), RF_UNLOCK(&lock))
HEARS(timed_wait, RF_LOCK(&lock);
      if (!done_plain)(void) RF_TIMEDWAIT(&bell, &lock, 5), RF_UNLOCK(&lock))
SAYS(post, , RF_SEM_POST(&sem))
HEARS(post, RF_SEM_WAIT(&sem), )
HEARS(try_post, if (!RF_SEM_TRYWAIT(&sem)) return false, )
SAYS(barrier, , (void)RF_BARRIER_WAIT(&barrier))
HEARS(barrier, (void)RF_BARRIER_WAIT(&barrier), )

static void do_once(void) { done_plain = 1; }
static void say_once(void) { RF_ONCE(&once, do_once); }
static void not_first(void) { done_plain = 0; }
HEARS(once, RF_ONCE(&once, not_first), )

static void say_release(void) { rf_atomic_store_explicit(&done, 1, RELEASE); }
static bool heard_acquire(void) { return rf_atomic_load_explicit(&done, ACQUIRE); }
static bool heard_consume(void) { return rf_atomic_load_explicit(&done, rf_memory_order_consume); }
static void say_strongest(void) { rf_atomic_store(&done, 1); }
static bool heard_strongest(void) { return rf_atomic_load(&done); }
static void say_fence(void) {
    rf_atomic_thread_fence(RELEASE);
    rf_atomic_store_explicit(&done, 1, RELAXED);
}
static bool heard_fence(void) {
    bool heard = rf_atomic_load_explicit(&done, RELAXED);
    rf_atomic_thread_fence(ACQUIRE);
    return heard;
}
static void say_update(void) { rf_atomic_fetch_add_explicit(&done, 1, ACQ_REL); }
static bool heard_update(void) { return rf_atomic_fetch_or_explicit(&done, 0, ACQ_REL); }
static bool heard_exchange(void) {
    int one = 1;
    return rf_atomic_compare_exchange_strong_explicit(&done, &one, 2, ACQUIRE, RELAXED);
}
/* A release sequence: the update in the middle is relaxed, and somebody else's. */
static bool heard_sequence(void) { return rf_atomic_load_explicit(&done, ACQUIRE) == 2; }
static void say_relaxed(void) { rf_atomic_store_explicit(&done, 1, RELAXED); }
static bool heard_relaxed(void) { return rf_atomic_load_explicit(&done, RELAXED); }
/* Two different locks order nothing. */
HEARS(other_lock, RF_LOCK(&other_lock), RF_UNLOCK(&other_lock))
static void say_sleep(void) {
    rf_atomic_store_explicit(&done, 1, RELAXED);
    RF_SLEEP_MS(5);
}
static bool heard_sleep(void) {
    RF_SLEEP_MS(50);
    RF_YIELD();
    return rf_atomic_load_explicit(&done, RELAXED);
}

static const edge edges[] = {
    {"a_mutex_orders", say_mutex, heard_mutex, true},
    {"a_trylock_orders", say_mutex, heard_trylock, true},
    {"a_timed_lock_orders", say_mutex, heard_timedlock, true},
    {"a_recursive_mutex_orders", say_nested, heard_nested, true},
    {"a_write_lock_orders_readers", say_write_lock, heard_read_lock, true},
    {"a_read_lock_orders_writers", say_read_lock, heard_write_lock, true},
    {"a_spin_lock_orders", say_spin, heard_spin, true},
    {"a_signal_with_its_mutex_orders", say_signal, heard_wait, true},
    {"a_broadcast_with_its_mutex_orders", say_broadcast, heard_wait, true},
    {"a_timed_wait_orders", say_signal, heard_timed_wait, true},
    {"a_semaphore_orders", say_post, heard_post, true},
    {"a_semaphore_tried_orders", say_post, heard_try_post, true},
    {"a_barrier_orders", say_barrier, heard_barrier, true},
    {"once_orders", say_once, heard_once, true},
    {"a_lock_made_of_a_flag_orders", say_flag, heard_flag, true},
    {"seq_cst_orders", say_strongest, heard_strongest, true},
    {"release_and_acquire_order", say_release, heard_acquire, true},
    {"consume_orders_as_acquire_does", say_release, heard_consume, true},
    {"fences_order", say_fence, heard_fence, true},
    {"updates_order", say_update, heard_update, true},
    {"a_successful_exchange_orders", say_release, heard_exchange, true},
    {"an_update_hands_on_what_was_released", say_release, heard_sequence, true},
    {"an_update_hands_on_nothing_that_was_not", say_relaxed, heard_sequence, false},
    {"relaxed_atomics_order_nothing", say_relaxed, heard_relaxed, false},
    {"a_release_alone_orders_nothing", say_release, heard_relaxed, false},
    {"an_acquire_alone_orders_nothing", say_relaxed, heard_acquire, false},
    {"two_different_locks_order_nothing", say_mutex, heard_other_lock, false},
    {"time_orders_nothing", say_sleep, heard_sleep, false},
};

static const edge *tried;

THREAD(hand_on) {
    int one = 1;
    for (int tries = 0; tries < 30 && tried->heard == heard_sequence; tries++, one = 1)
        if (rf_atomic_compare_exchange_strong_explicit(&done, &one, 2, RELAXED, RELAXED)) break;
}

THREAD(write_and_say) {
    write_all(1);
    tried->say();
}

/* Outcomes: 0 too early, 1 in order, 2 something was stale. */
static void *hear_and_read(void *unused) {
    uint32_t steps = RF_CHOOSE(2) ? 60 + RF_CHOOSE(40) : 0, mine;
    for (uint32_t i = 0; i < steps; i++) RF_STORE(mine, i); /* about as many as the writer has */
    if (!steps)
        for (uint32_t n = RF_CHOOSE(100); n; n--) RF_YIELD();
    if (!tried->heard()) {
        seen[0]++;
        return unused;
    }
    bool all = fresh(1);
    seen[all ? 1 : 2]++;
    if (tried->orders) RF_ASSERT(all);
    return unused;
}

RF_TEST(between_threads) {
    done_plain = 0;
    rf_atomic_init(&done, 0);
    rf_mutex_init(&nested, "nested", RF_MUTEX_RECURSIVE);
    rf_sem_init(&sem, "sem", 0);
    rf_barrier_init(&barrier, "barrier", 2);
    rf_once_init(&once, "once");
    rf_atomic_flag_clear(&flag);
    write_all(-9);
    BESIDE(hand_on) run_two(write_and_say, hear_and_read);
    RF_ASSERT(fresh(1)); /* the joins order */
    count_stale();
}

THREAD(check_then_write) {
    RF_ASSERT(fresh(1));
    write_all(4);
}

/* Each thread is made after the one before it was joined. */
RF_TEST(made_and_joined) {
    write_all(-9);
    for (int i = 0; i < 3; i++) {
        write_all(1);
        (void)RF_JOIN(RF_THREAD(check_then_write, NULL));
        RF_ASSERT(fresh(4));
    }
    count_stale();
}

static void *wait_for_sibling(void *sibling) {
    (void)RF_JOIN(*(rf_thread *)sibling);
    RF_ASSERT(fresh(4));
    return NULL;
}

RF_TEST(joined_by_another) {
    write_all(1);
    rf_thread t = RF_THREAD(check_then_write, NULL);
    (void)RF_JOIN(RF_THREAD(wait_for_sibling, &t));
    RF_ASSERT(fresh(4));
    count_stale();
}

/* The first atomic access, or fence, of an execution: what was synchronised before tells nothing of
 * it, but who stood at the barrier by then hears of it.  No two executions store the same value. */
static rf_atomic_int late, flagged;
static int late_value;

THREAD(store_late) {
    rf_atomic_store_explicit(&late, late_value, RELAXED);
    RF_BARRIER_WAIT(&barrier);
}

RF_TEST(late_store) {
    late_value++;
    rf_barrier_init(&barrier, "barrier", 2);
    BESIDE(store_late) {
        RF_BARRIER_WAIT(&barrier);
        RF_ASSERT_EQ(rf_atomic_load_explicit(&late, RELAXED), late_value);
    }
}

THREAD(lock_then_store) {
    RF_LOCK(&nested);
    RF_UNLOCK(&nested);
    rf_atomic_store_explicit(&late, late_value, RELAXED);
    rf_atomic_thread_fence(rf_memory_order_release);
    rf_atomic_store_explicit(&flagged, late_value, RELAXED);
}

/* The lock, given back before the store, orders nothing. */
RF_TEST(late_and_unordered) {
    late_value++;
    rf_mutex_init(&nested, "nested", RF_MUTEX_NORMAL);
    BESIDE(lock_then_store) {
        RF_LOCK(&nested);
        RF_UNLOCK(&nested);
        bool told = rf_atomic_load_explicit(&flagged, RELAXED) == late_value;
        bool known = rf_atomic_load_explicit(&late, RELAXED) == late_value;
        seen[told ? known ? 1 : 2 : 0]++;
    }
}

CASE(model_that_slept) {
    rfi_job j = lab_job_of("late_store", RFI_PREDICT, LAB_FINE);
    LAB_CHECK("a_barrier_orders_the_first_store_for_who_came_before_it",
              !lab_failures(lab_job(&j, 2000)));
    j = lab_job_of("late_and_unordered", RFI_PREDICT, LAB_FINE);
    memset(seen, 0, sizeof seen);
    (void)lab_job(&j, 2000);
    printf("# %u early, %u known, %u not\n", seen[0], seen[1], seen[2]);
    LAB_CHECK("a_lock_released_before_the_first_store_does_not_order_it", seen[1] && seen[2]);
}

/* Does happens-before see a race in some schedule? */
static bool races(void) {
    rfi_job j = lab_job_of("between_threads", RFI_PREDICT, LAB_FINE);
    j.analyses = rfi_analysis_bit("hb");
    const rfi_tally *t = lab_job(&j, 300);
    for (uint32_t i = 0; i < t->warnings; i++)
        if (t->warning[i].seen) return true;
    return false;
}

CASE(edges_order) {
    for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++) {
        tried = &edges[i];
        if (failed_under_all("between_threads", 100)) {
            lab_check(false, tried->name, why);
            continue;
        }
        because("%u early, %u fresh, %u stale; %llu and %llu old values", seen[0], seen[1], seen[2],
                (unsigned long long)atomic_stale, (unsigned long long)plain_stale);
        printf("# %s\n", why);
        bool stale = seen[2] && atomic_stale && plain_stale;
        lab_check(tried->orders ? seen[1] > 50 && !seen[2] : stale, tried->name, why);
        lab_check(races() != tried->orders, named("%s_for_happens_before_too", tried->name),
                  "there is a race, or there is none");
    }
    lab_check(!failed_under_all("made_and_joined", 50) && !atomic_stale && !plain_stale,
              "creation_and_join_order", why);
    lab_check(!failed_under_all("joined_by_another", 50), "a_join_by_another_thread_orders", why);
}

int main(void) { return lab_cases(); }
