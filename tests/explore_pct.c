/* The strategy pct: exact probabilities on small programs by all its choices, the lower bound on
 * bugs of known depth, and what it learns. */
#define RF_IMPLEMENTATION
#include "strategies.h"

RF_TEST(figure_2_alone) {
    x = 0;
    detach_two(figure_2_left, figure_2_right);
}

static void *late_check_then_act(void *arg) {
    PRIVATE_STEPS(before);
    return check_then_act(arg);
}

RF_TEST(late_check_act_alone) {
    y = 1;
    detach_two(late_check_then_act, clear);
}

RF_TEST(inversion_alone) { detach_two(l1_then_l2, l2_then_l1); }

RF_TEST(string_buffer_alone) {
    y = 5;
    detach_two(append, cut);
}

/* A bug of any depth: two threads must take turns, so that `depth` orders between steps are needed;
 * others look on. */
static int depth;
static rf_atomic_int stage;

static void *relay(void *from) {
    for (int i = (int)(intptr_t)from; i <= depth; i += 2) {
        int expected = i;
        if (rf_atomic_compare_exchange_strong(&stage, &expected, i + 1) && i == depth)
            RF_FAIL("relay");
    }
    return from;
}

THREAD(look_on) { PRIVATE_STEPS(1); }

static void relays(void) { rf_atomic_init(&stage, 0); }

RF_TEST(relay_alone) {
    relays();
    for (intptr_t i = 0; i < 2; i++) RF_DETACH(RF_THREAD(relay, (void *)i));
    for (int i = 2; i < threads; i++) RF_DETACH(RF_THREAD(look_on, NULL));
}

/* Threads that are created late, one by the other. */
static void *second_relay(void *arg) {
    PRIVATE_STEPS(1);
    RF_DETACH(RF_THREAD(look_on, NULL));
    return relay(arg);
}

static void *first_relay(void *arg) {
    PRIVATE_STEPS(1);
    RF_DETACH(RF_THREAD(second_relay, (void *)1));
    return relay(arg);
}

RF_TEST(late_relay_alone) {
    relays();
    RF_DETACH(RF_THREAD(first_relay, NULL));
}

/* ---- PCT ---- */

/* PCT's choices, given: the threads in the order of their priorities, and the steps after which it
 * changes.  All of them in turn are the exact probability. */
static struct given {
    uint32_t first, threads, order[6]; /* without those below `first`, which make no step */
    uint32_t changes, change[4];
    uint32_t steps, rank[8];
} given;

static void given_begin(uint64_t seed) {
    (void)seed;
    given.steps = 0;
    memset(given.rank, 0, sizeof given.rank);
    for (uint32_t i = 0; i < given.threads; i++) given.rank[given.order[i]] = i;
}

static uint32_t given_pick(const rf_choice *c) {
    uint32_t best = rf_choice_at(c, 0);
    for (uint32_t i = 1; i < c->count; i++)
        if (given.rank[rf_choice_at(c, i)] < given.rank[best]) best = rf_choice_at(c, i);
    given.steps++;
    for (uint32_t i = 0; i < given.changes; i++)
        if (given.change[i] == given.steps) given.rank[best] = given.threads + i;
    return best;
}

static const rf_strategy by_choices = {
    .name = "given", .begin = given_begin, .pick = given_pick, .lone = true};

/* Orders that fail and all orders, over the rest of the threads from place `at` on. */
static void count_orders(const char *test, uint32_t at, uint32_t k, uint64_t count[2]) {
    if (at < given.threads) {
        for (uint32_t i = at; i < given.threads; i++) {
            uint32_t t = given.order[i];
            given.order[i] = given.order[at], given.order[at] = t;
            count_orders(test, at + 1, k, count);
            given.order[at] = given.order[i], given.order[i] = t;
        }
        return;
    }
    for (uint32_t i = 0; i < given.changes; i++) given.change[i] = 1;
    do {
        count[0] += under(&by_choices, test, 1).failed;
        count[1]++;
    } while (next_tuple(given.change, given.changes, k));
}

/* The exact probability that a test fails under PCT of depth d. */
static double exactly(const char *test, uint32_t n, bool main_too, uint32_t d, uint32_t k) {
    uint64_t count[2] = {0, 0};
    given = (struct given){.first = !main_too, .threads = n + main_too, .changes = d - 1};
    for (uint32_t i = 0; i < given.threads; i++) given.order[i] = given.first + i;
    count_orders(test, 0, k, count);
    return (double)count[0] / (double)count[1];
}

static figures under_pct(const char *test, uint32_t d, uint32_t k, uint32_t n) {
    const uint8_t used[] = {(uint8_t)k, (uint8_t)(k >> 8)};
    rfi_pct.recall(used, 2);
    *rfi_pct.parameter = d;
    figures f = under(&rfi_pct, test, n);
    rfi_pct.forget();
    *rfi_pct.parameter = 3;
    return f;
}

typedef struct tight {
    const char *test;
    bool main_too;
    uint32_t d, k;
    double exact;
} tight;

