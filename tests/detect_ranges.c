// flags: -Isrc
/* Accesses to large ranges, which the race detectors keep as a whole while nobody touches a part:
 * what is found is what it would be piece by piece, at little cost. */
#define RF_IMPLEMENTATION
#include "detect_trace.h"

enum { THREADS = 3, TRACES = 400, LENGTH = 40, BYTES = 3 * 512, MUTEX = 1 };

static void locking(trace *t, uint32_t thread, uint32_t *holder) {
    if (*holder && *holder != thread + 1) return;
    trace_add(t, *holder ? RF_EV_UNLOCK : RF_EV_LOCK, thread)->object = MUTEX;
    *holder = *holder ? 0 : thread + 1;
}

static void ranges_random(trace *t, uint64_t seed) {
    static const struct word kinds[] = {{"", RF_EV_ALLOC, 0, 0},
                                        {"", RF_EV_RECYCLE, 0, 0},
                                        {"", RF_EV_FREE, RF_EV_WRITES, 0},
                                        {"", RF_EV_LOAD, RF_EV_READS, 0},
                                        {"", RF_EV_STORE, RF_EV_WRITES, 0}};
    rf_prng r = rfi_prng_make(seed, 0);
    uint32_t holder = 0;
    t->n = 0;
    while (t->n < LENGTH) {
        uint32_t thread = rfi_below(&r, THREADS), what = rfi_below(&r, 12);
        if (what >= 8) {
            locking(t, thread, &holder);
            continue;
        }
        what = what < 3 ? what : 3 + what % 2;
        rf_event *e = trace_add(t, kinds[what].kind, thread);
        e->flags = kinds[what].flags;
        unsigned from = rfi_below(&r, 3) * 512, size = (1 + rfi_below(&r, 3)) * 512;
        if (!rfi_below(&r, 3)) {
            from = rfi_below(&r, BYTES);
            size = 1 + rfi_below(&r, rfi_coin(&r) ? 16 : BYTES);
        }
        if (from + size > BYTES) size = BYTES - from;
        place(e, 'a', from, size, 1 + rfi_below(&r, LINES - 1));
    }
}

/* The same with an event for each granule. */
static void in_pieces(const trace *t, trace *pieces) {
    pieces->n = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const char *at = t->e[i].addr, *end = at + t->e[i].size;
        do {
            size_t n = RFI_GRANULE - (uintptr_t)at % RFI_GRANULE;
            rf_event *e = trace_add(pieces, 0, 0);
            *e = t->e[i];
            e->addr = at;
            e->size = at + n < end ? n : (size_t)(end - at);
            at += n;
        } while (at < end);
    }
}

CASE(differences) {
    static trace t, pieces;
    unsigned apart = 0, reports = 0;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        ranges_random(&t, seed);
        in_pieces(&t, &pieces);
        for (unsigned i = 0; i < sizeof race_detectors / sizeof *race_detectors; i++) {
            const rf_analysis *const alone[] = {race_detectors[i], NULL};
            static pairs a, b;
            run(alone, &t, &a);
            reports += sink_calls != 0;
            const void *addr = sink_last.addr;
            run(alone, &pieces, &b);
            apart += memcmp(&a, &b, sizeof a) || (sink_calls && sink_last.addr != addr);
        }
    }
    printf("# %u traces, %u with reports\n", TRACES * 5, reports);
    check(!apart && reports > TRACES, "a_range_is_as_its_pieces");
}

static size_t arena_bytes(const rfi_arena *a) {
    size_t n = 0;
    for (const rfi_chunk *c = a->first; c; c = c->next) n += c->size;
    return n;
}

static const void *raced_at;
static void sink_place(const rfi_race *r) { raced_at = r->addr; }

/* 64 MiB are filled and freed, then one who did not ask writes to some; none of it is real. */
CASE(large) {
    static const size_t bytes = (size_t)64 << 20;
    static char *const start = (char *)((uintptr_t)64 << 32);
    bool little = true, races = true;
    rfi_race_sink = sink_place;
    for (unsigned i = 0; i < sizeof race_detectors / sizeof *race_detectors; i++) {
        const rf_analysis *a = race_detectors[i];
        const rf_analysis *const alone[] = {a, NULL};
        pairs p;
        rf_event e = {.kind = RF_EV_STORE, .flags = RF_EV_WRITES | RF_EV_RANGE, .size = bytes};
        begin(alone, &p);
        raced_at = NULL;
        e.site = &sites[1][1];
        e.addr = start;
        e.thread = 1;
        a->event(&e);
        e.kind = RF_EV_FREE;
        e.flags = RF_EV_WRITES | RF_EV_FREES;
        e.site = &sites[2][1];
        a->event(&e);
        races &= !raced_at;
        e = (rf_event){.kind = RF_EV_STORE, .flags = RF_EV_WRITES, .thread = 2, .size = 4};
        e.site = &sites[3][1];
        e.addr = start + bytes / 2 + 4;
        a->event(&e);
        races &= raced_at == e.addr;
        end(alone);
        const rfi_arena *arenas[] = {
            &rfi_pairs_state.shadow.arena, &rfi_fasttrack_state.cells.shadow.arena,
            &rfi_eraser_full.cells.shadow.arena, &rfi_choi_state.shadow.arena};
        for (unsigned k = 0; k < 4; k++) little &= arena_bytes(arenas[k]) < bytes / 3;
    }
    check(races, "an_access_to_a_part_of_64_mib_races_with_their_free");
    check(little, "64_mib_do_not_cost_their_size");
}

int main(void) {
    tests_open();
    return check_cases();
}
