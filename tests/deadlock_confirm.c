/* DeadlockFuzzer: how often a predicted deadlock is produced, by what threads and locks are known
 * in another execution, what is said, and that the tokens replay. */
#define RF_IMPLEMENTATION
#include "script.h"

/* ---- programs as text ---- */

#define A_THEN_B  "@1 lock a; @2 lock b; unlock b; unlock a"
#define B_THEN_A  "@3 lock b; @4 lock a; unlock a; unlock b"
#define INVERSION A_THEN_B "|" B_THEN_A
#define TWO_INVERSIONS \
 INVERSION "|lock c; lock d; unlock d; unlock c | lock d; lock c; unlock c; unlock d"
/* Another thread can go on for ever when the two can't. */
#define BESIDE_A_SPINNER                                                         \
 "body: start; start; start; join | loop { load o; until = 2; hint } |" A_THEN_B \
 "; add o 1 |" B_THEN_A "; add o 1"
/* A cycle through the second reader. */
#define SECOND_READER                                            \
 "body: start; start; start; @7 join | @1 rdlock s; @2 take n |" \
 "@3 rdlock s; @4 lock a; unlock a; rwunlock s | @5 lock a; @6 wrlock s; rwunlock s; unlock a"
/* A wait takes m again while a is held; the first lock of m can't be in a cycle: it is over before
 * the other thread starts. */
#define WAITS_UNDER_A(wait)                                                                  \
 "body: lock a; lock m; start; loop { R r; until = 1;" wait " }; unlock m; unlock a; join |" \
 "lock m; W r 1; signal c; lock a; unlock a; unlock m"

/* ---- threads that take two locks ---- */

enum { SEATS = 20, CROWD = 7, MOST = 24 };

static rf_sem slots; /* so many may work at a time */

static void *takes_two(void *arg) {
    rf_mutex *const *lock = arg;
    RF_LOCK(lock[0]);
    RF_LOCK(lock[1]);
    RF_UNLOCK(lock[1]);
    RF_UNLOCK(lock[0]);
    return arg;
}

static void *takes_two_of_some(void *arg) {
    RF_SEM_WAIT(&slots);
    (void)takes_two(arg);
    RF_SEM_POST(&slots);
    return arg;
}

/* Threads that one statement makes, each with an order of two locks. */
static void run_all(int n, void *(*fn)(void *), rf_mutex *order[][2]) {
    rf_thread t[MOST];
    for (int i = 0; i < n; i++) t[i] = RF_THREAD(fn, order[i]);
    for (int i = 0; i < n; i++) (void)RF_JOIN(t[i]);
}

/* ---- philosophers: locks and threads made in loops ---- */

static rf_mutex fork_of[SEATS];
static int seats;

static void dinner(void) {
    rf_mutex *order[SEATS][2];
    for (int i = 0; i < seats; i++) {
        order[i][0] = &fork_of[i];
        order[i][1] = &fork_of[(i + 1) % seats];
    }
    run_all(seats, takes_two, order);
}

RF_TEST(philosophers) {
    for (int i = 0; i < seats; i++) rf_mutex_init(&fork_of[i], "fork", RF_MUTEX_NORMAL);
    dinner();
}

RF_TEST(philosophers_with_static_forks) {
    memset(fork_of, 0, sizeof fork_of);
    dinner();
}

/* Whose threads and locks get other numbers in every execution. */
static rf_mutex side[2];
static rf_barrier made;
static rf_mutex *crosswise[2][2] = {{&side[0], &side[1]}, {&side[1], &side[0]}};

static void prepare(rf_mutex *mine) {
    RF_FUNC;
    for (int k = 0; k < 2; k++) {
        rf_mutex other; /* more locks of the same statement */
        rf_mutex_init(k ? mine : &other, "side", RF_MUTEX_NORMAL);
    }
}

static void *spawn(void *order) {
    RF_YIELD();
    prepare(*(rf_mutex **)order);
    (void)RF_BARRIER_WAIT(&made);
    for (int k = 0; k < 2; k++) RF_YIELD();
    (void)RF_JOIN(RF_THREAD(takes_two, order));
    return NULL;
}

RF_TEST(families) {
    rf_barrier_init(&made, "made", 2);
    rf_thread one = RF_THREAD(spawn, crosswise[0]), two = RF_THREAD(spawn, crosswise[1]);
    (void)RF_JOIN(one);
    (void)RF_JOIN(two);
}

/* ---- work without end ---- */

static rf_mutex table[CROWD];

