/* The search for an order that explains a history (spec/check.h), compared with all permutations,
 * on random histories of queues and of registers, with calls that have not returned: as a whole, by
 * key (spec/parts.h: the same in real time, else weaker), while they grow, and where only moments
 * without calls keep an order; and long searches that must be short. */
#define RF_IMPLEMENTATION
#include "tests/lab.h"

enum { WRITES, READS, OPERATIONS, HISTORIES = 100000, MOST = 7, ROOM = 10000, SOME = 4, KEPT = 16 };
enum { KEYS = 3 };

/* A queue, or a register, for each key; the empty one returns 0. */
typedef struct model {
    uint8_t item[KEYS][KEPT], items[KEYS];
} model;

static bool queues;
static uint64_t model_step(model *m, unsigned op, uint64_t value, long long key) {
    uint8_t *item = m->item[key], *items = &m->items[key];
    if (op == WRITES) {
        if (!queues) *items = 0;
        item[(*items)++] = (uint8_t)value;
        return 0;
    }
    uint64_t result = *items ? item[0] : 0;
    if (queues && *items) memmove(item, item + 1, --*items);
    return result;
}

static const rfi_operation operations[OPERATIONS] = {{.object = "write", .options = {.key = 2}},
                                                     {.object = "read", .options = {.key = 2}}};
static unsigned op_of(const rfi_invocation *c) { return (unsigned)(c->of - operations); }

static bool step_fits(model *m, const rfi_invocation *c) {
    uint64_t result = model_step(m, op_of(c), (uint64_t)c->argument[0], c->argument[1]);
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
    uint64_t h = 0;
    for (unsigned k = 0; k < KEYS; k++) {
        h = rfi_mix(h) + m->items[k];
        for (unsigned i = 0; i < m->items[k]; i++) h = rfi_mix(h) + m->item[k][i];
    }
    return h;
}

static bool searched(const rfi_history *h, bool remembers) {
    check.history = h;
    check.fits = fits;
    check.state = remembers ? state : NULL;
    return rfi_check_search(&check);
}

static bool searched_by_key(const rfi_history *h) {
    static rfi_parts parts;
    for (long long key = 0; key < KEYS; key++) {
        rfi_parts_take(&parts, h, key);
        if (!searched(&parts.history, true)) return false;
    }
    return true;
}

/* ---- all permutations ---- */

/* May call i be the next one? */
static bool may_be_next(const rfi_history *h, uint32_t made, uint32_t i) {
    const rfi_invocation *c = &h->call[i];
    if (made >> i & 1) return false;
    for (uint32_t k = 0; k < h->calls && h->criterion == RF_QUIESCENCE; k++)
        if (k < c->need[0] && !(made >> k & 1)) return false;
    for (uint32_t l = 0; l < h->lanes && h->criterion != RF_QUIESCENCE; l++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < h->calls; k++) before += h->call[k].lane == l && made >> k & 1;
        if (before < c->need[l] || (l == c->lane && h->lane[l][before] != i)) return false;
    }
    return true;
}

static bool permuted(const rfi_history *h, uint32_t made, model m) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < h->calls; i++) left += h->call[i].returned && !(made >> i & 1);
    if (!left) return true;
    for (uint32_t i = 0; i < h->calls; i++) {
        model next = m;
        if (may_be_next(h, made, i) && step_fits(&next, &h->call[i]) &&
            permuted(h, made | 1u << i, next))
            return true;
    }
    return false;
}

/* ---- random histories ---- */

static struct {
    uint32_t call;
    bool returns;
} event[2 * ROOM];
static uint32_t events;

/* Calls that overlap at random, with the results of an order among them; sometimes one is wrong.
 * Some of what is before a call is forgotten, as where no clock orders it. */
static void draw(rfi_history *h, rf_prng *r, uint32_t lanes, uint32_t calls, bool mistakes) {
    const rf_criterion criterion = h->criterion;
    const uint32_t keys = 1 + rfi_below(r, KEYS);
    model m = {0};
    bool open[RFI_LANES] = {0};
    uint32_t current[RFI_LANES], known[RFI_LANES] = {0};
    h->call = room;
    rfi_history_clear(h, lanes);
    events = 0;
    for (uint32_t turns = 0; h->calls < calls || turns < 3 * calls; turns++) {
        uint32_t l = rfi_below(r, lanes), key = rfi_below(r, keys);
        if (!open[l] && h->calls < calls) {
            rfi_invocation *c = &h->call[current[l] = h->calls++];
            *c = (rfi_invocation){
                .of = &operations[m.items[key] < SOME ? rfi_below(r, OPERATIONS) : READS],
                .lane = l};
            c->argument[0] = 1 + rfi_below(r, 3);
            c->argument[1] = key;
            for (uint32_t u = 0; u < lanes && criterion != RF_QUIESCENCE; u++)
                c->need[u] = u == l || criterion == RF_REAL_TIME || rfi_below(r, 3)
                                 ? known[u]
                                 : rfi_below(r, known[u] + 1);
            rfi_history_add(h, c);
            if (criterion == RF_QUIESCENCE) c->need[0] = h->settled;
            open[l] = true;
            c->result = model_step(&m, op_of(c), (uint64_t)c->argument[0], key);
            event[events].returns = false;
            event[events++].call = current[l];
        } else if (open[l]) {
            h->call[current[l]].returned = ++h->returned;
            known[l] = h->length[l];
            open[l] = false;
            event[events].returns = true;
            event[events++].call = current[l];
        }
    }
    rfi_invocation *wrong = &h->call[rfi_below(r, calls)];
    if (mistakes && rfi_coin(r) && op_of(wrong) == READS) wrong->result = rfi_below(r, 4);
}

