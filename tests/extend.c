/* tests/extend.c: an analysis, checkers and a strategy of the program's own: what is called when,
 * what is counted, what a token holds, and what is refused. */
#define RF_IMPLEMENTATION
#include "tests/lab.h"
#include "tests/child.h"

/* ---- an analysis that watches the order of things ---- */

enum { THREADS = 3 }; /* of the test below */
static uint32_t begun, ended, delivered, unasked, misplaced, locks_wrong;
static bool between; /* begin and end */

#define WITNESSED                                                            \
 (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_STORE) | \
  RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_START))

static void witness_begin(void) {
    misplaced += between;
    between = true;
    begun++;
}

static bool holds(uint32_t thread, uint32_t object) {
    rf_lock lock[4];
    uint32_t n = rf_thread_locks(thread, lock, 4);
    for (uint32_t i = 0; i < n; i++)
        if (lock[i].object == object) return lock[i].site && !lock[i].shared;
    return false;
}

static void witness_event(const rf_event *e) {
    misplaced += !between;
    unasked += !(WITNESSED & RF_EV_BIT(e->kind));
    misplaced += e->thread >= rf_threads() || !rf_thread_alive(e->thread);
    if (e->kind == RF_EV_LOCK || e->kind == RF_EV_UNLOCK)
        locks_wrong += holds(e->thread, e->object) != (e->kind == RF_EV_LOCK) ||
                       strcmp(rf_object_name(e->object), "lock");
    delivered++;
}

static void witness_end(void) {
    misplaced += !between;
    between = false;
    ended++;
}

static const rf_analysis witness = {.name = "witness",
                                    .help = "watches",
                                    .events = WITNESSED,
                                    .begin = witness_begin,
                                    .event = witness_event,
                                    .end = witness_end};
RF_ANALYSIS(witness);

/* ---- two analyses that say something; callbacks that may be missing are missing ---- */

static bool predicts_race, predicts_other, sees_other;
static const rf_event *last_store(const rf_event *e) {
    static rf_event last;
    static bool any;
    static rf_event before;
    bool same = any && last.site != e->site && last.addr == e->addr && last.thread != e->thread;
    before = last;
    last = *e;
    any = true;
    return same ? &before : NULL;
}

static void oracle_event(const rf_event *e) {
    const rf_event *other = predicts_race ? last_store(e) : NULL;
    rf_warning w = {.family = RF_FAMILY_RACE, .by = "oracle"};
    if (other) {
        w.place[w.places++] = (rf_place){.site = other->site, .flags = other->flags};
        w.place[w.places++] = (rf_place){.site = e->site, .flags = e->flags};
        rf_warn(&w);
    }
    w = (rf_warning){.family = RF_FAMILY_OTHER, .by = "oracle", .places = 1, .text = "A store."};
    w.place[0] = (rf_place){.site = e->site, .role = "does", .thread = e->thread};
    w.real = sees_other;
    if (predicts_other || sees_other) rf_warn(&w);
}

static const rf_analysis oracle = {
    .name = "oracle", .events = RF_EV_BIT(RF_EV_STORE), .event = oracle_event};
RF_ANALYSIS(oracle);

static void echo_event(const rf_event *e) {
    rf_warning w = {.family = RF_FAMILY_OTHER, .by = "echo", .places = 1, .text = "The same."};
    w.place[0] = (rf_place){.site = e->site};
    if (predicts_other) rf_warn(&w);
}

static const rf_analysis echo = {
    .name = "echo", .events = RF_EV_BIT(RF_EV_STORE), .event = echo_event};
RF_ANALYSIS(echo);

/* ---- checkers ---- */

static uint32_t checked, checks_wrong, seen, seen_wrong, checker_begun, checker_ended, stuck_calls;
static uint64_t target, seed_of[3], seeds_differ, seeds;

static bool at_store(const rf_event *next) { return next->kind == RF_EV_STORE; }

/* Directed at what the oracle says; hits when it meets it. */
static void meet(const rf_event *next) {
    uint32_t n;
    const uint64_t *targets = rf_check_targets(&n);
    checks_wrong += n != 1 || rf_next_event(next->thread) != next;
    target = targets[0];
    if (rf_site_key(next->site) == target) rf_check_hit(next, NULL);
}

