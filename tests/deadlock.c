/* Executions that can't go on, or don't end, are told of: the cycle, what each thread waits for or
 * where it spins, the locks by name and the place where each was taken. */
#define RF_IMPLEMENTATION
#include "script.h"

#define A_THEN_B "@1 lock a; @2 lock b; unlock b; unlock a"
#define B_THEN_A "@3 lock b; @4 lock a; unlock a; unlock b"
#define L_THEN_K "@1 wrlock l; @2 wrlock k; rwunlock k; rwunlock l"
#define NOBODY   "1 thread waits and nobody can wake it\n  "
#define CYCLE    "cycle T0 -> T1 -> T0\n  "

static const script_row deadlocks[] = {
    FAIL_ROW("two locks in two orders", "body: start;" A_THEN_B "; join |" B_THEN_A, LOCK_CYCLE, 2,
             CYCLE "T0 waits at @2 for mutex b, held by T1; it holds a (taken at @1)\n"
                   "  T1 waits at @4 for mutex a, held by T0; it holds b (taken at @3)"),
    PASS_ROW("two locks in one order",
             "body: start;" A_THEN_B "; join | lock a; lock b; unlock b; unlock a"),
    PASS_ROW("a trylock breaks the cycle",
             "body: start; lock a; try b; if = 1 { unlock b }; unlock a; join |" B_THEN_A),
    PASS_ROW("a time-out breaks the cycle",
             "body: start;" A_THEN_B "; join | lock b; timed a 100; if = 1 { unlock a }; unlock b"),
    FAIL_ROW("philosophers",
             "body: start; start; start; @7 join | @1 lock a; @2 lock b; unlock a; unlock b |"
             "@3 lock b; @4 lock c; unlock b; unlock c | @5 lock c; @6 lock a; unlock c; unlock a",
             LOCK_CYCLE, 2,
             "cycle T1 -> T2 -> T3 -> T1\n  T0 waits at @7 for the end of T1\n"
             "  T1 waits at @2 for mutex b, held by T2; it holds a (taken at @1)\n"
             "  T2 waits at @4 for mutex c, held by T3; it holds b (taken at @3)\n"
             "  T3 waits at @6 for mutex a, held by T1; it holds c (taken at @5)"),
    PASS_ROW("philosophers with an order of forks",
             "lock a; lock b; unlock a; unlock b | lock b; lock c; unlock b; unlock c |"
             "lock a; lock c; unlock c; unlock a"),
    FAIL_ROW("locks that share a name are told apart by number",
             "body: mutex a node 0; mutex b node 0; start;" A_THEN_B "; join |" B_THEN_A,
             LOCK_CYCLE, 2,
             CYCLE "T0 waits at @2 for mutex node#2, held by T1; it holds node#1 (taken at @1)\n"
                   "  T1 waits at @4 for mutex node#1, held by T0; it holds node#2 (taken at @3)"),
    FAIL_ALWAYS_ROW("two threads that join each other", "body: start; @1 join | @2 join_body",
                    LOCK_CYCLE, 1,
                    CYCLE "T0 waits at @1 for the end of T1\n  T1 waits at @2 for the end of T0"),
    FAIL_ROW("joining a thread that needs one's lock",
             "body: start; @1 lock a; @2 join; unlock a | @3 lock a; unlock a", LOCK_CYCLE, 2,
             CYCLE "T0 waits at @2 for the end of T1; it holds a (taken at @1)\n"
                   "  T1 waits at @3 for mutex a, held by T0"),
    FAIL_ALWAYS_ROW("a writer waits for ever for a reader",
                    "body: @1 rdlock l; start; @3 join | @2 wrlock l; rwunlock l", LOCK_CYCLE, 3,
                    CYCLE "T0 waits at @3 for the end of T1; it holds l (taken at @1)\n"
                          "  T1 waits at @2 to write rwlock l, held by T0"),
    /* Nobody but a writer stands in a reader's way. */
    PASS_ROW("a cycle through readers only",
             "body: start; rdlock l; rdlock k; rwunlock k; rwunlock l; join |"
             "rdlock k; wrlock l; rwunlock l; rwunlock k"),
    FAIL_ROW("a cycle through read-write locks",
             "body: start;" L_THEN_K "; join | @3 rdlock k; @4 wrlock l; rwunlock l; rwunlock k",
             LOCK_CYCLE, 2,
             CYCLE "T0 waits at @2 to write rwlock k, held by T1; it holds l (taken at @1)\n"
                   "  T1 waits at @4 to write rwlock l, held by T0; it holds k (taken at @3)"),
    FAIL_ALWAYS_ROW(
        "a woken thread without its mutex",
        "body: start; loop { lock m; R w; unlock m; until = 1; yield }; @2 lock m; signal "
        "c; @3 join |"
        "lock m; W w 1; @1 wait c m; unlock m",
        LOCK_CYCLE, 3,
        CYCLE "T0 waits at @3 for the end of T1; it holds m (taken at @2)\n"
              "  T1 waits at @1 to lock m again after waiting for c, held by T0"),

    /* ---- waits that nobody ends ---- */

    FAIL_ALWAYS_ROW("a condition that nobody signals", "body: @1 lock b; lock a; @2 wait c a",
                    STUCK, 2, NOBODY "T0 waits at @2 for a signal of c; it holds b (taken at @1)"),
    FAIL_ALWAYS_ROW("a semaphore that nobody posts", "body: sem s 1; take s; @1 take s", STUCK, 1,
                    NOBODY "T0 waits at @1 for a post of semaphore s"),
    FAIL_ALWAYS_ROW("a barrier at which nobody arrives", "body: barrier b 2; start | @1 arrive b",
                    STUCK, 1, NOBODY "T1 waits at @1 at barrier b, where 1 of 2 have arrived"),
    FAIL_ALWAYS_ROW("a barrier with one thread too few",
                    "body: barrier b 3; start; again; @2 join | @1 arrive b", STUCK, 1,
                    "3 threads wait and nobody can wake them\n  T0 waits at @2 for the end of T1\n"
                    "  T1 and T2: each waits at @1 at barrier b, where 2 of 3 have arrived"),
    FAIL_ALWAYS_ROW(
        "two threads that wait for each other's post",
        "body: start; @2 take r; post l; join | @1 take l; post r", STUCK, 2,
        "2 threads wait and nobody can wake them\n  T0 waits at @2 for a post of semaphore r\n"
        "  T1 waits at @1 for a post of semaphore l"),
    FAIL_ALWAYS_ROW(
        "the place is where the waits end",
        "body: barrier b 2; start; @1 join | @3 lock a; @4 arrive b; unlock a", STUCK, 4,
        "2 threads wait and nobody can wake them\n  T0 waits at @1 for the end of T1\n"
        "  T1 waits at @4 at barrier b, where 1 of 2 have arrived; it holds a (taken at @3)"),
    /* The flag is not protected: the signal may come between the test and the wait. */
    FAIL_ROW("a lost wake-up",
             "body: start; lock m; loop { racyR f; until = 1; @1 wait c m }; unlock m | racyW f 1; "
             "signal "
             "c",
             STUCK, 1, NOBODY "T0 waits at @1 for a signal of c"),
    PASS_ROW(
        "a lock held for long is no deadlock",
        "body: start; lock a; yield; unlock a; join | lock a; times 3 { sleep 1000 }; unlock a"),
};

