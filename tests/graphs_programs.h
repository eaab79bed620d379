/* Programs whose execution graphs can be counted, loops that wait, and random programs of locks. */
#ifndef GRAPHS_PROGRAMS_H
#define GRAPHS_PROGRAMS_H

#include "graphs.h"

#include "families.h"
#include "litmus/machine.h"

static rf_atomic_int flag[2], turn;

THREAD(with_exchange) {
    int none = 0;
    while (!rf_atomic_compare_exchange_strong(&cell[0], &none, 1)) none = 0;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store(&cell[0], 0);
}

RF_TEST(exchanges) {
    clear_cells();
    run_threads(with_exchange);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

/* The same, where what it compares with is announced, as compilers do of unedited code. */
THREAD(with_exchange_announced) {
    int none;
    do RF_STORE(none, 0);
    while (!rf_atomic_compare_exchange_strong(&cell[0], &none, 1));
    rf_atomic_store(&cell[0], 0);
}

RF_TEST(exchanges_announced) {
    clear_cells();
    run_threads(with_exchange_announced);
}

/* It counts its rounds where that is announced, and ends by that. */
static void *look_or_set(void *number) {
    int i = 0;
    if (number) rf_atomic_store(&cell[0], 1);
    while (!number && RF_LOAD(i) < (int)width) {
        (void)rf_atomic_load(&cell[0]);
        RF_STORE(i, i + 1);
    }
    return number;
}

RF_TEST(looks_announced) {
    clear_cells();
    rf_thread t = RF_THREAD(look_or_set, &cell);
    (void)look_or_set(NULL);
    RF_JOIN(t);
}

static void *add_for_ever(void *number) {
    for (;;) add_one(number);
    return number;
}

RF_TEST(adders_for_ever) {
    clear_cells();
    run_threads(add_for_ever);
}

static void *add_in_two_loops(void *number) {
    for (int i = 0; i < 2; i++) {
        (void)rf_atomic_load(&cell[1]);
        for (int k = 0; k < 2; k++) add_one(number);
    }
    return number;
}

RF_TEST(nested) {
    clear_cells();
    run_threads(add_in_two_loops);
}

/* Each round of its loop stores what is there. */
THREAD(with_swap) {
    while (rf_atomic_exchange(&cell[0], 1)) continue;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store(&cell[0], 0);
}

/* And something else. */
THREAD(with_swap_told) {
    while (rf_atomic_exchange(&cell[0], 1)) rf_atomic_store(&cell[2], 1);
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store(&cell[0], 0);
}

RF_TEST(swaps) {
    clear_cells();
    run_threads(with_swap);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

RF_TEST(swaps_told) {
    clear_cells();
    run_threads(with_swap_told);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

static void *wait_for_flag(void *number) {
    if (!number) {
        while (!rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire)) RF_SPIN_HINT();
        RF_ASSERT(RF_LOAD(data) == 1);
    } else {
        RF_STORE(data, 1);
        rf_atomic_store_explicit(&cell[0], 1, rf_memory_order_release);
    }
    return number;
}

RF_TEST(waiter) {
    clear_cells();
    run_threads(wait_for_flag);
}

/* Looks once more where it has seen the first of two values, or another one behind a fence. */
static void *look_twice(void *number) {
    int before;
    for (int i = 1; number && i <= 2; i++) rf_atomic_store(&cell[0], i);
    if (number) return number;
    do {
        before = rf_atomic_load(&cell[0]);
        rf_atomic_thread_fence(rf_memory_order_seq_cst);
    } while (before == 1 || rf_atomic_load(&cell[0]) != before);
    return number;
}

RF_TEST(fenced) {
    clear_cells();
    run_threads(look_twice);
}

/* A round has many looks. */
static void *look_at_all(void *number) {
    int any = 0;
    if (number) rf_atomic_store(&cell[WIDEST - 1], 1);
    while (!number && !any)
        for (int i = 0; i < WIDEST; i++) any += rf_atomic_load(&cell[i]);
    return number;
}

RF_TEST(scanned) {
    clear_cells();
    run_threads(look_at_all);
}

/* What the first awaits comes from one that has seen an older value than the second wrote. */
static void *set_beside(void *number) {
    int expected = 0;
    if (!number)
        while (rf_atomic_load(&cell[0]) != 1) RF_SPIN_HINT();
    else if ((uintptr_t)number == 1)
        (void)rf_atomic_compare_exchange_strong(&cell[0], &expected, 3);
    else if (rf_atomic_load(&cell[0]) != 1)
        rf_atomic_store(&cell[0], 1);
    return number;
}

RF_TEST(awaited) {
    clear_cells();
    run_threads(set_beside);
}

/* Waits for one number after the other, and counts them by itself. */
static void *count_up(void *number) {
    int most = (int)width + 1, got = 0;
    for (int i = 1; number && i <= most; i++)
        rf_atomic_store_explicit(&cell[0], i, rf_memory_order_release);
    while (!number && got < most) {
        if (rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire) > got) got++;
        RF_SPIN_HINT();
    }
    return number;
}

RF_TEST(counted) {
    clear_cells();
    rf_thread t = RF_THREAD(count_up, &cell);
    (void)count_up(NULL);
    RF_JOIN(t);
}

/* The same, with more on its stack than is kept. */
RF_TEST(counted_deep) {
    volatile char room[2 * RFI_FOOTED_MOST + 1] = {0};
    (void)room[0];
    clear_cells();
    rf_thread t = RF_THREAD(count_up, &cell);
    (void)count_up(NULL);
    RF_JOIN(t);
}

/* The same, where a round begins with a read that does not tell what its thread goes on from. */
static int plain_number;

static void *count_up_beside(void *number) {
    int most = (int)width + 1, got = 0;
    for (int i = 1; number && i <= most; i++) rf_atomic_store(&cell[0], i);
    while (!number && got < most) {
        (void)RF_LOAD(plain_number);
        if (rf_atomic_load(&cell[0]) > got) got++;
    }
    return number;
}

RF_TEST(counted_beside) {
    clear_cells();
    for (int i = 0; i < 2; i++) RF_RACY_STORE(plain_number, i);
    rf_thread t = RF_THREAD(count_up_beside, &cell);
    (void)count_up_beside(NULL);
    RF_JOIN(t);
}

/* Remembers whether it has had to wait. */
enum { BY_MUTEX, BY_SPIN, BY_READER, BY_WRITER, TRIED_LOCKS, BY_SEM = 4, BY_TIME, BY_RACY, BY_CAS };
static struct {
    rf_mutex mutex;
    rf_spin spin;
    rf_rwlock rwlock;
    rf_sem sem;
    int racy;
} tried_at;
static bool counts_rounds;

static void give_back(uint32_t way) {
    if (way == BY_MUTEX) RF_UNLOCK(&tried_at.mutex);
    if (way == BY_SPIN) RF_SPIN_UNLOCK(&tried_at.spin);
    if (way == BY_READER || way == BY_WRITER) RF_RWUNLOCK(&tried_at.rwlock);
}

static bool tried_once(uint32_t way) {
    int given = 1;
    switch (way) {
    case BY_MUTEX: return RF_TRYLOCK(&tried_at.mutex);
    case BY_SPIN: return RF_SPIN_TRYLOCK(&tried_at.spin);
    case BY_READER: return RF_TRYRDLOCK(&tried_at.rwlock);
    case BY_WRITER: return RF_TRYWRLOCK(&tried_at.rwlock);
    case BY_SEM: return RF_SEM_TRYWAIT(&tried_at.sem);
    case BY_TIME: return RF_SEM_TIMEDWAIT(&tried_at.sem, 1);
    case BY_RACY: return RF_RACY_LOAD(tried_at.racy);
    default: return rf_atomic_compare_exchange_strong(&cell[0], &given, 2);
    }
}

THREAD(hold_or_give) {
    switch (width) {
    case BY_MUTEX: RF_LOCK(&tried_at.mutex); break;
    case BY_SPIN: RF_SPIN_LOCK(&tried_at.spin); break;
    case BY_READER:
    case BY_WRITER: RF_WRLOCK(&tried_at.rwlock); break;
    case BY_SEM:
    case BY_TIME: RF_SEM_POST(&tried_at.sem); break;
    case BY_RACY: RF_RACY_STORE(tried_at.racy, 1); break;
    default: rf_atomic_store(&cell[0], 1);
    }
    give_back(width);
}

RF_TEST(tried) {
    bool waited = false;
    volatile unsigned rounds = 0;
    clear_cells();
    rf_mutex_init(&tried_at.mutex, "mutex", RF_MUTEX_NORMAL);
    rf_spin_init(&tried_at.spin, "spin");
    rf_rwlock_init(&tried_at.rwlock, "rwlock");
    rf_sem_init(&tried_at.sem, "sem", 0);
    tried_at.racy = 0;
    rf_thread t = RF_THREAD(hold_or_give, NULL);
    while (!tried_once(width)) {
        waited = true;
        if (counts_rounds) rounds++;
    }
    give_back(width);
    if (waited) rf_atomic_store(&cell[1], 1);
    RF_JOIN(t);
}

/* What the other one does beside the end of an execution belongs to others. */
THREAD(write_twice) {
    rf_atomic_store(&cell[0], 1);
    rf_atomic_store(&cell[0], 2);
}

static void skip_half(bool fails) {
    clear_cells();
    rf_thread t = RF_THREAD(write_twice, NULL);
    int value = rf_atomic_load(&cell[0]);
    if (value == 1) RF_SKIP("half done");
    RF_JOIN(t);
    RF_ASSERT(!fails || value != 2);
}

RF_TEST(skipped) { skip_half(false); }
RF_TEST(skipped_or_wrong) { skip_half(true); }

static void *try_three_times(void *number) {
    if (number) {
        rf_atomic_store(&cell[0], 1);
        return number;
    }
    for (int i = 0; i < 3 && !rf_atomic_load(&cell[0]); i++) continue;
    return number;
}

/* Two weak exchanges at one statement: each may fail for no reason. */
THREAD(exchange_twice) {
    for (int i = 0; i < 2; i++) {
        int none = 0;
        (void)rf_atomic_compare_exchange_weak(&cell[0], &none, 1);
    }
}

RF_TEST(weak_twice) { clear_and_run(exchange_twice); }

RF_TEST(tries) {
    clear_cells();
    run_threads(try_three_times);
}

/* What it compares with is read in each round. */
THREAD(add_weakly) {
    int was;
    do was = rf_atomic_load(&cell[0]);
    while (!rf_atomic_compare_exchange_weak(&cell[0], &was, was + 1));
}

RF_TEST(weak_adders) {
    clear_cells();
    run_threads(add_weakly);
    RF_ASSERT_EQ(rf_atomic_load(&cell[0]), (int)width);
}

static void *with_peterson(void *number) {
    uintptr_t i = (uintptr_t)number;
    rf_atomic_store(&flag[i], 1);
    rf_atomic_store(&turn, 1 - (int)i);
    while (rf_atomic_load(&flag[1 - i]) && rf_atomic_load(&turn) == 1 - (int)i) continue;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store(&flag[i], 0);
    return number;
}

RF_TEST(petersons) {
    clear_cells();
    rf_atomic_init(&flag[0], 0);
    rf_atomic_init(&flag[1], 0);
    rf_atomic_init(&turn, 0);
    run_threads(with_peterson);
    RF_ASSERT(RF_LOAD(data) == 2);
}

THREAD(wait_in_vain) {
    while (!rf_atomic_load(&cell[0])) continue;
}

RF_TEST(vain) {
    clear_cells();
    run_threads(wait_in_vain);
}

/* Store buffering of two threads, one of which is two: the second half begins when the first
 * creates it, or goes on when the first has ended. */
THREAD(store_zero) { rf_atomic_store(&cell[0], 1); }

THREAD(load_one) { (void)rf_atomic_load(&cell[1]); }

THREAD(buffer) {
    rf_atomic_store(&cell[1], 1);
    (void)rf_atomic_load(&cell[0]);
}

RF_TEST(created) {
    clear_cells();
    rf_thread a = RF_THREAD(buffer, NULL);
    store_zero(NULL);
    rf_thread b = RF_THREAD(load_one, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* What a thread begins with comes after a fence before its creation. */
THREAD(store_both) {
    rf_atomic_store(&cell[1], 1);
    rf_atomic_store(&cell[0], 1);
}

RF_TEST(begun_behind_fence) {
    clear_cells();
    rf_thread a = RF_THREAD(store_both, NULL);
    rf_atomic_store_explicit(&cell[0], 2, rf_memory_order_relaxed);
    rf_atomic_thread_fence(rf_memory_order_seq_cst);
    rf_thread b = RF_THREAD(load_one, NULL);
    RF_JOIN(a);
    RF_JOIN(b);
}

RF_TEST(joined) {
    clear_cells();
    rf_thread a = RF_THREAD(buffer, NULL), b = RF_THREAD(store_zero, NULL);
    RF_JOIN(b);
    load_one(NULL);
    RF_JOIN(a);
}

/* ---- locks ---- */

static rf_mutex mutex[2];
static rf_sem sem;
static rf_rwlock rwlock;

static void *with_two_locks(void *number) {
    int first = number ? 1 : 0;
    RF_LOCK(&mutex[first]);
    RF_LOCK(&mutex[1 - first]);
    RF_UNLOCK(&mutex[1 - first]);
    RF_UNLOCK(&mutex[first]);
    return number;
}

RF_TEST(inversion) { run_threads(with_two_locks); }

static void *under_read_lock(void *number) {
    RF_RDLOCK(&rwlock);
    if (number) RF_STORE(data, 1);
    RF_RWUNLOCK(&rwlock);
    return number;
}

RF_TEST(shared) {
    clear_cells();
    run_threads(under_read_lock);
}

/* Who comes first keeps the lock for ever, or gives it back. */
static void *keep_or_give_back(void *number) {
    RF_LOCK(&mutex[0]);
    if (!number) (void)add_for_ever(number);
    RF_UNLOCK(&mutex[0]);
    return number;
}

RF_TEST(kept) {
    clear_cells();
    run_threads(keep_or_give_back);
}

/* Random programs of locks, a semaphore and atomics. */
enum { DEEDS = 8 };
enum { LOCKS, UNLOCKS, POSTS, TAKES, LOADS, STORES, ADDS, COMPARES, DEED_KINDS };

static struct { unsigned char kind, what; } deeds[3][DEEDS];
static rf_site deed_site[3][DEEDS];
static int deed_order = __ATOMIC_SEQ_CST;

static void do_deed(unsigned kind, unsigned what, const rf_site *site) {
    int word = 0, wanted = 1;
    switch (kind) {
    case LOCKS: RF_LOCK(&mutex[what]); return;
    case UNLOCKS: RF_UNLOCK(&mutex[what]); return;
    case POSTS: RF_SEM_POST(&sem); return;
    case TAKES: RF_SEM_WAIT(&sem); return;
    case LOADS: rfi_atomic_load(site, &cell[what], 4, deed_order, &word); return;
    case STORES: rfi_atomic_store(site, &cell[what], 4, deed_order, &wanted); return;
    case ADDS:
        rfi_rmw_begin(site, &cell[what], 4, deed_order, &word);
        word++;
        rfi_rmw_end(&word);
        return;
    default:
        (void)rfi_cas(site, &cell[what], 4, false, deed_order, deed_order, &word, &wanted);
        return;
    }
}

static void *do_deeds(void *number) {
    uintptr_t t = (uintptr_t)number;
    for (unsigned i = 0; i < DEEDS && deeds[t][i].kind != DEED_KINDS; i++)
        do_deed(deeds[t][i].kind, deeds[t][i].what, &deed_site[t][i]);
    return number;
}

RF_TEST(deed) {
    rf_sem_init(&sem, "sem", 1);
    clear_cells();
    run_threads(do_deeds);
}

RF_TEST(twin_adders) {
    clear_cells();
    RF_THREADS(width, add_one);
    RF_ASSERT(rf_atomic_load(&cell[0]) == (int)width);
}

RF_TEST(twin_tickets) {
    clear_cells();
    rf_atomic_init(&next_ticket, 0);
    rf_atomic_init(&serving, 0);
    RF_THREADS(width, with_ticket);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

RF_TEST(twin_locks) {
    clear_cells();
    RF_THREADS(width, with_lock);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

/* One thread, and others that all do the same, as RF_THREADS knows or not. */
RF_TEST(twins) {
    rf_sem_init(&sem, "sem", 1);
    clear_cells();
    rf_thread other = RF_THREAD(do_deeds, (void *)1);
    RF_THREADS(width, do_deeds);
    (void)RF_JOIN(other);
}

RF_TEST(numbered) {
    rf_thread t[16];
    rf_sem_init(&sem, "sem", 1);
    clear_cells();
    rf_thread other = RF_THREAD(do_deeds, (void *)1);
    for (uint32_t i = 0; i < width; i++) t[i] = RF_THREAD(do_deeds, NULL);
    for (uint32_t i = width; i--;) (void)RF_JOIN(t[i]);
    (void)RF_JOIN(other);
}

static int deeds_most = DEEDS - 4;

static void draw_deeds(uint64_t *chance) {
    for (unsigned t = 0; t < 3; t++) {
        unsigned held[2], holds = 0, n = 2 + (unsigned)litmus_below(chance, deeds_most);
        for (unsigned i = 0; i < DEEDS; i++) {
            unsigned kind = (unsigned)litmus_below(chance, DEED_KINDS);
            unsigned what = (unsigned)litmus_below(chance, 2);
            if (i + holds >= n) kind = holds ? UNLOCKS : DEED_KINDS;
            if (kind == UNLOCKS && !holds) kind = LOADS;
            if (kind == LOCKS && (holds == 2 || (holds && held[0] == what))) kind = ADDS;
            if (kind == LOCKS) held[holds++] = what;
            if (kind == UNLOCKS) what = held[--holds];
            deeds[t][i].kind = (unsigned char)kind;
            deeds[t][i].what = (unsigned char)what;
            deed_site[t][i] = (rf_site){HERE, .line = 1000 + t * 100 + i, .kind = RF_SITE_OTHER};
        }
    }
}

#endif