// clang-format off: a table
static const tight all_tight[] = {
    {"figure_2_alone", false, 1, 12, 1 / 2.0},
    {"figure_2_alone", false, 2, 12, 5 / 24.0},
    {"figure_2_alone", false, 3, 12, 25 / 288.0},
    {"check_act_alone", false, 1, 3, 0},
    {"check_act_alone", false, 2, 3, 1 / 6.0},
    {"check_act_alone", false, 2, 4, 1 / 8.0},
    {"late_check_act_alone", false, 2, 8, 1 / 16.0},
    {"update_alone", false, 1, 4, 0},
    {"update_alone", false, 2, 4, 1 / 4.0},
    {"inversion_alone", false, 1, 8, 0},
    {"inversion_alone", false, 2, 8, 1 / 8.0},
    {"string_buffer_alone", false, 1, 11, 0},
    {"string_buffer_alone", false, 2, 11, 3 / 22.0},
    /* With the joins: the same for k + 2, but that the first thread, when its priority is high,
     * makes its first join before the other thread goes on. */
    {"figure_2", true, 1, 14, 1 / 2.0},
    {"check_act", true, 2, 5, 1 / 10.0},
    {"update", true, 1, 6, 0},
    {"update", true, 2, 6, 1 / 6.0},
    {"inversion", true, 2, 10, 1 / 10.0},
    {"string_buffer", true, 2, 13, 3 / 26.0},
};
// clang-format on

static void test_tight(const tight *t) {
    char name[96];
    double exact = exactly(t->test, 2, t->main_too, t->d, t->k);
    snprintf(name, sizeof name, "pct, %s, d=%u, k=%u: %.5g by all choices", t->test, t->d, t->k,
             t->exact);
    LAB_CHECK(name, exact < t->exact + 1e-12 && exact > t->exact - 1e-12);
    printf("# %.6g\n", exact);
    snprintf(name, sizeof name, "pct, %s, d=%u, k=%u: %.5g", t->test, t->d, t->k, t->exact);
    lab_share(name, under_pct(t->test, t->d, t->k, N).failed, N, t->exact);
}

/* A bug of depth d among n threads and k steps. */
static void test_bound(const char *test, uint32_t d, uint32_t n, uint32_t steps) {
    char name[96];
    double bound = 1.0 / n, exact = exactly(test, n, false, d, steps);
    for (uint32_t i = 1; i < d; i++) bound /= steps;
    snprintf(name, sizeof name, "pct, %s, depth %u, n=%u, k=%u: at least the bound", test, d, n,
             steps);
    printf("# bound %.6g, exact %.6g\n", bound, exact);
    LAB_CHECK(name, exact >= bound);
    snprintf(name, sizeof name, "pct, %s, depth %u, n=%u, k=%u: %.5g", test, d, n, steps, exact);
    lab_share(name, under_pct(test, d, steps, N).failed, N, exact);
    snprintf(name, sizeof name, "pct, %s, depth %u, n=%u, k=%u: not with less depth", test, d, n,
             steps);
    LAB_CHECK(name, d == 1 || !under_pct(test, d - 1, steps, N / 4).failed);
}

static void test_bounds(void) {
    char name[96];
    for (threads = 2; threads <= 5; threads++) {
        snprintf(name, sizeof name, "pct, %d threads, the first is last, d=1", threads);
        lab_share(name, under_pct("arrivals_alone", 1, 1, 5 * N).failed, 5 * N, 1.0 / threads);
    }
    for (depth = 1; depth <= 4; depth++)
        for (threads = 2; threads <= (depth < 4 ? 4 : 3); threads++)
            test_bound("relay_alone", (uint32_t)depth, (uint32_t)threads,
                       (uint32_t)(depth + threads - 1));
    for (depth = 1; depth <= 3; depth++)
        test_bound("late_relay_alone", (uint32_t)depth, 3, (uint32_t)depth + 4);
}

/* One execution that teaches; returns its steps, and what it has used of what was known. */
static uint64_t taught(const char *test, uint32_t index, uint32_t *used) {
    static rfi_lessons lessons;
    rfi.lessons = &lessons;
    uint64_t steps = executions(&rfi_pct, test, index, 1, LAB_FINE).most_steps;
    const rfi_record *r = &lab_campaign.team.here->record;
    const rfi_lesson *l = rfi_lesson_at(&lessons, lessons.used);
    rfi.lessons = NULL;
    *used = 0;
    for (uint32_t i = 0; i < r->used_bytes; i++) *used |= (uint32_t)r->used[i] << 8 * i;
    rfi_pct.learn(l + 1, l->bytes);
    return steps;
}

/* The k of an execution is known before it; it is 1.2 times the longest one so far. */
static void test_learning(void) {
    static const int lengths[] = {1, 1, 5, 5, 70, 3, 300, 2, 1000, 1, 1};
    uint64_t most = 0;
    bool right = true, enough = true;
    rfi_pct.forget();
    for (uint32_t i = 0; i < RFI_LENGTH(lengths); i++) {
        uint32_t k;
        length = lengths[i];
        uint64_t expected = (most * 12 + 9) / 10, steps = taught("long_alone", i, &k);
        right = right && k == expected && steps == 2 * (uint64_t)length;
        if (steps <= most) enough = enough && k >= steps;
        if (steps > most) most = steps;
    }
    LAB_CHECK("pct learns the length of the longest execution, times 1.2", right);
    LAB_CHECK("pct's k is enough for what is no longer than before", enough);
    rfi_pct.forget();
    uint32_t k;
    (void)taught("long_alone", 0, &k);
    LAB_CHECK("pct forgets between tests", k == 0);
    rfi_pct.forget();
    uint64_t longest = 0;
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t steps = taught("polls", i, &k);
        if (steps > longest) longest = steps;
    }
    LAB_CHECK("polling is no length for pct", longest > 5000 && k < 1000);
    rfi_pct.forget();
}

int main(void) {
    padding = 5;
    before = 5;
    for (uint32_t i = 0; i < RFI_LENGTH(all_tight); i++) test_tight(&all_tight[i]);
    test_bounds();
    test_learning();
    return lab_end();
}
