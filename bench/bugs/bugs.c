/* bench/bugs/bugs.c: executions until the first one that shows a program's bug, beside published
 * figures.
 *
 *     bugs list              the programs
 *     bugs hunt PROGRAM      a line for each strategy: what bugs table reads
 *     bugs rates PROGRAM     executions per second and steps of one, under random scheduling
 *     bugs table < LINES     the table
 *
 * From the environment: STRATEGIES (names, separated by commas; all), SEEDS (20), LIMIT executions
 * (10,000, or what the test says) and CAP seconds (5, or what the test says) for each seed.  What
 * counts is the kind of failure that the program's `.expect` names: no race.  The strategy auto is
 * the whole campaign without any option.
 */
#define RF_IMPLEMENTATION
#include "bench/bugs/hunt.h"

enum { SEEDS = 1000, STRATEGIES = 32, PROGRAMS = 128, WIDTH = 100 };

static double setting(const char *name, double fallback) {
    const char *value = getenv(name);
    return value && *value ? strtod(value, NULL) : fallback;
}

static bool wanted(const char *strategy) {
    const char *list = getenv("STRATEGIES");
    return !list || !*list || rfi_list_has(list, strategy);
}

static rfi_test *program_named(const char *name) {
    rfi_test *t = rfi_test_named(name);
    if (!t) rfi_die("no program %s", name);
    return t;
}

/* ---- hunting ---- */

typedef struct row {
    char program[32], strategy[32];
    unsigned seeds, found;
    double mean, median; /* of the seeds that found it; of all, 0: the median one did not */
    double steps, rate;  /* of an execution; per second */
    double cut;          /* seeds that ended early: out of time, or of executions to make */
} row;

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The executions to the first failure of the seeds that found one, ascending. */
static void summarise(row *r, uint32_t *first) {
    double sum = 0;
    qsort(first, r->found, sizeof *first, by_number);
    for (unsigned i = 0; i < r->found; i++) sum += first[i];
    r->mean = r->found ? sum / r->found : 0;
    unsigned low = (r->seeds - 1) / 2, high = r->seeds / 2;
    r->median = high < r->found ? (first[low] + first[high]) / 2.0 : 0;
}

/* What one seed took. */
typedef struct trial {
    uint32_t found; /* the first execution that failed, from 1 on; 0: none */
    bool cut;       /* it ended early */
    uint64_t executions, steps;
} trial;

/* One strategy alone, until it has found the bug. */
static trial by_strategy(const rfi_test *t, const rf_strategy *strategy, uint64_t seed) {
    double limit = setting("LIMIT", t->options.executions ? t->options.executions : 10000);
    double cap = setting("CAP", t->options.seconds > 0 ? t->options.seconds : 5);
    rfi_job j = hunt_job(t, strategy, getenv("STRATEGIES"), seed);
    hunt h = hunt_run(j, t->options.expect, (uint32_t)limit, cap);
    return (trial){h.found, !h.found && h.executions < h.limit, h.executions, h.steps};
}

/* A whole campaign with its usual budget: directed executions count. */
static trial by_campaign(const rfi_test *t, uint64_t seed) {
    char option[40];
    snprintf(option, sizeof option, "--seed=%llu", (unsigned long long)seed);
    const rfi_result *r = &lab_study(t->options.rfi_name, option, NULL)->result;
    unsigned harms = RF_EXPECT_FAILURE | RF_EXPECT_DEADLOCK | RF_EXPECT_LIVELOCK | RF_EXPECT_CRASH;
    bool other = r->found & harms & ~t->options.expect; /* it may have been the first one */
    if (other) fprintf(stderr, "%s: another failure was found, too\n", t->options.rfi_name);
    return (trial){other ? 0 : (uint32_t)r->first_failure, !r->first_failure && r->capped,
                   rfi_sum_of_phases(r->executions), rfi_sum_of_phases(r->steps)};
}

