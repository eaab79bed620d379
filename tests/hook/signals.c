/* The program agrees with the C library: the values that it checks do not depend on when a signal
 * strikes. */
#include "check.h"

static volatile sig_atomic_t count, order, nested, inside;
static volatile int value, code;
static sigjmp_buf back;
static volatile pthread_t in;

static void counts(int signal) {
    CHECK(signal == SIGUSR1 || signal == SIGALRM || signal == SIGUSR2 || signal == SIGPIPE);
    in = pthread_self();
    count++;
}

static void set(int signal, void (*fn)(int), int flags) {
    struct sigaction a = {.sa_handler = fn, .sa_flags = flags}, was;
    sigemptyset(&a.sa_mask);
    CHECK(!sigaction(signal, &a, NULL) && !sigaction(signal, NULL, &was));
    CHECK(was.sa_handler == fn);
}

/* What a thread sends itself comes at once, or as soon as it is unblocked, once. */
static void itself(void) {
    sigset_t usr1 = only(SIGUSR1), was, pending;
    count = 0;
    set(SIGUSR1, counts, 0);
    CHECK(!raise(SIGUSR1) && count == 1);
    CHECK(!kill(getpid(), SIGUSR1) && count == 2);
    CHECK(!pthread_kill(pthread_self(), SIGUSR1) && count == 3);
    CHECK(!sigprocmask(SIG_BLOCK, &usr1, &was) && !sigismember(&was, SIGUSR1));
    CHECK(!raise(SIGUSR1) && !raise(SIGUSR1) && count == 3);
    CHECK(!sigpending(&pending) && sigismember(&pending, SIGUSR1));
    CHECK(!sigprocmask(SIG_BLOCK, NULL, &was) && sigismember(&was, SIGUSR1));
    CHECK(!sigprocmask(SIG_UNBLOCK, &usr1, NULL) && count == 4);
    CHECK(!sigpending(&pending) && !sigismember(&pending, SIGUSR1));
    CHECK(raise(SIGUSR1) == 0 && count == 5 && kill(getpid(), 0) == 0);
}

static void nests(int signal) {
    count++;
    inside++;
    nested += inside == 2;
    if (count == 1) CHECK(!raise(signal)); /* blocked until this returns, but for SA_NODEFER */
    inside--;
}

static void flags(void) {
    set(SIGUSR1, nests, 0);
    nested = count = 0;
    CHECK(!raise(SIGUSR1) && !nested && count == 2);
    set(SIGUSR1, counts, 0);
    set(SIGUSR2, nests, SA_NODEFER);
    count = 0;
    CHECK(!raise(SIGUSR2) && nested == 1 && count == 2);
    struct sigaction now;
    set(SIGUSR2, counts, (int)SA_RESETHAND);
    count = 0;
    CHECK(!raise(SIGUSR2) && count == 1 && !sigaction(SIGUSR2, NULL, &now));
    CHECK(now.sa_handler == SIG_DFL);
    CHECK(signal(SIGUSR2, SIG_IGN) == SIG_DFL && !raise(SIGUSR2));
    CHECK(signal(SIGUSR2, counts) == SIG_IGN);
    CHECK(!raise(SIGUSR2) && count == 2);
}

static void informs(int signal, siginfo_t *info, void *context) {
    CHECK(info->si_signo == signal && context);
    order = order * 10 + info->si_value.sival_int;
    value = info->si_value.sival_int;
    code = info->si_code;
}

static void *takes(void *set) {
    siginfo_t info;
    CHECK(sigwaitinfo(set, &info) == SIGRTMIN + 1 && info.si_code == SI_QUEUE);
    CHECK(info.si_value.sival_int == 42);
    return NULL;
}

