// flags: -Isrc
/* The rules of the progressive Java memory model for plain data against its definition, on random
 * traces: what a read may return, what heuristics return, and what the report says of it. */
#define RF_IMPLEMENTATION
#include "memory_plain.h"

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
CASE(against_the_definition) {
    static outcomes model, allowed;
    uint32_t reads = 0, several = 0, different = 0, left_out = 0, collected = 0;
    for (uint64_t seed = 0; seed < by_night(1000, 3000); seed++) {
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
    printf("# reads: %u, %u with several values, %u left out; %u writes collected\n", reads,
           several, left_out, collected);
    CHECK("a_read_may_return_what_the_definition_allows_and_nothing_else",
          different == 0 && several > reads / 3 && left_out < reads / 50);
    CHECK("collecting_writes_changes_no_visible_set", different == 0 && collected > reads / 8);
}

/* With short histories something is missing, but never the newest; nothing is added. */
CASE(short_histories) {
    static outcomes model, allowed;
    uint32_t reads = 0, wrong = 0, unseen = 0, missing = 0, longer = 0;
    for (uint64_t seed = 0; seed < by_night(500, 1500); seed++) {
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
CASE(heuristics_against_the_definition) {
    uint32_t reads = 0, invisible = 0, mixed = 0, untrue = 0, stale = 0, torn = 0, parts = 0;
    for (uint64_t seed = 0; seed < by_night(2500, 5000); seed++) {
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
    printf("# reads of units: %u, %u stale, %u torn\n", reads, stale, torn);
    CHECK("each_byte_returned_is_of_a_write_that_is_visible_there",
          invisible == 0 && stale > reads / 20);
    CHECK("one_store_is_never_seen_in_part_below_units",
          mixed == 0 && torn > reads / 100 && parts > 2 * torn);
    CHECK("the_report_says_which_write_was_stale_or_seen_in_part", untrue == 0);
}

int main(void) { return check_cases(); }
