/* Lost wake-ups (docs/findings.md): which waits are suspected, which are not, and that what is
 * suspected rightly is produced.  f is the predicate, s says that somebody has begun. */
#define RF_IMPLEMENTATION
#include "script.h"

#define WAITS_FOR_FLAG "lock m; loop { racyR f; until = 1; wait c m }; unlock m"
#define WAITS          "lock m; wait c m; unlock m"
#define SIGNALS        "lock m; signal c; unlock m"
#define SETS           "lock m; racyW f 1; signal c; unlock m"

/* Predicted for that reason, and produced with at least this probability. */
static const struct wrong {
    const char *name, *program, *text;
    double least;
    bool spurious;
} wrong[] = {
    {"no predicate", WAITS "|" SIGNALS, "nothing that the notifier changes", 1, false},
    {"no predicate, spurious wake-ups", WAITS "|" SIGNALS, "nothing that the notifier changes", 0.9,
     true},
    {"signal comes late", WAITS "| own 20;" SIGNALS, "nothing that the notifier changes", 1, false},
    {"signal unlocked", WAITS "| signal c", "nothing that the notifier changes", 1, false},
    {"broadcast to two", WAITS "|" WAITS "| lock m; broadcast c; unlock m",
     "nothing that the notifier changes", 1, false},
    {"set unlocked", WAITS_FOR_FLAG "| racyW f 1; signal c", "changed without its mutex", 1, false},
    {"set under another", WAITS_FOR_FLAG "| lock o; racyW f 1; signal c; unlock o",
     "changed without its mutex", 1, false},
    {"set after the signal", WAITS_FOR_FLAG "| signal c; lock m; racyW f 1; unlock m",
     "changed after the notification", 0.25, false},
    {"look before the lock", "racyR f; if = 0 {" WAITS "} |" SETS,
     "checks before it takes the mutex", 1, false},
    {"look at what is not changed", "lock m; R x; if = 0 { wait c m }; unlock m |" SETS,
     "nothing that the notifier changes", 1, false},
    /* The first signal is not lost: it waits for the waiter. */
    {"second signal",
     "lock m; times 2 { wait c m }; unlock m |"
     "loop { lock m; waiters c; unlock m; until > 0; yield };"
     "times 2 { lock m; signal c; unlock m; own 8 }",
     "nothing that the notifier changes", 0.75, false},
};

#define PRODUCES \
 "times 3 { lock m; loop { R n; until < 2; wait e m }; R n; W n it+1; signal c; unlock m }"
#define CONSUMES                                                                                \
 "times 3 { lock m; loop { R n; until > 0; wait c m }; R n; W n it-1; R x; W x it+1; unlock m;" \
 " signal e }"
#define ARRIVES                                     \
 "times 2 { lock m; R p; keep; R w; W w it+1; R w;" \
 " if = 3 { W w 0; W p kept+1; broadcast c };"      \
 " loop { R p; until > kept; wait c m }; unlock m }"
#define WAITS_FOR_STOP "lock m; loop { load a; until = 1; wait c m }; unlock m"

static const struct right {
    const char *name, *program;
    bool no_spurious;
} right[] = {
    {"signal in the section", WAITS_FOR_FLAG "|" SETS, false},
    {"signal behind the section", WAITS_FOR_FLAG "| lock m; racyW f 1; unlock m; signal c", false},
    {"signal before the change", WAITS_FOR_FLAG "| lock m; signal c; racyW f 1; unlock m", false},
    {"change before the section", WAITS_FOR_FLAG "| racyW f 1;" SIGNALS, false},
    {"section between", WAITS_FOR_FLAG "| racyW f 1; lock m; W x 1; unlock m; signal c", false},
    {"predicate by if", "lock m; R f; if = 0 { wait c m }; unlock m |" SETS, true},
    {"signal by another", WAITS_FOR_FLAG "| lock m; racyW f 1; unlock m; post s | take s; signal c",
     false},
    {"signals that change nothing", WAITS_FOR_FLAG "| times 3 {" SIGNALS "};" SETS, false},
    {"begun first", "lock m; post s; wait c m; unlock m | take s;" SIGNALS, true},
    {"atomic predicate",
     WAITS_FOR_STOP "|" WAITS_FOR_STOP "| store a 1; lock m; broadcast c; unlock m", false},
    {"timed", "lock m; timedwait c m 10; unlock m |" SIGNALS, false},
    {"semaphore", "take s | post s", false},
    {"ring of producers and consumers", PRODUCES "|" CONSUMES "|" PRODUCES "|" CONSUMES, false},
    {"barrier by hand", ARRIVES "|" ARRIVES "|" ARRIVES, false},
};

/* The one of the lost wake-ups that was produced most often; NULL: none is suspected. */
static const rfi_warning *lost(const rfi_study *s) {
    const rfi_warning *most = NULL;
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        if (w->family == RF_FAMILY_LOST_WAKEUP && (!most || w->hits > most->hits)) most = w;
    }
    return most;
}

static void test_wrong(const struct wrong *t) {
    script_is(t->program, !t->spurious);
    const rfi_study *s = lab_study("script", "--executions=400", NULL);
    const rfi_warning *w = lost(s);
    if (!LAB_CHECK(named("%s: the wake-up may be lost", t->name), w && strstr(w->text, t->text)))
        return;
    printf("# %s: %llu of %llu\n", t->name, (unsigned long long)w->hits,
           (unsigned long long)w->executions);
    LAB_CHECK(named("%s: it is lost in a share of at least %g", t->name, t->least),
              (double)w->hits >= t->least * (double)w->executions && w->failed == w->hits &&
                  !s->result.passed);
}

static void test_right(const struct right *t) {
    script_is(t->program, t->no_spurious);
    const rfi_study *s =
        lab_study("script", "--executions=1000", "--strategy=random,lostwakeup", NULL);
    LAB_CHECK(named("%s: nothing is suspected, nothing fails", t->name),
              !lost(s) && !s->causes && s->result.executions[0] == 1000);
    s = lab_study("script", "--executions=1000", NULL);
    LAB_CHECK(named("%s: nothing is produced, nothing fails", t->name),
              !(lost(s) && lost(s)->hits) && !s->causes);
}

static void test_judgement(void) {
    script_is(WAITS "| own 20;" SIGNALS, true);
    const rfi_tally *t = lab_random("script", 1000, LAB_FINE);
    LAB_CHECK("random schedules do not lose a signal that comes late",
              t->executions == 1000 && !t->failures);
    rfi_test_named("script")->options.expect = RF_EXPECT_DEADLOCK;
    const rfi_study *s = lab_study("script", "--executions=100", NULL);
    LAB_CHECK("a lost wake-up can be expected as a deadlock",
              s->result.passed && s->result.harmful == 1 && lost(s));
    rfi_test_named("script")->options.expect = 0;
    script_is("lock m; W w 1; wait c m; unlock m |"
              "loop { lock m; R w; unlock m; until = 1; yield };" SIGNALS,
              true);
    s = lab_study("script", "--executions=1000", NULL);
    LAB_CHECK("a wait that is suspected wrongly, as the notifier asks until somebody waits, is not "
              "produced and does not fail the test",
              lost(s) && lost(s)->executions == 1000 && !lost(s)->hits && s->result.passed &&
                  s->result.potential == 1);
}

int main(void) {
    for (unsigned i = 0; i < RFI_LENGTH(wrong); i++) test_wrong(&wrong[i]);
    for (unsigned i = 0; i < RFI_LENGTH(right); i++) test_right(&right[i]);
    test_judgement();
    return lab_end();
}
