/* handled DEEDS MAIN OUTCOMES: a thread does the first, and main the second, by which it sends that
 * thread signals (k, K, s), or the process (a, c); so do timers (A, I).  What the thread has seen,
 * and how many handlers have run when it has ended, is one of the outcomes: "12.1", of several
 * words.
 */
#include "check.h"

static atomic_int x, y, runs, out, locks;
static volatile sig_atomic_t stop;
static _Thread_local atomic_int jumps;
static _Thread_local int got;
static sigjmp_buf back;
static sem_t sem, handled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int pipes[2], rings, plain;
static timer_t calls, alarms;
static bool ready;
static void *block;

/* R: system calls begin anew; P: plain data; M: heap; B: main takes no SIGALRM; W: writers come
 * first; H: the handler goes with the first signal. */
static const char *how = "";

static void handler(int signal) {
    runs++;
    stop = 1;
    if (signal == SIGUSR2) sem_post(&handled);
    if (strchr(how, 'P')) plain++;
    if (strchr(how, 'M')) free(malloc(8));
    if (jumps) siglongjmp(back, 1);
    if (locks) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void saw(int digit) { got = got * 10 + digit; }

static void called(union sigval value) { (void)value, runs++; }

static void masks(int way, int signal) {
    const sigset_t set = only(signal);
    pthread_sigmask(way, &set, NULL);
}

static void suspends(void) {
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    sigsuspend(&set);
}

static void waits(void) {
    pthread_mutex_lock(&mutex);
    y = 1;
    while (!ready) pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void wakes(void) {
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&cond);
}

static void awaits_y(void) {
    bool there;
    do {
        pthread_mutex_lock(&mutex);
        there = y;
        pthread_mutex_unlock(&mutex);
    } while (!there);
}

static void jumps_back(bool waits) {
    if (sigsetjmp(back, 1)) {
        if (waits) saw(2);
    } else {
        jumps = 1;
        if (waits) saw(1 + !!sem_wait(&sem));
        x = 1;
        x = 2;
    }
    jumps = 0;
}

/* What asks for a signal that has a handler, or a wait that none ends there. */
static void meets(char what) {
    const sigset_t set = only(SIGUSR1);
    sigset_t pending;
    int signal;
    switch (what) {
    case 'G': CHECK(!sigwait(&set, &signal)); return;
    case 'e': CHECK(!sigpending(&pending)); return;
    case 'f': close(signalfd(-1, &set, 0)); return;
    case 'F': (void)syscall(SYS_futex, &out, FUTEX_WAIT, 1, NULL); return;
    }
}

static void locked(int (*lock)(pthread_rwlock_t *), int more) {
    lock(&rwlock);
    x += more;
    if (!more) saw(x);
    pthread_rwlock_unlock(&rwlock);
}

static void does(char what) {
    const struct timespec second = {1, 0};
    const struct itimerval every = {{1, 0}, {1, 0}};
    const struct itimerspec once = {{0, 0}, {1, 0}}, again = {{1, 0}, {1, 0}};
    struct itimerval left;
    uint64_t times;
    struct pollfd file = {.fd = pipes[0], .events = POLLIN};
    char c;
    switch (what) {
    case 'A': alarm(1); return;
    case 'B': pthread_barrier_wait(&barrier); return;
    case 'C': wakes(); return;
    case 'D': CHECK(!timerfd_settime(rings, 0, &again, NULL)); return;
    case 'E': CHECK(!timer_settime(alarms, 0, &once, NULL)); return;
    case 'H':
        while (sem_wait(&handled)) continue;
        return;
    case 'I': CHECK(!setitimer(ITIMER_REAL, &every, NULL)); return;
    case 'J':
    case 'j': jumps_back(what == 'j'); return;
    case 'L':
        while (!stop) continue;
        return;
    case 'M': block = malloc(20); return;
    case 'N': plain++; return;
    case 'O': saw(1 + !!alarm(0)); return;
    case 'P': pause(); return;
    case 'Q': locked(pthread_rwlock_wrlock, 1); return;
    case 'R': saw(read(pipes[0], &c, 1) == 1 ? 1 : 2); return;
    case 'S': saw(sem_wait(&sem) ? 2 : 1); return;
    case 'T': CHECK(!timer_settime(calls, 0, &again, NULL)); return;
    case 'V': suspends(); return;
    case 'W': waits(); return;
    case 'X': x = 1; return;
    case 'Y': awaits_y(); return;
    case 'b': masks(SIG_BLOCK, SIGUSR1); return;
    case 'd': saw(read(rings, &times, sizeof times) == sizeof times ? (int)times : 9); return;
    case 'g':
        CHECK(!getitimer(ITIMER_REAL, &left));
        saw(left.it_value.tv_sec || left.it_value.tv_usec);
        return;
    case 'l': locks = 1; return;
    case 'm': pthread_mutex_lock(&mutex); return;
    case 'n': pthread_mutex_unlock(&mutex); return;
    case 'o': saw(poll(&file, 1, -1) == 1 ? 1 : 2); return;
    case 'p': sem_post(&sem); return;
    case 'q': locked(pthread_rwlock_rdlock, 0); return;
    case 'r': saw(runs); return;
    case 'u': masks(SIG_UNBLOCK, SIGUSR1); return;
    case 'w': CHECK(write(pipes[1], "", 1) == 1); return;
    case 'x': saw(x); return;
    case 'z': saw(nanosleep(&second, NULL) ? 2 : 1); return;
    case '{': masks(SIG_BLOCK, SIGALRM); return;
    case '}': masks(SIG_UNBLOCK, SIGALRM); return;
    default: meets(what);
    }
}

static void *thread(void *deeds) {
    for (const char *what = deeds; *what; what++) does(*what);
    out = got;
    return NULL;
}

static bool one_of(const char *outcomes, const char *outcome) {
    size_t n = strlen(outcome);
    for (const char *at = outcomes; (at = strstr(at, outcome)); at += n)
        if ((at == outcomes || at[-1] == ' ') && (!at[n] || at[n] == ' ')) return true;
    return false;
}

/* Sends the thread, or all, what handlers wait for. */
static bool sends(char what, pthread_t t) {
    const union sigval value = {.sival_int = 1};
    switch (what) {
    case 'k': return !pthread_kill(t, SIGUSR1);
    case 'K': return !pthread_kill(t, SIGUSR2);
    case 's': return !pthread_sigqueue(t, SIGRTMIN, value);
    case 'a': return !kill(getpid(), SIGUSR1);
    case 'c': return !kill(getpid(), SIGALRM);
    default: return false;
    }
}

static void begins(void) {
    static const int signals[] = {SIGUSR1, SIGUSR2, SIGALRM};
    struct sigaction a = {.sa_handler = handler};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = called};
    pthread_rwlockattr_t writers;
    if (strchr(how, 'R')) a.sa_flags = SA_RESTART;
    if (strchr(how, 'H')) a.sa_flags = SA_RESETHAND;
    for (int i = 0; i < 3; i++) CHECK(!sigaction(signals[i], &a, NULL));
    CHECK(!sigaction(SIGRTMIN, &a, NULL));
    CHECK(!sem_init(&sem, 0, 0) && !sem_init(&handled, 0, 0) && !pipe(pipes));
    CHECK(!pthread_barrier_init(&barrier, NULL, 2));
    CHECK((rings = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0);
    CHECK(!timer_create(CLOCK_MONOTONIC, &event, &calls));
    CHECK(!timer_create(CLOCK_MONOTONIC, NULL, &alarms)); /* SIGALRM */
    if (strchr(how, 'B')) masks(SIG_BLOCK, SIGALRM);
    if (!strchr(how, 'W')) return;
    pthread_rwlockattr_init(&writers);
    pthread_rwlockattr_setkind_np(&writers, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    CHECK(!pthread_rwlock_init(&rwlock, &writers));
}

int main(int argc, char **argv) {
    pthread_t t;
    char outcome[32];
    CHECK(argc >= 4);
    if (argc > 4) how = argv[4];
    begins();
    CHECK(!pthread_create(&t, NULL, thread, argv[1]));
    for (const char *what = argv[2]; *what; what++)
        if (!sends(*what, t)) does(*what);
    CHECK(!pthread_join(t, NULL));
    free(block);
    snprintf(outcome, sizeof outcome, "%d.%d", out, (int)runs);
    CHECK(one_of(argv[3], outcome));
    return 0;
}
