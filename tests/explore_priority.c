/* The strategies sticky, pct, pos, rapos and delay: exact probabilities on small programs, PCT's
 * lower bound on bugs of known depth, what PCT learns, and that nobody starves beside a spinner.
 *
 * Every scheduling point is a step: a join of the first thread is one too, creating and detaching a
 * thread is none.  The programs called ..._alone detach their threads, so that they have exactly
 * the steps that are listed; those that join give the first thread a priority, too, and have two
 * more.
 */
#define RF_IMPLEMENTATION
#include "programs.h"

enum { N = 20000 };

static void detach_two(void *(*first)(void *), void *(*second)(void *)) {
    RF_DETACH(RF_THREAD(first, NULL));
    RF_DETACH(RF_THREAD(second, NULL));
}

RF_TEST(figure_2_alone) {
    x = 0;
    detach_two(figure_2_left, figure_2_right);
}

RF_TEST(check_act_alone) {
    y = 1;
    detach_two(check_then_act, clear);
}

static void *late_check_then_act(void *arg) {
    PRIVATE_STEPS(before);
    return check_then_act(arg);
}

RF_TEST(late_check_act_alone) {
    y = 1;
    detach_two(late_check_then_act, clear);
}

static int added;

static void *add_and_look(void *arg) {
    (void)add_1(arg);
    if (++added == 2 && x != 2) RF_FAIL("lost");
    return arg;
}

RF_TEST(update_alone) {
    x = added = 0;
    detach_two(add_and_look, add_and_look);
}

RF_TEST(inversion_alone) { detach_two(l1_then_l2, l2_then_l1); }

RF_TEST(string_buffer_alone) {
    y = 5;
    detach_two(append, cut);
}

/* `threads` make one step each; it fails when the first of them is the last. */
static int threads;

static void *arrive(void *number) {
    RF_STORE(z, 1);
    if (++added == threads && number == NULL) RF_FAIL("last");
    return number;
}