static void *all_pairs(void *arg) {
    for (int i = 0; i < CROWD; i++)
        for (int k = 0; k < CROWD; k++)
            if (i != k) (void)takes_two((rf_mutex *[]){&table[i], &table[k]});
    return arg;
}

RF_TEST(crowd) {
    rf_mutex *none[CROWD][2];
    for (int i = 0; i < CROWD; i++) rf_mutex_init(&table[i], "table", RF_MUTEX_NORMAL);
    run_all(CROWD, all_pairs, none);
}

/* ---- threads and locks that one statement makes ---- */

/* Threads in pairs, each with two locks; one pair inverts their order.  Three may work at a time:
 * whoever is held back keeps others out. */
static void six_threads(rf_mutex *const lock[6]) {
    rf_mutex *order[6][2];
    rf_sem_init(&slots, NULL, 3);
    for (int i = 0; i < 6; i++) {
        order[i][0] = lock[i == 1 ? 1 : i & ~1];
        order[i][1] = lock[i == 1 ? 0 : i | 1];
    }
    run_all(6, takes_two_of_some, order);
}

RF_TEST(one_pair_of_six) {
    rf_mutex lock[6], *all[6];
    for (int i = 0; i < 6; i++) rf_mutex_init(all[i] = &lock[i], "lock", RF_MUTEX_NORMAL);
    six_threads(all);
}

/* A function makes the locks, for owners of three kinds. */
static rf_mutex *new_lock(rf_mutex *at) {
    rf_mutex_init(at, "lock", RF_MUTEX_NORMAL);
    return at;
}

RF_TEST(one_pair_of_six_owned) {
    enum { TWO = 2 * sizeof(rf_mutex) };
    rf_mutex *first = RF_MALLOC(TWO);
    rf_mutex *next = RF_MALLOC(TWO);
    rf_mutex *last = RF_MALLOC(TWO);
    six_threads((rf_mutex *const[]){new_lock(first), new_lock(first + 1), new_lock(next),
                                    new_lock(next + 1), new_lock(last), new_lock(last + 1)});
    RF_FREE(first);
    RF_FREE(next);
    RF_FREE(last);
}

static rf_mutex parted[6];

static void *makes_two(void *arg) {
    rf_mutex *lock = arg;
    (void)new_lock(lock);
    (void)new_lock(lock + 1);
    return arg;
}

/* Locks that one statement makes, in threads that three make. */
RF_TEST(one_pair_of_six_made) {
    (void)RF_JOIN(RF_THREAD(makes_two, parted));
    (void)RF_JOIN(RF_THREAD(makes_two, parted + 2));
    (void)RF_JOIN(RF_THREAD(makes_two, parted + 4));
    six_threads(
        (rf_mutex *const[]){parted, parted + 1, parted + 2, parted + 3, parted + 4, parted + 5});
}

/* The same in pairs, each of which inverts the order of its own two locks: as many cycles by index
 * as there are pairs, in one warning. */
RF_TEST(pairs) {
    rf_mutex lock[MOST], *order[MOST][2];
    for (int i = 0; i < MOST; i++) {
        rf_mutex_init(&lock[i], "lock", RF_MUTEX_NORMAL);
        order[i][0] = &lock[i];
        order[i][1] = &lock[i ^ 1];
    }
    rf_sem_init(&slots, NULL, MOST);
    run_all(MOST, takes_two_of_some, order);
}

/* Ten workers run the same code: each takes two locks, in an order of his own. */
RF_TEST(ten_workers) {
    enum { WORKERS = 10 };
    rf_mutex lock[2], *order[WORKERS][2];
    for (int i = 0; i < 2; i++) rf_mutex_init(&lock[i], "lock", RF_MUTEX_NORMAL);
    for (int i = 0; i < WORKERS; i++) {
        order[i][0] = &lock[i % 2];
        order[i][1] = &lock[1 - i % 2];
    }
    rf_sem_init(&slots, NULL, WORKERS);
    run_all(WORKERS, takes_two_of_some, order);
}

/* ---- measuring ---- */

/* The test that runs a program. */
static const char *text(const char *program) {
    script_is(program, false);
    return "script";
}

