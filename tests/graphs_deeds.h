/* tests/graphs_deeds.h: random programs of locks, conditions, semaphores, barriers, once, futexes,
 * tries and time-outs, as tests and as the steps of litmus/objects.h. */
#ifndef TESTS_GRAPHS_DEEDS_H
#define TESTS_GRAPHS_DEEDS_H
#include "graphs.h"

#include "litmus/machine.h"
#include "litmus/objects.h"

enum { DEEDS = 4, EVENTS = 26 };

enum deed {
    LOADS,
    STORES,
    ADDS,
    LOCKS,
    TRIES,
    WAITS,
    WAITS_UNTIL,
    TELLS,
    SIGNALS,
    BROADCASTS,
    READS,
    WRITES,
    TRIES_READ,
    TRIES_WRITE,
    WRITES_AHEAD,
    WRITES_AHEAD_UNTIL,
    TAKES,
    TRIES_TAKE,
    POSTS,
    COUNTS,
    ARRIVES,
    CALLS_ONCE,
    CHOOSES,
    PARKS,
    PARKS_UNTIL,
    WAKES,
    WAKES_ALL,
    PARKS_BY_BIT,
    WAKES_BY_BIT,
    WAKES_TWO,
    PARKS_ASIDE,
    WAKES_ASIDE,
    REQUEUES, /* from here on those that move or wake at two futexes */
    REQUEUES_IF,
    WAKES_BY_OP,
    DEED_KINDS
};

static const char *const words[] = {"load",
                                    "store",
                                    "add",
                                    "lock; add; unlock",
                                    "trylock; add; unlock",
                                    "wait",
                                    "timedwait",
                                    "tell",
                                    "signal",
                                    "broadcast",
                                    "read",
                                    "write",
                                    "tryread",
                                    "trywrite",
                                    "write ahead",
                                    "timedwrite ahead",
                                    "take",
                                    "trytake",
                                    "post",
                                    "getvalue",
                                    "arrive",
                                    "once",
                                    "choose",
                                    "futex wait",
                                    "futex timedwait",
                                    "futex wake",
                                    "futex wake all",
                                    "futex wait by bit",
                                    "futex wake by bit",
                                    "futex wake two",
                                    "futex wait aside",
                                    "futex wake aside",
                                    "futex requeue",
                                    "futex cmp requeue",
                                    "futex wake op"};

/* What a family of programs uses; locations: cell x; the mutex; the condition or cell y; the rest.
 */
struct family {
    enum deed deed[8];
    int deeds;
};

static const struct family families[] = {
    {{LOADS, STORES, LOCKS, TRIES, ADDS}, 5},
    {{WAITS_UNTIL, SIGNALS, STORES, LOADS}, 4},
    {{WAITS, TELLS, BROADCASTS, STORES}, 4},
    {{WAITS_UNTIL, WAITS, TELLS, SIGNALS}, 4},
    {{READS, WRITES, TRIES_READ, LOADS}, 4},
    {{TAKES, TRIES_TAKE, POSTS, COUNTS, LOADS, STORES}, 6},
    {{ARRIVES, ARRIVES, LOADS, STORES}, 4},
    {{CALLS_ONCE, CALLS_ONCE, LOADS, STORES}, 4},
    {{TRIES, CHOOSES, LOCKS, POSTS, TAKES, STORES, SIGNALS, BROADCASTS}, 8},
    {{WAITS, TELLS, BROADCASTS, TRIES, POSTS, TAKES, SIGNALS, ADDS}, 8},
};

static const struct family of_futexes[] = {
    {{PARKS, WAKES, STORES, LOADS}, 4},
    {{PARKS, PARKS_UNTIL, WAKES, WAKES_ALL, STORES, ADDS}, 6},
    {{PARKS_UNTIL, WAKES, LOCKS, STORES}, 4},
    {{PARKS, PARKS_UNTIL, WAKES_ALL, WAKES, TAKES, POSTS}, 6},
};

