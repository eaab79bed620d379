/* The oracle of litmus/oracle.h gives the programs of litmus/programs.txt exactly the outcomes,
 * flags, executions and races whose numbers and hashes stand there, which for 91 of them come from
 * an independent enumerator; and so for the few of litmus/cxx20.txt, whose were found by hand. */
#include "litmus/oracle.h"

static int passed, failed;

static void compare(const struct litmus_program *program, bool cxx20,
                    const struct litmus_expected *expected) {
    struct litmus_set set = {0};
    oracle_outcomes(program, cxx20, &set);
    bool same = oracle_agrees(program, &set, expected);
    printf("%sok %s_%s\n", same ? "" : "not ", cxx20 ? "cxx20" : "litmus", program->name);
    passed += same;
    failed += !same;
    if (!same) {
        litmus_print_program(stdout, program);
        litmus_print_set(stdout, program, &set);
    }
    litmus_clear(&set);
}

/* Compares the programs of a file, which must be so many: a file cut short must not pass. */
static void compare_all(const char *name, bool cxx20, int programs, int independent) {
    struct litmus_reader in = {.name = name, .file = fopen(name, "r")};
    struct litmus_program program;
    struct litmus_expected expected;
    if (!in.file) litmus_refuse(&in, "cannot be read");
    for (; litmus_read(&in, &program, &expected); programs--) {
        compare(&program, cxx20, &expected);
        independent -= expected.independent;
    }
    if (programs || independent) litmus_refuse(&in, "not the expected number of programs");
    fclose(in.file);
}

int main(void) {
    compare_all("tests/litmus/programs.txt", false, 246, 91);
    compare_all("tests/litmus/cxx20.txt", true, 4, 0);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
