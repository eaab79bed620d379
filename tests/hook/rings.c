/* Timers whose signal every thread blocks, and one waits for: no handler runs (hook_signals.sh).
 * With an argument, what is to be done. */
#include "check.h"

static sigset_t set;

static void never(int signal) { CHECK(!signal); }

/* Before the timer is set, or later. */
THREAD(waits) {
    int signal;
    for (int i = 0; i < 2; i++) CHECK(!sigwait(&set, &signal) && signal == SIGALRM);
}

static void alarms(void) {
    struct itimerval every = {{5, 0}, {5, 0}};
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, waits, NULL));
    CHECK(!setitimer(ITIMER_REAL, &every, NULL));
    CHECK(!pthread_join(t, NULL));
}

static void set_timer(int signal, time_t seconds, time_t every) {
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal};
    struct itimerspec at = {{every, 0}, {seconds, 0}};
    timer_t timer;
    e.sigev_value.sival_int = 42;
    CHECK(!timer_create(CLOCK_MONOTONIC, &e, &timer) && !timer_settime(timer, 0, &at, NULL));
}

static void informs(void) {
    siginfo_t info;
    struct timespec soon = {1, 0}, later = {3, 0};
    set_timer(SIGRTMIN, 2, 0);
    CHECK(sigtimedwait(&set, &info, &soon) == -1);
    CHECK(sigtimedwait(&set, &info, &later) == SIGRTMIN);
    CHECK(info.si_code == SI_TIMER && info.si_value.sival_int == 42);
}

static void into_a_file(void) {
    struct pollfd file = {.fd = signalfd(-1, &set, 0), .events = POLLIN};
    struct signalfd_siginfo info;
    set_timer(SIGUSR1, 5, 5);
    CHECK(poll(&file, 1, -1) == 1);
    for (int i = 0; i < 2; i++)
        CHECK(read(file.fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
}

static void pends(void) {
    struct timespec pause = {10, 0};
    sigset_t there;
    CHECK(alarm(1) == 0);
    set_timer(SIGUSR1, 2, 0);
    CHECK(!nanosleep(&pause, NULL) && !sigpending(&there));
    CHECK(sigismember(&there, SIGALRM) == 1 && sigismember(&there, SIGUSR1) == 1);
}

/* By default it ends the program, */
static void ends(int signal) {
    struct timespec pause = {10, 0};
    CHECK(!pthread_sigmask(SIG_UNBLOCK, &set, NULL));
    if (signal == SIGALRM)
        alarm(5);
    else
        set_timer(signal, 5, 0);
    CHECK(!nanosleep(&pause, NULL));
}

static void *posts(void *posted) {
    sem_post(posted);
    return NULL;
}

/* but not since others have been slow. */
static void guards(void) {
    struct timespec at;
    pthread_t t;
    sem_t posted;
    CHECK(!pthread_sigmask(SIG_UNBLOCK, &set, NULL));
    alarm(5);
    CHECK(!sem_init(&posted, 0, 0) && !pthread_create(&t, NULL, posts, &posted));
    CHECK(!clock_gettime(CLOCK_REALTIME, &at));
    at.tv_sec += 10;
    (void)sem_timedwait(&posted, &at);
    CHECK(!pthread_join(t, NULL) && alarm(0) <= 5);
}

/* What nobody takes ends nothing. */
static void in_vain(void) {
    int end[2];
    char c;
    set_timer(SIGALRM, 1, 1);
    set_timer(SIGUSR1, 1, 1);
    CHECK(!pipe(end));
    CHECK(read(end[0], &c, 1) == 1);
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    CHECK(!pthread_sigmask(SIG_BLOCK, &set, NULL));
    if (!strcmp(way, "alarms")) alarms();
    if (!strcmp(way, "informs")) informs();
    if (!strcmp(way, "file")) into_a_file();
    if (!strcmp(way, "handled")) {
        signal(SIGUSR1, never);
        into_a_file();
    }
    if (!strcmp(way, "pends")) pends();
    if (!strcmp(way, "guards")) guards();
    if (!strcmp(way, "alarm")) ends(SIGALRM);
    if (!strcmp(way, "ends")) ends(SIGUSR1);
    if (!strcmp(way, "vain")) in_vain();
    return 0;
}
