// flags: -Isrc
/* Plain data under suspicion: the rules of the progressive Java memory model against its definition
 * on random traces, the figures of the paper, heuristics, tearing, and the bounds of the history.
 */
#define RF_IMPLEMENTATION
#include "mem/plain.h"

static unsigned passed, failed;

static void check(bool ok, const char *name, const char *why) {
    printf("%s %s%s%s\n", ok ? "ok" : "not ok", name, ok ? "" : ": ", ok ? "" : why);
    *(ok ? &passed : &failed) += 1;
}
#define CHECK(name, condition) check((condition), (name), #condition)

/* ---- a simulator: threads, four locks, 192 bytes of memory ---- */

enum { BYTES = 192, OBJECTS = 4 };

static rfi_core core;
static rfi_plain plain;
static rfi_message object[OBJECTS];
static _Alignas(64) uint8_t memory[BYTES];
static uint8_t initial[BYTES];

static void begin(rf_mem_options o, uint64_t seed) {
    if (!o.history) o.history = RF_MEM_HISTORY;
    if (!o.fairness) o.fairness = RF_MEM_FAIRNESS;
    if (!o.sample) o.sample = 3;
    core.options = o;
    core.plain_pick = o.plain_pick;
    core.chance = rfi_prng_make(rfi_mix(seed + 1), 0);
    rfi_actors_reset(&core.threads);
    rfi_actor_of(&core.threads, 0);
    rfi_plain_reset(&plain);
    memset(object, 0, sizeof object);
    memcpy(memory, initial, sizeof memory);
}

static void fork_thread(uint32_t t, uint32_t u) { rfi_actor_fork(&core.threads, t, u); }
static void end_thread(uint32_t t) { rfi_actor_of(&core.threads, t)->ended = true; }
static void join_thread(uint32_t t, uint32_t u) { rfi_actor_join(&core.threads, t, u); }
static void release(uint32_t t, uint32_t o) { rfi_message_add(&core.threads, t, &object[o]); }
static void acquire(uint32_t t, uint32_t o) { rfi_actor_receive(&core.threads, t, &object[o]); }
static void watch(uint32_t at, size_t size) {
    rfi_plain_watch(&core, &plain, (uintptr_t)&memory[at], size);
}

static rf_mem_access access_to(uint32_t t, uint32_t at, size_t size) {
    memset(&core.report, 0, sizeof core.report);
    return (rf_mem_access){t, RF_MEM_PLAIN, &memory[at], size, &memory[at], false, false};
}

static void load_bytes(uint32_t t, uint32_t at, size_t size, void *out) {
    rf_mem_access a = access_to(t, at, size);
    rfi_plain_load(&core, &plain, &a, out);
}

static void store_bytes(uint32_t t, uint32_t at, size_t size, const void *in) {
    rf_mem_access a = access_to(t, at, size);
    rfi_plain_store(&core, &plain, &a, in);
}

static uint64_t load(uint32_t t, uint32_t at, size_t size) {
    uint64_t value = 0;
    load_bytes(t, at, size, &value);
    return value;
}

static void store(uint32_t t, uint32_t at, size_t size, uint64_t value) {
    store_bytes(t, at, size, &value);
}

static uint32_t history(uint32_t at) { return rfi_plain_history(&plain, (uintptr_t)&memory[at]); }

static unsigned flags(void) { return core.report.flags; }

/* ---- all that a read may return, by way of the model's own choices ---- */

enum { DEPTH = 64, OUTCOMES = 1 << 14, WIDEST = 16 };

static struct { uint32_t choice[DEPTH], among[DEPTH], depth, length; } path;

static uint32_t choose(void *arg, uint32_t n) {
    (void)arg;
    if (path.depth == path.length) {
        if (path.length == DEPTH) rfi_die("a read with too many choices");
        path.choice[path.length++] = 0;
    }
    path.among[path.depth] = n;
    return path.choice[path.depth++];
}

static bool choose_next(void) {
    while (path.length && path.choice[path.length - 1] + 1 == path.among[path.length - 1])
        path.length--;
    if (!path.length) return false;
    path.choice[path.length - 1]++;
    return true;
}

typedef struct outcomes {
    uint32_t n;
    uint8_t value[OUTCOMES][WIDEST];
} outcomes;

static void outcome(outcomes *set, const uint8_t *value, size_t size) {
    if (set->n == OUTCOMES) return;
    memset(set->value[set->n], 0, WIDEST);
    memcpy(set->value[set->n++], value, size);
}

static int outcome_order(const void *a, const void *b) { return memcmp(a, b, WIDEST); }

static void outcomes_sort(outcomes *set) {
    uint32_t n = 0;
    qsort(set->value, set->n, WIDEST, outcome_order);
    for (uint32_t i = 0; i < set->n; i++)
        if (!n || memcmp(set->value[n - 1], set->value[i], WIDEST))
            memmove(set->value[n++], set->value[i], WIDEST);
    set->n = n;
}

static bool outcomes_hold(const outcomes *set, const void *value, size_t size) {
    uint8_t key[WIDEST] = {0};
    memcpy(key, value, size);
    return bsearch(key, set->value, set->n, WIDEST, outcome_order) != NULL;
}

static void enumerate(outcomes *set, uint32_t t, uint32_t at, size_t size) {
    uint8_t value[WIDEST];
    core.options.choose = choose;
    set->n = path.length = 0;
    do {
        path.depth = 0;
        load_bytes(t, at, size, value);
        outcome(set, value, size);
    } while (choose_next());
    core.options.choose = NULL;
    outcomes_sort(set);
}

