/* longest_waiting.c: a strategy that runs the thread that has waited for longest. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"

enum { THREADS = 1024 };
static uint64_t now, since[THREADS]; /* the thread waits */

static void begin(uint64_t seed) {
    (void)seed; /* no use for chance */
    now = 0;
}

static void announced(const rf_event *next) {
    if (next->thread < THREADS) since[next->thread] = ++now;
}

static uint32_t pick(const rf_choice *c) {
    uint32_t longest = rf_choice_at(c, 0);
    for (uint32_t i = 1; i < c->count; i++) {
        uint32_t t = rf_choice_at(c, i);
        if (t < THREADS && since[t] < since[longest]) longest = t;
    }
    return longest;
}

static const rf_strategy longest_waiting = {
    .name = "longest-waiting",
    .help = "the thread that has waited for longest",
    .begin = begin,
    .pick = pick,
    .announced = announced,
};
RF_STRATEGY(longest_waiting);

/* ---- two philosophers who are too polite ---- */

static rf_mutex forks[2] = {RF_MUTEX_INIT, RF_MUTEX_INIT};

static void *polite(void *arg) {
    int left = *(int *)arg, right = 1 - left;
    for (;;) {
        RF_LOCK(&forks[left]);
        if (RF_TRYLOCK(&forks[right])) break;
        RF_UNLOCK(&forks[left]); /* the other one may eat first */
    }
    RF_UNLOCK(&forks[right]);
    RF_UNLOCK(&forks[left]);
    return arg;
}

static void *ordered(void *arg) {
    RF_LOCK(&forks[0]);
    RF_LOCK(&forks[1]);
    RF_UNLOCK(&forks[1]);
    RF_UNLOCK(&forks[0]);
    return arg;
}

static void dine(void *(*philosopher)(void *)) {
    int seat[2] = {0, 1};
    rf_thread a = RF_THREAD(philosopher, &seat[0]), b = RF_THREAD(philosopher, &seat[1]);
    RF_JOIN(a);
    RF_JOIN(b);
}

/* Fair schedules differ in nothing, so one execution is enough. */
RF_TEST(both_wait, .executions = 1, .max_steps = 1000, .strategy = "longest-waiting",
        .expect = PLANTED(RF_EXPECT_LIVELOCK)) {
    dine(polite);
}
RF_TEST(by_chance_one_eats, .strategy = "random", .max_steps = 1000) { dine(polite); }
RF_TEST(in_order, .executions = 1, .strategy = "longest-waiting") { dine(ordered); }

RF_MAIN()
