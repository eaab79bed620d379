/* racefuzz_mem.h by itself: models that live side by side give the same answers as one alone, and
 * leave nothing behind (tests/long/tools_valgrind.sh runs this under valgrind). */
#define RF_IMPLEMENTATION
#include "racefuzz_mem.h"
#include "check.h"

#define THREADS 5

/* The memory of a simulated program. */
typedef struct world {
    rf_mem *m;
    uint64_t random, digest; /* what it does next; what it has seen */
    uint32_t started;
    _Alignas(16) uint64_t atomic[8];
    _Alignas(16) uint64_t plain[8];
    _Alignas(16) uint64_t block[64];
} world;

static uint32_t draw(world *w, uint32_t n) {
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->random >> 33) % n;
}

static void note(world *w, const void *value, size_t n) {
    const unsigned char *bytes = value;
    for (size_t i = 0; i < n; i++) w->digest = (w->digest ^ bytes[i]) * 1099511628211u;
    const rf_mem_report *r = rf_mem_last(w->m);
    w->digest = (w->digest ^ r->flags ^ (uint64_t)r->hidden << 32) * 1099511628211u;
}

static void begin(world *w, uint64_t seed) {
    memset(w->atomic, 0, sizeof w->atomic);
    memset(w->plain, 0, sizeof w->plain);
    w->random = seed;
    w->started = 1;
    rf_mem_watch(w->m, w->plain, sizeof w->plain / 2);
    rf_mem_watch_array(w->m, w->plain + 4, sizeof *w->plain, 4);
    rf_mem_alloc(w->m, w->block, sizeof w->block);
}

static void access_atomic(world *w, uint32_t t) {
    static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_SEQ_CST};
    static const int store_orders[] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST};
    uint32_t i = draw(w, 8), how = draw(w, 5), order = draw(w, 3);
    uint64_t value[2] = {draw(w, 1000), 0}, found[2] = {0, 0};
    rf_mem_access a = {.thread = t, .addr = &w->atomic[i], .size = 8u >> i % 4, .tag = w};
    if (i % 4 == 0 && draw(w, 50) == 0) a.size = 16;
    a.order = how == 1 ? store_orders[order] : orders[order];
    if (how == 0) {
        rf_mem_load(w->m, &a, found);
    } else if (how == 1) {
        rf_mem_store(w->m, &a, value);
    } else if (how == 2) {
        rf_mem_rmw_begin(w->m, &a, found);
        note(w, found, a.size);
        rf_mem_rmw_end(w->m, value);
    } else if (how == 3) {
        memcpy(found, value, sizeof found);
        (void)rf_mem_compare_exchange(w->m, &a, __ATOMIC_RELAXED, value[0] & 1, found, value);
    } else {
        rf_mem_init(w->m, &a, value);
    }
    note(w, found, a.size);
}

static void access_plain(world *w, uint32_t t) {
    char value[40] = {0};
    uint32_t at = draw(w, 24), size = 1 + draw(w, 40);
    rf_mem_access a = {.thread = t, .order = RF_MEM_PLAIN, .size = size};
    a.addr = (draw(w, 4) ? (char *)w->plain : (char *)w->block) + at;
    for (uint32_t i = 0; i < size; i++) value[i] = (char)draw(w, 3);
    if (draw(w, 2))
        rf_mem_load(w->m, &a, value);
    else
        rf_mem_store(w->m, &a, value);
    note(w, value, size);
}

static void step(world *w) {
    uint32_t t = draw(w, w->started), what = draw(w, 40);
    if (what < 16)
        access_atomic(w, t);
    else if (what < 30)
        access_plain(w, t);
    else if (what < 33)
        rf_mem_release(w->m, t, draw(w, 3));
    else if (what < 36)
        rf_mem_acquire(w->m, t, draw(w, 3));
    else if (what < 37)
        rf_mem_fence(w->m, t, draw(w, 2) ? __ATOMIC_SEQ_CST : __ATOMIC_ACQ_REL);
    else if (what < 38)
        rf_mem_forget(w->m, w->block + draw(w, 60), 24);
    else if (w->started < THREADS)
        rf_mem_fork(w->m, t, w->started++);
}

static void end(world *w) {
    for (uint32_t t = 1; t < w->started; t++) {
        rf_mem_exit(w->m, t);
        rf_mem_join(w->m, 0, t);
    }
    uint64_t value;
    rf_mem_access a = {.order = __ATOMIC_RELAXED, .addr = &w->atomic[4], .size = 8};
    rf_mem_load(w->m, &a, &value); /* after all joins */
    note(w, &value, sizeof value);
}