static const rf_checker meets = {.name = "meets",
                                 .confirms = RF_FAMILY_BIT(RF_FAMILY_OTHER),
                                 .of = "oracle",
                                 .at_sites = true,
                                 .is_breakpoint = at_store,
                                 .check = meet};
RF_CHECKER(meets);

/* Instead of RaceFuzzer: never hits. */
static void look_on(const rf_event *next) { (void)next, checked++; }

static const rf_checker idle = {.name = "idle",
                                .confirms = RF_FAMILY_BIT(RF_FAMILY_RACE),
                                .at_sites = true,
                                .is_breakpoint = at_store,
                                .check = look_on};
RF_CHECKER(idle);

/* Without a target: pauses at locks for a while, and looks at everything. */
static rf_event waits; /* the last operation that was checked */
static bool limited_begun;

static void limited_begin(uint64_t seed) {
    rf_prng chance = {seed};
    uint32_t n;
    (void)rf_check_targets(&n);
    checks_wrong += n != 0 || limited_begun;
    limited_begun = true;
    seeds_differ += seeds && seed != seed_of[0];
    if (seeds < 3) seed_of[seeds] = seed;
    seeds++;
    checks_wrong += rf_random_below(&chance, 5) >= 5;
    waits = (rf_event){0};
    checker_begun++;
}

static bool at_lock(const rf_event *next) { return next->kind == RF_EV_LOCK; }

static void pause_a_bit(const rf_event *next) {
    /* the same operation is not checked again when the pause is over */
    checks_wrong += waits.thread == next->thread && waits.site == next->site;
    waits = *next;
    rf_check_pause_for(1 + rf_random_below(rf_check_random(), 3));
    checked++;
}

static void limited_event(const rf_event *e) {
    seen++;
    seen_wrong += e->kind != RF_EV_LOCK;
}

static void limited_stuck(const uint32_t *thread, uint32_t count, bool cycle) {
    checks_wrong += !count || !cycle || thread[0] >= rf_threads();
    stuck_calls++;
}

static void limited_end(void) {
    checks_wrong += !limited_begun;
    limited_begun = false;
    checker_ended++;
}

static const rf_checker limited = {.name = "limited",
                                   .help = "pauses at locks",
                                   .events = RF_EV_BIT(RF_EV_LOCK),
                                   .begin = limited_begin,
                                   .is_breakpoint = at_lock,
                                   .check = pause_a_bit,
                                   .event = limited_event,
                                   .stuck = limited_stuck,
                                   .end = limited_end};
RF_CHECKER(limited);

/* ---- a strategy that keeps books ---- */

static uint32_t picks, picks_wrong, announcements, executions_wrong, picked = UINT32_MAX;
static bool announced[THREADS];
static rf_prng clerk_chance;

static void clerk_begin(uint64_t seed) {
    if (!seeds) seed_of[0] = seed;
    seeds_differ += seeds && seed != seed_of[0];
    seeds++;
    memset(announced, 0, sizeof announced);
    clerk_chance = (rf_prng){seed};
    picked = UINT32_MAX;
}

static void clerk_announced(const rf_event *next) {
    executions_wrong += announced[next->thread] || rf_next_event(next->thread) != next;
    announced[next->thread] = true;
    announcements++;
}

static uint32_t clerk_pick(const rf_choice *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t t = rf_choice_at(c, i);
        picks_wrong += !rf_choice_has(c, t) || !rf_thread_enabled(t) || !announced[t];
        picks_wrong += i && t <= rf_choice_at(c, i - 1);
    }
    picks_wrong += c->count < 2 || rf_choice_has(c, THREADS);
    picks++;
    return picked = rf_choice_at(c, rf_random_below(&clerk_chance, c->count));
}

static void clerk_executed(const rf_event *e) {
    executions_wrong += !announced[e->thread] || (picked != UINT32_MAX && picked != e->thread);
    picked = UINT32_MAX;
    announced[e->thread] = false;
}

