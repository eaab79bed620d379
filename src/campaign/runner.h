/* campaign/runner.h: what runners of tests say in the environment (docs/scale.md has the table).
 *
 * Which part of the work is this process's, which tests are wanted, and when it must be over.  All
 * of it is only a default: RF_ variables and options win.
 */
#ifndef RFI_CAMPAIGN_RUNNER_H
#define RFI_CAMPAIGN_RUNNER_H
#include "campaign/filter.h"
#include "campaign/options.h"

#ifdef RFI_IMPL
/* Where a runner says which of how many a process is. */
typedef struct rfi_runner {
    const char *index, *total; /* total NULL: it does not say, --shard=auto/N does */
    const char *status;        /* a file to be touched by who divides the work; may be NULL */
    const char *first, *step;  /* the least index, and from one to the next; NULL: `from`, 1 */
    uint32_t from;
    const char *job, *tasks; /* where `job` is set, nothing counts unless `tasks` equals `total` */
} rfi_runner;

RFI_VAR const rfi_runner rfi_runners[] = {
    {.index = "TEST_SHARD_INDEX", /* Bazel */
     .total = "TEST_TOTAL_SHARDS",
     .status = "TEST_SHARD_STATUS_FILE"},
    {.index = "GTEST_SHARD_INDEX",
     .total = "GTEST_TOTAL_SHARDS",
     .status = "GTEST_SHARD_STATUS_FILE"},
    {.index = "SLURM_ARRAY_TASK_ID",
     .total = "SLURM_ARRAY_TASK_COUNT",
     .first = "SLURM_ARRAY_TASK_MIN",
     .step = "SLURM_ARRAY_TASK_STEP"},
    /* the script of a batch job has the first two as well, and is alone */
    {.index = "SLURM_PROCID",
     .total = "SLURM_NTASKS",
     .job = "SLURM_JOB_ID",
     .tasks = "SLURM_STEP_NUM_TASKS"},
    {.index = "JOB_COMPLETION_INDEX"},                               /* Kubernetes */
    {.index = "CI_NODE_INDEX", .total = "CI_NODE_TOTAL", .from = 1}, /* GitLab */
    {.index = "CIRCLE_NODE_INDEX", .total = "CIRCLE_NODE_TOTAL"},
    {.index = "BUILDKITE_PARALLEL_JOB", .total = "BUILDKITE_PARALLEL_JOB_COUNT"},
    {.index = "PARALLEL_SEQ", .from = 1}}; /* GNU parallel */

/* The number in a variable; false: there is none. */
RFI_FN bool rfi_runner_number(const char *variable, uint64_t *number) {
    const char *s = variable ? getenv(variable) : NULL;
    char *end;
    if (!s || *s < '0' || *s > '9') return false;
    errno = 0;
    *number = strtoull(s, &end, 10);
    return !*end && !errno;
}

RFI_FN RFI_COLD int rfi_runner_refuse(const rfi_runner *r, uint64_t total) {
    fprintf(stderr, "racefuzz: %s=%s is not one of %llu shards (%s); --shard=I/N wins over it\n",
            r->index, getenv(r->index), (unsigned long long)total, r->total ? r->total : "--shard");
    return 2;
}

/* This process's part of `total`, if that is what the runner says; 0 or 2. */
RFI_FN int rfi_runner_part(const rfi_runner *r, uint64_t total, rfi_settings *s) {
    uint64_t index, first = r->from, step = 1;
    if (!rfi_runner_number(r->index, &index)) return rfi_runner_refuse(r, total);
    if (r->first) (void)rfi_runner_number(r->first, &first);
    if (r->step && (!rfi_runner_number(r->step, &step) || !step)) step = 1;
    if (index < first || (index - first) / step >= total) return rfi_runner_refuse(r, total);
    s->shard = (uint32_t)((index - first) / step) + 1;
    s->shards = (uint32_t)total;
    s->shard_from = r->index;
    return 0;
}

/* Has a variable a value? */
RFI_FN bool rfi_runner_says(const char *variable) {
    const char *s = variable ? getenv(variable) : NULL;
    return s && *s;
}

/* Are index and total this process's?  A job that was submitted from a step inherits what the step
 * had; only the number of tasks is then another one. */
RFI_FN bool rfi_runner_counts(const rfi_runner *r) {
    if (!rfi_runner_says(r->job)) return true;
    return rfi_runner_says(r->tasks) && rfi_runner_says(r->total) &&
           !strcmp(getenv(r->tasks), getenv(r->total));
}

/* What is wrong with how many shards a runner says there are, which would let all of them run the
 * same; 0: nothing, and *total is 0 if it does not divide. */
