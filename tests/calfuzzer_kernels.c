/* The kernels of CalFuzzer's benchmarks (Joshi, Naik, Park, Sen, CAV 2009, Table 1; tests/paper)
 * and of the lectures: which lock cycles and unserialisable blocks are predicted, and that those
 * that are real, and no others, are produced. */
#define RF_IMPLEMENTATION
#include "kernels.h"

#ifndef KERNELS_EXECUTIONS
# define KERNELS_EXECUTIONS "--executions=200"
#endif

typedef struct figures {
    uint32_t predicted, real, always, failed; /* always: produced whenever it was tried */
} figures;

static figures figures_of(const rfi_study *s, unsigned family) {
    figures f = {0};
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        if (w->family != family) continue;
        f.predicted++;
        f.real += w->hits || w->seen;
        f.always += w->hits && w->hits == w->executions;
        f.failed += w->failed_by_kind[__builtin_ctz(RF_EXPECT_FAILURE)] > 0;
    }
    printf("# %-22s %-9s predicted %2u, real %2u, produced always %2u, with failures %2u\n",
           s->result.test->options.rfi_name, rfi_family(family)->name, f.predicted, f.real,
           f.always, f.failed);
    return f;
}

static const rfi_study *study(const char *test) {
    return lab_study(test, KERNELS_EXECUTIONS, "--seconds=none", "--memory=c11", NULL);
}

static void test_known(const kernel_faults *k) {
    const rfi_study *s = study(k->test);
    figures cycles = figures_of(s, RF_FAMILY_DEADLOCK), blocks = figures_of(s, RF_FAMILY_ATOMICITY);
    LAB_CHECK(named("%s: real are the known faults, and nothing else", k->test),
              cycles.real == k->deadlocks && blocks.real == k->violations);
}

/* What a sound exclusion leaves of the lock orders. */
CASE(test_lock_orders) {
    figures f = figures_of(study("gate_locked"), RF_FAMILY_DEADLOCK);
    LAB_CHECK("a cycle behind a common gate is not predicted", !f.predicted);
    f = figures_of(study("start_and_join"), RF_FAMILY_DEADLOCK);
    LAB_CHECK("a cycle that start and join exclude is not predicted", !f.predicted);
    f = figures_of(study("jigsaw_shutdown"), RF_FAMILY_DEADLOCK);
    LAB_CHECK(
        "jigsaw: three of five cycles are real: the others need an order that a flag excludes",
        f.predicted == 5 && f.real == 3);
    f = figures_of(study("philosophers_7"), RF_FAMILY_DEADLOCK);
    LAB_CHECK("seven philosophers starve whenever the checker tries", f.always == 1);
}

CASE(test_blocks) {
    figures f = figures_of(study("string_buffer"), RF_FAMILY_ATOMICITY);
    LAB_CHECK("string_buffer: append is no atomic block, and fails", f.real == 1 && f.failed == 1);
    f = figures_of(lab_study("string_buffer", "--detect=hb,hybrid", NULL), RF_FAMILY_RACE);
    LAB_CHECK("string_buffer: there is no race", !f.predicted);
    f = figures_of(study("jspider"), RF_FAMILY_ATOMICITY);
    LAB_CHECK("jspider: violations do no harm", f.real == 2 && !f.failed);
}

int main(void) {
    for (unsigned i = 0; i < KERNEL_FAULTS; i++) test_known(&kernel_fault_table[i]);
    return lab_cases();
}
