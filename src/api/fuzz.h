/* api/fuzz.h: tests as targets of fuzzers (docs/scale.md, Fuzzers).
 *
 * The fuzzer has main, and calls LLVMFuzzerTestOneInput with one input after the other, each of
 * which decides one execution of the test (explore/input.h), in this process.  It is told what
 * they cover by extra counters: libFuzzer's section for them, or places in AFL++'s map, which it
 * gives to what asks for them as instrumented code does.  An execution that fails is told with its
 * token, and the process aborts: so the fuzzer keeps the input.
 */
#ifndef RFI_API_FUZZ_H
#define RFI_API_FUZZ_H
#include "explore/input.h"

/* RF_FUZZ_TARGET(test) at file scope, in one unit of a program without RF_MAIN: defines
 * LLVMFuzzerTestOneInput for the RF_TEST of that name. */
#define RF_FUZZ_TARGET(test) RFI_FUZZ_OF(test)
#define RFI_FUZZ_OF(test) RFI_FUZZ_TARGET(test, #test) /* what a macro stands for, as in RF_TEST */
#define RFI_FUZZ_TARGET(test, name) \
    __attribute__((used, section("__libfuzzer_extra_counters"))) static uint8_t \
        rfi_fuzz_counter[RFI_FUZZ_COUNTERS]; \
    static uint32_t rfi_fuzz_place[RFI_FUZZ_COUNTERS]; \
    __attribute__((constructor)) static void rfi_fuzz_places(void) { \
        if (rfi_fuzz_afl) rfi_fuzz_number(rfi_fuzz_place, rfi_fuzz_place + RFI_FUZZ_COUNTERS); \
    } \
    RFI_EXTERN_C_BEGIN \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { \
        rfi_fuzz_map map = {rfi_fuzz_counter, rfi_fuzz_afl ? rfi_fuzz_hit : 0, rfi_fuzz_place, \
                            RFI_FUZZ_COUNTERS}; \
        return rfi_fuzz(name, &map, data, size); \
    } \
    RFI_EXTERN_C_END \
    typedef int rfi_fuzz_target_of_##test RFI_UNUSED /* takes the semicolon */

#define RFI_FUZZ_COUNTERS 16384 /* a power of two */

RFI_EXTERN_C_BEGIN
/* AFL++'s, where it is there: numbers places of its map, and counts one that has a number. */
void rfi_fuzz_afl(void) __asm__("__afl_manual_init") __attribute__((weak));
void rfi_fuzz_number(uint32_t *from, uint32_t *to) __asm__("__sanitizer_cov_trace_pc_guard_init")
    __attribute__((weak));
void rfi_fuzz_hit(uint32_t *place) __asm__("__sanitizer_cov_trace_pc_guard") __attribute__((weak));
int rfi_fuzz(const char *test, const rfi_fuzz_map *map, const uint8_t *data, size_t size);
RFI_EXTERN_C_END

#ifdef RFI_IMPL
# include "api/run.h"

RFI_VAR struct {
    rfi_campaign campaign;
    rfi_job job;
    rfi_plan plan;
    rfi_fuzz_map map;
    bool open;
    struct sigaction before[RFI_FAULTS]; /* how the fuzzer wants to hear of crashes */
} rfi_fuzz_of;

/* Crashes: the execution is given up, and told like other failures; or, if there is no way back,
 * what is known is told at once. */
RFI_FN void rfi_fuzz_crashed(void) {
    const rfi_failure *f = &rfi.record->failure;
    if (!rfi_crash_elsewhere(rfi.current, 0) && rfi_backend.kind == RFI_BACKEND_FIBER)
        rfi_go_home();
    fprintf(stderr, "racefuzz: %s: %s\n", rfi_diagnostic(f->diagnostic)->words, f->message);
    rfi_input_told(stderr, &rfi_fuzz_of.job, rfi.record);
    rfi_quit(1);
}

/* From here on a crash is `ours`, or the fuzzer's. */
RFI_FN void rfi_fuzz_signals(bool ours) {
# if !defined RFI_ASAN && !defined RFI_TSAN
    for (unsigned i = 0; i < RFI_FAULTS; i++)
        RFI_REAL(sigaction)(rfi_crash_takes[i], ours ? NULL : &rfi_fuzz_of.before[i],
                             ours ? &rfi_fuzz_of.before[i] : NULL);
    if (ours) rfi_crash_signals();
# endif
}

