/* What a proof rests on, and what takes it away: a test for each (tests/proofs.sh). */
#include "racefuzz.h"

#include <stdlib.h>

static rf_mutex m;
static rf_cond c;
static rf_once once;
static rf_atomic_int flag, cell;
static int plain;

/* Two threads at once. */
static void both(void *(*f)(void *), void *(*g)(void *)) {
    rf_thread a = RF_THREAD(f, NULL), b = RF_THREAD(g, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

static void clear(void) {
    rf_atomic_init(&flag, 0);
    rf_atomic_init(&cell, 0);
    RF_STORE(plain, 0);
}

static void *add(void *arg) {
    rf_atomic_fetch_add(&cell, 1);
    return arg;
}

/* ---- failures whose tokens replay ---- */

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

RF_TEST(stale_try) {
    clear();
    both(lock_and_tell, try_when_told);
}

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

RF_TEST(stale_read) {
    clear();
    both(write_and_tell, read_when_told);
}

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

RF_TEST(spurious) {
    clear();
    both(wait_once, set_and_signal);
}

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

static void *wait_for_ever(void *arg) {
    while (!rf_atomic_load_explicit(&flag, rf_memory_order_relaxed)) RF_SPIN_HINT();
    return arg;
}

RF_TEST(for_ever, .max_steps = 10000) {
    clear();
    both(wait_for_ever, add);
}

/* The store of 1 may be the last, though the other one executes behind it: each look at it is a
 * choice, of which a token has no room for all. */
static void *wait_behind(void *arg) {
    rf_atomic_store_explicit(&flag, 1, rf_memory_order_relaxed);
    rf_atomic_store_explicit(&cell, 1, rf_memory_order_relaxed);
    while (rf_atomic_load_explicit(&flag, rf_memory_order_relaxed) == 1) RF_SPIN_HINT();
    return arg;
}

static void *store_before(void *arg) {
    while (!rf_atomic_load_explicit(&cell, rf_memory_order_relaxed)) RF_SPIN_HINT();
    rf_atomic_store_explicit(&flag, 2, rf_memory_order_relaxed);
    return arg;
}

RF_TEST(hidden) {
    clear();
    both(wait_behind, store_before);
}

static void *give_up_and_fail(void *arg) {
    int rounds = 0;
    while (rounds < 400 && !rf_atomic_load_explicit(&flag, rf_memory_order_relaxed)) rounds++;
    RF_ASSERT(rounds < 400);
    return arg;
}

RF_TEST(given_up) {
    clear();
    both(give_up_and_fail, add);
}

/* ---- proofs ---- */

static void *give_up(void *arg) {
    for (int i = 0; i < 200 && !rf_atomic_load(&flag); i++) RF_SPIN_HINT();
    return arg;
}

RF_TEST(gives_up) {
    clear();
    both(give_up, add);
}

static void give_up_at(rf_atomic_int *v, int most) {
    for (int i = 0; i < most && !rf_atomic_load(v); i++) RF_SPIN_HINT();
}

static void *wait_at(void *arg) {
    give_up_at(&flag, 1 << 30);
    return arg;
}

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
    both(n == 700 ? give_up : add, add);
}

/* Parts of a search fail, and die. */
RF_TEST(crashes) {
    uint32_t n = RF_CHOOSE(800);
    clear();
    both(add, add);
    RF_ASSERT(n != 600);
    if (n == 700) abort();
}

RF_TEST(conditions) {
    clear();
    both(wait_for_it, set_and_signal);
}

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

RF_TEST(onces) {
    clear();
    both(call_once, call_once);
}

/* Threads that do the same. */
RF_TEST(twins) {
    clear();
    (void)RF_CHOOSE(800);
    RF_THREADS(3, add);
}

static void *add_and_store(void *arg) {
    rf_atomic_fetch_add(&cell, 1);
    rf_atomic_store(&cell, 0);
    return arg;
}

/* Late in the search they store, too. */
RF_TEST(unchained) {
    clear();
    RF_THREADS(2, RF_CHOOSE(800) == 700 ? add_and_store : add);
}

/* A lock whose loop stores in each round what was not there. */
static void *with_swap(void *arg) {
    while (rf_atomic_exchange(&flag, 1)) rf_atomic_store(&cell, 8);
    RF_STORE(plain, RF_LOAD(plain) + 1);
    rf_atomic_store(&flag, 0);
    return arg;
}

RF_TEST(swaps) {
    clear();
    for (int i = 0; i < 8; i++) rf_atomic_store(&cell, i); /* alone: this is not cut */
    both(with_swap, with_swap);
    RF_ASSERT(RF_LOAD(plain) == 2);
}

/* One whose loop stores what is there: two wait for ever for who does not give it back. */
static void *never_releases(void *arg) {
    while (rf_atomic_exchange(&flag, 1)) continue;
    return arg;
}

RF_TEST(never_released) {
    clear();
    RF_THREADS(3, never_releases);
}

/* Two that look again and again under a lock for what nobody stores. */
static rf_mutex looked_under;

static void *looks_for(void *arg) {
    bool there = false;
    while (!there) {
        RF_LOCK(&looked_under);
        there = RF_LOAD(plain);
        RF_UNLOCK(&looked_under);
    }
    return arg;
}

RF_TEST(looked_for) {
    clear();
    rf_mutex_init(&looked_under, "looked_under", RF_MUTEX_NORMAL);
    both(looks_for, looks_for);
}

/* An exchange that is given up, after more rounds than are tried. */
static void *tries_in_vain(void *arg) {
    for (int i = 0; i < 200; i++)
        if (!rf_atomic_exchange(&flag, 1)) return arg;
    RF_ASSERT(!"given up");
    return arg;
}

RF_TEST(tried_in_vain) {
    clear();
    both(tries_in_vain, tries_in_vain);
}

/* One that stores something else in the third round is not left before. */
RF_TEST(swapped_at_last) {
    int rounds = 0;
    clear();
    rf_atomic_store(&flag, 1);
    while (rf_atomic_exchange(&flag, rounds < 2)) rounds++;
    RF_ASSERT(rounds == 3);
}

/* ---- what is not all ---- */

static int kept;
static void *add_sometimes(void *arg) {
    if (kept++ % 3 == 1) rf_atomic_fetch_add(&flag, 1);
    return add(arg);
}

RF_TEST(state) {
    clear();
    both(add_sometimes, add_sometimes);
}

static rf_atomic_int total;
static void *add_to_all(void *arg) {
    rf_atomic_fetch_add(&total, 1);
    return arg;
}

/* What is done follows from nothing that is kept; the values do not. */
RF_TEST(sum) {
    clear();
    both(add_to_all, add_to_all);
}

static int times;
static rf_mutex counting = RF_MUTEX_INIT;

static void *count(void *arg) {
    RF_LOCK(&counting);
    RF_STORE(times, RF_LOAD(times) + 1);
    RF_UNLOCK(&counting);
    return arg;
}

/* Nor do those of plain data. */
RF_TEST(counter) {
    clear();
    both(count, count);
    RF_ASSERT(RF_LOAD(times) != 150000);
}

/* Written unseen, and set by each execution all the same. */
static int last;
static void *first_half(void *arg) {
    RF_LOCK(&counting);
    last = 1;
    RF_UNLOCK(&counting);
    return add(arg);
}

static void *second_half(void *arg) {
    RF_LOCK(&counting);
    last = 2;
    RF_UNLOCK(&counting);
    return add(arg);
}

RF_TEST(winner) {
    clear();
    both(first_half, second_half);
    RF_ASSERT(RF_LOAD(last));
}

/* Chance that racefuzz does not see. */
RF_TEST(dice) {
    clear();
    RF_STORE(times, rand());
    both(add, add);
}

/* What is not seen every time. */
RF_TEST(rarely_otherwise) {
    static unsigned n;
    clear();
    if (++n % 5 == 0) RF_YIELD();
    RF_STORE(times, 1);
}

static void *add_by_chance(void *arg) {
    void *p = RF_MALLOC(8), *q;
    RF_FREE(p);
    q = RF_MALLOC(8);
    RF_FREE(q);
    return add(arg);
}

RF_TEST(chance) {
    clear();
    both(add_by_chance, add_by_chance);
}

RF_TEST(chance_at_first) {
    clear();
    if (RF_CHOOSE(2))
        both(add, add);
    else
        both(add_by_chance, add_by_chance);
}

static void *make_and_add(void *arg) {
    static rf_mutex made[2];
    rf_mutex *m = &made[rf_atomic_fetch_add(&cell, 1)];
    rf_mutex_init(m, "made", RF_MUTEX_NORMAL);
    return add(arg);
}

RF_TEST(made_beside) {
    clear();
    both(make_and_add, make_and_add);
}

static void *store_often(void *arg) {
    for (int i = 0; i < 300; i++) rf_atomic_store(&cell, i);
    return arg;
}

RF_TEST(histories) {
    clear();
    both(store_often, add);
}

RF_TEST(steps, .max_steps = 20) {
    clear();
    both(store_often, store_often);
}

RF_TEST(at_times_steps, .max_steps = 20) {
    clear();
    if (RF_CHOOSE(2)) both(store_often, add);
}

RF_TEST(threads) {
    rf_thread t[40];
    clear();
    for (int i = 0; i < 40; i++) t[i] = RF_THREAD(add, NULL);
    for (int i = 0; i < 40; i++) RF_JOIN(t[i]);
}

static union {
    rf_atomic_int half[2];
    rf_atomic_llong whole;
} joined;

static void *store_half(void *arg) { return rf_atomic_store(&joined.half[0], 1), arg; }
static void *store_whole(void *arg) { return rf_atomic_store(&joined.whole, 2), arg; }

RF_TEST(sizes) {
    clear();
    both(store_half, store_whole);
}

static void *write_unseen(void *arg) {
    rf_atomic_fetch_add(&cell, 1);
    *(volatile int *)&cell = 7;
    return add(arg);
}

RF_TEST(unannounced) {
    clear();
    both(write_unseen, add);
}

static void *wait_again_and_again(void *arg) {
    RF_LOCK(&m);
    while (!RF_LOAD(plain)) RF_TIMEDWAIT(&c, &m, 10);
    RF_UNLOCK(&m);
    return arg;
}

static void *set_only(void *arg) { return RF_YIELD(), arg; }

RF_TEST(polls) {
    clear();
    both(wait_again_and_again, set_only);
}

static void *lock_for_a_while(void *arg) {
    if (RF_TIMEDLOCK(&m, 10)) RF_UNLOCK(&m);
    return arg;
}

RF_TEST(in_time) {
    clear();
    both(lock_for_a_while, lock_for_a_while);
}

static void *add_eight(void *arg) {
    for (int i = 0; i < 8; i++) rf_atomic_fetch_add(&cell, 1);
    return arg;
}

RF_TEST(many) {
    clear();
    both(add_eight, add_eight);
}

static bool small(void *arg) {
    (void)arg;
    return rf_atomic_load(&cell) < 3;
}

RF_TEST(invariant) {
    clear();
    RF_INVARIANT(small, NULL);
    both(add, add);
}

/* On one core, all schedules are gone through. */
static void handler(void *arg) { (void)add(arg); }

RF_TEST(interrupted) {
    clear();
    RF_INTERRUPT(1, handler, NULL, .times = 5);
    (void)add(NULL);
}

RF_TEST(interrupted_threads) {
    clear();
    RF_INTERRUPT(1, handler, NULL);
    both(add, add);
}

RF_TEST(interrupted_loop) {
    clear();
    RF_INTERRUPT(1, handler, NULL);
    while (!rf_atomic_load(&cell)) RF_YIELD();
}

RF_TEST(interrupted_by_time) {
    clear();
    RF_INTERRUPT(1, handler, NULL, .period = 10, .times = 1);
    (void)add(NULL);
}

RF_TEST(interrupted_behind) {
    clear();
    rf_thread t = RF_THREAD(add, NULL);
    RF_INTERRUPT(1, handler, NULL);
    RF_JOIN(t);
}

RF_TEST(interrupted_weakly) {
    int one = 1;
    clear();
    RF_INTERRUPT(1, handler, NULL);
    (void)rf_atomic_compare_exchange_weak(&cell, &one, 2);
}

RF_TEST(interrupted_turns) {
    clear();
    RF_INTERRUPT(1, handler, NULL);
    for (int i = 0; i < 20; i++) RF_YIELD();
}

/* Memory is not given out again in a search: somebody could take the second block for the first. */
static void *give_back(void *arg) {
    RF_FREE(arg);
    return add(RF_MALLOC(8));
}

RF_TEST(reused) {
    clear();
    rf_thread t = RF_THREAD(give_back, RF_MALLOC(8));
    (void)add(NULL);
    RF_FREE(RF_JOIN(t));
}

/* A race with the allocation itself. */
static rf_atomic_uintptr_t block;

static void *allocate(void *arg) {
    rf_atomic_store_explicit(&block, (uintptr_t)RF_MALLOC(8), rf_memory_order_relaxed);
    return arg;
}

static void *fill(void *arg) {
    char *p = (char *)rf_atomic_load_explicit(&block, rf_memory_order_relaxed);
    if (p) RF_STORE(*p, 1);
    return arg;
}

RF_TEST(allocated) {
    rf_atomic_init(&block, 0);
    both(allocate, fill);
    RF_FREE((void *)rf_atomic_load(&block));
}

/* A stack that others use, until its thread is told that they have, with an order or without one.
 */
static rf_memory_order told;

static void *lend(void *arg) {
    int local = 0;
    rf_atomic_store(&block, (uintptr_t)&local);
    while (!rf_atomic_load(&flag)) RF_YIELD();
    return arg;
}

static void *borrow(void *arg) {
    int *p = (int *)rf_atomic_load(&block);
    if (p) RF_STORE(*p, 1);
    rf_atomic_store_explicit(&flag, 1, told);
    return arg;
}

RF_TEST(given_back) {
    clear();
    rf_atomic_init(&block, 0);
    told = rf_memory_order_release;
    both(lend, borrow);
}

RF_TEST(lent) {
    clear();
    rf_atomic_init(&block, 0);
    told = rf_memory_order_relaxed;
    both(lend, borrow);
}

/* An atomic there, whose stack is written again before its thread ends. */
static __attribute__((noinline)) void leave_there(void) {
    rf_atomic_int local;
    rf_atomic_init(&local, 2);
    rf_atomic_store(&local, 1);
    rf_atomic_store(&block, (uintptr_t)&local);
}

static __attribute__((noinline)) void write_again(void) {
    volatile char bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 7;
}

static void *leave_one(void *arg) {
    leave_there();
    write_again();
    return arg;
}

RF_TEST(left_there) {
    rf_atomic_init(&block, 0);
    RF_JOIN(RF_THREAD(leave_one, NULL));
    (void)rf_atomic_load((rf_atomic_int *)rf_atomic_load(&block));
}

/* ---- threads that are left when all is over, and wait ---- */

static rf_sem never = RF_SEM_INIT(0);

static void *keep_and_wait(void *arg) {
    RF_LOCK(&m);
    RF_SEM_WAIT(&never);
    RF_UNLOCK(&m);
    return arg;
}

static void *take_once(void *arg) {
    RF_LOCK(&m);
    RF_UNLOCK(&m);
    return add(arg);
}

RF_TEST(left_waiting) {
    clear();
    RF_DETACH(RF_THREAD(keep_and_wait, NULL));
    RF_DETACH(RF_THREAD(take_once, NULL));
}

static void *keep_and_spin(void *arg) {
    RF_LOCK(&m);
    while (!rf_atomic_load(&cell)) continue;
    RF_UNLOCK(&m);
    return arg;
}

RF_TEST(left_spinning) {
    clear();
    RF_DETACH(RF_THREAD(keep_and_spin, NULL));
    RF_DETACH(RF_THREAD(take_once, NULL));
}

static void *take_and_fail(void *arg) {
    RF_LOCK(&m);
    RF_ASSERT(rf_atomic_load(&cell));
    RF_UNLOCK(&m);
    return arg;
}

/* There is another failure than that one waits for ever. */
RF_TEST(spins_and_fails) {
    clear();
    both(keep_and_spin, take_and_fail);
}

/* ---- an end before anything new was done ---- */

static int ended(bool dies) {
    if (dies) exit(3);
    return 0;
}

RF_TEST(dies) {
    uint32_t n = RF_CHOOSE(3);
    RF_ASSERT(n + (unsigned)ended(n == 1) != 2);
}

/* ---- a loop that counts its rounds where nobody looks, which is taken for nothing ---- */

static int rounds;

static void *count_rounds(void *arg) {
    while (!rf_atomic_load(&cell)) rounds++;
    return arg;
}

RF_TEST(rounds) {
    rounds = 0;
    clear();
    rf_thread t = RF_THREAD(count_rounds, NULL);
    (void)add(NULL);
    RF_JOIN(t);
    RF_ASSERT(rounds < 2);
}

/* ---- what earlier executions have left on a stack ---- */

static __attribute__((noinline)) void leave(int value) {
    volatile int room[256];
    for (int i = 0; i < 256; i++) room[i] = value;
}

static void *await_two(void *arg) {
    int two, one;
    do two = rf_atomic_load(&cell);
    while (two < 2);
    do one = rf_atomic_load(&flag);
    while (one < 1);
    leave(two + one);
    return arg;
}

static void *store_two(void *arg) {
    for (int i = 1; i <= 3; i++) rf_atomic_store(&cell, i);
    rf_atomic_store(&flag, 1);
    leave(rf_atomic_load(&cell));
    return arg;
}

RF_TEST(leftovers) {
    clear();
    rf_thread t = RF_THREAD(await_two, NULL), u = RF_THREAD(await_two, NULL);
    RF_JOIN(RF_THREAD(store_two, NULL));
    RF_JOIN(t);
    RF_JOIN(u);
}

/* ---- a bound ---- */

static int seen[2];

static void *buffer(void *cells) {
    rf_atomic_int *own = cells, *other = own == &cell ? &flag : &cell;
    rf_atomic_store_explicit(own, 1, rf_memory_order_relaxed);
    RF_STORE(seen[own == &cell], rf_atomic_load_explicit(other, rf_memory_order_relaxed));
    return cells;
}

RF_TEST(buffers) {
    clear();
    rf_thread a = RF_THREAD(buffer, &cell), b = RF_THREAD(buffer, &flag);
    RF_JOIN(a);
    RF_JOIN(b);
    RF_ASSERT(RF_LOAD(seen[0]) || RF_LOAD(seen[1]));
}

RF_MAIN()
