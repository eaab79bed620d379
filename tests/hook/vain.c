/* Threads wait for files: of this process alone, which nobody writes to, or of a child, whose
 * answer takes real time and lets all go on. */
#include "check.h"

static int ends[2], answer[2], event;
static const char *way;

static int there(int fd) {
    struct pollfd in = {fd, POLLIN, 0};
    return poll(&in, 1, -1);
}

static void *waits(void *out) {
    struct epoll_event e = {.events = EPOLLIN};
    eventfd_t n;
    char c;
    fd_set in;
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    int queue = epoll_create1(0);
    epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &e);
    if (!strcmp(way, "poll") && there(ends[0]) != 1) return NULL;
    if (!strcmp(way, "select") && select(ends[0] + 1, &in, NULL, NULL, NULL) != 1) return NULL;
    if (!strcmp(way, "epoll") && epoll_wait(queue, &e, 1, -1) != 1) return NULL;
    if (!strcmp(way, "eventfd") && eventfd_read(event, &n)) return NULL;
    if (strcmp(way, "eventfd") && read(ends[0], &c, 1) != 1) return NULL;
    return close(queue) ? NULL : out;
}

THREAD(hears) {
    char c;
    assert(read(answer[0], &c, 1) == 1);
    assert(write(ends[1], &c, 1) == 1);
}

/* What the others wait for comes behind a real wait, whoever began it. */
static int child(void) {
    pthread_t t[3];
    pid_t sender = fork();
    if (!sender) {
        dup2(answer[1], 1);
        execl("/bin/sh", "sh", "-c", "sleep 0.2; echo; sleep 0.2; exit 3", (char *)NULL);
    }
    assert(sender > 0);
    way = "read";
    pthread_create(&t[0], NULL, waits, &way);
    pthread_create(&t[1], NULL, hears, &way);
    pthread_create(&t[2], NULL, waits, &way);
    int status = 0;
    assert(waitpid(sender, &status, 0) == sender && WEXITSTATUS(status) == 3);
    assert(write(ends[1], "x", 1) == 1);
    for (int i = 0; i < 3; i++) {
        void *out;
        pthread_join(t[i], &out);
        assert(out == &way);
    }
    return 0;
}

/* The same of what somebody sends who is no child. */
static int input(void) {
    pthread_t t;
    char c;
    way = "read";
    pthread_create(&t, NULL, waits, &way);
    assert(read(0, &c, 1) >= 0 && write(ends[1], "x", 1) == 1);
    return pthread_join(t, NULL);
}

THREAD(works) {
    char c;
    while (read(ends[0], &c, 1) == 1) assert(write(answer[1], &c, 1) == 1);
}

/* Who has looked before another one wrote does not wait in vain. */
static int jobs(void) {
    pthread_t t[2];
    char c = 'x';
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, works, NULL);
    for (int i = 0; i < 2; i++) assert(write(ends[1], &c, 1) == 1 && read(answer[0], &c, 1) == 1);
    close(ends[1]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}

/* A connection of this process to itself. */
static void connects(int family) {
    struct sockaddr_storage at = {.ss_family = (sa_family_t)family};
    socklen_t n = sizeof at;
    if (family == AF_INET)
        ((struct sockaddr_in *)&at)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        n = sizeof(sa_family_t); /* the system finds a name */
    int door = socket(family, SOCK_STREAM, 0);
    assert(!bind(door, (struct sockaddr *)&at, n) && !listen(door, 1));
    n = sizeof at;
    assert(!getsockname(door, (struct sockaddr *)&at, &n));
    ends[1] = socket(family, SOCK_STREAM, 0);
    assert(!connect(ends[1], (struct sockaddr *)&at, n));
    ends[0] = accept(door, NULL, NULL);
    assert(ends[0] >= 0 && !close(door));
}

int main(int argc, char **argv) {
    way = argc > 1 ? argv[1] : "poll";
    event = eventfd(0, 0);
    assert(event >= 0 && !pipe(ends) && !pipe(answer));
    if (!strcmp(way, "pair")) assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    if (!strcmp(way, "unix")) connects(AF_UNIX);
    if (!strcmp(way, "tcp")) connects(AF_INET);
    if (!strcmp(way, "child")) return child();
    if (!strcmp(way, "input")) return input();
    if (!strcmp(way, "jobs")) return jobs();
    run_two(waits, &way, waits, &way);
    return 0;
}