static const rf_strategy clerk = {.name = "clerk",
                                  .help = "any thread",
                                  .begin = clerk_begin,
                                  .pick = clerk_pick,
                                  .announced = clerk_announced,
                                  .executed = clerk_executed};
RF_STRATEGY(clerk);

static uint32_t lowest_pick(const rf_choice *c) { return rf_choice_at(c, 0); }
static const rf_strategy lowest = {.name = "lowest", .pick = lowest_pick};
RF_STRATEGY(lowest);

/* ---- what they look at ---- */

static rf_mutex lock = RF_MUTEX_INIT, other = RF_MUTEX_INIT;
static int x;

THREAD(first) { RF_GUARD(&lock) RF_STORE(x, 1); }
THREAD(second) { RF_GUARD(&lock) RF_STORE(x, 2); }

RF_TEST(guarded, .executions = 50) { run_two(first, second); }

THREAD(unguarded_store) { RF_STORE(x, 1); }

RF_TEST(unguarded, .executions = 50) { BESIDE(unguarded_store) RF_STORE(x, 2); }

THREAD(crossed) { RF_GUARD(&other) RF_GUARD(&lock) x = 1; }

RF_TEST(cycle, .executions = 200) { BESIDE(crossed) RF_GUARD(&lock) RF_GUARD(&other) x = 2; }

THREAD(polls_and_locks) {
    for (int i = 0; i < 9 && !RF_RACY_LOAD(x); i++) RF_YIELD();
    RF_GUARD(&lock) RF_STORE(x, 1);
    RF_STORE(x, 2);
}

/* It spins, gives up, and has to wait for something else. */
RF_TEST(gives_up, .executions = 400) {
    RF_LOCK(&lock);
    rf_thread t = RF_THREAD(polls_and_locks, NULL);
    RF_STORE(x, 0);
    RF_UNLOCK(&lock);
    RF_STORE(x, 3);
    RF_JOIN(t);
}

RF_TEST(own_strategy, .executions = 20, .strategy = "clerk", .detect = "witness") {
    run_two(first, second);
}

static void zero(void) {
    begun = ended = delivered = unasked = misplaced = locks_wrong = 0;
    checked = checks_wrong = seen = seen_wrong = checker_begun = checker_ended = stuck_calls = 0;
    picks = picks_wrong = announcements = executions_wrong = 0;
    seeds = seeds_differ = 0;
    predicts_race = predicts_other = sees_other = false;
}

/* ---- the tests ---- */

CASE(an_analysis_sees_what_it_asked_for) {
    zero();
    lab_study("guarded", "--detect=witness", "--strategy=random", NULL);
    LAB_CHECK("an_analysis_begins_and_ends_with_each_execution", begun == 50 && ended == 50);
    LAB_CHECK("nothing_is_called_out_of_turn", !misplaced && !between);
    LAB_CHECK("only_events_that_were_asked_for_come", delivered && !unasked);
    /* 2 locks, 2 unlocks, 2 stores, 2 creations, 2 starts */
    LAB_CHECK("each_event_comes_once", delivered == 50 * 10);
    LAB_CHECK("a_lock_is_held_at_its_LOCK_and_not_at_its_UNLOCK", !locks_wrong);
    zero();
    lab_study("guarded", "--strategy=random", NULL);
    LAB_CHECK("what_is_registered_is_on_by_itself", begun == 50);
    zero();
    lab_study("guarded", "--detect=none", NULL);
    LAB_CHECK("detect_none_turns_it_off", !begun);
    lab_study("guarded", "--detect=hb", NULL);
    LAB_CHECK("so_does_naming_another_one", !begun);
    zero();
    lab_study("own_strategy", NULL);
    LAB_CHECK("a_test_names_its_analyses_and_its_strategy", begun == 20 && picks && seeds == 20);
    LAB_CHECK("then_there_is_no_second_phase", lab_the_study.result.executions[1] == 0);
}

