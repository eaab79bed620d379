/* bench/cost.c: code to be counted in instructions.
 *
 *     cost WHAT COUNT
 *
 * does WHAT COUNT times inside an execution: a load without racefuzz (plain), disarmed accesses
 * (load, store), a store that is looked at but not scheduled (watched), one that is scheduled while
 * another thread is enabled, and after which the same thread goes on (decision).  Two counts under
 * callgrind give the cost of one.
 */
#define RF_IMPLEMENTATION
#include "racefuzz.h"

static unsigned long cost_count;
static volatile int cost_word;
static int cost_sum;

static void cost_plain(void) {
    for (unsigned long i = 0; i < cost_count; i++) cost_sum += cost_word;
}

static void cost_load(void) {
    for (unsigned long i = 0; i < cost_count; i++) cost_sum += RF_LOAD(cost_word);
}

static void cost_plain_store(void) {
    for (unsigned long i = 0; i < cost_count; i++) cost_word = 1;
}

static void cost_store(void) {
    for (unsigned long i = 0; i < cost_count; i++) RF_STORE(cost_word, 1);
}

static const struct cost_kind {
    const char *name;
    void (*run)(void);
    unsigned mode;
} cost_kinds[] = {{"plain", cost_plain, 0},
                  {"load", cost_load, 0},
                  {"plain-store", cost_plain_store, 0},
                  {"store", cost_store, 0},
                  {"watched", cost_store, RFI_WATCH},
                  {"decision", cost_store, RFI_POINT}};

static const struct cost_kind *cost_kind;

static void *cost_other(void *arg) {
    RF_YIELD();
    return arg;
}

RF_TEST(cost) {
    rf_thread t = RF_THREAD(cost_other, NULL);
    cost_kind->run();
    RF_JOIN(t);
}

/* Stays with the thread of the last step while it can go on. */
static void cost_begin(uint64_t seed) { (void)seed; }
static uint32_t cost_stay(const rf_choice *c) {
    return rf_choice_has(c, c->last) ? c->last : rf_choice_at(c, 0);
}
static const rf_strategy cost_strategy = {.name = "stay", .begin = cost_begin, .pick = cost_stay};

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: cost WHAT COUNT\n"), 2;
    for (size_t i = 0; i < sizeof cost_kinds / sizeof *cost_kinds; i++)
        if (!strcmp(argv[1], cost_kinds[i].name)) cost_kind = &cost_kinds[i];
    if (!cost_kind) return fprintf(stderr, "cost: no kind %s\n", argv[1]), 2;
    cost_count = strtoul(argv[2], NULL, 10);
    rfi_record *r = rfi_pages(sizeof *r, false);
    rfi_job j = {.test = rfi_test_named("cost"),
                 .phase = RFI_PREDICT,
                 .fine = cost_kind->mode == RFI_POINT,
                 .max_steps = UINT64_MAX,
                 .stack_size = RFI_DEFAULT_STACK};
    rfi_plan p;
    rfi_engine_open(RFI_BACKEND_FIBER);
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    p.strategy = &cost_strategy;
    if (cost_kind->mode == RFI_WATCH) {
        p.mode = RFI_WATCH;
        p.arm = rfi_arm_all;
    }
    rfi_job_run(&j, &p, 0, r);
    return r->failure.diagnostic != RF_DIAG_NONE;
}
