/* The strategies pos, sticky, delay and rapos: exact probabilities on small programs; and nobody
 * starves beside a spinner, under pct neither. */
#define RF_IMPLEMENTATION
#include "strategies.h"

/* ---- POS ---- */

/* What two threads that write to one variable have done, a bit each: 1 is the second thread. */
#define WRITERS                                                                         \
 "body: quietly n 1; start; start; join; peek n; see it | times 2 { W x 1; bit n 0 } |" \
 "times 2 { W x 1; bit n 1 }"
#define LATE_STORE "own $; W x 1; quietly l 1 | W x 2; peek l; if = 1 { fail last }"

/* The joins change nothing: what the first thread has announced has a priority of its own, and
 * depends on no step of the others but those that it waits for. */
CASE(test_pos) {
    static const exact_share all[] = {{"update", CHECKED("", LOST, UPDATE), 1 / 3.0},
                                      {"check act", JOINED(Y_IS_1, CHECK_ACT), 1 / 4.0},
                                      {"inversion", JOINED("", INVERSION), 1 / 3.0},
                                      {"string buffer", JOINED(Y_IS_5, STRING_BUFFER), 1 / 6.0},
                                      {"figure 2", JOINED("", FIGURE_2), 1 / 9.0},
                                      {"update alone", UPDATE_ALONE, 1 / 3.0}};
    static const uint8_t order[] = {3, 5, 6, 9, 10, 12};
    expect_exactly(&rfi_pos, all, RFI_LENGTH(all));
    for (script_number = 0; script_number <= 16; script_number += 4) {
        unsigned m = (unsigned)script_number;
        lab_share(named("pos, %u private steps first: 1/(m+2)", m),
                  under(&rfi_pos, JOINED("", LATE_STORE), N).failed, N, 1.0 / (m + 2));
    }
    outcomes(&rfi_pos, WRITERS, N);
    for (uint32_t i = 0; i < RFI_LENGTH(order); i++) {
        bool in_a_row = order[i] == 3 || order[i] == 12;
        lab_share(named("pos, writers of one variable, order %u: fair coins", order[i]),
                  seen[16 + order[i]], N, in_a_row ? 1 / 4.0 : 1 / 8.0);
    }
}

/* ---- sticky ---- */

/* Which threads make the first and the second step: 3 * the one + the other. */
#define STEPS_OF(number)                                                                    \
 "times 2 { W z 1; peek m; quietly m it+1; if < 2 { digit s " number " }; peek m; if = 2 {" \
 "peek s; see it; quietly m 3 } }"
#define THREE_ALONE                                                                \
 "body: start; detach; start; detach; start; detach |" STEPS_OF("0") "|" STEPS_OF( \
     "1") "|" STEPS_OF("2")

CASE(test_sticky) {
    static const uint32_t all[] = {2, 5, 20};
    LAB_CHECK("sticky stays for 20 steps on average", *rfi_sticky.parameter == 20);
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++) {
        uint32_t n = *rfi_sticky.parameter = all[i];
        lab_share(named("sticky:%u, update: 1/N", n), under(&rfi_sticky, UPDATE_ALONE, N).failed, N,
                  1.0 / n);
        lab_share(named("sticky:%u, check then act: 1/2N", n),
                  under(&rfi_sticky, ALONE(Y_IS_1, CHECK_ACT), N).failed, N, 0.5 / n);
        outcomes(&rfi_sticky, THREE_ALONE, N);
        for (uint32_t k = 0; k < 9; k++) {
            lab_share(named("sticky:%u, thread %u, then thread %u", n, k / 3, k % 3), seen[k], N,
                      (k / 3 == k % 3 ? 1 - 1.0 / n : 0.5 / n) / 3);
        }
    }
    /* Somebody runs alone when the other has ended: that is when one of two has made 1,000 steps,
     * hence between 1,000 and 2,000 decisions. */
    *rfi_sticky.parameter = 20;
    script_number = 1000;
    double rate = (double)under(&rfi_sticky, LONG, 200).preemptions / 200;
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

/* Each delay is for 1 to 50 steps, and all lengths are drawn. */
static void test_delay_lengths(void) {
    uint64_t until[1], lengths = 0;
    uint32_t wrong = 0;
    rfi_delay_state was = rfi_delays;
    rfi_delays = (rfi_delay_state){.stream = {1}, .until = until};
    *rfi_delay.parameter = 100;
    for (uint64_t i = 0; i < 10000; i++) {
        rfi_delays.now = i;
        rfi_delay_announced(0);
        uint64_t steps = until[0] - i;
        wrong += steps < 1 || steps > 50;
        lengths |= UINT64_C(1) << (steps & 63);
    }
    *rfi_delay.parameter = 10;
    rfi_delays = was;
    LAB_CHECK("delay: each is for 1 to 50 steps", !wrong && __builtin_popcountll(lengths) == 50);
}