/* The same, call by call and return by return: how many returns there were until one that nothing
 * explains; `permutes`: by all permutations. */
static uint32_t grown(const rfi_history *all, bool permutes) {
    static rfi_history h;
    static rfi_invocation call[ROOM];
    uint32_t returns = 0;
    bool right = true;
    h.call = call;
    h.criterion = all->criterion;
    rfi_history_clear(&h, all->lanes);
    check.history = &h;
    rfi_check_clear(&check);
    for (uint32_t i = 0; i < events && right; i++) {
        rfi_invocation *c = &call[event[i].call];
        if (!event[i].returns) {
            *c = all->call[event[i].call];
            c->returned = 0;
            h.calls++;
            rfi_history_add(&h, c);
            continue;
        }
        c->returned = ++h.returned;
        right = permutes ? permuted(&h, 0, (model){0}) : rfi_check_more(&check, c);
        returns++;
    }
    return right ? UINT32_MAX : returns;
}

static void test_against_permutations(const char *name, rf_criterion criterion) {
    static rfi_history h;
    rf_prng r = rfi_prng_make(1, queues + 2u * criterion);
    uint32_t explained = 0, differ = 0, early = 0;
    h.criterion = criterion;
    for (uint32_t i = 0; i < HISTORIES / 4; i++) {
        draw(&h, &r, 2 + rfi_below(&r, 3), 2 + rfi_below(&r, MOST - 1), true);
        bool right = permuted(&h, 0, (model){0});
        explained += right;
        differ += searched(&h, true) != right;
        differ += searched(&h, false) != right;
        if (criterion == RF_REAL_TIME) differ += searched_by_key(&h) != right;
        if (criterion == RF_HAPPENS_BEFORE) differ += right && !searched_by_key(&h);
        check.state = i % 2 ? state : NULL;
        uint32_t at = grown(&h, true);
        early += at < h.returned;
        differ += grown(&h, false) != at;
    }
    printf("# %s: %u of %u histories have an order, %u stop early\n", name, explained,
           HISTORIES / 4, early);
    LAB_CHECK(name, !differ && explained > HISTORIES / 16 && explained < HISTORIES / 4 &&
                        early > HISTORIES / 100);
}

/* Writes that all overlap, then a read of what nobody wrote: as many states as sets of writes. */
CASE(test_memory) {
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

/* 10,000 calls of four threads that overlap, of queues with few items: at once, by key, and return
 * by return. */
CASE(test_long) {
    static rfi_history h;
    rf_prng r = rfi_prng_make(1, 7);
    queues = true;
    h.criterion = RF_HAPPENS_BEFORE;
    draw(&h, &r, 4, ROOM, false);
    for (uint32_t l = 0; l < 4; l++)
        for (uint32_t i = h.length[l]; i--;) {
            uint32_t call = h.lane[l][i];
            if (room[call].returned) continue;
            room[call].returned = ++h.returned;
            event[events].returns = true;
            event[events++].call = call;
        }
    for (unsigned way = 0; way < 3; way++) {
        static const char *const name[] = {"10,000 calls of 4 threads are searched in a second",
                                           "10,000 calls are searched by key in a second",
                                           "10,000 calls are searched as they return in a second"};
        clock_t began = clock();
        steps = 0;
        bool right = !way       ? searched(&h, true)
                     : way == 1 ? searched_by_key(&h)
                                : grown(&h, false) == UINT32_MAX;
        printf("# %s: %u steps\n", name[way], steps);
        LAB_CHECK(name[way], right && steps < 40 * ROOM && clock() - began < CLOCKS_PER_SEC);
    }
    steps = 0;
    room[ROOM / 2].result += op_of(&room[ROOM / 2]) == READS;
    for (uint32_t i = ROOM / 2; op_of(&room[i]) != READS; i++) room[i + 1].result += 100;
    uint32_t at = grown(&h, false);
    printf("# a wrong result in the middle: told after %u returns, %u steps\n", at, steps);
    LAB_CHECK("a wrong result is told when it returns", at > ROOM / 3 && at < 2 * ROOM / 3);
}

int main(void) {
    for (queues = true;; queues = false) {
        test_against_permutations(queues ? "orders of queues are those of all permutations"
                                         : "orders of registers are those of all permutations",
                                  RF_HAPPENS_BEFORE);
        test_against_permutations(queues ? "and where quiescence is all that keeps them, queues"
                                         : "and where quiescence is all that keeps them, registers",
                                  RF_QUIESCENCE);
        test_against_permutations(
            queues ? "and in real time, queues" : "and in real time, registers", RF_REAL_TIME);
        if (!queues) break;
    }
    return lab_cases();
}
