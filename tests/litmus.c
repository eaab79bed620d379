/* The memory model gives litmus programs exactly the outcomes that it should: those of RC11 that an
 * execution in the order of sb, rf and psc reaches (flag S) under RF_MEM_C11, some of those whose
 * mo follows execution order too (flag B) under RF_MEM_C11_FAST, those of interleavings (flag I)
 * under RF_MEM_SC.  Schedules and values are random.
 *
 * Before that, the oracle gives the programs exactly the outcomes, flags, executions and races
 * whose numbers and hashes stand in litmus/programs.txt, which for 91 of them come from an
 * independent enumerator; and so for the few of litmus/cxx20.txt, whose were found by hand. */
#include "litmus/machine.h"
#include "litmus/oracle.h"
#include "check.h"

enum { LEAST = 1000, MOST = 20000 };

static struct mode {
    const char *name;
    rf_mem_model model;
    unsigned flag;
    bool complete; /* every outcome with the flag must be seen */
} modes[] = {
    {"c11", RF_MEM_C11, LITMUS_FLAG_S, true},
    {"c11_fast", RF_MEM_C11_FAST, LITMUS_FLAG_B, false},
    {"sc", RF_MEM_SC, LITMUS_FLAG_I, true},
};

/* All that is to be seen was seen, as far as the text tells it. */
static bool complete(const struct mode *mode, const struct litmus_set *expected,
                     const struct litmus_set *observed) {
    return !litmus_incomplete(expected, observed, mode->flag).wrong &&
           observed->race == expected->race;
}

static void try_mode(struct machine *m, const struct mode *mode,
                     const struct litmus_set *expected) {
    const struct litmus_program *p = m->program;
    rf_mem_options options = {.atomics = mode->model};
    struct litmus_set observed = {0};
    unsigned long n = 0;
    while (n < MOST && (n < LEAST || (mode->complete && !complete(mode, expected, &observed))))
        machine_run(m, n++, &options, &observed);
    struct litmus_complaint c = litmus_unsound(expected, &observed, mode->flag);
    if (!c.wrong && mode->complete) c = litmus_incomplete(expected, &observed, mode->flag);
    bool race = mode->model == RF_MEM_C11 && observed.race != expected->race;
    if (c.wrong) {
        printf("# after %lu executions, %s: ", n, litmus_wrongs[c.wrong]);
        litmus_print_outcome(stdout, p, &c.outcome);
        printf("\n");
    }
    check_why(!c.wrong && !race, named("%s_%s", mode->name, p->name),
              c.wrong         ? "see above"
              : observed.race ? "a race was seen"
                              : "no race was seen");
    litmus_clear(&observed);
}

/* The oracle's outcomes are those of the text. */
static void judge(const struct litmus_program *p, bool cxx20, const struct litmus_set *set,
                  const struct litmus_expected *expected) {
    bool same = oracle_agrees(p, set, expected);
    check(same, named("%s_%s", cxx20 ? "cxx20" : "oracle", p->name));
    if (same) return;
    litmus_print_program(stdout, p);
    litmus_print_set(stdout, p, set);
}

/* The programs of a file, which must be so many: a file cut short must not pass. */
static int check_all(struct machine *m, const char *name, bool cxx20, int programs,
                     int independent) {
    struct litmus_reader in = {.name = name, .file = fopen(name, "r")};
    struct litmus_program program;
    struct litmus_expected expected;
    int n = 0;
    if (!in.file) litmus_refuse(&in, "cannot be read");
    m->program = &program;
    for (; litmus_read(&in, &program, &expected); n++) {
        struct litmus_set set = {0};
        oracle_outcomes(&program, cxx20, &set);
        judge(&program, cxx20, &set, &expected);
        independent -= expected.independent;
        for (size_t i = 0; i < sizeof modes / sizeof *modes && !cxx20; i++)
            try_mode(m, &modes[i], &set);
        litmus_clear(&set);
    }
    if (n != programs || independent) litmus_refuse(&in, "not the expected number of programs");
    fclose(in.file);
    return n;
}

int main(void) {
    struct machine m = {.mem = rf_mem_new(NULL), .size = 4};
    int programs = check_all(&m, "tests/litmus/programs.txt", false, 246, 91);
    check_all(&m, "tests/litmus/explorers.txt", false, 2, 0);
    check_all(&m, "tests/litmus/cxx20.txt", true, 4, 0);
    printf("# programs: %d in %zu modes\n", programs, sizeof modes / sizeof *modes);
    rf_mem_free(m.mem);
    return check_end();
}
