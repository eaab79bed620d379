/* Signals that are sent to a thread.  With a handler: what that did is known behind a join
 * ("joined"), and not without ("beside"), nor does it wait for who only looks at what it did
 * ("looks").  Without one: it is pending for that thread alone ("mine"), also if that waits already
 * ("sent"), as often as it was sent ("often"), until the thread ends ("gone") or it gets a handler
 * ("handled"), and one that may wait for it only so long does not ("vain"). */
#include "check.h"

static const struct timespec soon = {1, 0};
static const char *way;
static sigset_t set;
static int hits;
static atomic_int begun, count;

static void on(int signal) {
    (void)signal;
    hits++;
}

static void counts(int signal) {
    (void)signal;
    count++;
}

static int pends(int signal) {
    sigset_t now;
    return !sigpending(&now) && sigismember(&now, signal);
}

static void *other(void *arg) {
    if (*way == 'l') return hits ? NULL : arg;
    if (*way == 'b' || *way == 'j') begun = 1;
    if (*way == 'm' || *way == 'v')
        assert(sigtimedwait(&set, NULL, &soon) == -1 && !pends(SIGUSR1));
    if (*way == 's') assert(!sigwaitinfo(&set, NULL) || !pends(SIGUSR1));
    if (*way == 'g') assert(!pends(SIGUSR1) || pends(SIGUSR1));
    return arg;
}

static int handled(pthread_t t) {
    if (*way == 'b')
        while (!begun) continue;
    pthread_kill(t, SIGUSR1);
    if (*way == 'b') return hits;
    pthread_join(t, NULL);
    return hits > 1;
}

static int often(void) {
    siginfo_t info;
    sigset_t rt = only(SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &rt, NULL);
    for (int i = 3; i < 5; i++)
        pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){.sival_int = i});
    for (int i = 3; i < 5; i++)
        assert(sigwaitinfo(&rt, &info) == SIGRTMIN && info.si_value.sival_int == i);
    return pends(SIGRTMIN);
}

int main(int argc, char **argv) {
    pthread_t t;
    int got;
    way = argc > 1 ? argv[1] : "joined";
    set = only(SIGUSR1);
    if (strchr("jbl", *way)) {
        signal(SIGUSR1, on);
        pthread_create(&t, NULL, other, NULL);
        return handled(t);
    }
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (*way == 'o') return often();
    pthread_create(&t, NULL, other, NULL);
    if (*way == 'g' || *way == 's') {
        pthread_kill(t, SIGUSR1);
        assert(!pends(SIGUSR1));
    } else if (*way != 'v') {
        raise(SIGUSR1);
        raise(SIGUSR1);
        assert(pends(SIGUSR1));
    }
    pthread_join(t, NULL);
    if (*way == 'h') {
        signal(SIGUSR1, counts);
        assert(!count && pends(SIGUSR1));
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        return count != 1;
    }
    if (*way == 'm') assert(!sigwait(&set, &got) && got == SIGUSR1);
    return pends(SIGUSR1);
}
