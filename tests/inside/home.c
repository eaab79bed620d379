/* A home-made test framework, which leaves a failed test by longjmp, and tests that explore.
 * ./home TEST...: runs these; 1 if one has failed. */
#include "racefuzz.h"
#include "tests/thread.h"
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- the framework ---- */

static jmp_buf failed;
static unsigned failures;
static const char *running;

static void end_with(const char *how) {
    fprintf(stdout, "%s: %s\n", running, how);
    failures++;
    longjmp(failed, 1);
}
#define TEST_ASSERT(c) ((c) ? (void)0 : end_with(#c))

/* ---- the code under test ---- */

static rf_mutex lock;
static int hits, initialised;

THREAD(racy) { RF_STORE(hits, RF_LOAD(hits) + 1); }
THREAD(locked) {
    RF_GUARD(&lock) { racy(NULL); }
}

/* Two threads hit; then what `arg` says happens if one hit was lost. */
enum { ASSERT, JUMP, EXIT, ABORT, SIGNAL, PLAIN, LEAVE };
static void lose(int how) {
    switch (how) {
    case ASSERT: RF_ASSERT_EQ(hits, 2); break;
    case JUMP: TEST_ASSERT(hits == 2); break;
    case EXIT:
        if (hits != 2) exit(3);
        break;
    case ABORT:
        if (hits != 2) abort();
        break;
    case SIGNAL:
        if (hits != 2) raise(SIGSEGV);
        break;
    case PLAIN: assert(hits == 2); break;
    case LEAVE:
        if (hits != 2) _exit(4);
        break;
    default: break;
    }
}
static void two(void *(*hit)(void *), void *arg) {
    rf_mutex_init(&lock, "lock", RF_MUTEX_NORMAL);
    hits = 0;
    run_two(hit, hit);
    initialised = 1;
    if (arg) lose(*(int *)arg);
}
static void race(void *arg) { two(racy, arg); }
static void no_race(void *arg) { two(locked, arg); }
static void skips(void *arg) { RF_SKIP((char *)arg); }
static void nested(void *arg) { (void)rf_explore("inner", race, arg, NULL); }
static void own_jump(void *arg) {
    jmp_buf here;
    if (!setjmp(here)) longjmp(here, 1);
    no_race(arg);
}
static void hangs(void *arg) {
    (void)arg;
    for (volatile int i = 1; i;) continue;
}

/* ---- the tests ---- */

static const rf_options few = {.executions = 50};

static rf_outcome explored(const char *name, void (*body)(void *), int how) {
    rf_outcome o = rf_explore(name, body, &how, &few);
    static const char *const verdicts[] = {"passed", "failed", "skipped", "refused"};
    printf("%s: %s, %u findings, kinds %u, %llu executions%s%s%s, token %s\n", name,
           verdicts[o.verdict], o.findings, o.found, (unsigned long long)o.executions,
           o.replayed ? ", replayed" : "", o.in_process ? ", in this process: " : "",
           o.in_process ? o.in_process : "", o.token);
    TEST_ASSERT(!initialised || o.in_process); /* nobody else's memory */
    return o;
}
static void ends(const char *name, void (*body)(void *), int how) {
    rf_outcome o = explored(name, body, how);
    if (!o.passed) fputs(o.report, stdout);
    TEST_ASSERT(rf_outcome_free(&o));
}

static void test_race(void) { ends("race", race, ASSERT); }
static void test_fixed(void) { ends("fixed", no_race, JUMP); }
static void test_jump(void) { ends("jump", race, JUMP); }
static void test_exit(void) { ends("exit", race, EXIT); }
static void test_abort(void) { ends("abort", race, ABORT); }
static void test_signal(void) { ends("signal", race, SIGNAL); }
static void test_plain(void) { ends("plain", race, PLAIN); }
static void test_leave(void) { ends("leave", race, LEAVE); }
static void test_own_jump(void) { ends("own_jump", own_jump, ASSERT); }
static void test_nested(void) { ends("nested", nested, ASSERT); }
static void test_again(void) {
    ends("again", no_race, ASSERT);
    ends("again", race, ASSERT);
}
static void test_skips(void) {
    char why[] = "not here";
    rf_outcome o = rf_explore("skips", skips, why, NULL);
    TEST_ASSERT(o.verdict == RF_VERDICT_SKIPPED && o.passed && strstr(o.report, why));
    rf_outcome_free(&o);
}
static void test_expects(void) {
    rf_options wants = {.executions = 50, .expect = RF_EXPECT_RACE | RF_EXPECT_FAILURE};
    int how = ASSERT;
    rf_outcome o = rf_explore("expects", race, &how, &wants);
    TEST_ASSERT(o.passed && !o.findings && *o.token && o.found == wants.expect);
    rf_outcome_free(&o);
    o = rf_explore("expects", no_race, &how, &wants);
    TEST_ASSERT(o.verdict == RF_VERDICT_FAILED && !o.passed);
    rf_outcome_free(&o);
}
static void test_wrong(void) {
    rf_options wrong = {.strategy = "rondom"};
    rf_outcome o = rf_explore("wrong", race, NULL, &wrong);
    TEST_ASSERT(o.verdict == RF_VERDICT_REFUSED && !o.passed && *o.report && !*o.token);
    rf_outcome_free(&o);
    o = rf_explore(NULL, race, NULL, NULL);
    TEST_ASSERT(o.verdict == RF_VERDICT_REFUSED && *o.report);
    rf_outcome_free(&o);
    o = rf_explore("nothing", NULL, NULL, NULL);
    TEST_ASSERT(o.verdict == RF_VERDICT_REFUSED && *o.report);
    rf_outcome_free(&o);
}

