/* Two threads that meet by a file, a signal or a child: the second waits in a call until the first
 * has done something.  The argument says how. */
#include "check.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>

enum { MUCH = 300000 }; /* more than a socket keeps */
static int end[2];
static char much[MUCH], name[] = "/tmp/racefuzz-XXXXXX", byte[2];
static struct iovec parts[2] = {{byte, 1}, {byte + 1, 1}},
                    whole[2] = {{much, 99999}, {much + 99999, MUCH - 99999}};
static struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
static volatile sig_atomic_t handled;
static pid_t child;
static int inside, told;
static pthread_t other;

static void handles(int unused) { handled += unused != 0; }

/* ---- who goes first ---- */

static void writes(void) { assert(write(end[1], "xy", 2) == 2); }
static void writes_parts(void) { assert(writev(end[1], parts, 2) == 2); }
static void writes_much(void) { assert(write(end[1], much, MUCH) == MUCH); }
static void writes_parts_of_much(void) { assert(writev(end[1], whole, 2) == MUCH); }
static void sends(void) { assert(send(end[1], "xy", 2, 0) == 2); }
static void sends_much(void) { assert(send(end[1], much, MUCH, MSG_NOSIGNAL) == MUCH); }
static void sends_to(void) { assert(sendto(end[1], "xy", 2, 0, NULL, 0) == 2); }
static void sends_message(void) { assert(sendmsg(end[1], &message, 0) == 2); }
static void sends_messages(void) {
    struct mmsghdr two[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
    assert(sendmmsg(end[1], two, 2, 0) == 2 && two[1].msg_len == 2);
}
static void sends_a_file(void) {
    int from = mkstemp(name);
    off_t at = 0;
    unlink(name);
    assert(!ftruncate(from, MUCH) && sendfile(end[1], from, &at, MUCH) == MUCH && at == MUCH);
}
static void counts(void) { assert(!eventfd_write(end[1], 3)); }
static void kills(void) { assert(!kill(getpid(), SIGUSR1)); }

static void connects(void) {
    struct sockaddr_in to;
    socklen_t size = sizeof to;
    assert(!getsockname(end[0], (struct sockaddr *)&to, &size));
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert(!connect(s, (struct sockaddr *)&to, size) && send(s, "xy", 2, 0) == 2);
    close(s);
}

static void prints(void) {
    FILE *f = fdopen(end[1], "w");
    fputs("xy\n", f);
    fclose(f);
}

/* Until nobody does that any more. */
static void locks(int (*lock)(int, bool), int fd) {
    assert(!lock(fd, true));
    inside++;
    sched_yield();
    assert(inside == 1);
    inside--;
    assert(!lock(fd, false));
}

static int by_flock(int fd, bool on) { return flock(fd, on ? LOCK_EX : LOCK_UN); }

static int by_fcntl(int fd, bool on) {
    struct flock l = {.l_type = on ? F_WRLCK : F_UNLCK};
    return fcntl(fd, on ? F_OFD_SETLKW : F_OFD_SETLK, &l);
}

static void flocks(void) { locks(by_flock, end[1]); }
static void fcntls(void) { locks(by_fcntl, end[1]); }
static void nothing(void) {}

static const struct timespec some_time = {0, 100000000};

static void writes_late(void) {
    nanosleep(&some_time, NULL);
    writes();
}

/* It waits by then. */
static void kills_it(void) {
    nanosleep(&some_time, NULL);
    assert(!pthread_kill(other, SIGUSR2));
}

static int put(mqd_t to) {
    const struct timespec soon = {0, 1};
    if (!mq_timedsend(to, "xy", 2, 0, &soon)) return 0;
    assert(errno == ETIMEDOUT); /* there is room for one */
    return mq_send(to, "xy", 2, 0);
}

static void tells(void) {
    told = 1;
    writes();
}

struct letter {
    long type;
    char text[2];
};

static void posts_letter(void) {
    struct letter l = {1, "xy"};
    told = 1;
    assert(!msgsnd(end[0], &l, 2, 0));
}

static void ups(void) {
    struct sembuf up = {.sem_op = 1};
    told = 1;
    assert(!semop(end[0], &up, 1));
}

static void tells_by_the_end(void) {
    told = 1;
    assert(!shutdown(end[1], SHUT_WR));
}

/* To a queue that has an eventfd, which is ready, but tells nobody until then. */
static void tells_of_it(void) {
    struct epoll_event in = {.events = EPOLLIN | EPOLLONESHOT};
    told = 1;
    assert(!epoll_ctl(end[0], EPOLL_CTL_MOD, end[1], &in));
}

static void knocks(void) {
    struct sockaddr_in to;
    socklen_t size = sizeof to;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert(!getsockname(end[0], (struct sockaddr *)&to, &size));
    told = 1;
    assert(!connect(s, (struct sockaddr *)&to, size));
}

static void puts_two(void) { assert(!put(end[1]) && !put(end[1])); }

/* ---- who waits ---- */

/* Nobody waits for what can never be. */
static void uses_wrong_ends(void) {
    assert(read(end[1], byte, 1) == -1 && errno == EBADF);
    assert(write(end[0], byte, 1) == -1 && errno == EBADF);
}

static void reads(void) { assert(read(end[0], byte, 2) == 2 && byte[0] == 'x'); }
static void reads_parts(void) { assert(readv(end[0], parts, 2) == 2); }

static void reads_much(void) {
    static char got[MUCH];
    for (ssize_t n, all = 0; all < MUCH; all += n) {
        n = read(end[0], got, MUCH);
        assert(n > 0);
    }
}

static void receives(void) { assert(recv(end[0], byte, 2, 0) == 2); }
static void receives_from(void) { assert(recvfrom(end[0], byte, 2, 0, NULL, NULL) == 2); }
static void receives_message(void) { assert(recvmsg(end[0], &message, 0) == 2); }

static void receives_messages(void) {
    struct mmsghdr two[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
    assert(recvmmsg(end[0], two, 2, 0, NULL) == 2 && two[1].msg_len == 2);
}
static void splices(void) {
    int more[2];
    assert(!pipe(more) && splice(end[0], NULL, more[1], NULL, 2, 0) == 2);
    assert(read(more[0], byte, 2) == 2 && byte[1] == 'y');
}
static void hears_by_any_clock(void) {
    struct epoll_event in = {.events = EPOLLIN};
    int q = epoll_create1(0);
    assert(q >= 0 && !epoll_ctl(q, EPOLL_CTL_ADD, end[0], &in));
#ifdef SYS_epoll_pwait2
    assert(epoll_pwait2(q, &in, 1, NULL, NULL) == 1 && told == 1);
#endif
}

static void takes_two(void) {
    const struct timespec late = {INT32_MAX, 0};
    assert(mq_receive(end[0], byte, 2, NULL) == 2 && byte[1] == 'y');
    assert(mq_timedreceive(end[0], byte, 2, NULL, &late) == 2);
}

static void receives_all(void) {
    static char got[MUCH];
    assert(recv(end[0], got, MUCH, MSG_WAITALL) == MUCH);
}

static void accepts(void) {
    int s = accept(end[0], NULL, NULL);
    assert(s >= 0 && recv(s, byte, 2, MSG_WAITALL) == 2 && byte[1] == 'y');
    close(s);
}

/* What it was told it need not read. */
static void hears_within(int ms) {
    struct pollfd in = {end[0], POLLIN, 0};
    while (!poll(&in, 1, ms)) sched_yield();
    assert(told == 1);
}
static void hears(void) { hears_within(-1); }
static void hears_soon(void) { hears_within(10); }

static void hears_the_end(void) { assert(!read(end[0], byte, 1) && told == 1); }
static void hears_of_it(void) {
    struct epoll_event in;
    assert(epoll_wait(end[0], &in, 1, -1) == 1 && told == 1);
}
static void hears_knocking(void) { assert(accept(end[0], NULL, NULL) >= 0 && told == 1); }

static void reads_count(void) {
    eventfd_t n;
    assert(!eventfd_read(end[0], &n) && n == 3);
}

static void gets_any_line(void) {
    char *line = NULL;
    size_t size = 0;
    FILE *f = fdopen(end[0], "r");
    assert(f && getline(&line, &size, f) == 3 && line[1] == 'y');
    free(line);
    fclose(f);
}

static void gets_characters(void) {
    FILE *f = fdopen(end[0], "r");
    assert(f && getc(f) == 'x' && fgetc(f) == 'y');
    fclose(f);
}

static void gets_line(void) {
    char line[9];
    FILE *f = fdopen(end[0], "r");
    assert(fgets(line, sizeof line, f) && line[1] == 'y');
    fclose(f);
}

static void gets_signal(void) {
    struct signalfd_siginfo i;
    assert(read(end[0], &i, sizeof i) == sizeof i && i.ssi_signo == SIGUSR1);
}

/* Blocked before, so that it can't come too early. */
static void suspends(void) {
    sigset_t none;
    sigemptyset(&none);
    while (!handled) assert(sigsuspend(&none) == -1 && errno == EINTR);
}

static void pauses(void) { assert(pause() == -1 && errno == EINTR && handled); }

static void takes_signal(void) {
    int signal;
    sigset_t one = only(SIGUSR1);
    assert(!sigwait(&one, &signal) && signal == SIGUSR1);
}

/* In virtual time, of which the clocks tell too. */
static void reads_timer(void) {
    uint64_t n;
    struct timespec from, to;
    struct itimerspec at = {.it_value = {0, 20000000}, .it_interval = {0, 10000000}};
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert(!timerfd_settime(end[0], 0, &at, NULL));
    assert(read(end[0], &n, sizeof n) == sizeof n && n >= 1);
    assert(read(end[0], &n, sizeof n) == sizeof n && n >= 1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 >= 29);
    assert(!timerfd_gettime(end[0], &at) && at.it_interval.tv_nsec == 10000000);
}

static void gets_letter(void) {
    struct letter l;
    assert(msgrcv(end[0], &l, 2, 0, 0) == 2 && told && l.text[1] == 'y');
    assert(!msgctl(end[0], IPC_RMID, NULL));
}

static void downs(void) {
    const struct timespec soon = {0, 1};
    struct sembuf down = {.sem_op = -1};
    int error = semtimedop(end[0], &down, 1, &soon);
    assert(!error || (errno == EAGAIN && !semop(end[0], &down, 1)));
    assert(told && !semctl(end[0], 0, IPC_RMID));
}

static void waits_for_child(void) {
    int status;
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
}

static void waits_for_any_child(void) {
    int status;
    assert(wait(&status) == child && WEXITSTATUS(status) == 3);
}

static void waits_for_command(void) {
    char command[64];
    snprintf(command, sizeof command, "head -c 2 <&%d >/dev/null; exit 3", end[0]);
    assert(WEXITSTATUS(system(command)) == 3);
}

static void waits_with_usage(void) {
    struct rusage u;
    assert(wait4(-1, NULL, 0, &u) == child);
}

/* Without an end to take it tells of it. */
static void waits_for_information(void) {
    siginfo_t info;
    assert(!waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
    assert(info.si_pid == child && info.si_code == CLD_EXITED && info.si_status == 3);
    assert(!waitid(P_ALL, 0, NULL, WEXITED) && waitid(P_ALL, 0, &info, WEXITED) < 0);
}

/* Another file description of the same file. */
static void flocks_too(void) { locks(by_flock, end[0]); }
static void fcntls_too(void) { locks(by_fcntl, end[0]); }

/* ---- */

static void pipes(void) { assert(!pipe(end)); }
static void mailboxes(void) { assert((end[0] = msgget(IPC_PRIVATE, 0600)) >= 0); }
static void semaphores(void) { assert((end[0] = semget(IPC_PRIVATE, 1, 0600)) >= 0); }
static void pairs(void) { assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, end)); }
static void pairs_of_messages(void) { assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, end)); }
static void counters(void) { assert((end[0] = end[1] = eventfd(0, 0)) >= 0); }
static void queue_of_events(void) {
    struct epoll_event none = {.events = 0};
    end[0] = epoll_create1(0);
    end[1] = eventfd(1, 0);
    assert(!epoll_ctl(end[0], EPOLL_CTL_ADD, end[1], &none));
}
static void timers(void) { assert((end[0] = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0); }

static void listens(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    end[0] = socket(AF_INET, SOCK_STREAM, 0);
    assert(!bind(end[0], (struct sockaddr *)&at, sizeof at) && !listen(end[0], 1));
}

static void masks(void) {
    sigset_t one = only(SIGUSR1);
    assert(!pthread_sigmask(SIG_BLOCK, &one, NULL));
}

static void blocks(void) {
    sigset_t one = only(SIGUSR1);
    signal(SIGUSR1, handles);
    signal(SIGUSR2, handles);
    masks();
    end[0] = signalfd(-1, &one, 0);
}

static void forks(void) {
    pipes();
    child = fork();
    if (child) return;
    close(end[1]);
    _exit(read(end[0], byte, 1) == 1 ? 3 : 4);
}

static void files(void) {
    end[1] = mkstemp(name);
    end[0] = open(name, O_RDWR);
    unlink(name);
}

static void queues(void) {
    struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 2};
    snprintf(name, sizeof name, "/rf%d", (int)getpid());
    mq_unlink(name); /* of a process with this number that was killed */
    end[0] = mq_open(name, O_CREAT | O_RDWR, 0600, &small);
    if (end[0] < 0 && errno == ENOSYS) exit(0); /* the kernel has none */
    end[1] = mq_open(name, O_WRONLY);
    assert(end[0] >= 0 && end[1] >= 0 && !mq_unlink(name));
}

