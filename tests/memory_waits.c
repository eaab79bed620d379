/* Threads that wait for ever since a store that executed early is the last in modification order:
 * found by the default campaign, and never told of a program that a fair machine brings to its end
 * (docs/memory.md, Loops that wait).
 *
 *     memory_waits [EXECUTIONS of each program that ends] */
#define RF_IMPLEMENTATION
#include "memory_runs.h"
#include "script.h"

enum {
    ACQUIRE = rf_memory_order_acquire,
    RELEASE = rf_memory_order_release,
    ACQ_REL = rf_memory_order_acq_rel,
    SEQ_CST = rf_memory_order_seq_cst,
    FEW = 40000 /* steps: where chance starves somebody, fairness ends that after 20,000 */
};

static rf_atomic_int x, y;
static int counter;

#define LOAD(o, order)         rf_atomic_load_explicit(&(o), order)
#define STORE(o, value, order) rf_atomic_store_explicit(&(o), value, order)

/* ---- two stores that only a release and an acquire put in order ---- */

/* y is stored by `tells`, and heard by `hears`. */
#define ANSWER(tells, hears)                                                                 \
 "relaxed_store x 1;" tells " y 1; loop { acquire_load x; until ! 1; yield } | loop {" hears \
 " y; until = 1; yield }; relaxed_store x 2"

/* Nothing orders the stores of 1 and 2, and somebody waits for one of them. */
#define THIRD_WAITS \
 "relaxed_store x 1 | relaxed_store x 2 | loop { relaxed_load x; until = 2; yield }"

/* ---- locks: each counts under it, and everybody ends ---- */

enum { THREADS = 3 };

typedef struct node node;
struct node {
    node *_Atomic next;
    rf_atomic_int locked;
};

static node nodes[2 * THREADS];
static node *_Atomic tail;
static int link_order, next_order, swap_order; /* MCS: prev->next = me, next, the exchange */

static void mcs_lock(node *me) {
    STORE(me->next, NULL, RELAXED);
    STORE(me->locked, 1, RELAXED);
    node *before = rf_atomic_exchange_explicit(&tail, me, swap_order);
    if (!before) return;
    STORE(before->next, me, link_order);
    while (LOAD(me->locked, ACQUIRE)) RF_YIELD();
}

static void mcs_unlock(node *me) {
    node *next = LOAD(me->next, next_order), *last = me;
    if (!next) {
        if (rf_atomic_compare_exchange_strong_explicit(&tail, &last, NULL, RELEASE, RELAXED))
            return;
        while (!(next = LOAD(me->next, next_order))) RF_YIELD();
    }
    STORE(next->locked, 0, RELEASE);
}

static void *mcs_user(void *me) {
    for (int i = 0; i < 2; i++) {
        mcs_lock(me);
        RF_STORE(counter, RF_LOAD(counter) + 1);
        mcs_unlock(me);
    }
    return NULL;
}

static void start(void *(*user)(void *)) {
    rf_thread t[THREADS];
    RF_STORE(counter, 0);
    for (int i = 0; i < THREADS; i++) t[i] = RF_THREAD(user, &nodes[i]);
    for (int i = 0; i < THREADS; i++) RF_JOIN(t[i]);
    RF_ASSERT_EQ(RF_LOAD(counter), 2 * THREADS);
}

RF_TEST(mcs, .max_steps = FEW) {
    rf_atomic_init(&tail, NULL);
    for (int i = 0; i < THREADS; i++) {
        rf_atomic_init(&nodes[i].next, NULL);
        rf_atomic_init(&nodes[i].locked, 0);
    }
    start(mcs_user);
}

THREAD(ticket_user) {
    for (int i = 0; i < 2; i++) {
        int mine = rf_atomic_fetch_add_explicit(&x, 1, RELAXED);
        while (LOAD(y, ACQUIRE) != mine) RF_YIELD();
        RF_STORE(counter, RF_LOAD(counter) + 1);
        STORE(y, mine + 1, RELEASE);
    }
}

