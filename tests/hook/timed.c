/* Time-outs of waits for files: where only threads of this process can make them ready, none takes
 * real time. */
#include "check.h"

long longest_wait(void);

/* The longest wait of a poll, a select and an epoll for these two. */
static long waits(int a, int b) {
    struct epoll_event e = {.events = EPOLLIN};
    struct pollfd file[] = {{.fd = a, .events = POLLIN}, {.fd = -1}, {.fd = b, .events = POLLIN}};
    struct timeval t = {0, 300000};
    fd_set in;
    FD_ZERO(&in);
    FD_SET(a, &in);
    FD_SET(b, &in);
    int queue = epoll_create1(0);
    assert(!epoll_ctl(queue, EPOLL_CTL_ADD, a, &e) && !epoll_ctl(queue, EPOLL_CTL_ADD, b, &e));
    longest_wait();
    assert(!poll(file, 3, 300));
    long polled = longest_wait();
    assert(!select((a > b ? a : b) + 1, &in, NULL, NULL, &t));
    long selected = longest_wait();
    assert(!epoll_wait(queue, &e, 1, 300));
    long queued = longest_wait();
    assert(polled == selected && selected == queued);
    close(queue);
    return polled;
}

static void *writes(void *fd) { return usleep(1000), write(*(int *)fd, "x", 1) == 1 ? fd : NULL; }

int main(void) {
    int ends[2], others[2], pair[2], half[2], event = eventfd(0, 0), queue = epoll_create1(0);
    int outer = socket(AF_INET, SOCK_DGRAM, 0);
    struct epoll_event e = {.events = EPOLLIN};
    struct pollfd in = {.events = POLLIN};
    sigset_t usr1 = only(SIGUSR1);
    pthread_t t;
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    assert(!pipe(ends) && !pipe(others) && !pipe(half));
    assert(outer >= 0 && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    assert(!epoll_ctl(queue, EPOLL_CTL_ADD, event, &e));
    assert(waits(ends[0], others[0]) == 0);
    assert(waits(event, signalfd(-1, &usr1, 0)) == 0);
    assert(waits(ends[0], queue) == 0);
    assert(waits(ends[0], pair[0]) == 0);
    assert(waits(ends[0], outer) > 0); /* it hears anybody */
    assert(!epoll_ctl(queue, EPOLL_CTL_ADD, outer, &e));
    assert(waits(ends[0], queue) > 0);
    in.fd = ends[0];
    pthread_create(&t, NULL, writes, &ends[1]);
    poll(&in, 1, 300); /* what another thread writes comes, before or behind that */
    pthread_join(t, NULL);
    assert(poll(&in, 1, 300) == 1);
    pid_t child = fork(); /* it has the other ends, too */
    if (!child) _exit(0);
    assert(waits(others[0], event) > 0 && waitpid(child, NULL, 0) == child);
    assert(waits(others[0], event) > 0); /* a child of its own may have them still */
    return 0;
}