CASE(test_delay) {
    LAB_CHECK("delay delays one operation in ten", *rfi_delay.parameter == 10);
    test_delay_lengths();
    *rfi_delay.parameter = 0;
    figures f = under(&rfi_delay, JOINED("", FIGURE_1), 1000);
    LAB_CHECK("delay:0: no preemption without a delay", !f.preemptions);
    LAB_CHECK("delay:0: an update is never lost",
              !under(&rfi_delay, CHECKED("", LOST, UPDATE), 1000).failed);
    *rfi_delay.parameter = 10;
    lab_share("delay, update: as by all delays", under(&rfi_delay, UPDATE_ALONE, N).failed, N,
              lost_under_delay(0.1));
    *rfi_delay.parameter = 60;
    lab_share("delay:60, update: as by all delays", under(&rfi_delay, UPDATE_ALONE, N).failed, N,
              lost_under_delay(0.6));
    /* All are delayed: the shorter delay goes first, of equals the first thread. */
    *rfi_delay.parameter = 100;
    script_number = 1;
    lab_share("delay:100, who is last", under(&rfi_delay, ARRIVALS, 5 * N).failed, 5 * N, 0.49);
    *rfi_delay.parameter = 10;
}

/* ---- RAPOS ---- */

/* Three threads, two each of which share a variable: a partial order is who came first at each. */
#define VISIT(variable, visited, code)                                                            \
 "W " variable " 1; peek " visited "; if = 0 { quietly " visited " 1; peek c; quietly c it+" code \
 " };"
#define VISITS                                                                                   \
 "body: start; start; start; join; peek c; see it |" VISIT("x", "f", "0")                        \
     VISIT("y", "g", "0") "|" VISIT("x", "f", "1") VISIT("z", "h", "0") "|" VISIT("y", "g", "2") \
         VISIT("z", "h", "4")
/* A thread is created after a step; who writes first then? */
#define CREATION "body: start; detach | own 1; start; detach; R x; if = 2 { fail first } | W x 2"

/* How many outcomes there are. */
static uint32_t kinds(const rf_strategy *s, const char *program) {
    uint32_t n = 0;
    outcomes(s, program, N / 4);
    for (uint32_t i = 0; i < OUTCOMES; i++) n += seen[i] != 0;
    return n;
}

CASE(test_rapos) {
    LAB_CHECK("rapos: all 8 partial orders of three threads that share in pairs",
              kinds(&rfi_rapos, VISITS) == 8);
    LAB_CHECK("pos: all of them", kinds(&rfi_pos, VISITS) == 8);
    LAB_CHECK("rapos: all 6 orders of four writes", kinds(&rfi_rapos, WRITERS) == 6);
    /* Lost: both reads are a round (1/4); or a round that holds one of them is followed by one from
     * all (1/16), and that is the other read (1/2). */
    static const exact_share all[] = {{"update", CHECKED("", LOST, UPDATE), 35 / 128.0},
                                      {"check act", JOINED(Y_IS_1, CHECK_ACT), 1 / 4.0},
                                      {"creation", CREATION, 1 / 2.0}};
    expect_exactly(&rfi_rapos, all, RFI_LENGTH(all));
    static const char *const fails[] = {JOINED("", FIGURE_1), JOINED("", FIGURE_2),
                                        JOINED("", INVERSION), JOINED(Y_IS_5, STRING_BUFFER)};
    for (uint32_t i = 0; i < RFI_LENGTH(fails); i++) {
        uint32_t failed = under(&rfi_rapos, fails[i], N / 4).failed;
        printf("# %u of %u\n", failed, N / 4);
        LAB_CHECK("rapos fails and does not", failed > 0 && failed < N / 4);
    }
}

/* ---- nobody starves ---- */

#define TRIES                                                                                      \
 "body: start; start; again; join | lock m; own 20; unlock m | loop { try m; until = 1 }; unlock " \
 "m"

/* Who spins makes way at once, but for few who have up to 512 rounds (engine/patience.h), and
 * soon with PCT who sleeps again and again; a thread that only polls is given 5,000 steps by PCT
 * (those at which others could go on), and 1,000 by POS. */
CASE(test_spinners) {
    static const struct {
        const char *name, *program;
        uint64_t most;
        uint32_t above_1000; /* of 100, at most */
    } tests[] = {{"hints", POLLS("load o; until = 1; hint"), 5000, 5},
                 {"loads", POLLS("load o; until = 1"), 5000, 5},
                 {"tries", TRIES, 5000, 5},
                 {"sleeps", POLLS(IS_DONE "sleep 1"), 5000, 100},
                 {"polls", POLLS(IS_DONE), 40000, 100}};
    static const rf_strategy *const all[] = {&rfi_sticky, &rfi_pct, &rfi_pos, &rfi_rapos,
                                             &rfi_delay};
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++)
        for (uint32_t k = 0; k < RFI_LENGTH(tests); k++)
            for (int fine = 0; fine <= 1; fine++) {
                script_is(tests[k].program, false);
                figures f = executions(all[i], "script", 0, 100, fine);
                printf("# %llu steps, %u above 1,000\n", (unsigned long long)f.most_steps,
                       f.above_1000);
                LAB_CHECK(named("%s, %s, %s: all executions end", all[i]->name, tests[k].name,
                                fine ? "fine" : "coarse"),
                          !f.failed && f.most_steps < tests[k].most &&
                              f.above_1000 <= tests[k].above_1000);
            }
}

/* Without new draws some executions of these would have tens of thousands of steps. */
CASE(test_pos_is_fair) {
    uint64_t most = under(&rfi_pos, POLLS(IS_DONE), 1000).most_steps;
    printf("# %llu steps\n", (unsigned long long)most);
    LAB_CHECK("pos, polls: no execution is long", most < 10000);
}

int main(void) { return lab_cases(); }
