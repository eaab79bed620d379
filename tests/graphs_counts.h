/* tests/graphs_counts.h: how many executions `graphs` finds of families of programs (families.h,
 * graphs_programs.h): as a formula, the oracle, `dpor`, or a walk says. */
#ifndef TESTS_GRAPHS_COUNTS_H
#define TESTS_GRAPHS_COUNTS_H
#include "graphs.h"
#include "graphs_programs.h"
#include "litmus/oracle.h"

static void count_cut(const char *test, uint32_t rounds, uint32_t executions, uint32_t blocked) {
    char title[96];
    const rfi_gstack *s = &rfi_g.stack;
    width = 2;
    unroll = rounds;
    bool done = explore(test, RF_MEM_C11, false);
    unroll = 0;
    snprintf(title, sizeof title, "%s, %u rounds: %u executions, %u cut", test, rounds, executions,
             blocked);
    lab_check(done && s->explored == executions && s->blocked == blocked && !s->flaw && *s->cut &&
                  !found.twice,
              title, rfi_graphs_strategy.summary());
}

/* `least` to `executions` of them: what a compiler leaves behind in a register counts as
 * remembered, and begins another round. */
static void count_about(const char *test, uint32_t n, uint32_t least, uint32_t executions,
                        bool fails) {
    char title[96];
    width = n;
    enough = executions;
    bool done = explore(test, RF_MEM_C11, false);
    enough = UINT64_MAX;
    const rfi_gstack *s = &rfi_g.stack;
    snprintf(title, sizeof title, "%s(%u): %u executions%s", test, n, executions,
             fails ? ", which fail" : "");
    snprintf(why, sizeof why, "%llu, %u failed, %u twice, %s", (unsigned long long)s->explored,
             found.failed, found.twice, rfi_graphs_strategy.summary());
    lab_check(done && s->explored >= least && s->explored <= executions &&
                  fails == (found.failed > 0) && fails == (s->flaw != RFI_G_SOUND) && !found.twice,
              title, why);
    printf("# and %llu blocked\n", (unsigned long long)s->blocked);
}

static void count(const char *test, uint32_t n, uint32_t executions, bool fails) {
    count_about(test, n, executions, executions, fails);
}

/* What tests/families.h makes of each width, from `from` on. */
static const struct {
    const char *test;
    uint32_t from, count[6];
} families[] = {
    {"adders", 1, {1, 2, 6, 24, 120, 720}},     /* n! */
    {"readers", 2, {2, 4, 8, 16, 32, 64}},      /* 2^(n-1) */
    {"writers", 2, {2, 6, 24, 120, 720}},       /* n! */
    {"buffers", 2, {4, 8, 16, 32, 64}},         /* 2^n */
    {"ordered", 2, {3, 7, 15, 31, 63}},         /* 2^n - 1 */
    {"chains", 2, {3, 7, 15, 31, 63}},          /* 2^n - 1 */
    {"lastzeros", 3, {5, 12, 28, 64, 144}},     /* (n+2) 2^(n-3) */
    {"fibonaccis", 1, {12, 180, 2800}},         /* (n+1) C(2n,n) C(2n+2,n+1) / 2 */
    {"comparers", 2, {2, 3, 4, 5, 6}},          /* n */
    {"rotations", 2, {2, 5, 14, 43, 144, 523}}, /* 1 + sum of (k-1) k^(n-k), k = 2 .. n */
    {"claimers", 2, {6, 66, 1200}},             /* as GenMC's casw */
    {"indexers", 11, {1, 8, 64, 512}},          /* 8^(n-11) */
    {"tickets", 2, {2, 6, 24}},                 /* n! */
    {"followers", 2, {2, 6, 24}},               /* n! */
    {"locks", 2, {2, 6, 24, 120}},              /* n! */
    {"sections", 1, {2, 6, 20, 70, 252, 924}},  /* C(2n,n) */
    {"lines", 1, {1, 6, 66, 1080}},             /* n! times a little Schroeder number */
    {"gatherings", 2, {2, 6, 24}},              /* n! */
    {"barriers", 2, {2, 6, 24}},                /* n! */
    {"onces", 2, {2, 3, 4, 5}},                 /* n */
    {"seqlocks", 2, {18, 324}},                 /* 18^(n-1) */
    {"copies", 2, {3, 9, 27}},                  /* 3^(n-1) */
    {"deques", 2, {59}},                        /* as GenMC's chase-lev */
    {"queues", 2, {86}},                        /* as partial orders, see below */
    {"stacks", 2, {36}},
};