CASE(a_strategy_is_told_everything) {
    zero();
    lab_study("guarded", "--strategy=clerk", "--detect=none", NULL);
    LAB_CHECK("each_execution_has_a_seed_of_its_own", seeds == 50 && seeds_differ == 49);
    LAB_CHECK("candidates_ascend_and_are_enabled_and_announced", picks && !picks_wrong);
    LAB_CHECK("what_was_picked_executes_next", announcements && !executions_wrong);
    uint64_t once = seed_of[0];
    lab_study("guarded", "--strategy=clerk", "--detect=none", NULL);
    LAB_CHECK("seeds_repeat", seed_of[0] == once);
    lab_study("gives_up", "--strategy=clerk", "--detect=none", NULL);
    LAB_CHECK("spinners_that_give_up_do_not_stop_announcements", !executions_wrong);
    zero();
    const rfi_study *s = lab_study("guarded", "--strategy=lowest", NULL);
    LAB_CHECK("all_but_pick_is_optional", s->result.passed && s->result.executions[0] == 50);
}

CASE(a_checker_without_a_target) {
    zero();
    const rfi_study *s = lab_study("guarded", "--strategy=clerk,limited", "--detect=none", NULL);
    LAB_CHECK("it_has_the_second_budget", s->result.executions[1] == 50 && checker_begun == 50);
    LAB_CHECK("it_ends_with_each_execution", checker_ended == 50 && !limited_begun);
    LAB_CHECK("it_is_asked_once_for_an_operation", checked == 2 * 50 && !checks_wrong);
    LAB_CHECK("it_sees_the_events_it_asked_for", seen == 2 * 50 && !seen_wrong);
    LAB_CHECK("the_strategy_below_it_picks", picks && !picks_wrong);
    zero();
    s = lab_study("cycle", "--strategy=limited", "--detect=none", NULL);
    LAB_CHECK("it_is_told_of_a_cycle", stuck_calls && !checks_wrong);
    LAB_CHECK("begin_and_end_are_called_for_deadlocks_too",
              checker_begun == 200 && checker_ended == 200);
}

/* The first warning by that analysis; NULL: there is none. */
static const rfi_warning *said_by(const rfi_study *s, const char *by) {
    for (uint32_t i = 0; i < s->result.warnings; i++)
        if (s->result.warning[i].by & rfi_analysis_bit(by)) return &s->result.warning[i];
    return NULL;
}

CASE(warnings_are_confirmed) {
    zero();
    predicts_race = true;
    const rfi_study *s =
        lab_study("unguarded", "--detect=oracle", "--strategy=random,racefuzzer", NULL);
    const rfi_warning *w = said_by(s, "oracle");
    LAB_CHECK("racefuzzer_confirms_a_race_that_another_analysis_predicts",
              w && w->family == RF_FAMILY_RACE && w->hits == 50 && !w->seen);
    s = lab_study("unguarded", "--detect=oracle", NULL);
    w = said_by(s, "oracle");
    LAB_CHECK("a_checker_of_the_program_comes_first", w && w->executions && !w->hits);
    LAB_CHECK("its_check_was_called", checked);
    s = lab_study("guarded", "--detect=oracle", "--strategy=random,racefuzzer", NULL);
    w = said_by(s, "oracle");
    LAB_CHECK("what_can_not_be_produced_stays_a_prediction", w && !w->hits && s->result.passed);
    zero();
    predicts_other = true;
    s = lab_study("guarded", "--detect=oracle,echo", "--strategy=random,meets", NULL);
    const rfi_warning *mine = said_by(s, "oracle"), *others = said_by(s, "echo");
    LAB_CHECK("two_analyses_may_warn_of_one_place",
              s->result.warnings == 4 && mine && others && mine != others &&
                  !strcmp(mine->text, "A store.") && !strcmp(others->text, "The same."));
    LAB_CHECK("a_checker_gets_those_of_its_analysis",
              mine && others && mine->executions && !others->executions && !checks_wrong);
    LAB_CHECK("hits_are_counted", mine && mine->hits == mine->executions);
    LAB_CHECK("a_confirmed_warning_is_a_failure",
              !s->result.passed && s->result.found == RF_EXPECT_FAILURE);
    zero();
    sees_other = true;
    s = lab_study("guarded", "--detect=oracle", "--strategy=random", NULL);
    w = said_by(s, "oracle");
    LAB_CHECK("what_has_happened_is_real", w && w->seen == 50 && s->result.real == 2);
    LAB_CHECK("what_has_happened_fails_the_test", !s->result.passed);
}

