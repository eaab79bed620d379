/* Tokens: what stands in them, how they are read, and that they replay the execution they name.
 * (On the command line: tokens.sh.) */
#define RF_IMPLEMENTATION
#include "tests/lab.h"
#include "tests/determinism/programs.h"

/* ---- written and read ---- */

static rf_prng dice;

static uint64_t roll(void) { return rfi_draw(&dice) >> rfi_below(&dice, 64); }

static rfi_job random_job(void) {
    rfi_job j = lab_job_of("locks", RFI_PREDICT + rfi_below(&dice, 3), rfi_coin(&dice));
    j.seed = roll();
    if (j.phase == RFI_ADVERSARY) {
        j.pick = (rf_heuristic)(RF_PICK_NEWEST + rfi_below(&dice, RF_PICK_MIXED));
        j.all = rfi_coin(&dice);
    }
    j.memory.atomics = (rf_mem_model)rfi_below(&dice, 3);
    if (rfi_coin(&dice)) j.memory.history = 2 + rfi_below(&dice, RF_MEM_HISTORY_MAX - 1);
    if (rfi_coin(&dice)) j.memory.sample = (uint32_t)roll();
    j.memory.whole = rfi_coin(&dice);
    j.memory.cxx20 = rfi_coin(&dice);
    if (j.phase == RFI_CONFIRM || (j.phase == RFI_ADVERSARY && rfi_coin(&dice)))
        for (unsigned i = 0; i < 2; i++)
            j.target[i] = (roll() & ((UINT64_C(1) << RFI_KEY_BITS) - 1)) | 1;
    if (rfi_coin(&dice)) j.max_steps = roll() | 1;
    if (rfi_coin(&dice)) j.stack_size = (size_t)(roll() | 1);
    j.spurious = rfi_coin(&dice);
    j.drawn = rfi_coin(&dice);
    return j;
}

static bool same_job(const rfi_job *a, const rfi_job *b) {
    return a->phase == b->phase && a->seed == b->seed && a->fine == b->fine &&
           a->target[0] == b->target[0] && a->target[1] == b->target[1] && a->pick == b->pick &&
           a->all == b->all && a->memory.atomics == b->memory.atomics &&
           a->memory.history == b->memory.history && a->memory.sample == b->memory.sample &&
           a->memory.whole == b->memory.whole && a->memory.cxx20 == b->memory.cxx20 &&
           a->max_steps == (b->max_steps ? b->max_steps : rfi_steps_usual(a->test)) &&
           a->stack_size == (b->stack_size ? b->stack_size : rfi_stack_usual(a->test)) &&
           a->spurious == b->spurious && a->drawn == b->drawn;
}

CASE(test_round_trip) {
    char text[RFI_TOKEN_BYTES], why[256] = "";
    rfi_token t;
    bool same = true, recognised = true;
    for (unsigned i = 0; i < 10000; i++) {
        rfi_job j = random_job();
        uint32_t index = (uint32_t)roll();
        rfi_token_write(&j, index, NULL, text);
        same &= rfi_token_read(text, &t, why, sizeof why) && same_job(&j, &t.job) &&
                t.index == index && !strcmp(t.test, "locks");
        recognised &= rfi_looks_like_token(text);
    }
    LAB_CHECK("a_token_carries_the_whole_job", same);
    LAB_CHECK("a_token_is_recognised_as_one", recognised);
}

/* Whatever is done to a token, it is read or refused with a reason. */
CASE(test_damage) {
    static const char characters[] = "0129.spgnkwxiamchtevodrZ_-";
    char text[RFI_TOKEN_BYTES], why[256];
    uint32_t refused = 0, silent = 0;
    rfi_token t;
    for (unsigned i = 0; i < 50000; i++) {
        rfi_job j = random_job();
        rfi_token_write(&j, i, NULL, text);
        size_t n = strlen(text);
        for (uint32_t k = rfi_below(&dice, 4); k--;)
            text[rfi_below(&dice, (uint32_t)n)] = characters[rfi_below(&dice, sizeof characters)];
        if (rfi_coin(&dice)) text[rfi_below(&dice, (uint32_t)n)] = 0;
        why[0] = 0;
        bool ok = rfi_token_read(text, &t, why, sizeof why);
        refused += !ok;
        silent += !ok && !why[0];
    }
    LAB_CHECK("a_damaged_token_is_refused_with_a_reason", refused > 10000 && !silent);
}