/* ---- the step limit ---- */

#define SPINS_ALONE    "body: loop { @1 load f; until = 1 }"
#define NO_END(thread) "1000 steps and no end; " thread " is running\n  "

static const script_row livelocks[] = {
    FAIL_ALWAYS_ROW("a loop of atomic loads", SPINS_ALONE, LIVELOCK, 1,
                    NO_END("T0") "T0 spins at @1 (f)", .max_steps = 1000),
    FAIL_ALWAYS_ROW("a loop with a hint", "body: loop { @1 load f; until = 1; hint }", LIVELOCK, 1,
                    NO_END("T0") "T0 spins at @1 (f)", .max_steps = 1000),
    FAIL_ALWAYS_ROW("a loop of compare-exchanges", "body: loop { @1 cas f 1; until = 1 }", LIVELOCK,
                    1, NO_END("T0") "T0 spins at @1 (f)", .max_steps = 1000),
    FAIL_ALWAYS_ROW("a loop beside those that wait",
                    "body: start; @2 join | loop { @1 load f; until = 1 }", LIVELOCK, 1,
                    NO_END("T1") "T0 waits at @2 for the end of T1\n  T1 spins at @1 (f)",
                    .max_steps = 1000),
    FAIL_ALWAYS_ROW("a loop of trylocks, and who holds the lock",
                    "body: @3 lock m; start; @2 join | loop { @1 try m; until = 1 }; unlock m",
                    LIVELOCK, 1,
                    NO_END("T1") "T0 waits at @2 for the end of T1; it holds m (taken at @3)\n"
                                 "  T1 spins at @1 (m)",
                    .max_steps = 1000),
    REACH_ROW(
        2, "a fair schedule ends what only could go on for ever",
        "body: start; loop { lock a; try b; until = 1; quietly g 1; unlock a }; unlock b; unlock a;"
        "join; peek g; see it | loop { lock b; try a; until = 1; quietly g 1; unlock b };"
        "unlock a; unlock b",
        .max_steps = 20000),
    PASS_ROW("an execution below the limit", "body: times 900 { store f 0 }", .max_steps = 1000),
};

