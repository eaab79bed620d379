/* tests/native.c: the machine's own schedules (src/explore/native.h).  What is shown holds whatever
 * the machine does: results are right, what can't go on is reported, what was chosen is repeated.
 */
#define RF_IMPLEMENTATION
#include "tests/script.h"

/* ---- programs that are right ---- */

#define UNDER_LOCK                                                      \
 "body: start; again; again; again; join; R n; if ! 20 { fail lost } |" \
 "times 5 { lock m; R n; W n it+1; unlock m }"
#define READERS_WRITERS                                                \
 "body: start; again; again; again; join; R n; if ! 4 { fail lost } |" \
 "rdlock l; R n; keep; R s; if ! kept { fail torn }; rwunlock l;"      \
 "wrlock l; R n; W n it+1; R s; W s it+1; rwunlock l"

enum { WORKERS = 4, ROUNDS = 5 };

static rf_mutex mutex;
static rf_cond not_empty, not_full;
static int count, slots;

THREAD(adds) { RF_GUARD(&mutex) RF_STORE(count, RF_LOAD(count) + 1); }

RF_TEST(crowd) {
    count = 0;
    crew(2000, adds);
    RF_ASSERT_EQ(count, 2000);
}

static bool at_most_two(void *arg) {
    (void)arg;
    return slots >= 0 && slots <= 2;
}

/* Half of them fill, half empty two slots. */
static void *fills_or_empties(void *arg) {
    bool fills = *(int *)arg % 2;
    for (int i = 0; i < ROUNDS; i++) {
        RF_LOCK(&mutex);
        while (RF_LOAD(slots) == (fills ? 2 : 0)) RF_WAIT(fills ? &not_full : &not_empty, &mutex);
        RF_STORE(slots, RF_LOAD(slots) + (fills ? 1 : -1));
        RF_SIGNAL(fills ? &not_empty : &not_full);
        RF_UNLOCK(&mutex);
    }
    return NULL;
}

RF_TEST(bounded_buffer) {
    slots = 0;
    RF_INVARIANT(at_most_two, NULL);
    crew(WORKERS, fills_or_empties);
    RF_ASSERT_EQ(slots, 0);
}

static rf_barrier barrier = RF_BARRIER_INIT(WORKERS);
static rf_sem sem = RF_SEM_INIT(2);
static rf_once once;
static rf_atomic_int inside, most_inside, made;

static void makes(void) { rf_atomic_store(&made, rf_atomic_load(&made) + 1); }

THREAD(meets) {
    RF_ONCE(&once, makes);
    for (int i = 1; i <= ROUNDS; i++) {
        rf_atomic_fetch_add(&most_inside, 1);
        RF_BARRIER_WAIT(&barrier);
        RF_ASSERT_EQ(rf_atomic_load(&most_inside), WORKERS * i);
        RF_BARRIER_WAIT(&barrier);
        RF_SEM_WAIT(&sem);
        RF_ASSERT_LE(rf_atomic_fetch_add(&inside, 1), 1);
        RF_SLEEP_MS(1000);
        rf_atomic_fetch_sub(&inside, 1);
        RF_SEM_POST(&sem);
    }
}

RF_TEST(meetings) {
    rf_atomic_store(&most_inside, 0);
    rf_atomic_store(&inside, 0);
    rf_atomic_store(&made, 0);
    crew(WORKERS, meets);
    RF_ASSERT_EQ(rf_atomic_load(&made), 1);
}

/* Everybody spins, in three ways, until the one before has been there. */
static void *takes_turns(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (rf_atomic_load(&made) != me + i * WORKERS) {
            if (me == 1) RF_YIELD();
            if (me == 2) RF_SPIN_HINT();
        }
        rf_atomic_store(&made, me + i * WORKERS + 1);
    }
    return NULL;
}

RF_TEST(spinners) {
    rf_atomic_store(&made, 0);
    crew(WORKERS, takes_turns);
    RF_ASSERT_EQ(rf_atomic_load(&made), WORKERS * ROUNDS);
}

/* ---- programs that are wrong ---- */

#define MAY_DEADLOCK "lock m; lock n; unlock n; unlock m | lock n; lock m; unlock m; unlock n"

THREAD(waits_twice) { RF_BARRIER_WAIT(&barrier); }

RF_TEST(must_deadlock, .expect = RF_EXPECT_DEADLOCK) { crew(WORKERS - 1, waits_twice); }

static char order[64];
static int steps_of[3], length;

/* Notes who made a step; computes for a while between two of them. */
static void *notes(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 8; i++) {
        for (volatile unsigned k = 0; k < 500; k++) continue;
        (void)RF_LOAD(steps_of[me]);
        steps_of[me]++;
        order[length++] = (char)('a' + me);
    }
    return NULL;
}

RF_TEST(noted) {
    memset(order, 0, sizeof order);
    memset(steps_of, 0, sizeof steps_of);
    length = 0;
    crew(3, notes);
}

THREAD(loses) {
    for (int i = 0; i < 20; i++) RF_STORE(count, RF_LOAD(count) + 1);
}

