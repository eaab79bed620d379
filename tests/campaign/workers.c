/* Tests whose workers have a hard time, for tests/workers.sh. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int word;
static volatile int plain;

/* ---- processes: after some of them there are no more, or those that come die at once ---- */

static int number(const char *variable) {
    const char *text = getenv(variable);
    return text ? atoi(text) : 1000000;
}

/* In the place of the C library's: what the linker wraps the engine calls by its other name. */
pid_t fork(void) {
    static int forks;
    pid_t (*always)(void);
    bool fails = ++forks > number("FORKS"), dies = forks > number("LIVES");
    if (fails) {
        errno = EAGAIN;
        return -1;
    }
    *(void **)&always = dlsym(RTLD_NEXT, "fork");
    pid_t pid = always();
    if (!pid && dies) raise(SIGKILL);
    return pid;
}

static void *add(void *arg) {
    RF_STORE(word, RF_LOAD(word) + 1);
    return arg;
}

RF_TEST(adds) {
    RF_STORE(word, 0);
    rf_thread t[2] = {RF_THREAD(add, NULL), RF_THREAD(add, NULL)};
    for (int i = 0; i < 2; i++) RF_JOIN(t[i]);
    RF_ASSERT_EQ(RF_LOAD(word), 2);
}

RF_TEST(fine) { RF_LOG("nothing happens"); }

/* ---- an interrupt that comes again while the supervisor ends ---- */

static volatile int64_t *interrupted; /* ms: when it came first */
static pid_t supervisor;

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whatever the supervisor closes after the interrupt, the echo comes before. */
int close(int fd) {
    int (*always)(int fd);
    static const char late[] = "the echo was too late\n";
    if (*interrupted && getpid() == supervisor) {
        if (milliseconds() - *interrupted < 400)
            raise(SIGINT);
        else
            (void)!write(STDERR_FILENO, late, sizeof late - 1);
    }
    *(void **)&always = dlsym(RTLD_NEXT, "close");
    return always(fd);
}

RF_TEST(interrupts) {
    *interrupted = milliseconds();
    kill(getppid(), SIGINT);
    for (;;) plain = 0;
}

__attribute__((constructor)) static void share(void) {
    supervisor = getpid();
    interrupted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
}

/* ---- memory: in half of the executions there is no more of it ---- */

static bool no_memory(void) {
    struct rlimit none = {1 << 20, 1 << 20};
    return RF_CHOOSE(2) && !setrlimit(RLIMIT_AS, &none);
}

/* The engine's own. */
RF_TEST(no_memory_for_threads, .expect = RF_EXPECT_RACE) {
    rf_thread t[40];
    if (RF_CHOOSE(4) == 1) RF_FAIL("found in spite of that");
    (void)no_memory();
    for (int i = 0; i < 40; i++) t[i] = RF_THREAD(add, NULL);
    for (int i = 0; i < 40; i++) RF_JOIN(t[i]);
}

RF_TEST(no_memory_for_the_heap) {
    (void)no_memory();
    RF_FREE(RF_MALLOC(100));
}

/* ---- loops ---- */

RF_TEST(loops_with_accesses, .granularity = RF_GRAIN_COARSE) {
    for (;;) RF_STORE(word, RF_LOAD(word) + 1);
}

static void *loop(void *arg) {
    for (;;) RF_STORE(word, RF_LOAD(word) + 1);
    return arg;
}

RF_TEST(two_loops_with_accesses, .granularity = RF_GRAIN_COARSE) {
    (void)RF_THREAD(loop, NULL);
    (void)loop(NULL);
}

/* No thread waits for another, and there is an end. */
RF_TEST(long_work_with_accesses, .granularity = RF_GRAIN_COARSE) {
    for (int i = 0; i < 20000; i++) RF_STORE(word, i);
    RF_YIELD();
    for (int i = 0; i < 20000; i++) RF_STORE(word, i);
}

RF_TEST(loops_without_signals) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (;;) plain = 0;
}

RF_MAIN()