/* What executions of a program with fine granularity fail with; NULL if not always the same way. */
static const rfi_failure *fails_with(const char *program, uint32_t max_steps) {
    script_is(program, true);
    rfi_test_named("script")->options.max_steps = max_steps;
    const rfi_tally *t = lab_random("script", 200, LAB_FINE);
    rfi_test_named("script")->options.max_steps = 0;
    return t->failures == 1 ? &t->failure[0].failure : NULL;
}

CASE(test_parts) {
    const rfi_failure *f =
        fails_with("body: start; start; join_last; join_last |" A_THEN_B "|" B_THEN_A, 0);
    LAB_CHECK("a cycle is told from its lowest thread on",
              f && !strncmp(f->message, "cycle T1 -> T2 -> T1\n", 21));
    /* The shortest one is told of: there the third has not gone on. */
    f = fails_with("body: start; start;" A_THEN_B "; join | @5 lock a; unlock a |" B_THEN_A, 0);
    LAB_CHECK("a thread that waits beside the cycle is told of",
              f && f->diagnostic == RF_DIAG_LOCK_CYCLE &&
                  strstr(f->message, "cycle T0 -> T2 -> T0\n") == f->message &&
                  strstr(f->message, with_lines("\n  T1 waits at @5 for mutex a, held by T0\n")));
    f = fails_with("body: start; start;" A_THEN_B "; join |" B_THEN_A "; store f 1 |"
                   "loop { load f; until = 1; yield }",
                   0);
    LAB_CHECK("a deadlock beside a spinner is one and no livelock",
              f && f->diagnostic == RF_DIAG_LOCK_CYCLE && lab_failures(&lab_tally) > 20);
    f = fails_with("body: start; again | loop { store f 1; store f 2; store f 3; store f 4 }",
                   1000);
    LAB_CHECK("threads that run without end are all named, in one finding wherever they stand",
              f && f->diagnostic == RF_DIAG_LIVELOCK &&
                  strstr(f->message, "\n  T1 is at deadlock.c:") &&
                  strstr(f->message, "\n  T2 is at deadlock.c:"));
    script_is("body: loop { @1 R f; until = 1 }", true);
    rfi_test_named("script")->options.max_steps = 1000;
    lab_check(fails_under("script", RF_DIAG_LIVELOCK, 1, NO_END("T0") "T0 spins at @1 (f)", true,
                          LAB_FINE),
              "a loop of plain loads", why);
    rfi_test_named("script")->options.max_steps = 0;
}

/* Beside a checker, which ends an execution as soon as there is a cycle. */
#define SENDS    "W p 7; lock a; W r 1; unlock a"
#define RECEIVES "lock a; R r; unlock a; if = 1 { R p; W p it+1 }"

CASE(test_campaigns) {
    script_is("body: start; start; start; times 3 { yield }; join |" SENDS "|" RECEIVES
              "| once o; once o",
              true);
    const rfi_study *s = lab_study("script", "--executions=1000", NULL);
    LAB_CHECK("who can go on, at what it has made itself, is on no cycle",
              s->result.passed && !s->result.found);
    script_is("body: start; start; start; start;" A_THEN_B "; join |" SENDS "|" RECEIVES
              "|" B_THEN_A "| times 3 { try b; if = 1 { unlock b } }",
              true);
    s = lab_study("script", "--executions=1000", NULL);
    LAB_CHECK("a cycle beside a try, which waits for nothing, is told and fails the test",
              !s->result.passed && s->result.found == RF_EXPECT_DEADLOCK);
    script_is(SPINS_ALONE, true);
    s = lab_study("script", "--executions=10", "--steps=500", NULL);
    static const char begins[] = "500 steps and no end";
    LAB_CHECK("RF_STEPS sets the limit",
              s->causes == 1 && !strncmp(s->cause[0].kind.failure.message, begins, strlen(begins)));
}

int main(void) {
    script_rows(deadlocks, RFI_LENGTH(deadlocks));
    script_rows(livelocks, RFI_LENGTH(livelocks));
    return lab_cases();
}
