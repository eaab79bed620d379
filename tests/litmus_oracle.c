/* The oracle of litmus/oracle.h gives the programs of litmus/reference.txt, which come from an
 * independent enumerator, exactly the outcomes, flags, executions and races that stand there; and
 * so for the few of litmus/more.txt and litmus/cxx20.txt, without which some parts of its
 * definitions go untested.  For the variants of litmus/shapes.txt, which must not change, a hash of
 * them stands there. */
#include "litmus/oracle.h"

static int passed, failed;

/* An outcome of `a` that `b` has not, or has with other flags; NULL if there is none. */
static const struct litmus_outcome *unmatched(const struct litmus_set *a,
                                              const struct litmus_set *b) {
    for (size_t i = 0; i < a->count; i++) {
        const struct litmus_outcome *x = &a->outcome[i], *y = litmus_find(b, &x->final);
        if (!y || y->flags != x->flags || y->race != x->race) return x;
    }
    return NULL;
}

static void show(const char *what, const struct litmus_program *program,
                 const struct litmus_outcome *outcome) {
    if (!outcome) return;
    printf("; %s ", what);
    litmus_print_outcome(stdout, program, outcome);
}

static void compare(const struct litmus_program *program, bool cxx20,
                    const struct litmus_set *expected) {
    struct litmus_set set = {0};
    oracle_outcomes(program, cxx20, &set);
    bool hashed = expected->hash != 0;
    const struct litmus_outcome *missing = hashed ? NULL : unmatched(expected, &set);
    const struct litmus_outcome *extra = hashed ? NULL : unmatched(&set, expected);
    bool same = !missing && !extra && set.executions == expected->executions &&
                set.race == expected->race &&
                (!hashed || litmus_hash(program, &set) == expected->hash);
    if (same) {
        passed++;
        printf("ok %s_%s\n", cxx20 ? "cxx20" : "litmus", program->name);
    } else {
        failed++;
        printf("not ok %s_%s: %lu executions, race %d; expected %lu, race %d",
               cxx20 ? "cxx20" : "litmus", program->name, set.executions, set.race,
               expected->executions, expected->race);
        show("missing", program, missing);
        show("not expected", program, extra);
        printf("\n");
        set.hash = litmus_hash(program, &set);
        litmus_print_set(stdout, program, &set);
    }
    litmus_clear(&set);
}

/* Compares the programs of a file, which must be so many: a file cut short must not pass. */
static void compare_all(const char *name, bool cxx20, int programs) {
    struct litmus_reader in = {.name = name, .file = fopen(name, "r")};
    struct litmus_program program;
    struct litmus_set expected = {0};
    if (!in.file) litmus_refuse(&in, "cannot be read");
    for (; litmus_read(&in, &program, &expected); programs--) {
        compare(&program, cxx20, &expected);
        litmus_clear(&expected);
    }
    if (programs) litmus_refuse(&in, "not the expected number of programs");
    fclose(in.file);
}

int main(void) {
    compare_all("tests/litmus/reference.txt", false, 91);
    compare_all("tests/litmus/more.txt", false, 5);
    compare_all("tests/litmus/shapes.txt", false, 150);
    compare_all("tests/litmus/cxx20.txt", true, 4);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
