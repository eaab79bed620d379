/* bench/detectors.c: what an access costs under each detector.
 *
 *     detectors ANALYSES KIND LOCATIONS THREADS COUNT
 *
 * runs COUNT operations of KIND in all and prints CPU nanoseconds for each: loads and stores, in
 * turn, of data that each thread has for itself (own); loads of data that all threads read
 * (shared); loads and stores of data under one lock, sixteen at a time (locked); lock and unlock
 * (lock).  ANALYSES are names with commas between them, or none: then accesses are not looked at.
 * Accesses are watched and not scheduled.  Compiled with RF_OFF it is the same program on real
 * threads, for other tools; ANALYSES count for nothing then.
 */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DETECTORS_BURST 16

static struct detectors {
    const char *kind;
    unsigned long locations, count; /* count: of one thread */
    unsigned threads;
    int *data;
    double nanoseconds;
} detectors;
static rf_mutex detectors_mutex = RF_MUTEX_INIT;

static void detectors_own(unsigned long from, unsigned long to) {
    int *data = detectors.data;
    for (unsigned long i = from, n = detectors.count / 2; n; n--) {
        RF_STORE(data[i], RF_LOAD(data[i]) + 1);
        if (++i == to) i = from;
    }
}

static void detectors_shared(void) {
    const int *data = detectors.data;
    int sum = 0;
    for (unsigned long i = 0, n = detectors.count; n; n--) {
        sum += RF_LOAD(data[i]);
        if (++i == detectors.locations) i = 0;
    }
    __asm__ volatile("" : : "r"(sum)); /* it is wanted */
}

static void detectors_locked(void) {
    int *data = detectors.data;
    for (unsigned long i = 0, n = detectors.count / DETECTORS_BURST; n; n--) {
        RF_LOCK(&detectors_mutex);
        for (unsigned k = 0; k < DETECTORS_BURST / 2; k++) {
            RF_STORE(data[i], RF_LOAD(data[i]) + 1);
            if (++i == detectors.locations) i = 0;
        }
        RF_UNLOCK(&detectors_mutex);
    }
}

static void detectors_lock(void) {
    for (unsigned long n = detectors.count; n; n--) {
        RF_LOCK(&detectors_mutex);
        RF_UNLOCK(&detectors_mutex);
    }
}

static void *detectors_thread(void *arg) {
    unsigned long me = (unsigned long)((char *)arg - (char *)NULL);
    unsigned long share = detectors.locations / detectors.threads;
    if (!strcmp(detectors.kind, "own")) detectors_own(me * share, (me + 1) * share);
    if (!strcmp(detectors.kind, "shared")) detectors_shared();
    if (!strcmp(detectors.kind, "locked")) detectors_locked();
    if (!strcmp(detectors.kind, "lock")) detectors_lock();
    return NULL;
}

/* Each of the threads does `count` operations; returns CPU nanoseconds. */
static double detectors_round(unsigned long count) {
    rf_thread *t = calloc(detectors.threads, sizeof *t);
    if (!t) abort();
    detectors.count = count;
    clock_t begin = clock();
    for (unsigned i = 0; i < detectors.threads; i++)
        t[i] = RF_THREAD(detectors_thread, (char *)NULL + i);
    for (unsigned i = 0; i < detectors.threads; i++) RF_JOIN(t[i]);
    free(t);
    return (double)(clock() - begin) * (1e9 / CLOCKS_PER_SEC);
}

/* Once without the clock, so that pages and records are there. */
static void detectors_body(void) {
    unsigned long count = detectors.count, each = detectors.locations / detectors.threads;
    detectors_round(2 * (*detectors.kind == 'o' ? each : detectors.locations));
    detectors.nanoseconds = detectors_round(count);
}

#ifdef RF_OFF
static int detectors_run(const char *analyses) {
    (void)analyses;
    detectors_body();
    return 0;
}
#else
RF_TEST(detectors) { detectors_body(); }

/* Stays with the thread of the last step while it can go on. */
static void detectors_begin(uint64_t seed) { (void)seed; }
static uint32_t detectors_stay(const rf_choice *c) {
    return rf_choice_has(c, c->last) ? c->last : rf_choice_at(c, 0);
}
static const rf_strategy detectors_strategy = {
    .name = "stay", .begin = detectors_begin, .pick = detectors_stay};

static void detectors_choose(rfi_plan *p, const char *names) {
    p->analyses = 0;
    while (strcmp(names, "none") && *names) {
        size_t n = strcspn(names, ","), i = 0, all = sizeof rfi_analyses / sizeof *rfi_analyses;
        while (i < all && (strncmp(rfi_analyses[i]->name, names, n) || rfi_analyses[i]->name[n]))
            i++;
        if (i == all) rfi_die("no analysis %s", names);
        p->analysis[p->analyses++] = rfi_analyses[i];
        names += n + (names[n] == ',');
    }
}

static int detectors_run(const char *analyses) {
    rfi_record *r = rfi_pages(sizeof *r, false);
    rfi_job j = {.test = rfi_test_named("detectors"),
                 .phase = RFI_PREDICT,
                 .max_steps = UINT64_MAX,
                 .stack_size = (size_t)32 << 10};
    rfi_plan p;
    rfi_engine_open(RFI_BACKEND_FIBER);
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    p.strategy = &detectors_strategy;
    detectors_choose(&p, analyses);
    rfi_plan_complete(&p);
    rfi_job_run(&j, &p, 0, r);
    return r->failure.diagnostic != RF_DIAG_NONE;
}
#endif

int main(int argc, char **argv) {
    if (argc != 6)
        return fprintf(stderr, "usage: detectors ANALYSES KIND LOCATIONS THREADS COUNT\n"), 2;
    detectors.kind = argv[2];
    detectors.locations = strtoul(argv[3], NULL, 10);
    detectors.threads = (unsigned)strtoul(argv[4], NULL, 10);
    detectors.count = strtoul(argv[5], NULL, 10) / detectors.threads;
    detectors.data = calloc(detectors.locations, sizeof *detectors.data);
    if (!detectors.data) return perror("detectors"), 2;
    int result = detectors_run(argv[1]);
    printf("%.2f\n", detectors.nanoseconds / (double)(detectors.count * detectors.threads));
    return result;
}