static const struct family of_bits[] = {
    {{PARKS_BY_BIT, WAKES_BY_BIT, STORES, WAKES_ALL}, 4},
    {{PARKS_BY_BIT, PARKS, WAKES_BY_BIT, WAKES_TWO, WAKES}, 5},
    {{PARKS_UNTIL, PARKS_BY_BIT, WAKES_TWO, WAKES_BY_BIT, ADDS}, 5},
};

static const struct family of_movers[] = {
    {{PARKS, REQUEUES, WAKES_ASIDE, WAKES}, 4},
    {{PARKS, PARKS_ASIDE, REQUEUES, REQUEUES_IF, WAKES_ASIDE, STORES}, 6},
    {{PARKS_UNTIL, PARKS_ASIDE, WAKES_BY_OP, WAKES_ASIDE, LOADS}, 5},
    {{PARKS_BY_BIT, REQUEUES_IF, WAKES_BY_BIT, WAKES_ALL, WAKES_BY_OP, ADDS}, 6},
};

/* Who waits with a time-out, and holds what others wait for. */
static const struct family of_holders[] = {
    {{TAKES, WAITS_UNTIL, POSTS, SIGNALS}, 4},
    {{TAKES, WAITS_UNTIL, POSTS, LOCKS, STORES}, 5},
    {{TAKES, PARKS_UNTIL, POSTS, TRIES_TAKE, WAKES}, 5},
    {{TAKES, WAITS_UNTIL, WAITS, POSTS, TELLS, BROADCASTS}, 6},
};

/* Writers before which no reader is let in. */
static const struct family of_writers[] = {
    {{READS, WRITES_AHEAD, LOADS}, 3},
    {{READS, WRITES_AHEAD, TRIES_READ, STORES}, 4},
    {{READS, WRITES_AHEAD, WRITES_AHEAD_UNTIL, LOADS}, 4},
    {{TRIES_WRITE, WRITES_AHEAD, TRIES_READ, READS, WRITES_AHEAD_UNTIL}, 5},
    {{WRITES_AHEAD, WRITES, READS, TAKES, POSTS}, 5},
};

static const struct kinds {
    const char *what;
    const struct family *family;
    uint32_t families;
    int events; /* so many at most */
} kinds[] = {{"objects", families, RFI_LENGTH(families), EVENTS},
             {"futexes", of_futexes, RFI_LENGTH(of_futexes), EVENTS},
             {"futexes with bits", of_bits, RFI_LENGTH(of_bits), EVENTS},
             {"futexes that are left for others", of_movers, RFI_LENGTH(of_movers), EVENTS},
             {"holders", of_holders, RFI_LENGTH(of_holders), EVENTS},
             {"writers that come first", of_writers, RFI_LENGTH(of_writers), 15}};

static bool futexes; /* the word of a futex is waited at */

static struct objects_program p;
static struct {
    enum deed kind;
    int order, result, second;
} deeds[LITMUS_THREADS][DEEDS];
static rf_site deed_site[LITMUS_THREADS][DEEDS];
static bool compares;      /* what is polled is a compare-exchange */
static bool one_statement; /* a thread's waits are one, as in a loop */
static int deeds_of[LITMUS_THREADS], registers_used;

static struct litmus_registers registers;
static rf_atomic_int cell[1];
static rf_mutex mutex;
static rf_cond cond;
static rf_rwlock rwlock;
static rf_sem sem;
static rf_barrier barrier;
static rf_once once;

static int native_order(int order) {
    return order == LITMUS_SC    ? __ATOMIC_SEQ_CST
           : order == LITMUS_RLX ? __ATOMIC_RELAXED
           : order == LITMUS_ACQ ? __ATOMIC_ACQUIRE
                                 : __ATOMIC_RELEASE;
}

static void add_cell(const rf_site *site, int order) {
    int word;
    rfi_rmw_begin(site, &cell[0], 4, order, &word);
    word++;
    rfi_rmw_end(&word);
}

static const rf_site in_once = {HERE, .line = 5, .kind = RF_SITE_OTHER};
static void do_once(void) { add_cell(&in_once, __ATOMIC_RELAXED); }