/* The outcomes of a read of one value, sorted, as text: "0 13 42". */
static const char *seen(uint32_t t, uint32_t at, size_t size) {
    static outcomes set;
    static char text[4096];
    uint64_t values[256];
    enumerate(&set, t, at, size);
    uint32_t n = set.n < 256 ? set.n : 256;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, set.value[i], sizeof value);
        uint32_t k = i;
        for (; k && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
    char *end = text;
    *end = 0;
    for (uint32_t i = 0; i < n; i++)
        end += sprintf(end, i ? " %llx" : "%llx", (unsigned long long)values[i]);
    return text;
}
#define SEES(t, at, size, text) (!strcmp(seen(t, at, size), text))

/* ---- the definition, on the trace ---- */

enum { EVENTS = 64, THREADS = 4, INITIAL = -1 };
enum { STORE, LOAD, RELEASE, ACQUIRE, FORK, JOIN, EXIT };

typedef struct event {
    unsigned kind, thread, other; /* other: thread or object */
    uint32_t at, size;
    uint8_t value[BYTES];
    uint64_t past; /* the events that happen before it */
} event;

static event trace[EVENTS];
static int events;
static uint32_t watched_from, watched_to;

static void before(uint64_t *past, int i) { *past |= trace[i].past | UINT64_C(1) << i; }

/* What happens before the next event of a thread. */
static uint64_t past_of(unsigned kind, unsigned t, unsigned other) {
    uint64_t past = 0;
    for (int i = 0; i < events; i++) {
        const event *e = &trace[i];
        if (e->thread == t || (e->kind == FORK && e->other == t) ||
            (kind == JOIN && e->thread == other) ||
            (kind == ACQUIRE && e->kind == RELEASE && e->other == other))
            before(&past, i);
    }
    return past;
}

static bool in(uint64_t set, int i) { return set >> i & 1; }

static bool covers(int w, uint32_t byte) {
    return w == INITIAL ||
           (trace[w].kind == STORE && byte >= trace[w].at && byte < trace[w].at + trace[w].size);
}

/* Write `w` may be seen at a byte by a read after `past`: no other write lies between them. */
static bool visible(int w, uint32_t byte, uint64_t past) {
    if (!covers(w, byte)) return false;
    for (int c = 0; c < events; c++)
        if (c != w && covers(c, byte) && in(past, c) && (w == INITIAL || in(trace[c].past, w)))
            return false;
    return true;
}

static uint8_t value_of(int w, uint32_t byte) {
    return w == INITIAL ? initial[byte] : trace[w].value[byte - trace[w].at];
}

static bool is_watched(uint32_t byte) { return byte >= watched_from && byte < watched_to; }

static int newest_of(uint32_t byte) {
    int w = events - 1;
    while (w >= 0 && !covers(w, byte)) w--;
    return w;
}

typedef struct reading {
    uint32_t at, size;
    bool torn; /* each unit by itself */
    uint64_t past;
    int from[BYTES]; /* the write of each byte */
} reading;

/* Two bytes of a read come from two writes: the newer one must not have written both. */
static bool fit(const reading *r, uint32_t i, uint32_t k) {
    uint32_t p = r->at + i, q = r->at + k;
    if (!is_watched(p) || !is_watched(q)) return true;
    if (r->torn && p / 4 != q / 4) return true;
    return r->from[i] >= r->from[k] ? r->from[i] == r->from[k] || !covers(r->from[i], q)
                                    : !covers(r->from[k], p);
}

static void define_from(outcomes *set, reading *r, uint32_t i) {
    if (set->n == OUTCOMES) return;
    if (i == r->size) {
        uint8_t value[WIDEST];
        for (uint32_t k = 0; k < r->size; k++) value[k] = value_of(r->from[k], r->at + k);
        outcome(set, value, r->size);
        return;
    }
    for (int w = INITIAL; w < events; w++) {
        if (is_watched(r->at + i) ? !visible(w, r->at + i, r->past) : w != newest_of(r->at + i))
            continue;
        r->from[i] = w;
        uint32_t k = 0;
        while (k < i && fit(r, k, i)) k++;
        if (k == i) define_from(set, r, i + 1);
    }
}

/* All that the definition allows; false if that is too much. */
static bool define(outcomes *set, unsigned t, uint32_t at, uint32_t size, bool torn) {
    reading r = {.at = at, .size = size, .torn = torn, .past = past_of(LOAD, t, 0)};
    set->n = 0;
    define_from(set, &r, 0);
    bool all = set->n < OUTCOMES;
    outcomes_sort(set);
    return all;
}

/* ---- random traces ---- */

typedef struct world {
    rf_prng random;
    bool alive[THREADS], born[THREADS], joined[THREADS];
    uint32_t room;   /* bytes that accesses lie in */
    uint32_t widest; /* access */
    bool unique;     /* each store writes a number of its own; else there are two values */
} world;

static event *add(world *w, unsigned kind, unsigned t, unsigned other) {
    (void)w;
    uint64_t past = past_of(kind, t, other);
    event *e = &trace[events++];
    *e = (event){.kind = kind, .thread = t, .other = other, .past = past};
    return e;
}

static void somewhere(world *w, uint32_t *at, uint32_t *size) {
    static const uint8_t sizes[] = {1, 2, 4, 4, 4, 8, 8, 3, 6, 12, 16};
    do *size = sizes[rfi_below(&w->random, sizeof sizes)];
    while (*size > w->widest);
    if (w->widest > 16 && !rfi_below(&w->random, 8)) *size = 1 + rfi_below(&w->random, w->widest);
    *at = rfi_below(&w->random, w->room - *size + 1);
    if (rfi_below(&w->random, 4)) *at -= *at % (*size < 4 ? *size : 4);
}

