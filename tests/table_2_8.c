/* The test programs of the public CalFuzzer tool through whole campaigns: how many pairs are
 * predicted and how many of them are real.  Pairs count by statement, so a variable that two
 * threads count in statements of their own makes three: R-W, W-R and W-W.  `main` is the body of
 * the test. */
#define RF_IMPLEMENTATION
#include "script.h"

#define COUNTS        "R x; W x it+1"
#define COUNTS_LOCKED "lock m;" COUNTS "; unlock m"
/* A condition that is waited for with `if`: no spurious wake-ups; f says that it has come. */
#define AWAITS   "lock m; R f; if = 0 { wait c m }; unlock m"
#define NOTIFIES "lock m; signal c; W f 1; unlock m"

/* race13 is race1 with volatile variables. */
static volatile int vx, vy, vz;

THREAD(race13_left) {
    RF_STORE(vx, RF_LOAD(vx) + 5);
    RF_STORE(vy, 0);
}

THREAD(race13_right) {
    RF_STORE(vx, RF_LOAD(vx) + 17);
    RF_STORE(vz, 0);
}

RF_TEST(race13) { run_two(race13_left, race13_right); }

static const struct row {
    const char *name, *program; /* NULL: the test of that name */
    uint32_t potential, real;
    double predicted; /* share of the executions of phase 1 in which each pair is */
} rows[] = {
    {"race1", "R x; W x it+5; W y 0 | R x; W x it+17; W z 0", 3, 3, 1},
    /* start and join order; without the join; one lock alone */
    {"race2", "body: " COUNTS "; start; join;" COUNTS "|" COUNTS, 0, 0, 1},
    {"race3", "body: start;" COUNTS "; join |" COUNTS, 3, 3, 1},
    {"race4", "body: start;" COUNTS "; join |" COUNTS_LOCKED, 3, 3, 1},
    /* the same lock; different ones; one in common */
    {"race5", "body: start;" COUNTS_LOCKED "; join |" COUNTS_LOCKED, 0, 0, 1},
    {"race6", "body: start; lock n;" COUNTS "; unlock n; join |" COUNTS_LOCKED, 3, 3, 1},
    {"race7", "body: start; lock m; lock n;" COUNTS "; unlock n; unlock m; join |" COUNTS_LOCKED, 0,
     0, 1},
    /* predicted when the signal comes before the wait: four steps before one */
    {"race8", "body: start; sleep 1;" COUNTS ";" NOTIFIES "; join |" AWAITS ";" COUNTS, 3, 0,
     1 / 16.0},
    {"race9", "body: start;" AWAITS ";" COUNTS "; join | sleep 1;" COUNTS ";" NOTIFIES, 3, 0,
     1 / 16.0},
    {"race10", "body: start;" NOTIFIES ";" COUNTS "; join |" COUNTS ";" AWAITS, 3, 3, 1},
    {"race11", "body: start;" COUNTS ";" AWAITS "; join |" NOTIFIES ";" COUNTS, 3, 3, 1},
    /* get and set without and with a lock */
    {"race12", "body: start; again; again; join | times 3 {" COUNTS "}", 2, 2, 1},
    {"race13", NULL, 3, 3, 1},
    {"race15",
     "body: start; again; again; join; R x; if ! 3 { fail lost } | "
     "lock m; R x; unlock m; lock m; W x it+1; unlock m",
     0, 0, 1},
};

static void judge(const struct row *t) {
    enum { N = 2000 };
    if (t->program) script_is(t->program, true);
    const rfi_study *s = lab_study(t->program ? "script" : t->name, "--executions=2000",
                                   "--seconds=none", "--strategy=random,racefuzzer", NULL);
    const rfi_result *r = &s->result;
    bool produced = true, share = true;
    for (uint32_t i = 0; i < r->warnings; i++) {
        const rfi_warning *p = &r->warning[i];
        produced &= t->real ? p->hits == p->executions : !p->hits && !p->seen;
        share &= lab_within(p->predicted, N, t->predicted);
    }
    LAB_CHECK(named("%s: %u pairs are predicted, %u are real", t->name, t->potential, t->real),
              r->warnings == t->potential && r->real + r->destructive + r->harmful == t->real &&
                  r->executions[0] == N && !r->capped);
    if (!t->potential) return;
    LAB_CHECK(named("%s: racefuzzer produces each real pair every time, no other", t->name),
              produced);
    LAB_CHECK(named("%s: each pair is predicted in %.4g of the executions", t->name, t->predicted),
              share);
}

int main(void) {
    for (unsigned i = 0; i < RFI_LENGTH(rows); i++) judge(&rows[i]);
    LAB_CHECK("race15: an update can be lost without a race",
              lab_said(lab_random("script", 2000, LAB_FINE), "lost"));
    return lab_end();
}