static void do_wait(const rf_site *site, int result, int second, bool timed) {
    int word;
    rfi_mutex_lock(site, &mutex);
    rfi_atomic_load(site, &cell[0], 4, __ATOMIC_RELAXED, &word);
    litmus_assign(&registers, result, word);
    if (!word) {
        bool woken = true;
        if (timed)
            woken = rfi_cond_timedwait(site, &cond, &mutex, 10);
        else
            rfi_cond_wait(site, &cond, &mutex);
        litmus_assign(&registers, second, woken);
    }
    rfi_mutex_unlock(site, &mutex);
}

static rf_atomic_int aside; /* the second futex, which nobody changes */

static uint32_t *the_word(bool second) { return (uint32_t *)(void *)(second ? &aside : &cell[0]); }

/* The bits of the `i`-th deed of a thread, of one that waits, or wakes. */
static uint32_t wait_bits(int t, int i) { return 1 + (uint32_t)((t + i) & 1); }
static uint32_t wake_bits(int t, int i) { return 1 + (uint32_t)((t + i / 2) & 1); }

static void do_park(const rf_site *site, int t, int i) {
    int result = deeds[t][i].result, second = deeds[t][i].second;
    enum deed kind = deeds[t][i].kind;
    uint32_t bits = kind == PARKS_BY_BIT ? wait_bits(t, i) : UINT32_MAX;
    rfi.current->until = rfi.run.now + 10;
    unsigned end =
        rfi_futex_wait(site, the_word(kind == PARKS_ASIDE), 0, bits, kind == PARKS_UNTIL);
    if (kind != PARKS_ASIDE) litmus_assign(&registers, result, end == RFI_FUTEX_CHANGED);
    if (end != RFI_FUTEX_CHANGED) litmus_assign(&registers, second, end != RF_WAKE_TIMEOUT);
}

static bool parks(enum deed kind) {
    return kind == PARKS || kind == PARKS_UNTIL || kind == PARKS_BY_BIT || kind == PARKS_ASIDE;
}

static bool waits(enum deed kind) { return kind == WAITS || kind == WAITS_UNTIL || parks(kind); }

static const uint32_t nothing_else = 0;

/* A wake-up at a futex, or from one to another. */
static void do_wake(const rf_site *site, int t, int i) {
    uint32_t *one = the_word(false), *two = the_word(true), all = UINT32_MAX;
    int64_t moved;
    switch (deeds[t][i].kind) {
    case WAKES: rfi_futex_wake(site, one, all, 1); return;
    case WAKES_ALL: rfi_futex_wake(site, one, all, INT32_MAX); return;
    case WAKES_BY_BIT: rfi_futex_wake(site, one, wake_bits(t, i), 1 + (uint32_t)i % 2); return;
    case WAKES_TWO: rfi_futex_wake(site, one, all, 2); return;
    case WAKES_ASIDE: rfi_futex_wake(site, two, all, 1); return;
    case REQUEUES: (void)rfi_futex_requeue(site, one, two, 1, 1, NULL); return;
    case REQUEUES_IF:
        moved = rfi_futex_requeue(site, one, two, (uint32_t)t & 1, INT32_MAX, &nothing_else);
        litmus_assign(&registers, deeds[t][i].result, moved < 0);
        return;
    default: rfi_futex_wake_op(site, two, one, 1, 1, UINT32_C(1) << 28 | 1 << 12); return;
    }
}

static bool do_write(const rf_site *site, enum deed kind) {
    if (kind == TRIES_WRITE) return rfi_rwlock_trywrlock(site, &rwlock);
    if (kind == WRITES_AHEAD) return rfi_rwlock_take_ahead(site, &rwlock, 0, "wrlock");
    if (kind == WRITES) return rfi_rwlock_take(site, &rwlock, 0);
    rfi_deadline(10);
    return rfi_rwlock_take_ahead(site, &rwlock, RF_EV_TIMED, "timedwrlock");
}

