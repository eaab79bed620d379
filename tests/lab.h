/* tests/lab.h: experiments on the engine, in this process.
 *
 * A test program defines RF_IMPLEMENTATION, includes this file instead of racefuzz.h, registers
 * programs with RF_TEST, and measures them in its own main:
 *
 *     const rfi_study *s = lab_study("figure1", "--executions=2000", NULL);   the whole campaign
 *     const rfi_tally *t = lab_random("figure1", 2000, LAB_FINE);             phase 1 only
 *     t = lab_confirm("figure1", 5, 'R', 7, 'W', 2000, LAB_COARSE);           RaceFuzzer on a pair
 *     t = lab_adversary("figure1", 5, 'R', 7, 'W', RF_PICK_OLDEST, 2000, LAB_FINE);
 *                                                  phase 3: the pair's variable is adversarial
 *     lab_blocks = true;                           threads run until they block, not at random
 *
 * Statements are named by the line they stand on and their kind.  Results stay until the next call.
 */
#ifndef LAB_H
#define LAB_H
#include "racefuzz.h"
#include "tests/cases.h"
#include "tests/night.h"
#include "tests/thread.h"

#define LAB_FINE   true
#define LAB_COARSE false

static unsigned lab_passed, lab_failed;
static rfi_campaign lab_campaign;
static rfi_study lab_the_study;
static rfi_tally lab_tally;

static inline bool lab_check(bool ok, const char *name, const char *why) {
    printf("%s %s%s%s\n", ok ? "ok" : "not ok", name, ok ? "" : ": ", ok ? "" : why);
    *(ok ? &lab_passed : &lab_failed) += 1;
    return ok;
}
#define LAB_CHECK(name, condition) lab_check((condition), (name), #condition)

static inline int lab_end(void) {
    printf("%u passed, %u failed\n", lab_passed, lab_failed);
    return lab_failed != 0;
}
static inline int lab_cases(void) { return cases(), lab_end(); }

static inline void lab_silent_run(FILE *out, const rfi_summary *s) { (void)out, (void)s; }
static inline void lab_silent_test(FILE *out, const rfi_test *t) { (void)out, (void)t; }
static inline void lab_silent_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    (void)out, (void)r, (void)f;
}
static inline void lab_silent_result(FILE *out, const rfi_result *r) { (void)out, (void)r; }
static const rfi_reporter lab_silent = {"silent",
                                        lab_silent_run,
                                        lab_silent_test,
                                        lab_silent_finding,
                                        lab_silent_result,
                                        lab_silent_run,
                                        true};

/* Opens the engine in this process, once. */
static inline void lab_open(void) {
    if (lab_campaign.reporter) return;
    rfi_settings_read(&lab_campaign.settings, rfi_names_all(), 0, NULL);
    lab_campaign.reporter = &lab_silent;
    lab_campaign.out = stdout;
    lab_campaign.team.watchdog = 60;
    rfi_team_open(&lab_campaign.team, 0);
    rfi_engine_open(lab_campaign.settings.backend);
    rfi_sink_open();
}

/* The campaign of a test under command line options (NULL-terminated). */
static inline const rfi_study *lab_study(const char *test, ...) {
    const char *argv[32] = {"lab", "--seconds=none"}; /* no machine is too slow */
    int argc = 2;
    va_list ap;
    va_start(ap, test);
    while (argc < 31 && (argv[argc] = va_arg(ap, const char *)) != NULL) argc++;
    va_end(ap);
    lab_open();
    if (rfi_settings_read(&lab_campaign.settings, rfi_names_all(), argc, (char **)(uintptr_t)argv))
        exit(2);
    rfi_campaign_test(&lab_campaign, &lab_the_study, rfi_test_named(test));
    return &lab_the_study;
}

/* The same thread for as long as it can go on, then one that is drawn: schedules as quiet as a
 * machine's. */
static rf_prng lab_block_stream;
static inline void lab_block_begin(uint64_t seed) { lab_block_stream = (rf_prng){seed}; }
static inline uint32_t lab_block_pick(const rf_choice *c) {
    return rf_choice_has(c, c->last) ? c->last
                                     : rf_choice_at(c, rfi_below(&lab_block_stream, c->count));
}
static const rf_strategy lab_block = {.name = "block",
                                      .help = "runs a thread until it blocks",
                                      .begin = lab_block_begin,
                                      .pick = lab_block_pick};
