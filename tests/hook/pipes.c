/* Threads that meet by two pipes (hook_graphs.sh): each argument is what one of them does.  w, W
 * write a byte to the first or second one, r, R read one; p, s wait by poll or select for one to
 * read, P for a while; d, a write and read plain data; f, F have a lock of a file for a moment, by
 * fcntl or flock; c reads what a child writes.  By epoll, e waits for the first pipe, E for those
 * of a queue that all have, T for a while, x adds the second pipe to that; g waits for the first
 * one as one that is told once.  k sends the first thread a signal, z waits for one, Z for a while,
 * o looks whether one is pending; h sends itself one whose handler does w, H sends the first thread
 * that, i ignores it; m and M take and give a semaphore of System V, y and Y receive and send a
 * message; l sets a timer of one second, which is a file, D takes that back, U finds it so, L reads
 * it; n names the first thread, t joins it if it has ended, u says that it has, q cancels it. */
#include "check.h"
#include <sys/msg.h>
#include <sys/sem.h>

static int pipes[2][2], data, inside, all, once, semaphore, messages, timer;
static char name[] = "/tmp/racefuzz-XXXXXX";
static pthread_t threads[8];
static int joined;
static sigset_t waited;

static int queue_of(int fd, unsigned how) {
    struct epoll_event event = {.events = EPOLLIN | how};
    int queue = epoll_create1(0);
    assert(!epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event));
    return queue;
}

static void gives(int n) {
    struct sembuf by = {.sem_op = (short)n};
    assert(!semop(semaphore, &by, 1));
}

static void does(char what) {
    int *fd = pipes[what == 'W' || what == 'R'];
    struct pollfd ready = {fd[0], POLLIN, 0};
    struct epoll_event event = {.events = EPOLLIN};
    struct flock lock = {.l_type = F_WRLCK};
    const struct timespec second = {1, 0};
    struct itimerspec soon = {.it_value = {what == 'l', 0}};
    struct pollfd rings = {timer, POLLIN, 0};
    uint64_t times;
    struct {
        long type;
        char text;
    } message = {1, 0};
    int file, queue;
    sigset_t pending;
    fd_set set;
    FILE *child;
    char c = 0;
    switch (what) {
    case 'd': data = 1; break;
    case 'a': assert(data); break;
    case 'P': (void)poll(&ready, 1, 100); break;
    case 'p': assert(poll(&ready, 1, -1) == 1); break;
    case 's':
        FD_ZERO(&set);
        FD_SET(fd[0], &set);
        assert(select(fd[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fd[0], &set));
        break;
    case 'f':
    case 'F':
        file = open(name, O_RDWR);
        assert(!(what == 'f' ? fcntl(file, F_OFD_SETLKW, &lock) : flock(file, LOCK_EX)));
        assert(!inside++), inside--;
        close(file);
        break;
    case 'e':
        queue = queue_of(fd[0], 0);
        assert(epoll_wait(queue, &event, 1, -1) == 1);
        close(queue);
        break;
    case 'E': assert(epoll_wait(all, &event, 1, -1) == 1); break;
    case 'T': (void)epoll_wait(all, &event, 1, 100); break;
    case 'x': assert(!epoll_ctl(all, EPOLL_CTL_ADD, pipes[1][0], &event)); break;
    case 'g': assert(epoll_wait(once, &event, 1, -1) == 1); break;
    case 'c':
        child = popen("echo", "r");
        assert(read(fileno(child), &c, 1) == 1);
        pclose(child);
        break;
    case 'k': assert(!pthread_kill(threads[1], SIGUSR1)); break;
    case 'z': assert(!sigwait(&waited, &queue) && queue == SIGUSR1); break;
    case 'Z': (void)sigtimedwait(&waited, NULL, &second); break;
    case 'o': assert(!sigpending(&pending)); break;
    case 'h': assert(!raise(SIGUSR2)); break;
    case 'H': assert(!pthread_kill(threads[1], SIGUSR2)); break;
    case 'i': signal(SIGUSR2, SIG_IGN); break;
    case 'q': pthread_cancel(threads[1]); break;
    case 'l':
    case 'D': assert(!timerfd_settime(timer, 0, &soon, NULL)); break;
    case 'U': assert(!poll(&rings, 1, 0)); break;
    case 'L': assert(read(timer, &times, sizeof times) == sizeof times && times == 1); break;
    case 'm':
    case 'M': gives(what == 'M' ? 1 : -1); break;
    case 'y': assert(msgrcv(messages, &message, 1, 0, 0) == 1); break;
    case 'Y': assert(!msgsnd(messages, &message, 1, 0)); break;
    case 'n': assert(!pthread_setname_np(threads[1], "first")); break;
    case 't': joined |= !pthread_tryjoin_np(threads[1], NULL); break;
    case 'u': assert(joined |= !pthread_tryjoin_np(threads[1], NULL)); break;
    case 'w':
    case 'W': assert(write(fd[1], &c, 1) == 1); break;
    default: assert(read(fd[0], &c, 1) == 1);
    }
}

static void handles(int signal) { does(signal == SIGUSR2 ? 'w' : 0); }

static void *thread(void *arg) {
    for (const char *what = arg; *what; what++) does(*what);
    return NULL;
}

int main(int argc, char **argv) {
    struct sigaction handler = {.sa_handler = handles};
    int file = mkstemp(name);
    if (pipe(pipes[0]) || pipe(pipes[1]) || unlink(name)) return 1;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file); /* no execution leaves it behind */
    all = queue_of(pipes[0][0], 0);
    once = queue_of(pipes[0][0], EPOLLET);
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    semaphore = semget(IPC_PRIVATE, 1, 0600);
    messages = msgget(IPC_PRIVATE, 0600);
    waited = only(SIGUSR1);
    if (sigprocmask(SIG_BLOCK, &waited, NULL) || sigaction(SIGUSR2, &handler, NULL)) return 1;
    for (int i = 1; i < argc; i++) pthread_create(&threads[i], NULL, thread, argv[i]);
    for (int i = 2; i < argc; i++) pthread_join(threads[i], NULL);
    if (!joined) pthread_join(threads[1], NULL);
    semctl(semaphore, 0, IPC_RMID), msgctl(messages, IPC_RMID, NULL);
    close(all), close(once), close(timer);
    for (int i = 0; i < 4; i++) close(pipes[i / 2][i % 2]);
    return close(file);
}