/* All seeds; by campaigns without a strategy. */
static void hunt_with(const rfi_test *t, const rf_strategy *strategy) {
    static uint32_t first[SEEDS];
    row r = {.seeds = (unsigned)setting("SEEDS", 20)};
    double executions = 0;
    clock_t begin = clock();
    if (!r.seeds || r.seeds > SEEDS) rfi_die("SEEDS: 1 to %d", SEEDS);
    for (unsigned seed = 1; seed <= r.seeds; seed++) {
        trial one = strategy ? by_strategy(t, strategy, seed) : by_campaign(t, seed);
        if (one.found) first[r.found++] = one.found;
        r.cut += one.cut;
        executions += (double)one.executions;
        r.steps += (double)one.steps;
    }
    r.rate = executions * CLOCKS_PER_SEC / (double)(clock() - begin + 1);
    summarise(&r, first);
    printf("%s %s %u %u %.3f %.1f %.1f %.0f %.0f\n", t->options.rfi_name,
           strategy ? strategy->name : RFI_PORTFOLIO, r.seeds, r.found, r.mean, r.median,
           r.steps / executions, r.rate, r.cut);
    fflush(stdout);
}

static void hunt_all(const rfi_test *t) {
    const rf_strategy *s;
    if (wanted(RFI_PORTFOLIO)) hunt_with(t, NULL);
    for (uint32_t i = 0; (s = rfi_strategy_at(i)) != NULL; i++)
        if (wanted(s->name)) hunt_with(t, s);
}

/* ---- rates ---- */

static void rates(const rfi_test *t) {
    printf("%-16s", t->options.rfi_name);
    for (int fine = 1; fine >= 0; fine--) {
        rfi_job j = hunt_job(t, &rfi_random, NULL, 1);
        j.fine = fine;
        clock_t begin = clock();
        hunt h = hunt_run(j, 0, 10000000, 0.3);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        printf("  %s %9.0f/s %7.1f steps %7.1f ns a step", fine ? "fine" : "coarse",
               h.executions / seconds, (double)h.steps / h.executions,
               seconds * 1e9 / (double)h.steps);
        if (!fine) printf(" %4u threads", h.record->threads);
    }
    printf("\n");
}

/* ---- the table ---- */

/* Mean executions to the first failure, as their authors give them. */
static const struct {
    const char *program, *figures;
} published[] = {{"reorder_3", "RFF 7, SURW 7, PERIOD 6, PCT(3) 185, POS 86"},
                 {"reorder_5", "RFF 6, SURW 10, PERIOD 12, PCT(3) 647, POS 2169"},
                 {"reorder_10", "RFF 6, SURW 17, PERIOD 27, PCT(3) 3225, POS -"},
                 {"reorder_20", "RFF 6, SURW 6, PERIOD 39, PCT(3) 3005"},
                 {"reorder_50", "RFF 6, SURW 13, PERIOD 129, PCT(3) -"},
                 {"reorder_100", "RFF 6, SURW 194, PERIOD 297, PCT(3) -"},
                 {"twostage_2", "RFF 8, SURW 8"},
                 {"twostage_20", "RFF 22, SURW 6"},
                 {"twostage_100", "RFF 56, SURW 454"},
                 {"bluetooth", "PERIOD 9, POS 36, RFF 45"},
                 {"wronglock", "RFF 1, SURW 7"},
                 {"account", "RFF 1, POS 1"},
                 {"stack", "2"},
                 {"stringbuffer", "SURW 8, RFF 15"},
                 {"wsq", "SURW 6, RFF 10"},
                 {"qsort_mt", "PERIOD 27, RFF 322"},
                 {"safestack", "SURW 368921"}};

static row rows[PROGRAMS * STRATEGIES];
static unsigned row_count;

static const row *row_of(const char *program, const char *strategy) {
    for (unsigned i = 0; i < row_count; i++)
        if (!strcmp(rows[i].program, program) && !strcmp(rows[i].strategy, strategy))
            return &rows[i];
    return NULL;
}

/* The programs or the strategies of the rows, each once, in the order of their first row. */
static unsigned names_of(const char **name, unsigned room, bool strategies) {
    unsigned n = 0;
    for (unsigned i = 0; i < row_count; i++) {
        const char *s = strategies ? rows[i].strategy : rows[i].program;
        unsigned k = 0;
        while (k < n && strcmp(name[k], s) != 0) k++;
        if (k == n && n < room) name[n++] = s;
    }
    return n;
}

