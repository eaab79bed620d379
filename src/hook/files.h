/* hook/files.h: calls that wait for a file, a lock of one or a signal.
 *
 * Other threads run until the kernel says that the call would not wait (hook/world.h); then it is
 * made.  So pipes, sockets, eventfd and timerfd work between the threads of a program, on virtual
 * time.  What a thread does before it writes, or unlocks a file, is ordered before what another
 * does after it has read, or locked one, whichever file that is.
 */
#ifndef RFI_HOOK_FILES_H
#define RFI_HOOK_FILES_H
#include "hook/descriptors.h"
#include "hook/processes.h"
#include "hook/streams.h"
#include "hook/world.h"

#ifdef RFI_IMPL
# include <sys/file.h>
# include <sys/socket.h>
# include <sys/uio.h>

# ifndef RFI_COMPILER
#  define RFI_USES_FILE(n)   ((void)(n))
#  define RFI_CLOSES_FILE(n) ((void)(n))
#  define RFI_CLOSED_FILE(n) ((void)(n))
# endif

/* Files and what the C library keeps are the same for all threads: in which order they are used is
 * an order of operations. */
# define RFI_SHARED_CALL(name, what) rfi_call(RFI_CALLER(), name, what, RF_EV_READS | RF_EV_WRITES)
/* Where nothing strikes, nobody looks for the caller. */
# define RFI_UNSAFE(name)    (rfi.run.strikes ? rfi_unsafe(RFI_CALLER(), name) : (void)0)
# define RFI_FILE_CALL(name) (RFI_SHARED_CALL(name, &rfi_hook_outside), RFI_UNSAFE(name))
enum { RFI_FILE_PIPE = 4096 }; /* PIPE_BUF */

/* ---- waiting for a file ---- */

/* A call on it might wait.  One that it was not opened for fails at once. */
RFI_FN bool rfi_file_blocks(int fd, int events) {
    int flags = rfi_hook_shares() ? RFI_REAL(fcntl)(fd, F_GETFL) : -1;
    int other = events == RFI_FILE_IN ? O_WRONLY : O_RDONLY;
    return flags >= 0 && !(flags & O_NONBLOCK) && (flags & O_ACCMODE) != other;
}

RFI_FN int rfi_hook_look_file(const rfi_hook_world *w, int ms) {
    if (!rfi_file_blocks(w->one.fd, w->one.events)) return 1;
    return rfi_real_poll_one(w->one.fd, w->one.events, ms);
}

RFI_FN bool rfi_hook_file_inside(const rfi_hook_world *w) { return rfi_inside(w->one.fd); }

/* The caller's turn, in which the file is ready; 0, with errno set: a signal has come. */
RFI_FN bool rfi_file_turn(const rf_site *s, const char *name, int fd, int events) {
    rfi_hook_world w = {.look = rfi_hook_look_file, .site = s, .name = name};
    int order = events == RFI_FILE_IN ? __ATOMIC_ACQUIRE : __ATOMIC_RELEASE;
    w.restarts = w.takes = true;
    w.inside = rfi_hook_file_inside;
    w.one.fd = fd, w.one.events = (short)events;
    w.foreign = events == RFI_FILE_IN && rfi_hook_foreign(name, fd) && rfi_file_blocks(fd, events);
    if (RFI_UNLIKELY(rfi.observed & RFI_TAIL)) rfi_hook_file_stands(fd, NULL);
    rfi_hook_may_wait(s);
    (void)rfi_hook_point(s);
    for (;;) { /* others may be faster, or close it in between and open another one */
        rfi_call_ordered(s, name, &rfi_hook_outside, order);
        if (rfi_hook_look(&w, 0)) return true;
        if (rfi_hook_await(&w) < 0) return false;
    }
}

/* Standard output and error are heard by nobody here. */
# define RFI_TURN_OUT(name, fd)                                                              \
  ((fd) >= 0 && (fd) <= STDERR_FILENO                                                        \
       ? (rfi_call(RFI_CALLER(), name, &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES), true) \
       : rfi_file_turn(RFI_CALLER(), name, fd, RFI_FILE_OUT))
# define RFI_TURN_IN(name, fd) rfi_file_turn(RFI_CALLER(), name, fd, RFI_FILE_IN)

