/* Logical threads: results, detaching, thread-local data, virtual time, thousands of them, misuse.
 */
#define RF_IMPLEMENTATION
#include "schedules.h"

/* ---- results ---- */

static void *same(void *arg) { return arg; }

THREAD(yields) { RF_YIELD(); }

PASSING(join_gives_the_result_of_the_thread) {
    static int a, b, c;
    rf_thread t = RF_THREAD(same, &a), u = RF_THREAD(yields, &b), v = RF_THREAD(yields, NULL);
    RF_YIELD(); /* some may have ended */
    RF_ASSERT_EQ(RF_JOIN(v), NULL);
    RF_ASSERT_EQ(RF_JOIN(t), (void *)&a);
    RF_ASSERT_EQ(RF_JOIN(u), (void *)&b);
    RF_ASSERT_EQ(RF_JOIN(RF_THREAD(same, &c)), (void *)&c);
}

static int order[3], count;

static void *note(void *number) {
    RF_YIELD();
    order[count++] = *(int *)number;
    return NULL;
}

static int number[3] = {0, 1, 2};

/* Outcome: in which order they run. */
REACHING(6, threads_run_in_any_order) {
    count = 0;
    rf_thread t[3];
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(note, &number[i]);
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    seen[order[0] * 2 + (order[1] > order[2])]++;
}

/* The execution lasts until detached threads have ended.  Outcomes: the body ends first, or not. */
static bool body_ended;

THREAD(detached) {
    RF_YIELD();
    seen[body_ended ? 0 : 1]++;
    count++;
}

REACHING(2, an_execution_lasts_until_detached_threads_have_ended) {
    body_ended = false;
    rf_thread t = RF_THREAD(detached, NULL), u = RF_THREAD(detached, NULL);
    RF_DETACH(t);
    RF_YIELD();
    RF_DETACH(u);
    body_ended = true;
}

THREAD(detaches_itself) { RF_DETACH(RF_SELF()); }

PASSING(a_thread_may_detach_itself) { (void)RF_THREAD(detaches_itself, NULL); }

/* Neither joined nor detached is all right too. */
PASSING(a_thread_need_not_be_joined) { (void)RF_THREAD(yields, NULL); }

static rf_thread self_of[2];

static void *tell_self(void *where) {
    *(rf_thread *)where = RF_SELF();
    return NULL;
}

PASSING(self_is_the_handle_that_the_creator_got) {
    rf_thread t[2];
    for (int i = 0; i < 2; i++) t[i] = RF_THREAD(tell_self, &self_of[i]);
    for (int i = 0; i < 2; i++) (void)RF_JOIN(t[i]);
    for (int i = 0; i < 2; i++) RF_ASSERT_MEM_EQ(&t[i], &self_of[i], sizeof t[i]);
    RF_ASSERT_EQ(RF_SELF().id, 0);
    RF_ASSERT_EQ(t[0].id, 1);
}

/* A tree of threads, each of which joins its children. */
static void *tree(void *depth) {
    int d = *(int *)depth;
    if (!d) return depth;
    int below = d - 1;
    rf_thread t = RF_THREAD(tree, &below), u = RF_THREAD(tree, &below);
    RF_ASSERT_EQ(RF_JOIN(u), (void *)&below);
    RF_ASSERT_EQ(RF_JOIN(t), (void *)&below);
    return depth;
}

PASSING(threads_create_and_join_threads) {
    int depth = 3;
    (void)tree(&depth);
}

/* ---- what each thread has of its own ---- */

typedef struct {
    int a;
    double b[3];
} wide;

RF_TLS(int, tls_int);
RF_TLS(wide, tls_wide);
RF_TLS(char, tls_0);
RF_TLS(char, tls_1);
RF_TLS(char, tls_2);
RF_TLS(char, tls_3);
RF_TLS(char, tls_4);
RF_TLS(char, tls_5);
RF_TLS(char, tls_6);
RF_TLS(char, tls_7);

static void *use_tls(void *id) {
    int mine = *(int *)id + 1;
    char *const small[] = {RF_TLS_PTR(tls_7), RF_TLS_PTR(tls_0), RF_TLS_PTR(tls_1),
                           RF_TLS_PTR(tls_2), RF_TLS_PTR(tls_3), RF_TLS_PTR(tls_4),
                           RF_TLS_PTR(tls_5), RF_TLS_PTR(tls_6)};
    RF_ASSERT_EQ(*RF_TLS_PTR(tls_int), 0);
    RF_ASSERT(RF_TLS_PTR(tls_wide)->a == 0 && RF_TLS_PTR(tls_wide)->b[2] == 0);
    for (int i = 0; i < 8; i++) RF_ASSERT_EQ(*small[i], 0);
    *RF_TLS_PTR(tls_int) = mine;
    RF_TLS_PTR(tls_wide)->b[2] = mine;
    for (int i = 0; i < 8; i++) *small[i] = (char)(mine + i);
    RF_YIELD();
    RF_ASSERT_EQ(*RF_TLS_PTR(tls_int), mine);
    RF_ASSERT_EQ(RF_TLS_PTR(tls_wide)->b[2], mine);
    for (int i = 0; i < 8; i++) RF_ASSERT_EQ(*small[i], mine + i);
    return NULL;
}