/* One step of a random program; a store or a load is left to the caller. */
static event *step(world *w) {
    rf_prng *r = &w->random;
    unsigned t, u = rfi_below(r, THREADS), o = rfi_below(r, OBJECTS / 2);
    do t = rfi_below(r, THREADS);
    while (!w->alive[t]);
    unsigned what = rfi_below(r, 20);
    if (what < 10 || what >= 17) {
        event *e = add(w, what < 10 ? STORE : LOAD, t, 0);
        somewhere(w, &e->at, &e->size);
        return e;
    }
    if (what < 12) {
        if (!w->born[u]) {
            add(w, FORK, t, u);
            fork_thread(t, u);
            w->born[u] = w->alive[u] = true;
        }
    } else if (what < 14) {
        add(w, RELEASE, t, o);
        release(t, o);
    } else if (what < 16) {
        add(w, ACQUIRE, t, o);
        acquire(t, o);
    } else if (u && w->alive[u] && t != u && rfi_coin(r)) {
        add(w, EXIT, u, 0);
        end_thread(u);
        w->alive[u] = false;
    } else if (w->born[u] && !w->alive[u] && !w->joined[u]) {
        add(w, JOIN, t, u);
        join_thread(t, u);
        w->joined[u] = true;
    }
    return NULL;
}

static void do_store(world *w, event *e) {
    uint8_t two = (uint8_t)(240 + rfi_below(&w->random, 2));
    for (uint32_t i = 0; i < e->size; i++) e->value[i] = w->unique ? (uint8_t)events : two;
    store_bytes(e->thread, e->at, e->size, e->value);
}

static world world_begin(rf_mem_options o, uint64_t seed, uint32_t room, uint32_t widest) {
    world w = {.random = rfi_prng_make(rfi_mix(seed), 1), .room = room, .widest = widest};
    for (uint32_t i = 0; i < BYTES; i++) initial[i] = (uint8_t)(128 + i % 100);
    events = 0;
    begin(o, seed);
    w.alive[0] = w.born[0] = true;
    w.unique = rfi_below(&w.random, 3);
    watched_from = 0;
    watched_to = room;
    if (!rfi_below(&w.random, 4)) {
        watched_from = rfi_below(&w.random, room / 2);
        watched_to = room - rfi_below(&w.random, room / 2);
    }
    watch(watched_from, watched_to - watched_from);
    return w;
}

/* The visible set of every read of random traces: what the model offers and what is allowed. */
static void against_the_definition(void) {
    static outcomes model, allowed;
    uint32_t reads = 0, several = 0, different = 0, left_out = 0, collected = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        bool whole = seed % 3 == 0;
        uint32_t room = seed % 5 ? 8 : 16, widest = seed % 5 ? 8 : 16, stores = 0;
        world w = world_begin((rf_mem_options){.whole = whole, .history = 64}, seed, room, widest);
        while (events < 40) {
            event *e = step(&w);
            if (!e) continue;
            if (e->kind == STORE) {
                do_store(&w, e);
                stores += e->at < 4;
                continue;
            }
            if (!define(&allowed, e->thread, e->at, e->size, e->size >= 8 && !whole)) {
                left_out++;
                continue;
            }
            enumerate(&model, e->thread, e->at, e->size);
            reads++;
            several += allowed.n > 1;
            different += allowed.n != model.n ||
                         memcmp(allowed.value, model.value, allowed.n * sizeof *allowed.value);
        }
        if (watched_from == 0) collected += stores + 1 - (history(0) ? history(0) : stores + 1);
    }
    printf("# %u reads, %u with several values, %u left out; %u writes collected\n", reads, several,
           left_out, collected);
    CHECK("a_read_may_return_what_the_definition_allows_and_nothing_else",
          different == 0 && several > 5000 && left_out < reads / 50);
    CHECK("collecting_writes_changes_no_visible_set", different == 0 && collected > 2000);
}

/* With short histories something is missing, but never the newest; nothing is added. */
static void short_histories(void) {
    static outcomes model, allowed;
    uint32_t reads = 0, wrong = 0, unseen = 0, missing = 0, longer = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        uint32_t bound = 2 + (uint32_t)(seed % 5);
        world w = world_begin((rf_mem_options){.history = bound}, seed + 70000, 8, 8);
        while (events < 50) {
            event *e = step(&w);
            if (!e) continue;
            if (e->kind == STORE) {
                do_store(&w, e);
                for (uint32_t i = 0; i < 8; i += 4) longer += history(i) > (bound < 4 ? 4 : bound);
                continue;
            }
            if (!define(&allowed, e->thread, e->at, e->size, e->size >= 8)) continue;
            enumerate(&model, e->thread, e->at, e->size);
            reads++;
            for (uint32_t i = 0; i < model.n; i++)
                wrong += !outcomes_hold(&allowed, model.value[i], WIDEST);
            unseen += !outcomes_hold(&model, &memory[e->at], e->size);
            missing += model.n < allowed.n;
        }
    }
    CHECK("a_short_history_adds_nothing_and_keeps_the_newest",
          wrong == 0 && unseen == 0 && missing > reads / 10);
    CHECK("a_history_is_no_longer_than_its_bound", longer == 0);
}

/* Which write each byte came from; false if none could be seen there. */
static bool explain(reading *r, const uint8_t *value) {
    for (uint32_t i = 0; i < r->size; i++) {
        uint32_t byte = r->at + i;
        int w = value[i] >= 128 ? INITIAL : value[i] - 1;
        r->from[i] = w;
        if (w >= events || value_of(w, byte) != value[i]) return false;
        if (is_watched(byte) ? !visible(w, byte, r->past) : w != newest_of(byte)) return false;
    }
    return true;
}

static int tag_of(const rf_mem_origin *o) {
    return o->thread == RF_MEM_NOBODY ? INITIAL : (int)((const event *)o->tag - trace);
}