/* Execution number `i`. */
static rf_mem_options options(uint64_t i) {
    return (rf_mem_options){.atomics = i % 7 ? RF_MEM_C11 : RF_MEM_C11_FAST,
                            .atomic_pick = (rf_heuristic)(i % 7),
                            .plain_pick = (rf_heuristic)(i / 7 % 7),
                            .history = (uint32_t)(i % 3) * 20,
                            .cxx20 = i % 2};
}

#define EXECUTIONS 60
#define STEPS      400

/* Stores and loads that the caller makes itself: the newest value, and it was announced. */
CASE(in_place) {
    rf_mem *m = rf_mem_new(NULL);
    unsigned wrong = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        int x = 0, got = 0;
        rf_mem_access a = {
            .order = __ATOMIC_RELAXED, .addr = &x, .size = sizeof x, .in_place = true};
        rf_mem_reset(m, seed, NULL);
        rf_mem_fork(m, 0, 1);
        for (int i = 1; i < 4; i++) {
            a.thread = 1;
            rf_mem_store(m, &a, &x);
            x = i;
            a.thread = 0;
            rf_mem_load(m, &a, &got);
            wrong += got != i || x != i || rf_mem_last(m)->flags;
        }
    }
    rf_mem_free(m);
    check(!wrong, "accesses_in_place_find_the_newest_value");
}

/* A store that is old in time may come late in mo: it stays as long as somebody may read it. */
CASE(old_in_time_only) {
    rf_mem *m = rf_mem_new(NULL);
    unsigned seen = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        static int x;
        int got;
        rf_mem_access a = {.order = __ATOMIC_RELAXED, .addr = &x, .size = sizeof x};
        rf_mem_options o = {.atomics = RF_MEM_C11};
        rf_mem_reset(m, seed, &o);
        x = 0;
        for (uint32_t t = 1; t < 3; t++) rf_mem_fork(m, 0, t);
        for (int i = 1; i < 9; i++) {
            a.thread = i == 1 ? 1 : 2;
            rf_mem_store(m, &a, &i);
            if (i != 6) continue; /* all know this one before there are so many that some go */
            rf_mem_release(m, 2, 7);
            for (uint32_t t = 0; t < 2; t++) rf_mem_acquire(m, t, 7);
        }
        a.thread = 0;
        rf_mem_load(m, &a, &got);
        seen += got == 1;
    }
    rf_mem_free(m);
    check(seen > 0, "what_is_old_in_time_only_is_not_forgotten");
}

CASE(forgotten_in_part) {
    static char block[64];
    rf_mem *m = rf_mem_new(NULL);
    int got;
    rf_mem_access a = {.order = __ATOMIC_RELAXED, .size = sizeof got};
    bool fresh[3];
    rf_mem_alloc(m, block, sizeof block);
    rf_mem_forget(m, block + 16, 16);
    for (unsigned i = 0; i < 3; i++) {
        a.addr = block + 16 * i;
        rf_mem_load(m, &a, &got);
        fresh[i] = rf_mem_last(m)->flags & RF_MEM_INDETERMINATE;
    }
    rf_mem_free(m);
    check(fresh[0] && !fresh[1] && fresh[2], "memory_on_either_side_of_what_is_forgotten_is_fresh");
}

/* Memory that was an atomic of one size in an execution is one of another in the next: flags of
 * the accesses of a thread that nothing orders after the one before it.  Halves of 16 bytes have
 * none. */
CASE(sizes_of_executions) {
    static _Alignas(16) uint64_t word[2];
    rf_mem *m = rf_mem_new(NULL);
    unsigned flags[2] = {0, 0};
    for (uint32_t i = 0; i < 40; i++) {
        uint64_t value[2] = {i, i}, got[2];
        rf_mem_access a = {.order = __ATOMIC_RELAXED, .addr = word, .size = 16u >> i % 5};
        rf_mem_reset(m, i, NULL);
        rf_mem_fork(m, 0, 1);
        rf_mem_store(m, &a, value);
        a.thread = 1;
        rf_mem_load(m, &a, got);
        flags[0] |= rf_mem_last(m)->flags & RF_MEM_MISFIT;
        a.size = a.size == 1 ? 2 : a.size / 2;
        rf_mem_load(m, &a, got);
        flags[1] += (rf_mem_last(m)->flags & RF_MEM_MISFIT) != 0;
    }
    rf_mem_free(m);
    check(!flags[0] && flags[1] == 32, "sizes_are_those_of_the_execution");
}

