/* One thread changes what the system keeps for the process, or for all, and changes it back;
 * another one looks, and must not find it changed.  The arguments say what they look
 * at, and the folder that they write to. */
#include "check.h"
#include <locale.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/un.h>

static int file, pair[2], pipes[2], next, child, nicer, watch, server;
static FILE *stream;
static char *page;
static struct stat is;
static struct rlimit limit, low;
static struct itimerval long_from_now = {.it_value = {1000, 0}};

static void handler(int n) { (void)n; }

static bool sleeps_long(void) {
    struct itimerval left;
    return !getitimer(ITIMER_REAL, &left) && left.it_value.tv_sec;
}

static timer_t timer;
static struct itimerspec off, on = {.it_value = {1000, 0}};

static bool ticks(void) {
    struct itimerspec left;
    return !timer_gettime(timer, &left) && left.it_value.tv_sec;
}

/* A signal that all block, so that it stays with the process until it is taken. */
static sigset_t blocked;

static int takes(void) {
    int n;
    return sigwait(&blocked, &n);
}

static bool is_sent(void) {
    sigset_t before, now;
    return !sigpending(&before) && !sigpending(&now) &&
           sigismember(&now, SIGUSR2) > sigismember(&before, SIGUSR2);
}

static volatile sig_atomic_t arrived;
static void arrives(int signal) { arrived = signal; }

/* It comes after a look that did not find it, and before it is let in. */
static int lets_in(void) {
    sigset_t before;
    sigpending(&before);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    assert(!arrived || sigismember(&before, SIGUSR2));
    return 0;
}

static bool handles(void) {
    struct sigaction now;
    return !sigaction(SIGUSR1, NULL, &now) && now.sa_handler == handler;
}

static bool masks(void) {
    mode_t mask = umask(022);
    umask(mask);
    return mask == 077;
}

static bool is_limited(void) { return !getrlimit(RLIMIT_NOFILE, &low) && low.rlim_cur == 200; }

static void limits(rlim_t to) {
    limit.rlim_cur = to;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void forks(void) {
    child = fork();
    if (!child) _exit(0);
}

static bool keeps_alive(void) {
    int yes = 0;
    socklen_t n = sizeof yes;
    return !getsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, &yes, &n) && yes;
}

static void keep_alive(int yes) { setsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes); }

static int make(void) { return close(open("made", O_CREAT | O_RDWR, 0600)); }

/* Was it made after a look that did not find it, and before this? */
#define AFTERWARDS(is_there) (access("made", F_OK) && (is_there))

static bool spawns(void) {
    char *words[] = {"test", "-e", "made", NULL};
    int status = 1;
    pid_t id;
    return !posix_spawnp(&id, "test", NULL, NULL, words, NULL) && waitpid(id, &status, 0) == id &&
           !status;
}

static bool connects(void) {
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int from = socket(AF_UNIX, SOCK_STREAM, 0);
    bool refused = !!connect(from, (struct sockaddr *)&at, sizeof at);
    return refused && !connect(from, (struct sockaddr *)&at, sizeof at);
}

static char got;
static bool is_a(void) { return pread(file, &got, 1, 0) == 1 && got == 'a'; }
static int close_both(void) { return close(pipes[0]) | close(pipes[1]); }

static bool is_at(const char *path) {
    char here[4096];
    return getcwd(here, sizeof here) && !strcmp(here, path);
}