/* What the report says about a read, by the definition. */
static bool report_is_true(const reading *r) {
    const rf_mem_report *told = &core.report;
    int from = tag_of(&told->from), other = tag_of(&told->other);
    bool stale = false, torn = false, from_stale = false, pair = false;
    uint32_t any = 0;
    int oldest = EVENTS;
    for (uint32_t i = 0; i < r->size; i++) {
        if (!is_watched(r->at + i)) continue;
        any++;
        int newest = newest_of(r->at + i);
        if (r->from[i] != newest) {
            stale = true;
            if (r->from[i] != INITIAL && r->from[i] < oldest) oldest = r->from[i];
        }
        from_stale |= r->from[i] == from && from != newest;
        for (uint32_t k = 0; k < r->size; k++) {
            if (!is_watched(r->at + k) || r->from[i] >= r->from[k]) continue;
            if (!covers(r->from[k], r->at + i)) continue;
            torn = true;
            pair |= r->from[i] == from && r->from[k] == other;
        }
    }
    if (!any) return !told->flags;
    return stale == !!(told->flags & RF_MEM_STALE) && torn == !!(told->flags & RF_MEM_TORN) &&
           stale == (told->hidden > 0) && (!stale || from_stale) && (!torn || pair) &&
           (!stale || torn || from == INITIAL || from == oldest);
}

/* Heuristics, with accesses of up to 160 bytes: bytes, pairs of bytes and the report. */
static void heuristics_against_the_definition(void) {
    uint32_t reads = 0, invisible = 0, mixed = 0, untrue = 0, stale = 0, torn = 0, parts = 0;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        rf_mem_options o = {.plain_pick = (rf_heuristic)(seed % RF_PICK_MIXED),
                            .whole = seed / 7 % 2,
                            .history = seed % 11 ? 64 : 3,
                            .fairness = 1 + (uint32_t)(seed % 20)};
        uint32_t room = seed % 4 ? 12 : 160;
        world w = world_begin(o, seed + 10000, room, o.whole && room > 60 ? 60 : room);
        w.unique = true;
        while (events < 60) {
            event *e = step(&w);
            if (!e) continue;
            rf_mem_access a = access_to(e->thread, e->at, e->size);
            a.tag = e;
            if (e->kind == STORE) {
                memset(e->value, events, e->size);
                rfi_plain_store(&core, &plain, &a, e->value);
                continue;
            }
            uint8_t value[BYTES];
            bool tears = e->size >= 8 && !o.whole;
            reading r = {.at = e->at, .size = e->size, .torn = tears, .past = e->past};
            rfi_plain_load(&core, &plain, &a, value);
            reads++;
            if (!explain(&r, value)) {
                invisible++;
                continue;
            }
            bool fits = true;
            for (uint32_t i = 0; i < r.size; i++)
                for (uint32_t k = 0; k < i; k++) {
                    fits &= fit(&r, i, k);
                    parts += r.from[i] != r.from[k];
                }
            mixed += !fits;
            untrue += !report_is_true(&r);
            stale += flags() & RF_MEM_STALE;
            torn += (flags() & RF_MEM_TORN) != 0;
        }
    }
    printf("# %u reads, %u stale, %u torn\n", reads, stale, torn);
    CHECK("each_byte_returned_is_of_a_write_that_is_visible_there",
          invisible == 0 && stale > reads / 20);
    CHECK("one_store_is_never_seen_in_part_below_units", mixed == 0 && torn > 500 && parts > 1000);
    CHECK("the_report_says_which_write_was_stale_or_seen_in_part", untrue == 0);
}

/* ---- the paper ---- */

static void figure_7(void) {
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){0}, 1);
    enum { M, OTHER };
    rfi_actor_of(&core.threads, 1);
    watch(0, 4);
    for (int i = 0; i < 3; i++) release(0, OTHER);
    for (int i = 0; i < 6; i++) release(1, OTHER + 1);
    const rfi_actor *c = core.threads.thread;
    bool start = c[0].own == 4 && !rfi_clock_get(&c[0].clock, 1) && c[1].own == 7 &&
                 !rfi_clock_get(&c[1].clock, 0);
    acquire(0, M);
    CHECK("figure_7_before_the_writes", start && SEES(1, 0, 4, "0"));
    store(0, 0, 4, 13);
    CHECK("figure_7_13_is_written", SEES(1, 0, 4, "0 d") && SEES(0, 0, 4, "d") && history(0) == 2);
    store(0, 0, 4, 42);
    CHECK("figure_7_42_is_written",
          SEES(1, 0, 4, "0 d 2a") && SEES(0, 0, 4, "2a") && history(0) == 3);
    release(0, M);
    CHECK("figure_7_unlock",
          c[0].own == 5 && rfi_clock_get(&object[M].clock, 0) == 4 && object[M].clock.n == 1);
    CHECK("figure_7_racy_read", SEES(1, 0, 4, "0 d 2a") && core.report.visible == 3);
    acquire(1, M);
    CHECK("figure_7_lock", c[1].own == 7 && rfi_clock_get(&c[1].clock, 0) == 4);
    CHECK("figure_7_ordered_read", SEES(1, 0, 4, "2a") && core.report.visible == 1);
    CHECK("figure_7_collected", history(0) == 1);
}

