/* What programs read under the memory model: atomics of every type, every edge that orders, and
 * heuristics (docs/memory.md; the model by itself: tests/memory_plain.c, tests/litmus.c). */
#define RF_IMPLEMENTATION
#include "schedules.h"

enum {
    RELAXED = rf_memory_order_relaxed,
    ACQUIRE = rf_memory_order_acquire,
    RELEASE = rf_memory_order_release,
    ACQ_REL = rf_memory_order_acq_rel,
    SEQ_CST = rf_memory_order_seq_cst
};

typedef void *function(void *);

static void together(function *a, function *b) {
    rf_thread t = RF_THREAD(a, NULL), u = RF_THREAD(b, NULL);
    RF_JOIN(t);
    RF_JOIN(u);
}

/* ---- runs ---- */

/* All plain data is watched, and every read goes by `pick`. */
static rfi_job adversary(const char *test, rf_heuristic pick, bool fine) {
    rfi_job j = lab_job_of(test, RFI_ADVERSARY, fine);
    j.all = true;
    j.pick = pick;
    return j;
}

static uint64_t atomic_stale, plain_stale;

static void count_stale(void) {
    atomic_stale += rfi.record->atomic_stale;
    plain_stale += rfi.record->plain_stale;
}

static const rf_heuristic every_pick[] = {RF_PICK_RECENT,           RF_PICK_OLDEST,
                                          RF_PICK_OLDEST_DIFFERENT, RF_PICK_RANDOM,
                                          RF_PICK_RANDOM_DIFFERENT, RF_PICK_MIXED};
#define PICKS (sizeof every_pick / sizeof *every_pick)

/* Runs a test under all heuristics, fine and coarse; the failed executions. */
static uint64_t failed_under_all(const char *test, uint32_t n) {
    uint64_t failed = 0;
    memset(seen, 0, sizeof seen);
    atomic_stale = plain_stale = 0;
    for (unsigned i = 0; i < 2 * PICKS; i++) {
        rfi_job j = adversary(test, every_pick[i / 2], i % 2);
        const rfi_tally *t = lab_job(&j, n);
        for (uint32_t k = 0; k < t->failures; k++) {
            failed += t->failure[k].count;
            because("%s, %s: line %u: %s", rfi_pick_word(every_pick[i / 2]),
                    i % 2 ? "fine" : "coarse",
                    t->failure[k].failure.site ? t->failure[k].failure.site->line : 0,
                    t->failure[k].failure.message);
        }
    }
    return failed;
}

/* ---- orders of atomics ---- */

static rf_atomic_int x, y;
static int order, other_order, got[2];

static void *store_x_load_y(void *unused) {
    rf_atomic_store_explicit(&x, 1, order);
    got[0] = rf_atomic_load_explicit(&y, other_order);
    return unused;
}

static void *store_y_load_x(void *unused) {
    rf_atomic_store_explicit(&y, 1, order);
    got[1] = rf_atomic_load_explicit(&x, other_order);
    return unused;
}

RF_TEST(store_buffering) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    together(store_x_load_y, store_y_load_x);
    seen[got[0] * 2 + got[1]]++;
    count_stale();
}

static void *pass_message(void *unused) {
    rf_atomic_store_explicit(&x, 1, RELAXED);
    rf_atomic_store_explicit(&y, 1, order);
    return unused;
}

static void *get_message(void *unused) {
    got[0] = rf_atomic_load_explicit(&y, other_order);
    got[1] = rf_atomic_load_explicit(&x, RELAXED);
    return unused;
}

RF_TEST(message) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    together(pass_message, get_message);
    seen[got[0] * 2 + got[1]]++;
    count_stale();
}

/* Which of the outcomes 00 01 10 11 does a test have?  Bit 0 is 00. */
static unsigned outcomes(const char *test, int stores, int loads, rf_mem_model model) {
    order = stores, other_order = loads;
    memset(seen, 0, sizeof seen);
    atomic_stale = plain_stale = 0;
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_COARSE);
    j.memory.atomics = model;
    if (lab_job(&j, 2000)->failures) return 0;
    unsigned set = 0;
    for (unsigned i = 0; i < 4; i++) set |= seen[i] ? 1u << i : 0;
    return set;
}