RF_TEST(arrivals_alone) {
    added = 0;
    for (intptr_t i = 0; i < threads; i++) RF_DETACH(RF_THREAD(arrive, (void *)i));
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

static void *look_on(void *arg) {
    PRIVATE_STEPS(1);
    return arg;
}

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

static int length;

static void *many_steps(void *arg) {
    PRIVATE_STEPS(length);
    return arg;
}

RF_TEST(long_alone) { detach_two(many_steps, many_steps); }

/* ---- executions ---- */

typedef struct figures {
    uint32_t failed;
    uint64_t most_steps, preemptions;
} figures;

/* Runs executions first..first+n-1 of a test under a strategy. */
static figures executions(const rf_strategy *s, const char *test, uint32_t first, uint32_t n,
                          bool fine) {
    figures f = {0, 0, 0};
    rfi_job j = lab_job_of(test, RFI_PREDICT, fine);
    rfi_plan p;
    lab_open();
    rfi_record *r = &lab_campaign.team.here->record;
    j.strategy = s;
    j.parameter = s->parameter ? *s->parameter : 0;
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    for (uint32_t i = first; i < first + n; i++) {
        rfi_job_run(&j, &p, i, r);
        f.failed += r->failure.diagnostic != RF_DIAG_NONE;
        f.preemptions += r->preemptions;
        if (r->steps > f.most_steps) f.most_steps = r->steps;
    }
    return f;
}

static figures under(const rf_strategy *s, const char *test, uint32_t n) {
    return executions(s, test, 0, n, LAB_FINE);
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

/* The next list of `n` numbers from 1 to `most`; false: it was the last one. */
static bool next_tuple(uint32_t *v, uint32_t n, uint32_t most) {
    uint32_t i = 0;
    while (i < n && v[i] == most) v[i++] = 1;
    if (i < n) v[i]++;
    return i < n;
}

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

/* ---- POS ---- */

typedef struct exact {
    const char *test;
    double share;
} exact;

static bool second_last;

static void *late_store(void *arg) {
    PRIVATE_STEPS(before);
    RF_STORE(x, 1);
    second_last = true;
    return arg;
}

static void *store(void *arg) {
    RF_STORE(x, 2);
    if (second_last) RF_FAIL("last");
    return arg;
}

RF_TEST(late_store_first) {
    second_last = false;
    run_two(late_store, store);
}

/* What two threads that write to one variable have done, a bit each: 1 is the second thread. */
static uint32_t writes;

static void *write_twice(void *bit) {
    for (uintptr_t i = 0; i < 2; i++) {
        RF_STORE(x, (int)i);
        writes = writes << 1 | (bit != NULL);
    }
    return bit;
}

RF_TEST(writers) {
    writes = 1;
    rf_thread a = RF_THREAD(write_twice, NULL), b = RF_THREAD(write_twice, &x);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* The joins change nothing: what the first thread has announced has a priority of its own, and
 * depends on no step of the others but those that it waits for. */
static void test_pos(void) {
    static const exact all[] = {{"update", 1 / 3.0},    {"check_act", 1 / 4.0},
                                {"inversion", 1 / 3.0}, {"string_buffer", 1 / 6.0},
                                {"figure_2", 1 / 9.0},  {"update_alone", 1 / 3.0}};
    static const uint8_t order[] = {3, 5, 6, 9, 10, 12};
    char name[96];
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++) {
        snprintf(name, sizeof name, "pos, %s: %.5g", all[i].test, all[i].share);
        lab_share(name, under(&rfi_pos, all[i].test, N).failed, N, all[i].share);
    }
    for (before = 0; before <= 16; before += 4) {
        snprintf(name, sizeof name, "pos, %d private steps first: 1/(m+2)", before);
        lab_share(name, under(&rfi_pos, "late_store_first", N).failed, N, 1.0 / (before + 2));
    }
    uint32_t count[32] = {0};
    for (uint32_t i = 0; i < N; i++) {
        (void)executions(&rfi_pos, "writers", i, 1, LAB_FINE);
        count[writes]++;
    }
    for (uint32_t i = 0; i < RFI_LENGTH(order); i++) {
        bool in_a_row = order[i] == 3 || order[i] == 12;
        snprintf(name, sizeof name, "pos, writers of one variable, order %u: fair coins", order[i]);
        lab_share(name, count[16 + order[i]], N, in_a_row ? 1 / 4.0 : 1 / 8.0);
    }
}

/* ---- sticky ---- */

static uint32_t made, second_step; /* which thread makes the second step */

static void *two_steps(void *number) {
    for (int i = 0; i < 2; i++) {
        RF_STORE(z, i);
        if (++made == 1) second_step = (uint32_t)(uintptr_t)number;
        if (made == 2) second_step = second_step * 4 + (uint32_t)(uintptr_t)number;
    }
    return number;
}

RF_TEST(three_alone) {
    made = second_step = 0;
    for (uintptr_t i = 0; i < 3; i++) RF_DETACH(RF_THREAD(two_steps, (void *)i));
}

static void test_sticky(void) {
    static const uint32_t all[] = {2, 5, 20};
    char name[96];
    LAB_CHECK("sticky stays for 20 steps on average", *rfi_sticky.parameter == 20);
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++) {
        uint32_t n = *rfi_sticky.parameter = all[i], count[16] = {0};
        snprintf(name, sizeof name, "sticky:%u, update: 1/N", n);
        lab_share(name, under(&rfi_sticky, "update_alone", N).failed, N, 1.0 / n);
        snprintf(name, sizeof name, "sticky:%u, check then act: 1/2N", n);
        lab_share(name, under(&rfi_sticky, "check_act_alone", N).failed, N, 0.5 / n);
        for (uint32_t k = 0; k < N; k++) {
            (void)executions(&rfi_sticky, "three_alone", k, 1, LAB_FINE);
            count[second_step]++;
        }
        for (uint32_t k = 0; k < 16; k++) {
            if (k / 4 == 3 || k % 4 == 3) continue;
            snprintf(name, sizeof name, "sticky:%u, thread %u, then thread %u", n, k / 4, k % 4);
            lab_share(name, count[k], N, (k / 4 == k % 4 ? 1 - 1.0 / n : 0.5 / n) / 3);
        }
    }
    /* Somebody runs alone when the other has ended: that is when one of two has made 1,000 steps,
     * hence between 1,000 and 2,000 decisions. */
    *rfi_sticky.parameter = 20;
    length = 1000;
    double rate = (double)under(&rfi_sticky, "long_alone", 200).preemptions / 200;
    printf("# %.2f preemptions\n", rate);
    LAB_CHECK("sticky:20: as many preemptions as decisions by 20", rate > 50 && rate < 100);
}

/* ---- delay ---- */

enum { DELAYS = RFI_DELAY_STEPS + 1 };

/* The probability that an update is lost, by all delays: those of the reads, and of the writes.
 * Of a thread: delay of its read and of its write, 0 for none. */
static bool lost_with(const uint32_t delay[2][2], uint32_t first, bool *drawn) {
    uint32_t now = 1, done[2] = {0, 0}, until[2], last = 2, reads = 0;
    for (int t = 0; t < 2; t++) until[t] = delay[t][0] ? now + delay[t][0] : 0;
    for (; done[0] < 2 && done[1] < 2; now++) {
        bool go[2] = {until[0] <= now, until[1] <= now};
        uint32_t t;
        if (last < 2 && go[last])
            t = last;
        else if (go[0] != go[1])
            t = go[1];
        else if (!go[0])
            t = until[1] < until[0];
        else
            t = first, *drawn = true;
        reads += !done[t];
        if (!done[t]) until[t] = delay[t][1] ? now + 1 + delay[t][1] : 0;
        done[t]++;
        last = t;
    }
    return reads == 2;
}

static double lost_under_delay(double p) {
    double sum = 0, weight[DELAYS];
    for (int i = 0; i < DELAYS; i++) weight[i] = i ? p / RFI_DELAY_STEPS : 1 - p;
    uint32_t v[4] = {1, 1, 1, 1}; /* delays + 1 */
    do {
        const uint32_t delay[2][2] = {{v[0] - 1, v[1] - 1}, {v[2] - 1, v[3] - 1}};
        double w = weight[v[0] - 1] * weight[v[1] - 1] * weight[v[2] - 1] * weight[v[3] - 1];
        bool drawn = false;
        int lost = lost_with(delay, 0, &drawn);
        if (drawn) w /= 2, lost += lost_with(delay, 1, &drawn);
        sum += w * lost;
    } while (next_tuple(v, 4, DELAYS));
    return sum;
}

static void test_delay(void) {
    LAB_CHECK("delay delays one operation in ten", *rfi_delay.parameter == 10);
    *rfi_delay.parameter = 0;
    figures f = under(&rfi_delay, "figure_1", 1000);
    LAB_CHECK("delay:0: no preemption without a delay", !f.preemptions);
    LAB_CHECK("delay:0: an update is never lost", !under(&rfi_delay, "update", 1000).failed);
    *rfi_delay.parameter = 10;
    lab_share("delay, update: as by all delays", under(&rfi_delay, "update_alone", N).failed, N,
              lost_under_delay(0.1));
    *rfi_delay.parameter = 60;
    lab_share("delay:60, update: as by all delays", under(&rfi_delay, "update_alone", N).failed, N,
              lost_under_delay(0.6));
    /* All are delayed: the shorter delay goes first, of equals the first thread. */
    *rfi_delay.parameter = 100;
    threads = 2;
    lab_share("delay:100, who is last", under(&rfi_delay, "arrivals_alone", 5 * N).failed, 5 * N,
              0.49);
    *rfi_delay.parameter = 10;
}

/* ---- RAPOS ---- */

/* Three threads, two each of which share a variable: a partial order is who came first at each. */
static int shared[3];
static uint32_t came_first;

static void *visit(void *number) {
    static const int where[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    uint32_t me = (uint32_t)(uintptr_t)number;
    for (int i = 0; i < 2; i++) {
        int v = where[me][i];
        RF_STORE(shared[v], 1);
        if (!(came_first >> 2 * v & 3)) came_first |= (me + 1) << 2 * v;
    }
    return number;
}

RF_TEST(visits) {
    came_first = 0;
    rf_thread t[3];
    for (uintptr_t i = 0; i < 3; i++) t[i] = RF_THREAD(visit, (void *)i);
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

/* A thread is created after a step; who writes first then? */
static void *created(void *arg) {
    RF_STORE(x, 2);
    return arg;
}

static void *create(void *arg) {
    PRIVATE_STEPS(1);
    RF_DETACH(RF_THREAD(created, NULL));
    if (RF_LOAD(x) == 2) RF_FAIL("created first");
    return arg;
}

RF_TEST(creation_alone) {
    x = 0;
    RF_DETACH(RF_THREAD(create, NULL));
}

/* How many different values `of` has after executions of a test. */
static uint32_t kinds(const rf_strategy *s, const char *test, const uint32_t *of) {
    static bool is[64];
    uint32_t n = 0;
    memset(is, 0, sizeof is);
    for (uint32_t i = 0; i < N / 4; i++) {
        (void)executions(s, test, i, 1, LAB_FINE);
        n += !is[*of % 64];
        is[*of % 64] = true;
    }
    return n;
}

static void test_rapos(void) {
    LAB_CHECK("rapos: all 8 partial orders of three threads that share in pairs",
              kinds(&rfi_rapos, "visits", &came_first) == 8);
    LAB_CHECK("pos: all of them", kinds(&rfi_pos, "visits", &came_first) == 8);
    LAB_CHECK("rapos: all 6 orders of four writes", kinds(&rfi_rapos, "writers", &writes) == 6);
    /* Lost: both reads are a round (1/4); or a round that holds one of them is followed by one from
     * all (1/16), and that is the other read (1/2). */
    static const exact all[] = {
        {"update", 35 / 128.0}, {"check_act", 1 / 4.0}, {"creation_alone", 1 / 2.0}};
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++) {
        char name[96];
        snprintf(name, sizeof name, "rapos, as it is here, %s: %.5g", all[i].test, all[i].share);
        lab_share(name, under(&rfi_rapos, all[i].test, N).failed, N, all[i].share);
    }
    static const char *const fails[] = {"update",    "check_act",     "figure_2",
                                        "inversion", "string_buffer", "figure_1"};
    for (uint32_t i = 0; i < RFI_LENGTH(fails); i++) {
        char name[96];
        uint32_t failed = under(&rfi_rapos, fails[i], N / 4).failed;
        printf("# %u of %u\n", failed, N / 4);
        snprintf(name, sizeof name, "rapos, %s: fails and does not", fails[i]);
        LAB_CHECK(name, failed > 0 && failed < N / 4);
    }
}

/* ---- nobody starves ---- */

static int done;
static rf_atomic_int over;

static void *spin_with_hints(void *arg) {
    while (!rf_atomic_load(&over)) RF_SPIN_HINT();
    return arg;
}

static void *spin_with_loads(void *arg) {
    while (!rf_atomic_load(&over)) continue;
    return arg;
}

static bool is_done(void) {
    RF_LOCK(&L);
    int d = RF_LOAD(done);
    RF_UNLOCK(&L);
    return d;
}

static void *poll(void *arg) {
    while (!is_done()) continue;
    return arg;
}

static void *poll_and_sleep(void *arg) {
    while (!is_done()) RF_SLEEP_MS(1);
    return arg;
}

static void *finish_all(void *arg) {
    PRIVATE_STEPS(20);
    RF_LOCK(&L);
    RF_STORE(done, 1);
    RF_UNLOCK(&L);
    rf_atomic_store(&over, 1);
    return arg;
}

static void beside(void *(*spinner)(void *)) {
    rf_atomic_init(&over, 0);
    done = 0;
    rf_thread t[] = {RF_THREAD(spinner, NULL), RF_THREAD(finish_all, NULL),
                     RF_THREAD(spinner, NULL)};
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

RF_TEST(hints) { beside(spin_with_hints); }
RF_TEST(loads) { beside(spin_with_loads); }
RF_TEST(polls) { beside(poll); }
RF_TEST(sleeps) { beside(poll_and_sleep); }

/* Who spins makes way at once, and soon with PCT who sleeps again and again; a thread that only
 * polls is given 5,000 steps by PCT (those at which others could go on), and 1,000 by POS. */
static void test_spinners(void) {
    static const uint64_t most[] = {1000, 1000, 5000, 40000};
    static const rf_strategy *const all[] = {&rfi_sticky, &rfi_pct, &rfi_pos, &rfi_rapos,
                                             &rfi_delay};
    static const char *const tests[] = {"hints", "loads", "sleeps", "polls"};
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++)
        for (uint32_t k = 0; k < RFI_LENGTH(tests); k++)
            for (int fine = 0; fine <= 1; fine++) {
                char name[96];
                figures f = executions(all[i], tests[k], 0, 100, fine);
                snprintf(name, sizeof name, "%s, %s, %s: all executions end", all[i]->name,
                         tests[k], fine ? "fine" : "coarse");
                printf("# %llu steps\n", (unsigned long long)f.most_steps);
                LAB_CHECK(name, !f.failed && f.most_steps < most[k]);
            }
}

/* Without new draws some executions of these would have tens of thousands of steps. */
static void test_pos_is_fair(void) {
    uint64_t most = under(&rfi_pos, "polls", 1000).most_steps;
    printf("# %llu steps\n", (unsigned long long)most);
    LAB_CHECK("pos, polls: no execution is long", most < 10000);
}

int main(void) {
    padding = 5;
    before = 5;
    for (uint32_t i = 0; i < RFI_LENGTH(all_tight); i++) test_tight(&all_tight[i]);
    test_bounds();
    test_learning();
    test_pos();
    test_sticky();
    test_delay();
    test_rapos();
    test_spinners();
    test_pos_is_fair();
    return lab_end();
}