/* The same of a socket, where a flag may say that none waits. */
# define RFI_ORDER_IN  __ATOMIC_ACQUIRE
# define RFI_ORDER_OUT __ATOMIC_RELEASE
# define RFI_TURN_WITH(flags, way, name, fd)                                              \
  ((flags)&MSG_DONTWAIT                                                                   \
       ? (rfi_call_ordered(RFI_CALLER(), name, &rfi_hook_outside, RFI_ORDER_##way), true) \
       : RFI_TURN_##way(name, fd))

/* ---- reading ---- */

ssize_t RFI_HOOK(read)(int from, void *p, size_t n) {
    RFI_USES_FILE(from);
    if (!RFI_TURN_IN("read", from)) return -1;
    rfi_settle();
    ssize_t got = RFI_REAL(read)(from, p, n);
    if (got > 0) RFI_WRITES(p, (size_t)got);
    return got;
}

ssize_t RFI_HOOK(readv)(int from, const struct iovec *v, int n) {
    RFI_USES_FILE(from);
    if (!RFI_TURN_IN("readv", from)) return -1;
    rfi_settle();
    ssize_t got = RFI_REAL(readv)(from, v, n), left = got;
    for (int i = 0; i < n && left > 0; left -= (ssize_t)v[i++].iov_len)
        RFI_WRITES(v[i].iov_base, (size_t)left < v[i].iov_len ? (size_t)left : v[i].iov_len);
    return got;
}

/* MSG_WAITALL waits for all of it, piece by piece. */
ssize_t RFI_HOOK(recv)(int from, void *p, size_t n, int flags) {
    RFI_USES_FILE(from);
    size_t all = 0;
    for (;;) {
        if (!RFI_TURN_WITH(flags, IN, "recv", from)) return all ? (ssize_t)all : -1;
        rfi_settle();
        bool whole =
            flags & MSG_WAITALL && rfi_file_blocks(from, RFI_FILE_IN) && !(flags & MSG_PEEK);
        ssize_t got =
            RFI_REAL(recv)(from, (char *)p + all, n - all, whole ? flags & ~MSG_WAITALL : flags);
        if (got > 0) RFI_WRITES((char *)p + all, (size_t)got);
        if (got < 0) return all ? (ssize_t)all : got;
        all += (size_t)got;
        if (!whole || !got || all == n) return (ssize_t)all;
    }
}

/* An address that the system has left, as far as there was room, and its size. */
# define RFI_FROM_WHOM(whose, size, room) \
  (RFI_LEAVES(whose, *(size) < (room) ? *(size) : (room)), RFI_LEAVES(size, sizeof *(size)))

ssize_t RFI_HOOK(recvfrom)(int from, void *p, size_t n, int flags, struct sockaddr *whose,
                           socklen_t *size) {
    RFI_USES_FILE(from);
    if (!RFI_TURN_WITH(flags, IN, "recvfrom", from)) return -1;
    const socklen_t room = whose && size ? *size : 0;
    rfi_settle();
    ssize_t got = RFI_REAL(recvfrom)(from, p, n, flags, whose, size);
    if (got > 0) RFI_WRITES(p, (size_t)got < n ? (size_t)got : n);
    if (got >= 0 && whose && size) RFI_FROM_WHOM(whose, size, room);
    return got;
}

ssize_t RFI_HOOK(recvmsg)(int from, struct msghdr *m, int flags) {
    RFI_USES_FILE(from);
    if (!RFI_TURN_WITH(flags, IN, "recvmsg", from)) return -1;
    rfi_settle();
    ssize_t got = RFI_REAL(recvmsg)(from, m, flags);
    if (got > 0 && m->msg_iovlen == 1) RFI_WRITES(m->msg_iov->iov_base, (size_t)got);
    return got;
}

int RFI_HOOK(accept)(int from, struct sockaddr *whose, socklen_t *size) {
    if (!RFI_TURN_IN("accept", from)) return -1;
    const socklen_t room = whose && size ? *size : 0;
    int fd = RFI_REAL(accept)(from, whose, size);
    if (fd >= 0 && whose && size) RFI_FROM_WHOM(whose, size, room);
    return fd;
}

# ifdef __linux__
int RFI_HOOK(accept4)(int from, struct sockaddr *whose, socklen_t *size, int flags) {
    if (!RFI_TURN_IN("accept4", from)) return -1;
    const socklen_t room = whose && size ? *size : 0;
    int fd = RFI_REAL(accept4)(from, whose, size, flags);
    if (fd >= 0 && whose && size) RFI_FROM_WHOM(whose, size, room);
    return fd;
}
# endif

/* ---- writing ---- */

/* Data that goes out. */
typedef struct rfi_file_out {
    const rf_site *site;
    const char *name;
    int to, flags;
    bool sends; /* by send, and not by write */
} rfi_file_out;

/* The result of a call that has written. */
RFI_FN ssize_t rfi_file_sent(const rf_site *s, ssize_t put) {
    int error = errno;
    if (put < 0 && error == EPIPE && rfi_hook_shares()) {
        rfi_sig_broken(s);
        errno = error;
    }
    return put;
}

RFI_FN ssize_t rfi_file_put(const rfi_file_out *o, const char *p, size_t n, int flags) {
    ssize_t put = o->sends || flags ? RFI_REAL(send)(o->to, p, n, o->flags | flags)
                                    : RFI_REAL(write)(o->to, p, n);
    return rfi_file_sent(o->site, put);
}

/* A pipe or a socket takes as much as it has room for; the rest waits for its turn. */
RFI_FN ssize_t rfi_file_write(const rfi_file_out *o, const char *p, size_t n) {
    struct stat is;
    bool waits = !(o->flags & MSG_DONTWAIT) && rfi_file_blocks(o->to, RFI_FILE_OUT) &&
                 !RFI_REAL(fstat)(o->to, &is);
    bool pipe = waits && S_ISFIFO(is.st_mode), socket = waits && S_ISSOCK(is.st_mode);
    if (!socket && !(pipe && n > RFI_FILE_PIPE)) return rfi_file_put(o, p, n, 0);
    for (size_t done = 0;;) {
        size_t most = pipe && n - done > RFI_FILE_PIPE ? RFI_FILE_PIPE : n - done;
        ssize_t put = rfi_file_put(o, p + done, most, socket ? MSG_DONTWAIT : 0);
        if (put < 0 && errno != EAGAIN) return done ? (ssize_t)done : put;
        if (put > 0) done += (size_t)put;
        if (done == n || !rfi_file_turn(o->site, o->name, o->to, RFI_FILE_OUT))
            return done || !n ? (ssize_t)done : -1;
    }
}

ssize_t RFI_HOOK(write)(int to, const void *p, size_t n) {
    RFI_USES_FILE(to);
    const rfi_file_out out = {.site = RFI_CALLER(), .name = "write", .to = to};
    RFI_READS(p, n);
    return RFI_TURN_OUT("write", to) ? rfi_file_write(&out, p, n) : -1;
}

ssize_t RFI_HOOK(writev)(int to, const struct iovec *v, int n) {
    RFI_USES_FILE(to);
    const rfi_file_out out = {.site = RFI_CALLER(), .name = "writev", .to = to};
    size_t all = 0, done = 0;
    for (int i = 0; i < n; all += v[i++].iov_len) RFI_READS(v[i].iov_base, v[i].iov_len);
    if (!RFI_TURN_OUT("writev", to)) return -1;
    if (all <= RFI_FILE_PIPE || !rfi_file_blocks(to, RFI_FILE_OUT))
        return rfi_file_sent(out.site, RFI_REAL(writev)(to, v, n));
    for (int i = 0; i < n; i++) {
        if (!v[i].iov_len) continue;
        if (done && !rfi_file_turn(out.site, out.name, to, RFI_FILE_OUT)) break;
        ssize_t put = rfi_file_write(&out, v[i].iov_base, v[i].iov_len);
        if (put > 0) done += (size_t)put;
        if (put < (ssize_t)v[i].iov_len) return done ? (ssize_t)done : put;
    }
    return (ssize_t)done;
}

ssize_t RFI_HOOK(send)(int to, const void *p, size_t n, int flags) {
    RFI_USES_FILE(to);
    const rfi_file_out out = {RFI_CALLER(), "send", to, flags, true};
    RFI_READS(p, n);
    if (!RFI_TURN_WITH(flags, OUT, "send", to)) return -1;
    return rfi_file_write(&out, p, n);
}

ssize_t RFI_HOOK(sendto)(int to, const void *p, size_t n, int flags, const struct sockaddr *whom,
                         socklen_t size) {
    RFI_USES_FILE(to);
    RFI_READS(p, n);
    if (!RFI_TURN_WITH(flags, OUT, "sendto", to)) return -1;
    return rfi_file_sent(RFI_CALLER(), RFI_REAL(sendto)(to, p, n, flags, whom, size));
}

ssize_t RFI_HOOK(sendmsg)(int to, const struct msghdr *m, int flags) {
    RFI_USES_FILE(to);
    for (size_t i = 0; i < m->msg_iovlen; i++)
        RFI_READS(m->msg_iov[i].iov_base, m->msg_iov[i].iov_len);
    if (!RFI_TURN_WITH(flags, OUT, "sendmsg", to)) return -1;
    return rfi_file_sent(RFI_CALLER(), RFI_REAL(sendmsg)(to, m, flags));
}

# ifdef __linux__
/* ---- eventfd, and timerfd on virtual time, which is an eventfd that the clock writes to ---- */

int RFI_HOOK(eventfd_read)(int from, eventfd_t *value) {
    if (!RFI_TURN_IN("eventfd_read", from)) return -1;
    rfi_settle();
    int result = RFI_REAL(eventfd_read)(from, value);
    if (!result) RFI_WRITES(value, sizeof *value);
    return result;
}

int RFI_HOOK(eventfd_write)(int to, eventfd_t value) {
    return RFI_TURN_OUT("eventfd_write", to) ? RFI_REAL(eventfd_write)(to, value) : -1;
}

int RFI_HOOK(timerfd_create)(int clock, int flags) {
    RFI_HOOK_ENTERED();
    if (!rfi_hook_shares()) return RFI_REAL(timerfd_create)(clock, flags);
    int fd = eventfd(0, flags); /* TFD_CLOEXEC and TFD_NONBLOCK are its own */
    if (fd >= 0) *rfi_hook_timer_new() = (rfi_hook_timer){.fd = fd, .clock = clock};
    return fd;
}

/* Where the strategy knows memory itself, time passes whenever it may: one that is set is a thread
 * that makes a call, or many. */
typedef struct rfi_hook_ring {
    const rf_site *site;
    uint64_t ms, every;
    int fd;
    uint32_t setting;
} rfi_hook_ring;

RFI_FN void *rfi_hook_rings(void *ring) {
    const rfi_hook_ring *r = ring;
    unsigned flags = RF_EV_READS | RF_EV_WRITES | (r->every ? RF_EV_TIMED : 0);
    for (uint64_t ms = r->ms; ms; ms = r->every) {
        rfi_sleep(r->site, ms);
        rfi_call_told(r->site, "timerfd", &rfi_hook_outside, __ATOMIC_RELEASE, flags);
        const rfi_hook_timer *t = rfi_hook_timer_of(r->fd);
        if (!t || t->setting != r->setting) break;
        (void)RFI_REAL(eventfd_write)(r->fd, 1);
    }
    return NULL;
}

RFI_FN void rfi_hook_rings_apart(const rf_site *s, rfi_hook_timer *t) {
    if (!rfi.strategy->values || rfi.plan->late || !t->next) return;
    if (t->every) (void)rfi_hook_rounds();
    rfi_hook_ring *r = rfi_arena_take(&rfi.arena, sizeof *r);
    *r = (rfi_hook_ring){s, t->next - rfi.run.now, t->every, t->fd, t->setting};
    t->next = 0;
    rfi_hook_apart(s, (rfi_hook_start){.fn = rfi_hook_rings, .arg = r});
}

RFI_FN void rfi_hook_timer_left(const rfi_hook_timer *t, struct itimerspec *left) {
    uint64_t ms = t->next ? t->next - rfi.run.now : 0;
    left->it_value = (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    left->it_interval =
        (struct timespec){(time_t)(t->every / 1000), (long)(t->every % 1000) * 1000000};
}

int RFI_HOOK(timerfd_settime)(int fd, int flags, const struct itimerspec *to,
                              struct itimerspec *before) {
    rfi_hook_timer *t = rfi_hook_shares() ? rfi_hook_timer_of(fd) : NULL;
    const struct timespec *at = &to->it_value;
    eventfd_t old;
    if (!t) return RFI_REAL(timerfd_settime)(fd, flags, to, before);
    rfi_call(RFI_CALLER(), "timerfd_settime", &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    if (!rfi_hook_valid(at) || !rfi_hook_valid(&to->it_interval)) return rfi_hook_errno(EINVAL);
    rfi_hook_timers_ring();
    if (before) {
        RFI_LEAVES(before, sizeof *before);
        rfi_hook_timer_left(t, before);
    }
    rfi_hook_world w = {.one = {fd, RFI_FILE_IN}};
    if (rfi_hook_look_file(&w, 0)) (void)RFI_REAL(eventfd_read)(fd, &old);
    bool set = at->tv_sec || at->tv_nsec;
    uint64_t ms =
        flags & TFD_TIMER_ABSTIME ? rfi_hook_left(at, t->clock) : (uint64_t)rfi_hook_ms(at, 0);
    t->next = set ? rfi.run.now + ms + !ms : 0;
    t->every = (uint64_t)rfi_hook_ms(&to->it_interval, 0);
    t->setting = ++rfi_hook_timers.settings;
    rfi_hook_rings_apart(RFI_CALLER(), t);
    return 0;
}

int RFI_HOOK(timerfd_gettime)(int fd, struct itimerspec *left) {
    const rfi_hook_timer *t = rfi_hook_shares() ? rfi_hook_timer_of(fd) : NULL;
    if (!t) return RFI_REAL(timerfd_gettime)(fd, left);
    rfi_call(RFI_CALLER(), "timerfd_gettime", &rfi.run.now, RF_EV_READS);
    rfi_hook_timers_ring();
    RFI_LEAVES(left, sizeof *left);
    return rfi_hook_timer_left(t, left), 0;
}

# endif

/* Readers see the end of what was sent. */
int RFI_HOOK(close)(int fd) {
    RFI_CLOSES_FILE(fd);
    rfi_call_ordered(RFI_CALLER(), "close", &rfi_hook_outside, __ATOMIC_RELEASE);
    RFI_CLOSED_FILE(fd);
    rfi_hook_timer_closed(fd);
    return RFI_REAL(close)(fd);
}

int RFI_HOOK(dup2)(int fd, int to) {
    RFI_USES_FILE(fd);
    if (fd != to) RFI_CLOSES_FILE(to);
    RFI_FILE_CALL("dup2");
    if (fd != to) RFI_CLOSED_FILE(to);
    if (fd != to) rfi_hook_timer_closed(to);
    return RFI_REAL(dup2)(fd, to);
}

/* ---- locks of files ---- */

/* Tries it, or waits for it. */
RFI_FN int rfi_file_locks(const rfi_hook_world *w, bool waits) {
    const rfi_file_lock *l = &w->lock;
    switch (l->how) {
    case RFI_LOCK_FLOCK: return RFI_REAL(flock)(l->fd, l->command | (waits ? 0 : LOCK_NB));
    case RFI_LOCK_LOCKF: return RFI_REAL(lockf)(l->fd, waits ? F_LOCK : F_TLOCK, l->bytes);
    default: return RFI_REAL(fcntl)(l->fd, l->command + waits, l->of);
    }
}

/* Could it be had?  flock, which can't be asked, may lose what it has already, as it may when it
 * waits. */
RFI_FN int rfi_hook_look_lock(const rfi_hook_world *w, int ms) {
    const rfi_file_lock *l = &w->lock;
    if (ms < 0) return rfi_file_locks(w, true) ? -1 : 1;
    bool could = l->how == RFI_LOCK_LOCKF && !RFI_REAL(lockf)(l->fd, F_TEST, l->bytes);
    if (l->how == RFI_LOCK_FLOCK) could = !rfi_file_locks(w, false);
    if (l->how == RFI_LOCK_FLOCK && could) RFI_REAL(flock)(l->fd, LOCK_UN);
    if (l->how == RFI_LOCK_FCNTL) {
        struct flock test = *(const struct flock *)l->of;
        could = RFI_REAL(fcntl)(l->fd, l->command - 1, &test) || test.l_type == F_UNLCK;
    }
    if (!could && ms) (void)rfi_real_poll(NULL, 0, ms);
    return could;
}

RFI_FN int rfi_hook_file_lock(rfi_hook_world *w) {
    w->look = rfi_hook_look_lock;
    w->restarts = w->takes = true;
    rfi_hook_may_wait(w->site);
    for (;;) {
        rfi_call_ordered(w->site, w->name, &rfi_hook_outside, __ATOMIC_ACQUIRE);
        if (!rfi_file_locks(w, false)) return 0;
        if ((errno != EAGAIN && errno != EACCES) || rfi_hook_await(w) < 0) return -1;
    }
}

int RFI_HOOK(flock)(int fd, int how) {
    rfi_hook_world w = {.site = RFI_CALLER(), .name = "flock"};
    w.lock.how = RFI_LOCK_FLOCK, w.lock.fd = fd, w.lock.command = how;
    if (rfi_hook_shares() && !(how & (LOCK_NB | LOCK_UN))) return rfi_hook_file_lock(&w);
    rfi_call_ordered(w.site, w.name, &rfi_hook_outside,
                     how & LOCK_UN ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE);
    return RFI_REAL(flock)(fd, how);
}

int RFI_HOOK(lockf)(int fd, int how, off_t bytes) {
    rfi_hook_world w = {.site = RFI_CALLER(), .name = "lockf"};
    w.lock.how = RFI_LOCK_LOCKF, w.lock.fd = fd, w.lock.bytes = bytes;
    if (rfi_hook_shares() && how == F_LOCK) return rfi_hook_file_lock(&w);
    rfi_call_ordered(w.site, w.name, &rfi_hook_outside,
                     how == F_ULOCK ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE);
    return RFI_REAL(lockf)(fd, how, bytes);
}

/* The commands that wait are those that don't, and 1. */
int RFI_HOOK(fcntl)(int fd, int command, ...) {
    rfi_hook_world w = {.site = RFI_CALLER(), .name = "fcntl"};
    va_list rest;
    va_start(rest, command);
    void *of = va_arg(rest, void *); /* or a number, which is returned the same way */
    va_end(rest);
    w.lock.how = RFI_LOCK_FCNTL, w.lock.fd = fd, w.lock.command = command - 1, w.lock.of = of;
    bool waits = command == F_SETLKW, locks = command == F_SETLK || waits;
# ifdef F_OFD_SETLKW
    waits |= command == F_OFD_SETLKW;
    locks |= command == F_OFD_SETLK || waits;
# endif
    bool frees = locks && ((const struct flock *)of)->l_type == F_UNLCK;
    if (waits && !frees && rfi_hook_shares()) return rfi_hook_file_lock(&w);
    if (locks)
        rfi_call_ordered(w.site, w.name, &rfi_hook_outside,
                         frees ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE);
    else
        RFI_FILE_CALL("fcntl");
    return RFI_REAL(fcntl)(fd, command, of);
}

/* ---- signals ---- */

/* A signal that is blocked may have come; where no other thread can send one, one of a child may
 * still. */
RFI_FN int rfi_hook_look_suspended(const rfi_hook_world *w, int ms) {
    siginfo_t child;
    bool came = rfi_sig_kernels() & ~rfi_sig_bits(w->signals);
    if (ms >= 0 && !came) return 0;
    if (came || rfi_forked || !rfi_waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT))
        return RFI_REAL(sigsuspend)(w->signals);
    rfi_hook_park(w->site, false);
    return 0;
}

/* The mask holds while it waits; what strikes from then on ends it. */
int RFI_HOOK(sigsuspend)(const sigset_t *mask) {
    sigset_t room;
    if (!rfi_hook_shares()) return RFI_REAL(sigsuspend)(mask);
    rfi_hook_world w = {.look = rfi_hook_look_suspended,
                        .comes = rfi_hook_may_come,
                        .takes = true,
                        .site = RFI_CALLER(),
                        .name = "sigsuspend"};
    w.signals = rfi_hook_mask(mask, SIG_SETMASK, &room);
    rfi_hook_may_wait(w.site);
    rfi_hook_look_first(&w);
    int result = 0;
    uint64_t before = rfi_sig_suspend(w.site, mask, &result);
    if (!result) result = rfi_hook_await(&w);
    rfi_sig_resume(w.site, before);
    return result;
}

int RFI_HOOK(pause)(void) {
    sigset_t now;
    if (!rfi_hook_shares()) return RFI_REAL(pause)();
    rfi_hook_world w = {.look = rfi_hook_look_suspended,
                        .comes = rfi_hook_may_come,
                        .takes = true,
                        .site = RFI_CALLER(),
                        .name = "pause"};
    RFI_REAL(pthread_sigmask)(SIG_BLOCK, NULL, &now);
    w.signals = &now;
    rfi_hook_may_wait(w.site);
    rfi_hook_look_first(&w);
    (void)rfi_hook_point(w.site);
    return rfi_hook_await(&w);
}
#endif
#endif