/* Section 8.4 of algorithms: how long histories get. */
static void buffer_kernels(void) {
    uint32_t same = 0, bound = 0, synchronised = 0, alone = 0, oldest_gone = 0;
    memset(initial, 0, sizeof initial);
#define LONGEST(n) \
 if (history(0) > n) n = history(0)
    begin((rf_mem_options){0}, 1);
    watch(0, 4);
    fork_thread(0, 1);
    for (int i = 0; i < 1000; i++) {
        store(1, 0, 4, 5);
        LONGEST(same);
    }
    begin((rf_mem_options){0}, 1);
    watch(0, 4);
    fork_thread(0, 1);
    for (uint64_t i = 1; i <= 1000; i++) {
        store(1, 0, 4, i);
        LONGEST(bound);
    }
    outcomes set;
    enumerate(&set, 0, 0, 4);
    for (uint32_t v = 1000 - 31; v <= 1000; v++) oldest_gone += outcomes_hold(&set, &v, 4);
    begin((rf_mem_options){0}, 1);
    watch(0, 4);
    fork_thread(0, 1);
    for (uint64_t i = 1; i <= 1000; i++) {
        store(1, 0, 4, i);
        LONGEST(synchronised);
        release(1, 0);
        acquire(0, 0);
    }
    begin((rf_mem_options){0}, 1);
    watch(0, 4);
    fork_thread(0, 1);
    fork_thread(0, 2);
    end_thread(2);
    join_thread(1, 0);
    for (uint64_t i = 1; i <= 1000; i++) {
        store(1, 0, 4, i);
        LONGEST(alone);
    }
    printf("# 1,000 writes: %u, %u, %u, %u kept\n", same, bound, synchronised, alone);
    CHECK("writes_of_one_value_are_kept_once", same == 2);
    CHECK("the_oldest_of_too_many_writes_is_removed",
          bound == 32 && set.n == 32 && oldest_gone == 32);
    CHECK("what_the_other_thread_has_learned_is_collected", synchronised == 2);
    CHECK("ended_threads_keep_nothing", alone == 1);
}

static void collecting(void) {
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){0}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    fork_thread(0, 2);
    store(1, 0, 4, 1);
    store(1, 0, 4, 2);
    release(1, 0);
    acquire(0, 0);
    load(0, 0, 4);
    bool stays = history(0) == 3 && SEES(2, 0, 4, "0 1 2");
    acquire(2, 0);
    load(2, 0, 4);
    CHECK("a_write_stays_as_long_as_one_live_thread_can_see_it", stays && history(0) == 1);
    /* A thread that starts later knows what its parent knows. */
    fork_thread(2, 3);
    CHECK("a_later_thread_misses_nothing_that_was_collected", SEES(3, 0, 4, "2"));
    store(1, 4, 4, 1);
    store(1, 4, 4, 2);
    store(1, 4, 4, 1);
    bool alternating = history(4) == 3 && SEES(0, 4, 4, "0 1 2");
    release(1, 0);
    store(1, 4, 4, 1);
    CHECK("equal_values_with_equal_clocks_are_one",
          alternating && history(4) == 4 && SEES(0, 4, 4, "0 1 2"));
    begin((rf_mem_options){0}, 1);
    watch(0, 4);
    fork_thread(0, 1);
    store(1, 0, 4, 1);
    release(1, 0);
    store(1, 0, 4, 2);
    acquire(0, 0);
    load(0, 0, 4);
    bool first = history(0) == 2;
    release(1, 0);
    acquire(0, 0);
    load(0, 0, 4);
    CHECK("reading_collects_after_each_thing_learned", first && history(0) == 1);
    end_thread(0);
    end_thread(1);
    store(1, 0, 4, 3);
    CHECK("the_newest_stays_when_everybody_has_ended", history(0) == 1 && SEES(1, 0, 4, "3"));
    /* The second 8-byte store equals the first one in one half only: both halves stay. */
    begin((rf_mem_options){.whole = true}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    store(1, 0, 8, UINT64_C(0x100000002));
    store(1, 0, 8, UINT64_C(0x100000003));
    bool halves = SEES(0, 0, 8, "0 100000002 100000003");
    store(1, 0, 8, UINT64_C(0x100000002));
    CHECK("equal_halves_of_different_values_are_not_one",
          halves && history(0) == 3 && history(4) == 3 && SEES(0, 0, 8, "0 100000002 100000003"));
}

/* ---- choosing ---- */

/* Thread 1 has written 1 .. n, unseen by thread 0. */
static void written(rf_heuristic pick, uint32_t fairness, uint64_t n) {
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){.plain_pick = pick, .fairness = fairness}, 99);
    watch(0, 8);
    fork_thread(0, 1);
    for (uint64_t i = 1; i <= n; i++) store(1, 0, 4, i);
}

static uint32_t drawn[8];

static void draw(uint32_t times) {
    memset(drawn, 0, sizeof drawn);
    for (uint32_t i = 0; i < times; i++) drawn[load(0, 0, 4) & 7]++;
}

static bool near(uint32_t n, uint32_t expected) { /* six standard deviations of 40,000 draws */
    return n + 600 > expected && n < expected + 600;
}