RF_TEST(lost_update) {
    count = 0;
    crew(3, loses);
    RF_ASSERT_EQ(count, 60);
}

#define LONG_RUN "times 5000 { load a; load b } | times 5000 { load a; load b }"

/* ---- what is shown of them ---- */

/* A name, and a program; NULL: the test of that name. */
typedef struct known {
    const char *name, *program;
} known;

static rfi_job native_job(known k, bool fine) {
    lab_open();
    if (k.program) script_is(k.program, true);
    rfi_job j = lab_job_of(k.program ? "script" : k.name, RFI_PREDICT, fine);
    j.strategy = &rfi_native;
    return j;
}

CASE(test_results) {
    static const known program[] = {
        {"under_lock", UNDER_LOCK}, {"readers_writers", READERS_WRITERS},
        {"bounded_buffer", NULL},   {"meetings", NULL},
        {"spinners", NULL},         {"crowd", NULL}};
    for (unsigned i = 0; i < RFI_LENGTH(program); i++)
        for (unsigned fine = 0; fine < 2; fine++) {
            uint32_t n = i == 5 ? 1 : by_night(15, 50);
            rfi_job j = native_job(program[i], fine);
            const rfi_tally *t = lab_job(&j, n);
            lab_check(t->executions == n && !lab_failures(t), program[i].name,
                      t->failures ? t->failure[0].failure.message : "not all have run");
        }
}

CASE(test_deadlocks) {
    rfi_job j = native_job((known){"must_deadlock", NULL}, true);
    const rfi_tally *t = lab_job(&j, 40);
    LAB_CHECK("deadlock_reported", t->failures == 1 && t->failure[0].count == 40 &&
                                       t->failure[0].failure.diagnostic == RF_DIAG_STUCK);
    j = native_job((known){"may_deadlock", MAY_DEADLOCK}, true);
    t = lab_job(&j, 500);
    printf("# may_deadlock: %llu of 500\n", (unsigned long long)lab_failures(t));
    LAB_CHECK("cycle_or_nothing",
              t->executions == 500 && t->failures <= 1 &&
                  (!t->failures || t->failure[0].failure.diagnostic == RF_DIAG_LOCK_CYCLE));
}

/* What an execution was. */
typedef struct course {
    uint64_t hash, events, steps, switches;
    rf_diagnostic diagnostic;
    uint32_t bytes;
    char message[RFI_MESSAGE_BYTES];
    uint8_t used[RF_USED_BYTES];
} course;

static void run(const rfi_job *j, uint32_t index, course *c) {
    const rfi_record *r = lab_run(j, index, true);
    *c = (course){.hash = r->hash,
                  .events = r->events,
                  .steps = r->steps,
                  .switches = r->switches,
                  .diagnostic = r->failure.diagnostic,
                  .bytes = r->used_bytes};
    if (c->diagnostic) memcpy(c->message, r->failure.message, sizeof c->message);
    memcpy(c->used, r->used, r->used_bytes);
}

/* The number of executions whose replay was another one, and of those that failed. */
static void replay_all(const char *name, rfi_job *j, uint32_t n) {
    static course first, again;
    uint64_t failed = 0, bytes = 0;
    uint32_t differ = 0;
    rfi_tally_reset(&lab_tally);
    for (uint32_t i = 0; i < n; i++) {
        run(j, i, &first);
        rfi_native.recall(first.used, first.bytes);
        run(j, i, &again);
        differ += memcmp(&first, &again, sizeof first) != 0;
        failed += first.diagnostic != RF_DIAG_NONE;
        bytes += first.bytes;
    }
    printf("# %s: %llu of %u failed, %.1f bytes each\n", name, (unsigned long long)failed, n,
           (double)bytes / n);
    char why[64];
    snprintf(why, sizeof why, "%u of %u replays differ", differ, n);
    lab_check(!differ, name, why);
}

CASE(test_replays) {
    static const known program[] = {{"lost_update", NULL},    {"may_deadlock", MAY_DEADLOCK},
                                    {"bounded_buffer", NULL}, {"meetings", NULL},
                                    {"spinners", NULL},       {"must_deadlock", NULL}};
    for (unsigned i = 0; i < RFI_LENGTH(program); i++) {
        for (unsigned fine = 0; fine < 2; fine++) {
            rfi_job j = native_job(program[i], fine);
            j.spurious = true;
            replay_all(named("replayed_%s_%s", program[i].name, fine ? "fine" : "coarse"), &j,
                       by_night(8, 20));
        }
    }
    rfi_job j = native_job((known){"meetings", NULL}, true);
    j.memory.atomics = RF_MEM_C11;
    replay_all("replayed_with_old_values", &j, 30);
    j = native_job((known){"crowd", NULL}, true);
    replay_all("replayed_crowd", &j, 1);
}

/* A record may say anything, so replays need no luck to go another way each time; when it is full,
 * chance decides. */
