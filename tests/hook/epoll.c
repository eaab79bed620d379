/* A loop that ends when time has passed, which passes in a call that waits; a wait that another
 * thread ends; and one that it interrupts, by a signal that is let through for as long. */
#include "check.h"

static int ends[2];
static volatile sig_atomic_t handled;

static void handles(int signal) { handled += signal; }

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *writes(void *p) { return write(ends[1], "x", 1) == 1 ? p : NULL; }

static void *interrupts(void *p) { return pthread_kill(*(pthread_t *)p, SIGUSR1) ? p : NULL; }

static void is_interrupted(int queue) {
    struct epoll_event e;
    sigset_t usr1 = only(SIGUSR1), none;
    pthread_t t, self = pthread_self();
    sigemptyset(&none);
    signal(SIGUSR1, handles);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    pthread_create(&t, NULL, interrupts, &self);
    assert(epoll_pwait(queue, &e, 1, -1, &none) == -1 && errno == EINTR && handled == SIGUSR1);
    pthread_join(t, NULL);
}

int main(void) {
    struct epoll_event e = {.events = EPOLLIN, .data.fd = 7};
    char byte;
    pthread_t t;
    int queue = epoll_create1(0), rounds = 0;
    assert(!pipe(ends));
    assert(!epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &e));
    long t0 = now();
    while (now() - t0 < 50) {
        assert(!epoll_wait(queue, &e, 1, 10));
        rounds++;
    }
    assert(rounds <= 5);
    pthread_create(&t, NULL, writes, NULL);
    assert(epoll_wait(queue, &e, 1, -1) == 1 && e.data.fd == 7);
    pthread_join(t, NULL);
    assert(epoll_pwait(queue, &e, 1, -1, NULL) == 1 && read(ends[0], &byte, 1) == 1);
    assert(!epoll_pwait(queue, &e, 1, 10, NULL));
    is_interrupted(queue);
    close(queue);
    return 0;
}
