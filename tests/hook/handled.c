/* handled DEEDS MAIN OUTCOMES: a thread does the first, and main the second, by which it sends that
 * thread signals (k, K), or the process (a); so do timers (A, I).  What the thread has seen, and
 * how many handlers have run when it has ended, is one of the outcomes: "12.1", of several words.
 */
#include "check.h"
#include <setjmp.h>

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
static int pipes[2], plain;
static bool ready;
static void *block;

/* R at the end of its name: system calls begin anew; J: it jumps; L: locks; P: plain data; M: heap.
 */
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

static void masks(int way) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
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

static void jumps_back(void) {
    if (!sigsetjmp(back, 1)) {
        jumps = 1;
        x = 1;
        x = 2;
    }
    jumps = 0;
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
    struct pollfd file = {.fd = pipes[0], .events = POLLIN};
    char c;
    switch (what) {
    case 'A': alarm(1); return;
    case 'B': pthread_barrier_wait(&barrier); return;
    case 'C': wakes(); return;
    case 'H':
        while (sem_wait(&handled)) continue;
        return;
    case 'I': CHECK(!setitimer(ITIMER_REAL, &every, NULL)); return;
    case 'J': jumps_back(); return;
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
    case 'V': suspends(); return;
    case 'W': waits(); return;
    case 'X': x = 1; return;
    case 'Y': awaits_y(); return;
    case 'b': masks(SIG_BLOCK); return;
    case 'l': locks = 1; return;
    case 'm': pthread_mutex_lock(&mutex); return;
    case 'n': pthread_mutex_unlock(&mutex); return;
    case 'o': saw(poll(&file, 1, -1) == 1 ? 1 : 2); return;
    case 'p': sem_post(&sem); return;
    case 'q': locked(pthread_rwlock_rdlock, 0); return;
    case 'r': saw(runs); return;
    case 'u': masks(SIG_UNBLOCK); return;
    case 'w': CHECK(write(pipes[1], "", 1) == 1); return;
    case 'x': saw(x); return;
    case 'z': saw(nanosleep(&second, NULL) ? 2 : 1); return;
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

int main(int argc, char **argv) {
    pthread_t t;
    char outcome[32];
    CHECK(argc >= 4 && !sem_init(&sem, 0, 0) && !sem_init(&handled, 0, 0) && !pipe(pipes));
    CHECK(!pthread_barrier_init(&barrier, NULL, 2));
    if (argc > 4) how = argv[4];
    struct sigaction a = {.sa_handler = handler, .sa_flags = strchr(how, 'R') ? SA_RESTART : 0};
    CHECK(!sigaction(SIGUSR1, &a, NULL) && !sigaction(SIGUSR2, &a, NULL));
    CHECK(!sigaction(SIGALRM, &a, NULL));
    CHECK(!pthread_create(&t, NULL, thread, argv[1]));
    for (const char *what = argv[2]; *what; what++) {
        if (*what == 'k' || *what == 'K')
            CHECK(!pthread_kill(t, *what == 'k' ? SIGUSR1 : SIGUSR2));
        else if (*what == 'a')
            CHECK(!kill(getpid(), SIGUSR1));
        else
            does(*what);
    }
    CHECK(!pthread_join(t, NULL));
    free(block);
    snprintf(outcome, sizeof outcome, "%d.%d", out, (int)runs);
    CHECK(one_of(argv[3], outcome));
    return 0;
}