static void heuristics(void) {
    const uint32_t many = 40000, never = UINT32_MAX;
    written(RF_PICK_NEWEST, never, 4);
    draw(100);
    CHECK("newest_is_sequentially_consistent", drawn[4] == 100 && !flags());
    written(RF_PICK_OLDEST, never, 4);
    draw(100);
    CHECK("oldest_returns_the_oldest", drawn[0] == 100 && flags() == RF_MEM_STALE &&
                                           core.report.hidden == 4 && core.report.visible == 5);
    written(RF_PICK_OLDEST_DIFFERENT, never, 4);
    bool alternates = true;
    for (uint64_t i = 0; i < 100; i++) alternates &= load(0, 0, 4) == i % 2;
    CHECK("oldest_different_alternates", alternates);
    written(RF_PICK_OLDEST_DIFFERENT, never, 0);
    load(0, 0, 4);
    store(1, 0, 4, 0);
    CHECK("oldest_different_falls_back_to_the_newest",
          load(0, 0, 4) == 0 && core.report.visible == 2 && !flags());
    written(RF_PICK_RANDOM, never, 4);
    draw(many);
    bool even = true;
    for (uint32_t i = 0; i < 5; i++) even &= near(drawn[i], many / 5);
    CHECK("random_is_even", even);
    written(RF_PICK_RANDOM_DIFFERENT, never, 4);
    uint64_t last = 9;
    uint32_t pairs[5][5] = {{0}};
    for (uint32_t i = 0; i < many; i++) {
        uint64_t value = load(0, 0, 4);
        if (last < 5) pairs[last][value]++;
        last = value;
    }
    even = true;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t k = 0; k < 5; k++)
            even &= i == k ? !pairs[i][k] : near(pairs[i][k], many / 20);
    CHECK("random_different_is_even_among_the_others", even);
    written(RF_PICK_RECENT, never, 4);
    draw(many);
    even = near(drawn[4], many * 6 / 10);
    for (uint32_t i = 0; i < 4; i++) even &= near(drawn[i], many / 10);
    CHECK("recent_returns_the_newest_half_of_the_time", even);
    written(RF_PICK_OLDEST_DIFFERENT, never, 2);
    bool apart = load(0, 0, 4) == 0 && load(0, 0, 4) == 1;
    store(1, 4, 4, 7);
    CHECK("different_is_for_each_location",
          apart && load(0, 4, 4) == 0 && load(0, 0, 4) == 0 && load(0, 4, 4) == 7);
}

static void fairness(void) {
    written(RF_PICK_OLDEST, 5, 3);
    uint32_t at[4] = {0}, n = 0, forced = 0;
    for (uint32_t i = 0; i < 18; i++) {
        if (load(0, 0, 4) == 3) at[n++ & 3] = i;
        forced += (flags() & RF_MEM_FORCED) != 0;
    }
    CHECK("after_five_old_values_comes_the_newest",
          n == 3 && forced == 3 && at[0] == 5 && at[1] == 11 && at[2] == 17);
    written(RF_PICK_OLDEST, 5, 3);
    fork_thread(0, 2);
    n = 0;
    for (uint32_t i = 0; i < 6; i++) n += (uint32_t)(load(0, 0, 4) != 0) + (load(2, 0, 4) != 0);
    CHECK("fairness_counts_for_each_thread", n == 2);
    written(RF_PICK_OLDEST, 5, 3);
    for (uint32_t i = 0; i < 5; i++) load(0, 0, 4);
    release(1, 0);
    acquire(0, 0);
    CHECK("fairness_decides_nothing_where_one_write_is_visible", load(0, 0, 4) == 3 && !flags());
    written(RF_PICK_OLDEST, 1000, 3);
    n = 1;
    while (n < 5000 && load(0, 0, 4) != 3) n++;
    CHECK("a_loop_that_waits_for_the_newest_ends", n == 1001);
    /* Counters of threads that have ended are used again. */
    written(RF_PICK_OLDEST, 5, 3);
    for (uint32_t t = 2; t < 2000; t++) {
        fork_thread(0, t);
        load(t, 0, 4);
        end_thread(t);
    }
    rfi_unit *u = rfi_plain_unit(&plain, (uintptr_t)memory);
    CHECK("ended_threads_leave_no_counters", u->missing <= 2);
}

/* ---- wide values ---- */

static void tearing(void) {
    const uint64_t a = UINT64_C(0x1111111122222222);
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){0}, 1);
    watch(0, 16);
    fork_thread(0, 1);
    store(1, 0, 8, a);
    CHECK("halves_come_from_two_writes",
          SEES(0, 0, 8, "0 22222222 1111111100000000 1111111122222222"));
    CHECK("the_writer_sees_no_torn_value", SEES(1, 0, 8, "1111111122222222"));
    core.options.whole = true;
    CHECK("whole_values_are_not_torn", SEES(0, 0, 8, "0 1111111122222222"));
}

