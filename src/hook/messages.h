/* hook/messages.h: message queues of POSIX, and those and the semaphores of System V.
 *
 * On Linux a queue of POSIX is a file, so that its waits are those of files.  The calls are made as
 * system calls: in some C libraries the functions are in one of their own.  System V's can't be
 * asked: each look is a try.
 */
#ifndef RFI_HOOK_MESSAGES_H
#define RFI_HOOK_MESSAGES_H
#include "hook/polls.h"
#include "hook/files.h"

#if defined RFI_IMPL && defined __linux__
# include <mqueue.h>
# include <sys/msg.h>
# include <sys/sem.h>

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

/* ---- System V ---- */

/* So many calls of this process have changed a queue or a set. */
RFI_VAR uint32_t rfi_sysv_changes;

# if defined SYS_msgsnd && defined SYS_semtimedop

typedef struct rfi_sysv {
    long number, a[5]; /* the call, which may wait */
    long result;
    int error;
    uint32_t tried; /* when so much had changed */
} rfi_sysv;

RFI_FN int rfi_hook_look_sysv(const rfi_hook_world *w, int ms) {
    const struct timespec now = {0, 0};
    rfi_sysv *c = w->sysv;
    long a[5];
    memcpy(a, c->a, sizeof a);
    if (c->number == SYS_semtimedop)
        a[3] = (long)(uintptr_t)&now;
    else
        a[c->number == SYS_msgsnd ? 3 : 4] |= IPC_NOWAIT;
    for (;; ms -= ms > 0) {
        c->result = RFI_REAL(syscall)(c->number, a[0], a[1], a[2], a[3], a[4]);
        c->error = errno;
        rfi_sysv_changes += c->result >= 0;
        if (c->result >= 0 || (errno != EAGAIN && errno != ENOMSG)) return 1;
        if (!ms) return 0;
        if (rfi_real_poll(NULL, 0, 1) < 0 && rfi_sig_came) return -1;
    }
}

/* Nobody else knows its number. */
RFI_FN bool rfi_hook_sysv_inside(const rfi_hook_world *w) {
    struct msqid_ds queue;
    struct semid_ds set;
    int id = (int)w->sysv->a[0];
    if (w->sysv->number != SYS_semtimedop)
        return !RFI_REAL(msgctl)(id, IPC_STAT, &queue) && queue.msg_perm.__key == IPC_PRIVATE;
    return RFI_REAL(semctl)(id, 0, IPC_STAT, &set) >= 0 && set.sem_perm.__key == IPC_PRIVATE;
}

/* Has anything changed since it has tried? */
RFI_FN int rfi_hook_look_again(const rfi_hook_world *w, int ms) {
    if (ms < 0) rfi_hook_park(w->site, false);
    return w->sysv->tried != rfi_sysv_changes;
}

/* Where the strategy knows memory itself: each try is a call. */
RFI_FN void rfi_sysv_turn(rfi_hook_world *w, int order, int64_t ms) {
    rfi_hook_world turn = *w;
    turn.look = rfi_hook_look_again;
    turn.takes = true;
    rfi_hook_may_wait(w->site);
    for (;;) {
        rfi_call_ordered(w->site, w->name, &rfi_hook_outside, order);
        if (rfi_hook_look(w, 0) || !ms || (ms > 0 && rfi_wait_ends(rfi.current, w->site, 2)))
            return;
        w->sysv->tried = rfi_sysv_changes;
        if (rfi_hook_await(&turn) >= 0) continue;
        w->sysv->result = -1;
        w->sysv->error = errno;
        return;
    }
}

/* ms: 0, so long, or (below 0) for as long as it takes. */
RFI_FN long rfi_sysv_call(rfi_sysv *c, const rf_site *s, const char *name, int order, int64_t ms) {
    rfi_hook_world w = {.look = rfi_hook_look_sysv, .inside = rfi_hook_sysv_inside};
    w.site = s, w.name = name, w.sysv = c;
    if (!rfi_hook_shares())
        return RFI_REAL(syscall)(c->number, c->a[0], c->a[1], c->a[2], c->a[3], c->a[4]);
    if (rfi.strategy->values && (ms <= 0 || !rfi.plan->late)) {
        rfi_sysv_turn(&w, order, ms);
        errno = c->error;
        return c->result;
    }
    rfi_call_ordered(s, name, &rfi_hook_outside, order);
    int found = rfi_hook_look(&w, 0);
    if (!found && ms) {
        found = ms < 0 ? rfi_hook_await(&w) : rfi_hook_await_until(&w, ms);
        if (found < 0) return -1;
        if (found) rfi_hook_hear(&w, 0);
    }
    errno = c->error;
    return c->result;
}

int RFI_HOOK(msgsnd)(int q, const void *p, size_t n, int flags) {
    rfi_sysv c = {.number = SYS_msgsnd, .a = {q, (long)(uintptr_t)p, (long)n, flags}};
    RFI_READS(p, sizeof(long) + n);
    return (int)rfi_sysv_call(&c, RFI_CALLER(), "msgsnd", __ATOMIC_RELEASE,
                              flags & IPC_NOWAIT ? 0 : -1);
}

ssize_t RFI_HOOK(msgrcv)(int q, void *p, size_t n, long type, int flags) {
    rfi_sysv c = {.number = SYS_msgrcv, .a = {q, (long)(uintptr_t)p, (long)n, type, flags}};
    ssize_t got =
        rfi_sysv_call(&c, RFI_CALLER(), "msgrcv", __ATOMIC_ACQUIRE, flags & IPC_NOWAIT ? 0 : -1);
    if (got >= 0) RFI_WRITES(p, sizeof(long) + (size_t)got);
    return got;
}

RFI_FN int rfi_sysv_semop(const rf_site *s, int set, struct sembuf *op, size_t n,
                          const struct timespec *t) {
    rfi_sysv c = {.number = SYS_semtimedop,
                  .a = {set, (long)(uintptr_t)op, (long)n, (long)(uintptr_t)t}};
    int64_t ms = t ? rfi_hook_ms(t, 0) : -1;
    if (t && (t->tv_sec < 0 || !rfi_hook_valid(t))) return rfi_hook_errno(EINVAL);
    for (size_t i = 0; i < n; i++)
        if (op[i].sem_flg & IPC_NOWAIT) ms = 0;
    return (int)rfi_sysv_call(&c, s, "semop", __ATOMIC_ACQ_REL, ms);
}

int RFI_HOOK(semop)(int set, struct sembuf *op, size_t n) {
    RFI_READS(op, n * sizeof *op);
    return rfi_sysv_semop(RFI_CALLER(), set, op, n, NULL);
}

int RFI_HOOK(semtimedop)(int set, struct sembuf *op, size_t n, const struct timespec *t);
int RFI_HOOK(semtimedop)(int set, struct sembuf *op, size_t n, const struct timespec *t) {
    RFI_READS(op, n * sizeof *op);
    return rfi_sysv_semop(RFI_CALLER(), set, op, n, t);
}
# endif
#endif
#endif