/* Another thread stands by: its explorations can't fork. */
static void *stands(void *turn) {
    pthread_mutex_lock(turn);
    pthread_mutex_unlock(turn);
    return NULL;
}
static void beside(void (*test)(void)) {
    pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    pthread_t other;
    pthread_mutex_lock(&turn);
    pthread_create(&other, NULL, stands, &turn);
    test();
    pthread_mutex_unlock(&turn);
    pthread_join(other, NULL);
}
static void found_beside(void) {
    for (int how = ASSERT; how <= SIGNAL; how++) {
        rf_outcome o = explored("beside", race, how);
        TEST_ASSERT(!o.passed && o.in_process && o.findings && *o.token);
        TEST_ASSERT(strstr(o.report, "note: executions ran in this process"));
        rf_outcome_free(&o);
    }
    failures = 0; /* the framework has counted what was jumped out of */
}
static void test_beside(void) {
    beside(found_beside);
    initialised = 0;
    rf_outcome o = explored("after", no_race, ASSERT);
    TEST_ASSERT(o.passed && !o.in_process); /* that thread is gone, and no other one is there */
    rf_outcome_free(&o);
}

/* From a thread of the framework. */
THREAD(elsewhere) {
    rf_outcome o = explored("elsewhere", race, ASSERT);
    TEST_ASSERT(!o.passed && o.in_process);
    rf_outcome_free(&o);
}
static void test_elsewhere(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t other;
        pthread_create(&other, NULL, elsewhere, NULL);
        pthread_join(other, NULL);
    }
}

/* What the process had is there again. */
static void handler(int sig) { (void)sig; }
static void kept(void) {
    static const int signals[] = {SIGSEGV, SIGABRT, SIGPROF, SIGALRM, SIGINT, SIGCHLD};
    struct sigaction now, mine = {.sa_handler = handler};
    struct itimerval clock = {{0, 0}, {0, 0}};
    for (unsigned i = 0; i < 6; i++) sigaction(signals[i], &mine, NULL);
    rf_outcome o = explored("kept", race, ASSERT);
    rf_outcome_free(&o);
    for (unsigned i = 0; i < 6; i++) {
        sigaction(signals[i], NULL, &now);
        TEST_ASSERT(now.sa_handler == handler);
        signal(signals[i], SIG_DFL);
    }
    getitimer(ITIMER_PROF, &clock);
    TEST_ASSERT(!clock.it_interval.tv_usec && !clock.it_value.tv_usec);
}
static void test_kept(void) {
    kept();
    beside(kept);
}

/* The framework's time-out leaves the exploration, and the next one works. */
static void late(int sig) {
    (void)sig;
    end_with("time is up");
}
static void test_late(void) {
    struct sigaction a = {.sa_handler = late, .sa_flags = SA_NODEFER};
    sigaction(SIGALRM, &a, NULL);
    alarm(1);
    ends("late", hangs, 0);
}

/* 1,000 explorations in one process: what it has does not grow. */
static long lines_of(const char *path) {
    long n = 0;
    FILE *f = fopen(path, "r");
    for (int c; f && (c = getc(f)) != EOF;) n += c == '\n';
    if (f) fclose(f);
    return n;
}
static long pages(void) {
    long all, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &here) != 2) abort();
    fclose(f);
    return here;
}
static int next_file(void) {
    int fd = dup(0);
    close(fd);
    return fd;
}
static void test_many(void) {
    rf_options tiny = {.executions = 3};
    long maps = 0, memory = 0, count = getenv("MANY") ? atol(getenv("MANY")) : 300;
    int file = next_file(), how = ASSERT;
    for (long i = 0; i < count; i++) {
        rf_outcome o = rf_explore("many", i % 10 ? no_race : race, &how, &tiny);
        TEST_ASSERT(o.passed == (i % 10 != 0));
        rf_outcome_free(&o);
        if (i == count / 10) maps = lines_of("/proc/self/maps"), memory = pages();
    }
    TEST_ASSERT(file == next_file());
    if (getenv("MANY")) return; /* valgrind has much of its own, and looks for what is lost */
    TEST_ASSERT(lines_of("/proc/self/maps") <= maps + 2);
    TEST_ASSERT(pages() <= memory + 64);
}

#define TESTS(X)                                                                              \
 X(race)                                                                                      \
 X(fixed)                                                                                     \
 X(jump) X(exit) X(abort) X(signal) X(plain) X(leave) X(own_jump) X(nested) X(again) X(skips) \
     X(expects) X(wrong) X(beside) X(elsewhere) X(kept) X(late) X(many)

static void run(const char *name, void (*test)(void)) {
    running = name;
    if (!setjmp(failed)) test();
    printf("end of %s\n", running);
    fflush(stdout);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
#define X(t) \
 if (!strcmp(argv[i], #t)) run(#t, test_##t);
        TESTS(X)
#undef X
    }
    printf("%u failures\n", failures);
    return failures != 0;
}