static void tearing_by_heuristic(void) {
    const uint64_t a = UINT64_C(0x1111111122222222);
    memset(initial, 0, sizeof initial);
    for (unsigned pick = RF_PICK_OLDEST; pick <= RF_PICK_RANDOM; pick += 2) {
        uint32_t low = 0, high = 0;
        for (uint64_t seed = 0; seed < 200; seed++) {
            begin((rf_mem_options){.plain_pick = (rf_heuristic)pick}, seed);
            watch(0, 8);
            fork_thread(0, 1);
            store(1, 0, 8, a);
            uint64_t value = load(0, 0, 8);
            bool told = flags() == (RF_MEM_STALE | RF_MEM_TORN) &&
                        core.report.from.thread == RF_MEM_NOBODY && core.report.other.thread == 1;
            low += told && value == UINT64_C(0x22222222) && core.report.other.value == value;
            high += told && value == UINT64_C(0x1111111100000000);
        }
        CHECK(pick == RF_PICK_OLDEST ? "oldest_tears_either_way" : "random_tears_either_way",
              low + high > 70 && low + high < 130 && low > 25 && high > 25);
    }
    begin((rf_mem_options){.plain_pick = RF_PICK_NEWEST}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    store(1, 0, 8, a);
    CHECK("newest_does_not_tear", load(0, 0, 8) == a && !flags());
    begin((rf_mem_options){.plain_pick = RF_PICK_OLDEST, .fairness = 1}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    store(1, 0, 8, a);
    load(0, 0, 8);
    CHECK("fairness_does_not_tear", load(0, 0, 8) == a && flags() == RF_MEM_FORCED);
    uint32_t entire = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        begin((rf_mem_options){.plain_pick = RF_PICK_RECENT}, seed);
        watch(0, 8);
        fork_thread(0, 1);
        store(1, 0, 8, a);
        entire += load(0, 0, 8) == a && !flags();
    }
    CHECK("recent_tears_only_what_it_did_not_mean_to_be_the_newest",
          entire > 2800 && entire < 3200);
    begin((rf_mem_options){.plain_pick = RF_PICK_OLDEST_DIFFERENT}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    load(0, 0, 8);
    store(1, 0, 8, 0);
    CHECK("nothing_different_means_the_newest_untorn",
          load(0, 0, 8) == 0 && core.report.visible == 2 && !flags());
    /* Three writes: the two oldest ones give the halves. */
    begin((rf_mem_options){.plain_pick = RF_PICK_OLDEST}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    store(1, 0, 8, a);
    store(1, 0, 8, UINT64_C(0x3333333344444444));
    uint64_t value = load(0, 0, 8);
    CHECK("oldest_tears_the_two_oldest",
          value == UINT64_C(0x22222222) || value == UINT64_C(0x1111111100000000));
}

/* The values that 2,000 reads of `size` bytes return; those of the model's own choices. */
static void wide(const char *name, size_t size, uint32_t torn_expected) {
    static outcomes some, all;
    uint8_t ones[WIDEST], value[WIDEST];
    char sentence[80];
    uint32_t in_part = 0, wrong = 0;
    memset(ones, 1, sizeof ones);
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){.plain_pick = RF_PICK_RANDOM, .fairness = UINT32_MAX}, size);
    watch(0, size);
    fork_thread(0, 1);
    store_bytes(1, 0, size, ones);
    enumerate(&all, 0, 0, size);
    some.n = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        load_bytes(0, 0, size, value);
        outcome(&some, value, size);
    }
    outcomes_sort(&some);
    for (uint32_t i = 0; i < some.n; i++) {
        wrong += !outcomes_hold(&all, some.value[i], size);
        uint32_t changes = 0;
        for (size_t k = 1; k < size; k++) changes += some.value[i][k] != some.value[i][k - 1];
        in_part += changes == 1;
    }
    sprintf(sentence, "%s_is_torn_between_any_two_units", name);
    CHECK(sentence, all.n == 1u << size / 4 && !wrong && in_part == torn_expected);
}

static void overlaps(void) {
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){0}, 1);
    watch(0, 16);
    fork_thread(0, 1);
    fork_thread(0, 2);
    store(1, 0, 1, 0xaa);
    store(2, 1, 1, 0xbb);
    CHECK("bytes_mix_where_no_store_covers_them",
          SEES(0, 0, 4, "0 aa bb00 bbaa") && SEES(1, 0, 4, "aa bbaa"));
    store(1, 0, 4, 0x11111111);
    CHECK("a_store_that_covers_all_is_not_mixed_with_older_ones",
          SEES(0, 0, 4, "0 aa bb00 bbaa 11111111") && SEES(1, 0, 4, "11111111"));
    store(1, 0, 2, 0x2222);
    CHECK("a_smaller_store_lies_above_what_was_there",
          SEES(1, 0, 4, "11112222") && SEES(2, 0, 4, "2222 bb00 bbaa 11111111 11112222"));
    release(1, 0);
    acquire(0, 0);
    CHECK("what_happens_before_hides_byte_by_byte",
          SEES(0, 0, 4, "11112222") && SEES(0, 1, 1, "22 bb"));
    store(1, 6, 4, 0x44332211);
    CHECK("a_misaligned_value_of_four_bytes_is_one",
          SEES(2, 6, 4, "0 44332211") && SEES(2, 8, 4, "0 4433") && SEES(2, 4, 4, "0 22110000"));
    CHECK("a_misaligned_value_of_eight_bytes_is_torn_at_units",
          SEES(2, 4, 8, "0 22110000 443300000000 443322110000"));
    core.options.whole = true;
    CHECK("a_whole_value_contains_all_of_a_store_or_nothing", SEES(2, 4, 8, "0 443322110000"));
    store(2, 8, 1, 0x55);
    CHECK("a_newer_store_lies_above_a_whole_value",
          SEES(0, 4, 8, "0 5500000000 443322110000 445522110000"));
}

/* A whole value that 128 stores can give: 64 of each half. */
static void many_sources(void) {
    uint64_t newest, oldest;
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){.history = 64, .whole = true}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    for (uint64_t i = 1; i <= 70; i++) {
        store(1, 0, 4, i);
        store(1, 4, 4, i);
    }
    core.plain_pick = RF_PICK_NEWEST;
    newest = load(0, 0, 8);
    core.plain_pick = RF_PICK_OLDEST;
    oldest = load(0, 0, 8);
    CHECK("of_many_stores_the_newest_and_the_oldest_are_offered",
          newest == (UINT64_C(70) << 32 | 70) && oldest == (UINT64_C(7) << 32 | 7) &&
              core.report.visible == 64);
}