RF_TEST(ticket, .max_steps = FEW) {
    rf_atomic_init(&x, 0);
    rf_atomic_init(&y, 0);
    start(ticket_user);
}

static void *clh_user(void *arg) {
    node *me = arg;
    for (int i = 0; i < 2; i++) {
        STORE(me->locked, 1, RELAXED);
        node *before = rf_atomic_exchange_explicit(&tail, me, ACQ_REL);
        while (LOAD(before->locked, ACQUIRE)) RF_YIELD();
        RF_STORE(counter, RF_LOAD(counter) + 1);
        STORE(me->locked, 0, RELEASE);
        me = before;
    }
    return NULL;
}

RF_TEST(clh, .max_steps = FEW) {
    for (int i = 0; i <= THREADS; i++) rf_atomic_init(&nodes[i].locked, 0);
    rf_atomic_init(&tail, &nodes[THREADS]);
    start(clh_user);
}

static rf_atomic_int wants[2], turn;

static void *peterson_user(void *arg) {
    int me = (int)((node *)arg - nodes);
    for (int i = 0; i < 2; i++) {
        STORE(wants[me], 1, SEQ_CST);
        STORE(turn, !me, SEQ_CST);
        while (LOAD(wants[!me], SEQ_CST) && LOAD(turn, SEQ_CST) != me) RF_YIELD();
        RF_STORE(counter, RF_LOAD(counter) + 1);
        STORE(wants[me], 0, RELEASE);
    }
    return NULL;
}

RF_TEST(peterson, .max_steps = FEW) {
    rf_atomic_init(&wants[0], 0);
    rf_atomic_init(&wants[1], 0);
    rf_atomic_init(&turn, 0);
    RF_STORE(counter, 0);
    rf_thread a = RF_THREAD(peterson_user, &nodes[0]), b = RF_THREAD(peterson_user, &nodes[1]);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(RF_LOAD(counter), 4);
}

static rf_atomic_int version, half[2];

THREAD(seq_writer) {
    for (int i = 0; i < 2; i++) {
        int v = LOAD(version, RELAXED);
        while (v & 1 ||
               !rf_atomic_compare_exchange_weak_explicit(&version, &v, v + 1, ACQUIRE, RELAXED)) {
            RF_YIELD();
            v = LOAD(version, RELAXED);
        }
        rf_atomic_thread_fence(RELEASE);
        for (int k = 0; k < 2; k++) STORE(half[k], LOAD(half[k], RELAXED) + 1, RELAXED);
        STORE(version, v + 2, RELEASE);
    }
}

THREAD(seq_reader) {
    for (int last = 0; last < 4;) {
        int before = LOAD(version, ACQUIRE), a = LOAD(half[0], RELAXED), b = LOAD(half[1], RELAXED);
        rf_atomic_thread_fence(ACQUIRE);
        if (before & 1 || LOAD(version, RELAXED) != before) {
            RF_YIELD();
            continue;
        }
        RF_ASSERT_EQ(a, b);
        last = a;
    }
}

RF_TEST(seqlock, .max_steps = FEW) {
    rf_atomic_init(&version, 0);
    rf_atomic_init(&half[0], 0);
    rf_atomic_init(&half[1], 0);
    BESIDE(seq_reader) run_two(seq_writer, seq_writer);
}

/* ---- the checks ---- */

static const char *many = "--executions=400";

/* Does the campaign of a user who gives no option say that the test never ends, and nothing else?
 * Also where loads prefer the newest value, as they do in the first phase. */
static bool hangs(const char *test) {
    if (!lab_random(test, 60, LAB_FINE)->failures) return false;
    const rfi_study *s = lab_study(test, "--executions=100", NULL);
    bool found = s->causes;
    for (uint32_t i = 0; i < s->causes; i++)
        found &= s->cause[i].kind.failure.diagnostic == RF_DIAG_LIVELOCK;
    return found;
}