/* The test is predicted to have so many deadlocks, and each is produced in all executions. */
static bool produces_by(const char *test, uint32_t predicted, const char *executions,
                        const char *by) {
    const rfi_study *s =
        lab_study(test, executions, by, "--detect=goodlock", "--seconds=none", NULL);
    bool all = s->result.warnings == predicted;
    if (!all) because("%u predicted", s->result.warnings);
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        if (w->hits != w->executions || w->failed != w->hits)
            all = because("%llu hits, %llu failures of %llu", (unsigned long long)w->hits,
                          (unsigned long long)w->failed, (unsigned long long)w->executions);
    }
    return all && (predicted ? s->result.harmful == predicted : s->result.passed);
}

static bool produces(const char *test, uint32_t predicted, const char *executions) {
    return produces_by(test, predicted, executions, "--abstraction=index");
}

static void check_philosophers(const char *test, const char *executions) {
    lab_check(produces(test, 1, executions), named("%d %s", seats, test), why);
}

/* What phase 1 alone predicts. */
static const rfi_tally *predict(const char *test, uint32_t n) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    j.analyses = rfi_analyses_of("goodlock");
    return lab_job(&j, n);
}

/* DeadlockFuzzer at the first prediction. */
static rfi_job job_of_prediction(const char *test) {
    const rfi_tally *t = predict(test, 50);
    rfi_job j = lab_job_of(test, RFI_CONFIRM, LAB_COARSE);
    j.checker = &rfi_deadlockfuzzer;
    memcpy(j.target, t->warning[0].target, sizeof j.target);
    return j;
}

static bool says(const char *test, const char *message) {
    rfi_job j = job_of_prediction(test);
    const rfi_tally *t = lab_job(&j, 100);
    const char *want = with_lines(message);
    if (t->failures != 1) return because("%u failures", t->failures);
    return !strcmp(t->failure[0].failure.message, want) ||
           because("<%s> instead of <%s>", t->failure[0].failure.message, want);
}

/* ---- probabilities ---- */

CASE(probabilities) {
    const rfi_tally *t = lab_random(text(INVERSION), 20000, LAB_FINE);
    lab_share("random: two locks in two orders", lab_failures(t), t->executions, 0.5);
    lab_check(produces(text(INVERSION), 1, "--executions=2000"), "directed: always", why);
    lab_check(produces(text(BESIDE_A_SPINNER), 1, "--executions=500"), "also beside a spinner",
              why);
    for (seats = 2; seats <= 7; seats++) {
        check_philosophers("philosophers", "--executions=2000");
        check_philosophers("philosophers_with_static_forks", "--executions=500");
    }
    seats = RF_TARGETS + 1;
    check_philosophers("philosophers", "--executions=100");
    seats = SEATS;
    check_philosophers("philosophers", "--executions=100");
}

/* While one is waited for, the other one, which nobody brings about, ends some executions. */
static bool only_what_was_wanted_counts(void) {
    const rfi_study *s =
        lab_study(text(TWO_INVERSIONS), "--executions=1000", "--detect=goodlock", NULL);
    bool some = s->result.warnings == 2;
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        printf("# %llu of %llu\n", (unsigned long long)w->hits, (unsigned long long)w->executions);
        some &= w->hits > w->executions / 2 && w->hits < w->executions;
    }
    return some;
}

/* ---- recognised again ---- */

/* 500 schedules give one warning, which is then produced every time. */
static bool known_by(const char *test, const char *option, rfi_abstraction by) {
    rfi_goodlock_alike = RFI_ALIKE_BY + by;
    uint32_t n = predict(test, 500)->warnings;
    rfi_goodlock_alike = RFI_ALIKE_BY + RFI_ABSTRACT_INDEX;
    return n == 1 ? produces_by(test, 1, "--executions=500", option) : because("%u warnings", n);
}

CASE(abstractions) {
    static const char *const option[] = {"--abstraction=site", "--abstraction=index",
                                         "--abstraction=object", "--abstraction=none"};
    seats = 5;
    for (unsigned by = 0; by < RFI_ABSTRACTIONS; by++) {
        char name[2][64];
        snprintf(name[0], sizeof name[0], "changing numbers, %s", option[by]);
        snprintf(name[1], sizeof name[1], "one cycle, %s", option[by]);
        lab_check(known_by("families", option[by], by), name[0], why);
        lab_check(known_by("philosophers", option[by], by), name[1], why);
    }
}

/* What each abstraction finds: of the test's warnings their number, and the mean share of hits. */
static double share_of_hits(const char *test, const char *option, uint32_t *warnings) {
    const rfi_study *s =
        lab_study(test, "--executions=2000", option, "--detect=goodlock", "--seconds=none", NULL);
    double sum = 0;
    *warnings = s->result.warnings;
    for (uint32_t i = 0; i < s->result.warnings; i++)
        sum += (double)s->result.warning[i].hits / (double)s->result.warning[i].executions;
    return *warnings ? sum / *warnings : 0;
}

