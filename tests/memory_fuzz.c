/* The memory model against the oracle of litmus/oracle.h on random programs:
 *
 *     memory_fuzz [COUNT [SEED [BUDGET]]]
 *
 * All that the model can do with a program is enumerated (litmus/explore.h) and must be exactly
 * what the oracle allows: outcomes, and with each whether it races.  A program that needs more than
 * BUDGET executions is sampled instead: only what is forbidden is found then.  The heuristics that
 * pick values are sampled too.  A program that fails is printed, with an execution if there is one.
 * Programs are numbered; SEED:NUMBER is the name of one. */
#include "litmus/explore.h"
#include "litmus/generate.h"
#include "litmus/oracle.h"
#include "check.h"

enum { SEED = 1, BUDGET = 20000, SAMPLES = 4000, PICKS = 4, KNOWN = 256 };

/* ---- what is compared ---- */

struct mode {
    const char *name;
    rf_mem_model model;
    unsigned flag;            /* of the oracle's executions */
    bool cxx20, expect_cxx20; /* C++20's release sequences */
    bool exact;               /* all outcomes with the flag are to be reached */
    uint32_t history, fairness;
};

static const struct mode modes[] = {
    {.name = "c11", .flag = LITMUS_FLAG_S, .exact = true},
    {.name = "c11 as in C++20",
     .flag = LITMUS_FLAG_S,
     .exact = true,
     .cxx20 = true,
     .expect_cxx20 = true},
    {.name = "c11, history of 2", .flag = LITMUS_FLAG_S, .history = 2},
    {.name = "c11, history of 3", .flag = LITMUS_FLAG_S, .history = 3},
    {.name = "c11, fairness of 1", .flag = LITMUS_FLAG_S, .fairness = 1},
    {.name = "c11-fast", .model = RF_MEM_C11_FAST, .flag = LITMUS_FLAG_B},
    {.name = "c11-fast, history of 2",
     .model = RF_MEM_C11_FAST,
     .flag = LITMUS_FLAG_B,
     .history = 2},
    {.name = "sc", .model = RF_MEM_SC, .flag = LITMUS_FLAG_I, .exact = true},
};
enum { MODES = sizeof modes / sizeof *modes };

static rf_mem_options options_of(const struct mode *mode) {
    return (rf_mem_options){.atomics = mode->model,
                            .cxx20 = mode->cxx20,
                            .history = mode->history,
                            .fairness = mode->fairness};
}

struct fuzz {
    struct litmus_program known[KNOWN];
    int knowns;
    struct machine machine;
    struct explore explore;
    unsigned long budget;
    unsigned long programs, runs, sampled, executions, uneven;
};

struct finding {
    const struct mode *mode;
    struct litmus_complaint complaint;
    struct litmus_set observed;
};

/* Every outcome races in the ways in which the oracle's executions with flag S do. */
static struct litmus_complaint unlike_races(const struct litmus_set *expected,
                                            const struct litmus_set *observed) {
    for (size_t i = 0; i < observed->count; i++) {
        const struct litmus_outcome *e = litmus_find(expected, &observed->outcome[i].final);
        if (e && e->online != observed->outcome[i].online)
            return litmus_complain(LITMUS_ANY_RACE, e);
    }
    return (struct litmus_complaint){0};
}

static struct litmus_complaint compare(const struct mode *mode, const struct litmus_set *expected,
                                       const struct litmus_set *observed, bool all) {
    struct litmus_complaint c = litmus_unsound(expected, observed, mode->flag);
    if (!c.wrong && all && mode->exact) c = litmus_incomplete(expected, observed, mode->flag);
    if (!c.wrong && all && mode->exact && mode->flag == LITMUS_FLAG_S)
        c = unlike_races(expected, observed);
    return c;
}

/* Explores to a depth; false if the budget was not enough. */
static bool explored(struct fuzz *f, const rf_mem_options *options, enum explore_depth depth,
                     struct litmus_set *observed) {
    explore_begin(&f->explore, &f->machine, options, depth, f->budget);
    bool all = explore_all(&f->explore, observed);
    f->executions += f->explore.executions;
    return all;
}

