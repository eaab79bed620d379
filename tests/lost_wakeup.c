/* Lost wake-ups (docs/findings.md): which waits are suspected, which are not, and that what is
 * suspected rightly is produced. */
#define RF_IMPLEMENTATION
#include "lab.h"

static rf_mutex m = RF_MUTEX_INIT, other = RF_MUTEX_INIT;
static rf_cond c = RF_COND_INIT;
static rf_sem begun;
static bool flag;
static int statistics, phase, waiting, steps[20];
static _Atomic bool stop;

static void begin(void) {
    flag = false;
    statistics = phase = waiting = 0;
    rf_atomic_init(&stop, false);
    rf_sem_init(&begun, "begun", 0);
}

static void run_two(void *(*a)(void *), void *(*b)(void *)) {
    begin();
    lab_two(a, b);
}

static void run_three(void *(*a)(void *), void *(*b)(void *), void *(*d)(void *)) {
    begin();
    lab_three(a, b, d);
}

/* ---- wrong ---- */

THREAD(waits) {
    RF_LOCK(&m);
    RF_WAIT(&c, &m);
    RF_UNLOCK(&m);
}

THREAD(signals) { RF_GUARD(&m) RF_SIGNAL(&c); }

static void *signals_late(void *arg) {
    for (int i = 0; i < 20; i++) RF_STORE(steps[i], i);
    return signals(arg);
}

THREAD(signals_unlocked) { RF_SIGNAL(&c); }

THREAD(broadcasts) { RF_GUARD(&m) RF_BROADCAST(&c); }

RF_TEST(no_predicate, .no_spurious = true) { run_two(waits, signals); }
RF_TEST(no_predicate_expected, .no_spurious = true, .expect = RF_EXPECT_DEADLOCK) {
    run_two(waits, signals);
}
RF_TEST(no_predicate_spurious) { run_two(waits, signals); }
RF_TEST(signal_comes_late, .no_spurious = true) { run_two(waits, signals_late); }
RF_TEST(signal_unlocked, .no_spurious = true) { run_two(waits, signals_unlocked); }
RF_TEST(broadcast_to_two, .no_spurious = true) { run_three(waits, waits, broadcasts); }

THREAD(waits_for_flag) {
    RF_GUARD(&m) {
        while (!RF_RACY_LOAD(flag)) RF_WAIT(&c, &m);
    }
}

THREAD(sets_unlocked) {
    RF_RACY_STORE(flag, true);
    RF_SIGNAL(&c);
}

THREAD(sets_under_another) {
    RF_GUARD(&other) {
        RF_RACY_STORE(flag, true);
        RF_SIGNAL(&c);
    }
}

THREAD(signals_and_then_sets) {
    RF_SIGNAL(&c);
    RF_GUARD(&m) RF_RACY_STORE(flag, true);
}

RF_TEST(set_unlocked, .no_spurious = true) { run_two(waits_for_flag, sets_unlocked); }
RF_TEST(set_under_another, .no_spurious = true) { run_two(waits_for_flag, sets_under_another); }
RF_TEST(set_after_the_signal, .no_spurious = true) {
    run_two(waits_for_flag, signals_and_then_sets);
}

THREAD(sets) {
    RF_GUARD(&m) {
        RF_RACY_STORE(flag, true);
        RF_SIGNAL(&c);
    }
}

static void *looks_before_it_locks(void *arg) { return RF_RACY_LOAD(flag) ? arg : waits(arg); }

RF_TEST(look_before_the_lock, .no_spurious = true) { run_two(looks_before_it_locks, sets); }

/* Looks at something, but not at what is changed. */
THREAD(looks_elsewhere) {
    RF_GUARD(&m) {
        if (!RF_LOAD(statistics)) RF_WAIT(&c, &m);
    }
}

RF_TEST(look_elsewhere, .no_spurious = true) { run_two(looks_elsewhere, sets); }

THREAD(waits_twice) {
    RF_GUARD(&m) {
        for (int i = 0; i < 2; i++) RF_WAIT(&c, &m);
    }
}

