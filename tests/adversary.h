/* tests/adversary.h: the racy patterns of Flanagan and Freund's evaluation (PLDI 2010, figure 9).
 *
 * A small kernel for each of the thirteen rows: adversary_rows[] names it, the two racing
 * statements, and the paper's percentages.  All fail with RF_FAIL, or do not end.  Where the
 * benchmark relies on one thread being late, moment() and after() order the two in time, and only
 * there: they are relaxed, so what was written before is not known after.
 */
#ifndef ADVERSARY_H
#define ADVERSARY_H
#include "tests/lab.h"

enum { ADVERSARY_COLUMNS = 6 };
static const char *const adversary_column[ADVERSARY_COLUMNS] = {
    "none", "sc", "oldest", "oldest-different", "random", "random-different"};
static const rf_heuristic adversary_pick[ADVERSARY_COLUMNS] = {
    RF_PICK_NEWEST,           RF_PICK_NEWEST, RF_PICK_OLDEST,
    RF_PICK_OLDEST_DIFFERENT, RF_PICK_RANDOM, RF_PICK_RANDOM_DIFFERENT};

typedef struct adversary_row {
    const char *program, *field, *verdict, *test;
    uint32_t line[2];
    char kind[2];
    unsigned paper[ADVERSARY_COLUMNS]; /* per cent */
} adversary_row;

enum { CREW = 4 };

/* What it is o'clock. */
static _Atomic int the_time;

static inline void moment(int t) {
    rf_atomic_store_explicit(&the_time, t, rf_memory_order_relaxed);
}

static inline void after(int t) {
    while (rf_atomic_load_explicit(&the_time, rf_memory_order_relaxed) < t) RF_YIELD();
}

/* Steps that nobody else sees. */
static inline void stroll(int *own, int steps) {
    for (int i = 0; i < steps; i++) RF_STORE(*own, i);
}

/* ---- figure 8: null check, then use, ten times (figure 1: once) ---- */

static int circle; /* 0: null */
static int circle_delay, circle_rounds = 10;

enum { CIRCLE_W = __LINE__ + 4, CIRCLE_R = CIRCLE_W + 5 };
THREAD(circle_maker) {
    int own;
    stroll(&own, circle_delay);
    RF_STORE(circle, 1);
}

THREAD(circle_user) {
    for (int i = 0; i < circle_rounds; i++) {
        if (!RF_LOAD(circle)) continue;
        if (!RF_LOAD(circle)) RF_FAIL("drew a null circle");
    }
}

RF_TEST(figure_8) {
    circle = 0;
    run_two(circle_maker, circle_user);
}

/* ---- figure 2: double-checked locking ---- */

static rf_mutex point_lock = RF_MUTEX_INIT;
static int point_p, point_x, point_y, point_delay; /* p: does it exist? */

enum { POINT_P_R = __LINE__ + 2, POINT_X_W = POINT_P_R + 3, POINT_Y_W, POINT_P_W };
static void point_get(void) {
    if (RF_LOAD(point_p)) return;
    RF_LOCK(&point_lock);
    if (!RF_LOAD(point_p)) {
        RF_STORE(point_x, 1);
        RF_STORE(point_y, 1);
        RF_STORE(point_p, 1);
    }
    RF_UNLOCK(&point_lock);
}

enum { POINT_Y_R = __LINE__ + 5, POINT_X_R = POINT_Y_R + 2 };
static void *point_slope(void *arg) {
    int own, y, x;
    if (arg) stroll(&own, point_delay); /* the second thread starts late */
    point_get();
    y = RF_LOAD(point_y);
    point_get();
    x = RF_LOAD(point_x);
    if (!x) RF_FAIL("divided by zero");
    if (y != x) RF_FAIL("wrong slope");
    return NULL;
}

RF_TEST(figure_2) {
    point_p = point_x = point_y = 0;
    rf_thread early = RF_THREAD(point_slope, NULL), late = RF_THREAD(point_slope, &point_p);
    RF_JOIN(early);
    RF_JOIN(late);
}

/* ---- jbb: a statistic of 64 bits, torn ---- */

enum { RAN_FOR = 74400, AT_MOST = 100000 }; /* milliseconds */
static int64_t elapsed;

enum { ELAPSED_W = __LINE__ + 2, ELAPSED_R = ELAPSED_W + 9 };
THREAD(company) {
    RF_STORE(elapsed, RAN_FOR);
    moment(1);
}