static void orders(void) {
    LAB_CHECK("store_buffering_gives_0_0_unless_seq_cst",
              outcomes("store_buffering", RELAXED, RELAXED, RF_MEM_C11) == 15 &&
                  outcomes("store_buffering", RELEASE, ACQUIRE, RF_MEM_C11) == 15 &&
                  outcomes("store_buffering", SEQ_CST, SEQ_CST, RF_MEM_C11) == 14);
    LAB_CHECK("a_message_may_be_stale_unless_released_and_acquired",
              outcomes("message", RELAXED, RELAXED, RF_MEM_C11) == 15 &&
                  outcomes("message", RELEASE, RELAXED, RF_MEM_C11) == 15 &&
                  outcomes("message", RELAXED, ACQUIRE, RF_MEM_C11) == 15 &&
                  outcomes("message", RELEASE, ACQUIRE, RF_MEM_C11) == 11 &&
                  outcomes("message", SEQ_CST, SEQ_CST, RF_MEM_C11) == 11);
    LAB_CHECK("the_fast_model_gives_them_too",
              outcomes("store_buffering", RELAXED, RELAXED, RF_MEM_C11_FAST) == 15 &&
                  outcomes("message", RELAXED, RELAXED, RF_MEM_C11_FAST) == 15);
    LAB_CHECK("stale_reads_are_counted", atomic_stale > 0 && !plain_stale);
    LAB_CHECK("sequential_consistency_is_a_setting",
              outcomes("store_buffering", RELAXED, RELAXED, RF_MEM_SC) == 14 && !atomic_stale &&
                  outcomes("message", RELAXED, RELAXED, RF_MEM_SC) == 11 && !atomic_stale);
}

/* ---- types ---- */

typedef struct pair {
    short a, b;
} pair;
typedef struct sixteen {
    int64_t a, b;
} sixteen;

static bool same_pair(pair p, pair q) { return p.a == q.a && p.b == q.b; }
static bool same_sixteen(sixteen p, sixteen q) { return p.a == q.a && p.b == q.b; }
#define SAME(p, q) ((p) == (q))

