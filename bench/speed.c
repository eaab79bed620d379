/* bench/speed.c: executions per CPU-second under a scheduler.
 *
 *     speed PROGRAM[:ROUNDS] GRANULARITY [STRATEGY [ANALYSES [MEMORY]]] EXECUTIONS
 *
 * (one of programs.h; fine or coarse; random; none, "default" or a list; c11 or sc) prints the
 * rate; run under callgrind with two counts of executions, the difference of the instructions
 * divided by that of the counts is the cost of one execution.
 */
#define RF_IMPLEMENTATION
#include "bench/programs.h"

/* As a worker does it. */
struct speed_loop {
    rfi_plan *plan;
    rfi_shared *shared;
    uint32_t index, to;
};

static bool speed_before(void *arg) {
    struct speed_loop *l = arg;
    if (l->index >= l->to) return false;
    rfi_job_next(l->plan, l->index++, &l->shared->record);
    return true;
}

static void speed_after(void *arg) {
    struct speed_loop *l = arg;
    rfi_worker_add(l->shared, true);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 7)
        return fprintf(stderr, "usage: speed PROGRAM[:ROUNDS] fine|coarse [STRATEGY [ANALYSES "
                               "[MEMORY]]] COUNT\n"),
               2;
    const char *strategy = argc > 4 ? argv[3] : "random", *detect = argc > 5 ? argv[4] : "none";
    char *rounds = strchr(argv[1], ':');
    if (rounds) {
        bench_rounds = atoi(rounds + 1);
        *rounds = 0;
    }
    rfi_test *test = rfi_test_named(argv[1]);
    if (!test) return fprintf(stderr, "no program %s\n", argv[1]), 2;
    rfi_job j = {.test = test,
                 .phase = RFI_PREDICT,
                 .seed = 1,
                 .strategy = rfi_strategy_named(strategy),
                 .fine = argv[2][0] == 'f',
                 .spurious = true,
                 .max_steps = RFI_DEFAULT_STEPS,
                 .stack_size = RFI_DEFAULT_STACK};
    if (!j.strategy) return fprintf(stderr, "no strategy %s\n", strategy), 2;
    if (strcmp(detect, "none"))
        j.analyses = rfi_analyses_of(strcmp(detect, "default") ? detect : NULL);
    if (argc > 6 && !strcmp(argv[5], "sc")) j.memory.atomics = RF_MEM_SC;
    j.asleep = ~UINT64_C(0); /* as after the first executions of a campaign */
    rfi_shared *s = rfi_shared_new();
    rfi_plan p;
    uint32_t n = (uint32_t)strtoul(argv[argc - 1], NULL, 10);
    rfi_engine_open(RFI_BACKEND_FIBER);
    rfi_sink_open();
    rfi_sink_tally = &s->tally;
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    clock_t begin = clock();
    struct speed_loop loop = {&p, s, 0, n};
    rfi_series series = {&p, &s->record, test, speed_before, speed_after, &loop};
    rfi_execute(&series);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (s->tally.failures) return fprintf(stderr, "it failed\n"), 1;
    printf("%-16s %-6s %12.0f executions/s %8.1f ns each, %6.1f ns a step, %.1f steps\n", argv[1],
           argv[2], n / seconds, seconds / n * 1e9, seconds / (double)s->tally.steps * 1e9,
           (double)s->tally.steps / n);
    return 0;
}
