/* bench/tables/tables.c: RaceFuzzer's Table 1 (Sen, PLDI 2008) and CalFuzzer's (Joshi, Naik, Park,
 * Sen, CAV 2009), measured on the kernels in tests/paper, the papers' figures in brackets.
 *
 *     tables FOLDER       where the kernels' native programs are, one NAME_native for each
 *
 * Phase 1 is a campaign's; then each pair that it predicted is directed 100 times, as in the paper,
 * by the job that the campaign would make for it.  Times are those of one execution.
 */
#define RF_IMPLEMENTATION
#include "tests/kernels.h"

enum { DIRECTED = 100 };

/* ---- measuring ---- */

typedef struct measured {
    double native, hybrid, directed; /* microseconds of an execution */
    unsigned native_failed;          /* of 100 runs */
    uint32_t potential, real, known, failing, thrown;
    double chance; /* mean over the real pairs */
    double least;
} measured;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void measure_native(measured *m, const char *folder, const char *test) {
    char command[512];
    unsigned ended = 0, stayed = 0;
    snprintf(command, sizeof command, "%s/%s_native 2>/dev/null", folder, test);
    FILE *p = popen(command, "r");
    if (!p || fscanf(p, "%lf %u %u %u", &m->native, &ended, &m->native_failed, &stayed) != 4)
        rfi_die("%s does not run", command);
    pclose(p);
}

static bool an_exception(unsigned kinds) { return kinds & (RF_EXPECT_FAILURE | RF_EXPECT_CRASH); }

/* Directs one pair, 100 times. */
static void measure_pair(measured *m, const rfi_study *s, const rfi_warning *w) {
    rfi_job j;
    rfi_study_case(s, &rfi_racefuzzer, w, &j);
    double begin = now();
    const rfi_tally *t = lab_job(&j, DIRECTED);
    m->directed += (now() - begin) / DIRECTED;
    if (!t->hits) return;
    double chance = (double)t->hits / DIRECTED;
    bool failing = false;
    for (unsigned k = 0; k < 6; k++) failing |= t->failed_by_kind[k] && an_exception(1u << k);
    m->real++;
    m->failing += failing;
    m->chance += chance;
    if (chance < m->least) m->least = chance;
}

static measured measure_races(const char *folder, const char *test) {
    measured m = {.least = 1};
    measure_native(&m, folder, test);
    const rfi_study *s = lab_study(test, "--strategy=random", "--detect=hybrid", "--memory=c11",
                                   "--executions=1000", "--seconds=none", NULL);
    m.potential = s->result.warnings;
    m.hybrid = s->result.seconds * 1e6 / (double)s->result.executions[0];
    for (uint32_t i = 0; i < s->causes; i++)
        m.thrown += an_exception(rfi_diagnostic(s->cause[i].kind.failure.diagnostic)->kind);
    for (uint32_t i = 0; i < m.potential; i++) measure_pair(&m, s, &s->result.warning[i]);
    if (m.potential) m.directed /= m.potential;
    if (m.real) m.chance /= m.real;
    for (unsigned k = 0; k < KERNEL_RACES; k++)
        m.known += !strcmp(kernel_races[k].test, test) && kernel_races[k].chance != APART;
    return m;
}

/* ---- printing ---- */

enum { COLUMNS = 16, CELL = 24 };

/* Ours, and the paper's as printed there ("-": not given). */
typedef struct row {
    const char *program, *test, *paper[COLUMNS];
} row;

typedef struct column {
    const char *head;
    int width;
} column;

static void print_head(const column *c, unsigned n) {
    printf("%-11s", "program");
    for (unsigned i = 0; i < n; i++) printf(" %*s", c[i].width, c[i].head);
    printf("\n");
}

static void print_row(const row *r, char ours[][CELL], const column *c, unsigned n) {
    printf("%-11s", r->program);
    for (unsigned i = 0; i < n; i++) {
        char text[2 * CELL];
        snprintf(text, sizeof text, "%s (%s)", ours[i], r->paper[i]);
        printf(" %*s", c[i].width, text);
    }
    printf("\n");
}

