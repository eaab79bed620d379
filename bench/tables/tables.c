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

/* The faults of one family in a kernel. */
typedef struct measured {
    uint32_t potential, real, known, failing; /* failing: with exceptions */
    uint32_t thrown;                          /* different exceptions under plain random */
    double random;                            /* share of its executions that fail in any way */
    double chance;                            /* of the directed ones, mean over the real faults */
    double predict, direct;                   /* microseconds of an execution */
} measured;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static bool an_exception(unsigned kinds) { return kinds & (RF_EXPECT_FAILURE | RF_EXPECT_CRASH); }

static const rf_checker *checker_of(unsigned family) {
    const rf_checker *c;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        if (c->confirms & RF_FAMILY_BIT(family)) return c;
    rfi_die("no checker confirms %s", rfi_family(family)->name);
}

/* Directs a checker at one warning. */
static void measure_one(measured *m, const rfi_study *s, const rfi_warning *w) {
    rfi_job j;
    rfi_study_case(s, checker_of(w->family), w, &j);
    double begin = now();
    const rfi_tally *t = lab_job(&j, DIRECTED);
    m->direct += (now() - begin) / DIRECTED;
    if (!t->hits) return;
    bool failing = false;
    for (unsigned k = 0; k < 6; k++) failing |= t->failed_by_kind[k] && an_exception(1u << k);
    m->real++;
    m->failing += failing;
    m->chance += (double)t->hits / DIRECTED;
}

static measured measure(const char *test, unsigned family, const char *detect) {
    measured m = {.known = kernel_known(test, family)};
    char option[32];
    snprintf(option, sizeof option, "--detect=%s", detect);
    const rfi_study *s = lab_study(test, option, "--strategy=random", "--memory=c11",
                                   "--executions=1000", "--seconds=none", NULL);
    m.predict = s->result.seconds * 1e6 / (double)s->result.executions[0];
    for (uint32_t i = 0; i < s->causes; i++) {
        const rfi_failure_kind *f = &s->cause[i].kind;
        m.thrown += an_exception(rfi_diagnostic(f->failure.diagnostic)->kind);
        m.random += (double)f->count / (double)s->result.executions[0];
    }
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        if (s->result.warning[i].family != family) continue;
        m.potential++;
        measure_one(&m, s, &s->result.warning[i]);
    }
    if (m.potential) m.direct /= m.potential;
    if (m.real) m.chance /= m.real;
    return m;
}

/* Real threads: microseconds of a run, and how many of 100 fail or stay. */
typedef struct native {
    double time;
    unsigned failed;
} native;