static void count_families(void) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        for (uint32_t k = 0; k < 6 && families[i].count[k]; k++)
            count(families[i].test, families[i].from + k, families[i].count[k], false);
    count("lastzeros", 11, 3328, false);
}

/* The oracle counts those that are litmus programs, in both memories. */
static void compare_families(int programs) {
    struct litmus_reader in = {.name = "tests/litmus/families.txt"};
    struct litmus_program p;
    struct litmus_expected said;
    int n = 0;
    in.file = fopen(in.name, "r");
    if (!in.file) litmus_refuse(&in, "cannot be read");
    for (; litmus_read(&in, &p, &said); n++) {
        struct litmus_set set = {0};
        char test[LITMUS_NAME], title[96];
        snprintf(test, sizeof test, "%s", p.name);
        char *wide = strchr(test, '-');
        if (!wide) litmus_refuse(&in, "not of the form FAMILY-WIDTH");
        *wide = 0;
        width = (uint32_t)atoi(wide + 1);
        oracle_outcomes(&p, false, &set);
        bool good = explore(test, RF_MEM_C11, false) && rfi_g.stack.explored == set.executions;
        unsigned long long all = rfi_g.stack.explored;
        good &= explore(test, RF_MEM_SC, false) && rfi_g.stack.explored == set.interleaved;
        snprintf(title, sizeof title, "%s: %lu graphs, %lu under sc, as the oracle counts", p.name,
                 (unsigned long)set.executions, (unsigned long)set.interleaved);
        snprintf(why, sizeof why, "%llu, and %llu", all, (unsigned long long)rfi_g.stack.explored);
        lab_check(good, title, why);
        litmus_clear(&set);
    }
    fclose(in.file);
    if (n != programs) litmus_refuse(&in, "not the expected number of programs");
}

/* Under sc there are as many graphs as partial orders, which dpor goes through in another way, but
 * for those with rounds that come to nothing: they are blocked. */
static void compare_orders(const char *test, uint32_t n, uint32_t blocked) {
    char title[96];
    width = n;
    bool good = explore_by(&rfi_dpor, test, RF_MEM_SC, false) && !found.failed;
    unsigned long long orders = rfi_dpor_traces.explored;
    good &=
        explore(test, RF_MEM_SC, false) && rfi_g.stack.explored + blocked == orders && !found.twice;
    good &= rfi_g.stack.blocked == blocked;
    snprintf(title, sizeof title, "%s(%u): as many graphs under sc as partial orders", test, n);
    snprintf(why, sizeof why, "%llu and %llu", (unsigned long long)rfi_g.stack.explored, orders);
    lab_check(good, title, why);
}

