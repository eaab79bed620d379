/* hook/inside.h: files that only other processes make ready, and such that none of them does.
 *
 * What another process does takes real time.  What only threads of this one can do takes virtual
 * time: where none of them can go on, a time-out comes at once.
 */
#ifndef RFI_HOOK_INSIDE_H
#define RFI_HOOK_INSIDE_H
#include "hook/chance.h"
#include "hook/processes.h"

#ifdef RFI_IMPL
# include <sys/ioctl.h>
# include <sys/socket.h>
# include <sys/stat.h>

# ifdef __linux__
struct pollfd; /* <poll.h> would take the word poll from tests that have the engine in their unit */
typedef unsigned long rfi_nfds;

RFI_FN int rfi_real_ppoll(struct pollfd *file, rfi_nfds n, const struct timespec *t,
                          const sigset_t *mask) {
    struct timespec left; /* the kernel writes what is left */
    if (t) left = *t;
    return (int)RFI_REAL(syscall)(SYS_ppoll, file, n, t ? &left : NULL, mask, 8);
}

RFI_FN int rfi_real_poll(struct pollfd *file, rfi_nfds n, int ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    return rfi_real_ppoll(file, n, ms < 0 ? NULL : &t, NULL);
}
# else
#  include <poll.h>
typedef nfds_t rfi_nfds;
#  define rfi_real_poll  RFI_REAL(poll)
#  define rfi_real_ppoll RFI_REAL(ppoll)
# endif

enum { RFI_FILE_IN = 1, RFI_FILE_OUT = 4, RFI_FILE_NONE = 32 }; /* POLLIN, POLLOUT, POLLNVAL */
enum { RFI_INSIDE_MS = 100 };                                   /* within which TCP acknowledges */

typedef struct rfi_polled { /* a struct pollfd */
    int fd;
    short events, got;
} rfi_polled;

/* Which of those below FD_SETSIZE are open, by one call instead of one for each; all, where that
 * many are not allowed. */
RFI_FN const rfi_polled *rfi_inside_open(void) {
    static rfi_polled file[FD_SETSIZE];
    for (int i = 0; i < FD_SETSIZE; i++) file[i] = (rfi_polled){.fd = i};
    (void)rfi_real_poll((struct pollfd *)(void *)file, FD_SETSIZE, 0);
    return file;
}

/* Is there a descriptor of that pipe that was opened for more than `that` (O_RDONLY, O_WRONLY)? */
RFI_FN bool rfi_inside_has(const struct stat *pipe, int that) {
    struct stat other;
    int error = errno;
    bool has = false;
    const rfi_polled *file = rfi_inside_open();
    for (int i = 0; !has && i < FD_SETSIZE; i++) {
        int flags = file[i].got & RFI_FILE_NONE ? -1 : RFI_REAL(fcntl)(i, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == that || RFI_REAL(fstat)(i, &other)) continue;
        has = other.st_dev == pipe->st_dev && other.st_ino == pipe->st_ino;
    }
    errno = error;
    return has;
}

/* A pipe that no descriptor of this process writes to: popen's, that of a child of fork, or one of
 * the shell's.  It is named as outside of tokens. */
RFI_FN bool rfi_hook_foreign(const char *name, int fd) {
    struct stat is;
    if (!rfi_hook_shares() || RFI_REAL(fstat)(fd, &is) || !S_ISFIFO(is.st_mode)) return false;
    if (rfi_inside_has(&is, O_RDONLY)) return false;
    rfi_hook_asks(RFI_ASKS_WHEN, "what another process writes, by %s", name);
    return true;
}

/* No process was started that may hold what this one holds, and it is none. */
RFI_FN bool rfi_inside_alone(void) {
    siginfo_t child;
    return !rfi_forked && rfi_processes.forked != rfi.generation &&
           rfi_waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT);
}

/* Does the kernel itself do work for this process, whose end it may tell by such a file? */
RFI_FN bool rfi_inside_kernel(void) {
    char line[512];
    FILE *maps = RFI_REAL(fopen)("/proc/self/maps", "re");
    bool works = !maps;
    while (!works && RFI_REAL(fgets)(line, sizeof line, maps))
        works = strstr(line, "/[aio]") || strstr(line, "[io_uring]");
    if (maps) RFI_REAL(fclose)(maps);
    return works;
}

/* Sockets that know each other alone. */
RFI_VAR struct {
    uint32_t generation, count, capacity;
    ino_t (*pair)[2];
} rfi_inside_pairs;

int RFI_HOOK(socketpair)(int domain, int type, int protocol, int *to) {
    struct stat is[2];
    RFI_HOOK_ENTERED();
    int error = RFI_REAL(socketpair)(domain, type, protocol, to);
    if (!error) RFI_LEAVES(to, 2 * sizeof *to);
    if (error || !rfi_hook_shares() || RFI_REAL(fstat)(to[0], is) || RFI_REAL(fstat)(to[1], is + 1))
        return error;
    if (rfi_inside_pairs.generation != rfi.generation) rfi_inside_pairs.count = 0;
    rfi_inside_pairs.generation = rfi.generation;
    rfi_inside_pairs.pair = rfi_grow(rfi_inside_pairs.pair, &rfi_inside_pairs.capacity,
                                     rfi_inside_pairs.count + 1, sizeof *rfi_inside_pairs.pair);
    ino_t *pair = rfi_inside_pairs.pair[rfi_inside_pairs.count++];
    pair[0] = is[0].st_ino, pair[1] = is[1].st_ino;
    return 0;
}