/* A message whose content is of type T: `first`, which is stale, or `second`. */
#define MESSAGE_OF(name, T, same, first, second)                \
 static _Atomic(T) name##_content;                              \
 static void *name##_send(void *unused) {                       \
  rf_atomic_store_explicit(&name##_content, (second), RELAXED); \
  rf_atomic_store_explicit(&y, 1, RELAXED);                     \
  return unused;                                                \
 }                                                              \
 static void *name##_get(void *unused) {                        \
  if (!rf_atomic_load_explicit(&y, RELAXED)) return unused;     \
  T found = rf_atomic_load_explicit(&name##_content, RELAXED);  \
  RF_ASSERT(same(found, (first)) || same(found, (second)));     \
  seen[same(found, (second))]++;                                \
  return unused;                                                \
 }                                                              \
 RF_TEST(name) {                                                \
  rf_atomic_store_explicit(&name##_content, (first), RELAXED);  \
  rf_atomic_store_explicit(&y, 0, RELAXED);                     \
  together(name##_send, name##_get);                            \
 }

MESSAGE_OF(of_bool, bool, SAME, false, true)
MESSAGE_OF(of_char, signed char, SAME, -1, 100)
MESSAGE_OF(of_short, unsigned short, SAME, 1, 65535)
MESSAGE_OF(of_float, float, SAME, 0.5f, -2.25f)
MESSAGE_OF(of_double, double, SAME, 0.5, -2.25)
MESSAGE_OF(of_long_long, long long, SAME, 1, -1)
MESSAGE_OF(of_pointer, int *, SAME, &got[0], &got[1])
MESSAGE_OF(of_struct, pair, same_pair, ((pair){1, 2}), ((pair){3, 4}))
MESSAGE_OF(of_16_bytes, sixteen, same_sixteen, ((sixteen){1, 2}), ((sixteen){-3, 4}))

static void types(void) {
    static const char *const names[] = {"of_bool",    "of_char",   "of_short",
                                        "of_float",   "of_double", "of_long_long",
                                        "of_pointer", "of_struct", "of_16_bytes"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "an_atomic_%s_is_stale_as_a_whole", names[i]);
        LAB_CHECK(name, reaches_under(names[i], 2, LAB_COARSE));
    }
}

/* ---- flags and updates ---- */

static rf_atomic_flag busy = RF_ATOMIC_FLAG_INIT;

static void *add_under_flag(void *unused) {
    while (rf_atomic_flag_test_and_set_explicit(&busy, other_order)) RF_SPIN_HINT();
    int before = rf_atomic_load_explicit(&x, RELAXED);
    rf_atomic_store_explicit(&x, before + 1, RELAXED);
    rf_atomic_flag_clear_explicit(&busy, order);
    return unused;
}

RF_TEST(flag_as_lock) {
    rf_atomic_init(&x, 0);
    rf_atomic_flag_clear(&busy);
    together(add_under_flag, add_under_flag);
    seen[rf_atomic_load(&x) - 1]++;
}

#define ADDERS 3
#define ADDS   3
static unsigned given; /* bit set of what updates have returned */

static void *add_some(void *how) {
    for (int i = 0; i < ADDS; i++) {
        int old = 0;
        if (how)
            while (!rf_atomic_compare_exchange_weak_explicit(&x, &old, old + 1, RELAXED, RELAXED))
                continue;
        else
            old = rf_atomic_fetch_add_explicit(&x, 1, RELAXED);
        RF_ASSERT(!(given >> old & 1));
        given |= 1u << old;
    }
    return NULL;
}

RF_TEST(updates) {
    rf_thread t[ADDERS];
    given = 0;
    rf_atomic_init(&x, 0);
    for (int i = 0; i < ADDERS; i++) t[i] = RF_THREAD(add_some, i == 1 ? &x : NULL);
    for (int i = 0; i < ADDERS; i++) RF_JOIN(t[i]);
    RF_ASSERT_EQ(given, (1u << ADDERS * ADDS) - 1);
    RF_ASSERT_EQ(rf_atomic_load_explicit(&x, RELAXED), ADDERS * ADDS);
}

static bool weak_one;

static bool exchange(rf_atomic_int *object, int *expected, int desired) {
    return weak_one ? rf_atomic_compare_exchange_weak_explicit(object, expected, desired, RELAXED,
                                                               RELAXED)
                    : rf_atomic_compare_exchange_strong_explicit(object, expected, desired, RELAXED,
                                                                 RELAXED);
}

/* x is 1 for whoever has seen y, but a compare-exchange may be late and find 0.
 * Outcomes: 0 it succeeded, 1 it found the old value, 2 it failed for nothing. */
static void *exchange_late(void *unused) {
    int expected = 1;
    if (!rf_atomic_load_explicit(&y, RELAXED)) return unused;
    bool done = exchange(&x, &expected, 2);
    RF_ASSERT(done ? expected == 1 : weak_one || expected == 0);
    seen[done ? 0 : expected ? 2 : 1]++;
    return unused;
}

RF_TEST(late_exchange) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    order = RELAXED;
    together(pass_message, exchange_late);
}

RF_TEST(late_exchange_and_sure, .no_spurious = true) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    order = RELAXED;
    together(pass_message, exchange_late);
}

static void *take(void *mine) {
    int expected = 0;
    *(bool *)mine = exchange(&x, &expected, 1);
    return mine;
}

/* An update never reads a store that another one has read: one taker, under any heuristic. */
RF_TEST(one_taker) {
    bool mine[3] = {false};
    rf_thread t[3];
    rf_atomic_init(&x, 0);
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(take, &mine[i]);
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
    RF_ASSERT(mine[0] + mine[1] + mine[2] <= 1);
    RF_ASSERT(weak_one || mine[0] + mine[1] + mine[2] == 1);
}

static void updates(void) {
    order = other_order = RELAXED;
    REACHES("a_flag_with_relaxed_orders_protects_nothing", "flag_as_lock", 2);
    order = RELEASE, other_order = ACQUIRE;
    LAB_CHECK("a_flag_released_and_acquired_is_a_lock",
              reaches_under("flag_as_lock", 0, LAB_COARSE) && seen[1] == SCHEDULES);
    LAB_CHECK("updates_are_atomic_over_20000_executions",
              !lab_random("updates", 20000, LAB_COARSE)->failures);
    LAB_CHECK("and_under_every_heuristic", !failed_under_all("updates", 200));
    weak_one = false;
    LAB_CHECK("a_strong_exchange_may_find_an_old_value",
              reaches_under("late_exchange", 2, LAB_COARSE));
    lab_check(!failed_under_all("one_taker", 500), "a_strong_exchange_has_one_winner", why);
    weak_one = true;
    LAB_CHECK("a_weak_one_also_fails_for_nothing", reaches_under("late_exchange", 3, LAB_COARSE));
    LAB_CHECK("not_where_that_is_excluded", reaches_under("late_exchange_and_sure", 2, LAB_COARSE));
    lab_check(!failed_under_all("one_taker", 500), "a_weak_exchange_has_at_most_one_winner", why);
}

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
static rf_atomic_int done;
static int done_plain; /* guarded by what the edge is */

