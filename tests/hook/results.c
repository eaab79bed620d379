/* What calls leave through a pointer: one thread calls a function, another one reads the object,
 * beside it or (argument `after`) when it has ended.  With the C library alone, the results are the
 * same. */
#include "check.h"
#include <threads.h>

static pthread_t handle;
static thrd_t thread;
static pthread_key_t key;
static tss_t own_key;
static void *result;
static int number, pair[2];
static struct timespec moment;
static struct timeval day;
static time_t seconds;
static struct sched_param priority;
static clockid_t clock_id;
static char name[16], bytes[16], path[200], *text;
static size_t room;
static cpu_set_t processors;
static pthread_attr_t attributes;
static sigset_t set;
static struct sigaction action;
static struct itimerval interval;
static struct itimerspec timer_time;
static timer_t timer;
static siginfo_t info;
static struct epoll_event event;
static struct pollfd polled;
static fd_set files;
static struct stat status;

static sem_t semaphore;
static pthread_mutex_t ceiling;
static int ends[2], queue;
static FILE *file;

static void *nothing(void *arg) { return arg; }
static int none(void *arg) { return arg != NULL; }

static pthread_t other(void) {
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, nothing, NULL));
    return t;
}

static thrd_t another(void) {
    thrd_t t;
    CHECK(thrd_create(&t, none, NULL) == thrd_success);
    return t;
}

static bool joined(int how) {
    pthread_t t = other();
    struct timespec late = {2000000000, 0};
    int error;
    do {
        error = how ? pthread_timedjoin_np(t, &result, &late) : pthread_tryjoin_np(t, &result);
        sched_yield();
    } while (error == EBUSY || error == ETIMEDOUT);
    return !error;
}

static sigset_t sent(void) {
    sigset_t own = only(SIGUSR2);
    CHECK(!pthread_sigmask(SIG_BLOCK, &own, NULL) && !raise(SIGUSR2));
    return own;
}

static pid_t child(void) {
    pid_t id = fork();
    if (!id) _exit(0);
    return id;
}

