/* Faults of programs that handle signals, by name; with FIXED, their mended twins. */
#include "check.h"

#ifdef FIXED
enum { fixed = 1 };
#else
enum { fixed = 0 };
#endif

static sigset_t blocked, before;

static void handle(int signal, void (*fn)(int), int flags) {
    struct sigaction a = {.sa_handler = fn, .sa_flags = flags};
    sigemptyset(&a.sa_mask);
    if (fixed) sigaddset(&a.sa_mask, signal == SIGALRM ? SIGUSR1 : SIGALRM);
    CHECK(!sigaction(signal, &a, NULL));
}

static void mask(void) {
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigaddset(&blocked, SIGUSR1);
    CHECK(!pthread_sigmask(SIG_BLOCK, &blocked, &before));
}

static void unmask(void) { CHECK(!pthread_sigmask(SIG_SETMASK, &before, NULL)); }

/* A wake-up between the check and the sleep. */
static volatile sig_atomic_t flag;

static void raises(int signal) { flag = signal; }

static void wakeup(void) {
    handle(SIGALRM, raises, 0);
    if (fixed) mask();
    alarm(1);
    while (!flag) {
        if (fixed)
            sigsuspend(&before);
        else
            pause();
    }
}

/* A bit that is lost, since both sides read and write. */
static volatile sig_atomic_t bits, ran;

static void sets(int signal) {
    (void)signal;
    bits |= 2;
    ran = 1;
}

static void update(void) {
    struct itimerval soon = {{0, 0}, {0, 1000}};
    handle(SIGALRM, sets, 0);
    CHECK(!setitimer(ITIMER_REAL, &soon, NULL));
    if (fixed) mask();
    bits |= 1;
    if (fixed) unmask();
    CHECK(!ran || bits == 3);
}

/* A lock that the interrupted thread may hold. */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void locks(int signal) {
    (void)signal;
    pthread_mutex_lock(&m);
    locked++;
    pthread_mutex_unlock(&m);
}

static void *kills(void *thread) {
    CHECK(!pthread_kill(*(pthread_t *)thread, SIGUSR1));
    return NULL;
}

static void lock(void) {
    pthread_t t, own = pthread_self();
    handle(SIGUSR1, locks, 0);
    CHECK(!pthread_create(&t, NULL, kills, &own));
    if (fixed) mask();
    pthread_mutex_lock(&m);
    locked++;
    pthread_mutex_unlock(&m);
    if (fixed) unmask();
    CHECK(!pthread_join(t, NULL));
}

/* Functions that are not async-signal-safe. */
static void *volatile block;

static void allocates(int signal) {
    (void)signal;
    if (fixed) return;
    free(block);
    block = malloc(10);
}

static void heap(void) {
    handle(SIGALRM, allocates, 0);
    alarm(1);
    void *volatile p = malloc(20);
    free(p);
    alarm(0);
}

static void prints(int signal) {
    static const char text[] = "alarm\n";
    (void)signal;
    if (fixed)
        (void)!write(STDOUT_FILENO, text, sizeof text - 1);
    else
        printf(text);
}

static void streams(void) {
    handle(SIGALRM, prints, 0);
    alarm(1);
    puts("working");
}

static volatile sig_atomic_t rolled;

static void stamps(int signal) {
    static const time_t epoch = 0;
    (void)signal;
    if (!fixed) (void)gmtime(&epoch);
}

static void words(void) {
    char text[] = "a b";
    handle(SIGALRM, stamps, 0);
    alarm(1);
    (void)strtok(text, " ");
}

static void throws(int signal) {
    if (!fixed && rand() == signal) rolled++;
}

static void dice(void) {
    handle(SIGALRM, throws, 0);
    alarm(1);
    if (getenv("HOME")) rolled++;
}

static void quits(int signal) {
    (void)signal;
    if (fixed) _exit(0);
    exit(0);
}

static void leave(void) {
    handle(SIGALRM, quits, 0);
    alarm(1);
    puts("working");
}

/* errno that is another one behind the call. */
static void spoils(int signal) {
    int error = errno;
    (void)signal;
    (void)close(-1);
    if (fixed) errno = error;
}

static void error(void) {
    char *end, text[] = "12";
    handle(SIGALRM, spoils, 0);
    alarm(1);
    errno = 0;
    CHECK(strtol(text, &end, 10) == 12 && !errno);
}

/* Two handlers that share an object. */
static volatile int scratch;

static void uses(int signal) {
    scratch = signal;
    CHECK(scratch == signal);
}

THREAD(sends) { CHECK(!kill(getpid(), SIGUSR1)); }

static void nested(void) {
    pthread_t t;
    handle(SIGALRM, uses, 0);
    handle(SIGUSR1, uses, 0);
    mask();
    CHECK(!pthread_create(&t, NULL, sends, NULL)); /* it blocks both */
    unmask();
    alarm(1);
    CHECK(!pthread_join(t, NULL));
}

/* A call that a handler ends. */
static sem_t posted;

static void nothing(int signal) { (void)signal; }

static void *posts(void *thread) {
    CHECK(!pthread_kill(*(pthread_t *)thread, SIGUSR1));
    CHECK(!sem_post(&posted));
    return NULL;
}

static void interrupted(void) {
    pthread_t t, own = pthread_self();
    CHECK(!sem_init(&posted, 0, 0));
    handle(SIGUSR1, nothing, fixed ? SA_RESTART : 0);
    CHECK(!pthread_create(&t, NULL, posts, &own));
    CHECK(!sem_wait(&posted));
    CHECK(!pthread_join(t, NULL));
}

/* A jump out of a handler, in the middle of a change. */
static sigjmp_buf back;
static volatile int from = 10, to;

static void jumps(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

static void jump(void) {
    handle(SIGALRM, jumps, 0);
    if (!sigsetjmp(back, 1)) {
        alarm(1);
        if (fixed) mask();
        from--;
        to++;
        if (fixed) unmask();
    }
    alarm(0);
    CHECK(from + to == 10);
}

/* A timer that calls a function in a thread of its own. */
static int notices;

static void notes(union sigval by) {
    if (fixed) pthread_mutex_lock(&m);
    notices += by.sival_int;
    if (fixed) pthread_mutex_unlock(&m);
    CHECK(!sem_post(&posted));
}

static void notified(void) {
    timer_t id;
    struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 3};
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    e.sigev_notify_function = notes;
    CHECK(!sem_init(&posted, 0, 0) && !timer_create(CLOCK_MONOTONIC, &e, &id));
    CHECK(!timer_settime(id, 0, &soon, NULL));
    if (fixed) pthread_mutex_lock(&m);
    notices++;
    if (fixed) pthread_mutex_unlock(&m);
    CHECK(!sem_wait(&posted) && notices == 4 && !timer_delete(id));
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*fn)(void);
    } faults[] = {{"wakeup", wakeup}, {"update", update},     {"lock", lock},
                  {"heap", heap},     {"streams", streams},   {"leave", leave},
                  {"error", error},   {"nested", nested},     {"interrupted", interrupted},
                  {"jump", jump},     {"notified", notified}, {"words", words},
                  {"dice", dice}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (argc > 1 && !strcmp(argv[1], faults[i].name)) faults[i].fn();
    return 0;
}