static bool lab_blocks; /* later jobs run under lab_block, in this process */

static inline void lab_job_blocked(const rfi_job *j, uint32_t n) {
    rfi_record *r = &lab_campaign.team.here->record;
    rfi_plan p;
    rfi_job_arm(j);
    rfi_job_plan(j, false, &p);
    p.strategy = &lab_block;
    rfi_plan_complete(&p);
    for (uint32_t i = 0; i < n; i++) {
        rfi_job_run(j, &p, i, r);
        rfi_tally_execution(&lab_tally, r);
    }
}

/* Execution `index` of a job, in this process; `trace`: with its events. */
static inline rfi_record *lab_run(const rfi_job *j, uint32_t index, bool trace) {
    static rfi_plan p;
    lab_open();
    rfi_job_arm(j);
    rfi_job_plan(j, trace, &p);
    rfi_sink_tally = &lab_tally;
    rfi_job_run(j, &p, index, &lab_campaign.team.here->record);
    return &lab_campaign.team.here->record;
}

/* Runs executions 0..n-1 of a job. */
static inline const rfi_tally *lab_job(const rfi_job *j, uint32_t n) {
    rfi_span all = {0, n};
    lab_open();
    lab_campaign.team.deadline = 0;
    lab_campaign.team.capped = false;
    rfi_tally_reset(&lab_tally);
    if (lab_blocks)
        lab_job_blocked(j, n);
    else
        rfi_team_run(&lab_campaign.team, j, &all, &lab_tally);
    return &lab_tally;
}

static inline rfi_job lab_job_of(const char *test, unsigned phase, bool fine) {
    rfi_test *t = rfi_test_named(test);
    if (!t) rfi_die("no test %s", test);
    return (rfi_job){.test = t,
                     .phase = phase,
                     .seed = 1,
                     .fine = fine,
                     .spurious = !t->options.no_spurious,
                     .max_steps = t->options.max_steps ? t->options.max_steps : RFI_DEFAULT_STEPS,
                     .stack_size = RFI_DEFAULT_STACK};
}

/* Random schedules without detectors. */
static inline const rfi_tally *lab_random(const char *test, uint32_t n, bool fine) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, fine);
    return lab_job(&j, n);
}

/* The one statement of kind 'R' or 'W' on a line; it must have been executed before. */
static inline const rf_site *lab_site(uint32_t line, char kind) {
    const rf_site *found = NULL;
    for (uint32_t i = 0; i < rfi_site_table.count; i++) {
        const rf_site *s = rfi_site_table.site[i];
        if (!s || s->line != line || s->kind != (kind == 'R' ? RF_SITE_READ : RF_SITE_WRITE))
            continue;
        if (found) rfi_die("line %u names two statements of kind %c", line, kind);
        found = s;
    }
    return found;
}

/* Makes the statements of a test known: a traced execution numbers all it meets. */
static inline void lab_look(const char *test) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    for (uint32_t i = 0; i < 500; i++) (void)lab_run(&j, i, true);
}

/* A job about two statements. */
static inline rfi_job lab_job_about(const char *test, unsigned phase, uint32_t a, char kind_a,
                                    uint32_t b, char kind_b, bool fine) {
    if (!lab_site(a, kind_a) || !lab_site(b, kind_b)) lab_look(test);
    rfi_job j = lab_job_of(test, phase, fine);
    j.site[0] = lab_site(a, kind_a);
    j.site[1] = lab_site(b, kind_b);
    for (unsigned i = 0; i < 2; i++) {
        if (!j.site[i])
            rfi_die("%s: no statement of kind %c at line %u", test, i ? kind_b : kind_a, i ? b : a);
        j.target[i] = rfi_site_key(j.site[i]);
    }
    return j;
}

