/* Logical threads: results, detaching, thread-local data, virtual time, thousands of them, misuse.
 */
#define RF_IMPLEMENTATION
#include "script.h"
#include "child.h"

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

static int count, number[3] = {0, 1, 2};

THREAD(detaches_itself) { RF_DETACH(RF_SELF()); }

PASSING(a_thread_may_detach_itself) { (void)RF_THREAD(detaches_itself, NULL); }

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

/* ---- as text ---- */

/* In which order do three threads come? */
#define IN_ANY_ORDER(before, a, b, c, after)                                               \
 "body: " before "start; start; start; join; order o; see it;" after "|" a "digit o 0 |" b \
 "digit o 1 |" c "digit o 2"
#define DAYS "86400000"

static const script_row rows[] = {
    REACH_ROW(6, "threads run in any order", IN_ANY_ORDER("", "yield;", "yield;", "yield;", "")),
    /* The body ends first, or not. */
    REACH_ROW(2, "an execution lasts until detached threads have ended",
              "body: start; again; detach; yield; detach; quietly e 1 |"
              "yield; peek e; if = 1 { see 0 }; if = 0 { see 1 }"),
    PASS_ROW("a thread need not be joined", "body: start | yield"),
    /* Any: a thread may be held up for as long as one likes. */
    REACH_ROW(6, "sleepers wake in any order and never wait for real",
              IN_ANY_ORDER("", "sleep 1" DAYS ";", "sleep 2" DAYS ";", "sleep 3" DAYS ";", "")),
    REACH_ROW(6, "time-outs of three kinds fire in any order",
              IN_ANY_ORDER("lock t;", "timed t 3; if = 1 { fail mutex };",
                           "timedtake s 1; if = 1 { fail semaphore };",
                           "lock m; timedwait c m 2; if = 1 { fail condition }; unlock m;",
                           "unlock t")),
    FAIL_ALWAYS_ROW("joining oneself", "body: @1 join_body", JOIN_SELF, 1, "T0 joins itself"),
    FAIL_ALWAYS_ROW("joining twice", "body: start; join_first; @1 join_first | yield", JOIN_TWICE,
                    1, "T1 was joined before"),
    FAIL_ALWAYS_ROW("two threads that join one",
                    "body: start; start; again | yield | @1 join_first", JOIN_TWICE, 1,
                    "T1 was joined before"),
    FAIL_ALWAYS_ROW("joining a detached thread", "body: start; detach_first; @1 join_first | yield",
                    JOIN_DETACHED, 1, "T1 was detached"),
    FAIL_ALWAYS_ROW("detaching twice", "body: start; detach_first; @1 detach_first | yield",
                    DETACH_TWICE, 1, "T1 was detached before"),
    FAIL_ALWAYS_ROW("detaching a joined thread", "body: start; join_first; @1 detach_first | yield",
                    DETACH_TWICE, 1, "T1 was joined before"),
    FAIL_ALWAYS_ROW("ending with locks held", "body: start; join | @1 lock m; rdlock l",
                    EXIT_HOLDING, 1, "T1 ends and still holds m, taken here"),
};

/* ---- misuse ---- */

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

THREAD(overwrites_its_lock) {
    rf_mutex gone = RF_MUTEX_INIT;
    AT(1, RF_LOCK(&gone));
    memset(&gone, 0xff, sizeof gone);
}

FAILING_ALWAYS(a_lock_whose_memory_is_something_elses_keeps_its_name, EXIT_HOLDING, 1,
               "T1 ends and still holds gone, taken here") {
    (void)RF_JOIN(RF_THREAD(overwrites_its_lock, NULL));
}

static void creates(void *arg) { (void)RF_THREAD(yields, arg); }

/* Outside of a test there are no threads: the program ends, and says why. */
static bool outside(void) {
    int status = child_does(creates, NULL);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
           strstr(child_said, "RF_THREAD outside of a test");
}

CASE(behaviour) {
    LAB_CHECK("5000_threads_are_alive_at_once", thousands(LAB_FINE) && thousands(LAB_COARSE));
    LAB_CHECK("a_deadlock_of_4999_threads_is_reported", thousands_stuck());
#ifndef RFI_ASAN
    LAB_CHECK("too_many_threads_are_a_failure_that_names_the_limit", too_many());
#endif
}

CASE(misuse) { LAB_CHECK("creating_a_thread_outside_of_a_test_aborts", outside()); }

int main(void) {
    show_claims();
    script_rows(rows, RFI_LENGTH(rows));
    return lab_cases();
}