/* To a thread. */
static void queues_to(void) {
    sigset_t next = only(SIGRTMIN + 1);
    pthread_t t;
    CHECK(!pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){.sival_int = 4}));
    CHECK(order == 1234 && code == SI_QUEUE);
    CHECK(!pthread_sigmask(SIG_BLOCK, &next, NULL));
    CHECK(!pthread_create(&t, NULL, takes, &next));
    CHECK(!pthread_sigqueue(t, SIGRTMIN + 1, (union sigval){.sival_int = 42}));
    CHECK(!pthread_join(t, NULL));
}

static void queues(void) {
    struct sigaction a = {.sa_sigaction = informs, .sa_flags = SA_SIGINFO};
    sigset_t rt = only(SIGRTMIN);
    sigemptyset(&a.sa_mask);
    CHECK(!sigaction(SIGRTMIN, &a, NULL) && !sigprocmask(SIG_BLOCK, &rt, NULL));
    order = 0;
    for (int i = 1; i < 4; i++)
        CHECK(!sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}));
    CHECK(!order && !sigprocmask(SIG_UNBLOCK, &rt, NULL) && order == 123 && code == SI_QUEUE);
}

static void waits(void) {
    sigset_t usr1 = only(SIGUSR1), none, was;
    int signal = 0;
    siginfo_t info;
    struct timespec no_time = {0, 0};
    sigemptyset(&none);
    set(SIGUSR1, counts, 0);
    count = 0;
    CHECK(!sigprocmask(SIG_BLOCK, &usr1, NULL) && !raise(SIGUSR1) && !count);
    CHECK(sigsuspend(&none) == -1 && errno == EINTR && count == 1);
    CHECK(!sigprocmask(SIG_BLOCK, NULL, &was) && sigismember(&was, SIGUSR1));
    CHECK(!raise(SIGUSR1) && !sigwait(&usr1, &signal) && signal == SIGUSR1 && count == 1);
    CHECK(sigtimedwait(&usr1, &info, &no_time) == -1 && errno == EAGAIN);
    CHECK(!raise(SIGUSR1) && sigwaitinfo(&usr1, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
    CHECK(!sigprocmask(SIG_UNBLOCK, &usr1, NULL) && count == 1);
}

static void timers(void) {
    sigset_t alarms = only(SIGALRM), was;
    struct itimerval it = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}}, left;
    struct timespec second = {1, 0};
    timer_t id;
    struct itimerspec at = {{0, 0}, {0, 10000000}};
    set(SIGALRM, counts, 0);
    count = 0;
    CHECK(!sigprocmask(SIG_BLOCK, &alarms, &was));
    CHECK(!alarm(100) && alarm(1) >= 99);
    while (!count) CHECK(sigsuspend(&was) == -1 && errno == EINTR);
    CHECK(count == 1 && !alarm(0));
    CHECK(!setitimer(ITIMER_REAL, &it, NULL) && !getitimer(ITIMER_REAL, &left));
    CHECK(left.it_interval.tv_usec == 10000);
    while (count < 4) sigsuspend(&was);
    CHECK(!setitimer(ITIMER_REAL, &off, NULL));
    count = 0;
    CHECK(!sigprocmask(SIG_UNBLOCK, &alarms, NULL));
    count = 0;
    CHECK(!alarm(1));
    while (!count) nanosleep(&second, NULL);
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    set(SIGUSR1, counts, 0);
    count = 0;
    CHECK(!timer_create(CLOCK_MONOTONIC, &e, &id) && !timer_settime(id, 0, &at, NULL));
    while (!count) nanosleep(&second, NULL);
    CHECK(!timer_delete(id));
}