static bool ends(const char *test) {
    const rfi_study *s = lab_study(test, many, "--seconds=none", NULL);
    return s->result.passed || because("%s", s->causes ? s->cause[0].kind.failure.message : "?");
}

static bool program_hangs(const char *program) {
    script_is(program, true);
    return hangs("script");
}

static bool program_ends(const char *program) {
    script_is(program, true);
    return ends("script");
}

/* ---- what is read plainly is what may be the last ---- */

static int plain_x(void) {
    int value;
    memcpy(&value, (const void *)&x, sizeof value);
    return value;
}

static void *stores_x(void *value) { return STORE(x, (int)(uintptr_t)value, RELAXED), NULL; }

RF_TEST(settled) {
    STORE(x, 0, RELAXED);
    rf_thread a = RF_THREAD(stores_x, (void *)1), b = RF_THREAD(stores_x, (void *)2);
    RF_JOIN(a);
    RF_JOIN(b);
    int value = LOAD(x, RELAXED);
    RF_ASSERT_EQ(value, plain_x());
}

static void *tries_lock(void *unused) {
    counter = rf_atomic_exchange_explicit(&x, 1, ACQUIRE);
    return unused;
}

RF_TEST(released) {
    STORE(x, 1, RELAXED);
    BESIDE(tries_lock) STORE(x, 0, RELEASE);
    RF_ASSERT_EQ(plain_x(), counter ? 0 : 1); /* who found it taken did so before */
}

/* Nothing settles it before: each of the two may be the last. */
RF_TEST(unsettled) {
    STORE(x, 0, RELAXED);
    rf_thread a = RF_THREAD(stores_x, (void *)1), b = RF_THREAD(stores_x, (void *)2);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT_EQ(plain_x(), 2);
}

/* The plain read, behind a load that may be of an older store. */
RF_TEST(looked) {
    STORE(x, 0, RELAXED);
    rf_thread a = RF_THREAD(stores_x, (void *)1);
    (void)LOAD(x, RELAXED);
    RF_JOIN(a);
    RF_ASSERT_EQ(plain_x(), 1);
}

/* Where it is drawn what loads return. */
static bool passes_drawn(const char *test) {
    return lab_study(test, "--strategy=random", "--executions=500", NULL)->result.passed;
}

CASE(answers_check) {
    rfi_test_named("script")->options.max_steps = FEW;
    LAB_CHECK("a_store_that_nothing_orders_after_another_may_be_the_first",
              program_hangs(ANSWER("relaxed_store", "relaxed_load")) &&
                  program_hangs(ANSWER("release_store", "relaxed_load")) &&
                  program_hangs(ANSWER("relaxed_store", "acquire_load")));
    lab_check(program_ends(ANSWER("release_store", "acquire_load")),
              "one_that_is_ordered_is_the_last", why);
    lab_check(program_ends(ANSWER("store", "load")), "also_by_seq_cst", why);
    LAB_CHECK("a_third_thread_may_wait_for_the_first", program_hangs(THIRD_WAITS));
    LAB_CHECK("what_an_atomic_load_settles_is_read_plainly", passes_drawn("settled"));
    LAB_CHECK("an_update_of_an_older_store_leaves_the_last_one", passes_drawn("released"));
}

/* ---- the model alone ---- */

enum { READS = 1000, SEEDS = 400 };

/* Two threads store 1 and 2, and the first `readers` of them read: the value that they read in the
 * end, 0 if they do not agree or it changes after half of the reads. */