/* Does this process have the other end of that socket? */
RFI_FN bool rfi_inside_paired(struct stat *socket) {
    if (rfi_inside_pairs.generation != rfi.generation) return false;
    for (uint32_t i = rfi_inside_pairs.count; i-- > 0;) { /* the newest: numbers come again */
        const ino_t *pair = rfi_inside_pairs.pair[i];
        if (pair[0] != socket->st_ino && pair[1] != socket->st_ino) continue;
        socket->st_ino = pair[pair[0] == socket->st_ino];
        return rfi_inside_has(socket, O_RDONLY);
    }
    return false;
}

/* The names of a socket's two ends; false: it has no other one. */
typedef struct rfi_inside_names {
    struct sockaddr_storage own, other;
} rfi_inside_names;

RFI_FN bool rfi_inside_named(int fd, rfi_inside_names *of) {
    socklen_t n = sizeof of->own, m = sizeof of->other;
    memset(of, 0, sizeof *of);
    return !RFI_REAL(getsockname)(fd, (struct sockaddr *)&of->own, &n) &&
           !RFI_REAL(getpeername)(fd, (struct sockaddr *)&of->other, &m);
}

/* All that was sent there has arrived, of which the other end may tell some time later. */
RFI_FN bool rfi_inside_arrived(int fd) {
    int left = 0;
    for (unsigned ms = 0; ms < RFI_INSIDE_MS; ms++) {
        if (RFI_REAL(ioctl)(fd, TIOCOUTQ, &left) || !left) return !left;
        (void)rfi_real_poll(NULL, 0, 1);
    }
    return false;
}

/* Is the socket connected to another one of this process?  One with a path knows who had the other
 * end; with an address and a number, the other end has the same two names. */
RFI_FN bool rfi_inside_connected(int fd) {
    rfi_inside_names is, other;
    if (!rfi_inside_named(fd, &is)) return false;
# ifdef __linux__
    struct rfi_inside_who { /* a struct ucred, which <sys/socket.h> does not show to all */
        pid_t process;
        uid_t user;
        gid_t group;
    } who = {0};
    socklen_t n = sizeof who;
    if (is.own.ss_family == AF_UNIX)
        return !RFI_REAL(getsockopt)(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) &&
               who.process == rfi_process();
# endif
    if (is.own.ss_family != AF_INET && is.own.ss_family != AF_INET6) return false;
    const rfi_polled *file = rfi_inside_open();
    for (int i = 0; i < FD_SETSIZE; i++) {
        if (i == fd || file[i].got & RFI_FILE_NONE || !rfi_inside_named(i, &other)) continue;
        if (!memcmp(&is.own, &other.other, sizeof is.own) &&
            !memcmp(&is.other, &other.own, sizeof is.own))
            return rfi_inside_arrived(i) && rfi_inside_arrived(fd);
    }
    return false;
}

RFI_FN bool rfi_inside_queue(int queue);

/* Only threads of this process make it ready: a pipe, socketpair or connection of which it has both
 * ends, an eventfd, a signalfd, or an epoll that waits for nothing else. */
RFI_FN bool rfi_inside(int fd) {
    struct stat is;
    char path[40], what[32] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (RFI_REAL(readlink)(path, what, sizeof what - 1) < 0) return false;
    if (!strncmp(what, "pipe:", 5))
        return !RFI_REAL(fstat)(fd, &is) && rfi_inside_has(&is, O_RDONLY) &&
               rfi_inside_has(&is, O_WRONLY);
    if (!strncmp(what, "socket:", 7))
        return (!RFI_REAL(fstat)(fd, &is) && rfi_inside_paired(&is)) || rfi_inside_connected(fd);
    return !strcmp(what, "anon_inode:[eventfd]") || !strcmp(what, "anon_inode:[signalfd]") ||
           (!strcmp(what, "anon_inode:[eventpoll]") && rfi_inside_queue(fd));
}

/* What it waits for stands in lines of a file of the system's. */
RFI_FN bool rfi_inside_queue(int queue) {
    char path[40], text[2048];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", queue);
    int in = RFI_REAL(open)(path, O_RDONLY | O_CLOEXEC);
    if (in < 0) return false;
    ssize_t n = RFI_REAL(read)(in, text, sizeof text - 1);
    RFI_REAL(close)(in);
    if (n <= 0 || n == sizeof text - 1) return false;
    text[n] = '\0';
    for (const char *p = text; (p = strstr(p, "tfd:")) != NULL; p += 4)
        if (!rfi_inside((int)strtol(p + 4, NULL, 10))) return false;
    return true;
}
#endif
#endif
