/* A loop that ends when time has passed, which passes in a call that waits; and a wait that another
 * thread ends. */
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *writes(void *p) {
    return write(ends[1], "x", 1) == 1 ? p : NULL;
}

int main(void) {
    struct epoll_event e = {.events = EPOLLIN, .data.fd = 7};
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
    close(queue);
    return 0;
}
