/* Concurrent breakpoints (docs/findings.md): two threads stand there at once, who goes first, and
 * that nobody waits for ever. */
#define RF_IMPLEMENTATION
#include "script.h"

enum { N = 1000 };

/* Figure 2 of the RaceFuzzer paper: statements 8 and 10. */
#define FIGURE_2                                                                      \
 "lock m; times 5 { W w 1 }; unlock m; break fig x; racyR x; if = 0 { fail ERROR } |" \
 "break fig x; racyW x 1; lock m; W w 7; unlock m"
#define READS   " o -; racyR x; if = 0 { fail early } |"
#define WRITES  " o -; racyW x 1"
#define VISITS  "times 5000 { break loop x };"
#define ENDS_BY "body: start; start; join; peek x; if = "

/* The two meet in all executions, of which such a share fails. */
static const struct order {
    const char *name, *program;
    double share;
} orders[] = {
    {"the error of figure 2 follows half of the hits", FIGURE_2, 0.5},
    {"the reader at RF_BREAKPOINT_FIRST reads before the other writes",
     "first" READS "break" WRITES, 1},
    {"the writer at RF_BREAKPOINT_FIRST writes before the other reads",
     "break" READS "first" WRITES, 0},
    {"a coin decides when neither is the first", "break" READS "break" WRITES, 0.5},
    {"a coin decides when both are the first", "first" READS "first" WRITES, 0.5},
    {"the first one that needs what the other one holds lets it go on",
     ENDS_BY
     "2 { fail x } | first o -; lock m; W x 1; unlock m | lock m; break o -; W x 2; unlock m",
     0},
    {"a third thread does not let the second one overtake",
     "body: start; start; start; join; peek y; if = 1 { fail y } | times 6 { racyW x 10 } |"
     "first o -; racyR x; racyW y it | break o -; racyW x 1",
     0},
    {"of two updates behind a breakpoint one is lost in half of the executions",
     "body: start; again; join; peek x; if = 1 { fail x } |"
     "break update x; racyR x; racyW x it+1",
     0.5},
};

static const struct meeting {
    const char *name, *program;
    enum { NOT_PREDICTED, NEVER, ALWAYS } meet;
} meetings[] = {
    {"two threads meet at one address", "break w x | break w x", ALWAYS},
    {"two threads meet at one statement", "body: start; again; join | break w x", ALWAYS},
    {"another address is another place", "break w x | break w y", NOT_PREDICTED},
    {"NULL goes with every address", "break w x | break w -", ALWAYS},
    {"another name is another breakpoint", "break w x | break e x", NOT_PREDICTED},
    {"a thread does not meet itself", "body: break w x; break w x", NOT_PREDICTED},
    {"two threads that never stand there at once do not meet",
     "body: break w x; start; join | break w x", NEVER},
    {"two that stand at two addresses do not meet",
     "body: break w x; start; start; join | break w x | break w y", NEVER},
    {"of three threads the two at one address meet", "break w x | break w y | break w x", ALWAYS},
};

static const struct loop {
    const char *name, *program;
    bool meet;
} loops[] = {
    {"two loops with 5,000 visits end and meet", VISITS "|" VISITS, true},
    {"two loops with 5,000 visits that never meet end", VISITS "| times 5000 { break loop y }",
     false},
    {"a loop may meet the last of another's 5,000 visits",
     VISITS "| times 5000 { break loop y }; break loop x", true},
    /* It spins until the other one, which is paused at each round, is through. */
    {"a loop with 5,000 visits that another thread spins for ends",
     VISITS "racyW y 1 | loop { racyR y; until = 1; yield }; break loop x", false},
};

/* The warning about the breakpoint at index i of those that a study has; NULL: there is none. */
static const rfi_warning *breakpoint(const rfi_study *s, uint32_t i) {
    for (uint32_t k = 0; k < s->result.warnings; k++)
        if (s->result.warning[k].family == RF_FAMILY_BREAKPOINT && !i--)
            return &s->result.warning[k];
    return NULL;
}

static const rfi_study *study(const char *program, const char *executions, const char *grain) {
    script_is(program, false);
    return lab_study("script", executions, grain, NULL);
}

static void test_order(const struct order *o, const char *grain) {
    const rfi_warning *w = breakpoint(study(o->program, "--executions=1000", grain), 0);
    if (!LAB_CHECK("the two meet", w && w->executions == N && w->hits == N)) return;
    lab_share(o->name, w->failed, N, o->share);
}

static void test_meeting(const struct meeting *m) {
    const rfi_study *s = study(m->program, "--executions=1000", NULL);
    const rfi_warning *w = breakpoint(s, 0);
    LAB_CHECK(m->name, !w == !m->meet && s->result.passed && !s->result.potential &&
                           (!w || (w->executions == N && w->hits == (m->meet == ALWAYS ? N : 0))));
}

static void test_two_names(void) {
    const rfi_study *s = study("break one x; break two x | break one x; break two x", NULL, NULL);
    LAB_CHECK("two names are two breakpoints, each hit in its half of the executions",
              breakpoint(s, 1) && !breakpoint(s, 2) && breakpoint(s, 0)->hits == N / 2 &&
                  breakpoint(s, 1)->hits == N / 2);
    LAB_CHECK("a breakpoint that is hit is no fault",
              s->result.passed && !s->result.real && !s->result.harmful);
}

static void test_loop(const struct loop *l) {
    const rfi_study *s = study(l->program, "--executions=20", NULL);
    const rfi_warning *w = breakpoint(s, 0);
    printf("# %llu hits\n", (unsigned long long)(w ? w->hits : 0));
    LAB_CHECK(l->name, s->result.passed && !s->causes && (w && w->hits) == l->meet);
}

static void test_judgement(void) {
    unsigned *expected = &rfi_test_named("script")->options.expect;
    const rfi_study *s = study(FIGURE_2, NULL, NULL);
    LAB_CHECK("a failure after a hit makes the test fail",
              !s->result.passed && s->result.harmful == 1 && s->result.found == RF_EXPECT_FAILURE);
    char token[RFI_TOKEN_BYTES];
    LAB_CHECK("its token names the checker and the breakpoint, and replays",
              lab_replays(&s->cases[0].job, s->cases[0].harm.index, token) &&
                  lab_campaign.team.here->record.hit_count == 1 && strstr(token, ".breakpoint.") &&
                  strstr(token, ".p"));
    *expected = RF_EXPECT_FAILURE;
    s = study(FIGURE_2, NULL, NULL);
    LAB_CHECK("a failure after a hit can be expected by its own kind",
              s->result.passed && s->result.harmful == 1);
    *expected = RF_EXPECT_DEADLOCK;
    s = study(FIGURE_2, NULL, NULL);
    LAB_CHECK("a failure after a hit is not expected by another kind",
              !s->result.passed && s->result.missing == RF_EXPECT_DEADLOCK);
    *expected = 0;
}

int main(void) {
    for (unsigned i = 0; i < RFI_LENGTH(orders); i++) {
        test_order(&orders[i], "--granularity=fine");
        test_order(&orders[i], "--granularity=coarse");
    }
    for (unsigned i = 0; i < RFI_LENGTH(meetings); i++) test_meeting(&meetings[i]);
    test_two_names();
    for (unsigned i = 0; i < RFI_LENGTH(loops); i++) test_loop(&loops[i]);
    test_judgement();
    return lab_end();
}