RF_TEST(jbb_elapsed_time) {
    elapsed = 0;
    the_time = 0;
    BESIDE(company) {
        after(1);
        int64_t reported = RF_LOAD(elapsed);
        if (reported <= 0 || reported > AT_MOST) RF_FAIL("reported %lld ms", (long long)reported);
    }
}

/* ---- jbb: a stale mode, and somebody sleeps for ever ---- */

enum { DEFAULT_MODE, RAMP_UP, RECORDING, RAMP_DOWN };
enum { MANAGERS = 2 };
static rf_mutex company_lock = RF_MUTEX_INIT;
static rf_cond company_wakes = RF_COND_INIT;
static int mode, ready;

enum { MODE_W = __LINE__ + 4, MODE_R = MODE_W + 9 };
THREAD(company_runs) {
    for (int next = RAMP_UP; next <= RAMP_DOWN; next++) {
        RF_LOCK(&company_lock);
        RF_STORE(mode, next);
        RF_UNLOCK(&company_lock);
    }
    moment(1);
    RF_LOCK(&company_lock);
    while (RF_LOAD(ready) < MANAGERS) RF_WAIT(&company_wakes, &company_lock);
    RF_UNLOCK(&company_lock);
}

static bool ramping_down(void) { return RF_LOAD(mode) == RAMP_DOWN; }

static void *manager(void *arg) {
    after(1);
    if (!ramping_down()) return NULL;
    RF_LOCK(&company_lock);
    RF_STORE(ready, RF_LOAD(ready) + 1);
    RF_SIGNAL(&company_wakes);
    RF_UNLOCK(&company_lock);
    return arg;
}

RF_TEST(jbb_mode, .no_spurious = true) {
    mode = DEFAULT_MODE;
    ready = 0;
    the_time = 0;
    BESIDE(company_runs) crew(MANAGERS, manager);
}

/* ---- montecarlo: everybody stores the same value ---- */

static bool debug;

enum { DEBUG_W = __LINE__ + 3, DEBUG_R = DEBUG_W + 1 };
THREAD(montecarlo_path) {
    for (int i = 0; i < 3; i++) {
        RF_STORE(debug, true);
        if (!RF_LOAD(debug)) RF_FAIL("debugging is off");
    }
}

RF_TEST(montecarlo) {
    debug = true;
    crew(CREW, montecarlo_path);
}

/* ---- mtrt: a count that is wrong, and that nobody asks for ---- */

static int runners;

enum { RUNNERS_DOWN = __LINE__ + 1, RUNNERS_UP = RUNNERS_DOWN + 3 };
THREAD(runner) { RF_STORE(runners, RF_LOAD(runners) - 1); }

static rf_thread runner_start(int *id) {
    RF_STORE(runners, RF_LOAD(runners) + 1);
    return RF_THREAD(runner, id);
}

RF_TEST(mtrt) {
    static int id[CREW];
    rf_thread t[CREW];
    runners = 0;
    for (int i = 0; i < CREW; i++) t[i] = runner_start(&id[i]);
    for (int i = 0; i < CREW; i++) RF_JOIN(t[i]);
}

/* ---- raytracer: a sum without a lock ---- */

static int64_t checksum;

enum { CHECKSUM = __LINE__ + 4 };
static void *raytracer_part(void *arg) {
    int id = *(int *)arg;
    after(id);
    RF_STORE(checksum, RF_LOAD(checksum) + (int64_t)7 * (id + 1));
    moment(id + 1);
    return NULL;
}

RF_TEST(raytracer) {
    checksum = 0;
    the_time = 0;
    crew(CREW, raytracer_part);
    if (RF_LOAD(checksum) != 7 * (1 + 2 + 3 + 4)) RF_FAIL("wrong checksum");
}

/* ---- tsp: a stale bound makes more work ---- */

/* The first worker improves the bound that a guess gave; the late ones have nothing to add, and see
 * it at the first node, unless the bound that they read is stale. */
enum { CITIES = 6, GUESS = 83, FRESH = 11 }; /* FRESH: nodes expanded when no bound is stale */
static const int distance[CITIES][CITIES] = {{0, 1, 16, 28, 34, 14}, {35, 0, 1, 20, 29, 19},
                                             {21, 24, 0, 29, 1, 20}, {1, 30, 1, 0, 13, 1},
                                             {69, 17, 12, 8, 0, 13}, {3, 1, 6, 21, 1, 0}};