/* A token of the case's job, read again, gives the same execution. */
CASE(tokens_hold_what_is_registered) {
    char token[RFI_TOKEN_BYTES], why[256];
    rfi_record *r = &lab_campaign.team.here->record;
    static rfi_token t;
    zero();
    predicts_other = true;
    const rfi_study *s = lab_study("guarded", "--detect=oracle", "--strategy=lowest,meets", NULL);
    const rfi_case *c = &s->cases[0];
    (void)rfi_team_replay(&lab_campaign.team, &c->job, c->hit_index);
    uint64_t course = r->course;
    rfi_token_write(&c->job, c->hit_index, r, token);
    LAB_CHECK("a_token_names_the_checker_and_the_strategy_below",
              strstr(token, "1.guarded.meets.s1.") == token && strstr(token, ".blowest"));
    LAB_CHECK("it_can_be_read", rfi_token_read(token, &t, why, sizeof why));
    t.job.test = rfi_test_named(t.test);
    LAB_CHECK("it_leads_back", t.job.checker == &meets && t.job.strategy == &lowest &&
                                   t.job.target[0] == c->job.target[0]);
    (void)rfi_team_replay(&lab_campaign.team, &t.job, t.index);
    LAB_CHECK("the_replay_hits_the_same_way", r->hit_count && r->course == course);
    rfi_job j = s->job;
    rfi_token_write(&j, 7, NULL, token);
    LAB_CHECK("a_token_names_the_strategy", !strcmp(token, "1.guarded.lowest.s1.i7.d"));
    LAB_CHECK("a_strategy_is_read", rfi_token_read(token, &t, why, sizeof why) &&
                                        t.job.strategy == &lowest && t.job.phase == RFI_PREDICT);
}

/* ---- refusals: each ends the process with one line ---- */

static bool dies(void (*fn)(void *), void *arg) {
    int status = child_does(fn, arg);
    const char *end = strchr(child_said, '\n');
    return WIFEXITED(status) && WEXITSTATUS(status) == 2 &&
           !strncmp(child_said, "racefuzz: ", 10) && end && !end[1];
}

static void add_analysis(void *a) { rfi_register_analysis(a); }
static void add_checker(void *c) { rfi_register_checker(c); }
static void add_strategy(void *s) { rfi_register_strategy(s); }
static void warn(void *w) { rf_warn(w); }

static void add_many(void *unused) {
    static rf_strategy many[RFI_REGISTERED + 1];
    static char name[RFI_REGISTERED + 1][8];
    (void)unused;
    for (unsigned i = 0; i <= RFI_REGISTERED; i++) {
        snprintf(name[i], sizeof name[i], "many-%u", i);
        many[i] = lowest;
        many[i].name = name[i];
        rfi_register_strategy(&many[i]);
    }
}

static void run_main(void *c) {
    rfi_register_checker(c);
    exit(rf_run(NULL, 0, NULL));
}

static uint32_t pick_nobody(const rf_choice *c) { return (void)c, 999; }

static void pick_wrongly(void *unused) {
    static const rf_strategy wrong = {.name = "wrong", .pick = pick_nobody};
    (void)unused;
    rfi_register_strategy(&wrong);
    lab_study("guarded", "--strategy=wrong", NULL);
}

#define LAB_REFUSES(name, fn, arg, words) \
 lab_check(dies(fn, arg) && strstr(child_said, words), name, child_said)