static void do_deed(uintptr_t t, int i) {
    const rf_site *site = &deed_site[t][one_statement && waits(deeds[t][i].kind) ? 0 : i];
    int order = native_order(deeds[t][i].order), result = deeds[t][i].result, word = 1 + (int)t;
    bool taken = true;
    switch (deeds[t][i].kind) {
    case LOADS: rfi_atomic_load(site, &cell[0], 4, order, &word); break;
    case STORES: rfi_atomic_store(site, &cell[0], 4, order, &word); return;
    case ADDS: add_cell(site, order); return;
    case TRIES: taken = rfi_mutex_trylock(site, &mutex); /* fall through */
    case LOCKS:
        if (deeds[t][i].kind == LOCKS) rfi_mutex_lock(site, &mutex);
        if (taken) add_cell(site, order);
        if (taken) rfi_mutex_unlock(site, &mutex);
        word = taken;
        break;
    case WAITS:
    case WAITS_UNTIL:
        do_wait(site, result, deeds[t][i].second, deeds[t][i].kind == WAITS_UNTIL);
        return;
    case TELLS:
        rfi_mutex_lock(site, &mutex);
        rfi_atomic_store(site, &cell[0], 4, __ATOMIC_RELAXED, &word);
        rfi_cond_signal(site, &cond);
        rfi_mutex_unlock(site, &mutex);
        return;
    case SIGNALS: rfi_cond_signal(site, &cond); return;
    case BROADCASTS: rfi_cond_broadcast(site, &cond); return;
    case READS: rfi_rwlock_rdlock(site, &rwlock); /* fall through */
    case TRIES_READ:
        if (deeds[t][i].kind == TRIES_READ) taken = rfi_rwlock_tryrdlock(site, &rwlock);
        litmus_assign(&registers, deeds[t][i].second, taken);
        if (!taken) return;
        rfi_atomic_load(site, &cell[0], 4, __ATOMIC_RELAXED, &word);
        rfi_rwlock_unlock(site, &rwlock);
        break;
    case WRITES:
    case TRIES_WRITE:
    case WRITES_AHEAD:
    case WRITES_AHEAD_UNTIL:
        taken = do_write(site, deeds[t][i].kind);
        litmus_assign(&registers, result, taken);
        if (!taken) return;
        rfi_atomic_store(site, &cell[0], 4, __ATOMIC_RELAXED, &word);
        rfi_rwlock_unlock(site, &rwlock);
        return;
    case TAKES: rfi_sem_wait(site, &sem); return;
    case TRIES_TAKE: word = rfi_sem_trywait(site, &sem); break;
    case POSTS: rfi_sem_post(site, &sem); return;
    case COUNTS:
        rfi_sem_look(site, &sem, "getvalue");
        word = (int)sem.count;
        break;
    case ARRIVES: word = rfi_barrier_wait(site, &barrier); break;
    case CALLS_ONCE: rfi_once(site, &once, do_once); return;
    case CHOOSES: word = (int)rfi_choose(site, 2); break;
    default: (parks(deeds[t][i].kind) ? do_park : do_wake)(site, (int)t, i); return;
    }
    litmus_assign(&registers, result, word);
}

static void *do_deeds(void *number) {
    uintptr_t t = (uintptr_t)number;
    for (int i = 0; i < deeds_of[t]; i++) do_deed(t, i);
    return number;
}

RF_TEST(objects) {
    rf_thread thread[LITMUS_THREADS];
    memset(&the_final, 0, sizeof the_final);
    memset(&registers, 0, sizeof registers);
    rf_atomic_init(&cell[0], 0);
    rf_atomic_init(&aside, 0);
    rf_sem_init(&sem, "sem", 1);
    rf_barrier_init(&barrier, "barrier", (uint32_t)p.parties);
    for (uintptr_t t = 0; t < (uintptr_t)p.threads; t++) thread[t] = RF_THREAD(do_deeds, (void *)t);
    for (int t = 0; t < p.threads; t++) (void)RF_JOIN(thread[t]);
    the_final.memory[0] = rf_atomic_load_explicit(&cell[0], rf_memory_order_relaxed);
    the_final.registers = registers;
}

/* A loop that waits until something is so, and gives up waiting now and then. */
static void *retry(void *unused) {
    RF_LOCK(&mutex);
    while (!rf_atomic_load_explicit(&cell[0], rf_memory_order_relaxed))
        (void)RF_TIMEDWAIT(&cond, &mutex, 10);
    RF_UNLOCK(&mutex);
    return unused;
}

