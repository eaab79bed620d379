/* wsq, iwsq, iwsqws, swsq, wsq_fence: a work-stealing queue after Cilk's THE protocol (Frigo,
 * Leiserson, Randall, PLDI 1998).  The owner pushes and pops at the tail, thieves steal at the
 * head, under a lock that the owner takes only when they might meet.
 *
 * The first four are CHESS's: push() believes that there is room for one more than there is, so it
 * may overwrite the element that a thief has just claimed.  wsq has a mutex (SCTBench's
 * WorkStealQueue), iwsq a lock made of an interlocked exchange (InterlockedWorkStealQueue); iwsqws
 * and swsq also note where each thread is (...WithState, StateWorkStealQueue; what they note is
 * reconstructed).  Four elements, room for two at first, two attempts of each thief; one thief (the
 * originals' default; SCTBench ran them with two), in swsq two, and there all pushes come first. In
 * wsq_fence the indices are right, but loads may overtake stores, so that owner and thief both get
 * the last element. */
#include "bug.h"

enum { ITEMS = 4, ROOM = 2, ATTEMPTS = 2, THIEVES = 2, OWNER = 0 };

typedef struct settings {
    bool interlocked, noting, all_first;
    unsigned thieves;
    long slack; /* how many elements more than the mask are believed to have room */
    int store, load;
} settings;

#ifdef FIXED
# define SLACK       0
# define FENCE_STORE __ATOMIC_SEQ_CST
# define FENCE_LOAD  __ATOMIC_SEQ_CST
#else
# define SLACK       1
# define FENCE_STORE __ATOMIC_RELEASE
# define FENCE_LOAD  __ATOMIC_ACQUIRE
#endif

static settings set;
static struct {
    rf_mutex mutex;
    _Atomic bool taken; /* the interlocked one */
    _Atomic long head, tail;
    int *element;
    long mask;
} q;
static int item[ITEMS]; /* how often each was taken */
static struct {
    int function, place;
    long value;
} state[1 + THIEVES];

/* Where a thread is. */
static void note(int me, int function, int place, long value) {
    if (!set.noting) return;
    RF_STORE(state[me].function, function);
    RF_STORE(state[me].place, place);
    RF_STORE(state[me].value, value);
}

static void acquire(void) {
    if (!set.interlocked)
        RF_LOCK(&q.mutex);
    else
        while (rf_atomic_exchange(&q.taken, true)) RF_YIELD();
}

static void release(void) {
    if (!set.interlocked)
        RF_UNLOCK(&q.mutex);
    else
        rf_atomic_store(&q.taken, false);
}

static long get(_Atomic long *index) { return rf_atomic_load_explicit(index, set.load); }
static void put(_Atomic long *index, long i) { rf_atomic_store_explicit(index, i, set.store); }

static int element_at(long i) { return RF_LOAD(q.element[i & RF_LOAD(q.mask)]); }

/* ---- thieves ---- */

static bool steal(int me, int *result) {
    acquire();
    long h = get(&q.head);
    note(me, 1, 1, h);
    put(&q.head, h + 1);
    bool found = h < get(&q.tail);
    note(me, 1, 2, found);
    if (found)
        *result = element_at(h);
    else
        put(&q.head, h);
    release();
    return found;
}

/* ---- the owner ---- */

static bool pop_alone(int *result) {
    acquire();
    long t = get(&q.tail) - 1;
    put(&q.tail, t);
    bool found = get(&q.head) <= t;
    note(OWNER, 2, 1, found);
    if (found) {
        *result = element_at(t);
    } else {
        put(&q.head, 0);
        put(&q.tail, 0);
    }
    release();
    return found;
}

static bool pop(int *result) {
    long t = get(&q.tail) - 1;
    note(OWNER, 3, 1, t);
    put(&q.tail, t);
    if (get(&q.head) <= t) {
        *result = element_at(t);
        return true;
    }
    note(OWNER, 3, 2, t);
    put(&q.tail, t + 1);
    return pop_alone(result);
}

