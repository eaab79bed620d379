/* hook/messages.h: message queues of POSIX.
 *
 * On Linux a queue is a file, so that its waits are those of files.  The calls are made as system
 * calls: in some C libraries the functions are in one of their own.
 */
#ifndef RFI_HOOK_MESSAGES_H
#define RFI_HOOK_MESSAGES_H
#include "hook/polls.h"
#include "hook/files.h"

#if defined RFI_IMPL && defined __linux__
# include <mqueue.h>

/* The caller's turn, in which the queue has a message, or room for one; `at`: NULL, or until when.
 */
RFI_FN bool rfi_mq_turn(const rf_site *s, const char *name, mqd_t q, int events,
                        const struct timespec *at) {
    int order = events == RFI_FILE_IN ? __ATOMIC_ACQUIRE : __ATOMIC_RELEASE;
    rfi_hook_world w = {.look = rfi_hook_look_file, .site = s, .name = name};
    w.one.fd = (int)q, w.one.events = (short)events;
    if (!at || !rfi_hook_valid(at) || !rfi_hook_shares())
        return rfi_file_turn(s, name, (int)q, events);
    for (;;) {
        rfi_call_ordered(s, name, &rfi_hook_outside, order);
        if (rfi_hook_look(&w, 0)) return true;
        int found = rfi_hook_await_for(&w, (int64_t)rfi_hook_left(at, CLOCK_REALTIME), NULL);
        if (found <= 0) return rfi_hook_errno(found ? errno : ETIMEDOUT), false;
    }
}

RFI_FN ssize_t rfi_mq_receive(const rf_site *s, const char *name, mqd_t q, char *to, size_t n,
                              unsigned *priority, const struct timespec *at) {
    if (!rfi_mq_turn(s, name, q, RFI_FILE_IN, at)) return -1;
    rfi_settle();
    return RFI_REAL(syscall)(SYS_mq_timedreceive, q, to, n, priority, NULL);
}

RFI_FN int rfi_mq_send(const rf_site *s, const char *name, mqd_t q, const char *p, size_t n,
                       unsigned priority, const struct timespec *at) {
    if (!rfi_mq_turn(s, name, q, RFI_FILE_OUT, at)) return -1;
    return (int)RFI_REAL(syscall)(SYS_mq_timedsend, q, p, n, priority, NULL);
}

ssize_t RFI_HOOK(mq_receive)(mqd_t q, char *to, size_t n, unsigned *priority) {
    RFI_USES_FILE((int)q);
    ssize_t got = rfi_mq_receive(RFI_CALLER(), "mq_receive", q, to, n, priority, NULL);
    if (got > 0) RFI_WRITES(to, (size_t)got);
    RFI_LEFT(got >= 0, priority);
    return got;
}

ssize_t RFI_HOOK(mq_timedreceive)(mqd_t q, char *to, size_t n, unsigned *priority,
                                  const struct timespec *at) {
    RFI_USES_FILE((int)q);
    ssize_t got = rfi_mq_receive(RFI_CALLER(), "mq_timedreceive", q, to, n, priority, at);
    if (got > 0) RFI_WRITES(to, (size_t)got);
    RFI_LEFT(got >= 0, priority);
    return got;
}

int RFI_HOOK(mq_send)(mqd_t q, const char *p, size_t n, unsigned priority) {
    RFI_USES_FILE((int)q);
    RFI_READS(p, n);
    return rfi_mq_send(RFI_CALLER(), "mq_send", q, p, n, priority, NULL);
}

int RFI_HOOK(mq_timedsend)(mqd_t q, const char *p, size_t n, unsigned priority,
                           const struct timespec *at) {
    RFI_USES_FILE((int)q);
    RFI_READS(p, n);
    return rfi_mq_send(RFI_CALLER(), "mq_timedsend", q, p, n, priority, at);
}
#endif
#endif
