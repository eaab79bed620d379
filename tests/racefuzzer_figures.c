/* What hybrid detection predicts in the figures of the RaceFuzzer paper and in the slides' example,
 * what RaceFuzzer brings together, and how often the error is reached. */
#define RF_IMPLEMENTATION
#include "programs.h"

/* ---- Figure 1 ---- */

static void test_figure_1_campaign(void) {
    const rfi_study *s = lab_study("figure_1", "--executions=2000", NULL);
    const rfi_warning *on_z = lab_pair(s, F1_5, 'R', F1_7, 'W');
    const rfi_warning *on_x = lab_pair(s, F1_1, 'W', F1_10, 'R');
    LAB_CHECK("hybrid reports exactly the pairs (5,7) and (1,10) of figure 1",
              s->result.warnings == 2 && on_z && on_x);
    LAB_CHECK("the campaign of figure 1 calls (5,7) harmful and (1,10) only predicted",
              on_z && on_x && s->result.harmful == 1 && s->result.potential == 1 &&
                  s->result.real == 0 && on_z->hits == on_z->executions && on_z->failed &&
                  !on_x->hits && !on_x->seen);
}

static void test_figure_1(void) {
    for (int fine = 0; fine <= 1; fine++) {
        const rfi_tally *t = lab_confirm("figure_1", F1_5, 'R', F1_7, 'W', 2000, fine);
        LAB_CHECK("racefuzzer hits (5,7) of figure 1 in each of 2,000 executions",
                  t->executions == 2000 && t->hits == 2000);
        lab_share("with (5,7) figure 1 reaches ERROR1 in half of the executions",
                  lab_said(t, "ERROR1"), 2000, 0.5);
        LAB_CHECK("with (5,7) figure 1 never reaches ERROR2", !lab_said(t, "ERROR2"));
        t = lab_confirm("figure_1", F1_1, 'W', F1_10, 'R', 5000, fine);
        LAB_CHECK("racefuzzer hits (1,10) of figure 1 in none of 5,000 executions",
                  t->executions == 5000 && !t->hits);
        LAB_CHECK("with (1,10) figure 1 reaches ERROR1 in every execution, without a hit",
                  lab_said(t, "ERROR1") == 5000 && !t->failed);
    }
    const rfi_tally *t = lab_random("figure_1", 20000, LAB_FINE);
    lab_share("uniform random reaches ERROR1 of figure 1 in 31 of 32 executions",
              lab_said(t, "ERROR1"), 20000, 31 / 32.0);
    LAB_CHECK("uniform random never reaches ERROR2 of figure 1", !lab_said(t, "ERROR2"));
}

/* ---- Figure 2 ---- */

static void test_figure_2(int statements, bool fine) {
    padding = statements;
    const rfi_tally *t = lab_confirm("figure_2", F2_8, 'R', F2_10, 'W', 2000, fine);
    char name[96];
    snprintf(name, sizeof name, "with %d statements before the race figure 2 is hit every time",
             statements);
    LAB_CHECK(name, t->executions == 2000 && t->hits == 2000);
    snprintf(name, sizeof name, "with %d statements before the race figure 2 fails half the time",
             statements);
    lab_share(name, lab_said(t, "ERROR"), 2000, 0.5);
}
/* The advantage over undirected chance, as a table. */
static void test_figure_2_table(void) {
    static const int statements[] = {0, 1, 2, 3, 5, 8, 10, 20, 100, 1000};
    enum { N = 20000 };
    bool all = true;
    for (unsigned i = 0; i < sizeof statements / sizeof *statements; i++) {
        double exact = 1;
        padding = statements[i];
        for (int k = 0; k < padding + 3; k++) exact /= 2;
        uint32_t n = padding > 20 ? N / 10 : N;
        uint64_t chance = lab_said(lab_random("figure_2", n, LAB_FINE), "ERROR");
        uint64_t directed =
            lab_said(lab_confirm("figure_2", F2_8, 'R', F2_10, 'W', N / 10, LAB_COARSE), "ERROR");
        all = all && lab_within(chance, n, exact) && lab_within(directed, N / 10, 0.5);
        printf("# | %d | %.5g | %.4f | %.4f |\n", padding, exact, (double)chance / n,
               (double)directed / (N / 10));
    }
    LAB_CHECK("a private statement in figure 2 halves the chance of random, not of racefuzzer",
              all);
}

/* ---- the slides' example ---- */

/* Every hit is one of threads 1 and 2 on o1. */
static bool slides_hits_are_on_o1(uint32_t n, bool fine) {
    rfi_job j = lab_job_of("slides", RFI_CONFIRM, fine);
    j.site[0] = lab_site(S5, 'W');
    j.site[1] = lab_site(S6, 'R');
    for (unsigned i = 0; i < 2; i++) j.target[i] = rfi_site_key(j.site[i]);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        rfi_span one = {i, i + 1, 0, 1};
        rfi_team_run(&lab_campaign.team, &j, &one, &lab_tally);
        const rfi_record *r = &lab_campaign.team.here->record;
        for (uint32_t k = 0; k < r->hit_count && k < RFI_HITS; k++, seen++) {
            const rf_event *e = r->hit[k].e;
            if (e[0].addr != &o1.f || e[1].addr != &o1.f || e[0].thread + e[1].thread != 3)
                return false;
        }
    }
    return seen > 0;
}

static void test_slides(const char *locks, double hit, double error, double random) {
    enum { N = 20000 };
    char name[128];
    const rfi_study *s = lab_study("slides", "--executions=200", NULL);
    snprintf(name, sizeof name, "%s: hybrid predicts exactly (s5,s6) of the slides", locks);
    LAB_CHECK(name, s->result.warnings == 1 && lab_pair(s, S5, 'W', S6, 'R'));
    for (int fine = 0; fine <= 1; fine++) {
        const char *grain = fine ? "fine" : "coarse";
        const rfi_tally *t = lab_confirm("slides", S5, 'W', S6, 'R', N, fine);
        uint64_t hits = t->hits, errors = lab_said(t, "ERROR");
        snprintf(name, sizeof name, "%s, %s: (s5,s6) is hit in %g of the executions", locks, grain,
                 hit);
        lab_share(name, hits, N, hit);
        snprintf(name, sizeof name, "%s, %s: ERROR in %g of the executions", locks, grain, error);
        lab_share(name, errors, N, error);
        snprintf(name, sizeof name, "%s, %s: only accesses to the same object hit", locks, grain);
        LAB_CHECK(name, slides_hits_are_on_o1(2000, fine));
        printf("# slides with %s, %s: hit %llu, ERROR %llu of %d\n", locks, grain,
               (unsigned long long)hits, (unsigned long long)errors, N);
    }
    snprintf(name, sizeof name, "%s: uniform random reaches ERROR in %g of the executions", locks,
             random);
    lab_share(name, lab_said(lab_random("slides", N, LAB_FINE), "ERROR"), N, random);
}

int main(void) {
    test_figure_1_campaign();
    test_figure_1();
    test_figure_2(5, LAB_COARSE);
    test_figure_2(5, LAB_FINE);
    test_figure_2(1000, LAB_COARSE);
    test_figure_2(1000, LAB_FINE);
    test_figure_2_table();
    locking = OWN_LOCK;
    test_slides("one lock an object", 1, 0.5, 1 / 64.0);
    locking = GLOBAL_LOCK;
    test_slides("one global lock", 0.75, 0.375, 43 / 4096.0);
    locking = NO_LOCK;
    test_slides("no lock", 1, 0.5, 1 / 32.0);
    return lab_end();
}