RF_TEST(retries) {
    rf_atomic_init(&cell[0], 0);
    rf_thread t = RF_THREAD(retry, NULL);
    RF_LOCK(&mutex);
    rf_atomic_store(&cell[0], 1);
    RF_SIGNAL(&cond);
    RF_UNLOCK(&mutex);
    (void)RF_JOIN(t);
}

static const rf_site poll_site = {HERE, .line = 6, .kind = RF_SITE_OTHER};

/* One thread, which nobody wakes, and which goes on. */
RF_TEST(polls) {
    if (!futexes) RF_LOCK(&mutex);
    for (int nothing = 0;; nothing = 0) {
        rfi.current->until = rfi.run.now + 10;
        if (compares)
            (void)rfi_cas(&poll_site, &cell[0], 4, true, 0, 0, &nothing, &nothing);
        else if (futexes)
            (void)rfi_futex_wait(&poll_site, the_word(false), 0, UINT32_MAX, true);
        else
            (void)rfi_cond_timedwait(&poll_site, &cond, &mutex, 10);
    }
}

/* ---- their steps ---- */

/* Locations: of the mutex and everything else that is no cell, as far as a program needs them. */
static int place_of(enum objects_kind kind) {
    switch (kind) {
    case OBJECTS_LOAD:
    case OBJECTS_STORE:
    case OBJECTS_ADD: return 0;
    case OBJECTS_LOCK:
    case OBJECTS_TRY:
    case OBJECTS_UNLOCK:
    case OBJECTS_RDLOCK: /* programs have a mutex or a read-write lock */
    case OBJECTS_TRYRD:
    case OBJECTS_RDUNLOCK:
    case OBJECTS_LOCK_AHEAD:
    case OBJECTS_TRY_AHEAD:
    case OBJECTS_COME:
    case OBJECTS_GO: return 1;
    case OBJECTS_ENQUEUE:
    case OBJECTS_HOLD:
    case OBJECTS_LEAVE:
    case OBJECTS_MOVE:
    case OBJECTS_REQUEUE:
    case OBJECTS_SIGNAL:
    case OBJECTS_ARRIVE: return 2; /* or a condition, a futex or a barrier */
    default: return 3;             /* a semaphore or a once */
    }
}

static struct objects_step *step(int t, enum objects_kind kind, int result) {
    struct objects_step *s = &p.step[t][p.steps[t]++];
    *s = (struct objects_step){
        .kind = kind, .location = place_of(kind), .result = result, .order = LITMUS_RLX, .bits = 3};
    if (kind >= OBJECTS_FENCE) s->location = -1;
    return s;
}

static void steps_of_wait(int t, int result, int second, bool timed) {
    step(t, OBJECTS_LOCK, -1);
    struct objects_step *look = step(t, OBJECTS_LOAD, result), *s;
    look->unless = true;
    s = step(t, OBJECTS_EARLY, second);
    s->timed = timed;
    step(t, OBJECTS_ENQUEUE, -1)->waiting = true;
    step(t, OBJECTS_UNLOCK, -1);
    s = step(t, OBJECTS_WAKE, -1);
    s->waiting = true;
    s->timed = timed;
    step(t, OBJECTS_LOCK, -1);
    step(t, OBJECTS_UNLOCK, -1);
    look->skip = 5;
}

/* It holds the queue, and looks: if that is in vain, so many steps are left out. */
static void steps_of_look(int t, int result, int skip) {
    step(t, OBJECTS_HOLD, -1);
    step(t, OBJECTS_FENCE, -1);
    struct objects_step *look = step(t, OBJECTS_LOAD, result);
    look->unless = look->differs = true;
    look->skip = skip;
}

