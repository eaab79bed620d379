/* `graphs` executes every execution of programs of locks, conditions, semaphores, barriers, once,
 * tries and time-outs exactly once: random ones, against the enumerator of litmus/objects.h; and
 * the engine's objects do what that thinks they do, as depth-first search shows.
 *
 *     graphs_objects [COUNT [SEED [FIRST]]]   so many random programs, from number FIRST on */
#define RF_IMPLEMENTATION
#include "graphs.h"

#include "litmus/machine.h"
#include "litmus/objects.h"

enum { COUNT = 150, SEED = 1, DEEDS = 4, EVENTS = 26, SCHEDULES = 20000 };

/* ---- programs ---- */

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
    TAKES,
    TRIES_TAKE,
    POSTS,
    ARRIVES,
    CALLS_ONCE,
    CHOOSES,
    PARKS,
    PARKS_UNTIL,
    WAKES,
    WAKES_ALL,
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
                                    "take",
                                    "trytake",
                                    "post",
                                    "arrive",
                                    "once",
                                    "choose",
                                    "futex wait",
                                    "futex timedwait",
                                    "futex wake",
                                    "futex wake all"};

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
    {{TAKES, TRIES_TAKE, POSTS, LOADS, STORES}, 5},
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

/* Who waits with a time-out, and holds what others wait for. */
static const struct family of_holders[] = {
    {{TAKES, WAITS_UNTIL, POSTS, SIGNALS}, 4},
    {{TAKES, WAITS_UNTIL, POSTS, LOCKS, STORES}, 5},
    {{TAKES, PARKS_UNTIL, POSTS, TRIES_TAKE, WAKES}, 5},
    {{TAKES, WAITS_UNTIL, WAITS, POSTS, TELLS, BROADCASTS}, 6},
};

static const struct kinds {
    const char *what;
    const struct family *family;
    uint32_t families;
} kinds[] = {{"objects", families, RFI_LENGTH(families)},
             {"futexes", of_futexes, RFI_LENGTH(of_futexes)},
             {"holders", of_holders, RFI_LENGTH(of_holders)}};

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

static uint32_t *the_word(void) { return (uint32_t *)(void *)&cell[0]; }

static void do_park(const rf_site *site, int result, int second, bool timed) {
    rfi.current->until = rfi.run.now + 10;
    unsigned end = rfi_futex_wait(site, the_word(), 0, UINT32_MAX, timed);
    litmus_assign(&registers, result, end == RFI_FUTEX_CHANGED);
    if (end != RFI_FUTEX_CHANGED) litmus_assign(&registers, second, end != RF_WAKE_TIMEOUT);
}

static bool waits(enum deed kind) {
    return kind == WAITS || kind == WAITS_UNTIL || kind == PARKS || kind == PARKS_UNTIL;
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
        rfi_rwlock_wrlock(site, &rwlock);
        rfi_atomic_store(site, &cell[0], 4, __ATOMIC_RELAXED, &word);
        rfi_rwlock_unlock(site, &rwlock);
        return;
    case TAKES: rfi_sem_wait(site, &sem); return;
    case TRIES_TAKE: word = rfi_sem_trywait(site, &sem); break;
    case POSTS: rfi_sem_post(site, &sem); return;
    case PARKS:
    case PARKS_UNTIL:
        do_park(site, result, deeds[t][i].second, deeds[t][i].kind == PARKS_UNTIL);
        return;
    case WAKES: rfi_futex_wake(site, the_word(), UINT32_MAX, 1); return;
    case WAKES_ALL: rfi_futex_wake(site, the_word(), UINT32_MAX, INT32_MAX); return;
    case ARRIVES: word = rfi_barrier_wait(site, &barrier); break;
    case CALLS_ONCE: rfi_once(site, &once, do_once); return;
    default: word = (int)rfi_choose(site, 2); break;
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
            (void)rfi_futex_wait(&poll_site, the_word(), 0, UINT32_MAX, true);
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
    case OBJECTS_RDUNLOCK: return 1;
    case OBJECTS_ENQUEUE:
    case OBJECTS_HOLD:
    case OBJECTS_LEAVE:
    case OBJECTS_SIGNAL:
    case OBJECTS_ARRIVE: /* or a condition, a futex or a barrier */
    case OBJECTS_BROADCAST: return 2;
    default: return 3; /* a semaphore or a once */
    }
}

