/* tests/determinism/programs.h: programs that together use every macro of the public face.
 *
 * Small, and full of choices: schedules, time-outs, spurious wake-ups, inputs, failures of many
 * kinds.  What an execution does must follow from its token alone, so determinism.sh compares them
 * over back ends, compilers, machines and address spaces; nothing is kept from one to the next.
 * tests/headers/macros.c compiles them in every dialect, and under RF_OFF.
 * Each macro stands on one line: the line of an invocation that spans several is its first one in
 * gcc and its last one in clang.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H
#include "racefuzz.h"
#include <string.h>

static void start(rf_thread *t, intptr_t n, void *(*fn)(void *)) {
    for (intptr_t i = 0; i < n; i++) t[i] = RF_THREAD(fn, (void *)i);
}

static void finish(const rf_thread *t, int n) {
    for (int i = 0; i < n; i++) RF_JOIN(t[i]);
}

/* ---- locks ---- */

static rf_mutex plain = RF_MUTEX_INIT, nested, checked;
static rf_rwlock shared = RF_RWLOCK_INIT;
static rf_spin spin = RF_SPIN_INIT;
static int total, spun;
static rf_atomic_int gate;

static bool total_is_small(void *limit) { return RF_LOAD(total) <= *(int *)limit; }

static void add(int n) {
    RF_FUNC;
    RF_GUARD(&nested) {
        RF_LOCK(&nested);
        RF_STORE(total, RF_LOAD(total) + n);
        RF_UNLOCK(&nested);
    }
}

static void *lock_all(void *arg) {
    RF_LOCK(&plain);
    RF_STORE(spun, RF_LOAD(spun) + 1);
    RF_UNLOCK(&plain);
    if (RF_TRYLOCK(&plain)) RF_UNLOCK(&plain);
    if (RF_TIMEDLOCK(&checked, 5)) {
        add(1);
        RF_UNLOCK(&checked);
    }
    if (arg) {
        RF_WRLOCK(&shared);
        RF_STORE(total, 1);
        RF_RWUNLOCK(&shared);
    } else {
        RF_RDLOCK(&shared);
        if (RF_TRYRDLOCK(&shared)) RF_RWUNLOCK(&shared);
        RF_LOG("total is %d", RF_LOAD(total));
        RF_RWUNLOCK(&shared);
    }
    if (RF_TRYWRLOCK(&shared)) RF_RWUNLOCK(&shared);
    RF_SPIN_LOCK(&spin);
    add(2);
    RF_SPIN_UNLOCK(&spin);
    if (RF_SPIN_TRYLOCK(&spin)) RF_SPIN_UNLOCK(&spin);
    rf_atomic_fetch_add(&gate, 1);
    while (rf_atomic_load(&gate) < 3) RF_SPIN_HINT();
    return arg;
}

RF_TEST(locks) {
    int limit = 10;
    RF_STORE(total, 0);
    RF_STORE(spun, 0);
    rf_atomic_init(&gate, 0);
    rf_mutex_init(&nested, "nested", RF_MUTEX_RECURSIVE);
    rf_mutex_init(&checked, NULL, RF_MUTEX_ERRORCHECK);
    rf_rwlock_init(&shared, "shared");
    rf_spin_init(&spin, "spin");
    RF_INVARIANT(total_is_small, &limit);
    rf_thread t[3];
    start(t, 3, lock_all);
    RF_ASSERT(RF_JOIN(t[2]) == (void *)2);
    finish(t, 2);
    RF_ASSERT_EQ(RF_LOAD(spun), 3);
    rf_mutex_destroy(&nested);
    rf_mutex_destroy(&checked);
    rf_rwlock_destroy(&shared);
    rf_spin_destroy(&spin);
}

/* ---- waiting ---- */

static rf_mutex lot = RF_MUTEX_INIT;
static rf_cond changed = RF_COND_INIT;
static rf_sem tokens = RF_SEM_INIT(1), done;
static rf_barrier line = RF_BARRIER_INIT(3), crossing;
static rf_once first = RF_ONCE_INIT;
static int items, prepared, timeouts;

static void prepare(void) { RF_STORE(prepared, RF_LOAD(prepared) + 1); }

