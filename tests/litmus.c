/* The memory model gives litmus programs exactly the outcomes that it should: those of RC11 that an
 * execution in the order of sb, rf and psc reaches (flag S) under RF_MEM_C11, some of those whose
 * mo follows execution order too (flag B) under RF_MEM_C11_FAST, those of interleavings (flag I)
 * under RF_MEM_SC.  Schedules and values are random. */
#include "litmus/machine.h"
#include "litmus/oracle.h"

enum { LEAST = 1000, MOST = 20000 };

static int passed, failed;

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

static void run(struct machine *m, uint64_t seed, const rf_mem_options *options,
                struct litmus_set *observed) {
    uint64_t chance = seed;
    machine_begin(m, seed, options);
    for (int t; (t = machine_any(m, &chance)) >= 0;) machine_step(m, t);
    struct litmus_final final = machine_end(m);
    machine_count(observed, &final, m->race);
}

/* All that is to be seen was seen, as far as the text tells it. */
static bool complete(const struct mode *mode, const struct litmus_set *expected,
                     const struct litmus_set *observed) {
    return !litmus_incomplete(expected, observed, mode->flag).wrong &&
           observed->race == expected->race;
}

static void check(struct machine *m, const struct mode *mode, const struct litmus_set *expected) {
    const struct litmus_program *p = m->program;
    rf_mem_options options = {.atomics = mode->model};
    struct litmus_set observed = {0};
    struct litmus_complaint complaint = {0};
    unsigned long n = 0;
    while (n < MOST && (n < LEAST || (mode->complete && !complete(mode, expected, &observed))))
        run(m, n++, &options, &observed);
    complaint = litmus_unsound(expected, &observed, mode->flag);
    if (!complaint.wrong && mode->complete)
        complaint = litmus_incomplete(expected, &observed, mode->flag);
    bool race = mode->model == RF_MEM_C11 && observed.race != expected->race;
    if (complaint.wrong || race) {
        failed++;
        printf("not ok %s_%s: after %lu executions, ", mode->name, p->name, n);
        if (complaint.wrong) {
            printf("%s: ", litmus_wrongs[complaint.wrong]);
            litmus_print_outcome(stdout, p, &complaint.outcome);
            printf("\n");
        } else {
            printf("a race was %s\n", race && observed.race ? "seen" : "not seen");
        }
    } else {
        passed++;
        printf("ok %s_%s\n", mode->name, p->name);
    }
    litmus_clear(&observed);
}

int main(void) {
    struct machine m = {.mem = rf_mem_new(NULL), .size = 4};
    struct litmus_reader in = {.name = "tests/litmus/programs.txt"};
    struct litmus_program program;
    struct litmus_expected expected;
    int programs = 0;
    in.file = fopen(in.name, "r");
    if (!in.file) litmus_refuse(&in, "cannot be read");
    m.program = &program;
    for (; litmus_read(&in, &program, &expected); programs++) {
        struct litmus_set set = {0};
        oracle_outcomes(&program, false, &set);
        if (!oracle_agrees(&program, &set, &expected)) litmus_refuse(&in, "another hash");
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) check(&m, &modes[i], &set);
        litmus_clear(&set);
    }
    fclose(in.file);
    printf("# programs: %d in %zu modes\n", programs, sizeof modes / sizeof *modes);
    bool enough = programs >= 60;
    printf("%sok %d_litmus_programs\n", enough ? "" : "not ", programs);
    passed += enough;
    failed += !enough;
    rf_mem_free(m.mem);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