static void ranges(void) {
    for (uint32_t sample = 0; sample < 2; sample++) {
        uint32_t seen_by[4] = {0};
        memset(initial, 0, sizeof initial);
        begin((rf_mem_options){.plain_pick = RF_PICK_OLDEST, .sample = sample ? 1 << 2 : 0}, 1);
        rfi_plain_watch_array(&core, &plain, (uintptr_t)memory, 4, 4);
        fork_thread(0, 1);
        for (uint32_t i = 0; i < 4; i++) store(1, i * 4, 4, 5);
        for (uint32_t i = 0; i < 4; i++) seen_by[i] = (uint32_t)load(0, i * 4, 4);
        bool right = sample ? seen_by[0] == 5 && seen_by[1] == 5 && !seen_by[2] && seen_by[3] == 5
                            : !seen_by[0] && !seen_by[1] && seen_by[2] == 5 && seen_by[3] == 5;
        CHECK(sample ? "another_sample_of_an_array" : "elements_0_and_1_of_an_array", right);
    }
    begin((rf_mem_options){.plain_pick = RF_PICK_OLDEST}, 1);
    bool none = !rfi_plain_any(&plain) && !rfi_plain_watched(&plain, (uintptr_t)memory, BYTES);
    rfi_plain_watch_array(&core, &plain, (uintptr_t)memory, 12, 1);
    watch(100, 1);
    uintptr_t m = (uintptr_t)memory;
    CHECK("watched_ranges_are_known_to_the_byte",
          none && rfi_plain_any(&plain) && rfi_plain_watched(&plain, m + 11, 1) &&
              !rfi_plain_watched(&plain, m + 12, 88) && rfi_plain_watched(&plain, m + 12, 89) &&
              rfi_plain_watched(&plain, m + 96, 8) && !rfi_plain_watched(&plain, m + 101, 91) &&
              !rfi_plain_watched(&plain, m, 0));
    fork_thread(0, 1);
    memory[103] = 9; /* not watched: nobody's business */
    store(1, 100, 4, 0x04030201);
    CHECK("bytes_beside_the_watched_ones_come_from_memory", load(0, 100, 4) == 0x04030200);
    store(1, 0, 4, 6);
    rfi_plain_forget(&plain, m, 2);
    CHECK("half_of_a_unit_is_forgotten", rfi_plain_watched(&plain, m + 2, 1) &&
                                             !rfi_plain_watched(&plain, m, 2) && history(0) == 2 &&
                                             load(0, 0, 4) == 6);
    watch(0, 2);
    CHECK("watched_anew_it_begins_with_what_is_there", SEES(0, 0, 2, "6"));
    rfi_plain_forget(&plain, m, BYTES);
    CHECK("nothing_is_watched_any_more",
          !rfi_plain_any(&plain) && !history(0) && load(0, 100, 4) == 0x04030201);
}

static void unannounced(void) {
    written(RF_PICK_OLDEST, 1000, 3);
    memory[0] = 77;
    bool told = load(0, 0, 4) == 77 && flags() == RF_MEM_UNANNOUNCED && history(0) == 1;
    bool once = load(0, 0, 4) == 77 && !flags();
    CHECK("a_value_that_nobody_announced_is_told_once", told && once);
    memory[1] = 1;
    store(1, 2, 1, 5);
    CHECK("a_store_finds_it_as_well", flags() == RF_MEM_UNANNOUNCED && SEES(0, 0, 4, "14d 5014d"));
    /* In one unit of a whole value: it is newer than what is known of the other unit. */
    memset(initial, 0, sizeof initial);
    begin((rf_mem_options){.whole = true}, 1);
    watch(0, 8);
    fork_thread(0, 1);
    store(1, 0, 8, UINT64_C(0x100000002));
    memory[4] = 9;
    CHECK("unannounced_in_one_unit_of_a_whole_value", SEES(0, 0, 8, "900000000 900000002"));
}

/* ---- memory ---- */

static size_t used(const rfi_arena *a) {
    size_t n = 0;
    for (const rfi_chunk *k = a->first; k; k = k->next) {
        if (k != a->current) {
            n += k->size;
            continue;
        }
        return n + k->size - (size_t)(a->end - a->at);
    }
    return n;
}

/* Loads, stores, locks, watching and forgetting, by four threads. */
static void operations(rf_prng *r, uint32_t n) {
    static const uint8_t sizes[] = {4, 4, 4, 8, 1, 2, 16};
    uint8_t value[16] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = rfi_draw(r);
        uint32_t t = x & 3, size = sizes[(x >> 8 & 0xff) % 7];
        uint32_t at = (uint32_t)(x >> 16 & 63) / size * size;
        unsigned what = x >> 24 & 63;
        value[0] = (uint8_t)(x >> 40);
        if (what < 40)
            load_bytes(t, at, size, value);
        else if (what < 54)
            store_bytes(t, at, size, value);
        else if (what < 58)
            release(t, x >> 32 & 3);
        else if (what < 62)
            acquire(t, x >> 32 & 3);
        else if (what < 63)
            rfi_plain_forget(&plain, (uintptr_t)&memory[at], size);
        else
            watch(at, size);
    }
}

static void flat_memory(void) {
    rf_prng r = rfi_prng_make(5, 5);
    begin((rf_mem_options){.plain_pick = RF_PICK_RANDOM}, 1);
    watch(0, 64);
    for (uint32_t t = 1; t < 4; t++) fork_thread(0, t);
    operations(&r, 500000);
    size_t early = used(&plain.shadow.arena), actors = used(&core.threads.arena);
    operations(&r, 9500000);
    size_t late = used(&plain.shadow.arena);
    printf("# %zu bytes after 500,000 operations, %zu after 10,000,000\n", early, late);
    CHECK("memory_is_flat_over_ten_million_operations",
          late <= early + early / 20 && used(&core.threads.arena) == actors);
    for (uint32_t i = 0; i < 3; i++) {
        begin((rf_mem_options){0}, 1);
        watch(0, 64);
        operations(&r, 1000);
    }
    size_t chunks = 0;
    for (const rfi_chunk *k = plain.shadow.arena.first; k; k = k->next) chunks++;
    CHECK("a_new_execution_uses_the_memory_of_the_last_one",
          chunks == 1 && used(&plain.shadow.arena) < late);
}

int main(void) {
    figure_7();
    buffer_kernels();
    collecting();
    heuristics();
    fairness();
    tearing();
    tearing_by_heuristic();
    wide("a_long_double", 16, 6);
    wide("a_struct_of_12", 12, 4);
    overlaps();
    many_sources();
    ranges();
    unannounced();
    against_the_definition();
    short_histories();
    heuristics_against_the_definition();
    flat_memory();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