static const struct way {
    const char *name;
    void (*begin)(void), (*first)(void), (*second)(void);
} way[] = {{"read", pipes, writes, reads},
           {"readv", pipes, writes_parts, reads_parts},
           {"much", pipes, writes_much, reads_much},
           {"parts", pipes, writes_parts_of_much, reads_much},
           {"socket", pairs, writes_much, reads_much},
           {"recv", pairs, sends, receives},
           {"all", pairs, sends_much, receives_all},
           {"recvfrom", pairs, sends_to, receives_from},
           {"recvmsg", pairs, sends_message, receives_message},
           {"messages", pairs_of_messages, sends_messages, receives_messages},
           {"splice", pipes, writes, splices},
           {"sendfile", pairs, sends_a_file, reads_much},
           {"pwait2", pipes, tells, hears_by_any_clock},
           {"accept", listens, connects, accepts},
           {"eventfd", counters, counts, reads_count},
           {"timerfd", timers, nothing, reads_timer},
           {"fgets", pipes, prints, gets_line},
           {"signalfd", blocks, kills, gets_signal},
           {"sigsuspend", blocks, kills, suspends},
           {"sigwait", masks, kills, takes_signal},
           {"pause", blocks, kills_it, pauses},
           {"waitpid", forks, writes, waits_for_child},
           {"wait", forks, writes, waits_for_any_child},
           {"wait4", forks, writes, waits_with_usage},
           {"waitid", forks, writes, waits_for_information},
           {"waitsystem", pipes, writes, waits_for_command},
           {"flock", files, flocks, flocks_too},
           {"fcntl", files, fcntls, fcntls_too},
           {"queue", queues, puts_two, takes_two},
           {"letter", mailboxes, posts_letter, gets_letter},
           {"sem", semaphores, ups, downs},
           {"wrongend", pipes, nothing, uses_wrong_ends},
           {"late", pipes, writes_late, reads},
           {"getline", pipes, prints, gets_any_line},
           {"getc", pipes, prints, gets_characters},
           {"poll", pipes, tells, hears},
           {"polls", pipes, tells, hears_soon},
           {"shutdown", pairs, tells_by_the_end, hears_the_end},
           {"rearm", queue_of_events, tells_of_it, hears_of_it},
           {"knock", listens, knocks, hears_knocking},
           {0}};

static void *second(void *p) {
    const struct way *w = p;
    w->second();
    return p;
}

int main(int argc, char **argv) {
    const struct way *w = way;
    assert(argc > 1);
    while (strcmp(w->name, argv[1])) assert((++w)->first);
    w->begin();
    assert(!pthread_create(&other, NULL, second, (void *)(uintptr_t)w));
    w->first();
    assert(!pthread_join(other, NULL));
    return 0;
}
