/* A part of ../proof.c: loops that wait, give up, or count where nobody looks. */

THREAD(wait_for_ever) {
    while (!rf_atomic_load_explicit(&flag, rf_memory_order_relaxed)) RF_SPIN_HINT();
}

RF_TEST(for_ever, .max_steps = 10000) {
    clear();
    run_two(wait_for_ever, add);
}

/* The store of 1 may be the last, though the other one executes behind it: each look at it is a
 * choice, of which a token has no room for all. */
THREAD(wait_behind) {
    rf_atomic_store_explicit(&flag, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&cell, 1, rf_memory_order_relaxed);
    while (rf_atomic_load_explicit(&flag, rf_memory_order_relaxed) == 1) RF_SPIN_HINT();
}

THREAD(store_before) {
    while (!rf_atomic_load_explicit(&cell, rf_memory_order_relaxed)) RF_SPIN_HINT();
    rf_atomic_store_explicit(&flag, 2, rf_memory_order_relaxed);
}

BOTH(hidden, wait_behind, store_before)

THREAD(give_up_and_fail) {
    int rounds = 0;
    while (rounds < 400 && !rf_atomic_load_explicit(&flag, rf_memory_order_relaxed)) rounds++;
    RF_ASSERT(rounds < 400);
}

BOTH(given_up, give_up_and_fail, add)

THREAD(give_up) {
    for (int i = 0; i < 200 && !rf_atomic_load(&flag); i++) RF_SPIN_HINT();
}

BOTH(gives_up, give_up, add)

static void give_up_at(rf_atomic_int *v, int most) {
    for (int i = 0; i < most && !rf_atomic_load(v); i++) RF_SPIN_HINT();
}

THREAD(wait_at) { give_up_at(&flag, 1 << 30); }

/* At the statement at which the other one waits for ever, or at one of its own. */
static void *patient_of(void *at) {
    if (at) give_up_at(&cell, 300);
    for (int i = 0; i < 300 && !at && !rf_atomic_load(&cell); i++) RF_SPIN_HINT();
    rf_atomic_store(&flag, 1);
    return at;
}

RF_TEST(patient) {
    void *at = RF_CHOOSE(2) ? &flag : NULL;
    clear();
    rf_thread a = RF_THREAD(wait_at, NULL), b = RF_THREAD(patient_of, at);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* Loops at more statements than are kept. */
static rf_atomic_int loop_at[72];
#define LOOP(k) \
 for (int i = 0; i < 2 && !rf_atomic_load(&loop_at[k]); i++) RF_SPIN_HINT();
#define LOOPS(k) \
 LOOP(k) LOOP(k + 1) LOOP(k + 2) LOOP(k + 3) LOOP(k + 4) LOOP(k + 5) LOOP(k + 6) LOOP(k + 7)

RF_TEST(loops) {
    clear();
    rf_thread a = RF_THREAD(add, NULL);
    LOOPS(0);
    LOOPS(8);
    LOOPS(16);
    LOOPS(24);
    LOOPS(32);
    LOOPS(40);
    LOOPS(48);
    LOOPS(56);
    LOOPS(64);
    (void)rf_atomic_load(&cell);
    RF_JOIN(a);
}

/* A loop that gives up is met when the search has been divided: all of it begins anew. */
RF_TEST(late) {
    uint32_t n = RF_CHOOSE(800);
    clear();
    run_two(n == 700 ? give_up : add, add);
}

/* A lock whose loop stores in each round what was not there. */
THREAD(with_swap) {
    while (rf_atomic_exchange(&flag, 1)) rf_atomic_store(&cell, 8);
    RF_STORE(plain, RF_LOAD(plain) + 1);
    rf_atomic_store(&flag, 0);
}

RF_TEST(swaps) {
    clear();
    for (int i = 0; i < 8; i++) rf_atomic_store(&cell, i); /* alone: this is not cut */
    run_two(with_swap, with_swap);
    RF_ASSERT(RF_LOAD(plain) == 2);
}

/* One whose loop stores what is there: two wait for ever for who does not give it back. */
THREAD(never_releases) {
    while (rf_atomic_exchange(&flag, 1)) continue;
}

RF_TEST(never_released) {
    clear();
    RF_THREADS(3, never_releases);
}

/* Two that look again and again under a lock for what nobody stores. */
THREAD(looks_for) {
    bool there = false;
    while (!there) {
        RF_GUARD(&m) there = RF_LOAD(plain);
    }
}

RF_TEST(looked_for) {
    clear();
    rf_mutex_init(&m, "m", RF_MUTEX_NORMAL);
    run_two(looks_for, looks_for);
}

/* An exchange that is given up, after more rounds than are tried. */
static void *tries_in_vain(void *arg) {
    for (int i = 0; i < 200; i++)
        if (!rf_atomic_exchange(&flag, 1)) return arg;
    RF_ASSERT(!"given up");
    return arg;
}

BOTH(tried_in_vain, tries_in_vain, tries_in_vain)

/* One that stores something else in the third round is not left before. */
RF_TEST(swapped_at_last) {
    int times = 0;
    clear();
    rf_atomic_store(&flag, 1);
    while (rf_atomic_exchange(&flag, times < 2)) times++;
    RF_ASSERT(times == 3);
}

/* A loop that counts its rounds where nobody looks is taken for nothing. */
static int rounds;

THREAD(count_rounds) {
    while (!rf_atomic_load(&cell)) rounds++;
}

RF_TEST(rounds) {
    rounds = 0;
    clear();
    BESIDE(count_rounds) add(NULL);
    RF_ASSERT(rounds < 2);
}

/* What earlier executions have left on a stack. */
static __attribute__((noinline)) void leave(int value) {
    volatile int room[256];
    for (int i = 0; i < 256; i++) room[i] = value;
}

THREAD(await_two) {
    int two, one;
    do two = rf_atomic_load(&cell);
    while (two < 2);
    do one = rf_atomic_load(&flag);
    while (one < 1);
    leave(two + one);
}

THREAD(store_two) {
    for (int i = 1; i <= 3; i++) rf_atomic_store(&cell, i);
    rf_atomic_store(&flag, 1);
    leave(rf_atomic_load(&cell));
}

RF_TEST(leftovers) {
    clear();
    rf_thread t = RF_THREAD(await_two, NULL), u = RF_THREAD(await_two, NULL);
    RF_JOIN(RF_THREAD(store_two, NULL));
    RF_JOIN(t);
    RF_JOIN(u);
}