/* The first signal is not lost: it waits for the waiter. */
THREAD(signals_twice) {
    for (bool there = false; !there; RF_YIELD()) RF_GUARD(&m) there = c.object.waiters != 0;
    for (int i = 0; i < 2; i++) {
        RF_GUARD(&m) RF_SIGNAL(&c);
        for (int k = 0; k < 8; k++) RF_STORE(steps[k], k);
    }
}

RF_TEST(second_signal, .no_spurious = true) { run_two(waits_twice, signals_twice); }

/* ---- right ---- */

THREAD(sets_and_then_signals) {
    RF_GUARD(&m) RF_RACY_STORE(flag, true);
    RF_SIGNAL(&c);
}

THREAD(signals_first) {
    RF_GUARD(&m) {
        RF_SIGNAL(&c);
        RF_RACY_STORE(flag, true);
    }
}

THREAD(sets_then_locks) {
    RF_RACY_STORE(flag, true);
    RF_GUARD(&m) RF_SIGNAL(&c);
}

THREAD(sets_then_locks_then_signals) {
    RF_RACY_STORE(flag, true);
    RF_GUARD(&m) RF_STORE(statistics, 1);
    RF_SIGNAL(&c);
}

THREAD(waits_if) {
    RF_GUARD(&m) {
        if (!RF_LOAD(flag)) RF_WAIT(&c, &m);
    }
}

RF_TEST(signal_in_the_section) { run_two(waits_for_flag, sets); }
RF_TEST(signal_behind_the_section) { run_two(waits_for_flag, sets_and_then_signals); }
RF_TEST(signal_before_the_change) { run_two(waits_for_flag, signals_first); }
RF_TEST(change_before_the_section) { run_two(waits_for_flag, sets_then_locks); }
RF_TEST(section_between) { run_two(waits_for_flag, sets_then_locks_then_signals); }
RF_TEST(predicate_by_if, .no_spurious = true) { run_two(waits_if, sets); }

/* The flag is raised by one thread, the signal comes from another. */
THREAD(sets_and_posts) {
    RF_GUARD(&m) RF_RACY_STORE(flag, true);
    RF_SEM_POST(&begun);
}

static void *signals_when_told(void *arg) {
    RF_SEM_WAIT(&begun);
    return signals_unlocked(arg);
}

RF_TEST(signal_by_another) { run_three(waits_for_flag, sets_and_posts, signals_when_told); }

/* Signals that change nothing find the waiter back in its wait. */
static void *pokes(void *arg) {
    for (int i = 0; i < 3; i++) RF_GUARD(&m) RF_SIGNAL(&c);
    return sets(arg);
}

RF_TEST(useless_signals) { run_two(waits_for_flag, pokes); }

/* An order that every schedule has. */
THREAD(posts_and_waits) {
    RF_LOCK(&m);
    RF_SEM_POST(&begun);
    RF_WAIT(&c, &m);
    RF_UNLOCK(&m);
}

static void *signals_when_begun(void *arg) {
    RF_SEM_WAIT(&begun);
    return signals(arg);
}

RF_TEST(begun_first, .no_spurious = true) { run_two(posts_and_waits, signals_when_begun); }

THREAD(signals_atomically) {
    rf_atomic_store(&stop, true);
    RF_GUARD(&m) RF_BROADCAST(&c);
}

THREAD(waits_for_stop) {
    RF_GUARD(&m) {
        while (!rf_atomic_load(&stop)) RF_WAIT(&c, &m);
    }
}

RF_TEST(atomic_predicate) { run_three(waits_for_stop, waits_for_stop, signals_atomically); }

THREAD(waits_timed) { RF_GUARD (&m)(void) RF_TIMEDWAIT(&c, &m, 10); }

RF_TEST(timed) { run_two(waits_timed, signals); }

THREAD(takes) { RF_SEM_WAIT(&begun); }

THREAD(posts) { RF_SEM_POST(&begun); }