static void *consume(void *arg) {
    RF_ONCE(&first, prepare);
    bool serial = RF_BARRIER_WAIT(&line);
    RF_LOCK(&lot);
    while (!RF_LOAD(items))
        if (arg)
            RF_WAIT(&changed, &lot);
        else if (!RF_TIMEDWAIT(&changed, &lot, 10)) {
            RF_STORE(timeouts, RF_LOAD(timeouts) + 1);
            break;
        }
    if (RF_LOAD(items)) RF_STORE(items, RF_LOAD(items) - 1);
    RF_UNLOCK(&lot);
    RF_LOG("%d left", RF_LOAD(items)); /* a race, on purpose */
    RF_SEM_WAIT(&tokens);
    if (RF_SEM_TRYWAIT(&tokens)) RF_SEM_POST(&tokens);
    RF_SLEEP_MS(serial ? 3 : 7);
    RF_SEM_POST(&tokens);
    RF_SEM_POST(&done);
    RF_BARRIER_WAIT(&crossing);
    return NULL;
}

RF_TEST(waiting) {
    RF_STORE(items, 0);
    RF_STORE(prepared, 0);
    RF_STORE(timeouts, 0);
    rf_cond_init(&changed, "changed");
    rf_sem_init(&done, "done", 0);
    rf_barrier_init(&crossing, "crossing", 3);
    rf_once_init(&first, "first");
    rf_thread t[2];
    start(t, 2, consume);
    RF_ONCE(&first, prepare);
    RF_BARRIER_WAIT(&line);
    for (int i = 0; i < 2; i++) {
        RF_YIELD();
        RF_LOCK(&lot);
        RF_STORE(items, RF_LOAD(items) + 1);
        if (RF_CHOOSE(2))
            RF_SIGNAL(&changed);
        else
            RF_BROADCAST(&changed);
        RF_UNLOCK(&lot);
    }
    if (!RF_SEM_TIMEDWAIT(&done, 2))
        RF_LOG("late");
    else
        RF_SEM_POST(&done);
    RF_BARRIER_WAIT(&crossing);
    finish(t, 2);
    RF_ASSERT_EQ(RF_LOAD(prepared), 1);
    RF_ASSERT_LE(RF_LOAD(timeouts) + RF_LOAD(items), 2);
    RF_ASSERT_EQ(RF_LOAD(timeouts), 0); /* fails now and then */
    rf_cond_destroy(&changed);
    rf_sem_destroy(&done);
    rf_barrier_destroy(&crossing);
    rf_once_destroy(&first);
}

/* ---- memory ---- */

typedef struct wide {
    int32_t a, b, c;
} wide;

static int racy, counted[4];
static wide box;
static char buffer[8];
RF_TLS(int, own);

static void *touch(void *arg) {
    int *local = arg;
    intptr_t sum = 0;
    RF_STORE(*local, RF_LOAD(*local) + 1); /* on the stack of the test's body */
    RF_STORE(box, (wide){1, 2, 3});
    wide copy = RF_LOAD(box);
    sum += copy.b;
    for (int i = 0; i < 3; i++) *RF_TLS_PTR(own) += i;
    RF_STORE(counted[*RF_TLS_PTR(own)], 1);
    RF_RACY_STORE(racy, RF_RACY_LOAD(racy) + 1);
    RF_READ(buffer, 4);
    sum += buffer[0];
    RF_WRITE(buffer + 2, 4);
    memset(buffer + 2, 1, 4);
    short *mine = RF_MALLOC(sizeof *mine), other = 5; /* both orders of a compiler's stack */
    if (!mine) return NULL;
    RF_STORE(*mine, RF_LOAD(other));
    mine = RF_REALLOC(mine, 2 * sizeof *mine);
    RF_STORE(mine[1], 2);
    sum += RF_LOAD(mine[0]);
    RF_FREE(mine);
    return (void *)sum;
}

static void *toil(void *arg) { /* more plain accesses than the fuel lasts for */
    for (int i = 0; i < 1500; i++) RF_STORE(counted[3], RF_LOAD(counted[3]) ^ i);
    return arg;
}