/* What is wrong with a program in a mode.  The caller clears found->observed. */
static bool wrong(struct fuzz *f, const struct mode *mode, const struct litmus_program *p,
                  const struct litmus_set *expected, struct finding *found) {
    rf_mem_options options = options_of(mode);
    struct litmus_set *observed = &found->observed;
    enum explore_depth depth = mode->model == RF_MEM_C11 ? EXPLORE_GRAPHS : EXPLORE_ACCESSES;
    f->machine.program = p;
    f->runs++;
    bool all = explored(f, &options, depth, observed);
    found->mode = mode;
    found->complaint = compare(mode, expected, observed, all);
    if (all && found->complaint.wrong >= LITMUS_MISSING && depth == EXPLORE_GRAPHS) {
        all = explored(f, &options, EXPLORE_ACCESSES, observed);
        found->complaint = compare(mode, expected, observed, all);
        f->uneven += all && !found->complaint.wrong;
    }
    if (!all) f->sampled++;
    if (found->complaint.wrong) return true;
    for (int pick = RF_PICK_RECENT; pick <= RF_PICK_MIXED; pick++) {
        options.atomic_pick = options.plain_pick = (rf_heuristic)pick;
        for (uint64_t i = 0; i < (all ? PICKS : SAMPLES); i++)
            machine_run(&f->machine, i * 8 + (uint64_t)pick, &options, observed);
    }
    found->complaint = compare(mode, expected, observed, all);
    return found->complaint.wrong;
}

/* The first thing that is wrong with a program in the modes. */
static bool judge(struct fuzz *f, const struct mode *mode, int count,
                  const struct litmus_program *p, struct finding *found) {
    struct litmus_set expected[2] = {{0}};
    bool bad = false;
    f->programs++;
    for (int i = 0; i < count && !bad; i++) {
        struct litmus_set *e = &expected[mode[i].expect_cxx20];
        if (!e->count) oracle_outcomes(p, mode[i].expect_cxx20, e);
        *found = (struct finding){0};
        bad = wrong(f, &mode[i], p, e, found);
        litmus_clear(&found->observed);
    }
    for (int i = 0; i < 2; i++) litmus_clear(&expected[i]);
    return bad;
}

/* ---- a failing program ---- */

static void show(struct fuzz *f, const struct litmus_program *p, const struct finding *found) {
    const struct litmus_complaint *c = &found->complaint;
    rf_mem_options options = options_of(found->mode);
    printf("# %s, %s, %zu bytes, %d stores before: ", found->mode->name, litmus_wrongs[c->wrong],
           f->machine.size, f->machine.before);
    litmus_print_outcome(stdout, p, &c->outcome);
    printf("\n");
    litmus_print_program(stdout, p);
    if (c->wrong == LITMUS_MISSING) return;
    char race = c->wrong == LITMUS_FALSE_RACE ? 'R' : c->wrong == LITMUS_MISSED_RACE ? '.' : 'r';
    f->machine.program = p;
    explore_begin(&f->explore, &f->machine, &options, EXPLORE_ACCESSES, f->budget);
    explore_show(stdout, &f->explore, &c->outcome.final, race);
}

/* Judges a program in all modes; if something is wrong with it, it is shown. */
static bool fails(struct fuzz *f, const struct litmus_program *p) {
    struct finding found;
    bool bad = judge(f, modes, MODES, p, &found);
    if (bad) show(f, p, &found);
    return bad;
}

/* ---- the tests ---- */

/* Sets how locations are: all sizes have their turn, but a byte only where values can't grow out of
 * it, and the model throws its first stores away at different times. */
static void set_up(struct fuzz *f, const struct litmus_program *p, unsigned long index) {
    bool grows = false;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->thread[t].statements; i++)
            for (int k = 0; k < 2; k++)
                grows |= litmus_forms[p->thread[t].statement[i].kind].operands > k &&
                         p->thread[t].statement[i].operand[k].from >= 0;
    f->machine.size = (size_t)(grows ? 2 : 1) << index % (grows ? 4 : 5);
    f->machine.before = (int)(index / 5 % 8);
}