CASE(abstractions_compared) {
    static const char *const option[] = {"auto", "index", "object", "site", "none"};
    static const char *const test[] = {"one_pair_of_six", "one_pair_of_six_owned", "ten_workers",
                                       "pairs"};
    double share[5][4];
    uint32_t warnings[5][4];
    for (unsigned i = 0; i < 5; i++) {
        char text[32];
        snprintf(text, sizeof text, "--abstraction=%s", option[i]);
        printf("# | %s |", option[i]);
        for (unsigned k = 0; k < 4; k++) {
            share[i][k] = share_of_hits(test[k], text, &warnings[i][k]);
            printf(" %.2f of %u |", share[i][k], warnings[i][k]);
        }
        printf("\n");
    }
    enum { AUTO, INDEX, OBJECT, SITE, NONE };
    const double *preset = share[AUTO], *index = share[INDEX], *object = share[OBJECT];
    LAB_CHECK("index produces the one pair of six every time, site in half of the executions",
              index[0] == 1 && index[1] == 1 && share[SITE][0] < 0.65 && share[NONE][0] < 0.65);
    LAB_CHECK("object tells locks of different owners apart, and no others",
              object[1] == 1 && object[0] < 0.65 && share[SITE][1] < 0.65);
    LAB_CHECK("and those that different threads have made",
              share_of_hits("one_pair_of_six_made", "--abstraction=object", &warnings[OBJECT][0]) ==
                  1);
    LAB_CHECK("ten workers have one deadlock by owners and statements, and many by index",
              warnings[OBJECT][2] == 1 && warnings[SITE][2] == 1 && warnings[INDEX][2] == 25);
    LAB_CHECK("by default it is one, and what index can produce is produced nearly always",
              warnings[AUTO][2] == 1 && preset[2] == 1 && preset[0] > 0.9 && preset[1] > 0.9);
    LAB_CHECK("by default all executions go by site where a warning stands for several cycles",
              warnings[AUTO][3] == 1 && preset[3] == 1 && warnings[INDEX][3] == 12);
}

CASE(requests) {
    static const struct {
        const char *name, *program;
        uint32_t warnings;
        bool produced; /* every time */
    } all[] = {
        {"a try is no request", "lock a; try b; if = 1 { unlock b }; unlock a |" B_THEN_A, 0, true},
        {"a timed lock is no request",
         "lock a; timed b 10; if = 1 { unlock b }; unlock a |" B_THEN_A, 0, true},
        {"what a try obtained is held", "try a; if = 1 { lock b; unlock b; unlock a } |" B_THEN_A,
         1, false},
        {"a spin lock and a mutex",
         "spin q; lock a; unlock a; unspin q | lock a; spin q; unspin q; unlock a", 1, true},
        {"a timed wait requests its mutex", WAITS_UNDER_A("timedwait c m 10"), 1, false},
        {"a wait requests its mutex", WAITS_UNDER_A("@8 wait c m"), 1, false},
    };
    for (unsigned i = 0; i < RFI_LENGTH(all); i++) {
        bool ok = all[i].produced
                      ? produces(text(all[i].program), all[i].warnings, "--executions=500")
                      : predict(text(all[i].program), 500)->warnings == all[i].warnings;
        lab_check(ok, all[i].name, why);
    }
    LAB_CHECK("where it waits", lab_tally.warning[0].side[0].site->line == line_of[8] ||
                                    lab_tally.warning[0].side[1].site->line == line_of[8]);
}

/* ---- what is said ---- */

static bool side_is(const rfi_side *s, unsigned at, const char *object, const char *locks) {
    char line[64];
    snprintf(line, sizeof line, "%s (deadlock_confirm.c:%u)", locks, line_of[at - 1]);
    return s->site->line == line_of[at] && !strcmp(s->object, object) && !strcmp(s->locks, line) &&
           !strcmp(s->role, "takes");
}

static bool inversion_is_told(void) {
    const rfi_warning *w = predict(text(INVERSION), 100)->warning;
    return lab_tally.warnings == 1 && w->sides == 2 && w->family == RF_FAMILY_DEADLOCK &&
           ((side_is(&w->side[0], 2, "b", "a") && side_is(&w->side[1], 4, "a", "b")) ||
            (side_is(&w->side[1], 2, "b", "a") && side_is(&w->side[0], 4, "a", "b")));
}