/* A thread stores to a half of the word, if `half`, then another one loads the word. */
static bool misfits(rf_mem *m, bool half) {
    static uint64_t other, word;
    uint64_t value = 1;
    rf_mem_access a = {.order = __ATOMIC_RELAXED, .addr = &other, .size = 8};
    rf_mem_reset(m, 1, NULL);
    rf_mem_fork(m, 0, 1);
    rf_mem_store(m, &a, &value);
    a = (rf_mem_access){.order = __ATOMIC_RELAXED, .addr = (char *)&word + 4, .size = 4};
    if (half) rf_mem_store(m, &a, &value);
    a = (rf_mem_access){.thread = 1, .order = __ATOMIC_RELAXED, .addr = &word, .size = 8};
    rf_mem_load(m, &a, &value);
    return rf_mem_last(m)->flags & RF_MEM_MISFIT;
}

CASE(sizes_come_back) {
    rf_mem *m = rf_mem_new(NULL);
    bool found = misfits(m, true), not_found = !misfits(m, false), again = misfits(m, true);
    rf_mem_free(m);
    check(found && not_found && again, "a_size_of_earlier_executions_comes_back");
}

/* Are places forgotten that were of use in earlier executions only? */
CASE(places_of_executions) {
    enum { PLACES = 1 << 16 };
    uint64_t *word = calloc(PLACES, sizeof *word), value = 1;
    rf_mem *m = rf_mem_new(NULL);
    uint32_t most = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        rf_mem_access a = {.order = __ATOMIC_RELAXED, .addr = &word[i], .size = sizeof *word};
        rf_mem_reset(m, i, NULL);
        rf_mem_store(m, &a, &value);
        if (m->atomics.kept > most) most = m->atomics.kept;
    }
    rf_mem_free(m);
    free(word);
    check(most < PLACES / 16, "places_of_earlier_executions_are_forgotten");
}

/* Runs worlds from..to - 1 side by side, on models of their own; their digests. */
static void run(unsigned from, unsigned to, uint64_t digest[3]) {
    static world worlds[3];
    memset(worlds, 0, sizeof worlds);
    for (unsigned k = from; k < to; k++) worlds[k].m = rf_mem_new(NULL);
    for (uint64_t i = 0; i < EXECUTIONS; i++) {
        for (unsigned k = from; k < to; k++) {
            rf_mem_options o = options(i + k);
            rf_mem_reset(worlds[k].m, i, &o);
            begin(&worlds[k], i * 3 + k);
        }
        for (unsigned n = 0; n < STEPS; n++)
            for (unsigned k = from; k < to; k++) step(&worlds[k]);
        for (unsigned k = from; k < to; k++) end(&worlds[k]);
    }
    for (unsigned k = from; k < to; k++) {
        digest[k] = worlds[k].digest;
        rf_mem_free(worlds[k].m);
    }
}

enum { MANY = 80 };

static uint64_t read_by(rf_mem *m, uint64_t *x, uint32_t t) {
    rf_mem_access a = {.thread = t, .order = __ATOMIC_RELAXED, .addr = x, .size = 8};
    uint64_t value;
    rf_mem_load(m, &a, &value);
    return value;
}

/* The last of many threads that have read a variable reads it again, until it finds the newest
 * value; then another one hears of that: does it find an older value? */
static bool goes_back(rf_mem *m, uint64_t seed) {
    uint64_t x = 0, value;
    rf_mem_access a = {.order = __ATOMIC_RELAXED, .addr = &x, .size = 8};
    rf_mem_reset(m, seed, NULL);
    for (uint32_t t = 1; t <= MANY; t++) rf_mem_fork(m, 0, t);
    for (uint32_t t = 1; t < MANY; t++) (void)read_by(m, &x, t);
    for (value = 1; value <= 3; value++) rf_mem_store(m, &a, &value);
    while (read_by(m, &x, MANY - 1) != 3) continue;
    rf_mem_release(m, MANY - 1, 1);
    rf_mem_acquire(m, MANY, 1);
    return read_by(m, &x, MANY) != 3;
}

CASE(many_readers) {
    rf_mem *m = rf_mem_new(NULL);
    unsigned back = 0;
    for (uint64_t seed = 0; seed < 100; seed++) back += goes_back(m, seed);
    rf_mem_free(m);
    check(!back, "coherence_holds_for_the_last_of_many_readers");
}

int main(void) {
    uint64_t alone[3], together[3];
    for (unsigned k = 0; k < 3; k++) run(k, k + 1, alone);
    check(alone[0] != alone[1] && alone[1] != alone[2], "programs_differ");
    run(0, 3, together);
    check(!memcmp(alone, together, sizeof alone), "models_share_nothing");
    rf_mem_free(NULL);
    return check_cases();
}
