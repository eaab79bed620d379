/* The strategy pct: exact probabilities on small programs by all its choices, the lower bound on
 * bugs of known depth, and what it learns. */
#define RF_IMPLEMENTATION
#include "strategies.h"

/* A bug of any depth: two threads must take turns, so that `depth` orders between steps are needed;
 * others look on.  Late: each thread is created by the one before it, after a step. */
static const char *relay(uint32_t depth, uint32_t threads, bool late) {
    static char text[512];
    rfi_text to = {text, text + sizeof text};
    rfi_append(&to, "body: start; detach%s", late ? "" : "; start; detach");
    for (uint32_t i = 2; i < threads && !late; i++) rfi_append(&to, "; start; detach");
    for (uint32_t from = 0; from < 2; from++) {
        rfi_append(&to, " | %s", late ? "own 1; start; detach; " : "");
        for (uint32_t i = from; i <= depth; i += 2)
            rfi_append(&to, "cas s %u; %s", i, i == depth ? "if = 1 { fail relay }" : "");
    }
    for (uint32_t i = 2; i < threads; i++) rfi_append(&to, " | own 1");
    return text;
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

static const struct tight {
    const char *name, *program;
    bool main_too;
    uint32_t d, k;
    double exact;
} all_tight[] = {
    {"figure 2", ALONE("", FIGURE_2), false, 1, 12, 1 / 2.0},
    {"figure 2", ALONE("", FIGURE_2), false, 2, 12, 5 / 24.0},
    {"figure 2", ALONE("", FIGURE_2), false, 3, 12, 25 / 288.0},
    {"check act", ALONE(Y_IS_1, CHECK_ACT), false, 1, 3, 0},
    {"check act", ALONE(Y_IS_1, CHECK_ACT), false, 2, 3, 1 / 6.0},
    {"check act", ALONE(Y_IS_1, CHECK_ACT), false, 2, 4, 1 / 8.0},
    {"late check act", ALONE(Y_IS_1, "own 5;" CHECK_ACT), false, 2, 8, 1 / 16.0},
    {"update", UPDATE_ALONE, false, 1, 4, 0},
    {"update", UPDATE_ALONE, false, 2, 4, 1 / 4.0},
    {"inversion", ALONE("", INVERSION), false, 1, 8, 0},
    {"inversion", ALONE("", INVERSION), false, 2, 8, 1 / 8.0},
    {"string buffer", ALONE(Y_IS_5, STRING_BUFFER), false, 1, 11, 0},
    {"string buffer", ALONE(Y_IS_5, STRING_BUFFER), false, 2, 11, 3 / 22.0},
    /* With the joins: the same for k + 2, but that the first thread, when its priority is high,
     * makes its first join before the other thread goes on. */
    {"figure 2", JOINED("", FIGURE_2), true, 1, 14, 1 / 2.0},
    {"check act", JOINED(Y_IS_1, CHECK_ACT), true, 2, 5, 1 / 10.0},
    {"update", CHECKED("", LOST, UPDATE), true, 1, 6, 0},
    {"update", CHECKED("", LOST, UPDATE), true, 2, 6, 1 / 6.0},
    {"inversion", JOINED("", INVERSION), true, 2, 10, 1 / 10.0},
    {"string buffer", JOINED(Y_IS_5, STRING_BUFFER), true, 2, 13, 3 / 26.0},
};

static void test_tight(const struct tight *t) {
    double exact = exactly(t->program, 2, t->main_too, t->d, t->k);
    LAB_CHECK(named("pct, %s, d=%u, k=%u: %.5g by all choices", t->name, t->d, t->k, t->exact),
              exact < t->exact + 1e-12 && exact > t->exact - 1e-12);
    printf("# %.6g\n", exact);
    lab_share(named("pct, %s, d=%u, k=%u: %.5g", t->name, t->d, t->k, t->exact),
              under_pct(t->program, t->d, t->k, N).failed, N, t->exact);
}

/* A bug of depth d among n threads and k steps. */
static void test_bound(uint32_t d, uint32_t n, uint32_t steps, bool late) {
    char is[64];
    const char *program = relay(d, n, late);
    double bound = 1.0 / n, exact = exactly(program, n, false, d, steps);
    for (uint32_t i = 1; i < d; i++) bound /= steps;
    snprintf(is, sizeof is, "pct, %srelay, depth %u, n=%u, k=%u", late ? "late " : "", d, n, steps);
    printf("# bound %.6g, exact %.6g\n", bound, exact);
    LAB_CHECK(named("%s: at least the bound", is), exact >= bound);
    lab_share(named("%s: %.5g", is, exact), under_pct(program, d, steps, N).failed, N, exact);
    LAB_CHECK(named("%s: not with less depth", is),
              d == 1 || !under_pct(program, d - 1, steps, N / 4).failed);
}

CASE(test_bounds) {
    for (uint32_t n = 2; n <= 5; n++) {
        script_number = n - 1;
        lab_share(named("pct, %u threads, the first is last, d=1", n),
                  under_pct(ARRIVALS, 1, 1, 5 * N).failed, 5 * N, 1.0 / n);
    }
    for (uint32_t d = 1; d <= 4; d++)
        for (uint32_t n = 2; n <= (d < 4 ? 4 : 3); n++) test_bound(d, n, d + n - 1, false);
    for (uint32_t d = 1; d <= 3; d++) test_bound(d, 3, d + 4, true);
}

/* One execution that teaches; returns its steps, and what it has used of what was known. */
static uint64_t taught(const char *program, uint32_t index, uint32_t *used) {
    static rfi_lessons lessons;
    rfi.lessons = &lessons;
    script_is(program, false);
    uint64_t steps = executions(&rfi_pct, "script", index, 1, LAB_FINE).most_steps;
    const rfi_record *r = &lab_campaign.team.here->record;
    const rfi_lesson *l = rfi_lesson_at(&lessons, lessons.used);
    rfi.lessons = NULL;
    *used = 0;
    for (uint32_t i = 0; i < r->used_bytes; i++) *used |= (uint32_t)r->used[i] << 8 * i;
    rfi_pct.learn(l + 1, l->bytes);
    return steps;
}

/* The k of an execution is known before it; it is 1.2 times the longest one so far. */
CASE(test_learning) {
    static const int lengths[] = {1, 1, 5, 5, 70, 3, 300, 2, 1000, 1, 1};
    uint64_t most = 0;
    bool right = true, enough = true;
    rfi_pct.forget();
    for (uint32_t i = 0; i < RFI_LENGTH(lengths); i++) {
        uint32_t k;
        script_number = lengths[i];
        uint64_t expected = (most * 12 + 9) / 10, steps = taught(LONG, i, &k);
        right = right && k == expected && steps == 2 * (uint64_t)lengths[i];
        if (steps <= most) enough = enough && k >= steps;
        if (steps > most) most = steps;
    }
    LAB_CHECK("pct learns the length of the longest execution, times 1.2", right);
    LAB_CHECK("pct's k is enough for what is no longer than before", enough);
    rfi_pct.forget();
    uint32_t k;
    (void)taught(LONG, 0, &k);
    LAB_CHECK("pct forgets between tests", k == 0);
    rfi_pct.forget();
    uint64_t longest = 0;
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t steps = taught(POLLS(IS_DONE), i, &k);
        if (steps > longest) longest = steps;
    }
    printf("# polling: %llu steps, k %u\n", (unsigned long long)longest, k);
    LAB_CHECK("polling is no length for pct", longest > 5000 && k < 1000);
    rfi_pct.forget();
}

int main(void) {
    for (uint32_t i = 0; i < RFI_LENGTH(all_tight); i++) test_tight(&all_tight[i]);
    return lab_cases();
}