/* X(function, call, the object) */
/* clang-format off */
#define CALLS(X) \
    X(pthread_create, \
      !pthread_create(&handle, NULL, nothing, NULL) && !pthread_join(handle, NULL), handle) \
    X(pthread_join, !pthread_join(other(), &result), result) \
    X(pthread_tryjoin, joined(0), result) \
    X(pthread_timedjoin, joined(1), result) \
    X(thrd_create, !thrd_create(&thread, none, NULL) && !thrd_join(thread, NULL), thread) \
    X(thrd_join, !thrd_join(another(), &number), number) \
    X(pthread_key_create, !pthread_key_create(&key, NULL), key) \
    X(tss_create, !tss_create(&own_key, NULL), own_key) \
    X(pthread_setcancelstate, !pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &number), number) \
    X(pthread_setcanceltype, !pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &number), number) \
    X(time, time(&seconds) > 0, seconds) \
    X(clock_gettime, !clock_gettime(CLOCK_REALTIME, &moment), moment) \
    X(timespec_get, timespec_get(&moment, TIME_UTC) == TIME_UTC, moment) \
    X(gettimeofday, !gettimeofday(&day, NULL), day) \
    X(sem_getvalue, !sem_getvalue(&semaphore, &number), number) \
    X(pthread_getschedparam, !pthread_getschedparam(pthread_self(), &number, &priority), number) \
    X(pthread_getschedparam_too, !pthread_getschedparam(pthread_self(), &number, &priority), \
      priority) \
    X(sched_getparam, !sched_getparam(0, &priority), priority) \
    X(pthread_getcpuclockid, !pthread_getcpuclockid(pthread_self(), &clock_id), clock_id) \
    X(pthread_mutex_getprioceiling, !pthread_mutex_getprioceiling(&ceiling, &number), number) \
    X(pthread_getname_np, !pthread_getname_np(pthread_self(), name, sizeof name), name) \
    X(pthread_getaffinity_np, \
      !pthread_getaffinity_np(pthread_self(), sizeof processors, &processors), processors) \
    X(sched_getaffinity, !sched_getaffinity(0, sizeof processors, &processors), processors) \
    X(pthread_getattr_np, !pthread_getattr_np(pthread_self(), &attributes), attributes) \
    X(pthread_sigmask, !pthread_sigmask(SIG_BLOCK, NULL, &set), set) \
    X(sigprocmask, !sigprocmask(SIG_BLOCK, NULL, &set), set) \
    X(sigpending, !sigpending(&set), set) \
    X(sigaction, !sigaction(SIGUSR1, NULL, &action), action) \
    X(sigwait, (own = sent(), !sigwait(&own, &number)), number) \
    X(sigwaitinfo, (own = sent(), sigwaitinfo(&own, &info)) == SIGUSR2, info) \
    X(getitimer, !getitimer(ITIMER_REAL, &interval), interval) \
    X(setitimer, !setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, &interval), interval) \
    X(timer_create, !timer_create(CLOCK_MONOTONIC, NULL, &timer), timer) \
    X(timer_gettime, !timer_create(CLOCK_MONOTONIC, NULL, &mine) && \
      !timer_gettime(mine, &timer_time), timer_time) \
    X(timer_settime, !timer_create(CLOCK_MONOTONIC, NULL, &mine) && \
      !timer_settime(mine, 0, &(struct itimerspec){0}, &timer_time), timer_time) \
    X(epoll_wait, epoll_wait(queue, &event, 1, -1) == 1, event) \
    X(poll, (polled.fd = ends[1], polled.events = POLLOUT, poll(&polled, 1, -1)) == 1, \
      polled.revents) \
    X(select, (FD_SET(ends[1], &files), select(ends[1] + 1, NULL, &files, NULL, NULL)) == 1, \
      files) \
    X(getrandom, getrandom(bytes, sizeof bytes, 0) == sizeof bytes, bytes) \
    X(getentropy, !getentropy(bytes, sizeof bytes), bytes) \
    X(posix_memalign, !posix_memalign(&result, 64, 64), result) \
    X(asprintf, asprintf(&text, "%d", 7) == 1, text) \
    X(getline, (text = NULL, room = 0, rewind(file), getline(&text, &room, file)) == 3, room) \
    X(strtol, strtol("12x", &text, 10) == 12, text) \
    X(strtod, strtod("12x", &text) > 11, text) \
    X(strtok_r, (memcpy(buffer, "a b", 4), strtok_r(buffer, " ", &text)) == buffer, text) \
    X(socketpair, !socketpair(AF_UNIX, SOCK_STREAM, 0, pair), pair) \
    X(waitpid, waitpid(child(), &number, 0) > 0, number) \
    X(stat, !stat("/", &status), status) \
    X(lstat, !lstat("/", &status), status) \
    X(fstat, !fstat(ends[0], &status), status) \
    X(readlink, readlink("/proc/self/exe", path, sizeof path) > 0, path)
/* clang-format on */

#define CALL(name, call, object)       \
 static void *call_##name(void *arg) { \
  char buffer[8];                      \
  timer_t mine;                        \
  sigset_t own;                        \
  (void)buffer, (void)mine, (void)own; \
  CHECK(call);                         \
  return arg;                          \
 }
CALLS(CALL)

static void *reads(void *object) { return *(volatile char *)object ? NULL : object; }

#define TRY(name, call, object)                              \
 CHECK(!pthread_create(&one, NULL, call_##name, NULL));      \
 if (after) CHECK(!pthread_join(one, NULL));                 \
 CHECK(!pthread_create(&two, NULL, reads, (void *)&object)); \
 if (!after) CHECK(!pthread_join(one, NULL));                \
 CHECK(!pthread_join(two, NULL));

static pthread_t known;

THREAD(knows_itself) { CHECK(pthread_equal(known, pthread_self())); }

int main(int argc, char **argv) {
    pthread_t one, two;
    pthread_mutexattr_t high;
    struct epoll_event out = {.events = EPOLLOUT};
    bool after = argc > 1;
    (void)argv;
    CHECK(!pipe(ends) && (queue = epoll_create1(0)) >= 0 && (file = tmpfile()));
    CHECK(!epoll_ctl(queue, EPOLL_CTL_ADD, ends[1], &out) && fputs("ab\n", file) >= 0);
    CHECK(!sem_init(&semaphore, 0, 1) && !pthread_mutexattr_init(&high));
    CHECK(!pthread_mutexattr_setprotocol(&high, PTHREAD_PRIO_PROTECT));
    CHECK(!pthread_mutex_init(&ceiling, &high));
    CHECK(!pthread_create(&known, NULL, knows_itself, NULL) && !pthread_join(known, NULL));
    CALLS(TRY)
    return 0;
}