static void steps_of_park(int t, int i) {
    int second = deeds[t][i].second;
    enum deed kind = deeds[t][i].kind;
    bool timed = kind == PARKS_UNTIL;
    steps_of_look(t, deeds[t][i].result, 3);
    if (kind == PARKS_ASIDE) p.steps[t]--; /* nobody changes what it looks at */
    step(t, OBJECTS_EARLY, second)->timed = timed;
    struct objects_step *s = step(t, OBJECTS_ENQUEUE, -1);
    s->waiting = true;
    s->aside = kind == PARKS_ASIDE;
    if (kind == PARKS_BY_BIT) s->bits = (int)wait_bits(t, i);
    s = step(t, OBJECTS_WAKE, -1);
    s->waiting = true;
    s->timed = timed;
    s->skip = 1;
    step(t, OBJECTS_LEAVE, -1);
}

/* `skip`: so many steps are left out behind it. */
static void steps_of_wake_up(int t, enum objects_kind kind, int most, int others, int skip) {
    step(t, OBJECTS_FENCE, -1);
    struct objects_step *s = step(t, kind, -1);
    s->most = most;
    s->others = others;
    step(t, OBJECTS_FENCE, -1)->skip = skip;
}

static void steps_of_wake(int t, int i) {
    enum deed kind = deeds[t][i].kind;
    struct objects_step *s;
    if (kind == REQUEUES) {
        steps_of_wake_up(t, OBJECTS_REQUEUE, 1, 1, 0);
        return;
    }
    if (kind == REQUEUES_IF) {
        steps_of_look(t, deeds[t][i].result, 1);
        s = step(t, OBJECTS_MOVE, -1);
        s->most = t & 1;
        s->others = LITMUS_THREADS;
        s->skip = 1;
        s->unless = true;
        step(t, OBJECTS_LEAVE, -1);
        return;
    }
    if (kind == WAKES_BY_OP) {
        s = step(t, OBJECTS_ADD, -1);
        s->unless = true;
        s->skip = 3;
        steps_of_wake_up(t, OBJECTS_SIGNAL, 1, 1, 3);
        p.step[t][p.steps[t] - 2].aside = true;
    }
    bool two = kind == WAKES_TWO || (kind == WAKES_BY_BIT && i % 2);
    steps_of_wake_up(t, OBJECTS_SIGNAL, kind == WAKES_ALL ? LITMUS_THREADS : 1 + two, 0, 0);
    s = &p.step[t][p.steps[t] - 2];
    s->aside = kind == WAKES_ASIDE || kind == WAKES_BY_OP;
    if (kind == WAKES_BY_BIT) s->bits = (int)wake_bits(t, i);
}

static void steps_of_write(int t, enum deed kind, int result) {
    bool ahead = kind == WRITES_AHEAD || kind == WRITES_AHEAD_UNTIL;
    enum objects_kind lock = kind == WRITES               ? OBJECTS_LOCK
                             : kind == TRIES_WRITE        ? OBJECTS_TRY
                             : kind == WRITES_AHEAD_UNTIL ? OBJECTS_TRY_AHEAD
                                                          : OBJECTS_LOCK_AHEAD;
    if (ahead) step(t, OBJECTS_COME, -1);
    step(t, lock, result)->skip = 2;
    step(t, OBJECTS_STORE, -1);
    struct objects_step *unlock = step(t, OBJECTS_UNLOCK, -1);
    if (!ahead) return;
    unlock->unless = true;
    unlock->skip = 1;
    step(t, OBJECTS_GO, -1);
}