RF_TEST(semaphore) { run_two(takes, posts); }

/* A ring with two conditions, two producers and two consumers. */
enum { ROOM = 2, ITEMS = 3 };
static rf_cond not_full = RF_COND_INIT, not_empty = RF_COND_INIT;
static int count, taken;

THREAD(produces) {
    for (int i = 0; i < ITEMS; i++) {
        RF_GUARD(&m) {
            while (RF_LOAD(count) == ROOM) RF_WAIT(&not_full, &m);
            RF_STORE(count, RF_LOAD(count) + 1);
            RF_SIGNAL(&not_empty);
        }
    }
}

THREAD(consumes) {
    for (int i = 0; i < ITEMS; i++) {
        RF_LOCK(&m);
        while (RF_LOAD(count) == 0) RF_WAIT(&not_empty, &m);
        RF_STORE(count, RF_LOAD(count) - 1);
        RF_STORE(taken, RF_LOAD(taken) + 1);
        RF_UNLOCK(&m);
        RF_SIGNAL(&not_full);
    }
}

RF_TEST(ring) {
    count = taken = 0;
    rf_thread t[] = {RF_THREAD(produces, NULL), RF_THREAD(consumes, NULL),
                     RF_THREAD(produces, NULL), RF_THREAD(consumes, NULL)};
    for (int i = 0; i < 4; i++) RF_JOIN(t[i]);
    RF_ASSERT_EQ(taken, 2 * ITEMS);
}

/* A barrier by hand. */
THREAD(arrives) {
    for (int round = 0; round < 2; round++) {
        RF_GUARD(&m) {
            int mine = RF_LOAD(phase);
            RF_STORE(waiting, RF_LOAD(waiting) + 1);
            if (RF_LOAD(waiting) == 3) {
                RF_STORE(waiting, 0);
                RF_STORE(phase, mine + 1);
                RF_BROADCAST(&c);
            }
            while (RF_LOAD(phase) == mine) RF_WAIT(&c, &m);
        }
    }
}

RF_TEST(barrier_by_hand) { run_three(arrives, arrives, arrives); }

/* ---- suspected wrongly: the notifier asks until somebody waits ---- */

THREAD(says_and_waits) {
    RF_GUARD(&m) {
        RF_STORE(waiting, 1);
        RF_WAIT(&c, &m);
    }
}

static void *asks_and_signals(void *arg) {
    for (bool there = false; !there; RF_YIELD()) RF_GUARD(&m) there = RF_LOAD(waiting) == 1;
    return signals(arg);
}

RF_TEST(notifier_asks, .no_spurious = true) { run_two(says_and_waits, asks_and_signals); }

/* ---- what is checked ---- */

/* The one of the lost wake-ups that was produced most often; NULL: none is suspected. */
static const rfi_warning *lost(const rfi_study *s) {
    const rfi_warning *most = NULL;
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        if (w->family == RF_FAMILY_LOST_WAKEUP && (!most || w->hits > most->hits)) most = w;
    }
    return most;
}

/* Predicted, and produced with at least this probability. */
static void test_wrong(void) {
    static const struct {
        const char *test, *text;
        double least;
    } wrong[] = {
        {"no_predicate", "nothing that the notifier changes", 1},
        {"no_predicate_spurious", "nothing that the notifier changes", 0.9},
        {"signal_comes_late", "nothing that the notifier changes", 1},
        {"signal_unlocked", "nothing that the notifier changes", 1},
        {"broadcast_to_two", "nothing that the notifier changes", 1},
        {"set_unlocked", "changed without its mutex", 1},
        {"set_under_another", "changed without its mutex", 1},
        {"set_after_the_signal", "changed after the notification", 0.25},
        {"look_before_the_lock", "checks before it takes the mutex", 1},
        {"look_elsewhere", "nothing that the notifier changes", 1},
        {"second_signal", "nothing that the notifier changes", 0.75},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char name[128];
        const rfi_study *s = lab_study(wrong[i].test, "--executions=400", NULL);
        const rfi_warning *w = lost(s);
        snprintf(name, sizeof name, "%s: the wake-up may be lost", wrong[i].test);
        if (!LAB_CHECK(name, w && strstr(w->text, wrong[i].text))) continue;
        printf("# %s: %llu of %llu\n", wrong[i].test, (unsigned long long)w->hits,
               (unsigned long long)w->executions);
        snprintf(name, sizeof name, "%s: it is lost in a share of at least %g", wrong[i].test,
                 wrong[i].least);
        LAB_CHECK(name, (double)w->hits >= wrong[i].least * (double)w->executions &&
                            w->failed == w->hits && !s->result.passed);
    }
}