static void grow(long h, long count) {
    long mask = RF_LOAD(q.mask), room = 2 * (mask + 1);
    int *old = RF_LOAD(q.element), *element = RF_MALLOC((size_t)room * sizeof *element);
    for (long i = 0; i < count; i++) RF_STORE(element[i], RF_LOAD(old[(h + i) & mask]));
    RF_FREE(old);
    RF_STORE(q.element, element);
    RF_STORE(q.mask, room - 1);
    put(&q.head, 0);
    put(&q.tail, count);
}

static void push_alone(int e) {
    acquire();
    long h = get(&q.head), count = get(&q.tail) - h, mask = RF_LOAD(q.mask);
    h &= mask;
    put(&q.head, h);
    put(&q.tail, h + count);
    note(OWNER, 4, 1, count);
    if (count >= mask) grow(h, count);
    RF_ASSERT_LT(count, RF_LOAD(q.mask));
    long t = get(&q.tail);
    RF_STORE(q.element[t & RF_LOAD(q.mask)], e);
    put(&q.tail, t + 1);
    release();
}

static void push(int e) {
    long t = get(&q.tail);
    note(OWNER, 5, 1, t);
    if (t < get(&q.head) + RF_LOAD(q.mask) + set.slack) {
        RF_STORE(q.element[t & RF_LOAD(q.mask)], e);
        put(&q.tail, t + 1);
    } else {
        note(OWNER, 5, 2, t);
        push_alone(e);
    }
}

/* ---- the programs ---- */

static void use(int e) { RF_STORE(item[e], RF_LOAD(item[e]) + 1); }

static void *thief(void *arg) {
    int me = (int)(intptr_t)arg, e;
    for (int i = 0; i < ATTEMPTS; i++)
        if (steal(me, &e)) use(e);
    return NULL;
}

static void own(void) {
    int e;
    for (int i = 0; i < ITEMS; i++) {
        push(i);
        if (!set.all_first && i % 2 && pop(&e)) use(e);
    }
    for (int i = 0; i < (set.all_first ? ITEMS : ITEMS / 2); i++)
        if (pop(&e)) use(e);
}

static void steal_work(settings of_test) {
    crew c = {.count = 0};
    set = of_test;
    memset(item, 0, sizeof item);
    q.taken = false;
    q.head = q.tail = 0;
    q.mask = ROOM - 1;
    q.element = RF_MALLOC(ROOM * sizeof *q.element);
    for (unsigned i = 1; i <= set.thieves; i++) START(&c, 1, thief, (void *)(intptr_t)i);
    own();
    finish(&c);
    for (int i = 0; i < ITEMS; i++) RF_ASSERT_EQ(RF_LOAD(item[i]), 1);
    RF_FREE(q.element);
}

#define INDEX_BUG .slack = SLACK, .store = __ATOMIC_SEQ_CST, .load = __ATOMIC_SEQ_CST

PROGRAM(wsq, RF_EXPECT_FAILURE) { steal_work((settings){INDEX_BUG, .thieves = 1}); }

PROGRAM(iwsq, RF_EXPECT_FAILURE) {
    steal_work((settings){INDEX_BUG, .thieves = 1, .interlocked = true});
}

PROGRAM(iwsqws, RF_EXPECT_FAILURE) {
    steal_work((settings){INDEX_BUG, .thieves = 1, .interlocked = true, .noting = true});
}

PROGRAM(swsq, RF_EXPECT_FAILURE) {
    steal_work((settings){INDEX_BUG, .thieves = 2, .interlocked = true, .noting = true,
                          .all_first = true});
}

PROGRAM(wsq_fence, RF_EXPECT_FAILURE, .memory = "c11") {
    steal_work((settings){.thieves = 1, .store = FENCE_STORE, .load = FENCE_LOAD});
}