/* Threads that timers make, with all signals blocked. */
static sem_t noticed;
static void notes(union sigval v) {
    sigset_t now;
    CHECK(v.sival_int == 7 && !pthread_sigmask(SIG_BLOCK, NULL, &now));
    CHECK(sigismember(&now, SIGUSR1) && !sem_post(&noticed));
}
static void notices(void) {
    timer_t id = (timer_t)0;
    struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 7};
    struct itimerspec once = {{0, 0}, {0, 1000000}}, often = {{0, 1000000}, {0, 1000000}};
    struct itimerspec off = {{0, 0}, {0, 0}}, left;
    e.sigev_notify_function = notes;
    CHECK(!sem_init(&noticed, 0, 0) && !timer_create(CLOCK_MONOTONIC, &e, &id));
    CHECK(!timer_settime(id, 0, &once, NULL) && !sem_wait(&noticed));
    CHECK(!timer_gettime(id, &left) && !left.it_value.tv_sec && !left.it_value.tv_nsec);
    once.it_value.tv_sec = 1000000;
    CHECK(!timer_settime(id, 0, &once, NULL) && !timer_settime(id, 0, &off, &left));
    CHECK(left.it_value.tv_sec > 900000 && sem_trywait(&noticed) && errno == EAGAIN);
    CHECK(!timer_settime(id, 0, &often, NULL));
    for (int i = 0; i < 3; i++) CHECK(!sem_wait(&noticed));
    CHECK(!timer_delete(id));
}

static void jumps(int signal) {
    (void)signal;
    siglongjmp(back, 7);
}

static void leaves(void) {
    sigset_t was;
    set(SIGUSR1, jumps, 0);
    int how = sigsetjmp(back, 1);
    if (!how) raise(SIGUSR1);
    CHECK(how == 7 && !sigprocmask(SIG_BLOCK, NULL, &was) && !sigismember(&was, SIGUSR1));
    set(SIGALRM, jumps, 0);
    if (!sigsetjmp(back, 1)) {
        alarm(1);
        for (;;) pause();
    }
}

static sem_t never, ready, go;
static void *interrupted(void *restarts) {
    set(SIGUSR1, counts, restarts ? SA_RESTART : 0);
    CHECK(!sem_post(&ready));
    int result = sem_wait(&never), error = errno;
    CHECK(restarts ? !result : result == -1 && error == EINTR);
    return NULL;
}

static void others(int restarts) {
    pthread_t t;
    count = 0;
    CHECK(!pthread_create(&t, NULL, interrupted, restarts ? &t : NULL) && !sem_wait(&ready));
    usleep(100000);
    do {
        CHECK(!pthread_kill(t, SIGUSR1));
        usleep(100000);
    } while (!count);
    CHECK(pthread_equal(in, t));
    if (restarts) sem_post(&never);
    CHECK(!pthread_join(t, NULL));
}

THREAD(inherits) {
    sigset_t now;
    CHECK(!pthread_sigmask(SIG_BLOCK, NULL, &now) && sigismember(&now, SIGUSR2));
    CHECK(!sem_wait(&go)); /* main unblocks it first: it is main that gets the signal */
}

static void process(void) {
    pthread_t t;
    sigset_t usr2 = only(SIGUSR2);
    set(SIGUSR2, counts, 0);
    CHECK(!pthread_sigmask(SIG_BLOCK, &usr2, NULL));
    CHECK(!pthread_create(&t, NULL, inherits, NULL));
    count = 0;
    CHECK(!kill(getpid(), SIGUSR2) && !count);
    CHECK(!pthread_sigmask(SIG_UNBLOCK, &usr2, NULL) && count == 1);
    CHECK(pthread_equal(in, pthread_self()) && !sem_post(&go) && !pthread_join(t, NULL));
}

/* With SA_NODEFER a handler is interrupted by its own signal, sent by another thread. */
static sem_t entered, struck;
static void waits_for_itself(int signal) {
    CHECK(signal == SIGUSR1);
    int own = ++count;
    CHECK(!sem_post(&entered));
    while (own == 1 && count < 2) sem_wait(&never);
    nested += own == 1;
}
THREAD(is_struck) {
    while (sem_wait(&struck)) CHECK(errno == EINTR);
}
static void nodefer(void) {
    pthread_t t;
    nested = count = 0;
    set(SIGUSR1, waits_for_itself, SA_NODEFER);
    CHECK(!pthread_create(&t, NULL, is_struck, NULL));
    for (int i = 0; i < 2; i++) CHECK(!pthread_kill(t, SIGUSR1) && !sem_wait(&entered));
    CHECK(!sem_post(&struck) && !pthread_join(t, NULL) && count == 2 && nested == 1);
}