CASE(test_full_record) {
    static uint8_t bytes[RF_USED_BYTES];
    static course first, again;
    rfi_job j = native_job((known){"long_run", LONG_RUN}, true);
    rfi_native.recall(bytes, sizeof bytes);
    run(&j, 0, &first);
    rfi_native.recall(first.used, first.bytes);
    run(&j, 0, &again);
    LAB_CHECK("other_thread_each_time", first.switches > 19000 && first.bytes > 19000);
    LAB_CHECK("the_same_again", !memcmp(&first, &again, sizeof first));
    j = native_job((known){"lost_update", NULL}, true);
    rfi_native.recall(NULL, 0);
    run(&j, 0, &first);
    LAB_CHECK("usual_if_nothing_is_known", first.bytes == 0 && first.diagnostic == RF_DIAG_NONE);
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 37 + i / 7);
    for (uint32_t from = 0; from < 4000; from += 100) { /* none of these is a record of it */
        rfi_native.recall(bytes + from, 100);
        run(&j, from, &first);
        rfi_native.recall(first.used, first.bytes);
        run(&j, from, &again);
        if (memcmp(&first, &again, sizeof first)) break;
    }
    LAB_CHECK("any_record_repeats", !memcmp(&first, &again, sizeof first));
}

static int by_text(const void *a, const void *b) { return memcmp(a, b, sizeof order); }

CASE(test_schedules) {
    enum { N = 300 };
    static char seen[N][sizeof order];
    static course c;
    rfi_job j = native_job((known){"noted", NULL}, true);
    unsigned illegal = 0, different = 1;
    for (uint32_t i = 0; i < N; i++) {
        run(&j, i, &c);
        memcpy(seen[i], order, sizeof order);
        illegal += length != 24 || steps_of[0] != 8 || steps_of[1] != 8 || steps_of[2] != 8 ||
                   c.diagnostic != RF_DIAG_NONE;
    }
    qsort(seen, N, sizeof *seen, by_text);
    for (uint32_t i = 1; i < N; i++) different += by_text(seen[i - 1], seen[i]) != 0;
    printf("# %u different schedules in %d executions\n", different, N);
    LAB_CHECK("schedules_are_legal", !illegal);
}

/* ---- beside others ---- */

/* Jobs of other strategies are the same before and after one on real threads. */
CASE(test_back_ends) {
    static course before, after;
    rfi_job j = lab_job_of("lost_update", RFI_PREDICT, true);
    run(&j, 7, &before);
    bool fibers = rfi_backend.kind == rfi.backend;
    rfi_job n = native_job((known){"lost_update", NULL}, true);
    run(&n, 7, &after);
    LAB_CHECK("real_threads", rfi_backend.kind == RFI_BACKEND_THREADS);
    run(&j, 7, &after);
    LAB_CHECK("back_end_returns", fibers && rfi_backend.kind == rfi.backend);
    LAB_CHECK("others_are_not_disturbed", !memcmp(&before, &after, sizeof before));
}

static const rf_strategy unhurried = {.name = "unhurried", .pick = rf_choice_offered};

/* On fibers nobody is faster than the thread that runs. */
CASE(test_fibers) {
    static course slow, usual;
    rfi_job j = native_job((known){"lost_update", NULL}, true);
    j.strategy = &unhurried;
    run(&j, 0, &slow);
    LAB_CHECK("fibers_offer_the_same", rfi_backend.kind == rfi.backend);
    j.strategy = &rfi_native;
    rfi_native.recall(NULL, 0);
    run(&j, 0, &usual);
    LAB_CHECK("usual_on_fibers", !memcmp(&slow, &usual, sizeof slow));
}

/* RaceFuzzer steers; the machine chooses among those it leaves. */
CASE(test_checker) {
    uint32_t line = 0;
    lab_look("lost_update");
    for (uint32_t i = 0; i < rfi_site_table.count; i++) {
        const rf_site *s = rfi_site_table.site[i];
        if (s && s->kind == RF_SITE_WRITE && !strcmp(s->function, "loses_does")) line = s->line;
    }
    rfi_job j = lab_job_about("lost_update", RFI_CONFIRM, line, 'R', line, 'W', LAB_COARSE);
    j.strategy = &rfi_native;
    const rfi_tally *t = lab_job(&j, 200);
    printf("# checker: %llu hits of 200\n", (unsigned long long)t->hits);
    LAB_CHECK("checker_hits", t->hits == 200);
    replay_all("replayed_with_checker", &j, 30);
}

static bool some_in(const char *seconds) {
    const rfi_study *s =
        lab_study("noted", "--strategy=native", "--executions=100000000", seconds, NULL);
    return s->result.executions[0] > 0 && s->result.executions[0] < 100000000;
}

CASE(test_campaign) {
    LAB_CHECK("time_limit", some_in("--seconds=0.1") || some_in("--seconds=30"));
    const rfi_study *s = lab_study("must_deadlock", "--strategy=native", "--executions=100", NULL);
    LAB_CHECK("campaign_finds_deadlock", s->result.passed);
}

int main(void) { return lab_cases(); }