RFI_FN int rfi_runner_total(const rfi_runner *r, uint64_t *total) {
    *total = 0;
    if (!rfi_runner_says(r->total) || !rfi_runner_counts(r)) return 0;
    bool number = rfi_runner_number(r->total, total) && *total <= UINT32_MAX;
    if (number && (getenv(r->index) || !r->status || *total < 2)) {
        *total *= getenv(r->index) != NULL;
        return 0;
    }
    if (!number && !getenv(r->index)) return *total = 0, 0;
    fprintf(stderr, "racefuzz: %s=%s", r->total, getenv(r->total));
    fprintf(stderr, number ? ", but %s is not set" : ", with %s, is no number of shards", r->index);
    fputs("; --shard=I/N wins over it\n", stderr);
    return 2;
}

/* The outermost runner that divides work; it is told that we do. */
RFI_FN int rfi_runner_divides(rfi_settings *s) {
    for (unsigned i = 0; i < RFI_LENGTH(rfi_runners); i++) {
        const rfi_runner *r = &rfi_runners[i];
        uint64_t total;
        int wrong = rfi_runner_total(r, &total);
        if (wrong) return wrong;
        if (!total) continue;
        const char *status = r->status ? getenv(r->status) : NULL;
        int file = status ? open(status, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
        if (file >= 0) RFI_REAL(close)(file);
        return rfi_runner_part(r, total, s);
    }
    return 0;
}

/* --shard=auto/N: which of N, the runner says. */
RFI_FN int rfi_runner_numbers(rfi_settings *s) {
    for (unsigned i = 0; i < RFI_LENGTH(rfi_runners); i++)
        if (rfi_runner_says(rfi_runners[i].index) && rfi_runner_counts(&rfi_runners[i]))
            return rfi_runner_part(&rfi_runners[i], s->shards, s);
    fputs("racefuzz: --shard=auto/N: no variable says which shard this is; known are", stderr);
    for (unsigned i = 0; i < RFI_LENGTH(rfi_runners); i++)
        fprintf(stderr, "%s %s", i ? "," : "", rfi_runners[i].index);
    fputc('\n', stderr);
    return 2;
}

/* GoogleTest's filter, POSITIVE:POSITIVE-NEGATIVE:NEGATIVE, of whole names, as one of ours. */
RFI_FN const char *rfi_runner_filter(const char *gtest) {
    static char *ours; /* for the life of the process */
    size_t room = 3 * strlen(gtest) + 2, n = 0;
    bool out = false, start = true;
    RFI_REAL(free)(ours);
    ours = RFI_REAL(malloc)(room);
    if (!ours) rfi_die("out of memory (a filter of %zu bytes)", room);
    for (const char *s = gtest; *s; s++) {
        if (*s == '-' && !out) {
            out = start = true;
        } else if (*s == ':') {
            start = true;
        } else {
            if (start && n) ours[n++] = ',';
            if (start && out) ours[n++] = '-';
            if (start) ours[n++] = '=';
            ours[n++] = *s;
            start = false;
        }
    }
    ours[n] = 0;
    return n && rfi_filter_valid(ours) ? ours : NULL;
}

/* Other wishes than a part of the work. */
RFI_FN void rfi_runner_wishes(rfi_settings *s) {
    const char *filter = getenv("GTEST_FILTER"), *only = getenv("TESTBRIDGE_TEST_ONLY");
    const char *fast = getenv("TESTBRIDGE_TEST_RUNNER_FAIL_FAST");
    uint64_t n;
    if (filter) s->filter = rfi_runner_filter(filter);
    if (only && rfi_filter_valid(only)) s->filter = only;
    s->fail_fast = fast && !strcmp(fast, "1");
    if (rfi_runner_number("TEST_TIMEOUT", &n)) s->timeout = (double)n;
    if (rfi_runner_number("TEST_RANDOM_SEED", &n)) s->seed = n;
    if (rfi_runner_number("MESON_TEST_ITERATION", &n)) {
        s->seed = n;
        s->error_status = 99;
    }
}

/* Exists while the process runs: who finds it afterwards knows that it has not come to its end. */
RFI_FN void rfi_runner_begins(void) {
    const char *path = getenv("TEST_PREMATURE_EXIT_FILE");
    int file =
        path && *path ? RFI_REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (file >= 0) RFI_REAL(close)(file);
}

RFI_FN void rfi_runner_ends(void) {
    const char *path = getenv("TEST_PREMATURE_EXIT_FILE");
    if (path && *path) unlink(path);
}
#endif
#endif