/* Two threads are in the handler of one signal at once. */
static void meets(int signal) {
    int own = pthread_equal(pthread_self(), in);
    CHECK(signal == SIGUSR1 && !sem_post(own ? &ready : &go) && !sem_wait(own ? &go : &ready));
    count++;
}
static void at_once(void) {
    pthread_t t;
    set(SIGUSR1, meets, SA_RESTART);
    count = 0;
    CHECK(!pthread_create(&t, NULL, is_struck, NULL));
    in = t;
    CHECK(!pthread_kill(t, SIGUSR1) && !raise(SIGUSR1));
    CHECK(!sem_post(&struck) && !pthread_join(t, NULL) && count == 2);
}

/* A handler sends a signal to its own thread; the handler of that jumps out of both. */
static void sends(int signal) {
    CHECK(signal == SIGUSR2 && !raise(SIGUSR1));
    nested++;
}
THREAD(tells) { CHECK(!pthread_kill(in, SIGUSR2)); }
static void out_of_both(void) {
    set(SIGUSR1, jumps, 0);
    set(SIGUSR2, sends, 0);
    nested = 0;
    sigset_t usr2 = only(SIGUSR2), was;
    CHECK(!pthread_sigmask(SIG_BLOCK, &usr2, &was));
    static pthread_t t;
    in = pthread_self();
    if (!sigsetjmp(back, 1)) {
        CHECK(!pthread_create(&t, NULL, tells, NULL));
        for (;;) sigsuspend(&was);
    }
    CHECK(!nested && !pthread_sigmask(SIG_SETMASK, &was, NULL) && !pthread_join(t, NULL));
}

/* What nobody reads: it comes before the call returns. */
static void breaks(void) {
    int file[2];
    sigset_t broken = only(SIGPIPE);
    set(SIGPIPE, counts, 0);
    count = 0;
    CHECK(!pipe(file) && !close(file[0]));
    CHECK(write(file[1], "", 1) == -1 && errno == EPIPE && count == 1);
    CHECK(!sigprocmask(SIG_BLOCK, &broken, NULL) && write(file[1], "", 1) == -1 && count == 1);
    CHECK(!sigprocmask(SIG_UNBLOCK, &broken, NULL) && count == 2 && !close(file[1]));
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, file) && !close(file[0]));
    CHECK(send(file[1], "", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE && count == 2);
    CHECK(sendto(file[1], "", 1, 0, NULL, 0) == -1 && errno == EPIPE && count == 3);
    CHECK(!close(file[1]));
}

/* A child has the handlers, but not what is pending. */
static void reborn(void) {
    sigset_t usr1 = only(SIGUSR1);
    int status;
    set(SIGUSR1, counts, 0);
    count = 0;
    CHECK(!sigprocmask(SIG_BLOCK, &usr1, NULL) && !tgkill(getpid(), gettid(), SIGUSR1));
    pid_t child = fork();
    CHECK(!sigprocmask(SIG_UNBLOCK, &usr1, NULL) && count == (child != 0));
    if (!child) _exit(raise(SIGUSR1) || count != 1);
    CHECK(waitpid(child, &status, 0) == child && !status);
}

int main(void) {
    CHECK(!sem_init(&never, 0, 0) && !sem_init(&ready, 0, 0) && !sem_init(&go, 0, 0));
    CHECK(!sem_init(&entered, 0, 0) && !sem_init(&struck, 0, 0));
    itself();
    flags();
    breaks();
    queues();
    queues_to();
    waits();
    timers();
    notices();
    leaves();
    others(0);
    others(1);
    process();
    nodefer();
    at_once();
    out_of_both();
    reborn();
    return 0;
}