/* A thread writes everything, and says so through an edge; another one that has heard of it checks.
 * `heard` returns false when it was too early. */
typedef struct edge {
    const char *name;
    void (*say)(void);
    bool (*heard)(void);
    bool orders;
} edge;

static void say_mutex(void) {
    RF_LOCK(&lock);
    done_plain = 1;
    RF_UNLOCK(&lock);
}
static bool heard_mutex(void) {
    RF_LOCK(&lock);
    bool heard = done_plain;
    RF_UNLOCK(&lock);
    return heard;
}
static bool heard_trylock(void) {
    if (!RF_TRYLOCK(&lock)) return false;
    bool heard = done_plain;
    RF_UNLOCK(&lock);
    return heard;
}
static bool heard_timedlock(void) {
    if (!RF_TIMEDLOCK(&lock, 10)) return false;
    bool heard = done_plain;
    RF_UNLOCK(&lock);
    return heard;
}
static void say_nested(void) {
    RF_LOCK(&nested);
    RF_LOCK(&nested);
    done_plain = 1;
    RF_UNLOCK(&nested);
    RF_UNLOCK(&nested);
}
static bool heard_nested(void) {
    RF_LOCK(&nested);
    RF_LOCK(&nested);
    bool heard = done_plain;
    RF_UNLOCK(&nested);
    RF_UNLOCK(&nested);
    return heard;
}
static void say_write_lock(void) {
    RF_WRLOCK(&shared);
    done_plain = 1;
    RF_RWUNLOCK(&shared);
}
static bool heard_read_lock(void) {
    RF_RDLOCK(&shared);
    bool heard = done_plain;
    RF_RWUNLOCK(&shared);
    return heard;
}
/* A reader's release, and a writer's acquisition. */
static void say_read_lock(void) {
    RF_RDLOCK(&shared);
    rf_atomic_store_explicit(&done, 1, RELAXED);
    RF_RWUNLOCK(&shared);
}
static bool heard_write_lock(void) {
    RF_WRLOCK(&shared);
    bool heard = rf_atomic_exchange_explicit(&done, 1, RELAXED);
    RF_RWUNLOCK(&shared);
    return heard;
}
static void say_spin(void) {
    RF_SPIN_LOCK(&spin);
    done_plain = 1;
    RF_SPIN_UNLOCK(&spin);
}
static bool heard_spin(void) {
    RF_SPIN_LOCK(&spin);
    bool heard = done_plain;
    RF_SPIN_UNLOCK(&spin);
    return heard;
}
static void say_signal(void) {
    RF_LOCK(&lock);
    done_plain = 1;
    RF_SIGNAL(&bell);
    RF_UNLOCK(&lock);
}
static void say_broadcast(void) {
    RF_LOCK(&lock);
    done_plain = 1;
    RF_UNLOCK(&lock);
    RF_BROADCAST(&bell);
}
static bool heard_wait(void) {
    RF_LOCK(&lock);
    while (!done_plain) RF_WAIT(&bell, &lock);
    RF_UNLOCK(&lock);
    return true;
}
static bool heard_timed_wait(void) {
    RF_LOCK(&lock);
    if (!done_plain) (void)RF_TIMEDWAIT(&bell, &lock, 5);
    bool heard = done_plain;
    RF_UNLOCK(&lock);
    return heard;
}
static void say_post(void) { RF_SEM_POST(&sem); }
static bool heard_post(void) {
    RF_SEM_WAIT(&sem);
    return true;
}
static bool heard_try_post(void) { return RF_SEM_TRYWAIT(&sem); }
static void say_barrier(void) { (void)RF_BARRIER_WAIT(&barrier); }
static bool heard_barrier(void) {
    (void)RF_BARRIER_WAIT(&barrier);
    return true;
}
static void do_once(void) { done_plain = 1; }
static void say_once(void) { RF_ONCE(&once, do_once); }
static void not_first(void) { done_plain = 0; }
static bool heard_once(void) {
    RF_ONCE(&once, not_first);
    return done_plain;
}
static void say_release(void) { rf_atomic_store_explicit(&done, 1, RELEASE); }
static bool heard_acquire(void) { return rf_atomic_load_explicit(&done, ACQUIRE); }
static bool heard_consume(void) { return rf_atomic_load_explicit(&done, rf_memory_order_consume); }
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
/* A release sequence: the update in the middle is relaxed, and somebody else's. */
static bool heard_sequence(void) {
    int one = 1;
    return rf_atomic_compare_exchange_strong_explicit(&done, &one, 2, ACQUIRE, RELAXED);
}
static void say_relaxed(void) { rf_atomic_store_explicit(&done, 1, RELAXED); }
static bool heard_relaxed(void) { return rf_atomic_load_explicit(&done, RELAXED); }
/* Two different locks order nothing; done is atomic to be free of a race. */
static void say_own_lock(void) {
    RF_LOCK(&lock);
    rf_atomic_store_explicit(&done, 1, RELAXED);
    RF_UNLOCK(&lock);
}
static bool heard_other_lock(void) {
    RF_LOCK(&other_lock);
    bool heard = rf_atomic_load_explicit(&done, RELAXED);
    RF_UNLOCK(&other_lock);
    return heard;
}
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
    {"release_and_acquire_order", say_release, heard_acquire, true},
    {"consume_orders_as_acquire_does", say_release, heard_consume, true},
    {"fences_order", say_fence, heard_fence, true},
    {"updates_order", say_update, heard_update, true},
    {"a_successful_exchange_orders", say_release, heard_sequence, true},
    {"relaxed_atomics_order_nothing", say_relaxed, heard_relaxed, false},
    {"a_release_alone_orders_nothing", say_release, heard_relaxed, false},
    {"an_acquire_alone_orders_nothing", say_relaxed, heard_acquire, false},
    {"two_different_locks_order_nothing", say_own_lock, heard_other_lock, false},
    {"time_orders_nothing", say_sleep, heard_sleep, false},
};

