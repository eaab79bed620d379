/* The strategies pos, sticky, delay and rapos: exact probabilities on small programs; and nobody
 * starves beside a spinner, under pct neither. */
#define RF_IMPLEMENTATION
#include "strategies.h"

/* ---- POS ---- */

typedef struct exact {
    const char *test;
    double share;
} exact;

static bool second_last;

THREAD(late_store) {
    PRIVATE_STEPS(before);
    RF_STORE(x, 1);
    second_last = true;
}

THREAD(store) {
    RF_STORE(x, 2);
    if (second_last) RF_FAIL("last");
}

RF_TEST(late_store_first) {
    second_last = false;
    lab_two(late_store, store);
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
THREAD(created) { RF_STORE(x, 2); }

THREAD(create) {
    PRIVATE_STEPS(1);
    RF_DETACH(RF_THREAD(created, NULL));
    if (RF_LOAD(x) == 2) RF_FAIL("created first");
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

THREAD(spin_with_hints) {
    while (!rf_atomic_load(&over)) RF_SPIN_HINT();
}

THREAD(spin_with_loads) {
    while (!rf_atomic_load(&over)) continue;
}

THREAD(poll_and_sleep) {
    while (!is_done()) RF_SLEEP_MS(1);
}

RF_TEST(hints) { beside(spin_with_hints); }
RF_TEST(loads) { beside(spin_with_loads); }

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
    test_pos();
    test_sticky();
    test_delay();
    test_rapos();
    test_spinners();
    test_pos_is_fair();
    return lab_end();
}