RF_TEST(memory) {
    int local = 0, other = 0;
    int *block = RF_CALLOC(2, sizeof *block);
    if (!block) return;
    RF_WRITE(counted, sizeof counted);
    memset(counted, 0, sizeof counted);
    memset(buffer, 0, sizeof buffer);
    RF_RACY_STORE(racy, 0);
    RF_STORE(box, (wide){0, 0, 0});
    rf_thread a = RF_THREAD(touch, &local), b = RF_THREAD(touch, &local);
    rf_thread c = RF_THREAD(touch, &other);
    if (!RF_CHOOSE(8)) RF_DETACH(RF_THREAD(toil, NULL));
    rf_thread self = RF_SELF();
    RF_ASSERT_NE(memcmp(&self, &a, sizeof a), 0);
    intptr_t sum = (intptr_t)RF_JOIN(a);
    RF_JOIN(b);
    RF_JOIN(c);
    if (!RF_CHOOSE(8)) RF_THREADS(2, toil);
    RF_STORE(block[1], RF_LOAD(local) + RF_LOAD(other));
    RF_ASSERT_GE(sum, 7);
    RF_ASSERT_GT(RF_LOAD(block[1]), 2); /* fails when an update was lost */
    RF_ASSERT_MEM_EQ(&block[0], "\0\0\0\0", sizeof *block);
    RF_FREE(block);
}

/* ---- atomics ---- */

static rf_atomic_int number;
static rf_atomic_ulong mask;
static rf_atomic_flag busy = RF_ATOMIC_FLAG_INIT;
static char letters[8];
static _Atomic(char *) cursor;
static int payload;

enum {
    RELAXED = rf_memory_order_relaxed,
    ACQUIRE = rf_memory_order_acquire,
    RELEASE = rf_memory_order_release,
    ACQ_REL = rf_memory_order_acq_rel
};

static void *compute(void *arg) {
    int seen = rf_atomic_load_explicit(&number, ACQUIRE) + RF_LOAD(payload); /* a race */
    while (!rf_atomic_compare_exchange_weak(&number, &seen, seen + 2)) continue;
    rf_atomic_compare_exchange_weak_explicit(&number, &seen, 9, ACQ_REL, RELAXED);
    seen = 4;
    if (!rf_atomic_compare_exchange_strong(&number, &seen, 5)) rf_atomic_fetch_sub(&number, 1);
    rf_atomic_compare_exchange_strong_explicit(&number, &seen, 6, RELEASE, RELAXED);
    rf_atomic_fetch_sub_explicit(&number, 1, RELAXED);
    rf_atomic_fetch_or(&mask, 6);
    rf_atomic_fetch_or_explicit(&mask, 1, RELAXED);
    rf_atomic_fetch_xor(&mask, 3);
    rf_atomic_fetch_xor_explicit(&mask, 8, ACQUIRE);
    rf_atomic_fetch_and(&mask, 29);
    rf_atomic_fetch_and_explicit(&mask, 31, RELEASE);
    rf_atomic_fetch_add_explicit(&cursor, 1, ACQ_REL);
    while (rf_atomic_flag_test_and_set(&busy)) continue;
    rf_atomic_thread_fence(rf_memory_order_seq_cst);
    RF_STORE(payload, RF_LOAD(payload) + 1);
    rf_atomic_flag_clear(&busy);
    if (!rf_atomic_flag_test_and_set_explicit(&busy, ACQUIRE))
        rf_atomic_flag_clear_explicit(&busy, RELEASE);
    rf_atomic_store_explicit(&number, rf_atomic_exchange(&number, 7) + 1, RELEASE);
    rf_atomic_exchange_explicit(&mask, 2, ACQ_REL);
    return arg;
}

RF_TEST(atomics) {
    rf_atomic_init(&number, 0);
    rf_atomic_store(&mask, 0);
    rf_atomic_store(&cursor, letters);
    rf_atomic_flag_clear(&busy);
    RF_STORE(payload, 0);
    rf_thread t[2];
    start(t, 2, compute);
    finish(t, 2);
    RF_ASSERT_EQ(RF_LOAD(payload), 2);
    RF_ASSERT(rf_atomic_load(&cursor) == letters + 2);
    RF_ASSERT_EQ(rf_atomic_load(&number), 8); /* not always */
}

/* ---- old values: atomics ---- */

static rf_atomic_int slot[2], saw[2];
static rf_atomic_llong far;
static _Atomic(int *) where;
static int target[3];