PASSING(thread_local_objects_are_zero_and_private) {
    rf_thread t = RF_THREAD(use_tls, &number[1]), u = RF_THREAD(use_tls, &number[2]);
    (void)use_tls(&number[0]);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
}

static void *use_errno(void *id) {
    int mine = *(int *)id + 1;
    RF_ASSERT_EQ(errno, 0);
    errno = mine;
    RF_YIELD();
    RF_ASSERT_EQ(errno, mine);
    RF_SLEEP_MS(5);
    RF_ASSERT_EQ(errno, mine);
    return NULL;
}

PASSING(errno_is_zero_and_private) {
    errno = 77;
    rf_thread t = RF_THREAD(use_errno, &number[0]), u = RF_THREAD(use_errno, &number[1]);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
    RF_ASSERT_EQ(errno, 77);
}

/* ---- virtual time ---- */

static void *sleep_days(void *id) {
    RF_SLEEP_MS(UINT64_C(1000) * 3600 * 24 * (unsigned)(1 + *(int *)id));
    order[count++] = *(int *)id;
    return NULL;
}

/* Outcome: in which order they wake: any, a thread may be held up for as long as one likes. */
REACHING(6, sleepers_wake_in_any_order_and_never_wait_for_real) {
    count = 0;
    rf_thread t[3];
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(sleep_days, &number[i]);
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    seen[order[0] * 2 + (order[1] > order[2])]++;
}

/* Time-outs of three kinds, in every order. */
static rf_mutex taken = RF_MUTEX_INIT;
static rf_sem never = RF_SEM_INIT(0);

THREAD(time_out_mutex) {
    RF_ASSERT(!RF_TIMEDLOCK(&taken, 3));
    order[count++] = 0;
}

THREAD(time_out_sem) {
    RF_ASSERT(!RF_SEM_TIMEDWAIT(&never, 1));
    order[count++] = 1;
}

THREAD(time_out_cond) {
    rf_mutex m = RF_MUTEX_INIT;
    rf_cond c = RF_COND_INIT;
    RF_LOCK(&m);
    RF_ASSERT(!RF_TIMEDWAIT(&c, &m, 2));
    RF_UNLOCK(&m);
    order[count++] = 2;
}

REACHING(6, time_outs_fire_in_any_order, .no_spurious = true) {
    count = 0;
    RF_LOCK(&taken);
    rf_thread t[3] = {RF_THREAD(time_out_mutex, NULL), RF_THREAD(time_out_sem, NULL),
                      RF_THREAD(time_out_cond, NULL)};
    for (int i = 0; i < 3; i++) (void)RF_JOIN(t[i]);
    seen[order[0] * 2 + (order[1] > order[2])]++;
    RF_UNLOCK(&taken);
}

/* ---- many ---- */

enum { MANY = 5000 };
static rf_barrier all = RF_BARRIER_INIT(MANY + 1);
static rf_thread crowd[MANY];

THREAD(stand) {
    count++;
    (void)RF_BARRIER_WAIT(&all);
}

RF_TEST(thousands) {
    count = 0;
    for (int i = 0; i < MANY; i++) crowd[i] = RF_THREAD(stand, &crowd[i]);
    (void)RF_BARRIER_WAIT(&all);
    RF_ASSERT_EQ(count, MANY);
    for (int i = 0; i < MANY; i++) RF_ASSERT_EQ(RF_JOIN(crowd[i]), (void *)&crowd[i]);
}

static bool thousands(bool fine) {
    const rfi_tally *t = lab_random("thousands", 2, fine);
    return t->executions == 2 && t->failures == 0;
}

RF_TEST(thousands_stuck) {
    for (int i = 0; i < MANY - 1; i++) (void)RF_THREAD(stand, NULL);
}

static bool thousands_stuck(void) {
    const rfi_tally *t = lab_random("thousands_stuck", 1, LAB_FINE);
    return t->failures == 1 && t->failure[0].failure.diagnostic == RF_DIAG_STUCK &&
           !strncmp(t->failure[0].failure.message, "4999 threads wait", 17);
}

RF_TEST(too_many) {
    for (int i = 0; i < 1000; i++) AT(1, (void)RF_THREAD(yields, NULL));
}