CASE(registration_is_checked) {
    rf_analysis a = oracle;
    a.name = "two words";
    LAB_REFUSES("a_name_with_a_space", add_analysis, &a, "RF_ANALYSIS: the name \"two words\"");
    a.name = "1.2";
    LAB_REFUSES("a_name_with_a_dot", add_analysis, &a, "letters, digits, - and _ only");
    a.name = NULL;
    LAB_REFUSES("no_name", add_analysis, &a, "the name \"\"");
    a.name = "none";
    LAB_REFUSES("a_name_that_means_something", add_analysis, &a, "none means something else");
    a.name = "hb";
    LAB_REFUSES("a_name_that_is_built_in", add_analysis, &a, "there is one named hb already");
    a = (rf_analysis){.name = "empty", .events = 1};
    LAB_REFUSES("an_analysis_without_event", add_analysis, &a, "empty has no .event\n");
    a = (rf_analysis){.name = "deaf", .event = oracle_event};
    LAB_REFUSES("an_analysis_without_events", add_analysis, &a, "deaf has no .events\n");
    rf_checker c = idle;
    c.name = "random";
    LAB_REFUSES("a_checker_named_like_a_strategy", add_checker, &c, "RF_CHECKER: there is one");
    c.name = "fresh", c.check = NULL;
    LAB_REFUSES("a_checker_without_check", add_checker, &c, "fresh has no .check\n");
    c.check = look_on, c.is_breakpoint = NULL;
    LAB_REFUSES("a_checker_without_breakpoints", add_checker, &c, "has no .is_breakpoint");
    c.is_breakpoint = at_store, c.events = 1;
    LAB_REFUSES("a_checker_that_asks_and_does_not_listen", add_checker, &c, "has no .event\n");
    c.events = 0, c.of = "nobody";
    LAB_REFUSES("a_checker_of_an_unknown_analysis", run_main, &c, "no analysis nobody");
    rf_strategy s = {.name = "lazy"};
    LAB_REFUSES("a_strategy_without_pick", add_strategy, &s, "RF_STRATEGY: lazy has no .pick");
    LAB_REFUSES("too_many", add_many, NULL, "is one too many (16 can be registered)");
    LAB_REFUSES("a_choice_of_nobody", pick_wrongly, NULL, "wrong has picked T999");
}

CASE(warnings_are_checked) {
    static const rf_site here = {"a.c", "f", "x", 1, 0, RF_SITE_READ, false};
    rf_warning w = {.family = RF_FAMILY_OTHER, .by = "oracle"};
    LAB_REFUSES("a_warning_without_a_place", warn, &w, "oracle has no place");
    w.places = 2, w.place[0].site = &here;
    LAB_REFUSES("a_place_without_a_site", warn, &w, "a place without a site");
    w.places = RF_PLACES + 1;
    LAB_REFUSES("too_many_places", warn, &w, "more than RF_PLACES");
    w.places = 1, w.family = RF_FAMILY_RACE;
    LAB_REFUSES("a_race_of_one_place", warn, &w, "has not two places");
    w.family = RF_FAMILIES;
    LAB_REFUSES("no_family", warn, &w, "is of no family");
    w.family = RF_FAMILY_OTHER, w.targets = 1;
    LAB_REFUSES("a_target_of_zero", warn, &w, "a target that is 0");
    w.target[0] = UINT64_C(1) << 40;
    LAB_REFUSES("a_target_of_41_bits", warn, &w, "more than 40 bits");
    w.targets = RF_TARGETS + 1;
    LAB_REFUSES("too_many_targets", warn, &w, "more than RF_TARGETS");
}

CASE(nobody_is_asked_for_what_is_not_there) {
    uint32_t many = UINT32_MAX;
    LAB_CHECK("unknown_threads_and_objects_have_nothing",
              !rf_next_event(many) && !rf_thread_locks(many, NULL, 0) && !rf_thread_alive(many) &&
                  !rf_thread_enabled(many) && !rf_object_name(0) && !rf_object_site(many) &&
                  !rf_object_made(0) && !rf_block_site(&many, &many) && !rf_block_number(&many));
}

CASE(names_are_listed) {
    const rfi_names *names = rfi_names_all();
    unsigned known = 0;
    for (const rfi_name *n = names->strategy; n->name; n++)
        known += !strcmp(n->name, "clerk") && !strcmp(n->help, clerk.help);
    for (const rfi_name *n = names->strategy; n->name; n++) known += !strcmp(n->name, "limited");
    for (const rfi_name *n = names->detect; n->name; n++) known += !strcmp(n->name, "witness");
    LAB_CHECK("options_list_what_is_registered", known == 3);
}

int main(void) { return lab_cases(); }