static int read_in_the_end(rf_mem *m, uint64_t seed, rf_heuristic pick, uint32_t readers) {
    static int cell;
    int end[2] = {0, 0};
    rf_mem_options o = {.atomic_pick = pick};
    cell = 0;
    rf_mem_reset(m, seed, &o);
    for (uint32_t t = 1; t <= 2; t++) rf_mem_fork(m, 0, t);
    for (uint32_t i = 0; i < READS; i++)
        for (uint32_t t = 0; t < 2; t++) {
            rf_mem_access a = {t + 1, __ATOMIC_RELAXED, &cell, sizeof cell, .tag = NULL};
            int value = (int)t + 1;
            if (!i) rf_mem_store(m, &a, &value);
            if (t >= readers) continue;
            rf_mem_load(m, &a, &value);
            if (i > READS / 2 && value != end[t]) return 0;
            end[t] = value;
        }
    return readers < 2 || end[0] == end[1] ? end[0] : 0;
}

CASE(model_alone) {
    rf_mem *m = rf_mem_new(NULL);
    unsigned ends[3] = {0, 0, 0}, first = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned i = 0; i < PICKS; i++) ends[read_in_the_end(m, seed, every_pick[i], 2)]++;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        first += read_in_the_end(m, seed, RF_PICK_OLDEST, 1) == 1;
    rf_mem_free(m);
    LAB_CHECK("in_the_end_all_threads_read_the_last_store", !ends[0] && ends[1] && ends[2]);
    because("%u of %u", first, SEEDS);
    lab_check(first > SEEDS * 4 / 10 && first < SEEDS * 6 / 10,
              "fairness_makes_either_of_two_unordered_stores_the_last", why);
}

static bool mcs_hangs(int link, int next, int swap) {
    link_order = link, next_order = next, swap_order = swap;
    return hangs("mcs");
}

/* Also in the walks by which `graphs` estimates how many executions there are: some of them come to
 * a store that would revisit a load which has been executed. */
static bool mcs_ends_in_walks(void) {
    for (int seed = 20; seed < 25; seed++) {
        char of[32];
        snprintf(of, sizeof of, "--seed=%d", seed);
        if (lab_study("mcs", "--strategy=graphs", "--executions=4000", of, NULL)->causes)
            return because("%s", of);
    }
    return true;
}

CASE(locks) {
    static const char *const fair[] = {"mcs", "ticket", "clh", "peterson", "seqlock"};
    LAB_CHECK("mcs_with_a_relaxed_link_hangs", mcs_hangs(RELAXED, ACQUIRE, ACQ_REL));
    LAB_CHECK("mcs_with_a_relaxed_load_of_next_hangs", mcs_hangs(RELEASE, RELAXED, ACQ_REL));
    LAB_CHECK("mcs_with_an_exchange_without_release_hangs", mcs_hangs(RELEASE, ACQUIRE, ACQUIRE));
    link_order = RELEASE, next_order = ACQUIRE, swap_order = ACQ_REL;
    for (unsigned i = 0; i < sizeof fair / sizeof *fair; i++) {
        lab_check(ends(fair[i]), named("the_right_%s_ends", fair[i]), why);
    }
    lab_check(mcs_ends_in_walks(), "so_it_does_in_walks_of_graphs", why);
}

/* Memory is the same in what `graphs` goes through and in what is told of it. */
CASE(proved) {
    static const char *const right[] = {"settled", "released", "looked"};
    for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
        bool passed = lab_study(right[i], "--strategy=graphs", NULL)->result.passed;
        because("%s", rfi_graphs_summary());
        lab_check(passed && !strncmp(why, "all ", 4), named("graphs_proves_%s", right[i]), why);
    }
    const rfi_study *s = lab_study("unsettled", "--strategy=graphs", NULL);
    LAB_CHECK("graphs_shows_either_and_replays_it",
              !s->result.passed && s->causes == 1 && !s->result.stateful && !s->result.unreplayed);
}

int main(int argc, char **argv) {
    char given[64];
    if (argc > 1) {
        snprintf(given, sizeof given, "--executions=%s", argv[1]);
        many = given;
    }
    return lab_cases();
}