/* Two of three programs are made of nothing, one of a known one. */
static void make(const struct fuzz *f, struct litmus_program *p, unsigned long seed,
                 unsigned long index) {
    if (index % 3) {
        litmus_generate(p, seed, index);
    } else {
        *p = f->known[(seed + index / 3) % (unsigned long)f->knowns];
        litmus_vary(p, seed, index);
    }
}

static void random_programs(struct fuzz *f, unsigned long count, unsigned long seed) {
    enum { ENOUGH = 5 };
    int bad = 0;
    for (unsigned long i = 0; i < count && bad < ENOUGH; i++) {
        struct litmus_program p;
        make(f, &p, seed, i);
        set_up(f, &p, i);
        bad += fails(f, &p);
    }
    printf("# seed %lu: %lu programs in %d modes, %lu executions\n", seed, f->programs, MODES,
           f->executions);
    printf("# %lu of %lu enumerations would take too long and were sampled; %lu depended on the\n"
           "# order of events that commute\n",
           f->sampled, f->runs, f->uneven);
    check(!bad, "random_programs_have_exactly_the_outcomes_that_the_oracle_allows");
    check(f->sampled * 20 <= f->runs, "no_more_than_one_in_twenty_was_sampled");
}

static void known_programs(struct fuzz *f) {
    int bad = 0;
    for (int i = 0; i < f->knowns; i++) {
        set_up(f, &f->known[i], (unsigned long)i);
        bad += fails(f, &f->known[i]);
    }
    printf("# %d programs of files\n", f->knowns);
    check(!bad && f->knowns, "so_have_the_programs_of_the_files");
}

static void know(struct fuzz *f, const char *name) {
    struct litmus_reader in = {.name = name, .file = fopen(name, "r")};
    struct litmus_expected expected;
    if (!in.file) litmus_refuse(&in, "cannot be read");
    while (f->knowns < KNOWN && litmus_read(&in, &f->known[f->knowns], &expected)) f->knowns++;
    fclose(in.file);
}

/* With a mode that expects what is wrong a program is found. */
static void finds(struct fuzz *f, const struct mode *mode, unsigned long first,
                  enum litmus_wrong kind, const char *name) {
    struct litmus_program p;
    struct finding found = {0};
    bool bad = false;
    f->machine.size = 4;
    f->machine.before = 0;
    for (unsigned long i = first; i < first + 20000 && !bad; i++) {
        make(f, &p, SEED, i);
        bad = judge(f, mode, 1, &p, &found);
    }
    bool ok = bad && found.complaint.wrong == kind;
    if (bad && !ok) show(f, &p, &found);
    check(ok, name);
}

static void mistakes(struct fuzz *f) {
    static const struct mode longer = {
        .name = "c11, C++20 expected", .flag = LITMUS_FLAG_S, .exact = true, .expect_cxx20 = true};
    static const struct mode shorter = {
        .name = "C++20, c11 expected", .flag = LITMUS_FLAG_S, .exact = true, .cxx20 = true};
    static const struct mode fixed = {.name = "c11-fast, c11 expected",
                                      .model = RF_MEM_C11_FAST,
                                      .flag = LITMUS_FLAG_S,
                                      .exact = true};
    static const struct mode weak = {.name = "c11, sc expected", .flag = LITMUS_FLAG_I};
    finds(f, &longer, 1400, LITMUS_MISSING, "a_release_sequence_that_is_too_long_is_found");
    finds(f, &shorter, 1400, LITMUS_FORBIDDEN, "a_release_sequence_that_is_too_short_is_found");
    finds(f, &fixed, 0, LITMUS_MISSING, "a_modification_order_that_is_fixed_is_found");
    finds(f, &weak, 0, LITMUS_OUT_OF_ORDER, "stale_reads_are_found_where_none_may_be");
}

int main(int argc, char **argv) {
    static struct fuzz f;
    f.machine.mem = rf_mem_new(NULL);
    f.budget = argc > 3 ? strtoul(argv[3], NULL, 10) : BUDGET;
    know(&f, "tests/litmus/programs.txt");
    random_programs(&f, argc > 1 ? strtoul(argv[1], NULL, 10) : by_night(200, 600),
                    argc > 2 ? strtoul(argv[2], NULL, 10) : SEED);
    known_programs(&f);
    mistakes(&f);
    rf_mem_free(f.machine.mem);
    return check_end();
}