static bool limit_is_told(void) {
    lab_blocks = true;
    rfi_sink_tally = &lab_tally;
    rfi_goodlock_alike = RFI_ALIKE_BY + RFI_ABSTRACT_NONE;
    predict("crowd", 1);
    rfi_goodlock_alike = RFI_ALIKE_BY + RFI_ABSTRACT_INDEX;
    lab_blocks = false;
    uint32_t limits = 0;
    for (uint32_t i = 0; i < lab_tally.warnings; i++)
        limits += lab_tally.warning[i].family == RF_FAMILY_OTHER;
    return limits == 1 && lab_tally.warnings > 1;
}

/* Phase 1 deadlocks too, in fewer steps than some executions of phase 2. */
static bool told_once(void) {
    const rfi_study *s = lab_study(text(INVERSION), "--executions=1000", NULL);
    return s->causes == 1 && s->cause[0].job.phase == RFI_PREDICT &&
           rfi_cause_of_warning(&s->cause[0]) && s->result.harmful == 1 &&
           s->result.warning[0].seen > 0;
}

CASE(reports) {
    LAB_CHECK("a deadlock of both phases is one finding", told_once());
    LAB_CHECK("another deadlock than the one that is waited for is no hit",
              only_what_was_wanted_counts());
    LAB_CHECK("a prediction names the locks and where they were taken", inversion_is_told());
    lab_check(says(text(BESIDE_A_SPINNER),
                   "cycle T2 -> T3 -> T2\n"
                   "  T2 waits at @2 for mutex b, held by T3; it holds a (taken "
                   "at @1)\n"
                   "  T3 waits at @4 for mutex a, held by T2; it holds b (taken "
                   "at @3)"),
              "who can go on is left out", why);
    lab_check(says(text(SECOND_READER), "cycle T2 -> T3 -> T2\n"
                                        "  T0 waits at @7 for the end of T1\n"
                                        "  T1 waits at @2 for a post of semaphore n; it holds "
                                        "s (taken at @1)\n"
                                        "  T2 waits at @4 for mutex a, held by T3; it holds s "
                                        "(taken at @3)\n"
                                        "  T3 waits at @6 to write rwlock s, held by T1, T2; it "
                                        "holds a (taken at @5)"),
              "a cycle through the second reader is one", why);
    LAB_CHECK("the limit of work is told", limit_is_told());
}

/* ---- tokens ---- */

static void replay(const char *token) {
    char reason[256] = "";
    rfi_token t;
    lab_open();
    if (!rfi_token_read(token, &t, reason, sizeof reason)) rfi_die("%s", reason);
    t.job.test = rfi_test_named(t.test);
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, &t.job, t.index);
    printf("%u hits, %llx, %s\n", r->hit_count, (unsigned long long)r->hash, r->failure.message);
}

/* This program, anew, under each of the first tokens of a test. */
static bool replays(const char *program, const char *test) {
    rfi_job j = job_of_prediction(test);
    for (uint32_t i = 0; i < 10; i++) {
        char token[RFI_TOKEN_BYTES], command[RFI_TOKEN_BYTES + 1024], want[2048], got[2048];
        const rfi_record *r = rfi_team_replay(&lab_campaign.team, &j, i);
        rfi_token_write(&j, i, r, token);
        snprintf(want, sizeof want, "%u hits, %llx, %s\n", r->hit_count,
                 (unsigned long long)r->hash, r->failure.message);
        snprintf(command, sizeof command, "%s %d %s", program, seats, token);
        FILE *p = popen(command, "r");
        if (!p) return because("%s: %s", command, strerror(errno));
        got[fread(got, 1, sizeof got - 1, p)] = 0;
        pclose(p);
        if (!r->hit_count || strcmp(got, want)) return because("<%s> instead of <%s>", got, want);
    }
    return true;
}

static void tokens(const char *program) {
    seats = 4;
    lab_check(replays(program, text(INVERSION)), "tokens of two locks replay", why);
    lab_check(replays(program, "philosophers"), "tokens of four philosophers replay", why);
    seats = RF_TARGETS;
    lab_check(replays(program, "philosophers"), "tokens of sixteen philosophers replay", why);
    lab_check(replays(program, "families"), "tokens of changing numbers replay", why);
}

int main(int argc, char **argv) {
    if (argc == 3) {
        seats = atoi(argv[1]);
        (void)text(INVERSION);
        replay(argv[2]);
        return 0;
    }
    tokens(argv[0]);
    return lab_cases();
}