static void test_right(void) {
    static const char *const right[] = {"signal_in_the_section",
                                        "signal_behind_the_section",
                                        "signal_before_the_change",
                                        "change_before_the_section",
                                        "section_between",
                                        "predicate_by_if",
                                        "signal_by_another",
                                        "useless_signals",
                                        "begun_first",
                                        "atomic_predicate",
                                        "timed",
                                        "semaphore",
                                        "ring",
                                        "barrier_by_hand"};
    for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
        char name[128];
        const rfi_study *s =
            lab_study(right[i], "--executions=1000", "--strategy=random,lostwakeup", NULL);
        snprintf(name, sizeof name, "%s: nothing is suspected, nothing fails", right[i]);
        LAB_CHECK(name, !lost(s) && !s->causes && s->result.executions[0] == 1000);
        s = lab_study(right[i], "--executions=1000", NULL);
        snprintf(name, sizeof name, "%s: nothing is produced, nothing fails", right[i]);
        LAB_CHECK(name, !(lost(s) && lost(s)->hits) && !s->causes);
    }
}

static void test_judgement(void) {
    const rfi_tally *t = lab_random("signal_comes_late", 1000, LAB_FINE);
    LAB_CHECK("random schedules do not lose a signal that comes late",
              t->executions == 1000 && !t->failures);
    const rfi_study *s = lab_study("no_predicate_expected", "--executions=100", NULL);
    LAB_CHECK("a lost wake-up can be expected as a deadlock",
              s->result.passed && s->result.harmful == 1 && lost(s));
    s = lab_study("notifier_asks", "--executions=1000", NULL);
    LAB_CHECK("a wait that is suspected wrongly is not produced and does not fail the test",
              lost(s) && lost(s)->executions == 1000 && !lost(s)->hits && s->result.passed &&
                  s->result.potential == 1);
}

static void test_replay(void) {
    const rfi_study *s = lab_study("set_unlocked", "--executions=100", NULL);
    rfi_record *r = &lab_campaign.team.here->record;
    char token[RFI_TOKEN_BYTES], why[256];
    rfi_token t = {.index = 0};
    rfi_plan p;
    uint32_t i = 0;
    while (i < s->result.warnings && &s->result.warning[i] != lost(s)) i++;
    rfi_job j = s->cases[i].job;
    rfi_job_arm(&j);
    rfi_job_plan(&j, true, &p);
    rfi_job_run(&j, &p, s->cases[i].harm.index, r);
    rfi_token_write(&j, r->index, r, token);
    uint64_t hash = r->hash;
    printf("# %s\n", token);
    LAB_CHECK("a token names the checker", strstr(token, ".lostwakeup.") && r->hit_count == 1);
    LAB_CHECK("a token is read", rfi_token_read(token, &t, why, sizeof why));
    t.job.test = j.test;
    t.job.spurious = j.spurious;
    rfi_job_arm(&t.job);
    rfi_job_plan(&t.job, true, &p);
    rfi_job_run(&t.job, &p, t.index, r);
    LAB_CHECK("a token replays", r->hash == hash && r->failure.diagnostic == RF_DIAG_STUCK);
}

int main(void) {
    test_wrong();
    test_right();
    test_judgement();
    test_replay();
    return lab_end();
}