static void say_count(char *cell, uint32_t n) { snprintf(cell, CELL, "%u", n); }

static void say_time(char *cell, double us) {
    if (us < 1e3)
        snprintf(cell, CELL, "%.0f us", us);
    else
        snprintf(cell, CELL, "%.1f ms", us / 1e3);
}

/* ---- RaceFuzzer's table ---- */

static const column racefuzzer_columns[] = {
    {"normal", 15}, {"hybrid", 16}, {"directed", 16}, {"potential", 10}, {"real", 7},
    {"known", 7},   {"failing", 7}, {"random", 6},    {"native", 6},     {"probability", 12}};
enum { RACEFUZZER_COLUMNS = sizeof racefuzzer_columns / sizeof *racefuzzer_columns };

static const row racefuzzer_rows[] = {
    {"moldyn", "moldyn", {"2.07", ">3600", "42.37", "59", "2", "0", "0", "-", "0", "1.00"}},
    {"raytracer", "raytracer", {"3.25", ">3600", "3.81", "2", "2", "2", "0", "-", "0", "1.00"}},
    {"montecarlo", "montecarlo", {"3.48", ">3600", "6.44", "5", "1", "1", "0", "-", "0", "1.00"}},
    {"cache4j", "cache4j", {"2.19", "4.26", "2.61", "18", "2", "-", "1", "-", "0", "1.00"}},
    {"sor", "sor", {"0.16", "0.35", "0.23", "8", "0", "0", "0", "-", "0", "-"}},
    {"hedc", "hedc", {"1.10", "1.35", "1.11", "9", "1", "1", "1", "-", "0", "0.86"}},
    {"weblech", "weblech", {"0.91", "1.92", "1.36", "27", "2", "1", "1", "-", "1", "0.83"}},
    {"jspider", "jspider", {"4.79", "4.88", "4.81", "29", "0", "-", "0", "-", "0", "-"}},
    {"jigsaw", "jigsaw", {"-", "-", "0.81", "547", "36", "-", "0", "-", "0", "0.90"}},
    {"vector 1.1", "vector", {"0.11", "0.25", "0.2", "9", "9", "9", "0", "-", "0", "0.94"}},
    {"LinkedList", "linked_list", {"0.16", "0.26", "0.22", "12", "12", "-", "5", "-", "0", "0.85"}},
    {"ArrayList", "array_list", {"0.16", "0.26", "0.24", "14", "7", "-", "7", "-", "0", "0.55"}},
    {"HashSet", "hash_set", {"0.16", "0.26", "0.25", "11", "11", "-", "8", "-", "1", "0.54"}},
    {"TreeSet", "tree_set", {"0.17", "0.26", "0.24", "13", "8", "-", "8", "-", "1", "0.41"}}};
enum { RACEFUZZER_ROWS = sizeof racefuzzer_rows / sizeof *racefuzzer_rows };

static void racefuzzer_table(const char *folder) {
    printf("\nRaceFuzzer's Table 1 (in brackets: Sen, PLDI 2008; times there in seconds)\n");
    print_head(racefuzzer_columns, RACEFUZZER_COLUMNS);
    for (unsigned i = 0; i < RACEFUZZER_ROWS; i++) {
        const row *r = &racefuzzer_rows[i];
        measured m = measure_races(folder, r->test);
        char cell[RACEFUZZER_COLUMNS][CELL];
        say_time(cell[0], m.native);
        say_time(cell[1], m.hybrid);
        if (m.potential) say_time(cell[2], m.directed);
        say_count(cell[3], m.potential);
        say_count(cell[4], m.real);
        say_count(cell[5], m.known);
        say_count(cell[6], m.failing);
        say_count(cell[7], m.thrown);
        say_count(cell[8], m.native_failed);
        snprintf(cell[9], CELL, m.real ? "%.2f" : "-", m.chance);
        print_row(r, cell, racefuzzer_columns, RACEFUZZER_COLUMNS);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: tables FOLDER\n"), 2;
    racefuzzer_table(argv[1]);
    return 0;
}
