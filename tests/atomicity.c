/* Atomic blocks and atomic sets: what is predicted, what is made real, and how often.
 *
 * The programs A1 to A20 have the shapes of CalFuzzer's tests of its atomicity predictors. */
#define RF_IMPLEMENTATION
#include "script.h"

/* The StringBuffer of the Java library: append(sb) asks sb twice; in the fixed twin, with 1 for $,
 * under c. */
#define APPEND                                              \
 "lock a; times $ { lock c }; lock b; R l; keep; unlock b;" \
 "lock b; R l; if < kept { fail index }; unlock b; times $ { unlock c }; unlock a"
#define BUFFER(append)                            \
 "body: quietly l 5; start; start; join |" append \
 "| times $ { lock c }; lock b; W l 0; unlock b; times $ { unlock c }"
#define STRINGBUFFER BUFFER("block append {" APPEND "}")
#define UNDECLARED   BUFFER(APPEND)
/* The section begins before a block that ends after it. */
#define OVERLAP BUFFER("lock a; block overlap { unlock a; racyR y;" APPEND "}")

#define AWAITS        "lock a; loop { R x; until = 1; wait c a }; unlock a"
#define RAISES        "| lock a; W x 1; signal c; unlock a"
#define LOCKED        "lock a; R x; W x it+1; unlock a"
#define TWICE         "block twice { lock a; R x; W x it+1; R x; W x it+1; unlock a } |"
#define TAKE_A        "lock a; unlock a;"
#define TAKE_B        "lock b; unlock b;"
#define AGAIN         "block again { lock a;" TAKE_B TAKE_B "unlock a }"
#define AGAIN_UNDER_C "block again { lock c;" TAKE_B TAKE_B "unlock c }"
#define READS_TWICE   "block reads { rdlock r; R x; rwunlock r; rdlock r; R x; rwunlock r }"
#define LATE_LOCK                                            \
 "body: start; start; join; peek x; if ! 11 { fail lost } |" \
 "block check { R x; keep; lock a; W x kept+1; unlock a } |" \
 "lock a; R x; W x it+10; unlock a"
#define SET  "body: set balances x y; start; start; join |"
#define MOVE "lock a; R x; W x it+5; R y; W y it+5; unlock a |"

enum { ANY = -1, SOME = -2, ALL = -3 }; /* so many; ALL: hits in all executions */

struct row {
    const char *name, *program, *option;
    rf_family family; /* of what is counted, if not RF_FAMILY_ATOMICITY */
    int warnings, real, hits;
    bool harmful, twin;
};

#define ROW(called, ...) \
 { .name = (called), .program = __VA_ARGS__ }

