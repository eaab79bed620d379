/* The calls of <signal.h> that are called obsolete do what the C library does; with "stops" a read
 * is ended by a handler, with "goes" it is not. */
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static atomic_int hits;

static void on(int signal) {
    CHECK(signal == SIGUSR1);
    hits++;
}

static int blocked(int signal) {
    sigset_t now;
    CHECK(!pthread_sigmask(SIG_BLOCK, NULL, &now));
    return sigismember(&now, signal);
}

static void held(void) {
    CHECK(signal(SIGUSR1, on) == SIG_DFL);
    CHECK(!sighold(SIGUSR1) && blocked(SIGUSR1) && !raise(SIGUSR1) && !hits);
    CHECK(!sigrelse(SIGUSR1) && !blocked(SIGUSR1) && hits == 1);
    CHECK(sighold(1000) == -1 && errno == EINVAL);
    CHECK(!sigignore(SIGUSR1) && !raise(SIGUSR1) && hits == 1);
}

static void is_set(void) {
    CHECK(sigset(SIGUSR1, on) == SIG_IGN && !gsignal(SIGUSR1) && hits == 2);
    CHECK(sigset(SIGUSR1, SIG_HOLD) == on && blocked(SIGUSR1));
    CHECK(sigset(SIGUSR1, SIG_HOLD) == SIG_HOLD && !raise(SIGUSR1) && hits == 2);
    CHECK(sigpause(SIGUSR1) == -1 && errno == EINTR && hits == 3 && blocked(SIGUSR1));
    CHECK(sigset(SIGUSR1, on) == SIG_HOLD && !blocked(SIGUSR1));
}

#ifdef __GLIBC__
static void masks(void) {
    int mask = 1 << (SIGUSR1 - 1);
    CHECK(!sigblock(mask) && siggetmask() == mask && !raise(SIGUSR1) && hits == 3);
    CHECK(sigsetmask(0) == mask && hits == 4 && !siggetmask());
    CHECK(ssignal(SIGUSR1, on) == on);
}
#endif

static pthread_t first;
static int end[2];

THREAD(sends) {
    pthread_kill(first, SIGUSR1);
    CHECK(write(end[1], "", 1) == 1);
}

/* A handler that `signal` has set ends no read, unless siginterrupt says so. */
static void interrupts(int stops) {
    pthread_t t;
    char c;
    first = pthread_self();
    CHECK(!pipe(end) && !siginterrupt(SIGUSR1, stops) && signal(SIGUSR1, on) == on);
    CHECK(!pthread_create(&t, NULL, sends, NULL));
    assert(read(end[0], &c, 1) == 1);
    CHECK(!pthread_join(t, NULL) && !close(end[0]) && !close(end[1]));
}

int main(int argc, char **argv) {
    held();
    is_set();
#ifdef __GLIBC__
    masks();
#endif
    if (argc > 1) interrupts(!strcmp(argv[1], "stops"));
    return 0;
}