static struct objects_step *step(int t, enum objects_kind kind, int result) {
    struct objects_step *s = &p.step[t][p.steps[t]++];
    *s = (struct objects_step){
        .kind = kind, .location = place_of(kind), .result = result, .order = LITMUS_RLX};
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

static void steps_of_park(int t, int result, int second, bool timed) {
    step(t, OBJECTS_HOLD, -1);
    step(t, OBJECTS_FENCE, -1);
    struct objects_step *look = step(t, OBJECTS_LOAD, result), *s;
    look->unless = look->differs = true;
    look->skip = 3;
    step(t, OBJECTS_EARLY, second)->timed = timed;
    step(t, OBJECTS_ENQUEUE, -1)->waiting = true;
    s = step(t, OBJECTS_WAKE, -1);
    s->waiting = true;
    s->timed = timed;
    s->skip = 1;
    step(t, OBJECTS_LEAVE, -1);
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
        step(t, OBJECTS_SIGNAL, -1);
        step(t, OBJECTS_UNLOCK, -1);
        return;
    case PARKS:
    case PARKS_UNTIL:
        steps_of_park(t, result, deeds[t][i].second, deeds[t][i].kind == PARKS_UNTIL);
        return;
    case WAKES:
    case WAKES_ALL:
        step(t, OBJECTS_FENCE, -1);
        step(t, deeds[t][i].kind == WAKES ? OBJECTS_SIGNAL : OBJECTS_BROADCAST, -1);
        step(t, OBJECTS_FENCE, -1);
        return;
    case SIGNALS: step(t, OBJECTS_SIGNAL, -1); return;
    case BROADCASTS: step(t, OBJECTS_BROADCAST, -1); return;
    case READS:
    case TRIES_READ:
        s = step(t, deeds[t][i].kind == READS ? OBJECTS_RDLOCK : OBJECTS_TRYRD, deeds[t][i].second);
        s->skip = 2;
        step(t, OBJECTS_LOAD, result);
        step(t, OBJECTS_RDUNLOCK, -1);
        return;
    case WRITES:
        step(t, OBJECTS_LOCK, -1);
        step(t, OBJECTS_STORE, -1);
        step(t, OBJECTS_UNLOCK, -1);
        return;
    case TAKES: step(t, OBJECTS_TAKE, -1); return;
    case TRIES_TAKE: step(t, OBJECTS_TRYTAKE, result); return;
    case POSTS: step(t, OBJECTS_POST, -1); return;
    case ARRIVES:
        step(t, OBJECTS_ARRIVE, result);
        step(t, OBJECTS_DEPART, -1);
        return;
    case CALLS_ONCE:
        step(t, OBJECTS_ONCE, -1)->skip = 2;
        step(t, OBJECTS_ADD, -1);
        step(t, OBJECTS_ONCE_DONE, -1);
        return;
    default: step(t, OBJECTS_CHOOSE, result); return;
    }
}

static void draw_program(const struct kinds *k, uint64_t seed, uint64_t index) {
    uint64_t chance = seed * UINT64_C(0xd1342543de82ef95) + index;
    const struct family *f = &k->family[index % k->families];
    static const int orders[] = {LITMUS_RLX, LITMUS_ACQ, LITMUS_REL, LITMUS_SC};
    (void)litmus_below(&chance, 2);
    do {
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
                deeds[t][i].kind = kind;
                deeds[t][i].order = order;
                deeds[t][i].result = registers_used++;
                deeds[t][i].second = registers_used++;
                steps_of(t, i);
            }
        }
        p.initial[3] = f->deed[0] != ARRIVES && f->deed[0] != CALLS_ONCE;
    } while (registers_used > LITMUS_REGISTERS || p.steps[0] + p.steps[1] + p.steps[2] > EVENTS);
}

static void print_program(void) {
    for (int t = 0; t < p.threads; t++) {
        printf("#  ");
        for (int i = 0; i < deeds_of[t]; i++)
            printf(" %s %s;", words[deeds[t][i].kind], litmus_orders[deeds[t][i].order]);
        printf("\n");
    }
}

/* ---- judging ---- */

static char why[320];

/* Are the outcomes those that are expected? */
static bool same_outcomes(const struct objects_found *f, bool interleaved) {
    size_t expected = 0;
    for (size_t i = 0; i < f->set.count; i++) {
        if (interleaved && !(f->set.outcome[i].flags & LITMUS_FLAG_I)) continue;
        expected++;
        if (!litmus_find(&found.observed, &f->set.outcome[i].final)) return false;
    }
    return expected == found.observed.count;
}