/* token, what is said */
static const char *const refusals[][2] = {
    {"2.locks.random.s1.i1", "another version of racefuzz (2, this one reads 1)"},
    {"1.locks.nosuch.s1.i1", "no explorer named nosuch"},
    {"1.locks", "cut short"},
    {"1.locks.racefuzzer.s1.i1.p0000000100000002.bnosuch", "field 'bnosuch'"},
    {"1.locks.random.s1", "cut short"},
    {"1.locks.racefuzzer.s1.i1", "cut short"},
    {"1.locks.racefuzzer.s1.i1.pabc", "field 'pabc'"},
    {"1.locks.random.s1.i18446744073709551616", "field 'i18446744073709551616'"},
    {"1.locks.random.s1.i1.i2", "field 'i2'"},
    {"1.locks.random.s1.i1.n0", "field 'n0'"},
    {"1.locks.random.s1.i1.k", "field 'k'"},
    {"1.locks.random.s1.i1.gx", "field 'gx'"},
    {"1.locks.random.s1.i1.q", "field 'q'"},
    {"1.locks.adversarial.s1.i1", "cut short"},
    {"1.locks.adversarial.s1.i1.mq", "field 'mq'"},
    {"1.locks.adversarial.s1.i1.m", "field 'm'"},
    {"1.locks.adversarial.s1.i1.mo.a1", "field 'a1'"},
    {"1.locks.random.s1.i1.mo", "field 'mo'"},
    {"1.locks.random.s1.i1.a", "field 'a'"},
    {"1.locks.random.s1.i1.cx", "field 'cx'"},
    {"1.locks.random.s1.i1.h1", "field 'h1'"},
    {"1.locks.random.s1.i1.h65", "field 'h65'"},
    {"1.locks.random.s1.i1.e0", "field 'e0'"},
    {"1.locks.random.s1.i1.v11", "field 'v11'"},
    {"1.locks.random.s1.i1.t1", "field 't1'"},
    {"1.locks.random.s1.i1.xabc", "field 'xabc'"},
};

CASE(test_refusals) {
    rfi_token t;
    char why[256];
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        why[0] = 0;
        bool ok = rfi_token_read(refusals[i][0], &t, why, sizeof why);
        lab_check(!ok && strstr(why, refusals[i][1]), named("refused_%s", refusals[i][0]), why);
    }
}

/* ---- compared ---- */

static char said[512];
static bool other_statements; /* and of the sites */

/* What is said of the record's execution under a token whose mark has another character at `at`
 * (0: sites, 2: whole course, 4: after 1, 2, 4, ... events); SIZE_MAX: the same mark. */
static const char *say_when_changed(const rfi_job *j, const rfi_record *r, size_t at) {
    char text[RFI_TOKEN_BYTES], why[256];
    rfi_token t;
    rfi_token_write(j, 0, r, text);
    if (!rfi_token_read(text, &t, why, sizeof why)) rfi_die("%s: %s", text, why);
    if (at < strlen(t.mark)) {
        t.mark[at] = t.mark[at] == 'A' ? 'B' : 'A';
        if (at >= 4) t.mark[2] = t.mark[2] == 'A' ? 'B' : 'A'; /* of the whole course */
    }
    if (other_statements) t.mark[0] = t.mark[0] == 'A' ? 'B' : 'A';
    said[0] = 0;
    return rfi_token_compare(&t, r, said, sizeof said) ? "agrees" : said;
}