static native measure_native(const char *folder, const char *test) {
    native n;
    char command[512];
    unsigned ended = 0, stayed = 0;
    snprintf(command, sizeof command, "%s/%s_native 2>/dev/null", folder, test);
    FILE *p = popen(command, "r");
    if (!p || fscanf(p, "%lf %u %u %u", &n.time, &ended, &n.failed, &stayed) != 4)
        rfi_die("%s does not run", command);
    pclose(p);
    n.failed += stayed;
    return n;
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
    if (us <= 0)
        snprintf(cell, CELL, "-");
    else if (us < 1e3)
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

static const char racefuzzer_notes[] =
    "Times are those of one execution: on real threads, with their start; with every access\n"
    "scheduled, under the hybrid detector; directed at a pair.  A kernel has the threads and "
    "locks\n"
    "of its benchmark and a hundredth of its code, so there are fewer pairs to suspect.\n"
    "failing: real pairs after which an execution threw something.  random: different exceptions\n"
    "in 1,000 executions under plain random, with a switch before every access.  native: of 100\n"
    "runs on real threads; that is the paper's column.\n"
    "moldyn: directed costs more, since who spins does so for 2,000 decisions until the monitor\n"
    "releases a paused thread.  Natively it can fail: compilers move plain data over the flags.\n"
    "hedc: the canceller reads the pointer twice; the second read is the paper's pair.\n"
    "weblech: the flag's race is counted as failing when the counter's failed after it.\n"
    "LinkedList: the 12th pair is unordered but never adjacent: clear() changes the first link\n"
    "long before it changes the size that lets the walker read it.  A probability below the\n"
    "paper's: the pairs of links need both threads at the same node, and a change that gets the\n"
    "lock before the walker has its iterator keeps it out.  ArrayList, TreeSet: the same two\n"
    "reasons.  HashSet, TreeSet: without growing and balancing there are fewer pairs.\n"
    "The probabilities of these four say more of the driver than of the algorithm.  The papers do\n"
    "not tell theirs; ours starts one thread after the other, those that walk first, and was "
    "chosen\n"
    "among several: with all threads started at once they are 0.06 to 0.12.  The mean is over the\n"
    "pairs that were hit, so it falls when more runs hit rarer ones (TreeSet: 0.35 in 450 runs).\n";

static void racefuzzer_table(const char *folder) {
    printf("\nRaceFuzzer's Table 1 (in brackets: Sen, PLDI 2008; times there in seconds)\n");
    print_head(racefuzzer_columns, RACEFUZZER_COLUMNS);
    for (unsigned i = 0; i < RACEFUZZER_ROWS; i++) {
        const row *r = &racefuzzer_rows[i];
        native n = measure_native(folder, r->test);
        measured m = measure(r->test, RF_FAMILY_RACE, "hybrid");
        char cell[RACEFUZZER_COLUMNS][CELL];
        say_time(cell[0], n.time);
        say_time(cell[1], m.predict);
        say_time(cell[2], m.direct);
        say_count(cell[3], m.potential);
        say_count(cell[4], m.real);
        say_count(cell[5], m.known);
        say_count(cell[6], m.failing);
        say_count(cell[7], m.thrown);
        say_count(cell[8], n.failed);
        snprintf(cell[9], CELL, m.real ? "%.2f" : "-", m.chance);
        print_row(r, cell, racefuzzer_columns, RACEFUZZER_COLUMNS);
        fflush(stdout);
    }
    printf("%s", racefuzzer_notes);
}

/* ---- CalFuzzer's table ---- */

static const column calfuzzer_columns[] = {
    {"normal", 14}, {"RF", 14}, {"DF", 14}, {"AF", 14}, {"HRD", 9}, {"RF", 7}, {"KR", 5},
    {"iG", 8},      {"DF", 6},  {"KR", 5},  {"Az", 6},  {"AF", 5},  {"KR", 5}};
enum { CALFUZZER_COLUMNS = sizeof calfuzzer_columns / sizeof *calfuzzer_columns };

static const row calfuzzer_rows[] = {
    {"moldyn", "moldyn", {"2.07", "42.4", "-", "-", "5", "2", "0", "0", "-", "-", "-", "-", "-"}},
    {"jspider",
     "jspider",
     {"4.62", "4.81", "-", "51", "29", "0", "-", "0", "0", "-", "28", "4", "0"}},
    {"sor", "sor", {"0.163", "0.23", "-", "1.0", "8", "0", "0", "0", "0", "-", "0", "0", "0"}},
    {"hedc", "hedc", {"0.99", "1.11", "-", "1.8", "9", "1", "1", "0", "0", "-", "3", "0", "1"}},
    {"DBCP", "dbcp", {"0.60", "-", "1.4", "-", "-", "-", "-", "2", "2", "2", "-", "-", "-"}},
    {"jigsaw", "jigsaw", {"-", "-", "-", "-", "547", "36", "-", "283", "29", "-", "60", "2", "1"}},
    {"Java Swing",
     "swing",
     {"4.69", "-", "28.1", "-", "-", "-", "-", "1", "1", "1", "-", "-", "-"}}};
enum { CALFUZZER_ROWS = sizeof calfuzzer_rows / sizeof *calfuzzer_rows };

/* Three cells from `from` on: potential, real, known. */
static void say_measured(char (*cell)[CELL], const measured *m) {
    say_count(cell[0], m->potential);
    say_count(cell[1], m->real);
    say_count(cell[2], m->known);
}

static const char calfuzzer_notes[] =
    "HRD, iG, Az: predicted by hybrid race detection, iGoodlock, Atomizer.  RF, DF, AF: produced "
    "by\n"
    "RaceFuzzer, DeadlockFuzzer, AtomFuzzer; DF and AF are directed at what was predicted, \"-\" "
    "if\n"
    "nothing was.  KR: known to be real.\n"
    "jigsaw: cycles behind a common gate, or in an order that start and join forbid, are not even\n"
    "predicted here; the two false ones that are left need to know what a flag means.\n"
    "jspider, hedc, jigsaw: the kernels declare their blocks; there, every outermost lock region "
    "was\n"
    "one.  hedc: a second read, not a second lock as AtomFuzzer of 2008 looks for, is disturbed.\n"
    "jspider: directed costs more, since workers poll while a paused thread holds what they wait "
    "for.\n";

static void calfuzzer_table(const char *folder) {
    printf("\nCalFuzzer's Table 1 (in brackets: Joshi, Naik, Park, Sen, CAV 2009; times there in "
           "seconds)\n");
    print_head(calfuzzer_columns, CALFUZZER_COLUMNS);
    for (unsigned i = 0; i < CALFUZZER_ROWS; i++) {
        const row *r = &calfuzzer_rows[i];
        bool jigsaw = !strcmp(r->test, "jigsaw");
        measured races = measure(r->test, RF_FAMILY_RACE, "hybrid");
        measured cycles =
            measure(jigsaw ? "jigsaw_shutdown" : r->test, RF_FAMILY_DEADLOCK, "goodlock");
        measured blocks = measure(r->test, RF_FAMILY_ATOMICITY, "atomizer");
        char cell[CALFUZZER_COLUMNS][CELL];
        say_time(cell[0], measure_native(folder, r->test).time);
        say_time(cell[1], races.direct);
        say_time(cell[2], cycles.direct);
        say_time(cell[3], blocks.direct);
        say_measured(&cell[4], &races);
        say_measured(&cell[7], &cycles);
        say_measured(&cell[10], &blocks);
        print_row(r, cell, calfuzzer_columns, CALFUZZER_COLUMNS);
        fflush(stdout);
    }
    printf("%s", calfuzzer_notes);
}

/* ---- the programs of the lectures ---- */

static void lectures_row(const char *test, unsigned family, const char *detect) {
    measured m = measure(test, family, detect);
    printf("%-22s %-10s %9u %4u %5u", test, rfi_family(family)->name, m.potential, m.real, m.known);
    if (m.real)
        printf(" %11.2f", m.chance);
    else
        printf(" %11s", "-");
    printf(" %13.3f\n", m.random);
    fflush(stdout);
}

static void lectures_table(void) {
    printf("\n%-22s %-10s %9s %4s %5s %11s %13s\n", "program", "fault", "potential", "real",
           "known", "probability", "plain random");
    for (unsigned i = 0; i < KERNEL_FAULTS; i++) {
        const kernel_faults *f = &kernel_fault_table[i];
        if (f->violations)
            lectures_row(f->test, RF_FAMILY_ATOMICITY, "atomizer");
        else
            lectures_row(f->test, RF_FAMILY_DEADLOCK, "goodlock");
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: tables FOLDER\n"), 2;
    racefuzzer_table(argv[1]);
    calfuzzer_table(argv[1]);
    lectures_table();
    return 0;
}