static const struct row rows[] = {
    ROW("a1: a racy increment between two", TWICE "R x; W x it+1", .warnings = ANY, .real = SOME,
        .hits = ANY),
    ROW("a2: under one lock", TWICE LOCKED),
    ROW("a5: starting and joining is not atomic", "body: block both { start; join } |" LOCKED,
        .warnings = 1),
    ROW("a7: the outer block is not atomic, the inner one is",
        "body: mutex m m 1; start; start; join |"
        "block outer { lock m; add a 1; block inner { lock m; add a 1; unlock m }; unlock m } |"
        "add a 1",
        .warnings = 1, .real = 1, .hits = ANY),
    ROW("a10: nested locks without a second time are atomic",
        "block nested { lock a; lock b; unlock b; unlock a } |" TAKE_B),
    ROW("a19: every second acquisition is made real", AGAIN "|" AGAIN_UNDER_C, .warnings = 2,
        .real = 2, .hits = ANY),
    ROW("a20: a common outer lock keeps others out", AGAIN "|" AGAIN),
    ROW("without declared blocks", UNDECLARED),
    ROW("undeclared --blocks=locks", UNDECLARED, .option = "--blocks=locks", .warnings = 1,
        .real = 1, .hits = ALL, .harmful = true),
    ROW("a section that waits lets others in", AWAITS RAISES, .option = "--blocks=locks"),
    ROW("two sections are two blocks, whatever locks are taken within",
        "lock a; lock b; R x; unlock b; unlock a; lock a; W x 1; unlock a | lock a; W x 2; unlock "
        "a",
        .option = "--blocks=locks"),
    ROW("under a common lock nothing is told of sections", UNDECLARED, .option = "--blocks=locks",
        .twin = true),
    ROW("the fixed stringbuffer", STRINGBUFFER, .twin = true),
    ROW("an exchange that fails starts anew",
        "block retry { load a; keep; loop { cas a kept; until = 1 } } | add a 2", .warnings = ANY),
    ROW("an exchange that fails has seen nothing",
        "block owner { store a 1; store a 2 } | cas a -1", .warnings = ANY),
    /* What others wrote before is not read; a write over another's may as well have come later. */
    ROW("what reads its own value is serial",
        "block own { store a 1; load a; store a 2; store a 3 } | store a 9", .warnings = ANY,
        .real = 1, .hits = ANY),
    /* The second access is under a lock that is not taken again: one must wait before it. */
    ROW("one waits before a lock that comes late", LATE_LOCK, .warnings = 1, .real = 1, .hits = ALL,
        .harmful = true),
    /* It goes on as soon as it is torn, before what hides it. */
    ROW("one who has come in does not get to make it good",
        "body: start; start; join |"
        "block reads { R x; keep; R x; if ! kept { fail torn } } | W x 1; own 3; W x 0",
        .warnings = ANY, .real = SOME, .hits = ALL, .harmful = true),
    ROW("a wait in a block lets others in", "block waits {" AWAITS "}" RAISES, .warnings = ANY,
        .real = SOME, .hits = ANY),
    ROW("readers do not disturb readers", READS_TWICE "|" READS_TWICE, .warnings = ANY),
    ROW("nothing is told without a declaration", TAKE_B TAKE_B LOCKED "|" TAKE_B TAKE_B LOCKED),
    ROW("no set is told without a declaration", TAKE_B TAKE_B LOCKED "|" TAKE_B TAKE_B LOCKED,
        .family = RF_FAMILY_ATOMIC_SET),
    ROW("sum",
        SET MOVE "lock a; R x; keep; unlock a; lock a; R y; unlock a; if ! kept { fail sum }",
        .family = RF_FAMILY_ATOMIC_SET, .warnings = 1, .real = 1, .hits = ALL, .harmful = true),
    ROW("a set used in one section",
        SET MOVE "lock a; R x; keep; R y; unlock a; if ! kept { fail sum }",
        .family = RF_FAMILY_ATOMIC_SET),
    ROW("one object by itself, before and after",
        "body: set balances x y; W x 0; W y 0; start; start; join; R x; if ! 7 { fail x };"
        "R y; if ! 5 { fail y } |" MOVE LOCKED ";" LOCKED,
        .family = RF_FAMILY_ATOMIC_SET),
};

/* ---- campaigns ---- */

typedef struct figures {
    int warnings, real, hits, executions, harmful;
} figures;

static figures of(const char *name, const char *program, rf_family family, const char *option) {
    script_is(program, false);
    const rfi_study *s = lab_study("script", "--executions=400", option, NULL);
    figures f = {0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        if (w->family != family) continue;
        f.warnings++;
        f.real += w->hits || w->seen;
        f.hits += (int)w->hits;
        f.executions += (int)w->executions;
        f.harmful += w->failed != 0;
    }
    printf("# %s: %d warnings, %d real, hits %d/%d, harmful %d\n", name, f.warnings, f.real, f.hits,
           f.executions, f.harmful);
    return f;
}

static bool as_said(int is, int said, int all) {
    return said == ANY || (said == SOME ? is > 0 : said == ALL ? is == all : is == said);
}

static void test_row(const struct row *r) {
    script_number = r->twin;
    figures f = of(r->name, r->program, r->family ? r->family : RF_FAMILY_ATOMICITY, r->option);
    LAB_CHECK(r->name, as_said(f.warnings, r->warnings, 0) && as_said(f.real, r->real, 0) &&
                           as_said(f.hits, r->hits, f.executions) &&
                           (!r->harmful || f.harmful == 1));
    script_number = 0;
}

/* The eight orders of three accesses: own, another thread's, own. */
CASE(patterns) {
    static const char *const all[] = {"RWR", "WWR", "RWW", "WRW", "RRR", "RRW", "WRR", "WWW"};
    for (unsigned i = 0; i < RFI_LENGTH(all); i++) {
        char name[64], program[128];
        const char *does[3];
        bool torn = i < 4;
        for (unsigned k = 0; k < 3; k++) does[k] = all[i][k] == 'R' ? "load a" : "store a 1";
        snprintf(program, sizeof program, "block owner { %s; %s } | %s", does[0], does[2], does[1]);
        snprintf(name, sizeof name, "the order %s is %s", all[i], torn ? "torn" : "serial");
        figures f = of(name, program, RF_FAMILY_ATOMICITY, NULL);
        LAB_CHECK(name, torn ? f.warnings == 1 && f.real == 1 && f.hits == 400 : f.real == 0);
    }
}