/* The settings stand in the environment: the arguments are the fuzzer's. */
RFI_FN void rfi_fuzz_open(const char *name) {
    rfi_campaign *c = &rfi_fuzz_of.campaign;
# ifdef __GLIBC__
    char *program = program_invocation_name;
# else
    char *program = (char *)(uintptr_t) "PROGRAM";
# endif
    rfi_fuzz_test = name;
    *c = (rfi_campaign){.begin = rfi_milliseconds(), .summary.version = RF_VERSION, .out = stderr};
    c->settings.jobs_given = true;
    if (rfi_settings_read(&c->settings, rfi_names_all(), 1, &program)) rfi_quit(2);
    rfi_run_words(&c->settings, program);
    if (!rfi_versions_agree() || !rfi_sanitizers_agree() || !rfi_tests_differ()) rfi_quit(2);
    rfi_test *test = rfi_test_named(name);
    if (!test) rfi_die("RF_FUZZ_TARGET: there is no test %s", name);
    if (!rfi_options_valid(&test->options, name)) rfi_quit(2);
    if (!rfi_suppressions_open(&c->settings)) rfi_quit(2);
    const char *amiss = rfi_replay_amiss(&c->settings);
    if (amiss) rfi_die("%s", amiss);
    c->team.backend = c->settings.backend;
    c->team.local = c->settings.local;
    c->team.watchdog = c->settings.watchdog;
    if (c->settings.token || c->settings.input) {
        int status = rfi_replay(c);
        fflush(NULL);
        rfi_quit(status);
    }
    rfi_input_job(c, test, &rfi_fuzz_of.job);
    rfi_team_open(&c->team, 0);
    rfi_sink_open();
    rfi_crash_open(0, true, rfi_fuzz_crashed);
    rfi_fuzz_of.open = true;
}

/* Does the execution fail the test? */
RFI_FN bool rfi_fuzz_fails(const rfi_record *r, const rfi_tally *seen) {
    const rfi_campaign *c = &rfi_fuzz_of.campaign;
    const rfi_test *test = rfi_fuzz_of.job.test;
    const rf_diagnostic d = r->failure.diagnostic;
    unsigned expect = test->options.expect;
    if (r->skipped) return false;
    if (d != RF_DIAG_NONE && !(rfi_diagnostic(d)->kind & expect) &&
        !rfi_suppressed(test, NULL, &r->failure))
        return true;
    for (uint32_t i = 0; i < seen->warnings && c->settings.fail_on != RFI_FAIL_ON_HARM; i++) {
        const rfi_warning *w = &seen->warning[i];
        unsigned kind = rfi_family(w->family)->kind;
        if (w->seen && kind && !(kind & expect) && !rfi_suppressed(test, w, NULL)) return true;
    }
    return false;
}

/* The bytes decide one execution. */
RFI_FN const rfi_record *rfi_fuzz_run(const uint8_t *data, size_t size, bool trace) {
    rfi_shared *s = rfi_fuzz_of.campaign.team.here;
    rfi_plan *p = &rfi_fuzz_of.plan;
    rfi_job_arm(&rfi_fuzz_of.job);
    rfi_job_plan(&rfi_fuzz_of.job, trace, p);
    rfi_input_give(data, size, trace ? NULL : &rfi_fuzz_of.map);
    rfi_tally_reset(&s->tally);
    rfi_sink_tally = &s->tally;
    rfi_fuzz_signals(true);
    rfi_job_run(&rfi_fuzz_of.job, p, 0, &s->record);
    rfi_fuzz_signals(false);
    return &s->record;
}

/* The fuzzer may hear of it when all is told. */
RFI_FN RFI_COLD void rfi_fuzz_tell(const uint8_t *data, size_t size) {
    const rfi_tally *seen = &rfi_fuzz_of.campaign.team.here->tally;
    fprintf(stderr, "\nracefuzz: test %s fails with this input of %zu byte%s\n",
            rfi_fuzz_of.job.test->options.rfi_name, size, size == 1 ? "" : "s");
    fflush(stderr);
    const rfi_record *r = rfi_fuzz_run(data, size, true);
    rfi_text_replayed(stderr, r, NULL);
    for (uint32_t i = 0; i < seen->warnings; i++)
        if (seen->warning[i].seen) rfi_text_seen(stderr, &seen->warning[i]);
    if (!rfi_fuzz_fails(r, seen))
        fputs("This execution did not repeat: the test depends on earlier executions, or on "
              "something outside of it.\n",
              stderr);
    rfi_input_told(stderr, &rfi_fuzz_of.job, r);
    fflush(NULL);
    abort();
}

/* AFL++'s driver warms a target up by four bytes of its own: no input that it would keep. */
RFI_FN bool rfi_fuzz_warms(const rfi_fuzz_map *map, const uint8_t *data, size_t size) {
    static bool known;
    bool first = !known;
    known = true;
    return first && map->hit && size == 4 && !memcmp(data, "##SI", 4);
}

int rfi_fuzz(const char *test, const rfi_fuzz_map *map, const uint8_t *data, size_t size) {
    if (!rfi_fuzz_of.open) rfi_fuzz_open(test);
    if (rfi_fuzz_warms(map, data, size)) return 0;
    rfi_fuzz_of.map = *map;
    const rfi_record *r = rfi_fuzz_run(data, size, false);
    if (RFI_UNLIKELY(rfi_forked)) rfi_fork_over();
    if (rfi_fuzz_fails(r, &rfi_fuzz_of.campaign.team.here->tally)) rfi_fuzz_tell(data, size);
    return 0;
}
#endif
#endif