/* Name, what is changed, how it is changed back, what the other one sees in between. */
#define SYSTEM                                                                                   \
 ROW(size, write(file, "a", 1), write(file, "b", 1), !fstat(file, &is) && is.st_size == 1)       \
 ROW(truncated, ftruncate(file, 9), ftruncate(file, 0), lseek(file, 0, SEEK_END) == 9)           \
 ROW(content, pwrite(file, "a", 1, 0), pwrite(file, "b", 1, 0), is_a())                          \
 ROW(folder, mkdir("made", 0700), rmdir("made"), !access("made", F_OK))                          \
 ROW(link, symlink("x", "made"), unlink("made"), !lstat("made", &is))                            \
 ROW(name, rename("file", "made"), rename("made", "file"), !stat("made", &is))                   \
 ROW(creation, make(), unlinkat(AT_FDCWD, "made", 0), !faccessat(AT_FDCWD, "made", F_OK, 0))     \
 ROW(command, make(), unlink("made"), AFTERWARDS(!system("test -e made")))                       \
 ROW(reader, make(), unlink("made"), AFTERWARDS(!pclose(popen("test -e made", "r"))))            \
 ROW(process, make(), unlink("made"), AFTERWARDS(spawns()))                                      \
 ROW(watch, make(), unlink("made"), AFTERWARDS(inotify_add_watch(watch, "made", IN_OPEN) >= 0))  \
 ROW(connection, listen(server, 1), shutdown(server, SHUT_RDWR), connects())                     \
 ROW(stream, (fputs("a", stream), fflush(stream)), fputs("b", stream),                           \
     !fstat(fileno(stream), &is) && is.st_size == 1)                                             \
 ROW(position, fseek(stream, 5, SEEK_SET), fseek(stream, 0, SEEK_SET), ftell(stream) == 5)       \
 ROW(end, fgetc(stream), rewind(stream), feof(stream))                                           \
 ROW(number, (pwrite(file, "a", 1, 0), pipe(pipes)), (pwrite(file, "b", 1, 0), close_both()),    \
     is_a() && fcntl(next, F_GETFD) < 0 && is_a())                                               \
 ROW(flag, fcntl(file, F_SETFD, FD_CLOEXEC), fcntl(file, F_SETFD, 0), fcntl(file, F_GETFD) == 1) \
 ROW(descriptor, dup2(file, 99), close(99), fcntl(99, F_GETFD) >= 0)                             \
 ROW(message, send(pair[1], "x", 1, MSG_DONTWAIT), recv(pair[0], &got, 1, MSG_DONTWAIT),         \
     recv(pair[0], &got, 1, MSG_DONTWAIT | MSG_PEEK) == 1)                                       \
 ROW(option, keep_alive(1), keep_alive(0), keeps_alive())                                        \
 ROW(protection, mprotect(page, 4096, PROT_NONE), mprotect(page, 4096, PROT_READ),               \
     write(pair[1], page, 1) < 0)                                                                \
 ROW(directory, chdir("/tmp"), chdir("/"), is_at("/tmp"))                                        \
 ROW(mask, umask(077), umask(022), masks())                                                      \
 ROW(locale, setlocale(LC_ALL, "C.UTF-8"), setlocale(LC_ALL, "C"),                               \
     !strcmp(setlocale(LC_ALL, NULL), "C.UTF-8"))                                                \
 ROW(priority, nice(1), nice(1), getpriority(PRIO_PROCESS, 0) == nicer + 1)                      \
 ROW(limit, limits(200), limits(220), is_limited())                                              \
 ROW(timer, setitimer(ITIMER_REAL, &long_from_now, NULL), alarm(0), sleeps_long())               \
 ROW(alarm, alarm(1000), alarm(0), alarm(0))                                                     \
 ROW(timer_id, timer_settime(timer, 0, &on, NULL), timer_settime(timer, 0, &off, NULL), ticks()) \
 ROW(pending, kill(getpid(), SIGUSR2), takes(), is_sent())                                       \
 ROW(arrival, lets_in(), 0, kill(getpid(), SIGUSR2))                                             \
 ROW(handler, signal(SIGUSR1, handler), signal(SIGUSR1, SIG_DFL), handles())                     \
 ROW(child, forks(), waitpid(child, NULL, 0), waitpid(-1, NULL, WNOHANG) >= 0)

#define ROW(name, change, back, look)    \
 static void *changes_##name(void *p) {  \
  (void)!(change, 0);                    \
  (void)!(back, 0);                      \
  return p;                              \
 }                                       \
 static void *looks_at_##name(void *p) { \
  assert(!(look));                       \
  return p;                              \
 }
SYSTEM
#undef ROW

#define ROW(name, change, back, look) {#name, changes_##name, looks_at_##name},
static const struct row {
    const char *name;
    void *(*changes)(void *), *(*looks)(void *);
} rows[] = {SYSTEM};
#undef ROW

static void prepare(const char *where) {
    char folder[] = "racefuzz-XXXXXX";
    assert(!chdir(where) && mkdtemp(folder) && !chdir(folder));
    file = open("file", O_RDWR | O_CREAT, 0600);
    stream = fopen("stream", "w+");
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(file >= 0 && stream && page != MAP_FAILED);
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
    watch = inotify_init();
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(watch >= 0 && !bind(server, (struct sockaddr *)&at, sizeof at));
    unlink("stream");
    nicer = getpriority(PRIO_PROCESS, 0);
    getrlimit(RLIMIT_NOFILE, &limit);
    umask(022);
    close(next = dup(file));
}

int main(int argc, char **argv) {
    if (argc < 3) {
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) puts(rows[i].name);
        return 0;
    }
    char folder[4096];
    prepare(argv[2]);
    assert(getcwd(folder, sizeof folder));
    const struct row *r = rows;
    while (strcmp(r->name, argv[1]) != 0) r++;
    if (!strcmp(r->name, "timer_id")) timer_create(CLOCK_MONOTONIC, NULL, &timer);
    if (!strcmp(r->name, "pending") || !strcmp(r->name, "arrival")) {
        signal(SIGUSR2, arrives);
        sigaddset(&blocked, SIGUSR2);
        pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    }
    run_two(r->changes, NULL, r->looks, NULL);
    (void)!chdir(folder);
    unlink("file");
    unlink("socket");
    (void)!chdir("/");
    rmdir(folder);
    return 0;
}
