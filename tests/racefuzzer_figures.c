/* What hybrid detection predicts, what RaceFuzzer brings together, and how often that does harm, in
 * the figures of its paper, in the slides' example, and in other programs whose probabilities can
 * be computed exactly; how often uniform random does harm there, and how often happens-before sees
 * the race.  They hold for exactly the statements listed and threads that have already started:
 * here the body creates all threads first, so that with fine granularity nothing else is a step. */
#define RF_IMPLEMENTATION
#include "programs.h"

enum { N = 20000 };

#define BOTH_GRAINS(fine) for (unsigned fine = 0; fine < 2; fine++)
static const char *const grain[] = {"coarse", "fine"};

/* A job about the statements at two marks; 'R' and 'W' are their kinds. */
static const rfi_tally *confirm(const char *program, const char *pair, uint32_t n, bool fine) {
    script_is(program, false);
    return lab_confirm("script", line_of[pair[0] - '0'], pair[1], line_of[pair[2] - '0'], pair[3],
                       n, fine);
}

/* ---- the slides' example: two objects, three threads ---- */

typedef struct object {
    rf_mutex lock;
    int f;
} object;

static object o1, o2;
static rf_mutex L = RF_MUTEX_INIT;
static enum { OWN_LOCK, GLOBAL_LOCK, NO_LOCK } locking;

static void *foo(void *p) {
    rf_mutex *lock = locking == OWN_LOCK      ? &((object *)p)->lock
                     : locking == GLOBAL_LOCK ? &L
                                              : NULL;
    if (lock) RF_LOCK(lock);
    for (int i = 1, mine; i <= 4; i++) RF_STORE(mine, i);
    AT(5, RF_STORE(((object *)p)->f, 1));
    if (lock) RF_UNLOCK(lock);
    return p;
}

static void *bar(void *p) {
    if (AT(6, RF_LOAD(((object *)p)->f)) == 1) RF_FAIL("ERROR");
    return p;
}

