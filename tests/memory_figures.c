/* Flanagan and Freund's figures (PLDI 2010): how often adversarial memory makes the racy programs
 * of figures 1, 2 and 8 fail, against probabilities worked out by hand, and which rows of figure 9
 * fail at all.  bench/adversarial prints the whole of figure 9. */
#define RF_IMPLEMENTATION
#include "tests/adversary.h"

enum { RUNS = 4000, FEW = 40, HEURISTICS = ADVERSARY_COLUMNS - 1 };

static unsigned rates, met, as_published;

static uint64_t failures(const adversary_row *r, unsigned column, uint32_t n) {
    return lab_failures(lab_adversary(r->test, r->line[0], r->kind[0], r->line[1], r->kind[1],
                                      adversary_pick[column], n, LAB_FINE));
}

/* It fails with that probability. */
static void share(const char *what, const adversary_row *r, unsigned column, double p) {
    rates++;
    met += lab_share(named("%s: %s", what, adversary_column[column]), failures(r, column, RUNS),
                     RUNS, p);
}

static const adversary_row *row_of(const char *program, const char *field) {
    for (unsigned i = 0; i < ADVERSARY_ROWS; i++)
        if (!strcmp(adversary_rows[i].program, program) && !strcmp(adversary_rows[i].field, field))
            return &adversary_rows[i];
    rfi_die("no row %s %s", program, field);
}

static double power(double x, int n) {
    double y = 1;
    while (n--) y *= x;
    return y;
}

static double choose(int n, int k) {
    double c = 1;
    for (int i = 1; i <= k; i++) c = c * (n - k + i) / i;
    return c;
}

/* At least k heads in n tosses. */
static double heads(int n, int k) {
    double p = 0;
    for (int i = k; i <= n; i++) p += choose(n, i);
    return p * power(0.5, n);
}

/* Figures 1 and 8: both threads are equally likely at every step until the write, m steps after
 * its thread began, has come; `rounds - r` checks came before it with probability at(r). */
static void check_then_use(const char *what, int m, int rounds) {
    const adversary_row *r = row_of("figure 8", "x");
    double before_last = heads(m + rounds, m + 1), random = 0;
    for (int left = 1; left <= rounds; left++) {
        int k = rounds - left;
        double at = choose(m + k, k) * power(0.5, m + k + 1);
        random += at * (1 - power(0.75, left));
    }
    circle_delay = m;
    circle_rounds = rounds;
    /* the oldest value is null for ever; one that differs comes every other time, if there is a
     * read before it that it can differ from */
    double first = power(0.5, m + 1); /* the write comes before all reads */
    double oldest_different = rounds == 1 ? before_last - first : before_last;
    double random_different = rounds == 1 ? before_last - first / 2 : before_last;
    const double p[HEURISTICS] = {0, 0, oldest_different, random, random_different};
    for (unsigned i = 0; i < HEURISTICS; i++) share(what, r, i + 1, p[i]);
}

/* Figure 2: the late thread takes the fast path when the creator's six steps, up to the store of p,
 * come before its own q + 1; with the roles exchanged, when its q + 6 come before all of the
 * other's. */
static void double_checked_locking(int q) {
    double fast = heads(q + 6, 6) + power(0.5, q + 6);
    char what[40];
    point_delay = q;
    for (unsigned field = 0; field < 3; field++) {
        const adversary_row *r = row_of("figure 2", field == 0 ? "p" : field == 1 ? "p.x" : "p.y");
        double harm = field == 0 ? 0 : fast;
        snprintf(what, sizeof what, "figure 2, %s, q = %d", r->field, q);
        const double p[4] = {0, harm, harm, harm / 2};
        for (unsigned i = 0; i < 4; i++) share(what, r, i + 1, p[i]);
        double rate = (double)failures(r, 5, RUNS) / RUNS;
        printf("# %s: random-different %.4f\n", what, rate);
        if (field == 0)
            LAB_CHECK("figure 2: p is harmless under random-different", rate == 0);
        else
            LAB_CHECK("figure 2: random-different lies between random and oldest",
                      rate > harm / 2 && rate < harm);
    }
}

/* Figure 9: none fails without an adversary or under `sc`, whatever the schedule; no benign one
 * ever does; every other one does under some heuristic. */
static void figure_9(const adversary_row *r) {
    bool benign = !strcmp(r->verdict, "benign");
    uint64_t quiet = 0, found = 0;
    for (int blocks = 0; blocks <= 1; blocks++) {
        lab_blocks = blocks;
        quiet += lab_failures(lab_random(r->test, FEW, LAB_FINE)) + failures(r, 1, FEW);
    }
    lab_blocks = false;
    for (unsigned c = 2; c < ADVERSARY_COLUMNS; c++) found += failures(r, c, benign ? 250 : FEW);
    bool right =
        lab_check(quiet == 0,
                  named("%s %s: never fails without an adversary", r->program, r->field), "it did");
    right &=
        lab_check(benign ? found == 0 : found > 0,
                  named("%s %s: %s", r->program, r->field, benign ? "never fails" : "is found"),
                  benign ? "it did" : "it was not");
    as_published += right;
}

int main(void) {
    check_then_use("figure 1", 0, 1);
    check_then_use("figure 8, m = 0", 0, 10);
    check_then_use("figure 8, m = 1", 1, 10);
    check_then_use("figure 8, m = 3", 3, 10);
    check_then_use("figure 8, m = 6", 6, 10);
    double_checked_locking(5);
    double_checked_locking(6);
    printf("# rates: %u of %u met\n", met, rates);
    for (unsigned i = 0; i < ADVERSARY_ROWS; i++) figure_9(&adversary_rows[i]);
    printf("# rows of figure 9: %u of %u as the paper has them\n", as_published, ADVERSARY_ROWS);
    return lab_end();
}