static void *relax(void *arg) {
    int me = arg != NULL;
    rf_atomic_store_explicit(&slot[me], me + 1, RELAXED);
    int other = rf_atomic_load_explicit(&slot[!me], RELAXED), one = 1;
    int old = rf_atomic_load_explicit(&number, RELAXED);
    for (bool swapped = false; !swapped;)
        swapped =
            rf_atomic_compare_exchange_weak_explicit(&number, &old, old * 2, RELAXED, RELAXED);
    rf_atomic_compare_exchange_strong_explicit(&number, &one, me + 7, ACQ_REL, RELAXED);
    rf_atomic_store_explicit(&saw[me], old * 100 + one, RELEASE);
    rf_atomic_fetch_add_explicit(&far, (long long)other << 33, RELAXED);
    rf_atomic_store_explicit(&far, me, RELAXED);
    rf_atomic_store_explicit(&where, &target[me + 1], RELAXED);
    if (me) rf_atomic_thread_fence(rf_memory_order_seq_cst);
    int *found = rf_atomic_load_explicit(&where, RELAXED); /* an old pointer */
    RF_STORE(*found, RF_LOAD(*found) + 1);
    long long both = rf_atomic_load_explicit(&far, ACQUIRE);
    rf_atomic_store_explicit(&slot[me], (int)(both >> 32) + (int)both, RELAXED);
    while (!rf_atomic_load_explicit(&saw[!me], RELAXED)) RF_SPIN_HINT();
    return arg;
}

RF_TEST(relaxed) {
    for (int i = 0; i < 2; i++) {
        rf_atomic_init(&slot[i], 0);
        rf_atomic_init(&saw[i], 0);
    }
    rf_atomic_init(&number, 1);
    rf_atomic_init(&far, 0);
    rf_atomic_init(&where, &target[0]);
    for (int i = 0; i < 3; i++) RF_STORE(target[i], 0);
    rf_thread t[3];
    start(t, 3, relax);
    finish(t, 3);
    RF_ASSERT_EQ(RF_LOAD(target[0]), 0); /* fails now and then */
    RF_ASSERT_LE(rf_atomic_load_explicit(&slot[1], RELAXED), 1);
}

/* ---- old values: plain data, torn and not, in blocks that come and go ---- */

typedef struct node {
    int64_t wide;
    short part[3];
    struct node *next;
} node;

static node *head;
static int64_t torn;
static int parity;

static void *churn(void *arg) {
    int *mine = arg;
    unsigned sum = 0; /* fresh memory holds large numbers */
    node *made = NULL;
    for (int i = 1; i < 4; i++) {
        if (made) RF_FREE(made); /* another thread may still read it */
        made = RF_MALLOC(sizeof *made);
        if (!made) return NULL;
        RF_STORE(*made, (node){i, {(short)i}, RF_LOAD(head)});
        RF_STORE(head, made);
        RF_STORE(torn, INT64_C(0x100000001) * i);
        int64_t seen = RF_LOAD(torn);
        RF_STORE(parity, RF_LOAD(parity) | ((int)(seen >> 32) - (int)seen));
        node *top = RF_LOAD(head), *next = RF_LOAD(top->next); /* not written yet, perhaps */
        if (next && RF_CHOOSE(3)) {
            sum += (unsigned)RF_LOAD(next->wide);
            sum += (unsigned)RF_LOAD(next->part[0]);
            RF_STORE(top->next, NULL);
        }
        /* on the stack of the test's body */
        RF_STORE(*mine, (int)((unsigned)RF_LOAD(*mine) + sum));
        RF_RACY_STORE(racy, (int)sum);
    }
    node *volatile last = made;
    if (!RF_CHOOSE(20)) RF_FREE(made); /* else the test does */
    return last;
}

RF_TEST(old_values) {
    int local = 0, other = 0;
    RF_STORE(head, NULL);
    RF_STORE(torn, 0);
    RF_STORE(parity, 0);
    rf_thread a = RF_THREAD(churn, &local), b = RF_THREAD(churn, &local);
    rf_thread c = RF_THREAD(churn, &other);
    RF_FREE(RF_JOIN(c));
    while (!RF_RACY_LOAD(racy) && RF_CHOOSE(5)) RF_YIELD();
    RF_FREE(RF_JOIN(a));
    RF_FREE(RF_JOIN(b));
    RF_ASSERT_EQ(RF_LOAD(parity), 0); /* fails where a read was torn */
    RF_ASSERT_GE(RF_LOAD(local) + RF_LOAD(other), 0);
}

