/* The search for an order that explains a history (spec/check.h), compared with all permutations,
 * on random histories of a queue and of a register, with calls that have not returned; and long
 * searches that must be short. */
#define RF_IMPLEMENTATION
#include "tests/lab.h"

enum { WRITES, READS, OPERATIONS, HISTORIES = 100000, MOST = 7, ROOM = 10000, SOME = 4, KEPT = 16 };

/* A queue, or a register; the empty one returns 0. */
typedef struct model {
    uint8_t item[KEPT], items;
} model;

static bool queues;
static uint64_t model_step(model *m, unsigned op, uint64_t value) {
    if (op == WRITES) {
        if (!queues) m->items = 0;
        m->item[m->items++] = (uint8_t)value;
        return 0;
    }
    uint64_t result = m->items ? m->item[0] : 0;
    if (queues && m->items) memmove(m->item, m->item + 1, --m->items);
    return result;
}

static const rfi_operation operations[OPERATIONS] = {{.object = "write"}, {.object = "read"}};
static unsigned op_of(const rfi_invocation *c) { return (unsigned)(c->of - operations); }

static bool step_fits(model *m, const rfi_invocation *c) {
    uint64_t result = model_step(m, op_of(c), (uint64_t)c->argument[0]);
    return !c->returned || result == c->result;
}

/* ---- the search ---- */

static rfi_check check;
static model at_depth[ROOM + 1];
static rfi_invocation room[ROOM];
static uint32_t steps;
static rfi_fit fits(rfi_check *x, const rfi_invocation *c) {
    steps++;
    at_depth[x->depth + 1] = at_depth[x->depth];
    return step_fits(&at_depth[x->depth + 1], c) ? RFI_FIT : RFI_MISFIT;
}

static uint64_t state(const rfi_check *x) {
    const model *m = &at_depth[x->depth];
    uint64_t h = m->items;
    for (unsigned i = 0; i < m->items; i++) h = rfi_mix(h) + m->item[i];
    return h;
}

static bool searched(const rfi_history *h, bool remembers) {
    check.history = h;
    check.fits = fits;
    check.state = remembers ? state : NULL;
    return rfi_check_search(&check);
}

/* ---- all permutations ---- */

static bool permuted(const rfi_history *h, uint32_t made, model m) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < h->calls; i++) left += h->call[i].returned && !(made >> i & 1);
    if (!left) return true;
    for (uint32_t i = 0; i < h->calls; i++) {
        const rfi_invocation *c = &h->call[i];
        bool may = !(made >> i & 1);
        for (uint32_t l = 0; l < h->lanes; l++) {
            uint32_t before = 0;
            for (uint32_t k = 0; k < h->calls; k++) before += h->call[k].lane == l && made >> k & 1;
            may &= before >= c->need[l];
            if (l == c->lane) may &= h->lane[l][before] == i;
        }
        model next = m;
        if (may && step_fits(&next, c) && permuted(h, made | 1u << i, next)) return true;
    }
    return false;
}

/* ---- random histories ---- */

/* Calls that overlap at random, with the results of an order among them; sometimes one is wrong.
 * Some of what is before a call is forgotten, as where no clock orders it. */
static void draw(rfi_history *h, rf_prng *r, uint32_t lanes, uint32_t calls, bool mistakes) {
    model m = {0};
    bool open[RFI_LANES] = {0};
    uint32_t current[RFI_LANES], known[RFI_LANES] = {0};
    h->call = room;
    h->calls = h->returned = 0;
    memset(h->length, 0, sizeof h->length);
    h->lanes = lanes;
    for (uint32_t turns = 0; h->calls < calls || turns < 3 * calls; turns++) {
        uint32_t l = rfi_below(r, lanes);
        if (!open[l] && h->calls < calls) {
            rfi_invocation *c = &h->call[current[l] = h->calls++];
            *c = (rfi_invocation){
                .of = &operations[m.items < SOME ? rfi_below(r, OPERATIONS) : READS], .lane = l};
            c->argument[0] = 1 + rfi_below(r, 3);
            for (uint32_t u = 0; u < lanes; u++)
                c->need[u] = u == l || rfi_below(r, 3) ? known[u] : rfi_below(r, known[u] + 1);
            rfi_history_add(h, c);
            open[l] = true;
            c->result = model_step(&m, op_of(c), (uint64_t)c->argument[0]);
        } else if (open[l]) {
            h->call[current[l]].returned = ++h->returned;
            known[l] = h->length[l];
            open[l] = false;
        }
    }
    rfi_invocation *wrong = &h->call[rfi_below(r, calls)];
    if (mistakes && rfi_coin(r) && op_of(wrong) == READS) wrong->result = rfi_below(r, 4);
}

static void test_against_permutations(const char *name) {
    static rfi_history h;
    rf_prng r = rfi_prng_make(1, queues);
    uint32_t explained = 0, differ = 0;
    for (uint32_t i = 0; i < HISTORIES / 2; i++) {
        draw(&h, &r, 2 + rfi_below(&r, 3), 2 + rfi_below(&r, MOST - 1), true);
        bool right = permuted(&h, 0, (model){0});
        explained += right;
        differ += searched(&h, true) != right;
        differ += searched(&h, false) != right;
    }
    printf("# %s: %u of %u histories have an order\n", name, explained, HISTORIES / 2);
    LAB_CHECK(name, !differ && explained > HISTORIES / 8 && explained < HISTORIES / 2);
}

/* Writes that all overlap, then a read of what nobody wrote: as many states as sets of writes. */
static void test_memory(void) {
    static rfi_history h;
    enum { LANES = 9 };
    h = (rfi_history){.call = room, .lanes = LANES + 1, .calls = LANES + 1, .returned = LANES + 1};
    for (uint32_t i = 0; i <= LANES; i++) {
        room[i] = (rfi_invocation){
            .of = &operations[i == LANES], .argument = {1 + i % 2}, .lane = i, .returned = i + 1};
        rfi_history_add(&h, &room[i]);
    }
    h.call[LANES].result = 9;
    queues = false;
    steps = 0;
    bool found = searched(&h, true);
    printf("# 9 overlapping writes: %u steps\n", steps);
    LAB_CHECK("what was seen before is not searched again", !found && steps < 10000);
}

/* 10,000 calls of four threads that overlap, of a queue with few items. */
static void test_long(void) {
    static rfi_history h;
    rf_prng r = rfi_prng_make(1, 7);
    queues = true;
    clock_t began = clock();
    draw(&h, &r, 4, ROOM, false);
    for (uint32_t i = 0; i < h.calls; i++)
        if (!room[i].returned) room[i].returned = ++h.returned;
    steps = 0;
    bool right = searched(&h, true);
    printf("# 10,000 calls of 4 threads: %u steps\n", steps);
    LAB_CHECK("10,000 calls of 4 threads are searched in a second",
              right && clock() - began < CLOCKS_PER_SEC);
}

int main(void) {
    queues = true;
    test_against_permutations("orders of a queue are those of all permutations");
    queues = false;
    test_against_permutations("orders of a register are those of all permutations");
    test_memory();
    test_long();
    return lab_end();
}