RF_TEST(slides) {
    o1 = o2 = (object){RF_MUTEX_INIT, 0};
    rf_thread t[] = {RF_THREAD(foo, &o1), RF_THREAD(bar, &o1), RF_THREAD(foo, &o2)};
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

/* Every hit is one of threads 1 and 2 on o1. */
static bool slides_hits_are_on_o1(uint32_t n, bool fine) {
    rfi_job j = lab_job_about("slides", RFI_CONFIRM, line_of[5], 'W', line_of[6], 'R', fine);
    uint64_t hits = 0;
    for (uint32_t i = 0; i < n; i++) {
        rfi_span one = {i, i + 1};
        rfi_team_run(&lab_campaign.team, &j, &one, &lab_tally);
        const rfi_record *r = &lab_campaign.team.here->record;
        for (uint32_t k = 0; k < r->hit_count && k < RFI_HITS; k++, hits++) {
            const rf_event *e = r->hit[k].e;
            if (e[0].addr != &o1.f || e[1].addr != &o1.f || e[0].thread + e[1].thread != 3)
                return false;
        }
    }
    return hits > 0;
}

static void test_slides(const char *locks, double hit, double error, double random) {
    const rfi_study *s = lab_study("slides", "--executions=200", NULL);
    LAB_CHECK(named("%s: hybrid predicts exactly (s5,s6) of the slides", locks),
              s->result.warnings == 1 && lab_pair(s, line_of[5], 'W', line_of[6], 'R'));
    BOTH_GRAINS(fine) {
        const rfi_tally *t = lab_confirm("slides", line_of[5], 'W', line_of[6], 'R', N, fine);
        uint64_t hits = t->hits, errors = lab_said(t, "ERROR");
        lab_share(named("%s, %s: (s5,s6) is hit in %g of the executions", locks, grain[fine], hit),
                  hits, N, hit);
        lab_share(named("%s, %s: ERROR in %g of the executions", locks, grain[fine], error), errors,
                  N, error);
        LAB_CHECK(named("%s, %s: only accesses to the same object hit", locks, grain[fine]),
                  slides_hits_are_on_o1(2000, fine));
        printf("# slides with %s, %s: hit %llu, ERROR %llu of %d\n", locks, grain[fine],
               (unsigned long long)hits, (unsigned long long)errors, N);
    }
    lab_share(named("%s: uniform random reaches ERROR in %g of the executions", locks, random),
              lab_said(lab_random("slides", N, LAB_FINE), "ERROR"), N, random);
}

/* ---- RaceFuzzer ---- */

#define UPDATE_SHARED "body: start; again; join;" LOST "| @1 R x; @2 W x it+1"
/* Who has read before the write, as a set of threads. */
#define READERS                                                                          \
 "body: start; again; start; join; peek m; if = 6 { fail both }; if = 2 { fail first };" \
 "if = 4 { fail second }; fail none | @1 R x; if = 0 { note m } | own 1; @2 W x 1"
/* A task is cancelled while it finishes. */
#define HEDC                                                                             \
 JOINED(Y_IS_1, "lock l; @1 R y; if ! 0 { @2 R y; if = 0 { fail nothing } }; unlock l |" \
                "own 1; @3 W y 0")

/* "1R3W" are the marks and kinds of the pair. */
static const struct directed {
    const char *name, *program, *pair;
    bool coarse; /* the same with coarse granularity */
    double hit;
    struct {
        const char *said;
        double share;
    } outcome[4];
} all_directed[] = {
    {"figure 1 {5,7}", JOINED("", FIGURE_1), "5R7W", true, 1, {{"ERROR1", 0.5}, {"ERROR2", 0}}},
    {"figure 1 {1,10}", JOINED("", FIGURE_1), "1W9R", true, 0, {{"ERROR1", 1}, {"ERROR2", 0}}},
    {"figure 2 {8,10}", JOINED("", FIGURE_2), "8R9W", true, 1, {{"ERROR", 0.5}}},
    {"readers {r1,w}",
     READERS,
     "1R2W",
     false,
     1,
     {{"both", 29 / 72.0}, {"first", 7 / 144.0}, {"second", 7 / 144.0}, {"none", 0.5}}},
    {"update {R1,W2}", CHECKED("", LOST, UPDATE), "1R4W", true, 1, {{"lost", 0.5}}},
    {"update {R2,W1}", CHECKED("", LOST, UPDATE), "3R2W", true, 1, {{"lost", 0.5}}},
    {"update {W1,W2}", CHECKED("", LOST, UPDATE), "2W4W", true, 1, {{"lost", 1}}},
    {"update_shared {R,W}", UPDATE_SHARED, "1R2W", true, 1, {{"lost", 0.5}}},
    {"update_shared {W}", UPDATE_SHARED, "2W2W", true, 1, {{"lost", 1}}},
    {"check_act {c2,w}", JOINED(Y_IS_1, CHECK_ACT), "2R3W", true, 1, {{"null", 0.5}}},
    {"check_act {c1,w}", JOINED(Y_IS_1, CHECK_ACT), "1R3W", true, 1, {{"null", 0}}},
    {"hedc {store,r2}", HEDC, "2R3W", false, 1, {{"nothing", 0.5}}},
    {"hedc {store,r1}", HEDC, "1R3W", false, 1, {{"nothing", 0}}},
};

static void test_directed(const struct directed *d, bool fine) {
    const rfi_tally *t = confirm(d->program, d->pair, N, fine);
    lab_share(named("%s, %s: race hit with probability %.5g", d->name, grain[fine], d->hit),
              t->hits, N, d->hit);
    for (unsigned i = 0; i < 4 && d->outcome[i].said; i++) {
        lab_share(named("%s, %s: %s with probability %.5g", d->name, grain[fine],
                        d->outcome[i].said, d->outcome[i].share),
                  lab_said(t, d->outcome[i].said), N, d->outcome[i].share);
    }
    if (d->hit <= 0) LAB_CHECK("without a hit nothing is called its harm", !t->failed);
}

/* Postponed inside a critical section: the shape of containsAll.  Missed when the modifier, or with
 * coarse granularity its start too, gets the second lock first. */
static void test_contains(int q, int n, bool fine) {
    double hit = fine ? 1 - (q + 3) / (double)(4 << q) : 5 / 16.0;
    char program[256];
    snprintf(
        program, sizeof program,
        "lock a; lock b; R m; keep; unlock b; times %d { @1 R m; if ! kept { fail modified } };"
        "unlock a | own %d; lock b; @2 W m 1; unlock b",
        n, q);
    const rfi_tally *t = confirm(program, "1R2W", N, fine);
    lab_share(
        named("containsAll, q=%d n=%d, %s: race hit with probability %.5g", q, n, grain[fine], hit),
        t->hits, N, hit);
    /* each further check meets the postponed modifier again, and has its own coin */
    double error = hit * (1 - 1 / (double)(1 << n));
    lab_share(
        named("containsAll, q=%d n=%d, %s: error with probability %.5g", q, n, grain[fine], error),
        lab_said(t, "modified"), N, error);
}

/* The advantage over undirected chance, as a table. */
static void test_figure_2_table(void) {
    static const char program[] = JOINED("", FIGURE_2_OF("$"));
    static const int statements[] = {0, 1, 2, 3, 5, 8, 10, 20, 100, 1000};
    bool all = true, hit = true;
    for (unsigned i = 0; i < sizeof statements / sizeof *statements; i++) {
        double exact = 1;
        script_number = statements[i];
        for (int k = 0; k < script_number + 3; k++) exact /= 2;
        uint32_t n = script_number > 20 ? N / 10 : N;
        script_is(program, false);
        uint64_t chance = lab_said(lab_random("script", n, LAB_FINE), "ERROR");
        const rfi_tally *t = confirm(program, "8R9W", N / 10, LAB_COARSE);
        uint64_t directed = lab_said(t, "ERROR");
        hit &= t->hits == N / 10;
        if (script_number == 1000)
            hit &= confirm(program, "8R9W", N / 10, LAB_FINE)->hits == N / 10;
        all = all && lab_within(chance, n, exact) && lab_within(directed, N / 10, 0.5);
        printf("# | %d | %.5g | %.4f | %.4f |\n", statements[i], exact, (double)chance / n,
               (double)directed / (N / 10));
    }
    LAB_CHECK("behind any number of statements figure 2 is hit every time", hit);
    LAB_CHECK("a private statement in figure 2 halves the chance of random, not of racefuzzer",
              all);
}

static void test_figure_1_campaign(void) {
    script_is(JOINED("", FIGURE_1), false);
    const rfi_study *s = lab_study("script", "--executions=2000", NULL);
    const rfi_warning *on_z = lab_pair(s, line_of[5], 'R', line_of[7], 'W');
    const rfi_warning *on_x = lab_pair(s, line_of[1], 'W', line_of[9], 'R');
    LAB_CHECK("hybrid reports exactly the pairs (5,7) and (1,10) of figure 1",
              s->result.warnings == 2 && on_z && on_x);
    LAB_CHECK("the campaign of figure 1 calls (5,7) harmful and (1,10) only predicted",
              on_z && on_x && s->result.harmful == 1 && s->result.potential == 1 &&
                  s->result.real == 0 && on_z->hits == on_z->executions && on_z->failed &&
                  !on_x->hits && !on_x->seen);
}

/* ---- uniform random ---- */

static const struct {
    const char *name, *program, *said;
    double share;
} all_random[] = {
    {"figure 1", JOINED("", FIGURE_1), "ERROR1", 31 / 32.0},
    {"figure 1", JOINED("", FIGURE_1), "ERROR2", 0},
    {"figure 2", JOINED("", FIGURE_2), "ERROR", 1 / 256.0},
    {"update", CHECKED("", LOST, UPDATE), "lost", 0.5},
    {"update_shared", UPDATE_SHARED, "lost", 0.5},
    {"check_act", JOINED(Y_IS_1, CHECK_ACT), "null", 0.25},
    {"hedc", HEDC, "nothing", 3 / 16.0},
};

static void test_all_random(void) {
    for (unsigned i = 0; i < RFI_LENGTH(all_random); i++) {
        script_is(all_random[i].program, false);
        lab_share(named("%s, uniform random: %s with probability %.5g", all_random[i].name,
                        all_random[i].said, all_random[i].share),
                  lab_said(lab_random("script", N, LAB_FINE), all_random[i].said), N,
                  all_random[i].share);
    }
}

/* ---- detectors under uniform random ---- */

/* A race behind, or in front of, private steps; and the slides' example 1. */
#define HIDDEN(before, inside)                                           \
 JOINED("", "own " before "; lock l; own " inside "; unlock l; @1 R x |" \
            "@2 W x 1; lock l; own 1; unlock l")
#define SLIDES_1                                                     \
 JOINED("", "@1 R x; @2 W x it+1; lock l; R y; W y it+1; unlock l |" \
            "lock l; R y; W y it+1; unlock l; @3 R x; @4 W x it+1")

static const struct {
    const char *name, *program, *pair;
    double share;
} all_seen[] = {
    {"figure 2", HIDDEN("0", "5"), "1R2W", 0.75},
    {"figure 2 with the private steps first", HIDDEN("5", "0"), "1R2W", 1 / 16.0},
    {"figure 1", JOINED("", FIGURE_1), "5R7W", 0.5},
    {"the slides' example 1, R-W", SLIDES_1, "1R4W", 7 / 8.0},
    {"the slides' example 1, W-R", SLIDES_1, "2W3R", 7 / 8.0},
    {"the slides' example 1, W-W", SLIDES_1, "2W4W", 7 / 8.0},
};

/* The share of the executions in which happens-before leaves the pair unordered; hybrid predicts it
 * in each. */
static void test_all_seen(void) {
    for (unsigned i = 0; i < RFI_LENGTH(all_seen); i++) {
        const char *pair = all_seen[i].pair;
        script_is(all_seen[i].program, false);
        rfi_study s = {.result = {.warnings = 0}};
        rfi_job j = lab_job_of("script", RFI_PREDICT, LAB_FINE);
        j.analyses = rfi_analyses_of(NULL);
        s.result.warning = lab_job(&j, N)->warning;
        s.result.warnings = lab_tally.warnings;
        const rfi_warning *p =
            lab_pair(&s, line_of[pair[0] - '0'], pair[1], line_of[pair[2] - '0'], pair[3]);
        lab_share(named("%s: happens-before reports the race with probability %.5g",
                        all_seen[i].name, all_seen[i].share),
                  p ? p->seen : 0, N, all_seen[i].share);
        LAB_CHECK(named("%s: hybrid predicts the race in every execution", all_seen[i].name),
                  p && p->predicted == N);
    }
}

int main(void) {
    test_figure_1_campaign();
    for (unsigned i = 0; i < RFI_LENGTH(all_directed); i++) {
        test_directed(&all_directed[i], LAB_FINE);
        if (all_directed[i].coarse) test_directed(&all_directed[i], LAB_COARSE);
    }
    test_figure_2_table();
    test_slides("one lock an object", 1, 0.5, 1 / 64.0);
    locking = GLOBAL_LOCK;
    test_slides("one global lock", 0.75, 0.375, 43 / 4096.0);
    locking = NO_LOCK;
    test_slides("no lock", 1, 0.5, 1 / 32.0);
    for (int q = 0; q <= 2; q++) test_contains(q, 1, LAB_FINE);
    for (int n = 2; n <= 8; n *= 2) test_contains(0, n, LAB_FINE);
    for (int q = 0; q <= 2; q++) test_contains(q, 4, LAB_COARSE);
    test_all_random();
    test_all_seen();
    printf("# probabilities: %u of %u met\n", lab_passed, lab_passed + lab_failed);
    return lab_end();
}