/* With stacks of 1 GiB and 64 GiB of address space, which AddressSanitizer can't live in. */
#ifndef RFI_ASAN
static bool too_many(void) {
    struct rlimit old, little;
    rfi_job j = lab_job_of("too_many", RFI_PREDICT, LAB_FINE);
    j.stack_size = (size_t)1 << 30;
    if (getrlimit(RLIMIT_AS, &old)) return false;
    little = old;
    little.rlim_cur = (rlim_t)64 << 30;
    if (setrlimit(RLIMIT_AS, &little)) return false;
    const rfi_tally *t = lab_job(&j, 3);
    (void)setrlimit(RLIMIT_AS, &old);
    const rfi_failure *f = &t->failure[0].failure;
    return t->executions == 3 && t->failures == 1 && f->diagnostic == RF_DIAG_LIMIT &&
           f->site->line == line_of[1] &&
           strstr(f->message, "the system has no room for the stacks of");
}
#endif

/* ---- misuse ---- */

FAILING_ALWAYS(joining_oneself_fails, JOIN_SELF, 1, "T0 joins itself") {
    AT(1, (void)RF_JOIN(RF_SELF()));
}

FAILING_ALWAYS(joining_twice_fails, JOIN_TWICE, 1, "T1 was joined before") {
    rf_thread t = RF_THREAD(yields, NULL);
    (void)RF_JOIN(t);
    AT(1, (void)RF_JOIN(t));
}

FAILING_ALWAYS(joining_a_detached_thread_fails, JOIN_DETACHED, 1, "T1 was detached") {
    rf_thread t = RF_THREAD(yields, NULL);
    RF_DETACH(t);
    AT(1, (void)RF_JOIN(t));
}

FAILING_ALWAYS(joining_a_handle_that_was_never_set_fails, BAD_THREAD, 1,
               "the handle was never set") {
    rf_thread t = {0, 0};
    AT(1, (void)RF_JOIN(t));
}

FAILING(joining_a_thread_of_another_execution_fails, BAD_THREAD, 1,
        "the handle is of thread T1 of another execution") {
    static rf_thread old;
    rf_thread t = RF_THREAD(yields, NULL);
    if (!old.generation) old = t; /* of the first execution */
    if (old.generation == t.generation) RF_SKIP("the next one has a handle of this one");
    AT(1, (void)RF_JOIN(old));
}

static void *joins(void *t) {
    AT(1, (void)RF_JOIN(*(rf_thread *)t));
    return NULL;
}

FAILING_ALWAYS(two_threads_that_join_one_fail, JOIN_TWICE, 1, "T1 was joined before") {
    rf_thread t = RF_THREAD(yields, NULL);
    rf_thread u = RF_THREAD(joins, &t), v = RF_THREAD(joins, &t);
    (void)RF_JOIN(u);
    (void)RF_JOIN(v);
}

FAILING_ALWAYS(detaching_twice_fails, DETACH_TWICE, 1, "T1 was detached before") {
    rf_thread t = RF_THREAD(yields, NULL);
    RF_DETACH(t);
    AT(1, RF_DETACH(t));
}

FAILING_ALWAYS(detaching_a_joined_thread_fails, DETACH_TWICE, 1, "T1 was joined before") {
    rf_thread t = RF_THREAD(yields, NULL);
    (void)RF_JOIN(t);
    AT(1, RF_DETACH(t));
}

static rf_mutex m = RF_MUTEX_INIT;
static rf_rwlock l = RF_RWLOCK_INIT;

THREAD(keep_two) {
    AT(1, RF_LOCK(&m));
    RF_RDLOCK(&l);
}

FAILING_ALWAYS(ending_with_locks_held_fails, EXIT_HOLDING, 1,
               "T1 ends and still holds m, taken here") {
    (void)RF_JOIN(RF_THREAD(keep_two, NULL));
}

/* Outside of a test there are no threads: the program ends, and says why. */
static bool outside(void) {
    char text[256] = "";
    int fd[2], status;
    if (pipe(fd)) return false;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return false;
    if (!child) {
        dup2(fd[1], 2);
        (void)RF_THREAD(yields, NULL);
        _exit(0);
    }
    close(fd[1]);
    ssize_t n = 1;
    for (size_t at = 0; n > 0; at += (size_t)(n > 0 ? n : 0))
        n = read(fd[0], text + at, sizeof text - 1 - at);
    close(fd[0]);
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT && strstr(text, "RF_THREAD outside of a test");
}

static void behaviour(void) {
    LAB_CHECK("5000_threads_are_alive_at_once", thousands(LAB_FINE) && thousands(LAB_COARSE));
    LAB_CHECK("a_deadlock_of_4999_threads_is_reported", thousands_stuck());
#ifndef RFI_ASAN
    LAB_CHECK("too_many_threads_are_a_failure_that_names_the_limit", too_many());
#endif
}

static void misuse(void) { LAB_CHECK("creating_a_thread_outside_of_a_test_aborts", outside()); }

int main(void) {
    show_claims();
    behaviour();
    misuse();
    return lab_end();
}