/* At most five characters. */
static void say_number(char *text, size_t room, double n) {
    if (n <= 0)
        snprintf(text, room, "-");
    else if (n < 99.95)
        snprintf(text, room, "%.3g", n);
    else if (n < 99999.5)
        snprintf(text, room, "%.0f", n);
    else
        snprintf(text, room, n < 999500 ? "%.0fk" : "%.1fM", n < 999500 ? n / 1e3 : n / 1e6);
}

static int width_of(const char *strategy) {
    size_t n = strlen(strategy);
    return (int)(n < 5 ? 5 : n) + 1;
}

enum { MEAN, MEDIAN, FOUND };

static void print_line(const char *head, const char *label, const char *program,
                       const char *const *strategy, unsigned n, int what) {
    printf("%-16s%-5s", head, label);
    for (unsigned i = 0; i < n; i++) {
        const row *r = row_of(program, strategy[i]);
        char text[32] = "";
        if (r && what == FOUND)
            snprintf(text, sizeof text, "%u%s", r->found, r->cut > 0 ? "!" : "");
        else if (r)
            say_number(text, sizeof text, what == MEAN ? r->mean : r->median);
        printf("%*s", width_of(strategy[i]), text);
    }
    printf("\n");
}

static void print_program(const char *program, const char *const *strategy, unsigned n) {
    bool all = true;
    unsigned seeds = 0;
    for (unsigned i = 0; i < n; i++) {
        const row *r = row_of(program, strategy[i]);
        if (r) all &= r->found == r->seeds, seeds = r->seeds;
    }
    print_line(program, "mean", program, strategy, n, MEAN);
    print_line("", "med", program, strategy, n, MEDIAN);
    char label[16];
    snprintf(label, sizeof label, "of%u", seeds);
    if (!all) print_line("", label, program, strategy, n, FOUND);
    for (unsigned i = 0; i < sizeof published / sizeof *published; i++)
        if (!strcmp(published[i].program, program))
            printf("    published: %s\n", published[i].figures);
}

static void read_rows(void) {
    row r;
    while (row_count < PROGRAMS * STRATEGIES &&
           scanf("%31s %31s %u %u %lf %lf %lf %lf %lf", r.program, r.strategy, &r.seeds, &r.found,
                 &r.mean, &r.median, &r.steps, &r.rate, &r.cut) == 9)
        rows[row_count++] = r;
}

static void table(void) {
    const char *program[PROGRAMS], *strategy[STRATEGIES];
    read_rows();
    unsigned programs = names_of(program, PROGRAMS, false);
    unsigned strategies = names_of(strategy, STRATEGIES, true);
    for (unsigned from = 0, n; from < strategies; from += n) {
        int width = 21;
        n = 0;
        while (from + n < strategies && width + width_of(strategy[from + n]) <= WIDTH)
            width += width_of(strategy[from + n++]);
        printf("\n%-21s", "program");
        for (unsigned i = 0; i < n; i++)
            printf("%*s", width_of(strategy[from + i]), strategy[from + i]);
        printf("\n");
        for (unsigned i = 0; i < programs; i++) print_program(program[i], strategy + from, n);
    }
    printf(
        "\nExecutions to the first that shows the bug: mean of the seeds that found it, median of "
        "all\nseeds (-: not found), and how many found it, unless all did (!: some of the others "
        "ran out of\ntime or of schedules before the limit).\n");
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "list") && argc == 2)
        for (const rfi_test *t = rfi_tests; t; t = t->next) puts(t->options.rfi_name);
    else if (!strcmp(mode, "hunt") && argc == 3)
        hunt_all(program_named(argv[2]));
    else if (!strcmp(mode, "rates") && argc == 3)
        rates(program_named(argv[2]));
    else if (!strcmp(mode, "table") && argc == 2)
        table();
    else
        return fprintf(stderr, "usage: bugs list | hunt PROGRAM | rates PROGRAM | table\n"), 2;
    return 0;
}