static void count_all(void) {
    count_families();
    compare_families(13);
    compare_orders("stacks", 2, 4);
    compare_orders("queues", 2, 0);
    compare_orders("deques", 2, 0);
    compare_orders("deques", 3, 0);
    compare_orders("claimers", 4, 0);
    compare_orders("fibonaccis", 3, 0);
    compare_orders("indexers", 13, 0);
    for (uint32_t n = 2, all = 2; n <= 4; all *= ++n) count("exchanges", n, all, false);
    for (uint32_t n = 2, all = 2; n <= 4; all *= ++n) count("exchanges_announced", n, all, false);
    count("looks_announced", 200, 201, false);
    for (uint32_t n = 1; n <= 6; n++) {
        count("twin_adders", n, 1, false);
        count("twin_tickets", n, 1, false);
        count("twin_locks", n, 1, false);
    }
    count("waiter", 2, 1, false);
    count("awaited", 3, 3, false);
    count_about("fenced", 2, 4, 6, false);
    count("scanned", 2, 1, false);
    const uint32_t catalan[] = {1, 2, 5, 14};
    for (uint32_t n = 0; n < 4; n++) count("counted", n, catalan[n], false);
    for (uint32_t n = 0; n < 4; n++) count("counted_deep", n, catalan[n], false);
    for (uint32_t n = 0; n < 4; n++) count("counted_beside", n, catalan[n], false);
    for (uint32_t way = BY_MUTEX; way <= BY_CAS; way++)
        count("tried", way, way < TRIED_LOCKS ? 3 : 2, false);
    counts_rounds = true;
    for (width = BY_MUTEX; width <= BY_CAS; width++) {
        explore("tried", RF_MEM_C11, false);
        lab_check(rfi_g.stack.flaw == RFI_G_COUNTS, "rounds that are counted prove nothing",
                  rfi_graphs_strategy.summary());
    }
    counts_rounds = false;
    count("skipped", 1, 3, false);
    count("skipped_or_wrong", 1, 3, true);
    count("tries", 2, 4, false);
    count("weak_twice", 1, 2, false); /* it fails, and then not again */
    count("weak_adders", 1, 2, false);
    count("weak_adders", 2, 28, false);
    unroll = 3;
    count("weak_twice", 1, 3, false);
    unroll = 0;
    for (uint32_t n = 1, all = 1; n <= 4; all *= ++n) count("swaps", n, all, false);
    count_about("petersons", 2, 4, 8, false); /* 4 of them end with their first rounds */
    count("vain", 1, 1, true);
    count("created", 1, 3, false);
    count("begun_behind_fence", 1, 3, false);
    count("joined", 1, 3, false);
    count("inversion", 2, 3, true);
    width = 2;
    explore("shared", RF_MEM_C11, false);
    LAB_CHECK("readers do not come after each other", rfi_g.stack.flaw == RFI_G_SOUND);
    width = 3;
    explore("shared", RF_MEM_C11, false);
    LAB_CHECK("so writes under read locks race", rfi_g.stack.flaw == RFI_G_RACE);
    for (uint32_t n = 1, all = 2; n <= 4; all = all * (2 * (2 * n + 1)) / (n + 1), n++)
        count_cut("adders_for_ever", n, 0, all);
    for (uint32_t n = 1; n <= 4; n++) count_cut("swaps_told", n, 2 * n, 2);
    count_cut("kept", 3, 0, 2);
    width = unroll = 2;
    explore("nested", RF_MEM_C11, false);
    LAB_CHECK("rounds of inner loops are counted anew", found.graphs == 70 && !*rfi_g.stack.cut);
    unroll = 0;
}

/* Walks say, on average, how many executions there are. */
static void estimate(const char *test, uint32_t n, uint32_t executions) {
    char title[96];
    width = n;
    explore(test, RF_MEM_C11, false);
    double all = (double)(rfi_g.stack.explored + rfi_g.stack.blocked - rfi_g.stack.before);
    walks = executions;
    explore(test, RF_MEM_C11, false);
    walks = 0;
    double said = rfi_g.walks.sum / rfi_g.walks.done;
    snprintf(title, sizeof title, "%s(%u): estimated by walks", test, n);
    snprintf(why, sizeof why, "%.1f of %.0f, by %u walks", said, all, rfi_g.walks.done);
    lab_check(said > 0.9 * all && said < 1.1 * all, title, why);
    printf("# %s\n", why);
}
#endif
