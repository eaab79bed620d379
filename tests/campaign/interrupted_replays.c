/* Campaigns that interrupt themselves while they replay what was found, for tests/campaign.sh: on
 * any machine at the same moment.  From then on each look at the clock is a second later. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Of all processes. */
struct moment {
    int executions, seconds;
    bool interrupted;
};

static volatile struct moment *moment;
static pid_t campaign;
static int report;

/* What the engine calls in place of clock_gettime. */
int __real_clock_gettime(clockid_t clock, struct timespec *now) {
    int status = clock_gettime(clock, now);
    if (clock == CLOCK_MONOTONIC && moment->interrupted)
        now->tv_sec += __atomic_add_fetch(&moment->seconds, 1, __ATOMIC_SEQ_CST);
    return status;
}

/* Between the lines of the report, which is written before a fork. */
static void say(const char *line) {
    if (write(report, line, strlen(line)) < 0) abort();
}

static void before_fork(void) { say("a process\n"); }

#define EXPLORED 40 /* executions: they have all four failures */

/* The campaign is interrupted in a replay, behind so many earlier ones. */
static void fail(int replays) {
    int before = __atomic_fetch_add(&moment->executions, 1, __ATOMIC_SEQ_CST);
    if (before == EXPLORED + replays) {
        say("an interrupt\n");
        moment->interrupted = true;
        kill(campaign, SIGINT);
    }
    uint32_t way = RF_CHOOSE(4);
    if (way == 0) RF_FAIL("the first way");
    if (way == 1) RF_FAIL("the second way");
    if (way == 2) RF_FAIL("the third way");
    RF_FAIL("the fourth way");
}

/* Does any failure depend on earlier executions?  The first one is replayed at once, and then all
 * are, before they are told. */
RF_TEST(while_tried, .executions = EXPLORED) { fail(1); }

/* None does where each has a process of its own: a replay is told. */
RF_TEST(while_told, .executions = EXPLORED, .isolate = true) { fail(0); }

__attribute__((constructor)) static void begin(void) {
    campaign = getpid();
    report = dup(STDOUT_FILENO);
    moment = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
    pthread_atfork(before_fork, NULL, NULL);
}

RF_MAIN()