/* A job about the two statements of a warning. */
static inline rfi_job lab_job_on(const char *test, unsigned phase, const rfi_warning *w,
                                 bool fine) {
    rfi_job j = lab_job_of(test, phase, fine);
    for (unsigned i = 0; i < 2; i++) {
        j.site[i] = w->side[i].site;
        j.target[i] = rfi_site_key(j.site[i]);
    }
    return j;
}

static inline const rfi_tally *lab_confirm(const char *test, uint32_t a, char kind_a, uint32_t b,
                                           char kind_b, uint32_t n, bool fine) {
    rfi_job j = lab_job_about(test, RFI_CONFIRM, a, kind_a, b, kind_b, fine);
    return lab_job(&j, n);
}

/* Random schedules in which reads of what the two statements touch are answered by a heuristic. */
static inline const rfi_tally *lab_adversary(const char *test, uint32_t a, char kind_a, uint32_t b,
                                             char kind_b, rf_heuristic pick, uint32_t n,
                                             bool fine) {
    rfi_job j = lab_job_about(test, RFI_ADVERSARY, a, kind_a, b, kind_b, fine);
    j.pick = pick;
    return lab_job(&j, n);
}

/* Does a token, when everything learned is forgotten, lead to the execution that it names? */
static inline bool lab_token_replays(const char *text) {
    static rfi_token t;
    char reason[256];
    if (!rfi_token_read(text, &t, reason, sizeof reason)) return false;
    if (t.job.strategy && t.job.strategy->forget) t.job.strategy->forget();
    t.job.test = rfi_test_named(t.test);
    return rfi_token_compare(&t, rfi_team_replay(&lab_campaign.team, &t.job, t.index), reason,
                             sizeof reason);
}

/* Does that of an execution, which is put into `text`? */
static inline bool lab_replays(const rfi_job *j, uint64_t index, char text[RFI_TOKEN_BYTES]) {
    rfi_token_write(j, index, rfi_team_replay(&lab_campaign.team, j, index), text);
    printf("# %s\n", text);
    return lab_token_replays(text);
}

/* In how many executions a job failed. */
static inline uint64_t lab_failures(const rfi_tally *t) {
    uint64_t n = t->failures_left_out;
    for (uint32_t i = 0; i < t->failures; i++) n += t->failure[i].count;
    return n;
}

/* The pair that a study predicted at two lines of this file (in either order); NULL if it did not.
 */
static inline const rfi_warning *lab_pair(const rfi_study *s, uint32_t a, char kind_a, uint32_t b,
                                          char kind_b) {
    const rf_site *x = lab_site(a, kind_a), *y = lab_site(b, kind_b);
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *p = &s->result.warning[i];
        uint64_t key = rfi_pair_key(rfi_site_key(x), rfi_site_key(y));
        if (p->key == key) return p;
    }
    return NULL;
}

/* Is k of n within the 99.9 % interval around p?  The normal approximation with z = 3.29 and a
 * correction of one half a count. */
static inline bool lab_within(uint64_t k, uint64_t n, double p) {
    double diff = (double)k - (double)n * p;
    if (p <= 0 || p >= 1) return diff == 0;
    if (diff < 0) diff = -diff;
    diff -= 0.5;
    return diff <= 0 || diff * diff <= 3.29 * 3.29 * (double)n * p * (1 - p);
}

/* Shows that an event of probability p happened in k of n executions, within that interval. */
static inline bool lab_share(const char *name, uint64_t k, uint64_t n, double p) {
    char why[96];
    snprintf(why, sizeof why, "%llu of %llu, expected %.6g", (unsigned long long)k,
             (unsigned long long)n, (double)n * p);
    printf("# %s: %s\n", name, why);
    return lab_check(n > 0 && lab_within(k, n, p), name, why);
}

/* Has anything that was warned of happened? */
static inline bool lab_real(const rfi_study *s) {
    for (uint32_t i = 0; i < s->result.warnings; i++)
        if (s->result.warning[i].hits || s->result.warning[i].seen) return true;
    return false;
}

/* In how many executions RF_FAIL said exactly this. */
static inline uint64_t lab_said(const rfi_tally *t, const char *message) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < t->failures; i++)
        if (!strcmp(t->failure[i].failure.message, message)) n += t->failure[i].count;
    return n;
}
#endif
