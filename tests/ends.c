/* The end of a test's body, with threads still running: they do what they can, and who was detached
 * may wait or go on for ever. */
#define RF_IMPLEMENTATION
#include "script.h"

#define EVERYWHERE "auto random pct dfs dpor"
#define ENDS       "body: start |"
#define DETACHES   "body: start; detach |"
#define BREAKS     "times $ { lock m; unlock m }; fail reached"
#define WAITS      "lock m; loop { wait c m }"
#define WORKS      "loop { lock m; unlock m }"
#define POLLS      "loop { racyR r; until = 1; yield }"

static const struct end {
    const char *name, *program;
    int64_t rounds;
    const char *strategies;
    rf_diagnostic diagnostic;
} ends[] = {
    {"left", ENDS BREAKS, 0, EVERYWHERE, RF_DIAG_FAIL},
    {"left behind work", ENDS BREAKS, 2, EVERYWHERE, RF_DIAG_FAIL},
    {"detached", DETACHES BREAKS, 0, EVERYWHERE, RF_DIAG_FAIL},
    {"detached behind work", DETACHES BREAKS, 2, EVERYWHERE, RF_DIAG_FAIL},
    {"detached behind much work", DETACHES BREAKS, 2000, "auto dfs", RF_DIAG_FAIL},
    /* somebody could have joined it */
    {"waits", ENDS WAITS, 0, EVERYWHERE, RF_DIAG_STUCK},
    {"waits detached", DETACHES WAITS, 0, EVERYWHERE, RF_DIAG_NONE},
    {"polls detached", DETACHES POLLS, 0, EVERYWHERE, RF_DIAG_NONE},
    {"two poll detached", "body: start; again; detach; detach |" POLLS, 0, "auto", RF_DIAG_NONE},
    {"works detached", DETACHES WORKS, 0, "auto pct", RF_DIAG_NONE},
    {"fails beside work", "body: start; start; detach; detach |" WORKS "|" BREAKS, 10, "auto",
     RF_DIAG_FAIL},
    {"deadlock detached",
     "body: start; start; detach; detach | lock n; lock m; unlock m; unlock n |"
     "lock m; lock n; unlock n; unlock m",
     0, EVERYWHERE, RF_DIAG_LOCK_CYCLE},
};

static void judge(const struct end *e, const char *strategy) {
    char with[64];
    script_is(e->program, false);
    script_number = e->rounds;
    snprintf(with, sizeof with, "--strategy=%s", strategy);
    const rfi_study *s =
        lab_study("script", with, "--executions=40", "--seconds=none", "--steps=20000", NULL);
    rf_diagnostic is = s->causes ? s->cause[0].kind.failure.diagnostic : RF_DIAG_NONE;
    because("diagnostic %d", (int)is);
    lab_check(is == e->diagnostic, named("%s, %s", e->name, strategy), why);
}

static rfi_left_out left_out_of(const char *program) {
    script_is(program, false);
    return lab_study("script", "--strategy=random", "--executions=40", NULL)
        ->result.statistics.left_out;
}

static void what_was_not_tried_is_counted(void) {
    rfi_left_out works = left_out_of(DETACHES WORKS),
                 spins = left_out_of(
                     "body: start; own 5; store f 1; join | loop { load f; until = 1; hint }");
    printf("# %u stopped; spinners held back %u times in %u\n", (unsigned)works.stopped,
           (unsigned)spins.held, (unsigned)spins.held_in);
    LAB_CHECK("executions that are ended beside work are counted",
              works.stopped == 40 && !spins.stopped);
    LAB_CHECK("and those in which spinners are held back",
              spins.held_in > 20 && spins.held_in <= 40 && spins.held >= spins.held_in &&
                  !works.held_in);
}

int main(void) {
    for (const struct end *e = ends; e < ends + RFI_LENGTH(ends); e++) {
        char strategies[64];
        snprintf(strategies, sizeof strategies, "%s", e->strategies);
        for (char *s = strtok(strategies, " "); s; s = strtok(NULL, " ")) judge(e, s);
    }
    what_was_not_tried_is_counted();
    return lab_end();
}