static const edge *tried;

static void *write_and_say(void *unused) {
    write_all(1);
    tried->say();
    return unused;
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
    write_all(-9);
    together(write_and_say, hear_and_read);
    RF_ASSERT(fresh(1)); /* the joins order */
    count_stale();
}

static void *check_then_write(void *unused) {
    RF_ASSERT(fresh(1));
    write_all(4);
    return unused;
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

static void edges_order(void) {
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
    }
    lab_check(!failed_under_all("made_and_joined", 50) && !atomic_stale && !plain_stale,
              "creation_and_join_order", why);
    lab_check(!failed_under_all("joined_by_another", 50), "a_join_by_another_thread_orders", why);
}

/* ---- loops that wait ---- */

static int stop_plain;
static rf_atomic_int stop;

static void *stop_both(void *unused) {
    RF_STORE(stop_plain, 1);
    rf_atomic_store_explicit(&stop, 1, RELAXED);
    return unused;
}

static void *wait_atomic(void *unused) {
    while (!rf_atomic_load_explicit(&stop, RELAXED)) continue;
    return unused;
}

static void *wait_plain(void *unused) {
    while (!RF_LOAD(stop_plain)) continue;
    return unused;
}

static void *wait_racy(void *unused) {
    while (!RF_RACY_LOAD(stop_plain)) RF_YIELD();
    return unused;
}

static void *wait_exchange(void *unused) {
    for (int one = 1; !rf_atomic_compare_exchange_strong(&stop, &one, 2); one = 1) continue;
    return unused;
}

static function *waits_by;

RF_TEST(waited_for, .max_steps = 20000) {
    RF_STORE(stop_plain, 0);
    rf_atomic_store(&stop, 0);
    together(waits_by, stop_both);
    count_stale();
}

static void loops_end(void) {
    function *const by[] = {wait_atomic, wait_plain, wait_racy, wait_exchange};
    static const char *const names[] = {"a_loop_on_an_atomic_ends", "a_loop_on_plain_data_ends",
                                        "a_loop_on_an_intended_race_ends",
                                        "a_loop_of_exchanges_ends"};
    for (unsigned i = 0; i < 4; i++) {
        waits_by = by[i];
        uint64_t failed = failed_under_all("waited_for", 100);
        lab_check(!failed && atomic_stale + plain_stale > 100, names[i], why);
    }
}

int main(void) {
    orders();
    types();
    updates();
    edges_order();
    loops_end();
    return lab_end();
}
