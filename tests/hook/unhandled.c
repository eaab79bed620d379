/* Signals without a handler that a thread waits for: all threads block them ("early", and "alarm",
 * of the watchdog's), those that began before do not ("late"), or it is sent to one that does
 * ("own"). And such as have no handler any more: since it was reset ("reset", "again"), or since
 * another thread ignores them ("ignored", "pending", "urgent"), or such as nobody reads on
 * ("broken") and nobody blocks ("killed").  With a name: that one is pending, and let through by
 * each kind of mask. */
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t hangup;
static int sent, number = SIGHUP;
static atomic_int count;

THREAD(works) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

THREAD(waits) {
    siginfo_t info;
    assert(sigwaitinfo(&hangup, &info) == number && info.si_pid == getpid() && sent);
}

THREAD(ignores) { signal(number, number == SIGURG ? SIG_DFL : SIG_IGN); }

static void comes(int signal) {
    (void)signal;
    count++;
}

static void sends(int signal) {
    (void)signal;
    kill(getpid(), number);
}

/* SIGUSR1 has had a handler, and is still pending for who asks. */
static int lets_through(const char *way) {
    const struct timespec soon = {1, 0};
    sigset_t none, there;
    int back = !strcmp(way, "back");
    signal(SIGUSR2, sends);
    if (number == SIGUSR1) signal(number, comes);
    sigemptyset(&none);
    hangup = only(back ? SIGUSR2 : number);
    sigprocmask(SIG_BLOCK, &hangup, NULL);
    kill(getpid(), back ? SIGUSR2 : number);
    if (*way == 'i') signal(number, SIG_IGN);
    signal(number, SIG_DFL);
    if (*way == 'i') return pthread_sigmask(SIG_UNBLOCK, &hangup, NULL);
    assert(!sigpending(&there) && sigismember(&there, back ? SIGUSR2 : number));
    if (back) sigaddset(&none, number); /* which ends it behind the wait */
    if (*way == 's' || back) sigsuspend(&none);
    if (*way == 't') pthread_sigmask(SIG_UNBLOCK, &hangup, NULL);
    if (!strcmp(way, "process")) sigprocmask(SIG_SETMASK, &none, NULL);
    if (!strcmp(way, "poll")) ppoll(NULL, 0, &soon, &none);
    if (!strcmp(way, "select")) pselect(0, NULL, NULL, NULL, &soon, &none);
    if (*way == 'w') return sigwaitinfo(&hangup, NULL) != number;
    return 0;
}

static ssize_t broken(void) {
    int end[2];
    assert(signal(SIGPIPE, SIG_DFL) == SIG_DFL && !pipe(end) && !close(end[0]));
    return write(end[1], "", 1);
}

static int handled(const char *way) {
    int pending = !strcmp(way, "pending") || !strcmp(way, "urgent"), again = !strcmp(way, "again");
    struct sigaction a = {.sa_handler = comes, .sa_flags = pending ? 0 : (int)SA_RESETHAND};
    pthread_t ignorer;
    if (again) number = SIGALRM;
    if (*way == 'u') number = SIGURG;
    if (*way == 'k') return raise(SIGKILL);
    if (*way == 'b') return broken() > 0;
    hangup = only(number);
    sigaction(number, &a, NULL);
    if (*way == 'r' || again) return raise(number) || raise(number);
    if (pending) pthread_sigmask(SIG_BLOCK, &hangup, NULL);
    if (pending) kill(getpid(), number);
    pthread_create(&ignorer, NULL, ignores, NULL);
    if (!pending) kill(getpid(), number);
    pthread_join(ignorer, NULL);
    signal(number, comes);
    int before = count;
    pthread_sigmask(SIG_UNBLOCK, &hangup, NULL);
    return count != before;
}

int main(int argc, char **argv) {
    pthread_t worker, waiter;
    const char *way = argc > 1 ? argv[1] : "";
    int late = !strcmp(way, "late"), own = !strcmp(way, "own");
    if (argc > 2) {
        char name = argv[2][3];
        number = name == 'A' ? SIGALRM : name == 'P' ? SIGPROF : name == 'T' ? SIGTERM : SIGUSR1;
        return lets_through(way);
    }
    if (!strcmp(way, "alarm"))
        number = SIGALRM;
    else if (!late && !own && strcmp(way, "early"))
        return handled(way);
    hangup = only(number);
    if (late || own) pthread_create(&worker, NULL, works, NULL);
    pthread_sigmask(SIG_BLOCK, &hangup, NULL);
    if (!late && !own) pthread_create(&worker, NULL, works, NULL);
    pthread_create(&waiter, NULL, waits, NULL);
    sent = 1;
    assert(!(own ? pthread_kill(waiter, number) : kill(getpid(), number)));
    pthread_join(worker, NULL);
    pthread_join(waiter, NULL);
    return 0;
}