static rf_mutex tour_lock = RF_MUTEX_INIT;
static int min_tour, expanded;

enum { TOUR_W = __LINE__ + 4, TOUR_R = TOUR_W + 5 };
static void tour_found(int length) {
    if (length >= RF_LOAD(min_tour)) return;
    RF_LOCK(&tour_lock);
    if (length < RF_LOAD(min_tour)) RF_STORE(min_tour, length);
    RF_UNLOCK(&tour_lock);
}

static void tour_extend(int city, unsigned seen, int length) {
    if (length >= RF_LOAD(min_tour)) return;
    expanded++;
    if (seen == (1u << CITIES) - 1) tour_found(length + distance[city][0]);
    for (int next = 1; next < CITIES; next++)
        if (!(seen >> next & 1))
            tour_extend(next, seen | 1u << next, length + distance[city][next]);
}

static void *tour_worker(void *arg) {
    static const struct { int from, to; } share[] = {{1, 1}, {2, 3}, {4, 5}};
    int id = *(int *)arg;
    if (id > 0) after(1);
    for (int first = share[id].from; first <= share[id].to; first++)
        tour_extend(first, 1u | 1u << first, distance[0][first]);
    if (id == 0) moment(1);
    return NULL;
}

RF_TEST(tsp) {
    min_tour = GUESS;
    expanded = 0;
    the_time = 0;
    crew(3, tour_worker);
    if (2 * expanded > 3 * FRESH) RF_FAIL("%d nodes instead of %d", expanded, FRESH);
}

/* ---- sor: neighbours wait for each other by counting ---- */

enum { SWEEPS = 3, SOR_CREW = 3, CELLS = SOR_CREW + 2 };
static unsigned cell[CELLS];
static int swept[SOR_CREW];

static void sor_wait(int count, int other) {
    while (RF_LOAD(swept[other]) < count) RF_YIELD();
}

static void sor_barrier(int id) {
    int mine = RF_LOAD(swept[id]) + 1;
    RF_STORE(swept[id], mine);
    if (id > 0) sor_wait(mine, id - 1);
    if (id < SOR_CREW - 1) sor_wait(mine, id + 1);
}

enum { CELL_R = __LINE__ + 5, CELL_W = CELL_R + 2 };
static void *sor_part(void *arg) {
    int id = *(int *)arg;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        unsigned sum = 1;
        for (int i = id; i <= id + 2; i++) sum += RF_LOAD(cell[i]);
        sor_barrier(id); /* everybody has read */
        RF_STORE(cell[id + 1], sum);
        sor_barrier(id); /* everybody has written */
    }
    return NULL;
}

RF_TEST(sor, .max_steps = 50000) {
    memset(swept, 0, sizeof swept);
    unsigned expected[CELLS];
    for (int i = 0; i < CELLS; i++) expected[i] = cell[i] = (unsigned)i + 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        unsigned before[CELLS];
        memcpy(before, expected, sizeof before);
        for (int i = 1; i < CELLS - 1; i++)
            expected[i] = before[i - 1] + before[i] + before[i + 1] + 1;
    }
    crew(SOR_CREW, sor_part);
    for (int i = 1; i < CELLS - 1; i++)
        if (RF_LOAD(cell[i]) != expected[i]) RF_FAIL("wrong result");
}

/* ---- lufact, moldyn: a tournament barrier of plain flags ---- */

static bool done[CREW];

enum { DONE_R1 = __LINE__ + 4, DONE_W = DONE_R1 + 1, DONE_R2 = DONE_W + 1 };
static void tournament(int id) {
    bool v = !RF_LOAD(done[id]); /* nobody else writes it */
    for (int child = 4 * id + 1; child <= 4 * id + 4 && child < CREW; child++)
        while (RF_LOAD(done[child]) != v) RF_YIELD();
    RF_STORE(done[id], v);
    while (RF_LOAD(done[0]) != v) RF_YIELD();
}

/* In each step the others take the pivot's row from theirs. */
enum { LUFACT_STEPS = 12 };
static unsigned row[CREW];

static void *lufact_part(void *arg) {
    int id = *(int *)arg;
    for (int step = 0; step < LUFACT_STEPS; step++) {
        int pivot = step % CREW;
        tournament(id);
        if (id != pivot) RF_STORE(row[id], 3 * RF_LOAD(row[id]) - RF_LOAD(row[pivot]));
    }
    return NULL;
}

