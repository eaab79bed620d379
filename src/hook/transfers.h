/* hook/transfers.h: calls that move several messages, or data from file to file, and their names.
 *
 * They wait for one part after the other, as if each had a call of its own (hook/files.h).
 */
#ifndef RFI_HOOK_TRANSFERS_H
#define RFI_HOOK_TRANSFERS_H
#include "hook/files.h"
#include "hook/polls.h"

#if defined RFI_IMPL && defined __linux__
# include <sys/sendfile.h>

enum { RFI_SENDS_EACH = 4096 }; /* for which there is room wherever there is some */

/* A time-out is looked at behind each message: then only those are taken that are there. */
int RFI_HOOK(recvmmsg)(int from, struct mmsghdr *m, unsigned n, int flags, struct timespec *t);
int RFI_HOOK(recvmmsg)(int from, struct mmsghdr *m, unsigned n, int flags, struct timespec *t) {
    int each = flags & ~MSG_WAITFORONE;
    RFI_USES_FILE(from);
    for (unsigned i = 0; i < n; i++) {
        if (i && (t || flags & MSG_WAITFORONE)) each |= MSG_DONTWAIT;
        if (!RFI_TURN_WITH(each, IN, "recvmmsg", from)) return i ? (int)i : -1;
        rfi_settle();
        if (RFI_REAL(recvmmsg)(from, m + i, 1, each, NULL) != 1) return i ? (int)i : -1;
        const struct msghdr *got = &m[i].msg_hdr;
        if (m[i].msg_len && got->msg_iovlen == 1) RFI_WRITES(got->msg_iov->iov_base, m[i].msg_len);
        RFI_LEAVES(&m[i].msg_len, sizeof m[i].msg_len);
    }
    return (int)n;
}

int RFI_HOOK(sendmmsg)(int to, struct mmsghdr *m, unsigned n, int flags);
int RFI_HOOK(sendmmsg)(int to, struct mmsghdr *m, unsigned n, int flags) {
    RFI_USES_FILE(to);
    for (unsigned i = 0; i < n; i++) {
        const struct msghdr *put = &m[i].msg_hdr;
        for (size_t k = 0; k < put->msg_iovlen; k++)
            RFI_READS(put->msg_iov[k].iov_base, put->msg_iov[k].iov_len);
        if (!RFI_TURN_WITH(flags, OUT, "sendmmsg", to)) return i ? (int)i : -1;
        ssize_t sent = rfi_file_sent(RFI_CALLER(), RFI_REAL(sendmmsg)(to, m + i, 1, flags));
        if (sent != 1) return i ? (int)i : -1;
        RFI_LEAVES(&m[i].msg_len, sizeof m[i].msg_len);
    }
    return (int)n;
}

/* Where it need not wait for both, the last look was at what it writes to. */
ssize_t RFI_HOOK(splice)(int from, off64_t *at, int to, off64_t *there, size_t n, unsigned flags);
ssize_t RFI_HOOK(splice)(int from, off64_t *at, int to, off64_t *there, size_t n, unsigned flags) {
    RFI_USES_FILE(from);
    RFI_USES_FILE(to);
    bool waits = !(flags & SPLICE_F_NONBLOCK);
    if (waits && !at && !RFI_TURN_IN("splice", from)) return -1;
    if (waits && !there && !RFI_TURN_OUT("splice", to)) return -1;
    return rfi_file_sent(RFI_CALLER(), RFI_REAL(splice)(from, at, to, there, n, flags));
}

ssize_t RFI_HOOK(sendfile)(int to, int from, off_t *at, size_t n);
ssize_t RFI_HOOK(sendfile)(int to, int from, off_t *at, size_t n) {
    RFI_USES_FILE(from);
    RFI_USES_FILE(to);
    for (size_t done = 0;;) {
        bool parts = rfi_file_blocks(to, RFI_FILE_OUT) && n - done > RFI_SENDS_EACH;
        if (!RFI_TURN_OUT("sendfile", to)) return done ? (ssize_t)done : -1;
        ssize_t put = rfi_file_sent(
            RFI_CALLER(), RFI_REAL(sendfile)(to, from, at, parts ? RFI_SENDS_EACH : n - done));
        if (put < 0) return done ? (ssize_t)done : put;
        done += (size_t)put;
        if (!parts || !put) return (ssize_t)done;
    }
}

# ifdef SYS_epoll_pwait2
int RFI_HOOK(epoll_pwait2)(int queue, struct epoll_event *event, int n, const struct timespec *t,
                           const sigset_t *mask);
int RFI_HOOK(epoll_pwait2)(int queue, struct epoll_event *event, int n, const struct timespec *t,
                           const sigset_t *mask) {
    rfi_hook_world w = {.queue = queue, .event = event, .events = n};
    if (!rfi_hook_shares())
        return (int)RFI_REAL(syscall)(SYS_epoll_pwait2, queue, event, n, t, mask, 8);
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    int64_t ms = t ? rfi_hook_ms(t, 0) : -1;
    int found = rfi_hook_epoll(RFI_CALLER(), &w, ms > INT_MAX ? INT_MAX : (int)ms, mask);
    if (found > 0) RFI_LEAVES(event, (size_t)found * sizeof *event);
    return found;
}
# endif
#endif

#if (defined RF_HOOK_PTHREAD || defined RF_HOOK_ALL) && !defined RF_OFF && defined __linux__ && \
    !defined __cplusplus
# ifdef RFI_IMPL
#  define recvmmsg __wrap_recvmmsg
#  define sendmmsg __wrap_sendmmsg
#  define splice   __wrap_splice
#  define sendfile __wrap_sendfile
#  ifdef SYS_epoll_pwait2
#   define epoll_pwait2 __wrap_epoll_pwait2
#  endif
# else
RFI_RENAME(recvmmsg)
RFI_RENAME(sendmmsg)
RFI_RENAME(splice)
RFI_RENAME(sendfile)
RFI_RENAME(epoll_pwait2)
#  ifdef __ELF__
__asm__(".set sendfile64, __wrap_sendfile");
#  endif
# endif
#endif
#endif