/* What is wrong with how the program was explored; NULL: nothing. */
static const char *wrong(const struct objects_found *f, rf_mem_model model) {
    bool sc = model == RF_MEM_SC, stuck = sc ? f->stuck_interleaved : f->stuck;
    unsigned long graphs = sc ? f->set.interleaved : f->set.executions;
    bool end = explore("objects", model, false);
    const rfi_gstack *s = &rfi_g.stack;
    snprintf(
        why, sizeof why, "%s: %lu executions of %lu, %u twice, %u failed (%sstuck), %zu of %zu: %s",
        sc ? "sc" : "c11", found.observed.executions, graphs, found.twice, found.failed,
        stuck ? "" : "not ", found.observed.count, f->set.count, rfi_graphs_strategy.summary());
    if (graphs + s->blocked > MOST) return NULL; /* too many */
    if (!end || !stuck != !found.failed) return why;
    if (stuck) return NULL;
    bool good = !s->flaw && !found.twice && found.observed.executions == graphs;
    return good && same_outcomes(f, sc) ? NULL : why;
}

/* Depth-first search, which lets the engine do what it does: the same outcomes under sc. */
static const char *wrong_by_search(const struct objects_found *f) {
    if (p.spurious || !explore_by(&rfi_dfs, "objects", RF_MEM_SC, false)) return NULL;
    snprintf(why, sizeof why, "search: %u failed (%sstuck), %zu outcomes", found.failed,
             f->stuck_interleaved ? "" : "not ", found.observed.count);
    if (!found.failed != !f->stuck_interleaved) return why;
    return same_outcomes(f, true) ? NULL : why;
}

/* Does a thread wait more than once? */
static bool waits_again(void) {
    for (int t = 0; t < p.threads; t++) {
        int n = 0;
        for (int i = 0; i < deeds_of[t]; i++) n += waits(deeds[t][i].kind);
        if (n > 1) return true;
    }
    return false;
}

/* Where the rounds of loops are bounded, each of them may time out, or end for nothing. */
static const char *wrong_in_rounds(const struct objects_found *f) {
    if (!waits_again()) return NULL;
    one_statement = true;
    unroll = 100;
    const char *what = wrong(f, RF_MEM_C11);
    one_statement = false;
    unroll = 0;
    return what ? what : rfi_g.stack.tired || *rfi_g.stack.cut ? "rounds are left out" : NULL;
}

/* What is wrong with the program, in any of the ways; NULL: nothing. */
static const char *judge(bool search, struct objects_found *f) {
    no_spurious = !p.spurious;
    objects_outcomes(&p, f);
    const char *what = wrong(f, RF_MEM_C11);
    if (!what) what = wrong(f, RF_MEM_SC);
    if (!what) what = wrong_in_rounds(f);
    if (!what && search) what = wrong_by_search(f);
    litmus_clear(&f->set);
    return what;
}

static void drop_deed(int t, int i) {
    deeds_of[t]--;
    memmove(&deeds[t][i], &deeds[t][i + 1], (size_t)(deeds_of[t] - i) * sizeof deeds[t][0]);
    memset(p.steps, 0, sizeof p.steps);
    for (t = 0; t < p.threads; t++)
        for (i = 0; i < deeds_of[t]; i++) steps_of(t, i);
}

/* Leaves out what is not needed for something to be wrong. */
static void shrink(void) {
    struct objects_found f;
    for (int t = 0; t < p.threads; t++)
        for (int i = deeds_of[t]; i--;) {
            __typeof__(deeds) all;
            int n[LITMUS_THREADS];
            memcpy(all, deeds, sizeof deeds);
            memcpy(n, deeds_of, sizeof n);
            drop_deed(t, i);
            if (judge(true, &f)) continue;
            memcpy(deeds, all, sizeof deeds);
            memcpy(deeds_of, n, sizeof n);
        }
    drop_deed(0, deeds_of[0]++);
}

/* What ends by itself does so so many times in a row at most. */
static bool explore_rounds(const char *test, uint32_t rounds) {
    unroll = rounds;
    bool end = explore(test, RF_MEM_C11, false);
    unroll = 0;
    const rfi_gstack *s = &rfi_g.stack;
    return end && *s->cut && !s->flaw && !s->tired && !found.twice && !found.failed;
}