RF_TEST(lufact, .max_steps = 50000) {
    unsigned expected[CREW];
    memset(done, 0, sizeof done);
    for (unsigned i = 0; i < CREW; i++) expected[i] = row[i] = i * i + 1;
    for (int step = 0; step < LUFACT_STEPS; step++)
        for (int i = 0, pivot = step % CREW; i < CREW; i++)
            if (i != pivot) expected[i] = 3 * expected[i] - expected[pivot];
    crew(CREW, lufact_part);
    for (int i = 0; i < CREW; i++)
        if (RF_LOAD(row[i]) != expected[i]) RF_FAIL("wrong result");
}

/* Everybody computes forces; the first thread adds them up; everybody moves. */
static int force[CREW], energy;

static void *moldyn_part(void *arg) {
    int id = *(int *)arg;
    for (int step = 1; step <= 2; step++) {
        RF_STORE(force[id], RF_LOAD(force[id]) + step + id);
        tournament(id);
        if (id == 0) {
            int sum = 0;
            for (int i = 0; i < CREW; i++) sum += RF_LOAD(force[i]);
            RF_STORE(energy, sum);
        }
        tournament(id);
        RF_STORE(force[id], RF_LOAD(force[id]) + RF_LOAD(energy));
        tournament(id);
    }
    return NULL;
}

RF_TEST(moldyn, .max_steps = 50000) {
    int expected[CREW] = {0}, sum = 0;
    memset(done, 0, sizeof done);
    memset(force, 0, sizeof force);
    energy = 0;
    for (int step = 1; step <= 2; step++) {
        sum = 0;
        for (int i = 0; i < CREW; i++) sum += expected[i] += step + i;
        for (int i = 0; i < CREW; i++) expected[i] += sum;
    }
    crew(CREW, moldyn_part);
    for (int i = 0; i < CREW; i++)
        if (RF_LOAD(force[i]) != expected[i]) RF_FAIL("wrong result");
}

/* ---- the table ---- */

/* clang-format off */
static const adversary_row adversary_rows[] = {
    {"figure 8", "x", "destructive", "figure_8", {CIRCLE_W, CIRCLE_R}, "WR", {0, 0, 0, 83, 84, 92}},
    {"figure 2", "p", "benign", "figure_2", {POINT_P_W, POINT_P_R}, "WR", {0, 0, 0, 0, 0, 0}},
    {"figure 2", "p.x", "destructive", "figure_2", {POINT_X_W, POINT_X_R}, "WR",
     {0, 0, 60, 52, 32, 30}},
    {"figure 2", "p.y", "destructive", "figure_2", {POINT_Y_W, POINT_Y_R}, "WR",
     {0, 0, 48, 53, 27, 30}},
    {"jbb", "elapsed_time", "destructive", "jbb_elapsed_time", {ELAPSED_W, ELAPSED_R}, "WR",
     {0, 0, 100, 0, 15, 5}},
    {"jbb", "mode", "destructive", "jbb_mode", {MODE_W, MODE_R}, "WR", {0, 0, 100, 100, 95, 98}},
    {"montecarlo", "debug", "benign", "montecarlo", {DEBUG_W, DEBUG_R}, "WR", {0, 0, 0, 0, 0, 0}},
    {"mtrt", "threadCount", "benign", "mtrt", {RUNNERS_UP, RUNNERS_DOWN}, "WW", {0, 0, 0, 0, 0, 0}},
    {"raytracer", "checksum", "destructive", "raytracer", {CHECKSUM, CHECKSUM}, "WR",
     {0, 0, 100, 100, 100, 100}},
    {"tsp", "MinTourLen", "QoS", "tsp", {TOUR_W, TOUR_R}, "WR", {0, 0, 100, 100, 100, 100}},
    {"sor", "cells", "destructive", "sor", {CELL_W, CELL_R}, "WR", {0, 0, 100, 100, 100, 100}},
    {"lufact", "barrier", "destructive", "lufact", {DONE_W, DONE_R2}, "WR",
     {0, 0, 100, 100, 100, 100}},
    {"moldyn", "barrier", "destructive", "moldyn", {DONE_W, DONE_R1}, "WR",
     {0, 0, 100, 100, 100, 100}},
};
/* clang-format on */
enum { ADVERSARY_ROWS = sizeof adversary_rows / sizeof *adversary_rows };
#endif
