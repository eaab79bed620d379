/* tests/generate/generate.c: prints a test program with many small programs, each an RF_TEST.
 *
 *     generate safe FIRST COUNT      without a fault: nothing may be found
 *     generate planted FIRST COUNT   each with one fault, whose kind it expects
 *
 * Program number n is the same wherever it stands.
 */
#include "planted.h"

enum { COUNT_OF_LOCKS = sizeof safe_locks / sizeof *safe_locks };
enum { COUNT_OF_HANDOVERS = sizeof safe_handovers / sizeof *safe_handovers };

static const struct {
    const char *name, *expect;
    const fault *fault;
    unsigned count;
} kinds[] = {
    {"race", "RACE", races, sizeof races / sizeof *races},
    {"deadlock", "DEADLOCK", deadlocks, sizeof deadlocks / sizeof *deadlocks},
    {"violation", "ATOMICITY", violations, sizeof violations / sizeof *violations},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void program_begin(unsigned number, unsigned fewest, bool patient) {
    program.number = number;
    program.names = 0;
    program.times = 1;
    program.patient = patient;
    program.threads = fewest + below(THREADS - fewest + 1);
    program.file.len = program.first.len = program.last.len = program.end.len = 0;
    for (unsigned t = 0; t <= CHILD; t++) program.part[t].len = program.part[t].depth = 0;
    program.first.depth = program.last.depth = program.end.depth = 1;
    program.part[0].depth = 1; /* of the body */
    for (unsigned t = 1; t < program.threads; t++)
        say(t, "static void *p%u_thread%u(void *arg) {", number, t);
}

static void program_print(const char *name, const char *expect) {
    unsigned n = program.number;
    for (unsigned t = 1; t < program.threads; t++) {
        say(t, "return arg;");
        say(t, "}");
    }
    printf("/* ---- %u ---- */\n%s", n, program.file.len ? program.file.s : "");
    for (unsigned t = 1; t < program.threads; t++) printf("%s", program.part[t].s);
    printf("RF_TEST(p%u_%s, .expect = RF_EXPECT_%s) {\n%s", n, name, expect,
           program.first.len ? program.first.s : "");
    for (unsigned t = 1; t < program.threads; t++)
        printf("    rf_thread t%u = RF_THREAD(p%u_thread%u, NULL);\n", t, n, t);
    printf("%s", program.part[0].len ? program.part[0].s : "");
    for (unsigned t = 1; t < program.threads; t++) printf("    RF_JOIN(t%u);\n", t);
    printf("%s%s}\n\n", program.last.len ? program.last.s : "",
           program.end.len ? program.end.s : "");
}

static void all_meet(void) {
    const char *n = fresh("meeting");
    declare("static rf_barrier %s = RF_BARRIER_INIT(%u);", n, program.threads);
    for (unsigned t = 0; t < program.threads; t++) say(t, "RF_BARRIER_WAIT(&%s);", n);
}

/* Some objects, blocks for them in any order, and among these the fault. */
static void program_fill(const fault *f) {
    object all[5];
    unsigned objects = 1 + below(5), steps = 5 + below(5 * program.threads), when = below(steps);
    for (unsigned i = 0; i < objects; i++) {
        unsigned k = below(COUNT_OF_LOCKS + COUNT_OF_HANDOVERS);
        memset(&all[i], 0, sizeof all[i]);
        all[i].is = k < COUNT_OF_LOCKS ? &safe_locks[k] : &safe_handovers[k - COUNT_OF_LOCKS];
        declare("/* %s */", all[i].is->name);
        all[i].is->begin(&all[i]);
    }
    for (unsigned s = 0; s < steps; s++) {
        object *o = &all[below(objects)];
        if (f && s == when) {
            unsigned a = any_thread();
            declare("/* fault */");
            if (f->meet) all_meet();
            f->plant(a, other_thread(a));
        }
        o->is->step(o);
    }
    for (unsigned i = 0; i < objects; i++) all[i].is->end(&all[i]);
}

static void safe(unsigned number) {
    chance_state = number;
    program_begin(number, 2, false);
    program_fill(NULL);
    program_print("safe", "PASS");
}

static void planted(unsigned number) {
    unsigned kind = number % KINDS, which = number / KINDS % kinds[kind].count;
    const fault *f = &kinds[kind].fault[which];
    char name[96];
    chance_state = ~(uint64_t)number;
    program_begin(number, 3, kinds[kind].fault == deadlocks);
    program_fill(f);
    snprintf(name, sizeof name, "%s_%s", kinds[kind].name, f->name);
    program_print(name, kinds[kind].expect);
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
