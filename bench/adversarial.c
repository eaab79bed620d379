/* bench/adversarial.c: what adversarial memory finds in the racy patterns of Flanagan and Freund's
 * benchmarks (PLDI 2010), and how long its write buffers get.
 *
 *     adversarial rates [EXECUTIONS]     figure 9: failures in per cent, beside the paper's
 *     adversarial buffers                figure 10: writes, and entries kept of them
 *
 * The first two columns of the rates run each thread until it blocks, as a machine without an
 * adversary does nearly always; the others run under random schedules.
 */
#define RF_IMPLEMENTATION
#include "tests/adversary.h"

static double rate(const adversary_row *r, unsigned column, uint32_t n) {
    lab_blocks = column < 2;
    const rfi_tally *t = column == 0
                             ? lab_random(r->test, n, LAB_FINE)
                             : lab_adversary(r->test, r->line[0], r->kind[0], r->line[1],
                                             r->kind[1], adversary_pick[column], n, LAB_FINE);
    return 100.0 * (double)lab_failures(t) / (double)t->executions;
}

static void rates(uint32_t n) {
    printf("\nfailures in %u executions, per cent (in brackets: Flanagan and Freund, figure 9)\n",
           n);
    printf("%-11s%-13s", "program", "field");
    for (unsigned c = 0; c < ADVERSARY_COLUMNS; c++) printf("%17s", adversary_column[c]);
    printf("  the race is\n");
    circle_delay = 3;
    point_delay = 6;
    for (unsigned i = 0; i < ADVERSARY_ROWS; i++) {
        const adversary_row *r = &adversary_rows[i];
        printf("%-11s%-13s", r->program, r->field);
        for (unsigned c = 0; c < ADVERSARY_COLUMNS; c++)
            printf("%11.0f (%3u)", rate(r, c, n), r->paper[c]);
        printf("  %s\n", r->verdict);
    }
}

/* ---- figure 10: how many of the writes to one location are kept ---- */

/* A location, and who writes to it. */
typedef struct log {
    rf_mem *mem;
    int value;
    uint32_t threads, writes, most;
} log;

static void log_begin(log *l) {
    rf_mem_reset(l->mem, 1, NULL);
    rf_mem_watch(l->mem, &l->value, sizeof l->value);
    l->threads = 1;
    l->writes = l->most = 0;
}

static uint32_t log_fork(log *l) {
    rf_mem_fork(l->mem, 0, l->threads);
    return l->threads++;
}

static void log_write(log *l, uint32_t thread, int value) {
    rf_mem_store(
        l->mem,
        &(rf_mem_access){
            .thread = thread, .order = RF_MEM_PLAIN, .addr = &l->value, .size = sizeof l->value},
        &value);
    l->writes++;
    uint32_t kept = rf_mem_history(l->mem, &l->value);
    if (kept > l->most) l->most = kept;
}

enum { LOCK = 1 };
static void log_lock(log *l, uint32_t thread) { rf_mem_acquire(l->mem, thread, LOCK); }
static void log_unlock(log *l, uint32_t thread) { rf_mem_release(l->mem, thread, LOCK); }

/* Set by its constructor, then by the worker. */
static void elapsed_time(log *l) {
    log_write(l, 0, 0);
    log_write(l, log_fork(l), 74400);
}

/* The phases of two warehouses in turn, under the company's lock; who only reads takes no lock. */
static void mode_of_a_company(log *l) {
    log_write(l, 0, 0);
    log_fork(l);
    for (int phase = 1; phase < 8; phase++) {
        uint32_t t = phase < 4 ? 0 : phase == 4 ? log_fork(l) : 2;
        log_lock(l, t);
        log_write(l, t, phase);
        log_unlock(l, t);
        log_lock(l, 1);
        log_unlock(l, 1);
    }
}

/* Every constructor sets the flag: 10,001 times in each of four threads. */
static void universal_debug(log *l) {
    log_write(l, 0, true);
    for (int i = 0; i < 4; i++) log_fork(l);
    for (int i = 0; i < 10001; i++)
        for (uint32_t t = 1; t <= 4; t++) log_write(l, t, true);
}