CASE(overlap) {
    figures f = of("overlap", OVERLAP, RF_FAMILY_ATOMICITY, "--blocks=locks");
    bool goes_on = false;
    for (uint32_t i = 0; i < lab_the_study.result.warnings; i++)
        goes_on |= !strcmp(lab_the_study.result.warning[i].side[0].site->text, "overlap");
    LAB_CHECK("a block that outlives a section goes on", f.warnings == 2 && goes_on);
}

/* ---- pairs of an acquisition that comes a second time and another thread's ---- */

/* Pairs of statements that relock told, in any order. */
static uint64_t told_pair[64];
static uint32_t told_pairs;

static void note_pair(const rf_warning *w) {
    if (w->family != RF_FAMILY_ATOMICITY || strcmp(w->by, "relock") != 0) return;
    uint64_t key = rfi_pair_key(rf_site_key(w->place[2].site), rf_site_key(w->place[3].site));
    uint32_t i = 0;
    while (i < told_pairs && told_pair[i] != key) i++;
    if (i == told_pairs && told_pairs < 64) told_pair[told_pairs++] = key;
}

CASE(pairs) {
    static const struct {
        const char *name, *program;
        uint32_t pairs;
    } all[] = {{"a15 has 1 pair", AGAIN "|" TAKE_B, 1},
               {"a16 has 1 pair", AGAIN ";" TAKE_B "|" TAKE_B, 1},
               {"a17 has 2 pairs", AGAIN "|" TAKE_B TAKE_B, 2},
               {"a18 has 1 pair", AGAIN "|" TAKE_A TAKE_B, 1},
               {"a19 has 3 pairs", AGAIN "|" AGAIN_UNDER_C, 3},
               {"a20 has no pairs", AGAIN "|" AGAIN, 0}};
    for (unsigned i = 0; i < RFI_LENGTH(all); i++) {
        script_is(all[i].program, false);
        rfi_job j = lab_job_of("script", RFI_PREDICT, LAB_FINE);
        j.analyses = rfi_analyses_of("relock");
        told_pairs = 0;
        rfi_warning_sink = note_pair;
        lab_job(&j, 500);
        rfi_warning_sink = rfi_sink_warning;
        LAB_CHECK(all[i].name, told_pairs == all[i].pairs);
    }
}

/* ---- the StringBuffer ---- */

/* The token of the first harm of the study, which fails again. */
static void token(const char *name, const char *says) {
    char text[RFI_TOKEN_BYTES];
    const rfi_record *r = &lab_campaign.team.here->record;
    LAB_CHECK(name,
              lab_replays(&lab_the_study.cases[0].job, lab_the_study.cases[0].harm.index, text) &&
                  r->hit_count && r->failure.diagnostic == RF_DIAG_FAIL && strstr(text, says));
}

CASE(stringbuffer) {
    script_is(UNDECLARED, false);
    (void)lab_study("script", "--executions=400", "--blocks=locks", NULL);
    token("a token says that sections are blocks, and replays", ".r.");
    script_is(STRINGBUFFER, false);
    const rfi_study *s = lab_study("script", "--executions=2000", NULL);
    const rfi_warning *w = &s->result.warning[0];
    LAB_CHECK("stringbuffer has no race and one warning",
              s->result.warnings == 1 && w->family == RF_FAMILY_ATOMICITY);
    LAB_CHECK("both analyses tell one defect", w->by == rfi_analyses_of("atomizer,relock"));
    printf("# stringbuffer is made real: %llu of %llu\n", (unsigned long long)w->hits,
           (unsigned long long)w->executions);
    LAB_CHECK("it is made real every time", w->hits == 2000 && w->executions == 2000);
    LAB_CHECK("it fails with the index every time", w->failed == 2000 && s->result.harmful == 1);
    LAB_CHECK("the places are block, first, other, second",
              w->sides == 4 && w->side[0].site->kind == RF_SITE_OTHER);
    const rfi_job j = s->cases[0].job;
    token("its token replays", ".atomfuzzer.");
    lab_share("stringbuffer under uniform random",
              lab_failures(lab_random("script", 20000, LAB_FINE)), 20000, 1 / 8.0);
    rfi_job alone = j; /* the rule of the paper: only the thread in the block is paused */
    alone.fine = true;
    alone.target[2] = 0;
    lab_share("stringbuffer pausing in the block alone", lab_job(&alone, 20000)->hits, 20000,
              1 / 4.0);
    script_number = 1;
    lab_job(&j, 2000);
    LAB_CHECK("its twin is never torn",
              lab_tally.hits == 0 && lab_tally.warnings == 0 && !lab_failures(&lab_tally));
    script_number = 0;
}

int main(void) {
    for (unsigned i = 0; i < RFI_LENGTH(rows); i++) test_row(&rows[i]);
    return lab_cases();
}