CASE(test_compare) {
    rfi_job j = lab_job_of("locks", RFI_PREDICT, LAB_FINE);
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, &j, 0);
    LAB_CHECK("64_to_128_events", r->events > 64 && r->events < 256);
    size_t last = 4 + 6 + (r->events >= 128);
    bool agrees = !strcmp(say_when_changed(&j, r, SIZE_MAX), "agrees");
    LAB_CHECK("an_execution_agrees_with_its_token", agrees);
    say_when_changed(&j, r, 1);
    LAB_CHECK("moved_lines_are_told", strstr(said, "differ; this execution went the same way"));
    say_when_changed(&j, r, 4);
    LAB_CHECK("a_difference_at_the_first_step_is_located", strstr(said, "from step 0 on"));
    say_when_changed(&j, r, 5);
    LAB_CHECK("a_difference_at_the_second_step_is_located", strstr(said, "from step 1 on"));
    say_when_changed(&j, r, 8);
    LAB_CHECK("a_difference_amidst_is_located", strstr(said, "from one of the steps 8 to 15 on"));
    say_when_changed(&j, r, 2);
    char tail[64];
    snprintf(tail, sizeof tail, "from step %u or a later one on", 1u << (last - 4));
    LAB_CHECK("a_difference_in_the_tail_is_located", strstr(said, tail));
    LAB_CHECK("moved_lines_are_no_matter_of_the_surroundings",
              say_when_changed(&j, r, 1) && !strstr(said, "outside of the token"));
    other_statements = true;
    say_when_changed(&j, r, 5);
    LAB_CHECK("other_statements_may_be_those_of_other_surroundings",
              strstr(said, "has changed") && strstr(said, "outside of the token") &&
                  strstr(said, "statements differ") && strstr(said, "another way"));
    other_statements = false;
    say_when_changed(&j, r, 2);
    LAB_CHECK("without_other_statements_the_surroundings_are_suspected",
              strstr(said, "something outside of the token"));
}

/* ---- replayed ---- */

#define MANY_FINDINGS 128

static struct finding {
    char token[RFI_TOKEN_BYTES];
    uint64_t hash, events, steps;
    rfi_failure failure;
    uint32_t hits;
} finding[MANY_FINDINGS];
static uint32_t findings;

static void keep(FILE *out, const rfi_result *result, const rfi_finding *f) {
    (void)out, (void)result;
    if (!f->record || findings == MANY_FINDINGS) return;
    struct finding *k = &finding[findings++];
    const rfi_record *r = f->record;
    *k = (struct finding){"", r->hash, r->events, r->steps, r->failure, r->hit_count};
    snprintf(k->token, sizeof k->token, "%s", f->token);
}

static bool replays(const struct finding *k) {
    const rfi_record *r = &lab_campaign.team.here->record;
    return lab_token_replays(k->token) && r->hash == k->hash && r->events == k->events &&
           r->steps == k->steps && r->hit_count == k->hits &&
           r->failure.diagnostic == k->failure.diagnostic &&
           (!r->failure.diagnostic || !strcmp(r->failure.message, k->failure.message));
}

CASE(test_replay) {
    static const char *const options[] = {"--granularity=coarse", "--steps=150", "--stack=300k",
                                          "--seed=0x123456789"};
    rfi_reporter keeper = lab_silent;
    keeper.finding = keep;
    lab_campaign.reporter = &keeper;
    lab_study("old_values", "--executions=300", "--history=16", "--cxx20", NULL);
    for (unsigned p = 0; p < PROGRAMS - 1; p++)
        lab_study(programs[p].name, "--executions=300", NULL);
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
        lab_study("endings", "--executions=100", options[i], NULL);
    lab_campaign.reporter = &lab_silent;
    uint32_t wrong = 0, adversarial = 0;
    for (uint32_t i = 0; i < findings; i++) {
        adversarial +=
            strstr(finding[i].token, ".adversarial.") && strstr(finding[i].token, ".h16.v20.");
        if (replays(&finding[i])) continue;
        wrong++;
        printf("# %s\n", finding[i].token);
    }
    char why[96];
    snprintf(why, sizeof why, "%u of %u tokens, %u with old values", wrong, findings, adversarial);
    printf("# %s\n", why);
    lab_check(findings > 20 && !wrong, "the_tokens_of_a_campaign_replay_their_executions", why);
    lab_check(adversarial >= 3, "among_them_of_old_values_of_short_histories", why);
}

int main(void) {
    dice = rfi_prng_make(1, 1);
    lab_open();
    return lab_cases();
}