/* One up for each of five runners, one down when it ends. */
static void thread_count(log *l) {
    for (int i = 0; i < 5; i++) {
        log_write(l, 0, i + 1);
        log_fork(l);
    }
    for (uint32_t t = 1; t <= 5; t++) {
        log_write(l, t, 5 - (int)t);
        rf_mem_exit(l->mem, t);
    }
}

static void raytracer_sum(log *l) {
    log_write(l, 0, 0); /* the class's initialiser, then the benchmark's */
    log_write(l, 0, 0);
    for (int i = 0; i < 4; i++) log_fork(l);
    for (uint32_t t = 1; t <= 4; t++) log_write(l, t, 100 * (int)t);
}

/* Four values before the threads start; then improvements, under the lock. */
static void min_tour_len(log *l) {
    for (int i = 0; i < 4; i++) log_write(l, 0, 1000 - i);
    for (int i = 0; i < 4; i++) log_fork(l);
    for (int i = 0; i < 22; i++) {
        uint32_t t = 1 + (uint32_t)i % 4;
        log_lock(l, t);
        log_write(l, t, 900 - i);
        log_unlock(l, t);
    }
}

/* New values by one thread, `n` in all, while the others know nothing of it. */
static void relaxation(log *l, int n) {
    log_write(l, 0, 0);
    for (int i = 0; i < 4; i++) log_fork(l);
    for (int i = 1; i < n; i++) log_write(l, 1, i);
}

static void sor_cell(log *l) { relaxation(l, 255); }
static void moldyn_force(log *l) { relaxation(l, 16383); }

/* A flag that changes sides at every barrier. */
static void is_done(log *l) {
    log_write(l, 0, false);
    for (int i = 0; i < 4; i++) log_fork(l);
    for (int i = 1; i < 2047; i++) log_write(l, 1, i & 1);
}

static void buffers(void) {
    static const struct {
        const char *program, *field;
        void (*run)(log *);
        unsigned paper[2]; /* without and with compression */
    } rows[] = {{"jbb", "elapsed_time", elapsed_time, {2, 2}},
                {"jbb", "mode", mode_of_a_company, {8, 4}},
                {"montecarlo", "debug", universal_debug, {40005, 5}},
                {"mtrt", "threadCount", thread_count, {10, 5}},
                {"raytracer", "checksum", raytracer_sum, {6, 5}},
                {"tsp", "MinTourLen", min_tour_len, {26, 23}},
                {"sor", "arrays", sor_cell, {255, 32}},
                {"lufact", "arrays", is_done, {2047, 7}},
                {"moldyn", "arrays", moldyn_force, {16383, 32}}};
    log l = {.mem = rf_mem_new(NULL)};
    unsigned differ = 0;
    printf("\nlongest write buffer of a location (in brackets: Flanagan and Freund, figure 10)\n");
    printf("%-11s%-13s%20s%20s\n", "program", "field", "without compression", "with");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        log_begin(&l);
        rows[i].run(&l);
        bool same = l.writes == rows[i].paper[0] && l.most == rows[i].paper[1];
        printf("%-11s%-13s%12u (%5u)%12u (%5u)%s\n", rows[i].program, rows[i].field, l.writes,
               rows[i].paper[0], l.most, rows[i].paper[1], same ? "" : "  differs");
        differ += !same;
    }
    printf("%u of %zu rows differ.  The paper has the number of writes; who makes them in which\n"
           "order, and who has heard of them by then, is our guess, and decides what is kept.\n",
           differ, sizeof rows / sizeof *rows);
    rf_mem_free(l.mem);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "rates"))
        rates(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 100);
    else if (!strcmp(what, "buffers"))
        buffers();
    else
        return fprintf(stderr, "usage: adversarial rates [EXECUTIONS] | buffers\n"), 2;
    return 0;
}
