/* hook/futex.h: futexes, and the numbers of threads.
 *
 * The kernel's futex would block the one real thread.
 */
#ifndef RFI_HOOK_FUTEX_H
#define RFI_HOOK_FUTEX_H
#include "campaign/crash.h"
#include "engine/futex.h"
#include "hook/actions.h"
#include "hook/chance.h"

#if defined RFI_IMPL && defined __linux__
/* <linux/futex.h> isn't everywhere. */
enum {
    RFI_FUTEX_OP_WAIT = 0,
    RFI_FUTEX_OP_WAKE = 1,
    RFI_FUTEX_OP_REQUEUE = 3,
    RFI_FUTEX_OP_CMP_REQUEUE = 4,
    RFI_FUTEX_OP_WAKE_OP = 5,
    RFI_FUTEX_OP_WAIT_BITSET = 9,
    RFI_FUTEX_OP_WAKE_BITSET = 10,
    RFI_FUTEX_OP_LOCK_PI2 = 13,
    RFI_FUTEX_PRIVATE = 128,
    RFI_FUTEX_REALTIME = 256
};

/* The arguments of a futex call. */
typedef struct rfi_futex_call {
    const rf_site *site;
    uint32_t *word;
    unsigned operation;
    uint32_t value;
    uintptr_t time; /* of waits; of others a second number */
    uint32_t *other;
    uint32_t last;
    bool wide; /* seconds have 64 bits */
} rfi_futex_call;

RFI_FN struct timespec rfi_futex_time(const rfi_futex_call *c) {
    struct timespec t;
    if (c->wide) {
        const int64_t *at = (const int64_t *)c->time;
        t = (struct timespec){.tv_sec = (time_t)at[0], .tv_nsec = (long)at[1]};
    } else {
        const long *at = (const long *)c->time;
        t = (struct timespec){.tv_sec = (time_t)at[0], .tv_nsec = at[1]};
    }
    return t;
}

/* Handlers that restart calls make it look again; so does pthread_cancel, which can't end a thread
 * here.  A result below 0 is an error number. */
RFI_FN int64_t rfi_hook_futex_wait(const rfi_futex_call *c, uint32_t bits, bool absolute) {
    uint64_t until = 0;
    if (c->time) {
        struct timespec t = rfi_futex_time(c);
        clockid_t clock = c->operation & RFI_FUTEX_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
        if (!rfi_hook_valid(&t) || t.tv_sec < 0) return -EINVAL;
        until = rfi.run.now + (absolute ? rfi_hook_left(&t, clock) : (uint64_t)rfi_hook_ms(&t, 0));
    }
    (void)rfi_hook_signals(c->site);
    rfi_sig_uncaught("futex", ~rfi_hook_self()->blocked);
    for (;;) {
        rfi.current->until = until;
        unsigned end = rfi_futex_wait(c->site, c->word, c->value, bits, c->time != 0);
        if (end == RFI_FUTEX_CHANGED) return -EAGAIN;
        if (end == RF_WAKE_TIMEOUT) return -ETIMEDOUT;
        if (!rfi.current->interrupted) return 0;
        if (rfi_hook_signals(c->site) & RFI_HOOK_STOPS) return -EINTR;
    }
}

/* At least one, as Linux has it. */
RFI_FN uint32_t rfi_futex_count(uint32_t n) { return (int32_t)n < 1 ? 1 : n; }