static void steps_of(int t, int i) {
    int result = deeds[t][i].result;
    enum litmus_order order = (enum litmus_order)deeds[t][i].order;
    struct objects_step *s;
    switch (deeds[t][i].kind) {
    case LOADS: step(t, OBJECTS_LOAD, result)->order = order; return;
    case STORES: step(t, OBJECTS_STORE, -1)->order = order; return;
    case ADDS: step(t, OBJECTS_ADD, -1)->order = order; return;
    case LOCKS: /* fall through */
    case TRIES:
        s = step(t, deeds[t][i].kind == LOCKS ? OBJECTS_LOCK : OBJECTS_TRY, result);
        s->skip = 2;
        step(t, OBJECTS_ADD, -1)->order = order;
        step(t, OBJECTS_UNLOCK, -1);
        return;
    case WAITS:
    case WAITS_UNTIL:
        steps_of_wait(t, result, deeds[t][i].second, deeds[t][i].kind == WAITS_UNTIL);
        return;
    case TELLS:
        step(t, OBJECTS_LOCK, -1);
        step(t, OBJECTS_STORE, -1);
        step(t, OBJECTS_SIGNAL, -1)->most = 1;
        step(t, OBJECTS_UNLOCK, -1);
        return;
    case SIGNALS: step(t, OBJECTS_SIGNAL, -1)->most = 1; return;
    case BROADCASTS: step(t, OBJECTS_SIGNAL, -1)->most = LITMUS_THREADS; return;
    case READS:
    case TRIES_READ:
        s = step(t, deeds[t][i].kind == READS ? OBJECTS_RDLOCK : OBJECTS_TRYRD, deeds[t][i].second);
        s->skip = 2;
        step(t, OBJECTS_LOAD, result);
        step(t, OBJECTS_RDUNLOCK, -1);
        return;
    case WRITES:
    case TRIES_WRITE:
    case WRITES_AHEAD:
    case WRITES_AHEAD_UNTIL: steps_of_write(t, deeds[t][i].kind, result); return;
    case TAKES: step(t, OBJECTS_TAKE, -1); return;
    case TRIES_TAKE: step(t, OBJECTS_TRYTAKE, result); return;
    case POSTS: step(t, OBJECTS_POST, -1); return;
    case COUNTS: step(t, OBJECTS_VIEW, result); return;
    case ARRIVES:
        step(t, OBJECTS_ARRIVE, result);
        step(t, OBJECTS_DEPART, -1);
        return;
    case CALLS_ONCE:
        step(t, OBJECTS_ONCE, -1)->skip = 2;
        step(t, OBJECTS_ADD, -1);
        step(t, OBJECTS_ONCE_DONE, -1);
        return;
    case CHOOSES: step(t, OBJECTS_CHOOSE, result); return;
    default: (parks(deeds[t][i].kind) ? steps_of_park : steps_of_wake)(t, i); return;
    }
}

static void draw_program(const struct kinds *k, uint64_t seed, uint64_t index) {
    uint64_t chance = seed * UINT64_C(0xd1342543de82ef95) + index;
    const struct family *f = &k->family[index % k->families];
    bool moves = k->family == of_movers;
    static const int orders[] = {LITMUS_RLX, LITMUS_ACQ, LITMUS_REL, LITMUS_SC};
    (void)litmus_below(&chance, 2);
    bool any; /* without one that moves, futexes have queues of their own */
    do {
        any = false;
        memset(&p, 0, sizeof p);
        p.threads = 2 + litmus_below(&chance, 2);
        p.locations = 4;
        p.cells = 1;
        p.parties = 2;
        p.spurious = !litmus_below(&chance, 3);
        registers_used = 0;
        for (int t = 0; t < p.threads; t++) {
            deeds_of[t] = 1 + litmus_below(&chance, p.threads == 2 ? DEEDS : DEEDS - 1);
            for (int i = 0; i < deeds_of[t]; i++) {
                enum deed kind = f->deed[litmus_below(&chance, f->deeds)];
                int order = orders[litmus_below(&chance, 4)];
                if (kind == LOADS && order == LITMUS_REL) order = LITMUS_SC;
                if (kind == STORES && order == LITMUS_ACQ) order = LITMUS_SC;
                any |= kind >= REQUEUES;
                deeds[t][i].kind = kind;
                deeds[t][i].order = order;
                deeds[t][i].result = registers_used++;
                deeds[t][i].second = registers_used++;
                steps_of(t, i);
            }
        }
        p.initial[3] = f->deed[0] != ARRIVES && f->deed[0] != CALLS_ONCE;
    } while (moves != any || registers_used > LITMUS_REGISTERS ||
             p.steps[0] + p.steps[1] + p.steps[2] > k->events);
}

static void print_program(void) {
    for (int t = 0; t < p.threads; t++) {
        printf("#  ");
        for (int i = 0; i < deeds_of[t]; i++)
            printf(" %s %s;", words[deeds[t][i].kind], litmus_orders[deeds[t][i].order]);
        printf("\n");
    }
}
#endif
