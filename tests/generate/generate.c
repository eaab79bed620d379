/* tests/generate/generate.c: prints a test program with many small programs, each an RF_TEST.
 *
 *     generate safe FIRST COUNT      without a fault: nothing may be found
 *     generate planted FIRST COUNT   each with one fault, whose kind it expects
 *
 * Program number n is the same wherever it stands.
 */
#include "planted.h"

static const struct {
    const char *name, *expect;
    const kind *fault;
    unsigned count;
} families[] = {
    {"race", "RACE", races, sizeof races / sizeof *races},
    {"deadlock", "DEADLOCK", deadlocks, sizeof deadlocks / sizeof *deadlocks},
    {"violation", "ATOMICITY", violations, sizeof violations / sizeof *violations},
};
enum { FAMILIES = sizeof families / sizeof *families };

static void program_begin(unsigned number, unsigned fewest, bool patient) {
    program.number = number;
    program.names = program.steps = 0;
    program.times = 1;
    program.patient = patient;
    program.threads = fewest + below(THREADS - fewest + 1);
    for (unsigned i = 0; i < PARTS; i++) {
        program.part[i] = open_memstream(&program.text[i], &program.size[i]);
        if (!program.part[i]) abort();
    }
}

static void program_print(const char *name, const char *expect) {
    unsigned n = program.number;
    for (unsigned i = 0; i < PARTS; i++) fclose(program.part[i]);
    printf("/* ---- %u ---- */\n#undef THREADS\n#define THREADS %u\n", n, program.threads);
    print_part(DECLARED, 0);
    for (unsigned t = 1; t < program.threads; t++) {
        printf("static void *p%u_thread%u(void *arg) {\n    enum { ME = %u };\n", n, t, t);
        print_part(t, 1);
        printf("    return arg;\n}\n");
    }
    printf("RF_TEST(p%u_%s, .expect = RF_EXPECT_%s) {\n    enum { ME = 0 };\n", n, name, expect);
    print_part(BEFORE, 1);
    for (unsigned t = 1; t < program.threads; t++)
        printf("    rf_thread t%u = RF_THREAD(p%u_thread%u, NULL);\n", t, n, t);
    print_part(0, 1);
    for (unsigned t = 1; t < program.threads; t++) printf("    RF_JOIN(t%u);\n", t);
    print_part(AFTER, 1);
    print_part(FINALLY, 1);
    printf("}\n\n");
    for (unsigned i = 0; i < PARTS; i++) free(program.text[i]);
}

/* Blocks of a, of b, and of others, of which one does harm. */
static void plant(const kind *fault, object *o) {
    unsigned a = any_thread();
    say(DECLARED, "", "/* fault: */\n");
    object_begin(o, fault);
    if (fault->meet) all_meet(o);
    if (fault->next)
        fault->next(o);
    else
        does(o, a, other_thread(a), any_of(fault->step, STEPS));
}

/* Some objects, blocks for them in any order, and among these the fault. */
static void program_fill(const kind *fault) {
    object all[5], planted;
    unsigned objects = 1 + below(5), steps = 5 + below(5 * program.threads), when = below(steps);
    for (unsigned i = 0; i < objects; i++)
        object_begin(&all[i], &disciplines[below(DISCIPLINES - program.patient)]);
    for (unsigned s = 0; s < steps; s++) {
        if (fault && s == when) plant(fault, &planted);
        object_step(&all[below(objects)]);
    }
    for (unsigned i = 0; i < objects; i++) object_end(&all[i]);
    if (fault) object_end(&planted);
}

static void safe(unsigned number) {
    chance_state = number;
    program_begin(number, 2, false);
    program_fill(NULL);
    program_print("safe", "PASS");
}

static void planted(unsigned number) {
    unsigned family = number % FAMILIES, which = number / FAMILIES % families[family].count;
    const kind *fault = &families[family].fault[which];
    char name[96];
    chance_state = ~(uint64_t)number;
    program_begin(number, 3, families[family].fault == deadlocks);
    program_fill(fault);
    snprintf(name, sizeof name, "%s_%s", families[family].name, fault->name);
    program_print(name, families[family].expect);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: generate safe|planted FIRST COUNT\n");
        return 2;
    }
    unsigned from = (unsigned)atoi(argv[2]), count = (unsigned)atoi(argv[3]);
    void (*make)(unsigned) = strcmp(argv[1], "safe") ? planted : safe;
    printf("#define RF_IMPLEMENTATION\n#include \"racefuzz.h\"\n#include <string.h>\n\n");
    printf("typedef struct pair {\n    int a, b;\n} pair;\n\n");
    for (unsigned i = from; i < from + count; i++) make(i);
    printf("RF_MAIN()\n");
    return 0;
}