/* ---- endings: every way for an execution to end but a crash ---- */

static rf_mutex left = RF_MUTEX_INIT, right = RF_MUTEX_INIT;
static rf_cond bell = RF_COND_INIT;
static int ready, *freed;

static void *left_right(void *arg) {
    RF_LOCK(&left);
    RF_LOCK(&right);
    RF_UNLOCK(&right);
    RF_UNLOCK(&left);
    return arg;
}

static void *right_left(void *arg) {
    RF_LOCK(&right);
    RF_LOCK(&left);
    RF_UNLOCK(&left);
    RF_UNLOCK(&right);
    return arg;
}

static void *ring(void *arg) {
    RF_STORE(ready, 1);
    RF_SIGNAL(&bell); /* may be too early */
    return arg;
}

static void *use_freed(void *arg) {
    RF_STORE(*freed, 1);
    return arg;
}

static void *for_ever(void *arg) {
    while (!RF_LOAD(ready)) RF_YIELD();
    return arg;
}

static bool not_ready(void *arg) { return !RF_LOAD(*(int *)arg); }

static void end_memory(uint32_t how) {
    freed = RF_MALLOC(sizeof *freed);
    if (!freed || how == 0) return; /* a leak */
    rf_thread t = RF_THREAD(use_freed, NULL);
    RF_FREE(freed);
    RF_JOIN(t);
    if (how == 1) RF_FREE(freed);
}

static void end_threads(uint32_t how) {
    if (how == 0) {
        rf_thread a = RF_THREAD(left_right, NULL), b = RF_THREAD(right_left, NULL);
        RF_JOIN(a);
        RF_JOIN(b);
    } else if (how == 1) {
        RF_DETACH(RF_THREAD(ring, NULL));
        RF_LOCK(&left);
        RF_WAIT(&bell, &left);
        RF_UNLOCK(&left);
    } else {
        RF_JOIN(RF_THREAD(for_ever, NULL));
    }
}

static void end_misuse(uint32_t how) {
    if (how == 0) {
        RF_UNLOCK(&left);
    } else if (how == 1) {
        RF_LOCK(&left);
        RF_LOCK(&left);
    } else if (how == 2) {
        rf_thread t = RF_THREAD(ring, NULL);
        RF_JOIN(t);
        RF_JOIN(t);
    } else {
        RF_LOCK(&left); /* and the thread ends */
    }
}

static void end_test(uint32_t how) {
    if (how == 0) RF_FAIL("chosen: %u", how);
    if (how == 1) RF_ASSERT_STR_EQ("one", "two");
    if (how == 2) RF_ASSERT_LT(2, how);
    if (how == 3) RF_SKIP("chosen");
    RF_INVARIANT(not_ready, &ready);
    RF_JOIN(RF_THREAD(ring, NULL));
}

RF_TEST(endings, .max_steps = 200) {
    static void (*const end[])(uint32_t) = {end_memory, end_threads, end_misuse, end_test};
    RF_STORE(ready, 0);
    rf_mutex_init(&left, "left", RF_MUTEX_NORMAL);
    uint32_t kind = RF_CHOOSE(4);
    end[kind](RF_CHOOSE(5));
}

/* ---- a crowd: more threads than a machine word has bits, and than there are stacks at first */

static void *step(void *arg) {
    short local = (short)(intptr_t)arg;
    RF_STORE(local, (short)(RF_LOAD(local) + 1));
    RF_STORE(spun, local);
    RF_LOCK(&plain);
    RF_STORE(total, RF_LOAD(total) + local);
    RF_UNLOCK(&plain);
    return NULL;
}

RF_TEST(crowd) {
    RF_STORE(total, 0);
    RF_STORE(spun, 0);
    rf_thread t[70];
    start(t, 70, step);
    finish(t, 70);
    for (intptr_t i = 0; i < 200; i++) RF_JOIN(RF_THREAD(step, (void *)i));
}

/* name, and how many of every 100 executions it gets */
static const struct program {
    const char *name;
    uint32_t share;
} programs[] = {{"locks", 13},   {"waiting", 13}, {"memory", 14},     {"atomics", 13},
                {"relaxed", 12}, {"endings", 20}, {"old_values", 14}, {"crowd", 1}};
#define PROGRAMS (sizeof programs / sizeof *programs)
#endif
