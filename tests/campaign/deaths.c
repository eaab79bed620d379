/* Tests that die, each in its own way, in about half of their executions; tests/crash.sh runs them
 * and looks at what is reported. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int *volatile nowhere;
static volatile int zero;
static volatile uintptr_t wild = UINTPTR_MAX / 3 & ~(uintptr_t)15;

/* Where the chosen half of the executions goes to. */
static bool chosen(void) { return RF_CHOOSE(2) == 1; }

RF_TEST(segv_null) {
    if (chosen()) *nowhere = 1;
}

/* What a macro is about to use is known. */
struct deep {
    int pad, x;
};
static struct deep *volatile none;
static struct deep *got(void) { return none; }

RF_TEST(null_read) {
    if (chosen()) zero = RF_LOAD(got()->x);
}

RF_TEST(null_write) {
    if (chosen()) RF_STORE(got()->x, 1);
}

RF_TEST(null_update) {
    static _Atomic int *volatile nobody;
    if (chosen()) (void)rf_atomic_fetch_add(nobody, 1);
}

RF_TEST(null_lock) {
    static rf_mutex *volatile nobody;
    if (chosen()) RF_LOCK(nobody);
}

/* In one phase its statements are watched, in the other they are not. */
static struct deep *made, one;

static void *make(void *arg) {
    RF_STORE(made, &one);
    return arg;
}

RF_TEST(null_in_each_phase) {
    made = NULL;
    rf_thread t = RF_THREAD(make, NULL);
    zero = RF_LOAD(RF_LOAD(made)->x) * 0; /* what is not used may be left out */
    RF_JOIN(t);
}

RF_TEST(null_or_fails) {
    RF_ASSERT(!chosen());
    zero = RF_LOAD(*nowhere) * 0;
}

RF_TEST(segv_wild) {
    if (chosen()) *(volatile int *)wild = 1;
}

/* In code of racefuzz, which differs from one execution to the next. */
RF_TEST(wild_read) { RF_ASSERT_NE(RF_LOAD(*(int *)wild), 1); }
RF_TEST(wild_update) { rf_atomic_fetch_add((rf_atomic_int *)wild, 1); }

static void *write_nowhere(void *arg) {
    *nowhere = 1;
    return arg;
}

RF_TEST(segv_in_thread) {
    if (chosen()) RF_JOIN(RF_THREAD(write_nowhere, NULL));
}

/* A real thread that racefuzz knows nothing of. */
RF_TEST(segv_in_foreign_thread) {
    pthread_t t;
    if (chosen() && !pthread_create(&t, NULL, write_nowhere, NULL)) pthread_join(t, NULL);
}

RF_TEST(failed_assert) {
    int got = chosen();
    assert(got == 0 && "half of them");
}

RF_TEST(call_of_abort) {
    if (chosen()) abort();
}

RF_TEST(sigfpe) {
#if defined __x86_64__ || defined __i386__
    if (chosen()) zero = 100 / zero;
#else
    if (chosen()) raise(SIGFPE); /* division by zero does not trap */
#endif
}

RF_TEST(sigill) {
#if defined __x86_64__ || defined __i386__
    if (chosen()) __asm__ volatile("ud2");
#else
    if (chosen()) raise(SIGILL);
#endif
}

/* A page of a file that has none. */
RF_TEST(sigbus) {
    FILE *f = tmpfile();
    if (!f) RF_SKIP("no temporary file");
    volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0);
    if (chosen()) zero = *p;
    munmap((void *)(uintptr_t)p, 4096);
    fclose(f);
}

static int depth(int n) {
    volatile char frame[512];
    frame[0] = (char)n;
    return n < 0 ? 0 : depth(n + 1) + frame[0];
}

static void *overflow(void *arg) {
    zero = depth(1) * 0;
    return arg;
}

RF_TEST(stack_overflow) {
    if (chosen()) RF_JOIN(RF_THREAD(overflow, NULL));
}

static int deepest;

static int down(int n) {
    volatile char frame[512];
    frame[0] = (char)n;
    RF_STORE(deepest, n);
    return n < 0 ? 0 : down(n + 1) + frame[0];
}

static void *go_down(void *arg) {
    zero = down(1) * 0;
    return arg;
}

/* How many steps it makes until then tells how large the stack is. */
RF_TEST(overflow_of_steps) { RF_JOIN(RF_THREAD(go_down, NULL)); }

RF_TEST(exit_0) {
    if (chosen()) exit(0);
}

RF_TEST(exit_3) {
    if (chosen()) exit(3);
}

static void *call_exit(void *arg) { exit(arg != NULL); }

RF_TEST(exit_in_thread) {
    if (chosen()) RF_JOIN(RF_THREAD(call_exit, NULL));
}

RF_TEST(underscore_exit) {
    if (chosen()) _exit(4);
}

RF_TEST(libc_double_free) {
    char *volatile p = malloc(40);
    free(p);
    if (chosen()) free(p);
}

RF_TEST(killed_at_once) { raise(SIGKILL); }

RF_TEST(sigkill) {
    if (chosen()) raise(SIGKILL);
}

RF_TEST(sigterm) {
    if (chosen()) raise(SIGTERM);
}

RF_TEST(runaway, .executions = 2) {
    if (chosen())
        for (;;) zero = 0;
}

RF_TEST(blocked_in_a_mutex, .executions = 2) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    if (chosen()) pthread_mutex_lock(&m);
}

RF_TEST(blocked_in_read, .executions = 2) {
    int ends[2];
    char c;
    if (pipe(ends)) RF_SKIP("no pipe");
    if (chosen()) zero = read(ends[0], &c, 1) * 0 != 0;
    close(ends[0]);
    close(ends[1]);
}

/* The last ones are not about a death of their own. */

/* Children come and go: by exec, by exit, and by the end of the test's body. */
RF_TEST(forks, .executions = 20) {
    static const int ends[] = {0, 7, 0};
    int status;
    for (int way = 0; way < 3; way++) {
        pid_t child = fork();
        if (!child && way == 0) execlp("true", "true", (char *)NULL);
        if (!child && way == 1) exit(7);
        if (!child) return;
        RF_ASSERT_EQ(waitpid(child, &status, 0), child);
        RF_ASSERT_EQ(WEXITSTATUS(status), ends[way]);
    }
}

/* Waits longer than the watchdog does, but not without an operation. */
RF_TEST(waits_now_and_then, .executions = 1) {
    struct timespec a_while = {0, 250000000};
    for (int i = 0; i < 16; i++) {
        RF_YIELD();
        nanosleep(&a_while, NULL);
    }
}

RF_TEST(expected, .expect = RF_EXPECT_CRASH) {
    if (chosen()) abort();
}

/* A program may take its time after the last test. */
__attribute__((destructor)) static void lingers(void) {
    if (getenv("LINGERS")) usleep(300000);
}

RF_TEST(lives) {
    char c;
    RF_ASSERT_EQ(read(STDIN_FILENO, &c, 1), 0); /* workers have nothing to read */
}

RF_MAIN()