static void judge_rounds(void) {
    const rfi_gstack *s = &rfi_g.stack;
    for (uint32_t n = 1; n <= 4; n++) {
        /* Once it looks for the last time, and was woken before that, has timed out, or has not
         * waited at all. */
        no_spurious = true;
        bool good = explore_rounds("retries", n) && s->explored == 2 * n - 1;
        lab_check(good, "time-outs in each round", rfi_graphs_strategy.summary());
        no_spurious = false;
        good = explore_rounds("retries", n) && s->explored == 3 * (1u << (n - 1)) - 2;
        lab_check(good, "wake-ups for nothing in each round", rfi_graphs_strategy.summary());
        no_spurious = true;
        for (int i = 0; i < 3; i++) {
            futexes = i == 1;
            no_spurious = !(compares = i == 2);
            good = explore_rounds("polls", n) && !s->explored &&
                   s->blocked == (compares ? 1u << n : n + 1);
            lab_check(good, "the rounds of one thread are cut", rfi_graphs_strategy.summary());
        }
        futexes = compares = no_spurious = false;
    }
}

static void judge_fixed(const char *title, int threads, const enum deed (*does)[2]) {
    struct objects_found f;
    memset(&p, 0, sizeof p);
    p.threads = threads;
    p.locations = 4;
    p.cells = 1;
    p.parties = 2;
    for (int t = 0; t < threads; t++) {
        deeds_of[t] = does[t][1] == DEED_KINDS ? 1 : 2;
        for (int i = 0; i < deeds_of[t]; i++) {
            deeds[t][i].kind = does[t][i];
            deeds[t][i].order = LITMUS_RLX;
            deeds[t][i].result = 4 * t + 2 * i;
            deeds[t][i].second = 4 * t + 2 * i + 1;
            steps_of(t, i);
        }
    }
    const char *what = judge(true, &f);
    lab_check(!what, title, what);
}

/* Two rounds of a barrier for two, by four threads: who leaves the second one knows nothing of what
 * was done before the first one. */
static const enum deed rounds[4][2] = {
    {STORES, ARRIVES}, {ARRIVES, DEED_KINDS}, {ARRIVES, LOADS}, {ARRIVES, DEED_KINDS}};
/* Who tries for a lock in vain knows nothing of those who had it. */
static const enum deed in_vain[2][2] = {{WRITES, WRITES}, {TRIES_READ, LOADS}};

/* A waker that finds the queue held, and then two threads in it. */
static const enum deed held[4][2] = {{WAKES, DEED_KINDS},
                                     {PARKS_UNTIL, DEED_KINDS},
                                     {PARKS_UNTIL, DEED_KINDS},
                                     {STORES, DEED_KINDS}};

static void judge_all(const struct kinds *k, uint64_t count, uint64_t seed, uint64_t first) {
    unsigned long executions = 0, blocked = 0, stuck = 0, bad = 0;
    for (uint64_t i = first; i < first + count && bad < 5; i++) {
        struct objects_found f;
        draw_program(k, seed, i);
        const char *what = judge(i % 4 == 0, &f);
        executions += rfi_g.stack.explored;
        blocked += rfi_g.stack.blocked;
        stuck += f.stuck;
        if (!what) continue;
        shrink();
        what = judge(true, &f);
        bad++;
        printf("# program %llu of seed %llu%s\n# %s\n", (unsigned long long)i,
               (unsigned long long)seed, p.spurious ? ", spurious wake-ups" : "",
               what ? what : "?");
        print_program();
    }
    char title[64];
    snprintf(title, sizeof title, "programs of %s are explored exactly", k->what);
    lab_check(!bad, title, "some are not");
    printf("# %llu programs, %lu of them stuck: %lu executions, %lu blocked\n",
           (unsigned long long)count, stuck, executions, blocked);
}

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    for (unsigned t = 0; t < LITMUS_THREADS; t++)
        for (unsigned i = 0; i < DEEDS; i++)
            deed_site[t][i] = (rf_site){HERE, .line = 100 * t + i + 10, .kind = RF_SITE_OTHER};
    lab_open();
    for (uint32_t k = 0; k < RFI_LENGTH(kinds); k++) judge_all(&kinds[k], count, seed, first);
    if (argc <= 1) { /* these have found mistakes */
        judge_fixed("rounds of a barrier are apart", 4, rounds);
        judge_fixed("a try in vain orders nothing", 2, in_vain);
        judge_fixed("who finds a queue held wakes any in it", 4, held);
        judge_all(kinds, 1, 1, 1092);
        judge_all(kinds, 1, 1, 1289);
        judge_all(kinds, 1, 3, 71);
        judge_all(kinds, 1, 3, 201);
        judge_all(kinds, 1, 5, 1677);
        judge_all(kinds + 1, 1, 2, 531);
        judge_all(kinds + 2, 1, 2, 388);
        judge_rounds();
    }
    return lab_end();
}