RFI_FN int64_t rfi_hook_requeue(const rfi_futex_call *c, bool compares) {
    int32_t moves = (int32_t)c->time;
    if ((int32_t)c->value < 0 || moves < 0) return -EINVAL;
    int64_t n = rfi_futex_requeue(c->site, c->word, c->other, c->value, (uint32_t)moves,
                                  compares ? &c->last : NULL);
    return n < 0 ? -EAGAIN : n;
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_futex_refuse(const rfi_futex_call *c) {
    static const char *const name[] = {"WAIT",           "WAKE",        "FD",
                                       "REQUEUE",        "CMP_REQUEUE", "WAKE_OP",
                                       "LOCK_PI",        "UNLOCK_PI",   "TRYLOCK_PI",
                                       "WAIT_BITSET",    "WAKE_BITSET", "WAIT_REQUEUE_PI",
                                       "CMP_REQUEUE_PI", "LOCK_PI2"};
    unsigned operation = c->operation & ~(unsigned)(RFI_FUTEX_PRIVATE | RFI_FUTEX_REALTIME);
    rfi_fail(RF_DIAG_LIMIT, c->site, "the futex operation %u (FUTEX_%s) is not supported",
             operation, operation < RFI_LENGTH(name) ? name[operation] : "...");
}

/* A result below 0 is an error number. */
RFI_FN int64_t rfi_hook_futex(const rfi_futex_call *c) {
    unsigned operation = c->operation & ~(unsigned)(RFI_FUTEX_PRIVATE | RFI_FUTEX_REALTIME);
    bool bits = operation == RFI_FUTEX_OP_WAIT_BITSET || operation == RFI_FUTEX_OP_WAKE_BITSET;
    if ((uintptr_t)c->word % 4 || (bits && !c->last)) return -EINVAL;
    if (!c->word) return -EFAULT;
    switch (operation) {
    case RFI_FUTEX_OP_WAIT: return rfi_hook_futex_wait(c, UINT32_MAX, false);
    case RFI_FUTEX_OP_WAIT_BITSET: return rfi_hook_futex_wait(c, c->last, true);
    case RFI_FUTEX_OP_WAKE:
    case RFI_FUTEX_OP_WAKE_BITSET:
        return rfi_futex_wake(c->site, c->word, bits ? c->last : UINT32_MAX,
                              rfi_futex_count(c->value));
    case RFI_FUTEX_OP_REQUEUE: return rfi_hook_requeue(c, false);
    case RFI_FUTEX_OP_CMP_REQUEUE: return rfi_hook_requeue(c, true);
    case RFI_FUTEX_OP_WAKE_OP:
        if ((c->last >> 28 & 7) > 4 || (c->last >> 24 & 15) > 5) return -ENOSYS;
        return rfi_futex_wake_op(c->site, c->word, c->other, rfi_futex_count(c->value),
                                 rfi_futex_count((uint32_t)c->time), c->last);
    case RFI_FUTEX_OP_LOCK_PI2: return -ENOSYS; /* as kernels before 5.14: programs ask for it */
    default: rfi_futex_refuse(c);
    }
}

/* What the kernel does is the result, with its error in errno; below 0 here. */
RFI_FN long rfi_hook_result(int64_t result) {
    return result < 0 ? rfi_hook_errno((int)-result) : (long)result;
}

/* ---- numbers of threads ---- */

/* By them programs know who owns a lock.  The first thread has the process's, as on Linux; what the
 * others have is no process's, and has room in a futex word. */
enum { RFI_HOOK_TASKS = 0x20000000 };

RFI_FN bool rfi_hook_tasks(void) { return rfi.current && !rfi.quiet && !rfi_forked; }

RFI_FN pid_t rfi_hook_task(void) {
    uint32_t id = rfi_base(rfi.current)->id;
    return id ? RFI_HOOK_TASKS + (pid_t)rfi_hook_renumbered(id, true) : rfi_process();
}

/* The thread with this number; NULL: there is none.  Whether another one has ended is no step. */
RFI_FN rfi_thr *rfi_hook_task_thread(const char *name, long task) {
    long id = task == rfi_process() ? 0 : task - RFI_HOOK_TASKS;
    if (id < 0 || id >= (long)rfi.run.threads) return NULL;
    rfi_thr *t = rfi.thread[rfi_hook_renumbered((uint32_t)id, false)];
    if (t != rfi_base(rfi.current)) rfi.run.meddles = name;
    return t->finished ? NULL : t;
}

/* The result is an error number. */
RFI_FN int rfi_hook_task_kill(const rf_site *s, long task, long signal) {
    rfi_thr *t = rfi_hook_task_thread("tgkill", task);
    return t ? rfi_hook_send(s, "tgkill", t, rfi_sig_entry_of((int)signal, SI_TKILL)) : ESRCH;
}

/* Whom the kernel takes for `who`, of PRIO_PROCESS: threads of ours have no number there. */
RFI_FN long rfi_hook_task_there(const char *name, int which, long who) {
    if (which || !rfi_hook_tasks()) return who;
    const rfi_thr *t = rfi_hook_task_thread(name, who);
    return t && t->id ? 0 : who;
}

pid_t RFI_HOOK(gettid)(void);
pid_t RFI_HOOK(gettid)(void) {
    return rfi_hook_tasks() ? rfi_hook_task() : (pid_t)RFI_REAL(syscall)(SYS_gettid);
}

/* An argument of syscall(). */
# define RFI_AT_ADDRESS(type, i) ((type *)(uintptr_t)a[i])
#endif
#endif
